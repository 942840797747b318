"""Carrying: export and import of a whole relationship, beside bare copies of its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from measuring import Comparison, Job
from pack_speed import copy_through, copy_within, export, take

from jobs.places import Place, Sizes

COPY = "rows through sqlite3"
WITHIN = "INSERT … SELECT"


def packs(place: Place, sizes: Sizes) -> Job:
    """Write a pack, and take it into an empty store."""
    source = place.history(sizes.history)
    pack = place.folder / "a.erii"

    def run(work: Callable[[Path, Path], None], *paths: Path) -> int:
        work(*paths)
        return sizes.history

    return Job(
        "carry a relationship",
        "events",
        {
            "export()": lambda: run(export, source, pack),
            "import_pack()": lambda: run(take, pack, place.file("taken")),
            COPY: lambda: run(copy_through, source, place.file("copied")),
            WITHIN: lambda: run(copy_within, source, place.file("copied")),
        },
        (
            Comparison("export()", COPY, 1 / 5),
            Comparison("import_pack()", COPY, 1 / 5),
            Comparison("export()", WITHIN),
            Comparison("import_pack()", WITHIN),
        ),
        long=True,
    )
