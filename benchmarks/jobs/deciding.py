"""Proposing: what the bundled proposers cost, each turn read and its decisions recorded."""

from __future__ import annotations

import shutil
from functools import cache
from itertools import count

from bare import stored_rows
from material import exchanges
from measuring import Comparison, Job

import enishi
from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.rules import bundled_proposers
from jobs.places import PLAIN, Place, Sizes


def proposals(place: Place, sizes: Sizes) -> Job:
    """Read every turn of a chat, in one transaction; the floor writes the bytes that came of it."""
    turns = sizes.imported // 100
    unread, written = place.file("unread"), count()
    with enishi.open(unread) as store, store.transaction():
        bond = store.relationship("lumi", "chen")
        for said, reply, at in exchanges(turns):
            bond.record(said, reply, at=at)

    def ours(*proposers: Proposer) -> int:
        path = place.file(f"read-{next(written)}")
        shutil.copy(unread, path)
        with enishi.open(path) as store, store.transaction():
            bond = store.relationship("lumi", "chen")
            for proposer in proposers:
                bond.propose(None, proposer)
        last.append(path)
        return turns

    last = [unread]
    table = place.table("decisions")
    rows = cache(lambda: stored_rows(last[-1])[1 + 3 * turns :])

    def floor() -> int:
        table.commit(rows())
        return turns

    proposers = bundled_proposers()
    sides = {proposer.name: lambda one=proposer: ours(one) for proposer in proposers}
    return Job(
        "read a chat by the bundled proposers",
        "turns",
        {**sides, "all of them": lambda: ours(*proposers), PLAIN: floor},
        tuple(Comparison(name, PLAIN) for name in (*sides, "all of them")),
        long=True,
    )
