"""Scrubbing: what was destroyed in a file of SQLite's is nowhere in it any more.

SQLite with `secure_delete` overwrites what is deleted. Three places keep old bytes all the same:
the write-ahead log until it is truncated; the pages that other connections have in memory and may
write again; and the gaps in pages whose rows moved, see `gaps`. So the log is truncated, and with
nobody writing the gaps are overwritten in the file itself.

Which gaps can have bytes, the table `swept` tells: what was written since they last had none is in
the write-ahead log, if that began with a note in this table; and nothing was where the last to
close the store could say `clean`. Whoever writes first after that, takes it back. Else, as after
another program emptied the log or changed the schema (a VACUUM does), all pages are looked at.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

from enishi.kernel.erasing.gaps import TELLABLE_PAGES, Frames, overwrite_gaps

FileId = tuple[int, int]
"""Which file it is, whatever its name: device and inode."""

_TRIES = 8
_LOOK_AFTER = 100
_FULL_AT = 700
"""Frames of a write-ahead log; SQLite begins it anew at about 1,000, and what was in it is lost."""

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS swept(id INTEGER PRIMARY KEY, clean INTEGER NOT NULL,"
    " schema INTEGER NOT NULL, times INTEGER NOT NULL) STRICT"
)
_NOTE = (
    "INSERT INTO swept SELECT 1, ?, schema_version, 1 FROM pragma_schema_version WHERE true"
    " ON CONFLICT(id) DO UPDATE SET clean=excluded.clean, schema=excluded.schema, times=times+1"
)

_files: dict[FileId, BinaryIO] = {}


def file_id(path: Path) -> FileId:
    """Which file a path leads to now."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


class Scrubber:
    """Keeps one connection's file free of what was destroyed in it.

    The connection is outside of any transaction, but for the methods that say otherwise. `timeout`
    is how long it waits for others, in seconds.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, timeout: float) -> None:
        self.file = file_id(path)
        self._connection = connection
        self._path = path
        self._wal = Path(f"{path}-wal")
        self._timeout = timeout
        self._noted = False
        self._changes = 0

    def begin(self) -> None:
        """Begin with a new file, within the transaction that makes its tables."""
        self._connection.execute(_SCHEMA)
        self._connection.execute(_NOTE, (False,))

    def note(self) -> None:
        """Say that the file is written to, within the transaction that does."""
        if not self._noted:
            self._connection.execute(_SCHEMA)
            self._connection.execute("UPDATE swept SET clean=0 WHERE clean")
            self._noted = True

    def undone(self) -> None:
        """Say that a transaction was rolled back."""
        self._noted = False

    @contextmanager
    def altering(self) -> Iterator[None]:
        """Within, tables and triggers come and go. Needs a transaction."""
        version = self._pragma("schema_version")
        yield
        sql = "UPDATE swept SET schema=? WHERE schema=?"
        self._connection.execute(sql, (self._pragma("schema_version"), version))

    def scrub(self, patience: float) -> bool:
        """Scrub the file. Returns False where somebody was in the way for all of `patience` seconds.

        Where another file is at its path now, nothing is touched.
        """
        if file_id(self._path) != self.file:
            return False
        for _ in range(_TRIES):
            done = self._sweep("TRUNCATE", patience, "DELETE FROM scrub")
            if done is not None:
                return done
        return False

    def keep_up(self) -> None:
        """After a transaction: sweep what is known to be unswept, before the log begins anew."""
        if self._connection.total_changes - self._changes < _LOOK_AFTER:
            return
        self._changes = self._connection.total_changes
        with suppress(sqlite3.Error, OSError):
            with Frames(self._wal) as frames:
                full = len(frames) >= _FULL_AT
            if full:
                self._sweep("PASSIVE", 0)

    def leave(self) -> None:
        """Before closing: where nobody else has the file open, sweep what is known to be unswept,
        and leave a note that nothing is.
        """
        with suppress(sqlite3.Error, OSError):
            if self._wal.stat().st_size and file_id(self._path) == self.file:
                self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                self._sweep("TRUNCATE", 0, clean=True)

    def _sweep(
        self,
        mode: Literal["PASSIVE", "TRUNCATE"],
        patience: float,
        scrubbed: str | None = None,
        *,
        clean: bool = False,
    ) -> bool | None:
        """Bring what is in the log into the file, and overwrite the gaps there. Where others are in
        the way or, but for scrubbing, where it is not known which gaps, nothing: False. None where
        somebody wrote meanwhile.
        """
        run = self._connection.execute
        run(f"PRAGMA busy_timeout={round(patience * 1000)}")
        try:
            with self._locked():
                before, pages = self._pragma("data_version"), self._unswept()
            if pages is None and scrubbed is None:
                return False
            busy, there, moved = run(f"PRAGMA wal_checkpoint({mode})").fetchone()
            if busy or there != moved or self._pragma("page_count") >= TELLABLE_PAGES:
                return False
            if scrubbed is not None:
                # Pages in memory hold old bytes too: ours go now, those of others when they see
                # our commit.
                run("PRAGMA shrink_memory")
            with self._locked():
                if self._pragma("data_version") != before:
                    return None
                overwrite_gaps(_opened(self._path, self.file), self._pragma("page_size"), pages)
                run(_NOTE, (clean,))
                if scrubbed is not None:
                    run(scrubbed)
                run("COMMIT")
            return True
        finally:
            run(f"PRAGMA busy_timeout={round(self._timeout * 1000)}")

    def _unswept(self) -> set[int] | None:
        """The pages that may have bytes in their gaps; None where any may. Needs the lock."""
        run = self._connection.execute
        notes = run("SELECT clean, schema FROM swept").fetchall()
        if not notes or notes[0][1] != self._pragma("schema_version"):
            return None
        with Frames(self._wal) as frames:
            pages = frames.pages()
        ((place,),) = run("SELECT rootpage FROM sqlite_master WHERE name='swept'")
        return pages if notes[0][0] or place in pages else None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """With nobody else writing; what is not committed within is taken back."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _pragma(self, name: str) -> int:
        ((value,),) = self._connection.execute(f"PRAGMA {name}")
        return int(value)


def _opened(path: Path, file: FileId) -> BinaryIO:
    """The file as a plain one. It stays open: to close it would end the locks that SQLite has on it
    for this process (sqlite.org/howtocorrupt.html, 2.2).
    """
    if file not in _files:
        _files[file] = open(path, "r+b", buffering=0)  # noqa: SIM115
    return _files[file]


def let_go(file: FileId) -> None:
    """Close a plain file, once this process has no connection to it any more."""
    if file in _files:
        _files.pop(file).close()
