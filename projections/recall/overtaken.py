"""What a text says that does not hold any more, and what holds instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from enishi.kernel.fold import State
from enishi.kernel.words.vocabulary import published_keys
from enishi.projections.beliefs import BeliefView

_OVER = ("past", "replaced", "conflicting", "retracted")

Slot = tuple[str, str]
"""Whom beliefs are about, and their key."""


@dataclass(slots=True)
class Overtaken:
    """The statements of a state, and `about`: all that is held true about somebody at a moment."""

    state: State
    about: Callable[[str], list[BeliefView]]
    _slots: dict[Slot, list[BeliefView]] = field(default_factory=dict)
    _by_text: dict[int, dict[Slot, None]] | None = None

    def beliefs(self, subject: str, key: str) -> list[BeliefView]:
        """What is held true about somebody under one key."""
        slot = subject, key
        if slot not in self._slots:
            self._slots[slot] = [one for one in self.about(subject) if one.key == key]
        return self._slots[slot]

    def since(self, text: int) -> tuple[list[BeliefView], list[BeliefView]]:
        """The beliefs that rest on a text and do not hold any more, and those that hold instead."""
        gone: list[BeliefView] = []
        instead: dict[int, BeliefView] = {}
        for subject, name in self._resting_on(text):
            views = self.beliefs(subject, name)
            over = [
                view
                for view in views
                if view.status in _OVER and any(span[0] == text for span in view.spans)
            ]
            gone += over
            winners = {view.resolved_from[0] for view in over if view.resolved_from}
            key = published_keys().get(name)
            if over and key is not None and key.values == "one":
                winners.update(view.number for view in views)
            instead |= {v.number: v for v in views if v.status == "current" and v.number in winners}
        return gone, list(instead.values())

    def _resting_on(self, text: int) -> dict[Slot, None]:
        if self._by_text is None:
            self._by_text = {}
            for record in self.state["stated"].values():
                for span in record["spans"]:
                    slots = self._by_text.setdefault(span[0], {})
                    slots[record["subject"], record["key"]] = None
        return self._by_text.get(text, {})
