"""Lexical search: BM25 over each text with its neighbours, and over the stretch around it.

For a query term t and a text d, with n texts on the branch of which df have t,

    idf = log2((2n + 2) / (2df + 1))
    tf  = 4 own + before + after, where `own` is how often t stands in d itself (half, if d ends with
          a question), and the texts one and two places away in the same stretch count 2 and 1 for
          each time; where the text right before asks a question, 3
    len = the terms of d and of those neighbours, weighted alike

    near(d)    = sum of w(t) idf tf (k1 + 1) / (tf + 4 k1 (1 - b + b len / mean len))
    stretch(d) = sum of w(t) idf' f (k + 1) / (f + k), f and idf' over the whole stretch
    relevance  = near (twice, if d was said by somebody whom the query names) + stretch

with k1 = 1.2, b = 0.3, k = 1. Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
and Beyond", 2009. Whole numbers only: idf in 1/10000, so that an order is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest

from enishi.projections.recall.corpus import NOWHERE, Corpus
from enishi.projections.recall.index import VOICE, Index, unpacked
from enishi.projections.recall.words import WHOLE, Split

OWN = 4
"""What a term counts in the text itself; its neighbours count less."""

_AROUND = ((1, 2), (2, 1))
_ANSWERS = 3
_TELLING = 3
"""So many terms a text has at least that is found by its neighbours alone, or else it answers a
question: "I see" says nothing of what was said before it."""

_K1, _B, _K = 12, 3, 1  # the first two in tenths
ONE = 10_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that a query finds. `place` is that of a text, NOWHERE for any other record.

    `relevance` is as above; `share` is that of what a text would have in which every term of the query
    stands once, in 1/10000, and more where it stands more often or was said by somebody named. `own`
    are the terms that stand in it itself.
    """

    number: int
    place: int
    relevance: int
    share: int
    own: tuple[str, ...]


@dataclass(slots=True)
class Found:
    """What of a query stands where: for each term its idf, and its counts by record number."""

    corpus: Corpus
    weights: dict[str, int]
    idf: dict[str, int] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    stretches: dict[int, int] = field(default_factory=dict)
    named: set[int] = field(default_factory=set)

    @property
    def mass(self) -> int:
        """The idf of all terms together, by their weights."""
        return sum(self.idf[term] * weight for term, weight in self.weights.items()) // WHOLE

    @property
    def unknown(self) -> tuple[str, ...]:
        """The terms that stand nowhere."""
        return tuple(term for term, counts in self.counts.items() if not counts)

    def share(self, relevance: int) -> int:
        """A relevance as a share of the mass, in 1/10000."""
        return ONE * relevance // max(1, self.mass)


def look_up(corpus: Corpus, index: Index, query: Split) -> Found:
    """Where the terms of a query stand. Needs `reading`, with index and corpus caught up."""
    postings = index.postings([*query.words, *(VOICE + name for name in query.names)])
    place = corpus.place
    named: set[int] = set()
    spoken: set[str] = set()
    for name, parts in query.names.items():
        said = {n for n, _ in unpacked(postings[VOICE + name]) if place[n] != NOWHERE}
        if said:
            named |= said
            spoken |= parts
    weights = {term: weight for term, weight in query.words.items() if term not in spoken}
    found = Found(corpus, weights, named=named)
    many = len(corpus.starts)
    for term, weight in weights.items():
        counts = dict(unpacked(postings[term]))
        within: dict[int, int] = {}
        seen = 0
        for number, count in counts.items():
            at = place[number]
            if at != NOWHERE:
                seen += 1
                stretch = corpus.stretch[at]
                within[stretch] = within.get(stretch, 0) + count
        found.counts[term] = counts
        found.idf[term] = rarity(len(corpus), seen)
        rare = rarity(many, len(within))
        for stretch, f in within.items():
            share = weight * rare * f * (_K + 1) // ((f + _K) * WHOLE)
            found.stretches[stretch] = found.stretches.get(stretch, 0) + share
    return found


def search_texts(found: Found, most: int) -> list[Hit]:
    """The texts that a query finds, the most relevant first, the older one among equals."""
    corpus = found.corpus
    scores: dict[int, int] = {}
    norm: dict[int, int] = {}
    mean = max(1, corpus.total * _weight_of_all() // max(1, len(corpus)))
    for term, counts in found.counts.items():
        around = _around(corpus, counts)
        factor = found.weights[term] * found.idf[term]
        for place, tf in around.items():
            if place not in norm:
                norm[place] = _norm(corpus, place, mean)
            gain = factor * tf * (10 + _K1) // ((10 * tf + norm[place]) * WHOLE)
            scores[place] = scores.get(place, 0) + gain
    for place in scores:
        if corpus.numbers[place] in found.named:
            scores[place] *= 2
        scores[place] += found.stretches.get(corpus.stretch[place], 0)
    best = nlargest(2 * most, scores, key=lambda place: (scores[place], -place))
    hits = []
    for place in best:
        number, score = corpus.numbers[place], scores[place]
        own = tuple(term for term, counts in found.counts.items() if number in counts)
        if own or corpus.length[place] >= _TELLING or (place and corpus.asking[place - 1]):
            hits.append(Hit(number, place, score, found.share(score), own))
    return hits[:most]


def search_records(
    found: Found, index: Index, records: Iterable[int], cited: Mapping[int, Sequence[int]]
) -> list[Hit]:
    """Which of these records, none of them a text, a query finds; the most relevant first.

    `cited` are the texts that each rests on: the stretch of the latest one counts with it.
    """
    numbers = list(records)
    wanted = set(numbers)
    length = index.length
    mean = max(1, OWN * sum(length[n] for n in numbers) // max(1, len(numbers)))
    scores: dict[int, int] = {}
    own: dict[int, list[str]] = {}
    for term, counts in found.counts.items():
        factor = found.weights[term] * found.idf[term]
        for number, count in counts.items() if len(counts) < len(wanted) else (
            (n, counts[n]) for n in numbers if n in counts
        ):  # fmt: skip
            if number not in wanted:
                continue
            tf = OWN * count
            norm = OWN * _K1 * (10 - _B + _B * OWN * length[number] // mean) // 10
            scores[number] = scores.get(number, 0) + factor * tf * (10 + _K1) // (
                (10 * tf + norm) * WHOLE
            )
            own.setdefault(number, []).append(term)
    hits = []
    for number, score in scores.items():
        relevance = score + _stretch_of(found, cited.get(number, ()))
        hits.append(Hit(number, NOWHERE, relevance, found.share(relevance), tuple(own[number])))
    return sorted(hits, key=lambda hit: (-hit.relevance, hit.number))


def _stretch_of(found: Found, texts: Sequence[int]) -> int:
    corpus = found.corpus
    places = [corpus.place[text] for text in texts if corpus.place[text] != NOWHERE]
    return found.stretches.get(corpus.stretch[max(places)], 0) if places else 0


def _around(corpus: Corpus, counts: dict[int, int]) -> dict[int, int]:
    """How often a term stands in and beside each text, in quarters, by place."""
    place_of, stretch, asking = corpus.place, corpus.stretch, corpus.asking
    last = len(corpus) - 1
    tf: dict[int, int] = {}
    for number, count in counts.items():
        place = place_of[number]
        if place == NOWHERE:
            continue
        asked = asking[place]
        tf[place] = tf.get(place, 0) + (count * OWN >> 1 if asked else count * OWN)
        here = stretch[place]
        for distance, weight in _AROUND:
            before, after = place - distance, place + distance
            if before >= 0 and stretch[before] == here:
                tf[before] = tf.get(before, 0) + count * weight
            if after <= last and stretch[after] == here:
                if asked and distance == 1:
                    weight = _ANSWERS
                tf[after] = tf.get(after, 0) + count * weight
    return tf


def _norm(corpus: Corpus, place: int, mean: int) -> int:
    """What stands in the denominator besides tf, in tenths."""
    length, stretch = corpus.length, corpus.stretch
    here, last = stretch[place], len(corpus) - 1
    total = OWN * length[place]
    for distance, weight in _AROUND:
        for other in (place - distance, place + distance):
            if 0 <= other <= last and stretch[other] == here:
                total += weight * length[other]
    return OWN * _K1 * (10 * mean - _B * mean + _B * total) // (10 * mean)


def _weight_of_all() -> int:
    return OWN + 2 * sum(weight for _, weight in _AROUND)


@lru_cache(maxsize=4096)
def rarity(all_of_them: int, those: int) -> int:
    """log2((2n + 2) / (2df + 1)) in 1/10000, never below 0."""
    return max(0, log2(2 * all_of_them + 2, 2 * those + 1))


def log2(above: int, below: int) -> int:
    """The logarithm of a ratio in 1/10000, cut to 14 binary places."""
    scaled = (above << 64) // below
    whole = scaled.bit_length() - 65
    mantissa = scaled >> (whole + 32) if whole > -32 else scaled << -(whole + 32)
    places = 0
    for _ in range(14):
        mantissa = mantissa * mantissa >> 32
        places <<= 1
        if mantissa >> 33:
            mantissa >>= 1
            places |= 1
    return whole * ONE + (places * ONE >> 14)
