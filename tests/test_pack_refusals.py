"""What a pack must not do: lie in its manifest, take more than its share, or say who it is unproved.

Each kind of wrong pack has its own error, and none changes anything.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import Shell, fixed_store, state_of

from enishi.host import Store
from enishi.kernel.errors import (
    MissingExtra,
    PackDamaged,
    PackError,
    PackTooLarge,
    PackTooNew,
    PackTruncated,
    UnreadableFile,
    WrongKey,
    WrongSigner,
)
from enishi.kernel.zstandard import zstd
from enishi.packs.memorypack import frames
from enishi.packs.memorypack.format import LINES
from enishi.packs.memorypack.frames import FrameReader, Signature, write_frames
from enishi.packs.memorypack.pack_files import inspect_pack
from enishi.packs.memorypack.sealing import new_identity


def lived(folder: Path) -> Path:
    """A pack with a card, a policy, a fork and an erasure in it."""
    path = folder / "a.erii"
    with fixed_store(folder / "a.db") as store:
        bond = store.relationship("lumi", "chen")
        for words in ("Hello.", "The key is under the stone.", "Good night."):
            bond.record(words, "Yes.", request=words)
        bond.fork("other", bond.turns()[0].number)
        bond.erase(bond.turns()[1].messages[0].number)
        bond.export(path)
    return path


def values(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return list(FrameReader(file, path.name))


def packed(found: list[Any], sign: Callable[[bytes], Signature] | None = None) -> bytes:
    out = io.BytesIO()
    write_frames(out, found, sign)
    return out.getvalue()


def refused(path: Path, store: Store, error: type[PackError], **options: Any) -> str:
    """Neither looked into nor taken in, and nothing here changes. Returns what was said."""
    before = state_of(store.path)
    with pytest.raises(error) as looked:
        inspect_pack(path, options.get("identity"), options.get("passphrase"))
    with pytest.raises(error) as taken:
        store.import_pack(path, **options)
    assert type(looked.value) is type(taken.value) is error
    assert state_of(store.path) == before
    return str(taken.value)


def test_each_kind_of_wrong_pack_has_its_own_error_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "SLACK", 1_000_000)
    good, path = lived(tmp_path), tmp_path / "wrong.erii"
    data = good.read_bytes()
    _, recipient = new_identity()
    newer = data.replace(b"enishi memorypack 1", b"enishi memorypack 2", 1)
    small = (9).to_bytes(4, "big")
    head = data[: 8 + len("enishi memorypack 1")]
    deep = b"\x91" * 5000 + b"\xc0"
    bombs = {
        "ratio": (8_000_000).to_bytes(4, "big") + bytes(8_000_000),
        "size": (frames.FRAME_BYTES + 1).to_bytes(4, "big"),
        "depth": len(deep).to_bytes(4, "big") + deep + b"\0\0\0\1\xc0",
        "count": (5).to_bytes(4, "big") + b"\xdd\xff\xff\xff\xff" + small + bytes(9),
    }
    with fixed_store(tmp_path / "b.db", seed=4) as store, fixed_store(tmp_path / "a.db") as own:
        store.import_pack(good)
        store.relationship("lumi", "chen").record("Still here.", "Yes.")
        for wrong, error in (
            (data[: len(data) // 2], PackTruncated),
            (data[:-1], PackTruncated),
            (data[:300] + bytes([data[300] ^ 8]) + data[301:], PackDamaged),
            (newer, PackTooNew),
            *((head + zstd.compress(bomb), PackTooLarge) for bomb in bombs.values()),
        ):
            path.write_bytes(wrong)
            refused(path, store, error)
        path.write_bytes(packed(values(good), lambda said: Signature(b"k" * 32, b"s" * 64)))
        before = state_of(store.path)
        assert inspect_pack(path).signature == "wrong"
        for options in ({}, {"signer": own.own_key()}, {"accept_erasures": True}):
            with pytest.raises(WrongSigner):
                store.import_pack(path, **options)
        own.relationship("lumi", "chen").export(path, recipient=recipient)
        refused(path, store, WrongKey, identity=new_identity()[0])
        assert state_of(store.path) == before


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("agent", "somebody"), ("erased", 0), ("withheld", 1), ("records", 3), ("payloads", 1),
        ("policies", ["kind"]), ("blueprints", ["Lumi"]), ("relationship", bytes(16)),
        ("branches.number", 4), ("branches.number", 10_000), ("branches.name", "nowhere"),
        ("tip", bytes(32)), ("length", 2), ("lines", []),
    ],
)  # fmt: skip
def test_a_manifest_says_what_the_records_say(place: str, value: Any, tmp_path: Path) -> None:
    good = lived(tmp_path)
    found = values(good)
    inside = found[0]
    if place in ("tip", "length"):
        inside = inside["lines"][0]
    elif place.startswith("branches."):
        inside, place = inside["lines"][0]["branches"][-1], place.split(".")[1]
    assert inside[place] != value
    inside[place] = value
    (tmp_path / "lying.erii").write_bytes(packed(found))
    with fixed_store(tmp_path / "b.db", seed=4) as store:
        refused(tmp_path / "lying.erii", store, PackDamaged)


def test_lines_are_told_where_they_begin_and_are_few(tmp_path: Path) -> None:
    good = lived(tmp_path)
    found = values(good)
    said = found[0]["lines"][0]
    tip, length = said["tip"], said["length"]
    empty = [*found, [0, length, tip]]
    empty[0] = found[0] | {"lines": [said, said]}
    (tmp_path / "empty.erii").write_bytes(packed(empty))
    many = [found[0] | {"lines": [said] * (LINES + 1)}, *found[1:]]
    (tmp_path / "many.erii").write_bytes(packed(many))
    begun = [found[0], [0, 0, bytes(32)], *found[2:]]
    (tmp_path / "begun.erii").write_bytes(packed(begun))
    with fixed_store(tmp_path / "b.db", seed=4) as store:
        refused(tmp_path / "empty.erii", store, PackDamaged)
        refused(tmp_path / "begun.erii", store, PackDamaged)
        refused(tmp_path / "many.erii", store, PackTooLarge)


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_in_pieces_of_any_size_a_pack_is_the_same(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = lived(tmp_path)
    whole = values(good)
    monkeypatch.setattr(frames, "_CHUNK", chunk)
    assert values(good) == whole
    with fixed_store(tmp_path / "b.db", seed=4) as store:
        assert store.import_pack(good).lines[0].differing == ()
    assert inspect_pack(good).signature == "right"


def test_without_the_extra_a_signature_is_not_checked_and_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = lived(tmp_path)
    with fixed_store(tmp_path / "a.db") as own:
        key = own.own_key()
    with fixed_store(tmp_path / "b.db", seed=4) as store:
        store.believe(key, "my other machine")
        for name in ("cryptography", "cryptography.hazmat.primitives.asymmetric"):
            monkeypatch.setitem(sys.modules, name, None)
        assert inspect_pack(good).signature == "unchecked"
        with pytest.raises(MissingExtra, match="crypto"):
            store.import_pack(good, signer=key)
        taken = store.import_pack(good)
        assert (taken.signer, taken.signature, taken.known) == (key, "unchecked", False)
    told = Shell(capsys, monkeypatch).ok("import", good, "--store", tmp_path / "c.db")
    assert "signature not checked" in told and "enishi[crypto]" in told


def test_what_is_no_file_of_ours_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.erii").write_bytes(b"enishi")
    with fixed_store(tmp_path / "b.db") as store, pytest.raises(UnreadableFile):
        store.import_pack(tmp_path / "x.erii")
