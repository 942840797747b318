"""Start, and carry a relationship in or out: demo, import, export, inspect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from enishi.host.commands.answering import (
    Answer,
    asked_passphrase,
    console_for,
    did,
    fail,
    plain_console,
    print_json,
    progress_bar,
)
from enishi.host.commands.choosing import (
    moment,
    on_relationship,
    opened_store,
    party_named,
    unlocking,
)
from enishi.host.commands.options import (
    DEFAULT_STORE,
    EmbedderOption,
    JsonOption,
    KeyedOption,
    KeyOption,
    PassphraseOption,
    StoreOption,
)
from enishi.packs import showing

if TYPE_CHECKING:
    from enishi.host import Relationship, Store
    from enishi.packs.chats.cards import Card

PANEL = "Start, carry"

app = typer.Typer()


@app.command(rich_help_panel=PANEL)
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
        print_json(
            {
                "store": str(place / HOME),
                "verdict": report.verdict(),
                **showing.terminal.plain(report),
            }
        )
    else:
        console = plain_console()
        showing.carried.print_demo(console, report)
        showing.terminal.say(console, f"Read it as a page: {place / REPORTS[-1]}")
        showing.terminal.say(console, f"Look around: enishi log --store {place / ELSEWHERE}")
        showing.terminal.say(console, "Then take in a chat of your own: enishi import CHAT")
    if report.failed:
        fail(f"not everything held: {', '.join(report.failed)}")


@app.command("import", rich_help_panel=PANEL)
def import_(
    files: Annotated[list[Path], typer.Argument(help="Chats, character cards, packs.")],
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
    from enishi.packs.chats.cards import read_card
    from enishi.packs.erii.reading import is_erii, read_erii

    ours = [path for path in files if _is_pack(path)]
    if dry_run and len(ours) < len(files):
        fail("--dry-run is for packs alone")
    data = {path: read_file(path) for path in files if path not in ours}
    files = list(data)
    unlock = unlocking(key, passphrase and bool(ours))
    packs = [path for path in files if is_erii(data[path])]
    for path in packs:
        read_erii(path.name, data[path])
    others = [path for path in files if path not in packs]
    cards = {
        path: read_card(path.name, data[path]) for path in others if _is_card(path, data[path])
    }
    chats = [path for path in others if path not in cards]
    # Nothing is recorded, and no store is made, beside a file that cannot be taken in.
    _check_import(data, chats, agent, user, zone)
    if not store.exists():
        for path in ours:
            found = _inspected(path, unlock, signer)
            _fail_if_forged(path.name, found)
    create = bool(chats or packs or ours) or user is not None
    with (
        _kept_at(store, dry_run) as place,
        opened_store(place, create, keyed, embedder) as opened,
        progress_bar("Taking in") as progress,
    ):
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
        # Whose a card is may only be known when the chats are in; if it is not, they are not either.
        with opened.transaction() if cards else nullcontext():
            reports = opened.import_chats(
                chats,
                agent=agent,
                user=user,
                zone=zone,
                personas=persona or (),
                propose=not no_propose,
                progress=progress,
            )
            adopted = [_adopt(opened, path.name, card, agent, user) for path, card in cards.items()]
        unmade = None if dry_run else _embed(opened, progress)
    if as_json:
        print_json(
            {
                "store": str(store),
                "packs": carried,
                "erii": taken,
                "chats": reports,
                "cards": adopted,
            }
        )
        return
    console = console_for(store)
    showing.carried.print_carried(console, [path.name for path in ours], carried, dry_run)
    showing.carried.print_erii(console, taken)
    showing.carried.print_imports(console, reports, adopted)
    if unmade is not None:
        showing.terminal.say(console, f"{unmade}; later: enishi rebuild --vectors", "yellow")
    if zone == "UTC" and any(report.turns for report in reports):
        showing.terminal.say(
            console, "Dates that name no zone were read as UTC; --zone names another."
        )


@contextmanager
def _kept_at(store: Path, dry_run: bool) -> Iterator[Path]:
    """Where the store is opened: a dry run leaves none behind where there was none."""
    from tempfile import TemporaryDirectory

    if store.exists() or not dry_run:
        yield store
    else:
        with TemporaryDirectory() as folder:
            yield Path(folder) / store.name


def _check_import(
    data: dict[Path, bytes], chats: list[Path], agent: str | None, user: str | None, zone: str
) -> None:
    from enishi.kernel.checks import check_id
    from enishi.packs.chats.dates import read_zone
    from enishi.packs.chats.readers import read_chats

    for party, what in ((agent, "the agent"), (user, "the user")):
        if party is not None:
            check_id(party, what)
    place = read_zone(zone)
    for path in chats:
        read_chats(path.name, data[path], place)


def _embed(store: Store, progress: Callable[..., None]) -> str | None:
    """Make the vectors that are missing, where they are kept. Returns why they could not be made."""
    from enishi.kernel.errors import EmbedderFailed

    try:
        for bond in store.relationships() if store.embedder and not store.keyed else ():
            bond.embed(progress=partial(progress, f"the meaning of {bond.agent} and {bond.user}"))
    except EmbedderFailed as error:
        return str(error)  # what was taken in is in, and found by its words
    return None


def _adopt(
    store: Store, file: str, card: Card, agent: str | None, user: str | None
) -> dict[str, Any]:
    """Let a relationship be played from a card. Returns what is told of it."""
    from enishi.packs.chats.cast import fit_id

    bond = _bond_for_card(store, agent or fit_id(card.name), user)
    bond.adopt_blueprint(card)
    return {
        "file": file,
        "agent": bond.agent,
        "user": bond.user,
        "spec": card.spec,
        "notes": card.notes,
    }


def _bond_for_card(store: Store, agent: str, user: str | None) -> Relationship:
    if user is not None:
        return store.relationship(agent, user)
    known = [bond for bond in store.relationships() if bond.agent == agent]
    if len(known) != 1:
        fail(f"a card belongs to a relationship: whose is {agent!r}? Name the user with --user", 2)
    return known[0]


class OutFormat(StrEnum):
    """What `export` writes."""

    erii = "erii"
    sillytavern = "sillytavern"
    jsonl = "jsonl"
    memoir = "memoir"


@on_relationship(app, PANEL)
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
    seen_by = None if audience is None else party_named(audience, "an audience")
    if format is not OutFormat.erii:
        if to is not None or passphrase or until is not None or withhold:
            fail("--to, --passphrase, --until and --withhold are for packs (--format erii)", 2)
        return _export_text(bond, file, format, seen_by)
    stop = int(until) if until is not None and until.isdigit() else moment(until)
    with progress_bar("Writing") as progress:
        path = file or _named_after(bond, ".erii")
        exported = bond.export(
            path,
            recipient=to,
            passphrase=asked_passphrase(confirm=True) if passphrase else None,
            until=stop,
            withhold=withhold or (),
            audience=seen_by,
            progress=partial(progress, path.name),
        )
    return Answer(exported, lambda console: showing.carried.print_exported(console, exported))


def _export_text(
    bond: Relationship,
    file: Path | None,
    format: OutFormat,
    audience: Literal["agent", "user"] | None,
) -> Answer:
    path = file or _named_after(bond, ".md" if format is OutFormat.memoir else ".jsonl")
    if format is OutFormat.memoir:
        bond.export_memoir(path, audience or "user")
        return did({"path": str(path)}, f"{path} tells of {bond.agent} and {bond.user}.")
    if audience is not None:
        fail("--audience is for packs and memoirs; a chat has no thoughts of the agent's", 2)
    lines = bond.export_chat(path, "sillytavern" if format is OutFormat.sillytavern else "jsonl")
    return did({"path": str(path), "lines": lines}, f"{path}: {lines} lines")


def _named_after(bond: Relationship, ending: str) -> Path:
    return Path("-".join(re.sub(r"\W+", "_", party) for party in (bond.agent, bond.user)) + ending)


@app.command("inspect", rich_help_panel=PANEL)
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
    unlock = unlocking(key, passphrase)
    found, taken = _inspected(file, unlock), None
    if against is not None:
        with opened_store(against) as opened:
            taken = opened.import_pack(
                file, **unlock, as_branch="(other)", accept_erasures=True, dry_run=True
            )
    if as_json:
        print_json({"pack": found, "against": taken})
        return
    console = plain_console()
    showing.carried.print_inspected(console, file.name, found)
    if taken is not None:
        showing.carried.print_carried(console, [file.name], [taken], dry_run=True)
    _fail_if_forged(file.name, found)


def _inspected(path: Path, unlock: dict[str, Any], signer: str | None = None) -> Any:
    from enishi.kernel.checks import read_hash
    from enishi.packs.memorypack.pack_files import inspect_pack

    wanted = None if signer is None else read_hash(signer, "a signer's key")
    return inspect_pack(path, **unlock, wanted=wanted)


def _fail_if_forged(name: str, found: Any) -> None:
    if found.signature == "wrong":
        fail(f"the signature of {name} does not fit what it signs")


def _is_pack(path: Path) -> bool:
    from enishi.packs.memorypack.pack_files import is_pack

    try:
        with path.open("rb") as file:
            return is_pack(file.read(128))
    except OSError:
        return False  # whoever reads it whole says what is wrong with it


def _is_card(path: Path, data: bytes) -> bool:
    from enishi.packs.chats.cards import is_card

    return path.suffix.lower() in (".png", ".apng") or is_card(path.name, data)
