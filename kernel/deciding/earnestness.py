"""Whether what a proposal cites is meant in earnest: no wish, no condition, no story, no jest.

The kernel refuses what is not; the bundled rules do not even propose it.
"""

from __future__ import annotations

from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    LoopOutcome,
    OpenLoop,
    Promise,
    PromiseConditionMet,
    PromiseOutcome,
    Proposal,
)
from enishi.kernel.words.carried import Said
from enishi.kernel.words.earnest import is_jested, is_played, is_supposed, is_wished

WISHED = frozenset({"goal", "plan", "dream", "wish", "feels_about", "boundary", "address_as"})
"""Keys of beliefs that a wish shows."""


def said_in_earnest(proposal: Proposal, said: Said) -> bool:
    """Whether a proposal that rests on this span alone is none of a wish, a story or a jest."""
    return not wished(proposal, said) and not played(proposal, said)


def wished(proposal: Proposal, said: Said) -> bool:
    """Whether a proposal that says what is so cites a wish or a condition.

    What somebody wishes for, or asks the other to do, is so all the same.
    """
    if isinstance(proposal, Belief):
        if proposal.key in WISHED or proposal.category == "instruction":
            return False
        return is_wished(said, proposal.value) or is_supposed(said)
    return says_what_is_so(proposal) and is_wished(said, getattr(proposal, "act", ""))


def played(proposal: Proposal, said: Said) -> bool:
    """A model may take for real what the words themselves call a story or a jest.

    An agent may well be three hundred years old, and laugh.
    """
    if isinstance(proposal, Belief) and proposal.subject != "agent":
        return is_played(said) or is_jested(said, proposal.value)
    return says_what_is_so(proposal) and is_played(said)


def says_what_is_so(proposal: Proposal) -> bool:
    """Whether a proposal needs words that say so outright."""
    if isinstance(proposal, PromiseOutcome | LoopOutcome):
        return proposal.outcome in ("kept", "completed", "replaced")
    kinds = Belief | BeliefConfirmation | Promise | PromiseConditionMet | OpenLoop
    return isinstance(proposal, kinds)
