"""How long searching by meaning takes and what its vectors cost, beside a bare dot product in the same run.

    python benchmarks/meaning_speed.py                1,000, 10,000 and 100,000 texts
    python benchmarks/meaning_speed.py --sizes 1000

The vectors are random, of 512 dimensions, ten texts in a row about the same, so that no embedder is
timed: `dot` is the matrix of all texts times a query and nothing else, `near` what the search makes of
it (calibrated, with neighbours, per branch, the best picked out), `words` and `both` are a whole recall
without and with it. `load` is opening the vectors again. `embed` is the bundled embedder's time for a
text of 12 words, where it is installed.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from recall_speed import NOW, Speech, print_columns, took

import enishi
from enishi.host import Embedder, Relationship
from enishi.packs.models.embedders import bundled_embedder, is_installed
from enishi.projections.recall import meaning
from enishi.projections.recall.corpus import corpus_of
from enishi.projections.recall.index import index_of

_DIMS = 512
_QUERIES = 40


def random_embedder(texts: list[str]) -> Embedder:
    """Vectors of these texts in which ten in a row have much in common, as have everyday pairs."""
    chance = np.random.default_rng(len(texts))
    topics = chance.normal(size=(len(texts) // 10 + 200, _DIMS))
    table = files("enishi.projections.recall").joinpath("everyday.tsv").read_text("utf-8")
    topic = {text: n // 10 for n, text in enumerate(texts)}
    for n, line in enumerate(table.splitlines(), start=len(texts) // 10 + 1):
        topic |= dict.fromkeys(line.split("\t"), n)

    def embed(some: list[str]) -> Any:
        noise = chance.normal(size=(len(some), _DIMS))
        return noise + np.array([topics[topic[text]] if text in topic else 0 for text in some])

    return Embedder("random 1", embed)


def measured(size: int, folder: Path) -> dict[str, float]:
    """All figures for so many texts."""
    speech = Speech(size)
    texts = list(dict.fromkeys(speech.text() for _ in range(size + size // 50)))[:size]
    embedder = random_embedder(texts)
    path = folder / "s.db"
    with enishi.open(path, synchronous="NORMAL", clock=lambda: NOW) as store:
        bond = store.relationship("lumi", "chen")
        for start in range(0, size, 2000):
            with store.transaction():
                for place in range(start, min(start + 2000, size - 1), 2):
                    at = NOW - timedelta(minutes=size - place)
                    bond.record(texts[place], texts[place + 1], at=at)
        words = _times(lambda: bond.recall(speech.text(4)))
    row: dict[str, float] = {"texts": size}
    with enishi.open(path, synchronous="NORMAL", clock=lambda: NOW, embedder=embedder) as store:
        bond = store.relationships()[0]
        row["making, ms a text"] = took(bond.embed) / size
    row["bytes a vector"] = _bytes(path)
    with enishi.open(path, synchronous="NORMAL", clock=lambda: NOW, embedder=embedder) as store:
        bond = store.relationships()[0]
        bond.recall("warm up")
        row["load, ms"] = _loading(bond, embedder)
        row |= _searching(bond, embedder)
        both = _times(lambda: bond.recall(speech.text(4)))
    for name, times in (("words", words), ("both", both)):
        row |= {f"{name} p50": median(times), f"{name} p95": quantiles(times, n=20)[-1]}
    return row


def _times(run: Callable[[], object]) -> list[float]:
    run()
    return [took(run) for _ in range(_QUERIES)]


def _loading(bond: Relationship, embedder: Embedder) -> float:
    stream = bond._stream
    vectors = meaning.Vectors(stream, embedder)
    with stream.reading():
        return took(vectors.catch_up)


def _searching(bond: Relationship, embedder: Embedder) -> dict[str, float]:
    stream = bond._stream
    times: dict[str, list[float]] = {"dot": [], "near": []}
    with stream.reading():
        corpus = corpus_of(stream, 0, index_of(stream))
        vectors = meaning.vectors_of(stream, embedder)
        matrix = vectors.matrix[: vectors.rows]
        spent = {"dot": 0.0, "near": 0.0}
        for n in range(_QUERIES):
            asked = meaning.unit(np.random.default_rng(n).normal(size=_DIMS).astype(np.float32))

            def near(asked: meaning.Floats = asked) -> None:
                found = vectors.near(asked, corpus)
                assert found is not None and found.best(32)

            def dot(asked: meaning.Floats = asked) -> None:
                matrix @ asked

            for name, run in {"near": near, "dot": dot}.items():
                start = process_time()
                times[name].append(took(run))
                spent[name] += process_time() - start
    found = {}
    for name, each in times.items():
        found |= {f"{name} p50": median(each), f"{name} p95": quantiles(each, n=20)[-1]}
    ratio = median(times["near"]) / median(times["dot"])
    return found | {"near / dot": ratio, "near / dot, CPU": spent["near"] / spent["dot"]}


def _bytes(path: Path) -> float:
    with sqlite3.connect(path) as connection:
        sql = "SELECT avg(length(data) + length(hash) + length(model) + 8) FROM vector"
        return float(connection.execute(sql).fetchone()[0])


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
    if is_installed():
        embedder, speech = bundled_embedder(), Speech(1)
        some = [speech.text() for _ in range(200)]
        for row in rows:
            row["embed, ms"] = median(
                took(lambda text=text: embedder.embed([text])) for text in some
            )  # type: ignore[misc]
            row["embed 32, ms each"] = took(lambda: embedder.embed(some[:32])) / 32
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print_columns("Searching by meaning, milliseconds unless said otherwise", rows)


if __name__ == "__main__":
    main()
