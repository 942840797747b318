"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
