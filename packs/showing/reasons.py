"""Where a relationship stands and why, on a terminal: bars, changes, quotes, decisions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from rich.console import Console

from enishi.kernel.deciding.failing import Failed
from enishi.kernel.deciding.proposing import Decided
from enishi.kernel.explaining import Explanation, Quote
from enishi.kernel.transcript import Summary
from enishi.packs.showing.said import print_text
from enishi.packs.showing.terminal import (
    add_row,
    earlier,
    listed,
    say,
    several,
    short_line,
    table_of,
    time_of,
    words_of,
)
from enishi.projections.mood import FEELINGS, MoodView
from enishi.projections.reading import Change, MoodChange, Rapport

_BAR = 24


def say_on_erased(console: Console, events: int) -> None:
    """That so many events rest on nothing that could still be read."""
    if events:
        counts = "1 event counts and rests" if events == 1 else f"{events} events count and rest"
        say(console, f"{counts} on words that were erased", "yellow")


def print_overview(console: Console, found: dict[str, Any]) -> None:
    """Where a relationship stands, and what moved it last."""
    about: Summary = found["relationship"]
    line = f"{found['agent']} and {found['user']} · branch {about.branch} · {several(about.turns, 'turn')}"
    say(console, f"{line} · last spoke {time_of(about.last)}", "bold")
    say_on_erased(console, about.on_erased)
    print_rapport(console, found["rapport"])
    for mood in found["mood"]:
        say(console, f"  {f'mood of the {mood.party}':17} {felt(mood)}")
    if found["reasons"]:
        say(console, "\nWhat moved it last (enishi why rapport tells all):")
        print_changes(console, found["reasons"], 0)


def print_rapport(console: Console, rapport: Rapport) -> None:
    """A bar for each dimension."""
    for field in fields(rapport):
        value = getattr(rapport, field.name)
        filled = round(value * _BAR)
        bar = "█" * filled + "░" * (_BAR - filled)
        say(console, f"  {words_of(field.name):17} {bar} {value:.4f}")


def felt(mood: MoodView) -> str:
    """The values of a mood in one line."""
    values = [f"{name} {getattr(mood, name):.2f}" for name in FEELINGS]
    if mood.mixed:
        values.insert(1, f"mixed {mood.mixed:.2f}")
    return ", ".join(values).replace("-", "−")


def print_changes(console: Console, changes: Sequence[Change], hidden: int) -> None:
    """What moved rapport, with the quoted words."""
    earlier(console, hidden, "changes")
    if not changes:
        say(console, "Nothing has moved it yet.")
    for change in changes:
        _print_change(console, change)


def print_mood_changes(console: Console, changes: Sequence[MoodChange], hidden: int) -> None:
    """What was seen of moods and what it did, with the quoted words."""
    earlier(console, hidden, "observations")
    if not changes:
        say(console, "Nothing was seen of it yet.")
    for change in changes:
        _print_mood_change(console, change)


def _print_mood_change(console: Console, change: MoodChange) -> None:
    name = f"{change.feeling} of the {change.party}"
    moved = f"{_signed(change.change)} → {_signed(change.value)}"
    seen = f"{change.intensity} {_signed(change.observed)} was seen"
    by = "" if change.scorer is None else f" by {change.scorer}"
    where = f"(number {change.number}, {time_of(change.happened)})"
    say(console, f"  {name:23} {moved}  {seen}{by}  {where}")
    for quote in change.quotes:
        _print_quote(console, quote, " " * 26)


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(value):.4f}"


def _print_change(console: Console, change: Change) -> None:
    moved = f"{_signed(change.change)} → {change.value:.4f}"
    by = f"{words_of(change.signal)} by the {change.actor}"
    where = f"(number {change.number}, {time_of(change.happened)})"
    say(console, f"  {words_of(change.dimension):17} {moved}  {by}  {where}")
    for quote in change.quotes:
        _print_quote(console, quote, " " * 20)


def _print_quote(console: Console, quote: Quote, indent: str) -> None:
    words = "(erased)" if quote.words is None else f"“{short_line(quote.words)}”"
    place = f"text {quote.text}, {quote.start}–{quote.end}"
    say(console, f"{indent}{quote.speaker}: {words}  {place}", "dim")


def print_explanation(
    console: Console,
    found: Explanation,
    changes: Iterable[Change] = (),
    moods: Iterable[MoodChange] = (),
) -> None:
    """Why one event is there, whether it counts, and what it moved."""
    turn = "" if found.turn is None else f" · turn {found.turn}"
    say(console, f"number {found.number} · {found.type}{turn}", "bold")
    counts = "it counts" if found.why_not is None else f"it does not count: {found.why_not}"
    say(console, f"  {counts}")
    if found.on_erased and found.why_not is None:
        say(console, "  it rests on words that have been erased", "yellow")
    if found.partial and found.why_not is None:
        say(console, "  partial: it rests on words that were withheld", "yellow")
    say(console, f"  happened {time_of(found.happened)}, recorded {time_of(found.recorded)}")
    if found.text is not None:
        print_text(console, found.text)
    elif found.payload is None:
        say(console, "  its payload was erased or withheld, or is of a type that is not known here")
    else:
        for key, value in sorted(found.payload.items()):
            if key not in ("spans", "sentence"):
                say(console, f"  {key}: {short_line(json.dumps(value, ensure_ascii=False))}")
    for quote in found.quotes:
        _print_quote(console, quote, "  ")
    for name, numbers in (("rests on", found.rests_on), ("carries", found.carries)):
        if numbers:
            say(console, f"  {name} {listed(numbers)}")
    for change in changes:
        if change.number == found.number:
            _print_change(console, change)
    for seen in moods:
        if seen.number == found.number:
            _print_mood_change(console, seen)


def print_decisions(console: Console, decided: Sequence[Decided], hidden: int) -> None:
    """Proposals and the kernel's answers."""
    earlier(console, hidden, "decisions")
    if not decided:
        say(console, "Nothing was proposed.")
        return
    table = table_of("number >", "verdict", "reason", "proposal", "event >", "proposer")
    for one in decided:
        what = _proposal(one.proposal)
        add_row(table, one.number, one.verdict, words_of(one.reason), what, one.event, one.proposer)
    console.print(table)


def print_failures(console: Console, failed: Sequence[Failed]) -> None:
    """Batches that failed, each with its reason."""
    if not failed:
        say(console, "No batch failed that was not read since.")
    for one in failed:
        texts = f"{len(one.texts)} texts were not read by {one.proposer}"
        say(console, f"Number {one.number}: {texts}: {one.reason}")


def _proposal(proposal: dict[str, Any]) -> str:
    """A proposal in a few words: its kind, then what tells it from others of its kind."""
    kind = str(proposal.get("kind", ""))
    if kind == "signal" and "signal" in proposal:
        signal = f"{proposal['strength']} {proposal['signal']} by the {proposal['actor']}"
        return words_of(signal)
    if kind == "mood" and "felt" in proposal:
        values = ", ".join(
            f"{name} {value / 10_000:.2f}" for name, value in proposal["felt"].items()
        )
        return f"mood of the {proposal['party']}, {proposal['intensity']}: {values}"
    told = ("subject", "key", "value", "promiser", "act", "outcome", "effect", "continuation",
            "words")  # fmt: skip
    ours = ("key", "outcome", "effect")
    parts = [
        words_of(proposal[name]) if name in ours else str(proposal[name])
        for name in told
        if name in proposal
    ]
    if not proposal.get("polarity", True):
        parts.insert(-1, "not")
    about = ("belief", "promise", "loop", "consequence", "event")
    parts += [f"({words_of(name)} {proposal[name]})" for name in about if name in proposal]
    return short_line(" ".join([words_of(kind), *parts]))
