"""The plot of the page on moods."""

from __future__ import annotations

from xml.etree import ElementTree

from mood_page import plot


def test_the_plot_stays_within_its_frame() -> None:
    root = ElementTree.fromstring(plot())
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    curves = [one for one in root if one.tag.endswith("polyline")]
    assert len(curves) == 3
    for curve in curves:
        for point in curve.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width and 0 <= y <= height
