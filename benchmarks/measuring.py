"""Taking turns: every side of a job runs once per round, next to the others, A B A B.

A machine is never quiet for long. What was measured in the same round met the same disk and the
same neighbours, so only ratios within a round are compared, and the median of them is shown.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

Run = Callable[[], int]
"""Does its work and returns how many units of it there were."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Units per second: by the clock on the wall, and by the processor time of this process."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: the rate of `ours` against that of `other`. `aim` is the wished ratio."""

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
class Result:
    """One row of the table. The ratios are medians over the rounds, and so are the paces."""

    job: str
    unit: str
    ours: str
    other: str
    our_pace: Pace
    other_pace: Pace
    ratio: Pace
    aim: float | None

    @property
    def met(self) -> bool | None:
        """Whether the aim is met by the wall clock; None where there is no aim."""
        return None if self.aim is None else self.ratio.wall >= self.aim


def measured(job: Job, rounds: int) -> list[Result]:
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
    wall, cpu = perf_counter(), process_time()
    units = run()
    return Pace(units / (perf_counter() - wall), units / (process_time() - cpu))


def _compared(job: Job, comparison: Comparison, paces: Mapping[str, list[Pace]]) -> Result:
    ours, other = paces[comparison.ours], paces[comparison.other]
    ratios = [Pace(a.wall / b.wall, a.cpu / b.cpu) for a, b in zip(ours, other, strict=True)]
    return Result(
        job=job.title,
        unit=job.unit,
        ours=comparison.ours,
        other=comparison.other,
        our_pace=_median(ours),
        other_pace=_median(other),
        ratio=_median(ratios),
        aim=comparison.aim,
    )


def _median(paces: list[Pace]) -> Pace:
    return Pace(median(pace.wall for pace in paces), median(pace.cpu for pace in paces))
