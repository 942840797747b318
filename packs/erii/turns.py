"""What was said in a pack of E.R.I.I., and its beliefs as notes, recorded in the order of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from enishi.kernel import recording
from enishi.kernel.errors import Conflict
from enishi.kernel.events import Delivery, payload_of
from enishi.kernel.moments import Moment, date_of
from enishi.kernel.recording import Message, Origin, Reply
from enishi.kernel.stream import AHEAD, Draft, Stream
from enishi.packs.chats.dates import read_instant
from enishi.packs.erii import proposals as made
from enishi.packs.erii.reading import BeliefSpan, EriiPack, Said, TurnPart
from enishi.packs.erii.report import EriiReport

SPEAKER = "erii"
"""Who says what only the pack's own records say: a third party, whose word is hearsay."""

_DELIVERED: dict[str, Delivery] = {
    "overridden": "overridden",
    "shown_unreviewed": "shown_unreviewed",
}


@dataclass(slots=True)
class Turns:
    """The turns of a pack on a branch.

    `texts` has the number of each message that is here, by its id; `notes` the number and the
    words of each belief's note, by event and key.
    """

    stream: Stream
    branch: int
    pack: EriiPack
    zone: ZoneInfo
    report: EriiReport
    texts: dict[str, int] = field(default_factory=dict)
    notes: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def record(self) -> None:
        """Record turns and notes in the order of their times."""
        todo: list[tuple[int, Callable[[], None]]] = []
        at = 0
        for turn in self.pack.contents.turn_records:
            at = self._at(turn.opened_at, at)
            todo.append((at, lambda turn=turn: self._turn(turn)))  # type: ignore[misc]
        at = 0
        for span in self.pack.beliefs():
            at = self._at(span.since, at)
            todo.append((at, lambda span=span: self._note(span)))  # type: ignore[misc]
        for _, record in sorted(todo, key=lambda one: one[0]):
            record()

    def _at(self, time: str | None, before: int) -> int:
        moment = self.moment(time)
        return before if moment is None else moment.at

    def _turn(self, turn: TurnPart) -> None:
        user, agent = turn.transcript.user_message, turn.transcript.agent_message
        first, second = self._key(turn.turn_id, 1, user), self._key(turn.turn_id, 2, agent)
        known = self._known(first, user) or self._known(second, agent)
        if known is not None:
            self._complete(turn, self.stream.history.turn[known])
            return
        delivered = _DELIVERED.get(str(turn.delivery_disposition), "shown")
        opened = recording.open_turn(
            self.stream,
            self.branch,
            [self._message(turn, user, first)] if user else [],
            at=self.moment(turn.opened_at),
            reply=self._reply(turn, agent, second, delivered) if agent else None,
            by="import",
        )
        self.report.turns += 1
        for place, said in enumerate(one for one in (user, agent) if one):
            self.texts[said.message_id] = opened + 1 + place
        if turn.status == "abandoned":
            self._abandon(opened, turn.abandoned_at)

    def _complete(self, turn: TurnPart, number: int) -> None:
        """A turn that is recorded already, and may have got its reply or its end since."""
        user, agent = turn.transcript.user_message, turn.transcript.agent_message
        replied = None
        for place, said in ((1, user), (2, agent)):
            replied = self._known(self._key(turn.turn_id, place, said), said)
            if said and replied is not None and replied not in self.stream.history.erased:
                self.texts[said.message_id] = replied
        if not self.stream.standing(self.branch).on_path(number):
            return
        status = self.stream.standing(self.branch).status(number)
        if agent is not None and replied is None and status == "open":
            delivered = _DELIVERED.get(str(turn.delivery_disposition), "shown")
            reply = self._reply(turn, agent, self._key(turn.turn_id, 2, agent), delivered)
            self.texts[agent.message_id] = recording.give_reply(
                self.stream, self.branch, number, reply, by="import"
            )
            self.report.replies += 1
        elif turn.status == "abandoned" and status == "open":
            self._abandon(number, turn.abandoned_at)
            self.report.replies += 1

    def _abandon(self, turn: int, at: str | None) -> None:
        payload = payload_of("TurnAbandoned", by="import")
        moment = self.moment(at)
        self.stream.append(Draft("TurnAbandoned", payload, turn, self.branch, happened=moment))

    def _note(self, span: BeliefSpan) -> None:
        """A belief as the pack keeps it: a note by nobody who took part, and no turn of theirs."""
        since, until = self.days(span)
        ends = f" ({since} – {until or ''})" if since else ""
        words = f"{span.key}: {made.shown_value(span.value)}{ends}"
        source = f"{span.event}/{span.key}"
        key = self._key(source, 1, Said(message_id=source, content="", recorded_at=span.since))
        known = self.stream.log.requested(self.stream.line, key)
        if known is not None:
            if known in self.stream.history.erased:
                return
            number = self.stream.standing(self.branch).chosen(known, default=known) or known
            payload = self.stream.payload(number)
            if payload is not None and payload["content"] != words:
                number = recording.revise_text(self.stream, self.branch, known, words, by="import")
                self.report.revised += 1
            self.notes[span.event, span.key] = number, words
            return
        at = self.moment(span.since)
        opened = recording.open_turn(
            self.stream,
            self.branch,
            [
                Message(
                    content=words,
                    role="other",
                    speaker=SPEAKER,
                    name="E.R.I.I.",
                    happened=at,
                    origin=Origin(source=self._source(source), position=1),
                    request=key,
                )
            ],
            at=at,
            by="import",
        )
        self._abandon(opened, span.since)
        self.notes[span.event, span.key] = opened + 1, words
        self.report.notes += 1

    def days(self, span: BeliefSpan) -> tuple[str | None, str | None]:
        """The first and the last day of a value: the day before it changed, or that day itself."""
        first, last = self.moment(span.since), self.moment(span.until)
        if first is None:
            return None, None
        until = None if last is None else date_of(max(first.day, last.day - 1)).isoformat()
        return date_of(first.day).isoformat(), until

    def _message(self, turn: TurnPart, said: Said, key: str) -> Message:
        origin = Origin(source=self._source(turn.turn_id), position=1)
        at = self.moment(said.recorded_at)
        return Message(content=said.content, happened=at, origin=origin, request=key)

    def _reply(self, turn: TurnPart, said: Said, key: str, delivered: Delivery) -> Reply:
        return Reply(
            content=said.content,
            delivered=delivered,
            happened=self.moment(said.recorded_at),
            origin=Origin(source=self._source(turn.turn_id), position=2),
            request=key,
        )

    def _source(self, item: str) -> str:
        return f"{self.pack.id}/{item}"

    def _key(self, item: str, position: int, said: Said | None) -> str:
        moment = self.moment(said.recorded_at) if said else None
        time = "unknown" if moment is None else str(moment.at)
        return f"chat\n{self._source(item)}\n{position}\n{time}\n0"

    def _known(self, key: str, said: Said | None) -> int | None:
        """The number of what was taken in before; Conflict where the pack has other words now."""
        number = self.stream.log.requested(self.stream.line, key) if said else None
        if number is None or said is None or number in self.stream.history.erased:
            return number
        payload = self.stream.payload(number)
        if payload is not None and payload["content"] != said.content:
            raise Conflict(
                f"{self.pack.name!r} has other words in {said.message_id!a} than what was taken in "
                f"before as number {number}; nothing was taken in"
            )
        return number

    def moment(self, time: str | None) -> Moment | None:
        moment = read_instant(time, self.zone)
        return None if moment is None or moment.at > self.stream.now.at + AHEAD else moment
