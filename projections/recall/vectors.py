"""Vectors: where what was said stands in an embedder's space of meaning. A cache like the index.

A row holds what one record says, as one embedder sees it: its pieces (a long text has several), one
byte a dimension. It names the model, and the record by its hash: a row of another model, or of a
record that is not this one any more, is not read. What is erased goes with its row, which the scrub
of the file covers. The file of a keyed store holds none: there they live in memory only.

numpy is needed for searching (see `meaning`), and not for keeping this table clean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from enishi.kernel.checks import check_id
from enishi.kernel.erasing.erasure import CLEANERS
from enishi.kernel.errors import EmbedderFailed, InvalidInput
from enishi.kernel.log import INDEXES, key_of, translated
from enishi.kernel.stream import Stream
from enishi.kernel.words.sentences import sentences

_TABLE = "vector"
_MARK = 8
"""Bytes of a record's hash by which a row knows it."""

PIECE = 400
"""Characters that are embedded together at most."""

PIECES = 32
"""So many pieces of a text are embedded; what comes after them is found by its words alone."""

_CREATE = (
    f"CREATE TABLE IF NOT EXISTS {_TABLE}(line INTEGER NOT NULL, number INTEGER NOT NULL,"
    " hash BLOB NOT NULL, model TEXT NOT NULL, pieces INTEGER NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(line, number)) STRICT, WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class Embedder:
    """What makes a vector of a text: a function of the host's, under the name of its model.

    `model` has 1 to 200 characters and names the model and its version: whatever gives other vectors
    needs another name. `embed` takes texts and answers with one vector for each, all of the same length, as
    sequences of numbers or an array; their lengths do not matter, only where they point.
    """

    model: str
    embed: Callable[[list[str]], Any]

    def __post_init__(self) -> None:
        check_id(self.model, "an embedder's model")
        if not callable(self.embed):
            raise InvalidInput("an embedder needs a function that makes vectors of texts")


class Row(NamedTuple):
    """The vectors of one record, as they are kept: `pieces` of them, a byte a dimension."""

    number: int
    pieces: int
    data: bytes


class Kept(NamedTuple):
    """What the file holds of one relationship: how many records of each model, and of which the
    vectors are of another one than asked for."""

    models: dict[str, int]
    of_others: frozenset[int]


def pieces(words: str) -> list[str]:
    """A text in pieces of whole sentences; a sentence that is too long is cut."""
    if len(words) <= PIECE:
        return [words] if words.strip() else []
    found: list[str] = []
    for start, end in sentences(words):
        for cut in range(start, end, PIECE):
            part = words[cut : min(end, cut + PIECE)]
            if found and len(found[-1]) + len(part) < PIECE:
                found[-1] = f"{found[-1]} {part}"
            else:
                found.append(part)
    return found[:PIECES]


def embedded(embedder: Embedder, texts: list[str]) -> Any:
    """What an embedder makes of texts, one for each; EmbedderFailed where it makes nothing usable."""
    try:
        found = embedder.embed(texts)
        if len(found) == len(texts):
            return found
    except Exception as error:
        raise EmbedderFailed(
            f"the embedder {embedder.model!r} failed: {type(error).__name__}: {error}"
        ) from error
    raise EmbedderFailed(
        f"the embedder {embedder.model!r} answered {len(texts)} texts with {len(found)} vectors"
    )


def has_table(stream: Stream) -> bool:
    """Whether the store has any vectors at all. Needs `reading`."""
    sql = "SELECT 1 FROM sqlite_master WHERE type='table' AND name=?"
    return stream.log.connection.execute(sql, (_TABLE,)).fetchone() is not None


def read_rows(stream: Stream, model: str, numbers: Sequence[int] | None = None) -> Iterator[Row]:
    """The vectors of a model that are kept, of these records or of all. Needs `reading`."""
    sql = (
        f"SELECT v.number, v.pieces, v.data FROM {_TABLE} v JOIN record r"
        " ON r.id = (v.line << 32 | v.number) WHERE v.line=? AND v.model=?"
        f" AND v.hash = substr(r.hash, 1, {_MARK}) AND r.payload IS NOT NULL"
    )
    values = stream.line.line, model
    with translated(stream.log.path):
        if numbers is None:
            yield from map(Row._make, stream.log.connection.execute(sql, values))
            return
        for start in range(0, len(numbers), 500):
            some = numbers[start : start + 500]
            within = f"{sql} AND v.number IN ({','.join('?' * len(some))})"
            yield from map(Row._make, stream.log.connection.execute(within, (*values, *some)))


def kept(stream: Stream, model: str) -> Kept:
    """What the file holds, seen from a model. Needs `reading`."""
    if not has_table(stream):
        return Kept({}, frozenset())
    run, line = stream.log.connection.execute, stream.line.line
    with translated(stream.log.path):
        counts = run(f"SELECT model, count(*) FROM {_TABLE} WHERE line=? GROUP BY model", (line,))
        models = dict(sorted(counts.fetchall()))
        others: list[tuple[int]] = []
        if models.keys() - {model}:
            sql = f"SELECT number FROM {_TABLE} WHERE line=? AND model<>?"
            others = run(sql, (line, model)).fetchall()
    return Kept(models, frozenset(number for (number,) in others))


def write_rows(stream: Stream, model: str, rows: Iterable[Row]) -> None:
    """Keep vectors. Needs `writing`."""
    log, line = stream.log, stream.line.line
    log.flush()
    log.note_written()
    with translated(log.path):
        log.connection.execute(_CREATE)
        log.connection.executemany(
            f"INSERT OR REPLACE INTO {_TABLE} SELECT ?, ?, substr(hash, 1, {_MARK}), ?, ?, ?"
            " FROM record WHERE id=? AND payload IS NOT NULL",
            (
                (line, number, model, count, data, key_of(line, number))
                for number, count, data in rows
            ),
        )


def drop_vectors(stream: Stream) -> None:
    """Forget the vectors of a relationship, of whatever model. Needs `writing`."""
    if has_table(stream):
        stream.log.note_written()
        with translated(stream.log.path):
            stream.log.connection.execute(f"DELETE FROM {_TABLE} WHERE line=?", (stream.line.line,))
    for key in [key for key in stream.kept if _is_ours(key)]:
        del stream.kept[key]


def kept_key(model: str) -> tuple[str, str]:
    """Under which key a stream keeps what is in memory of a model's vectors."""
    return _TABLE, model


def _is_ours(key: Any) -> bool:
    return isinstance(key, tuple) and key[0] == _TABLE


def _clean(stream: Stream, numbers: Sequence[int]) -> int:
    """Remove the vectors of these records. What is in memory goes when it is next caught up."""
    if not has_table(stream):
        return 0
    gone, line = 0, stream.line.line
    with translated(stream.log.path):
        for number in numbers:
            sql = f"DELETE FROM {_TABLE} WHERE line=? AND number=?"
            gone += stream.log.connection.execute(sql, (line, number)).rowcount
    return gone


CLEANERS[_TABLE] = _clean
INDEXES.add(_TABLE)
