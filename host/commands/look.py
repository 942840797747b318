"""Look at what was said and where it stands: list, log, show, why, timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from enishi.host.commands.answering import (
    Answer,
    console_for,
    did,
    fail,
    last_of,
    print_json,
)
from enishi.host.commands.choosing import moment, of_then, on_relationship, opened_store
from enishi.host.commands.options import (
    DEFAULT_STORE,
    AtOption,
    JsonOption,
    LastOption,
    StoreOption,
)
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship

PANEL = "Look"

app = typer.Typer()


@app.command("list", rich_help_panel=PANEL)
def list_(
    store: StoreOption = DEFAULT_STORE,
    archived: Annotated[
        bool, typer.Option("--archived", help="Those that were taken out of sight.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the relationships of the store."""
    with opened_store(store) as opened:
        summaries = [bond.summary() for bond in opened.relationships(archived=archived)]
    if as_json:
        print_json(summaries)
        return
    showing.said.print_relationships(console_for(store), summaries)


@on_relationship(app, PANEL)
def log(
    bond: Relationship,
    events: Annotated[bool, typer.Option("--events", help="Every record, not the turns.")] = False,
    last: LastOption = 20,
) -> Answer:
    """Print what was said, turn by turn, with the numbers that other commands take."""
    if events:
        records, hidden = last_of(bond.records(), last)
        return Answer(records, lambda console: showing.said.print_records(console, records, hidden))
    turns, hidden = last_of(bond.turns(), last)
    return Answer(turns, lambda console: showing.said.print_turns(console, turns, hidden))


@on_relationship(app, PANEL)
def show(
    bond: Relationship,
    at: AtOption = None,
    as_lived: Annotated[
        str | None, typer.Option("--as-lived", help="As it was recorded by this time.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="As it would be under the policy in this TOML file.")
    ] = None,
    portrait: Annotated[
        bool, typer.Option("--portrait", help="Who the user is, each sentence with its words.")
    ] = False,
) -> Answer:
    """Show where the relationship stands, and what moved it last."""
    if portrait:
        if as_lived is not None or policy is not None:
            fail("--portrait goes with --at alone", 2)
        sentences = bond.portrait(at=moment(at))
        answer = Answer(
            sentences, lambda console: showing.recalled.print_portrait(console, sentences)
        )
        return of_then(bond, answer, at)
    if at is None and as_lived is None and policy is None:
        overview = _overview(bond)
        return Answer(overview, lambda console: showing.reasons.print_overview(console, overview))
    rapport = bond.rapport(
        at=moment(at),
        as_lived=moment(as_lived),
        policy=None if policy is None else _read_policy(policy),
    )
    erased = bond.erased_then(at=moment(at), as_lived=moment(as_lived))
    answer = Answer(
        {"rapport": rapport, "erased": erased},
        lambda console: showing.reasons.print_rapport(console, rapport),
    )
    return of_then(bond, answer, at, as_lived)


def _overview(bond: Relationship) -> dict[str, Any]:
    return {
        "agent": bond.name_of(bond.agent),
        "user": bond.name_of(bond.user),
        "relationship": bond.summary(),
        "rapport": bond.rapport(),
        "mood": [bond.mood("user"), bond.mood("agent")],
        "reasons": bond.why_rapport()[-5:],
        "digests": bond.digests(),
    }


def _read_policy(path: Path) -> dict[str, Any]:
    import tomllib

    from enishi.host import read_file

    try:
        return tomllib.loads(read_file(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        fail(f"{path} is no TOML file: {error}")


@on_relationship(app, PANEL)
def why(
    bond: Relationship,
    about: Annotated[
        str, typer.Argument(help="rapport, rapport.trust, mood, mood.valence, or a number.")
    ],
    last: LastOption = 20,
) -> Answer:
    """Say why a value is what it is, or why an event is there, down to the quoted words."""
    if about.isdigit() and about.isascii() and len(about) < 20:
        found = bond.why(int(about))
        return Answer(
            found,
            lambda console: showing.reasons.print_explanation(
                console, found, bond.why_rapport(), bond.why_mood()
            ),
        )
    projection, value = _value_named(about)
    if projection == "mood":
        seen, hidden = last_of(bond.why_mood(value), last)
        return Answer(
            seen, lambda console: showing.reasons.print_mood_changes(console, seen, hidden)
        )
    changes, hidden = last_of(bond.why_rapport(value), last)
    return Answer(changes, lambda console: showing.reasons.print_changes(console, changes, hidden))


def _value_named(about: str) -> tuple[str, Any]:
    """The projection that is asked about, and which of its values; None for all of them."""
    from enishi.projections.mood import FEELINGS
    from enishi.projections.policy import DIMENSIONS

    known: dict[str, tuple[str, ...]] = {"rapport": DIMENSIONS, "mood": FEELINGS}
    projection, dot, value = about.partition(".")
    if projection not in known or (dot and value not in known[projection]):
        names = [f"{one}.{value}" for one, values in known.items() for value in values]
        fail(
            f"{about!r} cannot be explained; there are: {', '.join([*known, *names])}, and numbers",
            2,
        )
    return projection, value or None


@on_relationship(app, PANEL)
def timeline(
    bond: Relationship,
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Write a picture of it to this file.")
    ] = None,
) -> Answer:
    """Rapport, moods, episodes, tensions and promises on one axis."""
    found = bond.timeline()
    if svg is not None:
        showing.timeline_svg.write_timeline(svg, found)
        return did({"svg": str(svg)}, f"{svg} has the picture; any browser shows it.")
    erased = bond.summary().on_erased

    def tell(console: Console) -> None:
        showing.timeline_plot.print_timeline(console, found)
        showing.reasons.say_on_erased(console, erased)

    return Answer(found, tell)
