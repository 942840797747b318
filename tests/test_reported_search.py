"""Failures that users of other memory systems reported about search and its index, as tests of their
kind. `test_reported_recall` has those of presence, budgets and fading.

The ids are those of the collection of reported cases.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from helpers import NOW, fixed_store

from enishi.host import Relationship, Store
from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import DAY, MINUTE, Moment
from enishi.projections.policy import bundled_policy, read_policy
from enishi.projections.recall import index
from enishi.projections.recall.ranking import Marks, scored, verdict
from enishi.projections.recall.search import Hit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with fixed_store(path) as opened:
        yield opened


def found(bond: Relationship, query: str, **more: int) -> list[str]:
    """The texts that a query finds, best first."""
    return [one.text for one in bond.recall(query, **more).found if one.kind == "text"]


@pytest.mark.parametrize("gone", ["erase", "withdraw", "swipe", "edit"])
def test_what_is_gone_takes_no_places_from_what_is_there(
    store: Store, bond: Relationship, gone: str
) -> None:
    """PB-12."""
    said = [f"The harbour has a crane of type {n}." for n in range(20)]
    with store.transaction():
        turns = [bond.record((), words) for words in said]
    assert len(found(bond, "harbour crane")) == 5
    for turn in turns[:15]:
        if gone == "erase":
            bond.erase(turn)
        elif gone == "withdraw":
            bond.withdraw(turn.number)
        elif gone == "swipe":
            bond.regenerate(turn, "Hm.")
        else:
            reply = turn.view().reply
            assert reply is not None
            bond.edit(reply, "Hm.")
    assert sorted(found(bond, "harbour crane")) == sorted(said[15:])


def test_every_number_of_fading_does_what_it_says() -> None:
    """PB-43: a setting that nothing reads."""
    bundled = bundled_policy().recall
    hit = Hit(5, 0, 50_000, 2_100, ("boat",))
    said = Moment(0)

    def score(days: int = 60, spoken: int = 0, weight: int = 0, **changed: object) -> int:
        numbers = bundled.model_copy(update=changed)
        marks = Marks({5: weight}, {5: spoken})
        return scored(
            hit, "text", 1, "claimed", said, Moment(days * DAY), marks, numbers
        ).total  # fmt: skip

    longer = bundled.half_life.model_copy(update={"text": 10 * bundled.half_life.text})
    assert score(half_life=longer) > score()
    assert score(spoken=1, reinforcement=20_000) > score(spoken=1)
    assert score(days=4_000, floor=5_000) > score(days=4_000)
    assert score(shade=5_000) > score() > score(shade=0)
    assert score(days=1) > score(days=400) and score(spoken=3) > score() < score(weight=3)
    for name in ("recency", "specificity"):
        weights = bundled.value.model_copy(update={name: 9_000})
        assert score(value=weights) > score()
    for name, marked in (("intensity", {"weight": 3}), ("references", {"spoken": 2})):
        weights = bundled.value.model_copy(update={name: 9_000})
        assert score(value=weights, **marked) > score(**marked)  # type: ignore[arg-type]
    old = scored(hit, "text", 1, "claimed", said, Moment(4_000 * DAY), Marks(), bundled)
    new = scored(hit, "text", 1, "claimed", said, Moment(MINUTE), Marks(), bundled)
    assert (verdict(new, "text", bundled), verdict(old, "text", bundled)) == ("hit", "faded")
    assert verdict(old, "text", bundled.model_copy(update={"fading": 0})) == "hit"
    assert verdict(replace(old, intensity=10_000), "text", bundled) == "hit"
    unknown = bundled_policy().numbers()
    unknown["recall"]["half_live"] = {"text": 5}
    with pytest.raises(InvalidInput, match="half_live"):
        read_policy({"name": "mine", **unknown})


@pytest.fixture(scope="module")
def babel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relationship]:
    """A thousand texts of the sort that is looked for, and those themselves."""
    with fixed_store(tmp_path_factory.mktemp("babel") / "s.db") as store:
        bond = store.relationship("lumi", "chen")
        with store.transaction():
            for n in range(500):
                bond.record(
                    f"系统登录成功{n}，今日は天気がいい{n}。",
                    f"오늘 날씨가 좋다 {n} the weather is fine.",
                )
            for words in SOUGHT:
                bond.record(words, "嗯。")
        yield bond


SOUGHT = {
    "用户身份验证失败": ("用户身份", "身份验证", "用戶身份", "驗證"),
    "今日は成語しりとりをした": ("しりとり", "成語", "成语"),
    "오늘 끝말잇기 게임을 했다": ("끝말잇기", "게임"),
    "早报": ("早报", "早報", "报"),
    "C盘满了": ("C盘", "Ｃ盤", "c盘满"),
    "重跑gen-itgc后50条": ("itgc", "gen", "ＧＥＮ", "gen-itgc", "重跑"),
    "Le café des Ｆｌｅｕｒｓ": ("cafe", "CAFÉ", "fleurs"),
    "k8s 集群挂了": ("k8s", "Ｋ８Ｓ", "集群"),
    "Ünïcode näive": ("unicode", "naive"),
    "今晚吃🍜": ("🍜",),
    "猫": ("猫", "貓"),
}


@pytest.mark.parametrize("query, words", [(q, w) for w, asked in SOUGHT.items() for q in asked])
def test_words_are_found_in_every_script_among_a_thousand(
    babel: Relationship, query: str, words: str
) -> None:
    """PB-59, PB-60: phrases, single characters, both widths, traditional and simplified, ids."""
    assert found(babel, query)[0] == words


def test_a_letter_or_a_part_of_an_id_is_not_the_id(babel: Relationship) -> None:
    """PB-74: k8s is not taken for k."""
    assert not found(babel, "k")
    assert "k8s" not in "".join(found(babel, "8"))


def test_an_index_of_another_way_of_splitting_is_made_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PB-70: a store that an older program left."""
    with monkeypatch.context() as older, fixed_store(path) as store:
        older.setattr(index, "FORM", "0 older")
        older.setattr(index, "terms", lambda text: text.split())
        bond = store.relationship("lumi", "chen")
        with store.transaction():
            for n in range(100):
                bond.record(f"Boats, number {n}, are moored.", "Hm.")
        assert not found(bond, "boat")
    with fixed_store(path) as store:
        assert found(store.relationships()[0], "boat number 42")[0].endswith("42, are moored.")


def test_an_index_that_is_gone_old_or_foreign_is_made_again(path: Path) -> None:
    """PB-70."""

    def change(*statements: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        with store.transaction():
            turns = [bond.record(f"Boat number {n} is called B{n}.", "Hm.") for n in range(100)]
        bond.edit(turns[7].view().messages[0], "Boat number 7 sank.")
        before = [bond.recall(query) for query in ("B42", "sank", "B7", "boat")]
    assert before[2].outcome == "no record"
    phantom = "INSERT INTO posting SELECT line, 9, term, data FROM posting WHERE term <> ''"
    for statements in (
        ("DROP TABLE posting",),
        ("DELETE FROM posting",),
        ("UPDATE posting SET data = zeroblob(9) WHERE term = ''",),
        (phantom,),
        (),
    ):
        change(*statements)
        with fixed_store(path) as store:
            bond = store.relationships()[0]
            assert [bond.recall(query) for query in ("B42", "sank", "B7", "boat")] == before
    with fixed_store(path) as store:
        bond = store.relationships()[0]
        bond.rebuild()
        assert [bond.recall(query) for query in ("B42", "sank", "B7", "boat")] == before
        assert bond.verify().ok and not store.stray()


@pytest.mark.parametrize("budget", [0, 50, 700, 4_000])
def test_the_budget_holds_with_whole_sentences_and_an_oversized_one_is_no_wall(
    tmp_path_factory: pytest.TempPathFactory, budget: int
) -> None:
    """PB-73."""
    with fixed_store(tmp_path_factory.mktemp("budget") / "s.db") as store:
        bond = store.relationship("lumi", "chen")
        endless = "lighthouse " * 5_000
        long = " ".join(f"The lighthouse keeper wrote line {n} of his log." for n in range(400))
        with store.transaction():
            bond.record(endless, "Hm.")
            bond.record(long, "Hm.")
            for n in range(300):
                bond.record(f"The lighthouse lamp {n} burns.", "Hm.")
        counted: list[str] = []

        def counter(text: str) -> int:
            counted.append(text)
            return len(text) // 4 + 1

        recalled = bond.recall("lighthouse", budget=budget, items=40, counter=counter)
        assert recalled.used <= budget and counted and recalled.counter.endswith("counter")
        assert sum(item.tokens for item in recalled.items) <= recalled.used
        assert all(item.text.endswith(".") for item in recalled.items)
        reasons = {one.reason for one in recalled.left_out}
        if budget <= 50:
            assert not recalled.items and "over budget" in reasons
        else:
            assert recalled.items and ("over budget" in reasons or "over count" in reasons)
        assert endless not in {item.text for item in recalled.items}
        for item in recalled.items:
            assert item.cut == (
                item.text not in {f"The lighthouse lamp {n} burns." for n in range(300)}
            )


def test_a_rare_word_stays_on_top_after_a_month_and_after_years(path: Path) -> None:
    """Relevance decides, and age only shades it."""
    for days in (30, 3 * 365):
        with fixed_store(path, seed=days) as store:
            bond = store.relationship("lumi", f"chen{days}")
            with store.transaction():
                bond.record(
                    "The key is under the zygote pot.", "Fine.", at=NOW - timedelta(days=days)
                )
                for n in range(200):
                    bond.record(
                        "The key is a big topic with us.", "It is.", at=NOW - timedelta(minutes=n)
                    )
            assert found(bond, "Where is the zygote key?")[0] == "The key is under the zygote pot."


def test_what_was_said_yesterday_is_found_by_that_word_alone(bond: Relationship) -> None:
    for days, words in ((9, "We saw a whale."), (1, "We bought 3 lamps in Graz."), (0, "Hello.")):
        bond.record(words, "Nice.", at=NOW - timedelta(days=days))
    for query in ("What did I tell you yesterday?", "昨天我说了什么"):
        recalled = bond.recall(query)
        assert recalled.found[0].text == "We bought 3 lamps in Graz.", query
        assert recalled.found[0].because == "time"
        assert recalled.found[0].score is not None and recalled.found[0].score.meaning == 0
