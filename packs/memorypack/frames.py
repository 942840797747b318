"""The container of a MemoryPack: a zstd file of length-prefixed frames, sealed and maybe signed.

It is three zstd frames after each other, so that any zstd tool opens it:

- a skippable frame with the words `enishi memorypack` and the version of the format;
- one ordinary frame: a sequence of (length as four bytes, big endian; msgpack), the last of which
  is the seal: how many came before it, and the SHA-256 of all their bytes;
- a skippable frame with the SHA-256 of all bytes before it and, where the pack is signed, the
  signer's public key and the signature of the seal.

Reading never believes a length, a ratio or an end: each has a limit, and a file that ends early, or
goes on, is an error.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import msgpack

from enishi.kernel.errors import (
    PackDamaged,
    PackTooLarge,
    PackTooNew,
    PackTruncated,
    UnreadableFile,
)
from enishi.kernel.zstandard import zstd

FORMAT = 1
"""The version of the container and of what its frames mean."""

FRAME_BYTES = 16 * 1024 * 1024
"""The longest frame that is read or written."""

RATIO = 1000
"""How much longer than the file its content may be; beyond a few mebibytes no real pack comes near."""

SLACK = 16 * 1024 * 1024
"""What a file may always expand to, whatever its own size."""

LEVEL = 3

TITLE = b"enishi memorypack "
"""How a pack introduces itself, before the number of its version."""
_OPENS, _ENDS = 0x184D2A5E, 0x184D2A5F
_SKIPPABLE = struct.Struct("<II")
_LENGTH = struct.Struct(">I")
_CHUNK = 256 * 1024
_WINDOW = 23  # 8 MiB: what a pack may make its reader keep
_SEAL_DOMAIN = b"enishi/memorypack/1\0"
_TRAILER_BYTES = 4096


class Signature(NamedTuple):
    """Who sealed a pack: an Ed25519 public key, and its signature of the seal."""

    signer: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """What a pack ended with. `digest` is the SHA-256 of its uncompressed stream."""

    frames: int
    digest: bytes
    signature: Signature | None

    @property
    def signed_bytes(self) -> bytes:
        """What a signature is made of."""
        return signed_bytes(self.digest)


def signed_bytes(digest: bytes) -> bytes:
    """The bytes that the signer of a stream with this digest signs."""
    return _SEAL_DOMAIN + digest


def write_frames(
    out: BinaryIO,
    frames: Iterable[Any],
    sign: Callable[[bytes], Signature] | None = None,
) -> Seal:
    """Write a container. `sign` is given the bytes to sign. The same frames give the same bytes."""
    title = TITLE + str(FORMAT).encode()
    whole = hashlib.sha256()

    def put(data: bytes) -> None:
        whole.update(data)
        out.write(data)

    put(_SKIPPABLE.pack(_OPENS, len(title)) + title)
    compressor = zstd.ZstdCompressor(level=LEVEL)
    digest, count, pending, size = hashlib.sha256(), 0, [], 0
    pack = msgpack.Packer(use_bin_type=True, autoreset=True).pack

    def add(value: Any) -> None:
        nonlocal size
        data = pack(value)
        if len(data) > FRAME_BYTES:
            raise PackTooLarge(f"a frame has {len(data)} bytes, and {FRAME_BYTES} is the most")
        pending.append(_LENGTH.pack(len(data)))
        pending.append(data)
        size += len(data) + _LENGTH.size

    def flush() -> None:
        nonlocal size
        data = b"".join(pending)
        pending.clear()
        size = 0
        digest.update(data)
        put(compressor.compress(data))

    for value in frames:
        add(value)
        count += 1
        if size >= _CHUNK:
            flush()
    flush()
    add([count, digest.digest()])
    flush()
    put(compressor.flush())
    signature = None if sign is None else sign(signed_bytes(digest.digest()))
    trailer = pack([whole.digest(), *(signature or ())])
    out.write(_SKIPPABLE.pack(_ENDS, len(trailer)) + trailer)
    return Seal(count, digest.digest(), signature)


class FrameReader:
    """Reads a container frame by frame: iterate to the end, then `seal` is there and was checked.

    Nothing that a frame says may be believed for good before the end was reached.
    """

    def __init__(self, source: BinaryIO, name: str) -> None:
        self._source = source
        self._name = name
        self.seal: Seal | None = None
        self._expander: Any = zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: _WINDOW}
        )
        self._whole = hashlib.sha256()
        self._unhashed = b""
        self._taken = 0
        self._made = 0
        self._check_title()

    def __iter__(self) -> Iterator[Any]:
        for frames in self.chunks():
            for data in frames:
                yield self.value(data)

    def chunks(self) -> Iterator[list[bytes]]:
        """The bytes of the frames, many at a time, without their lengths."""
        digest, count, buffer = hashlib.sha256(), 0, b""
        while (more := self._more()) is not None:
            buffer += more
            frames, last = self._cut(buffer)
            if len(frames) > 1:
                # The last one so far may be the seal, which comes after all that it seals.
                digest.update(memoryview(buffer)[:last])
                buffer = buffer[last:]
                count += len(frames) - 1
                yield frames[:-1]
        frames, _ = self._cut(buffer)
        if len(frames) != 1 or len(frames[0]) + _LENGTH.size != len(buffer):
            raise PackTruncated(f"{self._name} ends in the middle; copy the file again")
        self._check_seal(buffer, frames[0], count, digest)

    def _cut(self, buffer: bytes) -> tuple[list[bytes], int]:
        """The whole frames in a buffer, and where the last of them begins, its length included."""
        frames, place, last, end = [], 0, 0, len(buffer) - _LENGTH.size
        unpack, head = _LENGTH.unpack_from, _LENGTH.size
        while place <= end:
            (length,) = unpack(buffer, place)
            if length > FRAME_BYTES:
                raise PackTooLarge(
                    f"{self._name}: a frame claims {length} bytes; it is no pack of ours"
                )
            stop = place + head + length
            if stop > len(buffer):
                break
            frames.append(buffer[place + head : stop])
            last, place = place, stop
        return frames, last

    def _more(self) -> bytes | None:
        """The next expanded bytes, or None at the end of the compressed frame."""
        expander = self._expander
        while not expander.eof:
            data = b""
            if expander.needs_input:
                data = self._source.read(_CHUNK)
                self._taken += len(data)
                self._whole.update(self._unhashed)
                self._unhashed = data
                if not data:
                    raise PackTruncated(f"{self._name} ends in the middle; copy the file again")
            try:
                found: bytes = expander.decompress(data, _CHUNK)
            except zstd.ZstdError:
                raise PackDamaged(f"{self._name} is damaged: it cannot be expanded") from None
            self._made += len(found)
            if self._made > SLACK and self._made > RATIO * self._taken:
                raise PackTooLarge(
                    f"{self._name} expands to more than {RATIO} times its size; it is no pack of ours"
                )
            if found:
                return found
        return None

    def value(self, data: bytes) -> Any:
        """What a frame holds. Bytes that are no plain msgpack are PackDamaged."""
        try:
            return msgpack.unpackb(data, ext_hook=_no_extension, timestamp=0)
        except msgpack.exceptions.StackError:
            raise PackTooLarge(f"{self._name} nests too deeply; it is no pack of ours") from None
        except Exception as error:  # noqa: BLE001 - changed bytes may fail in any way
            if "exceeds max_" in str(error):
                raise PackTooLarge(f"{self._name}: a frame claims more than it has") from None
            raise PackDamaged(f"{self._name} is damaged: a frame cannot be read") from None

    def _check_title(self) -> None:
        start = self._source.read(_SKIPPABLE.size)
        if len(start) < _SKIPPABLE.size:
            raise UnreadableFile(f"{self._name} is no MemoryPack")
        magic, length = _SKIPPABLE.unpack(start)
        title = self._source.read(length) if length <= 64 else b""
        if magic != _OPENS or not title.startswith(TITLE):
            raise UnreadableFile(f"{self._name} is no MemoryPack")
        self._whole.update(start + title)
        version = title.removeprefix(TITLE)
        if not version.isdigit() or version == b"0":
            raise PackDamaged(f"{self._name} is damaged: it names no version")
        if int(version) > FORMAT:
            raise PackTooNew(
                f"{self._name} has format {int(version)} and this Enishi knows {FORMAT}; "
                "update Enishi"
            )

    def _check_seal(self, last: bytes, seal: bytes, count: int, digest: Any) -> None:
        match self.value(seal):
            case [int(frames), bytes(sealed)] if len(sealed) == 32:
                if frames != count or sealed != digest.digest():
                    raise PackDamaged(
                        f"{self._name} was changed: its seal does not fit its content"
                    )
            case _:
                raise PackTruncated(f"{self._name} has no seal at its end; copy the file again")
        digest.update(last)
        self.seal = Seal(count, digest.digest(), self._trailer())

    def _trailer(self) -> Signature | None:
        unused = self._expander.unused_data
        self._whole.update(self._unhashed[: len(self._unhashed) - len(unused)])
        rest = unused + self._source.read(_TRAILER_BYTES + 1)
        magic, length = _SKIPPABLE.unpack_from(rest.ljust(_SKIPPABLE.size, b"\0"))
        body = rest[_SKIPPABLE.size :]
        if len(rest) < _SKIPPABLE.size or magic == _ENDS and len(body) < length <= _TRAILER_BYTES:
            raise PackTruncated(f"{self._name} ends in the middle; copy the file again")
        if magic != _ENDS or len(body) != length:
            raise PackDamaged(f"{self._name} is damaged: it does not end as a pack does")
        match self.value(body):
            case [bytes(whole), *signed] if whole == self._whole.digest():
                pass
            case _:
                raise PackDamaged(f"{self._name} was changed: its bytes are not those that it had")
        match signed:
            case []:
                return None
            case [bytes(signer), bytes(signature)]:
                return Signature(signer, signature)
        raise PackDamaged(f"{self._name} is damaged: it ends in no signature")


def _no_extension(code: int, data: bytes) -> Any:
    raise ValueError(f"an extension type ({code}), and none occurs in a pack")
