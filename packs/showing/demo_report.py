"""What a run of the demo proved: plain values, told in English and Chinese by the words of `demo.toml`.

A proof is a claim with what was measured. Its values are the same in both languages, and only the
words around them are another's.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from enishi.kernel.words.spoken import Language
from enishi.packs.showing.phrases import phrases

LANGUAGES: tuple[Language, ...] = ("en", "zh")
Told = dict[Language, str]
"""The same words in every language of LANGUAGES."""

Measured = Mapping[str, Any]
"""What was measured, by the names that the words of a proof have for it."""


class Line(NamedTuple):
    """Something that was said in a chapter; `words` is None where it was erased."""

    speaker: str
    ours: bool
    words: str | None


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim. `holds` is None where it could not be tried, for want of an extra."""

    name: str
    claim: Told
    holds: bool | None
    measured: Measured
    found: Told


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the story: what happened, some of what was said, and what it proves."""

    name: str
    title: Told
    about: Told
    lines: tuple[Line, ...]
    proofs: tuple[Proof, ...]


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A file that the demo leaves behind. `bytes` is None for those that tell of all the others."""

    name: str
    bytes: int | None
    about: Told


@dataclass(frozen=True, slots=True)
class DemoReport:
    """All that a run told. `digests` are those of the main branch, by machine and projection."""

    agent: str
    user: str
    chapters: tuple[Chapter, ...]
    query: str
    recalled: str
    digests: dict[str, dict[str, str]]
    files: tuple[LeftBehind, ...]

    @property
    def proofs(self) -> list[Proof]:
        """All proofs, in the order in which they are told."""
        return [proof for chapter in self.chapters for proof in chapter.proofs]

    @property
    def failed(self) -> list[str]:
        """The names of the proofs that did not hold."""
        return [proof.name for proof in self.proofs if proof.holds is False]

    def verdict(self) -> Told:
        """How many proofs held, and what did not or could not be tried."""
        tried = [proof for proof in self.proofs if proof.holds is not None]
        held = sum(proof.holds is True for proof in tried)
        untried = len(self.proofs) - len(tried)
        told: Told = {}
        for language in LANGUAGES:
            said = [say(language, "held", held=held, tried=len(tried))]
            said += [say(language, "failed", names=", ".join(self.failed))] if self.failed else []
            said += [say(language, "untried", n=untried)] if untried else []
            told[language] = "; ".join(said) if language == "en" else "；".join(said)
        return told


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("enishi.packs.showing").joinpath("demo.toml").read_text("utf-8"))


def say(language: Language, what: str, /, **values: object) -> str:
    """Words of the demo in a language."""
    form: str = _table()["words"][language][what]
    return form.format(**values)


def told(
    lines: Mapping[str, Sequence[Line]], proved: Mapping[str, tuple[bool | None, Measured]]
) -> tuple[Chapter, ...]:
    """The chapters with what was said in each, by name, and what was proved.

    Each proof that the words know must be among what was proved, and nothing else.
    """
    left = dict(proved)
    chapters = tuple(
        Chapter(
            chapter["name"],
            _told(chapter),
            _told(chapter["about"]),
            tuple(lines.get(chapter["name"], ())),
            tuple(_proof(proof, *left.pop(proof["name"])) for proof in chapter["proof"]),
        )
        for chapter in _table()["chapter"]
    )
    assert not left, f"demo.toml has no words for {sorted(left)}"
    return chapters


def left_behind(sizes: Mapping[str, int | None]) -> tuple[LeftBehind, ...]:
    """The files of these sizes with what each of them is."""
    about = _table()["files"]
    return tuple(LeftBehind(name, size, _told(about[name])) for name, size in sizes.items())


def _told(words: Mapping[str, Any]) -> Told:
    return {language: words[language] for language in LANGUAGES}


def _proof(words: Mapping[str, Any], holds: bool | None, measured: Measured) -> Proof:
    found = {
        language: words["found"][language].format(
            **{name: _in(language, value) for name, value in measured.items()}
        )
        if measured
        else "–"
        for language in LANGUAGES
    }
    return Proof(words["name"], _told(words), holds, measured, found)


def _in(language: Language, value: object) -> object:
    """A value as it is told: states and effects by their words, several one after the other."""
    if isinstance(value, list):
        return " → ".join(str(_in(language, one)) for one in value)
    words = {**phrases(language)["status"], **phrases(language)["effect"]}
    return words.get(value, value) if isinstance(value, str) else value
