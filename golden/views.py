"""What a person can see of a relationship at a moment, as text that can be compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from enishi.host import Relationship
from enishi.projections.recall.items import Recall

TURN_TYPES = ("TurnOpened", "TurnAbandoned", "BatchDecided", "ProposalDecided")


@dataclass(frozen=True)
class View:
    """What is seen: as text, and in parts that claims are about."""

    text: str
    digests: dict[str, dict[str, str]]
    rapport: dict[str, float]
    mood: dict[str, float]
    kinds: dict[str, Any]

    def mood_against(self, name: str) -> str:
        """Whether a feeling of the user is above, below or at where it always goes back to."""
        departure = self.mood[name]
        return "usual" if abs(departure) < 0.01 else "above" if departure > 0 else "below"


def view(bond: Relationship, now: datetime) -> View:
    """Everything that the face tells, on the current branch."""
    rapport, mood = asdict(bond.rapport()), bond.mood(at=now)
    kinds = {
        "said": [
            f"{text.name}: {'(erased)' if text.content is None else text.content}"
            for turn in bond.turns()[-3:]
            for text in (*turn.messages, *([turn.reply] if turn.reply else ()))
        ],
        "promises": [f"{p.promiser}: {p.act}: {p.status}" for p in bond.promises(at=now)],
        "loops": [f"{one.subject}: {one.status}" for one in bond.loops(at=now)],
        "beliefs": [
            f"{b.subject} {b.key}{'' if b.polarity else ' not'} {b.value}: {b.status}"
            for b in bond.beliefs(at=now)
        ],
        "tensions": [f"{one.effect} to {one.bearer}: {one.state}" for one in bond.tensions()],
        "thoughts": [f"{one.words}" for one in bond.reflections()],
        "episodes": [f"{one.turns} turns: {one.title}" for one in bond.episodes()][-4:],
        "branches": [f"{b.name}{' (current)' if b.current else ''}" for b in bond.branches()],
    }
    digests = {one.name: bond.on(one.name).digests() for one in bond.branches()}
    away = {
        name: getattr(mood, name) - getattr(mood.baseline, name)
        for name in ("valence", "arousal", "fatigue", "confidence")
    }
    lines = [f"{now.isoformat()}, {len(bond.records())} records, {len(bond.turns())} turns", ""]
    lines += [f"rapport: {', '.join(f'{name} {value:.4f}' for name, value in rapport.items())}"]
    lines += [f"mood: {', '.join(f'{name} {getattr(mood, name):.4f}' for name in away)}"]
    lines += [f"mood line: {bond.mood_line(at=now) or '(none)'}"]
    for kind, found in kinds.items():
        lines += [f"{kind}:", *(f"- {one}" for one in found)] if found else []
    lines += ["why:", *_reasons(bond), "digests:"]
    for branch, own in digests.items():
        lines += [f"- {branch} {name} {digest}" for name, digest in sorted(own.items())]
    return View("\n".join(lines) + "\n", digests, rapport, away, kinds)


def recall_lines(found: Recall) -> str:
    """The items of a recall in order, each with the words that it rests on, and what was left out."""
    lines = [f"{found.outcome}; {found.used} of {found.budget} tokens"]
    for item in found.items:
        sources = "; ".join(f"{one.speaker}: “{one.words}”" for one in item.sources)
        about = "" if item.score is None else f" (score {item.score.total})"
        lines.append(f"- {item.layer} {item.kind}{about}: {item.text} [{sources}]")
    left = Counter(f"{one.layer or 'anything'}: {one.reason}" for one in found.left_out)
    lines += [f"- left out, {what}: {number}" for what, number in sorted(left.items())]
    return "\n".join(lines) + "\n"


def _reasons(bond: Relationship) -> list[str]:
    """The last derived events: whether each counts, and the words that it rests on."""
    found = []
    for record in bond.records():
        if record.type in TURN_TYPES:
            continue
        quotes = bond.why(record.number).quotes
        words = [
            f"{quote.speaker}: {'(erased)' if quote.words is None else f'“{quote.words}”'}"
            for quote in quotes
        ]
        if len(words) > 3:
            words = [f"{len(words) - 2} quotes before", *words[-2:]]
        if words:
            counts = "counts" if record.why_not is None else record.why_not
            found.append(f"- {record.number} {record.type}, {'; '.join(words)}; {counts}")
    return found[-12:]
