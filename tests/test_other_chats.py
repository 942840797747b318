"""ChatGPT's conversations, Letta's agent files and mem0's memories, as they come in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from helpers import Shell, fixed_store, state_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi.host import Relationship, Store
from enishi.kernel.errors import UnreadableFile
from enishi.packs.chats.chat import Chat
from enishi.packs.chats.importing import ImportReport
from enishi.packs.chats.readers import read_chats

SAMPLES = Path(__file__).parents[1] / "../shared/data/formats"
TOKYO = ZoneInfo("Asia/Tokyo")
START = 1_714_585_000

Json = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db") as opened:
        yield opened


def node(
    name: str, parent: str | None, text: object, *, at: float | None = None, **more: object
) -> tuple[str, Json]:
    """A place of a tree: the user's where its name begins with u, else the assistant's."""
    message = {
        "author": {"role": "user" if name[0] == "u" else "assistant"},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
    }
    return name, {"id": name, "parent": parent, "children": [], "message": message | more}


def conversation(*nodes: tuple[str, Json], current: str, **more: object) -> Json:
    """A conversation of these places, a second apart where they give no time."""
    mapping = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    mapping |= json.loads(json.dumps(dict(nodes)))
    for place, (name, one) in enumerate(mapping.items()):
        if name != "root":
            one["parent"] = one["parent"] or "root"
            mapping[one["parent"]]["children"].append(name)
            if one["message"] and one["message"]["create_time"] is None:
                one["message"]["create_time"] = START + place
    return {
        "title": "Tea",
        "conversation_id": "c-1",
        "mapping": mapping,
        "current_node": current,
    } | more


def talk() -> list[tuple[str, Json]]:
    return [
        node("u1", None, "I love tea."),
        node("a1", "u1", "Which one?"),
        node("u2", "a1", "Oolong."),
        node("a2", "u2", "Good."),
    ]


def take(store: Store, folder: Path, *conversations: Json) -> list[ImportReport]:
    path = folder / "conversations.json"
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return store.import_chats([path], zone="Asia/Tokyo")


def said(bond: Relationship) -> list[str]:
    """What stands on a branch, in order."""
    return [
        text.content or ""
        for turn in bond.turns()
        for text in (*turn.messages, *(reply for reply in turn.replies if reply.chosen))
    ]


def branches(store: Store) -> dict[str, list[str]]:
    (bond,) = store.relationships()
    return {branch.name: said(bond.on(branch.name)) for branch in bond.branches()}


def changed(reports: list[ImportReport]) -> bool:
    return any(report.changed for report in reports)


# --- ChatGPT


def test_a_conversation_comes_in_once_with_its_times(store: Store, tmp_path: Path) -> None:
    whole = conversation(*talk(), current="a2")
    (report,) = take(store, tmp_path, whole)
    assert (report.label, report.agent, report.user, report.turns) == ("Tea", "ChatGPT", "user", 2)
    (bond,) = store.relationships()
    assert said(bond) == ["I love tea.", "Which one?", "Oolong.", "Good."]
    first = bond.turns()[0].messages[0].happened
    assert first is not None
    assert (first.at, first.offset) == ((START + 1) * 1_000_000, 9 * 3600)
    assert [(b.key, b.value) for b in bond.beliefs()] == [("likes", "tea")]
    assert not changed(take(store, tmp_path, whole))
    more = [node("u3", "a2", "And cake?"), node("a3", "u3", "Always.")]
    (report,) = take(store, tmp_path, conversation(*talk(), *more, current="a3", title="Renamed"))
    assert (report.turns, report.branched) == (1, False)
    assert said(bond)[-2:] == ["And cake?", "Always."]


def test_replies_made_again_are_variants_and_the_current_one_is_chosen(
    store: Store, tmp_path: Path
) -> None:
    again = node("b2", "u2", "Excellent.")
    take(store, tmp_path, conversation(*talk(), again, current="a2"))
    (bond,) = store.relationships()
    assert [reply.content for reply in bond.turns()[-1].replies] == ["Good.", "Excellent."]
    assert said(bond)[-1] == "Good."
    (report,) = take(store, tmp_path, conversation(*talk(), again, current="b2"))
    assert (report.chosen, said(bond)[-1]) == (1, "Excellent.")
    third = node("d2", "u2", "Excellent.")
    (report,) = take(store, tmp_path, conversation(*talk(), again, third, current="d2"))
    assert [reply.chosen for reply in bond.turns()[-1].replies] == [False, False, True]
    assert not changed(take(store, tmp_path, conversation(*talk(), again, third, current="d2")))
    # The talk goes on from one of them, and later from another: that one is a branch.
    ended = [*talk(), again, third, node("u3", "b2", "Cake?")]
    (report,) = take(store, tmp_path, conversation(*ended, current="u3"))
    assert (report.turns, report.branched, said(bond)[-2:]) == (1, False, ["Excellent.", "Cake?"])
    reports = take(store, tmp_path, conversation(*ended, node("u4", "a2", "Ice?"), current="u4"))
    assert [report.branched for report in reports if report.changed] == [True]
    assert branches(store)["Tea"][-2:] == ["Good.", "Ice?"]
    assert branches(store)["main"][-1] == "Cake?"


def test_an_edited_message_is_a_branch_and_the_current_one_is_main(
    store: Store, tmp_path: Path
) -> None:
    edited = [node("u4", "a1", "Jasmine."), node("a4", "u4", "Fine.")]
    whole = conversation(*talk(), *edited, current="a4")
    first, second = take(store, tmp_path, whole)
    assert (first.branch, second.branch, second.branched) == ("main", "Tea", True)
    assert branches(store) == {
        "main": ["I love tea.", "Which one?", "Jasmine.", "Fine."],
        "Tea": ["I love tea.", "Which one?", "Oolong.", "Good."],
    }
    assert not changed(take(store, tmp_path, whole))
    # Looked at from the other branch, and both have gone on: each goes on where it is.
    more = [node("u5", "a2", "Hot."), node("u6", "a4", "Cold.")]
    take(store, tmp_path, conversation(*talk(), *edited, *more, current="u5"))
    assert {name: texts[-1] for name, texts in branches(store).items()} == {
        "main": "Cold.",
        "Tea": "Hot.",
    }


def test_an_edited_first_message_shares_nothing_and_is_still_a_branch(
    store: Store, tmp_path: Path
) -> None:
    other = node("u9", None, "I love coffee.", at=START + 9.5)
    take(store, tmp_path, conversation(*talk(), other, current="u9"))
    assert branches(store) == {
        "main": ["I love coffee."],
        "Tea": ["I love tea.", "Which one?", "Oolong.", "Good."],
    }


def test_a_variant_that_goes_on_is_chosen_on_its_own_branch(store: Store, tmp_path: Path) -> None:
    again = [node("b1", "u1", "Green?"), node("u7", "b1", "Black.")]
    whole = conversation(*talk(), *again, current="u7")
    take(store, tmp_path, whole)
    assert branches(store) == {
        "main": ["I love tea.", "Green?", "Black."],
        "Tea": ["I love tea.", "Which one?", "Oolong.", "Good."],
    }
    (bond,) = store.relationships()
    assert len([turn for turn in bond.turns() if turn.messages[0].content == "I love tea."]) == 1
    assert not changed(take(store, tmp_path, whole))


def test_conversations_are_apart_though_they_begin_alike(store: Store, tmp_path: Path) -> None:
    one = conversation(node("u1", None, "hi"), node("a1", "u1", "Hello!"), current="a1")
    other = conversation(
        node("u1", None, "hi", at=START - 9.0), node("a1", "u1", "Hello!"), current="a1"
    ) | {"conversation_id": "c-2", "title": "Earlier"}
    reports = take(store, tmp_path, one, other)
    assert [report.label for report in reports] == ["Earlier", "Tea"]
    assert branches(store) == {"main": ["hi", "Hello!", "hi", "Hello!"]}
    assert not changed(take(store, tmp_path, other, one))


def test_what_was_erased_does_not_come_back_with_a_new_branch(store: Store, tmp_path: Path) -> None:
    """PB-10: a later export has the erased words again, in the chat itself and in a new branch."""
    take(store, tmp_path, conversation(*talk(), current="a2"))
    (bond,) = store.relationships()
    with bond._stream.writing():
        bond._stream.destroy([bond.turns()[0].replies[0].number])
    edited = [node("u4", "a1", "Jasmine."), node("a4", "u4", "Fine.")]
    reports = take(store, tmp_path, conversation(*talk(), *edited, current="a4"))
    assert branches(store) == {
        "main": ["I love tea.", "", "Oolong.", "Good."],
        "Tea": ["I love tea.", "", "Jasmine.", "Fine."],
    }
    notes = [note.message for report in reports for note in report.notes]
    assert notes == ["It was erased, and stays so."] * 2
    assert not changed(take(store, tmp_path, conversation(*talk(), *edited, current="a4")))


def test_custom_gpts_are_agents_and_projects_are_not(store: Store, tmp_path: Path) -> None:
    entries = [
        conversation(*talk(), current="a2", conversation_id=f"c-{gizmo}", gizmo_id=gizmo)
        for gizmo in (None, "g-p-project", "g-lumi")
    ]
    take(store, tmp_path, *entries)
    found = {bond.agent: len(bond.turns()) for bond in store.relationships()}
    assert found == {"ChatGPT": 4, "g-lumi": 2}


def test_what_was_not_shown_or_is_no_text_is_counted(store: Store, tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    voice = {"content_type": "audio_transcription", "text": "and aloud"}
    parts = {"content_type": "multimodal_text", "parts": [picture, "A cup.", voice]}
    tool = {"author": {"role": "tool", "name": "bio"}}
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    whole = conversation(
        node("u0", None, "profile", **hidden),
        node("u1", "u0", "", content=parts, metadata={"attachments": [{"name": "a.pdf"}]}),
        node("x1", "u1", "search()", recipient="browser"),
        node("x2", "x1", "Likes cups.", **tool),
        node("a1", "x2", "A fine cup."),
        node("u2", "a1", "Not in context.", weight=0),
        current="u2",
    )
    (report,) = take(store, tmp_path, whole, {"title": "Broken", "conversation_id": "c-9"})
    (bond,) = store.relationships()
    assert said(bond) == ["A cup.\nand aloud", "A fine cup.", "Not in context."]
    assert [m.hidden for turn in bond.turns() for m in turn.messages] == [False, True]
    assert [note.message for note in report.notes] == [
        "Conversations without a message, which were passed over: 1.",
        "Left out: messages of tools, of thinking, or hidden: 3, images: 1, attachments: 1.",
    ]


def test_a_tree_with_circles_and_loose_ends_is_read_as_far_as_it_goes() -> None:
    whole = conversation(*talk(), current="a2")
    whole["mapping"]["a2"]["children"] = ["u1", "a2", "nowhere"]
    whole["mapping"]["u8"] = node("u8", "a2", "Loose.")[1]
    whole["mapping"]["u9"] = node("u9", "gone", "Alone.")[1]
    chats = read_chats("conversations.json", json.dumps([whole]).encode(), TOKYO)
    assert [[line.wordings[0].text for line in chat.lines] for chat in chats] == [
        ["I love tea.", "Which one?", "Oolong.", "Good.", "Loose."],
        ["Alone."],
    ]


def test_a_bomb_of_branches_is_cut_and_said() -> None:
    deep = [node("u0", None, "x")]
    deep += [node(f"u{n}", f"u{n - 1}", "x") for n in range(1, 1500)]
    wide = [node(f"u{n}e", f"u{n - 1}", "y") for n in range(1, 1500)]
    data = json.dumps([conversation(*deep, *wide, current="u1499")]).encode()
    chats = read_chats("conversations.json", data, TOKYO)
    assert sum(len(chat.lines) for chat in chats) <= 1 << 17
    assert len(chats[0].lines) == 1500
    assert "branches, for there are too many" in chats[0].notes[0].message


# --- Letta


def letta(*messages: Json, kind: str = "letta_v1_agent") -> bytes:
    agent = {"name": "Loop", "agent_type": kind, "messages": messages, "in_context_message_ids": []}
    return json.dumps({"agents": [agent], "blocks": [{"label": "human"}]}).encode()


def told(role: str, text: str, *, sends: str | None = None) -> Json:
    call = {"function": {"name": "send_message", "arguments": json.dumps({"message": sends})}}
    return {
        "role": role,
        "content": [{"type": "text", "text": text}],
        "tool_calls": [] if sends is None else [call],
        "created_at": "2026-01-22T02:06:34.048739+00:00",
    }


def lines_of(chat: Chat) -> list[tuple[str, str]]:
    return [(line.role, line.wordings[line.chosen].text) for line in chat.lines]


def test_what_was_typed_and_sent_is_told_from_what_the_server_made_up() -> None:
    typed = json.dumps({"type": "user_message", "message": "hi", "time": "x 08:51 PM PDT-0700"})
    login = json.dumps({"type": "login", "last_login": "Never"})
    messages = (
        told("system", "You are Loop."),
        told("assistant", "Starting.", sends="I am Loop."),
        told("user", login),
        told("user", typed),
        told("assistant", "They say hi."),
        told("tool", "OK"),
        told("user", "{not json"),
    )
    data = letta(*messages, kind="memgpt_agent")
    for one in (data, json.dumps(data.decode()).encode()):
        (chat,) = read_chats("loop.af", one, TOKYO)
        assert (chat.title, chat.agent) == ("loop", "Loop")
        assert lines_of(chat) == [("agent", "I am Loop."), ("user", "hi"), ("user", "{not json")]
    offsets = [line.wordings[0].happened.offset for line in chat.lines if line.wordings[0].happened]
    assert offsets == [9 * 3600, -7 * 3600, 9 * 3600]
    (note,) = chat.notes
    assert "thoughts: 2" in note.message
    assert "memory blocks, which are nobody's words: 1" in note.message
    (chat,) = read_chats("loop.af", letta(*messages), TOKYO)
    assert ("agent", "They say hi.") in lines_of(chat)


# --- mem0


def memories(*entries: Json) -> bytes:
    return json.dumps({"results": entries, "relations": []}).encode()


def memory(number: int, words: str, **more: object) -> Json:
    own = {"id": f"m-{number}", "memory": words, "user_id": "chen", "agent_id": "lumi"}
    return own | {"created_at": f"2025-01-0{number}T10:00:00-08:00", "hash": "h"} | more


def test_memories_are_hearsay_notes_and_are_never_taken_twice(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    entries = [memory(2, "Likes mango"), memory(1, "Name is Chen"), memory(3, "x" * 300)]
    path.write_bytes(memories(*entries, {"id": "m-9"}))
    reports = store.import_chats([path])
    assert [report.title for report in reports] == ["mem0 m-1", "mem0 m-2", "mem0 m-3"]
    assert [len(report.notes) for report in reports] == [0, 1, 1]
    (bond,) = store.relationships()
    assert (bond.agent, bond.user) == ("lumi", "chen")
    assert said(bond) == ["Name is Chen", "Likes mango", "x" * 300]
    held = [(b.subject, b.key, b.value, b.authority, b.basis) for b in bond.beliefs()]
    assert held == [
        ("user", "memory", "Name is Chen", "reported", "inferred"),
        ("user", "memory", "Likes mango", "reported", "inferred"),
    ]
    assert not changed(store.import_chats([path]))
    # What they know better now, and one that they forgot: it stays until somebody says otherwise.
    path.write_bytes(json.dumps([memory(1, "Name is Chen Wei"), memory(4, "Has a cat")]).encode())
    store.import_chats([path])
    assert [b.value for b in bond.beliefs()] == ["Name is Chen Wei", "Likes mango", "Has a cat"]


def test_a_memory_of_the_agent_alone_is_about_the_agent(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    path.write_bytes(memories(memory(1, "Prefers short answers", user_id=None)))
    store.import_chats([path], user="chen")
    (bond,) = store.relationships()
    assert [(b.subject, b.value) for b in bond.beliefs()] == [("agent", "Prefers short answers")]


# --- the real files, the command line, whatever comes

REAL = {
    "chatgpt/chatgpt-modern-export.json": [4, 2],
    "chatgpt/chatgpt-tree.abridged.json": [6, 6],
    "letta_af/memgpt_agent_with_convo.2025-03.v1.af": [46],
    "letta_af/loop.af": [1],
    "letta_af/customer_service.af": [0],
}


@pytest.mark.parametrize("name", REAL)
def test_real_files_come_in_once(store: Store, name: str) -> None:
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"the real export {path.name} is not at hand")
    assert [report.lines for report in store.import_chats([path])] == REAL[name]
    assert not changed(store.import_chats([path]))


def test_the_command_line_finds_out_which_it_is(shell: Shell, tmp_path: Path) -> None:
    files = {
        "conversations.json": json.dumps([conversation(*talk(), current="a2")]).encode(),
        "loop.af": letta(told("user", "hello")),
        "memories.json": memories(memory(1, "Likes mango")),
        "many.json": memories(*(memory(1, f"Likes {n}") | {"id": f"n-{n}"} for n in range(30))),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    db = tmp_path / "store.db"
    out = shell.ok("import", *(tmp_path / name for name in list(files)[:3]), "--store", db)
    assert "Tea: ChatGPT and user, branch 'main': 2 turns" in out
    out = shell.ok("import", tmp_path / "many.json", "--store", db)
    assert "lumi and chen: 30 chats: 30 turns" in out
    before = state_of(db)
    (tmp_path / "broken.json").write_bytes(files["conversations.json"][:-9])
    ran = shell.run("import", tmp_path / "memories.json", tmp_path / "broken.json", "--store", db)
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert "'broken.json' is no ChatGPT export: it is not JSON" in ran.err
    assert state_of(db) == before


VALID = {
    "conversations.json": json.dumps(
        [conversation(*talk(), node("u4", "a1", "Jasmine."), node("b2", "u2", "Ah."), current="a2")]
    ).encode(),
    "loop.af": letta(told("assistant", "", sends="hi"), told("user", '{"type":"login"}')),
    "memories.json": memories(memory(1, "Likes mango"), memory(2, "Has a cat")),
}
ODD = (None, True, -1, 1e308, 2**70, "", "\ud800", "u1", [], {}, [[]], {"text": 3})


def mangled(value: Any, chance: random.Random) -> Any:
    """The value with something odd in some of its places."""
    if chance.random() < 0.04:
        return chance.choice(ODD)
    if isinstance(value, dict):
        kept = {key: mangled(one, chance) for key, one in value.items() if chance.random() > 0.02}
        return kept
    return [mangled(one, chance) for one in value] if isinstance(value, list) else value


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(VALID)), st.randoms(use_true_random=False))
def test_mangled_files_are_read_or_refused_and_never_taken_twice(
    tmp_path_factory: pytest.TempPathFactory, name: str, chance: random.Random
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    data = bytearray(json.dumps(mangled(json.loads(VALID[name]), chance)).encode())
    if chance.random() < 0.3:
        for _ in range(chance.randrange(1, 9)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        del data[chance.randrange(len(data)) + 1 :]
    path.write_bytes(data)
    with fixed_store(path.with_suffix(".db"), seed=chance.randrange(1 << 30)) as opened:
        try:
            opened.import_chats([path])
        except UnreadableFile as error:
            assert "\n" not in str(error)
            return
        assert not changed(opened.import_chats([path]))
    path.with_suffix(".db").unlink()
