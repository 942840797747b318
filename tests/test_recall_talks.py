"""Recall within talks: how a session opens, what was spoken of, what follows from what is found."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from helpers import NOW

from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import (
    Belief,
    Citation,
    LoopOutcome,
    OpenLoop,
    Promise,
    PromiseOutcome,
    Signal,
)
from enishi.kernel.recording import Reply
from enishi.kernel.rules import bundled_proposers
from enishi.projections.recall.gate import BEGINS, SPOKEN_OF
from enishi.projections.recall.items import Recall

LABELS = Path(__file__).parent.parent / "benchmarks" / "labels"


def session(bond: Relationship, days: float, *turns: str, read: bool = True) -> list[int]:
    """A session so many days ago, a turn every ten minutes, read by the bundled rules or by nobody."""
    numbers = []
    for place, words in enumerate(turns):
        said, _, reply = words.partition(" / ")
        at = NOW - timedelta(days=days) + timedelta(minutes=10 * place)
        turn = bond.record(said, reply or "I see.", at=at)
        for proposer in bundled_proposers() if read else ():
            bond.propose(turn, proposer)
        numbers.append(turn.view().messages[0].number)
    return numbers


def asked(bond: Relationship, words: str) -> Recall:
    """What is offered for this message, which is taken back afterwards."""
    turn = bond.turn(words)
    found = turn.recall()
    turn.abandon()
    bond.withdraw(turn.number)
    return found


def told(found: Recall) -> str:
    return "\n".join(item.text for item in found.items)


@pytest.mark.parametrize("opening", ["早。", "下班了", "Morning!", "hey, are you there?", "在吗"])
def test_a_session_opens_with_the_last_one_and_not_with_old_small_talk(
    bond: Relationship, opening: str
) -> None:
    session(bond, 92, "早上吃了碗牛肉面，还行。", "Morning rain on the balcony again.")
    session(bond, 1, "最近项目搞崩了，很累。", "客户把需求全推翻了，三个月白干。")
    found = asked(bond, opening)
    assert found.gate == BEGINS and found.render("zh")
    assert "项目搞崩了" in told(found)
    assert "牛肉面" not in told(found) and "balcony" not in told(found)
    # Nothing was searched for, and the block does not claim that something was asked.
    assert not found.found and "记录里也许有" not in found.render("zh")


@pytest.mark.parametrize(
    "words", ["ok", "好的", "什么是 Python？", "谢谢", "[TOOL] previous: 昨天"]
)
def test_not_every_first_word_of_a_session_needs_the_last_one(
    bond: Relationship, words: str
) -> None:
    session(bond, 1, "I started to learn Python.", "最近项目搞崩了，很累。")
    found = asked(bond, words)
    assert not found.gate.open and not found.items


def test_a_greeting_within_a_session_or_the_very_first_one_opens_nothing(
    bond: Relationship,
) -> None:
    assert not asked(bond, "Good morning").gate.open
    session(bond, 0, "The project fell apart. I'm exhausted.")
    assert not asked(bond, "Good morning").gate.open


def test_after_a_long_absence_the_last_session_has_to_be_asked_for(bond: Relationship) -> None:
    session(bond, 92, "I had noodles at the harbour.", "The gulls were loud.")
    assert "noodles" not in told(asked(bond, "Good morning"))
    assert "noodles" in told(asked(bond, "What did we talk about last time?"))


def test_a_question_opens_the_gate_by_what_was_spoken_of(bond: Relationship) -> None:
    session(bond, 9, "The cat shredded my ledger.", "账本被猫抓烂了。", "My mug is crooked.")
    for words, part in (
        ("Who ruined the ledger?", "shredded"),
        ("账本是被谁弄坏的", "抓烂"),
        ("What colour is a mug of that sort?", "crooked"),
    ):
        found = asked(bond, words)
        assert found.gate.open and part in told(found), words
    assert asked(bond, "Who ruined the ledger?").gate == SPOKEN_OF
    for words in ("Who won the cup final?", "谁赢了决赛", "The kettle is on.", "什么是账本？"):
        assert asked(bond, words).gate != SPOKEN_OF, words


def test_what_everybody_says_all_the_time_opens_nothing(store: Store, bond: Relationship) -> None:
    with store.transaction():
        for _ in range(40):
            bond.record("The rain again.", "Rain it is.", at=NOW - timedelta(minutes=30))
    assert not asked(bond, "Is it going to rain?").gate.open


def test_with_a_hit_comes_what_was_said_around_it(bond: Relationship) -> None:
    session(
        bond, 40,
        "I've secretly applied for a master's.", "It's psychology, at Utrecht.",
        "The rent there is 700 a month.",
    )  # fmt: skip
    session(bond, 20, "A quiet day.", "Soup again.")
    found = asked(bond, "What did I secretly apply for, do you remember?")
    beside = [item for item in found.items if item.because == "around"]
    assert beside and "psychology" in beside[0].text
    assert {item.layer for item in beside} == {"episodes"}
    assert set(beside[0].numbers) <= {quote.text for quote in beside[0].sources}
    shown = [number for item in found.items for number in item.numbers]
    assert len(shown) == len(set(shown)), "nothing is told twice"


def test_behind_a_loop_stands_the_promise_and_how_it_ended(bond: Relationship) -> None:
    driving = "My driving test is on Monday. / I promise to wish you luck."
    (said,) = session(bond, 30, driving, read=False)
    reply = bond.turns()[0].reply
    assert reply is not None
    loop = OpenLoop(
        subject="driving test", continuation="how it went",
        citations=(Citation(text=said, quote="My driving test is on Monday"),),
    )  # fmt: skip
    promise = Promise(
        promiser="agent", act="wish you luck",
        citations=(Citation(text=reply.number, quote="I promise to wish you luck"),),
    )  # fmt: skip
    _, made = (one.event for one in bond.propose(None, [loop, promise]))
    assert made is not None
    session(bond, 28, "It is Monday. / Good luck!", read=False)
    wished = bond.turns()[-1].reply
    assert wished is not None
    kept = PromiseOutcome(
        promise=made, outcome="kept", citations=(Citation(text=wished.number, quote="Good luck"),)
    )
    assert bond.propose(None, [kept])[0].event is not None
    found = bond.recall("how was the driving test", layers=("beliefs", "episodes"))
    (behind,) = (item for item in found.items if item.because == "behind")
    assert behind.number == made and behind.note == "kept"


def test_what_is_held_is_told_as_that_to_the_agent_alone(bond: Relationship) -> None:
    (said,) = session(bond, 3, "Perhaps we are moving to Porto, we shall see.")
    proposed = [
        Belief(
            subject="user", key="plan", value="moving to Porto", confidence=0.6,
            citations=(Citation(text=said, quote="moving to Porto"),),
        ),
        Signal(signal="disclosure", actor="user", strength="weak", confidence=0.6,
               citations=(Citation(text=said, quote="we are moving to Porto"),)),
    ]  # fmt: skip
    decided = bond.propose(None, proposed)[0]
    assert (decided.verdict, decided.event) == ("held", None)

    def held(**options: object) -> list[int]:
        found = bond.recall("moving to Porto", **options)  # type: ignore[arg-type]
        return [item.number for item in found.items if item.authority == "held"]

    assert held() == [decided.number] and held(audience="user") == []
    (item,) = (i for i in bond.recall("Porto").items if i.authority == "held")
    assert item.confidence == 6000 and [q.words for q in item.sources] == ["moving to Porto"]
    assert bond.recall("Porto").render().count("not settled") == 1
    with bond.turn("What about Porto?") as turn:
        assert decided.number in turn.recall().numbers
        turn.reply("Is it settled?")
    bond.edit(said, "Perhaps we are staying.")
    assert held() == []
    bond.undo(said)
    assert held() == [decided.number]
    bond.release(decided)
    assert held() == [] and bond.recall("Porto").found


def test_a_reply_that_was_taken_back_makes_nothing_but_what_is_held(bond: Relationship) -> None:
    turn = bond.turn("Will you call?", at=NOW - timedelta(days=2))
    reply = turn.reply(Reply("I will call you at noon.", "overridden"))
    promise = Promise(
        promiser="agent", act="call you at noon",
        citations=(Citation(text=reply.number, quote="I will call you at noon"),),
    )  # fmt: skip
    (decided,) = bond.propose(None, [promise])
    assert decided.reason == "reply_overridden"
    items = {item.number: item for item in bond.recall("call at noon").items}
    assert items[decided.number].authority == "held"
    assert items[decided.number].note == "reply overridden"
    assert not any(item.because == "promise" for item in items.values())


def test_the_portrait_tells_beliefs_and_what_runs_through_sessions(bond: Relationship) -> None:
    (lives, exam) = session(bond, 60, "I live in Porto.", "My exam with Dr Kowalski is in May.")
    loop = OpenLoop(
        subject="exam", continuation="the result",
        citations=(Citation(text=exam, quote="My exam"),),
    )  # fmt: skip
    opened = bond.propose(None, [loop])[0].event
    assert opened is not None
    (passed,) = session(bond, 20, "I passed the exam! Dr Kowalski smiled.")
    ended = LoopOutcome(
        loop=opened, outcome="completed", citations=(Citation(text=passed, quote="I passed"),)
    )
    assert bond.propose(None, [ended])[0].event is not None
    portrait = bond.portrait()
    assert all(one.sources and one.layer == "portrait" for one in portrait)
    thread = next(one for one in portrait if one.number == opened)
    assert [quote.words for quote in thread.sources] == ["My exam", "I passed"]
    assert thread.note == "completed" and thread.kind == "sentence"
    assert lives in {quote.text for one in portrait for quote in one.sources}
    named = next(one for one in portrait if "Kowalski" in one.text)
    assert {quote.text for quote in named.sources} == {exam, passed}
    found = bond.recall("How are you?", layers=("portrait",))
    assert opened in {item.number for item in found.items}
    assert bond.recall("", audience=("somebody",), layers=("portrait",)).items == ()


def test_a_date_without_its_year_is_the_last_one_on_which_something_was_said(
    bond: Relationship,
) -> None:
    bond.record("We ran in the park in Graz.", "Nice.", at=NOW - timedelta(days=3 * 365))
    day = NOW - timedelta(days=3 * 365)
    bond.record("I bought 2 lamps.", "Nice.", at=NOW - timedelta(days=100))
    for query in (f"What did I do on {day:%B} {day.day}?", f"{day.month}月{day.day}号我做了什么"):
        assert [i.text for i in bond.recall(query).found][:1] == ["We ran in the park in Graz."]
    # A day that has not come is no day on which anything was said.
    assert not bond.recall("next week").found


def test_every_label_names_a_text_of_its_talk() -> None:
    openings, referred = (
        [json.loads(line) for line in (LABELS / name).read_text("utf-8").splitlines()[1:]]
        for name in ("openings.jsonl", "referred.jsonl")
    )
    assert len(openings) == 30 and sum(len(talk["asked"]) for talk in referred) == 200
    for talk in openings:
        last = [text for turn in talk["sessions"][-1]["turns"] for text in turn]
        before = [t for one in talk["sessions"][:-1] for turn in one["turns"] for t in turn]
        assert all(any(words in text for text in last) for words in talk["of"])
        assert all(any(words in text for text in before) for words in talk["never"])
    for talk in referred:
        texts = [text for one in talk["sessions"] for turn in one["turns"] for text in turn]
        assert all(sum(one["of"] in text for text in texts) == 1 for one in talk["asked"])
    for labels in (openings, referred):
        assert {(talk["lang"], talk["half"]) for talk in labels} == {
            (lang, half) for lang in ("en", "zh") for half in ("seen", "held")
        }


@pytest.mark.parametrize(("kind", "at_least"), [("openings", 3), ("referred", 17)])
def test_a_part_of_the_labelled_talks_is_remembered(store: Store, kind: str, at_least: int) -> None:
    """The benchmark `recall_talks` asks all of them; here are two talks, or four openings."""
    talks = [
        json.loads(line) for line in (LABELS / f"{kind}.jsonl").read_text("utf-8").splitlines()[1:]
    ]
    some = talks[::10][:4] if kind == "openings" else [talks[4], talks[15]]
    hits = 0
    for place, talk in enumerate(some):
        bond = store.relationship("lumi", f"chen{place}")
        for one in talk["sessions"]:
            session(bond, one["days"], *(" / ".join(turn) for turn in one["turns"]))
        messages = (
            [(talk["opening"], talk["of"])]
            if kind == "openings"
            else [(one["text"], [one["of"]]) for one in talk["asked"]]
        )
        for words, wanted in messages:
            found = told(asked(bond, words))
            hits += any(one in found for one in wanted)
    assert hits >= at_least


def test_one_stray_character_of_a_word_is_no_hit(bond: Relationship) -> None:
    session(bond, 9, "食堂的面今天有点咸。", "吃了贵州的酸汤鱼。", "我养了一只猫。")
    assert not bond.recall("面试").found
    assert [i.text for i in bond.recall("吃鱼").found][:1] == ["吃了贵州的酸汤鱼。"]
    assert [i.text for i in bond.recall("猫").found][:1] == ["我养了一只猫。"]


def test_an_endless_reply_does_not_bury_the_short_message_that_says_it(bond: Relationship) -> None:
    for reply in range(12):
        points = " ".join(f"Point w{reply}x{n} is thing v{reply}x{n}." for n in range(200))
        advice = f"A webinar on ethics in hiring? {points} Then hold the webinar on hiring."
        bond.record("Tell me more about that.", advice, at=NOW - timedelta(days=3))
    moved = "The webinar on ethics has been moved to the 27th."
    bond.record(moved, "Noted.", at=NOW - timedelta(days=3))
    assert bond.recall("When is the webinar on ethics in hiring?").found[0].text == moved
