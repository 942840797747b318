"""What was checked and who is believed, on a terminal: verifications and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console

from enishi.kernel.keys.keyring import Signer
from enishi.kernel.verification import Problem, Verification
from enishi.packs.showing.terminal import say, several


def print_verifications(
    console: Console,
    verified: Iterable[tuple[str, Verification]],
    stray: Iterable[Problem] = (),
) -> None:
    """What verifying found, one relationship a line, and each problem with its place."""
    for name, found in verified:
        verdict = "verified" if found.ok else several(len(found.problems), "problem")
        counts = f"{several(found.length, 'record')}, {found.erased} erased"
        say(console, f"{name}: {counts}, tip {found.tip}: {verdict}")
        for problem in found.problems:
            say(console, f"  {problem}", "bold red")
    for problem in stray:
        say(console, str(problem), "bold red")


def print_keys(console: Console, keys: Sequence[Signer]) -> None:
    """Signers that a store believes."""
    for signer in keys:
        say(console, f"{signer.key.hex()}  {signer.name}")
