"""A first snow, and what is to be found of it on another machine, under any zone and Python.

    python golden/continuity.py PACK STORE

takes a pack into an empty store and prints what is there, as `found_of` tells.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import enishi
from enishi.host import Relationship, Store, open_store
from enishi.kernel.deciding.proposals import Citation, Consequence, Felt, Mood
from enishi.kernel.transcript import Text

NOW = datetime(2026, 12, 1, 23, 30, tzinfo=UTC)  # another day in half of all zones
QUERY = "our first snow"
LIVED = (
    ("It's snowing! Our first snow together.", "I will remember this morning."),
    ("谢谢你一直陪着我。我对花生过敏。", "记住了,不放花生。"),
    ("Thank you for waiting with me. I promise I will call on Sunday.", "Always."),
    ("You read my diary without my permission. I'm so angry.", "It lay open and I looked."),
)


def store_at(path: Path, seed: str) -> Store:
    """A store with a clock that stands and chances that come again."""
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return sha256(f"{seed}:{count}".encode()).digest()[:size]

    return open_store(path, clock=lambda: NOW, entropy=entropy, synchronous="NORMAL")


def live(bond: Relationship) -> None:
    """What they live through together: a snow, thanks, a promise, a hurt."""
    for day, (said, reply) in enumerate(LIVED):
        bond.record(said, reply, at=NOW - timedelta(days=20 - day))
    bond.propose(None, enishi.RuleProposer())
    snow, _, _, diary = bond.turns()
    assert diary.reply is not None
    hurt = _cited(diary.messages[0]), _cited(diary.reply)
    glad = Felt(valence=0.8, arousal=0.4)
    bond.propose(
        None,
        [
            Mood(
                party="user", felt=glad, intensity="strong", citations=(_cited(snow.messages[0]),)
            ),
            Consequence(effect="harm", bearer="user", citations=hurt),
        ],
    )


def _cited(text: Text) -> Citation:
    assert text.content is not None
    return Citation(text=text.number, start=0, end=len(text.content))


def found_of(bond: Relationship) -> dict[str, object]:
    """All that can be asked of a relationship, as plain values."""
    provenance = [repr(bond.why(one)) for one in bond.decisions() if one.event is not None]
    return {
        "digests": bond.digests(),
        "tip": bond.verify().tip,
        "rapport": repr(bond.rapport()),
        "mood": [repr(bond.mood(party, at=NOW)) for party in ("user", "agent")],
        "tensions": repr(bond.tensions()),
        "episodes": repr(bond.episodes()),
        "beliefs": repr(bond.beliefs(at=NOW)),
        "promises": repr(bond.promises(at=NOW)),
        "provenance": provenance,
        "changes": repr(bond.why_rapport()),
        "remembered": bond.recall(QUERY, at=NOW).render(),
    }


def main(pack: str, path: str) -> None:
    with store_at(Path(path), "elsewhere") as store:
        store.import_pack(pack)
        (bond,) = store.relationships()
        bond.export(f"{path}.erii")
        where = [platform.python_version(), os.environ.get("TZ"), time.localtime(0).tm_gmtoff]
        print(json.dumps({"where": where, "found": found_of(bond)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
