"""Tensions: what moves them, what settles them, and what does neither."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import permutations
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.deciding.proposals import Effect, TensionOutcome
from enishi.kernel.encoding import state_digest
from enishi.kernel.events import payload_of
from enishi.kernel.fold import Event, State, fold_anew
from enishi.kernel.moments import DAY, Moment
from enishi.projections.tensions import (
    FINAL,
    OPENING,
    TENSIONS,
    StepView,
    TensionView,
    consequences,
    open_tensions,
    tensions,
)

USER, AGENT, OTHER, BOTH = ["user"], ["agent"], ["other"], ["user", "agent"]


def event(kind: str, number: int, voices: list[str], **fields: Any) -> Event:
    """An event with a turn of its own, a day after the turn before it."""
    turn, text = fields.pop("turn", number), fields.pop("text", number)
    fields |= {"spans": [[text, 4, 9]], "sentence": [fields.pop("sentence", 0), 20]}
    payload = payload_of(kind, voices=voices, **fields)
    return Event(number, kind, payload, turn, Moment(turn * DAY))


def hurt(number: int, effect: str = "harm", bearer: str = "user", **fields: Any) -> Event:
    return event("ConsequenceFollowed", number, USER, effect=effect, bearer=bearer, **fields)


def moved(number: int, consequence: int, outcome: str, voices: list[str], **fields: Any) -> Event:
    return event("TensionMoved", number, voices, consequence=consequence, outcome=outcome, **fields)


def fold(events: Sequence[Event]) -> State:
    return fold_anew(TENSIONS, iter(events))


def digest(events: Sequence[Event]) -> str:
    return state_digest("tensions", 1, fold(events))


def after(*steps: tuple[str, list[str]]) -> str:
    """The state of a tension after these steps."""
    events = [moved(n, 1, outcome, voices) for n, (outcome, voices) in enumerate(steps, start=2)]
    (view,) = tensions(fold([hurt(1), *events]))
    return view.state


def test_nothing_happened_yet() -> None:
    assert tensions(fold([])) == [] and consequences(fold([])) == []


@pytest.mark.parametrize("effect", get_args(Effect))
@pytest.mark.parametrize("bearer", ["user", "agent"])
def test_what_hurts_opens_a_tension_and_what_comforts_is_remembered(
    effect: str, bearer: str
) -> None:
    state = fold([hurt(1, effect, bearer)])
    (consequence,) = consequences(state)
    opens = effect not in ("comfort", "repair_attempt")
    assert (consequence.effect, consequence.bearer, consequence.tension) == (effect, bearer, opens)
    assert [view.state for view in tensions(state)] == ["unaddressed"] * opens
    assert (effect in OPENING) == opens


def test_a_tension_tells_how_it_came_to_where_it_is() -> None:
    events = [hurt(1), moved(2, 1, "addressed", AGENT), moved(3, 1, "reconciled", BOTH)]
    assert tensions(fold(events)) == [
        TensionView(
            number=1,
            effect="harm",
            bearer="user",
            state="mutually_reconciled",
            opened=Moment(DAY),
            steps=(
                StepView(2, "addressed", Moment(2 * DAY), ("agent",)),
                StepView(3, "reconciled", Moment(3 * DAY), ("agent", "user")),
            ),
            relapse_of=None,
            relapses=(),
            spans=((1, 4, 9),),
        )
    ]


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        ([("addressed", USER)], "addressed_unresolved"),
        ([("addressed", AGENT)], "addressed_unresolved"),
        ([("reconciled", BOTH)], "mutually_reconciled"),
        ([("reconciled", USER)], "addressed_unresolved"),
        ([("reconciled", AGENT)], "addressed_unresolved"),
        ([("reconciled", USER), ("reconciled", USER)], "addressed_unresolved"),
        ([("reconciled", USER), ("reconciled", AGENT)], "mutually_reconciled"),
        ([("reconciled", AGENT), ("addressed", USER), ("reconciled", USER)], "mutually_reconciled"),
        ([("reconciled", USER), ("reconciled", ["agent", "other"])], "mutually_reconciled"),
        # Other words of the other side are no reconciliation.
        ([("reconciled", USER), ("addressed", AGENT)], "addressed_unresolved"),
        ([("addressed", AGENT), ("reconciled", USER)], "addressed_unresolved"),
        ([("reconciled", USER), ("boundary_stabilized", AGENT)], "boundary_stabilized"),
        ([("boundary_stabilized", AGENT)], "boundary_stabilized"),
        ([("boundary_stabilized", BOTH)], "boundary_stabilized"),
        ([("boundary_stabilized", USER)], "addressed_unresolved"),
        ([("ended", USER)], "relationship_ended"),
        ([("ended", AGENT)], "relationship_ended"),
        ([("superseded", USER)], "superseded"),
        ([("superseded", AGENT)], "superseded"),
        # A boundary that holds is no matter that waits to be made up.
        ([("boundary_stabilized", AGENT), ("addressed", USER)], "boundary_stabilized"),
        ([("boundary_stabilized", AGENT), ("reconciled", USER)], "boundary_stabilized"),
        ([("boundary_stabilized", AGENT), ("reconciled", BOTH)], "boundary_stabilized"),
        ([("boundary_stabilized", AGENT), ("superseded", BOTH)], "boundary_stabilized"),
        ([("boundary_stabilized", AGENT), ("ended", USER)], "relationship_ended"),
    ],
)
def test_steps_and_where_they_lead(steps: list[tuple[str, list[str]]], state: str) -> None:
    assert after(*steps) == state


@pytest.mark.parametrize("outcome", get_args(TensionOutcome))
def test_from_addressed_everything_is_possible(outcome: str) -> None:
    assert after(("addressed", USER), (outcome, BOTH)) == after((outcome, BOTH))


@pytest.mark.parametrize("first", ["reconciled", "ended", "superseded"])
@pytest.mark.parametrize("second", get_args(TensionOutcome))
def test_what_is_final_is_never_moved_again(first: str, second: str) -> None:
    events = [hurt(1), moved(2, 1, first, BOTH)]
    assert digest([*events, moved(3, 1, second, BOTH)]) == digest(events)
    assert tensions(fold(events))[0].state in FINAL


@pytest.mark.parametrize("outcome", get_args(TensionOutcome))
@pytest.mark.parametrize("voices", [OTHER, []])
def test_somebody_elses_words_move_nothing(outcome: str, voices: list[str]) -> None:
    for before in ([], [moved(2, 1, "addressed", USER)], [moved(2, 1, "reconciled", USER)]):
        events = [hurt(1), *before]
        assert digest([*events, moved(3, 1, outcome, voices)]) == digest(events)


NOT_READ = [
    Event(900, "SignalAccepted", {"signal": "gratitude", "actor": "user"}, 900, Moment(900 * DAY)),
    Event(901, "MessageReceived", {"content": "I love you"}, 901, Moment(901 * DAY)),
    Event(902, "PromiseMade", {"act": "never again"}, 902, Moment(902 * DAY)),
    Event(903, "BlueprintAdopted", {"bend": {"conflict_tension": 5000}}, 903, None),
    Event(904, "SomethingUnknown", {}, 904, None),
]


def test_time_silence_and_warm_words_move_nothing() -> None:
    events = [hurt(1), hurt(5, "comfort"), hurt(6, "repair_attempt")]
    assert TENSIONS.reads == {"ConsequenceFollowed", "TensionMoved"}
    assert digest([*events, *NOT_READ]) == digest(events)
    (view,) = tensions(fold(events))
    assert view.state == "unaddressed"
    # There is no moment to ask for: an old one reads as a new one does.
    old, new = (fold([hurt(1)._replace(moment=moment)]) for moment in (Moment(0), None))
    assert [v.state for v in tensions(old)] == [v.state for v in tensions(new)]


def test_comfort_has_no_tension_to_move() -> None:
    events = [hurt(1, "comfort")]
    assert digest([*events, moved(2, 1, "ended", BOTH)]) == digest(events)


def test_what_comes_before_a_consequence_does_not_move_it() -> None:
    early = moved(2, 3, "reconciled", BOTH)
    assert digest([early, hurt(3)]) == digest([hurt(3)])


def test_tensions_are_moved_one_by_one() -> None:
    views = tensions(fold([hurt(1), hurt(2, "distance"), moved(3, 2, "ended", AGENT)]))
    assert [view.state for view in views] == ["unaddressed", "relationship_ended"]


def test_a_relapse_is_its_own_and_leaves_the_old_as_it_was() -> None:
    events = [hurt(1), moved(2, 1, "reconciled", BOTH)]
    (before,) = tensions(fold(events))
    old, new = tensions(fold([*events, hurt(3, relapse_of=1)]))
    assert (old.state, old.steps, old.relapses) == (before.state, before.steps, (3,))
    assert (new.state, new.relapse_of, new.relapses) == ("unaddressed", 1, ())
    closed, again = tensions(fold([*events, hurt(3, relapse_of=1), moved(4, 3, "ended", USER)]))
    assert (closed.state, again.state) == ("mutually_reconciled", "relationship_ended")


@pytest.mark.parametrize("named", [7, 3, 2])
def test_a_relapse_of_nothing_that_was_opened_is_a_consequence_all_the_same(named: int) -> None:
    view = tensions(fold([hurt(1), hurt(2, "comfort"), hurt(3, relapse_of=named)]))[-1]
    assert (view.number, view.relapse_of, view.state) == (3, None, "unaddressed")


def test_when_the_old_one_falls_its_relapse_stays() -> None:
    (view,) = tensions(fold([hurt(3, relapse_of=1)]))
    assert (view.number, view.relapse_of) == (3, None)


def test_a_sentence_tells_of_one_consequence_however_often_it_is_read() -> None:
    again = hurt(2, text=1)
    assert [view.number for view in consequences(fold([hurt(1), again]))] == [1]
    assert (
        tensions(fold([hurt(1), again, moved(3, 2, "ended", USER)]))[0].state
        == "relationship_ended"
    )
    for other in (hurt(2, "anger", text=1), hurt(2, bearer="agent", text=1), hurt(2)):
        assert len(consequences(fold([hurt(1), other]))) == 2
    assert len(consequences(fold([hurt(1), hurt(2, text=1, sentence=30)]))) == 2


def test_a_sentence_is_one_step_however_often_it_is_read() -> None:
    events = [hurt(1), moved(2, 1, "addressed", USER)]
    assert digest([*events, moved(3, 1, "addressed", USER, text=2)]) == digest(events)
    assert after(("addressed", USER), ("addressed", USER)) == "addressed_unresolved"
    both = [hurt(1), moved(2, 1, "reconciled", USER), moved(3, 1, "reconciled", BOTH, text=2)]
    assert tensions(fold(both))[0].state == "mutually_reconciled"


def test_open_are_those_that_nobody_settled() -> None:
    outcomes = {
        "addressed": True,
        "reconciled": False,
        "boundary_stabilized": False,
        "ended": False,
        "superseded": False,
    }
    for outcome, is_open in outcomes.items():
        views = tensions(fold([hurt(1), moved(2, 1, outcome, BOTH)]))
        assert open_tensions(views) == (views if is_open else [])
    views = tensions(fold([hurt(1)]))
    assert open_tensions(views) == views


def test_references_that_dangle_change_nothing() -> None:
    events = [hurt(1)]
    assert digest([*events, moved(2, 9, "ended", BOTH), moved(3, 3, "ended", BOTH)]) == digest(
        events
    )


def test_steps_of_one_moment_are_settled_by_place() -> None:
    outcomes = list(get_args(TensionOutcome))
    for order in permutations(range(len(outcomes))):
        steps = [moved(n + 2, 1, outcomes[n], BOTH, turn=2) for n in order]
        events = [hurt(1), *sorted(steps, key=lambda e: (e.turn, e.number))]
        assert digest(events) == digest([hurt(1), *sorted(steps)])
        assert tensions(fold(events))[0].state == "mutually_reconciled"


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Any events, by place; references may dangle, lead forward, or name the wrong kind."""
    events, turn = [], 0
    for number in range(draw(st.integers(0, 14))):
        turn += draw(st.integers(0, 1))
        place = {"turn": turn, "text": draw(st.integers(0, 9)), "sentence": draw(st.integers(0, 1))}
        target = draw(st.integers(0, 15))
        if draw(st.booleans()):
            effect, bearer = draw(st.sampled_from(get_args(Effect))), draw(st.sampled_from(BOTH))
            relapse_of = draw(st.none() | st.just(target))
            events.append(hurt(number, effect, bearer, relapse_of=relapse_of, **place))
        else:
            outcome = draw(st.sampled_from(get_args(TensionOutcome)))
            voices = draw(st.lists(st.sampled_from([*BOTH, "other"]), max_size=3, unique=True))
            events.append(moved(number, target, outcome, voices, **place))
    return events


@settings(max_examples=60, deadline=None)
@given(histories())
def test_whatever_comes_keeps_the_rules(events: list[Event]) -> None:
    before, state, final = copy.deepcopy(events), TENSIONS.initial(), dict[int, TensionView]()
    for one in events:
        TENSIONS.apply(state, one, None)
        for view in tensions(state):
            if view.number in final:
                was = final[view.number]
                assert (view.state, view.steps) == (was.state, was.steps)
            if view.state in FINAL:
                final[view.number] = view
    assert events == before
    views = tensions(state)
    assert len(consequences(state)) + sum(len(v.steps) for v in views) <= len(events)
    for view in views:
        assert (view.state == "unaddressed") == (not view.steps)
        heard = {voice for step in view.steps for voice in step.voices}
        if view.state == "mutually_reconciled":
            assert heard >= set(BOTH)
        if view.state == "boundary_stabilized":
            assert "agent" in heard
    assert {(v.number, v.relapse_of) for v in views if v.relapse_of is not None} == {
        (new, v.number) for v in views for new in v.relapses
    }


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
        TENSIONS.apply(state, later, None)
    assert state_digest("tensions", 1, state) == digest(events)
