"""Said times in Chinese: the words of `times.toml`, and the rules that put them together."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from enishi.projections.recall.time_grammar import Rule, Token, before, rule, since, span_of
from enishi.projections.recall.time_makers import (
    STEP,
    as_date,
    bare_weekend,
    date,
    day_ago,
    day_word,
    from_now,
    on_holiday,
    part_of_now,
    same,
    several,
    within,
)
from enishi.projections.recall.time_numbers import Values, clock_of_part, half, joined
from enishi.projections.recall.time_spans import (
    DAY,
    Day,
    Length,
    Span,
    day_span,
    moved,
    part_of,
    unit_span,
)
from enishi.projections.recall.time_within import (
    hours,
    nth_week,
    nth_weekday_in,
    part,
    quarter,
    said_range,
    said_season,
    timed,
    until_clock,
    weekday_in,
)
from enishi.projections.recall.time_words import (
    hours_of_parts,
    lunar_days,
)


def _length(tokens: Values, now: datetime) -> Length | None:
    """Three days, half a year; months only as 三个月, for 三月 is March."""
    count = next((token for token in tokens if token.kind in "nKg"), None)
    unit = next(token for token in tokens if token.kind == "u")
    if unit.value == "weekend" or (
        unit.value == "month" and count is not None and count.kind == "n"
    ):
        return None
    whole = ((count.value, unit.value),) if count is not None else ()
    if all(token.kind != "h" for token in tokens):
        return whole or None
    more = half([unit], now)
    return (*whole, *more) if more else None


def _half_more(tokens: Values, now: datetime) -> Length | None:
    """Two and a half years: 两年半."""
    length: Length = tokens[0].value
    more = half([Token("u", 0, 0, length[-1][1])], now)
    return (*length, *more) if more else None


_FAR = STEP | {"W": -2, "G": 2}


def _stepped(tokens: Values, now: datetime) -> Span | None:
    unit = tokens[-1].value
    if unit in ("second", "minute", "hour", "day"):
        return None
    return unit_span(unit, now, _FAR[tokens[0].kind])


def _weekday(tokens: Values, now: datetime) -> Span:
    monday = unit_span("week", now, _FAR[tokens[0].kind]).start
    return day_span(monday + tokens[1].value * DAY)


def _of_year(tokens: Values, now: datetime) -> Day | None:
    """A date in a year seen from now: 去年五月."""
    span = tokens[0].value
    said = {token.kind: token.value for token in tokens[1:]}
    if span.grain == "month" and "q" in said and "m" not in said:
        return Day(span.start.year, span.start.month, said["q"])
    return (
        Day(span.start.year, said["m"], said.get("q"))
        if span.grain == "year" and "m" in said
        else None
    )


def _holiday(tokens: Values, now: datetime) -> Any:
    said = tokens[-1].value
    years = {token.value for token in tokens if token.kind == "Y"}
    years |= {
        token.value.start.year
        for token in tokens
        if token.kind == "R" and token.value.grain == "year"
    }
    if len(tokens) > 1 and not years:
        return None
    year = next(iter(years), None)
    if not isinstance(said[0], str):
        return on_holiday(said, year, now)
    days = lunar_days(said[0])
    near = [
        days[one] for one in ([year] if year else range(now.year - 1, now.year + 2)) if one in days
    ]
    spans = [day_span(day + said[1] * DAY) for day in near]
    return min(spans, key=lambda span: abs(span.start - now)) if spans else None


def _ranged(sign: int) -> Any:
    def make(tokens: Values, now: datetime) -> Span | None:
        length = next(token.value for token in tokens if token.kind == "L")
        return several("<" if sign < 0 else ">", length, now)

    return make


def _these_days(tokens: Values, now: datetime) -> Span | None:
    """这两天: so many days up to today and from today on."""
    (count, unit), *more = tokens[1].value
    if unit != "day" or more:
        return None
    today = day_span(now)
    return Span(today.start - (count - 1) * DAY, today.end + (count - 1) * DAY, "day", True)


def _day_of_year(tokens: Values, now: datetime) -> Span | None:
    """去年今天."""
    year, day = tokens[0].value, tokens[1].value
    if year.grain != "year" or day.grain != "day":
        return None
    return day_span(day.start.replace(year=year.start.year))


def _first_units(tokens: Values, now: datetime) -> Span | None:
    """The first two weeks of a year."""
    span, length = span_of(tokens[0], now), tokens[-1].value
    if len(length) != 1 or span.grain not in ("year", "month", "quarter"):
        return None
    first = nth_week(
        [Token("o", 0, 0, 1), Token("u", 0, 0, length[0][1]), Token("R", 0, 0, span)], now
    )
    return first and Span(first.start, moved(first.start, length, 1), length[0][1])


def _portion(tokens: Values, now: datetime) -> Span | None:
    span = span_of(tokens[0], now)
    part_name = next(token.value for token in tokens if token.kind == "E")
    return part_of(span, part_name, now)


def _portion_of_unit(tokens: Values, now: datetime) -> Span | None:
    """上半年, 下半周, 月底."""
    unit = next(token.value for token in tokens if token.kind == "u")
    part_name = next(token.value for token in tokens if token.kind == "E")
    span = unit_span(unit, now)
    if unit == "week" and part_name in ("first half", "second half"):
        middle = span.start + 3 * DAY
        return Span(
            *((span.start, middle) if part_name == "first half" else (middle, span.end)),
            "week",
            True,
        )
    return part_of(span, part_name, now)


def _century(tokens: Values, now: datetime) -> Span | None:
    if tokens[-1].value != "century" or not 1 <= tokens[0].value <= 30:
        return None
    return unit_span("century", datetime(max(1, (tokens[0].value - 1) * 100), 1, 1))


def _of_quarter(tokens: Values, now: datetime) -> Span | None:
    number, unit = (
        next(token.value for token in tokens if token.kind in kinds) for kinds in ("on", "u")
    )
    if unit != "quarter" or not 1 <= number <= 4:
        return None
    year = next(
        (span_of(as_date(token), now).start.year for token in tokens if token.kind in "RY"),
        now.year,
    )
    return unit_span("quarter", datetime(year, 3 * number, 1))


def _days(tokens: Values, now: datetime) -> Span | None:
    return said_range([as_date(token) for token in tokens], now)


def _day_of_month(tokens: Values, now: datetime) -> Day:
    return Day(None, None, tokens[0].value)


X = "[RDw]"
CHINESE: tuple[Rule, ...] = (
    rule("r", "R", day_word(hours_of_parts())),
    rule("nu", "R", _century),
    # lengths
    rule("[nKg]hu|[nKg]u|hu", "L", _length),
    rule("Lh", "L", _half_more),
    rule("L(?:&?L)+", "L", joined),
    # dates
    rule("YO?mq", "D", date("ymd")),
    rule("YO?m", "D", date("ym")),
    rule("[YR]O?H|H", "D", _holiday),
    rule("[WG<>=]u(?![aF]$)", "R", _stepped),
    rule("RO?m?q|RO?m", "D", _of_year),
    rule("mq", "D", date("md")),
    rule("D,?w", "D", lambda tokens, now: tokens[0].value),
    rule("[WG<>=]w", "R", _weekday),
    rule("RO?w", "R", weekday_in),
    rule("[YR]O?[on]u", "R", _of_quarter),
    rule("[YR]?O?-?Q", "R", quarter),
    rule("ou(?!O)", "R", _of_quarter),
    rule("[YR]O?y|[<>=]y|y(?=O)", "R", said_season),
    # seen from now
    rule("<OL|<L", "R", _ranged(-1)),
    rule(">O?L", "R", _ranged(1)),
    rule("(?<![YRDm])(?<![YRDm]O)aL", "R", _ranged(-1)),
    rule("=L", "R", _these_days),
    rule("RO?R", "R", _day_of_year),
    rule("LaO?R", "R", day_ago),
    rule("La", "R", from_now(-1)),
    rule("LF", "R", from_now(1)),
    rule("Li", "R", within),
    # within another
    rule("[YRDm]O?aL", "R", lambda tokens, now: _first_units([as_date(tokens[0]), tokens[-1]], now)),
    rule("[RDm]O?ow", "R", lambda tokens, now: nth_weekday_in([*tokens[1:], tokens[0]], now)),
    rule("[YRDm]O?ou", "R", lambda tokens, now: nth_week([tokens[1], tokens[2], as_date(tokens[0])], now)),
    rule("[YRDm]O?E", "R", lambda tokens, now: _portion([as_date(tokens[0]), tokens[-1]], now)),
    rule("RO?Eu|RuE", "R", _portion),
    rule("YO?Eu", "R", lambda tokens, now: _portion([as_date(tokens[0]), tokens[1]], now)),
    rule("Eu|uE", "R", _portion_of_unit),
    rule("(?<![0-9LnKVu])u(?!.)", "R", bare_weekend),
    rule("(?<![YRDmn])q(?![-t&].*q)", "D", _day_of_month),
    # of a day
    rule("=P", "R", part_of_now),
    rule("PO?T", "T", lambda tokens, now: clock_of_part([tokens[1], tokens[0]], now)),
    rule(f"{X}O?P", "R", part),
    rule(f"{X}O?f?T[t&-]T", "R", hours),
    rule(f"{X}O?,?T", "R", timed),
    rule("f?NtT", "R", until_clock),
    # from one to another
    rule("f?D[t-]qZ?|D&qZ", "R", lambda tokens, now: said_range([tokens[0], Token("D", 0, 0, Day(None, None, tokens[1].value))], now)),
    rule("b?f?[mYRDwgq](?:t|-)[mYRDwN](?:OZ|Z)?", "R", _days),
    rule("b?f?[mYRDw]&[mYRDw]O?Z", "R", _days),
    # open at one side
    rule("[YRDm]O?S", "R", lambda tokens, now: since(as_date(tokens[0]), now)),
    rule("s[YRDm]", "R", lambda tokens, now: since(as_date(tokens[0]), now)),
    rule("[YRDmw]O?F", "R", lambda tokens, now: since(as_date(tokens[0]), now, after=True)),
    rule("[YRDmw]O?a", "R", lambda tokens, now: before(as_date(tokens[0]), now)),
    rule("Y", "D", same),
    rule("m", "D", same),
)  # fmt: skip
