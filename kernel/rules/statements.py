"""What plain words state outright: beliefs of the speaker about himself, promises, open loops.

The tables `rules/*_statements.toml` hold the words. A statement opens its clause, says nothing
that the words around it take back, and gives its value as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from pydantic import Field

from enishi.kernel.deciding.decisions import ANY_SIGN
from enishi.kernel.deciding.earnestness import said_in_earnest
from enishi.kernel.deciding.proposals import (
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
from enishi.kernel.moments import DAY, Moment, date_of
from enishi.kernel.words.carried import Said, negated, negations
from enishi.kernel.words.said_days import SaidDay, follows, said_days
from enishi.kernel.words.sentences import WORDS

WIDEST_GAP = 25
"""An event and its day that stand farther apart have little to do with each other."""

Span = tuple[int, int]

_MARK = re.compile(rf"[^{WORDS}\0\n.!。！]{{0,8}}[?？]")
_BLANKS = re.compile(" +")
_NEAR = 1000
_ANY_TIME = (Moment(183 * DAY), Moment(2 * DAY))
_UNSIGNED = ("constraint", "instruction")
_FREE = "instruction"
"""The category in whose words anything may stand, also what asks."""

_AROUND = ' \t"“”「」『』《》'


class Statement(Frozen):
    """What shows a statement. The head of `rules/en_statements.toml` explains each part."""

    cues: list[str]
    shown: list[str]
    never: list[str] = Field(default_factory=list)
    anywhere: bool = False


class BeliefStatement(Statement):
    """What shows that the speaker holds something to be so of himself."""

    key: str
    category: Category = "fact"
    polarity: bool = True
    capital: bool = False
    only: Party | None = None


class PromiseStatement(Statement):
    """What shows that the speaker gives his word."""

    dated: bool = False


class StatementTable(Frozen):
    """The statements of one language as its file holds them."""

    openers: list[str]
    leads: list[str]
    small: list[str]
    conditions: list[str]
    no_loop: list[str]
    asking: list[str] = Field(default_factory=list)
    measures: list[str] = Field(default_factory=list)
    words: dict[str, str]
    beliefs: list[BeliefStatement]
    promises: list[PromiseStatement]
    loops: list[Statement]


class Sentence(NamedTuple):
    """A sentence within what its author says himself, cut into clauses."""

    speech: str
    start: int
    end: int
    asked: int
    clauses: Sequence[Span]
    silenced: Callable[[Sentence, int, int], bool]


Either = Callable[[Iterable[str]], re.Pattern[str]]
"""Compiles patterns of the tables' notation."""


class _Shown:
    """A statement and what shows it, compiled when it is first looked for: most never are."""

    def __init__(self, statement: Statement, either: Either) -> None:
        self.statement, self._either = statement, either

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return self._either(self.statement.shown)

    @cached_property
    def never(self) -> re.Pattern[str]:
        return self._either(self.statement.never)


class _Found(NamedTuple):
    """A statement in a sentence: the words that show it, and those of them that are taken."""

    text: ReadText
    speaker: Party
    sentence: Sentence
    shown: Span
    taken: Span


class Statements:
    """The statements of one language, compiled."""

    def __init__(self, table: StatementTable, either: Either) -> None:
        openers, gap = either([factored(table.openers)]).pattern, rf"[^{WORDS}\0\n]*+"
        self._opener = re.compile(f"{gap}(?:(?:{openers}){gap})*")
        self._leads = either(table.leads)
        self._condition = either(table.conditions)
        self._no_loop = either(table.no_loop)
        self._asking = either(table.asking) if table.asking else None
        self._measure = either(table.measures)
        self._small = frozenset(table.small)
        everything = (*table.beliefs, *table.promises, *table.loops)
        self._all = [_Shown(one, either) for one in everything]
        cues = [
            (word, number)
            for number, one in enumerate(everything)
            for cue in one.cues
            for word in (table.words[cue[1:-1]].split("|") if cue[0] == "<" else [cue])
        ]
        # A cue hides the cues within it, so that it stands for them as well.
        self._by_cue = {word: [number for part, number in cues if part in word] for word, _ in cues}
        self.cues = either([factored(map(re.escape, self._by_cue))])

    def cued(self, speech: str, start: int, end: int) -> list[int]:
        """Which statements the cues of a sentence make worth looking for."""
        # Where a table has one blank, a text may have several.
        cues = {_BLANKS.sub(" ", cue[0]) for cue in self.cues.finditer(speech, start, end)}
        return sorted({number for cue in cues for number in self._by_cue[cue]}) if cues else []

    def found(self, text: ReadText, sentence: Sentence, cued: list[int]) -> Iterator[Proposal]:
        """What one sentence states; of each key, what is stated first."""
        seen: set[str] = set()
        for match, one in self._matches(sentence, cued):
            slot = getattr(one.statement, "key", type(one.statement).__name__)
            taken = _trimmed(text.content, match.span(match.lastindex or 0))
            if not isinstance(one.statement, PromiseStatement):
                taken = self._without_measure(sentence.speech, taken)
            asked = match.end() > sentence.asked or _MARK.match(sentence.speech, match.end())
            wrong = asked or one.never.search(sentence.speech, *taken)
            if not wrong and slot not in seen and text.role != "other":
                found = _Found(text, text.role, sentence, match.span(), taken)
                made = self._made(one.statement, found)
                if made and said_in_earnest(made, _said_by(text, made)):
                    seen.add(slot)
                    yield made

    def _without_measure(self, speech: str, taken: Span) -> Span:
        """What is counted, without the words that count it."""
        measure = self._measure.match(speech, *taken)
        return taken if measure is None else (measure.end(), taken[1])

    def _made(self, statement: Statement, found: _Found) -> Proposal | None:
        if isinstance(statement, BeliefStatement):
            return self._belief(statement, found)
        if isinstance(statement, PromiseStatement):
            return self._promise(statement, found)
        return self._loop(found)

    def _matches(
        self, sentence: Sentence, cued: list[int]
    ) -> Iterator[tuple[re.Match[str], _Shown]]:
        speech, read, end = sentence.speech, -1, sentence.end
        for low, high in sentence.clauses if cued else ():
            first = self._opener.match(speech, low, end).end()  # type: ignore[union-attr]
            leads = first > read and self._leads.match(speech, first, end)
            read = max(first, read)
            for one in (self._all[number] for number in cued):
                if one.statement.anywhere:
                    match = one.pattern.search(speech, low, high)
                else:
                    match = one.pattern.match(speech, first, end) if leads else None
                if match:
                    yield match, one

    def _belief(self, statement: BeliefStatement, found: _Found) -> Belief | None:
        value = found.text.content[slice(*found.taken)]
        asks = self._asking and self._asking.search(found.sentence.speech, *found.taken)
        if asks and statement.category != _FREE:
            return None
        if (
            found.speaker != (statement.only or found.speaker)
            or (statement.capital and not self._named(value))
            or found.sentence.silenced(found.sentence, *found.shown)
        ):
            return None
        signed = not (statement.key in ANY_SIGN or statement.category in _UNSIGNED)
        meant = (not statement.polarity) ^ (negations(value) % 2 == 1)
        if signed and meant != negated([_said(found.text, found.shown)]):
            return None
        return Belief(
            subject=found.speaker,
            key=statement.key,
            value=value,
            polarity=statement.polarity,
            category=statement.category,
            citations=_cited(found.text, found.shown),
        )

    def _named(self, value: str) -> bool:
        """Whether a value is written as a name: every word of it but the small ones."""
        small = [word for word in value.split() if "a" <= word[0] <= "z"]
        return not "a" <= value[0] <= "z" and self._small.issuperset(small)

    def _promise(self, statement: PromiseStatement, found: _Found) -> Promise | None:
        text, _, sentence, cited, taken = found
        condition, cited = (None, cited) if statement.dated else self._conditioned(found)
        open_condition = self._condition.search(sentence.speech, sentence.start, sentence.end)
        if (
            cited[1] > sentence.asked
            or sentence.silenced(sentence, *cited)
            or (open_condition and not condition)
        ):
            return None
        act = text.content[slice(*taken)]
        if (negations(act) % 2 == 1) != negated([_said(text, cited)]):
            return None
        days = {one.day for one in _days_ahead(text, cited)}
        if statement.dated and len(days) != 1:
            return None
        due = _known_day(text, days.pop()) if len(days) == 1 else None
        return Promise(
            promiser=found.speaker,
            act=act,
            due=due,
            condition=condition,
            citations=_cited(text, cited),
        )

    def _conditioned(self, found: _Found) -> tuple[str | None, Span]:
        """The condition right before or right after a promise, and where both stand."""
        text, _, sentence, (first, last), _ = found
        speech, rest = sentence.speech, sentence.speech[last : sentence.end]
        opened = self._opener.match(speech, sentence.start, first)
        start = opened.end() if opened else first
        before = self._condition.match(speech, start, first)
        after = self._condition.match(speech, sentence.end - len(rest.lstrip(" ,，")), sentence.end)
        if before and not speech[before.end() : first].strip(" ,，"):
            condition, cited = before, (start, last)
        elif after:
            condition, cited = after, (first, after.end())
        else:
            return None, found.shown
        words = slice(*_trimmed(text.content, condition.span(condition.lastindex or 0)))
        return text.content[words], cited

    def _loop(self, found: _Found) -> OpenLoop | None:
        """Something that lies ahead: the clause names one day, and it is later than today."""
        text, _, sentence, (first, last), taken = found
        low = max(low for low, _ in sentence.clauses if low <= first)
        high = min(high for _, high in sentence.clauses if high >= last)
        days = _days_ahead(text, (low, min(high, sentence.asked)))
        loose = self._no_loop.search(sentence.speech, low, high)
        if loose or len(days) != 1 or days[0].day == _today(_seen_from(text)[0]):
            return None
        cited = min(first, days[0].start), max(last, days[0].end)
        apart = max(days[0].start - last, first - days[0].end)
        if apart > WIDEST_GAP or sentence.silenced(sentence, *cited):
            return None
        said, day = _said(text, cited), _known_day(text, days[0].day)
        if negated([said]) or (day and not follows(day, said.words, said.moment)):
            return None
        return OpenLoop(
            subject=text.content[slice(*taken)],
            continuation=said.words,
            expected_by=day,
            citations=_cited(text, cited),
        )


def factored(patterns: Iterable[str]) -> str:
    """One pattern for any of these; what begins alike is tried once, so that it is found fast."""
    by_head: dict[str, list[str]] = {}
    for pattern in dict.fromkeys(chain(*map(_alternatives, patterns))):
        literal = re.match(r"[a-z0-9 '\u4e00-\u9fff](?![?*+{])", pattern)
        head = literal[0] if literal else ""
        by_head.setdefault(head, []).append(pattern[len(head) :])
    whole = by_head.pop("", [])
    for head, rest in by_head.items():
        whole.append(f"{head}(?:{factored(rest)})" if rest[1:] else head + rest[0])
    return "|".join(sorted(whole, key=lambda pattern: not pattern))  # the longer word comes first


def _alternatives(pattern: str) -> list[str]:
    """A regular expression cut at those of its bars that stand in no group and no class."""
    parts, depth = [""], 0
    for piece in re.findall(r"\\.|\[\]?(?:\\.|[^\]])*\]|.", pattern, re.DOTALL):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _days_ahead(text: ReadText, within: Span) -> list[SaidDay]:
    """The days named within a span, if none of them is past, whenever it was said."""
    words = text.content[slice(*within)]
    for seen_from in _seen_from(text):
        days, today = said_days(words, seen_from), _today(seen_from)
        if any(one.day < today[: len(one.day)] for one in days):
            return []
    return [SaidDay(one.start + within[0], one.end + within[0], one.day) for one in days]


def _seen_from(text: ReadText) -> tuple[Moment, ...]:
    """When it was said; where nobody knows, any time, for which two that lie apart stand."""
    return (text.happened,) if text.happened else _ANY_TIME


def _known_day(text: ReadText, day: str) -> str | None:
    """A day that was named, unless nobody knows which one that is."""
    return day if text.happened else None


def _today(moment: Moment) -> str:
    return date_of(moment.day).isoformat()


def _said(text: ReadText, cited: Span) -> Said:
    """The cited words in their surroundings; a whole text would be walked for each statement."""
    low = max(0, cited[0] - _NEAR)
    near = text.content[low : cited[1] + _NEAR]
    return Said(near, cited[0] - low, cited[1] - low, text.happened)


def _said_by(text: ReadText, proposal: Proposal) -> Said:
    """The words that a proposal cites, as the kernel will see them: a sentence may wish in another
    language than that of the statement in it.
    """
    (citation,) = proposal.citations
    return Said(text.content, citation.start or 0, citation.end or 0, text.happened)


def _cited(text: ReadText, cited: Span) -> tuple[Citation]:
    quote = text.content[slice(*cited)]
    return (Citation(text=text.number, start=cited[0], end=cited[1], quote=quote),)


def _trimmed(content: str, span: Span) -> Span:
    """A span without the blanks and the quotes around its words."""
    words = content[slice(*span)]
    start = span[0] + len(words) - len(words.lstrip(_AROUND))
    return start, max(start, span[0] + len(words.rstrip(_AROUND)))
