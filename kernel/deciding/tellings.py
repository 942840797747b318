"""Tellings: which recorded beliefs say one and the same thing, as numbers.

A belief may be told often, and any of the tellings may fall or be erased. What speaks of the belief
(a confirmation, a retraction) therefore names each telling of it that was recorded first, with the
dates that were given; a later telling names that first one. Numbers carry no content, so they may
stay where the words are gone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from enishi.kernel.stream import Stream
from enishi.kernel.words.vocabulary import compared, normalised

_Thing = tuple[str, str, str, bool]


class _First(NamedTuple):
    """The first telling of a thing with these dates."""

    number: int
    since: str
    until: str


class _Known:
    """The first tellings of everything, of the first `read` recorded beliefs.

    Of what was erased nothing is known any more; `erased` is how many numbers that were.
    """

    def __init__(self, erased: int) -> None:
        self.read, self.erased = 0, erased
        self.firsts: dict[_Thing, list[_First]] = {}


def with_tellings(stream: Stream, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload of what is about to be recorded, with the tellings that it has to name."""
    if kind == "BeliefStated":
        known = _known(stream).firsts.get(_thing(payload), ())
        same = [first.number for first in known if first[1:] == _dates(payload)]
        return {**payload, "same_as": same[0]} if same else payload
    if kind in ("BeliefConfirmed", "BeliefRetracted"):
        told = stream.payload(payload["belief"])
        if told is None:
            return payload
        known = _known(stream).firsts.get(_thing(told), ())
        named = sorted(first.number for first in known if _overlap(first, _dates(told)))
        return {**payload, "tellings": named} if named != [payload["belief"]] else payload
    return payload


def without_tellings(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload as it was before `with_tellings`."""
    return {name: value for name, value in payload.items() if name not in ("same_as", "tellings")}


def tellings_fit(stream: Stream, number: int, payload: dict[str, Any]) -> bool:
    """Whether what an event names are earlier tellings of its own thing, or are gone."""
    named = [*payload.get("tellings", ()), *([payload["same_as"]] if "same_as" in payload else ())]
    if not named:
        return True
    told = payload if "same_as" in payload else stream.payload(payload.get("belief", number))
    if not all(0 <= n < number and stream.record(n).header.type == "BeliefStated" for n in named):
        return False
    others = stream.payloads(named).values()
    return told is None or all(_thing(other) == _thing(told) for other in others)


def _known(stream: Stream) -> _Known:
    erased = len(stream.history.erased)
    known: _Known | None = stream.kept.get(_Known)
    if known is None or known.erased != erased:
        known = stream.kept[_Known] = _Known(erased)
    recorded = stream.history.all("BeliefStated")
    if known.read < len(recorded):
        for number, payload in stream.payloads(recorded[known.read :]).items():
            firsts = known.firsts.setdefault(_thing(payload), [])
            if all(first[1:] != _dates(payload) for first in firsts):
                firsts.append(_First(payload.get("same_as", number), *_dates(payload)))
        known.read = len(recorded)
    return known


def _thing(payload: dict[str, Any]) -> _Thing:
    value = compared(payload["value"]).same
    return normalised(payload["subject"]), payload["key"], value, payload.get("polarity", True)


def _dates(payload: dict[str, Any]) -> tuple[str, str]:
    return payload.get("valid_from") or "", payload.get("valid_until") or ""


def _overlap(first: _First, dates: tuple[str, str]) -> bool:
    """Whether two periods may have a day in common. A date stands for all days that it begins."""
    since, until = dates
    return (not until or first.since[: len(until)] <= until) and (
        not first.until or since[: len(first.until)] <= first.until
    )
