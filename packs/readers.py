"""All formats in which a chat can come in; a new one is a module and a row here."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from enishi.kernel.errors import UnreadableFile
from enishi.packs.chat import Chat, ChatReader, looks_like
from enishi.packs.sillytavern import SillyTavern

READERS: tuple[ChatReader, ...] = (SillyTavern(),)
"""Every format that can be read, in the order in which they are tried."""


def read_chat(name: str, data: bytes, zone: ZoneInfo) -> Chat:
    """Read a chat file of any supported format. UnreadableFile where none of them fits.

    `name` is the file's name, `zone` the one for dates that name none.
    """
    for reader in READERS:
        if reader.detects(name, data):
            return reader.read(name, data, zone)
    supported = ", ".join(reader.name for reader in READERS)
    raise UnreadableFile(
        f"{name!r} is no chat that can be read: it looks like {looks_like(data)}; "
        f"supported are: {supported}"
    )
