"""Said times in Chinese: the words of `times.toml`, and the rules that put them together."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any

from enishi.kernel.words.numerals import number_of
from enishi.projections.recall.time_grammar import Rule, Token, before, rule, since, span_of
from enishi.projections.recall.time_makers import (
    STEP,
    as_date,
    bare_weekend,
    date,
    day_ago,
    day_word,
    from_now,
    on_holiday,
    part_of_now,
    same,
    several,
)
from enishi.projections.recall.time_numbers import Values, clock_of_part, joined
from enishi.projections.recall.time_spans import (
    DAY,
    Clock,
    Day,
    Length,
    Span,
    at_clock,
    day_span,
    moved,
    part_of,
    season,
    unit_span,
)
from enishi.projections.recall.time_within import (
    hours,
    nth_week,
    part,
    quarter,
    said_range,
    timed,
    until_clock,
    weekday_in,
)
from enishi.projections.recall.time_words import (
    LEAF,
    hours_of_parts,
    leaf_token,
    lunar_days,
    words_of,
)

_N = "零〇一二两兩三四五六七八九十百千"
_FEW = "一二三四五六七八九两兩"
_SMALL = f"[0-9]{{1,2}}|[{_N}]{{1,3}}"
_WEEK = "周|週|星期|礼拜|禮拜"
_CHINESE = re.compile("[\u3400-\u9fff]")

_FORMS = re.compile(
    f"""
    (?:(?P<century>[0-9]{{1,2}}|[{_N}]{{1,3}})世[纪紀]|(?P<lastcentury>上[个個]?世[纪紀]))?(?P<era>[0-9]0|[12][0-9]{{2}}0|[一二三四五六七八九]十)年代
  | (?P<year>[12][0-9]{{3}}|[零〇一二三四五六七八九]{{2,4}}|[一二两]千[{_N}]{{1,7}}|[0-9]{{2}}(?=年(?:{_SMALL})月))年(?![前后後级級])度?
  | (?P<yearago>[12][0-9]{{3}})年(?=[前后後])
  | (?P<month>{_SMALL})月(?:份)?(?![亮球饼餅])
  | (?P<day>{_SMALL})(?:[号號](?![楼樓线線码碼店门門])|日(?:(?<=月[0-9]日)|(?<=月[0-9][0-9]日)|(?<=月[{_N}]日)|(?<=月[{_N}][{_N}]日)|(?<=月[{_N}][{_N}][{_N}]日)|(?![前后後內内以之])))(?![报報本记記])
  | (?:{_WEEK})(?P<weekday>[一二三四五六日天](?![气氣记記报報期程]))
  | (?P<hour>{_SMALL})(?:[点點时時]|点钟|點鐘)(?![间間候评評数數击擊赞讚名]|[心头頭])(?:
      (?P<whole>[整钟鐘])|(?P<half>半)|(?P<quarter>[一二三])刻|(?P<minute>{_SMALL})分?(?![个個天])(?:(?P<second>{_SMALL})秒)?)?
  | 第(?P<nth>[0-9]{{1,2}}|[{_N}]{{1,3}})[个個]?
  | (?P<final>最[后後][一]?[个個]?)
  | (?P<count>[0-9]{{1,4}}(?:\\.[0-9]+)?|[{_N}]{{1,5}})(?P<unit>[个個])?(?P<more>[多余餘]|来(?=[天年月]))?(?P<unit2>[个個])?
  | (?P<several>[几幾数數])(?P<unit3>[个個])?(?=[天日周月年小星])
    """,
    re.VERBOSE,
)
_NO_UNITS = re.compile(
    f"(?:{_WEEK})(?=[口到围圍折岁歲游遊边邊密转轉知身报報刊庄易璇杰年])|天(?=[气氣空津下真])|月(?=[亮球饼餅经經台票薪])"
    "|年(?=[轻輕龄齡纪紀级級糕幼会會])|日(?=[本记記子常程期报報语語])|晚(?=[些安会會饭飯餐了点點])|早(?=[就已])"
    "|(?<![年月])中(?![秋午])|(?<=[聪聰证證声聲])明[天日]|(?<=[过過])去年|[后後]天(?=性)|[初末底](?=[中期层層步次恋戀])|前(?=[面台往途女男])|[后後](?=[面台来來悔果])"
)


@cache
def _words() -> tuple[dict[str, tuple[str, Any]], re.Pattern[str]]:
    words = words_of("chinese")
    return words, re.compile(
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    )


def chinese_tokens(text: str) -> list[Token]:
    """The tokens of a text; characters that say no time are of kind x. None without Chinese."""
    if _CHINESE.search(text) is None:
        return []
    words, pattern = _words()
    text = text.translate(_HALF)
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        token = _token(text, at, words, pattern)
        tokens.append(token)
        at = token.end
    return tokens


_HALF = {0xFF10 + n: str(n) for n in range(10)} | {ord("："): ":", ord("，"): ",", ord("－"): "-"}


def _token(
    text: str, at: int, words: dict[str, tuple[str, Any]], pattern: re.Pattern[str]
) -> Token:
    leaf = LEAF.match(text, at)
    if leaf is not None and leaf.lastgroup not in ("word", "number", "md", "other", "quarter"):
        if leaf.lastgroup == "us" and leaf["us_"] == "-" and len(leaf["uy"]) == 2:
            year, month, day = int(leaf["um"]), int(leaf["ud"]), int(leaf["uy"])
            return Token("D", at, leaf.end(), Day(year + (2000 if year < 50 else 1900), month, day))
        return leaf_token(leaf)
    if leaf is not None and leaf.lastgroup == "word":
        known = re.match("[qQ][1-4]", leaf[0])
        return (
            Token("x", at, leaf.end())
            if known is None
            else Token("Q", at, at + 2, int(text[at + 1]))
        )
    form = _FORMS.match(text, at)
    word = None if _NO_UNITS.match(text, at) else pattern.match(text, at)
    if (
        form is not None
        and word is not None
        and words[word[0]][0] == "H"
        and word.end() >= form.end()
    ):
        form = None
    if form is not None and (word is None or form.end() >= word.end() or form.lastgroup in ("year", "month", "day")):  # fmt: skip
        token = _form(form)
        if token is not None:
            return token
    if word is None:
        return Token("x", at, at + 1)
    return Token(words[word[0]][0], at, word.end(), words[word[0]][1])


def _form(form: re.Match[str]) -> Token | None:
    start, end = form.span()
    name = form.lastgroup
    said = form.groupdict()
    if said["era"]:
        if len(said["era"]) == 4:
            return Token("R", start, end, unit_span("decade", datetime(int(said["era"]), 1, 1)))
        tens = (number_of(said["era"]) or 0) % 100
        century = (
            number_of(said["century"])
            if said["century"]
            else 20
            if tens >= 30 or said["lastcentury"]
            else 21
        )
        if century is None or not 1 <= century <= 30:
            return None
        return Token(
            "R", start, end, unit_span("decade", datetime((century - 1) * 100 + tens, 1, 1))
        )
    if said["year"] or said["yearago"]:
        year = number_of(said["year"] or said["yearago"]) or 0
        year += 0 if year > 99 else 2000 if year < 50 else 1900
        return Token("Y", start, end, year) if 1 <= year < 9999 else None
    if said["month"]:
        month = number_of(said["month"])
        return Token("m", start, end, month) if month and 1 <= month <= 12 else None
    if said["day"]:
        day = number_of(said["day"])
        return Token("q", start, end, day) if day and 1 <= day <= 31 else None
    if said["weekday"]:
        return Token(
            "w",
            start,
            end,
            "一二三四五六日天".index(said["weekday"]) % 7 if said["weekday"] != "天" else 6,
        )
    if said["hour"]:
        return _clock(said, start, end)
    if said["nth"]:
        return Token("o", start, end, number_of(said["nth"]))
    if said["final"]:
        return Token("o", start, end, -1)
    if said["several"]:
        return Token("K" if said["unit3"] else "n", start, end, 3)
    if said["count"] and name:
        digits = said["count"]
        number = number_of(digits)
        if (
            len(digits) == 2
            and "一" <= digits[0]
            and number is not None
            and digits[0] in _FEW
            and digits[1] in _FEW
        ):
            number = number_of(digits[1])
        if number is None:
            return Token("x", start, end)
        if len(digits) == 4 and digits.isdigit() and 1900 <= number < 2100 and not said["unit"]:
            return Token("g", start, end, number)
        return Token("K" if said["unit"] or said["unit2"] else "n", start, end, number)
    return None


def _clock(said: dict[str, str | None], start: int, end: int) -> Token | None:
    hour = number_of(said["hour"] or "")
    minute = number_of(said["minute"]) if said["minute"] else 30 if said["half"] else 0
    if said["quarter"]:
        minute = 15 * ("一二三".index(said["quarter"]) + 1)
    second = number_of(said["second"]) if said["second"] else 0
    if hour is None or minute is None or second is None or hour > 24 or minute > 59 or second > 59:
        return None
    grain = "second" if said["second"] else "minute" if minute else "hour"
    return Token(
        "T", start, end, Clock(hour * 3600 + minute * 60 + second, grain, hour > 12 or hour == 0)
    )


def _length(tokens: Values, now: datetime) -> Length | None:
    """Three days, half a year; months only as 三个月, for 三月 is March."""
    count = next((token for token in tokens if token.kind in "nKg"), None)
    unit: str = next(token.value for token in tokens if token.kind == "u")
    if unit == "weekend" or (unit == "month" and count is not None and count.kind == "n"):
        return None
    half = {"hour": (30, "minute"), "year": (6, "month"), "day": (12, "hour"), "month": (15, "day")}
    halved = any(token.kind == "h" for token in tokens)
    if halved and unit not in half:
        return None
    whole = ((count.value, unit),) if count is not None else ()
    return (*whole, half[unit]) if halved else whole or None


def _half_more(tokens: Values, now: datetime) -> Length | None:
    """Two and a half years: 两年半."""
    length: Length = tokens[0].value
    more = {"hour": (30, "minute"), "year": (6, "month"), "day": (12, "hour"), "month": (15, "day")}
    return (*length, more[length[-1][1]]) if length[-1][1] in more else None


_FAR = STEP | {"W": -2, "G": 2}


def _stepped(tokens: Values, now: datetime) -> Span | None:
    unit = tokens[-1].value
    if unit in ("second", "minute", "hour", "day"):
        return None
    return unit_span(unit, now, _FAR[tokens[0].kind])


def _weekday(tokens: Values, now: datetime) -> Span:
    monday = unit_span("week", now, _FAR[tokens[0].kind]).start
    return day_span(monday + tokens[1].value * DAY)


def _of_year(tokens: Values, now: datetime) -> Day | None:
    """A date in a year seen from now: 去年五月."""
    span = tokens[0].value
    said = {token.kind: token.value for token in tokens[1:]}
    if span.grain == "month" and "q" in said and "m" not in said:
        return Day(span.start.year, span.start.month, said["q"])
    return (
        Day(span.start.year, said["m"], said.get("q"))
        if span.grain == "year" and "m" in said
        else None
    )


def _holiday(tokens: Values, now: datetime) -> Any:
    said = tokens[-1].value
    years = {token.value for token in tokens if token.kind == "Y"}
    years |= {
        token.value.start.year
        for token in tokens
        if token.kind == "R" and token.value.grain == "year"
    }
    if len(tokens) > 1 and not years:
        return None
    year = next(iter(years), None)
    if not isinstance(said[0], str):
        return on_holiday(said, year, now)
    days = lunar_days(said[0])
    near = [
        days[one] for one in ([year] if year else range(now.year - 1, now.year + 2)) if one in days
    ]
    spans = [day_span(day + said[1] * DAY) for day in near]
    return min(spans, key=lambda span: abs(span.start - now)) if spans else None


def _ranged(sign: int) -> Any:
    def make(tokens: Values, now: datetime) -> Span | None:
        length = next(token.value for token in tokens if token.kind == "L")
        return several("<" if sign < 0 else ">", length, now)

    return make


def _these_days(tokens: Values, now: datetime) -> Span | None:
    """这两天: so many days up to today and from today on."""
    (count, unit), *more = tokens[1].value
    if unit != "day" or more:
        return None
    today = day_span(now)
    return Span(today.start - (count - 1) * DAY, today.end + (count - 1) * DAY, "day", True)


def _day_of_year(tokens: Values, now: datetime) -> Span | None:
    """去年今天."""
    year, day = tokens[0].value, tokens[1].value
    if year.grain != "year" or day.grain != "day":
        return None
    return day_span(day.start.replace(year=year.start.year))


def _within(tokens: Values, now: datetime) -> Span | None:
    """Within three days: from now on."""
    end = moved(now, tokens[0].value, 1)
    return Span(now, end, tokens[0].value[-1][1]) if now < end else None


def _first_units(tokens: Values, now: datetime) -> Span | None:
    """The first two weeks of a year."""
    span, length = span_of(tokens[0], now), tokens[-1].value
    if len(length) != 1 or span.grain not in ("year", "month", "quarter"):
        return None
    first = nth_week(
        [Token("o", 0, 0, 1), Token("u", 0, 0, length[0][1]), Token("R", 0, 0, span)], now
    )
    return first and Span(first.start, moved(first.start, length, 1), length[0][1])


def _portion(tokens: Values, now: datetime) -> Span | None:
    span = span_of(tokens[0], now)
    part_name = next(token.value for token in tokens if token.kind == "E")
    return part_of(span, part_name, now)


def _portion_of_unit(tokens: Values, now: datetime) -> Span | None:
    """上半年, 下半周, 月底."""
    unit = next(token.value for token in tokens if token.kind == "u")
    part_name = next(token.value for token in tokens if token.kind == "E")
    span = unit_span(unit, now)
    if unit == "week" and part_name in ("first half", "second half"):
        middle = span.start + 3 * DAY
        return Span(
            *((span.start, middle) if part_name == "first half" else (middle, span.end)),
            "week",
            True,
        )
    return part_of(span, part_name, now)


def _season(tokens: Values, now: datetime) -> Span | None:
    name = next(token.value for token in tokens if token.kind == "y")
    first = tokens[0]
    if first.kind == "Y":
        return season(name, first.value)
    if first.kind == "R":
        return season(name, first.value.start.year) if first.value.grain == "year" else None
    spans = [season(name, now.year + step) for step in range(-2, 3)]
    if first.kind == "<":
        return next(span for span in reversed(spans) if span.end <= now)
    if first.kind == ">":
        return next(span for span in spans if span.start > now)
    return min(spans, key=lambda span: max(span.start - now, now - span.end))


def _century(tokens: Values, now: datetime) -> Span | None:
    if tokens[-1].value != "century" or not 1 <= tokens[0].value <= 30:
        return None
    return unit_span("century", datetime(max(1, (tokens[0].value - 1) * 100), 1, 1))


def _of_quarter(tokens: Values, now: datetime) -> Span | None:
    number, unit = (
        next(token.value for token in tokens if token.kind in kinds) for kinds in ("on", "u")
    )
    if unit != "quarter" or not 1 <= number <= 4:
        return None
    year = next(
        (span_of(as_date(token), now).start.year for token in tokens if token.kind in "RY"),
        now.year,
    )
    return unit_span("quarter", datetime(year, 3 * number, 1))


def _this_part(tokens: Values, now: datetime) -> Span | None:
    return at_clock(span_of(tokens[0], now), tokens[1].value)


def _days(tokens: Values, now: datetime) -> Span | None:
    return said_range([as_date(token) for token in tokens], now)


def _day_of_month(tokens: Values, now: datetime) -> Day:
    return Day(None, None, tokens[0].value)


X = "[RDw]"
CHINESE: tuple[Rule, ...] = (
    rule("r", "R", day_word(hours_of_parts())),
    # lengths
    rule("[nKg]hu|[nKg]u|hu", "L", _length),
    rule("Lh", "L", _half_more),
    rule("L(?:&?L)+", "L", joined),
    # dates
    rule("YO?mq", "D", date("ymd")),
    rule("YO?m", "D", date("ym")),
    rule("[YR]O?H|H", "D", _holiday),
    rule("[WG<>=]u(?![aF]$)", "R", _stepped),
    rule("RO?m?q|RO?m", "D", _of_year),
    rule("mq", "D", date("md")),
    rule("D,?w", "D", lambda tokens, now: tokens[0].value),
    rule("[WG<>=]w", "R", _weekday),
    rule("RO?w", "R", weekday_in),
    rule("[YR]O?[on]u", "R", _of_quarter),
    rule("[YR]?O?-?Q", "R", quarter),
    rule("ou(?!O)", "R", _of_quarter),
    rule("nu", "R", _century),
    rule("[YR]O?y|[<>=]y|y(?=O)", "R", _season),
    # seen from now
    rule("<OL|<L", "R", _ranged(-1)),
    rule(">O?L", "R", _ranged(1)),
    rule("(?<![YRDm])(?<![YRDm]O)aL", "R", _ranged(-1)),
    rule("=L", "R", _these_days),
    rule("RO?R", "R", _day_of_year),
    rule("LaO?R", "R", day_ago),
    rule("La", "R", from_now(-1)),
    rule("LF", "R", from_now(1)),
    rule("Li", "R", _within),
    # within another
    rule("[YRDm]O?aL", "R", lambda tokens, now: _first_units([as_date(tokens[0]), tokens[-1]], now)),
    rule("[YRDm]O?ou", "R", lambda tokens, now: nth_week([tokens[1], tokens[2], as_date(tokens[0])], now)),
    rule("[YRDm]O?E", "R", lambda tokens, now: _portion([as_date(tokens[0]), tokens[-1]], now)),
    rule("RO?Eu|RuE", "R", _portion),
    rule("YO?Eu", "R", lambda tokens, now: _portion([as_date(tokens[0]), tokens[1]], now)),
    rule("Eu|uE", "R", _portion_of_unit),
    rule("(?<![0-9LnKVu])u(?!.)", "R", bare_weekend),
    rule("(?<![YRDmn])q(?![-t&].*q)", "D", _day_of_month),
    # of a day
    rule("=P", "R", part_of_now),
    rule("PO?T", "T", lambda tokens, now: clock_of_part([tokens[1], tokens[0]], now)),
    rule(f"{X}O?P", "R", part),
    rule(f"{X}O?f?T[t&-]T", "R", hours),
    rule(f"{X}O?,?T", "R", timed),
    rule("f?NtT", "R", until_clock),
    # from one to another
    rule("f?D[t-]qZ?|D&qZ", "R", lambda tokens, now: said_range([tokens[0], Token("D", 0, 0, Day(None, None, tokens[1].value))], now)),
    rule("b?f?[mYRDwgq](?:t|-)[mYRDwN](?:OZ|Z)?", "R", _days),
    rule("b?f?[mYRDw]&[mYRDw]O?Z", "R", _days),
    # open at one side
    rule("[YRDm]O?S", "R", lambda tokens, now: since(as_date(tokens[0]), now)),
    rule("s[YRDm]", "R", lambda tokens, now: since(as_date(tokens[0]), now)),
    rule("[YRDmw]O?F", "R", lambda tokens, now: since(as_date(tokens[0]), now, after=True)),
    rule("[YRDmw]O?a", "R", lambda tokens, now: before(as_date(tokens[0]), now)),
    rule("Y", "D", same),
    rule("m", "D", same),
)  # fmt: skip
