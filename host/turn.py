"""One turn: the words that open it, what is remembered for it, and its reply."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from enishi.host.given import Numbered, message_of, moment_of_given, number_of, reply_of
from enishi.kernel import recording
from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.errors import Conflict
from enishi.kernel.events import Delivery
from enishi.kernel.recording import Message, Reply
from enishi.kernel.transcript import Text, TurnView, text_of
from enishi.kernel.transcript import turn_view as view_of_turn
from enishi.projections.recall.gate import gate
from enishi.projections.recall.hearing import viewers_in, viewers_of
from enishi.projections.recall.holding import known_names
from enishi.projections.recall.items import LAYERS, Layer, Recall
from enishi.projections.recall.rendering import Counter
from enishi.projections.recall.tracing import report_used

if TYPE_CHECKING:
    from enishi.host.relationship import Relationship


class Turn:
    """One turn: give its reply, add to it, or let it go."""

    def __init__(self, bond: Relationship, number: int) -> None:
        self._bond = bond
        self.number = number
        self._offered: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.view().status == "open":
            self.abandon()

    def __repr__(self) -> str:
        return f"<Turn {self.number} of {self._bond.agent!r} and {self._bond.user!r}>"

    def view(self) -> TurnView:
        """The turn with its messages and replies as they are chosen now."""
        with self._bond._reading() as branch:
            return view_of_turn(self._bond._stream, branch, self.number)

    @property
    def text(self) -> str:
        """What was said to the agent, as it is worded now."""
        return "\n".join(m.content or "" for m in self.view().messages)

    def say(self, message: str | Message, *, request: str | None = None) -> Text:
        """Add a message while the turn is open."""
        with self._bond._writing() as branch:
            number = recording.add_message(
                self._bond._stream, branch, self.number, message_of(message), request=request
            )
            return text_of(self._bond._stream, branch, number)

    def recall(
        self,
        query: str | None = None,
        *,
        budget: int | None = None,
        within: float | None = None,
        items: int | None = None,
        layers: Collection[Layer] = LAYERS,
        counter: Counter | str | None = None,
        needed: bool | None = None,
        audience: Audience | Collection[str] | None = None,
    ) -> Recall:
        """What to remember for the reply to this turn; takes what `Relationship.recall` takes.

        Its audience is the agent alone, in a scene all who are there. The query is what was said, unless another is given, and is no evidence itself. A gate
        decides first whether recall is needed: if it is not, only what is pinned is there, and
        `needed` is the caller's own word on it. What was offered is recorded with the reply.
        """
        text = self.text if query is None else query
        with self._bond._reading() as branch:
            names = known_names(self._bond._stream, branch)
            there = viewers_in(self._bond._stream, self.number)
        viewers = there if audience is None else viewers_of(audience)
        answer = gate(text, names, override=needed)
        found = self._bond._recall(
            text, answer, None, budget, within, items, layers, counter, viewers, self.number
        )
        self._offered = found.numbers
        return found

    def used(self, *about: Numbered | int) -> int:
        """Report which of the offered items the reply made use of; it is recorded, and counts once.

        Returns the number that `withdraw` takes back.
        """
        with self._bond._writing() as branch:
            numbers = [number_of(one) for one in about]
            return report_used(self._bond._stream, branch, self.number, numbers)

    def reply(
        self,
        content: str | Reply,
        *,
        delivered: Delivery = "shown",
        given: Iterable[int] | None = None,
        at: datetime | None = None,
        request: str | None = None,
    ) -> Text:
        """Complete the turn. The same reply again is answered with what exists.

        `given` are the numbers of the events that the prompt had offered: those of the last
        `recall`, if left out. Another reply to a
        completed turn is a variant: see `Relationship.regenerate`.
        """
        given_reply = reply_of(content)
        if isinstance(content, str):
            offered = self._offered if given is None else tuple(given)
            given_reply = Reply(content, delivered, offered, happened=moment_of_given(at))
        stream = self._bond._stream
        with self._bond._writing() as branch:
            view = view_of_turn(stream, branch, self.number)
            if view.reply is not None and request is None:
                if view.reply.content == given_reply.content:
                    return view.reply
                raise Conflict(
                    f"turn {self.number} has a reply already; another one is a variant: "
                    "use regenerate()"
                )
            number = recording.give_reply(stream, branch, self.number, given_reply, request=request)
            return text_of(stream, branch, number)

    def abandon(self) -> None:
        """No reply will come. What was said stays said."""
        with self._bond._writing() as branch:
            recording.abandon_turn(self._bond._stream, branch, self.number)
