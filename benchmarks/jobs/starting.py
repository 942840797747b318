"""What it costs to be there: starting, waiting, and room on the disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from material import EveryKind
from measuring import Amounts, Comparison, Job

import enishi
from jobs.places import Place, Sizes

STARTS = 5


def starts(place: Place, sizes: Sizes) -> Job:
    """The command that prints its version, and the import of the package, in new processes."""
    command = Path(sys.executable).parent / "enishi"
    typer, pydantic = ("python -c 'import typer'", "python -c 'import pydantic'")
    return Job(
        "start",
        "starts",
        {
            "enishi --version": lambda: _started([str(command), "--version"]),
            typer: lambda: _started([sys.executable, "-c", "import typer"]),
            "import enishi": lambda: _started([sys.executable, "-c", "import enishi"]),
            pydantic: lambda: _started([sys.executable, "-c", "import pydantic"]),
        },
        (Comparison("enishi --version", typer, 1 / 1.5), Comparison("import enishi", pydantic)),
        long=True,
    )


def _started(command: Sequence[str]) -> int:
    for _ in range(STARTS):
        subprocess.run(command, check=True, capture_output=True)
    return STARTS


_RESIDENT = """
with open("/proc/self/status", encoding="utf-8") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmRSS")))
"""
_OURS = "import sys, enishi; s = enishi.open(sys.argv[1]); s.relationship('lumi', 'chen').rapport()"
_BARE = "import sys, sqlite3, msgpack; sqlite3.connect(sys.argv[1]).execute('SELECT 1').fetchone()"


def idle_memory(place: Place, sizes: Sizes) -> Amounts:
    """What a process holds that has opened a store, asked for rapport and waits (Linux)."""
    path = place.kept(sizes.history)
    amounts = {
        "an open store": _resident(_OURS, path),
        "sqlite3 and msgpack": _resident(_BARE, path),
        "import pydantic": _resident("import pydantic", path),
    }
    comparisons = tuple(
        Comparison("an open store", other) for other in ("sqlite3 and msgpack", "import pydantic")
    )
    return Amounts(
        f"memory of an idle store, {sizes.history:,} events", "MiB", amounts, comparisons
    )


def _resident(program: str, path: Path) -> float:
    command = [sys.executable, "-c", program + _RESIDENT, str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(told) / 1024


def disk(place: Place, sizes: Sizes) -> Amounts:
    """The file beside the payloads in it: as it is written, and with all that is kept and indexed."""
    written = place.history(sizes.history, EveryKind)
    with closing(sqlite3.connect(written)) as plain:
        (payloads,) = plain.execute("SELECT sum(length(payload)) FROM record").fetchone()
    before = written.stat().st_size
    with enishi.open(written) as store:
        bond = store.relationship("lumi", "chen", create=False)
        bond.digests()
        bond.recall("Do you remember the rain?")
    amounts = {
        "the file": before / 2**20,
        "with all that is kept": written.stat().st_size / 2**20,
        "its payloads": payloads / 2**20,
    }
    return Amounts(
        f"bytes on disk, {sizes.history:,} events",
        "MiB",
        amounts,
        (
            Comparison("the file", "its payloads", 1 / 2.2),
            Comparison("with all that is kept", "its payloads", 1 / 2.2),
        ),
    )
