"""Erasure in the kernel: two depths, what rests on what, plans, tombstones of other copies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store

from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import Belief, Citation, Felt, Mood, Reflection, Signal
from enishi.kernel.erasing.erasure import (
    Asked,
    Part,
    Tombstone,
    erase,
    erase_relationship,
    obey,
    of_belief,
    of_numbers,
    of_span,
    of_time,
    of_word,
    tombstones,
)
from enishi.kernel.erasing.plan import Plan, check_plan, plan
from enishi.kernel.errors import Conflict, EnishiError, ExpectationFailed, InvalidInput, NotFound
from enishi.kernel.lines import copy_start, erased_lines, shared_length
from enishi.kernel.recording import Message, open_turn
from enishi.kernel.stream import Stream


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fixed_store(tmp_path / "s.db")


def cited(text: int, quote: str) -> tuple[Citation, ...]:
    return (Citation(text=text, quote=quote),)


def told(bond: Relationship, words: str, *proposals: Any) -> list[int]:
    """A turn with one message: its number, the message's, and those of what came of proposals."""
    turn = bond.record(words, "I see.")
    message = turn.view().messages[0].number
    decided = bond.propose(None, [make(message) for make in proposals])
    assert all(one.event is not None for one in decided), decided
    return [turn.number, message, *(one.event or 0 for one in decided)]


def thanks(quote: str) -> Any:
    return lambda text: Signal(signal="gratitude", actor="user", citations=cited(text, quote))


def lives_in(place: str) -> Any:
    return lambda text: Belief(
        subject="user", key="home_city", value=place, citations=cited(text, f"I live in {place}")
    )


Ask = Callable[[Stream], Asked]


def do(bond: Relationship, ask: Ask) -> Part:
    with bond._stream.writing():
        return erase(bond._stream, ask(bond._stream))[0]


def gone(bond: Relationship, *numbers: int, keep_effects: bool = False) -> Part:
    return do(bond, lambda stream: of_numbers(stream, numbers, keep_effects))


def planned(bond: Relationship, ask: Ask, word: str | None = None) -> Plan:
    with bond._stream.reading():
        return plan(bond._stream, 0, ask(bond._stream), word)


def says(bond: Relationship) -> list[str]:
    """Everything that is still recorded, as text."""
    stream = bond._stream
    with stream.reading():
        return [repr(r.payload) for r in stream.log.records(stream.line.line)]


def test_what_rests_on_a_turn_goes_and_what_came_later_stays(bond: Relationship) -> None:
    turn, message, _, paris = told(
        bond, "Thank you. I live in Paris.", thanks("Thank you"), lives_in("Paris")
    )
    _, _, rome = told(bond, "I live in Rome.", lives_in("Rome"))
    values = {b.value: b.status for b in bond.beliefs()}
    part = gone(bond, turn)
    assert values["Rome"] == "current" and {b.number for b in bond.beliefs()} == {rome}
    assert not any("Paris" in words for words in says(bond))
    assert {message, paris} <= set(part.numbers)
    assert part.types["ProposalDecided"] == 2 and part.types["SignalAccepted"] == 1
    assert len(part.numbers) == sum(part.types.values()) and part.tombstone is not None
    assert bond.verify().ok and bond.digests() == bond.replay()
    assert gone(bond, turn).tombstone is None, "what is gone is not erased again"


def test_what_rests_on_what_is_found_as_one_by_one(bond: Relationship) -> None:
    """Also where a count of causes looks like the number that is looked for."""
    for _ in range(12):
        told(bond, "Thank you. I live in Rome.", thanks("Thank you"), lives_in("Rome"))
        texts = [turn.messages[0].number for turn in bond.turns()[-4:]]
        both = tuple(Citation(text=text, quote="Thank you") for text in texts)
        bond.propose(None, [Signal(signal="gratitude", actor="user", citations=both)])
    with bond._stream.reading():
        history = bond._stream.history
    for number in range(len(history)):
        slow = [n for n, causes in history.derived() if number in causes]
        assert sorted(history.dependants(number)) == slow, number
        resting = {number}
        resting |= (
            {n for n in history.events_of(number) if number in history.causes_of(n)}
            if (history.kind[number] == history.kind[1])
            else set()
        )
        for n, causes in history.derived():
            resting |= {n} if resting & set(causes) else set()
        assert history.resting_on([number]) == resting


def test_a_replaced_belief_is_current_again(bond: Relationship) -> None:
    _, _, paris = told(bond, "I live in Paris.", lives_in("Paris"))
    turn, *_ = told(bond, "I live in Rome.", lives_in("Rome"))
    assert {b.number: b.status for b in bond.beliefs()}[paris] != "current"
    gone(bond, turn)
    assert {b.number: b.status for b in bond.beliefs()} == {paris: "current"}


def test_effects_stay_where_only_the_words_go(bond: Relationship) -> None:
    turn, message, signal, belief = told(
        bond, "Thank you for the dumplings. I live in Paris.",
        thanks("Thank you"), lives_in("Paris"),
    )  # fmt: skip
    before = bond.rapport()
    part = gone(bond, turn, keep_effects=True)
    assert bond.rapport() == before and bond.beliefs() == []
    assert signal not in part.numbers and {turn, message, belief} <= set(part.numbers)
    assert not any("dumplings" in words or "Paris" in words for words in says(bond))
    assert bond.why(signal).why_not is None and bond.why(signal).on_erased
    assert [r.number for r in bond.records() if r.on_erased and r.why_not is None] == [signal]
    assert bond.why(message).why_not == "its words were erased"
    assert bond.verify().ok and bond.digests() == bond.replay()


def test_what_stayed_falls_with_a_swipe_and_comes_back(bond: Relationship) -> None:
    turn = bond.record("Hello.", "I promise, I will be there for you.")
    reply = turn.view().replies[0].number
    pledge = Signal(signal="pledge", actor="agent", citations=cited(reply, "I promise"))
    signal = bond.propose(None, [pledge])[0].event
    assert signal is not None
    gone(bond, reply, keep_effects=True)
    assert bond.why(signal).why_not is None
    bond.regenerate(turn, "Hello to you.")
    assert "another reply was chosen" in str(bond.why(signal).why_not)
    bond.swipe(turn, 1)
    assert bond.why(signal).why_not is None and turn.view().replies[0].content is None
    bond.withdraw(turn.number)
    assert "withdrawn" in str(bond.why(signal).why_not)
    bond.restore(turn.number)
    assert bond.why(signal).why_not is None
    gone(bond, reply)
    assert bond.why(signal).why_not == "it was erased" and bond.verify().ok


def test_erasure_only_goes_deeper(bond: Relationship) -> None:
    turn, _, signal = told(bond, "Thank you.", thanks("Thank you"))
    start = bond.rapport()
    assert gone(bond, turn, keep_effects=True).tombstone is not None
    assert gone(bond, turn, keep_effects=True).tombstone is None
    deeper = gone(bond, turn)
    assert signal in deeper.numbers and bond.rapport() != start
    assert gone(bond, turn, keep_effects=True).tombstone is None
    assert bond.rapport() != start and bond.verify().ok


def test_a_chosen_variant_that_was_erased_stays_chosen(bond: Relationship) -> None:
    turn = bond.record("Hello.", "First.")
    second = bond.regenerate(turn, "Second.")
    gone(bond, second.number)
    view = turn.view()
    assert view.reply is not None and view.reply.number == second.number
    assert view.reply.content is None and view.status == "completed"
    assert [reply.content for reply in view.replies] == ["First.", None]


def test_a_thought_about_what_was_erased_goes_with_it(bond: Relationship) -> None:
    turn, _, belief = told(bond, "I live in Paris.", lives_in("Paris"))
    later = bond.record("How nice it was.", "Yes, it was.")
    text = later.view().messages[0].number
    thought = Reflection(
        event=belief, words="Paris suits them.", citations=cited(text, "How nice it was")
    )
    decided = bond.propose(None, [thought])[0]
    assert decided.event is not None, decided
    again = Reflection(
        event=belief, revises=decided.event, words="Paris suited them.",
        citations=cited(text, "How nice"),
    )  # fmt: skip
    assert bond.propose(None, [again])[0].event is not None
    part = gone(bond, turn)
    assert part.types["ReflectionMade"] == 2
    assert not any("Paris" in words for words in says(bond))
    assert any("How nice" in words for words in says(bond))


def test_a_derived_event_and_its_decision_go_together(bond: Relationship) -> None:
    _, message, belief = told(bond, "I live in Paris.", lives_in("Paris"))
    decision = bond.decisions()[0].number
    assert set(gone(bond, belief).numbers) == {belief, decision}
    assert bond.text(message).content == "I live in Paris."
    _, _, rome = told(bond, "I live in Rome.", lives_in("Rome"))
    last = bond.decisions()[-1].number
    assert set(gone(bond, last).numbers) == {rome, last}


def test_a_belief_goes_with_all_that_speaks_of_it(bond: Relationship) -> None:
    _, message, belief = told(bond, "I live in Paris.", lives_in("Paris"))
    retracted, stated = bond.correct(belief, "wrong", value="Lyon")
    part = do(bond, lambda stream: of_belief(stream, belief))
    assert {belief, retracted, stated} <= set(part.numbers) and message not in part.numbers
    assert bond.beliefs() == []
    with pytest.raises(NotFound, match="no belief"):
        of_belief(bond._stream, message)


def test_a_span_of_turns_and_a_word_anywhere(bond: Relationship) -> None:
    turns = [bond.record(f"Word{n} is here.", "Yes.").number for n in range(6)]
    bond.fork("word2 and word3", turns[1])
    do(bond, lambda stream: of_span(stream, 0, turns[1], turns[2]))
    assert [("Word1" in w, "Word2" in w) for w in says(bond)].count((False, False)) == len(
        says(bond)
    )
    do(bond, lambda stream: of_word(stream, "ord3"))
    assert not any("ord3" in words for words in says(bond))
    assert {b.name for b in bond.branches()} == {"main", f"branch-{bond.branches()[1].number}"}
    assert any("Word4" in words for words in says(bond))
    with bond._stream.reading():
        for first, last in ((turns[3], turns[2]), (0, turns[2]), (-1, turns[0])):
            with pytest.raises((InvalidInput, NotFound)):
                of_span(bond._stream, 0, first, last)


@pytest.mark.parametrize("numbers", [(), (0,), (99,), (-1,)])
def test_what_cannot_be_asked_for_is_refused(bond: Relationship, numbers: tuple[int, ...]) -> None:
    bond.record("Hello.", "Hi.")
    with pytest.raises(EnishiError):
        of_numbers(bond._stream, numbers)


def test_a_tombstone_stays_and_an_empty_word_is_none(bond: Relationship) -> None:
    stone = gone(bond, bond.record("Hello.", "Hi.").number).tombstone
    assert stone is not None
    for wrong in (
        lambda: of_numbers(bond._stream, [stone]),
        lambda: of_word(bond._stream, "  "),
        lambda: of_word(bond._stream, "unheard of"),
        lambda: of_time(bond._stream, None, None),
    ):
        with pytest.raises(EnishiError), bond._stream.reading():
            wrong()


def test_a_plan_says_what_would_go_and_changes_nothing(bond: Relationship) -> None:
    turn, message, signal, belief = told(
        bond, "Thank you. I live in Paris now, as you know.",
        thanks("Thank you"), lives_in("Paris"),
    )  # fmt: skip
    edited = bond.edit(message, "Thank you. I live elsewhere.")
    bond.choose_wording(message)
    later = bond.record("You said: I live in Paris now, as you know.", "So it is.")
    before = says(bond)
    made = planned(bond, lambda stream: of_numbers(stream, [message]))
    assert set(made.types) == {
        "MessageReceived", "SignalAccepted", "BeliefStated", "ProposalDecided"
    }  # fmt: skip
    assert made.falls["SignalAccepted"] == 1 and made.stays == {}
    assert [said.number for said in made.repeats] == [  # what says the value comes first
        later.view().messages[0].number,
        edited.number,
    ]
    assert made.wordings == (edited.number,) and made.copies == ()
    lesser = planned(bond, lambda stream: of_numbers(stream, [message], True))
    assert lesser.stays == {"SignalAccepted": 1} and signal not in lesser.numbers
    assert says(bond) == before
    with bond._stream.writing():
        check_plan(bond._stream, made)
        (part,) = erase(bond._stream, made.asked)
    assert part.numbers == made.numbers and belief in part.numbers and turn not in part.numbers
    with pytest.raises(ExpectationFailed, match="plan again"), bond._stream.writing():
        check_plan(bond._stream, made)


SAID_AGAIN: list[tuple[str, str, bool]] = [
    ("My PIN is 5512.", "Yes, 5512 works.", True),
    ("The code is ZQ-7731.", "zq-7731? That one?", True),
    ("I met Göteborg's mayor.", "Ah, GÖTEBORG.", True),
    ("I was ill for months that year.", "You were ill for months that year?", True),
    ("Anna's car", "the car of anna", True),
    ("I was ill for months.", "It was cold for months.", False),
    ("Well, how is it?", "Well, what is it?", False),
    ("我昨天去了绿禾公园散步。", "绿禾公园好玩吗？", True),
    ("我昨天去了医院。", "我昨天很累。", False),
    ("我们约好明天早上见面。", "好的，约好明天早上见面吧。", True),
    ("Mein Zimmer ist 4B12-9.", "4B12-9?", True),
    ("Straße 7a", "STRASSE", True),
    ("Yes.", "Yes.", True),
    ("OK", "OK", False),
    ("🙂🙂🙂", "🙂🙂🙂", False),
    ("\u0130stanbul!", "istanbul?", False),
]


@pytest.mark.parametrize(("erased", "stays", "again"), SAID_AGAIN)
def test_what_says_it_again_is_told_and_what_everybody_says_is_not(
    bond: Relationship, erased: str, stays: str, again: bool
) -> None:
    for _ in range(5):  # so people talk
        bond.record("It was what it was, for months. Well, how are you?", "我昨天很累。你好。")
    message = bond.record(erased, "").number + 1
    later = bond.record("Hm.", stays).number + 2
    found = planned(bond, lambda stream: of_numbers(stream, [message])).repeats
    assert [one.number for one in found] == ([later] if again else []), found


def test_of_a_word_other_cases_are_told_and_the_longest_comes_first(bond: Relationship) -> None:
    bond.record("I like pottery and little else in my life.", "Pottery is a fine thing.")
    bond.record("You like it, and little else in my life comes near.", "Ok.")
    found = planned(bond, lambda stream: of_word(stream, "pottery"), "pottery").repeats
    assert [one.number for one in found] == [3, 5]


def test_a_value_of_two_characters_is_looked_for_where_that_is_a_word(bond: Relationship) -> None:
    turn = bond.record("我喜欢读书。I like 7.", "嗯。")
    values = (("读书", "读书"), ("7", "like 7"))
    made = [
        Belief(subject="user", key="likes", value=one, citations=cited(turn.number + 1, quote))
        for one, quote in values
    ]
    beliefs = [one.event for one in bond.propose(None, made)]
    later = bond.record("读书真好。It is 7 now.", "是。")
    for belief, found in zip(beliefs, ({turn.number + 1, later.number + 1}, set()), strict=True):
        assert belief is not None
        made_of = planned(bond, lambda stream, belief=belief: of_belief(stream, belief))
        assert {one.number for one in made_of.repeats} == found


def test_a_plan_for_a_word_shows_where_it_stands(bond: Relationship) -> None:
    told(bond, "My job is in Paris. I live in Paris.", lives_in("Paris"))
    bond.record("My job is dull.", "Is it?")
    made = planned(bond, lambda stream: of_word(stream, "My job"), "My job")
    assert [said.words for said in made.matched] == [
        "My job is in Paris. I live in Paris.", "My job is dull.",
    ]  # fmt: skip


def test_an_older_copy_obeys_the_tombstones_of_a_newer(tmp_path: Path, bond: Relationship) -> None:
    """What rests on the erased goes too, also where the newer copy never had it."""
    turn, message = told(bond, "Thank you. I live in Paris.")
    copy = tmp_path / "copy.db"
    with bond._stream.reading():
        bond._stream.log.connection.execute("SELECT 1")
    bond._stream.log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    copy.write_bytes(bond._stream.log.path.read_bytes())
    gone(bond, turn)
    stones = tombstones(bond._stream)
    with fixed_store(copy, seed=1) as older:
        (there,) = older.relationships()
        decided = there.propose(None, [lives_in("Paris")(message)])
        shared = 4
        with there._stream.writing():
            parts = obey(there._stream, stones, shared)
        assert [set(part.types) for part in parts] == [
            {"TurnOpened", "MessageReceived", "ReplyGiven", "BeliefStated", "ProposalDecided"}
        ]
        assert decided[0].event in parts[0].numbers and there.verify().ok
        assert not any("Paris" in words for words in says(there))
        with there._stream.writing():
            assert obey(there._stream, stones, shared) == []
            assert obey(there._stream, [Tombstone((99,), False)], shared) == []


@pytest.mark.parametrize("keep_effects", [True, False])
def test_what_was_thought_since_stays_when_the_same_tombstone_comes_again(
    tmp_path: Path, store: Store, keep_effects: bool
) -> None:
    """Somebody may think about an effect that was kept: neither a pack nor a receipt that brings
    the tombstone once more destroys that thought.
    """
    bond = store.relationship("lumi", "chen")
    turn, _, thanked = told(bond, "Thank you, truly.", thanks("Thank you"))
    receipt = bond.erase(turn, keep_effects=keep_effects)
    later = bond.record("How nice it was.", "Yes, it was.").view().messages[0].number
    thought = Reflection(
        event=thanked, words="It was kind of them.", citations=cited(later, "How nice it was")
    )
    decided = bond.propose(None, [thought])[0]
    assert (decided.event is not None) is keep_effects, decided
    before = bond.digests()
    with bond._stream.writing():
        assert obey(bond._stream, tombstones(bond._stream), len(bond._stream.history)) == []
    assert store.erase_again(receipt).parts == () and bond.digests() == before
    bond.export(tmp_path / "pack.erii")
    with fixed_store(tmp_path / "other.db", seed=2) as other:
        other.import_pack(tmp_path / "pack.erii", accept_erasures=True)
        there = other.relationship("lumi", "chen")
        there.record("Said elsewhere.", "So it was.")
        own = there.digests()
        bond.record("Said here.", "So it was.")
        bond.export(tmp_path / "pack.erii")
        other.import_pack(tmp_path / "pack.erii", as_branch="here", accept_erasures=True)
        assert there.digests() == own


def test_an_erased_relationship_has_no_name_and_the_same_two_begin_anew(store: Store) -> None:
    bond = store.relationship("lumi", "chen")
    other = store.relationship("lumi", "wei")
    told(bond, "Thank you. I live in Paris.", thanks("Thank you"))
    told(other, "Thank you.", thanks("Thank you"))
    digests, old = other.digests(), bond.id
    with bond._stream.writing():
        (part,) = erase_relationship(bond._stream)
    assert part.types["RelationshipFounded"] == 1 and part.relationship == old.hex()
    assert [b.user for b in store.relationships()] == ["wei"] and other.digests() == digests
    with pytest.raises(NotFound, match="erased"):
        bond.turns()
    again = store.relationship("lumi", "chen")
    assert again.id != old and again.turns() == []
    (left,) = erased_lines(store._log)
    assert left.relationship == old and left.secret == b""
    assert store._log.requests(left.line) == {}
    with store._log.reading():
        rows = list(store._log.raw(left.line))
    assert [row[1] for row in rows if row[5] is not None] == ["Erased"]


def test_what_two_lines_have_in_common_goes_from_both(store: Store, bond: Relationship) -> None:
    """Two machines went on with one relationship: each line has the records before that."""
    turn, *_ = told(bond, "I live in Paris.", lives_in("Paris"))
    stream, log = bond._stream, store._log
    with log.writing():
        line = stream.line
        other = log.add_line(line.relationship, line.secret, line.agent, line.user, "theirs")
        copy_start(log, line.line, other.line, len(stream.history))
    theirs = Stream(log, other, stream.clock, stream.entropy)
    with theirs.writing():
        assert shared_length(log, line.line, other.line) == len(theirs.history)
        open_turn(theirs, 0, [Message("I own ZQ-7731.")])
    _, message = told(bond, "I own AB-1000.")
    assert shared_length_of(store, line.line, other.line) == len(theirs.history) - 2
    with stream.writing():
        parts = erase(stream, of_numbers(stream, [turn, message]))
    assert [part.line for part in parts] == ["", str(other.line)]
    assert "theirs" not in repr(parts), "a name may be anything, and a receipt has none"
    with theirs.reading():
        left = repr([record.payload for record in log.records(other.line)])
    assert "Paris" not in left and "ZQ-7731" in left
    assert not any("Paris" in words or "AB-1000" in words for words in says(bond))
    with stream.writing():
        erase_relationship(stream)
    assert len(erased_lines(log)) == 2 and store.relationships(archived=None) == []


def shared_length_of(store: Store, one: int, other: int) -> int:
    with store._log.reading():
        return shared_length(store._log, one, other)


def test_another_wording_says_whose_it_is_when_the_first_is_erased(
    store: Store, bond: Relationship
) -> None:
    """Who said it, and that it is kept from the model, does not go with the first wording."""
    secret = Message(
        "I own ZQ-7731.", role="other", speaker="anna", name="Anna", hidden=True
    )  # fmt: skip
    turn = bond.record([secret, "I own AB-1000."], "I see.")
    roots = [*turn.view().messages, *turn.view().replies]
    told_by = [(t.role, t.speaker, t.name, t.hidden, t.delivered) for t in roots]
    for text in roots:
        bond.edit(text, "I own a blue stone.")
    gone(bond, *(text.number for text in roots))
    for text in roots:  # and of a wording that was made after that
        bond.edit(text, "I own a blue stone. I live in Paris.")
    now = [*turn.view().messages, *turn.view().replies]
    assert [(t.role, t.speaker, t.name, t.hidden, t.delivered) for t in now] == told_by
    assert all("Paris" in (t.content or "") and t.stands for t in now)
    found = {item.number for item in bond.recall("blue stone").items}
    assert now[0].number not in found, "it is kept from the model still"
    answers = [bond.propose(None, [lives_in("Paris")(t.number)])[0] for t in now[:2]]
    assert answers[0].event is None and answers[1].event is not None
    assert bond.verify().ok and bond.digests() == bond.replay()


def test_all_wordings_of_what_a_user_said_elsewhere_go(store: Store, bond: Relationship) -> None:
    guest = Message("I am Anna A-100.", role="other", speaker="anna", name="Anna")
    turn = bond.record([guest, "Hello."], "Welcome.")
    bond.edit(turn.view().messages[0], "I am Anna A-200.")
    assert bond.propose(None, [mood_of("user")(turn.view().messages[1].number)])[0].event
    assert store.erase_user("anna").types == {"MessageReceived": 1, "TextRevised": 1}
    assert not any("A-100" in words or "A-200" in words for words in says(bond))
    for party in ("user", "agent"):  # a role is no id
        assert store.erase_user(party).erased == 0


def mood_of(party: Any) -> Any:
    return lambda text: Mood(
        party=party, felt=Felt(valence=0.5), intensity="weak",
        citations=(Citation(text=text, start=0, end=5),),
    )  # fmt: skip


def test_the_decisions_of_an_erased_batch_are_still_told(bond: Relationship) -> None:
    """What was erased is who read and how many proposals there were, and not what was decided."""
    told(bond, "Thank you. I live in Paris.", thanks("Thank you"), lives_in("Paris"))
    told(bond, "I live in Rome.", lives_in("Rome"))
    before = bond.decisions()
    with bond._stream.reading():
        batches = bond._stream.history.all("BatchDecided")
    gone(bond, *batches)
    after = bond.decisions()
    assert [one._replace(proposer="erased") for one in before] == after and len(after) == 3
    assert [b.value for b in bond.beliefs() if b.status == "current"] == ["Rome"]
    assert bond.verify().ok and bond.digests() == bond.replay()


def test_what_was_decided_on_erased_words_is_told_as_erased(bond: Relationship) -> None:
    """Neither as refused, nor as if nobody had ever proposed it; what was spared is named."""
    words = "Thank you. I live in Paris."
    turn, message, signal, _ = told(bond, words, thanks("Thank you"), lives_in("Paris"))
    gone(bond, message, keep_effects=True)
    kept, belief = bond.decisions()
    assert (kept.verdict, kept.reason, kept.event) == ("erased", "erased", signal)
    assert (belief.verdict, belief.event) == ("erased", None)
    gone(bond, turn)
    assert {(one.verdict, one.event) for one in bond.decisions()} == {("erased", None)}
    bond.withdraw(told(bond, "Hello.")[0])
    assert [(one.stands, one.erased) for one in bond.turns()] == [(False, True), (False, False)]


def test_nothing_is_said_where_it_could_not_count(bond: Relationship) -> None:
    """In an erased turn, or as another wording of what nobody knows any more who said."""
    turn, message = told(bond, "I live in Paris.")
    kept, other = told(bond, "I live in Rome.")
    opened = bond.turn("I live in Bergen.")
    for number in (turn, other, opened.number):
        gone(bond, number)
    before = says(bond)
    for act in (
        lambda: bond.regenerate(turn, "Ah."),
        lambda: opened.say("And more."),
        lambda: opened.reply("Ah."),
        lambda: bond.edit(message, "I live in Oslo."),
        lambda: bond.edit(other, "I live in Oslo."),
    ):
        with pytest.raises(Conflict, match="open a new turn"):
            act()
    assert says(bond) == before
    bond.regenerate(kept, "Ah.")
    reply = bond.get_turn(kept).view().reply
    assert reply is not None and (reply.content, reply.stands) == ("Ah.", True)
