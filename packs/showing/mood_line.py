"""The line on a mood in a host's prompt: it colours the tone, and keeps to itself that it was seen.

The words are those of `mood_line.toml`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from enishi.kernel.errors import InvalidInput
from enishi.projections.mood import FEELINGS, MoodView

LANGUAGES = ("en", "zh")
"""English, Chinese."""

_FIXED = 10_000


def mood_line(view: MoodView, language: str = "en") -> str:
    """One line on a party's mood for a prompt, or nothing where the mood is at its baseline.

    A language other than en and zh is InvalidInput.
    """
    words = _words(language)
    told = mood_words(view, language)
    if not told:
        return ""
    moods = words["who"][view.party].format(words=words["joined"].join(told))
    line: str = words["line"].format(moods=moods)
    return line


def mood_words(view: MoodView, language: str) -> list[str]:
    """What is to be said of a mood, a word or two for each value that is far from its baseline."""
    words = _words(language)
    return [word for name in ("mixed", *FEELINGS) if (word := _told(view, name, words))]


def _words(language: str) -> dict[str, Any]:
    if language not in LANGUAGES:
        raise InvalidInput(f"no mood is told in {language!r}; there are: {', '.join(LANGUAGES)}")
    found: dict[str, Any] = _read()[language]
    return found


def _told(view: MoodView, name: str, words: dict[str, Any]) -> str | None:
    """The word for one value, if it is far enough from its baseline."""
    some, much = _read()["some"], _read()["much"]
    if name == "valence" and _away(view, "mixed") >= some:
        return None
    away = _away(view, name)
    if abs(away) < some:
        return None
    forms: list[str] = words["above" if away > 0 else "below"][name]
    return forms[-1] if abs(away) >= much else forms[0]


def _away(view: MoodView, name: str) -> int:
    """How far a value lies from its baseline, in 1/10000; feelings are mixed at none."""
    rest: float = 0.0 if name == "mixed" else getattr(view.baseline, name)
    value: float = getattr(view, name)
    return round((value - rest) * _FIXED)


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(
        files("enishi.packs.showing").joinpath("mood_line.toml").read_text("utf-8")
    )
