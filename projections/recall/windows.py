"""A long message in part: whole sentences around those in which the words of a query stand."""

from __future__ import annotations

from collections.abc import Collection

from enishi.kernel.words.sentences import sentences
from enishi.projections.recall.rendering import Counter
from enishi.projections.recall.words import terms

Span = tuple[int, int]


def window(
    content: str, wanted: Collection[str], most: int, room: int, counter: Counter
) -> Span | None:
    """The span of whole sentences to show, of no more than `most` tokens; the whole text if it fits.

    It begins with the sentence in which most of the wanted terms stand (the first one of equals),
    and grows to both sides, forward first. That sentence alone may be longer, up to all the `room`
    there is; beyond that there is None.
    """
    if counter(content) <= min(most, room):
        return 0, len(content)
    spans = list(sentences(content))
    if not spans:
        return None
    found = [len(set(wanted).intersection(terms(content[s:e]))) for s, e in spans]
    first = last = max(range(len(spans)), key=lambda n: (found[n], -n))
    if counter(content[slice(*spans[first])]) > room:
        return None
    grown = True
    while grown:
        grown = False
        for low, high in ((first, last + 1), (first - 1, last)):
            if low < 0 or high >= len(spans):
                continue
            if counter(content[spans[low][0] : spans[high][1]]) <= min(most, room):
                first, last, grown = low, high, True
                break
    return spans[first][0], spans[last][1]
