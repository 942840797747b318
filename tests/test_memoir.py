"""Memoirs: the relationship told for people, in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from helpers import Shell, fixed_store
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import (
    Citation,
    Consequence,
    Felt,
    Mood,
    Promise,
    PromiseOutcome,
    Proposal,
    Reflection,
)
from enishi.kernel.transcript import Text
from enishi.packs.showing.memoir import _plain

START = datetime(2025, 12, 31, 22, tzinfo=timezone(timedelta(hours=8)))

TALK = (
    ("I am so tired.", "I promise to wake you at seven."),
    ("You never came.", "Leave me alone."),
    ("That hurt me. But you woke me at seven today.", "I am ashamed of it."),
)
TALK_ZH = (
    ("今天好累。", "我答应明天七点叫你起床。"),
    ("你没有来。", "别来烦我。"),
    ("你伤了我的心。不过你今天七点叫我起床了。", "我很惭愧。"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "enishi.db") as opened:
        yield opened


def whole(text: Text) -> tuple[Citation, ...]:
    return (Citation(text=text.number, start=0, end=len(text.content or "")),)


def lived(store: Store, talk: tuple[tuple[str, str], ...] = TALK) -> Relationship:
    """Two evenings: somebody is tired and promised something, is hurt, and the promise is kept."""
    bond = store.relationship("Lumi", "Chen")
    for n, (said, reply) in enumerate(talk):
        bond.record(said, reply, at=START + timedelta(days=3 * (n > 0), minutes=n))

    def add(proposal: Proposal) -> int:
        (decided,) = bond.propose(None, [proposal])
        assert decided.event is not None, decided
        return decided.event

    tired, hurt, kept = bond.turns()
    assert tired.reply and hurt.reply and kept.reply
    act = "wake you at seven" if talk is TALK else "明天七点叫你起床"
    felt = Felt(valence=-0.8, fatigue=0.9)
    cited = whole(tired.messages[0])
    add(Mood(party="user", felt=felt, intensity="strong", citations=cited))
    promised = add(Promise(promiser="agent", act=act, citations=whole(tired.reply)))
    both = whole(hurt.reply) + whole(kept.messages[0])
    harmed = add(Consequence(effect="harm", bearer="user", citations=both))
    ended = PromiseOutcome(promise=promised, outcome="kept", citations=whole(kept.messages[0]))
    add(ended)
    quoted = whole(kept.reply)
    for audience, words in (("agent", "I was cruel."), ("user", "I should not have said it.")):
        add(Reflection(event=harmed, words=words, audience=audience, citations=quoted))  # type: ignore[arg-type]
    bond.split(hurt)
    return bond


def test_what_happened_is_told_in_its_own_words(store: Store) -> None:
    told = lived(store).memoir()
    assert told.startswith("# Lumi · Chen\n\n*31 Dec 2025 – 3 Jan 2026 · 3 turns*\n")
    assert re.search(
        r"^## 2025\n\n### 1 · 31 Dec · .*\n\n> \*\*Chen\*\*: “I am so tired\.”", told, re.MULTILINE
    )
    assert "Chen was very low, worn out when they parted." in told
    assert (
        "- 31 Dec 2025 · Lumi promised: “wake you at seven” – kept, 3 Jan 2026 (episodes 1, 2)"
        in told
    )
    assert "harm – not spoken of\n  > **Lumi**: “Leave me alone.”" in told
    assert told.endswith("\n") and "\n\n\n" not in told


def test_thoughts_that_the_agent_kept_to_itself_are_told_to_it_alone(store: Store) -> None:
    bond = lived(store)
    assert "I should not have said it" in bond.memoir()
    assert "cruel" not in bond.memoir() and "cruel" not in bond.memoir("user")
    assert "I was cruel" in bond.memoir("agent")


def test_chinese_is_told_in_chinese(store: Store) -> None:
    told = lived(store, TALK_ZH).memoir()
    assert "*2025年12月31日 – 2026年1月3日 · 3 轮对话*" in told
    assert (
        "- 2025年12月31日 · Lumi答应过：「明天七点叫你起床」 – 做到了，2026年1月3日（第 1、2 段）"
        in told
    )
    assert "伤害 – 没有谈过\n  > **Lumi**：「别来烦我。」" in told
    assert "分开的时候，Chen情绪很低落、疲惫不堪。" in told


def test_what_was_erased_or_unchosen_is_not_told(store: Store) -> None:
    bond = lived(store)
    bond.erase(bond.turns()[0])
    bond.regenerate(bond.turns()[1], "I am sorry.")
    told = bond.memoir()
    assert not re.search("tired|promise|alone|harm", told)
    assert "woke me at seven" in told


def test_a_relationship_without_words_says_so(store: Store) -> None:
    assert "Nothing has been said yet." in store.relationship("Lumi", "Chen").memoir()
    untimed = store.relationship("Lumi", "Jo")
    assert "# Lumi · Jo" in untimed.memoir()


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)


@settings(max_examples=100, deadline=None)
@given(words)
def test_no_words_become_markup(text: str) -> None:
    shown = _plain(text)
    assert re.sub(r"\\([^A-Za-z0-9\s])", r"\1", shown) == " ".join(text.split())
    for mark in "*_`[<#&":
        assert re.sub(r"\\.", "", shown).count(mark) == 0


def test_telling_changes_nothing_and_says_the_same_again(store: Store) -> None:
    bond = lived(store)
    before = bond.digests(), len(bond.records()), bond.memoir("agent")
    assert (bond.digests(), len(bond.records()), bond.memoir("agent")) == before


def test_the_command_writes_each_format(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = Shell(capsys, monkeypatch)
    with fixed_store(tmp_path / "enishi.db") as opened:
        bond = lived(opened)
        told, all_told = bond.memoir(), bond.memoir("agent")
    assert "Lumi-Chen.md tells of Lumi and Chen." in shell.ok("export", "--format", "memoir")
    assert (tmp_path / "Lumi-Chen.md").read_text("utf-8") == told
    assert "choose another name" in shell.refused("export", "--format", "memoir")
    shell.ok("export", "all.md", "--format", "memoir", "--audience", "agent")
    assert (tmp_path / "all.md").read_text("utf-8") == all_told
    assert shell.json("export", "--format", "sillytavern") == {
        "path": "Lumi-Chen.jsonl",
        "lines": 7,
    }
    assert shell.json("export", "plain.jsonl", "--format", "jsonl")["lines"] == 7
    shell.ok("import", "Lumi-Chen.jsonl", "--store", "other.db", "--zone", "Asia/Tokyo")
    here, there = shell.json("log"), shell.json("log", "--store", "other.db")
    assert [turn["happened"] for turn in here] == [turn["happened"] for turn in there]
    for wrong in (("--until", "3"), ("--to", "age1x"), ("--withhold", "2"), ("--passphrase",)):
        assert "--format erii" in shell.refused("export", "--format", "jsonl", *wrong, status=2)
    assert "--audience" in shell.refused(
        "export", "--format", "jsonl", "--audience", "user", status=2
    )
    shell.refused("export", "--format", "pdf", status=2)
