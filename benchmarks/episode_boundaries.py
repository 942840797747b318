"""Glue dated sessions of real dialogues together, and find again where each one began.

    python benchmarks/episode_boundaries.py           one table of F1, precision and recall
    python benchmarks/episode_boundaries.py --json
    python benchmarks/episode_boundaries.py --size    what an episode of LoCoMo takes

Each conversation goes into a store, the bundled rule proposes, the kernel decides, and the episodes
are compared with the sessions, beside a plain rule (30 minutes without a word) and beside the same
rule with all times hidden. Sets marked "tuned" are those that the points were chosen on.

The texts stay in ../shared/data, or where --data says. Without them nothing is measured, and the
command says so and succeeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgpack
from rich.console import Console
from rich.table import Table

import enishi
from enishi.host import Relationship
from enishi.kernel import recording
from enishi.kernel.fold import fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message, Reply
from enishi.kernel.rules.boundaries import BoundaryProposer
from enishi.packs.showing.terminal import plain
from enishi.projections.episodes import EPISODES

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_LIMIT = timedelta(minutes=30)
_PAUSE_EVERY = 6
"""One turn in so many begins after a pause, where there are pauses."""


@dataclass(frozen=True, slots=True)
class Said:
    """One line: by the agent or not, its words, and when it was said."""

    agent: bool
    words: str
    at: datetime


Session = list[list[Said]]
"""The turns of a session: what was said to the agent, and the reply if one came."""


class Score(NamedTuple):
    """Boundaries found, wrongly found and missed."""

    found: int = 0
    wrong: int = 0
    missed: int = 0

    def plus(self, other: Score) -> Score:
        """Both together."""
        return Score(*(a + b for a, b in zip(self, other, strict=True)))

    def rates(self) -> tuple[float, float, float]:
        """F1, precision and recall."""
        precision = self.found / max(1, self.found + self.wrong)
        recall = self.found / max(1, self.found + self.missed)
        return 2 * precision * recall / max(precision + recall, 1e-9), precision, recall


# The sets


def locomo(data: Path, wanted: Sequence[str]) -> Iterator[list[Session]]:
    """LoCoMo: months of sessions between two people. Their dates are given, the pace is not."""
    for one in json.loads((data / "locomo" / "locomo6.json").read_text("utf-8")):
        if one["sample_id"] in wanted:
            told, pace, sessions = one["conversation"], Random(one["sample_id"]), []
            while f"session_{len(sessions) + 1}" in told:
                name = f"session_{len(sessions) + 1}"
                at = datetime.strptime(told[f"{name}_date_time"], "%I:%M %p on %d %B, %Y")
                lines = []
                for line in told[name]:
                    lines.append(Said(line["speaker"] == told["speaker_b"], line["text"], at))
                    at += timedelta(seconds=pace.randint(15, 150))
                sessions.append(in_turns(lines))
            yield sessions


def memorybank(data: Path, wanted: Sequence[str]) -> Iterator[list[Session]]:
    """MemoryBank: Chinese, ten days of short talks each. The day is given, the hour is not."""
    users = json.loads((data / "memorybank" / "cn" / "memory_bank_cn.json").read_text("utf-8"))
    for place, (name, user) in enumerate(users.items()):
        if str(place) in wanted:
            pace, sessions = Random(name), []
            for day, exchanges in user["history"].items():
                at = datetime.fromisoformat(day) + timedelta(minutes=pace.randint(8 * 60, 22 * 60))
                lines = []
                for exchange in exchanges:
                    for agent, key in ((False, "query"), (True, "response")):
                        lines.append(Said(agent, exchange[key], at))
                        at += timedelta(seconds=pace.randint(15, 150))
                sessions.append(in_turns(lines))
            yield sessions


def proactive(language: str) -> Callable[[Path, Sequence[str]], Iterator[list[Session]]]:
    """ProactiveMemBench: written to a plan, with times of its own; a session spans up to days."""

    def read(data: Path, wanted: Sequence[str]) -> Iterator[list[Session]]:
        for theme in wanted:
            path = data / "proactivemembench" / language / theme / "step4_conversations.json"
            yield [
                in_turns(
                    Said(
                        turn["role"] != "user",
                        turn["content"],
                        datetime.fromisoformat(turn["timestamp"]).replace(tzinfo=None),
                    )
                    for turn in session["turns"]
                )
                for session in json.loads(path.read_text("utf-8"))
            ]

    return read


def in_turns(lines: Iterable[Said]) -> Session:
    """Lines as an app would record them: a message opens a turn, a reply closes it."""
    turns: Session = []
    closed = True
    for line in lines:
        if closed or (line.agent and turns[-1][-1].agent):
            turns.append([])
        turns[-1].append(line)
        closed = line.agent
    return turns


SETS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "LoCoMo, tuned (26, 30, 41)": (locomo, ("conv-26", "conv-30", "conv-41")),
    "LoCoMo, held out (42, 43, 49)": (locomo, ("conv-42", "conv-43", "conv-49")),
    "MemoryBank zh, tuned (first 7)": (memorybank, tuple(map(str, range(7)))),
    "MemoryBank zh, held out (other 8)": (memorybank, tuple(map(str, range(7, 15)))),
    "ProactiveMemBench zh, tuned (music)": (proactive("zh"), ("music",)),
    "ProactiveMemBench zh, held out (2)": (proactive("zh"), ("cooking", "fitness")),
    "ProactiveMemBench en, tuned (music)": (proactive("en"), ("music",)),
    "ProactiveMemBench en, held out (2)": (proactive("en"), ("cooking", "fitness")),
}


# The same words at other times


def as_dated(sessions: list[Session], random: Random) -> list[Session]:
    """As they are."""
    return sessions


def with_pauses(sessions: list[Session], random: Random) -> list[Session]:
    """One turn in six within a session begins 15 to 40 minutes later: a phone call, a meal."""
    return [_moved(session, timedelta(), random) for session in sessions]


def close_together(sessions: list[Session], random: Random) -> list[Session]:
    """Pauses, and each session begins 30 to 90 minutes after the one before: the words decide."""
    moved: list[Session] = []
    for session in sessions:
        shift = timedelta()
        if moved:
            shift = moved[-1][-1][-1].at + timedelta(minutes=random.randint(30, 90))
            shift -= session[0][0].at
        moved.append(_moved(session, shift, random))
    return moved


def _moved(session: Session, shift: timedelta, random: Random) -> Session:
    turns = []
    for place, turn in enumerate(session):
        if place and random.randrange(_PAUSE_EVERY) == 0:
            shift += timedelta(minutes=random.randint(15, 40))
        turns.append([replace(line, at=line.at + shift) for line in turn])
    return turns


TIMES = {"as dated": as_dated, "with pauses": with_pauses, "close together": close_together}


# The three ways


def found_by_enishi(sessions: list[Session], hidden: bool = False) -> list[int]:
    """The places of the turns with which episodes begin, as the kernel has them."""
    with TemporaryDirectory() as folder, enishi.open(Path(folder) / "glued.db") as store:
        bond = store.relationship("agent", "user")
        numbers = recorded(bond, sessions, hidden)
        bond.propose(None, BoundaryProposer())
        return [numbers.index(one.first) for one in bond.episodes()]


def recorded(bond: Relationship, sessions: list[Session], hidden: bool) -> list[int]:
    """Record glued sessions, as an import does. Returns the numbers of the turns."""
    stream, numbers = bond._stream, []

    def moment(line: Said) -> Moment | None:
        return None if hidden else Moment.of(line.at.replace(tzinfo=UTC))

    with stream.writing():
        for turn in (turn for session in sessions for turn in session):
            said = [Message(line.words, happened=moment(line)) for line in turn if not line.agent]
            replies = [Reply(line.words, happened=moment(line)) for line in turn if line.agent]
            reply, at = (replies or [None])[0], moment(turn[0])
            numbers.append(recording.open_turn(stream, 0, said, at=at, reply=reply, by="import"))
    return numbers


def found_by_clock(sessions: list[Session]) -> list[int]:
    """The places of the turns that come more than half an hour after the words before."""
    turns = [turn for session in sessions for turn in session]
    pairs = enumerate(pairwise(turns), start=1)
    return [0, *(place for place, (a, b) in pairs if b[0].at - a[-1].at >= _LIMIT)]


def scored(found: Sequence[int], sessions: list[Session]) -> Score:
    """Where sessions begin against where they were found to; the very first is no boundary."""
    begins, place = set(), 0
    for session in sessions:
        begins.add(place)
        place += len(session)
    right, guessed = begins - {0}, set(found) - {0}
    return Score(len(right & guessed), len(guessed - right), len(right - guessed))


def measured(data: Path) -> Iterator[tuple[str, str, dict[str, Score]]]:
    """Every set at all times, by all ways."""
    for name, (read, wanted) in SETS.items():
        glued = list(read(data, wanted))
        alone = Score()
        for sessions in glued:
            alone = alone.plus(scored(found_by_enishi(sessions, hidden=True), sessions))
        for times, change in TIMES.items():
            ours = clock = Score()
            for place, sessions in enumerate(glued):
                changed = change(sessions, Random(f"{name} {place} {times}"))
                ours = ours.plus(scored(found_by_enishi(changed), changed))
                clock = clock.plus(scored(found_by_clock(changed), changed))
            yield name, times, {"Enishi": ours, "30 minutes": clock, "text alone": alone}


def sizes(data: Path) -> dict[str, float]:
    """Bytes of an episode of LoCoMo, every bundled proposer having read: the mean and the most."""
    told, kept = [], []
    for sessions in locomo(data, ("conv-26", "conv-42", "conv-49")):
        with TemporaryDirectory() as folder, enishi.open(Path(folder) / "glued.db") as store:
            bond = store.relationship("agent", "user")
            recorded(bond, sessions, hidden=False)
            for proposer in enishi.kernel.rules.bundled_proposers():
                bond.propose(None, proposer)
            views = bond.episodes()
            told += [len(json.dumps(plain(one), ensure_ascii=False).encode()) for one in views]
            with bond._reading() as branch:
                state = fold_of(bond._stream, branch, EPISODES).state()
            kept.append(len(msgpack.packb(state)) / len(views))
    return {
        "told_mean": round(sum(told) / len(told)),
        "told_most": max(told),
        "state_mean": round(sum(kept) / len(kept)),
    }


def main() -> None:
    """Measure, then print the table or its JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of the data sets")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--size", action="store_true", help="measure sizes instead")
    options = parser.parse_args()
    if not (options.data / "locomo").is_dir():
        print(f"skipped: no texts in {options.data}", file=sys.stderr)
        return
    if options.size:
        print(json.dumps(sizes(options.data)))
        return
    rows = list(measured(options.data))
    if options.json:
        plain_rows = [
            {"set": name, "times": times} | {way: score.rates() for way, score in by_way.items()}
            for name, times, by_way in rows
        ]
        print(json.dumps(plain_rows, indent=2))
        return
    console = Console(width=None if Console().is_terminal else 120)
    table = Table(title="Session boundaries: F1 (precision, recall)")
    for heading in ("set", "times", "Enishi", "30 minutes", "text alone"):
        table.add_column(heading, no_wrap=True)
    for name, times, by_way in rows:
        cells = ("{:.3f} ({:.2f}, {:.2f})".format(*score.rates()) for score in by_way.values())
        table.add_row(name if times == "as dated" else "", times, *cells)
    console.print(table)


if __name__ == "__main__":
    main()
