"""A timeline on a terminal: episodes, curves and threads above one axis of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields

from rich.cells import cell_len, set_cell_size
from rich.console import Console

from enishi.packs.showing.mood_plot import level
from enishi.packs.showing.phrases import counted, phrases
from enishi.packs.showing.terminal import say
from enishi.packs.showing.timeline_axis import Axis, axis_of, days_of, placed, ticks
from enishi.projections.mood import Feelings
from enishi.projections.reading import Rapport
from enishi.projections.timeline import MoodPoint, Thread, Timeline

WIDTH = 56
"""Columns of the axis."""

THREADS = 10
"""Tensions, and promises and loops, that are shown: the newest."""

LEAST = 0.2
"""The least difference that the height of a curve of rapport stands for."""

_LABEL, _VALUE = 15, 7
_MARGIN = _LABEL + _VALUE
_STYLES = {
    **dict.fromkeys(("mutually_reconciled", "boundary_stabilized", "kept", "completed"), "green"),
    **dict.fromkeys(("relationship_ended", "broken"), "red"),
    **dict.fromkeys(("unaddressed", "addressed_unresolved"), "yellow"),
}


def print_timeline(console: Console, line: Timeline) -> None:
    """The timeline as curves and bars."""
    words, axis = phrases("en"), axis_of(line.turns)
    say(console, f"{line.agent} · {line.user}", "bold")
    say(console, _told(line))
    if not line.turns:
        return
    say(console, "")
    _row(console, "episodes", "", _episodes(line, axis))
    say(console, "\nrapport, each between its lowest and highest", "bold")
    places = [(axis.ends[one.place], one.values) for one in line.rapport]
    for field in fields(Rapport):
        name = field.name
        points = [(where, getattr(values, name)) for where, values in places]
        _curve(console, axis, words["rapport"][name], points, *_range(points))
    if line.mood:
        say(console, "\nmood", "bold")
        _curve(console, axis, line.user, _felt(line, axis, _user, "valence"), -1, 1)
        for name in ("fatigue", "arousal", "confidence"):
            _curve(console, axis, f"  {words['mood'][name]}", _felt(line, axis, _user, name), 0, 1)
        _curve(console, axis, line.agent, _felt(line, axis, _agent, "valence"), -1, 1)
    for heading, kinds in (("tensions", ("tension",)), ("promises", ("promise", "loop"))):
        _threads(console, axis, heading, [one for one in line.threads if one.kind in kinds])
    _dates(console, axis, line)


def _told(line: Timeline) -> str:
    told = [*days_of(line.turns, "en"), counted("en", "turns", len(line.turns))]
    told += [counted("en", "episodes", len(line.episodes))]
    untimed = sum(not turn.timed for turn in line.turns)
    return " · ".join([*told, *([counted("en", "untimed", untimed)] if untimed else [])])


def _row(console: Console, label: str, value: str, drawn: str, style: str | None = None) -> None:
    shown = label if cell_len(label) < _LABEL else set_cell_size(label, _LABEL - 2) + "…"
    say(console, f"{set_cell_size(shown, _LABEL)}{value:>{_VALUE - 2}}  {drawn}".rstrip(), style)


def _column(axis: Axis, position: int) -> int:
    return min(WIDTH - 1, position * WIDTH // axis.length)


def _episodes(line: Timeline, axis: Axis) -> str:
    spans = [
        (_column(axis, axis.begins[one.first]), _column(axis, axis.ends[one.last]))
        for one in line.episodes
    ]
    drawn = [" "] * WIDTH
    for start, end in spans:
        drawn[start : end + 1] = ["━"] * (end + 1 - start)
    written = -1
    for one, (start, end) in zip(line.episodes, spans, strict=True):
        number = str(one.number)
        if written < start and start + len(number) <= end + 1:
            drawn[start : start + len(number)] = number
            written = end
    return "".join(drawn)


def _user(one: MoodPoint) -> Feelings | None:
    return one.user


def _agent(one: MoodPoint) -> Feelings | None:
    return one.agent


def _felt(
    line: Timeline, axis: Axis, party: Callable[[MoodPoint], Feelings | None], name: str
) -> list[tuple[int, float]]:
    return [
        (axis.after(one.place, one.at), getattr(felt, name))
        for one in line.mood
        if (felt := party(one)) is not None
    ]


def _range(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """From the lowest to the highest value, and no less than LEAST apart."""
    values = [value for _, value in points]
    low = max(0.0, min(min(values), (min(values) + max(values) - LEAST) / 2))
    return low, max(max(values), low + LEAST)


def _curve(
    console: Console,
    axis: Axis,
    label: str,
    points: Iterable[tuple[int, float]],
    low: float,
    high: float,
) -> None:
    """One value: in each column the last one, from where it was first known."""
    columns = {_column(axis, where): value for where, value in points}
    if not columns:
        return
    drawn, value = "", None
    for column in range(WIDTH):
        value = columns.get(column, value)
        drawn += " " if value is None else level((value - low) / (high - low), 0)
    _row(console, label, f"{value:.2f}".replace("-", "−"), drawn)


def _threads(console: Console, axis: Axis, heading: str, found: Sequence[Thread]) -> None:
    if not found:
        return
    words = phrases("en")
    newest = sorted(found, key=lambda one: one.begun)[-THREADS:]
    hidden = len(found) - len(newest)
    say(
        console, f"\n{heading}" + (f" ({words['more'].format(n=hidden)})" if hidden else ""), "bold"
    )
    for one in newest:
        subject = words["effect"].get(one.words, one.words) if one.kind == "tension" else one.words
        status = words["status"].get(one.status, one.status)
        say(
            console,
            f"{'':{_MARGIN}}{_bar(axis, one, f'{subject} – {status}')}",
            _STYLES.get(one.status),
        )


def _bar(axis: Axis, one: Thread, words: str) -> str:
    """A bar from where a thread began to where it ended, with its words in it or beside it."""
    start = _column(axis, axis.ends[one.begun])
    end = WIDTH - 1 if one.ended is None else _column(axis, axis.ends[one.ended])
    bar = ["─"] * (end + 1 - start)
    for place in one.steps:
        bar[min(len(bar) - 1, max(0, _column(axis, axis.ends[place]) - start))] = "•"
    bar[-1] = "▶" if one.ended is None else "●"
    bar[0] = "●"
    drawn = "".join(bar)
    before, after = start - 1, WIDTH - end - 2
    room = max(before, after)
    shown = " ".join(words.split())
    if cell_len(shown) + 4 <= len(bar):
        return f"{'':{start}}{drawn[:1]} {shown} {drawn[3 + cell_len(shown) :]}"
    if cell_len(shown) > room:
        shown = set_cell_size(shown, max(0, room - 1)).rstrip() + "…"
    if after >= before:
        return f"{'':{start}}{drawn} {shown}"
    return f"{'':{max(0, before - cell_len(shown))}}{shown} {drawn}"


def _dates(console: Console, axis: Axis, line: Timeline) -> None:
    labels, marks = [" "] * (WIDTH + 12), ["─"] * WIDTH
    found = ticks(line.turns, "en")
    for _, label, start in placed(
        found, lambda place: _column(axis, axis.begins[place]), len, 2, len(labels)
    ):
        marks[start] = "┴"
        labels[start : start + len(label)] = label
    say(console, f"\n{'':{_MARGIN}}{''.join(marks)}", "dim")
    say(console, f"{'':{_MARGIN}}{''.join(labels).rstrip()}", "dim")
    timed = any(turn.began for turn in line.turns)
    say(console, f"{'':{_MARGIN}}{phrases('en')['axis_time' if timed else 'axis_turns']}", "dim")
