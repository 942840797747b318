"""Names in free wording: which stand in it, and which of them the cited texts do not have.

In Latin script a word with a capital is a name, but for the published words and the word that begins a
sentence where it is a common one; in a wording of another script every Latin word is one.
`latin_names` knows those without a capital, `wide_names` those in Chinese, Japanese and Korean.

A name is said where the texts have it, where they have it as another language writes it (`written`
lists those), or where they have characters that are read so: Xiaoming for 小明.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain

from enishi.kernel.words.latin_names import (
    LATIN_WORD,
    is_listed_name,
    names_without_capital,
    plain_word,
    without_accents,
)
from enishi.kernel.words.wide_names import is_shaped_only, wide_names
from enishi.kernel.words.written import is_a_place, readings, simplified, written_otherwise

_CJK = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
_OPENS = re.compile(r"(?:\A|[.!?;:…\n。！？；：])[\s\"'“‘(*]*\Z", re.ASCII)
_FORM = re.compile("(?<=[a-z]{3})(?:ing|ly)$")
_LONGEST_OPENING = 8
_MOST_WORDS = 4
"""Words of a place, and characters of a Chinese name, that are read together at most."""

Span = tuple[int, int]


def missing_names(wording: str, words: str) -> list[str]:
    """The names of a wording that do not occur in the folded words of what was said."""
    heard = _Heard(words)
    missing = [
        wording[start:end] for start, end in _places(wording) if not heard.has(wording[start:end])
    ]
    for run in _latin_names(wording):
        # 王磊 is Wang Lei, or Lei Wang.
        if not (heard.reads("".join(run)) or heard.reads("".join(reversed(run)))):
            missing += [name for name in run if not heard.has(name)]
    return missing + [name for name in wide_names(wording) if not heard.may_have(name)]


def names_in(wording: str) -> Iterator[str]:
    """What is written as a name, in any script."""
    yield from map(plain_word, chain(*_latin_names(wording)))
    yield from wide_names(wording)


def common_words() -> frozenset[str]:
    """English words, in lower case, that are no names for having a capital."""
    return _capitals() | _openers()


class _Heard:
    """What was said, as names are looked for in it."""

    def __init__(self, words: str) -> None:
        self._words = simplified(words)
        self._latin = [without_accents(plain_word(word)) for word in LATIN_WORD.findall(words)]

    def has(self, name: str) -> bool:
        """Whether a name occurs, however it is written."""
        plain = without_accents(plain_word(simplified(name)))
        return any(map(self._says, (plain, *written_otherwise(plain)))) or (
            self._reads_alone(plain)
            if plain.isascii()
            else not self._together.isdisjoint(readings(plain))
        )

    def may_have(self, name: str) -> bool:
        """Whether a name in Chinese occurs, or may be one in Latin script that no table transcribes."""
        return self.has(name) or (not self._in_chinese and is_shaped_only(name))

    def reads(self, latin: str) -> bool:
        """Whether two or more Chinese characters are read so."""
        return plain_word(latin) in self._read

    def _says(self, form: str) -> bool:
        return form in self._together if form[:1].isascii() else form in self._words

    def _reads_alone(self, latin: str) -> bool:
        return latin in self._read or latin in self._read_in_names

    @cached_property
    def _in_chinese(self) -> bool:
        return _CJK.search(self._words) is not None

    @cached_property
    def _together(self) -> frozenset[str]:
        """The Latin words, alone and a few in a row, with and without the blanks between them."""
        size = range(1, _MOST_WORDS + 1)
        rows = [self._latin[at : at + n] for n in size for at in range(len(self._latin) - n + 1)]
        return frozenset(chain(map("".join, rows), map(" ".join, rows)))

    @cached_property
    def _read(self) -> frozenset[str]:
        runs = _HAN_RUN.findall(self._words)
        size = range(2, _MOST_WORDS + 1)
        parts = {run[at : at + n] for run in runs for n in size for at in range(len(run) - n + 1)}
        return frozenset(chain(*map(readings, parts)))

    @cached_property
    def _read_in_names(self) -> frozenset[str]:
        return frozenset(chain(*map(readings, chain(*wide_names(self._words)))))


def _places(wording: str) -> Iterator[Span]:
    """Where places of the tables stand in Latin script, in any case."""
    words = list(LATIN_WORD.finditer(wording))
    at = 0
    while at < len(words):
        for size in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            span = words[at].start(), words[at + size - 1].end()
            if is_a_place(plain_word(wording[slice(*span)])):
                yield span
                at += size
                break
        else:
            at += 1


def _latin_names(wording: str) -> Iterator[list[str]]:
    """The words in Latin script that are names but no listed place; those in a row together."""
    mixed = _CJK.search(wording) is not None
    taken = {at for start, end in _places(wording) for at in range(start, end)}
    lower = names_without_capital(wording)
    run: list[str] = []
    last = -1
    for match in LATIN_WORD.finditer(wording):
        word, lowered = match[0], plain_word(match[0])
        written = mixed or word[0].isupper() or match.start() in lower
        named = lowered not in _capitals() and written
        common = lowered in _openers() or _FORM.search(lowered) is not None
        if common and not is_listed_name(lowered):
            named = named and not (mixed or _opens_a_sentence(wording, match.start()))
        if not named or match.start() in taken:
            continue
        if match.start() != last + 1 and run:
            yield run
            run = []
        run, last = [*run, word], match.end()
    if run:
        yield run


def _opens_a_sentence(wording: str, place: int) -> bool:
    return _OPENS.search(wording[max(0, place - _LONGEST_OPENING) : place]) is not None


@cache
def _capitals() -> frozenset[str]:
    return frozenset(_tables()["capitals"])


@cache
def _openers() -> frozenset[str]:
    return frozenset(_tables()["openers"])


@cache
def _tables() -> dict[str, list[str]]:
    return tomllib.loads(files("enishi.kernel.words").joinpath("names.toml").read_text("utf-8"))
