"""Whether words say something of somebody else than the one who speaks.

By tables of its own (`whose.toml`). "Greta told me she is vegetarian" is said by the user, and yet
says nothing of what the user eats.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from enishi.kernel.words.carried import Said, folded, place
from enishi.kernel.words.names import names_in
from enishi.kernel.words.sentences import sentence_at

_NEAR, _LONGEST = 300, 1000
"""So many characters before the cited words, and of them, are looked at."""

_MOST_NAMES = 8


def of_somebody_else(said: Said, value: str, own_names: Iterable[str] = ()) -> bool:
    """Whether the words that give a value have another subject, and come back to no speaker.

    `own_names` are what the speaker is called; who speaks of himself by name speaks of himself.
    """
    start, _ = sentence_at(said.text, said.start, said.end)
    start, end = max(start, said.start - _NEAR), min(said.end, said.start + _LONGEST)
    written = said.text[start:end]
    sentence, words = folded(written), folded(said.text[said.start : end])
    at = place(folded(value), words)
    first = len(sentence) - (0 if at is None else len(words) - at)
    names = others_named(written, {*own_names, value})
    ends = [end for _, end in subjects(sentence, names) if end <= first]
    return bool(ends) and not pattern("speaker").search(sentence, max(ends))


def others_named(written: str, own_names: Iterable[str]) -> list[str]:
    """The names in a text that are none of these, folded; a few at most."""
    own = list(map(folded, own_names))
    named = {name for name in map(folded, names_in(written)) if not any(name in one for one in own)}
    return sorted(named)[:_MOST_NAMES]


def subjects(sentence: str, names: Iterable[str] = ()) -> Iterator[tuple[int, int]]:
    """Where the subjects of folded words stand that are somebody else."""
    for subject in (_kin("others"), *map(_after, names)):
        yield from (other.span("who") for other in subject.finditer(sentence))


def relatives(sentence: str) -> Iterator[tuple[int, int]]:
    """Where relatives and the like are subjects of folded words that say nobody's: "mum is tired"."""
    yield from (other.span("who") for other in _kin("bare").finditer(sentence))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the patterns of the table."""
    return re.compile(tables()[name], re.ASCII)


def _after(name: str) -> re.Pattern[str]:
    follows = tables()["after_a_name_en" if name.isascii() else "after_a_name_zh"]
    return _subject(f"{re.escape(name)}{follows}")


@cache
def _kin(name: str) -> re.Pattern[str]:
    shapes = "|".join(tables()[name])
    for kin in ("kin_en", "kin_zh"):
        shapes = shapes.replace(f"<{kin}>", tables()[kin])
    return _subject(shapes)


def _subject(shapes: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(tables()['begins'])})(?P<who>{shapes})", re.ASCII)


@cache
def tables() -> dict[str, Any]:
    """`whose.toml`, as it is written."""
    return tomllib.loads(files("enishi.kernel.words").joinpath("whose.toml").read_text("utf-8"))
