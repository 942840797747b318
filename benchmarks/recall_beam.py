"""What recall says of facts that were updated and of statements that contradict each other, on BEAM.

    python benchmarks/recall_beam.py
    python benchmarks/recall_beam.py --json

Each chat goes into a store of its own, the bundled rules read every turn, and each question about an
update or a contradiction is asked through `Relationship.recall`. Of the two statements that belong to
it: `newer` and `both` are how often the later one, and both of them, are among ten hits; `newer first`
is how often the later one comes before the earlier one, or alone, of those where one is found. `believed`
is how often a belief rests on either, which is what a mark of being current needs: `marked` is how
often then the later one is current and the earlier one is not.

The data is for evaluation only and stays in ../shared/data. Without it nothing is measured, and the
command says so and succeeds.
"""

from __future__ import annotations

import argparse
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Relationship
from enishi.kernel.rules import bundled_proposers

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "beam_100k"
KINDS = {
    "knowledge_update": ("original_info", "updated_info"),
    "contradiction_resolution": ("first_statement", "second_statement"),
}
_INDEX = re.compile(r"\s*->->\s*[\d, ]+\s*$")


class Answer(NamedTuple):
    """What was found of the two statements of one question; None where the later one is not told apart."""

    newer: bool
    both: bool
    first: bool | None
    believed: bool
    marked: bool | None


def recorded(bond: Relationship, chat: list[dict[str, Any]]) -> dict[int, int]:
    """Record a chat, message by message, ten minutes apart from each anchor on. The numbers by id."""
    at = datetime(2024, 1, 1, tzinfo=UTC)
    numbers: dict[int, int] = {}
    for batch in chat:
        for turn in batch["turns"]:
            for message in turn:
                if message.get("time_anchor"):
                    anchor = datetime.strptime(message["time_anchor"], "%B-%d-%Y")
                    at = max(at, anchor.replace(tzinfo=UTC))
                at += timedelta(minutes=10)
                words = _INDEX.sub("", message["content"])
                if message["role"] == "user":
                    opened = bond.turn(words, at=at)
                    numbers[message["id"]] = opened.view().messages[0].number
                else:
                    numbers[message["id"]] = opened.reply(words, at=at).number
    for proposer in bundled_proposers():
        bond.propose(None, proposer)
    return numbers


def asked(
    bond: Relationship, numbers: dict[int, int], question: dict[str, Any], names: tuple[str, str]
) -> Answer | None:
    """One question; None where the data does not say which messages are meant."""
    ids = question["source_chat_ids"]
    if not isinstance(ids, dict):
        return None
    older, newer = ({numbers[one] for one in ids.get(name, ()) if one in numbers} for name in names)
    if not older or not newer or older & newer:
        return None
    found = [one.number for one in bond.recall(question["question"], items=10, budget=10**6).found]
    places = [
        min((found.index(n) for n in some if n in found), default=None) for some in (older, newer)
    ]
    before, after = places
    beliefs = [(view, {span[0] for span in view.spans}) for view in bond.beliefs()]
    held = [view.status for view, texts in beliefs if texts & (older | newer)]
    current = [texts for view, texts in beliefs if view.status == "current"]
    marked = any(texts & newer for texts in current) and not any(t & older for t in current)
    first = None
    if before is not None or after is not None:
        first = after is not None and (before is None or after < before)
    return Answer(
        after is not None, None not in places, first, bool(held), marked if held else None
    )


def measured(folder: Path) -> dict[str, list[Answer]]:
    """All questions about updates and contradictions."""
    answers: dict[str, list[Answer]] = {kind: [] for kind in KINDS}
    for chat in sorted(path for path in folder.iterdir() if path.is_dir()):
        with (
            TemporaryDirectory() as store_folder,
            enishi.open(Path(store_folder) / "s.db", synchronous="NORMAL") as store,
        ):
            bond = store.relationship("assistant", "user")
            with store.transaction():
                numbers = recorded(bond, json.loads((chat / "chat.json").read_text("utf-8")))
            questions = json.loads((chat / "probing_questions.json").read_text("utf-8"))
            for kind, names in KINDS.items():
                for question in questions[kind]:
                    answer = asked(bond, numbers, question, names)
                    if answer is not None:
                        answers[kind].append(answer)
    return answers


def row_of(kind: str, answers: list[Answer]) -> dict[str, Any]:
    """The figures of one kind in per cent."""
    row: dict[str, Any] = {"what": kind, "questions": len(answers)}
    for name, values in zip(Answer._fields, zip(*answers, strict=True), strict=True):
        known = [value for value in values if value is not None]
        row[name] = round(100 * mean(known), 1) if known else None
    return row


def main() -> None:
    """Measure, then print the table or its JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.exists():
        print(f"{options.data} is not there; nothing was measured")
        return
    rows = [row_of(kind, answers) for kind, answers in measured(options.data).items()]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(title="Updates and contradictions on BEAM, per cent")
    for heading in rows[0]:
        table.add_column("newer first" if heading == "first" else heading)
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
