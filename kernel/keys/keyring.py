"""Whose signatures this store makes and believes: its own key, and signers that it was told of.

Signing and checking is Ed25519 by the package `cryptography`, which the extra `crypto` brings.
The store's own key is made when it is first needed, and lies in the store: whoever has a copy of
the file can sign in its name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from enishi.kernel.checks import check_id
from enishi.kernel.errors import InvalidInput, MissingExtra, NotFound
from enishi.kernel.log import Entropy, Log, translated


class Signer(NamedTuple):
    """A public key that this store knows. `own` is the one that it signs with."""

    key: bytes
    name: str
    own: bool


def signers(log: Log) -> list[Signer]:
    """All keys that the store knows, its own first."""
    rows = _rows(log, "SELECT key, name, seed IS NOT NULL FROM signer ORDER BY seed IS NULL, name")
    return [Signer(key, name, bool(own)) for key, name, own in rows]


def signer_of(log: Log, key: bytes) -> Signer | None:
    """The signer with this public key, if the store knows it."""
    return next((signer for signer in signers(log) if signer.key == key), None)


def add_signer(log: Log, key: bytes, name: str) -> None:
    """Believe what is signed with this key from now on. Needs `log.writing`."""
    check_id(name, "a signer's name")
    _run(
        log,
        "INSERT INTO signer(key, name) VALUES(?,?)"
        " ON CONFLICT(key) DO UPDATE SET name=excluded.name",
        (key, name),
    )


def remove_signer(log: Log, key: bytes) -> None:
    """Believe it no more. The store's own key stays. Needs `log.writing`."""
    found = signer_of(log, key)
    if found is None:
        raise NotFound(f"no signer has the key {key.hex()}; `enishi keys` lists them")
    if found.own:
        raise InvalidInput("the store's own key stays: what it signed would be nobody's")
    _run(log, "DELETE FROM signer WHERE key=?", (key,))


def own_key(log: Log, entropy: Entropy) -> tuple[bytes, bytes]:
    """The store's own public key and its seed, made where there is none. Needs `log.writing`."""
    rows = _rows(log, "SELECT key, seed FROM signer WHERE seed IS NOT NULL")
    if rows:
        return rows[0][0], rows[0][1]
    seed = entropy(32)
    key = public_key(seed)
    _run(log, "INSERT INTO signer VALUES(?,?,?)", (key, "this store", seed))
    return key, seed


def public_key(seed: bytes) -> bytes:
    """The public key of a seed of 32 bytes."""
    return bytes(
        _ed25519().Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    )


def sign(seed: bytes, data: bytes) -> bytes:
    """The Ed25519 signature of these bytes: 64 bytes, always the same."""
    return bytes(_ed25519().Ed25519PrivateKey.from_private_bytes(seed).sign(data))


def signed_by(key: bytes, signature: bytes, data: bytes) -> bool:
    """Whether this is the signature of these bytes by the holder of this public key."""
    from_key = _ed25519().Ed25519PublicKey.from_public_bytes
    from cryptography.exceptions import InvalidSignature

    try:
        from_key(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("signing needs: pip install 'enishi[crypto]'") from None
    return ed25519


def _rows(log: Log, sql: str) -> list[Any]:
    with log.reading(), translated(log.path):
        return log.connection.execute(sql).fetchall()


def _run(log: Log, sql: str, values: tuple[Any, ...]) -> None:
    with translated(log.path):
        log.connection.execute(sql, values)
