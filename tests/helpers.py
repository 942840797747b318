"""Small things that several test files share. `from helpers import ...`"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from enishi.cli import run
from enishi.host import Store, open_store
from enishi.host.commands import app

if TYPE_CHECKING:
    import pytest

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""What a fixed clock tells."""

HEADER: Mapping[str, Any] = {"user_name": "Chen", "character_name": "Lumi"}


def fixed_entropy(seed: int = 0) -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run, never twice the same in one."""
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.sha256(f"{seed}:{count}".encode()).digest()[:size]

    return entropy


def fixed_store(path: Path, *, now: datetime = NOW, seed: int = 0, **options: Any) -> Store:
    """A store whose time stands still and whose chance repeats.

    Opened again on the same file, it needs another seed before it founds further relationships.
    """
    options = {"synchronous": "NORMAL"} | options
    return open_store(path, clock=lambda: now, entropy=fixed_entropy(seed), **options)


def line(text: str, name: str = "Lumi", *, at: str | None = None, **more: Any) -> dict[str, Any]:
    """One line of a SillyTavern chat: said by the user where `name` is Chen or `is_user` says so."""
    own: dict[str, Any] = {"name": name, "is_user": name == "Chen", "is_system": False, "mes": text}
    return own | ({} if at is None else {"send_date": at}) | more


def write_chat(
    path: Path, lines: Iterable[object], header: Mapping[str, Any] | None = HEADER
) -> Path:
    """Write a SillyTavern file: a header unless it is None, then a JSON object a line.

    A line may also be given as bytes, which are written as they are. Returns the path.
    """
    rows = [*([] if header is None else [header]), *lines]
    data = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\n".join(data) + b"\n")
    return path


def state_of(path: Path) -> dict[str, Any]:
    """All that a store says: every row of its log, and the digests of every branch."""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as connection:
        tables = {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("line", "record", "request")
        }
    with open_store(path, read_only=True) as store:
        digests = [
            (bond.agent, bond.user, branch.name, bond.on(branch.name).digests())
            for bond in store.relationships()
            for branch in bond.branches()
        ]
    return {**tables, "digests": digests}


@cache
def _commands() -> Any:
    """The commands as typer makes them of the app: anew in each run, but for tests only once."""
    return typer.main.get_command(app)


class Ran(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


class Shell:
    """The real command line, in process; the terminal is wide and no store is chosen."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        monkeypatch.delenv("ENISHI_STORE", raising=False)
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setenv("ENISHI_EMBEDDER", "none")
        monkeypatch.setattr("enishi.host.commands.app", _commands())

    def run(self, *arguments: object) -> Ran:
        """Run `enishi` with these arguments."""
        self._capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        return Ran(status, *self._capsys.readouterr())

    def ok(self, *arguments: object) -> str:
        """The output of a command that must succeed, silent on the error stream."""
        ran = self.run(*arguments)
        assert (ran.status, ran.err) == (0, ""), ran
        return ran.out

    def json(self, *arguments: object) -> Any:
        """The JSON that a command answers with."""
        return json.loads(self.ok(*arguments, "--json"))

    def refused(self, *arguments: object, status: int = 1) -> str:
        """The one line with which a command must be refused."""
        ran = self.run(*arguments)
        assert ran.status == status, ran
        assert ran.err.startswith("enishi: ") and ran.err.endswith("\n"), ran
        assert len(ran.err.splitlines()) == 1, ran.err
        assert "Traceback" not in ran.out + ran.err and "fault of the program" not in ran.err
        return ran.err
