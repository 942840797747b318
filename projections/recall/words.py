"""Splitting text into the terms that are indexed and looked for, the same way for both.

Text is folded first: compatibility forms, small letters, Latin letters without their accents,
traditional Chinese as simplified. Then every run of letters and digits is a word, English ones by
their stems; Chinese, Japanese and Korean have no words here, but each character is a term and each
pair of neighbours; an emoji is a term.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from enishi.projections.recall.stemming import stem

FORM = f"3 {unicodedata.unidata_version}"
"""Names this way of splitting: what was indexed under another has to be indexed anew."""

_WIDE = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_TOKENS = re.compile(
    f"(?P<wide>[{_WIDE}]+)"
    "|(?P<emoji>[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
    f"|(?P<word>(?:[^\\W_{_WIDE}])+)"
)
_TAILS = re.compile("(?:n['’]t|['’](?:s|re|ve|ll|d|m))(?![a-z0-9])")
_PLAIN_WORD = re.compile("[a-z0-9]+")

_COMMON = """
a about an and any are as at be been being but by can could did do does doing for from had has have
having he her hers him his how i if in into is it its just me my of on or our ours she so some than
that the their them then there these they this those to too up us was we were what when where which
while who whom whose why will with would you your yours no not yes also am more most other over own
same such very ca wo sha ai
"""
_STOP = frozenset(_COMMON.split())
"""Words that tell nothing: neither indexed nor looked for."""

_FUNCTION = frozenset(
    "的了是在我你您他她它们这那哪什么怎谁吗呢吧啊呀哦嗯就也都还又很和与跟把被给让对到从过着得地之其个一不有没"
    "要会能可以想说知道记得请问多少几时候"
)
"""Characters that stand in any Chinese sentence: a pair with one of them weighs as little as a single
character, and a pair of two of them is looked for only where nothing else is left of a query."""


_ASKING = frozenset(
    [
        "remember",
        "recall",
        "tell",
        "told",
        "say",
        "said",
        "saying",
        "mention",
        "mentioned",
        "know",
        "knew",
        "talk",
        "talked",
    ]
)
"""Words with which one asks for what was said: not looked for, where anything else is."""

_ASKING_WIDE = re.compile(
    "来着|(?:还)?记得|记不记得|上[次回]|之前|以前|当[时初]|那时候?|后来|到底|究竟|突然|有没有|是不是|怎么样|怎么回事"
    "|叫(?:什么|啥)(?:名字)?|(?:什么|啥)名字|是谁|哪[里儿]|为什么|多少钱?|(?:跟|和)?[你我](?:说|讲|提|聊|谈)过?|(?:说|讲|提|聊|谈)(?:过|到|起)|印象|告诉"
)
"""The same in Chinese, in simplified characters."""

_GENERAL = frozenset(
    [
        "name",
        "names",
        "named",
        "called",
        "kind",
        "kinds",
        "type",
        "types",
        "sort",
        "colour",
        "color",
        "time",
        "times",
        "day",
        "date",
        "year",
        "month",
        "place",
        "thing",
        "things",
        "people",
        "person",
        "reason",
        "way",
        "many",
        "much",
        "long",
        "often",
        "new",
        "last",
        "first",
        "recent",
        "recently",
        "favorite",
        "favourite",
        "happen",
        "happened",
    ]
)
"""Words that say which side of a thing is asked for, and not of which thing: they weigh little."""


class Split(NamedTuple):
    """The terms of a query: `words` with their weights, of 4; `names` are what may name somebody,
    each with the terms that it is made of."""

    words: dict[str, int]
    names: dict[str, frozenset[str]]


WHOLE = 4
"""The weight of a word, or of a pair of characters."""

_HALF = 2
"""The weight of a word that says little by itself."""

_SINGLE = 1
"""The weight of one character of several."""


def is_wide(term: str) -> bool:
    """Whether a term is of a script that is written without spaces, and so overlaps its neighbours."""
    return term[0] >= "\u2e80"


def folded(text: str) -> str:
    """Text in the one form in which it is compared."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.replace("’", "'")).lower()
    return plain if plain.isascii() else "".join(map(_base, plain))


def terms(text: str) -> list[str]:
    """Every term of a text, as often as it stands there, in no order that matters."""
    plain = folded(text)
    if plain.isascii():
        return [term for term in map(_term, _PLAIN_WORD.findall(_TAILS.sub(" ", plain))) if term]
    found: list[str] = []
    for kind, token in _tokens(plain):
        if kind == "wide":
            found += token
            found += _pairs(token)
        elif term := _term(token):
            found.append(term)
    return found


def split_query(text: str, *, bare: bool = True) -> Split:
    """The terms of a query, with what they weigh.

    With `bare`, words that tell nothing are looked for where there is nothing else.
    """
    words: dict[str, int] = {}
    names: dict[str, frozenset[str]] = {}
    spare: list[str] = []
    plain = folded(text)
    if not plain.isascii():
        for asked in _ASKING_WIDE.findall(plain):
            spare += _pairs(asked)
        plain = _ASKING_WIDE.sub(" ", plain)
    for kind, token in _tokens(plain):
        if kind == "wide":
            pairs = _pairs(token) or [token]
            spare += pairs
            for pair in pairs:
                telling = len(pair) - sum(one in _FUNCTION for one in pair)
                if telling:
                    words[pair] = WHOLE if telling == len(pair) else _SINGLE
            for one in token:
                if "\u3400" <= one <= "\u9fff" and one not in _FUNCTION:
                    words.setdefault(one, _SINGLE)
            names.update((run, frozenset([*run, *_pairs(run)])) for run in _runs(token))
        elif term := _term(token):
            names[token] = frozenset([term])
            if token in _ASKING:
                spare.append(term)
            else:
                words[term] = _HALF if token in _GENERAL else WHOLE
    if bare and WHOLE not in words.values():
        # 船 in 我的船叫什么 is all that it is about, and no stray character.
        single = [term for term in words if len(term) == 1 and is_wide(term)]
        words.update(dict.fromkeys(single or spare, WHOLE))
    return Split(words, names)


def undated(query: Split, rest: Collection[str]) -> Split:
    """The same query, in which figures, and what overlaps, weigh as little as a single character
    unless they are among `rest`: those of a date stand in few texts that were said on it."""
    words = {
        t: min(w, _SINGLE) if t not in rest and (is_wide(t) or t.isdigit()) else w
        for t, w in query.words.items()
    }
    return Split(words, query.names)


@lru_cache(maxsize=1024)
def name_terms(name: str) -> frozenset[str]:
    """The forms under which a speaker's name is looked for."""
    return frozenset(token for kind, token in _tokens(folded(name)) if kind != "emoji")


def _tokens(plain: str) -> Iterator[tuple[str, str]]:
    """The kinds and the tokens of a folded text."""
    for found in _TOKENS.finditer(_TAILS.sub(" ", plain)):
        yield found.lastgroup or "", found[0]


def _pairs(token: str) -> list[str]:
    return [token[n : n + 2] for n in range(len(token) - 1)]


def _runs(token: str) -> Iterator[str]:
    """The parts of a run of characters that may be a name: two to four in a row."""
    for size in (2, 3, 4):
        for start in range(len(token) - size + 1):
            yield token[start : start + size]


@lru_cache(maxsize=65_536)
def _term(word: str) -> str:
    """The term of a word, or nothing where it tells nothing."""
    if word in _STOP:
        return ""
    return stem(word) if word.isascii() and word.isalpha() else word


@lru_cache(maxsize=65_536)
def _base(character: str) -> str:
    """A character as it is compared."""
    if "\u00c0" <= character <= "\u024f" or "\u1e00" <= character <= "\u1eff":
        return unicodedata.normalize("NFD", character)[0]
    return character.translate(_simplified())


@cache
def _simplified() -> dict[int, str]:
    table = files("enishi.projections.recall").joinpath("traditional.txt").read_text("utf-8")
    return {ord(one): row[0] for row in table.split() for one in row[1:]}
