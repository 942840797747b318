"""Pack files: opening one, whatever protects it, and looking into it without a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from enishi.kernel.encoding import decode_header, decode_payload
from enishi.kernel.errors import LogDamaged, MissingExtra, PackDamaged, UnreadableFile
from enishi.kernel.keyring import signed_by
from enishi.kernel.log import Line
from enishi.kernel.verification import Walk
from enishi.packs.frames import TITLE
from enishi.packs.memorypack import LineStart, Manifest, PackReader
from enishi.packs.sealing import AGE, decrypting, is_encrypted


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
    signature: str


def is_pack(start: bytes) -> bool:
    """Whether these first bytes of a file are those of a pack, encrypted or not."""
    return is_encrypted(start) or TITLE in start[:64]


@contextmanager
def open_pack(
    path: Path, identity: str | None = None, passphrase: str | None = None
) -> Iterator[PackReader]:
    """A pack file, ready to be read. `identity` or `passphrase` opens an encrypted one."""
    try:
        source = path.open("rb")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from None
    with source:
        start = source.read(len(AGE))
        source.seek(0)
        if is_encrypted(start):
            with decrypting(source, path.name, identity, passphrase) as inside:
                yield PackReader(inside, path.name)
        else:
            yield PackReader(source, path.name)


def inspect_pack(
    path: Path, identity: str | None = None, passphrase: str | None = None
) -> PackInspection:
    """Read a pack to its end and check all that it says. What does not fit is a PackError."""
    with path.open("rb") as source:
        encrypted = is_encrypted(source.read(len(AGE)))
    starts: list[LineStart] = []
    with open_pack(path, identity, passphrase) as reader:
        starts = [item for item in reader if isinstance(item, LineStart)]
        seal = reader.seal
    for line in range(len(starts)):
        with open_pack(path, identity, passphrase) as reader:
            _check_line(reader, _parts(starts, line))
    signature = "none"
    if seal.signature is not None:
        try:
            right = signed_by(seal.signature.signer, seal.signature.signature, seal.signed_bytes)
            signature = "right" if right else "wrong"
        except MissingExtra:
            signature = "unchecked"
    signer = None if seal.signature is None else seal.signature.signer.hex()
    return PackInspection(seal.digest.hex(), encrypted, reader.manifest, signer, signature)


def _parts(starts: list[LineStart], line: int) -> dict[int, range]:
    """Of which lines of the pack, and with which numbers, a line consists from its beginning."""
    parts, stop = {line: range(starts[line].fork, 1 << 32)}, starts[line].fork
    while stop:
        line = starts[line].parent
        parts[line] = range(starts[line].fork, stop)
        stop = min(stop, starts[line].fork)
    return parts


def _check_line(reader: PackReader, parts: dict[int, range]) -> None:
    """Check each record of one line, from its first to its last."""
    walk: Walk | None = None
    line, number = -1, 0
    for item in reader:
        if isinstance(item, LineStart):
            line, number = line + 1, item.fork
            continue
        number += 1
        if number - 1 not in parts.get(line, ()):
            continue
        try:
            walk = walk or Walk(_line(reader.manifest, item.payload))
            kind = decode_header(item.header).type
        except LogDamaged as error:
            raise PackDamaged(f"{reader.name} is damaged: {error}") from None
        walk.take(number - 1, kind, item.header, item.hash, item.salt, item.payload)
        if walk.problems:
            raise PackDamaged(f"{reader.name} is damaged: {walk.problems[0]}")
    if walk is not None:
        walk.check_parties()
        if walk.problems:
            raise PackDamaged(f"{reader.name} is damaged: its manifest names other parties")


def _line(manifest: Manifest, founding: bytes | None) -> Line:
    secret = decode_payload(founding).get("secret", b"") if founding is not None else b""
    return Line(0, manifest.relationship, secret, manifest.agent, manifest.user)
