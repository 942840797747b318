"""What a person sees on a terminal: transcripts, tables, bars, reasons. Plain values for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

from pydantic import BaseModel
from rich import box
from rich.console import Console
from rich.table import Table

from enishi.kernel.deciding.failing import Failed
from enishi.kernel.deciding.proposing import Decided
from enishi.kernel.explaining import Explanation, Quote, RecordView
from enishi.kernel.keys.keyring import Signer
from enishi.kernel.moments import MINUTE, Moment
from enishi.kernel.transcript import BranchView, Summary, Text, TurnView
from enishi.kernel.verification import Problem, Verification
from enishi.packs.chats.importing import ImportReport
from enishi.packs.erii.report import EriiReport, Refused
from enishi.packs.memorypack.exporting import Exported
from enishi.packs.memorypack.pack_files import PackInspection
from enishi.packs.memorypack.taking_in import PackTaken
from enishi.packs.showing.demo_report import DemoReport
from enishi.projections.beliefs import BeliefView, Staleness
from enishi.projections.chapters import ChapterView
from enishi.projections.mood import FEELINGS, MoodView
from enishi.projections.promises import LoopView, PromiseView
from enishi.projections.reading import Change, MoodChange, Rapport
from enishi.projections.telling import EpisodeView
from enishi.projections.tensions import TensionView

_BAR = 24
_QUOTE = 100
_ORDERS = {code: "\ufffd" for code in (*range(32), *range(0x7F, 0xA0)) if code not in (9, 10)}


class Parties(Protocol):
    """Whatever names an agent and a user."""

    @property
    def agent(self) -> str: ...

    @property
    def user(self) -> str: ...


def plain(value: Any) -> Any:
    """JSON values of whatever the face returns; moments as ISO 8601 with their offset."""
    if isinstance(value, Moment):
        return {"at": value.to_datetime().isoformat(), "zone_assumed": value.assumed}
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value


def say(console: Console, line: str, style: str | None = None) -> None:
    """One line, as it is: never wrapped, never read as markup or as an order to the terminal."""
    plain_line = line.translate(_ORDERS)
    console.print(
        plain_line, style=style, highlight=False, markup=False, emoji=False, soft_wrap=True
    )


def say_all(console: Console, text: str) -> None:
    """Several lines, each as it is."""
    for line in text.split("\n"):
        say(console, line)


def print_demo(console: Console, report: DemoReport) -> None:
    """What the demo told and proved, a line for each thing, and how many of them held."""
    styles = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}
    for chapter in report.chapters:
        say(console, f"{chapter.title['en']} · {chapter.title['zh']}", "bold")
        say(console, f"  {chapter.about['en']}", "dim")
        for proof in chapter.proofs:
            mark, style = styles[proof.holds]
            say(console, f"  {mark} {proof.claim['en']}", style)
            say(console, f"      {proof.found['en']}")
        say(console, "")
    say(console, report.verdict()["en"], "bold red" if report.failed else "bold green")


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
    _earlier(console, hidden, "records")
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
    _earlier(console, hidden, "turns")
    for turn in turns:
        print_turn(console, turn)


def print_turn(console: Console, view: TurnView, variants: bool = False) -> None:
    """One turn; with `variants`, every reply and which of them is chosen."""
    state = "" if view.status == "completed" else f" · {view.status}"
    gone = "" if view.stands else " · withdrawn or erased"
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


def print_overview(console: Console, found: dict[str, Any]) -> None:
    """Where a relationship stands, and what moved it last."""
    about: Summary = found["relationship"]
    line = f"{found['agent']} and {found['user']} · branch {about.branch} · {several(about.turns, 'turn')}"
    say(console, f"{line} · last spoke {time_of(about.last)}", "bold")
    if about.on_erased:
        say(console, f"{about.on_erased} events count and rest on words that were erased", "yellow")
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
        say(console, f"  {_words(field.name):17} {bar} {value:.4f}")


def felt(mood: MoodView) -> str:
    """The values of a mood in one line."""
    values = [f"{name} {getattr(mood, name):.2f}" for name in FEELINGS]
    if mood.mixed:
        values.insert(1, f"mixed {mood.mixed:.2f}")
    return ", ".join(values).replace("-", "−")


def print_changes(console: Console, changes: Sequence[Change], hidden: int) -> None:
    """What moved rapport, with the quoted words."""
    _earlier(console, hidden, "changes")
    if not changes:
        say(console, "Nothing has moved it yet.")
    for change in changes:
        _print_change(console, change)


def print_mood_changes(console: Console, changes: Sequence[MoodChange], hidden: int) -> None:
    """What was seen of moods and what it did, with the quoted words."""
    _earlier(console, hidden, "observations")
    if not changes:
        say(console, "No mood was seen yet.")
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
    by = f"{_words(change.signal)} by the {change.actor}"
    where = f"(number {change.number}, {time_of(change.happened)})"
    say(console, f"  {_words(change.dimension):17} {moved}  {by}  {where}")
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


def print_beliefs(console: Console, beliefs: Sequence[BeliefView]) -> None:
    """What is held true, one belief a row."""
    if not beliefs:
        say(console, "Nothing is held true.")
        return
    table = table_of("number >", "about", "what", "value", "when", "how", "status")
    for one in beliefs:
        value = one.value if one.polarity else f"not {one.value}"
        lost = one.status != "current" and one.reason
        status = f"{one.status}: {_words(lost)}" if lost else one.status
        against = one.resolved_from[:1] if lost and one.resolved_from else ()
        see = listed(sorted({*against, *one.possible_conflicts} - {one.number}))
        how = f"{one.authority}, {one.basis}"
        about, what = (one.number, one.subject), (_words(one.key), value, _when(one))
        add_row(table, *about, *what, how, f"{status} (see {see})" if see else status)
    console.print(table)


def _when(belief: BeliefView) -> str:
    """Since when and until when; of an end that was not named in so many words, its day."""
    since = belief.valid_from or _day(belief.since)
    until = belief.valid_until or _day(belief.until)
    if until:
        return f"{since} to {until}" if since else f"until {until}"
    return f"since {since}" if since else ""


def _day(moment: Moment | None) -> str:
    return "" if moment is None else str(moment.to_datetime().date())


def print_stale(console: Console, found: Staleness) -> None:
    """Beliefs for review, oldest first."""
    if not found.current:
        say(console, "Nothing is held true.")
        return
    old = f"{len(found.stale)} of {found.current} beliefs were neither told nor confirmed"
    say(console, f"{old} in the last 30 days; {found.confirmed} were confirmed.")
    if found.stale:
        print_beliefs(console, found.stale)


def print_promises(
    console: Console, promises: Sequence[PromiseView], loops: Sequence[LoopView]
) -> None:
    """Promises, then open loops."""
    if not promises and not loops:
        say(console, "Nothing was promised, and nothing is open.")
    if promises:
        table = table_of("number >", "promiser", "promise", "due", "status", "told again")
        for promise in promises:
            late = promise.timing != "none"
            status = f"{promise.status}, {_words(promise.timing)}" if late else promise.status
            condition = f" (if {promise.condition})" if promise.condition else ""
            act, again = promise.act + condition, listed(promise.retold)
            add_row(table, promise.number, promise.promiser, act, promise.due, status, again)
        console.print(table)
    if loops:
        table = table_of("number >", "open loop", "expected", "by", "status")
        for loop in loops:
            late = loop.timing != "none"
            state = f"{loop.status}, {loop.timing}" if late else loop.status
            row = (loop.number, loop.subject, loop.continuation, loop.expected_by, state)
            add_row(table, *row)
        console.print(table)


def print_tensions(console: Console, tensions: Sequence[TensionView]) -> None:
    """Tensions with the steps that led to where each stands."""
    if not tensions:
        say(console, "There is no tension.")
        return
    table = table_of("number >", "effect", "on", "state", "opened", "steps")
    for one in tensions:
        steps = ", ".join(f"{_words(step.outcome)} ({step.number})" for step in one.steps)
        state = _words(one.state)
        add_row(
            table, one.number, _words(one.effect), one.bearer, state, time_of(one.opened), steps
        )
    console.print(table)


def print_episodes(console: Console, episodes: Sequence[EpisodeView]) -> None:
    """Episodes, one a row: when, how long, what about, and in what mood it closed."""
    if not episodes:
        say(console, "Nothing has been said yet.")
        return
    if episodes[0].number > 1:
        _earlier(console, episodes[0].number - 1, "episodes")
    table = table_of("episode >", "began", "lasted >", "turns >", "first turn >", "about", "closed")
    for one in episodes:
        span = (_minute(one.started), _lasted(one.started, one.ended), one.turns, one.first)
        add_row(table, one.number, *span, one.title, _feeling(one.closing_mood))
    console.print(table)


def print_episode(console: Console, one: EpisodeView) -> None:
    """One episode in full."""
    span = f"{_minute(one.started)} to {_minute(one.ended)}" if one.started else "at no known time"
    say(
        console,
        f"episode {one.number} · {span} · {several(one.turns, 'turn')}, {one.first} to {one.last}",
        "bold",
    )
    say(console, f"  {one.title}")
    by = "" if one.summarised is None else f" (proposed, number {one.summarised})"
    say(console, f"\nIn short{by}:")
    for line in one.summary:
        say(console, f"  {line.words}  [{listed(line.texts)}]")
    for kind, heading in _HEADINGS.items():
        found = [each for each in one.highlights if each.kind == kind]
        if found and kind in ("named", "figure"):
            say(console, f"\n{heading}: {', '.join(each.words for each in found)}")
        elif found:
            say(console, f"\n{heading}:")
            for each in found:
                because = f", number {each.because}" if each.because is not None else ""
                say(console, f"  {each.speaker}: “{each.words}”  text {each.text}{because}")
    say(console, "")
    for name in ("beliefs", "promises", "loops", "consequences"):
        if numbers := getattr(one, name):
            say(console, f"{name.capitalize()} born in it: {listed(numbers)}")
    if one.open_tensions:
        say(console, f"Tensions open at its end: {listed(one.open_tensions)}")
    if one.left_out:
        left = ", ".join(f"{count} × {_NOT_TOLD[name]}" for name, count in one.left_out.items())
        say(console, f"Not told here, to keep it short: {left}", "dim")
    mood = one.closing_mood
    values = "" if mood is None else f"  {_feelings(mood)}"
    say(console, f"Closing mood of the user: {_feeling(mood) or 'never seen'}{values}")
    if one.began is not None:
        say(console, f"Why it begins there: enishi why {one.began}", "dim")


_HEADINGS = {
    "peak": "Said with feeling",
    "referred": "Referred to later",
    "named": "Named",
    "figure": "Numbers and dates",
}
_NOT_TOLD = {
    "beliefs": "a belief",
    "promises": "a promise",
    "loops": "an open loop",
    "consequences": "a consequence",
    "open_tensions": "an open tension",
    "summary": "a sentence of the summary",
    "peak": "said with feeling",
    "referred": "referred to later",
    "named": "a name",
    "figure": "a number or date",
}


def print_chapters(console: Console, chapters: Sequence[ChapterView], hidden: int) -> None:
    """What runs through several episodes."""
    _earlier(console, hidden, "chapters")
    if not chapters:
        say(console, "Nothing runs through several episodes yet.")
        return
    table = table_of("link", "number >", "what", "status", "episodes", "turns")
    for one in chapters:
        what = (one.link, one.number, one.title, _words(one.status))
        add_row(table, *what, listed(one.episodes), listed(one.turns))
    console.print(table)


def _minute(moment: Moment | None) -> str:
    return "unknown" if moment is None else moment.to_datetime().strftime("%Y-%m-%d %H:%M")


def _lasted(start: Moment | None, end: Moment | None) -> str:
    if start is None or end is None:
        return ""
    minutes = (end.at - start.at) // MINUTE
    return f"{minutes} min" if minutes < 180 else f"{minutes // 60} h"


_FEELINGS = (
    ("valence", "glad", "low"),
    ("arousal", "stirred up", "calm"),
    ("fatigue", "tired", "fresh"),
    ("confidence", "sure", "unsure"),
)
_CLEARLY = 0.1


def _feeling(mood: MoodView | None) -> str:
    """A mood in a word or two: what differs clearly from the baseline."""
    if mood is None:
        return ""
    told = []
    for name, more, less in _FEELINGS:
        change = getattr(mood, name) - getattr(mood.baseline, name)
        if abs(change) >= _CLEARLY:
            told.append(more if change > 0 else less)
    return ", ".join(told) or "even"


def _feelings(mood: MoodView) -> str:
    return ", ".join(f"{name} {getattr(mood, name):+.2f}" for name, _, _ in _FEELINGS)


def print_decisions(console: Console, decided: Sequence[Decided], hidden: int) -> None:
    """Proposals and the kernel's answers."""
    _earlier(console, hidden, "decisions")
    if not decided:
        say(console, "Nothing was proposed.")
        return
    table = table_of("number >", "verdict", "reason", "proposal", "event >", "proposer")
    for one in decided:
        what = _proposal(one.proposal)
        add_row(table, one.number, one.verdict, _words(one.reason), what, one.event, one.proposer)
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
        return _words(signal)
    if kind == "mood" and "felt" in proposal:
        values = ", ".join(
            f"{name} {value / 10_000:.2f}" for name, value in proposal["felt"].items()
        )
        return f"mood of the {proposal['party']}, {proposal['intensity']}: {values}"
    told = ("subject", "key", "value", "promiser", "act", "outcome", "effect", "continuation",
            "words")  # fmt: skip
    ours = ("key", "outcome", "effect")
    parts = [
        _words(proposal[name]) if name in ours else str(proposal[name])
        for name in told
        if name in proposal
    ]
    if not proposal.get("polarity", True):
        parts.insert(-1, "not")
    about = ("belief", "promise", "loop", "consequence", "event")
    parts += [f"({_words(name)} {proposal[name]})" for name in about if name in proposal]
    return short_line(" ".join([_words(kind), *parts]))


def print_erii(console: Console, reports: Sequence[EriiReport]) -> None:
    """What came of packs of E.R.I.I.: what is here now, what is not and why, what is otherwise."""
    for report in reports:
        done = (
            f"{several(report.turns, 'turn')}, {several(report.notes, 'belief')} as notes, "
            f"{several(report.events, 'item')} decided"
            if report.changed
            else "nothing new"
        )
        head = f"E.R.I.I. {report.version}: {report.agent} and {report.user}"
        say(console, f"{head}, branch {report.branch!r}: {done}")
        for reason, group in _by_reason(report.refused).items():
            kinds = ", ".join(f"{count} × {what}" for what, count in group.items())
            say(console, f"  without effect ({reason}): {kinds}", "yellow")
        for one in report.differences:
            say(console, f"  {one}", "yellow")
        counts = ", ".join(f"{what}: {count}" for what, count in report.left_out.items())
        if counts:
            say(console, f"  Left out: {counts}.", "yellow")


def _by_reason(refused: Sequence[Refused]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for one in refused:
        found.setdefault(one.reason, Counter())[one.what] += 1
    return found


MANY_CHATS = 20
"""More chats than these are summed up."""


def print_imports(
    console: Console, reports: Sequence[ImportReport], adopted: Sequence[dict[str, str]]
) -> None:
    """What became of files that were taken in; of many chats, the sum for each relationship."""
    if len(reports) > MANY_CHATS:
        _print_sums(console, reports)
    for report in reports if len(reports) <= MANY_CHATS else ():
        where = f"new branch {report.branch!r}" if report.branched else f"branch {report.branch!r}"
        done = ", ".join(_counts([report])) if report.changed else "nothing new"
        called = report.label or report.title
        say(console, f"{called}: {report.agent} and {report.user}, {where}: {done}")
        for note in report.notes:
            place = f"line {note.position}: " if note.position else ""
            say(console, f"  {place}{note.message}", "yellow")
    for one in adopted:
        card = f"{one['file']}: {one['agent']} is played from this card ({one['spec']})"
        say(console, f"{card} towards {one['user']}")


def _print_sums(console: Console, reports: Sequence[ImportReport]) -> None:
    parties = dict.fromkeys((report.agent, report.user) for report in reports)
    for agent, user in parties:
        own = [one for one in reports if (one.agent, one.user) == (agent, user)]
        done = ", ".join(_counts(own)) or "nothing new"
        say(console, f"{agent} and {user}: {several(len(own), 'chat')}: {done}")
    notes = sum(len(report.notes) for report in reports)
    if notes:
        say(console, f"  Notes on them: {notes}; --json prints each.", "yellow")


def _counts(reports: Sequence[ImportReport]) -> list[str]:
    counted = (
        ("turns", "turn", "turns"),
        ("branched", "new branch", "new branches"),
        ("variants", "new variant", "new variants"),
        ("revised", "edited text", "edited texts"),
        ("chosen", "changed choice", "changed choices"),
        ("cut", "turn or text that left it", "turns or texts that left it"),
        ("signals", "event by the rules", "events by the rules"),
    )
    done = []
    for key, one, more in counted:
        n = sum(int(getattr(report, key)) for report in reports)
        if n and (len(reports) > 1 or key != "branched"):
            done.append(several(n, one, more))
    return [*done, "turns that came back"] if any(one.returned for one in reports) else done


def print_verifications(
    console: Console,
    verified: Iterable[tuple[Parties, Verification]],
    stray: Iterable[Problem] = (),
) -> None:
    """What verifying found, one relationship a line, and each problem with its place."""
    for bond, found in verified:
        verdict = "verified" if found.ok else several(len(found.problems), "problem")
        counts = f"{several(found.length, 'record')}, {found.erased} erased"
        say(console, f"{bond.agent} and {bond.user}: {counts}, tip {found.tip}: {verdict}")
        for problem in found.problems:
            say(console, f"  {problem}", "bold red")
    for problem in stray:
        say(console, str(problem), "bold red")


def listed(numbers: Iterable[int]) -> str:
    """Numbers in a row."""
    return ", ".join(str(number) for number in numbers)


def _earlier(console: Console, hidden: int, what: str) -> None:
    if hidden:
        say(console, f"({hidden} earlier {what}; --last 0 shows all)")


def table_of(*columns: str) -> Table:
    """A plain table; a column whose name ends with > is aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Any = "right" if column.endswith(">") else "left"
        table.add_column(column.removesuffix(">").strip(), justify=justify, overflow="fold")
    return table


def add_row(table: Table, *cells: object) -> None:
    """Add a row of plain cells."""
    from rich.text import Text as Cell

    # As a Cell, a name in square brackets is not read as markup.
    shown = ("" if cell is None else str(cell).translate(_ORDERS) for cell in cells)
    table.add_row(*map(Cell, shown))


def time_of(moment: Moment | None) -> str:
    """A moment as it is shown."""
    return "unknown" if moment is None else str(moment)


def several(number: int, one: str, many: str | None = None) -> str:
    """So many of something: "1 turn", "2 turns"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def short_line(text: str) -> str:
    """A text in one line that fits beside others."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else line[: _QUOTE - 1] + "…"


_OUTCOMES = {
    "new": "new here, {records} records",
    "nothing new": "nothing new",
    "went on": "went on by {records} records",
    "branch": "taken in as branch {name!r}, {records} records of its own",
    "tombstones": "only its tombstones were new",
}


def print_carried(
    console: Console, names: Sequence[str], packs: Sequence[PackTaken], dry_run: bool
) -> None:
    """What became of MemoryPacks, or would become of them."""
    for name, taken in zip(names, packs, strict=True):
        for line in taken.lines:
            done = _OUTCOMES[line.outcome].format(records=line.records, name=line.name)
            more = f", {line.filled} withheld payloads filled in" if line.filled else ""
            would = "would be: " if dry_run else ""
            say(console, f"{name}: {taken.agent} and {taken.user}: {would}{done}{more}")
            if line.kept_out:
                say(
                    console,
                    f"  {line.kept_out} texts and events of it were erased here, and stay erased",
                )
            judged = line.rejudged
            if judged.unjudged:
                rest = f"{judged.judged} decisions judged again, {judged.unjudged} could not be"
                say(console, f"  {rest}: other rules, or evidence that is not there", "yellow")
            for branch, projection in line.differing:
                say(console, f"  {projection} on {branch!r} differs from what the pack says", "red")
        if taken.erased:
            say(console, f"  {taken.erased} texts and events here were erased, as the pack says")
        if taken.signature == "unchecked":
            say(console, f"  {_UNCHECKED.format(taken.signer)}", "yellow")
        else:
            say(console, f"  {_sealed(taken.signer, taken.known)}", "dim")


_UNCHECKED = "signature not checked, it names {}; to check it: pip install 'enishi[crypto]'"


def _sealed(signer: str | None, known: bool) -> str:
    if signer is None:
        return "not signed"
    return f"sealed by {signer}" + ("" if known else ", whom this store does not know")


def print_exported(console: Console, exported: Exported) -> None:
    """Where a pack went, and what is in it."""
    left = [f"{exported.erased} erased"] if exported.erased else []
    left += [f"{exported.withheld} withheld"] if exported.withheld else []
    gone = f" ({', '.join(left)})" if left else ""
    say(console, f"{exported.path}: {exported.records} records{gone}, {exported.bytes:,} bytes")
    say(console, f"  pack {exported.pack}", "dim")
    if exported.encrypted:
        say(console, "  encrypted", "dim")
    say(console, f"  {_sealed(exported.signer, True)}", "dim")


def print_inspected(console: Console, name: str, found: PackInspection) -> None:
    """What a pack says of itself; everything of it was checked."""
    manifest = found.manifest
    say(console, f"{name}: {manifest.agent} and {manifest.user}", "bold")
    counts = [f"{manifest.records} records", f"{manifest.payloads} with their payload"]
    counts += [f"{manifest.erased} erased"] if manifest.erased else []
    counts += [f"{manifest.withheld} withheld"] if manifest.withheld else []
    say(console, f"  {', '.join(counts)}; chain, commitments and types are as they should be")
    for line in manifest.lines:
        branches = ", ".join(branch.name for branch in line.branches)
        say(console, f"  {line.length} records to {line.tip.hex()}: {branches}")
    for what, names in (("policies", manifest.policies), ("cards", manifest.blueprints)):
        if names:
            say(console, f"  {what}: {', '.join(names)}")
    say(console, f"  pack {found.pack}", "dim")
    signed = {
        "none": "not signed",
        "right": f"sealed by {found.signer}",
        "wrong": f"sealed by {found.signer}: the signature does not fit",
        "unchecked": _UNCHECKED.format(found.signer),
    }
    say(console, f"  {signed[found.signature]}{', encrypted' if found.encrypted else ''}", "dim")


def print_keys(console: Console, keys: Sequence[Signer]) -> None:
    """Signers that a store believes."""
    for signer in keys:
        say(console, f"{signer.key.hex()}  {signer.name}")
