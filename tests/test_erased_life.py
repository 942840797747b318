"""Erasing in a life of turns, derivations, branches and other readers; and killed at every step."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from test_reported_erasure import Reader, everything_said, forms, forms_found, told

from enishi.host import Relationship, Store
from enishi.kernel import fold
from enishi.kernel.erasing import scrubbing
from enishi.kernel.errors import Conflict, InvalidInput, NotFound
from enishi.projections.recall import index, meaning
from enishi.projections.recall.vectors import Embedder


@pytest.fixture(autouse=True)
def written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index and kept states of a short life are written to the file, as those of a long one are."""
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    monkeypatch.setattr(fold, "CHUNK_TURNS", 1)
    monkeypatch.setattr(index, "UNSAVED", 1)
    monkeypatch.setattr(meaning, "UNSAVED", 1)


def spelt(texts: list[str]) -> list[list[int]]:
    """Vectors whose bytes, as they are kept, spell the text: who looks for words finds these, too."""
    return [
        [127, *(min(byte, 127) for byte in text.encode()[:63].ljust(63, b" "))] for text in texts
    ]


SPELT = Embedder("spelt 1", spelt)


class Finder(Reader):
    """A reader of the words of a life: beliefs and what is kept of their fold hold them."""

    codes = r"qx\d+zk"


class ErasedLife(RuleBasedStateMachine):
    """What was erased is found by no query and in no file, whatever else is done."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = fixed_store(self.folder / "s.db", embedder=SPELT)
        self.other = fixed_store(self.folder / "s.db", seed=1, embedder=SPELT)
        self.bonds = [self.store.relationship("lumi", user) for user in ("anna", "ben")]
        self.places = count(1000)
        self.said: dict[tuple[int, int], str] = {}
        self.gone: set[str] = set()
        self.reader: sqlite3.Connection | None = None

    def teardown(self) -> None:
        self.stop_reading()
        told = everything_said(self.store)
        assert not [word for word in self.gone if word in told]
        for bond in self.bonds:
            assert bond.verify().ok
            for branch in bond.branches():
                assert bond.on(branch.name).digests() == bond.on(branch.name).replay()
        self.other.close()
        self.store.close()
        self.nothing_is_left()
        shutil.rmtree(self.folder)

    def word(self) -> str:
        # One term for a search as well: in the index it stands as it is.
        return f"qx{next(self.places)}zk"

    def note(self, who: int, number: int, word: str) -> None:
        self.said[who, number] = word

    def turns(self, who: int) -> list[int]:
        return [turn.number for turn in self.bonds[who].turns()]

    def texts(self, who: int) -> list[int]:
        return [
            number
            for turn in self.bonds[who].turns()
            for text in (*turn.messages, *turn.replies)
            for number in text.wordings
        ]

    @initialize()
    def begin(self) -> None:
        for who in (0, 1):
            self.say(who, True)

    @rule(who=st.integers(0, 1), derive=st.booleans())
    def say(self, who: int, derive: bool) -> None:
        words, bond = (self.word(), self.word()), self.bonds[who]
        turn = bond.record(f"I own {words[0]}.", f"So {words[1]} it is.")
        self.note(who, turn.number + 1, words[0])
        self.note(who, turn.number + 2, words[1])
        if derive:
            bond.propose(turn, Finder())

    @rule(who=st.integers(0, 1), place=st.integers(0, 20), vary=st.booleans())
    def say_otherwise(self, who: int, place: int, vary: bool) -> None:
        word, bond = self.word(), self.bonds[who]
        if vary and self.turns(who):
            number = self.turns(who)[place % len(self.turns(who))]
            self.allowed(
                lambda: self.note(who, bond.regenerate(number, f"I own {word}.").number, word)
            )
        elif self.texts(who):
            number = self.texts(who)[place % len(self.texts(who))]
            self.allowed(lambda: self.note(who, bond.edit(number, f"I own {word}.").number, word))
        bond.propose(None, Finder())

    @rule(who=st.integers(0, 1), place=st.integers(0, 20), which=st.integers(1, 2))
    def swipe(self, who: int, place: int, which: int) -> None:
        turns = self.turns(who)
        if turns:
            self.allowed(lambda: self.bonds[who].swipe(turns[place % len(turns)], which))

    @rule(who=st.integers(0, 1), place=st.integers(0, 20), back=st.booleans())
    def branch_off(self, who: int, place: int, back: bool) -> None:
        turns, bond = self.turns(who), self.bonds[who]
        if turns and back:
            self.allowed(lambda: bond.back(turns[place % len(turns)]))
        elif turns:
            name = f"side {next(self.places)}"
            bond.fork(name, turns[place % len(turns)])
            bond.switch(name)

    @rule(who=st.integers(0, 1), place=st.integers(0, 40), keep=st.booleans(), whole=st.booleans())
    def erase(self, who: int, place: int, keep: bool, whole: bool) -> None:
        bond = self.bonds[who]
        numbers = self.turns(who) if whole else self.texts(who)
        if not numbers:
            return
        number = numbers[place % len(numbers)]
        history = bond._stream.history
        asked = {number} if not whole else set(history.events_of(number))
        receipt = bond.erase(number, keep_effects=keep)
        assert receipt.scrub == "scrubbed" or self.reader is not None
        self.gone |= {w for (one, n), w in self.said.items() if one == who and n in asked}

    @rule(who=st.integers(0, 1), place=st.integers(0, 40), keep=st.booleans())
    def erase_a_word(self, who: int, place: int, keep: bool) -> None:
        words = [w for (one, _), w in self.said.items() if one == who and w not in self.gone]
        if words:
            word = words[place % len(words)]
            bond = self.bonds[who]
            bond.erase(bond.plan_erasure(matching=word, keep_effects=keep))
            self.gone.add(word)

    @rule(who=st.integers(0, 1), how=st.sampled_from(["bond", "user", "user, anew"]))
    def erase_all(self, who: int, how: str) -> None:
        if next(self.places) % 4 == 0:
            bond = self.bonds[who]
            if how == "bond":
                bond.erase_relationship()
            elif how == "user":
                self.store.erase_user(bond.user)
            else:  # by somebody who has read nothing of it
                with fixed_store(self.folder / "s.db", seed=next(self.places)) as fresh:
                    fresh.erase_user(bond.user)
            self.bonds[who] = self.store.relationship(bond.agent, bond.user)
            self.gone |= {w for (one, _), w in self.said.items() if one == who}
            self.said = {key: w for key, w in self.said.items() if key[0] != who}

    @rule()
    def somebody_reads(self) -> None:
        """Another process reads, and its view and what it has in memory grow old."""
        for bond in self.other.relationships():
            bond.digests()
            bond.turns()
            bond.recall("hello")

    @rule()
    def everything_is_indexed(self) -> None:
        for who, bond in enumerate(self.bonds):
            bond.digests()
            for (owner, _), word in list(self.said.items())[-3:]:
                found = bond.recall(word)
                assert owner == who or word not in repr(found.items)

    @rule()
    def somebody_writes(self) -> None:
        for bond in self.other.relationships():
            bond.record("Hello there.", "Hello.")

    @rule(holds=st.booleans())
    def somebody_holds_a_view(self, holds: bool) -> None:
        self.stop_reading()
        if holds:
            self.reader = sqlite3.connect(self.folder / "s.db")
            self.reader.execute("BEGIN")
            self.reader.execute("SELECT count(*) FROM record").fetchone()

    def stop_reading(self) -> None:
        if self.reader is not None:
            self.reader.close()
            self.reader = None
            assert self.store.scrub()

    def allowed(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (Conflict, InvalidInput, NotFound):
            pass

    @invariant()
    def nothing_is_left(self) -> None:
        if self.reader is None:
            files = b"".join(file.read_bytes() for file in self.folder.iterdir())
            assert not [w for w in self.gone for form in forms(w).values() if form in files]

    @invariant()
    def nothing_is_told(self) -> None:
        told = everything_said(self.store)
        assert not [word for word in self.gone if word in told]
        assert all(found.ok for _, found in self.store.verify_erased())
        for word in sorted(self.gone)[-2:]:
            assert not [bond for bond in self.bonds if word in repr(bond.recall(word).items)]


TestErasedLife = ErasedLife.TestCase
TestErasedLife.settings = settings(
    max_examples=8,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


# Killed at every step


def begun(path: Path) -> Store:
    """Three turns, of which the second is to be erased; pages with old bytes among them."""
    store = fixed_store(path)
    bond = store.relationship("lumi", "chen")
    for code in ("AB-1000", "ZQ-7731", "CD-2000"):
        told(bond, f"I own {code}.")
    bond.digests()
    bond.recall("own")
    return store


def killed(path: Path, step: int) -> bool:
    """Erase in a process that is killed at a step; False where it came to its end before."""
    child = os.fork()
    if child == 0:
        try:
            _erase_and_die(path, step)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _erase_and_die(path: Path, step: int) -> None:
    steps = count()

    def one_more(*_: Any) -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    store = fixed_store(path, seed=2)
    store._log.connection.set_trace_callback(one_more)
    fsync, sweep = os.fsync, scrubbing.overwrite_gaps

    def swept(*given: Any) -> int:
        one_more()
        found = sweep(*given)
        one_more()
        return found

    os.fsync = lambda handle: (one_more(), fsync(handle))[1]
    scrubbing.overwrite_gaps = swept
    (bond,) = store.relationships()
    bond.erase(bond.turns()[1])
    store.close()


def check_after(path: Path) -> bool:
    """Whether it has begun; then it was also brought to its end when the store was opened."""
    with fixed_store(path, seed=3) as store:
        (bond,) = store.relationships()
        there = "ZQ-7731" in everything_said(store)
        assert len(bond.beliefs()) == (3 if there else 2)
        assert store.to_scrub() == [] and bond.verify().ok and bond.digests() == bond.replay()
    found = forms_found(path.parent, "ZQ-7731")
    assert bool(found) is there, found
    return not there


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "steps", [range(5, 60, 9), pytest.param(range(400), marks=pytest.mark.slow)]
)
def test_killed_at_any_step_it_has_not_begun_or_is_brought_to_its_end(
    tmp_path: Path, steps: range
) -> None:
    seen = set()
    begun(tmp_path / "s.db").close()
    for step in steps:
        folder = tmp_path / str(step)
        folder.mkdir()
        shutil.copy(tmp_path / "s.db", folder / "s.db")
        if not killed(folder / "s.db", step):
            assert step > 20 and check_after(folder / "s.db")
            break
        seen.add(check_after(folder / "s.db"))
    assert seen == {True, False}


def test_nothing_here_is_kept_for_a_relationship_that_was_erased(tmp_path: Path) -> None:
    store = begun(tmp_path / "s.db")
    bond: Relationship = store.relationships()[0]
    bond.erase_relationship()
    with sqlite3.connect(tmp_path / "s.db") as plain:
        rows = {
            table: plain.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("request", "checkpoint", "scrub")
        }
        assert rows == {"request": 0, "checkpoint": 0, "scrub": 0}
        assert plain.execute("SELECT agent, user, secret FROM line").fetchall() == [
            (None, None, b"")
        ]
    store.close()


def test_it_is_erased_while_others_read_and_write(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    store = fixed_store(folder / "s.db")
    bond = store.relationship("lumi", "chen")
    turns = [told(bond, f"I own QZ-{place:04}7.") for place in range(20)]
    done, failed = threading.Event(), []

    def others(seed: int) -> None:
        with fixed_store(folder / "s.db", seed=seed) as own:
            same = own.relationship("lumi", "chen")
            while not done.is_set():
                try:
                    same.record("Hello there.", "Hello.")
                    same.turns()
                    same.digests()
                except Exception as error:  # noqa: BLE001 - told in the end
                    failed.append(error)
                    return

    threads = [threading.Thread(target=others, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for turn in turns:
        bond.erase(turn)
    done.set()
    for thread in threads:
        thread.join()
    assert not failed and store.scrub() and bond.verify().ok
    assert not [n for n in range(20) if forms_found(folder, f"QZ-{n:04}7")]
    store.close()
