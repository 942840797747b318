"""A relationship out: what goes into a pack, read in one consistent view of the store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.errors import InvalidInput, NotFound, PackTooLarge, StoreFailure
from enishi.kernel.fold import Projection, digests_of, standing_events
from enishi.kernel.history import TEXT_CODES, UNKNOWN_TIME, History
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.packs.memorypack.format import (
    LINES,
    BranchDigests,
    LineStart,
    Manifest,
    ManifestLine,
    line_order,
    manifest_frame,
    shortened,
)
from enishi.packs.memorypack.frames import Seal, Signature, write_frames
from enishi.packs.memorypack.pack_files import is_pack
from enishi.packs.memorypack.sealing import encrypting
from enishi.projections import PROJECTIONS
from enishi.projections.reading import digest_of

Progress = Callable[[int, int], None]
"""Told how many records are written, and how many there are."""


class Cut(NamedTuple):
    """One line as far as it is packed: `length` records, without the payloads of `withheld`.

    `missing` are those that have no payload here, erased or withheld. `history` is what its headers
    say so far: what was erased later was not yet.
    """

    stream: Stream
    length: int
    withheld: frozenset[int]
    missing: frozenset[int]
    history: History


def cut(stream: Stream, until: Moment | int | None, withheld: frozenset[int]) -> Cut:
    """A line up to a number (exclusive) or to a moment: before the first thing that came later."""
    history = stream.history
    length = len(history)
    if isinstance(until, Moment):
        later = (n for n in range(1, length) if UNKNOWN_TIME < until.at < history.at[n])
        length = next(later, length)
    elif until is not None:
        if not 0 < until <= length:
            raise InvalidInput(f"there is no number {until}; the last is {length - 1}")
        length = until
    missing = stream.log.missing(stream.line.line)
    return Cut(stream, length, withheld, missing, _history(stream, length))


def _history(stream: Stream, length: int) -> History:
    if length == len(stream.history):
        return stream.history
    history = History()
    for headers in stream.log.placings(stream.line.line, 0, length):
        history.extend(headers)
    return history


def write_pack(
    out: BinaryIO,
    cuts: Sequence[Cut],
    sign: Callable[[bytes], Signature] | None = None,
    progress: Progress = lambda done, total: None,
) -> tuple[Manifest, Seal]:
    """Write one relationship, whole or as far as its lines are cut. Needs `log.reading()`."""
    if len(cuts) > LINES:
        raise PackTooLarge(f"a pack has at most {LINES} lines, and this relationship {len(cuts)}")
    placed = _placed(cuts)
    manifest = _manifest(placed)

    def frames() -> Iterator[Any]:
        yield manifest_frame(manifest)
        done = 0
        for line, start in placed:
            yield list(start)
            for frame in _records(line, start):
                yield frame
                done += 1
                if done % 1000 == 0:
                    progress(done, manifest.records)
        progress(done, manifest.records)

    return manifest, write_frames(out, frames(), sign)


def _placed(cuts: Sequence[Cut]) -> list[tuple[Cut, LineStart]]:
    if len(cuts) == 1:
        return [(cuts[0], LineStart(0, 0, None))]
    # Lines that part only later are one so far.
    found: dict[bytes, Cut] = {}
    for line in cuts:
        found.setdefault(_hash_of(line, line.length - 1), line)
    lines = list(found.values())
    order = line_order([line.length for line in lines], lambda one, n: _hash_of(lines[one], n))
    return [(lines[place], start) for place, start in order]


def _hash_of(line: Cut, number: int) -> bytes:
    return line.stream.log.hash_of(line.stream.line.line, number)


def _records(line: Cut, start: LineStart) -> Iterator[list[bytes | None]]:
    own, previous = line.stream.line, start.previous
    for number, _, header, digest, salt, payload in line.stream.log.raw(
        own.line, start.fork, line.length
    ):
        if number in line.withheld:
            salt = payload = None
        yield shortened(own.relationship, number, previous, header, salt, payload)
        previous = digest


def _manifest(placed: Sequence[tuple[Cut, LineStart]]) -> Manifest:
    line = placed[0][0].stream.line
    parties = _parties(placed[0][0])
    records = payloads = erased = 0
    for one, start in placed:
        own = range(start.fork, one.length)
        gone = _gone(one)
        records += len(own)
        payloads += len(own) - sum(number in own for number in gone)
        erased += sum(number in own for number in one.history.erased)
    return Manifest(
        relationship=line.relationship,
        agent=parties["agent"],
        user=parties["user"],
        records=records,
        payloads=payloads,
        erased=erased,
        withheld=records - payloads - erased,
        policies=_names(placed, "PolicyAdopted"),
        blueprints=_names(placed, "BlueprintAdopted"),
        lines=tuple(_line(one, parties) for one, _ in placed),
    )


def _parties(line: Cut) -> dict[str, str]:
    """The outside ids of the two at the end of a line, whatever they became later."""
    stream = line.stream
    found = {"agent": stream.line.agent, "user": stream.line.user}
    later = [n for n in stream.history.all("PartyRebound") if n >= line.length]
    for payload in reversed(stream.payloads(later).values()):
        found[payload["party"]] = payload["before"]
    return found


def _gone(line: Cut) -> frozenset[int]:
    return line.missing | line.withheld


def _names(placed: Sequence[tuple[Cut, LineStart]], type_name: str) -> tuple[str, ...]:
    found: list[str] = []
    for line, start in placed:
        gone, own = _gone(line), line.history.all(type_name)
        own = [number for number in own if number >= start.fork and number not in gone]
        payloads = line.stream.log.payloads(line.stream.line.line, own, (type_name,))
        found += [payloads[number]["name"] for number in own]
    return tuple(dict.fromkeys(found))


def _line(line: Cut, parties: dict[str, str]) -> ManifestLine:
    """What the manifest says of a line; of its ids, those that are not `parties`."""
    stream = line.stream
    others = {party: id for party, id in _parties(line).items() if id != parties[party]}
    names = {n: name for n, name in stream.branch_names().items() if n < line.length}
    tip = _hash_of(line, line.length - 1)
    digests = {one: _digests(line, names, one) for one in PROJECTIONS}
    branches = tuple(
        BranchDigests(
            number=number,
            name=name,
            digests={one.name: (one.version, found[number]) for one, found in digests.items()},
        )
        for number, name in names.items()
    )
    return ManifestLine(length=line.length, tip=tip, branches=branches, **others)


def _digests(line: Cut, branches: Iterable[int], projection: Projection) -> dict[int, str]:
    """What a projection comes to on these branches, as far as the line is packed."""
    stream, found = line.stream, {}
    if line.length == len(stream.history) and not line.withheld:
        return digests_of(stream, branches, projection)
    for number in branches:
        standing = Standing(line.history, number)
        standing.catch_up()
        events = standing_events(stream, standing, projection)
        there = (event for event in events if event.number not in line.withheld)
        found[number] = digest_of(projection, there)
    return found


def withheld_with(
    stream: Stream, numbers: Iterable[int], audience: Audience | None
) -> frozenset[int]:
    """What is left out with these: all texts of a turn, and every decision that repeats the words.

    With `audience` "user", what the agent thought for itself is left out as well.
    """
    history = stream.history
    chosen: set[int] = set()
    for number in numbers:
        if not 0 < number < len(history):
            raise NotFound(f"there is no number {number} that could be withheld")
        if history.is_turn(number):
            texts = (n for n in history.events_of(number) if history.kind[n] in TEXT_CODES)
            chosen.update(texts)
        else:
            chosen.add(number)
    if audience == "user":
        thoughts = stream.payloads(history.all("ReflectionMade"))
        chosen |= {n for n, thought in thoughts.items() if thought.get("audience") != "user"}
    for number in history.all("ProposalDecided"):
        came_of_it = number + 1 in chosen and number in stream.record(number + 1).header.targets
        if came_of_it or not chosen.isdisjoint(history.causes_of(number)):
            chosen.add(number)
    return frozenset(chosen)


@dataclass(frozen=True, slots=True)
class Exported:
    """A pack that was written. `pack` is its id: the SHA-256 of its stream, in hexadecimal."""

    path: Path
    pack: str
    records: int
    payloads: int
    withheld: int
    erased: int
    bytes: int
    signer: str | None
    encrypted: bool


def export_pack(
    path: Path,
    cuts: Sequence[Cut],
    *,
    sign: Callable[[bytes], Signature] | None = None,
    recipient: str | None = None,
    passphrase: str | None = None,
    progress: Progress = lambda done, total: None,
) -> Exported:
    """Write a pack file: whole under its name, or not at all. Needs `log.reading()`.

    A file that is there and is no pack is not written over: InvalidInput.
    """
    with written_whole(path, is_pack) as out:
        with encrypting(out, recipient, passphrase) as inside:
            manifest, seal = write_pack(inside, cuts, sign, progress)
        size = out.tell()
    return Exported(
        path,
        seal.digest.hex(),
        manifest.records,
        manifest.payloads,
        manifest.withheld,
        manifest.erased,
        size,
        None if seal.signature is None else seal.signature.signer.hex(),
        recipient is not None or passphrase is not None,
    )


@contextmanager
def written_whole(path: Path, ours: Callable[[bytes], bool]) -> Iterator[BinaryIO]:
    """A new file that takes its name when it is complete. Only one of `ours` is written over."""
    try:
        if path.exists() and not ours(path.open("rb").read(128)):
            raise InvalidInput(f"{path} exists and is no such file; choose another name")
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreFailure(f"{path} cannot be written: {error.strerror}") from None
