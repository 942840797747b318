"""What came of a pack of E.R.I.I. that was taken in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from enishi.kernel.deciding.proposing import Decided


class Refused(NamedTuple):
    """Something that the pack asserts and that has no effect here: what, its id, and why not."""

    what: str
    id: str
    words: str
    reason: str


@dataclass(slots=True)
class EriiReport:
    """What came of a pack. `turns`, `notes` and `events` count what was recorded now.

    `refused` has every item of the pack without effect here, `reworded` those whose wording is
    that of the text, `left_out` counts what has no counterpart. `differences` are sentences on
    what comes out otherwise than the other program reports it.
    """

    title: str
    agent: str
    user: str
    branch: str
    version: str
    turns: int = 0
    notes: int = 0
    replies: int = 0
    events: int = 0
    revised: int = 0
    refused: list[Refused] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything was recorded."""
        return any((self.turns, self.notes, self.replies, self.events, self.revised))


@dataclass(slots=True)
class Taken:
    """What each item of a pack became: numbers of events, by its id in the pack and its kind."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    decided: dict[tuple[str, str], Decided] = field(default_factory=dict)

    def any_of(self, event: str) -> int | None:
        """The number of anything that came of an event of the pack."""
        kinds = ("signal", "promise", "loop", "end", "consequence", "step")
        return next((n for kind in kinds if (n := self.numbers.get((kind, event)))), None)
