"""The transactions of one connection that threads share: one thread at a time, parts within a
transaction, and callers who wait for one commit together.

A commit is a wait for the disk. Who has done its work while others are waiting for their turn
leaves the transaction open to them, and the last of them commits for all. Nobody is told that
something is recorded before it is. What each of them does is a part of its own: a refusal takes
back nothing of the others'. A commit that fails takes back all of it, and each of them is told.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Protocol

from enishi.kernel.errors import EnishiError

_NOTHING, _PART, _SHARE, _WHOLE = range(4)
"""What was begun: nothing that has to be ended, a part of what this thread does already, a part of
a transaction that others left open, a transaction.
"""

_PATIENCE = 0.05
"""Seconds after which somebody who waits for a commit looks whether there is still anybody who
will make it.
"""


class Connected(Protocol):
    """What has the connection, and knows what is yet to be given to it."""

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection."""

    def flush(self) -> None:
        """Give SQLite what was written."""

    def before_commit(self) -> None:
        """Keep what has to be kept elsewhere first."""

    def after_commit(self) -> None:
        """Do what had to wait for a commit."""

    def not_kept(self, *, whole: bool) -> None:
        """A part of what was written, or the whole of it, is being taken back."""

    def translated_error(self, error: sqlite3.Error) -> EnishiError:
        """SQLite's error as one of ours."""


class _Waiting:
    """Somebody who has done its work and waits for the commit."""

    __slots__ = ("_told", "error")

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._told = threading.Lock()
        self._told.acquire()

    def tell(self, error: BaseException | None) -> None:
        self.error = error
        self._told.release()

    def is_told(self, patience: float) -> bool:
        return self._told.acquire(timeout=patience)


class Transactions:
    """The transactions of one connection. The thread that is `inside` of one has the `lock`.

    `appended` is set by who appends what something in memory will rest on; `undone` counts the
    times that such was taken back.
    """

    def __init__(self, store: Connected) -> None:
        self.lock = threading.RLock()
        self.inside = False
        self.appended = False
        self.undone = 0
        self._store = store
        self._writes = False
        self._left_open: list[_Waiting] = []
        self._coming: deque[None] = deque()

    def settle(self) -> None:
        """Commit what was left open, if something was. Whoever needs the connection for something
        else calls this first, with the `lock`. That it fails is told to those whose work it was.
        """
        if self._left_open and not self.inside:
            with suppress(Exception):
                self._commit()

    def after_fork(self) -> None:
        """In the child there are no other threads."""
        self._coming = deque()

    def begin(self, *, writes: bool, together: bool) -> int:
        """Take the lock, and begin a transaction or a part of one. Returns what `end` ends."""
        lock = self.lock
        if not lock.acquire(blocking=False):
            if together:
                self._coming.append(None)
            try:
                lock.acquire()
            finally:
                if together:
                    self._coming.pop()
        try:
            return self._begin(writes, together)
        except BaseException:
            lock.release()
            raise

    def _begin(self, writes: bool, together: bool) -> int:
        if self.inside:
            if not writes:
                return _NOTHING
            assert self._writes, "`writing` cannot begin within `reading`"
            self._store.flush()
            self._store.connection.execute("SAVEPOINT part")
            return _PART
        if self._left_open and not together:
            self.settle()
        begun = _SHARE if self._left_open else _WHOLE
        if begun == _SHARE:
            self._store.connection.execute("SAVEPOINT part")
        else:
            self._store.connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        self.inside, self._writes, self.appended = True, writes, False
        return begun

    def end(self, begun: int, error: BaseException | None, *, together: bool) -> None:
        """End what was begun, and let go of the lock: where there is an error, it is taken back;
        else it is kept, and this returns when it is on the disk.
        """
        waiting = None
        try:
            if begun == _PART:
                self._end_part(error)
            elif begun != _NOTHING:
                waiting = self._end_own(begun, error, together)
        finally:
            self.lock.release()
        if waiting is not None:
            self._wait(waiting)

    def _end_own(self, begun: int, error: BaseException | None, together: bool) -> _Waiting | None:
        """End what this thread does. Returns what it waits for, if others are to commit it."""
        leaves = together and error is None and bool(self._coming)
        try:
            if begun == _SHARE:
                self._end_part(error)
            elif error is not None:
                self._take_back()
            elif leaves:
                self._flush()
        except BaseException as found:
            error = found
            raise
        finally:
            self.inside = False
            if error is not None:
                self._go_on_after(error)
        if error is None and not leaves:
            self._commit()
        if not leaves:
            return None
        waiting = _Waiting()
        self._left_open.append(waiting)
        return waiting

    def _end_part(self, error: BaseException | None) -> None:
        connection, kept = self._store.connection, False
        try:
            if error is None:
                self._store.flush()
                connection.execute("RELEASE part")
                kept = True
        finally:
            if not kept:
                self._store.not_kept(whole=False)
                self.undone += self.appended
                if connection.in_transaction:  # else SQLite took all of it back itself
                    connection.execute("ROLLBACK TO part")
                    connection.execute("RELEASE part")

    def _go_on_after(self, error: BaseException) -> None:
        """What this thread did is not kept. What others left open is, unless it is lost as well."""
        if self._left_open and not self._store.connection.in_transaction:
            self._take_back()
            self._tell(error)
        elif not self._coming:
            self.settle()

    def _flush(self) -> None:
        try:
            self._store.flush()
        except BaseException:
            self._take_back()
            raise

    def _commit(self) -> None:
        """Commit all that was done, also by those who left it open; or take it back."""
        try:
            self._store.flush()
            if self._writes:
                self._store.before_commit()
            self._store.connection.execute("COMMIT")
        except BaseException as error:
            self._take_back()
            self._tell(error)
            if self._writes or not isinstance(error, sqlite3.DatabaseError):
                raise
            # Who met damage was told when reading it; SQLite repeats it here, and nothing is lost.
        self._tell(None)
        if self._writes:
            self._store.after_commit()

    def _take_back(self) -> None:
        self._store.not_kept(whole=True)
        self.undone += self.appended or bool(self._left_open)
        connection = self._store.connection
        if connection.in_transaction:  # else SQLite took it back itself
            connection.execute("ROLLBACK")

    def _tell(self, error: BaseException | None) -> None:
        while self._left_open:
            self._left_open.pop().tell(error)

    def _wait(self, waiting: _Waiting) -> None:
        try:
            while not waiting.is_told(_PATIENCE):
                if self.lock.acquire(blocking=False):  # who was to commit has gone away
                    try:
                        self.settle()
                    finally:
                        self.lock.release()
        except BaseException:
            with self.lock:
                self.settle()
            raise
        if waiting.error is not None:
            raise waiting.error


class Transaction:
    """What is to be done together: a context manager, made by `Log.reading` and `Log.writing`.

    A class, because every record comes through several, and a generator costs twice as much.
    """

    __slots__ = ("_begun", "_store", "_together", "_transactions", "_writes")

    def __init__(
        self, store: Connected, transactions: Transactions, *, writes: bool, together: bool = False
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._writes = writes
        self._together = together

    def __enter__(self) -> None:
        try:
            self._begun = self._transactions.begin(writes=self._writes, together=self._together)
        except sqlite3.Error as error:
            raise self._store.translated_error(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._transactions.end(self._begun, error, together=self._together)
            if isinstance(error, sqlite3.Error):
                raise error
        except sqlite3.Error as found:
            raise self._store.translated_error(found) from found
