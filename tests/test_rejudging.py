"""A decision is judged again on what it could see, and only where all of that is still there.

Each of these is an honest history, which another machine has to take in.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store

from enishi import Citation, Signal
from enishi.host import Relationship
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    LoopOutcome,
    OpenLoop,
    PromiseOutcome,
    Reflection,
)
from enishi.kernel.deciding.rejudging import Rejudged, rejudge
from enishi.kernel.deciding.tellings import tellings_fit


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "here.db") as store:
        yield store.relationship("lumi", "chen")


def said(bond: Relationship, words: str) -> tuple[Citation, ...]:
    """Say it, and cite all of it."""
    text = bond.record(words, "I see.").view().messages[0].number
    return (Citation(text=text, quote=words),)


def home(cited: tuple[Citation, ...], value: str = "Lisbon", subject: str = "user") -> Belief:
    return Belief(subject=subject, key="home_city", value=value, citations=cited)


def event(bond: Relationship, *proposals: Any) -> int:
    decided = bond.propose(None, proposals)
    assert decided[0].event is not None, decided[0]
    return decided[0].event


def carried(bond: Relationship, folder: Path) -> Rejudged:
    """Take it in on another machine. Returns how it was judged there."""
    bond.export(folder / "pack.erii")
    with fixed_store(folder / "there.db", seed=1) as store:
        taken = store.import_pack(folder / "pack.erii", accept_erasures=True)
        assert store.relationship("lumi", "chen").digests() == bond.digests()
    return taken.lines[0].rejudged


def test_what_was_told_twice_and_confirmed_is_taken_in(bond: Relationship, tmp_path: Path) -> None:
    first = event(bond, home(said(bond, "I live in Lisbon.")))
    event(bond, home(said(bond, "As I said, I live in Lisbon.")))
    event(bond, BeliefConfirmation(belief=first, citations=said(bond, "Yes, I live in Lisbon.")))
    found = carried(bond, tmp_path)
    assert (found.judged, found.unjudged) == (3, 0)


@pytest.mark.parametrize("erased", [None, 0, 1])
def test_what_was_lived_together_and_told_again_is_taken_in(
    bond: Relationship, tmp_path: Path, erased: int | None
) -> None:
    for words in ("我们一起看了第一场雪。", "还记得吗？我们一起看过第一场雪，在海港。"):
        cited = said(bond, words)
        event(bond, Signal(signal="shared_experience", actor="user", citations=cited))
    happened = [
        Belief(subject="user", key="move", value=value, category="occurrence", citations=cited)
        for value, words in (
            ("moved to Porto in March", "I moved to Porto in March."),
            ("the move to Porto in March", "Back then, the move to Porto in March was hard."),
        )
        for cited in [said(bond, words)]
    ]
    for one in happened:
        event(bond, one)
    added = [
        payload
        for record in bond.records()
        if record.type in ("SignalAccepted", "BeliefStated")
        for payload in [bond.why(record.number).payload or {}]
    ]
    assert [bool(one.get("retells")) for one in added] == [False, True, False, True]
    assert added[1]["looks_back"]
    if erased is not None:
        bond.erase(bond.turns()[erased].number)
    assert carried(bond, tmp_path).judged == 4 - (erased is not None)


def test_what_tells_of_something_else_is_no_telling_of_it(bond: Relationship) -> None:
    bread = said(bond, "We baked bread together on Sunday.")
    snow = said(bond, "我们一起看了第一场雪。")
    first, last = (
        event(bond, Signal(signal="shared_experience", actor="user", citations=cited))
        for cited in (bread, snow)
    )
    claims: list[dict[str, Any]] = [
        {"looks_back": True}, {"retells": [first]}, {"retells": [snow[0].text]}, {"retells": [last]}
    ]  # fmt: skip
    with bond._stream.reading():
        payload = bond._stream.payload(last) or {}
        assert tellings_fit(bond._stream, last, payload)
        for claimed in claims:
            assert not tellings_fit(bond._stream, last, {**payload, **claimed}), claimed


def test_what_names_an_event_that_was_erased_is_taken_in(
    bond: Relationship, tmp_path: Path
) -> None:
    loop = event(bond, OpenLoop(
        subject="the interview", continuation="how it went",
        citations=said(bond, "The interview is on Friday."),
    ))  # fmt: skip
    event(bond, LoopOutcome(
        loop=loop, outcome="completed", citations=said(bond, "The interview went well.")
    ))  # fmt: skip
    bond.erase(bond.turns()[0].number)
    assert carried(bond, tmp_path).unjudged >= 1


def test_a_thought_on_words_that_were_erased_is_taken_in(
    bond: Relationship, tmp_path: Path
) -> None:
    thanks = said(bond, "Thank you for the soup.")
    about = event(bond, Signal(signal="gratitude", actor="user", citations=thanks))
    bond.propose(None, [Reflection(event=about, words="The soup was good.", citations=thanks)])
    bond.erase(about)
    carried(bond, tmp_path)


def test_a_number_that_came_only_later_was_unknown_then(bond: Relationship, tmp_path: Path) -> None:
    cited = said(bond, "You kept it.")
    coming = bond.summary().events
    # Nobody can end what is not there yet, whatever these numbers are going to be.
    bond.propose(
        None,
        [PromiseOutcome(promise=n, outcome="kept", citations=cited) for n in range(coming, 60)],
    )
    for _ in range(8):
        words = said(bond, "I live in Lisbon.")
        bond.propose(None, [home(words)])
    later = Citation(text=bond.summary().events + 6, quote="I live in Porto.")
    bond.propose(None, [home((later,), "Porto")])
    for _ in range(4):
        said(bond, "I live in Porto.")
    carried(bond, tmp_path)


def test_a_name_that_was_taken_back_was_a_name_then(bond: Relationship, tmp_path: Path) -> None:
    bond.rename("chen", "Wanderer")
    name = bond.summary().events - 1
    words = said(bond, "I live in Lisbon.")
    event(bond, home(words, subject="Wanderer"))
    bond.withdraw(name)
    carried(bond, tmp_path)


def test_a_telling_that_names_another_thing_is_not_what_the_rules_decide(
    bond: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    from enishi.kernel.deciding import proposing

    other = event(bond, home(said(bond, "I live in Lisbon.")))
    words = said(bond, "I live in Porto.")
    monkeypatch.setattr(
        proposing, "with_tellings", lambda stream, kind, payload: {**payload, "same_as": other}
    )
    forged = event(bond, home(words, "Porto"))
    with bond._stream.reading():
        assert rejudge(bond._stream).differing == (forged - 1,)
