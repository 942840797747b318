"""How much of the evidence for LoCoMo's questions recall finds, beside FTS5 and BM25 in the same run.

    python benchmarks/recall_locomo.py            recall at 5 and 10, hit, MRR, ms per query
    python benchmarks/recall_locomo.py --json
    python benchmarks/recall_locomo.py --later 1095    asked so many days after the last session
    python benchmarks/recall_locomo.py --embedder none  without the arms of the extra `semantic`

Each conversation goes into a store of its own, one speaker as the user and the other as the agent,
and each question is asked through `Relationship.recall`, as shipped: thresholds, fading and all.
`foreign` is how many questions of other conversations find anything, with the names left out:
things of which nothing was ever said. `speaker` is, for the adversarial questions, how often the
first hit was said by the person who is asked about, which is where a wrong attribution begins.

The data is for evaluation only and stays in ../shared/data. Without it nothing is measured, and the
command says so and succeeds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from recall_arms import Arm, bm25, fts5, timed, vectors, words
from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Embedder, Relationship
from enishi.kernel.recording import Message, Reply
from enishi.packs.models.embedders import embedder_named

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "locomo" / "locomo6.json"
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_FOREIGN = 30


class Line(NamedTuple):
    """One line of a conversation."""

    id: str
    speaker: str
    words: str
    at: datetime


class Question(NamedTuple):
    """A question, the ids of its evidence, and its category."""

    text: str
    gold: frozenset[str]
    kind: int


def conversation(sample: dict[str, Any]) -> tuple[list[list[Line]], list[Question]]:
    """The sessions and the questions of a conversation; malformed ids of evidence are repaired."""
    talk = sample["conversation"]
    numbers = sorted(int(m[1]) for key in talk if (m := re.fullmatch(r"session_(\d+)", key)))
    sessions = []
    for number in numbers:
        when = talk[f"session_{number}_date_time"]
        start = datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        lines = []
        for place, turn in enumerate(talk[f"session_{number}"]):
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            at = start + timedelta(seconds=30 * place)
            lines.append(Line(turn["dia_id"], turn["speaker"], turn["text"] + image, at))
        sessions.append(lines)
    known = {line.id for lines in sessions for line in lines}
    questions = []
    for asked in sample["qa"]:
        found = re.findall(r"D:?(\d+):(\d+)", " ".join(asked.get("evidence", [])))
        gold = frozenset(f"D{int(a)}:{int(b)}" for a, b in found) & known
        if gold:
            questions.append(Question(asked["question"], gold, asked["category"]))
    return sessions, questions


def taken_in(bond: Relationship, sessions: list[list[Line]]) -> dict[int, str]:
    """Record the sessions: the agent's lines as replies. Returns the ids by number."""
    lines: dict[int, str] = {}
    for session in sessions:
        for said, reply in _turns(session, bond.agent):
            first = said[0] if said else reply
            assert first is not None
            heard = [Message(one.words, happened=enishi_moment(one.at)) for one in said]
            turn = bond.turn(heard, at=first.at)
            if reply is not None:
                turn.reply(Reply(reply.words, happened=enishi_moment(reply.at)))
            else:
                turn.abandon()
            view = turn.view()
            lines |= {text.number: one.id for text, one in zip(view.messages, said, strict=True)}
            if reply is not None and view.reply is not None:
                lines[view.reply.number] = reply.id
    return lines


def enishi_moment(at: datetime) -> Any:
    """A moment of the kernel."""
    from enishi.kernel.moments import Moment

    return Moment.of(at)


def _turns(session: list[Line], agent: str) -> Iterator[tuple[list[Line], Line | None]]:
    said: list[Line] = []
    for line in session:
        if line.speaker == agent:
            yield said, line
            said = []
        else:
            said.append(line)
    if said:
        yield said, None


class Scores:
    """What one arm reached."""

    def __init__(self) -> None:
        self.rows: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)
        self.times: list[float] = []
        self.speaker: list[bool] = []
        self.foreign: list[bool] = []

    def add(self, kind: int, gold: frozenset[str], found: Sequence[str], took: float) -> None:
        """One question."""
        first = next((1 / (n + 1) for n, one in enumerate(found[:10]) if one in gold), 0.0)
        at5, at10 = (len(gold & set(found[:n])) / len(gold) for n in (5, 10))
        self.rows[kind].append((at5, at10, float(bool(gold & set(found[:10]))), first))
        self.times.append(took)

    def over(self, kinds: Sequence[int]) -> list[float]:
        """recall@5, recall@10, hit@10 and MRR in per cent over these categories."""
        rows = [row for kind in kinds for row in self.rows[kind]]
        return [100 * mean(column) for column in zip(*rows, strict=True)]


def measured(
    samples: list[dict[str, Any]], later: int, embedder: Embedder | None
) -> dict[str, Scores]:
    """All arms over all conversations."""
    scores: dict[str, Scores] = defaultdict(Scores)
    names = {sample["conversation"][f"speaker_{one}"] for sample in samples for one in "ab"}
    every = [conversation(sample) for sample in samples]
    for place, (sample, (sessions, questions)) in enumerate(zip(samples, every, strict=True)):
        lines = [line for session in sessions for line in session]
        texts = [f"{line.speaker}: {line.words}" for line in lines]
        around = ["\n".join(texts[max(0, n - 1) : n + 2]) for n in range(len(texts))]
        now = lines[-1].at + timedelta(days=later)
        with (
            TemporaryDirectory() as folder,
            enishi.open(Path(folder) / "s.db", clock=lambda now=now: now) as store,  # type: ignore[misc]
            ExitStack() as stack,
        ):
            talk = sample["conversation"]
            bond = store.relationship(talk["speaker_a"], talk["speaker_b"])
            with store.transaction():
                numbers = taken_in(bond, sessions)
            position = {line.id: n for n, line in enumerate(lines)}

            def recall(
                query: str,
                most: int,
                bond: Any = bond,
                numbers: Any = numbers,
                position: Any = position,
            ) -> list[int]:
                found = bond.recall(query, items=most, budget=10**6).found
                return [position[numbers[one.number]] for one in found if one.number in numbers]

            recall("warm up", 1)
            arms: dict[str, Arm] = {"recall": recall}
            if embedder is not None:
                # The same file, asked by somebody who has an embedder.
                semantic = stack.enter_context(
                    enishi.open(Path(folder) / "s.db", clock=lambda now=now: now, embedder=embedder)  # type: ignore[misc]
                )
                with_it = semantic.relationship(talk["speaker_a"], talk["speaker_b"])
                with_it.embed()
                arms["recall with meaning"] = partial(recall, bond=with_it)
                arms["vectors"] = vectors(texts, embedder)
            arms |= {
                "FTS5": fts5(texts, words, "porter unicode61"),
                "FTS5 with neighbours": fts5(around, words, "porter unicode61"),
                "BM25": bm25(texts),
                "BM25 with neighbours": bm25(around),
            }
            for question in questions:
                for name, arm in arms.items():
                    found, took = timed(arm, question.text, 10)
                    scores[name].add(
                        question.kind, question.gold, [lines[n].id for n in found], took
                    )
                    if question.kind == 5 and found:
                        asked = next((n for n in names if n in question.text), None)
                        scores[name].speaker.append(lines[found[0]].speaker == asked)
            for other, (_, theirs) in enumerate(every):
                for question in (
                    theirs[:: max(1, len(theirs) // _FOREIGN)] if other != place else ()
                ):
                    nameless = re.sub("|".join(names), "they", question.text)
                    for name, arm in arms.items():
                        scores[name].foreign.append(bool(arm(nameless, 10)))
    return scores


def main() -> None:
    """Measure, then print the table or its JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--later", type=int, default=1, help="days after the last session")
    parser.add_argument("--embedder", default="auto", help="none, bundled, auto or 'URL MODEL'")
    options = parser.parse_args()
    if not options.data.exists():
        print(f"{options.data} is not there; nothing was measured")
        return
    embedder = embedder_named(options.embedder)
    scores = measured(json.loads(options.data.read_text("utf-8")), options.later, embedder)
    rows = []
    for name, one in scores.items():
        row = {"arm": name}
        row |= dict(
            zip(("recall@5", "recall@10", "hit@10", "MRR"), one.over((1, 2, 3, 4)), strict=True)
        )  # type: ignore[arg-type]
        row |= {f"{KINDS[kind]} @10": one.over((kind,))[1] for kind in KINDS}  # type: ignore[misc]
        row |= {"speaker": 100 * mean(one.speaker), "foreign": 100 * mean(one.foreign)}  # type: ignore[dict-item]
        row |= {"p50 ms": median(one.times), "p95 ms": quantiles(one.times, n=20)[-1]}  # type: ignore[dict-item]
        rows.append(row)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(title="Evidence found on LoCoMo, categories 1 to 4, per cent")
    for heading in rows[0]:
        table.add_column(heading, justify="left" if heading == "arm" else "right")
    for row in rows:
        table.add_row(*(one if isinstance(one, str) else f"{one:.1f}" for one in row.values()))
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
