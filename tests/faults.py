"""Real faults in a life: processes that are killed, logs that are torn, disks that are full.

After each of them what had been acknowledged is there, and what had not is there whole or not at
all.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sqlite3
import struct
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lives import PAIRS, Operation

from enishi.kernel.errors import StoreReadOnly, WrongKeys

if TYPE_CHECKING:
    from simulation import World

EXCHANGE_WORDS = 2


def kill(world: World, one: Operation) -> None:
    """Another process does the inner operations and is killed after some time."""
    _killed(world, one, after=one.places[0] % 120 / 1000)


def kill_at(world: World, one: Operation) -> None:
    """Another process does the inner operations and is killed at some statement of SQL."""
    _killed(world, one, statement=1 + one.places[0] % (40 * len(one.inner)))


def _killed(
    world: World, one: Operation, *, after: float | None = None, statement: int | None = None
) -> None:
    from simulation import Violation

    world.close()
    world.sessions += 1  # the child's chance is its own
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(heard)
        _live_until_killed(world, one, told, statement)
    os.close(told)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(heard, "rb") as pipe:
        answers = pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise Violation(f"the process ended by itself: {answers[-3000:].decode(errors='replace')}")
    acknowledged = 0
    while len(answers) >= 4:
        (size,) = struct.unpack_from(">I", answers)
        if len(answers) < 4 + size:
            break
        world.known, world.counts, world.now = pickle.loads(answers[4 : 4 + size])
        answers = answers[4 + size :]
        acknowledged += 1
    world.sessions += 1 + len(one.inner)
    world.store = world.open()
    world.counts["processes killed"] += 1
    _adopt(world, one.inner[acknowledged] if acknowledged < len(one.inner) else None)
    world.check()


def _live_until_killed(world: World, one: Operation, told: int, statement: int | None) -> None:
    """What the other process does. It never returns."""
    try:
        world.store = world.open()
        if statement is not None:
            left = iter(range(statement))

            def count(sql: str) -> None:
                if next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            world.store._log.connection.set_trace_callback(count)
        for inner in one.inner:
            world.do(inner)
            data = pickle.dumps((world.known, world.counts, world.now))
            _write(told, struct.pack(">I", len(data)) + data)
        os.kill(os.getpid(), signal.SIGKILL)
    except BaseException as error:  # noqa: BLE001 - told to the parent, which raises it
        _write(told, struct.pack(">I", 2**31) + repr(error).encode())
        os._exit(1)


def _write(told: int, data: bytes) -> None:
    while data:
        data = data[os.write(told, data) :]


def _adopt(world: World, flying: Operation | None) -> None:
    """What was in flight is there whole or not at all; from here on it counts as acknowledged."""
    from simulation import Known, require

    for pair, names in enumerate(PAIRS):
        if any(
            (bond.agent, bond.user) == names for bond in world.store.relationships(archived=None)
        ):
            known = world.known.setdefault(pair, Known())
            new = world.learn(pair)
            if flying is not None and flying.name == "exchange":
                require(len(new) in (0, EXCHANGE_WORDS), "half an exchange", flying, new)
            known.digests = None
        else:
            require(pair not in world.known, "an acknowledged relationship is gone", pair)


def cut(world: World, one: Operation) -> None:
    """The files as they are now, with the end of the write-ahead log missing, open as a whole
    beginning, and go on from there.
    """
    from simulation import require

    with TemporaryDirectory() as folder:
        copy = Path(folder) / world.path.name
        for path in world.folder.glob(f"{copy.name}*"):
            if not path.name.endswith("-shm"):
                shutil.copyfile(path, copy.with_name(path.name))
        wal = copy.with_name(f"{copy.name}-wal")
        if wal.exists():
            os.truncate(wal, one.places[0] * (wal.stat().st_size + 1) // 2**16)
        try:
            opened = world.open(copy)
        except WrongKeys:
            # Keys that came before the store itself was there are those of no store.
            with closing(sqlite3.connect(copy)) as connection:
                tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
            require(world.keyed and tables == 0, "keys that fit no more", one)
            world.counts["write-ahead logs cut to nothing"] += 1
            return
        with opened as store:
            for bond in store.relationships(archived=None):
                found = bond.verify()
                require(found.ok, "a torn log is damaged", found.problems)
                if (bond.agent, bond.user) not in PAIRS:
                    continue
                known = world.known.get(PAIRS.index((bond.agent, bond.user)))
                with bond._stream.reading():
                    hashes = bond._stream.log.hashes(bond._stream.line.line)
                whole = known is not None and known.hashes[: len(hashes)] == hashes
                require(whole, "a torn log is not a beginning", bond.user, len(hashes))
                bond.record(one.words[0], one.words[1])
                require(bond.verify().ok, "a torn log does not go on", bond.user)
                require(bond.digests() == bond.replay(), "a torn log folds otherwise", bond.user)
            require(store.inspect().problems == (), "SQLite finds fault", store.inspect())
    world.counts["write-ahead logs cut"] += 1


def fill(world: World, one: Operation) -> None:
    """The disk has room for a few pages more, and then for more again."""
    connection = world.store._log.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + one.places[0] % 4}")
    try:
        for inner in one.inner:
            if inner.name not in ("reopen", "carry", "diverge"):
                world.do(inner)
    finally:
        world.store._log.connection.execute("PRAGMA max_page_count=1000000")
    world.counts["disks filled"] += 1
    world.check()


def read_only(world: World, one: Operation) -> None:
    """Who may only read sees the same, and is refused when writing."""
    from simulation import require

    if not world.known:
        return
    with world.open(read_only=True) as store:
        for pair, names in enumerate(PAIRS):
            if pair in world.known:
                there, here = store.relationship(*names, create=False), world.bond(pair)
                require(there.digests() == here.digests(), "a reader sees another state", pair)
                try:
                    there.record(*one.words)
                except StoreReadOnly:
                    continue
                require(False, "a reader wrote", pair)
    world.counts["stores read by who may not write"] += 1


DOINGS: dict[str, Callable[[World, Operation], None]] = {
    doing.__name__: doing for doing in (kill, kill_at, cut, fill, read_only)
}
