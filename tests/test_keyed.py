"""Keyed stores: what is encrypted, what an erasure does to copies, and what happens between."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from helpers import Shell, fixed_store, line, write_chat
from hypothesis import given, settings
from hypothesis import strategies as st
from test_reported_erasure import everything_said, forms_found, told

from enishi.host import Relationship, Store, make_keyed, open_store
from enishi.kernel import fold
from enishi.kernel import log as kernel_log
from enishi.kernel.erasing import receipt as receipt_module
from enishi.kernel.erasing import scrubbing
from enishi.kernel.errors import (
    Conflict,
    EnishiError,
    MissingExtra,
    NoKeys,
    StoreBusy,
    StoreReadOnly,
    WrongKeys,
)
from enishi.kernel.keys import keying, vault
from enishi.kernel.keys.vault import made
from enishi.projections.recall import index

WORD = "ZQ-7731"
CARD = {"name": "Lumi", "description": f"Owns {WORD}.", "personality": "", "first_mes": WORD}


def keyed_store(path: Path, **options: Any) -> Store:
    return fixed_store(path, keyed=True, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def begun(path: Path, *, keyed: bool = True) -> Store:
    """Three turns, of which the second is to be erased."""
    store = fixed_store(path, keyed=keyed)
    bond = store.relationship("lumi", "chen")
    for code in ("AB-1000", WORD, "CD-2000"):
        told(bond, f"I own {code}.")
    bond.digests()
    return store


def only(store: Store) -> Relationship:
    (bond,) = store.relationships()
    return bond


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as plain:
        return plain.execute(sql).fetchall()


def keys_of(store: Path) -> dict[int, bytes]:
    return dict(rows(store.with_name(f"{store.name}.keys"), "SELECT id, key FROM key"))


def check_keys(store: Path) -> None:
    """There is a key for each thing that is encrypted, and none besides."""
    sealed = {place for (place,) in rows(store, "SELECT id FROM record WHERE payload IS NOT NULL")}
    for (state,) in rows(store, "SELECT state FROM checkpoint"):
        sealed.add(int.from_bytes(state[:8], "big", signed=True))
    assert keys_of(store).keys() == sealed
    assert rows(store, "SELECT * FROM lost") == []


def copied(store: Path, folder: Path, *, keys: Path) -> Path:
    """A copy of a store, as a backup makes it, beside the key file of `keys`."""
    folder.mkdir()
    with closing(sqlite3.connect(store)) as plain, closing(sqlite3.connect(folder / "s.db")) as to:
        plain.backup(to)
    source = keys.with_name(f"{keys.name}.keys")
    with (
        closing(sqlite3.connect(source)) as plain,
        closing(sqlite3.connect(folder / "s.db.keys")) as to,
    ):
        plain.backup(to)
    return folder / "s.db"


# What lies in the files


def test_no_file_ever_holds_words(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    monkeypatch.setattr(fold, "CHUNK_TURNS", 2)
    monkeypatch.setattr(index, "UNSAVED", 1)
    with keyed_store(path) as store:
        bond = store.relationship("lumi", "chen", blueprint=CARD)
        for code in (WORD, "AB-1000", WORD, WORD):
            turn = told(bond, f"I own {WORD}. I live in {code}.", f"So {WORD} it is.")
            bond.digests()
            assert forms_found(path.parent, WORD) == [], "while it is written"
        bond.edit(turn + 1, f"I lost {WORD}.")
        bond.fork(f"about {WORD}", after=turn).record(f"And {WORD}?", WORD)
        bond.digests()
        assert rows(path, "SELECT 1 FROM checkpoint"), "checkpoints hold what was folded"
        assert WORD in repr(bond.recall(f"What about {WORD}?").items)
        assert WORD in everything_said(store) and forms_found(path.parent, WORD) == []
        digests = bond.digests()
    assert forms_found(path.parent, WORD) == []
    with open_store(path) as store:
        assert only(store).digests() == digests == only(store).replay()
        assert only(store).verify().ok, only(store).verify().problems
    check_keys(path)


def test_every_thing_has_another_key_and_salts_are_encrypted_too(path: Path) -> None:
    begun(path).close()
    keys = keys_of(path)
    assert len(set(keys.values())) == len(keys) > 10 and {len(key) for key in keys.values()} == {32}
    assert set(rows(path, "SELECT salt FROM record")) == {(b"",)}
    data = b"".join(
        file.read_bytes() for file in path.parent.glob("s.db*") if "keys" not in file.name
    )
    assert not any(key in data for key in keys.values())


LIVES = st.lists(
    st.sampled_from(
        ["say", "swipe", "edit", "fork", "withdraw", "erase", "words", "fail", "again"]
    ),
    min_size=2,
    max_size=7,
)


def lived(path: Path, acts: list[str], keyed: bool) -> tuple[Any, bytes]:
    """What a life comes to: digests, problems and tip, and its pack."""
    store = fixed_store(path, keyed=keyed)
    bond = store.relationship("lumi", "chen")
    told(bond, "I own AA-100. Thank you!")
    for place, act in enumerate(acts):
        turns = [turn for turn in bond.turns() if turn.messages]
        last = turns[-1].number
        match act:
            case "say":
                told(bond, f"I own BB-{place}00.")
            case "swipe":
                bond.regenerate(last, f"Or CC-{place}00?")
            case "edit":
                told(bond, "Hm.")
                bond.edit(bond.turns()[-1].messages[0].number, f"I own DD-{place}00.")
            case "fork":
                bond = bond.fork(f"b{place}", after=last)
            case "withdraw":
                bond.withdraw(last)
                told(bond, "Well.")
            case "erase":
                bond.erase(last)
                told(bond, "Well.")
            case "words":
                bond.erase(last, keep_effects=True)
                told(bond, "Well.")
            case "fail":
                with pytest.raises(ZeroDivisionError), store.transaction():
                    bond.record("Never said.", "Never answered.")
                    raise ZeroDivisionError
            case "again":
                store.close()
                store = fixed_store(path, seed=place + 1)
                bond = store.relationship("lumi", "chen", create=False).on(bond_name(bond))
    bond.export(path.parent / "p.erii")
    found = bond.verify()
    said = bond.digests(), bond.replay(), found.problems, found.tip, bond.turns(), bond.beliefs()
    assert store.scrub()
    store.close()
    return said, (path.parent / "p.erii").read_bytes()


def bond_name(bond: Relationship) -> str:
    return bond._named or "main"


@settings(max_examples=6, deadline=None)
@given(LIVES)
def test_a_life_comes_to_the_same_in_a_keyed_store(acts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as keyed:
        one = lived(Path(plain) / "s.db", acts, keyed=False)
        other = lived(Path(keyed) / "s.db", acts, keyed=True)
        assert one == other and not one[0][2]
        check_keys(Path(keyed) / "s.db")


@pytest.mark.parametrize("many", [1, vault.MANY])
def test_what_was_taken_back_leaves_no_key(
    path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """Also where the key file has been given the keys before it was."""
    monkeypatch.setattr(vault, "MANY", many)
    with keyed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        with store.transaction():
            with pytest.raises(ZeroDivisionError), store.transaction():
                bond.record("Never said.", "Never answered.")
                raise ZeroDivisionError
            bond.record("Said.", "Answered.")
        with pytest.raises(ZeroDivisionError), store.transaction():
            bond.record("Never said.", "Never answered.")
            raise ZeroDivisionError
        assert bond.verify().ok and [t.messages[0].content for t in bond.turns()] == ["Said."]
    assert keys_of(path).keys() == {place for (place,) in rows(path, "SELECT id FROM record")}


def test_a_line_that_is_let_go_takes_its_keys_along(path: Path, tmp_path: Path) -> None:
    with begun(path) as store:
        pack = tmp_path / "packs" / "p.erii"
        pack.parent.mkdir()
        only(store).export(pack)
        store.import_pack(pack)
        assert only(store).verify().ok and store.scrub()
        check_keys(path)
    with keyed_store(tmp_path / "other.db", seed=5) as other:
        other.import_pack(pack)
        assert only(other).verify().ok and WORD in everything_said(other)
        data = b"".join(file.read_bytes() for file in tmp_path.glob("*.db*"))
        assert WORD.encode() not in data


# Erasing


def test_a_copy_made_before_an_erasure_does_not_give_it_back(path: Path, tmp_path: Path) -> None:
    with begun(path) as store:
        bond = only(store)
        before = keys_of(path)
        backup = copied(path, tmp_path / "before", keys=path)
        receipt = bond.erase(bond.turns()[1])
        assert receipt.scrub == "scrubbed" and receipt.out_of_reach[0] == "copies_of_the_keys"
        gone = {before[place] for place in before.keys() - keys_of(path).keys()}
        assert len(gone) == receipt.erased
        data = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
        assert not any(key in data for key in gone), "a key is in no file, also not in its own"
        assert bond.verify().ok and bond.digests() == bond.replay()
        check_keys(path)
        restored = copied(backup, tmp_path / "restored", keys=path)
    with open_store(restored) as old:
        assert WORD not in everything_said(old) and "AB-1000" in everything_said(old)
        problems = only(old).verify().problems
        assert {one.number for one in problems} == set(receipt.parts[0].numbers)
        assert all("no tombstone names it" in one.message for one in problems)
        assert only(old).digests() == only(old).replay()
        old.erase_again(receipt)
        assert only(old).verify().ok
    with open_store(backup) as older:  # with the keys of then: out of reach, as the receipt says
        assert WORD in everything_said(older)


def test_a_kept_state_of_before_cannot_be_opened_either(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    monkeypatch.setattr(fold, "CHUNK_TURNS", 1)
    with begun(path) as store:
        told(only(store), "I own EF-3000.")
        only(store).digests()
        states = rows(path, "SELECT state FROM checkpoint")
        held = {int.from_bytes(state[:8], "big", signed=True) for (state,) in states}
        assert held and held <= keys_of(path).keys()
        only(store).erase(only(store).turns()[1])
        check_keys(path)
        assert held - keys_of(path).keys()
        only(store).digests()
    check_keys(path)


def test_one_who_holds_an_older_view_sees_it_as_gone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipt_module, "PATIENCE", 0.0)
    with begun(path) as store, open_store(path) as other, other._log.reading():
        assert WORD in everything_said(other)
        bond = only(store)
        receipt = bond.erase(bond.turns()[1])
        assert receipt.scrub == "scrub pending"
        assert WORD not in repr([r.payload for r in other._log.records(1)])
    with begun_again(path) as store:
        assert store.to_scrub() == [] and only(store).verify().ok
    check_keys(path)


def begun_again(path: Path) -> Store:
    return fixed_store(path, seed=3)


def test_erasing_a_relationship_and_a_new_one_of_the_same_two(path: Path) -> None:
    with begun(path) as store:
        only(store).erase_relationship()
        told(store.relationship("lumi", "chen"), "I own GH-4000.")
        assert WORD not in everything_said(store) and only(store).verify().ok
    check_keys(path)


# Killed at every step


def in_a_child(path: Path, step: int, act: Callable[[Relationship], object]) -> bool:
    """Do something in a process that is killed at a step; False where it came to its end before."""
    child = os.fork()
    if child == 0:
        try:
            _act_and_die(path, step, act)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _act_and_die(path: Path, step: int, act: Callable[[Relationship], object]) -> None:
    steps = count()

    def one_more(*_: Any) -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    store = fixed_store(path, seed=2)
    assert store._log.vault is not None
    for connection in (store._log.connection, store._log.vault.connection):
        connection.set_trace_callback(one_more)
    sweep = scrubbing.overwrite_gaps

    def swept(*given: Any) -> int:
        one_more()
        return sweep(*given)

    scrubbing.overwrite_gaps = swept
    act(only(store))
    store.close()


def say_more(bond: Relationship) -> None:
    bond.record("I own IJ-5000.", "I see.", request="more")


def erase_second(bond: Relationship) -> None:
    bond.erase(bond.turns()[1])


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
@pytest.mark.parametrize(
    "steps",
    [
        (5, 20, 51, 52, 53, 54, 58, 66, 69, 73, 75, 80),
        pytest.param(range(400), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("act", [say_more, erase_second])
def test_killed_at_any_step_no_record_loses_its_key_and_no_key_comes_back(
    tmp_path: Path, act: Callable[[Relationship], object], steps: range
) -> None:
    begun(tmp_path / "s.db").close()
    before = keys_of(tmp_path / "s.db")
    done = set()
    for step in steps:
        path = tmp_path / str(step) / "s.db"
        path.parent.mkdir()
        for name in ("s.db", "s.db.keys"):
            shutil.copy(tmp_path / name, path.with_name(name))
        killed = in_a_child(path, step, act)
        with begun_again(path) as store:
            bond = only(store)
            assert bond.verify().ok and bond.digests() == bond.replay() and store.to_scrub() == []
            if act is erase_second:
                done.add(WORD not in everything_said(store))
            else:
                done.add(len(bond.turns()) == 4)
                say_more(bond)
                assert len(bond.turns()) == 4 and bond.verify().ok
        kept = keys_of(path).keys()
        sealed = {p for (p,) in rows(path, "SELECT id FROM record WHERE payload IS NOT NULL")}
        assert sealed <= kept and not (kept - sealed) & before.keys(), "at most one that has no use"
        data = b"".join(file.read_bytes() for file in path.parent.iterdir())
        assert not [place for place in before.keys() - kept if before[place] in data]
        shutil.rmtree(path.parent)
        if not killed:
            break
    assert done == {True, False}


# A plain store becomes keyed


def test_a_plain_store_becomes_keyed_without_another_hash(
    path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "UNSAVED", 1)
    with begun(path, keyed=False) as store:
        bond = only(store)
        told(bond, "I own KL-6000.")
        bond.erase(bond.turns()[3])
        digests, tip = bond.digests(), bond.verify().tip
        recalled = bond.recall(WORD).items
        said = everything_said(store)
    assert forms_found(path.parent, WORD) and rows(path, "SELECT 1 FROM posting")
    assert shell.json("doctor", "--store", path)["keyed"] is False
    rebuilt = shell.json("rebuild", "--keyed", "--store", path)
    assert rebuilt[0]["digests"] == digests
    assert forms_found(path.parent, WORD) == []
    assert shell.json("doctor", "--store", path)["keyed"] is True
    with begun_again(path) as store:
        assert everything_said(store) == said
        assert only(store).verify(tip=tip).ok and only(store).digests() == digests
        assert only(store).recall(WORD).items == recalled
        assert rows(path, "SELECT 1 FROM posting") == []
        told(only(store), "I own MN-7000.")
        only(store).erase(only(store).turns()[1])
        assert only(store).verify().ok
    check_keys(path)
    assert make_keyed(path) == 0, "once is enough"


def test_it_becomes_keyed_only_while_nobody_else_has_it_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_log, "_ALONE_SECONDS", 0.05)
    with begun(path, keyed=False) as store:
        with pytest.raises(StoreBusy):
            make_keyed(path)
        assert only(store).verify().ok and not store.keyed
    assert make_keyed(path) > 10


@needs_fork
@pytest.mark.parametrize("step", [0, 1, 2])
def test_killed_while_it_becomes_keyed_it_can_become_so_again(path: Path, step: int) -> None:
    """Killed before anything was encrypted, when keys were kept, and right after the commit."""
    begun(path, keyed=False).close()
    child = os.fork()
    if child == 0:
        places = [(keying, "made"), (kernel_log.Log, "must_scrub"), (kernel_log.Log, "scrub")]
        owner, name = places[step]
        setattr(owner, name, lambda *given: os.kill(os.getpid(), signal.SIGKILL))
        try:
            make_keyed(path)
        finally:
            os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    with open_store(path) as store:
        assert store.keyed is (step == 2) and only(store).verify().ok
        assert WORD in everything_said(store) and store.to_scrub() == []
    assert (make_keyed(path) == 0) is (step == 2)
    with open_store(path) as store:
        assert store.keyed and only(store).verify().ok
    assert forms_found(path.parent, WORD) == []
    check_keys(path)


# What can be wrong


def refused(error: type[EnishiError], path: Path, match: str, **options: Any) -> None:
    with pytest.raises(error, match=match):
        open_store(path, **options).close()


def test_a_store_without_its_keys_or_with_others(path: Path, tmp_path: Path) -> None:
    begun(path).close()
    keys = path.with_name("s.db.keys")
    away = keys.rename(tmp_path / "away")
    refused(NoKeys, path, "s.db.keys is not there")
    assert not keys.exists(), "none is made in its stead"
    begun(tmp_path / "other.db").close()
    shutil.copy(tmp_path / "other.db.keys", keys)
    refused(WrongKeys, path, "not the key file of this store")
    for wrong in (b"", b"no database at all, and longer than its header" * 9):
        keys.write_bytes(wrong)
        refused(WrongKeys, path, "no key file of Enishi")
    away.replace(keys)
    with open_store(path, keyed=True) as store:
        assert WORD in everything_said(store)
    path.rename(tmp_path / "moved.db")
    for keyed in (True, False):
        refused(WrongKeys, path, "put that store back", keyed=keyed)


@pytest.mark.parametrize("keyed", [True, False])
def test_a_store_that_lost_its_beginning_is_told_from_one_with_other_keys(
    path: Path, tmp_path: Path, keyed: bool
) -> None:
    """The store's own file is still empty, and its write-ahead log is cut or gone."""
    with begun(path):
        (tmp_path / "torn").mkdir()
        for name in ("s.db", "s.db.keys", "s.db.keys-wal"):
            shutil.copy(tmp_path / name, tmp_path / "torn")
    refused(WrongKeys, tmp_path / "torn" / "s.db", "nothing in it.*s.db-wal", keyed=keyed)


def test_a_keyed_store_that_was_only_begun_is_made_by_whoever_opens_it(path: Path) -> None:
    made(path)
    with open_store(path) as store:
        assert store.keyed


def test_a_plain_store_is_not_taken_for_a_keyed_one(path: Path, shell: Shell) -> None:
    begun(path, keyed=False).close()
    refused(Conflict, path, "enishi rebuild --keyed", keyed=True)
    chat = write_chat(path.with_name("c.jsonl"), [line("Hi.", "Chen"), line("Hello.")])
    assert "rebuild --keyed" in shell.refused(
        "import", chat, "--no-propose", "--keyed", "--store", path
    )
    shell.ok("import", chat, "--no-propose", "--keyed", "--store", path.with_name("new.db"))
    assert keys_of(path.with_name("new.db"))


def test_read_only_it_can_be_read(path: Path) -> None:
    begun(path).close()
    with open_store(path, read_only=True) as store:
        assert WORD in everything_said(store) and only(store).verify().ok
        with pytest.raises(StoreReadOnly):
            only(store).record("No.", "No.")


def test_without_the_extra_it_says_which(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(path).close()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    refused(MissingExtra, path, r"enishi\[crypto\]")
    refused(MissingExtra, path.with_name("new.db"), r"enishi\[crypto\]", keyed=True)
    assert not path.with_name("new.db.keys").exists()


@pytest.mark.parametrize(
    "change", ["substr(payload, 1, 20)", "x'80'", "(SELECT payload FROM other)"]
)
def test_what_was_changed_in_the_file_is_found(path: Path, change: str) -> None:
    with begun(path) as store:
        number = only(store).turns()[1].messages[0].number
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("DROP TRIGGER record_fixed")
        plain.execute("CREATE TEMP TABLE other AS SELECT payload FROM records WHERE number=1")
        plain.execute(f"UPDATE record SET payload={change} WHERE id & 4294967295 = {number}")
        plain.commit()
    with open_store(path) as store:
        assert {one.number for one in only(store).verify().problems} == {number}
        with pytest.raises(EnishiError):
            only(store).text(number)
