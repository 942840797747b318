"""What stands on one branch: the one rule behind swipes, edits, forks, undo and deletion.

An event stands for a branch when its payload is there, it is not withdrawn, its turn lies on
the branch's path, it is the chosen one if it is a text, and every one of its causes stands. For
what is content-free, a cause whose words alone were erased counts where it would otherwise stand.

What has no causes (a name, a card, a policy) is said by a branch and not by what was said, so it
stands on that branch and on those forked from it later.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Protocol

from enishi.kernel.history import (
    CONTENT_FREE,
    ROOT,
    TEXT_CODES,
    UNKNOWN_TIME,
    History,
    kind_code,
)
from enishi.kernel.moments import Moment

_ABANDONED = kind_code("TurnAbandoned")
_REPLY = kind_code("ReplyGiven")

_SAID = TEXT_CODES | {kind_code("TurnOpened")}
"""What moves time along the path. An adoption or a name recorded today does not."""

_OF_BRANCHES = frozenset(map(kind_code, ("BranchForked", "BranchSwitched", "TipMoved")))
"""Acts that say nothing of the events of the turns that they speak of."""

_STANDS = 1
_WORDLESS = 2
"""What would stand if its words were not erased: it keeps its time, and carries its effects."""


class Watcher(Protocol):
    """Somebody who folds what stands; `stale` is the first depth that has to be folded again."""

    stale: int


@dataclass(slots=True, eq=False)
class _Likeness:
    """Up to the depth `stale` the same stands on the `other` branch, and has all the time."""

    other: Standing
    stale: int


Marks = dict[tuple[str, int], tuple[int, bytes]]
"""By name and version of a projection: depth and running hash of a checkpoint that it has."""


class Standing:
    """The standing events of one branch, kept up with its history.

    `path` lists the branch's turns by depth, ROOT first. Each depth begins with a time and an
    offset: along the path time never runs backwards, and an unknown time is that of its
    predecessor.

    `marks` are checkpoints that held what stood here when it was kept; at depths before `unmoved`
    nothing has changed since. `like` tells how far it stands like the branch it was forked from.
    """

    def __init__(self, history: History, branch: int) -> None:
        self.history = history
        self.branch = branch
        self.path = array("i")
        self._begins = array("q")
        self._offsets = array("i")
        self._flags = bytearray()
        self._seen = 0
        self._lineage: dict[int, int] = {}
        self._watchers: list[Watcher] = []
        self.marks: Marks = {}
        self.unmoved = 0
        self.like: _Likeness | None = None

    @classmethod
    def of_columns(
        cls, history: History, branch: int, columns: Sequence[array[int]], marks: Marks
    ) -> Standing:
        """What stood when all of this history had been judged, from its `columns`."""
        found = cls(history, branch)
        found.path, found._begins, found._offsets, flags = columns
        found._flags = bytearray(flags)
        found._seen = len(history)
        found._lineage = history.lineage(branch)
        found.marks, found.unmoved = marks, len(found.path)
        return found

    @classmethod
    def of_fork(cls, branch: int, parent: Standing) -> Standing:
        """What stands on a branch that was forked from one which is known: to begin with, the same.

        What was recorded since is still to be judged.
        """
        parent.catch_up()
        history, path = parent.history, parent.path
        tip = history.branches[branch].tip
        shared = history.depth_of(tip) + 1 - len(history.leading_to(tip, path))
        found = cls(history, branch)
        found._seen, found.path = branch, path[:shared]
        found._begins, found._offsets = parent._begins[:shared], parent._offsets[:shared]
        found._flags = parent._flags[:branch]
        found._clear(path[shared:])
        found.marks, found.unmoved = parent.marks, min(parent.unmoved, shared)
        found.like = _Likeness(parent, shared)
        parent.watch(found.like)
        found.watch(found.like)
        return found

    def columns(self) -> list[array[int]]:
        """The path, the times and the offsets with which its depths begin, and how each event was
        judged: all that judging has found.
        """
        return [self.path, self._begins, self._offsets, array("B", self._flags)]

    def __contains__(self, number: int) -> bool:
        return number < len(self._flags) and self._flags[number] == _STANDS

    def carries(self, cause: int, number: int) -> bool:
        """Whether an event that rests on this cause may stand as far as the cause goes."""
        wordless = number in self.history.erased or self.history.kind[number] in CONTENT_FREE
        return cause in self or (wordless and bool(self._flags[cause]))

    def on_erased(self) -> list[int]:
        """The standing events that rest on words that were erased."""
        rest = self.history.resting_on(self.history.spared) if self.history.spared else set()
        return sorted(number for number in rest if number in self)

    def watch(self, watcher: Watcher) -> None:
        """Keep a watcher's `stale` up to date from now on."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Nobody asks any more how stale it is."""
        self._watchers.remove(watcher)

    def on_path(self, turn: int) -> bool:
        """Whether a turn (or ROOT) lies on this branch's path."""
        if not self.history.is_turn(turn):
            return False
        depth = self.history.depth_of(turn)
        return depth < len(self.path) and self.path[depth] == turn

    def turns(self, start: int, stop: int) -> list[int]:
        """The standing turns from one depth up to another, the end not included."""
        flags = self._flags
        return [turn for turn in self.path[start:stop] if flags[turn] == _STANDS]

    def at_depth(self, depth: int) -> list[int]:
        """The standing events of the turn at this depth, by number."""
        flags = self._flags
        return [n for n in self.history.events_of(self.path[depth]) if flags[n] == _STANDS]

    def depths_with(self, kinds: frozenset[int], start: int = 0) -> array[int]:
        """The depths from `start` on at which an event of these kinds stands, in order."""
        history, flags = self.history, self._flags
        # No event of a turn comes before the turn, and no turn before its parent.
        first = self.path[start] if 0 < start < len(self.path) else 0
        turn_of, there = history.turn, bytearray(len(self.path))
        turns = (turn_of[n] for n in history.of_kinds(kinds, first) if flags[n] == _STANDS)
        for depth in history.depths_of(turns):
            there[depth] = 1
        return array("i", compress(range(start, len(there)), there[start:]))

    def times(self, depth: int, kinds: frozenset[int]) -> list[tuple[int, Moment | None]]:
        """The standing events of these kinds at this depth, each with its effective moment.

        It is None as long as no time is known on the path.
        """
        history, flags = self.history, self._flags
        turn, at, after = self.path[depth], self._begins[depth], depth + 1
        # A turn's offset is the one with which the next depth begins.
        known = after < len(self.path)
        offset = self._offsets[after] if known else self._own_offset(turn, self._offsets[depth])
        found: list[tuple[int, Moment | None]] = []
        kind_of, at_of = history.kind, history.at
        for number in history.events_of(turn):
            flag = flags[number]
            if not flag:
                continue
            kind, own = kind_of[number], at_of[number]
            if own < at:
                own = at
            elif kind in _SAID:
                at = own
            if kind in kinds and flag == _STANDS:
                found.append((number, None if own == UNKNOWN_TIME else Moment(own, offset)))
        return found

    def chosen(self, target: int, default: int | None = None) -> int | None:
        """The text chosen on this branch for a turn (a reply) or for a text (a wording)."""
        for act in self.history.choices(target):
            if self.says(act):
                chosen = self.history.acts.get(act)
                return act if chosen is None else chosen[0]
        return default

    def last_moment(self) -> Moment | None:
        """When the last turn of the path ended, or None while no time is known."""
        return self.ended(len(self.path) - 1) if self.path else None

    def began(self, depth: int) -> Moment | None:
        """When the turn at this depth began on the path, or None while no time is known."""
        at, offset = self._begins[depth], self._offsets[depth]
        turn = self.path[depth]
        own = max(at, self.history.at[turn]) if turn != ROOT else at
        return None if own == UNKNOWN_TIME else Moment(own, self._own_offset(turn, offset))

    def ended(self, depth: int) -> Moment | None:
        """When the turn at this depth ended on the path, or None while no time is known."""
        at, offset = self._end_of(depth)
        return None if at == UNKNOWN_TIME else Moment(at, offset)

    def status(self, turn: int) -> str:
        """completed, abandoned or open, as seen on this branch."""
        if self.chosen(turn) is not None:
            return "completed"
        ended = (n for n in self.history.events_of(turn) if self.history.kind[n] == _ABANDONED)
        return "abandoned" if any(number in self for number in ended) else "open"

    def catch_up(self) -> None:
        """Take in what is new, and tell the watchers from which depth on things may differ."""
        history = self.history
        if self._seen == len(history) and self.path:
            return
        known, fresh = self._seen, self._follow_tip()
        touched = {depth for depth in self._touched(known) if depth < fresh} if fresh else set()
        self._flags.extend(bytes(len(history) - len(self._flags)))
        self._seen = len(history)
        self._judge_anew(sorted(touched), known, fresh)
        stale = min(touched, default=fresh)
        self.unmoved = min(self.unmoved, stale)
        for watcher in self._watchers:
            watcher.stale = min(watcher.stale, stale)

    def _touched(self, start: int) -> Iterator[int]:
        """The depths of the turns that the records from this number on belong to, or speak of."""
        history = self.history
        for number in range(start, len(history)):
            if history.kind[number] not in _OF_BRANCHES:
                for place in history.acts.get(number, (number,)):
                    if self.on_path(turn := history.turn[place]):
                        yield history.depth_of(turn)

    def _judge_anew(self, touched: Sequence[int], known: int, fresh: int) -> None:
        """Judge what was touched at these depths, and all from the depth `fresh` on.

        What is as it was carries what rests on it as it did: only where an event that was `known`
        is judged otherwise, or time moves, all that follows is judged again.
        """
        flags, begins, offsets = self._flags, self._begins, self._offsets
        for depth in touched:
            old = [n for n in self.history.events_of(self.path[depth]) if n < known]
            before = [flags[number] for number in old]
            self._judge(depth, depth + 1)
            after = depth + 1
            if before != [flags[number] for number in old] or (
                after < fresh and self._end_of(depth) != (begins[after], offsets[after])
            ):
                fresh = after
                break
        self._judge(fresh, len(self.path))

    def _follow_tip(self) -> int:
        """Make `path` lead to the branch's tip. Returns the first depth that differs."""
        history = self.history
        self._lineage = history.lineage(self.branch)
        tip = history.branches[self.branch].tip
        ahead = history.leading_to(tip, self.path)
        common = history.depth_of(tip) + 1 - len(ahead)
        if not self.path:
            common = 0
            ahead.insert(0, ROOT)
        self._clear(self.path[common:])
        del self.path[common:], self._begins[common:], self._offsets[common:]
        self.path.extend(ahead)
        self._begins.frombytes(bytes(self._begins.itemsize * len(ahead)))
        self._offsets.frombytes(bytes(self._offsets.itemsize * len(ahead)))
        return common

    def _clear(self, turns: Iterable[int]) -> None:
        """Nothing of these turns stands any more: they lie on the path no longer."""
        flags, length = self._flags, len(self._flags)
        for turn in turns:
            for number in self.history.events_of(turn):
                if number < length:
                    flags[number] = 0

    def _judge(self, start: int, stop: int) -> None:
        """Judge the events of each turn from this depth up to, not including, another; all earlier
        ones have been judged.
        """
        history, flags, begins, offsets = self.history, self._flags, self._begins, self._offsets
        kind, at_of, tangled = history.kind, history.at, history.tangled
        at, offset = self._end_of(start - 1) if start else (UNKNOWN_TIME, 0)
        limit = east = same_branch = same_zone = 0  # from turn to turn these are seldom others
        for depth in range(start, stop):
            begins[depth], offsets[depth] = at, offset
            turn = self.path[depth]
            numbers = history.events_of(turn)
            if turn >= same_branch:
                branch, same_branch = history.branch.run(turn)
                limit = self._lineage.get(branch, 0)
            # Most turns were said and no more: there the rule holds for all that this branch said.
            if turn != ROOT and turn not in tangled and numbers[-1] < limit:
                for number in numbers:
                    flags[number] = _STANDS
                    if kind[number] in _SAID and at_of[number] > at:
                        at = at_of[number]
                if at_of[turn] != UNKNOWN_TIME:
                    if turn >= same_zone:
                        east, same_zone = history.offset_run(turn)
                    offset = east
            else:
                for number in numbers:
                    flags[number] = self._judged(number)
                at, offset = self._end_of(depth)

    def _judged(self, number: int) -> int:
        """The rule, for an event of which all that comes before it was judged."""
        history = self.history
        gone, kind = number in history.erased, history.kind[number]
        counts = (
            not (gone and number not in history.spared)
            and not history.withdrawn.get(number, False)
            and (kind not in TEXT_CODES or self._is_chosen(number))
            and self._carried(number, gone or kind in CONTENT_FREE)
        )
        return (_WORDLESS if gone else _STANDS) if counts else 0

    def _carried(self, number: int, wordless: bool) -> bool:
        """What rests on something stands with it; what rests on nothing was said by a branch.

        With `wordless`, a cause may have lost its words.
        """
        causes = self.history.causes_of(number)
        if not causes:
            return self.says(number)
        flags = self._flags
        for cause in causes:
            if flags[cause] != _STANDS and not (wordless and flags[cause]):
                return False
        return True

    def _is_chosen(self, text: int) -> bool:
        history = self.history
        root = history.root_text(text)
        if history.kind[root] == _REPLY:
            heard = self.chosen(history.turn[root]) == root
        else:
            heard = self.says(root)
        return heard and self.chosen(root, default=root) == text

    def says(self, number: int) -> bool:
        """Whether a choice or a message was made on this branch, or before it was forked."""
        return number < self._lineage.get(self.history.branch[number], 0)

    def _end_of(self, depth: int) -> tuple[int, int]:
        at, offset = self._begins[depth], self._offsets[depth]
        history = self.history
        turn = self.path[depth]
        for number in history.events_of(turn):
            if self._flags[number] and history.kind[number] in _SAID and history.at[number] > at:
                at = history.at[number]
        return at, self._own_offset(turn, offset)

    def _own_offset(self, turn: int, before: int) -> int:
        """The offset at which a turn was lived: that of the turn before, if its own is unknown."""
        if turn == ROOT or self.history.at[turn] == UNKNOWN_TIME:
            return before
        return self.history.offset_of(turn)
