"""Bad input of every kind: a typed error, one clear line, and a store that is as it was."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sqlite3
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers import NOW, Shell, fixed_store, line, state_of, write_chat
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from enishi.host import Relationship, Store, open_store
from enishi.kernel.deciding.proposals import Citation, ReadText, Signal
from enishi.kernel.errors import (
    Conflict,
    EnishiError,
    ExpectationFailed,
    InvalidInput,
    NotAStore,
    NotFound,
    ProposerFailed,
    RequestConflict,
    StoreFailure,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    UnreadableFile,
)
from enishi.kernel.log import Log
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message, Reply, Scene
from enishi.kernel.stream import Draft

# Numbers in the store of `lived`.
FOUNDED, FIRST, HELLO, HI, SECOND, GONE, SIDE, ON_SIDE = 0, 1, 2, 3, 4, 7, 10, 11
BEYOND = 99
HUGE = 10**30

MIB = 1 << 20


@pytest.fixture(scope="module")
def lived_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bad") / "lived.db"
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        bond.record("Hello.", "Hi.", request="first")
        bond.record("Second.", "Two.")
        with bond.turn("Gone."):
            pass
        bond.fork("side").record("Aside.", "Here.")
    return path


@pytest.fixture
def lived(lived_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two turns, an abandoned one and a branch, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(lived_once, tmp_path / "lived.db"))


@contextmanager
def unharmed(path: Path) -> Iterator[Relationship]:
    """Within, something must be refused. Nothing of it stays, on disk or in memory."""
    before = state_of(path)
    with fixed_store(path, seed=1) as store:
        (bond,) = store.relationships()
        said = bond.turns()
        yield bond
        assert bond.turns() == said
        assert state_of(path) == before
        turn = bond.record("And then?", "All is well.", request="afterwards")
        assert bond.get_turn(turn.number).text == "And then?"
        assert bond.verify().problems == ()


def refused(error: type[EnishiError], operation: Callable[[], object], *parts: object) -> str:
    """Run what must be refused with this error; its message is one line that names the parts."""
    with pytest.raises(error) as caught:
        operation()
    assert type(caught.value) is error
    message = str(caught.value)
    assert message and "\n" not in message
    for part in parts:
        assert str(part) in message
    return message


def _any(value: object) -> Any:
    """A value that a type checker would not let pass."""
    return value


# --- numbers, branches and orders that do not fit

Act = Callable[[Relationship], object]

UNKNOWN: list[tuple[str, Callable[[Relationship, int], object]]] = [
    ("edit", lambda bond, number: bond.edit(number, "new")),
    ("extend", lambda bond, number: bond.extend(number, "more")),
    ("undo", lambda bond, number: bond.undo(number)),
    ("choose_wording", lambda bond, number: bond.choose_wording(number)),
    ("regenerate", lambda bond, number: bond.regenerate(number, "Other.")),
    ("swipe", lambda bond, number: bond.swipe(number, 1)),
    ("swipe to", lambda bond, number: bond.swipe(FIRST, number)),
    ("fork", lambda bond, number: bond.fork("new", number)),
    ("back", lambda bond, number: bond.back(number)),
    ("withdraw", lambda bond, number: bond.withdraw(HELLO, number)),
    ("get_turn", lambda bond, number: bond.get_turn(number)),
    ("text", lambda bond, number: bond.text(number)),
    ("why", lambda bond, number: bond.why(number)),
    ("propose", lambda bond, number: bond.propose(number, Proposing([]))),
    ("erase", lambda bond, number: bond.erase(number)),
    ("erase one of two", lambda bond, number: bond.erase(HELLO, number)),
    ("erase through", lambda bond, number: bond.erase(FIRST, through=number)),
    ("erase a belief", lambda bond, number: bond.erase(belief=number)),
    ("plan", lambda bond, number: bond.plan_erasure(number)),
    ("given", lambda bond, number: bond.record("x", Reply("y", given=(HELLO, number)))),
]


@pytest.mark.parametrize("number", [BEYOND, -1, HUGE])
@pytest.mark.parametrize(("name", "act"), UNKNOWN, ids=[name for name, _ in UNKNOWN])
def test_an_unknown_number_is_not_found(
    name: str, act: Callable[[Relationship, int], object], number: int, lived: Path
) -> None:
    with unharmed(lived) as bond:
        refused(NotFound, lambda: act(bond, number), number)


@pytest.mark.parametrize(
    "value", ["2", True, 2.0, b"2", [2], object(), "x" * 10**6], ids=lambda one: type(one).__name__
)
def test_what_is_no_number_and_has_none_is_refused(value: object, lived: Path) -> None:
    """True is 1 for a machine, and nobody means turn 1 by it, least of all who erases."""
    acts: list[Callable[[Relationship, Any], object]] = [
        *(act for _, act in UNKNOWN),
        lambda bond, one: bond.swipe(one, 1),
        lambda bond, one: bond.withdraw(one),
        lambda bond, one: bond.restore(one),
        lambda bond, one: bond.turn("x", expect=one),
        lambda bond, one: bond.release(one),
        lambda bond, one: bond.correct(one),
        lambda bond, one: bond.split(one),
        lambda bond, one: bond.merge(one),
        lambda bond, one: bond.recall_trace(one),
    ]
    with unharmed(lived) as bond:
        for act in acts:
            assert len(refused(InvalidInput, partial(act, bond, _any(value)))) < 200


@pytest.mark.parametrize("wrong", [True, 2.0, "2", -1, HUGE, None])
def test_no_header_is_written_that_nobody_could_read(wrong: Any, lived: Path) -> None:
    """Whoever calls the kernel itself: the log would be lost with such a record."""
    with unharmed(lived) as bond:
        with pytest.raises(InvalidInput), bond._writing() as branch:
            bond._stream.append(Draft("VariantChosen", {}, FIRST, branch, targets=(wrong,)))
        with pytest.raises(InvalidInput):
            bond.turn(Message("x", happened=Moment(1.5)))  # type: ignore[arg-type]


def test_what_to_erase_has_to_be_said_in_a_fitting_kind(lived: Path) -> None:
    with unharmed(lived) as bond:
        for words in (3, b"Hello", ["Hello"], "", " ", "\n"):
            refused(InvalidInput, partial(bond.plan_erasure, matching=_any(words)), "text")
        for when in ("yesterday", 3, datetime(2026, 1, 1), True):
            refused(InvalidInput, partial(bond.erase, since=_any(when)), "aware datetime")
        refused(InvalidInput, partial(bond.erase, HELLO, reason=_any("because")), "reason")
        refused(InvalidInput, bond.erase, "one way")
        refused(InvalidInput, partial(bond.erase, HELLO, belief=HELLO), "one way")
        for party in ("", 3, None, "x" * 201):
            refused(InvalidInput, partial(bond._store.erase_user, _any(party)), "user")


REFUSED: list[tuple[str, type[EnishiError], str, Act]] = [
    ("edit a turn", NotFound, "1", lambda b: b.edit(FIRST, "x")),
    ("edit the founding", NotFound, "0", lambda b: b.edit(FOUNDED, "x")),
    ("edit on another branch", NotFound, "11", lambda b: b.edit(ON_SIDE + 1, "x")),
    ("undo the original", Conflict, "2", lambda b: b.undo(HELLO)),
    ("swipe a text", NotFound, "2", lambda b: b.swipe(HELLO, 1)),
    ("swipe to none", NotFound, "1", lambda b: b.swipe(FIRST, 0)),
    ("swipe too far", NotFound, "2", lambda b: b.swipe(FIRST, 2)),
    ("regenerate a text", NotFound, "3", lambda b: b.regenerate(HI, "x")),
    ("regenerate an abandoned turn", Conflict, "7", lambda b: b.regenerate(GONE, "x")),
    ("reply to an abandoned turn", Conflict, "7", lambda b: b.get_turn(GONE).reply("x")),
    ("say in an abandoned turn", Conflict, "7", lambda b: b.get_turn(GONE).say("x")),
    ("say in a completed turn", Conflict, "1", lambda b: b.get_turn(FIRST).say("x")),
    ("abandon a completed turn", Conflict, "1", lambda b: b.get_turn(FIRST).abandon()),
    ("reply again", Conflict, "1", lambda b: b.get_turn(FIRST).reply("Another.")),
    ("given", NotFound, "99", lambda b: b.get_turn(GONE).reply("x", given=[BEYOND])),
    ("fork over", Conflict, "'side'", lambda b: b.fork("side")),
    ("fork main", Conflict, "'main'", lambda b: b.fork("main")),
    ("fork after a text", NotFound, "2", lambda b: b.fork("new", HELLO)),
    ("fork elsewhere", NotFound, "11", lambda b: b.fork("new", ON_SIDE)),
    ("back to a text", NotFound, "2", lambda b: b.back(HELLO)),
    ("back to another branch", NotFound, "11", lambda b: b.back(ON_SIDE)),
    ("switch", NotFound, "'nope'", lambda b: b.switch("nope")),
    ("drop", NotFound, "'nope'", lambda b: b.drop("nope")),
    ("drop main", InvalidInput, "main", lambda b: b.drop("main")),
    ("on", NotFound, "'nope'", lambda b: b.on("nope")),
    ("on in another case", NotFound, "'Side'", lambda b: b.on("Side")),
    ("withdraw nothing", InvalidInput, "at least one", lambda b: b.withdraw()),
    ("withdraw the founding", NotFound, "0", lambda b: b.withdraw(FOUNDED)),
    ("restore nothing", InvalidInput, "at least one", lambda b: b.restore()),
    ("restore what stands", Conflict, "2", lambda b: b.restore(HELLO)),
    ("restore the unknown", Conflict, "99", lambda b: b.restore(BEYOND)),
    ("expect", ExpectationFailed, "7", lambda b: b.turn("x", expect=SECOND)),
    ("why rapport", InvalidInput, "trust", lambda b: b.why_rapport("love")),
    ("request", RequestConflict, "'first'", lambda b: b.record("x", "y", request="first")),
]


@pytest.mark.parametrize(
    ("name", "error", "part", "act"), REFUSED, ids=[name for name, *_ in REFUSED]
)
def test_what_does_not_fit_is_refused(
    name: str, error: type[EnishiError], part: str, act: Act, lived: Path
) -> None:
    with unharmed(lived) as bond:
        refused(error, lambda: act(bond), part)


def test_the_current_branch_is_not_dropped(lived: Path, shell: Shell) -> None:
    with fixed_store(lived) as store:
        store.relationships()[0].switch("side")
    before = state_of(lived)
    with fixed_store(lived) as store:
        refused(Conflict, lambda: store.relationships()[0].drop("side"), "switch to another")
    assert "switch to another" in shell.refused("branch", "drop", "side", "--store", lived)
    assert state_of(lived) == before


def test_a_dropped_branch_has_no_name_any_more(lived: Path, shell: Shell) -> None:
    with fixed_store(lived) as store:
        assert store.relationships()[0].drop("side") == SIDE
    with unharmed(lived) as bond:
        refused(NotFound, lambda: bond.on("side"), "'side'")
        refused(NotFound, lambda: bond.drop("side"), "'side'")
    shell.refused("log", "--branch", "side", "--store", lived)


COMMANDS: list[tuple[str, int, str]] = [
    ("edit 99 x", 1, "99"),
    ("edit 1 x", 1, "1"),
    ("edit 99 --undo", 1, "99"),
    ("edit 2 --undo", 1, "2"),
    ("edit 99 x --continue", 1, "99"),
    ("edit 2.5 x", 2, "'number'"),
    ("edit -- -1 x", 1, "-1"),
    ("swipe 99", 1, "99"),
    ("swipe 1 2", 1, "1"),
    ("swipe 1 0", 1, "1"),
    ("swipe -- 1 -1", 1, "-1"),
    ("swipe 2 1", 1, "2"),
    ("withdraw 99", 1, "99"),
    ("withdraw 2 99", 1, "99"),
    ("withdraw -- -1", 1, "-1"),
    ("withdraw 0", 1, "0"),
    ("restore 2", 1, "2"),
    ("restore 99", 1, "99"),
    ("propose 99", 1, "99"),
    ("propose -- -1", 1, "-1"),
    ("why 99", 1, "99"),
    (f"why {HUGE}", 2, "cannot be explained"),
    ("why " + "1" * 5000, 2, "cannot be explained"),
    ("why ٣", 2, "cannot be explained"),
    ("why trust", 2, "rapport.trust"),
    ("why rapport.", 2, "rapport.trust"),
    ("why rapport.joy", 2, "'rapport.joy'"),
    ("log --branch nope", 1, "'nope'"),
    ("log --last -1", 2, "--last"),
    ("log --last x", 2, "--last"),
    ("log --agent nobody", 1, "'nobody'"),
    ("decisions --verdict maybe", 2, "'maybe'"),
    ("branch new side", 1, "'side'"),
    ("branch new main", 1, "'main'"),
    ("branch new x --after 99", 1, "99"),
    ("branch new x --after 2", 1, "2"),
    ("branch switch nope", 1, "'nope'"),
    ("branch drop nope", 1, "'nope'"),
    ("branch drop main", 1, "main"),
    ("branch diff main nope", 1, "'nope'"),
    ("branch back 99", 1, "99"),
    ("branch back 11", 1, "11"),
    ("branch back -- -5", 1, "-5"),
    ("verify --tip zz", 1, "'zz'"),
    ("verify --tip " + "0" * 63, 1, "64"),
    ("show --at 2026-01-01T00:00", 1, "2026-01-01"),
    ("show --at yesterday", 1, "'yesterday'"),
    ("erase --since 2026-01-01 --yes", 1, "+08:00"),
    ("erase --until yesterday --yes", 1, "'yesterday'"),
    ("erase --yes -- -1", 1, "-1"),
    ("show --as-lived 2026-13-01T00:00Z", 1, "'2026-13-01T00:00Z'"),
    ("show --at 0001-01-01T00:00+14:00", 1, "0001-01-01"),
    ("show --at 9999-12-31T23:59-12:00", 1, "9999-12-31"),
    ("show --policy nowhere.toml", 1, "nowhere.toml"),
]


@pytest.mark.parametrize(
    ("command", "status", "part"), COMMANDS, ids=[command[:40] for command, *_ in COMMANDS]
)
def test_a_command_that_does_not_fit_is_one_line(
    command: str, status: int, part: str, lived: Path, shell: Shell
) -> None:
    before = state_of(lived)
    first, *rest = command.split()
    assert part in shell.refused(first, *_with_store(lived, rest), status=status)
    assert state_of(lived) == before


def _with_store(store: Path, rest: list[str]) -> list[str]:
    """The options come before a `--`."""
    place = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:place], "--store", str(store), *rest[place:]]


# --- ids and texts

BAD_IDS = [
    "",
    "x" * 201,
    "a\nb",
    "a\0b",
    "\x1b[2J",
    "\x7f",
    "\x85",
    "a\u2028b",
    "\ud800",
    "a\udfff",
]

NAMING: list[tuple[str, Callable[[Relationship, str], object]]] = [
    ("agent", lambda bond, name: bond._store.relationship(name, "chen")),
    ("user", lambda bond, name: bond._store.relationship("lumi", name)),
    ("branch", lambda bond, name: bond.fork(name)),
    ("party", lambda bond, name: bond.rename(name, "Chen")),
    ("name", lambda bond, name: bond.rename("chen", name)),
    ("alias", lambda bond, name: bond.rename("chen", "Chen", ["C", name])),
    ("speaker", lambda bond, name: bond.turn(Message("x", role="other", speaker=name))),
    ("party", lambda bond, name: bond.turn("x", scene=Scene(b"0" * 16, ("lumi", name)))),
]


@pytest.mark.parametrize("name", BAD_IDS, ids=ascii)
def test_an_id_that_cannot_be_one_is_refused(name: str, lived: Path) -> None:
    with unharmed(lived) as bond:
        for what, act in NAMING:
            refused(InvalidInput, partial(act, bond, name), what)


@pytest.mark.parametrize("name", ["x" * 201, "a\nb", "a\0b", "\ud800"], ids=ascii)
def test_a_display_name_of_the_day_is_checked_like_any_other(name: str, lived: Path) -> None:
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: bond.turn(Message("x", name=name)), "name")
        refused(InvalidInput, lambda: bond.record("x", Reply("y", name=name)), "name")


@pytest.mark.parametrize("request_id", ["\ud800", "x" * 100_000 + "\udc00"])
def test_a_request_id_that_cannot_be_one_is_refused(request_id: str, lived: Path) -> None:
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: bond.turn("x", request=request_id))
        refused(InvalidInput, lambda: bond.edit(HELLO, "x", request=request_id))


@pytest.mark.parametrize(
    "arguments",
    [
        ("branch", "new", "a\nb"),
        ("branch", "new", "x" * 201),
        ("branch", "new", ""),
        ("branch", "new", "\udcff"),
        ("edit", "2", "half \udcff"),
        ("log", "--agent", "\udcff"),
    ],
    ids=ascii,
)
def test_a_name_on_the_command_line_is_checked(
    arguments: tuple[str, ...], lived: Path, shell: Shell
) -> None:
    before = state_of(lived)
    shell.refused(*arguments, "--store", lived)
    assert state_of(lived) == before


BAD_TEXTS = [
    ("a\0b", "NUL at character 1"),
    ("ab\ud83d", "at character 2"),
    ("x" * MIB + "y", "1048577 bytes"),
    ("龍" * (MIB // 3 + 1), "1048578 bytes"),
]

SAYING: list[tuple[str, Callable[[Relationship, str], object]]] = [
    ("turn", lambda bond, text: bond.turn(text)),
    ("turn of several", lambda bond, text: bond.turn(["fine", text])),
    ("record", lambda bond, text: bond.record("fine", text)),
    ("record of a question", lambda bond, text: bond.record(text, "fine")),
    ("regenerate", lambda bond, text: bond.regenerate(FIRST, text)),
    ("edit", lambda bond, text: bond.edit(HELLO, text)),
    ("extend", lambda bond, text: bond.extend(HI, text)),
]


@pytest.mark.parametrize(("text", "part"), BAD_TEXTS, ids=[part for _, part in BAD_TEXTS])
def test_a_text_that_cannot_be_kept_is_refused_live(text: str, part: str, lived: Path) -> None:
    with unharmed(lived) as bond:
        for name, act in SAYING:
            said = "" if name == "extend" else part  # counted from the text's own beginning
            refused(InvalidInput, partial(act, bond, text), said)


def test_a_text_in_an_open_turn_is_checked_as_well(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        with bond.turn("Go on.") as turn:
            before = state_of(lived)
            for text, part in BAD_TEXTS:
                refused(InvalidInput, partial(turn.say, text), part)
                refused(InvalidInput, partial(turn.reply, text), part)
            assert state_of(lived) == before
            turn.reply("Fine.")
        assert bond.get_turn(turn.number).view().status == "completed"


@pytest.mark.parametrize("value", [5, None, b"bytes", {"a": 1}, object()], ids=ascii)
def test_what_is_no_text_at_all_is_refused(value: Any, lived: Path) -> None:
    kind = type(value).__name__
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        with bond.turn("Go on.") as turn:
            refused(InvalidInput, partial(turn.say, value), kind)
            refused(InvalidInput, partial(turn.say, ["two", "of them"]), "list")
            refused(InvalidInput, partial(turn.reply, value), kind)
    with unharmed(lived) as bond:
        refused(InvalidInput, partial(bond.turn, Message(value)), kind)
        refused(InvalidInput, partial(bond.turn, value), kind)
        refused(InvalidInput, partial(bond.turn, ["one", value]), kind)
        refused(InvalidInput, partial(bond.record, "x", value), kind)
        refused(InvalidInput, partial(bond.regenerate, FIRST, value), kind)
        refused(InvalidInput, partial(bond.edit, HELLO, value), kind)
        if value is not None:
            refused(InvalidInput, partial(bond.turn, "x", scene=value), kind)
        refused(InvalidInput, partial(bond.adopt_policy, value))
        with pytest.raises(EnishiError):
            bond.adopt_blueprint(value)


def test_one_alias_and_one_file_may_be_given_without_a_list(lived: Path) -> None:
    """A text is a sequence of texts, and none of its letters was meant."""
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        bond.rename("chen", "Chen", "Captain")
        assert bond._stream.payload(bond.records()[-1].number)["aliases"] == ["Captain"]
        write_chat(lived.with_name("one.jsonl"), [line("Lumi", "Hi.")])
        assert len(store.import_chats(str(lived.with_name("one.jsonl")))) == 1


def test_the_longest_text_is_kept_whole(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        text = "é" * (MIB // 2)
        assert bond.edit(HELLO, text).content == text
        refused(InvalidInput, lambda: bond.extend(HELLO, "!"), "1048577")


@pytest.mark.parametrize(
    "act",
    [
        lambda bond: bond.turn(Message("x", role=_any("nobody"))),
        lambda bond: bond.record("x", Reply("y", delivered=_any("perhaps"))),
        lambda bond: bond.turn(Message("x", hidden=_any("yes"))),
        lambda bond: bond.turn("x", scene=Scene(_any("no bytes"))),
    ],
    ids=["role", "delivered", "hidden", "scene"],
)
def test_a_value_outside_of_the_vocabulary_is_a_typed_refusal(act: Act, lived: Path) -> None:
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: act(bond))


STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
ALLOWED = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=200
)


@pytest.fixture(scope="module")
def roomy() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, fixed_store(Path(folder) / "own.db") as store:
        yield store


@settings(max_examples=60, deadline=None, database=None)
@example("\r\n\t\x1b\x7f\u2028\ufeff\ufffd", "é", "é")
@example("", "", "")
@given(STORABLE, STORABLE, STORABLE)
def test_any_storable_text_comes_back_exactly(
    roomy: Store, said: str, reply: str, wording: str
) -> None:
    bond = roomy.relationship("texts", "anybody")
    turn = bond.record(said, reply).view()
    (message,) = turn.messages
    assert (message.content, turn.replies[0].content) == (said, reply)
    assert bond.edit(message, wording).content == wording
    assert bond.extend(message, said).content == wording + said
    assert bond.text(message.number).content == said


@settings(max_examples=60, deadline=None, database=None)
@example(("a", "b"), ("b", "a"))
@example(("é", "x"), ("e\u0301", "x"))
@example(("A", "x"), ("a", "x"))
@example(("a ", "x"), ("a", " x"))
@example(("x" * 200, "y"), ("x" * 199, "y"))
@example(("龍" * 200, "%_"), ("龍" * 200, "%"))
@given(st.tuples(ALLOWED, ALLOWED), st.tuples(ALLOWED, ALLOWED))
def test_any_allowed_id_works_and_no_two_collide(
    roomy: Store, one: tuple[str, str], other: tuple[str, str]
) -> None:
    first, second = roomy.relationship(*one), roomy.relationship(*other)
    assert (first.agent, first.user) == one
    assert (second.agent, second.user) == other
    assert (first.id == second.id) == (one == other)
    assert roomy.relationship(*one).id == first.id


# --- times


@pytest.mark.parametrize(
    ("when", "part"),
    [
        (datetime(2026, 3, 1, 12), "2026-03-01T12:00:00"),
        (NOW + timedelta(minutes=5, microseconds=1), "five minutes ahead"),
        (datetime(9999, 1, 1, tzinfo=UTC), "9999-01-01"),
        (datetime(2026, 3, 1, 12, 6, tzinfo=timezone(timedelta(0))), "2026-03-01 12:06"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=14))), "0001-01-01"),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), "9999-12-31"),
    ],
    ids=["naive", "ahead", "far ahead", "six minutes", "before all", "after all"],
)
def test_a_time_that_cannot_be_is_refused_live(when: datetime, part: str, lived: Path) -> None:
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: bond.turn("x", at=when), part)
        refused(InvalidInput, lambda: bond.record("x", "y", at=when), part)
        refused(
            InvalidInput,
            lambda: bond.regenerate(FIRST, Reply("y", happened=Moment.of(when))),
            part,
        )


def test_a_reply_may_not_come_from_the_future_either(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        with bond.turn("When?") as turn:
            before = state_of(lived)
            late = NOW + timedelta(minutes=6)
            refused(InvalidInput, lambda: turn.reply("y", at=late), "2026-03-01 12:06:00")
            refused(InvalidInput, lambda: turn.reply("y", at=datetime(2026, 3, 1)), "no zone")
            assert state_of(lived) == before
            turn.reply("Now.", at=NOW + timedelta(minutes=5))


def test_five_minutes_ahead_are_within_what_clocks_differ(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        turn = bond.turn("x", at=NOW + timedelta(minutes=5))
        assert turn.view().happened == Moment.of(NOW + timedelta(minutes=5))


def test_a_naive_clock_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "own.db", clock=lambda: datetime(2026, 1, 1)) as store:
        refused(InvalidInput, lambda: store.relationship("a", "b"), "no zone")
        assert store.relationships() == []


# --- policies and blueprints

POLICY = (Path(__file__).parents[1] / "projections/policies/1.toml").read_text("utf-8")


def policy() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(POLICY)


def spoiled(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    numbers = policy()
    change(numbers)
    return numbers


BAD_POLICIES = [
    ({}, "name"),
    (spoiled(lambda p: p.pop("rapport")), "rapport"),
    (spoiled(lambda p: p["rapport"].pop("day")), "rapport.day"),
    (spoiled(lambda p: p["rapport"]["start"].pop("trust")), "trust"),
    (spoiled(lambda p: p["rapport"]["signals"].pop("repair")), "repair"),
    (spoiled(lambda p: p["rapport"]["strength"].pop("weak")), "weak"),
    (spoiled(lambda p: p["rapport"]["start"].update(trust=10_001)), "rapport.start.trust"),
    (spoiled(lambda p: p["rapport"]["start"].update(trust=-1)), "rapport.start.trust"),
    (spoiled(lambda p: p["rapport"]["start"].update(trust=0.5)), "rapport.start.trust"),
    (spoiled(lambda p: p["rapport"]["start"].update(joy=1)), "joy"),
    (spoiled(lambda p: p["rapport"]["signals"].update(joy={})), "joy"),
    (spoiled(lambda p: p.update(extra=1)), "extra"),
    (spoiled(lambda p: p.update(name="a\nb")), "policy"),
]


@pytest.mark.parametrize(("numbers", "part"), BAD_POLICIES, ids=[p for _, p in BAD_POLICIES])
def test_a_policy_that_does_not_fit_is_refused(
    numbers: dict[str, Any], part: str, lived: Path
) -> None:
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: bond.adopt_policy(numbers), part)
        if part != "policy":  # only a name that is kept must be fit to be kept
            refused(InvalidInput, lambda: bond.rapport(policy=numbers), part)


def test_an_unknown_policy_is_refused_with_the_known_ones(lived: Path) -> None:
    with unharmed(lived) as bond:
        for name in ("nope", "", "../1", "1.toml"):
            refused(InvalidInput, partial(bond.adopt_policy, name), repr(name), "are: 1")
            refused(InvalidInput, partial(bond.rapport, policy=name), repr(name))


def test_a_new_relationship_with_a_bad_policy_can_be_tried_again(lived: Path) -> None:
    with fixed_store(lived, seed=3) as store:
        refused(InvalidInput, lambda: store.relationship("sol", "ann", policy="nope"), "'nope'")
        assert store.relationship("sol", "ann", policy="1").rapport()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (POLICY.replace("trust = ", "trusty = ", 1), "trusty"),
        (POLICY.replace("name = ", "nom = ", 1), "name"),
        ("not [ toml", "no TOML file"),
        ("", "name"),
        ("a = " + "[" * 30_000, "no TOML file"),
        ("a = 'half \udcff'", "no TOML file"),
    ],
    ids=["wrong field", "missing field", "no TOML", "empty", "too deep", "no UTF-8"],
)
def test_a_policy_file_that_does_not_fit_is_one_line(
    text: str, part: str, lived: Path, shell: Shell
) -> None:
    file = lived.with_name("policy.toml")
    file.write_text(text, "utf-8", errors="surrogateescape")
    before = state_of(lived)
    assert part in shell.refused("show", "--policy", file, "--store", lived)
    assert state_of(lived) == before


def card(bend: object = None, **fields: object) -> dict[str, Any]:
    own: dict[str, Any] = {"name": "Lumi", "description": "", "first_mes": "Hello."} | fields
    own |= {} if bend is None else {"extensions": {"enishi": {"bend": bend}}}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": own}


@pytest.mark.parametrize(
    ("bend", "part"),
    [
        ({"trust": 1.5001}, "trust"),
        ({"trust": 0.4999}, "trust"),
        ({"trust": -1}, "trust"),
        ({"trust": "1.0"}, "trust"),
        ({"trust": True}, "trust"),
        ({"joy": 1.0}, "joy"),
        ([1.0], "bend"),
    ],
    ids=str,
)
def test_a_card_bends_within_half_and_one_and_a_half(
    bend: object, part: str, lived: Path, shell: Shell
) -> None:
    file = lived.with_name("card.json")
    file.write_text(json.dumps(card(bend)))
    with unharmed(lived) as bond:
        refused(InvalidInput, lambda: bond.adopt_blueprint(card(bend)), part)
    before = state_of(lived)
    arguments = ("import", file, "--agent", "lumi", "--user", "chen", "--store", lived)
    assert part in shell.refused(*arguments)
    assert state_of(lived) == before


def test_the_widest_bends_are_taken(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        bond.adopt_blueprint(card({"trust": 1.5, "safety": 0.5, "intimacy": 1}))
        assert bond.blueprint() == card({"trust": 1.5, "safety": 0.5, "intimacy": 1})


# --- proposers


class Proposing:
    """A proposer that gives what it was given; an exception is raised."""

    name = "model"
    version = "1"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def propose(self, texts: list[ReadText]) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def signal(text: int, **citation: Any) -> Signal:
    return Signal(signal="gratitude", actor="user", citations=(Citation(text=text, **citation),))


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (ValueError("no\nanswer"), "ValueError"),
        (TimeoutError("too late"), "TimeoutError"),
        (RecursionError(), "RecursionError"),
        (None, "NoneType"),
        (5, "int"),
        ("thank you", "str"),
        ([{"signal": "gratitude"}], "dict"),
        ({"signal": "gratitude"}, "str"),
        ([signal(HELLO, quote="Hello"), None], "NoneType"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_proposer_that_fails_freezes_nothing(answer: Any, part: str, lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        digests = bond.digests()
        for turn in (FIRST, None):
            proposer = Proposing(answer)
            refused(ProposerFailed, partial(bond.propose, turn, proposer), "'model'", part)
        # That it failed, and why, is all that was recorded.
        assert [one.type for one in bond.records()][-2:] == ["BatchFailed", "BatchFailed"]
        assert part in bond.why(bond.summary().events - 1).payload["reason"]
        assert bond.digests() == digests
        (decided,) = bond.propose(FIRST, Proposing([signal(HELLO, quote="Hello")]))
        assert decided.verdict == "accepted"


def test_an_interrupted_proposer_stops_the_caller_and_freezes_nothing(lived: Path) -> None:
    with unharmed(lived) as bond, pytest.raises(KeyboardInterrupt):
        bond.propose(FIRST, Proposing(KeyboardInterrupt()))


def test_a_proposal_about_nothing_is_an_answer_and_no_error(lived: Path) -> None:
    wrong = [
        signal(BEYOND, quote="Hello"),
        signal(HELLO, quote="Goodbye"),
        signal(HELLO, start=4, end=2),
        signal(HELLO, start=0, end=10_000),
        signal(FIRST, quote="Hello"),
        signal(HELLO),
    ]
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
        decided = bond.propose(FIRST, Proposing(wrong))
        assert [one.verdict for one in decided] == ["rejected"] * len(wrong)
        assert {one.reason for one in decided} == {"text_unknown", "quote_not_found"}
        assert bond.verify().problems == ()


def test_a_number_that_no_record_can_hold_is_refused_where_it_is_made() -> None:
    for wrong in ({"text": HUGE, "quote": "x"}, {"text": HELLO, "start": 0, "end": HUGE}):
        with pytest.raises(ValidationError):
            Citation(**wrong)


def test_a_proposer_without_a_usable_name_is_refused(lived: Path) -> None:
    nameless = Proposing([])
    nameless.name = "half \ud800"
    with unharmed(lived) as bond, pytest.raises(EnishiError):
        bond.propose(FIRST, nameless)


@pytest.mark.parametrize("own", [[1], ["gratitude"], [None], 5], ids=str)
def test_proposals_of_the_host_that_are_none_are_refused(own: Any, lived: Path) -> None:
    with unharmed(lived) as bond, pytest.raises(EnishiError):
        bond.propose(FIRST, own)


# --- files that are no chats and no cards


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(*chunks: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + b"".join(chunks) + chunk(b"IEND", b"")


def png_card(fields: dict[str, Any]) -> bytes:
    return png(chunk(b"tEXt", b"chara\0" + base64.b64encode(json.dumps(fields).encode())))


WHOLE = png_card(card())
BOMB = png(chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"A" * (30 * MIB), 9)))

FILES: list[tuple[str, bytes, str]] = [
    ("empty.jsonl", b"", "an empty file"),
    ("prose.txt", b"Once upon a time.", "plain text"),
    ("other.json", b'{"a": [1, 2]}', "JSON of another kind"),
    ("rows.jsonl", b'{"mes": "enero"}\n{"mes": "febrero"}\n', "rows.jsonl"),
    ("deep.json", b"[" * 100_000, "deep.json"),
    ("binary.jsonl", bytes(range(256)) * 20, "binary data"),
    ("photo.jpg", b"\xff\xd8\xff\xe0" + b"\0" * 64, "a JPEG image"),
    ("wide.jsonl", "\ufeff{}".encode("utf-16-le"), "UTF-16"),
    ("zip.jsonl", b"PK\x03\x04....", "a ZIP archive"),
    ("plain.png", png(), "without a character card"),
    ("cut.png", WHOLE[:-20], "truncated"),
    ("head.png", WHOLE[:20], "truncated"),
    ("signature.png", WHOLE[:8], "truncated"),
    ("fake.png", b"not at all", "fake.png"),
    ("bomb.png", BOMB, "too large"),
    ("wide.png", png_card(card(scenario="x" * (4 * MIB + 1))), "above 4 MiB"),
    ("wide.json", json.dumps(card(scenario="é" * (2 * MIB + 1))).encode(), "above 4 MiB"),
    ("huge.json", json.dumps(card(parts=["x" * MIB] * 17)).encode(), "at most 16 MiB"),
    ("deep card.json", json.dumps(card()).encode()[:-1] + b',"x":' + b"[" * 9**5, "too deeply"),
    ("nan card.json", json.dumps(card(x=float("nan"))).encode(), "a number that JSON cannot have"),
    ("half card.json", json.dumps(card()).encode()[:-9], "is not JSON"),
    ("world.json", b'{"entries": {"0": {"key": ["a"], "keysecondary": []}}}', "a world book"),
    ("nobody.json", json.dumps(card(name="")).encode(), "names no character"),
]


@pytest.mark.parametrize(("name", "data", "part"), FILES, ids=[name for name, *_ in FILES])
def test_a_file_that_is_nothing_is_refused_and_makes_no_store(
    name: str, data: bytes, part: str, lived: Path, shell: Shell
) -> None:
    file = lived.with_name(name)
    file.write_bytes(data)
    fresh = lived.with_name("fresh.db")
    good = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    before = state_of(lived)
    for store in (lived, fresh):
        message = shell.refused("import", good, file, "--user", "Chen", "--store", store)
        assert name in message and part in message
    assert state_of(lived) == before
    assert not fresh.exists()


def test_nothing_is_taken_in_beside_what_cannot_be(lived: Path, shell: Shell) -> None:
    """Whatever else is named with it, and whatever the store has already."""
    other, pack = lived.with_name("other.db"), lived.with_name("lumi.erii")
    chat = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    shell.ok("import", chat, "--agent", "nova", "--store", other)
    shell.ok("export", pack, "--store", other)
    broken, nobodys = lived.with_name("broken.jsonl"), lived.with_name("nova.json")
    broken.write_bytes(b"no chat")
    nobodys.write_text(json.dumps(card(name="Stranger")))
    before = state_of(lived)
    assert "broken.jsonl" in shell.refused("import", pack, chat, broken, "--store", lived)
    assert "'Stranger'" in shell.refused("import", chat, nobodys, "--store", lived, status=2)
    assert "agent" in shell.refused("import", pack, "--agent", "", "--store", lived)
    assert state_of(lived) == before


def test_what_is_to_say_about_a_card_is_said(lived: Path, shell: Shell) -> None:
    file = lived.with_name("odd.json")
    odd = card(name="Lu\0mi\n" + "x" * 300, first_mes="half \ud83d")
    file.write_text(json.dumps(odd | {"spec": "chara_card_v3", "spec_version": "4.5"}))
    told = shell.ok("import", file, "--user", "chen", "--store", lived)
    (adopted,) = shell.json("import", file, "--user", "chen", "--store", lived)["cards"]
    assert len(adopted["notes"]) == 2 and "version 4.5" in told and "U+FFFD" in told
    assert all(note in told for note in adopted["notes"])
    assert len(adopted["agent"]) == 200 and adopted["agent"].startswith("Lu\ufffdmi\ufffd")


@pytest.mark.parametrize(("name", "data", "part"), FILES, ids=[name for name, *_ in FILES])
def test_a_program_gets_a_typed_error_for_such_a_file(
    name: str, data: bytes, part: str, lived: Path
) -> None:
    file = lived.with_name(name)
    file.write_bytes(data)
    good = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    with unharmed(lived) as bond:
        refused(UnreadableFile, lambda: bond._store.import_chats([good, file]), name)


def test_a_file_that_cannot_be_read_is_named(lived: Path, shell: Shell) -> None:
    for path in (Path("nowhere.jsonl"), lived.parent):
        with unharmed(lived) as bond:
            refused(UnreadableFile, partial(bond._store.import_chats, [path]), path)
        assert str(path) in shell.refused("import", path, "--store", "fresh.db")
    assert not Path("fresh.db").exists()


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (("--zone", "Mars/Olympus"), "'Mars/Olympus'"),
        (("--zone", ""), "''"),
        (("--zone", "../../etc/passwd"), "no time zone"),
        (("--agent", "x" * 201), "the agent"),
        (("--user", "a\nb"), "the user"),
    ],
    ids=ascii,
)
def test_an_option_that_does_not_fit_takes_nothing_in(
    more: tuple[str, str], part: str, lived: Path, shell: Shell
) -> None:
    chat = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    before = state_of(lived)
    for store in (lived, lived.with_name("fresh.db")):
        assert part in shell.refused("import", chat, *more, "--store", store)
    assert state_of(lived) == before
    assert not lived.with_name("fresh.db").exists()


@settings(max_examples=40, deadline=None, database=None)
@example(b'{"name": "A", "mes": "x"}\n\xff\x00')
@example(b'{"user_name": "a", "character_name": "b"}\n')
@given(
    st.binary(max_size=80)
    | st.binary(max_size=40).map(lambda b: b'{"name":"A","is_user":false,"mes":"x"}\n' + b)
    | st.binary(max_size=40).map(lambda b: WHOLE[:100] + b)
)
def test_whatever_the_file_holds_it_is_taken_in_whole_or_not_at_all(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, fixed_store(Path(folder) / "own.db") as store:
        file = Path(folder) / "any.jsonl"
        file.write_bytes(data)
        try:
            store.import_chats([file], propose=False)
        except UnreadableFile as error:
            assert "any.jsonl" in str(error)
            assert store.relationships() == []
        for bond in store.relationships():
            assert bond.verify().problems == ()


# --- chats with lines that cannot be kept as they are


def taken_in(shell: Shell, folder: Path, *lines: object) -> tuple[list[Any], dict[str, Any], str]:
    """The turns that came of a chat, the report for machines, and what a person is told."""
    chat = write_chat(folder / "odd.jsonl", lines)
    found = shell.json("import", chat, "--no-propose", "--store", folder / "one.db")
    told = shell.ok("import", chat, "--no-propose", "--store", folder / "two.db")
    (report,) = found["chats"]
    for note in report["notes"]:
        assert note["message"] in told
    turns = shell.json("log", "--last", 0, "--store", folder / "one.db")
    assert shell.json("verify", "--store", folder / "one.db")[0]["ok"]
    return turns, report, told


def test_nul_and_halves_of_characters_are_replaced_and_reported(
    shell: Shell, tmp_path: Path
) -> None:
    turns, report, told = taken_in(
        shell,
        tmp_path,
        line("a\0b", "Chen"),
        line("half \ud83d"),
        line("whole \U0001f98a", "Chen"),
        b'{"name": "Lumi", "is_user": false, "mes": "bytes \xff"}',
    )
    said = [text["content"] for turn in turns for text in turn["messages"] + turn["replies"]]
    assert said == ["a\ufffdb", "half \ufffd", "whole \U0001f98a", "bytes \ufffd"]
    assert [note["position"] for note in report["notes"]] == [2, 3, 5]
    assert "line 2: " in told and "line 3: " in told and "line 5: " in told


def test_a_message_above_a_mebibyte_is_passed_over_and_reported(
    shell: Shell, tmp_path: Path
) -> None:
    turns, report, told = taken_in(
        shell, tmp_path, line("Hello.", "Chen"), line("x" * (MIB + 1)), line("y" * MIB)
    )
    said = [text["content"] for turn in turns for text in turn["messages"] + turn["replies"]]
    assert said == ["Hello.", "y" * MIB]
    assert [note["position"] for note in report["notes"]] == [3]
    assert "1 MiB" in told


def test_a_time_in_the_future_is_unknown_and_reported(shell: Shell, tmp_path: Path) -> None:
    turns, report, told = taken_in(
        shell,
        tmp_path,
        line("Hello.", "Chen", at="2026-01-01T10:00:00.000Z"),
        line("Hi.", at="2999-01-01T10:00:00.000Z"),
        line("When?", "Chen", at="2998-01-01T10:00:00.000Z"),
    )
    assert turns[0]["happened"]["at"].startswith("2026-01-01T10:00")
    assert turns[0]["replies"][0]["happened"] is None
    assert turns[1]["messages"][0]["happened"] is None
    assert "line 3: Times that lie in the future and count as unknown: 2" in told
    assert "2999" not in shell.ok("log", "--store", tmp_path / "one.db")
    assert len(report["notes"]) == 1


def test_a_date_that_is_none_is_unknown_and_reported(shell: Shell, tmp_path: Path) -> None:
    odd = ["yesterday", "2026-02-30", 10**30, -(10**15), True, "0001-01-01T00:00:00+14:00"]
    lines = [line(f"{date}", "Chen", at=date) for date in odd]  # type: ignore[arg-type]
    turns, _, told = taken_in(shell, tmp_path, *lines)
    assert [m["happened"] for turn in turns for m in turn["messages"]] == [None] * len(odd)
    assert f"count as unknown: {len(odd)}" in told
    shell.ok("log", "--store", tmp_path / "one.db")


# --- the store itself


def sqlite_file(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def no_sqlite(folder: Path) -> Path:
    path = folder / "store.db"
    path.write_text("This is my diary, and no database.")
    return path


def another_programs(folder: Path) -> Path:
    return sqlite_file(folder / "store.db", "CREATE TABLE song(name TEXT)")


def another_kind(folder: Path) -> Path:
    return sqlite_file(folder / "store.db", "PRAGMA application_id=77")


def newer(folder: Path) -> Path:
    shutil.copy(folder / "lived.db", folder / "store.db")
    return sqlite_file(folder / "store.db", "PRAGMA journal_mode=DELETE", "PRAGMA user_version=2")


def header_only(folder: Path) -> Path:
    path = folder / "store.db"
    path.write_bytes(b"SQLite format 3\0")
    return path


def garbled(folder: Path) -> Path:
    path = folder / "store.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    return path


STORES: list[tuple[Callable[[Path], Path], type[EnishiError], str]] = [
    (no_sqlite, NotAStore, "no SQLite file"),
    (another_programs, NotAStore, "another program"),
    (another_kind, NotAStore, "another program"),
    (newer, StoreTooNew, "version 2"),
    (header_only, NotAStore, "no Enishi store"),
    (garbled, NotAStore, "no Enishi store"),
]


@pytest.mark.parametrize(("make", "error", "part"), STORES, ids=[m.__name__ for m, *_ in STORES])
def test_a_file_that_is_no_store_of_ours_is_left_alone(
    make: Callable[[Path], Path],
    error: type[EnishiError],
    part: str,
    lived: Path,
    shell: Shell,
) -> None:
    store = make(lived.parent)
    before = store.read_bytes()
    chat = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    ways: list[dict[str, Any]] = [{}, {"read_only": True}, {"create": False}]
    for options in ways:
        refused(error, partial(open_store, store, **options), store, part)
        assert store.read_bytes() == before
    for command in (("list",), ("log",), ("edit", 2, "x"), ("import", chat), ("verify",)):
        message = shell.refused(*command, "--store", store)
        assert str(store) in message and part in message
    assert store.read_bytes() == before
    assert sorted(lived.parent.glob("store.db*")) == [store]


def test_an_empty_file_is_no_store_until_something_is_taken_in(lived: Path, shell: Shell) -> None:
    empty = lived.with_name("empty.db")
    empty.touch()
    refused(NotAStore, lambda: open_store(empty, read_only=True), empty)
    for command in ("list", "log", "verify", "doctor"):
        shell.refused(command, "--store", empty)
    assert empty.read_bytes() == b""
    chat = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    shell.ok("import", chat, "--store", empty)


@pytest.mark.parametrize("value", ["OFF", "normal", "", None, 1])
def test_a_durability_that_is_none_is_refused(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    refused(InvalidInput, lambda: open_store(path, synchronous=value), "FULL or NORMAL")
    assert not path.exists()


def test_a_folder_is_no_store(lived: Path, shell: Shell) -> None:
    refused(NotAStore, lambda: open_store(lived.parent), lived.parent, "folder")
    assert str(lived.parent) in shell.refused("list", "--store", lived.parent)


def test_a_store_that_is_not_there_is_not_made_by_looking(lived: Path, shell: Shell) -> None:
    missing = lived.with_name("missing.db")
    for command in (("list",), ("log",), ("why", 2), ("edit", 2, "x"), ("verify",), ("doctor",)):
        message = shell.refused(*command, "--store", missing)
        assert "missing.db does not exist" in message
    refused(StoreFailure, lambda: open_store(missing, create=False), missing)
    refused(StoreFailure, lambda: open_store(missing, read_only=True), missing)
    assert not missing.exists()


def test_a_store_in_a_folder_that_is_not_there_is_refused(lived: Path, shell: Shell) -> None:
    place = lived.with_name("nowhere") / "store.db"
    refused(StoreFailure, lambda: open_store(place), place)
    chat = write_chat(lived.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    assert str(place) in shell.refused("import", chat, "--store", place)
    assert not place.parent.exists()


def test_an_empty_store_says_how_to_start(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "new.db"
    fixed_store(path).close()
    assert "enishi import CHAT" in shell.refused("log", "--store", path)


WRITING: list[tuple[str, Act]] = [
    ("turn", lambda bond: bond.turn("x")),
    ("edit", lambda bond: bond.edit(HELLO, "x")),
    ("fork", lambda bond: bond.fork("new")),
    ("withdraw", lambda bond: bond.withdraw(HELLO)),
    ("rename", lambda bond: bond.rename("chen", "Chen")),
    ("adopt_policy", lambda bond: bond.adopt_policy(spoiled(lambda p: p.update(name="other")))),
    ("adopt_blueprint", lambda bond: bond.adopt_blueprint(card())),
    ("propose", lambda bond: bond.propose(None, Proposing([]))),
    ("rebuild", lambda bond: bond.rebuild()),
    ("relationship", lambda bond: bond._store.relationship("new", "chen")),
]


def test_a_store_that_is_only_read_answers_and_is_never_written(lived: Path) -> None:
    before, bytes_before = state_of(lived), lived.read_bytes()
    with open_store(lived, read_only=True) as store:
        bond = store.relationship("lumi", "chen")
        for name, act in WRITING:
            refused(StoreReadOnly, partial(act, bond), lived)
            assert len(bond.turns()) == 3, name
        assert bond.rapport() and bond.digests() == bond.replay()
        assert bond.verify().ok and store.inspect().problems == ()
        assert bond.why(HELLO).text is not None
    assert state_of(lived) == before
    assert lived.read_bytes() == bytes_before


def test_a_file_without_write_bits_is_only_read(lived: Path, shell: Shell) -> None:
    lived.chmod(0o444)
    if os.access(lived, os.W_OK):
        pytest.skip("this user may write whatever the bits say (root)")
    _only_read(lived, shell)


def test_a_file_that_the_system_calls_read_only_is_only_read(
    lived: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("enishi.kernel.log.os.access", lambda path, mode: mode != os.W_OK)
    _only_read(lived, shell)


def _only_read(store: Path, shell: Shell) -> None:
    before = state_of(store)
    chat = write_chat(store.with_name("good.jsonl"), [line("Hello.", "Chen"), line("Hi.")])
    for command in (("edit", 2, "x"), ("withdraw", 2), ("import", chat), ("rebuild",)):
        message = shell.refused(*command, "--store", store)
        assert str(store) in message and "read-only" in message
    for looking in (("list",), ("log",), ("show",), ("why", 2), ("verify",), ("doctor",)):
        shell.ok(*looking, "--store", store)
    assert state_of(store) == before


# --- a full disk


def fill(store: Store, pages: int = 0) -> None:
    """Leave the file no room to grow, but for some pages."""
    connection = store._log.connection
    (now,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={now + pages}")


def empty_again(store: Store) -> None:
    store._log.connection.execute("PRAGMA max_page_count=1000000")


LONG = "word " * 40_000


def test_a_turn_that_finds_the_disk_full_leaves_nothing(lived: Path) -> None:
    before = state_of(lived)
    with fixed_store(lived, seed=1) as store:
        (bond,) = store.relationships()
        said = bond.turns()
        fill(store)
        for _ in range(3):
            refused(StoreFull, lambda: bond.record(LONG, "y", request="again"), lived)
            refused(StoreFull, lambda: bond.edit(HELLO, LONG), lived)
            refused(StoreFull, lambda: bond.turn(["x", LONG]), lived)
        assert bond.turns() == said
        assert state_of(lived) == before
        empty_again(store)
        turn = bond.record(LONG, "y", request="again")
        assert bond.record(LONG, "y", request="again").number == turn.number
        assert bond.verify().problems == ()


def test_a_reply_that_finds_the_disk_full_can_be_given_again(lived: Path) -> None:
    with fixed_store(lived, seed=1) as store:
        (bond,) = store.relationships()
        with bond.turn("How long?") as turn:
            before = state_of(lived)
            fill(store)
            refused(StoreFull, lambda: turn.reply(LONG), lived)
            assert state_of(lived) == before
            assert turn.view().status == "open"
            empty_again(store)
            turn.reply(LONG)
        assert turn.view().status == "completed"
        assert bond.verify().problems == ()


def long_chat(folder: Path) -> Path:
    """A chat of one agent and user of its own, larger than the room that is left."""
    lines = [line(f"{n} {LONG[: 2000 + n]}", "Chen" if n % 2 else "Lumi") for n in range(300)]
    return write_chat(folder / "long.jsonl", lines)


@pytest.mark.parametrize("pages", [0, 3, 40])
def test_an_import_that_finds_the_disk_full_leaves_nothing(pages: int, lived: Path) -> None:
    chat, before = long_chat(lived.parent), state_of(lived)
    with fixed_store(lived, seed=1) as store:
        fill(store, pages)
        refused(StoreFull, lambda: store.import_chats([chat]), lived)
        assert state_of(lived) == before
        assert len(store.relationships()) == 1
        empty_again(store)
        (report,) = store.import_chats([chat])
        assert report.turns == 151
        for bond in store.relationships():
            assert bond.verify().problems == ()


def test_an_import_into_a_known_relationship_leaves_nothing_either(lived: Path) -> None:
    chat, before = long_chat(lived.parent), state_of(lived)
    with fixed_store(lived, seed=1) as store:
        (bond,) = store.relationships()
        assert len(bond.turns()) == 3
        fill(store, 20)
        take_in = partial(store.import_chats, [chat], agent="lumi", user="chen")
        refused(StoreFull, take_in, lived)
        assert state_of(lived) == before
        assert len(bond.turns()) == 3
        empty_again(store)
        take_in()
        assert len(bond.turns()) == 154
        assert bond.verify().problems == ()


def test_a_command_that_finds_the_disk_full_is_one_line(
    lived: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = Log._prepare

    def prepare_full(log: Log, connection: sqlite3.Connection) -> None:
        prepare(log, connection)
        (now,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={now}")

    chat, before = long_chat(lived.parent), state_of(lived)
    with monkeypatch.context() as patch:
        patch.setattr(Log, "_prepare", prepare_full)
        for command in (("import", chat), ("edit", 2, LONG), ("edit", 2, LONG, "--continue")):
            message = shell.refused(*command, "--store", lived)
            assert str(lived) in message and "no room left" in message
    assert state_of(lived) == before
    shell.ok("edit", 2, LONG, "--store", lived)
    assert shell.json("verify", "--store", lived)[0]["ok"]


# --- what is undone together


class _Enough(Exception):
    pass


def test_what_a_transaction_gave_up_is_gone_from_memory_as_well(lived: Path) -> None:
    with unharmed(lived) as bond, pytest.raises(_Enough), bond._store.transaction():
        bond.record("Phantom.", "Phantom.")
        bond.edit(HELLO, "Phantom.")
        raise _Enough


def test_a_founding_that_was_given_up_does_not_live_on_in_another(lived: Path) -> None:
    with fixed_store(lived, seed=1) as store:
        with pytest.raises(_Enough), store.transaction():
            store.relationship("ghost", "nobody").record("Boo.", "Boo.")
            raise _Enough
        bond = store.relationship("sol", "ann")
        assert (bond.agent, bond.user) == ("sol", "ann")
        bond.record("Hello.", "Hi.")
        assert bond.verify().problems == ()
        assert [one.agent for one in store.relationships()] == ["lumi", "sol"]


def test_a_closed_store_says_so(lived: Path) -> None:
    with fixed_store(lived) as store:
        (bond,) = store.relationships()
    refused(StoreFailure, bond.turns, lived)
    refused(StoreFailure, lambda: bond.record("x", "y"), lived)
    store.close()
