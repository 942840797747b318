"""Changing what is there: swipes, edits, erasures."""

from __future__ import annotations

import shutil
from functools import cache
from itertools import count, cycle, islice

from bare import in_parts, stored_rows
from material import exchanges
from measuring import Comparison, Job

import enishi
from enishi.kernel.deciding.proposals import Citation, Signal
from jobs.places import PER_TURN, Place, Sizes, read_rapport

NEAR = 20


def changes(place: Place, sizes: Sizes) -> Job:
    """Swipes, edits, undos, forks near the tip of a history, and rapport after each."""
    return _changes(place, sizes.shorter)


def changes_of_long(place: Place, sizes: Sizes) -> Job:
    """The same of a long history."""
    return _changes(place, sizes.history)


def _changes(place: Place, events: int) -> Job:
    path, fresh = place.history(events), place.file("changes-fresh")
    shutil.copy(path, fresh)  # nothing is ever kept of it, so that it is folded from zero each time
    bond = place.bond(path)
    views = bond.turns()
    turns, old = views[-NEAR:], views[: len(views) // 2]
    for turn in turns:
        bond.regenerate(turn.number, "Another reply, which nothing rests on yet.")
    bond.rapport()
    table = place.table("changes-floor")
    parts = cache(lambda: in_parts(stored_rows(path)[-2 * NEAR :], 1))
    choice, wording, name, late = cycle((1, 2)), count(), count(), count(len(old) // 4, 7)

    def swipe() -> int:
        chosen = next(choice)
        for turn in turns:
            bond.swipe(turn.number, chosen)
            bond.rapport()
        return NEAR

    def edit() -> int:
        for turn in turns:
            bond.edit(turn.messages[0].number, f"Words as they are now, version {next(wording)}.")
            bond.rapport()
        return NEAR

    def undo() -> int:
        for turn in turns:
            bond.undo(turn.messages[0].number)
            bond.rapport()
        return NEAR

    def fork() -> int:
        for turn in turns:
            bond.fork(f"fork {next(name)}", turn.number).rapport()
        return NEAR

    def propose() -> int:
        message = old[next(late) % len(old)].messages[0]
        citation = Citation(text=message.number, start=0, end=2)
        thanks = Signal(signal="gratitude", actor="user", citations=(citation,))
        bond.propose(None, [thanks])
        bond.rapport()
        return 1

    def refold() -> int:
        read_rapport(fresh)
        return 1

    nearby = {"swipe()": swipe, "edit()": edit, "undo()": undo, "fork()": fork}
    return Job(
        f"change one of {events:,} events near the tip, read rapport",
        "changes",
        {
            **nearby,
            "a late proposal": propose,
            "a full refold": refold,
            "a plain commit": lambda: table.commit_each(islice(parts(), NEAR)),
        },
        (
            *(Comparison(name, "a full refold", 10) for name in nearby),
            Comparison("a late proposal", "a full refold", 1),
            *(Comparison(name, "a plain commit") for name in nearby),
        ),
    )


def erasures(place: Place, sizes: Sizes) -> Job:
    """One turn of a long relationship among a hundred; and one of a short one alone."""
    crowded, alone, floor = (place.file(name) for name in ("erase", "erase-small", "erase-floor"))
    shutil.copy(place.history(sizes.history), crowded)
    with enishi.open(crowded) as store, store.transaction():
        for other in range(99):
            bond = store.relationship("lumi", f"user {other}")
            for said, reply, at in exchanges(20, seed=other + 2):
                bond.record(said, reply, at=at)
    shutil.copy(crowded, floor)
    shutil.copy(place.history(1_000), alone)
    sides = {name: place.bond(path) for name, path in (("long", crowded), ("short", alone))}
    turns = {name: iter(bond.turns()) for name, bond in sides.items()}
    plain = place.connection(floor)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        plain.execute(f"PRAGMA {pragma}")
    lost = count(1, PER_TURN)

    def erase(name: str) -> int:
        for turn in islice(turns[name], 5):
            assert sides[name].erase(turn).scrub == "scrubbed"
        return 5

    def bare() -> int:
        for first in islice(lost, 5):
            rows = [(1 << 32 | first + place,) for place in range(PER_TURN)]
            plain.execute("BEGIN IMMEDIATE")
            plain.executemany("UPDATE record SET salt=NULL, payload=NULL WHERE id=?", rows)
            plain.execute("COMMIT")
            plain.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return 5

    return Job(
        f"erase a turn of {sizes.history // PER_TURN:,}, one of 100 relationships",
        "erasures",
        {
            "erase()": lambda: erase("long"),
            "erase() of 200 turns alone": lambda: erase("short"),
            "UPDATE and checkpoint": bare,
        },
        (
            Comparison("erase()", "UPDATE and checkpoint"),
            Comparison("erase()", "erase() of 200 turns alone"),
        ),
    )
