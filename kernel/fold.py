"""Folding what stands: lazily, from the first place that changed, with checkpoints as a cache."""

from __future__ import annotations

import hashlib
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, cast

import msgspec

from enishi.kernel.encoding import checkpoint_digest, state_digest
from enishi.kernel.errors import LogDamaged
from enishi.kernel.history import UNKNOWN_TIME, kind_code
from enishi.kernel.keeping import is_whole
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream

State = dict[str, Any]

CHUNK_TURNS = 512
"""Turns whose payloads are read together, and between which snapshots are kept in memory."""

CHECKPOINT_EVENTS = 4096
"""Folded events after which a checkpoint is worth writing."""

_SNAPSHOTS = 24

_AHEAD = 4096
"""Turns that were looked at for a checkpoint and need not be looked at again when they are folded."""

_SPREAD = 8
"""What is folded in one go is kept at so many places, and ever more closely towards the end."""

_BYTES_PER_EVENT = 1024
"""A snapshot is kept once so many events were folded that folding them again would take longer than
writing the state down: a large state is written down seldom, a small one at every stop."""

_EVENT = struct.Struct(">Qqi")

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(dict[str, Any]).decode


class Event(NamedTuple):
    """A standing event as a projection sees it.

    `moment` is its effective moment on the path, None as long as no time is known there. `said` is
    when it was said itself, None where that is not known: it may lie before what stands before it.
    """

    number: int
    type: str
    payload: dict[str, Any]
    turn: int
    moment: Moment | None
    said: Moment | None = None


class Reason(NamedTuple):
    """What one event did to one value of a state. Reasons are never part of a state."""

    number: int
    key: str
    change: int
    value: int


Apply = Callable[[State, Event, list[Reason] | None], None]


@dataclass(frozen=True)
class Projection:
    """A named pure fold. `apply` changes the state in place and never fails."""

    name: str
    version: int
    reads: frozenset[str]
    initial: Callable[[], State]
    apply: Apply

    @cached_property
    def codes(self) -> frozenset[int]:
        """What it reads, as codes of `History.kind`."""
        return frozenset(kind_code(name) for name in self.reads)


_Turn = tuple[list[tuple[int, Moment | None]], bytes]
"""The events of a turn that are to be folded, each with its moment; and the running hash after it."""


class _Snapshot(NamedTuple):
    depth: int
    running: bytes
    state: bytes


@dataclass(slots=True, eq=False)
class Fold:
    """One projection on one branch, kept up with what stands there.

    `running` is a hash of the numbers and effective moments of all events folded, turn by turn:
    what stands again finds its checkpoint again.
    """

    projection: Projection
    stream: Stream
    standing: Standing
    stale: int = 0
    depth: int = 0
    running: bytes = b""
    returns: bool = True
    _state: State = field(default_factory=dict)
    _snapshots: list[_Snapshot] = field(default_factory=list)
    _unsaved: int = 0
    _since: int = 0

    def __post_init__(self) -> None:
        self.standing.watch(self)
        self._restart()

    def state(self) -> State:
        """The state at the branch's tip. Needs `stream.reading()`; not to be changed."""
        self.standing.catch_up()
        if self.stale < self.depth or self.depth < len(self.standing.path):
            self._rewind()
            self._run()
        self.stale = self.depth
        return self._state

    def digest(self) -> str:
        """The digest of the state at the branch's tip."""
        return state_digest(self.projection.name, self.projection.version, self.state())

    def worth_saving(self, with_history: bool) -> bool:
        """Whether enough was folded since the last checkpoint. Where the history is kept, which is
        seldom, anything is: else what it spares in opening is spent on folding.
        """
        return self._unsaved >= (1 if with_history else CHECKPOINT_EVENTS) and bool(self._snapshots)

    def save(self) -> None:
        """Write a checkpoint of the newest snapshot. Needs `stream.writing()`."""
        line, snapshot = self.stream.line, self._snapshots[-1]
        name, version = self.projection.name, self.projection.version
        depth, running, state = snapshot
        digest = checkpoint_digest(line.relationship, name, version, running, depth, state)
        self.stream.log.save_checkpoint(line.line, name, version, running, depth, state, digest)
        self._unsaved = 0

    def _restart(self) -> None:
        self.depth = 0
        self.running = b""
        self._state = self.projection.initial()

    def _rewind(self) -> None:
        """Go back to the newest state that is still valid."""
        if self.stale >= self.depth:
            return
        while self._snapshots and self._snapshots[-1].depth > self.stale:
            self._snapshots.pop()
        self._restore()

    def _restore(self) -> None:
        """Go on from the newest snapshot."""
        self._since = 0
        if not self._snapshots:
            self._restart()
            return
        snapshot = self._snapshots[-1]
        self.depth, self.running = snapshot.depth, snapshot.running
        self._state = _unpack(snapshot.state)

    def _run(self) -> None:
        """Fold from where we are to the end of the path."""
        end = len(self.standing.path)
        if not self.depth:
            self._inherit()
        if end - self.depth > CHUNK_TURNS:
            self._leap()
        depths = self.standing.depths_with(self.projection.codes, self.depth)
        ahead = self._jump(depths) if end - self.depth > CHUNK_TURNS else {}
        apart = max(CHUNK_TURNS, (end - self.depth) // _SPREAD)
        while self.depth < end:
            self._keep_snapshot(min(apart, end - self.depth))
            # Most changes are near the tip: the nearer, the shorter the way back to a snapshot.
            stop = self.depth + min(CHUNK_TURNS, (end - self.depth + 1) // 2)
            between = slice(bisect_left(depths, self.depth), bisect_left(depths, stop))
            self._fold_turns(depths[between], stop, ahead)

    def _fold_turns(self, depths: Sequence[int], stop: int, ahead: dict[int, _Turn]) -> None:
        """Fold the turns at these depths, the only ones below `stop` that matter.

        Of those `ahead` it is known already what has to be folded.
        """
        projection, state, running = self.projection, self._state, self.running
        turns: list[tuple[int, list[tuple[int, Moment | None]]]] = []
        for depth in depths:
            events, running = ahead.pop(depth) if depth in ahead else self._turn_at(depth, running)
            turns.append((depth, events))
        numbers = [number for _, events in turns for number, _ in events]
        payloads = self.stream.each_payload(numbers, projection.reads)
        history, path = self.stream.history, self.standing.path
        names = {kind_code(name): name for name in projection.reads}
        for depth, events in turns:
            for (number, moment), payload in zip(events, payloads, strict=False):
                if payload is not None:
                    name, said = names[history.kind[number]], history.moment(number)
                    event = Event(number, name, payload, path[depth], moment, said)
                    _apply(projection, state, event, None)
        self.depth, self.running = stop, running
        self._unsaved += len(numbers)
        self._since += len(numbers)

    def _turn_at(self, depth: int, running: bytes) -> _Turn:
        """What has to be folded of the turn at this depth, and the running hash after it."""
        events = self.standing.times(depth, self.projection.codes)
        return events, _run_on(running, events)

    def _keep_snapshot(self, apart: int) -> None:
        """Keep the state, unless it is nearer than that to the last one that was kept."""
        if not self.returns:
            return
        last = self._snapshots[-1] if self._snapshots else _Snapshot(0, b"", b"")
        if self.depth - last.depth < apart or self._since * _BYTES_PER_EVENT < len(last.state):
            return
        self._since = 0
        self._snapshots.append(_Snapshot(self.depth, self.running, _pack(self._state)))
        if len(self._snapshots) > _SNAPSHOTS:
            # Keep the newest close together and the older ones ever further apart.
            del self._snapshots[1:-8:2]

    def mark(self) -> tuple[int, bytes] | None:
        """Depth and running hash of the deepest checkpoint that holds what stands here."""
        name, version = self.projection.name, self.projection.version
        known = self.stream.log.checkpoints(self.stream.line.line, name, version)
        for depth, running, _ in reversed(self._snapshots):
            if depth <= self.stale and known.get(running) == depth:
                return depth, running
        return None

    def _leap(self) -> None:
        """Start from the checkpoint that was marked, if nothing has changed before its depth."""
        mark = self.standing.marks.get((self.projection.name, self.projection.version))
        if mark is not None and self.depth < mark[0] <= self.standing.unmoved:
            self._start_from(*mark)

    def _inherit(self) -> None:
        """Start from what the fold of the branch that this one was forked from has in memory."""
        like, name, version = self.standing.like, self.projection.name, self.projection.version
        other = like and self.stream.kept.get((name, version, like.other.branch))
        if like and isinstance(other, Fold) and other.standing is like.other:
            same = min(like.stale, other.stale)
            self._snapshots = [found for found in other._snapshots if found.depth <= same]
            self._restore()

    def _jump(self, depths: Sequence[int]) -> dict[int, _Turn]:
        """Start from the deepest checkpoint that folded exactly what stands now.

        Where there is none, what was looked at first on the way is returned, by its depth.
        """
        log, line = self.stream.log, self.stream.line.line
        known = log.checkpoints(line, self.projection.name, self.projection.version)
        ahead = {running: depth for running, depth in known.items() if depth > self.depth}
        running, turns, best = self.running, dict[int, _Turn](), None
        for depth, following in pairwise([*depths, len(self.standing.path)] if ahead else ()):
            turn = _, running = self._turn_at(depth, running)
            if len(turns) < _AHEAD:
                turns[depth] = turn
            if depth < ahead.get(running, 0) <= following:
                best = running
        if best is None or not self._start_from(ahead[best], best):
            return turns
        return {depth: turn for depth, turn in turns.items() if depth >= self.depth}

    def _start_from(self, depth: int, running: bytes) -> bool:
        name, version = self.projection.name, self.projection.version
        found = self.stream.log.checkpoint(self.stream.line.line, name, version, running)
        if found is None or found.depth != depth or not is_whole(self.stream.line, found):
            return False
        self.depth, self.running, self._state = depth, running, _unpack(found.state)
        self._unsaved = 0
        return True


def _apply(projection: Projection, state: State, event: Event, trace: list[Reason] | None) -> None:
    """A projection's `apply` never fails; where it does, the event is not what it claims to be."""
    try:
        projection.apply(state, event, trace)
    except Exception as error:
        raise LogDamaged(
            f"number {event.number} cannot be folded into {projection.name} "
            f"({type(error).__name__}: {error}); run: enishi verify"
        ) from error


def fold_of(stream: Stream, branch: int, projection: Projection, *, returns: bool = True) -> Fold:
    """The fold of a projection on a branch that this process keeps. Needs `stream.reading()`.

    One that is new and never `returns` to an earlier place keeps no states for that.
    """
    standing = stream.standing(branch)
    key = (projection.name, projection.version, branch)
    found = stream.kept.get(key)
    if found is None:
        found = stream.kept[key] = Fold(projection, stream, standing, returns=returns)
    return cast(Fold, found)


def digests_of(stream: Stream, branches: Iterable[int], projection: Projection) -> dict[int, str]:
    """The digests of a projection on these branches. Needs `stream.reading()`.

    One state is in memory at a time, and none afterwards that was not before: it may be large.
    """
    found: dict[int, str] = {}
    passing: list[Fold] = []
    numbers = sorted(set(branches))
    try:
        for branch in numbers:
            known = (projection.name, projection.version, branch) in stream.kept
            fold = fold_of(stream, branch, projection, returns=len(numbers) > 1)
            if not known:
                passing.append(fold)
            found[branch] = fold.digest()
            if not known:
                # Its snapshots stay as long as the fold of a fork may begin with them.
                fold._state = {}
    finally:
        for fold in passing:
            del stream.kept[projection.name, projection.version, fold.standing.branch]
            fold.standing.unwatch(fold)
    return found


def keep_history(stream: Stream, branch: int) -> None:
    """Keep the history and what stands on a branch, with its checkpoints. Needs `writing`."""
    standing, marks = stream.standing(branch), {}
    for fold in stream.kept.values():
        if isinstance(fold, Fold) and fold.standing is standing and (mark := fold.mark()):
            marks[fold.projection.name, fold.projection.version] = mark
    stream.keep(standing, marks)


def _run_on(running: bytes, turn: list[tuple[int, Moment | None]]) -> bytes:
    pack, data = _EVENT.pack, running
    for number, moment in turn:
        at, offset = (UNKNOWN_TIME, 0) if moment is None else moment[:2]
        data += pack(number, at, offset)
    return hashlib.sha256(data).digest()


def standing_events(
    stream: Stream, standing: Standing, projection: Projection, until: Moment | None = None
) -> Iterator[Event]:
    """All events that a projection reads on a branch, in the order of their places.

    With `until`, only what had happened by then. Needs `stream.reading()`.
    """
    names = {kind_code(name): name for name in projection.reads}
    history = standing.history
    depths = standing.depths_with(projection.codes)
    for start in range(0, len(depths), CHUNK_TURNS):
        chunk = depths[start : start + CHUNK_TURNS]
        turns = [(depth, standing.times(depth, projection.codes)) for depth in chunk]
        numbers = [number for _, turn in turns for number, _ in turn]
        payloads = stream.each_payload(numbers, projection.reads)
        for depth, turn in turns:
            for (number, moment), payload in zip(turn, payloads, strict=False):
                if until is not None and moment is not None and until.at < moment.at:
                    continue
                if payload is not None:
                    name = names[history.kind[number]]
                    said = history.moment(number)
                    yield Event(number, name, payload, standing.path[depth], moment, said)


def fold_anew(
    projection: Projection, events: Iterator[Event], trace: list[Reason] | None = None
) -> State:
    """The state after these events, from zero and without any cache."""
    state = projection.initial()
    for event in events:
        _apply(projection, state, event, trace)
    return state
