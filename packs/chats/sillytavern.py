"""SillyTavern chats: `.jsonl`, one header and then one message per line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
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
    json_lines,
    looks_like,
    stem,
)
from enishi.packs.chats.dates import read_date

_SERVICE_TYPES = ("narrator", "comment", "assistant_note")
_LINES_TO_DETECT = 8

Entry = dict[str, Any]


class SillyTavern:
    """Reads chats with and without header, alone and in groups, from 2023 on; Chub's too."""

    name = "sillytavern"

    def detects(self, name: str, data: bytes) -> bool:
        entries = islice(json_lines(data), _LINES_TO_DETECT)
        return any(
            isinstance(entry, dict) and (_is_header(entry) or _is_plainly_message(entry))
            for _, entry, _ in entries
        )

    def read(self, name: str, data: bytes, zone: ZoneInfo) -> tuple[Chat, ...]:
        reading = _Reading(zone)
        entries = list(reading.entries(data))
        header = entries.pop(0)[1] if entries and _is_header(entries[0][1]) else None
        messages = list(reading.messages(entries))
        if header is None and not messages:
            raise UnreadableFile(
                f"{name!r} is no SillyTavern chat: no line is a header or a message; "
                f"it looks like {looks_like(data)}"
            )
        header = header or {}
        metadata = _dict(header.get("chat_metadata"))
        cast = _Cast(
            messages, _named(header.get("user_name")), _named(header.get("character_name"))
        )
        lines = tuple(reading.lines(messages, cast))
        chat = Chat(
            format=self.name,
            title=stem(name),
            parent=_label(metadata.get("main_chat")),
            agent=cast.agent,
            user=cast.user,
            group=cast.group,
            lines=lines,
            notes=reading.report(),
        )
        return (chat,)


class _Cast:
    """Who speaks in the file. Only all of its messages together tell."""

    def __init__(
        self, messages: list[tuple[int, Entry]], user: str | None, agent: str | None
    ) -> None:
        self.user, self.agent = user, agent
        spoken = [entry for _, entry in messages if _is_spoken(entry)]
        self._avatars: defaultdict[str, set[str]] = defaultdict(set)
        for entry in spoken:
            if avatar := _label(entry.get("original_avatar")):
                self._avatars[self.name(entry)].add(avatar)
        self._names = {self.name(entry) for entry in spoken} | ({agent} if agent else set())
        self.group = (
            any(_flag(entry.get("is_group")) for _, entry in messages)
            or len({self.speaker(entry) for entry in spoken}) > 1
        )

    def name(self, entry: Entry) -> str:
        if name := _label(entry.get("name")):
            return name
        return self.user or "user" if _flag(entry.get("is_user")) else self.agent or "character"

    def role(self, entry: Entry) -> Role:
        if _flag(entry.get("is_user")):
            return "user"
        return "agent" if self.name(entry) in self._names else "other"

    def speaker(self, entry: Entry) -> str:
        """The file name of the speaking card where the file tells it, else the name."""
        name = self.name(entry)
        if self.role(entry) != "agent":
            return name
        # Some lines of a character lack its card; the name leads to it, unless two share it.
        known = self._avatars.get(name, set())
        only = next(iter(known)) if len(known) == 1 else name
        return _label(entry.get("original_avatar")) or only


@dataclass
class _Reading:
    """One pass over one file: the zone for its dates, and what there is to report."""

    zone: ZoneInfo
    notes: list[Note] = field(default_factory=list)
    unreadable_dates: list[int] = field(default_factory=list)

    def note(self, position: int, message: str) -> None:
        note = Note(position, message)
        if note not in self.notes[-1:]:  # one sentence per line, however many variants it has
            self.notes.append(note)

    def report(self) -> tuple[Note, ...]:
        """All notes in the order of the file, with the unreadable dates as one of them."""
        if self.unreadable_dates:
            count = len(self.unreadable_dates)
            message = f"Dates that could not be read and count as unknown: {count}, the first here."
            self.note(self.unreadable_dates[0], message)
        return tuple(sorted(self.notes, key=lambda note: note.position))

    def entries(self, data: bytes) -> Iterator[tuple[int, Entry]]:
        """The objects of the file with their line numbers; other lines are noted."""
        for position, entry, damaged in json_lines(data):
            if damaged:
                self.note(position, "Bytes that are not UTF-8 were replaced by U+FFFD.")
            if isinstance(entry, ValueError):
                self.note(position, f"The line {entry}; it was passed over.")
            else:
                yield position, entry

    def messages(self, entries: Iterable[tuple[int, Entry]]) -> Iterator[tuple[int, Entry]]:
        """The entries that hold a message that can be taken."""
        for position, entry in entries:
            text = _text(entry.get("mes"))
            if text is None:
                self.note(position, "The line holds no message; it was passed over.")
            elif not fits(text):
                self.note(position, "The message is longer than 1 MiB; it was passed over.")
            else:
                yield position, entry

    def lines(self, messages: list[tuple[int, Entry]], cast: _Cast) -> Iterator[ChatLine]:
        for position, entry in messages:
            self.check_name(position, entry)
            wordings, chosen = self.wordings(position, entry)
            yield ChatLine(
                position=position,
                role=cast.role(entry),
                speaker=cast.speaker(entry),
                name=cast.name(entry),
                wordings=wordings,
                chosen=chosen,
                hidden=_flag(entry.get("is_system")),
            )

    def check_name(self, position: int, entry: Entry) -> None:
        name = entry.get("name")
        if isinstance(name, str) and _label(name):
            self.clean(position, name)
        else:
            self.note(position, "The line names no speaker; one was assumed.")

    def clean(self, position: int, text: str) -> str:
        cleaned, reason = clean(text)
        if reason:
            self.note(position, reason)
        return cleaned

    def date(self, position: int, value: object) -> Moment | None:
        moment = read_date(value, self.zone)
        if moment is None and value is not None:
            self.unreadable_dates.append(position)
        return moment

    def wordings(self, position: int, entry: Entry) -> tuple[tuple[Wording, ...], int]:
        """The variants of a message that can be taken, and the index of the chosen one."""
        texts, chosen = self.variants(position, entry)
        taken: list[Wording] = []
        place = 0
        for index, text in enumerate(texts):
            happened = self.date(position, _variant_date(entry, index))
            if index == chosen:
                place = len(taken)
                happened = happened or self.date(position, entry.get("send_date"))
            if text is None or not fits(text):
                self.note(position, "A variant that is no text, or above 1 MiB, was left out.")
            else:
                taken.append(Wording(self.clean(position, text), happened))
        return tuple(taken), place

    def variants(self, position: int, entry: Entry) -> tuple[list[str | None], int]:
        """The texts of all variants as they stand in the file, and the index of the chosen one.

        `mes` is what the person saw last: it wins over the variant it was edited from.
        """
        message, swipes = _text(entry["mes"]), entry.get("swipes")
        if not isinstance(swipes, list) or not swipes:
            if swipes is not None and swipes != []:
                self.note(position, "The variants are no list; only the message was taken.")
            return [message], 0
        texts = [_text(swipe) for swipe in swipes]
        index = entry.get("swipe_id")
        if type(index) is not int or not 0 <= index < len(texts):
            self.note(position, "The chosen variant is not among them; the message was taken.")
            index = texts.index(message) if message in texts else len(texts)
        texts[index : index + 1] = [message]
        return texts, index


def _is_header(entry: Entry) -> bool:
    named = "user_name" in entry and "character_name" in entry
    return (named or "chat_metadata" in entry) and _text(entry.get("mes")) is None


def _is_plainly_message(entry: Entry) -> bool:
    # `mes` alone does not do: it is also the Spanish word for a month.
    return _text(entry.get("mes")) is not None and bool(
        entry.keys() & {"name", "is_user", "send_date"}
    )


def _is_spoken(entry: Entry) -> bool:
    """Whether a character says it. Hidden lines of characters carry marks of their making."""
    if _flag(entry.get("is_user")) or _dict(entry.get("extra")).get("type") in _SERVICE_TYPES:
        return False
    made = "gen_started" in entry or _label(entry.get("original_avatar")) is not None
    return made or not _flag(entry.get("is_system"))


def _flag(value: object) -> bool:
    # Not truthiness: a file that says "false" in words must not mean yes.
    return value is True or value == 1


def _dict(value: object) -> Entry:
    return value if isinstance(value, dict) else {}


def _label(value: object) -> str | None:
    """A name or an id, fit to be stored; None for everything that cannot be one."""
    return clean(value)[0] if isinstance(value, str) and value and fits(value) else None


def _named(value: object) -> str | None:
    label = _label(value)
    return None if label == "unused" else label


def _text(value: object) -> str | None:
    """The text of a message or variant; Chub wraps it into an object."""
    if isinstance(value, dict):
        value = value.get("message")
    return value if isinstance(value, str) else None


def _variant_date(entry: Entry, index: int) -> object:
    infos = entry.get("swipe_info")
    if not isinstance(infos, list) or index >= len(infos):
        return None
    return _dict(infos[index]).get("send_date")
