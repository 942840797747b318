"""Whether words of a proposer follow from the words that it cites.

A value stands in the cited words, or follows from them as a number, a day or a published word; in
another language it does not say another published word of the same kind. Free wording may paraphrase and change language, but its names, numbers and days occur, negation
agrees, and something of what it says is said there: "they married in Paris" may not cite "hello".
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from enishi.kernel.moments import Moment
from enishi.kernel.words.names import missing_names
from enishi.kernel.words.numerals import number_of, numbers_in
from enishi.kernel.words.said_days import follows
from enishi.kernel.words.vocabulary import kinds_of
from enishi.kernel.words.written import written_otherwise

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_CJK = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_CJK_RUN = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_DAY = re.compile(r"(?<![0-9])[12][0-9]{3}-[0-9]{2}(?:-[0-9]{2})?(?![0-9])")
_CLAUSE_EDGE = re.compile(
    r"[;:.!?()\n；：。！？（）…—]|[,，](?! *(?:[a-z'-]{1,20}(?: [a-z'-]{1,20})?, *){0,4}n?or\b)|\b(?:but|because|so|then)\b"
    r"|\band(?= (?:i|you|he|she|it|we|they|my|your|his|her|our|their)\b)",
    re.ASCII | re.IGNORECASE,
)
_A_NOT_A = re.compile("(.)[不没沒]\\1")
"""A question that leaves it open, as in 是不是 and 喜不喜欢."""
_THOUGH = re.compile("^ *不[过過](?!敏)")
_TAG = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|would|could|have|has|had|should|ai)n't|won't|can't)"
    r" (?:i|you|he|she|it|we|they) ?(?=[?,.!]|$)"
)
"""A question put behind a statement, as in "you like tea, don't you?"."""
_SHORT_ANSWER = 20
"""Characters up to which what follows a yes changes nothing about it."""
_YEAR = re.compile("[12][0-9]{3}")
_FUNCTION = dict.fromkeys(
    map(ord, "我你您他她它们們的了是在会會要给給和也都很就吧呢吗嗎啊呀哦着著把被跟这這那"), " "
)
_NEGATING = dict.fromkeys(map(ord, "不没沒有才其实實真假"), " ")
_ENDING = re.compile("(?<=[a-z]{3})(?:ing|ed|es|s)$|(?<=[a-z]{2}[^aeiou])(?:ying|ied|ies|y)$")
_CHANGED = re.compile(r"\b(?:but|except|only|however|actually|used to)\b|但|可是|只是|不过|除了")
_NEXT_EDGE = re.compile(rf" *(?:{_CLAUSE_EDGE.pattern})", re.ASCII | re.IGNORECASE)
_LAST_COMMA = re.compile(r"(?s)(.*?)(?:([,，])([^,，]*))?\Z")
_LONGEST_TAG = 16
_SELF = re.compile(r"\b(?:i'd|me|mine|myself|we|us|our|ours)\b|[我咱俺]", re.ASCII)
_FINAL = re.compile(r"[.!?\n。！？]")
_SPACES = re.compile(r"\s+", re.ASCII)
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2019: 0x27}
_STEM = 5
"""Letters that two English words must begin with alike to be forms of one word."""


@dataclass(frozen=True, slots=True)
class Said:
    """A cited span in its text, and the moment when it was said."""

    text: str
    start: int
    end: int
    moment: Moment | None

    @property
    def words(self) -> str:
        """The cited words."""
        return self.text[self.start : self.end]

    @property
    def is_asked(self) -> bool:
        """Whether the words are part of a question, and not of what a tag only asks to confirm."""
        mark = _FINAL.search(self.text, max(self.start, self.end - 1))
        asked = self.text[self.start : mark.end() if mark else len(self.text)]
        said, comma, tag = _LAST_COMMA.match(asked).groups()  # type: ignore[union-attr]
        if comma and said and len(tag.split()) <= 3 and len(tag) <= _LONGEST_TAG:
            return False
        return folded(asked).rstrip(" .!~。！～").endswith(("?", "吗", "嗎", "呢"))

    @property
    def clause(self) -> str:
        """The cited words with the clause around them, so that no negation is cut off."""
        starts, ends = _edges(self.text)
        before = bisect_right(ends, self.start)
        start = ends[before - 1] if before else 0
        after = max(before, bisect_left(starts, self.end))
        if after == len(starts):
            return self.text[start:]
        return self.text[start : starts[after]] + _taken_back(self.text, starts[after])


def folded(text: str) -> str:
    """Text in one form for comparing: half width, ASCII in lower case, single spaces."""
    if text.isascii():
        return _SPACES.sub(" ", text.lower()).strip()
    text = text.translate(_WIDE)
    lowered = "".join(c.lower() if c.isascii() else c for c in text)
    return _SPACES.sub(" ", lowered).strip()


def value_follows(value: str, said: Iterable[Said], known: Iterable[str] = ()) -> bool:
    """Whether a value stands in the cited words, or follows from them by number, day or pair."""
    cited = list(said)
    wanted = folded(value)
    if not wanted:
        return False
    for one in cited:
        words = folded(one.words)
        if any(place(form, words) is not None for form in [wanted, *written_otherwise(wanted)]):
            return True
    if (_DAY.fullmatch(wanted) or _YEAR.fullmatch(wanted)) and any(
        follows(wanted, one.words, one.moment) for one in cited
    ):
        return True
    if _DAY.fullmatch(wanted):
        return False
    if numbers_in(value) and (number_of(wanted) is not None or not _content_words(value)):
        return not _missing_numbers(value, cited)
    words = " ".join(folded(one.words) for one in cited)
    return wording_follows(value, cited, known) and not _another_of_its_kind(wanted, words)


def wording_follows(wording: str, said: Iterable[Said], known: Iterable[str] = ()) -> bool:
    """Whether free wording may stand for the cited words. `known` are names that need no citation."""
    cited = list(said)
    words = " ".join(folded(one.words) for one in cited)
    return nothing_added(wording, cited, known) and _shares_something(wording, words)


def nothing_added(wording: str, said: Iterable[Said], known: Iterable[str] = ()) -> bool:
    """Whether the names, numbers and days of free wording all occur in the cited words."""
    cited = list(said)
    words = " ".join(folded(one.words) for one in cited)
    return (
        not missing_names(wording, " ".join([words, *map(folded, known)]))
        and not _missing_numbers(wording, cited)
        and not _missing_days(wording, cited)
    )


def negations(text: str) -> int:
    """How many negating words a text has."""
    tables = _tables()
    lowered = _THOUGH.sub(" ", _A_NOT_A.sub(" ", _TAG.sub(" ", folded(text))))
    for phrase in tables["not_negating_en"] + tables["not_negating_zh"]:
        lowered = lowered.replace(phrase, " ")
    count = sum(word in tables["negators_en"] for word in _LATIN_WORD.findall(lowered))
    # Elsewhere it goes on with a negation that came before it.
    count += lowered.startswith("nor ")
    return count + sum(lowered.count(mark) for mark in tables["negators_zh"])


def negated(said: Iterable[Said], about: str = "") -> bool:
    """Whether the cited clauses, taken together, say the opposite of their words.

    Where words are cited that have several clauses, those that speak of `about` are looked at.
    """
    spoken = {_speaking_of(about, one.clause) for one in said}
    return sum(negations(clause) for clause in spoken) % 2 == 1


def asserts_a_promise(text: str) -> bool:
    """Whether a text says that a promise was made before."""
    lowered = folded(text)
    return any(word in lowered for word in _tables()["promised"])


def said_in_the_first_person(clause: str) -> bool:
    """Whether somebody speaks of themselves."""
    lowered = folded(clause)
    words = set(_LATIN_WORD.findall(lowered))
    return "我" in lowered.replace("我们", "") or bool(words & {"i", "i'm", "i've", "i'll", "my"})


def said_in_the_third_person(wording: str, names: Iterable[str]) -> bool:
    """Whether somebody of these names speaks of themselves by name, and not once as "I"."""
    lowered = folded(wording)
    if said_in_the_first_person(wording) or _SELF.search(lowered):
        return False
    return any(place(folded(name), lowered) is not None for name in names if folded(name))


def is_yes(text: str) -> bool:
    """Whether a text is a short answer that says yes."""
    yes = _tables()["yes"]
    answer = folded(text).strip(" .!~。！")
    if answer in yes:
        return True
    first, *rest = re.split(r" *[,.!~。！]+ *", answer)
    if first not in yes or "?" in answer:
        return False
    more = " ".join(one for one in rest if one not in yes)
    return len(more) <= _SHORT_ANSWER and not negations(more) and not _CHANGED.search(more)


def place(wanted: str, words: str) -> int | None:
    """Where a value stands as words of its own; both are folded. "tea" does not in "steam"."""
    before = r"(?<![0-9])(?<![0-9][.,])" if wanted[0].isdigit() else ""
    before = r"(?<![a-z0-9])" if "a" <= wanted[0] <= "z" else before
    after = r"(?![0-9]|[.,][0-9])" if wanted[-1].isdigit() else ""
    after = r"(?:'?s|es|ed|ing)?(?![a-z0-9])" if "a" <= wanted[-1] <= "z" else after
    found = re.search(before + re.escape(wanted) + after, words)
    return None if found is None else found.start()


@lru_cache(maxsize=16)
def _edges(text: str) -> tuple[list[int], list[int]]:
    """Where the edges between the clauses of a text start, and where they end.

    Kept for a few texts: many proposals rest on one, and each would walk it from its start.
    """
    edges = [edge.span() for edge in _CLAUSE_EDGE.finditer(text)]
    return [start for start, _ in edges], [end for _, end in edges]


def _clauses(text: str) -> list[str]:
    starts, ends = _edges(text)
    return [text[a:b] for a, b in zip([0, *ends], [*starts, len(text)], strict=True)]


def _taken_back(text: str, start: int) -> str:
    """What comes right after a clause and only negates it, as in "I used to, but not any more"."""
    found = _CLAUSE_EDGE.match(text, start)
    # "I like tea, but not …": two edges with nothing between them are one.
    while found is not None and (following := _NEXT_EDGE.match(text, found.end())) is not None:
        found = following
    if found is None:
        return ""
    after = _CLAUSE_EDGE.search(text, found.end())
    end = after.start() if after else len(text)
    asked = text[end : end + 1] in ("?", "？")
    return text[start:end] if not asked and _only_negates(text[found.end() : end]) else ""


def _only_negates(clause: str) -> bool:
    light = {*_tables()["negators_en"], *_tables()["taking_back"]}
    return negations(clause) > 0 and not _content_words(clause.translate(_NEGATING)) - light


def _speaking_of(about: str, clause: str) -> str:
    """The parts of cited words that speak of a wording, with what takes them back; else all."""
    parts = _clauses(clause)
    wanted = _content_words(about)
    if len(parts) == 1 or not wanted:
        return clause
    kept: list[str] = []
    last = False
    for part in parts:
        if not part.strip():
            continue
        last = _speaks_of(wanted, part) or (last and _only_negates(part))
        if last:
            kept.append(part)
    return ", ".join(kept) if kept else clause


def speaks_of(about: str, part: str) -> bool:
    """Whether a part of a text has a word with meaning of another one."""
    return _speaks_of(_content_words(about), part)


def _speaks_of(wanted: set[str], part: str) -> bool:
    words = folded(part)
    return not stems(wanted).isdisjoint(stems(_content_words(part))) or any(
        _CJK.match(word) and word in words for word in wanted
    )


def _missing_numbers(wording: str, cited: list[Said]) -> set[str]:
    without_days = _DAY.sub(" ", wording)
    said = {number for one in cited for number in numbers_in(one.words)}
    return numbers_in(without_days) - said


def _missing_days(wording: str, cited: list[Said]) -> list[str]:
    days = [match[0] for match in _DAY.finditer(wording)]
    return [d for d in days if not any(follows(d, one.words, one.moment) for one in cited)]


def _shares_something(wording: str, words: str) -> bool:
    """Whether a word with meaning is in both; across languages, whether enough was said at all."""
    wanted, said = _content_words(wording), _content_words(words)
    if not stems(wanted).isdisjoint(stems(said)):
        return True
    if any(place(pair, words) is not None for word in wanted for pair in written_otherwise(word)):
        return True
    if bool(_CJK.search(wording)) != bool(_CJK.search(words)):
        return len(said) >= (2 if _CJK.search(words) else 3)
    return not wanted and bool(said)


def _another_of_its_kind(value: str, words: str) -> bool:
    """Whether the published words name something else where a value names one, as tea for 咖啡."""
    said = kinds_of(words)
    for kind, wanted in kinds_of(value).items():
        parts = {part for word in wanted for part in word.split()}
        heard = {part for word in said.get(kind, ()) for part in word.split()}
        if heard and parts.isdisjoint(heard):
            return True
    return False


def _content_words(text: str) -> set[str]:
    """English words with meaning, and pairs of neighbouring Chinese characters with one."""
    lowered = folded(text)
    tables = _tables()
    found = {w for w in _LATIN_WORD.findall(lowered) if w not in tables["stop_en"]}
    for phrase in tables["stop_zh"]:
        lowered = lowered.replace(phrase, " ")
    for run in _CJK_RUN.findall(lowered.translate(_FUNCTION)):
        found.update(run[n : n + 2] for n in range(max(1, len(run) - 1)))
    return found


def stems(words: Iterable[str]) -> set[str]:
    """The beginnings of English words, without their endings, by which forms of one word agree."""
    return set(map(_stem, words))


@lru_cache(maxsize=1 << 13)
def _stem(word: str) -> str:
    return _ENDING.sub("", word)[:_STEM]


@cache
def _tables() -> dict[str, list[str]]:
    path = files("enishi.kernel.words") / "carried.toml"
    return tomllib.loads(path.read_text("utf-8"))
