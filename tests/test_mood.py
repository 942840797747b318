"""Mood: what was felt is carried over, fades by its law, and never moves by being looked at."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from enishi import Citation
from enishi.kernel.deciding.proposals import Felt, Mood
from enishi.kernel.fold import Event, State
from enishi.kernel.moments import HOUR, Moment
from enishi.projections.halving import WHOLE, halved
from enishi.projections.mood import MOOD, MoodView, mood_at
from enishi.projections.policy import ONE, bundled_policy

NOON = 20_000 * 24 * HOUR + 12 * HOUR
NUMBERS = bundled_policy().mood
WEIGHT = {name: value / ONE for name, value in NUMBERS.weight.model_dump().items()}
HOURS = {name: value / 60 for name, value in NUMBERS.half_life.model_dump().items()}


def seen(
    number: int,
    hour: float | None = 0.0,
    intensity: str = "moderate",
    *,
    party: str = "user",
    turn: int | None = None,
    text: int | None = None,
    start: int = 0,
    by: str = "rule",
    scorer: str | None = None,
    **felt: float,
) -> Event:
    """An observation, so many hours after noon; of a turn of its own, unless one is named."""
    payload: dict[str, Any] = {
        "by": by,
        "party": party,
        "intensity": intensity,
        "spans": [[text or number, start, start + 3]],
        "sentence": [start, start + 9],
        "voices": [party],
        **{name: round(value * ONE) for name, value in felt.items()},
    }
    if scorer is not None:
        payload["scorer"] = scorer
    moment = None if hour is None else at(hour)
    return Event(number, "MoodObserved", payload, turn or number, moment, moment)


def at(hour: float) -> Moment:
    return Moment(NOON + round(hour * HOUR))


def folded(*events: Event) -> State:
    state = MOOD.initial()
    for event in events:
        MOOD.apply(state, event, None)
    return state


def user(hour: float, *events: Event) -> MoodView:
    return mood_at(folded(*events), "user", at(hour))


def test_nobody_was_seen_yet() -> None:
    view = user(5)
    assert (view.valence, view.arousal, view.fatigue, view.confidence) == (0, 0.3, 0.2, 0.5)
    assert view.mixed == 0 and view.observed is None


@pytest.mark.parametrize("intensity", ["weak", "moderate", "strong"])
@pytest.mark.parametrize("hours", [0, 1, 12, 36, 288])
def test_what_was_seen_fades_by_the_law(intensity: str, hours: int) -> None:
    first = seen(1, 0, intensity, valence=-0.8, fatigue=0.9)
    second = seen(2, 7, intensity, valence=0.4, fatigue=0.1)

    view = user(7 + hours, first, second)

    weight, half = WEIGHT[intensity], HOURS[intensity]
    for name, felt, baseline in (("valence", (-0.8, 0.4), 0.0), ("fatigue", (0.9, 0.1), 0.2)):
        before = baseline + weight * (felt[0] - baseline) * 2 ** (-7 / half)
        after = weight * felt[1] + (1 - weight) * before
        now = baseline + (after - baseline) * 2 ** (-hours / half)
        assert getattr(view, name) == pytest.approx(now, abs=0.0003)


@pytest.mark.parametrize("half_life", [1, 60, 720, 525_600])
def test_halving_is_within_a_tenth_of_the_last_digit(half_life: int) -> None:
    for elapsed in range(0, half_life * 40, max(1, half_life // 97)):
        exact = 2.0 ** (-elapsed / half_life)
        assert 0 <= halved(elapsed, half_life) / WHOLE - exact + 1e-9 < 1.1e-5


def test_a_proposal_says_at_least_one_of_the_four() -> None:
    with pytest.raises(ValidationError, match="at least one"):
        Felt()
    for wrong in ({"valence": -1.1}, {"arousal": -0.1}, {"fatigue": float("nan")}):
        with pytest.raises(ValidationError):
            Felt(**wrong)
    with pytest.raises(ValidationError, match="scorer"):
        Mood(party="user", felt=Felt(valence=1), scorer="my scorer!", citations=(Citation(text=1),))
