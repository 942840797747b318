"""How much recall finds in Chinese talks, beside FTS5 over pairs of characters in the same run.

    python benchmarks/recall_zh.py            ProactiveMemBench and MemoryBank, per cent
    python benchmarks/recall_zh.py --json

ProactiveMemBench: `unit` is the share of a question's planted memory units of which a turn is among
the first 5, 10 or 20; `concept` the share of its gold concepts, as far as they stand in the talk and
not in the question, that stand there. MemoryBank has questions without evidence, so there it is only
how many find anything at all, and how many of those that are put to another user's memory do.

The data stays in ../shared/data. Without it nothing is measured, and the command says so and succeeds.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from recall_arms import Arm, bm25, fts5, pairs, timed, vectors
from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Embedder, Relationship
from enishi.packs.models.embedders import embedder_named

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_ZONE = timezone(timedelta(hours=8))
_DEPTHS = (5, 10, 20)


def _when(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=_ZONE)


def _recorded(bond: Relationship, turns: list[dict[str, Any]]) -> dict[int, int]:
    """Record user and assistant in turns. Returns the positions by number."""
    places: dict[int, int] = {}
    waiting: list[int] = []

    def close(reply: int | None) -> None:
        said = [turns[n]["content"] for n in waiting]
        first = waiting[0] if waiting else reply
        assert first is not None
        turn = bond.turn(said, at=_when(turns[first]["timestamp"]))
        if reply is None:
            turn.abandon()
        else:
            turn.reply(turns[reply]["content"])
        view = turn.view()
        places.update({text.number: n for text, n in zip(view.messages, waiting, strict=True)})
        if view.reply is not None and reply is not None:
            places[view.reply.number] = reply
        waiting.clear()

    for place, turn in enumerate(turns):
        if turn["role"] == "user":
            waiting.append(place)
        else:
            close(place)
    if waiting:
        close(None)
    return places


def proactive(folder: Path, embedder: Embedder | None) -> dict[str, dict[str, float]]:
    """ProactiveMemBench (zh): every arm over every domain that is there."""
    rows: dict[str, list[list[float | None]]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    for domain in sorted(path for path in folder.iterdir() if path.is_dir()):
        talk = json.loads((domain / "step4_conversations.json").read_text("utf-8"))
        turns = [turn for session in talk for turn in session["turns"]]
        texts = [turn["content"] for turn in turns]
        planted: dict[str, set[int]] = defaultdict(set)
        for place, turn in enumerate(turns):
            for unit in turn.get("planted_pairs") or []:
                planted[unit].add(place)
        now = _when(turns[-1]["timestamp"]) + timedelta(days=1)
        with (
            TemporaryDirectory() as store_folder,
            enishi.open(Path(store_folder) / "s.db", clock=lambda now=now: now) as store,  # type: ignore[misc]
            ExitStack() as stack,
        ):
            bond = store.relationship("助手", "用户")
            with store.transaction():
                places = _recorded(bond, turns)

            def recall(query: str, most: int, bond: Any = bond, places: Any = places) -> list[int]:
                found = bond.recall(query, items=most, budget=10**6).found
                return [places[one.number] for one in found if one.number in places]

            recall("预热", 1)
            arms: dict[str, Arm] = {"recall": recall}
            if embedder is not None:
                semantic = stack.enter_context(
                    enishi.open(
                        Path(store_folder) / "s.db",
                        clock=lambda now=now: now,  # type: ignore[misc]
                        embedder=embedder,
                    )
                )
                with_it = semantic.relationship("助手", "用户")
                with_it.embed()
                arms["recall with meaning"] = partial(recall, bond=with_it)
                arms["vectors"] = vectors(texts, embedder)
            arms |= {
                "FTS5, pairs": fts5(texts, pairs, "unicode61"),
                "BM25": bm25(texts),
            }
            asked = json.loads((domain / "step5_proactive_questions.json").read_text("utf-8"))
            for question in asked:
                for name, arm in arms.items():
                    found, took = timed(arm, question["question"], _DEPTHS[-1])
                    times[name].append(took)
                    rows[name].append(_scores(question, planted, texts, found))
    return {
        name: dict(zip(_COLUMNS, _means(each), strict=True)) | {"p50 ms": median(times[name])}
        for name, each in rows.items()
    }


_COLUMNS = [f"{what}@{depth}" for what in ("unit", "concept") for depth in _DEPTHS]


def _scores(
    question: dict[str, Any], planted: dict[str, set[int]], texts: list[str], found: list[int]
) -> list[float | None]:
    units = [unit for unit in question.get("source_pairs", []) if planted.get(unit)]
    everything = "\n".join(texts).lower()
    concepts = [one["concept"].lower() for one in question["candidate_set"]]
    wanted = [c for c in concepts if c in everything and c not in question["question"].lower()]
    row: list[float | None] = []
    for depth in _DEPTHS:
        hits = [bool(planted[unit] & set(found[:depth])) for unit in units]
        row.append(mean(hits) if hits else None)
    for depth in _DEPTHS:
        near = [any(one in texts[n].lower() for n in found[:depth]) for one in wanted]
        row.append(mean(near) if near else None)
    return row


def _means(rows: list[list[float | None]]) -> Iterator[float]:
    for column in zip(*rows, strict=True):
        yield 100 * mean(value for value in column if value is not None)


def memorybank(folder: Path, embedder: Embedder | None) -> dict[str, float]:
    """MemoryBank (cn): how many probing questions find anything, in one's own memory and another's."""
    talks = json.loads((folder / "memory_bank_cn.json").read_text("utf-8"))
    lines = (folder / "probing_questions_cn.jsonl").read_text("utf-8").splitlines()
    asked: dict[str, list[str]] = {}
    for line in lines:
        asked |= json.loads(line)
    names = [name for name in talks if name in asked]
    own, others = [], []
    with (
        TemporaryDirectory() as store_folder,
        enishi.open(Path(store_folder) / "s.db", embedder=embedder) as store,
    ):
        bonds = {name: store.relationship("助手", name) for name in names}
        with store.transaction():
            for name in names:
                for day, said in sorted(talks[name]["history"].items()):
                    at = datetime.fromisoformat(day).replace(tzinfo=_ZONE)
                    for one in said:
                        bonds[name].record(one["query"], one["response"], at=at)
        for bond in bonds.values() if embedder is not None else ():
            bond.embed()
        for place, name in enumerate(names):
            other = bonds[names[place - 1]]
            for question in asked[name]:
                own.append(bool(bonds[name].recall(question).found))
                others.append(bool(other.recall(question).found))
    return {"questions": len(own), "own": 100 * mean(own), "another's": 100 * mean(others)}


def main() -> None:
    """Measure, then print the tables or their JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--embedder", default="auto", help="none, bundled, auto or 'URL MODEL'")
    options = parser.parse_args()
    folders = options.data / "proactivemembench" / "zh", options.data / "memorybank" / "cn"
    if not all(folder.exists() for folder in folders):
        print(f"{options.data} has no Chinese talks; nothing was measured")
        return
    embedder = embedder_named(options.embedder)
    arms = proactive(folders[0], embedder)
    banks = {"MemoryBank": memorybank(folders[1], None)}
    if embedder is not None:
        banks["MemoryBank with meaning"] = memorybank(folders[1], embedder)
    if options.json:
        print(json.dumps({"ProactiveMemBench": arms, **banks}, indent=2))
        return
    table = Table(title="ProactiveMemBench, Chinese, per cent")
    for heading in ("arm", *next(iter(arms.values()))):
        table.add_column(heading)
    for name, row in arms.items():
        table.add_row(name, *(f"{value:.1f}" for value in row.values()))
    console = Console(width=120)
    console.print(table)
    for bank, row in banks.items():
        console.print(f"{bank}:", ", ".join(f"{name} {value:.1f}" for name, value in row.items()))


if __name__ == "__main__":
    main()
