"""What is stated outright: beliefs, promises and open loops that the bundled rules find."""

from __future__ import annotations

import re
import time
import tomllib
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.deciding.case import Case, CitedText
from enishi.kernel.deciding.decisions import decide
from enishi.kernel.deciding.proposals import Belief, OpenLoop, Promise, Proposal, ReadText, Role
from enishi.kernel.encoding import Header
from enishi.kernel.history import History
from enishi.kernel.moments import Moment
from enishi.kernel.rules.proposer import MOST_PROPOSALS, RuleProposer, _load
from enishi.kernel.words.vocabulary import published_keys

RULES = RuleProposer()
FRIDAY = Moment.of(datetime(2024, 3, 1, 12, tzinfo=UTC))

ENGLISH = [
    # what the user says, the key, the value; "-" before a key: it is not so
    ("My name is Anna Berg.", "name", "Anna Berg"),
    ("Hi, I'm Sarah.", "name", "Sarah"),
    ("Call me Max!", "address_as", "Max"),
    ("You can call me Lu, if you like.", "address_as", "Lu"),
    ("My friends call me Bee.", "nickname", "Bee"),
    ("I'm 25.", "age", "25"),
    ("I just turned forty-two.", "age", "forty-two"),
    ("My birthday is on March 3rd.", "birthday", "March 3rd"),
    ("I'm Irish.", "nationality", "Irish"),
    ("I live in New York now.", "home_city", "New York"),
    ("I don't live in Paris anymore.", "-home_city", "Paris"),
    ("I'm originally from Berlin.", "hometown", "Berlin"),
    ("Well, I grew up in Buenos Aires.", "hometown", "Buenos Aires"),
    ("I'm a night nurse.", "job", "night nurse"),
    ("I work as a translator for a small press.", "job", "translator"),
    ("I work at a hospital.", "employer", "a hospital"),
    ("I work for Siemens.", "employer", "Siemens"),
    ("I no longer work for Siemens.", "-employer", "Siemens"),
    ("I'm majoring in art history.", "field_of_study", "art history"),
    ("I'm happily married.", "relationship_status", "married"),
    ("My wife is called Mary.", "partner", "Mary"),
    ("My little sister's name is Ana.", "sibling", "Ana"),
    ("My cat's name is Luna.", "pet", "Luna"),
    ("I have a dog.", "pet", "dog"),
    ("I really love long walks in the rain.", "likes", "long walks in the rain"),
    ("I enjoy cooking, you know.", "likes", "cooking"),
    ("I'm a big fan of jazz.", "likes", "jazz"),
    ("I've always loved horses.", "likes", "horses"),
    ("I prefer tea over coffee.", "likes", "tea"),
    ("I'm obsessed with opera.", "likes", "opera"),
    ("I'm definitely a dog person.", "likes", "dog"),
    ("I'm a bit of an introvert.", "identity", "introvert"),
    ("I can't stand loud music.", "dislikes", "loud music"),
    ("I don't like olives.", "dislikes", "olives"),
    ("My favourite colour is blue.", "favourite_colour", "blue"),
    ("My favorite book is “Dune”.", "favourite_book", "Dune"),
    ("My favourite season is autumn.", "likes", "autumn"),
    ("I'm allergic to peanuts.", "allergy", "peanuts"),
    ("I'm vegetarian.", "diet", "vegetarian"),
    ("I don't eat meat.", "diet", "don't eat meat"),
    ("I stopped drinking coffee.", "-drinks", "coffee"),
    ("I quit smoking last year.", "-smokes", "smoking"),
    ("I speak fluent Polish.", "language", "Polish"),
    ("I have type 1 diabetes.", "illness", "type 1 diabetes"),
    ("I'm afraid of heights.", "fear", "heights"),
    ("Don't call me Bob.", "instruction", "Don't call me Bob"),
    ("Please never mention my ex.", "instruction", "Please never mention my ex"),
    ("From now on, answer in French.", "instruction", "From now on, answer in French"),
]

CHINESE = [
    ("我叫李雪。", "name", "李雪"),
    ("你好，我的名字是王峰。", "name", "王峰"),
    ("你可以叫我小雨。", "address_as", "小雨"),
    ("朋友们都叫我阿明。", "nickname", "阿明"),
    ("我今年二十五岁。", "age", "二十五"),
    ("我的生日是三月五号。", "birthday", "三月五号"),
    ("我现在住在北京。", "home_city", "北京"),
    ("我老家在四川。", "hometown", "四川"),
    ("我是東北人。", "hometown", "東北"),
    ("我是一名護士。", "job", "護士"),
    ("我在一家公司上班。", "employer", "公司"),
    ("我还是单身。", "relationship_status", "单身"),
    ("我老婆叫小芳。", "partner", "小芳"),
    ("我女儿叫朵朵。", "child", "朵朵"),
    ("我養了一隻貓。", "pet", "貓"),
    ("我家的狗叫豆豆。", "pet", "豆豆"),
    ("我很喜欢爬山。", "likes", "爬山"),
    ("我爱吃火锅。", "likes", "吃火锅"),
    ("我迷上了滑雪。", "likes", "滑雪"),
    ("我平时喜欢画画。", "likes", "画画"),
    ("我性格比较内向。", "identity", "内向"),
    ("我對攝影很感興趣。", "likes", "攝影"),
    ("我討厭下雨天。", "dislikes", "下雨天"),
    ("我不喜欢香菜。", "dislikes", "香菜"),
    ("我的爱好是钓鱼。", "hobby", "钓鱼"),
    ("我最喜欢的颜色是蓝色。", "favourite_colour", "蓝色"),
    ("我最喜欢的书是《三体》。", "favourite_book", "三体"),
    ("我对花生过敏。", "allergy", "花生"),
    ("我一直吃素。", "diet", "吃素"),
    ("我不吃香菜。", "diet", "不吃香菜"),
    ("我从来不喝酒。", "-drinks", "酒"),
    ("我戒了咖啡。", "-drinks", "咖啡"),
    ("我已经戒烟了。", "-smokes", "烟"),
    ("我有糖尿病。", "illness", "糖尿病"),
    ("我很怕打雷。", "fear", "打雷"),
    ("别再叫我小胖。", "instruction", "别再叫我小胖"),
    ("以后请用中文回答我。", "instruction", "以后请用中文回答我"),
]

PROMISES = [
    # what is said, the act, the day, the condition
    ("I promise I'll call you tomorrow.", "I'll call you tomorrow", "2024-03-02", None),
    ("I promise not to be late.", "not to be late", None, None),
    ("I'll be there at eight, I swear.", "I'll be there at eight", None, None),
    ("I will never lie to you, I promise.", "I will never lie to you", None, None),
    ("I'll bring you the book on Monday.", "I'll bring you the book on Monday", "2024-03-04", None),
    ("If you pass, I promise I'll take you out.", "I'll take you out", None, "you pass"),
    ("I promise to wait if you are late.", "to wait", None, "you are late"),
    ("I'll let you know how it went!", "I'll let you know how it went", None, None),
    ("Sure, I'll send you the photos.", "I'll send you the photos", None, None),
    ("I will definitely keep you posted.", "I will definitely keep you posted", None, None),
    ("Don't worry, I won't let you down.", "I won't let you down", None, None),
    ("I'll call you.", "I'll call you", None, None),
    ("I'll visit you next week.", "I'll visit you next week", "2024-03-10", None),
    ("放心，我不会告诉别人。", "我不会告诉别人", None, None),
    ("我会永远陪着你。", "我会永远陪着你", None, None),
    ("我给你煮碗面。", "我给你煮碗面", None, None),
    ("我再也不骗你了。", "我再也不骗你了", None, None),
    ("我会帮你了解清楚的。", "我会帮你了解清楚的", None, None),
    ("我马上就去办。", "我马上就去办", None, None),
    ("没事，包在我身上。", "包在我身上", None, None),
    ("我答应你明天去看雪。", "明天去看雪", "2024-03-02", None),
    ("我保证以后不再迟到。", "以后不再迟到", None, None),
    ("我一定会回来，我发誓。", "我一定会回来", None, None),
    ("我下周三给你打电话。", "我下周三给你打电话", "2024-03-06", None),
    ("如果你考過了，我保證請你吃飯。", "請你吃飯", None, "你考過了"),
]

LOOPS = [
    ("We're hosting a party next month.", "hosting a party", "2024-04"),
    ("I can't wait to go back next year!", "go back", "2025"),
    ("I need to submit my thesis by Friday.", "submit my thesis", "2024-03-08"),
    ("I've signed up for a marathon next month.", "a marathon", "2024-04"),
    ("I'm hiking with friends this weekend.", "hiking with friends", "2024-03-03"),
    ("我打算这周末去西湖边坐坐。", "去西湖边坐坐", "2024-03-03"),
    ("明天我们要搬家。", "搬家", "2024-03-02"),
    ("I have an exam next Wednesday.", "exam", "2024-03-06"),
    ("The results come on Friday.", "results", "2024-03-08"),
    ("I'm nervous because I've got a job interview on March 12.", "job interview", "2024-03-12"),
    ("I'm moving to Oslo next month.", "moving to Oslo", "2024-04"),
    ("客户会议下周三，好紧张。", "客户会议", "2024-03-06"),
    ("我后天有期末考試。", "期末考試", "2024-03-03"),
    ("后天就要手术了。", "手术", "2024-03-03"),
]

SILENT = {
    "likes of no object": [
        "I love you.",
        "I like that.",
        "I'd like some tea.",
        "I would like to stay.",
        "I like to say what I think.",
        "I love how you laugh.",
        "I love the energy.",
        "我喜欢你。",
        "我喜欢这个。",
        "我爱你。",
        "我也喜欢。",
        "我喜欢上了一个人。",
    ],
    "not what it looks like": [
        "Call me tomorrow.",
        "I'm 100% sure.",
        "I'm 5 minutes away.",
        "I'm from the start against it.",
        "I'm not a nurse.",
        "I'm a good friend.",
        "I'm happy.",
        "I live in hope.",
        "I work at night.",
        "I hate to say it.",
        "I'm afraid so.",
        "我叫你起床。",
        "叫我起床。",
        "我叫了外卖。",
        "我是说你。",
        "我在努力工作。",
        "我不吃了。",
        "别再说了。",
    ],
    "no promise": [
        "I'll go home.",
        "I'll miss you tomorrow.",
        "I'll give you that.",
        "I'll bring her a cake.",
        "I'll call you if I can.",
        "I might send you pictures.",
        "I won't tell you why I did it.",
        "我给你写了一封信。",
        "我给你打电话了。",
        "我给你买了蛋糕。",
        "我给你发消息了，你没回。",
        "我帮你搞定了。",
        "我都替你累。",
        "我陪你去吧。",
        "我给他打电话。",
        "I can't promise I'll come.",
        "I promised to come.",
        "You promised to come tomorrow.",
        "He promised he'll come.",
        "I promise you'll like it.",
        "I promise, it is true.",
        "Do you promise you'll come?",
        "I promise I'll go unless it rains.",
        "我不能保证会来。",
        "我答应过你。",
        "你保证明天来。",
        "我保证这是真的。",
        "我保证你会喜欢。",
        "他答应我明天来。",
        "我明天可能来看你。",
    ],
    "no loop": [
        "I have an exam.",
        "I had an exam yesterday.",
        "I don't have an exam tomorrow.",
        "I have a class every Tuesday.",
        "Do you have an exam tomorrow?",
        "我有考试。",
        "昨天考试考砸了。",
        "下周三不考试。",
        "每周三有会议。",
        "明天有考试吗？",
        "他明天有考试。",
    ],
    "others, stories, jests and supposings": [
        "She said I live in Paris.",
        "My brother is a nurse.",
        "He lives in Oslo.",
        "If I live in Paris, I'm happy.",
        "In the story my name is Anna.",
        "Imagine I live in Oslo.",
        "I live in Narnia. Just kidding!",
        "*I live in Oslo, she thinks.*",
        'He said: "I live in Oslo."',
        "Do I live in Oslo?",
        "I'm a nurse?",
        "> I'm allergic to peanuts.",
        "他叫李雪。",
        "她住在北京。",
        "他说我住在北京。",
        "故事里我叫李雪。",
        "如果我住在北京，就好了。",
        "我是护士吗？",
        "我住在北京，开玩笑的。",
        "小明说：“我住在北京。”",
    ],
}

FILLER = ["The train left at nine.", "It rains a little.", "今天天气晴。", "😀", "Well."]
SAID = [
    *(row[0] for row in ENGLISH + CHINESE),
    *(row[0] for row in PROMISES),
    *(row[0] for row in LOOPS),
]


def read(content: str, role: Role = "user", happened: Moment | None = FRIDAY) -> ReadText:
    return ReadText(
        number=7, turn=1, role=role, speaker="s", name="n", content=content, happened=happened
    )


def found(content: str, role: Role = "user", happened: Moment | None = FRIDAY) -> list[Proposal]:
    proposals = RULES.propose([read(content, role, happened)])
    return [one for one in proposals if one.kind != "signal"]


def beliefs(content: str, role: Role = "user") -> set[tuple[str, str]]:
    return {
        (("" if one.polarity else "-") + one.key, one.value)
        for one in found(content, role)
        if isinstance(one, Belief) and one.subject == role
    }


@pytest.mark.parametrize(("content", "key", "value"), ENGLISH + CHINESE)
def test_beliefs(content: str, key: str, value: str) -> None:
    assert (key, value) in beliefs(content)


@pytest.mark.parametrize(("content", "act", "due", "condition"), PROMISES)
def test_promises(content: str, act: str, due: str | None, condition: str | None) -> None:
    made = [one for one in found(content, "agent") if isinstance(one, Promise)]
    assert [(p.promiser, p.act, p.due, p.condition) for p in made] == [
        ("agent", act, due, condition)
    ]


@pytest.mark.parametrize(("content", "subject", "day"), LOOPS)
def test_loops(content: str, subject: str, day: str) -> None:
    loops = [one for one in found(content) if isinstance(one, OpenLoop)]
    assert [(loop.subject, loop.expected_by) for loop in loops] == [(subject, day)]
    assert loops[0].continuation == loops[0].citations[0].quote


@pytest.mark.parametrize(
    "content", [pytest.param(text, id=f"{why}-{text}") for why in SILENT for text in SILENT[why]]
)
def test_silent(content: str) -> None:
    assert found(content) == []


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        ("下周二我有个面试。", "面试"), ("我下周三有一个面试", "面试"), ("我明天要参加個面試", "面試"), ("我明天要参加一场面试", "面试"),
        ("我后天有节钢琴课", "钢琴课"), ("我明天去做个手术", "手术"), ("我下周二有门诊手术", "门诊手术"), ("我明天有节日演出", "节日演出"),
        ("我养了只猫", "猫"), ("我家有一条狗", "狗"), ("我在一家银行工作", "银行"), ("我在家外企公司上班", "外企公司"),
        ("我在家具公司上班", "家具公司"), ("我最喜欢的食物是一种奶酪", "奶酪"), ("我喜欢种花", "种花"), ("我是一名老师", "老师"),
    ],
)  # fmt: skip
def test_what_counts_a_thing_is_no_part_of_it(content: str, taken: str) -> None:
    assert [getattr(one, "value", getattr(one, "subject", None)) for one in found(content)] == [
        taken
    ]


def test_without_a_moment_no_day_is_known() -> None:
    for words in (
        "I have an exam next Wednesday.",
        "下周我有一场比赛。",
        "I'm moving to Oslo tomorrow.",
    ):
        (loop,) = found(words, happened=None)
        assert isinstance(loop, OpenLoop) and loop.expected_by is None
    # These may have been ahead, or long past.
    for words in ("I have an exam on March 5.", "I had an exam last week.", "我五月五号有考试。"):
        assert found(words, happened=None) == []
    (promise,) = found("I promise I'll call you tomorrow.", happened=None)
    assert isinstance(promise, Promise) and promise.due is None


def test_the_last_day_of_the_calendar_harms_nothing() -> None:
    last = Moment.of(datetime(9999, 12, 31, 12, tzinfo=UTC))
    assert found("I have an exam tomorrow.", happened=last) == []


def test_each_speaks_of_himself_and_only_the_user_instructs() -> None:
    assert beliefs("I live in Oslo.", "agent") == {("home_city", "Oslo")}
    assert found("I live in Oslo.", "other") == []
    assert found("Please never give me sugar.", "agent") == []


def test_one_belief_of_a_key_in_a_sentence() -> None:
    assert beliefs("I love tea, and I love jazz.") == {("likes", "tea")}
    assert beliefs("I love tea. I love jazz.") == {("likes", "tea"), ("likes", "jazz")}
    assert len(found("I love tea. " * 99)) == MOST_PROPOSALS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_use_published_keys_and_their_own_words(language: str) -> None:
    folder = files("enishi.kernel").joinpath("rules")
    table = tomllib.loads(folder.joinpath(f"{language}_statements.toml").read_text("utf-8"))
    main = tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
    assert not set(table["words"]) & set(main["words"])
    for belief in table["beliefs"]:
        assert belief.get("category", "fact") == published_keys()[belief["key"]].category
    for one in (*table["beliefs"], *table["promises"], *table["loops"]):
        assert all(pattern.count("@(") >= 1 for pattern in one["shown"])
        for cue in _cues(one, table["words"]):
            assert re.fullmatch("[a-z' -]+|[\u4e00-\u9fff]+", cue), cue


@pytest.mark.parametrize(("content", "key", "value"), ENGLISH)
def test_blanks_may_be_doubled(content: str, key: str, value: str) -> None:
    """Who sets two blanks between words says the same."""
    doubled = beliefs(content.replace(" ", "  "))
    assert (key, value) in {(key, " ".join(value.split())) for key, value in doubled}


def _cues(one: dict[str, Any], words: dict[str, str]) -> list[str]:
    return [
        word
        for cue in one["cues"]
        for word in (words[cue[1:-1]].split("|") if cue[0] == "<" else [cue])
    ]


def _header(number: int, type_name: str, turn: int | None = None) -> Header:
    return Header(
        1, b"", number, None, type_name, 1, None, 0, turn, None, 0, (), (), None, b""
    )  # fmt: skip


def judged(proposal: Proposal, text: ReadText) -> str:
    history = History()
    history.extend([_header(0, "RelationshipFounded"), _header(1, "TurnOpened", turn=1)])
    cited = CitedText(text.number, 1, text.role, text.content, text.happened)
    return decide(Case(proposal, {text.number: cited}, history)).reason


@given(
    st.lists(
        st.sampled_from(SAID + FILLER + [text for texts in SILENT.values() for text in texts]),
        max_size=8,
    ),
    st.sampled_from(["user", "agent"]),
    st.sampled_from([" ", "", "\n", ", ", " and ", "，"]),
)
@settings(max_examples=120, deadline=None)
def test_what_is_proposed_is_said_and_accepted(pieces: list[str], role: Role, glue: str) -> None:
    text = read(glue.join(pieces), role)
    for proposal in RULES.propose([text]):
        (citation,) = proposal.citations
        assert citation.start is not None and citation.end is not None and citation.quote
        assert text.content[citation.start : citation.end] == citation.quote
        taken: list[str] = []
        if isinstance(proposal, Belief):
            taken = [proposal.value]
        elif isinstance(proposal, Promise):
            taken = [proposal.act, proposal.condition or proposal.act]
        elif isinstance(proposal, OpenLoop):
            taken = [proposal.subject, proposal.continuation]
        assert all(words and len(words) <= 200 and words in citation.quote for words in taken)
        if proposal.kind != "signal":
            assert judged(proposal, text) == "supported"


@given(st.sampled_from(SAID), st.sampled_from(FILLER), st.sampled_from(FILLER))
@settings(max_examples=60, deadline=None)
def test_what_stands_around_changes_nothing(content: str, before: str, after: str) -> None:
    def stated(text: str) -> list[Any]:
        return [one.model_copy(update={"citations": ()}) for one in found(text)]

    assert stated(f"{before} \n{content}\n {after}") == stated(content)


@pytest.mark.parametrize(
    "unit",
    [
        "No I love tea. ",
        "I love a b c ",
        "I promise I'll x ",
        "I promise I'll not x, no. ",
        "I have an a b c ",
        "I have an exam ",
        "if x, I promise to y ",
        "please always use x ",
        "我很很很很",
        "我喜欢",
        "我明天一定",
        "期末期末",
        "会议明天",
        "不，我喜欢茶不。",
    ],
)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    lines = (unit * (400 // len(unit)) + "\n") * 200
    begun = time.process_time()
    for content in (unit * ((1 << 16) // len(unit)), lines):
        assert len(found(content)) <= MOST_PROPOSALS
    assert time.process_time() - begun < 2


CORRECTIONS = [
    ("I'm not vegetarian.", "diet", "vegetarian"),
    ("I am no longer allergic to nuts.", "allergy", "nuts"),
    ("I no longer live in Berlin.", "home_city", "Berlin"),
    ("I recently quit my job at Google.", "employer", "Google"),
    ("我已经不住在北京了。", "home_city", "北京"),
    ("其实我不吃素了。", "diet", "吃素"),
    ("我对花生不过敏。", "allergy", "花生"),
    ("我已经不在腾讯上班了。", "employer", "腾讯"),
]
NO_CORRECTIONS = [
    "Are you not vegetarian?",
    "He is not allergic to nuts.",
    "If I no longer live in Berlin, we can meet.",
    "I'm not allergic to it.",
    "如果我不住在北京了就好了。",
    "我不住在这里了。",
    "她对花生不过敏。",
]


@pytest.mark.parametrize(("text", "key", "value"), CORRECTIONS)
def test_what_is_so_no_longer_is_proposed_as_not_so(text: str, key: str, value: str) -> None:
    (proposal,) = RULES.propose([read(text, "user")])
    assert isinstance(proposal, Belief)
    assert (proposal.key, proposal.value, proposal.polarity) == (key, value, False)
    assert judged(proposal, read(text, "user")) == "supported"


@pytest.mark.parametrize("text", NO_CORRECTIONS)
def test_what_only_looks_like_a_correction_is_none(text: str) -> None:
    assert RULES.propose([read(text, "user")]) == []


FREER = [
    ("I'll give it a go and let you know how it went.", "promise", "let you know how it went"),
    ("I'll finish the slides and send them to you.", "promise", "send them to you"),
    ("C'mon, I'll show you the garden.", "promise", "show you the garden"),
    ("I'll save the last slice for you.", "promise", "save the last slice for you"),
    ("I'll make sure to remind everyone.", "promise", "make sure to remind everyone"),
    ("别急，我教你。", "promise", "我教你"),
    ("你放心，我帮你找钥匙。", "promise", "我帮你找钥匙"),
    ("下次我请客。", "promise", "我请客"),
    ("我会尽力帮助你的。", "promise", "我会尽力帮助你的"),
    ("I have to wake up early tomorrow.", "open_loop", "wake up early"),
    ("Tomorrow we're auditioning for the choir.", "open_loop", "auditioning for the choir"),
    ("Next week I plan to visit the archive.", "open_loop", "visit the archive"),
    ("明天要去面试。", "open_loop", "去面试"),
    ("下周三要交论文。", "open_loop", "交论文"),
    ("Ramen is my favorite food.", "belief", "Ramen"),
    ("I live with my aunt in Bergen.", "belief", "Bergen"),
    ("I've been knitting for years.", "belief", "knitting"),
    ("I play the cello.", "belief", "cello"),
    ("I work in publishing.", "belief", "publishing"),
    ("As a nurse, I see a lot.", "belief", "nurse"),
    ("你好，我是沈月华。", "belief", "沈月华"),
    ("我的性格比较内向。", "belief", "内向"),
    ("我最讨厌的就是香菜。", "belief", "香菜"),
    ("我最感兴趣的是古代绘画。", "belief", "古代绘画"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "taken"), FREER)
def test_what_is_worded_more_freely(text: str, kind: str, taken: str) -> None:
    proposals = [one for one in found(text) if one.kind == kind]
    words = [one.model_dump() for one in proposals]
    assert next(w.get("value") or w.get("act") or w["subject"] for w in words).endswith(taken)


@pytest.mark.parametrize(
    "text",
    [
        "I'm a huge fan.", "I think pasta is my favorite.", "He said ramen is my favorite.",
        "Her pie is one of my favorites!", "As a nurse she sees a lot.", "She'll save it for you.",
        "I might give it a try and let you know.", "明天要下大雨。", "明天要是去了就好了。", "他说他帮你找。",
        "我帮你找好吗？", "她明天要去面试。", "我是认真的。", "你好，我是说真的。", "谁教你的？", "明天有大雨。",
    ],
)  # fmt: skip
def test_what_only_looks_like_it(text: str) -> None:
    assert found(text) == []


def test_every_pattern_of_the_tables_compiles() -> None:
    # Each is compiled when it is first looked for, so a wrong one could wait for long.
    for language in _load()._languages:
        for shown in language.statements._all:
            assert shown.pattern.pattern and shown.never.pattern
        for kind in language._kinds.values():
            assert kind.groups and kind.decoys.pattern


def test_what_is_not_looked_for_is_not_compiled() -> None:
    rules = _load.__wrapped__()
    compiled = [
        shown
        for language in rules._languages
        for shown in language.statements._all
        if "pattern" in vars(shown)
    ]
    assert compiled == [] and not any(
        "groups" in vars(k) for k in rules._languages[0]._kinds.values()
    )
