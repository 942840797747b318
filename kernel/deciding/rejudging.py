"""Judging recorded decisions again: whether a log from elsewhere was decided by these rules.

What was decided by another version of the rules, or on words that are gone, cannot be judged
again; it is counted, and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from enishi.kernel.deciding.accepting import EVENT_OF, accepted_event
from enishi.kernel.deciding.case import Case
from enishi.kernel.deciding.decisions import RULES_VERSION, decide
from enishi.kernel.deciding.proposing import (
    Decided,
    as_proposed,
    batch_decisions,
    cited_numbers,
    cited_texts,
    judging,
)
from enishi.kernel.history import ROOT, kind_code
from enishi.kernel.stream import Stream

_DERIVED = frozenset(kind_code(name) for name in EVENT_OF.values())


_DECISION = kind_code("ProposalDecided")


class Rejudged(NamedTuple):
    """How many decisions were judged again and how many could not be. `differing` are the numbers
    of those where the answer differs, and of derived events that no decision accounts for."""

    judged: int
    unjudged: int
    differing: tuple[int, ...]


def rejudge(stream: Stream, start: int = 0) -> Rejudged:
    """Judge every decision from number `start` on again. Needs `stream.reading()`."""
    judged = unjudged = 0
    differing: list[int] = []
    accounted: set[int] = set()
    for batch in stream.history.all("BatchDecided"):
        decided = batch_decisions(stream, batch)
        accounted.update(one.event for one in decided if one.event is not None)
        if batch < start:
            continue
        said = stream.payload(batch)
        answers: list[bool | None] = [None] * len(decided)
        if said is not None and said["rules"] == RULES_VERSION:
            answers = _answers(stream, decided, judging(stream, batch))
        judged += sum(answer is not None for answer in answers)
        unjudged += sum(answer is None for answer in answers)
        differing += [
            one.number for one, answer in zip(decided, answers, strict=True) if answer is False
        ]
    kinds = stream.history.kind
    derived = (number for number in range(start, len(kinds)) if kinds[number] in _DERIVED)
    differing += [n for n in derived if n not in accounted and not _was_decided(stream, n)]
    return Rejudged(judged, unjudged, tuple(sorted(differing)))


def _was_decided(stream: Stream, number: int) -> bool:
    """Whether an event came of a decision that is gone, or of the host's own hand."""
    header = stream.record(number).header
    if not any(stream.history.kind[target] == _DECISION for target in header.targets):
        return not header.causes
    return all(stream.payload(target) is None for target in header.targets)


def _answers(
    stream: Stream, decided: list[Decided], judged: Callable[..., Case]
) -> list[bool | None]:
    """For each decision of a batch whether it is the rules' own; None where that cannot be said."""
    accepted: list[int | None] = []
    per_turn: dict[int, int] = {}
    answers: list[bool | None] = []
    for one in decided:
        answers.append(_answer(stream, one, judged, accepted, per_turn))
        # What was released later did not exist for the rest of the batch.
        accepted.append(one.event if one.verdict == "accepted" else None)
    return answers


def _answer(
    stream: Stream,
    one: Decided,
    judged: Callable[..., Case],
    accepted: list[int | None],
    per_turn: dict[int, int],
) -> bool | None:
    citations = one.proposal.get("citations", [])
    if not citations or not all(isinstance(citation, list) for citation in citations):
        return None  # words that were not found, or that are gone
    proposal = as_proposed(one.proposal)
    numbers = cited_numbers(proposal)
    cited = cited_texts(stream, numbers)
    case = judged(proposal, cited, accepted=list(accepted))
    turn = case.latest.turn if case.cited else ROOT
    case.earlier = per_turn.get(turn, 0)
    per_turn[turn] = case.earlier + 1
    if any(number not in cited or cited[number].content is None for number in numbers):
        return None
    answer = decide(case)
    if (answer.verdict, answer.reason) != (one.verdict, one.reason):
        return False
    if one.verdict != "accepted":
        return True
    payload = None if one.event is None else stream.payload(one.event)
    if one.event is None or payload is None:
        return None
    kind, wanted = accepted_event(case, payload.get("by", "host"))
    return stream.record(one.event).header.type == kind and payload == wanted
