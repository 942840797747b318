"""A pack in: checked from its first byte to its last, and then all of it is here, or none of it.

Every line of the pack is first written down as a line that has only arrived. When the pack was
read to its end and nothing was wrong, each is settled with the lines of the same relationship that
are here: it takes its place as a new one, lets one of them go on, is a branch where they part, or
goes again, since all of it was here. What an older copy had withheld is filled in, and tombstones
of either side hold for both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.rejudging import Rejudged, rejudge
from enishi.kernel.encoding import decode_header, decode_payload
from enishi.kernel.erasure import Part, complete, obey, tombstones
from enishi.kernel.errors import (
    Conflict,
    LogDamaged,
    PackConflict,
    PackDamaged,
    WrongSigner,
)
from enishi.kernel.fold import fold_of
from enishi.kernel.history import TOMBSTONES
from enishi.kernel.keyring import Signer, signed_by, signer_of
from enishi.kernel.lines import (
    RawRecord,
    add_raw,
    copy_start,
    drop_line,
    fill_in,
    lines_of,
    replace_line,
)
from enishi.kernel.log import Line, Log
from enishi.kernel.stream import Stream
from enishi.kernel.verification import Walk
from enishi.packs.memorypack import LineStart, Manifest, PackedRecord, PackReader
from enishi.projections import PROJECTIONS

Outcome = Literal["new", "nothing new", "went on", "branch", "tombstones"]
"""What became of a line of a pack: it began here, was here already, went on from where it ended
here, was taken in as a branch, or gave nothing but its tombstones."""

OpenStream = Callable[[Line], Stream]
Progress = Callable[[int, int], None]

_ROWS = 500


@dataclass(frozen=True, slots=True)
class LineTaken:
    """What became of one line: records added, withheld payloads that came, payloads erased here.

    `name` is the name of the line, empty for the relationship's first. `rejudged` says how many of
    its decisions were judged again. `digests` are those that differ from what the manifest says,
    as (branch, projection); `unknown` those that this Enishi folds in another version.
    """

    outcome: Outcome
    name: str
    records: int
    filled: int
    erased: int
    rejudged: Rejudged
    differing: tuple[tuple[str, str], ...]
    unknown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PackTaken:
    """What became of a pack. `signer` is who sealed it, by hexadecimal key, and `known` whether
    this store knows that signer."""

    agent: str
    user: str
    signer: str | None
    known: bool
    lines: tuple[LineTaken, ...]

    @property
    def changed(self) -> bool:
        """Whether anything is here now that was not before, or the other way round."""
        return any(line.records or line.filled or line.erased for line in self.lines)


class Wanted(NamedTuple):
    """How a pack is to be taken in.

    `as_branch` names the line where both sides went on. `accept_erasures`: tombstones of a signer
    whom nobody here knows may destroy texts. `signer`: nobody else's pack is taken. `dry_run`:
    everything is checked, and nothing is kept.
    """

    as_branch: str | None = None
    accept_erasures: bool = False
    signer: bytes | None = None
    dry_run: bool = False


class _DryRun(Exception):
    """Ends the transaction of a dry run."""


def take_pack(
    log: Log,
    reader: PackReader,
    open_stream: OpenStream,
    wanted: Wanted,
    progress: Progress = lambda done, total: None,
) -> PackTaken:
    """Take a pack in, in one transaction. Whatever is wrong with it is a PackError or PackConflict."""
    taken: PackTaken | None = None
    try:
        with log.writing():
            taken = _Taking(log, reader, open_stream, wanted, progress).take()
            if wanted.dry_run:
                raise _DryRun
    except _DryRun:
        pass
    assert taken is not None
    return taken


class _Taking:
    """One pack, inside of one transaction."""

    def __init__(
        self,
        log: Log,
        reader: PackReader,
        open_stream: OpenStream,
        wanted: Wanted,
        progress: Progress,
    ) -> None:
        self._log = log
        self._reader = reader
        self._manifest = reader.manifest
        self._open = open_stream
        self._wanted = wanted
        self._progress = progress
        self._trusted = False

    def take(self) -> PackTaken:
        manifest = self._manifest
        here = lines_of(self._log, manifest.relationship)
        if not here and self._log.line_of(manifest.agent, manifest.user) is not None:
            raise PackConflict(
                f"{manifest.agent!r} and {manifest.user!r} have a history of their own here, which "
                "is not the one in the pack; `enishi rebind` gives one of them another name"
            )
        arrived = self._read()
        signer, known = self._signer()
        self._trusted = known is not None or self._wanted.accept_erasures
        settled = [self._settle(line, here) for line in arrived]
        lines = tuple(
            self._checked(*one, place) for place, one in enumerate(settled) if one is not None
        )
        hexadecimal = None if signer is None else signer.hex()
        return PackTaken(manifest.agent, manifest.user, hexadecimal, known is not None, lines)

    def _read(self) -> list[Line]:
        """Write all lines down as they come, checking each record."""
        arrived: list[Line] = []
        start = LineStart(0, 0)
        walk: Walk | None = None
        rows: list[RawRecord] = []
        done = 0

        def flush() -> None:
            if rows:
                add_raw(self._log, arrived[-1].line, rows)
                rows.clear()

        for item in self._reader:
            if isinstance(item, LineStart):
                flush()
                self._end(walk)
                start, walk = item, None
                continue
            if walk is None:
                arrived.append(self._arrive(arrived, start, item))
                walk = Walk(arrived[-1])
                for row in self._log.raw(arrived[-1].line):
                    walk.take(*row)
            rows.append(self._record(walk, item))
            done += 1
            if len(rows) == _ROWS:
                flush()
                self._progress(done, self._manifest.records)
        flush()
        self._end(walk)
        self._progress(done, self._manifest.records)
        return arrived

    def _arrive(self, arrived: list[Line], start: LineStart, first: PackedRecord) -> Line:
        manifest, name = self._manifest, f"(arriving {len(arrived)})"
        if start.fork:
            parent = arrived[start.parent]
            secret = parent.secret
        elif first.payload is None:
            raise self._damaged("the founding of the relationship is not in it")
        else:
            secret = _secret(first.payload)
        line = self._log.add_line(
            manifest.relationship, secret, manifest.agent, manifest.user, name
        )
        if start.fork:
            copy_start(self._log, parent.line, line.line, start.fork)
        return line

    def _record(self, walk: Walk, packed: PackedRecord) -> RawRecord:
        try:
            header = decode_header(packed.header)
        except LogDamaged as error:
            raise self._damaged(f"number {walk.number}: {error}") from None
        record = RawRecord(walk.number, header.type, packed.hash, *packed)
        record = record._replace(header=packed.header, hash=packed.hash)
        walk.take(*record)
        if walk.problems:
            raise self._damaged(str(walk.problems[0]))
        return record

    def _end(self, walk: Walk | None) -> None:
        again = sorted(walk.present & walk.tombstones) if walk else []
        if again:
            raise self._damaged(f"number {again[0]} was erased, and its payload is there")

    def _signer(self) -> tuple[bytes | None, bool]:
        """Who sealed the pack, and whether this store knows that signer."""
        seal, wanted = self._reader.seal, self._wanted.signer
        if seal.signature is None:
            if wanted is not None:
                raise WrongSigner(f"{self._reader.name} is not signed")
            return None, False
        key, signature = seal.signature
        if not signed_by(key, signature, seal.signed_bytes):
            raise WrongSigner(f"the signature of {self._reader.name} does not fit what it signs")
        if wanted is not None and key != wanted:
            raise WrongSigner(f"{self._reader.name} is signed by {key.hex()}, not by {wanted.hex()}")
        return key, signer_of(self._log, key) is not None

    def _damaged(self, what: str) -> PackDamaged:
        return PackDamaged(f"{self._reader.name} is damaged: {what}")


def _secret(founding: bytes) -> bytes:
    try:
        found = decode_payload(founding).get("secret")
    except LogDamaged:
        found = None
    return found if isinstance(found, bytes) else b""
