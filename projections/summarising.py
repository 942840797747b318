"""What an episode was about, in a few sentences: by rule out of its own, or as somebody proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from enishi.kernel.stream import Stream
from enishi.kernel.words.cohesion import topic_words
from enishi.kernel.words.named import figures, named_things
from enishi.kernel.words.sentences import sentences
from enishi.projections.episodes import Told

SENTENCES = 3
"""Sentences of a summary by rule."""

LONGEST = 140
"""Characters of words that are told; what is longer is cut, and says so."""

_TOPICS = 8
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence of a summary, and the texts that it rests on."""

    words: str
    texts: tuple[int, ...]


def proposed(stream: Stream, one: Told) -> tuple[tuple[SummaryLine, ...], int | None]:
    """The newest proposed summary whose texts all lie in the episode, if there is one."""
    payloads = stream.payloads(one.entry["summaries"])
    for number in reversed(one.entry["summaries"]):
        told = payloads.get(number, {}).get("sentences", ())
        if told and all(span[0] in one.texts for line in told for span in line["spans"]):
            lines = (
                SummaryLine(line["words"], tuple(dict.fromkeys(s[0] for s in line["spans"])))
                for line in told
            )
            return tuple(lines), number
    return (), None


def extracted(
    one: Told, referred: Iterable[tuple[int, int, int, int]] = ()
) -> tuple[str, tuple[SummaryLine, ...]]:
    """The sentence that tells most of an episode, and those that do in the order they were said.

    A sentence counts 2 or 3 points for a peak in it, as strong as it is, 3 for words referred to
    later, 1 for each name and each figure (two of each at most), 1 for each of the episode's topics
    that it speaks of (three at most) and 1 for being the user's. A question costs 2, and a sentence
    with fewer than three words of its own, mere courtesy as a rule, 4. The earlier one wins among
    equals.
    """
    marks = [(text, start, end, weight) for weight, _, text, start, end in one.entry["peaks"]]
    marks += [(*span[:3], 3) for span in referred]
    spoken = Counter(word for t in one.texts.values() for word in topic_words(t.content or ""))
    often = sorted((word for word in spoken if spoken[word] > 1), key=lambda w: (-spoken[w], w))
    topics = frozenset(often[:_TOPICS])
    scored: list[tuple[int, int, str, int]] = []
    for text in one.texts.values():
        content = text.content or ""
        own_marks = [mark[1:] for mark in marks if mark[0] == text.number]
        told = [[span[0] for span in spans] for spans in (named_things(content), figures(content))]
        for start, end in sentences(content):
            words = content[start:end]
            own = topic_words(words)
            points = max((w for s, e, w in own_marks if s < end and start < e), default=0)
            for places in told:
                points += min(2, len([s for s in places if start <= s < end]))
            points += min(3, len(topics & own)) + (text.role == "user")
            points -= 2 * (words[-1:] in "?？") + 4 * (len(own) < _FEW_WORDS)
            scored.append((-points, len(scored), words, text.number))
    ranked = sorted(scored)[:SENTENCES]
    chosen = sorted(ranked, key=lambda each: each[1])
    lines = tuple(SummaryLine(cut(words), (text,)) for _, _, words, text in chosen)
    return cut(ranked[0][2]) if ranked else "", lines


def cut(words: str, most: int = LONGEST) -> str:
    """Words in one line, and no longer than this."""
    line = " ".join(words.split())
    return line if len(line) <= most else line[: most - 1] + "…"
