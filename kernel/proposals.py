"""What a proposer may suggest: the vocabulary that models, rules and hosts fill.

A proposal carries meaning and citations, never numbers for the state.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from enishi.kernel.moments import Moment

Role = Literal["user", "agent", "other"]
"""Who speaks, seen from the relationship: its user, its agent, or somebody else."""

Strength = Literal["weak", "moderate", "strong"]

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


class Frozen(BaseModel):
    """The base of all models here: immutable, and nothing unknown passes unnoticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Citation(Frozen):
    """The exact span that a proposal rests on.

    `start` and `end` (exclusive) count code points of the text as received. `quote` repeats the
    cited words where the proposer has them; the kernel compares it with the text to the letter.
    A proposer that knows only the words may leave `start` and `end` out.
    """

    text: int = Field(ge=0, description="number of the cited text")
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    quote: str | None = Field(default=None, max_length=4000)


class Signal(Frozen):
    """One thing that somebody did towards the other, as words show it.

    `actor` is who acted, which need not be who speaks. `confidence` runs from 0 to 1; it can
    lower what a proposal may do and never raises it.
    """

    kind: Literal["signal"] = "signal"
    signal: SignalKind
    actor: Literal["user", "agent"]
    strength: Strength = "moderate"
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    citations: tuple[Citation, ...] = Field(min_length=1, max_length=16)


Proposal = Signal
"""Any proposal: one model per kind, told apart by `kind`."""


class ReadText(Frozen):
    """A standing text as a proposer sees it."""

    number: int
    turn: int
    role: Role
    speaker: str
    name: str
    content: str
    happened: Moment | None = None


@runtime_checkable
class Proposer(Protocol):
    """Reads texts, returns proposals, never writes.

    `name` and `version` say who proposed; a batch of texts is read once per name and version.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def propose(self, texts: list[ReadText]) -> list[Proposal]: ...
