"""Words of feeling, English and Chinese, and signs: where they stand in a sentence, how strongly.

The tables `feelings*.toml` hold every word and what each feeling is in the four values. A sentence
is cut into words (a Latin word, a Chinese character, a mark, an emoji); phrases are looked up from
the left, the longest first. No regular expression comes from a table, so no text can be slow.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple, get_args

from enishi.kernel.deciding.proposals import Strength
from enishi.kernel.words.folding import folding, folding_table

LANGUAGES = ("en", "zh")
VALUES = ("valence", "arousal", "fatigue", "confidence")
STRENGTHS: tuple[Strength, ...] = get_args(Strength)

_ROLES = (
    *("decoys", "greetings", "negators", "no_negators", "stronger", "weaker", "joints", "contrast"),
    *("me", "you", "others", "links", "saying", "before_object", "fillers"),
    *("suppose", "unreal", "wished", "gone", "past", "fiction"),
)
_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_SKIPPED = "\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"
_CHINESE = "\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f"
_LATIN = "a-z0-9\u00df-\u024f"
_LONG_RUN = re.compile(r"(.)\1\1+")
_EMOJI_FIRST = re.compile(f"[{_EMOJI}]")
_SKIPPED_CHARS = re.compile(f"[{_SKIPPED}]")
EDGES = frozenset(',;:.!?()…—–~\n。，、；：！？·\0"“”「」*')
"""Words at which a clause ends; the blank between two Chinese characters is read as a comma."""

_HALF_WIDTH = (
    {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {code: chr(code - 0xFEE0 + 32) for code in range(0xFF21, 0xFF3B)}
    | {0x3000: " "}
)
_REACH = 4
"""A negation reaches over so many words at most."""
_BEFORE_GONE = frozenset("都也就感基本真的全一下子已经似乎好像瞬间情绪完")
"""What may stand between a feeling and that it has gone."""
_LEAN = {"good": 1, "bad": -1}
_LEANS = {"faint": 5, "weak": 20, "moderate": 60, "strong": 120}
"""How far a word leans, in hundredths of log-odds."""


class Mark(NamedTuple):
    """A known phrase within a sentence: from which word to which (exclusive), and what it is."""

    first: int
    last: int
    entry: Entry


class Hit(NamedTuple):
    """A feeling that words or a sign show. `alone`: whoever says them speaks of himself.

    `strength` runs from 0 (weak) to 2 (strong); `turned` says that a negation turns it round;
    `after_contrast` that it stands behind a "but".
    """

    feeling: str
    strength: int
    alone: bool
    sign: bool
    turned: bool
    after_contrast: bool
    first: int
    last: int


@dataclass(slots=True)
class Entry:
    """What one phrase is: its roles, the feeling that it shows, which way it leans."""

    roles: set[str]
    feeling: str = ""
    strength: int = 1
    alone: bool = False
    sign: bool = False
    lean: int = 0


@dataclass(slots=True)
class _Node:
    """What may stand at one place of a phrase: what ends here, and what may follow."""

    entry: Entry | None = None
    then: dict[str, _Node] = field(default_factory=dict)


class Sentence(NamedTuple):
    """The words of one sentence as they are looked up, the phrases known among them, and where
    its clauses begin."""

    words: list[str]
    marks: list[Mark]
    edges: list[int]

    def clause(self, word: int) -> int:
        """The first word of the clause in which a word stands."""
        return max((edge for edge in self.edges if edge <= word), default=0)

    def opening(self, word: int) -> int:
        """The word after the last mark before a word: a "but" or "and" opens nothing here."""
        ends = (n + 1 for n, one in enumerate(self.words[:word]) if one in EDGES)
        return max(ends, default=0)


class Feelings:
    """The tables, read once. `version` names their exact contents."""

    def __init__(self, signs: str, languages: Sequence[str]) -> None:
        tables = [tomllib.loads(source) for source in languages]
        shared = tomllib.loads(signs)
        self.version = sha256("".join((signs, *languages, folding_table())).encode()).hexdigest()[
            :8
        ]
        self._felt = {
            feeling: {value: hundredths * 100 for value, hundredths in felt.items()}
            for feeling, felt in shared["felt"].items()
        }
        self._fold = {**folding(), **_HALF_WIDTH}
        written = sorted({s for shown in shared["signs"].values() for s in shown}, key=_longest)
        self._faces = frozenset(sign for sign in written if not _EMOJI_FIRST.match(sign))
        faces = "|".join(re.escape(sign) for sign in written if sign in self._faces)
        heads = re.escape("".join(sorted({face[0] for face in self._faces})))
        gap = f"(?<=[{_CHINESE}]) +(?=[{_CHINESE}])"
        self._word = re.compile(
            rf"(?<![{_LATIN}])(?=[{heads}])(?:{faces})(?![{_LATIN}])|[{_CHINESE}]"
            rf"|[{_LATIN}]+(?:'[{_LATIN}]+)*"
            rf"|[{_EMOJI}][{_SKIPPED}]*(?:\u200d[{_EMOJI}][{_SKIPPED}]*)*"
            rf"|[{re.escape(''.join(sorted(EDGES)))}]|{gap}"
        )
        self._odd = re.compile(rf"{gap}|[{_EMOJI}]|([{_LATIN}'])\1\1")
        self._known: set[str] = set()
        self._phrases: dict[str, _Node] = {}
        for feeling, shown in shared["signs"].items():
            for sign in shown:
                self._enter((_SKIPPED_CHARS.sub("", sign),), feeling=feeling, alone=True, sign=True)
        for table in tables:
            self._read(table)

    def fold(self, text: str) -> str:
        """The text as it is looked up, at the same length: small, half-width, simplified."""
        return text.translate(self._fold)

    def words(self, folded: str, start: int, end: int) -> list[str]:
        """The words of a stretch of folded text, as they are looked up."""
        found: list[str] = self._word.findall(folded, start, end)
        odd = self._odd.search(folded, start, end)
        return found if odd is None else [self._looked_up(word) for word in found]

    def places(self, folded: str, start: int, end: int) -> list[tuple[int, int]]:
        """Where the words of a stretch of folded text stand in it."""
        return [found.span() for found in self._word.finditer(folded, start, end)]

    def sentence(self, folded: str, start: int, end: int) -> Sentence:
        """One sentence, read."""
        words = self.words(folded, start, end)
        marks = self._marks(words)
        edges = [number + 1 for number, word in enumerate(words) if word in EDGES]
        edges += [mark.first for mark in marks if "joints" in mark.entry.roles]
        return Sentence(words, marks, edges)

    def hits(self, sentence: Sentence) -> list[Hit]:
        """The feelings that the words of a sentence show, whoever has them."""
        found = [number for number, mark in enumerate(sentence.marks) if mark.entry.feeling]
        return [self._hit(sentence, number) for number in found]

    def felt(self, hit: Hit) -> dict[str, int]:
        """What a hit says of the four values, in 1/10000. What is denied says less, and other."""
        felt = self._felt[hit.feeling]
        return _turned(felt) if hit.turned else felt

    def leaning(self, sentence: Sentence) -> int:
        """How far words that are no feeling by themselves lean, above 0 to the good."""
        leaning = 0
        for number, mark in enumerate(sentence.marks):
            if mark.entry.lean:
                turned = self._negated(sentence, number)
                leaning += -mark.entry.lean // 2 if turned else mark.entry.lean
        return leaning

    def _hit(self, sentence: Sentence, number: int) -> Hit:
        words, marks, _ = sentence
        mark = marks[number]
        entry = mark.entry
        low = sentence.clause(mark.first)
        turned = not entry.sign and self._negated(sentence, number) != _gone(sentence, number)
        near = [
            other.entry.roles
            for other in marks[max(0, number - 3) : number + 3]
            if low <= other.first
            and (mark.first - 3 <= other.last <= mark.first or 0 <= other.first - mark.last <= 1)
        ]
        louder = words[mark.last :].count("!") > 1
        step = int(louder or any("stronger" in roles for roles in near))
        step -= any("weaker" in roles for roles in near)
        strength = max(0, min(2, entry.strength + (-1 if turned else step)))
        behind = any(
            "contrast" in other.entry.roles and other.last <= mark.first for other in marks[:number]
        )
        span = mark.first, mark.last
        return Hit(entry.feeling, strength, entry.alone, entry.sign, turned, behind, *span)

    def _negated(self, sentence: Sentence, number: int) -> bool:
        """Whether an odd number of negations reaches a mark from within its clause."""
        first = sentence.marks[number].first
        low = max(sentence.clause(first), first - _REACH)
        near = [mark for mark in sentence.marks[:number] if mark.last > low]
        return sum("negators" in mark.entry.roles for mark in near) % 2 == 1

    def _marks(self, words: Sequence[str]) -> list[Mark]:
        marks: list[Mark] = []
        phrases, free, end = self._phrases, 0, len(words)
        for first, word in enumerate(words):
            if word not in phrases or first < free:
                continue
            node, after, longest = phrases.get(word), first, None
            while node is not None:
                after += 1
                if node.entry is not None:
                    longest, free = node.entry, after
                node = node.then.get(words[after]) if after < end else None
            if longest is not None:
                marks.append(Mark(first, free, longest))
        return marks

    def _looked_up(self, word: str) -> str:
        if word[0] == " ":
            return ","
        if _EMOJI_FIRST.match(word):
            whole = _SKIPPED_CHARS.sub("", word)
            return whole if whole in self._known else (whole or word)[0]
        if word not in self._faces and _LONG_RUN.search(word):
            twice = _LONG_RUN.sub(r"\1\1", word)
            once = _LONG_RUN.sub(r"\1", word)
            return once if once in self._known and twice not in self._known else twice
        return word

    def _read(self, table: Mapping[str, Any]) -> None:
        for role in _ROLES:
            for written in table.get(role, ()):
                for phrase in _phrases(written, self._word):
                    self._enter(phrase, role=role)
        for part, alone in (("words", False), ("idioms", True)):
            for feeling, by_strength in table[part].items():
                for strength, entries in by_strength.items():
                    for phrase in (p for e in entries for p in _phrases(e, self._word)):
                        shown = STRENGTHS.index(strength)
                        self._enter(phrase, feeling=feeling, strength=shown, alone=alone)
        for side, by_strength in table.get("leaning", {}).items():
            for strength, entries in by_strength.items():
                lean = _LEAN[side] * _LEANS[strength]
                for phrase in (p for e in entries for p in _phrases(e, self._word)):
                    self._enter(phrase, lean=lean)

    def _enter(self, phrase: tuple[str, ...], role: str = "", **what: Any) -> None:
        self._known.update(phrase)
        node = self._phrases.setdefault(phrase[0], _Node())
        for word in phrase[1:]:
            node = node.then.setdefault(word, _Node())
        entry = node.entry = node.entry or Entry(set())
        entry.roles |= {role} if role else set()
        for name, value in what.items():
            setattr(entry, name, value)


def _gone(sentence: Sentence, number: int) -> bool:
    """Whether the words right behind a mark say that it has gone."""
    last = sentence.marks[number].last
    return any(
        "gone" in mark.entry.roles and _BEFORE_GONE.issuperset(sentence.words[last : mark.first])
        for mark in sentence.marks[number + 1 :]
    )


def _turned(felt: Mapping[str, int]) -> dict[str, int]:
    """Not happy is somewhat sad; not sad is hardly happy; not tired is fresh."""
    turned: dict[str, int] = {}
    if (valence := felt.get("valence")) is not None:
        turned["valence"] = -valence // 2 if valence > 0 else -valence // 4
    for value in ("fatigue", "confidence"):
        if value in felt:
            turned[value] = 10_000 - felt[value]
    return turned


def _phrases(written: str, word: re.Pattern[str]) -> Iterator[tuple[str, ...]]:
    """All readings of an entry of the tables, each as its words."""
    for reading in _readings(written):
        yield tuple(found for found in word.findall(reading) if found[0] != " ")


def _readings(written: str) -> Iterator[str]:
    close = written.find(")")
    if close < 0:
        yield written
        return
    start = written.rfind("(", 0, close)
    for choice in written[start + 1 : close].split("|"):
        yield from _readings(written[:start] + choice + written[close + 1 :])


def _longest(sign: str) -> tuple[int, str]:
    return -len(sign), sign


@cache
def load() -> Feelings:
    """The bundled tables."""
    folder = files("enishi.kernel.words")

    def read(name: str) -> str:
        return folder.joinpath(f"{name}.toml").read_text("utf-8")

    return Feelings(read("feelings"), [read(f"feelings_{name}") for name in LANGUAGES])
