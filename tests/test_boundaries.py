"""Where an episode begins: the bundled proposer, what it reads, and the kernel's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi import Citation
from enishi.host import Relationship
from enishi.kernel.deciding.proposals import EpisodeBoundary, ReadText
from enishi.kernel.moments import HOUR, MINUTE, Moment
from enishi.kernel.rules.boundaries import (
    ENOUGH,
    GAPS,
    LONGEST,
    LOOKS_BACK,
    BoundaryProposer,
    gap_points,
)
from enishi.kernel.words.cohesion import cohesion, topic_words

START = datetime(2026, 1, 5, 20, tzinfo=UTC)
RULES = BoundaryProposer()

LOAN = (
    ("I want to take up a loan for the house.", "What interest does the bank ask for the loan?"),
    ("The bank asks for three percent interest.", "That is fair for a house loan these days."),
)
KREDIT = (
    ("我想贷款买房子。", "银行的贷款利率是多少？"),
    ("银行的利率是百分之三。", "现在买房子这个贷款利率算合理。"),
)

GOES_ON = [
    (LOAN, "Back. So about the interest of that loan: is it fixed?", timedelta(minutes=15)),
    (
        LOAN,
        "Sorry, that was a phone call. The bank offers a loan for ten years.",
        timedelta(minutes=15),
    ),
    (LOAN, "And the house, does the bank look at it for the loan?", timedelta(hours=2)),
    (LOAN, "Yes, the interest of the loan is fixed for ten years.", timedelta(hours=9)),
    (KREDIT, "刚才接了个电话。那贷款利率是固定的吗？", timedelta(minutes=15)),
    (KREDIT, "好的，那银行的贷款期限是多久？", timedelta(hours=2)),
]
BEGINS = [
    (LOAN, "Good morning! I dreamt of whales and a green sea.", timedelta(hours=12)),
    (LOAN, "My cat caught a bird in the garden.", timedelta(hours=12)),
    (LOAN, "Hi! Yesterday my sister had her baby.", timedelta(hours=3)),
    (KREDIT, "早上好！我梦见了鲸鱼。", timedelta(hours=12)),
    (KREDIT, "我家的猫今天抓了一只鸟。", timedelta(hours=12)),
    (KREDIT, "你好！昨天我妹妹生了个宝宝。", timedelta(hours=3)),
]


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "store.db", now=START + timedelta(days=900)) as store:
        yield store.relationship("lumi", "chen")


def talk(bond: Relationship, *said: tuple[str, str], at: datetime = START) -> list[int]:
    """Exchanges a minute apart. Returns the numbers of their turns."""
    return [
        bond.record(words, reply, at=at + timedelta(minutes=n)).number
        for n, (words, reply) in enumerate(said)
    ]


def read(said: Sequence[tuple[str, str]], opening: str, gap: timedelta | None) -> list[Any]:
    """What the proposer sees in exchanges that one more message follows."""
    texts, at = [], START
    for turn, pair in enumerate([*said, (opening,)]):
        at += gap or timedelta() if turn == len(said) else timedelta(minutes=1)
        for role, words in zip(("user", "agent"), pair, strict=False):
            moment = None if gap is None else Moment.of(at)
            texts.append(
                ReadText(
                    number=len(texts), turn=turn, place=turn + 1, role=role, speaker=role, name=role,  # type: ignore[arg-type]
                    content=words, happened=moment,
                )
            )  # fmt: skip
    return RULES.propose(texts)


@pytest.mark.parametrize(("said", "opening", "gap"), GOES_ON)
def test_a_pause_within_a_topic_ends_no_episode(said: Any, opening: str, gap: timedelta) -> None:
    assert read(said, opening, gap) == []


@pytest.mark.parametrize(("said", "opening", "gap"), BEGINS)
def test_another_topic_after_a_while_begins_one(said: Any, opening: str, gap: timedelta) -> None:
    (found,) = read(said, opening, gap)
    assert "gap" in found.signs
    # What was talked about decides only where the rest leaves it open.
    decisive = "unlike" in found.signs
    assert [c.text for c in found.citations] == ([0, 1, 2, 3, 4] if decisive else [2, 3, 4])


@pytest.mark.parametrize(("said", "opening", "gap"), BEGINS[:1] + BEGINS[3:4])
def test_the_same_words_after_a_minute_or_at_no_known_time(
    said: Any, opening: str, gap: timedelta
) -> None:
    """A greeting by itself counts as much as is needed where no time is known, and less than that
    where it is known that a minute went by."""
    assert read(said, opening, timedelta(minutes=1)) == []
    assert len(read(said, opening, None)) == 1


def test_a_farewell_counts_for_the_turn_after_it_alone() -> None:
    """Who took leave last week and greeted anew is not leaving when greeted back."""
    bye = [("Good night, take care!", "Bye!")]
    assert "farewell" in read(bye, "Hello there, I dreamt of whales.", timedelta(days=7))[0].signs
    returned = [*bye, ("Hello there, I dreamt of whales.",)]
    assert read(returned, "Hello! Yesterday my cat caught a bird.", timedelta(minutes=2)) == []


def test_the_time_alone_only_speaks_for_a_beginning_and_never_decides() -> None:
    """Whatever the gap, words can outweigh it; whatever the words, a gap of minutes is no sign."""
    points = [gap_points(minutes * MINUTE) for minutes in range(0, 30_000, 5)]
    assert points == sorted(points) and points[-1] == LONGEST == gap_points(10**18)
    assert gap_points(None) == 0 and gap_points(15 * MINUTE) < 0
    assert gap_points(6 * HOUR) < ENOUGH <= gap_points(8 * HOUR)
    assert [limit for limit, _ in GAPS] == sorted(limit for limit, _ in GAPS)
    assert read(LOAN, "And the house? Does the bank ask for interest?", timedelta(days=2)) == []


@given(st.lists(st.text(max_size=30), max_size=6), st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_words_can_be_weighed(before: list[str], opening: str) -> None:
    pairs = [(words, "Hm.") for words in before]
    for gap in (None, timedelta(minutes=15), timedelta(days=30)):
        assert read(pairs, opening, gap) == read(pairs, opening, gap)
    share = cohesion([topic_words(words) for words in before], topic_words(opening))
    assert 0 <= share <= 10_000


def test_each_word_shared_raises_cohesion_and_the_common_ones_count_for_nothing() -> None:
    words = topic_words("The interest of the loan for our house is really good today")
    shares = [
        cohesion([topic_words(before)], words)
        for before in ("We really talk today", "A house", "A house loan", "House loan interest")
    ]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 10_000
    assert cohesion([topic_words("loan interest house"), frozenset(), frozenset()], words) == 5_000


# --- what is recorded


def begun(bond: Relationship) -> list[int]:
    """The turns with which episodes begin."""
    return [one.first for one in bond.episodes()]


def test_a_boundary_rests_on_what_was_read_for_it_and_says_why(bond: Relationship) -> None:
    first, _ = talk(bond, *LOAN)
    (turn,) = talk(
        bond, ("Good morning! I dreamt of whales.", "Tell me."), at=START + timedelta(hours=11)
    )
    (decided,) = bond.propose(None, RULES)
    assert (decided.verdict, begun(bond)) == ("accepted", [first, turn])
    why = bond.why(decided)
    assert why.type == "EpisodeBegan" and why.payload is not None
    assert why.payload["signs"] == ["gap", "greeting"]
    assert why.payload["gap"] == 11 * 3600 - 60 and why.payload["cohesion"] == 0
    texts = [text.number for view in bond.turns() for text in (*view.messages, *view.replies)]
    assert list(why.rests_on) == texts[2:-1], "the turn before, not the reply that it came to"
    assert bond.propose(None, RULES) == []


def test_it_stays_when_words_further_back_go_that_were_not_needed(bond: Relationship) -> None:
    first, second = talk(bond, *LOAN)
    (turn,) = talk(
        bond, ("Good morning! I dreamt of whales.", "Tell me."), at=START + timedelta(hours=11)
    )
    bond.propose(None, RULES)
    bond.edit(bond.get_turn(first).view().messages[0].number, "Something else altogether.")
    assert begun(bond) == [first, turn]
    bond.erase(first)
    assert begun(bond)[-1] == turn
    bond.erase(second)
    assert turn not in begun(bond)[1:]


def test_another_reply_to_the_opening_words_moves_nothing(bond: Relationship) -> None:
    first, _ = talk(bond, *LOAN)
    (turn,) = talk(
        bond, ("Good morning! I dreamt of whales.", "Hm."), at=START + timedelta(hours=11)
    )
    bond.propose(None, RULES)
    bond.regenerate(turn, "Loans, always loans.")
    assert begun(bond) == [first, turn]
    assert bond.propose(None, RULES) == []
    assert begun(bond) == [first, turn]


def test_what_falls_with_a_swipe_or_an_edit_is_decided_anew(bond: Relationship) -> None:
    first, second = talk(bond, *LOAN)
    (turn,) = talk(
        bond, ("Whales again! I dreamt of a green sea.", "Hm."), at=START + timedelta(hours=11)
    )
    bond.propose(None, RULES)
    before = bond.digests()
    assert begun(bond) == [first, turn]
    # The reply before it now speaks of the same, so the words go on with it.
    bond.regenerate(second, "And what of the whales in the green sea that you dreamt of?")
    assert begun(bond) == [first]
    assert bond.propose(None, RULES) == []
    assert begun(bond) == [first]
    bond.regenerate(second, "I see.")
    assert len(bond.propose(None, RULES)) == 1
    assert begun(bond) == [first, turn]
    bond.swipe(second, 1)
    assert bond.digests() == before
    assert bond.propose(None, RULES) == [], "what was read before is not read again"
    opening = bond.get_turn(turn).view().messages[0]
    bond.edit(opening.number, "And the interest of the loan, is it fixed by the bank?")
    assert begun(bond) == [first] and bond.propose(None, RULES) == []
    bond.undo(opening.number)
    assert bond.digests() == before == bond.replay()


@pytest.mark.parametrize("gone", range(1, LOOKS_BACK + 3))
def test_a_turn_that_is_withdrawn_or_comes_back_leaves_no_boundary_out(
    bond: Relationship, gone: int
) -> None:
    turns = talk(bond, *((f"The bank has loan number {n}.", "A loan, yes.") for n in range(7)))
    turns += talk(
        bond, ("Good morning! I dreamt of whales.", "Hm."), at=START + timedelta(hours=11)
    )
    bond.propose(None, RULES)
    assert begun(bond) == [turns[0], turns[-1]]
    bond.withdraw(turns[-1 - gone])
    bond.propose(None, RULES)
    assert begun(bond)[-1] == turns[-1]
    bond.restore(turns[-1 - gone])
    assert begun(bond)[-1] == turns[-1] and bond.digests() == bond.replay()


def test_one_turn_is_read_with_those_before_it(bond: Relationship) -> None:
    talk(bond, *LOAN)
    (turn,) = talk(
        bond, ("Good morning! I dreamt of whales.", "Hm."), at=START + timedelta(hours=11)
    )
    (decided,) = bond.propose(turn, RULES)
    assert bond.propose(turn, RULES) == [decided], "a batch is frozen"
    assert [len(bond.episodes()), decided.proposal["kind"]] == [2, "episode_boundary"]


def test_live_and_at_once_come_to_the_same(bond: Relationship) -> None:
    said = [*LOAN, ("Good morning! I dreamt of whales.", "Hm."), *LOAN, ("Bye!", "Bye!")]
    other = bond.fork("other")
    for n, (words, reply) in enumerate(said):
        at = START + timedelta(hours=10 * n)
        live = bond.record(words, reply, at=at)
        bond.propose(live, RULES)
        other.record(words, reply, at=at)
    other.propose(None, RULES)
    places = [
        [view.place for view in side.turns() if view.number in begun(side)]
        for side in (bond, other)
    ]
    assert places[0] == places[1] and len(places[0]) > 2


def test_a_model_may_propose_a_boundary_and_the_kernel_measures_it(bond: Relationship) -> None:
    talk(bond, *LOAN)
    (turn,) = talk(bond, ("My cat caught a bird.", "Hm."), at=START + timedelta(hours=2))
    before, own = (view.messages[0].number for view in bond.turns()[-2:])
    cites = (Citation(text=before, quote="The bank"), Citation(text=own, quote="My cat"))
    (decided,) = bond.propose(None, [EpisodeBoundary(signs=("turning",), citations=cites)])
    payload = bond.why(decided).payload
    assert payload is not None and begun(bond)[-1] == turn
    assert (payload["gap"], payload["cohesion"], payload["signs"]) == (7140, 0, ["turning"])
