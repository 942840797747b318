"""The face for a person: `enishi`."""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship, Store
    from enishi.kernel.deciding.proposals import Proposer
    from enishi.kernel.deciding.proposing import Decided
    from enishi.kernel.erasing.receipt import Receipt
    from enishi.kernel.verification import Verification
    from enishi.packs import terminal
else:

    class _Later:
        """A module that is imported when it is first used, so that `--version` starts fast."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    terminal = _Later("enishi.packs.terminal")
    Relationship = Any

T = TypeVar("T")

app = typer.Typer(
    name="enishi",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Start with: enishi demo, then enishi import CHAT\n\n"
    "Enishi keeps the history between one character and one user, and everything that follows "
    "from it.",
)
branch_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="List, fork, switch, move and drop branches.",
)
keys_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="The key of this store, the signers that it believes, and keys for encrypted packs.",
)

START, LOOK, REMEMBERED, DECIDE, CHANGE, FORGET, CARE = (
    "Start, carry",
    "Look",
    "Remembered",
    "Decide",
    "Change, undoably",
    "Forget",
    "Care",
)


class Answer(NamedTuple):
    """What a command found: for machines the value, for people whatever `tell` prints of it.

    `failure` is what is wrong with it, if anything is; the exit status then says so, too.
    """

    value: Any
    tell: Callable[[Any], None]
    failure: str | None = None


StoreOption = Annotated[
    Path,
    typer.Option("--store", envvar="ENISHI_STORE", help="The store file.", show_default=True),
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", help="The agent's id, where the store has several.")
]
UserOption = Annotated[
    str | None, typer.Option("--user", help="The user's id, where the store has several.")
]
BranchOption = Annotated[
    str | None, typer.Option("--branch", help="The branch; the current one if left out.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]

AtOption = Annotated[
    str | None, typer.Option("--at", help="What stands now of what had happened by this time.")
]
HeldAtOption = Annotated[
    str | None, typer.Option("--at", help="What held at this time, as far as is known now.")
]
KeyOption = Annotated[
    Path | None, typer.Option("--key", help="A file with the age identity that opens a pack.")
]
PassphraseOption = Annotated[
    bool, typer.Option("--passphrase", help="Ask for a passphrase, or take ENISHI_PASSPHRASE.")
]
KeyedOption = Annotated[
    bool,
    typer.Option(
        "--keyed", help="Make the new store keyed: each payload encrypted under its own key."
    ),
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        envvar="ENISHI_EMBEDDER",
        help="What searches by meaning: none, bundled, auto (bundled if it is installed), or"
        " 'URL MODEL' of a server with OpenAI's embeddings.",
    ),
]
LastOption = Annotated[int, typer.Option("--last", min=0, help="How many of the last; 0 for all.")]

DEFAULT_STORE = Path("enishi.db")


def _version(wanted: bool) -> None:
    if wanted:
        from enishi import __version__

        print(f"enishi {__version__}")
        raise typer.Exit


@app.callback()
def _enishi(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


_COMMON = (
    ("store", StoreOption, DEFAULT_STORE),
    ("agent", AgentOption, None),
    ("user", UserOption, None),
    ("branch", BranchOption, None),
    ("as_json", JsonOption, False),
)


def _on_relationship(
    panel: str | None, *, to: typer.Typer = app, name: str | None = None, branch: bool = True
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a command of a function that takes a relationship and returns an Answer.

    The command has the options that choose store, relationship and branch, and `--json`.
    """
    common = [option for option in _COMMON if branch or option[0] != "branch"]

    def register(function: Callable[..., Answer]) -> Callable[..., Answer]:
        own = inspect.signature(function, eval_str=True).parameters

        def command(**given: Any) -> None:
            store, as_json = given.pop("store"), given.pop("as_json")
            chosen = [given.pop(key, None) for key in ("agent", "user", "branch")]
            with _opened(store, embedder=given.get("embedder", "none")) as opened:
                answer = function(_bond(opened, *chosen), **given)
                if as_json:
                    _print_json(answer.value)
                else:
                    answer.tell(_console_for(store))
                if answer.failure is not None:
                    _fail(answer.failure)

        parameters = list(own.values())[1:] + [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for key, kind, default in common
        ]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__doc__ = function.__doc__
        command_name = name or function.__name__
        to.command(command_name, rich_help_panel=panel)(command)
        return function

    return register


# Start, carry


@app.command(rich_help_panel=START)
def demo(
    folder: Annotated[
        Path | None, typer.Argument(help="Where to leave its files; a new folder if left out.")
    ] = None,
    keyed: KeyedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Live a small story in real stores, and see of each thing that is promised whether it holds."""
    from tempfile import mkdtemp

    from enishi.host.demo import ELSEWHERE, HOME, REPORTS, play_demo

    place = Path(mkdtemp(prefix="enishi-demo-")) if folder is None else folder
    report = play_demo(place, keyed=keyed)
    if as_json:
        _print_json(
            {"store": str(place / HOME), "verdict": report.verdict(), **terminal.plain(report)}
        )
    else:
        console = _console()
        terminal.print_demo(console, report)
        terminal.say(console, f"Read it as a page: {place / REPORTS[-1]}")
        terminal.say(console, f"Look around: enishi log --store {place / ELSEWHERE}")
        terminal.say(console, "Then take in a chat of your own: enishi import CHAT")
    if report.failed:
        _fail(f"not everything held: {', '.join(report.failed)}")


@app.command("import", rich_help_panel=START)
def import_(
    files: Annotated[list[Path], typer.Argument(help="Chats or character cards.")],
    store: StoreOption = DEFAULT_STORE,
    agent: Annotated[str | None, typer.Option(help="The agent's id; else the file's.")] = None,
    user: Annotated[str | None, typer.Option(help="The user's id; else the file's.")] = None,
    zone: Annotated[
        str, typer.Option(help="Zone of dates that name none, such as Asia/Tokyo.")
    ] = "UTC",
    persona: Annotated[
        list[str] | None,
        typer.Option(help="A name under which the user's lines are somebody else's."),
    ] = None,
    no_propose: Annotated[
        bool, typer.Option("--no-propose", help="Leave the bundled rules out.")
    ] = False,
    as_branch: Annotated[
        str | None,
        typer.Option(help="The name for a pack's line that went on otherwise than what is here."),
    ] = None,
    accept_erasures: Annotated[
        bool,
        typer.Option("--accept-erasures", help="Let a pack's tombstones destroy what is here."),
    ] = False,
    signer: Annotated[
        str | None, typer.Option(help="Take packs sealed with this key alone.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check packs and keep nothing of them.")
    ] = False,
    embedder: EmbedderOption = "auto",
    key: KeyOption = None,
    passphrase: PassphraseOption = False,
    keyed: KeyedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take in chats (SillyTavern, ChatGPT, Letta, mem0), character cards, packs (.erii)."""
    from enishi.host import read_file
    from enishi.packs.cards import read_card
    from enishi.packs.erii.reading import is_erii, read_erii

    ours = [path for path in files if _is_pack(path)]
    if dry_run and len(ours) < len(files):
        _fail("--dry-run is for packs alone")
    data = {path: read_file(path) for path in files if path not in ours}
    files = list(data)
    unlock = _unlock(key, passphrase and bool(ours))
    packs = [path for path in files if is_erii(data[path])]
    for path in packs:
        read_erii(path.name, data[path])
    others = [path for path in files if path not in packs]
    cards = {
        path: read_card(path.name, data[path]) for path in others if _is_card(path, data[path])
    }
    chats = [path for path in others if path not in cards]
    if not store.exists():
        # No store is made for files that cannot be taken in.
        _check_import(data, chats, agent, user, zone)
        for path in ours:
            found = _inspected(path, unlock, signer)
            _fail_if_forged(path.name, found)
    create = bool(chats or packs or ours) or user is not None
    with _opened(store, create, keyed, embedder) as opened, _progress("Taking in") as progress:
        carried = [
            opened.import_pack(
                path,
                **unlock,
                as_branch=as_branch,
                accept_erasures=accept_erasures,
                signer=signer,
                dry_run=dry_run,
                progress=partial(progress, path.name),
            )
            for path in ours
        ]
        taken = [opened.import_erii(path, agent=agent, user=user, zone=zone) for path in packs]
        reports = opened.import_chats(
            chats,
            agent=agent,
            user=user,
            zone=zone,
            personas=persona or (),
            propose=not no_propose,
            progress=progress,
        )
        adopted = []
        for path, card in cards.items():
            bond = _bond_for_card(opened, agent or card.name, user)
            bond.adopt_blueprint(card)
            adopted.append(
                {"file": path.name, "agent": bond.agent, "user": bond.user, "spec": card.spec}
            )
        unmade = None if dry_run else _embed(opened, progress)
    if as_json:
        _print_json(
            {
                "store": str(store),
                "packs": carried,
                "erii": taken,
                "chats": reports,
                "cards": adopted,
            }
        )
        return
    console = _console_for(store)
    terminal.print_carried(console, [path.name for path in ours], carried, dry_run)
    terminal.print_erii(console, taken)
    terminal.print_imports(console, reports, adopted)
    if unmade is not None:
        terminal.say(console, f"{unmade}; later: enishi rebuild --vectors", "yellow")
    if zone == "UTC" and any(report.turns for report in reports):
        terminal.say(console, "Dates that name no zone were read as UTC; --zone names another.")


def _embed(store: Store, progress: Callable[..., None]) -> str | None:
    """Make the vectors that are missing, where they are kept. Returns why they could not be made."""
    from enishi.kernel.errors import EmbedderFailed

    try:
        for bond in store.relationships() if store.embedder and not store.keyed else ():
            bond.embed(progress=partial(progress, f"the meaning of {bond.agent} and {bond.user}"))
    except EmbedderFailed as error:
        return str(error)  # what was taken in is in, and found by its words
    return None


class OutFormat(StrEnum):
    """What `export` writes."""

    erii = "erii"
    sillytavern = "sillytavern"
    jsonl = "jsonl"
    memoir = "memoir"


@_on_relationship(START)
def export(
    bond: Relationship,
    file: Annotated[Path | None, typer.Argument(help="The file to write.")] = None,
    format: Annotated[
        OutFormat, typer.Option(help="A MemoryPack, a branch as a chat, or as a tale for people.")
    ] = OutFormat.erii,
    to: Annotated[str | None, typer.Option(help="Encrypt it for this age key (age1…).")] = None,
    passphrase: PassphraseOption = False,
    until: Annotated[
        str | None, typer.Option(help="End before the first thing after this time or number.")
    ] = None,
    withhold: Annotated[
        list[int] | None, typer.Option(help="Leave out what this number says; of a turn, all.")
    ] = None,
    audience: Annotated[
        str | None, typer.Option(help="Who will see it: with user, no thoughts of the agent's own.")
    ] = None,
) -> Answer:
    """Write the relationship as one MemoryPack, or a branch of it as a chat or a memoir."""
    seen_by = None if audience is None else _party(audience, "an audience")
    if format is not OutFormat.erii:
        if to is not None or passphrase or until is not None or withhold:
            _fail("--to, --passphrase, --until and --withhold are for packs (--format erii)", 2)
        return _export_text(bond, file, format, seen_by)
    stop = int(until) if until is not None and until.isdigit() else _at(until)
    with _progress("Writing") as progress:
        path = file or _named_after(bond, ".erii")
        exported = bond.export(
            path,
            recipient=to,
            passphrase=_passphrase(confirm=True) if passphrase else None,
            until=stop,
            withhold=withhold or (),
            audience=seen_by,
            progress=partial(progress, path.name),
        )
    return Answer(exported, lambda console: terminal.print_exported(console, exported))


def _export_text(
    bond: Relationship,
    file: Path | None,
    format: OutFormat,
    audience: Literal["agent", "user"] | None,
) -> Answer:
    path = file or _named_after(bond, ".md" if format is OutFormat.memoir else ".jsonl")
    if format is OutFormat.memoir:
        bond.export_memoir(path, audience or "user")
        return _done({"path": str(path)}, f"{path} tells of {bond.agent} and {bond.user}.")
    if audience is not None:
        _fail("--audience is for packs and memoirs; a chat has no thoughts of the agent's", 2)
    lines = bond.export_chat(path, "sillytavern" if format is OutFormat.sillytavern else "jsonl")
    return _done({"path": str(path), "lines": lines}, f"{path}: {lines} lines")


def _named_after(bond: Relationship, ending: str) -> Path:
    return Path("-".join(re.sub(r"\W+", "_", party) for party in (bond.agent, bond.user)) + ending)


@app.command("inspect", rich_help_panel=START)
def inspect_(
    file: Annotated[Path, typer.Argument(help="The pack to look into.")],
    key: KeyOption = None,
    passphrase: PassphraseOption = False,
    against: Annotated[
        Path | None, typer.Option(help="A store: what would an import of the pack do there?")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a pack and say what is in it, without a store."""
    unlock = _unlock(key, passphrase)
    found, taken = _inspected(file, unlock), None
    if against is not None:
        with _opened(against) as opened:
            taken = opened.import_pack(
                file, **unlock, as_branch="(other)", accept_erasures=True, dry_run=True
            )
    if as_json:
        _print_json({"pack": found, "against": taken})
        return
    console = _console()
    terminal.print_inspected(console, file.name, found)
    if taken is not None:
        terminal.print_carried(console, [file.name], [taken], dry_run=True)
    _fail_if_forged(file.name, found)


# Look


@app.command("list", rich_help_panel=LOOK)
def list_(
    store: StoreOption = DEFAULT_STORE,
    archived: Annotated[
        bool, typer.Option("--archived", help="Those that were taken out of sight.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the relationships of the store."""
    with _opened(store) as opened:
        summaries = [bond.summary() for bond in opened.relationships(archived=archived)]
    if as_json:
        _print_json(summaries)
        return
    terminal.print_relationships(_console_for(store), summaries)


@_on_relationship(LOOK)
def log(
    bond: Relationship,
    events: Annotated[bool, typer.Option("--events", help="Every record, not the turns.")] = False,
    last: LastOption = 20,
) -> Answer:
    """Print what was said, turn by turn, with the numbers that other commands take."""
    if events:
        records, hidden = _last(bond.records(), last)
        return Answer(records, lambda console: terminal.print_records(console, records, hidden))
    turns, hidden = _last(bond.turns(), last)
    return Answer(turns, lambda console: terminal.print_turns(console, turns, hidden))


@_on_relationship(LOOK)
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
        from enishi.packs.recalled import print_portrait

        if as_lived is not None or policy is not None:
            _fail("--portrait goes with --at alone", 2)
        sentences = bond.portrait(at=_at(at))
        return Answer(sentences, lambda console: print_portrait(console, sentences))
    if at is None and as_lived is None and policy is None:
        overview = _overview(bond)
        return Answer(overview, lambda console: terminal.print_overview(console, overview))
    rapport = bond.rapport(
        at=_at(at),
        as_lived=_at(as_lived),
        policy=None if policy is None else _read_policy(policy),
    )
    erased = bond.erased_then(at=_at(at), as_lived=_at(as_lived))

    def tell(console: Console) -> None:
        terminal.print_rapport(console, rapport)
        if erased:
            terminal.say(console, f"{erased} records of that time have been erased since", "yellow")

    return Answer({"rapport": rapport, "erased": erased}, tell)


@_on_relationship(LOOK)
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
            lambda console: terminal.print_explanation(
                console, found, bond.why_rapport(), bond.why_mood()
            ),
        )
    projection, value = _value_named(about)
    if projection == "mood":
        seen, hidden = _last(bond.why_mood(value), last)
        return Answer(seen, lambda console: terminal.print_mood_changes(console, seen, hidden))
    changes, hidden = _last(bond.why_rapport(value), last)
    return Answer(changes, lambda console: terminal.print_changes(console, changes, hidden))


@_on_relationship(LOOK)
def timeline(
    bond: Relationship,
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Write a picture of it to this file.")
    ] = None,
) -> Answer:
    """Rapport, moods, episodes, tensions and promises on one axis."""
    from enishi.packs.timeline_plot import print_timeline
    from enishi.packs.timeline_svg import write_timeline

    found = bond.timeline()
    if svg is not None:
        write_timeline(svg, found)
        return _done({"svg": str(svg)}, f"{svg} has the picture; any browser shows it.")
    return Answer(found, lambda console: print_timeline(console, found))


# Remembered


@_on_relationship(REMEMBERED)
def mood(bond: Relationship, at: AtOption = None) -> Answer:
    """How each of the two feels, and how that came over the days before."""
    from enishi.packs.mood_plot import moments, print_moods

    views = [bond.mood(party, at=_at(at)) for party in ("user", "agent")]
    return Answer(
        views,
        lambda console: print_moods(
            console, {view: bond.moods(moments(views), view.party) for view in views}
        ),
    )


@_on_relationship(REMEMBERED)
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
        int | None, typer.Option("--trace", help="What the reply of this turn was given, and used.")
    ] = None,
    embedder: EmbedderOption = "auto",
) -> Answer:
    """What to remember of something, why, on what evidence, and what was left out."""
    del embedder  # whoever opened the store has read it
    from enishi.packs.recalled import print_recall, print_trace

    if turn is not None:
        if query is not None:
            _fail("--trace asks about a turn; leave the words out", 2)
        traced = bond.recall_trace(turn)
        return Answer(traced, lambda console: print_trace(console, traced))
    if query is None:
        _fail('say what is to be remembered: enishi recall "the exam", or --trace TURN', 2)
    seen_by = audience if audience in ("agent", "user") else audience.split(",")
    found = bond.recall(
        query, at=_at(at), budget=budget, within=within, items=items, audience=seen_by
    )
    if render is not None:
        block = found.render(render)
        return Answer({"block": block}, lambda console: terminal.say_all(console, block))
    shown = {**terminal.plain(found), "outcome": found.outcome}
    return Answer(shown, lambda console: print_recall(console, found, explain))


@_on_relationship(REMEMBERED)
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
            _fail("--stale asks about now and about what is current; leave --at and --all out", 2)
        found = bond.stale_beliefs()
        return Answer(found, lambda console: terminal.print_stale(console, found))
    all_of_them = bond.beliefs(at=_at(at))
    shown = [one for one in all_of_them if every or one.status == "current"]
    return Answer(shown, lambda console: terminal.print_beliefs(console, shown))


@_on_relationship(REMEMBERED)
def promises(bond: Relationship, at: AtOption = None) -> Answer:
    """Promises and open loops: what was promised by whom, what is due, how it ended."""
    given, loops = bond.promises(at=_at(at)), bond.loops(at=_at(at))
    found = {"promises": given, "loops": loops}
    return Answer(found, lambda console: terminal.print_promises(console, given, loops))


@_on_relationship(REMEMBERED)
def tensions(bond: Relationship, at: AtOption = None) -> Answer:
    """What replies have left between the two, and where each of it stands."""
    found = bond.tensions(at=_at(at))
    return Answer(found, lambda console: terminal.print_tensions(console, found))


@_on_relationship(REMEMBERED)
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
        if turn is None:
            _fail(f"{what} needs the number of a turn; `enishi log` lists them", 2)
        number = bond.split(turn) if what == "split" else bond.merge(turn)
        done = "begins an episode" if what == "split" else "goes on with the episode before it"
        undo = f"`enishi withdraw {number}` takes it back"
        return _done({"event": number, "turn": turn}, f"Turn {turn} {done}; {undo}.")
    if turn is not None or (what is not None and chapters):
        _fail("give one number, or --chapters, or split or merge with a turn", 2)
    if what is not None:
        if not (what.isdigit() and what.isascii() and len(what) < 20):
            _fail(f"{what!r} is no number of an episode, nor split or merge", 2)
        one = bond.episode(int(what))
        return Answer(one, lambda console: terminal.print_episode(console, one))
    if chapters:
        connected, hidden = _last(bond.chapters(), last)
        return Answer(
            connected, lambda console: terminal.print_chapters(console, connected, hidden)
        )
    found = bond.episodes(last=last or None)
    return Answer(found, lambda console: terminal.print_episodes(console, found))


# Decide


@_on_relationship(DECIDE)
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
        _fail("a model needs both --model URL and --name NAME", 2)
    proposers = _bundled() if model is None or name is None else (_model(model, name, key),)
    decided: list[Decided] = []
    with _progress("Reading") as progress:
        for proposer in proposers:
            report = partial(progress, f"texts by {proposer.name}")
            decided += bond.propose(turn, proposer, progress=report)
    return Answer(decided, lambda console: terminal.print_decisions(console, decided, 0))


@_on_relationship(DECIDE)
def decisions(
    bond: Relationship,
    verdict: Annotated[
        str | None,
        typer.Option(help="Only accepted, held or rejected ones; or the batches that failed."),
    ] = None,
    last: LastOption = 20,
) -> Answer:
    """List what was proposed and how the kernel answered, with its reasons."""
    if verdict not in (None, "accepted", "held", "rejected", "failed"):
        _fail(f"{verdict!r} is no verdict; there are: accepted, held, rejected, failed", 2)
    failed = bond.failures() if verdict in (None, "failed") else []
    if verdict == "failed":
        return Answer(failed, lambda console: terminal.print_failures(console, failed))
    wanted = [one for one in bond.decisions() if verdict in (None, one.verdict)]
    shown, hidden = _last(wanted, last)

    def printed(console: Console) -> None:
        terminal.print_decisions(console, shown, hidden)
        if failed:
            terminal.print_failures(console, failed)

    return Answer(shown, printed)


@_on_relationship(DECIDE)
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
            _fail("--release takes a number and nothing else", 2)
        event = bond.release(number)
        return _done({"released": number, "event": event}, f"Released; it became number {event}.")
    if word not in ("right", "wrong") and (word is not None or value is None):
        _fail("say right or wrong, or give a --value", 2)
    if word == "right" and value is not None:
        _fail("what is right has no other value; leave `right` out, or --value", 2)
    recorded = bond.correct(number, "right" if word == "right" else "wrong", value=value)
    done = {"number": number, "word": word, "value": value, "recorded": recorded}
    return _done(done, f"Recorded: {terminal.listed(recorded)}")


# Change, undoably


@_on_relationship(CHANGE)
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
        _fail("give either the new wording or --undo", 2)
    if content is None:
        text = bond.undo(number)
    else:
        text = bond.extend(number, content) if more else bond.edit(number, content)
    return Answer(text, lambda console: terminal.print_text(console, text))


@_on_relationship(CHANGE)
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
    return Answer(view, lambda console: terminal.print_turn(console, view, variants=True))


@_on_relationship(None, to=branch_app, name="list", branch=False)
def branch_list(bond: Relationship) -> Answer:
    """List the branches."""
    branches = bond.branches()
    return Answer(branches, lambda console: terminal.print_branches(console, branches))


@_on_relationship(None, to=branch_app, name="new")
def branch_new(
    bond: Relationship,
    name: str,
    after: Annotated[int | None, typer.Option(help="The turn after which it begins.")] = None,
) -> Answer:
    """Begin a branch after a turn (the tip, if none is named). The current one stays."""
    bond.fork(name, after)
    return _done({"branch": name}, f"Branch {name!r} begins; it becomes the current one with: "
                 f"enishi branch switch {name!r}")  # fmt: skip


@_on_relationship(None, to=branch_app, name="switch", branch=False)
def branch_switch(bond: Relationship, name: str) -> Answer:
    """Make a branch the current one."""
    bond.switch(name)
    return _done({"branch": name}, f"On branch {name!r} now.")


@_on_relationship(None, to=branch_app, name="back")
def branch_back(
    bond: Relationship,
    turn: Annotated[int, typer.Argument(help="The turn to end with; 0 for none.")],
) -> Answer:
    """End the branch after a turn. Later turns leave it, and come back the same way."""
    bond.back(turn or None)
    turns = bond.summary().turns
    return _done(
        {"tip": turn or None, "turns": turns},
        f"The branch has {terminal.several(turns, 'turn')} now.",
    )


@_on_relationship(None, to=branch_app, name="drop", branch=False)
def branch_drop(bond: Relationship, name: str) -> Answer:
    """Drop a branch. It can be restored by its number."""
    number = bond.drop(name)
    message = f"Branch {name!r} is dropped; it comes back with: enishi restore {number}"
    return _done({"dropped": name, "number": number}, message)


@_on_relationship(None, to=branch_app, name="diff", branch=False)
def branch_diff(bond: Relationship, first: str, second: str) -> Answer:
    """Compare two branches: what they share, what each has of its own, where each stands."""
    shared, own = bond.compare(first, second)
    rapports = {name: bond.on(name).rapport() for name in (first, second)}

    def tell(console: Console) -> None:
        terminal.say(console, f"{terminal.several(shared, 'turn')} in common")
        for name, rapport in rapports.items():
            terminal.say(
                console, f"\n{name}: {terminal.several(own[name], 'turn')} of its own", "bold"
            )
            terminal.print_rapport(console, rapport)

    return Answer({"shared": shared, "own": own, "rapport": rapports}, tell)


app.add_typer(branch_app, name="branch", rich_help_panel=CHANGE)


@_on_relationship(CHANGE)
def withdraw(
    bond: Relationship,
    numbers: Annotated[list[int], typer.Argument(help="Events, texts or whole turns.")],
) -> Answer:
    """Let events, texts or whole turns count for nothing. Can be undone: see restore."""
    bond.withdraw(*numbers)
    return _done({"withdrawn": numbers}, f"Withdrawn: {terminal.listed(numbers)}")


@_on_relationship(CHANGE)
def restore(
    bond: Relationship,
    numbers: Annotated[
        list[int] | None, typer.Argument(help="What was withdrawn, or a dropped branch.")
    ] = None,
) -> Answer:
    """Let what was withdrawn count again; without numbers, bring back what was archived."""
    bond.restore(*numbers or ())
    told = f"Restored: {terminal.listed(numbers)}" if numbers else "It is back in sight."
    return _done({"restored": numbers or []}, told)


# Forget


@app.command(rich_help_panel=FORGET)
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
    from enishi.packs.erasure_told import print_plan, print_receipt

    chosen = (numbers, through, since, until, belief, matching)
    with _opened(store) as opened:
        if sign:
            opened.own_key()  # what cannot be signed is not erased first
        if again is not None or everything:
            if (again is not None and everything) or any(one is not None for one in chosen):
                _fail("--everything and --again stand alone", 2)
            if plan:
                return _plan_all(opened, agent, user, again, as_json)
            receipt = _erase_all(opened, agent, user, again, yes)
        else:
            bond = _bond(opened, agent, user, branch)
            made = bond.plan_erasure(
                *numbers or (),
                through=through,
                since=_at(since),
                until=_at(until),
                belief=belief,
                matching=matching,
                keep_effects=keep_effects,
            )
            if plan or not (yes or as_json):
                if plan and as_json:
                    _print_json(made)
                else:
                    print_plan(_console_for(store), made)
            if plan:
                return
            _confirm(f"erase {len(made.numbers)} payloads of {bond.agent} and {bond.user}", yes)
            receipt = bond.erase(made, copies=copies)
        if sign:
            receipt = opened.sign(receipt)
    if as_json:
        _print_json(receipt.model_dump(mode="json"))
    else:
        print_receipt(_console(), receipt)


def _plan_all(
    opened: Store, agent: str | None, user: str | None, again: Path | None, as_json: bool
) -> None:
    from enishi.packs.erasure_told import print_shares

    if again is not None:
        _fail("--again has no --plan: the receipt says what was erased", 2)
    if agent is None and user is None:
        bond = _bond(opened, None, None, None)
        agent, user = bond.agent, bond.user
    shares = opened.plan_erasure(user=user, agent=agent)
    if as_json:
        _print_json([share._asdict() for share in shares])
    else:
        print_shares(_console_for(opened.path), shares)


def _erase_all(
    opened: Store, agent: str | None, user: str | None, again: Path | None, yes: bool
) -> Receipt:
    if again is not None:
        from enishi.host import read_file

        _confirm(f"erase in {opened.path} what {again} says", yes)
        try:
            plain = json.loads(read_file(again))
        except ValueError:
            _fail(f"{again} is no receipt of an erasure: it is no JSON")
        return opened.erase_again(plain)
    if user is not None and agent is None:
        _confirm(f"erase all relationships of the user {user!r}", yes)
        return opened.erase_user(user)
    if agent is not None and user is None:
        _confirm(f"erase all relationships of the agent {agent!r}", yes)
        return opened.erase_agent(agent)
    bond = _bond(opened, agent, user, None)
    _confirm(f"erase the relationship of {bond.agent!r} and {bond.user!r}", yes)
    return bond.erase_relationship()


def _confirm(what: str, yes: bool) -> None:
    """Go on only if the person types the word; machines say --yes."""
    if yes:
        return
    print(f"To {what} for good, type: erase", file=sys.stderr)
    if sys.stdin.readline().strip() != "erase":
        _fail("nothing was erased: it was not confirmed (for a program: --yes)")


@_on_relationship(FORGET, branch=False)
def archive(bond: Relationship) -> Answer:
    """Take the relationship out of sight of `list`; nothing about it changes."""
    bond.archive()
    told = f"{bond.agent} and {bond.user}: out of sight; bring it back with: enishi restore"
    return _done({"archived": True}, told)


# Care


@app.command(rich_help_panel=CARE)
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
            _fail("--receipt stands alone, but for --signer and --store", 2)
        return _verify_receipt(store, receipt, signer, as_json)
    if signer is not None:
        _fail("--signer is for a receipt; name it with --receipt", 2)
    with _opened(store) as opened:
        every = tip is None
        bonds = _bonds(opened, agent, user, every) if every else [_bond(opened, agent, user, None)]
        found = _verified(bonds, tip)
        stray = opened.stray()
    if as_json:
        listed = [
            {"agent": bond.agent, "user": bond.user, "ok": one.ok, **terminal.plain(one)}
            for bond, one in found
        ]
        nobody = {"agent": None, "user": None, "ok": False, "problems": terminal.plain(stray)}
        _print_json([*listed, nobody] if stray else listed)
    else:
        terminal.print_verifications(_console_for(store), found, stray)
    if stray or not all(one.ok for _, one in found):
        raise typer.Exit(1)


def _verify_receipt(path: Path, file: Path, signer: str | None, as_json: bool) -> None:
    from enishi.host import prove, read_file
    from enishi.packs.erasure_told import print_proof

    text = read_file(file).decode("utf-8", "replace")
    known: dict[str, str] = {}
    if path.exists():
        with _opened(path) as opened:
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
        _print_json(plain)
    else:
        print_proof(_console(), proof, name)
    if proof.problems:
        raise typer.Exit(1)


@_on_relationship(CARE)
def replay(bond: Relationship) -> Answer:
    """Fold everything from zero, and compare with what is kept."""
    anew, kept = bond.replay(), bond.digests()

    def tell(console: Console) -> None:
        for name, digest in anew.items():
            equal = "equals" if kept[name] == digest else "DIFFERS from"
            terminal.say(console, f"{name}  {digest}  {equal} what is kept")

    failure = None if anew == kept else "the kept state differs from a replay; run: enishi rebuild"
    return Answer({"replayed": anew, "kept": kept, "equal": anew == kept}, tell, failure)


@app.command(rich_help_panel=CARE)
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
    with _opened(store, embedder=meaning) as opened, _progress("Rebuilding") as progress:
        bonds = _bonds(opened, agent, user)
        rebuilt: list[dict[str, Any]] = []
        for place, bond in enumerate(bonds, start=1):
            rebuilt.append({"agent": bond.agent, "user": bond.user, "digests": bond.rebuild()})
            if vectors:
                made = bond.embed(anew=True, progress=partial(progress, f"{bond.agent}'s vectors"))
                rebuilt[-1]["vectors"] = made
            progress("relationships", place, len(bonds))
    if as_json:
        _print_json(rebuilt)
        return
    console = _console_for(store)
    for one in rebuilt:
        terminal.say(console, f"{one['agent']} and {one['user']}", "bold")
        for name, digest in one["digests"].items():
            terminal.say(console, f"  {name}  {digest}")
        if "vectors" in one:
            made = one["vectors"]
            terminal.say(console, f"  {made.models.get(made.model, 0)} vectors of {made.model}")


@_on_relationship(CARE, branch=False)
def rebind(
    bond: Relationship,
    party: Annotated[str, typer.Argument(help="agent or user.")],
    new: Annotated[str, typer.Argument(metavar="ID", help="The id from now on.")],
) -> Answer:
    """Give the agent or the user another id, as when a platform renamed its users."""
    bond.rebind(_party(party), new)
    value = {"agent": bond.agent, "user": bond.user}
    return _done(value, f"This is the relationship of {bond.agent} and {bond.user} from now on.")


@keys_app.command("list")
def keys_list(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Print the key of this store, and whose signatures it believes."""
    with _opened(store) as opened:
        opened.own_key()
        known = opened.signers()
    if as_json:
        _print_json(known)
        return
    terminal.print_keys(_console_for(store), known)


@keys_app.command("add")
def keys_add(
    key: Annotated[str, typer.Argument(help="The other store's key: 64 hexadecimal digits.")],
    name: Annotated[str, typer.Argument(help="Whose it is.")],
    store: StoreOption = DEFAULT_STORE,
    keyed: KeyedOption = False,
) -> None:
    """Believe what is signed with a key: its packs may erase what they erased there."""
    from enishi.kernel.checks import check_id, read_hash

    read_hash(key, "a signer's key")
    check_id(name, "a signer's name")
    with _opened(store, True, keyed) as opened:
        opened.believe(key, name)
    terminal.say(_console_for(store), f"What {name} signs is believed from now on.")


@keys_app.command("remove")
def keys_remove(
    key: Annotated[str, typer.Argument(help="A key that was added.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Believe a key no more."""
    with _opened(store) as opened:
        opened.disbelieve(key)
    terminal.say(_console_for(store), "What it signs is not believed any more.")


@keys_app.command("new")
def keys_new(
    file: Annotated[Path, typer.Argument(help="Where the secret half goes; keep it safe.")],
) -> None:
    """Make an age key: packs written with `export --to` its public half open with the file alone."""
    from enishi.packs.sealing import new_identity

    secret, public = new_identity()
    if file.exists():
        _fail(f"{file} exists; choose another name")
    file.touch(mode=0o600)
    file.write_text(f"# public key: {public}\n{secret}\n", "utf-8")
    terminal.say(_console(), public)


app.add_typer(keys_app, name="keys", rich_help_panel=CARE)


@app.command(rich_help_panel=CARE)
def doctor(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Look at the file, the program and the SQLite beneath it, and say what to know about them."""
    import platform

    from enishi import __version__

    with _opened(store) as opened:
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
        _print_json({**facts, "known_faults": found.known_faults, "problems": found.problems})
    else:
        console = _console()
        for name, value in facts.items():
            terminal.say(console, f"{name:14} {value}")
        for fault in found.known_faults:
            terminal.say(console, f"SQLite {found.sqlite}: {fault}", "yellow")
        if pending:
            lines = ", ".join(
                f"tombstone {number} of line {line}" if line else "the whole store"
                for line, number in pending
            )
            terminal.say(
                console, f"scrub pending: {lines}; somebody else reads the store", "yellow"
            )
        for problem in found.problems:
            terminal.say(console, f"problem: {problem}", "bold red")
        if not found.problems:
            terminal.say(console, "The file is whole; `enishi verify` checks what stands in it.")
    if found.problems:
        raise typer.Exit(1)


# Choosing


@contextmanager
def _opened(
    path: Path, create: bool = False, keyed: bool = False, embedder: str = "none"
) -> Iterator[Store]:
    from enishi.host import open_store

    with open_store(path, create=create, keyed=keyed, embedder=embedder) as store:
        yield store


def _bonds(
    store: Store, agent: str | None, user: str | None, every: bool = False
) -> list[Relationship]:
    """The relationships of these two; those out of sight too where `every` one or one is named."""
    named = every or agent is not None or user is not None
    found = [
        bond
        for bond in store.relationships(archived=None if named else False)
        if agent in (None, bond.agent) and user in (None, bond.user)
    ]
    if not found:
        wanted = " and ".join(repr(one) for one in (agent, user) if one is not None)
        if wanted:
            _fail(f"{store.path} has no relationship of {wanted}; see: enishi list")
        _fail(f"{store.path} is empty; start with: enishi import CHAT")
    return found


def _bond(store: Store, agent: str | None, user: str | None, branch: str | None) -> Relationship:
    found = _bonds(store, agent, user)
    if len(found) > 1:
        first = found[0]
        _fail(
            f"{store.path} has {len(found)} such relationships; choose one, for example: "
            f"--agent {first.agent!r} --user {first.user!r}",
            2,
        )
    return found[0] if branch is None else found[0].on(branch)


def _bond_for_card(store: Store, agent: str, user: str | None) -> Relationship:
    if user is not None:
        return store.relationship(agent, user)
    known = [bond for bond in store.relationships() if bond.agent == agent]
    if len(known) != 1:
        _fail(f"a card belongs to a relationship: whose is {agent!r}? Name the user with --user", 2)
    return known[0]


def _check_import(
    data: dict[Path, bytes], chats: list[Path], agent: str | None, user: str | None, zone: str
) -> None:
    from enishi.kernel.checks import check_id
    from enishi.packs.dates import read_zone
    from enishi.packs.readers import read_chats

    for party, what in ((agent, "the agent"), (user, "the user")):
        if party is not None:
            check_id(party, what)
    place = read_zone(zone)
    for path in chats:
        read_chats(path.name, data[path], place)


def _party(text: str, what: str = "a party") -> Literal["agent", "user"]:
    if text == "agent":
        return "agent"
    if text == "user":
        return "user"
    _fail(f"{what} is agent or user, not {text!r}")


def _is_pack(path: Path) -> bool:
    from enishi.packs.pack_files import is_pack

    try:
        with path.open("rb") as file:
            return is_pack(file.read(128))
    except OSError:
        return False  # whoever reads it whole says what is wrong with it


def _inspected(path: Path, unlock: dict[str, Any], signer: str | None = None) -> Any:
    from enishi.kernel.checks import read_hash
    from enishi.packs.pack_files import inspect_pack

    wanted = None if signer is None else read_hash(signer, "a signer's key")
    return inspect_pack(path, **unlock, wanted=wanted)


def _fail_if_forged(name: str, found: Any) -> None:
    if found.signature == "wrong":
        _fail(f"the signature of {name} does not fit what it signs")


def _unlock(key: Path | None, passphrase: bool) -> dict[str, Any]:
    """What opens an encrypted pack: the key in a file, as `age-keygen` writes it, or a passphrase."""
    if key is not None:
        from enishi.host import read_file

        lines = read_file(key).decode("utf-8", "replace").split()
        secret = next((line for line in lines if line.startswith("AGE-SECRET-KEY-")), None)
        if secret is None:
            _fail(f"{key} holds no age identity (AGE-SECRET-KEY-1…)")
        return {"identity": secret}
    return {"passphrase": _passphrase()} if passphrase else {}


def _passphrase(confirm: bool = False) -> str:
    """The passphrase in ENISHI_PASSPHRASE, else what is typed."""
    given = os.environ.get("ENISHI_PASSPHRASE")
    return given or typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)


def _is_card(path: Path, data: bytes) -> bool:
    from enishi.packs.cards import is_card

    return path.suffix.lower() in (".png", ".apng") or is_card(path.name, data)


def _value_named(about: str) -> tuple[str, Any]:
    """The projection that is asked about, and which of its values; None for all of them."""
    from enishi.projections.mood import FEELINGS
    from enishi.projections.policy import DIMENSIONS

    known: dict[str, tuple[str, ...]] = {"rapport": DIMENSIONS, "mood": FEELINGS}
    projection, dot, value = about.partition(".")
    if projection not in known or (dot and value not in known[projection]):
        names = [f"{one}.{value}" for one, values in known.items() for value in values]
        _fail(
            f"{about!r} cannot be explained; there are: {', '.join([*known, *names])}, and numbers",
            2,
        )
    return projection, value or None


def _at(text: str | None) -> datetime | None:
    from enishi.kernel.moments import parse_moment

    return None if text is None else parse_moment(text).to_datetime()


def _bundled() -> tuple[Proposer, ...]:
    from enishi.kernel.rules import bundled_proposers

    return bundled_proposers()


def _model(url: str, name: str, key: str | None) -> Proposer:
    from enishi.packs.model_proposer import ModelProposer

    return ModelProposer(url, name, key=key)


def _read_policy(path: Path) -> dict[str, Any]:
    import tomllib

    from enishi.host import read_file

    try:
        return tomllib.loads(read_file(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        _fail(f"{path} is no TOML file: {error}")


# Answering


def _console() -> Console:
    from rich.console import Console

    return Console()


def _console_for(store: Path) -> Console:
    console = _console()
    if store == DEFAULT_STORE:
        console.print(f"store: {store}", style="dim", highlight=False)
    return console


def _print_json(value: Any) -> None:
    print(json.dumps(terminal.plain(value), ensure_ascii=False, indent=2))


def _done(value: Any, message: str) -> Answer:
    return Answer(value, lambda console: terminal.say(console, message))


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


def _verified(
    bonds: list[Relationship], tip: str | None
) -> list[tuple[Relationship, Verification]]:
    found = []
    with _progress("Verifying") as progress:
        for bond in bonds:
            # Nothing else is asked before: what is damaged must reach `verify`.
            report = partial(progress, f"{bond.agent} and {bond.user}", total=None)
            found.append((bond, bond.verify(tip=tip, progress=report)))
    return found


def _last(rows: list[T], count: int) -> tuple[list[T], int]:
    """The last rows (0: all), and how many come before them."""
    shown = rows[-count:] if count else rows
    return shown, len(rows) - len(shown)


@contextmanager
def _progress(verb: str) -> Iterator[Callable[..., None]]:
    """A bar on the error stream where a person is looking; silent elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    watched = sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=not watched) as bars:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(f"{verb} {what}", total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield report


# Running


def _fail(message: str, status: int = 1) -> NoReturn:
    print(f"enishi: {message}", file=sys.stderr)
    raise typer.Exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; what is wrong is one line on stderr."""
    status = 0
    try:
        if (sys.argv[1:] if arguments is None else arguments) == ["--version"]:
            # Who asks for this alone does not wait until all commands are made.
            _version(True)
        status = app(arguments, prog_name="enishi", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.Exit as exit_:
        status = exit_.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = 130
    except (BrokenPipeError, SystemExit):
        # Whoever was reading has seen enough (rich and typer make a SystemExit of it); a flush at
        # exit must not complain about it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if "ENISHI_TRACEBACK" in os.environ:
            raise
        status = getattr(error, "exit_code", 1)
        if message := _message_of(error):
            print(f"enishi: {message}", file=sys.stderr)
    if status == 130:
        print("enishi: stopped", file=sys.stderr)
    return status


def _message_of(error: Exception) -> str:
    """One line for a person; empty where help was printed instead."""
    from enishi.kernel.errors import EnishiError

    if hasattr(error, "format_message"):  # a usage error of the command line library
        message = error.format_message()
        return " ".join(f"{message} See: enishi --help".split()) if message else ""
    if isinstance(error, EnishiError | OSError):
        return " ".join(str(error).split())
    fault = " ".join(f"{type(error).__name__}: {error}".split())
    return f"a fault of the program ({fault}); with ENISHI_TRACEBACK=1 it says where"


def main() -> NoReturn:
    """The `enishi` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal's narrow encoding must not stop it
    sys.exit(run())


if __name__ == "__main__":
    main()
