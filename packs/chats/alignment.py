"""What of a chat file is recorded already, and how the file has changed since.

Lines are compared in order. A recorded line is the same line if a wording agrees, or if the file
has it at the same position and time as when it was taken in: then it was edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from enishi.packs.chats.chat import ChatLine

_REACH = 64
"""How many lines ahead are looked at to tell an edit from a line that was put in."""

Outcome = Literal["same", "grown", "cut", "apart"]


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One line of a chat as it stands in the log.

    `title` and `position` say where it was taken in from; both are None for what was not imported.
    `variants` maps each recorded text (a reply, or a message) to all its wordings, `times` are
    the known times of its texts.
    """

    turn: int
    role: str
    title: str | None
    position: int | None
    variants: dict[int, tuple[str, ...]]
    times: frozenset[int]

    def holds(self, text: str) -> bool:
        """Whether a wording agrees."""
        return any(text in wordings for wordings in self.variants.values())


@dataclass(frozen=True, slots=True)
class Alignment:
    """How many leading lines are recorded, and what the rest is.

    `same`: nothing else. `grown`: the file goes on. `cut`: the record goes on. `apart`: they part
    in the middle; `common` is then the number of lines before the first difference of any kind.
    """

    outcome: Outcome
    common: int


def align(lines: Sequence[ChatLine], recorded: Sequence[RecordedLine]) -> Alignment:
    """Compare a file with its record."""
    first_difference: int | None = None
    for index in range(min(len(lines), len(recorded))):
        line, known = lines[index], recorded[index]
        if says_the_same(line, known):
            continue
        if first_difference is None:
            first_difference = index
        if not _same_place(line, known) or _shifted(lines, recorded, index):
            return Alignment("apart", first_difference)
    common = min(len(lines), len(recorded))
    if len(lines) > len(recorded):
        return Alignment("grown", common)
    return Alignment("cut" if len(recorded) > len(lines) else "same", common)


def shared_beginning(lines: Sequence[ChatLine], recorded: Sequence[RecordedLine]) -> int:
    """How many leading lines another file has in common with what is recorded.

    A greeting alone is no beginning in common, unless it was given at the same known time: every
    chat with a character starts with it.
    """
    common = same_beginning(lines, recorded)
    telling = any(
        line.role == "user" or _times(line) & known.times
        for line, known in zip(lines[:common], recorded, strict=False)
    )
    return common if telling else 0


def same_beginning(lines: Sequence[ChatLine], recorded: Sequence[RecordedLine]) -> int:
    """How many leading lines are the same, whatever they say."""
    common = 0
    for line, known in zip(lines, recorded, strict=False):
        if not says_the_same(line, known):
            break
        common += 1
    return common


def says_the_same(line: ChatLine, known: RecordedLine) -> bool:
    """Whether the line, in any of its variants, is one that is recorded."""
    return line.role == known.role and any(known.holds(w.text) for w in line.wordings)


def _same_place(line: ChatLine, known: RecordedLine) -> bool:
    """Whether the file has the line where and when it was taken in, in whatever words."""
    times = _times(line)
    same_time = bool(times & known.times) if times else not known.times
    return line.role == known.role and line.position == known.position and same_time


def _times(line: ChatLine) -> set[int]:
    return {wording.happened.at for wording in line.wordings if wording.happened}


def _shifted(lines: Sequence[ChatLine], recorded: Sequence[RecordedLine], index: int) -> bool:
    """Whether lines were put in or taken out here: what comes next is found further on or back."""
    for by in range(1, _REACH):
        if _same_run(lines[index + by : index + by + 2], recorded[index : index + 2]):
            return True
        if _same_run(lines[index : index + 2], recorded[index + by : index + by + 2]):
            return True
    return False


def _same_run(lines: Sequence[ChatLine], recorded: Sequence[RecordedLine]) -> bool:
    """Whether both go on alike, for two lines where there are two: one alone may be chance."""
    run = list(zip(lines, recorded, strict=False))
    return len(run) == max(1, len(lines), len(recorded)) and all(
        says_the_same(line, known) for line, known in run
    )
