"""The kernel's answer to one proposal, judged alone and only by what cannot change later.

`RULES` lists every reason for which a proposal is not accepted, in order of precedence; the first
that applies is the answer. Duplicates, limits and replacement are settled by the folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from enishi.kernel.events import Verdict, payload_of
from enishi.kernel.history import History
from enishi.kernel.proposals import Citation, Proposal, Role
from enishi.kernel.sentences import sentence_at

RULES_VERSION = 1

MAX_PER_TURN = 32
"""Proposals of one batch that one turn may carry."""

EXPRESSED = frozenset(
    {"gratitude", "disclosure", "repair", "remembrance", "pledge", "support", "disappointment"}
)
"""Signals that only the actor's own words show. The others either party may witness."""


class CitedText(NamedTuple):
    """A text as a decision sees it: whose words, and how they were delivered."""

    number: int
    turn: int
    role: Role
    content: str | None
    hidden: bool = False
    delivered: str = "shown"
    given: tuple[int, ...] = ()


class Span(NamedTuple):
    """A citation that was found in its text, in code points."""

    text: int
    start: int
    end: int


@dataclass(slots=True)
class Case:
    """One proposal with everything that its judgement may look at."""

    proposal: Proposal
    texts: Mapping[int, CitedText]
    history: History
    earlier: int = 0
    spans: list[Span] = field(default_factory=list)

    def cited(self) -> list[CitedText]:
        """The cited texts, in the order of the citations."""
        return [self.texts[c.text] for c in self.proposal.citations if c.text in self.texts]

    def latest(self) -> CitedText:
        """The cited text that comes last on the path; it gives the event its place."""
        return max(self.cited(), key=lambda t: (self.history.depth[t.turn], t.number))


class Decision(NamedTuple):
    """The answer to one proposal. `event` is what becomes of it where it is accepted."""

    verdict: Verdict
    reason: str
    spans: tuple[Span, ...] = ()
    event: dict[str, Any] | None = None


class Rule(NamedTuple):
    """One reason for not accepting a proposal. `applies` says whether it holds for a case."""

    reason: str
    verdict: Verdict
    meaning: str
    applies: Callable[[Case], bool]


def locate(citation: Citation, content: str) -> Span | None:
    """The exact span of a citation, or None where its words do not stand there."""
    start, end, quote = citation.start, citation.end, citation.quote
    if start is None and end is None and quote:
        start = content.find(quote)
        end = start + len(quote)
    if start is None or end is None or not 0 <= start < end <= len(content):
        return None
    if quote is not None and content[start:end] != quote:
        return None
    return Span(citation.text, start, end)


def _found_all(case: Case) -> bool:
    spans = [
        locate(citation, case.texts[citation.text].content or "")
        for citation in case.proposal.citations
    ]
    case.spans = [span for span in spans if span is not None]
    return len(case.spans) == len(spans)


def _on_one_path(case: Case) -> bool:
    last = case.latest().turn
    return all(case.history.is_ancestor(text.turn, last) for text in case.cited())


def _voices(case: Case) -> set[Role]:
    return {text.role for text in case.cited()}


def _only_self_caused(case: Case) -> bool:
    """Recall put the memory into the prompt; that the agent then speaks of it shows nothing."""
    proposal = case.proposal
    return proposal.signal == "remembrance" and all(
        text.role == "agent" and text.given for text in case.cited()
    )


def _agent_side(case: Case, delivered: str) -> bool:
    return any(text.role == "agent" and text.delivered == delivered for text in case.cited())


RULES: tuple[Rule, ...] = (
    Rule(
        "too_many_proposals",
        "rejected",
        f"more than {MAX_PER_TURN} proposals of one batch rest on this turn",
        lambda case: case.earlier >= MAX_PER_TURN,
    ),
    Rule(
        "text_unknown",
        "rejected",
        "a cited number is no text of this relationship",
        lambda case: any(c.text not in case.texts for c in case.proposal.citations),
    ),
    Rule(
        "text_erased",
        "rejected",
        "a cited text has been erased for good",
        lambda case: any(text.content is None for text in case.cited()),
    ),
    Rule(
        "quote_not_found",
        "rejected",
        "the quoted words do not stand in the cited text, to the code point",
        lambda case: not _found_all(case),
    ),
    Rule(
        "citations_apart",
        "rejected",
        "the cited texts lie on no common path: they never happened together",
        lambda case: not _on_one_path(case),
    ),
    Rule(
        "text_hidden",
        "rejected",
        "a cited text was kept from the model",
        lambda case: any(text.hidden for text in case.cited()),
    ),
    Rule(
        "third_person",
        "rejected",
        "somebody else's words show neither the user's stance nor the agent's",
        lambda case: "other" in _voices(case),
    ),
    Rule(
        "not_the_actors_words",
        "rejected",
        "only the actor's own words can show this",
        lambda case: case.proposal.signal in EXPRESSED and _voices(case) != {case.proposal.actor},
    ),
    Rule(
        "self_caused",
        "rejected",
        "its only evidence is what the kernel itself had put into the prompt",
        _only_self_caused,
    ),
    Rule(
        "confidence_too_low",
        "rejected",
        "the proposer's own confidence is below 0.5",
        lambda case: case.proposal.confidence < 0.5,
    ),
    Rule(
        "confidence_low",
        "held",
        "the proposer's own confidence is below 0.7",
        lambda case: case.proposal.confidence < 0.7,
    ),
    Rule(
        "reply_overridden",
        "held",
        "the host marked the agent's reply as overridden",
        lambda case: _agent_side(case, "overridden"),
    ),
    Rule(
        "reply_unreviewed",
        "held",
        "the host marked the agent's reply as shown without its review",
        lambda case: _agent_side(case, "shown_unreviewed"),
    ),
)

ACCEPTED = "supported"


def decide(case: Case) -> Decision:
    """Judge one proposal. A refusal is an answer with a reason code, never an error."""
    for rule in RULES:
        if rule.applies(case):
            return Decision(rule.verdict, rule.reason, tuple(case.spans))
    return Decision("accepted", ACCEPTED, tuple(case.spans), _signal_event(case))


def _signal_event(case: Case) -> dict[str, Any]:
    proposal, latest = case.proposal, case.latest()
    last = max((span for span in case.spans if span.text == latest.number), key=lambda s: s.start)
    spans = [span for span in case.spans if span != last] + [last]
    return payload_of(
        "SignalAccepted",
        by="rule",
        signal=proposal.signal,
        actor=proposal.actor,
        strength=proposal.strength,
        voice="agent" if "agent" in _voices(case) else "user",
        spans=[list(span) for span in spans],
        sentence=list(sentence_at(latest.content or "", last.start, last.end)),
    )
