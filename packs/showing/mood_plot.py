"""Moods on a terminal: the values at a moment, and a curve of the days that led there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from rich.console import Console

from enishi.kernel.moments import Moment
from enishi.packs.showing.terminal import say
from enishi.projections.mood import FEELINGS, MoodView

WIDTH = 56
"""Columns of a curve."""

SPAN = timedelta(days=7)
AFTER = timedelta(days=2)
"""Where nothing was seen within SPAN, the curve ends so long after something was seen last."""

_LEVELS = "▁▂▃▄▅▆▇"
"""An odd number, so that the middle, neither good nor bad, has a block of its own."""


def moments(views: Sequence[MoodView]) -> list[datetime]:
    """The moments of a curve: SPAN to the asked moment, or to soon after the last observation."""
    end = next(view.at.to_datetime() for view in views if view.at)
    seen = [view.observed.to_datetime() for view in views if view.observed]
    if seen and end - max(seen) > SPAN + AFTER:
        end = max(seen) + AFTER
    span = SPAN if end.year > 1 else timedelta()
    return [end - span + span * column / (WIDTH - 1) for column in range(WIDTH)]


def print_moods(console: Console, moods: Mapping[MoodView, Sequence[MoodView]]) -> None:
    """Each party's values at the asked moment, with the curves of the days before what was seen
    last, or of those that led there, and the axis of time beneath."""
    asked = next(iter(moods)).at
    if asked is not None:
        say(console, f"at {asked}", "dim")
    for view, before in moods.items():
        seen = "not seen yet" if view.observed is None else f"last seen {view.observed}"
        say(console, f"{view.party} · {seen}", "bold")
        for name in (*FEELINGS, "mixed"):
            low = -1 if name == "valence" else 0
            curve = "".join(level(getattr(one, name), low) for one in before if view.observed)
            value = f"{getattr(view, name):6.2f}".replace("-", "−")
            say(console, f"  {name:10} {value}  {curve}")
    if any(view.observed for view in moods):
        start, end = (_label(one.at) for one in (before[0], before[-1]))
        say(console, f"{'':21}{start}{end:>{WIDTH - len(start)}}", "dim")


def level(value: float, low: float) -> str:
    """The block for a value between `low` and 1."""
    share = (value - low) / (1 - low)
    return _LEVELS[min(len(_LEVELS) - 1, int(share * len(_LEVELS)))]


def _label(moment: Moment | None) -> str:
    return "" if moment is None else moment.to_datetime().strftime("%Y-%m-%d %H:%M")
