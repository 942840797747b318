"""What of an episode is told where all of it would be too long: a fair share of everything."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any


def fitted(parts: Mapping[str, Sequence[Any]], room: int) -> dict[str, list[Any]]:
    """Of each part as many entries as there is room for, in bytes of JSON, in their order.

    The first entries of all parts come before the second ones, and what is too long for the room
    that is left makes way for what comes after it.
    """
    kept: dict[str, list[Any]] = {name: [] for name in parts}
    for place in range(max(map(len, parts.values()), default=0)):
        for name, entries in parts.items():
            if place < len(entries) and (size := bytes_of(entries[place])) <= room:
                kept[name].append(entries[place])
                room -= size
    return kept


def bytes_of(entry: Any) -> int:
    """What an entry takes in a line of JSON, with what separates it from the next."""
    value = asdict(entry) if is_dataclass(entry) and not isinstance(entry, type) else entry
    return len(json.dumps(value, ensure_ascii=False).encode()) + 2
