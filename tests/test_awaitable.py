"""The awaitable face is the plain one: every call, with the same arguments and the same answers."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest
from helpers import line, write_chat

import enishi
from enishi.host import (
    AsyncMemory,
    AsyncRelationship,
    AsyncStore,
    AsyncTurn,
    Relationship,
    Store,
    Turn,
)

# What is awaited within a transaction would run in other threads.
PLAIN_ALONE = {"transaction"}


@pytest.mark.parametrize(
    ("plain", "awaitable"),
    [
        (Store, AsyncStore),
        (Relationship, AsyncRelationship),
        (Turn, AsyncTurn),
        (enishi.Memory, AsyncMemory),
    ],
)
def test_whatever_can_be_called_can_be_awaited(plain: type, awaitable: type) -> None:
    names = {name for name in dir(plain) if not name.startswith("_")} - PLAIN_ALONE
    assert names <= set(dir(awaitable)), names - set(dir(awaitable))
    for name in names:
        ours, theirs = getattr(awaitable, name), getattr(plain, name)
        if inspect.isfunction(theirs):
            assert (
                list(inspect.signature(ours).parameters)[1:]
                == list(inspect.signature(theirs).parameters)[1:]
            ), name


def test_a_life_in_tasks(tmp_path: Path) -> None:
    chat = write_chat(tmp_path / "chat.jsonl", [line("Thank you, truly.", "Chen"), line("Hi.")])

    async def life() -> dict[str, str]:
        async with enishi.open_async(tmp_path / "s.db") as store:
            assert store.path == tmp_path / "s.db" and not store.keyed and store.embedder is None
            (report,) = await store.import_chats(chat, user="chen")
            bond = await store.relationship(report.agent, "chen")
            assert await bond.has_imported("chat")
            async with bond.turn("Good evening.", request="a") as turn:
                reply = await turn.reply("Hm.")
            assert (await bond.turn("Good evening.", request="a")).number == turn.number
            await bond.regenerate(turn, "Good evening to you.")
            await bond.swipe(turn, 1)
            await bond.edit(reply, "Oh.")
            later = await bond.record("Are you there?", "Yes.", expect=turn)
            side = await bond.fork("side", turn)
            assert isinstance(side, AsyncRelationship) and len(await side.turns()) == 2
            await bond.back(turn)
            await bond.withdraw(await bond.get_turn(turn.number))
            await bond.propose(turn, [])
            await bond.rebind("user", "chen-2")
            assert (bond.agent, bond.user) == (report.agent, "chen-2")
            with pytest.raises(enishi.EnishiError):
                await bond.get_turn(later.number)
            assert (await bond.verify()).ok and await store.stray() == await store.check_file()
            assert [one.id for one in await store.relationships()] == [bond.id]
            return await bond.digests()

    digests = asyncio.run(life())
    with enishi.open(tmp_path / "s.db") as store:
        (bond,) = store.relationships()
        assert bond.digests() == digests


def test_what_is_awaited_of_a_store_that_is_not_open_says_so(tmp_path: Path) -> None:
    async def late() -> None:
        unopened = enishi.open_async(tmp_path / "s.db")
        with pytest.raises(enishi.EnishiError, match="not open yet"):
            await unopened.relationship("lumi", "chen")
        async with enishi.open_async(tmp_path / "s.db") as store:
            bond = await store.relationship("lumi", "chen")
        with pytest.raises(enishi.EnishiError, match="closed"):
            await bond.turn("Hello?")

    asyncio.run(late())
