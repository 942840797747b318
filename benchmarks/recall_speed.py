"""How long recall takes and what its index costs, beside a bare FTS5 in the same run.

    python benchmarks/recall_speed.py                1,000, 10,000 and 100,000 texts
    python benchmarks/recall_speed.py --sizes 1000

The texts are made of words whose frequencies fall as those of English do. `search` is the search
alone, `recall` the whole answer: pinned things, ranking, quotes and budget; all three by the processor's
time, since others may use the machine, and each with a transaction of its own. `upkeep` is what one
turn costs the index on the next reading, against two rows more in a bare FTS5, both committed.
`closed recall` is all of `Turn.recall` where the gate is closed, `looked up` where a question was, and
what it asks for had to be looked for in the index first.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Relationship
from enishi.kernel.stream import Stream
from enishi.projections.recall.corpus import corpus_of
from enishi.projections.recall.gate import gate
from enishi.projections.recall.index import index_of, keep_up
from enishi.projections.recall.search import Hit, look_up, search_texts
from enishi.projections.recall.words import split_query

NOW = datetime(2026, 3, 1, tzinfo=UTC)
_QUERIES = 200
_WORDS = 20_000


class Speech:
    """Texts of 12 words, drawn by Zipf's law from invented words."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        self._words = [
            "".join(self._random.choice(syllables) for _ in range(3)) + f"x{n:05}"[-3:]
            for n in range(_WORDS)
        ]
        self._weights = list(accumulate(1 / (n + 10) for n in range(_WORDS)))

    def text(self, words: int = 12) -> str:
        """One text."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))


def took(run: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Milliseconds of one run."""
    start = clock()
    run()
    return 1000 * (clock() - start)


def measured(size: int, folder: Path) -> dict[str, float]:
    """All figures for so many texts."""
    speech = Speech(size)
    texts = [speech.text() for _ in range(size)]
    floor = sqlite3.connect(folder / "floor.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL"):
        floor.execute(statement)
    floor.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    floor.execute("BEGIN")
    filling = took(
        lambda: floor.executemany("INSERT INTO t(rowid, x) VALUES(?,?)", enumerate(texts))
    )
    floor.execute("COMMIT")
    row: dict[str, float] = {"texts": size}
    with enishi.open(folder / "s.db", synchronous="NORMAL", clock=lambda: NOW) as store:
        bond = store.relationship("lumi", "chen")
        _record(bond, texts)
        building = took(lambda: keep_up(bond._stream))
        row |= {"build ms": building, "FTS5 build ms": filling}
        row |= {"bytes per text": _bytes(folder / "s.db") / size}
        row |= _queries(bond, floor, speech)
        row |= _upkeep(bond, floor, speech)
        closed = [took(lambda: gate("好的")) for _ in range(200)]
        row["closed gate us"] = 1000 * median(closed)
        row |= _closed(bond)
    floor.close()
    return row


def _record(bond: Relationship, texts: list[str]) -> None:
    for start in range(0, len(texts), 2000):
        with bond._stream.log.writing():
            for place in range(start, min(start + 2000, len(texts)), 2):
                at = NOW - timedelta(minutes=len(texts) - place)
                bond.record(texts[place], texts[place + 1], at=at)


def _bytes(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        sql = "SELECT sum(length(term) + length(data) + 12) FROM posting"
        return int(connection.execute(sql).fetchone()[0])


def _queries(bond: Relationship, floor: sqlite3.Connection, speech: Speech) -> dict[str, float]:
    sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10"
    stream = bond._stream
    times: dict[str, list[float]] = {"FTS5": [], "search": [], "recall": []}
    bond.recall("warm up")
    for _ in range(_QUERIES):
        query = speech.text(4)
        match = " OR ".join(f'"{word}"' for word in query.split())
        bare = partial(floor.execute, sql, (match,))
        times["FTS5"].append(took(lambda bare=bare: bare().fetchall(), process_time))  # type: ignore[misc]
        times["search"].append(took(partial(_searched, stream, query), process_time))
        times["recall"].append(took(partial(bond.recall, query), process_time))
    found = {}
    for name, each in times.items():
        found |= {f"{name} p50": median(each), f"{name} p95": quantiles(each, n=20)[-1]}
    return found


def _searched(stream: Stream, query: str) -> list[Hit]:
    """The search alone, in a transaction as the bare query has one."""
    with stream.reading():
        index = index_of(stream)
        return search_texts(look_up(corpus_of(stream, 0, index), index, split_query(query)), 10)


def _closed(bond: Relationship) -> dict[str, float]:
    """A whole recall behind a closed gate, and what it costs to look for what was spoken of."""
    found = {}
    for name, words in (("closed recall us", "好的"), ("looked up us", "who is it that sings?")):
        with bond.turn(words) as turn:
            found[name] = 1000 * median(took(turn.recall) for _ in range(50))
    return found


def _upkeep(bond: Relationship, floor: sqlite3.Connection, speech: Speech) -> dict[str, float]:
    """Per turn of two texts, over so many that the index is written several times."""
    turns, mine, theirs = 600, 0.0, 0.0
    for _ in range(turns):
        said, reply = speech.text(), speech.text()
        bond.record(said, reply)
        mine += took(lambda: keep_up(bond._stream))
        for text in (said, reply):
            theirs += took(lambda text=text: floor.execute("INSERT INTO t(x) VALUES(?)", (text,)))  # type: ignore[misc]
    return {"upkeep us": 1000 * mine / turns, "FTS5 insert us": 1000 * theirs / turns}


def print_columns(title: str, rows: Sequence[Mapping[str, float]]) -> None:
    """A table with one column for each number of texts."""
    table = Table(title=title)
    table.add_column("")
    for row in rows:
        table.add_column(f"{row['texts']:,}", justify="right")
    for name in rows[0]:
        if name != "texts":
            table.add_row(name, *(f"{row[name]:.2f}" for row in rows))
    Console().print(table)


def main() -> None:
    """Measure, then print the table or its JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for size in options.sizes:
        with TemporaryDirectory() as folder:
            rows.append(measured(size, Path(folder)))
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print_columns("Recall and its index, milliseconds unless said otherwise", rows)


if __name__ == "__main__":
    main()
