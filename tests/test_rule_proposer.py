"""The bundled rules: what they find, where they keep silent, and that no text harms them."""

from __future__ import annotations

import re
import time
import tomllib
from importlib.resources import files
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.deciding.proposals import Proposer, ReadText, Role, Signal, SignalKind
from enishi.kernel.rules.proposer import MOST_PROPOSALS, RuleProposer

RULES = RuleProposer()

ENGLISH = [
    # who speaks, what, and what it shows: kind, who acted
    ("user", "Thank you so much for last night.", "gratitude", "user"),
    ("user", "Oh, thanks!", "gratitude", "user"),
    ("agent", "I really appreciate that, truly.", "gratitude", "agent"),
    ("user", "I can't thank you enough.", "gratitude", "user"),
    ("user", "I just wanted to say thank you.", "gratitude", "user"),
    ("user", "Thanks, how was your day?", "gratitude", "user"),
    ("user", "I've never told anyone about this.", "disclosure", "user"),
    ("user", "My mother passed away in March.", "disclosure", "user"),
    ("agent", "I have a confession.", "disclosure", "agent"),
    ("user", "I've been feeling so lonely.", "disclosure", "user"),
    ("user", "You kept your promise.", "reliability", "agent"),
    ("agent", "I can always count on you.", "reliability", "user"),
    ("agent", "I kept my word.", "reliability", "agent"),
    ("user", "You came back, just like you said you would.", "reliability", "agent"),
    ("user", "You didn't push me, and that mattered.", "boundary_respected", "agent"),
    ("user", "Thank you for respecting my decision.", "boundary_respected", "agent"),
    ("agent", "I won't push you.", "boundary_respected", "agent"),
    ("agent", "You don't have to tell me anything.", "boundary_respected", "agent"),
    ("user", "You read my diary again after I said no.", "boundary_violation", "agent"),
    ("user", "I told you not to touch it.", "boundary_violation", "agent"),
    ("agent", "You went through my messages.", "boundary_violation", "user"),
    ("user", "I shouldn't have read your letters.", "boundary_violation", "user"),
    ("user", "I hate you!", "quarrel", "user"),
    ("agent", "I am so angry with you.", "quarrel", "agent"),
    ("user", "Leave me alone.", "quarrel", "user"),
    ("user", "I'm sorry, I was wrong.", "repair", "user"),
    ("user", "Please forgive me.", "repair", "user"),
    ("agent", "It was all my fault.", "repair", "agent"),
    ("user", "I shouldn't have yelled at you.", "repair", "user"),
    ("agent", "I forgive you.", "repair", "agent"),
    ("user", "I had a wonderful time with you today.", "shared_experience", "user"),
    ("agent", "I love our late-night talks.", "shared_experience", "agent"),
    ("agent", "I remember you telling me about the lighthouse.", "remembrance", "agent"),
    ("user", "You actually remembered my birthday!", "remembrance", "agent"),
    ("agent", "I haven't forgotten what you told me.", "remembrance", "agent"),
    ("agent", "I'll be here tomorrow at eight, I promise.", "pledge", "agent"),
    ("agent", "I promise I'll wait for you.", "pledge", "agent"),
    ("user", "I won't let you down.", "pledge", "user"),
    ("user", "You broke your promise.", "disappointment", "user"),
    ("user", "You lied to me.", "disappointment", "user"),
    ("agent", "I'm so disappointed in you.", "disappointment", "agent"),
    ("user", "You promised to come, but you never showed up.", "disappointment", "user"),
    ("agent", "You're not alone in this.", "support", "agent"),
    ("agent", "I'm so sorry for your loss.", "support", "agent"),
    ("user", "Talking to you always calms me.", "support", "agent"),
    ("agent", "Be kind to yourself.", "support", "agent"),
]

CHINESE = [
    ("user", "谢谢你一直陪着我。", "gratitude", "user"),
    ("user", "謝謝妳的禮物。", "gratitude", "user"),
    ("user", "我真不知道该怎么感谢你。", "gratitude", "user"),
    ("agent", "我非常感激你。", "gratitude", "agent"),
    ("user", "我从来没有对任何人说过这件事。", "disclosure", "user"),
    ("user", "我最近觉得很孤独。", "disclosure", "user"),
    ("user", "我爺爺上週去世了。", "disclosure", "user"),
    ("user", "你果然说到做到。", "reliability", "agent"),
    ("user", "你從來沒有讓我失望。", "reliability", "agent"),
    ("agent", "我遵守了诺言。", "reliability", "agent"),
    ("user", "谢谢你尊重我的决定。", "boundary_respected", "agent"),
    ("agent", "我不会再逼你。", "boundary_respected", "agent"),
    ("agent", "你不用告诉我。", "boundary_respected", "agent"),
    ("user", "你又偷看我的日记。", "boundary_violation", "agent"),
    ("user", "我明明說過不要碰，你還是碰了。", "boundary_violation", "agent"),
    ("agent", "我不该偷看你的手机。", "boundary_violation", "agent"),
    ("user", "我恨你！", "quarrel", "user"),
    ("user", "別煩我！", "quarrel", "user"),
    ("user", "你真是太过分了。", "quarrel", "user"),
    ("user", "对不起，是我错了。", "repair", "user"),
    ("user", "對不起，我不該對你發脾氣。", "repair", "user"),
    ("agent", "我原谅你了。", "repair", "agent"),
    ("user", "我们和好吧。", "repair", "user"),
    ("user", "和你聊天真开心。", "shared_experience", "user"),
    ("agent", "我们一起看过的海，我不会忘。", "shared_experience", "agent"),
    ("agent", "我还记得你说过的话。", "remembrance", "agent"),
    ("user", "没想到你还记得我的生日。", "remembrance", "agent"),
    ("agent", "我保证以后不再迟到。", "pledge", "agent"),
    ("agent", "我會一直陪著你。", "pledge", "agent"),
    ("agent", "我明天一定来。", "pledge", "agent"),
    ("user", "你让我很失望。", "disappointment", "user"),
    ("user", "你騙了我。", "disappointment", "user"),
    ("user", "你答应过我的，可是你没来。", "disappointment", "user"),
    ("user", "你答应过我的，你食言了。", "disappointment", "user"),
    ("user", "You disappointed me.", "disappointment", "user"),
    ("agent", "别难过，有我在。", "support", "agent"),
    ("agent", "我相信你。", "support", "agent"),
    ("user", "你的话让我安心。", "support", "agent"),
]

SILENT = {
    "negation": [
        "I'm not grateful.",
        "I'm not sorry.",
        "I don't hate you.",
        "I can't promise that I'll come.",
        "No, thank you.",
        "不谢。",
        "不用谢谢我。",
        "我没有生气。",
        "这不是对不起就能解决的。",
        "我不恨你。",
        "我没有失望。",
        "You never disappointed me.",
        "你没有骗我。",
    ],
    "third persons": [
        "She thanked me.",
        "My sister said sorry.",
        "He promised to come back.",
        "My brother told me that he hates you.",
        "My boss is angry with you.",
        "Thanks to the rain we stayed in.",
        "Thank God it's over.",
        "他向我道歉。",
        "她说谢谢你。",
        "妈妈答应我一定会来。",
        "我要谢谢老师。",
        "我对他很失望。",
    ],
    "hypotheticals": [
        "If I hurt you I'd be sorry.",
        "If you leave, I hate you.",
        "Imagine that you broke your promise.",
        "I would thank you for it.",
        "如果我骗了你，我就向你道歉。",
        "假如你让我失望，我就走。",
    ],
    "questions": [
        "Are you sorry?",
        "Did I hurt you?",
        "You broke your promise, didn't you?",
        "Do you hate me?",
        "你生气了吗？",
        "你是不是骗了我？",
        "你还记得我吗？",
        "难道是我错了？",
    ],
    "fiction and jokes": [
        "In the story I say that I hate you.",
        "I hate you! lol just kidding",
        "Once upon a time there was a fox. I'm sorry.",
        "故事里我说我恨你。",
        "我恨你，开玩笑的。",
    ],
    "reports": [
        "You said thanks yesterday.",
        "You promised never to leave me.",
        "You told me that I let you down.",
        "I said I'm sorry.",
        "Yesterday you wrote: I'm so grateful to you.",
        "你昨天说谢谢我。",
        "你说过你永远不会离开我。",
        "你答应过永远陪着我。",
        "他说，对不起。",
    ],
    "quotes": [
        'He shouted "I hate you" and left.',
        "The card says “thank you so much”.",
        "She whispered 'I'm sorry' twice.",
        "小明说：“对不起，我错了。”",
        "她對我說「我恨你」。",
        "> I'm sorry, I was wrong.",
        "```\nI'm sorry\n```",
        "Run `thank you` twice.",
    ],
    "lookalikes": [
        "Sorry to bother you.",
        "I'm sorry about Max.",
        "Sorry, you misspelled it.",
        "You'll find it, I promise.",
        "Good luck getting there.",
        "I'm sorry, but I can't do that.",
        "Thanks for nothing.",
        "I'm afraid not.",
        "特别难过的一天。",
        "锅里的水在翻滚。",
        "ありがとう、感謝。",
    ],
    "narration": [
        "*I'm sorry, she thinks.*",
        "*she says thank you*",
        'He nods. "I\'m sorry." He leaves.',
    ],
}

FILLER = ["The train left at nine.", "It rains a little.", "The tea is green.", "今天天气晴。"]


def read(content: str, role: Role = "user", number: int = 7) -> ReadText:
    return ReadText(number=number, turn=1, role=role, speaker="s", name="n", content=content)


def found(content: str, role: Role = "user") -> list[Signal]:
    return [one for one in RULES.propose([read(content, role)]) if isinstance(one, Signal)]


def kinds(content: str) -> set[str]:
    return {signal.signal for signal in found(content)}


@pytest.mark.parametrize(("role", "content", "kind", "actor"), ENGLISH + CHINESE)
def test_what_words_show(role: Role, content: str, kind: SignalKind, actor: str) -> None:
    assert (kind, actor) in {(signal.signal, signal.actor) for signal in found(content, role)}


@pytest.mark.parametrize(
    "content", [pytest.param(text, id=f"{why}-{text}") for why in SILENT for text in SILENT[why]]
)
def test_silent(content: str) -> None:
    assert found(content) == []


def test_every_kind_has_examples_in_both_languages() -> None:
    for examples in (ENGLISH, CHINESE):
        assert {kind for _, _, kind, _ in examples} == set(get_args(SignalKind))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_know_every_kind_and_explain_it(language: str) -> None:
    source = files("enishi.kernel").joinpath("rules", f"{language}.toml").read_text("utf-8")
    assert set(tomllib.loads(source)["signals"]) == set(get_args(SignalKind))
    assert all(f"\n# {kind} " in source for kind in get_args(SignalKind))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_pattern_begins_with_a_letter_and_is_found_fast(language: str) -> None:
    source = files("enishi.kernel").joinpath("rules", f"{language}.toml").read_text("utf-8")
    words = tomllib.loads(source)["words"]
    for patterns in tomllib.loads(source)["signals"].values():
        for pattern in [
            p for side in ("speaker", "listener") for p in _all(patterns.get(side, {}))
        ]:
            for begun in _alternatives(pattern.removeprefix("^"), words):
                assert re.match(r"[a-z0-9\u4e00-\u9fff](?![?*+{])", begun), pattern


def _all(by_strength: dict[str, list[str]]) -> list[str]:
    return [pattern for patterns in by_strength.values() for pattern in patterns]


def _alternatives(pattern: str, words: dict[str, str]) -> list[str]:
    """What may stand at the front of a pattern: its leading group or named list taken apart."""
    if named := re.match("<([a-z_]+)>", pattern):
        return words[named[1]].split("|")
    group = re.match(r"\(([^()]*)\)(?![?*+{])", pattern)
    if not group:
        return [pattern]
    return [part for each in group[1].split("|") for part in _alternatives(each, words)]


def test_it_is_a_proposer_with_a_version_that_names_its_tables() -> None:
    assert isinstance(RULES, Proposer)
    edition, tables = RULES.version.split(".")
    assert edition.isdecimal() and len(tables) == 8
    assert RuleProposer().version == RULES.version


def test_other_speakers_propose_nothing() -> None:
    assert found("Thank you so much. I'm sorry.", "other") == []


def test_one_span_of_the_text_as_received_is_cited() -> None:
    text = read("😀 Well… I’m  SO sorry!", number=42)
    (signal,) = RULES.propose([text])
    (citation,) = signal.citations
    assert citation.text == 42
    assert citation.quote == "I’m  SO sorry"
    assert text.content[citation.start : citation.end] == citation.quote


def test_one_proposal_per_kind_and_sentence_the_strongest() -> None:
    assert [signal.strength for signal in found("Thanks, thank you so much, thanks.")] == ["strong"]
    assert len(found("Thank you. Thank you.")) == 2
    assert kinds("Thank you, and I'm sorry.") == {"gratitude", "repair"}


@pytest.mark.parametrize(
    ("content", "strength"),
    [
        ("Thanks.", "weak"),
        ("Thank you.", "moderate"),
        ("Thank you so much.", "strong"),
        ("I'm sorry.", "weak"),
        ("I'm so sorry.", "moderate"),
        ("I'm sorry I lied.", "moderate"),
        ("I'm a little sorry I lied.", "weak"),
        ("谢谢。", "weak"),
        ("谢谢你。", "moderate"),
        ("真的谢谢你。", "strong"),
    ],
)
def test_degrees(content: str, strength: str) -> None:
    assert [signal.strength for signal in found(content)] == [strength]


@pytest.mark.parametrize(
    "content",
    [
        '"I\'m sorry." *She looks away.*',
        '*She looks away.* "I\'m sorry," *she whispers,* "truly."',
        "“I'm sorry.”",
        "*looks away* I'm sorry.",
        "(OOC: I'm sorry.)",
        "{{user}}, I'm sorry.",
        "I'm <i>so</i> sorry.",
        "「对不起。」*她低下头*",
        "*低下头* 对不起。",
    ],
)
def test_a_characters_own_speech_counts(content: str) -> None:
    assert kinds(content) == {"repair"}


def test_quotes_within_own_speech_do_not_count() -> None:
    assert found("\"He told me 'I hate you' twice.\" *She sighs.*") == []


@given(st.text(max_size=200))
@settings(max_examples=40, deadline=None)
def test_any_text_is_read_without_harm(content: str) -> None:
    assert found(content) == found(content)


PIECES = st.sampled_from(
    [content for _, content, _, _ in ENGLISH + CHINESE]
    + [text for texts in SILENT.values() for text in texts]
    + FILLER
    + ['"', "“", "「", "*", "```", "\n", "> ", "<b>", "'", "?", "😀", "\0", "(", " "]
)


@given(st.lists(PIECES, max_size=12))
@settings(max_examples=40, deadline=None)
def test_what_is_cited_stands_in_the_text(pieces: list[str]) -> None:
    content = "".join(pieces)
    for signal in found(content):
        (citation,) = signal.citations
        assert citation.start is not None and citation.end is not None
        assert 0 <= citation.start < citation.end <= len(content)
        assert citation.quote == content[citation.start : citation.end]


@given(st.lists(st.sampled_from([text for _, text, _, _ in ENGLISH + CHINESE]), max_size=6))
@settings(max_examples=40, deadline=None)
def test_what_a_third_person_is_said_to_have_said_gives_nothing(said: list[str]) -> None:
    inside = " ".join(said)
    assert found(f"My neighbour said: “{inside}”") == []
    assert found(f'"{inside}" is what she wrote in her letter.') == []
    assert found(f"他对我说：「{inside}」") == []


@given(
    st.sampled_from([text for _, text, _, _ in ENGLISH + CHINESE]),
    st.lists(st.sampled_from(FILLER), max_size=4),
    st.lists(st.sampled_from(FILLER), max_size=4),
)
@settings(max_examples=40, deadline=None)
def test_filler_changes_nothing(content: str, before: list[str], after: list[str]) -> None:
    assert kinds(" ".join([*before, content, *after])) == kinds(content)


HOSTILE = [
    "sorry ",
    "not sorry. ",
    "if thank you. ",
    "自私遇见你真好",
    "((((",
    "不",
    "不谢。",
    "i ",
    "i'm so ",
    "really ",
    "i really ",
    "都",
    "我都",
    "真是",
    "“",
    "'a ",
    "*a",
    "<a",
    "```",
    ">\n",
    ". ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    many = unit * ((1 << 20) // len(unit))
    shorter = f"I'm {unit * 40}x thanks 我{unit * 40}x谢谢你. " * 20
    content = f"Thank you. {shorter}{many}"
    begun = time.process_time()
    assert len(found(content)) <= MOST_PROPOSALS
    assert time.process_time() - begun < 10


def test_proposals_are_capped() -> None:
    assert len(found("Thank you. " * 500)) == MOST_PROPOSALS
