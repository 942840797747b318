"""The receipt of an erasure: what was erased, what was checked, and what was not reached.

It is content-free: numbers, counts, codes, hashes and random ids. Kept outside the store, it also
serves to erase the same again in an older copy of the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from enishi.kernel.deciding.proposals import Frozen
from enishi.kernel.erasing.erasure import Count, Part, Tombstone, obey, place_of
from enishi.kernel.errors import InvalidInput, LogDamaged, NotFound
from enishi.kernel.events import ErasureReason, ErasureScope
from enishi.kernel.lines import erased_lines, exports, lines_of
from enishi.kernel.log import Line, Log
from enishi.kernel.misfits import misfit_of
from enishi.kernel.stream import Stream

OutOfReach = Literal[
    "copies_of_the_file",
    "copies_of_the_keys",
    "exported_packs",
    "prompts_sent_to_models",
    "storage_medium",
]


def out_of_reach(log: Log) -> tuple[OutOfReach, ...]:
    """What no erasure in a store reaches: backups of the file (of a keyed store: of its key file),
    packs that went out, what was sent to models, and blocks that the disk itself has put aside.
    """
    copies: OutOfReach = "copies_of_the_file" if log.vault is None else "copies_of_the_keys"
    return copies, "exported_packs", "prompts_sent_to_models", "storage_medium"


PATIENCE = 1.0
"""Seconds that an erasure waits for readers who hold an older view of the store."""


class Export(Frozen):
    """A pack that went out before: relationship and digest in hex, and when, in microseconds UTC."""

    relationship: str
    pack: str
    at: int


class Checked(Frozen):
    """What was read back after it was done.

    `payloads` were found gone, one by one. `files`: the store's files were scrubbed, each page of
    them looked at that was written since none had old bytes.
    """

    payloads: Count
    files: bool


class Receipt(Frozen):
    """What one erasure did. `format` 1 is this shape.

    `scrub` is whether the bytes are gone from the store's files, or still have to be, because a
    reader holds an older view of them; that is done by itself later, and `doctor` lists it.
    `scenes` are the turns of others that say, by its id, that the erased user or agent was there:
    they stay.
    `signer` and `signature` are an Ed25519 key and what it signed, in hex: see `proof`.
    """

    format: Literal[1] = 1
    scope: ErasureScope
    reason: ErasureReason
    keep_effects: bool
    erased: Count
    types: dict[str, Count]
    parts: tuple[Part, ...]
    checked: Checked
    scrub: Literal["scrubbed", "scrub pending"]
    out_of_reach: tuple[OutOfReach, ...]
    exported: tuple[Export, ...] = ()
    scenes: Count = 0
    signer: str | None = None
    signature: str | None = None


def read_receipt(plain: Mapping[str, Any]) -> Receipt:
    """A receipt from its JSON values; InvalidInput where it is none."""
    try:
        return Receipt.model_validate_json(json.dumps(plain))
    except ValidationError as error:
        why = misfit_of(error)
    except (TypeError, ValueError, RecursionError):
        why = "these are no values of JSON"
    raise InvalidInput(f"this is no receipt of an erasure ({why})")


def receipt_of(
    log: Log,
    parts: Sequence[Part],
    scope: ErasureScope,
    reason: ErasureReason,
    keep_effects: bool,
    scenes: int = 0,
) -> Receipt:
    """Read back what was erased, scrub the files, and say what was done.

    To be asked for after the transaction; within a larger one the scrub is pending until its end.
    """
    types: dict[str, int] = {}
    for part in parts:
        for name, count in part.types.items():
            types[name] = types.get(name, 0) + count
    payloads = sum(_read_back(log, part) for part in parts)
    done = log.scrub(PATIENCE)
    relationships = sorted({part.relationship for part in parts})
    return Receipt(
        scope=scope,
        reason=reason,
        keep_effects=keep_effects,
        erased=sum(types.values()),
        types=dict(sorted(types.items())),
        parts=tuple(parts),
        checked=Checked(payloads=payloads, files=done),
        scrub="scrubbed" if done else "scrub pending",
        out_of_reach=out_of_reach(log),
        exported=tuple(
            Export(relationship=one, pack=pack.hex(), at=at)
            for one in relationships
            for pack, at in exports(log, bytes.fromhex(one))
        ),
        scenes=scenes,
    )


def _read_back(log: Log, part: Part) -> int:
    for line in lines_of_part(log, part):
        if not log.are_gone(line.line, part.numbers):
            raise LogDamaged(f"{log.path}: not all of what was erased is gone; run: enishi verify")
    return len(part.numbers)


def lines_of_part(log: Log, part: Part) -> list[Line]:
    """The lines of a store that a part of a receipt may speak of."""
    relationship = bytes.fromhex(part.relationship)
    return [
        line
        for line in [*lines_of(log, relationship), *erased_lines(log)]
        if line.relationship == relationship and part.line == place_of(line)
    ]


def erase_again(stream: Stream, receipt: Receipt) -> list[Part]:
    """Erase in an older copy of a relationship what a receipt says was erased. Needs `writing`.

    The hashes in the receipt must be those of the records here: numbers alone could be those of
    other records.
    """
    log, line = stream.log, stream.line.line
    length = log.tip(line)[0]
    parts: list[Part] = []
    for part in receipt.parts:
        if part.relationship != stream.line.relationship.hex() or _is_here(stream, part):
            continue
        numbers: list[int] = []
        for span in part.ranges:
            here = range(span.first, min(span.last + 1, length))
            ends = (span.first, span.first_hash), (span.last, span.last_hash)
            if any(n in here and log.hash_of(line, n).hex() != known for n, known in ends):
                raise NotFound(
                    f"number {span.first} of this relationship is not the record that was erased; "
                    "this is no older copy of it"
                )
            numbers += here
        stone = Tombstone(tuple(numbers), part.keep_effects, receipt.scope, receipt.reason)
        parts += obey(stream, [stone], length)
        if 0 in numbers:
            break
    return parts


def _is_here(stream: Stream, part: Part) -> bool:
    """Whether the very tombstone that a part of a receipt tells of stands in this copy."""
    log, line = stream.log, stream.line.line
    place = part.tombstone
    return (
        place is not None
        and place < log.tip(line)[0]
        and log.hash_of(line, place).hex() == part.tip_after
    )
