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
    own = {*map(folded, own_names), folded(value)}
    others = {
        name for name in map(folded, names_in(written)) if not any(name in one for one in own)
    }
    ends = [end for end in _subjects(sentence, sorted(others)[:_MOST_NAMES]) if end <= first]
    return bool(ends) and not _compiled("speaker").search(sentence, max(ends))


def _subjects(sentence: str, names: Iterable[str]) -> Iterator[int]:
    """Where the subjects end that are somebody else."""
    for pattern in (_compiled("others"), *map(_after, names)):
        yield from (other.end() for other in pattern.finditer(sentence))


def _after(name: str) -> re.Pattern[str]:
    tables = _tables()
    follows = tables["after_a_name_en" if name.isascii() else "after_a_name_zh"]
    return re.compile(f"(?:{'|'.join(tables['begins'])}){name}{follows}", re.ASCII)


@cache
def _compiled(table: str) -> re.Pattern[str]:
    tables = _tables()
    if table == "speaker":
        return re.compile(tables["speaker"], re.ASCII)
    others = "|".join(tables["others"])
    for kin in ("kin_en", "kin_zh"):
        others = others.replace(f"<{kin}>", tables[kin])
    return re.compile(f"(?:{'|'.join(tables['begins'])})(?:{others})", re.ASCII)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("enishi.kernel.words").joinpath("whose.toml").read_text("utf-8"))
