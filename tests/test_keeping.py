"""What is kept of a history between openings: used, right, and never believed against the log."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store

from enishi.host import Relationship, Store
from enishi.kernel import fold, keeping
from enishi.kernel.deciding.proposals import Citation, Signal
from enishi.kernel.encoding import checkpoint_digest
from enishi.kernel.erasing.erasure import erase, of_numbers
from enishi.kernel.history import History
from enishi.kernel.lines import mark_changed
from enishi.kernel.log import Log
from enishi.kernel.zstandard import zstd


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "CHUNK_TURNS", 2)
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    monkeypatch.setattr(keeping, "LEAST", 5)


@pytest.fixture(params=["checkpoints often", "checkpoints with the history alone"])
def path(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one relationship in which a bit of everything has happened."""
    path = tmp_path / "s.db"
    if request.param != "checkpoints often":
        monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1 << 30)
    with fixed_store(path) as store:
        tell(store.relationship("lumi", "chen"))
    return path


def tell(bond: Relationship) -> None:
    bond.record(
        "Long ago.", "Far away.", at=datetime(2026, 2, 1, tzinfo=timezone(timedelta(hours=8)))
    )
    turns = [thank(bond) for _ in range(8)]
    bond.edit(turns[1] + 1, "Thank you, secretly.")
    bond.regenerate(turns[2], "Always.")
    bond.swipe(turns[2], 1)
    thank(bond.fork("hidden name", turns[3]))
    bond.withdraw(turns[4])
    bond.erase(turns[5] + 1)
    thank(bond)
    bond.digests()


def thank(bond: Relationship) -> int:
    turn = bond.record("Thank you.", "You are welcome.")
    cited = Citation(text=turn.number + 1, quote="Thank")
    bond.propose(None, [Signal(signal="gratitude", actor="user", citations=(cited,))])
    return turn.number


def the_bond(store: Store) -> Relationship:
    return store.relationship("lumi", "chen", create=False)


def rows(path: Path, columns: str = "running, state, digest") -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        sql = f"SELECT {columns} FROM checkpoint WHERE projection=?"
        return connection.execute(sql, (keeping.NAME,)).fetchall()


def change(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE checkpoint SET {sql} WHERE projection='{keeping.NAME}'", values)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """From which number on headers were read, each time that they were."""
    starts: list[int] = []
    plain = Log.placings

    def noting(self: Log, line: int, start: int = 0, stop: int | None = None) -> Any:
        starts.append(start)
        return plain(self, line, start, stop)

    monkeypatch.setattr(Log, "placings", noting)
    yield starts


def test_opening_reads_what_came_since_and_judges_and_folds_no_more(
    path: Path, decoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fixed_store(path) as store:
        length = the_bond(store).summary().events
        del decoded[:]
        number = thank(the_bond(store))
    monkeypatch.setattr(fold.Fold, "_jump", lambda self, depths: {})  # the mark is enough
    folded: list[int] = []
    plain = fold.Fold._fold_turns

    def counting(self: fold.Fold, *what: Any) -> None:
        folded.append(self.depth)
        plain(self, *what)

    monkeypatch.setattr(fold.Fold, "_fold_turns", counting)
    with fixed_store(path, read_only=True) as store:
        bond = the_bond(store)
        bond.rapport()
        assert decoded == [length] == [number]
        assert folded and min(folded) > 0
        assert bond.digests() == bond.replay()


def test_what_is_kept_is_all_that_the_history_says(path: Path) -> None:
    with fixed_store(path) as store:
        bond = the_bond(store)
        with bond._reading() as branch:
            stream = bond._stream
            fresh = History()
            for headers in stream.log.placings(stream.line.line):
                fresh.extend(headers)
            assert stream.history == fresh
            again = keeping.unpacked(keeping.packed(stream.standing(branch), {}))
            assert again is not None and again.history == fresh
            known = (*keeping._OF_RECORDS, *keeping._COLUMNS, *keeping._MAPS, "erased", "tangled")
            for name in known:
                assert name == "version" or any(getattr(fresh, name)), f"{name} is not tried here"
            for name in keeping._RUNS:
                assert any(getattr(fresh, name).values), f"{name} is not tried here"


def test_no_words_are_in_it(path: Path) -> None:
    ((_, state, _),) = rows(path)
    state += zstd.decompress(state)
    for words in (b"secretly", b"Thank", b"hidden", b"lumi", b"chen", b"main"):
        assert words not in state


def test_erasing_leaves_it_and_it_is_right_still(path: Path) -> None:
    before = rows(path)
    with fixed_store(path) as store:
        bond = the_bond(store)
        with bond._writing() as branch:
            first = bond._stream.standing(branch).path[1]
            erase(bond._stream, of_numbers(bond._stream, [first]))
    assert rows(path) == before
    with fixed_store(path) as store:
        bond = the_bond(store)
        assert bond.digests() == bond.replay()
        assert bond.verify().ok
        bond.erase_relationship()
    assert rows(path) == []


@pytest.mark.parametrize("part", [0, 0.2, 0.5, 0.8, 1])
def test_a_changed_byte_is_found_and_harms_nothing(path: Path, part: float) -> None:
    with fixed_store(path) as store:
        wanted = the_bond(store).digests()
    ((_, state, _),) = rows(path)
    place = round(part * (len(state) - 1))
    state = state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :]
    change(path, "state=?", state)
    check_it_is_found(path, "was changed", wanted)


@pytest.mark.parametrize("state", [b"", b"\x80", b"\xc1", b"\xdf\xff\xff\xff\xff"])
def test_what_cannot_be_read_is_passed_over(path: Path, state: bytes) -> None:
    with fixed_store(path) as store:
        wanted = the_bond(store).digests()
        relationship = the_bond(store)._stream.line.relationship
    ((tip, _, _),) = rows(path)
    digest = checkpoint_digest(relationship, keeping.NAME, keeping.VERSION, tip, 0, state)
    change(path, "state=?, digest=?", state, digest)
    with fixed_store(path) as store:
        assert the_bond(store).digests() == wanted


def test_what_says_something_else_than_the_log_is_found(path: Path) -> None:
    """Made with a digest that fits, as no accident would."""
    with fixed_store(path) as store:
        bond = the_bond(store)
        wanted = bond.digests()
        with bond._reading() as branch:
            stream, standing = bond._stream, bond._stream.standing(branch)
            standing._flags[standing.path[2] + 1] ^= 1
            state = keeping.packed(standing, {})
            relationship, tip = stream.line.relationship, stream._previous or b""
    digest = checkpoint_digest(relationship, keeping.NAME, keeping.VERSION, tip, 0, state)
    change(path, "running=?, state=?, digest=?", tip, state, digest)
    check_it_is_found(path, "differs from the log", wanted)


def test_what_speaks_of_records_that_are_not_there_is_passed_over(path: Path) -> None:
    """As where the end of the file was cut off, which nobody can tell."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER record_kept")
        connection.execute("DELETE FROM record WHERE id=(SELECT max(id) FROM record)")
    with fixed_store(path) as store:
        bond = the_bond(store)
        assert bond.digests() == bond.replay()
        assert bond.verify().ok


def check_it_is_found(path: Path, problem: str, wanted: dict[str, str]) -> None:
    with fixed_store(path) as store:
        bond = the_bond(store)
        (found,) = bond.verify().problems
        assert keeping.NAME in str(found) and problem in str(found) and "rebuild" in str(found)
        assert bond.rebuild() == wanted == bond.replay()
        assert bond.verify().ok
    assert len(rows(path)) == 1


def test_what_was_kept_by_a_program_with_other_kinds_is_passed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch, decoded: list[int]
) -> None:
    monkeypatch.setattr(keeping, "_GROUND", b"other kinds")
    with fixed_store(path) as store:
        bond = the_bond(store)
        assert bond.digests() == bond.replay()
        assert decoded[0] == 0
        assert bond.verify().ok


def test_a_failure_while_it_is_written_leaves_the_older_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(path)
    with fixed_store(path) as store:
        bond = the_bond(store)
        for _ in range(4):
            thank(bond)

        def killed(*values: object) -> bytes:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(keeping, "packed", killed)
            with pytest.raises(KeyboardInterrupt):
                bond.rapport()
        assert rows(path) == before
        bond.rapport()
        assert len(rows(path)) == 1 and rows(path) != before


def test_what_is_undone_is_not_kept(path: Path) -> None:
    before = rows(path)
    with fixed_store(path) as store:
        bond = the_bond(store)
        wanted = bond.digests()
        with pytest.raises(KeyboardInterrupt), store.transaction():
            for _ in range(8):
                thank(bond)
            bond.digests()
            raise KeyboardInterrupt
        assert rows(path) == before
        assert bond.digests() == wanted == bond.replay()
    with fixed_store(path) as store:
        assert the_bond(store).digests() == wanted


def test_it_goes_where_a_line_was_changed(path: Path) -> None:
    with fixed_store(path) as store:
        stream = the_bond(store)._stream
        with stream.writing():
            mark_changed(stream.log, stream.line.line)
        assert rows(path) == []
        the_bond(store).digests()
        assert len(rows(path)) == 1


def test_a_short_relationship_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "LEAST", 4096)
    with fixed_store(tmp_path / "s.db") as store:
        tell(store.relationship("lumi", "chen"))
    assert rows(tmp_path / "s.db") == []
    assert [keeping.is_worth_keeping(4096, 0), keeping.is_worth_keeping(8191, 4096)] == [
        True,
        False,
    ]
    assert keeping.is_worth_keeping(90_000, 80_000) and not keeping.is_worth_keeping(89_999, 80_000)


def test_numbers_are_little_endian_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(column: array[int]) -> bytes:
        keeping._write(out := BytesIO(), column)
        return out.getvalue()

    little = b"\1\0\0\0\xfe\xff\xff\xff"
    assert written(array("i", [1, -2])) == b"\2" + bytes(7) + little
    assert keeping._read(BytesIO(b"\1" + bytes(7) + b"\1" + bytes(7)), "q") == array("q", [1])
    monkeypatch.setattr(keeping.sys, "byteorder", "big")
    numbers = array("i", [1, 2])
    assert written(numbers)[8:] == b"\0\0\0\1\0\0\0\2" and numbers == array("i", [1, 2])
    assert keeping._read(BytesIO(b"\1" + bytes(7) + b"\0\0\0\1"), "i") == array("i", [1])


def test_a_keyed_store_keeps_it_too(tmp_path: Path, decoded: list[int]) -> None:
    pytest.importorskip("cryptography")
    path = tmp_path / "s.db"
    with fixed_store(path, keyed=True) as store:
        bond = store.relationship("lumi", "chen")
        tell(bond)
        wanted, length = bond.digests(), bond.summary().events
    del decoded[:]
    with fixed_store(path) as store:
        assert the_bond(store).digests() == wanted
        assert decoded and 0 < min(decoded) <= length
        thank(the_bond(store))
        assert the_bond(store).digests() == the_bond(store).replay()
        assert the_bond(store).verify().ok
    assert len(rows(path)) == 1
