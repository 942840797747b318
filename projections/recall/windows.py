"""A long message in part: whole sentences around those in which the words of a query stand."""

from __future__ import annotations

from collections.abc import Collection

from enishi.kernel.words.sentences import sentences
from enishi.projections.recall.rendering import Counter
from enishi.projections.recall.words import terms

Span = tuple[int, int]


def window(content: str, wanted: Collection[str], most: int, counter: Counter) -> Span | None:
    """The span of whole sentences to show, of no more than `most` tokens; the whole text if it fits.

    It begins with the sentence in which most of the wanted terms stand (the first one of equals),
    and grows to both sides, forward first. None where that sentence alone is too long.
    """
    if counter(content) <= most:
        return 0, len(content)
    spans = list(sentences(content))
    if not spans:
        return None
    found = [len(set(wanted).intersection(terms(content[s:e]))) for s, e in spans]
    first = last = max(range(len(spans)), key=lambda n: (found[n], -n))
    if counter(content[slice(*spans[first])]) > most:
        return None
    grown = True
    while grown:
        grown = False
        for low, high in ((first, last + 1), (first - 1, last)):
            if low < 0 or high >= len(spans):
                continue
            if counter(content[spans[low][0] : spans[high][1]]) <= most:
                first, last, grown = low, high, True
                break
    return spans[first][0], spans[last][1]
