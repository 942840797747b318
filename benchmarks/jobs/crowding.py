"""Many relationships in one store: a mixed load, and what opening one of them costs."""

from __future__ import annotations

from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from random import Random

from bare import in_parts, stored_rows
from material import exchanges
from measuring import Comparison, Job

import enishi
from jobs.places import PLAIN, Place, Sizes

OPENINGS = 20


def mixed_load(place: Place, sizes: Sizes) -> Job:
    """Turns, swipes and questions, each of a relationship taken at random from the store."""
    few, many = place.file("one"), _store(place, sizes.relationships[0])
    table = place.table("mixed-floor")
    parts = cache(lambda: in_parts(stored_rows(many)[-100:], 3))
    stores = {path: place.open.enter_context(enishi.open(path)) for path in (few, many)}
    said, random = cycle(list(exchanges(sizes.commits))), Random(1)

    def load(path: Path, relationships: int) -> int:
        for number, exchange in enumerate(islice(said, sizes.commits)):
            bond = stores[path].relationship("lumi", f"user {random.randrange(relationships)}")
            turn = bond.record(exchange.said, exchange.reply, at=exchange.at)
            match number % 4:
                case 0:
                    bond.rapport()
                case 1:
                    bond.regenerate(turn, "Another reply.")
                case 2:
                    bond.mood()
                case _:
                    bond.promises()
        return sizes.commits

    crowd = f"among {sizes.relationships[0]:,}"
    return Job(
        "record a turn and ask, FULL",
        "turns",
        {
            crowd: lambda: load(many, sizes.relationships[0]),
            "of one relationship": lambda: load(few, 1),
            PLAIN: lambda: table.commit_each(islice(parts(), sizes.commits)),
        },
        (Comparison(crowd, "of one relationship"), Comparison(crowd, PLAIN)),
    )


def crowds(place: Place, sizes: Sizes) -> Job:
    """Open a store and one relationship in it, and read rapport."""
    fewer, more = sizes.relationships
    random = Random(2)

    def opened(path: Path, relationships: int) -> int:
        for _ in range(OPENINGS):
            with enishi.open(path) as store:
                user = f"user {random.randrange(relationships)}"
                store.relationship("lumi", user, create=False).rapport()
        return OPENINGS

    sides = {
        f"one of {size:,}": partial(opened, _store(place, size), size)
        for size in sizes.relationships
    }
    names = (f"one of {more:,}", f"one of {fewer:,}")
    return Job("open one relationship of many", "openings", sides, (Comparison(*names, 0.9),))


def _store(place: Place, relationships: int) -> Path:
    path = place.file(f"crowd-{relationships}")
    with enishi.open(path) as store, store.transaction():
        for number, (said, reply, at) in enumerate(exchanges(relationships)):
            store.relationship("lumi", f"user {number}").record(said, reply, at=at)
    return path
