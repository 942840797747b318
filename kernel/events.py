"""Every event type: its name, schema version and payload. `docs/format.md` prints this table.

Names are facts in the past tense. A changed meaning is a new type; a changed shape is a new
version with an upcaster that brings older payloads up when they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from enishi.kernel.deciding.proposals import (
    Audience,
    BoundarySign,
    Category,
    Effect,
    Frozen,
    LoopEnd,
    Party,
    PromiseEnd,
    Role,
    SignalKind,
    Strength,
    TensionOutcome,
)
from enishi.kernel.errors import InvalidInput
from enishi.kernel.misfits import misfit_of

Delivery = Literal["shown", "overridden", "shown_unreviewed"]
Verdict = Literal["accepted", "held", "rejected"]
ErasureScope = Literal[
    "numbers", "text", "turn", "span", "belief", "word", "relationship", "user", "agent"
]
ErasureReason = Literal["request", "retention", "safety", "mistake", "other"]


class Payload(Frozen):
    """What every payload says: who acted, and under which name where that matters."""

    by: Literal["host", "user", "import", "rule", "model"] = "host"
    by_name: str | None = None


class OriginKept(Frozen):
    """Where an imported line stood: the file's title and the line's position in it."""

    source: str
    position: int


class RelationshipFounded(Payload):
    """The first record: whose relationship this is, and the secret that hides request ids."""

    agent: str
    user: str
    secret: bytes


class PartyNamed(Payload):
    """A party has this display name from here on; `party` is its stable id."""

    party: str
    name: str
    aliases: list[str] = Field(default_factory=list)


class PartyRebound(Payload):
    """A party has another outside id from here on, as when a platform renamed its users."""

    party: Party
    id: str
    before: str


class BlueprintAdopted(Payload):
    """The character is played from this card from here on; `card` is its JSON text as received."""

    name: str
    spec: str
    card: str
    bend: dict[str, int] = Field(default_factory=dict)


class PolicyAdopted(Payload):
    """The folds use these numbers from here on."""

    name: str
    numbers: dict[str, Any]


class TurnOpened(Payload):
    """A turn takes its place on its branch; `messages` were recorded with it."""

    messages: int
    scene: bytes | None = None
    present: list[str] | None = None


class MessageReceived(Payload):
    """Somebody said this to the agent, or within its hearing. `hidden`: kept from the model."""

    role: Role
    speaker: str
    name: str
    content: str
    hidden: bool = False
    origin: OriginKept | None = None


class ReplyGiven(Payload):
    """The agent said this: one variant. `given` are the events that its prompt had offered."""

    speaker: str
    name: str
    content: str
    delivered: Delivery = "shown"
    given: list[int] = Field(default_factory=list)
    hidden: bool = False
    origin: OriginKept | None = None


class TextRevised(Payload):
    """The target has another wording. Who said it and how, it says again: the first may be erased."""

    content: str
    how: Literal["edited", "continued"]
    role: Role | None = None
    speaker: str | None = None
    name: str | None = None
    hidden: bool = False
    delivered: Delivery = "shown"
    given: list[int] = Field(default_factory=list)


class VariantChosen(Payload):
    """Of the replies to the same messages, the target counts on this branch."""


class RevisionChosen(Payload):
    """Of the wordings of one text, the target counts on this branch."""


class TurnAbandoned(Payload):
    """No reply came, and none is expected."""


class BranchForked(Payload):
    """A branch begins after the target turn (before the first turn, where there is none)."""

    name: str


class BranchSwitched(Payload):
    """The target branch is the current one."""


class TipMoved(Payload):
    """The branch ends after the target turn (before the first turn, where there is none)."""


class Withdrawn(Payload):
    """The targets do not count, on any branch, until they are restored."""


class Restored(Payload):
    """The targets count again."""


class BatchDecided(Payload):
    """A proposer read the target texts; what it proposed follows, one record each."""

    proposer: str
    version: str
    rules: int
    proposals: int


class ProposalDecided(Payload):
    """One proposal of the target batch, and the kernel's answer to it."""

    proposal: dict[str, Any]
    verdict: Verdict
    reason: str


class Evidence(Payload):
    """What every event that came of a proposal says about what it rests on.

    `spans` are (text, start, end) in code points, `sentence` is the span of the sentence in the
    latest cited text. `voices` are whose words are cited: user, agent, other.
    """

    spans: list[list[int]]
    sentence: list[int]
    voices: list[Role]


class SignalAccepted(Evidence):
    """Somebody did this towards the other, as the cited words show. Content-free.

    Of a shared experience, `retells` are the numbers of those recorded before that tell of the same
    happening elsewhere; `looks_back`: its words say themselves that they speak of the past.
    """

    signal: SignalKind
    actor: Party
    strength: Strength
    retells: list[int] = Field(default_factory=list)
    looks_back: bool = False


class Reason(Frozen):
    """Why somebody holds a belief, as they said, and where they said it."""

    wording: str
    span: list[int]


class BeliefStated(Evidence):
    """Somebody holds this about somebody, or (`polarity` false) that it is not so.

    `literal` says whether `value` stands in the cited words, or is a paraphrase of them.
    `subject` is user, agent, or a third person's name. `authority` tells whether it was claimed by
    the one whom it is about, or is hearsay. `value` is in the words of the text where it stands
    there. `valid_from` and `valid_until` are dates as far as they are known. `same_as` is the
    number of the event that was the first to state the same with the same dates, if there was one.
    Of an occurrence, `retells` are those recorded before that tell of the same in other words.
    """

    subject: str
    key: str
    value: str
    literal: bool = True
    polarity: bool = True
    category: Category = "fact"
    basis: Literal["explicit", "inferred"] = "explicit"
    authority: Literal["claimed", "reported"] = "claimed"
    valid_from: str | None = None
    valid_until: str | None = None
    because: Reason | None = None
    same_as: int | None = None
    retells: list[int] = Field(default_factory=list)


class BeliefConfirmed(Evidence):
    """The belief still holds. Content-free; `belief` is the number of the event.

    `tellings` are the numbers of all that were the first to state the same of a time in common.
    """

    belief: int
    tellings: list[int] = Field(default_factory=list)


class BeliefRetracted(Evidence):
    """The belief was wrong, whoever told it. Content-free; the numbers are as in BeliefConfirmed."""

    belief: int
    tellings: list[int] = Field(default_factory=list)


class PromiseMade(Evidence):
    """Somebody gave their word."""

    promiser: Party
    act: str
    due: str | None = None
    condition: str | None = None


class PromiseEnded(Evidence):
    """A promise came to its end. Content-free."""

    promise: int
    outcome: PromiseEnd
    replaced_by: int | None = None


class PromiseConditionMet(Evidence):
    """The condition of a promise came about. Content-free."""

    promise: int


class LoopOpened(Evidence):
    """Something is expected to go on."""

    subject: str
    continuation: str
    expected_by: str | None = None


class LoopEnded(Evidence):
    """An open loop came to its end. Content-free."""

    loop: int
    outcome: LoopEnd
    replaced_by: int | None = None


class ConsequenceFollowed(Evidence):
    """A reply of the agent had an effect. Content-free."""

    effect: Effect
    bearer: Party
    relapse_of: int | None = None


class TensionMoved(Evidence):
    """A later event moved what a consequence had opened. Content-free."""

    consequence: int
    outcome: TensionOutcome


class ReflectionMade(Evidence):
    """The agent thought this of an event; nobody else sees it unless `audience` says so."""

    event: int
    words: str
    audience: Audience = "agent"
    revises: int | None = None


class MoodObserved(Evidence):
    """A party felt like this when it said the cited words. Content-free.

    The values that the words show, in 1/10000: valence -10000 to 10000, the others 0 to 10000.
    `scorer` is the id and the version of what scored them.
    """

    party: Party
    intensity: Strength
    valence: int | None = Field(default=None, ge=-10_000, le=10_000)
    arousal: int | None = Field(default=None, ge=0, le=10_000)
    fatigue: int | None = Field(default=None, ge=0, le=10_000)
    confidence: int | None = Field(default=None, ge=0, le=10_000)
    scorer: str | None = None


class EpisodeBegan(Payload):
    """A new episode begins with this turn. Content-free.

    `gap` is in seconds since the words before, `cohesion` the share of its words that stand in
    them, in 1/10000; both are left out where they are not known, or the host says so itself.
    """

    spans: list[list[int]] = Field(default_factory=list)
    gap: int | None = None
    cohesion: int | None = None
    signs: list[BoundarySign] = Field(default_factory=list)


class EpisodeContinued(Payload):
    """This turn goes on with the episode before it, whatever else says that one began."""


class SummarySentenceKept(Frozen):
    """One sentence of a summary, and the (text, start, end) that it rests on."""

    words: str
    spans: list[list[int]]


class RecallUsed(Payload):
    """Of what the reply was given, it made use of these events. Content-free; they are numbers."""

    used: list[int]


class EpisodeSummarised(Evidence):
    """An episode in a few sentences; it holds for the episode that all cited texts lie in."""

    sentences: list[SummarySentenceKept]


class BatchFailed(Payload):
    """A proposer gave no usable answer; nothing is frozen, it can be tried again."""

    proposer: str
    version: str
    reason: str


class DecisionReleased(Payload):
    """The host lets the held proposal of the target decision have its effect."""


class ChatImported(Payload):
    """A chat file was taken in; the target is the branch that it went to.

    `shares` is the title of the chat with which it shares its beginning, `conversation` the id of
    the conversation that it is a branch of, where the source gives one.
    """

    format: str
    title: str
    zone: str
    lines: int
    skipped: int
    conversation: str | None = None
    shares: str | None = None


class Erased(Payload):
    """A tombstone: the payloads and salts of the targets were destroyed for good.

    `scope` is what was asked for, `reason` a code for why; the numbers are the targets.
    """

    scope: ErasureScope = "numbers"
    reason: ErasureReason = "request"


class WordsErased(Erased):
    """A tombstone of the lesser depth: what rests on a target and is content-free stays."""


@dataclass(frozen=True, slots=True)
class EventType:
    """One row of the table of event types.

    `place` says how it takes part in standing: "event" is judged by the rule, "text" must also
    be the chosen one, "act" is never judged and speaks only of its targets.
    """

    name: str
    version: int
    model: type[Payload]
    place: Literal["event", "text", "act"]
    content_free: bool = False


EVENT_TYPES: dict[str, EventType] = {
    row.name: row
    for row in (
        EventType("RelationshipFounded", 1, RelationshipFounded, "event"),
        EventType("PartyNamed", 1, PartyNamed, "event"),
        EventType("PartyRebound", 1, PartyRebound, "event"),
        EventType("BlueprintAdopted", 1, BlueprintAdopted, "event"),
        EventType("PolicyAdopted", 1, PolicyAdopted, "event"),
        EventType("TurnOpened", 1, TurnOpened, "event"),
        EventType("MessageReceived", 1, MessageReceived, "text"),
        EventType("ReplyGiven", 1, ReplyGiven, "text"),
        EventType("TextRevised", 1, TextRevised, "text"),
        EventType("VariantChosen", 1, VariantChosen, "act", content_free=True),
        EventType("RevisionChosen", 1, RevisionChosen, "act", content_free=True),
        EventType("TurnAbandoned", 1, TurnAbandoned, "event", content_free=True),
        EventType("BranchForked", 1, BranchForked, "act"),
        EventType("BranchSwitched", 1, BranchSwitched, "act", content_free=True),
        EventType("TipMoved", 1, TipMoved, "act", content_free=True),
        EventType("Withdrawn", 1, Withdrawn, "act", content_free=True),
        EventType("Restored", 1, Restored, "act", content_free=True),
        EventType("BatchDecided", 1, BatchDecided, "event"),
        EventType("ProposalDecided", 1, ProposalDecided, "event"),
        EventType("SignalAccepted", 1, SignalAccepted, "event", content_free=True),
        EventType("BeliefStated", 1, BeliefStated, "event"),
        EventType("BeliefConfirmed", 1, BeliefConfirmed, "event", content_free=True),
        EventType("BeliefRetracted", 1, BeliefRetracted, "event", content_free=True),
        EventType("PromiseMade", 1, PromiseMade, "event"),
        EventType("PromiseEnded", 1, PromiseEnded, "event", content_free=True),
        EventType("PromiseConditionMet", 1, PromiseConditionMet, "event", content_free=True),
        EventType("LoopOpened", 1, LoopOpened, "event"),
        EventType("LoopEnded", 1, LoopEnded, "event", content_free=True),
        EventType("ConsequenceFollowed", 1, ConsequenceFollowed, "event", content_free=True),
        EventType("TensionMoved", 1, TensionMoved, "event", content_free=True),
        EventType("ReflectionMade", 1, ReflectionMade, "event"),
        EventType("MoodObserved", 1, MoodObserved, "event", content_free=True),
        EventType("EpisodeBegan", 1, EpisodeBegan, "event", content_free=True),
        EventType("EpisodeContinued", 1, EpisodeContinued, "event", content_free=True),
        EventType("EpisodeSummarised", 1, EpisodeSummarised, "event"),
        EventType("RecallUsed", 1, RecallUsed, "event", content_free=True),
        EventType("BatchFailed", 1, BatchFailed, "event"),
        EventType("DecisionReleased", 1, DecisionReleased, "event", content_free=True),
        EventType("ChatImported", 1, ChatImported, "event"),
        EventType("Erased", 1, Erased, "act", content_free=True),
        EventType("WordsErased", 1, WordsErased, "act", content_free=True),
    )
}


def misfit(type_name: str, payload: dict[str, Any]) -> str | None:
    """Why a payload of the newest version is not one of its type, or None where it is."""
    try:
        EVENT_TYPES[type_name].model.model_validate(payload)
    except ValidationError as error:
        return misfit_of(error)
    return None


Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(type, version) to the function that makes of such a payload one of the next version."""


def payload_of(type_name: str, **fields: Any) -> dict[str, Any]:
    """A validated payload of the newest version, ready to be encoded; a field at its default is left out."""
    # Every record comes this way: the model's own two halves cost half of its methods.
    model = EVENT_TYPES[type_name].model
    try:
        fitting = model.__pydantic_validator__.validate_python(fields)
    except ValidationError as error:
        raise InvalidInput(f"{type_name} does not fit: {misfit_of(error)}") from None
    payload: dict[str, Any] = model.__pydantic_serializer__.to_python(
        fitting, exclude_defaults=True
    )
    return payload


def upcast(type_name: str, version: int, payload: dict[str, Any]) -> dict[str, Any] | None:
    """The payload in its newest version, or None for a type or version that is not known here.

    Unknown ones are kept, verified and passed over, never an error.
    """
    known = EVENT_TYPES.get(type_name)
    if known is None or not 1 <= version <= known.version:
        return None
    for step in range(version, known.version):
        payload = UPCASTERS[type_name, step](payload)
    return payload
