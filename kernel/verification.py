"""Verifying a relationship: every byte of its line, and the copies and indexes made of it.

A chain shows that nothing within it was changed, removed or swapped. It cannot show that its end
was not cut off: that takes a tip that was noted elsewhere (`expect`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from enishi.kernel.encoding import (
    Header,
    commitment,
    decode_header,
    decode_payload,
    encode_payload,
    header_hash,
)
from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES, misfit, upcast
from enishi.kernel.history import TEXT_CODES, History
from enishi.kernel.log import Line, Log


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
    noted = _noted(expect)
    walk = _Walk(line)
    with log.reading():
        for row in log.raw(line.line):
            walk.take(*row)
            if walk.number % 1000 == 0:
                progress(walk.number)
        requests = log.requests(line.line)
    problems = walk.problems
    for request in sorted(walk.requests.keys() ^ requests.keys()):
        number = walk.requests.get(request, requests.get(request))
        problems.append(Problem(number, "the index of request ids differs from the headers"))
    for request in sorted(walk.requests.keys() & requests.keys()):
        if walk.requests[request] != requests[request]:
            problems.append(
                Problem(walk.requests[request], "the index of request ids names another number")
            )
    for number in sorted(walk.missing - walk.tombstones):
        problems.append(Problem(number, "its payload is gone, and no tombstone names it"))
    for number in sorted(walk.present & walk.tombstones):
        problems.append(Problem(number, "it was erased, and its payload is there again"))
    if walk.number == 0:
        problems.append(Problem(None, "there is not a single record"))
    if noted is not None and noted not in walk.hashes_seen(noted):
        problems.append(
            Problem(
                None, f"no record has the hash {expect}: the end was cut off, or it is another line"
            )
        )
    return Verification(
        walk.number,
        (walk.previous or b"").hex(),
        len(walk.missing & walk.tombstones),
        tuple(problems),
    )


def _noted(expect: str | None) -> bytes | None:
    if expect is None:
        return None
    try:
        noted = bytes.fromhex(expect)
    except ValueError:
        noted = b""
    if len(noted) != 32:
        raise InvalidInput(f"a tip is 64 hexadecimal digits, and {expect!r} is not")
    return noted


class _Walk:
    """One pass along a line, record by record."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.number = 0
        self.previous: bytes | None = None
        self.problems: list[Problem] = []
        self.requests: dict[bytes, int] = {}
        self.missing: set[int] = set()
        self.present: set[int] = set()
        self.tombstones: set[int] = set()
        self._hashes: set[bytes] = set()
        self._history = History()
        self._structure_ok = True

    def hashes_seen(self, wanted: bytes) -> set[bytes]:
        return self._hashes & {wanted}

    def take(
        self, number: int, type_name: str, data: bytes, digest: bytes,
        salt: bytes | None, payload: bytes | None,
    ) -> None:  # fmt: skip
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
        self._hashes.add(digest)
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
        if header.request is not None:
            self.requests.setdefault(header.request, number)
        if header.type in ("Erased", "WordsErased"):
            self.tombstones.update(header.targets)
        if self._structure_ok and header.number == number:
            self._history.extend([header])
            self._check_places(header)

    def _check_places(self, header: Header) -> None:
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

    def _check_payload(self, header: Header, salt: bytes | None, payload: bytes | None) -> None:
        number = self.number
        if salt is None and payload is None:
            self.missing.add(number)
            return
        if salt is None or payload is None:
            self._problem(number, "its payload or its salt is gone without the other")
            return
        self.present.add(number)
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
        try:
            EVENT_TYPES[header.type].model.model_validate(known)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            self._problem(number, f"its payload does not fit its type at {place}: {first['msg']}")
        if number == 0:
            self._check_founding(known)

    def _check_founding(self, founded: dict[str, object]) -> None:
        copies = (
            ("agent", self.line.agent),
            ("user", self.line.user),
            ("secret", self.line.secret),
        )
        for name, copy in copies:
            if founded.get(name) != copy:
                self._problem(0, f"the store's copy of its {name} differs from the record")


_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999, in microseconds since 1970."""


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 32


def _is_moment(value: Any) -> bool:
    return type(value) is int and _FIRST <= value <= _LAST


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
    for name, fits in _FITS.items():
        if not fits(getattr(header, name)):
            raise LogDamaged(f"its {name} is of a wrong kind")
