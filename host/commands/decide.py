"""What may count: propose, decisions, correct."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from enishi.host.commands.answering import Answer, did, fail, last_of, progress_bar
from enishi.host.commands.choosing import on_relationship
from enishi.host.commands.options import LastOption
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship
    from enishi.kernel.deciding.proposals import Proposer
    from enishi.kernel.deciding.proposing import Decided

PANEL = "Decide"

app = typer.Typer()


@on_relationship(app, PANEL)
def propose(
    bond: Relationship,
    turn: Annotated[
        int | None, typer.Argument(help="One turn; all that was not read yet, if left out.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="URL of an OpenAI-compatible endpoint that reads instead.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The model's name there.")] = None,
    key: Annotated[
        str | None, typer.Option(envvar="ENISHI_MODEL_KEY", help="Its key, if it wants one.")
    ] = None,
) -> Answer:
    """Let the bundled rules, or a model, read; and record what the kernel decides."""
    if (model is None) != (name is None):
        fail("a model needs both --model URL and --name NAME", 2)
    proposers = _bundled() if model is None or name is None else (_model(model, name, key),)
    decided: list[Decided] = []
    with progress_bar("Reading") as progress:
        for proposer in proposers:
            report = partial(progress, f"texts by {proposer.name}")
            decided += bond.propose(turn, proposer, progress=report)
    erased = bond.summary().erased if turn is None else _erased_of(bond, turn)

    def printed(console: Console) -> None:
        showing.reasons.print_decisions(console, decided, 0)
        if erased:
            what = showing.terminal.several(erased, "record")
            was = "was" if erased == 1 else "were"
            showing.terminal.say(console, f"{what} {was} erased, and nothing of that is read again")

    return Answer(decided, printed)


def _erased_of(bond: Relationship, turn: int) -> int:
    """How many texts of a turn were erased."""
    views = [view for view in bond.turns() if view.number == turn]
    texts = [text for view in views for text in (*view.messages, *view.replies)]
    return sum(text.content is None and not text.withheld for text in texts)


def _bundled() -> tuple[Proposer, ...]:
    from enishi.kernel.rules import bundled_proposers

    return bundled_proposers()


def _model(url: str, name: str, key: str | None) -> Proposer:
    from enishi.packs.models.model_proposer import ModelProposer

    return ModelProposer(url, name, key=key)


@on_relationship(app, PANEL)
def decisions(
    bond: Relationship,
    verdict: Annotated[
        str | None,
        typer.Option(help="Only accepted, held, rejected or erased ones; or batches that failed."),
    ] = None,
    last: LastOption = 20,
) -> Answer:
    """List what was proposed and how the kernel answered, with its reasons."""
    if verdict not in (None, "accepted", "held", "rejected", "erased", "failed"):
        fail(f"{verdict!r} is no verdict; there are: accepted, held, rejected, erased, failed", 2)
    failed = bond.failures() if verdict in (None, "failed") else []
    if verdict == "failed":
        return Answer(failed, lambda console: showing.reasons.print_failures(console, failed))
    wanted = [one for one in bond.decisions() if verdict in (None, one.verdict)]
    shown, hidden = last_of(wanted, last)

    def printed(console: Console) -> None:
        showing.reasons.print_decisions(console, shown, hidden)
        if failed:
            showing.reasons.print_failures(console, failed)

    return Answer(shown, printed)


@on_relationship(app, PANEL)
def correct(
    bond: Relationship,
    number: Annotated[int, typer.Argument(help="A belief, a signal, a promise …: see decisions.")],
    word: Annotated[str | None, typer.Argument(help="right or wrong.")] = None,
    value: Annotated[str | None, typer.Option(help="What is right instead, for a belief.")] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Let a held decision have its effect.")
    ] = False,
) -> Answer:
    """Say that something derived is right, wrong, or should have another value."""
    if release:
        if word is not None or value is not None:
            fail("--release takes a number and nothing else", 2)
        event = bond.release(number)
        return did({"released": number, "event": event}, f"Released; it became number {event}.")
    if word not in ("right", "wrong") and (word is not None or value is None):
        fail("say right or wrong, or give a --value", 2)
    if word == "right" and value is not None:
        fail("what is right has no other value; leave `right` out, or --value", 2)
    recorded = bond.correct(number, "right" if word == "right" else "wrong", value=value)
    said = {"number": number, "word": word, "value": value, "recorded": recorded}
    return did(said, f"Recorded: {showing.terminal.listed(recorded)}")
