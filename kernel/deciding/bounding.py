"""The host's own word on where an episode begins. It outweighs rules and models, and each is an
event that `withdraw` takes back."""

from __future__ import annotations

from enishi.kernel.errors import Conflict, NotFound
from enishi.kernel.events import payload_of
from enishi.kernel.history import kind_code
from enishi.kernel.stream import Draft, Stream

_TURN = kind_code("TurnOpened")
_SAYS = frozenset({kind_code("EpisodeBegan"), kind_code("EpisodeContinued")})


def split_episode(stream: Stream, branch: int, turn: int) -> int:
    """An episode begins with this turn. Returns the event's number. Needs `writing`."""
    if begins(stream, branch, turn):
        raise Conflict(f"an episode begins with turn {turn} already; nothing to split")
    return _said(stream, branch, turn, "EpisodeBegan")


def merge_episode(stream: Stream, branch: int, turn: int) -> int:
    """This turn goes on with the episode before it. Returns the event's number. Needs `writing`."""
    if not begins(stream, branch, turn):
        raise Conflict(
            f"no episode begins with turn {turn}; `enishi episodes` shows with which turns they do"
        )
    return _said(stream, branch, turn, "EpisodeContinued")


def begins(stream: Stream, branch: int, turn: int) -> bool:
    """Whether what stands says that an episode begins with this turn of the branch.

    NotFound for what is no turn of it, Conflict for its first turn, before which there is none.
    """
    standing, history = stream.standing(branch), stream.history
    known = 0 <= turn < len(history) and history.kind[turn] == _TURN
    if not known or not standing.on_path(turn) or turn not in standing:
        raise NotFound(f"number {turn} is no turn of this branch; `enishi log` lists them")
    if not any(standing.path[d] in standing for d in range(1, history.depth_of(turn))):
        raise Conflict(f"turn {turn} is the first; nothing comes before its episode")
    said = [n for n in standing.at_depth(history.depth_of(turn)) if history.kind[n] in _SAYS]
    payloads = stream.payloads(said)
    by_host = [n for n in said if payloads[n].get("by", "host") == "host"]
    last = by_host[-1:] or said[-1:]
    return bool(last) and history.kind[last[0]] == kind_code("EpisodeBegan")


def _said(stream: Stream, branch: int, turn: int, kind: str) -> int:
    # It rests on no words: like a choice, it is said by the branch and by those forked from it.
    draft = Draft(kind, payload_of(kind), turn, branch, targets=(turn,), happened=stream.now)
    return stream.append(draft)
