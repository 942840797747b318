"""A case: one proposal with everything that its judgement may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from enishi.kernel.deciding.proposals import (
    Because,
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Citation,
    Consequence,
    LoopOutcome,
    Party,
    Promise,
    PromiseConditionMet,
    PromiseOutcome,
    Proposal,
    Reflection,
    Role,
    TensionStep,
)
from enishi.kernel.history import History
from enishi.kernel.moments import Moment
from enishi.kernel.words.carried import Said, folded, is_yes
from enishi.kernel.words.cohesion import cohesion, topic_words
from enishi.kernel.words.sentences import sentence_at

_WORDINGS = ("subject", "value", "act", "condition", "continuation", "words")


class CitedText(NamedTuple):
    """A text as a decision sees it: whose words, under which names, and how they were delivered."""

    number: int
    turn: int
    role: Role
    content: str | None
    moment: Moment | None = None
    hidden: bool = False
    delivered: str = "shown"
    given: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """Where the cited words stand: (text, start, end) each, the latest text last."""

    spans: tuple[tuple[int, int, int], ...]
    sentence: tuple[int, int]


Referenced = Callable[[int], tuple[str, dict[str, Any]] | None]
"""The type and the payload of a recorded event, or None where there is none."""

_EVENTS: dict[str, tuple[str, ...]] = {
    "belief": ("BeliefStated",),
    "promise": ("PromiseMade",),
    "loop": ("LoopOpened",),
    "consequence": ("ConsequenceFollowed",),
    "reflection": ("ReflectionMade",),
    "any": (
        "SignalAccepted", "BeliefStated", "PromiseMade", "PromiseEnded", "LoopOpened", "LoopEnded",
        "ConsequenceFollowed", "TensionMoved", "MoodObserved",
    ),
}  # fmt: skip


@dataclass
class Case:
    """One proposal, the texts that it cites and the events that it names.

    `accepted` has, for each earlier proposal of the batch, the number of its event or None.
    `blueprints` are the texts of the cards that were ever in force, by the number of their event;
    `named` says by which event which party has which names. `read` gives texts that are not cited.
    """

    proposal: Proposal
    texts: Mapping[int, CitedText]
    history: History
    lookup: Referenced = lambda number: None
    accepted: list[int | None] = field(default_factory=list)
    blueprints: Mapping[int, str] = field(default_factory=dict)
    named: Sequence[tuple[int, Party, Sequence[str]]] = ()
    read: Callable[[Iterable[int]], dict[int, CitedText]] = lambda numbers: {}
    earlier: int = 0

    @cached_property
    def cited(self) -> list[CitedText]:
        """The cited texts, in the order of the citations."""
        return [self.texts[c.text] for c in self.proposal.citations if c.text in self.texts]

    @property
    def unknown_texts(self) -> bool:
        """Whether a cited number is no text."""
        return len(self.cited) < len(self.proposal.citations)

    @cached_property
    def voices(self) -> set[Role]:
        """Whose words are cited."""
        return {text.role for text in self.cited}

    @property
    def because(self) -> Because | None:
        """What a belief gives as its reason."""
        return self.proposal.because if isinstance(self.proposal, Belief) else None

    @cached_property
    def reason_text(self) -> CitedText | None:
        """The text that a belief cites for its reason."""
        return None if self.because is None else self.texts.get(self.because.citation.text)

    @cached_property
    def rested_on(self) -> list[CitedText]:
        """All cited texts, that of the reason included."""
        return self.cited if self.reason_text is None else [*self.cited, self.reason_text]

    @cached_property
    def latest(self) -> CitedText:
        """The cited text that comes last on the path; it gives the event its place."""
        return max(self.cited, key=lambda text: (self.history.depth_of(text.turn), text.number))

    @cached_property
    def before(self) -> list[CitedText]:
        """The cited texts of turns before the latest, in the order of their places."""
        depth, last = self.history.depth_of, self.latest.turn
        earlier = [text for text in self.cited if depth(text.turn) < depth(last)]
        return sorted(earlier, key=lambda text: (depth(text.turn), text.number))

    @cached_property
    def opening(self) -> CitedText:
        """The first of the cited texts of the latest turn."""
        own = [text for text in self.cited if text.turn == self.latest.turn]
        return min(own, key=lambda text: self.history.root_text(text.number))

    @cached_property
    def passed(self) -> int | None:
        """The time from the last text before to the opening one; None where it is not known."""
        last, first = self.before[-1].moment, self.opening.moment
        return None if last is None or first is None else max(0, first.at - last.at)

    @cached_property
    def shared(self) -> int:
        """How much of what the opening text speaks of stands in the texts before, in 1/10000."""
        before = [topic_words(text.content or "") for text in self.before]
        return cohesion(before, topic_words(self.opening.content or ""))

    @property
    def on_one_path(self) -> bool:
        """Whether the path to the latest cited text leads through all the others."""
        turns = [text.turn for text in self.rested_on]
        last = max(turns, key=lambda turn: self.history.depth_of(turn))
        return all(self.history.is_ancestor(turn, last) for turn in turns)

    @cached_property
    def quoted(self) -> list[Said]:
        """The cited words that were found, in the order of the citations."""
        found = [self.said(citation) for citation in self.proposal.citations]
        return [said for said in found if said is not None]

    def said(self, citation: Citation) -> Said | None:
        """The cited words, or None where they do not stand in the text to the code point."""
        text = self.texts.get(citation.text)
        if text is None or text.content is None:
            return None
        span = locate(citation, text.content)
        return None if span is None else Said(text.content, *span, text.moment)

    @cached_property
    def evidence(self) -> Evidence | None:
        """Where all of the cited words stand, or None where some do not."""
        if len(self.quoted) < len(self.proposal.citations):
            return None
        spans = [
            (citation.text, said.start, said.end)
            for citation, said in zip(self.proposal.citations, self.quoted, strict=True)
        ]
        last = max((s for s in spans if s[0] == self.latest.number), key=lambda s: s[1])
        ordered = [span for span in spans if span != last] + [last]
        sentence = sentence_at(self.latest.content or "", last[1], last[2])
        return Evidence(tuple(ordered), sentence)

    @cached_property
    def carrying(self) -> list[Said]:
        """The words that a value has to follow from.

        Those of the one whom it is about; the other's question too where the answer is a yes.
        """
        subject = _establisher(self)
        if subject is None or self.voices == {subject} or self.answered_yes(subject):
            return self.quoted
        own = [
            said
            for text, said in zip(self.cited, self.quoted, strict=False)
            if text.role == subject
        ]
        return own or self.quoted

    def answered_yes(self, party: str) -> bool:
        """Whether a party's cited words are a short yes to something the other said before."""
        answers = [t for t in self.cited if t.role == party]
        questions = [t for t in self.cited if t.role not in (party, "other")]
        return (
            bool(answers)
            and bool(questions)
            and all(is_yes(text.content or "") for text in answers)
            and all(self._comes_before(q, a) for q in questions for a in answers)
        )

    def _comes_before(self, question: CitedText, answer: CitedText) -> bool:
        """Whether nobody spoke between a question and its answer, but for more of the same."""
        before = answer.turn if answer.role == "agent" else self.history.parent_of(answer.turn)
        first, then = self.history.root_text(question.number), self.history.root_text(answer.number)
        return question.turn == before and first < then

    # Who is meant

    @cached_property
    def names(self) -> dict[Party, set[str]]:
        """What each party is called at the place of the latest cited text, folded."""
        found: dict[Party, set[str]] = {"user": set(), "agent": set()}
        turn = self.latest.turn
        for number, party, names in self.named:
            if self.history.is_ancestor(self.history.turn[number], turn):
                found[party].update(map(folded, names))
        for text in self.cited:
            if text.role != "other":
                found[text.role].update(map(folded, text.names))
        return found

    @cached_property
    def known_names(self) -> set[str]:
        """The names of both parties, which free wording may use for "you" and "me"."""
        return self.names["user"] | self.names["agent"]

    @cached_property
    def subject(self) -> str | None:
        """Whom a belief is about. A party that is called by a name of theirs is that party."""
        if not isinstance(self.proposal, Belief):
            return None
        subject = self.proposal.subject
        if subject in self.names or not self.cited:
            return subject
        meant = [party for party, names in self.names.items() if folded(subject) in names]
        # Where both have one name, whoever speaks is the one.
        return next((party for party in meant if party in self.voices), [*meant, subject][0])

    @cached_property
    def reflected(self) -> list[Said]:
        """What a reflection is on: all words of the texts that it and its event rest on."""
        if not isinstance(self.proposal, Reflection):
            return []
        events = [self.proposal.event, self.proposal.revises]
        payloads = [self.referenced(event) for event in events if event is not None]
        rested_on = {span[0] for payload in payloads for span in payload.get("spans", ())}
        texts = [*self.cited, *self.read(rested_on - {text.number for text in self.cited}).values()]
        # What was stated by hand, or in a wording that was judged before, needs no text.
        worded = [payload[name] for payload in payloads for name in _WORDINGS if payload.get(name)]
        return [
            Said(words, 0, len(words), moment)
            for words, moment in [
                *((text.content, text.moment) for text in texts),
                *((wording, None) for wording in worded),
            ]
            if words
        ]

    # References

    def number_of(self, reference: int | str) -> int | None:
        """The number that a reference means: itself, or what became of an earlier proposal."""
        if isinstance(reference, int):
            return reference
        place = int(reference[1:])
        return self.accepted[place] if place < len(self.accepted) else None

    def referenced(self, reference: int | str) -> dict[str, Any]:
        """The payload of a referenced event, empty where there is none."""
        number = self.number_of(reference)
        found = None if number is None else self.lookup(number)
        return {} if found is None else found[1]

    def type_of(self, number: int) -> str | None:
        """The type of a recorded event, or None where there is none."""
        found = self.lookup(number)
        return None if found is None else found[0]

    @property
    def dangling_references(self) -> bool:
        """Whether it names a proposal of its batch of which nothing came before it."""
        return any(self.number_of(ref) is None for ref, _ in references(self.proposal))

    @property
    def wrong_references(self) -> bool:
        """Whether it names a number that is no event of the right type."""
        for reference, types in references(self.proposal):
            number = self.number_of(reference)
            found = None if number is None else self.lookup(number)
            if number is not None and (found is None or found[0] not in types):
                return True
        return self._replaces_itself

    @property
    def _replaces_itself(self) -> bool:
        ended = self.proposal
        if not isinstance(ended, PromiseOutcome | LoopOutcome) or ended.replaced_by is None:
            return False
        itself = ended.promise if isinstance(ended, PromiseOutcome) else ended.loop
        number = self.number_of(itself)
        return number is not None and number == self.number_of(ended.replaced_by)


def references(proposal: Proposal) -> list[tuple[int | str, tuple[str, ...]]]:
    """What a proposal names, each with the types of events that it may be."""
    named: list[tuple[int | str | None, str]] = []
    match proposal:
        case BeliefConfirmation() | BeliefRetraction():
            named = [(proposal.belief, "belief")]
        case PromiseOutcome():
            named = [(proposal.promise, "promise"), (proposal.replaced_by, "promise")]
        case PromiseConditionMet():
            named = [(proposal.promise, "promise")]
        case LoopOutcome():
            named = [(proposal.loop, "loop"), (proposal.replaced_by, "loop")]
        case Consequence():
            named = [(proposal.relapse_of, "consequence")]
        case TensionStep():
            named = [(proposal.consequence, "consequence")]
        case Reflection():
            named = [(proposal.event, "any"), (proposal.revises, "reflection")]
    return [(reference, _EVENTS[kind]) for reference, kind in named if reference is not None]


def locate(citation: Citation, content: str) -> tuple[int, int] | None:
    """The exact span of a citation, or None where its words do not stand there."""
    start, end, quote = citation.start, citation.end, citation.quote
    if start is None and end is None and quote:
        start = content.find(quote)
        end = start + len(quote)
    if start is None or end is None or not 0 <= start < end <= len(content):
        return None
    if quote is not None and content[start:end] != quote:
        return None
    return start, end


def _establisher(case: Case) -> str | None:
    """The party whose words a proposal has to follow from; None where either's will do."""
    proposal = case.proposal
    if isinstance(proposal, Promise):
        return proposal.promiser
    return case.subject if case.subject in ("user", "agent") else None
