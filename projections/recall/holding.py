"""What holds, as items: beliefs, promises, loops and tensions in a sentence each, with their sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from enishi.kernel.explaining import Quote, quotes
from enishi.kernel.fold import State, fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.recording import party_name
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import Text
from enishi.kernel.words.vocabulary import published_keys
from enishi.projections.beliefs import BELIEFS, BeliefView, beliefs_at
from enishi.projections.promises import LoopView, PromiseView, loops_at, promises_at
from enishi.projections.recall.items import Authority, Because, Item, Rival, Score
from enishi.projections.tensions import TensionView, open_tensions, tensions

STRONG = 2
"""A preference that was told or confirmed so many times is a strong one."""

_INFERRED = 7_000
_NOT_SO = {"en": "Not so: ", "zh": "并非如此："}
_PROMISED = {"en": "{who} promised: {act}", "zh": "{who}答应：{act}"}
_EFFECTS: dict[str, str] = {
    "harm": "伤害", "comfort": "安慰", "refusal": "拒绝", "anger": "愤怒", "boundary": "划清界限",
    "trust_lost": "失去信任", "distance": "疏远", "ending": "结束关系", "repair_attempt": "尝试和好",
    "repair_refused": "拒绝和好", "quarrel": "争吵",
}  # fmt: skip
_PINNED: dict[str, Because] = {
    "constraint": "constraint",
    "instruction": "instruction",
    "preference": "preference",
}
_ALWAYS = ("constraint", "instruction")


class Seen(NamedTuple):
    """For whom items are made: a branch, and what its two are called."""

    stream: Stream
    branch: int
    agent: str
    user: str

    def name(self, party: str) -> str:
        """What a party, or a third person, is called."""
        return {"agent": self.agent, "user": self.user}.get(party, party)

    def quotes(self, spans: Iterable[tuple[int, ...]]) -> tuple[Quote, ...]:
        """The words at these places."""
        return quotes(self.stream, self.branch, {"spans": spans})


def seen_on(stream: Stream, branch: int) -> Seen:
    """The branch with the names of its two. Needs `reading`."""
    line = stream.line
    names = (party_name(stream, branch, party) for party in (line.agent, line.user))
    return Seen(stream, branch, *names)


_NAMED = frozenset(
    {"child", "parent", "sibling", "relative", "friend", "pet", "partner", "project"}
)


def known_names(stream: Stream, branch: int) -> tuple[str, ...]:
    """Persons, animals and projects that beliefs speak of, each once. Needs `reading`."""
    fold = fold_of(stream, branch, BELIEFS)
    state, key = fold.state(), ("names", branch)
    kept = stream.kept.get(key)
    if kept is None or kept[0] != fold.running:
        found: dict[str, None] = {}
        for record in state["stated"].values():
            if record["subject"] not in ("user", "agent"):
                found[record["subject"]] = None
            if record["key"] in _NAMED:
                found[record["value"]] = None
        kept = stream.kept[key] = fold.running, tuple(found)
    names: tuple[str, ...] = kept[1]
    return names


def statement(view: BeliefView, seen: Seen, language: str = "en") -> str:
    """A belief as a sentence: that of its key, with the names and the value in it."""
    return stated(view.subject, view.key, view.value, view.polarity, seen, language)


def stated(
    subject: str, name: str, value: str, polarity: bool, seen: Seen, language: str = "en"
) -> str:
    """What is said of somebody under the name of a key, as a sentence in English or Chinese."""
    key, who = published_keys().get(name), seen.name(subject)
    if key is None:
        sentence = f"{who}: {name.replace('_', ' ')}: {value}."
    else:
        sentence = key.sentence(who, value, language)
    return sentence if polarity else _NOT_SO[language] + sentence


def authority_of(view: BeliefView, sources: Iterable[Quote] = ()) -> Authority:
    """How well a belief is founded."""
    if any(quote.words is None for quote in sources):
        return "partial"
    if view.confirmed_at:
        return "established"
    return "reported" if view.authority == "reported" else "claimed"


def is_said(view: BeliefView) -> bool:
    """Whether a belief is what somebody said, and no inference, which is the agent's own."""
    return view.basis == "explicit"


def rival_of(view: BeliefView, other: BeliefView, seen: Seen) -> Rival:
    """What contradicts a belief, and how it stands to it."""
    found = said_of(other, seen)
    prevails = found.standing == "current" and view.status == "conflicting"
    return replace(found, standing="prevails") if prevails else found


def said_of(view: BeliefView, seen: Seen) -> Rival:
    """A belief beside another item, and where it stands."""
    slip = view.status == "replaced" and view.reason == "corrected"
    standing = "corrected" if slip else view.status
    return Rival(view.number, statement(view, seen), standing, statement(view, seen, "zh"))


def authority_of_text(text: Text) -> Authority:
    """How well what a text says is founded: what rests on a reply that its host took back or did not
    look at is held, and so is the reply.
    """
    if text.delivered != "shown":
        return "held"
    if text.role == "agent":
        return "established"
    return "claimed" if text.role == "user" else "reported"


def belief_item(
    view: BeliefView,
    seen: Seen,
    because: Because,
    score: Score | None = None,
    rivals: tuple[Rival, ...] = (),
) -> Item:
    """A belief as an item."""
    sources = seen.quotes(view.spans)
    return Item(
        numbers=(view.number,),
        layer="portrait"
        if because == "portrait"
        else "pinned"
        if because in _PINNED
        else "beliefs",
        kind="sentence" if because == "portrait" else "belief",
        text=statement(view, seen),
        chinese=statement(view, seen, "zh"),
        because=because,
        happened=view.last_affirmed or view.since,
        speaker=sources[-1].speaker if sources else seen.user,  # who has the last word by hand
        note=None if view.status == "current" else view.status,
        sources=sources,
        authority="partial" if seen.stream.is_partial(view.number) else authority_of(view, sources),
        confidence=10_000 if view.basis == "explicit" else _INFERRED,
        valid_until=view.valid_until,
        rivals=rivals,
        audience="user" if is_said(view) else "agent",
        score=score,
    )


def promised(promiser: str, act: str, seen: Seen, language: str = "en") -> str:
    """A promise as a sentence."""
    return _ended(_PROMISED[language].format(who=seen.name(promiser), act=act))


def ahead(subject: str, continuation: str) -> str:
    """Something that is ahead, as a sentence."""
    return _ended(f"{subject}: {continuation}")


def promise_item(
    view: PromiseView | LoopView, seen: Seen, because: Because, score: Score | None = None
) -> Item:
    """A promise or a loop as an item; the note says where it stands, and by when."""
    if isinstance(view, PromiseView):
        text, due = promised(view.promiser, view.act, seen), view.due
        chinese = promised(view.promiser, view.act, seen, "zh")
    else:
        text, due = ahead(view.subject, view.continuation), view.expected_by
        chinese = None
    sources = seen.quotes(view.spans)
    timing = () if view.timing == "none" else (view.timing.replace("_", " "),)
    return Item(
        numbers=(view.number,),
        layer="pinned" if because in ("promise", "loop") else "beliefs",
        kind="promise" if isinstance(view, PromiseView) else "loop",
        text=text,
        chinese=chinese,
        because=because,
        happened=view.made,
        speaker=sources[-1].speaker if sources else None,
        note=", ".join([view.status, *timing]),
        sources=sources,
        authority="partial" if seen.stream.is_partial(view.number) else "established",
        valid_until=due,
        audience="user",
        score=score,
    )


def tension_item(view: TensionView, seen: Seen) -> Item:
    """An open tension as an item: what came of a reply, and in which words it was heard."""
    sources = seen.quotes(view.spans[-1:])
    words = next((quote.words for quote in sources if quote.words), "")
    effect, bearer = view.effect.replace("_", " "), seen.name(view.bearer)
    return Item(
        numbers=(view.number,),
        layer="pinned",
        kind="tension",
        text=_ended(f"{effect}, borne by {bearer}: {words}" if words else f"{effect} of {bearer}"),
        chinese=_ended(
            f"{_EFFECTS[view.effect]}，承受者{bearer}" + (f"：{words}" if words else "")
        ),
        because="tension",
        happened=view.opened,
        speaker=sources[-1].speaker if sources else None,
        note=view.state.replace("_", " "),
        sources=sources,
        authority="partial" if seen.stream.is_partial(view.number) else "established",
    )


Rivals = Callable[[BeliefView], tuple[Rival, ...]]
"""What contradicts a belief."""


def pinned_beliefs(state: State, at: Moment, seen: Seen, rivals: Rivals) -> list[Item]:
    """Current constraints, instructions and strong preferences, in this order, by when they were told."""
    slots = {
        (record["subject"], record["key"])
        for record in state["stated"].values()
        if record.get("category", "fact") in _PINNED
    }
    found: dict[int, BeliefView] = {}
    for subject, key in sorted(slots):
        for view in beliefs_at(state, at, subject=subject, key=key):
            often = len(view.told) + len(view.confirmed_at)
            if view.status in ("current", "conflicting") and (
                view.category in _ALWAYS or (view.category == "preference" and often >= STRONG)
            ):
                found[view.number] = view
    order = sorted(found.values(), key=lambda v: (list(_PINNED).index(v.category), v.number))
    return [belief_item(view, seen, _PINNED[view.category], rivals=rivals(view)) for view in order]


def open_promises(state: State, at: Moment, seen: Seen) -> list[Item]:
    """Open promises and loops: those that are late or due first, then the newest."""
    urgent = {"overdue": 0, "due_today": 1, "expected": 2, "due_later": 2, "none": 3}
    views: list[PromiseView | LoopView] = [
        one for one in promises_at(state, at) if one.status in ("open", "waiting")
    ]
    views += [one for one in loops_at(state, at) if one.status == "open"]
    views.sort(key=lambda one: (urgent[one.timing], -one.number))
    return [
        promise_item(one, seen, "promise" if isinstance(one, PromiseView) else "loop")
        for one in views
    ]


def tension_items(state: State, seen: Seen) -> list[Item]:
    """The tensions that are open, the newest first."""
    return [tension_item(view, seen) for view in reversed(open_tensions(tensions(state)))]


def _ended(text: str) -> str:
    """A text that ends as a sentence does."""
    text = " ".join(text.split())
    return text if text[-1:] in ".!?。！？…\"'”’」』)）" else f"{text}."
