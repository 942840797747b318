"""Chapters: what runs through several episodes, by explicit links only and never by likeness.

A promise and its end, an open loop and its end, a tension and its steps, or one named thing that
comes up again. A chapter is made of turns; it sums up no summaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from enishi.kernel.explaining import quotes
from enishi.kernel.fold import fold_of
from enishi.kernel.history import ROOT
from enishi.kernel.stream import Stream
from enishi.projections.episodes import Episode, Told, episode_at, episodes_of, told_episodes
from enishi.projections.promises import PROMISES, loops_at, promises_at
from enishi.projections.summarising import cut
from enishi.projections.telling import party_names, speaker_names, things_named
from enishi.projections.tensions import TENSIONS, tensions

_LONGEST = 80
"""Characters of a title."""

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
    branch: int
    episodes: list[Episode]

    def chapter(
        self, link: Link, title: str, status: str, numbers: Sequence[int | None]
    ) -> ChapterView | None:
        """The chapter of these events, or None where they all lie in one episode."""
        history = self.stream.history
        turns = {history.turn[number] for number in numbers if number is not None} - {ROOT}
        in_order = sorted(turns, key=history.depth_of)
        within = {episode_at(self.episodes, history.depth_of(turn)) for turn in turns}
        if len(within) < 2:
            return None
        title = cut(title, _LONGEST)
        return ChapterView(link, numbers[0], title, status, tuple(in_order), tuple(sorted(within)))


def chapters(stream: Stream, branch: int) -> list[ChapterView]:
    """Every chapter of a branch, by its first turn; named things last, the most frequent first.

    Needs `stream.reading()`.
    """
    path = _Path(stream, branch, episodes_of(stream, branch))
    return [*_linked(path), *_named(path)]


def linked_chapters(stream: Stream, branch: int, episodes: list[Episode]) -> list[ChapterView]:
    """The chapters of promises, loops and tensions, for which no text has to be read.

    Needs `stream.reading()`.
    """
    return _linked(_Path(stream, branch, episodes))


def _linked(path: _Path) -> list[ChapterView]:
    found = [one for one in (*_promised(path), *_tense(path)) if one is not None]
    depth_of = path.stream.history.depth_of
    return sorted(found, key=lambda chapter: (depth_of(chapter.turns[0]), chapter.number or 0))


def _promised(path: _Path) -> Iterable[ChapterView | None]:
    state = fold_of(path.stream, path.branch, PROMISES).state()
    for promise in promises_at(state, None):
        numbers = [promise.number, *promise.retold, promise.ended_by]
        yield path.chapter("promise", promise.act, promise.status, numbers)
    for loop in loops_at(state, None):
        numbers = [loop.number, *loop.retold, loop.ended_by]
        yield path.chapter("loop", loop.subject, loop.status, numbers)


def _tense(path: _Path) -> Iterable[ChapterView | None]:
    for tension in tensions(fold_of(path.stream, path.branch, TENSIONS).state()):
        steps = [step.number for step in tension.steps]
        numbers = [tension.number, *steps, *tension.relapses]
        said = quotes(path.stream, path.branch, {"spans": tension.spans[-1:]})
        words = next((quote.words for quote in said if quote.words), "")
        title = f"{tension.effect.replace('_', ' ')}: {words}"
        yield path.chapter("tension", title, tension.state, [*numbers])


def _named(path: _Path) -> list[ChapterView]:
    """The same name in several episodes, letter for letter."""
    names = party_names(path.stream)
    turns: dict[str, dict[int, int]] = {}
    for told in told_episodes(path.stream, path.branch, path.episodes):
        for name, turn in _places(told, names):
            turns.setdefault(name, {})[turn] = told.episode.number
    found = [
        ChapterView("named", None, name, "recurring", tuple(where), tuple(dict.fromkeys(within)))
        for name, where in turns.items()
        if len(set(within := where.values())) > 1
    ]
    return sorted(
        found, key=lambda chapter: (-len(chapter.episodes), -len(chapter.turns), chapter.title)
    )


def _places(told: Told, names: frozenset[str]) -> Iterable[tuple[str, int]]:
    names = names | speaker_names(told.texts.values())
    for text in told.texts.values():
        for name in things_named([text], names)[0]:
            yield name, text.turn
