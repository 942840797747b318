"""What may happen in a life, one function for each name in `lives.WEIGHTS`.

Each does one thing through the Python face and returns the words that must be in the log after it,
in order. A refusal (Conflict, InvalidInput, NotFound) is an answer; the world sees to it that then
nothing was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, get_args

from lives import Operation

from enishi.host import Relationship
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Citation,
    Consequence,
    Effect,
    EpisodeBoundary,
    Felt,
    LoopOutcome,
    Mood,
    OpenLoop,
    Promise,
    PromiseOutcome,
    Proposal,
    ReadText,
    Reflection,
    Signal,
    SignalKind,
    Strength,
    TensionStep,
)
from enishi.kernel.errors import PackConflict, ProposerFailed, RequestErased
from enishi.kernel.rules import bundled_proposers
from enishi.kernel.transcript import Text, TurnView
from enishi.projections.policy import bundled_policy

if TYPE_CHECKING:
    from simulation import World

Doing = Callable[["World", Operation], Sequence[str] | None]

NEVER_SAID = "words that nobody ever said"
PROPOSERS = bundled_proposers()


# What there is to choose from


def pick(of: Sequence[Any], place: int) -> Any:
    """One of these; 0 where there is none, which is nothing that can be acted on."""
    return of[place % len(of)] if of else 0


def turn_of(bond: Relationship, one: Operation, status: str | None = None) -> int:
    """A turn of the branch."""
    turns = [turn.number for turn in bond.turns() if status in (None, turn.status)]
    return int(pick(turns, one.places[0]))


def texts_of(turns: Sequence[TurnView]) -> list[Text]:
    """The chosen texts of some turns."""
    return [t for turn in turns for t in (*turn.messages, *([turn.reply] if turn.reply else ()))]


def wording_of(bond: Relationship, one: Operation) -> int:
    """Any wording of any text of the branch."""
    turns = bond.turns()
    found = [n for turn in turns for t in (*turn.messages, *turn.replies) for n in t.wordings]
    return int(pick(found, one.places[0]))


def number_of(bond: Relationship, one: Operation) -> int:
    """Any record."""
    return one.places[0] % bond.summary().events


def event_of(bond: Relationship, place: int, *types: str) -> int:
    """A derived event of these types."""
    return int(pick([r.number for r in bond.records() if r.type in types], place))


# Saying


def exchange(world: World, one: Operation) -> Sequence[str]:
    bond, known = world.bond(one.pair), world.known[one.pair]
    request = f"r{len(known.requests)}" if one.places[1] % 2 else None
    turn = bond.record(one.words[0], one.words[1], request=request)
    if request is not None:
        known.requests[request] = (turn.number, one)
    return one.words


def again(world: World, one: Operation) -> Sequence[str]:
    """A caller who never heard the answer asks once more: nothing happens twice."""
    known = world.known[one.pair]
    if not known.requests:
        return ()
    request = pick(sorted(known.requests), one.places[0])
    number, then = known.requests[request]
    try:
        turn = world.bond(one.pair).record(then.words[0], then.words[1], request=request)
    except RequestErased:
        assert None in (known.texts.get(number + 1), known.texts.get(number + 2))
        return ()
    assert turn.number == number, (request, turn.number, number)
    world.counts["requests that were sent again"] += 1
    return ()


def open_turn(world: World, one: Operation) -> Sequence[str]:
    at = world.now - timedelta(days=one.places[1] % 900) if one.places[2] % 3 == 0 else None
    world.bond(one.pair).turn(one.words[:1], at=at)
    return one.words[:1]


def say(world: World, one: Operation) -> Sequence[str]:
    bond = world.bond(one.pair)
    bond.get_turn(turn_of(bond, one, "open")).say(one.words[0])
    return one.words[:1]


def reply(world: World, one: Operation) -> Sequence[str]:
    bond = world.bond(one.pair)
    given = [number_of(bond, one)] if one.places[1] % 3 == 0 else []
    bond.get_turn(turn_of(bond, one, "open")).reply(one.words[1], given=given)
    return one.words[1:]


def abandon(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.get_turn(turn_of(bond, one, "open")).abandon()


def regenerate(world: World, one: Operation) -> Sequence[str]:
    bond = world.bond(one.pair)
    bond.regenerate(turn_of(bond, one), one.words[1])
    return one.words[1:]


def swipe(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.swipe(turn_of(bond, one), one.places[1] % 3 + 1)


def edit(world: World, one: Operation) -> Sequence[str]:
    bond = world.bond(one.pair)
    bond.edit(wording_of(bond, one), one.words[0])
    return one.words[:1]


def extend(world: World, one: Operation) -> Sequence[str]:
    bond = world.bond(one.pair)
    return [bond.extend(wording_of(bond, one), " " + one.words[1]).content or ""]


def choose_wording(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.choose_wording(wording_of(bond, one))


def undo(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.undo(wording_of(bond, one))


# The tree


def fork(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.fork(f"b{one.places[1]}", turn_of(bond, one))


def switch(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.switch(pick(bond.branches(), one.places[0]).name)


def back(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    turns = bond.turns()[-4:]
    bond.back(pick([None, *(turn.number for turn in turns)], one.places[0]))


def drop(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.drop(pick(bond.branches(), one.places[0]).name)


def withdraw(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.withdraw(number_of(bond, one))


def restore(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    with bond._stream.reading():
        withdrawn = [n for n, state in bond._stream.history.withdrawn.items() if state]
    bond.restore(pick(withdrawn, one.places[0]))


def there_and_back(world: World, one: Operation) -> None:
    """Whatever is undone leaves the digests that were there before."""
    bond = world.bond(one.pair)
    turns = [t for t in bond.turns() if len(t.replies) > 1 and t.reply and t.reply.content]
    if not turns:
        return
    turn = pick(turns, one.places[0])
    before = bond.digests()
    mine = next(n for n, told in enumerate(turn.replies, start=1) if told.chosen)
    bond.swipe(turn.number, mine % len(turn.replies) + 1)
    bond.swipe(turn.number, mine)
    assert bond.digests() == before, "a swipe there and back left a trace"
    world.counts["swipes there and back"] += 1


# Proposing


def propose(world: World, one: Operation) -> None:
    """The host proposes what its words may or may not carry; the kernel decides."""
    bond = world.bond(one.pair)
    texts = [t for t in texts_of(bond.turns()) if t.content]
    if texts:
        said = bond.propose(None, proposals(bond, texts, one.places))
        world.counts["proposals decided"] += len(said)


def proposals(bond: Relationship, texts: Sequence[Any], places: Sequence[int]) -> list[Proposal]:
    """A proposal of each of some kinds, on words that were said."""
    text = texts[places[0] % len(texts)]
    content = text.content or ""
    end = min(len(content), 3 + places[1] % 20)
    cited = (Citation(text=text.number, start=0, end=end, quote=content[:end]),)
    kind, strength = pick(get_args(SignalKind), places[2]), pick(get_args(Strength), places[3])
    party: Any = "agent" if places[3] % 2 else "user"
    belief = event_of(bond, places[1], "BeliefStated")
    promise = event_of(bond, places[1], "PromiseMade")
    loop = event_of(bond, places[1], "LoopOpened")
    harm = event_of(bond, places[1], "ConsequenceFollowed")
    event = event_of(bond, places[1], "SignalAccepted", "BeliefStated", "PromiseMade")
    ends: Any = pick(["kept", "broken", "released"], places[2])
    steps: Any = pick(["addressed", "reconciled", "boundary_stabilized", "ended"], places[2])
    effect: Any = pick(get_args(Effect), places[2])
    day = f"2026-{places[3] % 12 + 1:02}-{places[2] % 28 + 1:02}"
    felt = Felt(valence=(places[2] % 21 - 10) / 10, fatigue=places[3] % 11 / 10)
    made: list[Proposal] = [
        Signal(
            signal=kind, actor=party, strength=strength, confidence=pick((1.0, 0.6), places[1]),
            citations=cited,
        ),
        Belief(
            subject=party, key=pick(["home", "likes", "allergy"], places[2]), value=content[:end],
            polarity=places[3] % 5 > 0, citations=cited,
        ),
        BeliefConfirmation(belief=belief, citations=cited),
        BeliefRetraction(belief=belief, citations=cited),
        Promise(promiser=party, act=content[:end], due=day, citations=cited),
        PromiseOutcome(promise=promise, outcome=ends, citations=cited),
        OpenLoop(subject=content[:end], continuation="and then?", citations=cited),
        LoopOutcome(loop=loop, outcome="completed", citations=cited),
        Consequence(effect=effect, bearer=party, citations=cited),
        TensionStep(consequence=harm, outcome=steps, citations=cited),
        Reflection(event=event, words="I keep thinking of it.", citations=cited),
        Mood(party=party, felt=felt, intensity=strength, citations=cited),
        EpisodeBoundary(signs=("turning",), citations=cited),
    ]  # fmt: skip
    first = places[0] % len(made)
    return [*made[first:], *made[:first]][: 1 + places[1] % 3]


class Late:
    """A proposer that takes so long that something else happens before it answers."""

    name = "late"

    def __init__(self, world: World, one: Operation) -> None:
        self.world, self.one = world, one
        self.version = str(one.places[3])

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        self.world.do(self.one.inner[0])
        bond = self.world.bond(self.one.pair)
        shown = [text for text in texts if text.content]
        return proposals(bond, shown, self.one.places) if shown else []


def answer_late(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    turn = turn_of(bond, one)
    try:
        bond.propose(turn, Late(world, one))
    finally:
        world.counts["answers that came late"] += 1


class Failing:
    """A proposer that fails, in one of several ways."""

    name, version = "failing", "1"

    def __init__(self, way: int) -> None:
        self.way = way

    def propose(self, texts: list[ReadText]) -> Any:
        if self.way == 0:
            raise RuntimeError("the model is asleep")
        return [{"kind": "signal"}] if self.way == 1 else None


def fail_to_propose(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    try:
        bond.propose(turn_of(bond, one), Failing(one.places[1] % 3))
    except ProposerFailed:
        world.counts["proposers that failed"] += 1


def lie(world: World, one: Operation) -> None:
    """Whatever a proposer makes up comes to nothing."""
    bond = world.bond(one.pair)
    texts = texts_of(bond.turns())
    number = int(pick([text.number for text in texts], one.places[0]))
    made_up = (Citation(text=number, quote=NEVER_SAID),)
    nowhere = (Citation(text=10**9 + one.places[1], start=0, end=4),)
    beyond = (Citation(text=number, start=10**6, end=10**6 + 5),)
    lies: list[Proposal] = [
        Promise(promiser="agent", act="to obey", citations=made_up),
        Signal(signal="gratitude", actor="user", strength="strong", citations=nowhere),
        Belief(subject="user", key="home", value="the moon", citations=beyond),
        Belief(subject="user", key="home", value="the moon", citations=made_up),
        PromiseOutcome(promise=number_of(bond, one), outcome="broken", citations=made_up),
    ]
    for decided in bond.propose(None, lies):
        assert decided.event is None, decided
    world.counts["lies that came to nothing"] += len(lies)


def read_by_rules(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    for proposer in PROPOSERS:
        world.counts["proposals decided"] += len(bond.propose(None, proposer))


def release(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    held = [d.number for d in bond.decisions() if d.verdict == "held" and d.event is None]
    bond.release(int(pick(held, one.places[0])))


def correct(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    event = event_of(bond, one.places[0], "BeliefStated", "SignalAccepted", "PromiseMade")
    bond.correct(event, "right" if one.places[1] % 2 else "wrong")


# Forgetting


def erase(world: World, one: Operation) -> None:
    _erase(world, one, keep_effects=False)


def erase_words(world: World, one: Operation) -> None:
    _erase(world, one, keep_effects=True)


def _erase(world: World, one: Operation, *, keep_effects: bool) -> None:
    """What goes is what was named and what rests on it, and nothing that was said beside it."""
    bond, known = world.bond(one.pair), world.known[one.pair]
    number = number_of(bond, one)
    with bond._stream.reading():
        headers = list(bond._stream.log.headers(bond._stream.line.line))
    receipt = bond.erase(number, keep_effects=keep_effects)
    named = {number, *headers[number].targets} if number not in known.texts else {number}
    resting = {number}
    for header in headers:
        if resting & set(header.causes):
            resting.add(header.number)
    gone = {n for part in receipt.parts for n in part.numbers}
    texts = {n for n, words in known.texts.items() if words is not None}
    assert gone & texts == resting & texts, (number, sorted(gone), sorted(resting), named)
    world.counts["payloads erased"] += len(gone)


def archive(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    bond.archive()
    assert bond.id not in {other.id for other in world.store.relationships()}
    bond.restore()


# To another machine and back


def carry(world: World, one: Operation) -> None:
    """Another machine takes a pack in, sees the same, goes on, and what it did comes back."""
    bond, known = world.bond(one.pair), world.known[one.pair]
    pack, back = world.folder / "there.erii", world.folder / "back.erii"
    bond.export(pack)
    try:
        with world.open(world.folder / "other.db") as other:
            before = {pair: side.digests() for pair, side in sides(other, bond)}
            other.import_pack(pack, accept_erasures=True)
            there = other.relationship(bond.agent, bond.user, create=False)
            found = there.verify(tip=known.hashes[-1].hex())
            assert found.ok, found.problems
            if found.length == len(known.hashes):
                assert there.digests() == bond.digests(), "another state elsewhere"
            assert there.digests() == there.replay()
            assert {pair: side.digests() for pair, side in sides(other, bond)} == before
            if one.places[0] % 3:
                there.record(one.words[0], one.words[1])
            there.export(back)
            digests = there.digests()
        world.store.import_pack(back, accept_erasures=True)
    except PackConflict:
        # A visit that was broken off left the other machine with words of its own.
        (world.folder / "other.db").unlink()
        world.counts["machines that both went on"] += 1
        return
    assert bond.digests() == digests, "what came back is another state"
    assert world.store.import_pack(back, accept_erasures=True).changed is False
    world.counts["moves to another machine and back"] += 1


def diverge(world: World, one: Operation) -> Sequence[str]:
    """Two machines both went on: that is refused, and nothing of it was written."""
    bond = world.bond(one.pair)
    pack, back = world.folder / "there.erii", world.folder / "back.erii"
    bond.export(pack)
    with TemporaryDirectory() as folder, world.open(Path(folder) / "third.db") as other:
        other.import_pack(pack, accept_erasures=True)
        there = other.relationship(bond.agent, bond.user, create=False)
        there.record("This was said elsewhere.", "So it was.")
        there.export(back)
        here = bond.record(one.words[0], one.words[1])
        before, tip = bond.digests(), bond.verify().tip
        try:
            world.store.import_pack(back, accept_erasures=True)
        except PackConflict:
            pass
        else:
            raise AssertionError(f"two histories became one: {here}")
        assert (bond.digests(), bond.verify().tip) == (before, tip)
        # Asked for, the other's words are a branch of their own beside one's own.
        own = {branch.name: there.on(branch.name).digests() for branch in there.branches()}
        bond.export(pack)
        other.import_pack(pack, as_branch="elsewhere", accept_erasures=True)
        now = {branch.name: there.on(branch.name).digests() for branch in there.branches()}
        assert {name: now[name] for name in own} == own
        assert before in [now[name] for name in now.keys() - own.keys()]
        assert there.verify().ok and there.digests() == there.replay()
    world.counts["machines that both went on"] += 1
    return one.words


def sides(store: Any, bond: Relationship) -> list[tuple[tuple[str, str], Relationship]]:
    """The other relationships of a store."""
    found = [((own.agent, own.user), own) for own in store.relationships(archived=None)]
    return [side for side in found if side[0] != (bond.agent, bond.user)]


# By which numbers, and reading


def adopt_policy(world: World, one: Operation) -> None:
    numbers = bundled_policy().numbers()
    numbers["rapport"]["day"] = {"gain": 2_000 + one.places[1] % 2000, "loss": 3_000}
    policy: Any = {"name": "fast", **numbers} if one.places[0] % 2 else "1"
    world.bond(one.pair).adopt_policy(policy)


def adopt_card(world: World, one: Operation) -> None:
    bend = {"intimacy": 0.5 + one.places[0] % 5 / 5}
    data = {"name": "Lumi", "extensions": {"enishi": {"bend": bend}}}
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    world.bond(one.pair).adopt_blueprint(card)


def rename(world: World, one: Operation) -> None:
    world.bond(one.pair).rename("lumi" if one.pair < 2 else "nova", f"L{one.places[0] % 7}")


def bound(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    (bond.split if one.places[1] % 2 else bond.merge)(turn_of(bond, one))


def look(world: World, one: Operation) -> None:
    """Every view answers, and looking changes nothing."""
    bond = world.bond(one.pair)
    before = bond.verify().tip
    then = world.now - timedelta(days=one.places[0] % 500)
    bond.rapport(at=then)
    bond.rapport(as_lived=then)
    bond.mood("agent" if one.places[1] % 2 else "user", at=then)
    bond.beliefs(at=then), bond.promises(at=then), bond.loops(), bond.tensions(at=then)
    bond.episodes(), bond.chapters(), bond.shortened(), bond.reflections()
    bond.why_rapport(), bond.why_mood(), bond.why(number_of(bond, one))
    bond.recall(one.words[0], at=then), bond.recall("Lisbon 杭州")
    bond.plan_erasure(max(1, number_of(bond, one)), keep_effects=one.places[1] % 2 > 0)
    assert bond.verify().tip == before, "looking changed something"


def rebuild(world: World, one: Operation) -> None:
    bond = world.bond(one.pair)
    before = bond.digests()
    assert bond.rebuild() == before, "what was made anew is not what was there"


# The machine


def jump(world: World, one: Operation) -> None:
    """The clock is set, forwards or back."""
    world.now += timedelta(days=one.places[0] % 800 - 400)
    world.counts["clocks that jumped"] += 1


def reopen(world: World, one: Operation) -> None:
    world.close()
    world.store = world.open()


DOINGS: dict[str, Doing] = {
    doing.__name__: doing
    for doing in (
        exchange, again, open_turn, say, reply, abandon, regenerate, swipe, edit, extend,
        choose_wording, undo, fork, switch, back, drop, withdraw, restore, there_and_back, propose,
        answer_late, fail_to_propose, lie, read_by_rules, release, correct, erase, erase_words,
        archive, carry, diverge, adopt_policy, adopt_card, rename, bound, look, rebuild, jump, reopen,
    )
}  # fmt: skip
