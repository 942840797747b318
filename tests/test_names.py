"""Names without a capital, nicknames, and given names alone: noticed where nobody said them."""

from __future__ import annotations

from importlib.resources import files

import pytest

from enishi.kernel.words.latin_names import names_without_capital
from enishi.kernel.words.names import common_words, missing_names, names_in

# What is written without a capital


@pytest.mark.parametrize(
    ("wording", "missing"),
    [
        # From the table, wherever they stand, however they are inflected and accented.
        ("met greta at the lake", ["greta"]), ("promised peter a call", ["peter"]), ("dinner w/ anna", ["anna"]),
        ("kevin's exam", ["kevin's"]), ("thinks that nathan is right", ["nathan"]), ("call jürgen", ["jürgen"]),
        ("lunch with giulia and xiaoming", ["giulia", "xiaoming"]), ("saw mrs fitzgerald", ["fitzgerald"]),
        ("Emily came", ["Emily"]), ("kelly came", ["kelly"]),
        # Words as well: where a person is met, told, called, or says something.
        ("met mark", ["mark"]), ("told will to come", ["will"]), ("call bill back", ["bill"]),
        ("had lunch with frank", ["frank"]), ("rose said sorry", ["rose"]), ("is going out with grace", ["grace"]),
        ("invited dawn to the party", ["dawn"]), ("they say that hope told him", ["hope"]),
        # Any word, behind a title and where something living has it for its name.
        ("asked mr. quillan", ["quillan"]), ("a friend named thrain", ["thrain"]), ("named the cat biscuit", ["biscuit"]),
    ],
)  # fmt: skip
def test_a_name_without_a_capital_is_noticed(wording: str, missing: list[str]) -> None:
    assert missing_names(wording, "somebody was there") == missing
    assert missing_names(wording, f"i said: {wording}.") == []
    assert missing_names(wording, " ".join(missing).title()) == []


@pytest.mark.parametrize(
    "wording",
    [
        "will mark the date in may", "asked frank questions", "met mark requirements", "met with grace and patience", "call for help",
        "she drew a rose", "the bill is paid", "i hope so", "dinner with ginger", "a ray of light, said to be rare",
        "ate a charlotte and a madeleine", "is the oscar worth it", "an aloe vera plant", "a bloody mary, please", "tom yum soup",
        "for pete's sake", "saint peter's church", "the rain peters out", "went through 1000 ms ping", "a few ms later", "mr right", "mr and mrs",
        "a friend named after his uncle", "named the dog after her", "called the cat over", "fika, ramen and hygge", "iPhone and ikea",
    ],
)  # fmt: skip
def test_a_word_without_a_capital_is_mostly_no_name(wording: str) -> None:
    assert missing_names(wording, "x") == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("josé", "I met Jose."),
        ("Zoe", "i met zoë"),
        ("Jurgen", "Jürgen called"),
        ("strauß", "Strauss"),
    ],
)
def test_accents_may_be_left_out(name: str, words: str) -> None:
    assert missing_names(f"met {name}", words) == []


def test_a_lower_case_name_is_said_in_another_language() -> None:
    assert missing_names("call peter", "我给彼得打电话") == []
    assert missing_names("call xiaoming", "我给小明打电话") == []
    assert missing_names("call peter", "我给约翰打电话") == ["peter"]


def test_names_without_a_capital_are_found_by_whoever_asks() -> None:
    assert list(names_in("greta told me that Mark is ill, and mark said so")) == [
        "greta",
        "mark",
        "mark",
    ]
    assert names_without_capital("") == set()


def test_the_table_of_names_is_small_and_holds_no_common_word() -> None:
    text = files("enishi.kernel.words").joinpath("latin_names.txt").read_text("utf-8")
    names = [one for row in text.splitlines() if not row.startswith("#") for one in row.split()]
    assert names == sorted(set(names)) and len(text) < 40_000
    assert all(name.isascii() and name.isalpha() and name.islower() for name in names)
    assert not common_words() & set(names)


# Chinese names


@pytest.mark.parametrize(
    ("wording", "missing"),
    [
        # A given name alone, by characters that hardly stand in anything else.
        ("给沐晴买礼物", ["沐晴"]), ("想念静姝", ["静姝"]), ("书瑶搬去了国外", ["书瑶"]), ("和昊然吵架了", ["昊然"]), ("帮诗蕊搬家", ["诗蕊"]),
        ("邀请婉莹来家里", ["婉莹"]), ("芷蘭病了", ["芷兰"]), ("她是薇薇", ["薇薇"]), ("担心子昂的身体", ["子昂"]),
        # Nicknames, where a person is spoken of.
        ("跟小胖打球", ["小胖"]), ("和胖子一起钓鱼", ["胖子"]), ("大刘请客吃饭", ["大刘"]), ("给阿花打电话", ["阿花"]), ("跟丫丫说晚安", ["丫丫"]),
        ("带嘟嘟去医院", ["嘟嘟"]), ("问老K借钱", ["K"]),
        # A family name with any given name, there too.
        ("和周可去旅行", ["周可"]), ("陪陈可心看病", ["陈可心"]), ("林溪说她累了", ["林溪"]), ("和陈宇一起跑步", ["陈宇"]), ("给于春晓打电话", ["于春晓"]), ("别跟戴娜在一起", ["戴娜"]), ("王水很难过", ["王水"]),
    ],
)  # fmt: skip
def test_a_chinese_name_that_nobody_said_is_noticed(wording: str, missing: list[str]) -> None:
    assert missing_names(wording, "昨天的事") == missing
    assert missing_names(wording, f"昨天，{wording}。") == []


@pytest.mark.parametrize(
    "wording",
    [
        "温馨的晚上，琴声悠扬", "俊俏的少年，婀娜的舞姿", "莹莹的泪光", "神采奕奕，气宇轩昂", "睿智而优雅", "学校内涵丰富，涵养很好", "吃冰淇淋和蔷薇饼",
        "在晨曦里做瑜伽", "珊瑚和榕树", "种子昂贵", "夏天沐浴阳光", "知晓天文", "潇洒一点", "和大家一起吃饭", "陪小孩去医院", "跟老板谈了谈", "和奶奶一起包饺子", "请阿姨打扫", "给宝宝洗澡",
        "给自己看看", "跟大夫约了时间", "带小狗去散步", "胖子很多", "和马上走的人", "跟方案一起说", "找钱去", "任何人说他", "谢谢你和我聊", "于是很难过", "刘海很满意", "戴着很难受", "林子里很害怕", "和白菜一起煮", "曾很喜欢她", "找胡同去", "小青菜",
    ],
)  # fmt: skip
def test_a_common_chinese_word_is_no_name(wording: str) -> None:
    assert missing_names(wording, "昨天的事") == []


def test_what_no_table_transcribes_may_be_a_name_of_another_language() -> None:
    assert missing_names("和卡琳娜去吃饭", "I will have dinner with Karina") == []
    assert missing_names("和卡琳娜去吃饭", "我们去吃饭") == ["琳娜"]
    assert missing_names("和安娜去吃饭", "I will have dinner with Karina") == ["安娜"]
