"""Episodes: what belongs to which, corrections by the host, the telling, and chapters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from helpers import Shell, fixed_store
from hypothesis import example, given, settings
from hypothesis import strategies as st

import enishi
from enishi import Citation
from enishi.host import Relationship
from enishi.kernel.deciding.proposals import (
    Belief,
    Consequence,
    EpisodeSummary,
    Felt,
    Mood,
    OpenLoop,
    Promise,
    PromiseOutcome,
    Proposal,
    SummarySentence,
    TensionStep,
)
from enishi.kernel.errors import Conflict, InvalidInput, NotFound
from enishi.kernel.words.named import figures, named_things
from enishi.packs.showing.terminal import plain
from enishi.projections.shortening import GAP, shorter
from enishi.projections.telling import ROOM, EpisodeView

START = datetime(2026, 1, 5, 20, tzinfo=UTC)


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "store.db", now=START + timedelta(days=900)) as store:
        yield store.relationship("lumi", "chen")


def say(bond: Relationship, words: str, reply: str = "I see.", *, day: int = 0) -> int:
    """One exchange, so many days later. Returns the number of its turn."""
    return bond.record(words, reply, at=START + timedelta(days=day)).number


def cite(bond: Relationship, quote: str) -> tuple[Citation, ...]:
    """The first place at which these words were said."""
    for view in bond.turns():
        for text in (*view.messages, *view.replies):
            if quote in (text.content or ""):
                return (Citation(text=text.number, quote=quote),)
    raise AssertionError(quote)


def accepted(bond: Relationship, proposal: Proposal) -> int:
    (decided,) = bond.propose(None, [proposal])
    assert decided.event is not None, decided
    return decided.event


def spans(bond: Relationship) -> list[tuple[int, int, int]]:
    return [(one.first, one.last, one.turns) for one in bond.episodes()]


# --- where they begin, as the host says


def test_everything_is_one_episode_until_somebody_says_where_another_begins(
    bond: Relationship,
) -> None:
    assert bond.episodes() == [] == bond.chapters() == bond.shortened()
    a, b, c = (say(bond, f"Hello {n}.") for n in range(3))
    assert spans(bond) == [(a, c, 3)]
    before = bond.digests()
    event = bond.split(b)
    assert spans(bond) == [(a, a, 1), (b, c, 2)]
    assert bond.episodes()[1].began == event and bond.why(event).payload == {}
    bond.withdraw(event)
    assert bond.digests() == before
    bond.restore(event)
    merged = bond.merge(b)
    assert spans(bond) == [(a, c, 3)]
    bond.withdraw(merged)
    assert spans(bond) == [(a, a, 1), (b, c, 2)] and bond.digests() == bond.replay()


def test_what_cannot_be_split_or_merged_is_said(bond: Relationship) -> None:
    a, b = say(bond, "Hello."), say(bond, "Hello again.")
    for act in (bond.split, bond.merge):
        with pytest.raises(Conflict, match="nothing comes before"):
            act(a)
        for number in (a + 1, 4096, -1):
            with pytest.raises(NotFound):
                act(number)
    with pytest.raises(Conflict, match="no episode begins with turn"):
        bond.merge(b)
    bond.split(b)
    with pytest.raises(Conflict, match="already"):
        bond.split(b)
    for odd in ("2", True, 1.0):
        with pytest.raises(InvalidInput, match="a number"):
            bond.episode(cast(Any, odd))
        with pytest.raises(InvalidInput, match="a number"):
            bond.shortened(cast(Any, odd))
    with pytest.raises(NotFound, match="there is no episode 3; the branch has 2"):
        bond.episode(3)


def test_the_hosts_word_outlasts_what_rules_decide_anew(bond: Relationship) -> None:
    rules = enishi.kernel.rules.bundled_proposers()[-1]
    a = say(bond, "The bank wants interest for the loan.")
    b = say(bond, "Good morning! I dreamt of whales.", day=3)
    bond.propose(None, rules)
    assert [one.first for one in bond.episodes()] == [a, b]
    bond.merge(b)
    assert spans(bond) == [(a, b, 2)]
    bond.edit(cite(bond, "The bank")[0].text, "The bank wants a lot for the loan.")
    assert len(bond.propose(None, rules)) == 1
    assert spans(bond) == [(a, b, 2)], "a rule saw it again, and the host's word still holds"
    bond.split(b)
    assert len(bond.episodes()) == 2


def test_a_split_belongs_to_the_branch_that_it_was_said_on(bond: Relationship) -> None:
    a, b, c = (say(bond, f"Hello {n}.") for n in range(3))
    before = bond.fork("before", after=c)
    bond.split(b)
    after = bond.fork("after", after=c)
    assert [len(side.episodes()) for side in (bond, before, after)] == [2, 1, 2]
    after.merge(b)
    assert [len(side.episodes()) for side in (bond, before, after)] == [2, 1, 1]
    bond.back(a)
    assert spans(bond) == [(a, a, 1)]


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.booleans()), max_size=12))
@settings(max_examples=15, deadline=None)
def test_splits_and_merges_come_to_what_the_last_word_on_each_turn_says(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, bool, bool]]
) -> None:
    """Incremental equals replay equals a plain model; taking all back leaves what there was."""
    with fixed_store(tmp_path_factory.mktemp("acts") / "store.db") as store:
        bond = store.relationship("lumi", "chen")
        turns = [bond.record(f"Hello {n}.", "Hm.").number for n in range(7)]
        before, begins, said = bond.digests(), {turns[0]}, []
        for place, split, undone in acts:
            turn = turns[place]
            if place == 0 or (turn in begins) == split:
                with pytest.raises(Conflict):
                    (bond.split if split else bond.merge)(turn)
                continue
            number = bond.split(turn) if split else bond.merge(turn)
            if undone:
                bond.withdraw(number)
            else:
                said.append(number)
                begins ^= {turn}
            assert [one.first for one in bond.episodes()] == sorted(begins)
            assert bond.digests() == bond.replay()
        if said:
            bond.withdraw(*said)
        assert bond.digests() == before


# --- the telling


def full(bond: Relationship) -> tuple[int, int]:
    """Two episodes in which everything happens. Returns promise and tension."""
    say(bond, "I finally finished the Aurora project, I am so proud and happy!", "Well done.")
    say(bond, "It took 14 months. My sister lives in Bergen.", "I promise to read it on Friday.")
    say(bond, "That hurt me, by the way.", "You always exaggerate. I am sorry.")
    promise = accepted(
        bond, Promise(promiser="agent", act="read it", citations=cite(bond, "I promise to read it"))
    )
    accepted(
        bond,
        Belief(
            subject="user",
            key="sister_lives_in",
            value="Bergen",
            citations=cite(bond, "My sister lives in Bergen"),
        ),
    )
    accepted(
        bond,
        Mood(
            party="user",
            felt=Felt(valence=0.9, arousal=0.8),
            intensity="strong",
            citations=cite(bond, "so proud and happy"),
        ),
    )
    hurt = cite(bond, "That hurt me") + cite(bond, "You always exaggerate")
    tension = accepted(bond, Consequence(effect="harm", bearer="user", citations=hurt))
    turn = say(bond, "Good evening. Did you read Aurora?", "Yes, I read it, all of it.", day=4)
    bond.split(turn)
    accepted(
        bond,
        PromiseOutcome(promise=promise, outcome="kept", citations=cite(bond, "Yes, I read it")),
    )
    return promise, tension


def test_an_episode_tells_what_happened_in_original_words(bond: Relationship) -> None:
    promise, tension = full(bond)
    one, two = bond.episodes()
    assert (one.number, one.turns, two.turns) == (1, 3, 1)
    assert one.started is not None and one.started.to_datetime() == START
    assert two.ended is not None and two.ended.to_datetime() == START + timedelta(days=4)
    words = {
        kind: [h.words for h in one.highlights if h.kind == kind]
        for kind in ("peak", "referred", "named", "figure")
    }
    assert words["peak"][0] == "I finally finished the Aurora project, I am so proud and happy!"
    assert words["referred"] == ["I promise to read it on Friday."]
    assert words["named"] == ["Aurora", "Bergen"]
    assert words["figure"] == ["14 months", "Friday"]
    for found in one.highlights:
        content = bond.text(found.text).content
        assert content is not None and content[found.start : found.end] == found.words
    assert (one.promises, one.consequences, len(one.beliefs)) == ((promise,), (tension,), 1)
    assert one.open_tensions == two.open_tensions == (tension,)
    assert one.closing_mood is not None and one.closing_mood.valence > 0.3
    assert two.closing_mood is not None and two.closing_mood.valence < one.closing_mood.valence
    assert one.summary and one.summarised is None
    for line in one.summary:
        assert line.words in (bond.text(line.texts[0]).content or "")
    assert "Aurora" in one.title
    assert bond.episode(2) == two and bond.episodes(last=1) == [two]


def test_those_who_speak_are_no_things_of_their_talk(bond: Relationship) -> None:
    said = enishi.Message("I told Melanie and Mel about Oslo.", name="Caroline Berg")
    bond.record(said, enishi.Reply("Good for Caroline.", name="Melanie"))
    (one,) = bond.episodes()
    assert [found.words for found in one.highlights if found.kind == "named"] == ["Oslo"]


def test_closing_mood_is_that_of_the_moment_at_which_it_closed(bond: Relationship) -> None:
    full(bond)
    one = bond.episode(1)
    assert one.ended is not None and one.closing_mood == bond.mood(at=one.ended.to_datetime())


def test_what_is_withdrawn_erased_or_hidden_is_told_no_more(bond: Relationship) -> None:
    full(bond)
    text = cite(bond, "Aurora project")[0].text
    with bond._stream.writing():
        bond._stream.destroy([text])
    told = json.dumps(plain(bond.episode(1)), ensure_ascii=False)
    assert "Aurora" not in told and "proud" not in told and "Bergen" in told
    assert "proud" not in str(bond.shortened(1))
    bond.withdraw(cite(bond, "Bergen")[0].text)
    assert "Bergen" not in json.dumps(plain(bond.episode(1)), ensure_ascii=False)


def test_the_state_holds_no_words(bond: Relationship) -> None:
    full(bond)
    from enishi.kernel.fold import fold_of
    from enishi.projections.episodes import EPISODES

    with bond._reading() as branch:
        state = json.dumps(fold_of(bond._stream, branch, EPISODES).state())
    for word in ("Aurora", "Bergen", "read it", "exaggerate", "harm", "happy"):
        assert word not in state


def test_open_tensions_are_those_of_its_end(bond: Relationship) -> None:
    _, tension = full(bond)
    turn = say(bond, "I forgive you.", "Thank you. I am sorry for what I said.", day=5)
    bond.split(turn)
    both = cite(bond, "I forgive you") + cite(bond, "I am sorry for what I said")
    accepted(bond, TensionStep(consequence=tension, outcome="reconciled", citations=both))
    assert [one.open_tensions for one in bond.episodes()] == [(tension,), (tension,), ()]


def test_40_an_episode_closes_in_the_same_mood_however_often_it_is_opened(tmp_path: Path) -> None:
    """PB-40: what is told of an episode follows from the log, not from reading and saving it."""
    path = tmp_path / "store.db"
    with fixed_store(path) as store:
        full(store.relationship("lumi", "chen"))
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        told, digests = bond.episodes(), bond.digests()
    assert told[0].closing_mood is not None and told[0].closing_mood.valence > 0.3
    for day in range(30):
        with fixed_store(path, now=START + timedelta(days=day)) as store:
            bond = store.relationship("lumi", "chen")
            assert bond.episodes() == told
            if day % 10 == 0:
                assert bond.rebuild() == digests == bond.replay()


def told_numbers(one: EpisodeView) -> set[int]:
    """Every number that an episode tells of, but its turns and what was said of it later."""
    texts = {text for line in one.summary for text in line.texts}
    texts |= {each.text for each in one.highlights}
    peaks = {each.because for each in one.highlights if each.kind == "peak"}
    born = {*one.beliefs, *one.promises, *one.loops, *one.consequences}
    return texts | born | {number for number in peaks if number is not None}


@pytest.mark.parametrize("splits", [(), (1,), (2, 5), (1, 2, 4, 5)])
def test_21_an_episode_tells_of_its_own_turns_alone(
    bond: Relationship, splits: tuple[int, ...]
) -> None:
    """PB-21: nothing of the session before goes into the next, wherever a host closes one."""
    full(bond)
    for n in range(3):
        say(bond, f"Number {n} lives in Bergen, and I am so happy.", "I promise to write.", day=5)
    turns = bond.turns()
    for place in splits:
        bond.split(turns[place].number)
    bond.propose(None, enishi.RuleProposer())
    for turn in turns:
        said = turn.messages[0]
        cited = (Citation(text=said.number, start=0, end=len(said.content or "")),)
        line = SummarySentence(words=said.content or "", cites=(0,))
        bond.propose(None, [EpisodeSummary(sentences=(line,), citations=cited)])
    episodes = bond.episodes()
    assert {turns[place].number for place in splits} <= {one.first for one in episodes}
    for one in episodes:
        of_turns = {bond.why(number).turn for number in told_numbers(one)}
        of_turns |= {turn.number for turn in bond.shortened(one.number)}
        assert of_turns and all(one.first <= (turn or 0) <= one.last for turn in of_turns)
        assert one.summarised is not None


# --- a summary that somebody proposes


def summary(bond: Relationship, *lines: tuple[str, str]) -> EpisodeSummary:
    citations = tuple(citation for _, quote in lines for citation in cite(bond, quote))
    sentences = tuple(SummarySentence(words=w, cites=(n,)) for n, (w, _) in enumerate(lines))
    return EpisodeSummary(sentences=sentences, citations=citations)


def test_a_proposed_summary_is_told_while_its_texts_lie_in_the_episode(bond: Relationship) -> None:
    full(bond)
    by_rule = bond.episode(1).summary
    finished = ("The user finished the Aurora project.", "I finally finished the Aurora project")
    sister = ("A sister lives in Bergen.", "My sister lives in Bergen")
    event = accepted(bond, summary(bond, finished, sister))
    one = bond.episode(1)
    assert one.summarised == event and [line.words for line in one.summary] == [
        finished[0],
        sister[0],
    ]
    split = bond.split(bond.turns()[1].number)
    assert {view.summarised for view in bond.episodes()} == {None}, "it spans two episodes now"
    bond.withdraw(split)
    assert bond.episode(1).summarised == event
    bond.edit(cite(bond, "My sister")[0].text, "Never mind.")
    assert bond.episode(1).summarised is None and bond.episode(1).summary != ()
    bond.undo(cite(bond, "Never mind")[0].text)
    bond.withdraw(event)
    assert bond.episode(1).summary == by_rule


@pytest.mark.parametrize(
    "words",
    ["The user finished Borealis.", "It took 15 months.", "Finished on Tuesday.", "Order B-77 is done.",
     "Write to bo@x.org.", "小明说完成了。", "完成了《极光》。", "On 2026-03-09 it was done."],
)  # fmt: skip
def test_a_summary_that_adds_a_name_a_number_a_day_or_an_id_is_refused(
    bond: Relationship, words: str
) -> None:
    full(bond)
    (decided,) = bond.propose(None, [summary(bond, (words, "It took 14 months"))])
    assert (decided.verdict, decided.reason) == ("rejected", "not_carried")
    assert bond.episode(1).summarised is None


# --- the short form


def test_a_short_form_keeps_word_for_word_what_matters(bond: Relationship) -> None:
    long = "Well. I saw Anna in Oslo on Monday. We talked for a while about this and that. It was late."
    assert shorter(long) == f"{GAP} I saw Anna in Oslo on Monday. {GAP}"
    start = long.index("It was late")
    kept = shorter(long, [(start, start + 3)])
    assert kept == f"{GAP} Anna, Oslo, Monday {GAP} It was late."
    assert shorter("Good night.") == "Good night."


@example("今天累。我走了。再见。", 2, 4)
@example(".⺀", 0, 2)
@given(st.text(max_size=400), st.integers(0, 300), st.integers(1, 50))
@settings(max_examples=80, deadline=None)
def test_a_short_form_never_loses_a_kept_span_nor_invents_a_word(
    text: str, start: int, length: int
) -> None:
    kept = text[start : start + length]
    short = shorter(text, [(start, start + length)] if kept else [])
    assert " ".join(kept.split()) in short
    words = set(text.split())
    glued = " ".join(text.split())
    assert all(word.strip(",") in glued for word in short.replace(GAP, " ").split()) or not words


def test_older_turns_are_shortened_and_stay_what_they_were(bond: Relationship) -> None:
    full(bond)
    before = bond.turns()
    short = bond.shortened(1)
    assert [turn.number for turn in short] == [view.number for view in before[:3]]
    assert "I finally finished the Aurora project" in str(short[0])
    assert "I promise to read it on Friday." in str(short[1])
    assert [turn.number for turn in bond.shortened()] == [before[-1].number]
    assert bond.turns() == before


ALONE = """
0 7 12:30 3.5 5% 8月 ３点 二年 两次 兩次 十天 百次 千年 万块 萬元 周三 週三 星期五 礼拜天 禮拜一
May5 anna@lund.se a@b.se January February March April June July August September October November
December Monday Tuesdays Wednesday Thursday Friday Saturday Sundays
"""


@pytest.mark.parametrize("figure", ALONE.split())
def test_a_text_with_one_figure_alone_is_looked_through(figure: str) -> None:
    assert [figure] == [figure[a:b] for a, b in figures(figure)]


def test_names_and_figures_are_found_as_they_are_written() -> None:
    english = (
        "Hiking is fun. I met Anna Lund in Oslo on Monday, order B-77, 30 dollars. Mail bo@x.org."
    )
    assert [english[a:b] for a, b in named_things(english)] == ["Anna Lund", "Oslo"]
    assert [english[a:b] for a, b in figures(english)] == [
        "Monday",
        "B-77",
        "30 dollars",
        "bo@x.org",
    ]
    chinese = "我昨天和王老师看了《小王子》，花了30块，周三再去，小明说好。"
    assert [chinese[a:b] for a, b in named_things(chinese)] == ["王老师", "《小王子》", "小明"]
    assert [chinese[a:b] for a, b in figures(chinese)] == ["30块", "周三"]
    assert figures("有一个人，有一天。") == []
    for words in ("王伟《雪国》", "《雪国》王伟"):
        assert sorted(words[a:b] for a, b in named_things(words)) == ["《雪国》", "王伟"]


# --- chapters


def test_chapters_connect_by_explicit_links_alone(bond: Relationship) -> None:
    promise, tension = full(bond)
    turn = say(bond, "I forgive you. My exam on Anatomy is next week.", "I am sorry.", day=5)
    bond.split(turn)
    both = cite(bond, "I forgive you") + cite(bond, "I am sorry.")
    accepted(bond, TensionStep(consequence=tension, outcome="reconciled", citations=both))
    accepted(
        bond,
        OpenLoop(subject="exam", continuation="ask", citations=cite(bond, "My exam on Anatomy")),
    )
    say(bond, "I was proud and happy about my work again.", day=6)
    found = {(one.link, one.number): one for one in bond.chapters()}
    assert set(found) == {("promise", promise), ("tension", tension), ("named", None)}
    kept = found["promise", promise]
    assert (kept.title, kept.status, kept.episodes) == ("read it", "kept", (1, 2))
    assert found["tension", tension].episodes == (1, 3)
    assert found["named", None].title == "Aurora" and found["named", None].episodes == (1, 2)
    turns = {view.number for view in bond.turns()}
    assert all(set(one.turns) <= turns for one in found.values())
    # In the portrait a name that only comes up again stands behind what was promised and mended.
    threads = [one.text for one in bond.portrait()][-3:]
    assert ["comes up" in one for one in threads] == [False, False, True]


def test_what_lies_in_one_episode_is_no_chapter(bond: Relationship) -> None:
    full(bond)
    bond.merge(bond.episode(2).first)
    assert bond.chapters() == []


# --- the bound


LONG = {
    "en": ("I met Anna{n} Berg{n} in Oslo{n} on 3 May {year}! " + "It was so good. " * 30),
    "zh": (
        "我在《长城{n}号》上见到了王老师{n}，那天是{year}年5月3日，"
        + "我真的好开心好激动" * 9
        + "！"
    ),
    "marks": ('"Anna{n}"\t\\"Oslo{n}" ' + '\\"\x01' * 60 + " {year} 🎉🎉🎉!"),
}


@pytest.mark.parametrize("words", LONG.values(), ids=LONG)
@pytest.mark.parametrize("turns", [1, 3, 30])
def test_an_episode_takes_no_more_than_its_room_and_tells_how_much_it_left_out(
    bond: Relationship, words: str, turns: int
) -> None:
    for n in range(turns):
        say(bond, words.format(n=n, year=1900 + n), reply=words.format(n=n + 500, year=1800 + n))
    texts = [view.messages[0] for view in bond.turns()]
    felt = Felt(valence=-0.1234, arousal=0.1234, fatigue=0.1234, confidence=0.1234)
    proposals: list[Proposal] = []
    for text in texts:
        cited = (Citation(text=text.number, start=0, end=9),)
        said = (text.content or "")[:9]
        proposals += [
            Mood(party="user", felt=felt, intensity="strong", citations=cited),
            OpenLoop(subject=said, continuation=said, citations=cited),
        ]
    decided = bond.propose(None, proposals)
    loops = [one.event for one in decided if one.event and one.proposal["kind"] == "open_loop"]
    for split in (False, True):
        for one in bond.episodes():
            assert len(json.dumps(plain(one), ensure_ascii=False).encode()) <= ROOM
            if not split:
                assert len(one.loops) + one.left_out.get("loops", 0) == len(loops)
                assert list(one.loops) == loops[len(loops) - len(one.loops) :]
            assert all(count > 0 for count in one.left_out.values())
            assert one.title and one.highlights and one.closing_mood
        if turns == 30 and not split:
            assert one.left_out
            bond.split(bond.turns()[20])


def test_of_a_long_proposed_summary_what_fits_is_told(bond: Relationship) -> None:
    turn = say(bond, "王老师说好，" * 60 + "我们去。")
    text = bond.turns()[0].messages[0].number
    sentences = tuple(SummarySentence(words="王老师说好，" * 60, cites=(0,)) for _ in range(8))
    accepted(
        bond,
        EpisodeSummary(sentences=sentences, citations=(Citation(text=text, start=0, end=364),)),
    )
    one = bond.episode(1)
    assert one.first == turn and one.summarised is not None
    assert one.summary and len(one.summary) + one.left_out["summary"] == 8
    assert len(json.dumps(plain(one), ensure_ascii=False).encode()) <= ROOM


# --- the command line


def test_episodes_on_the_command_line(shell: Shell, bond: Relationship) -> None:
    promise, _ = full(bond)
    store = ("--store", bond._store.path)
    listed = shell.ok("episodes", *store)
    assert "2026-01-05 20:00" in listed and "Aurora" in listed
    rows = shell.json("episodes", *store)
    assert [one["number"] for one in rows] == [1, 2]
    page = shell.ok("episodes", 1, *store)
    for words in (
        "Said with feeling",
        "so proud and happy",
        "Bergen",
        "14 months",
        f"Promises born in it: {promise}",
    ):
        assert words in page
    assert shell.json("episodes", 1, *store) == rows[0]
    assert "read it" in shell.ok("episodes", "--chapters", *store)
    assert {one["link"] for one in shell.json("episodes", "--chapters", *store)} == {
        "promise",
        "named",
    }
    turn = rows[1]["first"]
    assert f"1 turn from {turn} · " in shell.ok("episodes", *store)
    merged = shell.json("episodes", "merge", turn, *store)
    assert len(shell.json("episodes", *store)) == 1
    assert f"enishi withdraw {merged['event'] + 1}" in shell.ok("episodes", "split", turn, *store)
    assert len(shell.json("episodes", *store)) == 2
    assert "--last 0 shows all" in shell.ok("episodes", "--last", 1, *store)
    assert "EpisodeBegan" in shell.ok("why", merged["event"] + 1, *store)
    for wrong, told in (
        (("split",), "needs the number of a turn"),
        (("9x",), "no number of an episode"),
        ((1, 2), "give one number"),
        ((1, "--chapters"), "give one number"),
        (("split", turn, "--chapters"), "give one number"),
        (("merge", turn, "--chapters"), "give one number"),
    ):
        assert told in shell.refused("episodes", *wrong, *store, status=2)
    assert "there is no episode 7" in shell.refused("episodes", 7, *store)
    assert "already" in shell.refused("episodes", "split", turn, *store)


def test_where_nothing_was_said_the_command_says_so(shell: Shell, bond: Relationship) -> None:
    store = ("--store", bond._store.path)
    assert shell.ok("episodes", *store).strip() == "Nothing has been said yet."
    assert "runs through" in shell.ok("episodes", "--chapters", *store)
    assert "there is no episode 1" in shell.refused("episodes", 1, *store)
