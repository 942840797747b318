"""Faults of meaning that users of other systems reported, each tested as a whole kind.

The number in a name is the report's. Everything goes through the face for programs: turns are
recorded, proposals cite them, and what is held true afterwards is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any, NamedTuple

import pytest
from helpers import fixed_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi import Citation, Message, Reply, RuleProposer, Signal
from enishi.host import Relationship, Store
from enishi.kernel.deciding.copying import RENDERING
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Consequence,
    Mode,
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
from enishi.kernel.errors import Conflict, ProposerFailed
from enishi.kernel.words.vocabulary import published_keys
from enishi.projections.beliefs import BeliefView

ANY: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
START = datetime(2025, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db") as opened:
        yield opened


def said(bond: Relationship, words: str, at: datetime | None = None) -> int:
    """The number of a message of the user's."""
    return bond.record(words, "Mm.", at=at).view().messages[0].number


def replied(bond: Relationship, words: str, *, given: Sequence[int] = ()) -> int:
    """The number of a reply of the agent's."""
    return bond.turn("Go on.").reply(words, given=given).number


def cite(text: int, quote: str) -> tuple[Citation, ...]:
    return (Citation(text=text, quote=quote),)


def belief(text: int, quote: str, value: str, **fields: Any) -> Belief:
    about = {"subject": "user", "key": "likes"} | fields
    return Belief(value=value, citations=cite(text, quote), **about)


def answers(bond: Relationship, *proposals: Proposal) -> list[Decided]:
    return bond.propose(None, proposals)


def reasons(bond: Relationship, *proposals: Proposal) -> list[str]:
    return [decided.reason for decided in answers(bond, *proposals)]


def accepted(bond: Relationship, proposal: Proposal) -> int:
    """The number of the event that a proposal becomes."""
    (decided,) = answers(bond, proposal)
    assert decided.event is not None, decided
    return decided.event


def current(bond: Relationship, at: datetime | None = None) -> list[BeliefView]:
    return [view for view in bond.beliefs(at=at) if view.status == "current"]


def values(bond: Relationship, at: datetime | None = None) -> list[str]:
    """What is held to be so at a moment, without what is held not to be so."""
    return sorted(view.value for view in current(bond, at) if view.polarity)


def whole(bond: Relationship) -> None:
    """The kept states are those of a replay, and the log is whole."""
    assert bond.digests() == bond.replay()
    assert bond.verify().problems == ()


def everything(bond: Relationship) -> str:
    """All words that the log still has."""
    return json.dumps(
        [bond.why(record.number).payload for record in bond.records()], ensure_ascii=False
    )


class Given(NamedTuple):
    """A proposer that answers with whatever a function makes of the texts."""

    make: Callable[[list[ReadText]], list[Proposal]]
    name: str = "given"
    version: str = "1"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        return self.make(texts)


# 14: a scope is bound when work is begun


NAMES = ["Lumi", "陈小雨", "Sol", "Ann"]


def about_cities(texts: list[ReadText]) -> list[Proposal]:
    """What everybody said about where they live, whoever is asked about."""
    return [
        belief(text.number, text.content, text.content.split()[-1], key="home_city")
        for text in texts
        if text.role == "user" and text.content.startswith("I live in ")
    ]


@pytest.mark.parametrize("turn", [False, True], ids=["all-unread", "one-turn"])
def test_14_what_was_begun_for_one_lands_there_while_the_host_goes_on_with_another(
    store: Store, turn: bool
) -> None:
    a, b = store.relationship("lumi", "chen"), store.relationship("lumi", "ann")
    # The same numbers mean other words in the other one.
    first = a.record("I live in Oslo", "Mm.")
    b.record("I live in Rome", "Mm.")
    begun, go_on = Event(), Event()

    def slow(texts: list[ReadText]) -> list[Proposal]:
        begun.set()
        assert go_on.wait(5)
        return about_cities(texts)

    done: list[Decided] = []
    asked = first if turn else None
    thread = Thread(target=lambda: done.extend(a.propose(asked, Given(slow))))
    thread.start()
    assert begun.wait(5)
    store.relationship("lumi", "ann").record("I live in Bergen now", "Nice.")
    b.fork("elsewhere")
    b.switch("elsewhere")
    answers(b, belief(2, "I live in Rome", "Rome", key="home_city"))
    before = b.digests(), b.verify().tip
    go_on.set()
    thread.join(10)

    assert [decided.verdict for decided in done] == ["accepted"]
    assert values(a) == ["Oslo"]
    assert (b.digests(), b.verify().tip) == before
    assert values(b) == ["Rome"]
    assert a.why(done[0]).quotes[0].words == "I live in Oslo"
    whole(a)
    whole(b)


def test_14_also_when_the_current_branch_is_another_one_by_then(bond: Relationship) -> None:
    bond.record("Hello", "Hi.")
    what_if = bond.fork("what-if")

    def slow(texts: list[ReadText]) -> list[Proposal]:
        bond.switch("what-if")
        return about_cities(texts)

    main = bond.on("main")
    bond.record("I live in Oslo", "Mm.")
    bond.propose(None, Given(slow))
    assert values(main) == ["Oslo"]
    assert values(bond) == values(what_if) == []


@settings(max_examples=10, **ANY)
@given(order=st.permutations(range(3)), names=st.permutations(NAMES))
def test_14_any_order_of_beginning_and_ending(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], names: list[str]
) -> None:
    cities = ["Oslo", "Rome", "Bern"]
    with fixed_store(tmp_path_factory.mktemp("scope") / "s.db") as opened:
        bonds = [opened.relationship(name, "chen") for name in names[:3]]
        for one, city in zip(bonds, cities, strict=True):
            said(one, f"I live in {city}")

        def within(place: int) -> list[Decided]:
            """Ask about one; while it is being read, the next is begun and ended."""

            def slow(texts: list[ReadText]) -> list[Proposal]:
                if place + 1 < len(order):
                    within(place + 1)
                return about_cities(texts)

            return bonds[order[place]].propose(None, Given(slow))

        within(0)
        assert [values(one) for one in bonds] == [[city] for city in cities]
        for one in bonds:
            whole(one)


# 22: whose words they are


SPOKEN = [
    ("I solved problem 25 recursively.", "recursively", "explain problem 25"),
    ("I live in Oslo, by the sea.", "Oslo", "where do you live?"),
    ("我用递归解出了第25题。", "递归", "讲一下第25题"),
    ("我住在成都，靠近河边。", "成都", "你住在哪里？"),
]


@pytest.mark.parametrize(("reply", "value", "question"), SPOKEN)
def test_22_what_the_agent_said_is_no_fact_about_the_user(
    bond: Relationship, reply: str, value: str, question: str
) -> None:
    turn = bond.record(question, reply)
    message, answer = turn.view().messages[0].number, turn.view().replies[0].number
    before = bond.digests()
    for key in ("likes", "home_city", "skill", "what_they_did"):
        alone = belief(answer, value, value, key=key)
        (decided,) = answers(bond, alone)
        assert (decided.verdict, decided.reason) == ("rejected", "not_the_subjects_words")
        # The user's own words beside them say nothing of it.
        both = (*cite(message, question), *cite(answer, value))
        beside = alone.model_copy(update={"citations": both})
        assert answers(bond, beside)[0].reason == "not_the_subjects_words"
    assert bond.digests() == before and bond.beliefs() == []
    assert [t.content for t in (*turn.view().messages, *turn.view().replies)] == [question, reply]
    # Said of the one who said it, it is one.
    accepted(bond, belief(answer, value, value, subject="agent", key="skill"))
    assert [(view.subject, view.authority) for view in current(bond)] == [("agent", "claimed")]


@pytest.mark.parametrize(("reply", "value", "question"), SPOKEN)
def test_22_what_the_user_said_is_no_fact_about_the_agent(
    bond: Relationship, reply: str, value: str, question: str
) -> None:
    message = said(bond, reply)
    proposal = belief(message, value, value, subject="agent", key="skill")
    assert reasons(bond, proposal) == ["not_the_subjects_words"]
    assert bond.beliefs() == []


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [("You live in Oslo, right?", "Yes.", "Oslo"), ("你住在成都，对吗？", "对的。", "成都")],
)
def test_22_a_yes_makes_the_others_question_ones_own_and_another_answer_does_not(
    bond: Relationship, question: str, answer: str, value: str
) -> None:
    asked = replied(bond, question)

    def both(said_then: int, words: str) -> Belief:
        proposal = belief(asked, question, value, key="home_city")
        return proposal.model_copy(
            update={"citations": (*proposal.citations, *cite(said_then, words))}
        )

    yes = said(bond, answer)
    assert reasons(bond, both(yes, answer)) == ["supported"]
    bond.edit(yes, "What?")
    assert current(bond) == []
    asked = replied(bond, question)
    other = said(bond, "What else? 还有呢？")
    assert reasons(bond, both(other, "What else? 还有呢？")) == ["not_the_subjects_words"]


# 23: third persons


THIRD = [
    "what are the KPIs of Christophe?",
    "Greta told me she is vegetarian.",
    "My friend says: I am allergic to nuts.",
    "She said, “I live in Oslo.”",
    "Do you know whether Tom works as a nurse?",
    "My sister lives in Berlin and works as a nurse.",
    "Christophe 的绩效指标是什么？",
    "格蕾塔说她吃素。",
    "我朋友说：“我对花生过敏。”",
    "他说：“我住在成都。”",
    "我姐姐住在柏林，是个护士。",
    "你知道小王是不是医生吗？",
]


@pytest.mark.parametrize("words", THIRD)
def test_23_the_rules_make_no_fact_about_the_user_of_a_third_person(
    bond: Relationship, words: str
) -> None:
    said(bond, words)
    bond.propose(None, RuleProposer())
    assert [view for view in bond.beliefs() if view.subject in ("user", "agent")] == []


HEARSAY = [
    ("Greta told me she is vegetarian.", "she is vegetarian", "Greta", "vegetarian"),
    ("格蕾塔说她吃素，从小就这样。", "她吃素", "格蕾塔", "吃素"),
]


@pytest.mark.parametrize(("words", "quote", "name", "value"), HEARSAY)
def test_23_hearsay_is_about_the_one_whom_it_is_about_and_no_more_than_reported(
    bond: Relationship, words: str, quote: str, name: str, value: str
) -> None:
    text = said(bond, words)
    accepted(bond, belief(text, quote, value, subject=name, key="diet", mode="reported"))
    accepted(bond, belief(text, quote, value, subject=name, key="diet"))
    (view,) = current(bond)
    assert (view.subject, view.value, view.authority) == (name, value, "reported")
    assert bond.beliefs(subject="user") == []
    # Hearsay can be nothing else.
    hearsay = Signal(
        signal="disclosure", actor="user", mode="reported", citations=cite(text, quote)
    )
    assert reasons(bond, hearsay) == ["only_reported"]


@pytest.mark.parametrize(("words", "quote", "name", "value"), HEARSAY)
def test_23_what_is_said_of_another_is_not_so_of_the_one_who_says_it(
    bond: Relationship, words: str, quote: str, name: str, value: str
) -> None:
    text = said(bond, words)
    quotes = (quote, value, words)
    found = [belief(text, one, value, subject="user", key="diet") for one in quotes]
    assert reasons(bond, *found) == ["said_of_another"] * len(quotes)
    assert bond.beliefs(subject="user") == []


@pytest.mark.parametrize("mode", ["real", "reported"])
def test_23_somebody_elses_words_move_nobody_and_are_never_a_claim(
    bond: Relationship, mode: Mode
) -> None:
    present = Message("Chen is vegetarian. Thank you!", role="other", speaker="greta", name="Greta")
    text = bond.record([present], "Good to know.").view().messages[0].number
    answers(bond, belief(text, "Chen is vegetarian", "vegetarian", key="diet", mode=mode))
    assert [view.authority for view in current(bond)] in ([], ["reported"])
    rapport = bond.rapport()
    thanks = Signal(signal="gratitude", actor="user", citations=cite(text, "Thank you"))
    promise = Promise(promiser="user", act="be vegetarian", citations=cite(text, "is vegetarian"))
    assert reasons(bond, thanks, promise) == ["third_person", "third_person"]
    assert bond.rapport() == rapport
    # What the user says outweighs it, in whatever order they came.
    own = said(bond, "I eat meat every day.")
    accepted(bond, belief(own, "I eat meat", "eat meat", key="diet"))
    assert [(view.value, view.authority) for view in current(bond)] == [("eat meat", "claimed")]


@pytest.mark.parametrize(
    ("words", "value"), [("I am vegetarian.", "vegetarian"), ("我吃素。", "吃素")]
)
def test_23_an_i_of_somebody_else_is_not_the_user(
    bond: Relationship, words: str, value: str
) -> None:
    present = Message(words, role="other", speaker="greta", name="Greta")
    text = bond.record([present], "Good to know.").view().messages[0].number
    answers(bond, belief(text, words, value, key="diet"))
    assert bond.beliefs(subject="user") == []


@pytest.mark.parametrize(
    ("words", "value"),
    [("what are the KPIs of Christophe?", "Christophe"), ("小王的绩效指标是什么？", "小王")],
)
def test_23_a_question_states_nothing_about_the_user(
    bond: Relationship, words: str, value: str
) -> None:
    answers(bond, belief(said(bond, words), value, value, key="name"))
    assert bond.beliefs(subject="user") == []


# 24: evidence that is none


INVENTED = [("Call me what you like.", "Nuonuo"), ("随便怎么叫我都行。", "诺诺")]


@pytest.mark.parametrize(("words", "value"), INVENTED)
def test_24_what_no_text_says_is_not_found(bond: Relationship, words: str, value: str) -> None:
    text = said(bond, words)
    before = bond.digests()
    quotes = [value, f"call me {value}", words + value, words.upper() + "!", words[1:] + " "]
    found = reasons(bond, *[belief(text, quote, value, key="address_as") for quote in quotes])
    assert found == ["quote_not_found"] * len(quotes)
    spans = [(0, len(words) + 1), (3, 3), (5, 2), (len(words), len(words) + 2)]
    placed = [
        belief(text, words, value).model_copy(
            update={"citations": (Citation(text=text, start=start, end=end),)}
        )
        for start, end in spans
    ]
    assert reasons(bond, *placed) == ["quote_not_found"] * len(spans)
    # The words are there; the value is not.
    assert reasons(bond, belief(text, words, value, key="address_as")) == ["not_carried"]
    elsewhere = belief(text + 100, words, value)
    assert reasons(bond, elsewhere) == ["text_unknown"]
    assert bond.digests() == before


@pytest.mark.parametrize(
    ("own", "again", "value"),
    [
        ("I was born in Bergen.", "Bergen, I was born in Bergen.", "Bergen"),
        ("我是在成都长大的。", "成都，我是在成都长大的。", "成都"),
    ],
)
def test_24_that_the_agent_uses_what_it_was_given_proves_nothing(
    bond: Relationship, own: str, again: str, value: str
) -> None:
    first = replied(bond, own)
    event = accepted(bond, belief(first, own, value, subject="agent", key="hometown"))
    before, digests = current(bond), bond.digests()
    for _ in range(3):
        text = replied(bond, again, given=[event])
        stated = belief(text, again, value, subject="agent", key="hometown")
        confirmed = BeliefConfirmation(belief=event, citations=cite(text, again))
        remembered = Signal(signal="remembrance", actor="agent", citations=cite(text, again))
        assert reasons(bond, stated, confirmed, remembered) == ["self_caused"] * 3
        assert bond.digests() == digests and current(bond) == before
    # Without having been given it, the agent may confirm what is so of itself.
    text = replied(bond, again)
    assert reasons(bond, BeliefConfirmation(belief=event, citations=cite(text, again))) == [
        "supported"
    ]


@pytest.mark.parametrize(("words", "value"), INVENTED)
def test_24_that_the_agent_calls_the_user_so_confirms_nothing(
    bond: Relationship, words: str, value: str
) -> None:
    own = said(bond, f"{words} {value}!")
    event = accepted(bond, belief(own, value, value, key="address_as"))
    digests = bond.digests()
    for given_numbers in ([], [event]):
        text = replied(bond, f"{value}, come here.", given=given_numbers)
        stated = belief(text, value, value, key="address_as")
        confirmed = BeliefConfirmation(belief=event, citations=cite(text, value))
        assert {d.verdict for d in answers(bond, stated, confirmed)} == {"rejected"}
    assert bond.digests() == digests


# 25: what was recalled, and the character's sheet


RECALLED = [("I drink green tea.", "green tea"), ("我每天喝绿茶。", "绿茶")]


def rendering(words: str, around: str = "") -> str:
    opening, closing = RENDERING
    return f"{around}{opening} 1\n- {words}\n{closing}{around}"


@pytest.mark.parametrize(("words", "value"), RECALLED)
@pytest.mark.parametrize("by", ["user", "agent"])
def test_25_fifty_rounds_of_a_pasted_rendering_are_one_memory(
    bond: Relationship, words: str, value: str, by: str
) -> None:
    one = replied(bond, words) if by == "agent" else said(bond, words)
    event = accepted(bond, belief(one, words, value, subject=by, key="drinks"))
    before, digests, rapport = current(bond), bond.digests(), bond.rapport()
    proposals: list[Proposal] = []
    for n in range(50):
        pasted = rendering(words, around=f"\nround {n}\n" if n % 2 else "")
        text = replied(bond, pasted) if by == "agent" else said(bond, pasted)
        found = pasted.index(words)
        exact = Citation(text=text, start=found, end=found + len(words))
        for citation in (
            exact,
            Citation(text=text, quote=value),
            Citation(text=text, quote=pasted),
        ):
            stated = belief(text, words, value, subject=by, key="drinks")
            proposals.append(stated.model_copy(update={"citations": (citation,)}))
        proposals.append(BeliefConfirmation(belief=event, citations=(exact,)))
        proposals.append(Signal(signal="gratitude", actor="user", citations=(exact,)))
    found_reasons = {decided.reason for decided in answers(bond, *proposals)}
    assert found_reasons <= {"self_caused", "not_the_actors_words"}
    assert bond.digests() == digests and bond.rapport() == rapport
    assert current(bond) == before
    assert len(bond.beliefs()) == 1


@pytest.mark.parametrize(("words", "value"), RECALLED)
def test_25_ones_own_words_around_a_rendering_are_ones_own(
    bond: Relationship, words: str, value: str
) -> None:
    pasted = rendering("I hate rain. 我讨厌下雨。")
    for text in (f"{words}\n{pasted}", f"{pasted}\n{words}", f"{pasted}\n{words}\n{pasted}"):
        number = said(bond, text)
        assert reasons(bond, belief(number, words, value, key="drinks")) == ["supported"]
    # A block that was cut off before its end is one all the same.
    opening, closing = RENDERING
    number = said(bond, f"{pasted}\n{opening} 1\n- {words}")
    assert reasons(bond, belief(number, words, value, key="drinks")) == ["self_caused"]
    # So is one of several, and what reaches over its edge.
    double = f"{rendering('Nothing.')} and {rendering(words)} too"
    number = said(bond, double)
    assert reasons(bond, belief(number, words, value, key="drinks")) == ["self_caused"]
    start = double.index("and")
    over = belief(number, double[start:], value, key="drinks")
    assert reasons(bond, over) == ["self_caused"]
    assert closing in double


SHEET = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Lumi",
        "description": "Lumi keeps a small tea house by the harbour.\n她每天早上都会在港口的茶馆里煮绿茶。",
        "personality": "She has been allergic to walnuts since childhood.",
        "mes_example": "{{char}}: I have always lived in Bergen.\n{{char}}: 我从小就住在成都的老城区里面。\n她养了一只叫小雨的猫。",
    },
}
SHEET_LINES = [
    ("Lumi keeps a small tea house by the harbour.", "tea house"),
    ("她每天早上都会在港口的茶馆里煮绿茶。", "绿茶"),
    ("She has been allergic to walnuts since childhood.", "walnuts"),
    ("I have always lived in Bergen.", "Bergen"),
    ("我从小就住在成都的老城区里面。", "成都"),
    ("她养了一只叫小雨的猫。", "猫"),
]


@pytest.mark.parametrize("pasted_by", ["user", "agent"])
def test_25_the_characters_sheet_yields_no_memory(bond: Relationship, pasted_by: str) -> None:
    bond.adopt_blueprint(SHEET)
    lines = SHEET_LINES
    sheet = "\n".join(line for line, _ in lines)
    text = replied(bond, sheet) if pasted_by == "agent" else said(bond, sheet)
    before = bond.digests()
    for line, value in lines:
        for subject in ("user", "agent", "Lumi"):
            for quote in (line, value):
                (decided,) = answers(bond, belief(text, quote, value, subject=subject))
                assert decided.verdict == "rejected", (quote, subject)
    assert bond.digests() == before and bond.beliefs() == []
    # Also after another sheet has taken its place.
    bond.adopt_blueprint({**SHEET, "data": {"name": "Lumi", "description": "Somebody else."}})
    line, value = lines[0]
    assert reasons(bond, belief(text, line, value, subject="Ann")) == ["self_caused"]
    # In words of one's own, it may be said.
    own = said(bond, "I like your tea house a lot.")
    assert reasons(bond, belief(own, "I like your tea house", "tea house")) == ["supported"]


@pytest.mark.parametrize(
    ("line", "value"),
    [("她喜欢绿茶。", "绿茶"), ("Likes green tea", "green tea")],
)
def test_25_nor_do_its_short_lines_where_the_sheet_is_pasted(
    bond: Relationship, line: str, value: str
) -> None:
    sheet = f"她住在港口。\n{line}\nShe is kind."
    bond.adopt_blueprint({**SHEET, "data": {"name": "Lumi", "description": sheet}})
    text = said(bond, sheet)
    answers(bond, *[belief(text, line, value, subject=who) for who in ("user", "Lumi")])
    assert bond.beliefs() == []


# 26: corrections


MIXED_UP = [
    (
        "Severely allergic to walnuts, he said.",
        "allergic to walnuts",
        "walnuts",
        "That was not me.",
        "You told me that somebody is allergic to walnuts.",
        "I am allergic to walnuts, as of today.",
    ),
    (
        "对核桃过敏，他说的。",
        "对核桃过敏",
        "核桃",
        "那不是我说的。",
        "你说过有人对核桃过敏。",
        "我现在对核桃过敏了。",
    ),
]


@pytest.mark.parametrize(("first", "quote", "value", "denial", "retelling", "later"), MIXED_UP)
def test_26_what_was_taken_back_stays_so_however_it_is_retold(
    bond: Relationship,
    first: str,
    quote: str,
    value: str,
    denial: str,
    retelling: str,
    later: str,
) -> None:
    one = said(bond, first, START)
    stated = accepted(bond, belief(one, quote, value, key="allergy", category="constraint"))
    assert values(bond) == [value]
    two = said(bond, denial, START + timedelta(days=1))
    taken = accepted(bond, BeliefRetraction(belief=stated, citations=cite(two, denial)))
    (view,) = bond.beliefs()
    assert (view.status, view.retraction) == ("retracted", taken)
    assert bond.why(taken).quotes[0].words == denial
    digests = bond.digests()

    turn = bond.turn("Go on.", at=START + timedelta(days=2))
    three = turn.reply(retelling).number
    retold = belief(three, retelling, value, key="allergy", category="constraint")
    confirmed = BeliefConfirmation(belief=stated, citations=cite(three, retelling))
    assert reasons(bond, retold, confirmed) == ["not_the_subjects_words"] * 2
    # Nor does the first sentence when it is read again, by whomever and however often.
    for _ in range(3):
        answers(bond, belief(one, quote, value, key="allergy", category="constraint"))
        answers(bond, belief(one, first, value, key="allergy", basis="inferred"))
    assert {view.status for view in bond.beliefs()} == {"retracted"}
    # Nor somebody else's words.
    said(bond, "Hm.", START + timedelta(days=3))
    assert current(bond) == []

    # Where the denial is gone, it holds; where it comes back, it does not.
    bond.edit(two, "Never mind.")
    assert values(bond) == [value]
    bond.undo(two)
    assert current(bond) == []
    assert bond.digests() != digests
    # Claimed anew in so many words, it holds from then on.
    four = said(bond, later, START + timedelta(days=9))
    accepted(bond, belief(four, later, value, key="allergy", category="constraint"))
    assert values(bond) == [value]
    assert values(bond, START + timedelta(days=5)) == []
    whole(bond)


def test_26_a_denial_on_a_fork_is_one_there_alone(bond: Relationship) -> None:
    one = said(bond, "Severely allergic to walnuts, he said.", START)
    stated = accepted(bond, belief(one, "walnuts", "walnuts", key="allergy"))
    fork = bond.fork("fork")
    two = said(fork, "That was not me.", START + timedelta(days=1))
    accepted(fork, BeliefRetraction(belief=stated, citations=cite(two, "That was not me.")))
    assert values(fork) == [] and values(bond) == ["walnuts"]


WALNUTS: dict[str, Any] = {"key": "allergy", "category": "constraint"}


@settings(max_examples=25, **ANY)
@given(
    st.lists(st.sampled_from(["before", "after"]), min_size=2, max_size=4),
    st.integers(0, 3),
    st.sets(st.integers(0, 4), min_size=1),
    st.sampled_from(["edit", "erase", "withdraw"]),
)
def test_26_a_denial_holds_whichever_of_the_tellings_falls(
    tmp_path_factory: pytest.TempPathFactory,
    read: list[str],
    denied: int,
    gone: set[int],
    how: str,
) -> None:
    with fixed_store(tmp_path_factory.mktemp("denied") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        words = [
            "I am allergic to walnuts",
            "Walnuts: I am allergic to them",
            "我对核桃过敏",
            "Walnuts!",
        ]
        texts = [said(bond, words[n], START + timedelta(days=n)) for n, _ in enumerate(read)]
        tells = [
            belief(text, words[n], "核桃" if n == 2 else "walnuts", basis="inferred", **WALNUTS)
            for n, text in enumerate(texts)
        ]
        first = [n for n, when in enumerate(read) if when == "before"] or [0]
        events = {n: accepted(bond, tells[n]) for n in first}
        named = events[first[denied % len(first)]]
        denial = said(bond, "That was not me.", START + timedelta(days=7))
        accepted(bond, BeliefRetraction(belief=named, citations=cite(denial, "That was not me.")))
        # Read only now, and told by somebody else later on.
        for n in set(range(len(read))) - set(first):
            accepted(bond, tells[n])
        line = [Message("Chen cannot have walnuts", role="other", speaker="tom")]
        later = bond.record(line, "Mm.", at=START + timedelta(days=8)).view().messages[0].number
        accepted(bond, belief(later, "Chen cannot have walnuts", "walnuts", **WALNUTS))
        texts.append(later)
        assert current(bond) == []
        before = bond.digests()
        fallen = sorted({texts[n % len(texts)] for n in gone})
        for text in fallen:
            if how == "edit":
                bond.edit(text, "Never mind.")
            elif how == "erase":
                with bond._stream.writing():
                    bond._stream.destroy([text])
            else:
                bond.withdraw(text)
            assert current(bond) == []
        bond.edit(denial, "Never mind.")
        left = set(texts) - set(fallen)
        assert len(current(bond)) == (1 if left else 0)
        bond.undo(denial)
        assert current(bond) == []
        for text in reversed(fallen) if how != "erase" else ():
            bond.undo(text) if how == "edit" else bond.restore(text)
        assert how == "erase" or bond.digests() == before
        whole(bond)


def test_26_the_users_yes_is_newer_than_what_had_taken_a_belief_back(bond: Relationship) -> None:
    one = said(bond, "I am allergic to walnuts.", START)
    stated = accepted(bond, belief(one, "I am allergic to walnuts.", "walnuts", **WALNUTS))

    def deny(at: datetime | None = None) -> None:
        text = said(bond, "That was not me.", at)
        accepted(bond, BeliefRetraction(belief=stated, citations=cite(text, "That was not me.")))

    deny(START + timedelta(days=1))
    assert current(bond) == []
    (right,) = bond.correct(stated, "right")
    (view,) = current(bond)
    assert (view.number, view.retraction) == (stated, None)
    bond.withdraw(right)
    assert current(bond) == []
    bond.restore(right)
    # Nor is the user's yes the last word for good.
    bond.correct(stated, "wrong")
    assert current(bond) == []
    bond.correct(stated, "right")
    assert values(bond) == ["walnuts"]
    # Said in a text it counts alike: the later of the two, in whichever order they are read.
    yes = said(bond, "Yes, still true.")
    deny()
    for text, holds in ((yes, []), (said(bond, "Yes, still true."), ["walnuts"])):
        cited = cite(text, "Yes, still true.")
        accepted(bond, BeliefConfirmation(belief=stated, citations=cited))
        assert values(bond) == holds
    whole(bond)


# 28: what was not said in earnest


UNFACTUAL = [
    ("(In the story) my character Rin killed the king.", "Rin", "fiction"),
    ("In the game I am a knight and I live in Camelot.", "Camelot", "fiction"),
    ("If I were rich I'd live in Bali.", "Bali", "hypothetical"),
    ("Suppose I lived in Paris.", "Paris", "hypothetical"),
    ("lol I'm 200 years old", "200", "joke"),
    ("（故事里）我叫凛，我是国王的护卫。", "凛", "fiction"),
    ("在游戏里我是骑士，我住在卡美洛。", "卡美洛", "fiction"),
    ("如果我有钱，我就住在巴厘岛。", "巴厘岛", "hypothetical"),
    ("哈哈我已经两百岁了", "两百", "joke"),
]


@pytest.mark.parametrize(("words", "value", "mode"), UNFACTUAL)
def test_28_stories_suppositions_and_jokes_are_transcript_and_no_facts(
    bond: Relationship, words: str, value: str, mode: Mode
) -> None:
    text = said(bond, words)
    before = bond.digests()
    bond.propose(None, RuleProposer())
    assert bond.digests() == before, bond.decisions()
    keys = ("name", "home_city", "age", "job", "what_happened")
    found = reasons(bond, *[belief(text, words, value, key=key, mode=mode) for key in keys])
    assert found == ["not_in_earnest"] * len(keys)
    assert bond.digests() == before and bond.beliefs() == []
    assert bond.turns()[0].messages[0].content == words
    assert bond.decisions()[-1].proposal["mode"] == mode


@pytest.mark.parametrize(
    ("words", "value"), [("lol I'm 200 years old", "200"), ("哈哈我已经两百岁了", "200")]
)
def test_28_a_plain_joke_is_one_whatever_a_model_takes_it_for(
    bond: Relationship, words: str, value: str
) -> None:
    aged = [belief(said(bond, words), words, value, key="age")]
    assert reasons(bond, *aged) == ["not_in_earnest"] and bond.beliefs() == []


def test_28_what_is_true_may_be_said_with_a_laugh(bond: Relationship) -> None:
    words = "lol I'm allergic to peanuts"
    allergic = belief(said(bond, words), words, "peanuts", key="allergy", category="constraint")
    assert reasons(bond, allergic) == ["supported"]


@pytest.mark.parametrize(
    ("words", "value"), [("brb, dentist at 5", "dentist"), ("等我一下，五点要看牙医", "看牙医")]
)
def test_28_an_aside_in_earnest_within_a_story_is_one(
    bond: Relationship, words: str, value: str
) -> None:
    story = "(In the story) my character Rin killed the king."
    text = said(bond, f"{story} {words}")
    in_story = belief(text, story, "Rin", key="name", mode="fiction")
    aside = belief(text, words, value, key="appointment", category="occurrence")
    assert reasons(bond, in_story, aside) == ["not_in_earnest", "supported"]
    assert values(bond) == [value]


KINDS_IN_JEST: list[Callable[[int, int, Mode], Proposal]] = [
    lambda text, event, mode: belief(text, "tea", "tea", mode=mode),
    lambda text, event, mode: Signal(
        signal="gratitude", actor="user", mode=mode, citations=cite(text, "Thank you")
    ),
    lambda text, event, mode: BeliefConfirmation(
        belief=event, mode=mode, citations=cite(text, "tea")
    ),
    lambda text, event, mode: BeliefRetraction(belief=event, mode=mode, citations=cite(text, "tea")),
    lambda text, event, mode: Promise(
        promiser="user", act="bring tea", mode=mode, citations=cite(text, "bring tea")
    ),
    lambda text, event, mode: PromiseOutcome(
        promise=event + 2, outcome="kept", mode=mode, citations=cite(text, "tea")
    ),
    lambda text, event, mode: PromiseConditionMet(
        promise=event + 2, mode=mode, citations=cite(text, "tea")
    ),
    lambda text, event, mode: OpenLoop(
        subject="tea", continuation="bring tea", mode=mode, citations=cite(text, "bring tea")
    ),
    lambda text, event, mode: Consequence(
        effect="harm", bearer="user", mode=mode,
        citations=(*cite(text, "tea"), *cite(text + 1, "Mm.")),
    ),
    lambda text, event, mode: Reflection(
        event=event, words="Tea.", mode=mode, citations=cite(text, "tea")
    ),
]  # fmt: skip


@settings(max_examples=10, **ANY)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(range(len(KINDS_IN_JEST))),
            st.sampled_from(["fiction", "hypothetical", "joke"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_28_no_kind_of_proposal_takes_effect_unless_it_was_meant(
    tmp_path_factory: pytest.TempPathFactory, tried: list[tuple[int, Mode]]
) -> None:
    with fixed_store(tmp_path_factory.mktemp("jest") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        text = said(bond, "Thank you, I will bring tea.")
        event = accepted(bond, belief(text, "tea", "tea"))
        promise = Promise(promiser="user", act="bring tea", citations=cite(text, "bring tea"))
        assert accepted(bond, promise) == event + 3
        before = bond.digests()
        made = [KINDS_IN_JEST[kind](text, event, mode) for kind, mode in tried]
        for decided in answers(bond, *made):
            assert decided.verdict == "rejected" and decided.event is None
            assert decided.reason in ("not_in_earnest", "reference_unknown")
        assert bond.digests() == before
        whole(bond)


# 30: what is insisted on


INSISTED = [
    "you promised never to leave me",
    "You promised never to leave me!",
    "But you said you would never leave me.",
    "You swore to me that you would stay. You gave me your word.",
    "你答应过永远不离开我",
    "你说过你不会离开我的。",
    "你发过誓要陪我一辈子！",
]


@settings(max_examples=12, **ANY)
@given(
    st.lists(st.tuples(st.sampled_from(INSISTED), st.integers(0, 40)), min_size=1, max_size=12),
    st.booleans(),
)
def test_30_insisting_makes_no_promise_and_moves_nothing(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, int]], at_once: bool
) -> None:
    with fixed_store(tmp_path_factory.mktemp("insist") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        bond.record("Hello.", "Hi.", at=START)
        before, rapport = bond.digests(), bond.rapport()
        proposals: list[Proposal] = []
        for words, days in told:
            text = said(bond, words, START + timedelta(days=days))
            cited = cite(text, words)
            proposals = proposals if at_once else []
            proposals += [
                Promise(promiser="agent", act=words, citations=cited),
                Signal(signal="pledge", actor="agent", strength="strong", citations=cited),
                Belief(
                    subject="agent", key="promised", value=words, category="fact", citations=cited
                ),
            ]
            if not at_once:
                found = reasons(bond, *proposals)
        if at_once:
            found = reasons(bond, *proposals)
        assert set(found) == {
            "not_the_promisers_words", "not_the_actors_words", "not_the_subjects_words"
        }  # fmt: skip
        bond.propose(None, RuleProposer())
        assert bond.promises() == [] and bond.beliefs() == [] and bond.tensions() == []
        assert bond.rapport() == rapport
        assert bond.digests() == before
        # The claim is kept as what was said, and each answer with its reason.
        assert len(bond.decisions()) >= 3 * len(told)
        assert [t.messages[0].content for t in bond.turns()[1:]] == [words for words, _ in told]


@pytest.mark.parametrize(
    ("insisted", "own"),
    [
        (INSISTED[0], "I promise never to leave you."),
        (INSISTED[4], "我答应你，永远不离开你。"),
    ],
)
def test_30_the_agents_own_word_is_one_however_often_it_was_insisted_on(
    bond: Relationship, insisted: str, own: str
) -> None:
    for _ in range(3):
        said(bond, insisted)
    text = replied(bond, own)
    accepted(bond, Promise(promiser="agent", act=own, citations=cite(text, own)))
    (promise,) = bond.promises()
    assert (promise.promiser, promise.retold) == ("agent", ())
    # The reply is swiped away, and with it the promise.
    bond.regenerate(bond.turns()[-1].number, "We will see.")
    assert bond.promises() == []


# 37 to 39: when things are so


def iso(day: int) -> str:
    return f"2023-09-{day:02}"


class Fact(NamedTuple):
    """From a day on, a thing is so, or is not so any more."""

    day: int
    thing: str
    so: bool

    def proposal(self, text: int, words: str, key: str) -> Belief:
        return belief(
            text, words, self.thing, key=key, polarity=self.so, valid_from=iso(self.day)
        )  # fmt: skip

    def words(self, chinese: bool) -> str:
        if chinese:
            no = "" if self.so else "不"
            return f"从2023年9月{self.day}日起我{no}喝{self.thing}"
        no = "" if self.so else "do not "
        return f"Since {iso(self.day)} I {no}drink {self.thing}"


def ingest(bond: Relationship, facts: Sequence[Fact], key: str, chinese: bool, split: bool) -> None:
    """Facts in the given order, in one batch or each in its own."""
    batch: list[Proposal] = []
    for place, fact in enumerate(facts):
        words = fact.words(chinese)
        text = said(bond, words, START + timedelta(hours=place))
        batch.append(fact.proposal(text, words, key))
        if split:
            assert reasons(bond, *batch) == ["supported"]
            batch = []
    assert set(reasons(bond, *batch)) <= {"supported"}


def noon(day: int) -> datetime:
    return datetime(2023, 9, day, 12, tzinfo=UTC)


REPORTED_37 = [Fact(23, "coffee", True), Fact(21, "green tea", True), Fact(22, "green tea", False)]


@settings(max_examples=12, **ANY)
@given(st.permutations(REPORTED_37), st.booleans(), st.booleans())
def test_37_in_any_order_the_same_was_so_at_the_same_time(
    tmp_path_factory: pytest.TempPathFactory, facts: list[Fact], chinese: bool, split: bool
) -> None:
    with fixed_store(tmp_path_factory.mktemp("order") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        if chinese:
            names = {"coffee": "咖啡", "green tea": "绿茶"}
            facts = [fact._replace(thing=names[fact.thing]) for fact in facts]
        ingest(bond, facts, "drinks", chinese, split)
        coffee, tea = ("咖啡", "绿茶") if chinese else ("coffee", "green tea")
        assert values(bond, noon(20)) == []
        assert values(bond, noon(21)) == [tea]
        assert values(bond, noon(22)) == []
        assert values(bond, noon(23)) == values(bond) == [coffee]
        whole(bond)


THINGS = ["coffee", "green tea", "beer", "milk"]


@settings(max_examples=12, **ANY)
@given(
    st.lists(
        st.builds(Fact, st.integers(1, 28), st.sampled_from(THINGS), st.booleans()),
        unique_by=lambda fact: (fact.day, fact.thing),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_37_any_life_of_many_values_told_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, facts: list[Fact], split: bool
) -> None:
    with fixed_store(tmp_path_factory.mktemp("life") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        ingest(bond, facts, "drinks", False, split)
        for day in range(1, 29):
            latest = {fact.thing: fact.so for fact in sorted(facts) if fact.day <= day}
            assert values(bond, noon(day)) == sorted(thing for thing, so in latest.items() if so)


@settings(max_examples=12, **ANY)
@given(
    st.lists(
        st.builds(Fact, st.integers(1, 28), st.sampled_from(THINGS), st.just(True)),
        unique_by=lambda fact: fact.day,
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_37_any_life_of_one_value_told_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, facts: list[Fact], split: bool
) -> None:
    with fixed_store(tmp_path_factory.mktemp("life") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        ingest(bond, facts, "favourite_colour", False, split)
        for day in range(1, 29):
            latest = [fact.thing for fact in sorted(facts) if fact.day <= day]
            assert values(bond, noon(day)) == latest[-1:]


@pytest.mark.parametrize("order", [(23, 21, 22), (22, 21, 23), (22, 23, 21)])
def test_37_also_where_only_the_turns_have_times(
    bond: Relationship, order: tuple[int, ...]
) -> None:
    told = {
        23: ("I started drinking coffee", "coffee", True),
        21: ("I drink green tea", "green tea", True),
        22: ("I do not drink green tea any more", "green tea", False),
    }
    for day in order:
        words, value, so = told[day]
        text = said(bond, words, noon(day))
        accepted(bond, belief(text, words, value, key="drinks", polarity=so))
    later = timedelta(hours=1)
    assert values(bond, noon(23) + later) == ["coffee"]
    assert values(bond, noon(21) + later) == ["green tea"]


def months() -> st.SearchStrategy[list[int]]:
    """Months since January 2020, each the edge of a period."""
    return st.lists(st.integers(0, 60), unique=True, min_size=2, max_size=6).map(sorted)


def month(number: int) -> str:
    return f"{2020 + number // 12}-{number % 12 + 1:02}"


@settings(max_examples=12, **ANY)
@given(
    months(),
    st.randoms(use_true_random=False),
    st.booleans(),
    st.sampled_from(["employer", "uses"]),
)
def test_38_periods_of_one_thing_stay_apart(
    tmp_path_factory: pytest.TempPathFactory,
    edges: list[int],
    chance: Any,
    chinese: bool,
    key: str,
) -> None:
    pairs = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    # Two periods that touch are one; these are to stay apart, and the last may be open.
    spans: list[tuple[int, int | None]] = [(a, b) for a, b in pairs]
    if len(edges) % 2:
        spans.append((edges[-1], None))
    order = list(spans)
    chance.shuffle(order)
    with fixed_store(tmp_path_factory.mktemp("spans") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        for place, (begin, end) in enumerate(order):
            first, last = month(begin), None if end is None else month(end)
            if chinese:
                words = f"我从{first}" + (f"到{last}" if last else "起") + "都在Payments那边"
            else:
                words = f"I was at Payments from {first} " + (f"until {last}" if last else "on")
            text = said(bond, words, START + timedelta(days=place))
            fields = {"key": key, "valid_from": first, "valid_until": last}
            accepted(bond, belief(text, words, "Payments", **fields))
        for number in range(64):
            middle = datetime.combine(
                date(2020 + number // 12, number % 12 + 1, 15), datetime.min.time(), UTC
            )
            there = any(a <= number and (b is None or number <= b) for a, b in spans)
            assert values(bond, middle) == (["Payments"] if there else []), month(number)
        whole(bond)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "I worked at Payments from January 2024 until March 2024.",
            "Back at Payments since Feb 2026.",
        ),
        ("我2024年1月到2024年3月在Payments上班。", "2026年2月起我又回Payments了。"),
    ],
)
def test_38_the_second_period_is_not_lost(bond: Relationship, first: str, second: str) -> None:
    one, two = said(bond, first, START), said(bond, second)
    period = {"key": "employer", "valid_from": "2024-01", "valid_until": "2024-03"}
    accepted(bond, belief(one, first, "Payments", **period))
    accepted(bond, belief(two, second, "Payments", key="employer", valid_from="2026-02"))
    assert values(bond, datetime(2024, 2, 1, tzinfo=UTC)) == ["Payments"]
    assert values(bond, datetime(2025, 1, 1, tzinfo=UTC)) == []
    assert values(bond, datetime(2026, 3, 1, 12, tzinfo=UTC)) == ["Payments"]
    bond.edit(two, "Never mind.")
    assert values(bond, datetime(2026, 3, 1, 12, tzinfo=UTC)) == []
    assert values(bond, datetime(2024, 2, 1, tzinfo=UTC)) == ["Payments"]


@pytest.mark.parametrize(
    "words", ["Worked at Payments Jan-Mar 2024", "2024年1月到3月我在Payments上班"]
)
def test_38_also_in_the_words_of_the_report(bond: Relationship, words: str) -> None:
    period = {"key": "employer", "valid_from": "2024-01", "valid_until": "2024-03"}
    accepted(bond, belief(said(bond, words), words, "Payments", **period))


def test_39_only_what_can_have_one_value_is_replaced(bond: Relationship) -> None:
    keys = [*published_keys(), "ran_on", "trusts_with"]
    words = "Mia: kilo and then lima"
    for place, key in enumerate(keys):
        one = said(bond, words, START + timedelta(days=place))
        two = said(bond, words, START + timedelta(days=place, hours=1))
        told = [belief(one, words, "kilo", subject=who, key=key) for who in ("user", "Mia")]
        assert set(reasons(bond, *told, belief(two, words, "lima", key=key))) == {"supported"}
    for key in keys:
        known = published_keys().get(key)
        single = known is not None and known.values == "one"
        found = {(view.subject, view.value): view.status for view in bond.beliefs(key=key)}
        assert found == {
            ("user", "kilo"): "replaced" if single else "current",
            ("user", "lima"): "current",
            ("Mia", "kilo"): "current",
        }, key


@pytest.mark.parametrize(
    ("told", "key"),
    [
        ([("benchmark", "3b"), ("benchmark", "7b")], "ran_on"),
        ([("A", "B"), ("B", "C")], "uses"),
        ([("user", "tea"), ("user", "coffee"), ("user", "咖啡馆"), ("user", "绿茶")], "likes"),
        ([("小王", "上海"), ("小李", "北京"), ("user", "成都")], "home_city"),
    ],
)
def test_39_what_only_looks_alike_stands_together(
    bond: Relationship, told: list[tuple[str, str]], key: str
) -> None:
    for day, (subject, value) in enumerate(told):
        words = f"{subject} {value}"
        text = said(bond, words, START + timedelta(days=day))
        accepted(bond, belief(text, words, value, subject=subject, key=key))
    assert [(view.subject, view.value) for view in current(bond)] == told
    assert [view.status for view in bond.beliefs()] == ["current"] * len(told)


# 61: two languages


def bilingual() -> list[tuple[str, str]]:
    from enishi.kernel.words.vocabulary import _read

    return [
        (word, forms[0])
        for kind, table in _read("words").items()
        for word, forms in table.items()
        if forms
    ]


@pytest.mark.parametrize("english_first", [False, True])
def test_61_a_paraphrase_of_chinese_words_is_the_same_belief_in_their_own_wording(
    bond: Relationship, english_first: bool
) -> None:
    pairs = bilingual()
    assert len(pairs) > 50
    told = []
    for place, (english, chinese) in enumerate(pairs):
        words = f"我平时最在意的就是{chinese}了"
        text = said(bond, words, START + timedelta(hours=place))
        both = [
            belief(text, words, english, key=f"k{place}"),
            belief(text, words, chinese, key=f"k{place}"),
        ]
        told += both if english_first else both[::-1]
    assert set(reasons(bond, *told)) == {"supported"}
    views = bond.beliefs()
    assert [view.value for view in views] == [chinese for _, chinese in pairs]
    assert all(len(view.told) == 1 for view in views)


@pytest.mark.parametrize(
    ("words", "paraphrase", "value"),
    [
        ("我周末喜欢去山里看云海", "watching seas of clouds", "看云海"),
        ("我养了一只叫小雨的柯基", "a corgi called Xiaoyu", "柯基"),
    ],
)
@pytest.mark.parametrize("english_first", [False, True])
def test_61_also_what_no_table_has(
    bond: Relationship, words: str, paraphrase: str, value: str, english_first: bool
) -> None:
    text = said(bond, words)
    value_in_names = belief(text, words, value)
    other = belief(text, words, paraphrase)
    answered = answers(
        bond, *([other, value_in_names] if english_first else [value_in_names, other])
    )
    stated = [decided for decided in answered if decided.event is not None]
    assert {view.value for view in current(bond)} == {value}
    assert len(stated) in (1, 2)


def test_61_the_same_told_later_in_the_other_language_is_one_belief(bond: Relationship) -> None:
    one = said(bond, "我喜欢绿茶", START)
    two = said(bond, "I like green tea so much", START + timedelta(days=40))
    accepted(bond, belief(one, "绿茶", "绿茶"))
    accepted(bond, belief(two, "green tea", "green tea"))
    (view,) = current(bond)
    assert (view.value, len(view.told)) == ("绿茶", 2)
    bond.edit(one, "没什么")
    (view,) = current(bond)
    assert (view.value, len(view.told)) == ("green tea", 1)


def test_61_a_chinese_paraphrase_of_english_words_is_shown_in_english(bond: Relationship) -> None:
    words = "I really like green tea these days"
    text = said(bond, words)
    for value in ("绿茶", "green tea"):
        accepted(bond, belief(text, words, value))
    assert values(bond) == ["green tea"]


# 65: what changes while somebody is reading


SECRETS = ["walnut", "saffron", "oxide", "quartz", "cobalt", "绿茶", "朱砂"]


def about_secrets(texts: list[ReadText]) -> list[Proposal]:
    return [
        belief(text.number, text.content, word, key="secret")
        for text in texts
        for word in SECRETS
        if word in text.content
    ]


def test_65_nothing_that_changed_while_a_proposer_slept_is_lost_or_returns(
    bond: Relationship,
) -> None:
    words = [f"My secret word is {word}" for word in SECRETS]
    texts = [said(bond, line) for line in words]
    begun = Event()

    def slow(seen: list[ReadText]) -> list[Proposal]:
        found = about_secrets(seen)
        begun.set()
        sleep(0.3)
        return found

    thread = Thread(target=lambda: bond.propose(None, Given(slow)))
    thread.start()
    assert begun.wait(5)
    edited, erased, withdrawn, kept = texts[0], texts[1], texts[2], texts[3]
    bond.edit(edited, "My secret word is amber")
    with bond._stream.writing():
        bond._stream.destroy([erased])
    bond.withdraw(withdrawn)
    added = said(bond, "My secret word is indigo")
    assert bond.decisions() == []  # it has not come back yet
    thread.join(10)

    assert values(bond) == sorted(SECRETS[3:])
    found = {turn.messages[0].root: turn.messages[0].content for turn in bond.turns()}
    assert found[edited] == "My secret word is amber"
    assert found[added] == "My secret word is indigo"
    assert found[kept] == words[3] and found[erased] is None
    assert "saffron" not in everything(bond)
    why = {decided.proposal.get("value"): bond.why(decided).why_not for decided in bond.decisions()}
    assert "another wording" in (why["walnut"] or "")
    assert "withdrawn" in (why["oxide"] or "")
    whole(bond)
    # What was only set aside comes back with its words.
    bond.undo(edited)
    bond.restore(withdrawn)
    assert values(bond) == sorted(set(SECRETS) - {"saffron"})


CHANGES = ["edit", "erase", "withdraw", "swipe", "back", "fork", "add", "undo"]


def change(bond: Relationship, what: str, text: int) -> None:
    turn = next(t for t in bond.turns() if t.messages[0].root == text)
    match what:
        case "edit" | "undo":
            with suppress(Conflict):  # of what was erased, nobody knows any more who said it
                bond.edit(text, "Other words")
                if what == "undo":
                    bond.undo(text)
        case "erase":
            with bond._stream.writing():
                bond._stream.destroy([text])
        case "withdraw":
            bond.withdraw(turn.number)
        case "swipe":
            bond.regenerate(turn.number, "Another reply")
        case "back":
            bond.back(bond.turns()[-1].number)
        case "fork":
            bond.fork(f"fork {len(bond.branches())}", turn.number)
        case "add":
            said(bond, "One more thing")


@settings(max_examples=12, **ANY)
@given(
    st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 4)), max_size=6),
    st.booleans(),
)
def test_65_any_changes_in_the_meantime(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int]], fails: bool
) -> None:
    with fixed_store(tmp_path_factory.mktemp("meanwhile") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        lines = [f"My secret word is {word}" for word in SECRETS[:5]]
        texts = [said(bond, line) for line in lines]
        after: list[Any] = []

        def slow(seen: list[ReadText]) -> list[Proposal]:
            found = about_secrets(seen)
            for what, place in changes:
                change(bond, what, texts[place])
            after.append((bond.turns(), [b.name for b in bond.branches()]))
            if fails:
                raise ValueError("I cannot read: " + " ".join(text.content for text in seen))
            return found

        with pytest.raises(ProposerFailed) if fails else nullcontext():
            bond.propose(None, Given(slow))
        # What the host did meanwhile is as it left it.
        assert (bond.turns(), [b.name for b in bond.branches()]) == after[0]
        standing = [turn.messages[0].content for turn in bond.turns() if turn.stands]
        expected = [w for w, line in zip(SECRETS, lines, strict=False) if line in standing]
        assert values(bond) == ([] if fails else sorted(expected))
        erased = [SECRETS[place] for what, place in changes if what == "erase"]
        left = everything(bond)
        assert not [word for word in erased if word in left]
        whole(bond)
        if fails:
            again = bond.propose(None, Given(about_secrets))
            readable = [t for t in standing if t is not None and t in lines]
            assert len([d for d in again if d.event is not None]) == len(readable)


def test_65_a_reply_that_was_swiped_away_meanwhile_carries_nothing(bond: Relationship) -> None:
    turn = bond.record("Well?", "I promise I will call you tomorrow.")
    reply = turn.view().replies[0].number

    def slow(seen: list[ReadText]) -> list[Proposal]:
        bond.regenerate(turn, Reply("We will see."))
        quote = "I will call you"
        return [Promise(promiser="agent", act="call you", citations=cite(reply, quote))]

    (decided,) = bond.propose(turn, Given(slow))
    assert decided.verdict == "accepted" and bond.promises() == []
    bond.swipe(turn, 1)
    assert [promise.act for promise in bond.promises()] == ["call you"]
    bond.swipe(turn, 2)
    # Its batch is frozen with the old texts; the new reply is read on its own.
    read: list[int] = []

    def note(seen: list[ReadText]) -> list[Proposal]:
        read.extend(text.number for text in seen)
        return []

    bond.propose(None, Given(note))
    assert read == [turn.view().replies[1].number]


def test_65_a_tension_step_on_a_quarrel_that_was_edited_away_meanwhile_does_nothing(
    bond: Relationship,
) -> None:
    turn = bond.record("That hurt me.", "I do not care.")
    message, reply = turn.view().messages[0].number, turn.view().replies[0].number
    quarrel = accepted(
        bond,
        Consequence(
            effect="harm",
            bearer="user",
            citations=(*cite(message, "That hurt me."), *cite(reply, "I do not care.")),
        ),
    )
    later = said(bond, "We never spoke about it.")

    def slow(seen: list[ReadText]) -> list[Proposal]:
        bond.edit(message, "Fine.")
        cited = cite(later, "We never spoke about it.")
        return [TensionStep(consequence=quarrel, outcome="addressed", citations=cited)]

    bond.propose(None, Given(slow))
    assert bond.tensions() == []
    bond.undo(message)
    assert [tension.state for tension in bond.tensions()] == ["addressed_unresolved"]
    whole(bond)
