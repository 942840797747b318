"""What a caller gives, and what the kernel makes of it: words, moments, numbers, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from enishi.kernel.errors import InvalidInput, NotFound, UnreadableFile
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message, Reply, Scene
from enishi.packs.chats.cards import Card, read_card
from enishi.packs.chats.chat import Chat
from enishi.packs.chats.dates import read_zone
from enishi.packs.chats.readers import read_chats
from enishi.projections.policy import Policy, bundled_policy, read_policy

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
    try:
        text = json.dumps(fields)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a blueprint is made of what JSON can hold: {error}") from None
    return read_card("the blueprint", text.encode("utf-8"))


def policy_of(policy: str | Mapping[str, Any]) -> Policy:
    if isinstance(policy, str):
        return bundled_policy(policy)
    if not isinstance(policy, Mapping):
        raise InvalidInput(f"a policy is a name or a mapping, not {type(policy).__name__}")
    return read_policy(dict(policy))


def messages_of(said: Said) -> list[Message]:
    several = [said] if isinstance(said, str | Message) else said
    if not isinstance(several, Sequence) or isinstance(several, bytes):
        raise InvalidInput(f"what was said is a text or a list of texts, not {type(said).__name__}")
    return [message_of(one) for one in several]


def message_of(said: str | Message) -> Message:
    if not isinstance(said, str | Message):
        raise InvalidInput(f"a message is a text or a Message, not {type(said).__name__}")
    return Message(said) if isinstance(said, str) else said


def reply_of(reply: str | Reply) -> Reply:
    if not isinstance(reply, str | Reply):
        raise InvalidInput(f"a reply is a text or a Reply, not {type(reply).__name__}")
    return Reply(reply) if isinstance(reply, str) else reply


def scene_of(scene: Scene | None) -> Scene | None:
    if not isinstance(scene, Scene | None):
        raise InvalidInput(f"a scene is a Scene, not {type(scene).__name__}")
    return scene


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
