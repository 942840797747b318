"""Whether a message needs what was said or told before: readable rules in English and Chinese.

The rules are data (`gate.toml`). No model, clock or store is asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

_READ = 2000
"""Code points of a message that are looked at."""

NAMES_RULE = "known name"
_LATIN, _WIDE = re.compile("[a-z]"), re.compile("[\u3400-\u9fff]")
_MARKS = re.compile(
    "[\\s.,!?;:~'\"*()…·—。，！？；：～、“”‘’（）\U0001f000-\U0001faff\u2600-\u27bf\ufe0f-]+"
)


class Gate(NamedTuple):
    """Whether recall is needed for a message, and the name of the rule that says so."""

    open: bool
    rule: str


BEGINS = Gate(True, "a session begins")
"""Nothing is asked for: the last sessions are there, and no words are searched for."""

SPOKEN_OF = Gate(True, "spoken of before")
"""The message asks for something, or names it, that stands in the log."""


class _Rule(NamedTuple):
    answer: Gate
    whole: bool
    english: re.Pattern[str] | None
    chinese: re.Pattern[str] | None


class _Machine(NamedTuple):
    blocks: re.Pattern[str]
    line: re.Pattern[str]


def gate(text: str, names: Sequence[str] = (), *, override: bool | None = None) -> Gate:
    """Whether this message needs recall, and by which rule.

    `names` are those of persons, pets and projects that both sides know; they count as whole words,
    and Chinese ones from two characters on. `override` is the caller's own answer. What machines
    wrote (logs, code, results of tools) is passed over; the first 2000 code points are looked at.
    """
    if override is not None:
        return Gate(override, "the caller's word")
    text = text[:_READ]
    spoken = _spoken(text)
    if not spoken.strip():
        return Gate(False, "machine output" if text.strip() else "nothing said")
    spoken = spoken.lower().replace("’", "'")
    latin, wide = _LATIN.search(spoken), _WIDE.search(spoken)
    bare = _MARKS.sub(" ", spoken).strip()
    for rule in _tables()[1]:
        if rule.answer.rule == NAMES_RULE:
            found = bool(names) and _known(tuple(names)).search(spoken) is not None
        else:
            words, match = (bare, "fullmatch") if rule.whole else (spoken, "search")
            found = any(
                pattern is not None and getattr(pattern, match)(words) is not None
                for pattern, there in ((rule.english, latin), (rule.chinese, wide))
                if there
            )
        if found:
            return rule.answer
    return Gate(False, "nothing refers back")


def _spoken(text: str) -> str:
    """The text without what machines wrote: their blocks, and paragraphs with lines of theirs."""
    machine = _tables()[0]
    text = machine.blocks.sub("\n\n", text)
    if machine.line.search(text) is None:
        return text
    return "\n\n".join(part for part in text.split("\n\n") if machine.line.search(part) is None)


@lru_cache(maxsize=64)
def _known(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for names in lower case: Latin ones between the edges of words."""
    forms = []
    for name in sorted({name.strip().lower() for name in names}):
        if name and (name.isascii() or len(name) > 1):
            before = "(?<![a-z0-9_])" if name[0].isascii() else ""
            after = "(?![a-z0-9_])" if name[-1].isascii() else ""
            forms.append(f"{before}{re.escape(name)}{after}")
    return re.compile("|".join(forms) or "(?!)")


@cache
def _tables() -> tuple[_Machine, tuple[_Rule, ...]]:
    table = tomllib.loads((files("enishi.projections.recall") / "gate.toml").read_text("utf-8"))
    machine = table["machine"]
    begins, within = "|".join(machine["begins"]), "|".join(machine["within"])
    return (
        _Machine(
            blocks=re.compile("|".join(machine["blocks"]), re.DOTALL),
            line=re.compile(f"^(?:{begins})|(?:{within})", re.MULTILINE),
        ),
        tuple(
            _Rule(
                answer=Gate(rule["open"], rule["name"]),
                whole=rule.get("whole", False),
                english=_pattern(rule.get("en"), "(?<![a-z0-9])(?:{})(?![a-z0-9])"),
                chinese=_pattern(rule.get("zh"), "(?:{})"),
            )
            for rule in table["rule"]
        ),
    )


def _pattern(forms: list[str] | None, frame: str) -> re.Pattern[str] | None:
    return re.compile(frame.format("|".join(forms)), re.ASCII) if forms else None
