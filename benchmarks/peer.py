"""The peer: the library `eventsourcing` with its own SQLite recorder, holding the same events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate

from enishi.kernel.fold import Event
from enishi.kernel.moments import Moment
from enishi.projections.rapport import RAPPORT


class Bond(Aggregate):
    """A relationship as an aggregate. Its state is folded by the very function that we use."""

    def __init__(self) -> None:
        self.rapport = RAPPORT.initial()

    class Recorded(Aggregate.Event):
        """Something happened; what it was is in the payload."""

        type: str
        number: int
        turn: int
        at: int
        offset: int
        payload: dict[str, Any]

        def apply(self, aggregate: Any) -> None:
            """Fold it, where the projection reads events of its type."""
            if self.type in RAPPORT.reads:
                moment = Moment(self.at, self.offset)
                event = Event(self.number, self.type, self.payload, self.turn, moment)
                RAPPORT.apply(aggregate.rapport, event, None)

    def record(self, event: Event) -> None:
        """Let one event happen."""
        moment = event.moment or Moment(0)
        self.trigger_event(
            self.Recorded,
            type=event.type,
            number=event.number,
            turn=event.turn,
            at=moment.at,
            offset=moment.offset,
            payload=event.payload,
        )


def open_peer(path: Path) -> Application[UUID]:
    """Its application on a file; WAL is its own choice, and FULL is SQLite's."""
    return Application[UUID](
        env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
    )


def fill(path: Path, events: Sequence[Event], batch: int = 500) -> UUID:
    """Save events, many per commit. Returns the aggregate's id."""
    app = open_peer(path)
    bond = Bond()
    for start in range(0, len(events), batch):
        for event in events[start : start + batch]:
            bond.record(event)
        app.save(bond)
    app.close()
    return bond.id


def replay(path: Path, bond: UUID) -> dict[str, int]:
    """Fold the aggregate from its first event on. Returns the five numbers."""
    app = open_peer(path)
    found: Bond = app.repository.get(bond)
    app.close()
    values: dict[str, int] = found.rapport["values"]
    return values
