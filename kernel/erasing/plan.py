"""What an erasure would do, before it does it: what goes, what stays, and what says it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from enishi.kernel.erasing.erasure import Asked, around, reached, strings, type_names
from enishi.kernel.erasing.receipt import OutOfReach, out_of_reach
from enishi.kernel.erasing.repeats import Said, repeats
from enishi.kernel.errors import ExpectationFailed, InvalidInput
from enishi.kernel.history import TEXT_CODES
from enishi.kernel.log import Line
from enishi.kernel.stream import Stream


class Copies(NamedTuple):
    """The same words of the same group scene, recorded into another relationship."""

    agent: str
    user: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure would do to one relationship as it is now.

    `types` counts the payloads that would go, `falls` those of them that count now on the branch,
    `stays` the events that would stay although they rest on them. `returns` are beliefs that would
    be current again. `matched` is where a word was found, `repeats` what would still say the same
    to the letter (see the module `repeats`), `wordings` other wordings of erased texts that would
    stay, `copies` the same words in other relationships, taken only when asked to. `length` and `tip`
    are those of the log that it was made for.
    """

    asked: Asked
    relationship: str
    length: int
    tip: str
    numbers: tuple[int, ...]
    types: dict[str, int]
    falls: dict[str, int]
    stays: dict[str, int]
    matched: tuple[Said, ...]
    repeats: tuple[Said, ...]
    wordings: tuple[int, ...]
    copies: tuple[Copies, ...]
    out_of_reach: tuple[OutOfReach, ...]
    returns: tuple[int, ...] = ()


def plan(stream: Stream, branch: int, asked: Asked, word: str | None = None) -> Plan:
    """What erasing this would do, seen from a branch. `word` is the text that was looked for.

    Reads the whole relationship. Needs `reading`.
    """
    history, standing = stream.history, stream.standing(branch)
    numbers = reached(stream, asked)
    going = set(numbers)
    length, tip, _ = stream.log.tip(stream.line.line)
    staying = history.resting_on(asked.numbers) - going - history.erased
    return Plan(
        asked=asked,
        relationship=stream.line.relationship.hex(),
        length=length,
        tip=(tip or b"").hex(),
        numbers=tuple(numbers),
        types=type_names(stream, numbers),
        falls=type_names(stream, [n for n in numbers if n in standing]),
        stays=type_names(stream, [n for n in staying if n in standing]),
        matched=() if word is None else _matched(stream, going, word),
        repeats=repeats(stream, numbers, word),
        wordings=_other_wordings(stream, going),
        copies=tuple(copies_of(stream, numbers)),
        out_of_reach=out_of_reach(stream.log),
    )


def check_plan(stream: Stream, made: Plan) -> None:
    """A plan for another relationship is InvalidInput, one older than the log ExpectationFailed."""
    if made.relationship != stream.line.relationship.hex():
        raise InvalidInput("the plan was made for another relationship")
    length, tip, _ = stream.log.tip(stream.line.line)
    if (length, (tip or b"").hex()) != (made.length, made.tip):
        raise ExpectationFailed(
            f"the plan was made for {made.length} records and there are {length} now; plan again"
        )


def _matched(stream: Stream, going: set[int], word: str) -> tuple[Said, ...]:
    found = []
    for number, payload in sorted(stream.payloads(sorted(going), checked=False).items()):
        place = next((s for s in strings(payload) if word in s), None)
        if place is not None:
            found.append(Said(number, around(place, word)))
    return tuple(found)


def _other_wordings(stream: Stream, going: set[int]) -> tuple[int, ...]:
    history = stream.history
    roots = {history.root_text(n) for n in going if history.kind[n] in TEXT_CODES}
    wordings = {n for n, root in history.base.items() if root in roots} | roots
    return tuple(sorted(wordings - going - history.erased))


# The same scene in other relationships


class _Words(NamedTuple):
    """What makes a text the same as one of another relationship."""

    scene: bytes
    speaker: str
    content: str


def copies_of(stream: Stream, numbers: Sequence[int]) -> Iterable[Copies]:
    """What the same speakers said to the letter in the same scenes, in other relationships.

    Reads all of them, if any of these records belongs to a scene.
    """
    history = stream.history
    texts = [n for n in numbers if history.kind[n] in TEXT_CODES]
    needed = {*texts, *(history.turn[n] for n in texts), *(history.root_text(n) for n in texts)}
    payloads = stream.payloads(sorted(needed), checked=False)
    said = set()
    for number in texts:
        scene = payloads.get(history.turn[number], {}).get("scene")
        speaker = (stream.about_text(number, payloads) or {}).get("speaker")
        if scene and speaker and number in payloads:
            said.add(_Words(scene, speaker, payloads[number]["content"]))
    if not said:
        return
    for line in stream.log.lines():
        if line.relationship != stream.line.relationship and not line.name:
            found = tuple(_said_in(stream, line, said))
            if found:
                yield Copies(line.agent, line.user, found)


def _said_in(stream: Stream, line: Line, said: set[_Words]) -> Iterable[int]:
    scenes: dict[int, bytes] = {}
    speakers: dict[int, str] = {}
    for record in stream.log.records(line.line, 1):
        header, payload = record.header, record.payload or {}
        if header.type == "TurnOpened" and payload.get("scene"):
            scenes[header.number] = payload["scene"]
        elif header.turn in scenes and "content" in payload:
            root = header.targets[0] if header.type == "TextRevised" else header.number
            speakers.setdefault(root, payload.get("speaker", ""))
            if _Words(scenes[header.turn], speakers[root], payload["content"]) in said:
                yield header.number
