"""SillyTavern chats, from the files of its own history to files that only look like one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enishi.kernel.errors import UnreadableFile
from enishi.kernel.moments import parse_moment
from enishi.packs.chats.chat import MESSAGE_LIMIT, Chat, ChatLine, clean
from enishi.packs.chats.dates import read_date
from enishi.packs.chats.readers import READERS, read_chats
from enishi.packs.chats.sillytavern import SillyTavern

TOKYO = ZoneInfo("Asia/Tokyo")
FILE = "Aqua - 2024-07-12@01h31m37s.jsonl"
SAMPLES = Path(__file__).parents[1] / "../shared/data/formats"

REAL = ["Aqua_1673181146000", "Darkness_1673225255706", "Megumin_1673323621108"]

HEADER = {"user_name": "Kazuma", "character_name": "Aqua", "create_date": "2024-07-12@01h31m37s"}
DATE = "2025-11-23T10:02:03.123Z"


def said(mes: object, name: object = "Aqua", **more: object) -> dict[str, object]:
    """One message of a character, as SillyTavern writes it."""
    more = {"is_user": False, "is_system": False, "send_date": DATE, "extra": {}} | more
    return {"name": name, "mes": mes} | more


def typed(mes: object, name: object = "Kazuma", **more: object) -> dict[str, object]:
    return said(mes, name, is_user=True, **more)


def jsonl(*lines: object) -> bytes:
    """A chat file: objects as JSON, bytes as they are."""
    return b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )


def chat(*lines: object, header: dict[str, Any] | None = HEADER) -> Chat:
    (chat,) = read_chats(FILE, jsonl(*([header] if header else []), *lines), TOKYO)
    return chat


def only(*lines: object) -> ChatLine:
    (line,) = chat(*lines).lines
    return line


def texts(line: ChatLine) -> list[str]:
    return [wording.text for wording in line.wordings]


def messages(found: Chat) -> list[str]:
    return [note.message for note in found.notes]


# --- the plain file


def test_a_chat_gives_its_names_and_lines_in_the_order_of_the_file() -> None:
    found = chat(said("Hello!"), typed("Who are you?"))
    assert (found.format, found.title) == ("sillytavern", FILE[:-6])
    assert (found.agent, found.user, found.parent, found.group) == ("Aqua", "Kazuma", None, False)
    assert found.notes == ()
    first, second = found.lines
    assert (first.position, first.role, first.speaker, first.name) == (2, "agent", "Aqua", "Aqua")
    assert (second.position, second.role, second.name) == (3, "user", "Kazuma")
    assert (texts(first), first.chosen, first.hidden) == (["Hello!"], 0, False)
    assert first.wordings[0].happened == parse_moment("2025-11-23T19:02:03.123+09:00")


def test_a_header_alone_is_a_chat_without_lines() -> None:
    assert chat().lines == ()


def test_a_chat_without_header_is_read_and_names_nobody() -> None:
    found = chat(said("Hello!"), typed("Hi."), header=None)
    assert (found.agent, found.user) == (None, None)
    assert [line.role for line in found.lines] == ["agent", "user"]


def test_the_name_unused_in_a_header_is_no_name() -> None:
    header = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}
    found = chat(said("Hello!"), header=header)
    assert (found.agent, found.user, found.lines[0].role) == (None, None, "agent")


def test_a_first_line_with_a_message_is_no_header() -> None:
    found = chat(said("Hello!", chat_metadata={"main_chat": "x"}), header=None)
    assert (len(found.lines), found.parent) == (1, None)


def test_metadata_gives_the_parent() -> None:
    metadata = {"integrity": "6c0b9a64-0000-4000-8000-5a1b0a0f0f0f", "main_chat": "Aqua - first"}
    found = chat(header={"chat_metadata": metadata})
    assert (found.title, found.parent) == (FILE[:-6], "Aqua - first")
    assert found.title == FILE[:-6]
    empty = chat(header={"chat_metadata": {"integrity": "", "main_chat": ""}})
    assert (empty.title, empty.parent) == (FILE[:-6], None)


def test_a_byte_order_mark_crlf_blank_lines_and_a_final_newline_change_nothing() -> None:
    plain = jsonl(HEADER, said("Hello!"), typed("Hi."))
    dressed = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n") + b"\r\n"
    assert read_chats(FILE, dressed, TOKYO) == read_chats(FILE, plain, TOKYO)
    (spaced,) = read_chats(FILE, plain.replace(b"\n", b"\n \n\n") + b"\n", TOKYO)
    assert [line.position for line in spaced.lines] == [4, 7]
    assert spaced.notes == ()


def test_a_line_separator_within_a_text_ends_no_line() -> None:
    entry = json.dumps(said("one\u2028two\x85three"), ensure_ascii=False).encode()
    assert texts(only(entry)) == ["one\u2028two\x85three"]


# --- broken lines


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"name": "Aqua", "mes": "cut o', "is not JSON"),
        (b'["mes"]', "is not a JSON object"),
        (b"\0\0\0\0", "is not a JSON object"),
        (b'{"name": "Aqua"}', "no message"),
        (b'{"name": "Aqua", "mes": 7}', "no message"),
        (b'{"name": "Aqua", "mes": null}', "no message"),
        (b'{"mes": "hi", "swipe_id": ' + b"9" * 5000 + b"}", "number"),
        (b'{"mes": "hi", "swipe_id": NaN}', "number"),
        (b'{"mes": ' + b"[" * 100_000 + b"}", "nests too deeply"),
        (json.dumps(said("x" * (MESSAGE_LIMIT + 1))).encode(), "longer than 1 MiB"),
    ],
)
def test_a_broken_line_is_reported_and_the_rest_is_read(line: bytes, reason: str) -> None:
    found = chat(said("Hello!"), line, typed("Hi."))
    assert [entry.position for entry in found.lines] == [2, 4]
    (note,) = found.notes
    assert note.position == 3
    assert reason in note.message


def test_a_message_of_exactly_one_mebibyte_is_taken() -> None:
    assert len(only(said("x" * MESSAGE_LIMIT)).wordings[0].text) == MESSAGE_LIMIT


def test_a_broken_first_line_does_not_hide_the_chat() -> None:
    found = chat(b'{"user_name": "Kaz', said("Hello!"), header=None)
    assert [line.position for line in found.lines] == [2]
    assert [note.position for note in found.notes] == [1]


def test_a_second_header_within_the_file_is_reported() -> None:
    found = chat(said("Hello!"), HEADER, said("Again."))
    assert [note.position for note in found.notes] == [3]
    assert len(found.lines) == 2


def test_bytes_that_are_not_utf8_are_replaced_and_reported() -> None:
    true = json.dumps(typed("A true \ufffd is no damage."), ensure_ascii=False).encode()
    found = chat(b'{"name": "Aqua", "mes": "caf\xe9"}', true)
    assert texts(found.lines[0]) == ["caf\ufffd"]
    assert [note.position for note in found.notes] == [2]
    assert "UTF-8" in found.notes[0].message


def test_characters_that_cannot_be_stored_are_replaced_and_reported() -> None:
    found = chat(
        b'{"name": "A\\u0000qua", "mes": "half \\ud83d", "swipes": ["half \\ud83d", "\\u0000"]'
        b', "swipe_id": 0}'
    )
    (line,) = found.lines
    assert (texts(line), line.name) == (["half \ufffd", "\ufffd"], "A\ufffdqua")
    (note,) = found.notes
    assert "U+FFFD" in note.message


def test_clean_leaves_whole_characters_alone() -> None:
    assert clean("caf\u00e9 \U0001f431\n") == ("caf\u00e9 \U0001f431\n", None)


# --- variants


def test_variants_keep_their_own_times_and_the_chosen_one_stands() -> None:
    line = only(
        said(
            "two",
            swipes=["one", "two", "three"],
            swipe_id=1,
            swipe_info=[{"send_date": "2024-07-12@01h31m37s"}, {"send_date": "never"}, {}],
        )
    )
    assert (texts(line), line.chosen) == (["one", "two", "three"], 1)
    assert [wording.happened for wording in line.wordings] == [
        read_date("2024-07-12@01h31m37s", TOKYO),
        read_date(DATE, TOKYO),
        None,
    ]


def test_a_time_of_the_chosen_variant_goes_before_that_of_the_line() -> None:
    info = [{"send_date": "2024-07-12@01h31m37s"}]
    line = only(said("one", swipes=["one"], swipe_id=0, swipe_info=info))
    assert line.wordings[0].happened == read_date("2024-07-12@01h31m37s", TOKYO)


def test_variants_without_information_have_no_time() -> None:
    line = only(said("two", swipes=["one", "two"], swipe_id=1, swipe_info=[{}]))
    assert [wording.happened for wording in line.wordings] == [None, read_date(DATE, TOKYO)]
    line = only(said("one", swipes=["one", "two"], swipe_id=0, swipe_info={"0": {}}))
    assert [wording.happened for wording in line.wordings] == [read_date(DATE, TOKYO), None]


def test_an_edited_message_wins_over_the_variant_it_was_edited_from() -> None:
    found = chat(said("two, edited", swipes=["one", "two"], swipe_id=1))
    assert (texts(found.lines[0]), found.lines[0].chosen) == (["one", "two, edited"], 1)
    assert found.notes == ()


@pytest.mark.parametrize("swipe_id", [2, -1, None, "1", 1.0, True, [], 10**30])
def test_a_chosen_variant_that_is_none_is_reported_and_the_message_taken(swipe_id: object) -> None:
    found = chat(said("new", swipes=["one", "two"], swipe_id=swipe_id))
    (line,) = found.lines
    assert (texts(line), line.chosen) == (["one", "two", "new"], 2)
    assert len(found.notes) == 1
    again = only(said("two", swipes=["one", "two"], swipe_id=swipe_id))
    assert (texts(again), again.chosen) == (["one", "two"], 1)


def test_variants_that_cannot_be_taken_are_left_out_and_the_choice_follows() -> None:
    found = chat(
        said("three", swipes=[None, "x" * (MESSAGE_LIMIT + 1), "three", "four"], swipe_id=2)
    )
    assert (texts(found.lines[0]), found.lines[0].chosen) == (["three", "four"], 0)
    (note,) = found.notes
    assert "variant" in note.message


@pytest.mark.parametrize("swipes", ["one", {"0": "one"}, 3, False])
def test_variants_that_are_no_list_are_reported(swipes: object) -> None:
    found = chat(said("one", swipes=swipes, swipe_id=0))
    assert texts(found.lines[0]) == ["one"]
    assert "no list" in found.notes[0].message


@pytest.mark.parametrize("swipes", [None, []])
def test_no_variants_are_nothing_to_report(swipes: object) -> None:
    found = chat(typed("hello", swipes=swipes))
    assert (texts(found.lines[0]), found.notes) == (["hello"], ())


def test_the_wrapped_messages_of_chub_are_unwrapped() -> None:
    line = only(
        said({"message": "two"}, swipes=[{"message": "one"}, {"message": "two"}], swipe_id=1)
    )
    assert (texts(line), line.chosen) == (["one", "two"], 1)


# --- dates


def test_unreadable_dates_are_counted_in_one_note() -> None:
    found = chat(said("a", send_date="never"), said("b"), said("c", send_date=[]))
    assert [line.wordings[0].happened is None for line in found.lines] == [True, False, True]
    (note,) = found.notes
    assert note.position == 2
    assert ": 2," in note.message


def test_a_missing_date_is_unknown_and_nothing_to_report() -> None:
    found = chat(b'{"name": "Aqua", "mes": "Hello!"}')
    assert found.lines[0].wordings[0].happened is None
    assert found.notes == ()


def test_local_dates_take_the_zone_given() -> None:
    happened = only(said("a", send_date="June 19, 2023 2:20pm")).wordings[0].happened
    assert happened is not None
    assert (happened.offset, happened.assumed) == (9 * 3600, True)


# --- who speaks


def test_hidden_lines_are_lines_and_keep_their_speaker() -> None:
    found = chat(said("Hello!"), said("Secret.", is_system=True), typed("Psst.", is_system=True))
    assert [line.hidden for line in found.lines] == [False, True, True]
    assert [line.role for line in found.lines] == ["agent", "agent", "user"]


def test_hidden_lines_of_a_character_nobody_names_are_known_by_their_making() -> None:
    found = chat(said("Hidden.", is_system=True, gen_started=DATE), header=None)
    assert (found.lines[0].role, found.lines[0].hidden) == ("agent", True)


@pytest.mark.parametrize(
    "more",
    [
        {"is_system": True},
        {"is_system": True, "extra": {"type": "comment"}},
        {"extra": {"type": "narrator"}},
        {"extra": {"type": "assistant_note"}},
    ],
)
def test_the_words_of_a_narrator_are_of_nobody_in_the_relationship(more: dict[str, object]) -> None:
    found = chat(said("Hello!"), said("Night falls.", "Narrator", **more))
    assert (found.lines[1].role, found.lines[1].speaker) == ("other", "Narrator")
    assert found.group is False


def test_a_card_is_the_id_of_no_user_and_of_no_narrator() -> None:
    more = {"original_avatar": "aqua.png", "is_system": True}
    typed_line = typed("Hi.", **more)
    narrated = said("Night falls.", "Narrator", extra={"type": "narrator"}, **more)
    found = chat(said("Hello!"), typed_line, narrated)
    assert [line.speaker for line in found.lines] == ["Aqua", "Kazuma", "Narrator"]


def test_a_narrator_under_the_name_of_the_character_is_the_character() -> None:
    assert only(said("Night falls.", extra={"type": "narrator"})).role == "agent"


def test_a_group_tells_its_characters_apart_by_their_cards() -> None:
    found = chat(
        said("Hello!", original_avatar="aqua.png", is_group=True),
        said("Explosion!", "Megumin", original_avatar="megumin.png", is_group=True),
        said("Me again.", "Aqua the Great", original_avatar="aqua.png", is_group=True),
        typed("Hi both."),
        header={"chat_metadata": {}, "user_name": "unused", "character_name": "unused"},
    )
    assert found.group is True
    speakers = [line.speaker for line in found.lines]
    assert speakers == ["aqua.png", "megumin.png", "aqua.png", "Kazuma"]
    assert found.lines[2].name == "Aqua the Great"
    assert [line.role for line in found.lines] == ["agent", "agent", "agent", "user"]


def test_a_line_without_a_card_finds_it_by_its_name() -> None:
    found = chat(said("Hello!", original_avatar="aqua.png"), said("Again."))
    assert [line.speaker for line in found.lines] == ["aqua.png", "aqua.png"]
    assert found.group is False


def test_a_name_that_two_cards_share_leads_to_neither() -> None:
    found = chat(said("a", original_avatar="1.png"), said("b", original_avatar="2.png"), said("c"))
    assert [line.speaker for line in found.lines] == ["1.png", "2.png", "Aqua"]
    assert found.group is True


def test_two_names_without_cards_are_a_group_and_the_flag_alone_is_enough() -> None:
    assert chat(said("Hello!"), said("Explosion!", "Megumin")).group is True
    assert chat(said("Hello!", is_group=True)).group is True


def test_a_line_without_a_name_takes_the_one_of_the_header_and_is_reported() -> None:
    found = chat(said("Hello!", None), typed("Hi.", 7), said("Oh.", ""))
    assert [line.name for line in found.lines] == ["Aqua", "Kazuma", "Aqua"]
    assert len(found.notes) == 3


def test_a_flag_in_words_is_no_flag() -> None:
    line = only(said("Hello!", is_user="false", is_system="no"))
    assert (line.role, line.hidden) == ("agent", False)


# --- what is no chat


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG"),
        (b"PK\x03\x04" + bytes(50), "ZIP"),
        (bytes(range(256)), "binary"),
        (b"a\0b", "binary"),
        (json.dumps([{"chapters": {}}]).encode(), "JSON of another kind"),
        (json.dumps({"first_mes": "Hello!", "name": "Aqua"}).encode(), "JSON of another kind"),
        (b'{"mes": "enero", "total": 3}', "JSON of another kind"),
        (b'{"a": 1}\n{"b": 2}', "JSON of another kind"),
        ("こんにちは".encode(), "plain text"),
        (("é" * 3000).encode()[:4099], "plain text"),
    ],
)
def test_what_is_no_chat_is_refused_in_one_line(data: bytes, kind: str) -> None:
    assert not READERS[0].detects(FILE, data)
    with pytest.raises(UnreadableFile) as caught:
        read_chats("some\nfile.jsonl", data, TOKYO)
    message = str(caught.value)
    assert kind in message
    assert "sillytavern" in message
    assert "\n" not in message


def test_the_reader_itself_refuses_what_is_no_chat() -> None:
    with pytest.raises(UnreadableFile, match="no SillyTavern chat"):
        SillyTavern().read(FILE, b'{"a": 1}\n{"b": 2}', TOKYO)


# --- the real files


@pytest.mark.parametrize("who", REAL)
def test_the_oldest_real_files_are_read(who: str) -> None:
    path = SAMPLES / f"sillytavern/2023-01_{who}.jsonl"
    if not path.exists():
        pytest.skip(f"the real chat {path.name} is not at hand")
    name = who.partition("_")[0]
    (found,) = read_chats(path.name, path.read_bytes(), TOKYO)
    (line,) = found.lines
    raw = json.loads(path.read_text(encoding="utf-8").splitlines()[1])
    assert (found.agent, found.user, found.group, found.notes) == (name, "You", False, ())
    assert (line.role, line.speaker, texts(line)) == ("agent", name, [raw["mes"]])
    happened = line.wordings[0].happened
    assert happened is not None
    assert happened.at == raw["send_date"] * 1000


# --- whatever comes

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
FIELDS = [
    *["name", "mes", "is_user", "is_system", "is_group", "send_date", "swipes", "swipe_id"],
    *["swipe_info", "extra", "original_avatar", "gen_started", "chat_metadata", "user_name"],
    "character_name",
]
entries = st.dictionaries(st.sampled_from(FIELDS), json_values)


def check_shape(found: Chat) -> None:
    positions = [line.position for line in found.lines]
    assert positions == sorted(set(positions))
    for line in found.lines:
        assert 0 <= line.chosen < len(line.wordings)
        assert line.name and line.speaker
        for wording in line.wordings:
            wording.text.encode()
    assert [note.position for note in found.notes] == sorted(note.position for note in found.notes)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xff\xfe{\x00")
def test_arbitrary_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (read_chats, SillyTavern().read):
        try:
            for found in read(FILE, data, TOKYO):
                check_shape(found)
        except UnreadableFile as error:
            assert repr(FILE) in str(error)


@settings(max_examples=50, deadline=None)
@given(st.lists(entries, max_size=4))
def test_arbitrary_objects_as_lines_leave_the_others_whole(odd: list[dict[str, object]]) -> None:
    found = chat(*odd, said("The last word."))
    check_shape(found)
    assert texts(found.lines[-1]) == ["The last word."]
    reported = {note.position for note in found.notes}
    taken = {line.position for line in found.lines}
    assert reported | taken >= set(range(2, len(odd) + 3))


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_as_far_as_it_goes(chance: random.Random) -> None:
    data = bytearray(jsonl(HEADER, *(said(f"line {n}", swipes=["a", "b"]) for n in range(5))))
    for _ in range(chance.randrange(1, 20)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    del data[chance.randrange(len(data)) :]
    try:
        for found in read_chats(FILE, bytes(data), TOKYO):
            check_shape(found)
    except UnreadableFile as error:
        assert repr(FILE) in str(error)
