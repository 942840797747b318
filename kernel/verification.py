"""Verifying a relationship: every byte of its line, and the copies and indexes made of it.

A chain shows that nothing within it was changed, removed or swapped. It cannot show that its end
was not cut off: that takes a tip that was noted elsewhere (`expect`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from enishi.kernel.checks import read_hash
from enishi.kernel.encoding import (
    FIRST,
    LAST,
    NOT_FITTING,
    FittingHeader,
    Header,
    commitment,
    decode_header,
    decode_payload,
    encode_payload,
    fitting_header,
    header_hash,
)
from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES, misfit, upcast
from enishi.kernel.history import ROOT, TEXT_CODES, History
from enishi.kernel.log import Line, Log
from enishi.kernel.shapes import fits

_CHUNK = 500
_TOMBSTONES = ("Erased", "WordsErased")

RawRow = tuple[int, str, bytes, bytes, bytes | None, bytes | None]

Content = tuple[FittingHeader, bytes | None, bytes | None, bytes | None]
"""A header; salt and payload, if they are there, and the commitment that was made of them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was written. `number` is None where it concerns no record."""

    number: int | None
    message: str

    def __str__(self) -> str:
        return self.message if self.number is None else f"number {self.number}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and found. `tip` is the hash of the last record, in hexadecimal."""

    length: int
    tip: str
    erased: int
    withheld: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def verify_line(
    log: Log,
    line: Line,
    *,
    expect: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Verification:
    """Check one line from its first byte to its last. `expect` is a tip noted earlier, in hex.

    A noted tip may also be that of an earlier record: then the line has grown since.
    """
    noted = None if expect is None else read_hash(expect, "a tip")
    with log.reading():
        # Where a quick pass finds nothing, there is nothing. Else each record is looked at alone.
        walk: Walk = (quick := QuickWalk(line, noted))
        if not passes_quickly(log, line, quick, progress):
            walk = Walk(line, noted)
            for rows in _chunks(log, line, progress):
                for row in rows:
                    walk.take(*row)
        requests, withheld = log.requests(line.line), log.withheld(line.line)
    problems = walk.end(withheld)
    for request in sorted(walk.requests.keys() ^ requests.keys()):
        number = walk.requests.get(request, requests.get(request))
        problems.append(Problem(number, "the index of request ids differs from the headers"))
    for request in sorted(walk.requests.keys() & requests.keys()):
        if walk.requests[request] != requests[request]:
            problems.append(
                Problem(walk.requests[request], "the index of request ids names another number")
            )
    if walk.number == 0:
        problems.append(Problem(None, "there is not a single record"))
    if noted is not None and not walk.met:
        problems.append(
            Problem(
                None, f"no record has the hash {expect}: the end was cut off, or it is another line"
            )
        )
    return Verification(
        walk.number,
        (walk.previous or b"").hex(),
        len(walk.missing & walk.tombstones),
        len(withheld),
        tuple(problems),
    )


def passes_quickly(
    log: Log, line: Line, walk: QuickWalk, progress: Callable[[int], None] = lambda done: None
) -> bool:
    """Whether all records that a line has passed a quick walk. Needs `reading`."""
    return all(map(walk.passes, _chunks(log, line, progress)))


def _chunks(log: Log, line: Line, progress: Callable[[int], None]) -> Iterator[list[RawRow]]:
    rows = log.raw(line.line)
    done = 0
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
        done += len(chunk)
        progress(done)


class Walk:
    """One pass along a line, record by record: `take` each, then look at `problems`.

    `missing` are the numbers without a payload, `tombstones` those that a tombstone names.
    """

    def __init__(self, line: Line, noted: bytes | None = None) -> None:
        self.line = line
        self.noted = noted
        self.met = False
        self.number = 0
        self.previous: bytes | None = None
        self.problems: list[Problem] = []
        self.requests: dict[bytes, int] = {}
        self.missing: set[int] = set()
        self.tombstones: set[int] = set()
        self.founded: dict[str, object] | None = None
        self.rebound: dict[str, object] = {}
        self._history = History()
        self._structure_ok = True

    def take(
        self, number: int, type_name: str, data: bytes, digest: bytes,
        salt: bytes | None, payload: bytes | None,
    ) -> None:  # fmt: skip
        """Check the next record."""
        if number != self.number:
            gap = (
                f"number {self.number} is"
                if number == self.number + 1
                else f"numbers {self.number} to {number - 1} are"
            )
            self._problem(self.number, f"missing: {gap} not in the log")
            self._structure_ok = False
            self.number = number
        self._check(type_name, data, digest, salt, payload)
        self.previous = digest
        self.met = self.met or digest == self.noted
        self.number = number + 1

    def _problem(self, number: int | None, message: str) -> None:
        self.problems.append(Problem(number, message))

    def _check(
        self, type_name: str, data: bytes, digest: bytes, salt: bytes | None, payload: bytes | None
    ) -> None:
        number = self.number
        try:
            if header_hash(data) != digest:
                self._problem(number, "its header was changed: the hash does not fit")
            header = decode_header(data)
            _check_kinds(header)
            self._check_header(header, type_name)
            self._check_payload(header, salt, payload)
        except LogDamaged as error:
            self._problem(number, str(error))
            self._structure_ok = False
        except Exception as error:  # noqa: BLE001 - changed bytes may fail in any way
            self._problem(number, f"it holds an impossible value: {error!r}")
            self._structure_ok = False

    def _check_header(self, header: Header, type_name: str) -> None:
        number = self.number
        if header.relationship != self.line.relationship:
            self._problem(number, "it belongs to another relationship")
        if header.number != number:
            self._problem(number, f"it was swapped: the header says number {header.number}")
        if header.previous != self.previous:
            self._problem(number, "the chain is broken: it does not follow the record before it")
        if header.type != type_name:
            self._problem(number, f"the type column says {type_name!r}, the header {header.type!r}")
        for name, places in (("cause", header.causes), ("target", header.targets)):
            for place in places:
                if not 0 <= place < number:
                    self._problem(number, f"its {name} {place} does not come before it")
        self._note(header)
        if self._structure_ok and header.number == number:
            self._history.extend([header])
            self._check_places(header)

    def _note(self, header: Header | FittingHeader) -> None:
        """Keep what has to be compared with other tables and records in the end."""
        if header.request is not None:
            self.requests.setdefault(header.request, self.number)
        if header.type in _TOMBSTONES:
            self.tombstones.update(header.targets)

    def _check_places(self, header: Header | FittingHeader) -> None:
        history, turn = self._history, self._history.turn[header.number]
        for cause in header.causes:
            if history.depth_of(history.turn[cause]) > history.depth_of(turn):
                self._problem(header.number, f"it rests on number {cause}, which comes later")
        if header.branch not in history.branches:
            self._problem(header.number, f"there is no branch {header.branch}")
        match header.type:
            case "BranchForked" | "TipMoved":
                wrong = [target for target in header.targets if not history.is_turn(target)]
            case "BranchSwitched":
                wrong = [target for target in header.targets if target not in history.branches]
            case "TextRevised" | "VariantChosen" | "RevisionChosen":
                wrong = [n for n in header.targets if history.kind[n] not in TEXT_CODES]
            case _:
                wrong = []
        for target in wrong:
            self._problem(header.number, f"its target {target} is no such thing")

    def _check_payload(
        self, header: Header | FittingHeader, salt: bytes | None, payload: bytes | None
    ) -> None:
        number = self.number
        if salt is None and payload is None:
            self.missing.add(number)
            return
        if salt is None or payload is None:
            self._problem(number, "its payload or its salt is gone without the other")
            return
        if commitment(salt, payload) != header.commitment:
            self._problem(number, "its payload was changed: the commitment does not fit")
        value = decode_payload(payload)
        try:
            canonical = encode_payload(value) == payload
        except InvalidInput:
            canonical = False
        if not canonical:
            self._problem(number, "its payload is not in canonical form")
        known = upcast(header.type, header.version, value)
        if known is not None and (problem := misfit(header.type, known)):
            self._problem(number, f"its payload is no {header.type} as it should be ({problem})")
        if known is None:
            return
        if number == 0:
            self.founded = known
        elif header.type == "PartyRebound":
            self.rebound[known["party"]] = known["id"]

    def end(self, withheld: frozenset[int] | set[int]) -> list[Problem]:
        """All that was found, now that there are no more records; `withheld` exist elsewhere."""
        self._check_parties()
        for number in sorted(self.missing - self.tombstones - withheld):
            self._problem(number, "its payload is gone, and no tombstone names it")
        for number in sorted(withheld - self.missing):
            self._problem(number, "its payload was withheld, and is there")
        for number in sorted(self.tombstones - self.missing):
            self._problem(number, "it was erased, and its payload is there again")
        return self.problems

    def _check_parties(self) -> None:
        """Whether the line says whose it is as its records do."""
        if self.founded is None:
            return
        for name, copy in (
            ("agent", self.line.agent),
            ("user", self.line.user),
            ("secret", self.line.secret),
        ):
            if self.rebound.get(name, self.founded.get(name)) != copy:
                self._problem(0, f"the store's copy of its {name} differs from the record")


class QuickWalk(Walk):
    """The same pass over what is as it was written, in a third of the time.

    It tells only whether all passes, and not what is wrong where something does not; then it is of
    no use any more.
    """

    @property
    def history(self) -> History:
        """What all headers that passed say."""
        return self._history

    def passes(self, rows: Sequence[RawRow]) -> bool:
        """Whether the next rows of a store are as they should be, beyond all doubt."""
        contents = []
        try:
            for number, (at, type_name, data, digest, salt, payload) in enumerate(
                rows, self.number
            ):
                header = fitting_header(data)
                if not (
                    at == number == header.number
                    and header_hash(data) == digest
                    and header.previous == self.previous
                    and header.relationship == self.line.relationship
                    and header.type == type_name
                ):
                    return False
                if header.request is not None:
                    self.requests.setdefault(header.request, number)
                committed = None if salt is None or payload is None else commitment(salt, payload)
                contents.append((header, salt, payload, committed))
                self.met = self.met or digest == self.noted
                self.previous = digest
        except NOT_FITTING:
            return False
        return self.follow(contents)

    def follow(self, contents: Sequence[Content]) -> bool:
        """Whether the next records are as they should be, whose numbers and hashes are known to fit.

        `commitment` is that of salt and payload.
        """
        try:
            for header, salt, payload, committed in contents:
                number = self.number
                causes, targets, kind = header.causes, header.targets, header.type
                if (
                    (causes and max(causes) >= number)
                    or (targets and max(targets) >= number)
                    or header.branch > number
                    or committed not in (None, header.commitment)
                ):
                    return False
                if salt is None and payload is None:
                    self.missing.add(number)
                elif salt is None or payload is None:
                    return False
                elif (
                    number == 0 or kind == "PartyRebound" or not fits(kind, header.version, payload)
                ):
                    self._check_payload(header, salt, payload)
                if kind in _TOMBSTONES:
                    self.tombstones.update(targets)
                self.number = number + 1
            headers = [header for header, _, _, _ in contents]
            self._history.extend(headers)
            turn_of, branches = self._history.turn, self._history.branches
            for header in headers:
                causes, turn = header.causes, header.turn
                # That nothing rests on what comes later in its own turn, its number has shown.
                if header.type in _SPEAKING or (
                    causes
                    and causes != (turn,)
                    and any(turn_of[n] != (ROOT if turn is None else turn) for n in causes)
                ):
                    self._check_places(header)
                elif header.branch not in branches:
                    return False
        except Exception:  # noqa: BLE001 - changed bytes may fail in any way
            return False
        return not self.problems


_SPEAKING = frozenset(row.name for row in EVENT_TYPES.values() if row.place == "act") | {
    "TextRevised"
}


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 32


def _is_moment(value: Any) -> bool:
    return type(value) is int and FIRST <= value <= LAST


def _is_lived(value: Any) -> bool:
    at, offset, assumed = value
    return _is_moment(at) and type(offset) is int and abs(offset) < 86_400 and assumed in (0, 1)


_FITS: dict[str, Callable[[Any], bool]] = {
    "type": lambda value: type(value) is str,
    "version": lambda value: type(value) is int and value > 0,
    "happened": lambda value: value is None or _is_lived(value),
    "recorded": _is_moment,
    "turn": lambda value: value is None or _is_place(value),
    "parent": lambda value: value is None or _is_place(value),
    "branch": _is_place,
    "causes": lambda value: type(value) is tuple and all(map(_is_place, value)),
    "targets": lambda value: type(value) is tuple and all(map(_is_place, value)),
    "request": lambda value: value is None or type(value) is bytes,
    "commitment": lambda value: type(value) is bytes,
}
"""What kind of value each field has, as far as the chain does not show it."""


def _check_kinds(header: Header) -> None:
    for name, is_one in _FITS.items():
        if not is_one(getattr(header, name)):
            raise LogDamaged(f"its {name} is of a wrong kind")
