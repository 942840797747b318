"""What can be shown with the receipt of an erasure: whose it is, and whether it is true here.

A signed receipt says in `signer` whose key signed it. What is signed is the domain
`enishi/receipt/1` and a zero byte, then the receipt without its `signature`, as JSON with sorted
keys, no spaces and nothing but ASCII. So anybody can check it with any Ed25519 program.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from enishi.kernel.erasing.erasure import Part
from enishi.kernel.erasing.receipt import Receipt, lines_of_part, read_receipt
from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.keys.keyring import own_key, sign, signed_by
from enishi.kernel.log import Entropy, Line, Log

_DOMAIN = b"enishi/receipt/1\0"


@dataclass(frozen=True, slots=True)
class PartProof:
    """What a store says of one part of a receipt. `relationship` is in hex.

    `here` is whether the store has that relationship, or what is left of it. `problems` are where
    the store contradicts the receipt, `scrubbed` whether none of its bytes are still to go; both
    say nothing where it is not here.
    """

    relationship: str
    line: str
    here: bool
    problems: tuple[str, ...] = ()
    scrubbed: bool | None = None


@dataclass(frozen=True, slots=True)
class ReceiptProof:
    """What was found of a receipt. `signer` is the key that it names, in hex.

    `parts` is empty where there was no store to look into.
    """

    receipt: Receipt
    signature: Literal["good", "wrong", "none"]
    signer: str | None
    parts: tuple[PartProof, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it is not to be believed."""
        found = []
        if self.signature == "wrong":
            found.append("the signature does not fit: the receipt was changed, or is not theirs")
        elif self.signature == "none" and not any(part.here for part in self.parts):
            found.append(
                "it is not signed, and there is no store here that it could be held against"
            )
        if not _adds_up(self.receipt):
            found.append("what it sums up is not what its parts say")
        return (*found, *(problem for part in self.parts for problem in part.problems))


def _adds_up(receipt: Receipt) -> bool:
    types = sum((Counter(part.types) for part in receipt.parts), Counter[str]())
    fits = all(
        part.count == sum(part.types.values()) and part.keep_effects == receipt.keep_effects
        for part in receipt.parts
    )
    all_of_them = (receipt.erased, receipt.checked.payloads)
    return fits and types == Counter(receipt.types) and set(all_of_them) == {types.total()}


def signed(log: Log, receipt: Receipt, entropy: Entropy) -> Receipt:
    """The receipt, signed with the store's own key. Needs `log.writing`."""
    key, seed = own_key(log, entropy)
    named = receipt.model_copy(update={"signer": key.hex(), "signature": None})
    signature = sign(seed, signed_bytes(named.model_dump(mode="json")))
    return named.model_copy(update={"signature": signature.hex()})


def signed_bytes(plain: Mapping[str, Any]) -> bytes:
    """What is signed of a receipt's JSON values."""
    rest = {name: value for name, value in plain.items() if name != "signature"}
    return _DOMAIN + json.dumps(
        rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    ).encode("ascii")


def prove(
    plain: Mapping[str, Any], log: Log | None = None, signer: str | None = None
) -> ReceiptProof:
    """Check a receipt by its JSON values: its signature, and with a store whether it is true there.

    With `signer`, a key in hex, a receipt that is signed by anybody else counts as wrong. What is
    no receipt is InvalidInput.
    """
    receipt = read_receipt(plain)
    parts: tuple[PartProof, ...] = ()
    if log is not None:
        with log.reading():
            pending = set(log.to_scrub())
            parts = tuple(_part(log, part, receipt.reason, pending) for part in receipt.parts)
    return ReceiptProof(receipt, _signature(plain, receipt, signer), receipt.signer, parts)


def _signature(
    plain: Mapping[str, Any], receipt: Receipt, wanted: str | None
) -> Literal["good", "wrong", "none"]:
    if receipt.signature is None:
        return "none" if wanted is None and receipt.signer is None else "wrong"
    if receipt.signer is None or wanted not in (None, receipt.signer):
        return "wrong"
    try:
        key, signature = bytes.fromhex(receipt.signer), bytes.fromhex(receipt.signature)
    except ValueError:
        return "wrong"
    return "good" if signed_by(key, signature, signed_bytes(plain)) else "wrong"


def _part(log: Log, part: Part, reason: str, pending: set[tuple[int, int]]) -> PartProof:
    found = lines_of_part(log, part)
    proofs = [_held_against(log, part, line, reason, pending) for line in found]
    # A line may have gone on under another name, or another one under its name.
    best = min(proofs, key=lambda proof: len(proof.problems), default=None)
    return best or PartProof(part.relationship, part.line, here=False)


def _held_against(
    log: Log, part: Part, line: Line, reason: str, pending: set[tuple[int, int]]
) -> PartProof:
    problems: list[str] = []

    def same(number: int, hashed: str, what: str) -> None:
        if number >= length or log.hash_of(line.line, number).hex() != hashed:
            problems.append(f"{what} (number {number}) is not the record of the receipt")

    length = log.tip(line.line)[0]
    same(part.length_before - 1, part.tip_before, "the tip before")
    for span in part.ranges:
        same(span.first, span.first_hash, "what was erased")
        same(span.last, span.last_hash, "what was erased")
    if part.tombstone is not None:
        same(part.tombstone, part.tip_after, "the tombstone")
        if not problems:
            problems += _tombstone_problems(log, part, line, reason)
    elif part.ranges:
        problems.append("it names no tombstone for what it says was erased")
    if not problems and not log.are_gone(line.line, part.numbers):
        problems.append("not all of what the receipt says was erased is gone; run: enishi verify")
    done = (line.line, part.tombstone) not in pending
    return PartProof(part.relationship, part.line, True, tuple(problems), done)


def _tombstone_problems(log: Log, part: Part, line: Line, reason: str) -> list[str]:
    try:
        record = log.record(line.line, part.tombstone or 0)
    except LogDamaged:
        record = None
    kind, place = "WordsErased" if part.keep_effects else "Erased", part.tombstone
    if record is None or record.header.type != kind or record.header.targets != part.numbers:
        return [f"the tombstone (number {place}) names other records, or is none"]
    said = (record.payload or {}).get("reason", "request")
    if record.payload is not None and (record.header.recorded, said) != (part.at, reason):
        return [f"the tombstone (number {place}) has another time or another reason"]
    types = Counter(
        name if name in EVENT_TYPES else "unknown" for name in log.types(line.line, part.numbers)
    )
    return [] if types == Counter(part.types) else ["what was erased was of other types"]


def read_json(text: str) -> dict[str, Any]:
    """The JSON values of a receipt's text, or InvalidInput."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise InvalidInput("this is no receipt of an erasure: it is no JSON object")
    return plain
