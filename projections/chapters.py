"""Chapters: what runs through several episodes, by explicit links only and never by likeness.

A promise and its end, an open loop and its end, a tension and its steps, or one named thing that
comes up again. A chapter is made of turns; it sums up no summaries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from enishi.kernel.explaining import quotes
from enishi.kernel.fold import fold_of
from enishi.kernel.history import ROOT
from enishi.kernel.stream import Stream
from enishi.projections.episodes import EPISODES, episode_entries
from enishi.projections.promises import PROMISES, loops_at, promises_at
from enishi.projections.telling import Told, cut, party_names, things_named, told_episodes
from enishi.projections.tensions import TENSIONS, tensions

Link = Literal["promise", "loop", "tension", "named"]


@dataclass(frozen=True, slots=True)
class ChapterView:
    """What connects episodes: `link` says how, `number` is the event it began with, if any.

    `title` is in the words of what was said, `status` where it stands now. `turns` are those that
    it is made of, `episodes` the numbers of the episodes that they lie in: two or more.
    """

    link: Link
    number: int | None
    title: str
    status: str
    turns: tuple[int, ...]
    episodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Path:
    """Which turn of a branch lies in which episode."""

    stream: Stream
    starts: list[int]

    def turns_of(self, numbers: Iterable[int | None]) -> tuple[int, ...]:
        """The turns of these events, in the order of the path."""
        history = self.stream.history
        turns = {history.turn[number] for number in numbers if number is not None}
        return tuple(sorted((t for t in turns if t != ROOT), key=history.depth_of))

    def episodes_of(self, turns: Iterable[int]) -> tuple[int, ...]:
        depth = self.stream.history.depth_of
        return tuple(sorted({bisect_right(self.starts, depth(turn)) for turn in turns}))

    def chapter(
        self, link: Link, title: str, status: str, numbers: list[int | None]
    ) -> ChapterView | None:
        """The chapter of these events, or None where they all lie in one episode."""
        turns = self.turns_of(numbers)
        episodes = self.episodes_of(turns)
        if len(episodes) < 2:
            return None
        return ChapterView(link, numbers[0], cut(title, 80), status, turns, episodes)


def chapters(stream: Stream, branch: int) -> list[ChapterView]:
    """Every chapter of a branch, by its first turn; named things last, the most frequent first.

    Needs `stream.reading()`.
    """
    entries = episode_entries(fold_of(stream, branch, EPISODES).state())
    depth = stream.history.depth_of
    path = _Path(stream, [depth(entry["first"]) for entry in entries])
    linked = [*_promised(path, branch), *_tense(path, branch)]
    found = [chapter for chapter in linked if chapter is not None]
    found.sort(key=lambda chapter: (depth(chapter.turns[0]), chapter.number or 0))
    return [*found, *_named(path, branch)]


def _promised(path: _Path, branch: int) -> Iterable[ChapterView | None]:
    state = fold_of(path.stream, branch, PROMISES).state()
    for promise in promises_at(state, None):
        numbers = [promise.number, *promise.retold, promise.ended_by]
        yield path.chapter("promise", promise.act, promise.status, numbers)
    for loop in loops_at(state, None):
        numbers = [loop.number, *loop.retold, loop.ended_by]
        yield path.chapter("loop", loop.subject, loop.status, numbers)


def _tense(path: _Path, branch: int) -> Iterable[ChapterView | None]:
    for tension in tensions(fold_of(path.stream, branch, TENSIONS).state()):
        steps = [step.number for step in tension.steps]
        numbers = [tension.number, *steps, *tension.relapses]
        said = quotes(path.stream, branch, {"spans": tension.spans[-1:]})
        words = next((quote.words for quote in said if quote.words), "")
        title = f"{tension.effect.replace('_', ' ')}: {words}"
        yield path.chapter("tension", title, tension.state, [*numbers])


def _named(path: _Path, branch: int) -> list[ChapterView]:
    """The same name in several episodes, letter for letter."""
    names = party_names(path.stream, branch)
    turns: dict[str, dict[int, int]] = {}
    for told in told_episodes(path.stream, branch):
        for name, turn in _places(told, names):
            turns.setdefault(name, {})[turn] = told.number
    found = [
        ChapterView("named", None, name, "recurring", tuple(where), tuple(dict.fromkeys(within)))
        for name, where in turns.items()
        if len(set(within := where.values())) > 1
    ]
    return sorted(
        found, key=lambda chapter: (-len(chapter.episodes), -len(chapter.turns), chapter.title)
    )


def _places(told: Told, names: frozenset[str]) -> Iterable[tuple[str, int]]:
    for text in told.texts.values():
        for name in things_named([text], names)[0]:
            yield name, text.turn
