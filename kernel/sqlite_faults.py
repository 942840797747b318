"""Known faults of SQLite versions that concern a store."""

from __future__ import annotations

from collections.abc import Callable

Version = tuple[int, int, int]


def _wal_reset(version: Version) -> bool:
    if version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0):
        return False
    return not (3, 44, 6) <= version < (3, 45, 0) and version >= (3, 7, 0)


_TOO_OLD = "too old: stores need STRICT tables, which came with 3.37.0"
_WAL_RESET = (
    "WAL reset: two processes that write and checkpoint at the same instant can damage the file "
    "(very rare; fixed in 3.51.3, 3.50.7 and 3.44.6); keep a copy of the store"
)

FAULTS: tuple[tuple[Callable[[Version], bool], str], ...] = (
    (lambda version: version < (3, 37, 0), _TOO_OLD),
    (_wal_reset, _WAL_RESET),
)
"""Which versions, and what is wrong with them. From sqlite.org's release notes."""


def known_faults(version: Version) -> list[str]:
    """What is known to be wrong with this version."""
    return [message for concerns, message in FAULTS if concerns(version)]
