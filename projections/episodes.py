"""Episodes: where each begins, and what was born, felt, spoken of and summed up in it.

A turn begins an episode where the host says so, or else where a rule's or a model's boundary
stands; the first turn always does. The host's last word on a turn outweighs all others.

The state holds numbers and spans, never words: they are read from the log when somebody asks, so
that erasing them leaves nothing behind here. Turns and times are the path's own and no state either.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from enishi.kernel.fold import Event, Projection, Reason, State, fold_of
from enishi.kernel.history import ROOT
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import Text, turn_views

PEAKS = 6
"""Spans that an episode keeps as its emotional peaks: the strongest, and of those the first."""

CITED = 12
"""Earlier words that an episode keeps as referred to in it; the first ones."""

_WEIGHT = {"weak": 1, "moderate": 2, "strong": 3}
_BORN = {
    "BeliefStated": "beliefs",
    "PromiseMade": "promises",
    "LoopOpened": "loops",
    "ConsequenceFollowed": "consequences",
}
_SPEAKS_OF = {
    "BeliefConfirmed": "belief",
    "BeliefRetracted": "belief",
    "PromiseEnded": "promise",
    "PromiseConditionMet": "promise",
    "LoopEnded": "loop",
    "TensionMoved": "consequence",
    "ReflectionMade": "event",
}
_FELT = frozenset({"MoodObserved", "SignalAccepted", "ConsequenceFollowed"})
_BOUNDS = frozenset({"EpisodeBegan", "EpisodeContinued"})
_LISTS = (*_BORN.values(), "speaks_of", "peaks", "cites", "summaries")

READS = frozenset({"EpisodeSummarised", *_BOUNDS, *_BORN, *_SPEAKS_OF, *_FELT})


def _entry(turn: int | None) -> dict[str, Any]:
    return {"first": turn, "began": None} | {name: [] for name in _LISTS}


def _initial() -> State:
    return {"episodes": [_entry(None)], "turn": None}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    if event.turn == ROOT:
        return
    turn = state["turn"]
    if turn is None or turn["first"] != event.turn:
        _close(state)
        turn = state["turn"] = _entry(event.turn) | {"host": False}
    if event.type in _BOUNDS:
        _bound(turn, event)
        return
    if event.type == "EpisodeSummarised":
        turn["summaries"].append(event.number)
        return
    if (born := _BORN.get(event.type)) is not None:
        turn[born].append(event.number)
    if (named := _SPEAKS_OF.get(event.type)) is not None:
        turn["speaks_of"].append([event.number, event.payload[named]])
    _cite(turn, event)


EPISODES = Projection("episodes", 1, READS, _initial, _apply)
"""`episodes` are those up to the newest turn of which something was recorded, `turn` is that turn by
itself: what comes later may still say that an episode begins with it, and `host` tells whether the
host spoke of it. Both have the same fields: the `first` turn (None for the first episode), the
event that `began` it, the numbers of what was born, (later, earlier) pairs of what it speaks of,
(weight, number, text, start, end) of peaks, (number, text, start, end) of earlier words that it
cites, and the numbers of summaries."""


def _bound(turn: dict[str, Any], event: Event) -> None:
    by_host = event.payload.get("by", "host") == "host"
    if turn["host"] and not by_host:
        return
    if event.type == "EpisodeContinued":
        turn["began"] = None
    elif by_host or turn["began"] is None:
        turn["began"] = event.number
    turn["host"] = by_host


def _cite(turn: dict[str, Any], event: Event) -> None:
    spans = event.payload["spans"]
    # A turn's own texts come after it; what has a lower number was said in an earlier turn.
    turn["cites"] += [[event.number, *span] for span in spans if span[0] < event.turn]
    if event.type in _FELT and spans:
        weight = _WEIGHT[event.payload.get("strength", event.payload.get("intensity", "moderate"))]
        if weight > _WEIGHT["weak"]:
            turn["peaks"].append([weight, event.number, *spans[-1]])


def _close(state: State) -> None:
    """Put the newest turn where it belongs."""
    turn, episodes = state["turn"], state["episodes"]
    if turn is None:
        return
    if turn["began"] is not None:
        episodes.append(_entry(turn["first"]) | {"began": turn["began"]})
    for name in _LISTS:
        episodes[-1][name] += turn[name]
    if turn["peaks"]:
        episodes[-1]["peaks"] = sorted(episodes[-1]["peaks"], key=lambda peak: -peak[0])[:PEAKS]
    del episodes[-1]["cites"][CITED:]
    state["turn"] = None


def _entries(state: State) -> list[dict[str, Any]]:
    """The episodes as the state has them, the newest turn among them, oldest first."""
    last = {k: list(v) if k in _LISTS else v for k, v in state["episodes"][-1].items()}
    episodes: list[dict[str, Any]] = [*state["episodes"][:-1], last]
    _close({"episodes": episodes, "turn": state["turn"] and dict(state["turn"])})
    return episodes


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode as numbers: its number, counted from 1 along the path, its entry in the state,
    its standing turns, and the depths at which it begins and ends."""

    number: int
    entry: dict[str, Any]
    turns: list[int]
    start: int
    end: int


def episodes_of(stream: Stream, branch: int) -> list[Episode]:
    """The episodes of a branch that have a standing turn, oldest first. Needs `reading`."""
    standing, depth_of = stream.standing(branch), stream.history.depth_of
    entries = _entries(fold_of(stream, branch, EPISODES).state())
    starts = [1, *(depth_of(entry["first"]) for entry in entries[1:]), len(standing.path)]
    found: list[Episode] = []
    for entry, start, stop in zip(entries, starts[:-1], starts[1:], strict=True):
        turns = standing.turns(start, stop)
        if turns:
            found.append(Episode(len(found) + 1, entry, turns, start, stop - 1))
    return found


def episode_starts(stream: Stream, branch: int) -> list[int]:
    """The depths at which episodes begin, the first one left out. Needs `reading`."""
    depth_of = stream.history.depth_of
    state = fold_of(stream, branch, EPISODES).state()
    firsts = [entry["first"] for entry in state["episodes"][1:]]
    turn = state["turn"]
    if turn is not None and turn["began"] is not None:
        firsts.append(turn["first"])
    return [depth_of(first) for first in firsts]


def episode_at(episodes: list[Episode], depth: int) -> int:
    """The number of the episode in which a depth lies."""
    return max(1, bisect_right(episodes, depth, key=lambda episode: episode.start))


@dataclass(frozen=True, slots=True)
class Told:
    """An episode with its standing texts, none of them hidden, in the order of the path."""

    episode: Episode
    texts: dict[int, Text]

    @property
    def entry(self) -> dict[str, Any]:
        """What the fold has of it."""
        return self.episode.entry


def told_episodes(stream: Stream, branch: int, episodes: Iterable[Episode]) -> Iterator[Told]:
    """Episodes with their texts."""
    for episode in episodes:
        texts = {
            text.number: text
            for view in turn_views(stream, branch, episode.turns)
            for text in (*view.messages, *([view.reply] if view.reply else []))
            if text.content and text.stands and not text.hidden
        }
        yield Told(episode, texts)
