"""Policies: the numbers that the folds use, as versioned data.

A policy is adopted by an event that carries its numbers, so that a replay elsewhere needs no
file. All numbers are integers in 1/10000, and minutes.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError

from enishi.kernel.deciding.proposals import Frozen, SignalKind, Strength
from enishi.kernel.errors import InvalidInput
from enishi.kernel.misfits import misfit_of

Dimension = Literal["familiarity", "trust", "intimacy", "safety", "conflict_tension"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

ONE = 10_000
"""1 in fixed point."""

BEND = (5_000, 15_000)
"""How far a blueprint may bend the figures of a dimension: 0.5 to 1.5."""

Share = Annotated[int, Field(ge=0, le=ONE)]
Change = Annotated[int, Field(ge=-ONE, le=ONE)]
Minutes = Annotated[int, Field(ge=1, le=5_256_000)]


class Day(Frozen):
    """What one local day may add to and take from a dimension, in all."""

    gain: Share
    loss: Share


class RapportNumbers(Frozen):
    """The numbers of the rapport fold."""

    start: dict[Dimension, Share]
    signals: dict[SignalKind, dict[Dimension, Change]]
    strength: dict[Strength, Annotated[int, Field(ge=0, le=2 * ONE)]]
    day: Day


class Baseline(Frozen):
    """Where the mood of somebody goes back to of whom nothing was heard for long."""

    valence: Change
    arousal: Share
    fatigue: Share
    confidence: Share


class Weights(Frozen):
    """How much of a mood is what was just seen, by its intensity."""

    weak: Annotated[int, Field(ge=1, le=ONE)]
    moderate: Annotated[int, Field(ge=1, le=ONE)]
    strong: Annotated[int, Field(ge=1, le=ONE)]


class HalfLives(Frozen):
    """In how many minutes half of it is gone, by intensity."""

    weak: Minutes
    moderate: Minutes
    strong: Minutes


class MoodNumbers(Frozen):
    """The numbers of the mood fold."""

    baseline: Baseline
    weight: Weights
    half_life: HalfLives


class ValueWeights(Frozen):
    """What makes one of two equally relevant things worth more, in parts of 1."""

    recency: Share
    specificity: Share
    intensity: Share
    references: Share


class ByKind(Frozen):
    """A share for each kind of thing that can be found."""

    text: Share
    belief: Share
    promise: Share
    card: Share


class HalfLivesByKind(Frozen):
    """In how many minutes half of the recency of each kind is gone."""

    text: Minutes
    belief: Minutes
    promise: Minutes


class ByAuthority(Frozen):
    """What is left of a score, by how well it is founded."""

    established: Share
    claimed: Share
    reported: Share
    partial: Share
    held: Share


class RecallNumbers(Frozen):
    """The numbers of recall; `docs/recall.md` says what each does."""

    items: Annotated[int, Field(ge=0, le=100)]
    promises: Annotated[int, Field(ge=0, le=20)]
    window: Annotated[int, Field(ge=20, le=2_000)]
    session: Share
    portrait: Share
    unknown: Share
    shade: Share
    reinforcement: Annotated[int, Field(ge=0, le=10 * ONE)]
    floor: Share
    fading: Share
    value: ValueWeights
    half_life: HalfLivesByKind
    threshold: ByKind
    authority: ByAuthority


def _bundled_mood() -> MoodNumbers:
    return bundled_policy().mood


def _bundled_recall() -> RecallNumbers:
    return bundled_policy().recall


class Policy(Frozen):
    """All numbers under one name. A part that older policies do not have is as bundled."""

    name: str
    rapport: RapportNumbers
    mood: MoodNumbers = Field(default_factory=_bundled_mood)
    recall: RecallNumbers = Field(default_factory=_bundled_recall)

    def numbers(self) -> dict[str, Any]:
        """The plain form that an event carries."""
        return self.model_dump(exclude={"name"})


@cache
def bundled_policy(name: str = "1") -> Policy:
    """A policy that comes with Enishi. An unknown name is InvalidInput."""
    known = {row.name.removesuffix(".toml"): row for row in _folder().iterdir()}
    if name not in known:
        raise InvalidInput(f"there is no policy {name!r}; there are: {', '.join(sorted(known))}")
    return read_policy(tomllib.loads(known[name].read_text("utf-8")))


def read_policy(data: dict[str, Any]) -> Policy:
    """A policy from plain data, checked. What does not fit is InvalidInput naming the field."""
    try:
        policy = Policy.model_validate(data)
    except ValidationError as error:
        raise InvalidInput(f"the policy does not fit: {misfit_of(error)}") from None
    if missing := _missing(policy.rapport):
        raise InvalidInput(f"the policy does not fit: its rapport lacks {', '.join(missing)}")
    return policy


def fits_rapport(numbers: object) -> bool:
    """Whether plain data are whole numbers of the rapport fold."""
    try:
        return not _missing(RapportNumbers.model_validate(numbers))
    except ValidationError:
        return False


def fits_mood(numbers: object) -> bool:
    """Whether plain data are whole numbers of the mood fold."""
    try:
        MoodNumbers.model_validate(numbers)
    except ValidationError:
        return False
    return True


def _missing(numbers: RapportNumbers) -> list[str]:
    return sorted(
        (set(DIMENSIONS) - numbers.start.keys())
        | (set(get_args(SignalKind)) - numbers.signals.keys())
        | (set(get_args(Strength)) - numbers.strength.keys())
    )


def read_bend(data: object) -> dict[str, int]:
    """How a blueprint bends the dimensions: factors from 0.5 to 1.5, in 1/10000."""
    if not isinstance(data, dict):
        raise InvalidInput("`bend` maps dimensions to factors from 0.5 to 1.5")
    bend = {}
    for name, factor in data.items():
        if name not in DIMENSIONS:
            raise InvalidInput(f"`bend` knows no {name!r}; there are: {', '.join(DIMENSIONS)}")
        if isinstance(factor, bool) or not isinstance(factor, int | float):
            raise InvalidInput(f"`bend` of {name} is a number from 0.5 to 1.5, not {factor!r}")
        if not 0.5 <= factor <= 1.5:
            raise InvalidInput(f"`bend` of {name} is {factor}; it must lie within 0.5 and 1.5")
        bend[name] = round(factor * ONE)
    return bend


def _folder() -> Any:
    return files("enishi.projections") / "policies"
