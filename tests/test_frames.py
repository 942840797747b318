"""The container of a MemoryPack: whole or a typed error, and never more than its limits."""

from __future__ import annotations

import io
import os
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.errors import (
    EnishiError,
    PackDamaged,
    PackTooLarge,
    PackTooNew,
    UnreadableFile,
    WrongKey,
)
from enishi.packs import frames
from enishi.packs.frames import FrameReader, Signature, write_frames, zstd
from enishi.packs.sealing import decrypting, encrypting, is_encrypted, new_identity

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def written(values: list[Any], signed: bool = False) -> bytes:
    out = io.BytesIO()
    write_frames(out, values, (lambda data: Signature(b"k" * 32, data[-32:])) if signed else None)
    return out.getvalue()


def read(data: bytes) -> tuple[list[Any], FrameReader]:
    reader = FrameReader(io.BytesIO(data), "a.erii")
    return list(reader), reader


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, max_size=6), st.booleans())
def test_what_is_written_is_read(values: list[Any], signed: bool) -> None:
    found, reader = read(written(values, signed))
    assert found == values
    assert reader.seal is not None and reader.seal.frames == len(values)
    assert (reader.seal.signature is not None) == signed


def test_any_zstd_tool_sees_the_same_stream() -> None:
    data = written([{"a": 1}, b"x" * 1000], signed=True)
    plain = b"".join(zstd.ZstdFile(io.BytesIO(data)))
    assert plain.startswith(struct.pack(">I", 4) + b"\x81\xa1a\x01")


@pytest.mark.parametrize("signed", [False, True])
def test_every_cut_and_every_changed_bit_is_a_typed_error(signed: bool) -> None:
    data = written([{"a": 1}, ["text", b"bytes"] * 3], signed)
    for place in range(len(data)):
        with pytest.raises(UnreadableFile):
            read(data[:place])
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            try:
                _, reader = read(bytes(changed))
            except UnreadableFile:
                continue
            # What is left is the signature itself, which its reader checks.
            assert signed and reader.seal and reader.seal.signature != (b"k" * 32, data[-32:])
    with pytest.raises(PackDamaged):
        read(data + b"x")


def test_what_is_no_pack_and_what_is_too_new_say_so() -> None:
    for data in (b"", b"{}", b"PK\x03\x04" + bytes(40), os.urandom(64)):
        with pytest.raises(UnreadableFile, match="no MemoryPack"):
            read(data)
    newer = b"enishi memorypack 2"
    with pytest.raises(PackTooNew, match="update Enishi"):
        read(struct.pack("<II", 0x184D2A5E, len(newer)) + newer)


def raw_pack(stream: bytes) -> bytes:
    return written([])[: 8 + len("enishi memorypack 1")] + zstd.compress(stream)


def test_bombs_are_stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "SLACK", 100_000)
    with pytest.raises(PackTooLarge):
        read(raw_pack(struct.pack(">I", frames.FRAME_BYTES + 1)))
    with pytest.raises(PackTooLarge, match="expands"):
        read(
            raw_pack(struct.pack(">I", 1) + b"\xc0" + (struct.pack(">I", 1) + b"\xc0") * 8_000_000)
        )
    with pytest.raises(PackDamaged, match="array"):
        read(raw_pack(struct.pack(">I", 5) + b"\xdd\xff\xff\xff\xff"))  # an array of 4 G
    deep = b"\x91" * 100_000 + b"\xc0"
    with pytest.raises(EnishiError):
        read(raw_pack(struct.pack(">I", len(deep)) + deep + struct.pack(">I", 1) + b"\xc0"))


def opened(data: bytes, identity: str | None, passphrase: str | None) -> int:
    with decrypting(io.BytesIO(data), "a.erii", identity, passphrase) as inside:
        return len(list(FrameReader(inside, "a.erii")))


def test_a_pack_for_a_key_opens_with_that_key_alone() -> None:
    identity, recipient = new_identity()
    out = io.BytesIO()
    with encrypting(out, recipient, None) as inside:
        write_frames(inside, [[n, os.urandom(100)] for n in range(2000)])
    data = out.getvalue()
    assert is_encrypted(data) and opened(data, identity, None) == 2000
    for wrong in (new_identity()[0], None):
        with pytest.raises(WrongKey):
            opened(data, wrong, None)
    for changed in (data[:-20], data[:100_000] + b"?" + data[100_001:]):
        with pytest.raises(UnreadableFile):
            opened(changed, identity, None)


def test_a_pack_for_a_passphrase_opens_with_it_alone() -> None:
    """Few tries: a passphrase takes a second each time, so that guessing takes long."""
    out = io.BytesIO()
    with encrypting(out, None, "open sesame") as inside:
        write_frames(inside, [[1, b"a"]])
    assert opened(out.getvalue(), None, "open sesame") == 1
    with pytest.raises(WrongKey):
        opened(out.getvalue(), None, "open barley")
