"""`enishi branch`: list, fork, switch, move and drop branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from enishi.host.commands.answering import Answer, did
from enishi.host.commands.choosing import on_relationship
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="List, fork, switch, move and drop branches.",
)


@on_relationship(app, name="list", branch=False)
def branch_list(bond: Relationship) -> Answer:
    """List the branches."""
    branches = bond.branches()
    return Answer(branches, lambda console: showing.said.print_branches(console, branches))


@on_relationship(app, name="new")
def branch_new(
    bond: Relationship,
    name: str,
    after: Annotated[int | None, typer.Option(help="The turn after which it begins.")] = None,
) -> Answer:
    """Begin a branch after a turn (the tip, if none is named). The current one stays."""
    bond.fork(name, after)
    return did({"branch": name}, f"Branch {name!r} begins; it becomes the current one with: "
                 f"enishi branch switch {name!r}")  # fmt: skip


@on_relationship(app, name="switch", branch=False)
def branch_switch(bond: Relationship, name: str) -> Answer:
    """Make a branch the current one."""
    bond.switch(name)
    return did({"branch": name}, f"On branch {name!r} now.")


@on_relationship(app, name="back")
def branch_back(
    bond: Relationship,
    turn: Annotated[int, typer.Argument(help="The turn to end with; 0 for none.")],
) -> Answer:
    """End the branch after a turn. Later turns leave it, and come back the same way."""
    bond.back(turn or None)
    turns = bond.summary().turns
    return did(
        {"tip": turn or None, "turns": turns},
        f"The branch has {showing.terminal.several(turns, 'turn')} now.",
    )


@on_relationship(app, name="drop", branch=False)
def branch_drop(bond: Relationship, name: str) -> Answer:
    """Drop a branch. It can be restored by its number."""
    number = bond.drop(name)
    message = f"Branch {name!r} is dropped; it comes back with: enishi restore {number}"
    return did({"dropped": name, "number": number}, message)


@on_relationship(app, name="diff", branch=False)
def branch_diff(bond: Relationship, first: str, second: str) -> Answer:
    """Compare two branches: what they share, what each has of its own, where each stands."""
    shared, own = bond.compare(first, second)
    rapports = {name: bond.on(name).rapport() for name in (first, second)}

    def tell(console: Console) -> None:
        showing.terminal.say(console, f"{showing.terminal.several(shared, 'turn')} in common")
        for name, rapport in rapports.items():
            showing.terminal.say(
                console,
                f"\n{name}: {showing.terminal.several(own[name], 'turn')} of its own",
                "bold",
            )
            showing.reasons.print_rapport(console, rapport)

    return Answer({"shared": shared, "own": own, "rapport": rapports}, tell)
