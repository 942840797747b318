"""What a caller gives, and what the kernel makes of it: words, moments, numbers, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from enishi.kernel.errors import InvalidInput, NotFound, UnreadableFile
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message
from enishi.packs.chats.cards import Card, read_card
from enishi.packs.chats.chat import Chat
from enishi.packs.chats.dates import read_zone
from enishi.packs.chats.readers import read_chats

Progress = Callable[[str, int, int], None]
"""Told how far a file is: its title, lines done, lines in all."""

BUDGET = 800
"""Tokens that recall may take, unless its caller says otherwise."""

Clock = Callable[[], datetime]
"""Tells the present as an aware datetime."""

Said = str | Message | Sequence[str | Message]
"""What was said to the agent: a text by the user, a Message, or several in a row; may be empty."""


def system_clock() -> datetime:
    """The present, at the machine's own offset."""
    return datetime.now().astimezone()


def read_file(path: Path) -> bytes:
    """The bytes of a file, or UnreadableFile."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from None


def read_chats_at(path: Path, zone: str) -> tuple[Chat, ...]:
    return read_chats(path.name, read_file(path), read_zone(zone))


def card_of(fields: Mapping[str, Any]) -> Card:
    return read_card("the blueprint", json.dumps(fields).encode("utf-8"))


def messages_of(said: Said) -> list[Message]:
    several = [said] if isinstance(said, str | Message) else said
    return [Message(one) if isinstance(one, str) else one for one in several]


def moment_of_given(when: datetime | None) -> Moment | None:
    return None if when is None else Moment.of(when)


class Numbered(Protocol):
    """Whatever the face hands out that has a number of its own."""

    @property
    def number(self) -> int:
        """The number of its record."""


def number_of(about: Numbered | int) -> int:
    number = about if isinstance(about, int) else getattr(about, "number", None)
    if type(number) is not int:  # True is no number that anybody means
        raise InvalidInput(
            f"a number, or what has one, is needed (a turn, a text, an event), not {about!r:.60}"
        )
    return number


def turn_number(turn: Numbered | int) -> int:
    """A turn's number; the kernel's own number for "before the first" is none of them."""
    number = number_of(turn)
    if number < 0:
        raise NotFound(f"number {number} is no turn; `enishi log` lists the turns")
    return number
