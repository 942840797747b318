"""Drawing by integers: curves in tenths of a pixel, and words that an SVG can hold.

As nothing is ever measured and all places are whole, equal values give equal text everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_COLUMN = 60
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60"
                   "\uffe0-\uffe6\U0001f300-\U0003fffd]")  # fmt: skip

Point = tuple[int, int]


# Curves


def steps(points: list[Point], end: int) -> list[Point]:
    """A curve that stays where it is until something moves it; the last of each pixel counts."""
    kept: dict[int, Point] = {x // 10: (x, y) for x, y in points}
    steps = [points[0]]
    for x, y in kept.values():
        if y != steps[-1][1]:
            steps += [(x, steps[-1][1]), (x, y)]
    return [*steps, (end, steps[-1][1])]


def averaged(points: list[Point]) -> list[Point]:
    """The mean of each column of a few pixels, in its middle."""
    columns: dict[int, list[int]] = {}
    for x, y in points:
        columns.setdefault(x // _COLUMN, []).append(y)
    first, last = points[0], points[-1]
    means = [(n * _COLUMN + _COLUMN // 2, sum(ys) // len(ys)) for n, ys in columns.items()]
    inner = [point for point in means if first[0] < point[0] < last[0]]
    return [(first[0], means[0][1]), *inner, (last[0], means[-1][1])]


def crossed(points: list[Point], middle: int) -> list[Point]:
    """The curve with a point of its own wherever it crosses the middle."""
    crossed = [points[0]]
    for x, y in points[1:]:
        before_x, before_y = crossed[-1]
        if (before_y - middle) * (y - middle) < 0:
            share = (x - before_x) * (middle - before_y) // (y - before_y)
            crossed.append((before_x + share, middle))
        crossed.append((x, y))
    return crossed


def runs(shades: Iterable[tuple[int, int]], end: int) -> Iterator[tuple[int, int, int]]:
    """From where to where a shade lasts; within a pixel the last one counts."""
    found = {x // 10: (x, shade) for x, shade in shades}
    start: tuple[int, int] | None = None
    for x, shade in found.values():
        if start is None:
            start = x, shade
        elif shade != start[1]:
            yield start[0], x, start[1]
            start = x, shade
    if start is not None:
        yield start[0], max(end, start[0]), start[1]


def points_of(points: Iterable[Point]) -> str:
    """Points as SVG writes them."""
    return " ".join(f"{px(x)},{px(y)}" for x, y in points)


def px(tenths: int) -> str:
    """Tenths of a pixel as SVG writes them."""
    sign, whole, part = "-" * (tenths < 0), abs(tenths) // 10, abs(tenths) % 10
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


# Words


def fit(words: str) -> str:
    """Words that XML can hold, in one line."""
    return _UNFIT.sub("\ufffd", " ".join(words.split()))


def wide(words: str, size: int) -> int:
    """About how wide words are at a size in pixels, whatever the font: a little too much."""
    return sum(10 * size if _WIDE.match(c) else 6 * size for c in words)


def short(words: str, room: int, size: int) -> str:
    """Words as far as there is room for them; nothing where they would say nothing."""
    line = fit(words)
    if wide(line, size) <= room:
        return line
    kept = ""
    for c in line:
        if wide(kept + c + "…", size) > room:
            break
        kept += c
    return f"{kept.rstrip()}…" if wide(kept, size) >= 5 * 6 * size else ""
