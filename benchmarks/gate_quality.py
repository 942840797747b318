"""How well the gate of recall tells what needs memory, and what it costs to ask.

    python benchmarks/gate_quality.py              precision and recall, both halves of the labels
    python benchmarks/gate_quality.py --misses     the disagreements of the half that was seen
    python benchmarks/gate_quality.py --json

The labels are benchmarks/labels/gate.jsonl, and the README beside them says how they were made.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from enishi.projections.recall.gate import Gate, gate

_LABELS = Path(__file__).resolve().parent / "labels" / "gate.jsonl"
_ROUNDS = 300

Json = dict[str, Any]


def messages() -> tuple[list[str], list[Json]]:
    """The names that are known in the labelled relationship, and the labelled messages."""
    lines = [json.loads(line) for line in _LABELS.read_text("utf-8").splitlines()]
    return lines[0]["header"]["names"], lines[1:]


def scored(labels: Sequence[Json], answers: Sequence[Gate]) -> Json:
    """Precision and recall of open gates in percent, and how many messages there are."""
    pairs = [(label["open"], answer.open) for label, answer in zip(labels, answers, strict=True)]
    right = pairs.count((True, True))
    opened, wanted = right + pairs.count((False, True)), right + pairs.count((True, False))
    return {
        "messages": len(pairs),
        "precision": round(100 * right / opened, 1) if opened else None,
        "recall": round(100 * right / wanted, 1) if wanted else None,
    }


def cost(labels: Sequence[Json], names: Sequence[str]) -> float:
    """Microseconds of CPU a message, the median over the messages of the best of several rounds."""
    costs = []
    for label in labels:
        text, best = label["text"], float("inf")
        for _ in range(5):
            began = time.process_time_ns()
            for _ in range(_ROUNDS):
                gate(text, names)
            best = min(best, (time.process_time_ns() - began) / _ROUNDS / 1000)
        costs.append(best)
    return round(statistics.median(costs), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names, labels = messages()
    answers = {label["id"]: gate(label["text"], names) for label in labels}
    if options.misses:
        for label in labels:
            answer = answers[label["id"]]
            if label["half"] == "seen" and answer.open is not label["open"]:
                print(label["id"], label["kind"], repr(label["text"]), answer.rule, sep="  ")
        return
    rows = []
    for half in ("seen", "held"):
        for lang in ("en", "zh"):
            of = [one for one in labels if one["half"] == half and one["lang"] == lang]
            rows.append({"half": half, "language": lang} | scored(of, [answers[one["id"]] for one in of]))
    closed = [one for one in labels if not answers[one["id"]].open]
    opened = [one for one in labels if answers[one["id"]].open]
    costs = {"closed": cost(closed, names), "open": cost(opened, names)}
    if options.json:
        print(json.dumps({"rows": rows, "microseconds": costs}, indent=1))
        return
    table = Table("half", "language", "messages", "precision %", "recall %")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)
    print(f"a closed gate costs {costs['closed']} µs of CPU (median), an open one {costs['open']} µs")


if __name__ == "__main__":
    main()
