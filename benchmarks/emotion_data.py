"""Utterances with an emotion label, read from ../shared/data, in three ways: good, bad, neither.

GoEmotions: the grouping of its authors; a comment counts where all its labels are of one group, and
none of the ambiguous one (surprise, curiosity …). MELD and CPED label the sentiment themselves;
EmoryNLP's seven emotions fall into joyful, peaceful, powerful; mad, sad, scared; and neutral.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal, NamedTuple

Label = Literal["positive", "negative", "neutral"]

_GO_GOOD = frozenset(
    [
        "admiration",
        "amusement",
        "approval",
        "caring",
        "desire",
        "excitement",
        "gratitude",
        "joy",
        "love",
        "optimism",
        "pride",
        "relief",
    ]
)
_GO_BAD = frozenset(
    [
        "anger",
        "annoyance",
        "disappointment",
        "disapproval",
        "disgust",
        "embarrassment",
        "fear",
        "grief",
        "nervousness",
        "remorse",
        "sadness",
    ]
)
_EMORY: dict[str, Label] = {
    **dict.fromkeys(("Joyful", "Peaceful", "Powerful"), "positive"),
    **dict.fromkeys(("Mad", "Sad", "Scared"), "negative"),
    "Neutral": "neutral",
}
_LABELS: dict[str, Label] = {one: one for one in ("positive", "negative", "neutral")}  # type: ignore[dict-item,misc]


class Labelled(NamedTuple):
    """One utterance, what it was labelled, and the show or thread that it is from."""

    text: str
    label: Label
    source: str = ""


def go_emotions(data: Path, part: str) -> list[Labelled]:
    """Reddit comments: `part` is train or dev. The placeholders for names are taken out."""
    folder = data / "goemotions" / "original"
    names = (folder / "labels.txt").read_text("utf-8").split()
    rows: list[Labelled] = []
    for line in (folder / f"{part}.tsv").read_text("utf-8").split("\n"):
        if line:
            text, numbers, _ = line.split("\t")
            if label := _grouped({names[int(number)] for number in numbers.split(",")}):
                bare = text.replace("[NAME]", " ").replace("[RELIGION]", " ")
                rows.append(Labelled(bare, label))
    return rows


def _grouped(names: set[str]) -> Label | None:
    if names <= _GO_GOOD:
        return "positive"
    if names <= _GO_BAD:
        return "negative"
    return "neutral" if names == {"neutral"} else None


def meld(data: Path, part: str) -> list[Labelled]:
    """Lines of a series: `part` is train or dev."""
    rows = _rows(data / "meld" / f"{part}_sent_emo.csv")
    return [Labelled(row["Utterance"], _LABELS[row["Sentiment"]]) for row in rows]


def emory(data: Path, part: str) -> list[Labelled]:
    """Lines of the same series, labelled otherwise: `part` is train or dev."""
    rows = _rows(data / "emorynlp" / f"emorynlp_{part}_final.csv")
    return [Labelled(row["Utterance"], _EMORY[row["Emotion"]]) for row in rows]


def cped(data: Path) -> list[Labelled]:
    """Chinese lines of several series; the part that is at hand is the one called valid."""
    rows = _rows(data / "cped" / "valid_split.csv")
    return [Labelled(row["Utterance"], _LABELS[row["Sentiment"]], row["TV_ID"]) for row in rows]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
