"""The headers of one relationship in compact form: the tree of turns, and the acts upon it.

Built from headers alone, record by record, so that catching up costs what is new.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from enishi.kernel.encoding import Header
from enishi.kernel.errors import LogDamaged
from enishi.kernel.events import EVENT_TYPES
from enishi.kernel.moments import Moment

ROOT = -1
"""The place before the first turn, where events without any turn belong. Its depth is 0."""

MAIN = 0
"""The number of the branch that every relationship begins with."""

UNKNOWN_TIME = -(2**63)

KINDS = tuple(EVENT_TYPES)
"""Type names by their code in `History.kind`; types unknown here have the code `len(KINDS)`."""

_CODES = {name: code for code, name in enumerate(KINDS)}
_UNKNOWN = len(KINDS)


def kind_code(type_name: str) -> int:
    """The code of a type name in `History.kind`."""
    return _CODES.get(type_name, _UNKNOWN)


_TURN_OPENED = kind_code("TurnOpened")
_MESSAGE = kind_code("MessageReceived")
_REPLY = kind_code("ReplyGiven")
_REVISION = kind_code("TextRevised")
TEXT_CODES = frozenset({_MESSAGE, _REPLY, _REVISION})
_ACT_CODES = frozenset(_CODES[row.name] for row in EVENT_TYPES.values() if row.place == "act")


@dataclass(slots=True)
class Branch:
    """A named path. `fork` is the number of its first record, `tip` the turn it ends with."""

    number: int
    parent: int | None
    tip: int


@dataclass(slots=True)
class History:
    """What all headers say, indexed by record number where a field is an array.

    `choice` has the newest choice for a turn (a reply) or a text (a wording), `choice_before` the
    one that it replaced: a reply, a revision, or an act that chose one of them. `tangled` are the
    turns with more to them than being said: an act spoke of them, or several replies, wordings,
    turns or branches are involved. In the others, all that is on a branch's path stands.
    """

    kind: bytearray = field(default_factory=bytearray)
    version: dict[int, int] = field(default_factory=dict)
    turn: array[int] = field(default_factory=lambda: array("q"))
    at: array[int] = field(default_factory=lambda: array("q"))
    offset: array[int] = field(default_factory=lambda: array("i"))
    assumed: set[int] = field(default_factory=set)
    branch: array[int] = field(default_factory=lambda: array("q"))
    erased: set[int] = field(default_factory=set)
    tangled: set[int] = field(default_factory=set)

    parent: dict[int, int] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=lambda: {ROOT: 0})
    events_of: dict[int, list[int]] = field(default_factory=lambda: {ROOT: []})
    causes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    base: dict[int, int] = field(default_factory=dict)
    choice: dict[int, int] = field(default_factory=dict)
    choice_before: dict[int, int] = field(default_factory=dict)
    withdrawn: dict[int, bool] = field(default_factory=dict)
    branches: dict[int, Branch] = field(default_factory=dict)
    current: int = MAIN
    acts: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.kind)

    def extend(self, headers: Iterable[Header]) -> None:
        """Take in the next records, in the order of their numbers.

        Records that speak of what is not there are LogDamaged; the history is of no use then.
        """
        number = len(self)
        try:
            for header in headers:
                number = header.number
                self.add(header)
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            raise LogDamaged(
                f"record {number} speaks of a turn or branch that is not there; run: enishi verify"
            ) from None

    def add(self, header: Header) -> None:
        """Take in the next record."""
        # Unpacked at once: this runs for every record whenever a relationship is opened.
        (
            _, _, number, _, type_name, version, happened, _,
            own_turn, own_parent, branch, causes, targets, _, _,
        ) = header  # fmt: skip
        if number != len(self.kind):
            raise ValueError("records come in the order of their numbers")
        kind = _CODES.get(type_name, _UNKNOWN)
        turn = ROOT if own_turn is None else own_turn
        self.kind.append(kind)
        if version != 1:
            self.version[number] = int(version)
        self.turn.append(turn)
        self.branch.append(branch)
        if happened is None:
            self.at.append(UNKNOWN_TIME)
            self.offset.append(0)
        else:
            at, offset, assumed = happened
            self.at.append(at)
            self.offset.append(offset)
            if assumed:
                self.assumed.add(number)
        if kind == _TURN_OPENED:
            parent = ROOT if own_parent is None else own_parent
            self.parent[number] = parent
            self.depth[number] = self.depth[parent] + 1
            self.events_of[number] = [number]
            self.branches[branch].tip = number
            return
        if kind == _REPLY:
            self._choose(turn, number)
        elif kind in _ACT_CODES:
            self._act(number, header)
            return
        elif kind == _REVISION:
            self.base[number] = targets[0]
            self.tangled.add(turn)
            self._choose(targets[0], number)
        elif number == 0:
            self.branches[MAIN] = Branch(MAIN, None, ROOT)
        self.events_of[turn].append(number)
        # A text rests on its turn alone; that is the default, so that it need not be kept.
        if causes and causes != (turn,):
            self.causes[number] = causes
            for cause in causes:
                if self.turn[cause] != turn:
                    self.tangled.add(turn)
        if self.branch[turn if turn != ROOT else 0] != branch:
            self.tangled.add(turn)

    def _choose(self, target: int, act: int) -> None:
        """An act is the newest choice for its target; those before it stay within reach."""
        before = self.choice.get(target)
        if before is not None:
            self.choice_before[act] = before
            self.tangled.add(self.turn[act])
        self.choice[target] = act

    def _act(self, number: int, header: Header) -> None:
        targets = header.targets
        self.acts[number] = targets
        self.tangled.update(self.turn[target] for target in targets)
        match header.type:
            case "VariantChosen":
                self._choose(self.turn[targets[0]], number)
            case "RevisionChosen":
                self._choose(self.base.get(targets[0], targets[0]), number)
            case "BranchForked":
                tip = targets[0] if targets else ROOT
                self.depth[tip]  # a fork from what is no turn is damage
                self.branches[number] = Branch(number, self.branches[header.branch].number, tip)
            case "BranchSwitched":
                self.current = self.branches[targets[0]].number
            case "TipMoved":
                tip = targets[0] if targets else ROOT
                self.depth[tip]  # a tip that is no turn is damage
                self.branches[header.branch].tip = tip
            case "Withdrawn" | "Restored":
                for target in targets:
                    self.withdrawn[target] = header.type == "Withdrawn"
            case "Erased":
                self.erased.update(targets)

    def last(self, type_name: str, before: int | None = None) -> int:
        """The newest record of a type before a number, or -1."""
        code = kind_code(type_name)
        return self.kind.rfind(code, 0, len(self) if before is None else before)

    def all(self, type_name: str) -> list[int]:
        """The numbers of all records of a type."""
        code, found, at = kind_code(type_name), [], -1
        while (at := self.kind.find(code, at + 1)) != -1:
            found.append(at)
        return found

    def moment(self, number: int) -> Moment | None:
        """When something happened, or None where that is unknown."""
        if self.at[number] == UNKNOWN_TIME:
            return None
        return Moment(self.at[number], self.offset[number], number in self.assumed)

    def causes_of(self, number: int) -> tuple[int, ...]:
        """What an event rests on."""
        found = self.causes.get(number)
        if found is not None:
            return found
        return (self.turn[number],) if self.kind[number] in TEXT_CODES else ()

    def root_text(self, text: int) -> int:
        """The message or reply that a text is a wording of: itself, unless it is a revision."""
        return self.base.get(text, text)

    def ancestors(self, turn: int) -> list[int]:
        """The turns from just after ROOT to this one."""
        path = []
        while turn != ROOT:
            path.append(turn)
            turn = self.parent[turn]
        path.reverse()
        return path

    def is_ancestor(self, older: int, newer: int) -> bool:
        """Whether the path to `newer` leads through `older`. A turn leads through itself."""
        depth = self.depth[older]
        while self.depth[newer] > depth:
            newer = self.parent[newer]
        return newer == older

    def lineage(self, branch: int) -> dict[int, int]:
        """For the branch and each it was forked from: the record number where its say ends."""
        limits = {branch: len(self) + (1 << 62)}
        while (parent := self.branches[branch].parent) is not None:
            limits[parent] = min(branch, limits[branch])
            branch = parent
        return limits
