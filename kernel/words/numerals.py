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
_ENGLISH_UNITS = {100, 1000}
_TENS_OF = {20, *_TENS.values(), 90}
_ANY_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_CJK = {mark: n for n, mark in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_NO_NUMBERS = re.compile(
    "(?:周|星期|礼拜|禮拜)[一二三四五六]|(?<![零〇一二两兩三四五六七八九十百千万萬])"
    "(?:[万萬]一(?![零〇一二两兩三四五六七八九十百千万萬])|千[万萬](?=[别別不要])|十分(?![钟鐘之]))"
)
"""Weekdays, and words that are only written with numerals."""
_WIDE = {ord("０") + n: str(n) for n in range(10)}
_DIGITS = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_NUMERALS = re.compile(r"[零〇一二两兩三四五六七八九十百千万萬]+")
_LATIN = re.compile(r"[A-Za-z]+")
_ENGLISH_RUN = re.compile(
    rf"(?<![A-Za-z])(?:{_ANY_WORD})(?![A-Za-z])(?:(?: and |[ -])(?:{_ANY_WORD})(?![A-Za-z]))*",
    re.IGNORECASE | re.ASCII,
)
_LONGEST = 30
"""Digits that a number has at most; what is longer is no number that anybody says."""


def number_of(text: str) -> int | None:
    """The whole number that a text is, or None."""
    text = text.strip().lower().translate(_WIDE)
    if len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    if _ENGLISH_RUN.fullmatch(text):
        numbers = _english(text)
        return numbers[0] if len(numbers) == 1 else None
    return _chinese(text) if _NUMERALS.fullmatch(text) else None


def numbers_in(text: str) -> set[str]:
    """The numbers of a text in one form: digits without separators and leading zeros.

    Single English and Chinese words such as "a" or 一, which mostly count nothing, are left out.
    """
    text = text.translate(_WIDE)
    found = {_plain(match[0]) for match in _DIGITS.finditer(text)}
    for match in _NUMERALS.finditer(_NO_NUMBERS.sub(" ", text)):
        number = _chinese(match[0])
        if number is not None and (len(match[0]) > 1 or number > 1):
            found.add(str(number))
    for match in _ENGLISH_RUN.finditer(text):
        found.update(str(number) for number in _english(match[0]) if number > 1)
    return found


def _plain(digits: str) -> str:
    """Digits without separators and leading zeros; decimals are kept."""
    stripped = digits.replace(",", "").lstrip("0")
    return stripped if stripped[:1].isdigit() else "0" + stripped


def _english(run: str) -> list[int]:
    """The numbers of a run of English numerals: "two hundred and five" is one, "two three" two."""
    found: list[int] = []
    last = 0
    for word in _LATIN.findall(run):
        number = _WORDS.get(word.lower())
        if number is None:  # and
            continue
        if not found:
            found.append(number)
        elif number in _ENGLISH_UNITS and last < number:
            whole, below = divmod(found[-1], 1000)
            found[-1] = whole * 1000 + below * number if number < 1000 else found[-1] * number
        elif last in _ENGLISH_UNITS or (last in _TENS_OF and 0 < number < 10):
            found[-1] += number
        else:
            found.append(number)
        last = number
    return found


def _chinese(text: str) -> int | None:
    if len(text) > _LONGEST:
        return None
    if all(mark in _CJK for mark in text):
        return int("".join(str(_CJK[mark]) for mark in text))
    total = part = digit = 0
    unit = 1
    for mark in text:
        if mark in _CJK:
            digit = _CJK[mark]
            unit = 1 if digit == 0 else unit
            continue
        unit = _CJK_UNITS[mark]
        if unit == 10_000:
            total += (part + digit) * unit
            part = digit = 0
        else:
            part += (digit or 1) * unit
            digit = 0
    # 三万五 is 35000, and 三万零五 30005.
    return total + part + (digit * unit // 10 if unit >= 100 else digit)
