"""The timeline: its values, its axis, the picture and the plot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers import NOW, Shell, fixed_store, line, write_chat
from hypothesis import given
from hypothesis import strategies as st

from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import Citation, Felt, Mood, Promise, Signal
from enishi.kernel.moments import DAY, HOUR, Moment
from enishi.packs.showing.timeline_axis import STEP, axis_of, cube_root, placed, ticks
from enishi.packs.showing.timeline_svg import timeline_svg
from enishi.projections.timeline import Thread, Timeline, TurnPoint

START = datetime(2025, 12, 31, 22, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "enishi.db") as opened:
        yield opened


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, monkeypatch)


def lived(store: Store, agent: str = "Lumi", user: str = "Chen") -> Relationship:
    """Two evenings and a morning two weeks later, with a mood, a promise and a signal."""
    bond = store.relationship(agent, user)
    tired = bond.record("I am so tired.", "I promise to wake you at seven.", at=START)
    (said,), reply = tired.view().messages, tired.view().reply
    assert reply is not None
    bond.record("Good night.", "Sleep well.", at=START + timedelta(minutes=9))
    thanks = bond.record("Thank you.", "Always.", at=START + timedelta(days=14))
    cited = (Citation(text=said.number, start=0, end=14),)
    felt = Felt(valence=-0.6, fatigue=0.9)
    bond.propose(
        None,
        [
            Mood(party="user", felt=felt, intensity="moderate", citations=cited),
            Promise(
                promiser="agent",
                act="wake you at seven",
                citations=(Citation(text=reply.number, start=0, end=31),),
            ),
            Signal(
                signal="gratitude",
                actor="user",
                strength="moderate",
                citations=(Citation(text=thanks.view().messages[0].number, start=0, end=9),),
            ),
        ],
    )
    bond.split(thanks)
    return bond


def pictured(line: Timeline) -> ElementTree.Element:
    return ElementTree.fromstring(timeline_svg(line))


def words(root: ElementTree.Element) -> list[str]:
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


def test_everything_has_the_place_of_its_turn(store: Store) -> None:
    bond = lived(store)
    found = bond.timeline()
    assert [turn.timed for turn in found.turns] == [True, True, True]
    assert [(one.first, one.last) for one in found.episodes] == [(1, 2), (3, 3)]
    assert [one.place for one in found.rapport] == [0, 3]
    assert found.rapport[1].values == bond.rapport() != found.rapport[0].values
    assert found.mood[0].place == 1 and found.mood[0].user is not None
    assert found.mood[0].user.fatigue > 0.2 and found.mood[0].agent is None
    (promise,) = found.threads
    assert promise == Thread("promise", promise.number, "wake you at seven", "open", 1, None, ())
    assert found.language == "en"


def test_a_mood_is_followed_into_the_silence(store: Store) -> None:
    bond = lived(store)
    points = [one for one in bond.timeline().mood if one.place == 2]
    assert len(points) > 4
    for point in points:
        assert point.at is not None and point.user is not None
        asked = bond.mood("user", at=point.at.to_datetime())
        assert (asked.valence, asked.fatigue) == (point.user.valence, point.user.fatigue)


def test_looking_changes_nothing(store: Store) -> None:
    bond = lived(store)
    before = len(bond.records()), bond.digests(), bond.timeline()
    assert (len(bond.records()), bond.digests(), bond.timeline()) == before


def test_times_that_nobody_knows_stand_turn_by_turn(store: Store, tmp_path: Path) -> None:
    chat = write_chat(
        tmp_path / "Lumi.jsonl",
        [line(f"{n}", name) for n in range(12) for name in ("Chen", "Lumi")],
    )
    store.import_chats([chat], propose=False)
    (bond,) = store.relationships()
    found = bond.timeline()
    axis = axis_of(found.turns)
    assert list(axis.begins) == [STEP * n for n in range(13)]
    assert [tick.label for tick in ticks(found.turns, "en")] == ["1", "10"]
    assert "No time is known: turn by turn." in words(pictured(found))
    assert "12 turns · 1 episode · 12 without a known time" in words(pictured(found))


moments = st.lists(st.one_of(st.none(), st.integers(0, 10_000 * DAY)), max_size=30)


@given(moments)
def test_the_axis_never_runs_backwards(times: list[int | None]) -> None:
    latest, turns = None, []
    for number, time in enumerate(times):
        known = [one for one in (latest, time) if one is not None]
        latest = max(known, default=None)
        moment = None if latest is None else Moment(latest)
        turns.append(TurnPoint(number, moment, moment, time is not None))
    axis = axis_of(turns)
    for place in range(1, len(turns) + 1):
        assert axis.begins[place] >= axis.ends[place - 1] + STEP
        assert axis.ends[place] >= axis.begins[place]
        after = turns[place - 1].began
        late = None if after is None else after._replace(at=after.at + 20_000 * DAY)
        assert axis.ends[place] <= axis.after(place, late) <= axis.length
    labels = list(placed(ticks(turns, "zh"), lambda place: axis.begins[place] // 40, len, 2, 400))
    taken = sorted((start, start + len(label)) for _, label, start in labels)
    assert all(one[1] + 2 <= other[0] for one, other in pairwise(taken))
    hours = [(place, label) for place, label, _ in labels if ":" in label]
    days = {moment_at(turns, place).day for place, label, _ in labels if ":" not in label}
    assert all(moment_at(turns, place).day in days for place, _ in hours)


def moment_at(turns: list[TurnPoint], place: int) -> Moment:
    return turns[place - 1].began or Moment(0)


def test_an_hour_is_written_only_beneath_its_own_day() -> None:
    times = [DAY, 2 * DAY, 2 * DAY + HOUR, 2 * DAY + 2 * HOUR, 3 * DAY]
    turns = [TurnPoint(n, Moment(at), Moment(at), True) for n, at in enumerate(times, start=1)]
    # The second day begins beneath the label of the first.
    where = [0, 4, 12, 20, 30]
    labels = placed(ticks(turns, "zh"), lambda place: where[place - 1], len, 1, 60)
    assert sorted((start, label) for _, label, start in labels) == [
        (0, "1970年1月2日"),
        (12, "1月3日"),
        (20, "02:00"),
        (30, "1月4日"),
    ]


@given(st.integers(0, 10**18))
def test_the_cube_root_is_whole_and_exact(number: int) -> None:
    root = cube_root(number)
    assert root**3 <= number < (root + 1) ** 3


def test_names_and_words_of_any_kind_are_escaped(store: Store) -> None:
    bond = lived(store, 'A<&">', "陈<晨>&'\ufffe")
    root = pictured(bond.timeline())
    assert root.attrib["aria-label"] == "A<&\"> · 陈<晨>&'\ufffd"
    assert "A<&\"> · 陈<晨>&'\ufffd" in words(root)


def test_chinese_is_told_in_chinese(store: Store) -> None:
    bond = store.relationship("露米", "陈晨")
    bond.record("今天好累，项目垮了。", "辛苦了，我在这里。", at=START)
    root = pictured(bond.timeline())
    assert root.attrib["lang"] == "zh-Hans"
    told = words(root)
    assert "露米 对 陈晨 的关系" in told
    assert "2025年12月31日 · 1 轮对话 · 1 段往事" in told
    assert {"信任 0.50", "2025年12月31日"} <= set(told)


def test_the_picture_is_readable_in_light_and_dark_and_loads_nothing(store: Store) -> None:
    text = timeline_svg(lived(store).timeline())
    style = text[text.index("<style>") : text.index("</style>")]
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    coloured = re.compile(r"\.([\w.]+)(?=[^{}]*\{[^}]*(?:fill|stroke): #)")
    assert "url(" not in text and "href" not in text and "@font-face" not in text
    assert len(set(coloured.findall(light))) > 20
    assert set(coloured.findall(light)) == set(coloured.findall(dark))


@pytest.mark.parametrize("turns", [0, 1, 3, 400])
def test_all_of_it_stays_within_the_frame(store: Store, turns: int) -> None:
    bond = store.relationship("Lumi", "Chen")
    with store.transaction():
        for n in range(turns):
            bond.record(f"Hello {n}", "Hi", at=START - timedelta(days=n % 7 + 3 * (turns - n)))
    root = pictured(bond.timeline())
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    assert high < 900
    for one in root.iter():
        for name, most in (("x", wide), ("x1", wide), ("x2", wide), ("y", high), ("y2", high)):
            assert 0 <= float(one.attrib.get(name, 0)) <= most
        for point in one.attrib.get("points", "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= wide and 0 <= y <= high
    assert len(timeline_svg(bond.timeline())) < 200_000


def test_how_tired_somebody_is_stands_beneath_his_own_name(shell: Shell, tmp_path: Path) -> None:
    with fixed_store(tmp_path / "enishi.db") as store:
        bond = store.relationship("Lumi", "Chen")
        bond.propose(bond.record("I am so tired.", "I'm so happy!", at=START))
    _, _, moods = shell.ok("timeline").partition("\nmood\n")
    names = [line.split()[0] for line in moods.splitlines()[:5]]
    assert names == ["Chen", "tired", "stirred", "sure", "Lumi"]
    with fixed_store(tmp_path / "enishi.db") as store:
        drawn = timeline_svg(store.relationship("Lumi", "Chen").timeline())
    told = words(ElementTree.fromstring(drawn))
    for name in ("tired", "stirred up", "sure"):
        assert told[told.index(name) + 1].startswith("Chen ")
    curves, shades = (
        re.findall(rf"{one} {{ [a-z]+: (#\w+)", drawn) for one in (".curve.user", ".shade")
    )
    assert curves == shades and len(curves) == 2


def test_the_command_plots_prints_and_draws(shell: Shell, tmp_path: Path) -> None:
    with fixed_store(tmp_path / "enishi.db") as opened:
        line = lived(opened).timeline()
    out = shell.ok("timeline")
    assert "Lumi · Chen" in out and "31 Dec 2025 – 14 Jan 2026 · 3 turns · 2 episodes" in out
    assert "● wake you at seven – open ─" in out and "trust" in out and "tired" in out
    printed = shell.json("timeline")
    assert [turn["timed"] for turn in printed["turns"]] == [True] * 3
    assert printed["threads"][0]["words"] == "wake you at seven"
    assert "any browser shows it" in shell.ok("timeline", "--svg", "life.svg")
    assert (tmp_path / "life.svg").read_text("utf-8") == timeline_svg(line)
    shell.ok("timeline", "--svg", "life.svg")
    (tmp_path / "mine.txt").write_text("words")
    assert "choose another name" in shell.refused("timeline", "--svg", "mine.txt")
    assert "cannot be written" in shell.refused("timeline", "--svg", "nowhere/life.svg")


def test_a_branch_that_has_nothing_says_so(shell: Shell, tmp_path: Path) -> None:
    with fixed_store(tmp_path / "enishi.db", now=NOW) as opened:
        opened.relationship("Lumi", "Chen")
    assert "0 turns · 0 episodes" in shell.ok("timeline")
    shell.ok("timeline", "--svg", "life.svg")
    assert "Nothing has been said yet." in (tmp_path / "life.svg").read_text("utf-8")
