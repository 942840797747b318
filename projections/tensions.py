"""Tensions: what the agent's replies brought about between the two, and where each of it stands.

Harm, refusal, anger, a boundary, lost trust, distance, an ending, a refused repair and a quarrel
open a tension. Comfort and an attempt at repair are consequences too, and open none.

Only what somebody says of it moves a tension:

- `addressed` by either: addressed_unresolved.
- `reconciled`: mutually_reconciled once such steps together rest on the words of both; until then
  addressed_unresolved, for forgiveness binds no one but the one who forgives.
- `boundary_stabilized`: so, if the agent's own words say it, else addressed_unresolved. A boundary
  that holds waits for no reconciliation; the relationship may still end.
- `ended`: relationship_ended, by either's words and without the other's consent.
- `superseded`: something agreed later stands in its place.

Reconciled, ended and superseded are final: a relapse is a consequence of its own, which names the
old one and leaves it as it was. Somebody else's words move nothing; nor do time, silence and warm
words, which this fold does not even read. It reads neither feelings nor the character's card: to
be in character and to hurt are two judgements.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from enishi.kernel.deciding.proposals import Effect, Party, Role, TensionOutcome
from enishi.kernel.fold import Event, Projection, Reason, State
from enishi.kernel.moments import Moment, moment_of_plain, plain_moment

TensionState = Literal[
    "unaddressed",
    "addressed_unresolved",
    "mutually_reconciled",
    "boundary_stabilized",
    "relationship_ended",
    "superseded",
]

OPENING: frozenset[Effect] = frozenset(
    {
        "harm",
        "refusal",
        "anger",
        "boundary",
        "trust_lost",
        "distance",
        "ending",
        "repair_refused",
        "quarrel",
    }
)
"""The effects that open a tension."""

FINAL: frozenset[TensionState] = frozenset(
    {"mutually_reconciled", "relationship_ended", "superseded"}
)
"""The states that no later step changes."""

OPEN: frozenset[TensionState] = frozenset({"unaddressed", "addressed_unresolved"})
"""The states of a tension that is not settled in any way."""

READS = frozenset({"ConsequenceFollowed", "TensionMoved"})

_BOTH = {"user", "agent"}


def _initial() -> State:
    return {"followed": [], "index": {}, "read": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    if event.type == "ConsequenceFollowed":
        _follow(state, event)
    elif event.type == "TensionMoved":
        _move(state, event)


TENSIONS = Projection("tensions", 1, READS, _initial, _apply)
"""`followed` has one entry for each consequence, by place; `index` leads there from its number,
and `read` from its effect, bearer and sentence."""


def _follow(state: State, event: Event) -> None:
    payload, followed = event.payload, state["followed"]
    effect, bearer = payload["effect"], payload["bearer"]
    old = _known(state, payload.get("relapse_of"))
    # Read twice, a sentence tells of one consequence; either number leads to it.
    key = f"{effect} {bearer} {_sentence(payload)}"
    place = state["index"][str(event.number)] = state["read"].setdefault(key, len(followed))
    if place < len(followed):
        return
    followed.append(
        {
            "number": event.number,
            "effect": effect,
            "bearer": bearer,
            "state": "unaddressed" if effect in OPENING else None,
            "moment": plain_moment(event.moment),
            "relapse_of": old["number"] if old and old["state"] else None,
            "steps": [],
            "spans": payload["spans"],
        }
    )


def _move(state: State, event: Event) -> None:
    entry, payload = _known(state, event.payload["consequence"]), event.payload
    if entry is None or entry["state"] is None or entry["state"] in FINAL:
        return
    said = {
        "outcome": payload["outcome"],
        "voices": sorted(set(payload["voices"])),
        "sentence": _sentence(payload),
    }
    twice = any(said.items() <= step.items() for step in entry["steps"])
    if twice or _BOTH.isdisjoint(said["voices"]):
        return
    entry["steps"].append({**said, "number": event.number, "moment": plain_moment(event.moment)})
    entry["state"] = _moved(entry)


def _moved(entry: dict[str, Any]) -> TensionState:
    """The state after the newest step."""
    state: TensionState = entry["state"]
    outcome, voices = entry["steps"][-1]["outcome"], entry["steps"][-1]["voices"]
    if outcome == "ended":
        return "relationship_ended"
    if state == "boundary_stabilized":
        return state
    if outcome == "superseded":
        return "superseded"
    if outcome == "boundary_stabilized" and "agent" in voices:
        return "boundary_stabilized"
    if outcome == "reconciled" and _reconciled(entry) >= _BOTH:
        return "mutually_reconciled"
    return "addressed_unresolved"


def _reconciled(entry: dict[str, Any]) -> set[str]:
    """Whose words have spoken of reconciliation so far."""
    steps = (step["voices"] for step in entry["steps"] if step["outcome"] == "reconciled")
    return set().union(*steps)


def _known(state: State, number: int | None) -> Any:
    place = state["index"].get(str(number))
    return None if place is None else state["followed"][place]


def _sentence(payload: dict[str, Any]) -> str:
    """The text and the start of the sentence that an event rests on."""
    place = [*(span[0] for span in payload["spans"][-1:]), *payload["sentence"][:1]]
    return ":".join(map(str, place))


@dataclass(frozen=True, slots=True)
class ConsequenceView:
    """One effect that a reply had, on whom, and when. `tension` tells whether it opened one."""

    number: int
    effect: Effect
    bearer: Party
    followed: Moment | None
    tension: bool
    relapse_of: int | None
    spans: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """One event that spoke of a tension, and whose words it rests on."""

    number: int
    outcome: TensionOutcome
    moment: Moment | None
    voices: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class TensionView:
    """Where a tension stands, and the steps that led there. `relapses` came after it.

    `on_erased` are those of its events that rest on words that were erased.
    """

    number: int
    effect: Effect
    bearer: Party
    state: TensionState
    opened: Moment | None
    steps: tuple[StepView, ...]
    relapse_of: int | None
    relapses: tuple[int, ...]
    spans: tuple[tuple[int, ...], ...]
    on_erased: tuple[int, ...] = ()


def consequences(state: State) -> list[ConsequenceView]:
    """Every consequence, also those that open no tension, by place."""
    return [
        ConsequenceView(
            number=entry["number"],
            effect=entry["effect"],
            bearer=entry["bearer"],
            followed=moment_of_plain(entry["moment"]),
            tension=entry["state"] is not None,
            relapse_of=entry["relapse_of"],
            spans=tuple(map(tuple, entry["spans"])),
        )
        for entry in state["followed"]
    ]


def tensions(state: State) -> list[TensionView]:
    """Every tension that was ever opened, by place, in its current state."""
    relapses: dict[int, list[int]] = {}
    opened = [entry for entry in state["followed"] if entry["state"]]
    for entry in opened:
        relapses.setdefault(entry["relapse_of"], []).append(entry["number"])
    return [
        TensionView(
            number=entry["number"],
            effect=entry["effect"],
            bearer=entry["bearer"],
            state=entry["state"],
            opened=moment_of_plain(entry["moment"]),
            steps=tuple(
                StepView(
                    number=step["number"],
                    outcome=step["outcome"],
                    moment=moment_of_plain(step["moment"]),
                    voices=tuple(step["voices"]),
                )
                for step in entry["steps"]
            ),
            relapse_of=entry["relapse_of"],
            relapses=tuple(relapses.get(entry["number"], ())),
            spans=tuple(map(tuple, entry["spans"])),
        )
        for entry in opened
    ]


def open_tensions(views: Iterable[TensionView]) -> list[TensionView]:
    """Those that are neither settled nor over: unaddressed or addressed_unresolved."""
    return [view for view in views if view.state in OPEN]
