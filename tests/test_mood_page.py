"""`docs/mood.md` and its plot say what the policy and the fold do. ENISHI_BLESS=1 writes them."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mood_page import plot, with_generated

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["mood.md", "mood.svg"])
def test_the_page_and_its_plot_are_current(name: str) -> None:
    path = DOCS / name
    stands = path.read_text("utf-8") if path.exists() else ""
    wanted = with_generated(stands) if name == "mood.md" else plot()
    if os.environ.get("ENISHI_BLESS") == "1":
        path.write_text(wanted, "utf-8")
    elif stands != wanted:
        lines = difflib.unified_diff(stands.splitlines(), wanted.splitlines(), name, "now", n=1)
        pytest.fail("\n".join(lines) + f"\nif this is meant: ENISHI_BLESS=1 pytest {__file__}")


def test_the_plot_stays_within_its_frame() -> None:
    root = ElementTree.fromstring(plot())
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    curves = [one for one in root if one.tag.endswith("polyline")]
    assert len(curves) == 3
    for curve in curves:
        for point in curve.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width and 0 <= y <= height
