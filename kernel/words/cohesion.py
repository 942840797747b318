"""How much of what a text speaks of was spoken of just before: shared words, and no model.

English words count by their stems, Chinese by pairs of neighbouring characters; words that stand
in any conversation count for nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from operator import add
from typing import NamedTuple

from enishi.kernel.words.carried import stems

NEAR = 2
"""So many texts right before count in full, older ones half."""

_READ = 2000
"""Code points of a text that are looked at."""

_WIDE = "\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af"


class _Tables(NamedTuple):
    word: re.Pattern[str]
    wide: re.Pattern[str]
    common: frozenset[str]
    pairs: frozenset[str]


def topic_words(text: str) -> frozenset[str]:
    """What a text speaks of, in a form that can be compared."""
    return _topic_words(text[:_READ])


@lru_cache(maxsize=256)
def _topic_words(text: str) -> frozenset[str]:
    """Kept for as many texts as are read together: each is compared with several others."""
    tables = _tables()
    text = text.lower().replace("’", "'")
    found = stems(set(tables.word.findall(text)) - tables.common)
    for run in () if text.isascii() else tables.wide.findall(text):
        found.update(map(add, run, run[1:]))
    return frozenset(found - tables.pairs)


def cohesion(before: Sequence[frozenset[str]], words: frozenset[str]) -> int:
    """The share of words that stand in the texts before, the latest last, from 0 to 10000."""
    if not words:
        return 0
    near = frozenset().union(*before[-NEAR:])
    far = frozenset().union(*before[:-NEAR]) - near
    return (2 * len(words & near) + len(words & far)) * 10_000 // (2 * len(words))


@cache
def _tables() -> _Tables:
    path = files("enishi.kernel.words") / "cohesion.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    return _Tables(
        word=re.compile("[a-z]{3,}(?:'[a-z]+)?"),
        wide=re.compile(f"(?:(?![{table['function']}])[{_WIDE}]){{2,}}"),
        common=frozenset(table["english"]),
        pairs=frozenset(table["chinese"]),
    )
