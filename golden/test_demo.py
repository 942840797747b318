"""The bundled chat gives the same digests in every zone, locale, hash seed and Python.

`pytest golden --bless` writes what it gives now to `demo.json` and `timeline.svg`, after showing the
difference.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import enishi
from enishi.kernel.deciding.proposals import Felt, Mood
from enishi.kernel.transcript import Text
from enishi.packs.showing.timeline_svg import timeline_svg

if TYPE_CHECKING:
    from conftest import Expect

GOLDEN = Path(__file__).parent / "demo.json"
PICTURE = Path(__file__).parent / "timeline.svg"
SETTINGS = [
    {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "1", "LC_ALL": "C"},
    {"TZ": "America/Los_Angeles", "PYTHONHASHSEED": "4242", "LC_ALL": "C.UTF-8"},
]


def digests(folder: Path) -> dict[str, object]:
    """What the demo's chat comes to: on main, after a swipe, after an edit, and on a fork."""
    with enishi.open(folder / "demo.db", synchronous="NORMAL") as store:
        with as_file(files("enishi.packs") / "demo_chat" / "Lumi by the harbour.jsonl") as chat:
            store.import_chats([chat], zone="Asia/Shanghai", propose=False)
        (bond,) = store.relationships()
        bond.propose(None, _signals(bond))
        bond.propose(None, _moods(bond))
        picture = timeline_svg(bond.timeline())
        found: dict[str, object] = {"imported": bond.digests()}
        found["picture"] = hashlib.sha256(picture.encode()).hexdigest()
        swiped = next(turn for turn in bond.turns() if len(turn.replies) > 1)
        bond.swipe(swiped.number, 1)
        found["swiped"] = bond.digests()
        bond.edit(bond.turns()[3].messages[0].number, "今天风很大。")
        found["edited"] = bond.digests()
        fork = bond.fork("what-if", after=bond.turns()[5].number)
        found["forked"] = fork.digests()
        found["rebuilt"] = bond.rebuild()
        (folder / "timeline.svg").write_text(picture, "utf-8")
        assert bond.verify().ok
        assert bond.digests() == bond.replay()
        return found


def _texts(bond: enishi.Relationship) -> list[Text]:
    return [
        text
        for turn in bond.turns()
        for text in (*turn.messages, *([turn.reply] if turn.reply else ()))
    ]


def _moods(bond: enishi.Relationship) -> list[Mood]:
    """A mood for every text, each of another make."""
    return [
        Mood(
            party="agent" if text.role == "agent" else "user",
            felt=Felt(
                valence=(n % 21 - 10) / 10,
                arousal=None if n % 3 else n % 11 / 10,
                fatigue=None if n % 4 else n % 7 / 7,
                confidence=None if n % 5 else n % 9 / 9,
            ),
            intensity=("weak", "moderate", "strong")[n % 3],  # type: ignore[arg-type]
            citations=(enishi.Citation(text=text.number, start=0, end=4),),
        )
        for n, text in enumerate(_texts(bond))
    ]


def _signals(bond: enishi.Relationship) -> list[enishi.Signal]:
    """A signal for every text, of kinds in turn: the rules' tables may change, these do not."""
    kinds = ("gratitude", "disclosure", "quarrel", "repair", "support", "shared_experience")
    return [
        enishi.Signal(
            signal=kinds[n % len(kinds)],  # type: ignore[arg-type]
            actor="agent" if text.role == "agent" else "user",
            strength=("weak", "moderate", "strong")[n % 3],  # type: ignore[arg-type]
            citations=(enishi.Citation(text=text.number, start=0, end=4),),
        )
        for n, text in enumerate(_texts(bond))
    ]


def test_the_demo_comes_to_the_same_digests_as_ever(tmp_path: Path, expect: Expect) -> None:
    found = digests(tmp_path)
    expect(GOLDEN, json.dumps(found, indent=2) + "\n")
    expect(PICTURE, (tmp_path / "timeline.svg").read_text("utf-8"))
    assert found["imported"] != found["swiped"] != found["edited"]
    assert found["rebuilt"] == found["edited"]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting["TZ"])
def test_another_machine_makes_no_difference(tmp_path: Path, setting: dict[str, str]) -> None:
    script = (
        "import importlib.util, json, pathlib, sys;"
        "spec = importlib.util.spec_from_file_location('demo', sys.argv[1]);"
        "demo = importlib.util.module_from_spec(spec); spec.loader.exec_module(demo);"
        "print(json.dumps(demo.digests(pathlib.Path(sys.argv[2]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, __file__, str(tmp_path)],
        env={**os.environ, **setting},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert json.loads(done.stdout) == json.loads(GOLDEN.read_text("utf-8"))
