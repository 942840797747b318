"""Erasure: what is asked for and all that rests on it is destroyed for good, and it can be shown.

Withdrawing can be undone and erasing cannot. The full depth destroys what rests on the erased
too; with `keep_effects` only what carries words goes, and content-free events stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from enishi.kernel.deciding.proposals import Frozen
from enishi.kernel.errors import InvalidInput, NotFound
from enishi.kernel.events import ErasureReason, ErasureScope
from enishi.kernel.history import CONTENT_FREE, KINDS, TEXT_CODES, TOMBSTONES, kind_code
from enishi.kernel.lines import lines_of, shared_length, unname
from enishi.kernel.log import Line
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Stream

_TURN = kind_code("TurnOpened")
_BELIEF = kind_code("BeliefStated")
_DECISION = kind_code("ProposalDecided")

Cleaner = Callable[[Stream, Sequence[int]], int]
"""Removes what was made of these records. Returns how many rows went. Runs within `writing`."""


def _drop_checkpoints(stream: Stream, numbers: Sequence[int]) -> int:
    """A checkpoint holds an event if it folded more turns than lie before that event."""
    history = stream.history
    shallowest = min(history.depth_of(history.turn[number]) for number in numbers)
    return stream.log.drop_checkpoints(stream.line.line, shallowest)


CLEANERS: dict[str, Cleaner] = {"checkpoint": _drop_checkpoints}
"""What besides the log holds words, by the name of its table: whoever keeps such a table joins
here, so that erasing finds it."""


REBUILT = {"checkpoint"}
"""Of these tables, those whose rows hold the words of several records: what a row held of others is
made anew from what stays, when it is next needed."""


class Asked(NamedTuple):
    """What is to be erased, before it is known what rests on it."""

    scope: ErasureScope
    numbers: tuple[int, ...]
    keep_effects: bool = False


Count = Annotated[int, Field(ge=0)]
Place = Annotated[int, Field(ge=0, lt=1 << 32)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Range(Frozen):
    """Records in a row, both ends included, with the hashes of the first and the last in hex."""

    first: Place
    last: Place
    first_hash: Digest
    last_hash: Digest


class Part(Frozen):
    """What was erased of one line of one relationship. Content-free.

    `line` is empty for the first line of a relationship, else its place in the store: its name may be
    anything. `relationship`, hashes and tips are in hexadecimal. `ranges` are the records whose payloads
    went, `types` counts them. `rows` counts what went of other tables; `rebuilt` are those of them in
    which one row holds words of several records, so that something that stays is made anew there when
    it is next needed. `tombstone` is the number of the record that says so, None where nothing was
    left to erase. `at` is in microseconds UTC.
    """

    relationship: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    line: str = ""
    tombstone: Place | None
    keep_effects: bool
    ranges: tuple[Range, ...]
    types: dict[str, Count]
    rows: dict[str, Count]
    rebuilt: tuple[str, ...] = ()
    length_before: Annotated[int, Field(ge=1)]
    tip_before: Digest
    tip_after: Digest
    at: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The records whose payloads went, one by one."""
        return tuple(n for part in self.ranges for n in range(part.first, part.last + 1))

    @property
    def count(self) -> int:
        """How many they are, however many a receipt may claim."""
        return sum(max(0, one.last - one.first + 1) for one in self.ranges)


def place_of(line: Line) -> str:
    """Which line of its relationship it is, without its name."""
    return str(line.line) if line.name else ""


# What is asked for


def ask(
    stream: Stream,
    branch: int,
    numbers: Sequence[int] = (),
    *,
    through: int | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    belief: int | None = None,
    matching: str | None = None,
    keep_effects: bool = False,
) -> Asked:
    """What is to be erased, asked for in exactly one of these ways. Needs `reading`.

    `through` makes a span of turns that begins with the one number given.
    """
    timed = since is not None or until is not None
    ways = (bool(numbers), timed, belief is not None, matching is not None)
    if sum(ways) != 1:
        raise InvalidInput(
            "say what to erase in one way: by numbers, by a time, a belief or a text to look for"
        )
    if through is not None:
        if len(numbers) != 1:
            raise InvalidInput("a span begins with one turn; name it")
        return of_span(stream, branch, numbers[0], through, keep_effects)
    if timed:
        return of_time(stream, since, until, keep_effects)
    if belief is not None:
        return of_belief(stream, belief, keep_effects)
    if matching is not None:
        return of_word(stream, matching, keep_effects)
    return of_numbers(stream, numbers, keep_effects)


def of_numbers(stream: Stream, numbers: Iterable[int], keep_effects: bool = False) -> Asked:
    """Records by their numbers: texts, whole turns, derived events, names, branches.

    A derived event and its decision say the same in other words, so they go together.
    """
    chosen = tuple(dict.fromkeys(numbers))
    if not chosen:
        raise InvalidInput("name at least one number that is to be erased")
    history = stream.history
    for number in chosen:
        if not 0 <= number < len(history):
            raise NotFound(f"there is no number {number}; the last is {len(history) - 1}")
        if number == 0:
            raise InvalidInput(
                "number 0 is the founding of the relationship; it is erased with all of it"
            )
        if history.kind[number] in TOMBSTONES:
            raise InvalidInput(
                f"number {number} is a tombstone; it says what was erased, and stays"
            )
    scope: ErasureScope = "numbers"
    if len(chosen) == 1 and history.kind[chosen[0]] == _TURN:
        scope = "turn"
    elif len(chosen) == 1 and history.kind[chosen[0]] in TEXT_CODES:
        scope = "text"
    decided = {other for number in chosen for other in _counterparts(stream, number)}
    return Asked(scope, (*chosen, *sorted(decided - set(chosen))), keep_effects)


def of_span(
    stream: Stream, branch: int, first: int, last: int, keep_effects: bool = False
) -> Asked:
    """The turns of a branch from one to another, both included, by their numbers."""
    path = stream.standing(branch).path
    for turn in (first, last):
        if turn < 0 or not stream.standing(branch).on_path(turn):
            raise NotFound(f"number {turn} is no turn of this branch")
    depths = stream.history.depth_of(first), stream.history.depth_of(last)
    if depths[0] > depths[1]:
        raise InvalidInput(f"turn {first} comes after turn {last}; name the earlier one first")
    return Asked("span", tuple(path[depths[0] : depths[1] + 1]), keep_effects)


def of_time(
    stream: Stream, since: Moment | None, until: Moment | None, keep_effects: bool = False
) -> Asked:
    """What was said from `since` on and before `until`, on all branches and in all variants.

    What has no known time is not among it.
    """
    if since is None and until is None:
        raise InvalidInput("say since when, until when, or both")
    if since is not None and until is not None and since.at >= until.at:
        raise InvalidInput("the time since when comes before the time until when")
    history = stream.history
    wanted = []
    for number, kind in enumerate(history.kind):
        if kind == _TURN or kind in TEXT_CODES:
            said = history.moment(number)
            if said is not None and _within(said, since, until):
                wanted.append(number)
    if not wanted:
        raise NotFound("nothing was said in that time")
    return Asked("span", tuple(wanted), keep_effects)


def of_belief(stream: Stream, belief: int, keep_effects: bool = False) -> Asked:
    """A belief and what speaks of it: its decision, confirmations, corrections, reflections.

    The texts that it rests on stay: who wants them gone erases those.
    """
    history = stream.history
    if not 0 <= belief < len(history) or history.kind[belief] != _BELIEF:
        raise NotFound(f"number {belief} is no belief; `enishi beliefs` lists them")
    names = ("BeliefStated", "BeliefConfirmed", "BeliefRetracted", "ReflectionMade")
    others = sorted(n for name in names for n in history.all(name) if n > belief)
    payloads = stream.payloads(others)
    about = [belief]
    for number in others:
        named = payloads.get(number, {})
        if (
            named.get("belief") == belief
            or named.get("event") == belief
            or _names(stream, number, belief)
        ):
            about.append(number)
    return of_numbers(stream, about, keep_effects)._replace(scope="belief")


def of_word(stream: Stream, text: str, keep_effects: bool = False) -> Asked:
    """Every record with this text in it, to the letter, in whatever it says."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("the text to look for is empty, or no text")
    numbers = [number for number, _ in matches(stream, text)]
    if not numbers:
        raise NotFound(f"nothing that was recorded contains {text!r} to the letter")
    return Asked("word", tuple(numbers), keep_effects)


def matches(stream: Stream, text: str) -> list[tuple[int, str]]:
    """The records that contain a text, each with the words around it. The founding is passed over."""
    found = []
    for record in stream.log.records(stream.line.line, 1):
        place = next((s for s in strings(record.payload) if text in s), None)
        if place is not None:
            found.append((record.header.number, around(place, text)))
    return found


def strings(value: Any) -> Iterable[str]:
    """All texts in a payload, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from strings(one)


def around(words: str, text: str, width: int = 30) -> str:
    """A text within the words that contain it, with a little of what stands around it."""
    place = words.index(text)
    start, end = max(0, place - width), min(len(words), place + len(text) + width)
    return f"{'…' if start else ''}{words[start:end]}{'…' if end < len(words) else ''}"


def _within(said: Moment, since: Moment | None, until: Moment | None) -> bool:
    return (since is None or since.at <= said.at) and (until is None or said.at < until.at)


def _counterparts(stream: Stream, number: int) -> list[int]:
    """The decision of which a derived event came; of a decision, what came of it."""
    history = stream.history
    if history.kind[number] != _DECISION:
        if number in history.acts or not history.is_derived(number):
            return []
        targets = stream.record(number).header.targets
        return [target for target in targets if history.kind[target] == _DECISION]
    released = [
        n + 1
        for n in history.all("DecisionReleased")
        if stream.record(n).header.targets == (number,)
    ]
    return [
        n
        for n in (number + 1, *released)
        if n < len(history) and history.is_derived(n) and _names(stream, n, number)
    ]


def _names(stream: Stream, number: int, target: int) -> bool:
    return target in stream.record(number).header.targets


# Doing it


def reached(stream: Stream, asked: Asked) -> list[int]:
    """The records whose payloads have to go: what is asked for and all that rests on it.

    What was erased before, at this depth or a deeper one, is not named again.
    """
    history = stream.history
    found = history.resting_on(asked.numbers)
    found |= _thoughts_on(stream, found)
    if asked.keep_effects:
        gone = history.erased
        # Of a newer version than this program's nobody here knows that it carries no words.
        found = {n for n in found if history.kind[n] not in CONTENT_FREE or n in history.version}
    else:
        gone = history.erased - history.spared
    return sorted(found - gone)


def _thoughts_on(stream: Stream, numbers: set[int]) -> set[int]:
    """The reflections on these events, and those on them: their words are about the erased."""
    found: set[int] = set()
    reflections = [n for n in stream.history.all("ReflectionMade") if n > min(numbers, default=0)]
    for number, payload in sorted(stream.payloads(reflections).items()):
        if {payload["event"], payload.get("revises")} & (numbers | found):
            found |= {number, *_counterparts(stream, number)}
    return found


def erase(stream: Stream, asked: Asked, reason: ErasureReason = "request") -> list[Part]:
    """Erase what is asked for and what rests on it. Needs `writing`.

    Where the relationship has several lines, what they have in common goes from each of them; the
    first part is that of this one. The bytes are gone from the files once `log.scrub` says so.
    """
    parts = [_erase_here(stream, asked, reason)]
    stone = Tombstone(asked.numbers, asked.keep_effects, asked.scope, reason)
    for other in _other_lines(stream):
        with other.writing():
            parts += obey(
                other, [stone], shared_length(stream.log, stream.line.line, other.line.line)
            )
    return parts


def _erase_here(stream: Stream, asked: Asked, reason: ErasureReason) -> Part:
    return _destroy(stream, reached(stream, asked), asked.scope, asked.keep_effects, reason)


def _other_lines(stream: Stream) -> list[Stream]:
    return [
        Stream(stream.log, line, stream.clock, stream.entropy)
        for line in lines_of(stream.log, stream.line.relationship)
        if line.line != stream.line.line
    ]


def erase_relationship(
    stream: Stream, scope: ErasureScope = "relationship", reason: ErasureReason = "request"
) -> list[Part]:
    """Erase everything of a relationship, its name and its secret too. Needs `log.writing`.

    What remains are its headers, which name nobody, and the tombstones. The same two can begin a
    new relationship, which has nothing to do with this one.
    """
    parts = [_erase_whole(one, scope, reason) for one in (stream, *_other_lines(stream))]
    unname(stream.log, stream.line.relationship)
    return parts


def _erase_whole(stream: Stream, scope: ErasureScope, reason: ErasureReason) -> Part:
    # After this nothing finds it any more: what others have added has to be known now.
    with stream.writing():
        return _destroy(stream, everything(stream), scope, False, reason)


def everything(stream: Stream) -> list[int]:
    """All records of a relationship that have something to erase. Needs `reading`."""
    history = stream.history
    gone = history.erased - history.spared
    return [n for n in range(len(history)) if n not in gone and history.kind[n] not in TOMBSTONES]


def _destroy(
    stream: Stream,
    numbers: Sequence[int],
    scope: ErasureScope,
    keep_effects: bool,
    reason: ErasureReason,
) -> Part:
    length, tip, _ = stream.log.tip(stream.line.line)
    tombstone, rows, kinds = None, {}, Counter[str]()
    if numbers:
        kinds.update(type_names(stream, numbers))
        kind = "WordsErased" if keep_effects else "Erased"
        rows = {name: clean(stream, numbers) for name, clean in CLEANERS.items()}
        tombstone = stream.destroy(numbers, kind, scope=scope, reason=reason)
    return Part(
        relationship=stream.line.relationship.hex(),
        line=place_of(stream.line),
        tombstone=tombstone,
        keep_effects=keep_effects,
        ranges=tuple(_ranges(stream, numbers)),
        types=dict(sorted(kinds.items())),
        rows=rows,
        rebuilt=tuple(name for name, gone in rows.items() if gone and name in REBUILT),
        length_before=length,
        tip_before=(tip or b"").hex(),
        tip_after=(stream.log.tip(stream.line.line)[1] or b"").hex(),
        at=stream.now.at,
    )


def _ranges(stream: Stream, numbers: Sequence[int]) -> Iterator[Range]:
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        ends = (stream.log.hash_of(stream.line.line, n).hex() for n in (run[0], run[-1]))
        yield Range(first=run[0], last=run[-1], first_hash=next(ends), last_hash=next(ends))


def type_names(stream: Stream, numbers: Iterable[int]) -> dict[str, int]:
    """How many there are of each type."""
    return dict(sorted(Counter(type_name(stream, number) for number in numbers).items()))


def type_name(stream: Stream, number: int) -> str:
    """The type of a record; "unknown" where this program does not know it."""
    kind = stream.history.kind[number]
    return KINDS[kind] if kind < len(KINDS) else "unknown"


# Tombstones of another copy


class Tombstone(NamedTuple):
    """What another copy of the same relationship erased; `place` is its own number there."""

    numbers: tuple[int, ...]
    keep_effects: bool
    scope: ErasureScope = "numbers"
    reason: ErasureReason = "request"
    place: int | None = None


def tombstones(stream: Stream) -> list[Tombstone]:
    """All that was erased so far, in order. Needs `reading`."""
    found = []
    for number, kind in enumerate(stream.history.kind):
        if kind in TOMBSTONES:
            header, said = stream.record(number).header, stream.payload(number) or {}
            scope, reason = said.get("scope", "numbers"), said.get("reason", "request")
            keeps = header.type == "WordsErased"
            found.append(Tombstone(header.targets, keeps, scope, reason, number))
    return found


def obey(stream: Stream, others: Iterable[Tombstone], shared: int) -> list[Part]:
    """Let tombstones of another copy hold here too, as for an older copy of a store or a pack.

    `shared` is the number of records that both copies have in common: beyond it the numbers of
    the other copy speak of other records. What rests on them here goes as well, also where the
    other copy never had it. Tombstones are a set: obeyed again, they do nothing; nor does one that
    both copies have in common, since somebody may have thought of what it spared. Needs `writing`.
    """
    parts: list[Part] = []
    for stone in others:
        if stone.place is not None and stone.place < shared:
            continue
        numbers = tuple(number for number in stone.numbers if number < shared)
        if 0 in numbers:
            return parts + erase_relationship(stream, stone.scope, stone.reason)
        if numbers:
            asked = Asked(stone.scope, numbers, stone.keep_effects)
            part = _erase_here(stream, asked, stone.reason)
            parts += [part] if part.tombstone is not None else []
    return parts


def complete_erasures(stream: Stream) -> int:
    """Destroy what tombstones of this very line name and is still here, as when the line was
    continued by another copy's records. Returns how many payloads went. Needs `writing`.
    """
    left = sorted(stream.history.erased - stream.log.missing(stream.line.line))
    if left:
        for clean in CLEANERS.values():
            clean(stream, left)
        stream.log.destroy(stream.line.line, left)
        stream.log.must_scrub(
            stream.line.line, max(map(stream.history.last, ("Erased", "WordsErased")))
        )
    return len(left)
