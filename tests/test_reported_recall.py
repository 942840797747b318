"""Faults of remembering that users of other systems reported, each tested as a whole kind.

The number in a name is the report's.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import NOW, fixed_store
from hypothesis import given
from hypothesis import strategies as st

from enishi import Citation, Message, Scene
from enishi.host import Relationship, Store, open_store
from enishi.host.turn import Turn
from enishi.kernel.deciding.proposals import Belief, LoopOutcome, OpenLoop, Promise
from enishi.kernel.errors import InvalidInput
from enishi.kernel.rules import bundled_proposers
from enishi.projections.policy import ONE, bundled_policy, read_policy
from enishi.projections.recall import hinting
from enishi.projections.recall.budget import estimate
from enishi.projections.recall.items import Recall
from enishi.projections.recall.ranking import recency_of

DAY = 86_400_000_000

TRIFLES = ("It rained again.", "The bus was late.", "今天的汤有点淡。", "I watered the plants.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db") as store:
        yield store


def small_talk(bond: Relationship, turns: int, days: int = 0) -> None:
    """Many turns of nothing in particular, the first of them so many days ago."""
    with bond._store.transaction():
        for place in range(turns):
            at = NOW - timedelta(days=days * (turns - place) / turns)
            bond.record(f"{TRIFLES[place % 4]} ({place})", "I see.", at=at)


def found(bond: Relationship, query: str, **options: Any) -> list[str]:
    return [item.text for item in bond.recall(query, **options).found]


def test_18_what_was_said_in_one_room_is_not_known_in_another(store: Store) -> None:
    first, second = (store.relationship("lumi", user) for user in ("xu", "yan"))
    room = Scene(bytes(16), ("lumi", "xu"))
    first.record("I failed the exam.", "Oh no.", scene=room)
    other = Scene(bytes([1] * 16), ("lumi", "yan"))
    second.record("How is everyone doing?", "Well, I think.", scene=other)
    for query in ("exam", "I failed the exam", "How is everyone doing? And xu?"):
        assert "exam" not in repr(second.recall(query).items)
    assert found(first, "the exam")[0] == "I failed the exam."


def test_19_who_was_absent_does_not_know_it_until_somebody_tells(store: Store) -> None:
    """What was said goes to whom it was said before; hearsay has its own turn and speaker."""
    present = [store.relationship(agent, "chen") for agent in ("ann", "bo")]
    absent = store.relationship("dee", "chen")
    scene = Scene(bytes(16), ("ann", "bo", "chen"))
    for bond in present:
        bond.record("The key is under the blue stone.", "I will not tell.", scene=scene)
    assert found(absent, "blue stone") == [] and found(present[0], "blue stone")
    told = absent.record([Message("The key is under the blue stone.", role="other", speaker="bo",
                                  name="Bo")], "Is it?")  # fmt: skip
    (item, *_) = absent.recall("blue stone").found
    assert (item.number, item.speaker) == (told.number + 1, "Bo")


def test_20_each_character_has_a_memory_of_its_own(store: Store) -> None:
    first, second = (store.relationship(agent, "chen") for agent in ("lumi", "nova"))
    first.record("My cat is called Pixel.", "A fine name.")
    before = first.digests()
    second.record("Good evening.", "Good evening.")
    assert found(second, "cat Pixel") == []
    assert first.digests() == before and found(first, "cat Pixel")[0] == "My cat is called Pixel."


def test_45_what_matters_outlives_thousands_of_trifles(bond: Relationship) -> None:
    turn = bond.record(
        "I am so scared.", "I promise to be at the hospital.", at=NOW - timedelta(days=201)
    )
    reply = turn.view().reply
    assert reply is not None
    cited = (Citation(text=reply.number, quote="I promise to be at the hospital"),)
    made = Promise(promiser="agent", act="be at the hospital", citations=cited)
    (decided,) = bond.propose(None, [made])
    assert decided.event is not None
    said = bond.record(
        "Never call me Chenny. I like jasmine tea.", "I will not.", at=NOW - timedelta(days=200)
    )
    text = said.view().messages[0].number
    boundary, tea = (
        Belief(
            subject="user", key=key, value=value, category=category,
            citations=(Citation(text=text, quote=quote),),
        )
        for key, value, category, quote in (
            ("boundary", "call me Chenny", "constraint", "Never call me Chenny"),
            ("likes", "jasmine tea", "preference", "I like jasmine tea"),
        )
    )  # fmt: skip
    kept = [one.event for one in bond.propose(None, [boundary, tea])]
    assert None not in kept
    pinned = kept[1]
    assert pinned is not None
    bond.correct(pinned, "right")  # so the user pins it
    small_talk(bond, 600, days=200)
    # Whatever is spoken of: it is open, so it is there. And it is found by its own words.
    for query in ("It rained again.", "the hospital"):
        assert {decided.event, *kept} <= set(bond.recall(query).numbers), query
    assert found(bond, "so scared")[0] == "I am so scared."
    assert len(bond.turns()) == 602


@pytest.mark.parametrize("later", [0, 1, 40])
def test_58_what_was_just_said_is_found_at_once(bond: Relationship, later: int) -> None:
    bond.record("Hello.", "Hello.")
    bond.record("The plumber comes at nine about the boiler.", "Good.")
    small_talk(bond, later)
    assert "The plumber comes at nine about the boiler." in found(
        bond, "When does the plumber come?"
    )


PHRASES = {
    "用户身份验证失败": "用户身份",
    "今日は成語しりとりをした": "しりとり",
    "오늘 끝말잇기 게임을 했다": "끝말잇기",
    "早报": "早报",
    "C盘满了": "C盘",
    "重跑gen-itgc后50条": "itgc",
    "我的代号是ＡＢＣ": "ABC",
}


@pytest.fixture(scope="module")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relationship]:
    with fixed_store(tmp_path_factory.mktemp("polyglot") / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        small_talk(bond, 150)
        for words in PHRASES:
            bond.record(words, "。")
        small_talk(bond, 150)
        yield bond


@pytest.mark.parametrize("words", list(PHRASES)[:3])
def test_59_a_phrase_is_found_in_every_script(polyglot: Relationship, words: str) -> None:
    assert found(polyglot, PHRASES[words])[0] == words


@pytest.mark.parametrize("words", list(PHRASES)[3:])
def test_60_short_words_and_names_beside_chinese_are_found(
    polyglot: Relationship, words: str
) -> None:
    assert found(polyglot, PHRASES[words])[0] == words


def test_70_an_index_that_is_gone_is_made_anew_and_has_no_rows_of_what_is_gone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        small_talk(bond, 20)
        kept = bond.record("The lighthouse has a red door.", "It does.")
        gone = bond.record("The lighthouse key is brass.", "It is.")
        before = found(bond, "lighthouse")
    with fixed_store(path, seed=1) as store:
        bond = store.relationship("lumi", "chen")
        assert found(bond, "lighthouse") == before
        bond.rebuild()
        assert found(bond, "lighthouse") == before
        bond.edit(kept.number + 1, "The lighthouse has a green door.")
        assert found(bond, "red door lighthouse")[0] == "The lighthouse has a green door."
        bond.erase(gone)
        assert not any("brass" in one for one in found(bond, "lighthouse brass key"))
        after = found(bond, "lighthouse door")
        bond.rebuild()
        assert found(bond, "lighthouse door") == after


@pytest.mark.parametrize("budget", [0, 50, 700, 4000])
def test_73_a_budget_is_kept_to_and_no_text_is_cut_in_its_middle(
    bond: Relationship, budget: int
) -> None:
    small_talk(bond, 60)
    long = "The garden grows. " * 1500
    bond.record(long, "It does.")
    for place in range(30):
        bond.record(f"The garden has {place} roses.", "So many.")
    recall = bond.recall("garden roses", budget=budget)
    assert recall.used <= budget and recall.budget == budget
    for item in recall.items:
        assert item.text.endswith((".", "。", "!", "?")), item.text[-40:]
    if budget >= 700:
        assert len(recall.found) >= 3, "one that is too long is passed over, and stops nothing"
    else:
        assert recall.left_out


@given(days=st.integers(0, 4000), used=st.integers(0, 20), more=st.integers(1, 20))
def test_42_what_was_used_more_never_fades_sooner(days: int, used: int, more: int) -> None:
    numbers = bundled_policy().recall
    for half_life in (numbers.half_life.text, numbers.half_life.belief):
        less, often = (recency_of(days * DAY, half_life, n, numbers) for n in (used, used + more))
        assert numbers.floor <= less <= often <= ONE


def test_42_what_has_faded_is_still_there_and_every_run_says_the_same(bond: Relationship) -> None:
    bond.record("The ferry leaves at dawn.", "I see.", at=NOW - timedelta(days=7000))
    bond.record("The ferry was painted blue.", "I see.", at=NOW - timedelta(days=1))
    recalls = [bond.recall("the ferry") for _ in range(3)]
    assert recalls[0] == recalls[1] == recalls[2]
    old, new = (next(i for i in recalls[0].found if word in i.text) for word in ("dawn", "blue"))
    assert old.score is not None and new.score is not None
    assert old.score.recency < new.score.recency
    assert bond.turns()[0].messages[0].content == "The ferry leaves at dawn."


@pytest.mark.parametrize(
    ("knob", "references"), [("half_life", 0), ("reinforcement", 3), ("floor", 0)]
)
@pytest.mark.parametrize("days", [1, 7, 30, 300])
def test_43_every_number_of_fading_does_what_it_says(knob: str, references: int, days: int) -> None:
    """Each of them makes memory last longer the larger it is."""
    found = []
    for factor in (1, 2):
        numbers = bundled_policy().numbers()
        own = numbers["recall"]
        if knob == "half_life":
            own[knob] = {name: factor * value for name, value in own[knob].items()}
        else:
            own[knob] *= factor
        recall = read_policy({"name": "mine", **numbers}).recall
        found.append(recency_of(days * DAY, recall.half_life.text, references, recall))
    assert found[0] < found[1]


def test_43_a_number_that_nothing_reads_is_an_error(bond: Relationship) -> None:
    numbers = bundled_policy().numbers()
    numbers["recall"]["half_live"] = 3
    with pytest.raises(InvalidInput, match="half_live"):
        bond.adopt_policy({"name": "mine", **numbers})


MONDAY = datetime(2026, 3, 2, 20, tzinfo=UTC)


class Dated(NamedTuple):
    """A relationship whose clock can be set."""

    bond: Relationship
    clock: list[datetime]

    def say(self, words: str, days: float, reply: str = "I see.") -> Turn:
        """Say something so many days later, and let the bundled rules read it."""
        self.clock[0] = MONDAY + timedelta(days=days)
        turn = self.bond.record(words, reply)
        for proposer in bundled_proposers():
            self.bond.propose(turn, proposer)
        return turn

    def opens(self, days: float, words: str | Message = "Hello!", **options: Any) -> Recall:
        """What is remembered for a turn so many days later, which is then replied to."""
        self.clock[0] = MONDAY + timedelta(days=days)
        with self.bond.turn(words) as turn:
            found = turn.recall(**options)
            assert turn.recall(**options) == found
            turn.reply("Hello.")
        return found


@pytest.fixture
def dated(tmp_path: Path) -> Iterator[Dated]:
    clock = [MONDAY - timedelta(days=1)]
    with open_store(tmp_path / "dated.db", clock=lambda: clock[0]) as store:
        bond = store.relationship("lumi", "chen")
        bond.record("Good evening.", "Good evening.")
        yield Dated(bond, clock)


AHEAD = (
    ("I have a client meeting next Wednesday, and I'm so nervous.", "client meeting"),
    ("我下周三要去见客户，好紧张。", "客户"),
)


@pytest.mark.parametrize(("words", "what"), AHEAD)
@pytest.mark.parametrize(
    ("days", "hinted"), [(1, False), (9, False), (10, True), (17, True), (68, True), (69, False)]
)
def test_76_what_was_ahead_is_brought_up_once_its_day_has_passed(
    dated: Dated, words: str, what: str, days: int, hinted: bool
) -> None:
    dated.say(words, 0)
    found = dated.opens(days)
    assert (found.hint is not None) == hinted
    for language, ask in (("en", "Perhaps ask"), ("zh", "或许可以问问")):
        told = [one for one in found.render(language).splitlines() if ask in one]
        assert [what in one for one in told] == [True] * hinted
    if found.hint is not None:
        assert found.hint.number in found.numbers and found.hint.sources
        assert dated.opens(days + 0.2).hint is None  # the same day again
        assert dated.opens(days + 7).hint is None


@pytest.mark.parametrize("words", [one for one, _ in AHEAD])
@pytest.mark.parametrize(
    "end",
    ["completed", "abandoned", "withdrawn", "erased", "edited", "told", "called off", "asked"],
)
def test_76_what_has_ended_or_was_spoken_of_since_is_not(
    dated: Dated, words: str, end: str
) -> None:
    """However it ended, whoever has seen so: also where nobody proposed that it did."""
    bond, turn = dated.bond, dated.say(words, 0)
    (loop,) = bond.loops()
    english = words.isascii()
    match end:
        case "completed" | "abandoned":
            said = dated.say("It is over.", 0.01).view().messages[0].number
            cited = (Citation(text=said, quote="It is over."),)
            outcome: Any = end
            bond.propose(None, [LoopOutcome(loop=loop.number, outcome=outcome, citations=cited)])
        case "withdrawn":
            bond.withdraw(loop.number)
        case "erased":
            bond.erase(turn)
        case "edited":
            bond.edit(turn.view().messages[0], "Nothing is ahead.")
        case "told":
            dated.say("The meeting went well!" if english else "见客户很顺利！", 9.1)
        case "called off":
            dated.say("The client cancelled." if english else "客户取消了。", 0.01)
        case "asked":
            dated.say("Hm.", 0.01, "How was the meeting?" if english else "客户那边怎么样？")
    assert dated.opens(10).hint is None


def test_76_it_is_brought_up_where_the_user_opens_a_session_and_nowhere_else(dated: Dated) -> None:
    dated.say(AHEAD[0][0], 0)
    dated.clock[0] = MONDAY + timedelta(days=8)
    dated.bond.record("Nothing new.", "I see.")
    going_on = dated.bond.fork("going on")
    Dated(going_on, dated.clock).say("Still here.", 8.05)
    assert dated.opens(10, "How was I in March?", layers=()).hint is not None
    assert dated.bond.recall("client meeting").hint is None
    assert Dated(going_on, dated.clock).opens(10, "The client was kind.").hint is None
    for place, (days, words, hinted) in enumerate(
        [(10, Message("Anybody?", role="other", speaker="bob"), False), (10, "Hi.", True)]
    ):
        side = dated.bond.fork(f"side {place}", after=dated.bond.turns()[2].number)
        assert (Dated(side, dated.clock).opens(days, words).hint is not None) == hinted
    side = dated.bond.fork("agent first", after=dated.bond.turns()[2].number)
    with side.turn([]) as turn:
        assert turn.recall("").hint is None
        turn.reply("Are you there?")
    midnight = dated.bond.fork("over midnight", after=dated.bond.turns()[2].number)
    talk = Dated(midnight, dated.clock)
    talk.say("I cannot sleep.", 9.1)
    assert talk.opens(9.17, "It is past midnight.").hint is None
    assert talk.opens(10.1).hint is not None


@pytest.mark.parametrize(
    ("mood", "hinted"),
    [("I'm devastated.", False), ("我好难过，一直在哭。", False), ("I'm tired.", True)],
)
def test_76_who_feels_low_is_asked_nothing(dated: Dated, mood: str, hinted: bool) -> None:
    dated.say(AHEAD[0][0], 0)
    dated.say(mood, 9.1)
    assert (dated.opens(9.6).hint is not None) == hinted


def test_76_a_hint_is_within_the_budget_and_for_those_alone_who_heard_of_it(dated: Dated) -> None:
    dated.say(AHEAD[0][0], 0)
    for place, budget in enumerate((0, 20, 60, 120, 200, 800)):
        side = Dated(dated.bond.fork(f"side {place}"), dated.clock)
        found = side.opens(10, budget=budget)
        assert max(estimate(found.render(one)) for one in ("en", "zh")) <= found.used <= budget
        assert (found.hint is not None) == (budget >= 200), budget
    room = Dated(dated.bond.fork("room"), dated.clock)
    assert room.opens(10, audience=["chen", "bob"]).hint is None
    assert Dated(dated.bond.fork("own"), dated.clock).opens(10, audience="user").hint is not None


def test_76_nothing_is_brought_up_while_what_was_said_since_is_not_indexed(
    dated: Dated, monkeypatch: pytest.MonkeyPatch
) -> None:
    dated.say(AHEAD[0][0], 0)
    with monkeypatch.context() as behind:
        behind.setattr(hinting, "BEHIND", 0)
        found = dated.opens(10)
        assert found.hint is None and found.items
    side = Dated(dated.bond.fork("side", after=dated.bond.turns()[1].number), dated.clock)
    assert side.opens(10.5).hint is not None


def test_76_of_several_matters_the_latest_is_brought_up(dated: Dated) -> None:
    matters = ("The exam is on 2026-03-08", "the trip on 2026-03-10", "the visit some day")
    text = dated.say(f"{', '.join(matters)}.", 0).view().messages[0].number
    for quote in matters:
        day = quote.partition("on ")[2] or None
        cited = (Citation(text=text, quote=quote),)
        loop = OpenLoop(subject=quote, continuation="ahead", expected_by=day, citations=cited)
        assert dated.bond.propose(None, [loop])[0].verdict == "accepted"
    hint = dated.opens(20).hint
    assert hint is not None and hint.text.startswith("the trip")
