"""What there is to search on one branch: its standing texts in the order of the path.

Every text has a place, counted from 0; neighbours in a talk are neighbours here. A stretch is a run
of texts without an episode's beginning and without a long pause in between.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import cast

from enishi.kernel.history import TEXT_CODES, UNKNOWN_TIME, kind_code
from enishi.kernel.moments import HOUR
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.projections.episodes import episode_starts
from enishi.projections.recall.index import ASKS, HIDDEN, Index

PAUSE = 2 * HOUR
"""After so long without a word, another stretch begins."""

OWN = 64
"""What a term counts in the text itself; in its neighbours it counts less."""

REACH = ((1, 32), (2, 16))
"""What it counts in a text so many places away."""

SHORT = 32
"""Up to so many terms a text leans on its neighbours in full, and the longer it is, the less."""

NOWHERE = -1
_REPLY = kind_code("ReplyGiven")


@dataclass(slots=True, eq=False)
class Corpus:
    """The texts of a branch. `place` is by record number, NOWHERE for what is no standing text.

    `numbers`, `stretch` (counted from 0), `length` (in terms), `asking` and `by_agent` are by place;
    `depth` is that of the text's turn. `around` is the length with its neighbours as `weighed` counts
    them, `total` the sum of that. `starts` are the places at which the stretches begin, `voices` how
    many texts were said under each name. `changes` counts how often any of this became another.
    """

    stream: Stream
    standing: Standing
    index: Index
    stale: int = 0
    place: array[int] = field(default_factory=lambda: array("i"))
    numbers: array[int] = field(default_factory=lambda: array("q"))
    depth: array[int] = field(default_factory=lambda: array("i"))
    stretch: array[int] = field(default_factory=lambda: array("i"))
    length: array[int] = field(default_factory=lambda: array("i"))
    asking: bytearray = field(default_factory=bytearray)
    by_agent: bytearray = field(default_factory=bytearray)
    around: array[int] = field(default_factory=lambda: array("i"))
    voices: Counter[int] = field(default_factory=Counter)
    starts: list[int] = field(default_factory=list)
    total: int = 0
    changes: int = 0
    _upto: int = 0
    _kept: int = 0
    _began: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.standing.watch(self)

    def __len__(self) -> int:
        return len(self.numbers)

    def catch_up(self) -> None:
        """Take in what is new. Needs `reading`, and an index that was caught up."""
        self.standing.catch_up()
        history, path = self.stream.history, self.standing.path
        self.place.extend([NOWHERE] * (len(history) - len(self.place)))
        began = tuple(episode_starts(self.stream, self.standing.branch))
        first = min(self.stale, self._upto)
        if moved := set(began) ^ set(self._began):
            first = min(first, *moved)
        self.changes += first < max(self._upto, len(path))
        self._cut(first)
        starts = set(began)
        for depth in range(first, len(path)):
            self._take(depth, depth in starts)
        self._weigh()
        self._upto = self.stale = len(path)
        self._began = began

    def _cut(self, depth: int) -> None:
        """Forget the texts from this depth on."""
        keep = self._kept = bisect_left(self.depth, depth)
        for number in self.numbers[keep:]:
            self.place[number] = NOWHERE
            self.voices[self.index.voice[number]] -= 1
        for column in (self.numbers, self.depth, self.stretch, self.length):
            del column[keep:]
        del self.asking[keep:], self.by_agent[keep:]
        del self.starts[bisect_left(self.starts, keep) :]

    def _take(self, depth: int, begins: bool) -> None:
        history, index = self.stream.history, self.index
        kinds = history.kind
        for number in self.standing.at_depth(depth):
            if kinds[number] not in TEXT_CODES:
                continue
            root = history.root_text(number)
            if index.flags[number] & HIDDEN or index.flags[root] & HIDDEN:
                continue
            place = len(self.numbers)
            if not place or begins or self._paused(number):
                self.starts.append(place)
            begins = False
            self.place[number] = place
            self.numbers.append(number)
            self.depth.append(depth)
            self.stretch.append(len(self.starts) - 1)
            self.length.append(index.length[number])
            self.asking.append(index.flags[number] & ASKS)
            self.by_agent.append(kinds[root] == _REPLY)
            self.voices[index.voice[number]] += 1

    def _weigh(self) -> None:
        """Count the lengths with their neighbours, from the first that has other ones now."""
        length, stretch, last = self.length, self.stretch, len(self) - 1
        known = max(0, min(len(self.around), self._kept) - REACH[-1][0])
        self.total -= sum(self.around[known:])
        del self.around[known:]
        for place in range(known, last + 1):
            here, own = stretch[place], length[place]
            total = OWN * own
            for distance, weight in REACH:
                for other in (place - distance, place + distance):
                    if 0 <= other <= last and stretch[other] == here:
                        total += lean(weight, own) * length[other]
            self.around.append(total)
            self.total += total

    def _paused(self, number: int) -> bool:
        at = self.stream.history.at
        before, now = at[self.numbers[-1]], at[number]
        return UNKNOWN_TIME not in (before, now) and now - before > PAUSE


def lean(weight: int, length: int) -> int:
    """What a neighbour's term counts in a text of so many terms."""
    return weight if length <= SHORT else weight * SHORT // length


def corpus_of(stream: Stream, branch: int, index: Index) -> Corpus:
    """The corpus of a branch that this process keeps. Needs `reading`."""
    key = ("corpus", branch)
    found = stream.kept.get(key)
    if found is None or found.index is not index:
        found = stream.kept[key] = Corpus(stream, stream.standing(branch), index)
    return cast(Corpus, found)
