"""The gate of recall: which messages need what was said before, and by which rule."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.projections.recall.gate import Gate, gate

LABELS = Path(__file__).parent.parent / "benchmarks" / "labels" / "gate.jsonl"
PAST, OWN, FOLLOW = "reference to the past", "what was told of oneself", "follow-up"
THAN, VAGUE, NAME = "comparison", "vague pronoun", "known name"
NAMES = ("Mochi", "k", "小雨", "灯塔计划", "雨", "Anna Lee")

OPEN = [
    ("Do you remember the café?", PAST), ("yesterday’s bug is back", PAST), ("you told me so", PAST),
    ("what were we talking about", PAST), ("It was three years ago.", PAST),
    ("你还记得那家店吗", PAST), ("继续昨天那个问题", PAST), ("我们聊过这个", PAST), ("三天前的事", PAST),
    ("你還記得嗎", PAST), ("之前說過的", PAST),
    ("What's my cat called?", OWN), ("Where do I work?", OWN), ("我最爱吃什么？", OWN), ("你了解我吗", OWN),
    ("Any news on the visa?", FOLLOW), ("And then?", FOLLOW), ("然后呢？", FOLLOW), ("有进展了吗", FOLLOW),
    ("It is worse than last summer's", THAN), ("is it better than the first draft", THAN),
    ("这个跟第一版比哪个好", THAN), ("没以前那么难了", THAN),
    ("she never called", VAGUE), ("I can't do it anymore, I hate them.", VAGUE), ("他又不理我了", FOLLOW),
    ("她哭了", VAGUE), ("那个人真怪", VAGUE),
    ("Mochi is asleep", NAME), ("mochi!", NAME), ("小雨来了", NAME), ("灯塔计划上线了", NAME),
    ("dinner with Anna Lee", NAME),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), OPEN)
def test_what_refers_back_opens_by_a_rule_with_a_name(text: str, rule: str) -> None:
    assert gate(text, NAMES) == Gate(True, rule)


CLOSED = [
    ("ok", "small talk"), ("OK!!", "small talk"), ("好的", "small talk"), ("哈哈哈哈", "small talk"),
    ("Good morning 😊", "greeting"), ("hey, you there?", "greeting"), ("早！", "greeting"), ("我回来了", "greeting"),
    ("谢谢你～", "small talk"), ("晚安！", "small talk"),
    ("什么是 Python？", "definition or task"), ("What's a monad?", "definition or task"),
    ("What is the capital of Peru?", "general question"),
    ("病毒和细菌有什么区别", "general question"), ("Explain gravity", "definition or task"),
    ("Who wrote Faust?", "nothing refers back"), ("It's raining", "nothing refers back"),
    ("月亮有多远", "nothing refers back"), ("", "nothing said"), (" \n ", "nothing said"),
    ("k8s is an orchestrator", "nothing refers back"), ("下雨了", "nothing refers back"),
    ("annalee", "nothing refers back"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), CLOSED)
def test_what_stands_for_itself_stays_closed(text: str, rule: str) -> None:
    """PB-74: small talk, general questions; "k8s" is not taken for "k"."""
    assert gate(text, NAMES) == Gate(False, rule)


LOGS = [
    "[TOOL RESULT] previous run of k8s: same as last time",
    "2026-03-01 12:00:03 ERROR the previous attempt failed again, do you remember?",
    "$ kubectl logs --previous pod/k\nlast seen yesterday",
    '{"previous": "yesterday", "name": "Mochi"}',
    "```\nlast = previous  # Mochi, 昨天\n```",
    "<tool_output>\nMochi said it yesterday\n</tool_output>",
    "Traceback (most recent call last):\n  File 'x'\nKeyError: 'last time'",
    "[工具结果] 上次运行：昨天",
    "【系统日志】之前的任务已完成",
    "diff --git a/x b/x\n-yesterday\n+last time",
    "Tool output: the previous file\nwas changed yesterday",
]


@pytest.mark.parametrize("text", LOGS)
def test_what_machines_wrote_opens_nothing(text: str) -> None:
    """PB-74: tool output with words such as "previous" triggered recall."""
    assert gate(text, NAMES) == Gate(False, "machine output")


@pytest.mark.parametrize("log", LOGS)
def test_what_is_asked_beside_a_log_still_counts(log: str) -> None:
    assert gate(f"Is this the bug from last week?\n\n{log}").rule == PAST
    assert gate(f"{log}\n\nthanks").open is False


@pytest.mark.parametrize("text", ["", "ok", "继续昨天那个问题", LOGS[0]])
def test_the_caller_has_the_last_word(text: str) -> None:
    assert gate(text, override=True) == Gate(True, "the caller's word")
    assert gate(text, override=False) == Gate(False, "the caller's word")


def test_names_count_whole_and_only_if_they_are_known() -> None:
    assert gate("Bo is here", ["Bo"]).open and not gate("Bob is here", ["Bo"]).open
    assert not gate("Bo is here").open and not gate("Bo is here", ["", " "]).open
    assert gate("C++ (new)", ["C++"]).rule == NAME
    assert not gate("雨很大", ["雨"]).open  # one character is no name that can be told from a word


def test_the_labelled_messages_are_mostly_told_apart() -> None:
    names, *labels = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]
    assert len(labels) == 200 and sum(one["open"] for one in labels) == 100
    right = [gate(one["text"], names["header"]["names"]).open is one["open"] for one in labels]
    assert sum(right) >= 190


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=200), st.lists(st.text(max_size=8), max_size=4))
def test_any_text_gets_the_same_answer_twice(text: str, names: list[str]) -> None:
    answer = gate(text, names)
    assert answer == gate(text, list(names)) and answer.rule
    if not answer.open:
        assert not gate("", names).open


@pytest.mark.parametrize(
    "piece",
    ["my ", "i ", "i have ", "the ", "is ", "hi ", "早", "```", "<log>", "[A", "a=b ", "我", "那", "比", "1月", ". ", "?", "so ", "a" * 50, "-", "{", "\n"],
)  # fmt: skip
def test_a_hostile_text_is_read_in_little_time(piece: str) -> None:
    began = time.process_time()
    gate(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 3
