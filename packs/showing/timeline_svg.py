"""A timeline as a picture: SVG for light and dark surroundings, with the fonts of whoever looks.

Plain values in, text out; all places are integers, in tenths of a pixel, so that the same timeline
is the same text on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from enishi.packs.memorypack.exporting import written_whole
from enishi.packs.showing.drawing import (
    Point,
    averaged,
    crossed,
    fit,
    points_of,
    px,
    runs,
    short,
    steps,
    wide,
)
from enishi.packs.showing.phrases import counted, day, phrases
from enishi.packs.showing.timeline_axis import STEP, axis_of, days_of, placed, ticks
from enishi.projections.mood import Feelings
from enishi.projections.policy import ONE
from enishi.projections.reading import Rapport
from enishi.projections.timeline import EpisodePoint, MoodPoint, Thread, Timeline

WIDTH = 9600
LEFT, RIGHT = 840, 1700
PLOT = WIDTH - LEFT - RIGHT
"""Tenths of a pixel: the picture, its margins, and what is left for the axis."""

_RAPPORT_HIGH, _VALENCE_HIGH, _STRIP, _BAND, _LANE = 1500, 900, 130, 240, 300
_LANES = 8
_TITLED, _CROWD = 10, 40
_THICKET = 600
_SCALES = (ONE // 4, ONE // 2, ONE)
_SHADES = 8
_STRIPS = ("fatigue", "arousal", "confidence")
_SETTLED = {
    **dict.fromkeys(("mutually_reconciled", "boundary_stabilized", "kept", "completed"), "good"),
    **dict.fromkeys(("relationship_ended", "broken"), "bad"),
    **dict.fromkeys(("unaddressed", "addressed_unresolved"), "tense"),
    **dict.fromkeys(("open", "waiting"), "due"),
}


def timeline_svg(line: Timeline) -> str:
    """The picture of a timeline, as the text of an SVG file."""
    return _Picture(line).text()


def write_timeline(path: Path, line: Timeline) -> None:
    """Write the picture to a file. One that is there and is no SVG is not written over."""
    with written_whole(path, lambda start: start.lstrip().startswith(b"<svg")) as out:
        out.write(timeline_svg(line).encode("utf-8"))


class _Picture:
    """Panels from top to bottom, each as high as it needs to be."""

    def __init__(self, line: Timeline) -> None:
        self.line = line
        self.words = phrases(line.language)
        self.axis = axis_of(line.turns)
        self.parts: list[str] = []
        self.y = 0

    def text(self) -> str:
        self.title()
        top = self.y
        if self.line.turns:
            self.episodes()
            self.rapport()
            self.mood()
            self.threads("tension", [one for one in self.line.threads if one.kind == "tension"])
            self.threads("promise", [one for one in self.line.threads if one.kind != "tension"])
            guides = self.guides(top)
            self.dates()
        else:
            guides = []
            self.put(320, self.y, self.words["nothing"], "note")
            self.y += 200
        high = self.y + 160
        label = f"aria-label={quoteattr(fit(f'{self.line.agent} · {self.line.user}'))}"
        box = f'viewBox="0 0 {px(WIDTH)} {px(high)}" width="{px(WIDTH)}" height="{px(high)}"'
        language = (
            'xml:lang="zh-Hans" lang="zh-Hans"' if self.line.language == "zh" else 'lang="en"'
        )
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {box} {language} role="img" {label}>',
                f"<style>\n{_style()}\n</style>",
                f'<rect class="paper" width="{px(WIDTH)}" height="{px(high)}" rx="12"/>',
                *guides,
                *self.parts,
                "</svg>",
                "",
            ]
        )

    # Where things stand

    def x(self, position: int) -> int:
        return LEFT + position * PLOT // self.axis.length

    def put(self, x: int, y: int, words: str, kind: str, anchor: str = "") -> None:
        where = f' text-anchor="{anchor}"' if anchor else ""
        self.parts.append(
            f'<text class="{kind}" x="{px(x)}" y="{px(y)}"{where}>{escape(fit(words))}</text>'
        )

    def rule(self, y: int, kind: str = "grid") -> None:
        x1, x2 = px(LEFT), px(LEFT + PLOT)
        self.parts.append(f'<line class="{kind}" x1="{x1}" y1="{px(y)}" x2="{x2}" y2="{px(y)}"/>')

    def heading(self, name: str) -> None:
        words = self.words["heading"][name].format(agent=self.line.agent, user=self.line.user)
        self.put(320, self.y, words, "heading")
        self.y += 130

    # Panels

    def title(self) -> None:
        turns, language = self.line.turns, self.line.language
        self.put(320, 440, f"{self.line.agent} · {self.line.user}", "title")
        told = [*days_of(turns, language), counted(language, "turns", len(turns))]
        told.append(counted(language, "episodes", len(self.line.episodes)))
        if untimed := sum(not turn.timed for turn in turns):
            told.append(counted(language, "untimed", untimed))
        self.put(320, 660, " · ".join(told), "note")
        self.y = 860

    def episodes(self) -> None:
        spans = [self.span(one) for one in self.line.episodes]
        stops = [start for start, _ in spans[1:]] + [WIDTH - 320]
        for one, (start, end), stop in zip(self.line.episodes, spans, stops, strict=True):
            began = self.line.turns[one.first - 1].began
            when = "" if began is None else day(self.line.language, began)
            box = f'x="{px(start)}" y="{px(self.y)}" width="{px(max(20, end - start))}"'
            about = fit(" · ".join(filter(None, [str(one.number), when, one.title])))
            self.parts.append(
                f'<rect class="episode" {box} height="{px(_BAND)}" rx="4">'
                f"<title>{escape(about)}</title></rect>"
            )
            if wide(str(one.number), 11) <= end - start - 30:
                middle = (start + end) // 2
                self.put(middle, self.y + 155, str(one.number), "small strong", "middle")
            title = "" if len(spans) > _TITLED else short(one.title, stop - start - 120, 11)
            if title:
                self.put(start, self.y + _BAND + 150, title, "small")
        self.y += _BAND + 490

    def span(self, one: EpisodePoint) -> tuple[int, int]:
        """From where to where an episode is drawn: a little more than its turns."""
        start, end = self.axis.begins[one.first], self.axis.ends[one.last]
        return self.x(start - STEP // 3), self.x(end + STEP // 3)

    def rapport(self) -> None:
        self.heading("rapport")
        points = self.line.rapport
        names = [field.name for field in fields(Rapport)]
        values = {name: [_whole(getattr(one.values, name)) for one in points] for name in names}
        most = max(max(each) for each in values.values())
        scale = next(scale for scale in _SCALES if most <= scale)
        top, bottom = self.y, self.y + _RAPPORT_HIGH
        for part in (0, 1, 2):
            y = bottom - _RAPPORT_HIGH * part // 2
            self.rule(y)
            self.put(LEFT - 100, y + 40, f"{scale * part / 2 / ONE:g}", "small", "end")
        where = [self.x(self.axis.ends[one.place]) for one in points]
        ends: list[tuple[int, str, str, int]] = []
        for name in names:
            height = [bottom - value * _RAPPORT_HIGH // scale for value in values[name]]
            curve = steps(list(zip(where, height, strict=True)), LEFT + PLOT)
            self.parts.append(f'<polyline class="curve {name}" points="{points_of(curve)}"/>')
            ends.append((height[-1], name, self.words["rapport"][name], values[name][-1]))
        self.labels(ends, top, bottom)
        self.y = bottom + 400

    def labels(self, ends: list[tuple[int, str, str, int]], top: int, bottom: int) -> None:
        """Names and last values at the ends of curves, moved apart where they would touch."""
        ends.sort(key=lambda one: one[0])
        high = 165
        places = [y for y, *_ in ends]
        for n in range(1, len(places)):
            places[n] = max(places[n], places[n - 1] + high)
        overhang = max(0, places[-1] - max(bottom + 60, top + high * len(places)))
        places[-1] -= overhang
        for n in range(len(places) - 2, -1, -1):
            places[n] = min(places[n], places[n + 1] - high)
        for y, (_, name, words, value) in zip(places, ends, strict=True):
            self.put(LEFT + PLOT + 100, y + 40, f"{words} {_number(value)}", f"small {name}")

    def mood(self) -> None:
        if not self.line.mood:
            return
        self.heading("mood")
        middle = self.y + _VALENCE_HIGH // 2
        for part, words in ((1, "pleasant"), (-1, "unpleasant")):
            y = middle - part * _VALENCE_HIGH // 2
            self.put(LEFT - 100, y + 40, self.words["mood"][words], "small", "end")
        self.rule(middle, "axis")
        ends: list[tuple[int, str, str, int]] = []
        for party, name in (("user", self.line.user), ("agent", self.line.agent)):
            seen = [(self.when(one), felt) for one in self.line.mood if (felt := _of(one, party))]
            if not seen:
                continue
            curve = self.felt(party, middle)
            if party == "user":
                for side in ("glad", "low"):
                    low = max if side == "low" else min
                    area = crossed(curve, middle)
                    shape = [(x, low(y, middle)) for x, y in area]
                    shape = [(curve[0][0], middle), *shape, (LEFT + PLOT, middle)]
                    self.parts.append(f'<polygon class="{side}" points="{points_of(shape)}"/>')
            self.parts.append(f'<polyline class="curve {party}" points="{points_of(curve)}"/>')
            shown = short(name, 800, 11)
            ends.append((curve[-1][1], party, shown, _whole(seen[-1][1].valence)))
        self.labels(ends, self.y, self.y + _VALENCE_HIGH)
        self.y += _VALENCE_HIGH + 160
        for strip in _STRIPS:
            self.strip(strip)
        self.y += 330

    def felt(self, party: str, middle: int) -> list[Point]:
        """The curve of a party's valence: what a turn does to it, it does there and not before."""
        curve: list[Point] = []
        for one in self.line.mood:
            if (felt := _of(one, party)) is None:
                continue
            height = middle - _whole(felt.valence) * (_VALENCE_HIGH // 2) // ONE
            begun = self.x(self.axis.begins[one.place])
            if curve and curve[-1][0] < begun:
                curve.append((begun, curve[-1][1]))
            curve.append((self.when(one), height))
        if self.averaged:
            return averaged([*curve, (LEFT + PLOT, curve[-1][1])])
        return [*curve, (LEFT + PLOT, curve[-1][1])]

    @property
    def averaged(self) -> bool:
        """Whether so much was felt that single moods would be a thicket."""
        return len(self.line.mood) > _THICKET

    def when(self, one: MoodPoint) -> int:
        return self.x(self.axis.after(one.place, one.at))

    def strip(self, name: str) -> None:
        """The user's tiredness and the like: the darker, the more of it."""
        self.put(LEFT - 100, self.y + 105, self.words["mood"][name], "small", "end")
        seen = [(self.when(one), one.user) for one in self.line.mood if one.user]
        shades = [
            (x, min(_SHADES, _whole(getattr(felt, name)) * _SHADES // ONE + 1)) for x, felt in seen
        ]
        y, high = px(self.y), px(_STRIP)
        for start, end, shade in runs(shades, LEFT + PLOT):
            box = f'x="{px(start)}" y="{y}" width="{px(end - start)}" height="{high}"'
            self.parts.append(f'<rect class="shade s{shade}" {box}/>')
        if seen:
            last = _whole(getattr(seen[-1][1], name))
            told = f"{short(self.line.user, 800, 11)} {_number(last)}"
            self.put(LEFT + PLOT + 100, self.y + 105, told, "small")
        self.y += _STRIP + 60

    def threads(self, heading: str, found: Sequence[Thread]) -> None:
        if not found:
            return
        self.heading(heading)
        # From the newest back: where there is no room for all, the oldest are left out.
        lanes: list[int] = []
        chosen: list[tuple[int, Thread]] = []
        for one in sorted(found, key=lambda thread: thread.begun, reverse=True):
            left, right, _ = self.extent(one)
            lane = next((n for n, taken in enumerate(lanes) if right + 120 <= taken), len(lanes))
            if lane < _LANES:
                lanes[lane : lane + 1] = [left]
                chosen.append((lane, one))
        for lane, one in reversed(chosen):
            self.thread(one, self.y + (len(lanes) - 1 - lane) * _LANE)
        self.y += len(lanes) * _LANE
        if left_out := len(found) - len(chosen):
            self.put(LEFT, self.y + 60, self.words["more"].format(n=left_out), "small")
            self.y += 180
        self.y += 260

    def ends_of(self, one: Thread) -> tuple[int, int]:
        start = self.x(self.axis.ends[one.begun])
        end = LEFT + PLOT if one.ended is None else self.x(self.axis.ends[one.ended])
        return start, max(end, start)

    def extent(self, one: Thread) -> tuple[int, int, str]:
        """What a thread takes of its lane, with its words, and the words as far as they fit."""
        start, end = self.ends_of(one)
        status = self.words["status"].get(one.status, one.status)
        effects: dict[str, str] = self.words["effect"] if one.kind == "tension" else {}
        subject = effects.get(one.words, one.words)
        words = f"{short(subject, 3200, 11)} – {status}"
        width = wide(words, 11)
        left = min(start, WIDTH - 320 - width)
        return left, max(end, left + width), words

    def thread(self, one: Thread, y: int) -> None:
        start, end = self.ends_of(one)
        left, _, words = self.extent(one)
        kind = _SETTLED.get(one.status, "over")
        self.put(left, y + 100, words, "small")
        bar = y + 180
        self.parts.append(
            f'<line class="bar {kind}" x1="{px(start)}" y1="{px(bar)}" x2="{px(end)}" y2="{px(bar)}"/>'
        )
        for place in one.steps:
            x = px(self.x(self.axis.ends[place]))
            self.parts.append(f'<circle class="dot {kind}" cx="{x}" cy="{px(bar)}" r="3"/>')
        begun = f'cx="{px(start)}" cy="{px(bar)}" r="4"'
        self.parts.append(f'<circle class="dot {kind}" {begun}/>')
        if one.ended is None:
            tip = f"{px(end)},{px(bar - 40)} {px(end + 60)},{px(bar)} {px(end)},{px(bar + 40)}"
            self.parts.append(f'<polygon class="tip {kind}" points="{tip}"/>')

    def guides(self, top: int) -> list[str]:
        """Where episodes begin: a faint line through every panel."""
        if not 1 < len(self.line.episodes) <= _CROWD:
            return []
        y1, y2 = px(top + _BAND + 200), px(self.y - 200)
        starts = (px(self.span(one)[0]) for one in self.line.episodes)
        return [f'<line class="guide" x1="{x}" y1="{y1}" x2="{x}" y2="{y2}"/>' for x in starts]

    def dates(self) -> None:
        self.y -= 100
        self.rule(self.y, "axis")
        found = ticks(self.line.turns, self.line.language)
        labels = placed(
            found,
            lambda place: self.x(self.axis.begins[place]),
            lambda label: wide(label, 11),
            120,
            WIDTH - 200,
        )
        for _, label, start in labels:
            x = px(start)
            self.parts.append(
                f'<line class="axis" x1="{x}" y1="{px(self.y)}" x2="{x}" y2="{px(self.y + 50)}"/>'
            )
            self.put(start, self.y + 180, label, "small")
        timed = any(turn.began for turn in self.line.turns)
        notes = [self.words["axis_time" if timed else "axis_turns"]]
        notes += [self.words["averaged"]] if self.averaged else []
        self.put(LEFT, self.y + 380, " ".join(notes), "faint")
        self.y += 440


def _of(one: MoodPoint, party: str) -> Feelings | None:
    return one.user if party == "user" else one.agent


def _whole(value: float) -> int:
    return round(value * ONE)


def _number(value: int) -> str:
    return f"{value / ONE:.2f}".replace("-", "−")


@cache
def _style() -> str:
    return files("enishi.packs.showing").joinpath("timeline.css").read_text("utf-8").rstrip()
