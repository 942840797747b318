"""What is remembered, on a terminal: beliefs, promises, tensions, episodes, chapters."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from enishi.kernel.moments import MINUTE, Moment
from enishi.packs.showing.terminal import (
    add_row,
    earlier,
    listed,
    say,
    several,
    table_of,
    time_of,
    words_of,
)
from enishi.projections.beliefs import BeliefView, Staleness
from enishi.projections.chapters import ChapterView
from enishi.projections.mood import MoodView
from enishi.projections.promises import LoopView, PromiseView
from enishi.projections.telling import EpisodeView
from enishi.projections.tensions import TensionView


def print_beliefs(console: Console, beliefs: Sequence[BeliefView]) -> None:
    """What is held true, one belief a row."""
    if not beliefs:
        say(console, "Nothing is held true.")
        return
    table = table_of("number >", "about", "what", "value", "when", "how", "status")
    for one in beliefs:
        value = one.value if one.polarity else f"not {one.value}"
        lost = one.status != "current" and one.reason
        status = f"{one.status}: {words_of(lost)}" if lost else one.status
        against = one.resolved_from[:1] if lost and one.resolved_from else ()
        see = listed(sorted({*against, *one.possible_conflicts} - {one.number}))
        how = f"{one.authority}, {one.basis}"
        about, what = (one.number, one.subject), (words_of(one.key), value, _when(one))
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
            status = f"{promise.status}, {words_of(promise.timing)}" if late else promise.status
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

        def marked(number: int, erased: Sequence[int] = one.on_erased) -> str:
            return ", on erased words" if number in erased else ""

        steps = ", ".join(
            f"{words_of(step.outcome)} ({step.number}{marked(step.number)})" for step in one.steps
        )
        effect, state = f"{words_of(one.effect)}{marked(one.number)}", words_of(one.state)
        add_row(table, one.number, effect, one.bearer, state, time_of(one.opened), steps)
    console.print(table)


def print_episodes(console: Console, episodes: Sequence[EpisodeView]) -> None:
    """Episodes: when, how long, from which turn, in what mood each closed, and what about."""
    if not episodes:
        say(console, "Nothing has been said yet.")
        return
    if episodes[0].number > 1:
        earlier(console, episodes[0].number - 1, "episodes")
    for one in episodes:
        lasted = _lasted(one.started, one.ended)
        when = _minute(one.started) if one.started else "at no known time"
        said = f"{several(one.turns, 'turn')} from {one.first}"
        closed = _feeling(one.closing_mood)
        facts = (f"episode {one.number}", when, lasted, said, closed and f"closed {closed}")
        say(console, " · ".join(fact for fact in facts if fact), "bold")
        say(console, f"  {one.title}")


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
    earlier(console, hidden, "chapters")
    if not chapters:
        say(console, "Nothing runs through several episodes yet.")
        return
    table = table_of("link", "number >", "what", "status", "episodes", "turns")
    for one in chapters:
        what = (one.link, one.number, one.title, words_of(one.status))
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
