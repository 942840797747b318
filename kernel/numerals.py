"""Numbers as they are written: digits, full-width digits, English words, Chinese numerals."""

from __future__ import annotations

import re

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
_WORDS = {word: number for number, word in enumerate(_ENGLISH.split())} | _TENS
_WORDS |= {"a": 1, "an": 1, "ninety": 90, "hundred": 100, "thousand": 1000}
_CJK = {mark: n for n, mark in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_WIDE = {ord("０") + n: str(n) for n in range(10)}
_DIGITS = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_NUMERALS = re.compile(r"[零〇一二两兩三四五六七八九十百千万萬]+")
_LATIN = re.compile(r"[A-Za-z]+")


def number_of(text: str) -> int | None:
    """The whole number that a text is, or None."""
    text = text.strip().lower().translate(_WIDE)
    if text.isascii() and text.isdigit():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    return _chinese(text) if _NUMERALS.fullmatch(text) else None


def numbers_in(text: str) -> set[str]:
    """The numbers of a text in one form: digits without separators, decimals kept.

    Single English and Chinese words such as "a" or 一, which mostly count nothing, are left out.
    """
    text = text.translate(_WIDE)
    found = {match[0].replace(",", "") for match in _DIGITS.finditer(text)}
    for match in _NUMERALS.finditer(text):
        number = _chinese(match[0])
        if number is not None and (len(match[0]) > 1 or number > 1):
            found.add(str(number))
    for match in _LATIN.finditer(text):
        number = _WORDS.get(match[0].lower())
        if number is not None and number > 1:
            found.add(str(number))
    return found


def _chinese(text: str) -> int | None:
    if all(mark in _CJK for mark in text):
        return int("".join(str(_CJK[mark]) for mark in text))
    total = part = digit = 0
    for mark in text:
        if mark in _CJK:
            digit = _CJK[mark]
            continue
        unit = _CJK_UNITS[mark]
        if unit == 10_000:
            total += (part + digit) * unit
            part = digit = 0
        else:
            part += (digit or 1) * unit
            digit = 0
    return total + part + digit
