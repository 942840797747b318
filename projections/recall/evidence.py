"""Whether words that were found are evidence: a question is none, and "I do not remember" is none."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from enishi.kernel.stream import Stream
from enishi.kernel.words.sentences import sentences
from enishi.projections.recall.corpus import Corpus
from enishi.projections.recall.questions import asks, knows_nothing, tells_when
from enishi.projections.recall.search import Hit
from enishi.projections.recall.words import terms


@dataclass(slots=True)
class Evidence:
    """What is evidence of the terms of a query, in a corpus. Needs `reading`."""

    stream: Stream
    corpus: Corpus
    terms: tuple[str, ...]

    def tells(self, hit: Hit) -> bool:
        """Whether a found text says something of what it was found by.

        A text in which no term stands itself tells something if it answers a question, or a
        neighbour does; one that was found by its meaning alone, if it does not only ask.
        """
        if hit.own:
            return tells(self._content(hit.place), hit.own)
        stretch, asking = self.corpus.stretch, self.corpus.asking
        if hit.alone:
            return tells(self._content(hit.place), ())
        here = stretch[hit.place]
        around = [
            place
            for place in (hit.place + step for step in (-1, 1, -2, 2))
            if 0 <= place < len(self.corpus) and stretch[place] == here
        ]
        before = hit.place - 1
        if before in around and asking[before] and self._stands(self._content(before)):
            return tells(self._content(hit.place), ())
        return any(
            tells(content, self.terms)
            for place in around
            if self._stands(content := self._content(place))
        )

    def telling_when(self, hits: Iterable[Hit]) -> set[int]:
        """The numbers of the found texts that speak of a time."""
        said = self.stream.payloads(sorted(hit.number for hit in hits), checked=False)
        return {number for number, text in said.items() if tells_when(str(text.get("content", "")))}

    def _content(self, place: int) -> str:
        number = self.corpus.numbers[place]
        return str(self.stream.payloads([number], checked=False).get(number, {}).get("content", ""))

    def _stands(self, content: str) -> bool:
        return not set(self.terms).isdisjoint(terms(content))


def tells(content: str, wanted: Collection[str]) -> bool:
    """Whether a text says something of these terms, in a sentence that neither asks nor denies to know.

    Where none of them stands in it, its sentences all count.
    """
    spoken = [content[start:end] for start, end in sentences(content)]
    with_them = [
        words for words in spoken if not wanted or not set(wanted).isdisjoint(terms(words))
    ]
    return not with_them or any(not asks(words) and not knows_nothing(words) for words in with_them)
