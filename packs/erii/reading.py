"""Packs of the E.R.I.I. project: one relationship as JSON, written by 0.4.0a7 to 0.5.0a3.

https://github.com/bailong-Hakuryu/E.R.I.I writes them. Everything that one part says of another is
checked before anything is taken in: hashes, quotes, and that what is named is there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from enishi.kernel.errors import PackDamaged, PackTooLarge, PackTooNew
from enishi.kernel.misfits import misfit_of
from enishi.packs.chats.chat import fits, parse_json

LIMIT = 64 << 20
"""Bytes that a pack may have."""

OLDEST, NEWEST = "0.4.0a7", "0.5.0a3"
DIMENSIONS = ("familiarity", "trust", "intimacy", "safety", "conflict_tension")

_VERSION = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})(?:(a|b|rc)([0-9]{1,6}))?")
_MARKS = (b'"turn_records"', b'"relationship_events"', b'"metadata"')

Share = Annotated[float, Field(ge=0, le=1)]
Id = Annotated[str, Field(min_length=1, max_length=180)]


class Part(BaseModel):
    """What all parts of a pack share: what is unknown is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Metadata(Part):
    version: str
    exported_at: str | None = None


class Blueprint(Part):
    source_text: str
    source_sha256: str | None = None
    source_name: str | None = None
    compiled: dict[str, Any] = Field(default_factory=dict)


class Baseline(Part):
    state: dict[str, Share] = Field(default_factory=dict)


class RelationshipPart(Part):
    relationship_id: Id
    agent_id: Id
    user_id: Id
    blueprint: Blueprint
    created_at: str | None = None
    baseline: Baseline = Field(default_factory=Baseline)


class Said(Part):
    message_id: Id
    content: str
    recorded_at: str | None = None


class Transcript(Part):
    user_message: Said | None = None
    agent_message: Said | None = None


class TurnPart(Part):
    turn_id: Id
    relationship_id: str | None = None
    status: str
    transcript: Transcript
    opened_at: str | None = None
    abandoned_at: str | None = None
    delivery_disposition: str | None = None
    review_record: dict[str, Any] | None = None
    interaction_context: tuple[Any, ...] = ()


class Evidence(Part):
    """The words that something rests on, in a message of the pack. A node has no quote."""

    source_id: Id
    message_sha256: str
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    quote: str | None = None


class Receipt(Part):
    decision_id: Id
    source_turn_id: Id
    outcome: str
    reason_codes: tuple[str, ...] = ()
    extraction_confidence: Share = 1.0
    interpretation_confidence: Share = 1.0
    evidence: tuple[Evidence, ...] = ()
    event_ids: tuple[Id, ...] = ()


class Adjudication(Part):
    receipt: Receipt


class BeliefUpdate(Part):
    key: Id
    value: Any = None
    confidence: Share = 1.0
    operation: str = "set"


class EventPart(Part):
    event_id: Id
    relationship_id: str | None = None
    event_type: str
    content: str = ""
    temporal_payload: dict[str, Any] | None = None
    state_delta: dict[str, float] = Field(default_factory=dict)
    belief_updates: tuple[BeliefUpdate, ...] = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    recorded_at: str | None = None

    @property
    def adjudication(self) -> dict[str, Any]:
        """What the other kernel's decision noted on it; empty for what the host recorded."""
        found = self.metadata.get("adjudication")
        return found if isinstance(found, dict) else {}


class ConsequencePart(Part):
    consequence_id: Id
    source_decision_id: Id
    source_event_id: Id
    effects: tuple[str, ...]


class LinkPart(Part):
    link_id: Id
    consequence_id: Id
    source_decision_id: Id
    source_event_id: Id
    outcome: str


class ReflectionPart(Part):
    reflection_id: Id
    event_id: Id
    target_reflection_id: str | None = None
    content: str


class ReflectionDecision(Part):
    reflection_record: ReflectionPart | None = None


class NodePart(Part):
    node_id: Id
    evidence_references: tuple[Evidence, ...] = ()


class Growth(Part):
    status: str


class Contents(Part):
    """The whole file, as far as it is read."""

    metadata: Metadata
    core_memory: str | None = None
    relationship: RelationshipPart
    turn_records: tuple[TurnPart, ...] = ()
    relationship_events: tuple[EventPart, ...] = ()
    relationship_adjudications: tuple[Adjudication, ...] = ()
    relationship_consequences: tuple[ConsequencePart, ...] = ()
    narrative_tension_links: tuple[LinkPart, ...] = ()
    persona_reflection_decisions: tuple[ReflectionDecision, ...] = ()
    persona_growth_proposals: tuple[Growth, ...] = ()
    persona_manifests: tuple[dict[str, Any], ...] = ()
    persona_compilation_proposals: tuple[dict[str, Any], ...] = ()
    nodes: tuple[NodePart, ...] = ()
    timeline_entries: tuple[dict[str, Any], ...] = ()
    archival_ledger: tuple[dict[str, Any], ...] = ()


class Cited(NamedTuple):
    """A span of a message, in code points of the message as it stands in the transcript."""

    message: str
    start: int
    end: int


class BeliefSpan(NamedTuple):
    """One value of a belief: who set it when, and when another took its place or it was retracted."""

    event: str
    key: str
    value: Any
    confidence: float
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class EriiPack:
    """A pack that holds together. `receipts` are by event, `messages` by id: role and words."""

    name: str
    contents: Contents
    messages: dict[str, tuple[str, str]]
    receipts: dict[str, Receipt]
    decisions: dict[str, Receipt]

    @property
    def id(self) -> str:
        """The id that the other program gave the relationship."""
        return self.contents.relationship.relationship_id

    def cited(self, evidence: Iterable[Evidence]) -> list[Cited]:
        """Where the words stand. Decisions count from the first word, nodes from the first sign."""
        return [_place(self.name, self.messages, one) for one in evidence]

    def beliefs(self) -> list[BeliefSpan]:
        """Every value that a belief ever had, in the order of setting."""
        spans: list[BeliefSpan] = []
        held: dict[str, int] = {}
        for event in self.contents.relationship_events:
            for update in event.belief_updates:
                if (before := held.pop(update.key, None)) is not None:
                    spans[before] = spans[before]._replace(until=event.recorded_at)
                if update.operation == "set":
                    held[update.key] = len(spans)
                    spans.append(
                        BeliefSpan(
                            event.event_id,
                            update.key,
                            update.value,
                            update.confidence,
                            event.recorded_at,
                            None,
                        )
                    )
        return spans

    def state(self) -> dict[str, float]:
        """Where the other program sees the relationship: its deltas, each kept within 0 and 1."""
        start = self.contents.relationship.baseline.state
        state = {name: start.get(name, 0.0) for name in DIMENSIONS}
        for event in self.contents.relationship_events:
            for name, delta in event.state_delta.items():
                if name in state:
                    state[name] = min(1.0, max(0.0, state[name] + delta))
        return state


def is_erii(data: bytes) -> bool:
    """Whether the file is meant as such a pack, although reading it may still fail."""
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"{") and all(mark in data for mark in _MARKS)


def read_erii(name: str, data: bytes) -> EriiPack:
    """Read a pack and check that it holds together.

    PackTooNew for what a later version wrote, PackTooLarge beyond 64 MiB or for a message above
    1 MiB, PackDamaged for everything else that is not as it should be; each names the place.
    """
    if len(data) > LIMIT:
        raise PackTooLarge(f"{name!r} has {len(data)} bytes; a pack has at most {LIMIT}")
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PackDamaged(f"{name!r} is damaged: it is not UTF-8") from None
    except ValueError as error:
        raise PackDamaged(f"{name!r} is damaged: it {error}") from None
    _check_version(name, value)
    try:
        contents = Contents.model_validate(value)
    except ValidationError as error:
        raise PackDamaged(f"{name!r} is damaged: {misfit_of(error)}") from None
    pack = EriiPack(
        name=name,
        contents=contents,
        messages=_messages(name, contents),
        receipts={
            event: one.receipt
            for one in contents.relationship_adjudications
            for event in one.receipt.event_ids
        },
        decisions={
            one.receipt.decision_id: one.receipt for one in contents.relationship_adjudications
        },
    )
    _check(pack)
    return pack


def _check_version(name: str, value: object) -> None:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    version = metadata.get("version") if isinstance(metadata, dict) else None
    found = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if found is None:
        raise PackDamaged(f"{name!r} is damaged: it names no version of E.R.I.I.")
    if _order(found) > _order(_known(NEWEST)):
        raise PackTooNew(f"{name!r} was written by E.R.I.I. {version}; {NEWEST} is the newest read")
    if _order(found) < _order(_known(OLDEST)):
        raise PackDamaged(
            f"{name!r} was written by E.R.I.I. {version}; {OLDEST} is the oldest that can be read"
        )


def _known(version: str) -> re.Match[str]:
    found = _VERSION.fullmatch(version)
    assert found is not None
    return found


def _order(version: re.Match[str]) -> tuple[int, int, int, int, int]:
    major, minor, patch, stage, number = version.groups()
    rank = ("a", "b", "rc", None).index(stage)
    return int(major), int(minor), int(patch), rank, int(number or 0)


def _messages(name: str, contents: Contents) -> dict[str, tuple[str, str]]:
    """Role and words of every message, by its id."""
    found: dict[str, tuple[str, str]] = {}
    for turn in contents.turn_records:
        sides = ("user", turn.transcript.user_message), ("agent", turn.transcript.agent_message)
        for role, said in sides:
            if said is None:
                continue
            if said.message_id in found:
                raise PackDamaged(f"{name!r} has the message {said.message_id!a} twice")
            if not fits(said.content):
                raise PackTooLarge(f"{name!r}: the message {said.message_id!a} is above 1 MiB")
            found[said.message_id] = role, said.content
    return found


def _check(pack: EriiPack) -> None:
    """Whether the parts agree with each other."""
    contents, name = pack.contents, pack.name
    blueprint = contents.relationship.blueprint
    if blueprint.source_sha256 not in (None, _sha256(blueprint.source_text)):
        raise PackDamaged(f"{name!r} is damaged: the blueprint does not fit its hash")
    owners = {one.relationship_id for one in contents.turn_records}
    owners |= {one.relationship_id for one in contents.relationship_events}
    if owners - {None, pack.id}:
        raise PackDamaged(f"{name!r} is damaged: it holds a part of another relationship")
    for receipt in pack.decisions.values():
        pack.cited(receipt.evidence)
    for node in contents.nodes:
        pack.cited(node.evidence_references)
    once = {
        "turn": [one.turn_id for one in contents.turn_records],
        "event": [one.event_id for one in contents.relationship_events],
        "decision": [one.receipt.decision_id for one in contents.relationship_adjudications],
        "consequence": [one.consequence_id for one in contents.relationship_consequences],
        "link": [one.link_id for one in contents.narrative_tension_links],
        "reflection": [one.reflection_id for one in reflections(contents)],
    }
    for what, ids in once.items():
        if len(set(ids)) < len(ids):
            raise PackDamaged(f"{name!r} is damaged: it has the same {what} twice")
    for what, named in _named(contents):
        if named not in once[what]:
            raise PackDamaged(f"{name!r} is damaged: it names the {what} {named!a}, which it lacks")


def _named(contents: Contents) -> Iterator[tuple[str, str]]:
    """What parts of a pack name in other parts: a kind and an id."""
    for receipt in (one.receipt for one in contents.relationship_adjudications):
        yield "turn", receipt.source_turn_id
        yield from (("event", event) for event in receipt.event_ids)
    for event in contents.relationship_events:
        for key, named in (event.temporal_payload or {}).items():
            if key.endswith("_event_id") and named is not None:
                yield "event", str(named)
    for consequence in contents.relationship_consequences:
        yield "decision", consequence.source_decision_id
        yield "event", consequence.source_event_id
    for link in contents.narrative_tension_links:
        yield "consequence", link.consequence_id
        yield "decision", link.source_decision_id
        yield "event", link.source_event_id
    for reflection in reflections(contents):
        yield "event", reflection.event_id
        if reflection.target_reflection_id is not None:
            yield "reflection", reflection.target_reflection_id


def reflections(contents: Contents) -> list[ReflectionPart]:
    """The thoughts that were kept, in the order of the file."""
    kept = (one.reflection_record for one in contents.persona_reflection_decisions)
    return [record for record in kept if record is not None]


def _place(name: str, messages: dict[str, tuple[str, str]], evidence: Evidence) -> Cited:
    if evidence.source_id not in messages:
        raise PackDamaged(f"{name!r} cites the message {evidence.source_id!a}, which it lacks")
    _, words = messages[evidence.source_id]
    before = len(words) - len(words.lstrip())
    if evidence.message_sha256 == _sha256(words):
        before = 0
    elif evidence.message_sha256 != _sha256(words.strip()):
        raise PackDamaged(f"{name!r}: the message {evidence.source_id!a} does not fit its hash")
    start, end = evidence.start + before, evidence.end + before
    quoted = words[start:end]
    if not start < end <= len(words) or evidence.quote not in (None, quoted):
        raise PackDamaged(f"{name!r}: what is cited does not stand in {evidence.source_id!a}")
    return Cited(evidence.source_id, start, end)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
