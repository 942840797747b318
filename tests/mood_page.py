"""The generated parts of `docs/mood.md`: the numbers of the bundled policy, and the plot."""

from __future__ import annotations

from enishi.kernel.deciding.proposals import Strength
from enishi.kernel.fold import Event
from enishi.kernel.moments import HOUR, Moment
from enishi.projections.mood import FEELINGS, MOOD, mood_at
from enishi.projections.policy import ONE, bundled_policy

BEGIN = "<!-- generated from the policy: begin -->"
END = "<!-- generated from the policy: end -->"

NUMBERS = bundled_policy().mood
INTENSITIES: tuple[Strength, ...] = ("strong", "moderate", "weak")

SEEN = 9_000
DAYS = 5
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 48, 100, 28, 36


def generated() -> str:
    """What stands between the two markers."""
    rows = ["| intensity | λ | half-life |", "|---|---|---|"]
    for name in reversed(INTENSITIES):
        weight, minutes = getattr(NUMBERS.weight, name), getattr(NUMBERS.half_life, name)
        rows.append(f"| {name} | {weight / ONE} | {minutes / 60:g} hours |")
    rows += ["", "| value | baseline |", "|---|---|"]
    rows += [f"| {name} | {getattr(NUMBERS.baseline, name) / ONE} |" for name in FEELINGS]
    return "\n".join(rows)


def with_generated(page: str) -> str:
    """The page with its generated part as it has to be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{generated()}\n\n{END}{after}"


def plot() -> str:
    """Fatigue in the days after it was seen once, for each intensity: an SVG."""
    parts = [_STYLE, _axes()]
    for name in INTENSITIES:
        points = " ".join(f"{_x(hour)},{_y(value)}" for hour, value in _curve(name))
        parts.append(f'<polyline class="{name}" points="{points}"/>')
        half = getattr(NUMBERS.half_life, name) / 60
        value = _fatigue(name, half)
        parts.append(f'<circle class="{name}" cx="{_x(half)}" cy="{_y(value)}" r="4"/>')
        # The weak curve has room beneath the baseline alone.
        x, y = (_x(2), _y(1_300)) if name == "weak" else (_x(half + 2), _y(value + 250))
        parts.append(f'<text class="{name}" x="{x}" y="{y}">{name}, half in {half:g} h</text>')
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    title = "Fatigue over five days, seen once at 0.9, for weak, moderate and strong intensity"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{title}">'
    return "\n".join([head, *parts, "</svg>", ""])


_STYLE = """<style>
  svg { color-scheme: light dark; }
  text { font: 13px system-ui, "PingFang SC", "Noto Sans CJK SC", sans-serif; fill: #57606a; }
  line { stroke: #d0d7de; } line.rest { stroke: #8c959f; stroke-dasharray: 4 4; }
  polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  polyline.strong { stroke: #cf222e; } circle.strong, text.strong { fill: #cf222e; }
  polyline.moderate { stroke: #8250df; } circle.moderate, text.moderate { fill: #8250df; }
  polyline.weak { stroke: #0969da; } circle.weak, text.weak { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; } line { stroke: #3d444d; } line.rest { stroke: #656c76; }
    polyline.strong { stroke: #ff7b72; } circle.strong, text.strong { fill: #ff7b72; }
    polyline.moderate { stroke: #d2a8ff; } circle.moderate, text.moderate { fill: #d2a8ff; }
    polyline.weak { stroke: #79c0ff; } circle.weak, text.weak { fill: #79c0ff; }
  }
</style>"""


def _axes() -> str:
    parts = []
    right = WIDTH - RIGHT
    for tenths in range(0, 11, 2):
        y = _y(tenths * ONE // 10)
        parts.append(f'<line x1="{LEFT}" y1="{y}" x2="{right}" y2="{y}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{tenths / 10:.1f}</text>')
    for day in range(DAYS + 1):
        x = _x(day * 24)
        words = "seen" if day == 0 else f"{day} day{'s' if day > 1 else ''}"
        parts.append(f'<text x="{x}" y="{HEIGHT - 12}" text-anchor="middle">{words}</text>')
    rest = _y(NUMBERS.baseline.fatigue)
    parts.append(f'<line class="rest" x1="{LEFT}" y1="{rest}" x2="{right}" y2="{rest}"/>')
    parts.append(f'<text x="{right + 8}" y="{rest + 4}">baseline</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP - 12}">fatigue</text>')
    return "\n".join(parts)


def _curve(intensity: Strength) -> list[tuple[int, int]]:
    return [(hour, _fatigue(intensity, hour)) for hour in range(0, DAYS * 24 + 1, 2)]


def _fatigue(intensity: Strength, hours: float) -> int:
    """Fatigue so long after it was seen, as the fold tells it, in 1/10000."""
    payload = {
        "party": "user",
        "intensity": intensity,
        "fatigue": SEEN,
        "spans": [[1, 0, 1]],
        "sentence": [0, 1],
    }
    state = MOOD.initial()
    MOOD.apply(state, Event(1, "MoodObserved", payload, 0, Moment(0)), None)
    return round(mood_at(state, "user", Moment(round(hours * HOUR))).fatigue * ONE)


def _x(hours: float) -> int:
    return LEFT + round((WIDTH - LEFT - RIGHT) * hours / (DAYS * 24))


def _y(value: int) -> float:
    return (10 * (HEIGHT - BOTTOM) - 10 * (HEIGHT - BOTTOM - TOP) * value // ONE) / 10
