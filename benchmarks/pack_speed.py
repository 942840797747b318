"""How fast a relationship is carried: export and import beside a bare copy of the same rows.

    python benchmarks/pack_speed.py [--events 100000] [--rounds 3] [--json]

Each round copies the rows of one relationship with `INSERT … SELECT` into another file (the floor),
writes its pack, and takes that pack into an empty store. Memory is the growth of the process's
peak over what it was before, measured in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from material import EverySecond, exchanges

from enishi.host import open_store


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    with sqlite3.connect(target, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("ATTACH ? AS source", (str(source),))
        connection.execute(
            "CREATE TABLE record(id INTEGER PRIMARY KEY, type, header, hash, salt, payload)"
        )
        connection.execute("INSERT INTO record SELECT * FROM source.record")
    connection.close()


def _export(source: Path, pack: Path) -> None:
    with open_store(source) as store:
        store.relationships()[0].export(pack)


def _take(pack: Path, target: Path) -> None:
    for path in target.parent.glob(f"{target.name}*"):
        path.unlink()
    with open_store(target) as store:
        store.import_pack(pack)


def _peak(work: Callable[..., object], *paths: Path) -> int:
    """By how many bytes the peak memory of a process of its own grew."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_measured, args=(queue, work, paths))
    process.start()
    grown: int = queue.get()
    process.join()
    return grown


def _measured(queue: object, work: Callable[..., object], paths: tuple[Path, ...]) -> None:
    before = _high_water()
    work(*paths)
    queue.put(_high_water() - before)  # type: ignore[attr-defined]


def _high_water() -> int:
    """The largest memory that this process ever had (Linux; what a parent had is not in it)."""
    status = Path("/proc/self/status").read_text()
    (line,) = [row for row in status.splitlines() if row.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, target, pack = (Path(folder) / name for name in ("a.db", "b.db", "a.erii"))
        with open_store(source) as store:
            with store.transaction():
                bond = store.relationship("lumi", "chen")
                for said, reply, at in exchanges(wanted.events // 5):
                    bond.propose(bond.record(said, reply, at=at), EverySecond())
            bond.digests()  # checkpoints, as a store in use has them
        rounds = [
            (
                _timed(lambda: _copy(source, target)),
                _timed(lambda: _export(source, pack)),
                _timed(lambda: _take(pack, target)),
            )
            for _ in range(wanted.rounds)
        ]
        with sqlite3.connect(source) as connection:
            (raw,) = connection.execute(
                "SELECT sum(length(header) + length(salt) + length(payload)) FROM record"
            ).fetchone()
        connection.close()
        figures = {
            "events": wanted.events,
            "export_ratio": median(export / copy for copy, export, _ in rounds),
            "import_ratio": median(take / copy for copy, _, take in rounds),
            "packed": raw / pack.stat().st_size,
            "export_memory": _peak(_export, source, pack),
            "import_memory": _peak(_take, pack, target),
        }
    if wanted.json:
        print(json.dumps(figures))
        return
    print(f"{wanted.events:,} events; times over those of a bare copy of the rows")
    print(f"  export  {figures['export_ratio']:.1f}×, +{figures['export_memory'] / 2**20:.0f} MiB")
    print(f"  import  {figures['import_ratio']:.1f}×, +{figures['import_memory'] / 2**20:.0f} MiB")
    print(f"  the pack is {figures['packed']:.1f} times smaller than its records")


if __name__ == "__main__":
    main()
