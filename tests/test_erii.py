"""Packs of the E.R.I.I. project: read, checked, taken in, judged, and compared with what it says."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from helpers import Shell, fixed_store, state_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi.host import Store
from enishi.kernel.errors import (
    Conflict,
    EnishiError,
    PackDamaged,
    PackTooLarge,
    PackTooNew,
    UnreadableFile,
)
from enishi.packs.erii import reading
from enishi.packs.erii.reading import is_erii, read_erii
from enishi.packs.erii.report import EriiReport

PACKS = Path(__file__).parents[1] / "../shared/data/erii-pack"
NOW = datetime(2026, 12, 1, tzinfo=UTC)

Json = dict[str, Any]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Made:
    """A pack as the other program would write it, small and made here."""

    def __init__(self) -> None:
        card = "  Lumi keeps the night log.\n"
        relationship = {
            "relationship_id": "r-1",
            "agent_id": "lumi",
            "user_id": "chen",
            "blueprint": {"source_text": card, "source_sha256": sha(card), "compiled": {}},
            "created_at": "2026-03-01T12:00:00+00:00",
            "baseline": {"state": {"trust": 0.5, "safety": 0.5}},
        }
        self.data: Json = {
            "metadata": {"version": "0.5.0a3", "exported_at": "2026-04-01 12:00:00"},
            "core_memory": "",
            "relationship": relationship,
            "turn_records": [],
            "relationship_events": [],
            "relationship_adjudications": [],
            "relationship_consequences": [],
            "narrative_tension_links": [],
            "persona_reflection_decisions": [],
            "nodes": [],
        }

    def turn(self, name: str, said: str, reply: str | None, *, day: int, **more: object) -> None:
        def message(role: str, words: str | None, minute: int) -> Json | None:
            at = f"2026-03-{day:02}T12:{minute:02}:00+00:00"
            return words and {"message_id": f"{name}:{role}", "content": words, "recorded_at": at}

        self.data["turn_records"].append(
            {
                "turn_id": name,
                "relationship_id": "r-1",
                "status": "completed" if reply else "open",
                "transcript": {
                    "user_message": message("user", said, 0),
                    "agent_message": message("agent", reply, 1),
                },
                "opened_at": f"2026-03-{day:02}T12:00:00+00:00",
                "delivery_disposition": "shown" if reply else None,
            }
            | more
        )

    def words(self, source: str, quote: str) -> Json:
        """Evidence, counted like theirs from the first word."""
        turn = next(t for t in self.data["turn_records"] if t["turn_id"] == source.split(":")[0])
        content = turn["transcript"][f"{source.split(':')[1]}_message"]["content"].strip()
        start = content.index(quote)
        return {
            "source_id": source,
            "quote": quote,
            "message_sha256": sha(content),
            "start": start,
            "end": start + len(quote),
        }

    def event(
        self,
        name: str,
        *evidence: Json,
        day: int = 9,
        payload: Json | None = None,
        signal: str = "neutral",
        sure: float = 0.9,
        **more: object,
    ) -> None:
        """An event; with evidence one that was decided, without any one of the host's own."""
        adjudication = {"signal_type": signal, "signal_strength": "moderate"}
        self.data["relationship_events"].append(
            {
                "event_id": name,
                "event_type": "observation",
                "content": f"what {name} says",
                "temporal_payload": payload,
                "metadata": {"adjudication": adjudication} if evidence else {},
                "recorded_at": f"2026-03-{day:02}T13:00:00+00:00",
            }
            | more
        )
        if evidence:
            receipt = {
                "decision_id": f"d-{name}",
                "source_turn_id": evidence[0]["source_id"].split(":")[0],
                "outcome": "accepted",
                "extraction_confidence": sure,
                "interpretation_confidence": sure,
                "evidence": list(evidence),
                "event_ids": [name],
            }
            self.data["relationship_adjudications"].append({"receipt": receipt})

    def write(self, folder: Path, name: str = "pack.erii") -> Path:
        path = folder / name
        path.write_text(json.dumps(self.data, ensure_ascii=False), encoding="utf-8")
        return path


def promise(party: str, action: str, **more: object) -> Json:
    return {"payload_type": "promise", "responsible_parties": [party], "action": action} | more


def lived() -> Made:
    """A few days with one of everything."""
    pack = Made()
    pack.turn("t1", "　Thank you for waiting.\n", "I promise to call you on Friday.", day=2)
    pack.turn("t2", "You told my secret. That hurt me.", "I did. I am sorry.", day=5)
    pack.turn("t3", "It is fine now, we are good.", "We are good again.", day=7)
    pack.turn("t4", "Are you there?", None, day=8)
    pack.event(
        "e-thanks",
        pack.words("t1:user", "Thank you for waiting."),
        signal="gratitude",
        state_delta={"familiarity": 0.01, "trust": 0.01},
    )
    pack.event(
        "e-call",
        pack.words("t1:agent", "I promise to call you on Friday."),
        payload=promise("agent", "ring him at noon"),
    )
    pack.event(
        "e-hurt",
        pack.words("t2:user", "That hurt me."),
        pack.words("t2:agent", "I did."),
        signal="boundary_violation",
        state_delta={"trust": -0.04},
    )
    for day, value in ((3, "baker"), (6, {"title": "cook"})):
        update = {"key": "chen.job", "value": value, "confidence": 0.9, "operation": "set"}
        pack.event(f"e-job-{day}", day=day, belief_updates=[update])
    pack.event("e-gift", state_delta={"familiarity": 0.05})
    pack.data["relationship_consequences"].append(
        {
            "consequence_id": "c-1",
            "source_decision_id": "d-e-hurt",
            "source_event_id": "e-hurt",
            "effects": ["harm", "trust_decrease"],
        }
    )
    pack.event(
        "e-good", pack.words("t3:user", "we are good"), pack.words("t3:agent", "We are good again.")
    )
    pack.data["narrative_tension_links"].append(
        {
            "link_id": "l-1",
            "consequence_id": "c-1",
            "source_decision_id": "d-e-good",
            "source_event_id": "e-good",
            "outcome": "mutually_reconciled",
        }
    )
    thought = {"reflection_id": "x-1", "event_id": "e-thanks", "content": "It was worth waiting."}
    pack.data["persona_reflection_decisions"].append({"reflection_record": thought})
    return pack


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db", now=NOW) as opened:
        yield opened


def records(store: Store) -> int:
    return sum(len(bond.records()) for bond in store.relationships())


# --- taken in, and judged


def test_turns_beliefs_promises_and_tensions_come_in_by_import(
    store: Store, tmp_path: Path
) -> None:
    report = store.import_erii(lived().write(tmp_path))
    (bond,) = store.relationships()
    assert (report.turns, report.notes, bond.agent, bond.user) == (4, 2, "lumi", "chen")
    assert bond.turns()[0].messages[0].content == "　Thank you for waiting.\n"
    rapport = bond.rapport()
    assert (rapport.familiarity, rapport.trust) == (0.01, 0.51)
    (made,) = bond.promises()
    assert (made.act, made.status) == ("I promise to call you on Friday.", "open")
    assert [(b.value, b.status, b.authority) for b in bond.beliefs()] == [
        ("baker", "past", "reported"),
        ('{"title": "cook"}', "current", "reported"),
    ]
    assert [b.value for b in bond.beliefs(at=datetime(2026, 3, 4, tzinfo=UTC))] == [
        "baker",
        '{"title": "cook"}',
    ]
    assert [(t.effect, t.state) for t in bond.tensions()] == [("harm", "mutually_reconciled")]
    assert [r.words for r in bond.reflections()] == ["It was worth waiting."]
    derived = [view for view in bond.records() if view.type == "SignalAccepted"]
    (thanks,) = derived
    assert [quote.words for quote in bond.why(thanks.number).quotes] == ["Thank you for waiting."]
    assert {one.proposer.split()[0] for one in bond.decisions()} == {"erii"}


def test_what_is_not_told_or_cited_is_reported_and_has_no_effect(
    store: Store, tmp_path: Path
) -> None:
    report = store.import_erii(lived().write(tmp_path))
    assert [(one.what, one.id, one.reason) for one in report.refused] == [
        ("signal", "e-hurt", "who_acted_is_not_told"),
        ("signal", "e-gift", "no_words_here"),
    ]
    assert len(report.reworded) == 1
    assert report.left_out["further effects of consequences"] == 1
    assert report.differences == [
        "familiarity is 0.0100 here and 0.0600 there: 1 signals of +0.0500 in all have no effect"
        + " (no_words_here)",
        "trust is 0.5100 here and 0.4700 there: 1 signals of -0.0400 in all have no effect"
        + " (who_acted_is_not_told)",
    ]
    (bond,) = store.relationships()
    held = next(one for one in bond.decisions() if one.verdict == "held")
    assert held.proposal["actor"] == "agent"
    bond.release(held.number)
    again = store.import_erii(tmp_path / "pack.erii")
    assert [one.id for one in again.refused] == ["e-gift"]


def test_weights_of_signals_and_another_start_become_a_policy(store: Store, tmp_path: Path) -> None:
    pack = lived()
    relationship = pack.data["relationship"]
    relationship["blueprint"]["compiled"] = {
        "relationship_policy": {"signal_modifiers": {"gratitude": 1.5, "odd": 2, "repair": "x"}}
    }
    relationship["baseline"]["state"]["trust"] = 0.7
    report = store.import_erii(pack.write(tmp_path))
    (bond,) = store.relationships()
    assert (bond.rapport().familiarity, bond.rapport().trust) == (0.015, 0.715)
    assert report.left_out["weights of signals"] == 2


def test_a_promise_is_the_promisers_own_words_and_only_they_replace_it(
    store: Store, tmp_path: Path
) -> None:
    pack = Made()
    pack.turn("t1", "You promised to stay with me forever.", "I will bring the blue cup.", day=2)
    pack.turn("t2", "Fine.", "I will bring the red cup instead.", day=3)
    pack.event(
        "e-forever",
        pack.words("t1:user", "You promised to stay with me forever."),
        payload=promise("agent", "stay with me forever"),
    )
    for name, turn, cup in (("e-blue", "t1", "blue"), ("e-red", "t2", "red")):
        words = pack.words(f"{turn}:agent", f"I will bring the {cup} cup")
        pack.event(name, words, payload=promise("agent", f"bring the {cup} cup"))
    pack.event(
        "e-instead",
        payload={
            "payload_type": "promise_resolution",
            "promise_event_id": "e-blue",
            "resolution_kind": "superseded",
            "superseding_promise_event_id": "e-red",
        },
    )
    report = store.import_erii(pack.write(tmp_path))
    (bond,) = store.relationships()
    assert [(p.act, p.status) for p in bond.promises()] == [
        ("bring the blue cup", "replaced"),
        ("bring the red cup", "open"),
    ]
    assert [(one.id, one.reason) for one in report.refused] == [
        ("e-forever", "not_the_promisers_words")
    ]
    assert any("e-forever" in one for one in report.differences)


def test_taken_in_again_it_adds_nothing_and_grown_it_adds_the_rest(
    store: Store, tmp_path: Path
) -> None:
    pack = lived()
    path = pack.write(tmp_path)
    store.import_erii(path, zone="Asia/Tokyo")
    before = records(store)
    assert not store.import_erii(path).changed
    assert records(store) == before
    pack.data["turn_records"].pop()
    pack.turn("t4", "Are you there?", "I am here.", day=8)
    pack.turn("t5", "Good night.", None, day=9, status="abandoned", abandoned_at=None)
    update = {"key": "chen.job", "value": "chef", "confidence": 0.9, "operation": "set"}
    pack.event("e-job-9", belief_updates=[update])
    report = store.import_erii(pack.write(tmp_path))
    assert (report.turns, report.replies, report.notes, report.revised) == (1, 1, 1, 1)
    (bond,) = store.relationships()
    assert [turn.status for turn in bond.turns()[-3:]] == ["completed", "abandoned", "abandoned"]
    current = [b.value for b in bond.beliefs() if b.status == "current"]
    assert current == ["chef"]
    assert not store.import_erii(path).changed


def test_what_was_erased_stays_so_and_other_words_are_a_conflict(
    store: Store, tmp_path: Path
) -> None:
    """PB-10: the pack still has the words, and everything that rests on them."""
    pack = lived()
    store.import_erii(pack.write(tmp_path))
    (bond,) = store.relationships()
    with bond._stream.writing():
        bond._stream.destroy([bond.turns()[0].replies[0].number])
    report = store.import_erii(tmp_path / "pack.erii")
    assert not report.changed
    assert bond.promises() == []
    assert ("e-call", "no_words_here") in [(one.id, one.reason) for one in report.refused]
    said = pack.data["turn_records"][1]["transcript"]["user_message"]
    said["content"] = said["content"].replace("secret", "secrets")
    pack.data["relationship_adjudications"].clear()
    pack.data["relationship_consequences"].clear()
    pack.data["narrative_tension_links"].clear()
    before = records(store)
    with pytest.raises(Conflict, match="other words in 't2:user'"):
        store.import_erii(pack.write(tmp_path))
    assert records(store) == before


# --- what is refused as a whole


def broken(change: str) -> bytes:
    pack = lived()
    data = pack.data
    if change == "newer":
        data["metadata"]["version"] = "0.5.0"
    elif change == "older":
        data["metadata"]["version"] = "0.4.0a6"
    elif change == "no version":
        data["metadata"]["version"] = "new"
    elif change == "blueprint":
        data["relationship"]["blueprint"]["source_text"] += "!"
    elif change == "message":
        data["turn_records"][1]["transcript"]["user_message"]["content"] += " Really."
    elif change == "quote":
        data["relationship_adjudications"][0]["receipt"]["evidence"][0]["quote"] = "Thanks"
    elif change == "source":
        data["relationship_adjudications"][0]["receipt"]["evidence"][0]["source_id"] = "t9:user"
    elif change == "dangling":
        data["narrative_tension_links"][0]["consequence_id"] = "c-9"
    elif change == "another":
        data["turn_records"][0]["relationship_id"] = "r-2"
    elif change == "twice":
        data["relationship_events"].append(data["relationship_events"][0])
    elif change == "field":
        del data["relationship_events"][0]["event_id"]
    elif change == "deep":
        return json.dumps(data).encode().replace(b'""', b"[" * 99_999 + b"]" * 99_999, 1)
    elif change == "long":
        data["turn_records"][3]["transcript"]["user_message"]["content"] = "x" * (1 << 20) + "x"
    whole = json.dumps(data).encode()
    return whole[:-7] if change == "truncated" else whole


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ("newer", PackTooNew, "0.5.0a3 is the newest read"),
        ("older", PackDamaged, "0.4.0a7 is the oldest"),
        ("no version", PackDamaged, "names no version"),
        ("blueprint", PackDamaged, "blueprint does not fit its hash"),
        ("message", PackDamaged, "'t2:user' does not fit its hash"),
        ("quote", PackDamaged, "does not stand in 't1:user'"),
        ("source", PackDamaged, "cites the message 't9:user', which it lacks"),
        ("dangling", PackDamaged, "names the consequence 'c-9', which it lacks"),
        ("another", PackDamaged, "another relationship"),
        ("twice", PackDamaged, "has the same event twice"),
        ("field", PackDamaged, "relationship_events.0.event_id"),
        ("deep", PackDamaged, "nests too deeply"),
        ("long", PackTooLarge, "above 1 MiB"),
        ("truncated", PackDamaged, "is not JSON"),
    ],
)
def test_a_pack_that_does_not_hold_together_is_refused_in_one_line(
    store: Store, tmp_path: Path, change: str, error: type[EnishiError], words: str
) -> None:
    data = broken(change)
    assert is_erii(data)
    path = tmp_path / "pack.erii"
    path.write_bytes(data)
    with pytest.raises(error) as caught:
        store.import_erii(path)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert isinstance(caught.value, UnreadableFile)
    assert store.relationships() == []


def test_a_pack_above_the_limit_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT", 100)
    with pytest.raises(PackTooLarge, match="at most 100"):
        read_erii("pack.erii", broken("none"))


ODD = (None, True, -1, 0.5, 1e308, 2**70, "", "\ud800", "\0", "t1:user", [], {}, [[]], {"a": 3})


def mangled(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.01:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: mangled(one, chance) for key, one in value.items() if chance.random() > 0.005}
    return [mangled(one, chance) for one in value] if isinstance(value, list) else value


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mangled_packs_are_taken_in_whole_or_refused(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random
) -> None:
    folder = tmp_path_factory.getbasetemp()
    pack = lived()
    pack.data = mangled(copy.deepcopy(pack.data), chance)
    path = pack.write(folder, "mangled.erii") if _writable(pack) else None
    if path is None:
        return
    with fixed_store(folder / "mangled.db", now=NOW, seed=chance.randrange(1 << 30)) as opened:
        try:
            opened.import_erii(path)
        except EnishiError as error:
            assert "\n" not in str(error)
            assert opened.relationships() == []
        else:
            assert not opened.import_erii(path).changed
    (folder / "mangled.db").unlink()


def _writable(pack: Made) -> bool:
    try:
        json.dumps(pack.data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


# --- the real packs


def real(store: Store, name: str) -> tuple[EriiReport, Json]:
    path = PACKS / f"{name}.erii"
    if not path.exists():
        pytest.skip(f"the real pack {path.name} is not at hand")
    expected = path.with_name(f"{name}.expected.json")
    return store.import_erii(path), json.loads(expected.read_text(encoding="utf-8"))


def test_the_real_pack_comes_out_as_its_own_program_says_or_the_report_says_why(
    store: Store,
) -> None:
    report, said = real(store, "lumi-chen-60")
    (bond,) = store.relationships()
    differences = "\n".join(report.differences)
    own = [t for t in bond.turns() if not any(m.role == "other" for m in t.messages)]
    assert Counter(turn.status for turn in own) == said["turns"]["by_status"]
    messages = sum(len(turn.messages) + len(turn.replies) for turn in own)
    assert messages == said["turns"]["messages"]
    delivered = Counter(reply.delivered for turn in own for reply in turn.replies)
    assert delivered.items() <= said["turns"]["by_delivery_disposition"].items()
    assert report.notes == sum(one["operation"] == "set" for one in said["belief_history"])

    for name, theirs in said["state"].items():
        ours = getattr(bond.rapport(), name)
        assert ours == pytest.approx(theirs) or f"{name} is {ours:.4f} here" in differences
    unexplained = [one for one in report.differences if "due to limits" in one]
    assert unexplained == []

    held = {
        (f"{'chen' if b.subject == 'user' else 'lumi'}.{b.key}", b.value)
        for b in bond.beliefs()
        if b.status == "current"
    }
    for key, belief in said["beliefs"].items():
        value = belief["value"]
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        assert (key, shown) in held or f"the belief {key} is held there" in differences
    assert len(held) == 6

    ends = {"superseded": "replaced", "fulfilled": "kept", "open": "open"}
    statuses = [promise.status for promise in bond.promises()]
    assert statuses == [ends[promise["status"]] for promise in said["promises"]]
    for loop, theirs in zip(bond.loops(), said["open_loops"], strict=True):
        assert loop.status == theirs["status"] or theirs["event_id"] in differences
    states = Counter(str(tension.state) for tension in bond.tensions())
    assert states + Counter({"unaddressed": 1}) == said["tensions_by_outcome"]
    assert "(comfort) is unaddressed there" in differences
    thoughts = len(bond.reflections())
    missing = sum(one.startswith("the reflection") for one in report.differences)
    assert thoughts + missing == said["counts"]["persona_reflections"]
    for key, what in (
        ("nodes", "memory nodes"),
        ("timeline_entries", "timeline entries"),
        ("archival_ledger", "archival receipts"),
        ("persona_manifests", "persona manifests"),
        ("persona_compilation_proposals", "persona compilations"),
    ):
        assert report.left_out[what] == said["counts"][key]
    assert not store.import_erii(PACKS / "lumi-chen-60.erii").changed


def test_the_oldest_pack_has_a_turn_and_an_event_that_cites_nothing(store: Store) -> None:
    report, said = real(store, "legacy-0.4.0a7")
    (bond,) = store.relationships()
    assert len(bond.turns()) == said["counts"]["turn_records"]
    assert [one.reason for one in report.refused] == ["no_words_here"]
    assert said["state"]["familiarity"] == 0.03
    assert report.differences[0].startswith("familiarity is 0.0000 here and 0.0300 there")


def test_the_command_line_takes_packs_in(shell: Shell, tmp_path: Path) -> None:
    path, db = lived().write(tmp_path), tmp_path / "store.db"
    out = shell.ok("import", path, "--store", db)
    assert "E.R.I.I. 0.5.0a3: lumi and chen, branch 'main': 4 turns, 2 beliefs as notes" in out
    assert "without effect (who_acted_is_not_told): 1 × signal" in out
    before = state_of(db)
    assert "nothing new" in shell.ok("import", path, "--store", db)
    told = json.loads(shell.ok("import", path, "--json", "--store", db))
    assert [one["reason"] for one in told["erii"][0]["refused"]] == [
        "who_acted_is_not_told",
        "no_words_here",
    ]
    (tmp_path / "broken.erii").write_bytes(broken("message"))
    ran = shell.run("import", path, tmp_path / "broken.erii", "--store", db)
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert state_of(db) == before
