"""L0 and the newest of L1: the running session turn by turn, and the last episodes in short."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enishi.kernel.explaining import Quote
from enishi.kernel.moments import DAY, Moment
from enishi.kernel.transcript import Text, TurnView, turn_views
from enishi.projections.episodes import Episode, Told, told_episodes
from enishi.projections.recall.holding import Seen
from enishi.projections.recall.items import Because, Item
from enishi.projections.recall.rendering import clean, in_line
from enishi.projections.shortening import shortened
from enishi.projections.summarising import extracted

WHOLE_TURNS = 4
"""Of the running session, so many turns are shown whole; older ones in their short form."""

LAST_EPISODES = 2
"""Episodes before the running one that are told in short."""

RECENT = 30 * DAY
"""What was said longer ago is not recent, and has to be asked for."""


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


def episode_items(
    seen: Seen,
    episodes: list[Episode],
    at: Moment,
    counts: Callable[[int], bool],
    always: bool,
) -> Iterator[Item]:
    """The recent ones of these episodes, the last first, each in some of its own sentences.

    `always`: the last one even if it is not recent. `counts` says of a text whether it is told of.
    """
    for age, told in enumerate(
        told_episodes(seen.stream, seen.branch, episodes[-LAST_EPISODES:][::-1])
    ):
        told = Told(told.episode, {n: t for n, t in told.texts.items() if counts(n)})
        last = max((t.happened.at for t in told.texts.values() if t.happened), default=at.at)
        if at.at - last > RECENT and not (always and not age):
            return
        item = summary_item(told, "recent")
        if item is not None:
            yield item


def summary_item(told: Told, because: Because) -> Item | None:
    """An episode, or a part of it, in some of its own sentences; None where it has none."""
    _, lines = extracted(told)
    if not lines:
        return None
    texts = [told.texts[n] for n in dict.fromkeys(n for line in lines for n in line.texts)]
    return Item(
        numbers=tuple(text.number for text in texts),
        layer="episodes",
        kind="episode",
        text=" ".join(line.words for line in lines),
        because=because,
        happened=texts[0].happened,
        sources=tuple(
            Quote(one.number, 0, len(one.content or ""), one.content, one.name, one.happened)
            for one in texts
        ),
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
