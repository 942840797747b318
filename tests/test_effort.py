"""What an act costs, counted and not timed: commits, statements, steps of SQLite, bytes decoded,
calls.

A count says the same on a busy machine. Each act has a bound, and what must not grow with the
length of a history costs the same in one that is eight times as long.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store

from enishi import Citation, Signal
from enishi.host import Relationship, Store
from enishi.kernel import fold as fold_module
from enishi.kernel import log
from enishi.kernel.transcript import TurnView
from enishi.kernel.verification import verify_line

SHORT, LONG = 40, 320
BEGINNING = datetime(2025, 3, 1, 12, tzinfo=UTC)


@dataclass(slots=True)
class Effort:
    """`steps` are those of SQLite's virtual machine, in hundreds."""

    commits: int = 0
    statements: int = 0
    steps: int = 0
    decoded: int = 0


@contextmanager
def counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Effort]:
    """Count what one thread does to a store that is open."""
    effort, connection, decode = Effort(), store._log.connection, log.decode_payload

    def traced(statement: str) -> None:
        effort.statements += 1
        effort.commits += statement.startswith("COMMIT")

    def step() -> int:
        effort.steps += 1
        return 0

    def counting(data: bytes) -> dict[str, Any]:
        effort.decoded += len(data)
        return decode(data)

    connection.set_trace_callback(traced)
    connection.set_progress_handler(step, 100)
    monkeypatch.setattr(log, "decode_payload", counting)
    try:
        yield effort
    finally:
        connection.set_trace_callback(None)
        connection.set_progress_handler(None, 0)
        monkeypatch.setattr(log, "decode_payload", decode)


def lived(path: Path, turns: int) -> Store:
    """A store with one relationship of so many turns, each with a signal, folded once."""
    store = fixed_store(path)
    with store.transaction():
        bond = store.relationship("lumi", "chen")
        for number in range(turns):
            turn = bond.record(
                "Thank you for that.", f"Reply {number}.", at=BEGINNING + timedelta(hours=number)
            )
            thank(bond, turn.view().messages[0].number)
    bond.digests()
    return store


def thank(bond: Relationship, message: int) -> None:
    citation = Citation(text=message, start=0, end=9)
    bond.propose(None, [Signal(signal="gratitude", actor="user", citations=(citation,))])


Act = Callable[[Relationship, TurnView], object]
"""What is done to a relationship, whose last turn it is told."""

AT = BEGINNING + timedelta(hours=LONG)
MORNING = ("Good morning.", "Good morning to you.")


def nothing(bond: Relationship, turn: TurnView) -> None:
    """Where nothing comes before."""


def record(bond: Relationship, turn: TurnView) -> None:
    bond.record(*MORNING, at=AT)


def ask(bond: Relationship, turn: TurnView) -> None:
    bond.rapport()


def regenerate(bond: Relationship, turn: TurnView) -> None:
    bond.regenerate(turn.number, "Another.")


def swipe(bond: Relationship, turn: TurnView) -> None:
    bond.swipe(turn.number, 1)
    bond.rapport()


def recall(bond: Relationship, turn: TurnView) -> None:
    bond.recall("Do you remember reply 3?")


FLAT: dict[str, tuple[Act, Act, int, int, int]] = {
    # what comes before, what is counted; at most so many commits, statements, bytes decoded
    "record": (nothing, record, 1, 7, 0),
    "ask again": (ask, ask, 1, 4, 0),
    "ask for a mood": (ask, lambda bond, turn: bond.mood(at=AT), 1, 4, 0),
    "ask after a turn": (record, ask, 1, 5, 200),
    "propose": (ask, lambda bond, turn: thank(bond, turn.messages[0].number), 1, 12, 800),
    "regenerate": (ask, regenerate, 1, 8, 200),
    "swipe and ask": (regenerate, swipe, 2, 11, 1_500),
    "edit": (ask, lambda bond, turn: bond.edit(turn.messages[0].number, "Hm."), 1, 9, 800),
    "fork": (ask, lambda bond, turn: bond.fork("a fork", turn.number), 2, 9, 0),
    "recall again": (recall, recall, 2, 30, 6_000),
}


@pytest.mark.parametrize("name", FLAT)
def test_an_act_costs_the_same_in_a_long_life(
    name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, act, commits, statements, decoded = FLAT[name]
    bond = store.relationship("lumi", "chen")
    turn = bond.turns()[-1]
    before(bond, turn)
    with counted(store, monkeypatch) as effort:
        act(bond, turn)
    assert effort.commits <= commits, effort
    assert effort.statements <= statements, effort
    assert effort.decoded <= decoded, effort
    # Some thousands of steps are what a commit, a look at the tip and a few rows take.
    assert effort.steps <= 60, effort


LINEAR: dict[str, tuple[Act, float, float]] = {
    # at most so many statements per hundred turns; each payload decoded at most so many times
    "replay": (lambda bond, turn: bond.replay(), 5, 2),
    "verify": (lambda bond, turn: bond.verify(), 10, 2),
    "erase": (lambda bond, turn: bond.erase(bond.turns()[3].number), 30, 3),
    "first recall": (recall, 150, 3),
}


@pytest.mark.parametrize("name", LINEAR)
def test_what_passes_a_whole_life_passes_it_a_few_times(
    name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, statements, times = LINEAR[name]
    bond = store.relationship("lumi", "chen")
    turn, turns = bond.turns()[-1], len(bond.turns())
    (payloads,) = store._log.connection.execute(
        "SELECT sum(length(payload)) FROM record"
    ).fetchone()
    with counted(store, monkeypatch) as effort:
        act(bond, turn)
    assert effort.decoded <= times * payloads, (effort, payloads)
    assert effort.statements <= 60 + statements * turns / 100, effort


CALLS: dict[str, tuple[Act, float]] = {
    # at most so many calls, of functions of Python and those that they call, per record
    "verify": (lambda bond, turn: verify_line(bond._stream.log, bond._stream.line), 24),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_passes_a_whole_life_makes_few_calls(name: str, store: Store) -> None:
    """Most of the time goes into calls, so that their number tells of it."""
    act, most = CALLS[name]
    bond = store.relationship("lumi", "chen")
    turn, records = bond.turns()[-1], len(bond.records())
    act(bond, turn)
    assert called(lambda: act(bond, turn)) <= 1000 + most * records


def late(bond: Relationship, turn: TurnView) -> None:
    thank(bond, bond.turns()[3].messages[0].number)


def fork(bond: Relationship, turn: TurnView) -> None:
    bond.fork("a fork", turn.number).rapport()


FEW: dict[str, tuple[Act, Act, int]] = {
    # what comes before, what is counted, and how many calls it makes at most
    "record": (record, record, 290),
    "ask again": (ask, ask, 125),
    "swipe and ask": (regenerate, swipe, 1_000),
    "fork and ask": (ask, fork, 850),
    "fork and ask after a late proposal": (late, fork, 850),
}


@pytest.mark.parametrize("name", FEW)
def test_what_is_near_the_end_makes_few_calls_in_a_long_life(name: str, store: Store) -> None:
    before, act, most = FEW[name]
    bond = store.relationship("lumi", "chen")
    turn = bond.turns()[-1]
    before(bond, turn)
    bond.rapport()
    assert called(lambda: act(bond, turn)) <= most


def test_a_late_proposal_takes_less_than_to_begin_anew(
    lives: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what it moves is judged and folded again, and that once."""
    monkeypatch.setattr(fold_module, "CHUNK_TURNS", 16)
    monkeypatch.setattr(fold_module, "CHECKPOINT_EVENTS", 16)
    calls = []
    for path, proposed in ((tmp_path / "new.db", False), (tmp_path / "late.db", True)):
        path.write_bytes(lives[LONG].read_bytes())
        with fixed_store(path) as store:
            bond = store.relationship("lumi", "chen")
            if proposed:
                bond.rapport()
                late(bond, bond.turns()[-1])
            calls.append(called(bond.rapport))
    assert calls[1] < 0.8 * calls[0]


def called(work: Callable[[], object]) -> int:
    """How many calls this thread makes for it."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A short and a long life, made once."""
    folder = tmp_path_factory.mktemp("effort")
    for turns in (SHORT, LONG):
        lived(folder / f"{turns}.db", turns).close()
    return {turns: folder / f"{turns}.db" for turns in (SHORT, LONG)}


@pytest.fixture(params=(SHORT, LONG), ids=("short", "long"))
def store(
    lives: dict[int, Path], tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Store]:
    """A copy of one of them, read and written once: the first write of a process notes that the
    file is no longer swept, and the first reading catches up with what it holds.
    """
    copy = tmp_path / "copy.db"
    copy.write_bytes(lives[request.param].read_bytes())
    with fixed_store(copy, seed=1) as store:
        store.relationship("lumi", "chen").digests()
        store.relationship("lumi", "another")
        yield store


def test_another_relationship_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening one of many takes as many rows as where it is alone."""
    found = []
    for others in (0, 200):
        with lived(tmp_path / f"{others}.db", 5) as store, store.transaction():
            for number in range(others):
                store.relationship("lumi", f"user {number}").record(*MORNING)
        with fixed_store(tmp_path / f"{others}.db", seed=1) as store:
            with counted(store, monkeypatch) as effort:
                store.relationship("lumi", "chen", create=False).rapport()
            found.append(effort)
    alone, crowd = found
    assert (crowd.commits, crowd.statements, crowd.decoded) == (
        alone.commits, alone.statements, alone.decoded,
    )  # fmt: skip
    assert crowd.steps <= alone.steps + 2
