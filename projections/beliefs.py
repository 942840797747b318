"""Beliefs: what is held true about whom, since when, until when, and on what words.

The state keeps what was stated, confirmed and retracted, and nothing else; what holds at a moment
is worked out when it is asked. So it makes no difference in which order things came, and where a
statement falls, the one that it had replaced holds again. `intervals.py` has the order in which
contradicting statements give way, `vocabulary.py` says when two values are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, product
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from enishi.kernel.fold import Event, Projection, Reason, State
from enishi.kernel.moments import DAY, Moment
from enishi.kernel.words.vocabulary import kinds_of, near_keys, opposed_keys
from enishi.projections.intervals import BEGINNING, FOREVER, Said, Telling
from enishi.projections.slots import (
    Asked,
    Belief,
    Record,
    Status,
    beliefs_of,
    by_target,
    in_force,
    said_at,
    unchanged,
)

READS = frozenset({"BeliefStated", "BeliefConfirmed", "BeliefRetracted"})

NEAREST = 8
"""Of related beliefs, at most so many of the latest are looked at for possible conflicts."""

_said = attrgetter("said")
_Near = tuple[int, frozenset[str]]
_NO_WORDS: frozenset[str] = frozenset()
_LISTS = {"BeliefStated": "stated", "BeliefConfirmed": "confirmed", "BeliefRetracted": "retracted"}


class BeliefView(NamedTuple):
    """One belief, as it stands at a moment.

    `number` is the event that stated it first. `value`, `category`, `basis`, `authority` and
    `spans` (text, start, end; code points) are those of its best founded telling. `valid_from` and
    `valid_until` are dates as they were given, None where none was; `since` and `until` (exclusive)
    are the instants in between which it holds, None where nobody knows. `told` are the moments at
    which it was told as well as it ever was, each cited sentence once. `reason` says why it lost or
    won over a contradicting belief; `resolved_from` is (winner, loser). `retraction` is the event
    that took it back.
    """

    number: int
    subject: str
    key: str
    value: str
    polarity: bool
    category: str
    authority: str
    basis: str
    valid_from: str | None
    valid_until: str | None
    since: Moment | None
    until: Moment | None
    status: Status
    reason: str | None
    resolved_from: tuple[int, int] | None
    retraction: int | None
    told: tuple[Moment | None, ...]
    confirmed_at: tuple[Moment | None, ...]
    possible_conflicts: tuple[int, ...]
    because: dict[str, Any] | None
    spans: tuple[tuple[int, int, int], ...]

    @property
    def last_affirmed(self) -> Moment | None:
        """When it was last told or confirmed, None where no such time is known."""
        return max(
            (moment for moment in (*self.told, *self.confirmed_at) if moment),
            key=lambda moment: moment.at,
            default=None,
        )


@dataclass(frozen=True, slots=True)
class Staleness:
    """Current beliefs that were not affirmed lately, oldest first, an unknown time before all.

    Of `current` beliefs, `confirmed` were confirmed within the time.
    """

    stale: tuple[BeliefView, ...]
    current: int
    confirmed: int

    @property
    def share_confirmed(self) -> float:
        """From 0 to 1; 0 where nothing is current."""
        return self.confirmed / self.current if self.current else 0.0


def _initial() -> State:
    return {"stated": {}, "confirmed": {}, "retracted": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    # What is true when does not depend on where on the path it was told; what the user says of it
    # by hand comes after all that stands before.
    moment = (event.payload["spans"] and event.said) or event.moment
    at, offset = (moment.at, moment.offset) if moment else (None, 0)
    record = {**event.payload, "at": at, "offset": offset, "turn": event.turn}
    if not event.payload["spans"]:
        record["number"] = event.number
    state[_LISTS[event.type]][str(event.number)] = record


BELIEFS = Projection("beliefs", 2, READS, _initial, _apply)


def beliefs_at(
    state: State,
    valid_at: Moment | None = None,
    *,
    subject: str | None = None,
    key: str | None = None,
) -> list[BeliefView]:
    """Every belief as it stands at a moment, in the order in which they were first told.

    Without a moment: when anything here was last said, or the end of time where no time is known.
    What is known is what the state has folded: for what was known in March, fold until March.
    `subject` and `key` leave the others out.
    """
    at = _latest(state) if valid_at is None else valid_at.at
    return answer_at(state, at, subject, key).views


class Answer(NamedTuple):
    """Beliefs as they stand at every instant from `since` to `until` (exclusive)."""

    views: list[BeliefView]
    since: int
    until: int


def answer_at(state: State, at: int, subject: str | None, key: str | None) -> Answer:
    """The beliefs at an instant, and for how long that answer holds while nothing more is told."""
    stated = {int(number): record for number, record in state["stated"].items()}
    retracted = by_target(in_force(state["retracted"], state["confirmed"]))
    found = beliefs_of(Asked(at, stated, retracted), subject, key)
    confirmed, near = _confirmed(state), _possible_conflicts(found, stated)
    views = [_view(belief, stated, confirmed, near) for belief in found]
    return Answer(views, *unchanged(found, at))


def tellings(state: State, belief: int) -> list[int]:
    """The numbers of all statements of one belief, the first one included."""
    stated = state["stated"].items()
    return [int(n) for n, one in stated if belief in (int(n), one.get("same_as"))]


def stale(views: Iterable[BeliefView], now: Moment, days: int = 30) -> Staleness:
    """What nobody told or confirmed within so many times 24 hours before `now`."""
    current = [view for view in views if view.status == "current"]
    limit = now.at - days * DAY
    ages = [(last.at if (last := view.last_affirmed) else BEGINNING, view) for view in current]
    old = sorted(
        ((at, view) for at, view in ages if at < limit), key=lambda old: (old[0], old[1].number)
    )
    confirmed = sum(
        any(moment and moment.at >= limit for moment in view.confirmed_at) for view in current
    )
    return Staleness(tuple(view for _, view in old), len(current), confirmed)


def _latest(state: State) -> int:
    times = (r["at"] for records in state.values() for r in records.values())
    return max((at for at in times if at is not None), default=FOREVER - 1)


def _confirmed(state: State) -> dict[int, dict[Said, Moment | None]]:
    """When each statement was confirmed; the same words confirm once."""
    records = state["confirmed"]
    return {
        told: {
            one.said: _moment(one.said[0], records[str(one.number)]["offset"]) for one in remarks
        }
        for told, remarks in by_target(records).items()
    }


def _moment(at: int, offset: int) -> Moment | None:
    return Moment(at, offset) if BEGINNING < at < FOREVER else None


def _view(
    belief: Belief,
    stated: dict[int, Record],
    confirmed: dict[int, dict[Said, Moment | None]],
    near: dict[int, tuple[int, ...]],
) -> BeliefView:
    number, tellings = belief.first.number, belief.tellings
    opening, settled = belief.opening, belief.settled
    offset = stated[opening.number]["offset"]
    since = _moment(opening.start, offset)
    if len(tellings) == 1:
        shown, ending = stated[number], opening
        because = shown.get("because")
        told: tuple[Moment | None, ...] = (
            since if opening.start == opening.said[0] else _moment(opening.said[0], offset),
        )
    else:
        founded = max([telling.strength for telling in tellings])
        best = [telling for telling in tellings if telling.strength == founded]
        shown, ending = _shown(best, stated), max(tellings, key=_ending)
        told, because = _told(best, stated), _because(tellings, stated)
    until = min(ending.end, belief.until)
    # By place: it is made for each of many thousands.
    return BeliefView(
        number,
        shown["subject"],
        shown["key"],
        shown["value"],
        shown.get("polarity", True),
        shown.get("category", "fact"),
        shown.get("authority", "claimed"),
        shown.get("basis", "explicit"),
        opening.since,
        ending.until,
        since,
        None if until == FOREVER else _moment(until, offset),
        belief.status,
        settled.reason if settled else None,
        settled.pair if settled else None,
        belief.retraction,
        told,
        _confirmations(tellings, confirmed) if confirmed else (),
        near.get(number, ()),
        because,
        tuple(map(tuple, shown["spans"])),
    )


def _ending(telling: Telling) -> tuple[int, Said, str]:
    return telling.end, telling.said, telling.until or ""


def _because(tellings: list[Telling], stated: dict[int, Record]) -> dict[str, Any] | None:
    """The reason that was given last."""
    giving = [telling for telling in tellings if "because" in stated[telling.number]]
    return stated[max(giving, key=_said).number]["because"] if giving else None


def _confirmations(
    tellings: list[Telling], confirmed: dict[int, dict[Said, Moment | None]]
) -> tuple[Moment | None, ...]:
    found: dict[Said, Moment | None] = {}
    for telling in tellings:
        found |= confirmed.get(telling.number, {}) | confirmed.get(telling.first, {})
    return tuple(moment for _, moment in sorted(found.items(), key=itemgetter(0)))


def _shown(best: list[Telling], stated: dict[int, Record]) -> Record:
    """The telling whose wording is shown: the first whose value stands in the cited words."""

    def own_words(record: Record) -> tuple[bool, Said, str]:
        return not record.get("literal", True), said_at(record), record["value"]

    return min([stated[telling.number] for telling in best], key=own_words)


def _told(best: list[Telling], stated: dict[int, Record]) -> tuple[Moment | None, ...]:
    """When it was told, each cited sentence once, in the order of saying."""
    sentences: dict[tuple[int, ...], Telling] = {}
    for telling in sorted(best, key=_said):
        sentences.setdefault((telling.said[2], *stated[telling.number]["sentence"]), telling)
    return tuple([_moment(t.said[0], stated[t.number]["offset"]) for t in sentences.values()])


def _possible_conflicts(
    beliefs: list[Belief], stated: dict[int, Record]
) -> dict[int, tuple[int, ...]]:
    """By belief, the others that hold as well and may contradict it.

    Under near keys that is a different value of one kind, under opposed keys the same value.
    """
    near, opposed = near_keys(), opposed_keys()
    together: dict[tuple[str, str, int, str], dict[str, list[_Near]]] = {}
    for belief in beliefs:
        (subject, key), first = belief.slot, belief.first
        if belief.status != "current" or not first.thing[1]:
            continue
        for group in opposed.get(key, ()):
            place = ("opposed", subject, group, first.thing[0])
            together.setdefault(place, {}).setdefault(key, []).append((first.number, _NO_WORDS))
        for group in near.get(key, ()):
            for kind, words in kinds_of(stated[first.number]["value"]).items():
                place = ("near", subject, group, kind)
                together.setdefault(place, {}).setdefault(key, []).append((first.number, words))
    found: dict[int, set[int]] = {}
    for by_key in together.values():
        for some, others in combinations(by_key.values(), 2):
            for (one, words), (other, more) in product(some[-NEAREST:], others[-NEAREST:]):
                if words.isdisjoint(more):
                    found.setdefault(one, set()).add(other)
                    found.setdefault(other, set()).add(one)
    return {number: tuple(sorted(others)) for number, others in found.items()}
