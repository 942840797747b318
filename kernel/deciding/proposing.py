"""A batch: a proposer reads texts, the kernel decides, and both are recorded at once.

A batch is frozen per exact set of texts and proposer version: asked again, it is answered from
the log. A proposer that fails freezes nothing.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import msgspec

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.accepting import accepted_event, in_fixed_point
from enishi.kernel.deciding.case import Case, CitedText
from enishi.kernel.deciding.copying import card_text
from enishi.kernel.deciding.decisions import RULES_VERSION, Decision, decide
from enishi.kernel.deciding.proposals import (
    ANY_PROPOSAL,
    Belief,
    Mood,
    Party,
    Proposal,
    Proposer,
    ReadText,
    Role,
)
from enishi.kernel.deciding.tellings import with_tellings
from enishi.kernel.errors import Conflict, NotFound, ProposerFailed
from enishi.kernel.events import Verdict, payload_of
from enishi.kernel.history import ROOT, TEXT_CODES, TEXT_TYPES, kind_code
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

MAX_PER_BATCH = 4096
MAX_REASON = 500
"""Characters of a failure's reason that are kept."""

_NOT_KEPT = "not kept: a text that was read has been erased since"

_TURN, _REPLY = kind_code("TurnOpened"), kind_code("ReplyGiven")


class Decided(NamedTuple):
    """One decided proposal, as recorded. `event` is the number of what came of it, if anything.

    Of an erased one verdict and reason are "erased", whatever they were, and `event` is what came of
    it and was spared.
    """

    number: int
    verdict: Verdict | Literal["erased"]
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
        depths = sorted(stream.history.depth_of(turn) for turn in turns)
    history = stream.history
    texts = (
        [n for n in standing.at_depth(depth) if history.kind[n] in TEXT_CODES] for depth in depths
    )
    # Another wording stands where the first one stood.
    return [n for turn_texts in texts for n in sorted(turn_texts, key=history.root_text)]


def unread_texts(stream: Stream, branch: int, proposer: Proposer, since: int = 0) -> list[int]:
    """The standing texts that this version of the proposer has not read yet.

    Of one that looks back: those that it has not read after what stands before them now.
    `since`: only those of turns in which something was recorded from this number on.
    """
    history, turns = stream.history, _looks_back(proposer)
    read = _read_so_far(stream, proposer)
    if not since:
        texts = standing_texts(stream, branch)
        return _unread_of(stream, texts, read, turns)
    standing = stream.standing(branch)
    recent = set(history.turn[since:]) - {ROOT}
    recent = {turn for turn in recent if standing.on_path(turn)}
    texts = standing_texts(stream, branch, _and_before(stream, branch, recent, turns))
    read = [batch for batch in read if not set(texts).isdisjoint(batch)]
    unread = _unread_of(stream, texts, read, turns)
    return [number for number in unread if history.turn[number] in recent]


def _unread_of(
    stream: Stream, texts: list[int], read: list[tuple[int, ...]], turns: int
) -> list[int]:
    if turns:
        return _unread_after(stream, texts, read, turns)
    known = set().union(*read)
    return [number for number in texts if number not in known]


def _read_so_far(stream: Stream, proposer: Proposer) -> list[tuple[int, ...]]:
    """The texts of each batch that this version of the proposer was given."""
    own, erased = (proposer.name, proposer.version), len(stream.history.erased)
    read: list[tuple[int, ...]]
    known, before, read = stream.kept.get(("read", *own), (0, erased, []))
    if before != erased:
        known, read = 0, []
    batches = stream.history.all("BatchDecided")
    for number, payload in stream.payloads(batches[known:]).items():
        if (payload["proposer"], payload["version"]) == own:
            read.append(stream.record(number).header.targets)
    stream.kept["read", *own] = len(batches), erased, read
    return read


def _unread_after(
    stream: Stream, standing: list[int], read: list[tuple[int, ...]], turns: int
) -> list[int]:
    history = stream.history
    depths = [history.depth_of(history.turn[number]) for number in standing]
    places: dict[int, list[tuple[int, int]]] = {}
    for which, batch in enumerate(read):
        for place, number in enumerate(batch):
            places.setdefault(number, []).append((which, place))

    def is_read(at: int, first: int) -> bool:
        before = tuple(standing[first:at])
        for which, place in places.get(standing[at], ()):
            start = place - len(before)
            if start >= 0 and read[which][start:place] == before:
                # What stood right before the window has to lie outside of it still.
                earlier = read[which][start - 1] if start else None
                outside = (
                    earlier is None or history.depth_of(history.turn[earlier]) < depths[at] - turns
                )
                if outside:
                    return True
        return False

    firsts = (bisect_left(depths, depth - turns) for depth in depths)
    return [standing[at] for at, first in enumerate(firsts) if not is_read(at, first)]


def _looks_back(proposer: Proposer) -> int:
    return int(getattr(proposer, "looks_back", 0))


def _with_those_before(
    stream: Stream, branch: int, proposer: Proposer, texts: Sequence[int]
) -> list[int]:
    """The texts to read, and before them those of the turns that the proposer looks back on."""
    turns = _looks_back(proposer)
    if not turns or not texts:
        return list(texts)
    own = {stream.history.turn[number] for number in texts}
    return standing_texts(stream, branch, _and_before(stream, branch, own, turns))


def _and_before(stream: Stream, branch: int, turns: Iterable[int], back: int) -> list[int]:
    """These turns of a branch, and as many before each."""
    history, path = stream.history, stream.standing(branch).path
    depths = {history.depth_of(turn) for turn in turns}
    wide = {d for depth in depths for d in range(max(1, depth - back), depth + 1)}
    return [path[depth] for depth in wide]


def read_texts(
    stream: Stream, numbers: Sequence[int], asked: Container[int] | None = None
) -> list[ReadText]:
    """Texts as a proposer sees them: whole, never hidden ones, and without any that are gone.

    Those that are not `asked` about (None: all are) are only shown.
    """
    history, payloads = stream.history, _payloads_of_texts(stream, numbers)
    texts = []
    for number in numbers:
        about = stream.about_text(number, payloads)
        if about is None or number not in payloads or about.get("hidden", False):
            continue
        turn = history.turn[number]
        texts.append(
            ReadText(
                number=number,
                turn=turn,
                role=_role(stream, number, about),
                speaker=about["speaker"],
                name=about["name"],
                content=payloads[number]["content"],
                happened=history.moment(number),
                place=history.depth_of(turn),
                shown=asked is not None and number not in asked,
            )
        )
    return texts


def cited_texts(stream: Stream, numbers: Iterable[int]) -> dict[int, CitedText]:
    """The texts among these numbers, as a decision sees them."""
    history = stream.history
    texts = [number for number in dict.fromkeys(numbers) if stream.is_text(number)]
    payloads = _payloads_of_texts(stream, texts)
    found = {}
    for number in texts:
        root = history.root_text(number)
        about = stream.about_text(number, payloads) or {}
        found[number] = CitedText(
            number=number,
            turn=history.turn[number],
            role=_role(stream, number, about),
            content=payloads[number]["content"] if number in payloads and about else None,
            hidden=about.get("hidden", False),
            delivered=about.get("delivered", "shown"),
            given=tuple(about.get("given", ())),
            names=tuple(about[key] for key in ("speaker", "name") if about.get(key)),
            moment=history.moment(root),
        )
    return found


def _payloads_of_texts(stream: Stream, texts: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The payloads of texts, and of what each is a wording of."""
    roots = map(stream.history.root_text, texts)
    return stream.payloads(sorted({*texts, *roots}), TEXT_TYPES)


def _role(stream: Stream, text: int, about: dict[str, Any]) -> Role:
    """Whose words a text is, by what is known about it."""
    if stream.history.kind[stream.history.root_text(text)] == _REPLY:
        return "agent"
    role: Role = about.get("role", "other")
    return role


def propose(stream: Stream, branch: int, proposer: Proposer, texts: Sequence[int]) -> list[Decided]:
    """Let a proposer read these texts and record what the kernel decides.

    The proposer runs outside of any transaction; what changes meanwhile is not lost, since an
    event falls with what it rests on. A proposer that fails is ProposerFailed, after that it
    failed was recorded; it can be tried again.
    """
    check_id(proposer.name, "a proposer's name")
    check_id(proposer.version, "a proposer's version")
    with stream.reading():
        asked = frozenset(texts)
        texts = _with_those_before(stream, branch, proposer, texts)
        request = _batch_request(proposer, texts)
        frozen = stream.log.requested(stream.line, request)
        if frozen is not None:
            return batch_decisions(stream, frozen)
        readable = read_texts(stream, texts, asked)
    try:
        proposals = _ask(proposer, readable)
    except ProposerFailed as failure:
        _record_failure(stream, branch, proposer, texts, failure)
        raise
    with stream.writing():
        frozen = stream.log.requested(stream.line, request)
        if frozen is not None:
            return batch_decisions(stream, frozen)
        batch = record_batch(stream, branch, proposer, texts, proposals, request)
        return batch_decisions(stream, batch) if proposals else []


def propose_unread(
    stream: Stream,
    branch: int,
    proposer: Proposer,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    since: int = 0,
) -> list[Decided]:
    """Let a proposer read, batch by batch, every standing text that it has not read yet.

    `since`: only those of turns in which something was recorded from this number on.
    """
    with stream.reading():
        unread = unread_texts(stream, branch, proposer, since)
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
    if not proposals:
        return batch
    cited = cited_texts(stream, [n for p in proposals for n in cited_numbers(p)])
    context = _Context(stream, branch, proposer, batch, tuple(texts))
    judged = judging(stream)
    accepted: list[int | None] = []
    per_turn: dict[int, int] = {}
    for proposal in proposals:
        case = judged(proposal, cited, accepted=accepted)
        turn = case.latest.turn if case.cited else ROOT
        case.earlier = per_turn.get(turn, 0)
        per_turn[turn] = case.earlier + 1
        accepted.append(_record_decision(context, case, decide(case)))
    return batch


def judge(stream: Stream, proposal: Proposal) -> Decision:
    """What the kernel would answer to a proposal that names no other one. Records nothing."""
    return decide(judging(stream)(proposal, cited_texts(stream, cited_numbers(proposal))))


def batch_decisions(stream: Stream, batch: int) -> list[Decided]:
    """The decisions of a recorded batch, in the order in which they were proposed."""
    payload, end = stream.payload(batch), len(stream.history)
    # A decision and what came of it follow each other, and nothing stands between them.
    if payload is not None:
        after = min(batch + 1 + 2 * payload["proposals"], end)
    else:  # how many there were was erased
        following = stream.history.kind.find(kind_code("BatchDecided"), batch + 1)
        after = end if following == -1 else following
    headers = [one.header for one in stream.log.records(stream.line.line, batch + 1, after)]
    numbers = [
        header.number
        for header in headers
        if header.type == "ProposalDecided" and header.targets == (batch,)
    ]
    kept, released = stream.payloads(numbers), _released(stream)
    return [_decided(stream, n, kept.get(n), released.get(n), payload) for n in numbers]


def decisions(stream: Stream) -> list[Decided]:
    """All decisions of a relationship, oldest first."""
    found = []
    for batch in stream.history.all("BatchDecided"):
        found += batch_decisions(stream, batch)
    return found


def erased_decisions(stream: Stream, proposer: Proposer, turn: int) -> list[Decided]:
    """What this version of a proposer had proposed on a turn, as far as that was erased since."""
    own, turn_of = f"{proposer.name} {proposer.version}", stream.history.turn
    return [
        one
        for one in decisions(stream)
        if one.verdict == "erased" and one.proposer == own and turn_of[one.number] == turn
    ]


def release(stream: Stream, branch: int, decision: int) -> int:
    """Let a held proposal have its effect, as the host says. Returns the number of its event.

    What would reject it still does: then it is Conflict with the reason. Needs `writing`.
    """
    record = stream.record(decision)
    payload = stream.payload(decision) if record.header.type == "ProposalDecided" else None
    if payload is None or payload["verdict"] != "held":
        raise NotFound(f"number {decision} is no held decision; `enishi decisions` lists them")
    if decision in _released(stream):
        raise Conflict(f"decision {decision} was released already")
    proposal = as_proposed(payload["proposal"])
    cited = cited_texts(stream, cited_numbers(proposal))
    batch = batch_decisions(stream, record.header.targets[0])
    accepted = [decided.event for decided in batch if decided.number < decision]
    case = judging(stream)(proposal, cited, accepted=accepted)
    answer = decide(case, released=True)
    if answer.verdict != "accepted":
        raise Conflict(f"decision {decision} cannot be released: {answer.reason}")
    tip = stream.history.branches[branch].tip
    stream.append(
        Draft("DecisionReleased", payload_of("DecisionReleased"), tip, branch, targets=(decision,))
    )
    return _record_event(stream, branch, case, "host", record.header.causes, decision)


def _released(stream: Stream) -> dict[int, int]:
    """Released decisions, each with the number of its event."""
    found = stream.history.all("DecisionReleased")
    return {stream.record(number).header.targets[0]: number + 1 for number in found}


def _decided(
    stream: Stream,
    number: int,
    payload: dict[str, Any] | None,
    released: int | None,
    batch: dict[str, Any] | None,
) -> Decided:
    proposer = f"{batch['proposer']} {batch['version']}" if batch else "erased"
    if payload is None:
        spared = released or _spared(stream, number)
        return Decided(number, "erased", "erased", {}, spared, proposer)
    accepted = payload["verdict"] == "accepted" and number + 1 < len(stream.history)
    event = number + 1 if accepted else released
    return Decided(
        number, payload["verdict"], payload["reason"], payload["proposal"], event, proposer
    )


def _spared(stream: Stream, decision: int) -> int | None:
    """What came of an erased decision, where only the words of it went."""
    history, number = stream.history, decision + 1
    derived = number < len(history) and history.is_derived(number)
    if not derived or number in history.erased:
        return None
    return number if decision in stream.record(number).header.targets else None


class _Context(NamedTuple):
    """The batch that a decision belongs to."""

    stream: Stream
    branch: int
    proposer: Proposer
    batch: int
    read: tuple[int, ...]


def _record_decision(context: _Context, case: Case, decision: Decision) -> int | None:
    """Record one decision, and what becomes of it. Returns the number of the event, if any."""
    stream, branch, by = context.stream, context.branch, _by(context.proposer)
    cited = {number for number in cited_numbers(case.proposal) if number in case.texts}
    # What was refused may repeat anything that the proposer had read.
    refused = decision.verdict == "rejected"
    causes = tuple(sorted(cited | set(context.read) if refused else cited))
    kept = _plain(case.proposal, decision)
    if decision.verdict == "rejected" and _erased(stream, [*cited, *context.read]):
        # Its words may be those of a text that was erased while they were being read.
        kept = {"kind": kept["kind"]}
    payload = payload_of(
        "ProposalDecided",
        by=by,
        by_name=f"{context.proposer.name} {context.proposer.version}",
        proposal=kept,
        verdict=decision.verdict,
        reason=decision.reason,
    )
    turn = _last_turn(stream, causes, stream.history.branches[branch].tip)
    happened = case.latest.moment if case.cited else None
    draft = Draft("ProposalDecided", payload, turn, branch, causes, (context.batch,), happened)
    number = stream.append(draft)
    if decision.verdict != "accepted":
        return None
    return _record_event(stream, branch, case, by, causes, number)


def _record_event(
    stream: Stream, branch: int, case: Case, by: str, causes: Sequence[int], decision: int
) -> int:
    kind, payload = accepted_event(case, by)
    payload = with_tellings(stream, kind, payload)
    turn = _last_turn(stream, causes, stream.history.branches[branch].tip)
    draft = Draft(kind, payload, turn, branch, tuple(causes), (decision,), case.latest.moment)
    return stream.append(draft)


def _record_failure(
    stream: Stream, branch: int, proposer: Proposer, texts: Sequence[int], failure: ProposerFailed
) -> None:
    with stream.writing():
        gone = _erased(stream, texts)
        payload = payload_of(
            "BatchFailed",
            by=_by(proposer),
            proposer=proposer.name,
            version=proposer.version,
            reason=_NOT_KEPT if gone else str(failure)[:MAX_REASON],
        )
        place = _last_turn(stream, texts, stream.history.branches[branch].tip)
        # The reason may quote what was read, so it goes with it.
        stream.append(Draft("BatchFailed", payload, place, branch, tuple(sorted(texts))))


def _erased(stream: Stream, texts: Iterable[int]) -> bool:
    return not stream.history.erased.isdisjoint(texts)


def _lookup(stream: Stream) -> Callable[[int], tuple[str, dict[str, Any]] | None]:
    def look(number: int) -> tuple[str, dict[str, Any]] | None:
        if not 0 <= number < len(stream.history):
            return None
        payload = stream.payload(number)
        return None if payload is None else (stream.record(number).header.type, payload)

    return look


def judging(stream: Stream, before: int | None = None) -> partial[Case]:
    """What makes a case of a proposal and the texts that it cites.

    `before`: by the names and the cards that had been recorded by that number.
    """
    end = len(stream.history) if before is None else before
    return partial(
        Case,
        history=stream.history,
        lookup=_lookup(stream),
        blueprints={number: card for number, card in _blueprints(stream).items() if number < end},
        named=[row for row in _named(stream) if row[0] < end],
        read=partial(cited_texts, stream),
    )


def _named(stream: Stream) -> list[tuple[int, Party, Sequence[str]]]:
    """Who is called what by which event: the ids, the names that were given, and the card's."""
    line, withdrawn = stream.line, stream.history.withdrawn
    rebound = stream.payloads(stream.history.all("PartyRebound"))
    first = {"agent": line.agent, "user": line.user}
    for payload in reversed(rebound.values()):
        first[payload["party"]] = payload["before"]
    found: list[tuple[int, Party, Sequence[str]]] = [
        (0, "user", (first["user"],)),
        (0, "agent", (first["agent"],)),
        *((number, payload["party"], (payload["id"],)) for number, payload in rebound.items()),
    ]
    parties: dict[str, Party] = {id: "agent" for id in stream.ids_of(line.agent)}
    parties |= {id: "user" for id in stream.ids_of(line.user)}
    for number, payload in stream.payloads(stream.history.all("PartyNamed")).items():
        party = parties.get(payload["party"])
        if party is not None and not withdrawn.get(number, False):
            found.append((number, party, (payload["name"], *payload.get("aliases", ()))))
    for number, payload in stream.payloads(stream.history.all("BlueprintAdopted")).items():
        found.append((number, "agent", (payload["name"],)))
    return found


def _blueprints(stream: Stream) -> dict[int, str]:
    adopted = stream.payloads(stream.history.all("BlueprintAdopted"))
    return {number: card_text(payload["card"]) for number, payload in adopted.items()}


def cited_numbers(proposal: Proposal) -> list[int]:
    """The texts that a proposal cites, those of its reason included."""
    numbers = [citation.text for citation in proposal.citations]
    if isinstance(proposal, Belief) and proposal.because is not None:
        numbers.append(proposal.because.citation.text)
    return numbers


def _last_turn(stream: Stream, causes: Sequence[int], tip: int) -> int:
    """The place of what rests on these causes: their deepest turn, or the tip without any."""
    history = stream.history
    turns = dict.fromkeys(history.turn[number] for number in causes)
    return max(turns, key=lambda turn: history.depth_of(turn)) if turns else tip


def _plain(proposal: Proposal, decision: Decision) -> dict[str, Any]:
    """A proposal as it is kept: spans instead of quotes where the words were found."""
    plain = proposal.model_dump(exclude={"citations", "confidence"}, exclude_none=True)
    plain["confidence"] = round(proposal.confidence * 10_000)
    if isinstance(proposal, Mood):
        plain["felt"] = in_fixed_point(proposal.felt)
    if decision.evidence is not None:
        plain["citations"] = [list(span) for span in decision.evidence.spans]
    else:
        plain["citations"] = [c.model_dump(exclude_none=True) for c in proposal.citations]
    return plain


def as_proposed(plain: dict[str, Any]) -> Proposal:
    """A kept proposal whose words were found, as it was proposed."""
    citations = [{"text": t, "start": s, "end": e} for t, s, e in plain["citations"]]
    fields = {**plain, "citations": citations, "confidence": plain["confidence"] / 10_000}
    if "felt" in plain:
        fields["felt"] = {name: value / 10_000 for name, value in plain["felt"].items()}
    return ANY_PROPOSAL.validate_json(msgspec.json.encode(fields))  # where arrays stand for tuples


def _ask(proposer: Proposer, texts: list[ReadText]) -> list[Proposal]:
    try:
        proposals = list(proposer.propose(texts))
    except ProposerFailed:
        raise
    except Exception as error:
        raise ProposerFailed(
            f"the proposer {proposer.name!r} failed on {len(texts)} texts: "
            f"{error!r}; it can be tried again"
        ) from error
    if len(proposals) > MAX_PER_BATCH:
        raise ProposerFailed(
            f"the proposer {proposer.name!r} gave {len(proposals)} proposals; a batch has at most "
            f"{MAX_PER_BATCH}"
        )
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
