"""Every scenario comes to what it claims, and to the same digests and explanations as ever."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scenes import played, scenarios

if TYPE_CHECKING:
    from conftest import Expect

HERE = Path(__file__).parent
SCENARIOS = list(scenarios(HERE / "scenarios"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_scenario_comes_to_what_it_always_came_to(
    path: Path, tmp_path: Path, expect: Expect
) -> None:
    expect(HERE / "expected" / f"{path.stem}.md", played(path, tmp_path))


@pytest.mark.parametrize(
    "step",
    ['say = "Hello."\nread = true', 'say = "Hello."\nrepyl = "Hello."', 'talk = []\nlook = "now"'],
)
def test_a_step_that_would_be_read_in_part_is_refused(step: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    about = 'title = "T"\nabout = "A"\nagent = "a"\nuser = "u"\nstart = 2026-01-01T20:00:00Z\n'
    path.write_text(f"{about}[[step]]\n{step}\n", "utf-8")
    with pytest.raises(AssertionError, match="nothing reads this"):
        played(path, tmp_path)


def test_nothing_is_expected_of_a_scenario_that_is_gone() -> None:
    expected = {path.stem for path in (HERE / "expected").iterdir()}
    assert expected == {path.stem for path in SCENARIOS}


def test_there_are_at_least_twenty_five_scenarios_in_two_languages() -> None:
    chinese = [
        path
        for path in SCENARIOS
        if any("\u4e00" <= c <= "\u9fff" for c in path.read_text("utf-8"))
    ]
    assert len(SCENARIOS) >= 25 and 8 <= len(chinese) <= len(SCENARIOS) - 8
