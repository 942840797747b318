"""The log: transactions, triggers, foreign files, settings, and records of other versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import enishi
from enishi.host import Relationship, Store, open_store, system_clock
from enishi.kernel import events, log
from enishi.kernel.encoding import Header
from enishi.kernel.errors import (
    EnishiError,
    InvalidInput,
    LogDamaged,
    NotAStore,
    RequestConflict,
    RequestErased,
    StoreFailure,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from enishi.kernel.events import EventType, Payload, payload_of
from enishi.kernel.log import Log
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Draft

THANKS = "Thank you, truly."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db", synchronous="NORMAL") as opened:
        yield opened


def thank(bond: Relationship, request: str | None = None) -> int:
    """A turn that the folds have something of. Returns its number."""
    turn = bond.record(THANKS, "Any time.", request=request)
    cited = enishi.Citation(text=turn.number + 1, quote=THANKS)
    bond.propose(turn, [enishi.Signal(signal="gratitude", actor="user", citations=(cited,))])
    return turn.number


def everything(bond: Relationship) -> list[tuple[Any, ...]]:
    with bond._stream.reading():
        return list(bond._stream.log.raw(bond._stream.line.line))


def check_whole(bond: Relationship) -> None:
    """The log verifies, and what is kept in memory and on disk equals a replay, here and anew."""
    found = bond.verify()
    assert found.ok, found.problems
    assert bond.digests() == bond.replay()
    with open_store(bond._store.path) as other:
        again = other.relationship(bond.agent, bond.user, create=False)
        assert again.turns() == bond.turns()
        assert again.digests() == bond.digests()


# Transactions


def test_a_transaction_is_kept_whole_or_not_at_all(store: Store, bond: Relationship) -> None:
    thank(bond)
    before, length = everything(bond), len(bond.records())
    with pytest.raises(ZeroDivisionError), store.transaction():
        thank(bond, "again")
        store.relationship("nova", "chen").record("Good evening.", "Who are you?")
        assert len(bond.turns()) == 2
        raise ZeroDivisionError
    assert everything(bond) == before
    assert [one.agent for one in store.relationships()] == ["lumi"]
    assert len(bond.turns()) == 1
    with store.transaction():
        assert thank(bond, "again") == length, "numbers go on without a gap"
        thank(bond)
    assert len(bond.turns()) == 3
    check_whole(bond)


def test_what_was_in_memory_goes_with_a_rolled_back_transaction(
    store: Store, bond: Relationship
) -> None:
    thank(bond)
    rapport, branches = bond.rapport(), bond.branches()
    with pytest.raises(ZeroDivisionError), store.transaction():
        thank(bond)
        bond.fork("aside").record("On the side.", "Here?")
        bond.rename("lumi", "Lu")
        assert bond.rapport() != rapport
        raise ZeroDivisionError
    assert bond.rapport() == rapport and bond.branches() == branches
    assert bond.name_of("lumi") == "lumi"
    with pytest.raises(EnishiError):
        bond.on("aside")
    bond.fork("aside")
    thank(bond)
    check_whole(bond)


def test_the_place_of_a_relationship_that_was_rolled_back_is_free_for_another(
    store: Store,
) -> None:
    kept = []
    with pytest.raises(ZeroDivisionError), store.transaction():
        kept.append(store.relationship("lumi", "chen"))
        kept[0].record("Good evening.", "Sit down.")
        raise ZeroDivisionError
    other = store.relationship("nova", "mei")
    assert (other.agent, other.user) == ("nova", "mei")
    thank(other)
    with pytest.raises(EnishiError):
        kept[0].record("Are you there?", "I was never recorded.")
    with pytest.raises(EnishiError):
        kept[0].turns()
    check_whole(other)
    thank(store.relationship("lumi", "chen"))
    check_whole(store.relationship("lumi", "chen"))


def test_a_part_that_fails_alone_leaves_nothing_and_the_rest_is_kept(
    store: Store, bond: Relationship
) -> None:
    late = system_clock() + timedelta(days=1)
    second = enishi.Message("Later.", happened=Moment.of(late))
    with store.transaction():
        thank(bond)
        with pytest.raises(InvalidInput):
            # The turn and its first message are appended before the second is refused.
            bond.turn([enishi.Message("Now."), second], request="refused")
        thank(bond)
    assert [turn.messages[0].content for turn in bond.turns()] == [THANKS, THANKS]
    assert bond.record("Now.", "Good.", request="refused").view().status == "completed"
    check_whole(bond)


def test_transactions_may_be_nested_and_fail_at_each_level(store: Store) -> None:
    kept = store._log
    line = None
    with kept.writing():
        line = kept.add_line(b"r" * 16, b"s" * 16, "a", "b")
        for place in range(3):
            with pytest.raises(ZeroDivisionError), kept.writing():
                kept.append(line.line, header(place), b"salt", b"\x80")
                with kept.writing(), kept.reading():
                    kept.append(line.line, header(place + 1), b"salt", b"\x80")
                assert kept.tip(line.line)[0] == place + 2
                raise ZeroDivisionError
            assert kept.tip(line.line)[0] == place
            kept.append(line.line, header(place), b"salt", b"\x80")
    assert kept.tip(line.line)[0] == 3
    with kept.reading():
        assert [one.number for one in kept.headers(line.line)] == [0, 1, 2]


def header(number: int, **changes: Any) -> Header:
    fields = Header(
        1, b"r" * 16, number, None, "Noted", 1, None, 0, None, None, 0, (), (), None, b"c" * 32
    )
    return fields._replace(**changes)


def test_writing_cannot_begin_within_reading(store: Store) -> None:
    with (
        store._log.reading(),
        pytest.raises(AssertionError, match="within `reading`"),
        store._log.writing(),
    ):
        pass


def test_a_full_disk_costs_nothing_but_the_turn_that_did_not_fit(
    store: Store, bond: Relationship
) -> None:
    thank(bond)
    before = everything(bond)
    connection = store._log.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreFull) as caught:
        bond.record("x" * 100_000, "That is a lot.")
    assert "\n" not in str(caught.value)
    assert everything(bond) == before and len(bond.turns()) == 1
    connection.execute("PRAGMA max_page_count=1000000")
    assert thank(bond) == len(before)
    check_whole(bond)


def test_a_long_transaction_reads_what_it_has_written(store: Store) -> None:
    kept = store._log
    with kept.writing():
        line = kept.add_line(b"r" * 16, b"s" * 16, "a", "b").line
        for number in range(1201):
            kept.append(line, header(number), b"salt", b"\x80")
            if number in (0, 499, 500, 1200):
                assert kept.tip(line)[0] == number + 1
                assert sum(1 for _ in kept.headers(line)) == number + 1
    assert kept.tip(line)[0] == 1201


# Reading


def test_records_are_read_from_any_number_to_any_other(store: Store, bond: Relationship) -> None:
    for _ in range(5):
        thank(bond)
    kept, line = store._log, bond._stream.line.line
    length = len(bond.records())
    with kept.reading():
        assert [one.header.number for one in kept.records(line)] == list(range(length))
        assert [one.header.number for one in kept.records(line, 3, 6)] == [3, 4, 5]
        assert [one.number for one in kept.headers(line, 4)] == list(range(4, length))
        assert [row[0] for row in kept.raw(line)] == list(range(length))
    assert kept.record(line, length) is None and kept.record(line + 1, 0) is None
    found = kept.record(line, 2)
    assert found is not None and found.payload is not None
    assert found.payload["content"] == THANKS
    length_and_hash = kept.tip(line)
    assert length_and_hash == (length, bytes.fromhex(bond.verify().tip), 0)
    assert kept.tip(line + 1) == (0, None, 0)


def test_payloads_are_the_same_whether_they_lie_close_or_far_apart(
    store: Store, bond: Relationship
) -> None:
    with store.transaction():
        turns = [bond.record(f"number {place}", "Yes.").number for place in range(400)]
    kept, line = store._log, bond._stream.line.line
    close = kept.payloads(line, [turn + 1 for turn in turns], ["MessageReceived"])
    far = kept.payloads(line, [turns[0] + 1, turns[-1] + 1], ["MessageReceived"])
    assert [close[turn + 1]["content"] for turn in turns] == [f"number {n}" for n in range(400)]
    assert far == {number: close[number] for number in far} and len(far) == 2
    assert kept.payloads(line, [], ["MessageReceived"]) == {}


def test_relationships_in_one_file_never_see_each_other(store: Store) -> None:
    bonds = [store.relationship("lumi", user) for user in ("chen", "mei")]
    numbers = [thank(bond, "the same id") for bond in bonds]
    assert numbers[0] == numbers[1] == 1
    for bond in bonds:
        assert len(bond.turns()) == 1
        check_whole(bond)
    first, second = (bond._stream.line for bond in bonds)
    assert store._log.requested(first, "the same id") is None, "kept under a form of its own"
    assert first.secret != second.secret
    requests = [set(store._log.requests(line.line)) for line in (first, second)]
    assert requests[0] and not requests[0] & requests[1]


# Requests


def test_a_request_id_is_kept_as_a_hash_only(store: Store, bond: Relationship) -> None:
    thank(bond, "order-of-somebody@example.org")
    store.close()
    assert b"somebody@example" not in store.path.read_bytes()


def test_a_rolled_back_request_can_be_made_again(store: Store, bond: Relationship) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        bond.record(THANKS, "Any time.", request="r")
        raise ZeroDivisionError
    assert bond.record("Something else.", "Any time.", request="r").number == 1
    assert bond.record("Something else.", "Any time.", request="r").number == 1
    with pytest.raises(RequestConflict):
        bond.record(THANKS, "Any time.", request="r")
    check_whole(bond)


def test_a_message_with_a_used_id_is_a_conflict_and_records_nothing(bond: Relationship) -> None:
    bond.turn([enishi.Message("First.", request="m")], request="t1").abandon()
    before = everything(bond)
    for said in ("First.", "Second."):
        with pytest.raises(RequestConflict) as caught:
            bond.turn([enishi.Message(said, request="m")], request="t2")
        assert "\n" not in str(caught.value) and "UNIQUE" not in str(caught.value)
        assert everything(bond) == before
    bond.turn([enishi.Message("Second.", request="m2")], request="t2").abandon()
    check_whole(bond)


def test_a_message_with_a_used_id_spoils_no_transaction_around_it(
    store: Store, bond: Relationship
) -> None:
    bond.turn([enishi.Message("First.", request="m")]).abandon()
    with store.transaction():
        with pytest.raises(RequestConflict):
            bond.turn([enishi.Message("Second.", request="m")])
        thank(bond)
    assert len(bond.turns()) == 2
    check_whole(bond)


def test_whatever_is_sent_again_is_answered_with_what_exists(
    store: Store, bond: Relationship
) -> None:
    """Also where more was said since, on another branch, by another process, or after an erasure."""
    turn = bond.record("Good evening.", "Hm.")
    said, reply = turn.number + 1, turn.number + 2
    still_open = bond.turn("Wait.")
    acts: list[tuple[str, Callable[[Relationship, str], int]]] = [
        ("edit", lambda b, words: b.edit(said, words, request="edit").number),
        ("continue", lambda b, words: b.extend(reply, words, request="continue").number),
        ("go on", lambda b, words: b.extend(reply, words, request="go on").number),
        ("regenerate", lambda b, words: b.regenerate(turn, words, request="regenerate").number),
        ("say", lambda b, words: b.get_turn(still_open.number).say(words, request="say").number),
        (
            "reply",
            lambda b, words: b.get_turn(still_open.number).reply(words, request="reply").number,
        ),
        ("turn", lambda b, words: b.turn(words, request="turn").number),
        ("record", lambda b, words: b.record(words, "Yes.", request="record").number),
    ]
    made = {name: act(bond, f" {name}") for name, act in acts}
    bond.edit(reply, "Something else by now.")
    length = len(bond.records())
    fork = bond.fork("side")
    with open_store(store.path) as other:
        for again in (bond, fork, *other.relationships()):
            for name, act in acts:
                assert act(again, f" {name}") == made[name], name
                with pytest.raises(RequestConflict):
                    act(again, "Other words.")
    assert len(bond.records()) == length + 1  # the fork
    bond.erase(turn, still_open, made["turn"], made["record"])
    for name, act in acts:
        for words in (f" {name}", "Other words."):
            with pytest.raises(RequestErased):
                act(bond, words)


def test_an_edit_that_changes_nothing_lets_nothing_fall(bond: Relationship) -> None:
    turn = bond.get_turn(thank(bond))
    before, trust = len(bond.records()), bond.rapport().trust
    assert trust > 0.5
    assert bond.edit(turn.number + 1, THANKS).number == turn.number + 1
    assert len(bond.records()) == before and bond.rapport().trust == trust


def test_the_index_of_requests_can_be_made_anew_from_the_headers(
    store: Store, bond: Relationship
) -> None:
    number = thank(bond, "r")
    index = store._log.requests(bond._stream.line.line)
    with store._log.writing():
        store._log.connection.execute("DELETE FROM request")
    assert not bond.verify().ok
    bond.rebuild()
    assert store._log.requests(bond._stream.line.line) == index
    assert bond.record(THANKS, "Any time.", request="r").number == number
    check_whole(bond)


# Append-only

UPSERT = (
    "INSERT INTO record SELECT id, type, header, hash, salt, payload FROM record WHERE true"
    " ON CONFLICT(id) DO UPDATE SET payload = x'80'"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET type = 'Other' WHERE id = :id",
        "UPDATE record SET header = x'00' WHERE id = :id",
        "UPDATE record SET hash = x'00' WHERE id = :id",
        "UPDATE record SET id = id + 100 WHERE id = :id",
        "UPDATE record SET payload = x'80' WHERE id = :id",
        "UPDATE record SET salt = x'00' WHERE id = :id",
        "DELETE FROM record WHERE id = :id",
        "DELETE FROM record",
        "INSERT OR REPLACE INTO record SELECT id, type, header, hash, x'00', x'80' FROM record",
        "REPLACE INTO record SELECT id, 'Other', header, hash, salt, payload FROM record",
        "UPDATE OR REPLACE record SET id = :id WHERE id <> :id",
        UPSERT,
        "INSERT INTO record SELECT id, type, header, hash, salt, payload FROM record",
    ],
)
def test_the_database_itself_refuses_to_change_a_record(
    store: Store, bond: Relationship, statement: str
) -> None:
    thank(bond)
    before = everything(bond)
    key = bond._stream.line.line << 32 | 2
    with pytest.raises(sqlite3.IntegrityError), closing(store._log.connection.cursor()) as cursor:
        cursor.execute(statement, {"id": key} if ":id" in statement else {})
    assert everything(bond) == before


@pytest.mark.parametrize(
    "statement", ["UPDATE record SET hash = x'00'", "UPDATE record SET payload = x'80'"]
)
def test_other_programs_are_refused_as_well(
    store: Store, bond: Relationship, statement: str
) -> None:
    thank(bond)
    with (
        closing(sqlite3.connect(store.path)) as other,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        other.execute(statement)


def test_a_payload_may_go_and_may_not_come_back(store: Store, bond: Relationship) -> None:
    number = thank(bond) + 1
    key = bond._stream.line.line << 32 | number
    with store._log.writing():
        bond._stream.log.destroy(bond._stream.line.line, [number])
    row = store._log.connection.execute("SELECT salt, payload FROM record WHERE id=?", (key,))
    assert row.fetchone() == (None, None)
    with pytest.raises(sqlite3.IntegrityError):
        store._log.connection.execute("UPDATE record SET payload=x'80' WHERE id=?", (key,))


def test_destroyed_words_are_gone_from_the_file_itself(store: Store, bond: Relationship) -> None:
    bond.record("The password is swordfish-4711.", "Noted, swordfish-4711.")
    bond.record("Something harmless.", "Indeed.")
    store._log.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"swordfish-4711" in store.path.read_bytes()
    with bond._stream.writing():
        bond._stream.destroy([2, 3])
    store.close()
    assert b"swordfish-4711" not in store.path.read_bytes()
    assert not store.path.with_name("store.db-wal").exists()
    with open_store(store.path) as again:
        (kept,) = again.relationships()
        assert kept.verify().ok and kept.verify().erased == 2
        assert kept.turns()[1].messages[0].content == "Something harmless."


# Files and settings


def pragma(kept: Log, name: str) -> object:
    return kept.connection.execute(f"PRAGMA {name}").fetchone()[0]


@pytest.mark.parametrize(("options", "level"), [({}, 2), ({"synchronous": "NORMAL"}, 1)])
def test_the_settings_that_durability_rests_on_are_in_force(
    tmp_path: Path, options: dict[str, Any], level: int
) -> None:
    with closing(Log(tmp_path / "plain.db")) as plain:
        assert pragma(plain, "synchronous") == 2, "FULL is the default"
    for _ in range(2):  # made, and opened again
        with open_store(tmp_path / "store.db", **options) as opened:
            kept = opened._log
            assert pragma(kept, "synchronous") == level
            assert pragma(kept, "journal_mode") == "wal"
            assert pragma(kept, "secure_delete") == 1
            assert pragma(kept, "recursive_triggers") == 1
            assert pragma(kept, "application_id") == log.APPLICATION_ID
            assert pragma(kept, "user_version") == log.STORE_VERSION
            assert pragma(kept, "busy_timeout") == log.BUSY_SECONDS * 1000
            assert log.BUSY_SECONDS >= 60


def test_a_closed_store_can_be_closed_again_and_used_no_more(
    store: Store, bond: Relationship
) -> None:
    store.close()
    store.close()
    for use in (bond.turns, lambda: thank(bond), store.relationships):
        with pytest.raises(StoreFailure, match=str(store.path)):
            use()


def foreign_database(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(statement)
        other.commit()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE note(words)", "PRAGMA application_id=42", "PRAGMA user_version=7"],
)
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    tmp_path: Path, statement: str, read_only: bool
) -> None:
    path = tmp_path / "other.db"
    foreign_database(path, statement)
    before = path.read_bytes()
    with pytest.raises(NotAStore, match=r"other\.db is no Enishi store"):
        open_store(path, read_only=read_only)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize(
    "data",
    [b"Dear diary,", b"SQLite format 3", b"\0" * 100, b"\0" * 4096, b"words " * 9000],
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(data)
    for read_only in (False, True):
        with pytest.raises(NotAStore, match=r"diary\.txt is no Enishi store"):
            open_store(path, read_only=read_only)
    assert path.read_bytes() == data
    assert [file.name for file in tmp_path.iterdir()] == ["diary.txt"]


def test_a_database_that_only_begins_like_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    with pytest.raises((NotAStore, LogDamaged)):
        open_store(path)


def test_a_folder_and_a_missing_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="is a folder"):
        open_store(tmp_path)
    with pytest.raises(StoreFailure, match="does its folder exist") as caught:
        open_store(tmp_path / "nowhere" / "store.db")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store_unless_it_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(NotAStore, match="it is empty"):
        open_store(path, read_only=True)
    assert path.read_bytes() == b""
    with open_store(path) as opened:
        thank(opened.relationship("lumi", "chen"))
        check_whole(opened.relationship("lumi", "chen"))


def test_a_missing_store_is_not_made_where_that_was_not_asked(tmp_path: Path) -> None:
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(StoreFailure):
            open_store(tmp_path / "missing.db", **options)  # type: ignore[arg-type]
        assert list(tmp_path.iterdir()) == []


def test_a_store_of_a_newer_version_is_refused_and_says_what_to_do(
    store: Store, bond: Relationship
) -> None:
    thank(bond)
    store.close()
    foreign_database(store.path, f"PRAGMA user_version={log.STORE_VERSION + 1}")
    before = store.path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreTooNew, match="update Enishi"):
            open_store(store.path, read_only=read_only)
    assert store.path.read_bytes() == before


def test_a_read_only_store_is_read_and_never_written(store: Store, bond: Relationship) -> None:
    thank(bond, "r")
    before = everything(bond)
    with open_store(store.path, read_only=True) as opened:
        reader = opened.relationship("lumi", "chen")
        assert reader.turns() == bond.turns() and reader.digests() == bond.digests()
        assert reader.verify().ok
        for write in (
            lambda: thank(reader),
            lambda: reader.fork("aside"),
            lambda: opened.relationship("nova", "chen"),
            lambda: reader.rebuild(),
        ):
            with pytest.raises(StoreReadOnly):
                write()
    assert everything(bond) == before


# Types and versions that are not known here


class WeatherNoted(Payload):
    """Of a program that knows more than this one."""

    sky: str


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Within this context, the table of event types is that of a later Enishi."""
    with monkeypatch.context() as context:
        yield context


def record_with_later_types(bond: Relationship, later: pytest.MonkeyPatch) -> tuple[int, int]:
    """An event of an unknown type, and a signal of a newer version. Returns their numbers."""
    known = events.EVENT_TYPES["SignalAccepted"]
    newer = EventType("SignalAccepted", known.version + 1, known.model, "event")
    later.setitem(events.EVENT_TYPES, "SignalAccepted", newer)
    later.setitem(
        events.EVENT_TYPES, "WeatherNoted", EventType("WeatherNoted", 1, WeatherNoted, "event")
    )
    turn = bond.turns()[-1]
    message = turn.messages[0].number
    with bond._stream.writing():
        unknown = bond._stream.append(
            Draft("WeatherNoted", payload_of("WeatherNoted", sky="grey"), turn.number)
        )
        strange = {"by": "rule", "mood": {"of": ["another", "shape"]}}
        signal = bond._stream.append(
            Draft("SignalAccepted", strange, turn.number, causes=(message,))
        )
    later.undo()
    return unknown, signal


def test_unknown_types_and_newer_versions_are_kept_verified_and_passed_over(
    store: Store, bond: Relationship, later: pytest.MonkeyPatch
) -> None:
    thank(bond)
    digests, rapport = bond.digests(), bond.rapport()
    unknown, signal = record_with_later_types(bond, later)
    rows = everything(bond)
    with open_store(store.path) as opened:
        for again in (bond, opened.relationship("lumi", "chen")):
            assert again.digests() == again.replay() == digests
            assert again.rapport() == rapport
            assert len(again.why_rapport()) == len(
                {change.dimension for change in bond.why_rapport()}
            )
            assert again.verify().ok
            assert [view.type for view in again.records()][unknown] == "WeatherNoted"
            for number in (unknown, signal):
                explained = again.why(number)
                assert explained.payload is None and explained.why_not is None
            assert again.turns()[0].status == "completed"
        thank(again)
        assert again.rapport() != rapport
    assert everything(bond)[: len(rows)] == rows
    check_whole(bond)


def test_what_is_not_understood_can_be_withdrawn_and_erased(
    bond: Relationship, later: pytest.MonkeyPatch
) -> None:
    thank(bond)
    digests = bond.digests()
    unknown, signal = record_with_later_types(bond, later)
    bond.withdraw(unknown)
    assert bond.why(unknown).why_not == "it was withdrawn"
    bond.restore(unknown)
    assert bond.why(unknown).why_not is None
    with bond._stream.writing():
        bond._stream.destroy([unknown, signal])
    found = bond.verify()
    assert found.ok and found.erased == 2
    assert bond.why(signal).why_not == "it was erased"
    assert bond.digests() == digests
    check_whole(bond)


def test_texts_of_a_newer_version_are_shown_without_their_words(
    bond: Relationship, later: pytest.MonkeyPatch
) -> None:
    known = events.EVENT_TYPES["MessageReceived"]
    later.setitem(
        events.EVENT_TYPES,
        "MessageReceived",
        EventType("MessageReceived", known.version + 1, known.model, "text"),
    )
    bond.record("From tomorrow.", "Understood.")
    later.undo()
    bond._stream.forget()
    (turn,) = bond.turns()
    assert turn.messages[0].content is None
    assert turn.reply is not None and turn.reply.content == "Understood."
    assert bond.text(turn.messages[0].number).content is None
    thank(bond)
    check_whole(bond)


def test_older_versions_are_brought_up_when_they_are_read(
    store: Store, bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    thank(bond)
    rows, digests = everything(bond), bond.digests()
    known = events.EVENT_TYPES["MessageReceived"]
    newer = EventType("MessageReceived", known.version + 2, known.model, "text")
    monkeypatch.setitem(events.EVENT_TYPES, "MessageReceived", newer)

    def louder(payload: dict[str, Any]) -> dict[str, Any]:
        return payload | {"content": payload["content"].upper()}

    def surer(payload: dict[str, Any]) -> dict[str, Any]:
        return payload | {"content": payload["content"] + "!"}

    monkeypatch.setitem(events.UPCASTERS, ("MessageReceived", known.version), louder)
    monkeypatch.setitem(events.UPCASTERS, ("MessageReceived", known.version + 1), surer)
    bond.record("New.", "Yes.")
    with open_store(store.path) as opened:
        again = opened.relationship("lumi", "chen")
        old, new = (turn.messages[0] for turn in again.turns())
        assert old.content == THANKS.upper() + "!" and new.content == "New."
        explained = again.why(old.number)
        assert explained.payload is not None and explained.payload["content"] == old.content
        assert again.verify().ok
        assert again.digests() == digests
        assert everything(again)[: len(rows)] == rows, "stored bytes are never rewritten"
        with again._stream.reading():
            versions = [one.version for one in opened._log.headers(again._stream.line.line)]
        assert versions[old.number] == known.version
        assert versions[new.number] == known.version + 2


def test_time_and_chance_come_from_outside(tmp_path: Path) -> None:
    moment = datetime.fromisoformat("2026-03-01T18:30+08:00")
    files = []
    for name in ("one.db", "two.db"):
        count = iter(range(1_000_000))
        with open_store(
            tmp_path / name,
            clock=lambda: moment,
            entropy=lambda size: next(count).to_bytes(size, "big"),  # noqa: B023
        ) as opened:
            thank(opened.relationship("lumi", "chen"), "r")
            files.append(everything(opened.relationship("lumi", "chen")))
    assert files[0] == files[1]
