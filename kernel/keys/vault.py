"""The keys of a keyed store: each payload is kept encrypted, under a key of its own.

The keys lie in a second file beside the store. Once the key of an erased payload is gone from
there, no copy of the store's file gives it back, also none that was made before. AES-256-GCM by
the package `cryptography`, which the extra `crypto` brings. Every key encrypts one thing once.

Two files cannot be changed in one step, so the order is what counts. A key is on the disk before
the record that needs it is; it goes only after the commit that destroyed its record; and whatever
is between the two is noted in the store (the table `lost`), and done when it is opened next.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import msgpack

from enishi.kernel.erasing.scrubbing import Scrubber, let_go
from enishi.kernel.errors import MissingExtra, NoKeys, WrongKeys
from enishi.kernel.files import reading_uri

APPLICATION_ID = 0x454E494B  # "ENIK"

_DOMAIN = b"enishi/vault/1\0"
_NONCE = bytes(12)
"""A nonce must never repeat under one key; each key is used once."""

_CHUNK = 256

MANY = 4096
"""Keys, or places of keys, that are in memory at a time."""

_SCHEMA = (
    "CREATE TABLE vault(id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID",
    "CREATE TABLE key(id INTEGER PRIMARY KEY, key BLOB NOT NULL) STRICT",
    "CREATE TABLE scrub(id INTEGER PRIMARY KEY) STRICT",
    f"PRAGMA application_id={APPLICATION_ID}",
)


def keys_path(store: Path) -> Path:
    """Where the keys of a store are."""
    return store.with_name(f"{store.name}.keys")


class Vault:
    """The open key file of one store.

    Keys come from the operating system and not from the host's entropy: whoever can repeat that
    could make a destroyed key again.
    """

    def __init__(self, path: Path, identity: bytes, *, read_only: bool, timeout: float) -> None:
        _aes()
        self.path = path
        self.identity = identity
        self.read_only = read_only or (path.exists() and not os.access(path, os.W_OK))
        self._timeout = timeout
        self._fresh: dict[int, bytes] = {}
        self._open: sqlite3.Connection | None = None
        self._scrubber: Scrubber | None = None
        self.connection  # noqa: B018 - a key file that does not fit is an error now

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, opened when it is needed: see `Log.connection`."""
        if self._open is None:
            self._open = self._connect()
        return self._open

    def _connect(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise NoKeys(
                f"{self.path} is not there, and without it nobody can read the store; "
                "put it back beside the store"
            )
        connection = _connected(self.path, "ro" if self.read_only else "rw", self._timeout)
        try:
            _prepare(connection)
            rows = connection.execute("SELECT id FROM vault").fetchall()
            if rows != [(self.identity,)]:
                raise WrongKeys(
                    f"{self.path} is not the key file of this store; put the right one there"
                )
        except BaseException as error:
            connection.close()
            if _is_foreign(error):
                raise WrongKeys(f"{self.path} is no key file of Enishi") from None
            raise
        self._scrubber = Scrubber(connection, self.path, self._timeout)
        return connection

    @property
    def _scrubbing(self) -> Scrubber:
        self.connection  # noqa: B018 - of the connection that there is now
        assert self._scrubber is not None
        return self._scrubber

    def close(self) -> None:
        """Let go of the file until it is needed again."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def leave(self) -> None:
        """To be done before the last `close`; see `Scrubber.leave`."""
        if self._open is not None and not self.read_only:
            self._scrubbing.leave()

    def let_go(self) -> None:
        """Close it, once this process has no connection to it any more."""
        if self._scrubber is not None:
            let_go(self._scrubber.file)

    # Encrypting

    def encrypt(self, place: int, salt: bytes, payload: bytes) -> bytes:
        """Encrypt what belongs to one place in the store, under a new key. Kept with `commit`."""
        key = self._fresh[place] = os.urandom(32)
        if len(self._fresh) >= MANY:
            self._write()
        return bytes(
            _aes()(key).encrypt(_NONCE, msgpack.packb((salt, payload)), self._about(place))
        )

    def new_place(self) -> int:
        """A place for what is no record: below all of theirs."""
        return -1 - int.from_bytes(os.urandom(7), "big")

    def decrypted(
        self, rows: Iterable[tuple[Any, ...]], *, salted: bool = False
    ) -> Iterator[tuple[Any, ...]]:
        """Rows that begin with a place and end with what was encrypted, with the payload in its stead.

        Where they are `salted`, the salt stands before it. Without a key it is None, as if it was
        erased; what does not fit its key is empty, which no payload is.
        """
        rows = iter(rows)
        while chunk := list(islice(rows, _CHUNK)):
            keys = self._keys([row[0] for row in chunk if row[-1] is not None])
            for row in chunk:
                salt, payload = self._decrypted(row[0], keys.get(row[0]), row[-1])
                yield (*row[:-2], salt, payload) if salted else (*row[:-1], payload)

    def _decrypted(
        self, place: int, key: bytes | None, data: bytes | None
    ) -> tuple[bytes | None, bytes | None]:
        from cryptography.exceptions import InvalidTag

        if key is None or data is None:
            return None, None
        try:
            salt, payload = msgpack.unpackb(_aes()(key).decrypt(_NONCE, data, self._about(place)))
        except (InvalidTag, ValueError):
            return b"", b""
        return salt, payload

    def _about(self, place: int) -> bytes:
        return _DOMAIN + self.identity + place.to_bytes(8, "big", signed=True)

    def _keys(self, places: Sequence[int]) -> dict[int, bytes]:
        marks = ",".join("?" * len(places))
        rows = self.connection.execute(f"SELECT id, key FROM key WHERE id IN ({marks})", places)
        fresh = self._fresh
        return dict(rows.fetchall()) | {place: fresh[place] for place in places if place in fresh}

    def places(self, first: int, last: int) -> set[int]:
        """The places from the one to the other that have a key."""
        rows = self.connection.execute("SELECT id FROM key WHERE id BETWEEN ? AND ?", (first, last))
        return {place for (place,) in rows.fetchall()} | {
            place for place in self._fresh if first <= place <= last
        }

    # Keeping and letting go

    def commit(self) -> None:
        """Keep the new keys for good; to be done before what they encrypt is."""
        if self._fresh:
            self._write()
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")
            self._scrubbing.keep_up()

    def roll_back(self) -> None:
        """Forget the new keys: what they encrypt was not kept."""
        self._fresh.clear()
        if self._open is not None and self._open.in_transaction:
            self._scrubbing.undone()
            self._open.execute("ROLLBACK")

    def _write(self) -> None:
        """Give SQLite the new keys, so that a long transaction does not hold them all in memory."""
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
            self._scrubbing.note()
        rows = self._fresh.items()
        self.connection.executemany("INSERT OR REPLACE INTO key VALUES(?,?)", rows)
        self._fresh.clear()

    def forget(self, places: Sequence[int]) -> None:
        """Destroy keys. `scrub` says when their bytes are gone."""
        if places:
            self._run(
                ("DELETE FROM key WHERE id=?", [(place,) for place in places]),
                ("INSERT OR REPLACE INTO scrub VALUES(?)", [(1,)]),
            )

    def scrub(self, patience: float) -> bool:
        """Make sure that no destroyed key is in the file any more; see `scrubbing`."""
        return self._scrubbing.scrub(patience)

    def _run(self, *changes: tuple[str, Iterable[Sequence[Any]]]) -> None:
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._scrubbing.note()
            for sql, rows in changes:
                connection.executemany(sql, rows)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                self._scrubbing.undone()
                connection.execute("ROLLBACK")
        self._scrubbing.keep_up()


def new_identity() -> bytes:
    """What ties a store and its key file together: 16 random bytes."""
    return os.urandom(16)


def made(store: Path, identity: bytes | None = None) -> bytes:
    """Make the key file of a store. Returns its id, the one given or a new one.

    One that is there already is taken where it has this id, or has no key yet: then making it was
    only begun.
    """
    _aes()
    path = keys_path(store)
    with closing(_connected(path, "rwc", 5)) as connection:
        try:
            _prepare(connection)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in _SCHEMA:
                    connection.execute(statement)
                Scrubber(connection, path, 5).begin()
                connection.execute("INSERT INTO vault VALUES(?)", (identity or new_identity(),))
            ((found, keys),) = connection.execute(
                "SELECT id, (SELECT count(*) FROM key) FROM vault"
            )
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if not _is_foreign(error):
                raise
            found, keys = b"", 1
        if keys and found != identity:
            raise WrongKeys(
                f"{path} has the keys of a store, and {store} has nothing in it: put that store back, "
                f"and {store}-wal with it if there was one, or move the key file away"
            )
        return bytes(found)


def _connected(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    uri = reading_uri(path) if mode == "ro" else f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False,
    )  # fmt: skip


def _prepare(connection: sqlite3.Connection) -> None:
    # FULL, however the store itself is written: a record must not outlive a power cut its key lost.
    for pragma in ("synchronous=FULL", "secure_delete=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _is_foreign(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOTADB)


def _aes() -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("a keyed store needs: pip install 'enishi[crypto]'") from None
    return AESGCM
