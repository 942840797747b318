"""Search by meaning: how near the vector of what was said comes to that of a query.

For a text d of the branch, with cosines c against the query,

    own(d)  = (c(d) - mean) / deviation, both over the texts of the relationship and the everyday
              sentences of `everyday.tsv`: so no cosine of any embedder is a threshold
    near(d) = the same of the passage around d, over the passages and the everyday sentences. The vector
              of a passage is the sum of those of d and of the texts one and two places away in the same
              stretch, which count 1/2 and 1/4 (what answers a question counts that 3/4, as in `search`),
              each by how many terms it has: so a short text is understood by what stands around it
    meaning = WEIGHT trust max(0, near + 1 if d was said by somebody whom the query names)

0.8 less where d ends with a question, which is near to any other question. `meaning` is a share, as that
of words is, and is added to the relevance. By itself it makes a hit where own or near comes to 23/20
sqrt(2 ln n), n being the texts: somewhat more than the nearest of so many random ones would. What is no
text is in no passage: there, near is own.

`trust` is how well the embedder tells what belongs together here: how often a text is nearer to the one
right after it than others are, over this relationship's own texts and the pairs of `everyday.tsv`. At
0.6 or below an embedder is not trusted at all, at 0.7 fully.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from math import inf, log, sqrt
from threading import Thread
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from enishi.kernel.errors import EmbedderFailed
from enishi.kernel.history import KINDS
from enishi.kernel.stream import Stream
from enishi.projections.recall.corpus import Corpus, corpus_of
from enishi.projections.recall.index import index_of, words_of
from enishi.projections.recall.vectors import (
    Embedder,
    Row,
    embedded,
    has_table,
    kept,
    kept_key,
    pieces,
    read_rows,
    write_rows,
)
from enishi.projections.recall.words import folded, name_terms

T = TypeVar("T")
Floats = NDArray[np.float32]
Left = Callable[[], float]
"""Seconds that may still be spent; infinite where there is no end."""

WEIGHT = 2_000
"""What one deviation adds to the share of a hit, in 1/10000."""

ALONE = 115
"""So many hundredths of how near chance comes, a hit by its meaning alone is at least."""

NAMED = 100
_ASKS = 80
_REACH = ((1, 0.5), (2, 0.25))
_ANSWERS = 0.75
"""What neighbours count in a passage, and a question in that of the text right after it: as in `search`."""

UNTRUSTED, TRUSTED = 0.6, 0.7
_SAMPLE = 512
"""Of so many neighbours at most the trust in an embedder is measured."""

BATCH = 32
"""Records that are embedded between two looks at the clock."""

UNSAVED = 32
"""Records whose vectors are held in memory before they are written."""

_AT_ONCE = 4096
_FEW = 256
"""Passages that are measured together: their vectors are still at hand then."""

_NONE = -1
_RECORDS = ("BeliefStated", "PromiseMade", "LoopOpened")


class Everyday(NamedTuple):
    """The vectors of the everyday sentences: what was said, and what belongs to each."""

    said: Floats
    answered: Floats
    all: Floats


@dataclass(slots=True)
class Vectors:
    """The vectors of one relationship by one embedder, as this process sees them.

    An entry is one record: its number, and the first row of its pieces. `entry` is by record number.
    """

    stream: Stream
    embedder: Embedder
    of_others: frozenset[int] = frozenset()
    entry: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    first: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    matrix: Floats = field(default_factory=lambda: np.empty((0, 0), np.float32))
    entries: int = 0
    rows: int = 0
    _unsaved: dict[int, Row] = field(default_factory=dict)
    _wordless: set[int] = field(default_factory=set)
    _dims: int = 0
    _erased: int = 0
    _loaded: bool = False
    _layout: tuple[Corpus, int, int, Layout] | None = None

    def catch_up(self) -> None:
        """Take in what is kept, and forget what was erased. Needs `reading`."""
        history = self.stream.history
        self.entry = _grown(self.entry, len(history), _NONE)
        if not self._loaded:
            self._loaded = True
            self._dims = everyday_of(self.embedder).said.shape[1]
            self.matrix = np.empty((0, self._dims), np.float32)
            self.of_others = kept(self.stream, self.embedder.model).of_others
            if has_table(self.stream):
                self._take(read_rows(self.stream, self.embedder.model))
        if self._erased != len(history.erased):
            self._erased = len(history.erased)
            self._forget(history.erased)

    def missing(self, branch: int) -> list[int]:
        """What stands on a branch and has no vector here yet, the newest first. Needs `reading`,
        with the corpus caught up."""
        self.catch_up()
        missing = self._without(branch)
        if missing and has_table(self.stream):
            # Another process may have made them.
            self._take(read_rows(self.stream, self.embedder.model, missing))
            missing = self._without(branch)
        return missing

    def _without(self, branch: int) -> list[int]:
        stream = self.stream
        corpus, standing = corpus_of(stream, branch, index_of(stream)), stream.standing(branch)
        wanted = np.array(corpus.numbers, np.int64)
        found: list[int] = wanted[self.entry[wanted] == _NONE].tolist()
        for kind in _RECORDS:
            for number in stream.history.all(kind):
                if self.entry[number] == _NONE and number in standing:
                    found.append(number)
        return sorted(set(found) - self._wordless, reverse=True)

    def worded(self, numbers: Sequence[int]) -> dict[int, list[str]]:
        """What records say, in pieces. Needs `reading`."""
        kinds = self.stream.history.kind
        found = {}
        payloads = self.stream.payloads(sorted(numbers), checked=False)
        for number in numbers:
            try:
                words = words_of(KINDS[kinds[number]], payloads[number]) or ""
            except (KeyError, TypeError):
                words = ""  # not there, or not what it should be, which `verify` says
            if parts := pieces(words):
                found[number] = parts
            else:
                self._wordless.add(number)
        return found

    def add(self, rows: Iterable[Row]) -> None:
        """Take in new vectors, which are not kept yet. Needs `reading` or `writing`."""
        self.catch_up()
        gone = self.stream.history.erased
        new = [row for row in rows if row.number not in gone and self.entry[row.number] == _NONE]
        self._take(new)
        if not self.stream.log.read_only and self.stream.log.keeps_plain_words:
            self._unsaved.update((row.number, row) for row in new)

    @property
    def unsaved(self) -> int:
        """How many records' vectors are held in memory and could be kept."""
        return len(self._unsaved)

    def save(self) -> None:
        """Keep what is in memory only. Needs `writing`."""
        self.catch_up()
        if self._unsaved:
            write_rows(self.stream, self.embedder.model, self._unsaved.values())
            self._unsaved.clear()

    def near(self, query: Floats, corpus: Corpus) -> Near | None:
        """How near everything is to a query. Needs `reading`, caught up; None where nothing is there."""
        if not self.entries:
            return None
        cosines = self.matrix[: self.rows] @ query
        if self.rows != self.entries:
            cosines = np.maximum.reduceat(cosines, self.first[: self.entries])
        known = cosines[self.numbers[: self.entries] != _NONE] if self._erased else cosines
        everyday = everyday_of(self.embedder).all @ query
        chance = round(ALONE * sqrt(2 * log(max(2, len(known)))))
        layout = self._laid_out(corpus)
        own, near = layout.near(cosines)
        there = np.delete(near, layout.without) if len(layout.without) else near
        mean, deviation = _spread(known, everyday)
        for scores, spread in ((own, (mean, deviation)), (near, _spread(there, everyday))):
            scores -= spread[0]
            scores *= 100 / spread[1]
            np.rint(scores, out=scores)
            scores -= layout.less
        cosines -= mean
        cosines /= deviation
        return Near(self, cosines, near, np.maximum(own, near) >= chance, chance, layout.trust)

    def _laid_out(self, corpus: Corpus) -> Layout:
        """How the vectors lie along a branch, made anew where that has changed."""
        made_of = corpus, corpus.changes, self.entries
        if self._layout is None or self._layout[:3] != made_of:
            before = None if self._layout is None else self._layout[3]
            self._layout = *made_of, Layout.of(self, corpus, before)
        return self._layout[3]

    def _take(self, rows: Iterable[Row]) -> None:
        """Put rows into memory. One that is damaged is passed over, and made anew."""
        several = iter(rows)
        while chunk := list(islice(several, _AT_ONCE)):
            some = [row for row in chunk if self._fits(row)]
            counts = np.array([row.pieces for row in some], np.int64)
            found = np.frombuffer(b"".join(row.data for row in some), np.int8)
            found = found.reshape(-1, self._dims)
            entries, rows_now = self.entries + len(some), self.rows + len(found)
            self.matrix = _grown(self.matrix, rows_now, 0)
            self.numbers = _grown(self.numbers, entries, _NONE)
            self.first = _grown(self.first, entries, 0)
            self.matrix[self.rows : rows_now] = unit(found.astype(np.float32))
            self.numbers[self.entries : entries] = [row.number for row in some]
            self.first[self.entries : entries] = self.rows + np.cumsum(counts) - counts
            self.entry[self.numbers[self.entries : entries]] = np.arange(self.entries, entries)
            self.entries, self.rows = entries, rows_now

    def _fits(self, row: Row) -> bool:
        """Whether a row is as it should be, of the embedder's length, and new."""
        number, count, data = row
        if not 0 <= number < len(self.entry) or self.entry[number] != _NONE or count < 1:
            return False
        return len(data) == count * self._dims

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._unsaved.pop(number, None)
            place = int(self.entry[number])
            if place != _NONE:
                last = self.first[place + 1] if place + 1 < self.entries else self.rows
                self.matrix[self.first[place] : last] = 0
                self.numbers[place] = self.entry[number] = _NONE


class Beside(NamedTuple):
    """What texts so many places apart count with each other, by place of the earlier one: the earlier
    one in the passage around the later (`after`), and the later in that of the earlier (`before`)."""

    distance: int
    after: Floats
    before: Floats

    def part(self, start: int, many: int) -> Beside:
        """The same of so many places from one on."""
        some = slice(start, start + many - self.distance)
        return Beside(self.distance, self.after[some], self.before[some])


@dataclass(slots=True)
class Layout:
    """How the vectors lie along a branch. By place: `entry`, the `weight` of a text, what is taken off its
    deviation (`less`), and the `length` of the vector of the passage around it; `without` are the places
    that have no vector, `beside` is what neighbours count. `trust` is how far the embedder is trusted
    there, in 1/10000.
    """

    entry: NDArray[np.int64]
    without: NDArray[np.int64]
    weight: Floats
    less: Floats
    beside: list[Beside]
    length: Floats
    trust: int

    @classmethod
    def of(cls, vectors: Vectors, corpus: Corpus, earlier: Layout | None) -> Layout:
        """The layout along a corpus; of an earlier one is taken over what is still so."""
        entry = vectors.entry[np.array(corpus.numbers, np.int64)].astype(np.int64)
        without = np.flatnonzero(entry == _NONE)
        stretch = np.array(corpus.stretch, np.int64)
        asking = np.frombuffer(bytes(corpus.asking), np.bool_)
        weight = np.maximum(1, np.array(corpus.length, np.float32))
        weight[without] = 0
        less = asking * np.float32(_ASKS)
        less[without] = 1 << 20  # what has no vector is not near
        beside = []
        for distance, part in _REACH:
            before = (stretch[distance:] == stretch[:-distance]) * np.float32(part)
            after = (
                np.where(asking[:-1], before / part * _ANSWERS, before) if distance == 1 else before
            )
            beside.append(Beside(distance, after.astype(np.float32), before))
        trust = _trust(vectors, entry, beside[0].before > 0)
        length = np.empty(len(entry), np.float32)
        found = cls(entry, without, weight, less, beside, length, trust)
        found._measure(vectors, 0 if earlier is None else found._take_over(earlier))
        return found

    def _take_over(self, earlier: Layout) -> int:
        """Take over the lengths of the passages that are as they were; the place of the first other."""
        many = min(len(self.entry), len(earlier.entry))
        for ours, theirs in zip(self._made_of(), earlier._made_of(), strict=True):
            both = min(len(ours), len(theirs), many)
            differ = np.flatnonzero(ours[:both] != theirs[:both])
            many = int(differ[0]) if len(differ) else both
        many = max(0, many - _REACH[-1][0])
        self.length[:many] = earlier.length[:many]
        return many

    def _made_of(self) -> list[NDArray[Any]]:
        parts = [part for one in self.beside for part in (one.after, one.before)]
        return [self.entry, self.weight, *parts]

    def _measure(self, vectors: Vectors, start: int) -> None:
        """The lengths of the passages from a place on, some at a time, as vectors take much room."""
        reach = _REACH[-1][0]
        for place in range(start, len(self.entry), _FEW):
            first = max(0, place - reach)
            entry = self.entry[first : place + _FEW + reach]
            rows = vectors.matrix[vectors.first[entry]].T * self.weight[first : first + len(entry)]
            passages = _passages(rows, [one.part(first, len(entry)) for one in self.beside])
            lengths = np.sqrt(np.einsum("ij,ij->j", passages, passages))[place - first :][:_FEW]
            self.length[place : place + _FEW] = np.maximum(lengths, np.float32(1e-9))

    def near(self, cosines: Floats) -> tuple[Floats, Floats]:
        """The cosines of texts by themselves and of the passages around them, by place."""
        own = cosines.take(self.entry, mode="wrap")  # any other mode copies once more
        if len(self.without):
            own[self.without] = 0
        passages = _passages(own * self.weight, self.beside)
        passages /= self.length
        return own, passages


def _passages(each: Floats, beside: Sequence[Beside]) -> Floats:
    """What stands at each place, with what its neighbours count; places are along the last axis."""
    total = each.copy()
    for distance, after, before in beside:
        total[..., distance:] += after * each[..., :-distance]
        total[..., :-distance] += before * each[..., distance:]
    return total


def _trust(vectors: Vectors, entry: NDArray[np.int64], beside: NDArray[np.bool_]) -> int:
    """How far an embedder is trusted along a branch, in 1/10000. `beside` says of each place but the
    last whether the next one is in the same stretch."""
    everyday = everyday_of(vectors.embedder)
    places = np.flatnonzero((entry[:-1] != _NONE) & (entry[1:] != _NONE) & beside)
    places = places[:: max(1, len(places) // _SAMPLE)]
    before = vectors.matrix[vectors.first[entry[places]]]
    after = vectors.matrix[vectors.first[entry[places + 1]]]
    # What knows one of the two languages only is trusted once there is enough of its own.
    half = len(everyday.said) // 2
    either = min(
        _telling(everyday.said[some], everyday.answered[some], 1)
        for some in (slice(half), slice(half, None))
    )
    told = _telling(before, after, len(places) // 2) if len(places) > 1 else 0.0
    right = (either * half + told * len(places)) / (half + len(places))
    share = (right - UNTRUSTED) / (TRUSTED - UNTRUSTED)
    return round(10_000 * min(1.0, max(0.0, share)))


@dataclass(slots=True)
class Near:
    """How near what stands on a branch is to a query. `trust` is in 1/10000."""

    vectors: Vectors
    _scores: Floats
    _places: Floats
    _alone: NDArray[np.bool_]
    _chance: int
    trust: int

    def best(self, most: int) -> list[int]:
        """The places of the nearest texts, the nearest first, of equals the older one; none where the
        embedder is not trusted."""
        if not self.trust or not most:
            return []
        near, least = self._places, 1.0
        if (rest := len(near) - most) > 0:
            ranked = near.copy()
            ranked.partition(rest)
            least = max(least, ranked.item(rest))
        (found,) = (near >= least).nonzero()
        best: list[int] = found[(-near[found]).argsort(kind="stable")[:most]].tolist()
        return best

    def text(self, place: int, named: bool) -> tuple[int, bool]:
        """What meaning adds to the share of a text, in 1/10000; whether it is a hit by that alone."""
        score = int(self._places.item(place))
        return self._share(score + NAMED * named), self.trust > 0 and bool(self._alone[place])

    def record(self, number: int) -> tuple[int, bool]:
        """The same two of a record that is no text."""
        entry = self.vectors.entry[number]
        score = 0 if entry == _NONE else round(100 * float(self._scores[entry]))
        return self._share(score), self.trust > 0 and score >= self._chance

    def _share(self, score: int) -> int:
        return max(0, score) * WEIGHT * self.trust // (100 * 10_000)


@dataclass(slots=True)
class Asked:
    """A query as an embedder sees it. `vector` is None where it did not come in time."""

    vectors: Vectors
    vector: Floats | None

    def missing(self, branch: int) -> tuple[int, int]:
        """How much on a branch has no vector yet, and how much one of another model. Needs `reading`,
        with the corpus caught up. Without the query's vector it might as well have none."""
        if self.vector is None:
            stream = self.vectors.stream
            return len(corpus_of(stream, branch, index_of(stream))), 0
        missing = self.vectors.missing(branch)
        others = len(self.vectors.of_others.intersection(missing))
        return len(missing) - others, others

    def near(self, corpus: Corpus) -> Near | None:
        """How near everything is; None where that is not known. Needs `reading`, caught up."""
        return None if self.vector is None else self.vectors.near(self.vector, corpus)


def vectors_of(stream: Stream, embedder: Embedder) -> Vectors:
    """The vectors of a relationship that this process keeps."""
    key = kept_key(embedder.model)
    found = stream.kept.get(key)
    if found is None or found.embedder is not embedder:
        found = stream.kept[key] = Vectors(stream, embedder)
    return cast(Vectors, found)


def take_in(
    stream: Stream,
    branch: int,
    embedder: Embedder,
    *,
    most: int | None = None,
    keep: bool = False,
    left: Left = lambda: inf,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Embed what stands on a branch and has no vector yet, the newest first. Not within `reading`.

    At most so many records, and only as long as there is time. What has a vector of another model is
    left as it is. Some are held in memory before they are written; with `keep`, all are written.
    Returns how many are left.
    """
    everyday_of(embedder)  # before anything is read: nobody waits for an embedder
    with stream.reading():
        index = index_of(stream)
        if index.catch_up(lambda: left() <= 0):
            return 0  # of what is not read yet, it is not known whether it is kept from the model
        corpus_of(stream, branch, index).catch_up()
        vectors = vectors_of(stream, embedder)
        wanted = [n for n in vectors.missing(branch) if n not in vectors.of_others]
    done, goal = 0, len(wanted) if most is None else min(most, len(wanted))
    while True:
        progress(done, goal)
        if done >= goal or left() <= 0:
            break
        some = wanted[done : min(done + BATCH, goal)]
        with stream.reading():
            # What was rolled back meanwhile is not there.
            batch = vectors_of(stream, embedder).worded(
                [n for n in some if n < len(stream.history)]
            )
        found = _made_of(embedder, batch, left())
        if found is None:
            break
        with stream.reading():
            vectors = vectors_of(stream, embedder)
            vectors.add(found)
        done += len(some)
        if vectors.unsaved >= UNSAVED:
            _save(stream, embedder)
    if keep and vectors.unsaved:
        _save(stream, embedder)
    return len(wanted) - done


def _made_of(embedder: Embedder, batch: dict[int, list[str]], left: float) -> list[Row] | None:
    parts = [part for each in batch.values() for part in each]
    return [] if not parts else in_time(lambda: _rows(batch, _embedded(embedder, parts)), left)


def _save(stream: Stream, embedder: Embedder) -> None:
    with stream.writing():
        vectors_of(stream, embedder).save()


def in_time(run: Callable[[], T], left: float) -> T | None:
    """What a function answers; None where it has not within so many seconds. It goes on then, and
    nobody waits for it."""
    if left == inf:
        return run()
    if left <= 0:
        return None
    found: list[T] = []
    failed: list[Exception] = []

    def answer() -> None:
        try:
            found.append(run())
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            failed.append(error)

    thread = Thread(target=answer, daemon=True)
    thread.start()
    thread.join(left)
    if failed:
        raise failed[0]
    return found[0] if found else None


def asked(
    stream: Stream, branch: int, embedder: Embedder, query: str, most: int, left: Left
) -> Asked:
    """A query as an embedder sees it, with up to so many records embedded first that have no vector
    yet. Not within `reading`. Half of the time that is left is for the search by words. An embedder
    that fails is as one that does not come in time.
    """
    vector = None
    kept_back = left() / 2 if left() < inf else 0.0
    with stream.reading():
        names = list(index_of(stream).names)
    try:
        vector = _vector_of(embedder, bare(query, names), left() - kept_back)
        if vector is not None:
            take_in(stream, branch, embedder, most=most, left=lambda: left() - kept_back)
    except EmbedderFailed:
        pass
    return Asked(vectors_of(stream, embedder), vector)


def _vector_of(embedder: Embedder, query: str, left: float) -> Floats | None:
    def run() -> Floats:
        everyday_of(embedder)  # so that the search itself waits for no embedder
        return cast(Floats, _embedded(embedder, [query])[0])

    return in_time(run, left)


@lru_cache(maxsize=8)
def everyday_of(embedder: Embedder) -> Everyday:
    """The everyday sentences as an embedder sees them."""
    table = files("enishi.projections.recall").joinpath("everyday.tsv").read_text("utf-8")
    pairs = [line.split("\t") for line in table.splitlines()]
    found = _embedded(embedder, [said for said, _ in pairs] + [told for _, told in pairs])
    return Everyday(found[: len(pairs)], found[len(pairs) :], found)


def bare(query: str, names: Iterable[str]) -> str:
    """A query without the names of those who speak: of whom it is about, the search knows."""
    rest = query
    for name in names:
        for part in sorted(name_terms(name)):
            if part.isascii():
                rest = re.sub(
                    rf"(?i)(?<![a-z0-9]){re.escape(part)}(?:['’]s)?(?![a-z0-9])", " ", rest
                )
            else:
                rest = rest.replace(part, " ")
    rest = " ".join(rest.split())
    return rest if folded(rest).strip(" ?？!！.。,，") else query


def unit(vectors: Floats) -> Floats:
    """Vectors of length 1, where they have any."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return cast(Floats, vectors / np.maximum(lengths, np.float32(1e-9)))


def _embedded(embedder: Embedder, texts: list[str]) -> Floats:
    try:
        found = np.asarray(embedded(embedder, texts), np.float32)
        if found.ndim == 2 and found.shape[1] and np.isfinite(found).all():
            return unit(found)
    except (ValueError, TypeError):
        pass
    raise EmbedderFailed(
        f"the embedder {embedder.model!r} answered with something else than one vector of numbers,"
        " all of one length, for each text"
    )


def _rows(batch: dict[int, list[str]], found: Floats) -> list[Row]:
    """The vectors of a batch as they are kept: one byte a dimension, the longest 127."""
    most = np.maximum(np.abs(found).max(axis=-1, keepdims=True, initial=0), np.float32(1e-9))
    small = np.rint(found / most * 127).astype(np.int8)
    rows, start = [], 0
    for number, parts in batch.items():
        rows.append(Row(number, len(parts), small[start : start + len(parts)].tobytes()))
        start += len(parts)
    return rows


def _telling(before: Floats, after: Floats, shift: int) -> float:
    """How often what belongs together is nearer than what stands so many places further."""
    together = (before * after).sum(axis=1)
    apart = np.sort((before * np.roll(after, shift, axis=0)).sum(axis=1))
    below = np.searchsorted(apart, together, "left") + np.searchsorted(apart, together, "right")
    return float(below.mean()) / (2 * len(apart))


def _spread(*samples: Floats) -> tuple[float, float]:
    """The mean and the standard deviation of some cosines, the latter never 0."""
    many = sum(map(len, samples))
    mean = sum([float(np.add.reduce(one)) for one in samples]) / many
    square = sum([float(one.dot(one)) for one in samples]) / many - mean * mean
    return mean, max(square, 1e-12) ** 0.5


def _grown(array: Any, size: int, filling: int) -> Any:
    """The same array with room for so many rows at least."""
    if len(array) >= size:
        return array
    more = np.full((max(size, 2 * len(array), 64), *array.shape[1:]), filling, array.dtype)
    more[: len(array)] = array
    return more
