"""The benchmarks beside E.R.I.I.: what they use of it, and a path where it does not lie."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def peer_erii(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return pytest.importorskip("peer_erii")


@pytest.fixture
def erii(peer_erii: Any) -> Iterator[Any]:
    given = os.environ.get("ERII_CHECKOUT")
    if given is None:
        pytest.skip("E.R.I.I. is not here: ERII_CHECKOUT can say where a checkout of it lies")
    yield peer_erii.load(Path(given))
    for name in [name for name in sys.modules if name.partition(".")[0] == "erii"]:
        del sys.modules[name]


def test_it_records_turns_durably(erii: Any, tmp_path: Path) -> None:
    path, texts = tmp_path / "e.db", [("hello", "good morning"), ("你好", "早上好")]
    with erii.opened(path) as engine:
        for said, reply in texts:
            erii.record(engine, said, reply, erii.seen_already())
    with erii.opened(path) as engine:
        found = [turn.transcript for turn in engine.list_turns("lumi", "chen")]
        with closing(engine.storage._get_connection()) as connection:
            modes = [
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous")
            ]
    assert [(turn.user_message.content, turn.agent_message.content) for turn in found] == texts
    assert modes == ["wal", 2], "the same durability as ours"


def test_it_comes_to_the_same_five_numbers(erii: Any, tmp_path: Path) -> None:
    pytest.importorskip("eventsourcing", reason="the extra `bench` is not installed")
    material, places = import_module("material"), import_module("jobs.places")
    places.write_history(tmp_path / "ours.db", 20, material.EverySecond())
    events = places.events_of(tmp_path / "ours.db")
    erii.fill(tmp_path / "theirs.db", events)
    ours = asdict(places.read_rapport(tmp_path / "ours.db"))
    assert erii.snapshot(tmp_path / "theirs.db") == pytest.approx(ours)
    with erii.opened(tmp_path / "theirs.db") as engine:
        signals = sum(event.type == "SignalAccepted" for event in events)
        assert len(engine.list_relationship_events("lumi", "chen")) == signals == 10


@pytest.mark.parametrize(
    ("package", "told"),
    [
        (None, "no package erii in"),
        ("", "cannot be used"),
        ("import no_such_module", "cannot be used: No module named 'no_such_module'"),
        ("def", "cannot be used: invalid syntax"),
    ],
)
def test_a_path_where_it_does_not_lie_is_told_in_one_line(
    peer_erii: Any, tmp_path: Path, package: str | None, told: str
) -> None:
    if package is not None:
        (tmp_path / "erii").mkdir()
        (tmp_path / "erii" / "__init__.py").write_text(package)
    with pytest.raises(peer_erii.Unusable) as refused:
        peer_erii.load(tmp_path)
    assert told in str(refused.value) and str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value) and "erii" not in sys.modules


def test_the_command_fails_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("eventsourcing", reason="the extra `bench` is not installed")
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--erii", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1 and not ended.stdout
    assert ended.stderr.startswith("--erii: no package erii in") and ended.stderr.count("\n") == 1
