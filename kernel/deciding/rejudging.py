"""Judging recorded decisions again: whether a log from elsewhere was decided by these rules.

What was decided by another version of the rules, or on words that are gone, cannot be judged
again, and is counted and no more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import ValidationError

from enishi.kernel.deciding.accepting import EVENT_OF, accepted_event
from enishi.kernel.deciding.case import Case
from enishi.kernel.deciding.decisions import RULES_VERSION, decide
from enishi.kernel.deciding.proposing import (
    Decided,
    as_proposed,
    batch_decisions,
    cited_numbers,
    cited_texts,
    judged_case,
)
from enishi.kernel.history import kind_code
from enishi.kernel.stream import Stream

_DERIVED = frozenset(kind_code(name) for name in EVENT_OF.values())
_DECISION = kind_code("ProposalDecided")


class Rejudged(NamedTuple):
    """How many decisions were judged again, how many could not be, and where the answer differs:
    decisions, and events that no decision accounts for, by number."""

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
        known = said is not None and said["rules"] == RULES_VERSION
        accepted: list[int | None] = []
        per_turn: dict[int, int] = {}
        for one in decided:
            answer = _agrees(stream, one, accepted, per_turn) if known else None
            accepted.append(one.event)
            judged += answer is not None
            unjudged += answer is None
            if answer is False:
                differing.append(one.number)
    derived = (n for n in range(start, len(stream.history)) if stream.history.kind[n] in _DERIVED)
    differing += [number for number in derived if number not in accounted]
    return Rejudged(judged, unjudged, tuple(sorted(differing)))
