"""Rapport: the agent's stance towards the user, in five dimensions from 0 to 1.

What a signal does comes from the policy; on top, so that closeness is lived and not farmed:

- trust and safety rise only by what the user does, and never on the agent's own words;
- the n-th same signal of a local day counts 1/n;
- a shared experience that was told before, or whose words look back, counts as a remembrance;
- per cited sentence and dimension only the strongest counts;
- per dimension and local day, gains and losses end at the policy's limits.
"""

from __future__ import annotations

from typing import Any

from enishi.kernel.fold import Event, Projection, Reason, State
from enishi.projections.policy import ONE, Policy, bundled_policy, fits_rapport

_EARNED = ("trust", "safety")

READS = frozenset({"SignalAccepted", "PolicyAdopted", "BlueprintAdopted"})


def _initial() -> State:
    numbers = bundled_policy().rapport.model_dump()
    return {
        "values": dict(numbers["start"]),
        "policy": numbers,
        "bend": {},
        "today": _day(None),
        "shared": {},
    }


def _day(day: int | None) -> dict[str, Any]:
    """What a day has to remember: how often what was shown, what it moved, which sentences."""
    return {"day": day, "shown": {}, "gain": {}, "loss": {}, "sentences": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    if event.type == "SignalAccepted":
        _signal(state, event, trace)
    elif event.type == "PolicyAdopted":
        _adopt(state, event.payload["numbers"].get("rapport"))
    elif event.type == "BlueprintAdopted":
        state["bend"] = event.payload.get("bend", {})


def _adopt(state: State, numbers: object) -> None:
    """Numbers that do not fit (from elsewhere: here they are checked first) change nothing."""
    if not fits_rapport(numbers):
        return
    untouched = state["today"] == _day(None) and state["values"] == state["policy"]["start"]
    state["policy"] = numbers
    if untouched:
        state["values"] = dict(state["policy"]["start"])


def _signal(state: State, event: Event, trace: list[Reason] | None) -> None:
    today, day = state["today"], event.moment.day if event.moment else None
    # A journey west can turn the calendar back; a day that is over stays over.
    if day is not None and (today["day"] is None or day > today["day"]):
        today = state["today"] = _day(day)
    payload, policy = event.payload, state["policy"]
    shown = payload["signal"]
    if shown == "shared_experience" and _is_remembered(state["shared"], event):
        shown = "remembrance"
    kind = f"{shown} {payload['actor']}"
    sentence = _sentence(today, payload)
    rank = sentence["ranks"].get(kind)
    if rank is None:
        rank = today["shown"][kind] = sentence["ranks"][kind] = today["shown"].get(kind, 0) + 1
    strength, bend_of = policy["strength"][payload["strength"]], state["bend"].get
    values, limits, peaks = state["values"], policy["day"], sentence["peaks"]
    parts = rank * ONE * ONE
    for dimension, figure in policy["signals"][shown].items():
        wanted = _divide(figure * strength * bend_of(dimension, ONE), parts)
        if dimension in _EARNED and not _earns(payload, wanted):
            continue
        peak, given = peaks.get(dimension, (0, 0))
        if abs(wanted) <= abs(peak):
            continue
        # The stronger replaces the weaker: what that one gave is taken out of it.
        change = _limited(today, limits, dimension, values[dimension], wanted - given)
        peaks[dimension] = [wanted, given + change]
        if change:
            values[dimension] += change
            if trace is not None:
                trace.append(Reason(event.number, dimension, change, values[dimension]))


def _is_remembered(shared: dict[str, int], event: Event) -> bool:
    """Whether a shared experience is one that was told before, wherever it was recorded.

    `shared` has each that counted in full, and those that it names, with the number of the former.
    """
    number, retells = event.number, event.payload.get("retells", ())
    if event.payload.get("looks_back", False):
        return True
    if shared.get(str(number), number) != number:
        return True
    if any(shared.get(str(other)) == other for other in retells):
        return True
    for other in retells:
        shared.setdefault(str(other), number)
    shared[str(number)] = number
    return False


def _earns(payload: dict[str, Any], wanted: int) -> bool:
    """Trust and safety follow what the user did; a rise also needs words not the agent's own."""
    return payload["actor"] == "user" and (wanted < 0 or payload["voices"] == ["user"])


def _sentence(today: dict[str, Any], payload: dict[str, Any]) -> dict[str, Any]:
    place = f"{payload['spans'][-1][0]}:{payload['sentence'][0]}"
    found: dict[str, Any] | None = today["sentences"].get(place)
    if found is None:
        found = today["sentences"][place] = {"ranks": {}, "peaks": {}}
    return found


def _limited(
    today: dict[str, Any], limits: dict[str, int], dimension: str, value: int, change: int
) -> int:
    """What is left of a change of a value within the day's limits and within 0 and 1."""
    side, wanted, room = ("gain", change, ONE - value) if change > 0 else ("loss", -change, value)
    moved: dict[str, int] = today[side]
    before = moved.get(dimension, 0)
    size = max(0, min(wanted, room, limits[side] - before))
    moved[dimension] = before + size
    return size if change > 0 else -size


def _divide(number: int, by: int) -> int:
    """Integer division towards zero, so that a gain and a loss of one size stay one size."""
    return number // by if number >= 0 else -(-number // by)


RAPPORT = Projection("rapport", 2, READS, _initial, _apply)


def rapport_under(policy: Policy) -> Projection:
    """Rapport as it would be under this policy from the first day on."""
    numbers = policy.numbers()["rapport"]

    def initial() -> State:
        return {**_initial(), "values": dict(numbers["start"]), "policy": numbers}

    return Projection("rapport", 2, READS - {"PolicyAdopted"}, initial, _apply)
