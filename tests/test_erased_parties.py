"""Erasing a user, an agent or a relationship: all of it goes, whoever looked at the store before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import Shell, fixed_store, state_of
from test_reported_erasure import everything_said, forms_found

from enishi.host import Store
from enishi.kernel.errors import NotFound
from enishi.kernel.recording import Message, Scene

WORD = "ZQ-7731"
WHOLE: list[Callable[[Store], object]] = [
    lambda store: store.erase_user("chen"),
    lambda store: store.erase_agent("lumi"),
    lambda store: store.relationship("lumi", "chen").erase_relationship(),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "s.db"


def said_in_a_scene(store: Store, agent: str, user: str, guest: str) -> int:
    """A turn of others in which a guest spoke and was listed. Returns its number."""
    said = [Message(f"I own {WORD}.", role="other", speaker=guest, name="Anna"), "Hello."]
    scene = Scene(b"s" * 16, (agent, user, guest))
    return store.relationship(agent, user).record(said, "Hello.", scene=scene).number


# All of it goes


@pytest.mark.parametrize("erase", WHOLE)
@pytest.mark.parametrize("opened", ["anew", "before others wrote"])
def test_all_goes_whatever_was_read_of_it_before(
    path: Path, erase: Callable[[Store], object], opened: str
) -> None:
    store = fixed_store(path)
    bond = store.relationship("lumi", "chen")
    bond.record("Hello.", "Hello.")
    bond.turns()
    if opened == "anew":
        bond.record(f"I own {WORD}.", "I see.")
        store.close()
        store = fixed_store(path, seed=1)
    else:
        with fixed_store(path, seed=1) as other:
            other.relationship("lumi", "chen").record(f"I own {WORD}.", "I see.")
    erase(store)
    assert forms_found(path.parent, WORD) == [] and store.relationships(archived=None) == []
    ((_, found),) = store.verify_erased()
    assert found.ok and found.erased == found.length - 1 and not store.stray()
    store.close()


@pytest.mark.parametrize("erase", WHOLE)
def test_what_another_machine_had_said_of_it_goes_as_well(
    path: Path, tmp_path: Path, erase: Callable[[Store], object]
) -> None:
    pack = tmp_path / "there.erii"
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        bond.record("Hello.", "Hello.")
        bond.export(pack)
        bond.record("I stay here.", "I see.")
    with fixed_store(tmp_path / "there.db", seed=1) as there:
        there.import_pack(pack)
        bond = there.relationship("lumi", "chen")
        bond.record(f"I own {WORD}.", "I see.")
        bond.export(pack)
    with fixed_store(path, seed=2) as store:
        store.import_pack(pack, as_branch="there")
    assert forms_found(path.parent, WORD)
    with fixed_store(path, seed=3) as store:
        erase(store)
        assert forms_found(path.parent, WORD) == [] and store.relationships(archived=None) == []
        assert all(found.ok for _, found in store.verify_erased()) and not store.stray()


def test_who_still_has_it_in_hand_is_told_that_it_is_gone(path: Path) -> None:
    """Whatever they ask, also when the same two have begun anew: that is not theirs."""
    with fixed_store(path) as store, fixed_store(path, seed=1) as other:
        bond = store.relationship("lumi", "chen")
        bond.record(f"I own {WORD}.", "I see.")
        old = other.relationship("lumi", "chen")
        old.recall(WORD)
        acts: list[Callable[[], object]] = [
            old.turns, old.beliefs, old.rapport, old.verify, old.archive, old.digests,
            lambda: old.recall(WORD), lambda: old.record(f"I own {WORD}.", "I see."),
            lambda: old.erase(1), lambda: old.plan_erasure(1), old.erase_relationship,
            lambda: old.export(path.parent / "p.erii"), lambda: old.rebind("user", "anna"),
        ]  # fmt: skip
        for anew in (False, True):
            if anew:
                store.relationship("lumi", "chen").record("Hello.", "Hello.")
            else:
                bond.erase_relationship()
            before = state_of(path)
            for act in acts:
                with pytest.raises(NotFound, match="was erased"):
                    act()
            assert state_of(path) == before and forms_found(path.parent, WORD) == []


@pytest.mark.parametrize("option", [("--user", "chen"), ("--agent", "lumi"), ()])
def test_on_the_command_line_too(path: Path, shell: Shell, option: tuple[str, ...]) -> None:
    with fixed_store(path) as store:
        store.relationship("lumi", "chen").record(f"I own {WORD}.", "I see.")
    told = shell.ok("erase", "--everything", *option, "--yes", "--store", path)
    assert "Erased for good: 4 payloads" in told and forms_found(path.parent, WORD) == []
    assert "5 records, 4 erased" in shell.ok("verify", "--store", path)
    (found,) = shell.json("verify", "--store", path)
    assert found["ok"] and found["user"] is None and len(found["relationship"]) == 32


def test_a_reason_is_kept_and_a_plan_makes_no_key(path: Path, shell: Shell) -> None:
    where = ("--store", path)
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        bond.record("Hello.", "Hello.")
        turn = bond.record(f"I own {WORD}.", "I see.").number
    before = state_of(path)
    for about in ((turn,), ("--everything",)):
        shell.ok("erase", *about, "--plan", "--sign", *where)
        assert "is no reason" in shell.refused("erase", *about, "--reason", "so", *where, status=2)
    with fixed_store(path, seed=1) as store:
        assert store.signers() == [] and state_of(path) == before
    for about in ((turn,), ("--matching", "Hello"), ("--everything", "--user", "chen")):
        done = shell.json("erase", *about, "--reason", "retention", "--yes", *where)
        assert done["reason"] == "retention" and done["erased"]
    (path.parent / "r.json").write_text(json.dumps(done))
    again = ("erase", "--again", path.parent / "r.json", "--yes", *where)
    for wrong in (("--plan",), ("--user", "chen"), ("--reason", "safety")):
        shell.refused(*again, *wrong, status=2)
    assert shell.json(*again)["reason"] == "retention"


def test_what_is_left_of_an_erased_relationship_is_found(path: Path, shell: Shell) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        bond.record(f"I own {WORD}.", "I see.", request="r1")
        bond.erase_relationship()
        store.relationship("lumi", "ben").record("Hello.", "Hello.")
        record = "salt=zeroblob(16), payload=x'80'"
        for trigger in ("record_fixed", "record_kept"):
            store._log.connection.execute(f"DROP TRIGGER {trigger}")
        store._log.connection.execute(f"UPDATE record SET {record} WHERE id=(1<<32)+2")
        ((_, found),) = store.verify_erased()
        assert {one.number for one in found.problems} == {2}
        assert any("its relationship was erased" in one.message for one in found.problems)
        store._log.connection.execute("INSERT INTO request VALUES(1, x'00', 2)")
        assert [str(one) for one in store.stray()]
    assert shell.run("verify", "--store", path).status == 1


# By whichever id


def test_an_earlier_id_finds_the_same_user(path: Path) -> None:
    """Also in the relationships of others: what they said there under any of their ids."""
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        bond.record(f"I own {WORD}.", "I see.")
        bond.rebind("user", "chen-2")
        bond.record(f"I still own {WORD}.", "I see.")
        for guest in ("chen", "chen-2"):
            said_in_a_scene(store, "mika", "ben", guest)
        other = store.relationship("mika", "dora")
        other.record("Hello.", "Hello.")
        before = other.digests()
        made = [store.plan_erasure(user=one) for one in ("chen", "chen-2")]
        assert made[0] == made[1] and made[0].ids == ("chen", "chen-2")
        assert [(one.user, one.whole) for one in made[0].shares] == [
            ("chen-2", True), ("ben", False),
        ]  # fmt: skip
        receipt = store.erase_user("chen")
        assert receipt.erased == sum(sum(one.types.values()) for one in made[0].shares)
        assert receipt.scenes == 2 and WORD not in everything_said(store)
        assert forms_found(path.parent, WORD) == []
        assert [bond.user for bond in store.relationships()] == ["ben", "dora"]
        assert other.digests() == before


@pytest.mark.parametrize("scope", ["user", "agent"])
def test_an_id_of_an_agent_is_none_of_a_user(path: Path, scope: str) -> None:
    """Whoever else goes by it keeps all that they said."""
    with fixed_store(path) as store:
        for agent, user in (("chen", "ben"), ("lumi", "chen")):
            store.relationship(agent, user).record(f"I am {user}.", f"I am {agent}.")
        kept = ("chen", "ben") if scope == "user" else ("lumi", "chen")
        before = store.relationship(*kept).turns()
        assert len(store.plan_erasure(**{scope: "chen"}).shares) == 1
        store.erase_user("chen") if scope == "user" else store.erase_agent("chen")
        (left,) = store.relationships()
        assert (left.agent, left.user) == kept and left.turns() == before


# Where an id stays


def test_the_plan_lists_the_turns_where_an_id_would_stay(path: Path, shell: Shell) -> None:
    with fixed_store(path) as store:
        turns = [said_in_a_scene(store, "lumi", user, "anna-of-1907") for user in ("ben", "dora")]
        made = store.plan_erasure(user="anna-of-1907")
        assert [one.scenes for one in made.shares] == [(turn,) for turn in turns]
    asked = ("erase", "--everything", "--user", "anna-of-1907", "--store", path)
    told = shell.ok(*asked, "--plan")
    assert told.count("would stay, and say by an id that they were there") == 2
    assert "Out of reach: copies" in told
    assert shell.json(*asked, "--plan")["shares"][0]["scenes"] == [turns[0]]
    shell.ok(*asked, "--yes")
    # Also afterwards; and when the turns go, nothing is left.
    with fixed_store(path, seed=1) as store:
        for share in store.plan_erasure(user="anna-of-1907").shares:
            assert not share.types and share.scenes
            bond = store.relationship(share.agent, share.user)
            for turn in share.scenes:
                bond.erase(turn)
        assert not store.plan_erasure(user="anna-of-1907").shares
    assert forms_found(path.parent, "anna-of-1907") == []
