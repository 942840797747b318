"""The history of a line and what stands on one of its branches, kept in the store.

A cache like any checkpoint, and a row of the same table: its `running` is the hash of the last
record that it knows, and `depth` is 0. It is made of headers alone, so that no words are in it and
erasing leaves it; headers never change, so that it stays right, and what came later is read on top
of it. Whatever does not fit is passed over, and made anew when enough has been added.

It is squeezed, to a tenth: to read it from the store takes longer than to expand it. Both ways it
goes column by column, since all of them expanded would be as much again as the history itself.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from array import array
from io import BufferedIOBase, BytesIO
from itertools import chain

import msgpack

from enishi.kernel.encoding import checkpoint_digest
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.history import Branch, History, Runs
from enishi.kernel.log import Checkpoint, Line, Log
from enishi.kernel.standing import Marks, Standing

NAME = "(history)"
VERSION = 4
"""To be raised when History, Standing or the rule comes to say something else of the same headers."""

LEAST = 4096
"""Records after which it is kept for the first time."""

SHARE = 8
"""It is kept again when this part of what it knew has been added, and LEAST in any case."""

_OF_RECORDS = {"turn": "i", "at": "q", "_rest": "i"}
"""What a history has of every record, beside its kind, and how wide it is."""

_COLUMNS = ("_parent", "_depth", "_end", "_latest", "_chosen", "_late", "_causes")
_RUNS = ("branch", "_zone")
_SETS = ("erased", "spared", "tangled")
_MAPS = ("version", "base", "choice_before", "withdrawn", "acts", "_worded")

_GROUND = hashlib.sha256(
    repr([(row.name, row.place, row.content_free) for row in EVENT_TYPES.values()]).encode()
).digest()
"""What kinds there are and what the rule knows of them: kinds are kept by their places."""

_UNREADABLE = (ValueError, TypeError, KeyError, struct.error, msgpack.exceptions.UnpackException)

_COUNT = struct.Struct("<Q")
_PIECE = 8192
"""Items of a column that are read at once."""


def is_worth_keeping(length: int, kept: int) -> bool:
    """Whether enough was added to a line of which so many records are kept."""
    return length - kept >= max(LEAST, kept // SHARE)


def keep(log: Log, line: Line, tip: bytes, standing: Standing, marks: Marks) -> None:
    """Keep what stands on a branch up to this tip, in place of what was kept. Needs `writing`.

    `marks` are the checkpoints that hold what stands there.
    """
    log.drop_checkpoints_of(line.line, NAME)
    state = packed(standing, marks)
    digest = checkpoint_digest(line.relationship, NAME, VERSION, tip, 0, state)
    log.save_checkpoint(line.line, NAME, VERSION, tip, 0, state, digest)


def kept(log: Log, line: Line) -> Standing | None:
    """What is kept of a line, if it is whole and of the records that are there. Needs `reading`."""
    for tip in log.checkpoints(line.line, NAME, VERSION):
        found = log.checkpoint(line.line, NAME, VERSION, tip)
        if found is not None and is_whole(line, found):
            standing = unpacked(found.state)
            if standing is not None and _is_of(log, line, standing, tip):
                return standing
    return None


def is_whole(line: Line, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is as it was written. One that was changed is only a cache less."""
    return checkpoint_digest(line.relationship, *checkpoint[:5]) == checkpoint.digest


def is_true(log: Log, line: Line, checkpoint: Checkpoint) -> bool:
    """Whether what is kept, if it would be used, is what the headers say. Needs `reading`."""
    found = unpacked(checkpoint.state) if checkpoint.version == VERSION else None
    if found is None or not _is_of(log, line, found, checkpoint.running):
        return True
    history = History()
    for headers in log.placings(line.line, 0, len(found.history)):
        history.extend(headers)
    standing = Standing(history, found.branch)
    standing.catch_up()
    return (found.history, found.columns()) == (history, standing.columns())


def _is_of(log: Log, line: Line, standing: Standing, tip: bytes) -> bool:
    known = len(standing.history)
    return known > 0 and log.hashes(line.line, known - 1, known) == [tip]


def packed(standing: Standing, marks: Marks) -> bytes:
    """What stands and the history that it was judged by as bytes: equal ones, equal bytes."""
    from enishi.kernel.zstandard import zstd  # where it is needed: in short lives nothing is kept

    history = standing.history
    few = [
        _GROUND,
        [dict(sorted(getattr(history, name).items())) for name in _MAPS],
        [(one.number, one.parent, one.tip) for _, one in sorted(history.branches.items())],
        history.current,
        standing.branch,
        sorted((*key, *mark) for key, mark in marks.items()),
    ]
    with zstd.ZstdFile(out := BytesIO(), "w") as squeezed:
        for column in chain(
            [array("B", msgpack.packb(few)), array("B", history.kind)],
            (getattr(history, name) for name in (*_OF_RECORDS, *_COLUMNS)),
            (array("i", sorted(getattr(history, name))) for name in _SETS),
            *((runs.starts, runs.values) for runs in map(history.__getattribute__, _RUNS)),
            standing.columns(),
        ):
            _write(squeezed, column)
    return out.getvalue()


def unpacked(data: bytes) -> Standing | None:
    """What was packed, or None where this program cannot use it."""
    from enishi.kernel.zstandard import zstd

    try:
        with zstd.ZstdFile(BytesIO(data)) as squeezed:
            return _unpacked(squeezed)
    except (*_UNREADABLE, EOFError, zstd.ZstdError):
        return None


def _unpacked(source: BufferedIOBase) -> Standing | None:
    few = msgpack.unpackb(_read(source, "B"), use_list=False, strict_map_key=False)
    ground, maps, branches, current, branch, marks = few
    if ground != _GROUND:
        return None
    history = History(kind=bytearray(_read(source, "B")), current=current)
    for name, code in _OF_RECORDS.items():
        column = _read(source, code)
        if len(column) != len(history):
            return None
        setattr(history, name, column)
    for name in _COLUMNS:
        setattr(history, name, _read(source, "i"))
    for name in _SETS:
        setattr(history, name, set(_read(source, "i")))
    for name in _RUNS:
        setattr(history, name, Runs(_read(source, "i"), _read(source, "i")))
    for name, items in zip(_MAPS, maps, strict=True):
        setattr(history, name, items)
    history.branches = {number: Branch(number, *rest) for number, *rest in branches}
    columns = [_read(source, code) for code in "iqiB"]
    known = {(name, version): (depth, running) for name, version, depth, running in marks}
    return Standing.of_columns(history, branch, columns, known)


def _write(out: BufferedIOBase, column: array[int]) -> None:
    out.write(_COUNT.pack(len(column)))
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    out.write(column)


def _read(source: BufferedIOBase, code: str) -> array[int]:
    """The next column. ValueError where it is not there to its end."""
    (count,) = _COUNT.unpack(source.read(_COUNT.size))
    column = array(code)
    while len(column) < count:
        piece = source.read(min(_PIECE, count - len(column)) * column.itemsize)
        if not piece:
            raise ValueError("a column ends in the middle")
        column.frombytes(piece)
    if sys.byteorder == "big":
        column.byteswap()
    return column
