"""The headers of one relationship in compact form: the tree of turns, and the acts upon it.

Built from headers alone, record by record, so that catching up costs what is new.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
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
class Runs:
    """A number for every record, noted only where it becomes another one."""

    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    values: array[int] = field(default_factory=lambda: array("i", [0]))

    def __getitem__(self, number: int) -> int:
        return self.values[bisect_right(self.starts, number) - 1]

    def run(self, number: int) -> tuple[int, int]:
        """What it is of a record, and from which record on it is another."""
        starts, place = self.starts, bisect_right(self.starts, number)
        return self.values[place - 1], starts[place] if place < len(starts) else 1 << 62

    def note(self, number: int, value: int) -> None:
        """It is this one from a record on. Records come in order."""
        if self.values[-1] != value:
            self.starts.append(number)
            self.values.append(value)


@dataclass(slots=True)
class Branch:
    """A named path. `fork` is the number of its first record, `tip` the turn it ends with."""

    number: int
    parent: int | None
    tip: int


@dataclass(slots=True)
class History:
    """What all headers say, indexed by record number where a field is an array.

    `choice_before` has for a choice the one that it replaced: a reply, a revision, or an act that
    chose one of them. `tangled` are the turns with more to them than being said: an act spoke of
    them, or several replies, wordings, turns or branches are involved. In the others, all that is
    on a branch's path stands. `erased` are all records whose payloads are gone, `spared` those of
    them that lost their words only: what is content-free and rests on them stays.
    """

    kind: bytearray = field(default_factory=bytearray)
    version: dict[int, int] = field(default_factory=dict)
    turn: array[int] = field(default_factory=_numbers)
    at: array[int] = field(default_factory=_moments)
    branch: Runs = field(default_factory=Runs)
    erased: set[int] = field(default_factory=set)
    spared: set[int] = field(default_factory=set)
    tangled: set[int] = field(default_factory=set)

    base: dict[int, int] = field(default_factory=dict)
    choice_before: dict[int, int] = field(default_factory=dict)
    withdrawn: dict[int, bool] = field(default_factory=dict)
    branches: dict[int, Branch] = field(default_factory=dict)
    current: int = MAIN
    acts: dict[int, tuple[int, ...]] = field(default_factory=dict)

    # Twice the offset, and 1 more where the zone was assumed; as before where no time is known.
    _zone: Runs = field(default_factory=Runs)

    # Where the rest of what is known of a record begins: of a turn in the four columns after this,
    # of what rests on more than its turn in `_causes`; else 0.
    _rest: array[int] = field(default_factory=_numbers)

    # Of a turn; ROOT comes first. Its records mostly follow it at once, up to `_end`; of what came
    # when others had come between, `_latest` says where the last one is in `_late`. `_chosen` is
    # the newest choice among its replies, `_worded` that among the wordings of a text; 0 where
    # there is none.
    _parent: array[int] = field(default_factory=lambda: array("i", [ROOT]))
    _depth: array[int] = field(default_factory=lambda: array("i", [0]))
    _end: array[int] = field(default_factory=lambda: array("i", [0]))
    _latest: array[int] = field(default_factory=lambda: array("i", [0]))
    _chosen: array[int] = field(default_factory=lambda: array("i", [0]))
    _worded: dict[int, int] = field(default_factory=dict)

    # A number, and where the one before it in the same turn is, 0 for none.
    _late: array[int] = field(default_factory=lambda: array("i", [0, 0]))

    # How many causes there are, and these, of one record after the other.
    _causes: array[int] = field(default_factory=lambda: array("i", [0]))

    def __len__(self) -> int:
        return len(self.kind)

    def extend(self, headers: Sequence[Placed]) -> None:
        """Take in the next records, in the order of their numbers.

        Records that speak of what is not there are LogDamaged; the history is of no use then.
        """
        # This runs for every record whenever a relationship is opened: one plain loop, few calls, and
        # in locals what belongs to the newest turn, which is what most records are of.
        number, nothing = len(self), bytes(self.turn.itemsize * len(headers))
        kind_of, turn_of, rest_of, chosen_of = self.kind, self.turn, self._rest, self._chosen
        depth_of, end_of, branch_of, rest = self._depth, self._end, self.branch, len(self._causes)
        rest_of.frombytes(nothing)
        code_of, tangled, zone = _CODES.get, self.tangled, self._zone.values[-1]
        here, since, east, guessed = branch_of.values[-1], branch_of.starts[-1], zone >> 1, zone & 1
        newest, depth, end = kind_of.rfind(_TURN_OPENED), depth_of[-1], end_of[-1]
        moments: list[int] = []
        all_causes: list[int] = []
        try:
            for header in headers:
                kind = code_of(header.type, _UNKNOWN)
                branch = header.branch
                turn = header.turn
                if turn is None:
                    turn = ROOT
                if header.number != number or turn < ROOT:
                    raise ValueError
                kind_of.append(kind)
                turn_of.append(turn)
                if branch != here:
                    branch_of.note(number, branch)
                    here, since = branch, number
                moment = header.happened
                if moment is None:
                    moments.append(UNKNOWN_TIME)
                else:
                    at, offset, assumed = moment
                    moments.append(at)
                    if offset != east or assumed != guessed:
                        self._zone.note(number, offset * 2 + 1 if assumed else offset * 2)
                        east, guessed = offset, assumed
                if header.version != 1:
                    self.version[number] = int(header.version)
                if kind == _TURN_OPENED:
                    parent = header.parent
                    if parent is None:
                        parent = ROOT
                    if parent >= number:
                        raise ValueError
                    if parent != newest:
                        depth = self.depth_of(parent)
                    depth += 1
                    self.branches[branch].tip = number
                    rest_of[number] = len(depth_of)
                    self._parent.append(parent)
                    depth_of.append(depth)
                    chosen_of.append(0)
                    self._latest.append(0)
                    end_of[-1], newest = end, number
                    number = end = number + 1
                    end_of.append(end)
                    continue
                if kind == _REPLY:
                    if turn == newest != ROOT and not chosen_of[-1]:
                        chosen_of[-1] = number
                    else:
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
                if end == number and turn == newest != ROOT:
                    end += 1
                else:
                    row = rest_of[self._known(turn)] if turn != ROOT else 0
                    self._late.extend((number, self._latest[row]))
                    self._latest[row] = len(self._late) - 2
                causes = header.causes
                # A text rests on its turn alone; that is the default, so that it need not be kept.
                if causes and (kind not in TEXT_CODES or len(causes) > 1 or causes[0] != turn):
                    rest_of[number] = rest + len(all_causes)
                    all_causes.append(len(causes))
                    all_causes += causes
                    for cause in causes:
                        if turn_of[cause] != turn:
                            tangled.add(turn)
                if turn < since and branch_of[max(turn, 0)] != branch:
                    tangled.add(turn)
                number += 1
            end_of[-1] = end
            self.at.fromlist(moments)
            if all_causes:
                self._causes.fromlist(all_causes)
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            raise LogDamaged(
                f"record {number} speaks of a turn or branch that is not there; run: enishi verify"
            ) from None

    def _choose(self, target: int, act: int) -> None:
        """An act is the newest choice for its target; those before it stay within reach."""
        if target < 0:
            raise ValueError(target)
        if self.kind[target] == _TURN_OPENED:
            row = self._rest[target]
            before, self._chosen[row] = self._chosen[row], act
        else:
            before, self._worded[target] = self._worded.get(target, 0), act
        if before:
            self.choice_before[act] = before
            self.tangled.add(self.turn[act])

    def choices(self, target: int) -> Iterator[int]:
        """What was ever chosen for a turn (a reply) or a text (a wording), the newest first: the
        reply or revision itself, which is chosen when it is made, or an act that chose one.
        """
        is_turn = target != ROOT and self.is_turn(target)
        act = self._chosen[self._rest[target]] if is_turn else self._worded.get(target, 0)
        while act:
            yield act
            act = self.choice_before.get(act, 0)

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
        kind = self.kind
        return number == ROOT or (0 <= number < len(kind) and kind[number] == _TURN_OPENED)

    def _known(self, turn: int) -> int:
        if not self.is_turn(turn):
            raise KeyError(turn)
        return turn

    def depth_of(self, turn: int) -> int:
        """How many turns lead to this one, itself included; 0 for ROOT. Else KeyError."""
        return 0 if turn == ROOT else self._depth[self._rest[self._known(turn)]]

    def depths_of(self, turns: Iterable[int]) -> Iterator[int]:
        """The same of many turns, all of which are there."""
        depth, rest = self._depth, self._rest
        return (0 if turn == ROOT else depth[rest[turn]] for turn in turns)

    def parent_of(self, turn: int) -> int:
        """The turn that this one follows, or ROOT, which follows itself. Else KeyError."""
        return ROOT if turn == ROOT else self._parent[self._rest[self._known(turn)]]

    def turns_after(self, turn: int) -> list[int]:
        """The turns that follow this one, on whatever branch."""
        turns = zip(self.all("TurnOpened"), self._parent[1:], strict=True)
        return [number for number, parent in turns if parent == turn]

    def events_of(self, turn: int) -> Sequence[int]:
        """The records of a turn, its own first; of ROOT, those that belong to no turn."""
        # Asked for every turn of a path: without a call.
        kind, row, own = self.kind, 0, range(0)
        if turn != ROOT:
            if not (0 <= turn < len(kind) and kind[turn] == _TURN_OPENED):
                raise KeyError(turn)
            row = self._rest[turn]
            own = range(turn, self._end[row])
        at = self._latest[row]
        if not at:
            return own
        found, late = [], self._late
        while at:
            found.append(late[at])
            at = late[at + 1]
        return [*own, *reversed(found)]

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
        zone = self._zone[number]
        return Moment(self.at[number], zone >> 1, bool(zone & 1))

    def offset_of(self, number: int) -> int:
        """Seconds east of UTC at which something happened whose time is known."""
        return self._zone[number] >> 1

    def offset_run(self, number: int) -> tuple[int, int]:
        """The same, and from which record on it is another."""
        zone, until = self._zone.run(number)
        return zone >> 1, until

    def causes_of(self, number: int) -> tuple[int, ...]:
        """What an event rests on."""
        start = self._rest[number]
        if not start or self.kind[number] == _TURN_OPENED:
            return (self.turn[number],) if self.kind[number] in TEXT_CODES else ()
        return tuple(self._causes[start + 1 : start + 1 + self._causes[start]])

    def is_derived(self, number: int) -> bool:
        """Whether an event rests on more than the turn that it is a text of."""
        return self._rest[number] != 0 and self.kind[number] != _TURN_OPENED

    def derived(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """All events that rest on more than the turn that they are texts of, with their causes."""
        for number, (start, kind) in enumerate(zip(self._rest, self.kind, strict=True)):
            if start and kind != _TURN_OPENED:
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
            # Where its causes begin stands in `_rest`; a count that looks alike is no cause.
            start = next((at for at in range(place, 0, -1) if self._starting_at(at)), place)
            if start < place:
                found += self._starting_at(start)
        return found

    def _starting_at(self, place: int) -> list[int]:
        return [n for n in _places_of(place, self._rest) if self.is_derived(n)]

    def rests_on_erased(self, number: int) -> bool:
        """Whether an event rests, directly or not, on what was erased."""
        causes = self.causes_of(number)
        return any(n in self.erased or self.rests_on_erased(n) for n in causes)

    def root_text(self, text: int) -> int:
        """The message or reply that a text is a wording of: itself, unless it is a revision."""
        return self.base.get(text, text)

    def leading_to(self, turn: int, path: Sequence[int] = (ROOT,)) -> array[int]:
        """The turns that lead to this one from the last one of a path that does."""
        parent, depth, rest = self._parent, self._depth, self._rest
        length, ahead = len(path), _numbers()
        while turn != ROOT and not ((at := depth[rest[turn]]) < length and path[at] == turn):
            ahead.append(turn)
            turn = parent[rest[turn]]
        ahead.reverse()
        return ahead

    def is_ancestor(self, older: int, newer: int) -> bool:
        """Whether the path to `newer` leads through `older`. A turn leads through itself."""
        if older == ROOT:
            return True
        parent, rest, newer = self._parent, self._rest, self._known(newer)
        # A turn has a larger number than those that lead to it.
        while newer > older:
            newer = parent[rest[newer]]
        return newer == older

    def lineage(self, branch: int) -> dict[int, int]:
        """For the branch and each it was forked from: the record number where its say ends."""
        limits = {branch: len(self) + (1 << 62)}
        while (parent := self.branches[branch].parent) is not None:
            limits[parent] = min(branch, limits[branch])
            branch = parent
        return limits
