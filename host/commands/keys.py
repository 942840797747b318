"""`enishi keys`: the key of a store, the signers that it believes, keys for encrypted packs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from enishi.host.commands.answering import console_for, fail, plain_console, print_json
from enishi.host.commands.choosing import opened_store
from enishi.host.commands.options import DEFAULT_STORE, JsonOption, KeyedOption, StoreOption
from enishi.packs import showing

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="The key of this store, the signers that it believes, and keys for encrypted packs.",
)


@app.command("list")
def keys_list(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Print the key of this store, and whose signatures it believes."""
    with opened_store(store) as opened:
        opened.own_key()
        known = opened.signers()
    if as_json:
        print_json(known)
        return
    showing.checked.print_keys(console_for(store), known)


@app.command("add")
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
    with opened_store(store, True, keyed) as opened:
        opened.believe(key, name)
    showing.terminal.say(console_for(store), f"What {name} signs is believed from now on.")


@app.command("remove")
def keys_remove(
    key: Annotated[str, typer.Argument(help="A key that was added.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Believe a key no more."""
    with opened_store(store) as opened:
        opened.disbelieve(key)
    showing.terminal.say(console_for(store), "What it signs is not believed any more.")


@app.command("new")
def keys_new(
    file: Annotated[Path, typer.Argument(help="Where the secret half goes; keep it safe.")],
) -> None:
    """Make an age key: packs written with `export --to` its public half open with the file alone."""
    from enishi.packs.memorypack.sealing import new_identity

    secret, public = new_identity()
    if file.exists():
        fail(f"{file} exists; choose another name")
    file.touch(mode=0o600)
    file.write_text(f"# public key: {public}\n{secret}\n", "utf-8")
    showing.terminal.say(plain_console(), public)
