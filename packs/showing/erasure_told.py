"""What a person sees of an erasure: the plan before it, the receipt after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from enishi.kernel.erasing.parties import PartyPlan
from enishi.kernel.erasing.plan import Plan
from enishi.kernel.erasing.proof import ReceiptProof
from enishi.kernel.erasing.receipt import OutOfReach, Receipt
from enishi.kernel.erasing.repeats import Said
from enishi.packs.showing.terminal import listed, say, several

_SHOWN = 20

_OUT_OF_REACH: dict[OutOfReach, str] = {
    "copies_of_the_file": "copies and backups of the store's file",
    "copies_of_the_keys": "copies and backups of the key file",
    "exported_packs": "packs that were exported",
    "prompts_sent_to_models": "what was sent to models and other services",
    "storage_medium": "blocks that the disk itself has put aside",
}

_TABLES = {
    "checkpoint": "kept states",
    "posting": "the index of words",
    "vector": "vectors of meaning",
}
"""What was made of the words, by the names of its tables."""


def print_plan(console: Console, plan: Plan) -> None:
    """What an erasure would do."""
    depth = "the words, and not their effects" if plan.asked.keep_effects else "words and effects"
    say(console, f"{len(plan.numbers)} payloads would be erased ({depth}):", "bold")
    say(console, f"  {_counts(plan.types)}")
    say(console, f"  of these count now: {_counts(plan.falls)}")
    if plan.stays:
        say(console, f"  rest on them and stay: {_counts(plan.stays)}")
    if plan.returns:
        say(console, f"  beliefs that would be current again: {listed(plan.returns)}")
    _say_said(console, "Where it was found:", plan.matched)
    _say_said(console, "What would stay and says the same to the letter:", plan.repeats)
    if plan.wordings:
        say(console, f"Other wordings of these texts, which would stay: {listed(plan.wordings)}")
    for copy in plan.copies:
        numbers = listed(copy.numbers)
        say(
            console,
            f"The same scene in the relationship of {copy.agent} and {copy.user}: {numbers}"
            " (--copies takes them along)",
        )
    _say_out_of_reach(console, plan.out_of_reach)


def print_party_plan(console: Console, plan: PartyPlan) -> None:
    """What would go with a user, an agent or a whole relationship."""
    if len(plan.ids) > 1:
        say(console, f"All ids of theirs: {', '.join(plan.ids)}")
    for share in plan.shares:
        what = "all" if share.whole else "what they said there"
        say(console, f"{share.agent} and {share.user}, {what}: {sum(share.types.values())}", "bold")
        say(console, f"  {_counts(share.types)}")
        if share.scenes:
            say(
                console,
                "  would stay, and say by an id that they were there (each can be erased by its "
                f"number): {listed(share.scenes)}",
                "yellow",
            )
    if not plan.shares:
        say(console, "Nothing would be erased.")
    _say_out_of_reach(console, plan.out_of_reach)


def print_receipt(console: Console, receipt: Receipt) -> None:
    """What an erasure did."""
    if not receipt.erased:
        say(console, "Nothing was left to erase.")
    else:
        say(console, f"Erased for good: {receipt.erased} payloads", "bold")
        say(console, f"  {_counts(receipt.types)}")
        for part in receipt.parts:
            if part.tombstone is not None:
                say(
                    console,
                    f"  relationship {part.relationship}: tombstone {part.tombstone}, "
                    f"tip {part.tip_before[:16]}… → {part.tip_after[:16]}…",
                )
        say(console, f"  read back and found gone: {receipt.checked.payloads} payloads")
        rows = sum((Counter(part.rows) for part in receipt.parts), Counter[str]())
        for name in sorted(+rows):
            anew = any(name in part.rebuilt for part in receipt.parts)
            rest = "; what stays of it is made anew when it is next needed" if anew else ""
            say(console, f"  {_TABLES.get(name, name)}: {several(rows[name], 'row')} went{rest}")
    if receipt.scrub == "scrubbed":
        say(console, "  scrubbed: nothing of it is in any file of the store")
    else:
        say(
            console,
            "  scrub pending: somebody reads an older view of the store; its files are scrubbed "
            "by themselves later, and `enishi doctor` says whether that was done",
            "yellow",
        )
    if receipt.scenes:
        say(
            console,
            f"  turns of others that still say, by its id, that the erased one was there: "
            f"{receipt.scenes}; erase those turns where that has to go",
            "yellow",
        )
    if receipt.signer is not None:
        say(console, f"  signed by {receipt.signer}")
    for pack in receipt.exported:
        say(console, f"  a pack that went out before: {pack.pack}")
    _say_out_of_reach(console, receipt.out_of_reach)


def print_proof(console: Console, proof: ReceiptProof, known: str | None) -> None:
    """What a receipt says, whose it is, and whether that is so. `known` is the signer's name."""
    print_receipt(console, proof.receipt)
    if proof.signature == "good":
        name = f"known here as {known!r}" if known else "a key that is not known here"
        say(console, f"The signature fits: {name}.", "green")
    elif proof.signature == "none":
        say(console, "It is not signed: anybody can have written it.", "yellow")
    for part in proof.parts:
        about = f"relationship {part.relationship}"
        if not part.here:
            say(console, f"{about} is not in this store.", "yellow")
        elif not part.problems:
            done = "scrubbed" if part.scrubbed else "its scrub is still pending"
            say(console, f"{about}: the store is as it says; {done}.", "green")
    for problem in proof.problems:
        say(console, f"problem: {problem}", "bold red")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


def _say_said(console: Console, heading: str, found: Sequence[Said]) -> None:
    if found:
        say(console, heading)
        for one in found[:_SHOWN]:
            say(console, f"  {one.number:>5}  {' '.join(one.words.split())}")
        if len(found) > _SHOWN:
            say(console, f"  and {len(found) - _SHOWN} more; --json lists all")


def _say_out_of_reach(console: Console, codes: Sequence[OutOfReach]) -> None:
    say(console, f"Out of reach: {'; '.join(_OUT_OF_REACH[code] for code in codes)}.", "dim")
