"""A few whole lives with faults that are real; `benchmarks/simulate.py` lives for as long as wished.

A life that fails names its seed: `python benchmarks/simulate.py --seed SEED --lives 1` lives it
again and makes it small.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import doings
import pytest
from lives import FAULTS, WEIGHTS, Operation, plan_of, read, written
from reference import FREE
from simulation import Violation, World, live, shrunk

from enishi.host import Relationship
from enishi.kernel import fold
from enishi.kernel.events import EVENT_TYPES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Checkpoints and snapshots after a few turns, so that short lives meet them."""
    monkeypatch.setattr(fold, "CHUNK_TURNS", 2)
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    yield


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_life_with_faults_keeps_all_that_must_be_true(seed: int) -> None:
    counts = live(seed, plan_of(seed, 40))
    assert counts["operations"] >= 40 and counts["checks of everything"] >= 2


def test_the_same_seed_is_the_same_plan() -> None:
    assert plan_of(5, 50) == plan_of(5, 50) != plan_of(6, 50)


def test_a_life_is_read_as_it_was_written() -> None:
    plan = plan_of(8, 60)
    assert any(one.inner for one in plan)
    assert read(written(8, "in some way", plan)) == (8, plan)


def test_a_failing_life_is_printed_made_small_and_written_to_be_lived_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "benchmarks")
    simulate = importlib.import_module("simulate")
    monkeypatch.setattr(Relationship, "replay", lambda self: {})
    monkeypatch.setattr(simulate, "GOLDEN", tmp_path)
    monkeypatch.setattr("sys.argv", ["simulate", "--seed", "5", "--lives", "1"])
    monkeypatch.setattr(simulate, "plan_of", lambda seed, length: plan_of(seed, 12))
    assert simulate.main() == 1
    seed, plan = read((tmp_path / "5.json").read_text("utf-8"))
    told = capsys.readouterr().out
    assert seed == 5 and len(plan) == 1 and str(plan[0]) in told and "seed 5 failed" in told


def test_every_operation_and_every_fault_is_met() -> None:
    met = {one.name for one in plan_of(1, 2000)}
    assert met == WEIGHTS.keys() | FAULTS.keys()
    assert doings.DOINGS.keys() == WEIGHTS.keys()


def test_the_slow_rule_knows_every_type_that_carries_no_words() -> None:
    """What the rule needs to know of the types is written down twice; a new one goes to FREE."""
    free = {row.name for row in EVENT_TYPES.values() if row.content_free and row.place == "event"}
    assert {name for name in free if name not in FREE} == set()


# The machine itself: each harm is seen


def swapped(name: str, words: str) -> Operation:
    return Operation(name, 0, 1, (0, 0, 0, 0), (f"{words} zq1x0000000001", "Yes. zq2x0000000002"))


def test_a_fold_that_forgets_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(5, 30)
    monkeypatch.setattr(Relationship, "replay", lambda self: {})
    with pytest.raises(Violation, match="lazy fold"):
        live(5, plan)
    small = shrunk(5, plan, tries=40)
    assert len(small) == 1


def test_a_lost_text_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.do(swapped("exchange", "Hello."))
    world.check()
    world.known[0].texts[2] = "Hello?"
    with pytest.raises(Violation, match="another wording"):
        world.check()
    world.close()


def test_a_lost_record_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.do(swapped("exchange", "Hello."))
    world.known[0].hashes.append(bytes(32))
    with pytest.raises(Violation):
        world.check()
    world.close()


def test_erased_words_that_stay_in_a_file_are_seen(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.do(swapped("exchange", "Hello."))
    world.known[0].said.append("gone zq9x00000000ff")
    world.check()
    (tmp_path / "life.db.bak").write_bytes(b"... zq9x00000000ff ...")
    with pytest.raises(Violation, match="erased words are in the files"):
        world.check()
    world.close()


def test_what_happens_to_a_neighbour_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.do(swapped("exchange", "Hello."))
    world.do(swapped("exchange", "Hello.")._replace(pair=1))
    world.check()
    digests = world.known[1].digests
    assert digests is not None
    digests["main"] = {}
    with pytest.raises(Violation, match="nothing happened to it"):
        world.check()
    world.close()
