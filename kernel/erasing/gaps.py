"""The bytes of a file of SQLite's that nothing reads: gaps in its pages, and where to look for them.

When SQLite splits a page whose rows grow in the middle, copies of rows that moved to a neighbour
can stay behind between the list of the page's cells and the cells (about 4 rows in 1,000 where
relationships grow side by side; SQLite 3.40, `secure_delete` on). Nothing reads them, so a torn or
repeated write there does no harm.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, Self

TELLABLE_PAGES = 1 << 25
"""Below so many pages the first byte of what is no page of a b-tree is 0, and never one of its types."""

_CHUNK_PAGES = 256
_HEADER_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}
"""The sizes of the headers of b-tree pages by their types (sqlite.org/fileformat2.html, 1.6)."""

_FILE_HEADER = 100
_WAL_HEADER = struct.Struct(">8xI4x8s8x")
_FRAME_HEADER = struct.Struct(">I4x8s8x")


def overwrite_gaps(file: BinaryIO, page_size: int, pages: Iterable[int] | None = None) -> int:
    """Overwrite the unused middle of these pages (by their numbers from 1 on; without any named,
    of all) with zeros. Returns how many had any bytes there; only those are written.
    """
    count = file.seek(0, os.SEEK_END) // page_size
    wanted = range(1, count + 1) if pages is None else sorted(pages)
    found = 0
    for first, last in _runs(page for page in wanted if page <= count):
        file.seek((first - 1) * page_size)
        chunk = file.read((last - first + 1) * page_size)
        for place in range(0, len(chunk), page_size):
            header = _FILE_HEADER if place == 0 and first == 1 else 0
            gap = _gap(chunk, place, page_size, header)
            if gap is not None:
                file.seek((first - 1) * page_size + gap.start)
                file.write(bytes(len(gap)))
                found += 1
    if found:
        os.fsync(file.fileno())
    return found


def _runs(pages: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Pages in a row, as many as are read at once."""
    for _, together in groupby(
        enumerate(pages), lambda pair: (pair[1] - pair[0], pair[1] // _CHUNK_PAGES)
    ):
        run = [page for _, page in together]
        yield run[0], run[-1]


def _gap(chunk: bytes, place: int, page_size: int, header: int) -> range | None:
    """Where in a chunk the gap of the page at this place is, if there are any bytes in it."""
    kind, cells, content = struct.unpack_from(">B2xHH", chunk, place + header)
    if kind not in _HEADER_BYTES:
        return None
    list_at = place + header + _HEADER_BYTES[kind]
    first, last = list_at + 2 * cells, place + (content or page_size)
    if not first < last <= place + page_size or chunk[first:last] == bytes(last - first):
        return None
    # Of a damaged page nothing counts as unused.
    lowest = min(struct.unpack_from(f">{cells}H", chunk, list_at), default=content)
    return range(first, last) if lowest >= content else None


class Frames:
    """The frames of a write-ahead log (sqlite.org/fileformat2.html, 4.1): as many as belong together
    since it last began anew, and perhaps some more, of a transaction that was rolled back.
    """

    def __init__(self, wal: Path) -> None:
        self._file = open(wal, "rb", buffering=0)  # noqa: SIM115 - closed on leaving
        header = self._file.read(_WAL_HEADER.size)
        self._page_size: int
        self._page_size, self._salts = _WAL_HEADER.unpack(header.ljust(_WAL_HEADER.size, b"\0"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        low, high = 0, self._places()
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._page_at(middle) is None else (middle + 1, high)
        return low

    def pages(self) -> set[int]:
        """The pages that they hold."""
        found: set[int] = set()
        stride = _FRAME_HEADER.size + self._page_size
        for place in range(0, self._places(), _CHUNK_PAGES):
            self._file.seek(_WAL_HEADER.size + place * stride)
            some = self._file.read(_CHUNK_PAGES * stride)
            for at in range(0, len(some) - stride + 1, stride):
                page, salts = _FRAME_HEADER.unpack_from(some, at)
                if salts != self._salts:
                    return found
                found.add(page)
        return found

    def _places(self) -> int:
        size = self._file.seek(0, os.SEEK_END) - _WAL_HEADER.size
        return max(0, size) // (_FRAME_HEADER.size + self._page_size)

    def _page_at(self, place: int) -> int | None:
        """The page of a frame, or None where one stands from before the log began anew."""
        self._file.seek(_WAL_HEADER.size + place * (_FRAME_HEADER.size + self._page_size))
        page, salts = _FRAME_HEADER.unpack(self._file.read(_FRAME_HEADER.size))
        return int(page) if salts == self._salts else None
