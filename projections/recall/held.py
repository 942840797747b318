"""What was proposed and is held: nobody believes it yet, and where it was said, it may be shown so.

A held proposal has no event. It is found by its own words, for the agent alone, with the authority
`held` and the reason as its note; it pins nothing and is no belief. It stands as long as every text
that it cites does, and once it was released or stated after all, that is shown instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from enishi.kernel.history import kind_code
from enishi.projections.policy import ONE
from enishi.projections.recall.holding import Seen, ahead, promised, stated
from enishi.projections.recall.index import Index
from enishi.projections.recall.items import Item, Kind, Score
from enishi.projections.recall.search import Found, Hit, search_records

_KINDS: dict[str, Kind] = {"belief": "belief", "promise": "promise", "open_loop": "loop"}
_DECIDED = kind_code("ProposalDecided")


@dataclass(frozen=True, slots=True)
class Held:
    """A held proposal: what is proposed, of which kind, why it is held, and on what words it rests."""

    number: int
    kind: Kind
    proposal: dict[str, Any]
    reason: str
    spans: tuple[tuple[int, ...], ...]


def search_held(seen: Seen, found: Found, index: Index, most: int) -> Iterator[tuple[Hit, Held]]:
    """The held proposals that a query finds, the most relevant first. Needs `reading`."""
    kinds = seen.stream.history.kind
    numbers = {n for counts in found.others.values() for n in counts if kinds[n] == _DECIDED}
    if not numbers:
        return
    released = {
        seen.stream.record(one).header.targets[0]
        for one in seen.stream.history.all("DecisionReleased")
    }
    payloads = seen.stream.payloads(sorted(numbers - released))
    cited = {n: [span[0] for span in one["proposal"]["citations"]] for n, one in payloads.items()}
    for hit in search_records(found, index, cited, cited)[:most]:
        payload = payloads[hit.number]
        proposal = payload["proposal"]
        spans = tuple(tuple(span) for span in proposal["citations"])
        kind = _KINDS[proposal["kind"]]
        yield hit, Held(hit.number, kind, proposal, payload["reason"], spans)


def held_item(held: Held, seen: Seen, score: Score) -> Item:
    """A held proposal as an item."""
    sources = seen.quotes(held.spans)
    return Item(
        numbers=(held.number,),
        layer="beliefs",
        kind=held.kind,
        text=_sentence(held, seen, "en"),
        chinese=_sentence(held, seen, "zh"),
        because="words",
        happened=sources[-1].happened if sources else None,
        speaker=sources[-1].speaker if sources else None,
        note=held.reason.replace("_", " "),
        sources=sources,
        authority="held",
        confidence=held.proposal.get("confidence", ONE),
        audience="agent",
        score=score,
    )


def _sentence(held: Held, seen: Seen, language: str) -> str:
    what = held.proposal
    if held.kind == "belief":
        return stated(what["subject"], what["key"], what["value"], what["polarity"], seen, language)
    if held.kind == "promise":
        return promised(what["promiser"], what["act"], seen, language)
    return ahead(what["subject"], what["continuation"])
