"""Failures that users of other memory systems reported about deleting, as tests of their kind.

The ids are those of the collection of reported cases.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import NOW, Shell, fixed_store, line, state_of, write_chat

from enishi.host import Relationship, Store, open_async
from enishi.kernel.deciding.proposals import (
    Belief,
    Citation,
    Consequence,
    Felt,
    Mood,
    Proposal,
    ReadText,
    Signal,
)
from enishi.kernel.erasing.receipt import read_receipt
from enishi.kernel.errors import (
    ExpectationFailed,
    InvalidInput,
    NotFound,
    RequestErased,
    StoreReadOnly,
)
from enishi.kernel.recording import Message, Scene


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "s.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    path.parent.mkdir()
    with fixed_store(path) as opened:
        yield opened


def forms(words: str) -> dict[str, bytes]:
    """The forms in which words may lie in a file."""
    plain = words.encode()
    found = {
        "UTF-8": plain,
        "UTF-16-LE": words.encode("utf-16-le"),
        "UTF-16-BE": words.encode("utf-16-be"),
        "JSON": json.dumps(words)[1:-1].encode(),
    }
    for shift in range(3):
        # What of the base64 text depends on these bytes alone, wherever they begin.
        text = base64.b64encode(b"\0" * shift + plain + b"\0" * 2)
        found[f"base64 {shift}"] = text[(8 * shift + 5) // 6 : 8 * (shift + len(plain)) // 6]
    assert min(map(len, found.values())) >= 6, "too short to be told from chance"
    return found


def forms_found(folder: Path, words: str) -> list[str]:
    """The files in which words lie, and in which form; nothing that could be packed is there."""
    found = []
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        assert b"\x28\xb5\x2f\xfd" not in data, "a zstd frame: look into it"
        found += [f"{file.name}: {form}" for form, look in forms(words).items() if look in data]
    return found


def everything_said(store: Store) -> str:
    """All that any query tells, as one text."""
    told: list[Any] = []
    for bond in store.relationships(archived=None):
        told += [bond.turns(), bond.records(), bond.decisions(), bond.summary()]
        told += [bond.why(record.number) for record in bond.records()]
        told += [bond.rapport(), bond.why_rapport(), bond.mood(), bond.promises(), bond.loops()]
        told += [bond.beliefs(), bond.tensions(), bond.reflections(), bond.episodes()]
        told += [bond.branches(), bond.blueprint(), bond.rapport(as_lived=NOW), bond.digests()]
        with bond._stream.reading():
            told += [record.payload for record in bond._stream.log.records(bond._stream.line.line)]
    return repr(told)


class Reader:
    """A proposer that makes a belief of every text with a code in it, and a signal."""

    name, version, by = "reader", "1", "rule"
    codes = r"[A-Z0-9]{2,}-?[A-Z0-9]*\d+"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        found: list[Proposal] = []
        for text in texts:
            for code in re.findall(self.codes, text.content):
                cited = (Citation(text=text.number, quote=text.content),)
                found.append(Belief(subject="user", key="owns", value=code, citations=cited))
                found.append(Signal(signal="disclosure", actor="user", citations=cited))
        return found


def told(bond: Relationship, words: str, answer: str = "I see.") -> int:
    turn = bond.record(words, answer)
    bond.propose(turn, Reader())
    return turn.number


# --- what was made of it goes as well


def test_pb01_nothing_made_of_an_erased_turn_is_left_in_any_query(
    store: Store, bond: Relationship, path: Path
) -> None:
    """PB-01: the row went, and the nodes and edges that were made of it stayed."""
    turn = told(bond, "I own ZQ-7731.")
    later = told(bond, "I own AB-1000.")
    assert "ZQ-7731" in everything_said(store)
    receipt = bond.erase(turn)
    assert "ZQ-7731" not in everything_said(store) and "AB-1000" in everything_said(store)
    assert receipt.types == {
        "BeliefStated": 1, "MessageReceived": 1, "ProposalDecided": 2, "ReplyGiven": 1,
        "SignalAccepted": 1, "TurnOpened": 1,
    }  # fmt: skip
    assert receipt.erased == sum(receipt.types.values()) == receipt.checked.payloads
    assert receipt.scrub == "scrubbed" and forms_found(path.parent, "ZQ-7731") == []
    assert [one.value for one in bond.beliefs()] == ["AB-1000"]
    assert bond.get_turn(later).view().messages[0].content == "I own AB-1000."


def test_pb06_what_was_made_of_two_turns_is_made_of_the_other_alone(
    store: Store, bond: Relationship
) -> None:
    """PB-06: the deleted fact lived on in a summary that other turns also spoke for."""
    first = told(bond, "My locker code is 8M3Z-4.")
    second = bond.record("I like tea. Thank you.", "Tea it is.")
    both = Signal(
        signal="gratitude", actor="user",
        citations=(
            Citation(text=first + 1, quote="My locker code"),
            Citation(text=second.number + 1, quote="Thank you"),
        ),
    )  # fmt: skip
    alone = Signal(signal="gratitude", actor="user", citations=both.citations[1:])
    bond.propose(None, [both, alone])
    bond.erase(first)
    assert "8M3Z" not in everything_said(store)
    changes = bond.why_rapport()
    assert changes and {q.text for change in changes for q in change.quotes} == {second.number + 1}
    assert bond.digests() == bond.replay()


@pytest.mark.parametrize("keep_effects", [False, True])
def test_pb12_what_is_erased_takes_no_place_among_what_lives(
    bond: Relationship, keep_effects: bool
) -> None:
    """PB-12: deleted entries stayed in the index and took the places of live ones."""
    turns = [told(bond, f"I own CODE-{n:04}.") for n in range(20)]
    for turn in turns[:15]:
        bond.erase(turn, keep_effects=keep_effects)
    values = [one.value for one in bond.beliefs()]
    assert values == [f"CODE-{n:04}" for n in range(15, 20)]
    assert len(bond.turns()) == 20 and bond.verify().ok


# --- all of it, and only that


def test_pb02_erasing_a_user_leaves_the_others_as_they_were(store: Store, path: Path) -> None:
    """PB-02: deleting all of one user's memories emptied the whole collection."""
    bonds = {user: store.relationship("lumi", user) for user in ("anna-of-1907", "ben", "cho")}
    for n in range(20):
        for user, one in bonds.items():
            with store.transaction():
                told(one, f"I own {user[:3].upper()}-{n:04}.")
    digests = {user: bonds[user].digests() for user in ("ben", "cho")}
    receipt = store.erase_user("anna-of-1907")
    assert receipt.scope == "user" and receipt.types["MessageReceived"] == 20
    assert [one.user for one in store.relationships()] == ["ben", "cho"]
    assert {user: bonds[user].digests() for user in ("ben", "cho")} == digests
    for words in ("ANN-0003", "anna-of-1907"):
        assert words not in everything_said(store) and forms_found(path.parent, words) == []
    assert store.erase_user("anna-of-1907").erased == 0


def test_pb02_what_a_user_said_in_others_relationships_goes_too(store: Store) -> None:
    bond = store.relationship("lumi", "ben")
    guest = Message("I am Anna, ANNA-0001.", role="other", speaker="anna", name="Anna")
    bond.record([guest, "Hello Anna."], "Hello both.")
    bond.rename("anna", "Anni")
    receipt = store.erase_user("anna")
    assert receipt.types == {"MessageReceived": 1, "PartyNamed": 1}
    said = everything_said(store)
    assert "ANNA-0001" not in said and "Anni" not in said and "Hello both." in said


def test_the_receipt_says_where_an_erased_users_id_is_left(store: Store, path: Path) -> None:
    """Who was there is part of a turn, which is what others said, too: it goes with the turn alone."""
    user = "anna-of-1907"
    store.relationship("lumi", user).record("I own ZQ-7731.", "I see.")
    other = store.relationship("lumi", "ben")
    said = [Message("I am here.", role="other", speaker=user, name="Anna"), "Hello."]
    turn = other.record(said, "Hello.", scene=Scene(b"s" * 16, ("lumi", "ben", user)))
    receipt = store.erase_user(user)
    assert receipt.scenes == 1 and receipt.types["MessageReceived"] == 2
    assert read_receipt(json.loads(receipt.model_dump_json())) == receipt
    assert turn.view().messages[1].content == "Hello." and forms_found(path.parent, user)
    other.erase(turn)
    again = store.erase_user(user)
    assert (again.scenes, again.erased) == (0, 0) and forms_found(path.parent, user) == []


@pytest.mark.parametrize("user", [True, False])
def test_what_goes_with_a_user_or_an_agent_is_planned(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, user: bool
) -> None:
    guest = Message("I am Anna.", role="other", speaker="anna" if user else "mira", name="A")
    for agent, of in (("lumi", "anna"), ("mira", "ben"), ("lumi", "ben")):
        store.relationship(agent, of).record([guest, "Hello."], "Hello.")
    named: Any = {"user": "anna"} if user else {"agent": "mira"}
    shares = store.plan_erasure(**named).shares
    assert sorted(share.whole for share in shares) == [False, False, True]
    shell = Shell(capsys, monkeypatch)
    option = ("--user", "anna") if user else ("--agent", "mira")
    before = state_of(store.path)
    shown = shell.json("erase", "--everything", *option, "--plan", "--store", store.path)
    assert [one["types"] for one in shown["shares"]] == [share.types for share in shares]
    assert "what they said there: 1" in shell.ok(
        "erase", "--everything", *option, "--plan", "--store", store.path
    )
    assert state_of(store.path) == before
    receipt = store.erase_user("anna") if user else store.erase_agent("mira")
    assert receipt.erased == sum(sum(share.types.values()) for share in shares)
    assert store.plan_erasure(**named).shares == ()


def test_erasing_an_agent_takes_all_its_relationships(store: Store) -> None:
    for agent in ("lumi", "mira"):
        for user in ("anna", "ben"):
            store.relationship(agent, user).record("Hello.", "Hello.")
    receipt = store.erase_agent("mira")
    assert len(receipt.parts) == 2 and receipt.scope == "agent"
    assert [(b.agent, b.user) for b in store.relationships()] == [("lumi", "anna"), ("lumi", "ben")]


def test_pb03_all_of_a_long_relationship_goes_and_the_count_is_right(
    store: Store, bond: Relationship, path: Path
) -> None:
    """PB-03: only the first page of a hundred rows was deleted, and it said success."""
    with store.transaction():
        for n in range(1050):
            bond.turn(f"Memory {n:04} of many.")
    receipt = bond.erase_relationship()
    assert receipt.types["MessageReceived"] == 1050
    assert store.relationships() == [] and forms_found(path.parent, "Memory 0777") == []
    again = store.relationship("lumi", "chen")
    assert again.turns() == [] and again.erase_relationship().types == {"RelationshipFounded": 1}


def test_pb04_it_is_gone_after_opening_the_store_again(path: Path, store: Store) -> None:
    """PB-04: the old file was taken up again, and then two records of it disagreed."""
    bond = store.relationship("lumi", "chen")
    turns = [told(bond, f"I own CODE-{n:04}.") for n in range(10)]
    bond.erase(*turns)
    digests = bond.digests()
    store.close()
    with fixed_store(path, seed=1) as again:
        (same,) = again.relationships()
        assert same.beliefs() == [] and "CODE-" not in everything_said(again)
        assert same.digests() == digests == same.replay() and same.verify().ok
    assert forms_found(path.parent, "CODE-0004") == []


# --- it stays gone


def test_pb10_an_erased_turn_does_not_come_back(
    store: Store, bond: Relationship, path: Path, tmp_path: Path
) -> None:
    """PB-10: it came back through reprocessing, an older backup, or by being sent again."""
    turn = bond.record("I own ZQ-7731.", "I see.", request="r1")
    bond.propose(turn, Reader())
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (tmp_path / "backup.db").write_bytes(path.read_bytes())
    receipt = bond.erase(turn)

    class Newer(Reader):
        version = "2"

    assert {one.verdict for one in bond.propose(turn, Reader())} == {"erased"}
    assert bond.propose(turn, Newer()) == bond.propose(None, Newer()) == []
    citing = Signal(
        signal="disclosure",
        actor="user",
        citations=(Citation(text=turn.number + 1, start=0, end=1),),
    )
    (refused,) = bond.propose(None, [citing])
    assert (refused.verdict, refused.reason) == ("rejected", "text_erased")
    for _ in range(2):
        with pytest.raises(RequestErased, match="erased"):
            bond.record("I own ZQ-7731.", "I see.", request="r1")
    assert "ZQ-7731" not in everything_said(store) and forms_found(path.parent, "ZQ-7731") == []
    with fixed_store(tmp_path / "backup.db", seed=2) as restored:
        assert "ZQ-7731" in everything_said(restored)
        plain = json.loads(receipt.model_dump_json())
        again = restored.erase_again(plain)
        assert again.types == receipt.types and again.scrub == "scrubbed"
        assert "ZQ-7731" not in everything_said(restored)
        assert restored.erase_again(receipt).erased == 0
        assert all(one.verify().ok for one in restored.relationships())
    assert b"ZQ-7731" not in (tmp_path / "backup.db").read_bytes()


def test_pb10_an_older_pack_says_what_of_it_was_erased_here(
    store: Store, bond: Relationship, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    turn = told(bond, "I own ZQ-7731.")
    pack = tmp_path / "older.erii"
    bond.export(pack)
    erased = bond.erase(turn).erased
    shell = Shell(capsys, monkeypatch)
    for more in (False, True):  # with nothing but a tombstone after it, and with words
        (line,) = store.import_pack(pack).lines
        assert line.kept_out == erased and "ZQ-7731" not in everything_said(store)
        told_so = shell.ok("import", pack, "--store", store.path)
        assert f"{erased} texts and events of it were erased here" in told_so
        if not more:
            bond.record("Later.", "Yes.")
    bond.export(tmp_path / "newer.erii")
    (line,) = store.import_pack(tmp_path / "newer.erii").lines
    assert line.kept_out == 0


def test_a_receipt_for_other_records_erases_nothing(store: Store, bond: Relationship) -> None:
    turn = told(bond, "I own ZQ-7731.")
    receipt = bond.erase(turn)
    (part,) = receipt.parts
    (first, *_) = part.ranges
    wrong = first.model_copy(update={"first_hash": "00" * 32})
    # Of a tombstone that is not here: what one that is here says was done.
    of_another = part.model_copy(update={"ranges": (wrong,), "tip_after": "00" * 32})
    with pytest.raises(NotFound, match="no older copy"):
        store.erase_again(receipt.model_copy(update={"parts": (of_another,)}))
    for nonsense in ({}, {"format": 2}, {**receipt.model_dump(), "extra": 1}):
        with pytest.raises(InvalidInput, match="no receipt"):
            store.erase_again(nonsense)
    other = receipt.model_copy(
        update={"parts": (part.model_copy(update={"relationship": "00" * 16}),)}
    )
    assert store.erase_again(other).erased == 0


def test_pb10_an_erased_relationship_goes_from_an_older_copy_too(
    store: Store, bond: Relationship, path: Path, tmp_path: Path
) -> None:
    told(bond, "I own ZQ-7731.")
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (tmp_path / "backup.db").write_bytes(path.read_bytes())
    told(bond, "I own ZQ-7732.")
    receipt = bond.erase_relationship()
    with fixed_store(tmp_path / "backup.db", seed=2) as restored:
        assert restored.erase_again(receipt).scrub == "scrubbed"
        assert restored.relationships() == []
    assert b"ZQ-7731" not in (tmp_path / "backup.db").read_bytes()


CHAT = [
    line("Hello Lumi.", "Chen", at="2026-01-01T10:00:00Z"),
    line("Hello Chen.", at="2026-01-01T10:01:00Z"),
    line("My PIN is PIN-5512.", "Chen", at="2026-01-01T10:02:00Z"),
    line(
        "Noted: PIN-5512.", at="2026-01-01T10:03:00Z",
        swipes=["Noted: PIN-5512.", "I will forget it."], swipe_id=0,
    ),
    line("Good night.", "Chen", at="2026-01-01T10:04:00Z"),
    line("Sleep well.", at="2026-01-01T10:05:00Z"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["chat.jsonl", "renamed.jsonl"])
@pytest.mark.parametrize("what", ["message", "variant", "turn", "both"])
def test_pb10_a_chat_file_does_not_bring_back_what_was_erased(
    store: Store, tmp_path: Path, what: str, name: str
) -> None:
    chat = write_chat(tmp_path / "chat.jsonl", CHAT)
    store.import_chats([chat])
    (bond,) = store.relationships()
    turn = next(t for t in bond.turns() if any("PIN" in (m.content or "") for m in t.messages))
    message, variant = turn.messages[0].number, turn.replies[0].number
    gone = {"message": [message], "variant": [variant], "turn": [turn.number]}
    bond.erase(*gone.get(what, [message, variant]))
    left = len([t for t in bond.records() if t.type in ("MessageReceived", "ReplyGiven")])
    again = write_chat(tmp_path / name, CHAT)
    (report,) = store.import_chats([again])
    assert any(re.search("erased|recorded already", note.message) for note in report.notes)
    said = everything_said(store)
    assert ("My PIN" in said) is (what == "variant")
    assert ("Noted: PIN" in said) is (what == "message")
    assert said.count("Sleep well.") > 0 and bond.verify().ok
    assert len([r for r in bond.records() if r.type in ("MessageReceived", "ReplyGiven")]) == left


def test_an_edited_line_whose_wording_was_erased_stays_erased(store: Store, tmp_path: Path) -> None:
    chat = write_chat(tmp_path / "chat.jsonl", CHAT)
    store.import_chats([chat])
    (bond,) = store.relationships()
    edited = [*CHAT[:2], line("My PIN is PIN-9999.", "Chen", at="2026-01-01T10:02:00Z"), *CHAT[3:]]
    store.import_chats([write_chat(chat, edited)])
    turn = next(t for t in bond.turns() if any("9999" in (m.content or "") for m in t.messages))
    bond.erase(turn.messages[0])
    (report,) = store.import_chats([chat])
    assert any("erased" in note.message for note in report.notes)
    assert "PIN-9999" not in everything_said(store)


# --- what is asked for is what is erased


def test_pb11_every_number_that_is_handed_out_can_be_erased(bond: Relationship) -> None:
    """PB-11: `store` gave one kind of id and `forget` wanted another."""
    turn = bond.record("I own ZQ-7731. Thank you.", "Gladly.")
    decided = bond.propose(turn, Reader())
    (belief,) = bond.beliefs()
    view = turn.view()
    for one in (belief, decided[1], view.replies[0], view.messages[0], turn):
        assert bond.erase(one).erased > 0
    assert bond.erase(turn).erased == 0


def test_pb11_a_text_is_looked_for_shown_and_confirmed(
    store: Store, bond: Relationship, path: Path
) -> None:
    """PB-11: forget-by-text deleted the best hit unseen."""
    for words in ("My job is dull.", "My job is done.", "My hobby is tea."):
        bond.record(words, "I see.")
    with pytest.raises(InvalidInput, match="plan_erasure"):
        bond.erase(matching="My job")
    made = bond.plan_erasure(matching="My job")
    assert [one.words for one in made.matched] == ["My job is dull.", "My job is done."]
    assert "My job" in everything_said(store)
    bond.record("My job again.", "I see.")
    with pytest.raises(ExpectationFailed, match="plan again"):
        bond.erase(made)
    receipt = bond.erase(bond.plan_erasure(matching="My job"))
    assert receipt.erased == 3 and forms_found(path.parent, "My job is d") == []
    assert "My hobby is tea." in everything_said(store)
    with pytest.raises(NotFound):
        bond.plan_erasure(matching="My job")
    with pytest.raises(InvalidInput, match="empty"):
        bond.plan_erasure(matching=" ")


def test_pb13_reading_writes_nothing_and_what_is_not_recorded_is_not_there(
    store: Store, bond: Relationship, path: Path
) -> None:
    """PB-13: a private chat still read memories and left one at its end.

    Here a host that keeps a turn to itself records nothing; reading leaves no trace at all.
    """
    told(bond, "I own ZQ-7731.")
    bond.digests()
    before = state_of(path)
    everything_said(store)
    assert "ZQ-7731" in bond.recall("What do I own? ZQ-7731").render()
    assert state_of(path) == before and "5512" not in everything_said(store)


# --- depths, spans, scenes, time travel


def test_forget_what_was_eaten_remember_that_the_day_was_good(
    store: Store, bond: Relationship, path: Path
) -> None:
    turn = bond.record("Thank you for the ZQ-7731 dumplings!", "Gladly.")
    cited = (Citation(text=turn.number + 1, quote="Thank you"),)
    bond.propose(None, [Signal(signal="gratitude", actor="user", citations=cited)])
    lived = bond.rapport()
    receipt = bond.erase(turn, keep_effects=True)
    assert receipt.keep_effects and bond.rapport() == lived
    assert "ZQ-7731" not in everything_said(store) and forms_found(path.parent, "ZQ-7731") == []
    summary = bond.summary()
    assert (summary.erased, summary.on_erased) == (receipt.erased, 1)
    (change,) = {change.number for change in bond.why_rapport()}
    assert bond.why(change).on_erased and bond.why(change).quotes[0].words is None
    bond.erase(turn)
    assert bond.rapport() != lived and bond.summary().on_erased == 0


def test_what_was_spared_is_marked_wherever_it_is_shown(
    store: Store, bond: Relationship, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A tension, a mood and what moved rapport: nobody can read any more what they rest on."""
    hurt = bond.record("I was sad.", "Shut up, ZQ-7731.")
    after = bond.record("That hurt, ZQ-7731.", "Sorry.")
    said = (Citation(text=after.number + 1, quote="That hurt, ZQ-7731."),)
    rude = Citation(text=hurt.number + 2, quote="Shut up, ZQ-7731.")
    harm = Consequence(effect="harm", bearer="user", citations=(rude, *said))
    felt = Mood(party="user", felt=Felt(valence=-0.8), intensity="strong", citations=said)
    done = bond.propose(
        None, [harm, felt, Signal(signal="disappointment", actor="user", citations=said)]
    )
    assert [one.verdict for one in done] == ["accepted"] * 3
    bond.erase(bond.plan_erasure(matching="ZQ-7731", keep_effects=True))
    (tension,) = bond.tensions()
    assert tension.on_erased == (tension.number,) == (done[0].event,)
    shell, where = Shell(capsys, monkeypatch), ("--store", store.path)
    assert "harm, on erased words" in shell.ok("tensions", *where)
    for command in ("show", "mood", "timeline"):
        assert "3 events count and rest on words that were erased" in shell.ok(command, *where)
    for about in ("rapport", "mood"):
        assert "(erased)" in shell.ok("why", about, *where)


def test_time_travel_to_before_brings_nothing_back_and_says_so(store: Store) -> None:
    bond = store.relationship("lumi", "chen")
    turn = told(bond, "I own ZQ-7731.")
    assert bond.erased_then(as_lived=NOW) == 0
    receipt = bond.erase(turn)
    assert bond.erased_then(as_lived=NOW) == bond.erased_then(at=NOW) == receipt.erased
    assert "ZQ-7731" not in repr([bond.rapport(at=NOW), bond.rapport(as_lived=NOW)])
    assert bond.beliefs(at=NOW) == []


def test_the_copies_of_a_scene_are_found_and_taken_when_asked(store: Store) -> None:
    scene = Scene(b"s" * 16, ("lumi", "mira"))
    bonds = [store.relationship(agent, "chen") for agent in ("lumi", "mira")]
    apart = store.relationship("juno", "chen")
    for one in (*bonds, apart):
        one.record("We meet at ZQ-7731.", "Yes.", scene=None if one is apart else scene)
        one.record("Else.", "Yes.", scene=scene)
    turn = bonds[0].turns()[0]
    made = bonds[0].plan_erasure(turn)
    (copy,) = made.copies
    (theirs,) = [t.messages[0].number for t in bonds[1].turns() if "ZQ" in str(t.messages)]
    assert (copy.agent, copy.user, copy.numbers) == ("mira", "chen", (theirs,))
    receipt = bonds[0].erase(made, copies=True)
    assert [len(part.numbers) for part in receipt.parts] == [3, 1]
    assert [t.messages[0].content for t in bonds[1].turns()] == [None, "Else."]
    assert [t.messages[0].content for t in apart.turns()] == ["We meet at ZQ-7731.", "Else."]


def test_a_time_takes_what_was_said_in_it_on_every_branch(store: Store, bond: Relationship) -> None:
    from datetime import timedelta

    for day in range(5):
        bond.record(f"Day {day}.", f"Reply {day}.", at=NOW - timedelta(days=5 - day))
    first = bond.turns()[0]
    side = bond.fork("side", after=first.number)
    side.record("Elsewhere.", "Yes.", at=NOW - timedelta(days=3, hours=12))
    receipt = bond.erase(since=NOW - timedelta(days=4), until=NOW - timedelta(days=2))
    said = everything_said(store)
    assert [f"Day {day}." in said for day in range(5)] == [True, False, False, True, True]
    assert "Elsewhere." not in said and receipt.scope == "span"


# --- archive


def test_an_archived_relationship_is_out_of_sight_and_unchanged(store: Store) -> None:
    bond = store.relationship("lumi", "chen")
    told(bond, "I own ZQ-7731.")
    digests, length = bond.digests(), len(bond.records())
    bond.archive()
    assert store.relationships() == []
    assert [one.user for one in store.relationships(archived=True)] == ["chen"]
    assert store.relationship("lumi", "chen").digests() == digests
    bond.restore()
    assert [one.digests() for one in store.relationships()] == [digests]
    assert len(bond.records()) == length and bond.verify().ok


def test_what_was_archived_comes_back_as_the_command_says(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the only one of a store, and one whose name a shell would take apart."""
    shell, where = Shell(capsys, monkeypatch), ("--store", store.path)
    for user in ("Chen's phone", "anna"):
        store.relationship("lumi", user).record("Hello.", "Hello.")
        ended = shell.ok("archive", "--user", user, *where).strip()
        words = shlex.split(ended[ended.index("enishi restore") :])[1:]
        before = shell.json("list", "--archived", *where)
        if user != "anna":
            assert "out of sight" in shell.refused("log", *where)
            assert "out of sight" in shell.refused("restore", *where)
        assert [one["user"] for one in before] == [user]
        assert shell.ok(*words, *where) == "It is back in sight.\n"
        assert [one["user"] for one in shell.json("list", *where)][-1] == user


# --- the command line, and what it refuses


def typed(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(words))


def test_the_command_line_plans_asks_and_erases(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: Store,
    bond: Relationship, tmp_path: Path,
) -> None:  # fmt: skip
    shell = Shell(capsys, monkeypatch)
    where = ("--store", store.path)
    turn = told(bond, "I own ZQ-7731.")
    told(bond, "Yes, ZQ-7731 is mine.")
    out = shell.ok("erase", turn, "--plan", *where)
    assert "7 payloads would be erased" in out and "ZQ-7731 is mine" in out
    plan = shell.json("erase", turn, "--plan", *where)
    assert plan["types"]["BeliefStated"] == 1 and plan["repeats"]
    for wrong in ("", "yes\n"):
        typed(monkeypatch, wrong)
        ran = shell.run("erase", turn, *where)
        assert ran.status == 1 and "not confirmed" in ran.err
    assert "ZQ-7731" in shell.ok("log", *where)
    typed(monkeypatch, "erase\n")
    ran = shell.run("erase", turn, *where)
    assert ran.status == 0 and "scrubbed" in ran.out and "Erased for good: 7" in ran.out
    done = shell.json("erase", "--matching", "ZQ-7731", "--keep-effects", "--yes", *where)
    assert done["scrub"] == "scrubbed" and done["keep_effects"]
    assert read_receipt(done).erased == done["erased"]
    log = shell.ok("log", *where)
    assert "ZQ-7731" not in log and " · erased" in log and "withdrawn" not in log
    for turns in ((), (turn,)):
        assert "erased, and nothing of that is read again" in shell.ok("propose", *turns, *where)
    for then in ("--at", "--as-lived"):
        told_so = shell.ok("show", then, NOW.isoformat(), *where)
        assert "records of that time have been erased" in told_so
    for command in (["beliefs"], ["promises"], ["tensions"], ["mood"], ["show", "--portrait"]):
        for at, says in ((NOW, True), (NOW - timedelta(days=1), False)):
            told_so = shell.ok(*command, "--at", at.isoformat(), *where)
            assert ("records of that time have been erased" in told_so) is says, command
        assert "erased since" not in shell.ok(*command, *where)
    assert "yes, on erased words" in shell.ok("log", "--events", *where)
    assert " on words that were erased" in shell.ok("show", *where)
    assert shell.json("doctor", *where)["to_scrub"] == 0
    (tmp_path / "receipt.json").write_text(json.dumps(done))
    again = shell.json("erase", "--again", tmp_path / "receipt.json", "--yes", *where)
    assert again["erased"] == 0
    shell.ok("archive", *where)
    assert shell.json("list", *where) == []
    assert len(shell.json("list", "--archived", *where)) == 1
    assert shell.json("verify", *where)[0]["ok"]
    shell.ok("restore", "--user", "chen", *where)
    assert len(shell.json("list", *where)) == 1
    assert shell.json("erase", "--everything", "--user", "chen", "--yes", *where)["scope"] == "user"
    assert shell.json("list", *where) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["999"], "no number 999"),
        (["0"], "founding"),
        ([], "in one way"),
        (["1", "--matching", "I own"], "in one way"),
        (["--matching", ""], "empty"),
        (["--matching", "unheard of"], "to the letter"),
        (["--belief", "1"], "no belief"),
        (["1", "--through", "2"], "no turn"),
        (["--through", "1"], "in one way"),
        (["--since", "2026-03-01T00:00:00Z", "--until", "2026-02-01T00:00:00Z"], "comes before"),
        (["--since", "2030-01-01T00:00:00Z"], "nothing was said"),
        (["--again", "nowhere.json"], "cannot be read"),
    ],
)
def test_what_cannot_be_erased_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, store: Store, bond: Relationship,
) -> None:  # fmt: skip
    told(bond, "I own ZQ-7731.")
    before = state_of(store.path)
    shell = Shell(capsys, monkeypatch)
    assert message in shell.refused("erase", *arguments, "--yes", "--store", store.path)
    for wrong in ("1", "--keep-effects", "--copies"):  # all would go, and that was not meant
        shell.refused("erase", wrong, "--everything", "--yes", "--store", store.path, status=2)
    assert state_of(store.path) == before


def test_what_is_no_receipt_is_said_before_anything_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: Store,
    bond: Relationship, tmp_path: Path,
) -> None:  # fmt: skip
    told(bond, "I own ZQ-7731.")
    typed(monkeypatch, "erase\n")
    shell = Shell(capsys, monkeypatch)
    deep = "[" * 100_000
    for words in ("", "[]", '{"a": 1}', deep, '{"format": 1, "scope": "turn"}', "\udcff"):
        (tmp_path / "r.json").write_bytes(words.encode("utf-8", "surrogateescape"))
        for command in (("erase", "--again"), ("verify", "--receipt")):
            said = shell.refused(*command, tmp_path / "r.json", "--store", store.path)
            assert "no receipt" in said and len(said) < 200, said


def test_a_read_only_store_erases_nothing(store: Store, bond: Relationship) -> None:
    turn = told(bond, "I own ZQ-7731.")
    with fixed_store(store.path, seed=1, read_only=True) as readable:
        (same,) = readable.relationships()
        assert same.plan_erasure(turn).numbers
        calls: list[Callable[[], object]] = [
            lambda: same.erase(turn),
            same.erase_relationship,
            same.archive,
            lambda: readable.erase_user("chen"),
        ]
        for call in calls:
            with pytest.raises(StoreReadOnly):
                call()
    assert "ZQ-7731" in everything_said(store)


def test_within_a_transaction_the_scrub_waits_for_its_end(
    store: Store, bond: Relationship, path: Path
) -> None:
    turn = told(bond, "I own ZQ-7731.")
    with store.transaction():
        assert bond.erase(turn).scrub == "scrub pending"
        assert store.to_scrub()
    assert store.to_scrub() == [] and forms_found(path.parent, "ZQ-7731") == []
    other = told(bond, "I own ZQ-7732.")
    with pytest.raises(RuntimeError), store.transaction():
        bond.erase(other)
        raise RuntimeError
    assert "ZQ-7732" in everything_said(store) and store.to_scrub() == []


def test_somebody_who_has_the_store_open_sees_it_gone(
    store: Store, bond: Relationship, path: Path
) -> None:
    turn = told(bond, "I own ZQ-7731.")
    bond.fork("ZQ-7731 side")
    with fixed_store(path, seed=1) as other:
        (same,) = other.relationships()
        assert "ZQ-7731" in everything_said(other)
        bond.erase(bond.plan_erasure(matching="ZQ-7731"))
        bond.erase(turn)
        assert "ZQ-7731" not in everything_said(other)
        same.record("Later.", "Yes.")
        bond.erase_relationship()
        with pytest.raises(NotFound, match="was erased"):
            same.record("Later.", "Yes.")
        assert other.relationship("lumi", "chen").turns() == []
    assert forms_found(path.parent, "ZQ-7731") == []


def test_a_raw_reader_of_the_file_finds_no_payload(store: Store, bond: Relationship) -> None:
    turn = told(bond, "I own ZQ-7731.")
    receipt = bond.erase(turn)
    rows = sqlite3.connect(store.path).execute("SELECT number, salt, payload FROM records")
    gone = [number for number, salt, payload in rows if salt is None and payload is None]
    assert tuple(gone) == receipt.parts[0].numbers


def test_the_awaitable_face_erases_as_well(path: Path) -> None:
    async def life() -> None:
        async with open_async(path, clock=lambda: NOW) as store:
            bond = await store.relationship("lumi", "chen")
            turn = await bond.record("I own ZQ-7731.", "I see.")
            made = await bond.plan_erasure(turn)
            assert (await bond.erase(made, reason="safety")).reason == "safety"
            await bond.archive()
            await bond.restore()
            assert await bond.erased_then() == 3
            assert (await store.erase_user("chen")).scrub == "scrubbed"
            assert await store.relationships() == []

    path.parent.mkdir()
    asyncio.run(life())
    assert forms_found(path.parent, "ZQ-7731") == []
