"""The pack format, fixed by a pack: it reads everywhere as it did, and is written so again.

Blessing writes the pack anew; a change to its stream is a change to the format.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from enishi.host import Relationship, Store, open_store
from enishi.kernel.erasing.erasure import erase, of_numbers
from enishi.kernel.rules.proposer import RuleProposer
from enishi.packs.memorypack.frames import FrameReader
from enishi.packs.memorypack.pack_files import inspect_pack

FOLDER = Path(__file__).parent / "packs"
PACK, SAID = FOLDER / "first-snow.erii", FOLDER / "first-snow.json"
NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
LIVED = (
    ("It's snowing! Our first snow together.", "I will remember this morning."),
    ("我对花生过敏。", "记住了,不放花生。"),
    ("Thank you for waiting with me.", "Always."),
    ("This one is a secret: the key is under the stone.", "I heard nothing."),
)


def store_at(path: Path, seed: int = 0) -> Store:
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return sha256(f"pack {seed}:{count}".encode()).digest()[:size]

    return open_store(path, clock=lambda: NOW, entropy=entropy, synchronous="NORMAL")


def live(store: Store) -> Relationship:
    """The life that the pack carries: a swipe, an edit, a fork, a rebinding, an erasure."""
    bond = store.relationship("lumi", "chen")
    for day, (said, reply) in enumerate(LIVED):
        bond.record(said, reply, at=NOW - timedelta(days=20 - day))
    first, second, _, secret = bond.turns()
    bond.regenerate(first.number, "The first of many.")
    bond.edit(second.messages[0].number, "我对花生和虾过敏。")
    bond.propose(None, RuleProposer())
    bond.fork("what if", second.number)
    bond.rebind("user", "chen-2")
    stream = bond._stream
    with stream.writing():
        erase(stream, of_numbers(stream, [secret.messages[0].number]))
    return bond


def stream_of(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return list(FrameReader(file, path.name))


def test_the_pack_is_read_and_written_as_it_was(tmp_path: Path, blessing: bool) -> None:
    pytest.importorskip("cryptography", reason="it is signed; the extra `crypto` checks that")
    if blessing:
        with store_at(tmp_path / "bless.db") as store:
            exported = live(store).export(PACK)
        told = {"pack": exported.pack, "records": exported.records, "erased": exported.erased}
        SAID.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    said = json.loads(SAID.read_text("utf-8"))
    found = inspect_pack(PACK)
    assert found.pack == said["pack"]
    assert (found.manifest.records, found.manifest.erased) == (said["records"], said["erased"])
    with store_at(tmp_path / "taken.db", seed=1) as store:
        taken = store.import_pack(PACK)
        assert taken.lines[0].differing == () and taken.lines[0].unknown == ()
        (bond,) = store.relationships()
        assert (bond.agent, bond.user) == ("lumi", "chen-2")
        assert bond.verify().problems == ()
        assert bond.export(tmp_path / "again.erii").pack == said["pack"]
    assert stream_of(tmp_path / "again.erii") == stream_of(PACK)


def test_the_same_life_gives_the_same_pack(tmp_path: Path) -> None:
    with store_at(tmp_path / "a.db") as store:
        assert live(store).export(tmp_path / "a.erii").pack == inspect_pack(PACK).pack
