"""Who heard what: of a group that will see a recall, everybody must have been there.

What was said between the two was heard by both. In a scene it was heard by those who were present,
and by those who spoke in the turn; who was absent does not know. What was told to somebody later is
known to them by that telling, and is hearsay where somebody else told it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.errors import InvalidInput
from enishi.kernel.history import TEXT_CODES
from enishi.kernel.stream import Stream
from enishi.projections.recall.items import Item, Viewers

_SAID = ("text", "turn", "episode")
_USER = frozenset({"user"})


def viewers_of(given: Audience | Collection[str]) -> Viewers:
    """An audience as it is kept: the agent alone, the user, or the ids of a group in order."""
    if given in ("agent", "user"):
        return given
    if isinstance(given, str):
        raise InvalidInput(
            f"an audience is agent, user, or a list of the ids of a group, not {given!r}"
        )
    return tuple(sorted({check_id(one, "one of an audience") for one in given}))


@dataclass(slots=True)
class Hearing:
    """What is open to those who will see a recall on a branch. Needs `reading`."""

    stream: Stream
    viewers: Viewers
    _members: frozenset[str] | None = field(init=False)
    _present: dict[int, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.viewers == "agent":
            self._members = None
        elif self.viewers == "user":
            self._members = _USER
        else:
            self._members = frozenset(map(self._one, self.viewers)) - {"agent"}

    def is_open(self, item: Item) -> bool:
        """Whether all who will see an item may know of it.

        What rests on no words was told by hand, by the user.
        """
        if self._members is None:
            return True
        texts = item.numbers if item.kind in _SAID else [quote.text for quote in item.sources]
        return item.audience == "user" and self.heard(texts)

    def heard(self, texts: Iterable[int]) -> bool:
        """Whether all who will see it heard all of these texts."""
        members = self._members
        if members is None:
            return True
        turn = self.stream.history.turn
        turns = sorted({turn[text] for text in texts})
        if not turns:
            return members == _USER
        return bool(members) and all(members <= self.present(one) for one in turns)

    def present(self, turn: int) -> frozenset[str]:
        """Who was there in a turn, the two as `user` and `agent`; nobody where that is not known."""
        if turn not in self._present:
            self._present[turn] = self._read(turn)
        return self._present[turn]

    def _read(self, turn: int) -> frozenset[str]:
        history = self.stream.history
        opened = self.stream.payload(turn)
        if opened is None:
            return frozenset()
        there = {"agent"}
        if opened.get("scene") is None:
            there.add("user")
        there.update(map(self._one, opened.get("present") or ()))
        texts = [n for n in history.events_of(turn) if history.kind[n] in TEXT_CODES]
        for said in self.stream.payloads(texts).values():
            if (speaker := said.get("speaker")) is not None and not said.get("hidden"):
                there.add(self._one(speaker))
        return frozenset(there)

    def _one(self, party: str) -> str:
        """A party by its role, whichever of its ids is given; somebody else by the id."""
        line, ids = self.stream.line, self.stream.ids_of(party)
        if line.user in ids:
            return "user"
        return "agent" if line.agent in ids else party


def viewers_in(stream: Stream, turn: int) -> Viewers:
    """Who will see the reply to a turn: in a scene all who are there, else the prompt's agent alone.

    Needs `reading`.
    """
    opened = stream.payload(turn)
    if opened is None or opened.get("scene") is None:
        return "agent"
    there = Hearing(stream, "user").present(turn)
    parties = {"user": stream.line.user, "agent": stream.line.agent}
    return tuple(sorted(parties.get(one, one) for one in there - {"agent"}))
