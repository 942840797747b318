"""A batch: a proposer reads texts, the kernel decides, and both are recorded at once.

A batch is frozen per exact set of texts and proposer version: asked again, it is answered from
the log. A proposer that fails freezes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from enishi.kernel.checks import check_id
from enishi.kernel.decisions import RULES_VERSION, Case, CitedText, Decision, decide
from enishi.kernel.errors import EnishiError, NotFound, ProposerFailed
from enishi.kernel.events import Verdict, payload_of
from enishi.kernel.history import ROOT, TEXT_CODES, kind_code
from enishi.kernel.proposals import Proposal, Proposer, ReadText
from enishi.kernel.stream import Draft, Stream


class Host(NamedTuple):
    """The host as a proposer of its own, which is never asked twice."""

    name: str = "host"
    version: str = "1"
    by: str = "host"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """The host hands its proposals over; there is nothing to read."""
        return []


BATCH_TEXTS = 128
"""Texts that are read together where a whole history is read."""

_TURN = kind_code("TurnOpened")


class Decided(NamedTuple):
    """One decided proposal, as recorded. `event` is the number of what came of it, if anything."""

    number: int
    verdict: Verdict
    reason: str
    proposal: dict[str, Any]
    event: int | None
    proposer: str


def standing_texts(stream: Stream, branch: int, turns: Iterable[int] | None = None) -> list[int]:
    """The texts that stand on a branch, in the order of their places; of these turns, if given."""
    standing = stream.standing(branch)
    depths: Iterable[int] = range(len(standing.path))
    if turns is not None:
        for turn in turns:
            known = 0 <= turn < len(stream.history) and stream.history.kind[turn] == _TURN
            if not known or not standing.on_path(turn):
                raise NotFound(f"number {turn} is no turn of this branch")
        depths = sorted(stream.history.depth[turn] for turn in turns)
    kind = stream.history.kind
    return [n for depth in depths for n in standing.at_depth(depth) if kind[n] in TEXT_CODES]


def unread_texts(stream: Stream, branch: int, proposer: Proposer) -> list[int]:
    """The standing texts that this version of the proposer has not read yet."""
    batches = stream.history.all("BatchDecided")
    read: set[int] = set()
    for number, payload in stream.payloads(batches).items():
        if (payload["proposer"], payload["version"]) == (proposer.name, proposer.version):
            read.update(stream.record(number).header.targets)
    return [number for number in standing_texts(stream, branch) if number not in read]


def read_texts(stream: Stream, numbers: Sequence[int]) -> list[ReadText]:
    """Texts as a proposer sees them: whole, never hidden ones, and without any that are gone."""
    cited = cited_texts(stream, numbers)
    roots = stream.payloads(sorted({stream.history.root_text(number) for number in cited}))
    texts = []
    for number, text in cited.items():
        root = stream.history.root_text(number)
        if text.content is None or text.hidden or root not in roots:
            continue
        header = stream.record(number).header
        texts.append(
            ReadText(
                number=number,
                turn=text.turn,
                role=text.role,
                speaker=roots[root]["speaker"],
                name=roots[root]["name"],
                content=text.content,
                happened=header.moment,
            )
        )
    return texts


def cited_texts(stream: Stream, numbers: Iterable[int]) -> dict[int, CitedText]:
    """The texts among these numbers, as a decision sees them."""
    history = stream.history
    texts = [number for number in dict.fromkeys(numbers) if stream.is_text(number)]
    payloads = stream.payloads(sorted({*texts, *(history.root_text(n) for n in texts)}))
    found = {}
    for number in texts:
        root = history.root_text(number)
        about = payloads.get(root, {})
        is_reply = history.kind[root] == kind_code("ReplyGiven")
        found[number] = CitedText(
            number=number,
            turn=history.turn[number],
            role="agent" if is_reply else about.get("role", "other"),
            content=payloads[number]["content"] if number in payloads and about else None,
            hidden=about.get("hidden", False),
            delivered=about.get("delivered", "shown"),
            given=tuple(about.get("given", ())),
        )
    return found


def propose(stream: Stream, branch: int, proposer: Proposer, texts: Sequence[int]) -> list[Decided]:
    """Let a proposer read these texts and record what the kernel decides.

    The proposer runs outside of any transaction; what changes meanwhile is not lost, since an
    event falls with what it rests on. A proposer that raises is ProposerFailed.
    """
    check_id(proposer.name, "a proposer's name")
    check_id(proposer.version, "a proposer's version")
    request = _batch_request(proposer, texts)
    with stream.reading():
        frozen = stream.log.requested(stream.line, request)
        if frozen is not None:
            return batch_decisions(stream, frozen)
        readable = read_texts(stream, texts)
    proposals = _ask(proposer, readable)
    with stream.writing():
        frozen = stream.log.requested(stream.line, request)
        if frozen is not None:
            return batch_decisions(stream, frozen)
        batch = record_batch(stream, branch, proposer, texts, proposals, request)
        return batch_decisions(stream, batch)


def propose_unread(
    stream: Stream,
    branch: int,
    proposer: Proposer,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Decided]:
    """Let a proposer read, batch by batch, every standing text that it has not read yet."""
    with stream.reading():
        unread = unread_texts(stream, branch, proposer)
    decided = []
    for start in range(0, len(unread), BATCH_TEXTS):
        decided += propose(stream, branch, proposer, unread[start : start + BATCH_TEXTS])
        progress(min(start + BATCH_TEXTS, len(unread)), len(unread))
    return decided


def record_batch(
    stream: Stream,
    branch: int,
    proposer: Proposer,
    texts: Sequence[int],
    proposals: Sequence[Proposal],
    request: str | None = None,
) -> int:
    """Decide and record the proposals of a batch. Needs `writing`. Returns the batch's number."""
    cited = cited_texts(stream, [*texts, *(c.text for p in proposals for c in p.citations)])
    place = _last_turn(stream, texts, stream.history.branches[branch].tip)
    payload = payload_of(
        "BatchDecided",
        by=_by(proposer),
        proposer=proposer.name,
        version=proposer.version,
        rules=RULES_VERSION,
        proposals=len(proposals),
    )
    batch = stream.append(
        Draft("BatchDecided", payload, place, branch, targets=tuple(texts), request=request)
    )
    per_turn: dict[int, int] = {}
    for proposal in proposals:
        case = Case(proposal, cited, stream.history)
        turn = case.latest().turn if case.cited() else ROOT
        case.earlier = per_turn.get(turn, 0)
        per_turn[turn] = case.earlier + 1
        _record_decision(stream, branch, proposer, batch, case, decide(case), texts)
    return batch


def batch_decisions(stream: Stream, batch: int) -> list[Decided]:
    """The decisions of a recorded batch, in the order in which they were proposed."""
    header = stream.record(batch).header
    payload = stream.payload(batch)
    count = payload["proposals"] if payload else 0
    decided: list[Decided] = []
    number = batch + 1
    while len(decided) < count and number < len(stream.history):
        record = stream.record(number)
        number += 1
        if record.header.type == "ProposalDecided" and record.header.targets == (header.number,):
            follower = number if number < len(stream.history) else None
            decided.append(_decided(stream, record.header.number, follower, payload))
    return decided


def decisions(stream: Stream) -> list[Decided]:
    """All decisions of a relationship, oldest first."""
    found = []
    for batch in stream.history.all("BatchDecided"):
        found += batch_decisions(stream, batch)
    return found


def _decided(
    stream: Stream, number: int, follower: int | None, batch: dict[str, Any] | None
) -> Decided:
    payload = stream.payload(number)
    proposer = f"{batch['proposer']} {batch['version']}" if batch else "?"
    if payload is None:
        return Decided(number, "rejected", "erased", {}, None, proposer)
    event = None
    if payload["verdict"] == "accepted" and follower is not None:
        event = follower
    return Decided(
        number, payload["verdict"], payload["reason"], payload["proposal"], event, proposer
    )


def _record_decision(
    stream: Stream,
    branch: int,
    proposer: Proposer,
    batch: int,
    case: Case,
    decision: Decision,
    read: Sequence[int],
) -> None:
    latest = case.latest() if case.cited() else None
    # What was not found in its text may quote anything that the proposer had read.
    complete = len(decision.spans) == len(case.proposal.citations)
    cited = {text.number for text in case.cited()}
    causes = tuple(sorted(cited if complete else cited | set(read)))
    payload = payload_of(
        "ProposalDecided",
        by=_by(proposer),
        by_name=f"{proposer.name} {proposer.version}",
        proposal=_plain(case.proposal, decision),
        verdict=decision.verdict,
        reason=decision.reason,
    )
    turn = _last_turn(stream, causes, stream.history.branches[branch].tip)
    happened = stream.record(latest.number).header.moment if latest else None
    number = stream.append(
        Draft("ProposalDecided", payload, turn, branch, causes, (batch,), happened)
    )
    if decision.event is not None:
        event = Draft("SignalAccepted", decision.event, turn, branch, causes, (number,), happened)
        stream.append(event)


def _last_turn(stream: Stream, causes: Sequence[int], tip: int) -> int:
    """The place of what rests on these causes: their deepest turn, or the tip without any."""
    history = stream.history
    turns = [history.turn[number] for number in causes]
    return max(turns, key=lambda turn: history.depth[turn]) if turns else tip


def _plain(proposal: Proposal, decision: Decision) -> dict[str, Any]:
    """A proposal as it is kept: spans instead of quotes where the words were found."""
    plain = proposal.model_dump(exclude={"citations", "confidence"})
    plain["confidence"] = round(proposal.confidence * 10_000)
    if len(decision.spans) == len(proposal.citations):
        plain["citations"] = [list(span) for span in decision.spans]
    else:
        plain["citations"] = [c.model_dump(exclude_none=True) for c in proposal.citations]
    return plain


def _ask(proposer: Proposer, texts: list[ReadText]) -> list[Proposal]:
    try:
        proposals = list(proposer.propose(texts))
    except EnishiError:
        raise
    except Exception as error:
        raise ProposerFailed(
            f"the proposer {proposer.name!r} failed on {len(texts)} texts: {error!r}; "
            "nothing was recorded, it can be tried again"
        ) from error
    for proposal in proposals:
        if not isinstance(proposal, Proposal):
            raise ProposerFailed(
                f"the proposer {proposer.name!r} gave {type(proposal).__name__}, no proposal"
            )
    return proposals


def _batch_request(proposer: Proposer, texts: Sequence[int]) -> str:
    numbers = ",".join(str(number) for number in sorted(texts))
    digest = hashlib.sha256(numbers.encode()).hexdigest()
    return f"batch\n{proposer.name}\n{proposer.version}\n{digest}"


def _by(proposer: Proposer) -> str:
    """Who acted: a proposer may say so itself, and is a model otherwise."""
    return str(getattr(proposer, "by", "model"))
