"""Whatever is changed in a store behind the kernel's back, `verify` finds it and says where; and
no read fails in another way than with a typed error.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgpack
import pytest
from helpers import Shell
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import enishi
from enishi.host import Relationship, Store, open_store
from enishi.kernel import fold, keeping, shapes, verification
from enishi.kernel.encoding import (
    NOT_FITTING,
    Header,
    commitment,
    decode_header,
    decode_payload,
    encode_payload,
    fitting_headers,
    header_hash,
)
from enishi.kernel.errors import EnishiError, InvalidInput
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.files import reading_uri
from enishi.kernel.verification import Verification
from enishi.projections.recall import index

THANKS = "Thank you, truly."
ERASED = 3

quick = settings(
    max_examples=35, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module", autouse=True)
def small_folds() -> Iterator[None]:
    """Checkpoints are written, and used, even for a few turns."""
    with pytest.MonkeyPatch.context() as context:
        context.setattr(fold, "CHECKPOINT_EVENTS", 1)
        context.setattr(fold, "CHUNK_TURNS", 2)
        context.setattr(keeping, "LEAST", 5)
        yield


def thank(bond: Relationship, request: str) -> int:
    turn = bond.record(f"{THANKS} {request}", "Any time.", request=request)
    cited = enishi.Citation(text=turn.number + 1, quote=THANKS)
    bond.propose(turn, [enishi.Signal(signal="gratitude", actor="user", citations=(cited,))])
    return turn.number


def tell_a_life(bond: Relationship) -> None:
    """A bit of everything: a name, edits, swipes, a branch, something withdrawn and erased."""
    first = thank(bond, "one")
    bond.rename("chen", "Chen")
    bond.edit(first + 1, "At any time.")
    second = thank(bond, "two")
    bond.regenerate(second, "Always.")
    bond.swipe(second, 1)
    aside = bond.fork("aside", first)
    thank(aside, "three")
    bond.adopt_policy("1")
    with bond._stream.writing():
        bond._stream.destroy([ERASED])
    bond.withdraw(thank(bond, "four"))
    for place in range(2):
        thank(bond, f"more {place}")
    bond.rapport()


@cache
def whole_store() -> bytes:
    """The bytes of a closed store with two relationships and checkpoints."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with open_store(path, synchronous="NORMAL") as store:
            for agent in ("lumi", "nova"):
                tell_a_life(store.relationship(agent, "chen"))
        with closing(sqlite3.connect(path)) as connection:
            # What the triggers are good for is shown in `test_log`.
            connection.executescript("DROP TRIGGER record_fixed; DROP TRIGGER record_kept")
        return path.read_bytes()


Damage = Callable[[sqlite3.Connection], object]


@contextmanager
def damaged(*damages: Damage) -> Iterator[Path]:
    """A copy of the store in which somebody changed something with another program."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        path.write_bytes(whole_store())
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            for damage in damages:
                damage(connection)
            connection.commit()
        yield path


def verified(path: Path, place: int = 0, tip: str | None = None) -> Verification:
    with open_store(path, synchronous="NORMAL") as store:
        return store.relationships()[place].verify(tip=tip)


def numbers_of(found: Verification) -> set[int | None]:
    return {problem.number for problem in found.problems}


@cache
def rows(sql: str, *values: object) -> list[Any]:
    """What stands in the undamaged store."""
    with damaged() as path, closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, values).fetchall()


def length() -> int:
    return int(rows("SELECT count(*) FROM record WHERE id >> 32 = 1")[0][0])


def run(sql: str, *values: object) -> Damage:
    return lambda connection: connection.execute(sql, values)


def key(number: int) -> int:
    return 1 << 32 | number


def with_one_byte_changed(value: Any, place: int, by: int) -> Any:
    if isinstance(value, int):
        changed = bytearray(value.to_bytes(8, "big"))
    else:
        changed = bytearray(value if isinstance(value, bytes) else value.encode())
    changed[place % len(changed)] ^= by
    if isinstance(value, int):
        return int.from_bytes(changed, "big", signed=True)
    return bytes(changed)


def setting(table: str, column: str, rowid: str, value: Any, *keys: object) -> Damage:
    """Set a column, texts also where they are no UTF-8."""
    text = column in ("type", "agent", "user", "digest", "projection")
    mark = "CAST(? AS TEXT)" if text else "?"
    return run(f"UPDATE {table} SET {column}={mark} WHERE {rowid}", value, *keys)


# Whole stores


def test_an_untouched_store_verifies_and_counts_what_was_erased() -> None:
    with damaged() as path:
        for place in (0, 1):
            found = verified(path, place)
            assert found.ok and found.problems == ()
            assert found.erased == 1 and found.length == length()
            assert (
                bytes.fromhex(found.tip)
                == rows("SELECT hash FROM record WHERE id=?", (place + 1) << 32 | length() - 1)[0][
                    0
                ]
            )
    assert rows("SELECT count(*) FROM checkpoint")[0][0] >= 2


def test_what_is_whole_is_not_looked_at_record_by_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick pass is enough; and it has a compiled type for every event."""
    monkeypatch.setattr(verification.Walk, "take", lambda *row: pytest.fail("looked at"))
    with damaged() as path:
        assert verified(path).ok and verified(path, 1).ok
    assert None not in {shapes._struct_of(name) for name in EVENT_TYPES}


WHOLE: dict[str, dict[str, Any]] = {
    "VariantChosen": {"by": "user"},
    "ProposalDecided": {
        "proposal": {"kind": "signal", "citations": [[1, 0, 3]], "because": {"span": [1, 2, 3]}},
        "reason": "accepted",
        "verdict": "accepted",
    },
    "BeliefStated": {
        "key": "city", "sentence": [0, 9], "spans": [[1, 0, 5]], "subject": "user",
        "value": "Porto", "voices": ["user"],
    },
    "MoodObserved": {
        "intensity": "weak", "party": "user", "sentence": [0, 9], "spans": [], "voices": [],
        "valence": -10_000,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_payloads_that_fit_together_fit_each_alone(name: str) -> None:
    """Many are read as one: what is no payload by itself must not pass with its neighbour's help."""
    data = encode_payload(WHOLE[name])
    assert shapes.all_fit(name, 1, [data] * 3)
    assert not shapes.all_fit(name, 2, [data])
    assert not shapes.all_fit("Unheard", 1, [data])
    for cut in range(1, len(data)):
        assert not shapes.all_fit(name, 1, [data[:cut], data[cut:] + data])
        assert not shapes.all_fit(name, 1, [data + data[:cut], data[cut:]])
    longer = b"\xde" + len(WHOLE[name]).to_bytes(2, "big") + data[1:]
    assert decode_payload(longer) == WHOLE[name]
    assert not shapes.all_fit(name, 1, [data, longer])
    turned = msgpack.packb(dict(sorted(WHOLE[name].items(), reverse=True)))
    assert turned == data or not shapes.all_fit(name, 1, [turned])
    for wrong in ({"by": 3}, {"more": 1}, {"valence": 10_001}, {"valence": 0.5}):
        assert not shapes.all_fit(
            name, 1, [msgpack.packb(dict(sorted((WHOLE[name] | wrong).items())))]
        )


@pytest.mark.parametrize("held", [0.5, msgpack.Timestamp(0), {1: 2}, [[0.5]], {"x": {2: 1}}])
def test_what_a_free_map_holds_passes_quickly_only_where_it_has_one_encoding(held: Any) -> None:
    data = msgpack.packb(WHOLE["ProposalDecided"] | {"proposal": {"held": held}})
    assert not shapes.all_fit("ProposalDecided", 1, [data])


def test_headers_that_fit_together_fit_each_alone() -> None:
    first, second, *_ = (data for (data,) in rows("SELECT header FROM record ORDER BY id"))
    assert [header.number for header in fitting_headers([first, second])] == [0, 1]
    for cut in range(1, len(first)):
        with pytest.raises(NOT_FITTING):
            fitting_headers([first[:cut], first[cut:] + second])
        with pytest.raises(NOT_FITTING):
            fitting_headers([first + second[:cut], second[cut:]])


def test_more_that_is_erased_is_counted_and_verifies() -> None:
    with damaged() as path, open_store(path) as store:
        bond = store.relationships()[0]
        before = bond.verify()
        with bond._stream.writing():
            bond._stream.destroy([turn.number for turn in bond.turns()][:2])
        found = bond.verify(tip=before.tip)
        assert found.ok and found.erased == before.erased + 2
        assert found.length == before.length + 1


def test_the_tip_of_an_earlier_record_is_fine_and_a_foreign_one_is_not() -> None:
    hashes = [row[0].hex() for row in rows("SELECT hash FROM record ORDER BY id")]
    own, foreign = hashes[: length()], hashes[length() :]
    with damaged() as path:
        for tip in (own[0], own[5], own[-1], own[-1].upper()):
            assert verified(path, tip=tip).ok
        for tip in (foreign[0], foreign[-1], "0" * 64):
            found = verified(path, tip=tip)
            assert numbers_of(found) == {None} and tip in str(found.problems[0])


@pytest.mark.parametrize("tip", ["", "12", "z" * 64, "é" * 64, "0" * 63, "0" * 66, "0x" + "0" * 62])
def test_a_tip_that_is_none_is_invalid_input(tip: str) -> None:
    with damaged() as path, pytest.raises(InvalidInput, match="64 hexadecimal digits"):
        verified(path, tip=tip)


# One byte


@pytest.mark.parametrize("column", ["type", "header", "hash", "salt", "payload"])
@quick
@given(st.data())
def test_any_changed_byte_of_a_record_is_found_where_it_is(column: str, data: Any) -> None:
    present = [n for n in range(length()) if n != ERASED]
    number = data.draw(st.sampled_from(present), label="number")
    ((value,),) = rows(f"SELECT {column} FROM record WHERE id=?", key(number))
    place = data.draw(st.integers(0, len(value) - 1), label="place")
    value = with_one_byte_changed(value, place, data.draw(st.integers(1, 255), label="by"))
    with damaged(setting("record", column, "id=?", value, key(number))) as path:
        found = verified(path)
        assert number in numbers_of(found), found
        assert verified(path, 1).ok


@pytest.mark.parametrize("column", ["request", "number", "line"])
def test_any_changed_byte_of_the_index_of_requests_is_found_where_it_is(column: str) -> None:
    chance = random.Random(column)
    for request, number in rows("SELECT request, number FROM request WHERE line=1"):
        value = {"request": request, "number": number, "line": 1}[column]
        value = with_one_byte_changed(value, chance.randrange(16), chance.randrange(1, 256))
        damage = setting("request", column, "line=1 AND request=?", value, request)
        with damaged(damage) as path:
            assert number in numbers_of(verified(path))


@pytest.mark.parametrize("column", ["relationship", "secret", "agent", "user", "line"])
def test_any_changed_byte_of_the_line_is_found(column: str) -> None:
    chance = random.Random(column)
    ((value,),) = rows(f"SELECT {column} FROM line WHERE line=1")
    for place in range(0, 8 if isinstance(value, int) else len(value), 2):
        changed = with_one_byte_changed(value, place, chance.randrange(1, 256))
        with damaged(setting("line", column, "line=1", changed)) as path:
            try:
                with open_store(path) as store:
                    bonds = store.relationships()
                    found = [bond.verify() for bond in bonds]
            except EnishiError:
                continue
            assert [one.ok for one in found].count(False) == 1
            assert numbers_of(next(one for one in found if not one.ok)) & {0, None}


@cache
def indexed_store() -> bytes:
    """The same store with an index of its words, in several blocks, grown by and by."""
    with pytest.MonkeyPatch.context() as context, damaged() as path:
        context.setattr(index, "UNSAVED", 1)
        with open_store(path, synchronous="NORMAL") as store:
            for place in range(3):
                bond = store.relationships()[0]
                bond.recall("thank you")
                bond.record(f"Number {place} of Chen in 1999?", "I see.")
            bond.recall("thank you")
        return path.read_bytes()


@quick
@given(row=st.integers(0, 10_000), place=st.integers(0, 10_000), by=st.integers(1, 255))
def test_any_changed_byte_of_the_index_of_words_is_found_or_not_believed(
    row: int, place: int, by: int
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        path.write_bytes(indexed_store())
        assert verified(path).ok
        with closing(sqlite3.connect(path)) as connection:
            kept = connection.execute("SELECT term, data FROM posting ORDER BY term").fetchall()
            term, data = kept[row % len(kept)]
            changed = with_one_byte_changed(data, place, by)
            connection.execute("UPDATE posting SET data=? WHERE term=?", (changed, term))
            connection.commit()
        with open_store(path, synchronous="NORMAL") as store:
            bond = store.relationships()[0]
            found = bond.verify()
            assert term == "" or not found.ok
            assert all("run: enishi rebuild" in str(one) for one in found.problems)
            if found.ok:  # how far it goes could not be read any more: it is made anew
                assert bond.recall("Number 1").numbers == recalled()
            bond.rebuild()
            bond.recall("thank you")
            assert bond.verify().ok


@cache
def recalled() -> tuple[int, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        path.write_bytes(indexed_store())
        with open_store(path) as store:
            return store.relationships()[0].recall("Number 1").numbers


def test_the_index_of_words_tells_nothing_of_what_was_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither under which name it was said, nor how long it was, nor that it asked something."""
    monkeypatch.setattr(index, "UNSAVED", 1)
    path = tmp_path / "store.db"
    with open_store(path) as store, open_store(path) as other:
        bond = store.relationship("lumi", "chen")
        bond.record("Good evening.", "Good evening.")
        said = bond.record(enishi.Message("Who am I in 1999?", name="Zorblatt"), "I do not know.")
        (elsewhere,) = other.relationships()
        for one in (bond, elsewhere):
            one.recall("good evening")
        bond.erase(said)
        for one in (bond, elsewhere):
            one.recall("good evening")
            one.record("Again.", "Again.")
            one.recall("again")
            assert one.verify().ok
    assert not [file for file in tmp_path.iterdir() if b"Zorblatt" in file.read_bytes()]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM posting WHERE term='see'",
        "INSERT INTO posting VALUES(1, 0, 'never', x'0100')",
        "UPDATE posting SET term='never' WHERE term='see'",
    ],
)
def test_a_word_that_is_not_in_the_index_or_not_in_the_log_is_found(change: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        path.write_bytes(indexed_store())
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute(change).rowcount == 1
            connection.commit()
        (problem,) = verified(path).problems
        assert "the index of words of numbers 0 to " in str(problem)


KEPT = ["rapport", keeping.NAME]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("column", ["state", "digest"])
@settings(quick, max_examples=12)
@given(place=st.integers(0, 10_000), by=st.integers(1, 255))
def test_any_changed_byte_of_a_checkpoint_is_found_and_harms_nothing(
    column: str, kept: str, place: int, by: int
) -> None:
    (value, running), *_ = kept_rows(column, kept)
    value = with_one_byte_changed(value, place, by)
    where = "line=1 AND running=?"
    with damaged(setting("checkpoint", column, where, value, running)) as path:
        found = verified(path)
        assert not found.ok and "checkpoint" in str(found.problems[0])
        assert "run: enishi rebuild" in str(found.problems[0])
        check_the_cache_is_not_believed(path)


def kept_rows(column: str, kept: str) -> list[Any]:
    where = "line=1 AND projection=?"
    return rows(f"SELECT {column}, running FROM checkpoint WHERE {where}", kept)


def check_the_cache_is_not_believed(path: Path) -> None:
    with open_store(path) as store:
        bond = store.relationships()[0]
        assert bond.digests() == bond.replay()
        bond.rebuild()
        assert bond.verify().ok


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("column", ["line", "projection", "version", "running", "depth"])
def test_a_changed_key_of_a_checkpoint_is_found_and_harms_nothing(column: str, kept: str) -> None:
    chance = random.Random(column)
    (value, running), *_ = kept_rows(column, kept)
    for _ in range(5):
        changed = with_one_byte_changed(value, chance.randrange(64), chance.randrange(1, 256))
        where = "line=1 AND running=?"
        with damaged(setting("checkpoint", column, where, changed, running)) as path:
            with open_store(path) as store:
                found = [one.problems for one in map(Relationship.verify, store.relationships())]
                assert any([*found, store.stray()])
            check_the_cache_is_not_believed(path)


@pytest.mark.parametrize("table", ["record", "request", "checkpoint"])
def test_rows_of_a_line_that_is_not_listed_are_found(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with damaged() as path, open_store(path) as store:
        assert store.stray() == []
    row = rows(f"SELECT * FROM {table} LIMIT 1")[0]
    marks = ", ".join("?" * len(row))
    for line in (-4, 0, 7, 1 << 30):
        place = line << 32 if table == "record" else line
        damage = run(f"INSERT INTO {table} VALUES({marks})", place, *row[1:])
        with damaged(damage) as path, open_store(path) as store:
            assert [str(line) in str(one) and table in str(one) for one in store.stray()] == [True]
            assert all(bond.verify().ok for bond in store.relationships())
            told = Shell(capsys, monkeypatch).run("verify", "--store", path)
            assert told.status == 1 and f"rows of line {line}" in told.out


def test_a_page_that_sqlite_cannot_read_is_found_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails takes whole pages; in each of them stands something else."""
    shell, whole, path = Shell(capsys, monkeypatch), whole_store(), tmp_path / "store.db"
    size = int.from_bytes(whole[16:18], "big")
    roots = {page: name for name, page in rows("SELECT tbl_name, rootpage FROM sqlite_master")}
    places, tables = set(), set()
    for page in range(2, len(whole) // size + 1):
        spoiled = bytearray(whole)
        spoiled[(page - 1) * size] ^= 0x05  # what kind of page it is
        path.write_bytes(spoiled)
        found = shell.run("verify", "--store", path)
        assert found.status == 1 and "fault of the program" not in found.err
        assert "is damaged" in found.err or "SQLite's own check: " in found.out
        places |= {line.split()[1] for line in found.out.splitlines() if "  number" in line}
        looked = shell.run("doctor", "--store", path)
        assert looked.status == 1 and ("is damaged" in looked.err or "problem: " in looked.out)
        if page in roots:
            tables |= {roots[page]} if f"the table {roots[page]} cannot" in looked.out else set()
    assert len(places) > 3, "how far the records could be read"
    assert {"record", "request", "checkpoint"} <= tables


def test_on_a_read_only_file_system_a_store_can_still_be_looked_at(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There SQLite can make no files beside it; told that nobody writes, it needs none."""
    monkeypatch.setattr("enishi.kernel.log.os.access", lambda path, mode: mode != os.W_OK)
    sealed = os.statvfs_result([0] * 8 + [os.ST_RDONLY] + [255])
    shell = Shell(capsys, monkeypatch)
    with damaged() as path:
        monkeypatch.setattr("enishi.kernel.files.os.statvfs", lambda path: sealed)
        before = path.read_bytes()
        plain = sqlite3.connect

        def connect(name: str, **options: Any) -> sqlite3.Connection:
            assert "immutable=1" in name
            return plain(name, **options)

        monkeypatch.setattr(sqlite3, "connect", connect)
        both = ("--agent", "lumi", "--user", "chen", "--store", path)
        for command in ("show", "log", "branch list", "decisions", "replay", "verify"):
            assert shell.ok(*command.split(), *both)
        assert shell.ok("list", "--store", path) and shell.ok("doctor", "--store", path)
        for command in ("edit 2 x", "rebuild", "propose"):
            assert "is read-only" in shell.refused(*command.split(), *both)
        assert path.read_bytes() == before and [*path.parent.iterdir()] == [path]


def test_what_was_not_taken_in_from_beside_the_file_is_never_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"")
    for left, sealed in ((None, True), (b"", True), (b"frames", False)):
        if left is not None:
            Path(f"{path}-wal").write_bytes(left)
        with pytest.MonkeyPatch.context() as context:
            context.setattr("enishi.kernel.files._is_sealed", lambda path: True)
            assert ("immutable" in reading_uri(path)) == sealed


@pytest.mark.parametrize("state", [b"", b"\x80", b"\xc1", b"\x01", b"\xdf\xff\xff\xff\xff"])
def test_a_checkpoint_without_its_state_is_found_and_harms_nothing(state: bytes) -> None:
    for damage in (
        run("UPDATE checkpoint SET state=?", state),
        run("UPDATE checkpoint SET state=substr(state, 1, length(state) - 1)"),
    ):
        with damaged(damage) as path:
            found = verified(path)
            assert not found.ok and "checkpoint" in str(found.problems[0])
            check_the_cache_is_not_believed(path)


def test_checkpoints_are_written_and_used_here_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above would show nothing."""
    folded: list[int] = []
    plain = fold.Fold._fold_turns

    def counting(self: fold.Fold, *what: Any) -> None:
        folded.append(self.depth)
        plain(self, *what)

    monkeypatch.setattr(fold.Fold, "_fold_turns", counting)
    with damaged() as path, open_store(path) as store:
        store.relationships()[0].rapport()
    assert folded and min(folded) > 0


# Whole records


def test_a_removed_record_is_found_where_it_was() -> None:
    for number in range(length() - 1):
        with damaged(run("DELETE FROM record WHERE id=?", key(number))) as path:
            assert number in numbers_of(verified(path))


def test_several_removed_records_are_named_by_the_first() -> None:
    with damaged(run("DELETE FROM record WHERE id BETWEEN ? AND ?", key(5), key(8))) as path:
        found = verified(path)
        assert any("5 to 8 are not in the log" in str(one) for one in found.problems)


def test_a_tail_that_was_cut_off_is_found_only_with_a_tip_that_was_noted() -> None:
    with damaged() as path:
        tip = verified(path).tip
    cut = (
        run("DELETE FROM record WHERE id BETWEEN ? AND ?", key(length() - 1), key(length())),
        run("DELETE FROM request WHERE line=1 AND number>=?", length() - 1),
    )
    with damaged(*cut) as path:
        assert verified(path).ok
        found = verified(path, tip=tip)
        assert numbers_of(found) == {None} and "the end was cut off" in str(found.problems[0])


def test_a_tail_that_was_replaced_is_found_only_with_a_tip_that_was_noted() -> None:
    with damaged() as path:
        tip = verified(path).tip
    cut = (
        run("DELETE FROM record WHERE id BETWEEN ? AND ?", key(length() - 1), key(length())),
        run("DELETE FROM request WHERE line=1 AND number>=?", length() - 1),
    )
    with damaged(*cut) as path:
        with open_store(path) as store:
            thank(store.relationships()[0], "another")
        assert verified(path).ok
        assert not verified(path, tip=tip).ok


def test_a_relationship_without_records_is_found() -> None:
    damage = run("DELETE FROM record WHERE id BETWEEN ? AND ?", key(0), key(1 << 31))
    with damaged(damage, run("DELETE FROM request WHERE line=1")) as path:
        found = verified(path)
        assert found.length == 0 and not found.ok


COLUMNS = "type, header, hash, salt, payload"


def swapped(first: int, second: int, columns: str) -> Damage:
    def damage(connection: sqlite3.Connection) -> None:
        sql = f"SELECT {columns} FROM record WHERE id=?"
        values = [connection.execute(sql, (key(n),)).fetchone() for n in (first, second)]
        marks = ", ".join(f"{column}=?" for column in columns.split(", "))
        for number, row in zip((second, first), values, strict=True):
            connection.execute(f"UPDATE record SET {marks} WHERE id=?", (*row, key(number)))

    return damage


@pytest.mark.parametrize("columns", [COLUMNS, "header, hash", "salt, payload", "payload", "salt"])
@settings(quick, max_examples=15)
@given(st.data())
def test_two_swapped_records_are_both_found(columns: str, data: Any) -> None:
    present = st.sampled_from([n for n in range(length()) if n != ERASED])
    first, second = data.draw(st.lists(present, min_size=2, max_size=2, unique=True))
    ((same,),) = rows(
        "SELECT a.payload = b.payload FROM record a, record b WHERE a.id=? AND b.id=?",
        key(first), key(second),
    )  # fmt: skip
    if same and columns == "payload":
        return
    with damaged(swapped(first, second, columns)) as path:
        assert {first, second} <= numbers_of(verified(path))


def test_a_record_of_another_relationship_is_found() -> None:
    for number in (0, 3, length() - 1):
        sql = (
            f"UPDATE record SET ({COLUMNS}) = (SELECT {COLUMNS} FROM record WHERE id=?) WHERE id=?"
        )
        with damaged(run(sql, 2 << 32 | number, key(number))) as path:
            found = verified(path)
            assert number in numbers_of(found)
            assert any("another relationship" in str(problem) for problem in found.problems)


def test_a_record_that_is_there_twice_is_found_under_the_next_number() -> None:
    last = length() - 1
    copy = f"INSERT INTO record SELECT ?, {COLUMNS} FROM record WHERE id=?"
    with damaged(run(copy, key(last + 1), key(last))) as path:
        assert last + 1 in numbers_of(verified(path))
    for number in (0, 4, last - 1):
        shift = (
            run("UPDATE record SET id=-id WHERE id BETWEEN ? AND ?", key(number + 1), key(last)),
            run("UPDATE record SET id=1-id WHERE id<0"),
            run(copy, key(number + 1), key(number)),
        )
        with damaged(*shift) as path:
            assert number + 1 in numbers_of(verified(path))


@pytest.mark.parametrize("columns", ["payload=NULL", "salt=NULL", "payload=NULL, salt=NULL"])
def test_a_payload_that_is_gone_without_a_tombstone_is_found(columns: str) -> None:
    for number in range(0, length(), 2):
        if number != ERASED:
            with damaged(run(f"UPDATE record SET {columns} WHERE id=?", key(number))) as path:
                assert numbers_of(verified(path)) == {number}


def test_an_erased_payload_that_came_back_is_found() -> None:
    """As from an older copy of the file: the commitment fits, and yet it was erased."""
    with damaged() as path, open_store(path) as store:
        bond = store.relationships()[0]
        before = rows("SELECT salt, payload FROM record WHERE id=?", key(1))[0]
        with bond._stream.writing():
            bond._stream.destroy([1])
        assert bond.verify().ok
        store.close()
        with closing(sqlite3.connect(path)) as other:
            other.execute("UPDATE record SET salt=?, payload=? WHERE id=?", (*before, key(1)))
            other.commit()
        found = verified(path)
        assert numbers_of(found) == {1} and "erased" in str(found.problems[0])


def test_an_added_or_removed_row_of_the_index_of_requests_is_found() -> None:
    added = run("INSERT INTO request VALUES(1, x'00112233445566778899aabbccddeeff', 3)")
    with damaged(added) as path:
        assert numbers_of(verified(path)) == {3}
    for request, number in rows("SELECT request, number FROM request WHERE line=1"):
        with damaged(run("DELETE FROM request WHERE line=1 AND request=?", request)) as path:
            assert numbers_of(verified(path)) == {number}


def test_a_rewritten_record_breaks_the_chain_after_it() -> None:
    """Even one whose hash and commitment were made anew, as someone who knows the format would."""
    for number in (1, 4, length() - 2):
        damage = rewritten(number, payload={"by": "host", "content": "I never said that."})
        with damaged(damage) as path:
            assert number + 1 in numbers_of(verified(path))


def packed(header: Header) -> bytes:
    """Header bytes as somebody else writes them, of whatever values."""
    data: bytes = msgpack.packb(header)
    return data


def rewritten(place: int, /, payload: Any = None, **changes: Any) -> Damage:
    """A record made anew so that everything within it fits together."""

    def damage(connection: sqlite3.Connection) -> None:
        sql = "SELECT header, salt, payload FROM record WHERE id=?"
        data, salt, kept = connection.execute(sql, (key(place),)).fetchone()
        if payload is not None:
            kept = payload if isinstance(payload, bytes) else encode_payload(payload)
            changes["commitment"] = commitment(salt, kept)
        header = decode_header(data)._replace(**changes)
        data = packed(header) if changes else data
        connection.execute(
            "UPDATE record SET header=?, hash=?, payload=? WHERE id=?",
            (data, header_hash(data), kept, key(place)),
        )

    return damage


# Anything at all

READS: list[Callable[[Relationship], object]] = [
    Relationship.turns,
    Relationship.records,
    Relationship.rapport,
    Relationship.digests,
    Relationship.replay,
    Relationship.why_rapport,
    Relationship.branches,
    Relationship.decisions,
    Relationship.summary,
    Relationship.blueprint,
    Relationship.verify,
    lambda bond: bond.rapport(at=enishi.host.system_clock()),
    lambda bond: bond.rapport(as_lived=enishi.host.system_clock()),
    lambda bond: bond.on("aside").turns(),
    lambda bond: bond.name_of("chen"),
    lambda bond: [bond.why(number) for number in range(length())],
    lambda bond: bond.text(2),
    lambda bond: bond.has_imported("anything"),
    lambda bond: bond.record(f"{THANKS} one", "Any time.", request="one"),
    lambda bond: bond.record(f"{THANKS} two", "Any time.", request="two"),
    lambda bond: bond.adopt_policy("1"),
    lambda bond: bond.propose(None, enishi.RuleProposer()),
    lambda bond: thank(bond, "new"),
    Relationship.rebuild,
]


def check_that_nothing_fails_untyped(path: Path) -> Verification | None:
    """Everything either works or is refused with a typed error; `verify` never fails."""
    with open_store(path, synchronous="NORMAL") as store:
        try:
            bond = store.relationships()[0]
        except EnishiError:
            return None
        found = bond.verify()
        for read in READS:
            read_or_refused(store, read)
            read_or_refused(bond, read)
    return found


def read_or_refused(about: Store | Relationship, read: Callable[[Relationship], object]) -> None:
    bond = about if isinstance(about, Relationship) else about.relationships()[0]
    try:
        read(bond)
    except EnishiError as error:
        assert "\n" not in str(error)


@settings(quick, max_examples=30)
@given(st.data())
def test_random_bytes_anywhere_are_never_more_than_a_typed_error(data: Any) -> None:
    table, column = data.draw(
        st.sampled_from(
            [
                *(("record", name) for name in ("type", "header", "hash", "salt", "payload")),
                *(("line", name) for name in ("relationship", "secret", "agent", "user")),
                *(("checkpoint", name) for name in ("state", "digest", "running")),
                ("request", "request"),
            ]
        )
    )
    value = data.draw(st.binary(max_size=60))
    number = data.draw(st.integers(0, length() - 1))
    if table == "record":
        where = f"id={key(number)}"
    else:
        where = "line=1"
        if table == "request" or column == "running":
            where += f" AND {column}=(SELECT min({column}) FROM {table} WHERE line=1)"
    with damaged(setting(table, column, where, value)) as path:
        found = check_that_nothing_fails_untyped(path)
        if table == "record" and found is not None:
            assert number in numbers_of(found)


WEIRD: list[Any] = [
    None, True, -1, 0, 3, 1 << 31, 1 << 63, (1 << 64) - 1, -(1 << 63), 1.5, "", "x", "Erased", b"",
    b"x" * 16, [], [[]], [-1], [1], [5000], [1 << 63], ["x"], [None], [b"x"], {}, {"a": 1},
    [1, 2, 3], [1 << 63, 0, 0], [0, 1 << 40, 0], ["a", "b", "c"], msgpack.ExtType(5, b"x"),
    msgpack.Timestamp(0),
]  # fmt: skip


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("field", Header._fields)
def test_headers_with_impossible_values_are_never_more_than_a_typed_error(field: str) -> None:
    """Made anew with a hash that fits, so that only the value itself is wrong."""
    chance = random.Random(field)
    for value in chance.sample(WEIRD, 16):
        number = chance.randrange(length() - 1)
        header = decode_header(rows("SELECT header FROM record WHERE id=?", key(number))[0][0])
        if packed(header) == packed(header._replace(**{field: value})):
            continue
        with damaged(rewritten(number, **{field: value})) as path:
            assert not verified(path).ok
            if chance.random() < 0.1:
                check_that_nothing_fails_untyped(path)
    for value in chance.sample(WEIRD, 2):
        with damaged(rewritten(length() - 1, **{field: value})) as path:
            check_that_nothing_fails_untyped(path)


@pytest.mark.parametrize("seed", range(3))
def test_payloads_of_impossible_shape_are_never_more_than_a_typed_error(seed: int) -> None:
    chance = random.Random(seed)
    for value in chance.sample(WEIRD, 6) + [deep(400), deep(510)]:
        number = chance.choice([n for n in range(length()) if n != ERASED])
        for payload in (value, {"content": value}):
            data = msgpack.packb(payload)
            if data == rows("SELECT payload FROM record WHERE id=?", key(number))[0][0]:
                continue
            with damaged(rewritten(number, payload=data)) as path:
                found = check_that_nothing_fails_untyped(path)
                if number < length() - 1:
                    assert found is not None and not found.ok


@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_overwritten_pages_is_never_more_than_a_typed_error(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    data = bytearray(whole_store())
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(data))
        data[start : start + 200] = chance.randbytes(min(200, len(data) - start))
    path = tmp_path / "store.db"
    path.write_bytes(data)
    try:
        check_that_nothing_fails_untyped(path)
    except EnishiError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_short_is_never_more_than_a_typed_error(
    share: float, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(whole_store()[: int(len(whole_store()) * share)])
    try:
        check_that_nothing_fails_untyped(path)
    except EnishiError as error:
        assert "\n" not in str(error)
