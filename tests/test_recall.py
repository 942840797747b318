"""Recall: what is found, why, what is left out; and that the index follows what stands."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import NOW, Shell, fixed_store
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi import Message, Scene
from enishi.host import Embedder, Relationship, Store, remembering
from enishi.kernel.deciding.proposals import Belief, Citation
from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment
from enishi.kernel.rules import bundled_proposers
from enishi.projections import reading
from enishi.projections.recall.budget import estimate
from enishi.projections.recall.items import Recall
from enishi.projections.recall.questions import asks, asks_when, knows_nothing, tells_when
from enishi.projections.recall.when import asked_time


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with fixed_store(path) as opened:
        yield opened


def talk(bond: Relationship, *said: str) -> list[int]:
    """Record turns an hour apart, each with a short answer; the numbers of the messages."""
    numbers = []
    for hours, words in enumerate(said):
        at = NOW - timedelta(days=30) + timedelta(hours=hours)
        turn = bond.record(words, "I see.", at=at)
        numbers.append(turn.view().messages[0].number)
    return numbers


def texts(found: Recall) -> list[int]:
    """The numbers of the texts that a query found, best first."""
    return [item.number for item in found.found if item.kind == "text"]


def test_what_was_just_said_is_found_with_its_words_and_its_reasons(bond: Relationship) -> None:
    (cat, *_) = talk(bond, "My cat Mochi is orange.", "It rains in Lisbon.", "我妹妹下周要考试了。")
    found = bond.recall("What about Mochi?")
    assert found.outcome == "found" and texts(found)[0] == cat
    best = found.found[0]
    assert best.text == "My cat Mochi is orange." and best.because == "words"
    assert best.score is not None and best.score.words == ("mochi",)
    assert [quote.words for quote in best.sources] == ["My cat Mochi is orange."]
    assert texts(bond.recall("考试"))[0] == bond.turns()[2].messages[0].number


def test_without_a_word_in_common_nothing_is_found(bond: Relationship) -> None:
    talk(bond, "My cat Mochi is orange.", "It rains in Lisbon.")
    for query in ("volcano", "", "is it", "火山", "?!"):
        found = bond.recall(query)
        assert (found.outcome, found.found) == ("no record", ()), query
    assert bond.recall("The volcano").unknown == ("volcano",)


ASKING = [
    "What is my parrot called?",
    "what is my parrot called",
    "who is that",
    "where did I park",
    "do you remember me",
    "so what's up",
    "is it raining",
    "have you eaten",
    "how old are you",
    "我的鹦鹉叫什么",
    "我的猫叫什么名字",
    "你叫啥",
    "他是谁",
    "我住在哪里",
    "几点了",
    "星期几",
    "你今年几岁",
    "这个多少钱",
    "要多久",
    "今天怎么样",
    "为什么",
    "什么时候考试",
    "你还记得我的猫",
    "是不是下雨了",
    "有没有带伞",
    "你吃了吗",
    "那我呢",
    "名前は何ですか",
    "オウムの名前は？",
    "今何時ですか",
    "誰",
    "来ましたか",
    "どこ",
    "覚えているかな",
    "あれは何だっけ",
    "이름이 뭐예요",
    "내 앵무새 이름이 뭐야",
    "어디 가요?",
    "밥 먹었습니까",
    "누구세요?",
    "언제 왔니",
    "왜 그래요",
    "우리 뭐 먹을까",
    "What a day! who is it",
    "我的貓叫什麼",
]
TELLING = [
    "My parrot is called Kiki.",
    "When I was young I had a dog.",
    "What a day!",
    "I know who did it.",
    "Have a nice day",
    "do it tomorrow",
    "That is what I said.",
    "没什么",
    "不怎么样",
    "没多久",
    "去了几次北京",
    "我买了几个苹果",
    "我的鹦鹉叫琪琪",
    "记得带伞",
    "今天下雨了",
    "昨日は東京に行きました。",
    "猫がいる",
    "そうですね",
    "わたしか",
    "오늘 비가 왔어요",
    "비가 오니까",
    "고양이가 있어요.",
    "서울에 가요",
    "It was long ago",
    "the what and the why",
    "okay",
    "是的",
    "好的",
    "どうも",
    "みんな来た",
]
KNOWING_NOTHING = [
    "I do not know.",
    "I don't know that.",
    "No idea.",
    "I have no idea!",
    "我不知道。",
    "不清楚哦",
    "你没告诉过我。",
    "没听你说过",
    "我也不知道",
    "わかりません。",
    "知らないです",
    "覚えてないな",
    "聞いたことがない",
    "몰라요.",
    "잘 모르겠어요.",
    "기억이 안 나요",
    "Hm.",
    "Oh...",
    "呃……",
    "I don't think you told me.",
    "I never said.",
]
KNOWING = [
    "I don't know what I would do without Mochi.",
    "My cat is Mochi.",
    "我不知道豆包吃没吃饭",
    "我忘了带猫粮",
    "知らない人が猫をくれた。",
    "모르는 사람이 고양이를 줬어요.",
    "Yes.",
    "嗯。",
    "no",
    "He never told anybody about the cat.",
    "ok",
    "うん",
    "I know Mochi.",
]


@pytest.mark.parametrize("words", ASKING)
def test_what_asks_is_known_with_and_without_a_mark(words: str) -> None:
    assert asks(words) and asks(f"{words} ”") and not knows_nothing(words)


@pytest.mark.parametrize("words", [*TELLING, *KNOWING])
def test_what_tells_is_neither_a_question_nor_a_denial(words: str) -> None:
    assert not asks(words) and not knows_nothing(words)


@pytest.mark.parametrize("words", KNOWING_NOTHING)
def test_who_knows_nothing_tells_nothing(words: str) -> None:
    assert knows_nothing(words)


@pytest.mark.parametrize(
    "question, answer",
    [
        ("What is my parrot called", "I do not know."),
        ("What is my parrot called?", "Hm."),
        ("我的鹦鹉叫什么", "我不知道。"),
        ("我的鸚鵡叫什麼？", "你没有告诉过我。"),
        ("私のオウムの名前は何ですか", "わかりません。"),
        ("내 앵무새 이름이 뭐예요", "잘 모르겠어요."),
    ],
)
def test_a_pet_that_never_was_is_not_there_however_often_it_is_asked_about(
    bond: Relationship, question: str, answer: str
) -> None:
    talk(
        bond,
        "It rains in Lisbon.",
        "我妹妹下周要考试了。",
        "今日は天気がいい。",
        "오늘 날씨가 좋다.",
    )
    for days in range(3):
        turn = bond.record(question, answer, at=NOW - timedelta(days=9 - days))
        for proposer in bundled_proposers():
            bond.propose(turn, proposer)
        asked = bond.recall(question)
        assert (asked.outcome, asked.found) == ("only asked", ())
    assert not bond.beliefs() and not bond.portrait()


@pytest.mark.parametrize(
    "told, question, answer",
    [
        (
            "My boat, which lies in the old harbour, is called Zephyrine.",
            "What is my boat called?",
            "I do not know.",
        ),
        ("我停在老港口的那条船叫碧落号。", "我的船叫什么？", "我不知道。"),
        ("港に置いてある私の船の名前はアマツカゼだ。", "私の船の名前は？", "わかりません。"),
        ("항구에 있는 내 배 이름은 바람개비호야.", "내 배 이름이 뭐야?", "몰라요."),
    ],
)
def test_what_is_asked_again_and_again_hides_nothing_that_was_said_of_it(
    bond: Relationship, told: str, question: str, answer: str
) -> None:
    (text,) = talk(bond, told)
    for hours in range(30):
        bond.record(question, answer, at=NOW - timedelta(days=20) + timedelta(hours=6 * hours))
    found = bond.recall(question)
    assert found.outcome == "found" and texts(found)[0] == text


@pytest.mark.parametrize(
    "words",
    [
        "When did I start pottery?", "How long have I known Mochi?", "And since when?",
        "What day is the exam?", "我什么时候开始学陶艺的？", "我们认识多久了", "考试是几号",
        "いつ始めましたか", "언제 시작했어?",
    ],
)  # fmt: skip
def test_what_asks_for_a_time_is_known(words: str) -> None:
    assert asks_when(words)


@pytest.mark.parametrize(
    "words",
    [
        "What did I make?",
        "I was glad when it ended.",
        "How much?",
        "我养了什么",
        "猫を飼っています",
    ],
)
def test_what_asks_for_something_else_asks_for_no_time(words: str) -> None:
    assert not asks_when(words)


@pytest.mark.parametrize(
    "words",
    [
        "It was last Tuesday.", "Two years ago.", "We moved in 2019.", "I have had her for 3 months.",
        "昨天去的", "我学了三年", "上个月", "昨日見ました", "어제 봤어",
    ],
)  # fmt: skip
def test_what_speaks_of_a_time_is_known(words: str) -> None:
    assert tells_when(words)


@pytest.mark.parametrize("words", ["I like pottery.", "It was fun.", "我喜欢陶艺", "楽しかった"])
def test_what_speaks_of_no_time_is_known(words: str) -> None:
    assert not tells_when(words)


def test_who_asks_when_finds_first_what_speaks_of_a_time(bond: Relationship) -> None:
    liked, began = talk(bond, "Pottery, how I like to start a pot.", "I began a pot last Tuesday.")
    assert texts(bond.recall("What pot did I start?"))[0] == liked
    assert texts(bond.recall("When did I start a pot?"))[0] == began


@pytest.mark.parametrize(
    ("words", "dated"),
    [
        ("What did I paint in May 2023?", True),
        ("What did I paint on 3 May?", True),
        ("What did I paint in 2023?", True),
        ("What did I paint yesterday?", False),
        ("What did I paint two weeks ago?", False),
        ("我五月画了什么", True),
        ("我2023年5月3日画了什么", True),
        ("我三年前画了什么", False),
        ("我昨天画了什么", False),
    ],
)
def test_a_date_of_the_calendar_is_told_from_a_time_counted_from_now(
    words: str, dated: bool
) -> None:
    days = [Moment.of(NOW - timedelta(days=day)).at for day in range(800)]
    span, _ = asked_time(words, Moment.of(NOW), lambda: days)
    assert span is not None and span.dated == dated


def test_what_was_said_on_a_date_that_is_named_comes_before_what_has_more_of_the_words(
    bond: Relationship,
) -> None:
    said = ["A heron, in ink.", "I painted a picture: what a fine picture I painted!"]
    days = [NOW - timedelta(days=days) for days in (70, 20)]
    then, later = (
        bond.record(words, "I see.", at=at).view().messages[0].number
        for words, at in zip(said, days, strict=True)
    )
    assert texts(bond.recall("What picture did I paint in ink?"))[0] == later
    asked = f"What picture did I paint in ink in {days[0]:%B %Y}?"
    assert texts(bond.recall(asked))[0] == then


def test_a_question_is_no_evidence_for_what_it_asks(bond: Relationship) -> None:
    talk(bond, "It rains in Lisbon.")
    with bond.turn("Do you remember my iguana?") as turn:
        assert turn.recall().outcome == "no record"
        turn.reply("I don't think you told me about an iguana.")
    for query in ("my iguana", "What was the name of my iguana?"):
        asked = bond.recall(query)
        assert (asked.outcome, asked.found) == ("only asked", ()), query
    talk(bond, "I have an iguana now.")
    assert bond.recall("iguana").outcome == "found"


def test_a_confession_is_evidence_and_a_denial_is_none(bond: Relationship) -> None:
    confessed = "I have never told anyone this, but I failed the bar exam."
    (bar,) = talk(bond, confessed)
    assert texts(bond.recall("the bar exam"))[0] == bar
    talk(bond, "I never told you about a violin.", "You have never said where the violin is.")
    assert bond.recall("the violin").outcome == "only asked"


def test_a_name_alone_is_looked_for_although_somebody_speaks_by_it(bond: Relationship) -> None:
    (came, _) = talk(bond, "小林来了。", "It rains in Porto.")
    bond.record(Message("I live in Shanghai.", role="other", speaker="xl", name="小林"), "Hello.")
    assert came in texts(bond.recall("小林怎么样了？"))


def test_what_does_not_stand_is_not_found_and_comes_back_with_it(bond: Relationship) -> None:
    numbers = talk(bond, "My cat Mochi is orange.", "My dog Rex is grey.")
    assert texts(bond.recall("orange"))
    bond.edit(numbers[0], "My cat Mochi is white.")
    assert not bond.recall("orange").found and texts(bond.recall("white"))
    bond.undo(numbers[0])
    assert texts(bond.recall("orange")) and not bond.recall("white").found
    bond.withdraw(bond.turns()[0].number)
    assert not bond.recall("orange").found
    bond.restore(bond.turns()[0].number)
    turn = bond.turns()[1]
    bond.regenerate(turn.number, "Greyhounds are quick.")
    assert texts(bond.recall("greyhound"))
    bond.swipe(turn.number, 1)
    assert not bond.recall("greyhound").found


def test_a_branch_finds_what_it_shares_and_never_what_the_other_said(bond: Relationship) -> None:
    talk(bond, "My cat Mochi is orange.")
    fork = bond.fork("what-if")
    bond.record("The harbour burned.", "Oh no.")
    fork.record("The mountain shook.", "Oh no.")
    assert texts(fork.recall("Mochi")) == texts(bond.recall("Mochi"))
    assert texts(bond.recall("harbour")) and not fork.recall("harbour").found
    assert texts(fork.recall("mountain")) and not bond.recall("mountain").found
    bond.back(bond.turns()[0].number)
    assert not bond.recall("harbour").found


def test_the_index_comes_back_when_it_was_dropped(path: Path) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *(f"The harbour number {n} has boat B{n}." for n in range(150)))
        before = bond.recall("boat B77")
        assert texts(before)
    statements = (
        "DROP TABLE posting",
        "DELETE FROM posting",
        "UPDATE posting SET data = x'90' WHERE term = ''",
    )
    for statement in statements:
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT count(*) FROM posting").fetchone() > (100,)
            connection.execute(statement)
            connection.commit()
        with fixed_store(path, read_only=True) as store:
            assert store.relationships()[0].recall("boat B77") == before
        with fixed_store(path) as store:
            assert store.relationships()[0].recall("boat B77") == before
            assert store.relationships()[0].recall("boat B77") == before


def test_what_was_erased_is_neither_found_nor_in_the_file(path: Path) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        numbers = talk(bond, *(f"Berth {n} is called quay{n}zanzibar." for n in range(150)))
        assert texts(bond.recall("quay70zanzibar"))[0] == numbers[70]
        assert b"quay70zanzibar" in path.read_bytes() + Path(f"{path}-wal").read_bytes()
        receipt = bond.erase(bond.turns()[70].number)
        assert receipt.scrub == "scrubbed"
        for file in path.parent.iterdir():
            assert b"quay70zanzibar" not in file.read_bytes(), file
        found = bond.recall("quay70zanzibar")
        assert not found.found and ("erased", 3) in {(x.reason, x.count) for x in found.left_out}
        assert texts(bond.recall("quay71zanzibar"))[0] == numbers[71]
    with fixed_store(path) as store:
        assert texts(store.relationships()[0].recall("quay71zanzibar"))[0] == numbers[71]


@pytest.mark.parametrize("query", ["Mochi", "麻糬", "モチ", "모치"])
@pytest.mark.parametrize("counter", [None, len])
def test_what_does_not_fit_is_on_record_all_the_same(
    bond: Relationship, query: str, counter: Callable[[str], int] | None
) -> None:
    talk(bond, "My cat Mochi is orange. 我的猫叫麻糬。 モチという猫がいる。 모치는 고양이다.")
    needed = bond.recall(query, counter=counter, budget=10_000).used
    outcomes = set()
    for budget in range(0, needed + 20, 10):
        found = bond.recall(query, counter=counter, budget=budget)
        outcomes.add(found.outcome)
        assert "no record" not in found.render() and "没有关于" not in found.render("zh")
        assert max(map(counter or estimate, (found.render(), found.render("zh")))) <= budget
    assert outcomes == {"over budget", "found"}
    assert bond.recall("volcano", budget=0).outcome == "no record"


@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(st.text("ab 我猫.?!", max_size=60), min_size=1, max_size=5),
    budget=st.integers(0, 400),
)
def test_the_budget_is_never_exceeded(said: list[str], budget: int) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder, fixed_store(Path(folder) / "s.db") as store:
        bond = store.relationship("lumi", "chen")
        for words in said:
            bond.record(words, "我猫 ab ab.")
        found = bond.recall("ab 我猫", budget=budget)
        assert found.used <= budget or not found.items
        assert sum(item.tokens for item in found.items) <= found.used


def test_a_counter_by_name_is_tiktokens_and_what_it_cannot_do_is_said(
    bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(
        bond,
        "My cat Mochi is orange.",
        "我的猫叫麻糬。",
        "モチという猫がいる。",
        "모치는 고양이다.",
    )
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(InvalidInput, match="install tiktoken"):
        bond.recall("Mochi", counter="letters")

    def encoding(name: str) -> SimpleNamespace:
        if name == "far":
            raise ConnectionError("no network")
        if name != "letters":
            raise ValueError(name)
        return SimpleNamespace(encode=lambda text, disallowed_special: list(text))

    fake = SimpleNamespace(get_encoding=encoding, list_encoding_names=lambda: ["letters", "far"])
    monkeypatch.setitem(sys.modules, "tiktoken", fake)
    found = bond.recall("Mochi", counter="letters", budget=400)
    assert found.counter == "tiktoken letters" and found.found
    assert max(len(found.render(one)) for one in ("en", "zh")) <= found.used <= 400
    with pytest.raises(InvalidInput, match="there are: letters, far"):
        bond.recall("Mochi", counter="numerals")
    with pytest.raises(InvalidInput, match="network"):
        bond.recall("Mochi", counter="far")


def test_instructions_and_constraints_are_there_without_being_asked_for(
    bond: Relationship,
) -> None:
    (allergy,) = talk(bond, "I am allergic to peanuts.")
    for proposer in bundled_proposers():
        bond.propose(None, proposer)
    talk(bond, "It rains in Lisbon.")
    with bond.turn("ok") as turn:
        closed = turn.recall()
        assert not closed.gate.open and [i.because for i in closed.items] == ["constraint"]
        assert {one.reason for one in closed.left_out} == {"not searched"}
        assert closed.items[0].sources[0].text == allergy


def test_a_belief_that_was_replaced_is_left_out_and_its_successor_is_found(
    bond: Relationship,
) -> None:
    for town in ("Osaka", "Kyoto"):
        (text,) = talk(bond, f"I live in {town} now.")
        lives = Belief(
            subject="user",
            key="home_city",
            value=town,
            citations=(Citation(text=text, quote=town),),
        )
        bond.propose(None, [lives])
    found = bond.recall("Where do I live?")
    assert [i.text for i in found.found if i.kind == "belief"] == ["chen lives in Kyoto."]
    assert ("not current", "belief") in {(one.reason, one.kind) for one in found.left_out}


def lives_in(bond: Relationship, text: int, town: str) -> None:
    """State by a proposal that the user lives there, in the words of a text."""
    cited = (Citation(text=text, quote=town),)
    bond.propose(None, [Belief(subject="user", key="home_city", value=town, citations=cited)])


@pytest.mark.parametrize(
    "old, new, query",
    [
        ("I live in Osaka now.", "I live in Kyoto now.", "Osaka"),
        ("I live in Osaka now.", "I live in Kyoto now.", "Where do I live?"),
        ("我住在大阪。", "我住在京都。", "我住在哪里"),
        ("我住在大阪。", "我住在京都。", "大阪"),
        ("今は大阪に住んでいます。", "今は京都に住んでいます。", "大阪"),
        ("지금 오사카에 살아요.", "지금 교토에 살아요.", "오사카"),
    ],
)
@pytest.mark.parametrize("by", ["newer", "hand", "taken back"])
def test_before_words_that_do_not_hold_any_more_comes_what_holds(
    bond: Relationship, old: str, new: str, query: str, by: str
) -> None:
    towns = re.compile("Osaka|Kyoto|大阪|京都|오사카|교토")
    was, town = (towns.findall(words)[0] for words in (old, new))
    (text,) = talk(bond, old)
    lives_in(bond, text, was)
    if by == "newer":
        lives_in(bond, bond.record(new, "I see.").view().messages[0].number, town)
    else:
        first = bond.beliefs()[0].number
        bond.correct(first, value=town) if by == "hand" else bond.correct(first, "wrong")
    found = bond.recall(query)
    place, item = next((n, one) for n, one in enumerate(found.found) if one.number == text)
    standings = [(was in one.text, one.standing) for one in item.rivals]
    gone = "replaced" if by == "newer" else "retracted"
    if by == "taken back":
        assert standings == [(True, gone)]
        return
    assert standings == [(True, gone), (False, "current")]
    before = found.found[place - 1]
    assert place and before.kind == "belief" and town in before.text
    assert f"now holds: chen lives in {town}." in found.render()
    assert f"如今为：chen住在{town}。" in found.render("zh")
    assert before.speaker == "chen"


def test_what_is_held_true_is_made_out_once_and_not_for_each_recall(
    bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    for town in ("Osaka", "Kyoto"):
        lives_in(bond, talk(bond, f"I live in {town}.")[0], town)
    first, asked = bond.recall("Kyoto"), []
    answer_at = reading.answer_at
    monkeypatch.setattr(reading, "answer_at", lambda *of: asked.append(of) or answer_at(*of))
    assert bond.recall("Kyoto").items == first.items and not asked
    lives_in(bond, talk(bond, "I live in Kyoto, and in Nara.")[0], "Nara")
    assert "Nara" in bond.recall("Kyoto").render() and asked


def test_what_holds_instead_is_told_to_nobody_who_may_not_know_it(bond: Relationship) -> None:
    for town, there in (("Osaka", ("lumi", "chen", "mei")), ("Kyoto", ("lumi", "chen"))):
        scene = Scene(town.encode().ljust(16), there)
        turn = bond.record(f"I live in {town} now.", "I see.", scene=scene)
        lives_in(bond, turn.view().messages[0].number, town)
    assert "now holds: chen lives in Kyoto" in bond.recall("Osaka").render()
    heard = bond.recall("Osaka", audience=["chen", "mei"]).render()
    assert "Osaka" in heard and "Kyoto" not in heard


@pytest.mark.parametrize(
    "said, asked",
    [("I bought a tuba.", "buy"), ("I will buy a tuba.", "bought"), ("My feet hurt.", "foot")]
    + [("She has written it.", "write"), ("The children slept.", "child sleep")],
)
def test_the_forms_of_a_word_that_no_ending_tells_are_one(
    bond: Relationship, said: str, asked: str
) -> None:
    (text,) = talk(bond, said)
    assert texts(bond.recall(asked)) == [text]


@pytest.mark.parametrize("query", ["kayak", "today", "this week", "Brno", "who is Zdenek?"])
def test_of_an_earlier_time_nothing_that_came_later_is_recalled(
    bond: Relationship, query: str
) -> None:
    """Neither around a hit, nor as the last episode, nor where a time is asked for, nor as held."""
    start = NOW - timedelta(days=30)
    bond.record("I bought a red kayak today.", "A kayak!", at=start)
    later = [
        ("The kayak is on the lake near Brno with Zdenek.", timedelta(minutes=10)),
        ("Zdenek lost his phone there, beside the kayak.", timedelta(days=1)),
        ("Months later: the kayak is sold, and Zdenek moved to Peru.", timedelta(days=29)),
    ]
    for words, after in later:
        turn = bond.record(words, "Later!", at=start + after)
        cited = (Citation(text=turn.view().messages[0].number, quote="Zdenek"),)
        unsure = Belief(
            subject="user", key="friend", value="Zdenek", citations=cited, confidence=0.1
        )
        bond.propose(None, [unsure])
    found = bond.recall(query, at=start + timedelta(minutes=5))
    told = found.render() + "".join(item.text for item in found.items)
    for word in ("Brno", "Zdenek", "Peru", "Later"):
        assert word not in told.replace(query, "")
    assert "Zdenek" in bond.recall("kayak").render()


def test_when_the_time_is_over_what_was_not_reached_says_so(bond: Relationship) -> None:
    talk(bond, "My cat Mochi is orange.")
    found = bond.recall("Mochi", within=0)
    assert found.outcome == "not searched" and not found.items and not found.searched
    assert {one.layer for one in found.left_out if one.reason == "not searched"} >= {"episodes"}
    assert bond.recall("Mochi").outcome == "found"


@pytest.mark.parametrize("asked", ["topic 42", "who is it that sings?"])
def test_an_index_that_is_not_there_keeps_nothing_pinned_waiting(
    path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        (text,) = talk(bond, "I am allergic to peanuts.")
        cited = (Citation(text=text, quote="allergic to peanuts"),)
        allergic = Belief(
            subject="user", key="allergy", value="peanuts", category="constraint", citations=cited
        )
        bond.propose(None, [allergic])
        with store.transaction():
            for n in range(1000):
                bond.record(f"message {n} of topic {n % 97}", "I see.")
    looks = count()
    monkeypatch.setattr(remembering, "monotonic", lambda: next(looks) / 1000)
    with fixed_store(
        path, embedder=Embedder("slow 1", lambda texts: [[1.0, 0.5]] * len(texts))
    ) as store:
        turn = store.relationship("lumi", "chen").turn(asked)
        found = turn.recall(within=30)
        turn.abandon()
    assert [item.because for item in found.items][:1] == ["constraint"]
    late = [one for one in found.left_out if one.reason == "not searched"]
    assert late and next(looks) < 100


def test_the_last_episodes_are_reached_before_the_search(
    bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [
        "My cat Mochi is orange.",
        "We rowed to the lighthouse.",
        "The baker sold us rye bread.",
    ]
    for days, words in zip((9, 6, 3), said, strict=True):
        turn = bond.record(words, "Tell me.", at=NOW - timedelta(days=days))
        if days < 9:
            bond.split(turn)
    whole = bond.recall("Mochi")
    assert whole.outcome == "found" and any(item.because == "recent" for item in whole.items)
    told = []
    for within in range(1, 40):
        looks = count()
        monkeypatch.setattr(remembering, "monotonic", partial(lambda n: next(n) / 1000, looks))
        found = bond.recall("Mochi", within=within)
        shown = any(item.because == "recent" for item in found.items)
        searched = any(item.score is not None for item in found.items)
        assert shown or not searched
        told.append((shown, searched))
    assert {(False, False), (True, False), (True, True)} == set(told)


def test_what_was_offered_is_recorded_with_the_reply_and_use_counts(bond: Relationship) -> None:
    (cat,) = talk(bond, "My cat Mochi is orange.")
    before = bond.recall("Mochi").found[0].score
    with bond.turn("Do you remember Mochi?") as turn:
        offered = turn.recall().numbers
        turn.reply("The orange one!")
    assert cat in offered
    traced = bond.recall_trace(turn)
    assert tuple(one.number for one in traced.offered) == offered and traced.used == ()
    assert traced.recalled[0].number == cat
    turn.used(cat)
    turn.used(cat)
    assert bond.recall_trace(turn).used == (cat,)
    after = next(i.score for i in bond.recall("Mochi").found if i.number == cat)
    assert before is not None and after is not None and after.references > before.references
    with pytest.raises(InvalidInput, match="was not given number 0"):
        turn.used(0)


def test_a_trace_tells_what_was_recalled_from_what_was_offered_and_what_was_used(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        cat, dog, sea = talk(
            bond, "My cat Mochi is orange.", "Mochi fears dogs.", "I like the sea."
        )
        with bond.turn("Do you remember Mochi?") as turn:
            assert {cat, dog} <= set(turn.recall().numbers)
            turn.reply("The orange one!", given=[cat, sea])
        turn.used(cat)
        bond.record("Mochi is an old cat by now.", "She is.")
        traced = bond.recall_trace(turn)
        recalled = {number for item in traced.recalled for number in item.shown}
        assert {cat, dog} <= recalled and max(recalled) < turn.number
        assert [one.number for one in traced.offered] == [cat, sea] and traced.used == (cat,)
    told = Shell(capsys, monkeypatch).ok("recall", "--trace", turn.number, "--store", path)
    rows = {row.split()[0]: row for row in told.splitlines() if row.strip()[:1].isdigit()}
    assert rows[str(cat)].count("yes") == 3 and "words: mochi" in rows[str(cat)]
    assert rows[str(dog)].count("yes") == 0 and "words: mochi" in rows[str(dog)]
    assert rows[str(sea)].count("yes") == 2


def test_the_command_line_recalls_explains_and_traces(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, "My cat Mochi is orange.")
        with bond.turn("Do you remember Mochi?") as turn:
            assert turn.recall().numbers
            turn.reply("The orange one!")
    shell = Shell(capsys, monkeypatch)
    told = shell.ok("recall", "Mochi", "--store", path, "--explain")
    assert "My cat Mochi is orange." in told and "relevance" in told
    assert shell.json("recall", "volcano", "--store", path)["outcome"] == "no record"
    assert "no record" in shell.ok("recall", "volcano", "--store", path)
    assert "Mochi" in shell.ok("recall", "--trace", turn.number, "--store", path)
    shell.refused("recall", "--store", path, status=2)
    shell.refused("recall", "  ", "--store", path, status=2)
    assert "does not fit" in shell.ok("recall", "Mochi", "--budget", 0, "--store", path)
    shell.refused("recall", "Mochi", "--trace", 1, "--store", path, status=2)
    shell.refused("recall", "--trace", 999, "--store", path)
