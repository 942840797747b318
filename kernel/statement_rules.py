"""What plain words state outright: beliefs of the speaker about himself, promises, open loops.

The tables `rules/*_statements.toml` hold the words. A statement opens its clause, says nothing
that the words around it take back, and gives its value as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from pydantic import Field

from enishi.kernel.carried import Said, negated, negations
from enishi.kernel.decisions import ANY_SIGN
from enishi.kernel.moments import date_of
from enishi.kernel.proposals import (
    Belief,
    Category,
    Citation,
    Frozen,
    OpenLoop,
    Party,
    Promise,
    Proposal,
    ReadText,
)
from enishi.kernel.said_days import SaidDay, follows, said_days
from enishi.kernel.sentences import WORDS

LONGEST_LOOP = 80
"""An event and its day that stand farther apart have little to do with each other."""

Span = tuple[int, int]


class Statement(Frozen):
    """What shows a statement. No words taken by `@` are taken that have one of `never` in them."""

    shown: list[str]
    never: list[str] = Field(default_factory=list)


class BeliefStatement(Statement):
    """`capital`: the value is a name. `only`: from this party alone."""

    key: str
    category: Category = "fact"
    polarity: bool = True
    capital: bool = False
    only: Party | None = None


class PromiseStatement(Statement):
    """`dated`: no word says that it is a promise, but a day to come does."""

    dated: bool = False


class LoopStatement(Statement):
    """`anywhere`: it need not open its clause."""

    anywhere: bool = False


class StatementTable(Frozen):
    """The statements of one language as its file holds them."""

    openers: list[str]
    leads: list[str]
    cues: list[str]
    small: list[str]
    conditions: list[str]
    words: dict[str, str]
    beliefs: list[BeliefStatement]
    promises: list[PromiseStatement]
    loops: list[LoopStatement]


class Sentence(NamedTuple):
    """A sentence within what its author says himself, cut into clauses."""

    speech: str
    start: int
    end: int
    asked: int
    clauses: Sequence[Span]
    silenced: Callable[[Sentence, int, int], bool]


class _Shown(NamedTuple):
    statement: Statement
    pattern: re.Pattern[str]
    never: re.Pattern[str]


class Statements:
    """The statements of one language, compiled. `either` compiles patterns of its notation."""

    def __init__(
        self, table: StatementTable, either: Callable[[Iterable[str]], re.Pattern[str]]
    ) -> None:
        gap = rf"[^{WORDS}\0\n]*+"
        self._opener = re.compile(f"{gap}(?:(?:{either(table.openers).pattern}){gap})*+")
        self._condition = either(table.conditions)
        self._small = frozenset(table.small)
        everything: list[Statement] = [*table.beliefs, *table.promises, *table.loops]
        shown = [_Shown(one, either(one.shown), either(one.never)) for one in everything]
        self._free = [one for one in shown if getattr(one.statement, "anywhere", False)]
        self._opening = [one for one in shown if one not in self._free]
        self._leads = either(table.leads)
        self.cued = either([factored(table.cues)])

    def found(self, text: ReadText, sentence: Sentence) -> Iterator[Proposal]:
        """What one sentence states; of each key, what is stated first."""
        seen: set[str] = set()
        for match, one in self._matches(sentence):
            made = self._made(one, text, sentence, match)
            slot = made.key if isinstance(made, Belief) else made and made.kind
            if made and slot not in seen:
                seen.add(str(slot))
                yield made

    def _matches(self, sentence: Sentence) -> Iterator[tuple[re.Match[str], _Shown]]:
        read = -1
        for low, high in sentence.clauses:
            opened = self._opener.match(sentence.speech, low, sentence.end)
            first = opened.end() if opened else low
            if first > read and self._leads.match(sentence.speech, first, sentence.end):
                read = first
                for one in self._opening:
                    if match := one.pattern.match(sentence.speech, first, sentence.end):
                        yield match, one
            for one in self._free:
                if match := one.pattern.search(sentence.speech, low, high):
                    yield match, one

    def _made(
        self, one: _Shown, text: ReadText, sentence: Sentence, match: re.Match[str]
    ) -> Proposal | None:
        if match.lastindex is None or match.end() > sentence.asked:
            return None
        taken = _trimmed(text.content, match.span(match.lastindex))
        if taken[0] >= taken[1] or one.never.search(sentence.speech, *taken):
            return None
        statement = one.statement
        if isinstance(statement, PromiseStatement):
            return self._promise(statement, text, sentence, match.span(), taken)
        if isinstance(statement, LoopStatement):
            return _loop(text, sentence, match.span(), taken)
        if isinstance(statement, BeliefStatement):
            return self._belief(statement, text, sentence, match.span(), taken)
        return None

    def _belief(
        self,
        statement: BeliefStatement,
        text: ReadText,
        sentence: Sentence,
        cited: Span,
        taken: Span,
    ) -> Belief | None:
        value = text.content[slice(*taken)]
        if sentence.silenced(sentence, *cited):
            return None
        if text.role != (statement.only or text.role) or text.role == "other":
            return None
        if statement.capital and not self._named(value):
            return None
        if statement.key not in ANY_SIGN and statement.category not in ("constraint", "instruction"):
            meant = (not statement.polarity) ^ (negations(value) % 2 == 1)
            if meant != negated([_said(text, cited)]):
                return None
        return Belief(
            subject=text.role,
            key=statement.key,
            value=value,
            polarity=statement.polarity,
            category=statement.category,
            citations=_cited(text, cited),
        )

    def _named(self, value: str) -> bool:
        """Whether a value is written as a name: every word of it but the small ones."""
        words = value.split()
        return not "a" <= words[0][0] <= "z" and all(
            word in self._small or not "a" <= word[0] <= "z" for word in words
        )

    def _promise(
        self,
        statement: PromiseStatement,
        text: ReadText,
        sentence: Sentence,
        promised: Span,
        taken: Span,
    ) -> Promise | None:
        condition, cited = None, promised
        if not statement.dated:
            condition, cited = self._conditioned(text, sentence, promised)
        first, last = cited
        if text.role == "other" or last > sentence.asked or sentence.silenced(sentence, first, last):
            return None
        loose = self._condition.search(sentence.speech, sentence.start, sentence.end)
        if loose and condition is None:
            return None
        act = text.content[slice(*taken)]
        said = _said(text, cited)
        if (negations(act) % 2 == 1) != negated([said]):
            return None
        days = {one.day for one in _days_ahead(text, cited, least=0)}
        due = days.pop() if len(days) == 1 else None
        if due is not None and not follows(due, said.words, said.moment):
            due = None
        if statement.dated and due is None:
            return None
        return Promise(
            promiser=text.role,
            act=act,
            due=due,
            condition=text.content[slice(*condition)] if condition else None,
            citations=_cited(text, cited),
        )

    def _conditioned(
        self, text: ReadText, sentence: Sentence, promised: Span
    ) -> tuple[Span | None, Span]:
        """The condition right before or right after a promise, and both together."""
        first, last = promised
        opened = self._opener.match(sentence.speech, sentence.start, first)
        start = opened.end() if opened else sentence.start
        before = self._condition.match(sentence.speech, start, first)
        if before and before.lastindex and not sentence.speech[before.end() : first].strip(" ,，"):
            return _trimmed(text.content, before.span(before.lastindex)), (start, last)
        gap = re.compile("[ ,，]*").match(sentence.speech, last, sentence.end)
        after = self._condition.match(sentence.speech, gap.end() if gap else last, sentence.end)
        if after and after.lastindex:
            return _trimmed(text.content, after.span(after.lastindex)), (first, after.end())
        return None, promised


def factored(patterns: Iterable[str]) -> str:
    """One pattern for any of these; what begins alike is tried once, so that it is found fast."""
    by_head: dict[str, list[str]] = {}
    for pattern in dict.fromkeys(patterns):
        literal = re.match(r"[a-z0-9 '\u4e00-\u9fff](?![?*+{])", pattern)
        head = literal[0] if literal else ""
        by_head.setdefault(head, []).append(pattern[len(head) :])
    plain = by_head.pop("", [])
    return "|".join(
        plain + [f"{head}({factored(rest)})" if rest[1:] else head + rest[0]
                 for head, rest in by_head.items()]
    )  # fmt: skip


def _loop(text: ReadText, sentence: Sentence, cited: Span, taken: Span) -> OpenLoop | None:
    """Something that lies ahead: the clause names one day, and it is later than today."""
    low = max(low for low, _ in sentence.clauses if low <= cited[0])
    high = min(high for _, high in sentence.clauses if high >= cited[1])
    days = _days_ahead(text, (low, min(high, sentence.asked)), least=1)
    if len(days) != 1:
        return None
    start, end = min(cited[0], days[0].start), max(cited[1], days[0].end)
    if end - start > LONGEST_LOOP or sentence.silenced(sentence, start, end):
        return None
    said = _said(text, (start, end))
    day = days[0].day
    if negated([said]) or not follows(day, said.words, said.moment):
        return None
    return OpenLoop(
        subject=text.content[slice(*taken)],
        continuation=said.words,
        expected_by=day,
        citations=_cited(text, (start, end)),
    )


def _days_ahead(text: ReadText, within: Span, *, least: int) -> list[SaidDay]:
    """The days named within a span, if they all lie at least so many days ahead."""
    if text.happened is None:
        return []
    soonest = (date_of(text.happened.day) + timedelta(days=least)).isoformat()
    days = said_days(text.content[slice(*within)], text.happened)
    if any(one.day < soonest[: len(one.day)] for one in days):
        return []
    return [SaidDay(one.start + within[0], one.end + within[0], one.day) for one in days]


def _said(text: ReadText, cited: Span) -> Said:
    return Said(text.content, *cited, text.happened)


def _cited(text: ReadText, cited: Span) -> tuple[Citation]:
    start, end = cited
    quote = text.content[start:end]
    return (Citation(text=text.number, start=start, end=end, quote=quote),)


def _trimmed(content: str, span: Span) -> Span:
    """A span without the blanks and the quotes around its words."""
    start, end = span
    while start < end and content[start] in _AROUND:
        start += 1
    while end > start and content[end - 1] in _AROUND:
        end -= 1
    return start, end


_AROUND = " \t\"“”「」『』《》"
