"""The bundled proposer: tables of words for English and Chinese, and no model.

The tables under `rules/` hold every word; here is only how they are read, and how signals are
found; `statements` finds what is stated outright. It prefers silence to a guess: whoever
wants more than plain words show puts a model behind the same protocol.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from itertools import chain, islice
from math import inf
from typing import Literal, NamedTuple, get_args

from pydantic import Field

from enishi.kernel.deciding.proposals import (
    Citation,
    Frozen,
    Proposal,
    ReadText,
    Signal,
    SignalKind,
    Strength,
)
from enishi.kernel.rules.statements import (
    Either,
    Sentence,
    Statements,
    StatementTable,
    factored,
)
from enishi.kernel.words.folding import folding, folding_table
from enishi.kernel.words.sentences import WORDS, asides, sentences, spoken

EDITION = 3
"""Counted up by hand when the reading changes; changed tables show in the version by themselves."""

LANGUAGES = ("en", "zh")
MOST_PROPOSALS = 32
MOST_MATCHES = 8
"""So many matches of one kind are judged in one sentence."""
LONGEST_TEXT = 1 << 16
"""What stands beyond these many code points is not read: no message is that long."""
LONGEST_SENTENCE = 500
"""A longer stretch without an end has no grammar that these tables could follow."""

Where = Literal["text", "sentence", "earlier", "later", "before", "after"]

_STRENGTHS: tuple[Strength, ...] = get_args(Strength)
_WHOLE = "(?<![a-z0-9])(?=[!-~])(?:{})(?![a-z0-9])"
_ASKING = re.compile(rf"[?？][^{WORDS}]*\Z")


class Patterns(Frozen):
    """What shows one kind of signal, by who acted and how strongly. `decoys` only look alike."""

    speaker: dict[Strength, list[str]] = Field(default_factory=dict)
    listener: dict[Strength, list[str]] = Field(default_factory=dict)
    decoys: list[str] = Field(default_factory=list)

    def groups(self) -> Iterator[tuple[bool, int, bool, list[str]]]:
        """Whether the speaker acted, how strongly, whether it must open a clause, what shows it."""
        for speaker_acted, by_strength in ((True, self.speaker), (False, self.listener)):
            for strength, shown in by_strength.items():
                opening = [pattern[1:] for pattern in shown if pattern.startswith("^")]
                anywhere = [pattern for pattern in shown if not pattern.startswith("^")]
                for opens, patterns in ((True, opening), (False, anywhere)):
                    if patterns:
                        yield speaker_acted, _STRENGTHS.index(strength), opens, patterns


class Table(Frozen):
    """One language as its file holds it. The head of `rules/en.toml` explains each part."""

    whole_words: bool
    quotes: list[str]
    edges: str
    joints: list[str]
    openers: list[str]
    words: dict[str, str]
    stronger: list[str]
    weaker: list[str]
    tags: list[str]
    foreign: list[str]
    silence: dict[Where, dict[str, list[str]]]
    signals: dict[SignalKind, Patterns]
    statements: StatementTable


class _Hit(NamedTuple):
    kind: SignalKind
    speaker_acted: bool
    strength: int
    start: int
    end: int


class _Group(NamedTuple):
    speaker_acted: bool
    strength: int
    opens: bool
    pattern: re.Pattern[str]


class _Kind:
    """What shows one kind of signal, compiled when one is first looked for."""

    def __init__(self, patterns: Patterns, either: Either) -> None:
        self._patterns, self._either = patterns, either

    @cached_property
    def groups(self) -> list[_Group]:
        return [
            _Group(speaker_acted, strength, opens, self._either(shown))
            for speaker_acted, strength, opens, shown in self._patterns.groups()
        ]

    @cached_property
    def decoys(self) -> re.Pattern[str]:
        return self._either(self._patterns.decoys)


class RuleProposer:
    """Proposes signals, beliefs, promises and open loops where plain words show them.

    Pure: the same texts give the same answer on every machine. Each proposal cites the one span
    of words that matched. A sentence gives at most one proposal of a kind, or of a belief's key,
    a text at most `MOST_PROPOSALS`.
    """

    name = "rules"
    by = "rule"

    def __init__(self) -> None:
        self._rules = _load()
        self.version = self._rules.version
        """Names the edition and the exact tables."""

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """What these texts show, in the order of the texts and of the sentences in them."""
        return [
            proposal
            for text in texts
            if text.role != "other"
            for proposal in islice(self._rules.read(text), MOST_PROPOSALS)
        ]


def _signal(text: ReadText, hit: _Hit) -> Signal:
    quote = text.content[hit.start : hit.end]
    return Signal(
        signal=hit.kind,
        actor="user" if (text.role == "user") == hit.speaker_acted else "agent",
        strength=_STRENGTHS[hit.strength],
        citations=(Citation(text=text.number, start=hit.start, end=hit.end, quote=quote),),
    )


class _Rules:
    """All languages together."""

    def __init__(self, sources: list[str]) -> None:
        # Each language has two files: how it is read and its signals, and its statements.
        tables = [
            Table.model_validate(tomllib.loads(source) | {"statements": tomllib.loads(stated)})
            for source, stated in zip(sources[::2], sources[1::2], strict=True)
        ]
        exact = sha256("".join((*sources, folding_table())).encode()).hexdigest()
        self.version = f"{EDITION}.{exact[:8]}"
        self._asides = asides(pair for table in tables for pair in table.quotes)
        self._languages = [_Language(table) for table in tables]

    def read(self, text: ReadText) -> Iterator[Proposal]:
        folded = text.content[:LONGEST_TEXT].translate(folding())
        likely = [(one, first) for one in self._languages if (first := one.first(folded))]
        if not likely:
            return
        speech = spoken(folded, self._asides)
        if any(language.silence["text"].search(speech) for language in self._languages):
            return
        for start, end in sentences(text.content[:LONGEST_TEXT]):
            if end - start <= LONGEST_SENTENCE:
                read = [one.read(text, speech, start, end, first) for one, first in likely]
                for hit in _strongest(chain(*(hits for hits, _ in read))):
                    yield _signal(text, hit)
                yield from chain(*(stated for _, stated in read))


def _strongest(hits: Iterable[_Hit]) -> list[_Hit]:
    """The strongest hit of each kind, the first among equals, in the order of the words."""
    best: dict[SignalKind, _Hit] = {}
    for hit in hits:
        if hit.kind not in best or hit.strength > best[hit.kind].strength:
            best[hit.kind] = hit
    return sorted(best.values(), key=lambda hit: (hit.start, hit.end, hit.kind))


class _Language:
    """One table, compiled."""

    def __init__(self, table: Table) -> None:
        def whole(body: str) -> re.Pattern[str]:
            return re.compile(_WHOLE.format(body) if table.whole_words else body)

        def either(patterns: Iterable[str]) -> re.Pattern[str]:
            return whole("|".join(_expanded(table, pattern) for pattern in patterns) or "(?!)")

        signals = table.signals
        shown = chain(*(group[-1] for p in signals.values() for group in p.groups()))
        begun = (_expanded(table, pattern) for pattern in chain(*map(_spread, shown)))
        self._shown = whole(factored(chain(*map(_spread, begun))))
        self.statements = Statements(table.statements, either)
        self.silence = {
            where: either(chain(*table.silence.get(where, {}).values()))
            for where in get_args(Where)
        }
        self._kinds = {kind: _Kind(patterns, either) for kind, patterns in signals.items()}
        self._edge = re.compile(f"[{table.edges}]+|{either(table.joints).pattern}")
        # What a lookahead took is not given back: a possessive group does the same, but Python
        # 3.11 before 3.11.5 loses matches with one.
        openers = f"(?:(?:{either(table.openers).pattern}) *)*"
        self._opener = re.compile(f" *(?=(?P<opened>{openers}))(?P=opened)")
        self._tag = either(table.tags)
        self._foreign = either(table.foreign)
        self._stronger = either(table.stronger)
        self._weaker = either(table.weaker)

    def first(self, text: str) -> tuple[float, float] | None:
        """Where signals and statements may begin; found far faster than they themselves."""
        found = self._shown.search(text), self.statements.cues.search(text)
        shown, cued = (one.start() if one else inf for one in found)
        return None if shown == cued == inf else (shown, cued)

    def read(
        self, text: ReadText, speech: str, start: int, end: int, first: tuple[float, float]
    ) -> tuple[Iterable[_Hit], Iterable[Proposal]]:
        """The signals and the statements of one sentence."""
        shown = first[0] < end and self._shown.search(speech, start, end)
        cued = self.statements.cued(speech, start, end) if first[1] < end else []
        if not (shown or cued) or self._foreign.search(speech, start, end):
            return (), ()
        edges = [edge.span() for edge in self._edge.finditer(speech, start, end)]
        asked = self._asked(speech, edges, start, end)
        lows = [start, *(stop for _, stop in edges)]
        clauses = list(zip(lows, [*(begin for begin, _ in edges), end], strict=True))
        sentence = Sentence(speech, start, end, asked, clauses, self._silenced)
        hits = self.hits(sentence) if shown else ()
        return hits, self.statements.found(text, sentence, cued)

    def hits(self, sentence: Sentence) -> Iterator[_Hit]:
        """The signals of one sentence."""
        speech, start, end = sentence[:3]
        for kind, one in self._kinds.items():
            found = [(g, m) for g in one.groups for m in g.pattern.finditer(speech, start, end)]
            decoys = list(one.decoys.finditer(speech, start, end)) if found else []
            for group, match in found[:MOST_MATCHES]:
                first, last = match.span()
                low, high = _clause(sentence, first, last)
                if (
                    last <= sentence.asked
                    and (not group.opens or self._opener.fullmatch(speech, low, first))
                    and not any(decoy.start() < last and first < decoy.end() for decoy in decoys)
                    and not self._silenced(sentence, first, last)
                ):
                    step = self._step(speech, first, last, max(low, first - 20), high)
                    strength = max(0, min(2, group.strength + step))
                    yield _Hit(kind, group.speaker_acted, strength, first, last)

    def _asked(self, speech: str, edges: list[tuple[int, int]], start: int, end: int) -> int:
        """Where the part of the sentence begins that is a question; its end if nothing is."""
        mark = _ASKING.search(speech, start, end)
        if not mark:
            return end
        begin = max((stop for _, stop in edges if stop <= mark.start()), default=start)
        return start if self._tag.fullmatch(speech[begin : mark.start()].strip(" ")) else begin

    def _silenced(self, sentence: Sentence, first: int, last: int) -> bool:
        """Whether something around the words takes them back: a negation, a report, an if."""
        speech, start, end = sentence[:3]
        low, high = _clause(sentence, first, last)
        around: tuple[tuple[Where, int, int], ...] = (
            *(("before", low, first), ("after", last, high)),
            *(("earlier", start, first), ("later", last, end)),
            *(("sentence", start, first), ("sentence", last, end)),
        )
        return any(self.silence[where].search(speech, *span) for where, *span in around)

    def _step(self, speech: str, first: int, last: int, low: int, high: int) -> int:
        """+1, 0 or -1: whether words in the hit or right beside it strengthen or weaken it."""

        def beside(degree: re.Pattern[str]) -> bool:
            words = degree.finditer(speech, low, min(high, last + 20))
            return any(word.end() >= first - 1 and word.start() <= last + 1 for word in words)

        return beside(self._stronger) - beside(self._weaker)


def _clause(sentence: Sentence, first: int, last: int) -> tuple[int, int]:
    """The clause of a hit; the clauses, if it stands in several."""
    low = max(low for low, _ in sentence.clauses if low <= first)
    return low, min(high for _, high in sentence.clauses if high >= last)


def _expanded(table: Table, pattern: str) -> str:
    """A pattern of the tables as a regular expression.

    A group repeats at most four times, so that no table can make the search explode.
    """
    body, words = pattern, table.words | table.statements.words
    while (named := re.sub("<([a-z_]+)>", lambda n: f"({factored([words[n[1]]])})", body)) != body:
        body = named
    body = body.replace(")*", "){0,4}").replace(")+", "){1,4}")
    body = re.sub(r"\((?!\?)", "(?:", body).replace("@(?:", "(").replace(" ", " +")
    return body.replace("$", f"(?= *(?:[{table.edges}]|\\Z))")


def _spread(pattern: str) -> list[str]:
    """The alternatives of a leading group as patterns that begin with a letter: found far faster."""
    group = re.match(r"\((?:\?:)?([^()]*)\)(?![?*+{])", pattern)
    return [each + pattern[group.end() :] for each in group[1].split("|")] if group else [pattern]


@cache
def _load() -> _Rules:
    folder = files("enishi.kernel.rules")
    names = [name for language in LANGUAGES for name in (language, f"{language}_statements")]
    return _Rules([folder.joinpath(f"{name}.toml").read_text("utf-8") for name in names])
