"""Character cards V1, V2 and V3, from JSON files and from PNG images that carry them."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from enishi.kernel.errors import UnreadableFile
from enishi.packs.chats.chat import clean, looks_like, parse_json

FIELD_LIMIT = 4 << 20
"""Bytes of UTF-8 that one text of a card may have."""

JSON_LIMIT = 16 << 20
"""Bytes that the JSON of a card may have."""

_TEXT_LIMIT = JSON_LIMIT * 3 // 2  # base64 of the largest card, with some room
_DEPTH_LIMIT = 100
_NEWEST = 3.0

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BOM = "\ufeff"
_KEYWORDS = (b"chara", b"ccv3")  # the better one last
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")

# What only cards have; `name` and `description` stand in many other files.
_MARKS = frozenset(
    {
        "personality",
        "scenario",
        "first_mes",
        "mes_example",
        "char_persona",
        "char_greeting",
        "world_scenario",
        "example_dialogue",
    }
)


@dataclass(frozen=True, slots=True)
class Card:
    """A character card. `spec` is "v1", "v2" or "v3".

    `greetings` are the first message and its alternatives, without empty ones. `json` is the
    card's text exactly as embedded, so that what is unknown here survives. `notes` are sentences
    for the person.
    """

    spec: str
    name: str
    nickname: str | None
    greetings: tuple[str, ...]
    json: str
    notes: tuple[str, ...]

    def fields(self) -> Mapping[str, Any]:
        """The object that holds the card's fields: `data` since V2, the whole card in V1."""
        return _fields(parse_json(self.json))


class _Broken(Exception):
    """What claims to be a card and is none. Another copy beside it may be whole."""


def is_card(name: str, data: bytes) -> bool:
    """Whether the file is meant as a card, although reading it may still fail."""
    try:
        if data.startswith(_SIGNATURE):
            return any(_keyword(kind, body) for kind, body, _ in _chunks(name, data))
        if len(data) > JSON_LIMIT:
            return False
        _fields(parse_json(data.decode("utf-8-sig")))
        return True
    except (UnreadableFile, ValueError, _Broken):
        return False


def claims_to_be_card(data: bytes) -> bool:
    """Whether JSON that may be too large or damaged has the marks of a card."""
    return data.lstrip()[:1] == b"{" and any(f'"{mark}"'.encode() in data for mark in _MARKS)


def read_card(name: str, data: bytes) -> Card:
    """Read a card from the bytes of a PNG or JSON file; `name` is the file's name.

    UnreadableFile for a truncated image, for one without a card, for JSON of another kind, and
    for whatever exceeds the limits.
    """
    if data.startswith(_SIGNATURE):
        return _from_image(name, data)
    try:
        return _card(name, _decode(name, data), [])
    except _Broken as error:
        raise UnreadableFile(
            f"{name!r} is no character card: it {error}; it looks like {looks_like(data)}, "
            "and cards are read from PNG and JSON"
        ) from None


def _from_image(name: str, data: bytes) -> Card:
    copies: list[tuple[bytes, bytes, bytes]] = []
    damaged: set[bytes] = set()
    for kind, body, intact in _chunks(name, data):
        if keyword := _keyword(kind, body):
            copies.append((keyword, kind, body))
        if not intact:
            damaged.add(kind)
    notes = (
        [f"The image is damaged: the checksum of {_kinds(damaged)} is wrong."] if damaged else []
    )
    copies.sort(key=lambda copy: _KEYWORDS.index(copy[0]))  # stable: the last of each stays last
    reason = "no text of it is one"
    for keyword, kind, body in reversed(copies):
        try:
            return _card(name, _decode(name, _unwrapped(name, kind, body)), notes)
        except _Broken as error:
            reason = f"what it holds as {keyword.decode()} {error}"
            notes.append(f"What the image holds as {keyword.decode()} {error}; it was passed over.")
    raise UnreadableFile(f"{name!r} is an image without a character card: {reason}")


def _card(name: str, text: str, notes: list[str]) -> Card:
    try:
        card = parse_json(text)
    except ValueError as error:
        raise _Broken(str(error)) from None
    fields = _fields(card)
    _check_limits(name, card)
    title = _first_text(fields, "name", "char_name")
    if title is None:
        raise _Broken("names no character")
    alternates = fields.get("alternate_greetings")
    greetings = [
        _first_text(fields, "first_mes", "char_greeting"),
        *(alternates if isinstance(alternates, list) else []),
    ]
    version = _version(card)
    found = [*notes]
    if version > _NEWEST:
        found.append(f"The card follows version {version:g}; what is newer than 3.0 is only kept.")

    def cleaned(value: str) -> str:
        result, reason = clean(value)
        if reason and reason not in found:
            found.append(reason)
        return result

    nickname = _first_text(fields, "nickname")
    return Card(
        spec="v1" if fields is card else _spec(card, version),
        name=cleaned(title),
        nickname=cleaned(nickname) if nickname else None,
        greetings=tuple(cleaned(text) for text in greetings if _is_text(text)),
        json=text,
        notes=tuple(found),
    )


def _fields(card: Any) -> dict[str, Any]:
    if not isinstance(card, dict):
        raise _Broken("is no JSON object")
    data, spec = card.get("data"), card.get("spec")
    named = isinstance(spec, str) and spec.startswith("chara_card")
    if isinstance(data, dict) and (named or _MARKS & data.keys()):
        return data
    if _MARKS & card.keys():
        return card
    raise _Broken("has none of a card's fields")


def _check_limits(name: str, card: Any) -> None:
    """Walks with a list of its own: the card may nest more deeply than calls may."""
    pending: list[tuple[str, Any, int]] = [("", card, 0)]
    while pending:
        key, value, depth = pending.pop()
        if depth > _DEPTH_LIMIT:
            raise UnreadableFile(f"{name!r} is no usable card: its JSON nests too deeply")
        if isinstance(value, str) and len(value.encode("utf-8", "surrogatepass")) > FIELD_LIMIT:
            raise UnreadableFile(f"{name!r} is too large: its field {key!r} is above 4 MiB")
        if isinstance(value, dict):
            pending += [(inner[:100], item, depth + 1) for inner, item in value.items()]
        elif isinstance(value, list):
            pending += [(key, item, depth + 1) for item in value]


def _spec(card: dict[str, Any], version: float) -> str:
    if card.get("spec") == "chara_card_v2":
        return "v2"
    return "v3" if card.get("spec") == "chara_card_v3" or version >= 3 else "v2"


def _version(card: dict[str, Any]) -> float:
    try:
        return float(card.get("spec_version", 0))
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _first_text(fields: dict[str, Any], *keys: str) -> str | None:
    return next((fields[key] for key in keys if _is_text(fields.get(key))), None)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _chunks(name: str, data: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """The chunks of a PNG up to its end mark: type, body, and whether the checksum is right."""
    kind, start = b"", len(_SIGNATURE)
    while kind != b"IEND":
        if start + 8 > len(data):
            raise UnreadableFile(f"{name!r} is a truncated PNG image; get the whole file")
        length, kind = struct.unpack_from(">I4s", data, start)
        end = start + 8 + length
        if end + 4 > len(data):
            raise UnreadableFile(f"{name!r} is a truncated PNG image; get the whole file")
        checksum = int.from_bytes(data[end : end + 4], "big")
        yield kind, data[start + 8 : end], zlib.crc32(data[start + 4 : end]) == checksum
        start = end + 4


def _kinds(kinds: set[bytes]) -> str:
    return ", ".join(sorted(ascii(kind.decode("latin-1")) for kind in kinds)[:5])


def _keyword(kind: bytes, body: bytes) -> bytes | None:
    """The keyword of a chunk that holds a card."""
    keyword = body.partition(b"\0")[0].lower()
    return keyword if kind in _TEXT_CHUNKS and keyword in _KEYWORDS else None


def _unwrapped(name: str, kind: bytes, body: bytes) -> bytes:
    """The JSON in a text chunk: out of its compression, then out of its base64."""
    text = body.partition(b"\0")[2]
    if kind == b"zTXt":
        text = _inflated(name, text[1:])
    elif kind == b"iTXt":
        compressed, parts = text[:1] == b"\1", text[2:].split(b"\0", 2)
        text = _inflated(name, parts[-1]) if compressed else parts[-1]
    if text.lstrip().startswith(b"{"):  # some programs leave the base64 out
        return text
    if len(text) > _TEXT_LIMIT:
        raise _too_large(name)
    try:
        return base64.b64decode(text + b"==")  # some programs leave the padding out, too
    except binascii.Error:
        raise _Broken("is not base64") from None


def _inflated(name: str, data: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, _TEXT_LIMIT)
    except zlib.error:
        raise _Broken("cannot be decompressed") from None
    if len(text) >= _TEXT_LIMIT:
        raise _too_large(name)
    return text


def _decode(name: str, data: bytes) -> str:
    if len(data) > JSON_LIMIT:
        raise _too_large(name)
    try:
        return data.decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        raise _Broken("is not UTF-8") from None


def _too_large(name: str) -> UnreadableFile:
    return UnreadableFile(f"{name!r} is too large: a card's JSON is at most 16 MiB")
