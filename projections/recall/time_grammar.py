"""How said times are put together: tokens with one letter each, and rules over the letters.

A rule is a regular expression over letters, the letter of what it makes, and a function of the
values of its tokens and of now. What a function refuses with None, or where no such day is, is not
put together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from enishi.projections.recall.time_spans import DAY, Clock, Day, Span, at_clock, of_day, weekday

FILLERS = "@Odci,&ft-bsSABZjUVJC/"
"""Letters whose tokens only tie: rules get the values of the others."""

FIRST, LAST = datetime(1, 1, 3), datetime(9999, 12, 29)
"""How far open spans reach."""


class Token(NamedTuple):
    """A word or what was put together, at start:end of the text."""

    kind: str
    start: int
    end: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class Rule:
    """See above."""

    pattern: re.Pattern[str]
    kind: str
    make: Callable[[list[Any], datetime], Any]


def rule(pattern: str, kind: str, make: Callable[[list[Any], datetime], Any]) -> Rule:
    return Rule(re.compile(pattern), kind, make)


def reduced(tokens: Sequence[Token], rules: Iterable[Rule], now: datetime) -> list[Token]:
    """The tokens after every rule was applied, in their order, from left to right."""
    tokens = list(tokens)
    letters = "".join(token.kind for token in tokens)
    for one in rules:
        at = 0
        while (match := one.pattern.search(letters, at)) is not None:
            low, high = match.span()
            if low == high:
                at = high + 1
                continue
            part = tokens[low:high]
            try:
                value = one.make([token for token in part if token.kind not in FILLERS], now)
            except (ValueError, OverflowError):
                value = None
            if value is None:
                at = low + 1
                continue
            tokens[low:high] = [Token(one.kind, part[0].start, part[-1].end, value)]
            letters = letters[:low] + one.kind + letters[high:]
            at = low + 1 if high - low == 1 else low
    return tokens


def span_of(token: Token, now: datetime, *, year: int | None = None) -> Span:
    """The span that a token says by itself. ValueError where there is no such day."""
    value = token.value
    if isinstance(value, Span):
        return value
    if isinstance(value, Day):
        return of_day(value, now, year=year)
    if token.kind in "wv":
        return weekday(value, now)
    if token.kind == "N":
        return Span(now, now, "minute")
    raise ValueError("no span")


def between(first: Token, last: Token, now: datetime) -> Span | None:
    """From one to another, the last counted in; what the one does not say is taken from the other."""
    left, right = first.value, last.value
    if isinstance(left, Clock) or isinstance(right, Clock):
        return None
    if isinstance(left, Day) and isinstance(right, Day):
        left, right = _completed(left, right)
        begin = of_day(left, now, year=right.year if left.month is not None else None)
        end = of_day(
            right, now, year=begin.start.year if right.year is None and right.month else None
        )
        if end.end <= begin.start and right.year is None and right.month is not None:
            end = of_day(right._replace(year=begin.start.year + 1), now)
        if left.year is None and right.year is not None and begin.start > end.start:
            begin = of_day(left._replace(year=right.year - 1), now)
    else:
        begin, end = span_of(first, now), span_of(last, now)
        if begin.start >= end.end and isinstance(left, Day) and left.year is None:
            begin = of_day(left, now, year=begin.start.year - 1)
        if end.end <= begin.start and last.kind in "wv":
            end = weekday(last.value, begin.end)
            end = end if end.start > begin.start else weekday(last.value, begin.start, ">")
        elif (
            end.end <= begin.start and isinstance(right, Day) and right.year is None and right.month
        ):
            end = of_day(right._replace(year=begin.start.year + 1), now)
    if begin.start >= end.end:
        return None
    grain = end.grain if last.kind != "N" else begin.grain
    return Span(begin.start, end.end, grain, begin.approximate or end.approximate)


def _completed(left: Day, right: Day) -> tuple[Day, Day]:
    if left.month is None and left.year is None and right.month is not None:
        left = left._replace(month=right.month, year=right.year)
        if right.day is not None and (left.day or 0) > right.day:
            month = (right.month or 1) - 1
            left = left._replace(month=month or 12, year=(right.year or 0) - 1 if right.year and not month else right.year)  # fmt: skip
    if right.month is None and right.year is None and left.month is not None:
        right = right._replace(month=left.month, year=left.year)
    return left, right


def clocks(day: Span, first: Clock, last: Clock) -> Span:
    """Between two times of one day, or of a day and the next; "from 5 to 6pm" is both pm."""
    later = first.seconds + 12 * 3600
    if last.sure and not first.sure and later <= last.seconds:
        first = Clock(later, first.grain, True)
    begin = at_clock(day, first)
    end = at_clock(day, last)
    if end.start <= begin.start and not last.sure and last.seconds < 13 * 3600:
        end = at_clock(day, Clock(last.seconds + 12 * 3600, last.grain, True))
    start, stop = begin.start, end.start
    if stop <= start:
        stop += DAY
    return Span(start, stop, "minute")


def since(token: Token, now: datetime, *, after: bool = False) -> Span | None:
    """From a time until now; with `after` from its end, and without an end where it lies ahead.

    A date without a year since which something is so is the latest one.
    """
    span = span_of(token, now)
    if not after and span.start > now and isinstance(token.value, Day) and token.value.year is None:
        span = of_day(token.value, now, year=span.start.year - 1)
    start = span.end if after else span.start
    end = now if start < now else LAST
    return Span(start, end, span.grain, span.approximate) if start < end else None


def before(token: Token, now: datetime) -> Span | None:
    span = span_of(token, now)
    return Span(FIRST, span.start, span.grain, span.approximate) if FIRST < span.start else None
