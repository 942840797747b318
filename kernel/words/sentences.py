"""How a text is built, in English and Chinese: its sentences, and what its author says himself.

By fixed tables of its own. A Unicode table would change between Python releases, and with it what
a span covers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

BREAKS = "\n\r\u2028\u2029"
SPACE = " \t\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u202f\u205f\u3000" + BREAKS
WORDS = r"A-Za-z0-9\u00c0-\u024f\u0370-\u1fff\u2e80-\u2fdf\u3005-\u3007\u3041-\u9fff\uac00-\ud7af"
"""What words are made of, as the inside of a character class."""
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
_WORD = re.compile(f"[{WORDS}]")
_SPACES = re.compile(rf"[{SPACE}]*+")
_WORD_BEFORE = re.compile(r"(?<![A-Za-z0-9.])[A-Za-z0-9.]{1,12}\Z")
_BREAKS = frozenset(BREAKS)
_QUOTES = frozenset("\"'”’")
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

    A span that lies in the white space between sentences is returned as it is.
    """
    spans = _spans(text)
    first = bisect_right(spans, start, key=itemgetter(1))
    after = bisect_left(spans, max(end, start + 1), key=itemgetter(0))
    if first >= after:
        return start, end
    return min(start, spans[first][0]), max(end, spans[after - 1][1])


@lru_cache(maxsize=16)
def _spans(text: str) -> list[tuple[int, int]]:
    """The sentences of a text, kept for a few: many proposals rest on one."""
    return list(sentences(text))


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
        return following >= _WIDE_FROM and not _numbers_a_line(text, found.start())
    if not _BREAKS.isdisjoint(found["gap"]):
        return True
    if "a" <= following <= "z" and not _QUOTES.isdisjoint(found["tail"]):
        return False
    return found["mark"] != "." or not _abbreviated(text, found.start(), following)


def _numbers_a_line(text: str, stop: int) -> bool:
    """Whether what stands before a mark is the number of a line, as in "2.苹果"."""
    found = _WORD_BEFORE.search(text, max(0, stop - _LONGEST_ABBREVIATION), stop)
    return found is not None and found[0].isdigit() and _opens_line(text, found.start())


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


class Asides(NamedTuple):
    """What is no part of what an author says himself. Each begins with one of the `marks`, which
    are found far faster."""

    marks: re.Pattern[str]
    whole: re.Pattern[str]


def asides(quotes: Iterable[str]) -> Asides:
    """Code, quoted lines, markup, narration between asterisks, and words in quotes.

    `quotes` are pairs of an opening and a closing mark.
    """
    quotes = list(quotes)
    # An apostrophe within a word opens nothing.
    marks = "".join(pair[0] for pair in quotes).replace("'", "")
    whole = re.compile(
        r"(?P<code>```.*?(?:```|\Z)|`[^`\n]*`|^ {0,3}>[^\n]*)"
        r"|(?P<markup><[A-Za-z/!][^<>\n]{0,300}>|\*\*+)"
        r"|(?P<narration>\*(?=[^ \n*])[^*\n]*(?:\*|$))"
        rf"|(?P<quote>{'|'.join(map(_quoted, quotes))})",
        re.DOTALL | re.MULTILINE,
    )
    return Asides(re.compile(f"[{marks}`<>*]|(?<![A-Za-z0-9])'"), whole)


def _quoted(pair: str) -> str:
    opener, closer = pair[0], pair[1]
    if closer == "'":
        return rf"(?<![A-Za-z0-9]){opener}(?=[A-Za-z])[^\n]{{1,200}}?'(?![A-Za-z0-9])"
    if opener == closer:
        return rf"{opener}+[^{closer}\n]*(?:{closer}+|$)"
    return rf"{opener}[^{closer}]*(?:{closer}|\Z)"


def spoken(text: str, aside: Asides, *, nested: bool = False) -> str:
    """The text, at the same length, with everything blanked that its author does not say.

    Where no words but narration stand outside the quotes, what is quoted is what he says.
    """
    if not aside.marks.search(text):
        return text
    own = not nested and not _WORD.search(aside.whole.sub("", text))

    def blanked(found: re.Match[str]) -> str:
        whole = found[0]
        if found.lastgroup == "markup":
            return " " * len(whole)
        if found.lastgroup != "quote":
            return "\n" * len(whole)
        if own and not _WORD.match(whole[-1]):
            return "\n" + spoken(whole[1:-1], aside, nested=True) + "\n"
        return "\0" * len(whole)

    return aside.whole.sub(blanked, text)
