"""How names are written in several languages, and how the characters of Chinese names are read.

By a table of its own (`written.toml`): given names, places and languages, each with its other forms.
Chinese is compared in its simplified form.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple


def written_otherwise(name: str) -> frozenset[str]:
    """How other languages write a name, or other tongues a place; empty for what is not listed."""
    return _tables().written.get(simplified(name.lower()), frozenset())


def is_a_place(words: str) -> bool:
    """Whether words in Latin script, in lower case, are a place or a language of the table."""
    return words in _tables().places


def listed_names() -> frozenset[str]:
    """The given names and places of the table in other scripts than Latin, simplified."""
    return _tables().listed


def readings(name: str) -> Iterator[str]:
    """How Chinese characters are read, in Latin letters; nothing where one of them is not listed."""
    return map("".join, product(*(_tables().read.get(one, ()) for one in name)))


def simplified(text: str) -> str:
    """The text with the traditional characters of names in their simplified form, as long as it."""
    return text if text.isascii() else text.translate(_tables().fold)


class _Tables(NamedTuple):
    """`written` are the other forms of a name, `read` the readings of a character."""

    fold: dict[int, str]
    listed: frozenset[str]
    places: frozenset[str]
    written: dict[str, frozenset[str]]
    read: dict[str, list[str]]


@cache
def _tables() -> _Tables:
    table = tomllib.loads(files("enishi.kernel.words").joinpath("written.toml").read_text("utf-8"))
    fold = {ord(pair[0]): pair[1] for pair in table["fold"].split()}
    places, written = set[str](), dict[str, set[str]]()
    listed = set[str]()
    for group in (*table["places"], *table["people"]):
        names, _, others = group.translate(fold).partition("; ")
        forms = [*names.split(", "), *filter(None, others.split(", "))]
        for form in forms:
            written.setdefault(form, set()).update(other for other in forms if other != form)
        listed.update(name for name in names.split(", ") if not name.isascii())
        if group in table["places"]:
            places.update(name for name in names.split(", ") if name.isascii())
    read: dict[str, list[str]] = {}
    for reading, characters in table["read"].items():
        for character in characters:
            read.setdefault(character, []).append(reading)
    return _Tables(
        fold=fold,
        listed=frozenset(listed),
        places=frozenset(places),
        written={form: frozenset(others) for form, others in written.items()},
        read=read,
    )
