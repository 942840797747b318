"""What a sample of mutants showed that no test had looked at."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from helpers import fixed_store

from enishi import Citation
from enishi.kernel import verification
from enishi.kernel.deciding.proposals import Belief
from enishi.kernel.history import ROOT


@pytest.mark.parametrize("place", range(1, 10))
def test_harm_is_found_in_whichever_piece_it_is(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "_CHUNK", 2)
    path = tmp_path / "store.db"
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        for words in ("One.", "Two.", "Three."):
            bond.record(words, "I see.")
        assert bond.verify().ok
    with closing(sqlite3.connect(path)) as connection, connection:
        found = connection.execute("SELECT id, payload FROM record ORDER BY id").fetchall()[place]
        changed = found[1][:-1] + bytes([found[1][-1] ^ 1])
        guards = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type='trigger'"
        ).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE record SET payload=? WHERE id=?", (changed, found[0]))
        for _, sql in guards:
            connection.execute(sql)
    with fixed_store(path, seed=1) as store:
        problems = store.relationship("lumi", "chen").verify().problems
    assert [problem.number for problem in problems] == [place]


def test_the_path_to_every_turn_leads_through_the_root_and_itself(tmp_path: Path) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        turns = [bond.record(words, "I see.").number for words in ("One.", "Two.", "Three.")]
        side = bond.fork("side", turns[0]).record("Else.", "I see.").number
        history = bond._stream.history
        for turn in (*turns, side):
            assert history.is_ancestor(ROOT, turn) and history.is_ancestor(turn, turn)
        assert history.is_ancestor(turns[0], side) and not history.is_ancestor(turns[1], side)


@pytest.mark.parametrize("keep_effects", [False, True])
def test_a_plan_tells_which_belief_returns_at_either_depth(
    tmp_path: Path, keep_effects: bool
) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        stated = []
        for city in ("Lisbon", "Porto"):
            turn = bond.record(f"I live in {city} now.", "I see.")
            words = Citation(text=turn.number + 1, quote=f"I live in {city}")
            belief = Belief(subject="user", key="home_city", value=city, citations=(words,))
            stated.append(bond.propose(None, [belief])[0].event)
        planned = bond.plan_erasure(turn, keep_effects=keep_effects)
        assert planned.returns == (stated[0],)
        bond.erase(planned)
        assert [view.value for view in bond.beliefs() if view.status == "current"] == ["Lisbon"]
