"""What a sample of mutants showed that no test had looked at."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from helpers import NOW, fixed_store, line, write_chat

from enishi import Citation, Message, Signal
from enishi.host import Relationship
from enishi.kernel import verification
from enishi.kernel.deciding.proposals import (
    Belief,
    Consequence,
    EpisodeBoundary,
    LoopOutcome,
    OpenLoop,
    Reflection,
)
from enishi.kernel.encoding import encode_header, header_of
from enishi.kernel.erasing import scrubbing
from enishi.kernel.erasing.erasure import of_numbers
from enishi.kernel.erasing.scrubbing import overwrite_gaps
from enishi.kernel.errors import Conflict, InvalidInput, LogDamaged
from enishi.kernel.events import payload_of
from enishi.kernel.history import ROOT
from enishi.kernel.recording import Scene
from enishi.projections.policy import bundled_policy
from enishi.projections.recall import index
from enishi.projections.recall.budget import estimate
from enishi.projections.recall.index import index_of, keep_up
from enishi.projections.recall.words import terms
from enishi.projections.summarising import cut


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "store.db") as store:
        yield store.relationship("lumi", "chen")


def cited(bond: Relationship, words: str, quote: str | None = None) -> tuple[Citation, ...]:
    """Say it, and cite a part of it."""
    text = bond.record(words, "I see.").view().messages[0].number
    return (Citation(text=text, quote=quote or words),)


def harmed(path: Path, place: int) -> str:
    """A store of three turns with one record's payload changed; returns the tip that it had."""
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        for words in ("One.", "Two.", "Three."):
            bond.record(words, "I see.")
        verified = bond.verify()
        assert verified.ok
    with closing(sqlite3.connect(path)) as connection, connection:
        found = connection.execute("SELECT id, payload FROM record ORDER BY id").fetchall()[place]
        changed = found[1][:-1] + bytes([found[1][-1] ^ 1])
        guards = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type='trigger'"
        ).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE record SET payload=? WHERE id=?", (changed, found[0]))
        for _, sql in guards:
            connection.execute(sql)
    return verified.tip


@pytest.mark.parametrize("place", range(1, 10))
def test_harm_is_found_in_whichever_piece_it_is(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it alone: the tip that was noted is that of the log, whatever is harmed within."""
    monkeypatch.setattr(verification, "_CHUNK", 2)
    path = tmp_path / "store.db"
    tip = harmed(path, place)
    with fixed_store(path, seed=1) as store:
        bond = store.relationship("lumi", "chen")
        for problems in (bond.verify().problems, bond.verify(tip=tip).problems):
            assert [problem.number for problem in problems] == [place]


def test_the_path_to_every_turn_leads_through_the_root_and_itself(tmp_path: Path) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        turns = [bond.record(words, "I see.").number for words in ("One.", "Two.", "Three.")]
        side = bond.fork("side", turns[0]).record("Else.", "I see.").number
        history = bond._stream.history
        for turn in (*turns, side):
            assert history.is_ancestor(ROOT, turn) and history.is_ancestor(turn, turn)
        assert history.is_ancestor(turns[0], side) and not history.is_ancestor(turns[1], side)


@pytest.mark.parametrize("keep_effects", [False, True])
def test_a_plan_tells_which_belief_returns_at_either_depth(
    tmp_path: Path, keep_effects: bool
) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        stated = []
        for city in ("Lisbon", "Porto"):
            turn = bond.record(f"I live in {city} now.", "I see.")
            words = Citation(text=turn.number + 1, quote=f"I live in {city}")
            belief = Belief(subject="user", key="home_city", value=city, citations=(words,))
            stated.append(bond.propose(None, [belief])[0].event)
        planned = bond.plan_erasure(turn, keep_effects=keep_effects)
        assert planned.returns == (stated[0],)
        bond.erase(planned)
        assert [view.value for view in bond.beliefs() if view.status == "current"] == ["Lisbon"]


def test_what_was_decided_by_hand_or_released_is_taken_in_elsewhere(
    bond: Relationship, tmp_path: Path
) -> None:
    bond.record("Good evening.", "Good evening.")
    second = bond.record("Something else entirely.", "Go on.")
    bond.split(second.number)
    with pytest.raises(Conflict, match="nothing to split"):
        bond.split(second.number)
    thanks = cited(bond, "Thank you for the soup.")
    (held,) = bond.propose(
        None, [Signal(signal="gratitude", actor="user", confidence=0.6, citations=thanks)]
    )
    assert held.verdict == "held"
    bond.release(held)
    angry = cited(bond, "I am angry with you.")
    bond.propose(None, [Signal(signal="quarrel", actor="user", citations=angry)])
    bond.erase(bond.turns()[-1].number, keep_effects=True)
    bond.export(tmp_path / "pack.erii")
    with fixed_store(tmp_path / "there.db", seed=1) as store:
        store.import_pack(tmp_path / "pack.erii")
        assert store.relationship("lumi", "chen").digests() == bond.digests()


def test_an_audience_that_nobody_knows_is_refused(bond: Relationship) -> None:
    bond.record("Good evening.", "Good evening.")
    with pytest.raises(InvalidInput, match="an audience is"):
        bond.recall("evening", audience="everyone")


def test_the_turn_that_is_answered_is_no_part_of_what_is_remembered_for_it(
    bond: Relationship,
) -> None:
    before = bond.record("The kettle is on.", "I hear it.")
    with bond.turn("Is the tea ready?") as turn:
        found = turn.recall(needed=True)
    shown = {number for item in found.items for number in item.numbers}
    assert before.number + 1 in shown and turn.number + 1 not in shown


def test_somebody_else_has_a_name(bond: Relationship) -> None:
    with pytest.raises(InvalidInput, match="needs a `speaker`"):
        bond.record(Message("Hello.", role="other"), "Who is there?")


@pytest.mark.parametrize("field", ["causes", "targets"])
def test_a_record_that_rests_on_itself_is_damage(bond: Relationship, field: str) -> None:
    turn = bond.record("One.", "Two.").number
    with bond._stream.reading():
        header = bond._stream.record(turn + 1).header
    header_of(encode_header(header), turn + 1)
    itself = header._replace(**{field: (turn + 1,)})
    with pytest.raises(LogDamaged, match="impossible value"):
        header_of(encode_header(itself), turn + 1)


def test_a_request_sent_again_with_another_time_is_another_one(bond: Relationship) -> None:
    first = bond.record("One.", "Two.", request="r1", at=NOW - timedelta(hours=2))
    again = bond.record("One.", "Two.", request="r1", at=NOW - timedelta(hours=2))
    assert again.number == first.number
    with pytest.raises(Conflict):
        bond.record("One.", "Two.", request="r1", at=NOW - timedelta(hours=1))


def test_what_is_no_happening_retells_nothing(bond: Relationship) -> None:
    for words in ("I moved to Porto in March.", "The move to Porto in March was hard."):
        said = cited(bond, words)
        bond.propose(None, [Belief(subject="user", key="move", value=words, citations=said)])
    stated = [one.number for one in bond.records() if one.type == "BeliefStated"]
    assert len(stated) == 2
    assert all("retells" not in (bond.why(number).payload or {}) for number in stated)


def test_what_stood_between_the_two_is_told_for_its_time(tmp_path: Path) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        turn = bond.record("Did you like it?", "It was childish.", at=NOW - timedelta(days=2))
        hurt = bond.record("That hurt me.", "I see.", at=NOW - timedelta(days=2))
        reply, said = turn.view().reply, hurt.view().messages[0]
        assert reply is not None
        harm = Consequence(effect="harm", bearer="user", citations=(
            Citation(text=reply.number, quote="It was childish"),
            Citation(text=said.number, quote="That hurt me"),
        ))  # fmt: skip
        bond.propose(None, [harm])
        assert bond.tensions(at=NOW - timedelta(days=3)) == []
        assert [one.state for one in bond.tensions(at=NOW)] == ["unaddressed"]


def test_a_belief_is_told_to_those_alone_who_heard_all_that_it_rests_on(
    bond: Relationship,
) -> None:
    """Also where they heard the last of it: a belief stands with the latest words that it cites."""
    cited = []
    for words, present in (
        ("I live in Lisbon.", ("lumi", "chen")),
        ("Yes, Lisbon.", ("lumi", "chen", "mei")),
    ):
        turn = bond.record(words, "I see.", scene=Scene(bytes([len(present)] * 16), present))
        cited.append(Citation(text=turn.number + 1, quote="Lisbon"))
    belief = Belief(subject="user", key="home_city", value="Lisbon", citations=tuple(cited))
    (decided,) = bond.propose(None, [belief])
    assert decided.event is not None

    def told(*audience: str) -> bool:
        found = bond.recall("Where is home?", audience=audience)
        return decided.event in {number for item in found.items for number in item.numbers}

    assert told("lumi", "chen") and not told("lumi", "chen", "mei")


def test_where_an_episode_begins_may_be_seen_from_what_a_prompt_was_given(
    bond: Relationship,
) -> None:
    sister = "My sister Anna lives in Lisbon."
    before = bond.record(sister, "By the river.", at=NOW - timedelta(days=30))
    with bond.turn("Tell me of Anna.") as turn:
        block = turn.recall(needed=True).render()
        turn.reply("Anna, yes.")
    pasted = cited(bond, block)
    boundary, belief = bond.propose(None, [
        EpisodeBoundary(signs=("gap",), citations=(
            Citation(text=before.number + 1, quote=sister), *pasted)),
        Belief(subject="user", key="sister", value="Anna", citations=pasted),
    ])  # fmt: skip
    assert (boundary.verdict, belief.reason) == ("accepted", "self_caused")


@pytest.mark.parametrize(("kind", "header"), [(2, 12), (5, 12), (10, 8), (13, 8)])
@pytest.mark.parametrize("damaged", [False, True])
def test_of_a_page_the_gap_alone_is_wiped_and_nothing_of_a_damaged_one(
    kind: int, header: int, damaged: bool, tmp_path: Path
) -> None:
    """One cell is said to lie at 200 and beyond; in a damaged page it lies before."""
    head = struct.pack(">B2xHH", kind, 1, 200).ljust(header, b"\x01")
    cell = struct.pack(">H", 150 if damaged else 200)
    page = (head + cell).ljust(512, b"x")
    path = tmp_path / "pages"
    path.write_bytes(bytes(512) + page)
    with path.open("r+b") as file:
        assert overwrite_gaps(file, 512) == (not damaged)
    wiped = (head + cell).ljust(200, b"\x00") + page[200:]
    assert path.read_bytes()[512:] == (page if damaged else wiped)


def test_an_open_end_that_ended_is_drawn_through_the_turn_that_ended_it(
    bond: Relationship,
) -> None:
    """On the timeline; and one that did not end has no end and no steps."""
    for words in ("My exam is on Friday.", "The parcel is not here yet."):
        loop = OpenLoop(subject=words, continuation=words, citations=cited(bond, words))
        assert bond.propose(None, [loop])[0].event is not None
    first, _ = bond.loops()
    done = LoopOutcome(
        loop=first.number, outcome="completed", citations=cited(bond, "I passed my exam.")
    )
    assert bond.propose(None, [done])[0].event is not None
    passed, waiting = (one for one in bond.timeline().threads if one.kind == "loop")
    assert passed.ended is not None and passed.steps == (passed.ended,)
    assert waiting.ended is None and waiting.steps == ()


def test_what_is_asked_for_by_several_numbers_is_no_one_text(bond: Relationship) -> None:
    turn = bond.record("Hello.", "Hi.").view()
    message, reply = turn.messages[0].number, turn.replies[0].number
    with bond._stream.reading():
        assert of_numbers(bond._stream, [message]).scope == "text"
        assert of_numbers(bond._stream, [message, reply]).scope == "numbers"


def test_a_thought_on_something_else_outlives_an_erasure(bond: Relationship) -> None:
    thoughts = []
    for words in ("Thank you, truly.", "Thanks for the tea."):
        quoted = cited(bond, words)
        thanks = Signal(signal="gratitude", actor="user", citations=quoted)
        event = bond.propose(None, [thanks])[0].event
        assert event is not None
        thought = Reflection(event=event, words="I was glad.", citations=quoted)
        thoughts.append(bond.propose(None, [thought])[0].event)
    first = bond.turns()[0]
    bond.erase(first.number)
    assert [one.number for one in bond.reflections()] == [thoughts[1]]


def test_what_was_released_is_told_with_the_event_that_came_of_it(bond: Relationship) -> None:
    thanks = cited(bond, "Thank you for the soup.")
    unsure = Signal(signal="gratitude", actor="user", confidence=0.6, citations=thanks)
    (held,) = bond.propose(None, [unsure])
    event = bond.release(held)
    (decided,) = bond.decisions()
    assert decided.event == event
    assert bond.why(event).type == "SignalAccepted"


def test_the_sources_of_a_block_in_json_have_the_words_and_say_who_spoke(
    bond: Relationship,
) -> None:
    words = "I live in Porto."
    said = cited(bond, words)
    bond.propose(None, [Belief(subject="user", key="home_city", value="Porto", citations=said)])
    (item,) = (
        one
        for one in json.loads(bond.recall("Porto").render(format="json"))["items"]
        if one["what"] == "belief"
    )
    assert item["confidence"] == 10_000
    assert item["sources"] == [{"text": said[0].text, "speaker": "chen", "words": words}]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tea", 1), ("teas", 1), ("kettle", 2), ("茶", 2), ("茶壶", 3), ("茶壶茶", 5), ("été", 3),
     ("чай", 2), ("a, b!", 4), ("🍵", 3), ("tea 茶", 3)],
)  # fmt: skip
def test_an_estimate_of_tokens(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_what_many_names_and_numbers_stand_in_is_as_specific_as_what_has_four(
    bond: Relationship,
) -> None:
    few, four, many = "Flour 1 2 3.", "Flour 1 2 3 4.", "Flour 1 2 3 4 5 6 7 8 9."
    for words in (few, four, many):
        bond.record(words, "I see.")
    found = {one.text: one.score.specificity for one in bond.recall("flour").found if one.score}
    assert found[few] < found[four] == found[many]


def test_more_voices_than_an_index_has_room_for_are_nobody_in_particular(
    bond: Relationship,
) -> None:
    bond.record("Hello.", "Hi.")
    keep_up(bond._stream)
    with bond._stream.reading():
        its = index_of(bond._stream)
        its.names.clear()
        voices = [its._voice_of(f"guest {n}") for n in [*range(300), 0, 254, 255]]
    assert voices == [*range(1, 256), *[0] * 45, 1, 255, 0]


@pytest.mark.parametrize("subject", ["J", "红"])
@pytest.mark.parametrize("words", ["{} likes Z a lot.", "{}喜欢茶。"])
def test_a_name_and_a_value_may_be_one_letter(bond: Relationship, subject: str, words: str) -> None:
    words = words.format(subject)
    value = "Z" if "Z" in words else "茶"
    liked = Belief(subject=subject, key="likes", value=value, citations=cited(bond, words))
    assert bond.propose(None, [liked])[0].verdict == "accepted"


def test_a_time_is_at_most_five_minutes_ahead_of_the_clock(bond: Relationship) -> None:
    bond.record("Hello.", "Hi.", at=NOW + timedelta(minutes=5))
    with pytest.raises(InvalidInput, match="five minutes ahead"):
        bond.record("Hello.", "Hi.", at=NOW + timedelta(minutes=5, seconds=1))


@pytest.mark.parametrize("field", ["valence", "arousal", "fatigue", "confidence"])
def test_what_is_felt_lies_between_its_ends(field: str) -> None:
    least = -10_000 if field == "valence" else 0
    for value in (least, 10_000):
        assert payload_of("MoodObserved", **FELT, **{field: value})[field] == value
    for value in (least - 1, 10_001):
        with pytest.raises(InvalidInput, match=field):
            payload_of("MoodObserved", **FELT, **{field: value})


FELT = {
    "by": "host", "voices": ["user"], "party": "user", "intensity": "weak", "spans": [[2, 0, 5]],
    "sentence": [0, 5],
}  # fmt: skip


def test_a_word_that_stands_often_in_a_text_is_found_in_that_text(bond: Relationship) -> None:
    for place in range(6):
        bond.record(f"Number {place}: {'kettle ' * (5 * place)}", "I see.")
    bond.record("The teapot.", "I see.")
    found = bond.recall("kettle", items=9).found
    assert {one.text.split(":")[0] for one in found} == {f"Number {place}" for place in range(1, 6)}


def test_of_a_card_those_sentences_are_shown_in_which_enough_of_a_query_stands(
    bond: Relationship,
) -> None:
    sheet = "Lumi keeps a tea house by the harbour. She was born in Bergen."
    bond.adopt_blueprint(
        {"spec": "chara_card_v2", "spec_version": "2.0",
         "data": {"name": "Lumi", "description": sheet}}
    )  # fmt: skip
    bond.record("Good evening.", "Good evening.")

    def shown(query: str) -> list[str]:
        return [one.text for one in bond.recall(query).items if one.layer == "blueprint"]

    assert shown("tea house harbour") == ["Lumi keeps a tea house by the harbour."]
    far = "harbour pears plums apples cherries quinces medlars"
    assert shown(far) == []


@pytest.mark.parametrize("undated", [0, 1, None])
def test_how_long_a_pause_was_is_told_where_both_its_ends_are_known(
    bond: Relationship, tmp_path: Path, undated: int | None
) -> None:
    times = [f"2026-01-0{day}T10:00:00Z" for day in (1, 3)]
    if undated is not None:
        times[undated] = "some day in spring"
    said = [line(f"Words {place}.", "Chen", at=at) for place, at in enumerate(times)]
    chat = write_chat(tmp_path / "chat.jsonl", [said[0], line("Hm."), said[1], line("Hm.")])
    bond._store.import_chats([chat], agent="mira", user="bob", propose=False)
    other = bond._store.relationship("mira", "bob")
    texts = [one for turn in other.turns() for one in turn.messages]
    quoted = tuple(Citation(text=one.number, quote=f"Words {n}") for n, one in enumerate(texts))
    (answer,) = other.propose(None, [EpisodeBoundary(signs=("gap",), citations=quoted)])
    assert answer.event is not None
    began = other.why(answer.event).payload or {}
    assert began.get("gap") == (None if undated is not None else 2 * 24 * 3600)


def test_a_scene_is_found_elsewhere_in_its_newer_wordings_too(tmp_path: Path) -> None:
    scene = Scene(b"s" * 16, ("lumi", "mira", "chen"))
    with fixed_store(tmp_path / "scenes.db") as store:
        here, there = (store.relationship(agent, "chen") for agent in ("lumi", "mira"))
        turns = [one.record("We meet.", "Yes.", scene=scene) for one in (here, there)]
        edited = [
            one.edit(turn.view().messages[0], "We meet at ten.")
            for one, turn in zip((here, there), turns, strict=True)
        ]
        there.edit(there.turns()[0].messages[0], "We meet at noon.")
        (copies,) = here.plan_erasure(edited[0].number).copies
        assert copies.agent == "mira" and copies.numbers[-1:] == (edited[1].number,)


def test_the_size_that_is_told_of_a_store_is_that_of_its_file(tmp_path: Path) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        for place in range(30):
            store.relationship("lumi", "chen").record(f"Number {place}.", "I see.")
        store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert store.inspect().bytes == (tmp_path / "store.db").stat().st_size > 4096


def test_what_is_longer_than_its_place_is_cut_to_it_and_nothing_else(bond: Relationship) -> None:
    assert cut("x" * 140) == "x" * 140 and cut("x" * 141) == "x" * 139 + "…"
    for length, title in ((80, "x" * 80), (81, "x" * 79 + "…")):
        side = bond.fork(f"of {length}")
        words = "x" * length
        told = cited(side, f"My {words} is ahead.", words)
        loop = OpenLoop(subject=words, continuation="is ahead", citations=told)
        (opened,) = side.propose(None, [loop])
        assert opened.event is not None
        over = side.record("It is over.", "Good.")
        side.split(over.number)
        ended = (Citation(text=over.number + 1, quote="It is over."),)
        side.propose(None, [LoopOutcome(loop=opened.event, outcome="completed", citations=ended)])
        assert [one.title.startswith(title[:79]) for one in side.chapters()] == [True]
        assert max(len(one.title) for one in side.chapters()) <= 80


def test_a_policy_may_weigh_what_a_user_claims_less_than_what_the_agent_said(
    bond: Relationship,
) -> None:
    numbers = bundled_policy().numbers()
    numbers["recall"]["authority"]["claimed"] = 5_000
    bond.adopt_policy({"name": "doubting", **numbers})
    bond.record("The kettle is red.", "I see.")
    bond.record("Hm.", "The kettle is red.")
    scores = {one.authority: one.score for one in bond.recall("kettle").found}
    own, claimed = scores["established"], scores["claimed"]
    assert own is not None and claimed is not None
    assert own.authority > claimed.authority


def test_around_a_hit_is_what_was_said_two_turns_before_and_after_in_its_session(
    bond: Relationship,
) -> None:
    for days in (9, 6, 3):
        for place in range(8):
            words = "A heron came by." if place == 4 else f"Anna Berg paid {days}0{place} dollars."
            bond.record(words, "I see it.", at=NOW - timedelta(days=days, minutes=-place))
    heron = bond.turns()[12].messages[0].number
    found = bond.recall("heron", items=9, budget=9_000)
    around = [one for one in found.items if one.because == "around"]
    assert heron in found.numbers and around
    near = {f"{days}0{place} dollars" for days in (9, 6, 3) for place in (2, 3, 5, 6)}
    told = {words for one in around for words in re.findall(r"\d+ dollars", one.text)}
    assert told and told <= near


@pytest.mark.parametrize("years", [("2024", "2023"), ("2023", "2024")])
def test_a_belief_has_the_number_of_its_first_telling_and_the_earliest_beginning_of_all(
    bond: Relationship, years: tuple[str, str]
) -> None:
    told = []
    for year in years:
        since = cited(bond, f"I have liked tea since {year}.")
        liked = Belief(subject="user", key="likes", value="tea", valid_from=year, citations=since)
        told.append(bond.propose(None, [liked])[0].event)
    (view,) = bond.beliefs()
    assert view.number == told[0] and len(view.told) == 2
    assert view.since is not None and view.since.to_datetime().year == 2023


@pytest.mark.parametrize("keyed", [False, True])
def test_a_store_that_is_closed_leaves_no_file_open(tmp_path: Path, keyed: bool) -> None:
    if keyed:
        pytest.importorskip("cryptography")

    def life(place: int) -> None:
        with fixed_store(tmp_path / f"{place}.db", keyed=keyed) as store:
            bond = store.relationship("lumi", "chen")
            bond.erase(bond.record("Hello.", "Hi."))

    before = set(scrubbing._files)
    for place in range(3):
        life(place)
    assert set(scrubbing._files) <= before


def test_an_episode_shows_so_many_highlights_of_each_kind(bond: Relationship) -> None:
    names = ("Anna", "Boris", "Clara", "Dmitri", "Elena", "Farid")
    for place, name in enumerate(names):
        bond.record(f"Then I met {name} at 1{place}:30 for {place}00 dollars.", "I see.")
    (episode,) = bond.episodes()
    kinds = Counter(one.kind for one in episode.highlights)
    assert (kinds["named"], kinds["figure"]) == (4, 3)


def test_an_index_that_was_written_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        with store.transaction():
            for place in range(300):
                bond.record(f"Boat number {place} is moored.", "I see.")
        assert bond.recall("number 42").found
    split = []
    monkeypatch.setattr(index, "terms", lambda words: split.append(words) or terms(words))
    with fixed_store(tmp_path / "store.db", seed=1) as store:
        bond = store.relationship("lumi", "chen")
        assert bond.recall("number 42").found and len(split) < index.UNSAVED
