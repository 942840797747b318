"""The bundled observer of moods: whose feeling it tells, and where it keeps silent."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enishi.kernel.deciding.proposals import Mood, Proposer, ReadText, Role
from enishi.kernel.rules.observer import CLEAR, LONGEST_SENTENCE, MOST_PROPOSALS, MoodObserver
from enishi.kernel.words.feelings import load

OBSERVER = MoodObserver()


def moods(content: str, role: Role = "user") -> list[Mood]:
    text = ReadText(number=7, turn=1, role=role, speaker=role, name="Chen", content=content)
    found = OBSERVER.propose([text])
    assert all(isinstance(mood, Mood) for mood in found)
    return cast(list[Mood], found)


def value(content: str, name: str) -> float | None:
    """What the only mood of a text says of one value."""
    (mood,) = moods(content)
    return cast("float | None", getattr(mood.felt, name))


SHOWN = [
    # what is said, and what it must show: value, below or above
    ("I'm exhausted.", "fatigue", 0.7, 1),
    ("im so tired", "fatigue", 0.6, 1),
    ("Sooooo tired today", "fatigue", 0.6, 1),
    ("I'm spent.", "fatigue", 0.7, 1),
    ("I'm beat, it was a long one.", "fatigue", 0.7, 1),
    ("I'm a little sad and tired.", "valence", -1, -0.2),
    ("I could sleep for a week.", "fatigue", 0.7, 1),
    ("My head is exploding.", "fatigue", 0.6, 1),
    ("I slept like a baby!", "fatigue", 0, 0.2),
    ("I'm not tired at all.", "fatigue", 0, 0.3),
    ("I'm worried sick about tomorrow.", "confidence", 0, 0.4),
    ("What a relief!", "valence", 0.3, 1),
    ("Phew.", "valence", 0.3, 1),
    ("I can't wait for Saturday!!", "arousal", 0.7, 1),
    ("I've never been so proud of myself.", "valence", 0.5, 1),
    ("I'm not happy with this.", "valence", -1, -0.1),
    ("I am no longer scared.", "confidence", 0.5, 1),
    ("I can do this, I'm confident.", "confidence", 0.7, 1),
    ("He makes me so happy.", "valence", 0.5, 1),
    ("You made me cry.", "valence", -1, -0.4),
    ("She left me.", "valence", -1, -0.6),
    ("My dog died.", "valence", -1, -0.6),
    ("I'm proud of you.", "valence", 0.5, 1),
    ("I hope you're well, but I'm sad today.", "valence", -1, -0.4),
    ("ugh, mondays 😩", "valence", -1, -0.3),
    ("my brother is furious 😂", "valence", 0.3, 1),
    ("my boss is angry 😰", "confidence", 0, 0.4),
    ("我老板生气了😰", "confidence", 0, 0.4),
    ("she's tired, and I'm tired 😴", "fatigue", 0.6, 1),
    ("😭😭", "valence", -1, -0.4),
    ("home at last ❤️", "valence", 0.4, 1),
    ("broke my favourite mug 💔", "valence", -1, -0.5),
    ("done for today :(", "valence", -1, -0.4),
    ("好累啊", "fatigue", 0.6, 1),
    ("累死我了", "fatigue", 0.8, 1),
    ("头都炸了！", "fatigue", 0.6, 1),
    ("我真的撑不下去了", "valence", -1, -0.6),
    ("不累，精神很好", "fatigue", 0, 0.3),
    ("我一点都不开心", "valence", -1, -0.1),
    ("我再也不害怕了", "confidence", 0.5, 1),
    ("有点慌", "confidence", 0, 0.4),
    ("终于松了口气", "valence", 0.3, 1),
    ("唉，又下雨了。", "valence", -1, -0.3),
    ("我舍不得你。", "valence", 0.4, 1),
    ("We had a great day!", "valence", 0.4, 1),
    ("太激动了！！", "arousal", 0.7, 1),
    ("我忍不住哭了", "valence", -1, -0.4),
    ("我好开心呀～", "valence", 0.5, 1),
    ("今天心情不错", "valence", 0.3, 1),
    ("我為自己感到驕傲", "valence", 0.5, 1),
    ("我好疲憊，壓力好大", "fatigue", 0.6, 1),
    ("气死我了", "arousal", 0.7, 1),
    ("我为他感到高兴", "valence", 0.5, 1),
    ("他让我很失望", "valence", -1, -0.3),
    ("呜呜呜 QAQ", "valence", -1, -0.4),
    ("今日はとても困った 😭", "valence", -1, -0.4),
    ("好累の一天", "fatigue", 0.6, 1),
    ("今天 so tired", "fatigue", 0.6, 1),
    ("ＳＯ　ＴＩＲＥＤ", "fatigue", 0.6, 1),
]

SILENT = [
    "my brother is furious 😡",
    "My sister is so tired 😴",
    "我弟弟气疯了😡",
    "她很难过😢",
    "A happy ending.",
    "A sad accident.",
    "I met an angry aunt.",
    "I wrote a sad article.",
    "She is exhausted.",
    "My sister is worried sick.",
    "You look tired.",
    "You must be so happy!",
    "Sarah is sad.",
    "Are you tired?",
    "Why would anyone be angry?",
    "If I fail, I'll be devastated.",
    "I would be so happy with that.",
    'He said "I am so tired".',
    "> I'm furious",
    "*yawns, exhausted*",
    "In the movie I cried all night, in this story I was a terrified clown.",
    "When I was a kid I was so lonely.",
    "I think he is angry.",
    "Remember the low-impact exercises.",
    "焦虑是一种常见的问题。",
    "多亏了你的提醒。",
    "很高兴为您服务。",
    "I heard Sarah is miserable.",
    "I want you to be happy.",
    "I hope she is excited.",
    "People are scared.",
    "Good morning!",
    "Hello there",
    "The train leaves at nine.",
    "Could you send me the list?",
    "I went down the stairs to the lost and found.",
    "她很累。",
    "我妈最近很累，一直睡不好。",
    "朵朵今天很难过。",
    "你看起来好累。",
    "你累吗？",
    "你开心吗",
    "如果考砸了，我会很难过。",
    "他说：“我好累。”",
    "故事里的我好害怕。",
    "小时候我很孤单。",
    "别难过，别担心。",
    "我觉得小明很累",
    "早上好！",
    "早。",
    "下班了",
    "帮我查一下明天去上海的火车。",
    "我在听音乐，喝可乐。",
    "这个问题很困难，积累经验吧。",
    "祝你开心。",
    # words that lean, within others that do not, and in what everybody says every day
    "今天天气不错，空气很好。",
    "中午吃了猪肉炖粉条。",
    "我家狗狗三岁了，叫豆豆。",
    "这个项目要用混凝土。",
    "先把硬盘装好，再把视频剪断。",
    "春光灿烂，适合出去走走。",
    "气温降了，要多穿衣服。",
    "杀鸡焉用牛刀。",
    "练完用泡沫轴滚一滚小腿。",
    "为了早起，我有个死规矩。",
    "晚上和朋友吃饭，听音乐，看电影。",
    "孩子明天开学，我爱人去送。",
    "不用了，没有什么要买的。",
    "我没看见，别的地方找找，怎么走都行。",
    "你听过哪些摇滚乐队吗？",
    "我上火车了，上火锅店等你。",
    "我要炸鸡，再熬了一锅粥。",
    "我说服了他，他克服了困难，换了衣服了。",
    "饭凉了，叶子黄了。",
    "我没用过这个软件，也没睡午觉。",
    "麻烦你帮我订票。",
    "我爱上海，也爱上学。",
    "我看恐怖片。",
    "我学乐理，听爵士乐和管弦乐。",
    "我有急事先走，缺乏经验，拖累了大家。",
    "我对细腻的画风挺好奇的。",
    "我感冒药吃完了，买了意外险。",
    "我想你可以试试。",
    "I need a new phone, mine is old.",
    "My sister has a bad cold.",
    "I might be late, I have to work on Sunday.",
    "Would you book a table for two?",
    "I spent ten minutes on it, then I beat the level.",
    "I drained the pasta and shattered the glass.",
    "I wrote a happy ending.",
    "I bought a Lonely Planet guide.",
    "I'm dead serious, this is the way to the bank.",
    # long and plain: small leanings of many sentences add up, and no one of them leans
    (
        "I make the soup first. Then I cut the bread, and I use the oven for the rest of it. My brother"
        " brings the cheese and a bottle of juice. We eat at seven, and after that we play cards until ten."
    ),
    (
        "The course starts in May. I learn the basics of pottery there, and how to use the wheel. My sister"
        " joins me for the second half of it. We meet each Thursday at six, and each of us brings a drink."
    ),
    "哎，这个点子不错！",
    "平时训练我可舍不得穿。",
    "每当焦虑的时候，我就去跑步。",
    "Have a great day.",
    "Sometimes when I'm tired from work, I sing.",
    "我听音乐来缓解烦躁。",
    "快吃吧，凉了就不好吃了。",
    "Oh man, sorry to hear that, Melanie.",
    "困ったときは言ってね。",
    "私は急いでいます。",
    "電車で泣いていた。",
    # wishes
    "I hope it works.",
    "I wish you a nice evening.",
    "Hope you're doing great!",
    "希望能顺利落地吧。",
    "但愿一切顺利，大家都喜欢。",
    "",
    "。。。",
    "12345",
]


def test_it_is_a_proposer() -> None:
    assert isinstance(OBSERVER, Proposer)
    assert OBSERVER.version == MoodObserver().version


@pytest.mark.parametrize(("content", "name", "low", "high"), SHOWN)
def test_plain_words_show_it(content: str, name: str, low: float, high: float) -> None:
    shown = [getattr(mood.felt, name) for mood in moods(content)]
    known = [one for one in shown if one is not None]
    assert known and all(low <= one <= high for one in known), shown


@pytest.mark.parametrize("content", SILENT)
def test_it_keeps_silent_about_what_is_no_feeling_of_the_speaker(content: str) -> None:
    assert moods(content) == []


@pytest.mark.parametrize(
    ("content", "strength"),
    [
        ("I'm a bit sad.", "weak"),
        ("I'm sad.", "moderate"),
        ("I'm so sad.", "strong"),
        ("I'm sad!!!", "strong"),
        ("我有点难过", "weak"),
        ("我难过", "moderate"),
        ("我非常难过", "strong"),
        ("我难过死了", "strong"),
    ],
)
def test_what_stands_beside_a_word_makes_it_stronger_or_weaker(content: str, strength: str) -> None:
    (mood,) = moods(content)
    assert mood.intensity == strength


@pytest.mark.parametrize(
    "content",
    [
        "I'm excited but exhausted.",
        "好期待，不过累死了。",
        "I'm happy and scared at the same time.",
    ],
)
def test_mixed_feelings_are_two_proposals(content: str) -> None:
    good, bad = moods(content)
    assert (good.felt.valence or 0) > 0 > (bad.felt.valence or 0)


@pytest.mark.parametrize(
    ("plain", "denied"),
    [
        ("I'm happy.", "I'm not so happy."),
        ("I'm proud of it.", "I am not very proud of it."),
        ("我很开心", "我不怎么开心"),
        ("我有信心", "我没有信心"),
        ("我害怕", "我不害怕"),
        ("刚才很烦躁", "刚才的烦躁真的烟消云散了"),
        ("焦虑感很重", "焦虑感基本就没了"),
        ("I have anxiety.", "My anxiety is gone."),
    ],
)
def test_a_negation_turns_it_round(plain: str, denied: str) -> None:
    before, after = moods(plain)[0].felt, moods(denied)[0].felt
    assert before.valence and after.valence and before.valence * after.valence < 0


def test_what_has_gone_is_the_feeling_and_nothing_else() -> None:
    for content in ("I'm sad that summer is gone.", "我很难过钱包没了"):
        assert all((mood.felt.valence or 0) < -0.4 for mood in moods(content)) and moods(content)


def test_two_negations_are_less_than_none() -> None:
    for content in ("我不是不开心", "I'm not unhappy."):
        (mood,) = moods(content)
        assert 0 < (mood.felt.valence or 0) < 0.3 and mood.intensity == "weak"


def test_words_of_praise_show_weakly_and_in_valence_alone() -> None:
    (mood,) = moods("This soup is wonderful, thanks for the recipe.")
    assert mood.intensity in ("weak", "moderate") and (mood.felt.valence or 0) > 0.2
    (mood,) = moods("That stupid idiot ruined the whole show.")
    assert mood.intensity == "weak" and set(mood.felt.model_dump(exclude_none=True)) == {"valence"}


@pytest.mark.parametrize(
    "content",
    [
        "I would love to see that, it sounds wonderful.",
        "That will be awesome, congratulations!",
        "This could be the best gift, thank you.",
        "我喜欢摇滚，也可能会喜欢这个乐队。",
        "太好了，谢谢，大概会很顺利。",
    ],
)
def test_praise_of_what_will_or_might_be_is_praise(content: str) -> None:
    (mood,) = moods(content)
    assert mood.intensity == "weak" and (mood.felt.valence or 0) > 0.2
    assert set(mood.felt.model_dump(exclude_none=True)) == {"valence"}


def test_it_scores_what_the_speaker_shows_and_nobody_else() -> None:
    for content in (
        "She is exhausted.",
        'He said "I hate you".',
        "我妈最近很累。",
        "Good morning!",
    ):
        score = OBSERVER.score(content)
        assert max(score) <= 0 or score.apart == 0, content
    for content in ("Why are you such an idiot?", "你有良心吗？"):
        assert OBSERVER.score(content).apart < 0 and moods(content) == [], content
    assert OBSERVER.score("I'm so happy!").apart > 0 > OBSERVER.score("我好难过。").apart


def test_the_party_is_the_speaker() -> None:
    assert [mood.party for mood in moods("I'm sad.", "user")] == ["user"]
    assert [mood.party for mood in moods("I'm sad.", "agent")] == ["agent"]
    assert moods("I'm sad.", "other") == []


def test_every_sentence_is_cited_by_itself() -> None:
    content = "  Hello.  I'm so sad!! 😭 The train was late.\n我好累。"
    quotes = [mood.citations[0].quote for mood in moods(content)]
    assert quotes[0] == "I'm so sad!!" and quotes[-1] == "我好累。"
    for mood in moods(content):
        (cited,) = mood.citations
        assert cited.text == 7 and content[cited.start : cited.end] == cited.quote
        assert mood.scorer == OBSERVER.scorer


def test_the_spelling_of_a_script_does_not_matter() -> None:
    for simplified, traditional in [
        ("我好紧张，压力好大", "我好緊張，壓力好大"),
        ("我很骄傲", "我很驕傲"),
        ("终于松了一口气", "終於鬆了一口氣"),
    ]:
        assert [m.felt for m in moods(simplified)] == [m.felt for m in moods(traditional)] != []


def test_long_texts_are_bounded() -> None:
    assert moods("so tired " * LONGEST_SENTENCE) == []
    assert len(moods("I'm sad. " * 100)) == MOST_PROPOSALS


def test_hits_and_weights_are_integers() -> None:
    leaning = OBSERVER.score("I love this so much, but it's a horrible mess!")
    assert isinstance(leaning.good, int) and isinstance(leaning.valence, int)
    assert -10_000 < leaning.valence < 10_000
    feelings = load()
    sentence = feelings.sentence(feelings.fold("I'm so tired"), 0, 12)
    assert all(
        isinstance(one, int)
        for hit in feelings.hits(sentence)
        for one in feelings.felt(hit).values()
    )


WORDS = st.sampled_from(
    [
        "i'm",
        "you",
        "he",
        "not",
        "so",
        "tired",
        "happy",
        "if",
        "but",
        "was",
        "?",
        "!",
        ".",
        ",",
        "\n",
        "我",
        "他",
        "不",
        "很",
        "累",
        "开心",
        "怕",
        "吗",
        "如果",
        "。",
        "😭",
        "❤️",
        "👩🏽\u200d💻",
        '"',
        "”",
        "「",
        "*",
        ">",
        ":(",
        "zzz",
        "good",
        "morning",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)))
@example("I'm sad \U0001f3fb")  # the tone of a skin, and no face
@example("\ufe0f\u200d\U0001f3ff\u200d\U0001f3ff")
def test_no_text_harms_it_and_every_span_is_exact(content: str) -> None:
    for mood in moods(content):
        (cited,) = mood.citations
        assert cited.start is not None and cited.end is not None
        assert 0 <= cited.start < cited.end <= len(content)
        assert content[cited.start : cited.end] == cited.quote
        assert mood.felt.model_dump(exclude_none=True)
    assert moods(content) == moods(content)
    OBSERVER.score(content)


def test_the_same_under_every_hash_seed() -> None:
    script = (
        "from enishi.kernel.rules.observer import MoodObserver as M;"
        "from enishi.kernel.deciding.proposals import ReadText as R;"
        "say = lambda c: R(number=1, turn=1, role='user', speaker='u', name='u', content=c);"
        "o = M();"
        f"print(o.version, [m.model_dump_json() for m in o.propose([say(c) for c in {[s[0] for s in SHOWN]!r}])])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout
        for seed in ("1", "77")
    }  # fmt: skip
    assert len(printed) == 1


def test_a_mark_beside_chinese_words_leans_nowhere() -> None:
    assert OBSERVER.score("宾果！") == OBSERVER.score("宾果。") == (0, 0)
    (mood,) = moods("出发！这汤太美味了，谢谢。")
    assert mood.citations[0].quote == "这汤太美味了，谢谢。"


def test_a_sentence_must_lean_clearly() -> None:
    assert CLEAR > 0
    assert moods("The meeting was moved to the second floor.") == []


def test_a_joined_emoji_is_read_whole_where_it_is_known_and_else_by_its_first() -> None:
    assert moods("Okay 😮\u200d💨")[0].felt != moods("Okay 😮")[0].felt
    assert moods("Okay ❤\ufe0f\u200d🔥")[0].felt == moods("Okay ❤")[0].felt
    assert moods("Okay 👍🏿")[0].felt == moods("Okay 👍")[0].felt
