"""The days that a text names, seen from a Wednesday."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.moments import Moment, parse_moment
from enishi.kernel.words.numerals import number_of, numbers_in
from enishi.kernel.words.said_days import follows, said_days

WEDNESDAY = parse_moment("2026-03-04T12:00+00:00")

DAYS = [
    ("on 2026-05-01", "2026-05-01"), ("2026-5-1", "2026-05-01"), ("2026/5/1", "2026-05-01"),
    ("in 2026-05", "2026-05"), ("since 2019", "2019"), ("in 1999", "1999"),
    ("May 5", "2026-05-05"), ("on May 5th, 2027", "2027-05-05"), ("5 May 2027", "2027-05-05"),
    ("the 3rd of March", "2026-03-03"), ("Sept. 9", "2025-09-09"), ("March 2027", "2027-03"),
    ("Dec 31", "2025-12-31"), ("Feb 29, 2028", "2028-02-29"), ("January 2, 1990", "1990-01-02"),
    ("today", "2026-03-04"), ("Tonight", "2026-03-04"), ("TOMORROW", "2026-03-05"),
    ("tmrw", "2026-03-05"), ("yesterday", "2026-03-03"), ("last night", "2026-03-03"),
    ("the day after tomorrow", "2026-03-06"), ("the day before yesterday", "2026-03-02"),
    ("in 3 days", "2026-03-07"), ("in a week", "2026-03-11"), ("two weeks ago", "2026-02-18"),
    ("in two months", "2026-05"), ("ten years ago", "2016"), ("in a year", "2027"),
    ("on Friday", "2026-03-06"), ("by Monday", "2026-03-09"), ("next Friday", "2026-03-13"),
    ("next Monday", "2026-03-09"), ("last Friday", "2026-02-27"), ("Wednesday", "2026-03-11"),
    ("last Wednesday", "2026-02-25"), ("next month", "2026-04"), ("last year", "2025"),
    ("2026年5月1日", "2026-05-01"), ("2026年5月1号", "2026-05-01"), ("2026年5月", "2026-05"),
    ("2027年", "2027"), ("5月1日", "2026-05-01"), ("五月一号", "2026-05-01"),
    ("十二月三十一日", "2025-12-31"), ("十一月二十日", "2025-11-20"), ("今天", "2026-03-04"),
    ("今晚", "2026-03-04"), ("明天", "2026-03-05"), ("明早", "2026-03-05"), ("后天", "2026-03-06"),
    ("大後天", "2026-03-07"), ("昨天", "2026-03-03"), ("昨晚", "2026-03-03"), ("前天", "2026-03-02"),
    ("大前天", "2026-03-01"), ("三天后", "2026-03-07"), ("十天以前", "2026-02-22"),
    ("三天之前", "2026-03-01"), ("两周后", "2026-03-18"), ("一个星期前", "2026-02-25"),
    ("三个月后", "2026-06"), ("两年前", "2024"), ("周五", "2026-03-06"), ("下周一", "2026-03-09"),
    ("这周五", "2026-03-06"), ("上周日", "2026-03-01"), ("星期天", "2026-03-08"),
    ("下个礼拜三", "2026-03-11"), ("下个月", "2026-04"), ("去年", "2025"), ("明年", "2027"),
    ("next week", "2026-03-15"), ("this weekend", "2026-03-08"), ("over the weekend", "2026-03-08"),
    ("last weekend", "2026-03-01"), ("end of the week", "2026-03-08"), ("下周", "2026-03-15"),
    ("下个星期", "2026-03-15"), ("这周末", "2026-03-08"), ("周末", "2026-03-08"), ("上周", "2026-03-01"),
    ("今年", "2026"), ("去年冬天", "2025"), ("过两天，明天", "2026-03-05"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day_is_found_where_it_stands(text: str, day: str) -> None:
    (found,) = said_days(text, WEDNESDAY)
    assert found.day == day and 0 <= found.start < found.end <= len(text)
    around = f"well, {text}, I think"
    (moved,) = said_days(around, WEDNESDAY)
    assert (moved.day, moved.start) == (day, found.start + 6)


YEARS_END = [
    ("2026-12-30", "January 3", "2027-01-03"), ("2026-12-30", "1月3日", "2027-01-03"),
    ("2026-01-03", "Dec 30", "2025-12-30"), ("2026-01-03", "十二月三十日", "2025-12-30"),
    ("2026-08-30", "Dec 30", "2026-12-30"), ("2027-02-20", "Feb 29", "2028-02-29"),
]  # fmt: skip


@pytest.mark.parametrize(("now", "text", "day"), YEARS_END)
def test_a_date_without_a_year_is_the_nearest_one(now: str, text: str, day: str) -> None:
    (found,) = said_days(text, parse_moment(f"{now}T12:00+00:00"))
    assert found.day == day


NO_DAYS = [
    "I may march on", "I may go", "March on!", "may I", "we march", "Maybe 5", "a marching band",
    "sat down", "mon ami", "August company", "Juneau", "I am 35", "call 2026 people", "12345-67",
    "2026-13-01", "2026-02-30", "2026-13", "Feb 30, 2027", "32 May", "5/1", "Sundays", "todays",
    "every weekend", "每周末", "下下周", "上周岁", "weekdays", "yesterdayish", "inn 3 days", "in 3 daysies", "ago", "next", "the last", "a year", "one day",
    "上海下周口味", "周到", "一周日记", "上星期天气很好", "聪明年轻", "过去年轻时", "说明天气的原因",
    "后天性", "13月1日", "2月30日", "月日", "年", "天天", "三个月", "半年", "十三月三日", "今后",
    "明白", "昨", "下面", "上面", "本子", "这个",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_DAYS)
def test_no_day_is_found_where_none_is(text: str) -> None:
    assert said_days(text, WEDNESDAY) == []


def test_the_longest_notation_takes_the_words() -> None:
    text = "Not tomorrow but the day after tomorrow; 不是后天，是大后天。"
    days = [one.day for one in said_days(text, WEDNESDAY)]
    assert days == ["2026-03-05", "2026-03-06", "2026-03-06", "2026-03-07"]


@pytest.mark.parametrize("text", ["tomorrow", "May 5", "in 3 days", "next month", "周五", "明年"])
def test_without_a_moment_nothing_is_seen_from_the_present(text: str) -> None:
    assert said_days(text, None) == []


def test_without_a_moment_a_full_date_is_still_one() -> None:
    text = "2026-05-01, May 5, 2027 and 2028年3月1日"
    days = [one.day for one in said_days(text, None)]
    assert days == ["2026-05-01", "2027-05-05", "2028-03-01"]


@pytest.mark.parametrize(
    ("moment", "tomorrow"),
    [
        ("2026-03-04T23:30+08:00", "2026-03-05"),
        ("2026-03-04T15:30+00:00", "2026-03-05"),
        ("2026-03-05T00:30+08:00", "2026-03-06"),
        ("2026-03-04T23:30-08:00", "2026-03-05"),
        ("2024-02-28T23:30+08:00", "2024-02-29"),
        ("2025-12-31T23:59+14:00", "2026-01-01"),
    ],
)
def test_tomorrow_is_the_next_day_of_the_same_zone(moment: str, tomorrow: str) -> None:
    for word in ("tomorrow", "明天", "in a day", "一天后"):
        assert follows(tomorrow, word, parse_moment(moment))


@pytest.mark.parametrize(
    ("day", "text", "expected"),
    [
        ("2026-03-05", "tomorrow", True),
        ("2026-03", "tomorrow", True),
        ("2026", "tomorrow", True),
        ("2026-03-06", "tomorrow", False),
        ("2025", "tomorrow", False),
        ("2026-04", "下个月", True),
        ("2027", "下个月", False),
        ("2026-03-05", "", False),
    ],
)
def test_a_day_follows_from_its_words(day: str, text: str, expected: bool) -> None:
    assert follows(day, text, WEDNESDAY) is expected


@pytest.mark.parametrize("moment", ["0001-01-01T00:00+00:00", "9999-12-31T23:59+00:00"])
def test_the_ends_of_the_calendar_are_no_fault(moment: str) -> None:
    text = "yesterday tomorrow last year next year in 900 years 900 years ago 明年 去年 Feb 29"
    for one in said_days(text, parse_moment(moment)):
        assert re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", one.day), one


WORDS = st.sampled_from(
    [
        "in",
        "on",
        "by",
        "of",
        "next",
        "last",
        "3",
        "12",
        "2026",
        "may",
        "march",
        "29",
        "ago",
        "days",
        "week",
        "month",
        "year",
        "月",
        "日",
        "年",
        "天",
        "周",
        "星期",
        "下",
        "上",
        "后",
        "前",
        "大",
        "三",
        "十",
        "明",
        "昨",
        "去",
        "-",
        "/",
        ",",
        ".",
        "tomorrow",
        "friday",
    ]
)


@settings(deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=20).map(" ".join),
              st.lists(WORDS, max_size=20).map("".join)),
    st.one_of(st.none(), st.builds(Moment, st.integers(-(10**15), 10**15))),
)  # fmt: skip
def test_any_text_is_read_without_a_fault(text: str, said: Moment | None) -> None:
    end = 0
    for one in said_days(text, said):
        assert end <= one.start < one.end <= len(text)
        assert re.fullmatch(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", one.day), one
        end = one.end


HOSTILE = [
    "today ",
    "9",
    "1-",
    "2026-",
    "march ",
    "next ",
    "in ",
    "the day ",
    "周",
    "一",
    "大后",
    "下个",
    "5月",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_time_in_step_with_its_length(piece: str) -> None:
    def taken(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        said_days(text, WEDNESDAY)
        numbers_in(text)
        return time.process_time() - start

    short = min(taken(4_000) for _ in range(3))
    # Eight times as long: eight times as slow, where squares would be sixty-four times.
    assert min(taken(32_000) for _ in range(2)) < 40 * max(short, 0.002)


# Numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("I have 2 cats", {"2"}), ("twenty-five", {"25"}), ("Twenty Five", {"25"}),
        ("two hundred and five", {"205"}), ("three thousand four hundred", {"3400"}),
        ("two and three", {"2", "3"}), ("a hundred", {"100"}), ("1,234.5", {"1234.5"}),
        ("007", {"7"}), ("0", {"0"}), ("００７", {"7"}), ("0.5", {"0.5"}), ("a cat", set()),
        ("one day", set()), ("often, none, tenth", set()), ("三十五", {"35"}), ("一百零五", {"105"}),
        ("一百五", {"150"}), ("三万五", {"35000"}), ("两千三百", {"2300"}), ("一九九五", {"1995"}),
        ("十", {"10"}), ("一起", set()), ("周三见", set()), ("星期五", set()), ("万一", set()),
        ("千万别忘", set()), ("十分好", set()), ("3只猫和两只狗", {"3", "2"}), ("", set()),
    ],
)  # fmt: skip
def test_numbers_have_one_form(text: str, numbers: set[str]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("１２", 12),
        ("twelve", 12),
        ("十二", 12),
        ("an", 1),
        ("twelfth", None),
        ("", None),
    ],
)
def test_a_whole_text_may_be_a_number(text: str, number: int | None) -> None:
    assert number_of(text) == number


@given(st.integers(2, 99_999))
def test_every_number_is_the_same_in_digits_and_in_chinese(number: int) -> None:
    assert numbers_in(f"有{_chinese(number)}个") == numbers_in(f"{number:,}") == {str(number)}


def _chinese(number: int) -> str:
    digits, written, gap = "零一二三四五六七八九", "", False
    for unit, name in ((10_000, "万"), (1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            written += ("零" if gap and written else "") + digits[digit] + name
        gap = not digit
    return written


@settings(deadline=None)
@given(st.text(alphabet="零一二三十百千万0123456789,. -twofive hundred", max_size=200))
def test_any_numerals_are_read_without_a_fault(text: str) -> None:
    assert all(number[0].isdigit() for number in numbers_in(text))
    assert number_of(text) is None or number_of(text) >= 0  # type: ignore[operator]


@pytest.mark.parametrize("text", ["9" * 5000, "一" * 5000, "万" * 5000])
def test_a_number_beyond_all_bounds_is_no_fault(text: str) -> None:
    assert number_of(text) is None
    numbers_in(text)
