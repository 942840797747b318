"""What a pack of E.R.I.I. asserts, put as proposals that our own rules can judge.

For each item there are several wordings, the most faithful first: the pack's own, then ever more
of the cited words instead of a paraphrase, for a wording has to follow from the words that it
cites. Nothing here records anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple, get_args

from enishi.kernel.deciding.proposals import (
    Belief,
    Citation,
    Consequence,
    Effect,
    LoopEnd,
    LoopOutcome,
    OpenLoop,
    Party,
    Promise,
    PromiseConditionMet,
    PromiseEnd,
    PromiseOutcome,
    Proposal,
    Reflection,
    Signal,
    SignalKind,
    TensionOutcome,
    TensionStep,
)

UNSURE = 0.6
"""The confidence of a guess: enough to be held, too little to count."""

MOST_WORDS = 500
MOST_VALUE = 200

SIGNALS: dict[str, SignalKind] = {
    **{kind: kind for kind in get_args(SignalKind)},
    "conflict": "quarrel",
    "commitment": "pledge",
}
EFFECTS: dict[str, Effect] = {
    **{kind: kind for kind in get_args(Effect)},
    "trust_decrease": "trust_lost",
    "boundary_expression": "boundary",
    "conflict": "quarrel",
    "relationship_ending": "ending",
}
PROMISE_ENDS: dict[str, PromiseEnd] = {
    "fulfilled": "kept",
    "broken": "broken",
    "violated": "broken",
    "released": "released",
    "cancelled": "released",
    "superseded": "replaced",
}
LOOP_ENDS: dict[str, LoopEnd] = {
    "completed": "completed",
    "cancelled": "cancelled",
    "abandoned": "abandoned",
    "superseded": "replaced",
}
OUTCOMES: dict[str, TensionOutcome] = {
    "addressed_unresolved": "addressed",
    "mutually_reconciled": "reconciled",
    "boundary_stabilized": "boundary_stabilized",
    "relationship_ended": "ended",
    "superseded": "superseded",
}

_STRENGTHS = {"weak": "weak", "moderate": "moderate", "strong": "strong"}
_OPENING = ("harm", "refusal", "anger", "boundary", "distance", "ending", "quarrel", "trust_lost")
_EITHER = "shared_experience"


class Words(NamedTuple):
    """Cited words as they were recorded: the text, the span, whose words, and the words."""

    text: int
    start: int
    end: int
    role: Party
    words: str


def citations(cited: Sequence[Words]) -> tuple[Citation, ...]:
    """The citations of these words, each span once."""
    spans = dict.fromkeys((one.text, one.start, one.end) for one in cited[:16])
    return tuple(Citation(text=text, start=start, end=end) for text, start, end in spans)


def signal(kind: str, strength: object, confidence: float, cited: Sequence[Words]) -> list[Signal]:
    """What somebody did. The pack does not say who: where both are cited, that is a guess.

    Whoever's words alone are cited acted. What is shared needs no actor. Else the agent's part is
    proposed, to be held until a person says so.
    """
    if kind not in SIGNALS or not cited:
        return []
    voices = {one.role for one in cited}
    guessed = len(voices) > 1 and kind != _EITHER
    actor: Party = "agent" if guessed or voices == {"agent"} else "user"
    own = [one for one in cited if one.role == "agent"] if guessed else list(cited)
    return [
        Signal(
            signal=SIGNALS[kind],
            actor=actor,
            strength=_STRENGTHS.get(str(strength), "moderate"),  # type: ignore[arg-type]
            confidence=min(confidence, UNSURE) if guessed else confidence,
            citations=citations(own),
        )
    ]


def promises(payload: dict[str, Any], confidence: float, cited: Sequence[Words]) -> list[Promise]:
    """A promise of one party in its own words, with and without a day and a condition."""
    responsible = payload.get("responsible_parties")
    party = responsible[0] if isinstance(responsible, list) and responsible else None
    if party not in ("user", "agent") or not cited:
        return []
    own = [one for one in cited if one.role == party] or list(cited)
    quote = own[0].words[:MOST_WORDS]
    acts = _wordings(payload.get("action"), quote)
    condition = _dict(payload.get("activation_condition")).get("description")
    conditions = [*_wordings(condition, _common(condition, quote)), None] if condition else [None]
    day = calendar_day(payload.get("due_at"))
    return [
        Promise(
            promiser=party,
            act=act,
            due=due,
            condition=met,
            confidence=confidence,
            citations=citations(own),
        )
        for met in conditions
        for due in dict.fromkeys((day, None))
        for act in acts
    ]


def loops(payload: dict[str, Any], confidence: float, cited: Sequence[Words]) -> list[OpenLoop]:
    """Something that goes on, in the pack's words or in those that were said."""
    if not cited:
        return []
    quote = cited[0].words[:MOST_WORDS]
    return [
        OpenLoop(
            subject=subject,
            continuation=continuation,
            confidence=confidence,
            citations=citations(cited),
        )
        for subject in _wordings(payload.get("subject"), quote)
        for continuation in _wordings(payload.get("expected_continuation"), quote)
    ]


def ending(
    payload: dict[str, Any],
    ended: int,
    instead: int | None,
    confidence: float,
    cited: Sequence[Words],
) -> list[Proposal]:
    """The end of a promise or loop, or that the condition of a promise came about."""
    kind, given = payload.get("payload_type"), str(payload.get("resolution_kind"))
    shared: dict[str, Any] = {"confidence": confidence, "citations": citations(cited)}
    if not cited:
        return []
    if kind == "promise_condition_confirmed":
        return [PromiseConditionMet(promise=ended, **shared)]
    if kind == "promise_resolution" and given in PROMISE_ENDS:
        end = PROMISE_ENDS[given]
        other = instead if end == "replaced" else None
        return [PromiseOutcome(promise=ended, outcome=end, replaced_by=other, **shared)]
    if kind == "open_loop_resolution" and given in LOOP_ENDS:
        done = LOOP_ENDS[given]
        other = instead if done == "replaced" else None
        return [LoopOutcome(loop=ended, outcome=done, replaced_by=other, **shared)]
    return []


def consequence(effects: Sequence[str], cited: Sequence[Words]) -> list[Consequence]:
    """What a reply did to the user; of several effects the first that opens a tension."""
    known = [EFFECTS[effect] for effect in effects if effect in EFFECTS]
    if not known or not cited:
        return []
    first = next((effect for effect in known if effect in _OPENING), known[0])
    return [Consequence(effect=first, bearer="user", citations=citations(cited))]


def step(outcome: str, consequence: int, cited: Sequence[Words]) -> list[TensionStep]:
    """What moved a tension."""
    if outcome not in OUTCOMES or not cited:
        return []
    return [
        TensionStep(consequence=consequence, outcome=OUTCOMES[outcome], citations=citations(cited))
    ]


def reflection(
    words: str, event: int, revises: int | None, cited: Sequence[Words]
) -> list[Reflection]:
    """What the agent thought of an event, for itself alone."""
    if not cited or not 1 <= len(words) <= MOST_WORDS:
        return []
    return [Reflection(event=event, words=words, revises=revises, citations=citations(cited))]


def belief(
    key: str, shown: str, subject: str, confidence: float, text: int, note: str, days: Sequence[str]
) -> list[Belief]:
    """What a note of the pack's own claims: hearsay, from one day until another."""
    if not shown.strip() or len(shown) > MOST_VALUE:
        return []
    since, until = [*days, None, None][:2]
    return [
        Belief(
            subject=subject,
            key=key,
            value=shown,
            basis="inferred",
            mode="reported",
            confidence=confidence,
            valid_from=since,
            valid_until=until,
            citations=(Citation(text=text, start=0, end=len(note)),),
        )
    ]


def subject_and_key(key: str, agent: str, user: str) -> tuple[str, str]:
    """Whom a belief is about and under which key: `chen.job` is the job of chen."""
    about, dot, rest = key.partition(".")
    if not dot or not about:
        about, rest = user, key
    subject = {agent: "agent", user: "user"}.get(about, about)
    snake = re.sub(r"[^a-z0-9]+", "_", rest.lower()).strip("_")[:60].strip("_")
    return subject[:200], snake if re.match("[a-z]", snake) else f"belief_{snake}"[:60].strip("_")


def shown_value(value: Any) -> str:
    """A value as a note shows it: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def calendar_day(due: object) -> str | None:
    """The day that a time of the host's own clock looks like, where it counts in days so."""
    order = _dict(due).get("order_value")
    if isinstance(order, bool) or not isinstance(order, int | float) or not 0 < order < 1e9:
        return None
    if order != int(order):
        return None
    found = re.fullmatch("([0-9]{4})(0[1-9]|1[0-2])([0-2][0-9]|3[01])", str(int(order)))
    return "-".join(found.groups()) if found else None


def _wordings(own: object, quote: str) -> list[str]:
    fits = isinstance(own, str) and 1 <= len(own) <= MOST_WORDS
    return list(dict.fromkeys([*([str(own)] if fits else []), *([quote] if quote else [])]))


def _common(one: object, other: str) -> str:
    """The longest run of signs that two wordings share, if it says something."""
    one = str(one)[:MOST_WORDS]
    found = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    run = one[found.a : found.a + found.size].strip()
    return run if len(run) >= 4 else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
