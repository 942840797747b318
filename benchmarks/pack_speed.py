"""How fast a relationship is carried: export and import beside a bare copy of the same rows.

    python benchmarks/pack_speed.py [--events 100000] [--rounds 3] [--every-kind] [--json]

Each round copies the rows of one relationship into another file, writes its pack, and takes that
pack into an empty store. There are two floors: the rows copied within SQLite (`INSERT … SELECT`),
and the same rows read and written through Python's `sqlite3`. Memory is the peak of a process of
its own, and by how much that is more than it was before the work.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from material import EveryKind, EverySecond, exchanges
from measuring import peak_memory

from enishi.host import open_store


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _emptied(target: Path) -> sqlite3.Connection:
    for path in target.parent.glob(f"{target.name}*"):
        path.unlink()
    connection = sqlite3.connect(target, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(
        "CREATE TABLE record(id INTEGER PRIMARY KEY, type, header, hash, salt, payload)"
    )
    return connection


def copy_within(source: Path, target: Path) -> None:
    """Copy the rows of a store into an empty file, within SQLite."""
    connection = _emptied(target)
    connection.execute("ATTACH ? AS source", (str(source),))
    connection.execute("INSERT INTO record SELECT * FROM source.record")
    connection.close()


def copy_through(source: Path, target: Path) -> None:
    """Copy the rows of a store into an empty file, each read and written by the program."""
    connection, other = _emptied(target), sqlite3.connect(source)
    connection.execute("BEGIN")
    rows = other.execute("SELECT * FROM record")
    connection.executemany("INSERT INTO record VALUES(?,?,?,?,?,?)", rows)
    connection.execute("COMMIT")
    other.close()
    connection.close()


def export(source: Path, pack: Path) -> None:
    """Write the pack of the first relationship of a store."""
    with open_store(source) as store:
        store.relationships()[0].export(pack)


def take(pack: Path, target: Path) -> None:
    """Take a pack into an empty store."""
    for path in target.parent.glob(f"{target.name}*"):
        path.unlink()
    with open_store(target) as store:
        store.import_pack(pack)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every-kind", action="store_true", help="something for every projection")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, target, pack = (Path(folder) / name for name in ("a.db", "b.db", "a.erii"))
        finder = EveryKind() if wanted.every_kind else EverySecond()
        with open_store(source) as store:
            with store.transaction():
                bond = store.relationship("lumi", "chen")
                for said, reply, at in exchanges(wanted.events // 5):
                    bond.propose(bond.record(said, reply, at=at), finder)
            bond.digests()  # checkpoints, as a store in use has them
            decided = len(bond.decisions())
        rounds = [
            (
                _timed(lambda: copy_within(source, target)),
                _timed(lambda: copy_through(source, target)),
                _timed(lambda: export(source, pack)),
                _timed(lambda: take(pack, target)),
            )
            for _ in range(wanted.rounds)
        ]
        with sqlite3.connect(source) as connection:
            (raw,) = connection.execute(
                "SELECT sum(length(header) + length(salt) + length(payload)) FROM record"
            ).fetchone()
        connection.close()
        figures: dict[str, Any] = {
            "events": wanted.events,
            "decisions": decided,
            "seconds": median(within for within, _, _, _ in rounds),
            "packed": raw / pack.stat().st_size,
        }
        for name, place, work, paths in (
            ("export", 2, export, (source, pack)),
            ("import", 3, take, (pack, target)),
        ):
            peak, grown = peak_memory(work, *paths)
            figures[name] = {
                "within": median(row[place] / row[0] for row in rounds),
                "through": median(row[place] / row[1] for row in rounds),
                "peak": peak,
                "grown": grown,
            }
    if wanted.json:
        print(json.dumps(figures))
        return
    print(
        f"{wanted.events:,} events, {decided:,} decisions; times over those of copying the same rows"
        f" within SQLite ({figures['seconds']:.2f} s), and through sqlite3"
    )
    for name in ("export", "import"):
        one = figures[name]
        print(
            f"  {name}  {one['within']:.1f}×, {one['through']:.1f}×;"
            f" peak {one['peak']:.0f} MiB, +{one['grown']:.0f} MiB"
        )
    print(f"  the pack is {figures['packed']:.1f} times smaller than its records")


if __name__ == "__main__":
    main()
