"""The words of beliefs: the published keys, and when two values are the same.

By tables of its own (`keys.toml`, `words.toml`), never by a Unicode table or a locale, so that two
values are the same on every machine.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Literal, NamedTuple

from enishi.kernel.deciding.proposals import Category

_SPACE = re.compile("[ \t\n\r\x0b\x0c\x85\xa0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_AROUND = " .,;:!?\"'()[]。、·…“”‘’「」『』《》"
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_TOKEN = re.compile(f"[a-z0-9'+#]+|{_WIDE.pattern}")
_BLANKS = re.compile("(?<![A-Za-z])[SV](?![A-Za-z])")
_LONGEST = 6  # tokens that make one word of the table: Latin words, or single characters
_FOLD = {ord(upper): lower for upper, lower in zip(ascii_uppercase, ascii_lowercase, strict=True)}
# Full-width forms stand in the order of ASCII; full-width capitals end as small letters as well.
_FOLD |= {code + 0xFEE0: chr(code).translate(_FOLD) for code in range(0x21, 0x7F)}
_FOLD |= {0x2019: "'", 0x2018: "'", 0x3000: " "}


@dataclass(frozen=True, slots=True)
class Key:
    """One published key. `values`: whether a newer value replaces the older, or stands with it.

    `category` is what such a belief is unless it is said to be something else. `meaning` is the
    sentence that the subject, S, and the value, V, make, `chinese` the same in Chinese.
    """

    name: str
    values: Literal["one", "many"]
    category: Category
    meaning: str
    chinese: str

    def sentence(self, subject: str, value: str, language: str = "en") -> str:
        """The sentence of the key about somebody, in English or Chinese (en, zh)."""
        said = {"S": subject, "V": value}
        pattern = self.chinese if language == "zh" else self.meaning
        return _BLANKS.sub(lambda blank: said[blank[0]], pattern)


class Value(NamedTuple):
    """A value as it is compared. `known`: the bilingual table has it. `wide`: East Asian script."""

    same: str
    known: bool
    wide: bool


@cache
def published_keys() -> dict[str, Key]:
    """The published keys by name, in the order of the file. Any other key holds many values."""
    return {name: Key(name, **row) for name, row in _read("keys")["keys"].items()}


@cache
def near_keys() -> dict[str, frozenset[int]]:
    """Which groups of related keys a key belongs to."""
    return _groups("near")


@cache
def opposed_keys() -> dict[str, frozenset[int]]:
    """Which groups of keys a key belongs to that one value can hardly be true under together."""
    return _groups("opposed")


@cache
def own_keys() -> frozenset[str]:
    """The keys that say something of the subject's own person, and of nobody else beside it."""
    return frozenset(_read("keys")["own"])


@lru_cache(maxsize=65_536)
def normalised(words: str) -> str:
    """Lower-case ASCII letters, half-width forms, single blanks, nothing around the words."""
    plain = _SPACE.sub(" ", words.translate(_FOLD))
    return plain.strip(_AROUND) or plain


@lru_cache(maxsize=65_536)
def compared(value: str) -> Value:
    """What a value is compared by: its normalised form, or the table's word for it."""
    plain = normalised(value)
    word = _table().get(plain)
    return Value(word or plain, word is not None, _WIDE.search(value) is not None)


@lru_cache(maxsize=65_536)
def kinds_of(value: str) -> dict[str, frozenset[str]]:
    """The words of the table that a value speaks of, by their kinds. Not to be changed."""
    found: dict[str, set[str]] = {}
    for word in _words_in(normalised(value)):
        for kind, words in _kinds():
            if word in words:
                found.setdefault(kind, set()).add(word)
    return {kind: frozenset(words) for kind, words in found.items()}


def _words_in(plain: str) -> Iterator[str]:
    """The words of the table within a normalised value, at each place the longest."""
    tokens = [token.span() for token in _TOKEN.finditer(plain)]
    at = 0
    while at < len(tokens):
        for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
            word = _table().get(plain[tokens[at][0] : tokens[at + size - 1][1]])
            if word is not None:
                yield word
                break
        else:
            size = 1
        at += size


@cache
def _table() -> dict[str, str]:
    """Each form of the bilingual table, normalised, to the word that stands for all of them."""
    table: dict[str, str] = {}
    for _, words in _kinds():
        for word, forms in words.items():
            table.update(dict.fromkeys(map(normalised, (word, *forms)), word))
    return table


@cache
def _kinds() -> tuple[tuple[str, dict[str, list[str]]], ...]:
    return tuple(_read("words").items())


def _groups(name: str) -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, keys in enumerate(_read("keys")[name]):
        for key in keys:
            groups.setdefault(key, set()).add(number)
    return {key: frozenset(numbers) for key, numbers in groups.items()}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("enishi.kernel.words").joinpath(f"{name}.toml").read_text("utf-8"))
