"""Which way English words lean, to the good or the bad: a linear model over words and pairs.

The weights are integers, so the answer is the same everywhere. They were learnt from the train part
of GoEmotions by `benchmarks/train_leaning.py`; leaning_en.NOTICE.txt names the source and licence.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

FILE = "leaning_en.tsv"
ALWAYS = "*"
"""The feature that every text has."""


class Leaning(NamedTuple):
    """How much speaks for good and for bad rather than for neither, in hundredths of log-odds."""

    good: int
    bad: int

    @property
    def apart(self) -> int:
        """How much more speaks for good than for bad."""
        return self.good - self.bad

    @property
    def valence(self) -> int:
        """-10000..10000, 0 where nothing speaks for either: a saturating curve over integers."""
        apart = self.apart
        return int(10_000 * apart / (abs(apart) + 150)) if apart else 0


class Model:
    """The weights, as one line of the file each: feature, good, bad."""

    def __init__(self, source: str) -> None:
        self.version = sha256(source.encode()).hexdigest()[:8]
        self._weights: dict[str, tuple[int, int]] = {}
        for line in source.splitlines():
            feature, good, bad = line.split("\t")
            self._weights[feature] = int(good), int(bad)
        self.always = Leaning(*self._weights.pop(ALWAYS, (0, 0)))

    def leaning(self, words: Iterable[str]) -> Leaning:
        """What the words of one sentence add."""
        weights = self._weights
        found = [weights[one] for one in features(words) if one in weights]
        return Leaning(sum(good for good, _ in found), sum(bad for _, bad in found))


def features(words: Iterable[str]) -> set[str]:
    """The words and the pairs of neighbouring words of a sentence."""
    found: set[str] = set()
    before = ""
    for word in words:
        if word in ("!", "?") or "a" <= word[0] <= "z" or word[0] >= "\u2600":
            found.add(word)
            if before:
                found.add(f"{before} {word}")
            before = word
        else:
            before = ""
    return found


@cache
def load() -> Model:
    """The bundled weights."""
    return Model(files("enishi.kernel.rules").joinpath(FILE).read_text("utf-8"))
