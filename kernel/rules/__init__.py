"""The bundled proposers, which need no model: word and pattern tables for English and Chinese."""

from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.rules.boundaries import BoundaryProposer
from enishi.kernel.rules.observer import MoodObserver
from enishi.kernel.rules.proposer import RuleProposer


def bundled_proposers() -> tuple[Proposer, ...]:
    """What reads where nothing else was chosen, each on its own."""
    return (RuleProposer(), MoodObserver(), BoundaryProposer())
