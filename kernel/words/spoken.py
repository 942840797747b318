"""Which language is mostly spoken: English or Chinese, told by the characters alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Language = Literal["en", "zh"]

_LATIN = re.compile("[A-Za-z]")
_CHINESE = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f]")
_LETTERS = 3
"""A Chinese character says about as much as so many letters."""


def mostly_spoken(texts: Iterable[str]) -> Language:
    """English unless more of it is said in Chinese characters."""
    latin = chinese = 0
    for text in texts:
        latin += len(_LATIN.findall(text))
        chinese += len(_CHINESE.findall(text))
    return "zh" if chinese * _LETTERS > latin else "en"
