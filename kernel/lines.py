"""Whole lines in a store: what packs bring in and put in each other's place.

A relationship has one line, and another for each time that two machines both went on. Every line
is a whole chain of its own; `name` tells them apart, and the first one has none. `changed` counts
what was done to a line other than appending, so that whoever has read it reads it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from enishi.kernel.errors import LogDamaged
from enishi.kernel.keys.vault import MANY
from enishi.kernel.log import Line, Log, key_of, last_key, translated

_CHUNK = 500
_INSERT = "INSERT INTO record VALUES(?,?,?,?,?,?)"
_COLUMNS = "line, relationship, secret, agent, user, name"


RawRecord = tuple[int, str, bytes, bytes, bytes | None, bytes | None]
"""A record as it is stored: number, type, header bytes, hash, salt and payload bytes."""


def lines_of(log: Log, relationship: bytes) -> list[Line]:
    """All lines of a relationship, the first one first; none where it was erased."""
    return [line for line in log.lines() if line.relationship == relationship]


def add_raw(
    log: Log, line: int, records: Iterable[RawRecord], requests: Sequence[tuple[bytes, int]]
) -> None:
    """Add records as another store had them, and by number what they answer. Needs `writing`.

    A request that was answered before is LogDamaged.
    """
    _many(log, _INSERT, _rows(log, line, records))
    rows = [(line, bytearray(request), number) for request, number in requests]
    try:
        log.connection.executemany("INSERT INTO request VALUES(?,?,?)", rows)
    except sqlite3.IntegrityError:
        raise LogDamaged("two of its records answer one and the same request") from None


def copy_start(log: Log, source: int, line: int, length: int) -> None:
    """Let a new line begin with the first `length` records of another. Needs `writing`."""
    _copy(log, source, line, 0, length)


def copy_tail(log: Log, source: int, line: int, start: int) -> None:
    """Let a line go on with the records of another from number `start` on. Needs `writing`."""
    _copy(log, source, line, start, log.tip(source)[0])


def payloads_missing_in(
    log: Log, line: int, other: int, length: int
) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, salt and payload of what a line lacks and another has, of the first `length`.

    Needs `reading`.
    """
    for number in sorted(number for number in log.missing(line) if number < length):
        for _, _, _, _, salt, payload in log.raw(other, number, number + 1):
            if salt is not None and payload is not None:
                yield number, salt, payload


def _rows(log: Log, line: int, records: Iterable[RawRecord]) -> list[tuple[Any, ...]]:
    first = key_of(line, 0)
    if log.vault is not None:
        records = [
            (number, kind, header, digest, *log.kept_form(first | number, salt, payload))
            for number, kind, header, digest, salt, payload in records
        ]
    # As bytearrays: for each bytes, sqlite3 would first search for an adapter.
    return [
        (
            first | number,
            kind,
            bytearray(header),
            bytearray(digest),
            None if salt is None else bytearray(salt),
            None if payload is None else bytearray(payload),
        )
        for number, kind, header, digest, salt, payload in records
    ]


def withhold(log: Log, line: int, numbers: Iterable[int]) -> None:
    """Note that these payloads exist elsewhere and were not given. Needs `writing`."""
    _many(log, "INSERT INTO withheld VALUES(?,?)", [(line, number) for number in sorted(numbers)])


def _copy(log: Log, source: int, line: int, start: int, stop: int) -> None:
    """Copy the records from `start` up to, not including, `stop`, and what is kept beside them."""
    if log.vault is None:
        _run(
            log,
            "INSERT INTO record SELECT id - ? + ?, type, header, hash, salt, payload FROM record"
            " WHERE id BETWEEN ? AND ?",
            (key_of(source, 0), key_of(line, 0), key_of(source, start), key_of(source, stop) - 1),
        )
    else:  # each copy has a key of its own
        for first in range(start, stop, _CHUNK):
            raw = log.raw(source, first, min(first + _CHUNK, stop))
            _many(log, _INSERT, _rows(log, line, raw))
    for table, columns in (("request", "request, number"), ("withheld", "number")):
        _run(
            log,
            f"INSERT INTO {table} SELECT ?, {columns} FROM {table}"
            " WHERE line=? AND number>=? AND number<?",
            (line, source, start, stop),
        )


def fill_in(log: Log, line: int, payloads: Sequence[tuple[int, bytes, bytes]]) -> int:
    """Put (number, salt, payload) where they were withheld. Needs `writing`. Returns how many."""
    missing = log.missing(line)
    keys = {key_of(line, row[0]): row[1:] for row in payloads if row[0] in missing}
    rows = [(*log.kept_form(key, *kept), key) for key, kept in keys.items()]
    if rows:
        with log.unguarded():
            _many(log, "UPDATE record SET salt=?, payload=? WHERE id=?", rows)
        numbers = [(line, number) for number, _, _ in payloads]
        _many(log, "DELETE FROM withheld WHERE line=? AND number=?", numbers)
        mark_changed(log, line)
    return len(rows)


def name_line(log: Log, line: Line, name: str) -> Line:
    """Give a line another name. Needs `writing`."""
    _run(log, "UPDATE line SET name=? WHERE line=?", (name, line.line))
    return replace(line, name=name)


def replace_line(log: Log, old: Line, new: Line) -> Line:
    """Let a line take the place and the name of another, which goes. Needs `writing`."""
    drop_line(log, old)
    return name_line(log, new, old.name)


def drop_line(log: Log, line: Line) -> None:
    """Remove a line whose records another line has, or nobody needs. Needs `writing`."""
    with log.unguarded():
        span = (key_of(line.line, 0), last_key(line.line))
        if log.vault is not None:
            for first in range(span[0], key_of(line.line, log.tip(line.line)[0]), MANY):
                log.lose(log.vault.places(first, first + MANY - 1))
        _run(log, "DELETE FROM record WHERE id BETWEEN ? AND ?", span)
    log.drop_checkpoints(line.line)
    for table in ("request", "withheld", "checkpoint", *log.indexes(), "line"):
        _run(log, f"DELETE FROM {table} WHERE line=?", (line.line,))


def archive(log: Log, relationship: bytes, archived: bool) -> None:
    """Take a relationship out of sight, or bring it back: a matter of this store alone, so that
    the log and every digest stay what they are. Needs `writing`.
    """
    _run(log, "UPDATE line SET archived=? WHERE relationship=?", (int(archived), relationship))


def unname(log: Log, relationship: bytes) -> None:
    """Forget whose relationship it was, and the secret of its request ids. Needs `writing`."""
    for line in lines_of(log, relationship):
        _run(log, "DELETE FROM request WHERE line=?", (line.line,))
        log.drop_checkpoints(line.line)
    _run(
        log,
        "UPDATE line SET agent=NULL, user=NULL, secret=x'', archived=0,"
        " name=CASE name WHEN '' THEN '' ELSE CAST(line AS TEXT) END WHERE relationship=?",
        (relationship,),
    )


def erased_lines(log: Log) -> list[Line]:
    """What is left of erased relationships: lines under no name, of headers and tombstones."""
    sql = (
        "SELECT line, relationship, secret, '', '', name FROM line WHERE agent IS NULL"
        " ORDER BY line"
    )
    with log.reading(), translated(log.path):
        return [Line(*row) for row in log.connection.execute(sql)]


def shared_length(log: Log, one: int, other: int) -> int:
    """How many records two lines of a relationship have in common. Needs `reading`.

    Each hash stands for all records up to its own, so that few have to be compared.
    """
    low, high = 0, min(log.tip(one)[0], log.tip(other)[0])
    while low < high:
        middle = (low + high) // 2
        if log.hash_of(one, middle) == log.hash_of(other, middle):
            low = middle + 1
        else:
            high = middle
    return low


def rename_parties(log: Log, line: Line, agent: str, user: str) -> None:
    """Let a line be found under these ids from now on. Needs `writing`."""
    _run(
        log,
        "UPDATE line SET agent=?, user=?, changed=changed+1 WHERE line=?",
        (agent, user, line.line),
    )


def mark_changed(log: Log, line: int) -> None:
    """Say that a line is not what it was. Needs `writing`."""
    log.drop_checkpoints(line)
    _run(log, "UPDATE line SET changed=changed+1 WHERE line=?", (line,))


def note_export(log: Log, relationship: bytes, pack: bytes, at: int) -> None:
    """Remember that a pack went out: the digest of its stream, and when. Needs `writing`."""
    _run(log, "INSERT OR IGNORE INTO exported VALUES(?,?,?)", (relationship, pack, at))


def exports(log: Log, relationship: bytes) -> list[tuple[bytes, int]]:
    """The packs of a relationship that went out: digest, and microseconds UTC; oldest first."""
    sql = "SELECT pack, at FROM exported WHERE relationship=? ORDER BY at, pack"
    with log.reading(), translated(log.path):
        return log.connection.execute(sql, (relationship,)).fetchall()


def _run(log: Log, sql: str, values: Sequence[Any]) -> None:
    log.flush()
    with translated(log.path):
        log.connection.execute(sql, values)


def _many(log: Log, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    log.flush()
    with translated(log.path):
        log.connection.executemany(sql, rows)
