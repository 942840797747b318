"""Tellings: which recorded beliefs say one and the same thing, as numbers.

A belief may be told often, and any of the tellings may fall or be erased. What speaks of the belief
(a confirmation, a retraction) therefore names each telling of it that was recorded first, with the
dates that were given; a later telling names that first one. What tells of a happening, a belief of
that category or a shared experience, also names all that were recorded before it and tell of the
same in other words. Numbers carry no content, so they may stay where the words are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from enishi.kernel.history import KINDS, kind_code
from enishi.kernel.stream import Stream
from enishi.kernel.words.happenings import (
    Happening,
    Sentence,
    days_meet,
    happening_of,
    same_happening,
)
from enishi.kernel.words.sentences import sentence_at
from enishi.kernel.words.vocabulary import compared, normalised

_Thing = tuple[str, str, str, bool]

_ADDED = ("same_as", "tellings", "retells", "looks_back")
"""What `with_tellings` may add to a payload."""


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
    if _slot(kind, payload) is not None:
        payload = {**payload, **_as_happening(stream, kind, payload)}
    if kind == "BeliefStated":
        known = _known(stream).firsts.get(_thing(payload), ())
        same = [first.number for first in known if first[1:] == _dates(payload)]
        return {**payload, "same_as": same[0]} if same else payload
    if kind in ("BeliefConfirmed", "BeliefRetracted"):
        told = stream.payload(payload["belief"])
        if told is None:
            return payload
        known = _known(stream).firsts.get(_thing(told), ())
        same = [first.number for first in known if days_meet(first[1:], _dates(told))]
        if _slot("BeliefStated", told) is not None:
            same += _told(stream).links.get(payload["belief"], ())
        named = sorted(set(same))
        return {**payload, "tellings": named} if named != [payload["belief"]] else payload
    return payload


def without_tellings(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload as it was before `with_tellings`."""
    return {name: value for name, value in payload.items() if name not in _ADDED}


def tellings_fit(stream: Stream, number: int, payload: dict[str, Any]) -> bool:
    """Whether what an event names are earlier tellings of its own thing, or are gone.

    The words that it cites itself must be there.
    """
    named = [*payload.get("tellings", ()), *([payload["same_as"]] if "same_as" in payload else ())]
    if named:
        told = payload if "same_as" in payload else stream.payload(payload.get("belief", number))
        if not _are_earlier(stream, number, named, "BeliefStated"):
            return False
        others = stream.payloads(named).values()
        if told is not None and any(_thing(other) != _thing(told) for other in others):
            return False
    return _happening_fits(stream, number, payload)


def _are_earlier(stream: Stream, number: int, named: Sequence[int], kind: str) -> bool:
    kinds, code = stream.history.kind, kind_code(kind)
    return all(0 <= n < number and kinds[n] == code for n in named)


def _happening_fits(stream: Stream, number: int, payload: dict[str, Any]) -> bool:
    """Whether what an event says it tells again is the same happening, and whether it looks back."""
    kind, named = KINDS[stream.history.kind[number]], payload.get("retells", ())
    slot = _slot(kind, payload)
    if slot is None:
        return not named and "looks_back" not in payload
    telling = _telling(stream, number, payload)
    looks_back = kind == "SignalAccepted" and telling.happening.looks_back
    if payload.get("looks_back", False) != looks_back:
        return False
    if not _are_earlier(stream, number, named, kind):
        return False
    for other, its in stream.payloads(sorted(named)).items():
        # Of words that are gone nobody can say any more what they told.
        there = all(stream.payload(text) is not None for text, _, _ in its["spans"])
        if _slot(kind, its) != slot:
            return False
        if there and not same_happening(telling.happening, _telling(stream, other, its).happening):
            return False
    return True


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


# Happenings

_Slot = tuple[str, ...]
"""Only tellings of one slot may tell of the same: of the two together, or of one subject."""


class _Telling(NamedTuple):
    """One telling of a happening. `place` is the text and the start of the sentence it rests on."""

    number: int
    place: tuple[int, int] | None
    happening: Happening


@dataclass
class _Told:
    """All recorded tellings of happenings, by slot and word; `links` are those of the same.

    `read` says how many events of each type were looked at; of what was erased (`erased` numbers)
    nothing is known any more.
    """

    erased: int
    read: dict[str, int] = field(default_factory=dict)
    words: dict[_Slot, dict[str, list[_Telling]]] = field(default_factory=dict)
    links: dict[int, set[int]] = field(default_factory=dict)


def _as_happening(stream: Stream, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of a telling: the earlier tellings of the same, and whether it looks back."""
    known = _told(stream)
    telling = _telling(stream, len(stream.history), payload)
    found: dict[str, Any] = {}
    if same := _same(known, _slot(kind, payload), telling):
        found["retells"] = same
    if kind == "SignalAccepted" and telling.happening.looks_back:
        found["looks_back"] = True
    return found


def _same(known: _Told, slot: _Slot | None, telling: _Telling) -> list[int]:
    """The numbers of known tellings of the same. Two things of one sentence stay two."""
    words = known.words.get(slot or (), {})
    others = {
        other.number: other for word in telling.happening.what for other in words.get(word, ())
    }
    return sorted(
        number
        for number, other in others.items()
        if (telling.place is None or other.place != telling.place)
        and same_happening(telling.happening, other.happening)
    )


def _told(stream: Stream) -> _Told:
    erased = len(stream.history.erased)
    known: _Told | None = stream.kept.get(_Told)
    if known is None or known.erased != erased:
        known = stream.kept[_Told] = _Told(erased)
    for kind in ("BeliefStated", "SignalAccepted"):
        recorded = stream.history.all(kind)
        unread = recorded[known.read.get(kind, 0) :]
        for number, payload in stream.payloads(unread).items() if unread else ():
            slot = _slot(kind, payload)
            if slot is None:
                continue
            telling = _telling(stream, number, payload)
            for other in payload.get("retells", ()):
                known.links.setdefault(number, set()).add(other)
                known.links.setdefault(other, set()).add(number)
            words = known.words.setdefault(slot, {})
            for word in telling.happening.what:
                words.setdefault(word, []).append(telling)
        known.read[kind] = len(recorded)
    return known


def _slot(kind: str, payload: dict[str, Any]) -> _Slot | None:
    """Where a telling of a happening belongs; None of whatever tells of none."""
    if kind == "SignalAccepted" and payload["signal"] == "shared_experience":
        return ("shared",)
    if kind == "BeliefStated" and payload.get("category") == "occurrence":
        so = "so" if payload.get("polarity", True) else "not so"
        return normalised(payload["subject"]), payload["key"], so
    return None


def _telling(stream: Stream, number: int, payload: dict[str, Any]) -> _Telling:
    spans = payload["spans"]
    texts = stream.payloads(sorted({text for text, _, _ in spans if stream.is_text(text)}))
    said, known = [], {stream.line.user, stream.line.agent}
    for text, start, end in spans:
        told = texts.get(text)
        if told is not None:
            known |= {told[name] for name in ("speaker", "name") if name in told}
            first, last = sentence_at(told["content"], start, end)
            moment = stream.history.moment(stream.history.root_text(text))
            said.append(Sentence(told["content"][first:last], moment))
    words = payload.get("value") or " ".join(one.words for one in said)
    dates = payload.get("valid_from"), payload.get("valid_until")
    place = (spans[-1][0], payload["sentence"][0]) if spans and payload["sentence"] else None
    return _Telling(number, place, happening_of(words, said, _parts(known), dates))


def _parts(names: Iterable[str]) -> set[str]:
    """Names and the words that they are made of."""
    return {part for name in names for part in (name, *name.split())}
