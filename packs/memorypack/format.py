"""MemoryPack: one relationship as frames. `docs/memorypack.md` is the text of this format.

A pack begins with a manifest, then come the relationship's lines, each a frame that says where it
leaves an earlier one and a frame for every record from there on. Where two machines both went on,
there are two lines; else there is one. The order of the lines follows from the records' hashes
alone, so that the same relationship gives the same frames everywhere.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import msgpack
import msgspec
from pydantic import Field, ValidationError

from enishi.kernel.deciding.proposals import Frozen
from enishi.kernel.encoding import FORMAT, NOT_FITTING, commitment, header_hash
from enishi.kernel.errors import LogDamaged, PackDamaged, PackTooLarge
from enishi.kernel.misfits import misfit_of
from enishi.packs.memorypack.frames import FrameReader, Seal

LINES = 64
"""The most lines that a relationship has in a pack. Each is a whole chain of its own in a store, so
that a small pack of many lines would become a large store."""

Digests = dict[str, tuple[int, str]]
"""Projection name to its version and the digest of its state."""


class BranchDigests(Frozen):
    """What the folds of one branch come to. `number` is that of the record that made the branch."""

    number: int
    name: str
    digests: Digests


class ManifestLine(Frozen):
    """One line: how many records it has from the first on, its last hash, and its branches.

    `agent` and `user` are its outside ids where they came to be others than those of the pack.
    """

    length: int = Field(gt=0)
    tip: bytes = Field(min_length=32, max_length=32)
    branches: tuple[BranchDigests, ...]
    agent: str | None = None
    user: str | None = None


class Manifest(Frozen):
    """What a pack says of itself before its records come. All of it is checked against them.

    `agent` and `user` are the outside ids of its first line. Counts are over all records of the pack: `payloads` are
    there, `erased` were destroyed for good, `withheld` exist elsewhere and were left out.
    `policies` and `blueprints` are the names of those that were ever adopted, in that order.
    """

    relationship: bytes = Field(min_length=16, max_length=16)
    agent: str
    user: str
    records: int
    payloads: int
    erased: int
    withheld: int
    policies: tuple[str, ...]
    blueprints: tuple[str, ...]
    lines: tuple[ManifestLine, ...] = Field(min_length=1)

    def parties(self, line: int) -> tuple[str, str]:
        """The outside ids of agent and user at the end of one of its lines."""
        own = self.lines[line]
        return own.agent or self.agent, own.user or self.user


class PackedRecord(NamedTuple):
    """A record as packed: whole header bytes and their hash; salt and payload bytes, if there.

    `commitment` is what its header has to end with: that of the salt and payload; None without.
    """

    header: bytes
    hash: bytes
    salt: bytes | None
    payload: bytes | None
    commitment: bytes | None


_HASH = b"\xc4\x20"  # how msgpack begins 32 bytes
_packed = tuple.__new__  # half of the time that a named tuple takes to be made
_pack = msgpack.Packer(use_bin_type=True, autoreset=True).pack
_frame = msgspec.msgpack.Decoder(tuple[bytes, bytes | None, bytes | None]).decode


def _beginning(relationship: bytes) -> bytes:
    """How each header of a relationship begins; its number and `_previous` come next."""
    return b"\x9f" + _pack(FORMAT) + b"\xc4\x10" + relationship


def _previous(previous: bytes | None) -> bytes:
    return b"\xc0" if previous is None else _HASH + previous


def shortened(
    relationship: bytes, number: int, previous: bytes | None,
    header: bytes, salt: bytes | None, payload: bytes | None,
) -> list[bytes | None]:  # fmt: skip
    """A record as a frame, without the part of its header that follows from the rest.

    A record that does not follow from the rest, as in a damaged store, is LogDamaged.
    """
    start = _beginning(relationship) + _pack(number) + _previous(previous)
    end = b"" if payload is None or salt is None else _HASH + commitment(salt, payload)
    if not (header.startswith(start) and header.endswith(end)):
        raise LogDamaged(
            f"number {number} does not follow from what it stands on; run: enishi verify"
        )
    return [header[len(start) : len(header) - len(end)], salt, payload]


class LineStart(NamedTuple):
    """The next records are those of a line from number `fork` on; before, it is line `parent`.

    `previous` is the hash of the record before them, None at the beginning.
    """

    parent: int
    fork: int
    previous: bytes | None


def line_order(
    lengths: Sequence[int], hash_of: Callable[[int, int], bytes]
) -> list[tuple[int, LineStart]]:
    """Which line comes when, and where each leaves an earlier one, given how many records each has
    and the hash of a line's record, by number.

    Where lines part, the one with the smaller hash comes first.
    """

    def shared(one: int, other: int) -> int:
        # What differs once differs from there on.
        numbers = range(min(lengths[one], lengths[other]))
        return bisect(numbers, False, key=lambda n: hash_of(one, n) != hash_of(other, n))

    def compared(one: int, other: int) -> int:
        fork = shared(one, other)
        if fork in (lengths[one], lengths[other]):
            return lengths[one] - lengths[other]
        return -1 if hash_of(one, fork) < hash_of(other, fork) else 1

    started: list[tuple[int, LineStart]] = []
    for line in sorted(range(len(lengths)), key=cmp_to_key(compared)):
        parent, fork = 0, 0
        for place, (other, _) in enumerate(started):
            if (common := shared(other, line)) > fork:
                parent, fork = place, common
        previous = hash_of(line, fork - 1) if fork else None
        started.append((line, LineStart(parent, fork, previous)))
    return started


def manifest_frame(manifest: Manifest) -> dict[str, Any]:
    """The first frame of a pack: sorted by key, so that it is the same everywhere."""
    return _sorted(manifest.model_dump(exclude_none=True))  # type: ignore[no-any-return]


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value


class PackReader:
    """Reads a pack in one pass: `manifest` at once, lines and records by iterating.

    Records come many at a time; all of them belong to the line that was told before. Shapes, counts
    and tips are checked on the way, and the seal at the end; what the records say is checked by
    whoever takes them in.
    """

    def __init__(self, source: BinaryIO, name: str) -> None:
        self.name = name
        self._frames = FrameReader(source, name)
        self._chunks = self._frames.chunks()
        first = next(self._chunks, [])
        self.manifest = self._read_manifest(first)
        self._rest = first[1:]
        self._lines = 0
        self._fork = 0
        self._length = 0
        self._tip: bytes | None = None
        self._counts = [0, 0]

    @property
    def seal(self) -> Seal:
        """What the pack ended with; there once it was read to its end."""
        assert self._frames.seal is not None, "the seal comes last"
        return self._frames.seal

    def __iter__(self) -> Iterator[LineStart | list[PackedRecord]]:
        manifest = self.manifest
        for frames in chain([self._rest], self._chunks):
            place = 0
            while place < len(frames):
                records = self._records(frames[place:]) if self._lines else []
                if records:
                    place += len(records)
                    yield records
                else:
                    yield self._line_start(self._frames.value(frames[place]))
                    place += 1
        self._end_line()
        if self._lines != len(manifest.lines):
            raise self._damaged(
                f"it has {self._lines} lines and its manifest {len(manifest.lines)}"
            )
        gone = manifest.erased + manifest.withheld
        if self._counts != [gone, manifest.payloads] or sum(self._counts) != manifest.records:
            raise self._damaged("the counts of its manifest differ from its records")

    def _records(self, frames: Sequence[bytes]) -> list[PackedRecord]:
        """The records that come next, each with the parts of its header that follow from the rest.

        They end where a frame is no record.
        """
        start = _beginning(self.manifest.relationship)
        number, previous = self._length, _previous(self._tip)
        records: list[PackedRecord] = []
        for data in frames:
            try:
                middle, salt, payload = _frame(data)
            except NOT_FITTING:
                break
            committed = None if salt is None or payload is None else commitment(salt, payload)
            end = b"" if committed is None else _HASH + committed
            header = start + _pack(number) + previous + middle + end
            digest = header_hash(header)
            records.append(_packed(PackedRecord, (header, digest, salt, payload, committed)))
            number, previous = number + 1, _HASH + digest
        if records:
            self._length, self._tip = number, records[-1].hash
            there = sum(record.payload is not None for record in records)
            self._counts[1] += there
            self._counts[0] += len(records) - there
        return records

    def _line_start(self, value: Any) -> LineStart:
        match value:
            case [int(parent), int(fork), bytes() | None as previous]:
                self._end_line()
                if self._lines == len(self.manifest.lines):
                    raise self._damaged("it has more lines than its manifest says")
                start = LineStart(parent, fork, previous)
                if not self._can_leave(start):
                    raise self._damaged(f"line {self._lines} leaves no earlier one")
                self._lines, self._fork = self._lines + 1, fork
                self._length, self._tip = fork, previous
                return start
        raise self._damaged("a frame is neither a line nor a record")

    def _can_leave(self, start: LineStart) -> bool:
        if self._lines == 0:
            return start == LineStart(0, 0, None)
        parents = self.manifest.lines[: self._lines]
        return 0 <= start.parent < len(parents) and (0 < start.fork <= parents[start.parent].length)

    def _end_line(self) -> None:
        lines = self._lines
        if lines == 0:
            return
        said = self.manifest.lines[lines - 1]
        if (self._length, self._tip) != (said.length, said.tip) or self._length == self._fork:
            raise self._damaged(f"line {lines - 1} does not end as the manifest says")

    def _read_manifest(self, frames: Sequence[bytes]) -> Manifest:
        value = self._frames.value(frames[0]) if frames else None
        if not isinstance(value, dict):
            raise self._damaged("it does not begin with a manifest")
        try:
            manifest = Manifest.model_validate(value, strict=False)
        except ValidationError as error:
            raise self._damaged(f"its manifest does not fit: {misfit_of(error)}") from None
        if len(manifest.lines) > LINES:
            raise PackTooLarge(
                f"{self.name} has {len(manifest.lines)} lines, and {LINES} is the most"
            )
        return manifest

    def _damaged(self, what: str) -> PackDamaged:
        return PackDamaged(f"{self.name} is damaged: {what}")
