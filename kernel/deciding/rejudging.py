"""Judging recorded decisions again: whether a log from elsewhere was decided by these rules.

What was decided by another version of the rules, or on words that are gone, cannot be judged
again; it is counted, and no more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from enishi.kernel.deciding.accepting import EVENT_OF, accepted_event
from enishi.kernel.deciding.case import Case, CitedText, references
from enishi.kernel.deciding.decisions import RULES_VERSION, decide
from enishi.kernel.deciding.proposals import Proposal
from enishi.kernel.deciding.proposing import as_proposed, cited_numbers, cited_texts, judging
from enishi.kernel.deciding.tellings import tellings_fit, without_tellings
from enishi.kernel.encoding import Header
from enishi.kernel.history import ROOT
from enishi.kernel.log import Record
from enishi.kernel.stream import Stream

_TOGETHER = 128  # batches whose texts are read at once
_DERIVED = frozenset(EVENT_OF.values())
_READ = ("BatchDecided", "ProposalDecided", "DecisionReleased", *sorted(_DERIVED))
_SEEN = ("BlueprintAdopted", "PartyNamed", "PartyRebound")


class Rejudged(NamedTuple):
    """How many decisions were judged again and how many could not be. `differing` are the numbers
    of those where the answer differs, and of derived events that no decision accounts for."""

    judged: int
    unjudged: int
    differing: tuple[int, ...]


@dataclass(slots=True)
class _Batch:
    """A recorded batch: its decisions, each with the event that came of it at once."""

    record: Record
    decisions: list[tuple[Record, Record | None]] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of its record."""
        return self.record.header.number

    @property
    def known(self) -> bool:
        """Whether the rules of this version decided it."""
        said = self.record.payload
        return said is not None and said["rules"] == RULES_VERSION


def rejudge(stream: Stream, start: int = 0) -> Rejudged:
    """Judge every decision again, from the batch before number `start` on. Needs `reading`."""
    judged = unjudged = 0
    differing: list[int] = []
    # Names and cards are few and change seldom: one look at them serves many batches.
    seen = sorted(n for kind in _SEEN for n in stream.history.all(kind))
    contexts: dict[int, partial[Case]] = {}

    def context(batch: int) -> partial[Case]:
        place = bisect_left(seen, batch)
        if place not in contexts:
            contexts[place] = judging(stream, batch)
        return contexts[place]

    batches = (one for one in _batches(stream, start, differing) if one.decisions)
    while some := list(islice(batches, _TOGETHER)):
        proposed = [
            [_proposed(one.payload) if batch.known else None for one, _ in batch.decisions]
            for batch in some
        ]
        cited = (n for many in proposed for one in many if one for n in cited_numbers(one))
        texts = cited_texts(stream, sorted(set(cited)))
        for batch, proposals in zip(some, proposed, strict=True):
            answers = _answers(stream, batch, proposals, texts, context(batch.number))
            judged += sum(answer is not None for answer in answers)
            unjudged += sum(answer is None for answer in answers)
            differing += [
                decision.header.number
                for (decision, _), answer in zip(batch.decisions, answers, strict=True)
                if answer is False
            ]
    return Rejudged(judged, unjudged, tuple(sorted(differing)))


def _batches(stream: Stream, start: int, unaccounted: list[int]) -> Iterator[_Batch]:
    """The batches in order. Derived events that come of no decision are noted as unaccounted."""
    batch: _Batch | None = None
    released: Header | None = None
    # What was cut in the middle of a batch goes on with the rest of it.
    start = max(0, stream.history.last("BatchDecided", start))
    for record in stream.log.records(stream.line.line, start, types=_READ):
        header = record.header
        kind, targets = header.type, header.targets
        if kind == "BatchDecided":
            if batch is not None:
                yield batch
            batch = _Batch(record)
        elif kind == "ProposalDecided":
            if batch is None or targets != (batch.number,):
                unaccounted.append(header.number)
            else:
                batch.decisions.append((record, None))
        elif kind in _DERIVED:
            last = batch.decisions[-1] if batch is not None and batch.decisions else None
            if last and last[1] is None and _follows(last[0].header, header):
                batch.decisions[-1] = (last[0], record)  # type: ignore[union-attr]
            elif not _is_released(released, header) and not _by_hand(stream, record):
                unaccounted.append(header.number)
        released = header if kind == "DecisionReleased" else None
    if batch is not None:
        yield batch


def _follows(decision: Header, event: Header) -> bool:
    """Whether an event came of a decision at once: what was released later did not."""
    return (decision.number + 1, (decision.number,)) == (event.number, event.targets)


def _is_released(released: Header | None, event: Header) -> bool:
    """Whether an event came of a decision that was released right before it."""
    return released is not None and (released.number + 1, released.targets) == (
        event.number,
        event.targets,
    )


def _by_hand(stream: Stream, event: Record) -> bool:
    """Whether an event came of a decision that is gone, or of the host's own hand."""
    decisions = [n for n in event.header.targets if _type(stream, n) == "ProposalDecided"]
    if not decisions:
        return not event.header.causes
    return all(stream.payload(number) is None for number in decisions)


def _type(stream: Stream, number: int) -> str:
    return stream.record(number).header.type


def _answers(
    stream: Stream,
    batch: _Batch,
    proposals: Sequence[Proposal | Literal[False] | None],
    texts: dict[int, CitedText],
    judged: partial[Case],
) -> list[bool | None]:
    """For each decision of a batch whether it is the rules' own; None where that cannot be said."""
    number = batch.number
    accepted: list[int | None] = []
    per_turn: dict[int, int] = {}
    answers: list[bool | None] = []
    for proposal, (decision, event) in zip(proposals, batch.decisions, strict=True):
        answer = False if proposal is False else None
        if proposal:
            own = {n: texts[n] for n in cited_numbers(proposal) if n in texts and n < number}
            case = judged(proposal, own, accepted=list(accepted))
            turn = case.latest.turn if case.cited else ROOT
            case.earlier = per_turn.get(turn, 0)
            per_turn[turn] = case.earlier + 1
            answer = _answer(stream, case, own, decision, event)
        answers.append(answer)
        accepted.append(None if event is None else event.header.number)
    return answers


def _proposed(decided: dict[str, Any] | None) -> Proposal | Literal[False] | None:
    """What was proposed: None where its words were not found, or are gone; False where it is no
    proposal that could ever have been made."""
    citations = (decided or {}).get("proposal", {}).get("citations", [])
    if decided is None or not citations or not all(isinstance(one, list) for one in citations):
        return None
    try:
        return as_proposed(decided["proposal"])
    except (ValidationError, ValueError, TypeError, KeyError):
        return False


def _answer(
    stream: Stream,
    case: Case,
    texts: dict[int, CitedText],
    decision: Record,
    event: Record | None,
) -> bool | None:
    said, number, lookup = decision.payload or {}, decision.header.number, case.lookup
    # What came later was no event yet.
    case.lookup = lambda named: lookup(named) if named < number else None
    if any(n not in texts or texts[n].content is None for n in cited_numbers(case.proposal)):
        return None
    answer = decide(case)
    if (answer.verdict, answer.reason) != (said["verdict"], said["reason"]):
        return None if _looked_at_what_is_gone(stream, case, number) else False
    if answer.verdict != "accepted":
        return event is None
    if event is None or event.payload is None:
        return None
    kind, wanted = accepted_event(case, event.payload.get("by", "host"))
    return (
        event.header.type == kind
        and without_tellings(event.payload) == wanted
        and tellings_fit(stream, event.header.number, event.payload)
    )


def _looked_at_what_is_gone(stream: Stream, case: Case, decision: int) -> bool:
    """Whether words that the judgement of then could see are gone, or a name was withdrawn."""
    history = stream.history
    seen = {n for ref, _ in references(case.proposal) if (n := case.number_of(ref)) is not None}
    for number in [n for n in seen if n < decision]:
        seen.update(n for n in history.causes_of(number) if stream.is_text(n))
    names = [n for kind in _SEEN for n in history.all(kind)]
    seen.update(names)
    looked = [n for n in seen if n < decision]
    gone = any(stream.payload(n) is None for n in looked)
    return gone or any(n in history.withdrawn for n in names if n < decision)
