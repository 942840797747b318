"""What was said, on a terminal: relationships, branches, turns and records."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from enishi.kernel.explaining import RecordView
from enishi.kernel.transcript import BranchView, Summary, Text, TurnView
from enishi.packs.showing.terminal import add_row, earlier, say, table_of, time_of


def print_relationships(console: Console, summaries: Iterable[Summary]) -> None:
    """The relationships of a store."""
    table = table_of("agent", "user", "branch", "turns >", "events >", "last spoke")
    for one in summaries:
        branch = one.branch + (f" (of {one.branches})" if one.branches > 1 else "")
        add_row(table, one.agent, one.user, branch, one.turns, one.events, time_of(one.last))
    console.print(table)


def print_branches(console: Console, branches: Iterable[BranchView]) -> None:
    """The branches of a relationship; the current one is marked."""
    table = table_of("", "branch", "from", "after turn >", "turns >", "tip >", "number >")
    for one in branches:
        mark = "*" if one.current else ""
        add_row(table, mark, one.name, one.parent, one.forked_after, one.turns, one.tip, one.number)
    console.print(table)


def print_records(console: Console, records: Iterable[RecordView], hidden: int) -> None:
    """Records, one a row."""
    earlier(console, hidden, "records")
    table = table_of("number >", "type", "turn >", "happened", "counts")
    for one in records:
        rests = (
            "yes, on erased words" if one.on_erased else "yes, in part" if one.partial else "yes"
        )
        counts = one.why_not or rests
        add_row(table, one.number, one.type, one.turn, time_of(one.happened), counts)
    console.print(table)


def print_turns(console: Console, turns: Iterable[TurnView], hidden: int) -> None:
    """What was said, turn by turn."""
    earlier(console, hidden, "turns")
    for turn in turns:
        print_turn(console, turn)


def print_turn(console: Console, view: TurnView, variants: bool = False) -> None:
    """One turn; with `variants`, every reply and which of them is chosen."""
    state = "" if view.status == "completed" else f" · {view.status}"
    gone = " · erased" if view.erased else "" if view.stands else " · withdrawn"
    say(console, f"turn {view.number} · {time_of(view.happened)}{state}{gone}", "dim")
    for message in view.messages:
        print_text(console, message)
    for place, reply in enumerate(view.replies, start=1):
        if reply.chosen or variants:
            of = f" [{place} of {len(view.replies)}]" if len(view.replies) > 1 else ""
            mark = ("* " if reply.chosen else "  ") if variants else ""
            print_text(console, reply, mark, of)


def print_text(console: Console, text: Text, mark: str = "", of: str = "") -> None:
    """One message or reply with its number."""
    edited = f"edited, wording {text.wordings.index(text.number) + 1} of {len(text.wordings)}"
    notes = [
        note
        for note, holds in (
            (edited, text.number != text.root),
            ("hidden", text.hidden),
            (text.delivered.replace("_", " "), text.delivered != "shown"),
        )
        if holds
    ]
    about = f" ({', '.join(notes)})" if notes else ""
    gone = "(withheld)" if text.withheld else "(erased)"
    words = gone if text.content is None else text.content
    say(console, f"  {mark}{text.number:>5}  {text.name}{of}{about}: {words}")
