"""Statements in time: the period of each, and which of them holds when.

A slot is what only one statement at a time can fill. Its statements are walked in the order of
their beginnings, and each takes the place of those that it contradicts, except that

- one that names no date of its own never displaces what is better founded and in force;
- one that names no date yields to a later word that says since when it is otherwise, if that date
  (day, month or year) covers it: "stopped today", said in the evening, ends what the morning said.

Among statements that begin at the same time the better founded comes last and so holds: explicit
over inferred over imported, then claimed over reported, then the later said. A statement whose
period has ended gives the place back to what is still in force.

All instants are microseconds since 1970-01-01 UTC. Nothing here depends on the order of arrival.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from enishi.kernel.moments import DAY, MINUTE, SECOND

BEGINNING = -(1 << 62)
"""Before every instant: a time that nobody knows."""

FOREVER = 1 << 62
"""After every instant: no end is known."""

AT_ONCE = 5 * MINUTE
"""Within this time a contradiction is a slip that was corrected, and no conflict."""

EXPLICIT, INFERRED, IMPORTED = 4, 2, 0
CLAIMED, REPORTED = 1, 0
_BASIS = ("import", "inferred", "explicit")
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()

Said = tuple[int, int, int, int]
"""Where something was said: the instant, then turn, text and offset of the words.

The last three order what was said at one instant, or at unknown times, by its place in the
conversation, which is the same whenever it was read.
"""


@dataclass(slots=True, eq=False)
class Telling:
    """One statement of a thing: a value, and whether it is so.

    `start` and `end` (exclusive) bound its period; `since` and `until` are the dates as given.
    `named` is the end of the day, month or year that it gives as its beginning, and BEGINNING if
    it gives none. `strength` is the sum of basis and authority. `first` is the number of the event
    that stated the same first, which may stand no longer. `run` is the number of the telling that
    its belief goes by.
    """

    number: int
    said: Said
    thing: tuple[str, bool]
    strength: int
    start: int
    end: int
    named: int
    since: str | None
    until: str | None
    first: int
    run: int

    @property
    def order(self) -> tuple[int, int, Said, tuple[str, bool], int]:
        """By beginning, strength and saying; what is left is settled by the words alone."""
        return self.start, self.strength, self.said, self.thing, self.number


class Settled(NamedTuple):
    """What came of a contradiction. `reason` is "newer", "corrected" or one of a conflict."""

    winner: int
    loser: int
    reason: str

    @property
    def conflict(self) -> bool:
        """Whether both spoke of the same time, so that one of them must be wrong."""
        return self.reason not in ("newer", "corrected")

    @property
    def pair(self) -> tuple[int, int] | None:
        """Winner and loser, but for a slip, which is no contradiction."""
        return None if self.reason == "corrected" else (self.winner, self.loser)


class Swept(NamedTuple):
    """A slot at one instant.

    `runs` are its beliefs, by number: the tellings of each. `held` are the tellings that hold;
    `lost` and `won` say by number what came of contradictions up to then.
    """

    runs: dict[int, list[Telling]]
    held: set[int]
    lost: dict[int, Settled]
    won: dict[int, Settled]


@lru_cache(maxsize=4096)
def days_of(named: str) -> tuple[int, int] | None:
    """The first day of a date such as 2026, 2026-03 or 2026-03-01, and the day after its last.

    In days since 1970-01-01; None for what the calendar does not have.
    """
    try:
        parts = [int(part) for part in named.split("-")]
        first = date(*[*parts, 1, 1][:3]).toordinal()
        year, month = [*parts, 12][:2]
        if len(parts) == 3:
            after = first + 1
        else:
            after = date(year + month // 12, month % 12 + 1, 1).toordinal()
    except ValueError:
        return None
    return first - _EPOCH_ORDINAL, after - _EPOCH_ORDINAL


def period(since: str | None, until: str | None, at: int, offset: int) -> tuple[int, int, int]:
    """Start, end and `named` of what was said at an instant, its dates read at that offset.

    Without a beginning it is valid from when it was said; if it was over by then, from a time
    that nobody knows.
    """
    first, last = days_of(since) if since else None, days_of(until) if until else None
    east = offset * SECOND
    end = last[1] * DAY - east if last else FOREVER
    if first:
        return first[0] * DAY - east, end, first[1] * DAY - east
    return (at if at < end else BEGINNING), end, BEGINNING


def overlap(one: Telling, other: Telling) -> bool:
    """Whether two periods have an instant in common."""
    return one.start < other.end and other.start < one.end


def close(tellings: list[Telling]) -> None:
    """Let who names an end bound what was said of the same thing before, or with an open end.

    "I work at Payments" ends with a later "I was at Payments until March". Weaker words end
    nothing, and what is still said after the end goes on.
    """
    stated: dict[tuple[str, bool], list[_End]] = {}
    for told in sorted(tellings, key=lambda telling: (telling.said, telling.until or "")):
        if told.end < FOREVER:
            end = _End(told.said, told.strength, told.start, told.end, told.until)
            stated.setdefault(told.thing, []).append(end)
    for telling in tellings if stated else ():
        for end in stated.get(telling.thing, ()):
            opened = telling.end == FOREVER and telling.said[0] < end.end
            if (
                (opened or end.said > telling.said)
                and end.strength >= telling.strength
                and telling.start < end.end
                and end.start < telling.end
            ):
                telling.end, telling.until = end.end, end.until


def sweep(ordered: list[Telling], single: bool, at: int) -> Swept:
    """The beliefs of one slot, and what holds at an instant. `single`: of one value at a time.

    `ordered` are its tellings in their order.
    """
    line = _Line(single)
    begun = [telling for telling in ordered if telling.start <= at]
    for telling in begun:
        line.enter(telling)
    line.advance(at)
    held = {telling.number for telling in line.held.values()}
    lost, won = dict(line.lost), dict(line.won)
    for telling in ordered[len(begun) :]:
        line.enter(telling)
    runs: dict[int, list[Telling]] = {}
    for telling in ordered:
        runs.setdefault(telling.run, []).append(telling)
    return Swept(runs, held, lost, won)


class _End(NamedTuple):
    """An end that somebody named, as it was said."""

    said: Said
    strength: int
    start: int
    end: int
    until: str | None


class _Line:
    """A slot while it is walked through time."""

    def __init__(self, single: bool) -> None:
        self.single = single
        self.held: dict[tuple[str, bool], Telling] = {}
        self.lost: dict[int, Settled] = {}
        self.won: dict[int, Settled] = {}
        self._runs: dict[tuple[str, bool], int] = {}
        self._seat: tuple[str, bool] | None = None
        self._active: list[Telling] = []
        self._next_end = FOREVER

    def enter(self, telling: Telling) -> None:
        self.advance(telling.start)
        if telling.end > telling.start:
            self._active.append(telling)
            self._next_end = min(self._next_end, telling.end)
            self._place(telling)

    def advance(self, at: int) -> None:
        """Let what has ended by an instant go; what is left settles its places anew."""
        if self._next_end > at:
            return
        self._active = [telling for telling in self._active if telling.end > at]
        self._next_end = min((telling.end for telling in self._active), default=FOREVER)
        self.held.clear()
        self._runs.clear()
        for telling in self._active:
            self.lost.pop(telling.number, None)
            self._place(telling)

    def _place(self, telling: Telling) -> None:
        thing, held = telling.thing, self.held
        contests = [_settle(telling, rival) for rival in self._rivals(telling)]
        stays = all(winner is telling for winner, _, _ in contests)
        for winner, loser, reason in contests:
            if stays or loser is telling:
                settled = Settled(winner.number, loser.number, reason)
                self.lost[loser.number] = self.won[winner.number] = settled
            if stays:
                del held[loser.thing]
                self._runs.pop(loser.thing, None)
        # The best founded telling speaks for the belief.
        if stays and (thing not in held or telling.strength >= held[thing].strength):
            held[thing] = telling
        if stays and thing[1]:
            self._seat = thing
        telling.run = self._runs.setdefault(thing, telling.run)

    def _rivals(self, telling: Telling) -> list[Telling]:
        """What holds and contradicts: the opposite, and in a single-valued slot another value."""
        value, polarity = telling.thing
        opposite = self.held.get((value, not polarity))
        rivals = [opposite] if opposite else []
        if self.single and polarity and self._seat and self._seat != telling.thing:
            seated = self.held.get(self._seat)
            rivals += [seated] if seated else []
        return rivals


def _settle(new: Telling, old: Telling) -> tuple[Telling, Telling, str]:
    """Winner, loser and reason, where `new` follows `old` in the order of beginnings."""
    undated = new.named == BEGINNING
    if undated and new.strength < old.strength:
        return old, new, _ground(old, new)
    if undated and new.start < old.named and old.said > new.said:
        return old, new, "newer"
    if _slip(new, old):
        return new, old, "corrected"
    if new.start > old.start or (undated and new.start == BEGINNING and new.said > old.said):
        return new, old, "newer"
    return new, old, _ground(new, old)


def _slip(new: Telling, old: Telling) -> bool:
    """Whether the later word corrects the earlier at once, of the same time."""
    same_time = new.start == old.start or new.named == old.named == BEGINNING
    known = old.said[0] > BEGINNING
    return known and same_time and 0 <= new.said[0] - old.said[0] <= AT_ONCE and new.said > old.said


def _ground(winner: Telling, loser: Telling) -> str:
    """By which part of the order one statement weighs more than another."""
    basis, lesser = winner.strength // 2, loser.strength // 2
    if basis != lesser:
        return f"{_BASIS[basis]}_over_{_BASIS[lesser]}"
    if winner.strength != loser.strength:
        return "claimed_over_reported"
    return "later_said" if winner.said > loser.said else "by_wording"
