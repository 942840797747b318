"""The calendar of said times: spans of wall-clock time, without zones and without a clock."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
_GRAINS = {"fortnight": "week", "workweek": "week", "weekend": "day"}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_STEPS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": DAY,
    "week": 7 * DAY,
    "workweek": 7 * DAY,
    "weekend": 7 * DAY,
    "fortnight": 14 * DAY,
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The months in which they begin, north of the equator."""


class Span(NamedTuple):
    """Wall-clock time from start to end, exclusive, in the grain it was said in."""

    start: datetime
    end: datetime
    grain: str
    approximate: bool = False


class Clock(NamedTuple):
    """A time of day in seconds since midnight; `sure` if before or after noon was said."""

    seconds: int
    grain: str
    sure: bool = False


class Day(NamedTuple):
    """A date as far as it was said."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


Length = tuple[tuple[int, str], ...]


def unit_span(unit: str, at: datetime, step: int = 0) -> Span:
    """The unit that holds a time, or the one so many steps away."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in _MONTHS:
        months = _MONTHS[unit]
        first = ((at.year * 12 + at.month - 1) // months + step) * months
        return Span(_first_of(first), _first_of(first + months), unit)
    if unit in ("week", "workweek", "weekend", "fortnight"):
        monday = midnight - at.weekday() * DAY + step * _STEPS[unit]
        begin, days = {"workweek": (0, 5), "weekend": (5, 2), "fortnight": (0, 14)}.get(
            unit, (0, 7)
        )
        start = monday + begin * DAY
        return Span(start, start + days * DAY, _GRAINS.get(unit, unit))
    if unit == "day":
        return Span(midnight + step * DAY, midnight + (step + 1) * DAY, unit)
    size = _STEPS[unit]
    if step:
        start = at + (step - 1 if step > 0 else step) * size
    else:
        start = midnight + (at - midnight) // size * size
    return Span(start, start + size, unit)


def day_span(day: date | datetime) -> Span:
    start = datetime(day.year, day.month, day.day)
    return Span(start, start + DAY, "day")


def _first_of(months: int) -> datetime:
    return datetime(months // 12, months % 12 + 1, 1)


def moved(at: datetime, length: Length, sign: int) -> datetime:
    """A time moved by a length; the last day of a month where the other has fewer days."""
    for count, unit in length:
        if unit in _MONTHS:
            months = at.year * 12 + at.month - 1 + sign * count * _MONTHS[unit]
            first = _first_of(months)
            at = at.replace(
                year=first.year,
                month=first.month,
                day=min(at.day, monthrange(first.year, first.month)[1]),
            )
        else:
            at += sign * count * _STEPS[unit]
    return at


def coarsest(length: Length) -> str:
    return max((unit for _, unit in length), key=lambda unit: _MONTHS.get(unit, 0) * 31 * DAY + _STEPS.get(unit, timedelta()))  # fmt: skip


def finest(length: Length) -> str:
    return min((unit for _, unit in length), key=lambda unit: _MONTHS.get(unit, 0) * 31 * DAY + _STEPS.get(unit, timedelta()))  # fmt: skip


def is_clock(unit: str) -> bool:
    return unit in ("second", "minute", "hour")


def away(now: datetime, length: Length, sign: int) -> Span:
    """What lies a length from now: a minute, or a day.

    Whole weeks, months and years are said roughly, and so approximate.
    """
    at, unit = moved(now, length, sign), finest(length)
    if is_clock(unit):
        at = at.replace(microsecond=0)
        return Span(at, at + timedelta(minutes=1), unit, approximate=unit == "hour")
    grain = _GRAINS.get(unit, unit)
    return day_span(at)._replace(grain=grain, approximate=grain != "day")


def of_day(said: Day, now: datetime, *, year: int | None = None) -> Span:
    """A date; where its year is not said, the one nearest to now. ValueError if there is none."""
    given = said.year if said.year is not None else year
    if said.month is None:
        if given is None:
            return _nearest_in_month(said.day or 0, now)
        return Span(datetime(given, 1, 1), datetime(given + 1, 1, 1), "year")
    years = (given,) if given is not None else (now.year, now.year - 1, now.year + 1)
    spans = []
    for one in years:
        if said.day is None:
            spans.append(unit_span("month", datetime(one, said.month, 1)))
        elif said.day <= monthrange(one, said.month)[1]:
            spans.append(day_span(datetime(one, said.month, said.day)))
    if not spans and given is None:
        spans = [day_span(datetime(_leap(now.year), said.month, said.day or 0))]
    if not spans:
        raise ValueError("no such day")
    return min(spans, key=lambda span: _distance(span, now))


def _leap(year: int) -> int:
    return next(one for one in range(year, year - 9, -1) if monthrange(one, 2)[1] == 29)


def _distance(span: Span, now: datetime) -> timedelta:
    if span.start <= now < span.end:
        return timedelta()
    return min(abs(span.start - now), abs(span.end - now))


def _nearest_in_month(day: int, now: datetime) -> Span:
    first = now.year * 12 + now.month - 1
    months = [_first_of(first + step) for step in (0, -1, 1)]
    fitting = [
        one.replace(day=day) for one in months if 1 <= day <= monthrange(one.year, one.month)[1]
    ]
    if not fitting:
        raise ValueError("no such day")
    return min((day_span(one) for one in fitting), key=lambda span: _distance(span, now))


def weekday(number: int, now: datetime, which: str = "") -> Span:
    """A weekday (Monday is 0) of this, the next or the last week, or the nearest one.

    The last one in English is the latest before today.
    """
    today = day_span(now).start
    if which in ("=", ">", "week <"):
        monday = today - today.weekday() * DAY
        return day_span(monday + (number + {"=": 0, ">": 7}.get(which, -7)) * DAY)
    back = (today.weekday() - number - 1) % 7 + 1
    if which == "<":
        return day_span(today - back * DAY)
    if back == 7:
        return day_span(today)
    return day_span(today - back * DAY if back <= 3 else today + (7 - back) * DAY)


def nth_weekday(year: int, month: int, number: int, nth: int) -> datetime:
    """The nth of some weekday in a month, or with -1 its last."""
    if nth < 0:
        last = datetime(year, month, monthrange(year, month)[1])
        return last - (last.weekday() - number) % 7 * DAY
    first = datetime(year, month, 1)
    return first + ((number - first.weekday()) % 7 + 7 * (nth - 1)) * DAY


def hours_of(day: Span, hours: tuple[int, int]) -> Span:
    """A part of a day."""
    midnight = day_span(day.start).start
    return Span(
        midnight + timedelta(hours=hours[0]), midnight + timedelta(hours=hours[1]), "part", True
    )


def at_clock(day: Span, clock: Clock) -> Span:
    """A time of day on the day where a span begins; within a part of the day, the one it can be.

    Where neither the part nor "am" tells, hours from 1 to 6 are after noon.
    """
    seconds = clock.seconds
    if not clock.sure and seconds < 12 * 3600:
        if day.grain == "part":
            seconds += (
                12 * 3600
                if day.start.hour >= 12 or (day.start.hour == 11 and seconds < 7200)
                else 0
            )
        elif 3600 <= seconds < 7 * 3600:
            seconds += 12 * 3600
    start = day_span(day.start).start + timedelta(seconds=seconds)
    return Span(start, start + _STEPS[clock.grain], clock.grain)


def season(name: str, year: int) -> Span:
    """A season by whole months; winter is the one that begins in a year."""
    first = year * 12 + SEASONS[name] - 1
    return Span(_first_of(first), _first_of(first + 3), "season", True)


def week_of(span: Span, number: int) -> Span:
    """The numbered week of a month or year, or with -1 its last; the first holds its Thursday."""
    if number < 0:
        monday = unit_span("week", span.end - DAY).start
        if monday + 3 * DAY >= span.end:
            monday -= 7 * DAY
    else:
        monday = unit_span("week", span.start).start
        if monday + 3 * DAY < span.start:
            monday += 7 * DAY
        monday += 7 * (number - 1) * DAY
    return Span(monday, monday + 7 * DAY, "week")


def part_of(span: Span, part: str, now: datetime) -> Span | None:
    """The beginning, middle or end of a period; what of it is over, or still to come."""
    start, end = span.start, span.end
    today = day_span(now).start
    if part == "rest":
        if not start <= now < end:
            return None
        return Span(max(start, now if span.grain in ("day", "part") else today), end, span.grain)
    if part in ("earlier", "later"):
        if not start <= today < end or is_clock(span.grain) or span.grain == "day":
            return None
        first, last = (start, today) if part == "earlier" else (today, end)
        return Span(first, last, span.grain, True) if first < last else None
    if span.grain == "day" and part == "end":
        return Span(end - timedelta(seconds=1), end, "part", True)
    if span.grain in ("day", "part") or is_clock(span.grain):
        return None
    if part in ("first half", "second half"):
        half = start + (end - start) / 2
        half = day_span(half).start if span.grain != "year" else start.replace(month=7)
        first, last = (start, half) if part == "first half" else (half, end)
        return Span(first, last, "half", span.grain != "year")
    if span.grain == "month":
        edges = {"start": (0, 10), "middle": (9, 20), "end": (20, (end - start).days)}[part]
        return Span(start + edges[0] * DAY, start + edges[1] * DAY, "month", True)
    if span.grain == "year":
        months = {"start": (1, 5), "middle": (5, 9), "end": (9, 13)}[part]
        return Span(
            start.replace(month=months[0]), _first_of(start.year * 12 + months[1] - 1), "year", True
        )
    third = (end - start) / 3
    number = ("start", "middle", "end").index(part)
    return Span(
        day_span(start + number * third).start,
        day_span(start + (number + 1) * third).start,
        span.grain,
        True,
    )
