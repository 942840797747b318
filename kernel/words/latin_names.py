"""Names in Latin script that are written without a capital, as people type them.

A table has given and family names that are seldom other words: one of them is a name, but behind an
article and in a few phrases (tom yum). Those that are words as well (mark, rose) are names where a
person is spoken of, as in "met mark" and "rose said"; and any word is one behind a title, or where
something living is named so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

_LOWER_CASE = re.compile("(?<![A-Za-z])[a-z]+")
_LONGEST_ARTICLE = 8
LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ž]+(?:['’][A-Za-zÀ-ÖØ-öø-ž]+)*")
_ACCENTS = str.maketrans(
    {
        letter: plain
        for plain, letters in {
            "a": "àáâãäåāăą", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ",
            "i": "ìíîïĩīĭįı", "j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŋ", "o": "òóôõöøōŏő",
            "r": "ŕŗř", "s": "śŝşš", "t": "ţťŧ", "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž",
            "ae": "æ", "oe": "œ", "ss": "ß", "th": "þ",
        }.items()
        for letter in letters
    }
)  # fmt: skip


def plain_word(word: str) -> str:
    """A word in lower case, without an English possessive."""
    return word.lower().replace("’", "'").removesuffix("'s")


def without_accents(word: str) -> str:
    """A word in lower case as it is typed where accents are not: jurgen for jürgen."""
    return word if word.isascii() else word.translate(_ACCENTS)


def is_listed_name(word: str) -> bool:
    """Whether a plain word is in the table of names that are seldom other words."""
    return without_accents(word) in _listed()


def names_without_capital(text: str) -> set[int]:
    """Where in a text the words start that are names for all that they have no capital."""
    words = set(_LOWER_CASE.findall(without_accents(text)))
    found: set[int] = set()
    if not words.isdisjoint(_listed()):
        found.update(_listed_in(text))
    if not words.isdisjoint(_telling()):
        matches = chain(*(pattern.finditer(text) for pattern in _spoken_of()))
        found.update(match.start("name") for match in matches if match["name"][0].islower())
    if found:
        found.difference_update(*(range(*phrase.span()) for phrase in _phrases().finditer(text)))
    return found


def _listed_in(text: str) -> Iterator[int]:
    for match in LATIN_WORD.finditer(text):
        if match[0][0].islower() and is_listed_name(plain_word(match[0])):
            start = match.start()
            article = _article().search(text, max(0, start - _LONGEST_ARTICLE), start)
            if not article:
                yield start


@cache
def _listed() -> frozenset[str]:
    rows = _file("latin_names.txt").splitlines()
    return frozenset(" ".join(row for row in rows if not row.startswith("#")).split())


@cache
def _telling() -> frozenset[str]:
    """Words without which nothing is found by `_spoken_of`."""
    tables = _tables()
    return frozenset(f"{tables['persons']} {tables['things']} {tables['tells']}".split())


@cache
def _spoken_of() -> list[re.Pattern[str]]:
    """What finds a `name` by the words around it."""
    tables = _tables()
    persons = tables["persons"].replace(" ", "|")
    either = f"{persons}|{tables['things'].replace(' ', '|')}"
    return [
        _pattern(
            one.replace("<persons>", f"(?P<name>{persons})")
            .replace("<any>", f"(?P<name>{either})")
            .replace("<goes on>", tables["goes_on"])
        )
        for one in tables["spoken_of"]
    ]


@cache
def _phrases() -> re.Pattern[str]:
    return _pattern(rf"\b(?:{'|'.join(_tables()['phrases'])})\b")


@cache
def _article() -> re.Pattern[str]:
    return _pattern(rf"\b(?:{_tables()['articles']}) $")


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_file("latin_names.toml"))


def _file(name: str) -> str:
    return files("enishi.kernel.words").joinpath(name).read_text("utf-8")
