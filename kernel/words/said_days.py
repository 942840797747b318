"""Days that a text speaks of, in English and Chinese, seen from the moment when it was said.

Deliberately small: what promises, loops and beliefs name. No clock is asked.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from enishi.kernel.moments import Moment, date_of
from enishi.kernel.words.numerals import number_of

_MONTHS = "january february march april may june july august september october november december"
MONTH = {name: n for n, name in enumerate(_MONTHS.split(), start=1)}
MONTH |= {name[:3]: n for name, n in MONTH.items()} | {"sept": 9}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
WEEKDAY = {name: n for n, name in enumerate(_WEEKDAYS.split())}
_CJK_WEEKDAY = {mark: n for n, mark in enumerate("一二三四五六日")} | {"天": 6}
_RELATIVE = {
    "today": 0, "tonight": 0, "this evening": 0, "this morning": 0, "this afternoon": 0,
    "tomorrow": 1, "tmrw": 1, "yesterday": -1, "last night": -1,
    "the day after tomorrow": 2, "the day before yesterday": -2,
    "今天": 0, "今晚": 0, "今早": 0, "今日": 0, "明天": 1, "明日": 1, "明晚": 1, "明早": 1,
    "后天": 2, "後天": 2, "大后天": 3, "大後天": 3, "昨天": -1, "昨日": -1, "昨晚": -1,
    "前天": -2, "大前天": -3,
}  # fmt: skip
_MONTH_NAMES = "|".join(sorted(MONTH, key=len, reverse=True))
_WEEKDAY_NAMES = "|".join(WEEKDAY)
_COUNT = (
    "[0-9]{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    "|thirty|forty|fifty|sixty"
)
_CJK_COUNT = "[0-9]{1,3}|[一二两兩三四五六七八九十半]{1,3}"


class SaidDay(NamedTuple):
    """A day, month or year that stands at start:end of a text: 2026, 2026-03 or 2026-03-01."""

    start: int
    end: int
    day: str


def said_days(text: str, said: Moment | None) -> list[SaidDay]:
    """The days that a text names, in order. What needs the present is left out without `said`."""
    now = _calendar_day(said)
    found: list[SaidDay] = []
    taken = bytearray(len(text))
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            for one in _read(match, read, now):
                found.append(one)
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
    return sorted(found)


def _calendar_day(said: Moment | None) -> date | None:
    """The day of a moment; None where it is unknown, or beyond the calendar."""
    try:
        return None if said is None else date_of(said.day)
    except (ValueError, OverflowError):
        return None


def follows(day: str, text: str, said: Moment | None) -> bool:
    """Whether a text names this day, or one within this month or year."""
    return any(one.day == day or one.day.startswith(day + "-") for one in said_days(text, said))


Read = Callable[[re.Match[str], date | None], str | None]


def _read(match: re.Match[str], read: Read, now: date | None) -> Iterator[SaidDay]:
    try:
        day = read(match, now)
    except (ValueError, OverflowError):  # no such day
        return
    for one in (day or "").split():
        yield SaidDay(match.start(), match.end(), one)


def _exact(match: re.Match[str], now: date | None) -> str:
    year, month, day = match.group("y", "m", "d")
    if day is not None:
        return date(int(year), int(month), int(day)).isoformat()
    return year if month is None else date(int(year), int(month), 1).isoformat()[:7]


def _month_day(match: re.Match[str], now: date | None) -> str | None:
    name, number = match["month"].lower(), match["d"]
    month = MONTH.get(name) or number_of(name)
    year = match["y"]
    if month is None or not 1 <= month <= 12:
        return None
    if number is None:
        # "may" and "march" are words of their own.
        return None if year is None else f"{int(year):04}-{month:02}"
    day = number_of(number)
    if day is None or (year is None and now is None):
        return None
    chosen = int(year) if year else _near(month, day, now)
    return date(chosen, month, day).isoformat()


def _months(match: re.Match[str], now: date | None) -> str:
    """Two months of one year: both of them."""
    both = (MONTH.get(match[name].lower()) or number_of(match[name]) for name in ("m1", "m2"))
    return " ".join(date(int(match["y"]), month or 0, 1).isoformat()[:7] for month in both)


def _near(month: int, day: int, now: date | None) -> int:
    """The year of a date without one: that which lies nearest to the present."""
    assert now is not None
    years = (now.year - 1, now.year, now.year + 1)
    fitting = [y for y in years if day <= monthrange(y, month)[1]]
    return min(fitting, key=lambda y: abs((date(y, month, day) - now).days))


def _relative(match: re.Match[str], now: date | None) -> str | None:
    offset = _RELATIVE[" ".join(match[0].lower().split())]
    return None if now is None else (now + timedelta(days=offset)).isoformat()


def _weekday(match: re.Match[str], now: date | None) -> str | None:
    if now is None:
        return None
    word = match["weekday"].lower()
    wanted = WEEKDAY.get(word, _CJK_WEEKDAY.get(word[-1:]))
    if wanted is None:
        return None
    which = (match["which"] or "").lower().strip()
    monday = now - timedelta(days=now.weekday())
    weeks = {"下": 1, "下个": 1, "下個": 1, "上": -1, "上个": -1, "上個": -1, "这": 0, "這": 0,
             "本": 0}.get(which)  # fmt: skip
    if weeks is not None:
        return (monday + timedelta(days=wanted, weeks=weeks)).isoformat()
    if which == "last":
        return (now - timedelta(days=(now.weekday() - wanted - 1) % 7 + 1)).isoformat()
    ahead = (wanted - now.weekday() - 1) % 7 + 1
    if which == "next" and wanted > now.weekday():
        ahead += 7
    return (now + timedelta(days=ahead)).isoformat()


def _counted(match: re.Match[str], now: date | None) -> str | None:
    count = number_of(match["n"].lower())
    if now is None or count is None:
        return None
    unit, back = match["unit"].lower(), bool(match["back"])
    sign = -1 if back else 1
    if unit.startswith(("day", "天", "日")):
        return (now + timedelta(days=sign * count)).isoformat()
    if unit.startswith(("week", "周", "星期", "礼拜", "禮拜", "个星期", "個星期", "个礼拜")):
        return (now + timedelta(weeks=sign * count)).isoformat()
    if unit.startswith(("month", "个月", "個月", "月")):
        return _months_on(now, sign * count)
    return date(now.year + sign * count, 1, 1).isoformat()[:4]


def _months_on(now: date, count: int) -> str:
    months = now.year * 12 + now.month - 1 + count
    return date(months // 12, months % 12 + 1, 1).isoformat()[:7]


def _period(match: re.Match[str], now: date | None) -> str | None:
    if now is None:
        return None
    word = match["which"].lower()
    step = {"next": 1, "last": -1, "this": 0, "下": 1, "上": -1, "这": 0, "這": 0, "本": 0,
            "明": 1, "去": -1, "今": 0}[word[0] if word[0] > "\u2e80" else word]  # fmt: skip
    unit = match["unit"].lower()
    if unit.endswith(("month", "月")):
        return _months_on(now, step)
    return date(now.year + step, 1, 1).isoformat()[:4]


def _week(match: re.Match[str], now: date | None) -> str | None:
    """A week, or its weekend: its Sunday, by which it is over."""
    if now is None:
        return None
    which = (match["which"] or "").lower()
    weeks = 1 if which.startswith(("next", "下")) else -1 if which.startswith(("last", "上")) else 0
    return (now + timedelta(days=6 - now.weekday(), weeks=weeks)).isoformat()


def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE | re.ASCII)


_EDGE, _STOP = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

_READERS: tuple[tuple[re.Pattern[str], Read], ...] = (
    (
        _pattern(
            rf"{_EDGE}(?P<m1>{_MONTH_NAMES})\.? ?(?:-|–|—|to|until|through) ?(?P<m2>{_MONTH_NAMES})\.?"
            rf",? (?P<y>[12][0-9]{{3}}){_STOP}"
        ),
        _months,
    ),
    (
        _pattern(r"(?P<y>[12][0-9]{3})年(?P<m1>[0-9]{1,2})月?[-–—到至](?P<m2>[0-9]{1,2})月"),
        _months,
    ),
    (_pattern(rf"{_EDGE}(?P<y>[12][0-9]{{3}})-(?P<m>[0-9]{{1,2}})(?:-(?P<d>[0-9]{{1,2}}))?{_STOP}"), _exact),
    (_pattern(rf"{_EDGE}(?P<y>[12][0-9]{{3}})/(?P<m>[0-9]{{1,2}})/(?P<d>[0-9]{{1,2}}){_STOP}"), _exact),
    (_pattern(r"(?P<y>[12][0-9]{3})年(?:(?P<m>[0-9]{1,2})月(?:(?P<d>[0-9]{1,2})[日号號]?)?)?"), _exact),
    (
        _pattern(
            rf"{_EDGE}(?P<month>{_MONTH_NAMES})\.? (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?{_STOP}"
            rf"(?:,? (?P<y>[12][0-9]{{3}}))?"
        ),
        _month_day,
    ),
    (
        _pattern(
            rf"{_EDGE}(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH_NAMES}){_STOP}"
            rf"(?:,? (?P<y>[12][0-9]{{3}}))?"
        ),
        _month_day,
    ),
    (
        _pattern(rf"{_EDGE}(?P<month>{_MONTH_NAMES})(?P<d>(?!))?,? (?P<y>[12][0-9]{{3}}){_STOP}"),
        _month_day,
    ),
    (
        _pattern(
            r"(?P<y>(?!))?(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})月"
            r"(?P<d>[0-9]{1,2}|[一二三四五六七八九十]{1,3})[日号號]"
        ),
        _month_day,
    ),
    (
        _pattern(
            rf"(?:{_EDGE}in (?P<n>{_COUNT}) (?P<unit>days?|weeks?|months?|years?)(?P<back>(?!))?{_STOP})"
        ),
        _counted,
    ),
    (
        _pattern(rf"{_EDGE}(?P<n>{_COUNT}) (?P<unit>days?|weeks?|months?|years?) (?P<back>ago){_STOP}"),
        _counted,
    ),
    (
        _pattern(
            rf"(?P<n>{_CJK_COUNT})(?P<unit>天|日|周|个?星期|個星期|个?礼拜|个月|個月|年)"
            r"(?:(?P<back>[以之]?前)|以?[后後]|之[后後])"
        ),
        _counted,
    ),
    (
        _pattern(
            rf"{_EDGE}(?:(?P<which>next|last|this|on|by) )?(?P<weekday>{_WEEKDAY_NAMES}){_STOP}"
        ),
        _weekday,
    ),
    (
        _pattern(r"(?P<which>下个|下個|下|上个|上個|上|这|這|本)?(?P<weekday>(?:周|星期|礼拜|禮拜)(?:[一二三四五六]|日(?![记記报報期程])|天(?![气氣])))"),
        _weekday,
    ),
    (
        _pattern(
            rf"{_EDGE}(?:the day after tomorrow|the day before yesterday|this (?:evening|morning|afternoon)"
            rf"|today|tonight|tomorrow|tmrw|yesterday|last night){_STOP}"
        ),
        _relative,
    ),
    (
        _pattern(
            "大[后後前]天|[今昨前]天|[后後]天(?!性)|昨晚|今[晚早日]|昨日"
            "|(?<![说說证證声聲聪聰发發文])明[天晚早日]"
        ),
        _relative,
    ),
    (_pattern(rf"{_EDGE}(?P<which>next|last|this) (?P<unit>month|year){_STOP}"), _period),
    (
        _pattern(
            rf"{_EDGE}(?:(?P<which>next|last|this)(?: coming)?|(?:over|at|on|for|by) the|(?:the )?end of the)"
            rf" week(?:end)?{_STOP}"
        ),
        _week,
    ),
    (
        _pattern(
            "(?<![下上])(?P<which>下个|下個|下|上个|上個|上|这个|這個|这|這|本)(?:周|星期|礼拜|禮拜)(?:末(?!班))?(?![一二三四五六日天年口岁歲到])"
            "|(?P<bare>(?<![每过過上下])周末(?!班))"
        ),
        _week,
    ),
    (_pattern("(?P<which>下个|下個|上个|上個|这个|這個|本)(?P<unit>月)"), _period),
    (
        _pattern("(?P<which>(?<![说說证證声聲聪聰发發文])明|(?<!过)(?<!過)去|今)(?P<unit>年)(?![轻輕龄齡幼老])"),
        _period,
    ),
    (
        _pattern(rf"{_EDGE}(?:in|since|from|until|till|by|of) (?P<y>[12][0-9]{{3}})(?P<m>(?!))?(?P<d>(?!))?{_STOP}"),
        _exact,
    ),
)  # fmt: skip
