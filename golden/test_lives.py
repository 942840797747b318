"""Lives that failed once are lived again, each as small as it was found: they do not fail any more.

`benchmarks/simulate.py` writes a file here for every life that fails.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lives import read
from simulation import keyed, live

LIVES = sorted((Path(__file__).parent / "lives").glob("*.json"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("path", LIVES, ids=lambda path: path.stem)
def test_a_life_that_failed_once_fails_no_more(path: Path) -> None:
    seed, plan = read(path.read_text("utf-8"))
    if keyed(seed):
        pytest.importorskip("cryptography")
    assert live(seed, plan, every=1)["operations"] >= len(plan)


def test_there_is_such_a_life() -> None:
    assert LIVES
