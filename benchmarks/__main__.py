"""Measure Enishi against bare floors and peers, and print one table of ratios.

    python -m benchmarks                     everything, in a quarter of an hour
    python -m benchmarks --quick             small sizes, in one minute
    python -m benchmarks --only verif --json
    python -m benchmarks --erii PATH         beside E.R.I.I. as well, of which a checkout lies at PATH

Needs the extra `bench`. An aim that is not met is marked; it never makes the command fail.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

from jobs import JOBS
from jobs.places import FULL_SIZE, QUICK, Place, Sizes
from measuring import Job, Result, results_of
from peer_erii import Erii, Unusable, load


def main() -> None:
    """Measure, then print the table or its JSON."""
    options = _options()
    sizes = QUICK if options.quick else FULL_SIZE
    try:
        erii = load(options.erii) if options.erii else None
    except Unusable as error:
        sys.exit(f"--erii: {error}")
    results = list(_results(sizes, options.only, erii, Console(stderr=True)))
    if options.json:
        rows = [{**asdict(result), "met": result.met} for result in results]
        print(json.dumps({"machine": _machine(), "sizes": asdict(sizes), "rows": rows}, indent=2))
    elif options.markdown:
        print(_markdown(results))
    else:
        console = Console(width=None if Console().is_terminal else 132)
        console.print(_table(results))
        console.print(
            "Ratio: our rate by theirs, or their amount by ours: more is better. Medians over the "
            "rounds; an aim is for the wall clock.\n"
            + " · ".join(f"{name}: {value}" for name, value in _machine().items())
        )


def _results(sizes: Sizes, only: str, erii: Erii | None, console: Console) -> Iterator[Result]:
    with TemporaryDirectory() as shared:
        for make in JOBS:
            if only not in make.__name__:
                continue
            with (
                console.status(make.__name__.replace("_", " ")),
                TemporaryDirectory() as folder,
                ExitStack() as opened,
            ):
                job = make(Place(Path(folder), Path(shared), opened, erii), sizes)
                long = isinstance(job, Job) and job.long
                yield from results_of(job, sizes.long_rounds if long else sizes.rounds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, for a first look")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--markdown", action="store_true", help="print a table for a page")
    names = ", ".join(make.__name__ for make in JOBS)
    parser.add_argument("--only", default="", metavar="WORD", help=f"some jobs of: {names}")
    parser.add_argument(
        "--erii",
        type=Path,
        metavar="PATH",
        help="measure beside E.R.I.I., whose package lies there",
    )
    return parser.parse_args()


def _table(results: Sequence[Result]) -> Table:
    table = Table(title="Enishi against floors and peers")
    for heading in ("what", "we", "against"):
        table.add_column(heading, overflow="fold")
    for heading in ("ours", "theirs", "ratio", "CPU", "aim", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    job = ""
    for result in results:
        if result.job != job:
            table.add_section()
        table.add_row(
            "" if result.job == job else f"{result.job} ({result.unit})",
            result.ours,
            result.other,
            _value(result.our_value),
            _value(result.other_value),
            _ratio(result.ratio),
            "–" if result.cpu is None else _ratio(result.cpu),
            "–" if result.aim is None else _ratio(result.aim),
            {None: "", True: "[green]met[/]", False: "[red]missed[/]"}[result.met],
        )
        job = result.job
    return table


def _markdown(results: Sequence[Result]) -> str:
    machine = " · ".join(f"{name}: {value}" for name, value in _machine().items())
    lines = [
        f"{machine}\n",
        "| what | we | against | ours | theirs | ratio | CPU | aim | |",
        "|---|---|---|--:|--:|--:|--:|--:|---|",
    ]
    job = ""
    for result in results:
        cells = (
            "" if result.job == job else f"{result.job} ({result.unit})",
            result.ours,
            result.other,
            _value(result.our_value),
            _value(result.other_value),
            f"**{_ratio(result.ratio)}**",
            "" if result.cpu is None else _ratio(result.cpu),
            "" if result.aim is None else _ratio(result.aim),
            {None: "", True: "met", False: "missed"}[result.met],
        )
        lines.append(f"| {' | '.join(cells)} |")
        job = result.job
    return "\n".join(lines)


def _value(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _ratio(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"


def _machine() -> dict[str, str]:
    return {
        "machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
    }


def _processor() -> str:
    """The processor's name where the system tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
