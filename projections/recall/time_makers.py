"""Days and lengths seen from now, dates and holidays. Functions of rules: see `time_grammar.py`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from enishi.projections.recall.time_grammar import Token, span_of
from enishi.projections.recall.time_numbers import Values
from enishi.projections.recall.time_spans import (
    DAY,
    Day,
    Length,
    Span,
    away,
    coarsest,
    day_span,
    finest,
    hours_of,
    is_clock,
    moved,
    nth_weekday,
    unit_span,
    weekday,
)


def date(letters: str) -> Callable[[Values, datetime], Day | None]:
    """A date of tokens in this order: y, m, d, and anything else for what tells nothing."""

    def make(tokens: Values, now: datetime) -> Day | None:
        said = dict(zip(letters, (token.value for token in tokens), strict=True))
        if "m" in said and isinstance(said["m"], Day):
            return None
        if not 1 <= said.get("d", 1) <= 31:
            return None
        return Day(said.get("y"), said.get("m"), said.get("d"))

    return make


def short_year(tokens: Values, now: datetime) -> Day | None:
    day, month, year = (token.value for token in tokens)
    return Day(1900 + year, month, day) if 31 < year < 100 and 1 <= day <= 31 else None


def on_weekday(tokens: Values, now: datetime) -> Span | None:
    """Friday the 13th: the nearest that is one."""
    number, day = tokens[0].value, tokens[1].value
    first = now.year * 12 + now.month - 1
    for step in sorted(range(-12, 13), key=abs):
        year, month = divmod(first + step, 12)
        try:
            one = datetime(year, month + 1, day)
        except ValueError:
            continue
        if one.weekday() == number:
            return day_span(one)
    return None


def holiday(tokens: Values, now: datetime) -> Any:
    said = next(token.value for token in tokens if token.kind == "H")
    years = [token.value for token in tokens if token.kind == "Y"]
    return on_holiday(said, years[0] if years else None, now)


def on_holiday(said: tuple[int, ...], year: int | None, now: datetime) -> Any:
    """A holiday: of a fixed date, on the nth weekday of a month, or so many days from Easter."""
    if len(said) == 2:
        return Day(year, *said)
    years = [year] if year is not None else [now.year, now.year - 1, now.year + 1]
    if len(said) == 1:
        days = [easter(one) + said[0] * DAY for one in years]
    else:
        days = [nth_weekday(one, *said) for one in years]
    return day_span(min(days, key=lambda day: abs(day - now)))


def next_date(tokens: Values, now: datetime) -> Span | None:
    """Next Christmas, last May: the first one after today, or the latest before it."""
    which, said = tokens[0].kind, tokens[1].value
    if isinstance(said, int):
        said = Day(None, said)
    if not isinstance(said, Day) or said.year is not None or said.month is None:
        return None
    spans = [
        span_of(Token("D", 0, 0, said._replace(year=now.year + step)), now) for step in (-1, 0, 1)
    ]
    if which == "=":
        return spans[1]
    return _next(which, spans, now)


def next_holiday(tokens: Values, now: datetime) -> Span | None:
    """Next Easter, last Thanksgiving."""
    days = [on_holiday(tokens[1].value, now.year + step, now) for step in (-1, 0, 1)]
    return _next(tokens[0].kind, [span_of(Token("D", 0, 0, day), now) for day in days], now)


def _next(which: str, spans: list[Span], now: datetime) -> Span | None:
    """The first of spans that begins after now, or the last that was over before today."""
    if which == ">":
        return next((span for span in spans if span.start > now), None)
    return next((span for span in reversed(spans) if span.end <= day_span(now).start), None)


def day_word(parts: dict[str, tuple[int, int]]) -> Callable[[Values, datetime], Span | None]:
    """A word such as tomorrow or last night: days from today, and perhaps a part of that day."""

    def make(tokens: Values, now: datetime) -> Span | None:
        said = tokens[0].value
        if isinstance(said, Span):
            return None
        if isinstance(said, int):
            return unit_span("year", now, said)
        day = unit_span("day", now, said[0])
        if len(said) == 1:
            return day
        if said[1] == "about":
            return day._replace(approximate=True, grain="week")
        return hours_of(day, parts[said[1]])

    return make


STEP = {"<": -1, ">": 1, "=": 0}


def stepped(tokens: Values, now: datetime) -> Span | None:
    which, unit = tokens[0].kind, tokens[-1].value
    if unit in ("second", "minute", "day") and which == "=":
        return None
    return unit_span(unit, now, STEP[which])


def some_units(tokens: Values, now: datetime) -> Span | None:
    """The last three days, the next two quarters: whole quarters and weekends, or counted from today."""
    which = next(token.kind for token in tokens if token.kind in "<>")
    length: Length = next(token.value for token in tokens if token.kind == "L")
    return several(which, length, now)


def several(which: str, length: Length, now: datetime) -> Span | None:
    """So many units that end with yesterday, or begin with tomorrow; clock units end or begin now."""
    unit = coarsest(length)
    if len(length) == 1 and unit in ("quarter", "decade", "century"):
        count = length[0][0]
        first, last = (-count, -1) if which == "<" else (1, count)
        return Span(unit_span(unit, now, first).start, unit_span(unit, now, last).end, unit)
    if is_clock(finest(length)):
        at = now.replace(microsecond=0)
    else:
        at = day_span(now).start + (DAY if which == ">" else 0 * DAY)
    other = moved(at, length, 1 if which == ">" else -1)
    return Span(min(at, other), max(at, other), unit) if at != other else None


def from_day(sign: int) -> Callable[[Values, datetime], Span | None]:
    """Two weeks after a day; the length comes first."""

    def make(tokens: Values, now: datetime) -> Span | None:
        length, day = tokens[0].value, span_of(tokens[-1], now)
        if is_clock(finest(length)):
            return None
        return away(day.start, length, sign)._replace(approximate=False, grain="day")

    return make


def lasting(tokens: Values, now: datetime) -> Span:
    """Three days from Monday on."""
    start = span_of(tokens[-1], now).start
    return Span(start, moved(start, tokens[0].value, 1), finest(tokens[0].value))


def weekday_which(tokens: Values, now: datetime) -> Span:
    return weekday(tokens[1].value, now, tokens[0].kind)


def part_of_now(tokens: Values, now: datetime) -> Span:
    return hours_of(unit_span("day", now, STEP[tokens[0].kind]), tokens[1].value)


def from_now(sign: int) -> Callable[[Values, datetime], Span]:
    return lambda tokens, now: away(now, tokens[0].value, sign)


def earlier_or_later(tokens: Values, now: datetime) -> Span | None:
    sign = {"earlier": -1, "later": 1}.get(tokens[1].value)
    return None if sign is None else away(now, tokens[0].value, sign)


def as_date(token: Token) -> Token:
    if token.kind == "m":
        return Token("D", token.start, token.end, Day(None, token.value))
    if token.kind in "Yg":
        return Token("D", token.start, token.end, Day(token.value))
    if token.kind in "oq":
        return Token("D", token.start, token.end, Day(None, None, token.value))
    return token


def same(tokens: Values, now: datetime) -> Any:
    return as_date(tokens[0]).value


def bare_weekend(tokens: Values, now: datetime) -> Span | None:
    return unit_span("weekend", now) if tokens[0].value == "weekend" else None


def to_date(tokens: Values, now: datetime) -> Span:
    return Span(unit_span(tokens[0].value, now).start, now, "day")


def numeric_month(tokens: Values, now: datetime) -> Day | None:
    month, year = sorted(token.value for token in tokens)
    return Day(year, month) if 1 <= month <= 12 else None


def next_but_one(tokens: Values, now: datetime) -> Span | None:
    """The week before last, the year after next."""
    unit = tokens[0].value
    return None if is_clock(unit) else unit_span(unit, now, -2 if tokens[1].kind == "<" else 2)


def within(tokens: Values, now: datetime) -> Span | None:
    start = (
        now
        if len(tokens) == 1 or tokens[1].kind == "N" or is_clock(finest(tokens[0].value))
        else span_of(tokens[1], now).start
    )
    end = moved(start, tokens[0].value, 1)
    return Span(start, end, finest(tokens[0].value)) if start < end else None


def day_ago(tokens: Values, now: datetime) -> Span | None:
    """A year ago today."""
    day = span_of(tokens[-1], now)
    if day.grain != "day" or is_clock(finest(tokens[0].value)):
        return None
    return day_span(moved(day.start, tokens[0].value, -1))


def decade_named(tokens: Values, now: datetime) -> Span:
    tens = tokens[0].value
    return unit_span("decade", datetime((2000 if tens < 30 else 1900) + tens, 1, 1))


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and Butcher."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    n = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * n) // 451
    month, day = divmod(h + n - 7 * m + 114, 31)
    return datetime(year, month, day + 1)
