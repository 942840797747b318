"""Rapport: the published figures, and the limits that keep closeness from being farmed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi import Citation, Signal
from enishi.host import Relationship, Store, open_store
from enishi.kernel.deciding.proposals import SignalKind
from enishi.kernel.errors import InvalidInput
from enishi.kernel.fold import Event, Reason
from enishi.kernel.moments import DAY, Moment
from enishi.projections.policy import DIMENSIONS, bundled_policy, fits_rapport, read_policy
from enishi.projections.rapport import RAPPORT

# Familiarity, trust, intimacy, safety, conflict tension, for moderate strength.
PUBLISHED: dict[str, tuple[int, int, int, int, int]] = {
    "gratitude": (100, 100, 0, 0, 0),
    "disclosure": (200, 0, 200, 0, 0),
    "reliability": (0, 300, 0, 100, 0),
    "boundary_respected": (0, 200, 0, 300, 0),
    "boundary_violation": (0, -400, 0, -400, 400),
    "quarrel": (0, -200, 0, -200, 500),
    "repair": (0, 300, 0, 300, -500),
    "shared_experience": (300, 0, 200, 0, 0),
    "remembrance": (100, 0, 100, 0, 0),
    "pledge": (0, 200, 0, 100, 0),
    "disappointment": (0, 0, 0, -100, 200),
    "support": (0, 200, 0, 200, 0),
}
START = {"familiarity": 0, "trust": 5000, "intimacy": 0, "safety": 5000, "conflict_tension": 0}
NOON = 20_000 * DAY + DAY // 2


def signal(
    kind: str,
    *,
    text: int = 1,
    sentence: int = 0,
    at: int | None = NOON,
    offset: int = 0,
    actor: str = "user",
    voice: str = "user",
    strength: str = "moderate",
    number: int = 0,
) -> Event:
    payload = {
        "by": "rule",
        "signal": kind,
        "actor": actor,
        "voices": [voice],
        "strength": strength,
        "spans": [[text, sentence, sentence + 3]],
        "sentence": [sentence, sentence + 9],
    }
    moment = None if at is None else Moment(at, offset)
    return Event(number, "SignalAccepted", payload, 0, moment)


def policy(**changes: Any) -> Event:
    numbers = bundled_policy().numbers()
    numbers["rapport"].update(changes)
    return Event(0, "PolicyAdopted", {"name": "other", "numbers": numbers}, 0, Moment(NOON))


def values(*events: Event) -> dict[str, int]:
    state = RAPPORT.initial()
    for event in events:
        RAPPORT.apply(state, event, None)
    return dict(state["values"])


def moved(*events: Event) -> dict[str, int]:
    return {name: value - START[name] for name, value in values(*events).items()}


def test_nothing_happened_yet() -> None:
    assert values() == START


@pytest.mark.parametrize("kind", get_args(SignalKind))
@pytest.mark.parametrize(("strength", "factor"), [("weak", 50), ("moderate", 100), ("strong", 150)])
def test_one_signal_moves_what_was_published(kind: str, strength: str, factor: int) -> None:
    figures = dict(zip(DIMENSIONS, PUBLISHED[kind], strict=True))
    # Tension begins at its lower end and the daily gain ends at 0.05.
    before = signal("quarrel", text=99, at=NOON - DAY)
    base = moved(before)

    change = moved(before, signal(kind, strength=strength))

    for name, figure in figures.items():
        wanted = min(figure * factor // 100 if figure >= 0 else -(-figure * factor // 100), 500)
        wanted = max(wanted, -base[name]) if name == "conflict_tension" else wanted
        assert change[name] - base[name] == wanted, name


def test_the_agents_own_words_never_raise_its_trust_or_safety() -> None:
    for kind in PUBLISHED:
        for actor in ("user", "agent"):
            change = moved(signal(kind, actor=actor, voice="agent", strength="strong"))
            assert change["trust"] <= 0 and change["safety"] <= 0


def test_what_the_agent_did_is_no_reason_to_trust_the_user_more_or_less() -> None:
    for kind in PUBLISHED:
        change = moved(signal(kind, actor="agent", voice="user", strength="strong"))
        assert change["trust"] == change["safety"] == 0


def test_the_agents_words_may_lower_its_trust() -> None:
    assert moved(signal("boundary_violation", voice="agent"))["trust"] == -400


def test_the_nth_same_signal_of_a_day_counts_one_nth() -> None:
    generous = policy(day={"gain": 10_000, "loss": 10_000})
    events = [signal("gratitude", text=n) for n in range(1, 6)]
    assert moved(generous, *events)["trust"] == 100 + 50 + 33 + 25 + 20


def test_another_day_begins_anew_and_another_kind_is_counted_alone() -> None:
    events = [signal("gratitude", text=n, at=NOON + n * DAY) for n in range(1, 4)]
    assert moved(*events)["trust"] == 300
    assert moved(signal("gratitude"), signal("pledge", text=2))["trust"] == 300


def test_thirty_two_signals_of_one_sentence_count_as_that_sentence() -> None:
    one = signal("gratitude", strength="strong")
    assert moved(*[one] * 32) == moved(one)
    # And they do not make the next sentence of the day worth less.
    other = signal("gratitude", text=2, strength="strong")
    assert moved(*[one] * 32, other) == moved(one, other)


def test_of_one_sentence_only_the_strongest_counts_per_dimension_whatever_the_order() -> None:
    signals = [signal(kind) for kind in ("gratitude", "reliability", "support", "pledge")]
    assert moved(*signals)["trust"] == moved(*reversed(signals))["trust"] == 300
    mixed = [signal("repair"), signal("boundary_violation")]
    assert moved(*mixed)["trust"] == moved(*reversed(mixed))["trust"] == -400


def test_a_stronger_loss_takes_back_only_what_its_sentence_had_given() -> None:
    filled = [signal("reliability", text=n, strength="strong") for n in range(1, 4)]
    assert moved(*filled)["trust"] == 500
    same_sentence = [signal("pledge", text=9), signal("quarrel", text=9, strength="strong")]
    assert moved(*filled, *same_sentence)["trust"] == 500 - 300


def test_a_day_gives_at_most_five_and_takes_at_most_eight_hundredths() -> None:
    kinds = ("reliability", "repair", "pledge", "support", "gratitude", "boundary_respected")
    good = [signal(k, text=n, strength="strong") for n, k in enumerate(kinds * 20)]
    assert max(moved(*good).values()) == 500
    bad = [
        signal(k, text=n, strength="strong")
        for n, k in enumerate(("quarrel", "boundary_violation") * 50)
    ]
    assert min(moved(*bad).values()) == -800


def test_a_hundred_compliments_in_ten_minutes_buy_little() -> None:
    minute = 60_000_000
    flood = [signal("gratitude", text=n, at=NOON + n * 6 * minute // 60) for n in range(100)]
    assert values(*flood)["trust"] <= 5500
    assert values(*flood)["familiarity"] <= 500


def test_no_evening_makes_a_stranger_trusted() -> None:
    vow = signal("pledge", strength="strong")
    assert values(vow)["trust"] <= 5500
    everything = [signal(k, text=n, strength="strong") for n, k in enumerate(PUBLISHED)]
    assert values(*everything)["trust"] <= 5500


def test_one_quarrel_does_not_undo_years() -> None:
    years = [signal("reliability", text=day, at=NOON + day * DAY) for day in range(730)]
    before = values(*years)
    after = values(*years, signal("quarrel", text=9999, at=NOON + 731 * DAY))
    assert before["trust"] == 10_000
    assert after["trust"] >= before["trust"] - 800


def test_the_day_is_that_of_the_offset() -> None:
    # 23:30 and 00:30 in Shanghai are one day in UTC.
    evening = 20_000 * DAY + 15 * DAY // 24 + DAY // 48
    pair = [
        signal("gratitude", text=1, at=evening),
        signal("gratitude", text=2, at=evening + DAY // 24),
    ]
    assert moved(*pair)["trust"] == 150
    shanghai = [e._replace(moment=Moment(e.moment.at, 8 * 3600)) for e in pair if e.moment]
    assert moved(*shanghai)["trust"] == 200


def test_a_journey_west_does_not_open_a_day_again() -> None:
    home = signal("gratitude", text=1, at=NOON, offset=12 * 3600)
    west = signal("gratitude", text=2, at=NOON + 1, offset=-11 * 3600)
    back = signal("gratitude", text=3, at=NOON + 2, offset=12 * 3600)
    assert moved(home, west, back)["trust"] == 100 + 50 + 33


def test_an_unknown_time_belongs_to_the_day_that_is() -> None:
    assert moved(signal("gratitude"), signal("gratitude", text=2, at=None))["trust"] == 150
    unknown = [signal("gratitude", text=n, at=None) for n in (1, 2)]
    assert moved(*unknown)["trust"] == 150


def test_a_blueprint_bends_the_figures() -> None:
    bend = Event(0, "BlueprintAdopted", {"bend": {"trust": 5000}}, 0, None)
    assert moved(bend, signal("gratitude"))["trust"] == 50
    assert moved(bend, signal("gratitude"))["familiarity"] == 100


def test_a_policy_changes_what_comes_after_it() -> None:
    other = policy(day={"gain": 50, "loss": 50})
    assert moved(signal("reliability"), other, signal("support", text=2))["trust"] == 300
    assert moved(other, signal("reliability"))["trust"] == 50


def test_numbers_that_do_not_fit_change_nothing() -> None:
    for numbers in ({}, {"rapport": {}}, {"rapport": None}, {"rapport": {"start": 1}}):
        broken = Event(0, "PolicyAdopted", {"name": "x", "numbers": numbers}, 0, None)
        assert moved(broken, signal("gratitude"))["trust"] == 100


@pytest.mark.parametrize("missing", ["start", "signals", "strength", "day"])
def test_a_policy_needs_all_of_its_numbers(missing: str) -> None:
    numbers = bundled_policy().numbers()
    assert fits_rapport(numbers["rapport"])
    del numbers["rapport"][missing]
    assert not fits_rapport(numbers["rapport"])
    with pytest.raises(InvalidInput, match=missing):
        read_policy({"name": "x", **numbers})


@st.composite
def signals(draw: st.DrawFn) -> Event:
    """Any signal; every other text is the agent's."""
    text = draw(st.integers(1, 6))
    half_days = draw(st.none() | st.integers(0, 6))
    return signal(
        draw(st.sampled_from(sorted(PUBLISHED))),
        text=text,
        sentence=draw(st.integers(0, 2)),
        at=None if half_days is None else NOON + half_days * DAY // 2,
        offset=draw(st.sampled_from([0, 8 * 3600, -11 * 3600])),
        actor=draw(st.sampled_from(["user", "agent"])),
        voice="agent" if text % 2 else "user",
        strength=draw(st.sampled_from(["weak", "moderate", "strong"])),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(signals(), max_size=40))
def test_whatever_comes_stays_within_its_limits(events: list[Event]) -> None:
    state, per_day = RAPPORT.initial(), dict.fromkeys(DIMENSIONS, 0)
    day = None
    for number, event in enumerate(events):
        trace: list[Reason] = []
        before = dict(state["values"])
        RAPPORT.apply(state, event._replace(number=number), trace)
        if state["today"]["day"] != day:
            day, per_day = state["today"]["day"], dict.fromkeys(DIMENSIONS, 0)
        assert all(0 <= value <= 10_000 for value in state["values"].values())
        assert {r.key: r.change for r in trace} == {
            k: v - before[k] for k, v in state["values"].items() if v != before[k]
        }
        for reason in trace:
            per_day[reason.key] += reason.change
            assert -800 <= per_day[reason.key] <= 500
        if event.payload["voices"] == ["agent"] or event.payload["actor"] == "agent":
            for earned in ("trust", "safety"):
                assert state["values"][earned] <= before[earned]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "r.db", synchronous="NORMAL") as opened:
        yield opened


def thank(bond: Relationship, at: datetime, times: int = 1) -> int:
    turn = bond.record(["Thank you, truly."] * times, "You are welcome.", at=at)
    message = turn.view().messages[0].number
    cited = (Citation(text=message, quote="Thank you"),)
    (decided,) = bond.propose(None, [Signal(signal="gratitude", actor="user", citations=cited)])
    assert decided.event is not None
    return decided.event


def test_rapport_then_as_lived_and_under_other_numbers(store: Store) -> None:
    bond = store.relationship("lumi", "chen")
    march = datetime(2025, 3, 1, 12, tzinfo=UTC)
    thank(bond, march)
    thank(bond, march + timedelta(days=30))
    assert bond.rapport().trust == 0.52
    assert bond.rapport(at=march + timedelta(days=1)).trust == 0.51
    assert bond.rapport(at=march - timedelta(days=1)).trust == 0.5
    # All of it was recorded today.
    assert bond.rapport(as_lived=march + timedelta(days=90)).trust == 0.5
    assert bond.rapport(as_lived=datetime.now(UTC) + timedelta(minutes=1)).trust == 0.52
    numbers = bundled_policy().numbers()
    numbers["rapport"]["signals"]["gratitude"]["trust"] = 200
    digest = bond.digests()
    assert bond.rapport(policy={"name": "warm", **numbers}).trust == 0.54
    assert bond.digests() == digest


def test_as_lived_keeps_the_choices_of_that_moment(tmp_path: Path) -> None:
    clock = {"now": datetime(2026, 1, 1, 12, tzinfo=UTC)}
    with open_store(tmp_path / "lived.db", clock=lambda: clock["now"]) as opened:
        bond = opened.relationship("lumi", "chen")
        event = thank(bond, clock["now"])
        then = clock["now"]
        clock["now"] += timedelta(days=1)
        bond.withdraw(event)
        assert bond.rapport().trust == 0.5
        assert bond.rapport(as_lived=then).trust == 0.51


def test_why_leads_from_the_number_to_the_quoted_words(store: Store) -> None:
    bond = store.relationship("lumi", "chen")
    event = thank(bond, datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=8))))
    (change,) = bond.why_rapport("trust")
    assert (change.number, change.change, change.value) == (event, 0.01, 0.51)
    assert change.quotes[0].words == "Thank you"
    assert change.quotes[0].speaker == "chen"
    explained = bond.why(event)
    assert explained.why_not is None
    assert explained.rests_on == (change.quotes[0].text,)
    bond.edit(change.quotes[0].text, "Never mind.")
    assert bond.why_rapport("trust") == []
    assert "another wording" in str(bond.why(event).why_not)


def test_no_relationship_moves_another(store: Store) -> None:
    first, second = store.relationship("lumi", "chen"), store.relationship("lumi", "b")
    before = second.digests()
    thank(first, datetime(2026, 1, 1, 12, tzinfo=UTC))
    assert second.digests() == before
    assert second.rapport().trust == 0.5
