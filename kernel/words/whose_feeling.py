"""Whose the feeling is that words show: of the one who says them, or of somebody else.

The observer of moods asks what is surely the speaker's own, and the kernel what is plainly another's.
What is neither ("my boss is a nightmare", 他真烦) is nobody's surely, and may show a mood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter

from enishi.kernel.words.carried import Said, folded
from enishi.kernel.words.feelings import EDGES, Hit, Mark, Sentence, load
from enishi.kernel.words.sentences import asides, sentence_at, sentences, spoken
from enishi.kernel.words.whose import others_named, pattern, relatives, subjects, tables

ASIDES = asides(("“”", '""', "‘'", "''", "「」", "『』", "《》"))
"""What its author does not say himself; that it is told of another's feeling is another matter."""

_ARTICLES = frozenset({"a", "an", "the"})
_MY = frozenset({"me", "my", "i", "i'm", "myself", "我"})
_SMALL = frozenset({"fillers", "stronger", "weaker", "negators", "joints", "no_negators"})
_NEAR, _LONGEST = 300, 1000
"""So many characters before the cited words, and of them, are looked at."""
_BESIDES = frozenset({"home", "back", "up", "out", "there", "回", "多"})
"""What is said of somebody in place of a feeling: "mum is home, so happy" without its comma."""
_YOUR = ("your ", "你", "您")
_PRONOUNS = frozenset({"he", "she", "they", "他", "她", "他们", "她们"})

QUOTED = "\0"
"""What `spoken` puts in the place of words in quotes."""

Span = tuple[int, int]


def speakers(sentence: Sentence, hits: Sequence[Hit]) -> list[Hit]:
    """Which of the feelings in a sentence its speaker surely has himself, and now.

    A sign is his, unless words beside it say alike of nobody but another: "my boss is angry 😠".
    """
    own = [hit for hit in hits if not hit.sign and _is_speakers(sentence, hit)]
    for sign in (hit for hit in hits if hit.sign):
        alike = [hit for hit in hits if not hit.sign and _alike(sign, hit)]
        if not alike or any(hit in own for hit in alike):
            own.append(sign)
    return sorted(own, key=attrgetter("first"))


def _is_speakers(sentence: Sentence, hit: Hit) -> bool:
    """Whether the speaker himself feels what words (no sign) show, and now."""
    before = [mark for mark in sentence.marks if mark.last <= hit.first]
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


def is_asked(sentence: Sentence) -> bool:
    """Whether a sentence is a question. What is both asked and cried out is no question."""
    words = sentence.words[-3:]
    return "吗" in words or ("?" in words and "!" not in words)


def is_anothers(said: Said, own_names: Iterable[str] = (), *, by_agent: bool = False) -> bool:
    """Whether the cited words plainly say what somebody else feels, and of their speaker nothing.

    Each cited sentence has to: what befell another, what he did, or what makes him feel so may well
    show how its speaker feels. So may whatever is in doubt. `own_names` are what the speaker is
    called. An agent that says "she" may tell of itself, as a character does in its story; one that
    says "mum" may be her.
    """
    low = max(sentence_at(said.text, said.start, said.end)[0], said.start - _NEAR)
    high = min(said.end, said.start + _LONGEST)
    before = max(0, low - _LONGEST)
    told = _Told(said.text[before : high + _NEAR], said.start - before, own_names, by_agent)
    cited = [
        (low - before + start, low - before + end)
        for start, end in sentences(said.text[low:high])
        if low + end > said.start
    ]
    return bool(cited) and all(told.of_another(start, end) for start, end in cited)


class _Told:
    """A text around words that are cited from `cited` on."""

    def __init__(self, written: str, cited: int, own_names: Iterable[str], by_agent: bool) -> None:
        self._written, self._cited = written, cited
        self._feelings, self._own_names, self._by_agent = load(), own_names, by_agent
        self._heard = self._feelings.fold(written)
        self._said = spoken(self._heard, ASIDES)
        # Who says "she" beside speech in quotes, and never "I", may tell a story of himself; so may
        # an agent beside anything.
        told = (
            not pattern("one_clause").fullmatch(self._heard) if by_agent else QUOTED in self._said
        )
        self._tale = told and not self._speaks(0, len(written))

    def _others(self, start: int, end: int, *, pronouns: bool) -> Iterator[Span]:
        """Where somebody else is the subject of what is said in a stretch of the text."""
        part, kin = self._said[start:end], pattern("kin_en").fullmatch
        named = others_named(self._written[start:end], self._own_names)
        for found in pattern("addressed").finditer(part):
            yield start + found.start(1), start + found.end(1)
        for first, last in subjects(part, (name for name in named if not kin(name))):
            pronoun = part[first:last].partition("'")[0] in _PRONOUNS
            himself = pronoun and self._by_agent or part[first:last].startswith(_YOUR)
            if pronoun and not pronouns or himself and pattern("to_whom").search(part, last):
                continue
            yield start + first, start + last
        if not self._by_agent:
            own = set(map(folded, self._own_names))
            for first, last in relatives(part):
                called = any(pattern(one).search(part, last) for one in ("to_whom", "cried_out"))
                if not called and part[first:last] not in own:
                    yield start + first, start + last

    def of_another(self, start: int, end: int) -> bool:
        """Whether a sentence plainly says what another feels, and nothing of its speaker."""
        sentence = self._feelings.sentence(self._said, start, end)
        places = self._feelings.places(self._said, start, end)
        felt = self._feelings.hits(sentence)
        shown = [hit for hit in felt if places[hit.first][0] >= self._cited]
        if is_asked(sentence) or not set(shown).isdisjoint(speakers(sentence, felt)):
            return False
        # What a sign shows without words of its own is what the words before it say.
        told = felt if shown and all(hit.sign for hit in shown) else shown
        hits = [hit for hit in told if not hit.sign]
        if not all(_tells_a_feeling(sentence, hit) for hit in hits):
            return False
        speech = [self._anothers_speech(start, *one) for one in self._quotes(start, end)]
        if None in speech or not (hits or self._is_all(sentence, places, speech)):
            return False
        others = list(self._others(start, end, pronouns=not self._tale))
        if not all(self._feels(sentence, places, others, hit) for hit in hits):
            return False
        if pattern("besides_that").search(self._said, max(start, self._cited), end):
            return False
        opening = places[sentence.opening(hits[0].first)][0] if hits else end
        return not self._speaks(min(max(start, self._cited), opening), end, others)

    def _feels(
        self, sentence: Sentence, places: Sequence[Span], others: Sequence[Span], hit: Hit
    ) -> bool:
        """Whether a word of feeling is plainly what one of these others feels."""
        first = places[hit.first][0]
        if (hit.alone and hit.feeling != "exhausted") or _described(sentence, hit):
            return False
        before = [mark for mark in sentence.marks if mark.last <= hit.first]
        if any("suppose" in mark.entry.roles for mark in before):
            return False
        subjects = sorted(one for one in others if one[1] <= first)
        if not subjects or self._under(subjects):
            return False
        appears = pattern("appears").match(self._said, subjects[-1][1], first)
        if appears is None:
            return False
        since = sum(start < appears.end() for start, _ in places)
        words = sentence.words[since : hit.first]
        return (EDGES | _BESIDES).isdisjoint(words) and _bare(
            sentence, since, hit.first, _SMALL | {"links"}
        )

    def _under(self, subjects: Sequence[Span]) -> bool:
        """Whether the last of these subjects is that of a part of what somebody says of it."""
        start, _ = subjects[-1]
        low = max(0, start - _NEAR)
        under = pattern("under").search(self._said, low, start)
        before = under and pattern("frame").search(self._said, low, start)
        return bool(under) and not before and len(subjects) == 1

    def _speaks(self, start: int, end: int, others: Iterable[Span] = ()) -> bool:
        """Whether the speaker comes in, other than as who tells of these others."""
        part = list(self._said[start:end])
        for first, last in others:
            for place in range(max(first, start), min(last, end)):
                part[place - start] = " "
        return bool(pattern("speaker").search(pattern("frame").sub(" ", "".join(part))))

    def _quotes(self, start: int, end: int) -> Iterator[Span]:
        """Where cited words of a stretch stand in quotes."""
        for found in ASIDES.whole.finditer(self._heard):
            first, last = found.span()
            if self._said[first] == QUOTED and first < end and last - 1 > max(start, self._cited):
                yield first, last

    def _anothers_speech(self, start: int, opening: int, end: int) -> Span | None:
        """From the subject to the end of what another says of his own feeling, in quotes."""
        others = sorted(self._others(start, opening, pronouns=not self._by_agent))
        if not others or not pattern("says").fullmatch(self._said, others[-1][1], opening):
            return None
        speech = self._feelings.sentence(self._heard, max(opening + 1, self._cited), end - 1)
        own = speakers(speech, self._feelings.hits(speech))
        told = any(_tells_a_feeling(speech, hit) for hit in own)
        return (others[-1][0], end) if told else None

    def _is_all(
        self, sentence: Sentence, places: Sequence[Span], speech: Sequence[Span | None]
    ) -> bool:
        """Whether the cited words of a sentence are that speech, and small words before it."""
        if not speech or speech[0] is None or speech[-1] is None:
            return False
        first = sum(end <= self._cited for _, end in places)
        until = sum(start < speech[0][0] for start, _ in places)
        after = sum(start < speech[-1][1] for start, _ in places)
        return _bare(sentence, first, max(first, until)) and EDGES.issuperset(
            sentence.words[after:]
        )


def _tells_a_feeling(sentence: Sentence, hit: Hit) -> bool:
    """Whether words say how somebody feels, and not as well what he is, did or went through."""
    feelings, besides = _feelings_told()
    words = "".join(sentence.words[hit.first : hit.last])
    return hit.feeling in feelings and words not in besides


def _alike(sign: Hit, hit: Hit) -> bool:
    """Whether a sign shows what words say of somebody, and not how their speaker takes it."""
    both = {sign.feeling, hit.feeling}
    return not hit.turned and (len(both) == 1 or any(both <= one for one in _alike_feelings()))


@cache
def _alike_feelings() -> list[frozenset[str]]:
    return list(map(frozenset, tables()["alike"]))


@cache
def _feelings_told() -> tuple[frozenset[str], frozenset[str]]:
    besides = frozenset(words.replace(" ", "") for words in tables()["besides"])
    return frozenset(tables()["feelings"]), besides


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


def _bare(sentence: Sentence, first: int, last: int, small: frozenset[str] = _SMALL) -> bool:
    """Whether nothing but small words and marks stands between two words."""
    covered = set(range(first, last))
    for mark in sentence.marks:
        if mark.entry.roles & small or mark.entry.feeling:
            covered -= set(range(mark.first, mark.last))
    return all(sentence.words[place] in EDGES for place in covered)


def _described(sentence: Sentence, hit: Hit) -> bool:
    """Whether words of feeling describe a thing (开心的日子, a happy ending) or are spoken of."""
    after = sentence.words[hit.last : hit.last + 2]
    if after[:1] == ["是"] or (after[:1] == ["的"] and after[1:] != [] and after[1] not in EDGES):
        return True
    joined = any("joints" in m.entry.roles and m.first == hit.last for m in sentence.marks)
    named = after[:1] != [] and "a" <= after[0][0] <= "z" and not joined
    return named and hit.first > 0 and sentence.words[hit.first - 1] in _ARTICLES


def _reaches(sentence: Sentence, subject: Mark, hit: Hit) -> bool:
    """Whether what is said of the subject is what the hit says, and of nothing in between."""
    between = [m for m in sentence.marks if subject.last <= m.first and m.last <= hit.first]
    if any("links" in mark.entry.roles and mark.first > subject.last for mark in between):
        return False
    sayings = [mark for mark in between if "saying" in mark.entry.roles]
    return not sayings or _bare(sentence, sayings[-1].last, hit.first)
