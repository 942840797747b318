"""Lexical search: BM25 over each text with its neighbours, and over the stretch around it.

For a query term t and a text d, with n texts on the branch of which df have t,

    idf = log2((2n + 2) / (2df + 1))
    tf  = own + lean around, where `own` is how often t stands in d itself (half, if d ends with a
          question), and `around` how often in the texts one and two places away in the same stretch,
          which count 1/2 and 1/4 (where the text right before asks a question, 3/4); `lean` is 1 for
          a text of up to 32 terms, and 32 / terms for a longer one
    len = the terms of d and of those neighbours, weighted alike

    near(d)    = sum of w(t) idf tf (k1 + 1) / (tf + k1 (1 - b + b len / mean len + long))
    stretch(d) = sum of w(t) idf' f (k + 1) / (f + k), f and idf' over the whole stretch
    relevance  = near (twice, if d was said by somebody whom the query names) + stretch

with k1 = 1.2, b = 0.3, k = 1; `long` is 0 for a text of up to 256 terms, and 3 for each 256 more; w(t) is 1, 1/2 for words that say little by themselves, and 1/4 for
a single Chinese character of several and for a pair with a character that stands anywhere. Chinese,
Japanese and Korean terms overlap, each character being in two pairs: in a stretch, and where the mass
of a query is counted, they count half. Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
and Beyond", 2009. Whole numbers only, idf in 1/10000, so that the
order is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple, Protocol

from enishi.projections.recall.corpus import NOWHERE, OWN, REACH, SHORT, Corpus, lean
from enishi.projections.recall.index import COUNT_BITS, MOST, Index
from enishi.projections.recall.words import WHOLE, Split, is_wide, name_terms

_ANSWERS = 48
"""What a term of a question counts in the text right after it."""

_STEPS = range(-REACH[-1][0], REACH[-1][0] + 1)
_FROM_TELLING = [(step, dict(REACH)[abs(step)]) for step in _STEPS if step]
_FROM_ASKING = [(step, _ANSWERS if step == 1 else weight) for step, weight in _FROM_TELLING]
"""From where a term stands, what it counts so many texts further on."""

COMMON = 4
"""What stands in more than one of so many texts, or is one character of several, tells nothing of
the texts beside it; and a text in which nothing but one such character stands is no hit."""

LONG = 256
"""A text of more terms speaks of many things: its terms count less, the more so the longer it is."""

_LONG_TELLS = 3

POOL = 2
"""So many times the texts that are wanted are looked at together with their neighbours."""

_TELLING = 3
"""So many terms a text has at least that is found by its neighbours alone, or else it answers a
question: "I see" says nothing of what was said before it."""

_FEW = 2_000
"""So many scores are sorted sooner than looked through for the highest."""

_NOTHING = 0, False
_K1, _B, _K = 12, 3, 1  # the first two in tenths
ONE = 10_000


class Hit(NamedTuple):
    """A record that a query finds. `place` is that of a text, NOWHERE for any other record.

    `relevance` is as above; `share` is that of what a text would have in which every term of the query
    stands once, in 1/10000, and more where it stands more often or was said by somebody named. `own`
    are the terms that stand in it itself. `meaning` is what its nearness in meaning adds to the share;
    it is in the relevance, and in the share where it makes a hit `alone`.
    """

    number: int
    place: int
    relevance: int
    share: int
    own: tuple[str, ...]
    meaning: int = 0
    alone: bool = False


class Near(Protocol):
    """How near everything is to a query in meaning: see `meaning`."""

    def best(self, most: int) -> list[int]:
        """The places of the nearest texts, the nearest first."""

    def text(self, place: int, named: bool) -> tuple[int, bool]:
        """What meaning adds to the share of a text, in 1/10000; whether it is a hit by that alone."""

    def record(self, number: int) -> tuple[int, bool]:
        """The same of a record that is no text."""


@dataclass(slots=True)
class Found:
    """What of a query stands where. For each term: its idf, how often it stands in each text by place
    (`within`), and in each other record by number (`others`). `named` are the voices that it names,
    `mass` is the worth of all terms together.
    """

    corpus: Corpus
    weights: dict[str, int]
    named: frozenset[int]
    near: Near | None = None
    idf: dict[str, int] = field(default_factory=dict)
    within: dict[str, dict[int, int]] = field(default_factory=dict)
    others: dict[str, dict[int, int]] = field(default_factory=dict)
    stretches: dict[int, int] = field(default_factory=dict)
    mass: int = 0

    def worth(self, terms: Iterable[str]) -> int:
        """The idf of these terms by their weights, once for each character of a text without spaces."""
        parts = (self.idf[t] * self.weights[t] * (1 if is_wide(t) else 2) for t in terms)
        return sum(parts) // (2 * WHOLE)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The terms that stand nowhere."""
        return tuple(t for t in self.weights if not self.within[t] and not self.others[t])

    def share(self, relevance: int) -> int:
        """A relevance as a share of the mass, in 1/10000."""
        return ONE * relevance // max(1, self.mass)

    def hit(
        self, number: int, place: int, score: int, own: tuple[str, ...], meaning: tuple[int, bool]
    ) -> Hit:
        """A hit of what words and meaning say of it."""
        gained, alone = meaning
        share = self.share(score) + gained * alone
        return Hit(number, place, score + self.mass * gained // ONE, share, own, gained, alone)

    def is_named(self, place: int) -> bool:
        """Whether a text was said by somebody whom the query names."""
        return (
            bool(self.named) and self.corpus.index.voice[self.corpus.numbers[place]] in self.named
        )


def look_up(corpus: Corpus, index: Index, query: Split, near: Near | None = None) -> Found:
    """Where the terms of a query stand. Needs `reading`, with index and corpus caught up."""
    named, spoken = _named(corpus, index, query)
    weights = {term: weight for term, weight in query.words.items() if term not in spoken}
    weights = weights or dict(query.words)  # who asks for a name alone asks for the name
    found = Found(corpus, weights, named, near)
    place_of, stretch_of = corpus.place, corpus.stretch
    standing, many = corpus.standing, len(corpus.starts)
    for term, postings in index.postings(weights).items():
        within: dict[int, int] = {}
        others: dict[int, int] = {}
        stretches: dict[int, int] = {}
        for base, packed in postings:
            for one in packed:
                number, count = base + (one >> COUNT_BITS), one & MOST
                place = place_of[number]
                if place != NOWHERE:
                    within[place] = count
                    stretch = stretch_of[place]
                    stretches[stretch] = stretches.get(stretch, 0) + count
                elif number in standing:
                    others[number] = count
        found.within[term], found.others[term] = within, others
        found.idf[term] = rarity(len(corpus), len(within))
        overlaps = 2 if is_wide(term) else 1
        factor = weights[term] * rarity(many, len(stretches)) * (_K + 1) // overlaps
        for stretch, f in stretches.items():
            share = factor * f // ((f + _K) * WHOLE)
            found.stretches[stretch] = found.stretches.get(stretch, 0) + share
    found.mass = found.worth(weights)
    return found


def _named(corpus: Corpus, index: Index, query: Split) -> tuple[frozenset[int], frozenset[str]]:
    """The voices that a query names, and the terms that it names them by."""
    voices: set[int] = set()
    spoken: set[str] = set()
    for voice, name in enumerate(index.names, start=1):
        if corpus.voices[voice] > 0:
            for part in name_terms(name) & query.names.keys():
                voices.add(voice)
                spoken |= query.names[part]
    return frozenset(voices), frozenset(spoken)


def search_texts(found: Found, most: int) -> list[Hit]:
    """The texts that a query finds, the most relevant first, the older one among equals.

    What is best by its own words and its stretch is looked at with its neighbours, and so is what is
    nearest in meaning.
    """
    corpus, near = found.corpus, found.near
    length, stretch, stretches = corpus.length, corpus.stretch, found.stretches
    rough: dict[int, int] = {}
    for term, within in found.within.items():
        factor = found.weights[term] * found.idf[term]
        counts = set(within.values())
        gains = {count: factor * count * 22 // ((10 * count + _K1) * WHOLE) for count in counts}
        for place, count in within.items():
            rough[place] = rough.get(place, 0) + gains[count]
    for place, score in rough.items():
        if length[place] > LONG:
            score = score * LONG // length[place]
        rough[place] = score + stretches[stretch[place]]
    pool = _best(rough, POOL * most)
    wanted = {place + step for place in pool for step in _STEPS}
    if near is None:
        scores = totals = _relevances(found, wanted)
        meant = {}
    else:
        wanted.update(near.best(POOL * most))
        scores = _relevances(found, wanted)
        meant = {place: near.text(place, found.is_named(place)) for place in scores}
        totals = {p: score + found.mass * meant[p][0] // ONE for p, score in scores.items()}
    hits: list[Hit] = []
    there = [(term, within) for term, within in found.within.items() if within]
    for place in _best(totals, POOL * most):
        if not totals[place] or len(hits) == most:
            break
        own = tuple([term for term, within in there if place in within])
        if len(own) == 1 and COMMON * found.weights[own[0]] <= WHOLE:
            continue
        if own or length[place] >= _TELLING or (place and corpus.asking[place - 1]):
            meaning = meant.get(place, _NOTHING)
            hits.append(found.hit(corpus.numbers[place], place, scores[place], own, meaning))
    return hits


def _best(scores: Mapping[int, int], most: int) -> list[int]:
    """The places with the highest scores, the first one of equals first."""
    if len(scores) < _FEW:
        return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:most]
    return [-n for _, n in nlargest(most, [(score, -n) for n, score in scores.items()])]


def _relevances(found: Found, places: Iterable[int]) -> dict[int, int]:
    """The relevance of the texts at these places, as far as there is one at each."""
    corpus = found.corpus
    asking, stretch, length, many = corpus.asking, corpus.stretch, corpus.length, len(corpus)
    mean = max(1, corpus.total // max(1, many))
    usual, each, around = OWN * _K1 * (10 - _B) * mean, OWN * _K1 * _B, corpus.around
    tens, longer, ten = 10 * mean, _LONG_TELLS * OWN * _K1, 10 * WHOLE
    norms = {
        near: WHOLE
        * (
            (usual + each * around[near]) // tens
            + (0 if length[near] <= LONG else longer * (length[near] - LONG) // LONG)
        )
        for near in places
        if 0 <= near < many
    }
    of_stretch = found.stretches.get
    scores = {place: of_stretch(stretch[place], 0) for place in norms}
    for term, within in found.within.items():
        weight = found.weights[term]
        factor = weight * found.idf[term] * (10 + _K1)
        if COMMON * len(within) > many or COMMON * weight <= WHOLE:
            counts = {n: (OWN >> asking[n]) * within[n] for n in norms.keys() & within.keys()}
        else:
            counts = _leaning(corpus, norms, within)
        for place, tf in counts.items():
            scores[place] += factor * tf // (ten * tf + norms[place])
    if found.named:
        for place, score in scores.items():
            if found.is_named(place):
                scores[place] = 2 * score - of_stretch(stretch[place], 0)
    return scores


def _leaning(
    corpus: Corpus, wanted: Mapping[int, int], within: Mapping[int, int]
) -> dict[int, int]:
    """How much of a term is in each of the wanted texts, with what stands near it in its stretch."""
    asking, stretch, length = corpus.asking, corpus.stretch, corpus.length
    counts: dict[int, int] = {}
    near: Iterable[int] = within
    if len(within) > 2 * len(wanted):
        near = {place + step for place in wanted for step in _STEPS} & within.keys()
    for place in near:
        count, here = within[place], stretch[place]
        if place in wanted:
            counts[place] = counts.get(place, 0) + (OWN >> asking[place]) * count
        for step, weight in _FROM_ASKING if asking[place] else _FROM_TELLING:
            other = place + step
            if other in wanted and stretch[other] == here:
                if length[other] > SHORT:
                    weight = lean(weight, length[other])
                counts[other] = counts.get(other, 0) + weight * count
    return counts


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
    for term, counts in found.others.items():
        factor = found.weights[term] * found.idf[term]
        for number, count in counts.items():
            if number in wanted:
                tf = OWN * count
                norm = OWN * _K1 * ((10 - _B) * mean + _B * OWN * length[number]) // (10 * mean)
                gain = factor * tf * (10 + _K1) // ((10 * tf + norm) * WHOLE)
                scores[number] = scores.get(number, 0) + gain
                own.setdefault(number, []).append(term)
    near = {} if found.near is None else {n: found.near.record(n) for n in numbers}
    hits = []
    for number in scores.keys() | {n for n, (_, alone) in near.items() if alone}:
        relevance = scores.get(number, 0) + _stretch_of(found, cited.get(number, ()))
        words, meaning = tuple(own.get(number, ())), near.get(number, _NOTHING)
        hits.append(found.hit(number, NOWHERE, relevance, words, meaning))
    return sorted(hits, key=lambda hit: (-hit.relevance, hit.number))


def _stretch_of(found: Found, texts: Sequence[int]) -> int:
    corpus = found.corpus
    places = [corpus.place[text] for text in texts if corpus.place[text] != NOWHERE]
    return found.stretches.get(corpus.stretch[max(places)], 0) if places else 0


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
