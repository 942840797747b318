"""The face for a Python program: open a store, take a relationship, record turns, ask about it.

Everything here delegates; what a word means is said where it is done, in `kernel`,
`projections` and `packs`.
"""

from enishi.host.awaitable import (
    AsyncMemory,
    AsyncRelationship,
    AsyncStore,
    AsyncTurn,
    open_async,
)
from enishi.host.given import BUDGET, Clock, Progress, Said, read_file, system_clock
from enishi.host.relationship import Comparison, Relationship
from enishi.host.store import Store, make_keyed, open_store, prove
from enishi.host.turn import Turn
from enishi.projections.recall.vectors import Embedder

__all__ = [
    "BUDGET",
    "AsyncMemory",
    "AsyncRelationship",
    "AsyncStore",
    "AsyncTurn",
    "Clock",
    "Comparison",
    "Embedder",
    "Progress",
    "Relationship",
    "Said",
    "Store",
    "Turn",
    "make_keyed",
    "open_async",
    "open_store",
    "prove",
    "read_file",
    "system_clock",
]
