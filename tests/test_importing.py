"""Chat files that come again: grown, edited, swiped, cut, with lines put in, copied, branched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store, line, write_chat
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from enishi.host import Relationship, Store
from enishi.kernel.errors import EnishiError, UnreadableFile
from enishi.packs.chats.cards import read_card
from enishi.packs.chats.importing import ImportReport

Line = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "store.db") as opened:
        yield opened


def at(minute: int) -> str:
    """The spoken notation, minute by minute."""
    hour, minute = divmod(minute, 60)
    half = "am" if hour < 12 else "pm"
    return f"June 19, 2023 {hour % 12 or 12}:{minute:02}{half}"


def talk(turns: int = 4) -> list[Line]:
    """A greeting, then a message and a reply per turn, a minute apart."""
    lines = [line("Welcome.", at=at(0))]
    for n in range(turns):
        lines.append(line(f"Question {n}", "Chen", at=at(2 * n + 1)))
        lines.append(line(f"Answer {n}", at=at(2 * n + 2)))
    return lines


def swiped(one: Line, texts: list[str], chosen: int) -> Line:
    return one | {"mes": texts[chosen], "swipes": texts, "swipe_id": chosen}


def take(store: Store, folder: Path, lines: list[Line], name: str = "chat") -> ImportReport:
    path = write_chat(folder / f"{name}.jsonl", lines)
    (report,) = store.import_chats([path], zone="Asia/Tokyo")
    return report


def spoken(bond: Relationship) -> list[tuple[str, str]]:
    """What stands on a branch: who, and the words."""
    return [
        (text.role, text.content or "")
        for turn in bond.turns()
        for text in (*turn.messages, *([turn.reply] if turn.reply else ()))
        if text.stands
    ]


def expected(lines: list[Line]) -> list[tuple[str, str]]:
    return [("user" if one["is_user"] else "agent", one["mes"]) for one in lines]


def only(store: Store) -> Relationship:
    (bond,) = store.relationships()
    return bond


def counts(report: ImportReport) -> dict[str, int]:
    names = ("turns", "variants", "revised", "chosen", "cut")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def test_a_chat_becomes_turns_with_their_times(store: Store, tmp_path: Path) -> None:
    report = take(store, tmp_path, talk(2))

    assert counts(report) == {"turns": 3}
    turns = only(store).turns()
    assert [len(turn.messages) for turn in turns] == [0, 1, 1]
    assert str(turns[1].happened) == "2023-06-19 00:01:00+09:00 (zone assumed)"
    assert spoken(only(store)) == expected(talk(2))
    # When it was recorded is another matter, and is kept beside.
    assert only(store).why(turns[1].number).recorded.to_datetime().year == 2026


def test_importing_again_adds_nothing(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk())
    before = only(store).verify().tip
    report = take(store, tmp_path, talk())
    assert not report.changed
    assert only(store).verify().tip == before


def test_a_grown_file_adds_the_rest(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(2))
    assert counts(take(store, tmp_path, talk(4))) == {"turns": 2}
    assert spoken(only(store)) == expected(talk(4))


def test_trailing_messages_stay_open_until_their_reply_comes(store: Store, tmp_path: Path) -> None:
    lines = talk(3)
    take(store, tmp_path, lines[:-1])
    last = only(store).turns()[-1]
    assert last.status == "open"

    take(store, tmp_path, [*lines[:-1], line("One more thing", "Chen", at=at(6)), lines[-1]])

    again = only(store).turns()[-1]
    assert (again.number, again.status) == (last.number, "completed")
    assert [m.content for m in again.messages] == ["Question 2", "One more thing"]


def test_a_changed_line_is_a_revision_and_an_old_wording_a_choice(
    store: Store, tmp_path: Path
) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    before = only(store).digests()
    edited = [*lines]
    edited[3] = edited[3] | {"mes": "Thank you so much for that answer."}
    assert counts(take(store, tmp_path, edited)) == {"revised": 1}
    assert spoken(only(store)) == expected(edited)
    assert only(store).rapport().trust > 0.5
    assert counts(take(store, tmp_path, lines)) == {"chosen": 1}
    assert only(store).digests() == before


def test_an_edited_reply_is_a_revision_too(store: Store, tmp_path: Path) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    edited = [*lines[:4], lines[4] | {"mes": "Another answer"}, *lines[5:]]
    assert counts(take(store, tmp_path, edited)) == {"revised": 1}
    assert spoken(only(store)) == expected(edited)


def test_swipes_are_variants_and_a_changed_swipe_is_a_choice(store: Store, tmp_path: Path) -> None:
    lines = talk()
    lines[4] = swiped(lines[4], ["No.", "Yes.", "Maybe."], 1)
    take(store, tmp_path, lines)
    turn = only(store).turns()[2]
    assert [(r.content, r.chosen) for r in turn.replies] == [
        ("No.", False),
        ("Yes.", True),
        ("Maybe.", False),
    ]

    lines[4] = swiped(lines[4], ["No.", "Yes.", "Maybe."], 0)
    assert counts(take(store, tmp_path, lines)) == {"chosen": 1}
    assert spoken(only(store)) == expected(lines)


def test_a_new_swipe_is_a_new_variant(store: Store, tmp_path: Path) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    lines[4] = swiped(lines[4], [lines[4]["mes"], "Better."], 1)
    assert counts(take(store, tmp_path, lines)) == {"variants": 1}
    assert spoken(only(store)) == expected(lines)


def test_an_edited_swipe_is_edited_where_it_stands(store: Store, tmp_path: Path) -> None:
    lines = talk()
    lines[4] = swiped(lines[4], ["No.", "Yes."], 1)
    take(store, tmp_path, lines)
    lines[4] = swiped(lines[4], ["No.", "Yes, gladly."], 1)
    assert counts(take(store, tmp_path, lines)) == {"revised": 1}
    turn = only(store).turns()[2]
    assert [r.content for r in turn.replies] == ["No.", "Yes, gladly."]


def test_a_cut_tail_moves_the_tip_and_what_comes_back_is_what_it_was(
    store: Store, tmp_path: Path
) -> None:
    take(store, tmp_path, talk(4))
    before = only(store).digests()
    numbers = [turn.number for turn in only(store).turns()]

    assert counts(take(store, tmp_path, talk(2))) == {"cut": 2}
    assert spoken(only(store)) == expected(talk(2))

    assert take(store, tmp_path, talk(5)).returned
    assert spoken(only(store)) == expected(talk(5))
    assert [turn.number for turn in only(store).turns()][:5] == numbers
    take(store, tmp_path, talk(4))
    assert only(store).digests() == before


def test_a_reply_cut_off_leaves_its_message(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(3))
    take(store, tmp_path, talk(3)[:-1])
    assert spoken(only(store)) == expected(talk(3)[:-1])


@pytest.mark.parametrize("place", [1, 2, 4, 5])
def test_an_inserted_line_is_a_branch(store: Store, tmp_path: Path, place: int) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    name = "Chen" if place % 2 else "Lumi"
    inserted = [*lines[:place], line("Put in", name, at=at(place)), *lines[place:]]

    report = take(store, tmp_path, inserted)

    assert report.branched and report.branch == "chat"
    assert spoken(only(store)) == expected(lines)
    assert spoken(only(store).on("chat")) == expected(inserted)
    assert not take(store, tmp_path, inserted).changed


def test_a_removed_line_is_a_branch(store: Store, tmp_path: Path) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    take(store, tmp_path, [*lines[:3], *lines[5:]])
    assert spoken(only(store)) == expected(lines)
    assert spoken(only(store).on("chat")) == expected([*lines[:3], *lines[5:]])


def test_lines_without_times_are_compared_by_their_words(store: Store, tmp_path: Path) -> None:
    lines = [{k: v for k, v in one.items() if k != "send_date"} for one in talk()]
    take(store, tmp_path, lines)
    assert all(turn.happened is None for turn in only(store).turns())
    assert not take(store, tmp_path, lines).changed
    edited = [*lines]
    edited[3] = edited[3] | {"mes": "Other words"}
    assert counts(take(store, tmp_path, edited)) == {"revised": 1}
    put_in = [*edited[:3], line("Put in", "Chen"), *edited[3:]]
    assert take(store, tmp_path, put_in).branched


def test_a_file_that_shares_a_beginning_is_a_branch_named_after_it(
    store: Store, tmp_path: Path
) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    other = [*lines[:5], line("Elsewhere", "Chen", at=at(90)), line("Indeed", at=at(91))]

    report = take(store, tmp_path, other, "other")

    assert (report.branch, report.branched, report.turns) == ("other", True, 1)
    assert spoken(only(store)) == expected(lines)
    assert spoken(only(store).on("other")) == expected(other)
    # It is found again, grows, and can be edited even in the part that it shares.
    assert not take(store, tmp_path, other, "other").changed
    grown = [*other, line("More", "Chen", at=at(92)), line("Yes", at=at(93))]
    assert counts(take(store, tmp_path, grown, "other")) == {"turns": 1}
    grown[1] = grown[1] | {"mes": "Edited in the other file"}
    assert counts(take(store, tmp_path, grown, "other")) == {"revised": 1}
    assert spoken(only(store).on("other")) == expected(grown)
    assert spoken(only(store)) == expected(lines)


def test_a_greeting_alone_is_no_beginning_in_common(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(2))
    later = [
        line("Welcome.", at=at(300)),
        line("Again", "Chen", at=at(301)),
        line("Yes", at=at(302)),
    ]
    report = take(store, tmp_path, later, "later")
    assert (report.branch, report.branched) == ("main", False)
    assert spoken(only(store)) == expected(talk(2)) + expected(later)


def test_a_greeting_of_the_same_minute_is_one(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(2))
    other = [talk()[0], line("Elsewhere", "Chen", at=at(90)), line("Indeed", at=at(91))]
    assert take(store, tmp_path, other, "other").branch == "other"


def test_a_copy_under_another_name_adds_nothing(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(4))
    report = take(store, tmp_path, talk(3), "checkpoint")
    assert not report.changed
    assert "recorded already" in report.notes[-1].message


def test_several_files_are_ordered_by_their_first_time(store: Store, tmp_path: Path) -> None:
    late = [line("Late", "Chen", at="2024-06-01@10h00m00s"), line("Hm", at="2024-06-01@10h01m00s")]
    early = [line("Early", "Chen", at="2022-06-01@10h00m00s"), line("Oh", at="1654077660000")]
    paths = [
        write_chat(tmp_path / "a.jsonl", late),
        write_chat(tmp_path / "b.jsonl", early),
        write_chat(tmp_path / "c.jsonl", [line("Never", "Chen"), line("Known")]),
    ]
    store.import_chats(paths)
    assert [words for _, words in spoken(only(store))] == [
        "Early",
        "Oh",
        "Late",
        "Hm",
        "Never",
        "Known",
    ]


def test_a_file_in_the_middle_can_still_grow_be_edited_and_cut(
    store: Store, tmp_path: Path
) -> None:
    first, second = talk(2), [line("Second", "Chen", at=at(300)), line("file", at=at(301))]
    take(store, tmp_path, first, "first")
    take(store, tmp_path, second, "second")
    assert counts(take(store, tmp_path, talk(3), "first")) == {"turns": 1}
    assert spoken(only(store)) == expected(first) + expected(second) + expected(talk(3)[-2:])
    take(store, tmp_path, talk(1), "first")
    assert spoken(only(store)) == expected(talk(1)) + expected(second)


def test_an_erased_line_does_not_come_back(store: Store, tmp_path: Path) -> None:
    lines = [*talk(2), line("My PIN is 5512", "Chen", at=at(50)), line("Noted", at=at(51))]
    take(store, tmp_path, lines)
    bond = only(store)
    secret = next(
        t.messages[0] for t in bond.turns() if t.messages and "PIN" in (t.messages[0].content or "")
    )
    with bond._stream.writing():
        bond._stream.destroy([secret.number])

    for again in (lines, [*lines, line("And now?", "Chen", at=at(52)), line("Go on", at=at(53))]):
        report = take(store, tmp_path, again)
        assert any("erased" in note.message for note in report.notes)
        assert all("5512" not in words for _, words in spoken(bond))
    assert spoken(bond)[-1] == ("agent", "Go on")
    assert bond.verify().ok


def test_a_dropped_branch_takes_nothing_in(store: Store, tmp_path: Path) -> None:
    lines = talk()
    take(store, tmp_path, lines)
    other = [*lines[:5], line("Elsewhere", "Chen", at=at(90)), line("Indeed", at=at(91))]
    take(store, tmp_path, other, "other")
    only(store).drop("other")
    report = take(store, tmp_path, [*other, line("More", "Chen", at=at(95))], "other")
    assert not report.changed and "dropped" in report.notes[-1].message


def test_an_emptied_file_changes_nothing(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk())
    assert not take(store, tmp_path, []).changed
    assert spoken(only(store)) == expected(talk())


def test_times_in_the_future_are_unknown_and_reported(store: Store, tmp_path: Path) -> None:
    report = take(store, tmp_path, [line("Hi", "Chen", at="2999-01-01@10h00m00s"), line("Yes")])
    assert only(store).turns()[0].happened is None
    assert "future" in report.notes[-1].message


def test_a_rename_keeps_who_said_what(store: Store, tmp_path: Path) -> None:
    lines = talk(3)
    for one in lines[5:]:
        one["name"] = "Jack" if one["is_user"] else one["name"]
    take(store, tmp_path, lines)
    bond = only(store)
    messages = [m for turn in bond.turns() for m in turn.messages]
    assert {m.speaker for m in messages} == {"Chen"}
    assert [m.name for m in messages] == ["Chen", "Chen", "Jack"]
    assert bond.name_of("Chen") == "Jack"


def test_a_renamed_header_finds_its_relationship_again(store: Store, tmp_path: Path) -> None:
    take(store, tmp_path, talk(2))
    path = write_chat(
        tmp_path / "chat.jsonl", talk(3), {"user_name": "Jack", "character_name": "Lumi"}
    )
    (report,) = store.import_chats([path], zone="Asia/Tokyo")
    assert (report.user, report.turns) == ("Chen", 1)


def test_a_persona_is_somebody_else(store: Store, tmp_path: Path) -> None:
    lines = [*talk(1), line("Tom here", "Tom", at=at(9), is_user=True), line("Hi Tom", at=at(10))]
    path = write_chat(tmp_path / "p.jsonl", lines)
    store.import_chats([path], personas=["Tom"])
    tom = only(store).turns()[-1].messages[0]
    assert (tom.role, tom.speaker) == ("other", "Tom")


def test_hidden_lines_are_kept_and_no_rule_reads_them(store: Store, tmp_path: Path) -> None:
    lines = [
        line("Thank you so much.", "Chen", at=at(1), is_system=True, is_user=True),
        line("Yes", at=at(2)),
    ]
    take(store, tmp_path, lines)
    turn = only(store).turns()[0]
    assert turn.messages[0].hidden
    assert only(store).rapport().trust == 0.5


def group(members: int, rounds: int) -> list[Line]:
    lines = []
    for n in range(rounds):
        lines.append(line(f"Thank you all, {n}.", "Chen", at=at(n * (members + 1))))
        for who in range(members):
            name = f"Member {who}"
            marks = {"is_group": True, "original_avatar": f"{name}.png"}
            lines.append(
                line(f"{name} says {n}", name, at=at(n * (members + 1) + who + 1), **marks)
            )
    return lines


def test_a_group_chat_goes_to_each_who_was_there(store: Store, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "group.jsonl", group(3, 4), header=None)
    reports = store.import_chats([path])
    assert [report.agent for report in reports] == ["Member 0", "Member 1", "Member 2"]
    for bond in store.relationships():
        own = [words for role, words in spoken(bond) if role == "agent"]
        assert own == [f"{bond.agent} says {n}" for n in range(4)]
        assert len(spoken(bond)) == len(group(3, 4))
    assert not any(report.changed for report in store.import_chats([path]))


def test_one_agent_of_a_group_can_be_chosen(store: Store, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "group.jsonl", group(3, 2), header=None)
    for agent in ("Member 1", "Member 1.png"):
        (report,) = store.import_chats([path], agent=agent)
        assert report.agent == agent


def test_one_broken_file_among_several_takes_nothing_in(store: Store, tmp_path: Path) -> None:
    good = write_chat(tmp_path / "good.jsonl", talk())
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\x00\x01 no chat")
    with pytest.raises(UnreadableFile, match="bad"):
        store.import_chats([good, bad])
    assert store.relationships() == []


def test_a_file_that_comes_in_turns_as_it_was_and_as_it_is_adds_nothing(
    store: Store, tmp_path: Path
) -> None:
    """As two chats of one name in two folders do, or a copy from before a line was put in."""
    old = talk()
    new = [*old[:3], line("Put in.", "Chen", at=at(50)), *old[3:]]
    take(store, tmp_path, old)
    branch = take(store, tmp_path, new).branch
    bond = only(store)
    length = len(bond.records())
    for lines in (old, new, old, old, new):
        assert not take(store, tmp_path, lines).changed
    assert len(bond.records()) == length and len(bond.branches()) == 2
    more = [line("And then?", "Chen", at=at(70)), line("The end.", at=at(71))]
    for lines, where in ((old, "main"), (new, branch)):
        report = take(store, tmp_path, [*lines, *more])
        assert (report.branch, report.turns) == (where, 1)
        assert spoken(bond.on(where)) == expected([*lines, *more])
    assert len(bond.branches()) == 2 and bond.verify().ok


# What a person did here since the file was taken in

HERE: dict[str, Callable[[Relationship], object]] = {
    "edits a message": lambda bond: bond.edit(bond.turns()[2].messages[0], "Edited here."),
    "edits a reply": lambda bond: bond.edit(reply_of(bond, 2), "Edited here."),
    "edits a reply twice": lambda bond: [
        bond.edit(reply_of(bond, 2), w) for w in ("Once.", "Two.")
    ],
    "swipes": lambda bond: bond.swipe(bond.turns()[2].number, 1),
    "regenerates": lambda bond: bond.regenerate(bond.turns()[1].number, "Regenerated here."),
    "regenerates a swiped one": lambda bond: bond.regenerate(bond.turns()[2].number, "Here."),
    "withdraws": lambda bond: bond.withdraw(bond.turns()[2].number),
    "erases": lambda bond: bond.erase(bond.turns()[2].number),
    "goes back": lambda bond: bond.back(bond.turns()[2].number),
    "goes back and on": lambda bond: (
        bond.back(bond.turns()[2].number),
        bond.record("Rather this.", "Gladly."),
    ),
    "goes back to nothing": lambda bond: bond.back(None),
    "talks on": lambda bond: bond.record("Still there?", "Always."),
    "is elsewhere": lambda bond: (bond.fork("side", bond.turns()[2].number), bond.switch("side")),
}


def reply_of(bond: Relationship, place: int) -> int:
    reply = bond.turns()[place].reply
    assert reply is not None
    return reply.number


def with_swipes(lines: list[Line]) -> list[Line]:
    return [*lines[:4], swiped(lines[4], ["No.", "Yes.", "Maybe."], 1), *lines[5:]]


@pytest.mark.parametrize("name", HERE)
def test_a_file_that_did_not_change_undoes_nothing_that_was_done_here(
    name: str, store: Store, tmp_path: Path
) -> None:
    lines = with_swipes(talk())
    take(store, tmp_path, lines)
    bond = only(store)
    HERE[name](bond)
    said, before = spoken(bond), len(bond.records())
    for _ in range(2):
        assert not take(store, tmp_path, lines).changed
    assert spoken(bond) == said and len(bond.records()) == before
    assert bond.verify().ok


@pytest.mark.parametrize("name", HERE)
def test_what_a_file_has_more_is_taken_in_whatever_was_done_here(
    name: str, store: Store, tmp_path: Path
) -> None:
    lines = with_swipes(talk())
    take(store, tmp_path, lines)
    bond = only(store)
    HERE[name](bond)
    said = spoken(bond)
    more = [line("And then?", "Chen", at=at(70)), line("The end.", at=at(71))]
    report = take(store, tmp_path, [*lines, *more])
    assert report.turns == 1
    taken = spoken(bond.on(report.branch))
    assert taken[-2:] == expected(more)
    assert spoken(bond)[: len(said)] == said, "what was here stays"
    if name.startswith("goes back"):
        assert report.branched and taken == expected([*lines, *more])
    length = len(bond.records())
    assert not take(store, tmp_path, [*lines, *more]).changed
    assert len(bond.records()) == length and bond.digests() == bond.replay()


def test_where_a_file_changed_its_word_counts(store: Store, tmp_path: Path) -> None:
    lines = with_swipes(talk())
    take(store, tmp_path, lines)
    bond = only(store)
    bond.edit(bond.turns()[2].messages[0], "Edited here.")
    bond.regenerate(bond.turns()[3].number, "Regenerated here.")
    bond.swipe(bond.turns()[2].number, 3)
    lines[3] = lines[3] | {"mes": "Edited there."}
    lines[4] = swiped(lines[4], ["No.", "Yes.", "Maybe."], 0)
    lines[5] = lines[5] | {"mes": "Asked there."}
    lines[6] = lines[6] | {"mes": "Answered there."}
    take(store, tmp_path, lines)
    assert spoken(bond) == expected(lines)
    assert not take(store, tmp_path, lines).changed
    assert "Regenerated here." in [reply.content for reply in bond.turns()[3].replies]


STEPS = st.sampled_from(
    ["same", "grow", "edit", "swipe", "new swipe", "cut", "message", "as before"]
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(STEPS, st.integers(0, 50)), max_size=8), st.booleans())
def test_however_a_file_changes_its_branch_says_what_it_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]], dated: bool
) -> None:
    folder = tmp_path_factory.mktemp("life")
    with fixed_store(folder / "s.db") as store:
        lines, serial, before = talk(2), 100, [talk(2)]
        for step, place in [("same", 0), *steps]:
            serial += 1
            if step == "as before":
                lines = before[place % len(before)]
            lines = changed(lines, step, place, serial)
            before.append(lines)
            shown = lines if dated else [{**one, "send_date": None} for one in lines]
            report = take(store, folder, shown)
            bond = only(store)
            assert spoken(bond.on(report.branch)) == expected(lines)
            assert not take(store, folder, shown).changed
        assert bond.verify().ok
        assert bond.digests() == bond.replay()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.sampled_from(sorted(HERE)) | st.tuples(STEPS | st.just("put in"), st.integers(0, 50)),
        max_size=8,
    )
)
@example(["talks on", ("cut", 1)])
@example(["goes back", ("edit", 0)])
@example(["goes back and on", ("grow", 0), "swipes", ("as before", 0)])
def test_a_person_and_a_file_take_turns_and_coming_again_adds_nothing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str | tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    with fixed_store(folder / "s.db") as store:
        lines = with_swipes(talk())
        take(store, folder, lines)
        bond, before = only(store), [lines]
        for serial, step in enumerate(steps, start=100):
            if isinstance(step, str):
                with suppress(EnishiError, IndexError, AssertionError):  # there is none any more
                    HERE[step](bond)
                continue
            what, place = step
            if what == "as before":
                lines = before[place % len(before)]
            elif what == "put in":
                lines = list(lines)
                lines.insert(place % len(lines), line(f"Put in {serial}", "Chen", at=at(serial)))
            else:
                lines = changed(lines, what, place, serial)
            before.append(lines)
            take(store, folder, lines)
            length = len(bond.records())
            assert not take(store, folder, lines).changed
            assert len(bond.records()) == length
        assert bond.verify().ok and bond.digests() == bond.replay()


def changed(lines: list[Line], step: str, place: int, serial: int) -> list[Line]:
    """The file after one step of a person's doing."""
    lines = [dict(one) for one in lines]
    replies = [n for n, one in enumerate(lines) if not one["is_user"]]
    match step:
        case "grow":
            lines.append(line(f"More {serial}", "Chen", at=at(serial)))
            lines.append(line(f"Reply {serial}", at=at(serial)))
        case "message":
            lines.append(line(f"Alone {serial}", "Chen", at=at(serial)))
        case "edit":
            one = lines[place % len(lines)]
            one["mes"] = f"Edited {serial}"
            if "swipes" in one:
                texts = list(one["swipes"])
                texts[one["swipe_id"]] = one["mes"]
                one["swipes"] = texts
        case "swipe" | "new swipe":
            index = replies[place % len(replies)]
            texts = list(lines[index].get("swipes", [lines[index]["mes"]]))
            if step == "new swipe":
                texts.append(f"Swipe {serial}")
            lines[index] = swiped(lines[index], texts, place % len(texts))
        case "cut":
            del lines[max(1, len(lines) - 1 - place % 3) :]
    return lines


def test_real_chats_and_cards(store: Store, tmp_path: Path) -> None:
    formats = Path(__file__).parent.parent.parent / "shared" / "data" / "formats"
    if not formats.is_dir():
        pytest.skip(f"the real files are not here: {formats}")
    chats = sorted((formats / "sillytavern").glob("*.jsonl"))
    reports = store.import_chats(chats, zone="Europe/Berlin")
    assert [report.turns for report in reports] == [1, 1, 1]
    assert {bond.agent for bond in store.relationships()} == {"Aqua", "Darkness", "Megumin"}
    for bond in store.relationships():
        assert bond.verify().ok
        assert bond.rebuild() == bond.replay() == bond.digests()
        assert bond.turns()[0].happened is not None
        assert bond.turns()[0].happened.to_datetime() > datetime(2023, 1, 1, tzinfo=UTC)
    assert not any(report.changed for report in store.import_chats(chats, zone="Europe/Berlin"))


def test_real_cards_are_blueprints(store: Store) -> None:
    folder = Path(__file__).parent.parent.parent / "shared" / "data" / "formats" / "character_cards"
    if not folder.is_dir():
        pytest.skip(f"the real files are not here: {folder}")
    for path in sorted(folder.glob("*.png")):
        card = read_card(path.name, path.read_bytes())
        bond = store.relationship(card.name, path.stem, blueprint=card)
        assert bond.blueprint() == json.loads(card.json)
        (adopted,) = [one for one in bond.records() if one.type == "BlueprintAdopted"]
        assert bond.why(adopted.number).why_not is None
        assert bond.verify().ok
        assert bond.rebuild() == bond.replay() == bond.digests()
        before = bond.summary().events
        bond.adopt_blueprint(card)
        assert bond.summary().events == before
