"""What recall is compared with: SQLite's FTS5 and plain BM25, on the same texts in the same run."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from math import log
from time import perf_counter
from typing import Any

from enishi.projections.recall.vectors import Embedder
from enishi.projections.recall.words import split_query, terms

Arm = Callable[[str, int], list[int]]
"""Ranks texts by their positions for a query, best first, so many at most."""


def fts5(texts: Sequence[str], split: Callable[[str], list[str]], tokenizer: str) -> Arm:
    """FTS5 with its own bm25(), any of the query's words."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{tokenizer}')")
    rows = ((n, " ".join(split(text))) for n, text in enumerate(texts))
    connection.executemany("INSERT INTO t(rowid, x) VALUES(?,?)", rows)
    sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?"

    def ranked(query: str, most: int) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in sorted(set(split(query))))
        return [row for (row,) in connection.execute(sql, (words, most))] if words else []

    return ranked


def bm25(texts: Sequence[str], k1: float = 1.5, b: float = 0.75) -> Arm:
    """BM25 (Lucene's idf) over our own terms, each text by itself."""
    counted = [Counter(terms(text)) for text in texts]
    sizes = [sum(one.values()) for one in counted]
    mean = sum(sizes) / len(sizes)
    posted: dict[str, list[int]] = {}
    for place, one in enumerate(counted):
        for term in one:
            posted.setdefault(term, []).append(place)

    def ranked(query: str, most: int) -> list[int]:
        scores: Counter[int] = Counter()
        for term in split_query(query).words:
            found = posted.get(term, ())
            idf = log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for place in found:
                tf = counted[place][term]
                scores[place] += idf * tf / (tf + k1 * (1 - b + b * sizes[place] / mean))  # type: ignore[assignment]
        return sorted(scores, key=lambda place: (-scores[place], place))[:most]

    return ranked


def vectors(texts: Sequence[str], embedder: Embedder) -> Arm:
    """An embedder by itself: the nearest vectors by their cosines, each text whole and by itself."""
    import numpy as np

    def unit(some: Sequence[str]) -> np.ndarray[Any, Any]:
        found = np.asarray(embedder.embed(list(some)), np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    matrix = unit(texts)

    def ranked(query: str, most: int) -> list[int]:
        scores = matrix @ unit([query])[0]
        return [int(place) for place in np.argsort(-scores, kind="stable")[:most]]

    return ranked


def words(text: str) -> list[str]:
    """Words as FTS5's own tokenizer sees them."""
    return re.findall(r"\w+", text.lower())


def pairs(text: str) -> list[str]:
    """Words, and pairs of Chinese characters."""
    found = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[a-z0-9]+", text.lower()):
        wide = run >= "\u4e00" and len(run) > 1
        found += [run[n : n + 2] for n in range(len(run) - 1)] if wide else [run]
    return found


def timed(arm: Arm, query: str, most: int) -> tuple[list[int], float]:
    """What an arm finds, and in how many milliseconds."""
    start = perf_counter()
    found = arm(query, most)
    return found, 1000 * (perf_counter() - start)
