"""Memories of mem0: what its `get_all` returns, as JSON. https://docs.mem0.ai/api-reference

A memory is a sentence that a model once wrote about somebody. The words that it rested on are not
in the file, so it is hearsay: each is taken in as a note by a third party, and claims what it says
as a belief that is reported, inferred and imported, behind everything that anybody said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from enishi.kernel.deciding.proposals import Belief, Citation, Party, Proposal, ReadText
from enishi.kernel.errors import UnreadableFile
from enishi.packs.chats.chat import Chat, ChatLine, Note, Wording, clean, fits, read_json
from enishi.packs.chats.dates import read_instant

KEY = "memory"
"""The key of the beliefs: what a memory is about, nobody said."""

MOST = 200
"""Characters that a belief's value may have; a longer memory is a note alone."""

_SPEAKERS: dict[str, Party] = {"mem0": "user", "mem0 on the agent": "agent"}

Entry = dict[str, Any]


class Mem0:
    """Reads `{"results": [...]}` or the list alone; each memory is a chat of one line."""

    name = "mem0"

    def detects(self, name: str, data: bytes) -> bool:
        head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
        return head[:1] in (b"{", b"[") and b'"memory"' in data and b'"id"' in data

    def read(self, name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]:
        value = read_json(name, data, "mem0 export")
        results = value.get("results") if isinstance(value, dict) else value
        entries = results if isinstance(results, list) else []
        chats = [chat for entry in entries if (chat := _chat(entry, zone)) is not None]
        if not chats:
            raise UnreadableFile(f"{name!r} is no mem0 export: it holds no memory")
        relations = value.get("relations") if isinstance(value, dict) else None
        counts = {
            "entries without an id or words": len(entries) - len(chats),
            "relations": len(relations) if isinstance(relations, list) else 0,
        }
        left_out = ", ".join(f"{what}: {count}" for what, count in counts.items() if count)
        if left_out:
            note = Note(0, f"Left out: {left_out}.")
            chats[0] = replace(chats[0], notes=(note, *chats[0].notes))
        return tuple(chats)


class Memories:
    """Proposes what the notes of mem0 claim; reads no other text."""

    name = "mem0"
    version = "1"
    by = "import"

    def propose(self, texts: Sequence[ReadText]) -> list[Proposal]:
        """One belief for each note that is short enough."""
        return [
            Belief(
                subject=_SPEAKERS[text.speaker],
                key=KEY,
                value=text.content,
                basis="inferred",
                mode="reported",
                citations=(Citation(text=text.number, start=0, end=len(text.content)),),
            )
            for text in texts
            if text.role == "other" and text.speaker in _SPEAKERS and len(text.content) <= MOST
        ]


def _chat(entry: object, zone: ZoneInfo) -> Chat | None:
    if not isinstance(entry, dict):
        return None
    number, words = _label(entry.get("id")), entry.get("memory")
    if number is None or not isinstance(words, str) or not words.strip() or not fits(words):
        return None
    text, reason = clean(words.strip())
    user, agent = _label(entry.get("user_id")), _label(entry.get("agent_id"))
    speaker = "mem0 on the agent" if user is None and agent is not None else "mem0"
    happened = read_instant(entry.get("created_at"), zone)
    line = ChatLine(1, "other", speaker, "mem0", (Wording(text, happened),), 0, hidden=False)
    title = f"mem0 {number}"
    notes = [Note(1, reason)] if reason else []
    if len(text) > MOST:
        notes.append(Note(1, f"Longer than {MOST} characters: a note, and no belief."))
    return Chat(
        format=Mem0.name,
        title=title,
        parent=None,
        agent=agent or "assistant",
        user=user,
        group=False,
        lines=(line,),
        notes=tuple(notes),
        conversation=title,
    )


def _label(value: object) -> str | None:
    return clean(value)[0].strip() or None if isinstance(value, str) else None
