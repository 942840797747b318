"""Mood: what was felt is carried over, fades by its law, and never moves by being looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from enishi import Citation
from enishi.kernel.deciding.proposals import Felt, Mood
from enishi.kernel.errors import InvalidInput
from enishi.kernel.fold import Event, State
from enishi.kernel.moments import HOUR, Moment
from enishi.projections.halving import WHOLE, halved
from enishi.projections.mood import MOOD, PARTIES, MoodView, mood_at
from enishi.projections.policy import ONE, bundled_policy, read_policy

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


# What a turn shows


def test_a_turn_weighs_as_its_most_intense_observation() -> None:
    shout = seen(1, 0, "strong", turn=9, valence=-0.8)
    sigh = seen(2, 0, "weak", turn=9, start=20, valence=-0.2)
    both = user(0, shout, sigh)
    observed = (0.8 * 0.8 + 0.3 * 0.2) / (0.8 + 0.3)
    assert both.valence == pytest.approx(-0.8 * observed, abs=0.0002)
    assert both == user(0, sigh, shout)


def test_many_words_of_one_kind_weigh_no_more_than_one() -> None:
    once = user(0, seen(1, turn=9, fatigue=0.8))
    rant = [seen(n, turn=9, start=20 * n, fatigue=0.8) for n in range(1, 30)]
    assert user(0, *rant) == once


@pytest.mark.parametrize("joy", ["weak", "moderate", "strong"])
@pytest.mark.parametrize("sorrow", ["weak", "moderate", "strong"])
@pytest.mark.parametrize(("good", "bad"), [(0.6, 0.3), (0.3, 0.6), (0.5, 0.5)])
def test_of_what_is_mixed_neither_outlives_the_other(
    joy: str, sorrow: str, good: float, bad: float
) -> None:
    """However strongly each is shown: what prevails, and by how much, stays so while both fade."""
    glad = seen(1, 0, joy, turn=1, text=1, start=0, valence=good)
    sad = seen(2, 0, sorrow, turn=1, text=1, start=20, valence=-bad)
    shown = user(0, glad, sad)
    assert shown == user(0, sad, glad)
    most = max(joy, sorrow, key=["weak", "moderate", "strong"].index)
    assert shown.valence == pytest.approx(WEIGHT[most] * (good - bad), abs=0.0003)
    assert shown.mixed == pytest.approx(WEIGHT[most] * min(good, bad), abs=0.0003)
    for hours in (1, 12, 36, 288):
        later, left = user(hours, glad, sad), 2 ** (-hours / HOURS[most])
        assert later.valence == pytest.approx(shown.valence * left, abs=0.0004)
        assert later.mixed == pytest.approx(shown.mixed * left, abs=0.0004)


def test_mixed_feelings_stay_mixed() -> None:
    joy = seen(1, 0, turn=9, valence=0.8, arousal=0.9)
    sorrow = seen(2, 0, turn=9, start=20, valence=-0.7)

    view = user(0, joy, sorrow)

    assert abs(view.valence) < 0.06 and view.mixed == pytest.approx(0.35)
    assert view.arousal == user(0, joy).arousal > 0.5
    assert 0.15 < user(12, joy, sorrow).mixed < view.mixed
    assert user(0, joy).mixed == user(0, sorrow).mixed == 0


def test_a_turn_of_one_feeling_takes_the_other_back() -> None:
    sorrow, relief = seen(1, 0, valence=-0.8), seen(2, 1, "strong", valence=0.6)
    view = user(1, sorrow, relief)
    assert view.valence > 0.3 and view.mixed < 0.09


def test_nothing_said_of_a_value_leaves_it_alone() -> None:
    tired = seen(1, 0, "strong", fatigue=0.9)
    others = [seen(n, n / 10, valence=(-1) ** n * 0.5) for n in range(2, 90)]
    assert user(10, tired, *others).fatigue == user(10, tired).fatigue


def test_a_passing_word_shortens_no_grief() -> None:
    grief = seen(1, 0, "strong", valence=-0.9)
    fine = seen(2, 1, "weak", valence=0.1)
    later = user(49, grief, fine)
    assert later.valence == pytest.approx(-0.9 * 0.8 * 0.7 / 2, abs=0.02)


def test_each_party_has_a_mood_of_its_own() -> None:
    state = folded(seen(1, 0, valence=-0.8), seen(2, 0, party="agent", valence=0.6))
    assert mood_at(state, "user", at(0)).valence == -0.4
    assert mood_at(state, "agent", at(0)).valence == 0.3
    with pytest.raises(InvalidInput, match="'Lumi' is no party"):
        mood_at(state, "Lumi", at(0))  # type: ignore[arg-type]


def test_a_sentence_read_again_counts_as_it_was_read_last() -> None:
    jest = seen(1, turn=9, text=5, scorer="words/1", valence=0.7)
    understood = seen(2, turn=9, text=5, by="model", valence=-0.6)
    elsewhere = seen(3, turn=9, text=5, start=40, scorer="words/1", valence=-0.6)
    assert user(0, jest, understood) == user(0, understood)
    assert user(0, jest, elsewhere).mixed > 0.2
    newer = seen(4, turn=9, text=5, scorer="words/2", valence=0.1)
    assert user(0, jest, newer) == user(0, newer)


def test_an_unknown_time_is_that_of_what_came_before() -> None:
    known, unknown = seen(1, 3, valence=-0.8), seen(2, None, valence=-0.8)
    assert user(3, known, unknown) == user(3, known, seen(2, 3, valence=-0.8))
    never = user(900, unknown)
    assert never.valence == -0.4 and never.observed is None


def test_time_never_runs_backwards() -> None:
    early, late = seen(1, 5, valence=-0.8), seen(2, 1, fatigue=0.9)
    assert user(6, early, late) == user(6, early, seen(2, 5, fatigue=0.9))
    assert user(-9, early).valence == user(5, early).valence


felt_values = st.dictionaries(
    st.sampled_from(["valence", "arousal", "fatigue", "confidence"]),
    st.floats(0, 1).map(lambda value: round(value, 4)),
    min_size=1,
)
observations = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.sampled_from(["weak", "moderate", "strong"]),
        st.sampled_from(["user", "agent"]),
        st.booleans(),
        felt_values,
    ),
    max_size=14,
)


@settings(max_examples=80, deadline=None)
@given(observations, st.randoms(use_true_random=False), st.floats(-1, 900))
def test_no_value_leaves_its_range_and_no_order_of_reading_matters(
    rows: list[Any], chance: Any, hour: float
) -> None:
    made = []
    for place, (turn, intensity, party, down, felt) in enumerate(rows):
        if down and "valence" in felt:
            felt = {**felt, "valence": -felt["valence"]}
        hours = turn * 5 + place / 10
        where: dict[str, Any] = {"party": party, "turn": turn, "start": 20 * place, "text": turn}
        made.append((turn, (hours, intensity), {**where, **felt}))
    views = []
    for _ in range(2):
        chance.shuffle(made)
        numbered = [seen(number, *args, **more) for number, (_, args, more) in enumerate(made, 1)]
        state = folded(*sorted(numbered, key=lambda event: (event.turn, event.number)))
        views.append([mood_at(state, party, at(hour)) for party in PARTIES])
    assert views[0] == views[1]
    for view in views[0]:
        assert 0 <= view.mixed <= view.mixed + abs(view.valence) <= 1.00001
        assert all(0 <= getattr(view, name) <= 1 for name in ("arousal", "fatigue", "confidence"))


def test_what_fades_ends_at_its_baseline() -> None:
    for value in (-1.0, 1.0):
        low = abs(value) if value > 0 else 0.0
        event = seen(1, 0, "strong", valence=value, arousal=low, fatigue=low, confidence=low)
        assert user(24 * 60, event) == replace(user(24 * 60), observed=at(0))


# The numbers


def other_numbers(**changes: Any) -> dict[str, Any]:
    numbers = bundled_policy().numbers()
    numbers["mood"] |= changes
    return numbers


def adopted(numbers: dict[str, Any]) -> Event:
    return Event(0, "PolicyAdopted", {"name": "other", "numbers": numbers}, 0, at(0))


def test_another_policy_is_in_force_from_its_place_on() -> None:
    slow = other_numbers(half_life={"weak": 600, "moderate": 6000, "strong": 60_000})
    calm = other_numbers(baseline={"valence": 1000, "arousal": 0, "fatigue": 0, "confidence": 9000})
    sad = seen(1, 0, valence=-0.8)
    assert user(100, adopted(slow), sad).valence == -0.2
    assert user(12, sad).valence == -0.2
    assert user(0, adopted(calm)).valence == 0.1 and user(0, adopted(calm)).confidence == 0.9


@pytest.mark.parametrize(
    "broken",
    [
        {"half_life": {"weak": 0, "moderate": 1, "strong": 1}},
        {"weight": {"weak": 0, "moderate": 1, "strong": 1}},
        {"weight": {"weak": 10_001, "moderate": 1, "strong": 1}},
        {"baseline": {"valence": 0, "arousal": -1, "fatigue": 0, "confidence": 0}},
        {"weight": {"weak": 1}},
    ],
)
def test_numbers_that_do_not_fit_are_refused_and_change_nothing(broken: dict[str, Any]) -> None:
    numbers = other_numbers(**broken)
    with pytest.raises(InvalidInput, match=r"the policy does not fit: mood\."):
        read_policy({"name": "other", **numbers})
    assert user(5, adopted(numbers), seen(1, valence=0.5)) == user(5, seen(1, valence=0.5))


def test_a_policy_from_before_there_were_moods_has_the_bundled_ones(tmp_path: Path) -> None:
    numbers = bundled_policy().numbers()
    del numbers["mood"]
    with fixed_store(tmp_path / "s.db") as store:
        bond = store.relationship("lumi", "chen", policy={"name": "old", **numbers})
        bond.adopt_policy("1")
        assert user(5, adopted(numbers), seen(1, valence=0.5)) == user(5, seen(1, valence=0.5))
        assert bond.mood().fatigue == 0.2
