"""Names in free wording: which stand in it, and which of them the cited texts do not have.

By tables of its own and by shape. In Latin script a word with a capital is a name, but for the
published words and the word that begins a sentence where it is a common one; in a wording of another
script every Latin word is one. Elsewhere a name is a family name before characters that given names
are made of, 小, 老 or 阿 before one of either, a given name or a place of the tables, or what stands
before a Japanese or Korean title. Given names that are words as well are names where a person is
spoken of.

A name is said where the texts have it, where they have it as another language writes it (`written`
lists those), or where they have characters that are read so: Xiaoming for 小明.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain, product
from typing import Any, NamedTuple

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
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
    return missing + [name for name in wide_names(wording) if not heard.has(name)]


def names_in(wording: str) -> Iterator[str]:
    """What is written as a name, in any script."""
    yield from map(_plain, chain(*_latin_names(wording)))
    yield from wide_names(wording)


def wide_names(wording: str) -> Iterator[str]:
    """Names in Chinese, Japanese and Korean writing; a family name alone where a title follows it."""
    plain = _simplified(wording)
    for start, end, title in _wide(plain):
        yield plain[start : end - title]


def wide_spans(text: str) -> list[Span]:
    """Where names in Chinese, Japanese and Korean writing stand, each with the title behind it."""
    if text.isascii():
        return []
    return [(start, end) for start, end, _ in _wide(_simplified(text))]


def written_otherwise(name: str) -> frozenset[str]:
    """How other languages write a name, or other tongues a place; empty for what is not listed."""
    return _tables().written.get(_simplified(name.lower()), frozenset())


def common_words() -> frozenset[str]:
    """English words, in lower case, that are no names for having a capital."""
    return _tables().capitals | _tables().openers


class _Heard:
    """What was said, as names are looked for in it."""

    def __init__(self, words: str) -> None:
        self._words = _simplified(words)
        self._latin = [_plain(word) for word in _LATIN_WORD.findall(words)]

    def has(self, name: str) -> bool:
        """Whether a name occurs, however it is written."""
        plain = _plain(_simplified(name))
        return any(map(self._says, (plain, *written_otherwise(plain)))) or (
            self._reads_alone(plain)
            if name.isascii()
            else not self._together.isdisjoint(_readings(plain))
        )

    def reads(self, latin: str) -> bool:
        """Whether two or more Chinese characters are read so."""
        return _plain(latin) in self._read

    def _says(self, form: str) -> bool:
        return form in self._together if form[:1].isascii() else form in self._words

    def _reads_alone(self, latin: str) -> bool:
        return latin in self._read or latin in self._read_in_names

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
        return frozenset(chain(*map(_readings, parts)))

    @cached_property
    def _read_in_names(self) -> frozenset[str]:
        return frozenset(chain(*map(_readings, chain(*wide_names(self._words)))))


def _readings(name: str) -> Iterator[str]:
    """How Chinese characters are read, in Latin letters; nothing where one of them is not listed."""
    return map("".join, product(*(_tables().read.get(one, ()) for one in name)))


def _wide(plain: str) -> list[tuple[int, int, int]]:
    """Start and end of names in simplified writing, and how much of that is a title."""
    tables = _tables()
    found = [(*match.span(), 0) for match in tables.doubtful.finditer(plain)]
    # Only where something is found at all is it worth hiding what only looks like it.
    if next(_listed(plain), None) or tables.followed.search(plain):
        alone = _hidden(tables.within, plain)
        found += [(start, end, 0) for start, end in _listed(alone)]
        found += [(*match.span(), 0) for match in tables.followed.finditer(alone)]
    if tables.name.search(plain):
        shaped = _hidden(tables.words, plain)
        found += [(*m.span(), len(m["title"] or "")) for m in tables.name.finditer(shaped)]
    kept: list[tuple[int, int, int]] = []
    for start, end, title in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, title))
    return kept


def _listed(plain: str) -> Iterator[Span]:
    """Where given names and places of the tables stand, at each character the longest."""
    tables, end = _tables(), 0
    for match in tables.first.finditer(plain):
        start = match.start()
        names = tables.listed[plain[start]]
        name = next((one for one in names if plain.startswith(one, start)), None)
        if name and start >= end:
            end = start + len(name)
            yield start, end


def _hidden(words: re.Pattern[str], plain: str) -> str:
    return words.sub(lambda word: " " * len(word[0]), plain)


def _places(wording: str) -> Iterator[Span]:
    """Where places of the tables stand in Latin script, in any case."""
    words = list(_LATIN_WORD.finditer(wording))
    at = 0
    while at < len(words):
        for size in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            span = words[at].start(), words[at + size - 1].end()
            if _plain(wording[slice(*span)]) in _tables().places:
                yield span
                at += size
                break
        else:
            at += 1


def _latin_names(wording: str) -> Iterator[list[str]]:
    """The words in Latin script that are names but no listed place; those in a row together."""
    tables = _tables()
    mixed = _CJK.search(wording) is not None
    taken = {at for start, end in _places(wording) for at in range(start, end)}
    run: list[str] = []
    last = -1
    for match in _LATIN_WORD.finditer(wording):
        word, lowered = match[0], _plain(match[0])
        named = lowered not in tables.capitals and (mixed or word[0].isupper())
        common = lowered in tables.openers or _FORM.search(lowered) is not None
        if common and (mixed or _opens_a_sentence(wording, match.start())):
            named = False
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


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


def _simplified(text: str) -> str:
    """The text with the traditional characters of names in their simplified form, as long as it."""
    return text.translate(_tables().fold)


class _Tables(NamedTuple):
    """`name` is the shape of a Chinese name, `words` what only looks like one.

    `listed` are the names of the tables by their first character, the longest first; `within` what
    only holds one. `written` are the other forms of a name, `read` the readings of a character.
    """

    name: re.Pattern[str]
    words: re.Pattern[str]
    within: re.Pattern[str]
    followed: re.Pattern[str]
    doubtful: re.Pattern[str]
    first: re.Pattern[str]
    listed: dict[str, list[str]]
    places: frozenset[str]
    written: dict[str, frozenset[str]]
    read: dict[str, list[str]]
    fold: dict[int, str]
    capitals: frozenset[str]
    openers: frozenset[str]


@cache
def _tables() -> _Tables:
    shapes, table = _toml("names"), _toml("written")
    fold = {ord(pair[0]): pair[1] for pair in table["fold"].split()}
    family = f"{'|'.join(shapes['double'])}|[{shapes['family']}]"
    strong, weak = shapes["given"], shapes["weak"]
    given = f"[{weak}]?[{strong}][{strong}]?"
    titles = "|".join(shapes["titles"])
    doubtful = "|".join(table["doubtful"].split())
    places, written = set[str](), dict[str, set[str]]()
    listed = set(table["alone"].split())
    for group in (*table["places"], *table["people"]):
        names, _, others = group.translate(fold).partition("; ")
        forms = [*names.split(", "), *filter(None, others.split(", "))]
        for form in forms:
            written.setdefault(form, set()).update(other for other in forms if other != form)
        listed.update(name for name in names.split(", ") if not name.isascii())
        if group in table["places"]:
            places.update(name for name in names.split(", ") if name.isascii())
    by_first: dict[str, list[str]] = {}
    for name in sorted(listed, key=lambda name: (-len(name), name)):
        by_first.setdefault(name[0], []).append(name)
    read: dict[str, list[str]] = {}
    for reading, characters in table["read"].items():
        for character in characters:
            read.setdefault(character, []).append(reading)
    return _Tables(
        name=re.compile(
            f"(?P<family>{family})(?:(?P<title>{titles})|{given})"
            f"|[小老阿][{strong}{shapes['family']}]"
        ),
        words=_longest_first(shapes["words"]),
        within=_longest_first(shapes["within"]),
        followed=re.compile("|".join(shapes["followed"])),
        doubtful=re.compile(
            f"{_behind(table['before_doubtful'])}(?:{doubtful})(?={table['after_doubtful']})"
            f"|{_behind(table['before_relative'])}(?!文静|秀丽|多多)(?:{doubtful})"
            f"|(?<![\u3400-\u9fff])(?:{doubtful})(?={table['after_subject']})"
        ),
        first=re.compile(f"[{''.join(by_first)}]"),
        listed=by_first,
        places=frozenset(places),
        written={form: frozenset(others) for form, others in written.items()},
        read=read,
        fold=fold,
        capitals=frozenset(shapes["capitals"]),
        openers=frozenset(shapes["openers"]),
    )


def _behind(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(f'(?<={one})' for one in words)})"


def _longest_first(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)))


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files("enishi.kernel.words").joinpath(f"{name}.toml").read_text("utf-8"))
