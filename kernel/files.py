"""How SQLite opens a file that is only read."""

from __future__ import annotations

import os
from pathlib import Path


def reading_uri(path: Path) -> str:
    """How SQLite opens a file that is only read.

    It wants to make files beside it even for that, unless it is told that nobody writes. That is so
    where the file system is read-only and nothing is left in the write-ahead log.
    """
    wal = Path(f"{path}-wal")
    whole = not (wal.exists() and wal.stat().st_size)
    sealed = "&immutable=1" if whole and _is_sealed(path) else ""
    return f"{path.absolute().as_uri()}?mode=ro{sealed}"


def _is_sealed(path: Path) -> bool:
    """Whether the file lies on a read-only file system."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except (AttributeError, OSError):  # Windows has no such call
        return False
