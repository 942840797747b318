"""The one encoding of records: header bytes, payload bytes, hashes. `docs/format.md` is its text.

Header and payload are msgpack of integers, strings, bytes, booleans, nil, arrays and (payload
only) string-keyed maps in sorted order. Floats and extension types never occur, so the same
value has the same bytes on every machine.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from operator import eq
from typing import Annotated, Any, Literal, NamedTuple

import msgpack
import msgspec
from msgspec import Meta

from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.moments import Moment

FORMAT = 1

_HEADER_DOMAIN = b"enishi/header/1\0"
_PAYLOAD_DOMAIN = b"enishi/payload/1\0"
_REQUEST_DOMAIN = b"enishi/request/1\0"
_STATE_DOMAIN = b"enishi/state/1\0"
_CHECKPOINT_DOMAIN = b"enishi/checkpoint/1\0"

_UNREADABLE = (ValueError, TypeError, OverflowError, msgpack.exceptions.UnpackException)

Plain = None | bool | int | str | bytes | list["Plain"] | dict[str, "Plain"]
"""What a payload is made of."""


class Header(NamedTuple):
    """The part of a record that never changes and names nobody.

    Numbers are places in the relationship's own chain. `happened` is nil where unknown, else
    microseconds since 1970-01-01 UTC, seconds east of UTC, and 1 if the zone was assumed.
    `recorded` is in microseconds UTC. `turn` is the number of the record that opened the turn
    (its own, in that record), nil before the first turn; `parent` is that turn's parent turn.
    `branch` is the number of the record that made the branch.
    """

    format: int
    relationship: bytes
    number: int
    previous: bytes | None
    type: str
    version: int
    happened: tuple[int, int, int] | None
    recorded: int
    turn: int | None
    parent: int | None
    branch: int
    causes: tuple[int, ...]
    targets: tuple[int, ...]
    request: bytes | None
    commitment: bytes

    @property
    def moment(self) -> Moment | None:
        """When it happened, or None where that is unknown."""
        if self.happened is None:
            return None
        at, offset, assumed = self.happened
        return Moment(at, offset, bool(assumed))


_FIELDS = len(Header._fields)

_ARRAY = struct.Struct(">BI")
"""The msgpack head of an array of up to 2^32 items."""

_encode = msgspec.msgpack.Encoder(order="sorted").encode
"""The bytes of what is known to be plain: maps in sorted order, integers as short as they go."""


def decode_header(data: bytes) -> Header:
    """Read header bytes. Anything that is no header of this format is LogDamaged."""
    try:
        fields = msgpack.unpackb(data, use_list=False)
        if fields[0] != FORMAT:
            raise LogDamaged(f"a record has format {fields[0]!r}, and this Enishi knows {FORMAT}")
        if len(fields) != _FIELDS:
            raise LogDamaged(f"a record header has {len(fields)} fields instead of {_FIELDS}")
        if type(fields[11]) is not tuple or type(fields[12]) is not tuple:
            raise LogDamaged("a record header names its causes or targets in no array")
        return tuple.__new__(Header, fields)
    except (*_UNREADABLE, IndexError, KeyError):
        raise LogDamaged("these bytes are no record header") from None


FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999, in microseconds since 1970."""

Place = Annotated[int, Meta(ge=0, lt=1 << 32)]
Instant = Annotated[int, Meta(ge=FIRST, le=LAST)]
Offset = Annotated[int, Meta(gt=-86_400, lt=86_400)]


class FittingHeader(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """A header in which each field is of its kind and within its range."""

    format: Literal[1]
    relationship: bytes
    number: Place
    previous: bytes | None
    type: str
    version: Annotated[int, Meta(gt=0)]
    happened: tuple[Instant, Offset, Literal[0, 1]] | None
    recorded: Instant
    turn: Place | None
    parent: Place | None
    branch: Place
    causes: tuple[Place, ...]
    targets: tuple[Place, ...]
    request: bytes | None
    commitment: bytes


NOT_FITTING = (msgspec.DecodeError, ValueError, TypeError, RecursionError)
"""What reading bytes that do not fit may raise."""

fitting_header = msgspec.msgpack.Decoder(FittingHeader).decode

_fitting_headers = msgspec.msgpack.Decoder(list[FittingHeader]).decode
_each = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode


def fitting_headers(parts: Sequence[bytes]) -> list[FittingHeader]:
    """The same of many headers, in half the time."""
    joined = as_array(parts)
    found = _fitting_headers(joined)
    if not all(map(eq, map(bytes, _each(joined)), parts)):
        raise ValueError("a header ends where none does, and the next one with it")
    return found


def as_array(parts: Sequence[bytes]) -> bytes:
    """The bytes of an array of values, each of which is encoded already."""
    return _ARRAY.pack(0xDD, len(parts)) + b"".join(parts)


def encode_header(header: Header) -> bytes:
    """The bytes that are stored and hashed as they are.

    InvalidInput where no reader would take them for a header: True and 1.0 are equal to 1, and are
    written otherwise.
    """
    try:
        data = _encode(header)
        fitting_header(data)
    except (*NOT_FITTING, OverflowError) as error:
        raise InvalidInput(f"this cannot stand in the header of a record: {error}") from None
    return data


def header_of(data: bytes, number: int) -> Header:
    """The header of the record with this number; LogDamaged where a value in it is impossible."""
    try:
        found = fitting_header(data)
    except NOT_FITTING:
        decode_header(data)  # says what is wrong with what is no header at all
        found = None
    if (
        found is None
        or found.number != number
        or (found.turn or 0) > number
        or (found.parent or 0) > number
        or found.branch > number
        or (found.causes and max(found.causes) >= number)
        or (found.targets and max(found.targets) >= number)
    ):
        raise LogDamaged(f"number {number} holds an impossible value; run: enishi verify")
    return tuple.__new__(Header, msgspec.structs.astuple(found))


class Placing(msgspec.Struct, array_like=True, gc=False):
    """What of a header says where its record belongs. The rest stays undecoded."""

    format: Literal[1]
    relationship: msgspec.Raw
    number: int
    previous: msgspec.Raw
    type: str
    version: int
    happened: tuple[int, int, int] | None
    recorded: int
    turn: int | None
    parent: int | None
    branch: int
    causes: tuple[int, ...]
    targets: tuple[int, ...]


class _Known(Placing, array_like=True, gc=False):
    """One of a type that this program knows, whose name is not made anew each time."""

    type: Literal[tuple(EVENT_TYPES)]  # type: ignore[valid-type]


_placings: tuple[Callable[[bytes], Sequence[Placing]], ...] = (
    msgspec.msgpack.Decoder(list[_Known]).decode,
    msgspec.msgpack.Decoder(list[Placing]).decode,
)


def decode_placings(joined: bytes, count: int) -> Sequence[Placing] | None:
    """Read so many headers, one right after the other, or None where one of them is damaged."""
    data = _ARRAY.pack(0xDD, count) + joined
    for decode in _placings:
        with suppress(msgspec.DecodeError, ValueError):
            return decode(data)
    return None


def header_hash(data: bytes) -> bytes:
    """The hash that the next record carries as `previous`."""
    return sha256(_HEADER_DOMAIN + data).digest()


def header_hashes(parts: Iterable[bytes]) -> list[bytes]:
    """The hashes of many headers."""
    return [sha256(_HEADER_DOMAIN + data).digest() for data in parts]


def commitment(salt: bytes, payload: bytes) -> bytes:
    """What the header says about the payload; tells nothing once salt and payload are gone."""
    return sha256(_PAYLOAD_DOMAIN + salt + payload).digest()


def commitments(
    salts: Iterable[bytes | None], payloads: Iterable[bytes | None]
) -> list[bytes | None]:
    """The commitments of many payloads, None where one or its salt is gone."""
    return [
        None
        if salt is None or payload is None
        else sha256(_PAYLOAD_DOMAIN + salt + payload).digest()
        for salt, payload in zip(salts, payloads, strict=True)
    ]


def request_mac(secret: bytes, request: str) -> bytes:
    """The form in which a request id is kept: 16 bytes of HMAC-SHA-256."""
    mac = _begun_mac(secret).copy()
    mac.update(request.encode("utf-8"))
    return mac.digest()[:16]


@lru_cache(maxsize=1024)
def _begun_mac(secret: bytes) -> hmac.HMAC:
    """The part of the work that is the same for all requests of a relationship."""
    return hmac.new(secret, _REQUEST_DOMAIN, "sha256")


_payload = msgspec.msgpack.Decoder(dict[str, Any]).decode


def encode_payload(value: dict[str, Any]) -> bytes:
    """Canonical bytes of a payload. Values of another kind than Plain are InvalidInput."""
    try:
        return _encode(_plain(value))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidInput(f"this value cannot be recorded: {error}") from None


def decode_payload(data: bytes) -> dict[str, Any]:
    """Read payload bytes."""
    try:
        return _payload(data)
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError):
        raise LogDamaged("these bytes are no payload") from None


def state_digest(name: str, version: int, state: dict[str, Any]) -> str:
    """The digest of a projection's state: equal digests, equal state, on every machine."""
    data = _encode([name, version, _plain(state)])
    return sha256(_STATE_DOMAIN + data).hexdigest()


def checkpoint_digest(
    relationship: bytes, name: str, version: int, running: bytes, depth: int, state: bytes
) -> str:
    """The digest of a kept state together with all that says what it is the state of."""
    data = _encode([relationship, name, version, running, depth])
    found = sha256(_CHECKPOINT_DOMAIN + data)
    found.update(state)
    return found.hexdigest()


_SCALARS = frozenset({str, int, bytes, bool, type(None)})
_KEYS = frozenset({str})


def _plain(value: Any) -> Any:
    """The value, all of which is of the kinds that have one encoding; else TypeError."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict:
        if not _KEYS.issuperset(map(type, value)):
            raise TypeError("keys are strings")
        parts = value.values()
    elif kind is list or kind is tuple:
        parts = value
    else:
        raise TypeError(
            f"{kind.__name__} is not one of text, integer, bytes, boolean, list and map"
        )
    if not _SCALARS.issuperset(map(type, parts)):
        for part in parts:
            if type(part) not in _SCALARS:
                _plain(part)
    return value
