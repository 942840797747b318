"""The character's own card, sentence by sentence: what of it a query speaks of."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from enishi.kernel.fold import fold_of
from enishi.kernel.stream import Stream
from enishi.kernel.words.sentences import sentences
from enishi.projections.character import CHARACTER, blueprint
from enishi.projections.policy import ONE, RecallNumbers
from enishi.projections.recall.holding import Seen
from enishi.projections.recall.items import Item, Score
from enishi.projections.recall.search import Found
from enishi.projections.recall.words import WHOLE, terms

MOST = 2
"""Sentences of a card that a query brings in."""

_FIELDS = ("description", "personality", "scenario")


class _Sentence(NamedTuple):
    words: str
    terms: frozenset[str]


def card_items(seen: Seen, found: Found, numbers: RecallNumbers) -> list[Item]:
    """The sentences of the card in force in which enough of a query stands, the best first."""
    view = blueprint(fold_of(seen.stream, seen.branch, CHARACTER).state())
    if view is None:
        return []
    ranked = []
    for place, sentence in enumerate(_sentences(seen.stream, view.number)):
        own = tuple(term for term in found.weights if term in sentence.terms)
        relevance = sum(found.idf[term] * found.weights[term] for term in own) // WHOLE
        if own and found.share(relevance) >= numbers.threshold.card:
            ranked.append((-relevance, place, sentence, own))
    return [
        Item(
            numbers=(view.number,),
            layer="blueprint",
            kind="card",
            text=_named(sentence.words, seen),
            because="words",
            happened=None,
            authority="established",
            cut=True,
            score=Score(-minus, found.share(-minus), ONE, 0, 0, 0, ONE, -minus, own),
        )
        for minus, _, sentence, own in sorted(ranked)[:MOST]
    ]


def _sentences(stream: Stream, number: int) -> list[_Sentence]:
    """The sentences of a card, split once."""
    kept = stream.kept.get("card")
    if kept is None or kept[0] != number:
        payload = stream.payload(number) or {}
        split = [
            _Sentence(words[start:end], frozenset(terms(words[start:end])))
            for words in _texts(payload.get("card", "{}"))
            for start, end in sentences(words)
        ]
        kept = stream.kept["card"] = number, split
    found: list[_Sentence] = kept[1]
    return found


def _texts(card: str) -> list[str]:
    try:
        fields: Any = json.loads(card)
    except ValueError:
        return []
    if isinstance(fields, dict) and isinstance(fields.get("data"), dict):
        fields = fields["data"]
    found = [fields.get(name) for name in _FIELDS] if isinstance(fields, dict) else []
    return [words for words in found if isinstance(words, str)]


def _named(words: str, seen: Seen) -> str:
    """A card's words with the names in the places that it leaves for them."""
    for place, name in (("char", seen.agent), ("user", seen.user)):
        words = words.replace(f"{{{{{place}}}}}", name)
    return " ".join(words.split())
