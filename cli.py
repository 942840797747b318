"""The face for a person: `enishi`. What the commands do is in `host/commands`."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import typer

from enishi import __version__

if TYPE_CHECKING:
    from pydantic import ValidationError


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; what is wrong is one line on stderr."""
    status = 0
    try:
        if (sys.argv[1:] if arguments is None else arguments) == ["--version"]:
            # Who asks for this alone does not wait until all commands are made.
            print(f"enishi {__version__}")
            return 0
        from enishi.host.commands import app

        status = app(arguments, prog_name="enishi", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.Exit as exit_:
        status = exit_.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = 130
    except (BrokenPipeError, SystemExit):
        # Whoever was reading has seen enough (rich and typer make a SystemExit of it); a flush at
        # exit must not complain about it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if "ENISHI_TRACEBACK" in os.environ:
            raise
        status = getattr(error, "exit_code", 1)
        if message := _message_of(error):
            print(f"enishi: {message}", file=sys.stderr)
    if status == 130:
        print("enishi: stopped", file=sys.stderr)
    return status


def _message_of(error: Exception) -> str:
    """One line for a person; empty where help was printed instead."""
    from pydantic import ValidationError

    from enishi.kernel.errors import EnishiError

    if hasattr(error, "format_message"):  # a usage error of the command line library
        if isinstance(error.__cause__, ValidationError):
            error.message = _misfit(error.__cause__)  # type: ignore[attr-defined]
        message = error.format_message().rstrip(".")
        stop = "" if message.endswith("?") else "."
        return " ".join(f"{message}{stop} See: enishi --help".split()) if message else ""
    if isinstance(error, EnishiError | OSError):
        return " ".join(str(error).split())
    fault = " ".join(f"{type(error).__name__}: {error}".split())
    return f"a fault of the program ({fault}); with ENISHI_TRACEBACK=1 it says where"


def _misfit(error: ValidationError) -> str:
    """What does not fit of what was typed, in our words."""
    from enishi.kernel.misfits import words_of

    first = error.errors(include_url=False)[0]
    if first["type"] == "value_error":  # what a choice says is said for people already
        return str(first["ctx"]["error"])
    return f"{first['input']!r} {words_of(first)}"


def main() -> NoReturn:
    """The `enishi` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal's narrow encoding must not stop it
    sys.exit(run())


if __name__ == "__main__":
    main()
