"""Care for a store: verify, replay, rebuild, rebind, doctor."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from enishi.host.commands.answering import (
    Answer,
    console_for,
    did,
    fail,
    plain_console,
    print_json,
    progress_bar,
)
from enishi.host.commands.choosing import (
    bond_of,
    bonds_of,
    on_relationship,
    opened_store,
    party_named,
)
from enishi.host.commands.options import (
    DEFAULT_STORE,
    AgentOption,
    EmbedderOption,
    JsonOption,
    StoreOption,
    UserOption,
)
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship
    from enishi.kernel.verification import Verification

PANEL = "Care"

app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def verify(
    store: StoreOption = DEFAULT_STORE,
    agent: AgentOption = None,
    user: UserOption = None,
    tip: Annotated[
        str | None, typer.Option(help="A tip hash that was noted earlier: was anything cut off?")
    ] = None,
    receipt: Annotated[
        Path | None,
        typer.Option(help="The receipt of an erasure to be checked; the store need not be there."),
    ] = None,
    signer: Annotated[
        str | None, typer.Option(help="The key that the receipt has to be signed with.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check every byte, copy and index of the log, and say where something is wrong."""
    if receipt is not None:
        if tip is not None or agent is not None or user is not None:
            fail("--receipt stands alone, but for --signer and --store", 2)
        return _verify_receipt(store, receipt, signer, as_json)
    if signer is not None:
        fail("--signer is for a receipt; name it with --receipt", 2)
    with opened_store(store) as opened:
        every = tip is None
        remains = opened.verify_erased() if every and agent is None and user is None else []
        if remains and not opened.relationships(archived=None):
            bonds = []
        elif every:
            bonds = bonds_of(opened, agent, user, every)
        else:
            bonds = [bond_of(opened, agent, user, None)]
        found = _verified(bonds, tip)
        stray = [*opened.stray(), *opened.check_file()]
    if as_json:
        listed = [
            {"agent": bond.agent, "user": bond.user, "ok": one.ok, **showing.terminal.plain(one)}
            for bond, one in found
        ]
        listed += [
            {
                "agent": None,
                "user": None,
                "ok": one.ok,
                "relationship": id,
                **showing.terminal.plain(one),
            }
            for id, one in remains
        ]
        nobody = {
            "agent": None,
            "user": None,
            "ok": False,
            "problems": showing.terminal.plain(stray),
        }
        print_json([*listed, nobody] if stray else listed)
    else:
        named = [(f"{bond.agent} and {bond.user}", one) for bond, one in found]
        named += [(f"erased relationship {id}", one) for id, one in remains]
        showing.checked.print_verifications(console_for(store), named, stray)
    if stray or not all(one.ok for _, one in [*found, *remains]):
        raise typer.Exit(1)


def _verified(
    bonds: list[Relationship], tip: str | None
) -> list[tuple[Relationship, Verification]]:
    found = []
    with progress_bar("Verifying") as progress:
        for bond in bonds:
            # Nothing else is asked before: what is damaged must reach `verify`.
            report = partial(progress, f"{bond.agent} and {bond.user}", total=None)
            found.append((bond, bond.verify(tip=tip, progress=report)))
    return found


def _verify_receipt(path: Path, file: Path, signer: str | None, as_json: bool) -> None:
    from enishi.host import prove, read_file

    text = read_file(file).decode("utf-8", "replace")
    known: dict[str, str] = {}
    if path.exists():
        with opened_store(path) as opened:
            proof = prove(text, opened, signer=signer)
            known = {one.key.hex(): one.name for one in opened.signers()}
    else:
        proof = prove(text, signer=signer)
    name = known.get(proof.signer or "")
    if as_json:
        plain = {
            "ok": not proof.problems,
            "signature": proof.signature,
            "signer": proof.signer,
            "known_as": name,
            "problems": proof.problems,
            "parts": proof.parts,
            "receipt": proof.receipt.model_dump(mode="json"),
        }
        print_json(plain)
    else:
        showing.erasure_told.print_proof(plain_console(), proof, name)
    if proof.problems:
        raise typer.Exit(1)


@on_relationship(app, PANEL)
def replay(bond: Relationship) -> Answer:
    """Fold everything from zero, and compare with what is kept."""
    anew, kept = bond.replay(), bond.digests()

    def tell(console: Console) -> None:
        for name, digest in anew.items():
            equal = "equals" if kept[name] == digest else "DIFFERS from"
            showing.terminal.say(console, f"{name}  {digest}  {equal} what is kept")

    failure = None if anew == kept else "the kept state differs from a replay; run: enishi rebuild"
    return Answer({"replayed": anew, "kept": kept, "equal": anew == kept}, tell, failure)


@app.command(rich_help_panel=PANEL)
def rebuild(
    store: StoreOption = DEFAULT_STORE,
    agent: AgentOption = None,
    user: UserOption = None,
    keyed: Annotated[
        bool,
        typer.Option(
            "--keyed", help="Make the store keyed first: each payload encrypted under its own key."
        ),
    ] = False,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors", help="The vectors too: those of another embedder go, and all are made."
        ),
    ] = False,
    embedder: EmbedderOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Drop checkpoints and indexes and make them anew from the log."""
    if vectors and embedder == "auto":
        embedder = "bundled"
    if keyed:
        from enishi.host import make_keyed

        make_keyed(store)
    meaning = embedder if vectors else "none"
    with opened_store(store, embedder=meaning) as opened, progress_bar("Rebuilding") as progress:
        bonds = bonds_of(opened, agent, user)
        rebuilt: list[dict[str, Any]] = []
        for place, bond in enumerate(bonds, start=1):
            rebuilt.append({"agent": bond.agent, "user": bond.user, "digests": bond.rebuild()})
            if vectors:
                made = bond.embed(anew=True, progress=partial(progress, f"{bond.agent}'s vectors"))
                rebuilt[-1]["vectors"] = made
            progress("relationships", place, len(bonds))
    if as_json:
        print_json(rebuilt)
        return
    console = console_for(store)
    for one in rebuilt:
        showing.terminal.say(console, f"{one['agent']} and {one['user']}", "bold")
        for name, digest in one["digests"].items():
            showing.terminal.say(console, f"  {name}  {digest}")
        if "vectors" in one:
            made = one["vectors"]
            showing.terminal.say(
                console, f"  {made.models.get(made.model, 0)} vectors of {made.model}"
            )


@on_relationship(app, PANEL, branch=False)
def rebind(
    bond: Relationship,
    party: Annotated[str, typer.Argument(help="agent or user.")],
    new: Annotated[str, typer.Argument(metavar="ID", help="The id from now on.")],
) -> Answer:
    """Give the agent or the user another id, as when a platform renamed its users."""
    bond.rebind(party_named(party), new)
    value = {"agent": bond.agent, "user": bond.user}
    return did(value, f"This is the relationship of {bond.agent} and {bond.user} from now on.")


@app.command(rich_help_panel=PANEL)
def doctor(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Look at the file, the program and the SQLite beneath it, and say what to know about them."""
    import platform

    from enishi import __version__

    with opened_store(store) as opened:
        opened.scrub()
        pending = opened.to_scrub()
        keyed = opened.keyed
        found = opened.inspect()
        bonds = opened.relationships(archived=None)
    facts = {
        "enishi": __version__,
        "python": platform.python_version(),
        "sqlite": found.sqlite,
        "store": str(store),
        "journal": found.journal,
        "keyed": keyed,
        "bytes": found.bytes,
        "relationships": len(bonds),
        "records": found.rows.get("record", 0),
        "checkpoints": found.rows.get("checkpoint", 0),
        "vectors": found.rows.get("vector", 0),
        "to_scrub": len(pending),
    }
    if as_json:
        print_json({**facts, "known_faults": found.known_faults, "problems": found.problems})
    else:
        console = plain_console()
        for name, value in facts.items():
            showing.terminal.say(console, f"{name:14} {value}")
        for fault in found.known_faults:
            showing.terminal.say(console, f"SQLite {found.sqlite}: {fault}", "yellow")
        if pending:
            lines = ", ".join(
                f"tombstone {number} of line {line}" if line else "the whole store"
                for line, number in pending
            )
            showing.terminal.say(
                console, f"scrub pending: {lines}; somebody else reads the store", "yellow"
            )
        for problem in found.problems:
            showing.terminal.say(console, f"problem: {problem}", "bold red")
        if not found.problems:
            showing.terminal.say(
                console, "The file is whole; `enishi verify` checks what stands in it."
            )
    if found.problems:
        raise typer.Exit(1)
