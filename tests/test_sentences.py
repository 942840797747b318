"""Where sentences begin and end."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.words.sentences import asides, sentence_at, sentences, spoken


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One", ["One"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Really?! Yes...", ["Really?!", "Yes..."]),
        ("It is 3.5 metres. Good.", ["It is 3.5 metres.", "Good."]),
        ("On March 12.如果我在。", ["On March 12.", "如果我在。"]),
        ("1.苹果\n 2.梨。3.5元。", ["1.苹果", "2.梨。", "3.5元。"]),
        ("Mr. Lee came. Dr. Wu left.", ["Mr. Lee came.", "Dr. Wu left."]),
        ("Fruit, e.g. plums, and nuts. Fine.", ["Fruit, e.g. plums, and nuts.", "Fine."]),
        ("At 8 p.m. we ate. At 9 p.m. We slept.", ["At 8 p.m. we ate.", "At 9 p.m.", "We slept."]),
        ("J. R. Smith said so.", ["J. R. Smith said so."]),
        ("So do I. You too.", ["So do I.", "You too."]),
        ("1. Bread\n2. Milk", ["1. Bread", "2. Milk"]),
        ("I have 3. You have 4.", ["I have 3.", "You have 4."]),
        ("See example.com/a?b=1 now.", ["See example.com/a?b=1 now."]),
        ('"I go." She went.', ['"I go."', "She went."]),
        ('"Stop!" she said. Then: go.', ['"Stop!" she said.', "Then: go."]),
        ("i was wrong. i'm sorry.", ["i was wrong.", "i'm sorry."]),
        ("*sighs.* Fine. (Really.) Yes", ["*sighs.*", "Fine.", "(Really.)", "Yes"]),
        ("Line one\nLine two\r\n\r\nThree", ["Line one", "Line two", "Three"]),
        ("你好。我来了！走吗？走", ["你好。", "我来了！", "走吗？", "走"]),
        ("他说：“走吧。”我走了。", ["他说：“走吧。”", "我走了。"]),
        ("「好。」她笑。", ["「好。」", "她笑。"]),
        ("我……我错了。真的", ["我……", "我错了。", "真的"]),
        ("好的.谢谢!再见", ["好的.", "谢谢!", "再见"]),
        ("身高1.8米。对", ["身高1.8米。", "对"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_the_sentence_at_a_span() -> None:
    text = "One here. Two there.  Three."
    assert sentence_at(text, 4, 8) == (0, 9)
    assert sentence_at(text, 10, 13) == (10, 20)
    assert sentence_at(text, 4, 13) == (0, 20)
    assert sentence_at(text, 0, len(text)) == (0, len(text))
    assert sentence_at(text, 12, 12) == (10, 20)
    assert sentence_at(text, 20, 21) == (20, 21)
    assert sentence_at("", 0, 0) == (0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Well, I go.", "Well, I go."),
        ('He said "no" twice.', "He said \0\0\0\0 twice."),
        ("说「不」了", "说\0\0\0了"),
        ("“not closed", "\0" * 11),
        ('"Go." *He nods.*', "\nGo.\n " + "\n" * 10),
        ("\"He said 'no' twice.\"", "\nHe said \0\0\0\0 twice.\n"),
        ("I *wave* <b>now</b>", "I \n\n\n\n\n\n    now    "),
        ("> old\nnew `x`", "\n\n\n\n\n\nnew \n\n\n"),
        ("2 * 3 and don't", "2 * 3 and don't"),
    ],
)
def test_what_its_author_says(text: str, expected: str) -> None:
    assert spoken(text, asides(['""', "“”", "「」", "''"])) == expected


TEXTS = st.text(alphabet=st.sampled_from(list("aI3 .!?…。！？\"'”」)*\n\r中Mr")) | st.characters())


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_spans_are_in_order_and_lose_nothing_but_white_space(text: str) -> None:
    spans = list(sentences(text))
    assert spans == list(sentences(text))
    assert all(start < end for start, end in spans)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    outside = "".join(text[end:start] for end, start in zip(edges[::2], edges[1::2], strict=True))
    assert outside.strip() == ""


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_the_sentence_covers_the_span(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    low, high = sentence_at(text, start, end)
    assert low <= start and end <= high <= len(text)


@pytest.mark.parametrize(
    "unit", ["a. ", "...", "\n", " ", "。", '."', "1. ", "Mr. ", "a.a", "x" * 9]
)
def test_linear(unit: str) -> None:
    text = unit * ((1 << 17) // len(unit))
    begun = time.process_time()
    assert all(start < end for start, end in sentences(text))
    assert time.process_time() - begun < 10
