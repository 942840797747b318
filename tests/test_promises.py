"""Promises and loops: told again, waiting, late, kept, broken, replaced."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.encoding import state_digest
from enishi.kernel.events import payload_of
from enishi.kernel.fold import Event, State, fold_anew
from enishi.kernel.moments import DAY, HOUR, Moment, parse_moment
from enishi.projections.promises import (
    PROMISES,
    LoopView,
    PromiseView,
    _key,
    _near,
    loops_at,
    promises_at,
)

START = parse_moment("2026-01-01T12:00+00:00")


def event(
    kind: str, number: int, *, sentence: int = 0, text: int | None = None, **fields: Any
) -> Event:
    """An event with a turn of its own, a day after the turn before it."""
    turn = fields.pop("turn", number)
    text = number if text is None else text
    fields |= {"spans": [[text, sentence, sentence + 3]], "sentence": [sentence, sentence + 9]}
    payload = payload_of(kind, voices=["agent"], **fields)
    return Event(number, kind, payload, turn, Moment(START.at + turn * DAY))


def made(number: int, act: str = "call you", promiser: str = "agent", **fields: Any) -> Event:
    return event("PromiseMade", number, act=act, promiser=promiser, **fields)


def ended(number: int, promise: int, outcome: str, **fields: Any) -> Event:
    return event("PromiseEnded", number, promise=promise, outcome=outcome, **fields)


def met(number: int, promise: int, **fields: Any) -> Event:
    return event("PromiseConditionMet", number, promise=promise, **fields)


def opened(number: int, subject: str, continuation: str, **fields: Any) -> Event:
    return event("LoopOpened", number, subject=subject, continuation=continuation, **fields)


def closed(number: int, loop: int, outcome: str, **fields: Any) -> Event:
    return event("LoopEnded", number, loop=loop, outcome=outcome, **fields)


def fold(events: Sequence[Event]) -> State:
    return fold_anew(PROMISES, iter(events))


def digest(events: Sequence[Event]) -> str:
    return state_digest("promises", PROMISES.version, fold(events))


def promises(*events: Event, now: str | None = None) -> list[PromiseView]:
    return promises_at(fold(events), parse_moment(now) if now else None)


def loops(*events: Event, now: str | None = None) -> list[LoopView]:
    return loops_at(fold(events), parse_moment(now) if now else None)


def status(*events: Event) -> str:
    (view,) = promises(*events)
    return view.status


def test_nothing_was_promised_yet() -> None:
    assert promises() == [] and loops() == []


def test_a_promise_is_open_in_the_words_of_its_maker() -> None:
    (view,) = promises(made(3, "water the plants", due="2026-03-01"))
    assert view == PromiseView(
        number=3,
        made=Moment(START.at + 3 * DAY),
        ended_by=None,
        replaced_by=None,
        replaces=(),
        retold=(),
        spans=((3, 0, 3),),
        promiser="agent",
        act="water the plants",
        due="2026-03-01",
        condition=None,
        condition_met=False,
        status="open",
        timing="none",
    )


@pytest.mark.parametrize("outcome", ["kept", "broken", "released", "replaced"])
def test_a_promise_ends_as_was_said(outcome: str) -> None:
    (view,) = promises(made(1), ended(2, 1, outcome))
    assert (view.status, view.ended_by, view.replaced_by) == (outcome, 2, None)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("kept", "broken", "broken"),
        ("kept", "released", "kept"),
        ("kept", "kept", "kept"),
        ("kept", "replaced", "kept"),
        ("broken", "kept", "broken"),
        ("broken", "released", "broken"),
        ("released", "broken", "released"),
        ("released", "kept", "released"),
        ("replaced", "broken", "replaced"),
    ],
)
def test_the_first_end_holds_but_what_was_kept_may_be_found_broken(
    first: str, second: str, wanted: str
) -> None:
    (view,) = promises(made(1), ended(2, 1, first), ended(3, 1, second))
    assert (view.status, view.ended_by) == (wanted, 2 if wanted == first else 3)


def test_found_broken_is_the_last_word() -> None:
    ends = [ended(n, 1, outcome) for n, outcome in enumerate(["kept", "broken", "kept"], start=2)]
    assert status(made(1), *ends) == "broken"


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ({"text": 5, "sentence": 40}, "broken"),
        ({"text": 6, "sentence": 0}, "broken"),
        ({"text": 5, "sentence": 20}, "kept"),
        ({"text": 5, "sentence": 0}, "kept"),
        ({"text": 4, "sentence": 90}, "kept"),
    ],
)
def test_words_before_or_beside_those_that_showed_it_kept_do_not_find_it_broken(
    place: dict[str, int], wanted: str
) -> None:
    kept = ended(8, 1, "kept", turn=7, text=5, sentence=20)
    assert status(made(1), kept, ended(9, 1, "broken", turn=7, **place)) == wanted


def test_a_later_turn_comes_after_whatever_its_number() -> None:
    # The words that showed it kept are a wording edited long afterwards.
    kept = ended(41, 1, "kept", turn=7, text=40)
    assert status(made(1), kept, ended(9, 1, "broken", turn=8, text=8)) == "broken"


@pytest.mark.parametrize(
    ("due", "now", "timing"),
    [
        (None, "2026-03-01T12:00+00:00", "none"),
        ("2026-03-01", None, "none"),
        ("2026-03-01", "2026-02-28T23:59+00:00", "due_later"),
        ("2026-03-01", "2026-03-01T00:00+00:00", "due_today"),
        ("2026-03-01", "2026-03-01T23:59:59+00:00", "due_today"),
        ("2026-03-01", "2026-03-02T00:00+00:00", "overdue"),
        # One instant: still the first of March in New York, the second in Shanghai.
        ("2026-03-01", "2026-03-01T20:00-05:00", "due_today"),
        ("2026-03-01", "2026-03-02T09:00+08:00", "overdue"),
        ("2026-03", "2026-02-28T12:00+00:00", "due_later"),
        ("2026-03", "2026-03-30T12:00+00:00", "due_later"),
        ("2026-03", "2026-03-31T12:00+00:00", "due_today"),
        ("2026-03", "2026-04-01T00:00+00:00", "overdue"),
        ("2026-02", "2026-02-28T12:00+00:00", "due_today"),
        ("2028-02", "2028-02-28T12:00+00:00", "due_later"),
        ("2026-12", "2027-01-01T00:00+00:00", "overdue"),
        ("2026", "2026-12-30T12:00+00:00", "due_later"),
        ("2026", "2026-12-31T12:00+00:00", "due_today"),
        ("2026", "2027-01-01T00:00+00:00", "overdue"),
        ("9999-12", "2026-01-01T00:00+00:00", "due_later"),
        # Dates that no calendar has.
        ("2026-02-30", "2027-01-01T00:00+00:00", "none"),
        ("2026-00", "2027-01-01T00:00+00:00", "none"),
        ("2026-13", "2027-01-01T00:00+00:00", "none"),
        ("0000", "2027-01-01T00:00+00:00", "none"),
        ("soon", "2027-01-01T00:00+00:00", "none"),
    ],
)
def test_a_date_is_kept_until_its_end_where_one_asks(
    due: str | None, now: str | None, timing: str
) -> None:
    (view,) = promises(made(1, due=due), now=now)
    assert (view.timing, view.status) == (timing, "open")
    (loop,) = loops(opened(1, "exam", "how it went", expected_by=due), now=now)
    assert loop.timing == {"due_later": "expected", "due_today": "expected"}.get(timing, timing)


def test_what_has_ended_is_not_late() -> None:
    (view,) = promises(made(1, due="2026-01-05"), ended(2, 1, "kept"), now="2030-01-01T00:00Z")
    assert (view.status, view.timing) == ("kept", "none")


def test_time_alone_breaks_nothing() -> None:
    (view,) = promises(made(1, due="2026-01-05"), now="2126-01-01T00:00Z")
    assert (view.status, view.timing) == ("open", "overdue")


def test_a_promise_waits_for_its_condition_and_is_not_late_before() -> None:
    promise = made(1, condition="if it rains", due="2026-01-05")
    (view,) = promises(promise, now="2027-01-01T00:00Z")
    assert (view.status, view.timing, view.condition_met) == ("waiting", "none", False)
    (view,) = promises(promise, met(2, 1), now="2027-01-01T00:00Z")
    assert (view.status, view.timing, view.condition_met) == ("open", "overdue", True)


def test_a_condition_that_nobody_named_cannot_come_about() -> None:
    assert digest([made(1), met(2, 1)]) == digest([made(1)])


@pytest.mark.parametrize("outcome", ["kept", "broken", "released"])
def test_a_waiting_promise_may_end(outcome: str) -> None:
    assert status(made(1, condition="if it rains"), ended(2, 1, outcome)) == outcome


SAME = [
    ("call you", "call you"),
    ("I'll call you.", "I will call you!"),
    ("call you", "Call you tomorrow evening"),
    ("take you to the sea", "take you to sea on my bike"),
    ("never lie to you", "not lie to you"),
    ("I won't leave", "never leave"),
    ("带你去看海", "带你去看海"),
    ("带你去看海", "周末带你去看海。"),
    ("我会带你去看海！", "会带你去看海"),
    ("🙂", "🙂"),
    ("to the", "to the"),
]
OTHER = [
    ("call you", "call your mother"),
    ("call you", "never call you"),
    ("call you at night", "not call you at night"),
    ("go with you", "go without you"),
    ("smoke", "stop smoking"),
    ("带你去看海", "不带你去看海"),
    ("带你去看海", "带你去爬山"),
    ("8点叫你", "９点叫你"),
    ("🙂", "🙃"),
    ("help you move", "help you with the exam"),
    ("all", "ball"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_told_again_in_other_words_it_is_one_promise(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        (view,) = promises(made(1, first), made(2, second))
        assert (view.number, view.act, view.retold) == (1, first, (2,))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_acts_are_other_promises(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert [view.number for view in promises(made(1, first), made(2, second))] == [1, 2]


def test_capitals_are_folded_in_ascii_alone() -> None:
    assert len(promises(made(1, "CALL İpek"), made(2, "call İpek"))) == 1
    assert len(promises(made(1, "besuche Ömer"), made(2, "besuche ömer"))) == 2


def test_who_promises_makes_a_difference() -> None:
    assert len(promises(made(1), made(2, promiser="user"))) == 2


@pytest.mark.parametrize(
    ("first", "second", "due"),
    [
        (None, None, None),
        (None, "2026-03-01", "2026-03-01"),
        ("2026-03-01", None, "2026-03-01"),
        ("2026-03-01", "2026-03-01", "2026-03-01"),
        ("2026-03", "2026-03-01", "2026-03-01"),
        ("2026-03-01", "2026", "2026-03-01"),
    ],
)
def test_a_date_may_be_left_out_or_made_more_exact(
    first: str | None, second: str | None, due: str | None
) -> None:
    (view,) = promises(made(1, due=first), made(2, due=second))
    assert (view.due, view.retold) == (due, (2,))


@pytest.mark.parametrize(
    ("first", "second"), [("2026-03-01", "2026-03-08"), ("2026-03", "2026-04"), ("2026", "2027-01")]
)
def test_another_date_is_another_promise(first: str, second: str) -> None:
    assert [view.due for view in promises(made(1, due=first), made(2, due=second))] == [
        first,
        second,
    ]


def test_what_became_exact_does_not_become_something_else() -> None:
    views = promises(
        made(1, "call"),
        made(2, "call your mother", due="2026-03-01"),
        made(3, "call your father"),
        made(4, "call your mother", due="2026-03-08"),
        made(5, "call"),
    )
    assert [(view.number, view.retold) for view in views] == [(1, (2, 5)), (3, ()), (4, ())]


def test_of_several_that_fit_the_same_words_come_first() -> None:
    views = promises(
        made(1, "call your mother", due="2026-03-01"),
        made(2, "call", due="2026-03-08"),
        made(3, "call"),
    )
    assert [view.retold for view in views] == [(), (3,)]


def test_the_first_telling_sets_the_condition() -> None:
    (view,) = promises(made(1, condition="if it rains"), made(2))
    assert (view.condition, view.status) == ("if it rains", "waiting")
    (view,) = promises(made(1), made(2, condition="if it rains"))
    assert (view.condition, view.status) == (None, "open")
    (view,) = promises(made(1, condition="if it rains"), made(2, condition="If it rains tomorrow"))
    assert view.retold == (2,)
    assert len(promises(made(1, condition="if it rains"), made(2, condition="if it snows"))) == 2


def test_a_sentence_counts_once_however_often_it_is_read() -> None:
    again = made(2, "call you up", text=1), made(3, text=1)
    (view,) = promises(made(1), *again)
    assert view.retold == ()
    (view,) = promises(made(1), *again, made(4, text=9), made(5, text=9))
    assert view.retold == (4,)


def test_every_telling_leads_to_the_promise() -> None:
    duplicate = made(2, text=1)
    for number in (1, 2, 3):
        (view,) = promises(made(1), duplicate, made(3), ended(4, number, "kept"))
        assert (view.number, view.status) == (1, "kept")
    (view,) = promises(made(1, condition="if it rains"), made(2), met(3, 2))
    assert view.condition_met


@pytest.mark.parametrize("outcome", ["kept", "broken", "released", "replaced"])
def test_what_has_ended_is_promised_anew(outcome: str) -> None:
    views = promises(made(1), ended(2, 1, outcome), made(3))
    assert [(view.number, view.status) for view in views] == [(1, outcome), (3, "open")]


def test_what_has_ended_is_not_promised_anew_by_its_own_sentence() -> None:
    (view,) = promises(made(1), ended(2, 1, "kept", turn=1), made(3, turn=1, text=1))
    assert (view.status, view.retold) == ("kept", ())


def test_when_the_first_telling_falls_the_second_counts() -> None:
    first = made(1, "call you", condition="if it rains")
    second = made(2, "call you tomorrow", due="2026-01-04")
    (view,) = promises(first, second)
    assert (view.number, view.act, view.status) == (1, "call you", "waiting")
    (view,) = promises(second)
    assert (view.number, view.act, view.status) == (2, "call you tomorrow", "open")
    assert view.retold == ()


def test_a_replacement_is_named_on_both_sides() -> None:
    old, new = promises(made(1), made(2, "write you"), ended(3, 1, "replaced", replaced_by=2))
    assert (old.status, old.replaced_by, old.replaces) == ("replaced", 2, ())
    assert (new.status, new.replaced_by, new.replaces) == ("open", None, (1,))


def test_a_replacement_that_was_told_before_is_named_by_its_first_telling() -> None:
    events = [made(1), made(2, "write you"), made(3, "write you a letter")]
    old, new = promises(*events, ended(4, 1, "replaced", replaced_by=3))
    assert (old.replaced_by, new.replaces, new.retold) == (2, (1,), (3,))


def test_when_the_replacement_falls_the_first_holds() -> None:
    assert status(made(1), ended(3, 1, "replaced", replaced_by=2)) == "open"


def test_what_is_told_again_replaces_nothing() -> None:
    for named in (1, 2):
        (view,) = promises(made(1), made(2), ended(3, 1, "replaced", replaced_by=named))
        assert (view.status, view.replaces) == ("open", ())


def test_replacements_never_lead_back() -> None:
    first, second, third = promises(
        made(1),
        made(2, "write you"),
        made(3, "visit you"),
        ended(4, 1, "replaced", replaced_by=2),
        ended(5, 2, "replaced", replaced_by=3),
        ended(6, 3, "replaced", replaced_by=1),
    )
    assert [view.status for view in (first, second, third)] == ["replaced", "replaced", "open"]
    assert (second.replaces, third.replaces) == ((1,), (2,))


def test_only_a_replacement_has_one() -> None:
    (old, _) = promises(made(1), made(2, "write you"), ended(3, 1, "released", replaced_by=2))
    assert (old.status, old.replaced_by) == ("released", None)


@pytest.mark.parametrize("outcome", ["completed", "cancelled", "abandoned"])
def test_a_loop_ends_once(outcome: str) -> None:
    exam = opened(1, "exam next week", "how it went", expected_by="2026-01-09")
    (view,) = loops(exam, closed(2, 1, outcome), closed(3, 1, "replaced"))
    assert view == LoopView(
        number=1,
        made=Moment(START.at + DAY),
        ended_by=2,
        replaced_by=None,
        replaces=(),
        retold=(),
        spans=((1, 0, 3),),
        subject="exam next week",
        continuation="how it went",
        expected_by="2026-01-09",
        status=outcome,  # type: ignore[arg-type]
        timing="none",
    )


def test_a_loop_is_told_again_by_subject_and_continuation() -> None:
    first = opened(1, "exam", "how it went")
    (view,) = loops(
        first, opened(2, "the exam next week", "How it went!", expected_by="2026-01-09")
    )
    assert (view.retold, view.expected_by, view.status) == ((2,), "2026-01-09", "open")
    assert len(loops(first, opened(2, "exam", "what to wear"))) == 2
    assert len(loops(first, opened(2, "trip", "how it went"))) == 2


def test_a_loop_is_replaced_by_a_loop() -> None:
    first, second = opened(1, "trip to Rome", "book"), opened(2, "trip to Oslo", "book")
    old, new = loops(first, second, closed(3, 1, "replaced", replaced_by=2))
    assert (old.status, old.replaced_by, new.replaces) == ("replaced", 2, (1,))
    # A promise is no loop, and no loop a promise.
    assert loops(first, made(2), closed(3, 1, "replaced", replaced_by=2))[0].status == "open"
    assert promises(made(1), closed(2, 1, "completed"))[0].status == "open"
    assert loops(first, ended(2, 1, "kept"))[0].status == "open"


NOT_READ = [
    Event(90, "SignalAccepted", {"signal": "quarrel"}, 90, None),
    Event(91, "SomethingUnknown", {}, 91, None),
    Event(92, "ConsequenceFollowed", {"effect": "harm"}, 92, None),
]


def test_what_is_not_read_or_dangles_changes_nothing() -> None:
    events = [made(1, condition="if it rains"), opened(2, "exam", "how it went")]
    strays = [
        ended(93, 2, "kept"),
        met(94, 7),
        closed(95, 1, "completed"),
        closed(96, 9, "replaced"),
    ]
    assert digest([*events, *NOT_READ, *strays]) == digest(events)
    assert not {stray.type for stray in NOT_READ} & PROMISES.reads


def test_an_unknown_time_is_none() -> None:
    (view,) = promises(made(1)._replace(moment=None))
    assert view.made is None


ACTS = ["call you", "call you tomorrow", "never call you", "write", "写信", "写信给你", "🙂"]
DUES = [None, "2026", "2026-03", "2026-03-01", "2026-03-08", "2026-99"]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Any events, by place; references may dangle, lead forward, or name the wrong kind."""
    events, turn = [], 0
    for number in range(draw(st.integers(0, 12))):
        turn += draw(st.integers(0, 1))
        place = {"turn": turn, "text": draw(st.integers(0, 9)), "sentence": draw(st.integers(0, 2))}
        target, other = draw(st.integers(0, 13)), draw(st.none() | st.integers(0, 13))
        due, act = draw(st.sampled_from(DUES)), draw(st.sampled_from(ACTS))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            who = draw(st.sampled_from(["user", "agent"]))
            condition = draw(st.sampled_from([None, "if it rains", "if it snows"]))
            found = made(number, act, who, due=due, condition=condition, **place)
        elif kind == 1:
            found = opened(number, act, draw(st.sampled_from(ACTS)), expected_by=due, **place)
        elif kind == 2:
            outcome = draw(st.sampled_from(["kept", "broken", "released", "replaced"]))
            found = ended(number, target, outcome, replaced_by=other, **place)
        elif kind == 3:
            outcome = draw(st.sampled_from(["completed", "cancelled", "abandoned", "replaced"]))
            found = closed(number, target, outcome, replaced_by=other, **place)
        else:
            found = met(number, target, **place)
        events.append(found)
    return events


@settings(max_examples=60, deadline=None)
@given(histories(), st.none() | st.integers(-(10**17), 10**17))
def test_whatever_comes_is_folded_and_shown(events: list[Event], at: int | None) -> None:
    before = copy.deepcopy(events)
    state = fold(events)
    assert events == before
    now = None if at is None else Moment(at, 8 * 3600)
    told = [*promises_at(state, now), *loops_at(state, now)]
    made_or_opened = [e for e in events if e.type in ("PromiseMade", "LoopOpened")]
    assert state == fold(events) and state_digest("promises", PROMISES.version, state)
    # Every telling is counted at most once, and nothing replaces what is not there.
    numbers = [n for view in told for n in (view.number, *view.retold)]
    assert len(set(numbers)) == len(numbers) <= len(made_or_opened)
    for views in (promises_at(state, now), loops_at(state, now)):
        pairs = {(v.number, v.replaced_by) for v in views if v.replaced_by is not None}
        assert pairs == {(old, v.number) for v in views for old in v.replaces}
        assert all(old != new for old, new in pairs)
        assert all(v.timing == "none" or v.status == "open" for v in views)


@settings(max_examples=40, deadline=None)
@given(histories(), st.integers(0, 12))
def test_what_falls_and_stands_again_restores_the_digest(events: list[Event], gone: int) -> None:
    whole, fallen = digest(events), [e for e in events if e.number == gone]
    kept = [e for e in events if e.number != gone]
    assert (digest(kept) == whole) or fallen
    assert digest(sorted(kept + fallen)) == whole


@settings(max_examples=40, deadline=None)
@given(histories(), st.integers(0, 12))
def test_a_kept_state_goes_on_as_if_it_had_never_been_put_away(
    events: list[Event], stop: int
) -> None:
    state = msgpack.unpackb(msgpack.packb(fold(events[:stop])))
    for later in events[stop:]:
        PROMISES.apply(state, later, None)
    assert state_digest("promises", PROMISES.version, state) == digest(events)


@settings(max_examples=24, deadline=None)
@given(st.permutations(["kept", "broken", "released", "replaced"]), st.randoms())
def test_ends_of_one_moment_are_settled_by_place(outcomes: list[str], order: Any) -> None:
    ends = [ended(n, 1, outcome, turn=5, text=5) for n, outcome in enumerate(outcomes, start=5)]
    shuffled = list(ends)
    order.shuffle(shuffled)
    events = [made(1), *sorted(shuffled, key=lambda e: (e.turn, e.number))]
    assert digest(events) == digest([made(1), *ends])
    # They rest on one sentence, so that none comes after the first.
    assert status(*events) == outcomes[0]


@settings(max_examples=20, deadline=None)
@given(histories())
def test_events_that_are_not_read_change_nothing_anywhere(events: list[Event]) -> None:
    mixed = [e for pair in zip(events, NOT_READ * len(events), strict=False) for e in pair]
    assert digest(mixed) == digest(events)


def test_repeating_a_sentence_does_not_make_the_state_grow() -> None:
    once = fold([made(1), made(2)])
    often = fold([made(1), made(2), *(made(n, text=2, turn=2) for n in range(3, 200))])
    assert often["promises"]["told"] == once["promises"]["told"]
    many = [made(n, f"thing number {n}", turn=n) for n in range(300)]
    assert len(promises_at(fold(many), Moment(START.at + HOUR))) == 300


# Compared with few, and with none too few.


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["call", "visit", "you", "给", "你", "打", "电", "话", "not"])),
        max_size=12,
    )
)
def test_whoever_holds_a_wording_or_is_held_by_it_is_found(acts: list[list[str]]) -> None:
    state = fold([])
    for number, act in enumerate(acts):
        key = _key(" ".join(act) or "hm")
        keys = {entry["keys"][0] for entry in state["promises"]["told"]}
        by_hand = {own for own in keys if own in key or key in own}
        near = {one["key"] for one in _near(state["promises"], "agent", key)}
        assert by_hand <= near and all(own in key or key in own for own in near)
        assert not _near(state["promises"], "user", key)
        PROMISES.apply(state, made(number, " ".join(act) or "hm", turn=number), None)


@pytest.mark.parametrize(
    ("act", "due"),
    [
        ("call you about matter {n} and bring file {m}", None),
        ("call you", "{y}-{month:02}-{day:02}"),
        ("给你买{a}送{b}做{c}", None),
        ("call {a} and {b} for {c} with {a}", None),
    ],
)
def test_thousands_of_different_promises_are_told_apart_in_no_time(
    act: str, due: str | None
) -> None:
    said = [
        {
            "n": n, "m": n * 7, "y": 2000 + n // 336, "month": n // 28 % 12 + 1, "day": n % 28 + 1,
            "a": "菜花信画衣书糖灯"[n % 8], "b": "鱼茶船琴伞鞋帽梨米"[n // 8 % 9], "c": "门窗床桌饭汤诗"[n % 7],
        }
        for n in range(4000)
    ]  # fmt: skip
    began = time.process_time()
    state = fold(
        [
            made(n, act.format(**one), turn=n, due=due and due.format(**one))
            for n, one in enumerate(said)
        ]
    )
    assert time.process_time() - began < 10
    told = {act.format(**one) + (due or "").format(**one) for one in said}
    assert len(state["promises"]["told"]) == len(told)


def test_what_is_promised_and_kept_each_day_costs_no_more_as_the_years_go_by() -> None:
    events = []
    for n in range(3000):
        events += [made(2 * n, "call you", turn=n), ended(2 * n + 1, 2 * n, "kept", turn=n)]
    began = time.process_time()
    state = fold(events)
    assert time.process_time() - began < 10
    assert [one["end"]["outcome"] for one in state["promises"]["told"]] == ["kept"] * 3000
