"""Threads that wait for one commit together: each is told what became of its own work, and nobody
is told that something is recorded before it is on the disk.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

import enishi
from enishi.host import Relationship, Store
from enishi.kernel import transactions as transactions_module
from enishi.kernel.errors import EnishiError, ExpectationFailed, RequestConflict, StoreFailure
from enishi.kernel.recording import Message

Work = Callable[[], object]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with enishi.open(tmp_path / "store.db", synchronous="NORMAL") as opened:
        yield opened


@pytest.fixture
def bond(store: Store) -> Relationship:
    found = store.relationship("lumi", "chen")
    found.record("Good evening.", "I hear you.", request="before")
    return found


def commits_of(store: Store) -> list[str]:
    """The commits from now on, as SQLite sees them."""
    seen: list[str] = []
    store._log.connection.set_trace_callback(
        lambda sql: seen.append(sql) if sql == "COMMIT" else None
    )
    return seen


def at_once(store: Store, *works: Work) -> list[object]:
    """Do all of this in threads that wait for each other. Returns what each gave, or its error."""
    found: list[object] = [None] * len(works)

    def do(place: int, work: Work) -> None:
        try:
            found[place] = work()
        except EnishiError as error:
            found[place] = error

    transactions = store._log._transactions
    threads = [threading.Thread(target=do, args=each) for each in enumerate(works)]
    with transactions.lock:
        for thread in threads:
            thread.start()
        while len(transactions._coming) < len(works):
            time.sleep(0.001)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return found


@contextmanager
def left_open(store: Store, monkeypatch: pytest.MonkeyPatch, work: Work) -> Iterator[list[object]]:
    """Somebody has done this and waits for the commit of somebody who is said to come.

    In the list is what it is told then: what the work gave, or its error.
    """
    told: list[object] = []

    def do() -> None:
        try:
            told.append(work())
        except EnishiError as error:
            told.append(error)

    transactions = store._log._transactions
    monkeypatch.setattr(transactions_module, "_PATIENCE", 60)
    transactions._coming.append(None)
    thread = threading.Thread(target=do)
    thread.start()
    while not transactions._left_open:
        time.sleep(0.001)
    transactions._coming.pop()
    assert not told
    yield told
    thread.join(60)
    assert told


def words(bond: Relationship) -> set[str]:
    return {turn.messages[0].content or "" for turn in bond.turns()}


def on_disk(store: Store) -> int:
    """How many records another program sees."""
    other = sqlite3.connect(store.path)
    try:
        return int(other.execute("SELECT count(*) FROM record").fetchone()[0])
    finally:
        other.close()


def check(store: Store, bond: Relationship, said: set[str]) -> None:
    """What was said is there once, in memory as on the disk."""
    assert words(bond) == {"Good evening."} | said
    assert len(bond.turns()) == 1 + len(said)
    assert [r.number for r in bond.records()] == list(range(len(bond._stream.history)))
    assert bond.verify().ok and bond.digests() == bond.replay()
    with enishi.open(store.path, read_only=True) as other:
        again = other.relationship("lumi", "chen", create=False)
        assert words(again) == words(bond) and again.digests() == bond.digests()


def say(bond: Relationship, text: str) -> Work:
    return lambda: bond.record(text, "I hear you.").number


def test_callers_who_wait_share_one_commit(store: Store, bond: Relationship) -> None:
    other = store.relationship("nova", "chen")
    commits = commits_of(store)
    said = [f"Said by {n}." for n in range(12)]
    found = at_once(
        store, *(say(bond, text) for text in said), say(other, "To another."),
        lambda: bond.turn("And one that stays open.").number,
    )  # fmt: skip
    assert len(commits) == 1
    assert all(isinstance(number, int) for number in found) and len(set(found[:12])) == 12
    check(store, bond, {*said, "And one that stays open."})
    assert words(other) == {"To another."} and other.verify().ok


def test_a_single_caller_commits_at_once_and_without_parts(
    store: Store, bond: Relationship
) -> None:
    seen: list[str] = []
    store._log.connection.set_trace_callback(seen.append)
    bond.record("Alone.", "I hear you.")
    store._log.connection.set_trace_callback(None)
    assert [sql for sql in seen if sql.partition(" ")[0] not in ("SELECT", "INSERT")] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]


def test_what_one_is_refused_takes_nothing_from_the_others(
    store: Store, bond: Relationship
) -> None:
    kept = [f"Kept {n}." for n in range(4)]
    used = Message("Used before.", request="caller\nbefore")
    refused: list[tuple[Work, type[EnishiError]]] = [
        (lambda: bond.record("Refused.", "No.", expect=999), ExpectationFailed),
        (lambda: bond.record("Refused.", "No.", request="before"), RequestConflict),
        # This one is found out only when all of it was given to SQLite.
        (lambda: bond.record(used, "No."), RequestConflict),
        (lambda: bond.swipe(999, 1), EnishiError),
    ]
    works: list[Work] = []
    for text, (work, _) in zip(kept, refused, strict=True):
        works += [work, say(bond, text)]
    commits = commits_of(store)
    for order in (works, works[::-1]):
        found = at_once(store, *order)
        for work, kind in refused:
            assert isinstance(found[order.index(work)], kind)
        assert sum(isinstance(one, int) for one in found) == len(kept)
        kept += [text for text in kept if text not in words(bond)]
        assert len(bond.turns()) == 1 + (4 if order is works else 8)
        assert bond.verify().ok and bond.digests() == bond.replay()
    # A refusal that comes first has a transaction of its own, which is taken back.
    assert len(commits) >= 2


def test_where_the_commit_fails_each_is_told_and_nothing_is_recorded(
    store: Store, bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = on_disk(store)

    def fail() -> None:
        raise sqlite3.OperationalError("the disk is gone")

    with monkeypatch.context() as changed:
        changed.setattr(store._log, "before_commit", fail)
        found = at_once(store, *(say(bond, f"Lost {n}.") for n in range(6)))
    assert [type(one) for one in found] == [StoreFailure] * 6
    assert all("the disk is gone" in str(one) for one in found)
    assert on_disk(store) == before
    check(store, bond, set())
    assert all(isinstance(one, int) for one in at_once(store, say(bond, "a"), say(bond, "b")))
    check(store, bond, {"a", "b"})


def test_where_sqlite_takes_all_of_it_back_each_is_told(
    store: Store, bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it may do when the disk is full or cannot be read."""
    with (
        left_open(store, monkeypatch, say(bond, "Lost.")) as told,
        pytest.raises(StoreFailure),
        bond._writing(),
    ):
        store._log.connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("disk I/O error")
    assert isinstance(told[0], StoreFailure) and "disk I/O error" in str(told[0])
    check(store, bond, set())


def test_whoever_does_not_share_a_commit_makes_it_first(
    store: Store, bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a reader sees what is on the disk, and a long transaction keeps nobody waiting."""

    before = on_disk(store)
    for place, work in enumerate((
        bond.records, bond.rapport, store.relationships, store.scrub, bond.verify,
        partial(store.relationship, "nova", "chen"), partial(bond.rename, "lumi", "Lumi"),
    )):  # fmt: skip
        with left_open(store, monkeypatch, say(bond, f"{place}")):
            assert on_disk(store) == before
            work()
            assert (before := on_disk(store)) >= 7 + 3 * place
    with left_open(store, monkeypatch, say(bond, "Told.")) as told, store.transaction():
        while not told:
            time.sleep(0.001)  # it is told though this transaction goes on
    assert isinstance(told[0], int)


def test_a_full_disk_refuses_whom_it_refuses_and_keeps_what_was_told(
    store: Store, bond: Relationship
) -> None:
    connection = store._log.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 40}")
    texts = [f"{n} " + "x" * 60_000 for n in range(6)]
    found = at_once(store, *(say(bond, text) for text in texts))
    told = {text for text, one in zip(texts, found, strict=True) if isinstance(one, int)}
    assert 0 < len(told) < 6 or not told
    assert all(isinstance(one, int | StoreFailure) for one in found)
    connection.execute("PRAGMA max_page_count=1073741823")
    check(store, bond, told)


def test_whoever_reads_sees_what_is_on_the_disk(store: Store, bond: Relationship) -> None:
    def read() -> None:
        numbers = [record.number for record in bond.records()]
        assert on_disk(store) >= len(numbers)
        assert store.relationships()[0].rapport() == bond.rapport()

    for round_ in range(3):
        said = [f"Said {round_}.{n}" for n in range(4)]
        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        found = at_once(store, *(say(bond, text) for text in said))
        assert all(isinstance(one, int) for one in found)
        for reader in readers:
            reader.join(60)
    check(store, bond, {f"Said {r}.{n}" for r in range(3) for n in range(4)})


def test_nobody_waits_for_somebody_who_has_gone_away(store: Store, bond: Relationship) -> None:
    coming = store._log._transactions._coming
    coming.append(None)
    bond.record("Nobody came.", "I hear you.")
    assert on_disk(store) == 1 + 2 * 3
    coming.pop()
    check(store, bond, {"Nobody came."})


@pytest.mark.parametrize("keyed", [False, True])
def test_threads_are_told_what_others_see_and_only_that(tmp_path: Path, keyed: bool) -> None:
    path = tmp_path / "store.db"
    told: set[str] = set()
    with enishi.open(path, synchronous="NORMAL", keyed=keyed) as store:
        bond = store.relationship("lumi", "chen")

        def write(name: int) -> None:
            other = sqlite3.connect(path)
            for place in range(12):
                text = f"{name}/{place}"
                number = bond.record(text, "I hear you.", request=text).number
                sql = "SELECT count(*) FROM records WHERE number BETWEEN ? AND ?"
                assert other.execute(sql, (number, number + 2)).fetchone() == (3,)
                told.add(text)
                if place % 4 == name % 4:
                    with pytest.raises(EnishiError):
                        bond.record("Something else.", "No.", request=text)
                    assert bond.record(text, "I hear you.", request=text).number == number
                if place % 5 == 4:
                    assert text in words(bond)
            other.close()

        errors: list[BaseException] = []

        def guarded(work: Work) -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - shown below
                errors.append(error)

        threads = [threading.Thread(target=guarded, args=(partial(write, n),)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert errors == [] and len(told) == 96
        assert words(bond) == told and len(bond.turns()) == 96
        assert bond.verify().ok and bond.digests() == bond.replay()
