"""The plain form that every reader of chat files returns, and what all readers share."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from enishi.kernel.deciding.proposals import Role
from enishi.kernel.errors import UnreadableFile
from enishi.kernel.moments import Moment

MESSAGE_LIMIT = 1 << 20
"""Bytes of UTF-8 that one message may have. Longer ones are left out and reported."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_SIGNATURES = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"RIFF", "a WebP image or another RIFF file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)


@dataclass(frozen=True, slots=True)
class Wording:
    """One variant of a line. `happened` is None where the file gives no readable time."""

    text: str
    happened: Moment | None


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One message, at `position`: its 1-based physical line in the file, or its place in the chat.

    `speaker` is the stable id of who speaks where the source has one, else the display name;
    `name` is the display name of the day, None where the source has no names. `wordings` holds at least one variant and `chosen` is
    the index of the one that stands. A `hidden` line was kept from the model; it is no less a
    line.
    """

    position: int
    role: Role
    speaker: str
    name: str | None
    wordings: tuple[Wording, ...]
    chosen: int
    hidden: bool


@dataclass(frozen=True, slots=True)
class Note:
    """Something the person should know about the file: the line, and one sentence."""

    position: int
    message: str


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat of a file, in its own order.

    `title` identifies it: the stem of its file, or the id that the source gave it; `label` is then
    what a person calls it. `parent` is the title of the chat it branched from. `agent` and `user`
    are the names in its header, None where it names nobody.

    Where the source itself tells what branched from what, `conversation` is the id that all
    branches of one conversation share: what one of them has, the others do not repeat, and words
    that another conversation has as well mean nothing.
    """

    format: str
    title: str
    parent: str | None
    agent: str | None
    user: str | None
    group: bool
    lines: tuple[ChatLine, ...]
    notes: tuple[Note, ...]
    conversation: str | None = None
    label: str | None = None


class ChatReader(Protocol):
    """Reads one format.

    `detects` says quickly whether a file is meant to be of it. `read` returns its chats, at least
    one, a branch after the one that it shares its beginning with where that matters; it raises
    UnreadableFile for what is no chat at all.
    """

    name: str

    def detects(self, name: str, data: bytes) -> bool: ...

    def read(self, name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]: ...


def clean(text: str) -> tuple[str, str | None]:
    """The text with NUL and lone surrogates as U+FFFD, and the reason if there were any."""
    cleaned, count = _UNSTORABLE.subn("\ufffd", text)
    if not count:
        return text, None
    return cleaned, "NUL characters or halves of characters were replaced by U+FFFD."


def fits(text: str) -> bool:
    """Whether the text is within MESSAGE_LIMIT."""
    return len(text.encode("utf-8", "surrogatepass")) <= MESSAGE_LIMIT


def stem(name: str) -> str:
    """The file's name without its folder and ending."""
    return clean(PurePath(name).stem or name)[0]


def parse_json(text: str) -> Any:
    """The JSON value of the text. ValueError says in a few words what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nests too deeply") from None
    except json.JSONDecodeError:
        raise ValueError("is not JSON") from None
    except ValueError:  # NaN, Infinity, or an integer with thousands of digits
        raise ValueError("holds a number that JSON cannot have") from None


def read_json(name: str, data: bytes, what: str) -> Any:
    """The JSON value of a whole file, or UnreadableFile: "... is no `what`: it is not JSON"."""
    try:
        return parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableFile(f"{name!r} is no {what}: it is not UTF-8") from None
    except ValueError as error:
        raise UnreadableFile(f"{name!r} is no {what}: it {error}") from None


def json_lines(data: bytes) -> Iterator[tuple[int, dict[str, Any] | ValueError, bool]]:
    """Every line that is not blank: its number, its object, and whether bytes were replaced.

    Where a line holds no object, a ValueError says in a few words what is wrong with it.
    """
    for position, raw in enumerate(io.BytesIO(data.removeprefix(codecs.BOM_UTF8)), start=1):
        if not raw.strip():
            continue
        text = raw.decode(errors="replace")
        damaged = "\ufffd" in text and text.encode() != raw
        # Told by the first character, so that a huge list on one line is not parsed in vain.
        if text.lstrip().startswith("{"):
            try:
                yield position, parse_json(text), damaged
            except ValueError as error:
                yield position, error, damaged
        else:
            yield position, ValueError("is not a JSON object"), damaged


def looks_like(data: bytes) -> str:
    """What the bytes look like, in words that fit after "looks like"."""
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    try:
        head = codecs.getincrementaldecoder("utf-8-sig")().decode(data[:4096]).strip()
    except UnicodeDecodeError:
        return "binary data"
    if "\x00" in head:
        return "binary data"
    if not head:
        return "an empty file"
    if '"keysecondary"' in head:
        return "a world book, which says nothing of a relationship"
    return "JSON of another kind" if head[0] in "{[" else "plain text"


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)
