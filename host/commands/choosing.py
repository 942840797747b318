"""Which store, relationship, branch and moment a command is about."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from enishi.host.commands.answering import Answer, asked_passphrase, console_for, fail, print_json
from enishi.host.commands.options import (
    DEFAULT_STORE,
    AgentOption,
    BranchOption,
    JsonOption,
    StoreOption,
    UserOption,
)
from enishi.packs import showing

if TYPE_CHECKING:
    from rich.console import Console

    from enishi.host import Relationship, Store


_COMMON = (
    ("store", StoreOption, DEFAULT_STORE),
    ("agent", AgentOption, None),
    ("user", UserOption, None),
    ("branch", BranchOption, None),
    ("as_json", JsonOption, False),
)


def on_relationship(
    app: typer.Typer, panel: str | None = None, *, name: str | None = None, branch: bool = True
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a command of a function that takes a relationship and returns an Answer.

    The command has the options that choose store, relationship and branch, and `--json`.
    """
    common = [option for option in _COMMON if branch or option[0] != "branch"]

    def register(function: Callable[..., Answer]) -> Callable[..., Answer]:
        # The class itself is not loaded for the sake of an annotation: help has to be quick.
        known = {"Relationship": Any}
        own = inspect.signature(function, locals=known, eval_str=True).parameters

        def command(**given: Any) -> None:
            store, as_json = given.pop("store"), given.pop("as_json")
            chosen = [given.pop(key, None) for key in ("agent", "user", "branch")]
            with opened_store(store, embedder=given.get("embedder", "none")) as opened:
                answer = function(bond_of(opened, *chosen), **given)
                if as_json:
                    print_json(answer.value)
                else:
                    answer.tell(console_for(store))
                if answer.failure is not None:
                    fail(answer.failure)

        parameters = list(own.values())[1:] + [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for key, kind, default in common
        ]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__doc__ = function.__doc__
        command_name = name or function.__name__
        app.command(command_name, rich_help_panel=panel)(command)
        return function

    return register


@contextmanager
def opened_store(
    path: Path, create: bool = False, keyed: bool = False, embedder: str = "none"
) -> Iterator[Store]:
    """The store at a path, closed at the end."""
    from enishi.host import open_store

    with open_store(path, create=create, keyed=keyed, embedder=embedder) as store:
        yield store


def bonds_of(
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
            fail(f"{store.path} has no relationship of {wanted}; see: enishi list")
        if hidden := store.relationships(archived=True):
            who = f"--agent {hidden[0].agent!r} --user {hidden[0].user!r}"
            fail(f"all in {store.path} is out of sight; name what you mean, for example: {who}")
        fail(f"{store.path} is empty; start with: enishi import CHAT")
    return found


def bond_of(store: Store, agent: str | None, user: str | None, branch: str | None) -> Relationship:
    """The one relationship that is meant, or a line that says how to choose."""
    found = bonds_of(store, agent, user)
    if len(found) > 1:
        first = found[0]
        fail(
            f"{store.path} has {len(found)} such relationships; choose one, for example: "
            f"--agent {first.agent!r} --user {first.user!r}",
            2,
        )
    return found[0] if branch is None else found[0].on(branch)


def party_named(text: str, what: str = "a party") -> Literal["agent", "user"]:
    """`agent` or `user`, or a line that says that it is neither."""
    if text == "agent":
        return "agent"
    if text == "user":
        return "user"
    fail(f"{what} is agent or user, not {text!r}")


def moment(text: str | None) -> datetime | None:
    """The time in an option, if one was given. A naive time is refused."""
    from enishi.kernel.moments import parse_moment

    return None if text is None else parse_moment(text).to_datetime()


def of_then(
    bond: Relationship, answer: Answer, at: str | None, as_lived: str | None = None
) -> Answer:
    """An answer about an earlier time, which says how much of that time has been erased since."""
    if at is None and as_lived is None:
        return answer
    erased = bond.erased_then(at=moment(at), as_lived=moment(as_lived))

    def tell(console: Console) -> None:
        answer.tell(console)
        if erased:
            one, more = "record of that time has", "records of that time have"
            had = showing.terminal.several(erased, one, more)
            showing.terminal.say(console, f"{had} been erased since", "yellow")

    return answer._replace(tell=tell)


def unlocking(key: Path | None, passphrase: bool) -> dict[str, Any]:
    """What opens an encrypted pack: the key in a file, as `age-keygen` writes it, or a passphrase."""
    if key is not None:
        from enishi.host import read_file

        lines = read_file(key).decode("utf-8", "replace").split()
        secret = next((line for line in lines if line.startswith("AGE-SECRET-KEY-")), None)
        if secret is None:
            fail(f"{key} holds no age identity (AGE-SECRET-KEY-1…)")
        return {"identity": secret}
    return {"passphrase": asked_passphrase()} if passphrase else {}
