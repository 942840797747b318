"""How well the gate of recall tells what needs memory, and what it costs to ask.

    python benchmarks/gate_quality.py              precision and recall, both halves of the labels
    python benchmarks/gate_quality.py --misses     the disagreements of the half that was seen
    python benchmarks/gate_quality.py --json

The labels are benchmarks/labels/gate.jsonl, and the README beside them says how they were made.
Beside them stand the probing questions of BEAM (en) and MemoryBank (zh), which all ask for what was
said before, so that only recall can be counted; they are read from ../shared/data or --data and
left out where they are missing. Half of them, by the hash of the question, was looked at.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from enishi.projections.recall.gate import Gate, gate

_LABELS = Path(__file__).resolve().parent / "labels" / "gate.jsonl"
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_ROUNDS = 300
_NEED_NO_MEMORY = ("abstention", "instruction_following", "preference_following")
"""Of BEAM's questions those which anybody could be asked: what they need is pinned, or not there."""

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


def probing(data: Path) -> Iterator[tuple[str, str]]:
    """Source and text of questions that were written to be answered from memory."""
    for path in sorted(data.glob("beam_100k/*/probing_questions.json")):
        for ability, questions in json.loads(path.read_text("utf-8")).items():
            if ability not in _NEED_NO_MEMORY:
                yield from (("BEAM", one["question"]) for one in questions)
    for path in data.glob("memorybank/cn/probing_questions_cn.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            yield from (("MemoryBank", one) for asked in json.loads(line).values() for one in asked)


def opened_of_probing(data: Path) -> list[Json]:
    """How many questions open the gate, without any name being known."""
    answers: dict[tuple[str, str], list[bool]] = {}
    for source, question in probing(data):
        half = "held" if sha256(question.encode()).digest()[0] % 2 else "seen"
        answers.setdefault((half, source), []).append(gate(question).open)
    return [
        {"half": half, "language": source, "messages": len(opened), "precision": None}
        | {"recall": round(100 * sum(opened) / len(opened), 1)}
        for (half, source), opened in sorted(answers.items(), reverse=True)
    ]


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
    parser.add_argument("--data", type=Path, default=_DATA)
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
            rows.append(
                {"half": half, "language": lang} | scored(of, [answers[one["id"]] for one in of])
            )
    rows += opened_of_probing(options.data)
    closed = [one for one in labels if not answers[one["id"]].open]
    opened = [one for one in labels if answers[one["id"]].open]
    costs = {"closed": cost(closed, names), "open": cost(opened, names)}
    if options.json:
        print(json.dumps({"rows": rows, "microseconds": costs}, indent=1))
        return
    table = Table("half", "messages in", "messages", "precision %", "recall %")
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    Console().print(table)
    print(
        f"a closed gate costs {costs['closed']} µs of CPU (median), an open one {costs['open']} µs"
    )


if __name__ == "__main__":
    main()
