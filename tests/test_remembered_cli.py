"""What is remembered, decided and corrected, as a person sees it and as a machine does."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import Shell, fixed_store, state_of

from enishi import Citation, Signal
from enishi.host import Relationship
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefRetraction,
    Consequence,
    LoopOutcome,
    OpenLoop,
    Promise,
    PromiseConditionMet,
    PromiseOutcome,
    Proposal,
    TensionStep,
)

MARCH = datetime(2024, 3, 1, 18, tzinfo=UTC)


class Writer:
    """Records what was said day by day, and what it shows."""

    def __init__(self, bond: Relationship) -> None:
        self.bond = bond
        self.day = 0

    def said(self, message: str, reply: str = "Mm.") -> tuple[int, int]:
        """The numbers of the message and of the reply."""
        at = MARCH + timedelta(days=self.day)
        self.day += 1
        view = self.bond.record(message, reply, at=at).view()
        return view.messages[0].number, view.replies[0].number

    def event(self, proposal: Proposal) -> int:
        (decided,) = self.bond.propose(None, [proposal])
        assert decided.event is not None, decided
        return decided.event


def cite(*spots: tuple[int, str]) -> tuple[Citation, ...]:
    return tuple(Citation(text=text, quote=quote) for text, quote in spots)


class Told(NamedTuple):
    """A store in which something of everything was told, and the numbers of the events."""

    store: Path
    oslo: int
    bergen: int
    tea: int
    letter: int
    harm: int
    held: int
    joke: int
    thanks: int


@pytest.fixture
def told(tmp_path: Path) -> Told:
    path = tmp_path / "told.db"
    with fixed_store(path) as store:
        w = Writer(store.relationship("Lumi", "Chen"))
        user: dict[str, Any] = {"subject": "user", "key": "home_city"}
        text, _ = w.said("I live in Oslo. Thank you.")
        oslo = w.event(Belief(**user, value="Oslo", citations=cite((text, "I live in Oslo"))))
        thanks = Signal(signal="gratitude", actor="user", citations=cite((text, "Thank you")))
        thanked = w.event(thanks)
        text, _ = w.said("I live in Bergen now.")
        bergen = w.event(Belief(**user, value="Bergen", citations=cite((text, "I live in Bergen"))))
        text, _ = w.said("我不喝酒，一直都不喝。")
        drinks: dict[str, Any] = {"subject": "user", "key": "drinks", "polarity": False}
        w.event(Belief(**drinks, value="酒", citations=cite((text, "我不喝酒"))))
        words = "I was at Payments from 2019-01 until 2020-02."
        text, _ = w.said(words)
        period = {"valid_from": "2019-01", "valid_until": "2020-02"}
        job: dict[str, Any] = {"subject": "user", "key": "employer", **period}
        w.event(Belief(**job, value="Payments", citations=cite((text, words))))

        words = "I will bring you tea by 2024-03-20."
        _, text = w.said("And you?", words)
        word: dict[str, Any] = {"promiser": "agent", "act": "bring you tea"}
        tea = w.event(Promise(**word, due="2024-03-20", citations=cite((text, words))))
        words = "I will write a letter if it rains."
        text, _ = w.said(words)
        word = {"promiser": "user", "act": "write a letter", "condition": "it rains"}
        letter = w.event(Promise(**word, citations=cite((text, words))))
        words = "My exam is on 2024-03-10."
        text, _ = w.said(words)
        loop: dict[str, Any] = {"subject": "exam", "continuation": "My exam is on 2024-03-10"}
        w.event(OpenLoop(**loop, expected_by="2024-03-10", citations=cite((text, words))))

        _, reply = w.said("Well?", "I do not care.")
        text, sorry = w.said("That hurt me.", "I am sorry about that.")
        both = cite((reply, "I do not care"), (text, "That hurt me"))
        harm = w.event(Consequence(effect="trust_lost", bearer="user", citations=both))
        step = cite((sorry, "I am sorry about that"))
        w.event(TensionStep(consequence=harm, outcome="addressed", citations=step))
        unsure = Promise(promiser="agent", act="am sorry", confidence=0.6, citations=step)
        joke = thanks.model_copy(update={"mode": "joke"})
        held, rejected = w.bond.propose(None, [unsure, joke])
        assert (held.verdict, rejected.verdict) == ("held", "rejected")
    return Told(
        path, oslo, bergen, tea, letter, harm, held.number, rejected.number, thanked
    )  # fmt: skip


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A store with a relationship in which nothing was said."""
    path = tmp_path / "empty.db"
    with fixed_store(path) as store:
        store.relationship("Lumi", "Chen")
    return path


def rows(told: str) -> list[list[str]]:
    """The cells of the tables that were printed, without the blank lines."""
    lines = [line for line in told.splitlines() if line.strip(" ─")]
    return [[cell for cell in line.strip().split("   ") if cell] for line in lines]


def row_of(told: str, number: int) -> str:
    (found,) = [line for line in told.splitlines() if line.split()[:1] == [str(number)]]
    return " ".join(found.split())


# --- beliefs


def test_beliefs_are_what_is_held_true_now(shell: Shell, told: Told) -> None:
    out = shell.ok("beliefs", "--store", told.store)
    assert "Oslo" not in out and "Payments" not in out
    expected = f"{told.bergen} user home city Bergen since 2024-03-02 claimed, explicit current"
    assert row_of(out, told.bergen) == expected
    assert "not 酒" in out
    found = shell.json("beliefs", "--store", told.store)
    assert [(one["value"], one["polarity"]) for one in found] == [("Bergen", True), ("酒", False)]
    assert {one["status"] for one in found} == {"current"}
    assert found[0]["number"] == told.bergen
    assert found[0]["since"] == {"at": "2024-03-02T18:00:00+00:00", "zone_assumed": False}


def test_all_beliefs_also_tell_when_and_why_they_gave_way(shell: Shell, told: Told) -> None:
    out = shell.ok("beliefs", "--all", "--store", told.store)
    expected = "user home city Oslo 2024-03-01 to 2024-03-02 claimed, explicit replaced: newer"
    expected += f" (see {told.bergen})"
    assert row_of(out, told.oslo) == f"{told.oslo} {expected}"
    assert "2019-01 to 2020-02" in out and "past" in out
    found = shell.json("beliefs", "--all", "--store", told.store)
    assert [one["value"] for one in found] == ["Oslo", "Bergen", "酒", "Payments"]
    statuses = [one["status"] for one in found]
    assert statuses == ["replaced", "current", "current", "past"]
    assert found[0]["resolved_from"] == [told.bergen, told.oslo]


@pytest.mark.parametrize(
    ("at", "values"),
    [
        ("2019-06-01T00:00Z", ["Payments"]),
        ("2020-02-29T23:00Z", ["Payments"]),
        ("2020-03-01T00:00Z", []),
        ("2024-03-02T00:00+00:00", ["Oslo"]),
        ("2024-03-03T02:30+08:00", ["Bergen"]),
    ],
)
def test_beliefs_at_a_time_are_what_held_then(
    shell: Shell, told: Told, at: str, values: list[str]
) -> None:
    found = shell.json("beliefs", "--at", at, "--store", told.store)
    assert [one["value"] for one in found] == values
    out = shell.ok("beliefs", "--at", at, "--store", told.store)
    for value in ("Payments", "Oslo", "Bergen"):
        assert (value in out) == (value in values)
    # The others are still there, each with its status at that time.
    everything = shell.json("beliefs", "--all", "--at", at, "--store", told.store)
    assert len(everything) == 4
    assert [one["value"] for one in everything if one["status"] == "current"] == values


def test_stale_beliefs_are_those_that_nobody_affirmed_lately(shell: Shell, told: Told) -> None:
    stale = ("beliefs", "--stale", "--store", told.store)
    out = shell.ok(*stale)
    first = "2 of 2 beliefs were neither told nor confirmed in the last 30 days; 0 were confirmed."
    assert out.splitlines()[0] == first
    assert "Bergen" in out and "Oslo" not in out
    found = shell.json(*stale)
    assert [one["value"] for one in found["stale"]] == ["Bergen", "酒"]
    assert (found["current"], found["confirmed"]) == (2, 0)
    # What the user confirms today is not stale.
    shell.ok("correct", told.bergen, "right", "--store", told.store)
    out = shell.ok(*stale)
    assert out.startswith("1 of 2 beliefs were neither") and "; 1 were confirmed." in out
    assert "Bergen" not in out
    assert [one["value"] for one in shell.json(*stale)["stale"]] == ["酒"]
    shell.ok("correct", shell.json(*stale)["stale"][0]["number"], "right", "--store", told.store)
    assert shell.ok(*stale).splitlines() == [
        "0 of 2 beliefs were neither told nor confirmed in the last 30 days; 2 were confirmed."
    ]


# --- promises and tensions


def test_promises_are_told_with_what_is_due(shell: Shell, told: Told) -> None:
    out = shell.ok("promises", "--store", told.store)
    assert row_of(out, told.tea) == f"{told.tea} agent bring you tea 2024-03-20 open, overdue"
    assert row_of(out, told.letter) == f"{told.letter} user write a letter (if it rains) waiting"
    assert "exam" in out and out.count("overdue") == 2
    found = shell.json("promises", "--store", told.store)
    assert [one["act"] for one in found["promises"]] == ["bring you tea", "write a letter"]
    assert [one["timing"] for one in found["promises"]] == ["overdue", "none"]
    assert [(one["subject"], one["timing"]) for one in found["loops"]] == [("exam", "overdue")]


@pytest.mark.parametrize(
    ("at", "timing"),
    [
        ("2024-03-19T23:59:59Z", "due_later"),
        ("2024-03-20T00:00Z", "due_today"),
        ("2024-03-20T23:59:59Z", "due_today"),
        ("2024-03-21T00:00Z", "overdue"),
        ("2024-03-20T23:00+00:00", "due_today"),
        ("2024-03-21T07:00+08:00", "overdue"),  # the same moment, on another calendar
    ],
)
def test_what_is_due_depends_on_the_day_that_is_asked_for(
    shell: Shell, told: Told, at: str, timing: str
) -> None:
    found = shell.json("promises", "--at", at, "--store", told.store)
    assert found["promises"][0]["timing"] == timing
    out = shell.ok("promises", "--at", at, "--store", told.store)
    assert row_of(out, told.tea).endswith(f"open, {timing.replace('_', ' ')}")


def test_before_it_was_promised_nothing_is(shell: Shell, told: Told) -> None:
    before = ("--at", "2024-03-01T00:00Z", "--store", told.store)
    assert shell.json("promises", *before) == {"promises": [], "loops": []}
    assert "Nothing was promised, and nothing is open." in shell.ok("promises", *before)
    between = ("--at", "2024-03-06T00:00Z", "--store", told.store)
    assert [p["act"] for p in shell.json("promises", *between)["promises"]] == ["bring you tea"]
    # An exam alone is a table of its own.
    shell.ok("correct", told.tea, "wrong", "--store", told.store)
    shell.ok("correct", told.letter, "wrong", "--store", told.store)
    out = shell.ok("promises", "--store", told.store)
    assert "open loop" in out and "promiser" not in out


def test_how_a_promise_ended_and_what_was_told_again_is_told(shell: Shell, told: Told) -> None:
    with fixed_store(told.store, seed=1) as store:
        w = Writer(store.relationships()[0])
        w.day = 30
        words = "I will bring you tea by 2024-03-20."
        _, text = w.said("Again?", words)
        word: dict[str, Any] = {"promiser": "agent", "act": "bring you tea", "due": "2024-03-20"}
        again = w.event(Promise(**word, citations=cite((text, words))))
        text, _ = w.said("It is raining. The exam is over. You brought tea.")
        w.event(PromiseConditionMet(promise=told.letter, citations=cite((text, "It is raining"))))
        kept = cite((text, "You brought tea"))
        w.event(PromiseOutcome(promise=told.tea, outcome="kept", citations=kept))
        (loop,) = w.bond.loops()
        over = cite((text, "The exam is over"))
        w.event(LoopOutcome(loop=loop.number, outcome="completed", citations=over))
    out = shell.ok("promises", "--store", told.store)
    assert row_of(out, told.tea) == f"{told.tea} agent bring you tea 2024-03-20 kept {again}"
    assert row_of(out, told.letter).endswith("(if it rains) open")
    assert row_of(out, loop.number).endswith("2024-03-10 completed")


def test_tensions_are_told_with_their_steps(shell: Shell, told: Told) -> None:
    out = shell.ok("tensions", "--store", told.store)
    assert row_of(out, told.harm).startswith(f"{told.harm} trust lost user addressed unresolved")
    (found,) = shell.json("tensions", "--store", told.store)
    (step,) = found["steps"]
    assert f"addressed ({step['number']})" in out
    assert (found["state"], found["effect"]) == ("addressed_unresolved", "trust_lost")
    before = ("--at", "2024-03-05T00:00Z", "--store", told.store)
    assert shell.json("tensions", *before) == []
    assert "There is no tension." in shell.ok("tensions", *before)
    shell.ok("correct", step["number"], "wrong", "--store", told.store)
    assert shell.json("tensions", "--store", told.store)[0]["state"] == "unaddressed"


# --- decisions


def test_decisions_are_told_in_words_a_person_can_follow(shell: Shell, told: Told) -> None:
    out = shell.ok("decisions", "--last", 0, "--store", told.store)
    assert f"accepted supported belief user home city Bergen {told.bergen} host 1" in " ".join(
        row_of(out, told.bergen - 1).split()
    )
    assert "belief user drinks not 酒" in out
    assert f"tension step addressed (consequence {told.harm})" in out
    held, joke = row_of(out, told.held), row_of(out, told.joke)
    assert held == f"{told.held} held confidence low promise agent am sorry host 1"
    assert joke.endswith("rejected not in earnest moderate gratitude by the user host 1")
    found = shell.json("decisions", "--last", 0, "--store", told.store)
    assert len(found) == len([row for row in rows(out) if row[0].isdigit()])
    assert found[-1]["proposal"]["mode"] == "joke"


@pytest.mark.parametrize("verdict", ["accepted", "held", "rejected"])
def test_decisions_can_be_asked_for_by_their_verdict(
    shell: Shell, told: Told, verdict: str
) -> None:
    found = shell.json("decisions", "--verdict", verdict, "--store", told.store)
    assert {one["verdict"] for one in found} == {verdict}
    out = shell.ok("decisions", "--verdict", verdict, "--last", 1, "--store", told.store)
    assert row_of(out, found[-1]["number"])
    hidden = len(found) - 1
    assert (f"({hidden} earlier decisions" in out) == (hidden > 0)
    refusal = shell.refused("decisions", "--verdict", "maybe", "--store", told.store, status=2)
    assert "accepted, held, rejected" in refusal


# --- correcting


def digests(shell: Shell, store: Path) -> Any:
    return shell.json("show", "--store", store)["digests"]


def test_wrong_and_right_again_leave_things_as_they_were(shell: Shell, told: Told) -> None:
    at = ("--store", told.store)
    before = digests(shell, told.store)
    for number in (told.tea, told.letter, told.harm, told.thanks):
        found = shell.json("correct", number, "wrong", *at)
        assert (found["number"], found["word"], found["value"]) == (number, "wrong", None)
        assert len(found["recorded"]) == 1
        assert digests(shell, told.store) != before
        assert "withdrawn" in shell.json("why", number, *at)["why_not"]
        assert "Recorded: " in shell.ok("correct", number, "right", *at)
        assert digests(shell, told.store) == before
    assert "was not said to be wrong" in shell.refused("correct", told.tea, "right", *at)
    assert shell.json("replay", *at)["equal"]


def test_a_belief_can_be_wrong_right_or_have_another_value(shell: Shell, told: Told) -> None:
    at = ("--store", told.store)

    def cities() -> dict[str, str]:
        found = shell.json("beliefs", "--all", *at)
        return {one["value"]: one["status"] for one in found if one["key"] == "home_city"}

    shell.ok("correct", told.bergen, "wrong", *at)
    assert cities() == {"Oslo": "current", "Bergen": "retracted"}
    assert "retracted" in row_of(shell.ok("beliefs", "--all", *at), told.bergen)
    shell.ok("correct", told.bergen, "right", *at)
    assert cities() == {"Oslo": "replaced", "Bergen": "current"}
    found = shell.json("correct", told.bergen, "--value", "成都", *at)
    assert found["value"] == "成都" and len(found["recorded"]) == 2
    assert cities() == {"Oslo": "replaced", "Bergen": "retracted", "成都": "current"}
    assert "成都" in row_of(shell.ok("beliefs", *at), found["recorded"][1])
    (found,) = shell.json("verify", *at)
    assert found["ok"]


def test_what_is_held_can_be_released_once(shell: Shell, told: Told) -> None:
    at = ("--store", told.store)
    assert "am sorry" not in shell.ok("promises", *at)
    found = shell.json("correct", told.held, "--release", *at)
    assert found["released"] == told.held
    assert f"{found['event']} agent am sorry" in row_of(shell.ok("promises", *at), found["event"])
    out = shell.ok("decisions", "--verdict", "held", *at)
    assert f" {found['event']} host 1" in row_of(out, told.held)
    assert "released already" in shell.refused("correct", told.held, "--release", *at)
    for number in (told.joke, told.bergen, 1):
        assert "no held decision" in shell.refused("correct", number, "--release", *at)


BAD = [
    ((), "right or wrong"),
    (("maybe",), "right or wrong"),
    (("maybe", "--value", "x"), "right or wrong"),
    (("right", "--value", "x"), "no other value"),
    (("wrong", "--release"), "--release"),
    (("--value", "x", "--release"), "--release"),
    (("wrong", "more"), "See: enishi --help"),
]


@pytest.mark.parametrize(("words", "says"), BAD)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_what_cannot_be_meant_is_one_line_and_changes_nothing(
    shell: Shell, told: Told, words: Sequence[str], says: str, more: Sequence[str]
) -> None:
    before = state_of(told.store)
    command = ("correct", told.bergen, *words, *more, "--store", told.store)
    assert says in shell.refused(*command, status=2)
    assert state_of(told.store) == before


def test_what_cannot_be_corrected_is_one_line_too(shell: Shell, told: Told) -> None:
    before, at = state_of(told.store), ("--store", told.store)
    assert "no number 9999" in shell.refused("correct", 9999, "wrong", *at)
    assert "no number 9999" in shell.refused("correct", 9999, "--release", *at)
    assert "not derived" in shell.refused("correct", 2, "wrong", *at)
    assert "has no value" in shell.refused("correct", told.tea, "--value", "x", *at)
    assert "blank" in shell.refused("correct", told.bergen, "--value", "  ", *at)
    assert "1 to 200" in shell.refused("correct", told.bergen, "--value", "", *at)
    assert "1 to 200" in shell.refused("correct", told.bergen, "--value", "x" * 201, *at)
    shell.refused("correct", "bergen", "wrong", *at, status=2)
    assert state_of(told.store) == before


@pytest.mark.parametrize("command", ["beliefs", "promises", "tensions"])
@pytest.mark.parametrize("at", ["yesterday", "2024-03-01", "2024-03-01T00:00", "", "2024-13-01"])
def test_a_time_that_is_none_is_one_line(shell: Shell, told: Told, command: str, at: str) -> None:
    refusal = shell.refused(command, "--at", at, "--store", told.store)
    assert "time" in refusal


def test_stale_is_about_now_and_about_what_is_current(shell: Shell, told: Told) -> None:
    for more in (("--all",), ("--at", "2024-03-05T00:00Z")):
        refusal = shell.refused("beliefs", "--stale", *more, "--store", told.store, status=2)
        assert "--at and --all" in refusal


# --- a model


def test_a_model_needs_an_address_and_a_name(shell: Shell, told: Told) -> None:
    before = state_of(told.store)
    for one in (("--model", "http://127.0.0.1:9/v1"), ("--name", "small")):
        for more in ((), ("--json",)):
            refusal = shell.refused("propose", *one, *more, "--store", told.store, status=2)
            assert "--model URL and --name NAME" in refusal
    assert state_of(told.store) == before


@pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="openai is missing")
def test_a_model_that_cannot_be_reached_is_one_line_and_freezes_nothing(
    shell: Shell, told: Told
) -> None:
    model = (
        "propose",
        "--model",
        "http://127.0.0.1:9/v1",
        "--name",
        "small",
        "--store",
        told.store,
    )
    before, decided = digests(shell, told.store), shell.json("decisions", "--store", told.store)
    for more in ((), ("--json",)):
        ran = shell.run(*model, *more)
        assert (ran.status, ran.out) == (1, "")
        assert len(ran.err.splitlines()) == 1
        assert "small" in ran.err and "can be tried again" in ran.err
    failed = shell.json("log", "--events", "--last", 2, "--store", told.store)
    assert [one["type"] for one in failed] == ["BatchFailed", "BatchFailed"]
    (listed,) = shell.json("decisions", "--verdict", "failed", "--store", told.store)
    assert listed["number"] == failed[-1]["number"] and "small" in listed["proposer"]
    assert "can be tried again" in shell.ok("decisions", "--store", told.store).splitlines()[-1]
    assert digests(shell, told.store) == before
    assert shell.json("decisions", "--store", told.store) == decided
    # An address that is none, and a turn that is none, are found before anybody is asked.
    wrong = ("propose", "--model", "nowhere", "--name", "small", "--store", told.store)
    assert "web address" in shell.refused(*wrong)
    assert "9999" in shell.refused("propose", 9999, "--store", told.store)


def test_the_rules_read_what_was_not_read_and_say_what_came_of_it(shell: Shell, told: Told) -> None:
    found = shell.json("propose", "--store", told.store)
    assert {one["proposer"].split()[0] for one in found} == {"rules", "mood", "boundaries"}
    assert shell.json("propose", "--store", told.store) == []
    assert "Nothing was proposed." in shell.ok("propose", "--store", told.store)
    assert shell.json("replay", "--store", told.store)["equal"]


# --- empty, wide and strange


def test_where_nothing_happened_everything_says_so(shell: Shell, empty: Path) -> None:
    at = ("--store", empty)
    for flags in ((), ("--all",), ("--at", "2024-03-01T00:00Z"), ("--stale",)):
        assert shell.ok("beliefs", *flags, *at).splitlines() == ["Nothing is held true."]
    assert shell.ok("promises", *at).splitlines() == ["Nothing was promised, and nothing is open."]
    assert shell.ok("tensions", *at).splitlines() == ["There is no tension."]
    for command in ("decisions", "propose"):
        assert shell.ok(command, *at).splitlines() == ["Nothing was proposed."]
    assert shell.json("beliefs", *at) == shell.json("tensions", *at) == []
    assert shell.json("beliefs", "--stale", *at) == {"stale": [], "current": 0, "confirmed": 0}
    assert shell.json("promises", *at) == {"promises": [], "loops": []}
    assert shell.json("decisions", *at) == shell.json("propose", *at) == []
    assert "no number 5" in shell.refused("correct", 5, "wrong", *at)
    assert "not derived" in shell.refused("correct", 0, "wrong", *at)


def test_where_there_is_no_relationship_that_is_one_line(shell: Shell, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.db"
    commands = ("beliefs", "promises", "tensions", "decisions", "propose", "correct 5 wrong")
    for command in commands:
        refusal = shell.refused(*command.split(), "--store", nowhere)
        assert "does not exist" in refusal
    assert not nowhere.exists()
    fixed_store(nowhere).close()
    for command in commands:
        assert "is empty" in shell.refused(*command.split(), "--store", nowhere)


@pytest.mark.parametrize("columns", [20, 60, 300])
def test_these_tables_keep_to_the_width_of_the_terminal(
    columns: int, shell: Shell, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("beliefs --all", "promises", "tensions", "decisions"):
        out = shell.ok(*command.split(), "--store", told.store)
        # A character of an East Asian script takes two columns.
        widths = [len(row) + sum(mark > "\u2e80" for mark in row) for row in out.splitlines()]
        assert max(widths[1:]) <= columns


def test_words_are_shown_as_they_are_and_give_no_orders(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "strange.db"
    words = "[bold]Ann[/bold] :smile: a_b \x1b[31mred"
    with fixed_store(path) as store:
        w = Writer(store.relationship("Lumi", "Chen"))
        text, _ = w.said(f"I like {words}")
        about: dict[str, Any] = {"subject": words, "key": "likes"}
        w.event(Belief(**about, value=words, citations=cite((text, words))))
    out = shell.ok("beliefs", "--store", path) + shell.ok("decisions", "--store", path)
    assert "[bold]Ann[/bold] :smile: a_b" in out
    assert "\x1b" not in out
    assert shell.json("beliefs", "--store", path)[0]["value"] == words


def test_another_branch_is_asked_by_its_name(shell: Shell, told: Told) -> None:
    with fixed_store(told.store, seed=2) as store:
        bond = store.relationships()[0]
        fork = bond.fork("what-if")
        w = Writer(fork)
        w.day = 40
        text, _ = w.said("That is not so.")
        w.event(BeliefRetraction(belief=told.bergen, citations=cite((text, "That is not so"))))
    here = shell.json("beliefs", "--store", told.store)
    there = shell.json("beliefs", "--branch", "what-if", "--store", told.store)
    assert [one["value"] for one in here] == ["Bergen", "酒"]
    assert [one["value"] for one in there] == ["Oslo", "酒"]
    assert "Oslo" in shell.ok("beliefs", "--branch", "what-if", "--store", told.store)
    shell.ok("correct", told.tea, "wrong", "--branch", "what-if", "--store", told.store)
    assert "'nowhere'" in shell.refused("tensions", "--branch", "nowhere", "--store", told.store)


# --- help


PANELS = {
    "Start, carry": ["demo", "import", "export", "inspect"],
    "Look": ["list", "log", "show", "why"],
    "Remembered": ["beliefs", "promises", "tensions"],
    "Decide": ["propose", "decisions", "correct"],
    "Change, undoably": ["edit", "swipe", "withdraw", "restore", "branch"],
    "Forget": ["erase", "archive"],
    "Care": ["verify", "replay", "rebuild", "rebind", "doctor", "keys"],
}


def test_the_help_groups_the_commands(shell: Shell) -> None:
    found: dict[str, list[str]] = {}
    panel: list[str] = []
    for line in shell.ok("--help").splitlines():
        if line.startswith("╭"):
            panel = found.setdefault(line.strip("╭─╮ "), [])
        elif line.startswith("│ ") and line[2] != " ":
            panel.append(line[2:].split()[0])
    del found["Options"]
    for name, commands in PANELS.items():
        assert [one for one in found[name] if one in commands] == commands
    assert list(found) == list(PANELS)


def test_the_help_of_each_says_what_its_options_mean(shell: Shell) -> None:
    for command, options in {
        "beliefs": ["--at", "--all", "--stale"],
        "promises": ["--at"],
        "tensions": ["--at"],
        "correct": ["--value", "--release"],
        "decisions": ["--verdict", "--last"],
        "propose": ["--model", "--name", "--key"],
    }.items():
        out = shell.ok(command, "--help")
        for option in [*options, "--json", "--store", "--branch", "--agent", "--user"]:
            assert option in out, (command, option)


def test_what_a_command_answers_is_json_and_nothing_else(shell: Shell, told: Told) -> None:
    for command in ("beliefs", "beliefs --stale", "promises", "tensions", "decisions", "propose"):
        out = shell.ok(*command.split(), "--json", "--store", told.store)
        assert out == json.dumps(json.loads(out), ensure_ascii=False, indent=2) + "\n"
