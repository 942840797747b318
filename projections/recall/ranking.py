"""Ranking: relevance decides, value shades it, and what is too weak is no hit.

    recency     = floor + (1 - floor) 2^(-age / (half-life (1 + reinforcement references)))
    specificity = 1/4 for each name, number and date in it, 1 at most
    intensity   = how strong the feeling was with which it was said: 0, 0.6 or 1
    references  = 1/4 for each later turn that speaks of it, and each reply that made use of it
    value       = the four by their weights
    total       = relevance authority (1 + shade value)

It is a hit if its relevance, as a share of what a text would have in which every term of the query
stands once, reaches the threshold of its kind. That rises with fading: threshold (1 + fading (1 -
max(recency, intensity, references))).

All of it in whole numbers of 1/10000; the numbers are the policy's. Reading changes none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from enishi.kernel.fold import State, fold_of
from enishi.kernel.moments import MINUTE, Moment
from enishi.kernel.stream import Stream
from enishi.projections.episodes import EPISODES
from enishi.projections.halving import POWER_BITS, halved
from enishi.projections.memory import MEMORY
from enishi.projections.policy import ONE, RecallNumbers
from enishi.projections.recall.items import Authority, Score
from enishi.projections.recall.search import Hit

Sort = Literal["text", "belief", "promise", "card"]
"""What the numbers of the policy differ by."""

_QUARTER = ONE // 4
_INTENSITY = {2: 6_000, 3: ONE}


@dataclass(slots=True)
class Marks:
    """What later events say of earlier ones: the weight of a feeling, how often spoken of, by number."""

    weight: dict[int, int] = field(default_factory=dict)
    references: dict[int, int] = field(default_factory=dict)


def marks_of(stream: Stream, branch: int) -> Marks:
    """The marks of a branch. Needs `reading`."""
    episodes, memory = (fold_of(stream, branch, one) for one in (EPISODES, MEMORY))
    states = episodes.state(), memory.state()
    key, made_of = ("marks", branch), (episodes.running, memory.running)
    kept = stream.kept.get(key)
    if kept is None or kept[0] != made_of:
        kept = stream.kept[key] = made_of, _marks(*states)
    marks: Marks = kept[1]
    return marks


def _marks(episodes: State, memory: State) -> Marks:
    marks = Marks()
    turn = episodes["turn"]
    for entry in [*episodes["episodes"], *([turn] if turn else [])]:
        for weight, _, text, _, _ in entry["peaks"]:
            marks.weight[text] = max(weight, marks.weight.get(text, 0))
        for _, text, _, _ in entry["cites"]:
            marks.references[text] = marks.references.get(text, 0) + 1
        for _, earlier in entry["speaks_of"]:
            marks.references[earlier] = marks.references.get(earlier, 0) + 1
    for number, count in memory["used"].items():
        marks.references[int(number)] = marks.references.get(int(number), 0) + count
    return marks


def scored(
    hit: Hit,
    sort: Sort,
    specificity: int,
    authority: Authority,
    happened: Moment | None,
    at: Moment,
    marks: Marks,
    numbers: RecallNumbers,
) -> Score:
    """The score of a hit at a moment; `specificity` counts its names and numbers. What has no known time counts as fresh."""
    spoken = marks.references.get(hit.number, 0)
    age = 0 if happened is None else max(0, at.at - happened.at)
    recency = recency_of(
        age, 0 if sort == "card" else getattr(numbers.half_life, sort), spoken, numbers
    )
    specificity = min(ONE, _QUARTER * specificity)
    intensity = _INTENSITY.get(marks.weight.get(hit.number, 0), 0)
    references = min(ONE, _QUARTER * spoken)
    weights = numbers.value
    value = (
        weights.recency * recency
        + weights.specificity * specificity
        + weights.intensity * intensity
        + weights.references * references
    ) // ONE
    founded = getattr(numbers.authority, authority)
    total = hit.relevance * founded * (ONE * ONE + numbers.shade * value) // ONE**3
    return Score(
        hit.relevance,
        hit.share,
        recency,
        specificity,
        intensity,
        references,
        founded,
        total,
        hit.own,
        hit.meaning,
    )


def recency_of(age: int, half_life: int, references: int, numbers: RecallNumbers) -> int:
    """What is left of recency after `age` microseconds. A half-life of 0 never ends."""
    if not half_life:
        return ONE
    longer = half_life * (ONE + numbers.reinforcement * references) // ONE
    left = halved(age, longer * MINUTE)
    return numbers.floor + ((ONE - numbers.floor) * left >> POWER_BITS)


def verdict(score: Score, sort: Sort, numbers: RecallNumbers) -> Literal["hit", "faded", "weak"]:
    """Whether a score is a hit, would have been one when it was fresh, or is none at all."""
    threshold = getattr(numbers.threshold, sort)
    if score.share < threshold:
        return "weak"
    strength = max(score.recency, score.intensity, score.references)
    raised = threshold * (ONE * ONE + numbers.fading * (ONE - strength)) // ONE**2
    return "hit" if score.share >= raised else "faded"
