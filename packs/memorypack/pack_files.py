"""Pack files: opening one, whatever protects it, and looking into it without a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from enishi.kernel.encoding import decode_header
from enishi.kernel.errors import LogDamaged, MissingExtra, PackDamaged, UnreadableFile, WrongSigner
from enishi.kernel.keys.keyring import signed_by
from enishi.kernel.log import Line
from enishi.kernel.verification import Walk
from enishi.packs.memorypack.age_passphrase import AGE
from enishi.packs.memorypack.checking import LineCheck, Told, secret_of
from enishi.packs.memorypack.format import LineStart, Manifest, PackedRecord, PackReader
from enishi.packs.memorypack.frames import TITLE
from enishi.packs.memorypack.sealing import decrypting, is_encrypted

Signed = Literal["none", "right", "unchecked"]
"""Whether a pack has a signature that fits, none, or one that could not be checked."""


@dataclass(frozen=True, slots=True)
class PackInspection:
    """What a pack says, after everything in it was checked against itself.

    `pack` identifies it: the SHA-256 of its uncompressed stream, in hexadecimal. `signer` is the
    key that sealed it; `signature` says whether it is "right", "wrong", not there ("none"), or
    could not be checked ("unchecked").
    """

    pack: str
    encrypted: bool
    manifest: Manifest
    signer: str | None
    signature: Signed | Literal["wrong"]


def is_pack(start: bytes) -> bool:
    """Whether these first bytes of a file are those of a pack, encrypted or not."""
    return is_encrypted(start) or TITLE in start[:64]


@contextmanager
def open_pack(
    path: Path, identity: str | None = None, passphrase: str | None = None
) -> Iterator[PackReader]:
    """A pack file, ready to be read. `identity` or `passphrase` opens an encrypted one."""
    with _opened(path) as source:
        start = source.read(len(AGE))
        source.seek(0)
        if is_encrypted(start):
            with decrypting(source, path.name, identity, passphrase) as inside:
                yield PackReader(inside, path.name)
        else:
            yield PackReader(source, path.name)


def check_signer(reader: PackReader, wanted: bytes | None) -> tuple[bytes | None, Signed]:
    """The key that a pack which was read to its end names as its signer's, and whether it is.

    A signature that does not fit is WrongSigner, and so is any but that of `wanted`, if given.
    Without the extra `crypto` a signature is "unchecked": it says no more than none would, since
    whoever changes a pack can leave it out. Where somebody is `wanted`, that is MissingExtra.
    """
    seal = reader.seal
    if seal.signature is None:
        if wanted is not None:
            raise WrongSigner(f"{reader.name} is not signed")
        return None, "none"
    key, signature = seal.signature
    if wanted is not None and key != wanted:
        raise WrongSigner(f"{reader.name} is signed by {key.hex()}, not by {wanted.hex()}")
    try:
        fits = signed_by(key, signature, seal.signed_bytes)
    except MissingExtra:
        if wanted is not None:
            raise
        return key, "unchecked"
    if not fits:
        raise WrongSigner(f"the signature of {reader.name} does not fit what it signs")
    return key, "right"


def inspect_pack(
    path: Path,
    identity: str | None = None,
    passphrase: str | None = None,
    wanted: bytes | None = None,
) -> PackInspection:
    """Read a pack to its end and check all that it says. What does not fit is a PackError.

    A signature that is wrong, or cannot be checked, is part of the answer, unless `wanted` is the
    only signer that is taken.
    """
    with _opened(path) as source:
        encrypted = is_encrypted(source.read(len(AGE)))
    told, starts, line = Told(), [LineStart(0, 0, None)], 0
    while line < len(starts):
        parts = _parts(starts, line)
        with open_pack(path, identity, passphrase) as whole:
            try:
                starts = _check_line(whole, parts, line, told)
                if line == len(starts) - 1:
                    told.check(whole.manifest)
            except LogDamaged as error:
                what = str(error)
                with open_pack(path, identity, passphrase) as again, suppress(LogDamaged):
                    what = _problem(again, parts, line) or what
                raise PackDamaged(f"{path.name} is damaged: {what}") from None
        line += 1
    seal = whole.seal
    signature: Signed | Literal["wrong"]
    try:
        _, signature = check_signer(whole, wanted)
    except WrongSigner:
        if wanted is not None:
            raise
        signature = "wrong"
    signer = None if seal.signature is None else seal.signature.signer.hex()
    return PackInspection(seal.digest.hex(), encrypted, whole.manifest, signer, signature)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from None


def _parts(starts: list[LineStart], line: int) -> dict[int, range]:
    """Of which lines of the pack, and with which numbers, a line consists from its beginning."""
    parts, stop = {line: range(starts[line].fork, 1 << 32)}, starts[line].fork
    while stop:
        line = starts[line].parent
        parts[line] = range(starts[line].fork, stop)
        stop = min(stop, starts[line].fork)
    return parts


def _check_line(
    reader: PackReader, parts: dict[int, range], line: int, told: Told
) -> list[LineStart]:
    """Check one line, from its first record to its last; what is not as it should be is LogDamaged.

    Returns where the lines of the pack begin.
    """
    starts: list[LineStart] = []
    check: LineCheck | None = None
    for records in _of(parts, reader, starts):
        check = check or LineCheck(_line(reader.manifest, line, records))
        if check.walk.number == starts[-1].fork and check.walk.previous != starts[-1].previous:
            raise LogDamaged(f"line {line} does not follow what it leaves")
        headers = check.take(records)
        if not check.sound:
            raise LogDamaged("it is not as it was written")
        if len(starts) - 1 == line:
            told.take(headers, records)
    if check is not None:
        walk = check.walk
        if problems := walk.end(walk.missing - walk.tombstones):
            raise LogDamaged(str(problems[0]))
        check.check_branches(reader.manifest.lines[line])
        told.end_line(walk, starts[line].fork)
    return starts


def _problem(reader: PackReader, parts: dict[int, range], line: int) -> str:
    """What is wrong with the first record of a line that is not as it should be."""
    walk: Walk | None = None
    for records in _of(parts, reader, []):
        walk = walk or Walk(_line(reader.manifest, line, records))
        for data, digest, salt, payload, _ in records:
            walk.take(walk.number, decode_header(data).type, data, digest, salt, payload)
            if walk.problems:
                return str(walk.problems[0])
    return ""


def _of(
    parts: dict[int, range], reader: PackReader, starts: list[LineStart]
) -> Iterator[list[PackedRecord]]:
    """The records of these parts of lines; where the lines of the pack begin is noted on the way."""
    number = 0
    for item in reader:
        if isinstance(item, LineStart):
            starts.append(item)
            number = item.fork
            continue
        own = parts.get(len(starts) - 1, range(0))
        some = item[max(0, own.start - number) : max(0, own.stop - number)]
        number += len(item)
        if some:
            yield some


def _line(manifest: Manifest, line: int, records: list[PackedRecord]) -> Line:
    """A line of the pack, which begins with these records."""
    return Line(0, manifest.relationship, secret_of(records[0]), *manifest.parties(line))
