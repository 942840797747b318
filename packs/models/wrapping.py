"""A client of the chat completions protocol that remembers: it recalls before, and records after.

    client = enishi.wrap(OpenAI(), bond)
    client.chat.completions.create(model="...", messages=[...])

One wrapped client is one conversation: its calls follow each other. Any object will do that has
`client.chat.completions.create`, plain or awaitable, whole answers or streams. What stands besides
is the client's own.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.errors import Conflict, ProposerFailed
from enishi.kernel.recording import Reply
from enishi.kernel.rules import bundled_proposers
from enishi.kernel.words.spoken import mostly_spoken
from enishi.projections.recall.items import ELSEWHERE, LAYERS

_LEADING = ("system", "developer")


class Bond(Protocol):
    """What is needed of a relationship: see `host.Relationship`."""

    def turn(self, said: Sequence[str]) -> Any:
        """Open a turn."""

    def propose(self, turn: Any, proposer: Proposer) -> Any:
        """Let a proposer read a turn."""

    def regenerate(self, turn: Any, reply: Reply) -> Any:
        """Record another reply."""

    def swipe(self, turn: Any, reply: int) -> None:
        """Choose among the replies."""


def wrap(client: Any, bond: Any, *, proposers: Iterable[Proposer] | None = None) -> Any:
    """The same client, with a memory: what `bond` (plain or awaitable) remembers of what is said.

    The user's messages after the last answer are what is said; a block of memories stands before
    the talk as a system message, and the answer is recorded as the reply, several as its variants.
    Where the call fails, or nothing was said, the turn is abandoned. `create(..., again=True)` asks
    for another reply to the last turn: a variant, which is then the chosen one. While an answer only
    calls tools, the turn stays open, and the call with their results goes on with it. `proposers`
    read each turn afterwards, the bundled ones if left out.
    """
    chosen = bundled_proposers() if proposers is None else tuple(proposers)
    return _Wrapped(client, _Remembering(client, getattr(bond, "plain", bond), chosen))


class _Around:
    """An object with something of its own in the place of one of its attributes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Wrapped(_Around):
    def __init__(self, client: Any, completions: _Remembering) -> None:
        super().__init__(client)
        self.chat = _Around(client.chat)
        self.chat.completions = completions  # type: ignore[attr-defined]


class _Remembering(_Around):
    """The completions of a client, with `create` in its own way."""

    def __init__(self, client: Any, bond: Bond, proposers: Sequence[Proposer]) -> None:
        super().__init__(client.chat.completions)
        self._bond = bond
        self._proposers = proposers
        self._turn: Any = None
        self._block = ""
        self._given: tuple[int, ...] = ()
        self._waiting = False

    def create(self, *, messages: Iterable[Any], again: bool = False, **options: Any) -> Any:
        """Ask as the client does, with memories; see `wrap`."""
        create, messages = self._inner.create, list(messages)
        if inspect.iscoroutinefunction(inspect.unwrap(create)):
            return self._create_async(messages, again, options)
        asked = self._begin(messages, again)
        with _Abandoning(self, again):
            answer = create(messages=asked, **options)
            if options.get("stream"):
                return _Stream(answer, self, again)
            self._end(_answers(answer), again)
        return answer

    async def _create_async(self, messages: list[Any], again: bool, options: dict[str, Any]) -> Any:
        asked = await asyncio.to_thread(self._begin, messages, again)
        with _Abandoning(self, again):
            answer = await self._inner.create(messages=asked, **options)
            if options.get("stream"):
                return _AsyncStream(answer, self, again)
            await asyncio.to_thread(self._end, _answers(answer), again)
        return answer

    def _begin(self, messages: list[Any], again: bool) -> list[Any]:
        """Open the turn, and the messages with what is remembered."""
        last = next((n for n in range(len(messages), 0, -1) if _of(messages, n) != "user"), 0)
        said = [text for one in messages[last:] if (text := _content(one))]
        if again:
            if self._turn is None or self._waiting:
                raise Conflict("there is no reply yet that another one could stand beside")
        elif said or not self._waiting:
            if self._waiting:
                self._abandon()
            self._turn = self._bond.turn(said)
            self._waiting = True
            try:
                self._block = self._recall(messages, said)
            except BaseException:
                self._abandon()
                raise
        place = next((n for n in range(len(messages)) if _of(messages, n + 1) not in _LEADING), 0)
        block = [{"role": "system", "content": self._block}] if self._block else []
        return [*messages[:place], *block, *messages[place:]]

    def _recall(self, messages: list[Any], said: list[str]) -> str:
        """What is remembered; without the running session where the messages have it already."""
        has_answers = any(_get(one, "role") == "assistant" for one in messages)
        found = self._turn.recall(layers=ELSEWHERE if has_answers else LAYERS)
        block: str = found.render(mostly_spoken(said))
        self._given = found.numbers
        return block

    def _end(self, answers: list[str | None], again: bool) -> None:
        """Record what was answered; with nothing but calls of tools the turn stays open."""
        told = [one for one in answers if one]
        if not told:
            if answers != [None] and not again:
                self._abandon()
            return
        replies = [Reply(one, given=self._given) for one in told]
        if not again:
            self._turn.reply(replies.pop(0))
            self._waiting = False
        for reply in replies:
            self._bond.regenerate(self._turn, reply)
        if len(told) > 1 and not again:
            self._bond.swipe(self._turn, 1)
        for proposer in self._proposers:
            try:
                self._bond.propose(self._turn, proposer)
            except ProposerFailed:
                continue  # it can be tried again, and the answer is here

    def _abandon(self) -> None:
        if self._waiting:
            self._turn.abandon()
        self._turn, self._waiting = None, False


class _Abandoning:
    """Abandons the turn of a call that fails."""

    def __init__(self, calls: _Remembering, again: bool) -> None:
        self._calls, self._again = calls, again

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and not self._again:
            self._calls._abandon()


class _Heard:
    """What has come of a stream so far, and whether it was recorded."""

    def __init__(self, calls: _Remembering, again: bool) -> None:
        self._calls, self._again = calls, again
        self._parts: list[str] = []
        self._calling = self._over = False

    def take(self, chunk: Any) -> None:
        for choice in _get(chunk, "choices") or ():
            delta = _get(choice, "delta")
            if not _get(choice, "index"):
                self._parts.append(_get(delta, "content") or "")
            self._calling = self._calling or bool(_get(delta, "tool_calls"))

    def end(self) -> None:
        """Record what came, once; it was seen, whoever ended the stream."""
        if not self._over:
            self._over = True
            told = "".join(self._parts)
            self._calls._end([told or (None if self._calling else "")], self._again)

    def fail(self) -> None:
        self._over = True
        if not self._again:
            self._calls._abandon()


class _Stream(_Around):
    """A stream that is recorded when it ends."""

    def __init__(self, stream: Any, calls: _Remembering, again: bool) -> None:
        super().__init__(stream)
        self._heard = _Heard(calls, again)
        self._chunks = iter(stream)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            self._heard.end()
            raise
        except BaseException:
            self._heard.fail()
            raise
        self._heard.take(chunk)
        return chunk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream; what had come by then was seen, and is recorded."""
        self._heard.end()
        if hasattr(self._inner, "close"):
            self._inner.close()


class _AsyncStream(_Around):
    """The same for a stream that is awaited."""

    def __init__(self, stream: Any, calls: _Remembering, again: bool) -> None:
        super().__init__(stream)
        self._heard = _Heard(calls, again)
        self._chunks = aiter(stream)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            await asyncio.to_thread(self._heard.end)
            raise
        except BaseException:
            self._heard.fail()
            raise
        self._heard.take(chunk)
        return chunk

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stream; what had come by then was seen, and is recorded."""
        await asyncio.to_thread(self._heard.end)
        if hasattr(self._inner, "close"):
            await self._inner.close()


def _get(thing: Any, name: str) -> Any:
    """A field of an answer, which may be an object or a mapping."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _of(messages: list[Any], n: int) -> Any:
    """The role of the n-th message, counted from 1."""
    return _get(messages[n - 1], "role")


def _content(message: Any) -> str:
    """What a message says in words; pictures and sounds are no words."""
    content = _get(message, "content")
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(_get(part, "text") or "" for part in content).strip()


def _answers(answer: Any) -> list[str | None]:
    """The texts of an answer's choices; None for one that has only calls of tools."""
    messages = [_get(choice, "message") for choice in _get(answer, "choices") or ()]
    return [
        None if not _content(one) and _get(one, "tool_calls") else _content(one) for one in messages
    ]
