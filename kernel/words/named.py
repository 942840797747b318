"""Named things, numbers, dates and ids in a text: what a memory of it keeps to the letter.

By fixed tables of its own, for English and Chinese. It finds what is written as a name (capitals,
titles in 《》, 小明, 王老师) and prefers silence to a guess, above all where a sentence begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from enishi.kernel.words.carried import Said, folded
from enishi.kernel.words.names import common_words
from enishi.kernel.words.sentences import sentences
from enishi.kernel.words.wide_names import wide_spans

_CAPITALS = re.compile(
    r"(?<![A-Za-z0-9'’])[A-Z][A-Za-z0-9]*(?:['’-][A-Za-z0-9]+)*"
    r"(?:(?: (?:of|the|de|van|von|&) | )(?:[A-Z][A-Za-z0-9]+|[0-9]+)(?:['’-][A-Za-z0-9]+)*){0,4}"
)
_TITLES = re.compile("《[^《》\n]{1,40}》")
_DAYS = (
    "January|February|March|April|June|July|August|September|October|November|December"
    "|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
)
_FIGURES = re.compile(
    r"(?!一[个個天次周週年])[0-9０-９一二两兩三四五六七八九十百千万萬]+(?:年|月|[号號]|日|[点點]|[岁歲]|[块塊]|元|公里|小[时時]|分[钟鐘]|[周週]|天|[次个個])"
    r"|[0-9０-９]+(?:[.,:/-][0-9]+)*(?:%|％| ?(?:am|pm|km|kg|cm|mm|am|euros?|dollars?|years?|months?|weeks?"
    r"|days?|hours?|minutes?))?(?![A-Za-z0-9])"
    r"|(?:[周週]|星期|[礼禮]拜)[一二三四五六日天](?![\u4e00-\u9fff]?[们們])"
    rf"|(?<![A-Za-z])(?:{_DAYS})s?(?![A-Za-z])"
)
_IDS = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+[A-Za-z0-9]"
    r"|(?=[A-Za-z._/#:-]*[0-9])(?=[0-9._/#:-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9._/#:-]*[A-Za-z0-9])"
)
# One of these is in each of them; most texts have none, which is soon seen.
_COUNTED = re.compile("[0-9０-９一二两兩三四五六七八九十百千万萬周週星礼禮@]")
_DATED = re.compile(_DAYS)
_POSSESSIVE = re.compile("['’](?:s|m|ll|d|ve|re)$")
_NO_NAMES = "ai lol omg btw mom mum dad haha yay woohoo congrats wish since mon tue tues wed thu thurs fri sat sun"
_READ = 4000
"""Code points of a text that are looked at."""


def named_things(text: str) -> list[tuple[int, int]]:
    """The spans of what is written as a name, in order.

    A single capitalised word that begins a sentence is one only where it is so written elsewhere
    in the text as well.
    """
    text = text[:_READ]
    found: list[tuple[int, int]] = []
    single: list[tuple[int, int]] = []
    for match in _CAPITALS.finditer(text):
        start, end = _trimmed(text, *match.span())
        if start < end and not _IDS.fullmatch(text, start, end):
            (found if " " in text[start:end] else single).append((start, end))
    begins = {start for start, _ in sentences(text)} if single else set()
    unsure: list[tuple[int, int]] = []
    for start, end in single:
        opens = start in begins or text[start - 1 : start] in ("“", '"', "‘", "*", "(", ":")
        (unsure if opens else found).append((start, end))
    sure = {text[start:end] for start, end in found}
    found += [span for span in unsure if text[span[0] : span[1]] in sure]
    titles = [match.span() for match in _TITLES.finditer(text)]
    found += titles
    # Whoever is named within a title is the title's matter.
    found += [
        (start, end)
        for start, end in wide_spans(text)
        if not any(first < end and start < last for first, last in titles)
    ]
    return sorted(found)


def figures(text: str) -> list[tuple[int, int]]:
    """The spans of numbers, dates, weekdays and ids, in order, none within another."""
    text = text[:_READ]
    if not (_COUNTED.search(text) or _DATED.search(text)):
        return []
    spans = [match.span() for pattern in (_IDS, _FIGURES) for match in pattern.finditer(text)]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def unsaid(wording: str, said: Iterable[Said]) -> list[str]:
    """The ids, weekdays, months and titled names of a wording that occur in no cited words."""
    words = _tight(" ".join(one.words for one in said))
    named = [match[0] for match in _TITLES.finditer(wording)]
    dated = [m[0] for m in _FIGURES.finditer(wording) if not m[0][0].isdigit()]
    ids = [match[0] for match in _IDS.finditer(wording)]
    return [one for one in (*named, *dated, *ids) if _tight(one) not in words]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A run of capitalised words without the common ones at its beginning, and without 's."""
    while start < end:
        stop = text.find(" ", start, end)
        first = text[start : stop if stop != -1 else end]
        if _POSSESSIVE.sub("", first).lower() not in _common() and len(first) > 1:
            break
        start = end if stop == -1 else stop + 1
    own = _POSSESSIVE.search(text[start:end])
    return start, end if own is None else start + own.start()


def _tight(text: str) -> str:
    return folded(text).replace(" ", "")


@cache
def _common() -> frozenset[str]:
    path = files("enishi.kernel.words") / "cohesion.toml"
    courtesies = tomllib.loads(path.read_text("utf-8"))["english"]
    return common_words() | {*courtesies, *_NO_NAMES.split()}
