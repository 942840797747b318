"""The tokens of Chinese texts: numbers, dates and clocks as they are written, and the words."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any

from enishi.kernel.words.numerals import number_of
from enishi.projections.recall.time_grammar import Token
from enishi.projections.recall.time_spans import Clock, Day, unit_span
from enishi.projections.recall.time_words import LEAF, leaf_token, words_of

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
  | (?<![前去近后後])(?P<quarterly>[1-4一二三四])(?=季度)
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
    if said["nth"] or said["quarterly"]:
        return Token("o", start, end, number_of(said["nth"] or said["quarterly"]))
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
