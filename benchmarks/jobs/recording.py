"""Writing: turns as they are said, whole chats, single events beside the peer.

A floor writes the bytes of our own records, found in the file that our side wrote in the
warming-up round, which it goes first in.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import count, cycle, islice
from threading import Thread

from bare import BareTable, in_parts, stored_rows
from material import chat, exchanges
from measuring import Comparison, Job, Run
from peer import Bond, open_peer
from peer_erii import Erii

import enishi
from enishi.host import system_clock
from enishi.kernel.events import payload_of
from enishi.kernel.fold import Event
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Draft, Stream, found_stream
from enishi.packs.chats.importing import import_chat
from jobs.places import PEER, PLAIN, Place, Sizes, beside, events_of, opened_log

CALLERS = (1, 16, 64)
"""How many record at once."""
WRITERS = 4


def turns_full(place: Place, sizes: Sizes) -> Job:
    """One turn per durable commit: its opening, what was said, the reply."""
    job = _turns(place, sizes, "FULL", 0.6)
    events = cache(lambda: cycle(events_of(place.file("turns-FULL"))))
    peer = _peer_saves(place, "turns-peer", lambda: islice(events(), 3), sizes.commits)
    job = beside(job, PEER, peer, "record()")
    if place.erii is None:
        return job
    erii = _erii_records(place, place.erii, sizes.commits)
    return beside(job, place.erii.name, erii, "record()")


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


def callers(place: Place, sizes: Sizes) -> Job:
    """Turns recorded durably by many at once, in threads and in tasks: they share commits."""
    most = max(CALLERS)
    turns = -(-sizes.commits // most) * most
    bond = place.bond(place.file("callers"))
    runner = place.open.enter_context(asyncio.Runner())
    store = runner.run(enishi.open_async(place.file("callers-awaited")).__aenter__())
    place.open.callback(lambda: runner.run(store.close()))
    awaited = runner.run(store.relationship("lumi", "chen"))
    table = place.table("callers-floor")
    said = list(exchanges(turns))
    parts = cache(lambda: in_parts(stored_rows(place.file("callers"))[1:], 3))

    def by_threads(many: int) -> int:
        def work(first: int) -> None:
            for exchange in said[first::many]:
                bond.record(exchange.said, exchange.reply, at=exchange.at)

        threads = [Thread(target=work, args=(first,)) for first in range(many)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return turns

    async def by_tasks(many: int) -> int:
        async def work(first: int) -> None:
            for exchange in said[first::many]:
                await awaited.record(exchange.said, exchange.reply, at=exchange.at)

        await asyncio.gather(*(work(first) for first in range(many)))
        return turns

    sides: dict[str, Run] = {}
    comparisons: list[Comparison] = []
    for many in CALLERS:
        threads, tasks = (_several(many, what) for what in ("thread", "task"))
        sides[threads] = partial(by_threads, many)
        sides[tasks] = partial(lambda many: runner.run(by_tasks(many)), many)
        if many > 1:
            comparisons.append(Comparison(threads, _several(1, "thread"), 4))
            comparisons.append(Comparison(tasks, _several(1, "task"), 4))
    sides[PLAIN] = lambda: table.commit_each(islice(parts(), turns))
    comparisons += [Comparison(_several(many, "thread"), PLAIN) for many in CALLERS]
    return Job("record a turn, many callers, FULL", "turns", sides, tuple(comparisons))


def _several(many: int, what: str) -> str:
    return f"one {what}" if many == 1 else f"{many} {what}s"


def turns_processes(place: Place, sizes: Sizes) -> Job:
    """Four processes write to one store, each a relationship of its own, one turn per commit."""
    path, floor = place.file("processes"), place.file("processes-floor")
    said = list(exchanges(sizes.commits // WRITERS))

    def ours(writer: int) -> None:
        with enishi.open(path) as store:
            bond = store.relationship("lumi", f"user {writer}")
            for exchange in said:
                bond.record(exchange.said, exchange.reply, at=exchange.at)

    def bare(writer: int) -> None:
        with closing(BareTable(floor, "FULL")) as table:
            table.commit_each(islice(in_parts(rows(), 3), len(said)))

    rows = cache(lambda: stored_rows(path))
    return Job(
        f"record a turn, one commit, FULL, {WRITERS} processes",
        "turns",
        {
            "record()": lambda: _in_processes(ours, len(said)),
            PLAIN: lambda: _in_processes(bare, len(said)),
        },
        (Comparison("record()", PLAIN, 0.6),),
    )


def _in_processes(work: Callable[[int], None], each: int) -> int:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=work, args=(writer,)) for writer in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not any(writer.exitcode for writer in writers)
    return WRITERS * each


def imports(place: Place, sizes: Sizes) -> Job:
    """A whole chat through the importer, in one transaction."""
    file = chat(sizes.imported)
    return _batch(
        place,
        "import a chat, one transaction",
        "import_chat()",
        lambda stream: import_chat(stream, file, zone="UTC"),
    )


def appends(place: Place, sizes: Sizes) -> Job:
    """The same amount through the stream alone: encoding, salting, hashing, indexing."""
    drafts = list(_drafts(sizes.imported // 3))

    def append(stream: Stream) -> None:
        for draft in drafts:
            stream.append(draft)

    return _batch(place, "append records, one transaction", "Stream.append()", append)


def _batch(place: Place, title: str, name: str, write: Callable[[Stream], object]) -> Job:
    """Each run writes a new relationship into the same file, and the floor the same bytes."""
    path = place.file(name)
    log = place.open.enter_context(opened_log(path))
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


def peer_commits(place: Place, sizes: Sizes) -> Job:
    """One event per durable commit: open a turn, add a message, reply."""
    path = place.file("events")
    bond = place.bond(path)
    table = place.table("events-floor")
    said = cycle(list(exchanges(sizes.commits)))
    events = cache(lambda: cycle(events_of(path)))
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


def _erii_records(place: Place, erii: Erii, commits: int) -> Run:
    """E.R.I.I.'s side of a job: so many turns of the same texts, each in a commit of its own."""
    engine = place.open.enter_context(erii.opened(place.file("turns-erii")))
    said, seen_already = cycle(list(exchanges(commits))), erii.seen_already()

    def record() -> int:
        for exchange in islice(said, commits):
            erii.record(engine, exchange.said, exchange.reply, seen_already)
        return commits

    return record


def _now() -> Moment:
    return Moment.of(system_clock())
