"""Promises and open loops: who gave their word to what, whether it still waits, how it ended.

- A promise told again is one promise. It is told again where the promiser is the same, the acts
  are the same words (or one holds the other, and neither denies what the other says), and dates
  and conditions agree as far as they are given. The first telling sets the condition; a later one
  may make act and date more exact. Once a promise has ended, the same words are a new one.
- The first end holds, for what is over does not end again; but a promise that was kept may be
  found broken by words that come after those which showed it kept.
- `replaced` does not hold where what stands in its place is gone, is the same promise told again,
  or was itself replaced by this one.
- A promise whose condition has not come about waits, and is neither due nor late. Time alone ends
  nothing: a date that has passed makes it overdue, never broken.

Loops (an exam next week, a story half told) follow the same rules, by subject and continuation.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Literal

from enishi.kernel.deciding.proposals import LoopEnd, Party, PromiseEnd
from enishi.kernel.fold import Event, Projection, Reason, State
from enishi.kernel.moments import Moment
from enishi.kernel.words.sentences import WORDS

PromiseStatus = Literal["open", "waiting"] | PromiseEnd
PromiseTiming = Literal["none", "due_later", "due_today", "overdue"]
LoopStatus = Literal["open"] | LoopEnd
LoopTiming = Literal["none", "expected", "overdue"]

_KINDS = ("promises", "loops")
_LOOP_TIMING: dict[PromiseTiming, LoopTiming] = {"none": "none", "overdue": "overdue"}
_EPOCH = date(1970, 1, 1)
_WHOLE_DATE = len("2026-03-01")

# A run of letters is a word; from U+2E80 on, every character is one.
_WIDE = r"\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U00020000-\U0003ffff"
_WORD = re.compile(rf"(?:(?![\u2e80-\uffff])[{WORDS}])+|[{WORDS}{_WIDE}]")
_LOWER = {ord("'"): None, ord("’"): None} | {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}

# Only what never tells two acts apart: not `you` and `your`, nor `with` and `without`.
_STOP = re.compile(
    "an?|the|to|of|that|this|i|im|ill|id|ive|we|well|will|would|shall|should|do|am|is|are|be|been"
    "|being|going|gonna|have|has|had|and|at|on|in|by|for|just|really|definitely|surely|certainly"
    "|always|please|promised?|swear"
)
_NOT = re.compile("not|never|(do|wo|ca|would|should|could|sha)nt|cannot")
_DENIES = frozenset(["not", "no", "without", "stop", *"不没沒别別勿莫无無未"])

READS = frozenset({"PromiseMade", "PromiseEnded", "PromiseConditionMet", "LoopOpened", "LoopEnded"})


def _initial() -> State:
    empty = {"told": list, "index": dict, "sentences": dict, "acts": list, "exact": dict}
    empty |= {"parts": dict, "anchors": dict}
    return {kind: {name: make() for name, make in empty.items()} for kind in _KINDS}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    payload, promises, loops = event.payload, state["promises"], state["loops"]
    if event.type == "PromiseMade":
        _tell(promises, event, [payload["act"]], payload.get("due"))
    elif event.type == "LoopOpened":
        words = [payload["subject"], payload["continuation"]]
        _tell(loops, event, words, payload.get("expected_by"))
    elif event.type == "PromiseConditionMet":
        promise = _known(promises, payload["promise"])
        if promise is not None and promise["condition"] is not None:
            promise["met"] = True
    elif event.type == "PromiseEnded":
        _end(promises, event, payload["promise"])
    elif event.type == "LoopEnded":
        _end(loops, event, payload["loop"])


PROMISES = Projection("promises", 3, READS, _initial, _apply)
"""`told` has one entry for each promise or loop, by place; `index` leads from the number of every
telling to its entry, `sentences` from the sentence of one. `keys` are the words that tell it from
others, in their fullest telling. `acts` are the first keys, once for each promiser, with the places
of what is not over yet, by their dates; `exact` leads there from an act, `parts` from each of its
words and pairs of words, and `anchors` from the one which was the rarest when it came."""


def _known(ledger: State, number: int | None) -> Any:
    place = ledger["index"].get(str(number))
    return None if place is None else ledger["told"][place]


def _tell(ledger: State, event: Event, words: list[str], due: str | None) -> None:
    payload, sentence, keys = event.payload, _sentence(event.payload), [_key(w) for w in words]
    fresh = {
        "number": event.number,
        "who": payload.get("promiser"),
        "words": words,
        "keys": keys,
        "due": due,
        "condition": payload.get("condition"),
        "met": False,
        "made": [event.moment.at, event.moment.offset] if event.moment else None,
        "spans": payload["spans"],
        "sentences": [sentence],
        "retold": [],
        "end": {},
    }
    place = _told_before(ledger, fresh)
    if place is None:
        place = len(ledger["told"])
        ledger["told"].append(fresh)
        _note(ledger, place)
    elif sentence not in ledger["told"][place]["sentences"]:
        _forget(ledger, place)
        _retell(ledger["told"][place], fresh)
        _note(ledger, place)
    ledger["index"][str(event.number)] = place
    known = ledger["sentences"].setdefault(_name(sentence), [])
    if place not in known:
        known.append(place)


def _told_before(ledger: State, fresh: dict[str, Any]) -> int | None:
    """The place of what is told again here: the first in the same words, else the first."""
    told = ledger["told"]
    found = set(ledger["sentences"].get(_name(fresh["sentences"][0]), ()))
    for act in _near(ledger, fresh["who"], fresh["keys"][0]):
        found.update(_fitting(act["open"], fresh["due"] or ""))
    same = [place for place in sorted(found) if _same(told[place], fresh)]
    exact = [place for place in same if told[place]["keys"] == fresh["keys"]]
    return next(iter([*exact, *same]), None)


def _fitting(by_due: dict[str, list[int]], due: str) -> Iterator[int]:
    """The places whose date can be this one, as far as either is known."""
    if len(due) == _WHOLE_DATE:
        for known in ("", due[:4], due[:7], due):
            yield from by_due.get(known, ())
        return
    for known, places in by_due.items():
        if known.startswith(due) or due.startswith(known):
            yield from places


def _near(ledger: State, who: str | None, key: str) -> list[Any]:
    """The acts of a promiser that hold this one or are held by it.

    What holds a key has its rarest part, and what is held by it has its own rarest part in it; so
    only few are compared, however many there are.
    """
    anchors, parts = ledger["anchors"], _parts(key)
    found = {at for part in parts for at in anchors.get(part, ())}
    found.update(ledger["parts"].get(_rarest(ledger, parts), ()))
    acts = (ledger["acts"][at] for at in sorted(found))
    return [a for a in acts if a["who"] == who and (a["key"] in key or key in a["key"])]


def _note(ledger: State, place: int) -> None:
    """Let a place be found by its act."""
    entry = ledger["told"][place]
    who, key = entry["who"], entry["keys"][0]
    at = ledger["exact"].setdefault(f"{who} {key}", len(ledger["acts"]))
    if at == len(ledger["acts"]):
        ledger["acts"].append({"who": who, "key": key, "open": {}})
        parts = _parts(key)
        ledger["anchors"].setdefault(_rarest(ledger, parts), []).append(at)
        for part in parts:
            ledger["parts"].setdefault(part, []).append(at)
    ledger["acts"][at]["open"].setdefault(entry["due"] or "", []).append(place)


def _forget(ledger: State, place: int) -> None:
    """Let a place not be found by its act any more."""
    entry = ledger["told"][place]
    by_due = ledger["acts"][ledger["exact"][f"{entry['who']} {entry['keys'][0]}"]]["open"]
    by_due[entry["due"] or ""].remove(place)
    if not by_due[entry["due"] or ""]:
        del by_due[entry["due"] or ""]


def _rarest(ledger: State, parts: list[str]) -> str:
    """The part that the fewest acts have; the first of several."""
    return min(parts, key=lambda part: len(ledger["parts"].get(part, ())))


def _parts(key: str) -> list[str]:
    """The words of a key, and its pairs of neighbouring words."""
    words = key.split() or [key]
    return list(dict.fromkeys([*words, *map(" ".join, pairwise(words))]))


def _retell(entry: dict[str, Any], fresh: dict[str, Any]) -> None:
    entry["sentences"] += fresh["sentences"]
    entry["retold"].append(fresh["number"])
    entry["keys"] = [max(pair, key=len) for pair in zip(entry["keys"], fresh["keys"], strict=True)]
    entry["due"] = max(entry["due"] or "", fresh["due"] or "", key=len) or None


def _same(entry: dict[str, Any], fresh: dict[str, Any]) -> bool:
    """Whether something is told again. What has ended is not, but by the same sentence."""
    over = entry["end"] and fresh["sentences"][0] not in entry["sentences"]
    if over or entry["who"] != fresh["who"]:
        return False
    one, other = entry["due"] or "", fresh["due"] or ""
    if not (one.startswith(other) or other.startswith(one)):
        return False
    one, other = entry["condition"], fresh["condition"]
    if one and other and not _holds(_key(one), _key(other)):
        return False
    return all(map(_holds, entry["keys"], fresh["keys"]))


def _end(ledger: State, event: Event, number: int) -> None:
    entry = _known(ledger, number)
    if entry is None:
        return
    end, outcome, sentence = entry["end"], event.payload["outcome"], _sentence(event.payload)
    # Events come by place: another turn is a later one, whatever its number.
    later = end and (event.turn != end["turn"] or sentence > end["sentence"])
    if end and not (later and end["outcome"] == "kept" and outcome == "broken"):
        return
    named = event.payload.get("replaced_by") if outcome == "replaced" else None
    replacement = _in_place_of(ledger, entry, named)
    if named is not None and replacement is None:
        return
    if not end:
        _forget(ledger, ledger["index"][str(number)])
    entry["end"] = {
        "outcome": outcome,
        "number": event.number,
        "replaced_by": replacement,
        "turn": event.turn,
        "sentence": sentence,
    }


def _in_place_of(ledger: State, entry: dict[str, Any], named: int | None) -> int | None:
    """The number of the replacement, unless the way on from it leads back to what it replaces."""
    found = step = _known(ledger, named)
    while step is not None and step is not entry:
        step = _known(ledger, step["end"].get("replaced_by"))
    return None if found is None or step is entry else found["number"]


def _sentence(payload: dict[str, Any]) -> list[int]:
    """The text and the start of the sentence that an event rests on."""
    return [*(span[0] for span in payload["spans"][-1:]), *payload["sentence"][:1]]


def _name(sentence: list[int]) -> str:
    return ":".join(map(str, sentence))


def _key(words: str) -> str:
    """The words that count, in ASCII lower case, each between blanks."""
    found = _WORD.findall(words.translate(_LOWER))
    found = ["not" if _NOT.fullmatch(word) else word for word in found]
    counts = [word for word in found if not _STOP.fullmatch(word)]
    return f" {' '.join(counts or found or [words])} "


def _holds(one: str, other: str) -> bool:
    """Whether keys are equal, or one holds the other and adds no denial."""
    if one == other:
        return True
    if one not in other and other not in one:
        return False
    return _DENIES.intersection(one.split()) == _DENIES.intersection(other.split())


@dataclass(frozen=True, slots=True)
class Told:
    """What promises and loops share: `number` and `made` are of the first telling, `retold` are
    the numbers of later ones; `replaced_by` and `replaces` name what stands in whose place.
    """

    number: int
    made: Moment | None
    ended_by: int | None
    replaced_by: int | None
    replaces: tuple[int, ...]
    retold: tuple[int, ...]
    spans: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PromiseView(Told):
    """A promise at a moment. `act` and `condition` are in the words of its first telling.

    `due` is a date as far as it is known: 2026, 2026-03 or 2026-03-01. `timing` is none unless
    the promise is open, has such a date, and the asked moment is known.
    """

    promiser: Party
    act: str
    due: str | None
    condition: str | None
    condition_met: bool
    status: PromiseStatus
    timing: PromiseTiming


@dataclass(frozen=True, slots=True)
class LoopView(Told):
    """An open loop at a moment. `expected_by` and `timing` are read like those of a promise."""

    subject: str
    continuation: str
    expected_by: str | None
    status: LoopStatus
    timing: LoopTiming


def promises_at(state: State, now: Moment | None) -> list[PromiseView]:
    """Every promise, by place, as it stands at `now`, on the calendar of that moment's offset.

    A date is kept until its end: 2026-03-01 is overdue from 2026-03-02 00:00, 2026-03 from April,
    2026 from the next year on. With None, nothing is due or late.
    """
    return [
        PromiseView(
            **common,
            promiser=entry["who"],
            act=entry["words"][0],
            due=entry["due"],
            condition=entry["condition"],
            condition_met=entry["met"],
            timing=_timing(entry["due"], common["status"], now),
        )
        for entry, common in _entries(state["promises"])
    ]


def loops_at(state: State, now: Moment | None) -> list[LoopView]:
    """Every loop, by place, as it stands at `now`; its date is kept like that of a promise."""
    return [
        LoopView(
            **common,
            subject=entry["words"][0],
            continuation=entry["words"][1],
            expected_by=entry["due"],
            timing=_LOOP_TIMING.get(_timing(entry["due"], common["status"], now), "expected"),
        )
        for entry, common in _entries(state["loops"])
    ]


def _entries(ledger: State) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each entry, with what the views of promises and of loops share."""
    replaces: dict[int, list[int]] = {}
    for entry in ledger["told"]:
        replaces.setdefault(entry["end"].get("replaced_by"), []).append(entry["number"])
    for entry in ledger["told"]:
        waits = entry["condition"] is not None and not entry["met"]
        common = {
            "number": entry["number"],
            "made": Moment(*entry["made"]) if entry["made"] else None,
            "status": entry["end"].get("outcome", "waiting" if waits else "open"),
            "ended_by": entry["end"].get("number"),
            "replaced_by": entry["end"].get("replaced_by"),
            "replaces": tuple(replaces.get(entry["number"], ())),
            "retold": tuple(entry["retold"]),
            "spans": tuple(map(tuple, entry["spans"])),
        }
        yield entry, common


def _timing(due: str | None, status: PromiseStatus, now: Moment | None) -> PromiseTiming:
    last = last_day(due)
    if now is None or last is None or status != "open":
        return "none"
    return "due_later" if now.day < last else "due_today" if now.day == last else "overdue"


def last_day(due: str | None) -> int | None:
    """The last day of a date, in days since 1970-01-01; None for none and one that no calendar has."""
    due = due or ""
    try:
        year, month = int(due[:4]), int(due[5:7] or 12)
        return (date(year, month, int(due[8:] or monthrange(year, month)[1])) - _EPOCH).days
    except ValueError:
        return None
