"""Pure folds over standing events: what a host wants to know."""

from enishi.kernel.fold import Projection
from enishi.projections.rapport import RAPPORT

PROJECTIONS: tuple[Projection, ...] = (RAPPORT,)
"""Every projection, in the order in which they are shown."""
