"""Happenings among beliefs: what was told again is one belief, and two of two days stay two.

Which tellings are of the same in other words was judged as each was recorded; here they are put
together among what stands, in the order of saying, so that it makes no difference which was
recorded first, and where the first telling falls the others stand together without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from enishi.kernel.words.happenings import Days, days_meet
from enishi.projections.intervals import Telling


@dataclass
class _Happening:
    """One happening: its tellings in the order of saying, and the days that those name."""

    tellings: list[Telling] = field(default_factory=list)
    days: list[Days] = field(default_factory=list)

    def fits(self, days: Days | None) -> bool:
        return days is None or all(days_meet(days, other) for other in self.days)

    @property
    def dated(self) -> Telling | None:
        """The first telling that says when."""
        return next((told for told in self.tellings if told.since or told.until), None)


def join_retold(stated: dict[int, dict[str, Any]], tellings: list[Telling]) -> None:
    """Let every telling of a happening in one slot be of one thing, and of its days.

    A telling without a date is of the latest happening that it can mean.
    """
    own = [told for told in tellings if stated[told.number].get("category") == "occurrence"]
    if len(own) < 2:
        return
    links = _links(stated, own)
    found: list[_Happening] = []
    place: dict[int, int] = {}
    by_value: dict[str, set[int]] = {}
    for told in sorted(own, key=lambda told: (told.said, told.thing, told.number)):
        value, days = told.thing[0], _days(told)
        same = {place[other] for other in links.get(told.number, ()) if other in place}
        fitting = [at for at in same | by_value.get(value, set()) if found[at].fits(days)]
        if not fitting:
            found.append(_Happening())
        at = max(fitting, default=len(found) - 1)
        found[at].tellings.append(told)
        found[at].days += [days] if days else []
        place[told.number] = at
        by_value.setdefault(value, set()).add(at)
    names: set[str] = set()
    for happening in found:
        _be_one(happening, names)


def _links(stated: dict[int, dict[str, Any]], tellings: list[Telling]) -> dict[int, set[int]]:
    """The tellings of the same, both ways."""
    links: dict[int, set[int]] = {}
    for told in tellings:
        for other in stated[told.number].get("retells", ()):
            links.setdefault(told.number, set()).add(other)
            links.setdefault(other, set()).add(told.number)
    return links


def _days(told: Telling) -> Days | None:
    first, last = told.since or told.until, told.until or told.since
    return (first, last) if first and last else None


def _be_one(happening: _Happening, names: set[str]) -> None:
    """Give the tellings of a happening one name, that of no other, and its days."""
    name, dated = happening.tellings[0].thing[0], happening.dated
    if name in names and dated:
        name = f"{name}\n{dated.since}\n{dated.until}"
    names.add(name)
    for told in happening.tellings:
        told.thing = name, told.thing[1]
        if dated and dated.thing[1] == told.thing[1] and not (told.since or told.until):
            told.start, told.end, told.named = dated.start, dated.end, dated.named
            told.since, told.until = dated.since, dated.until
