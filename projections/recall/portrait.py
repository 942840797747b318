"""L3, the portrait: who the user is, by rule, in sentences that each rest on a belief."""

from __future__ import annotations

from enishi.kernel.deciding.proposals import Category
from enishi.kernel.fold import State
from enishi.kernel.moments import Moment
from enishi.projections.beliefs import BeliefView, beliefs_at
from enishi.projections.recall.holding import Rivals, Seen, belief_item
from enishi.projections.recall.items import Item

SENTENCES = 8
"""Sentences of a portrait."""

_ORDER: tuple[Category, ...] = ("identity", "constraint", "preference", "fact", "occurrence")


def portrait_views(state: State, at: Moment) -> list[BeliefView]:
    """The current beliefs about the user that make the portrait, in the order in which it tells them.

    Who they are comes first, then what they must not have, what they like, what is so. Of each sort
    those that were told or confirmed most often, then lately.
    """
    about = [
        view
        for view in beliefs_at(state, at, subject="user")
        if view.status == "current" and view.category in _ORDER
    ]
    about.sort(key=_weight)
    return about[:SENTENCES]


def portrait_items(state: State, at: Moment, seen: Seen, rivals: Rivals) -> list[Item]:
    """The portrait, sentence by sentence."""
    return [
        belief_item(view, seen, "portrait", rivals=rivals(view))
        for view in portrait_views(state, at)
    ]


def _weight(view: BeliefView) -> tuple[int, int, int, int]:
    affirmed = view.last_affirmed
    often = len(view.told) + len(view.confirmed_at)
    return _ORDER.index(view.category), -often, -(affirmed.at if affirmed else 0), view.number
