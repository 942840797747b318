"""What recall answers with: items, each with its reason and its sources, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.explaining import Quote
from enishi.kernel.moments import Moment
from enishi.projections.recall.gate import Gate

Layer = Literal["pinned", "session", "episodes", "beliefs", "portrait", "blueprint"]
"""Where an item comes from.

pinned     what always holds: instructions, constraints, strong preferences, open promises, tensions
session    L0, the running episode: its last turns whole, older ones in their short form
episodes   L1, what was said before, and the last episodes in short
beliefs    L2, what is held true
portrait   L3, who the user is, in sentences that rest on beliefs
blueprint  the character's own card
"""

LAYERS: tuple[Layer, ...] = (
    "pinned",
    "session",
    "episodes",
    "beliefs",
    "portrait",
    "blueprint",
)

ELSEWHERE: tuple[Layer, ...] = tuple(layer for layer in LAYERS if layer != "session")
"""What is recalled where nobody answers a turn: all but the running session."""

Kind = Literal[
    "text", "turn", "episode", "belief", "promise", "loop", "tension", "sentence", "card", "vector"
]
"""A vector is none of the things that are recalled: it is what may be missing for finding them."""

Authority = Literal["established", "claimed", "reported", "partial", "held"]
"""established: confirmed, or as the log itself has it; claimed: by the one whom it is about;
reported: hearsay; partial: not all of what it rests on is there; held: a reply that was
overridden, or shown without its review."""

Because = Literal[
    "instruction", "constraint", "preference", "promise", "loop", "tension", "running", "recent",
    "portrait", "words", "meaning", "time", "around", "behind",
]  # fmt: skip
"""Why an item is there: what it is, or that words of the query, its meaning alone, or a time in it
found it; `around` and `behind` follow from something that was found: what was said around it, what was
promised there."""

Reason = Literal[
    "over budget", "over count", "weak", "faded", "repeated", "only asked", "not current",
    "not searched", "withheld", "erased", "audience", "other model",
]  # fmt: skip
"""Why something is not there.

over budget   it does not fit into what is left of the budget
over count    others came before it
weak          too little of the query stands in it
faded         it would have been enough when it was fresh
repeated      an item that is there says it already
only asked    the words stand in questions alone, and a question is no evidence
not current   it is past, was replaced or taken back
not searched  there was no more time, or the gate was closed
withheld      whoever passed the log on kept it back
erased        it was destroyed; what it said cannot be known any more
audience      it is not for those who will see it
other model   its vector is of another embedder, and is not compared; it is searched by its words
"""

Viewers = Audience | tuple[str, ...]
"""Who will see a recall: the agent alone, the user, or a group by the ids of its members."""

Outcome = Literal[
    "found", "no record", "over budget", "not searched", "withheld", "faded", "only asked"
]


_EMPTY: tuple[Literal["not searched", "withheld", "faded", "only asked"], ...] = (
    "not searched",
    "withheld",
    "faded",
    "only asked",
)


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a score: `relevance` and `total` are sums of idf, the others run to 10000.

    `share` is the relevance as a share of what it would be if every term of the query stood there once;
    `words` are the terms that stand in the item itself. `meaning` is what nearness in meaning added to
    the share, in 1/10000; it is in the relevance.
    """

    relevance: int
    share: int
    recency: int
    specificity: int
    intensity: int
    references: int
    authority: int
    total: int
    words: tuple[str, ...] = ()
    meaning: int = 0


@dataclass(frozen=True, slots=True)
class Rival:
    """A belief that contradicts another one. `standing` says how the two stand to each other: its own
    status, or `corrected`, or `prevails` where it is the one that weighs more. Beside a text it is what
    the text says and does not hold any more, or what holds instead (`current`).
    """

    number: int
    text: str
    standing: str
    chinese: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to remember. `numbers` are the records that it rests on, its own first.

    `text` consists of whole sentences; `cut` says that the record has more of them. `chinese` is the
    same in Chinese, where it is not somebody's own words. `score` is None
    for what was not searched for. `confidence` runs from 0 to 10000. `valid_until` is a date as it
    was given. `sources` have the words to the letter. `note` is what a reader has to know besides:
    where a promise stands, who bears a tension. `answers` is the question before it. `rivals`
    contradict it. `audience` is who may see it at most: the agent alone, unless it was said; then
    also the user, and whoever was there.
    """

    numbers: tuple[int, ...]
    layer: Layer
    kind: Kind
    text: str
    because: Because
    happened: Moment | None
    speaker: str | None = None
    chinese: str | None = None
    note: str | None = None
    answers: Quote | None = None
    sources: tuple[Quote, ...] = ()
    authority: Authority = "claimed"
    confidence: int = 10_000
    valid_until: str | None = None
    rivals: tuple[Rival, ...] = ()
    audience: Audience = "agent"
    cut: bool = False
    score: Score | None = None
    tokens: int = 0

    @property
    def number(self) -> int:
        """The record that the item is about."""
        return self.numbers[0]

    @property
    def shown(self) -> tuple[int, ...]:
        """All records whose words a rendering of it shows."""
        beside = () if self.answers is None else (self.answers.text,)
        return (*self.numbers, *beside, *(rival.number for rival in self.rivals))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not among the items, and why. `number` is None where `count` things are meant alike."""

    reason: Reason
    layer: Layer | None = None
    kind: Kind | None = None
    number: int | None = None
    count: int = 1
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """What to remember now. `items` come in the order in which they should be read.

    `used` of `budget` tokens are taken, by `counter`. `searched` are the layers that were reached,
    `unknown` the terms of the query that stand nowhere on the branch. `audience` is who will see it.
    `mood` has the line on the user's mood in each language, where there is one and it is for the
    agent alone; `hint` is an open loop to bring up where a session begins. Both are in the budget.
    """

    query: str
    at: Moment
    branch: str
    gate: Gate
    budget: int
    used: int
    counter: str
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    searched: tuple[Layer, ...]
    unknown: tuple[str, ...]
    audience: Viewers = "agent"
    mood: dict[str, str] = field(default_factory=dict)
    hint: Item | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The records that a prompt made of this offers, each once: what a reply was given."""
        items = self.items if self.hint is None else (*self.items, self.hint)
        return tuple(dict.fromkeys(number for item in items for number in item.shown))

    def render(self, language: str = "en", format: str = "markdown") -> str:
        """The block for a prompt, in English or Chinese (en, zh), as Markdown or JSON.

        Empty where there is nothing to say. Markdown is within the budget.
        """
        from enishi.projections.recall.rendering import render

        return render(self, language, format)

    @property
    def found(self) -> tuple[Item, ...]:
        """The items that the query itself found."""
        return tuple(item for item in self.items if item.score is not None)

    @property
    def outcome(self) -> Outcome:
        """Whether the query found something, and if not, how that is to be understood."""
        searched = ("beliefs", "episodes", "blueprint")
        if self.found or any(
            one.reason == "repeated" and one.layer in searched for one in self.left_out
        ):
            return "found"
        reasons = Counter(one.reason for one in self.left_out if one.layer != "pinned")
        # What the words found and these may not see; the rest of what they may not see is no answer.
        if any(
            one.reason == "audience" and one.layer in searched and one.kind != "episode"
            for one in self.left_out
        ):
            return "withheld"
        if any(
            one.reason == "over budget" and one.layer in searched and one.kind != "episode"
            for one in self.left_out
        ):
            return "over budget"
        for reason in _EMPTY:
            if reasons[reason]:
                return reason
        return "no record"
