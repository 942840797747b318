"""Pure folds over standing events: what a host wants to know."""

from enishi.kernel.fold import Projection
from enishi.projections.beliefs import BELIEFS
from enishi.projections.character import CHARACTER
from enishi.projections.episodes import EPISODES
from enishi.projections.memory import MEMORY
from enishi.projections.mood import MOOD
from enishi.projections.promises import PROMISES
from enishi.projections.rapport import RAPPORT
from enishi.projections.tensions import TENSIONS

PROJECTIONS: tuple[Projection, ...] = (
    RAPPORT,
    MOOD,
    PROMISES,
    TENSIONS,
    BELIEFS,
    CHARACTER,
    EPISODES,
    MEMORY,
)
"""Every projection, in the order in which they are shown."""
