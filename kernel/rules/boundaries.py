"""The bundled proposer of episode boundaries: meaning and gap together, no model and no timer.

A turn is judged by the text that opens it, so that another reply to it changes nothing, and by the
texts of the turns before. What speaks for a new episode and against it is counted in points:

    +4  it opens with a greeting                 -3  it answers, or goes on
    +3  the words before took leave              -2  the words before ended with a question
    +2  it says that it turns to something else  -3 to +1  how much it shares with them
    +1  it tells of another day                  -6 to +11  the time that has passed

An episode begins at `ENOUGH` points. The time alone reaches that after seven hours, and any
continuation then still outweighs it; where no time is known, the words alone decide.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from enishi.kernel.deciding.proposals import (
    BoundarySign,
    Citation,
    EpisodeBoundary,
    Proposal,
    ReadText,
)
from enishi.kernel.moments import MINUTE, Moment
from enishi.kernel.words.cohesion import cohesion, topic_words
from enishi.kernel.words.sentences import WORDS

EDITION = 1
"""Counted up by hand when the reading changes; changed tables show in the version by themselves."""

LANGUAGES = ("en", "zh")
LOOKS_BACK = 5
"""Turns before the judged one whose texts are read as well."""

MOST_TEXTS = 12
"""Texts before the judged one that are weighed and cited."""

ENOUGH = 4

GAPS = ((10, -6), (45, -1), (180, 1), (420, 3), (1080, 4), (4320, 6), (10_080, 8))
"""Points for the time that has passed: up to so many minutes, so many points."""

LONGEST = 11
"""Points for more than a week."""

SHARED = ((500, 1), (1200, 0), (2500, -1), (4000, -2))
"""Points for cohesion: below so many ten-thousandths, so many points; -3 from there on."""

_FEW_WORDS = 3
_HEAD, _TAIL = 200, 220
_LEAD = rf"\A[^{WORDS}]*"
_ASKS = re.compile("[?？]")
_FOLD = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)} | {ord("’"): "'"}

POINTS: dict[BoundarySign, int] = {"greeting": 4, "farewell": 3, "turning": 2, "occasion": 1}
AGAINST, ASKED = 3, 2


class _Read(NamedTuple):
    number: int
    turn: int
    place: int
    length: int
    tail: str
    words: frozenset[str]
    happened: Moment | None


class Weighed(NamedTuple):
    """What speaks for a beginning, and the points in all."""

    points: int
    signs: tuple[BoundarySign, ...]


class BoundaryProposer:
    """Proposes where an episode begins. Pure; cites the text that opens it and those before."""

    name = "boundaries"
    by = "rule"
    looks_back = LOOKS_BACK

    def __init__(self) -> None:
        self._cues = _load()
        self.version = self._cues.version
        """Names the edition and the exact tables."""

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """The boundaries before the turns that these texts open, those only shown left out."""
        before: deque[_Read] = deque(maxlen=MOST_TEXTS)
        found: list[Proposal] = []
        for text in texts:
            if text.content:
                read = _Read(
                    text.number,
                    text.turn,
                    text.place,
                    len(text.content),
                    text.content[-_TAIL:].translate(_FOLD),
                    topic_words(text.content),
                    text.happened,
                )
                while before and before[0].place < text.place - LOOKS_BACK:
                    before.popleft()
                opens = bool(before) and before[-1].turn != text.turn
                if opens and not text.shown:
                    weighed = self._cues.weigh(before, text.content[:_HEAD], read)
                    if weighed.points >= ENOUGH:
                        found.append(_boundary(before, read, weighed))
                before.append(read)
        return found


def _boundary(before: Iterable[_Read], read: _Read, weighed: Weighed) -> EpisodeBoundary:
    cited = tuple(Citation(text=one.number, start=0, end=one.length) for one in (*before, read))
    return EpisodeBoundary(signs=weighed.signs, citations=cited)


class _Cues:
    """The tables of all languages, compiled."""

    def __init__(self, source: str) -> None:
        tables = tomllib.loads(source)
        self.version = f"{EDITION}.{sha256(source.encode()).hexdigest()[:8]}"
        self._found = {
            cue: re.compile(
                "|".join(
                    (_LEAD if place == "opening" else "") + _pattern(language, patterns)
                    for language in LANGUAGES
                    for place, cues in tables[language].items()
                    if (patterns := cues.get(cue))
                ),
                re.ASCII,
            )
            for cue in (*POINTS, "continues")
        }

    def weigh(self, before: Sequence[_Read] | deque[_Read], head: str, read: _Read) -> Weighed:
        """What speaks for a beginning with this text after those, and against it."""
        head = head.translate(_FOLD)
        last = [one for one in before if one.turn == before[-1].turn]
        signs: list[BoundarySign] = [
            sign for sign in POINTS if sign != "farewell" and self._found[sign].search(head)
        ]
        if any(self._found["farewell"].search(one.tail) for one in last):
            signs.append("farewell")
        points = sum(POINTS[sign] for sign in signs)
        # Who greets comes back, whatever he goes on with.
        if "greeting" not in signs and self._found["continues"].search(head):
            points -= AGAINST
        points -= ASKED if _ASKS.search(last[-1].tail) else 0
        shared = shared_points([one.words for one in before], read.words)
        passed = gap_points(gap_between(last[-1].happened, read.happened))
        points += shared + passed
        signs += ["unlike"] if shared > 0 else []
        signs += ["gap"] if passed > 0 else []
        return Weighed(points, tuple(sorted(signs)))


def shared_points(before: Sequence[frozenset[str]], words: frozenset[str]) -> int:
    """Points for how much a text shares with those before. Of few words little can be said."""
    if len(words) < _FEW_WORDS:
        return -1 if words and cohesion(before[-2:], words) else 0
    found = cohesion(before, words)
    return next((points for below, points in SHARED if found < below), -3)


def gap_points(gap: int | None) -> int:
    """Points for a gap in microseconds; none where it is not known."""
    if gap is None:
        return 0
    place = bisect_right([limit * MINUTE for limit, _ in GAPS], gap)
    return GAPS[place][1] if place < len(GAPS) else LONGEST


def gap_between(before: Moment | None, after: Moment | None) -> int | None:
    """The time between two texts, never negative; None where one of them is not known."""
    return None if before is None or after is None else max(0, after.at - before.at)


def _pattern(language: str, patterns: list[str]) -> str:
    body = re.sub(r"\((?!\?)", "(?:", "|".join(patterns))
    return f"(?<![a-z0-9])(?:{body})(?![a-z0-9])" if language == "en" else f"(?:{body})"


@cache
def _load() -> _Cues:
    return _Cues((files("enishi.kernel.rules") / "boundaries.toml").read_text("utf-8"))
