"""Recall as a person reads it on a terminal: what is there and why, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from enishi.packs.showing.terminal import add_row, say, short_line, table_of, time_of
from enishi.projections.recall.items import Item, Recall
from enishi.projections.recall.tracing import Trace

_OUTCOMES = {
    "no record": "There is no record of that.",
    "over budget": "It is on record, and does not fit into the budget.",
    "not searched": "It was not searched for: there was no more time.",
    "withheld": "What may say so was withheld: by whoever passed the log on, or from this audience.",
    "faded": "Only faint traces of it are left; ask in more of its own words.",
    "only asked": "It was asked about before, and nothing was ever said of it.",
}


def print_recall(console: Console, found: Recall, explain: bool) -> None:
    """What was recalled, one item a row."""
    if found.outcome != "found":
        say(console, _OUTCOMES[found.outcome])
    if found.items:
        table = table_of("number >", "from", "what", "when", "by", "why", "tokens >")
        for item in found.items:
            words = item.text if item.note is None else f"{item.text} ({item.note})"
            words = short_line(words) + _beside(item)
            what = f"{item.kind} ({item.layer})"
            why = _why(item)
            when = time_of(item.happened)
            add_row(table, item.number, what, words, when, item.speaker, why, item.tokens)
        console.print(table)
    say(console, f"{found.used} of {found.budget} tokens ({found.counter})")
    left = Counter((one.reason, one.kind or one.layer or "records") for one in found.left_out)
    for one in found.left_out:
        left[one.reason, one.kind or one.layer or "records"] += one.count - 1
    if left:
        told = (f"{count} {kind}: {reason}" for (reason, kind), count in sorted(left.items()))
        say(console, f"left out: {'; '.join(told)}")
    if any(one.kind == "vector" for one in found.left_out):
        say(console, "Without a vector it is searched by its words alone: enishi rebuild --vectors")
    if explain:
        _print_scores(console, found)


def print_portrait(console: Console, sentences: Sequence[Item]) -> None:
    """The portrait of the user, a sentence a row, each with the words that it rests on."""
    if not sentences:
        say(console, "Nothing is known of the user yet.")
        return
    table = table_of("number >", "sentence", "how known", "since", "words")
    for item in sentences:
        words = "; ".join(quote.words or "(gone)" for quote in item.sources)
        add_row(
            table, item.number, item.text, item.authority, time_of(item.happened), short_line(words)
        )
    console.print(table)


def print_trace(console: Console, traced: Trace) -> None:
    """What is recalled for a turn, what its reply was offered, and what it used, one thing a row."""
    if traced.reply is None:
        say(console, f"Turn {traced.turn} has no reply.")
        return
    say(console, f"turn {traced.turn}: {short_line(traced.query)}")
    if not traced.offered and not traced.recalled:
        say(console, f"Nothing is recalled for it, and the reply {traced.reply} was given nothing.")
        return
    recalled = {number: item for item in traced.recalled for number in reversed(item.shown)}
    table = table_of("number >", "what", "words", "recalled", "offered", "used", "counts")
    for one in traced.offered:
        counts = "yes" if one.why_not is None else f"no: {one.why_not}"
        item = recalled.pop(one.number, None)
        words = None if one.words is None else short_line(one.words)
        why, used = "" if item is None else _why(item), "yes" if one.used else ""
        add_row(table, one.number, one.type, words, why, "yes", used, counts)
    for number, item in recalled.items():
        words = next((quote.words for quote in item.sources if quote.text == number), None)
        add_row(table, number, item.kind, short_line(words or item.text), _why(item), "", "", "")
    console.print(table)


def _beside(item: Item) -> str:
    """What contradicts an item, or holds instead of what it says."""
    told = "; ".join(f"{one.standing}: {one.text}" for one in item.rivals)
    return f" [{told}]" if told else ""


def _why(item: Item) -> str:
    if item.score is None:
        return item.because
    if item.score.words:
        return f"{item.because}: {', '.join(item.score.words)}"
    return item.because if item.because == "meaning" else "beside it"


def _print_scores(console: Console, found: Recall) -> None:
    table = table_of(
        "number >", "total >", "relevance >", "share >", "meaning >", "recency >", "specific >",
        "intensity >", "references >", "authority >",
    )  # fmt: skip
    for item in found.found:
        assert item.score is not None
        score = item.score
        parts = (
            score.share, score.meaning, score.recency, score.specificity, score.intensity, score.references,
            score.authority,
        )  # fmt: skip
        shares = (f"{part / 10_000:.2f}" for part in parts)
        add_row(table, item.number, score.total, score.relevance, *shares)
    if found.found:
        console.print(table)
    for one in found.left_out:
        if one.number is not None:
            say(console, f"left out: number {one.number}, {one.kind}: {one.reason}")
