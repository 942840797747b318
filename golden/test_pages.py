"""The generated pages of the documentation say what the rules, the policy and the folds do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import decision_page
import mood_page
import pytest

if TYPE_CHECKING:
    from conftest import Expect

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_of_decisions_says_what_the_rules_say(expect: Expect) -> None:
    page = DOCS / "decisions.md"
    expect(page, decision_page.with_generated(page.read_text("utf-8")))


@pytest.mark.parametrize("name", ["mood.md", "mood.svg"])
def test_the_page_of_moods_and_its_plot_are_current(name: str, expect: Expect) -> None:
    page = DOCS / name
    stands = page.read_text("utf-8") if page.exists() else ""
    expect(page, mood_page.with_generated(stands) if name == "mood.md" else mood_page.plot())
