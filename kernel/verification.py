"""Verifying a relationship: every byte of its line, and the copies and indexes made of it.

A chain shows that nothing within it was changed, removed or swapped. It cannot show that its end
was not cut off: that takes a tip that was noted elsewhere (`expect`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enishi.kernel.checks import read_hash
from enishi.kernel.encoding import (
    FIRST,
    LAST,
    NOT_FITTING,
    FittingHeader,
    Header,
    commitment,
    commitments,
    decode_header,
    decode_payload,
    encode_payload,
    fitting_headers,
    header_hash,
    header_hashes,
)
from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES, misfit, upcast
from enishi.kernel.history import TEXT_CODES, TOMBSTONES, History
from enishi.kernel.log import Line, Log, RawColumns, key_of
from enishi.kernel.shapes import all_fit

_CHUNK = 256
_TOMBSTONES = ("Erased", "WordsErased")


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

    A noted tip may also be that of an earlier record: then the line has grown since. Of an erased
    relationship there must be nothing but headers and tombstones.
    """
    noted = None if expect is None else read_hash(expect, "a tip")
    with log.reading():
        # Where a quick pass finds nothing, there is nothing. Else each record is looked at alone.
        walk: Walk = (quick := QuickWalk(line, noted))
        if not passes_quickly(log, line, quick, progress):
            walk = Walk(line, noted)
            if not _takes_all(log, walk, progress):
                return _ended(walk, walk.problems, 0)
        try:
            requests, withheld = log.requests(line.line), log.withheld(line.line)
        except LogDamaged:
            problem = Problem(None, "the index of request ids cannot be read: the file is damaged")
            return _ended(walk, [*walk.problems, problem], 0)
    problems = walk.end(withheld)
    if not line.agent:
        requests = walk.requests  # its index of request ids went with it
        problems += walk.left_over()
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
    return _ended(walk, problems, len(withheld))


def _takes_all(log: Log, walk: Walk, progress: Callable[[int], None]) -> bool:
    """Walk along a line, as far as its file can be read. Whether that was to the end."""
    try:
        for row in log.raw(walk.line.line):
            walk.take(*row)
            if walk.number % _CHUNK == 0:
                progress(walk.number)
    except LogDamaged:
        gone = "it, and what may follow it, cannot be read: the file is damaged there"
        walk.problems.append(Problem(walk.number, gone))
        return False
    return True


def _ended(walk: Walk, problems: Sequence[Problem], withheld: int) -> Verification:
    return Verification(
        walk.number,
        (walk.previous or b"").hex(),
        len(walk.missing & walk.tombstones),
        withheld,
        tuple(problems),
    )


def passes_quickly(
    log: Log, line: Line, walk: QuickWalk, progress: Callable[[int], None] = lambda done: None
) -> bool:
    """Whether all records that a line has passed a quick walk. Needs `reading`."""
    try:
        for rows in log.raw_columns(line.line, _CHUNK):
            if not walk.passes(rows):
                return False
            progress(walk.number)
    except LogDamaged:
        return False
    return True


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

    def left_over(self) -> list[Problem]:
        """Of an erased relationship: what is there of it and is no tombstone."""
        stones = {n for n, kind in enumerate(self._history.kind) if kind in TOMBSTONES}
        there = set(range(self.number)) - self.missing - stones
        return [
            Problem(number, "its relationship was erased, and its payload is there")
            for number in sorted(there)
        ]

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
    """The same pass over what is as it was written, in a fifth of the time.

    It tells only whether all passes, and not what is wrong where something does not; then it is of
    no use any more.
    """

    @property
    def history(self) -> History:
        """What all headers that passed say."""
        return self._history

    def passes(self, rows: RawColumns) -> bool:
        """Whether the next rows of a store are as they should be, beyond all doubt."""
        # Column by column: most of the time is spent in calls, and here few are for one record.
        keys, types, datas, digests, salts, payloads = rows
        line, first, stop = self.line.line, self.number, self.number + len(keys)
        try:
            headers = fitting_headers(datas)
        except NOT_FITTING:
            return False
        if not (
            list(keys) == list(range(key_of(line, first), key_of(line, stop)))
            and list(range(first, stop)) == [header.number for header in headers]
            and list(types) == [header.type.encode() for header in headers]
            and list(digests) == header_hashes(datas)
            and [self.previous, *digests[:-1]] == [header.previous for header in headers]
            and {header.relationship for header in headers} == {self.line.relationship}
        ):
            return False
        self.previous = digests[-1]
        self.met = self.met or self.noted in digests
        for header in headers:
            if header.request is not None:
                self.requests.setdefault(header.request, header.number)
        return self.follow(headers, salts, payloads, commitments(salts, payloads))

    def follow(
        self,
        headers: Sequence[FittingHeader],
        salts: Sequence[bytes | None],
        payloads: Sequence[bytes | None],
        committed: Sequence[bytes | None],
    ) -> bool:
        """Whether the next records are as they should be, whose numbers and hashes are known to fit.

        `committed` are the commitments of salt and payload, where both are there.
        """
        try:
            return self._follow(headers, salts, payloads, committed) and not self.problems
        except Exception:  # noqa: BLE001 - changed bytes may fail in any way
            return False

    def _follow(
        self,
        headers: Sequence[FittingHeader],
        salts: Sequence[bytes | None],
        payloads: Sequence[bytes | None],
        committed: Sequence[bytes | None],
    ) -> bool:
        first, alike = self.number, defaultdict[tuple[str, int], list[int]](list)
        for place, header in enumerate(headers):
            alike[header.type, header.version].append(place)
        speaking = [
            headers[place]
            for (kind, _), places in alike.items()
            if kind in _SPEAKING
            for place in places
        ]
        for header in speaking:
            if header.type in _TOMBSTONES:
                self.tombstones.update(header.targets)
        if None in payloads or None in salts:
            for place, (salt, payload) in enumerate(zip(salts, payloads, strict=True)):
                if (salt is None) != (payload is None):
                    return False
                if payload is None:
                    self.missing.add(first + place)
        self._look_at(headers, salts, payloads, alike)
        self._history.extend(headers)
        self.number = first + len(headers)
        turn_of, branches = self._history.turn, self._history.branches
        resting = [header for header in headers if header.causes not in ((), (header.turn,))]
        apart = [
            header for header in resting for cause in header.causes if turn_of[cause] != header.turn
        ]
        for header in (*speaking, *apart):
            self._check_places(header)
        return (
            [found or header.commitment for found, header in zip(committed, headers, strict=True)]
            == [header.commitment for header in headers]
            and all(max(h.causes) < h.number for h in headers if h.causes)
            and all(max(h.targets) < h.number for h in headers if h.targets)
            and all(h.branch <= h.number and h.branch in branches for h in headers)
        )

    def _look_at(
        self,
        headers: Sequence[FittingHeader],
        salts: Sequence[bytes | None],
        payloads: Sequence[bytes | None],
        alike: Mapping[tuple[str, int], list[int]],
    ) -> None:
        """Look at all payloads of a type and version at once, where that is enough."""
        first = self.number
        alone = [0] if first == 0 else []
        for (kind, version), places in alike.items():
            some = [payload for place in places if (payload := payloads[place]) is not None]
            if kind == "PartyRebound" or not all_fit(kind, version, some):
                alone += places
        for place in alone:
            self.number = first + place
            self._check_payload(headers[place], salts[place], payloads[place])
        self.number = first


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
