"""Happenings: when two tellings speak of one and the same, by what, who and when.

What happened is told by shared words, whoever tells it and in whatever order. Who was there and how
many of anything is told by names and numbers: where each telling has one that the other lacks, they
are two. Where both say when, the days have to meet. Judged once, as a telling is recorded: a fold
reads only the numbers of what was found.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from enishi.kernel.moments import Moment, date_of
from enishi.kernel.words.cohesion import topic_words
from enishi.kernel.words.names import names_in
from enishi.kernel.words.numerals import numbers_in
from enishi.kernel.words.said_days import said_days

ALIKE = 60
"""Percent of the words of the shorter telling that the other has as well, two words at least."""

ALIKE_IN_MEMORY = 30
"""The same where one of the two says itself that it looks back; there one word will do."""

Days = tuple[str, str]
"""The first and the last of some days, each a day, a month or a year."""


class Sentence(NamedTuple):
    """A sentence that was said, and when."""

    words: str
    moment: Moment | None


class Happening(NamedTuple):
    """What a telling tells: its words as they are compared, the names and numbers, the days.

    `looks_back`: it says itself that it speaks of what is long told. No `days`: it does not say when.
    """

    what: frozenset[str]
    named: frozenset[str]
    days: tuple[Days, ...]
    looks_back: bool


def happening_of(
    words: str,
    said: Sequence[Sentence],
    known: Iterable[str] = (),
    dates: tuple[str | None, str | None] = (None, None),
) -> Happening:
    """What is told by these words, which rest on these sentences.

    `known` are names of the two who talk, which tell nothing. `dates` are first and last day where
    they are given; else the sentences say, of which nothing counts that lay ahead of them.
    """
    named = {name.lower() for name in names_in(words)} - {name.lower() for name in known}
    days = _given(*dates) or {day for one in said for day in _days(one)}
    return Happening(
        what=topic_words(_tables().chinese.sub(" ", words)) - _tables().english,
        named=frozenset(named | numbers_in(_without_days(words))),
        days=tuple(sorted(days)),
        looks_back=any(looks_back(one.words) for one in said),
    )


def same_happening(one: Happening, other: Happening) -> bool:
    """Whether two tellings are of the same; it makes no difference which is which."""
    shared, least = len(one.what & other.what), min(len(one.what), len(other.what))
    in_memory = one.looks_back or other.looks_back
    enough, share = (1, ALIKE_IN_MEMORY) if in_memory else (2, ALIKE)
    if shared < enough or shared * 100 < share * least:
        return False
    if one.named - other.named and other.named - one.named:
        return False
    return not (one.days and other.days) or any(
        days_meet(some, others) for some in one.days for others in other.days
    )


def days_meet(some: Days, others: Days) -> bool:
    """Whether two spans of days have one in common; one that is empty has no end there.

    A month or a year stands for all of its days.
    """
    (since, until), (start, end) = some, others
    return (not until or start[: len(until)] <= until[: len(start)]) and (
        not end or since[: len(end)] <= end[: len(since)]
    )


def looks_back(sentence: str) -> bool:
    """Whether a sentence says itself that it speaks of what is past and known to both."""
    return _tables().back.search(sentence.lower().replace("’", "'")) is not None


def _given(since: str | None, until: str | None) -> set[Days]:
    first, last = since or until, until or since
    return {(first, last)} if first and last else set()


def _days(said: Sentence) -> set[Days]:
    if said.moment is None:
        return set()
    try:
        now = date_of(said.moment.day).isoformat()
    except (ValueError, OverflowError):
        return set()
    named = (one.day for one in said_days(said.words, said.moment))
    return {(day, day) for day in named if day <= now}


def _without_days(words: str) -> str:
    """Words without the days that they name: those are compared as days."""
    for one in reversed(said_days(words, _ANY_DAY)):
        words = f"{words[: one.start]} {words[one.end :]}"
    return words


_ANY_DAY = Moment(0)


class _Tables(NamedTuple):
    english: frozenset[str]
    chinese: re.Pattern[str]
    back: re.Pattern[str]


@cache
def _tables() -> _Tables:
    path = files("enishi.kernel.words") / "happenings.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    english = "|".join(table["back_english"])
    return _Tables(
        topic_words(" ".join(table["telling_english"])),
        re.compile("|".join(table["telling_chinese"])),
        re.compile(rf"(?<![a-z'])(?:{english})(?![a-z'])|{'|'.join(table['back_chinese'])}"),
    )
