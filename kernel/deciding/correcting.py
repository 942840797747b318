"""The user's own word on what was derived: right, wrong, or another value. Each is an event."""

from __future__ import annotations

from typing import Any, Literal

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.tellings import with_tellings
from enishi.kernel.errors import Conflict, InvalidInput, NotFound
from enishi.kernel.events import payload_of
from enishi.kernel.recording import restore, withdraw
from enishi.kernel.stream import Draft, Stream

# Nothing was said in a text: the user's word in the host's interface is the evidence.
_BY_HAND: dict[str, Any] = {"by": "user", "spans": [], "sentence": [], "voices": ["user"]}

DERIVED = frozenset(
    {
        "SignalAccepted", "BeliefStated", "BeliefConfirmed", "BeliefRetracted", "PromiseMade",
        "PromiseEnded", "PromiseConditionMet", "LoopOpened", "LoopEnded", "ConsequenceFollowed",
        "TensionMoved", "ReflectionMade", "MoodObserved",
    }
)  # fmt: skip
"""What can be right or wrong. What was said is edited or withdrawn instead."""


def correct(
    stream: Stream,
    branch: int,
    number: int,
    word: Literal["right", "wrong"],
    value: str | None = None,
) -> list[int]:
    """Record what the user says of a derived event. Returns the numbers of what was recorded.

    A belief that is right is confirmed, which is newer than whatever had taken it back; one that is
    wrong is retracted, and where the user gives another `value`, that one is stated in its place.
    What was said so by hand on this branch is withdrawn where the belief is right after all. Any other event that is wrong is withdrawn, and one that is
    right after all is restored. Needs `writing`.
    """
    if word not in ("right", "wrong"):
        raise InvalidInput(f"an event is right or wrong, not {word!r}")
    if value is not None:
        if word == "right":
            raise InvalidInput("what is right has no other value; with a value it is wrong")
        if not check_id(value, "a value").strip():
            raise InvalidInput("a value is not blank")
    if not 0 <= number < len(stream.history):
        raise NotFound(f"there is no number {number}")
    kind = stream.record(number).header.type
    if kind not in DERIVED:
        raise InvalidInput(f"number {number} ({kind}) was not derived; edit or withdraw it instead")
    if kind == "BeliefStated":
        return _belief(stream, branch, number, word, value)
    if value is not None:
        raise InvalidInput(f"number {number} ({kind}) has no value that could be another one")
    if word == "wrong":
        return [withdraw(stream, branch, [number], by="user")]
    if not stream.history.withdrawn.get(number, False):
        raise Conflict(f"number {number} was not said to be wrong")
    return [restore(stream, branch, [number], by="user")]


def _belief(stream: Stream, branch: int, number: int, word: str, value: str | None) -> list[int]:
    if word == "right":
        against = _said_against(stream, branch, number)
        taken_back = [withdraw(stream, branch, against, by="user")] if against else []
        return [*taken_back, _by_hand(stream, branch, "BeliefConfirmed", number, belief=number)]
    recorded = [_by_hand(stream, branch, "BeliefRetracted", number, belief=number)]
    if value is not None:
        before = stream.payload(number)
        if before is None:
            raise NotFound(f"belief {number} has been erased")
        kept = {key: before[key] for key in ("subject", "key", "category") if key in before}
        stated = _by_hand(stream, branch, "BeliefStated", number, value=value, **kept)
        recorded.append(stated)
    return recorded


def _said_against(stream: Stream, branch: int, number: int) -> list[int]:
    """What the user said on this branch against a belief, and did not take back."""
    history, standing = stream.history, stream.standing(branch)
    said = [*history.all("BeliefRetracted"), *history.all("BeliefStated")]
    by_hand = [n for n in said if n in standing and not history.causes_of(n)]
    headers = [stream.record(n).header for n in by_hand]
    return sorted(h.number for h in headers if h.targets == (number,) and h.branch == branch)


def _by_hand(stream: Stream, branch: int, kind: str, target: int, **fields: Any) -> int:
    tip = stream.history.branches[branch].tip
    payload = with_tellings(stream, kind, payload_of(kind, **_BY_HAND, **fields))
    return stream.append(Draft(kind, payload, tip, branch, targets=(target,), happened=stream.now))
