"""Chats as files for others: SillyTavern's `.jsonl`, with swipes, and plain JSON Lines.

Both hold what stands on one branch. What was erased is not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment
from enishi.kernel.recording import party_name
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import Text, TurnView, turn_views
from enishi.packs.memorypack.exporting import written_whole

ChatFormat = Literal["sillytavern", "jsonl"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Entry = dict[str, Any]


def write_chat_file(path: Path, stream: Stream, branch: int, format: ChatFormat) -> int:
    """Write what stands on a branch. Returns the number of lines. Needs `reading`.

    It takes its name when it is whole. A file that is there already is nobody's to write over.
    """
    if format not in _FORMATS:
        raise InvalidInput(f"there is no format {format!r}; there are: {', '.join(_FORMATS)}")
    lines = 0
    with written_whole(path, lambda start: False) as out:
        for entry in _FORMATS[format](stream, branch):
            out.write(f"{json.dumps(entry, ensure_ascii=False)}\n".encode())
            lines += 1
    return lines


def _sillytavern(stream: Stream, branch: int) -> Iterator[Entry]:
    """A header, then one object a line; the variants of a reply are swipes, as they stand now."""
    line, path = stream.line, stream.standing(branch).path
    begun = stream.history.moment(path[1]) if len(path) > 1 else None
    yield {
        "user_name": party_name(stream, branch, line.user),
        "character_name": party_name(stream, branch, line.agent),
        "create_date": _instant(begun) or "",
        "chat_metadata": {},
    }
    for turn in turn_views(stream, branch):
        for text in _standing(turn.messages):
            yield _message(text)
        replies = [reply for reply in turn.replies if reply.content is not None]
        chosen = next((reply for reply in replies if reply.chosen and reply.stands), None)
        if chosen is None:
            continue
        entry = _message(chosen)
        if len(replies) > 1:
            entry["swipe_id"] = replies.index(chosen)
            entry["swipes"] = [reply.content for reply in replies]
            entry["swipe_info"] = [_dated({"extra": {}}, reply) for reply in replies]
        yield entry


def _message(text: Text) -> Entry:
    entry = {
        "name": text.name,
        "is_user": text.role == "user",
        "is_system": text.hidden,
        "mes": text.content,
        # Somebody else is no character of the chat: so SillyTavern marks what none of them says.
        "extra": {"type": "narrator"} if text.role == "other" else {},
    }
    if text.role == "agent":
        entry["gen_started"] = _instant(text.happened) or ""
    return _dated(entry, text)


def _dated(entry: Entry, text: Text) -> Entry:
    date = _instant(text.happened)
    return entry if date is None else entry | {"send_date": date}


def _plain(stream: Stream, branch: int) -> Iterator[Entry]:
    """What the file is of, then one object for each text: every variant, and which one counts."""
    line = stream.line
    name = stream.branch_names()[branch]
    yield {"agent": line.agent, "user": line.user, "branch": name}
    for turn in turn_views(stream, branch):
        for text in (*_standing(turn.messages), *turn.replies):
            if text.content is not None:
                yield _text(turn, text)


def _text(turn: TurnView, text: Text) -> Entry:
    return {
        "turn": turn.place,
        "number": text.number,
        "happened": None if text.happened is None else text.happened.to_datetime().isoformat(),
        "role": text.role,
        "speaker": text.speaker,
        "name": text.name,
        "content": text.content,
        "chosen": text.chosen if text.role == "agent" else True,
        "hidden": text.hidden,
        "delivered": text.delivered,
    }


def _standing(texts: Iterable[Text]) -> list[Text]:
    return [text for text in texts if text.stands and text.content is not None]


def _instant(moment: Moment | None) -> str | None:
    """A time as SillyTavern has written it since 2025, ISO 8601, at the offset where it was lived.

    An offset that ISO 8601 cannot write, as old local times have it, becomes UTC.
    """
    if moment is None:
        return None
    when = (
        moment.to_datetime()
        if moment.offset % 60 == 0
        else _EPOCH + timedelta(microseconds=moment.at)
    )
    exact = "microseconds" if when.microsecond % 1000 else "milliseconds"
    return when.isoformat(timespec=exact)


_FORMATS: dict[ChatFormat, Callable[[Stream, int], Iterator[Entry]]] = {
    "sillytavern": _sillytavern,
    "jsonl": _plain,
}
