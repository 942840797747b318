"""What a proposer may suggest: the vocabulary that models, rules and hosts fill.

A proposal carries meaning and citations, never numbers for the state. `proposal_schema` is the JSON
schema that a model fills.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol, Self, runtime_checkable

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from enishi.kernel.moments import Moment

Role = Literal["user", "agent", "other"]
"""Who speaks, seen from the relationship: its user, its agent, or somebody else."""

Party = Literal["user", "agent"]
Strength = Literal["weak", "moderate", "strong"]

Mode = Literal["real", "fiction", "hypothetical", "joke", "reported"]
"""How something was said: in earnest, within a story, as a supposition, in jest, or as hearsay."""

SignalKind = Literal[
    "gratitude",
    "disclosure",
    "reliability",
    "boundary_respected",
    "boundary_violation",
    "quarrel",
    "repair",
    "shared_experience",
    "remembrance",
    "pledge",
    "disappointment",
    "support",
]

Category = Literal["identity", "preference", "fact", "occurrence", "constraint", "instruction"]
"""What sort of thing a belief says; a constraint is an allergy and its like, an instruction stands
until it is taken back."""

PromiseEnd = Literal["kept", "broken", "released", "replaced"]
LoopEnd = Literal["completed", "cancelled", "abandoned", "replaced"]

Effect = Literal[
    "harm",
    "comfort",
    "refusal",
    "anger",
    "boundary",
    "trust_lost",
    "distance",
    "ending",
    "repair_attempt",
    "repair_refused",
    "quarrel",
]
"""What a reply of the agent did."""

TensionOutcome = Literal["addressed", "reconciled", "boundary_stabilized", "ended", "superseded"]

BoundarySign = Literal["greeting", "farewell", "turning", "occasion", "unlike", "gap"]
"""What speaks for a new episode: somebody greets, or had taken leave; the words say that they turn
to something else; they tell of another day; they share nothing with those before; time went by."""

Audience = Literal["agent", "user"]
"""Who may see something: the agent alone, or the user as well."""

Day = Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")]
"""A date as far as it is known: 2026, 2026-03 or 2026-03-01, at the turn's own offset."""

Wording = Annotated[str, Field(min_length=1, max_length=500)]
"""Words of the proposer's own."""

MOST = 2**53
"""The largest number that every JSON reader keeps whole."""

Reference = Annotated[int, Field(ge=0, le=MOST)] | Annotated[str, Field(pattern=r"^@[0-9]{1,4}$")]
"""The number of a recorded event, or @K: what becomes of the K-th proposal of the same batch,
counted from 0. It must come before the one that names it."""


class Frozen(BaseModel):
    """The base of all models here: immutable, and nothing unknown passes unnoticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Citation(Frozen):
    """The exact span that a proposal rests on.

    `start` and `end` (exclusive) count code points of the text as received. `quote` repeats the
    cited words where the proposer has them; the kernel compares it with the text to the letter.
    A proposer that knows only the words may leave `start` and `end` out.
    """

    text: int = Field(ge=0, le=MOST, description="number of the cited text")
    start: int | None = Field(default=None, ge=0, le=MOST)
    end: int | None = Field(default=None, ge=0, le=MOST)
    quote: str | None = Field(default=None, max_length=1500)


class Cited(Frozen):
    """What every proposal has: what it rests on, how it was said, how sure the proposer is.

    `confidence` runs from 0 to 1; it can lower what a proposal may do and never raises it.
    """

    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    mode: Mode = "real"
    citations: tuple[Citation, ...] = Field(min_length=1, max_length=16)


class Signal(Cited):
    """One thing that somebody did towards the other, as words show it.

    `actor` is who acted, which need not be who speaks.
    """

    kind: Literal["signal"] = "signal"
    signal: SignalKind
    actor: Party
    strength: Strength = "moderate"


class Because(Frozen):
    """What a belief gives as its reason, with a citation of its own."""

    wording: Wording
    citation: Citation


def _party_or_name(subject: str) -> str:
    """However it is spelt, the user is the user: no third person of that name gets past a rule."""
    lowered = subject.strip().lower()
    return lowered if lowered in ("user", "agent") else subject


class Belief(Cited):
    """Something held true, or (`polarity` false) held not to be so, about somebody.

    `subject` is user, agent, or the name of a third person. `key` is one of the published keys or
    a new one in snake_case; `value` stands in the cited words or follows from them. `basis` tells
    a statement from an inference.
    """

    kind: Literal["belief"] = "belief"
    subject: Annotated[str, AfterValidator(_party_or_name)] = Field(min_length=1, max_length=200)
    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")
    value: str = Field(min_length=1, max_length=200)
    polarity: bool = True
    category: Category = "fact"
    basis: Literal["explicit", "inferred"] = "explicit"
    valid_from: Day | None = None
    valid_until: Day | None = None
    because: Because | None = None


class BeliefConfirmation(Cited):
    """Yes, that belief still holds."""

    kind: Literal["belief_confirmation"] = "belief_confirmation"
    belief: Reference


class BeliefRetraction(Cited):
    """No, that belief was wrong."""

    kind: Literal["belief_retraction"] = "belief_retraction"
    belief: Reference


class Promise(Cited):
    """Somebody gave their word, in words of their own: to do `act`, by `due`, if `condition`."""

    kind: Literal["promise"] = "promise"
    promiser: Party
    act: Wording
    due: Day | None = None
    condition: Wording | None = None


class PromiseOutcome(Cited):
    """A promise came to its end; one that is replaced names the one that stands in its place."""

    kind: Literal["promise_outcome"] = "promise_outcome"
    promise: Reference
    outcome: PromiseEnd
    replaced_by: Reference | None = None


class PromiseConditionMet(Cited):
    """The condition of a promise came about."""

    kind: Literal["promise_condition_met"] = "promise_condition_met"
    promise: Reference


class OpenLoop(Cited):
    """Something that is expected to go on: an exam next week, a story half told."""

    kind: Literal["open_loop"] = "open_loop"
    subject: Wording
    continuation: Wording
    expected_by: Day | None = None


class LoopOutcome(Cited):
    """An open loop came to its end."""

    kind: Literal["loop_outcome"] = "loop_outcome"
    loop: Reference
    outcome: LoopEnd
    replaced_by: Reference | None = None


class Consequence(Cited):
    """A reply of the agent had an effect on somebody; a relapse names the earlier consequence."""

    kind: Literal["consequence"] = "consequence"
    effect: Effect
    bearer: Party
    relapse_of: Reference | None = None


class TensionStep(Cited):
    """A later event moved a tension that a consequence had opened."""

    kind: Literal["tension_step"] = "tension_step"
    consequence: Reference
    outcome: TensionOutcome


class Reflection(Cited):
    """The agent's own thought on an accepted event, in the first person.

    One that corrects or reinterprets an earlier reflection names it in `revises`.
    """

    kind: Literal["reflection"] = "reflection"
    event: Reference
    words: Wording
    audience: Audience = "agent"
    revises: Reference | None = None


class Felt(Frozen):
    """How somebody felt, as far as words show it: at least one of four values.

    `valence` runs from -1, bad, to 1, good; `arousal` from 0, calm, to 1, stirred up; `fatigue`
    from 0, fresh, to 1, worn out; `confidence` from 0, anxious and unsure, to 1, sure of oneself.
    """

    valence: float | None = Field(default=None, ge=-1.0, le=1.0)
    arousal: float | None = Field(default=None, ge=0.0, le=1.0)
    fatigue: float | None = Field(default=None, ge=0.0, le=1.0)
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _is_said(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("at least one of the four values is needed")
        return self


class Mood(Cited):
    """How a party felt when it said this.

    `party` is whom the words are about, which need not be who is named in them. What points both
    ways is two proposals, one for each. `scorer` is the id and the version of what scored them.
    """

    kind: Literal["mood"] = "mood"
    party: Party
    felt: Felt
    intensity: Strength = "moderate"
    scorer: str | None = Field(default=None, pattern=r"^[a-z0-9._/-]{1,64}$")


class EpisodeBoundary(Cited):
    """A new episode begins with the latest of the cited turns; the others came before it."""

    kind: Literal["episode_boundary"] = "episode_boundary"
    signs: tuple[BoundarySign, ...] = Field(default=(), max_length=6)


class SummarySentence(Frozen):
    """One sentence of a summary. `cites` are places in the proposal's citations, from 0."""

    words: Wording
    cites: tuple[Annotated[int, Field(ge=0, le=15)], ...] = Field(min_length=1, max_length=16)


class EpisodeSummary(Cited):
    """What an episode was about, in a few sentences that each rest on texts of it."""

    kind: Literal["episode_summary"] = "episode_summary"
    sentences: tuple[SummarySentence, ...] = Field(min_length=1, max_length=8)


Proposal = (
    Signal
    | Belief
    | BeliefConfirmation
    | BeliefRetraction
    | Promise
    | PromiseOutcome
    | PromiseConditionMet
    | OpenLoop
    | LoopOutcome
    | Consequence
    | TensionStep
    | Reflection
    | Mood
    | EpisodeBoundary
    | EpisodeSummary
)
"""Any proposal: one model per kind, told apart by `kind`."""

ANY_PROPOSAL: TypeAdapter[Proposal] = TypeAdapter(Annotated[Proposal, Field(discriminator="kind")])

CONTENT_FREE = frozenset(
    {
        "signal",
        "belief_confirmation",
        "belief_retraction",
        "promise_outcome",
        "promise_condition_met",
        "loop_outcome",
        "consequence",
        "tension_step",
        "mood",
        "episode_boundary",
    }
)
"""Kinds whose events carry no words: enums, numbers and offsets only."""


def proposal_schema() -> dict[str, Any]:
    """The JSON schema of what a model answers: an object with a list of proposals."""
    one = ANY_PROPOSAL.json_schema(ref_template="#/$defs/{model}")
    definitions = one.pop("$defs")
    for model in definitions.values():
        # A default, but without it the kinds cannot be told apart.
        if "kind" in model["properties"]:
            model["required"].append("kind")
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["proposals"],
        "properties": {"proposals": {"type": "array", "items": one}},
        "$defs": definitions,
    }


class ReadText(Frozen):
    """A standing text as a proposer sees it.

    `place` is that of its turn on the path, counted from 1. `shown`: it is there only for what came
    before the others; nothing is asked about it.
    """

    number: int
    turn: int
    role: Role
    speaker: str
    name: str
    content: str
    happened: Moment | None = None
    place: int = 0
    shown: bool = False


@runtime_checkable
class Proposer(Protocol):
    """Reads texts, returns proposals, never writes.

    `name` and `version` say who proposed; a batch of texts is read once per name and version.
    One that has an attribute `looks_back` is shown the texts of so many turns before as well.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def propose(self, texts: list[ReadText]) -> list[Proposal]: ...
