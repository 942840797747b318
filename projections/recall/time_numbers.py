"""Numbers, lengths and times of day as said in words. Functions of rules: see `time_grammar.py`."""

from __future__ import annotations

from datetime import datetime

from enishi.kernel.words.numerals import number_of
from enishi.projections.recall.time_grammar import Token
from enishi.projections.recall.time_spans import (
    Clock,
    Length,
)

Values = list[Token]


def spelled(tokens: Values, now: datetime) -> int | None:
    number = number_of(" ".join(token.value for token in tokens))
    return number if number is not None and number < 10_000 else None


def two_numbers(tokens: Values) -> tuple[int, int] | None:
    """A run of words that is two numbers: nineteen eighty six, seven twenty seven."""
    words = [token.value for token in tokens]
    for cut in range(1, len(words)):
        left, right = number_of(" ".join(words[:cut])), number_of(" ".join(words[cut:]))
        if left is not None and right is not None:
            return left, right
    return None


def spelled_long_year(tokens: Values, now: datetime) -> int | None:
    number = number_of(" ".join(token.value for token in tokens))
    return number if number is not None and 1000 <= number < 2200 else None


def spelled_year(tokens: Values, now: datetime) -> int | None:
    pair = two_numbers(tokens)
    if pair is None or not 15 <= pair[0] <= 20 or not 10 <= pair[1] < 100:
        return None
    return pair[0] * 100 + pair[1]


def spelled_clock(tokens: Values, now: datetime) -> Clock | None:
    pair = two_numbers(tokens)
    if pair is None or not 1 <= pair[0] <= 12 or not 1 <= pair[1] < 60:
        return None
    return Clock(pair[0] * 3600 + pair[1] * 60, "minute")


def spelled_ordinal(tokens: Values, now: datetime) -> int | None:
    tens, last = tokens
    number = number_of(tens.value)
    return number + last.value if number in (20, 30) and last.value < 10 else None


def length(tokens: Values, now: datetime) -> Length | None:
    if len(tokens) == 1:
        return None if tokens[0].value == "weekend" else ((1, tokens[0].value),)
    count, unit = tokens
    return (
        None if unit.value in ("weekend",) or count.value > 9999 else ((count.value, unit.value),)
    )


def half(tokens: Values, now: datetime) -> Length | None:
    unit = tokens[-1].value
    halves = {"hour": (30, "minute"), "year": (6, "month"), "day": (12, "hour"), "month": (15, "day"), "decade": (5, "year"), "century": (50, "year")}  # fmt: skip
    return (halves[unit],) if unit in halves else None


def joined(tokens: Values, now: datetime) -> Length:
    return tuple(part for token in tokens for part in token.value)


def clock_of_part(tokens: Values, now: datetime) -> Clock | None:
    """Ten in the morning."""
    said, hours = tokens[0].value, tokens[-1].value
    clock = said if isinstance(said, Clock) else Clock(said * 3600, "hour")
    if clock.seconds >= 86_400 or clock.sure:
        return None if clock.seconds >= 86_400 else clock
    later = hours[0] >= 11 and clock.seconds < 43_200
    return Clock(clock.seconds + 43_200 * later, clock.grain, True)


def o_clock(tokens: Values, now: datetime) -> Clock | None:
    hour = tokens[0].value
    return Clock(hour * 3600, "hour", hour > 12) if 1 <= hour <= 24 else None


def early_or_late(tokens: Values, now: datetime) -> tuple[int, int] | None:
    """The first or second half of a part of the day."""
    which, (first, last) = tokens[0].value, tokens[1].value
    middle = (first + last) // 2
    return {"start": (first, middle), "end": (middle, last)}.get(which)


def clock_beside(tokens: Values, now: datetime) -> Clock | None:
    """Half past seven, a quarter to seven, twenty minutes past five."""
    hour = tokens[-1].value
    back = all(token.kind != "<" for token in tokens)
    minutes = tokens[0].value if tokens[0].kind == "n" else 30 if tokens[0].kind == "h" else 15
    units = [token.value for token in tokens if token.kind == "u"]
    if units != (
        ["quarter"]
        if minutes == 15 and tokens[0].kind == "u"
        else ["minute"] * (tokens[0].kind == "n")
    ):
        return None
    if not 1 <= hour <= 12 or not 1 <= minutes < 60:
        return None
    return Clock(hour * 3600 + (-minutes if back else minutes) * 60, "minute")


def and_half(tokens: Values, now: datetime) -> Length | None:
    """An hour and a half; two and a half years."""
    unit = next(token.value for token in tokens if token.kind == "u")
    count = next((token.value for token in tokens if token.kind == "n"), 1)
    more = half([Token("u", 0, 0, unit)], now)
    return ((count, unit), *more) if more else None
