"""Encrypted packs: a whole pack as a standard age file, which the `age` tool opens as well.

For somebody's public key (`age1…`) by the package `pyrage`, for a passphrase by `age_passphrase`;
the extra `crypto` brings what both need. Either way a pack is streamed, whatever its size.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any, BinaryIO, cast

from enishi.kernel.errors import InvalidInput, MissingExtra, PackDamaged, WrongKey
from enishi.packs.memorypack import age_passphrase
from enishi.packs.memorypack.age_passphrase import AGE


def is_encrypted(start: bytes) -> bool:
    """Whether these first bytes of a file are those of an age file."""
    return start.startswith(AGE)


@contextmanager
def encrypting(out: BinaryIO, recipient: str | None, passphrase: str | None) -> Iterator[BinaryIO]:
    """Gives a file to write to; what is written comes out encrypted, if either is given."""
    if passphrase is not None:
        sealed = age_passphrase.Encrypting(out, passphrase)
        yield cast(BinaryIO, sealed)  # nothing but `write` is asked of it
        sealed.end()
    elif recipient is not None:
        pyrage = _pyrage()
        try:
            to = pyrage.x25519.Recipient.from_str(recipient)
        except pyrage.RecipientError:
            raise InvalidInput(f"{recipient!r} is no age public key (age1…)") from None
        with _beside(lambda source: pyrage.encrypt_io(source, out, [to]), reads=True) as inside:
            yield inside
    else:
        yield out


@contextmanager
def decrypting(
    source: BinaryIO, name: str, identity: str | None, passphrase: str | None
) -> Iterator[BinaryIO]:
    """Gives a file to read from; what is read was decrypted. A key that does not fit is WrongKey."""
    if passphrase is not None:
        yield BufferedReader(age_passphrase.Decrypting(source, name, passphrase))
        return
    pyrage = _pyrage()
    try:
        if identity is not None:
            try:
                key = pyrage.x25519.Identity.from_str(identity)
            except pyrage.IdentityError:
                raise InvalidInput("this is no age identity (AGE-SECRET-KEY-1…)") from None
            with _beside(
                lambda sink: pyrage.decrypt_io(source, sink, [key]), reads=False
            ) as inside:
                yield inside
        else:
            raise WrongKey(f"{name} is encrypted; give the key or the passphrase that opens it")
    except (pyrage.DecryptError, _Undecrypted) as error:
        if any(words in str(error) for words in ("No matching keys", "Decryption failed")):
            raise WrongKey(f"{name} is not opened by this key or passphrase") from None
        raise PackDamaged(f"{name} was changed or cut short") from None


def new_identity() -> tuple[str, str]:
    """A new age identity and the public key that belongs to it."""
    identity = _pyrage().x25519.Identity.generate()
    return str(identity), str(identity.to_public())


class _Undecrypted(Exception):
    """The stream could not be decrypted to its end."""


@contextmanager
def _beside(work: Callable[[BinaryIO], None], *, reads: bool) -> Iterator[BinaryIO]:
    """A file whose other end a thread works on: it reads what is written, or writes what is read."""
    source, sink = os.pipe()
    theirs, ours = (source, sink) if reads else (sink, source)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with os.fdopen(theirs, "rb" if reads else "wb") as end:
                work(end)
        except BaseException as error:  # noqa: BLE001 - it is raised where it belongs
            # A reader that had enough is no failure.
            if reads or not isinstance(error, BrokenPipeError):
                failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        with os.fdopen(ours, "wb" if reads else "rb") as inside:
            yield inside
    finally:
        thread.join()
        if failed and reads:
            raise failed[0]
        # What was read in vain tells less than why it could not be read on.
        if failed:
            raise _Undecrypted(str(failed[0])) from failed[0]


def _pyrage() -> Any:
    try:
        import pyrage
    except ImportError:
        raise MissingExtra("encrypted packs need: pip install 'enishi[crypto]'") from None
    return pyrage
