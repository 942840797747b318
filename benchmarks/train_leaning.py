"""Learn which way English words lean from the train part of GoEmotions; writes the shipped weights.

    python benchmarks/train_leaning.py [--data FOLDER] [--out FILE]

Multinomial logistic regression (good, bad, neither) over words and pairs of words, fitted by full
gradients with Adam from zero, so there is no chance in it; pruned to the features that matter
most, fitted again, and rounded to hundredths of log-odds. Needs NumPy (`enishi[bench]`). Another
NumPy may round a weight otherwise in the last place; what ships is the file.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from emotion_data import go_emotions
from numpy.typing import NDArray

from enishi.kernel.rules.leaning import ALWAYS, FILE, features
from enishi.kernel.words.feelings import load as feelings
from enishi.kernel.words.sentences import sentences

_CHECKOUT = Path(__file__).resolve().parents[1]
_DATA = _CHECKOUT.parent / "shared" / "data"

SELDOM = 3
"""A feature that fewer train texts have is left out."""
KEPT = 6000
PENALTY = 6.0
STEPS = 150
CLASSES = ("positive", "negative", "neutral")

Floats = NDArray[np.float64]
Rows = list[list[int]]


def main() -> None:
    """Fit, prune, fit again, round, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--out", type=Path, default=_CHECKOUT / "kernel" / "rules" / FILE)
    options = parser.parse_args()
    labelled = go_emotions(options.data, "train")
    texts = [_features(one.text) for one in labelled]
    classes = np.array([CLASSES.index(one.label) for one in labelled])
    seen = Counter(feature for text in texts for feature in text)
    names = sorted(feature for feature, count in seen.items() if count >= SELDOM)
    weights = _fitted(_rows(texts, names), classes, len(names))
    # What matters is far from the mean of its classes, and often there.
    apart = np.abs(weights[:-1] - weights[:-1].mean(1, keepdims=True)).max(1)
    weight = apart * np.sqrt([seen[name] for name in names])
    names = sorted(names[number] for number in np.argsort(-weight, kind="stable")[:KEPT])
    weights = _fitted(_rows(texts, names), classes, len(names))
    # Only what speaks for good or bad rather than for neither is kept.
    rounded = np.rint((weights[:, :2] - weights[:, 2:]) * 100).astype(int)
    lines = [f"{ALWAYS}\t{rounded[-1][0]}\t{rounded[-1][1]}"]
    lines += [
        f"{name}\t{good}\t{bad}"
        for name, (good, bad) in zip(names, rounded.tolist(), strict=False)
        if good or bad
    ]
    options.out.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines)} features from {len(texts)} texts, {options.out.stat().st_size} bytes")


def _features(text: str) -> Counter[str]:
    folded = feelings().fold(text)
    return Counter(
        feature
        for start, end in sentences(text)
        for feature in sorted(features(feelings().words(folded, start, end)))
    )


def _rows(texts: Sequence[Counter[str]], names: Sequence[str]) -> Rows:
    number = {name: at for at, name in enumerate(names)}
    return [
        [number[one] for one in text.elements() if one in number] + [len(names)] for text in texts
    ]


def _fitted(rows: Rows, classes: NDArray[np.int64], features: int) -> Floats:
    """The weights; the last row is that of the feature that every text has."""
    flat = np.concatenate([np.array(row) for row in rows])
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    begins = np.concatenate([[0], np.cumsum([len(row) for row in rows])[:-1]])
    wanted = np.eye(3)[classes]
    weights = np.zeros((features + 1, 3))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        odds = np.add.reduceat(weights[flat], begins, axis=0)
        chance = np.exp(odds - odds.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        wrong = chance - wanted
        sums = [np.bincount(flat, wrong[owner, one], features + 1) for one in range(3)]
        gradient = np.stack(sums, 1) + PENALTY * weights
        gradient[-1] -= PENALTY * weights[-1]
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * (1 - step / (STEPS + 1))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


if __name__ == "__main__":
    main()
