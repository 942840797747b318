"""L0 and the newest of L1: the running session turn by turn, and the last episodes in short."""

from __future__ import annotations

from collections.abc import Iterator

from enishi.kernel.transcript import Text, TurnView, turn_views
from enishi.projections.episodes import Episode, told_episodes
from enishi.projections.recall.holding import Seen
from enishi.projections.recall.items import Item
from enishi.projections.recall.rendering import clean, in_line
from enishi.projections.shortening import shortened
from enishi.projections.summarising import extracted

WHOLE_TURNS = 4
"""Of the running session, so many turns are shown whole; older ones in their short form."""

LAST_EPISODES = 2
"""Episodes before the running one that are told in short."""


def session_items(seen: Seen, episode: Episode, but: int | None) -> Iterator[Item]:
    """The turns of the running episode, the newest first, without the turn that is being answered."""
    turns = [turn for turn in episode.turns if turn != but]
    kept = [(text, start, end) for _, _, text, start, end in episode.entry["peaks"]]
    views = list(turn_views(seen.stream, seen.branch, turns[-8 * WHOLE_TURNS :]))
    for age, view in enumerate(reversed(views)):
        whole = age < WHOLE_TURNS
        lines = _whole(view) if whole else list(map(in_line, shortened(view, kept).lines))
        numbers = tuple(text.number for text in _texts(view))
        if lines and numbers:
            yield Item(
                numbers=numbers,
                layer="session",
                kind="turn",
                text="\n".join(lines),
                because="running",
                happened=view.happened,
                authority="established",
                audience="user",
                cut=not whole,
            )


def episode_items(seen: Seen, episodes: list[Episode]) -> Iterator[Item]:
    """The last episodes before the running one, each in some of its own sentences."""
    for told in told_episodes(seen.stream, seen.branch, episodes[-1 - LAST_EPISODES : -1][::-1]):
        _, lines = extracted(told)
        if lines:
            texts = tuple(dict.fromkeys(number for line in lines for number in line.texts))
            yield Item(
                numbers=texts,
                layer="episodes",
                kind="episode",
                text=" ".join(line.words for line in lines),
                because="recent",
                happened=told.texts[texts[0]].happened,
                sources=seen.quotes((n, 0, len(told.texts[n].content or "")) for n in texts),
                authority="established",
                audience="user",
                cut=True,
            )


def _texts(view: TurnView) -> list[Text]:
    texts = [*view.messages, *([view.reply] if view.reply is not None else [])]
    return [text for text in texts if text.content and text.stands and not text.hidden]


def _whole(view: TurnView) -> list[str]:
    """Each text with its speaker; what looks like one within a text stands further in."""
    return [
        f"{in_line(text.name)}: {clean(text.content or '')}".replace("\n", "\n    ")
        for text in _texts(view)
    ]
