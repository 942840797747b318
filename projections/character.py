"""Character: the card in force, and what the agent thought of what happened.

A reflection is never rewritten. One that corrects or reinterprets an earlier one is appended and
names it; all that hang together so are one train of thought, whose newest is current. What the
agent keeps to itself is not there for the user: neither its words, nor its number in another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.fold import Event, Projection, Reason, State
from enishi.kernel.moments import Moment, moment_of_plain, plain_moment

READS = frozenset({"BlueprintAdopted", "ReflectionMade"})


def _initial() -> State:
    return {"blueprint": None, "reflections": [], "index": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    payload = event.payload
    if event.type == "BlueprintAdopted":
        state["blueprint"] = {
            "number": event.number,
            "name": payload["name"],
            "spec": payload["spec"],
        }
    elif event.type == "ReflectionMade":
        earlier = _known(state, payload.get("revises"))
        state["index"][str(event.number)] = len(state["reflections"])
        state["reflections"].append(
            {
                "number": event.number,
                "event": payload["event"],
                "words": payload["words"],
                "audience": payload.get("audience", "agent"),
                "revises": earlier["number"] if earlier else None,
                "train": earlier["train"] if earlier else event.number,
                "moment": plain_moment(event.moment),
                "spans": payload["spans"],
            }
        )


CHARACTER = Projection("character", 1, READS, _initial, _apply)
"""`reflections` come by place; `index` leads from a number there. `train` is the number of the
reflection with which its train of thought began."""


def _known(state: State, number: int | None) -> Any:
    place = state["index"].get(str(number))
    return None if place is None else state["reflections"][place]


@dataclass(frozen=True, slots=True)
class BlueprintView:
    """The card that the character is played from: its name, and the card format's."""

    number: int
    name: str
    spec: str


@dataclass(frozen=True, slots=True)
class ReflectionView:
    """One thought on the event `event`. `current`: the newest of its train of thought.

    `revises` and `revised_by` name only what the asked audience may see.
    """

    number: int
    event: int
    words: str
    audience: Audience
    made: Moment | None
    revises: int | None
    revised_by: tuple[int, ...]
    current: bool
    spans: tuple[tuple[int, ...], ...]


def blueprint(state: State) -> BlueprintView | None:
    """The card in force, or None where none was adopted."""
    found = state["blueprint"]
    if found is None:
        return None
    return BlueprintView(found["number"], found["name"], found["spec"])


def reflections(state: State, audience: Audience) -> list[ReflectionView]:
    """The reflections that an audience may see, by place: the agent all, the user those for it."""
    seen = [entry for entry in state["reflections"] if audience in ("agent", entry["audience"])]
    numbers = {entry["number"] for entry in seen}
    newest = {entry["train"]: entry["number"] for entry in seen}
    revises = {entry["number"]: _seen_before(state, entry, numbers) for entry in seen}
    revised_by: dict[int | None, list[int]] = {}
    for number, earlier in revises.items():
        revised_by.setdefault(earlier, []).append(number)
    return [
        ReflectionView(
            number=entry["number"],
            event=entry["event"],
            words=entry["words"],
            audience=entry["audience"],
            made=moment_of_plain(entry["moment"]),
            revises=revises[entry["number"]],
            revised_by=tuple(revised_by.get(entry["number"], ())),
            current=newest[entry["train"]] == entry["number"],
            spans=tuple(map(tuple, entry["spans"])),
        )
        for entry in seen
    ]


def _seen_before(state: State, entry: dict[str, Any], numbers: set[int]) -> int | None:
    """The nearest reflection that this one goes back to, of those with these numbers."""
    earlier = _known(state, entry["revises"])
    while earlier is not None and earlier["number"] not in numbers:
        earlier = _known(state, earlier["revises"])
    return None if earlier is None else earlier["number"]
