"""What carrying a relationship holds in memory: its index, some bytes for an event, and no more.

Memory is counted as Python gives it out, between a relationship and one three times as long.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from math import log2
from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store
from test_folding import LARGE, lived

from enishi.kernel import fold, lines, log
from enishi.kernel.deciding import rejudging
from enishi.kernel.erasing import gaps
from enishi.kernel.fold import digests_of, fold_of
from enishi.kernel.keys import vault
from enishi.packs.memorypack import frames
from enishi.packs.memorypack.format import LineStart, line_order
from enishi.packs.memorypack.pack_files import inspect_pack
from enishi.projections.reading import replayed_digest

TURNS = 300, 900
EVENTS = 6 * (TURNS[1] - TURNS[0])


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return a_long_life(tmp_path_factory.mktemp("carried"))


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held for a moment, however long the relationship is, is small beside the growth."""
    monkeypatch.setattr(frames, "_CHUNK", 16 * 1024)
    monkeypatch.setattr(fold, "CHUNK_TURNS", 32)
    monkeypatch.setattr(fold, "_AHEAD", 32)
    monkeypatch.setattr(rejudging, "_TOGETHER", 8)
    monkeypatch.setattr(gaps, "_CHUNK_PAGES", 8)


def grown(work: Callable[[Path], object], paths: list[Path]) -> float:
    """By how many bytes for each event the peak is higher where there are more of them."""
    work(paths[0])  # what is made once is there
    peaks = []
    for path in paths:
        tracemalloc.start()
        try:
            work(path)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return (peaks[1] - peaks[0]) / EVENTS


def a_long_life(folder: Path, **options: Any) -> list[Path]:
    """A shorter and a longer relationship, both of which have been asked how they stand."""
    paths = [folder / f"{turns}.db" for turns in TURNS]
    for path, turns in zip(paths, TURNS, strict=True):
        with fixed_store(path, **options) as store:
            lived(store, turns).digests()
    return paths


def packed(path: Path) -> Path:
    """The pack of a store, beside it."""
    with fixed_store(path) as store:
        store.relationships()[0].export(path.with_suffix(".erii"))
    return path.with_suffix(".erii")


def taken(pack: Path, **options: Any) -> None:
    for old in pack.parent.glob("taken.db*"):
        old.unlink()
    with fixed_store(pack.parent / "taken.db", seed=1, **options) as store:
        assert store.import_pack(pack).lines[0].differing == ()


def test_what_grows_with_a_pack_is_the_index_of_its_headers(stores: list[Path]) -> None:
    assert grown(packed, stores) < 32
    packs = [packed(path) for path in stores]
    assert grown(inspect_pack, packs) < 32
    assert grown(taken, packs) < 32


def test_nor_do_the_keys_of_a_keyed_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cryptography")
    for module in (vault, log, lines):
        monkeypatch.setattr(module, "MANY", 64)
    stores = a_long_life(tmp_path, keyed=True)
    assert grown(packed, stores) < 32
    assert grown(partial(taken, keyed=True), [packed(path) for path in stores]) < 32


def test_with_checkpoints_that_fit_no_more_it_is_no_more(stores: list[Path]) -> None:
    for path in stores:
        with fixed_store(path) as store:
            store.relationships()[0].regenerate(1, "With pleasure.")
    assert grown(packed, stores) < 32


def test_an_export_leaves_no_state_in_memory(stores: list[Path]) -> None:
    with fixed_store(stores[0]) as store:
        bond = store.relationships()[0]
        bond.rapport()
        before = set(bond._stream.kept)
        bond.export(stores[0].with_suffix(".erii"))
        assert {key for key in bond._stream.kept if isinstance(key, tuple)} == before


@pytest.mark.parametrize("known", [False, True])
def test_digests_are_those_of_the_folds_and_leave_none_behind(tmp_path: Path, known: bool) -> None:
    with fixed_store(tmp_path / "s.db") as store:
        bond = lived(store, 100)
        for turn in (301, 421):
            bond.fork(f"from {turn}", turn)
        stream = bond._stream
        numbers = [0, *stream.history.all("BranchForked")]
        with stream.reading():
            wanted = {number: fold_of(stream, number, LARGE).digest() for number in numbers}
            if not known:
                stream.forget()
        with stream.reading():
            assert len(set(wanted.values())) == 3
            held, watching = set(stream.kept), len(stream.standing(0)._watchers)
            assert digests_of(stream, [*numbers[::-1], *numbers], LARGE) == wanted
            assert set(stream.kept) == held
            assert len(stream.standing(0)._watchers) <= watching + 2  # those of the two branches
            assert digests_of(stream, [0], LARGE) == {0: wanted[0]}


def test_for_one_branch_no_state_is_written_down_on_the_way(
    stores: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fixed_store(stores[0]) as store:
        stream = store.relationships()[0]._stream
        with stream.reading():
            wanted = replayed_digest(stream, 0, LARGE)
            monkeypatch.setattr(fold, "_pack", None)
            assert digests_of(stream, [0], LARGE) == {0: wanted}


def test_a_fold_that_fails_is_not_left_behind(stores: list[Path]) -> None:
    def fails(*of: object) -> None:
        raise RuntimeError

    with fixed_store(stores[0]) as store:
        stream = store.relationships()[0]._stream
        with stream.reading():
            held = set(stream.kept)
            with pytest.raises(Exception, match="cannot be folded"):
                digests_of(stream, [0], fold.Projection("no", 1, LARGE.reads, dict, fails))
            assert set(stream.kept) == held


def test_lines_are_put_in_order_by_few_of_their_hashes() -> None:
    """A line is not read for it: of a million records, some twenty for each two lines."""
    length, asked = 1 << 20, 0
    parts = {0: [(0, b"a")], 1: [(0, b"a"), (700_000, b"c")], 2: [(0, b"a"), (700_000, b"b")]}

    def hash_of(line: int, number: int) -> bytes:
        nonlocal asked
        asked += 1
        said = [name for start, name in parts[line] if start <= number][-1]
        return said + number.to_bytes(4, "big")

    found = line_order([length, length + 5, length], hash_of)
    fork = 700_000
    first, *others = [(line, start.parent, start.fork) for line, start in found]
    assert first == (0, 0, 0) and others == [(2, 0, fork), (1, 0, fork)]
    assert found[0][1] == LineStart(0, 0, None)
    assert asked < 6 * 2 * 2 * log2(length)
