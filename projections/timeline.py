"""A relationship along one axis: its turns, rapport, moods, episodes, tensions and promises.

Everything is told by the place of its turn, counted from 1 along the path as in `TurnView`; place 0
is before the first. A turn of unknown time is at the time of the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from enishi.kernel.deciding.proposals import Party
from enishi.kernel.fold import Event, Projection, State, fold_of, standing_events
from enishi.kernel.history import ROOT, History
from enishi.kernel.moments import HOUR, Moment
from enishi.kernel.recording import party_name
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import turn_views
from enishi.kernel.words.spoken import Language, mostly_spoken
from enishi.projections.episodes import episodes_of
from enishi.projections.mood import MOOD, Feelings, mood_at
from enishi.projections.policy import ONE
from enishi.projections.promises import PROMISES, loops_at, promises_at
from enishi.projections.rapport import RAPPORT
from enishi.projections.reading import Rapport
from enishi.projections.telling import EpisodeView, episode_views
from enishi.projections.tensions import OPEN, TENSIONS, tensions

AFTER = tuple(hours * HOUR for hours in (1, 3, 6, 12, 24, 48, 96, 192, 384))
"""How long after a turn a mood is looked at again while nobody speaks."""


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """A turn: when it began and ended, None while no time is known; `timed` if it has one itself."""

    number: int
    began: Moment | None
    ended: Moment | None
    timed: bool


@dataclass(frozen=True, slots=True)
class RapportPoint:
    """Rapport after the turn at a place."""

    place: int
    values: Rapport


@dataclass(frozen=True, slots=True)
class MoodPoint:
    """How the two feel at a moment after the turn at a place; None of whom nothing was seen yet."""

    place: int
    at: Moment | None
    user: Feelings | None
    agent: Feelings | None


@dataclass(frozen=True, slots=True)
class EpisodePoint:
    """An episode: the places of its first and last turn."""

    number: int
    first: int
    last: int
    title: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A tension, promise or open loop: where it began and ended (None: it is open), and the places
    of what was said of it. `words` are the effect of a tension, else what was promised or said."""

    kind: Literal["tension", "promise", "loop"]
    number: int
    words: str
    status: str
    begun: int
    ended: int | None
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """A branch along one axis. `language` is the one mostly spoken; the names are those of now."""

    agent: str
    user: str
    language: Language
    turns: tuple[TurnPoint, ...]
    rapport: tuple[RapportPoint, ...]
    mood: tuple[MoodPoint, ...]
    episodes: tuple[EpisodePoint, ...]
    threads: tuple[Thread, ...]


def timeline(stream: Stream, branch: int) -> Timeline:
    """The timeline of a branch. Needs `stream.reading()`."""
    standing = stream.standing(branch)
    views = episode_views(stream, branch, episodes_of(stream, branch))
    depths = range(1, len(standing.path))
    return Timeline(
        agent=party_name(stream, branch, stream.line.agent),
        user=party_name(stream, branch, stream.line.user),
        language=language_of(stream, branch),
        turns=tuple(_turn(standing, depth) for depth in depths),
        rapport=tuple(_rapport(stream, standing)),
        mood=tuple(_mood(stream, standing)),
        episodes=tuple(_episode(standing.history, view) for view in views),
        threads=tuple(_threads(stream, branch)),
    )


def language_of(stream: Stream, branch: int) -> Language:
    """The language that is mostly spoken on a branch. Needs `stream.reading()`."""
    return mostly_spoken(
        text.content or ""
        for view in turn_views(stream, branch)
        for text in (*view.messages, *([view.reply] if view.reply else []))
    )


def _turn(standing: Standing, depth: int) -> TurnPoint:
    turn = standing.path[depth]
    timed = standing.history.moment(turn) is not None
    return TurnPoint(turn, standing.began(depth), standing.ended(depth), timed)


def _by_place(stream: Stream, standing: Standing, projection: Projection) -> dict[int, list[Event]]:
    """What a projection reads, by the place of its turn, in order."""
    found: dict[int, list[Event]] = {}
    for event in standing_events(stream, standing, projection):
        found.setdefault(_place(standing.history, event.turn), []).append(event)
    return found


def _place(history: History, turn: int) -> int:
    return 0 if turn == ROOT else history.depth_of(turn)


def _rapport(stream: Stream, standing: Standing) -> Iterator[RapportPoint]:
    """Rapport at the start, and after each turn that changed it."""
    state = RAPPORT.initial()
    last = _values(state)
    yield RapportPoint(0, last)
    for place, events in _by_place(stream, standing, RAPPORT).items():
        for event in events:
            RAPPORT.apply(state, event, None)
        if (values := _values(state)) != last:
            yield RapportPoint(place, values)
        last = values


def _values(state: State) -> Rapport:
    return Rapport(**{name: value / ONE for name, value in state["values"].items()})


def _mood(stream: Stream, standing: Standing) -> Iterator[MoodPoint]:
    """The moods after each turn and while nobody speaks, wherever they differ from before."""
    state, events = MOOD.initial(), _by_place(stream, standing, MOOD)
    last: tuple[Feelings | None, Feelings | None] = None, None
    for place in range(len(standing.path)):
        for event in events.get(place, ()):
            MOOD.apply(state, event, None)
        for moment in _moments(standing, place):
            moods = _feelings(state, "user", moment), _feelings(state, "agent", moment)
            if moods != last:
                yield MoodPoint(place, moment, *moods)
            last = moods


def _moments(standing: Standing, place: int) -> Iterator[Moment | None]:
    """When to look at the moods: as a turn ends, and at times in the silence that follows it."""
    ended = standing.ended(place)
    yield ended
    if ended is None or place + 1 == len(standing.path):
        return
    began = standing.began(place + 1)
    for after in AFTER:
        if began is not None and ended.at + after < began.at:
            yield ended._replace(at=ended.at + after)


def _feelings(state: State, party: Party, at: Moment | None) -> Feelings | None:
    if not state[party]["seen"]:
        return None
    view = mood_at(state, party, at)
    return Feelings(view.valence, view.arousal, view.fatigue, view.confidence)


def _episode(history: History, view: EpisodeView) -> EpisodePoint:
    first, last = _place(history, view.first), _place(history, view.last)
    return EpisodePoint(view.number, first, last, view.title)


def _threads(stream: Stream, branch: int) -> Iterator[Thread]:
    history = stream.history
    for one in tensions(fold_of(stream, branch, TENSIONS).state()):
        steps = [step.number for step in one.steps]
        end = steps[-1] if steps and one.state not in OPEN else None
        yield _thread(history, "tension", one.number, one.effect, one.state, end, steps)
    state = fold_of(stream, branch, PROMISES).state()
    for promise in promises_at(state, None):
        told = [*promise.retold, *([promise.ended_by] if promise.ended_by is not None else [])]
        yield _thread(
            history, "promise", promise.number, promise.act, promise.status, promise.ended_by, told
        )
    for loop in loops_at(state, None):
        told = [*loop.retold, *([loop.ended_by] if loop.ended_by is not None else [])]
        yield _thread(history, "loop", loop.number, loop.subject, loop.status, loop.ended_by, told)


def _thread(
    history: History,
    kind: Literal["tension", "promise", "loop"],
    number: int,
    words: str,
    status: str,
    end: int | None,
    told: Sequence[int],
) -> Thread:
    begun = _place(history, history.turn[number])
    ended = None if end is None else _place(history, history.turn[end])
    steps = sorted({_place(history, history.turn[one]) for one in told})
    return Thread(kind, number, words, status, begun, ended, tuple(steps))
