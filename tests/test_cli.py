"""The command line from end to end: every command, for people and for machines."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
import typer
from helpers import Shell, fixed_store, line, state_of, write_chat

import enishi
from enishi.host import Relationship
from enishi.host.commands import app
from enishi.packs.showing.terminal import several

DEMO_CHAT = "Lumi by the harbour"
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Lumi", "description": "She keeps a tea house.", "first_mes": "Hello!"},
}
TEXTS = ("MessageReceived", "ReplyGiven")


@pytest.fixture(scope="module")
def harbour_made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the bundled chat, in which this and that was done and undone."""
    path = tmp_path_factory.mktemp("harbour") / "harbour.db"
    data = files("enishi.packs") / "demo_chat"
    with enishi.open(path) as store, as_file(data / f"{DEMO_CHAT}.jsonl") as chat:
        card = json.loads((data / "Lumi.json").read_bytes())
        bond = store.relationship("Lumi", "Chen", blueprint=card)
        store.import_chats([chat], zone="Asia/Shanghai")
        sorry, thanks = bond.turns()[7], bond.turns()[2]
        bond.swipe(sorry.number, 1)
        bond.swipe(sorry.number, 2)
        bond.undo(bond.edit(thanks.messages[0].number, "It is late.").root)
        bond.fork("what-if", after=thanks.number).record("Shall we go?", "Let us go.")
    return path


@pytest.fixture
def demo(harbour_made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Such a store of one's own, in a folder of one's own that is the current one."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(harbour_made_once, tmp_path / "lumi.db"))


def numbers(shell: Shell, store: Path, *types: str) -> list[int]:
    records = shell.json("log", "--events", "--last", 0, "--store", store)
    return [record["number"] for record in records if record["type"] in types]


def turns(shell: Shell, store: Path, *options: object) -> list[dict[str, Any]]:
    found = shell.json("log", "--last", 0, "--store", store, *options)
    assert isinstance(found, list)
    return found


def words(turns: list[dict[str, Any]]) -> list[str]:
    """What was said, in order; of the replies the chosen one."""
    return [
        text["content"]
        for turn in turns
        for text in (*turn["messages"], *(r for r in turn["replies"] if r["chosen"]))
    ]


def squeezed(text: str) -> str:
    """Without what a table puts between the parts of a folded cell."""
    return "".join(text.split())


# --- taking in


def harbour(folder: Path, *more: dict[str, Any], name: str = "Harbour.jsonl") -> Path:
    lines = [
        line("Sit down, the kettle is warm.", at="January 10, 2026 8:02pm"),
        line("Thank you so much for listening.", "Chen", at="January 10, 2026 8:05pm"),
        line("Any evening.", at="January 10, 2026 8:06pm"),
    ]
    return write_chat(folder / name, [*lines, *more])


def test_a_chat_is_taken_in_and_told_about(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    told = shell.ok("import", harbour(tmp_path), "--store", store)
    assert "Harbour: Lumi and Chen, branch 'main': 2 turns" in told
    assert "were read as UTC" in told
    assert words(turns(shell, store)) == [
        "Sit down, the kettle is warm.",
        "Thank you so much for listening.",
        "Any evening.",
    ]
    assert shell.json("verify", "--store", store)[0]["ok"]


def test_the_report_for_machines_counts_alike(shell: Shell, tmp_path: Path) -> None:
    found = shell.json("import", harbour(tmp_path), "--store", tmp_path / "new.db")
    (report,) = found["chats"]
    assert (report["title"], report["agent"], report["user"]) == ("Harbour", "Lumi", "Chen")
    assert (report["turns"], report["lines"], report["branch"]) == (2, 3, "main")
    assert found["cards"] == []
    assert found["store"] == str(tmp_path / "new.db")


def test_the_same_file_again_is_nothing_new(shell: Shell, tmp_path: Path) -> None:
    chat, store = harbour(tmp_path), tmp_path / "new.db"
    shell.ok("import", chat, "--store", store)
    before = state_of(store)
    assert "nothing new" in shell.ok("import", chat, "--store", store)
    assert state_of(store) == before


def test_a_grown_file_adds_only_what_is_new(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    shell.ok("import", harbour(tmp_path), "--store", store)
    grown = harbour(tmp_path, line("Good night.", "Chen"), line("Good night, Chen."))
    assert "1 turn" in shell.ok("import", grown, "--store", store)
    assert words(turns(shell, store))[-3:] == ["Any evening.", "Good night.", "Good night, Chen."]
    assert len(turns(shell, store)) == 3


def test_several_files_come_in_the_order_of_their_first_times(shell: Shell, tmp_path: Path) -> None:
    days = [
        write_chat(
            tmp_path / f"{name}.jsonl",
            [line(f"{name} asks", "Chen", at=f"2026-01-0{day}T10:00:00.000Z"), line(f"{name}!")],
        )
        for name, day in (("third", 3), ("first", 1), ("second", 2))
    ]
    undated = write_chat(tmp_path / "undated.jsonl", [line("when?", "Chen"), line("undated!")])
    store = tmp_path / "new.db"
    found = shell.json("import", undated, *days, "--store", store)
    assert [one["title"] for one in found["chats"]] == ["first", "second", "third", "undated"]
    said = words(turns(shell, store))
    assert said[1::2] == ["first!", "second!", "third!", "undated!"]


def test_a_zone_is_for_dates_that_name_none(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    told = shell.ok("import", harbour(tmp_path), "--zone", "Asia/Tokyo", "--store", store)
    assert "were read as UTC" not in told
    assert "2026-01-10 20:02:00+09:00 (zone assumed)" in shell.ok("log", "--store", store)
    first = turns(shell, store)[0]["happened"]
    assert first == {"at": "2026-01-10T20:02:00+09:00", "zone_assumed": True}


def test_lines_under_the_name_of_a_persona_are_somebody_elses(shell: Shell, tmp_path: Path) -> None:
    chat = write_chat(
        tmp_path / "masks.jsonl",
        [
            line("I am Chen.", "Chen"),
            line("Hello Chen."),
            line("I am a mask.", "Mask", is_user=True),
        ]
        + [line("Hello, whoever you are.")],
    )
    store = tmp_path / "new.db"
    shell.ok("import", chat, "--persona", "Veil", "--persona", "Mask", "--store", store)
    roles = {m["content"]: m["role"] for turn in turns(shell, store) for m in turn["messages"]}
    assert roles["I am Chen."] == "user"
    assert roles["I am a mask."] == "other"


def test_without_the_rules_nothing_is_proposed_until_asked_for(
    shell: Shell, tmp_path: Path
) -> None:
    store = tmp_path / "new.db"
    shell.ok("import", harbour(tmp_path), "--no-propose", "--store", store)
    assert "Nothing was proposed." in shell.ok("decisions", "--store", store)
    assert "Nothing has moved it yet." in shell.ok("why", "rapport", "--store", store)
    decided = shell.json("propose", "--store", store)
    accepted = [one["proposal"] for one in decided if one["event"]]
    assert [one["signal"] for one in accepted if one["kind"] == "signal"] == ["gratitude"]
    assert [one["party"] for one in accepted if one["kind"] == "mood"]
    assert decided == shell.json("decisions", "--store", store)
    assert shell.json("propose", "--store", store) == []


def test_one_turn_alone_can_be_read(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    shell.ok("import", harbour(tmp_path), "--no-propose", "--store", store)
    greeting, thanks = (turn["number"] for turn in turns(shell, store))
    assert "Nothing was proposed." in shell.ok("propose", greeting, "--store", store)
    assert "gratitude" in shell.ok("propose", thanks, "--store", store)


def test_ids_of_ones_own_win_over_the_names_in_the_file(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    arguments = ("--agent", "lumi-1", "--user", "chen-7", "--store", store)
    shell.ok("import", harbour(tmp_path), *arguments)
    (one,) = shell.json("list", "--store", store)
    assert (one["agent"], one["user"]) == ("lumi-1", "chen-7")
    assert "Lumi" in shell.ok("log", "--store", store)


def png_card(path: Path, card: object = CARD) -> Path:
    def chunk(kind: bytes, body: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + checksum

    text = b"chara\0" + base64.b64encode(json.dumps(card).encode())
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    end = chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"tEXt", text) + end)
    return path


def test_a_card_and_its_chat_are_taken_in_at_once(shell: Shell, tmp_path: Path) -> None:
    card, store = png_card(tmp_path / "lumi.png"), tmp_path / "new.db"
    told = shell.ok("import", card, harbour(tmp_path), "--store", store)
    assert "Harbour: Lumi and Chen" in told
    assert "lumi.png: Lumi is played from this card (v2) towards Chen" in told
    (number,) = numbers(shell, store, "BlueprintAdopted")
    assert json.loads(shell.json("why", number, "--store", store)["payload"]["card"]) == CARD
    found = shell.json("import", card, "--store", store)
    (told,) = found["cards"]
    assert told.pop("notes") == []
    assert told == {"file": "lumi.png", "agent": "Lumi", "user": "Chen", "spec": "v2"}
    assert numbers(shell, store, "BlueprintAdopted") == [number]


def test_a_card_alone_needs_a_user_to_belong_to(shell: Shell, tmp_path: Path) -> None:
    card, store = png_card(tmp_path / "lumi.png"), tmp_path / "new.db"
    shell.refused("import", card, "--store", store)
    assert not store.exists()
    shell.ok("import", card, "--user", "Chen", "--store", store)
    assert [one["user"] for one in shell.json("list", "--store", store)] == ["Chen"]
    shell.ok("import", card, "--user", "Ann", "--store", store)
    assert "'Lumi'" in shell.refused("import", card, "--store", store, status=2)


# --- for people and for machines alike


def _texts(found: Any) -> list[str]:
    return [str(text["number"]) + "  " + text["name"] for t in found for text in t["messages"]]


def _rapport(found: Any) -> list[str]:
    return [f"{value:.4f}" for value in found.values()]


def _overview(found: Any) -> list[str]:
    about = found["relationship"]
    names = [found["agent"], found["user"], f"branch {about['branch']}", f"{about['turns']} turns"]
    return [*names, *_rapport(found["rapport"]), *_changes(found["reasons"])]


def _changes(found: Any) -> list[str]:
    changes = [f"(number {one['number']}," for one in found]
    return changes + [q["words"][:40] for one in found for q in one["quotes"]]


def _explained(found: Any) -> list[str]:
    return [f"number {found['number']}", found["type"], *(q["words"] for q in found["quotes"])]


def _decided(found: Any) -> list[str]:
    return [part for one in found for part in (str(one["number"]), one["verdict"])]


def _verified(found: Any) -> list[str]:
    return [part for one in found for part in (one["agent"], one["tip"], str(one["length"]))]


def _digests(found: Any) -> list[str]:
    return [digest for one in found for digest in (one["agent"], *one["digests"].values())]


def _branches(found: Any) -> list[str]:
    return [part for one in found for part in (one["name"], str(one["number"]), str(one["turns"]))]


def _diff(found: Any) -> list[str]:
    own = [f"{name}: {several(count, 'turn')} of its own" for name, count in found["own"].items()]
    values = [value for rapport in found["rapport"].values() for value in _rapport(rapport)]
    return [f"{found['shared']} turns in common", *own, *values]


ALIKE: list[tuple[str, Callable[[Any], list[str]]]] = [
    ("list", lambda f: [part for one in f for part in (one["agent"], one["user"])]),
    ("list", lambda f: [str(one[count]) for one in f for count in ("turns", "events")]),
    ("log --last 0", lambda f: [*words(f), *_texts(f)]),
    ("log --last 3", words),
    ("log --branch what-if", words),
    ("log --events --last 0", lambda f: [f"{one['number']}   {one['type']}" for one in f]),
    ("show", _overview),
    ("show --branch what-if", _overview),
    ("show --at 2026-01-20T00:00+08:00", lambda f: _rapport(f["rapport"])),
    ("show --as-lived 2026-01-20T00:00+08:00", lambda f: _rapport(f["rapport"])),
    ("why rapport", _changes),
    ("why rapport.trust", _changes),
    ("why 9", _explained),
    ("propose", _decided),
    ("decisions --last 0", _decided),
    ("decisions --verdict accepted", _decided),
    ("edit 9 gone", lambda f: [f"{f['number']}  {f['name']}", f["content"]]),
    ("edit 9 more --continue", lambda f: [f"{f['number']}  {f['name']}", f["content"]]),
    ("swipe 25", lambda f: [reply["content"] for reply in f["replies"]]),
    ("swipe 25 1", lambda f: [reply["content"] for reply in f["replies"]]),
    ("branch list", _branches),
    ("branch new other", lambda f: [f["branch"]]),
    ("branch new other --after 8", lambda f: [f["branch"]]),
    ("branch switch what-if", lambda f: [f["branch"]]),
    ("branch back 28", lambda f: [f"{f['turns']} turns"]),
    ("branch drop what-if", lambda f: [f["dropped"], str(f["number"])]),
    ("branch diff main what-if", _diff),
    ("withdraw 9 12", lambda f: [", ".join(str(number) for number in f["withdrawn"])]),
    ("verify", _verified),
    ("replay", lambda f: list(f["replayed"].values())),
    ("rebuild", _digests),
    ("doctor", lambda f: [f["enishi"], f["sqlite"], f["store"], str(f["bytes"])]),
]


@pytest.mark.parametrize(("command", "facts"), ALIKE, ids=[command for command, _ in ALIKE])
def test_people_and_machines_are_told_the_same(
    command: str, facts: Callable[[Any], list[str]], shell: Shell, demo: Path
) -> None:
    twin = Path(shutil.copy(demo, demo.with_name("twin.db")))
    found = shell.json(*command.split(), "--store", demo)
    told = shell.ok(*command.split(), "--store", twin)
    if command == "doctor":
        found["store"] = str(twin)
    for fact in facts(found):
        assert fact in told
    if command != "propose":
        assert facts(found), "this command tells nothing"


def test_a_restored_number_counts_again_and_is_told(shell: Shell, demo: Path) -> None:
    before = shell.json("show", "--store", demo)["digests"]
    shell.ok("withdraw", 9, 12, "--store", demo)
    assert shell.json("show", "--store", demo)["digests"] != before
    assert "it was withdrawn" in shell.ok("why", 9, "--store", demo)
    assert "Restored: 9, 12" in shell.ok("restore", 9, 12, "--store", demo)
    assert shell.json("show", "--store", demo)["digests"] == before
    assert "it counts" in shell.ok("why", 9, "--store", demo)


# --- looking


def test_the_log_says_how_much_it_leaves_out(shell: Shell, demo: Path) -> None:
    all_turns = turns(shell, demo)
    told = shell.ok("log", "--last", 2, "--store", demo)
    assert f"({len(all_turns) - 2} earlier turns; --last 0 shows all)" in told
    assert shell.json("log", "--last", 2, "--store", demo) == all_turns[-2:]
    assert "earlier" not in shell.ok("log", "--last", 0, "--store", demo)
    assert len(shell.json("log", "--events", "--store", demo)) == 20


def test_the_log_of_a_branch_goes_back_to_where_it_left(shell: Shell, demo: Path) -> None:
    main, what_if = turns(shell, demo), turns(shell, demo, "--branch", "what-if")
    assert [t["number"] for t in what_if[:-1]] == [t["number"] for t in main[:3]]
    assert words(what_if[-1:]) == ["Shall we go?", "Let us go."]


def test_a_moment_in_the_past_shows_what_had_happened_by_then(shell: Shell, demo: Path) -> None:
    before = shell.json("show", "--at", "2026-01-01T00:00Z", "--store", demo)["rapport"]
    quarrel = shell.json("show", "--at", "2026-02-02T22:00+08:00", "--store", demo)["rapport"]
    now = shell.json("show", "--store", demo)["rapport"]
    assert before["conflict_tension"] == now["conflict_tension"] == 0
    assert quarrel["conflict_tension"] > 0
    assert before["familiarity"] == 0 < quarrel["familiarity"] < now["familiarity"]


def test_as_lived_is_what_the_log_held_by_then(shell: Shell, demo: Path) -> None:
    # All was recorded when the demo ran, so that nothing was known in February.
    lived = shell.json("show", "--as-lived", "2026-02-20T00:00+08:00", "--store", demo)["rapport"]
    later = shell.json("show", "--as-lived", "2999-01-01T00:00Z", "--store", demo)["rapport"]
    assert lived["familiarity"] == 0
    assert later == shell.json("show", "--store", demo)["rapport"]


def timeless(overview: dict[str, Any]) -> dict[str, Any]:
    """What `show` tells but for the moods, which go on with the clock."""
    return {name: value for name, value in overview.items() if name != "mood"}


def test_another_policy_is_tried_without_being_kept(shell: Shell, demo: Path) -> None:
    policies = Path(__file__).parents[1] / "projections" / "policies"
    text = (policies / "1.toml").read_text("utf-8")
    policy = demo.with_name("brave.toml")
    policy.write_text(text.replace("trust = 5000", "trust = 9000", 1), "utf-8")
    assert policy.read_text("utf-8") != text
    before = timeless(shell.json("show", "--store", demo))
    tried = shell.json("show", "--policy", policy, "--store", demo)["rapport"]
    assert tried["trust"] > before["rapport"]["trust"]
    assert timeless(shell.json("show", "--store", demo)) == before
    policy.write_text(text, "utf-8")
    assert shell.json("show", "--policy", policy, "--store", demo)["rapport"] == before["rapport"]


def test_why_tells_what_moved_a_dimension_and_only_that(shell: Shell, demo: Path) -> None:
    trust = shell.json("why", "rapport.trust", "--last", 0, "--store", demo)
    every = shell.json("why", "rapport", "--last", 0, "--store", demo)
    assert trust == [one for one in every if one["dimension"] == "trust"]
    assert {one["dimension"] for one in every} >= {"trust", "familiarity", "conflict_tension"}
    shown = shell.json("show", "--store", demo)["rapport"]["trust"]
    assert trust[-1]["value"] == shown


@pytest.fixture
def storied(demo: Path) -> Path:
    """The demo store with an event of every type that the face can make."""
    with fixed_store(demo, seed=9) as store:
        (bond,) = store.relationships()
        bond.rename("Chen", "Old Chen", ["小陈"])
        with bond.turn("Are you there?"):
            pass
        turn = bond.record("One.", "Two.")
        bond.back(turn)
        bond.withdraw(turn.number)
        bond.restore(turn.number)
        bond.switch("main")
    return demo


def test_a_record_of_every_type_can_be_explained(shell: Shell, storied: Path) -> None:
    records = shell.json("log", "--events", "--last", 0, "--store", storied)
    firsts = {record["type"]: record["number"] for record in reversed(records)}
    assert len(firsts) >= 19
    for type_name, number in firsts.items():
        told = shell.ok("why", number, "--store", storied)
        found = shell.json("why", number, "--store", storied)
        assert f"number {number} · {type_name}" in told
        assert found["type"] == type_name
        assert ("it counts" in told) == (found["why_not"] is None)
        for key in found["payload"].keys() - {"spans", "sentence"}:
            if found["text"] is None:
                assert f"{key}: " in told


def test_the_secret_of_a_relationship_is_never_shown(shell: Shell, demo: Path) -> None:
    with closing(sqlite3.connect(demo)) as connection:
        (secret,) = connection.execute("SELECT secret FROM line").fetchone()
    for command in (("why", 0), ("log", "--events"), ("list",), ("verify",)):
        told = shell.ok(*command, "--store", demo) + shell.ok(*command, "--json", "--store", demo)
        assert secret.hex() not in told and repr(secret) not in told


# --- deciding


def test_decisions_can_be_narrowed_to_a_verdict(shell: Shell, demo: Path) -> None:
    every = shell.json("decisions", "--last", 0, "--store", demo)
    accepted = shell.json("decisions", "--verdict", "accepted", "--last", 0, "--store", demo)
    assert accepted == [one for one in every if one["verdict"] == "accepted"] != []
    assert shell.json("decisions", "--last", 1, "--store", demo) == every[-1:]
    for verdict in ("held", "rejected"):
        found = shell.json("decisions", "--verdict", verdict, "--store", demo)
        assert all(one["verdict"] == verdict for one in found)
    assert "'maybe'" in shell.refused("decisions", "--verdict", "maybe", "--store", demo, status=2)


# --- changing


def message(shell: Shell, store: Path, words: str) -> int:
    """The number of the text that holds these words."""
    found = [
        text["number"]
        for turn in turns(shell, store)
        for text in (*turn["messages"], *turn["replies"])
        if words in text["content"]
    ]
    return int(found[0])


def test_an_edit_falls_and_comes_back_with_what_rests_on_it(shell: Shell, demo: Path) -> None:
    before = shell.json("show", "--store", demo)["digests"]
    thanks = message(shell, demo, "Thank you so much")
    edited = shell.ok("edit", thanks, "It is late.", "--store", demo)
    assert "(edited, wording 3 of 3): It is late." in edited  # the demo made the second one
    assert "It is late." in words(turns(shell, demo))
    assert shell.json("show", "--store", demo)["digests"] != before
    undone = shell.json("edit", thanks, "--undo", "--store", demo)
    assert undone["number"] != thanks  # back to the wording before
    shell.ok("edit", thanks, "--undo", "--store", demo)
    assert "Thank you so much" in " ".join(words(turns(shell, demo)))
    assert shell.json("show", "--store", demo)["digests"] == before
    assert str(thanks) in shell.refused("edit", thanks, "--undo", "--store", demo)


def test_a_reply_can_be_continued(shell: Shell, demo: Path) -> None:
    reply = message(shell, demo, "I'm sorry I read your diary.")
    before = shell.json("log", "--store", demo)
    text = shell.json("edit", reply, " Really.", "--continue", "--store", demo)["content"]
    assert text.startswith("I'm sorry I read") and text.endswith("it again. Really.")
    shell.ok("edit", reply, "--undo", "--store", demo)
    assert words(shell.json("log", "--store", demo)) == words(before)


def test_an_edit_needs_a_wording_or_undo(shell: Shell, demo: Path) -> None:
    for arguments in ((9,), (9, "new", "--undo")):
        shell.refused("edit", *arguments, "--store", demo, status=2)


def test_a_swipe_chooses_and_lists(shell: Shell, demo: Path) -> None:
    before = shell.json("show", "--store", demo)["digests"]
    sorry = next(t for t in turns(shell, demo) if "sorry" in t["replies"][-1]["content"])["number"]
    listed = shell.ok("swipe", sorry, "--store", demo)
    assert "  * " in listed and "[1 of 2]" in listed and "[2 of 2]" in listed
    assert "says nothing" in listed
    shell.ok("swipe", sorry, 1, "--store", demo)
    assert "sorry" not in " ".join(words(turns(shell, demo)))
    assert shell.json("show", "--store", demo)["rapport"]["conflict_tension"] > 0
    shell.ok("swipe", sorry, 2, "--store", demo)
    assert shell.json("show", "--store", demo)["digests"] == before


def test_a_branch_lives_from_its_beginning_to_its_end(shell: Shell, demo: Path) -> None:
    third = turns(shell, demo)[2]["number"]
    at = ("--store", demo)
    shell.ok("branch", "new", "other", "--after", third, *at)
    assert [one["current"] for one in shell.json("branch", "list", *at)] == [True, False, False]
    shell.ok("branch", "switch", "other", *at)
    assert len(turns(shell, demo)) == 3
    shell.ok("branch", "back", turns(shell, demo)[0]["number"], *at)
    assert len(turns(shell, demo)) == 1
    assert "other" in shell.ok("show", *at)
    number = next(b["number"] for b in shell.json("branch", "list", *at) if b["name"] == "other")
    shell.refused("branch", "drop", "other", *at)  # it is the current one
    shell.ok("branch", "switch", "main", *at)
    assert f"enishi restore {number}" in shell.ok("branch", "drop", "other", *at)
    assert "other" not in shell.ok("branch", "list", *at)
    shell.ok("restore", number, *at)
    assert "other" in shell.ok("branch", "list", *at)


def test_a_branch_can_go_back_and_forth(shell: Shell, demo: Path) -> None:
    at = ("--store", demo)
    every, digests = turns(shell, demo), shell.json("show", *at)["digests"]
    assert shell.json("branch", "back", 0, *at) == {"tip": None, "turns": 0}
    assert turns(shell, demo) == []
    shell.ok("branch", "back", every[-1]["number"], *at)
    assert turns(shell, demo) == every
    assert shell.json("show", *at)["digests"] == digests


def test_a_change_on_another_branch_leaves_the_current_one_alone(shell: Shell, demo: Path) -> None:
    sorry = next(t for t in turns(shell, demo) if "sorry" in t["replies"][-1]["content"])["number"]
    shell.ok("branch", "new", "other", "--store", demo)
    before = turns(shell, demo)
    shell.ok("swipe", sorry, 1, "--branch", "other", "--store", demo)
    assert turns(shell, demo) == before
    assert "sorry" not in " ".join(words(turns(shell, demo, "--branch", "other")))
    found = shell.json("branch", "diff", "main", "other", "--store", demo)
    assert found["shared"] == len(before)
    assert found["own"] == {"main": 0, "other": 0}
    assert found["rapport"]["main"] != found["rapport"]["other"]


# --- care


def changed(store: Path, sql: str) -> None:
    """Change the file behind Enishi's back."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DROP TRIGGER record_fixed")
        connection.execute("DROP TRIGGER record_kept")
        connection.execute(sql)
        connection.commit()


def test_a_noted_tip_tells_whether_the_end_was_cut_off(shell: Shell, demo: Path) -> None:
    noted = shell.json("verify", "--store", demo)[0]
    tip, length = noted["tip"], noted["length"]
    assert "verified" in shell.ok("verify", "--tip", tip, "--store", demo)
    shell.ok("withdraw", 9, "--store", demo)
    assert "verified" in shell.ok("verify", "--tip", tip, "--store", demo)  # grown since
    end = length - 1  # the last record is an event: no request leads to it
    changed(demo, f"DELETE FROM record WHERE id & 0xFFFFFFFF >= {end}")
    assert "verified" in shell.ok("verify", "--store", demo)
    ran = shell.run("verify", "--tip", tip, "--store", demo)
    assert ran.status == 1
    assert tip in ran.out and "the end was cut off" in ran.out
    assert "64 hexadecimal digits" in shell.refused("verify", "--tip", "zz", "--store", demo)


@pytest.mark.parametrize(
    ("column", "place"),
    [("header", 0), ("header", 1), ("header", 40), ("header", 90), ("header", 150), ("hash", 3)]
    + [("salt", 0), ("payload", 0), ("payload", 7)],
)
def test_a_changed_byte_is_found_where_it_is(
    column: str, place: int, shell: Shell, demo: Path
) -> None:
    number = message(shell, demo, "Thank you so much")
    with closing(sqlite3.connect(demo)) as connection:
        (data,) = connection.execute(
            f"SELECT {column} FROM record WHERE id & 0xFFFFFFFF = ?", (number,)
        ).fetchone()
    broken = bytearray(data)
    broken[place] ^= 1
    changed(demo, f"UPDATE record SET {column}=x'{broken.hex()}' WHERE id&0xFFFFFFFF={number}")
    ran = shell.run("verify", "--store", demo)
    assert (ran.status, ran.err) == (1, "")
    assert f"number {number}: " in ran.out
    machine = shell.run("verify", "--json", "--store", demo)
    assert machine.status == 1
    (found,) = json.loads(machine.out)
    assert found["ok"] is False
    assert number in [problem["number"] for problem in found["problems"]]


def test_a_state_that_differs_from_a_replay_fails_in_every_form(
    shell: Shell, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "equals what is kept" in shell.ok("replay", "--store", demo)
    assert shell.json("replay", "--store", demo)["equal"] is True
    monkeypatch.setattr(Relationship, "replay", lambda bond: {"rapport": "0" * 64})
    monkeypatch.setattr(Relationship, "digests", lambda bond: {"rapport": "1" * 64})
    for more in ((), ("--json",)):
        ran = shell.run("replay", *more, "--store", demo)
        assert ran.status == 1
        assert "enishi rebuild" in ran.err and len(ran.err.splitlines()) == 1
        assert "0" * 64 in ran.out


def test_a_rebuild_makes_the_index_of_requests_anew(shell: Shell, tmp_path: Path) -> None:
    store = tmp_path / "own.db"
    with fixed_store(store) as opened:
        opened.relationship("Lumi", "Chen").record("Hello.", "Hi.", request="one")
    digests = shell.json("show", "--store", store)["digests"]
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DELETE FROM request")
        connection.commit()
    ran = shell.run("verify", "--store", store)
    assert ran.status == 1 and "index of request ids" in ran.out
    (rebuilt,) = shell.json("rebuild", "--store", store)
    assert rebuilt == {"agent": "Lumi", "user": "Chen", "digests": digests}
    assert "verified" in shell.ok("verify", "--store", store)


def test_the_doctor_tells_a_whole_file_from_a_broken_one(shell: Shell, demo: Path) -> None:
    assert "The file is whole" in shell.ok("doctor", "--store", demo)
    whole = demo.read_bytes()
    index = whole.index(b"LumiChen", 2 * 4096)  # its index names another user than the table
    demo.write_bytes(whole[:index] + b"LumiChem" + whole[index + 8 :])
    ran = shell.run("doctor", "--store", demo)
    assert ran.status == 1
    assert "problem: " in ran.out and "The file is whole" not in ran.out
    machine = shell.run("doctor", "--json", "--store", demo)
    assert machine.status == 1 and json.loads(machine.out)["problems"]


# --- choosing


def test_the_store_can_be_chosen_by_the_environment(
    shell: Shell, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = timeless(shell.json("show", "--store", demo))
    assert "enishi.db does not exist" in shell.refused("show")
    monkeypatch.setenv("ENISHI_STORE", str(demo))
    assert timeless(shell.json("show")) == expected
    assert "store:" not in shell.ok("show")
    assert "nowhere.db does not exist" in shell.refused("show", "--store", "nowhere.db")


def test_the_default_store_is_made_here_and_named(shell: Shell, demo: Path) -> None:
    assert "store: enishi.db" in shell.ok("import", harbour(demo.parent))
    assert demo.with_name("enishi.db").exists()
    assert "store: enishi.db" in shell.ok("log")
    shell.json("log")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    path = tmp_path / "shared.db"
    with fixed_store(path) as store:
        for agent, user in (("lumi", "chen"), ("lumi", "ann"), ("sol", "chen"), ("nix", "bo")):
            bond = store.relationship(agent, user)
            bond.record(f"{user} greets {agent}", f"{agent} greets {user}")
    return path


def test_where_there_are_several_one_is_chosen(shell: Shell, shared: Path) -> None:
    refusal = shell.refused("log", "--store", shared, status=2)
    assert "4 such relationships" in refusal and "--agent 'lumi' --user 'chen'" in refusal
    assert "2 such" in shell.refused("log", "--agent", "lumi", "--store", shared, status=2)
    assert "sol greets chen" in shell.ok("log", "--agent", "sol", "--store", shared)
    assert "lumi greets ann" in shell.ok("log", "--user", "ann", "--store", shared)
    both = ("--agent", "lumi", "--user", "chen", "--store", shared)
    assert words(shell.json("log", *both)) == ["chen greets lumi", "lumi greets chen"]
    assert "'nobody'" in shell.refused("log", "--user", "nobody", "--store", shared)
    for command in (("edit", 2, "x"), ("withdraw", 2), ("branch", "new", "x"), ("replay",)):
        shell.refused(*command, "--store", shared, status=2)


def test_all_are_cared_for_unless_one_is_chosen(shell: Shell, shared: Path) -> None:
    at = ("--store", shared)
    assert len(shell.json("list", *at)) == len(shell.json("verify", *at)) == 4
    assert len(shell.json("rebuild", *at)) == 4
    assert [one["user"] for one in shell.json("verify", "--agent", "lumi", *at)] == ["chen", "ann"]
    shell.refused("verify", "--tip", "0" * 64, *at, status=2)  # whose tip?


# --- names, texts and terminals of every kind

NAMES = ["[bold]Lumi[/bold]", "[/]", "🦊‍🔥 Fox", "陈小雨", "x" * 200, "Ann-Lee O'Neil", "a\\[b]"]


@pytest.fixture
def named(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Path, str]]:
    name: str = request.param
    path = tmp_path / "named.db"
    with fixed_store(path) as store:
        bond = store.relationship(name, f"{name[:199]}!")
        bond.record(f"{name} [red]or[/red] 你好 :smile:\nand on", "*sits* [link=x]" + "long " * 500)
        bond.fork(f"{name[:190]} again")
    yield path, name


@pytest.mark.parametrize("named", NAMES, indirect=True)
@pytest.mark.parametrize("columns", [36, 200])
def test_names_and_texts_are_shown_as_they_are(
    named: tuple[Path, str], columns: int, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, name = named
    monkeypatch.setenv("COLUMNS", str(columns))
    log = shell.ok("log", "--store", path)
    assert f"{name} [red]or[/red] 你好 :smile:\nand on" in log
    assert "*sits* [link=x]" + "long " * 500 in log
    for command in (("verify",), ("show",), ("rebuild",), ("why", 2)):
        assert name in shell.ok(*command, "--store", path)
    if columns == 200:
        for table in ("list", "branch list"):
            assert squeezed(name)[:40] in squeezed(shell.ok(*table.split(), "--store", path))
    again = f"{name[:190]} again"
    shell.ok("branch", "switch", again, "--store", path)
    assert again in shell.ok("show", "--store", path)


@pytest.mark.parametrize("columns", [20, 60, 300])
def test_tables_keep_to_the_width_of_the_terminal(
    columns: int, shell: Shell, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("list", "branch list", "log --events", "decisions"):
        told = shell.ok(*command.split(), "--store", demo)
        assert max(len(row) for row in told.splitlines()[1:]) <= columns


def test_a_text_gives_no_orders_to_the_terminal(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    with fixed_store(path) as store:
        bond = store.relationship("Lumi", "Chen")
        bond.record("\x1b[2J\x1b]0;owned\x07 look\rover\x9bthere\x7f", "a\tb\nc")
    told = shell.ok("log", "--store", path)
    assert not set(told) & {"\x1b", "\x07", "\r", "\x9b", "\x7f"}
    assert "owned" in told and "\nc\n" in told
    assert words(turns(shell, path))[0].startswith("\x1b[2J")  # the record is as received


# --- help, version, signals


def commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, *path, name)  # type: ignore[arg-type]


TREE: Any = typer.main.get_command(app)
COMMANDS = list(commands(TREE))


def test_the_help_says_first_how_to_start(shell: Shell) -> None:
    told = [row.strip() for row in shell.ok("--help").splitlines() if row.strip()]
    assert told[0].startswith("Usage: enishi")
    assert told[1] == "Start with: enishi demo, then enishi import CHAT"


def test_there_are_no_more_commands_than_a_person_can_survey() -> None:
    """The thirty-one of the design, where a group such as `branch` is one."""
    leaves = [path for path, command in COMMANDS if not hasattr(command, "commands")]
    assert len({path[0] for path, _ in COMMANDS}) <= 31
    assert {"demo", "import", "list", "log", "show", "why"} <= {path[0] for path in leaves}


def test_every_command_and_every_option_has_a_help_text(shell: Shell) -> None:
    overview = squeezed(shell.ok("--help") + shell.ok("branch", "--help"))
    for path, command in COMMANDS:
        assert command.help, path
        assert squeezed(command.help.splitlines()[0]) in overview.replace("│", "") or path[1:]
        for parameter in command.params:
            if isinstance(parameter, click.Option) or hasattr(parameter, "hidden"):
                assert getattr(parameter, "help", None) or len(path) > 1, (path, parameter.name)
        assert squeezed(command.help.split(". ")[0]) in squeezed(shell.ok(*path, "--help"))


def test_without_any_command_the_help_is_shown_and_nothing_else_said(shell: Shell) -> None:
    for arguments in ((), ("branch",)):
        ran = shell.run(*arguments)
        assert ran.status == 2
        assert "Usage: enishi" in ran.out + ran.err
        assert "enishi: " not in ran.err


def test_a_wrong_command_is_one_line(shell: Shell) -> None:
    for arguments in (("bogus",), ("log", "--bogus"), ("import",), ("edit", "x", "y")):
        assert "See: enishi --help" in shell.refused(*arguments, status=2)


def test_ctrl_c_is_one_line_and_status_130(
    shell: Shell, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(bond: Relationship) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(Relationship, "turns", interrupted)
    ran = shell.run("log", "--store", demo)
    assert ran.status == 130
    assert ran.err.split("\n") in (["enishi: stopped", ""], ["", "enishi: stopped", ""])


def test_a_fault_of_the_program_is_one_line_unless_more_is_wanted(
    shell: Shell, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(bond: Relationship) -> NoReturn:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(Relationship, "turns", faulty)
    ran = shell.run("log", "--store", demo)
    assert ran.status == 1
    assert ran.err.startswith("enishi: a fault of the program (ZeroDivisionError: two lines)")
    assert len(ran.err.splitlines()) == 1
    monkeypatch.setenv("ENISHI_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        shell.run("log", "--store", demo)


def test_the_version_is_told_without_loading_what_it_does_not_need() -> None:
    script = (
        "import sys; from enishi.cli import run; status = run(['--version']);"
        "slow = {'pydantic', 'sqlite_utils', 'rich', 'sqlite3', 'msgpack', 'enishi.host'};"
        "print(status, sorted(slow & sys.modules.keys()))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    version, rest = ran.stdout.splitlines()
    assert version.startswith("enishi 0.")
    assert (rest, ran.stderr) == ("0 []", "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end differently there")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_that_has_seen_enough_is_no_error(more: tuple[str, ...], demo: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "enishi.cli", "log", "--last", "0", "--store", str(demo), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 0


def test_a_terminal_of_another_encoding_is_no_error(demo: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "enishi.cli", "show", "--store", str(demo)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Lumi and Chen" in ran.stdout


MISTYPED = [
    (("propose", "x"), "'turn': 'x' is no whole number. See: enishi --help"),
    (("swipe", "1.5", "1"), "'1.5' is no whole number."),
    (("correct", "", "wrong"), "'' is no whole number."),
    (("log", "--last", "-1"), "'--last': '-1' is below 0."),
    (("recall", "tea", "--budget", "viel"), "'--budget': 'viel' is no whole number."),
    (("recall", "茶", "--budget", "许多"), "'许多' is no whole number."),
    (("export", "--format", "pdf"), "'--format': 'pdf' is not one of 'erii', "),
]


@pytest.mark.parametrize(("arguments", "words"), MISTYPED, ids=range(len(MISTYPED)))
def test_what_was_mistyped_is_told_in_our_words(
    shell: Shell, arguments: tuple[str, ...], words: str
) -> None:
    told = shell.refused(*arguments, status=2)
    assert words in told and not re.search("Input should|Value error|unable to parse", told)


@pytest.mark.parametrize(
    "typed", [("shwo",), ("show", "--stoer", "s.db"), ("swipe", "x"), ("swipe",)]
)
def test_what_was_mistyped_is_told_in_whole_sentences(shell: Shell, typed: tuple[str, ...]) -> None:
    told = shell.refused(*typed, status=2)
    assert re.fullmatch(r"enishi: .*\w['’)\]]*[.?] See: enishi --help\n?", told), told
