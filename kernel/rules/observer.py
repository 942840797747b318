"""The bundled observer of moods: how a party felt when it said something, as plain words show it.

It tells the speaker's own feelings from those of others, and keeps silent about what is asked,
supposed, told as a story, long past, or quoted. A text without a word of feeling counts where its
words lean clearly to the good or the bad; that shows weakly, and in valence alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from enishi.kernel.deciding.proposals import Citation, Felt, Mood, Proposal, ReadText, Strength
from enishi.kernel.rules import leaning as english
from enishi.kernel.rules.leaning import Leaning
from enishi.kernel.words import feelings as words_of_feeling
from enishi.kernel.words.feelings import EDGES, STRENGTHS, VALUES, Hit, Sentence
from enishi.kernel.words.sentences import sentences, spoken
from enishi.kernel.words.whose_feeling import ASIDES, is_asked, speakers

EDITION = 4
"""Counted up by hand when the reading changes; changed tables show in the version by themselves."""

MOST_PROPOSALS = 32
LONGEST_TEXT = 1 << 16
LONGEST_SENTENCE = 500
"""What is longer, in code points, is not read: nobody's feeling is told so."""

CLEAR = 30
"""A text without words of feeling must lean so far, in hundredths of log-odds, all of its sentences
together. The one that leans farthest that way is cited, and must lean so by itself."""

_KANA = re.compile("[ぁ-ねは-ん]{2}")
"""Of Japanese, whose characters are no Chinese words (困る), signs alone are read."""
_JUDGED = frozenset({"good", "bad"})
"""What is said of things as well as of oneself."""

Span = tuple[int, int]


class _Shown(NamedTuple):
    """A sentence that may show how its speaker feels, and his own feelings in it."""

    span: Span
    sentence: Sentence
    asked: bool
    own: list[Hit]


_WEIGHTS = (1, 2, 3)


class MoodObserver:
    """Proposes how the speaker of a text felt, sentence by sentence.

    Pure: the same texts give the same answer on every machine. Each proposal cites the sentence
    that shows the feeling. One that shows good and bad at once gives two, so that what is mixed
    stays mixed. A text gives at most `MOST_PROPOSALS`.
    """

    name = "mood"
    by = "rule"

    def __init__(self) -> None:
        self._feelings = words_of_feeling.load()
        self._english = english.load()
        self.version = f"{EDITION}.{self._feelings.version}.{self._english.version}"
        """Names the edition, the exact tables and the exact weights."""
        self.scorer = f"enishi-mood/{self.version}"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """What these texts show of their speakers, in the order of texts and sentences."""
        return [
            mood
            for text in texts
            if text.role != "other"
            for mood in islice(self._moods(text), MOST_PROPOSALS)
        ]

    def score(self, content: str) -> Leaning:
        """What speaks for its speaker's feeling good, and bad, be it clear enough to propose or not.

        Unlike proposals, it counts questions: many are asked for effect. Where neither is above
        zero, or both are alike, it says neither.
        """
        shown = self._shown(content[:LONGEST_TEXT])
        return self._summed(shown, [self._leaning(one) for one in shown])

    def _moods(self, text: ReadText) -> Iterator[Mood]:
        shown = [one for one in self._shown(text.content[:LONGEST_TEXT]) if not one.asked]
        felt: list[tuple[Span, dict[str, int], Strength]] = [
            (one.span, *mood) for one in shown for mood in self._felt(one.own)
        ]
        if not felt:
            leanings = [self._leaning(one) for one in shown]
            whole = self._summed(shown, leanings)
            if max(whole) >= CLEAR and abs(whole.apart) >= CLEAR:
                sign = 1 if whole.apart > 0 else -1
                farthest = max(range(len(shown)), key=lambda place: sign * leanings[place].apart)
                alone = self._summed([shown[farthest]], [leanings[farthest]])
                if max(alone) > 0 and sign * alone.apart > 0:
                    felt = [(shown[farthest].span, {"valence": whole.valence}, "weak")]
        for span, values, strength in felt:
            yield self._mood(text, span, values, strength)

    def _shown(self, content: str) -> list[_Shown]:
        """The sentences of a text that may show how its speaker feels."""
        folded = spoken(self._feelings.fold(content), ASIDES)
        shown: list[_Shown] = []
        for start, end in sentences(content):
            if end - start > LONGEST_SENTENCE:
                continue
            sentence = self._feelings.sentence(folded, start, end)
            if not sentence.words or _told(sentence):
                continue
            hits = self._feelings.hits(sentence)
            if _KANA.search(content, start, end):
                hits = [hit for hit in hits if hit.sign]
                if not hits:
                    continue
            asked = is_asked(sentence)
            own = [] if asked else speakers(sentence, hits)
            if own or not (_formal(sentence) or any(hit.feeling not in _JUDGED for hit in hits)):
                shown.append(_Shown((start, end), sentence, asked, own))
        return shown

    def _mood(self, text: ReadText, span: Span, felt: dict[str, int], strength: Strength) -> Mood:
        start, end = span
        quote = text.content[start:end]
        return Mood(
            party="user" if text.role == "user" else "agent",
            felt=Felt(**{name: felt[name] / 10_000 for name in VALUES if name in felt}),
            intensity=strength,
            scorer=self.scorer,
            citations=(Citation(text=text.number, start=start, end=end, quote=quote),),
        )

    def _felt(self, own: Sequence[Hit]) -> Iterator[tuple[dict[str, int], Strength]]:
        """The feelings of a sentence: the bad and the good apart, each with how strongly."""
        felt = [(hit, self._feelings.felt(hit)) for hit in own]
        for good in (True, False):
            side = [(h, f) for h, f in felt if f and (f.get("valence", 0) >= 0) == good]
            if side:
                strength = max(hit.strength for hit, _ in side)
                yield _blended(side), STRENGTHS[strength]

    def _summed(self, shown: Sequence[_Shown], leanings: Sequence[Leaning]) -> Leaning:
        """How far sentences of one text lean together."""
        latin = any(_latin(one.sentence) for one in shown)
        each = [*leanings, self._english.always] if latin else leanings
        return Leaning(sum(one.good for one in each), sum(one.bad for one in each))

    def _leaning(self, one: _Shown) -> Leaning:
        words = one.sentence.words
        good, bad = self._english.leaning(words) if _latin(one.sentence) else (0, 0)
        lean = self._feelings.leaning(one.sentence)
        good, bad = good + max(0, lean), bad + max(0, -lean)
        for hit in one.own:
            valence = self._feelings.felt(hit).get("valence", 0) * (hit.strength + 2) // 100
            good, bad = good + max(0, valence), bad + max(0, -valence)
        return Leaning(good, bad)


def _blended(side: Sequence[tuple[Hit, dict[str, int]]]) -> dict[str, int]:
    """The mean of what several hits say of each value, the stronger and the later ones first."""
    blended: dict[str, int] = {}
    for name in VALUES:
        given = [
            (_WEIGHTS[hit.strength] * (1 + hit.after_contrast), felt[name])
            for hit, felt in side
            if name in felt
        ]
        if given:
            total = sum(weight for weight, _ in given)
            blended[name] = sum(weight * value for weight, value in given) // total
    return blended


def _latin(sentence: Sentence) -> bool:
    return any("a" <= word[0] <= "z" for word in sentence.words)


def _told(sentence: Sentence) -> bool:
    """Whether a sentence tells of what is long past, or of a story."""
    return any(mark.entry.roles & {"past", "fiction"} for mark in sentence.marks)


def _formal(sentence: Sentence) -> bool:
    """Whether what leans in a sentence is a wish or a supposition, or no more than a greeting."""
    if any(mark.entry.roles & {"wished", "suppose"} for mark in sentence.marks):
        return True
    greeted = sum(m.last - m.first for m in sentence.marks if "greetings" in m.entry.roles)
    return greeted > 0 and greeted == sum(word not in EDGES for word in sentence.words)
