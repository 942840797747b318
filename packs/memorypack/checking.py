"""A pack against itself: its records as they come, many at a time, and what its manifest says."""

from __future__ import annotations

from collections.abc import Sequence

from enishi.kernel.encoding import (
    NOT_FITTING,
    FittingHeader,
    decode_header,
    decode_payload,
    fitting_header,
    fitting_headers,
)
from enishi.kernel.errors import LogDamaged
from enishi.kernel.log import Line
from enishi.kernel.verification import QuickWalk
from enishi.packs.memorypack.format import Manifest, ManifestLine, PackedRecord


def secret_of(founding: PackedRecord) -> bytes:
    """The secret of the relationship that begins with this record. Without its payload that is
    none: LogDamaged.
    """
    if founding.payload is None:
        raise LogDamaged("the founding of the relationship is not in it")
    secret = decode_payload(founding.payload).get("secret")
    return secret if isinstance(secret, bytes) else b""


class LineCheck:
    """One line of a pack while its records come. `sound`: so far all are as they should be.

    What is wrong with one that is not, a slower look at the whole line tells.
    """

    def __init__(self, line: Line) -> None:
        self.walk = QuickWalk(line)
        self.sound = True
        self._named: dict[int, str] = {}

    def take(self, records: Sequence[PackedRecord]) -> list[FittingHeader]:
        """The headers of the next records. Bytes that are no header are LogDamaged."""
        headers = _headers(records, self.walk.number)
        self.walk.previous = records[-1].hash
        _, _, salts, payloads, commitments = zip(*records, strict=True)
        self.sound = self.sound and self.walk.follow(headers, salts, payloads, commitments)
        if self.sound:
            for header, record in zip(headers, records, strict=True):
                if header.type == "BranchForked" and record.payload is not None:
                    self._named[header.number] = decode_payload(record.payload)["name"]
        return headers

    def check_branches(self, said: ManifestLine) -> None:
        """Whether the branches that the manifest gives this line are there, else LogDamaged."""
        for branch in said.branches:
            name = self._named.get(branch.number, branch.name)
            if branch.number not in self.walk.history.branches or name != branch.name:
                raise LogDamaged(
                    f"its manifest names a branch {branch.name!r} at number {branch.number}, "
                    "which is none"
                )


def _headers(records: Sequence[PackedRecord], number: int) -> list[FittingHeader]:
    try:
        return fitting_headers([record.header for record in records])
    except NOT_FITTING:
        pass
    for place, record in enumerate(records, number):
        try:
            decode_header(record.header)
            fitting_header(record.header)
        except LogDamaged as error:
            raise LogDamaged(f"number {place}: {error}") from None
        except NOT_FITTING:
            raise LogDamaged(f"number {place}: these bytes are no record header") from None
    raise AssertionError("one of them is none")


class Told:
    """What a manifest has to say of the records, gathered as they come."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {"PolicyAdopted": [], "BlueprintAdopted": []}
        self._erased = 0

    def take(self, headers: Sequence[FittingHeader], records: Sequence[PackedRecord]) -> None:
        """The next records of the pack, each once."""
        for place, header in enumerate(headers):
            payload = records[place].payload if header.type in self._names else None
            if payload is not None:
                self._names[header.type].append(decode_payload(payload)["name"])

    def end_line(self, walk: QuickWalk, fork: int) -> None:
        """A line has ended, whose own records begin with number `fork`."""
        self._erased += sum(number >= fork for number in walk.missing & walk.tombstones)

    def check(self, manifest: Manifest) -> None:
        """Whether the manifest says so. Where it does not, that is LogDamaged."""
        names = [tuple(dict.fromkeys(found)) for found in self._names.values()]
        if (manifest.policies, manifest.blueprints) != tuple(names):
            raise LogDamaged("its manifest names other policies or blueprints than its records")
        if manifest.erased != self._erased:
            raise LogDamaged(
                f"its manifest says that {manifest.erased} records were erased; "
                f"tombstones name {self._erased}"
            )
