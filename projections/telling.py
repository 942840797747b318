"""Telling an episode: its original words, what was born in it, how it closed, and what it was about.

The fold has numbers and spans; here the words are read from the log, at the moment when somebody
asks, so what was erased is not told any more. All of it is chosen by rule, over integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from enishi.kernel.fold import standing_events
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import Text, turn_views
from enishi.kernel.words.named import figures, named_things
from enishi.kernel.words.sentences import sentence_at
from enishi.projections.episodes import Episode, Told, episodes_of, told_episodes
from enishi.projections.fitting import bytes_of, fitted
from enishi.projections.mood import MOOD, MoodView, course
from enishi.projections.shortening import ShortTurn, shortened
from enishi.projections.summarising import SummaryLine, cut, extracted, proposed
from enishi.projections.tensions import TENSIONS, open_tensions, tensions

HighlightKind = Literal["peak", "referred", "named", "figure"]

_BORN = ("beliefs", "promises", "loops", "consequences")

MOST: dict[str, int] = {"peak": 3, "referred": 2, "named": 4, "figure": 3}
"""Highlights of each kind that an episode shows."""

ROOM = 2048
"""Bytes that an episode takes at most as it is told, in one line of JSON."""

_FRAME, _MOOD = 440, 360
"""Bytes of what has a bounded length at its longest: names, numbers and times, and the mood."""

_LONGEST_TITLE = 100


@dataclass(frozen=True, slots=True)
class Highlight:
    """Original words of an episode, and why they stand out.

    A peak is said with strong feeling, `referred` was spoken of or cited later, `named` is a name
    or a title, a `figure` a number, a date or an id. `because` is the event that shows it, if any.
    """

    kind: HighlightKind
    words: str
    text: int
    start: int
    end: int
    speaker: str
    because: int | None


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """One episode. `number` counts from 1 along the path; `first` and `last` are turn numbers.

    `began` is the event that says it began (None: it is the first). `beliefs`, `promises`, `loops`
    and `consequences` are the numbers of what was born in it, `open_tensions` those of what was
    unsettled at its end. `summary` is by rule unless `summarised` names the event that holds it.
    All of it takes `ROOM` at most, and `left_out` says how many of what are not told: the least
    telling names and figures, the oldest numbers, further peaks, sentences of a summary.
    """

    number: int
    first: int
    last: int
    turns: int
    started: Moment | None
    ended: Moment | None
    began: int | None
    title: str
    highlights: tuple[Highlight, ...]
    summary: tuple[SummaryLine, ...]
    summarised: int | None
    closing_mood: MoodView | None
    beliefs: tuple[int, ...]
    promises: tuple[int, ...]
    loops: tuple[int, ...]
    consequences: tuple[int, ...]
    open_tensions: tuple[int, ...]
    left_out: dict[str, int]


def episode_views(stream: Stream, branch: int, episodes: Sequence[Episode]) -> list[EpisodeView]:
    """These episodes of a branch, told. Needs `stream.reading()`."""
    standing = stream.standing(branch)
    referred = referred_spans(stream, branch)
    ends = [standing.ended(one.end) for one in episodes]
    moods = _moods(stream, standing, ends)
    opened = _open_at(stream, standing, [one.end for one in episodes])
    names = party_names(stream)
    views = []
    texts = told_episodes(stream, branch, episodes)
    for one, ended, mood, unsettled in zip(texts, ends, moods, opened, strict=True):
        episode, entry = one.episode, one.entry
        highlights: dict[str, list[Highlight]] = {
            kind: list(found) for kind, found in _highlights(one, referred, names)
        }
        best, summary = extracted(one, referred)
        given, summarised = proposed(stream, one)
        title = _title(highlights["named"], best)
        room = ROOM - _FRAME - (_MOOD if mood else 0) - bytes_of(title)
        born = {name: entry[name][::-1] for name in _BORN}
        parts = {**born, "open_tensions": unsettled[::-1], "summary": given or summary}
        told, left = _within(room, {**parts, **highlights})
        views.append(
            EpisodeView(
                number=episode.number,
                first=episode.turns[0],
                last=episode.turns[-1],
                turns=len(episode.turns),
                started=standing.began(standing.history.depth_of(episode.turns[0])),
                ended=ended,
                began=entry["began"] if episode.number > 1 else None,
                title=title,
                highlights=tuple(each for kind in MOST for each in told[kind]),
                summary=tuple(told["summary"]),
                summarised=summarised,
                closing_mood=mood,
                beliefs=tuple(told["beliefs"][::-1]),
                promises=tuple(told["promises"][::-1]),
                loops=tuple(told["loops"][::-1]),
                consequences=tuple(told["consequences"][::-1]),
                open_tensions=tuple(told["open_tensions"][::-1]),
                left_out=left,
            )
        )
    return views


def _within(
    room: int, parts: Mapping[str, Sequence[Any]]
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """What of these is told, and how many of each are not; both together take this room at most."""
    shown = {name: each[: MOST.get(name)] for name, each in parts.items()}
    left: dict[str, int] = {}
    while True:
        told = fitted(shown, room - bytes_of(left))
        counts = {name: len(each) - len(told[name]) for name, each in parts.items()}
        found = {name: count for name, count in counts.items() if count}
        if bytes_of(found) <= bytes_of(left):
            return told, found
        left = found


def shortened_episode(stream: Stream, branch: int, episode: Episode) -> list[ShortTurn]:
    """The turns of an episode in their short form. Needs `stream.reading()`."""
    kept = [span[:3] for span in referred_spans(stream, branch)]
    kept += [(text, start, end) for _, _, text, start, end in episode.entry["peaks"]]
    short = [shortened(view, kept) for view in turn_views(stream, branch, episode.turns)]
    return [turn for turn in short if turn.lines]


def referred_spans(stream: Stream, branch: int) -> list[tuple[int, int, int, int]]:
    """(text, start, end, later event) of words that something recorded in a later turn cites, or
    from which it knows what it speaks of."""
    found, speaks_of = [], []
    for episode in episodes_of(stream, branch):
        found += [(text, start, end, later) for later, text, start, end in episode.entry["cites"]]
        speaks_of += episode.entry["speaks_of"]
    turn = stream.history.turn
    payloads = stream.payloads(sorted({earlier for _, earlier in speaks_of}))
    for later, earlier in speaks_of:
        spans = payloads.get(earlier, {}).get("spans", ())
        if spans and turn[earlier] != turn[later]:
            text, start, end = spans[-1]
            found.append((text, start, end, later))
    return found


def party_names(stream: Stream) -> frozenset[str]:
    """What the two were ever called: no names for things of their talk."""
    named = stream.payloads(stream.history.all("PartyNamed")).values()
    known = {stream.line.agent, stream.line.user}
    for payload in named:
        known |= {payload["name"], *payload.get("aliases", ())}
    return frozenset(word.lower() for name in known for word in (name, *name.split()))


def _moods(
    stream: Stream, standing: Standing, ends: Sequence[Moment | None]
) -> list[MoodView | None]:
    """The user's mood at each end; None where no time is known, or none was ever seen."""
    events = standing_events(stream, standing, MOOD)
    found = course(events, "user", [end for end in ends if end is not None])
    moods = [None if end is None else next(found) for end in ends]
    return [mood if mood is not None and mood.observed is not None else None for mood in moods]


def _open_at(stream: Stream, standing: Standing, depths: Sequence[int]) -> list[tuple[int, ...]]:
    """The tensions that were unsettled at each of these depths, which come in their order."""
    state, found = TENSIONS.initial(), []
    events = list(standing_events(stream, standing, TENSIONS))
    events.reverse()
    for depth in depths:
        while events and standing.history.depth_of(events[-1].turn) <= depth:
            TENSIONS.apply(state, events.pop(), None)
        found.append(tuple(view.number for view in open_tensions(tensions(state))))
    return found


def _highlights(
    one: Told, referred: Iterable[tuple[int, int, int, int]], names: frozenset[str]
) -> Iterator[tuple[HighlightKind, Iterator[Highlight]]]:
    """All that stands out, by kind, what tells most first."""
    peaks = [(*span, number) for _, number, *span in one.entry["peaks"]]
    yield "peak", _quoted("peak", one.texts, peaks)
    yield "referred", _quoted("referred", one.texts, referred)
    yield "named", _written("named", one.texts, _things(one.texts, names))
    yield "figure", _written("figure", one.texts, _figures(one.texts))


def _quoted(
    kind: HighlightKind, texts: dict[int, Text], spans: Iterable[Sequence[int]]
) -> Iterator[Highlight]:
    """The sentences of these spans, each once."""
    seen: set[tuple[int, int]] = set()
    for text, start, end, number in spans:
        content = texts[text].content if text in texts else None
        if content is None:
            continue
        low, high = sentence_at(content, start, end)
        if (text, low) not in seen:
            seen.add((text, low))
            name = cut(texts[text].name)
            yield Highlight(kind, cut(content[low:high]), text, low, high, name, number)


def _written(
    kind: HighlightKind, texts: dict[int, Text], spans: Iterable[tuple[int, int, int]]
) -> Iterator[Highlight]:
    for text, start, end in spans:
        words = cut((texts[text].content or "")[start:end])
        yield Highlight(kind, words, text, start, end, cut(texts[text].name), None)


def _things(texts: dict[int, Text], names: frozenset[str]) -> list[tuple[int, int, int]]:
    """The first place of each named thing, those named most often first."""
    first, count = things_named(texts.values(), names)
    often = sorted(first, key=lambda name: (-count[name], first[name]))
    return [first[name] for name in often]


def things_named(
    texts: Iterable[Text], names: frozenset[str]
) -> tuple[dict[str, tuple[int, int, int]], Counter[str]]:
    """Where each named thing stands first, and how often, without those who speak and `names`."""
    first: dict[str, tuple[int, int, int]] = {}
    count: Counter[str] = Counter()
    texts = list(texts)
    names = names | speaker_names(texts)
    for text in texts:
        content = text.content or ""
        for start, end in named_things(content):
            name = content[start:end]
            if not any(_calls(word, names) for word in name.lower().split()):
                first.setdefault(name, (text.number, start, end))
                count[name] += 1
    return first, count


def speaker_names(texts: Iterable[Text]) -> frozenset[str]:
    """What those who speak were called when they did."""
    return frozenset(word for text in texts for word in text.name.lower().split())


def _calls(word: str, names: frozenset[str]) -> bool:
    """Whether a word is a name of the two, or short for one."""
    return word in names or (len(word) > 1 and any(name.startswith(word) for name in names))


def _figures(texts: dict[int, Text]) -> list[tuple[int, int, int]]:
    """The first figures that differ, those of the user before those of the agent."""
    found: dict[str, tuple[int, int, int]] = {}
    for text in sorted(texts.values(), key=lambda text: text.role == "agent"):
        for start, end in figures(text.content or ""):
            found.setdefault((text.content or "")[start:end], (text.number, start, end))
    return list(found.values())


def _title(named: Iterable[Highlight], words: str) -> str:
    """What tells an episode from others at a glance: names in it, then its weightiest words."""
    names = [one.words for one in named][:2]
    return cut(" · ".join([*names, cut(words, 60)] if words else names), _LONGEST_TITLE)
