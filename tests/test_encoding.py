"""A header is what the format says it is, or it is damage."""

from __future__ import annotations

import msgpack
import pytest

from enishi.kernel.encoding import FORMAT, Header, decode_header, encode_header
from enishi.kernel.errors import LogDamaged

HEADER = Header(
    format=FORMAT, relationship=bytes(16), number=3, previous=bytes(32), type="TurnOpened",
    version=1, happened=(0, 0, 0), recorded=0, turn=3, parent=None, branch=0, causes=(1,),
    targets=(), request=None, commitment=bytes(32),
)  # fmt: skip


def test_a_header_is_read_as_it_was_written() -> None:
    assert decode_header(encode_header(HEADER)) == HEADER


@pytest.mark.parametrize("fields", [(*HEADER, None), HEADER[:-1], HEADER[:13], HEADER[:1], ()])
def test_a_header_with_another_number_of_fields_is_damage(fields: tuple[object, ...]) -> None:
    with pytest.raises(LogDamaged):
        decode_header(msgpack.packb(fields))


@pytest.mark.parametrize("format", [0, FORMAT + 1, None, "1"])
def test_a_header_of_another_format_says_so(format: object) -> None:
    with pytest.raises(LogDamaged, match="format"):
        decode_header(msgpack.packb((format, *HEADER[1:])))


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x90", b"\x2a", encode_header(HEADER) + b"\x00"])
def test_other_bytes_are_no_header(data: bytes) -> None:
    with pytest.raises(LogDamaged):
        decode_header(data)


@pytest.mark.parametrize("field", ["causes", "targets"])
def test_causes_and_targets_are_arrays(field: str) -> None:
    changed = tuple(None if name == field else getattr(HEADER, name) for name in HEADER._fields)
    with pytest.raises(LogDamaged, match="causes or targets"):
        decode_header(msgpack.packb(changed))
