"""All formats in which a chat can come in; a new one is a module and a row here."""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.errors import UnreadableFile
from enishi.kernel.rules import bundled_proposers
from enishi.packs.chats.cards import claims_to_be_card, read_card
from enishi.packs.chats.chat import Chat, ChatReader, looks_like
from enishi.packs.chats.chatgpt import ChatGPT
from enishi.packs.chats.letta import Letta
from enishi.packs.chats.mem0 import Mem0, Memories
from enishi.packs.chats.sillytavern import SillyTavern

READERS: tuple[ChatReader, ...] = (SillyTavern(), ChatGPT(), Letta(), Mem0())
"""Every format that can be read, in the order in which they are tried."""


def read_chats(name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]:
    """The chats of a file of any supported format. UnreadableFile where none of them fits.

    `name` is the file's name, `zone` the one for dates that name none.
    """
    for reader in READERS:
        if reader.detects(name, data):
            return reader.read(name, data, zone)
    if claims_to_be_card(data):
        read_card(name, data)  # says why it is none
    supported = ", ".join(reader.name for reader in READERS)
    raise UnreadableFile(
        f"{name!r} is no chat that can be read: it looks like {looks_like(data)}; "
        f"supported are: {supported}"
    )


def proposers_of(chat: Chat) -> Iterable[Proposer]:
    """Who reads what was taken in: the bundled rules, but for memories, which say what they claim."""
    return (Memories(),) if chat.format == Mem0.name else bundled_proposers()
