"""Reading: folds from zero, beside a scan that decodes and beside the peer; and asking."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from bare import connect, scan
from material import EveryKind, EverySecondMood
from measuring import Amounts, Comparison, Job, Run, peak_memory
from peer import fill, replay
from peer_erii import Erii

import enishi
from enishi.kernel.fold import Event, fold_of
from enishi.projections import PROJECTIONS
from enishi.projections.episodes import EPISODES
from enishi.projections.policy import ONE
from enishi.projections.reading import Rapport
from jobs.places import PEER, PLAIN, Place, Sizes, beside, events_of, read_rapport


def folds(place: Place, sizes: Sizes) -> Job:
    """Rapport, or the episodes as numbers, of a whole history by a store that knows nothing yet."""
    path = place.history(sizes.history)
    return Job(
        "fold from zero",
        "events",
        {
            "rapport()": lambda: _refold(path, sizes.history),
            "the fold of episodes": lambda: _fold_episodes(path, sizes.history),
            PLAIN: lambda: scan(path, decode=True),
        },
        (Comparison("rapport()", PLAIN, 1 / 3), Comparison("the fold of episodes", PLAIN, 1 / 3)),
        long=True,
    )


def all_folds(place: Place, sizes: Sizes) -> Job:
    """Every projection of a whole history, by a store that knows nothing yet; and of a long one."""
    sides: dict[str, Run] = {}
    comparisons: list[Comparison] = []
    for events, path, ours, floor in _whole(place, sizes):
        sides[ours] = partial(_fold_all, path, events)
        sides[floor] = partial(scan, path, decode=True)
        comparisons.append(Comparison(ours, floor, 1 / 3))
    return Job("fold all projections from zero", "events", sides, tuple(comparisons), long=True)


def fold_memory(place: Place, sizes: Sizes) -> Amounts:
    """The memory that a process needs to fold everything, beside a scan that keeps nothing."""
    amounts: dict[str, float] = {}
    comparisons: list[Comparison] = []
    for events, path, ours, floor in _whole(place, sizes):
        _, amounts[ours] = peak_memory(_fold_all, path, events)
        _, amounts[floor] = peak_memory(_decode_all, path)
        comparisons.append(Comparison(ours, floor))
    return Amounts("peak memory of folding all projections", "MiB", amounts, tuple(comparisons))


def _whole(place: Place, sizes: Sizes) -> Iterator[tuple[int, Path, str, str]]:
    """A whole and a long history of every kind: its events, where it is, what its sides are called."""
    for events in (sizes.history, sizes.longer):
        path = place.history(events, EveryKind)
        yield events, path, f"all of {events:,}", f"{PLAIN}, {events:,}"


def moods(place: Place, sizes: Sizes) -> Job:
    """The moods of 10,000 turns by a store that knows nothing yet; every second one shows one."""
    events = sizes.history // 2
    path = place.history(events, EverySecondMood)

    def whole() -> int:
        with enishi.open(path, read_only=True) as store:
            store.relationship("lumi", "chen", create=False).mood()
        return events

    return Job(
        "read mood from zero",
        "events",
        {"mood()": whole, PLAIN: lambda: scan(path, decode=True)},
        (Comparison("mood()", PLAIN, 1 / 3),),
        long=True,
    )


def asking(place: Place, sizes: Sizes) -> Job:
    """How somebody feels, asked of an open store whose fold is up to date."""
    path = place.history(sizes.shorter, EverySecondMood)
    bond = place.bond(path)
    moment = bond.turns()[-1].happened
    assert moment is not None
    at = moment.to_datetime() + timedelta(hours=5)
    plain = place.connection(path)

    def mood() -> int:
        for _ in range(1000):
            bond.mood(at=at)
        return 1000

    def rapport() -> int:
        for _ in range(1000):
            bond.rapport()
        return 1000

    def row() -> int:
        for number in range(1000):
            plain.execute("SELECT payload FROM record WHERE id = ?", (number,)).fetchone()
        return 1000

    return Job(
        "ask for a mood",
        "questions",
        {"mood()": mood, "rapport()": rapport, "one row of plain SQLite": row},
        (Comparison("mood()", "rapport()"), Comparison("mood()", "one row of plain SQLite")),
    )


def peer_replays(place: Place, sizes: Sizes) -> Job:
    """The same events, the same fold, from the first one on. Where the history is kept, and no
    checkpoint of rapport with it, all is folded as well and no header is read. E.R.I.I. folds all
    each time that it is asked; so it is compared with a store that keeps its checkpoints, too.
    """
    path, theirs = place.history(sizes.replayed), place.file("replay-peer")
    kept = place.kept(sizes.replayed)
    checked = Path(shutil.copy(kept, place.file("checkpoints kept")))
    with closing(connect(kept)) as plain:
        plain.execute("DELETE FROM checkpoint WHERE projection='rapport'")
    events = events_of(path)
    bond = fill(theirs, events)
    values = {name: value / ONE for name, value in replay(theirs, bond).items()}
    assert Rapport(**values) == read_rapport(path), "both must come to the same five numbers"

    def peer() -> int:
        replay(theirs, bond)
        return len(events)

    job = Job(
        "replay a history",
        "events",
        {
            "rapport()": lambda: _refold(path, len(events)),
            "rapport(), headers kept": lambda: _refold(kept, len(events)),
            "all projections": lambda: _fold_all(path, len(events)),
            PEER: peer,
        },
        (
            Comparison("rapport()", PEER, 8),
            Comparison("rapport(), headers kept", PEER, 8),
            Comparison("all projections", PEER, 8),
        ),
    )
    if place.erii is None:
        return job
    erii = _erii_replay(place, place.erii, events, read_rapport(path))
    whole = "rapport(), checkpoints kept"
    job = replace(job, sides={**job.sides, whole: lambda: _refold(checked, len(events))})
    return beside(job, place.erii.name, erii, "rapport()", "rapport(), headers kept", whole)


def _erii_replay(place: Place, erii: Erii, events: Sequence[Event], ours: Rapport) -> Run:
    """Open E.R.I.I. on the same signals, and fold them."""
    path = place.file("replay-erii")
    erii.fill(path, events)
    for name, value in erii.snapshot(path).items():
        assert abs(value - getattr(ours, name)) < 1e-9, "both must come to the same five numbers"

    def replayed() -> int:
        erii.snapshot(path)
        return len(events)

    return replayed


def _refold(path: Path, units: int) -> int:
    read_rapport(path)
    return units


def _fold_all(path: Path, units: int) -> int:
    with enishi.open(path, read_only=True) as store:
        bond = store.relationship("lumi", "chen", create=False)
        with bond._reading() as branch:
            for projection in PROJECTIONS:
                fold_of(bond._stream, branch, projection).state()
    return units


def _decode_all(path: Path) -> None:
    scan(path, decode=True)


def _fold_episodes(path: Path, units: int) -> int:
    with enishi.open(path, read_only=True) as store:
        bond = store.relationship("lumi", "chen", create=False)
        with bond._reading() as branch:
            fold_of(bond._stream, branch, EPISODES).state()
    return units
