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
    PackError,
    PackTooLarge,
    PackTooNew,
    UnreadableFile,
    WrongKey,
)
from enishi.kernel.zstandard import zstd
from enishi.packs.memorypack import age_passphrase, frames
from enishi.packs.memorypack.frames import FrameReader, Signature, write_frames
from enishi.packs.memorypack.sealing import decrypting, encrypting, is_encrypted, new_identity

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
    with pytest.raises(PackTooLarge, match="claims"):
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


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
def test_a_file_for_a_passphrase_is_one_of_the_age_format(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any age program reads what is written here, and the other way round."""
    pyrage = pytest.importorskip("pyrage")
    monkeypatch.setattr(age_passphrase, "WORK", 4)  # so that many tries do not take long
    data, out = os.urandom(size), io.BytesIO()
    with encrypting(out, None, "open sesame") as inside:
        for start in range(0, size, 999):
            inside.write(data[start : start + 999])
    sealed = out.getvalue()
    assert pyrage.passphrase.decrypt(sealed, "open sesame") == data

    def read_back(sealed: bytes, passphrase: str = "open sesame") -> bytes:
        with decrypting(io.BytesIO(sealed), "a.erii", None, passphrase) as inside:
            return inside.read()

    assert read_back(sealed) == data
    with pytest.raises(WrongKey):
        read_back(sealed, "open barley")
    for place in (*range(0, 180, 7), *range(180, len(sealed), 9_973), len(sealed) - 1):
        changed = bytearray(sealed)
        changed[place] ^= 1
        for broken in (bytes(changed), sealed[:place]):
            with pytest.raises(PackError):
                read_back(broken)
    with pytest.raises(PackError):
        read_back(sealed + b"x")


@pytest.mark.slow
def test_what_another_program_sealed_with_a_passphrase_is_read_and_asks_for_no_endless_work() -> (
    None
):
    """Few tries: a passphrase takes a second each time, so that guessing takes long."""
    pyrage = pytest.importorskip("pyrage")
    sealed = pyrage.passphrase.encrypt(written([[1, b"a"]]), "open sesame")
    assert opened(sealed, None, "open sesame") == 1
    with pytest.raises(WrongKey):
        opened(sealed, None, None)
    salt, rest = sealed.split(b" ")[2:4]
    greedy = sealed.replace(salt + b" " + rest.split(b"\n")[0], salt + b" 40")
    with pytest.raises(PackTooLarge):
        opened(greedy, None, "open sesame")
