"""Age files for a passphrase, written and read as a stream (https://age-encryption.org/v1).

The package that makes age files for public keys holds one for a passphrase in memory as a whole.
This is the same format for any size, made of its parts: scrypt, HKDF and HMAC with SHA-256, and
ChaCha20-Poly1305 in pieces of 64 KiB, each of which is checked before any of it is believed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from collections.abc import Iterator
from io import RawIOBase
from typing import Any, BinaryIO

from enishi.kernel.errors import MissingExtra, PackDamaged, PackTooLarge, WrongKey

AGE = b"age-encryption.org/v1"
"""How an age file begins."""

WORK = 18
"""The power of two of scrypt's work, as the `age` tool has it: 256 MiB for a second or so."""

MOST_WORK = 20
"""The most that is done for a file, whatever it asks for: 1 GiB."""

_PIECE = 64 * 1024
_TAG = 16
_HEADER = re.compile(
    rb"age-encryption\.org/v1\n-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n"
    rb"([A-Za-z0-9+/]{43})\n--- ([A-Za-z0-9+/]{43})\n"
)
_LONGEST_HEADER = 160
_NO_NONCE = bytes(12)


class Encrypting:
    """What is written to it comes out encrypted in `out`, whole once `end` was called."""

    def __init__(self, out: BinaryIO, passphrase: str) -> None:
        salt, key, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
        body = _cipher(_wrapping(passphrase, salt, WORK)).encrypt(_NO_NONCE, key, None)
        header = b"%s\n-> scrypt %s %d\n%s\n---" % (AGE, _encoded(salt), WORK, _encoded(body))
        out.write(b"%s %s\n%s" % (header, _encoded(_mac(key, header)), nonce))
        self._out = out
        self._cipher = _cipher(_derived(key, nonce, b"payload"))
        self._pending = bytearray()
        self._piece = 0

    def write(self, data: bytes) -> int:
        """Take the next bytes."""
        self._pending += data
        # The last piece is marked, so that one is kept back until there is more.
        while len(self._pending) > _PIECE:
            self._put(bytes(self._pending[:_PIECE]), last=False)
            del self._pending[:_PIECE]
        return len(data)

    def end(self) -> None:
        """Write the last piece. Without it the file is one that was cut short."""
        self._put(bytes(self._pending), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        self._out.write(self._cipher.encrypt(_counter(self._piece, last), piece, None))
        self._piece += 1


class Decrypting(RawIOBase):
    """A file to read from. A passphrase that does not fit is WrongKey at once; what was changed or
    cut short is PackDamaged when it is met.
    """

    def __init__(self, source: BinaryIO, name: str, passphrase: str) -> None:
        self._source = source
        self._name = name
        start = source.read(_LONGEST_HEADER)
        found = _HEADER.match(start)
        if found is None:
            raise WrongKey(f"{name} is encrypted otherwise than with a passphrase")
        salt, body, mac = (_decoded(found[part]) for part in (1, 3, 4))
        # The last letter of each has bits to spare, which have to be as they are written.
        if _encoded(mac) != found[4]:
            raise PackDamaged(f"{name} was changed or cut short: its header does not fit")
        if int(found[2]) > MOST_WORK:
            raise PackTooLarge(f"{name} asks for more than 1 GiB of memory to be opened")
        wrapping = _cipher(_wrapping(passphrase, salt, int(found[2])))
        key = _opened(wrapping, _NO_NONCE, body)
        if key is None:
            raise WrongKey(f"{name} is not opened by this key or passphrase")
        if not hmac.compare_digest(mac, _mac(key, found[0][: found.start(4) - 1])):
            raise PackDamaged(f"{name} was changed or cut short: its header does not fit")
        rest = start[found.end() :]
        rest += source.read(max(0, 16 - len(rest)))
        self._cipher = _cipher(_derived(key, rest[:16], b"payload"))
        self._pieces = self._read(rest[16:])
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Put the next bytes into a buffer. Returns how many, 0 at the end."""
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        return size

    def _read(self, rest: bytes) -> Iterator[bytes]:
        sealed, number, last = rest, 0, False
        while not last:
            sealed += self._source.read(_PIECE + _TAG + 1 - len(sealed))
            last = len(sealed) <= _PIECE + _TAG
            piece = _opened(self._cipher, _counter(number, last), sealed[: _PIECE + _TAG])
            if piece is None or (last and number and not piece):
                raise PackDamaged(f"{self._name} was changed or cut short: copy the file again")
            sealed, number = sealed[_PIECE + _TAG :], number + 1
            if piece:
                yield piece


def _wrapping(passphrase: str, salt: bytes, work: int) -> bytes:
    return hashlib.scrypt(
        passphrase.encode(), salt=AGE + b"/scrypt" + salt, n=1 << work, r=8, p=1, dklen=32,
        maxmem=(1 << work) * 1024 + (1 << 20),
    )  # fmt: skip


def _derived(key: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF with SHA-256, one block of it."""
    extracted = hmac.digest(salt or bytes(32), key, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def _mac(key: bytes, header: bytes) -> bytes:
    return hmac.digest(_derived(key, b"", b"header"), header, "sha256")


def _counter(piece: int, last: bool) -> bytes:
    return piece.to_bytes(11, "big") + bytes([last])


def _opened(cipher: Any, nonce: bytes, sealed: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(cipher.decrypt(nonce, sealed, None))
    except (InvalidTag, ValueError):
        return None


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError:
        raise MissingExtra("encrypted packs need: pip install 'enishi[crypto]'") from None
    return ChaCha20Poly1305(key)


def _encoded(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _decoded(data: bytes) -> bytes:
    return base64.b64decode(data + b"=" * (-len(data) % 4))
