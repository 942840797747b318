"""The words of pictures and memoirs in English and Chinese: those of `phrases.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from enishi.kernel.moments import Moment
from enishi.kernel.words.spoken import Language


@cache
def phrases(language: Language) -> dict[str, Any]:
    """All words of one language."""
    table = tomllib.loads(files("enishi.packs.showing").joinpath("phrases.toml").read_text("utf-8"))
    found: dict[str, Any] = table[language]
    return found


def counted(language: Language, what: str, n: int) -> str:
    """So many of something: the first form is for one."""
    forms: list[str] = phrases(language)[what]
    return forms[0 if n == 1 else 1].format(n=n)


def day(language: Language, moment: Moment, *, short: bool = False) -> str:
    """The calendar day of a moment at its own offset, without its year where `short`."""
    when, words = moment.to_datetime(), phrases(language)
    form: str = words["short_day" if short else "day"]
    return form.format(year=when.year, month=words["months"][when.month - 1], day=when.day)
