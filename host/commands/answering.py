"""How a command answers: a value for machines, what is told to people, one line for a fault."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

import typer

from enishi.host.commands.options import DEFAULT_STORE
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


class Answer(NamedTuple):
    """What a command found: for machines the value, for people whatever `tell` prints of it.

    `failure` is what is wrong with it, if anything is; the exit status then says so, too.
    """

    value: Any
    tell: Callable[[Any], None]
    failure: str | None = None


def fail(message: str, status: int = 1) -> NoReturn:
    """End the command: one line on the error stream, and this exit status."""
    print(f"enishi: {message}", file=sys.stderr)
    raise typer.Exit(status)


def did(value: Any, message: str) -> Answer:
    """The answer of a command that changed something: what for machines, and one line."""
    return Answer(value, lambda console: showing.terminal.say(console, message))


def print_json(value: Any) -> None:
    """Print what the face returned as JSON."""
    print(json.dumps(showing.terminal.plain(value), ensure_ascii=False, indent=2))


def plain_console() -> Console:
    """The terminal, where no store is spoken of."""
    from rich.console import Console

    return Console()


def console_for(store: Path) -> Console:
    """The terminal; it says which store is meant where nobody named one."""
    console = plain_console()
    if store == DEFAULT_STORE:
        console.print(f"store: {store}", style="dim", highlight=False)
    return console


def last_of(rows: list[T], count: int) -> tuple[list[T], int]:
    """The last rows (0: all), and how many come before them."""
    shown = rows[-count:] if count else rows
    return shown, len(rows) - len(shown)


@contextmanager
def progress_bar(verb: str) -> Iterator[Callable[..., None]]:
    """A bar on the error stream where a person is looking; silent elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    watched = sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=not watched) as bars:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(f"{verb} {what}", total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield report


def asked_passphrase(confirm: bool = False) -> str:
    """The passphrase in ENISHI_PASSPHRASE, else what is typed."""
    given = os.environ.get("ENISHI_PASSPHRASE")
    return given or typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
