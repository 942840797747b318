"""A memoir: the relationship told for people as Markdown, in the words of the two.

Episodes with their highlights, what ran through several of them, promises and how they ended, what
stood between the two. Frame and dates are in English or Chinese, by what is mostly spoken. What the
agent kept to itself is told to the agent alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.explaining import quotes
from enishi.kernel.fold import fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.recording import party_name
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import text_of
from enishi.kernel.words.spoken import Language
from enishi.packs.memorypack.exporting import written_whole
from enishi.packs.showing.mood_line import mood_words
from enishi.packs.showing.phrases import counted, day, phrases
from enishi.projections.chapters import ChapterView, Link, chapters
from enishi.projections.character import CHARACTER, ReflectionView, reflections
from enishi.projections.episodes import episodes_of
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.summarising import SummaryLine
from enishi.projections.telling import EpisodeView, episode_views
from enishi.projections.tensions import TENSIONS, TensionView, tensions
from enishi.projections.timeline import language_of

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#|~&!$])")


def memoir(stream: Stream, branch: int, audience: Audience) -> str:
    """The memoir of a branch for an audience, as Markdown. Needs `stream.reading()`."""
    told = _Told(
        stream,
        branch,
        language_of(stream, branch),
        party_name(stream, branch, stream.line.agent),
        party_name(stream, branch, stream.line.user),
        chapters(stream, branch),
    )
    promises = fold_of(stream, branch, PROMISES).state()
    character = fold_of(stream, branch, CHARACTER).state()
    blocks = [
        *told.title(),
        *told.episodes(episode_views(stream, branch, episodes_of(stream, branch))),
        *told.threads(),
        *told.promises(promises_at(promises, None)),
        *told.loops(loops_at(promises, None)),
        *told.tensions(tensions(fold_of(stream, branch, TENSIONS).state())),
        *told.thoughts(reflections(character, audience)),
    ]
    return "\n\n".join(blocks) + "\n"


def write_memoir(path: Path, stream: Stream, branch: int, audience: Audience) -> None:
    """Write the memoir to a new file, whole or not at all. Needs `stream.reading()`."""
    text = memoir(stream, branch, audience)
    with written_whole(path, lambda start: False) as out:
        out.write(text.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class _Told:
    """Who tells of whom, and in which language. Each method yields blocks of Markdown."""

    stream: Stream
    branch: int
    language: Language
    agent: str
    user: str
    chapters: list[ChapterView]

    def title(self) -> Iterator[str]:
        standing = self.stream.standing(self.branch)
        turns = len(standing.path) - 1
        first = standing.began(1) if turns else None
        known = [moment for moment in (first, standing.last_moment()) if moment is not None]
        days = dict.fromkeys(day(self.language, moment) for moment in known)
        span = [" – ".join(days)] if days else []
        yield f"# {_plain(self.agent)} · {_plain(self.user)}"
        yield f"*{' · '.join([*span, counted(self.language, 'turns', turns)])}*"
        yield self.say("preface") if turns else str(phrases(self.language)["nothing"])

    def episodes(self, views: Iterable[EpisodeView]) -> Iterator[str]:
        """Each episode under its year, with what was said with feeling or came up later."""
        for year, several in groupby(views, key=_year):
            yield f"## {self.say('undated') if year is None else year}"
            for one in several:
                when = [] if one.started is None else [day(self.language, one.started, short=True)]
                title = [_plain(one.title)] if one.title else []
                yield f"### {' · '.join([str(one.number), *when, *title])}"
                marked = {
                    (each.text, each.start): (each.speaker, each.words)
                    for each in one.highlights
                    if each.kind in ("peak", "referred")
                }
                lines = [self.said(*marked[place]) for place in sorted(marked)]
                if one.summarised is not None:
                    yield " ".join(_plain(line.words) for line in one.summary)
                elif not lines:
                    lines = [self.said(self.speaker(line), line.words) for line in one.summary]
                if lines:
                    yield "\n>\n".join(f"> {line}" for line in lines)
                if one.closing_mood and (words := mood_words(one.closing_mood, self.language)):
                    joined = str(phrases(self.language)["memoir"]["joined"]).join(words)
                    yield self.say("parted", user=_plain(self.user), words=joined)

    def speaker(self, line: SummaryLine) -> str:
        return text_of(self.stream, self.branch, line.texts[0]).name

    def threads(self) -> Iterator[str]:
        """Names that come up in several episodes; the other chapters are told where they belong."""
        named = [one for one in self.chapters if one.link == "named"]
        if named:
            yield f"## {self.say('threads')}"
            yield _listed(
                self.say("recurring", name=_plain(one.title)) + self.between(one) for one in named
            )

    def within(self, link: Link, number: int) -> str:
        """The episodes that a promise, loop or tension connects, if it does."""
        found = (one for one in self.chapters if (one.link, one.number) == (link, number))
        return "".join(map(self.between, found))

    def between(self, one: ChapterView) -> str:
        joined: str = phrases(self.language)["memoir"]["joined"]
        return self.say("between", episodes=joined.join(map(str, one.episodes)))

    def promises(self, found: Iterable[PromiseView]) -> Iterator[str]:
        lines = []
        for one in found:
            who = self.agent if one.promiser == "agent" else self.user
            promised = self.say("promised", who=_plain(who), quote=self.quote(one.act))
            within = self.within("promise", one.number)
            lines.append(f"{self.dated(one.made)}{promised} – {self.ended(one)}{within}")
        if lines:
            yield f"## {self.say('promises')}"
            yield _listed(lines)

    def loops(self, found: Iterable[LoopView]) -> Iterator[str]:
        lines = [
            f"{self.dated(one.made)}{self.quote(one.subject)} – {self.ended(one)}"
            f"{self.within('loop', one.number)}"
            for one in found
        ]
        if lines:
            yield f"## {self.say('loops')}"
            yield _listed(lines)

    def ended(self, one: PromiseView | LoopView) -> str:
        status: str = phrases(self.language)["status"][one.status]
        return self.status(status, one.ended_by)

    def status(self, status: str, event: int | None) -> str:
        moment = None if event is None else self.stream.history.moment(event)
        if moment is None:
            return status
        return self.say("ended", status=status, day=day(self.language, moment))

    def tensions(self, found: Iterable[TensionView]) -> Iterator[str]:
        words = phrases(self.language)
        lines = []
        for one in found:
            cited = quotes(self.stream, self.branch, {"spans": one.spans})
            said = [self.said(quote.speaker, quote.words) for quote in cited if quote.words]
            last = one.steps[-1].number if one.steps else None
            status = self.status(words["status"][one.state], last)
            within = self.within("tension", one.number)
            told = f"{self.dated(one.opened)}{words['effect'][one.effect]} – {status}{within}"
            lines.append(told + "\n  >".join(f"\n  > {line}" for line in said))
        if lines:
            yield f"## {self.say('tensions')}"
            yield _listed(lines)

    def thoughts(self, found: Iterable[ReflectionView]) -> Iterator[str]:
        lines = [f"{self.dated(one.made)}{_plain(one.words)}" for one in found if one.current]
        if lines:
            yield f"## {self.say('thoughts', agent=_plain(self.agent))}"
            yield _listed(lines)

    # Words

    def say(self, what: str, /, **values: object) -> str:
        form: str = phrases(self.language)["memoir"][what]
        return form.format(**values)

    def quote(self, words: str) -> str:
        return self.say("quote", words=_plain(words))

    def said(self, speaker: str, words: str) -> str:
        return self.say("said", speaker=f"**{_plain(speaker)}**", quote=self.quote(words))

    def dated(self, moment: Moment | None) -> str:
        return "" if moment is None else f"{day(self.language, moment)} · "


def _year(one: EpisodeView) -> int | None:
    return None if one.started is None else one.started.to_datetime().year


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _plain(words: str) -> str:
    """Words in one line that Markdown shows as they are."""
    return _MARKS.sub(r"\\\1", " ".join(words.split()))
