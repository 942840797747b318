"""One happening has one identity of what, who and when: told again it is remembered, not a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers import fixed_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi import Citation, Signal
from enishi.host import Relationship
from enishi.kernel.deciding.proposals import Belief, Proposal
from enishi.kernel.moments import DAY, Moment
from enishi.kernel.words.happenings import Sentence, happening_of, looks_back, same_happening

FIRST = datetime(2026, 1, 9, 12, tzinfo=UTC)


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "store.db") as store:
        yield store.relationship("lumi", "chen")


def told(words: str, day: int = 0) -> Any:
    """What is told by a sentence that was said so many days after Friday, 2026-01-09."""
    moment = Moment((20_462 + day) * DAY + DAY // 2)
    return happening_of(words, [Sentence(words, moment)], ("Lumi", "Chen"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("We watched the first snow together.", "The first snow, watched with you!", True),
        ("We watched the first snow yesterday.", "Watching the first snow on 2026-01-02", False),
        ("We watched the first snow yesterday.", "We watched the first snow two days ago.", True),
        ("We watched the first snow.", "Lumi, we watched the first snow!", True),
        ("We watched the first snow.", "We watched the last game.", False),
        ("We watched the first snow.", "Do you remember the snow?", True),
        ("We watched the first snow.", "Do you remember the beach?", False),
        ("We lost 3 games at bowling.", "We lost 5 games at bowling.", False),
        ("We lost 3 games at bowling.", "We lost those games at bowling.", True),
        ("Dinner at Luigi's with Anna", "Dinner at Luigi's with Robert", False),
        ("dinner at luigi's with anna", "dinner at luigi's with robert", False),
        ("dinner at luigi's with anna", "Dinner at Luigi's with Anna", True),
        ("I loved talking with you.", "I loved talking with you.", False),
        ("和你一起在山顶看初雪。", "山顶看初雪真好。", True),
        ("和你一起在山顶看初雪。", "还记得山顶那场雪吗", True),
        ("和你一起在山顶看初雪。", "和你一起在海边看日落。", False),
        ("和你聊天真开心。", "和你聊天真开心。", False),
    ],
)
def test_two_tellings_are_of_the_same_by_what_who_and_when(
    one: str, other: str, same: bool
) -> None:
    first, second = told(one), told(other, 1)
    assert same_happening(first, second) is same_happening(second, first) is same


def test_days_that_are_given_outweigh_those_that_are_said() -> None:
    said = told("We watched the first snow yesterday.")
    for dates, same in [
        (("2026-01-08", None), True),
        (("2026", None), True),
        ((None, "2025"), False),
    ]:
        assert same_happening(said, happening_of("watched the first snow", [], (), dates)) is same


@pytest.mark.parametrize(
    ("sentence", "back"),
    [
        ("Remember when we got lost?", True),
        ("I'll never forget the night we met.", True),
        ("I'll never forget today.", False),
        ("Remember to call me.", False),
        ("还记得我们第一次见面吗？", True),
        ("我不会忘记今天的。", False),
        ("今天和你看了雪。", False),
    ],
)
def test_words_that_look_back_say_so(sentence: str, back: bool) -> None:
    assert looks_back(sentence) is back


class Told(NamedTuple):
    """A user's message some days after the first, and its number once it is recorded."""

    words: str
    day: int


def record(bond: Relationship, tellings: Sequence[Told]) -> list[int]:
    return [
        bond.record(one.words, "Mm.", at=FIRST + timedelta(days=one.day)).view().messages[0].number
        for one in tellings
    ]


def shared(text: int, words: str) -> Signal:
    cited = (Citation(text=text, quote=words),)
    return Signal(signal="shared_experience", actor="user", citations=cited)


def event(text: int, words: str, **fields: Any) -> Belief:
    about = {"subject": "user", "key": "event", "category": "occurrence"} | fields
    return Belief(value=words.rstrip(".?"), citations=(Citation(text=text, quote=words),), **about)


def accepted(bond: Relationship, proposal: Proposal) -> int:
    (decided,) = bond.propose(None, [proposal])
    assert decided.event is not None, decided
    return decided.event


def held(bond: Relationship) -> list[tuple[str, int]]:
    """What holds, and how often it was told."""
    return [(v.value, len(v.told)) for v in bond.beliefs() if v.status == "current"]


SNOW = Told("We watched the first snow from your balcony.", 0)
AGAIN = Told("That first snow on the balcony was wonderful.", 3)


@pytest.mark.parametrize("later_first", [False, True])
def test_a_shared_experience_told_again_is_remembered(
    bond: Relationship, later_first: bool
) -> None:
    texts = record(bond, [SNOW, AGAIN])
    pairs = list(zip(texts, (SNOW.words, AGAIN.words), strict=True))
    events = [accepted(bond, shared(*one)) for one in (pairs[::-1] if later_first else pairs)]
    first = events[-1] if later_first else events[0]
    assert (bond.rapport().familiarity, bond.rapport().intimacy) == (0.04, 0.03)
    both = bond.digests()

    bond.withdraw(first)
    assert (bond.rapport().familiarity, bond.rapport().intimacy) == (0.03, 0.02)
    assert bond.digests() == bond.replay()
    bond.restore(first)
    assert bond.digests() == both == bond.replay()


def test_a_swipe_that_takes_the_first_telling_away_leaves_the_second_counting(
    bond: Relationship,
) -> None:
    turn = bond.turn("Well?")
    reply = turn.reply(SNOW.words)
    (again,) = record(bond, [AGAIN])
    cited = (Citation(text=reply.number, quote=SNOW.words),)
    accepted(bond, Signal(signal="shared_experience", actor="agent", citations=cited))
    accepted(bond, shared(again, AGAIN.words))
    assert bond.rapport().familiarity == 0.04
    bond.regenerate(turn, "Hm.")
    assert bond.rapport().familiarity == 0.03
    bond.swipe(turn, 1)
    assert bond.rapport().familiarity == 0.04


def test_what_looks_back_is_a_remembrance_at_most(bond: Relationship) -> None:
    words = "Remember when we watched the first snow?"
    (text,) = record(bond, [Told(words, 0)])
    accepted(bond, shared(text, words))
    assert bond.rapport().familiarity == 0.01
    # What was only remembered does not take its place from whoever tells of it.
    (text,) = record(bond, [Told(SNOW.words, 1)])
    accepted(bond, shared(text, SNOW.words))
    assert bond.rapport().familiarity == 0.04


def test_the_agent_that_was_given_a_memory_shows_nothing_by_looking_back(
    bond: Relationship,
) -> None:
    (text,) = record(bond, [SNOW])
    number = accepted(bond, shared(text, SNOW.words))
    words = "Remember when we watched the first snow?"
    reply = bond.turn("Go on.").reply(words, given=[number])
    cited = (Citation(text=reply.number, quote=words),)
    (decided,) = bond.propose(
        None, [Signal(signal="shared_experience", actor="agent", citations=cited)]
    )
    assert (decided.verdict, decided.reason) == ("rejected", "self_caused")


def test_a_happening_told_again_is_one_belief(bond: Relationship) -> None:
    texts = record(bond, [SNOW, AGAIN])
    first = accepted(bond, event(texts[0], SNOW.words, valid_from=None))
    second = accepted(bond, event(texts[1], AGAIN.words))
    assert held(bond) == [(SNOW.words[:-1], 2)]
    bond.withdraw(first)
    assert held(bond) == [(AGAIN.words[:-1], 1)]
    bond.restore(first)
    # Taken back once, no telling of it is left, also where the one that was named is gone.
    bond.correct(second, "wrong")
    assert held(bond) == []
    bond.withdraw(second)
    assert held(bond) == []


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_first_snow_of_two_years_is_two_happenings(
    bond: Relationship, order: tuple[int, ...]
) -> None:
    words = "We watched the first snow on the balcony"
    days = ("2024-12-01", "2025-12-05", None)
    tellings = [
        Told(f"{words} on 2024-12-01.", 0),
        Told(f"{words} on 2025-12-05.", 1),
        Told("Do you remember the snow on the balcony.", 2),
    ]
    texts = record(bond, tellings)
    for at in order:
        value = words if days[at] else "snow on the balcony"
        cited = (Citation(text=texts[at], quote=tellings[at].words),)
        about: dict[str, Any] = {"subject": "user", "key": "event", "category": "occurrence"}
        accepted(bond, Belief(value=value, valid_from=days[at], citations=cited, **about))
    assert [(v.value, v.valid_from, len(v.told)) for v in bond.beliefs()] == [
        (words, "2024-12-01", 1),
        (words, "2025-12-05", 2),
    ]


def test_a_telling_whose_words_were_erased_is_told_no_more(bond: Relationship) -> None:
    texts = record(bond, [SNOW, AGAIN])
    accepted(bond, shared(texts[0], SNOW.words))
    bond.erase(texts[0])
    accepted(bond, shared(texts[1], AGAIN.words))
    assert bond.rapport().familiarity == 0.03
    assert bond.verify().problems == ()


POOL = [
    SNOW.words,
    AGAIN.words,
    "We watched the first snow yesterday.",
    "Remember the snow on the balcony?",
    "We cooked dumplings in the tiny kitchen.",
    "Dumplings in that kitchen, cooked with you.",
]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    tellings=st.lists(
        st.builds(Told, st.sampled_from(POOL), st.integers(0, 4)), min_size=2, max_size=5
    ),
    chance=st.randoms(use_true_random=False),
    data=st.data(),
)
def test_in_any_order_and_whatever_falls_the_rest_counts_as_if_alone(
    tmp_path_factory: pytest.TempPathFactory, tellings: list[Told], chance: Any, data: st.DataObject
) -> None:
    tellings.sort(key=lambda one: one.day)
    stay = data.draw(st.lists(st.booleans(), min_size=len(tellings), max_size=len(tellings)))

    def answer(order: Sequence[int], fallen: Sequence[int] = ()) -> Any:
        with fixed_store(tmp_path_factory.mktemp("order") / "s.db") as store:
            bond = store.relationship("lumi", "chen")
            texts = record(bond, tellings)
            events: dict[int, list[int]] = {}
            for at in order:
                words = tellings[at].words
                signal, belief = shared(texts[at], words), event(texts[at], words)
                decided = bond.propose(None, [signal, belief])
                events[at] = [one.event for one in decided if one.event is not None]
            whole = bond.digests()
            gone = [number for at in fallen for number in events[at]]
            if gone:
                bond.withdraw(*gone)
            found = bond.rapport(), held(bond)
            assert bond.digests() == bond.replay()
            if gone:
                bond.restore(*gone)
            assert bond.digests() == whole
            return found

    order = list(range(len(tellings)))
    shuffled = chance.sample(order, len(order))
    assert answer(order) == answer(shuffled)
    alone = [at for at in order if stay[at]]
    assert answer(shuffled, [at for at in order if not stay[at]]) == answer(alone)
