"""Folding a long life: which states are written down on the way, and that each is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import msgpack
import pytest
from helpers import fixed_store

from enishi import Citation, Signal
from enishi.host import Relationship, Store
from enishi.kernel import fold
from enishi.kernel.fold import Event, Fold, Projection, Reason, State
from enishi.kernel.transcript import TurnView

TURNS = 400
BEGINNING = datetime(2025, 3, 1, 12, tzinfo=UTC)


def counts(state: State, event: Event, trace: list[Reason] | None) -> None:
    state["seen"] += 1
    state["last"] = event.number


def hoards(state: State, event: Event, trace: list[Reason] | None) -> None:
    """A state that grows with each event, by about a kilobyte."""
    state["seen"] += 1
    state["hoard"].append(event.number.to_bytes(4, "big") * 256)


READS = frozenset({"SignalAccepted"})
SMALL = Projection("small", 1, READS, lambda: {"seen": 0, "last": 0}, counts)
LARGE = Projection("large", 1, READS, lambda: {"seen": 0, "hoard": []}, hoards)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with fixed_store(tmp_path_factory.mktemp("folding") / "life.db") as store:
        lived(store, TURNS)
        yield store


def lived(store: Store, turns: int) -> Relationship:
    """A relationship of so many turns, each with a signal."""
    with store.transaction():
        bond = store.relationship("lumi", "chen")
        for number in range(turns):
            at = BEGINNING + timedelta(hours=number)
            message = bond.record("Thank you for that.", "Any time.", at=at).number + 1
            cited = (Citation(text=message, start=0, end=9),)
            bond.propose(None, [Signal(signal="gratitude", actor="user", citations=cited)])
    return bond


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each state has that is written down."""
    sizes: list[int] = []
    pack = fold._pack

    def counting(state: State) -> bytes:
        data: bytes = pack(state)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(fold, "CHUNK_TURNS", 4)
    monkeypatch.setattr(fold, "_pack", counting)
    return sizes


def folded(bond: Relationship, projection: Projection) -> Fold:
    with bond._reading() as branch:
        found = Fold(projection, bond._stream, bond._stream.standing(branch))
        assert found.state()["seen"] == TURNS
    return found


@pytest.mark.parametrize("projection", [SMALL, LARGE], ids=["small", "large"])
def test_what_is_folded_in_one_go_is_written_down_at_few_places(
    store: Store, written: list[int], projection: Projection
) -> None:
    """However long it is; and a large state is not written down again and again near the end."""
    folded(store.relationships()[0], projection)
    assert 2 <= len(written) <= fold._SPREAD + log2(TURNS)


@pytest.mark.parametrize("projection", [SMALL, LARGE], ids=["small", "large"])
def test_what_is_folded_as_it_comes_costs_what_it_grows_by(
    tmp_path: Path, written: list[int], projection: Projection
) -> None:
    """A small state is written down at every turn, a large one so seldom that what is written
    grows with the events, and not with their square.
    """
    with fixed_store(
        tmp_path / "life.db",
    ) as store:
        bond = lived(store, 1)
        with bond._reading() as branch:
            found = Fold(projection, bond._stream, bond._stream.standing(branch))
        for seen in range(1, 81):
            with bond._reading():
                assert found.state()["seen"] == seen
            lived(store, 1)
        whole = max(written)
        assert sum(written) <= 2 * 80 * fold._BYTES_PER_EVENT + whole
        assert len(written) >= (75 if projection is SMALL else 4)


@pytest.mark.parametrize("projection", [SMALL, LARGE], ids=["small", "large"])
def test_the_states_that_are_kept_are_few_and_right_and_the_small_ones_closer_near_the_end(
    store: Store, written: list[int], projection: Projection
) -> None:
    found = folded(store.relationships()[0], projection)
    kept = found._snapshots
    assert 2 <= len(kept) <= fold._SNAPSHOTS
    assert [one.depth for one in kept] == sorted({one.depth for one in kept})
    for one in kept:
        state: dict[str, Any] = msgpack.unpackb(one.state)
        assert state["seen"] == one.depth - 1  # the root is a place of the path, too
    gaps = [after.depth - before.depth for before, after in pairwise(kept)]
    if projection is SMALL:
        assert gaps[-1] <= min(gaps[:3])
        assert TURNS - kept[-1].depth <= 4


@pytest.mark.parametrize("projection", [SMALL, LARGE], ids=["small", "large"])
def test_a_change_folds_again_only_what_comes_after_a_state_that_was_kept(
    store: Store, written: list[int], projection: Projection, monkeypatch: pytest.MonkeyPatch
) -> None:
    bond = store.relationships()[0]
    found = folded(bond, projection)
    turn = bond.turns()[TURNS // 2].number
    depth = found.standing.history.depth_of(turn)
    below = max(one.depth for one in found._snapshots if one.depth <= depth)
    again: list[int] = []
    plain = fold._apply

    def counting(projection: Projection, state: State, event: Event, trace: None) -> None:
        again.append(event.number)
        plain(projection, state, event, trace)

    monkeypatch.setattr(fold, "_apply", counting)
    bond.withdraw(turn)
    with bond._reading():
        assert found.state()["seen"] == TURNS - 1
    assert len(again) == TURNS - below
    bond.restore(turn)
    with bond._reading():
        assert found.state()["seen"] == TURNS


def reword(bond: Relationship, old: TurnView) -> None:
    bond.regenerate(old.number, "Another.")
    bond.edit(old.messages[0].number, "Nothing to thank for.")


def go_back(bond: Relationship, old: TurnView) -> None:
    bond.back(old.number)
    for number in range(20):
        bond.record("Good morning.", f"Reply {number}.")


@pytest.mark.parametrize("change", [reword, go_back])
@pytest.mark.parametrize("on", ["main", "aside"])
def test_a_fork_takes_over_only_states_that_hold_what_stands_on_it(
    tmp_path: Path, on: str, change: Callable[[Relationship, TurnView], None]
) -> None:
    """Either branch changes after the other one is known to be like it, and before it is folded."""
    with fixed_store(tmp_path / "life.db") as store:
        bond = lived(store, 40)
        bond.rapport()
        old, last = bond.turns()[5], bond.turns()[-1]
        aside = bond.fork("aside", last.number)
        assert len(aside.turns()) == len(bond.turns())
        change(bond if on == "main" else aside, old)
        for one in (bond, aside, bond):
            assert one.digests() == one.replay()
        assert aside.rapport() != bond.rapport()
