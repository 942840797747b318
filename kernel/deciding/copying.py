"""Whether cited words were only given back: copied from a rendering of memories, or from a card.

What the character was handed is no evidence, and strengthens nothing.
"""

from __future__ import annotations

import json
from typing import Any

from enishi.kernel.deciding.case import Case
from enishi.kernel.words.carried import Said
from enishi.kernel.words.sentences import sentence_at

RENDERING = ("⟦enishi", "⟧")
"""What a rendering of memories for a prompt begins with, and what its frame ends with."""

_LONG_ENOUGH = 16
"""Columns from which on equal words are a copy and no chance; a Chinese character takes two."""


def cited_rendering(case: Case) -> bool:
    """Whether some cited words stand within a rendering of memories that found its way back."""
    opening, closing = RENDERING
    reason = None if case.because is None else case.said(case.because.citation)
    for said in case.quoted if reason is None else [*case.quoted, reason]:
        begin = said.text.rfind(opening, 0, said.end)
        if begin != -1 and said.text.find(closing, begin, said.start) == -1:
            return True
    return False


def cited_blueprint(case: Case) -> bool:
    """Whether all cited sentences were copied from the character's card."""
    cards = [text for number, text in case.blueprints.items() if number < case.latest.number]
    if not cards or not case.quoted:
        return False
    return all(_copied(said, cards) for said in case.quoted)


def _copied(said: Said, cards: list[str]) -> bool:
    """Whether the cited sentence, alone or with the one before or after it, stands in a card."""
    start, end = sentence_at(said.text, said.start, said.end)
    before, _ = sentence_at(said.text, *_last_word(said.text, start))
    _, after = sentence_at(said.text, *_first_word(said.text, end))
    runs = (said.text[start:end], said.text[before:end], said.text[start:after])
    return any(_width(run) >= _LONG_ENOUGH and any(run in card for card in cards) for run in runs)


def _last_word(text: str, end: int) -> tuple[int, int]:
    """The span of the last character before a place that is no white space."""
    place = len(text[:end].rstrip())
    return max(0, place - 1), place


def _first_word(text: str, start: int) -> tuple[int, int]:
    """The span of the first character from a place on that is no white space."""
    rest = text[start:]
    place = min(len(text), start + len(rest) - len(rest.lstrip()))
    return place, min(len(text), place + 1)


def _width(text: str) -> int:
    """How much a text says: a wide character says more than a narrow one."""
    return sum(1 if mark < "\u2e80" else 2 for mark in text.strip())


def card_text(card: str) -> str:
    """All texts of a card, joined; empty where it cannot be read."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)

    try:
        walk(json.loads(card))
    except (ValueError, RecursionError):
        return ""
    return "\n".join(found)
