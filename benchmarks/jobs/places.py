"""Where jobs work: their sizes, their files, and the histories that several of them read."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bare import BareTable, connect
from material import EverySecond, exchanges
from measuring import Amounts, Comparison, Job, Run
from peer_erii import Erii

import enishi
from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.encoding import Header
from enishi.kernel.fold import Event
from enishi.kernel.history import ROOT
from enishi.kernel.log import Log
from enishi.kernel.moments import Moment
from enishi.projections.reading import Rapport

PLAIN = "plain SQLite"


PEER = "eventsourcing"


PER_TURN = 5


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done per run, and how often. Long runs have fewer rounds."""

    commits: int
    imported: int
    history: int
    longer: int
    shorter: int
    replayed: int
    remembered: tuple[int, ...]
    opened: tuple[int, ...]
    relationships: tuple[int, int]
    rounds: int
    long_rounds: int


FULL_SIZE = Sizes(
    commits=300, imported=100_000, history=100_000, longer=1_000_000, shorter=20_000,
    replayed=10_000, remembered=(1_000, 10_000, 100_000), opened=(10_000, 100_000, 1_000_000),
    relationships=(1_000, 100_000), rounds=7, long_rounds=3,
)  # fmt: skip
QUICK = Sizes(
    commits=60, imported=2_000, history=10_000, longer=20_000, shorter=5_000,
    replayed=5_000, remembered=(1_000,), opened=(10_000,),
    relationships=(100, 1_000), rounds=3, long_rounds=2,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of the job's own, one that the jobs share, and what has to be closed at the end; and
    E.R.I.I., where it was given.
    """

    folder: Path
    shared: Path
    open: ExitStack
    erii: Erii | None = None

    def file(self, name: str) -> Path:
        """Where a file of this name goes."""
        return self.folder / f"{name}.db"

    def bond(self, path: Path, synchronous: str = "FULL") -> enishi.Relationship:
        """The one relationship of a store that stays open while the jobs run."""
        store = enishi.open(path, synchronous="FULL" if synchronous == "FULL" else "NORMAL")
        return self.open.enter_context(store).relationship("lumi", "chen")

    def table(self, name: str, synchronous: str = "FULL") -> BareTable:
        """A floor to write to."""
        table = BareTable(self.file(name), synchronous)
        self.open.callback(table.close)
        return table

    def connection(self, path: Path) -> sqlite3.Connection:
        """A plain connection that stays open while the job runs."""
        return self.open.enter_context(closing(connect(path)))

    def history(self, events: int, proposer: Callable[[], Proposer] = EverySecond) -> Path:
        """A store with one relationship of so many events, of which nothing is kept yet."""
        reader = proposer()
        made = self.shared / f"{events}-{reader.name}.db"
        if not made.exists():
            write_history(made, events // PER_TURN, reader)
        return self._own(made)

    def kept(self, events: int, proposer: Callable[[], Proposer] = EverySecond) -> Path:
        """Such a store of which the history and the checkpoints are kept."""
        made = self.shared / f"{events}-{proposer().name}-kept.db"
        if not made.exists():
            shutil.copy(self.history(events, proposer), made)
            with enishi.open(made) as store:
                store.relationship("lumi", "chen", create=False).rapport()
        return self._own(made)

    def _own(self, made: Path) -> Path:
        mine = self.folder / made.name
        if not mine.exists():
            shutil.copy(made, mine)
        return mine


JobMaker = Callable[[Place, Sizes], Job | Amounts]


def beside(job: Job, other: str, run: Run, *ours: str) -> Job:
    """The job with one more side, and these of ours compared with it."""
    return replace(
        job,
        sides={**job.sides, other: run},
        comparisons=(*job.comparisons, *(Comparison(name, other) for name in ours)),
    )


def write_history(path: Path, turns: int, proposer: Proposer) -> None:
    """A live relationship: each turn as recorded, then read by a proposer, in one transaction."""
    with enishi.open(path) as store, store.transaction():
        bond = store.relationship("lumi", "chen")
        for said, reply, at in exchanges(turns):
            bond.propose(bond.record(said, reply, at=at), proposer)


def opened_log(path: Path) -> closing[Log]:
    return closing(Log(path))


def events_of(path: Path) -> Sequence[Event]:
    """All events of a store after the founding one, as a projection sees them."""
    with opened_log(path) as log, log.reading():
        return [
            _event(record.header, record.payload or {})
            for record in log.records(log.lines()[0].line, start=1)
        ]


def _event(header: Header, payload: dict[str, Any]) -> Event:
    turn = ROOT if header.turn is None else header.turn
    return Event(header.number, header.type, payload, turn, header.moment or Moment(0))


def read_rapport(path: Path) -> Rapport:
    """Open, catch up, judge what stands, fold. Read-only, so that no checkpoint is left behind."""
    with enishi.open(path, read_only=True) as store:
        return store.relationship("lumi", "chen", create=False).rapport()
