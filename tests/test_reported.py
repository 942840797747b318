"""Faults that users of other systems reported, each tested as a whole kind.

The number in a name is the report's; 64 (several processes) is in `test_processes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from helpers import fixed_store, line, write_chat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi import Citation, Message, Reply, RuleProposer, Signal
from enishi.host import Relationship, Store
from enishi.kernel.errors import RequestConflict, RequestErased
from enishi.kernel.rules import bundled_proposers
from enishi.packs.chats.dates import read_date

ANY = {"deadline": None, "suppress_health_check": list(HealthCheck)}
CONFESSION = "I'm so sorry I lied to you."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db") as opened:
        yield opened


def gratitude(bond: Relationship, text: int, quote: str = "Thank you") -> int:
    cited = (Citation(text=text, quote=quote),)
    (decided,) = bond.propose(None, [Signal(signal="gratitude", actor="user", citations=cited)])
    assert decided.event is not None, decided
    return decided.event


def digest(bond: Relationship) -> str:
    return bond.digests()["rapport"]


def test_34_imported_history_keeps_its_own_times(store: Store, tmp_path: Path) -> None:
    first, last = datetime(2024, 1, 5, 20, tzinfo=UTC), datetime(2026, 1, 4, 20, tzinfo=UTC)
    lines = []
    for day in range(0, 731, 73):
        when = (first + timedelta(days=day)).isoformat()
        lines.append(line(f"Thank you for day {day}.", "Chen", at=when))
        lines.append(line("Any time.", at=when))
    lines.append(line("Undated", "Chen", at="some day in spring"))
    lines.append(line("Noted."))
    store.import_chats([write_chat(tmp_path / "years.jsonl", lines)])
    (bond,) = store.relationships()

    turns = bond.turns()
    assert turns[0].happened is not None and turns[-2].happened is not None
    assert turns[0].happened.to_datetime() == first
    assert turns[-2].happened.to_datetime() == last
    assert turns[-1].happened is None
    last_spoke = bond.summary().last
    assert last_spoke is not None and last_spoke.to_datetime() == last
    recorded = bond.why(turns[0].number).recorded.to_datetime()
    assert recorded == datetime(2026, 3, 1, 12, tzinfo=UTC)
    # Two years of one thank-you now and then are not one day of eleven.
    days = {c.happened.day for c in bond.why_rapport("trust") if c.happened}
    assert len(days) == 11
    assert bond.rapport().trust == 0.61
    assert bond.rapport(at=first + timedelta(days=400)).trust == 0.56


NOTATIONS = (
    "{0.year}-{0.month}-{0.day} @{0.hour:02}h {0.minute:02}m {0.second:02}s {1}ms",
    "{0.year}-{0.month:02}-{0.day:02}@{0.hour:02}h{0.minute:02}m{0.second:02}s{1}ms",
)


@settings(max_examples=80, **ANY)
@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["Asia/Tokyo", "Europe/Berlin", "America/New_York", "UTC"]),
)
def test_35_every_notation_of_a_moment_is_that_moment(naive: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    naive = naive.replace(microsecond=naive.microsecond // 1000 * 1000)
    local = naive.replace(tzinfo=zone)
    instant = int(local.timestamp() * 1000)
    written: list[object] = [n.format(naive, naive.microsecond // 1000) for n in NOTATIONS]
    written += [instant, str(instant), local.isoformat()]
    utc = local.astimezone(UTC)
    written.append(utc.isoformat().replace("+00:00", "Z"))
    moments = [read_date(one, zone) for one in written]
    # Not compared as datetimes: in an hour that comes twice, Python calls no two of them equal.
    assert {m.at for m in moments if m} == {instant * 1000} and None not in moments, written
    # Only a local time without a zone rests on an assumption, and every one has the local day.
    assert [m.assumed for m in moments if m] == [True, True, False, False, False, False]
    assert {m.day for m in moments if m} == {moments[0].day if moments[0] else None}


def test_35_the_machines_own_zone_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        line("One", "Chen", at="June 19, 2023 2:20pm"),
        line("Thank you", "Chen", at="2023-06-19 @14h 21m 50s 682ms"),
        line("Three", at="2023-06-19@14h31m37s123ms"),
    ]
    path = write_chat(tmp_path / "zones.jsonl", lines)
    found = []
    for place, zone in enumerate(("UTC", "Asia/Tokyo", "America/Los_Angeles")):
        monkeypatch.setenv("TZ", zone)
        import time

        time.tzset()
        with fixed_store(tmp_path / f"{place}.db") as opened:
            opened.import_chats([path], zone="Asia/Tokyo")
            (bond,) = opened.relationships()
            found.append((bond.verify().tip, bond.digests(), str(bond.turns()[0].happened)))
    monkeypatch.undo()
    time.tzset()
    assert found[0] == found[1] == found[2]
    assert found[0][2] == "2023-06-19 14:20:00+09:00 (zone assumed)"


def test_46_affection_cannot_be_farmed(bond: Relationship) -> None:
    start = datetime(2024, 1, 1, 20, tzinfo=UTC)
    rules = RuleProposer()
    for n in range(100):
        praise = f"Thank you so much, you are wonderful, number {n}!"
        bond.record(praise, "Oh.", at=start + timedelta(seconds=6 * n))
    bond.propose(None, rules)
    farmed = bond.rapport()
    assert 0.5 < farmed.trust <= 0.55 and 0 < farmed.familiarity <= 0.05

    bond.record("I promise I will always protect you.", "…", at=start + timedelta(minutes=20))
    bond.propose(None, rules)
    assert bond.rapport().trust <= 0.55

    for week in range(1, 105):
        bond.record("Thank you for today.", "Yes.", at=start + timedelta(weeks=week))
    bond.propose(None, rules)
    years = bond.rapport()
    bond.record("I hate you right now.", "Then go.", at=start + timedelta(weeks=105))
    bond.propose(None, rules)
    after = bond.rapport()
    assert years.trust > 0.9
    assert years.trust - 0.08 <= after.trust < years.trust
    assert after.familiarity == years.familiarity


@settings(max_examples=25, **ANY)
@given(variants=st.integers(2, 4), order=st.permutations(range(4)))
def test_47_nothing_derived_from_a_swiped_away_reply_counts(
    tmp_path_factory: pytest.TempPathFactory, variants: int, order: list[int]
) -> None:
    with fixed_store(tmp_path_factory.mktemp("swipe") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        bond.record("You read my diary without my permission.", "Did I?")
        turn = bond.turn("Well?")
        kinds = ("repair", "gratitude", "support", "shared_experience")
        digests = {}
        for n in range(variants):
            reply = bond.regenerate(turn, f"Reply {n}. {CONFESSION}")
            cited = (Citation(text=reply.number, quote=CONFESSION),)
            kind = kinds[n]
            bond.propose(None, [Signal(signal=kind, actor="agent", citations=cited)])
            digests[n] = digest(bond)
        for n in (n for n in order if n < variants):
            bond.swipe(turn, n + 1)
            assert digest(bond) == digests[n] == bond.replay()["rapport"]
            moved = {change.signal for change in bond.why_rapport()}
            assert not moved & {kinds[other] for other in range(variants) if other != n}
            assert [r.chosen for r in turn.view().replies] == [k == n for k in range(variants)]


def test_48_after_an_edit_only_the_new_wording_is_there(bond: Relationship) -> None:
    turn = bond.record("Thank you for Apple123.", "Yes.")
    message = turn.view().messages[0]
    gratitude(bond, message.number)
    first = digest(bond)

    second = bond.edit(message, "Thank you for Apple456.")
    assert turn.text == "Thank you for Apple456."
    assert bond.rapport().trust == 0.5
    event = gratitude(bond, second.number)
    assert bond.why(event).quotes[0].text == second.number != message.number
    third = bond.edit(message, "Nothing.")
    assert third.wordings == (message.number, second.number, third.number)
    assert bond.undo(message).content == "Thank you for Apple456."
    assert bond.rapport().trust == 0.51
    assert bond.undo(message).content == "Thank you for Apple123."
    assert digest(bond) == first


def test_49_a_continued_reply_is_derived_from_the_whole_text(bond: Relationship) -> None:
    turn = bond.turn("Why?")
    half = turn.reply("I promise I will never")
    cited = (Citation(text=half.number, quote="I promise I will never"),)
    bond.propose(None, [Signal(signal="pledge", actor="agent", citations=cited)])
    whole = bond.extend(half, " lie about the weather.")
    assert whole.content == "I promise I will never lie about the weather."
    explained = [bond.why(d) for d in bond.decisions()]
    assert explained[0].why_not is not None and "another wording" in explained[0].why_not
    bond.propose(turn, RuleProposer())
    for change in bond.why_rapport():
        assert all(quote.text == whole.number for quote in change.quotes)


@settings(max_examples=20, **ANY)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=8))
def test_50_branches_share_their_past_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, bool]]
) -> None:
    with fixed_store(tmp_path_factory.mktemp("fork") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        for n in range(5):
            bond.record(f"Thank you, {n}.", "Yes.")
        bond.propose(None, RuleProposer())
        shared = digest(bond)
        sides = {name: bond.fork(name) for name in ("x", "y")}
        assert {digest(side) for side in sides.values()} == {shared}
        # What was read before the fork is not read again.
        assert sides["x"].propose(None, RuleProposer()) == []

        for on_x, thankful in steps:
            here, there = ("x", "y") if on_x else ("y", "x")
            before = digest(sides[there])
            words = "Thank you, my friend." if thankful else "You broke your promise to me."
            sides[here].record(words, "Hm.")
            sides[here].propose(None, RuleProposer())
            assert digest(sides[there]) == before
        x = digest(sides["x"])
        bond.switch("x")
        bond.switch("y")
        bond.switch("main")
        bond.drop("y")
        assert digest(sides["x"]) == x
        assert digest(bond) == shared


def test_51_processing_again_adds_nothing_and_everybody_has_a_memory(
    store: Store, tmp_path: Path
) -> None:
    members = [f"Member {n}" for n in range(10)]
    lines = []
    for turn in range(20):
        lines.append(
            line(
                f"Thank you so much, day {turn}.",
                "Chen",
                at=str(1_700_000_000_000 + turn * 86_400_000),
            )
        )
        for place, name in enumerate(members):
            when = str(1_700_000_001_000 + turn * 86_400_000 + place)
            marks = {"is_group": True, "original_avatar": f"{name}.png"}
            lines.append(line(f"{name} nods.", name, at=when, **marks))
    path = write_chat(tmp_path / "ten.jsonl", lines, header=None)
    store.import_chats([path])
    bonds = store.relationships()
    assert [bond.agent for bond in bonds] == members
    before = [(bond.verify().tip, bond.digests()) for bond in bonds]
    assert all(bond.rapport().trust > 0.5 for bond in bonds)

    store.import_chats([path])
    for bond in bonds:
        assert bond.propose(None, RuleProposer()) == []
    assert [(bond.verify().tip, bond.digests()) for bond in bonds] == before


def test_52_what_is_meant_for_one_member_reaches_that_member_alone(
    store: Store, tmp_path: Path
) -> None:
    lines = [line("Thank you for the seventh.", "Chen")] + [
        line(f"{n} nods.", f"Member {n}", is_group=True, original_avatar=f"{n}.png")
        for n in range(6)
    ]
    store.import_chats([write_chat(tmp_path / "g.jsonl", lines, header=None)], propose=False)
    bonds = store.relationships()
    before = [bond.verify().tip for bond in bonds]
    fourth = bonds[3]
    said = next(m for t in fourth.turns() for m in t.messages if m.role == "user")
    event = gratitude(fourth, said.number)
    changed = [bond.verify().tip != tip for bond, tip in zip(bonds, before, strict=True)]
    assert changed == [n == 3 for n in range(6)]
    assert fourth.why(event).quotes[0].words == "Thank you"


def test_54_old_lines_keep_their_speaker_and_the_name_of_their_day(bond: Relationship) -> None:
    bond.rename("chen", "Sarah")
    for n in range(20):
        bond.record(f"Line {n}", "Yes.")
    bond.rename("chen", "Jack", aliases=["Sarah"])
    bond.record("Renamed", "I see, Jack.")
    bond.record([Message("Tom here", role="other", speaker="tom", name="Tom")], Reply("Hello Tom."))
    messages = [m for turn in bond.turns() for m in turn.messages]
    assert {m.name for m in messages[:20]} == {"Sarah"}
    assert {m.speaker for m in messages[:21]} == {"chen"}
    assert (messages[20].name, bond.name_of("chen")) == ("Jack", "Jack")
    assert (messages[21].speaker, messages[21].role) == ("tom", "other")
    assert bond.name_of("tom") == "tom"


def test_54_what_was_told_before_a_renaming_is_recalled_under_the_name_of_today(
    bond: Relationship,
) -> None:
    bond.rename("chen", "Sarah")
    for proposer in bundled_proposers():
        bond.propose(bond.record("I live in Porto.", "I see.").number, proposer)
    assert "Sarah lives in Porto" in bond.recall("Porto").render()
    bond.rename("chen", "Jack", aliases=["Sarah"])
    bond.record([Message("I live in Oslo", role="other", speaker="tom", name="Tom")], "Hm.")
    block = bond.recall("Porto Oslo").render()
    assert "Jack lives in Porto" in block and "said by Tom, hearsay" in block
    assert "Jack lives in Oslo" not in block and "User" not in block


def test_66_a_request_sent_again_is_one_turn_and_equal_words_are_two(bond: Relationship) -> None:
    first = bond.turn("hi", request="a")
    assert bond.turn("hi", request="a").number == first.number
    first.reply("hello", request="a/reply")
    assert bond.turn("hi", request="a").number == first.number
    assert first.reply("hello", request="a/reply").number == first.view().replies[0].number
    assert bond.turn("hi", request="b").number != first.number
    bond.record("hi", "hello")
    bond.record("hi", "hello")
    assert len(bond.turns()) == 4
    length = bond.summary().events
    for said in ("ho", "", "hi "):
        with pytest.raises(RequestConflict, match="'a'"):
            bond.turn(said, request="a")
    with pytest.raises(RequestConflict):
        bond.turn(["hi", "hi"], request="a")
    with pytest.raises(RequestConflict):
        first.reply("other", request="a/reply")
    assert bond.summary().events == length


def test_66_also_when_the_words_are_long_gone(bond: Relationship) -> None:
    turn = bond.turn("my secret", request="a")
    message = turn.view().messages[0].number
    with bond._stream.writing():
        bond._stream.destroy([message])
    for said in ("my secret", "another"):
        with pytest.raises(RequestErased, match="erased"):
            bond.turn(said, request="a")


@settings(max_examples=40, **ANY)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["hi", "ho"]), st.booleans()),
        max_size=12,
    )
)
def test_66_any_order_of_requests(
    tmp_path_factory: pytest.TempPathFactory, sent: list[tuple[str, str, bool]]
) -> None:
    zone = timezone(timedelta(hours=8))
    with fixed_store(tmp_path_factory.mktemp("req") / "s.db") as opened:
        bond = opened.relationship("lumi", "chen")
        known: dict[str, tuple[str, bool, int]] = {}
        for request, words, whole in sent:
            at = datetime(2026, 1, 1, 12, tzinfo=zone)
            before = known.get(request)
            try:
                if whole:
                    turn = bond.record(words, "yes", at=at, request=request)
                else:
                    turn = bond.turn(words, at=at, request=request)
            except RequestConflict:
                assert before is not None and before[:2] != (words, whole)
                continue
            if before is not None:
                # An exchange is more than its opening; the opening alone is answered by both.
                assert before[0] == words and before[2] == turn.number
                assert before[1] or not whole
            known.setdefault(request, (words, whole, turn.number))
        assert len(bond.turns()) == len(known)
