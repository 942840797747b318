"""The dates of chat files."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment, parse_moment
from enishi.packs.chats.dates import read_date, read_zone

TOKYO = ZoneInfo("Asia/Tokyo")
BERLIN = ZoneInfo("Europe/Berlin")


def local(text: str) -> Moment:
    """The moment of an ISO text, marked as read without a zone."""
    exact = parse_moment(text)
    return Moment(exact.at, exact.offset, assumed=True)


@pytest.mark.parametrize("value", [1674563371558, 1674563371558.0, "1674563371558"])
def test_numbers_and_digit_strings_are_exact_unix_milliseconds(value: object) -> None:
    assert read_date(value, TOKYO) == Moment(1674563371558000, 9 * 3600)


def test_milliseconds_before_1970_are_read() -> None:
    assert read_date(-1500, TOKYO) == Moment(-1_500_000, 9 * 3600)
    assert read_date("-1500", TOKYO) == Moment(-1_500_000, 9 * 3600)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2025-11-23T10:02:03.123+00:00", "2025-11-23T10:02:03.123+00:00"),
        ("2025-11-23T10:02:03+08:00", "2025-11-23T10:02:03+08:00"),
        ("2025-11-23 10:02-0330", "2025-11-23T10:02-03:30"),
    ],
)
def test_iso_dates_with_an_offset_keep_it(text: str, meant: str) -> None:
    assert read_date(text, TOKYO) == parse_moment(meant)


def test_an_instant_in_utc_was_lived_in_the_zone_that_is_given() -> None:
    moment = read_date("2025-11-23T20:02:03.123Z", TOKYO)
    assert moment == parse_moment("2025-11-24T05:02:03.123+09:00")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2025-11-23T10:02:03.123", "2025-11-23T10:02:03.123+09:00"),
        ("2025-11-23", "2025-11-23T00:00+09:00"),
        ("June 19, 2023 2:20pm", "2023-06-19T14:20+09:00"),
        ("January 1, 2024 12:05am", "2024-01-01T00:05+09:00"),
        ("december 31, 2024 12:05 PM", "2024-12-31T12:05+09:00"),
        ("2024-6-5 @14h 56m 50s 682ms", "2024-06-05T14:56:50.682+09:00"),
        ("2024-6-5 @14h 56m 50s 7ms", "2024-06-05T14:56:50.007+09:00"),
        ("2024-7-12 @1h 3m 4s", "2024-07-12T01:03:04+09:00"),
        ("2024-07-12@01h31m37s", "2024-07-12T01:31:37+09:00"),
        ("2024-07-12@01h31m37s123ms", "2024-07-12T01:31:37.123+09:00"),
        (" 2024-07-12@01h31m37s\r", "2024-07-12T01:31:37+09:00"),
    ],
)
def test_notations_without_a_zone_are_local_and_say_so(text: str, meant: str) -> None:
    assert read_date(text, TOKYO) == local(meant)


def test_every_english_month_is_known() -> None:
    names = [datetime(2023, month, 1).strftime("%B") for month in range(1, 13)]
    read = [read_date(f"{name} 2, 2023 1:00am", TOKYO) for name in names]
    assert [moment.to_datetime().month for moment in read if moment] == list(range(1, 13))


def test_a_repeated_local_time_takes_the_offset_before_the_change() -> None:
    assert read_date("2024-10-27@02h30m00s", BERLIN) == local("2024-10-27T02:30+02:00")


def test_a_skipped_local_time_takes_the_offset_before_the_change() -> None:
    assert read_date("2024-03-31@02h30m00s", BERLIN) == local("2024-03-31T02:30+01:00")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        float("nan"),
        float("inf"),
        10**15,
        -(10**15),
        10**400,
        "9" * 40,
        "9" * 5000,
        "",
        "yesterday",
        "Juni 19, 2023 2:20pm",
        "June 31, 2023 2:20pm",
        "June 19, 2023 13:20pm",
        "June 19, 2023 0:20am",
        "2024-13-01",
        "2024-01-01T24:00",
        "2024-01-01T10:60",
        "2024-02-30@01h31m37s",
        "2024-07-12@25h31m37s",
        "2024-07-12@01h31m61s",
        "0001-01-01T00:00+14:00",
        "١٦٧٤٥٦٣٣٧١٥٥٨",
        [1674563371558],
        {"date": 1674563371558},
    ],
)
def test_what_cannot_be_read_is_unknown(value: object) -> None:
    assert read_date(value, TOKYO) is None


@pytest.mark.parametrize(
    "name", ["", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "Asia", "a\0b"]
)
def test_an_unknown_zone_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(InvalidInput, match="Asia/Tokyo"):
        read_zone(name)


def test_a_known_zone_is_read() -> None:
    assert read_zone("Europe/Berlin").key == "Europe/Berlin"


numbers = st.integers(0, 99)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.lists(st.integers()),
    st.builds("{:04}-{:02}-{:02}T{:02}:{:02}".format, *[numbers] * 5),
    st.builds("{:04}-{}-{} @{}h {}m {}s".format, st.integers(0, 9999), *[numbers] * 5),
    st.builds("June {}, {:04} {}:{:02}pm".format, numbers, st.integers(0, 9999), numbers, numbers),
)


@settings(max_examples=100, deadline=None)
@given(anything)
@example("9999-12-31T23:59:59-12:00")
@example("0001-01-01")
def test_reading_never_fails_and_gives_a_usable_moment(value: object) -> None:
    moment = read_date(value, TOKYO)
    assert moment is None or isinstance(moment.to_datetime(), datetime)


@settings(max_examples=100, deadline=None)
@given(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)))
def test_all_notations_of_one_time_agree(when: datetime) -> None:
    when = when.replace(second=0, microsecond=0)
    aware = when.replace(tzinfo=TOKYO)
    hour = f"{when.hour % 12 or 12}:{when.minute:02}{'pm' if when.hour >= 12 else 'am'}"
    spoken = f"{when.strftime('%B')} {when.day}, {when.year} {hour}"
    expected = Moment.of(aware, assumed=True)
    assert read_date(when.isoformat(), TOKYO) == expected
    assert read_date(spoken, TOKYO) == expected
    assert read_date(f"{when:%Y-%m-%d@%Hh%Mm%Ss}", TOKYO) == expected
    milliseconds = read_date(int(aware.timestamp()) * 1000, TOKYO)
    exact = read_date(aware.astimezone(UTC).isoformat().replace("+00:00", "Z"), TOKYO)
    assert milliseconds == exact == Moment.of(aware)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_zone_name_is_read_or_refused(name: str) -> None:
    try:
        assert read_zone(name).key == name
    except InvalidInput as error:
        assert "Asia/Tokyo" in str(error)
