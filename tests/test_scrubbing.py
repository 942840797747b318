"""Scrubbing: after it, what was destroyed is in no file of the store, whoever had it open."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import struct
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest
from helpers import fixed_store

from enishi.host import Relationship, Store
from enishi.kernel.erasing import scrubbing
from enishi.kernel.erasing.erasure import erase, of_numbers
from enishi.kernel.erasing.gaps import overwrite_gaps
from enishi.kernel.erasing.scrubbing import Scrubber


def files_of(path: Path) -> bytes:
    """Every byte of every file that belongs to a store."""
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(f"{path.name}*")))


def canary(place: int) -> str:
    """Words that occur once in a whole store; of every stretch of them one can tell whose it is."""
    return " ".join(
        f"{place:05d}Q{part:03d}" for part in range((2, 8, 30, 90, 170)[place * 7919 % 5])
    )


def left(path: Path, places: list[int]) -> list[int]:
    """Those of whose words any is found in any file."""
    found = {int(word) for word in re.findall(rb"(\d{5})Q\d{3}", files_of(path))}
    return sorted(found.intersection(places))


def twice(path: Path) -> list[int]:
    """Those of whose words any is there more than once."""
    counts = Counter(re.findall(rb"\d{5}Q\d{3}", files_of(path)))
    return sorted({int(word.split(b"Q")[0]) for word, count in counts.items() if count > 1})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fixed_store(tmp_path / "s.db")


def grow(store: Store, users: int, turns: int, seed: int = 1) -> list[tuple[Relationship, int]]:
    """Relationships that grow side by side, so that pages are split in the middle."""
    bonds = [store.relationship("lumi", f"user {n}") for n in range(users)]
    order = random.Random(seed).choices(range(users), k=turns)
    said = []
    for place, who in enumerate(order):
        said.append((bonds[who], bonds[who].record(canary(place), "Yes.").number))
    return said


def erased(said: list[tuple[Relationship, int]], places: list[int]) -> None:
    for place in places:
        bond, turn = said[place]
        with bond._stream.writing():
            erase(bond._stream, of_numbers(bond._stream, [turn]))


def test_rows_that_moved_to_another_page_leave_no_bytes_behind(store: Store) -> None:
    said = grow(store, users=3, turns=600, seed=0)
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    places = twice(store.path)
    if not places:
        pytest.skip("this SQLite moved rows without leaving whole words behind")
    store._log._scrubbed_at = float("inf")  # not by itself
    erased(said, places)
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert left(store.path, places)
    assert store._log.scrub(1.0)
    assert not left(store.path, places)
    assert store._log.to_scrub() == []
    assert not store.inspect().problems
    assert all(bond.verify().ok for bond in store.relationships())


def test_a_reader_delays_it_and_it_is_done_by_itself_later(store: Store) -> None:
    said = grow(store, users=1, turns=3)
    other = sqlite3.connect(store.path)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM record").fetchone()
    erased(said, [1])
    assert not store._log.scrub(0.0)
    assert store._log.to_scrub() and left(store.path, [1])
    other.close()
    store._log._scrubbed_at = 0.0
    said[0][0].record("Later.", "Yes.")
    assert store._log.to_scrub() == [] and not left(store.path, [1])


def test_what_is_pending_is_done_when_the_store_is_opened_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = grow(store, users=1, turns=3)
    monkeypatch.setattr(Scrubber, "scrub", lambda *_: False)
    erased(said, [1])
    keeps_it_open = sqlite3.connect(store.path)
    keeps_it_open.execute("SELECT count(*) FROM record").fetchone()
    store.close()
    assert left(store.path, [1])
    monkeypatch.undo()
    with fixed_store(store.path, seed=1) as again:
        assert again._log.to_scrub() == []
        assert not left(store.path, [1])
    keeps_it_open.close()


def test_pages_in_the_memory_of_another_connection_are_not_written_again(store: Store) -> None:
    """A page as another had read it before holds the old bytes in its unused middle."""
    said = grow(store, users=12, turns=300)
    with fixed_store(store.path, seed=1) as other:
        other._log.connection.execute("PRAGMA mmap_size=0")
        bonds = other.relationships()
        assert sum(len(bond.turns()) for bond in bonds) == 300
        places = list(range(300))
        erased(said, places)
        assert store._log.scrub(1.0) and not left(store.path, places)
        for bond in bonds:
            bond.record("Something new.", "Yes.")
        assert not left(store.path, places)
    assert not left(store.path, places)


def test_only_the_unused_middle_of_a_page_is_overwritten(store: Store) -> None:
    grow(store, users=5, turns=200)
    before = [list(bond._stream.log.raw(bond._stream.line.line)) for bond in _read(store)]
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    planted = plant(store.path, b"old words")
    assert planted and b"old words" in files_of(store.path)
    with open(store.path, "r+b", buffering=0) as file:
        assert overwrite_gaps(file, 4096) >= planted
        assert overwrite_gaps(file, 4096) == 0
    assert b"old words" not in files_of(store.path)
    after = [list(bond._stream.log.raw(bond._stream.line.line)) for bond in _read(store)]
    assert after == before and not store.inspect().problems


def gaps_with_bytes(path: Path) -> int:
    """How many pages of a store have bytes where nothing is, looked for in all of them."""
    with open(path.with_name("copy"), "w+b", buffering=0) as copy:
        copy.write(path.read_bytes())
        return overwrite_gaps(copy, 4096)


def empty_the_log(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def vacuum(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("VACUUM")


def reset_by_a_reader(path: Path) -> None:
    """What SQLite does by itself: all is in the file, and the next who writes begins anew."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(PASSIVE)")


def killed(path: Path) -> None:
    """A process is killed while it writes."""
    child = os.fork()
    if child == 0:
        grow(fixed_store(path, seed=os.getpid()), users=4, turns=30)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def closed_and_opened(path: Path) -> None:
    fixed_store(path, seed=77).close()


MEANWHILE = [empty_the_log, vacuum, reset_by_a_reader, closed_and_opened, killed]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("seed", range(3))
def test_whatever_others_did_no_page_has_leftovers_after_an_erasure(
    tmp_path: Path, seed: int
) -> None:
    """Looking at few pages must find what looking at all of them would."""
    path, chance = tmp_path / "s.db", random.Random(seed)
    store = fixed_store(path, synchronous="NORMAL")
    for step in range(7):
        said = grow(store, users=5, turns=chance.choice([1, 20, 200]), seed=step)
        if chance.random() < 0.7:
            meanwhile = chance.choice(MEANWHILE)
            if meanwhile in (vacuum, killed) or chance.random() < 0.5:
                store.close()
                meanwhile(path)
                store = fixed_store(path, seed=100 + step, synchronous="NORMAL")
                said = [(store.relationship(bond.agent, bond.user), turn) for bond, turn in said]
            else:
                meanwhile(path)
            grow(store, users=5, turns=chance.choice([0, 3]), seed=step)
        bond, turn = chance.choice(said)
        assert bond.erase(turn).scrub == "scrubbed"
        assert gaps_with_bytes(path) == 0
        assert not store.inspect().problems
    store.close()
    assert gaps_with_bytes(path) == 0


def test_what_is_read_goes_with_what_was_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with the file: also after many turns, and after the store was closed and opened."""
    looked: list[int | None] = []
    sweep = scrubbing.overwrite_gaps

    def seen(file: BinaryIO, page_size: int, pages: set[int] | None = None) -> int:
        looked.append(None if pages is None else len(pages))
        return sweep(file, page_size, pages)

    monkeypatch.setattr(scrubbing, "overwrite_gaps", seen)
    said = grow(store, users=10, turns=500)
    assert looked and None not in looked, "it was kept up with while it grew"
    bond, turn = said[250]
    bond.erase(turn)
    bond.record("Later.", "Yes.")
    looked.clear()
    bond, turn = said[251]
    bond.erase(turn)
    assert looked.pop() in range(1, 15) and not looked
    store.close()
    looked.clear()
    with fixed_store(store.path, seed=1) as again:
        (first, *_) = again.relationships()
        first.record("Later.", "Yes.")
        assert first.erase(first.turns()[0]).scrub == "scrubbed"
        assert looked.pop() in range(1, 20) and not looked
    assert store.path.stat().st_size // 4096 > 100


def plant(path: Path, words: bytes) -> int:
    """Put words where nothing is: between the cells of a page and the list of their places."""
    data, planted = bytearray(path.read_bytes()), 0
    for page in range(4096, len(data), 4096):
        kind, _, cells, content, _ = struct.unpack_from(">BHHHB", data, page)
        end = page + (content or 4096)
        if kind in (2, 5, 10, 13) and end - len(words) > page + 12 + 2 * cells:
            data[end - len(words) : end] = words
            planted += 1
    path.write_bytes(data)
    return planted


def _read(store: Store):
    with store._log.reading():
        yield from store.relationships()
