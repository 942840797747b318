"""The history of a relationship: what it says of each record, and how little it takes for that."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from enishi.kernel.encoding import FORMAT, Header
from enishi.kernel.history import ROOT, History

YEAR = 31_536_000_000_000  # in microseconds

ZONES = st.tuples(st.sampled_from([-12_600, -1, 0, 3_600, 20_700]), st.sampled_from([0, 1]))
MOMENTS = st.none() | st.builds(
    lambda at, zone: (at, *zone), st.integers(-50 * YEAR, 80 * YEAR), ZONES
)


def header(number: int, type_name: str, happened: Any, turn: int | None, **other: Any) -> Header:
    known = {"parent": None, "branch": 0, "causes": (), "targets": ()} | other
    return Header(
        FORMAT, bytes(16), number, None, type_name, 1, happened, 0, turn,
        known["parent"], known["branch"], known["causes"], known["targets"], None, bytes(32),
    )  # fmt: skip


def founded() -> list[Header]:
    return [header(0, "RelationshipFounded", None, None)]


@given(st.lists(st.tuples(st.booleans(), MOMENTS)), st.data())
def test_it_says_of_each_record_what_its_header_says(
    told: list[tuple[bool, Any]], data: st.DataObject
) -> None:
    headers, branches, turns = founded(), [0], [ROOT]
    for forks, moment in told:
        number, branch = len(headers), data.draw(st.sampled_from(branches))
        if forks:
            headers.append(header(number, "BranchForked", moment, None, branch=branch))
            branches.append(number)
            continue
        parent = data.draw(st.sampled_from(turns))
        place = {"branch": branch, "parent": None if parent == ROOT else parent}
        turns.append(number)
        for more, name in enumerate(
            ("TurnOpened", "MessageReceived", "ReplyGiven", "BatchDecided")
        ):
            causes = (number,) if more else ()
            headers.append(header(number + more, name, moment, number, causes=causes, **place))
    history = History()
    cut = data.draw(st.integers(0, len(headers)))
    for some in (headers[:cut], headers[cut:]):
        history.extend(some)
    for one in headers:
        number = one.number
        assert history.moment(number) == one.moment
        assert history.branch[number] == one.branch
        assert history.causes_of(number) == one.causes
        assert history.is_turn(number) == (one.type == "TurnOpened")
        assert history.turn[number] == (ROOT if one.turn is None else one.turn)
    for turn in turns[1:]:
        parent = headers[turn].parent
        assert history.parent_of(turn) == (ROOT if parent is None else parent)
        assert history.depth_of(turn) == history.depth_of(history.parent_of(turn)) + 1
        assert [*history.choices(turn)] == [turn + 2]
        assert [*history.events_of(turn)] == [turn, turn + 1, turn + 2, turn + 3]
    for turn in turns:
        assert history.turns_after(turn) == [n for n in turns[1:] if history.parent_of(n) == turn]


def a_plain_life(turns: int, zone: tuple[int, int]) -> Iterable[list[Header]]:
    """Turns of five records: what was said, replied, and decided of it."""
    yield founded()
    for number in range(1, 5 * turns, 5):
        at = (number * 60_000_000, *zone)
        place: dict[str, Any] = {"parent": number - 5 if number > 1 else None}
        yield [
            header(number, "TurnOpened", at, number, **place),
            header(number + 1, "MessageReceived", at, number, causes=(number,), **place),
            header(number + 2, "ReplyGiven", at, number, causes=(number,), **place),
            header(number + 3, "BatchDecided", None, number, causes=(number + 1,), **place),
            header(number + 4, "SignalAccepted", at, number, causes=(number + 1,), **place),
        ]


def test_it_takes_some_25_bytes_for_an_event_whatever_its_zone() -> None:
    for zone in ((0, 0), (28_800, 0), (-18_000, 1)):
        assert grown(a_plain_life(4_000, zone)) < 20_000 * 30


def a_life_read_later(turns: int) -> Iterable[list[Header]]:
    """Turns of three records, and then what came of each."""
    yield founded()
    opened = range(1, 3 * turns, 3)
    for number in opened:
        place: dict[str, Any] = {"parent": number - 3 if number > 1 else None}
        yield [
            header(number, "TurnOpened", None, number, **place),
            header(number + 1, "MessageReceived", None, number, causes=(number,), **place),
            header(number + 2, "ReplyGiven", None, number, causes=(number,), **place),
        ]
    for number, turn in enumerate((turn for turn in opened for _ in range(2)), 3 * turns + 1):
        yield [header(number, "SignalAccepted", None, turn, causes=(turn + 1,))]


def test_what_came_later_takes_few_bytes_more_and_is_found() -> None:
    assert grown(a_life_read_later(4_000)) < 20_000 * 36
    history = History()
    for headers in a_life_read_later(3):
        history.extend(headers)
    assert [[*history.events_of(turn)] for turn in (ROOT, 1, 4, 7)] == [
        [0],
        [1, 2, 3, 10, 11],
        [4, 5, 6, 12, 13],
        [7, 8, 9, 14, 15],
    ]


def grown(life: Iterable[list[Header]]) -> int:
    """How much memory the history of a life takes, in bytes."""
    tracemalloc.start()
    try:
        before, history = tracemalloc.get_traced_memory()[0], History()
        for headers in life:
            history.extend(headers)
        del headers
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
