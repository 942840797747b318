"""The names that users of other memory libraries know, on top of the same log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import fixed_store

import enishi
from enishi.host import Store
from enishi.kernel.deciding.proposals import Belief
from enishi.kernel.errors import InvalidInput, NotFound


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "s.db") as opened:
        yield opened


def test_what_is_added_is_found_listed_told_and_deleted(store: Store, tmp_path: Path) -> None:
    memory = enishi.Memory(store)
    added = memory.add(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "I live in Porto. I'm allergic to peanuts."},
            {"role": "assistant", "content": "I promise to call you tomorrow."},
            {"role": "user", "content": "Thanks!"},
        ],
        user_id="chen",
        agent_id="lumi",
    )["results"]
    assert {one["memory"] for one in added} >= {"Porto", "peanuts"}
    every = memory.get_all(user_id="chen", agent_id="lumi")["results"]
    assert [one["id"] for one in every] == [one["id"] for one in added]
    assert {one["key"] for one in every} >= {"home_city", "allergy", "promise"}
    assert memory.get_all(user_id="chen", agent_id="lumi", limit=1)["results"] == every[:1]
    best = memory.search("peanuts", user_id="chen", agent_id="lumi")["results"][0]
    assert "peanuts" in best["memory"] and best["user_id"] == "chen" and best["score"] > 0
    for others in ({"user_id": "bob", "agent_id": "lumi"}, {"user_id": "chen"}):
        assert memory.search("peanuts", **others) == memory.get_all(**others) == {"results": []}
    assert len(store.relationships()) == 1

    peanuts = next(one["id"] for one in every if one["memory"] == "peanuts")
    receipt = memory.delete(peanuts)
    assert receipt.erased >= 2
    assert memory.search("peanuts", user_id="chen", agent_id="lumi") == {"results": []}
    left = memory.get_all(user_id="chen", agent_id="lumi")["results"]
    assert "peanuts" not in {one["memory"] for one in left}
    for file in tmp_path.iterdir():
        assert b"peanuts" not in file.read_bytes()


def test_a_history_tells_what_was_held_before(store: Store) -> None:
    memory = enishi.Memory(store)
    first = memory.add("I live in Porto.", user_id="chen")["results"][0]
    second = memory.add("I have moved to Lisbon.", user_id="chen")["results"]
    told = memory.history(first["id"])
    assert told[0]["event"] == "ADD" and told[0]["new_memory"] == "Porto"
    assert [one["event"] for one in told] == ["ADD", "UPDATE"][: len(told)]
    assert second == [] or told[1]["old_memory"] == "Porto"
    found = memory.search("Porto", user_id="chen")["results"]
    said = next(one for one in found if one["kind"] == "text")
    assert memory.history(said["id"])[0]["new_memory"] == "I live in Porto."
    memory.delete(said["id"])
    assert not memory.search("Porto", user_id="chen")["results"]


def test_what_was_told_more_than_once_goes_with_every_telling(store: Store) -> None:
    memory = enishi.Memory(store)
    for _ in range(3):
        memory.add({"role": "user", "content": "I'm allergic to peanuts."}, user_id="chen")
    (only,) = memory.get_all(user_id="chen")["results"]
    memory.delete(only["id"])
    assert memory.get_all(user_id="chen") == {"results": []}
    assert memory.search("peanuts", user_id="chen") == {"results": []}


def test_ids_and_messages_that_are_none_are_refused(store: Store) -> None:
    memory = enishi.Memory(store)
    (one,) = memory.add("I live in Porto.", user_id="chen")["results"]
    owner = one["id"].split(":")[0]
    for wrong in ("", "7", ":7", f"{owner}:x", f"{owner}:-1", f"{owner}:{'9' * 30}"):
        with pytest.raises(InvalidInput, match="is no id of a memory"):
            memory.delete(wrong)
    for gone in (f"{'0' * 32}:7", f"{owner}:9999", f"{owner}:0"):
        with pytest.raises(NotFound):
            memory.delete(gone)
    with pytest.raises(InvalidInput, match="a message is"):
        memory.add([{"role": "robot", "content": "x"}], user_id="chen")


def test_the_familiar_names_can_be_awaited(tmp_path: Path) -> None:
    async def main() -> list[dict[str, object]]:
        async with enishi.open_async(tmp_path / "s.db") as store:
            memory = enishi.AsyncMemory(store)
            (added,) = (await memory.add("I'm allergic to peanuts.", user_id="chen"))["results"]
            assert (await memory.get_all(user_id="chen"))["results"][0]["id"] == added["id"]
            assert (await memory.history(added["id"]))[0]["event"] == "ADD"
            assert (await memory.search("peanuts", user_id="chen"))["results"]
            assert (await memory.delete(added["id"])).erased >= 2
            left: list[dict[str, object]] = (await memory.search("peanuts", user_id="chen"))[
                "results"
            ]
            return left

    assert asyncio.run(main()) == []


def test_a_proposal_that_is_held_is_no_memory(store: Store) -> None:
    memory = enishi.Memory(store)
    memory.add("Perhaps we move to Porto, we shall see.", user_id="chen")
    bond = store.relationship("assistant", "chen")
    text = bond.turns()[0].messages[0].number
    held = Belief(subject="user", key="plan", value="move to Porto", confidence=0.6,
                  citations=(enishi.Citation(text=text, quote="move to Porto"),))  # fmt: skip
    assert bond.propose(None, [held])[0].verdict == "held"
    assert {one["kind"] for one in memory.search("Porto", user_id="chen")["results"]} == {"text"}
