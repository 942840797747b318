"""Where sentences begin and end, in English and Chinese, by fixed tables of its own.

A Unicode table would change between Python releases, and with it what a span covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BREAKS = "\n\r\u2028\u2029"
SPACE = " \t\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u202f\u205f\u3000" + BREAKS
CLOSERS = "\"'”’」』）)】\\]》〉}*_~"

_NEVER_LAST = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "mx",
        "dr",
        "prof",
        "rev",
        "gen",
        "col",
        "capt",
        "lt",
        "sgt",
        "hon",
        "st",
        "mt",
        "vs",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "cf",
        "fig",
        "approx",
    ]
)
_SELDOM_LAST = frozenset(
    ["a.m", "p.m", "etc", "inc", "ltd", "jr", "sr", "vol", "dept", "u.s", "u.k", "al"]
)

# The runs are possessive so that a hostile line of marks, or of blanks, is walked once.
_END = re.compile(
    rf"(?:(?P<wide>[。！？…｡]++[.!?。！？…｡]*+[{CLOSERS}]*+)"
    rf"|(?P<mark>[.!?]++)(?P<tail>[.!?。！？…｡]*+[{CLOSERS}]*+)"
    rf"|(?P<line>[{BREAKS}]))(?P<gap>[{SPACE}]*+)"
)
_SPACES = re.compile(rf"[{SPACE}]*+")
_WORD_BEFORE = re.compile(r"(?<![A-Za-z0-9.])[A-Za-z0-9.]{1,12}\Z")
_LONGEST_ABBREVIATION = 13
_WIDE_FROM = "\u2e80"


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a text, in order, without the white space between them.

    Closing quotes and brackets belong to the sentence that they close; a line break always ends
    one. Spans count code points, the end is exclusive. Linear in the length of the text.
    """
    start = _SPACES.match(text).end()  # type: ignore[union-attr]
    for found in _END.finditer(text, start):
        if found["line"] is not None:
            yield start, _trimmed(text, start, found.start())
        elif found["wide"] is not None or _ends(text, found):
            yield start, found.start("gap")
        else:
            continue
        start = found.end()
    if start < len(text):
        yield start, _trimmed(text, start, len(text))


def sentence_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the sentence, or the sentences, that cover `start` to `end`.

    A span that lies in the white space between sentences is returned as it is. For many spans
    of one text, compute `sentences` once instead.
    """
    low, high = start, end
    for first, last in sentences(text):
        if first >= max(end, start + 1):
            break
        if last > start:
            low, high = min(low, first), max(high, last)
    return low, high


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and _SPACES.fullmatch(text, end - 1, end):
        end -= 1
    return end


def _ends(text: str, found: re.Match[str]) -> bool:
    """Whether a run of marks ends a sentence, judged by what stands around it."""
    following = text[found.end() : found.end() + 1]
    if not following:
        return True
    if not found["gap"]:
        before = text[found.start() - 1] if found.start() else ""
        return following >= _WIDE_FROM and not "0" <= before <= "9"
    if any(break_ in found["gap"] for break_ in BREAKS):
        return True
    if "a" <= following <= "z" and any(closer in found["tail"] for closer in "\"'”’"):
        return False
    return found["mark"] != "." or not _abbreviated(text, found.start(), following)


def _abbreviated(text: str, stop: int, first: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it."""
    found = _WORD_BEFORE.search(text, max(0, stop - _LONGEST_ABBREVIATION), stop)
    if not found:
        return False
    word = found[0]
    if word.isdigit():
        return _opens_line(text, found.start())
    if len(word) == 1:
        return "A" <= word <= "Z" and word != "I"
    if word.lower() in _NEVER_LAST:
        return True
    return word.lower() in _SELDOM_LAST and not "A" <= first <= "Z"


def _opens_line(text: str, at: int) -> bool:
    """Whether nothing but blanks stands before `at` on its line: a numbered item."""
    before = text[max(0, at - 8) : at].rstrip(" \t")
    return before[-1] in BREAKS if before else at < 8
