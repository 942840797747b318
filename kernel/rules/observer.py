"""The bundled observer of moods: how a party felt when it said something, as plain words show it.

It tells the speaker's own feelings from those of others, and keeps silent about what is asked,
supposed, told as a story, long past, or quoted. A text without a word of feeling counts where its
words lean clearly to the good or the bad; that shows weakly, and in valence alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from enishi.kernel.deciding.proposals import Citation, Felt, Mood, Proposal, ReadText, Strength
from enishi.kernel.rules import feelings as words_of_feeling
from enishi.kernel.rules import leaning as english
from enishi.kernel.rules.feelings import EDGES, STRENGTHS, VALUES, Hit, Mark, Sentence
from enishi.kernel.rules.leaning import Leaning
from enishi.kernel.words.sentences import asides, sentences, spoken

EDITION = 2
"""Counted up by hand when the reading changes; changed tables show in the version by themselves."""

MOST_PROPOSALS = 32
LONGEST_TEXT = 1 << 16
LONGEST_SENTENCE = 500
"""What is longer, in code points, is not read: nobody's feeling is told so."""

CLEAR = 40
"""A text without words of feeling must lean so far, in hundredths of log-odds, all of its sentences
together. The one that leans farthest that way is cited."""

_QUOTES = ("“”", '""', "‘'", "''", "「」", "『』", "《》")
_JUDGED = frozenset({"good", "bad"})
"""What is said of things as well as of oneself."""

Span = tuple[int, int]

_WEIGHTS = (1, 2, 3)
_MY = frozenset({"me", "my", "i", "i'm", "myself", "我"})


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
        self._asides = asides(_QUOTES)
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
        """What speaks for good and for bad in a text, whoever feels it: for comparison only."""
        folded = self._feelings.fold(content[:LONGEST_TEXT])
        read = [
            self._feelings.sentence(folded, *span) for span in sentences(content[:LONGEST_TEXT])
        ]
        leanings = [self._leaning(one, self._feelings.hits(one)) for one in read]
        return self._summed(read, leanings)

    def _moods(self, text: ReadText) -> Iterator[Mood]:
        content = text.content[:LONGEST_TEXT]
        folded = spoken(self._feelings.fold(content), self._asides)
        quiet: list[tuple[Span, Sentence]] = []
        felt_any = False
        for start, end in sentences(content):
            if end - start > LONGEST_SENTENCE:
                continue
            sentence = self._feelings.sentence(folded, start, end)
            if not sentence.words or _asked(sentence) or _told(sentence):
                continue
            hits = self._feelings.hits(sentence)
            own = [hit for hit in hits if _own(sentence, hit)]
            for felt, strength in self._felt(own):
                felt_any = True
                yield self._mood(text, (start, end), felt, strength)
            if not own and not _formal(sentence) and all(hit.feeling in _JUDGED for hit in hits):
                quiet.append(((start, end), sentence))
        if quiet and not felt_any:
            read = [sentence for _, sentence in quiet]
            leanings = [self._leaning(sentence, ()) for sentence in read]
            whole = self._summed(read, leanings)
            if max(whole) >= CLEAR and abs(whole.apart) >= CLEAR:
                sign = 1 if whole.apart > 0 else -1
                farthest = max(range(len(read)), key=lambda place: sign * leanings[place].apart)
                yield self._mood(text, quiet[farthest][0], {"valence": whole.valence}, "weak")

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

    def _summed(self, read: Iterable[Sentence], leanings: Sequence[Leaning]) -> Leaning:
        """How far sentences of one text lean together."""
        latin = any(map(_latin, read))
        each = [*leanings, self._english.always] if latin else leanings
        return Leaning(sum(one.good for one in each), sum(one.bad for one in each))

    def _leaning(self, sentence: Sentence, hits: Iterable[Hit]) -> Leaning:
        good, bad = self._english.leaning(sentence.words)
        lean = self._feelings.leaning(sentence)
        good, bad = good + max(0, lean), bad + max(0, -lean)
        for hit in hits:
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


def _asked(sentence: Sentence) -> bool:
    """Whether a sentence is a question. What is both asked and cried out is no question."""
    words = sentence.words[-3:]
    return "吗" in words or ("?" in words and "!" not in words)


def _told(sentence: Sentence) -> bool:
    """Whether a sentence tells of what is long past, or of a story."""
    return any(mark.entry.roles & {"past", "fiction"} for mark in sentence.marks)


def _formal(sentence: Sentence) -> bool:
    """Whether what leans in a sentence is a wish or a supposition, or no more than a greeting."""
    if any(mark.entry.roles & {"unreal", "suppose"} for mark in sentence.marks):
        return True
    greeted = sum(m.last - m.first for m in sentence.marks if "greetings" in m.entry.roles)
    return greeted > 0 and greeted == sum(word not in EDGES for word in sentence.words)


def _own(sentence: Sentence, hit: Hit) -> bool:
    """Whether the speaker himself feels what the words show, and now."""
    before = [mark for mark in sentence.marks if mark.last <= hit.first]
    if hit.sign:
        return True
    low = _since(sentence, hit)
    if any("suppose" in mark.entry.roles for mark in before if mark.first >= low):
        return False
    clause = sentence.clause(hit.first)
    if any("unreal" in mark.entry.roles for mark in before if mark.first >= clause):
        return False
    inside = set(sentence.words[hit.first : hit.last])
    if not hit.alone and _described(sentence, hit):
        return False
    nearest = _nearest(before)
    if nearest is None:
        return hit.alone or _bare(sentence, sentence.opening(hit.first), hit.first)
    if "me" not in nearest.entry.roles:
        return hit.alone and bool(inside & _MY)
    return hit.alone or _reaches(sentence, nearest, hit)


def _since(sentence: Sentence, hit: Hit) -> int:
    """Where the part of the sentence begins that a supposition or a subject reaches the hit from."""
    turns = [m.last for m in sentence.marks if "contrast" in m.entry.roles and m.last <= hit.first]
    return max(turns, default=0)


def _nearest(marks: Sequence[Mark]) -> Mark | None:
    """The person spoken of last before a hit. Whom something is done for or to does not count."""
    for number in range(len(marks) - 1, -1, -1):
        mark = marks[number]
        if mark.entry.roles & {"me", "you", "others"}:
            previous = marks[number - 1] if number else None
            to_whom = (
                previous is not None
                and previous.last == mark.first
                and "before_object" in previous.entry.roles
            )
            if not to_whom:
                return mark
    return None


def _bare(sentence: Sentence, first: int, last: int) -> bool:
    """Whether nothing but small words stands between two words."""
    covered = set(range(first, last))
    for mark in sentence.marks:
        if (
            mark.entry.roles
            & {
                "fillers",
                "stronger",
                "weaker",
                "negators",
                "joints",
                "no_negators",
            }
            or mark.entry.feeling
        ):
            covered -= set(range(mark.first, mark.last))
    return all(sentence.words[place] in EDGES for place in covered)


def _described(sentence: Sentence, hit: Hit) -> bool:
    """Whether Chinese words of feeling describe a thing (开心的日子) or are what is spoken of."""
    after = sentence.words[hit.last : hit.last + 2]
    return after[:1] == ["是"] or (
        after[:1] == ["的"] and after[1:] != [] and after[1] not in EDGES
    )


def _reaches(sentence: Sentence, subject: Mark, hit: Hit) -> bool:
    """Whether what is said of the subject is what the hit says, and of nothing in between."""
    between = [m for m in sentence.marks if subject.last <= m.first and m.last <= hit.first]
    if any("links" in mark.entry.roles and mark.first > subject.last for mark in between):
        return False
    sayings = [mark for mark in between if "saying" in mark.entry.roles]
    return not sayings or _bare(sentence, sayings[-1].last, hit.first)
