"""The axis of a timeline: where each turn stands on it, and where dates are written.

A silence takes the cube root of its length, so that an evening can still be seen beside a year; a
turn takes no less than ten minutes would. So turns of unknown time stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from enishi.kernel.moments import MINUTE, Moment
from enishi.kernel.words.spoken import Language
from enishi.packs.showing.phrases import day
from enishi.projections.timeline import TurnPoint


def cube_root(number: int) -> int:
    """The integer cube root of a number from 0 on."""
    if number <= 0:
        return 0
    root = 1 << -(-number.bit_length() // 3)
    while (better := (2 * root + number // (root * root)) // 3) < root:
        root = better
    return root


STEP = cube_root(10 * MINUTE)
"""The least that a turn takes."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Where turns begin and end: `begins[0]` and `ends[0]` are the place before the first."""

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    moments: tuple[Moment | None, ...]

    @property
    def length(self) -> int:
        """Where the axis ends."""
        return self.ends[-1] + STEP

    def after(self, place: int, at: Moment | None) -> int:
        """Where a moment after the turn at this place stands."""
        ended = self.moments[place]
        silence = 0 if at is None or ended is None else at.at - ended.at
        latest = self.begins[place + 1] if place + 1 < len(self.begins) else self.length
        return min(latest, self.ends[place] + cube_root(silence))


def axis_of(turns: Sequence[TurnPoint]) -> Axis:
    """The axis of these turns."""
    begins, ends, moments = [0], [0], [turns[0].began if turns else None]
    for turn in turns:
        before = moments[-1]
        silence = turn.began.at - before.at if turn.began and before else 0
        begins.append(ends[-1] + max(STEP, cube_root(silence)))
        lasted = turn.ended.at - turn.began.at if turn.ended and turn.began else 0
        ends.append(begins[-1] + cube_root(lasted))
        moments.append(turn.ended)
    return Axis(tuple(begins), tuple(ends), tuple(moments))


@dataclass(frozen=True, slots=True)
class Tick:
    """A label at the turn of a place; the weightiest come first.

    An hour says nothing beneath another day: where the label of its own day (that of the place
    `day`) found no room, it is `instead`.
    """

    place: int
    label: str
    day: int = 0
    instead: str = ""


def days_of(turns: Sequence[TurnPoint], language: Language) -> list[str]:
    """The first and the last day, once where they are the same; none where no time is known."""
    known = [turn.began for turn in turns if turn.began]
    told = dict.fromkeys(day(language, moment) for moment in (*known[:1], *known[-1:]))
    return [" – ".join(told)] if told else []


def ticks(turns: Sequence[TurnPoint], language: Language) -> list[Tick]:
    """What can be written beneath the axis: the first turn, then years, days and hours as they
    begin. Where no time is known, turns are counted."""
    if not any(turn.began for turn in turns):
        tens = [place for place in range(1, len(turns) + 1) if place == 1 or place % 10 == 0]
        return [Tick(place, str(place)) for place in tens]
    years, days, times = [], [], []
    last: Moment | None = None
    today = 0
    for place, turn in enumerate(turns, start=1):
        now = turn.began
        if now is None or (last is not None and now.at == last.at):
            continue
        if last is None or now.to_datetime().year != last.to_datetime().year:
            years.append(Tick(today := place, day(language, now)))
        elif now.day != last.day:
            days.append(Tick(today := place, day(language, now, short=True)))
        else:
            instead = day(language, now, short=True)
            times.append(Tick(place, f"{now.to_datetime():%H:%M}", today, instead))
        last = now
    return [*years, *days, *times]


def placed(
    found: Sequence[Tick],
    where: Callable[[int], int],
    width: Callable[[str], int],
    gap: int,
    end: int,
) -> Iterator[tuple[int, str, int]]:
    """The labels that have room between 0 and `end`: the place of each, itself, where it begins."""
    taken: list[tuple[int, int]] = []
    told: set[int] = set()
    for tick in found:
        label = tick.label if not tick.instead or tick.day in told else tick.instead
        start = where(tick.place)
        stop = start + width(label)
        if stop <= end and all(stop + gap <= s or e + gap <= start for s, e in taken):
            taken.append((start, stop))
            told.add(tick.day or tick.place)
            yield tick.place, label, start
