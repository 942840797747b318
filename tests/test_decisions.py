"""Every rule of decision: what is accepted, what is not, and with which reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from decision_examples import (
    BRANCH,
    CALL,
    CALLED,
    DIAN,
    EXAMPLES,
    FIRST,
    HURT,
    PARIS,
    THANKS,
    Make,
    Try,
    World,
    all_worlds,
    belief,
    confirmed,
    consequence,
    ended,
    loop,
    loop_ended,
    promise,
    reasoned,
    reflection,
    retracted,
    signal,
    world,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi.host import Store
from enishi.kernel.deciding.accepting import EVENT_OF, accepted_event
from enishi.kernel.deciding.case import Case, locate
from enishi.kernel.deciding.copying import RENDERING
from enishi.kernel.deciding.decisions import ACCEPTED, RULES, Decision, decide
from enishi.kernel.deciding.proposals import (
    CONTENT_FREE,
    Belief,
    Citation,
    Promise,
    proposal_schema,
)
from enishi.kernel.deciding.proposing import Decided, cited_texts
from enishi.kernel.errors import Conflict, NotFound
from enishi.kernel.events import EVENT_TYPES

ANY: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
VERDICT = {rule.reason: rule.verdict for rule in RULES} | {ACCEPTED: "accepted"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with all_worlds(tmp_path_factory.mktemp("decisions") / "store.db") as opened:
        yield opened


@pytest.fixture
def reason(store: Store) -> Callable[..., str]:
    """The reason with which the last of the proposals is answered where these lines were said."""

    def reason(lines: tuple[str, ...] | str, *proposals: Make, **more: Any) -> str:
        said = (f"user: {lines}",) if isinstance(lines, str) else lines
        return answer(store, Try(said, proposals, **more)).reason

    return reason


def answer(store: Store, case: Try) -> Decided:
    here = world(store, case)
    return here.propose(*case.proposals)[-1]


def cases(which: str) -> list[Any]:
    return [
        pytest.param(code, case, id=f"{code}-{place}")
        for code, example in EXAMPLES.items()
        for place, case in enumerate(getattr(example, which))
    ]


# Every rule


def test_every_rule_has_its_examples_and_a_code_of_its_own() -> None:
    codes = [rule.reason for rule in RULES]
    assert len(set(codes)) == len(codes) and ACCEPTED not in codes
    assert list(EXAMPLES) == codes
    assert all(example.refused and example.accepted for example in EXAMPLES.values())
    assert {rule.verdict for rule in RULES} == {"rejected", "held"}


@pytest.mark.parametrize(("code", "case"), cases("refused"))
def test_what_breaks_a_rule_is_refused_with_its_code(code: str, case: Try, store: Store) -> None:
    decided = answer(store, case)
    assert (decided.verdict, decided.reason, decided.event) == (VERDICT[code], code, None)


@pytest.mark.parametrize(("code", "case"), cases("accepted"))
def test_what_keeps_a_rule_is_accepted(code: str, case: Try, store: Store) -> None:
    here = world(store, case)
    decided = here.propose(*case.proposals)
    assert (decided[-1].verdict, decided[-1].reason) == ("accepted", ACCEPTED)
    event = decided[-1].event
    assert event is not None
    kind = decided[-1].proposal["kind"]
    assert here.bond.why(event).type == EVENT_OF[kind]
    here.bond.verify()


def test_what_rejects_comes_before_what_holds() -> None:
    verdicts = [rule.verdict for rule in RULES]
    assert verdicts == sorted(verdicts, reverse=True)


# One breach after another: each proposal breaks the named rule and all that come after it here.
BOTH = [
    ("text_unknown", Try(PARIS, (belief("Rome", Citation(text=99, quote="x"), mode="joke"),))),
    ("quote_not_found", Try(PARIS, (belief("Rome", "In Rome", mode="joke", confidence=0.1),))),
    ("text_hidden", Try(("user (hidden): No.",), (belief("Rome", "No", mode="joke"),))),
    ("reference_unknown", Try(THANKS, (ended(0, "kept", "Thank you", mode="joke"),))),
    ("not_in_earnest", Try(CALL, (belief("Rome", "I will call", mode="joke", confidence=0.6),))),
    ("not_the_subjects_words", Try(CALL, (belief("Rome", "I will call", confidence=0.1),))),
    ("not_carried", Try(PARIS, (belief("Rome", "I live", valid_from="2001", confidence=0.1),))),
    ("day_not_said", Try(PARIS, (belief("Paris", "Paris", valid_from="2001", polarity=False),))),
    ("negation_disagrees", Try(PARIS, (belief("Paris", "Paris", polarity=False, confidence=0.1),))),
    ("confidence_too_low", Try(CALL, (promise("call you", "I will call you", confidence=0.1),))),
    (
        "confidence_low",
        Try(
            ("user: Hm.", "agent (overridden): I will call you."),
            (promise("call you", "I will call you", confidence=0.6),),
        ),
    ),
]


@pytest.mark.parametrize(("first", "case"), BOTH, ids=[first for first, _ in BOTH])
def test_of_several_reasons_the_first_is_given(first: str, case: Try, store: Store) -> None:
    assert answer(store, case).reason == first


# Who is meant


@pytest.mark.parametrize("called", ["chen", "Chen", "ＣＨＥＮ", "Chen Wei", "小陈"])
def test_a_party_is_meant_by_each_of_its_names(called: str, store: Store) -> None:
    lines = ("user: I live in Paris.", "agent: Chen lives in Rome.", "user: Hm.", "agent: Mm.")
    here = world(store, Try(lines, ()))
    paris = belief("Paris", "I live in Paris", subject=called)
    rome = belief("Rome", "lives in Rome", subject=called)
    before = [one.reason for one in here.propose(paris, rome)]
    known = called.lower() in ("chen", "ｃｈｅｎ")
    hearsay = [ACCEPTED, "not_the_subjects_words" if known else ACCEPTED]
    assert before == hearsay
    bond = here.bond
    bond.rename(bond.user, "Chen Wei", ["小陈"])
    # What was said before then was said while nobody was called so.
    assert [one.reason for one in here.propose(paris, rome)] == hearsay
    for line in ("user: I live in Oslo.", "agent: Chen lives in Bergen."):
        here.say(line)
    oslo = belief("Oslo", "I live in Oslo", subject=called)
    bergen = belief("Bergen", "lives in Bergen", subject=called)
    mine, theirs = here.propose(oslo, bergen)
    assert (mine.reason, theirs.reason) == (ACCEPTED, "not_the_subjects_words")
    assert here.payload(mine.event)["subject"] == "user"
    assert here.payload(mine.event).get("authority", "claimed") == "claimed"


def test_a_name_of_both_is_whoever_speaks(store: Store) -> None:
    here = world(store, Try(("user: Hm.",), ()))
    for party in (here.bond.user, here.bond.agent):
        here.bond.rename(party, "Sam")
    for line in ("user: I live in Oslo.", "agent: I live in Rome."):
        here.say(line)
    makes = [
        belief("Oslo", "I live in Oslo", subject="Sam"),
        belief("Rome", "I live in Rome", subject="Sam"),
    ]
    events = [here.payload(one.event) for one in here.propose(*makes)]
    assert [event["subject"] for event in events] == ["user", "agent"]


# Confidence and release


@pytest.mark.parametrize("case", [case for _, case in BOTH])
def test_a_high_confidence_saves_nothing(case: Try, store: Store) -> None:
    here = world(store, case)
    made = case.proposals[-1](here).model_copy(update={"confidence": 1.0})
    (decided,) = here.bond.propose(None, [made])
    held = {"confidence_low": "reply_overridden", "confidence_too_low": ACCEPTED}
    before = next(code for code, one in BOTH if one is case)
    assert decided.reason == held.get(before, before)


PLAIN_CASES = [
    Try(THANKS, (signal("Thank you"),)),
    Try(PARIS, (belief("Paris", "I live in Paris"),)),
    Try(DIAN, (promise("打电话", "我明天给你打电话", due="2026-03-06"),)),
    Try(HURT, (consequence("harm", "user", "You are boring", "That hurt me"),)),
]


@settings(max_examples=15, **ANY)
@given(case=st.sampled_from(PLAIN_CASES), sure=st.floats(0, 1))
def test_confidence_raises_nothing(store: Store, case: Try, sure: float) -> None:
    here = world(store, case)
    made = case.proposals[0](here)
    unsure = made.model_copy(update={"confidence": sure})
    certain, other = here.bond.propose(None, [made, unsure])
    if sure >= 0.7:
        # That it was told before is all that the second one adds.
        told = {**here.payload(other.event), "same_as": None}
        assert told == {**here.payload(certain.event), "same_as": None}
    else:
        assert other.event is None
        assert other.verdict == ("held" if sure >= 0.5 else "rejected")


HELD = Try(CALL, (promise("call you", "I will call you", confidence=0.6),))


def test_the_host_releases_what_is_held_once(store: Store) -> None:
    here = world(store, HELD)
    (held,) = here.propose(*HELD.proposals)
    assert here.bond.promises() == []
    event = here.bond.release(held)
    assert [p.act for p in here.bond.promises()] == ["call you"]
    (listed,) = here.bond.decisions()
    assert (listed.verdict, listed.event) == ("held", event)
    records = here.bond.records()
    assert [r.type for r in records[-2:]] == ["DecisionReleased", "PromiseMade"]
    with pytest.raises(Conflict, match="already"):
        here.bond.release(held)
    assert here.bond.records() == records
    here.bond.verify()


@pytest.mark.parametrize("remark", ["overridden", "unreviewed"])
def test_what_rests_on_such_a_reply_waits_and_the_users_side_does_not(
    store: Store, remark: str
) -> None:
    said = ("user: Thank you.", f"agent ({remark}): I will call you. 我会给你打电话。")
    here = world(store, Try(said, ()))
    english, chinese, thanks = here.propose(
        promise("call you", "I will call you"), promise("打电话", "打电话"), signal("Thank you")
    )
    assert [d.verdict for d in (english, chinese, thanks)] == ["held", "held", "accepted"]
    here.bond.release(english)
    assert [p.act for p in here.bond.promises()] == ["call you"]


def test_an_edited_reply_is_held_as_the_first_wording_was(store: Store) -> None:
    here = world(store, Try(("user: Hm.", "agent (overridden): Hm."), ()))
    text = here.bond.edit(here.texts[1], "I will call you.")
    cited = Citation(text=text.number, quote="I will call you")
    assert here.propose(promise("call you", cited))[0].reason == "reply_overridden"


def test_what_else_speaks_against_it_still_does_at_the_release(store: Store) -> None:
    here = world(store, HELD)
    (held,) = here.propose(*HELD.proposals)
    with here.bond._stream.writing():
        here.bond._stream.destroy([here.texts[1]])
    with pytest.raises(Conflict, match="text_erased"):
        here.bond.release(held)


@pytest.mark.parametrize("sure", [0.3, 0.9])
def test_only_what_is_held_can_be_released(store: Store, sure: float) -> None:
    here = world(store, Try(THANKS, ()))
    (decided,) = here.propose(signal("Thank you", confidence=sure))
    with pytest.raises(NotFound):
        here.bond.release(decided)
    with pytest.raises(NotFound):
        here.bond.release(here.texts[0])


def test_a_released_proposal_keeps_its_references(store: Store) -> None:
    here = world(store, Try(CALLED, ()))
    _, held = here.propose(
        promise("call you", "I will call you"),
        ended("@0", "kept", "You did call me", confidence=0.6),
    )
    here.bond.release(held)
    assert [p.status for p in here.bond.promises()] == ["kept"]


# References


def test_references_follow_the_order_of_the_batch(store: Store) -> None:
    exam = ("user: The exam is on Monday.", "agent: I will call you then.", "user: You called.")
    here = world(store, Try(exam, ()))
    decided = here.propose(
        loop("exam", "ask", "The exam is on Monday"),
        promise("call you", "I will call you"),
        ended("@1", "kept", "You called"),
        loop_ended("@0", "completed", "You called"),
        reflection("@2", "I kept my word.", "You called"),
    )
    assert {d.verdict for d in decided} == {"accepted"}
    opened, made, kept, done, thought = (d.event for d in decided)
    assert here.payload(kept)["promise"] == made
    assert here.payload(done)["loop"] == opened
    assert here.payload(thought)["event"] == kept


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("@0", ACCEPTED),
        ("@1", "reference_not_accepted"),
        ("@2", "reference_not_accepted"),
        ("@3", "reference_not_accepted"),
        ("@9999", "reference_not_accepted"),
        (2**53, "reference_unknown"),
        (0, "reference_unknown"),
    ],
)
def test_only_what_was_accepted_before_it_is_named(
    store: Store, reference: int | str, expected: str
) -> None:
    here = world(store, Try(CALLED, ()))
    decided = here.propose(
        promise("call you", "I will call you"),
        promise("marry you", "I will call you"),
        ended(reference, "kept", "You did call me"),
        promise("call you", "I will call you"),
    )
    assert [d.reason for d in decided] == [ACCEPTED, "not_carried", expected, ACCEPTED]


def test_what_is_held_is_nothing_to_rest_on(reason: Callable[..., str]) -> None:
    held = promise("call you", "I will call you", confidence=0.6)
    assert reason(CALLED, held, ended("@0", "kept", "You did call me")) == "reference_not_accepted"


def test_a_loop_is_no_promise_and_nothing_replaces_itself(reason: Callable[..., str]) -> None:
    opened = loop("call", "ask", "I will call you")
    assert reason(CALLED, opened, ended("@0", "kept", "You did call me")) == "reference_unknown"
    again = loop_ended("@0", "replaced", "I will call you", replaced_by="@0")
    assert reason(CALLED, opened, again) == "reference_unknown"


# Speakers


def test_an_assertion_creates_no_promise_however_often(store: Store) -> None:
    words = "You promised to call me."
    here = world(store, Try((f"user: {words}", "agent: Hm.") * 20, ()))
    makes = [promise("call me", Citation(text=t, quote=words)) for t in here.texts[::2]]
    assert {d.reason for d in here.propose(*makes)} == {"not_the_promisers_words"}
    together = promise("call me", *(Citation(text=t, quote=words) for t in here.texts[:8:2]))
    assert here.propose(together)[0].reason == "not_the_promisers_words"
    assert here.bond.promises() == []


def test_what_a_third_person_says_of_somebody_is_hearsay(store: Store) -> None:
    lines = (
        "other: Chen lives in Paris.",
        "user: Tom lives in Rome. I live in Bonn.",
        "other: 陈住在巴黎。",
    )
    here = world(store, Try(lines, ()))
    decided = here.propose(
        belief("Paris", "Chen lives in Paris"),
        belief("Rome", "Tom lives in Rome", subject="Tom"),
        belief("巴黎", "陈住在巴黎"),
        belief("Bonn", "I live in Bonn"),
        belief("Bonn", "I live in Bonn", mode="reported"),
    )
    authorities = [here.payload(one.event).get("authority") for one in decided]
    # What is claimed by the one whom it is about is the rule, and is not written down.
    assert authorities == ["reported", "reported", "reported", None, "reported"]


def test_nobody_answers_for_the_other(reason: Callable[..., str]) -> None:
    said = ("user: I live in Paris.", "agent: I live in Rome.")
    assert reason(said, belief("Rome", "I live in Rome")) == "not_the_subjects_words"
    both = belief("Rome", "I live in Paris", "I live in Rome")
    assert reason(said, both) == "not_the_subjects_words"
    agents = belief("Rome", "I live in Rome", subject="agent")
    assert reason(said, agents) == ACCEPTED


YES = ["Yes.", "yes", "Yeah!", "Yes, yes.", "Yes. I do.", "Of course.", "yes, still true", "Right"]
YES += ["是的。", "对", "对，没错。", "嗯嗯", "是的！", "当然。"]
NO_YES = ["No.", "不是。", "不", "Maybe.", "Yes?", "Yesterday.", "Yes, but not any more.", "是吗？"]
NO_YES += ["Yes, but in Rome.", "是的，但是搬走了。", "对不起", "有人吗", "好久不见"]
NO_YES += ["Yes, and then I moved away from there for good, so to speak, and came to Rome."]
NO_YES += ["是的，后来我就离开了那里，再也没有回去过，现在一个人住在很远的地方。"]


def asked(question: str, reply: str, value: str) -> tuple[tuple[str, ...], Make]:
    return ("user: Hm.", f"agent: {question}", f"user: {reply}"), belief(value, question, reply)


@pytest.mark.parametrize("reply", YES)
@pytest.mark.parametrize(
    ("question", "value"), [("You live in Paris?", "Paris"), ("你住在巴黎吗？", "巴黎")]
)
def test_a_yes_carries_the_question_before_it(
    reason: Callable[..., str], question: str, value: str, reply: str
) -> None:
    lines, made = asked(question, reply, value)
    assert reason(lines, made) == ACCEPTED


@pytest.mark.parametrize("reply", NO_YES)
def test_another_answer_carries_nothing(reason: Callable[..., str], reply: str) -> None:
    lines, made = asked("You live in Paris?", reply, "Paris")
    assert reason(lines, made) == "not_the_subjects_words"


def test_a_yes_alone_says_nothing(reason: Callable[..., str]) -> None:
    lines, _ = asked("You live in Paris?", "Yes.", "Paris")
    assert reason(lines, belief("Paris", "Yes")) == "not_carried"


def test_a_yes_before_the_question_or_to_another_one_does_not_count(
    reason: Callable[..., str],
) -> None:
    made = belief("Paris", "You live in Paris?", "Yes")
    assert reason(("user: Yes.", "agent: You live in Paris?"), made) == "not_the_subjects_words"
    between = ("user: Hm.", "agent: You live in Paris?", "user: No.", "agent: Do you like tea?")
    assert reason((*between, "user: Yes."), made) == "not_the_subjects_words"
    still = (*between, "user: Hm.", "agent: You live in Paris, then?", "user: Yes.")
    assert reason(still, belief("Paris", "You live in Paris, then?", "Yes")) == ACCEPTED


def test_a_negative_question_and_its_yes_say_no(reason: Callable[..., str]) -> None:
    lines = ("user: Hm.", "agent: 你不喜欢茶，对吗？", "user: 对。")
    quotes = ("你不喜欢茶", "对。")
    assert reason(lines, belief("茶", *quotes, key="likes", polarity=False)) == ACCEPTED
    assert reason(lines, belief("茶", *quotes, key="likes")) == "negation_disagrees"
    open_question = ("user: Hm.", "agent: 你是不是喜欢茶？", "user: 是的。")
    asked_openly = belief("茶", "你是不是喜欢茶？", "是的", key="likes")
    assert reason(open_question, asked_openly) == ACCEPTED


# Modes


@pytest.mark.parametrize("mode", ["fiction", "hypothetical", "joke"])
@pytest.mark.parametrize("case", PLAIN_CASES)
def test_nothing_becomes_real_that_was_not_meant(store: Store, mode: str, case: Try) -> None:
    here = world(store, case)
    made = case.proposals[0](here).model_copy(update={"mode": mode})
    (decided,) = here.bond.propose(None, [made])
    assert (decided.reason, decided.event) == ("not_in_earnest", None)


@pytest.mark.parametrize("case", PLAIN_CASES)
def test_hearsay_is_a_belief_and_nothing_else(store: Store, case: Try) -> None:
    here = world(store, case)
    made = case.proposals[0](here)
    reported = made.model_copy(update={"mode": "reported"})
    (decided,) = here.bond.propose(None, [reported])
    assert decided.reason == (ACCEPTED if made.kind == "belief" else "only_reported")


# What the kernel or the card had put there

BLOCK = f"{RENDERING[0]} memories\n- Chen lives in Paris\n- 陈喜欢茶\n{RENDERING[1]}"


@pytest.mark.parametrize(
    ("text", "quote", "value", "expected"),
    [
        (BLOCK, "lives in Paris", "Paris", "self_caused"),
        (BLOCK, "陈喜欢茶", "茶", "self_caused"),
        (f"Look: {BLOCK}", "lives in Paris", "Paris", "self_caused"),
        (f"Look: {BLOCK}", f"Look: {BLOCK}", "Paris", "self_caused"),
        (BLOCK.removesuffix(RENDERING[1]), "lives in Paris", "Paris", "self_caused"),
        (f"{BLOCK} I live in Paris.", "I live in Paris", "Paris", ACCEPTED),
        (f"I live in Paris. {BLOCK}", "I live in Paris", "Paris", ACCEPTED),
        (f"{BLOCK} Hm. {BLOCK}", "lives in Paris", "Paris", "self_caused"),
        ("⟦note⟧ I live in Paris.", "I live in Paris", "Paris", ACCEPTED),
    ],
)
def test_a_rendering_that_comes_back_is_no_evidence(
    reason: Callable[..., str], text: str, quote: str, value: str, expected: str
) -> None:
    assert reason(text, belief(value, quote)) == expected


def test_a_reason_from_a_rendering_is_none(reason: Callable[..., str]) -> None:
    lines = ("user: I live in Paris.", f"user: {BLOCK}")
    made = reasoned("Paris", "I live in Paris", "Chen lives in Paris", "Chen lives in Paris")
    assert reason(lines, made) == "self_caused"


STORY = "I was born in a lighthouse in Brest. Yes. 我出生在海边的灯塔里。"
CARD = {"spec": "chara_card_v2", "data": {"name": "Lumi", "description": STORY}}


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("I was born in a lighthouse in Brest.", "Brest", "self_caused"),
        ("Hm. I was born in a lighthouse in Brest. Yes.", "Brest", "self_caused"),
        ("I was born in Brest.", "Brest", ACCEPTED),
        ("我出生在海边的灯塔里。", "灯塔", "self_caused"),
        ("我出生在灯塔。", "灯塔", ACCEPTED),
    ],
)
def test_a_copied_card_is_no_evidence(store: Store, text: str, value: str, expected: str) -> None:
    bond = store.relationship("lumi", "reader of cards", blueprint=CARD)
    reply = bond.record("Tell me.", text).view().replies[0]
    cited = (Citation(text=reply.number, quote=value),)
    stated = Belief(subject="agent", key="born_in", value=value, citations=cited)
    assert bond.propose(None, [stated])[0].reason == expected


def test_a_card_adopted_later_does_not_change_what_was_said_before(store: Store) -> None:
    bond = store.relationship("lumi", "an early reader")
    reply = bond.record("Tell me.", "I was born in a lighthouse in Brest.").view().replies[0]
    cited = (Citation(text=reply.number, quote="Brest"),)
    stated = Belief(subject="agent", key="born_in", value="Brest", citations=cited)
    before = bond.propose(None, [stated])[0].reason
    bond.adopt_blueprint(CARD)
    assert bond.propose(None, [stated])[0].reason == before == ACCEPTED


def test_what_recall_had_offered_strengthens_nothing(store: Store) -> None:
    said = ("user: Tom lives in Paris.", FIRST, "user: Hm.", "agent (reminded): Tom, in Paris!")
    stated = belief("Paris", "Tom lives in Paris", subject="Tom")
    here = world(store, Try(said, (), first=(stated,)))
    (number,) = here.events
    again, confirming, beside, other = here.propose(
        belief("Paris", "Tom, in Paris", subject="Tom"),
        confirmed(number, "Tom, in Paris"),
        belief("Paris", "Tom lives in Paris", "Tom, in Paris", subject="Tom"),
        belief("Paris", "Tom, in Paris", subject="Tom", key="is_in"),
    )
    assert (again.reason, confirming.reason) == ("self_caused", "self_caused")
    assert (beside.reason, other.reason) == (ACCEPTED, ACCEPTED)


# What the words carry


@pytest.mark.parametrize(
    ("text", "quote", "value", "positive"),
    [
        ("I like tea.", "like tea", "tea", True),
        ("I don't like tea.", "tea", "tea", False),
        ("I do not like tea any more.", "like tea", "tea", False),
        ("I used to like tea, but not any more.", "I used to like tea", "tea", False),
        ("I like tea. Not!", "I like tea", "tea", False),
        ("I no longer like tea.", "like tea", "tea", False),
        ("I never liked tea.", "tea", "tea", False),
        ("I can't say that I don't like tea.", "like tea", "tea", True),
        ("It is not that I don't like tea.", "like tea", "tea", True),
        ("I don't like tea or coffee.", "coffee", "coffee", False),
        ("I don't like tea and coffee.", "coffee", "coffee", False),
        ("I don't like milk, tea, or coffee.", "coffee", "coffee", False),
        ("I don't like tea and I like coffee.", "I like coffee", "coffee", True),
        ("I like tea, but I don't like coffee.", "like tea", "tea", True),
        ("I like tea, not coffee.", "I like tea, not coffee", "tea", True),
        ("I like tea, don't you?", "I like tea, don't you?", "tea", True),
        ("I like tea. Don't you?", "I like tea", "tea", True),
        ("No, I like tea.", "I like tea", "tea", True),
        ("Not only tea, I like it all.", "Not only tea", "tea", True),
        ("No doubt I like tea.", "like tea", "tea", True),
        ("我喜欢茶。", "喜欢茶", "茶", True),
        ("我不喜欢茶。", "喜欢茶", "茶", False),
        ("我不喜欢喝茶、咖啡。", "咖啡", "咖啡", False),
        ("我不是不喜欢茶。", "茶", "茶", True),
        ("我不能不喝茶。", "喝茶", "茶", True),
        ("我不得不喝茶。", "喝茶", "茶", True),
        ("没有人不喜欢茶。", "喜欢茶", "茶", True),
        ("我再也不喝茶了。", "喝茶", "茶", False),
        ("我从来没喝过茶。", "喝过茶", "茶", False),
        ("我喜欢茶，不是咖啡。", "我喜欢茶，不是咖啡", "茶", True),
        ("我喜欢茶，不过咖啡也行。", "我喜欢茶，不过咖啡也行", "茶", True),
        ("我特别喜欢茶。", "喜欢茶", "茶", True),
        ("我喜不喜欢茶？喜欢茶。", "喜欢茶。", "茶", True),
        ("未来我会喜欢茶。", "喜欢茶", "茶", True),
        ("我喜欢茶，真的。", "喜欢茶", "茶", True),
    ],
)
def test_negation_agrees(
    reason: Callable[..., str], text: str, quote: str, value: str, positive: bool
) -> None:
    agreeing = belief(value, quote, key="likes", polarity=positive)
    opposite = belief(value, quote, key="likes", polarity=not positive)
    assert (reason(text, agreeing), reason(text, opposite)) == (ACCEPTED, "negation_disagrees")


@pytest.mark.parametrize(
    ("text", "act", "expected"),
    [
        ("I will call you, don't worry.", "call you", ACCEPTED),
        ("别担心，我会给你打电话。", "打电话", ACCEPTED),
        ("I will not leave, I will call you.", "call you", ACCEPTED),
        ("I will not leave, I will call you.", "never leave", ACCEPTED),
        ("I will not leave, I will call you.", "leave", "negation_disagrees"),
        ("我不会离开你。", "离开你", "negation_disagrees"),
        ("我不会离开你。", "不离开你", ACCEPTED),
        ("我不会离开你。", "never leave you", ACCEPTED),
        ("I will never leave you alone.", "永远不离开你", ACCEPTED),
        ("I will never leave you alone.", "离开你", "negation_disagrees"),
        ("I will call you at Tom's.", "call at Tom’s", ACCEPTED),
        ("I will call you tomorrow.", "call Tom", "not_carried"),
        ("We will meet in Paris some day.", "在巴黎见面", ACCEPTED),
        ("We will meet in Berlin some day.", "在巴黎见面", "not_carried"),
        ("我们一定去香港玩。", "go to Hong Kong", ACCEPTED),
        ("I will call you twenty-five times.", "call you 25 times", ACCEPTED),
        ("I will call you twenty-five times.", "call you 5 times", "not_carried"),
        ("我周三给你打电话。", "周三打电话", ACCEPTED),
    ],
)
def test_what_was_promised_is_what_was_said(
    reason: Callable[..., str], text: str, act: str, expected: str
) -> None:
    assert reason(("user: Hm.", f"agent: {text}"), promise(act, text)) == expected


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        ("I will call you if you don't come.", "you don't come", ACCEPTED),
        ("I will call you if you don't come.", "you come", "negation_disagrees"),
        ("I will call you if you come.", "you don't come", "negation_disagrees"),
        ("I will call you if you come.", "you come", ACCEPTED),
        ("不下雨我就给你打电话。", "不下雨", ACCEPTED),
        ("不下雨我就给你打电话。", "下雨", "negation_disagrees"),
    ],
)
def test_a_condition_is_the_one_that_was_said(
    reason: Callable[..., str], text: str, condition: str, expected: str
) -> None:
    act = "call you" if "call" in text else "打电话"
    made = promise(act, text, condition=condition)
    assert reason(("user: Hm.", f"agent: {text}"), made) == expected


@pytest.mark.parametrize(
    ("at", "words", "due", "expected"),
    [
        ("2026-03-05T23:30+08:00", "I will call you tomorrow.", "2026-03-06", ACCEPTED),
        ("2026-03-05T23:30+08:00", "我明天给你打电话。", "2026-03-06", ACCEPTED),
        ("2026-03-05T15:30+00:00", "I will call you tomorrow.", "2026-03-06", ACCEPTED),
        ("2026-03-06T00:30+08:00", "I will call you tomorrow.", "2026-03-07", ACCEPTED),
        ("2026-03-06T00:30+08:00", "我明天给你打电话。", "2026-03-06", "day_not_said"),
        ("2026-03-05T23:30-08:00", "I will call you today.", "2026-03-05", ACCEPTED),
        ("2026-03-05T23:30-08:00", "I will call you today.", "2026-03-06", "day_not_said"),
        ("2024-02-28T12:00+08:00", "我明天给你打电话。", "2024-02-29", ACCEPTED),
        ("2025-12-31T23:59+14:00", "I will call you tomorrow.", "2026-01-01", ACCEPTED),
    ],
)
def test_days_are_those_of_the_turns_own_zone(
    reason: Callable[..., str], at: str, words: str, due: str, expected: str
) -> None:
    act = "call you" if "call" in words else "打电话"
    made = promise(act, words, due=due)
    assert reason(("user: Hm.", f"agent: {words}"), made, at=at) == expected


def test_the_value_of_an_event_is_in_the_texts_own_words(store: Store) -> None:
    here = world(store, Try(("user: I live in PARIS. 我三十五岁。",), ()))
    decided = here.propose(
        belief("paris", "I live in PARIS"), belief("35", "我三十五岁", key="age")
    )
    assert [here.payload(one.event)["value"] for one in decided] == ["PARIS", "35"]


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40
)


@settings(max_examples=200, **ANY)
@given(text=TEXTS, data=st.data())
def test_a_quote_is_found_to_the_letter_and_with_one_other_character_not(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    assert locate(Citation(text=0, start=start, end=end, quote=quote), text) == (start, end)
    assert locate(Citation(text=0, start=start, end=end), text) == (start, end)
    found = locate(Citation(text=0, quote=quote), text)
    assert found is not None and text[found[0] : found[1]] == quote
    place = data.draw(st.integers(0, len(quote) - 1))
    other = data.draw(TEXTS.map(lambda t: t[0]).filter(lambda c: c != quote[place]))
    changed = quote[:place] + other + quote[place + 1 :]
    assert locate(Citation(text=0, start=start, end=end, quote=changed), text) is None
    alone = locate(Citation(text=0, quote=changed), text)
    assert (alone is not None) == (changed in text)


@settings(max_examples=25, **ANY)
@given(text=TEXTS.filter(str.strip), data=st.data())
def test_any_quote_to_the_letter_is_evidence(store: Store, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    here = world(store, Try((), ()))
    turn = here.bond.turn(text, at=here.at)
    number = turn.view().messages[0].number
    cited = Citation(text=number, quote=quote)
    decided = here.propose(signal(cited, signal="support"))[0]
    assert decided.reason != "quote_not_found"
    assert decided.event is not None
    assert here.bond.why(decided.event).quotes[0].words == quote


# Only what cannot change later


def later(here: World) -> None:
    """All sorts of things that come after what was said."""
    bond, first = here.bond, here.bond.turns()[0]
    bond.record("I live in Rome. Forget it.", "I never said that.", at=here.at)
    here.say("user: 我不喜欢茶。")
    here.settle()
    with suppress(Conflict):  # of what was erased, nobody knows any more who said it
        bond.edit(here.texts[0], "Nothing of the sort.")
    bond.fork("later", after=first.number).record("Not so.", "No.", at=here.at)
    bond.rename("chen", "Sarah")
    bond.withdraw(here.texts[0])
    bond.back(first.number)


SAME_LATER = [
    case
    for example in EXAMPLES.values()
    for case in (example.refused[0], example.accepted[0])
    if not case.first and BRANCH not in case.lines
]


@pytest.mark.parametrize("case", SAME_LATER)
def test_nothing_that_comes_later_changes_an_answer(store: Store, case: Try) -> None:
    here = world(store, case)
    made = [make(here) for make in case.proposals]
    before = here.bond.propose(None, made)
    later(here)
    after = here.bond.propose(None, made)
    assert [(d.verdict, d.reason) for d in before] == [(d.verdict, d.reason) for d in after]


def test_deciding_again_gives_the_same_event(store: Store) -> None:
    case = Try(CALL, (promise("call you", "I will call you tomorrow", due="2026-03-06"),))
    here = world(store, case)
    stream = here.bond._stream
    with stream.reading():
        own = Case(case.proposals[0](here), cited_texts(stream, here.texts), stream.history)
    assert decide(own) == decide(own) == Decision("accepted", ACCEPTED, own.evidence)
    assert accepted_event(own, "host") == accepted_event(own, "host")
    assert accepted_event(own, "host")[0] == "PromiseMade"


@settings(max_examples=40, **ANY)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([signal, belief, promise, loop]),
            st.text(max_size=12),
            st.text(min_size=1, max_size=12),
            st.floats(0, 1),
        ),
        max_size=4,
    )
)
def test_every_proposal_gets_an_answer(
    store: Store, drawn: list[tuple[Any, str, str, float]]
) -> None:
    arguments: dict[Any, Callable[[str], tuple[str, ...]]] = {
        signal: lambda words: (),
        belief: lambda words: (words,),
        promise: lambda words: (words,),
        loop: lambda words: (words, words),
    }
    case = Try(("user: I live in Paris. 我不喜欢茶，9999年。", "agent: 好的 12, yes."), ())
    here = world(store, case)
    makes = [
        make(*arguments[make](words), quote, confidence=sure) for make, quote, words, sure in drawn
    ]
    decided = here.propose(*makes)
    assert [VERDICT[d.reason] for d in decided] == [d.verdict for d in decided]


def test_hostile_numbers_and_words_are_answered_like_any_other(reason: Callable[..., str]) -> None:
    text = "9" * 6000 + " " + "一" * 6000 + " " + "today, not " * 2000
    assert reason(text, belief("Paris", Citation(text=2, start=0, end=len(text)))) == "not_carried"
    assert reason(text, belief("一" * 200, text[6001:7000])) in VERDICT


# Batches


def test_the_cap_counts_the_proposals_of_one_turn(store: Store) -> None:
    here = world(store, Try(("user: Thank you.", "agent: Hm.", "user: Thanks."), ()))
    many = [signal("Thank you")] * 40 + [signal("Thanks")] * 2
    reasons = [d.reason for d in here.propose(*many)]
    assert reasons == [ACCEPTED] * 32 + ["too_many_proposals"] * 8 + [ACCEPTED] * 2


def test_a_retraction_and_a_confirmation_come_from_the_one_whom_it_is_about(
    reason: Callable[..., str],
) -> None:
    lines = ("user: I live in Paris.", "agent: You do?", "user: No, I do not.")
    stated = belief("Paris", "I live in Paris")
    assert reason(lines, stated, retracted("@0", "No, I do not")) == ACCEPTED
    assert reason(lines, stated, retracted("@0", "You do?")) == "not_the_subjects_words"


# The page


def test_every_kind_becomes_an_event_with_words_or_without() -> None:
    kinds = {model["properties"]["kind"]["const"] for model in _kind_models()}
    assert set(EVENT_OF) == kinds
    for kind, event in EVENT_OF.items():
        assert EVENT_TYPES[event].content_free == (kind in CONTENT_FREE)


def _kind_models() -> list[dict[str, Any]]:
    definitions = proposal_schema()["$defs"].values()
    return [model for model in definitions if "kind" in model["properties"]]


def test_a_proposal_is_kept_as_it_was_made(store: Store) -> None:
    here = world(store, Try(PARIS, ()))
    (decided,) = here.propose(belief("Paris", "I live in Paris", confidence=0.75))
    kept: dict[str, Any] = decided.proposal
    assert kept["confidence"] == 7500 and kept["citations"] == [[here.texts[0], 0, 15]]


@pytest.mark.parametrize(
    ("asked", "answer", "act", "expected"),
    [
        ("You promised to call me, right?", "Yes.", "call me", "not_the_promisers_words"),
        ("你答应过明天来看我，对吧？", "对。", "来看我", "not_the_promisers_words"),
        ("Will you call me?", "Yes.", "call me", ACCEPTED),
        ("你会来看我吗？", "会的，好的。", "来看我", "not_the_promisers_words"),
        ("你会来看我吗？", "好的。", "来看我", ACCEPTED),
    ],
)
def test_a_yes_to_what_never_was_is_no_promise(
    store: Store, asked: str, answer: str, act: str, expected: str
) -> None:
    view = store.relationship("lumi", f"asked {asked} {answer}").record(asked, answer).view()
    bond = store.relationship("lumi", f"asked {asked} {answer}")
    cited = tuple(
        Citation(text=text.number, start=0, end=len(text.content or ""))
        for text in (view.messages[0], view.replies[0])
    )
    proposed = Promise(promiser="agent", act=act, citations=cited)
    assert bond.propose(None, [proposed])[0].reason == expected
