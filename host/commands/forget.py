"""What is destroyed for good, or taken out of sight: erase, archive."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from enishi.host.commands.answering import Answer, console_for, did, fail, plain_console, print_json
from enishi.host.commands.choosing import bond_of, moment, on_relationship, opened_store
from enishi.host.commands.options import (
    DEFAULT_STORE,
    AgentOption,
    BranchOption,
    JsonOption,
    StoreOption,
    UserOption,
)
from enishi.packs import showing

if TYPE_CHECKING:
    from enishi.host import Relationship, Store
    from enishi.kernel.erasing.receipt import Receipt
    from enishi.kernel.events import ErasureReason

PANEL = "Forget"

app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def erase(
    numbers: Annotated[
        list[int] | None, typer.Argument(help="Turns, texts or events by their numbers.")
    ] = None,
    through: Annotated[
        int | None, typer.Option(help="The last turn of a span that begins with the one given.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="What was said from this time on.")] = None,
    until: Annotated[str | None, typer.Option(help="What was said before this time.")] = None,
    belief: Annotated[
        int | None, typer.Option(help="A belief and what speaks of it, not the texts under it.")
    ] = None,
    matching: Annotated[
        str | None, typer.Option(help="Whatever contains this text, to the letter.")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="The whole relationship; with --user or --agent alone, all of theirs.",
        ),
    ] = False,
    again: Annotated[
        Path | None, typer.Option(help="What this receipt says, in a store restored from a copy.")
    ] = None,
    keep_effects: Annotated[
        bool, typer.Option("--keep-effects", help="Only the words; what carries none stays.")
    ] = False,
    reason: Annotated[
        str, typer.Option(help="Why: request, retention, safety, mistake or other.")
    ] = "request",
    sign: Annotated[
        bool, typer.Option("--sign", help="Sign the receipt with this store's key.")
    ] = False,
    copies: Annotated[
        bool, typer.Option("--copies", help="The same words of the scene in other relationships.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would happen.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether it is meant.")] = False,
    store: StoreOption = DEFAULT_STORE,
    agent: AgentOption = None,
    user: UserOption = None,
    branch: BranchOption = None,
    as_json: JsonOption = False,
) -> None:
    """Destroy words for good, and what rests on them. Cannot be undone: see withdraw for that."""
    chosen = (numbers, through, since, until, belief, matching)
    why = _reason(reason)
    with opened_store(store) as opened:
        if sign and not plan:
            opened.own_key()  # what cannot be signed is not erased first
        if again is not None or everything:
            if (again is not None and everything) or any(one is not None for one in chosen):
                fail("--everything and --again stand alone", 2)
            if keep_effects or copies:
                fail("--keep-effects and --copies choose among words; here all of them go", 2)
            if again is not None and (plan or agent or user or why != "request"):
                fail("--again takes no --plan, --agent, --user or --reason: the receipt says it", 2)
            if plan or (everything and not (yes or as_json)):
                _plan_all(opened, agent, user, as_json)
            if plan:
                return
            receipt = _erase_all(opened, agent, user, again, why, yes)
        else:
            bond = bond_of(opened, agent, user, branch)
            about: dict[str, Any] = {
                "through": through,
                "since": moment(since),
                "until": moment(until),
                "belief": belief,
                "keep_effects": keep_effects,
            }
            if yes and not plan and matching is None:  # nobody would read a plan
                receipt = bond.erase(*numbers or (), **about, copies=copies, reason=why)
            else:
                made = bond.plan_erasure(*numbers or (), **about, matching=matching)
                if plan and as_json:
                    print_json(made)
                elif plan or not (yes or as_json):
                    showing.erasure_told.print_plan(console_for(store), made)
                if plan:
                    return
                what = f"erase {len(made.numbers)} payloads of {bond.agent} and {bond.user}"
                _confirm(what, yes)
                receipt = bond.erase(made, copies=copies, reason=why)
        if sign:
            receipt = opened.sign(receipt)
    if as_json:
        print_json(receipt.model_dump(mode="json"))
    else:
        showing.erasure_told.print_receipt(plain_console(), receipt)


def _plan_all(opened: Store, agent: str | None, user: str | None, as_json: bool) -> None:
    if (agent is None) == (user is None):
        bond = bond_of(opened, agent, user, None)
        agent, user = bond.agent, bond.user
    made = opened.plan_erasure(user=user, agent=agent)
    if as_json:
        print_json(made)
    else:
        showing.erasure_told.print_party_plan(console_for(opened.path), made)


def _reason(text: str) -> ErasureReason:
    from enishi.kernel.events import ErasureReason

    known: tuple[ErasureReason, ...] = get_args(ErasureReason)
    for one in known:
        if text == one:
            return one
    fail(f"{text!r} is no reason; there are: {', '.join(known)}", 2)


def _erase_all(
    opened: Store,
    agent: str | None,
    user: str | None,
    again: Path | None,
    why: ErasureReason,
    yes: bool,
) -> Receipt:
    if again is not None:
        from enishi.host import read_file
        from enishi.kernel.erasing.proof import read_json
        from enishi.kernel.erasing.receipt import read_receipt

        receipt = read_receipt(read_json(read_file(again).decode("utf-8", "replace")))
        _confirm(f"erase in {opened.path} what {again} says", yes)
        return opened.erase_again(receipt)
    if user is not None and agent is None:
        _confirm(f"erase all relationships of the user {user!r}", yes)
        return opened.erase_user(user, reason=why)
    if agent is not None and user is None:
        _confirm(f"erase all relationships of the agent {agent!r}", yes)
        return opened.erase_agent(agent, reason=why)
    bond = bond_of(opened, agent, user, None)
    _confirm(f"erase the relationship of {bond.agent!r} and {bond.user!r}", yes)
    return bond.erase_relationship(reason=why)


def _confirm(what: str, yes: bool) -> None:
    """Go on only if the person types the word; machines say --yes."""
    if yes:
        return
    print(f"To {what} for good, type: erase", file=sys.stderr)
    if sys.stdin.readline().strip() != "erase":
        fail("nothing was erased: it was not confirmed (for a program: --yes)")


@on_relationship(app, PANEL, branch=False)
def archive(bond: Relationship) -> Answer:
    """Take the relationship out of sight of `list`; nothing about it changes."""
    bond.archive()
    back = f"enishi restore --agent {shlex.quote(bond.agent)} --user {shlex.quote(bond.user)}"
    told = f"{bond.agent} and {bond.user}: out of sight; bring it back with: {back}"
    return did({"archived": True}, told)
