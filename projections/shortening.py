"""The shortened form of a turn: a sentence for each text, made by rule from the turn itself.

It stands in for an older turn in a prompt and never replaces it. Whatever matters stays word for
word: sentences that hold a peak or words referred to later, and names, numbers and dates.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from enishi.kernel.moments import Moment
from enishi.kernel.transcript import Text, TurnView
from enishi.kernel.words.named import figures, named_things
from enishi.kernel.words.sentences import sentences

Span = tuple[int, int]

GAP = "…"
"""Stands where words were left out."""

LONGEST = 160
"""Characters of a sentence that has to be kept in part only."""


@dataclass(frozen=True, slots=True)
class ShortTurn:
    """A turn in few words, a line for each text: who, and what of it is kept."""

    number: int
    happened: Moment | None
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def shortened(view: TurnView, kept: Collection[tuple[int, int, int]] = ()) -> ShortTurn:
    """The short form of a turn. `kept` are (text, start, end) that have to stay word for word.

    Hidden, erased and replaced texts are left out.
    """
    texts = [*view.messages, *([view.reply] if view.reply is not None else [])]
    lines = [
        f"{text.name}: {shorter(text.content, [(s, e) for t, s, e in kept if t == text.number])}"
        for text in texts
        if text.content and _shown(text)
    ]
    return ShortTurn(view.number, view.happened, tuple(lines))


def shorter(content: str, kept: Collection[Span] = ()) -> str:
    """A text in about a sentence: the sentences that hold what is kept, else the fullest one.

    Of several sentences with names, numbers or dates, the one with most of them stays whole; of
    the others their names, numbers and dates alone.
    """
    spans = list(sentences(content))
    if len(spans) <= 1 and len(content) <= LONGEST:
        return " ".join(content.split())
    told = sorted({*named_things(content), *figures(content)})
    whole = {span for span in spans if any(s < span[1] and span[0] < e for s, e in kept)}
    if not whole and spans:
        whole = {max(spans, key=lambda span: (_telling(content, span, told), -span[0]))}
    parts: list[str] = []
    for before, span in zip([None, *spans], spans, strict=False):
        if span in whole and before in whole:
            # As it was said: not everybody sets blanks between sentences.
            parts[-1] += content[before[1] : span[1]]
            continue
        if span in whole:
            parts.append(content[slice(*span)] if kept else _cut(content, span))
            continue
        names = [content[s:e] for s, e in told if span[0] <= s and e <= span[1]]
        parts.append(f"{GAP} {', '.join(dict.fromkeys(names))} {GAP}" if names else GAP)
    return _joined(parts)


def _telling(content: str, span: Span, told: Collection[Span]) -> int:
    """How much a sentence tells: its names and numbers, and whether it says something at all."""
    start, end = span
    held = sum(start <= s and e <= end for s, e in told)
    asks = content[end - 1 : end] in "?？"
    return 2 * min(held, 3) + min((end - start) // 20, 3) - 2 * asks


def _cut(content: str, span: Span) -> str:
    words = content[slice(*span)]
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + GAP


def _joined(parts: list[str]) -> str:
    text = " ".join(" ".join(parts).split())
    while f"{GAP} {GAP}" in text:
        text = text.replace(f"{GAP} {GAP}", GAP)
    return text


def _shown(text: Text) -> bool:
    return text.stands and not text.hidden
