"""The log in SQLite: append, read, and nothing that knows what a record means.

One file holds many relationships. A relationship's chain is a `line`; records are keyed by line
and number in one integer, so that a line lies together on disk and needs no second index.
"""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from enishi.kernel.encoding import (
    Header,
    Placing,
    commitment,
    decode_payload,
    decode_placings,
    encode_header,
    encode_payload,
    header_hash,
    header_of,
    request_mac,
)
from enishi.kernel.erasing.scrubbing import FileId, Scrubber, file_id, let_go
from enishi.kernel.errors import (
    Conflict,
    EnishiError,
    LogDamaged,
    NotAStore,
    NotFound,
    RequestConflict,
    StoreBusy,
    StoreFailure,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from enishi.kernel.files import reading_uri
from enishi.kernel.keys.vault import MANY, Vault, keys_path, made
from enishi.kernel.transactions import Transaction, Transactions

APPLICATION_ID = 0x454E4953  # "ENIS"
STORE_VERSION = 1

BUSY_SECONDS = 120
_ALONE_SECONDS = 2
_LINE_SHIFT = 32
_FLUSH_ROWS = 500
_SCRUB_PAUSE = 1.0
"""Seconds between two tries of a scrub that somebody is in the way of."""

INDEXES: set[str] = set()
"""Tables of rows by line that others keep and that need not be there; whoever keeps one joins here."""

_PASSING = {"mmap_size": 0, "cache_size": -4000}

_SELECT_LINE = "SELECT line, relationship, secret, agent, user, name FROM line"
_CHUNK = 256
_PLACE = 8
_AMONG = "id IN (SELECT value FROM json_each(?))"
"""One statement however many they are, so that it is prepared once."""

_SPARSE = 6
"""Of so many records one is wanted, and looking each up is faster than passing them all."""

_SCHEMA = """
CREATE TABLE line(
  line INTEGER PRIMARY KEY, relationship BLOB NOT NULL, secret BLOB NOT NULL,
  agent TEXT, user TEXT, name TEXT NOT NULL, changed INTEGER NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0,
  UNIQUE(agent, user, name), UNIQUE(relationship, name)) STRICT;
CREATE TABLE record(
  id INTEGER PRIMARY KEY, type TEXT NOT NULL, header BLOB NOT NULL, hash BLOB NOT NULL,
  salt BLOB, payload BLOB) STRICT;
CREATE TABLE request(
  line INTEGER NOT NULL, request BLOB NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY(line, request)) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint(
  line INTEGER NOT NULL, projection TEXT NOT NULL, version INTEGER NOT NULL,
  running BLOB NOT NULL, depth INTEGER NOT NULL, state BLOB NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY(line, projection, version, running)) STRICT, WITHOUT ROWID;
CREATE TABLE withheld(
  line INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(line, number)) STRICT, WITHOUT ROWID;
CREATE TABLE exported(
  relationship BLOB NOT NULL, pack BLOB NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY(relationship, pack)) STRICT, WITHOUT ROWID;
CREATE TABLE signer(key BLOB PRIMARY KEY, name TEXT NOT NULL, seed BLOB) STRICT, WITHOUT ROWID;
CREATE TABLE scrub(
  line INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(line, number)) STRICT, WITHOUT ROWID;
CREATE TABLE vault(id BLOB PRIMARY KEY, ready INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE lost(place INTEGER PRIMARY KEY) STRICT;
CREATE VIEW records AS
  SELECT id >> 32 AS line, id & 0xFFFFFFFF AS number, type, header, hash, salt, payload FROM record;
"""

_GUARDS = """
CREATE TRIGGER record_fixed BEFORE UPDATE ON record
  WHEN NEW.id <> OLD.id OR NEW.type <> OLD.type OR NEW.header <> OLD.header
    OR NEW.hash <> OLD.hash OR NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: only a payload may go'); END;
CREATE TRIGGER record_kept BEFORE DELETE ON record
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One relationship's chain in this store; `line` and `name` are local to the file.

    The first line of a relationship has no name.
    """

    line: int
    relationship: bytes
    secret: bytes
    agent: str
    user: str
    name: str = ""


class Record(NamedTuple):
    """A record as stored. `payload` is None where it was erased."""

    header: Header
    hash: bytes
    payload: dict[str, Any] | None


class RawColumns(NamedTuple):
    """Rows as stored, undecoded, column by column. The types are as bytes."""

    keys: Sequence[int]
    types: Sequence[bytes]
    headers: Sequence[bytes]
    hashes: Sequence[bytes]
    salts: Sequence[bytes | None]
    payloads: Sequence[bytes | None]


class Checkpoint(NamedTuple):
    """A kept state as stored: a cache, which is believed only where its digest fits all of it."""

    projection: str
    version: int
    running: bytes
    depth: int
    state: bytes
    digest: str


@contextmanager
def translated(path: object) -> Iterator[None]:
    """Turn SQLite's errors into ours, in this one place."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, path) from error


def _translate(error: sqlite3.Error, path: object) -> EnishiError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(
                f"{path}: another process kept it for over {BUSY_SECONDS} s; try again"
            )
        case sqlite3.SQLITE_READONLY:
            return StoreReadOnly(f"{path} is read-only; copy it to a place that can be written")
        case sqlite3.SQLITE_FULL:
            return StoreFull(f"{path}: no room left on the disk; nothing was half-written")
        case sqlite3.SQLITE_NOTADB:
            return NotAStore(f"{path} is no Enishi store (no SQLite file)")
        case sqlite3.SQLITE_CANTOPEN if os.path.isfile(str(path)) and os.access(str(path), os.R_OK):
            return StoreReadOnly(
                f"{path} lies where nothing can be written, and SQLite has to write beside it even "
                f"to read it; copy it, and its -wal if there is one, to another place"
            )
        case sqlite3.SQLITE_CANTOPEN:
            return StoreFailure(
                f"{path} cannot be opened; does its folder exist, and may you write there?"
            )
        case sqlite3.SQLITE_IOERR:
            return StoreFailure(
                f"{path}: the disk failed, or has no room ({error}); nothing was half-written"
            )
        case sqlite3.SQLITE_CORRUPT:
            return LogDamaged(
                f"{path} is damaged ({error}); restore a copy; enishi doctor says what of it"
            )
    return StoreFailure(f"{path}: {error}")


class Log:
    """One store file. Safe to share between threads, and to go on with after a fork.

    `synchronous` is FULL (an acknowledged record survives a power cut) or NORMAL (the last ones
    may be lost then, and the file stays whole).

    `vault` has the keys of a keyed store, and is None for a plain one. `keyed` makes a new store
    a keyed one; an older one is what it is, and a plain one Conflict. `alone` keeps everybody else
    out of the store while it is open, and is StoreBusy where somebody is in.
    """

    def __init__(
        self,
        path: Path,
        *,
        synchronous: str = "FULL",
        read_only: bool = False,
        create: bool = True,
        keyed: bool = False,
        alone: bool = False,
    ) -> None:
        self.path = path
        self.read_only = read_only or (path.exists() and not os.access(path, os.W_OK))
        self._synchronous = synchronous
        self._keyed = keyed
        self._alone = alone
        self.vault: Vault | None = None
        self._transactions = Transactions(self)
        self._lock = self._transactions.lock
        self._closed = False
        self._pending: list[tuple[Any, ...]] = []
        self._requests: list[tuple[int, bytearray, int]] = []
        if not create and path.is_file() and not path.stat().st_size:
            raise NotAStore(f"{path} is no Enishi store (it is empty)")
        if not create and not path.exists():
            raise StoreFailure(f"{path} does not exist; make it with: enishi import CHAT")
        self._uri = f"{path.absolute().as_uri()}?mode="
        self._connection: sqlite3.Connection | None = None
        self._scrubber: Scrubber | None = None
        self._file: FileId | None = None
        self._scrubbed_at = -_SCRUB_PAUSE
        self.scrub_due = False
        _OPEN.add(self)
        with self._lock, translated(path):
            # Whether a file is a database, SQLite says: others may just be making it.
            if path.is_dir():
                raise NotAStore(f"{path} is a folder; name a file in it")
            self._connection = self._connect("rwc")
            self.scrub_due = bool(self.to_scrub() or self._query("SELECT 1 FROM lost LIMIT 1"))
        if keyed and self.vault is None:
            self.close()
            raise Conflict(f"{path} is a plain store; make it keyed with: enishi rebuild --keyed")
        self._scrub_again()

    def _connect(self, mode: str) -> sqlite3.Connection:
        uri = reading_uri(self.path) if self.read_only else self._uri + mode
        connection = sqlite3.connect(
            uri, uri=True, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            self._file = file_id(self.path)
            self._scrubber = Scrubber(connection, self.path, self._patience)
            self._prepare(connection)
            self._open_vault(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def _patience(self) -> float:
        """How long others are waited for, in seconds."""
        return _ALONE_SECONDS if self._alone else BUSY_SECONDS

    def _open_vault(self, connection: sqlite3.Connection) -> None:
        for (identity,) in connection.execute("SELECT id FROM vault WHERE ready"):
            if self.vault is None or self.vault.identity != identity:
                self.vault = Vault(
                    keys_path(self.path), identity,
                    read_only=self.read_only, timeout=self._patience,
                )  # fmt: skip
                self.read_only = self.vault.read_only

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if self._alone:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        for pragma in ("temp_store=MEMORY", "cache_size=-16000", "mmap_size=268435456"):
            connection.execute(f"PRAGMA {pragma}")
        # Before anything is set: a foreign file stays as it is.
        connection.execute("BEGIN EXCLUSIVE" if self._alone else "BEGIN")
        version = _store_version(connection, self.path)
        connection.execute("COMMIT")
        if not self.read_only:
            _use_wal(connection)
            for pragma in (
                f"synchronous={self._synchronous}",
                "secure_delete=ON",
                "recursive_triggers=ON",
                "journal_size_limit=67108864",
            ):
                connection.execute(f"PRAGMA {pragma}")
        if version == 0:
            if self.read_only:
                raise NotAStore(f"{self.path} is no Enishi store (it is empty)")
            self._create(connection)

    def _create(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been first.
            if _store_version(connection, self.path) == 0:
                for statement in _statements(_SCHEMA + _GUARDS):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version={STORE_VERSION}")
                assert self._scrubber is not None
                self._scrubber.begin()
                if self._keyed or keys_path(self.path).exists():
                    connection.execute("INSERT INTO vault VALUES(?,1)", (made(self.path),))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection. It is closed before a fork and opened anew when it is needed again:
        SQLite's locks do not cross one, and what a child wrote without them could be lost.
        """
        if self._connection is None:
            if self._closed:
                raise StoreFailure(f"{self.path} was closed; open it again")
            with translated(self.path):
                self._connection = self._connect("rw")
        return self._connection

    @property
    def _scrubbing(self) -> Scrubber:
        self.connection  # noqa: B018 - of the connection that there is now
        assert self._scrubber is not None
        return self._scrubber

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        with self._lock:
            if self._connection is not None:
                self._transactions.settle()
                self._scrub_again(pause=0)
                if not self.read_only:
                    self._scrubbing.leave()
                    if self.vault is not None:
                        self.vault.leave()
                self._disconnect()
            if not self._closed and self._file is not None:
                self._closed = True
                if not any(log._file == self._file and not log._closed for log in _OPEN):
                    let_go(self._file)
                    if self.vault is not None:
                        self.vault.let_go()
            self._closed = True

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self.vault is not None:
            self.vault.close()

    def _scrub_again(self, pause: float = _SCRUB_PAUSE) -> None:
        """Try what could not be scrubbed before; others who are busy are not waited for."""
        if self.scrub_due and time.monotonic() - self._scrubbed_at >= pause:
            with suppress(EnishiError):
                self.scrub()

    def before_fork(self) -> None:
        """Wait for the transactions of other threads, and let go of the file."""
        self._lock.acquire()
        if not self._transactions.inside:
            self._transactions.settle()
            self._disconnect()

    def after_fork(self, *, child: bool) -> None:
        """Go on, in the parent as in the child."""
        if child:
            self._transactions.after_fork()
        self._lock.release()

    # Transactions: see `transactions`

    def reading(self) -> Transaction:
        """One consistent view of the file; may be nested, also within `writing`."""
        return Transaction(self, self._transactions, writes=False)

    def writing(self, *, together: bool = False) -> Transaction:
        """One transaction, committed whole or not at all; may be nested.

        A nested one can fail alone, if the caller catches its error. With `together`, which is
        for what takes no long time, one commit may be for several threads: each waits for it.
        """
        if self.read_only:
            raise StoreReadOnly(f"{self.path} is read-only; copy it to a place that can be written")
        return Transaction(self, self._transactions, writes=True, together=together)

    @property
    def undone(self) -> int:
        """How often something that was appended was taken back: what was derived from it in memory
        has to go then.
        """
        return self._transactions.undone

    def before_commit(self) -> None:
        """Keep the keys of what is written before it is, and say that the file is written to."""
        self._scrubbing.note()
        if self.vault is not None:
            self.vault.commit()

    def after_commit(self) -> None:
        """Do what had to wait."""
        self._scrubbing.keep_up()
        self._scrub_again()

    def not_kept(self, *, whole: bool) -> None:
        """A part of what was written, or the whole of it, is being taken back."""
        self._pending.clear()
        self._requests.clear()
        if whole:
            self._scrubbing.undone()
            if self.vault is not None:
                self.vault.roll_back()

    def translated_error(self, error: sqlite3.Error) -> EnishiError:
        """SQLite's error as one of ours."""
        return _translate(error, self.path)

    # Lines

    def lines(self, *, archived: bool | None = None) -> list[Line]:
        """All lines of the store that have a name, in the order in which they came.

        With `archived`, only those that are out of sight, or only those that are not. Erased
        relationships have no name any more.
        """
        where = " WHERE agent IS NOT NULL AND archived IS COALESCE(?, archived)"
        rows = self._query(f"{_SELECT_LINE}{where} ORDER BY line", (archived,))
        return [self._line(row) for row in rows]

    def line_of(self, agent: str, user: str, name: str = "") -> Line | None:
        """The line of these two with this name, if there is one."""
        where = " WHERE agent=? AND user=? AND name=?"
        rows = self._query(_SELECT_LINE + where, (agent, user, name))
        return self._line(rows[0]) if rows else None

    def line_now(self, line: Line) -> Line:
        """The same line as the store has it now, or NotFound."""
        where = " WHERE relationship=? AND name=? AND agent IS NOT NULL"
        rows = self._query(_SELECT_LINE + where, (line.relationship, line.name))
        if not rows:
            raise NotFound(
                f"the relationship of {line.agent!r} and {line.user!r} is gone; "
                "ask the store for it again"
            )
        return self._line(rows[0])

    def _line(self, row: tuple[int, bytes, bytes, str, str, str]) -> Line:
        if not 0 < row[0] < 1 << 31:
            raise LogDamaged(f"{self.path}: a relationship has the impossible place {row[0]}")
        return Line(*row)

    def add_line(
        self, relationship: bytes, secret: bytes, agent: str, user: str, name: str = ""
    ) -> Line:
        """A new, empty line. Needs `writing`."""
        self._transactions.appended = True
        cursor = self.connection.execute(
            "INSERT INTO line(relationship, secret, agent, user, name, changed)"
            " VALUES(?,?,?,?,?,0)",
            (relationship, secret, agent, user, name),
        )
        return Line(cursor.lastrowid or 0, relationship, secret, agent, user, name)

    @contextmanager
    def unguarded(self) -> Iterator[None]:
        """Within, whole lines may go and withheld payloads come. Needs `writing`."""
        self.flush()
        with self.altering():
            for name in ("record_fixed", "record_kept"):
                self.connection.execute(f"DROP TRIGGER {name}")
            yield
            for statement in _statements(_GUARDS):
                self.connection.execute(statement)

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Within, whole lines pass, each record once: little of the file is kept in memory."""
        with self._lock:
            before = {name: self._query(f"PRAGMA {name}")[0][0] for name in _PASSING}
            try:
                for name, value in _PASSING.items():
                    self._query(f"PRAGMA {name}={value}")
                yield
            finally:
                for name, value in before.items():
                    self._query(f"PRAGMA {name}={value}")

    @contextmanager
    def altering(self) -> Iterator[None]:
        """Within, tables and triggers of the store come and go. Needs `writing`."""
        with self._scrubbing.altering():
            yield

    # Records

    def tip(self, line: int) -> tuple[int, bytes | None, int]:
        """How many records the line has, the hash of the last, and how often it was changed."""
        rows = self._query(
            "SELECT id, hash, (SELECT changed FROM line WHERE line=?) FROM record"
            " WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
            (line, key_of(line, 0), last_key(line)),
        )
        return (
            ((rows[0][0] & 0xFFFFFFFF) + 1, rows[0][1], rows[0][2] or 0) if rows else (0, None, 0)
        )

    def append(self, line: int, header: Header, salt: bytes, payload: bytes) -> bytes:
        """Add one record; its header names the payload's commitment. Returns its hash."""
        data = encode_header(header)
        digest = header_hash(data)
        self._transactions.appended = True
        if header.request is not None:
            self._requests.append((line, bytearray(header.request), header.number))
        key = key_of(line, header.number)
        if self.vault is not None:
            salt, payload = b"", self.vault.encrypt(key, salt, payload)
        # As bytearrays: for each bytes, sqlite3 would first search for an adapter.
        blobs = map(bytearray, (data, digest, salt, payload))
        self._pending.append((key, header.type, *blobs))
        if len(self._pending) >= _FLUSH_ROWS:
            self.flush()
        return digest

    def flush(self) -> None:
        """Give SQLite what was appended; it is done before anything else is asked."""
        if self._pending:
            self.connection.executemany("INSERT INTO record VALUES(?,?,?,?,?,?)", self._pending)
            self._pending.clear()
        if self._requests:
            try:
                self.connection.executemany("INSERT INTO request VALUES(?,?,?)", self._requests)
            except sqlite3.IntegrityError:
                raise RequestConflict(
                    "the request id of one of these was used before; a new request needs its own"
                ) from None
            self._requests.clear()

    def headers(self, line: int, start: int = 0, stop: int | None = None) -> Iterator[Header]:
        """The headers of a line from number `start` up to, not including, `stop`."""
        for key, data in self._scan("SELECT id, header", line, start, stop):
            yield header_of(data, key & 0xFFFFFFFF)

    def placings(
        self, line: int, start: int = 0, stop: int | None = None
    ) -> Iterator[Sequence[Placing]]:
        """Their places, some hundred at a time: all that a history needs, in less time."""
        # SQLite joins them, so that one row comes for many; bytes stay bytes in its text.
        sql = (
            "SELECT count(*), CAST(group_concat(header, '') AS BLOB) FROM record"
            " WHERE id BETWEEN ? AND ?"
        )
        stop = self.tip(line)[0] if stop is None else stop
        for first in range(start, stop, _CHUNK):
            last = min(first + _CHUNK, stop) - 1
            ((count, joined),) = self._query(sql, (key_of(line, first), key_of(line, last)))
            placings = decode_placings(joined or b"", count)
            if placings is None:
                for _ in self.headers(line, first, last + 1):
                    pass  # one by one, the damaged one says what is wrong with it
                raise LogDamaged(
                    f"one of the records {first} to {last} holds an impossible value; "
                    "run: enishi verify"
                )
            yield placings

    def records(
        self, line: int, start: int = 0, stop: int | None = None, types: Sequence[str] = ()
    ) -> Iterator[Record]:
        """The records of a line from `start` up to, not including, `stop`; of `types`, if given."""
        rows = self._scan("SELECT id, header, hash, payload", line, start, stop, types)
        for key, data, digest, payload in (
            rows if self.vault is None else self.vault.decrypted(rows)
        ):
            yield Record(
                header_of(data, key & 0xFFFFFFFF),
                digest,
                None if payload is None else decode_payload(payload),
            )

    def raw(
        self, line: int, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, str, bytes, bytes, bytes | None, bytes | None]]:
        """Number, type, header, hash, salt and payload of each row, undecoded."""
        for key, type_name, header, digest, salt, payload in self._raw(line, start, stop):
            yield key & 0xFFFFFFFF, _text(type_name), header, digest, salt, payload

    def raw_columns(self, line: int, rows: int) -> Iterator[RawColumns]:
        """The same of a whole line, so many rows at a time, column by column."""
        found = self._raw(line)
        while chunk := list(islice(found, rows)):
            yield RawColumns(*zip(*chunk, strict=True))

    def _raw(self, line: int, start: int = 0, stop: int | None = None) -> Iterator[Any]:
        columns = "SELECT id, CAST(type AS BLOB), header, hash, salt, payload"
        rows = self._scan(columns, line, start, stop)
        return rows if self.vault is None else self.vault.decrypted(rows, salted=True)

    def missing(self, line: int) -> frozenset[int]:
        """The numbers that have no payload: it was erased, or withheld by whom it came from."""
        span = (key_of(line, 0), last_key(line))
        sql = "SELECT id FROM record WHERE id BETWEEN ? AND ? AND payload IS"
        found = {key for (key,) in self._query(f"{sql} NULL", span)}
        if self.vault is not None:  # what has no key any more is as good as not there
            there = (
                key for key, gone in self._scan("SELECT id, payload IS NULL", line, 0) if not gone
            )
            while some := list(islice(there, MANY)):
                found |= set(some) - self.vault.places(some[0], some[-1])
        return frozenset(key & 0xFFFFFFFF for key in found)

    def withheld(self, line: int) -> frozenset[int]:
        """The numbers whose payloads exist elsewhere and were not given with the records."""
        rows = self._query("SELECT number FROM withheld WHERE line=?", (line,))
        return frozenset(number for (number,) in rows)

    def hashes(self, line: int, start: int = 0, stop: int | None = None) -> list[bytes]:
        """The hashes of the records of a line from `start` up to, not including, `stop`."""
        return [digest for (digest,) in self._scan("SELECT hash", line, start, stop)]

    def hash_of(self, line: int, number: int) -> bytes:
        """The hash of one record, which must be there."""
        sql = "SELECT hash FROM record WHERE id=?"
        return bytes(self._query(sql, (key_of(line, number),))[0][0])

    def record(self, line: int, number: int) -> Record | None:
        """One record, or None where there is no such number."""
        with self.reading():
            return next(self.records(line, number, number + 1), None)

    def payloads(
        self, line: int, numbers: Sequence[int], types: Iterable[str]
    ) -> dict[int, dict[str, Any]]:
        """Payloads by number. `types` are all that may occur; erased ones are absent."""
        encoded = self.encoded_payloads(line, numbers, types)
        return {number: decode_payload(data) for number, data in encoded.items()}

    def encoded_payloads(
        self, line: int, numbers: Sequence[int], types: Iterable[str]
    ) -> dict[int, bytes]:
        """The same, undecoded."""
        if not numbers:
            return {}
        low, high = min(numbers), max(numbers)
        if high - low > _SPARSE * len(numbers):
            sql = f"SELECT id, payload FROM record WHERE {_AMONG}"
            return self._encoded(self._query(sql, (_keys(line, numbers),)))
        kinds = list(types)
        marks = ",".join("?" * len(kinds))
        sql = f"SELECT id, payload FROM record WHERE id BETWEEN ? AND ? AND type IN ({marks})"
        return self._encoded(self._query(sql, (key_of(line, low), key_of(line, high), *kinds)))

    def _encoded(self, rows: Iterable[tuple[Any, ...]]) -> dict[int, bytes]:
        plain = rows if self.vault is None else self.vault.decrypted(rows)
        return {key & 0xFFFFFFFF: payload for key, payload in plain if payload is not None}

    def requested(self, line: Line, request: str) -> int | None:
        """The number of the first record of a request, if it was made before."""
        rows = self._query(
            "SELECT number FROM request WHERE line=? AND request=?",
            (line.line, request_mac(line.secret, request)),
        )
        return rows[0][0] if rows else None

    def requests(self, line: int) -> dict[bytes, int]:
        """The index of request ids, for verification."""
        return dict(self._query("SELECT request, number FROM request WHERE line=?", (line,)))

    def destroy(self, line: int, numbers: Iterable[int]) -> None:
        """Destroy payloads and salts. Needs `writing`, and a tombstone in the same transaction."""
        self.flush()
        keys = [(key_of(line, number), number) for number in numbers]
        self.lose(key for key, _ in keys)
        self.connection.executemany(
            "UPDATE record SET salt=NULL, payload=NULL WHERE id=?", [(key,) for key, _ in keys]
        )
        # What was not given is not waited for any more.
        self.connection.executemany(
            "DELETE FROM withheld WHERE line=? AND number=?", [(line, n) for _, n in keys]
        )

    def kept_form(
        self, key: int, salt: bytes | None, payload: bytes | None
    ) -> tuple[bytes | None, bytes | None]:
        """Salt and payload as this store keeps them under a key. Needs `writing`."""
        if self.vault is None or salt is None or payload is None:
            return salt, payload
        return b"", self.vault.encrypt(key, salt, payload)

    @property
    def keeps_plain_words(self) -> bool:
        """Whether words may stand in the store's file as they are. In a keyed store they may not:
        who keeps an index of words there keeps it in memory.
        """
        return self.vault is None

    def lose(self, places: Iterable[int]) -> None:
        """Note that what stands here goes with this transaction, and its key after it. Needs
        `writing`.
        """
        if self.vault is not None:
            rows = [(place,) for place in places]
            self.connection.executemany("INSERT OR IGNORE INTO lost VALUES(?)", rows)
            self.scrub_due = self.scrub_due or bool(rows)

    def are_gone(self, line: int, numbers: Sequence[int]) -> bool:
        """Whether nothing is left of these payloads and salts."""
        left = f"SELECT 1 FROM record WHERE {_AMONG} AND (payload IS NOT NULL OR salt IS NOT NULL)"
        return not self._query(f"{left} LIMIT 1", (_keys(line, numbers),))

    def types(self, line: int, numbers: Sequence[int]) -> list[str]:
        """The types of these records."""
        sql = f"SELECT type FROM record WHERE {_AMONG}"
        return [name for (name,) in self._query(sql, (_keys(line, numbers),))]

    # Checkpoints: a cache, dropped at any time.

    def checkpoints(self, line: int, projection: str, version: int) -> dict[bytes, int]:
        """Depth by running hash of a projection's checkpoints."""
        rows = self._query(
            "SELECT running, depth FROM checkpoint WHERE line=? AND projection=? AND version=?",
            (line, projection, version),
        )
        return dict(rows)

    def checkpoint(
        self, line: int, projection: str, version: int, running: bytes
    ) -> Checkpoint | None:
        """One checkpoint."""
        where = "line=? AND projection=? AND version=? AND running=?"
        return next(self._checkpoints(where, (line, projection, version, running)), None)

    def all_checkpoints(self, line: int) -> Iterator[Checkpoint]:
        """All checkpoints of a line, also those of projections that are unknown here."""
        return self._checkpoints("line=?", (line,))

    def _checkpoints(self, where: str, values: Sequence[Any]) -> Iterator[Checkpoint]:
        sql = (
            "SELECT CAST(projection AS BLOB), version, running, depth, state, CAST(digest AS BLOB)"
            f" FROM checkpoint WHERE {where}"
        )
        for name, version, running, depth, state, digest in self._query(sql, values):
            if self.vault is not None:
                ((_, state),) = self.vault.decrypted([(_place_in(state), state[_PLACE:])])
            if state is not None:
                yield Checkpoint(_text(name), version, running, depth, state, _text(digest))

    def save_checkpoint(
        self, line: int, projection: str, version: int, running: bytes, depth: int,
        state: bytes, digest: str,
    ) -> None:  # fmt: skip
        """Keep a checkpoint. Needs `writing`."""
        if self.vault is not None:
            where = "line=? AND projection=? AND version=? AND running=?"
            self._drop_checkpoints(where, (line, projection, version, running))
            place = self.vault.new_place()
            state = place.to_bytes(_PLACE, "big", signed=True) + self.vault.encrypt(
                place, b"", state
            )
        self.connection.execute(
            "INSERT OR REPLACE INTO checkpoint VALUES(?,?,?,?,?,?,?)",
            (line, projection, version, running, depth, state, digest),
        )

    def drop_checkpoints(self, line: int, deeper_than: int = -1) -> int:
        """Forget the checkpoints of a line that folded more than so many turns of a path.

        Returns how many there were. Needs `writing`.
        """
        return self._drop_checkpoints("line=? AND depth>?", (line, deeper_than))

    def drop_checkpoints_of(self, line: int, projection: str) -> None:
        """Forget the checkpoints of one projection, in all its versions. Needs `writing`."""
        self._drop_checkpoints("line=? AND projection=?", (line, projection))

    def _drop_checkpoints(self, where: str, values: Sequence[Any]) -> int:
        if self.vault is not None:
            rows = self._query(f"SELECT state FROM checkpoint WHERE {where}", values)
            self.lose(_place_in(state) for (state,) in rows)
        return self.connection.execute(f"DELETE FROM checkpoint WHERE {where}", values).rowcount

    # Scrubbing: see `scrubbing`. What was destroyed is still in old pages until that is done.

    def must_scrub(self, line: int, number: int) -> None:
        """Note that the bytes of what a tombstone names have to go. Needs `writing`."""
        self.connection.execute("INSERT OR IGNORE INTO scrub VALUES(?,?)", (line, number))
        self.scrub_due = True

    def to_scrub(self) -> list[tuple[int, int]]:
        """The tombstones, by line and number, whose bytes have not been scrubbed yet."""
        return self._query("SELECT line, number FROM scrub ORDER BY line, number")

    def scrub(self, patience: float = 0.0) -> bool:
        """Make sure that what was destroyed is in no file of the store any more.

        Returns whether that is so now. It waits so many seconds for readers and writers who are
        in the way; what cannot be done now is tried again after a later write, on closing, and
        when the store is opened. Within a transaction it waits for the end of that.
        """
        with self._lock, translated(self.path):
            self._transactions.settle()
            if self._transactions.inside or not self.scrub_due or self.read_only:
                return not self.scrub_due
            self._scrubbed_at = time.monotonic()
            try:
                done = self._keys_forgotten(patience) and self._scrubbing.scrub(patience)
            except sqlite3.OperationalError as error:
                if not isinstance(_translate(error, self.path), StoreBusy):
                    raise
                done = False
            except OSError:  # the file cannot be written as such; what was recorded is recorded
                done = False
            finally:
                self.connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
            self.scrub_due = not done
            return done

    def _keys_forgotten(self, patience: float) -> bool:
        """Destroy the keys of what was destroyed. With the store locked for writers, nothing stands
        where a key goes, and nothing can come there.
        """
        if self.vault is None:
            return True
        connection = self.connection
        connection.execute(f"PRAGMA busy_timeout={round(patience * 1000)}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            rows = connection.execute(
                "SELECT place FROM lost WHERE NOT EXISTS"
                " (SELECT 1 FROM record WHERE id=place AND payload IS NOT NULL)"
            )
            self.vault.forget([place for (place,) in rows])
            done = self.vault.scrub(patience)
            if done:
                connection.execute("DELETE FROM lost")
                connection.execute("COMMIT")
            return done
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def note_written(self) -> None:
        """Say that something in memory rests on what is written now: if that is rolled back,
        `undone` counts it. Needs `writing`.
        """
        self._transactions.appended = True

    def indexes(self) -> list[str]:
        """Those of `INDEXES` that are there."""
        rows = self._query("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
        return [name for (name,) in rows if name in INDEXES]

    def stray(self) -> list[tuple[str, int]]:
        """Tables with rows of a line that is not there, and its place, for verification. Of an erased
        relationship there may be records and nothing else.
        """
        named = dict(self._query("SELECT line, agent IS NOT NULL FROM line"))
        found = [
            (table, line)
            for table in ("request", "checkpoint", *self.indexes())
            for (line,) in self._query(f"SELECT DISTINCT line FROM {table}")
            if not named.get(line)
        ]
        # From line to line, so that the records themselves need not be passed.
        after = -(1 << 63)
        while rows := self._query(
            "SELECT id >> 32 FROM record WHERE id > ? ORDER BY id LIMIT 1", (after,)
        ):
            ((line,),) = rows
            if line not in named:
                found.append(("record", line))
            after = last_key(line)
        return found

    def rebuild_requests(self, line: int) -> None:
        """Make the index of request ids anew from the headers. Needs `writing`."""
        self.connection.execute("DELETE FROM request WHERE line=?", (line,))
        rows = [(line, h.request, h.number) for h in self.headers(line) if h.request is not None]
        try:
            self.connection.executemany("INSERT INTO request VALUES(?,?,?)", rows)
        except OverflowError:
            raise LogDamaged(
                f"{self.path}: a record has an impossible number or request id; run: enishi verify"
            ) from None

    def _scan(
        self, select: str, line: int, start: int, stop: int | None = None,
        types: Sequence[str] = (),
    ) -> Iterator[tuple[Any, ...]]:  # fmt: skip
        last = last_key(line) if stop is None else key_of(line, stop) - 1
        only = f" AND type IN ({','.join('?' * len(types))})" if types else ""
        sql = f"{select} FROM record WHERE id BETWEEN ? AND ?{only} ORDER BY id"
        assert self._transactions.inside, "a scan needs `reading` or `writing` around it"
        with translated(self.path):
            self.flush()
            yield from self.connection.execute(sql, (key_of(line, start), last, *types))

    def _query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                self._transactions.settle()
                self.flush()
                return self.connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise _translate(error, self.path) from error


_OPEN: weakref.WeakSet[Log] = weakref.WeakSet()
_forking: list[Log] = []


def _before_fork() -> None:
    _forking[:] = _OPEN
    for log in _forking:
        log.before_fork()


def _after_fork(*, child: bool) -> None:
    while _forking:
        _forking.pop().after_fork(child=child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=partial(_after_fork, child=False),
        after_in_child=partial(_after_fork, child=True),
    )

Entropy = Callable[[int], bytes]
"""Gives that many random bytes."""


def sealed(payload: dict[str, Any], entropy: Entropy) -> tuple[bytes, bytes, bytes]:
    """Salt, payload bytes and commitment of a payload."""
    salt = entropy(16)
    data = encode_payload(payload)
    return salt, data, commitment(salt, data)


def _place_in(state: bytes) -> int:
    """Where the vault has the key of a checkpoint."""
    return int.from_bytes(state[:_PLACE], "big", signed=True)


def _text(data: bytes) -> str:
    """A text that may be damaged."""
    return data.decode("utf-8", "backslashreplace")


def key_of(line: int, number: int) -> int:
    """The key of a record: line and number in one integer."""
    return line << _LINE_SHIFT | number


def _keys(line: int, numbers: Iterable[int]) -> str:
    """The keys of many records as `_AMONG` takes them."""
    return str([key_of(line, number) for number in numbers])


def last_key(line: int) -> int:
    """The largest key that a record of the line could have."""
    return (line + 1 << _LINE_SHIFT) - 1


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                yield statement
            statement = ""


def _store_version(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application or version or tables:
            raise NotAStore(f"{path} is no Enishi store (a database of another program)")
        return 0
    if version > STORE_VERSION:
        raise StoreTooNew(
            f"{path} has store version {version} and this Enishi knows {STORE_VERSION}; update Enishi"
        )
    return version


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL. Two processes that do so at once get a lock error that no timeout covers."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.01)
