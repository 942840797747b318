"""A relationship carried elsewhere: equal there, whole or refused, and nothing lost of either side."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import Shell, fixed_store
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi import Citation, Message, Reply, Signal
from enishi.host import Relationship, Store
from enishi.kernel.erasing.erasure import erase, erase_relationship, of_numbers
from enishi.kernel.errors import (
    Conflict,
    InvalidInput,
    PackConflict,
    PackDamaged,
    RequestErased,
    UnreadableFile,
    WrongKey,
    WrongSigner,
)
from enishi.kernel.rules.proposer import RuleProposer
from enishi.packs.memorypack import frames as container
from enishi.packs.memorypack.format import PackReader
from enishi.packs.memorypack.frames import FrameReader, Signature, write_frames
from enishi.packs.memorypack.pack_files import inspect_pack
from enishi.packs.memorypack.sealing import new_identity

START = datetime(2026, 2, 1, 12, tzinfo=UTC)
SAYINGS = ("Thank you, that helped.", "I love snow.", "你好呀", "I promise to call on Sunday.")


def bond_of(store: Store) -> Relationship:
    return store.relationship("lumi", "chen")


def live(bond: Relationship, seed: int, steps: int = 12) -> None:
    """Some of everything that may happen to a relationship."""
    random = Random(seed)
    for step in range(steps):
        turns = bond.turns()
        act = random.randrange(8) if turns else 0
        turn = random.choice(turns) if turns else None
        if act <= 2 or turn is None:
            words = random.choice(SAYINGS)
            made = bond.record(words, f"Reply {seed}.{step}", at=START + timedelta(hours=step))
            text = made.view().messages[0].number
            bond.propose(
                made,
                [
                    Signal(
                        signal="gratitude",
                        actor="user",
                        citations=(Citation(text=text, start=0, end=len(words)),),
                    )
                ],
            )
        elif act == 3:
            bond.regenerate(turn.number, f"Another {seed}.{step}")
        elif act == 4:
            bond.edit(turn.messages[0].number, f"Edited {seed}.{step}")
        elif act == 5:
            bond.fork(f"fork-{seed}-{step}", turn.number)
        elif act == 6:
            bond.withdraw(turn.number)
        else:
            bond.back(turn.number)


def erase_one(bond: Relationship, place: int = 0, *, keep_effects: bool = False) -> str:
    text = bond.turns()[place].messages[0]
    with bond._stream.writing():
        erase(bond._stream, of_numbers(bond._stream, [text.number], keep_effects))
    bond._store._log.scrub()
    return text.content or ""


def everything(bond: Relationship) -> dict[str, Any]:
    return {branch.name: bond.on(branch.name).digests() for branch in bond.branches()}


def frames_of(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return list(FrameReader(file, path.name))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Stores, each in a file of its own."""
    stores: list[Store] = []

    def make(name: str, seed: int | None = None) -> Store:
        store = fixed_store(tmp_path / f"{name}.db", seed=len(stores) if seed is None else seed)
        stores.append(store)
        return store

    yield make
    for store in stores:
        store.close()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), erased=st.sampled_from(["none", "all", "words"]))
def test_what_comes_in_is_what_went_out(
    seed: int, erased: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packs")
    with fixed_store(folder / "a.db") as here, fixed_store(folder / "b.db", seed=1) as there:
        bond = bond_of(here)
        live(bond, seed)
        if erased != "none":
            erase_one(bond, keep_effects=erased == "words")
        bond.export(folder / "a.erii")
        taken = there.import_pack(folder / "a.erii")
        assert taken.lines[0].outcome == "new" and not taken.lines[0].differing
        assert taken.lines[0].rejudged.unjudged == 0 or erased != "none"
        other = bond_of(there)
        assert everything(other) == everything(bond)
        assert other.verify().problems == () and other.verify().tip == bond.verify().tip
        other.export(folder / "b.erii")
        assert frames_of(folder / "a.erii") == frames_of(folder / "b.erii")
        again = there.import_pack(folder / "a.erii")
        assert not again.changed and again.lines[0].outcome == "nothing new"


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(1, 40))
def test_every_prefix_is_a_relationship_that_a_fuller_pack_goes_on_with(
    seed: int, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packs")
    with fixed_store(folder / "a.db") as here, fixed_store(folder / "b.db", seed=1) as there:
        bond = bond_of(here)
        live(bond, seed)
        cut = min(cut, bond.summary().events)
        bond.export(folder / "part.erii", until=cut)
        bond.export(folder / "whole.erii")
        assert there.import_pack(folder / "part.erii").lines[0].differing == ()
        other = bond_of(there)
        assert other.verify().ok and other.verify().length == cut
        outcome = there.import_pack(folder / "whole.erii").lines[0].outcome
        assert outcome == ("went on" if cut < bond.summary().events else "nothing new")
        assert everything(other) == everything(bond)
        # The older pack is no news, and takes nothing back.
        assert not there.import_pack(folder / "part.erii").changed


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_what_was_withheld_is_filled_in_and_what_rests_on_it_was_partial(
    seed: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packs")
    with fixed_store(folder / "a.db") as here, fixed_store(folder / "b.db", seed=1) as there:
        bond = bond_of(here)
        live(bond, seed, steps=8)
        turn = data.draw(st.sampled_from(bond.turns()))
        bond.export(folder / "part.erii", withhold=[turn.number])
        bond.export(folder / "whole.erii")
        taken = there.import_pack(folder / "part.erii").lines[0]
        assert taken.differing == ()
        other = bond_of(there)
        report = other.verify()
        assert report.ok and report.withheld >= 1
        words = turn.messages[0].content
        assert all(text.content != words for one in other.turns() if one.number == turn.number
                   for text in one.messages)  # fmt: skip
        stream = other._stream
        with stream.reading():
            resting = [
                n
                for n in range(len(stream.history))
                if not stream.withheld().isdisjoint(stream.history.causes_of(n))
            ]
            assert all(stream.is_partial(number) for number in resting)
        filled = there.import_pack(folder / "whole.erii").lines[0]
        assert filled.filled == report.withheld
        assert everything(other) == everything(bond) and other.verify().withheld == 0
        other.export(folder / "again.erii")
        assert frames_of(folder / "again.erii") == frames_of(folder / "whole.erii")


def parted(made: Callable[..., Store], tmp_path: Path) -> tuple[Relationship, Relationship]:
    """Two machines that both went on from the same record."""
    one, two = made("one"), made("two")
    bond = bond_of(one)
    bond.record("We saw the first snow.", "Together.")
    bond.export(tmp_path / "start.erii")
    two.import_pack(tmp_path / "start.erii")
    other = bond_of(two)
    bond.record("At home.", "Yes.")
    other.record("On the way.", "Careful!")
    other.record("Arrived.", "Good.")
    return bond, other


def test_where_both_went_on_it_is_refused_or_a_branch(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    bond, other = parted(made, tmp_path)
    other.export(tmp_path / "two.erii")
    before = everything(bond)
    with pytest.raises(PackConflict, match="from number 4 on"):
        bond._store.import_pack(tmp_path / "two.erii")
    assert everything(bond) == before and bond.verify().ok
    taken = bond._store.import_pack(tmp_path / "two.erii", as_branch="travel")
    assert taken.lines[0].outcome == "branch"
    assert [branch.name for branch in bond.branches()] == ["main", "travel"]
    assert bond.digests() == before["main"]
    travel = bond.on("travel")
    assert travel.digests() == other.digests() and travel.verify().tip == other.verify().tip
    assert bond.compare("main", "travel") == (1, {"main": 1, "travel": 2})
    # Each goes on by itself.
    travel.record("And on.", "Go.")
    bond.record("Still here.", "Good.")
    assert len(travel.turns()) == 4 and len(bond.turns()) == 3
    assert [bond.turns()[-1].messages[0].content] == ["Still here."]
    assert not bond._store.import_pack(tmp_path / "two.erii").changed
    # And both are carried on together.
    bond.export(tmp_path / "tree.erii")
    fresh = made("three")
    assert len(fresh.import_pack(tmp_path / "tree.erii").lines) == 2
    bond_of(fresh).export(tmp_path / "tree2.erii")
    assert frames_of(tmp_path / "tree.erii") == frames_of(tmp_path / "tree2.erii")
    assert inspect_pack(tmp_path / "tree.erii").signature == "right"
    assert all(line.verify().ok for line in (bond, travel, bond_of(fresh)))


def test_packs_in_any_order_give_the_same_relationship(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    bond, other = parted(made, tmp_path)
    names = ["start.erii", "one.erii", "two.erii"]
    bond.export(tmp_path / "one.erii")
    other.export(tmp_path / "two.erii")
    seen = set()
    for place, order in enumerate(permutations(names)):
        store = made(f"order-{place}")
        for name in order:
            store.import_pack(tmp_path / name, as_branch="other")
        bond_of(store).export(tmp_path / "order.erii")
        frames = frames_of(tmp_path / "order.erii")
        seen.add(repr([frame for frame in frames if isinstance(frame, list)]))
    assert len(seen) == 1


@pytest.mark.parametrize("keep_effects", [False, True])
def test_tombstones_travel_and_are_no_growth(
    keep_effects: bool, made: Callable[..., Store], tmp_path: Path
) -> None:
    one, two = made("one"), made("two")
    bond = bond_of(one)
    bond.record("The password is swordfish.", "Noted.")
    bond.record("It is sunny.", "Yes.")
    bond.export(tmp_path / "before.erii")
    two.import_pack(tmp_path / "before.erii")
    other = bond_of(two)
    gone = erase_one(bond, keep_effects=keep_effects)
    bond.export(tmp_path / "after.erii")
    # A stranger's tombstones destroy nothing without being asked to.
    with pytest.raises(WrongSigner, match="would erase"):
        two.import_pack(tmp_path / "after.erii")
    assert other.turns()[0].messages[0].content == gone
    two.believe(one.own_key(), "my other machine")
    assert two.import_pack(tmp_path / "after.erii").erased >= 1
    assert everything(other) == everything(bond) and other.verify().ok
    assert b"swordfish" not in b"".join(p.read_bytes() for p in tmp_path.glob("two.db*"))
    # The older pack does not bring it back, here or where it was erased.
    for store in (one, two):
        assert not store.import_pack(tmp_path / "before.erii").changed
        assert bond_of(store).turns()[0].messages[0].content is None
    # What went on after the older pack is taken, and the tombstone stays.
    with fixed_store(tmp_path / "three.db", seed=9) as three:
        three.import_pack(tmp_path / "before.erii")
        bond_of(three).record("A third turn.", "Yes.")
        bond_of(three).export(tmp_path / "grown.erii")
    assert one.import_pack(tmp_path / "grown.erii").lines[0].outcome == "went on"
    assert [t.messages[0].content for t in bond.turns()] == [None, "It is sunny.", "A third turn."]
    assert bond.verify().problems == ()


def test_an_erased_relationship_does_not_come_back(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    store = made("one")
    bond_of(store).record("Hello", "Hi")
    bond_of(store).export(tmp_path / "a.erii")
    stream = bond_of(store)._stream
    with stream.writing():
        erase_relationship(stream)
    with pytest.raises(PackConflict, match="erased"):
        store.import_pack(tmp_path / "a.erii")


def test_a_history_of_ones_own_is_not_mixed_with_another(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    one, two = made("one"), made("two")
    bond_of(one).record("Hello", "Hi")
    bond_of(two).record("Somebody else's", "history")
    bond_of(one).export(tmp_path / "a.erii")
    with pytest.raises(PackConflict, match="rebind"):
        two.import_pack(tmp_path / "a.erii")
    mine = bond_of(two)
    mine.rebind("user", "chen-2")
    assert two.import_pack(tmp_path / "a.erii").lines[0].outcome == "new"
    with pytest.raises(Conflict):
        mine.rebind("user", "chen")
    assert {(b.agent, b.user) for b in two.relationships()} == {
        ("lumi", "chen-2"),
        ("lumi", "chen"),
    }
    assert mine.verify().ok and mine.turns()[0].messages[0].content == "Somebody else's"
    mine.record("Still me", "Yes")
    mine.export(tmp_path / "renamed.erii")
    with fixed_store(tmp_path / "x.db", seed=5) as third:
        third.import_pack(tmp_path / "renamed.erii")
        assert third.relationship("lumi", "chen-2", create=False).verify().ok


def test_a_name_that_was_given_stays_after_a_rebinding(made: Callable[..., Store]) -> None:
    bond = bond_of(made("one"))
    bond.rename("chen", "Chen Wei")
    bond.rebind("user", "user-17")
    assert bond.name_of("user-17") == "Chen Wei"
    turn = bond.record("Hello", "Hi")
    assert turn.view().messages[0].name == "Chen Wei"


@pytest.mark.parametrize("where", ["record", "payload", "manifest", "order", "foreign"])
def test_a_forged_pack_is_refused_whole(
    where: str, made: Callable[..., Store], tmp_path: Path
) -> None:
    one, two = made("one"), made("two")
    live(bond_of(one), 3)
    bond_of(one).export(tmp_path / "a.erii")
    frames = frames_of(tmp_path / "a.erii")
    if where == "record":
        frames[4][0] = (
            frames[4][0]
            .replace(b"TurnOpened", b"TurnClosed")
            .replace(b"MessageReceived", b"MessageReceivex")
        )
    elif where == "payload":
        place = next(n for n, f in enumerate(frames) if len(f) == 3 and f[2] and b"content" in f[2])
        frames[place][2] = frames[place][2].replace(b"content", b"kontent")
    elif where == "manifest":
        frames[0]["agent"] = "somebody else"
    elif where == "order":
        frames[4], frames[5] = frames[5], frames[4]
    else:
        bond_of(made("three")).record("Another", "one")
        with fixed_store(tmp_path / "three.db", seed=8) as three:
            bond_of(three).export(tmp_path / "b.erii")
        frames[5] = frames_of(tmp_path / "b.erii")[4]
    out = io.BytesIO()
    write_frames(out, frames)
    (tmp_path / "forged.erii").write_bytes(out.getvalue())
    before = sorted((b.agent, b.user) for b in two.relationships())
    for attempt in (inspect_pack, two.import_pack):
        with pytest.raises(PackDamaged):
            attempt(tmp_path / "forged.erii")
    assert sorted((b.agent, b.user) for b in two.relationships()) == before


def test_what_no_rule_decided_is_refused(made: Callable[..., Store], tmp_path: Path) -> None:
    """A pack whose chain is whole, and which claims a decision that the rules do not make."""
    one, two = made("one"), made("two")
    bond = bond_of(one)
    turn = bond.record("Hello.", "Hi.")
    text = turn.view().messages[0].number
    stream = bond._stream
    quarrel = Signal(
        signal="quarrel", actor="user", citations=(Citation(text=text, start=0, end=6),)
    )
    (decided,) = bond.propose(turn, [quarrel])
    assert decided.verdict == "accepted" and decided.event is not None
    from enishi.kernel.stream import Draft

    payload = stream.payload(decided.event)
    with stream.writing():
        stream.append(
            Draft("SignalAccepted", {**(payload or {}), "signal": "gratitude"}, turn.number,
                  causes=(text,), targets=(decided.number,))
        )  # fmt: skip
    bond.export(tmp_path / "a.erii")
    with pytest.raises(PackDamaged, match="rules"):
        two.import_pack(tmp_path / "a.erii")
    assert two.relationships() == []


def test_keys_and_signers(made: Callable[..., Store], tmp_path: Path) -> None:
    one, two = made("one"), made("two")
    bond_of(one).record("Hello", "Hi")
    identity, recipient = new_identity()
    bond_of(one).export(tmp_path / "sealed.erii", recipient=recipient)
    with pytest.raises(WrongKey):
        two.import_pack(tmp_path / "sealed.erii")
    with pytest.raises(WrongKey):
        two.import_pack(tmp_path / "sealed.erii", identity=new_identity()[0])
    with pytest.raises(WrongSigner, match="not by"):
        two.import_pack(tmp_path / "sealed.erii", identity=identity, signer=two.own_key())
    taken = two.import_pack(tmp_path / "sealed.erii", identity=identity, signer=one.own_key())
    assert taken.signer == one.own_key() and not taken.known
    with pytest.raises(InvalidInput, match="64 hexadecimal"):
        two.import_pack(tmp_path / "sealed.erii", identity=identity, signer="abc")


def test_a_dry_run_keeps_nothing(made: Callable[..., Store], tmp_path: Path) -> None:
    one, two = made("one"), made("two")
    bond_of(one).record("Hello", "Hi")
    bond_of(one).export(tmp_path / "a.erii")
    assert two.import_pack(tmp_path / "a.erii", dry_run=True).changed
    assert two.relationships() == []


def test_nothing_of_another_user_is_in_a_pack(made: Callable[..., Store], tmp_path: Path) -> None:
    store = made("one")
    bond_of(store).record("Mine", "Yours")
    store.relationship("lumi", "mei").record("CANARY-7731", "CANARY-7732")
    bond_of(store).export(tmp_path / "a.erii")
    assert all("CANARY" not in repr(frame) and "mei" not in repr(frame)
               for frame in frames_of(tmp_path / "a.erii"))  # fmt: skip


def test_an_import_that_stops_anywhere_can_be_done_again(
    made: Callable[..., Store], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = made("one"), made("two")
    live(bond_of(one), 5)
    bond_of(one).export(tmp_path / "a.erii")
    real = PackReader.__iter__
    monkeypatch.setattr(container, "_CHUNK", 100)  # a few records at a time

    for stop in (1, 5, 12):

        def stopping(self: PackReader, stop: int = stop) -> Iterator[Any]:
            for place, item in enumerate(real(self)):
                if place == stop:
                    raise KeyboardInterrupt
                yield item

        monkeypatch.setattr(PackReader, "__iter__", stopping)
        with pytest.raises(KeyboardInterrupt):
            two.import_pack(tmp_path / "a.erii")
        assert two.relationships() == []
    monkeypatch.setattr(PackReader, "__iter__", real)
    two.import_pack(tmp_path / "a.erii")
    assert everything(bond_of(two)) == everything(bond_of(one))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_mangled_packs_change_nothing(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "mangled"
    if not folder.exists():
        folder.mkdir()
        with fixed_store(folder / "a.db") as store:
            live(bond_of(store), 1, steps=6)
            bond_of(store).export(folder / "a.erii")
    frames = frames_of(folder / "a.erii")
    place = data.draw(st.integers(0, len(frames) - 1))
    junk = st.recursive(st.none() | st.integers(0, 9) | st.binary(max_size=9) | st.text(max_size=3),
                        lambda inner: st.lists(inner, max_size=4), max_leaves=4)  # fmt: skip
    match data.draw(st.sampled_from(["drop", "twice", "replace", "within"])):
        case "drop":
            del frames[place]
        case "twice":
            frames.insert(place, frames[place])
        case "replace":
            frames[place] = data.draw(junk)
        case _:
            if isinstance(frames[place], dict):
                key = data.draw(st.sampled_from(sorted(frames[place])))
                frames[place] = {**frames[place], key: data.draw(junk)}
            else:
                inner = data.draw(st.integers(0, len(frames[place]) - 1))
                frames[place] = [*frames[place]]
                frames[place][inner] = data.draw(junk)
    out = io.BytesIO()
    write_frames(out, frames)
    path = folder / "mangled.erii"
    path.write_bytes(out.getvalue())
    whole = frames == frames_of(folder / "a.erii")
    with fixed_store(folder / "b.db", seed=3) as store:
        try:
            store.import_pack(path, dry_run=True)
        except UnreadableFile:
            pass
        else:
            assert whole or _only_withholds(frames, frames_of(folder / "a.erii"))
        assert store.relationships() == []
        try:
            inspect_pack(path)
        except UnreadableFile:
            pass


def _only_withholds(frames: list[Any], whole: list[Any]) -> bool:
    """Whether all that differs is in the manifest's words on the folds, which are compared later."""
    return frames[1:] == whole[1:]


def test_what_was_withheld_says_so(
    made: Callable[..., Store], shell: Shell, tmp_path: Path
) -> None:
    one, two = made("one"), made("two")
    bond = bond_of(one)
    live(bond, 2, steps=1)
    text = bond.turns()[0].messages[0].number
    event = bond.decisions()[0].event
    assert event is not None
    bond.export(tmp_path / "part.erii", withhold=[text])
    two.import_pack(tmp_path / "part.erii")
    other = bond_of(two)
    seen = other.turns()[0].messages[0]
    assert (seen.content, seen.withheld) == (None, True)
    assert other.why(event).partial and not bond.why(event).partial
    assert other.rapport() == bond.rapport()
    two.close()
    told = shell.ok("why", event, "--store", tmp_path / "two.db")
    assert "partial" in told
    assert "(withheld)" in shell.ok("log", "--store", tmp_path / "two.db")


def test_reported_deletions_stay_deleted(made: Callable[..., Store], tmp_path: Path) -> None:
    """PB-10: neither reprocessing, nor an older pack, nor sending it again brings it back."""
    store = made("one")
    bond = bond_of(store)
    turn = bond.record("I love swimming.", "Noted.", request="t-1")
    bond.propose(None, RuleProposer())
    assert [one.value for one in bond.beliefs()] == ["swimming"]
    bond.export(tmp_path / "before.erii")
    erase_one(bond)
    bond.propose(None, RuleProposer())
    assert bond.beliefs() == []
    store.import_pack(tmp_path / "before.erii")
    with pytest.raises(RequestErased, match="erased"):
        bond.record("I love swimming.", "Noted.", request="t-1")
    assert bond.beliefs() == [] and bond.turns()[0].number == turn.number
    assert bond.turns()[0].messages[0].content is None


def test_reported_imports_of_ones_own_export_add_nothing(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    """PB-67: into the same store, twice into an empty one."""
    store, empty = made("one"), made("two")
    live(bond_of(store), 11)
    bond_of(store).export(tmp_path / "own.erii")
    before = bond_of(store).verify()
    assert not store.import_pack(tmp_path / "own.erii").changed
    assert bond_of(store).verify() == before
    empty.import_pack(tmp_path / "own.erii")
    empty.import_pack(tmp_path / "own.erii")
    assert bond_of(empty).verify() == before
    assert everything(bond_of(empty)) == everything(bond_of(store))


def test_reported_losses_of_long_term_memory(made: Callable[..., Store], tmp_path: Path) -> None:
    """PB-68: turns with times, edits, beliefs, promises, mood and tombstones all come along."""
    one, two = made("one"), made("two")
    bond = bond_of(one)
    for place, words in enumerate(
        ("I love swimming.", "I promise I will call you on Sunday.", "I'm so tired and sad today.",
         "I'm allergic to peanuts.", "My name is Chen.", "I hate you, go away!")
    ):  # fmt: skip
        bond.record(words, "I see.", at=START + timedelta(days=place))
    bond.propose(None, RuleProposer())
    (swimming,) = [b for b in bond.beliefs() if b.value == "swimming"]
    bond.correct(swimming.number, "wrong")
    bond.edit(bond.turns()[3].messages[0].number, "I'm allergic to shrimps.")
    bond.propose(None, RuleProposer())
    erase_one(bond, 5)
    bond.export(tmp_path / "a.erii")
    two.import_pack(tmp_path / "a.erii")
    other = bond_of(two)
    assert everything(other) == everything(bond)
    assert [t.happened for t in other.turns()] == [t.happened for t in bond.turns()]
    assert other.beliefs() == bond.beliefs() and other.promises() == bond.promises()
    assert other.mood() == bond.mood() and other.tensions() == bond.tensions()
    other.export(tmp_path / "b.erii")
    assert frames_of(tmp_path / "a.erii") == frames_of(tmp_path / "b.erii")


def test_a_file_that_is_no_pack_is_not_written_over(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    bond = bond_of(made("one"))
    (tmp_path / "notes.erii").write_text("my notes")
    with pytest.raises(InvalidInput, match="exists"):
        bond.export(tmp_path / "notes.erii")
    assert (tmp_path / "notes.erii").read_text() == "my notes"
    assert not list(tmp_path.glob("*.part"))


def test_the_command_line_carries_a_relationship(shell: Shell, tmp_path: Path) -> None:
    with fixed_store(tmp_path / "a.db") as store:
        bond = bond_of(store)
        bond.record([Message("First snow!")], Reply("Together."))
    pack, here, there = (str(tmp_path / name) for name in ("trip.erii", "a.db", "b.db"))
    assert "records" in shell.ok("export", pack, "--store", here)
    assert "lumi and chen" in shell.ok("inspect", pack)
    assert "new here" in shell.ok("import", pack, "--store", there)
    assert "nothing new" in shell.ok("import", pack, "--store", there)
    with closing(sqlite3.connect(here)) as connection:
        assert connection.execute("SELECT count(*) FROM exported").fetchone() == (1,)
    cut = tmp_path / "cut.erii"
    cut.write_bytes(Path(pack).read_bytes()[:-40])
    assert "copy the file again" in shell.refused("import", cut, "--store", there)
    (key,) = [one for one in shell.json("keys", "list", "--store", here)]
    shell.ok("keys", "add", key["key"], "home", "--store", there)
    assert "whom this store does not know" not in shell.ok("import", pack, "--store", there)
    shell.ok("rebind", "user", "chen-2", "--store", there)
    assert shell.json("list", "--store", there)[0]["user"] == "chen-2"
    secret = tmp_path / "me.key"
    public = shell.ok("keys", "new", secret).strip()
    shell.ok("export", tmp_path / "sealed.erii", "--to", public, "--store", here)
    assert "encrypted" in shell.ok("inspect", tmp_path / "sealed.erii", "--key", secret)
    assert "not opened" in shell.refused(
        "inspect", tmp_path / "sealed.erii", "--key", _other(tmp_path)
    )
    assert "against" in shell.json("inspect", pack, "--against", there)


def test_what_cannot_be_taken_in_makes_no_store(shell: Shell, tmp_path: Path) -> None:
    with fixed_store(tmp_path / "a.db") as store:
        bond_of(store).record("Hello", "Hi")
        bond_of(store).export(tmp_path / "a.erii")
    pack, new = tmp_path / "a.erii", tmp_path / "new.db"
    forged = tmp_path / "forged.erii"
    out = io.BytesIO()
    write_frames(out, frames_of(pack), lambda data: Signature(b"k" * 32, b"s" * 64))
    forged.write_bytes(out.getvalue())
    cut = tmp_path / "cut.erii"
    cut.write_bytes(pack.read_bytes()[:-9])
    for arguments in (
        ("import", pack, "--signer", "abc"),
        ("import", pack, "--signer", "ab" * 32),
        ("import", forged),
        ("import", cut),
        ("import", tmp_path / "nowhere.erii"),
        ("keys", "add", "abc", "me"),
        ("keys", "add", "ab" * 32, ""),
    ):
        shell.refused(*arguments, "--store", new)
        assert not new.exists(), arguments
    assert "would be: new here" in shell.ok("import", pack, "--dry-run", "--store", new)
    assert not new.exists()
    for path in (tmp_path / "nowhere.erii", tmp_path):
        assert "cannot be read" in shell.refused("inspect", path)


def _other(folder: Path) -> Path:
    path = folder / "other.key"
    path.write_text(new_identity()[0])
    return path


def test_ids_hold_in_every_line_and_come_with_a_pack(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    bond, other = parted(made, tmp_path)
    before = bond.summary().events
    other.export(tmp_path / "two.erii")
    bond._store.import_pack(tmp_path / "two.erii", as_branch="travel")
    bond.rebind("user", "chen-2")
    for branch in bond.branches():
        assert bond.on(branch.name).verify().problems == ()
    # Who had gone on alike comes to be called so as well; who has another under that id, refuses.
    bond.export(tmp_path / "renamed.erii")
    store = other._store
    store.import_pack(tmp_path / "renamed.erii", as_branch="home")
    assert [one.user for one in store.relationships()] == ["chen-2"]
    assert all(store.relationships()[0].on(b.name).verify().ok for b in bond.branches()[:1])
    third = made("three")
    third.import_pack(tmp_path / "start.erii")
    third.relationship("lumi", "chen-2").record("Somebody else", "Yes")
    with pytest.raises(PackConflict, match="rebind"):
        third.import_pack(tmp_path / "renamed.erii", as_branch="home")
    assert [one.user for one in third.relationships()] == ["chen", "chen-2"]
    # A part from before then has the ids of then.
    bond.export(tmp_path / "before.erii", until=before)
    assert inspect_pack(tmp_path / "before.erii").manifest.user == "chen"
    assert made("four").import_pack(tmp_path / "before.erii").lines[0].outcome == "new"


@pytest.mark.parametrize("party", ["agent", "user"])
def test_lines_that_came_to_have_other_ids_are_carried_as_they_are(
    made: Callable[..., Store], tmp_path: Path, party: Any
) -> None:
    for name in ("one", "two"):
        bond, other = parted(made if name == "one" else _swapped(made), tmp_path)
        other.rebind(party, "other-id")
        other.export(tmp_path / "two.erii")
        bond._store.import_pack(tmp_path / "two.erii", as_branch="travel")
        bond.export(tmp_path / f"{name}.erii")
        manifest = inspect_pack(tmp_path / f"{name}.erii").manifest
        ids = {manifest.parties(line) for line in range(2)}
        assert ids == {(bond.agent, bond.user), (other.agent, other.user)}
        # The other side has it all: its own line, and the one from here beside it.
        other._store.import_pack(tmp_path / f"{name}.erii", as_branch="home")
        third = made(f"{name}-third")
        taken = third.import_pack(tmp_path / f"{name}.erii")
        assert [one.outcome for one in taken.lines] == ["new", "new"]
        assert not any(one.differing for one in taken.lines)
        stream = frames_of(tmp_path / f"{name}.erii")
        for place, (store, branch) in enumerate([(other._store, "home"), (third, "line")]):
            (again,) = store.relationships()
            _, second = again.branches()
            assert second.name.startswith(branch)
            assert again.verify().ok and again.on(second.name).verify().ok
            again.export(tmp_path / f"{name}-{place}.erii")
            assert frames_of(tmp_path / f"{name}-{place}.erii") == stream


def test_what_is_withheld_is_in_no_line_and_what_parts_later_is_one(
    made: Callable[..., Store], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        bond, other = parted(made if name == "one" else _swapped(made), tmp_path)
        shared_end = 4
        other.export(tmp_path / "two.erii")
        bond._store.import_pack(tmp_path / "two.erii", as_branch="travel")
        first = bond.turns()[0]
        bond.export(tmp_path / f"{name}-part.erii", withhold=[first.messages[0].number])
        assert "first snow" not in repr(frames_of(tmp_path / f"{name}-part.erii"))
        bond.export(tmp_path / f"{name}-until.erii", until=shared_end)
        store = made(f"{name}-new")
        assert len(store.import_pack(tmp_path / f"{name}-until.erii").lines) == 1
        assert len(store.import_pack(tmp_path / f"{name}-part.erii").lines) == 2


def _swapped(made: Callable[..., Store]) -> Callable[..., Store]:
    """Other stores, with other chances: which line comes first in a pack is one of them."""
    return lambda name: made(f"{name}-again", seed={"one": 77, "two": 78}[name])


def test_what_was_erased_later_was_not_yet(made: Callable[..., Store], tmp_path: Path) -> None:
    bond = bond_of(made("one"))
    bond.record("The password is swordfish.", "Noted.")
    end = bond.summary().events
    bond.record("It is sunny.", "Yes.")
    erase_one(bond)
    bond.export(tmp_path / "part.erii", until=end)
    manifest = inspect_pack(tmp_path / "part.erii").manifest
    assert (manifest.erased, manifest.withheld > 0) == (0, True)
    assert made("two").import_pack(tmp_path / "part.erii").lines[0].outcome == "new"
