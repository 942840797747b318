"""Compare what the bundled rules propose with labels that were written by hand.

    python benchmarks/proposer_quality.py               one table: kinds and languages
    python benchmarks/proposer_quality.py --fine        signals and beliefs by what they are
    python benchmarks/proposer_quality.py --misses 20   ids and spans of disagreements
    python benchmarks/proposer_quality.py --json

The labels are in benchmarks/labels; the texts stay in ../shared/data, or where --data says.
Without them nothing is measured, and the command says so and succeeds.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from enishi import RuleProposer
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefRetraction,
    OpenLoop,
    Promise,
    Proposal,
    Proposer,
    ReadText,
    Role,
    Signal,
)
from enishi.kernel.moments import parse_moment

_CHECKOUT = Path(__file__).resolve().parents[1]
_LABELS = Path(__file__).resolve().parent / "labels" / "proposals.jsonl"
_DATA = _CHECKOUT.parent / "shared" / "data"

_SCORED = (Promise, OpenLoop, Belief, BeliefRetraction, Signal)
_KINDS = ("promise", "open_loop", "belief", "belief_retraction", "signal")
_LANGUAGES = ("en", "zh")
_OPEN_CATEGORIES = frozenset({"fact", "occurrence"})
"""Beliefs of these are labelled in part only, so one that matches no label is not called wrong."""

_ALLOWED = "that the labels allow"
_BEYOND = "facts and occurrences beyond them"
_OTHERS = "about third persons"
_PLAYED = "not in earnest"
_OTHER_KINDS = "of other kinds"
_UNSCORED = (_ALLOWED, _BEYOND, _OTHERS, _PLAYED, _OTHER_KINDS)

Json = dict[str, Any]
Span = tuple[int, int]
Verdict = Literal["right", "missed", "wrong"]


@dataclass(frozen=True, slots=True)
class Expected:
    """One thing that an honest reader would propose, or (`optional`) might."""

    kind: str
    names: tuple[str, ...]
    spans: tuple[Span, ...]
    optional: bool
    due: bool | None

    @classmethod
    def of(cls, label: Json) -> Expected:
        """Read one entry of `expect`."""
        names = label.get("signal") or label.get("category") or [label.get("promiser", "")]
        also = [(start, end) for start, end in label.get("also", [])]
        return cls(
            kind=label["kind"],
            names=tuple(names),
            spans=((label["start"], label["end"]), *also),
            optional=label.get("optional", False),
            due=label.get("due"),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What matching looks at in one proposal."""

    kind: str
    name: str
    spans: tuple[Span, ...]
    due: bool | None

    @classmethod
    def of(cls, proposal: Proposal, text: str) -> Found:
        """Reduce a proposal to its deciding fields."""
        name: str = ""
        due: bool | None = None
        match proposal:
            case Signal():
                name = proposal.signal
            case Belief():
                name = proposal.category
            case Promise():
                name, due = proposal.promiser, proposal.due is not None
            case OpenLoop():
                due = proposal.expected_by is not None
        return cls(proposal.kind, name, _spans(proposal, text), due)


@dataclass(frozen=True, slots=True)
class Turn:
    """A labelled turn together with its text."""

    id: str
    lang: str
    text: ReadText
    expected: tuple[Expected, ...]


@dataclass(slots=True)
class Count:
    """Expected, proposed and matched. What is optional counts in none of them."""

    expected: int = 0
    proposed: int = 0
    matched: int = 0

    def add(self, other: Count) -> None:
        """Sum up."""
        self.expected += other.expected
        self.proposed += other.proposed
        self.matched += other.matched

    @property
    def precision(self) -> float | None:
        """Matched of the proposed."""
        return self.matched / self.proposed if self.proposed else None

    @property
    def recall(self) -> float | None:
        """Matched of the expected."""
        return self.matched / self.expected if self.expected else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; 0 where nothing matched."""
        total = self.expected + self.proposed
        return 2 * self.matched / total if total else None


@dataclass(frozen=True, slots=True)
class Miss:
    """A disagreement: which turn, what kind, where. Never the text."""

    id: str
    verdict: Verdict
    kind: str
    name: str
    spans: tuple[Span, ...]


@dataclass(slots=True)
class Tally:
    """All that is counted over the turns."""

    counts: dict[tuple[str, str, str], Count] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def count(self, kind: str, name: str, lang: str) -> Count:
        """The counter of a kind, a name within it, and a language."""
        return self.counts.setdefault((kind, name, lang), Count())

    def total(self, kind: str | None, lang: str | None, name: str | None = None) -> Count:
        """The sum over everything that is left open."""
        total = Count()
        for (of_kind, of_name, of_lang), count in self.counts.items():
            if kind in (None, of_kind) and lang in (None, of_lang) and name in (None, of_name):
                total.add(count)
        return total


def main() -> None:
    """Measure, then print the table or its JSON."""
    options = _options()
    labels = _labels()
    turns, left_out = _turns(labels, options.data)
    if not turns:
        print(f"skipped: no texts for the labels in {options.data}", file=sys.stderr)
        if options.json:
            print(json.dumps({"skipped": True, "left_out": dict(left_out)}))
        return
    tally = _measured(turns, RuleProposer())
    if options.json:
        print(json.dumps(_json(tally, left_out), indent=2))
    else:
        _show(tally, left_out, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of the data sets")
    parser.add_argument("--fine", action="store_true", help="split signals and beliefs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--misses", type=int, default=0, metavar="N", help="list up to N disagreements, no texts"
    )
    return parser.parse_args()


# Labels and texts


def _labels() -> list[Json]:
    lines = [json.loads(line) for line in _LABELS.read_text("utf-8").splitlines()]
    return [line for line in lines if "header" not in line]


def _turns(labels: Iterable[Json], data: Path) -> tuple[list[Turn], Counter[str]]:
    """The labelled turns whose texts are there and are those that were labelled."""
    turns: list[Turn] = []
    left_out: Counter[str] = Counter()
    for label in labels:
        text = _text(label, data)
        if text is None:
            left_out[f"{label['source']}: text missing"] += 1
        elif sha256(text.encode()).hexdigest()[:12] != label["sha256"]:
            left_out[f"{label['source']}: text differs"] += 1
        else:
            expected = tuple(Expected.of(entry) for entry in label["expect"])
            turns.append(Turn(label["id"], label["lang"], _read_text(label, text), expected))
    return turns, left_out


def _read_text(label: Json, text: str) -> ReadText:
    role: Role = label["role"]
    day = label.get("happened")
    return ReadText(
        number=1,
        turn=1,
        role=role,
        speaker=role,
        name={"user": "Chen", "agent": "Lumi"}[role],
        content=text,
        happened=parse_moment(f"{day}T12:00:00+00:00") if day else None,
    )


def _text(label: Json, data: Path) -> str | None:
    ref = label["ref"]
    path = data / ref["file"]
    if not path.is_file():
        return None
    try:
        return _READERS[label["source"]](path, ref)
    except (KeyError, IndexError):
        return None


def _locomo(path: Path, ref: Json) -> str:
    return _locomo_texts(path)[ref["conversation"], ref["dia_id"]]


@cache
def _locomo_texts(path: Path) -> dict[tuple[str, str], str]:
    return {
        (chat["sample_id"], said["dia_id"]): said["text"]
        for chat in _loaded(path)
        for name, session in chat["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for said in session
    }


def _beam(path: Path, ref: Json) -> str:
    text: str = _loaded(path)[ref["batch"]]["turns"][ref["turn"]][ref["message"]]["content"]
    asked, marker, _ = text.rpartition("->->")
    return asked.rstrip() if marker else text


def _memorybank(path: Path, ref: Json) -> str:
    person = list(_loaded(path).values())[ref["person"]]
    text: str = person["history"][ref["date"]][ref["index"]][ref["side"]]
    return text


def _proactivemembench(path: Path, ref: Json) -> str:
    return _proactive_texts(path)[ref["session"], ref["turn"]]


@cache
def _proactive_texts(path: Path) -> dict[tuple[int, int], str]:
    return {
        (session["session_id"], turn["turn_id"]): turn["content"]
        for session in _loaded(path)
        for turn in session["turns"]
    }


def _cped(path: Path, ref: Json) -> str:
    return _rows(path, "Utterance_ID")[(ref["utterance"],)]


def _meld(path: Path, ref: Json) -> str:
    key = (str(ref["dialogue"]), str(ref["utterance"]))
    return _rows(path, "Dialogue_ID", "Utterance_ID")[key]


def _emorynlp(path: Path, ref: Json) -> str:
    columns = ("Season", "Episode", "Scene_ID", "Utterance_ID")
    key = tuple(str(ref[name]) for name in ("season", "episode", "scene", "utterance"))
    return _rows(path, *columns)[key]


_READERS: Mapping[str, Callable[[Path, Json], str]] = {
    "locomo": _locomo,
    "beam": _beam,
    "memorybank": _memorybank,
    "proactivemembench": _proactivemembench,
    "cped": _cped,
    "meld": _meld,
    "emorynlp": _emorynlp,
}


@cache
def _loaded(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@cache
def _rows(path: Path, *columns: str) -> dict[tuple[str, ...], str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {tuple(row[c] for c in columns): row["Utterance"] for row in csv.DictReader(file)}


# Matching


def _measured(turns: Iterable[Turn], proposer: Proposer) -> Tally:
    tally = Tally()
    for turn in turns:
        found = _found(turn, proposer, tally)
        _compare(turn, found, tally)
        if not turn.expected:
            tally.notes[f"{turn.lang}: nothing expected"] += 1
            tally.notes[f"{turn.lang}: silent there"] += not found
    return tally


def _found(turn: Turn, proposer: Proposer, tally: Tally) -> list[Found]:
    """The proposals that are scored; the others are counted under why they are not."""
    found: list[Found] = []
    for proposal in proposer.propose([turn.text]):
        one = Found.of(proposal, turn.text.content)
        reason = _unscored(proposal, one, turn)
        if reason is None:
            found.append(one)
        else:
            tally.notes[reason] += 1
    return found


def _unscored(proposal: Proposal, one: Found, turn: Turn) -> str | None:
    """Why the labels say nothing about a proposal, if they do not."""
    if not isinstance(proposal, _SCORED):
        return _OTHER_KINDS
    if proposal.mode != "real":
        return _PLAYED
    if isinstance(proposal, Belief) and proposal.subject not in ("user", "agent"):
        return _OTHERS
    if one.name in _OPEN_CATEGORIES and not any(_fits(one, entry) for entry in turn.expected):
        return _BEYOND
    return None


def _compare(turn: Turn, found: Sequence[Found], tally: Tally) -> None:
    """Pair proposals with labels, the required ones first, each at most once."""
    left = list(found)
    for expected in (entry for entry in turn.expected if not entry.optional):
        count = tally.count(expected.kind, expected.names[0], turn.lang)
        count.expected += 1
        one = max((f for f in left if _fits(f, expected)), key=_sized(expected), default=None)
        if one is None:
            tally.misses.append(_missed(turn, expected))
            continue
        left.remove(one)
        count.proposed += 1
        count.matched += 1
        if expected.due is not None:
            tally.notes["due dates compared"] += 1
            tally.notes["due dates agreeing"] += expected.due == one.due
    for one in left:
        if any(entry.optional and _fits(one, entry) for entry in turn.expected):
            tally.notes[_ALLOWED] += 1
        else:
            tally.count(one.kind, one.name, turn.lang).proposed += 1
            tally.misses.append(Miss(turn.id, "wrong", one.kind, one.name, one.spans))


def _fits(found: Found, expected: Expected) -> bool:
    """Kind and deciding field agree, and the spans overlap."""
    if found.kind != expected.kind or found.name not in expected.names:
        return False
    return _overlap(found, expected) > 0


def _sized(expected: Expected) -> Callable[[Found], int]:
    return lambda found: _overlap(found, expected)


def _overlap(found: Found, expected: Expected) -> int:
    """How many code points the two share at most in one span."""
    return max(
        (min(a[1], b[1]) - max(a[0], b[0]) for a in found.spans for b in expected.spans), default=0
    )


def _missed(turn: Turn, expected: Expected) -> Miss:
    return Miss(turn.id, "missed", expected.kind, expected.names[0], expected.spans)


def _spans(proposal: Proposal, text: str) -> tuple[Span, ...]:
    """Where the citations stand; a quote without a place is looked up."""
    spans: list[Span] = []
    for citation in proposal.citations:
        if citation.start is not None and citation.end is not None:
            spans.append((citation.start, citation.end))
        elif citation.quote and citation.quote in text:
            start = text.index(citation.quote)
            spans.append((start, start + len(citation.quote)))
    return tuple(spans)


# Showing


def _show(tally: Tally, left_out: Counter[str], options: argparse.Namespace) -> None:
    console = Console(width=None if Console().is_terminal else 110)
    console.print(_table(tally, options.fine))
    console.print(_footer(tally, left_out), highlight=False)
    for miss in tally.misses[: options.misses]:
        spans = " ".join(f"{start}-{end}" for start, end in miss.spans)
        name = f" {miss.name}" if miss.name else ""
        console.print(f"{miss.id}: {miss.verdict} {miss.kind}{name} {spans}", highlight=False)


def _table(tally: Tally, fine: bool) -> Table:
    table = Table(title="What the bundled rules propose, against labels")
    for heading in ("what", "language"):
        table.add_column(heading, no_wrap=True)
    for heading in ("expected", "proposed", "matched", "precision", "recall", "F1"):
        table.add_column(heading, justify="right", no_wrap=True)
    for kind in _KINDS:
        table.add_section()
        _add_rows(table, kind.replace("_", " "), tally, kind)
        for name in _names(tally, kind) if fine else ():
            _add_rows(table, f"  {name}", tally, kind, name)
    table.add_section()
    _add_rows(table, "all", tally, None)
    _add_row(table, "", "both", tally.total(None, None))
    return table


def _names(tally: Tally, kind: str) -> list[str]:
    """The signals or categories to split a kind by; other kinds are not split."""
    if kind not in ("belief", "signal"):
        return []
    return sorted({name for of_kind, name, _ in tally.counts if of_kind == kind})


def _add_rows(
    table: Table, what: str, tally: Tally, kind: str | None, name: str | None = None
) -> None:
    for lang in _LANGUAGES:
        shown = what if lang == _LANGUAGES[0] else ""
        _add_row(table, shown, lang, tally.total(kind, lang, name))


def _add_row(table: Table, what: str, lang: str, count: Count) -> None:
    numbers = (str(count.expected), str(count.proposed), str(count.matched))
    rates = (_rate(count.precision), _rate(count.recall), _rate(count.f1))
    table.add_row(what, lang, *numbers, *rates)


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.2f}"


def _footer(tally: Tally, left_out: Counter[str]) -> str:
    notes = tally.notes
    silent = (
        f"{lang} {notes[f'{lang}: silent there']} of {notes[f'{lang}: nothing expected']}"
        for lang in _LANGUAGES
    )
    unscored = ", ".join(f"{notes[why]} {why}" for why in _UNSCORED)
    dates = f"{notes['due dates agreeing']} of {notes['due dates compared']}"
    lines = [
        f"Silent where nothing is expected: {', '.join(silent)}.",
        f"Not scored: {unscored}.",
        f"With or without a date agrees in {dates} matched promises and open loops.",
    ]
    if left_out:
        lines.append("Left out: " + ", ".join(f"{n} {why}" for why, n in left_out.items()) + ".")
    return "\n".join(lines)


def _json(tally: Tally, left_out: Counter[str]) -> Json:
    return {
        "rows": [
            _row(kind, name, lang, count)
            for (kind, name, lang), count in sorted(tally.counts.items())
        ],
        "kinds": [_row(k, None, lang, tally.total(k, lang)) for k in _KINDS for lang in _LANGUAGES],
        "totals": [_row(None, None, lang, tally.total(None, lang)) for lang in (*_LANGUAGES, None)],
        "notes": dict(sorted(tally.notes.items())),
        "left_out": dict(left_out),
    }


def _row(kind: str | None, name: str | None, lang: str | None, count: Count) -> Json:
    rates = {"precision": count.precision, "recall": count.recall, "f1": count.f1}
    return {"kind": kind, "name": name, "lang": lang, **asdict(count), **rates}


if __name__ == "__main__":
    main()
