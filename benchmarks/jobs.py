"""The jobs: what is measured, against which floor or peer, and with which aim.

A floor writes or reads the bytes of our own records, found in the file that our side wrote in
the warming-up round, which it goes first in.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

from bare import BareTable, connect, in_parts, scan, stored_rows
from material import EverySecond, EverySecondMood, chat, exchanges
from measuring import Comparison, Job, Run
from peer import Bond, fill, open_peer, replay

import enishi
from enishi.host import system_clock
from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.encoding import Header
from enishi.kernel.events import payload_of
from enishi.kernel.fold import Event, fold_of
from enishi.kernel.history import ROOT
from enishi.kernel.log import Log
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Draft, Stream, found_stream
from enishi.kernel.verification import verify_line
from enishi.packs.importing import import_chat
from enishi.projections.episodes import EPISODES
from enishi.projections.policy import ONE
from enishi.projections.reading import Rapport

PLAIN = "plain SQLite"
PEER = "eventsourcing"

PER_TURN = 5
"""Events per turn of a whole history: three as recorded, and what a proposer adds."""

NEAR = 20
"""How many turns from the tip a change may lie."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done per run, and how often. Long runs have fewer rounds."""

    commits: int
    imported: int
    history: int
    shorter: int
    replayed: int
    opened: tuple[int, ...]
    rounds: int
    long_rounds: int


FULL_SIZE = Sizes(
    commits=300, imported=100_000, history=100_000, shorter=20_000, replayed=10_000,
    opened=(10_000, 100_000, 1_000_000), rounds=9, long_rounds=3,
)  # fmt: skip
QUICK = Sizes(
    commits=60, imported=6_000, history=10_000, shorter=5_000, replayed=5_000,
    opened=(10_000,), rounds=3, long_rounds=3,
)  # fmt: skip


@dataclass(slots=True)
class Place:
    """A temporary folder, and what has to be closed before it goes."""

    folder: Path
    open: ExitStack
    histories: dict[str, Path] = field(default_factory=dict)

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

    def kept(self, events: int) -> Path:
        """A copy of such a store of which the history and the checkpoints are kept."""
        path = self.file(f"kept-{events}")
        if not path.exists():
            shutil.copy(self.history(events), path)
            with enishi.open(path) as store:
                store.relationship("lumi", "chen", create=False).rapport()
        return path

    def history(self, events: int, proposer: Callable[[], Proposer] = EverySecond) -> Path:
        """A store with one relationship of so many events, made once."""
        reader = proposer()
        name = f"history-{events}-{reader.name}"
        if name not in self.histories:
            path = self.histories[name] = self.file(name)
            _write_history(path, events // PER_TURN, reader)
        return self.histories[name]


JobMaker = Callable[[Place, Sizes], Job]


# Recording


def turns_full(place: Place, sizes: Sizes) -> Job:
    """One turn per durable commit: its opening, what was said, the reply."""
    job = _turns(place, sizes, "FULL", 0.6)
    events = cache(lambda: cycle(_events(place.file("turns-FULL"))))
    peer = _peer_saves(place, "turns-peer", lambda: islice(events(), 3), sizes.commits)
    return replace(
        job,
        sides={**job.sides, PEER: peer},
        comparisons=(*job.comparisons, Comparison("record()", PEER)),
    )


def turns_normal(place: Place, sizes: Sizes) -> Job:
    """One turn per commit that a power cut may undo."""
    return _turns(place, sizes, "NORMAL", 0.2)


def _turns(place: Place, sizes: Sizes, synchronous: str, aim: float) -> Job:
    path = place.file(f"turns-{synchronous}")
    bond = place.bond(path, synchronous)
    table = place.table(f"turns-{synchronous}-floor", synchronous)
    said = cycle(list(exchanges(sizes.commits)))
    parts = cache(lambda: in_parts(stored_rows(path)[1:], 3))

    def ours() -> int:
        for exchange in islice(said, sizes.commits):
            bond.record(exchange.said, exchange.reply, at=exchange.at)
        return sizes.commits

    def floor() -> int:
        return table.commit_each(islice(parts(), sizes.commits))

    return Job(
        f"record a turn, one commit, {synchronous}",
        "turns",
        {"record()": ours, PLAIN: floor},
        (Comparison("record()", PLAIN, aim),),
    )


# Importing


def imports(place: Place, sizes: Sizes) -> Job:
    """A whole chat through the importer, in one transaction."""
    file = chat((sizes.imported - 3) // 3)
    return _batch(
        place,
        "import a chat, one transaction",
        "import_chat()",
        lambda stream: import_chat(stream, file, zone="UTC"),
    )


def appends(place: Place, sizes: Sizes) -> Job:
    """The same amount through the stream alone: encoding, salting, hashing, indexing."""
    drafts = list(_drafts((sizes.imported - 1) // 3))

    def append(stream: Stream) -> None:
        for draft in drafts:
            stream.append(draft)

    return _batch(place, "append records, one transaction", "Stream.append()", append)


def _batch(place: Place, title: str, name: str, write: Callable[[Stream], object]) -> Job:
    """Each run writes a new relationship into the same file, and the floor the same bytes."""
    path = place.file(name)
    log = place.open.enter_context(_opened(path))
    table = place.table(f"{name}-floor")
    rows = cache(lambda: stored_rows(path))
    users = count()

    def ours() -> int:
        with log.writing():
            stream = found_stream(log, "lumi", f"chen {next(users)}", _now, os.urandom)
            with stream.writing():
                write(stream)
        return len(stream.history)

    def floor() -> int:
        table.commit(rows())
        return len(rows())

    return Job(
        title, "records", {name: ours, PLAIN: floor}, (Comparison(name, PLAIN, 0.15),), long=True
    )


def _drafts(turns: int) -> Iterator[Draft]:
    """What `record` would draft for a new relationship, whose first turn is number 1."""
    for turn, (said, reply, at) in zip(count(1, 3), exchanges(turns), strict=False):
        happened = Moment.of(at)
        opened = payload_of("TurnOpened", messages=1)
        message = payload_of(
            "MessageReceived", role="user", speaker="chen", name="chen", content=said
        )
        given = payload_of("ReplyGiven", speaker="lumi", name="lumi", content=reply)
        yield Draft("TurnOpened", opened, happened=happened)
        yield Draft("MessageReceived", message, turn, causes=(turn,), happened=happened)
        yield Draft("ReplyGiven", given, turn, causes=(turn,), happened=happened)


# Reading


def folds(place: Place, sizes: Sizes) -> Job:
    """Rapport, or the episodes as numbers, of a whole history by a store that knows nothing yet."""
    path = place.history(sizes.history)
    return Job(
        "fold from zero",
        "events",
        {
            "rapport()": lambda: _refold(path, sizes.history),
            "the fold of episodes": lambda: _fold_episodes(path, sizes.history),
            PLAIN: lambda: scan(path, decode=True),
        },
        (Comparison("rapport()", PLAIN, 1 / 3), Comparison("the fold of episodes", PLAIN, 1 / 3)),
        long=True,
    )


def moods(place: Place, sizes: Sizes) -> Job:
    """The moods of 10,000 turns by a store that knows nothing yet; every second one shows one."""
    events = sizes.history // 2
    path = place.history(events, EverySecondMood)

    def whole() -> int:
        with enishi.open(path, read_only=True) as store:
            store.relationship("lumi", "chen", create=False).mood()
        return events

    return Job(
        "read mood from zero",
        "events",
        {"mood()": whole, PLAIN: lambda: scan(path, decode=True)},
        (Comparison("mood()", PLAIN, 1 / 3),),
        long=True,
    )


def asking(place: Place, sizes: Sizes) -> Job:
    """How somebody feels, asked of an open store whose fold is up to date."""
    path = place.history(sizes.shorter, EverySecondMood)
    bond = place.bond(path)
    moment = bond.turns()[-1].happened
    assert moment is not None
    at = moment.to_datetime() + timedelta(hours=5)
    plain = connect(path)
    place.open.callback(plain.close)

    def mood() -> int:
        for _ in range(1000):
            bond.mood(at=at)
        return 1000

    def rapport() -> int:
        for _ in range(1000):
            bond.rapport()
        return 1000

    def row() -> int:
        for number in range(1000):
            plain.execute("SELECT payload FROM record WHERE id = ?", (number,)).fetchone()
        return 1000

    return Job(
        "ask for a mood",
        "questions",
        {"mood()": mood, "rapport()": rapport, "one row of plain SQLite": row},
        (Comparison("mood()", "rapport()"), Comparison("mood()", "one row of plain SQLite")),
    )


def changes(place: Place, sizes: Sizes) -> Job:
    """A swipe or an edit near the tip of a long history, and rapport after it."""
    path = place.history(sizes.shorter)
    bond = place.bond(path)
    turns = bond.turns()[-NEAR:]
    for turn in turns:
        bond.regenerate(turn.number, "Another reply, which nothing rests on yet.")
    bond.rapport()
    table = place.table("changes-floor")
    parts = cache(lambda: in_parts(stored_rows(path)[-2 * NEAR :], 1))
    choice, wording = cycle((1, 2)), count()

    def swipe() -> int:
        chosen = next(choice)
        for turn in turns:
            bond.swipe(turn.number, chosen)
            bond.rapport()
        return NEAR

    def edit() -> int:
        for turn in turns:
            bond.edit(turn.messages[0].number, f"Words as they are now, version {next(wording)}.")
            bond.rapport()
        return NEAR

    return Job(
        f"change one of the last {NEAR} turns, read rapport",
        "changes",
        {
            "swipe()": swipe,
            "edit()": edit,
            "a full refold": lambda: _refold(path, 1),
            "a plain commit": lambda: table.commit_each(islice(parts(), NEAR)),
        },
        (
            Comparison("swipe()", "a full refold", 10),
            Comparison("edit()", "a full refold", 10),
            Comparison("swipe()", "a plain commit"),
            Comparison("edit()", "a plain commit"),
        ),
    )


def erasures(place: Place, sizes: Sizes) -> Job:
    """One turn of a long relationship among a hundred; and one of a short one alone."""
    crowded, alone, floor = (place.file(name) for name in ("erase", "erase-small", "erase-floor"))
    shutil.copy(place.history(sizes.history), crowded)
    with enishi.open(crowded) as store, store.transaction():
        for other in range(99):
            bond = store.relationship("lumi", f"user {other}")
            for said, reply, at in exchanges(20, seed=other + 2):
                bond.record(said, reply, at=at)
    shutil.copy(crowded, floor)
    shutil.copy(place.history(1_000), alone)
    sides = {name: place.bond(path) for name, path in (("long", crowded), ("short", alone))}
    turns = {name: iter(bond.turns()) for name, bond in sides.items()}
    plain = connect(floor)
    place.open.callback(plain.close)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        plain.execute(f"PRAGMA {pragma}")
    lost = count(1, PER_TURN)

    def erase(name: str) -> int:
        for turn in islice(turns[name], 5):
            assert sides[name].erase(turn).scrub == "scrubbed"
        return 5

    def bare() -> int:
        for first in islice(lost, 5):
            rows = [(1 << 32 | first + place,) for place in range(PER_TURN)]
            plain.execute("BEGIN IMMEDIATE")
            plain.executemany("UPDATE record SET salt=NULL, payload=NULL WHERE id=?", rows)
            plain.execute("COMMIT")
            plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return 5

    return Job(
        f"erase a turn of {sizes.history // PER_TURN:,}, one of 100 relationships",
        "erasures",
        {
            "erase()": lambda: erase("long"),
            "erase() of 200 turns alone": lambda: erase("short"),
            "UPDATE and checkpoint": bare,
        },
        (
            Comparison("erase()", "UPDATE and checkpoint"),
            Comparison("erase()", "erase() of 200 turns alone"),
        ),
    )


def verifications(place: Place, sizes: Sizes) -> Job:
    """Every hash, commitment and byte; and, as `verify` does, the projections, too."""
    path = place.history(sizes.history)

    def whole() -> int:
        with enishi.open(path, read_only=True) as store:
            found = store.relationship("lumi", "chen", create=False).verify()
        assert found.ok, found.problems
        return found.length

    def chain() -> int:
        with _opened(path) as log:
            found = verify_line(log, log.lines()[0])
        assert found.ok, found.problems
        return found.length

    return Job(
        "verify a history",
        "records",
        {"verify()": whole, "its chain alone": chain, PLAIN: lambda: scan(path, decode=False)},
        (Comparison("verify()", PLAIN, 0.3), Comparison("its chain alone", PLAIN, 0.3)),
        long=True,
    )


def openings(place: Place, sizes: Sizes) -> Job:
    """Open a relationship of which checkpoints are kept and read rapport, beside bare openings:
    one that counts the rows, and one that reads a single row.
    """
    sides: dict[str, Run] = {}
    comparisons: list[Comparison] = []
    for events in sizes.opened:
        path, size = place.kept(events), f"{events:,}"
        sides |= {
            f"rapport() of {size}": partial(_repeated, partial(_rapport, path)),
            f"count(*) of {size}": partial(_repeated, partial(_ask_bare, path, "count(*)")),
            f"max(id) of {size}": partial(_repeated, partial(_ask_bare, path, "max(id)")),
        }
        ours, *others = list(sides)[-3:]
        comparisons += [Comparison(ours, others[0], 1 / 5), Comparison(ours, others[1])]
    return Job("open again", "openings", sides, tuple(comparisons), long=True)


def _repeated(work: Callable[[], object], times: int = 5) -> int:
    for _ in range(times):
        work()
    return times


def _ask_bare(path: Path, what: str) -> None:
    with closing(connect(path)) as plain:
        plain.execute(f"SELECT {what} FROM record").fetchone()


def _refold(path: Path, units: int) -> int:
    """Open, catch up, judge what stands, fold. Read-only, so that no checkpoint is left behind."""
    _rapport(path)
    return units


def _fold_episodes(path: Path, units: int) -> int:
    with enishi.open(path, read_only=True) as store:
        bond = store.relationship("lumi", "chen", create=False)
        with bond._reading() as branch:
            fold_of(bond._stream, branch, EPISODES).state()
    return units


def _rapport(path: Path) -> Rapport:
    with enishi.open(path, read_only=True) as store:
        return store.relationship("lumi", "chen", create=False).rapport()


# The peer


def peer_commits(place: Place, sizes: Sizes) -> Job:
    """One event per durable commit: open a turn, add a message, reply."""
    path = place.file("events")
    bond = place.bond(path)
    table = place.table("events-floor")
    said = cycle(list(exchanges(sizes.commits)))
    events = cache(lambda: cycle(_events(path)))
    parts = cache(lambda: in_parts(stored_rows(path)[1:], 1))
    turns = sizes.commits // 3

    def ours() -> int:
        for exchange in islice(said, turns):
            turn = bond.turn(at=exchange.at)
            turn.say(exchange.said)
            turn.reply(exchange.reply)
        return 3 * turns

    return Job(
        "record one event, one commit, FULL",
        "events",
        {
            "turn, say, reply": ours,
            PEER: _peer_saves(place, "events-peer", lambda: islice(events(), 1), 3 * turns),
            PLAIN: lambda: table.commit_each(islice(parts(), 3 * turns)),
        },
        (
            Comparison("turn, say, reply", PEER),
            Comparison("turn, say, reply", PLAIN),
            Comparison(PEER, PLAIN),
        ),
    )


def peer_replays(place: Place, sizes: Sizes) -> Job:
    """The same events, the same fold, from the first one on. They are too few for a checkpoint of
    rapport, and enough for the history to be kept: with it, all is folded and no header is read.
    """
    path, theirs = place.history(sizes.replayed), place.file("replay-peer")
    kept = place.kept(sizes.replayed)
    events = _events(path)
    bond = fill(theirs, events)
    values = {name: value / ONE for name, value in replay(theirs, bond).items()}
    assert Rapport(**values) == _rapport(path), "both must come to the same five numbers"

    def peer() -> int:
        replay(theirs, bond)
        return len(events)

    return Job(
        "replay a history",
        "events",
        {
            "rapport()": lambda: _refold(path, len(events)),
            "rapport(), headers kept": lambda: _refold(kept, len(events)),
            PEER: peer,
        },
        (Comparison("rapport()", PEER, 8), Comparison("rapport(), headers kept", PEER, 8)),
    )


def _peer_saves(
    place: Place, name: str, events: Callable[[], Iterable[Event]], commits: int
) -> Run:
    """The peer's side of a job: so many commits, each of the next events."""
    app = open_peer(place.file(name))
    place.open.callback(app.close)
    bond = Bond()

    def save() -> int:
        for _ in range(commits):
            for event in events():
                bond.record(event)
            app.save(bond)
        return commits

    return save


def _events(path: Path) -> Sequence[Event]:
    """All events of a store after the founding one, as a projection sees them."""
    with _opened(path) as log, log.reading():
        return [
            _event(record.header, record.payload or {})
            for record in log.records(log.lines()[0].line, start=1)
        ]


def _event(header: Header, payload: dict[str, Any]) -> Event:
    turn = ROOT if header.turn is None else header.turn
    return Event(header.number, header.type, payload, turn, header.moment or Moment(0))


# Shared


def _write_history(path: Path, turns: int, proposer: Proposer) -> None:
    """A live relationship: each turn as recorded, then read by a proposer, in one transaction."""
    with enishi.open(path) as store, store.transaction():
        bond = store.relationship("lumi", "chen")
        for said, reply, at in exchanges(turns):
            bond.propose(bond.record(said, reply, at=at), proposer)


def _opened(path: Path) -> closing[Log]:
    return closing(Log(path))


def _now() -> Moment:
    return Moment.of(system_clock())


JOBS: tuple[JobMaker, ...] = (
    turns_full,
    turns_normal,
    imports,
    appends,
    folds,
    moods,
    asking,
    changes,
    peer_commits,
    peer_replays,
    erasures,
    openings,
    verifications,
)
