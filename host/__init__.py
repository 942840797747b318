"""The face for a Python program: open a store, take a relationship, record turns, ask about it.

Everything here delegates; what a word means is said where it is done, in `kernel`,
`projections` and `packs`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from enishi.host.awaitable import AsyncMemory as AsyncMemory
    from enishi.host.awaitable import AsyncRelationship as AsyncRelationship
    from enishi.host.awaitable import AsyncStore as AsyncStore
    from enishi.host.awaitable import AsyncTurn as AsyncTurn
    from enishi.host.awaitable import open_async as open_async
    from enishi.host.given import BUDGET as BUDGET
    from enishi.host.given import Clock as Clock
    from enishi.host.given import Progress as Progress
    from enishi.host.given import Said as Said
    from enishi.host.given import read_file as read_file
    from enishi.host.given import system_clock as system_clock
    from enishi.host.relationship import Comparison as Comparison
    from enishi.host.relationship import Relationship as Relationship
    from enishi.host.store import Store as Store
    from enishi.host.store import make_keyed as make_keyed
    from enishi.host.store import open_store as open_store
    from enishi.host.store import prove as prove
    from enishi.host.turn import Turn as Turn
    from enishi.projections.recall.vectors import Embedder as Embedder

# Imported when first used, so that help and mistakes are answered before all of it is loaded.
_PLACES = {
    "AsyncMemory": "enishi.host.awaitable",
    "AsyncRelationship": "enishi.host.awaitable",
    "AsyncStore": "enishi.host.awaitable",
    "AsyncTurn": "enishi.host.awaitable",
    "open_async": "enishi.host.awaitable",
    "BUDGET": "enishi.host.given",
    "Clock": "enishi.host.given",
    "Progress": "enishi.host.given",
    "Said": "enishi.host.given",
    "read_file": "enishi.host.given",
    "system_clock": "enishi.host.given",
    "Comparison": "enishi.host.relationship",
    "Relationship": "enishi.host.relationship",
    "Store": "enishi.host.store",
    "make_keyed": "enishi.host.store",
    "open_store": "enishi.host.store",
    "prove": "enishi.host.store",
    "Turn": "enishi.host.turn",
    "Embedder": "enishi.projections.recall.vectors",
}

__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'enishi.host' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
