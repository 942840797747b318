"""Many processes and threads on one store, some of them killed: nothing that was acknowledged is
lost or there twice, and nobody is told that the database is locked.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import enishi
from enishi.kernel import log as log_module
from enishi.kernel.errors import EnishiError, StoreBusy

USER = "chen"
CHAT_LINES = 120

# Said in turn by the writers, so that there is something to fold.
SAID = ("Thank you, truly.", "You broke your promise.", "I am sorry, I was wrong.", "Good evening.")
KINDS = ("gratitude", "disappointment", "repair", None)

WRITER = f"""
import sys, enishi
SAID, KINDS = {SAID!r}, {KINDS!r}
path, agent, name, turns = sys.argv[1:]
with enishi.open(path) as store:
    bond = store.relationship(agent, {USER!r})
    for place in range(int(turns)):
        request, words = f"{{name}}/{{place}}", SAID[place % 4]
        turn = bond.record(f"{{words}} {{request}}", "I hear you.", request=request)
        print(request, turn.number, flush=True)
        if KINDS[place % 4] and place % 8 < 4:
            cited = enishi.Citation(text=turn.number + 1, quote=words)
            shown = enishi.Signal(signal=KINDS[place % 4], actor="user", citations=(cited,))
            bond.propose(turn, [shown])
        if place % 10 == 9:
            bond.rapport()
"""

READER = f"""
import sys, threading, enishi
path, agent, read_only = sys.argv[1:]
done = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
rounds, known = 0, []
with enishi.open(path, read_only=read_only == "yes") as store:
    bond = store.relationship(agent, {USER!r}, create=read_only != "yes")
    while not done.is_set() or not rounds:
        numbers = [turn.number for turn in bond.turns()]
        assert numbers[:len(known)] == known, (known, numbers)
        known = numbers
        bond.rapport()
        found = bond.verify()
        assert found.ok, found.problems
        rounds += 1
print(rounds)
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], said: str | None = None) -> str:
    out, errors = process.communicate(said, timeout=240)
    assert process.returncode == 0, errors
    assert "locked" not in errors
    return out


def acknowledgements(lines: Iterable[str]) -> dict[str, int]:
    pairs = (line.split() for line in lines)
    return {request: int(number) for request, number in pairs}


def words_of(request: str) -> str:
    return f"{SAID[int(request.rsplit('/', 1)[1]) % 4]} {request}"


def check_relationship(
    path: Path, agent: str, acknowledged: dict[str, int], most_extra: int = 0
) -> None:
    """Every acknowledged turn is there once, at its number, and the log is whole."""
    with enishi.open(path) as store:
        bond = store.relationship(agent, USER, create=False)
        found = bond.verify()
        assert found.ok, found.problems
        assert store.inspect().problems == ()
        assert [record.number for record in bond.records()] == list(range(found.length))
        turns = bond.turns()
        said = Counter(turn.messages[0].content for turn in turns)
        assert set(said.values()) == {1}
        assert {words_of(request) for request in acknowledged} <= said.keys()
        assert len(acknowledged) <= len(turns) <= len(acknowledged) + most_extra
        by_words = {turn.messages[0].content: turn.number for turn in turns}
        for request, number in acknowledged.items():
            assert by_words[words_of(request)] == number
            again = bond.record(words_of(request), "I hear you.", request=request)
            assert again.number == number
        assert bond.verify(tip=found.tip).length == found.length
        digests = bond.digests()
        assert digests == bond.replay()
    with enishi.open(path) as store:
        bond = store.relationship(agent, USER, create=False)
        assert bond.digests() == digests
        assert bond.verify().tip == found.tip


def kill_after(process: subprocess.Popen[str], lines: int, seconds: float = 0.0) -> dict[str, int]:
    """Read so many lines, wait, kill; what had been printed by then was acknowledged."""
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(lines)]
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    # Not `communicate`, which would pass over what `readline` has read ahead.
    rest = process.stdout.read()
    assert process.wait(60) == -signal.SIGKILL
    whole = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    return acknowledgements([*seen, *whole])


# Processes


@pytest.mark.parametrize(
    ("writers", "turns"), [(6, 25), pytest.param(8, 200, marks=pytest.mark.slow)]
)
def test_what_many_processes_were_acknowledged_is_there_exactly_once(
    tmp_path: Path, writers: int, turns: int
) -> None:
    path = tmp_path / "store.db"
    agents = ["lumi"] * 4 + [f"agent{place}" for place in range(writers - 4)]
    with enishi.open(path) as store:
        store.relationship("lumi", USER)
    readers = [start(READER, path, "lumi", read_only) for read_only in ("yes", "no")]
    running = [start(WRITER, path, agent, f"w{n}", turns) for n, agent in enumerate(agents)]
    doomed = start(WRITER, path, "lumi", "doomed", 1_000_000)
    told: dict[str, dict[str, int]] = {agent: {} for agent in agents}
    told["lumi"].update(kill_after(doomed, turns // 2))
    for agent, process in zip(agents, running, strict=True):
        mine = acknowledgements(finish(process).splitlines())
        assert len(mine) == turns
        told[agent].update(mine)
    for reader in readers:
        assert int(finish(reader, "")) > 0
    for agent, acknowledged in told.items():
        check_relationship(path, agent, acknowledged, most_extra=agent == "lumi")


def test_a_new_store_may_be_opened_first_by_many_processes_at_once(tmp_path: Path) -> None:
    script = f"""
import sys, time, enishi
folder, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
begin = float(sys.stdin.readline())
for place in range(rounds):
    time.sleep(max(0, begin + 0.06 * place - time.time()))
    with enishi.open(f"{{folder}}/{{place}}.db") as store:
        bond = store.relationship("lumi", {USER!r})
        bond.record(f"Good evening. {{name}}/3", "I hear you.", request=f"{{name}}/3")
"""
    rounds = 8
    processes = [start(script, tmp_path, f"p{n}", rounds) for n in range(4)]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    begin = f"{time.time() + 0.1}\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(begin)
        process.stdin.flush()
    for process in processes:
        finish(process)
    for place in range(rounds):
        with enishi.open(tmp_path / f"{place}.db") as store:
            (bond,) = store.relationships()
            assert sorted(turn.messages[0].content or "" for turn in bond.turns()) == [
                f"Good evening. p{n}/3" for n in range(4)
            ]
            assert bond.verify().ok


@pytest.mark.parametrize("moment", ["PRAGMA application_id", "COMMIT"])
def test_a_store_that_somebody_makes_while_we_look_is_not_taken_for_a_foreign_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "store.db"
    plain = sqlite3.connect
    monkeypatch.setattr(log_module, "BUSY_SECONDS", 0.1)

    class Late(sqlite3.Connection):
        """After one look at the file and before the next, somebody else makes the store."""

        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            cursor = super().execute(sql, *values)  # type: ignore[arg-type]
            if sql == moment and sqlite3.connect is not plain:
                monkeypatch.setattr(sqlite3, "connect", plain)
                with suppress(StoreBusy):
                    enishi.open(path).close()
            return cursor

    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **options: plain(*args, factory=Late, **options)
    )
    with enishi.open(path) as store:
        assert sqlite3.connect is plain
        assert store.relationship("lumi", USER).verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_forks_can_go_on_as_parent_and_as_child(tmp_path: Path) -> None:
    """The parent closes first: what the child writes after that must not go to a lost file."""
    script = f"""
import os, sys, enishi
path = sys.argv[1]
def write(name, places):
    for place in places:
        request = f"{{name}}/{{4 * place + 3}}"
        turn = bond.record(f"Good evening. {{request}}", "I hear you.", request=request)
        os.write(1, f"{{request}} {{turn.number}}\\n".encode())
store = enishi.open(path)
bond = store.relationship("lumi", {USER!r})
write("before", range(2))
parent_reads, child_writes = os.pipe()
child_reads, parent_writes = os.pipe()
child = os.fork()
if child == 0:
    os.close(parent_writes)
    write("child", range(3))
    os.write(child_writes, b"1")
    assert os.read(child_reads, 1) == b""
    write("late child", range(3))
    os._exit(0)
write("parent", range(3))
os.read(parent_reads, 1)
store.close()
os.close(parent_writes)
sys.exit(os.waitpid(child, 0)[1])
""".replace("late child", "late")
    path = tmp_path / "store.db"
    acknowledged = acknowledgements(finish(start(script, path)).splitlines())
    assert len(acknowledged) == 2 + 3 + 3 + 3
    check_relationship(path, "lumi", acknowledged)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_can_go_on_though_a_thread_was_writing_at_the_fork(tmp_path: Path) -> None:
    script = f"""
import os, sys, threading, time, enishi
store = enishi.open(sys.argv[1])
bond = store.relationship("lumi", {USER!r})
inside = threading.Event()
def write_slowly():
    with store.transaction():
        bond.record("Good evening. slow/3", "I hear you.", request="slow/3")
        inside.set()
        time.sleep(0.3)
thread = threading.Thread(target=write_slowly)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    bond.record("Good evening. child/3", "I hear you.", request="child/3")
    os._exit(0)
thread.join()
sys.exit(os.waitpid(child, 0)[1])
"""
    path = tmp_path / "store.db"
    finish(start(script, path))
    with enishi.open(path) as store:
        (bond,) = store.relationships()
        said = sorted(turn.messages[0].content or "" for turn in bond.turns())
        assert said == ["Good evening. child/3", "Good evening. slow/3"]
        assert bond.verify().ok


# Kills


def test_writers_killed_at_any_moment_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path, chance = tmp_path / "store.db", random.Random(8)
    acknowledged: dict[str, int] = {}
    kills = 4
    for place in range(kills):
        process = start(WRITER, path, "lumi", f"k{place}", 1_000_000)
        acknowledged |= kill_after(process, chance.randrange(1, 12), chance.uniform(0, 0.02))
    check_relationship(path, "lumi", acknowledged, most_extra=kills)


def test_threads_that_share_commits_lose_nothing_acknowledged_when_their_process_is_killed(
    tmp_path: Path,
) -> None:
    script = f"""
import os, sys, threading, enishi
SAID = {SAID!r}
bond = enishi.open(sys.argv[1]).relationship("lumi", {USER!r})
def write(name):
    for place in range(1_000_000):
        request = f"{{name}}/{{place}}"
        turn = bond.record(f"{{SAID[place % 4]}} {{request}}", "I hear you.", request=request)
        os.write(1, f"{{request}} {{turn.number}}\\n".encode())
for name in range(8):
    threading.Thread(target=write, args=(f"t{{name}}",)).start()
"""
    path = tmp_path / "store.db"
    acknowledged = kill_after(start(script, path), 50)
    check_relationship(path, "lumi", acknowledged, most_extra=8)


def test_a_process_killed_within_a_large_transaction_leaves_nothing_of_it(tmp_path: Path) -> None:
    """What does not fit in SQLite's cache is in the write-ahead log before the commit."""
    script = f"""
import os, signal, sys, enishi
store = enishi.open(sys.argv[1])
bond = store.relationship("lumi", {USER!r})
bond.record("Good evening. whole/3", "I hear you.", request="whole/3")
before = os.path.getsize(sys.argv[1] + "-wal")
with store.transaction():
    for place in range(30):
        bond.record("x" * 1_000_000, "I hear you.")
    assert os.path.getsize(sys.argv[1] + "-wal") > before + 1_000_000
    os.kill(os.getpid(), signal.SIGKILL)
"""
    path = tmp_path / "store.db"
    process = start(script, path)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, errors
    with enishi.open(path) as store:
        (bond,) = store.relationships()
        (turn,) = bond.turns()
        assert bond.verify().ok
    check_relationship(path, "lumi", {"whole/3": turn.number})


def chat_file(folder: Path, lines: int = CHAT_LINES) -> Path:
    rows: list[dict[str, object]] = [{"user_name": "Chen", "character_name": "Lumi"}]
    for place in range(lines):
        user = place % 2 == 0
        rows.append(
            {
                "name": "Chen" if user else "Lumi",
                "is_user": user,
                "send_date": f"2026-01-{1 + place // 20:02}T20:{place % 20:02}:00.000Z",
                "mes": f"{SAID[place // 2 % 4]} ({place})" if user else f"I hear you. ({place})",
            }
        )
    path = folder / "Lumi - evenings.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def test_an_import_that_was_killed_left_nothing_and_can_be_done_again(tmp_path: Path) -> None:
    script = """
import os, signal, sys, enishi
def progress(title, done, total):
    if done >= total // 2:
        os.kill(os.getpid(), signal.SIGKILL)
enishi.open(sys.argv[1]).import_chats([sys.argv[2]], agent="lumi", user="chen", progress=progress)
"""
    path, chat = tmp_path / "store.db", chat_file(tmp_path)
    process = start(script, path, chat)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, errors
    with enishi.open(path) as store, enishi.open(tmp_path / "other.db") as other:
        assert all(len(bond.records()) == 1 for bond in store.relationships())
        again, whole = (
            kept.import_chats([chat], agent="lumi", user=USER)[0] for kept in (store, other)
        )
        assert again == whole and whole.signals > 0
        (bond,), (uninterrupted,) = store.relationships(), other.relationships()
        assert bond.digests() == bond.replay() == uninterrupted.digests()
        types = [[record.type for record in b.records()] for b in (bond, uninterrupted)]
        assert types[0] == types[1]
        assert bond.verify().ok
        assert not store.import_chats([chat], agent="lumi", user=USER)[0].changed


def copies_of(path: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in (path.name, path.name + "-wal"):
        if (path.parent / name).exists():
            shutil.copyfile(path.parent / name, folder / name)
    return folder / path.name


def headers_of(path: Path) -> list[bytes]:
    connection = sqlite3.connect(path)
    try:
        return [row[0] for row in connection.execute("SELECT header FROM record ORDER BY id")]
    finally:
        connection.close()


def test_a_write_ahead_log_cut_anywhere_leaves_a_whole_beginning(tmp_path: Path) -> None:
    path, chance = tmp_path / "store.db", random.Random(5)
    copies: list[tuple[Path, int]] = []
    with enishi.open(path) as store:
        bond = store.relationship("lumi", USER)
        for place in range(12):
            bond.record(f"{SAID[place % 4]} w/{place}", "I hear you.", request=f"w/{place}")
            if place == 5:
                # From here on the log file begins anew, over older frames that stay behind it.
                other = sqlite3.connect(path)
                assert other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0] == 0
                other.close()
            if place % 2:
                at_least = 1 + 3 * 6 if place > 5 else 0
                for cut in range(4):
                    copy = copies_of(path, tmp_path / f"{place}-{cut}")
                    wal = copy.with_name(copy.name + "-wal")
                    os.truncate(wal, chance.randrange(wal.stat().st_size + 1))
                    copies.append((copy, at_least))
        everything = headers_of(path)
    lengths = set()
    for copy, at_least in copies:
        with enishi.open(copy) as store:
            kept = headers_of(copy)
            assert kept == everything[: len(kept)] and len(kept) >= at_least
            assert (len(kept) - 1) % 3 == 0 or not kept
            lengths.add(len(kept))
            assert all(bond.verify().ok for bond in store.relationships())
            bond = store.relationship("lumi", USER)
            assert len(bond.turns()) == max(0, len(kept) - 1) // 3
            bond.record("Good evening. on/3", "I hear you.", request="on/3")
            assert bond.verify().ok and bond.digests() == bond.replay()
            assert store.inspect().problems == ()
    assert len(lengths) > 4, "the cuts should fall between different commits"


# Readers, writers and a busy store


def test_a_long_read_sees_one_moment_and_keeps_no_writer_waiting(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with enishi.open(path) as reading, enishi.open(path) as writing:
        writer = writing.relationship("lumi", USER)
        reader = reading.relationship("lumi", USER)
        writer.record("Good evening. w/3", "I hear you.")
        with reader._stream.reading():
            before = reader.turns(), reader.digests(), reader.verify()
            begun = time.monotonic()
            for place in range(5):
                writer.record(f"Thank you, truly. w/{4 * place}", "I hear you.")
            assert time.monotonic() - begun < 5
            assert (reader.turns(), reader.digests(), reader.verify()) == before
        assert len(reader.turns()) == 6
        assert reader.verify().ok


def test_a_busy_store_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with enishi.open(path) as store:
        bond = store.relationship("lumi", USER)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        thread = threading.Thread(target=lambda: bond.record("Good evening.", "I hear you."))
        thread.start()
        thread.join(0.4)
        assert thread.is_alive()
        with enishi.open(path) as second:
            assert second.relationship("lumi", USER, create=False).turns() == []
        other.execute("COMMIT")
        other.close()
        thread.join(10)
        assert not thread.is_alive()
        assert len(bond.turns()) == 1 and bond.verify().ok


def test_a_store_that_stays_busy_is_one_line_and_nothing_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "BUSY_SECONDS", 0.1)
    path = tmp_path / "store.db"
    with enishi.open(path) as store:
        bond = store.relationship("lumi", USER)
        bond.record("Good evening.", "I hear you.")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for refused in (
            lambda: bond.record("Is anybody there?", "I hear you."),
            lambda: store.relationship("nova", USER),
            lambda: bond.rename("lumi", "Lu"),
        ):
            with pytest.raises(StoreBusy) as caught:
                refused()
            message = str(caught.value)
            assert str(path) in message and "0.1 s" in message and "\n" not in message
            assert len(message) < 200 + len(str(path))
        assert len(bond.turns()) == 1
        other.execute("ROLLBACK")
        other.close()
        bond.record("Is anybody there?", "I hear you.")
        assert len(bond.turns()) == 2 and bond.verify().ok


# Threads on one store object


def run_threads(*works: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - all of them are shown below
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
        assert not thread.is_alive()
    assert errors == []


@pytest.mark.parametrize(
    ("workers", "turns"), [(6, 20), pytest.param(8, 200, marks=pytest.mark.slow)]
)
def test_threads_may_share_one_store_object_for_all_they_do(
    tmp_path: Path, workers: int, turns: int
) -> None:
    path = tmp_path / "store.db"
    agents = ["lumi"] * 4 + [f"agent{n}" for n in range(workers - 4)]
    told: dict[str, dict[str, int]] = {agent: {} for agent in agents}
    writing = {f"t{n}" for n in range(workers)}
    with enishi.open(path) as store:
        store.relationship("lumi", USER)

        def write(agent: str, name: str) -> None:
            try:
                write_all(agent, name)
            finally:
                writing.discard(name)

        def write_all(agent: str, name: str) -> None:
            bond = store.relationship(agent, USER).on("main")
            for place in range(turns):
                request = f"{name}/{place}"
                turn = bond.record(words_of(request), "I hear you.", request=request)
                told[agent][request] = turn.number
                reply = turn.view().reply
                assert reply is not None
                if place % 4 == 1:
                    bond.edit(reply, f"I do hear you. {request}")
                if place % 4 == 2:
                    bond.regenerate(turn, f"Tell me more. {request}")
                    bond.swipe(turn, 1)
                if place % 10 == 3:
                    side = bond.fork(f"{name} {place}", after=turn)
                    side.record(f"On the side. {request}", "I hear you.")
                    assert len(side.turns()) == len(bond.on(f"{name} {place}").turns())
                    with pytest.raises(EnishiError):
                        bond.fork(f"{name} {place}")

        def read() -> None:
            bond = store.relationship("lumi", USER)
            while writing:
                with bond._stream.reading():
                    assert bond.digests() == bond.replay()
                    assert bond.verify().ok
                bond.rapport()
                assert bond.branches()[0].name == "main"
                time.sleep(0.2)  # what is read here takes long, and keeps the writers waiting

        run_threads(
            read,
            read,
            *(partial(write, agent, name) for agent, name in zip(agents, writing, strict=True)),
        )
    for agent, acknowledged in told.items():
        assert len(acknowledged) == agents.count(agent) * turns
        check_relationship(path, agent, acknowledged)


def test_a_thread_that_reads_for_long_makes_a_writing_thread_wait_and_nothing_worse(
    tmp_path: Path,
) -> None:
    with enishi.open(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", USER)
        inside = threading.Event()

        def read() -> None:
            with bond._stream.reading():
                inside.set()
                time.sleep(0.2)
                assert bond.turns() == []

        def write() -> None:
            inside.wait()
            bond.record("Good evening.", "I hear you.")

        run_threads(read, write)
        assert len(bond.turns()) == 1


def test_many_tasks_may_share_one_async_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    async def talk(bond: enishi.host.AsyncRelationship, name: str) -> dict[str, int]:
        told = {}
        for place in range(6):
            request = f"{name}/{place}"
            async with bond.turn(words_of(request), request=request) as turn:
                reply = await turn.reply("I hear you.") if place else None
            told[request] = turn.number
            if reply is not None and place % 2:
                await bond.edit(reply, f"I do hear you. {request}")
            if place == 3:
                side = await bond.fork(name, after=turn)
                await side.record(f"On the side. {request}", "I hear you.")
            await bond.rapport()
        return told

    async def run() -> tuple[dict[str, int], dict[str, str], dict[str, str]]:
        async with enishi.open_async(path) as store:
            bond = await store.relationship("lumi", USER)
            told = await asyncio.gather(*(talk(bond, f"a{n}") for n in range(5)))
            assert (await bond.verify()).ok
            both = {r: n for one in told for r, n in one.items()}
            return both, await bond.digests(), await bond.replay()

    told, digests, replay = asyncio.run(run())
    assert digests == replay and len(told) == 30
    with enishi.open(path) as store:
        (bond,) = store.relationships()
        turns = bond.turns()
        assert {turn.number for turn in turns} == set(told.values())
        assert Counter(turn.status for turn in turns) == {"completed": 25, "abandoned": 5}
        assert bond.digests() == digests and bond.verify().ok
        for request, number in told.items():
            assert bond.turn(words_of(request), request=request).number == number
        assert len(bond.turns()) == 30
