"""The dates that chat files hold, in every notation SillyTavern ever wrote."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment

# Our own table: `strptime` would read month names in the language of the machine.
_MONTHS = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_MILLISECONDS = re.compile(r"-?[0-9]+")
# `fromisoformat` accepts more with every Python; this shape reads alike on all of them.
_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_SPOKEN = re.compile(
    r"([a-z]+) ([0-9]{1,2}), ([0-9]{4}) ([0-9]{1,2}):([0-9]{2}) ?([ap])m", re.IGNORECASE
)
_HUMANIZED = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2}) ?@ ?"
    r"([0-9]{1,2})h ?([0-9]{1,2})m ?([0-9]{1,2})s ?(?:([0-9]{1,3})ms)?"
)


def read_zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name. Anything else is InvalidInput."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, TypeError, OSError):  # OSError: "Asia" and "" are folders
        raise InvalidInput(
            f"{name!r} is no time zone; give an IANA name, for example Asia/Tokyo"
        ) from None


def read_date(value: object, zone: ZoneInfo) -> Moment | None:
    """The moment that a date field of a chat file means, or None where it cannot be read.

    Numbers and digit strings are Unix milliseconds. They and ISO times ending in Z are exact
    instants that do not tell where they were lived; their offset is the zone's. Notations that
    name no zone are local time in `zone`, and their moment says `assumed`. A local time that a clock change
    skipped or repeated takes the offset from before the change.
    """
    try:
        moment = _read(value, zone)
        return None if moment is None else _within_calendar(moment)
    except (ValueError, OverflowError, InvalidInput):
        # No such day or hour, NaN, far out of every calendar.
        return None


def read_instant(value: object, zone: ZoneInfo) -> Moment | None:
    """The moment that a server noted: Unix seconds, or ISO 8601, in UTC where it names no zone.

    UTC does not tell where it was lived, so its offset is the zone's. None where it cannot be read.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _within_calendar(Moment.of((_EPOCH + timedelta(seconds=value)).astimezone(zone)))
        when = _from_iso(value.strip()) if isinstance(value, str) else None
        if when is None:
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return _within_calendar(Moment.of(when if when.utcoffset() else when.astimezone(zone)))
    except (ValueError, OverflowError, InvalidInput):
        return None


def _within_calendar(moment: Moment) -> Moment:
    """The moment; ValueError or OverflowError for one that no calendar reaches."""
    moment.to_datetime()
    return moment


def _read(value: object, zone: ZoneInfo) -> Moment | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_milliseconds(value, zone)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _MILLISECONDS.fullmatch(text):
        return _from_milliseconds(int(text), zone)
    when = _from_iso(text) or _from_spoken(text) or _from_humanized(text)
    if when is None:
        return None
    if when.tzinfo is not None:
        return Moment.of(when.astimezone(zone) if text[-1] in "zZ" else when)
    return Moment.of(when.replace(tzinfo=zone), assumed=True)


def _from_milliseconds(value: float, zone: ZoneInfo) -> Moment:
    return Moment.of((_EPOCH + timedelta(milliseconds=value)).astimezone(zone))


def _from_iso(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if _ISO.fullmatch(text) else None


def _from_spoken(text: str) -> datetime | None:
    """`June 19, 2023 2:20pm`"""
    found = _SPOKEN.fullmatch(text)
    if not found:
        return None
    month, day, year, hour, minute, half = found.groups()
    number = _MONTHS.get(month.lower())
    if number is None or not 1 <= int(hour) <= 12:
        return None
    afternoon = 12 if half in "pP" else 0
    return datetime(int(year), number, int(day), int(hour) % 12 + afternoon, int(minute))


def _from_humanized(text: str) -> datetime | None:
    """`2024-6-5 @14h 56m 50s 682ms` and `2024-07-12@01h31m37s`"""
    found = _HUMANIZED.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second, thousandths = (
        int(part or 0) for part in found.groups()
    )
    return datetime(year, month, day, hour, minute, second, thousandths * 1000)
