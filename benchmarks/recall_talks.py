"""What recall brings along in talks: at the opening of a session, and when the user refers back.

    python benchmarks/recall_talks.py              how many are found, both halves of the labels
    python benchmarks/recall_talks.py --misses     those of the half that was seen that are not
    python benchmarks/recall_talks.py --json

Each talk goes into a store of its own, the bundled rules read every turn, and the message at hand is
asked through `Turn.recall`, as shipped: the gate, five items, a budget of 800 tokens. A thing counts as
found if the text that is meant, or something that was made of it, is among what is offered. `never`
are old small talk that came along. The labels are benchmarks/labels/openings.jsonl and referred.jsonl,
and the README beside them says how they were made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Relationship
from enishi.kernel.rules import bundled_proposers
from enishi.projections.recall.items import Recall

LABELS = Path(__file__).resolve().parent / "labels"
NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)

Json = dict[str, Any]


class Asked(NamedTuple):
    """One message that was asked, whether what it is about was found, and small talk that came along."""

    kind: str
    lang: str
    half: str
    words: str
    wanted: tuple[str, ...]
    found: bool
    never: bool


def labelled(name: str) -> list[Json]:
    """The labels of a file beside this one, without their header."""
    lines = (LABELS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def recorded(bond: Relationship, sessions: list[Json]) -> None:
    """Record a talk, a turn every ten minutes from seven in the evening on, and let the rules read it."""
    for session in sessions:
        begun = NOW - timedelta(days=session["days"]) + timedelta(hours=11)
        for place, (said, reply) in enumerate(session["turns"]):
            turn = bond.record(said, reply, at=begun + timedelta(minutes=10 * place))
            for proposer in bundled_proposers():
                bond.propose(turn, proposer)


def asked(bond: Relationship, words: str) -> Recall:
    """What is offered for this message, which is taken back afterwards."""
    turn = bond.turn(words)
    found = turn.recall()
    turn.abandon()
    bond.withdraw(turn.number)
    return found


def offers(bond: Relationship, found: Recall, wanted: tuple[str, ...]) -> bool:
    """Whether a text with any of these words is offered, or what was made of it."""
    sources = {quote.text for item in found.items for quote in item.sources}
    texts = (text for turn in bond.turns() for text in (*turn.messages, turn.reply))
    return any(
        text.number in sources.union(found.numbers)
        for text in texts
        if text is not None and any(words in (text.content or "") for words in wanted)
    )


def measured() -> Iterator[Asked]:
    """Every labelled message, asked."""
    with TemporaryDirectory() as folder:
        for kind in ("openings", "referred"):
            for talk in labelled(kind):
                path = Path(folder) / f"{talk['id']}.db"
                with enishi.open(path, clock=lambda: NOW, synchronous="NORMAL") as store:
                    bond = store.relationship("lumi", "chen")
                    with store.transaction():
                        recorded(bond, talk["sessions"])
                    yield from _of_talk(bond, kind, talk)


def _of_talk(bond: Relationship, kind: str, talk: Json) -> Iterator[Asked]:
    if kind == "openings":
        messages = [(talk["opening"], tuple(talk["of"]))]
    else:
        messages = [(one["text"], (one["of"],)) for one in talk["asked"]]
    never = tuple(talk.get("never", ()))
    for words, wanted in messages:
        found = asked(bond, words)
        yield Asked(
            kind, talk["lang"], talk["half"], words, wanted,
            offers(bond, found, wanted), bool(never) and offers(bond, found, never),
        )  # fmt: skip


def rows_of(every: list[Asked]) -> list[Json]:
    """Per kind, half and language: how many, how many per cent found, and with old small talk."""
    groups: dict[tuple[str, str, str], list[Asked]] = {}
    for one in every:
        groups.setdefault((one.kind, one.half, one.lang), []).append(one)
        groups.setdefault((one.kind, "all", "both"), []).append(one)
    return [
        {
            "what": kind, "half": half, "language": lang, "messages": len(those),
            "found": round(100 * sum(one.found for one in those) / len(those), 1),
            "never": sum(one.never for one in those),
        }
        for (kind, half, lang), those in sorted(groups.items())
    ]  # fmt: skip


def main() -> None:
    """Measure, then print the table or its JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--misses", action="store_true", help="what the seen half does not find")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    every = list(measured())
    if options.misses:
        for one in every:
            if one.half == "seen" and (one.never or not one.found):
                print(one.kind, "never" if one.never else "missed", one.words, one.wanted)
        return
    if options.json:
        print(json.dumps(rows_of(every), indent=2))
        return
    table = Table(title="What is offered when it is needed, per cent")
    for heading in rows_of(every)[0]:
        table.add_column(heading)
    for row in rows_of(every):
        table.add_row(*map(str, row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
