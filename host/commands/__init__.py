"""The commands of `enishi`, a module for each panel of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from enishi.host.commands import branches, care, carry, change, decide, forget, keys, look, remember

app = typer.Typer(
    name="enishi",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Start with: enishi demo, then enishi import CHAT\n\n"
    "Enishi keeps the history between one character and one user, and everything that follows "
    "from it.",
)


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


for panel in (carry, look, remember, decide, change):
    app.add_typer(panel.app)
app.add_typer(branches.app, name="branch", rich_help_panel=change.PANEL)
for panel in (forget, care):
    app.add_typer(panel.app)
app.add_typer(keys.app, name="keys", rich_help_panel=care.PANEL)
