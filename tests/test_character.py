"""Character: trains of thought, and what of them is the user's to see."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.encoding import state_digest
from enishi.kernel.events import payload_of
from enishi.kernel.fold import Event, State, fold_anew
from enishi.kernel.moments import DAY, Moment
from enishi.projections.character import (
    CHARACTER,
    BlueprintView,
    ReflectionView,
    blueprint,
    reflections,
)


def thought(number: int, **fields: Any) -> Event:
    """A reflection a day after the turn before it, in words that name its number."""
    fields = {"event": 0, "words": f"thought {number}", **fields}
    payload = payload_of(
        "ReflectionMade", voices=["agent"], spans=[[number, 0, 5]], sentence=[0, 9], **fields
    )
    return Event(number, "ReflectionMade", payload, number, Moment(number * DAY))


def card(number: int, name: str = "Lumi") -> Event:
    payload = payload_of("BlueprintAdopted", name=name, spec="chara_card_v2", card="{}")
    return Event(number, "BlueprintAdopted", payload, number, Moment(number * DAY))


def fold(events: Sequence[Event]) -> State:
    return fold_anew(CHARACTER, iter(events))


def digest(events: Sequence[Event]) -> str:
    return state_digest("character", 1, fold(events))


def agents(*events: Event) -> list[ReflectionView]:
    return reflections(fold(events), "agent")


def users(*events: Event) -> list[ReflectionView]:
    return reflections(fold(events), "user")


def test_nobody_is_played_and_nothing_was_thought_yet() -> None:
    assert blueprint(fold([])) is None
    assert agents() == users() == []


def test_the_card_adopted_last_is_in_force() -> None:
    found = blueprint(fold([card(1), thought(2), card(3, "Lumi, older")]))
    assert found == BlueprintView(3, "Lumi, older", "chara_card_v2")
    assert blueprint(fold([card(1)])) == BlueprintView(1, "Lumi", "chara_card_v2")


def test_a_reflection_is_the_agents_own_unless_it_says_otherwise() -> None:
    (view,) = agents(thought(4, event=2))
    assert view == ReflectionView(
        number=4,
        event=2,
        words="thought 4",
        audience="agent",
        made=Moment(4 * DAY),
        revises=None,
        revised_by=(),
        current=True,
        spans=((4, 0, 5),),
    )
    assert users(thought(4)) == []
    (view,) = users(thought(4, audience="user"))
    assert (view.number, view.audience) == (4, "user")
    assert len(agents(thought(4, audience="user"))) == 1


def test_no_third_audience_sees_anything() -> None:
    state = fold([thought(1), thought(2, audience="user")])
    assert reflections(state, "everybody") == []  # type: ignore[arg-type]


def test_a_revision_is_appended_and_the_earlier_is_kept() -> None:
    first, second, third = agents(thought(1), thought(2, revises=1), thought(3, revises=2))
    assert [v.words for v in (first, second, third)] == ["thought 1", "thought 2", "thought 3"]
    assert [v.revises for v in (first, second, third)] == [None, 1, 2]
    assert [v.revised_by for v in (first, second, third)] == [(2,), (3,), ()]
    assert [v.current for v in (first, second, third)] == [False, False, True]


def test_of_two_revisions_of_one_thought_the_newest_is_current() -> None:
    views = agents(thought(1), thought(2, revises=1), thought(3, revises=1))
    assert [v.current for v in views] == [False, False, True]
    assert views[0].revised_by == (2, 3)


def test_trains_of_thought_run_beside_each_other() -> None:
    views = agents(thought(1), thought(2), thought(3, revises=1))
    assert [v.current for v in views] == [False, True, True]


def test_when_the_revision_falls_the_earlier_is_current_again() -> None:
    assert [v.current for v in agents(thought(1))] == [True]


@pytest.mark.parametrize("revises", [1, 3, 99])
def test_what_revises_nothing_known_begins_a_train_of_its_own(revises: int) -> None:
    (view,) = agents(thought(3, revises=revises))
    assert (view.revises, view.current) == (None, True)


def test_the_user_never_learns_that_the_agent_thinks_otherwise_by_now() -> None:
    told, own = thought(1, audience="user"), thought(2, revises=1)
    (view,) = users(told, own)
    assert (view.revised_by, view.current) == ((), True)
    assert [v.current for v in agents(told, own)] == [False, True]


def test_the_user_sees_what_a_thought_goes_back_to_without_what_lies_between() -> None:
    events = (
        thought(1, audience="user"),
        thought(2, revises=1),
        thought(3, revises=2, audience="user"),
    )
    first, last = users(*events)
    assert (last.revises, last.current) == (1, True)
    assert (first.revised_by, first.current) == ((3,), False)


def test_a_thought_that_was_private_may_be_told_later() -> None:
    (view,) = users(thought(1), thought(2, revises=1, audience="user"))
    assert (view.number, view.revises, view.current) == (2, None, True)


def test_an_unknown_time_is_none() -> None:
    events = [e._replace(moment=None) for e in (card(1), thought(2))]
    found = blueprint(fold(events))
    assert found is not None
    assert agents(*events)[0].made is None


NOT_READ = [
    Event(90, "SignalAccepted", {"signal": "quarrel"}, 90, None),
    Event(91, "SomethingUnknown", {}, 91, None),
]


def test_what_is_not_read_changes_nothing() -> None:
    events = [card(1), thought(2), thought(3, revises=2)]
    assert digest([*events, *NOT_READ]) == digest(events)
    assert CHARACTER.reads == {"BlueprintAdopted", "ReflectionMade"}


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Any events, by place; references may dangle, lead forward, or name the wrong kind."""
    events = []
    for number in range(draw(st.integers(0, 14))):
        if draw(st.integers(0, 5)) == 0:
            events.append(card(number, draw(st.sampled_from(["Lumi", "Ren"]))))
        else:
            audience = draw(st.sampled_from(["agent", "user"]))
            revises = draw(st.none() | st.integers(0, 15))
            events.append(thought(number, audience=audience, revises=revises))
    return events


@settings(max_examples=60, deadline=None)
@given(histories())
def test_nothing_is_lost_and_nothing_private_is_told(events: list[Event]) -> None:
    before = copy.deepcopy(events)
    all_, told = agents(*events), users(*events)
    assert events == before
    made = [e for e in events if e.type == "ReflectionMade"]
    assert [v.number for v in all_] == [e.number for e in made]
    public = {e.number for e in made if e.payload.get("audience") == "user"}
    named = {n for v in told for n in (v.number, *v.revised_by, v.revises) if n is not None}
    assert [v.number for v in told] == sorted(public) and named <= public
    for views in (all_, told):
        assert {(v.number, v.revises) for v in views if v.revises is not None} == {
            (later, v.number) for v in views for later in v.revised_by
        }
        # Each train has one newest, and what was revised is not it.
        assert all(not (v.current and v.revised_by) for v in views)
        assert bool(views) == any(v.current for v in views)


@settings(max_examples=40, deadline=None)
@given(histories(), st.integers(0, 14))
def test_what_falls_and_stands_again_restores_the_digest(events: list[Event], gone: int) -> None:
    whole, fallen = digest(events), [e for e in events if e.number == gone]
    kept = [e for e in events if e.number != gone]
    assert (digest(kept) == whole) or fallen
    assert digest(sorted(kept + fallen)) == whole


@settings(max_examples=40, deadline=None)
@given(histories(), st.integers(0, 14))
def test_a_kept_state_goes_on_as_if_it_had_never_been_put_away(
    events: list[Event], stop: int
) -> None:
    state = msgpack.unpackb(msgpack.packb(fold(events[:stop])))
    for later in events[stop:]:
        CHARACTER.apply(state, later, None)
    assert state_digest("character", 1, state) == digest(events)
