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
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from enishi.host.relationship import Relationship
from enishi.host.store import Store, open_store
from enishi.host.turn import Turn
from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.errors import StoreFailure
from enishi.packs.familiar import Memory
from enishi.projections.recall.vectors import Embedder

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
W = TypeVar("W")
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


def _twin_as(
    method: Callable[Concatenate[T, P], R], kind: Callable[[R], W]
) -> Callable[Concatenate[_Plain[T], P], Coroutine[Any, Any, W]]:
    """The same of a method whose answer has an awaitable twin of its own."""

    @wraps(method)
    async def call(self: _Plain[T], /, *args: P.args, **kwargs: P.kwargs) -> W:
        return kind(await _in_thread(method, self.plain, *args, **kwargs))

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


def _opening(
    method: Callable[Concatenate[T, P], Turn],
) -> Callable[Concatenate[_Plain[T], P], _Opening]:
    """The twin of what opens a turn: await it, or use it as `async with`."""

    @wraps(method)
    def call(self: _Plain[T], /, *args: P.args, **kwargs: P.kwargs) -> _Opening:
        return _Opening(_in_thread(method, self.plain, *args, **kwargs))

    return call


def _related(plain: Relationship) -> AsyncRelationship:
    return AsyncRelationship(plain)


def _all_related(plain: Sequence[Relationship]) -> list[AsyncRelationship]:
    return [AsyncRelationship(bond) for bond in plain]


class AsyncRelationship:
    """`Relationship` with awaitable calls."""

    def __init__(self, plain: Relationship) -> None:
        self.plain = plain

    @property
    def agent(self) -> str:
        """The agent's stable id."""
        return self.plain.agent

    @property
    def user(self) -> str:
        """The user's stable id."""
        return self.plain.user

    @property
    def id(self) -> bytes:
        """The relationship's own 16 random bytes."""
        return self.plain.id

    turn = _opening(Relationship.turn)
    record = _twin_as(Relationship.record, AsyncTurn)
    get_turn = _twin_as(Relationship.get_turn, AsyncTurn)
    on = _twin_as(Relationship.on, _related)
    fork = _twin_as(Relationship.fork, _related)
    propose = _twin(Relationship.propose)
    has_imported = _twin(Relationship.has_imported)
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
    """`Store` with awaitable calls; `async with enishi.open_async(...) as store`.

    It has all of `Store` but `transaction`: what is awaited within one would run in other threads.
    """

    def __init__(self, opening: Callable[[], Store]) -> None:
        self._opening = opening
        self._plain: Store | None = None

    async def __aenter__(self) -> Self:
        self._plain = await _in_thread(self._opening)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def plain(self) -> Store:
        """The store with plain calls; StoreFailure before it is open."""
        if self._plain is None:
            raise StoreFailure("not open yet: async with enishi.open_async(...) as store")
        return self._plain

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.plain.path

    @property
    def embedder(self) -> Embedder | None:
        """What searches by meaning here, if anything does."""
        return self.plain.embedder

    @property
    def keyed(self) -> bool:
        """Whether each payload is kept encrypted under a key of its own."""
        return self.plain.keyed

    relationship = _twin_as(Store.relationship, _related)
    relationships = _twin_as(Store.relationships, _all_related)
    import_chats = _twin(Store.import_chats)
    import_erii = _twin(Store.import_erii)
    import_pack = _twin(Store.import_pack)
    signers = _twin(Store.signers)
    own_key = _twin(Store.own_key)
    believe = _twin(Store.believe)
    disbelieve = _twin(Store.disbelieve)
    check_file = _twin(Store.check_file)
    stray = _twin(Store.stray)
    verify_erased = _twin(Store.verify_erased)
    to_scrub = _twin(Store.to_scrub)
    inspect = _twin(Store.inspect)
    close = _twin(Store.close)
    plan_erasure = _twin(Store.plan_erasure)
    erase_user = _twin(Store.erase_user)
    erase_agent = _twin(Store.erase_agent)
    erase_again = _twin(Store.erase_again)
    scrub = _twin(Store.scrub)
    sign = _twin(Store.sign)


class AsyncMemory:
    """`Memory` with awaitable calls, of a store that `open_async` opened."""

    def __init__(self, store: AsyncStore, *, proposers: Iterable[Proposer] | None = None) -> None:
        self.plain = Memory(store.plain, proposers=proposers)

    add = _twin(Memory.add)
    search = _twin(Memory.search)
    get_all = _twin(Memory.get_all)
    history = _twin(Memory.history)
    delete = _twin(Memory.delete)


def _for_awaiting(opening: Callable[P, Store]) -> Callable[P, AsyncStore]:
    @wraps(opening)
    def call(*args: P.args, **kwargs: P.kwargs) -> AsyncStore:
        return AsyncStore(partial(opening, *args, **kwargs))

    return call


open_async = _for_awaiting(open_store)
"""Open a store for awaitable calls; takes what `open` takes."""
