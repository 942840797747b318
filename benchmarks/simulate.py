"""Live whole lives for a while, with faults that are real, and print what was done and survived.

    python benchmarks/simulate.py --minutes 60
    python benchmarks/simulate.py --seed 17 --lives 1    one life again, as it was

Each life has a seed, printed where something that must be true was not, with the shortest plan
that still fails. That plan is written to `golden/lives`, where `pytest golden` lives it from then
on. Needs the folders `tests` and `golden` beside this one, and a system that can fork.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from lives import Operation, plan_of, written
from simulation import failure, live, shrunk

from enishi.kernel import fold

GOLDEN = Path(__file__).parent.parent / "golden" / "lives"
STEPS = (fold.CHUNK_TURNS, fold.CHECKPOINT_EVENTS)


def main() -> int:
    """Run until the time is over; 1 where anything that must be true was not."""
    options = _options()
    begun = monotonic()
    total: Counter[str] = Counter()
    failed = 0
    for seed in count(options.seed):
        minutes = (monotonic() - begun) / 60
        if minutes >= options.minutes or seed - options.seed == options.lives:
            break
        # In every other life snapshots and checkpoints are made after a few turns.
        fold.CHUNK_TURNS, fold.CHECKPOINT_EVENTS = STEPS if seed % 2 else (2, 1)
        plan = plan_of(seed, Random(seed).choice([30, 60, 120, 250]))
        try:
            total += live(seed, plan)
        except Exception as error:  # noqa: BLE001 - printed, with what makes it happen again
            failed += 1
            print(f"\nseed {seed} failed: {type(error).__name__}: {error}")
            traceback.print_tb(error.__traceback__, limit=-6, file=sys.stdout)
            if options.shrink:
                keep(seed, plan)
            sys.stdout.flush()
    print(
        f"\n{(monotonic() - begun) / 60:.1f} minutes from seed {options.seed} to before seed {seed}; "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )
    for name, number in total.most_common():
        print(f"{number:>10,}  {name}")
    print(f"{failed:>10,}  lives in which something that must be true was not")
    return min(1, failed)


def keep(seed: int, plan: Sequence[Operation]) -> None:
    """Make a failing life small, print it, and write it where it is lived from now on."""
    small = shrunk(seed, plan)
    for operation in small:
        print(f"  {operation}")
    if (way := failure(seed, small)) is None:
        print("  it does not fail every time: what a killed process had done by then is chance")
    path = GOLDEN / f"{seed}.json"
    path.write_text(written(seed, way or "once", small), "utf-8", newline="\n")
    print(f"  written to {path}: it is golden now")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first life")
    parser.add_argument("--lives", type=int, default=10**9, help="at most so many")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
