"""ChatGPT exports: `conversations.json`, a list of conversations, each a tree of messages.

Where a message was edited or a reply was made again, the tree forks. Replies to one message are
variants; every way through the tree that goes on from another wording is a chat of its own, which
shares its beginning with the others. Ids, not titles and not the current place, tell the chats
apart, so that a later export finds them again.

https://help.openai.com/en/articles/7260999-how-do-i-export-my-chatgpt-history-and-data describes
how to get the file; the format is described nowhere and was learnt from such files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from enishi.kernel.deciding.proposals import Role
from enishi.kernel.errors import UnreadableFile
from enishi.packs.chats.chat import Chat, ChatLine, Note, Wording, clean, fits, read_json
from enishi.packs.chats.dates import read_instant

AGENT = "ChatGPT"
"""Who the agent is, where the conversation was not with a custom GPT."""

MOST_LINES = 1 << 17
"""Lines that all the ways through one conversation may have together; further ways are left out."""

_PROJECT = "g-p-"
_ROLES: dict[str, Role] = {"user": "user", "assistant": "agent"}
_SPOKEN = ("text", "multimodal_text", "code")

Entry = dict[str, Any]


class ChatGPT:
    """Reads the whole export: each conversation with all its branches."""

    name = "chatgpt"

    def detects(self, name: str, data: bytes) -> bool:
        return data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") and b'"mapping"' in data

    def read(self, name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]:
        entries = read_json(name, data, "ChatGPT export")
        chats: list[Chat] = []
        passed_over = 0
        for entry in entries if isinstance(entries, list) else ():
            found = list(_chats(entry, zone)) if isinstance(entry, dict) else []
            chats += found
            passed_over += not found
        if not chats:
            raise UnreadableFile(f"{name!r} is no ChatGPT export: it holds no conversation")
        if passed_over:
            note = Note(
                0, f"Conversations without a message, which were passed over: {passed_over}."
            )
            chats[0] = replace(chats[0], notes=(note, *chats[0].notes))
        return tuple(chats)


class _Said(NamedTuple):
    """One message that was shown."""

    role: Role
    wording: Wording
    hidden: bool


class _Way(NamedTuple):
    """A way through the tree, up to a place: its last line, the way to there, and the message that
    it is known by."""

    above: str | None
    line: ChatLine | None = None
    before: _Way | None = None
    head: str | None = None

    def __len__(self) -> int:
        return self.line.position if self.line else 0

    def lines(self) -> tuple[ChatLine, ...]:
        """All its lines, from the first on."""
        found, way = [], self
        while way.line is not None and way.before is not None:
            found.append(way.line)
            way = way.before
        return tuple(reversed(found))


@dataclass
class _Reading:
    """One pass over one conversation."""

    zone: ZoneInfo
    left_out: Counter[str] = field(default_factory=Counter)

    def tree(self, mapping: dict[str, Entry]) -> dict[str | None, dict[str, _Said]]:
        """What was shown after what: the messages by the one above them, None for the first."""
        children = _children(mapping)
        shown: dict[str | None, dict[str, _Said]] = {None: {}}
        below = {child for of_one in children.values() for child in of_one}
        waiting: list[tuple[str, str | None]] = [
            (node, None) for node in reversed(mapping) if node not in below
        ]
        seen: set[str] = set()
        while waiting:
            node, above = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            said = self.said(mapping[node].get("message"))
            if said is not None:
                shown.setdefault(above, {})[node] = said
                above = node
            waiting += [(child, above) for child in reversed(children[node])]
        return shown

    def said(self, message: object) -> _Said | None:
        """What a message says, None where it was not shown or says nothing."""
        if not isinstance(message, dict):
            return None
        author, metadata = _dict(message.get("author")), _dict(message.get("metadata"))
        content = _dict(message.get("content"))
        role = _ROLES.get(str(author.get("role")))
        aside = message.get("recipient") not in (None, "all")
        hidden = metadata.get("is_visually_hidden_from_conversation") is True
        if role is None or aside or hidden or content.get("content_type") not in _SPOKEN:
            if author.get("role") != "system":
                self.left_out["messages of tools, of thinking, or hidden"] += 1
            return None
        text, reason = clean(self.text(content))
        attachments = metadata.get("attachments")
        self.left_out["attachments"] += len(attachments) if isinstance(attachments, list) else 0
        if not text.strip():
            return None
        if not fits(text):
            self.left_out["messages longer than 1 MiB"] += 1
            return None
        self.left_out["characters that nobody can store, now U+FFFD, in messages"] += bool(reason)
        happened = read_instant(message.get("create_time"), self.zone)
        return _Said(role, Wording(text, happened), message.get("weight") == 0)

    def text(self, content: Entry) -> str:
        """The words among the parts of a message; what else it holds is counted."""
        parts = content.get("parts")
        if not isinstance(parts, list):
            parts = [content.get("text")]
        words = []
        for part in parts:
            spoken = part.get("text") if isinstance(part, dict) else part
            if isinstance(spoken, str):
                words.append(spoken)
            elif part is not None:
                kind = part.get("content_type") if isinstance(part, dict) else None
                images = kind == "image_asset_pointer"
                self.left_out["images" if images else "parts that are no text"] += 1
        return "\n".join(word for word in words if word)


def _chats(entry: Entry, zone: ZoneInfo) -> Iterator[Chat]:
    """The chats of one conversation, the one that the person saw last before the others."""
    mapping = {
        node: place
        for node, place in _dict(entry.get("mapping")).items()
        if isinstance(place, dict)
    }
    reading = _Reading(zone)
    tree = reading.tree(mapping)
    if not tree[None]:
        return
    conversation = _label(entry.get("conversation_id")) or _label(entry.get("id"))
    conversation = conversation or next(iter(mapping))
    ways: list[_Way] = []
    lines = 0
    for way in _ways(tree, _current(mapping, entry.get("current_node"))):
        lines += len(way)
        if ways and lines > MOST_LINES:
            reading.left_out["branches, for there are too many"] += 1
        else:
            ways.append(way)
    counts = ", ".join(f"{what}: {count}" for what, count in reading.left_out.items() if count)
    gizmo = _label(entry.get("gizmo_id"))
    for place, way in enumerate(ways):
        yield Chat(
            format=ChatGPT.name,
            title=f"{conversation}/{way.head}" if way.head else conversation,
            parent=None,
            agent=AGENT if gizmo is None or gizmo.startswith(_PROJECT) else gizmo,
            user=None,
            group=False,
            lines=way.lines(),
            notes=(Note(0, f"Left out: {counts}."),) if counts and not place else (),
            conversation=conversation,
            label=_label(entry.get("title")),
        )


def _ways(tree: dict[str | None, dict[str, _Said]], current: frozenset[str]) -> Iterator[_Way]:
    """Every way through the tree to an end, the current one first.

    A reply that nothing follows is a variant of the others and no way of its own, unless it is
    the current place, or nothing follows any of them: then the newest one is the end.
    """
    waiting = [_Way(None)]
    while waiting:
        way = waiting.pop()
        options = tree.get(way.above, {})
        if not options:
            yield way
        replies = {node: said for node, said in options.items() if said.role == "agent"}
        followed = [node for node in replies if node in tree]
        here = [node for node in replies if node in current]
        ends = {*followed, *(here if here or followed else list(replies)[-1:])}
        variants = tuple(said.wording for said in replies.values())
        places = {node: place for place, node in enumerate(replies)}
        oldest = next(iter(options), None)
        on = [node for node in options if node in ends or node not in replies]
        on.sort(key=lambda node: node not in current)
        for node in reversed(on):
            said = options[node]
            line = ChatLine(
                position=len(way) + 1,
                role=said.role,
                speaker=AGENT if node in replies else "user",
                name=None,
                wordings=variants if node in replies else (said.wording,),
                chosen=places.get(node, 0),
                hidden=said.hidden,
            )
            known = node == oldest or (node in replies and not followed)
            waiting.append(_Way(node, line, way, way.head if known else node))


def _children(mapping: dict[str, Entry]) -> dict[str, list[str]]:
    """The places below each, in the order of the file; a link in either direction will do."""
    children: dict[str, list[str]] = {}
    for node, place in mapping.items():
        listed = place.get("children")
        found = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        children[node] = [child for child in dict.fromkeys(found) if child in mapping]
    listed_below = {child for of_one in children.values() for child in of_one}
    for node, place in mapping.items():
        parent = place.get("parent")
        if isinstance(parent, str) and parent in mapping and node not in listed_below:
            children[parent].append(node)
    return children


def _current(mapping: dict[str, Entry], node: object) -> frozenset[str]:
    """The places on the way to the one that the person saw last."""
    found: dict[str, None] = {}
    while isinstance(node, str) and node in mapping and node not in found:
        found[node] = None
        node = mapping[node].get("parent")
    return frozenset(found)


def _dict(value: object) -> Entry:
    return value if isinstance(value, dict) else {}


def _label(value: object) -> str | None:
    return clean(value)[0].strip() or None if isinstance(value, str) else None
