"""Sentences that wish, suppose or ask for effect, and those that only look like it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from enishi.kernel.words.carried import Said
from enishi.kernel.words.earnest import is_jested, is_played, is_rhetorical, is_supposed, is_wished

JUDGES: dict[str, Callable[[Said], bool]] = {
    "wished": is_wished,
    "supposed": is_supposed,
    "rhetorical": is_rhetorical,
    "played": is_played,
}


def judged(text: str) -> set[str]:
    """What is said of the words between the square brackets."""
    start, end = text.index("["), text.index("]") - 1
    said = Said(text.replace("[", "").replace("]", ""), start, end, None)
    return {name for name, judge in JUDGES.items() if judge(said)}


@pytest.mark.parametrize(
    "text",
    [
        "I wish [I lived in Paris].", "I really wish that my [sister were here].",
        "Sometimes I just wish [you would call].", "If only [I had a dog]!",
        "If I won the lottery, [I'd buy a house].", "I would have [called you].",
        "[I'd live in Bali] if I were rich.", "要是[我有一只猫]就好了。", "如果[能住在海边]该多好。",
        "但愿[我不过敏]。", "真希望[我会弹琴]。", "恨不得[现在就住在那里]。", "ＩＦ ＯＮＬＹ [I lived here].",
    ],
)  # fmt: skip
def test_a_wish_says_what_is_not_so(text: str) -> None:
    assert "wished" in judged(text)


@pytest.mark.parametrize(
    "text",
    [
        "If [I live in Paris], I pay more.", "Suppose [I like tea].", "What if [I am allergic]?",
        "And if [I move to Rome], what then?", "如果[我住在巴黎]，会很贵。", "假如[我会开车]。",
        "就算[我喜欢喝茶]，也不多喝。",
    ],
)  # fmt: skip
def test_a_condition_supposes(text: str) -> None:
    assert "supposed" in judged(text)


@pytest.mark.parametrize(
    "text",
    [
        "Who says [I like tea]!", "Well, who told you that [I live here]?", "Since when do [I smoke].",
        "When did I ever [promise to call].", "As if [I'd ever eat meat].", "谁说[我喜欢喝茶]！",
        "难道[我住在这里]。", "我什么时候[答应过你]了。", "[我怎么可能喜欢他]。", "谁答应[陪你去]了？",
    ],
)  # fmt: skip
def test_a_question_for_effect_denies(text: str) -> None:
    assert "rhetorical" in judged(text)


@pytest.mark.parametrize(
    "text",
    [
        "I wish you well, and [I live in Paris].", "I wish I lived in Rome, but [I live in Paris].",
        "If only! [I live in Paris].", "If you call, [I will come].", "If it rains, [I stay home].",
        "[I like tea], if you ask me.", "I know who said it: [I like tea].", "[I would like tea].",
        "I wish you a good night. [I am tired].", "My wish came true: [I live in Paris].",
        "要是住在罗马就好了，可是[我住在巴黎]。", "如果你来，[我就做饭]。", "[我希望你以后叫我小陈]。",
        "只要不是要排队就行，[我喜欢喝茶]。", "I wonder if you could say where [I might go].",
        "他说的，[我喜欢喝茶]。", "谁都知道[我喜欢喝茶]。", "[我住在巴黎]，你呢？",
    ],
)  # fmt: skip
def test_what_is_said_in_earnest(text: str) -> None:
    assert judged(text) == set()


def test_of_what_turns_the_part_counts_that_speaks_of_it() -> None:
    text = "I wish I lived in Rome, but I live in Paris"
    whole = Said(text, 0, len(text), None)
    assert is_wished(whole, "Rome") and not is_wished(whole, "Paris") and not is_wished(whole)


@pytest.mark.parametrize(
    "piece", ["i wish ", "if i were ", "要是", "would if ", "but ", "我什么时候"]
)
def test_hostile_sentences_take_no_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    start = time.process_time()
    for judge in JUDGES.values():
        judge(Said(text, 10_000, 10_010, None))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        "(In the story) [my character Rin killed the king].", "In this role-play [I live in Narnia].",
        "[I'm 200 years old]. Just kidding!", "[I live in Narnia], just kidding.", "[I quit my job]! jk",
        "故事里[我住在海边]。", "（在这个故事里）[我杀了国王]。", "[我两百岁了]，开玩笑的。", "[我辞职了]。逗你玩！",
    ],
)  # fmt: skip
def test_what_calls_itself_a_story_or_a_jest_is_played(text: str) -> None:
    assert "played" in judged(text)


@pytest.mark.parametrize(
    "text",
    [
        "[I like the dragon in the story].", "[I live in Paris], not kidding.", "[I quit my job]. No joke.",
        "[I live in Paris]. I was just kidding about Rome.", "[我喜欢开玩笑]。", "[我住在北京]，没开玩笑。",
        "[我喜欢故事里的龙]。", "In the story of my life [I moved to Paris].", "[brb, dentist at 5]",
    ],
)  # fmt: skip
def test_what_only_speaks_of_stories_and_jests_is_in_earnest(text: str) -> None:
    assert "played" not in judged(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lol I'm 200 years old", "200"), ("I'm like 150 yo haha", "150"), ("I turned 1000 years old today 😂", "1000 years old"),
        ("I'm a 300-year-old, lmao", "300"), ("I am 200 years old. Lol", "200"), ("哈哈我今年两百岁了", "200"), ("我已经500岁了哈哈哈", "500"),
        ("我一千岁啦，笑死", "1000"),
    ],
)  # fmt: skip
def test_an_age_that_nobody_has_is_a_jest_where_it_is_laughed_at(text: str, value: str) -> None:
    assert is_jested(Said(text, 0, len(text), None), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lol I'm allergic to peanuts", "peanuts"), ("haha I'm 42 years old", "42"), ("lol I'm 104 years old", "104"), ("I'm 200 years old", "200"),
        ("lol I'm 200 years old but I live in Paris", "Paris"), ("lol the tree is 200 years old", "200"), ("lol I'm 200 km away", "200"),
        ("哈哈我对花生过敏", "花生"), ("我家的树两百岁了哈哈", "200"), ("我三十岁了哈哈", "30"), ("我两百岁了", "200"), ("loll i'm 2 years old at heart", "2"),
        ("Hahaha.\nI am 200 years old", "200"),
    ],
)  # fmt: skip
def test_laughter_alone_is_no_jest(text: str, value: str) -> None:
    start = text.index("I am 200") if "\n" in text else 0
    assert not is_jested(Said(text, start, len(text), None), value)
