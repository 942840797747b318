"""Times within others, and from one to another. Functions of rules: see `time_grammar.py`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from enishi.projections.recall.time_grammar import Token, between, clocks, span_of
from enishi.projections.recall.time_makers import as_date
from enishi.projections.recall.time_numbers import Values
from enishi.projections.recall.time_spans import (
    DAY,
    Clock,
    Day,
    Span,
    at_clock,
    day_span,
    hours_of,
    nth_weekday,
    part_of,
    season,
    unit_span,
    week_of,
    weekday,
)


def weekday_in(tokens: Values, now: datetime) -> Span | None:
    span = next(token.value for token in tokens if token.kind == "R")
    number = next(token.value for token in tokens if token.kind in "wv")
    return weekday(number, span.start, "=") if span.grain == "week" else None


def nth_week(tokens: Values, now: datetime) -> Span | None:
    number = -1 if tokens[0].kind == "<" else tokens[0].value
    span = span_of(tokens[-1], now)
    unit = tokens[1].value
    if unit == "week" and span.grain in ("month", "year"):
        return week_of(span, number)
    if unit in ("day", "weekend") and span.grain in ("month", "year"):
        if number < 0:
            return unit_span(unit, span.end - DAY)
        return day_span(span.start + (number - 1) * DAY) if unit == "day" else None
    if unit in ("month", "quarter") and span.grain == "year":
        return unit_span(
            unit, span.start, number - 1 if number > 0 else {"month": 11, "quarter": 3}[unit]
        )
    return None


def week_with(tokens: Values, now: datetime) -> Span | None:
    last = tokens[-1]
    day = span_of(last if last.kind != "o" else Token("D", 0, 0, Day(None, None, last.value)), now)
    return unit_span(tokens[0].value, day.start) if tokens[0].value in ("week", "weekend") and day.grain == "day" else None  # fmt: skip


def numbered_week(tokens: Values, now: datetime) -> Span | None:
    if tokens[0].value != "week" or not 1 <= tokens[1].value <= 53:
        return None
    year = span_of(as_date(tokens[2]), now) if len(tokens) > 2 else unit_span("year", now)
    return week_of(year, tokens[1].value) if year.grain == "year" else None


def quarter(tokens: Values, now: datetime) -> Span:
    number = next(token.value for token in tokens if token.kind == "Q")
    year = next((token.value for token in tokens if token.kind == "Y"), now.year)
    return unit_span("quarter", datetime(year, 3 * number, 1))


def ordinal_unit(tokens: Values, now: datetime) -> Span | None:
    number, unit = tokens[0].value, tokens[1].value
    if unit == "quarter" and 1 <= number <= 4:
        return unit_span("quarter", datetime(now.year, 3 * number, 1))
    if unit == "century":
        return Span(datetime(max(1, (number - 1) * 100), 1, 1), datetime(number * 100, 1, 1), unit)
    return None


def said_season(tokens: Values, now: datetime) -> Span | None:
    name = next(token.value for token in tokens if token.kind == "y")
    for token in tokens:
        if token.kind == "Y":
            return season(name, token.value)
        if token.kind == "R":
            return season(name, token.value.start.year) if token.value.grain == "year" else None
    which = tokens[0].kind
    spans = [season(name, now.year + step) for step in range(-2, 3)]
    if which == "<":
        return next(span for span in reversed(spans) if span.end <= now)
    if which == ">":
        return next(span for span in spans if span.start > now)
    return min(spans, key=lambda span: max(span.start - now, now - span.end))


def part(tokens: Values, now: datetime) -> Span | None:
    day = span_of(next(token for token in tokens if token.kind in "RDwvM"), now)
    hours = next(token.value for token in tokens if token.kind == "P")
    return hours_of(day, hours) if day.grain in ("day", "part") else None


def timed(tokens: Values, now: datetime) -> Span | None:
    day = span_of(next(token for token in tokens if token.kind in "RDwvM"), now)
    said = next(token for token in tokens if token.kind in "TnK")
    clock = said.value[1] if said.kind == "K" else said.value
    if said.kind == "n":
        if not 1 <= clock <= 24:
            return None
        clock = Clock(clock * 3600, "hour", clock > 12)
    return at_clock(day, clock) if day.grain in ("day", "part") and clock.seconds < 90_000 else None


def hours(tokens: Values, now: datetime) -> Span | None:
    day = span_of(next(token for token in tokens if token.kind in "RDwvM"), now)
    times = []
    for token in tokens:
        value = token.value[1] if token.kind == "K" else token.value
        if token.kind in "TK":
            times.append(value)
        elif token.kind == "n":
            if not 0 <= value <= 24:
                return None
            times.append(Clock(value * 3600, "hour", value > 12))
    return clocks(day, *times) if day.grain in ("day", "part") else None


def portion(tokens: Values, now: datetime) -> Span | None:
    return part_of(span_of(tokens[-1], now), tokens[0].value, now)


def portion_of_unit(tokens: Values, now: datetime) -> Span | None:
    return part_of(unit_span(tokens[-1].value, now), tokens[0].value, now)


def days_of_month(tokens: Values, now: datetime) -> Span | None:
    """November 18-19, the 9th to 12th of June."""
    said = [token.value for token in tokens if token.kind in "no"]
    year = next((token.value for token in tokens if token.kind == "Y"), None)
    month = next((token.value for token in tokens if token.kind == "m"), None)
    date = next((token.value for token in tokens if token.kind == "D"), None)
    if date is not None:
        if date.day is None or date.month is None:
            return None
        year, month, said = (
            date.year or year,
            date.month,
            [date.day, *said] if tokens[0].kind == "D" else [*said, date.day],
        )
    if len(said) != 2 or not all(1 <= one <= 31 for one in said):
        return None
    first, last = said
    left = Day(None, None, first) if first > last else Day(year, month, first)
    return between(Token("D", 0, 0, left), Token("D", 0, 0, Day(year, month, last)), now)


def said_range(tokens: Values, now: datetime) -> Span | None:
    first, last = (as_date(token) for token in tokens)
    return between(first, last, now)


def until_clock(tokens: Values, now: datetime) -> Span | None:
    clock = tokens[1].value
    end = at_clock(unit_span("day", now), clock).start
    if end <= now and not clock.sure:
        end = at_clock(
            unit_span("day", now), Clock(clock.seconds + 43_200, clock.grain, True)
        ).start
    return Span(now, end, clock.grain) if now < end else None


def nth_weekday_in(tokens: Values, now: datetime) -> Span | None:
    """The second Monday of a month, or its last one."""
    nth, number = -1 if tokens[0].kind == "<" else tokens[0].value, tokens[1].value
    span = span_of(as_date(tokens[-1]), now)
    if span.grain != "month" or not (nth == -1 or 1 <= nth <= 5):
        return None
    day = nth_weekday(span.start.year, span.start.month, number, nth)
    return day_span(day) if day < span.end else None


def day_in_month(tokens: Values, now: datetime) -> Span | None:
    day, span = tokens[0].value, tokens[1].value
    return day_span(span.start.replace(day=day)) if span.grain == "month" else None


def month_in_year(tokens: Values, now: datetime) -> Day | None:
    month, span = tokens[0].value, tokens[1].value
    return Day(span.start.year, month) if span.grain == "year" else None


def days_in_month(tokens: Values, now: datetime) -> Span | None:
    first, last = (token.value for token in tokens if token.kind in "no")
    span = next(token.value for token in tokens if token.kind == "R")
    if span.grain != "month" or first > last:
        return None
    return Span(span.start.replace(day=first), day_span(span.start.replace(day=last)).end, "day")


def weekdays_in(tokens: Values, now: datetime) -> Span | None:
    """Wednesday to Friday of a week."""
    span = next(token.value for token in tokens if token.kind == "R")
    first, last = (token.value for token in tokens if token.kind in "wv")
    if span.grain != "week" or first >= last:
        return None
    return Span(span.start + first * DAY, span.start + (last + 1) * DAY, "day")


def unit_beside(sign: int) -> Callable[[Values, datetime], Span | None]:
    """The day before a day, the week after it; today where no other is named."""

    def make(tokens: Values, now: datetime) -> Span | None:
        unit, other = tokens[0].value, span_of(tokens[-1], now) if len(tokens) > 1 else None
        if unit not in ("day", "week", "weekend", "month", "year") or (
            unit != "day" and other is None
        ):
            return None
        if other is not None and other.grain not in ("day", unit):
            return None
        return unit_span(unit, now if other is None else other.start, sign)

    return make


def weekday_before(tokens: Values, now: datetime) -> Span | None:
    """The Sunday before a date."""
    day = span_of(tokens[-1], now)
    return weekday(tokens[0].value, day.start, "<") if day.grain == "day" else None
