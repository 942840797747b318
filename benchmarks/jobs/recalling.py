"""Recalling: how long an answer takes, beside the bare query of a full-text index."""

from __future__ import annotations

from meaning_speed import measured as meaning_measured
from measuring import Amounts, Comparison
from recall_speed import measured as recall_measured

from jobs.places import Place, Sizes


def recalls(place: Place, sizes: Sizes) -> Amounts:
    """Search, the whole answer, and what a turn costs the index; each beside FTS5 itself."""
    amounts: dict[str, float] = {}
    comparisons: list[Comparison] = []
    for size in sizes.remembered:
        folder = place.folder / str(size)
        folder.mkdir()
        found = recall_measured(size, folder)
        amounts |= {f"{name}, {size:,}": value for name, value in found.items()}
        for ours, other, aim in (
            ("search p50", "FTS5 p50", 0.5),
            ("search p95", "FTS5 p95", 0.5),
            ("recall p50", "FTS5 p50", None),
            ("recall p95", "FTS5 p95", None),
            ("upkeep us", "FTS5 insert us", 0.5),
        ):
            comparisons.append(Comparison(f"{ours}, {size:,}", f"{other}, {size:,}", aim))
    return Amounts("recall among so many texts", "ms", amounts, tuple(comparisons))


def meanings(place: Place, sizes: Sizes) -> Amounts:
    """The same with vectors: what the search makes of them, beside the bare product of all of them
    with that of the query; and a whole recall with and without it.
    """
    amounts: dict[str, float] = {}
    comparisons: list[Comparison] = []
    for size in sizes.remembered:
        folder = place.folder / f"{size} vectors"
        folder.mkdir()
        found = meaning_measured(size, folder)
        for ours, other, aim in (
            ("near p50", "dot p50", 0.5),
            ("near p95", "dot p95", 0.5),
            ("both p50", "words p50", None),
            ("both p95", "words p95", None),
        ):
            amounts |= {f"{name}, {size:,}": found[name] for name in (ours, other)}
            comparisons.append(Comparison(f"{ours}, {size:,}", f"{other}, {size:,}", aim))
    return Amounts("recall by meaning among so many texts", "ms", amounts, tuple(comparisons))
