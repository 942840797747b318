"""Changes that can be undone: edit, swipe, withdraw, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from enishi.host.commands.answering import Answer, did, fail
from enishi.host.commands.choosing import on_relationship
from enishi.packs import showing

if TYPE_CHECKING:
    from enishi.host import Relationship

PANEL = "Change, undoably"

app = typer.Typer()


@on_relationship(app, PANEL)
def edit(
    bond: Relationship,
    number: Annotated[int, typer.Argument(help="A message or reply.")],
    content: Annotated[str | None, typer.Argument(help="The new wording.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Back to the wording before.")] = False,
    more: Annotated[
        bool, typer.Option("--continue", help="Add to the wording instead of replacing it.")
    ] = False,
) -> Answer:
    """Give a message or a reply another wording; what rested on the old one falls."""
    if undo == (content is not None):
        fail("give either the new wording or --undo", 2)
    if content is None:
        text = bond.undo(number)
    else:
        text = bond.extend(number, content) if more else bond.edit(number, content)
    return Answer(text, lambda console: showing.said.print_text(console, text))


@on_relationship(app, PANEL)
def swipe(
    bond: Relationship,
    turn: Annotated[int, typer.Argument(help="A turn.")],
    reply: Annotated[
        int | None, typer.Argument(help="Which of its replies, from 1; lists them if left out.")
    ] = None,
) -> Answer:
    """Choose among the replies of a turn."""
    if reply is not None:
        bond.swipe(turn, reply)
    view = bond.get_turn(turn).view()
    return Answer(view, lambda console: showing.said.print_turn(console, view, variants=True))


@on_relationship(app, PANEL)
def withdraw(
    bond: Relationship,
    numbers: Annotated[list[int], typer.Argument(help="Events, texts or whole turns.")],
) -> Answer:
    """Let events, texts or whole turns count for nothing. Can be undone: see restore."""
    bond.withdraw(*numbers)
    return did({"withdrawn": numbers}, f"Withdrawn: {showing.terminal.listed(numbers)}")


@on_relationship(app, PANEL)
def restore(
    bond: Relationship,
    numbers: Annotated[
        list[int] | None, typer.Argument(help="What was withdrawn, or a dropped branch.")
    ] = None,
) -> Answer:
    """Let what was withdrawn count again; without numbers, bring back what was archived."""
    bond.restore(*numbers or ())
    told = f"Restored: {showing.terminal.listed(numbers)}" if numbers else "It is back in sight."
    return did({"restored": numbers or []}, told)
