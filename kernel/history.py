"""The headers of one relationship in compact form: the tree of turns, and the acts upon it.

Built from headers alone, record by record, so that catching up costs what is new.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

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


_FEW = 32
"""So many numbers are looked up one by one faster than in one pass over all that are derived."""

_TURN_OPENED = kind_code("TurnOpened")
_REPLY = kind_code("ReplyGiven")
_REVISION = kind_code("TextRevised")
TEXT_TYPES = ("MessageReceived", "ReplyGiven", "TextRevised")
TEXT_CODES = frozenset(map(kind_code, TEXT_TYPES))
CONTENT_FREE = frozenset(_CODES[row.name] for row in EVENT_TYPES.values() if row.content_free)
TOMBSTONES = frozenset({kind_code("Erased"), kind_code("WordsErased")})
_ACT_CODES = frozenset(_CODES[row.name] for row in EVENT_TYPES.values() if row.place == "act")


def _numbers() -> array[int]:
    return array("i")


def _moments() -> array[int]:
    return array("q")


class Placed(Protocol):
    """What a history needs to know of a record: part of its header."""

    @property
    def number(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def happened(self) -> tuple[int, int, int] | None: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def parent(self) -> int | None: ...
    @property
    def branch(self) -> int: ...
    @property
    def causes(self) -> tuple[int, ...]: ...
    @property
    def targets(self) -> tuple[int, ...]: ...


def _places_of(value: int, column: array[int]) -> Iterator[int]:
    """Where a value stands in a column; many times faster than to look at each."""
    data, wanted = column.tobytes(), array(column.typecode, [value]).tobytes()
    at = data.find(wanted)
    while at != -1:
        place, beside = divmod(at, len(wanted))
        if not beside:
            yield place
        at = data.find(wanted, at + 1)


@dataclass(slots=True)
class Branch:
    """A named path. `fork` is the number of its first record, `tip` the turn it ends with."""

    number: int
    parent: int | None
    tip: int


@dataclass(slots=True)
class History:
    """What all headers say, indexed by record number where a field is an array.

    `choice` has the newest choice for a turn (a reply) or a text (a wording), 0 where there is none;
    `choice_before` the one that it replaced: a reply, a revision, or an act that chose one of them. `tangled` are the
    turns with more to them than being said: an act spoke of them, or several replies, wordings,
    turns or branches are involved. In the others, all that is on a branch's path stands. `erased`
    are all records whose payloads are gone, `spared` those of them that lost their words only:
    what is content-free and rests on them stays.
    """

    kind: bytearray = field(default_factory=bytearray)
    version: dict[int, int] = field(default_factory=dict)
    turn: array[int] = field(default_factory=_numbers)
    at: array[int] = field(default_factory=_moments)
    offset: array[int] = field(default_factory=_numbers)
    assumed: set[int] = field(default_factory=set)
    branch: array[int] = field(default_factory=_numbers)
    erased: set[int] = field(default_factory=set)
    spared: set[int] = field(default_factory=set)
    tangled: set[int] = field(default_factory=set)

    base: dict[int, int] = field(default_factory=dict)
    choice: array[int] = field(default_factory=_numbers)
    choice_before: dict[int, int] = field(default_factory=dict)
    withdrawn: dict[int, bool] = field(default_factory=dict)
    branches: dict[int, Branch] = field(default_factory=dict)
    current: int = MAIN
    acts: dict[int, tuple[int, ...]] = field(default_factory=dict)

    # Of a turn, by its number; 0 for what is none. Its records mostly follow it at once, up to
    # `_end`; what came when others had come between is `_late`.
    _parent: array[int] = field(default_factory=_numbers)
    _depth: array[int] = field(default_factory=_numbers)
    _end: array[int] = field(default_factory=_numbers)
    _late: dict[int, list[int]] = field(default_factory=lambda: {ROOT: []})

    # Where the causes of a record begin among all of them, 0 for none: first how many there are.
    _causes_at: array[int] = field(default_factory=_numbers)
    _causes: array[int] = field(default_factory=lambda: array("i", [0]))

    def __len__(self) -> int:
        return len(self.kind)

    def extend(self, headers: Sequence[Placed]) -> None:
        """Take in the next records, in the order of their numbers.

        Records that speak of what is not there are LogDamaged; the history is of no use then.
        """
        # This runs for every record whenever a relationship is opened: plain loops, few calls.
        number, nothing = len(self), bytes(self.turn.itemsize * len(headers))
        parent_of, depth_of, end_of, late = self._parent, self._depth, self._end, self._late
        kind_of, turn_of, branch_of, at_of = self.kind, self.turn, self.branch, self.at
        causes_at, all_causes, offset_of = self._causes_at, self._causes, self.offset
        for column in (parent_of, depth_of, end_of, self.choice, causes_at, branch_of, offset_of):
            column.frombytes(nothing)
        tangled, code_of = self.tangled, _CODES
        try:
            for header in headers:
                kind = code_of.get(header.type, _UNKNOWN)
                branch = header.branch
                turn = header.turn
                if turn is None:
                    turn = ROOT
                if header.number != number or turn < ROOT:
                    raise ValueError
                kind_of.append(kind)
                turn_of.append(turn)
                if branch:
                    branch_of[number] = branch
                moment = header.happened
                if moment is None:
                    at_of.append(UNKNOWN_TIME)
                else:
                    at, offset, assumed = moment
                    at_of.append(at)
                    if offset:
                        offset_of[number] = offset
                    if assumed:
                        self.assumed.add(number)
                if header.version != 1:
                    self.version[number] = int(header.version)
                if kind == _TURN_OPENED:
                    parent = header.parent
                    if parent is None:
                        parent = ROOT
                    parent_of[number] = parent
                    depth_of[number] = self.depth_of(parent) + 1
                    self.branches[branch].tip = number
                    number += 1
                    end_of[number - 1] = number
                    continue
                if kind == _REPLY:
                    self._choose(turn, number)
                elif kind in _ACT_CODES:
                    self._act(number, kind, branch, header.targets)
                    number += 1
                    continue
                elif kind == _REVISION:
                    self.base[number] = header.targets[0]
                    tangled.add(turn)
                    self._choose(header.targets[0], number)
                elif number == 0:
                    self.branches[MAIN] = Branch(MAIN, None, ROOT)
                if turn != ROOT and end_of[turn] == number:
                    end_of[turn] = number + 1
                else:
                    late.setdefault(self._known(turn), []).append(number)
                causes = header.causes
                # A text rests on its turn alone; that is the default, so that it need not be kept.
                if causes and (causes != (turn,) or kind not in TEXT_CODES):
                    causes_at[number] = len(all_causes)
                    all_causes.append(len(causes))
                    all_causes.extend(causes)
                    for cause in causes:
                        if turn_of[cause] != turn:
                            tangled.add(turn)
                if branch_of[turn if turn != ROOT else 0] != branch:
                    tangled.add(turn)
                number += 1
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            raise LogDamaged(
                f"record {number} speaks of a turn or branch that is not there; run: enishi verify"
            ) from None

    def _choose(self, target: int, act: int) -> None:
        """An act is the newest choice for its target; those before it stay within reach."""
        if target < 0:
            raise ValueError(target)
        before = self.choice[target]
        if before:
            self.choice_before[act] = before
            self.tangled.add(self.turn[act])
        self.choice[target] = act

    def _act(self, number: int, kind: int, branch: int, targets: tuple[int, ...]) -> None:
        self.acts[number] = targets
        self.tangled.update(self.turn[target] for target in targets)
        match KINDS[kind]:
            case "VariantChosen":
                self._choose(self.turn[targets[0]], number)
            case "RevisionChosen":
                self._choose(self.base.get(targets[0], targets[0]), number)
            case "BranchForked":
                tip = self._known(targets[0] if targets else ROOT)
                self.branches[number] = Branch(number, self.branches[branch].number, tip)
            case "BranchSwitched":
                self.current = self.branches[targets[0]].number
            case "TipMoved":
                self.branches[branch].tip = self._known(targets[0] if targets else ROOT)
            case "Withdrawn" | "Restored":
                for target in targets:
                    self.withdrawn[target] = KINDS[kind] == "Withdrawn"
            case "Erased":
                self.erased.update(targets)
                self.spared.difference_update(targets)
            case "WordsErased":
                # Erasure only goes deeper.
                self.spared.update(set(targets) - self.erased)
                self.erased.update(targets)

    def of_kinds(self, kinds: Iterable[int], start: int = 0) -> Iterator[int]:
        """The numbers of all records of these kinds from `start` on, kind by kind."""
        find = self.kind.find
        for code in kinds:
            at = find(code, start)
            while at != -1:
                yield at
                at = find(code, at + 1)

    def is_turn(self, number: int) -> bool:
        """Whether this record opened a turn. ROOT counts as one."""
        depth = self._depth
        return number == ROOT or (0 <= number < len(depth) and depth[number] > 0)

    def _known(self, turn: int) -> int:
        if not self.is_turn(turn):
            raise KeyError(turn)
        return turn

    def depth_of(self, turn: int) -> int:
        """How many turns lead to this one, itself included; 0 for ROOT. Else KeyError."""
        return 0 if turn == ROOT else self._depth[self._known(turn)]

    def depths_of(self, turns: Iterable[int]) -> list[int]:
        """The same of many turns, all of which are there."""
        depth = self._depth
        return [0 if turn == ROOT else depth[turn] for turn in turns]

    def parent_of(self, turn: int) -> int:
        """The turn that this one follows, or ROOT, which follows itself. Else KeyError."""
        return ROOT if turn == ROOT else self._parent[self._known(turn)]

    def turns_after(self, turn: int) -> list[int]:
        """The turns that follow this one, on whatever branch."""
        return [number for number in self.all("TurnOpened") if self._parent[number] == turn]

    def events_of(self, turn: int) -> Sequence[int]:
        """The records of a turn, its own first; of ROOT, those that belong to no turn."""
        late = self._late.get(turn)
        if late is None:
            # Asked for every turn of a path: without a call.
            end = self._end[turn] if 0 <= turn < len(self._end) else 0
            if not end:
                raise KeyError(turn)
            return range(turn, end)
        return late if turn == ROOT else [*range(turn, self._end[turn]), *late]

    def last(self, type_name: str, before: int | None = None) -> int:
        """The newest record of a type before a number, or -1."""
        code = kind_code(type_name)
        return self.kind.rfind(code, 0, len(self) if before is None else before)

    def all(self, type_name: str) -> list[int]:
        """The numbers of all records of a type."""
        return list(self.of_kinds((kind_code(type_name),)))

    def moment(self, number: int) -> Moment | None:
        """When something happened, or None where that is unknown."""
        if self.at[number] == UNKNOWN_TIME:
            return None
        return Moment(self.at[number], self.offset[number], number in self.assumed)

    def causes_of(self, number: int) -> tuple[int, ...]:
        """What an event rests on."""
        start = self._causes_at[number]
        if start:
            return tuple(self._causes[start + 1 : start + 1 + self._causes[start]])
        return (self.turn[number],) if self.kind[number] in TEXT_CODES else ()

    def is_derived(self, number: int) -> bool:
        """Whether an event rests on more than the turn that it is a text of."""
        return self._causes_at[number] != 0

    def derived(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """All events that rest on more than the turn that they are texts of, with their causes."""
        for number, start in enumerate(self._causes_at):
            if start:
                yield number, tuple(self._causes[start + 1 : start + 1 + self._causes[start]])

    def resting_on(self, numbers: Iterable[int]) -> set[int]:
        """These, and everything that rests on one of them, directly or through others."""
        found = set(numbers)
        for turn in [n for n in found if self.kind[n] == _TURN_OPENED]:
            found.update(n for n in self.events_of(turn) if turn in self.causes_of(n))
        ahead = list(found)
        while ahead and len(found) <= _FEW:
            new = set(self.dependants(ahead.pop())) - found
            found |= new
            ahead += new
        if not ahead:
            return found
        # Causes come before what rests on them, so one pass in the order of the numbers is enough.
        for number, causes in self.derived():
            if not found.isdisjoint(causes):
                found.add(number)
        return found

    def dependants(self, number: int) -> list[int]:
        """What rests on an event directly, beside the texts of a turn that rest on it alone."""
        found = []
        for place in _places_of(number, self._causes):
            # Where its causes begin stands in `_causes_at`; a count that looks alike is no cause.
            start = next((at for at in range(place, 0, -1) if self._starting_at(at)), place)
            if start < place:
                found += self._starting_at(start)
        return found

    def _starting_at(self, place: int) -> list[int]:
        return list(_places_of(place, self._causes_at))

    def rests_on_erased(self, number: int) -> bool:
        """Whether an event rests, directly or not, on what was erased."""
        causes = self.causes_of(number)
        return any(n in self.erased or self.rests_on_erased(n) for n in causes)

    def root_text(self, text: int) -> int:
        """The message or reply that a text is a wording of: itself, unless it is a revision."""
        return self.base.get(text, text)

    def leading_to(self, turn: int, path: Sequence[int] = (ROOT,)) -> list[int]:
        """The turns that lead to this one from the last one of a path that does."""
        parent_of, depth_of, length, ahead = self._parent, self._depth, len(path), []
        while turn != ROOT and not ((depth := depth_of[turn]) < length and path[depth] == turn):
            ahead.append(turn)
            turn = parent_of[turn]
        ahead.reverse()
        return ahead

    def is_ancestor(self, older: int, newer: int) -> bool:
        """Whether the path to `newer` leads through `older`. A turn leads through itself."""
        if older == ROOT:
            return True
        parent_of, newer = self._parent, self._known(newer)
        # A turn has a larger number than those that lead to it.
        while newer > older:
            newer = parent_of[newer]
        return newer == older

    def lineage(self, branch: int) -> dict[int, int]:
        """For the branch and each it was forked from: the record number where its say ends."""
        limits = {branch: len(self) + (1 << 62)}
        while (parent := self.branches[branch].parent) is not None:
            limits[parent] = min(branch, limits[branch])
            branch = parent
        return limits
