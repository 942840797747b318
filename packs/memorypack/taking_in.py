"""A pack in: checked from its first byte to its last, and then all of it is here, or none of it.

Every line of the pack is first written down as a line that has only arrived. When the pack was
read to its end and nothing was wrong, each is settled with the lines of the same relationship that
are here: it takes its place as a new one, lets one of them go on, is a branch where they part, or
goes again, since all of it was here. What an older copy had withheld is filled in, and tombstones
of either side hold for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.rejudging import Rejudged, rejudge
from enishi.kernel.encoding import FittingHeader
from enishi.kernel.erasing.erasure import complete_erasures, obey, tombstones
from enishi.kernel.errors import LogDamaged, PackConflict, PackDamaged, WrongSigner
from enishi.kernel.fold import Projection, digests_of
from enishi.kernel.history import TOMBSTONES, History
from enishi.kernel.keys.keyring import signer_of
from enishi.kernel.lines import (
    add_raw,
    copy_start,
    copy_tail,
    drop_line,
    erased_lines,
    fill_in,
    lines_of,
    name_line,
    payloads_missing_in,
    rename_parties,
    replace_line,
    shared_length,
    withhold,
)
from enishi.kernel.log import Line, Log
from enishi.kernel.stream import Stream
from enishi.kernel.verification import QuickWalk, passes_quickly, verify_line
from enishi.packs.memorypack.checking import LineCheck, Told, secret_of
from enishi.packs.memorypack.format import (
    BranchDigests,
    LineStart,
    ManifestLine,
    PackedRecord,
    PackReader,
)
from enishi.packs.memorypack.pack_files import Signed, check_signer
from enishi.projections import PROJECTIONS

Outcome = Literal["new", "nothing new", "went on", "branch", "tombstones"]
"""What became of a line of a pack: it began here, was here already, went on from where it ended
here, was taken in as a branch, or gave nothing but its tombstones."""

OpenStream = Callable[[Line], Stream]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LineTaken:
    """What became of one line: records that are new here, withheld payloads that came, and payloads
    that were erased here and stay so.

    `name` is the name of the line, empty for the relationship's first. `rejudged` says how many of
    its decisions were judged again. `digests` are those that differ from what the manifest says,
    as (branch, projection); `unknown` those that this Enishi folds in another version.
    """

    outcome: Outcome
    name: str
    records: int
    filled: int
    kept_out: int
    rejudged: Rejudged
    differing: tuple[tuple[str, str], ...]
    unknown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PackTaken:
    """What became of a pack. `signer` is who sealed it, by hexadecimal key, `signature` whether
    that was checked, and `known` whether it was and this store knows that signer. `erased` are the
    payloads that its tombstones destroyed here."""

    agent: str
    user: str
    signer: str | None
    signature: Signed
    known: bool
    erased: int
    lines: tuple[LineTaken, ...]

    @property
    def changed(self) -> bool:
        """Whether anything is here now that was not before, or the other way round."""
        return self.erased > 0 or any(line.records or line.filled for line in self.lines)


class Wanted(NamedTuple):
    """How a pack is to be taken in.

    `as_branch` names the line where both sides went on. `accept_erasures`: tombstones of a signer
    whom nobody here knows may destroy texts. `signer`: nobody else's pack is taken. `dry_run`:
    everything is checked, and nothing is kept.
    """

    as_branch: str | None = None
    accept_erasures: bool = False
    signer: bytes | None = None
    dry_run: bool = False


class _DryRun(Exception):
    """Ends the transaction of a dry run."""


def take_pack(
    log: Log,
    reader: PackReader,
    open_stream: OpenStream,
    wanted: Wanted,
    progress: Progress = lambda done, total: None,
) -> PackTaken:
    """Take a pack in, in one transaction. Whatever is wrong with it is a PackError or PackConflict."""
    taken: PackTaken | None = None
    try:
        with log.passing(), log.writing():
            taken = _Taking(log, reader, open_stream, wanted, progress).take()
            if wanted.dry_run:
                raise _DryRun
    except _DryRun:
        pass
    assert taken is not None
    return taken


class _Arriving:
    """A line of the pack while its records come: each is checked and written down."""

    def __init__(self, log: Log, line: Line, parent: Line | None, start: LineStart) -> None:
        self.line = line
        self.ended = False
        self._fork = start.fork
        self._log = log
        self._check = LineCheck(line)
        if parent is not None:
            copy_start(log, parent.line, line.line, start.fork)
            self._must(
                passes_quickly(log, line, self.walk) and self.walk.previous == start.previous
            )

    @property
    def walk(self) -> QuickWalk:
        """What its records so far have shown."""
        return self._check.walk

    def take(self, records: Sequence[PackedRecord]) -> list[FittingHeader]:
        """Write the next records down. Returns their headers; what is wrong is LogDamaged."""
        headers = self._check.take(records)
        add_raw(
            self._log,
            self.line.line,
            [
                (header.number, header.type, data, digest, salt, payload)
                for header, (data, digest, salt, payload, _) in zip(headers, records, strict=True)
            ],
            [(one.request, one.number) for one in headers if one.request is not None],
        )
        self._must(self._check.sound)
        return headers

    def end(self, said: ManifestLine) -> tuple[QuickWalk, int]:
        """The line has ended. What has neither payload nor tombstone was withheld.

        Returns what its records have shown, and where its own begin.
        """
        self.ended = True
        withheld = self.walk.missing - self.walk.tombstones
        withhold(self._log, self.line.line, {n for n in withheld if n >= self._fork})
        self._must(not self.walk.end(withheld))
        self._check.check_branches(said)
        return self.walk, self._fork

    def _must(self, sound: bool) -> None:
        if not sound:
            problems = verify_line(self._log, self.line).problems
            raise LogDamaged(str(problems[0]) if problems else "it is not as it was written")


class _Settled(NamedTuple):
    """Where the records of an arrived line are now, and what was done for it."""

    line: Line
    outcome: Outcome
    records: int
    filled: int = 0
    kept_out: int = 0


class _Taking:
    """One pack, inside of one transaction."""

    def __init__(
        self,
        log: Log,
        reader: PackReader,
        open_stream: OpenStream,
        wanted: Wanted,
        progress: Progress,
    ) -> None:
        self._log = log
        self._reader = reader
        self._manifest = reader.manifest
        self._open = open_stream
        self._wanted = wanted
        self._progress = progress
        self._lost = 0
        self._streams: dict[Line, Stream] = {}
        self._histories: dict[int, History] = {}

    def take(self) -> PackTaken:
        manifest = self._manifest
        here = lines_of(self._log, manifest.relationship)
        self._check_place(here)
        length = {line.line: self._log.tip(line.line)[0] for line in here}
        arrived = self._read()
        signer, signed, known = self._signer()
        self._histories = {one.line.line: one.walk.history for one in arrived}
        settled = self._settle([one.line for one in arrived], here)
        self._erase(set(length))
        if self._lost and not (known or self._wanted.accept_erasures):
            raise WrongSigner(
                f"{self._reader.name} would erase {self._lost} texts and events here, and its "
                "signer is not known; believe its signer with `enishi keys add`, or take it in "
                "with --accept-erasures"
            )
        lines = tuple(
            self._taken(one, said, length.get(one.line.line, 0))
            for one, said in zip(settled, manifest.lines, strict=True)
        )
        hexadecimal = None if signer is None else signer.hex()
        return PackTaken(
            manifest.agent, manifest.user, hexadecimal, signed, known, self._lost, lines
        )

    def _check_place(self, here: Sequence[Line]) -> None:
        manifest = self._manifest
        if any(line.relationship == manifest.relationship for line in erased_lines(self._log)):
            raise PackConflict(
                f"the relationship in {self._reader.name} was erased here; it stays so"
            )
        for line in range(0 if here else len(manifest.lines)):
            self._must_be_free(Line(0, manifest.relationship, b"", *manifest.parties(line)))

    def _read(self) -> list[_Arriving]:
        """Write all lines down as they come, each checked on the way, and the manifest at the end."""
        arrived: list[_Arriving] = []
        start, told, done = LineStart(0, 0, None), Told(), 0
        said = iter(self._manifest.lines)
        try:
            for item in self._reader:
                if isinstance(item, LineStart):
                    if arrived:
                        told.end_line(*arrived[-1].end(next(said)))
                    start = item
                    continue
                if not done or arrived[-1].ended:
                    arrived.append(self._arrive(arrived, start, item[0]))
                told.take(arrived[-1].take(item), item)
                done += len(item)
                self._progress(done, self._manifest.records)
            told.end_line(*arrived[-1].end(next(said)))
            told.check(self._manifest)
        except LogDamaged as error:
            raise self._damaged(str(error)) from None
        return arrived

    def _arrive(
        self, arrived: Sequence[_Arriving], start: LineStart, first: PackedRecord
    ) -> _Arriving:
        manifest, name = self._manifest, f"(arriving {len(arrived)})"
        parent = arrived[start.parent].line if start.fork else None
        secret = parent.secret if parent else secret_of(first)
        line = self._log.add_line(
            manifest.relationship, secret, *manifest.parties(len(arrived)), name
        )
        return _Arriving(self._log, line, parent, start)

    def _signer(self) -> tuple[bytes | None, Signed, bool]:
        """Who sealed the pack, whether that was checked, and whether this store knows that signer."""
        key, signed = check_signer(self._reader, self._wanted.signer)
        known = key is not None and signed == "right" and signer_of(self._log, key) is not None
        return key, signed, known

    # Settling

    def _settle(self, arrived: list[Line], here: list[Line]) -> list[_Settled]:
        """Give each arrived line its place among those that are here."""
        log = self._log
        length = {line.line: log.tip(line.line)[0] for line in (*arrived, *here)}
        shared = {
            (new.line, old.line): shared_length(log, new.line, old.line)
            for new in arrived
            for old in here
        }
        # Nobody is in the way of a pack that has all that is here.
        extends = all(
            any(shared[new.line, old.line] == length[old.line] for new in arrived) for old in here
        )
        settled = []
        for new in arrived:
            old = max(here, key=lambda old: shared[new.line, old.line], default=None)
            if old is None:
                settled.append(self._new(new))
                continue
            common = shared[new.line, old.line]
            filled = self._fill(old, new, common)
            kept_out = self._erased_of(old, new, common)
            self._fill(new, old, common)
            if common == length[new.line]:
                drop_line(log, new)
                one = _Settled(old, "nothing new", 0)
            elif common == length[old.line]:
                copy_tail(log, new.line, old.line, common)
                drop_line(log, new)
                self._histories[old.line] = self._histories[new.line]
                one = _Settled(self._renamed(old, new), "went on", length[new.line] - common)
                length[old.line] = length[new.line]
            else:
                one = self._part(new, old, common, extends)
            settled.append(one._replace(filled=filled, kept_out=kept_out))
        return settled

    def _new(self, line: Line) -> _Settled:
        """A line of a relationship that is not here yet."""
        has_first = any(not one.name for one in lines_of(self._log, line.relationship))
        named = name_line(self._log, line, self._name(line) if has_first else "")
        return _Settled(named, "new", self._log.tip(line.line)[0])

    def _part(self, new: Line, old: Line, common: int, extends: bool) -> _Settled:
        """A line that went on otherwise than the nearest one here."""
        log = self._log
        added = log.tip(new.line)[0] - common
        if self._only_tombstones(new, common):
            # They are obeyed before the line that they stand in is let go.
            self._obey(old, new)
            drop_line(log, new)
            return _Settled(old, "tombstones", 0)
        if self._only_tombstones(old, common):
            gone = log.missing(new.line) - log.missing(old.line)
            self._lost += sum(number < common for number in gone)
            self._obey(new, old, counts=False)
            self._must_be_free(new)
            return _Settled(replace_line(log, old, new), "went on", added)
        if extends or self._wanted.as_branch is not None:
            return _Settled(name_line(log, new, self._name(new)), "branch", added)
        raise PackConflict(
            f"{self._reader.name} and what is here went on differently from number {common} on; "
            "take it in beside what is here with: --as-branch NAME"
        )

    def _renamed(self, old: Line, new: Line) -> Line:
        """A line that went on is found under the ids that it came to have."""
        if (old.agent, old.user) == (new.agent, new.user):
            return old
        self._must_be_free(new)
        rename_parties(self._log, old, new.agent, new.user)
        return replace(old, agent=new.agent, user=new.user)

    def _must_be_free(self, line: Line) -> None:
        other = self._log.line_of(line.agent, line.user)
        if other is not None and other.relationship != line.relationship:
            raise PackConflict(
                f"{line.agent!r} and {line.user!r} have a history of their own here, which "
                "is not the one in the pack; `enishi rebind` gives one of them another name"
            )

    def _name(self, line: Line) -> str:
        """What another line of a relationship is called: as asked for, else by its tip."""
        wanted = self._wanted.as_branch
        name = wanted or f"line-{(self._log.tip(line.line)[1] or b'').hex()[:8]}"
        check_id(name, "a branch name")
        if any(one.name == name for one in lines_of(self._log, line.relationship)):
            raise PackConflict(f"there is a branch {name!r} already; choose another name")
        return name

    def _fill(self, line: Line, other: Line, common: int) -> int:
        """Put in what was withheld in a line and is in the other. Returns how much."""
        erased = self._stream(line).history.erased
        found = payloads_missing_in(self._log, line.line, other.line, common)
        return fill_in(self._log, line.line, [row for row in found if row[0] not in erased])

    def _erased_of(self, line: Line, other: Line, common: int) -> int:
        """How much of another line was erased in this one."""
        gone = self._log.missing(line.line) - self._log.missing(other.line)
        return sum(number < common for number in gone & self._stream(line).history.erased)

    def _only_tombstones(self, line: Line, start: int) -> bool:
        return all(kind in TOMBSTONES for kind in self._stream(line).history.kind[start:])

    # What either side erased

    def _erase(self, before: set[int]) -> None:
        """Let every tombstone hold in every line."""
        lines = lines_of(self._log, self._manifest.relationship)
        for one in lines:
            stream = self._stream(one)
            with stream.writing():
                gone = complete_erasures(stream)
            self._lost += gone if one.line in before else 0
            for other in lines:
                if other.line != one.line:
                    self._obey(one, other, counts=one.line in before)

    def _obey(self, line: Line, other: Line, *, counts: bool = True) -> None:
        common = shared_length(self._log, line.line, other.line)
        stream, stones = self._stream(line), tombstones(self._stream(other))
        with stream.writing():
            parts = obey(stream, stones, common)
        self._lost += sum(len(part.numbers) for part in parts) if counts else 0

    # What it comes to

    def _taken(self, one: _Settled, said: ManifestLine, start: int) -> LineTaken:
        stream = self._stream(one.line)
        rejudged = rejudge(stream, start)
        if rejudged.differing:
            raise self._damaged(
                f"number {rejudged.differing[0]} is not what the rules decide on its evidence"
            )
        whole = len(stream.history) == said.length and stream.log.tip(one.line.line)[1] == said.tip
        branches = said.branches if whole else ()
        ours = {(one.name, one.version): _digests(stream, branches, one) for one in PROJECTIONS}
        differing, unknown = [], []
        for branch in branches:
            for name, (version, digest) in branch.digests.items():
                own = ours.get((name, version))
                if own is None:
                    unknown.append((branch.name, name))
                elif own[branch.number] != digest:
                    differing.append((branch.name, name))
        return LineTaken(
            one.outcome,
            one.line.name,
            one.records,
            one.filled,
            one.kept_out,
            rejudged,
            tuple(differing),
            tuple(unknown),
        )

    def _stream(self, line: Line) -> Stream:
        """A line as it is now, read for this pack: what is in memory elsewhere knows nothing of it."""
        if line not in self._streams:
            stream = self._streams[line] = self._open(line)
            # What has just been read needs not be read again.
            stream.history = self._histories.get(line.line, stream.history)
        with self._streams[line].reading():
            return self._streams[line]

    def _damaged(self, what: str) -> PackDamaged:
        return PackDamaged(f"{self._reader.name} is damaged: {what}")


def _digests(
    stream: Stream, branches: Iterable[BranchDigests], projection: Projection
) -> dict[int, str]:
    """What a projection comes to on those branches that have a digest of this very version."""
    name, version = projection.name, projection.version
    numbers = [one.number for one in branches if one.digests.get(name, (0, ""))[0] == version]
    return digests_of(stream, numbers, projection)
