"""L3, the portrait: who the user is, by rule, in sentences that each have their sources.

It tells what is held true of the user, and then what runs through several sessions: promises, loops
and tensions as they ended or stand, and names that come up again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from enishi.kernel.deciding.proposals import Category
from enishi.kernel.explaining import Quote
from enishi.kernel.fold import fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.transcript import turn_views
from enishi.projections.beliefs import BeliefView
from enishi.projections.chapters import ChapterView
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.recall.holding import Rivals, Seen, belief_item, promise_item, tension_item
from enishi.projections.recall.items import Item
from enishi.projections.tensions import TENSIONS, tensions

SENTENCES = 8
"""Sentences of a portrait."""

THREADS = 3
"""Of them so many at most tell of what runs through several sessions."""

_ORDER: tuple[Category, ...] = ("identity", "constraint", "preference", "fact", "occurrence")


def portrait_views(views: Iterable[BeliefView]) -> list[BeliefView]:
    """Of beliefs about the user, the current ones in the order in which a portrait tells them.

    Who they are comes first, then what they must not have, what they like, what is so. Of each sort
    those that were told or confirmed most often, then lately.
    """
    about = [view for view in views if view.status == "current" and view.category in _ORDER]
    return sorted(about, key=_weight)


def portrait_items(
    beliefs: Iterable[BeliefView],
    at: Moment,
    seen: Seen,
    rivals: Rivals,
    chapters: Iterable[ChapterView],
) -> list[Item]:
    """The portrait, sentence by sentence, of beliefs about the user and of these chapters."""
    threads = [*_threads(chapters, at, seen)]
    views = portrait_views(beliefs)[: SENTENCES - len(threads)]
    return [belief_item(view, seen, "portrait", rivals=rivals(view)) for view in views] + threads


def _threads(chapters: Iterable[ChapterView], at: Moment, seen: Seen) -> Iterator[Item]:
    """The chapters that were gone on with last, as sentences."""
    depth_of = seen.stream.history.depth_of
    latest = sorted(chapters, key=lambda one: (one.link == "named", -depth_of(one.turns[-1])))
    for chapter in latest[:THREADS]:
        item = _named(chapter, seen) if chapter.number is None else _told(chapter, at, seen)
        if item is not None:
            yield item


def _told(chapter: ChapterView, at: Moment, seen: Seen) -> Item | None:
    """The promise, the loop or the tension of a chapter, with the words with which it ended."""
    if chapter.link == "tension":
        folded = fold_of(seen.stream, seen.branch, TENSIONS).state()
        opened = (
            tension_item(one, seen) for one in tensions(folded) if one.number == chapter.number
        )
        item, ended = next(opened, None), None
    else:
        folded = fold_of(seen.stream, seen.branch, PROMISES).state()
        views: list[PromiseView | LoopView] = [*promises_at(folded, at), *loops_at(folded, at)]
        view = next((one for one in views if one.number == chapter.number), None)
        item = None if view is None else promise_item(view, seen, "portrait")
        ended = None if view is None else view.ended_by
    if item is None:
        return None
    end = seen.stream.payload(ended) if ended is not None else None
    sources = item.sources + (seen.quotes(end.get("spans", ())) if end else ())
    return replace(item, layer="portrait", kind="sentence", because="portrait", sources=sources)


def _named(chapter: ChapterView, seen: Seen) -> Item | None:
    """A name that comes up again and again, with the words in which it did first and last."""
    name, sources = chapter.title, []
    for view in turn_views(seen.stream, seen.branch, [chapter.turns[0], chapter.turns[-1]]):
        for text in (*view.messages, *([view.reply] if view.reply else [])):
            start = -1 if text.hidden or not text.stands else (text.content or "").find(name)
            if start >= 0:
                span = start, start + len(name)
                sources.append(Quote(text.number, *span, name, text.name, text.happened))
    if not sources:
        return None
    return Item(
        numbers=tuple(dict.fromkeys(quote.text for quote in sources)),
        layer="portrait",
        kind="sentence",
        text=f"{name} comes up in {len(chapter.episodes)} sessions.",
        chinese=f"{name}在 {len(chapter.episodes)} 次对话中出现。",
        because="portrait",
        happened=sources[-1].happened,
        speaker=sources[-1].speaker,
        sources=tuple(sources),
        authority="established",
        audience="user",
    )


def _weight(view: BeliefView) -> tuple[int, int, int, int]:
    affirmed = view.last_affirmed
    often = len(view.told) + len(view.confirmed_at)
    return _ORDER.index(view.category), -often, -(affirmed.at if affirmed else 0), view.number
