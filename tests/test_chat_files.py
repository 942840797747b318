"""Chats that go out as files: what stands comes back as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi.host import Relationship, Store
from enishi.kernel.errors import InvalidInput, StoreFailure
from enishi.kernel.recording import Message, Reply

START = datetime(2026, 1, 1, 9, tzinfo=UTC)


def shown(bond: Relationship) -> list[Any]:
    """What stands on a branch: who, the words and when; of a reply all variants."""
    return [
        (text.role, text.content, text.hidden, text.happened and text.happened.at, text.chosen)
        for turn in bond.turns()
        for text in (*turn.messages, *turn.replies)
    ]


def test_a_chat_comes_back_with_swipes_edits_and_third_parties(
    store: Store, tmp_path: Path
) -> None:
    bond = store.relationship("Lumi", "Chen")
    first = bond.record("Helo!", "Hello.", at=START)
    bond.edit(first.view().messages[0], "Hello! 你好 \u2028")
    bond.regenerate(first, "Hi there.")
    bond.swipe(first, 1)
    passer_by = Message("A storm is coming.", role="other", speaker="Radio", name="Radio")
    bond.record([passer_by, Message("Did you hear?", hidden=True)], Reply("I did."), at=START)
    with bond.turn("Still there?", at=START + timedelta(minutes=1)) as turn:
        turn.reply("Always.")
    bond.turn("And now?")
    assert bond.export_chat(tmp_path / "Lumi.jsonl") == 9
    assert not list(tmp_path.glob("*.part"))
    with fixed_store(tmp_path / "other.db") as other:
        (report,) = other.import_chats([tmp_path / "Lumi.jsonl"], propose=False)
        assert report.notes == []
        (back,) = other.relationships()
        assert (back.agent, back.user) == ("Lumi", "Chen")
        assert shown(back) == shown(bond)


def test_plain_lines_have_every_text_of_the_branch(store: Store, tmp_path: Path) -> None:
    bond = store.relationship("lumi", "chen")
    turn = bond.record("One", "Two", at=START)
    bond.regenerate(turn, "Zwei")
    bond.fork("other").record("Three", "Four", at=START)
    path = tmp_path / "chat.jsonl"
    assert bond.export_chat(path, "jsonl") == 4
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert head == {"agent": "lumi", "user": "chen", "branch": "main"}
    assert [(one["content"], one["chosen"]) for one in lines] == [
        ("One", True),
        ("Two", False),
        ("Zwei", True),
    ]
    assert lines[0]["happened"] == "2026-01-01T09:00:00+00:00"
    assert bond.on("other").export_chat(tmp_path / "other.jsonl", "jsonl") == 6
    with pytest.raises(InvalidInput, match="exists and is no such file; choose another name"):
        bond.export_chat(path)


def test_what_was_erased_is_not_there(store: Store, tmp_path: Path) -> None:
    bond = store.relationship("lumi", "chen")
    turn = bond.record("A secret", "Kept")
    with bond._stream.writing():
        bond._stream.destroy([turn.view().messages[0].number])
    for format in ("sillytavern", "jsonl"):
        bond.export_chat(tmp_path / format, format)  # type: ignore[arg-type]
        assert "secret" not in (tmp_path / format).read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_and_an_unknown_format_are_refused(
    store: Store, tmp_path: Path
) -> None:
    bond = store.relationship("lumi", "chen")
    with pytest.raises(StoreFailure, match="cannot be written"):
        bond.export_chat(tmp_path / "nowhere" / "chat.jsonl")
    with pytest.raises(InvalidInput, match="there are: sillytavern, jsonl"):
        bond.export_chat(tmp_path / "chat", "memoir")  # type: ignore[arg-type]


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3), st.integers(0, 2))),
    st.integers(-14 * 60, 14 * 60),
)
def test_any_words_come_back_at_the_offset_of_their_day(
    tmp_path_factory: pytest.TempPathFactory, talk: list[tuple[str, list[str], int]], offset: int
) -> None:
    folder, zone = tmp_path_factory.mktemp("chat"), timezone(timedelta(minutes=offset))
    with fixed_store(folder / "a.db") as store, fixed_store(folder / "b.db") as other:
        bond = store.relationship("Lumi", "Chen")
        for said, replies, chosen in talk:
            turn = bond.record(said, replies[0], at=START.astimezone(zone))
            for reply in replies[1:]:
                bond.regenerate(turn, reply)
            bond.swipe(turn, chosen % len(replies) + 1)
        bond.export_chat(folder / "chat.jsonl")
        (report,) = other.import_chats([folder / "chat.jsonl"], propose=False)
        assert report.lines == 2 * len(talk)
        back = other.relationship("Lumi", "Chen")
        assert [one[:3] + one[4:] for one in shown(back)] == [
            one[:3] + one[4:] for one in shown(bond)
        ]
        days = [turn.happened for turn in bond.turns()]
        assert days == [turn.happened for turn in back.turns()]


def test_an_offset_that_no_notation_has_becomes_utc(store: Store, tmp_path: Path) -> None:
    bond = store.relationship("Lumi", "Chen")
    bond.record("Hi", "Hello", at=START.astimezone(timezone(timedelta(minutes=53, seconds=28))))
    bond.export_chat(tmp_path / "Lumi.jsonl")
    assert "2026-01-01T09:00:00.000+00:00" in (tmp_path / "Lumi.jsonl").read_text("utf-8")
