"""What becomes of an accepted proposal: the event that is recorded, plain and ready."""

from __future__ import annotations

from typing import Any

from enishi.kernel.deciding.case import Case
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Consequence,
    EpisodeBoundary,
    EpisodeSummary,
    Felt,
    LoopOutcome,
    Mood,
    OpenLoop,
    Promise,
    PromiseConditionMet,
    PromiseOutcome,
    Reflection,
    Signal,
    TensionStep,
)
from enishi.kernel.events import payload_of
from enishi.kernel.moments import SECOND
from enishi.kernel.words.carried import folded

EVENT_OF = {
    "signal": "SignalAccepted",
    "belief": "BeliefStated",
    "belief_confirmation": "BeliefConfirmed",
    "belief_retraction": "BeliefRetracted",
    "promise": "PromiseMade",
    "promise_outcome": "PromiseEnded",
    "promise_condition_met": "PromiseConditionMet",
    "open_loop": "LoopOpened",
    "loop_outcome": "LoopEnded",
    "consequence": "ConsequenceFollowed",
    "tension_step": "TensionMoved",
    "reflection": "ReflectionMade",
    "mood": "MoodObserved",
    "episode_boundary": "EpisodeBegan",
    "episode_summary": "EpisodeSummarised",
}
"""The type of event that each kind of proposal becomes."""


def accepted_event(case: Case, by: str) -> tuple[str, dict[str, Any]]:
    """Type and payload of what an accepted proposal becomes. `by` is who acted."""
    assert case.evidence is not None, "only a proposal whose words were found is accepted"
    kind = EVENT_OF[case.proposal.kind]
    evidence = {
        "spans": [list(span) for span in case.evidence.spans],
        "sentence": list(case.evidence.sentence),
        "voices": sorted(case.voices),
    }
    if isinstance(case.proposal, EpisodeBoundary):
        evidence = {"spans": evidence["spans"]}  # a sentence and a voice are nothing to it
    return kind, payload_of(kind, by=by, **evidence, **_fields(case))


def _fields(case: Case) -> dict[str, Any]:
    number, proposal = case.number_of, case.proposal
    match proposal:
        case Signal():
            return proposal.model_dump(include={"signal", "actor", "strength"})
        case Belief():
            return _belief(case, proposal)
        case BeliefConfirmation() | BeliefRetraction():
            return {"belief": number(proposal.belief)}
        case Promise():
            return proposal.model_dump(include={"promiser", "act", "due", "condition"})
        case PromiseOutcome():
            return {"promise": number(proposal.promise), **_end(case, proposal)}
        case PromiseConditionMet():
            return {"promise": number(proposal.promise)}
        case OpenLoop():
            return proposal.model_dump(include={"subject", "continuation", "expected_by"})
        case LoopOutcome():
            return {"loop": number(proposal.loop), **_end(case, proposal)}
        case Consequence():
            again = proposal.relapse_of
            relapse = None if again is None else number(again)
            return {"effect": proposal.effect, "bearer": proposal.bearer, "relapse_of": relapse}
        case TensionStep():
            return {"consequence": number(proposal.consequence), "outcome": proposal.outcome}
        case Reflection():
            revised = None if proposal.revises is None else number(proposal.revises)
            return {
                "event": number(proposal.event),
                "words": proposal.words,
                "audience": proposal.audience,
                "revises": revised,
            }
        case Mood():
            about = proposal.model_dump(include={"party", "intensity", "scorer"})
            return {**about, **in_fixed_point(proposal.felt)}
        case EpisodeSummary():
            return _sentences(case, proposal)
        case EpisodeBoundary():
            return _boundary(case, proposal)


def in_fixed_point(felt: Felt) -> dict[str, int]:
    """The values that were seen, in 1/10000."""
    seen = felt.model_dump(exclude_none=True)
    return {name: round(value * 10_000) for name, value in seen.items()}


def _boundary(case: Case, proposal: EpisodeBoundary) -> dict[str, Any]:
    gap, shared = case.passed, case.shared
    return {
        "gap": None if gap is None else gap // SECOND,
        "cohesion": shared,
        "signs": sorted(set(proposal.signs)),
    }


def _sentences(case: Case, proposal: EpisodeSummary) -> dict[str, Any]:
    spans = []
    for citation in proposal.citations:
        said = case.said(citation)
        assert said is not None, "the rules have looked for it"
        spans.append([citation.text, said.start, said.end])
    kept = [
        {"words": sentence.words, "spans": [spans[place] for place in sentence.cites]}
        for sentence in proposal.sentences
    ]
    return {"sentences": kept}


def _end(case: Case, proposal: PromiseOutcome | LoopOutcome) -> dict[str, Any]:
    other = proposal.replaced_by
    return {
        "outcome": proposal.outcome,
        "replaced_by": None if other is None else case.number_of(other),
    }


def _belief(case: Case, proposal: Belief) -> dict[str, Any]:
    about_party = case.subject in ("user", "agent")
    claimed = about_party and case.subject in case.voices and proposal.mode == "real"
    fields = proposal.model_dump(
        include={
            "key", "polarity", "category", "basis", "valid_from", "valid_until",
        }
    )  # fmt: skip
    value = _in_the_texts_words(case, proposal.value)
    return {
        **fields,
        "subject": case.subject,
        "value": value or proposal.value,
        "literal": value is not None,
        "authority": "claimed" if claimed else "reported",
        "because": _because(case, proposal),
    }


def _in_the_texts_words(case: Case, value: str) -> str | None:
    """The value as the cited words write it, or None where it does not stand in them."""
    for said in case.quoted:
        place = folded(said.words).find(folded(value))
        # Folding keeps the length of most texts; where it does not, the value stays as proposed.
        if place != -1 and len(folded(said.words)) == len(said.words):
            return said.words[place : place + len(folded(value))]
    return None


def _because(case: Case, proposal: Belief) -> dict[str, Any] | None:
    if proposal.because is None:
        return None
    said = case.said(proposal.because.citation)
    assert said is not None, "the rules have looked for it"
    span = [proposal.because.citation.text, said.start, said.end]
    return {"wording": proposal.because.wording, "span": span}
