"""Scrubbing: what was destroyed in the log is in none of its files any more.

SQLite with `secure_delete` overwrites what is deleted. Three places keep old bytes all the same:
the write-ahead log until it is truncated; the pages that other connections have in memory and may
write again; and the unused middle of pages whose rows moved to a neighbour when it was split
(about 4 rows in 1,000 where relationships grow side by side; measured with SQLite 3.40). So the
log is truncated, and with nobody writing the unused middles are overwritten in the file itself.
Nothing reads them, so a torn or repeated write does no harm.
"""

from __future__ import annotations

import os
import struct
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol

FileId = tuple[int, int]
"""Which file it is, whatever its name: device and inode."""

_TRIES = 8
_CHUNK_PAGES = 256
_HEADER_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}
"""The sizes of the headers of b-tree pages by their types (sqlite.org/fileformat2.html, 1.6)."""

_TELLABLE_PAGES = 1 << 25
"""Below so many pages the first byte of any other page is 0 and so never one of those types."""

_files: dict[FileId, BinaryIO] = {}


class Cursor(Protocol):
    """What a statement answers with."""

    def fetchone(self) -> tuple[int, ...]:
        """The next row."""


class Connection(Protocol):
    """A connection to the store, outside of any transaction."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    def execute(self, sql: str, /) -> Cursor:
        """Run a statement."""


def file_id(path: Path) -> FileId:
    """Which file a path leads to now."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def scrubbed(connection: Connection, path: Path, file: FileId | None, patience: float) -> bool:
    """Scrub a store. Returns False where somebody was in the way for all of `patience` seconds.

    `file` is the file that the connection has open: where another one is at `path` now, nothing
    is touched. Changes the connection's busy timeout.
    """
    if file is None or file_id(path) != file:
        return False
    connection.execute(f"PRAGMA busy_timeout={round(patience * 1000)}")
    for _ in range(_TRIES):
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            return False
        # Pages in memory hold old bytes too: ours go now, those of others when they see our commit.
        connection.execute("PRAGMA shrink_memory")
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _empty(Path(f"{path}-wal")):
                (page_size,) = connection.execute("PRAGMA page_size").fetchone()
                overwrite_gaps(_opened(path, file), page_size)
                connection.execute("DELETE FROM scrub")
                connection.execute("COMMIT")
                return True
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return False


def overwrite_gaps(file: BinaryIO, page_size: int) -> int:
    """Overwrite the unused middle of every b-tree page with zeros. Returns how many had any bytes.

    The file is read once from end to end; only pages with old bytes are written.
    """
    size = file.seek(0, os.SEEK_END)
    if size // page_size >= _TELLABLE_PAGES:
        return 0
    headers = struct.Struct(f">B2xHH{page_size - 7}x")
    zeros, found = bytes(page_size), 0
    for start in range(0, size - size % page_size, _CHUNK_PAGES * page_size):
        file.seek(start)
        chunk = file.read(min(_CHUNK_PAGES * page_size, size - size % page_size - start))
        shift = 0 if start else 100
        pages = headers.iter_unpack(chunk)
        if shift:  # the first page begins with the header of the file
            next(pages)
            pages = chain([struct.unpack_from(">B2xHH", chunk, shift)], pages)
        for page, (kind, cells, content) in enumerate(pages):
            if kind not in _HEADER_BYTES:
                continue
            place = page * page_size
            list_at = place + (0 if page else shift) + _HEADER_BYTES[kind]
            first, last = list_at + 2 * cells, place + (content or page_size)
            if chunk[first:last] == zeros[: last - first] or last > place + page_size:
                continue
            # Of a damaged page nothing counts as unused.
            if (
                first < last
                and min(struct.unpack_from(f">{cells}H", chunk, list_at), default=content)
                >= content
            ):
                file.seek(start + first)
                file.write(zeros[: last - first])
                found += 1
    if found:
        os.fsync(file.fileno())
    return found


def _empty(wal: Path) -> bool:
    try:
        return wal.stat().st_size == 0
    except FileNotFoundError:
        return True


def _opened(path: Path, file: FileId) -> BinaryIO:
    """The store as a plain file. It stays open: to close it would end the locks that SQLite has
    on it for this process (sqlite.org/howtocorrupt.html, 2.2).
    """
    if file not in _files:
        _files[file] = open(path, "r+b", buffering=0)  # noqa: SIM115
    return _files[file]


def let_go(file: FileId) -> None:
    """Close a store's plain file, once this process has no connection to it any more."""
    if file in _files:
        _files.pop(file).close()
