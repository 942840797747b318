"""What a reply had been offered, and what it made use of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from enishi.kernel.errors import Conflict, InvalidInput
from enishi.kernel.events import payload_of
from enishi.kernel.explaining import why_not
from enishi.kernel.history import KINDS
from enishi.kernel.stream import Draft, Stream
from enishi.kernel.transcript import turn_view
from enishi.projections.recall.holding import Seen, promised, seen_on, stated
from enishi.projections.recall.index import words_of
from enishi.projections.recall.items import Item


@dataclass(frozen=True, slots=True)
class Offered:
    """One thing that a prompt had offered. `words` are None where they are gone or there are none;
    `why_not` says why it does not count any more.
    """

    number: int
    type: str
    words: str | None
    used: bool
    why_not: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """What the chosen reply of a turn was offered. `reply` is None where there is no reply.

    `recalled` is what recall answers for that turn, of what had happened by then, as all of it stands
    now; the host may have offered more or less, and what was said may have been changed since.
    """

    turn: int
    query: str
    reply: int | None
    offered: tuple[Offered, ...]
    recalled: tuple[Item, ...] = ()

    @property
    def used(self) -> tuple[int, ...]:
        """The numbers of what the reply made use of, as its host said."""
        return tuple(one.number for one in self.offered if one.used)


def trace(stream: Stream, branch: int, turn: int) -> Trace:
    """What was offered to the reply of a turn, and used. Needs `reading`."""
    view = turn_view(stream, branch, turn)
    query = "\n".join(message.content or "" for message in view.messages)
    if view.reply is None:
        return Trace(turn, query, None, ())
    root = view.reply.root
    given = (stream.payload(root) or {}).get("given", ())
    standing, kinds = stream.standing(branch), stream.history.kind
    reports = [n for n in stream.history.all("RecallUsed") if n in standing]
    reports = [n for n in reports if stream.history.causes_of(n) == (root,)]
    used = {number for one in stream.payloads(reports).values() for number in one["used"]}
    payloads, seen = stream.payloads(sorted(given)), seen_on(stream, branch)
    offered = (
        Offered(
            number=number,
            type=KINDS[kinds[number]] if kinds[number] < len(KINDS) else "unknown",
            words=_words(KINDS[kinds[number]], payloads[number], seen)
            if number in payloads
            else None,
            used=number in used,
            why_not=why_not(stream, standing, number),
        )
        for number in given
    )
    return Trace(turn, query, root, tuple(offered))


def _words(type_name: str, payload: dict[str, Any], seen: Seen) -> str | None:
    if type_name == "BeliefStated":
        subject, key, value = (str(payload[name]) for name in ("subject", "key", "value"))
        return stated(subject, key, value, payload.get("polarity", True), seen)
    if type_name == "PromiseMade":
        return promised(payload["promiser"], payload["act"], seen)
    return words_of(type_name, payload)


def report_used(stream: Stream, branch: int, turn: int, numbers: Iterable[int]) -> int:
    """Record which of the offered things the reply of a turn made use of. Needs `writing`.

    It rests on that reply: swiped away, it does not count. What the reply was not given is
    InvalidInput.
    """
    found = trace(stream, branch, turn)
    if found.reply is None:
        raise Conflict(f"turn {turn} has no reply that could have made use of anything")
    used = sorted(set(numbers))
    strange = sorted(set(used) - {one.number for one in found.offered})
    if strange or not used:
        what = f"was not given number {strange[0]}" if strange else "used nothing that was named"
        raise InvalidInput(
            f"the reply {found.reply} {what}; `enishi recall --trace {turn}` lists what it was given"
        )
    payload = payload_of("RecallUsed", used=used)
    return stream.append(
        Draft("RecallUsed", payload, turn, branch, (found.reply,), happened=stream.now)
    )
