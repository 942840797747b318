"""Names in Chinese, Japanese and Korean writing, by tables of its own and by shape.

A name is a family name before characters that given names are made of, 小, 老 or 阿 before one of
either, a given name or a place of the tables, two characters of which one stands in hardly anything but
names, or what stands before a Japanese or Korean title. Given names and nicknames that are words as well
are names where a person is spoken of, and so is a family name before whatever characters.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from enishi.kernel.words.written import listed_names, simplified

_HAN = "[\u3400-\u9fff]"
_HAN_ONE = re.compile(_HAN)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST_BEFORE = 2

Span = tuple[int, int]


def wide_names(wording: str) -> Iterator[str]:
    """Names in Chinese, Japanese and Korean writing; a family name alone where a title follows it."""
    plain = simplified(wording)
    for start, end, title in _wide(plain):
        yield plain[start : end - title]


def wide_spans(text: str) -> list[Span]:
    """Where names in Chinese, Japanese and Korean writing stand, each with the title behind it."""
    return [(start, end) for start, end, _ in _wide(simplified(text))]


def is_shaped_only(name: str) -> bool:
    """Whether a name shows itself by its two characters alone, and is in no table."""
    shapes = _shapes()
    return shapes.given.fullmatch(name) is not None and name not in shapes.listed.get(name[0], ())


def _wide(plain: str) -> list[tuple[int, int, int]]:
    """Start and end of names in simplified writing, and how much of that is a title."""
    if plain.isascii() or not _WIDE.search(plain):
        return []
    shapes = _shapes()
    found = [(start, end, 0) for start, end in _doubtful(plain)]
    # Only where something is found at all is it worth hiding what only looks like it.
    if next(_listed(plain), None) or shapes.followed.search(plain):
        alone = _hidden(shapes.within, plain)
        found += [(start, end, 0) for start, end in _listed(alone)]
        found += [(*match.span(), 0) for match in shapes.followed.finditer(alone)]
    if shapes.given.search(plain):
        alone = _hidden(shapes.within, plain)
        found += [(*match.span(), 0) for match in shapes.given.finditer(alone)]
    if shapes.name.search(plain):
        shaped = _hidden(shapes.words, plain)
        found += [(*m.span(), len(m["title"] or "")) for m in shapes.name.finditer(shaped)]
    if shapes.known.search(plain):
        shaped, starts = _hidden(shapes.words, plain), {start for start, _, _ in found}
        known = [match.span() for match in shapes.known.finditer(shaped)]
        found += [(start, end, 0) for start, end in known if start not in starts]
    kept: list[tuple[int, int, int]] = []
    for start, end, title in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, title))
    return kept


def _listed(plain: str) -> Iterator[Span]:
    """Where given names and places of the tables stand, at each character the longest."""
    shapes, end = _shapes(), 0
    for match in shapes.first.finditer(plain):
        start = match.start()
        names = shapes.listed[plain[start]]
        name = next((one for one in names if plain.startswith(one, start)), None)
        if name and start >= end:
            end = start + len(name)
            yield start, end


def _doubtful(plain: str) -> Iterator[Span]:
    """Where names that are words as well stand, and what is around them speaks of a person."""
    shapes = _shapes()
    for match in shapes.doubtful.finditer(plain):
        start, end = match.span()
        near = max(0, start - _LONGEST_BEFORE)
        if (
            (shapes.before.search(plain, near, start) and shapes.after.match(plain, end))
            or (shapes.relative.search(plain, near, start) and match[0] not in shapes.traits)
            or (
                shapes.subject.match(plain, end)
                and not (start and _HAN_ONE.match(plain, start - 1))
            )
        ):
            yield start, end


def _hidden(words: re.Pattern[str], plain: str) -> str:
    return words.sub(lambda word: " " * len(word[0]), plain)


class _Shapes(NamedTuple):
    """`name` is the shape of a Chinese name, `words` what only looks like one.

    `listed` are the names of the tables by their first character, the longest first; `given` is the
    shape of a given name alone; `within` is what only holds one. `known` is somebody by a family name
    and whatever follows, where a person is spoken of. So is a `doubtful` name between what is `before`
    and `after`, behind a `relative` unless it is one of the `traits`, or as the `subject` of a clause.
    """

    name: re.Pattern[str]
    words: re.Pattern[str]
    within: re.Pattern[str]
    followed: re.Pattern[str]
    given: re.Pattern[str]
    known: re.Pattern[str]
    doubtful: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    relative: re.Pattern[str]
    traits: frozenset[str]
    subject: re.Pattern[str]
    first: re.Pattern[str]
    listed: dict[str, list[str]]


@cache
def _shapes() -> _Shapes:
    path = files("enishi.kernel.words") / "wide_names.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    family = f"{'|'.join(table['double'])}|[{table['family']}]"
    strong, rare = table["given"], table["rare"]
    doubled = [one * 2 for one in table["doubled"]]
    doubtful = [*table["doubtful"].split(), *doubled]
    listed: dict[str, list[str]] = {}
    for name in sorted(
        {*table["alone"].split(), *listed_names()}, key=lambda name: (-len(name), name)
    ):
        listed.setdefault(name[0], []).append(name)
    return _Shapes(
        name=re.compile(
            f"(?P<family>{family})(?:(?P<title>{'|'.join(table['titles'])})"
            f"|[{table['weak']}]?[{strong}][{strong}]?)|[小老阿][{strong}{table['family']}]"
        ),
        words=_longest_first(table["words"]),
        within=_longest_first(table["within"]),
        followed=re.compile("|".join(table["followed"])),
        given=re.compile(f"[{rare}{table['leading']}][{rare}]|[{rare}][{table['trailing']}]"),
        known=re.compile(
            f"{_behind(table['before_known'])}[{table['known']}{table['met']}]{_HAN}{{1,2}}?"
            f"(?={table['after_known']})"
            f"|(?<!{_HAN})[{table['known']}]{_HAN}{{1,2}}?(?={table['after_subject']})"
        ),
        doubtful=re.compile(f"(?=[{''.join(one[0] for one in doubtful)}])(?:{'|'.join(doubtful)})"),
        before=re.compile(f"(?:{'|'.join(table['before_doubtful'])})$"),
        after=re.compile(table["after_doubtful"]),
        relative=re.compile(f"(?:{'|'.join(table['before_relative'])})$"),
        traits=frozenset([*table["traits"].split(), *doubled]),
        subject=re.compile(table["after_subject"]),
        first=re.compile(f"[{''.join(listed)}]"),
        listed=listed,
    )


def _behind(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(f'(?<={one})' for one in words)})"


def _longest_first(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)))
