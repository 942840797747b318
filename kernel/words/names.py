"""Names in free wording: which stand in it, and which of them the cited texts do not have.

By tables of its own (`names.toml`) and by shape. A Latin word with a capital is a name, but for the
published words and the word that begins a sentence where it is a common one; in a Chinese wording
every Latin word is one. A Chinese name is a family name before characters that given names are made
of, or 小, 老 or 阿 before one of either.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_CJK = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_OPENS = re.compile(r"(?:\A|[.!?;:…\n。！？；：])[\s\"'“‘(*]*\Z", re.ASCII)
_FORM = re.compile("(?<=[a-z]{3})(?:ing|ly)$")
_LONGEST_OPENING = 8


def missing_names(wording: str, words: str) -> list[str]:
    """The names of a wording that do not occur in the folded words of what was said."""
    said = {_plain(word) for word in _LATIN_WORD.findall(words)}
    latin = [name for name in _latin_names(wording) if _plain(name) not in said]
    return latin + [name for name in chinese_names(wording) if name not in words]


def names_in(wording: str) -> Iterator[str]:
    """What is written as a name, in either script."""
    yield from map(_plain, _latin_names(wording))
    yield from chinese_names(wording)


def chinese_names(wording: str) -> Iterator[str]:
    """What is shaped like a Chinese personal name; a family name alone where a title follows it."""
    for match in _chinese(wording):
        yield match["family"] if match["title"] else match[0]


def chinese_spans(text: str) -> list[tuple[int, int]]:
    """Where Chinese personal names stand, each with the title that follows it."""
    return [match.span() for match in _chinese(text)]


def common_words() -> frozenset[str]:
    """English words, in lower case, that are no names for having a capital."""
    return _shapes().capitals | _shapes().openers


def _chinese(text: str) -> Iterator[re.Match[str]]:
    shapes = _shapes()
    hidden = shapes.words.sub(lambda word: " " * len(word[0]), text)
    return shapes.name.finditer(hidden)


def _latin_names(wording: str) -> Iterator[str]:
    shapes = _shapes()
    mixed = _CJK.search(wording) is not None
    for match in _LATIN_WORD.finditer(wording):
        word, lowered = match[0], _plain(match[0])
        if lowered in shapes.capitals or not (mixed or word[0].isupper()):
            continue
        common = lowered in shapes.openers or _FORM.search(lowered) is not None
        if not (common and (mixed or _opens_a_sentence(wording, match.start()))):
            yield word


def _opens_a_sentence(wording: str, place: int) -> bool:
    return _OPENS.search(wording[max(0, place - _LONGEST_OPENING) : place]) is not None


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


class _Shapes(NamedTuple):
    name: re.Pattern[str]
    words: re.Pattern[str]
    capitals: frozenset[str]
    openers: frozenset[str]


@cache
def _shapes() -> _Shapes:
    path = files("enishi.kernel.words") / "names.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    family = f"{'|'.join(table['double'])}|[{table['family']}]"
    strong, weak = table["given"], table["weak"]
    given = f"[{weak}]?[{strong}][{strong}]?"
    titles = "|".join(table["titles"])
    words = "|".join(sorted(table["words"], key=len, reverse=True))
    return _Shapes(
        re.compile(
            f"(?P<family>{family})(?:(?P<title>{titles})|{given})|[小老阿][{strong}{table['family']}]"
        ),
        re.compile(words),
        frozenset(table["capitals"]),
        frozenset(table["openers"]),
    )
