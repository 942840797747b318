"""From statements to beliefs: what is one belief, what was taken back, and what holds when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from enishi.kernel.words.vocabulary import compared, normalised, published_keys
from enishi.projections.happenings import join_retold
from enishi.projections.intervals import (
    BEGINNING,
    CLAIMED,
    EXPLICIT,
    FOREVER,
    IMPORTED,
    INFERRED,
    REPORTED,
    Said,
    Settled,
    Telling,
    close,
    overlap,
    period,
    sweep,
)

Record = dict[str, Any]
"""The payload of an event with the instant, offset and turn at which it was said."""

_order = attrgetter("order")

Status = Literal["current", "past", "future", "replaced", "conflicting", "retracted"]
"""Where a belief stands at a moment.

current      it holds
past, future its period is over, or has not begun
replaced     a newer statement took its place, or it was a slip, corrected at once
conflicting  it contradicts what holds of the same time, and weighs less
retracted    it was taken back, and never held
"""


@dataclass(slots=True, eq=False)
class Belief:
    """One belief at a moment: its tellings, and what came of those that contradict it.

    `opening` is the telling that it begins with, `until` is where another took its place, `settled`
    names the first telling of either belief.
    """

    slot: tuple[str, str]
    first: Telling
    opening: Telling
    tellings: list[Telling]
    status: Status
    settled: Settled | None = None
    until: int = FOREVER
    retraction: int | None = None


class Remark(NamedTuple):
    """A confirmation or a retraction: where it was said, its number, and the statement it names."""

    said: Said
    number: int
    belief: int


class Asked(NamedTuple):
    """A question: the instant, the statements by number, the retractions by statement."""

    at: int
    stated: dict[int, Record]
    retracted: dict[int, list[Remark]]


def beliefs_of(asked: Asked, subject: str | None, key: str | None) -> list[Belief]:
    """The beliefs, in the order in which they were first told; of one subject or key, if given."""
    slots = _slots(asked.stated, normalised(subject) if subject else None, key)
    found = [belief for slot, told in slots.items() for belief in _slot(asked, slot, told)]
    found.sort(key=lambda belief: (belief.first.said, belief.first.number))
    return found


def unchanged(beliefs: Iterable[Belief], at: int) -> tuple[int, int]:
    """From when to when (exclusive) all these stand as they do at an instant.

    Nothing begins and nothing ends in between.
    """
    since, until = BEGINNING - 1, FOREVER + 1
    for told in (told for belief in beliefs for told in belief.tellings):
        for edge in (told.start, told.end):
            if since < edge <= at:
                since = edge
            elif at < edge < until:
                until = edge
    return since, until


def by_target(records: dict[str, Record]) -> dict[int, list[Remark]]:
    """Confirmations or retractions by the statements that they speak of, in the order of saying."""
    found: dict[int, list[Remark]] = {}
    for number, record in records.items():
        remark = Remark(said_at(record), int(number), record["belief"])
        for told in {record["belief"], *record.get("tellings", ())}:
            found.setdefault(told, []).append(remark)
    for remarks in found.values():
        remarks.sort()
    return found


def in_force(retracted: dict[str, Record], confirmed: dict[str, Record]) -> dict[str, Record]:
    """The retractions but for those to which the user, or who took it back, said yes again since."""
    yes = by_target(confirmed) if retracted else {}

    def revoked(record: Record) -> bool:
        whose = {"user", *record["voices"]}
        return any(
            later.said > said_at(record)
            and not whose.isdisjoint(confirmed[str(later.number)]["voices"])
            for told in {record["belief"], *record.get("tellings", ())}
            for later in yes.get(told, ())
        )

    return {number: record for number, record in retracted.items() if not revoked(record)}


def said_at(record: Record) -> Said:
    """Where the words stand that a record rests on. What rests on none came after its turn."""
    text, start, _ = record["spans"][-1] if record["spans"] else (FOREVER, record["number"], 0)
    at = record["at"]
    return BEGINNING if at is None else at, record["turn"], text, start


def _slots(
    stated: dict[int, Record], subject: str | None, key: str | None
) -> dict[tuple[str, str], list[Telling]]:
    """The statements by subject and key."""
    found: dict[tuple[str, str], list[Telling]] = {}
    for number, record in stated.items():
        about = normalised(record["subject"])
        if (subject is None or subject == about) and key in (None, record["key"]):
            found.setdefault((about, record["key"]), []).append(_telling(number, record))
    for slot, tellings in found.items():
        if len(tellings) > 1:
            _join_languages(stated, tellings)
            if not _single(slot[1]):
                join_retold(stated, tellings)
    return found


def _single(key: str) -> bool:
    """Whether a slot of this key holds one value at a time."""
    known = published_keys().get(key)
    return known is not None and known.values == "one"


def _telling(number: int, record: Record) -> Telling:
    since, until = record.get("valid_from"), record.get("valid_until")
    said = said_at(record)
    if since or until:
        start, end, named = period(since, until, said[0], record["offset"])
    else:
        start, end, named = said[0], FOREVER, BEGINNING
    strength = _strength(record)
    thing = compared(record["value"]).same, record.get("polarity", True)
    first = record.get("same_as", number)
    return Telling(number, said, thing, strength, start, end, named, since, until, first, number)


def _strength(record: Record) -> int:
    authority = CLAIMED if record.get("authority", "claimed") == "claimed" else REPORTED
    if record.get("by") == "import":
        return IMPORTED + authority
    return (EXPLICIT if record.get("basis", "explicit") == "explicit" else INFERRED) + authority


def _join_languages(stated: dict[int, Record], tellings: list[Telling]) -> None:
    """Let a paraphrase in the other script be the value whose very words it cites.

    Only where the cited words overlap, where one value alone can be meant, and where the bilingual
    table does not know better.
    """
    if not any(compared(stated[telling.number]["value"]).wide for telling in tellings):
        return
    wide: dict[tuple[int, ...], list[Telling]] = {}
    latin: list[tuple[tuple[int, ...], Telling]] = []
    for telling in tellings:
        record = stated[telling.number]
        place = (telling.said[2], *record["sentence"], telling.thing[1])
        if compared(record["value"]).wide:
            wide.setdefault(place, []).append(telling)
        else:
            latin.append((place, telling))
    meant: dict[str, str] = {}
    for place, telling in latin:
        mine = stated[telling.number]
        same = {
            other.thing[0]
            for other in wide.get(place, ())
            if _cites_the_same(mine, stated[other.number])
        }
        if len(same) == 1:
            said = telling.thing[0]
            meant[said] = min(same.pop(), meant.get(said, "\U0010ffff"))
    for telling in tellings if meant else ():
        said, polarity = telling.thing
        telling.thing = meant.get(said, said), polarity


def _cites_the_same(one: Record, other: Record) -> bool:
    if compared(one["value"]).known and compared(other["value"]).known:
        return False
    return any(
        text == same and start < last and first < end
        for text, start, end in one["spans"]
        for same, first, last in other["spans"]
    )


def _slot(asked: Asked, slot: tuple[str, str], tellings: list[Telling]) -> Iterator[Belief]:
    """The beliefs about one subject under one key."""
    single = _single(slot[1])
    lines: dict[str, list[Telling]] = {}
    for telling in tellings:
        lines.setdefault("" if single else telling.thing[0], []).append(telling)
    for line in lines.values():
        retracted = asked.retracted and any(
            telling.number in asked.retracted or telling.first in asked.retracted
            for telling in line
        )
        if len(line) == 1 and not retracted:
            yield Belief(slot, line[0], line[0], line, _status_in_time(line, asked.at))
            continue
        if retracted:
            taken = _taken_back(asked.retracted, line)
            yield from _retracted(slot, taken, line)
            line = [telling for telling in line if telling.number not in taken]
        yield from _line(slot, line, single, asked.at)


def _taken_back(
    retracted: dict[int, list[Remark]], line: list[Telling]
) -> dict[int, tuple[Said, int]]:
    """Which tellings were taken back, and by which event.

    A retraction takes back every telling of the same thing and time, and the later ones too, unless
    somebody claims it anew in so many words. It knows what it speaks of by the numbers of the first
    tellings, so that it makes no difference which of them stand.
    """
    taken: dict[int, tuple[Said, int]] = {}
    for target in line:
        for said, number, named in {
            *retracted.get(target.number, ()),
            *retracted.get(target.first, ()),
        }:
            for telling in (other for other in line if other.thing == target.thing):
                anew = telling.strength == EXPLICIT + CLAIMED and telling.said > said
                if telling.number == named or (overlap(telling, target) and not anew):
                    found = taken.setdefault(telling.number, (said, number))
                    taken[telling.number] = min(found, (said, number))
    return taken


def _retracted(
    slot: tuple[str, str], taken: dict[int, tuple[Said, int]], line: list[Telling]
) -> Iterator[Belief]:
    """The beliefs that were taken back. What only repeats them later adds nothing to them."""
    gone: dict[tuple[object, ...], list[Telling]] = {}
    for telling in line:
        if telling.number in taken:
            gone.setdefault((telling.thing, taken[telling.number]), []).append(telling)
    for tellings in gone.values():
        said, number = taken[tellings[0].number]
        before = [telling for telling in tellings if telling.said <= said] or tellings
        before.sort(key=_order)
        yield Belief(slot, _first(before), before[0], before, "retracted", retraction=number)


def _line(slot: tuple[str, str], line: list[Telling], single: bool, at: int) -> Iterator[Belief]:
    """The beliefs of one slot that were not taken back."""
    if len(line) > 1:
        line.sort(key=_order)
        if not _agree(line):
            yield from _contested(slot, line, single, at)
            return
    if line:
        yield Belief(slot, _first(line), line[0], line, _status_in_time(line, at))


def _agree(line: list[Telling]) -> bool:
    """Whether all say one and the same, without an end: most lines do, and need no sweep."""
    thing = line[0].thing
    return all(telling.thing == thing and telling.end == FOREVER for telling in line)


def _contested(
    slot: tuple[str, str], line: list[Telling], single: bool, at: int
) -> Iterator[Belief]:
    close(line)
    swept = sweep(line, single, at)
    firsts = {run: _first(tellings) for run, tellings in swept.runs.items()}
    told = {telling.number: telling for telling in line}
    for run, tellings in swept.runs.items():
        status = _status_in_time(tellings, at)
        belief = Belief(slot, firsts[run], tellings[0], tellings, status)
        if any(telling.number in swept.held for telling in tellings):
            # What had been outweighed is no beginning of what holds.
            belief.opening = next(t for t in tellings if t.number not in swept.lost)
            belief.settled = _last(swept.won, tellings)
        elif status == "current":
            belief.settled = _last(swept.lost, tellings)
            _give_way(belief, told)
        if belief.settled:
            winner, loser, reason = belief.settled
            winner, loser = (firsts[told[number].run].number for number in (winner, loser))
            belief.settled = Settled(winner, loser, reason)
        yield belief


def _give_way(belief: Belief, told: dict[int, Telling]) -> None:
    if belief.settled and belief.settled.conflict:
        belief.status = "conflicting"
    elif belief.settled:
        belief.status = "replaced"
        # Who says in the evening "stopped today" ends what began that morning at once.
        belief.until = max(belief.opening.start, told[belief.settled.winner].start)


def _last(contests: dict[int, Settled], tellings: list[Telling]) -> Settled | None:
    found = [contests[telling.number] for telling in tellings if telling.number in contests]
    return found[-1] if found else None


def _status_in_time(tellings: list[Telling], at: int) -> Status:
    """What a belief's own period makes of it."""
    begun = False
    for telling in tellings:
        if telling.start <= at < telling.end:
            return "current"
        begun = begun or telling.start <= at
    return "past" if begun else "future"


def _first(tellings: list[Telling]) -> Telling:
    if len(tellings) == 1:
        return tellings[0]
    return min(tellings, key=lambda telling: (telling.said, telling.number))
