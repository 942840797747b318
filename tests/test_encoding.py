"""A header is what the format says it is, or it is damage."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.encoding import (
    FORMAT,
    Header,
    decode_header,
    decode_payload,
    encode_header,
    encode_payload,
)
from enishi.kernel.errors import InvalidInput, LogDamaged

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


PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.text(max_size=40)
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=20)
    ),
    max_leaves=30,
)


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=5))
@settings(max_examples=100, deadline=None)
def test_a_payload_has_the_bytes_that_another_encoder_gives_it_in_sorted_order(
    payload: dict[str, Any],
) -> None:
    assert encode_payload(payload) == msgpack.packb(in_order(payload), use_bin_type=True)
    assert decode_payload(encode_payload(payload)) == payload


class Text(str):
    """A text of another kind."""


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize(
    "value",
    [
        0.5, 1.0, 1 << 64, -(1 << 63) - 1, {1}, {1: 2}, {b"a": 1}, {None: 1}, Text("a"),
        {Text("a"): 1}, bytearray(1), datetime(2026, 1, 1), Decimal(1), "\ud800", {"\udfff": 1},
        deep(), object(), ...,
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", [lambda v: v, lambda v: [1, v], lambda v: {"a": {"b": (v,)}}])
def test_what_has_not_one_encoding_is_refused(value: Any, around: Callable[[Any], Any]) -> None:
    with pytest.raises(InvalidInput, match="cannot be recorded"):
        encode_payload({"it": around(value)})
