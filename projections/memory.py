"""Memory: how often replies made use of what recall had offered them, as their hosts reported.

Reading never counts. A reply counts once for each thing, and no more than MOST replies count.
"""

from __future__ import annotations

from enishi.kernel.fold import Event, Projection, Reason, State

MOST = 8
"""So many replies that made use of one thing count; more of them change nothing."""


def _initial() -> State:
    return {"used": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    used = state["used"]
    for number in dict.fromkeys(event.payload["used"]):
        before = used.get(str(number), 0)
        if before < MOST:
            used[str(number)] = before + 1
            if trace is not None:
                trace.append(Reason(event.number, str(number), 1, before + 1))


MEMORY = Projection("memory", 1, frozenset({"RecallUsed"}), _initial, _apply)
"""`used` maps the numbers of events to how many replies made use of them."""
