"""What stands behind a hit: the episode around it, and the promise behind a loop.

A text that was found is seldom all that was said of a matter: what was said right before and after it
in the same episode comes along in short. What was promised in the words of a hit says how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from enishi.kernel.transcript import turn_views
from enishi.projections.episodes import Episode, Told, episode_at
from enishi.projections.promises import LoopView, PromiseView
from enishi.projections.recall.holding import Seen, promise_item
from enishi.projections.recall.items import Item
from enishi.projections.recall.running import summary_item
from enishi.projections.recall.words import terms

AROUND = 2
"""So many hits, the best ones, bring what was said around them along."""

NEAR = 2
"""Turns before and after a hit that are around it."""

TELLING = 2
"""So many terms a text around has at least: "I see" tells nothing."""


def around(
    seen: Seen,
    hits: Iterable[Item],
    episodes: list[Episode],
    counts: Callable[[int], bool],
    told: Collection[int],
) -> Iterator[Item]:
    """What was said around the best of these hits, in some of its own sentences, without what is `told`.

    `counts` says of a text whether it is told of at all.
    """
    history = seen.stream.history
    places = dict.fromkeys(turns[-1] for hit in hits if (turns := _turns(seen, hit)))
    shown: set[int] = set()
    for turn in list(places)[:AROUND] if episodes else ():
        episode = episodes[episode_at(episodes, history.depth_of(turn)) - 1]
        if turn not in episode.turns:
            continue
        place = episode.turns.index(turn)
        turns = episode.turns[max(0, place - NEAR) : place + NEAR + 1]
        texts = {
            text.number: text
            for view in turn_views(seen.stream, seen.branch, turns)
            for text in (*view.messages, *([view.reply] if view.reply else []))
            if text.content and text.stands and not text.hidden
        }
        fresh = {
            n: text
            for n, text in texts.items()
            if counts(n)
            and n not in told
            and n not in shown
            and len(terms(text.content or "")) >= TELLING
        }
        item = summary_item(Told(episode, fresh), "around")
        if item is not None:
            shown.update(item.numbers)
            yield item


def behind(
    seen: Seen, hits: Iterable[Item], views: Iterable[PromiseView | LoopView]
) -> Iterator[Item]:
    """The promises and loops that were made in the turns of these hits, each as it stands."""
    turn = seen.stream.history.turn
    places = {one for hit in hits for one in _turns(seen, hit)}
    for view in views:
        if places & {turn[span[0]] for span in view.spans}:
            yield promise_item(view, seen, "behind")


def _turns(seen: Seen, hit: Item) -> list[int]:
    """The turns in which the words of a hit were said."""
    return [seen.stream.history.turn[quote.text] for quote in hit.sources]
