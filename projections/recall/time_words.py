"""What both languages share in reading said times: the words of `times.toml`, and numeric forms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from enishi.kernel.words.said_days import MONTH
from enishi.projections.recall.time_grammar import Token
from enishi.projections.recall.time_spans import Clock, Day, unit_span

_MONTHS = "|".join(sorted(MONTH, key=len, reverse=True))

LEAF = re.compile(
    rf"""
    (?P<iso>(?<![0-9./])(?<![0-9]-)(?P<y>[12][0-9]{{3}})(?P<s>[-/.])(?P<m>[0-9]{{1,2}}|{_MONTHS})(?P=s)(?P<d>[0-9]{{1,2}})(?![0-9]))
  | (?P<isomonth>(?<![0-9./-])(?P<iy>[12][0-9]{{3}})-(?P<im>0[1-9]|1[0-2])(?![0-9-]))
  | (?P<compact>(?<![0-9])(?P<cy>(?:19|20)[0-9]{{2}})(?P<cm>0[1-9]|1[0-2])(?P<cd>[0-2][0-9]|3[01])(?![0-9]))
  | (?P<us>(?<![0-9./])(?P<um>[0-9]{{1,2}})(?P<us_>[-/.])(?P<ud>[0-9]{{1,2}})(?P=us_)(?P<uy>[0-9]{{4}}|[0-9]{{2}})(?![0-9/]|\.[0-9]|(?P=us_)[0-9]))
  | (?P<named>(?<![a-z0-9])(?P<nm>{_MONTHS})[-/](?P<nd>[0-9]{{1,2}})(?:[-/](?P<ny>[12][0-9]{{3}}))?(?![0-9a-z]))
  | (?P<named2>(?<![a-z0-9])(?P<n2d>[0-9]{{1,2}})(?P<n2s>[-/])(?P<n2m>{_MONTHS})(?P=n2s)(?P<n2y>[0-9]{{4}}|[0-9]{{2}})(?![0-9a-z]))
  | (?P<quarter>(?<![a-z0-9])q(?P<q>[1-4])(?![a-z0-9]))
  | (?P<decade>(?<![0-9a-z'])(?P<dec>1[0-9]{{2}}0|20[0-9]0)'?s(?![a-z]))
  | (?P<tens>(?<![0-9a-z'])'?(?P<dec2>[2-9]0)'?s(?![a-z]))
  | (?P<clock>(?<![0-9:.])(?P<H>[01]?[0-9]|2[0-4])(?:(?P<sep>[:.])(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9]))?)?
        [ ]?(?P<half>[ap](?:\.m\.?|m)(?![a-z])|o'?clock(?![a-z])))
  | (?P<bare>(?<![0-9:.$])(?P<bH>[01]?[0-9]|2[0-3]):(?P<bM>[0-5][0-9])(?::(?P<bS>[0-5][0-9]))?(?![0-9:]))
  | (?P<md>(?<![0-9./$])(?P<a>[0-9]{{1,2}})(?P<mdsep>[/.])(?P<b>[0-9]{{1,2}})(?![0-9/%]|\.[0-9]))
  | (?P<nth>(?<![0-9])(?P<N>[0-9]{{1,2}})(?:st|nd|rd|th)(?![a-z]))
  | (?P<number>(?<![0-9.,$])(?P<n>[0-9]{{1,4}})(?![0-9]|[.,][0-9]))
  | (?P<word>[a-z]+(?:['’][a-z]+)*)
  | (?P<dash>[-–—~])
  | (?P<comma>,)
  | (?P<slash>/)
  | (?P<other>[^\s()*"“”])
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)


@cache
def hours_of_parts() -> dict[str, tuple[int, int]]:
    """The hours of the parts of a day."""
    return {name: (first, last) for name, (first, last) in _table()["parts"].items()}


@cache
def words_of(language: str) -> dict[str, tuple[str, Any]]:
    """The words of a language: each with its letter and value."""
    table, parts = _table()[language], hours_of_parts()
    words: dict[str, tuple[str, Any]] = {}
    words |= {word: (kind, None) for kind, some in table["words"].items() for word in some}
    words |= {word: ("u", unit) for unit, some in table["units"].items() for word in some}
    words |= {word: ("P", parts[part]) for part, some in table["parts"].items() for word in some}
    words |= {word: ("y", name) for name, some in table["seasons"].items() for word in some}
    words |= {word: ("E", part) for part, some in table["within"].items() for word in some}
    words |= {word: ("H", tuple(day)) for word, day in table["holidays"].items()}
    words |= {word: ("r", tuple(value)) for word, value in table["days"].items()}
    words |= {word: ("r", value) for word, value in table.get("years", {}).items()}
    words |= {word: ("H", tuple(day)) for word, day in table.get("lunar", {}).items()}
    return words


@cache
def lunar_days(column: str) -> dict[int, date]:
    """When a day of the Chinese calendar was or will be in each year from 1900 to 2100."""
    path = files("enishi.projections.recall") / "lunar_days.tsv"
    head, *rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    at = head.index(column)
    return {int(row[0]): date.fromisoformat(f"{row[0]}-{row[at]}") for row in rows}


@cache
def _table() -> dict[str, Any]:
    path = files("enishi.projections.recall") / "times.toml"
    return tomllib.loads(path.read_text("utf-8"))


def leaf_token(leaf: re.Match[str]) -> Token:
    """The token of a match of LEAF that is no word."""
    kind, value = _LEAVES.get(leaf.lastgroup or "", (_nothing))(leaf)
    return Token(kind, *leaf.span(), value)


def _nothing(leaf: re.Match[str]) -> tuple[str, Any]:
    return "x", None


def _year(digits: str | None) -> int | None:
    if digits is None:
        return None
    number = int(digits)
    return number if len(digits) > 2 else number + (2000 if number < 50 else 1900)


def _month(name: str) -> int:
    return MONTH.get(name) or int(name)


def _us(leaf: re.Match[str]) -> tuple[str, Any]:
    month, day = int(leaf["um"]), int(leaf["ud"])
    if month > 12:
        month, day = day, month
    return ("D", Day(_year(leaf["uy"]), month, day)) if 1 <= month <= 12 else ("x", None)


def _md(leaf: re.Match[str]) -> tuple[str, Any]:
    month, day = int(leaf["a"]), int(leaf["b"])
    hour, minute = month, day
    if leaf["mdsep"] == "." and len(leaf["b"]) == 2 and hour < 24 and minute < 60:
        return "K", (Day(None, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None,
                     Clock(hour * 3600 + minute * 60, "minute", hour > 12))  # fmt: skip
    if 12 < month <= 31 and 1 <= day <= 12 and len(leaf["b"]) == 2:
        return "D", Day(None, day, month)
    if 1 <= month <= 12 and 1 <= day <= 31:
        return "M", Day(None, month, day)
    return "x", None


def _clock(leaf: re.Match[str]) -> tuple[str, Any]:
    hour, minute, second = int(leaf["H"]), int(leaf["M"] or 0), int(leaf["S"] or 0)
    half = leaf["half"][0]
    if half in "ap":
        if not 1 <= hour <= 12:
            return "x", None
        hour = hour % 12 + (12 if half == "p" else 0)
    grain = "second" if leaf["S"] else "minute" if leaf["M"] else "hour"
    return "T", Clock(hour * 3600 + minute * 60 + second, grain, half in "ap" or hour > 12)


def _bare(leaf: re.Match[str]) -> tuple[str, Any]:
    hour, minute, second = int(leaf["bH"]), int(leaf["bM"]), int(leaf["bS"] or 0)
    sure = hour > 12 or hour == 0 or leaf["bH"].startswith("0")
    return "T", Clock(
        hour * 3600 + minute * 60 + second, "second" if leaf["bS"] else "minute", sure
    )


def _number(leaf: re.Match[str]) -> tuple[str, Any]:
    number = int(leaf["n"])
    return ("Y" if len(leaf["n"]) == 4 and 1000 <= number < 2200 else "n"), number


_LEAVES: dict[str, Callable[[re.Match[str]], tuple[str, Any]]] = {
    "iso": lambda leaf: ("D", Day(int(leaf["y"]), _month(leaf["m"]), int(leaf["d"]))),
    "isomonth": lambda leaf: ("D", Day(int(leaf["iy"]), int(leaf["im"]))),
    "compact": lambda leaf: ("D", Day(int(leaf["cy"]), int(leaf["cm"]), int(leaf["cd"]))),
    "us": _us,
    "named": lambda leaf: ("D", Day(_year(leaf["ny"]), _month(leaf["nm"]), int(leaf["nd"]))),
    "named2": lambda leaf: ("D", Day(_year(leaf["n2y"]), _month(leaf["n2m"]), int(leaf["n2d"]))),
    "quarter": lambda leaf: ("Q", int(leaf["q"])),
    "decade": lambda leaf: ("R", unit_span("decade", datetime(int(leaf["dec"]), 1, 1))),
    "tens": lambda leaf: ("G", int(leaf["dec2"])),
    "clock": _clock,
    "bare": _bare,
    "md": _md,
    "nth": lambda leaf: ("o", int(leaf["N"])),
    "number": _number,
    "dash": lambda leaf: ("-", None),
    "comma": lambda leaf: (",", None),
    "slash": lambda leaf: ("/", None),
}
