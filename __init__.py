"""Enishi: an event-sourced continuity kernel for long-lived AI characters.

with enishi.open("lumi.db") as store:
    bond = store.relationship("lumi", "chen")
    with bond.turn("The project fell apart.") as turn:
        turn.reply("Come here. Tell me.")
    bond.propose(turn)
    bond.rapport()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from enishi.host import AsyncMemory as AsyncMemory
    from enishi.host import Relationship as Relationship
    from enishi.host import Store as Store
    from enishi.host import Turn as Turn
    from enishi.host import open_async as open_async
    from enishi.host import open_store as open
    from enishi.kernel.deciding.proposals import Citation as Citation
    from enishi.kernel.deciding.proposals import Signal as Signal
    from enishi.kernel.errors import EnishiError as EnishiError
    from enishi.kernel.recording import Message as Message
    from enishi.kernel.recording import Reply as Reply
    from enishi.kernel.recording import Scene as Scene
    from enishi.kernel.rules.proposer import RuleProposer as RuleProposer
    from enishi.packs.familiar import Memory as Memory
    from enishi.packs.models.wrapping import wrap as wrap

__version__ = "0.1.0"

# Imported when first used, so that `enishi --version` starts fast.
_DOOR = {
    "AsyncMemory": ("enishi.host", "AsyncMemory"),
    "open": ("enishi.host", "open_store"),
    "open_async": ("enishi.host", "open_async"),
    "Store": ("enishi.host", "Store"),
    "Relationship": ("enishi.host", "Relationship"),
    "Turn": ("enishi.host", "Turn"),
    "Message": ("enishi.kernel.recording", "Message"),
    "Reply": ("enishi.kernel.recording", "Reply"),
    "Scene": ("enishi.kernel.recording", "Scene"),
    "EnishiError": ("enishi.kernel.errors", "EnishiError"),
    "Signal": ("enishi.kernel.deciding.proposals", "Signal"),
    "Citation": ("enishi.kernel.deciding.proposals", "Citation"),
    "RuleProposer": ("enishi.kernel.rules.proposer", "RuleProposer"),
    "Memory": ("enishi.packs.familiar", "Memory"),
    "wrap": ("enishi.packs.models.wrapping", "wrap"),
}

__all__ = [
    "AsyncMemory",
    "Citation",
    "EnishiError",
    "Memory",
    "Message",
    "Relationship",
    "Reply",
    "RuleProposer",
    "Scene",
    "Signal",
    "Store",
    "Turn",
    "open",
    "open_async",
    "wrap",
]


def __getattr__(name: str) -> Any:
    try:
        module, attribute = _DOOR[name]
    except KeyError:
        raise AttributeError(f"module 'enishi' has no attribute {name!r}") from None
    return getattr(import_module(module), attribute)
