"""How much of what a text speaks of was spoken of just before: shared words, and no model.

English words count by their stems, Chinese by pairs of neighbouring characters; words that stand
in any conversation count for nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from enishi.kernel.words.carried import content_words, is_wide, stems

NEAR = 2
"""So many texts right before count in full, older ones half."""

_SHORTEST = 3
_READ = 2000
"""Code points of a text that are looked at."""


def topic_words(text: str) -> frozenset[str]:
    """What a text speaks of, in a form that can be compared."""
    words = content_words(text[:_READ])
    wide = {word for word in words if is_wide(word)}
    narrow = stems(word for word in words - wide if len(word) >= _SHORTEST)
    return frozenset((wide | narrow) - _common())


def cohesion(before: Sequence[frozenset[str]], words: frozenset[str]) -> int:
    """The share of words that stand in the texts before, the latest last, from 0 to 10000."""
    if not words:
        return 0
    near = frozenset().union(*before[-NEAR:])
    far = frozenset().union(*before[:-NEAR]) - near
    return (2 * len(words & near) + len(words & far)) * 10_000 // (2 * len(words))


@cache
def _common() -> frozenset[str]:
    path = files("enishi.kernel.words") / "cohesion.toml"
    tables = tomllib.loads(path.read_text("utf-8"))
    return frozenset(stems(tables["english"])) | frozenset(tables["chinese"])
