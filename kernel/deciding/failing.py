"""Batches that failed: which texts nobody has read yet, and why."""

from __future__ import annotations

from typing import NamedTuple

from enishi.kernel.stream import Stream


class Failed(NamedTuple):
    """A batch that failed and whose texts this proposer has not all read since.

    `number` is that of its record. Who asks the proposer again tries these texts again.
    """

    number: int
    proposer: str
    reason: str
    texts: tuple[int, ...]


def failures(stream: Stream) -> list[Failed]:
    """The failed batches that were not made good, oldest first; of the same texts the last one."""
    history = stream.history
    failed = set(history.all("BatchFailed"))
    payloads = stream.payloads(sorted([*failed, *history.all("BatchDecided")]))
    since: dict[str, set[int]] = {}
    found = []
    for number, payload in reversed(payloads.items()):
        name, own = payload["proposer"], number in failed
        texts = tuple(history.causes_of(number)) if own else stream.record(number).header.targets
        done = since.setdefault(name, set())
        if own and not done.issuperset(texts):
            proposer = f"{name} {payload['version']}"
            found.append(Failed(number, proposer, payload["reason"], texts))
        done.update(texts)
    return found[::-1]
