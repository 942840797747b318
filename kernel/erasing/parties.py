"""A user or an agent with all that is theirs: where it is, and what goes with them.

An id finds whoever goes by it, and whoever went by it before. Their relationships go whole. In the
relationships of others goes what they said under any of their ids, and the names they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from enishi.kernel.erasing.erasure import (
    Asked,
    Part,
    erase,
    erase_relationship,
    everything,
    reached,
    type_names,
)
from enishi.kernel.erasing.receipt import OutOfReach
from enishi.kernel.events import ErasureReason
from enishi.kernel.history import TEXT_CODES, kind_code
from enishi.kernel.stream import Stream

PartyScope = Literal["user", "agent"]

_TURN = kind_code("TurnOpened")
_NAMED = kind_code("PartyNamed")


class Share(NamedTuple):
    """What of one relationship would go with a user or an agent, by kind; `whole` is all of it.

    `scenes` are the turns of others that say, by an id, that they were there. Those stay.
    """

    agent: str
    user: str
    whole: bool
    types: dict[str, int]
    scenes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PartyPlan:
    """What would go with a user, an agent, or one whole relationship.

    `ids` are all ids of the user or the agent that the one asked for leads to.
    """

    ids: tuple[str, ...]
    shares: tuple[Share, ...]
    out_of_reach: tuple[OutOfReach, ...]


class Found(NamedTuple):
    """Where somebody is: `own` are all lines of their relationships, `others` those of others'."""

    ids: frozenset[str]
    own: tuple[Stream, ...]
    others: tuple[Stream, ...]


def find(streams: Sequence[Stream], scope: PartyScope, party: str) -> Found:
    """Whose id this is or was, among all lines of a store. Needs `log.reading`."""
    ids, theirs = {party}, set[bytes]()
    for stream in streams:
        with stream.reading():
            known = stream.all_ids(scope)
        if party in known:
            theirs.add(stream.line.relationship)
            ids |= known
    own = tuple(stream for stream in streams if stream.line.relationship in theirs)
    others = tuple(stream for stream in streams if stream.line.relationship not in theirs)
    return Found(frozenset(ids), own, others)


def shares(found: Found, scope: PartyScope) -> Iterable[Share]:
    """What would go of each relationship, and where an id would stay."""
    yield from map(whole_share, found.own)
    for stream in found.others:
        with stream.reading():
            ids = _ids_here(stream, found.ids, scope)
            going = reached(stream, _said_by(stream, ids, scope))
            left = tuple(turn for turn in scenes_with(stream, ids) if turn not in going)
            if going or left:
                line = stream.line
                yield Share(line.agent, line.user, False, type_names(stream, going), left)


def whole_share(stream: Stream) -> Share:
    """All of one line of a relationship."""
    with stream.reading():
        line = stream.line
        return Share(line.agent, line.user, True, type_names(stream, everything(stream)))


def erase_party(found: Found, scope: PartyScope, reason: ErasureReason) -> tuple[list[Part], int]:
    """Erase all of somebody. Returns also in how many turns of others an id of theirs is left.

    Needs `log.writing`.
    """
    parts: list[Part] = []
    scenes = 0
    for stream in {one.line.relationship: one for one in reversed(found.own)}.values():
        parts += erase_relationship(stream, scope, reason)
    for stream in found.others:
        with stream.writing():
            ids = _ids_here(stream, found.ids, scope)
            asked = _said_by(stream, ids, scope)
            parts += erase(stream, asked, reason) if asked.numbers else []
            scenes += len(scenes_with(stream, ids))
    return parts, scenes


def _ids_here(stream: Stream, ids: frozenset[str], scope: PartyScope) -> frozenset[str]:
    """Where the agent has the id of a user, or the user that of an agent, it is theirs."""
    return ids - stream.all_ids("agent" if scope == "user" else "user")


def _said_by(stream: Stream, ids: frozenset[str], scope: PartyScope) -> Asked:
    """What somebody of these ids said here, in all wordings, and the names they went by; may be
    nothing.
    """
    payloads = stream.payloads([*stream.history.of_kinds((*TEXT_CODES, _NAMED))], checked=False)
    numbers = {
        number
        for number, said in payloads.items()
        if said.get("speaker") in ids or said.get("party") in ids
    }
    numbers |= {number for number, first in stream.history.base.items() if first in numbers}
    return Asked(scope, tuple(sorted(numbers)))


def scenes_with(stream: Stream, ids: frozenset[str]) -> list[int]:
    """The turns that say that somebody of these ids was there. Needs `reading`.

    That is part of the turn, which is what others said as well, and stays with it.
    """
    turns = stream.payloads([*stream.history.of_kinds((_TURN,))], ("TurnOpened",), checked=False)
    return [n for n, turn in sorted(turns.items()) if not ids.isdisjoint(turn.get("present") or ())]
