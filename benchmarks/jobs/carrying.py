"""Carrying: export and import of a whole relationship, beside a bare copy of its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from measuring import Comparison, Job

import enishi
from jobs.places import Place, Sizes

COPY = "INSERT … SELECT"


def packs(place: Place, sizes: Sizes) -> Job:
    """Write a pack, and take it into an empty store."""
    source = place.history(sizes.history)
    pack, number = place.folder / "a.erii", count()

    def export() -> int:
        with enishi.open(source) as store:
            store.relationships()[0].export(pack)
        return sizes.history

    def take() -> int:
        with enishi.open(place.file(f"taken-{next(number)}")) as store:
            store.import_pack(pack)
        return sizes.history

    def copy() -> int:
        _copy(source, place.file(f"copied-{next(number)}"))
        return sizes.history

    return Job(
        "carry a relationship",
        "events",
        {"export()": export, "import_pack()": take, COPY: copy},
        (Comparison("export()", COPY, 1 / 5), Comparison("import_pack()", COPY, 1 / 5)),
        long=True,
    )


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(target, isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("PRAGMA synchronous=FULL")
        plain.execute("ATTACH ? AS source", (str(source),))
        plain.execute(
            "CREATE TABLE record(id INTEGER PRIMARY KEY, type, header, hash, salt, payload)"
        )
        plain.execute("INSERT INTO record SELECT * FROM source.record")
