"""Times that a text speaks of, in English and Chinese, as intervals seen from a moment.

No clock is asked: `now` comes in. Weeks begin on Monday, seasons are those north of the equator,
"5/12" is the twelfth of May, and a date without its year is the one nearest to now.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import DAY, HOUR, MINUTE, Moment
from enishi.projections.recall.time_chinese import CHINESE
from enishi.projections.recall.time_chinese_tokens import chinese_tokens
from enishi.projections.recall.time_english import ENGLISH, english_tokens
from enishi.projections.recall.time_grammar import Token, reduced, span_of

_READ = 2000
"""Code points of a text that are looked at."""

_REACH = {"hour": HOUR, "part": 4 * HOUR, "day": DAY, "week": 4 * DAY, "month": 16 * DAY, "season": 31 * DAY, "quarter": 31 * DAY}  # fmt: skip


class Said(NamedTuple):
    """A time as it was said, at `begins`:`stops` of the text, in code points.

    `start` (included) and `end` (not included) are moments at the local offset of that time; `grain`
    is the unit it was said in: second, minute, hour, part (of a day), day, week, month, quarter,
    half (of a year), season, year, decade or century. An `approximate` time may lie about so much
    beside it. "From A to B" counts B in. "Since" ends now, "before" begins with the calendar.
    """

    start: Moment
    end: Moment
    grain: str
    approximate: bool
    begins: int
    stops: int

    def widest(self) -> tuple[int, int]:
        """Start and end in microseconds, wider by what an approximate time may be off."""
        reach = _REACH.get(self.grain, 183 * DAY) if self.approximate else 0
        return self.start.at - reach, self.end.at + reach


def said_times(text: str, now: datetime) -> list[Said]:
    """The times that a text speaks of, in order, none within another.

    `now` is when it was said, with its zone; a naive one is refused with InvalidInput. The first
    2000 code points are looked at.
    """
    if now.utcoffset() is None:
        raise InvalidInput(f"the time {now.isoformat()} names no zone; give an aware datetime")
    text = text[:_READ]
    wall = now.replace(tzinfo=None, fold=0)
    found: list[Said] = []
    taken: list[tuple[int, int]] = []
    for tokens, rules in ((chinese_tokens(text), CHINESE), (english_tokens(text), ENGLISH)):
        if all(token.kind == "x" for token in tokens):
            continue
        for token in reduced(tokens, rules, wall):
            if any(token.start < end and start < token.end for start, end in taken):
                continue
            said = _said(token, wall, now)
            if said is not None:
                found.append(said)
                taken.append((token.start, token.end))
    return sorted(found, key=lambda said: said.begins)


def _said(token: Token, wall: datetime, now: datetime) -> Said | None:
    if token.kind not in "RDw":
        return None
    try:
        span = span_of(token, wall)
        start, end = _moment(span.start, now), _moment(span.end, now)
    except (ValueError, OverflowError, InvalidInput):
        return None
    if end.at <= start.at:  # both within an hour that the clocks leave out
        end = Moment(
            start.at + max((span.end - span.start) // timedelta(microseconds=1), MINUTE),
            start.offset,
        )
    return Said(start, end, span.grain, span.approximate, token.start, token.end)


def _moment(wall: datetime, now: datetime) -> Moment:
    """A wall-clock time in the zone of now; one that the clocks leave out is the one after."""
    aware = wall.replace(tzinfo=now.tzinfo)
    return Moment.of(aware.astimezone(UTC).astimezone(now.tzinfo))
