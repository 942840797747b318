"""Whether words of a proposer follow from the words that it cites.

A value stands in the cited words, or follows from them as a number, a day or a published pair.
Free wording may paraphrase and change language, but its names, numbers and days occur, negation
agrees, and something of what it says is said there: "they married in Paris" may not cite "hello".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from enishi.kernel.moments import Moment
from enishi.kernel.numerals import numbers_in
from enishi.kernel.said_days import follows

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_CJK = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_DAY = re.compile(r"(?<![0-9])[12][0-9]{3}-[0-9]{2}(?:-[0-9]{2})?(?![0-9])")
_CLAUSE_EDGE = re.compile(
    r"[,;:.!?()\n，；：。！？（）、…—]|\b(?:but|and|because|so|then)\b", re.ASCII
)
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
    def clause(self) -> str:
        """The cited words with the clause around them, so that no negation is cut off."""
        before = [m.end() for m in _CLAUSE_EDGE.finditer(self.text, 0, self.start)]
        after = _CLAUSE_EDGE.search(self.text, self.end)
        start = before[-1] if before else 0
        return self.text[start : after.start() if after else len(self.text)]


def folded(text: str) -> str:
    """Text in one form for comparing: half width, ASCII in lower case, single spaces."""
    text = text.translate(_WIDE)
    lowered = "".join(c.lower() if c.isascii() else c for c in text)
    return _SPACES.sub(" ", lowered).strip()


def value_follows(value: str, said: Iterable[Said]) -> bool:
    """Whether a value stands in the cited words, or follows from them by number, day or pair."""
    cited = list(said)
    wanted = folded(value)
    for one in cited:
        words = folded(one.words)
        if wanted in words or any(pair in words for pair in _paired(wanted)):
            return True
    if numbers_in(value) and not _content_words(value):
        return not _missing_numbers(value, cited)
    if _DAY.fullmatch(value.strip()):
        return any(follows(value.strip(), one.words, one.moment) for one in cited)
    return wording_follows(value, cited)


def wording_follows(wording: str, said: Iterable[Said]) -> bool:
    """Whether free wording may stand for the cited words."""
    cited = list(said)
    words = " ".join(folded(one.words) for one in cited)
    return (
        not _missing_names(wording, words)
        and not _missing_numbers(wording, cited)
        and not _missing_days(wording, cited)
        and _shares_something(wording, words)
    )


def negations(text: str) -> int:
    """How many negating words a text has."""
    lowered = folded(text)
    tables = _tables()
    count = sum(word in tables["negators_en"] for word in _LATIN_WORD.findall(lowered))
    for phrase in tables["not_negating_zh"]:
        lowered = lowered.replace(phrase, " ")
    return count + sum(lowered.count(mark) for mark in tables["negators_zh"])


def negated(said: Iterable[Said]) -> bool:
    """Whether the cited clauses, taken together, say the opposite of their words."""
    return sum(negations(clause) for clause in {one.clause for one in said}) % 2 == 1


def is_yes(text: str) -> bool:
    """Whether a text is a short answer that says yes."""
    answer = folded(text).strip(" .!~。！～,，")
    return answer in _tables()["yes"] or answer.partition(",")[0] in _tables()["yes"]


def _missing_names(wording: str, words: str) -> list[str]:
    """Names of the wording that do not occur. In a Chinese wording every Latin word is one."""
    mixed = _CJK.search(wording) is not None
    names = []
    for match in _LATIN_WORD.finditer(wording):
        word = match[0]
        if (mixed or word[0].isupper()) and word.lower() not in _tables()["no_names"]:
            names.append(word.lower().replace("’", "'").removesuffix("'s"))
    return [n for n in names if n not in words and not any(p in words for p in _paired(n))]


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
    if any(_alike(a, b) for a in wanted for b in said):
        return True
    if any(pair in words for word in wanted for pair in _paired(word)):
        return True
    if bool(_CJK.search(wording)) != bool(_CJK.search(words)):
        return len(said) >= 3
    return not wanted and bool(said)


def _content_words(text: str) -> set[str]:
    """English words with meaning, and pairs of neighbouring Chinese characters."""
    lowered = folded(text)
    found = {w for w in _LATIN_WORD.findall(lowered) if w not in _tables()["stop_en"]}
    for run in re.findall("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+", lowered):
        found.update(run[n : n + 2] for n in range(max(1, len(run) - 1)))
    return found


def _alike(first: str, second: str) -> bool:
    short = min(len(first), len(second))
    return first == second or (short >= _STEM and first[:_STEM] == second[:_STEM])


def _paired(word: str) -> list[str]:
    return [other for pair in _tables()["pairs"] if word in pair for other in pair if other != word]


@cache
def _tables() -> dict[str, list[str]]:
    path = files("enishi.kernel") / "words" / "carried.toml"
    return tomllib.loads(path.read_text("utf-8"))
