"""Pack files: opening one, whatever protects it, and looking into it without a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from enishi.kernel.encoding import decode_header, decode_payload
from enishi.kernel.errors import LogDamaged, MissingExtra, PackDamaged, UnreadableFile, WrongSigner
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
    with _opened(path) as source:
        start = source.read(len(AGE))
        source.seek(0)
        if is_encrypted(start):
            with decrypting(source, path.name, identity, passphrase) as inside:
                yield PackReader(inside, path.name)
        else:
            yield PackReader(source, path.name)


def check_signer(reader: PackReader, wanted: bytes | None) -> bytes | None:
    """The key that sealed a pack which was read to its end; None where it is not signed.

    A signature that does not fit is WrongSigner, and so is any but that of `wanted`, if given.
    """
    seal = reader.seal
    if seal.signature is None:
        if wanted is not None:
            raise WrongSigner(f"{reader.name} is not signed")
        return None
    key, signature = seal.signature
    if not signed_by(key, signature, seal.signed_bytes):
        raise WrongSigner(f"the signature of {reader.name} does not fit what it signs")
    if wanted is not None and key != wanted:
        raise WrongSigner(f"{reader.name} is signed by {key.hex()}, not by {wanted.hex()}")
    return key


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
    with open_pack(path, identity, passphrase) as whole:
        starts = [item for item in whole if isinstance(item, LineStart)]
        seal = whole.seal
    for line in range(len(starts)):
        with open_pack(path, identity, passphrase) as reader:
            _check_line(reader, _parts(starts, line))
    signature = "none" if seal.signature is None else "right"
    try:
        check_signer(whole, wanted)
    except (WrongSigner, MissingExtra) as error:
        if wanted is not None:
            raise
        signature = "wrong" if isinstance(error, WrongSigner) else "unchecked"
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
