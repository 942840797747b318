"""What may be recorded: the checks at the border for ids and texts."""

from __future__ import annotations

import re

from enishi.kernel.errors import InvalidInput

MAX_ID = 200
MAX_TEXT = 1 << 20

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_id(value: str, what: str) -> str:
    """An opaque id: 1 to 200 characters, no control characters; case matters."""
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID:
        raise InvalidInput(f"{what} is a text of 1 to {MAX_ID} characters, not {_shown(value)}")
    if found := _UNFIT.search(value):
        raise InvalidInput(f"{what} {_shown(value)} contains the character {found[0]!a}")
    return value


def check_text(content: str, what: str = "a text") -> str:
    """A text as received: at most 1 MiB of UTF-8, without NUL and lone surrogates."""
    if not isinstance(content, str):
        raise InvalidInput(f"{what} is a str, not {type(content).__name__}")
    if "\0" in content:
        raise InvalidInput(f"{what} contains NUL at character {content.index(chr(0))}")
    try:
        size = len(content.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} contains half a character (a lone surrogate) at character {error.start}"
        ) from None
    if size > MAX_TEXT:
        raise InvalidInput(f"{what} has {size} bytes; at most {MAX_TEXT} can be recorded")
    return content


def read_hash(text: str, what: str) -> bytes:
    """32 bytes that a person wrote down as 64 hexadecimal digits: a hash, or a public key."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != 32:
        raise InvalidInput(f"{what} is 64 hexadecimal digits, and {text!r} is not")
    return found


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
