"""Character cards, in images and beside them, whole and broken."""

from __future__ import annotations

import base64
import json
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enishi.kernel.errors import UnreadableFile
from enishi.packs.chats.cards import FIELD_LIMIT, JSON_LIMIT, Card, is_card, read_card

SAMPLES = Path(__file__).parents[1] / "../shared/data/formats/character_cards"
REAL = [
    "default_CodingSensei_2023-07",
    "default_CodingSensei_2024-05",
    "default_FluxTheCat",
    "default_Seraphina",
    "tavernai_v1_2023-01",
]

V1 = {"name": "Aqua", "description": "A goddess.", "first_mes": "Hello!", "mes_example": ""}
V2 = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": V1 | {"alternate_greetings": ["Oh.", "", 7, "Ah."], "extensions": {"own": [1.50]}},
}
V3 = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": V1 | {"name": "Aqua V3", "nickname": "Aqu", "group_only_greetings": ["All!"]},
}


def embedded(card: object) -> bytes:
    """A card as images carry it: JSON in base64."""
    return base64.b64encode(json.dumps(card).encode())


def chunk(kind: bytes, body: bytes, checksum: int | None = None) -> bytes:
    whole = zlib.crc32(kind + body) if checksum is None else checksum
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", whole)


def text(keyword: bytes, value: bytes) -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + value)


def packed(keyword: bytes, value: bytes) -> bytes:
    return chunk(b"zTXt", keyword + b"\0\0" + zlib.compress(value))


def png(*chunks: bytes, end: bytes = chunk(b"IEND", b"")) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + b"".join(chunks) + end


def read(data: bytes) -> Card:
    return read_card("aqua.png", data)


def refused(data: bytes) -> str:
    """The message with which the card is refused."""
    with pytest.raises(UnreadableFile) as caught:
        read(data)
    message = str(caught.value)
    assert "'aqua.png'" in message
    assert "\n" not in message
    return message


# --- the three versions


def test_a_v1_card_is_flat() -> None:
    card = read(png(text(b"chara", embedded(V1))))
    assert (card.spec, card.name, card.nickname, card.greetings) == (
        "v1",
        "Aqua",
        None,
        ("Hello!",),
    )
    assert card.fields() == V1
    assert card.notes == ()


def test_a_v1_card_may_have_the_keys_of_pygmalion() -> None:
    keys = {
        "char_name": "Aqua",
        "char_greeting": "Hello!",
        "char_persona": "A goddess.",
        "name": "",
    }
    card = read(json.dumps(keys).encode())
    assert (card.spec, card.name, card.greetings) == ("v1", "Aqua", ("Hello!",))


def test_a_v2_card_has_its_fields_under_data_and_several_greetings() -> None:
    card = read(png(text(b"chara", embedded(V2 | {"name": "stale"}))))
    assert (card.spec, card.name, card.greetings) == ("v2", "Aqua", ("Hello!", "Oh.", "Ah."))
    assert card.fields() == V2["data"]


def test_data_without_a_specification_is_told_by_its_fields() -> None:
    card = read(json.dumps({"data": V1}).encode())
    assert (card.spec, card.name) == ("v2", "Aqua")
    assert read(json.dumps({"data": V1, "spec_version": "3.0"}).encode()).spec == "v3"
    assert read(json.dumps(V1 | {"data": {"other": 1}, "spec": "x"}).encode()).spec == "v1"


def test_a_v3_card_has_a_nickname_and_wins_over_the_older_one_beside_it() -> None:
    both = [text(b"ccv3", embedded(V3)), text(b"chara", embedded(V2))]
    for chunks in (both, both[::-1]):
        card = read(png(*chunks))
        assert (card.spec, card.name, card.nickname) == ("v3", "Aqua V3", "Aqu")
        assert card.notes == ()


def test_the_json_is_kept_to_the_letter() -> None:
    written = '{ "spec":"chara_card_v2",\r\n"data": {"name":"\\u0041qua","extensions":{"x":1.50}}}'
    for data in (written.encode(), png(text(b"chara", base64.b64encode(written.encode())))):
        assert read(data).json == written
    assert read(b"\xef\xbb\xbf" + written.encode()).json == written


@pytest.mark.parametrize(
    ("version", "noted"),
    [
        ("3.0", False),
        (3, False),
        ("3.1", True),
        ("10", True),
        (None, False),
        ("new", False),
        ([], False),
        ("nan", False),
        (10**400, False),
    ],
)
def test_newer_versions_are_read_and_noted(version: object, noted: bool) -> None:
    card = read(json.dumps(V3 | {"spec_version": version}).encode())
    assert card.spec == "v3"
    assert any("newer" in note for note in card.notes) is noted


def test_a_later_specification_is_read_as_the_newest_known() -> None:
    card = read(json.dumps(V3 | {"spec": "chara_card_v4", "spec_version": "4.0"}).encode())
    assert (card.spec, len(card.notes)) == ("v3", 1)


def test_a_card_without_greeting_has_none() -> None:
    assert read(json.dumps(V1 | {"first_mes": " "}).encode()).greetings == ()


def test_characters_that_cannot_be_stored_are_replaced_in_names_and_noted_once() -> None:
    card = read(json.dumps(V1 | {"name": "A\0qua\ud800", "first_mes": "\0"}).encode())
    assert (card.name, card.greetings) == ("A\ufffdqua\ufffd", ("\ufffd",))
    assert len(card.notes) == 1


# --- the image


def test_every_kind_of_text_chunk_is_read() -> None:
    value = embedded(V2)
    plain = chunk(b"iTXt", b"chara\0\0\0en\0Figur\0" + value)
    small = chunk(b"iTXt", b"chara\0\1\0\0\0" + zlib.compress(value))
    for kind in (text(b"chara", value), packed(b"chara", value), plain, small):
        assert read(png(kind)).name == "Aqua"


def test_keywords_are_compared_without_case() -> None:
    assert read(png(text(b"Chara", embedded(V2)), text(b"CCv3", embedded(V3)))).spec == "v3"


def test_of_several_copies_the_last_counts() -> None:
    old = embedded(V1 | {"name": "Old"})
    assert read(png(text(b"chara", old), text(b"chara", embedded(V1)))).name == "Aqua"


@pytest.mark.parametrize(
    "broken",
    [
        text(b"ccv3", b"!!!"),
        text(b"ccv3", b"abcde"),
        text(b"ccv3", base64.b64encode(b'{"spec": ')),
        text(b"ccv3", base64.b64encode(b"\xff\xfe")),
        text(b"ccv3", embedded([1])),
        text(b"ccv3", embedded({"spec": "chara_card_v3", "data": {"name": 7}})),
        text(b"ccv3", b""),
        chunk(b"tEXt", b"ccv3"),
        chunk(b"zTXt", b"ccv3\0\0no stream"),
        chunk(b"zTXt", b"ccv3\0\0" + zlib.compress(embedded(V3))[:-9]),
        chunk(b"iTXt", b"ccv3\0\1"),
    ],
)
def test_a_broken_v3_card_gives_way_to_the_older_one_with_a_note(broken: bytes) -> None:
    card = read(png(broken, text(b"chara", embedded(V2))))
    assert (card.spec, card.name) == ("v2", "Aqua")
    (note,) = card.notes
    assert "ccv3" in note
    assert "without a character card: what it holds as ccv3" in refused(png(broken))


def test_base64_may_be_wrapped_unpadded_or_missing() -> None:
    wrapped = base64.encodebytes(json.dumps(V2).encode()).rstrip(b"=\n")
    assert b"\n" in wrapped
    assert read(png(text(b"chara", wrapped))).name == "Aqua"
    assert read(png(text(b"chara", json.dumps(V2).encode()))).name == "Aqua"


def test_a_wrong_checksum_is_noted_once() -> None:
    wrong = chunk(b"tEXt", b"chara\0" + embedded(V2), checksum=1)
    card = read(png(wrong, chunk(b"tEXt", b"a\0b", checksum=1)))
    assert card.name == "Aqua"
    (note,) = card.notes
    assert "checksum of 'tEXt'" in note


def test_data_after_the_image_is_tolerated() -> None:
    assert read(png(text(b"chara", embedded(V2))) + b"more").notes == ()


def test_an_image_cut_off_anywhere_is_refused_as_truncated() -> None:
    whole = png(text(b"chara", embedded(V1)))
    for length in range(8, len(whole)):
        assert "truncated" in refused(whole[:length])


def test_an_image_without_a_card_is_refused() -> None:
    assert "without a character card" in refused(png(text(b"Comment", embedded(V2))))


# --- limits


def test_a_compressed_bomb_is_refused() -> None:
    bomb = zlib.compress(bytes(JSON_LIMIT * 2))
    assert len(bomb) < 100_000
    for body in (chunk(b"zTXt", b"ccv3\0\0" + bomb), chunk(b"iTXt", b"ccv3\0\1\0\0\0" + bomb)):
        assert "16 MiB" in refused(png(body, text(b"chara", embedded(V2))))
    unrelated = png(chunk(b"zTXt", b"Comment\0\0" + bomb), text(b"chara", embedded(V2)))
    assert read(unrelated).name == "Aqua"


def test_json_above_the_limit_is_refused() -> None:
    blank = json.dumps(V1).encode() + b" " * JSON_LIMIT
    assert "16 MiB" in refused(blank)
    assert "16 MiB" in refused(png(text(b"chara", base64.b64encode(blank))))
    assert read(blank[:JSON_LIMIT]).name == "Aqua"


def test_a_field_above_the_limit_is_refused_by_its_name() -> None:
    book = {"entries": [{"content": "é" * (FIELD_LIMIT // 2) + "x"}]}
    deep = V2 | {"data": V1 | {"character_book": book}}
    assert "'content'" in refused(json.dumps(deep).encode())
    just = V1 | {"description": "x" * FIELD_LIMIT}
    assert read(json.dumps(just).encode()).name == "Aqua"


@pytest.mark.parametrize("depth", [101, 500, 100_000])
def test_json_that_nests_too_deeply_is_refused(depth: int) -> None:
    bomb = b'{"name": "Aqua", "first_mes": "Hello!", "x": ' + b"[" * depth + b"]" * depth + b"}"
    assert "nests too deeply" in refused(bomb)
    assert "nests too deeply" in refused(png(text(b"chara", base64.b64encode(bomb))))


# --- what is no card


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "an empty file"),
        (b"PK\x03\x04card.json\xff", "a ZIP archive"),
        (b"\xff\xd8\xff\xe1", "a JPEG image"),
        (b"[]", "is no JSON object"),
        (b'{"entries": {}}', "none of a card's fields"),
        (b'{"name": "left-pad", "description": "pads", "version": "1"}', "none of a card's fields"),
        (json.dumps(V1 | {"name": " "}).encode(), "names no character"),
        (b'{"name": "Aqua", "first_mes": NaN}', "number"),
        (b'{"name": "Aqua", "first_mes": ' + b"9" * 5000 + b"}", "number"),
    ],
)
def test_what_is_no_card_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    assert reason in refused(data)


def test_cards_are_told_from_other_files() -> None:
    chara = text(b"chara", embedded(V2))
    for data in (
        png(chara),
        png(chara)[:-5],
        *(json.dumps(card).encode() for card in (V1, V2, V3)),
    ):
        assert is_card("a", data)
    others = [png(), png(chara)[:60], b"", b"[]", b'{"entries": {}}', b"\xff", b"[" * 100_000]
    for data in (*others, b'{"name": "left-pad", "description": "pads"}', b'{"mes": "Hello!"}'):
        assert not is_card("a", data)


# --- the real files


@pytest.mark.parametrize("stem", REAL)
def test_real_images_hold_the_card_that_lies_beside_them(stem: str) -> None:
    image, beside = SAMPLES / f"{stem}.png", SAMPLES / f"{stem}.chara.json"
    if not image.exists():
        pytest.skip(f"the real card {image.name} is not at hand")
    card = read_card(image.name, image.read_bytes())
    same = read_card(beside.name, beside.read_bytes())
    assert is_card(image.name, image.read_bytes()) and is_card(beside.name, beside.read_bytes())
    assert json.loads(card.json) == json.loads(beside.read_bytes())
    assert (card.spec, card.name, card.greetings) == (same.spec, same.name, same.greetings)
    assert card.spec == ("v1" if "v1" in stem else "v2")
    assert card.name in ("Coding Sensei", "Flux the Cat", "Seraphina", "Aqua")
    assert card.greetings[0] == card.fields()["first_mes"]
    assert card.notes == ()


def test_a_real_world_book_is_no_card() -> None:
    book = SAMPLES / "lorebook_Eldoria.json"
    if not book.exists():
        pytest.skip("the real world book is not at hand")
    assert not is_card(book.name, book.read_bytes())
    with pytest.raises(UnreadableFile):
        read_card(book.name, book.read_bytes())


# --- whatever comes


def check_never_fails_otherwise(data: bytes) -> None:
    try:
        card = read(data)
    except UnreadableFile as error:
        assert "'aqua.png'" in str(error)
    else:
        assert is_card("aqua.png", data)
        assert card.name.strip() and card.fields() is not None
        "".join((card.name, card.nickname or "", card.json, *card.greetings)).encode()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.booleans())
@example(b"", True)
def test_arbitrary_bytes_are_read_or_refused(data: bytes, image: bool) -> None:
    check_never_fails_otherwise((b"\x89PNG\r\n\x1a\n" if image else b"") + data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KEYS = ["name", "char_name", "nickname", "first_mes", "alternate_greetings", "scenario"]
cards = st.fixed_dictionaries(
    {},
    optional={
        "spec": st.sampled_from(["chara_card_v2", "chara_card_v3"]) | json_values,
        "spec_version": st.sampled_from(["2.0", "3.0", "9"]) | json_values,
        "data": st.dictionaries(st.sampled_from(KEYS), json_values) | json_values,
        **dict.fromkeys(KEYS, json_values),
    },
)


@settings(max_examples=50, deadline=None)
@given(cards, st.booleans())
def test_arbitrary_objects_as_cards_are_read_or_refused(card: object, image: bool) -> None:
    data = png(text(b"chara", embedded(card))) if image else json.dumps(card).encode()
    check_never_fails_otherwise(data)


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_damaged_image_is_read_or_refused(chance: random.Random) -> None:
    data = bytearray(png(packed(b"ccv3", embedded(V3)), text(b"chara", embedded(V2))))
    for _ in range(chance.randrange(1, 10)):
        data[chance.randrange(8, len(data))] = chance.randrange(256)
    check_never_fails_otherwise(bytes(data))
