"""Whether words follow from the words that are cited for them."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.moments import parse_moment
from enishi.kernel.words.carried import (
    Said,
    _edges,
    folded,
    is_yes,
    negated,
    negations,
    nothing_added,
    value_follows,
    wording_follows,
)
from enishi.kernel.words.sentences import sentence_at
from enishi.kernel.words.wide_names import wide_names

WEDNESDAY = parse_moment("2026-03-04T12:00+00:00")


def said(text: str, quote: str | None = None) -> list[Said]:
    quote = text if quote is None else quote
    start = text.index(quote)
    return [Said(text, start, start + len(quote), WEDNESDAY)]


# Names


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("和小明去吃饭", "我们去吃饭吧"), ("给李雷打电话", "我明天给你打电话"),
        ("陪王小明看电影", "陪你看电影"), ("与欧阳娜娜合影", "合影"), ("送给韓梅梅", "送给你"),
        ("去见老王", "去见你"), ("给阿强做饭", "给你做饭"), ("听李老师的课", "去听课"),
        ("和李雷去吃饭", "和李丽去吃饭"), ("Call Tom", "I will call you"),
        ("Maybe ask Ann", "I will ask"), ("和Tom吃饭", "我们去吃饭"),
        # Transliterated, given names alone, those that are words as well, places.
        ("约翰会来接你", "我会来接你"), ("和玛丽去吃饭", "我们去吃饭吧"), ("请安娜吃饭", "请你吃饭"),
        ("帶約翰去看海", "带你去看海"), ("教大卫画画", "教你画画"), ("告诉爱丽丝", "告诉你"),
        ("晓明要考试", "我要考试"), ("明天陪雨桐看病", "明天陪你看病"), ("请婷婷唱歌", "请你唱歌"),
        ("和小雨一起散步", "一起散步吧"), ("给建国打电话", "给你打电话"), ("陪毛毛玩", "陪你玩"),
        ("小雪六月搬去了那边", "小雨六月搬去了那边"), ("小雪说她累了", "她说她累了"), ("她妹妹小雪", "她妹妹"),
        ("小雪很难过", "她很难过"), ("小雪和用户去了那边", "他们去了那边"), ("豆豆累了", "她累了"),
        ("去杭州旅行", "去旅行"), ("学日语", "学外语"), ("go to hangzhou", "I will go on a trip"),
        # Japanese and Korean.
        ("ジョンに電話する", "電話するよ"), ("田中さんに会う", "会いに行く"), ("佐藤と話す", "話すよ"),
        ("민수와 밥을 먹다", "밥을 먹자"), ("김영수 씨를 만나다", "만나자"), ("존에게 전화하다", "전화할게"),
    ],
)  # fmt: skip
def test_a_name_that_nobody_said_is_noticed(wording: str, text: str) -> None:
    assert not nothing_added(wording, said(text))
    assert nothing_added(wording, said(f"{text}（{wording}）"))
    names = [*wide_names(wording), *wording.split(), "Tom"]
    assert nothing_added(wording, said(text), names)


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("和汤姆吃饭", "I will have dinner with Tom"), ("have dinner with Tom", "我会和汤姆吃饭"),
        ("call John", "我会给約翰打电话"), ("给小明打电话", "I will call Xiaoming"),
        ("call Xiaoming", "我给小明打电话"), ("call Xiao Ming", "我给小明打电话"), ("ask Wang Lei", "我问王雷"),
        ("ask Lei Wang", "我问王雷"), ("ask Professor Zhang", "我问张教授"), ("问张教授", "I will ask Professor Zhang"),
        ("bring Ah Jie", "我会带阿杰来"), ("给李偉打電話", "给李伟打电话"), ("给李伟打电话", "給李偉打電話"),
        ("call Robert", "I will call Bob"), ("meet Sato", "佐藤さんに会う"), ("meet Minsu", "민수를 만날 거야"),
        ("learn Japanese", "我要学日语"), ("吃法国菜", "I will eat French food with you"), ("go to Hangzhou", "我会去杭州"),
        ("去冲绳", "I will travel to Okinawa"), ("visit New York", "我会去纽约"),
    ],
)  # fmt: skip
def test_a_name_may_be_written_as_another_language_does(wording: str, text: str) -> None:
    assert nothing_added(wording, said(text))


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("call Tom", "我会给约翰打电话"), ("和汤姆吃饭", "I will have dinner with John"), ("call Ming", "明天打电话"),
        ("call Xiaohong", "我给小明打电话"), ("给小红打电话", "I will call Xiaoming"), ("ask Wang Mei", "我问王雷"),
        ("learn Korean", "我要学日语"), ("去大阪", "I will travel to Okinawa"), ("给李丽打电话", "給李偉打電話"),
    ],
)  # fmt: skip
def test_another_name_is_not_the_same_in_another_language(wording: str, text: str) -> None:
    assert not nothing_added(wording, said(text))


@pytest.mark.parametrize(
    "wording",
    [
        "高兴地去江边走走", "周末一起看海", "一张小桌子", "照顾好自己，小心一点", "也许任何时候都行",
        "健康最重要", "下周一去公园", "谢谢你陪我", "提高成绩", "写毛笔字", "在森林里散步", "学韩式按摩",
        "马上就来", "克服困难", "安静一点", "外面下着小雨", "在小雪里走路", "小雪下了一夜",
        "小雨说下就下", "小雪很大", "静静等待的快乐", "小雨，小雪，都很美", "女儿文静可爱", "静静地说", "建国以前的事", "建军队，建平台", "建民宿",
        "大家明天见", "国家强大", "祖国伟大", "儿子豪爽", "优秀英姿", "大海波涛", "可欣赏的画", "美丽华贵", "麦克风坏了",
        "马克杯里的茶", "穿马丁靴", "阿里巴巴", "大卫生间", "其中国家很多", "玉米兰花", "大理石桌子", "变成都市人", "立军令状",
        "お母さんに電話する", "皆さんこんにちは", "たくさん食べる", "赤ちゃんが泣く", "날씨가 좋다", "아가씨", "글씨를 쓰다",
        "Maybe I was cruel. Looking back, I am sorry.", "Call you. Then walk home.",
        "Tell the Doctor and Mom on Wednesdays.",
    ],
)  # fmt: skip
def test_common_words_are_no_names(wording: str) -> None:
    assert nothing_added(wording, said("x"))


# Values


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Paris", "I live in Paris."), ("paris", "I live in PARIS."), ("Paris", "Paris’s art"),
        ("green tea", "I like green  tea"), ("cat", "two cats"), ("paint", "I like painting"),
        ("Paris", "我住在巴黎"), ("巴黎", "I live in Paris"), ("New York", "我住在纽约"),
        ("巴黎", "我住在巴黎"), ("茶", "我喜欢喝茶"), ("ABC", "ＡＢＣ"), ("O'Brien", "I am O’Brien"),
        ("35", "I am 35."), ("35", "I am thirty-five."), ("35", "我三十五岁"), ("三十五", "I am 35"), ("twenty-five", "I am 25"), ("30", "三十分钟"),
        ("2", "两只猫"), ("1200", "1,200 kilometres"), ("5", "005"), ("35kg", "35kg"),
        ("2026-03-05", "tomorrow"), ("2026-03-05", "明天"), ("2025", "last year"), ("2025", "去年"),
        ("1990-05-01", "born on May 1, 1990"), ("1990-05", "1990年5月1日"), ("1996", "thirty years ago"),
        ("C++", "I write C++."), ("tea", "我喜欢喝绿茶"), ("coffee", "我喜欢咖啡，不喜欢茶"), ("strong coffee", "我爱喝浓咖啡"), ("7.5", "size 7.5"), ("married", "she will marry Tom"),
    ],
)  # fmt: skip
def test_a_value_that_stands_there_or_follows(value: str, text: str) -> None:
    assert value_follows(value, said(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Paris", "hello"), ("tea", "I steam rice"), ("tea", "my team"), ("art", "I start now"),
        ("cat", "a vacation"), ("3", "I am 35"), ("5", "I am 35"), ("35", "3.35"), ("1", "1.5"),
        ("2026-03-02", "hello"), ("2026-03-06", "tomorrow"), ("2024", "last year"), ("2", "hello"),
        ("巴黎", "你好"), ("London", "我住在巴黎"), ("伦敦", "I live in Paris"), ("Tom", "tomorrow"),
        (" ", "I live in Paris"), ("35", "I am twenty-five"), ("china", "I saw Chinatown"),
        ("tea", "我很喜欢喝咖啡"), ("咖啡", "I drink green tea every day"), ("beef", "我最爱吃饺子"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_said(value: str, text: str) -> None:
    assert not value_follows(value, said(text))


def test_a_value_stands_in_the_cited_words_and_not_beside_them() -> None:
    assert not value_follows("Paris", said("I live in Paris, not here.", "not here"))
    assert value_follows("Paris", [*said("Hello"), *said("In Paris")])


# Free wording


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("call you", "I will call you tomorrow"), ("calling you", "I will call you"),
        ("paint the house", "I am painting our house"), ("visit Ann", "I will visit Ann's house"),
        ("call on 2026-03-05", "I will call tomorrow"), ("pay 300 euros", "I pay three hundred euros"),
        ("给你打电话", "我明天给你打电话"), ("say that she is married", "我们去年在巴黎结婚了"),
        ("在巴黎结婚", "We married in Paris years ago"), ("they married in Paris", "我们在巴黎结婚了"),
        ("周三去Ann家", "我周三去 Ann 家"), ("go to Hong Kong", "我们一定去香港玩"), ("do it", "I will do it, promise"),
    ],
)  # fmt: skip
def test_a_wording_may_paraphrase_and_change_language(wording: str, text: str) -> None:
    assert wording_follows(wording, said(text))


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("they married in Paris", "hello"), ("they married in Paris", "they married in Rome"),
        ("call Tom", "I will call tomorrow"), ("call Ann", "I will call Hannah"),
        ("call you 3 times", "I will call you"), ("call on 2026-03-06", "I will call tomorrow"),
        ("call you", "hello"), ("在巴黎结婚", "We married in Berlin years ago"), ("我们结婚", "我们去吃饭"),
        ("他们在巴黎结婚", "你好"), ("marry me", "你好"), ("和Tom结婚", "我们结婚吧"), ("你会来吗", "我会给你"),
        ("buy a house", "I will call you"), ("", ""), ("call", ""),
    ],
)  # fmt: skip
def test_a_wording_that_is_not_said(wording: str, text: str) -> None:
    assert not wording_follows(wording, said(text))


def test_a_continuation_adds_no_name_number_or_day() -> None:
    cited = said("The exam is on Monday.")
    assert nothing_added("ask how it went", cited)
    for added in ("ask Ann", "ask 3 times", "ask on 2026-03-10", "去巴黎"):
        assert not nothing_added(added, cited)


# Negation


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I like tea", 0), ("I don't like tea", 1), ("I don’t like tea", 1), ("I never do", 1),
        ("I can't not love you", 2), ("nobody doesn't", 2), ("neither Tom nor Ann", 1), ("I won't forget to call", 0), ("not any more", 1), ("no longer", 1),
        ("not only tea", 0), ("I can't wait", 0), ("no doubt", 0), ("don't worry", 0),
        ("notable knots", 0), ("you like it, don't you?", 0), ("know, now, nose", 0),
        ("我喜欢茶", 0), ("我不喜欢茶", 1), ("我没去过", 1), ("我不是不喜欢", 2), ("不能不去", 2),
        ("不得不去", 0), ("没有人不知道", 2), ("你是不是喜欢", 0), ("有没有", 0), ("喜不喜欢", 0),
        ("不错", 0), ("特别好", 0), ("莫斯科", 0), ("未来", 0), ("只要不下雨", 1), ("对花生不过敏", 1),
        ("不过我喜欢", 0), ("差不多", 0), ("没关系", 0), ("别走", 1), ("我不会忘记打电话", 0), ("讨厌茶", 1), ("", 0),
    ],
)  # fmt: skip
def test_negations_are_counted(text: str, count: int) -> None:
    assert negations(text) == count


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("I don't like tea.", "tea", True), ("I don't like tea. I like milk.", "milk", False),
        ("I don't like tea and milk.", "milk", True), ("I don't like tea, but milk.", "milk", False),
        ("I used to like tea, but not any more.", "I used to like tea", True),
        ("I like tea, don't you?", "I like tea", False), ("I like tea. No?", "I like tea", False),
        ("我不喜欢茶、咖啡。", "咖啡", True), ("我不喜欢茶，我喜欢咖啡。", "咖啡", False),
        ("我喜欢茶。没有！", "我喜欢茶", True), ("我喜欢茶。真的！", "我喜欢茶", False),
    ],
)  # fmt: skip
def test_a_short_quote_cuts_no_negation_off(text: str, quote: str, expected: bool) -> None:
    assert negated(said(text, quote)) is expected


def test_of_many_clauses_those_count_that_speak_of_it() -> None:
    cited = said("I like tea, I don't like milk, 我不喜欢咖啡，我喜欢糖")
    assert [negated(cited, one) for one in ("tea", "milk", "咖啡", "糖", "")] == [
        False, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["yes", "Yes!", "Yes, yes.", "Yes. I do.", "是的", "对，没错", "嗯", "好的！"]
)
def test_a_short_yes(text: str) -> None:
    assert is_yes(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "no", "yes?", "Yesterday", "yes but no", "yes, but no", "yes, not really", "是吗", "不是",
        "对不起", "对，但是搬走了", "yes, " + "and then " * 9, "是的，" + "后来我就离开了那里" * 3, "Yes, I used to.",
    ],
)  # fmt: skip
def test_no_short_yes(text: str) -> None:
    assert not is_yes(text)


# Any text

TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "I",
                "not",
                "don't",
                "like",
                "tea",
                "Paris",
                "巴黎",
                "不",
                "是",
                "喜",
                "没",
                ",",
                ".",
                "，",
                "。",
                "and",
                "but",
                "or",
                "3",
                "三",
                "百",
                "yes",
                "?",
                "2026",
            ]
        )
        | st.just(" "),
        max_size=25,
    ).map("".join),
)


@settings(deadline=None)
@given(TEXT, TEXT, st.data())
def test_any_words_are_judged_without_a_fault(value: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    cited = [Said(text, start, data.draw(st.integers(start, len(text))), None)]
    value_follows(value, cited)
    wording_follows(value, cited)
    negated(cited, value)
    is_yes(text)
    assert cited[0].words in cited[0].clause
    assert folded(folded(text)) == folded(text)


@settings(deadline=None)
@given(TEXT.filter(lambda text: bool(folded(text))))
def test_a_text_follows_from_itself(text: str) -> None:
    assert value_follows(text, said(text))


PIECES = [
    "not ",
    ",",
    "， ",
    "but ",
    ", and i ",
    "a, b or ",
    "不",
    "是不",
    "tea ",
    "I'",
    "Paris ",
    "yes, ",
    "茶、",
    "9,",
    "Ann ",
    "小明",
]


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_words_take_time_in_step_with_their_length(piece: str) -> None:
    def taken(size: int) -> float:
        text = piece * (size // len(piece))
        cited = [Said(text, 0, 4, WEDNESDAY), Said(text, 0, len(text), WEDNESDAY)]
        _edges.cache_clear()
        start = time.process_time()
        for judge in (value_follows, wording_follows):
            judge("In Rome 35 茶不好, or tea with Wang Lei and 王雷", cited)
        negated(cited, "tea 茶不好")
        partial(is_yes, text)()
        return time.process_time() - start

    short = min(taken(2_000) for _ in range(3))
    # Eight times as long: eight times as slow, where squares would be sixty-four times.
    assert min(taken(16_000) for _ in range(3)) < 32 * max(short, 0.002)


def test_many_short_quotes_of_one_long_text_walk_it_once() -> None:
    text = "I like tea, but not milk. " * 4_000
    at = range(0, len(text) - 4, 26)
    start = time.process_time()
    clauses = {Said(text, n + 7, n + 10, WEDNESDAY).clause for n in at}
    spans = {sentence_at(text, n + 7, n + 10)[0] for n in at}
    assert time.process_time() - start < 10
    assert clauses == {"I like tea", " I like tea"} and len(spans) == len(at)
