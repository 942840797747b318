"""Letta agent files: `.af`, JSON with an agent's messages; both the first shape and the second.

What a person typed stands as JSON within the text, among events that the server makes up; what
the agent said stands in its calls of `send_message`, and for agents that have no such tool in the
text itself. https://github.com/letta-ai/agent-file has the schema.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from enishi.kernel.deciding.proposals import Role
from enishi.kernel.errors import UnreadableFile
from enishi.kernel.moments import Moment
from enishi.packs.chats.chat import (
    Chat,
    ChatLine,
    Note,
    Wording,
    clean,
    fits,
    parse_json,
    read_json,
    stem,
)
from enishi.packs.chats.dates import read_instant

_LIVED = re.compile(r"([+-])([0-9]{2})([0-9]{2})$")
_THINKS = "memgpt"
"""How the types of agents begin whose text is what they think, never what they say."""

Entry = dict[str, Any]


class Letta:
    """Reads the conversation of each agent of a file."""

    name = "letta"

    def detects(self, name: str, data: bytes) -> bool:
        marks = (b"in_context_message_", b"agent_type", b"messages")
        return data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b'"') and all(
            mark in data for mark in marks
        )

    def read(self, name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]:
        value = read_json(name, data, "Letta agent file")
        if isinstance(value, str):  # some are JSON within JSON
            value = read_json(name, value.encode("utf-8", "replace"), "Letta agent file")
        listed = _dict(value).get("agents", [value])
        agents = (
            [one for one in listed if isinstance(_dict(one).get("messages"), list)]
            if (isinstance(listed, list))
            else []
        )
        if not agents:
            raise UnreadableFile(f"{name!r} is no Letta agent file: it holds no agent")
        blocks = _dict(value).get("blocks") or _dict(value).get("core_memory")
        return tuple(
            _chat(
                agent,
                f"{stem(name)}/{place}" if place else stem(name),
                len(blocks) if isinstance(blocks, list) else 0,
                zone,
            )
            for place, agent in enumerate(agents)
        )


@dataclass
class _Reading:
    """One pass over the messages of one agent."""

    zone: ZoneInfo
    thinks: bool
    left_out: Counter[str] = field(default_factory=Counter)

    def line(self, position: int, message: Entry) -> ChatLine | None:
        role: Role = "user" if message.get("role") == "user" else "agent"
        happened = read_instant(message.get("created_at"), self.zone)
        if role == "user":
            text, happened = self.typed(self.text(message), happened)
        elif message.get("role") == "assistant":
            text = self.said(message)
        else:
            self.left_out["messages of the system and of tools"] += 1
            return None
        if text is None or not text.strip():
            return None
        text, reason = clean(text)
        if not fits(text):
            self.left_out["messages longer than 1 MiB"] += 1
            return None
        self.left_out["characters that nobody can store, now U+FFFD, in messages"] += bool(reason)
        wordings = (Wording(text, happened),)
        return ChatLine(position, role, role, None, wordings, 0, hidden=False)

    def typed(self, text: str, happened: Moment | None) -> tuple[str | None, Moment | None]:
        """What a person typed, and when where they lived; None for what the server made up."""
        try:
            event = parse_json(text) if text.lstrip().startswith("{") else None
        except ValueError:
            event = None
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            return text, happened
        if event["type"] != "user_message" or not isinstance(event.get("message"), str):
            self.left_out["events that the server made up"] += 1
            return None, happened
        lived = _LIVED.search(str(event.get("time", "")))
        if happened is not None and lived:
            east = (int(lived[2]) * 60 + int(lived[3])) * 60
            if east < 24 * 3600:
                happened = Moment(happened.at, east if lived[1] == "+" else -east)
        return event["message"], happened

    def said(self, message: Entry) -> str | None:
        """What the agent said: by its tool, or by its text where that is not what it thinks."""
        calls = message.get("tool_calls")
        sent = [_sent(call) for call in calls] if isinstance(calls, list) else []
        words = [one for one in sent if one is not None]
        text = self.text(message)
        if words or self.thinks:
            self.left_out["thoughts"] += bool(text)
            return "\n".join(words)
        return text

    def text(self, message: Entry) -> str:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        words = []
        for part in parts:
            kind, text = _dict(part).get("type"), _dict(part).get("text")
            if kind == "text" and isinstance(text, str):
                words.append(text)
            elif kind == "image":
                self.left_out["images"] += 1
        return "\n".join(words)


def _chat(agent: Entry, title: str, blocks: int, zone: ZoneInfo) -> Chat:
    reading = _Reading(zone, str(agent.get("agent_type")).startswith(_THINKS))
    lines = []
    for position, message in enumerate(agent["messages"], start=1):
        line = reading.line(position, message) if isinstance(message, dict) else None
        if line is not None:
            lines.append(line)
    reading.left_out["memory blocks, which are nobody's words"] += blocks
    counts = ", ".join(f"{what}: {count}" for what, count in reading.left_out.items() if count)
    name = agent.get("name")
    return Chat(
        format=Letta.name,
        title=title,
        parent=None,
        agent=clean(name)[0].strip() or None if isinstance(name, str) else None,
        user=None,
        group=False,
        lines=tuple(lines),
        notes=(Note(0, f"Left out: {counts}."),) if counts else (),
    )


def _sent(call: object) -> str | None:
    """The words of a call of `send_message`."""
    function = _dict(_dict(call).get("function"))
    arguments = function.get("arguments")
    if function.get("name") != "send_message" or not isinstance(arguments, str):
        return None
    try:
        words = _dict(parse_json(arguments)).get("message")
    except ValueError:
        return None
    return words if isinstance(words, str) else None


def _dict(value: object) -> Entry:
    return value if isinstance(value, dict) else {}
