"""Beliefs: what holds when, in whatever order it came, and what became of the rest."""

from __future__ import annotations

import time
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.deciding.proposals import Category
from enishi.kernel.encoding import state_digest
from enishi.kernel.events import BeliefConfirmed, BeliefRetracted, BeliefStated
from enishi.kernel.fold import Event
from enishi.kernel.moments import DAY, Moment, date_of
from enishi.kernel.words.vocabulary import (
    compared,
    kinds_of,
    near_keys,
    normalised,
    opposed_keys,
    published_keys,
)
from enishi.projections.beliefs import BELIEFS, BeliefView, answer_at, beliefs_at, stale
from enishi.projections.intervals import days_of

CHINA = timezone(timedelta(hours=8))
MODELS = {
    "BeliefStated": BeliefStated,
    "BeliefConfirmed": BeliefConfirmed,
    "BeliefRetracted": BeliefRetracted,
}


def on(text: str, zone: timezone = UTC) -> Moment:
    """A moment from `2026-03-01` (noon) or `2026-03-01 18:30`."""
    when = datetime.fromisoformat(text if ":" in text else f"{text} 12:00")
    return Moment.of(when.replace(tzinfo=zone))


def event(kind: str, number: int, at: str | Moment | None, **fields: Any) -> Event:
    """An event as the fold gets it; by default each rests on a text of its own."""
    text, turn = fields.pop("text", number), fields.pop("turn", number)
    span = fields.pop("span", [0, 9])
    fields = {
        "by": "model",
        "spans": [[text, *span]],
        "sentence": fields.pop("sentence", [0, 20]),
        "voices": fields.pop("voices", ["user"]),
        **fields,
    }
    payload = MODELS[kind](**fields).model_dump(exclude_defaults=True)
    moment = on(at) if isinstance(at, str) else at
    return Event(number, kind, payload, turn, moment)


def said(number: int, at: str | Moment | None, key: str, value: str, **fields: Any) -> Event:
    fields = {"subject": "user", "key": key, "value": value, **fields}
    return event("BeliefStated", number, at, **fields)


def confirmed(number: int, at: str | Moment | None, belief: int, **fields: Any) -> Event:
    return event("BeliefConfirmed", number, at, belief=belief, **fields)


def retracted(number: int, at: str | Moment | None, belief: int, **fields: Any) -> Event:
    return event("BeliefRetracted", number, at, belief=belief, **fields)


def views(*events: Event, at: str | Moment | None = None) -> list[BeliefView]:
    state = BELIEFS.initial()
    for each in events:
        BELIEFS.apply(state, each, None)
    return beliefs_at(state, on(at) if isinstance(at, str) else at)


def now(*events: Event, at: str | Moment | None = None) -> list[str]:
    """The values that hold, with a minus before what is held not to be so."""
    found = [view for view in views(*events, at=at) if view.status == "current"]
    return sorted(view.value if view.polarity else f"-{view.value}" for view in found)


def statuses(*events: Event, at: str | Moment | None = None) -> dict[int, str]:
    return {view.number: view.status for view in views(*events, at=at)}


def test_nothing_is_believed_yet() -> None:
    assert views() == []


def test_a_belief_says_what_it_is_and_what_it_rests_on() -> None:
    told = said(
        4,
        on("2026-03-01 18:30", CHINA),
        "allergy",
        "walnuts",
        category="constraint",
        valid_from="2020",
        because={"wording": "I had a rash", "span": [4, 10, 22]},
    )
    (view,) = views(told)
    assert (view.number, view.subject, view.key, view.value) == (4, "user", "allergy", "walnuts")
    assert (view.polarity, view.category, view.basis) == (True, "constraint", "explicit")
    assert (view.authority, view.status, view.reason) == ("claimed", "current", None)
    assert (view.valid_from, view.valid_until, view.until) == ("2020", None, None)
    assert view.since == on("2020-01-01 00:00", CHINA)
    assert view.told == (on("2026-03-01 18:30", CHINA),)
    assert view.spans == ((4, 0, 9),)
    assert view.because == {"wording": "I had a rash", "span": [4, 10, 22]}
    with pytest.raises(AttributeError):
        view.value = "nuts"  # type: ignore[misc]


# PB-37: any order of arrival, one answer.
TEA = (
    said(1, "2023-09-23", "drinks", "coffee"),
    said(2, "2023-09-21", "drinks", "green tea"),
    said(3, "2023-09-22", "drinks", "green tea", polarity=False, valid_from="2023-09-22"),
)


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_what_arrives_out_of_order_is_sorted_by_when_it_held(order: tuple[int, ...]) -> None:
    events = [TEA[i]._replace(number=n) for n, i in enumerate(order)]
    assert now(*events) == ["-green tea", "coffee"]
    assert now(*events, at="2023-09-21 13:00") == ["green tea"]
    assert now(*events, at="2023-09-22") == ["-green tea"]
    assert now(*events, at="2023-09-20") == []


def test_what_was_stopped_and_begun_again_is_two_periods() -> None:
    again = said(4, "2023-09-25", "drinks", "green tea")
    found = {view.number: view for view in views(*TEA, again)}
    assert {n: v.status for n, v in found.items()} == {
        1: "current",
        2: "replaced",
        3: "replaced",
        4: "current",
    }
    assert (found[2].since, found[2].until) == (on("2023-09-21"), on("2023-09-22 00:00"))
    assert found[4].since == on("2023-09-25")


def test_stopped_today_ends_what_the_morning_said() -> None:
    morning = said(1, "2026-03-05 09:00", "employer", "Payments")
    evening = said(
        2, "2026-03-05 20:00", "employer", "Payments", polarity=False, valid_from="2026-03-05"
    )
    assert now(morning, evening) == ["-Payments"]
    held = views(morning, evening)[0]
    assert (held.status, held.since, held.until) == ("replaced", on("2026-03-05 09:00"), held.since)
    in_march = said(
        2, "2026-03-20 20:00", "employer", "Payments", polarity=False, valid_from="2026-03"
    )
    assert now(morning, in_march) == ["-Payments"]
    # Said before: he has it again.
    back = said(3, "2026-03-06", "employer", "Payments")
    assert now(morning, evening, back) == ["Payments"]


# PB-38: two periods of one fact stay two.
PAYMENTS = (
    said(1, "2026-03-10", "employer", "Payments", valid_from="2024-01", valid_until="2024-03"),
    said(2, "2026-03-10", "employer", "Payments", valid_from="2026-02"),
)


@pytest.mark.parametrize("events", [PAYMENTS, PAYMENTS[::-1]])
@pytest.mark.parametrize("at_once", [True, False])
def test_two_periods_of_the_same_fact_stay_two(events: tuple[Event, ...], at_once: bool) -> None:
    if not at_once:
        events = (events[0], events[1]._replace(moment=on("2026-03-12")))
    assert now(*events, at="2023-12-31") == []
    assert now(*events, at="2024-02-01") == now(*events, at="2024-03-31") == ["Payments"]
    assert now(*events, at="2024-04-01") == now(*events, at="2025-01-15") == []
    assert now(*events, at="2026-03-01") == ["Payments"]
    assert statuses(*events, at="2025-01-15") == {1: "past", 2: "future"}
    assert statuses(*events) == {1: "past", 2: "current"}


# PB-39: only single-valued slots replace.
@pytest.mark.parametrize(
    "events",
    [
        [
            said(1, "2026-01-01", "ran_on", "model 3b", subject="benchmark"),
            said(2, "2026-02-01", "ran_on", "model 7b", subject="benchmark"),
        ],
        [
            said(1, "2026-01-01", "uses", "B", subject="A"),
            said(2, "2026-02-01", "uses", "C", subject="B"),
        ],
        [said(1, "2026-01-01", "likes", "tea"), said(2, "2026-02-01", "likes", "coffee")],
        [said(1, "2026-01-01", "likes", "tea"), said(2, "2026-01-01 12:01", "likes", "coffee")],
        [
            said(1, "2026-01-01", "home_city", "Berlin", subject="Greta"),
            said(2, "2026-02-01", "home_city", "Paris"),
        ],
    ],
)
def test_different_things_do_not_replace_each_other(events: list[Event]) -> None:
    assert statuses(*events) == {1: "current", 2: "current"}
    assert all(view.possible_conflicts == () for view in views(*events))


@pytest.mark.parametrize("key", ["name", "age", "home_city", "employer", "job", "partner"])
def test_a_single_valued_slot_is_replaced(key: str) -> None:
    old, new = said(1, "2025-01-01", key, "old"), said(2, "2026-01-01", key, "new")
    for events in ((old, new), (new, old)):
        assert now(*events) == ["new"]
        assert now(*events, at="2025-06-01") == ["old"]
    first, second = views(old, new)
    assert (first.status, first.reason, first.resolved_from) == ("replaced", "newer", (2, 1))
    assert (second.status, second.reason, second.resolved_from) == ("current", "newer", (2, 1))
    assert first.until == second.since == on("2026-01-01")


def test_where_the_replacing_statement_falls_the_earlier_one_is_current_again() -> None:
    old, new = said(1, "2025-01-01", "job", "teacher"), said(2, "2026-01-01", "job", "cook")
    assert now(old, new) == ["cook"]
    assert now(old) == ["teacher"]
    taken_back = retracted(3, "2026-02-01", 2)
    assert now(old, new, taken_back) == ["teacher"]
    assert now(old, new, taken_back, at="2026-01-15") == ["teacher"]


def test_jobs_told_backwards_are_in_the_order_in_which_they_were_had() -> None:
    events = [
        said(1, "2026-01-01", "employer", "B", valid_from="2025"),
        said(2, "2026-01-02", "employer", "A", valid_from="2020"),
    ]
    assert now(*events) == ["B"]
    assert now(*events, at="2021-01-01") == ["A"]


def test_a_period_within_another_gives_the_place_back() -> None:
    home = said(1, "2025-01-01", "home_city", "Berlin")
    visit = said(2, "2025-12-01", "home_city", "Paris", valid_from="2026-01", valid_until="2026-02")
    again = said(3, "2026-05-01", "home_city", "Berlin")
    days = ("2025-12-31", "2026-01-01", "2026-02-28", "2026-03-01", "2026-06-01")
    for events in ((home, visit, again), (again, visit, home)):
        cities = [now(*events, at=day) for day in days]
        assert cities == [["Berlin"], ["Paris"], ["Paris"], ["Berlin"], ["Berlin"]]
    assert statuses(home, visit, again) == {1: "current", 2: "past"}


def test_no_longer_there_says_nothing_of_elsewhere() -> None:
    events = [
        said(1, "2026-01-01", "home_city", "Berlin"),
        said(2, "2026-02-01", "home_city", "Berlin", polarity=False),
        said(3, "2026-03-01", "home_city", "Paris"),
        said(4, "2026-03-02", "home_city", "Rome", polarity=False),
    ]
    assert now(*events) == ["-Berlin", "-Rome", "Paris"]
    assert now(*events, at="2026-02-15") == ["-Berlin"]


def test_an_end_that_is_told_later_ends_what_was_open() -> None:
    told = said(1, "2025-01-01", "works_with", "Payments")
    ended = said(2, "2026-05-01", "works_with", "Payments", valid_until="2026-03")
    for events in ((told, ended), (ended, told)):
        assert now(*events, at="2026-03-31") == ["Payments"]
        assert now(*events, at="2026-04-01") == []
    # What is said after the end goes on.
    assert now(told, ended, said(3, "2026-06-01", "works_with", "Payments")) == ["Payments"]
    # Hearsay ends nothing.
    hearsay = ended._replace(payload={**ended.payload, "authority": "reported"})
    assert now(told, hearsay) == ["Payments"]


@pytest.mark.parametrize(
    ("since", "first", "until", "last"),
    [
        ("2026", "2026-01-01", "2026", "2026-12-31"),
        ("2026-03", "2026-03-01", "2026-03", "2026-03-31"),
        ("2024-02", "2024-02-01", "2024-02", "2024-02-29"),
        ("2026-12", "2026-12-01", "2026-12", "2026-12-31"),
        ("2026-03-01", "2026-03-01", "2026-03-01", "2026-03-01"),
    ],
)
def test_a_partial_date_begins_at_its_start_and_ends_at_its_end(
    since: str, first: str, until: str, last: str
) -> None:
    told = said(1, on("2020-01-01", CHINA), "goal", "rest", valid_from=since, valid_until=until)
    start, end = on(f"{first} 00:00", CHINA), on(f"{last} 00:00", CHINA)
    microsecond, day = 1, DAY
    for at, status in (
        (start.at - microsecond, "future"),
        (start.at, "current"),
        (end.at + day - microsecond, "current"),
        (end.at + day, "past"),
    ):
        assert statuses(told, at=Moment(at)) == {1: status}


@pytest.mark.parametrize("text", ["2026-13", "2026-02-30", "0000", "2026-00-10"])
def test_a_date_that_no_calendar_has_is_no_date(text: str) -> None:
    assert days_of(text) is None
    told = said(1, "2026-01-01", "goal", "rest", valid_from=text, valid_until=text)
    assert len(views(told)) == 1


def test_days_are_counted_as_moments_count_them() -> None:
    assert days_of("1970-01-01") == (0, 1)
    found = days_of("2026-02")
    assert found and [date_of(day).isoformat() for day in found] == ["2026-02-01", "2026-03-01"]


def test_unknown_times_are_ordered_by_their_place() -> None:
    old, new = said(1, None, "job", "teacher"), said(2, None, "job", "cook")
    for events in ((old, new), (new, old)):
        assert now(*events) == ["cook"]
        (first, second) = views(*events)
        assert (first.status, first.reason, second.since) == ("replaced", "newer", None)
    # What is dated afterwards is newer still.
    assert now(old, new, said(3, "2026-01-01", "job", "nurse")) == ["nurse"]


def test_one_moment_is_ordered_by_the_place_of_the_words() -> None:
    first = said(8, "2026-01-01", "job", "teacher", text=5, turn=5, span=[0, 9])
    later = said(7, "2026-01-01", "job", "cook", text=5, turn=5, span=[30, 40])
    assert now(first, later) == now(later, first) == ["cook"]


FOUNDATIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("explicit_over_inferred", {}, {"basis": "inferred"}),
    ("explicit_over_import", {}, {"by": "import"}),
    ("inferred_over_import", {"basis": "inferred"}, {"by": "import"}),
    ("claimed_over_reported", {}, {"authority": "reported"}),
    ("explicit_over_inferred", {"authority": "reported"}, {"basis": "inferred"}),
]


@pytest.mark.parametrize(("reason", "strong", "weak"), FOUNDATIONS)
def test_of_one_time_the_better_founded_holds(
    reason: str, strong: dict[str, Any], weak: dict[str, Any]
) -> None:
    dated = {"valid_from": "2026-01"}
    better = said(1, "2026-02-01", "job", "teacher", **strong, **dated)
    lesser = said(2, "2026-02-03", "job", "cook", **weak, **dated)
    for events in ((better, lesser), (lesser, better)):
        winner, loser = views(*events)
        assert (winner.status, winner.value) == ("current", "teacher")
        assert (loser.status, loser.value) == ("conflicting", "cook")
        assert winner.reason == loser.reason == reason
        assert winner.resolved_from == loser.resolved_from == (1, 2)


@pytest.mark.parametrize(("reason", "strong", "weak"), FOUNDATIONS)
def test_the_lesser_founded_replaces_only_with_a_date_of_its_own(
    reason: str, strong: dict[str, Any], weak: dict[str, Any]
) -> None:
    better = said(1, "2026-02-01", "job", "teacher", **strong)
    winner, loser = views(better, said(2, "2026-03-01", "job", "cook", **weak))
    assert (winner.status, loser.status, loser.reason) == ("current", "conflicting", reason)
    dated = said(2, "2026-03-01", "job", "cook", valid_from="2026-03", **weak)
    assert now(better, dated) == ["cook"]
    # And the better founded one replaces whatever was.
    assert now(said(0, "2026-01-01", "job", "nurse", **weak), better) == ["teacher"]


def test_of_one_time_and_foundation_the_later_said_holds() -> None:
    events = [
        said(1, "2026-02-01", "job", "teacher", valid_from="2026-01"),
        said(2, "2026-02-03", "job", "cook", valid_from="2026-01"),
    ]
    loser, winner = views(*events)
    assert (winner.value, winner.status, winner.reason) == ("cook", "current", "later_said")
    assert (loser.status, loser.resolved_from) == ("conflicting", (2, 1))


@pytest.mark.parametrize(("minutes", "reason"), [(1, "corrected"), (5, "corrected"), (6, "newer")])
def test_a_slip_that_is_corrected_at_once_is_no_conflict(minutes: int, reason: str) -> None:
    slip = said(1, "2026-01-01 12:00", "name", "Jon")
    meant = said(2, f"2026-01-01 12:0{minutes}", "name", "John")
    for events in ((slip, meant), (meant, slip)):
        first, second = views(*events)
        assert (first.status, first.reason) == ("replaced", reason)
        assert (second.status, second.value) == ("current", "John")
        assert (first.resolved_from is None) == (reason == "corrected")


def test_equal_values_within_minutes_are_one_belief() -> None:
    (view,) = views(
        said(1, "2026-01-01 12:00", "name", "Chen"), said(2, "2026-01-01 12:01", "name", "chen. ")
    )
    assert (view.number, view.value, len(view.told)) == (1, "Chen", 2)


def test_what_is_told_again_is_remembered_and_no_second_belief() -> None:
    days = ("2026-01-01", "2026-02-01", "2026-03-01")
    values = ("Tea", "tea", " ＴＥＡ")
    events = [said(n + 1, days[n], "likes", value) for n, value in enumerate(values)]
    (view,) = views(*events)
    assert (view.number, view.value, view.status) == (1, "Tea", "current")
    assert view.told == tuple(map(on, days))
    assert view.since == on("2026-01-01")


def test_the_same_sentence_strengthens_nothing() -> None:
    once = said(1, "2026-01-01", "likes", "tea", text=7)
    twice = said(2, "2026-01-01", "likes", "tea", text=7)
    other = said(3, "2026-01-01", "likes", "tea", text=7, sentence=[21, 40])
    (view,) = views(*[once._replace(number=n) for n in range(50)], twice)
    assert len(view.told) == 1
    (view,) = views(once, twice, other)
    assert len(view.told) == 2


def test_lesser_words_do_not_strengthen_better_ones() -> None:
    claimed = said(1, "2026-01-01", "likes", "tea")
    echo = said(2, "2026-02-01", "likes", "tea", authority="reported", voices=["agent"])
    guess = said(3, "2026-03-01", "likes", "tea", basis="inferred")
    (view,) = views(claimed, echo, guess)
    assert (view.told, view.authority, view.basis) == ((on("2026-01-01"),), "claimed", "explicit")
    # Once claimed, it is as good as claimed.
    (view,) = views(said(0, "2025-12-01", "likes", "tea", basis="inferred"), claimed)
    assert (view.number, view.basis, view.told) == (0, "explicit", (on("2026-01-01"),))


def test_what_was_outweighed_is_no_beginning() -> None:
    events = [
        said(1, "2026-01-01", "home_city", "Berlin"),
        said(2, "2026-02-01", "home_city", "Paris", basis="inferred"),
        said(3, "2026-03-01", "home_city", "Paris"),
    ]
    assert now(*events, at="2026-02-15") == ["Berlin"]
    berlin, paris = views(*events)
    assert (berlin.status, berlin.until) == ("replaced", on("2026-03-01"))
    assert (paris.status, paris.since) == ("current", on("2026-03-01"))


# PB-61: one fact in two languages.
def test_a_paraphrase_of_the_same_words_is_the_same_belief() -> None:
    english = said(
        1, "2026-01-01", "hobby", "bouldering outdoors", text=3, span=[2, 6], literal=False
    )
    chinese = said(2, "2026-01-01", "hobby", "野外抱石", text=3, span=[2, 6])
    later = said(9, "2026-02-01", "hobby", "野外抱石")
    for events in ((english, chinese, later), (later, chinese, english)):
        (view,) = views(*events)
        assert view.value == "野外抱石"
        assert len(view.told) == 2


def test_the_words_of_the_table_are_the_same_in_either_language() -> None:
    english = said(1, "2026-01-01", "likes", "green tea", span=[2, 4], literal=False)
    for value in ("绿茶", "綠茶", "绿茶。"):
        (view,) = views(english, said(2, "2026-02-01", "likes", value))
        assert view.value == value
        assert len(view.told) == 2
    moved = (
        said(3, "2026-03-01", "home_city", "上海"),
        said(4, "2026-04-01", "home_city", "Shanghai"),
    )
    assert len(views(*moved)) == 1


def test_two_things_of_one_sentence_stay_two() -> None:
    shared = {"text": 3, "sentence": [0, 9]}
    both = [
        said(1, "2026-01-01", "likes", "茶", span=[3, 4], **shared),
        said(2, "2026-01-01", "likes", "咖啡", span=[5, 7], **shared),
    ]
    assert now(*both, said(3, "2026-01-01", "likes", "coffee", span=[0, 7], **shared)) == [
        "咖啡",
        "茶",
    ]
    # The table knows that tea is not coffee; other words may mean either of the two.
    assert len(views(both[0], said(3, "2026-01-01", "likes", "coffee", span=[0, 7], **shared))) == 2
    odd = said(3, "2026-01-01", "likes", "quiet hot drinks", span=[0, 7], **shared)
    assert len(views(*both, odd)) == 3
    apart = said(3, "2026-01-01", "likes", "rye whisky", span=[5, 7], **shared)
    assert len(views(both[0], apart)) == 2


# PB-26: what was taken back stays taken back.
WALNUTS = (
    said(1, "2026-01-01", "allergy", "walnuts", authority="reported"),
    retracted(2, "2026-01-02", 1),
    said(3, "2026-01-03", "allergy", "walnuts", authority="reported", voices=["agent"]),
)


def test_a_retracted_belief_is_history_and_no_retelling_revives_it() -> None:
    for events in (WALNUTS, WALNUTS[::-1]):
        (view,) = views(*events)
        assert (view.number, view.status, view.retraction) == (1, "retracted", 2)
        assert view.told == (on("2026-01-01"),)
        assert now(*events) == now(*events, at="2026-01-01 18:00") == []


@pytest.mark.parametrize(
    "weak", [{"authority": "reported"}, {"basis": "inferred"}, {"by": "import"}]
)
def test_only_a_claim_in_so_many_words_revives_it(weak: dict[str, Any]) -> None:
    again = said(4, "2026-02-01", "allergy", "walnuts", **weak)
    assert now(*WALNUTS, again) == []
    claim = said(4, "2026-02-01", "allergy", "Walnuts")
    for events in ((*WALNUTS, claim), (claim, *WALNUTS)):
        assert statuses(*events) == {1: "retracted", 4: "current"}
        assert now(*events, at="2026-01-15") == []
    before = said(4, "2026-01-01 18:00", "allergy", "walnuts")
    assert now(*WALNUTS, before) == []
    assert now(*WALNUTS, claim, retracted(5, "2026-03-01", 4)) == []


def test_a_retraction_takes_back_one_period_and_one_thing() -> None:
    other = said(3, "2026-03-10", "employer", "Stripe", valid_from="2025-01", valid_until="2025-12")
    events = (*PAYMENTS, other, retracted(4, "2026-03-11", 2))
    assert statuses(*events) == {1: "past", 2: "retracted", 3: "past"}


@pytest.mark.parametrize("kind", ["BeliefConfirmed", "BeliefRetracted"])
def test_what_speaks_of_something_absent_does_nothing(kind: str) -> None:
    told, lost = said(2, "2026-01-02", "likes", "coffee"), said(1, "2026-01-01", "likes", "tea")
    outcome = event(kind, 3, "2026-01-03", belief=1)
    assert views(told, outcome) == views(told, at="2026-01-03")
    # And where its target stands again, it works again.
    found = {view.number: view for view in views(lost, told, outcome)}
    assert found[2].status == "current"
    if kind == "BeliefConfirmed":
        assert found[1].confirmed_at == (on("2026-01-03"),)
    else:
        assert (found[1].status, found[1].retraction) == ("retracted", 3)


def test_a_confirmation_refreshes_whichever_telling_it_names() -> None:
    told, again = said(1, "2026-01-01", "likes", "tea"), said(2, "2026-02-01", "likes", "tea")
    events = [confirmed(5, "2026-05-01", 1), confirmed(4, "2026-04-01", 2)]
    (view,) = views(told, again, *events, confirmed(6, "2026-05-01", 1, text=5, turn=5))
    assert view.confirmed_at == (on("2026-04-01"), on("2026-05-01"))
    assert view.last_affirmed == on("2026-05-01")
    assert len(view.told) == 2


def test_beliefs_that_may_contradict_each_other_are_shown_to_each_other() -> None:
    python = said(1, "2026-01-01", "likes", "Python")
    for key, value in (("uses", "Rust"), ("skill", "mainly writes Rust"), ("works_with", "rust")):
        first, second = views(python, said(2, "2026-01-08", key, value))
        assert first.status == second.status == "current"
        assert (first.possible_conflicts, second.possible_conflicts) == ((2,), (1,))
    tastes = said(1, "2026-01-01", "likes", "绿茶"), said(2, "2026-02-01", "dislikes", "green tea")
    assert [view.possible_conflicts for view in views(*tastes)] == [(2,), (1,)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("likes", "Python"), ("likes", "Rust")),
        (("likes", "tea"), ("uses", "Rust")),
        (("likes", "Python"), ("uses", "Python 3")),
        (("likes", "tea"), ("dislikes", "coffee")),
        (("home_city", "Paris"), ("hometown", "Berlin")),
    ],
)
def test_what_is_unlike_is_not_flagged(one: tuple[str, str], other: tuple[str, str]) -> None:
    events = said(1, "2026-01-01", *one), said(2, "2026-02-01", *other)
    assert [view.possible_conflicts for view in views(*events)] == [(), ()]
    elsewhere = said(2, "2026-02-01", "dislikes", "Python", subject="Greta")
    assert all(not v.possible_conflicts for v in views(said(1, "2026-01-01", *one), elsewhere))


def test_a_question_may_be_about_one_subject_or_one_key() -> None:
    state = BELIEFS.initial()
    for each in (
        said(1, "2026-01-01", "likes", "tea", subject="Greta"),
        said(2, "2026-01-01", "likes", "tea"),
        said(3, "2026-01-01", "job", "cook", subject="greta "),
    ):
        BELIEFS.apply(state, each, None)
    assert [view.number for view in beliefs_at(state, subject="GRETA")] == [1, 3]
    assert [view.number for view in beliefs_at(state, key="likes")] == [1, 2]
    assert [view.number for view in beliefs_at(state, subject="user", key="job")] == []


def test_what_nobody_spoke_of_lately_is_stale() -> None:
    events = [
        said(1, "2026-01-10", "likes", "tea"),
        said(2, "2026-01-01", "likes", "milk"),
        said(3, "2026-03-01", "likes", "rice"),
        said(4, "2026-01-01", "likes", "fish"),
        confirmed(5, "2026-02-25", 4),
        said(6, None, "likes", "snow"),
        said(7, "2025-01-01", "job", "cook"),
        said(8, "2026-03-01", "job", "nurse"),
    ]
    found = stale(views(*events), on("2026-03-05"))
    assert [view.number for view in found.stale] == [6, 2, 1]
    assert (found.current, found.confirmed) == (6, 1)
    assert found.share_confirmed == pytest.approx(1 / 6)
    assert [v.number for v in stale(views(*events), on("2026-03-05"), days=60).stale] == [6, 2]
    assert stale([], on("2026-03-05")).share_confirmed == 0.0


def test_the_published_keys_are_whole() -> None:
    keys = published_keys()
    assert 45 <= len(keys) <= 60
    for key in keys.values():
        assert key.values in ("one", "many")
        assert key.category in get_args(Category)
        assert "S" in key.meaning and "V" in key.meaning and key.meaning.endswith(".")
        assert key.sentence("<s>", "<v>").count("<s>") == 1
        chinese = key.sentence("<s>", "<v>", "zh")
        assert "<s>" in chinese and "<v>" in chinese and chinese.endswith("。")
    assert {*near_keys(), *opposed_keys()} <= keys.keys()


def test_every_word_of_the_table_means_one_thing() -> None:
    path = Path(__file__).parent.parent / "kernel" / "words" / "words.toml"
    forms: dict[str, str] = {}
    for words in tomllib.loads(path.read_text("utf-8")).values():
        for word, others in words.items():
            for form in (word, *others):
                assert forms.setdefault(normalised(form), word) == word, form
                assert compared(form).same == word
    assert len(set(forms.values())) >= 150


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ("  Green\u3000 TEA ", "green tea"),
        ("Ｃ＋＋", "c++"),
        ("“Rust”", "rust"),
        ("ÉCLAIRS", "Éclairs"),
        ("...", "..."),
    ],
)
def test_values_are_compared_by_tables_of_our_own(value: str, same: str) -> None:
    assert compared(value).same == same


def test_the_kinds_of_a_value_are_those_of_its_longest_words() -> None:
    assert kinds_of("mostly writes Rust these days") == {"programming": frozenset({"rust"})}
    assert kinds_of("喜欢水果") == {"food": frozenset({"fruit"})}
    assert kinds_of("trusty things") == {}


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Anything said, confirmed and taken back about few things within few days."""
    events = []
    for number in range(draw(st.integers(1, 12))):
        minutes = draw(st.none() | st.sampled_from([0, 3, 600, 1440, 1442, 4000, 44_640]))
        at = None if minutes is None else Moment(20_500 * DAY + minutes * 60_000_000, 28_800)
        place = {"text": draw(st.integers(0, 3)), "turn": draw(st.integers(0, 2))}
        target = draw(st.integers(0, 30))
        if target < number:
            kind = draw(st.sampled_from(["BeliefConfirmed", "BeliefRetracted"]))
            events.append(event(kind, number, at, belief=target, **place))
            continue
        dates = st.none() | st.sampled_from(["2026", "2026-02", "2026-02-16", "2026-03"])
        events.append(
            said(
                number,
                at,
                draw(st.sampled_from(["home_city", "likes", "dislikes"])),
                draw(st.sampled_from(["Paris", "paris", "巴黎", "Rome"])),
                polarity=draw(st.sampled_from([True, True, False])),
                basis=draw(st.sampled_from(["explicit", "explicit", "inferred"])),
                authority=draw(st.sampled_from(["claimed", "claimed", "reported"])),
                by=draw(st.sampled_from(["model", "model", "import"])),
                valid_from=draw(dates),
                valid_until=draw(dates),
                **place,
            )
        )
    return events


MOMENTS = [None, *(Moment((20_500 + days) * DAY, 28_800) for days in (-20, 0, 1, 3, 40))]


@settings(max_examples=60, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_answers(events: list[Event], chance: Random) -> None:
    shuffled = list(events)
    chance.shuffle(shuffled)
    for at in MOMENTS:
        assert views(*shuffled, at=at) == views(*events, at=at)
    # The numbers are the order of arrival; nothing but the numbers follows them.
    new = {each.number: number for number, each in enumerate(shuffled)}
    arrived = [
        each._replace(
            number=new[each.number],
            payload={**each.payload, "belief": new[each.payload["belief"]]}
            if "belief" in each.payload
            else each.payload,
        )
        for each in shuffled
    ]
    for at in MOMENTS:
        assert sorted(map(numberless, views(*arrived, at=at))) == sorted(
            map(numberless, views(*events, at=at))
        )


def numberless(view: BeliefView) -> str:
    contested = view.resolved_from is not None
    flags = contested, view.retraction is not None, len(view.possible_conflicts)
    plain = view._replace(
        number=0, resolved_from=None, retraction=None, possible_conflicts=(), spans=()
    )
    return f"{plain} {flags}"


@settings(max_examples=60, deadline=None)
@given(histories())
def test_whatever_came_the_answers_hang_together(events: list[Event]) -> None:
    stated = {each.number for each in events if each.type == "BeliefStated"}
    for at in MOMENTS:
        found = views(*events, at=at)
        assert len({view.number for view in found}) == len(found)
        assert {view.number for view in found} <= stated
        current = [view for view in found if view.status == "current"]
        things = [(v.key, compared(v.value).same) for v in current]
        # A thing holds or does not, once; and one lives in one city.
        assert len(set(things)) == len(things)
        assert sum(view.polarity for view in current if view.key == "home_city") <= 1
        for view in found:
            assert set(view.possible_conflicts) <= {other.number for other in current}
            assert (view.status == "retracted") == (view.retraction is not None)
            if view.status in ("replaced", "conflicting"):
                assert view.reason
            if view.resolved_from:
                assert view.number in view.resolved_from
                assert set(view.resolved_from) <= {other.number for other in found}
            if view.status == "conflicting":
                assert view.resolved_from and view.resolved_from[1] == view.number


@settings(max_examples=40, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_the_state_is_plain_and_has_one_digest(events: list[Event], chance: Random) -> None:
    def digest(order: list[Event]) -> str:
        state = BELIEFS.initial()
        for each in order:
            BELIEFS.apply(state, each, None)
        assert msgpack.unpackb(msgpack.packb(state)) == state
        return state_digest(BELIEFS.name, BELIEFS.version, state)

    shuffled = list(events)
    chance.shuffle(shuffled)
    assert digest(shuffled) == digest(events)


@settings(max_examples=40, deadline=None)
@given(histories())
def test_an_answer_holds_as_long_as_it_says(events: list[Event]) -> None:
    state = BELIEFS.initial()
    for each in events:
        BELIEFS.apply(state, each, None)
    instants = [(20_500 + days) * DAY for days in range(-60, 60, 4)]
    answers = {at: answer_at(state, at, None, None) for at in instants}
    for at, answer in answers.items():
        assert answer.since <= at < answer.until
        for other in (one for one in instants if answer.since <= one < answer.until):
            assert answers[other].views == answer.views


def test_asking_changes_nothing() -> None:
    state = BELIEFS.initial()
    for each in (*TEA, *WALNUTS):
        BELIEFS.apply(state, each, None)
    before = state_digest("beliefs", BELIEFS.version, state)
    beliefs_at(state, on("2026-01-01"))
    assert state_digest("beliefs", BELIEFS.version, state) == before


def test_ten_thousand_statements_are_answered_fast() -> None:
    chance, state = Random(1), BELIEFS.initial()
    keys = ["likes", "dislikes", "uses", "skill", "hobby", "home_city", "friend", "event"]
    for number in range(10_000):
        payload = {
            "subject": "user",
            "key": chance.choice(keys),
            "value": f"thing {chance.randrange(500)}",
            "polarity": chance.random() > 0.1,
            "spans": [[number, 0, 9]],
            "sentence": [0, 20],
            "voices": ["user"],
        }
        moment = Moment(20_000 * DAY + number * DAY // 20, 28_800)
        BELIEFS.apply(state, Event(number, "BeliefStated", payload, number, moment), None)
    packed = msgpack.packb(state)
    # In proportion to a bare decoding of the state, so that it holds on any machine.
    bare = fastest(lambda: msgpack.unpackb(packed))
    assert fastest(lambda: beliefs_at(state, subject="user", key="skill")) < 3 * bare
    assert fastest(lambda: beliefs_at(state)) < 16 * bare


def fastest(work: Any) -> float:
    times = []
    for _ in range(4):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
