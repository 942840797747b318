"""What a store costs: opening it again, and seeing that it is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from bare import connect, scan
from material import EveryKind
from measuring import Comparison, Job, Run

import enishi
from enishi.kernel.verification import verify_line
from jobs.places import PLAIN, Place, Sizes, opened_log, read_rapport


def openings(place: Place, sizes: Sizes) -> Job:
    """Open a relationship of which checkpoints are kept and read rapport, beside bare openings:
    one that counts the rows, and one that reads a single row.
    """
    sides: dict[str, Run] = {}
    comparisons: list[Comparison] = []
    for events in sizes.opened:
        path, size = place.kept(events, EveryKind), f"{events:,}"
        sides |= {
            f"rapport() of {size}": partial(_repeated, partial(read_rapport, path)),
            f"count(*) of {size}": partial(_repeated, partial(_ask_bare, path, "count(*)")),
            f"max(id) of {size}": partial(_repeated, partial(_ask_bare, path, "max(id)")),
        }
        ours, *others = list(sides)[-3:]
        comparisons += [Comparison(ours, others[0], 1 / 5), Comparison(ours, others[1])]
    return Job("open again", "openings", sides, tuple(comparisons), long=True)


def verifications(place: Place, sizes: Sizes) -> Job:
    """Every hash, commitment and byte; and, as `verify` does, the projections, too."""
    path = place.history(sizes.history)

    def whole() -> int:
        with enishi.open(path, read_only=True) as store:
            found = store.relationship("lumi", "chen", create=False).verify()
        assert found.ok, found.problems
        return found.length

    def chain() -> int:
        with opened_log(path) as log:
            found = verify_line(log, log.lines()[0])
        assert found.ok, found.problems
        return found.length

    return Job(
        "verify a history",
        "records",
        {"verify()": whole, "its chain alone": chain, PLAIN: lambda: scan(path, decode=False)},
        (Comparison("verify()", PLAIN, 0.3), Comparison("its chain alone", PLAIN, 0.3)),
        long=True,
    )


def _repeated(work: Callable[[], object], times: int = 5) -> int:
    for _ in range(times):
        work()
    return times


def _ask_bare(path: Path, what: str) -> None:
    with closing(connect(path)) as plain:
        plain.execute(f"SELECT {what} FROM record").fetchone()
