"""Why an event is there and whether it counts: from the event down to the quoted words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from enishi.kernel.errors import NotFound
from enishi.kernel.history import History, kind_code
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import Text, text_of

_REPLY = kind_code("ReplyGiven")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that an event cites: `start` and `end` in code points; None where they are erased."""

    text: int
    start: int
    end: int
    words: str | None
    speaker: str
    happened: Moment | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One record explained. `why_not` says why it does not stand; None where it does.

    `on_erased` is whether it rests on words that were erased since, `partial` whether it rests on
    something that was withheld from this store.
    """

    number: int
    type: str
    turn: int | None
    happened: Moment | None
    recorded: Moment
    payload: dict[str, Any] | None
    why_not: str | None
    text: Text | None
    quotes: tuple[Quote, ...]
    rests_on: tuple[int, ...]
    carries: tuple[int, ...]
    on_erased: bool
    partial: bool


@dataclass(frozen=True, slots=True)
class RecordView:
    """One record at a glance; `why_not` is None where it counts.

    `on_erased` is whether it rests on words that were erased since, `partial` whether it rests on
    something that was withheld from this store.
    """

    number: int
    type: str
    turn: int | None
    happened: Moment | None
    why_not: str | None
    on_erased: bool
    partial: bool


def record_views(stream: Stream, branch: int) -> list[RecordView]:
    """Every record of the relationship, as seen from a branch. Needs `reading`."""
    standing = stream.standing(branch)
    return [
        RecordView(
            number=header.number,
            type=header.type,
            turn=header.turn,
            happened=header.moment,
            why_not=why_not(stream, standing, header.number),
            on_erased=stream.history.rests_on_erased(header.number),
            partial=stream.is_partial(header.number),
        )
        for header in stream.log.headers(stream.line.line)
    ]


def explain(stream: Stream, branch: int, number: int) -> Explanation:
    """Explain one record as seen from a branch, or NotFound. Needs `reading`."""
    history = stream.history
    if not 0 <= number < len(history):
        raise NotFound(f"there is no number {number}; the last is {len(history) - 1}")
    record = stream.record(number)
    payload = stream.payload(number)
    if payload is not None:
        payload = {key: value for key, value in payload.items() if not isinstance(value, bytes)}
    return Explanation(
        number=number,
        type=record.header.type,
        turn=record.header.turn,
        happened=record.header.moment,
        recorded=Moment(record.header.recorded),
        payload=payload,
        why_not=why_not(stream, stream.standing(branch), number),
        text=text_of(stream, branch, number) if stream.is_text(number) else None,
        quotes=quotes(stream, branch, payload),
        rests_on=tuple(n for n in record.header.causes if n != record.header.turn),
        carries=tuple(_dependants(history, number)),
        on_erased=history.rests_on_erased(number),
        partial=stream.is_partial(number),
    )


def quotes(stream: Stream, branch: int, payload: dict[str, Any] | None) -> tuple[Quote, ...]:
    """The words that an event's spans cite."""
    found = []
    for text, start, end in (payload or {}).get("spans", ()):
        cited = text_of(stream, branch, text)
        words = None if cited.content is None else cited.content[start:end]
        found.append(Quote(text, start, end, words, cited.name, cited.happened))
    return tuple(found)


def why_not(stream: Stream, standing: Standing, number: int) -> str | None:
    """Why an event does not stand on a branch, in words; None where it stands or is an act."""
    history = stream.history
    if number in standing or number in history.acts:
        return None
    if number in history.erased and number not in history.spared:
        return "it was erased"
    if history.withdrawn.get(number, False):
        return "it was withdrawn"
    turn = history.turn[number]
    if not standing.on_path(turn):
        return f"its turn {turn} does not lie on this branch"
    if stream.is_text(number):
        root = history.root_text(number)
        chosen = standing.chosen(turn) if history.kind[root] == _REPLY else root
        if chosen != root:
            return f"another reply was chosen: {chosen}"
        wording = standing.chosen(root, default=root)
        if wording != number:
            return f"another wording was chosen: {wording}"
    for cause in history.causes_of(number):
        if not standing.carries(cause, number):
            return f"it rests on {cause}, and {why_not(stream, standing, cause)}"
    if number in history.spared:
        return "its words were erased"
    return "it was said on another branch"


def _dependants(history: History, number: int) -> list[int]:
    """What rests on an event directly."""
    own_turn = history.turn[number] == number
    direct = history.dependants(number)
    if own_turn:
        direct += [n for n in history.events_of(number) if number in history.causes_of(n)]
    return sorted(set(direct))
