"""The history of a line and what stands on one of its branches, kept in the store.

A cache like any checkpoint, and a row of the same table: its `running` is the hash of the last
record that it knows, and `depth` is 0. It is made of headers alone, so that no words are in it and
erasing leaves it; headers never change, so that it stays right, and what came later is read on top
of it. Whatever does not fit is passed over, and made anew when enough has been added.

It is squeezed, to a tenth: to read it from the store takes longer than to expand it.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterable
from typing import Any

import msgpack

from enishi.kernel.encoding import checkpoint_digest
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.history import Branch, History
from enishi.kernel.log import Checkpoint, Line, Log
from enishi.kernel.standing import Marks, Standing

NAME = "(history)"
VERSION = 2
"""To be raised when History, Standing or the rule comes to say something else of the same headers."""

LEAST = 4096
"""Records after which it is kept for the first time."""

SHARE = 8
"""It is kept again when this part of what it knew has been added, and LEAST in any case."""

_COLUMNS = {
    "turn": "i", "at": "q", "offset": "i", "branch": "i", "choice": "i",
    "_parent": "i", "_depth": "i", "_end": "i", "_causes_at": "i",
}  # fmt: skip
"""What a history has of every record, beside its kind, and how wide it is."""

_SETS = ("assumed", "erased", "spared", "tangled")
_MAPS = ("version", "base", "choice_before", "withdrawn", "acts")

_GROUND = hashlib.sha256(
    repr([(row.name, row.place, row.content_free) for row in EVENT_TYPES.values()]).encode()
).digest()
"""What kinds there are and what the rule knows of them: kinds are kept by their places."""

_UNREADABLE = (ValueError, TypeError, KeyError, msgpack.exceptions.UnpackException)


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
    # Another version of the library may have squeezed it otherwise.
    return _expanded(packed(standing, found.marks)) == _expanded(checkpoint.state)


def _is_of(log: Log, line: Line, standing: Standing, tip: bytes) -> bool:
    known = len(standing.history)
    return known > 0 and log.hashes(line.line, known - 1, known) == [tip]


def packed(standing: Standing, marks: Marks) -> bytes:
    """What stands and the history that it was judged by as bytes: equal ones, equal bytes."""
    history = standing.history
    late = array("i")
    for turn, numbers in sorted(history._late.items()):
        late.extend((turn, len(numbers), *numbers))
    parts = [
        _GROUND,
        bytes(history.kind),
        [_to_bytes(getattr(history, name)) for name in _COLUMNS],
        [_to_bytes(array("i", sorted(getattr(history, name)))) for name in _SETS],
        [dict(sorted(getattr(history, name).items())) for name in _MAPS],
        [(one.number, one.parent, one.tip) for _, one in sorted(history.branches.items())],
        history.current,
        _to_bytes(late),
        _to_bytes(history._causes),
        standing.branch,
        [_to_bytes(column) for column in standing.columns()],
        sorted((*key, *mark) for key, mark in marks.items()),
    ]
    from enishi.kernel.zstandard import zstd  # where it is needed: in short lives nothing is kept

    data: bytes = zstd.compress(msgpack.packb(parts))
    return data


def unpacked(data: bytes) -> Standing | None:
    """What was packed, or None where this program cannot use it."""
    try:
        return _unpacked(*msgpack.unpackb(_expanded(data), use_list=False, strict_map_key=False))
    except _UNREADABLE:
        return None


def _expanded(data: bytes) -> bytes:
    """The bytes that were squeezed. ValueError where they are none."""
    from enishi.kernel.zstandard import zstd

    try:
        expanded: bytes = zstd.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    return expanded


def _unpacked(
    ground: bytes, kind: bytes, columns: Iterable[bytes], sets: Iterable[bytes],
    maps: Iterable[dict[int, Any]], branches: Iterable[Any], current: int, late: bytes,
    causes: bytes, branch: int, standing: Iterable[bytes], marks: Iterable[Any],
) -> Standing | None:  # fmt: skip
    if ground != _GROUND:
        return None
    history = History(kind=bytearray(kind), current=current)
    for (name, code), data in zip(_COLUMNS.items(), columns, strict=True):
        column = _from_bytes(code, data)
        if len(column) != len(kind):
            return None
        setattr(history, name, column)
    for name, data in zip(_SETS, sets, strict=True):
        setattr(history, name, set(_from_bytes("i", data)))
    for name, items in zip(_MAPS, maps, strict=True):
        setattr(history, name, items)
    history.branches = {number: Branch(number, *rest) for number, *rest in branches}
    history._causes = _from_bytes("i", causes)
    history._late = _lists(_from_bytes("i", late))
    return Standing.of_columns(
        history,
        branch,
        [_from_bytes(code, data) for code, data in zip("iqiB", standing, strict=True)],
        {(name, version): (depth, running) for name, version, depth, running in marks},
    )


def _lists(flat: array[int]) -> dict[int, list[int]]:
    found, place = {}, 0
    while place < len(flat):
        start = place + 2
        place = start + flat[place + 1]
        found[flat[start - 2]] = list(flat[start:place])
    return found


def _to_bytes(column: array[int]) -> bytes:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()


def _from_bytes(code: str, data: bytes) -> array[int]:
    column = array(code)
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    return column
