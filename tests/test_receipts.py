"""Receipts of erasures: who signed them, and whether a store is as they say."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from helpers import Shell, fixed_store, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from test_keyed import WORD, begun, copied, only

from enishi.host import Relationship, Store, open_store, prove
from enishi.kernel.erasing.proof import signed_bytes
from enishi.kernel.erasing.receipt import Receipt
from enishi.kernel.errors import InvalidInput, MissingExtra, NotFound


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def receipt_in(store: Store) -> dict[str, Any]:
    """A signed receipt of the second turn."""
    bond: Relationship = only(store)
    return plain(store.sign(bond.erase(bond.turns()[1])))


def plain(receipt: Receipt) -> dict[str, Any]:
    found: dict[str, Any] = receipt.model_dump(mode="json")
    return found


def test_anybody_can_check_it_with_any_ed25519(path: Path) -> None:
    with begun(path, keyed=False) as store:
        receipt = receipt_in(store)
        assert receipt["signer"] == store.own_key()
    assert WORD not in json.dumps(receipt)
    signature = bytes.fromhex(receipt.pop("signature"))
    message = b"enishi/receipt/1\0" + json.dumps(
        dict(reversed(receipt.items())), sort_keys=True, separators=(",", ":")
    ).encode("ascii")
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(receipt["signer"]))
    key.verify(signature, message)
    with pytest.raises(InvalidSignature):
        key.verify(signature, message.replace(b'"erased":', b'"erased": '))


SIGNED: list[str] = []


def signed_text(folder: Path) -> str:
    if not SIGNED:
        with begun(folder / "s.db", keyed=False) as store:
            SIGNED.append(json.dumps(receipt_in(store)))
    return SIGNED[0]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_byte_is_never_good(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = signed_text(tmp_path_factory.mktemp("r"))
    assert prove(text).signature == "good"
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    changed = text[:place] + other + text[place + 1 :]
    try:
        proof = prove(changed)
    except InvalidInput:
        return
    same = json.loads(changed) == json.loads(text)
    # Hexadecimal digits may be written large: the signature is the same then.
    small = json.loads(changed)["signature"] == json.loads(text)["signature"].lower()
    if same or (other.lower() == text[place] and not small):
        return
    assert proof.signature == "wrong" and proof.problems, (place, other)


def test_signed_by_another_or_by_nobody(path: Path, tmp_path: Path) -> None:
    with begun(path, keyed=False) as store, fixed_store(tmp_path / "o.db", seed=9) as other:
        receipt = receipt_in(store)
        key, theirs = store.own_key(), other.own_key()
        assert prove(receipt).signature == "good" and not prove(receipt).problems
        assert prove(receipt, signer=key).signature == "good"
        assert prove(receipt, signer=key.upper()).signature == "good"
        with pytest.raises(InvalidInput, match="64 hexadecimal digits"):
            prove(receipt, signer="00")
        assert prove(receipt, signer=theirs).signature == "wrong"
        assert prove(receipt | {"signer": theirs}).signature == "wrong"
        assert prove(receipt | {"signature": "zz"}).signature == "wrong"
        assert prove(receipt | {"signature": None}).signature == "wrong"
        nobody = receipt | {"signature": None, "signer": None}
        assert prove(nobody, signer=key).signature == "wrong"
        (problem,) = prove(nobody).problems
        assert "not signed" in problem
        assert not prove(nobody, store).problems, "the store itself bears it out"
        # Whoever has a key of their own can sign anything, and it is theirs, not the store's.
        forged = other.sign(Receipt.model_validate_json(json.dumps(nobody | {"erased": 99})))
        assert prove(plain(forged)).signer == theirs
        assert prove(plain(forged), signer=key).signature == "wrong"
        (part,) = prove(receipt, other).parts
        assert not part.here and part.scrubbed is None and not prove(receipt, other).problems
    for wrong in ("", "[]", "{}", "no JSON", json.dumps(receipt | {"format": 2})):
        with pytest.raises(InvalidInput):
            prove(wrong)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tip_before": "00" * 32}, "the tip before"),
        ({"tip_after": "00" * 32}, "the tombstone"),
        ({"tombstone": 9_999}, "the tombstone"),
        ({"keep_effects": True}, "the tombstone"),
        ({"ranges": "grown"}, "what was erased"),
        ({"ranges": "shrunk"}, "names other records"),
        ({"ranges": []}, "not what its parts say"),
        ({"tombstone": None}, "names no tombstone"),
        ({"types": {"MessageReceived": 7}}, "of other types"),
        ({"at": 1}, "another time or another reason"),
    ],
)
def test_what_the_store_contradicts(path: Path, changes: dict[str, Any], problem: str) -> None:
    with begun(path, keyed=False) as store:
        receipt = receipt_in(store)
        (part,) = receipt["parts"]
        if changes.get("ranges") == "grown":
            changes = {"ranges": [part["ranges"][0] | {"last": part["ranges"][0]["last"] + 1}]}
        elif changes.get("ranges") == "shrunk":
            changes = {"ranges": part["ranges"][:-1]}
        false = store.sign(
            Receipt.model_validate_json(json.dumps(receipt | {"parts": [part | changes]}))
        )
        proof = prove(plain(false), store)
        assert proof.signature == "good" and any(problem in one for one in proof.problems), proof
        assert prove(receipt, store).parts[0].scrubbed is True


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        if isinstance(one, dict | list):
            yield from leaves(one, (*path, key))
        yield (*path, key)


UNHELD = {"rows", "rebuilt", "scenes", "exported", "out_of_reach", "scope", "format"}
"""What no store can tell, and what is the same of a copy in another relationship or not."""


def test_a_changed_value_is_no_receipt_or_not_what_the_store_says(path: Path) -> None:
    """Whatever somebody wrote into one that is not signed: nothing breaks, and nothing is erased."""
    with begun(path, keyed=False) as store:
        receipt = receipt_in(store) | {"signer": None, "signature": None}
        before = state_of(path)
        for leaf in leaves(receipt):
            for odd in (-1, 0, 1, 10**18, 1 << 70, 1.5, None, True, "x", "00" * 32, [], {}, [{}]):
                changed = json.loads(json.dumps(receipt))
                parent: Any = changed
                for key in leaf[:-1]:
                    parent = parent[key]
                if parent[leaf[-1]] == odd and type(parent[leaf[-1]]) is type(odd):
                    continue
                parent[leaf[-1]] = odd
                try:
                    found = prove(changed, store).problems
                except InvalidInput as error:
                    assert len(str(error)) < 300 and "\n" not in str(error)
                else:
                    assert found or not UNHELD.isdisjoint(leaf), (leaf, odd)
                with suppress(InvalidInput, NotFound):
                    assert store.erase_again(changed).erased == 0
        assert state_of(path) == before


def test_in_an_older_copy_it_is_not_so_until_it_was_erased_there_again(
    path: Path, tmp_path: Path
) -> None:
    with begun(path, keyed=True) as store:
        backup = copied(path, tmp_path / "before", keys=path)
        receipt = receipt_in(store)
    with open_store(backup) as old:
        assert any("tombstone" in one for one in prove(receipt, old).problems)
        again = old.erase_again(receipt)
        assert not prove(plain(again), old).problems


def test_of_a_relationship_that_is_no_more(path: Path) -> None:
    with begun(path, keyed=False) as store:
        first = receipt_in(store)
        whole = plain(store.sign(only(store).erase_relationship()))
        told = store.relationship("lumi", "chen")
        told.record("I am new.", "Welcome.")
        for receipt in (first, whole):
            proof = prove(receipt, store)
            assert proof.parts[0].here and not proof.problems, proof


def test_a_scrub_that_is_pending_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enishi.kernel.erasing.receipt.PATIENCE", 0.0)
    with begun(path, keyed=False) as store, open_store(path) as other:
        with other._log.reading():
            assert other.relationships()
            receipt = receipt_in(store)
            assert receipt["scrub"] == "scrub pending"
            assert prove(receipt, store).parts[0].scrubbed is False
        assert store.scrub() and prove(receipt, store).parts[0].scrubbed is True


def test_on_the_command_line(path: Path, tmp_path: Path, shell: Shell) -> None:
    with begun(path, keyed=False) as store:
        bond = only(store)
        pack = bond.export(tmp_path / "p.erii")
        turn = bond.turns()[1].number
        key = store.own_key()
    file = tmp_path / "receipt.json"
    file.write_text(shell.ok("erase", turn, "--yes", "--sign", "--json", "--store", path))
    receipt = json.loads(file.read_text())
    assert [one["pack"] for one in receipt["exported"]] == [pack.pack]
    nowhere = ("verify", "--receipt", file, "--store", tmp_path / "none.db")
    told = shell.ok(*nowhere)
    assert "a key that is not known here" in told and key in told and pack.pack in told
    assert not (tmp_path / "none.db").exists()
    found = shell.json("verify", "--receipt", file, "--store", path)
    assert (found["ok"], found["signature"], found["known_as"]) == (True, "good", "this store")
    assert found["parts"][0]["here"] and found["parts"][0]["scrubbed"]
    assert "the store is as it says; scrubbed" in shell.ok(
        "verify", "--receipt", file, "--store", path, "--signer", key
    )
    assert shell.run(*nowhere, "--signer", "ab" * 32).status == 1
    file.write_text(json.dumps(receipt | {"erased": 1}))
    ran = shell.run(*nowhere)
    assert ran.status == 1 and "the signature does not fit" in ran.out
    file.write_text("no receipt")
    assert "no receipt" in shell.refused(*nowhere)
    shell.refused(*nowhere[:3], "--tip", "00", status=2)
    shell.refused("verify", "--signer", key, "--store", path, status=2)


def test_without_the_extra_nothing_is_erased_that_was_to_be_signed(
    path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun(path, keyed=False) as store:
        turn, receipt = only(store).turns()[1].number, plain(only(store).erase(25 - 1))
    name = "cryptography.hazmat.primitives.asymmetric"
    monkeypatch.setitem(sys.modules, f"{name}.ed25519", None)
    monkeypatch.delattr(f"{name}.ed25519", raising=False)
    refused = shell.refused("erase", turn, "--yes", "--sign", "--store", path)
    assert "enishi[crypto]" in refused and WORD in shell.ok("show", "--store", path)
    with pytest.raises(MissingExtra):
        prove(receipt | {"signer": "00" * 32, "signature": "00" * 64})
    assert signed_bytes(receipt).startswith(b"enishi/receipt/1\0{")
