"""Moods of real relationships: said, swiped, edited, saved, read again; and the faults reported.

The number in a name is the report's.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import pytest
from helpers import Shell, fixed_store, state_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enishi import Citation, Reply
from enishi.host import Relationship, Store, open_async
from enishi.kernel import fold
from enishi.kernel.deciding.proposals import Felt, Mood, Party
from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment
from enishi.projections.mood import PARTIES, MoodView

EVENING = datetime(2026, 2, 1, 20, tzinfo=UTC)
SOME = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "s.db") as store:
        yield store.relationship("lumi", "chen")


def after(hours: float) -> datetime:
    return EVENING + timedelta(hours=hours)


def then(words: str, hours: float) -> Reply:
    return Reply(words, happened=Moment.of(after(hours)))


def feels(
    text: int, party: Party = "user", intensity: Any = "moderate", start: int = 0, **felt: float
) -> Mood:
    """A mood that rests on one letter of a text."""
    cited = (Citation(text=text, start=start, end=start + 1),)
    return Mood(
        party=party, felt=Felt(**felt), intensity=intensity, scorer="words/1", citations=cited
    )


def observe(bond: Relationship, *moods: Mood) -> list[int]:
    """The numbers of what becomes of moods that must be accepted."""
    decided = bond.propose(None, moods)
    assert all(one.verdict == "accepted" for one in decided), decided
    return [one.event for one in decided if one.event is not None]


def say(bond: Relationship, hours: float, words: str = "So.", **felt: Any) -> int:
    """The number of a message that was said then, and shows this."""
    text = bond.record(words, "Mm.", at=after(hours)).view().messages[0].number
    if felt:
        observe(bond, feels(text, **felt))
    return text


def both(bond: Relationship, hours: float) -> list[MoodView]:
    return [bond.mood(party, at=after(hours)) for party in PARTIES]


# Carried over


def test_yesterdays_exhaustion_is_there_today_and_gone_in_two_weeks(bond: Relationship) -> None:
    say(bond, 0, "The project fell apart. I'm exhausted.", intensity="strong", valence=-0.7,
        fatigue=0.9)  # fmt: skip
    same_evening, today, later = (bond.mood(at=after(hours)) for hours in (1, 12, 12 * 24))
    assert same_evening.fatigue > 0.7 and same_evening.valence < -0.5
    assert 0.6 < today.fatigue < same_evening.fatigue
    assert later.fatigue == pytest.approx(0.2, abs=0.02)
    assert abs(later.valence) < 0.02
    assert bond.mood(at=after(-1)) == both(bond, -1)[0]
    assert bond.mood(at=after(-1)).observed is None


def test_a_mood_before_the_reply_knows_nothing_of_the_reply(bond: Relationship) -> None:
    with bond.turn("I failed.", at=after(0)) as turn:
        turn.reply("Oh no!", at=after(0.5))
    view = turn.view()
    observe(bond, feels(view.replies[0].number, "agent", valence=-0.8))
    observe(bond, feels(view.messages[0].number, valence=-0.8))
    user, agent = both(bond, 0.25)
    assert user.valence < -0.3 and agent.valence == 0
    assert both(bond, 0.5)[1].valence == -0.4


def test_a_curve_is_made_of_the_moods_at_its_moments(bond: Relationship) -> None:
    for hours, valence in ((0, -0.8), (7, 0.9), (30, -0.2)):
        say(bond, hours, valence=valence)
    moments = [after(hours) for hours in (40, -1, 0, 3, 7, 8, 29, 30)]
    assert bond.moods(moments) == [bond.mood(at=moment) for moment in sorted(moments)]


def test_what_was_held_may_be_released(bond: Relationship) -> None:
    text = say(bond, 0)
    unsure = feels(text, valence=-0.333, fatigue=0.7).model_copy(update={"confidence": 0.6})
    (held,) = bond.propose(None, [unsure])
    assert (held.verdict, held.event) == ("held", None)
    assert bond.mood(at=after(0)).valence == 0
    event = bond.release(held)
    payload = bond.why(event).payload
    assert payload is not None and payload["valence"] == -3330 and payload["fatigue"] == 7000
    assert bond.mood(at=after(0)).valence == pytest.approx(-0.1665)


def test_a_wrong_observation_is_taken_back(bond: Relationship) -> None:
    (event,) = observe(bond, feels(say(bond, 0), valence=-0.8))
    before = bond.digests()["mood"]
    bond.correct(event, "wrong")
    assert bond.mood(at=after(1)).observed is None
    bond.correct(event, "right")
    assert bond.digests()["mood"] == before


def test_an_edit_takes_the_mood_of_the_old_wording_with_it(bond: Relationship) -> None:
    text = say(bond, 0, "I'm dead tired.", fatigue=0.9)
    before = both(bond, 2)
    bond.edit(text, "It is late.")
    assert bond.mood(at=after(2)).observed is None
    bond.undo(text)
    assert both(bond, 2) == before


# As reported


def test_40_saving_and_reading_never_speed_up_a_mood(tmp_path: Path) -> None:
    """PB-40: read at once, after a hundred openings, or on another machine, it is the same mood."""
    straight, often = tmp_path / "straight.db", tmp_path / "often.db"
    with fixed_store(straight) as store:
        bond = store.relationship("lumi", "chen")
        say(bond, 0, "She is gone.", intensity="strong", valence=-0.9, arousal=0.8)
    shutil.copy(straight, often)
    zones = ("Asia/Kathmandu", "America/Los_Angeles", "UTC")
    before = os.environ.get("TZ")
    try:
        for turn in range(100):
            os.environ["TZ"] = zones[turn % 3]
            time.tzset()
            with fixed_store(often, now=after(turn / 10)) as store:
                bond = store.relationship("lumi", "chen")
                assert bond.mood().at is not None
                assert bond.mood("agent", at=after(turn)).valence == 0
                if turn % 10 == 0:
                    bond.rebuild()
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()
    carried, pack = tmp_path / "carried.db", tmp_path / "lumi.erii"
    with fixed_store(often) as store, fixed_store(carried, seed=1) as other:
        store.relationship("lumi", "chen").export(pack)
        other.import_pack(pack)
    views = []
    for path in (straight, often, carried):
        with fixed_store(path, seed=2) as store:
            bond = store.relationship("lumi", "chen")
            views.append([both(bond, hours) for hours in (0, 10, 36, 288)])
            views.append(bond.digests())
    assert views[0] == views[2] == views[4] and views[1] == views[3] == views[5]
    assert views[0][1][0].valence == pytest.approx(-0.72 * 2 ** (-10 / 48), abs=1e-4)


def test_13_asking_for_a_mood_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with fixed_store(path) as store:
        say(store.relationship("lumi", "chen"), 0, valence=0.8)
    before = state_of(path)
    with fixed_store(path, read_only=True) as store:
        bond = store.relationship("lumi", "chen", create=False)
        assert bond.mood_line(at=after(1)) and bond.moods([after(1)]) and bond.why_mood()
    assert state_of(path) == before


def test_47_a_swiped_away_reply_takes_its_mood_with_it(bond: Relationship) -> None:
    turn = bond.record("Well?", "I stole it. I feel awful.", at=after(0))
    first = turn.view().replies[0].number
    observe(bond, feels(first, "agent", "strong", valence=-0.9, confidence=0.1))
    confessed, digest = both(bond, 1), bond.digests()["mood"]
    second = bond.regenerate(turn.number, then("Nice weather!", 0.1)).number
    assert both(bond, 1)[1].observed is None
    observe(bond, feels(second, "agent", valence=0.6))
    assert both(bond, 1)[1].valence > 0
    bond.swipe(turn.number, 1)
    assert both(bond, 1) == confessed and bond.digests()["mood"] == digest
    say(bond, 2, valence=0.2)
    bond.swipe(turn.number, 2)
    assert both(bond, 3)[1].valence > 0


# Whatever happens


class Said(NamedTuple):
    """One text: how it felt, sentence by sentence."""

    moods: tuple[tuple[str, float], ...]


class Exchange(NamedTuple):
    """One turn: how long after the last, how long until the reply, what was said."""

    gap: int
    wait: int
    user: Said
    replies: tuple[Said, ...]
    chosen: int


said = st.builds(
    Said,
    st.lists(
        st.tuples(st.sampled_from(["weak", "moderate", "strong"]), st.sampled_from([-0.7, 0.1, 1])),
        max_size=2,
    ).map(tuple),
)
exchanges = st.lists(
    st.builds(
        Exchange,
        st.integers(0, 40),
        st.integers(0, 3),
        said,
        st.lists(said, min_size=1, max_size=2).map(tuple),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=5,
)


@dataclass
class Played:
    """A life that is played, and what of it is not observed yet."""

    path: Path
    store: Store
    hours: int = 0
    ahead: list[Mood] = field(default_factory=list)

    @property
    def bond(self) -> Relationship:
        return self.store.relationship("lumi", "chen")

    def reopen(self) -> None:
        self.store.close()
        self.store = fixed_store(self.path, seed=self.hours + 1)

    def play(self, exchange: Exchange, *, timely: bool = False) -> None:
        """Say it. Timely, each text is observed before the next one, and no reply that is swiped
        away; else all of it is only when `observe` is called."""
        self.hours += exchange.gap
        turn = self.bond.turn("a. a", at=after(self.hours))
        self._will_show(turn.view().messages[0].number, "user", exchange.user)
        if timely:
            self.observe()
        self.hours += exchange.wait
        turn.reply("0. 0", at=after(self.hours))
        for number in range(1, len(exchange.replies)):
            self.bond.regenerate(turn.number, then(f"{number}. {number}", self.hours + number))
        chosen = min(exchange.chosen, len(exchange.replies) - 1)
        self.bond.swipe(turn.number, chosen + 1)
        for place, reply in enumerate(turn.view().replies):
            if not timely or place == chosen:
                self._will_show(reply.number, "agent", exchange.replies[place])
        if timely:
            self.observe()

    def _will_show(self, text: int, party: Party, words: Said) -> None:
        for place, (intensity, valence) in enumerate(words.moods):
            felt = {"valence": valence, "arousal": abs(valence)}
            self.ahead.append(feels(text, party, intensity, start=3 * place, **felt))

    def observe(self) -> None:
        for mood in self.ahead:
            observe(self.bond, mood)
        self.ahead = []


@settings(max_examples=10, **SOME)
@given(exchanges, st.randoms(use_true_random=False))
def test_late_or_timely_read_or_not_swiped_or_never_said(life: list[Exchange], chance: Any) -> None:
    """Three ways to the same moods: each text observed at once and only what was chosen; all of it
    observed at the end in any order; and that with reading, checkpoints and reopening between."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "CHECKPOINT_EVENTS", 1)
        paths = [Path(folder) / f"{name}.db" for name in "abc"]
        plain, late, busy = (Played(path, fixed_store(path)) for path in paths)
        for exchange in life:
            plain.play(exchange, timely=True)
            late.play(exchange)
            busy.play(exchange)
            if chance.random() < 0.5:
                busy.observe()
            both(busy.bond, chance.random() * busy.hours)
            busy.bond.digests()  # leaves checkpoints
            busy.reopen()
        chance.shuffle(late.ahead)
        late.observe()
        busy.observe()
        found = []
        for played in (plain, late, busy):
            hours = [n * (played.hours + 30) / 7 for n in range(8)]
            found.append([both(played.bond, hour) for hour in hours])
            assert played.bond.digests() == played.bond.replay()
            played.store.close()
        assert found[0] == found[1] == found[2]


# The faces


@pytest.mark.parametrize("at_once", [True, False])
def test_a_host_that_names_no_proposer_gets_all_that_is_bundled(
    bond: Relationship, at_once: bool
) -> None:
    said = [(0, "I'm exhausted."), (13, "Good morning! Thank you for last night."), (14, "Bye.")]
    turns = [bond.record(words, "Mm.", at=after(hours)) for hours, words in said]
    asked = [None] if at_once else turns
    decided = [one for turn in asked for one in bond.propose(turn)]
    assert {"mood", "signal", "episode_boundary"} <= {one.proposal["kind"] for one in decided}
    assert bond.mood(at=after(1)).fatigue > 0.5
    assert [one.first for one in bond.episodes()] == [turns[0].number, turns[1].number]
    size = len(bond.decisions())
    bond.propose(asked[0])
    assert len(bond.decisions()) == size


def test_every_call_has_its_awaitable_twin(tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        async with open_async(tmp_path / "s.db", clock=lambda: after(1)) as store:
            bond = await store.relationship("lumi", "chen")
            return [
                await bond.mood("agent"),
                await bond.moods([after(1)], "agent"),
                [await bond.mood_line("zh")],
                await bond.why_mood(),
            ]

    view, curve, line, why = asyncio.run(ask())
    assert [view] == curve and line == [""] and why == []


def test_moods_on_the_command_line(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "s.db"
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        text = say(bond, 0, "I'm dead tired.")
        (event,) = observe(bond, feels(text, intensity="strong", valence=-0.6, fatigue=0.9))
        at = after(12).isoformat()
        wanted = bond.mood(at=after(12))
    here = ("--store", path)

    user, agent = shell.json("mood", "--at", at, *here)
    assert user["fatigue"] == wanted.fatigue and user["party"] == "user"
    assert agent["observed"] is None and agent["baseline"]["confidence"] == 0.5

    told = shell.ok("mood", "--at", at, *here)
    refused = shell.refused("mood", "--at", "2026-02-02T08:00", *here)
    assert "names no zone" in refused and "+08:00" in refused
    assert told.startswith("at 2026-02-02 08:00:00")
    assert "user · last seen 2026-02-01 20:00:00" in told and "agent · not seen yet" in told
    row = next(line for line in told.splitlines() if line.startswith("  fatigue"))
    assert f"{wanted.fatigue:.2f}" in row and row.endswith("▂▂▆▆▅▅")
    assert "2026-01-26 08:00" in told and told.rstrip().endswith("2026-02-02 08:00")

    assert "mood of the user  valence" in shell.ok("show", *here)
    assert shell.json("show", *here)["mood"][0]["party"] == "user"

    seen = shell.json("why", "mood", *here)
    assert [one["feeling"] for one in seen] == ["valence", "fatigue"]
    assert seen[0]["scorer"] == "words/1" and seen[0]["quotes"][0]["words"] == "I"
    fatigue = shell.ok("why", "mood.fatigue", *here)
    assert "fatigue of the user" in fatigue and "valence" not in fatigue and "“I”" in fatigue
    assert "strong +0.9000 was seen by words/1" in shell.ok("why", event, *here)
    assert "mood of the user, strong: " in shell.ok("decisions", *here)
    assert "mood.valence" in shell.refused("why", "mood.trust", *here, status=2)
    assert "no time" in shell.refused("mood", "--at", "yesterday", *here)
    for edge in ("0001-01-01T00:00Z", "9999-12-31T23:59Z"):
        shell.ok("mood", "--at", edge, *here)


def test_nothing_seen_is_said_in_few_words(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "s.db"
    with fixed_store(path) as store:
        say(store.relationship("lumi", "chen"), 0)
    told = shell.ok("mood", "--store", path)
    assert told.count("not seen yet") == 2 and "▁" not in told
    assert "Nothing was seen of it yet." in shell.ok("why", "mood", "--store", path)


def test_an_unknown_language_or_party_is_refused(bond: Relationship) -> None:
    with pytest.raises(InvalidInput, match="valence, arousal"):
        bond.why_mood(cast(Any, "joy"))
    with pytest.raises(InvalidInput, match="en, zh"):
        bond.mood_line("fr")
    with pytest.raises(InvalidInput, match="user, agent"):
        bond.mood("chen")  # type: ignore[arg-type]
