"""Whether a sentence says that something is so: not where it wishes, supposes, or asks for effect.

By tables of its own (`earnest.toml`). A model may take "I wish I lived in Paris" for real; the words
themselves show that it is not.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from enishi.kernel.words.carried import Said, folded, speaks_of
from enishi.kernel.words.numerals import numbers_in
from enishi.kernel.words.sentences import sentence_at

_COMMA = re.compile("[,，]")
_NEXT = 24
"""Characters after a sentence in which it may still be taken back as a jest."""


def is_wished(said: Said, about: str = "") -> bool:
    """Whether the words stand where their sentence says what would be, and is not.

    Where the sentence turns within them, the parts that speak of `about` are looked at.
    """
    return _all_match("wished", said, about)


def is_supposed(said: Said) -> bool:
    """Whether the words stand within a condition: what is so if it is, and not what is so."""
    return not _COMMA.search(said.words.strip(" ,，")) and _matches("supposed", folded(said.clause))


def is_rhetorical(said: Said, about: str = "") -> bool:
    """Whether the words are part of a question that is put for effect, with or without its mark."""
    return _all_match("rhetorical", said, about)


def is_played(said: Said) -> bool:
    """Whether the sentence calls itself a story, or it or the next one calls it a jest."""
    start, end = sentence_at(said.text, said.start, said.end)
    if _matches("played", folded(said.text[start:end])):
        return True
    return _matches("jest", folded(said.text[said.end : end + _NEXT].partition("\n")[0]))


def is_jested(said: Said, value: str) -> bool:
    """Whether the words laugh at a value that is an age which nobody has: "lol I'm 200 years old"."""
    start, end = sentence_at(said.text, said.start, said.end)
    told = folded(said.text[start : max(end, said.end + _NEXT)].partition("\n")[0])
    age = _compiled("no_age").search(told)
    if age is None or not _matches("laughs", told):
        return False
    return not numbers_in(value).isdisjoint(numbers_in(age[0]))


def _all_match(table: str, said: Said, about: str) -> bool:
    parts = _parts(said)
    speaking = [part for part in parts if speaks_of(about, part)] if len(parts) > 1 else []
    return all(_matches(table, part) for part in speaking or parts)


def _parts(said: Said) -> list[str]:
    """What the words stand in, from where the sentence turned before to where it turns again."""
    start, end = sentence_at(said.text, said.start, said.end)
    turns = [turn.span() for turn in _compiled("turns").finditer(said.text, start, end)]
    lows, highs = [start, *(stop for _, stop in turns)], [*(begin for begin, _ in turns), end]
    return [
        folded(said.text[low:high])
        for low, high in zip(lows, highs, strict=True)
        if low < said.end and high > said.start and said.text[low:high].strip()
    ]


def _matches(table: str, part: str) -> bool:
    return _compiled(table).search(part) is not None


@cache
def _compiled(table: str) -> re.Pattern[str]:
    path = files("enishi.kernel.words") / "earnest.toml"
    return re.compile(
        "|".join(tomllib.loads(path.read_text("utf-8"))[table]), re.ASCII | re.IGNORECASE
    )
