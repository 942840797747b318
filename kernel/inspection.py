"""Looking at a store from outside: its tables, rows and settings, through sqlite-utils."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from enishi.kernel.files import reading_uri
from enishi.kernel.log import translated
from enishi.kernel.sqlite_faults import known_faults


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a store file consists of. `problems` are what SQLite's own check of the file finds."""

    sqlite: str
    known_faults: tuple[str, ...]
    journal: str
    bytes: int
    rows: dict[str, int]
    problems: tuple[str, ...]


def inspect_store(path: Path) -> Inspection:
    """Inspect a store without changing it."""
    import sqlite_utils  # a tenth of a second that only this needs

    with translated(path), closing(_opened(path)) as connection:
        database = sqlite_utils.Database(connection)
        pages, page_size = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "page_size")
        )
        problems = _checked(connection)
        rows: dict[str, int] = {}
        for name in sorted(database.table_names()):
            try:
                rows[name] = database.table(name).count
            except sqlite3.DatabaseError as error:
                problems.append(f"the table {name} cannot be read to its end: {error}")
        return Inspection(
            sqlite=sqlite3.sqlite_version,
            known_faults=tuple(known_faults(sqlite3.sqlite_version_info)),
            journal=str(database.journal_mode),
            bytes=pages * page_size,
            rows=rows,
            problems=tuple(problems),
        )


def check_file(path: Path) -> list[str]:
    """What SQLite's own check of the file finds."""
    with translated(path), closing(_opened(path)) as connection:
        return _checked(connection)


def _checked(connection: sqlite3.Connection) -> list[str]:
    """It gives up where the damage is great."""
    try:
        rows = connection.execute("PRAGMA integrity_check")
        checked = [line for (told,) in rows for line in str(told).splitlines()]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [line for line in checked if line != "ok" and not line.startswith("***")]


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(reading_uri(path), uri=True)
