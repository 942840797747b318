"""Everything derived hangs on what it rests on: it falls with it, and comes back with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import fixed_entropy, fixed_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import Reference

from enishi import Citation, Reply, RuleProposer, Signal
from enishi.host import Relationship, Store, open_store
from enishi.kernel import fold
from enishi.kernel.deciding.correcting import DERIVED
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Consequence,
    Felt,
    LoopOutcome,
    Mood,
    OpenLoop,
    Promise,
    PromiseConditionMet,
    PromiseOutcome,
    Proposal,
    ReadText,
    Reflection,
    TensionStep,
)
from enishi.kernel.deciding.proposing import Decided
from enishi.kernel.errors import Conflict, EnishiError, InvalidInput, NotFound, ProposerFailed

ANY: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Days:
    """A clock that goes on by a day whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(days=1)
        return self.now


def lively(path: Path) -> Store:
    return open_store(path, clock=Days(), entropy=fixed_entropy(), synchronous="NORMAL")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with lively(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and snapshots after a few turns, so that short lives meet them."""
    monkeypatch.setattr(fold, "CHUNK_TURNS", 2)
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)


class Exchange(NamedTuple):
    """A turn with one message and one reply, and their numbers."""

    turn: int
    message: int
    reply: int


def exchange(bond: Relationship, message: str, reply: str) -> Exchange:
    view = bond.record(message, reply).view()
    return Exchange(view.number, view.messages[0].number, view.replies[0].number)


def cite(*spots: tuple[int, str]) -> tuple[Citation, ...]:
    return tuple(Citation(text=text, quote=quote) for text, quote in spots)


def event_of(bond: Relationship, proposal: Proposal) -> int:
    (decided,) = bond.propose(None, [proposal])
    assert decided.event is not None, decided
    return decided.event


def thanks(text: int, **fields: Any) -> Signal:
    return Signal(signal="gratitude", actor="user", citations=cite((text, "Thank you")), **fields)


def states(bond: Relationship) -> dict[str, dict[str, str]]:
    """All digests of all branches; each equals that of a fold from zero."""
    sides = {branch.name: bond.on(branch.name) for branch in bond.branches()}
    found = {name: side.digests() for name, side in sides.items()}
    assert found == {name: side.replay() for name, side in sides.items()}
    return found


def headers(bond: Relationship) -> list[Any]:
    with bond._stream.reading():
        return list(bond._stream.log.headers(bond._stream.line.line))


def standing(bond: Relationship) -> set[int]:
    """What counts, as the face tells it."""
    acts = bond._stream.history.acts
    return {r.number for r in bond.records() if r.why_not is None and r.number not in acts}


def slowly(bond: Relationship) -> set[int]:
    """What counts, as the rule says when it is computed the slow way."""
    with bond._stream.reading():
        branch = bond._branch()
    return set(Reference(headers(bond)).order(branch))


def descendants(bond: Relationship, *causes: int) -> set[int]:
    """Whatever rests on one of these, directly or not, and these themselves."""
    found = set(causes)
    for header in headers(bond):
        if found.intersection(header.causes):
            found.add(header.number)
    return found


def placed_in(bond: Relationship, turns: set[int]) -> set[int]:
    """Whatever has its place in one of these turns, or rests on what has."""
    own = {record.number for record in bond.records() if record.turn in turns}
    return descendants(bond, *own)


WORDS = [
    ("Thank you for everything. I live in Oslo.", "I will bring you tea if it rains. I promise."),
    ("I live in Bergen now. I have an exam on Friday.", "I do not care about you."),
    ("That hurt me. It is raining.", "I am sorry that I hurt you. I brought you tea."),
    ("Yes, I still live in Bergen. I forgive you.", "I forgive you too. I felt ashamed of it."),
    ("No, I never lived in Oslo. The exam went well.", "I am glad. I was only tired that day."),
]


class Life(NamedTuple):
    """A relationship in which everything happened that can be derived."""

    turns: list[Exchange]
    events: dict[str, int]


def live(bond: Relationship) -> Life:
    turns = [exchange(bond, message, reply) for message, reply in WORDS]
    one, two, three, four, five = turns
    user: dict[str, Any] = {"subject": "user", "key": "home_city"}
    agent: dict[str, Any] = {"promiser": "agent"}
    events: dict[str, int] = {}

    def add(name: str, proposal: Proposal) -> int:
        events[name] = event_of(bond, proposal)
        return events[name]

    add("thanks", thanks(one.message))
    sorry = cite((three.reply, "I am sorry that I hurt you"))
    add("sorry", Signal(signal="repair", actor="agent", citations=sorry))
    oslo = add("oslo", Belief(**user, value="Oslo", citations=cite((one.message, "Oslo"))))
    bergen = add("bergen", Belief(**user, value="Bergen", citations=cite((two.message, "Bergen"))))
    still = cite((four.message, "I still live in Bergen"))
    add("confirmed", BeliefConfirmation(belief=bergen, citations=still))
    never = cite((five.message, "I never lived in Oslo"))
    add("retracted", BeliefRetraction(belief=oslo, citations=never))
    word = cite((one.reply, "I will bring you tea if it rains"))
    tea = add("tea", Promise(**agent, act="bring you tea", condition="it rains", citations=word))
    rains = cite((three.message, "It is raining"))
    add("met", PromiseConditionMet(promise=tea, citations=rains))
    brought = cite((three.reply, "I brought you tea"))
    add("kept", PromiseOutcome(promise=tea, outcome="kept", citations=brought))
    exam = cite((two.message, "I have an exam on Friday"))
    loop = add("exam", OpenLoop(subject="exam", continuation="an exam on Friday", citations=exam))
    well = cite((five.message, "The exam went well"))
    add("passed", LoopOutcome(loop=loop, outcome="completed", citations=well))
    both = cite((two.reply, "I do not care about you"), (three.message, "That hurt me"))
    hurt = add("hurt", Consequence(effect="harm", bearer="user", citations=both))
    add("addressed", TensionStep(consequence=hurt, outcome="addressed", citations=sorry))
    forgiven = cite((four.message, "I forgive you"), (four.reply, "I forgive you too"))
    add("forgiven", TensionStep(consequence=hurt, outcome="reconciled", citations=forgiven))
    shame = cite((four.reply, "I felt ashamed of it"))
    thought = add("shame", Reflection(event=hurt, words="I was cruel.", citations=shame))
    tired = cite((five.reply, "I was only tired that day"))
    hurting = cite((three.message, "That hurt me."))
    add("felt", Mood(party="user", felt=Felt(valence=-0.5), citations=hurting))
    add("tired", Reflection(event=hurt, words="I was tired.", revises=thought, citations=tired))
    low = cite((three.message, "That hurt me"))
    add("low", Mood(party="user", felt=Felt(valence=-0.7), citations=low))
    worn = cite((five.reply, "I was only tired"))
    add("worn", Mood(party="agent", felt=Felt(fatigue=0.8), intensity="weak", citations=worn))
    return Life(turns, events)


def test_this_life_has_every_kind_of_event_that_is_derived(bond: Relationship) -> None:
    life = live(bond)
    kinds = {bond.why(number).type for number in life.events.values()}
    assert kinds == DERIVED
    # Each of them matters: without it, some state is another one.
    whole = bond.digests()
    for name, number in life.events.items():
        bond.withdraw(number)
        assert bond.digests() != whole, name
        bond.restore(number)
        assert bond.digests() == whole


# What falls, and what comes back


def without(bond: Relationship, number: int) -> Callable[[], object]:
    bond.withdraw(number)
    return lambda: bond.restore(number)


def edited(bond: Relationship, text: int) -> Callable[[], object]:
    bond.edit(text, "Nothing of the kind.")
    return lambda: bond.undo(text)


def swiped(bond: Relationship, turn: int) -> Callable[[], object]:
    bond.regenerate(turn, "Another reply.")
    return lambda: bond.swipe(turn, 1)


def ended_before(bond: Relationship, turn: int) -> Callable[[], object]:
    """The branch ends before this turn."""
    turns = [view.number for view in bond.turns()]
    bond.back(([None, *turns])[turns.index(turn)])
    return lambda: bond.back(turns[-1])


def erased(bond: Relationship, text: int) -> None:
    with bond._stream.writing():
        bond._stream.destroy([text])


def fallings(bond: Relationship, life: Life) -> Iterator[tuple[set[int], Callable[[], Any]]]:
    """Every way in which something may fall: the causes, and what is done."""
    for one in life.turns:
        yield {one.turn}, lambda one=one: without(bond, one.turn)  # type: ignore[misc]
        later = {other.turn for other in life.turns if other.turn >= one.turn}
        gone = placed_in(bond, later)
        yield gone, lambda one=one: ended_before(bond, one.turn)  # type: ignore[misc]
        yield {one.reply}, lambda one=one: swiped(bond, one.turn)  # type: ignore[misc]
        for text in (one.message, one.reply):
            yield {text}, lambda text=text: without(bond, text)  # type: ignore[misc]
            yield {text}, lambda text=text: edited(bond, text)  # type: ignore[misc]
    for number in life.events.values():
        yield {number}, lambda number=number: without(bond, number)  # type: ignore[misc]


def test_a_cause_takes_down_exactly_what_rests_on_it_and_brings_it_back(
    bond: Relationship,
) -> None:
    life = live(bond)
    before, whole = standing(bond), states(bond)
    known = set(range(bond.summary().events))
    tried = 0
    for causes, fall in fallings(bond, life):
        gone = descendants(bond, *causes)
        come_back = fall()
        assert standing(bond) & known == before - gone
        assert standing(bond) == slowly(bond)
        states(bond)
        come_back()
        assert standing(bond) & known == before
        assert states(bond) == whole
        tried += 1
    assert tried > 45


@pytest.mark.parametrize("which", [0, 1, 3, 5, 6, 8])
def test_what_was_erased_takes_down_exactly_what_rests_on_it_for_good(
    bond: Relationship, which: int
) -> None:
    life = live(bond)
    before, known = standing(bond), set(range(bond.summary().events))
    text = [number for turn in life.turns for number in (turn.message, turn.reply)][which]
    gone = descendants(bond, text)
    erased(bond, text)
    assert standing(bond) & known == before - gone
    assert standing(bond) == slowly(bond)
    found = states(bond)
    bond.withdraw(text)
    bond.restore(text)
    assert states(bond) == found
    assert standing(bond) & known == before - gone


@settings(max_examples=8, **ANY)
@given(st.permutations(range(16)), st.permutations(range(16)), st.integers(2, 16))
def test_several_may_fall_and_come_back_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, down: list[int], up: list[int], many: int
) -> None:
    with lively(tmp_path_factory.mktemp("any") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        life = live(bond)
        before, whole = standing(bond), states(bond)
        numbers = list(life.events.values())
        fallen = [numbers[place] for place in down[:many]]
        for number in fallen:
            bond.withdraw(number)
        assert standing(bond) == before - descendants(bond, *fallen)
        states(bond)
        for number in [numbers[place] for place in up if numbers[place] in fallen]:
            bond.restore(number)
        assert states(bond) == whole


# The first of two


class Telling(NamedTuple):
    """One agent's reply, and the ways in which it may fall."""

    turn: int
    text: int


def telling(bond: Relationship, words: str) -> Telling:
    view = bond.record("Go on.", words).view()
    return Telling(view.number, view.replies[0].number)


Fall = Callable[[Relationship, Telling], Callable[[], object] | None]

WAYS: dict[str, Fall] = {
    "withdrawn": lambda bond, told: without(bond, told.turn),
    "text withdrawn": lambda bond, told: without(bond, told.text),
    "swiped away": lambda bond, told: swiped(bond, told.turn),
    "edited": lambda bond, told: edited(bond, told.text),
    "erased": lambda bond, told: erased(bond, told.text),
}
way = pytest.mark.parametrize("fall", WAYS.values(), ids=WAYS.keys())


def falls(bond: Relationship, told: Telling, fall: Fall, see: Callable[[], Any]) -> Any:
    """What is seen when something has fallen; when it comes back, all is as before."""
    before, whole = see(), states(bond)
    come_back = fall(bond, told)
    seen = see()
    states(bond)
    if come_back is not None:
        come_back()
        assert see() == before
        assert states(bond) == whole
        fall(bond, told)
        assert see() == seen
    return seen


def give_word(bond: Relationship, words: str, act: str, **fields: Any) -> tuple[Telling, int]:
    told = telling(bond, words)
    cited = cite((told.text, words))
    return told, event_of(bond, Promise(promiser="agent", act=act, citations=cited, **fields))


def end_promise(
    bond: Relationship, promise: int, outcome: Any, **fields: Any
) -> tuple[Telling, int]:
    told = telling(bond, "That is how it went.")
    cited = cite((told.text, "That is how it went."))
    outcome = PromiseOutcome(promise=promise, outcome=outcome, citations=cited, **fields)
    return told, event_of(bond, outcome)


def promised(bond: Relationship) -> list[tuple[int, str, tuple[int, ...], int | None]]:
    return [(p.number, p.status, p.retold, p.ended_by) for p in bond.promises()]


@way
def test_of_a_promise_told_twice_the_second_counts_when_the_first_falls(
    bond: Relationship, fall: Fall
) -> None:
    first, one = give_word(bond, "I will call you.", "call you")
    _, two = give_word(bond, "I will call you.", "call you")
    assert promised(bond) == [(one, "open", (two,), None)]
    assert falls(bond, first, fall, lambda: promised(bond)) == [(two, "open", (), None)]


@way
def test_nothing_changes_but_the_telling_when_the_second_falls(
    bond: Relationship, fall: Fall
) -> None:
    _, one = give_word(bond, "I will call you.", "call you")
    second, _ = give_word(bond, "I will call you.", "call you")
    assert falls(bond, second, fall, lambda: promised(bond)) == [(one, "open", (), None)]


@way
def test_an_outcome_does_nothing_while_its_promise_is_gone(bond: Relationship, fall: Fall) -> None:
    first, one = give_word(bond, "I will call you.", "call you")
    _, end = end_promise(bond, one, "kept")
    assert promised(bond) == [(one, "kept", (), end)]
    assert falls(bond, first, fall, lambda: promised(bond)) == []


@way
def test_an_outcome_of_the_first_telling_ends_not_the_second_alone(
    bond: Relationship, fall: Fall
) -> None:
    first, one = give_word(bond, "I will call you.", "call you")
    _, two = give_word(bond, "I will call you.", "call you")
    _, end = end_promise(bond, two, "broken")
    assert promised(bond) == [(one, "broken", (two,), end)]
    # It spoke of the second telling, which is still there.
    assert falls(bond, first, fall, lambda: promised(bond)) == [(two, "broken", (), end)]


@way
def test_without_its_outcome_a_promise_is_open(bond: Relationship, fall: Fall) -> None:
    _, one = give_word(bond, "I will call you.", "call you")
    told, _ = end_promise(bond, one, "broken")
    assert falls(bond, told, fall, lambda: promised(bond)) == [(one, "open", (), None)]


@way
def test_of_two_outcomes_the_second_counts_when_the_first_falls(
    bond: Relationship, fall: Fall
) -> None:
    _, one = give_word(bond, "I will call you.", "call you")
    told, first = end_promise(bond, one, "broken")
    _, second = end_promise(bond, one, "kept")
    assert promised(bond) == [(one, "broken", (), first)]
    assert falls(bond, told, fall, lambda: promised(bond)) == [(one, "kept", (), second)]


@way
def test_a_promise_is_replaced_only_while_there_is_what_stands_in_its_place(
    bond: Relationship, fall: Fall
) -> None:
    _, one = give_word(bond, "I will call you.", "call you")
    told, two = give_word(bond, "I will write a letter.", "write a letter")
    end_promise(bond, one, "replaced", replaced_by=two)
    assert [(p.status, p.replaced_by) for p in bond.promises()] == [
        ("replaced", two),
        ("open", None),
    ]
    assert falls(bond, told, fall, lambda: promised(bond)) == [(one, "open", (), None)]


@way
def test_a_promise_waits_again_when_its_condition_did_not_come_about(
    bond: Relationship, fall: Fall
) -> None:
    condition = {"condition": "it rains"}
    _, one = give_word(bond, "I will call you if it rains.", "call you", **condition)
    told = telling(bond, "It is raining.")
    cited = cite((told.text, "It is raining."))
    event_of(bond, PromiseConditionMet(promise=one, citations=cited))
    assert [p.status for p in bond.promises()] == ["open"]
    assert falls(bond, told, fall, lambda: promised(bond)) == [(one, "waiting", (), None)]


@way
def test_loops_follow_the_same_rules(bond: Relationship, fall: Fall) -> None:
    words = "The story is half told."

    def tell() -> tuple[Telling, int]:
        told = telling(bond, words)
        proposal = OpenLoop(
            subject="story", continuation="half told", citations=cite((told.text, words))
        )
        return told, event_of(bond, proposal)

    first, one = tell()
    _, two = tell()
    ended = telling(bond, "And that was the end.")
    cited = cite((ended.text, "And that was the end."))
    event_of(bond, LoopOutcome(loop=one, outcome="completed", citations=cited))

    def seen() -> list[tuple[int, str, tuple[int, ...]]]:
        return [(loop.number, loop.status, loop.retold) for loop in bond.loops()]

    assert seen() == [(one, "completed", (two,))]
    # The outcome spoke of the first telling.
    assert falls(bond, first, fall, seen) == [(two, "open", ())]
    assert falls(bond, ended, WAYS["edited"], seen) == [(two, "open", ())]


def hold(bond: Relationship, words: str, value: str, **fields: Any) -> tuple[Telling, int]:
    told = telling(bond, words)
    about = {"subject": "agent", "key": "home_city"} | fields
    return told, event_of(bond, Belief(value=value, citations=cite((told.text, words)), **about))


def held(bond: Relationship) -> list[tuple[int, str, str]]:
    return [(view.number, view.value, view.status) for view in bond.beliefs()]


@way
def test_a_replaced_belief_is_current_again_when_the_later_one_falls(
    bond: Relationship, fall: Fall
) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    told, two = hold(bond, "I live in Bergen.", "Bergen")
    assert held(bond) == [(one, "Oslo", "replaced"), (two, "Bergen", "current")]
    assert falls(bond, told, fall, lambda: held(bond)) == [(one, "Oslo", "current")]


@way
def test_of_a_belief_told_twice_the_second_counts_when_the_first_falls(
    bond: Relationship, fall: Fall
) -> None:
    first, one = hold(bond, "I live in Oslo.", "Oslo")
    _, two = hold(bond, "I live in Oslo.", "Oslo")
    assert held(bond) == [(one, "Oslo", "current")]
    assert falls(bond, first, fall, lambda: held(bond)) == [(two, "Oslo", "current")]


@way
def test_a_belief_holds_again_without_its_retraction(bond: Relationship, fall: Fall) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    told = telling(bond, "That was a lie.")
    cited = cite((told.text, "That was a lie."))
    taken = event_of(bond, BeliefRetraction(belief=one, citations=cited))
    assert [(v.status, v.retraction) for v in bond.beliefs()] == [("retracted", taken)]
    assert falls(bond, told, fall, lambda: held(bond)) == [(one, "Oslo", "current")]


@way
def test_a_confirmation_counts_while_its_words_do(bond: Relationship, fall: Fall) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    told = telling(bond, "That is still so.")
    cited = cite((told.text, "That is still so."))
    event_of(bond, BeliefConfirmation(belief=one, citations=cited))

    def confirmed() -> list[int]:
        return [len(view.confirmed_at) for view in bond.beliefs()]

    assert confirmed() == [1]
    assert falls(bond, told, fall, confirmed) == [0]


class Quarrel(NamedTuple):
    reply: Telling
    event: int


def quarrel(bond: Relationship) -> Quarrel:
    told = telling(bond, "Leave me alone.")
    after = bond.record("That hurt me.", "…").view().messages[0].number
    cited = cite((told.text, "Leave me alone."), (after, "That hurt me."))
    return Quarrel(told, event_of(bond, Consequence(effect="harm", bearer="user", citations=cited)))


def step(bond: Relationship, consequence: int, outcome: Any) -> tuple[Telling, int]:
    told = telling(bond, "I am sorry about that.")
    cited = cite((told.text, "I am sorry about that."))
    return told, event_of(
        bond, TensionStep(consequence=consequence, outcome=outcome, citations=cited)
    )


def tense(bond: Relationship) -> list[tuple[int, str, int]]:
    return [(one.number, one.state, len(one.steps)) for one in bond.tensions()]


@way
def test_a_step_does_nothing_while_what_it_speaks_of_is_gone(
    bond: Relationship, fall: Fall
) -> None:
    first = quarrel(bond)
    step(bond, first.event, "addressed")
    assert tense(bond) == [(first.event, "addressed_unresolved", 1)]
    assert falls(bond, first.reply, fall, lambda: tense(bond)) == []


@way
def test_without_a_step_a_tension_stands_where_the_others_left_it(
    bond: Relationship, fall: Fall
) -> None:
    first = quarrel(bond)
    told, _ = step(bond, first.event, "ended")
    step(bond, first.event, "addressed")
    assert tense(bond) == [(first.event, "relationship_ended", 1)]
    seen = falls(bond, told, fall, lambda: tense(bond))
    assert seen == [(first.event, "addressed_unresolved", 1)]


@way
def test_a_consequence_read_twice_is_one_and_counts_by_either(
    bond: Relationship, fall: Fall
) -> None:
    first = quarrel(bond)
    explained = bond.why(first.event).quotes
    cited = cite(*[(quote.text, quote.words or "") for quote in explained])
    second = event_of(bond, Consequence(effect="harm", bearer="user", citations=cited))
    told, _ = step(bond, second, "addressed")
    assert tense(bond) == [(first.event, "addressed_unresolved", 1)]
    bond.withdraw(first.event)
    assert tense(bond) == [(second, "addressed_unresolved", 1)]
    bond.restore(first.event)
    assert falls(bond, told, fall, lambda: tense(bond)) == [(first.event, "unaddressed", 0)]


@way
def test_a_thought_is_the_last_one_again_when_its_revision_falls(
    bond: Relationship, fall: Fall
) -> None:
    first = quarrel(bond)
    told = telling(bond, "I felt ashamed.")
    cited = cite((told.text, "I felt ashamed."))
    one = event_of(bond, Reflection(event=first.event, words="I was cruel.", citations=cited))
    again = telling(bond, "I was only tired.")
    cited = cite((again.text, "I was only tired."))
    later = Reflection(event=first.event, words="I was tired.", revises=one, citations=cited)
    two = event_of(bond, later)

    def thoughts() -> list[tuple[int, bool, int | None]]:
        return [(r.number, r.current, r.revises) for r in bond.reflections()]

    assert thoughts() == [(one, False, None), (two, True, one)]
    assert falls(bond, again, fall, thoughts) == [(one, True, None)]


def test_a_signal_read_twice_moves_once_and_by_either(bond: Relationship) -> None:
    text = exchange(bond, "Thank you.", "Yes.").message
    before = bond.rapport()
    one = event_of(bond, thanks(text))
    once = bond.rapport()
    two = event_of(bond, thanks(text))
    assert bond.rapport() == once != before
    bond.withdraw(one)
    assert bond.rapport() == once
    bond.withdraw(two)
    assert bond.rapport() == before
    bond.restore(one, two)
    assert bond.rapport() == once
    states(bond)


# Branches and relationships


@pytest.mark.parametrize("after", [0, 2, 4])
def test_a_fork_sees_only_its_own(bond: Relationship, after: int) -> None:
    life = live(bond)
    place = life.turns[after].turn
    fork = bond.fork("fork", place)
    # What rests on later turns is not there; what rests on earlier ones is.
    shared = standing(bond) - placed_in(bond, {one.turn for one in life.turns[after + 1 :]})
    assert standing(fork) == shared == slowly(fork)
    main = bond.digests()
    told, word = give_word(fork, "I will call you.", "call you")
    live(fork)
    assert bond.digests() == main == bond.replay()
    assert word in [p.number for p in fork.promises()]
    assert word not in [p.number for p in bond.promises()]
    own = fork.digests()
    bond.propose(exchange(bond, "Thank you. I live in Rome.", "Yes.").turn, RuleProposer())
    hold(bond, "I live in Paris.", "Paris")
    assert fork.digests() == own == fork.replay()
    assert not fork.beliefs(subject="agent") and bond.beliefs(subject="agent")
    bond.drop("fork")
    assert bond.digests() == bond.replay()
    assert told.turn not in [view.number for view in bond.turns()]


def test_what_is_chosen_on_a_fork_is_chosen_there_alone(bond: Relationship) -> None:
    told, one = give_word(bond, "I will call you.", "call you")
    fork = bond.fork("fork")
    before = bond.digests()
    fork.regenerate(told.turn, "We will see.")
    assert fork.promises() == [] and [p.number for p in bond.promises()] == [one]
    assert bond.digests() == before
    fork.swipe(told.turn, 1)
    bond.edit(told.text, "We will see.")
    assert [p.number for p in fork.promises()] == [one] and bond.promises() == []
    states(bond)


def test_nothing_of_one_relationship_reaches_another(store: Store) -> None:
    mine, other = store.relationship("lumi", "chen"), store.relationship("lumi", "ann")
    # The same numbers are other words there.
    live(other)
    before = (other.digests(), other.verify().tip, other.decisions(), other.records())
    life = live(mine)
    mine.correct(life.events["oslo"], "wrong", value="Rome")
    mine.withdraw(life.turns[0].turn)
    mine.fork("fork", life.turns[2].turn)
    erased(mine, life.turns[1].message)
    end_promise(mine, life.events["tea"], "broken")
    assert (other.digests(), other.verify().tip, other.decisions(), other.records()) == before
    assert other.digests() == other.replay()
    # A number that only the other has is none here.
    fresh = store.relationship("sol", "chen")
    number = life.turns[0].message
    (decided,) = fresh.propose(None, [thanks(number)])
    assert (decided.verdict, decided.reason) == ("rejected", "text_unknown")
    text = exchange(fresh, "Thank you.", "Yes.").message
    end = PromiseOutcome(
        promise=life.events["tea"], outcome="kept", citations=cite((text, "Thank"))
    )
    assert fresh.propose(None, [end])[0].reason == "reference_unknown"
    with pytest.raises(NotFound):
        fresh.correct(life.events["oslo"], "wrong")
    with pytest.raises(NotFound):
        fresh.release(life.events["oslo"])


# Any interleaving


DEEDS = [
    "say", "swipe", "edit", "undo", "withdraw", "restore", "erase", "fork", "switch", "back",
    "correct",
]  # fmt: skip
STEPS = DEEDS + [
    "thank", "promise", "end", "meet", "hold", "retract", "confirm", "loop", "close", "hurt", "move",
    "think", "rules",
]  # fmt: skip


class Player:
    """Does whatever it is told to one relationship, or is told why not."""

    def __init__(self, bond: Relationship) -> None:
        self.bond = bond
        self.forks = 0

    def pick(self, kind: str, place: int) -> int:
        """An event of a type; where there is none, a number that is none of its kind."""
        found = [r.number for r in self.bond.records() if r.type == kind]
        return found[place % len(found)] if found else 0

    def turn(self, place: int) -> Exchange:
        turns = self.bond.turns()
        if not turns:
            return exchange(self.bond, "Thank you. I live in Oslo.", "I will call you if it rains.")
        view = turns[place % len(turns)]
        return Exchange(view.number, view.messages[0].root, view.replies[0].root)

    def proposal(self, what: str, place: int, other: int) -> Proposal | None:
        here = self.turn(place)
        user, agent = cite((here.message, "T")), cite((here.reply, "I"))
        pick = self.pick
        match what:
            case "thank":
                return thanks(here.message)
            case "promise":
                act = "call you" if other % 2 else "call"
                cited = cite((here.reply, "I will call you"))
                return Promise(promiser="agent", act=act, citations=cited)
            case "end":
                promise, new = pick("PromiseMade", place), pick("PromiseMade", other)
                outcome: Any = ("kept", "broken", "replaced")[other % 3]
                named = new if outcome == "replaced" else None
                return PromiseOutcome(
                    promise=promise, outcome=outcome, replaced_by=named, citations=agent
                )
            case "meet":
                return PromiseConditionMet(promise=pick("PromiseMade", other), citations=user)
            case "hold":
                value = ("Oslo", "Bergen")[other % 2]
                about: dict[str, Any] = {
                    "subject": "user",
                    "key": ("home_city", "likes")[other % 3 % 2],
                }
                return Belief(value=value, citations=cite((here.message, value)), **about)
            case "retract":
                return BeliefRetraction(belief=pick("BeliefStated", other), citations=user)
            case "confirm":
                return BeliefConfirmation(belief=pick("BeliefStated", other), citations=user)
            case "loop":
                words: dict[str, Any] = {"subject": "call", "continuation": "call you"}
                return OpenLoop(citations=cite((here.reply, "call you")), **words)
            case "close":
                return LoopOutcome(
                    loop=pick("LoopOpened", other), outcome="abandoned", citations=user
                )
            case "hurt":
                relapse = pick("ConsequenceFollowed", other) or None
                return Consequence(
                    effect="harm", bearer="user", relapse_of=relapse, citations=user + agent
                )
            case "move":
                outcome = ("addressed", "reconciled", "ended", "superseded")[place % 4]
                quarrel = pick("ConsequenceFollowed", other)
                return TensionStep(consequence=quarrel, outcome=outcome, citations=user + agent)
            case "think":
                earlier = pick("ReflectionMade", other) or None
                about = {"event": pick("BeliefStated", other), "revises": earlier}
                return Reflection(words="So it is.", citations=agent, **about)
        return None

    def step(self, what: str, place: int, other: int) -> None:
        bond = self.bond
        if (proposal := self.proposal(what, place, other)) is not None:
            bond.propose(None, [proposal])
            return
        here = self.turn(place)
        last = bond.summary().events - 1
        match what:
            case "say":
                city = ("Oslo", "Bergen")[other % 2]
                exchange(bond, f"Thank you. I live in {city}.", "I will call you if it rains.")
            case "swipe" if len(bond.get_turn(here.turn).view().replies) > 1:
                bond.swipe(here.turn, other % 2 + 1)
            case "swipe":
                bond.regenerate(here.turn, "I will call you tomorrow.")
            case "edit":
                bond.edit((here.message, here.reply)[other % 2], "Thank you. I will call you.")
            case "undo":
                bond.undo((here.message, here.reply)[other % 2])
            case "withdraw":
                bond.withdraw((here.turn, here.message, last - other)[place % 3])
            case "restore":
                withdrawn = [n for n, state in bond._stream.history.withdrawn.items() if state]
                bond.restore(*withdrawn[other % 3 : other % 3 + 2])
            case "erase":
                erased(bond, (here.message, here.reply)[other % 2])
            case "fork":
                self.forks += 1
                bond.fork(f"fork {self.forks}", here.turn)
            case "switch":
                branches = bond.branches()
                bond.switch(branches[place % len(branches)].name)
            case "back":
                bond.back(here.turn)
            case "correct":
                kinds = sorted(DERIVED)
                number = self.pick(kinds[place % len(kinds)], other)
                bond.correct(number, "wrong" if other % 2 else "right")
            case "rules":
                bond.propose(None, RuleProposer())


@settings(max_examples=15, **ANY)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 11), st.integers(0, 11)), max_size=20)
)
def test_a_lazy_fold_equals_a_fold_from_zero_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    path = tmp_path_factory.mktemp("play") / "s.db"
    with lively(path) as opened:
        bond = opened.relationship("lumi", "chen")
        player = Player(bond)
        live(bond)
        for what, place, other in steps:
            try:
                player.step(what, place, other)
            except (Conflict, InvalidInput, NotFound):
                pass  # to be told why not is fine, anything else is not
            states(bond)
        assert standing(bond) == slowly(bond)
        assert bond.verify().problems == ()
        found = states(bond)
    with open_store(path, read_only=True) as again:
        assert states(again.relationships()[0]) == found


def test_every_step_of_such_a_play_can_be_taken(bond: Relationship) -> None:
    live(bond)
    player, done = Player(bond), {"say"}
    player.step("say", 0, 0)
    for what in [*STEPS[len(DEEDS) :], *DEEDS[1:]]:
        for place in range(12):
            before = [d.number for d in bond.decisions() if d.event], bond.summary().events
            try:
                player.step(what, place, place + place // 3)
            except EnishiError:
                continue
            after = [d.number for d in bond.decisions() if d.event], bond.summary().events
            if after[0] > before[0] or (after[1] > before[1] and what in DEEDS):
                done.add(what)
                break
    assert done == set(STEPS)
    kinds = [d.proposal.get("kind") for d in bond.decisions() if d.verdict == "accepted"]
    assert len(set(kinds)) == 13
    states(bond)


# Batches


class Asked:
    """A proposer that counts how often it is asked, and fails as it is told to."""

    name = "asked"
    version = "1"

    def __init__(self, answer: Callable[[list[ReadText]], Any]) -> None:
        self.answer = answer
        self.read: list[list[int]] = []

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        self.read.append([text.number for text in texts])
        found: list[Proposal] = self.answer(texts)
        return found


def thankful(texts: Sequence[ReadText]) -> list[Proposal]:
    return [thanks(text.number) for text in texts if "Thank you" in text.content]


def broken(texts: list[ReadText]) -> Iterator[Proposal]:
    yield thanks(texts[0].number)
    raise OSError("the line is dead")


def none_at_all(texts: list[ReadText]) -> Iterable[Proposal]:
    raise ProposerFailed("no answer; it can be tried again")


FAULTS: list[Callable[[list[ReadText]], Any]] = [
    broken,
    none_at_all,
    lambda texts: None,
    lambda texts: ["thank you"],
    lambda texts: [*thankful(texts), {"kind": "signal"}],
    lambda texts: thankful(texts) * 5000,
    lambda texts: 1 // 0,
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("one_turn", [False, True])
def test_a_batch_that_failed_is_recorded_so_and_freezes_nothing(
    bond: Relationship, fault: Callable[[list[ReadText]], Any], one_turn: bool
) -> None:
    said = exchange(bond, "Thank you.", "Yes.")
    before = states(bond)
    turn = said.turn if one_turn else None
    for times in (1, 2):
        failing = Asked(fault)
        with pytest.raises(ProposerFailed) as failed:
            bond.propose(turn, failing)
        assert "\n" not in str(failed.value)
        assert failing.read == [[said.message, said.reply]]
        failures = [r for r in bond.records() if r.type == "BatchFailed"]
        assert len(failures) == times
        payload = bond.why(failures[-1].number).payload or {}
        assert (payload["proposer"], payload["version"]) == ("asked", "1")
        assert payload["reason"] == str(failed.value)[:500]
        (open_failure,) = bond.failures()
        assert open_failure.number == failures[-1].number
        assert open_failure.texts == (said.message, said.reply)
        assert open_failure.reason == payload["reason"]
    assert bond.decisions() == []
    assert states(bond) == before
    # The same proposer is asked the same again, and answers.
    sound = Asked(thankful)
    (decided,) = bond.propose(turn, sound)
    assert decided.verdict == "accepted" and sound.read == [[said.message, said.reply]]
    assert states(bond) != before and bond.failures() == []


def test_of_a_long_history_what_was_read_before_the_failure_stays_read(
    bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("enishi.kernel.deciding.proposing.BATCH_TEXTS", 4)
    turns = [exchange(bond, f"Thank you, {n}.", "Yes.") for n in range(5)]

    def tired(texts: list[ReadText]) -> list[Proposal]:
        return thankful(texts) if texts[0].number != turns[2].message else thankful(texts)[:-9:0]

    with pytest.raises(ProposerFailed):
        bond.propose(None, Asked(tired))
    assert len(bond.decisions()) == 2
    sound = Asked(thankful)
    assert len(bond.propose(None, sound)) == 3
    assert [numbers[0] for numbers in sound.read] == [turns[2].message, turns[4].message]


def test_the_same_batch_again_is_answered_from_the_log(bond: Relationship, store: Store) -> None:
    said = exchange(bond, "Thank you. I live in Oslo.", "Yes.")

    def both(texts: list[ReadText]) -> list[Proposal]:
        cited = cite((said.message, "Oslo"))
        about: dict[str, Any] = {"subject": "user", "key": "home_city"}
        return [
            *thankful(texts),
            Belief(value="Oslo", citations=cited, **about),
            Belief(value="Rome", citations=cited, **about),
            Belief(value="Oslo", confidence=0.6, citations=cited, **about),
        ]

    first = bond.propose(said.turn, Asked(both))
    assert [d.verdict for d in first] == ["accepted", "accepted", "rejected", "held"]
    length, found = bond.summary().events, states(bond)
    # Whatever it would say now, and whoever asks.
    for asked in (Asked(both), Asked(thankful), Asked(broken)):
        assert bond.propose(said.turn, asked) == first == bond.decisions()
        assert asked.read == []
        assert bond.propose(None, asked) == []
    with open_store(store.path) as other:
        assert other.relationships()[0].propose(said.turn, Asked(broken)) == first
    assert bond.summary().events == length and states(bond) == found
    # Another version, and other texts, are other batches.
    newer = Asked(both)
    newer.version = "2"
    assert len(bond.propose(said.turn, newer)) == 4 and newer.read != []
    bond.edit(said.message, "Thank you. I live in Rome.")
    again = Asked(thankful)
    (decided,) = bond.propose(said.turn, again)
    assert decided.number not in [d.number for d in first]
    assert again.read == [[bond.get_turn(said.turn).view().messages[0].number, said.reply]]
    # Back at the first wording, all of it has been read.
    bond.undo(said.message)
    last = Asked(broken)
    assert bond.propose(said.turn, last) == first and last.read == []


def test_hidden_texts_are_not_read_and_erased_ones_are_not_there(bond: Relationship) -> None:
    said = exchange(bond, "Thank you.", "Yes.")
    secret = bond.turn("A secret").reply(Reply("Thank you, secret.", hidden=True))
    erased(bond, said.message)
    asked = Asked(thankful)
    assert bond.propose(None, asked) == []
    numbers = [number for batch in asked.read for number in batch]
    assert secret.number not in numbers and said.message not in numbers and said.reply in numbers


# Held


def held_back(bond: Relationship, how: str) -> tuple[Exchange, Decided]:
    delivered: Any = how if how != "unsure" else "shown"
    turn = bond.turn("Go on.")
    reply = turn.reply("I will call you.", delivered=delivered)
    message = turn.view().messages[0].number
    proposal = Promise(
        promiser="agent",
        act="call you",
        confidence=0.6 if how == "unsure" else 1.0,
        citations=cite((reply.number, "I will call you")),
    )
    (decided,) = bond.propose(None, [proposal])
    assert (decided.verdict, decided.event) == ("held", None)
    return Exchange(turn.number, message, reply.number), decided


HELD = pytest.mark.parametrize("how", ["unsure", "overridden", "shown_unreviewed"])


@HELD
def test_what_is_held_has_no_effect_until_it_is_released(bond: Relationship, how: str) -> None:
    said, decided = held_back(bond, how)
    before = states(bond)
    assert bond.promises() == []
    event = bond.release(decided)
    (promise,) = bond.promises()
    assert promise.number == event
    assert bond.why(event).type == "PromiseMade"
    assert bond.why(event).quotes[0].words == "I will call you"
    (again,) = bond.decisions()
    assert (again.verdict, again.event) == ("held", event)
    with pytest.raises(Conflict, match="released already"):
        bond.release(decided.number)
    # It rests on the same words.
    for fall in ("swiped away", "edited"):
        come_back = WAYS[fall](bond, Telling(said.turn, said.reply))
        assert come_back is not None
        assert bond.promises() == [] and states(bond) == before
        come_back()
        assert bond.promises() == [promise]
    end_promise(bond, event, "kept")
    assert [p.status for p in bond.promises()] == ["kept"]
    states(bond)


@HELD
def test_released_on_words_that_are_not_chosen_it_waits_for_them(
    bond: Relationship, how: str
) -> None:
    said, decided = held_back(bond, how)
    bond.edit(said.reply, "We will see.")
    bond.release(decided)
    assert bond.promises() == []
    bond.undo(said.reply)
    assert len(bond.promises()) == 1
    states(bond)


def test_what_would_reject_it_by_now_still_does(bond: Relationship) -> None:
    said, decided = held_back(bond, "unsure")
    erased(bond, said.reply)
    with pytest.raises(Conflict, match="text_erased"):
        bond.release(decided)
    assert bond.promises() == []
    states(bond)


def test_only_what_is_held_can_be_released(bond: Relationship) -> None:
    text = exchange(bond, "Thank you.", "Yes.").message
    good, bad = bond.propose(None, [thanks(text), thanks(text, mode="joke")])
    assert (good.verdict, bad.verdict) == ("accepted", "rejected")
    length = bond.summary().events
    for number in (good.number, bad.number, good.event or 0, text, 0, length - 1):
        with pytest.raises(NotFound, match="no held decision"):
            bond.release(number)
    for number in (length, 10**9, -1):
        with pytest.raises(NotFound):
            bond.release(number)
    assert bond.summary().events == length


def test_what_named_another_proposal_of_its_batch_can_be_released(bond: Relationship) -> None:
    told = telling(bond, "I will call you. I called you.")
    word, done = cite((told.text, "I will call you")), cite((told.text, "I called you"))
    kept: dict[str, Any] = {"outcome": "kept", "citations": done}
    batch: list[Proposal] = [
        Promise(promiser="agent", act="fly to Rome", citations=word),
        Promise(promiser="agent", act="call you", citations=word),
        PromiseOutcome(promise="@1", confidence=0.6, **kept),
        PromiseOutcome(promise="@0", confidence=0.6, **kept),
    ]
    decided = bond.propose(None, batch)
    assert [d.verdict for d in decided] == ["rejected", "accepted", "held", "rejected"]
    event = bond.release(decided[2])
    assert [(p.status, p.ended_by) for p in bond.promises()] == [("kept", event)]
    states(bond)


# The user's own word


def test_what_is_wrong_counts_for_nothing_and_what_is_right_after_all_counts_again(
    bond: Relationship,
) -> None:
    life = live(bond)
    whole = states(bond)
    for name, number in life.events.items():
        if bond.why(number).type == "BeliefStated":
            continue
        with pytest.raises(Conflict, match="not said to be wrong"):
            bond.correct(number, "right")
        with pytest.raises(InvalidInput, match="no value"):
            bond.correct(number, "wrong", value="another")
        (wrong,) = bond.correct(number)
        assert (bond.why(wrong).payload or {})["by"] == "user"
        assert states(bond) != whole, name
        assert "withdrawn" in (bond.why(number).why_not or "")
        bond.correct(number, "right")
        assert bond.why(number).why_not is None
        assert states(bond) == whole


def statuses(bond: Relationship) -> dict[str, str]:
    return {view.value: view.status for view in bond.beliefs()}


def test_a_belief_that_is_wrong_is_taken_back_and_the_one_before_holds_again(
    bond: Relationship,
) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    _, two = hold(bond, "I live in Bergen.", "Bergen")
    hold(bond, "I live in Bergen.", "Bergen")
    before = states(bond)
    (wrong,) = bond.correct(two, "wrong")
    assert statuses(bond) == {"Oslo": "current", "Bergen": "retracted"}
    assert [v.retraction for v in bond.beliefs() if v.value == "Bergen"] == [wrong]
    explained = bond.why(wrong)
    assert (explained.payload or {})["by"] == "user" and explained.quotes == ()
    states(bond)
    bond.withdraw(wrong)
    assert states(bond) == before
    bond.restore(wrong)
    assert statuses(bond) == {"Oslo": "current", "Bergen": "retracted"}
    assert (one, "Oslo", "current") in held(bond)
    hold(bond, "I live in Bergen.", "Bergen")
    assert sorted(status for _, value, status in held(bond) if value == "Bergen") == [
        "current",
        "retracted",
    ]


def test_a_belief_that_is_right_is_confirmed(bond: Relationship) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    (right,) = bond.correct(one, "right")
    (view,) = bond.beliefs()
    assert view.status == "current" and len(view.confirmed_at) == 1
    assert view.last_affirmed == view.confirmed_at[0]
    assert bond.why(right).type == "BeliefConfirmed"
    bond.correct(right, "wrong")
    assert bond.beliefs()[0].confirmed_at == ()
    bond.correct(right, "right")
    assert len(bond.beliefs()[0].confirmed_at) == 1
    states(bond)


def test_a_belief_that_was_said_to_be_wrong_can_be_right_after_all(bond: Relationship) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    bond.correct(one, "wrong", value="Bergen")
    assert statuses(bond) == {"Oslo": "retracted", "Bergen": "current"}
    bond.correct(one, "right")
    assert statuses(bond) == {"Oslo": "current"}
    assert len(bond.beliefs()[0].confirmed_at) == 1
    bond.correct(one, "wrong")
    assert statuses(bond) == {"Oslo": "retracted"}
    states(bond)


@pytest.mark.parametrize("value", ["Bergen", "成都", "[bold]x[/bold]", "x" * 200, "🦊‍🔥"])
def test_another_value_takes_the_place_of_the_wrong_one(bond: Relationship, value: str) -> None:
    told, one = hold(bond, "I live in Oslo.", "Oslo", category="identity")
    _, stated = bond.correct(one, value=value)
    new = next(view for view in bond.beliefs() if view.number == stated)
    assert (new.subject, new.key, new.value, new.status) == ("agent", "home_city", value, "current")
    assert (new.category, new.authority, new.basis) == ("identity", "claimed", "explicit")
    assert statuses(bond)["Oslo"] == "retracted"
    # The user's word needs no text: it stays when the text goes, and can itself be corrected.
    bond.edit(told.text, "Never mind.")
    assert statuses(bond) == {value: "current"}
    bond.undo(told.text)
    bond.correct(stated, value="Rome")
    assert statuses(bond) == {"Oslo": "retracted", value: "retracted", "Rome": "current"}
    # What is said later in so many words replaces it.
    hold(bond, "I live in Turin.", "Turin")
    assert (statuses(bond)["Rome"], statuses(bond)["Turin"]) == ("replaced", "current")
    states(bond)


def test_a_correction_on_a_fork_is_one_there_alone(bond: Relationship) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    fork = bond.fork("fork")
    main = bond.digests()
    fork.correct(one, value="Bergen")
    assert statuses(fork) == {"Oslo": "retracted", "Bergen": "current"}
    assert statuses(bond) == {"Oslo": "current"} and bond.digests() == main
    bond.correct(one, "wrong")
    later = bond.fork("later")
    assert statuses(later) == {"Oslo": "retracted"}
    # What is right on a fork leaves what was said elsewhere as it is.
    later.correct(one, "right")
    assert statuses(bond) == {"Oslo": "retracted"}
    states(bond)


def test_a_correction_that_cannot_be_recorded_is_refused_and_leaves_nothing(
    bond: Relationship,
) -> None:
    _, one = hold(bond, "I live in Oslo.", "Oslo")
    said = exchange(bond, "Thank you.", "Yes.")
    length, before = bond.summary().events, states(bond)
    anything: Any = "maybe"
    for value in ("", "   ", "\n", "a\0b", "\ud800", "x" * 201):
        with pytest.raises(InvalidInput):
            bond.correct(one, "wrong", value=value)
    with pytest.raises(InvalidInput, match="right"):
        bond.correct(one, "right", value="Bergen")
    with pytest.raises(InvalidInput, match="maybe"):
        bond.correct(one, anything)
    for number in (said.turn, said.message, said.reply, 0, bond.decisions()[0].number):
        with pytest.raises(InvalidInput, match="not derived"):
            bond.correct(number)
    for number in (-1, length, 10**9):
        with pytest.raises(NotFound):
            bond.correct(number)
    assert bond.summary().events == length and states(bond) == before


def test_time_stands_still_and_yet_a_correction_counts(tmp_path: Path) -> None:
    with fixed_store(tmp_path / "still.db") as opened:
        bond = opened.relationship("lumi", "chen")
        _, one = hold(bond, "I live in Oslo.", "Oslo")
        bond.correct(one, value="Bergen")
        assert statuses(bond) == {"Oslo": "retracted", "Bergen": "current"}
        states(bond)
