"""What stays and says again, to the letter, what is to be erased.

Four words in a row do (of Chinese and the like six characters), and so does one that hardly any
record has: a name, a place, a number. What everybody says all the time is no repetition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from enishi.kernel.erasing.erasure import around, strings, type_name
from enishi.kernel.stream import Stream

_WIDE = "\u2e80"
"""From here on each character is a word of its own."""

_LETTER = rf"[^\W{_WIDE}-\U0010ffff]"
_WORD = re.compile(
    rf"([^\W\0-\u2e7f]|{_LETTER}+(?:['’.@_/+-](?![sS]\b){_LETTER}+)*)(?:['’][sS]\b)?"
)
"""A word, and what makes it somebody's, which is no part of it."""

_RUN, _NARROW_COUNTS, _WIDE_COUNTS = 12, 3, 2
_WIDE_TERM = 4
_SHORTEST = 3
"""Characters of a word, or of a value, from which on its repetition is told."""

_FEW, _OF = 3, 1000
"""So many records may have a word that is rare, or one in so many."""

_VALUES = {
    "BeliefStated": ("value",),
    "PromiseMade": ("act", "condition"),
    "LoopOpened": ("subject", "continuation"),
}
"""What of a derived event is looked for however many say it."""


class Said(NamedTuple):
    """A record, and words in it."""

    number: int
    words: str


class _Spoken(NamedTuple):
    """One or several words of a text, without regard to case, and where they stand."""

    words: tuple[str, ...]
    start: int
    end: int


class _Found(NamedTuple):
    """Words of a record's text that are said again; `value` where they are one that is sought."""

    number: int
    text: str
    words: str
    value: bool = False

    @property
    def rank(self) -> tuple[bool, int, int]:
        return not self.value, -len(self.words), self.number


@dataclass(slots=True)
class _Sought:
    """What to look for: words in a row, rare ones, and values that are told wherever they stand.

    `triples` are all three words in a row of the runs, so that most texts need no closer look.
    """

    runs: set[tuple[str, ...]] = field(default_factory=set)
    triples: set[tuple[str, ...]] = field(default_factory=set)
    terms: set[tuple[str, ...]] = field(default_factory=set)
    values: set[str] = field(default_factory=set)


def repeats(stream: Stream, going: Sequence[int], word: str | None = None) -> tuple[Said, ...]:
    """The records that would stay and say again what these say: values first, then by length.

    `word` was looked for by the letter, and is told where it stands in another case. Reads the whole
    relationship. Needs `reading`.
    """
    sought = _sought(stream, going, word)
    if not sought.terms and not sought.values:
        return ()
    gone, few = frozenset(going), max(_FEW, len(stream.history) // _OF)
    found: list[_Found] = []
    rare: dict[tuple[str, ...], list[_Found]] = {}
    for record in stream.log.records(stream.line.line, 1):
        number = record.header.number
        for text in () if number in gone else strings(record.payload):
            folded = text.casefold()
            for value in sought.values:
                if value in folded:
                    found.append(_Found(number, text, _at(text, folded, value), True))
            words = _WORD.findall(folded)
            triples = zip(words, words[1:], words[2:], strict=False)
            if not sought.triples.isdisjoint(triples):
                found += (_Found(number, text, one) for one in _again(text, sought.runs))
            for term in sought.terms.intersection(_terms(words)):
                places = rare.setdefault(term, [])
                if not places or places[-1].number != number:
                    places.append(_Found(number, text, _term_in(text, term)))
                if len(places) > few:
                    sought.terms.discard(term)
    for term, places in rare.items():
        found += places if term in sought.terms else ()
    first: dict[int, _Found] = {}
    for one in sorted(found, key=lambda one: one.rank):
        first.setdefault(one.number, one)
    return tuple(Said(one.number, around(one.text, one.words)) for one in first.values())


def _sought(stream: Stream, going: Sequence[int], word: str | None) -> _Sought:
    sought = _Sought()
    for number, payload in stream.payloads(going, checked=False).items():
        text = payload.get("content")
        if isinstance(text, str):
            for run in _runs(_spoken(text)):
                sought.runs.add(run.words)
                sought.triples.update(zip(run.words, run.words[1:], run.words[2:], strict=False))
            sought.terms.update(_terms(_WORD.findall(text.casefold())))
        for name in _VALUES.get(type_name(stream, number), ()):
            sought.values.add(str(payload.get(name) or "").strip().casefold())
    if word is not None:
        sought.values.add(word.strip().casefold())
    sought.values = {value for value in sought.values if _is_telling(value)}
    return sought


def _is_telling(value: str) -> bool:
    """Whether a value is long enough to be one; of Chinese and the like two characters are a word."""
    return len(value) >= _SHORTEST or (len(value) == 2 and min(value) >= _WIDE)


def _at(text: str, folded: str, value: str) -> str:
    """A value as a text has it; all of the text where folding case changed its length."""
    place = folded.index(value)
    there = text[place : place + len(value)]
    return there if there.casefold() == value else text


def _again(text: str, runs: set[tuple[str, ...]]) -> Iterator[str]:
    """The words in a row of a text that are among these runs, as long as they go on."""
    start = end = -1
    for run in _runs(_spoken(text)):
        if run.words in runs:
            if run.start > end:
                if end > 0:
                    yield text[start:end]
                start = run.start
            end = run.end
    if end > 0:
        yield text[start:end]


def _term_in(text: str, term: tuple[str, ...]) -> str:
    """A rare word as a text has it, for the first time."""
    spoken = _spoken(text)
    for place in range(len(spoken)):
        some = spoken[place : place + len(term)]
        if tuple(one.words[0] for one in some) == term:
            return text[some[0].start : some[-1].end]
    return text


def _spoken(text: str) -> list[_Spoken]:
    return [_Spoken((found.group().casefold(),), *found.span()) for found in _WORD.finditer(text)]


def _runs(spoken: Sequence[_Spoken]) -> Iterator[_Spoken]:
    """From each word on as many as make a repetition."""
    for first in range(len(spoken)):
        counted = 0
        for last in range(first, len(spoken)):
            counted += _WIDE_COUNTS if spoken[last].words[0] >= _WIDE else _NARROW_COUNTS
            if counted >= _RUN:
                some = spoken[first : last + 1]
                words = tuple(one.words[0] for one in some)
                yield _Spoken(words, some[0].start, some[-1].end)
                break


def _terms(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What may be rare: a word, or some characters in a row where each is a word of its own."""
    for place, word in enumerate(words):
        if word < _WIDE:
            if len(word) >= _SHORTEST:
                yield (word,)
        else:
            some = tuple(words[place : place + _WIDE_TERM])
            if len(some) == _WIDE_TERM and min(some) >= _WIDE:
                yield some
