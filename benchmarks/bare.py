"""The floor: the same bytes in plain SQLite, with nothing around them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import msgpack

Rows = Sequence[tuple[bytes]]
"""Blobs, each as the one value of a row."""


class BareTable:
    """One table of blobs in WAL mode, made if it is missing."""

    def __init__(self, path: Path, synchronous: str) -> None:
        self._connection = connect(path)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute(f"PRAGMA synchronous={synchronous}")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS row(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"
        )

    def commit(self, rows: Rows) -> int:
        """Write rows in one transaction. Returns how many transactions that were."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO row(data) VALUES(?)", rows)
        self._connection.execute("COMMIT")
        return 1

    def commit_each(self, parts: Iterable[Rows]) -> int:
        """One transaction for each part. Returns how many."""
        return sum(self.commit(rows) for rows in parts)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection, with the same room for pages that a store takes."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size=-16000")
    connection.execute("PRAGMA mmap_size=268435456")
    return connection


def stored_rows(path: Path) -> list[tuple[bytes]]:
    """What a store wrote, record by record: the bytes that the floor has to write, too."""
    connection = connect(path)
    rows = connection.execute("SELECT header, hash, salt, payload FROM record ORDER BY id")
    found = [(b"".join(row),) for row in rows]
    connection.close()
    return found


def in_parts(rows: Rows, size: int) -> Iterator[Rows]:
    """The rows, so many at a time, over and over."""
    endless = cycle(rows)
    while True:
        yield list(islice(endless, size))


def scan(path: Path, *, decode: bool) -> int:
    """Read every record of a store in plain SQL; decode each payload, if so wished."""
    connection = connect(path)
    rows: Iterable[tuple[Any, ...]] = connection.execute(
        "SELECT id, type, header, hash, salt, payload FROM record ORDER BY id"
    )
    count = 0
    unpack = msgpack.unpackb
    for row in rows:
        count += 1
        if decode:
            unpack(row[5])
    connection.close()
    return count
