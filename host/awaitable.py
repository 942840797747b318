"""The same face with awaitable calls: each runs in a thread of its own.

There are more threads than asyncio has by default, so that many callers can share a commit.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from enishi.host.relationship import Relationship
from enishi.host.store import Store, open_store
from enishi.host.turn import Turn
from enishi.kernel.deciding.proposals import Proposal, Proposer
from enishi.kernel.deciding.proposing import Decided
from enishi.packs.familiar import Memory
from enishi.packs.memorypack.taking_in import PackTaken

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """The threads of this process; after a fork, those of its parent are of no use."""
    return ThreadPoolExecutor(64, thread_name_prefix="enishi")


async def _in_thread(call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """What `asyncio.to_thread` does, in a thread of ours."""
    run = partial(copy_context().run, call, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_threads(os.getpid()), run)


class _Plain(Protocol[T_co]):
    """Something that wraps its plain twin."""

    @property
    def plain(self) -> T_co:
        """The twin with plain calls."""


def _twin(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[_Plain[T], P], Coroutine[Any, Any, R]]:
    """The awaitable twin of a method: the same call, in a thread of its own."""

    @wraps(method)
    async def call(self: _Plain[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await _in_thread(method, self.plain, *args, **kwargs)

    return call


class AsyncTurn:
    """`Turn` with awaitable calls."""

    def __init__(self, plain: Turn) -> None:
        self.plain = plain
        self.number = plain.number

    view = _twin(Turn.view)
    say = _twin(Turn.say)
    reply = _twin(Turn.reply)
    abandon = _twin(Turn.abandon)
    recall = _twin(Turn.recall)
    used = _twin(Turn.used)

    async def text(self) -> str:
        """What was said to the agent, as it is worded now."""
        return await _in_thread(lambda: self.plain.text)


class _Opening:
    """A turn about to be opened: await it, or use it as `async with`."""

    def __init__(self, opening: Coroutine[Any, Any, Turn]) -> None:
        self._opening = opening
        self._turn: AsyncTurn | None = None

    def __await__(self) -> Generator[Any, Any, AsyncTurn]:
        return self._open().__await__()

    async def _open(self) -> AsyncTurn:
        return AsyncTurn(await self._opening)

    async def __aenter__(self) -> AsyncTurn:
        self._turn = await self._open()
        return self._turn

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._turn is not None
        await _in_thread(self._turn.plain.__exit__, kind, error, trace)


class AsyncRelationship:
    """`Relationship` with awaitable calls."""

    def __init__(self, plain: Relationship) -> None:
        self.plain = plain
        self.agent, self.user, self.id = plain.agent, plain.user, plain.id

    def turn(self, *args: Any, **kwargs: Any) -> _Opening:
        """Open a turn; see `Relationship.turn`. Await it, or use it as `async with`."""
        return _Opening(_in_thread(self.plain.turn, *args, **kwargs))

    async def on(self, branch: str) -> AsyncRelationship:
        """The same relationship on another branch."""
        return AsyncRelationship(await _in_thread(self.plain.on, branch))

    async def fork(self, name: str, after: AsyncTurn | int | None = None) -> AsyncRelationship:
        """Begin a branch; see `Relationship.fork`."""
        turn = after.number if isinstance(after, AsyncTurn) else after
        return AsyncRelationship(await _in_thread(self.plain.fork, name, turn))

    async def record(self, *args: Any, **kwargs: Any) -> AsyncTurn:
        """Record an exchange that already happened; see `Relationship.record`."""
        return AsyncTurn(await _in_thread(self.plain.record, *args, **kwargs))

    async def propose(
        self,
        turn: AsyncTurn | int | None,
        proposer: Proposer | Sequence[Proposal] | None = None,
    ) -> list[Decided]:
        """Let a proposer read; see `Relationship.propose`."""
        number = turn.number if isinstance(turn, AsyncTurn) else turn
        return await _in_thread(self.plain.propose, number, proposer)

    regenerate = _twin(Relationship.regenerate)
    swipe = _twin(Relationship.swipe)
    export_chat = _twin(Relationship.export_chat)
    memoir = _twin(Relationship.memoir)
    export_memoir = _twin(Relationship.export_memoir)
    edit = _twin(Relationship.edit)
    extend = _twin(Relationship.extend)
    undo = _twin(Relationship.undo)
    choose_wording = _twin(Relationship.choose_wording)
    branches = _twin(Relationship.branches)
    compare = _twin(Relationship.compare)
    switch = _twin(Relationship.switch)
    back = _twin(Relationship.back)
    drop = _twin(Relationship.drop)
    rebind = _twin(Relationship.rebind)
    export = _twin(Relationship.export)
    withdraw = _twin(Relationship.withdraw)
    restore = _twin(Relationship.restore)
    plan_erasure = _twin(Relationship.plan_erasure)
    erase = _twin(Relationship.erase)
    erase_relationship = _twin(Relationship.erase_relationship)
    erased_then = _twin(Relationship.erased_then)
    archive = _twin(Relationship.archive)
    rename = _twin(Relationship.rename)
    name_of = _twin(Relationship.name_of)
    adopt_blueprint = _twin(Relationship.adopt_blueprint)
    adopt_policy = _twin(Relationship.adopt_policy)
    blueprint = _twin(Relationship.blueprint)
    release = _twin(Relationship.release)
    correct = _twin(Relationship.correct)
    decisions = _twin(Relationship.decisions)
    failures = _twin(Relationship.failures)
    records = _twin(Relationship.records)
    turns = _twin(Relationship.turns)
    text = _twin(Relationship.text)
    summary = _twin(Relationship.summary)
    rapport = _twin(Relationship.rapport)
    mood = _twin(Relationship.mood)
    moods = _twin(Relationship.moods)
    mood_line = _twin(Relationship.mood_line)
    beliefs = _twin(Relationship.beliefs)
    tellings = _twin(Relationship.tellings)
    stale_beliefs = _twin(Relationship.stale_beliefs)
    promises = _twin(Relationship.promises)
    loops = _twin(Relationship.loops)
    tensions = _twin(Relationship.tensions)
    reflections = _twin(Relationship.reflections)
    episodes = _twin(Relationship.episodes)
    episode = _twin(Relationship.episode)
    chapters = _twin(Relationship.chapters)
    timeline = _twin(Relationship.timeline)
    split = _twin(Relationship.split)
    merge = _twin(Relationship.merge)
    shortened = _twin(Relationship.shortened)
    recall = _twin(Relationship.recall)
    portrait = _twin(Relationship.portrait)
    recall_trace = _twin(Relationship.recall_trace)
    embed = _twin(Relationship.embed)
    why_rapport = _twin(Relationship.why_rapport)
    why_mood = _twin(Relationship.why_mood)
    why = _twin(Relationship.why)
    digests = _twin(Relationship.digests)
    replay = _twin(Relationship.replay)
    rebuild = _twin(Relationship.rebuild)
    verify = _twin(Relationship.verify)


class AsyncStore:
    """`Store` with awaitable calls; `async with enishi.open_async(...) as store`."""

    def __init__(self, path: str | os.PathLike[str], options: dict[str, Any]) -> None:
        self._path = path
        self._options = options

    async def __aenter__(self) -> Self:
        self.plain = await _in_thread(open_store, self._path, **self._options)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def relationship(self, agent: str, user: str, **options: Any) -> AsyncRelationship:
        """The relationship of an agent and a user; see `Store.relationship`."""
        plain = await _in_thread(self.plain.relationship, agent, user, **options)
        return AsyncRelationship(plain)

    async def relationships(self) -> list[AsyncRelationship]:
        """All relationships, in the order in which they came."""
        plain = await _in_thread(self.plain.relationships)
        return [AsyncRelationship(bond) for bond in plain]

    plan_erasure = _twin(Store.plan_erasure)
    erase_user = _twin(Store.erase_user)
    erase_agent = _twin(Store.erase_agent)
    erase_again = _twin(Store.erase_again)
    verify_erased = _twin(Store.verify_erased)
    scrub = _twin(Store.scrub)
    sign = _twin(Store.sign)

    async def import_pack(self, path: str | os.PathLike[str], **options: Any) -> PackTaken:
        """Take a MemoryPack in; see `Store.import_pack`."""
        return await _in_thread(self.plain.import_pack, path, **options)

    async def close(self) -> None:
        """Close the file."""
        await _in_thread(self.plain.close)


class AsyncMemory:
    """`Memory` with awaitable calls, of a store that `open_async` opened."""

    def __init__(self, store: AsyncStore, *, proposers: Iterable[Proposer] | None = None) -> None:
        self.plain = Memory(store.plain, proposers=proposers)

    add = _twin(Memory.add)
    search = _twin(Memory.search)
    get_all = _twin(Memory.get_all)
    history = _twin(Memory.history)
    delete = _twin(Memory.delete)


def open_async(path: str | os.PathLike[str] = "enishi.db", **options: Any) -> AsyncStore:
    """Open a store for awaitable calls; takes what `open` takes."""
    return AsyncStore(path, options)
