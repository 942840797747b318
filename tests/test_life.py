"""Whole lives: any interleaving of what can be done, checked against the rule computed slowly."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from reference import Reference

import enishi
from enishi import Citation, Message, Reply, Signal
from enishi.host import Relationship, Store, open_store
from enishi.kernel import fold, keeping
from enishi.kernel.deciding.proposals import SignalKind, Strength
from enishi.kernel.erasing.erasure import erase, of_numbers
from enishi.kernel.errors import Conflict, InvalidInput, NotFound
from enishi.kernel.history import History
from enishi.kernel.rules.boundaries import BoundaryProposer
from enishi.kernel.standing import Standing

BOUNDARIES = BoundaryProposer()
KINDS = get_args(SignalKind)
STRENGTHS = get_args(Strength)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Checkpoints and snapshots after a few turns, so that short lives meet them."""
    monkeypatch.setattr(fold, "CHUNK_TURNS", 2)
    monkeypatch.setattr(fold, "CHECKPOINT_EVENTS", 1)
    monkeypatch.setattr(keeping, "LEAST", 5)
    yield


class Life(RuleBasedStateMachine):
    """One relationship, everything that may happen to it, in any order."""

    texts = Bundle("texts")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.ticks = itertools.count()
        self.random = Random(7)
        self.store = self.open()
        self.bond = self.store.relationship("lumi", "chen")

    def open(self) -> Store:
        return open_store(
            Path(self.folder.name) / "life.db",
            clock=self.now,
            entropy=self.random.randbytes,
            synchronous="NORMAL",
        )

    def now(self) -> datetime:
        return START + timedelta(hours=7 * next(self.ticks))

    def teardown(self) -> None:
        try:
            digests = self.digests(self.bond)
            assert self.bond.verify().problems == ()
            self.store.close()
            with self.open() as again:
                assert self.digests(again.relationships()[0]) == digests
        finally:
            self.store.close()
            self.folder.cleanup()

    def digests(self, bond: Relationship) -> dict[str, Any]:
        return {b.name: bond.on(b.name).digests() for b in bond.branches()}

    def turn_numbers(self) -> list[int]:
        return [turn.number for turn in self.bond.turns()]

    def text_numbers(self) -> list[int]:
        return [
            number
            for turn in self.bond.turns()
            for text in (*turn.messages, *turn.replies)
            for number in text.wordings
        ]

    def pick(self, numbers: list[int], place: int) -> int:
        return numbers[place % len(numbers)] if numbers else 0

    @initialize()
    def first_words(self) -> None:
        self.bond.record("Hello. Thank you for coming.", "Welcome back. I missed you.")

    @rule(messages=st.integers(0, 2), replied=st.booleans(), known=st.booleans())
    def turn(self, messages: int, replied: bool, known: bool) -> None:
        said = [Message(f"Message {n}. And more of it.") for n in range(messages)]
        at = None if known else START - timedelta(days=400)
        turn = self.bond.turn(said, at=at)
        if replied:
            turn.reply("A reply. It has two sentences.")

    @rule(place=st.integers(0, 30), content=st.sampled_from(["Another.", "Yet another one."]))
    def regenerate(self, place: int, content: str) -> None:
        turn = self.pick(self.turn_numbers(), place)
        self.allowed(lambda: self.bond.regenerate(turn, Reply(content)))

    @rule(place=st.integers(0, 30), which=st.integers(1, 3))
    def swipe(self, place: int, which: int) -> None:
        turn = self.pick(self.turn_numbers(), place)
        self.allowed(lambda: self.bond.swipe(turn, which))

    @rule(place=st.integers(0, 60), more=st.booleans())
    def edit(self, place: int, more: bool) -> None:
        text = self.pick(self.text_numbers(), place)
        change = self.bond.extend if more else self.bond.edit
        self.allowed(lambda: change(text, "Other words. Quite other."))

    @rule(place=st.integers(0, 60))
    def choose_wording(self, place: int) -> None:
        text = self.pick(self.text_numbers(), place)
        self.allowed(lambda: self.bond.choose_wording(text))

    @rule(
        places=st.lists(st.integers(0, 60), min_size=1, max_size=3),
        kind=st.sampled_from(KINDS),
        strength=st.sampled_from(STRENGTHS),
        actor=st.sampled_from(["user", "agent"]),
    )
    def propose(self, places: list[int], kind: Any, strength: Any, actor: Any) -> None:
        texts = self.text_numbers()
        citations = tuple(Citation(text=self.pick(texts, p), start=0, end=3) for p in places)
        self.bond.propose(
            None, [Signal(signal=kind, actor=actor, strength=strength, citations=citations)]
        )

    @rule(place=st.integers(0, 30), split=st.booleans())
    def bound(self, place: int, split: bool) -> None:
        turn = self.pick(self.turn_numbers(), place)
        self.allowed(lambda: (self.bond.split if split else self.bond.merge)(turn))

    @rule()
    def read_for_boundaries(self) -> None:
        self.bond.propose(None, BOUNDARIES)

    @rule(place=st.integers(0, 30))
    def fork(self, place: int) -> None:
        name = f"b{next(self.ticks)}"
        turn = self.pick(self.turn_numbers(), place)
        self.allowed(lambda: self.bond.fork(name, turn))

    @rule(place=st.integers(0, 5))
    def switch(self, place: int) -> None:
        branches = self.bond.branches()
        self.bond.switch(branches[place % len(branches)].name)

    @rule(place=st.integers(0, 30))
    def back(self, place: int) -> None:
        turns = [None, *self.turn_numbers()]
        self.bond.back(turns[place % len(turns)])

    @rule(place=st.integers(0, 200))
    def withdraw(self, place: int) -> None:
        number = place % self.bond.summary().events
        self.allowed(lambda: self.bond.withdraw(number))

    @rule(place=st.integers(0, 20))
    def restore(self, place: int) -> None:
        withdrawn = [n for n, state in self.bond._stream.history.withdrawn.items() if state]
        if withdrawn:
            self.allowed(lambda: self.bond.restore(withdrawn[place % len(withdrawn)]))

    @rule(name=st.sampled_from(["Lu", "Lulu"]))
    def rename(self, name: str) -> None:
        self.bond.rename("lumi", name)

    @rule(place=st.integers(0, 60))
    def destroy(self, place: int) -> None:
        """A text is destroyed, with a tombstone: the rule goes on without it."""
        text = self.pick(self.text_numbers(), place)
        if text:
            with self.bond._stream.writing():
                self.bond._stream.destroy([text])

    @rule(place=st.integers(0, 200), keep_effects=st.booleans())
    def erase(self, place: int, keep_effects: bool) -> None:
        """Something goes with what rests on it, or its words go and their effects stay."""
        stream = self.bond._stream
        number = place % self.bond.summary().events
        with stream.writing():
            self.allowed(lambda: erase(stream, of_numbers(stream, [number], keep_effects)))

    @rule()
    def abandon(self) -> None:
        turns = [turn.number for turn in self.bond.turns() if turn.status == "open"]
        if turns:
            self.bond.get_turn(turns[-1]).abandon()

    @rule(fast=st.booleans())
    def adopt(self, fast: bool) -> None:
        policy = {"name": "fast", **POLICY} if fast else "1"
        self.bond.adopt_policy(policy)

    @rule()
    def read_elsewhere(self) -> None:
        """Another process reads, and leaves checkpoints behind."""
        with self.open() as other:
            assert self.digests(other.relationships()[0]) == self.digests(self.bond)

    @rule(place=st.integers(0, 30), which=st.integers(1, 3))
    def there_and_back(self, place: int, which: int) -> None:
        """Whatever is undone leaves the digest that was there before."""
        turns = [turn for turn in self.bond.turns() if turn.reply is not None]
        if not turns:
            return
        turn = turns[place % len(turns)]
        if any(reply.content is None for reply in turn.replies):
            return
        before = self.bond.digests()
        mine = next(n for n, r in enumerate(turn.replies, start=1) if r.chosen)
        self.bond.swipe(turn.number, (which - 1) % len(turn.replies) + 1)
        self.bond.swipe(turn.number, mine)
        assert self.bond.digests() == before
        other = f"Something else than {turn.replies[0].number}."
        edited = self.bond.edit(turn.replies[0].root, other)
        self.bond.choose_wording(turn.replies[0].number)
        assert edited.number != turn.replies[0].number
        assert self.bond.digests() == before
        if turn.stands:
            self.bond.withdraw(turn.number)
            self.bond.restore(turn.number)
            assert self.bond.digests() == before

    @rule()
    def a_fork_is_unmoved_by_its_parent(self) -> None:
        others = [b.name for b in self.bond.branches() if not b.current]
        before = {name: self.bond.on(name).digests() for name in others}
        turn = self.bond.record("Thank you, truly.", "You are welcome.")
        message = turn.view().messages[0].number
        citation = Citation(text=message, quote="Thank you")
        self.bond.propose(None, [Signal(signal="gratitude", actor="user", citations=(citation,))])
        assert {name: self.bond.on(name).digests() for name in others} == before

    def allowed(self, act: Any) -> None:
        """Do it, or be told why not: both are fine, anything else is not."""
        try:
            act()
        except (Conflict, InvalidInput, NotFound):
            pass

    @invariant()
    def what_stands_is_what_the_rule_says(self) -> None:
        stream = self.bond._stream
        with stream.reading():
            reference = Reference(list(stream.log.headers(stream.line.line)))
            for branch in reference.branches():
                standing = stream.standing(branch)
                order = [n for d in range(len(standing.path)) for n in standing.at_depth(d)]
                assert order == reference.order(branch)

    @invariant()
    def what_is_kept_is_what_would_be_read(self) -> None:
        stream = self.bond._stream
        with stream.reading():
            kept = keeping.kept(stream.log, stream.line)
            if kept is not None:
                fresh = Standing(History(), kept.branch)
                for standing in (kept, fresh):
                    for headers in stream.log.placings(stream.line.line, len(standing.history)):
                        standing.history.extend(headers)
                    standing.catch_up()
                assert kept.history == fresh.history
                assert keeping.packed(kept, {}) == keeping.packed(fresh, {})

    @invariant()
    def a_lazy_fold_equals_a_fold_from_zero(self) -> None:
        for branch in self.bond.branches():
            side = self.bond.on(branch.name)
            assert side.digests() == side.replay()


class Lazy(Life):
    """The same, looked at only now and then: much has happened before anything of it is judged."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = itertools.count(1)
        self.looks = False

    @invariant()
    def now_and_then(self) -> None:
        self.looks = next(self.steps) % 6 == 0

    @invariant()
    def what_stands_is_what_the_rule_says(self) -> None:
        if self.looks:
            super().what_stands_is_what_the_rule_says()

    @invariant()
    def what_is_kept_is_what_would_be_read(self) -> None:
        if self.looks:
            super().what_is_kept_is_what_would_be_read()

    @invariant()
    def a_lazy_fold_equals_a_fold_from_zero(self) -> None:
        if self.looks:
            super().a_lazy_fold_equals_a_fold_from_zero()


def _fast() -> dict[str, Any]:
    from enishi.projections.policy import bundled_policy

    numbers = bundled_policy().numbers()
    numbers["rapport"]["day"] = {"gain": 2_000, "loss": 3_000}
    numbers["rapport"]["start"]["trust"] = 4_000
    return numbers


POLICY = _fast()

TestLife = Life.TestCase
TestLazy = Lazy.TestCase
TestLife.settings = TestLazy.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_the_public_door_opens_what_it_names() -> None:
    for name in enishi.__all__:
        assert getattr(enishi, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = enishi.nonsense
