"""A first snow that was seen together, carried to another zone and another Python.

Each interpreter named in ENISHI_OTHER_PYTHONS (separated as in PATH; enishi has to be installed for
it) takes the pack in as well as this one; `.ci/run` names all that it has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from continuity import QUERY, found_of, live, store_at

from enishi.packs.memorypack.frames import FrameReader
from enishi.packs.memorypack.pack_files import inspect_pack

OTHERS = [one for one in os.environ.get("ENISHI_OTHER_PYTHONS", "").split(os.pathsep) if one]
ZONES = {"Asia/Kathmandu": 5.5, "America/Los_Angeles": -8}
"""Each with its hours from UTC in 1970, which show that the zone is in force."""


@pytest.mark.parametrize("python", [sys.executable, *OTHERS])
def test_a_first_snow_is_the_same_elsewhere(tmp_path: Path, python: str) -> None:
    home, pack = tmp_path / "home.db", tmp_path / "lumi-chen.erii"
    with store_at(home, "home") as store:
        live(store.relationship("lumi", "chen"))
    with store_at(home, "again") as store:
        (bond,) = store.relationships()
        assert "first snow together" in bond.recall(QUERY).render()
        # Somebody else of the same character knows nothing of it, and is no closer for it.
        stranger = store.relationship("lumi", "the stranger")
        stranger.record("My umbrella is vermilion.", "Good to know.")
        assert not stranger.recall(QUERY).found
        closeness = stranger.rapport()
        assert closeness.familiarity == closeness.intimacy == 0 < bond.rapport().familiarity
        assert not any((stranger.beliefs(), stranger.promises(), stranger.tensions()))
        before = found_of(bond)
        exported = bond.export(pack)
    for part in ("tensions", "beliefs", "promises", "provenance"):
        assert before[part] not in ("[]", []), part
    frames = repr(_frames(pack))
    assert "first snow" in frames
    assert not any(words in frames for words in ("stranger", "vermilion", "Good to know"))
    for zone, hours in ZONES.items():
        elsewhere = tmp_path / f"{zone.replace('/', '-')}.db"
        where, found = _taken_in(python, zone, pack, elsewhere)
        assert where[1:] == [zone, hours * 3600]
        assert found == before
        assert inspect_pack(Path(f"{elsewhere}.erii")).pack == exported.pack


def _taken_in(
    python: str, zone: str, pack: Path, store: Path
) -> tuple[list[object], dict[str, object]]:
    """Where a process took the pack into an empty store, and what it found there."""
    script = Path(__file__).parent / "continuity.py"
    ran = subprocess.run(
        [python, "-X", "utf8", str(script), str(pack), str(store)],
        env={**os.environ, "TZ": zone, "LC_ALL": "C"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    return told["where"], told["found"]


def _frames(pack: Path) -> list[object]:
    with pack.open("rb") as file:
        return list(FrameReader(file, pack.name))
