"""Moments: an instant in UTC together with the offset at which it was lived."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import NamedTuple

from enishi.kernel.errors import InvalidInput

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


class Moment(NamedTuple):
    """An instant: `at` in microseconds since 1970-01-01 UTC, `offset` in seconds east of UTC.

    `assumed` says that the source gave a local time without its zone, so that the instant rests
    on the zone that was chosen at import. An unknown time is None, never a Moment.
    """

    at: int
    offset: int = 0
    assumed: bool = False

    @classmethod
    def of(cls, when: datetime, *, assumed: bool = False) -> Moment:
        """The moment of an aware datetime. A naive one is refused with InvalidInput."""
        if not isinstance(when, datetime):
            raise InvalidInput(f"a time is an aware datetime, not {type(when).__name__}")
        offset = when.utcoffset()
        if offset is None:
            raise InvalidInput(
                f"the time {when.isoformat()} names no zone; give an aware datetime, "
                "for example with tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')"
            )
        since = when - _EPOCH
        at = (since.days * 86_400 + since.seconds) * SECOND + since.microseconds
        if not _FIRST <= at <= _LAST:
            raise InvalidInput(f"the time {when.isoformat()} lies outside of the calendar")
        return cls(at, _whole_seconds(offset), assumed)

    @property
    def day(self) -> int:
        """The local calendar day, counted in days since 1970-01-01."""
        return (self.at + self.offset * SECOND) // DAY

    def to_datetime(self) -> datetime:
        """An aware datetime at the original offset."""
        zone = timezone(timedelta(seconds=self.offset))
        return (_EPOCH + timedelta(microseconds=self.at)).astimezone(zone)

    def __str__(self) -> str:
        text = self.to_datetime().isoformat(sep=" ", timespec="seconds")
        return f"{text} (zone assumed)" if self.assumed else text


def date_of(day: int) -> date:
    """The calendar date of a day number."""
    return date.fromordinal(day + _EPOCH_ORDINAL)


def plain_moment(moment: Moment | None) -> list[int]:
    """The form in which a projection keeps a moment: instant and offset, or nothing."""
    return [moment.at, moment.offset] if moment else []


def moment_of_plain(plain: list[int]) -> Moment | None:
    """The moment that a projection keeps."""
    return Moment(plain[0], plain[1]) if plain else None


def parse_moment(text: str) -> Moment:
    """Read an ISO 8601 date and time with its zone. Anything else is InvalidInput."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is no time; write it like 2026-03-01T18:30+08:00") from None
    if when.tzinfo is None:
        raise InvalidInput(f"the time {text!r} names no zone; write it like 2026-03-01T18:30+08:00")
    return Moment.of(when)


def _whole_seconds(offset: timedelta) -> int:
    return offset.days * 86_400 + offset.seconds
