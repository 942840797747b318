"""What is remembered: mood, recall, beliefs, promises, tensions, episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from enishi.host.commands.answering import Answer, did, fail, last_of
from enishi.host.commands.choosing import moment, of_then, on_relationship
from enishi.host.commands.options import AtOption, EmbedderOption, HeldAtOption, LastOption
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship

PANEL = "Remembered"

app = typer.Typer()


@on_relationship(app, PANEL)
def mood(bond: Relationship, at: AtOption = None) -> Answer:
    """How each of the two feels, and how that came over the days before."""
    views = [bond.mood(party, at=moment(at)) for party in ("user", "agent")]
    erased = bond.summary().on_erased

    def tell(console: Console) -> None:
        courses = {view: bond.moods(showing.mood_plot.moments(views), view.party) for view in views}
        showing.mood_plot.print_moods(console, courses)
        showing.reasons.say_on_erased(console, erased)

    return of_then(bond, Answer(views, tell), at)


@on_relationship(app, PANEL)
def recall(
    bond: Relationship,
    query: Annotated[
        str | None, typer.Argument(help="What is to be remembered, in plain words.")
    ] = None,
    at: AtOption = None,
    budget: Annotated[int | None, typer.Option(min=0, help="Tokens that it may take.")] = None,
    within: Annotated[
        float | None, typer.Option(min=0, help="Milliseconds; what is not reached then, says so.")
    ] = None,
    items: Annotated[
        int | None, typer.Option(min=0, help="How many things the words may find.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="The parts of each score, and what was left out.")
    ] = False,
    audience: Annotated[
        str, typer.Option(help="Who will see it: agent, user, or the ids of a group, with commas.")
    ] = "agent",
    render: Annotated[
        Literal["en", "zh"] | None,
        typer.Option(help="The block for a prompt instead, in this language."),
    ] = None,
    turn: Annotated[
        int | None,
        typer.Option(
            "--trace", help="What is recalled for this turn, what its reply was offered, and used."
        ),
    ] = None,
    embedder: EmbedderOption = "auto",
) -> Answer:
    """What to remember of something, why, on what evidence, and what was left out."""
    del embedder  # whoever opened the store has read it
    if turn is not None:
        if query is not None:
            fail("--trace asks about a turn; leave the words out", 2)
        traced = bond.recall_trace(turn)
        return Answer(traced, lambda console: showing.recalled.print_trace(console, traced))
    if query is None or not query.strip():
        fail('say what is to be remembered: enishi recall "the exam", or --trace TURN', 2)
    seen_by = audience if audience in ("agent", "user") else audience.split(",")
    found = bond.recall(
        query, at=moment(at), budget=budget, within=within, items=items, audience=seen_by
    )
    if render is not None:
        block = found.render(render)
        return Answer({"block": block}, lambda console: showing.terminal.say_all(console, block))
    shown = {**showing.terminal.plain(found), "outcome": found.outcome}
    return Answer(shown, lambda console: showing.recalled.print_recall(console, found, explain))


@on_relationship(app, PANEL)
def beliefs(
    bond: Relationship,
    at: HeldAtOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also what is past, replaced or retracted.")
    ] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="What nobody told or confirmed within 30 days.")
    ] = False,
) -> Answer:
    """What is held true about whom, since when, and on what words it rests."""
    if stale:
        if at is not None or every:
            fail("--stale asks about now and about what is current; leave --at and --all out", 2)
        found = bond.stale_beliefs()
        return Answer(found, lambda console: showing.remembered.print_stale(console, found))
    all_of_them = bond.beliefs(at=moment(at))
    shown = [one for one in all_of_them if every or one.status == "current"]
    answer = Answer(shown, lambda console: showing.remembered.print_beliefs(console, shown))
    return of_then(bond, answer, at)


@on_relationship(app, PANEL)
def promises(bond: Relationship, at: AtOption = None) -> Answer:
    """Promises and open loops: what was promised by whom, what is due, how it ended."""
    given, loops = bond.promises(at=moment(at)), bond.loops(at=moment(at))
    found = {"promises": given, "loops": loops}
    answer = Answer(found, lambda console: showing.remembered.print_promises(console, given, loops))
    return of_then(bond, answer, at)


@on_relationship(app, PANEL)
def tensions(bond: Relationship, at: AtOption = None) -> Answer:
    """What replies have left between the two, and where each of it stands."""
    found = bond.tensions(at=moment(at))
    answer = Answer(found, lambda console: showing.remembered.print_tensions(console, found))
    return of_then(bond, answer, at)


@on_relationship(app, PANEL)
def episodes(
    bond: Relationship,
    what: Annotated[
        str | None,
        typer.Argument(
            help="The number of one episode; or split, or merge.", metavar="[N|split|merge]"
        ),
    ] = None,
    turn: Annotated[
        int | None, typer.Argument(help="With split or merge: the turn that begins an episode.")
    ] = None,
    chapters: Annotated[
        bool, typer.Option("--chapters", help="What runs through several episodes.")
    ] = False,
    last: LastOption = 20,
) -> Answer:
    """Sessions with their highlights and closing mood; `split TURN` and `merge TURN` correct them."""
    if what in ("split", "merge"):
        if chapters:
            fail("give one number, or --chapters, or split or merge with a turn", 2)
        if turn is None:
            fail(f"{what} needs the number of a turn; `enishi log` lists them", 2)
        number = bond.split(turn) if what == "split" else bond.merge(turn)
        done = "begins an episode" if what == "split" else "goes on with the episode before it"
        undo = f"`enishi withdraw {number}` takes it back"
        return did({"event": number, "turn": turn}, f"Turn {turn} {done}; {undo}.")
    if turn is not None or (what is not None and chapters):
        fail("give one number, or --chapters, or split or merge with a turn", 2)
    if what is not None:
        if not (what.isdigit() and what.isascii() and len(what) < 20):
            fail(f"{what!r} is no number of an episode, nor split or merge", 2)
        one = bond.episode(int(what))
        return Answer(one, lambda console: showing.remembered.print_episode(console, one))
    if chapters:
        connected, hidden = last_of(bond.chapters(), last)
        return Answer(
            connected, lambda console: showing.remembered.print_chapters(console, connected, hidden)
        )
    found = bond.episodes(last=last or None)
    return Answer(found, lambda console: showing.remembered.print_episodes(console, found))
