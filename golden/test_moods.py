"""Yesterday, today: what is left of a mood after 1 hour, 12 hours, 36 hours and 12 days.

Through the real observer, the kernel's decisions and the fold. `moods/README.md` says how the pairs
and their bands came to be.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import enishi
from enishi.kernel.rules import bundled_proposers

FOLDER = Path(__file__).parent / "moods"
AFTER = (timedelta(hours=1), timedelta(hours=12), timedelta(hours=36), timedelta(days=12))
VALUES = ("valence", "arousal", "fatigue", "confidence")
SHAPES = json.loads((FOLDER / "shapes.json").read_text("utf-8"))
PAIRS = [
    json.loads(line)
    for language in ("en", "zh")
    for line in (FOLDER / f"{language}.jsonl").read_text("utf-8").splitlines()
]


def departures(folder: Path, pair: dict[str, Any]) -> dict[str, list[float]]:
    """How far each value is from the usual at each of the four moments."""
    said, greeted = (datetime.fromisoformat(pair[key]) for key in ("said", "greeted"))
    with enishi.open(folder / "pair.db", synchronous="NORMAL") as store:
        bond = store.relationship("lumi", "chen")
        first = bond.record(pair["yesterday"], "…", at=said)
        second = bond.record(pair["today"], "…", at=greeted)
        for turn in (first, second):
            for proposer in bundled_proposers():
                bond.propose(turn, proposer)
        found: dict[str, list[float]] = {value: [] for value in VALUES}
        for after in AFTER:
            mood = bond.mood(at=said + after)
            for value in VALUES:
                found[value].append(getattr(mood, value) - getattr(mood.baseline, value))
        return found


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_the_mood_of_yesterday_meets_the_greeting_of_today(
    tmp_path: Path, pair: dict[str, Any]
) -> None:
    found = departures(tmp_path, pair)
    for value in VALUES:
        for after, band, departure in zip(AFTER, SHAPES[pair[value]], found[value], strict=True):
            assert band[0] <= departure <= band[1], (value, str(after), band, departure)


def test_there_are_twenty_pairs_in_each_language() -> None:
    for language in ("en", "zh"):
        assert sum(pair["id"].startswith(language) for pair in PAIRS) == 20


TRIFLES = [("食堂的面今天有点咸。", "下次少放点盐。"), ("地铁好挤，烦死了。", "早点出门会好些。")]


def greeted(folder: Path, *, trifles: bool) -> enishi.Relationship:
    """The scene that the project set out from: yesterday's project, today's 早."""
    store = enishi.open(folder / f"scene-{trifles}.db", synchronous="NORMAL")
    bond = store.relationship("lumi", "chen")
    today = datetime.fromisoformat("2026-03-10T08:30:00+08:00")
    said = [
        *([(today - timedelta(days=90), *one) for one in TRIFLES] if trifles else []),
        (today - timedelta(hours=11), "最近项目搞崩了，很累。我后天有个面试。", "先好好睡一觉。"),
        (today, "早。", "早。"),
    ]
    for at, message, reply in said:
        turn = bond.record(message, reply, at=at)
        for proposer in bundled_proposers():
            bond.propose(turn, proposer)
    return bond


def test_a_good_morning_after_a_bad_day_is_no_cold_start(tmp_path: Path) -> None:
    bond = greeted(tmp_path, trifles=True)
    now = datetime.fromisoformat("2026-03-10T08:31:00+08:00")
    mood = bond.mood(at=now)
    assert mood.fatigue > mood.baseline.fatigue + 0.1 and mood.valence < -0.1
    line = bond.mood_line(at=now, language="zh")
    assert "累" in line or "疲惫" in line
    # The matter at hand is known, with its day.
    (loop,) = bond.loops(at=now)
    assert "面试" in loop.subject and loop.status == "open" and loop.expected_by == "2026-03-11"
    # Of what was said in passing three months ago nothing is left to be told of.
    beliefs = bond.beliefs(at=now)
    assert not any(word in f"{line}{loop}{beliefs}" for word in ("面条", "咸", "地铁", "盐"))
    fresh = greeted(tmp_path, trifles=False).mood(at=now)
    assert (mood.valence, mood.fatigue) == pytest.approx((fresh.valence, fresh.fatigue), abs=0.001)
