"""The time that a query speaks of, which is in the past: what has not been cannot be remembered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from enishi.kernel.moments import Moment
from enishi.projections.recall.times import Said, said_times


class Span(NamedTuple):
    """Microseconds since 1970, the end exclusive; `dated` where the calendar names it, as in "in May
    2023", and it is not counted from now, as "yesterday" is."""

    start: int
    end: int
    dated: bool


_DATED = re.compile(
    r"[月号號日/]|\d(?:st|nd|rd|th)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
_YEAR = re.compile(r"\d{4}|年")
_CALENDAR = re.compile(
    r"\d{4}|\d(?:st|nd|rd|th)|\d/\d|[\d一二三四五六七八九十][年月日号號](?![前后後以之内來来间間])"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)


def asked_time(
    words: str, at: Moment, said: Callable[[], Sequence[int]]
) -> tuple[Span | None, str]:
    """The time that a query speaks of, up to `at`, and the query without the words that say it.

    A date without its year is the last one on which something was said: `said` has the moments at
    which anything was, and is asked only where a time is spoken of.
    """
    now, moments = at.to_datetime(), None
    while True:
        times = said_times(words, now)
        if not times:
            return None, words
        moments = said() if moments is None else moments
        start, end = zip(*(one.widest() for one in times), strict=True)
        span = min(start), min(max(end), at.at + 1)
        dated = _yearless(words, times)
        if span[0] < span[1] and (not dated or any(span[0] <= m < span[1] for m in moments)):
            break
        if not dated or span[0] < min(moments, default=span[0] + 1):
            return None, words
        now = now.replace(year=now.year - 1, day=min(now.day, 28))
    rest = words
    for one in reversed(times):
        rest = f"{rest[: one.begins]} {rest[one.stops :]}"
    said_in = [words[one.begins : one.stops].lower() for one in times]
    return Span(*span, any(map(_CALENDAR.search, said_in))), rest


def _yearless(words: str, times: list[Said]) -> bool:
    """Whether these times are dates in a calendar, with no year to them."""
    said = [words[one.begins : one.stops].lower() for one in times]
    return all(_DATED.search(one) and not _YEAR.search(one) for one in said)
