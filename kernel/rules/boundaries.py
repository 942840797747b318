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
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files

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

EDITION = 2
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
SHARED_MOST = -3
"""Points for cohesion: below so many ten-thousandths, so many points; from there on, the last."""

_FEW_WORDS = 3
_HEAD, _TAIL = 200, 220
_LEAD = rf"\A[^{WORDS}]*"
_ASKS = re.compile("[?？]")
_FOLD = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)} | {ord("’"): "'"}

POINTS: dict[BoundarySign, int] = {"greeting": 4, "farewell": 3, "turning": 2, "occasion": 1}
AGAINST, ASKED = 3, 2


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
        before: deque[ReadText] = deque(maxlen=MOST_TEXTS)
        found: list[Proposal] = []
        for text in texts:
            if text.content:
                while before and before[0].place < text.place - LOOKS_BACK:
                    before.popleft()
                opens = bool(before) and before[-1].turn != text.turn
                judged = self._cues.judged(before, text) if opens and not text.shown else None
                if judged is not None:
                    found.append(_boundary(*judged))
                before.append(text)
        return found


def _boundary(texts: Iterable[ReadText], signs: Iterable[BoundarySign]) -> EpisodeBoundary:
    cited = (Citation(text=one.number, start=0, end=len(one.content)) for one in texts)
    return EpisodeBoundary(signs=tuple(sorted(signs)), citations=tuple(cited))


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

    def judged(
        self, before: deque[ReadText], text: ReadText
    ) -> tuple[list[ReadText], list[BoundarySign]] | None:
        """What a beginning with this text rests on, and what speaks for it; None where it is not
        enough.

        Nothing more is looked for once even all that could still be found would not be enough; and
        where it is enough whatever was talked about, it rests on the turn just before alone, so
        that it does not fall with one of those further back.
        """
        near = [one for one in before if one.turn == before[-1].turn]
        head = text.content[:_HEAD].translate(_FOLD)
        tails = [one.content[-_TAIL:].translate(_FOLD) for one in near]
        passed = gap_points(gap_between(before[-1].happened, text.happened))
        signs: list[BoundarySign] = ["gap"] if passed > 0 else []
        most = passed + sum(POINTS.values()) + SHARED[0][1]
        for sign, points in POINTS.items():
            if most < ENOUGH:
                return None
            if any(map(self._found[sign].search, tails if sign == "farewell" else [head])):
                signs.append(sign)
            else:
                most -= points
        # Who greets comes back, whatever he goes on with.
        if "greeting" not in signs and self._found["continues"].search(head):
            most -= AGAINST
        most -= ASKED if _ASKS.search(tails[-1]) else 0
        if most < ENOUGH:
            return None
        most -= SHARED[0][1]
        if most + SHARED_MOST >= ENOUGH:
            return [*near, text], signs
        shared = shared_points(
            [topic_words(one.content) for one in before], topic_words(text.content)
        )
        signs += ["unlike"] if shared > 0 else []
        return ([*before, text], signs) if most + shared >= ENOUGH else None


def shared_points(before: list[frozenset[str]], words: frozenset[str]) -> int:
    """Points for how much a text shares with those before. Of few words little can be said."""
    if len(words) < _FEW_WORDS:
        return -1 if words and cohesion(before[-2:], words) else 0
    found = cohesion(before, words)
    return next((points for below, points in SHARED if found < below), SHARED_MOST)


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
