"""Taking turns: every side of a job runs once per round, next to the others, A B A B.

A machine is never quiet for long. What was measured in the same round met the same disk and the
same neighbours, so only ratios within a round are compared, and the median of them is shown.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter
from typing import Any

Run = Callable[[], int]
"""Does its work and returns how many units of it there were."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Units per second: by the clock on the wall, and by the processor time of this process and of
    those that it started and that have ended.
    """

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: `ours` against `other`. `aim` is the ratio wished for. It is the greater
    the better we do: our rate by theirs, or their amount by ours.
    """

    ours: str
    other: str
    aim: float | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """Sides that do the same work, by name, and which of them are compared.

    A `long` one is run in fewer rounds.
    """

    title: str
    unit: str
    sides: Mapping[str, Run]
    comparisons: tuple[Comparison, ...]
    long: bool = False


@dataclass(frozen=True, slots=True)
class Amounts:
    """Amounts of which less is better (bytes, milliseconds), by name, and which are compared."""

    title: str
    unit: str
    amounts: Mapping[str, float]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """One row of the table: medians over the rounds. `cpu` is None where amounts are compared."""

    job: str
    unit: str
    ours: str
    other: str
    our_value: float
    other_value: float
    ratio: float
    cpu: float | None
    aim: float | None

    @property
    def met(self) -> bool | None:
        """Whether the aim is met by the wall clock; None where there is no aim."""
        return None if self.aim is None else self.ratio >= self.aim


def results_of(job: Job | Amounts, rounds: int) -> list[Result]:
    """The rows of a job: what was measured already, or all its sides run in turns."""
    return _weighed(job) if isinstance(job, Amounts) else _measured(job, rounds)


def _weighed(job: Amounts) -> list[Result]:
    return [
        Result(
            job=job.title,
            unit=job.unit,
            ours=comparison.ours,
            other=comparison.other,
            our_value=job.amounts[comparison.ours],
            other_value=job.amounts[comparison.other],
            ratio=job.amounts[comparison.other] / job.amounts[comparison.ours],
            cpu=None,
            aim=comparison.aim,
        )
        for comparison in job.comparisons
    ]


def _measured(job: Job, rounds: int) -> list[Result]:
    """Run all sides of a job in turns and compare them. The first round warms up."""
    for run in job.sides.values():
        run()
    paces: dict[str, list[Pace]] = {name: [] for name in job.sides}
    for _ in range(rounds):
        for name, run in job.sides.items():
            paces[name].append(_paced(run))
    return [_compared(job, comparison, paces) for comparison in job.comparisons]


def _paced(run: Run) -> Pace:
    gc.collect()
    wall, cpu = perf_counter(), _processor_time()
    units = run()
    return Pace(units / (perf_counter() - wall), units / (_processor_time() - cpu))


def _processor_time() -> float:
    return sum(
        used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
    )


def _compared(job: Job, comparison: Comparison, paces: Mapping[str, list[Pace]]) -> Result:
    ours, other = paces[comparison.ours], paces[comparison.other]
    pairs = list(zip(ours, other, strict=True))
    return Result(
        job=job.title,
        unit=f"{job.unit} per s",
        ours=comparison.ours,
        other=comparison.other,
        our_value=median(pace.wall for pace in ours),
        other_value=median(pace.wall for pace in other),
        ratio=median(a.wall / b.wall for a, b in pairs),
        cpu=median(a.cpu / b.cpu for a, b in pairs),
        aim=comparison.aim,
    )


def peak_memory(work: Callable[..., object], *arguments: object) -> tuple[float, float]:
    """The peak memory of a process of its own in MiB, and how much of that the work took (Linux)."""
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    process = context.Process(target=_tell_peak, args=(found, work, arguments))
    process.start()
    before, peak = found.get()
    process.join()
    return peak / 2**20, (peak - before) / 2**20


def _tell_peak(found: Any, work: Callable[..., object], arguments: tuple[object, ...]) -> None:
    before = _high_water()
    work(*arguments)
    found.put((before, _high_water()))


def _high_water() -> int:
    """The largest memory that this process ever had; what its parent had is not in it."""
    status = Path("/proc/self/status").read_text("utf-8").splitlines()
    (line,) = [row for row in status if row.startswith("VmHWM")]
    return int(line.split()[1]) * 1024
