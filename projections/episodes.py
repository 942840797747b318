"""Episodes: where each begins and ends, and what was born, felt and summed up in it.

A turn begins an episode where the host says so, or else where a rule's or a model's boundary
stands; the first turn always does. The host's last word on a turn outweighs all others.

The state holds numbers and spans, never words: they are read from the log when somebody asks, so
that erasing them leaves nothing behind here.
"""

from __future__ import annotations

from typing import Any

from enishi.kernel.fold import Event, Projection, Reason, State

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

_LISTS = (*_BORN.values(), "speaks_of", "peaks", "cites", "summaries")

READS = frozenset(
    {"TurnOpened", "EpisodeBegan", "EpisodeContinued", "EpisodeSummarised", *_BORN, *_SPEAKS_OF}
    | _FELT
)


def _initial() -> State:
    return {"episodes": [], "turn": None}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    if event.type == "TurnOpened":
        _close(state)
        state["turn"] = _entry(event.number) | {"host": False}
        return
    turn = state["turn"]
    if turn is None or turn["first"] != event.turn:
        return  # before the first turn, or of one that does not stand itself
    if event.type in ("EpisodeBegan", "EpisodeContinued"):
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
"""`episodes` are those whose turns are over, `turn` is the newest turn by itself: an event that
comes later may still say that an episode begins with it, and `host` tells whether the host spoke of
it. Both have the same fields: `first` and `last` turn, how many `turns`, the event that `began` it
(None for the first episode), the numbers of what was born, (later, earlier) pairs of what it speaks of, (weight,
number, text, start, end) of peaks, (number, text, start, end) of earlier words that it cites, and
the numbers of summaries."""


def _entry(turn: int) -> dict[str, Any]:
    plain = {"first": turn, "last": turn, "turns": 1, "began": None}
    return plain | {name: [] for name in _LISTS}


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
        turn["peaks"].append([weight, event.number, *spans[-1]])


def _close(state: State) -> None:
    """Put the newest turn where it belongs."""
    turn, episodes = state["turn"], state["episodes"]
    if turn is None:
        return
    if not episodes:
        turn["began"] = None
    if not episodes or turn["began"] is not None:
        episodes.append(_entry(turn["first"]) | {"began": turn["began"], "turns": 0})
    _join(episodes[-1], turn)
    state["turn"] = None


def _join(episode: dict[str, Any], turn: dict[str, Any]) -> None:
    for name in _LISTS:
        episode[name] += turn[name]
    episode["peaks"] = sorted(episode["peaks"], key=lambda peak: -peak[0])[:PEAKS]
    del episode["cites"][CITED:]
    episode["last"] = turn["last"]
    episode["turns"] += turn["turns"]


def episode_entries(state: State) -> list[dict[str, Any]]:
    """The episodes as the state has them, the newest turn among them, oldest first."""
    last = [
        {k: list(v) if k in _LISTS else v for k, v in e.items()} for e in state["episodes"][-1:]
    ]
    turn = state["turn"] and dict(state["turn"])
    episodes: list[dict[str, Any]] = [*state["episodes"][:-1], *last]
    _close({"episodes": episodes, "turn": turn})
    return episodes
