"""One refused and one accepted example for every reason code; `docs/decisions.md` prints the first.

What was said is written as lines: "user: …", "agent: …", "other: …", with a remark in brackets
where something is odd about a text. BRANCH goes on beside what came after the first turn. FIRST is
the place where an earlier batch is proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from helpers import fixed_store

from enishi import Message, Reply
from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import (
    Because,
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Citation,
    Consequence,
    EpisodeBoundary,
    EpisodeSummary,
    Felt,
    LoopOutcome,
    Mood,
    OpenLoop,
    Promise,
    PromiseOutcome,
    Proposal,
    Reflection,
    Signal,
    SummarySentence,
)
from enishi.kernel.deciding.proposing import Decided

BRANCH = "(on another branch)"
FIRST = "(an earlier batch)"
THURSDAY = "2026-03-05T23:30+08:00"
"""When everything is said, unless an example tells another time: still the 5th, at 15:30 UTC."""

_LINE = re.compile(r"(user|agent|other)(?: \(([a-z]+)\))?: (.*)", re.DOTALL)
_DELIVERED: dict[str, Any] = {"overridden": "overridden", "unreviewed": "shown_unreviewed"}

Quote = str | Citation


@dataclass
class World:
    """A relationship in which the lines of an example were said."""

    bond: Relationship
    at: datetime
    texts: list[int] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    _open: list[Message] = field(default_factory=list)

    def say(self, line: str) -> None:
        """Record one line; a reply closes the turn of the messages before it."""
        found = _LINE.fullmatch(line)
        assert found, line
        role: Any = found[1]
        remark, words = found[2] or "", found[3]
        self.contents.append(words)
        if role != "agent":
            speaker = "tom" if role == "other" else None
            self._open.append(Message(words, role=role, speaker=speaker, hidden=remark == "hidden"))
            return
        given = tuple(self.events) if remark == "reminded" else ()
        self._close(Reply(words, delivered=_DELIVERED.get(remark, "shown"), given=given))

    def settle(self) -> None:
        """Close the turn whose messages nobody has answered yet."""
        if self._open:
            self._close(None)

    def _close(self, reply: Reply | None) -> None:
        if reply is None:
            turn = self.bond.turn(self._open, at=self.at)
        else:
            turn = self.bond.record(self._open, reply, at=self.at)
        view = turn.view()
        self.texts += [text.number for text in (*view.messages, *view.replies)]
        self._open = []

    def branch(self) -> None:
        """Go on beside what came after the first turn."""
        self.settle()
        self.bond = self.bond.fork("beside", after=self.bond.turns()[0].number)

    def propose(self, *makes: Make) -> list[Decided]:
        """Propose all of these in one batch, as the host."""
        self.settle()
        decided = self.bond.propose(None, [make(self) for make in makes])
        self.events += [one.event for one in decided if one.event is not None]
        return decided

    def payload(self, number: int | None) -> dict[str, Any]:
        """What an event says."""
        assert number is not None, "nothing came of it"
        with self.bond._stream.reading():
            payload = self.bond._stream.payload(number)
        assert payload is not None
        return payload

    def cite(self, *quotes: Quote) -> tuple[Citation, ...]:
        """Citations of quotes, each in the first text that has it, or else in the very first."""
        return tuple(q if isinstance(q, Citation) else self._cited(q) for q in quotes)

    def _cited(self, quote: str) -> Citation:
        place = next((n for n, words in enumerate(self.contents) if quote in words), 0)
        return Citation(text=self.texts[place], quote=quote)


Make = Callable[[World], Proposal]


def signal(*quotes: Quote, signal: Any = "gratitude", actor: Any = "user", **more: Any) -> Make:
    return lambda w: Signal(signal=signal, actor=actor, citations=w.cite(*quotes), **more)


def belief(
    value: str, *quotes: Quote, subject: str = "user", key: str = "lives_in", **more: Any
) -> Make:
    return lambda w: Belief(
        subject=subject, key=key, value=value, citations=w.cite(*quotes), **more
    )


def reasoned(value: str, quote: str, wording: str, reason: str, **more: Any) -> Make:
    """A belief with a reason of its own."""

    def make(w: World) -> Proposal:
        because = Because(wording=wording, citation=w.cite(reason)[0])
        return belief(value, quote, because=because, **more)(w)

    return make


def confirmed(about: int | str, *quotes: Quote, **more: Any) -> Make:
    return lambda w: BeliefConfirmation(belief=about, citations=w.cite(*quotes), **more)


def retracted(about: int | str, *quotes: Quote, **more: Any) -> Make:
    return lambda w: BeliefRetraction(belief=about, citations=w.cite(*quotes), **more)


def promise(act: str, *quotes: Quote, promiser: Any = "agent", **more: Any) -> Make:
    return lambda w: Promise(promiser=promiser, act=act, citations=w.cite(*quotes), **more)


def ended(about: int | str, outcome: Any, *quotes: Quote, **more: Any) -> Make:
    return lambda w: PromiseOutcome(
        promise=about, outcome=outcome, citations=w.cite(*quotes), **more
    )


def loop(subject: str, continuation: str, *quotes: Quote, **more: Any) -> Make:
    return lambda w: OpenLoop(
        subject=subject, continuation=continuation, citations=w.cite(*quotes), **more
    )


def loop_ended(about: int | str, outcome: Any, *quotes: Quote, **more: Any) -> Make:
    return lambda w: LoopOutcome(loop=about, outcome=outcome, citations=w.cite(*quotes), **more)


def consequence(effect: Any, bearer: Any, *quotes: Quote, **more: Any) -> Make:
    return lambda w: Consequence(effect=effect, bearer=bearer, citations=w.cite(*quotes), **more)


def reflection(about: int | str, words: str, *quotes: Quote, **more: Any) -> Make:
    return lambda w: Reflection(event=about, words=words, citations=w.cite(*quotes), **more)


def boundary(*quotes: Quote, signs: Any = ("turning",), **more: Any) -> Make:
    return lambda w: EpisodeBoundary(signs=signs, citations=w.cite(*quotes), **more)


def summed_up(words: str, *quotes: Quote, cites: tuple[int, ...] = (0,)) -> Make:
    """A summary of one sentence."""
    sentence = SummarySentence(words=words, cites=cites)
    return lambda w: EpisodeSummary(sentences=(sentence,), citations=w.cite(*quotes))


def mood(*quotes: Quote, party: Any = "user", **values: float) -> Make:
    return lambda w: Mood(party=party, felt=Felt(**values), citations=w.cite(*quotes))


def felt_in(mode: Any, *quotes: Quote) -> Make:
    """A mood that was not meant as the plain words would be."""
    return lambda w: Mood(
        party="user", felt=Felt(valence=-0.5), mode=mode, citations=w.cite(*quotes)
    )


class Try(NamedTuple):
    """What was said and what is proposed. The last proposal is the one that matters."""

    lines: tuple[str, ...]
    proposals: tuple[Make, ...]
    first: tuple[Make, ...] = ()
    at: str = THURSDAY


_numbers = count()


def all_worlds(path: Path) -> Store:
    """A store for many examples, each of which has a relationship of its own in it."""
    return fixed_store(path, now=datetime(2026, 12, 31, tzinfo=UTC))


def world(store: Store, case: Try) -> World:
    """The world of an example, before its proposals are made."""
    bond = store.relationship(f"lumi{next(_numbers)}", "chen")
    here = World(bond, datetime.fromisoformat(case.at))
    for line in case.lines:
        if line == BRANCH:
            here.branch()
        elif line == FIRST:
            assert all(one.verdict == "accepted" for one in here.propose(*case.first))
        else:
            here.say(line)
    here.settle()
    _erase(here, case.lines)
    return here


def _erase(here: World, lines: tuple[str, ...]) -> None:
    said = [line for line in lines if line not in (BRANCH, FIRST)]
    gone = [n for n, line in zip(here.texts, said, strict=True) if "(erased)" in line]
    if gone:
        with here.bond._stream.writing():
            here.bond._stream.destroy(gone)


class Example(NamedTuple):
    """Examples of one reason code, the same in other words or another language after the first."""

    refused: tuple[Try, ...]
    accepted: tuple[Try, ...]


THANKS = ("user: Thank you.",)
PARIS = ("user: I live in Paris.",)
BALI = ("user: 我住在巴黎。",)
LOAN = (
    "user: Lend me nothing, the interest!",
    "agent: It is low.",
    "user: Good morning! I dreamt of whales.",
)
CALL = ("user: Good night.", "agent: I will call you tomorrow.")
DIAN = ("user: 晚安。", "agent: 我明天给你打电话。")
CALLED = ("user: Good night.", "agent: I will call you.", "user: You did call me!")
RELEASED = (
    "user: Hm.",
    "agent: I will call you.",
    "user: You need not call.",
    "agent: I need not?",
)
HURT = ("user: Well?", "agent: You are boring.", "user: That hurt me.")
HARMED = (consequence("harm", "user", "You are boring", "That hurt me"),)
SWORD = "*draws a sword* (By the way, I really live in Paris.)"

EXAMPLES: dict[str, Example] = {
    "too_many_proposals": Example(
        refused=(Try(THANKS, (signal("Thank you"),) * 33),),
        accepted=(Try(THANKS, (signal("Thank you"),) * 32),),
    ),
    "text_unknown": Example(
        refused=(Try(THANKS, (signal(Citation(text=999, quote="Thank you")),)),),
        accepted=(Try(THANKS, (signal("Thank you"),)),),
    ),
    "text_erased": Example(
        refused=(
            Try(("user (erased): Thank you.",), (signal("Thank you"),)),
            Try(
                ("user: I live in Paris.", "user (erased): It has such art."),
                (reasoned("Paris", "I live in Paris", "the art", "It has such art"),),
            ),
        ),
        accepted=(Try(("user (erased): Hello.", "user: Thank you."), (signal("Thank you"),)),),
    ),
    "quote_not_found": Example(
        refused=(
            Try(THANKS, (signal("Thanks"),)),
            Try(THANKS, (signal("thank you"),)),
            Try(("user: 謝謝你。",), (signal("谢谢你"),)),
            Try(("user: Cafe\u0301, thank you.",), (signal("Caf\u00e9, thank you"),)),
        ),
        accepted=(
            Try(THANKS, (signal("Thank you"),)),
            Try(("user: 謝謝你。",), (signal("謝謝你"),)),
            Try(("user: 😀 Thank you.",), (signal(Citation(text=2, start=2, end=11)),)),
        ),
    ),
    "citations_apart": Example(
        refused=(
            Try(
                ("user: Hello.", "agent: Hi.", "user: I live in Paris.", BRANCH, "user: In Paris."),
                (belief("Paris", "I live in Paris", "In Paris"),),
            ),
            Try(
                ("user: Hi.", "agent: Hi.", "user: I live in Paris.", BRANCH, "user: I love art."),
                (reasoned("Paris", "I live in Paris", "loves art", "I love art"),),
            ),
        ),
        accepted=(
            Try(
                ("user: Hello.", "agent: Hi.", "user: I live in Paris.", "user: In Paris."),
                (belief("Paris", "I live in Paris", "In Paris"),),
            ),
        ),
    ),
    "text_hidden": Example(
        refused=(
            Try(("user (hidden): Thank you.",), (signal("Thank you"),)),
            Try(
                ("user: I live in Paris.", "user (hidden): It has such art."),
                (reasoned("Paris", "I live in Paris", "the art", "It has such art"),),
            ),
        ),
        accepted=(Try(THANKS, (signal("Thank you"),)),),
    ),
    "reference_unknown": Example(
        refused=(
            Try(CALLED, (ended(0, "kept", "You did call me"),)),
            Try(CALLED, (ended(4096, "kept", "You did call me"),)),
            Try((*THANKS, *CALLED), (signal("Thank you"), ended("@0", "kept", "You did call me"))),
            Try(
                CALLED,
                (
                    promise("call you", "I will call you"),
                    ended("@0", "replaced", "I will call you", replaced_by="@0"),
                ),
            ),
        ),
        accepted=(
            Try(
                CALLED,
                (promise("call you", "I will call you"), ended("@0", "kept", "You did call me")),
            ),
        ),
    ),
    "reference_not_accepted": Example(
        refused=(
            Try(
                CALLED,
                (
                    promise("marry you", "I will call you"),
                    ended("@0", "kept", "You did call me"),
                ),
            ),
            Try(CALLED, (ended("@0", "kept", "You did call me"),)),
            Try(CALLED, (ended("@7", "kept", "You did call me"),)),
        ),
        accepted=(
            Try(
                CALLED,
                (promise("call you", "I will call you"), ended("@0", "kept", "You did call me")),
            ),
        ),
    ),
    "not_in_earnest": Example(
        refused=(
            Try(PARIS, (belief("Paris", "I live in Paris", mode="fiction"),)),
            Try(PARIS, (belief("Paris", "I live in Paris", mode="hypothetical"),)),
            Try(CALL, (promise("call you", "I will call you", mode="joke"),)),
            Try(("user: 我是一条龙。",), (belief("龙", "我是一条龙", key="is", mode="fiction"),)),
            Try(("user: *weeps over his sword*",), (felt_in("fiction", "weeps"),)),
            Try(("user: 要是考砸了我会哭死。",), (felt_in("hypothetical", "我会哭死"),)),
            Try(("user: I wish I lived in Paris.",), (belief("Paris", "lived in Paris"),)),
            Try(("user: lol I'm 200 years old",), (belief("200", "I'm 200", key="age"),)),
            Try(("user: If only I lived in Paris!",), (belief("Paris", "I lived in Paris"),)),
            Try(("user: 要是我住在巴黎就好了。",), (belief("巴黎", "我住在巴黎"),)),
            Try(("user: 真希望我住在巴黎啊！",), (belief("巴黎", "我住在巴黎"),)),
            Try(("user: If I live in Paris, I pay more.",), (belief("Paris", "I live in Paris"),)),
            Try(("user: If I were rich I'd live in Bali.",), (belief("Bali", "live in Bali"),)),
            Try(("user: 如果我住在巴黎，会更贵。",), (belief("巴黎", "我住在巴黎"),)),
            Try(
                ("user: Hm.", "agent: I wish I could call you."), (promise("call you", "call you"),)
            ),
            Try(
                ("user: 嗯。", "agent: 要是能给你打电话就好了。"),
                (promise("打电话", "给你打电话"),),
            ),
            Try(
                (*CALL, "user: If only you had called me!"),
                (promise("call you", "I will call you"), ended("@0", "kept", "you had called me")),
            ),
            Try(
                ("user: (In the story) I killed the king.",),
                (belief("killed the king", "I killed the king", key="event"),),
            ),
            Try(("user: I live in Bali. Just kidding!",), (belief("Bali", "I live in Bali"),)),
            Try(("user: 我住在巴黎，开玩笑的。",), (belief("巴黎", "我住在巴黎"),)),
        ),
        accepted=(
            Try((f"user: {SWORD}",), (belief("Paris", "I really live in Paris"),)),
            Try(
                ("user: Hi.", "agent: Haha, I am 300 years old."),
                (belief("300", "I am 300 years old", key="age", subject="agent"),),
            ),
            Try(("user: lol I live in Paris",), (belief("Paris", "lol I live in Paris"),)),
            Try(
                ("user: I wish I lived in Rome, but I live in Paris.",),
                (belief("Paris", "I live in Paris"),),
            ),
            Try(("user: 要是住在罗马就好了，可是我住在巴黎。",), (belief("巴黎", "我住在巴黎"),)),
            Try(
                ("user: I wish I lived in Paris.",),
                (belief("lived in Paris", "I wish I lived in Paris", key="wish"),),
            ),
            Try(
                ("user: I wish you would call me Bo.",),
                (belief("Bo", "call me Bo", key="address_as", category="instruction"),),
            ),
            Try(
                (*CALL, "user: If only you had called me!"),
                (promise("call you", "I will call you"), ended("@0", "broken", "had called me")),
            ),
            Try(
                ("user: Hm.", "agent: If you cook, I will call you."),
                (promise("call you", "If you cook, I will call you", condition="you cook"),),
            ),
            Try(("user: *拔剑*（说真的，我住在巴黎。）",), (belief("巴黎", "我住在巴黎"),)),
        ),
    ),
    "only_reported": Example(
        refused=(
            Try(
                ("user: Tom says that he thanks you.",),
                (signal("Tom says that he thanks you", mode="reported"),),
            ),
            Try(("user: 汤姆说谢谢你。",), (signal("谢谢你", mode="reported"),)),
            Try(("user: They say I am sad.",), (felt_in("reported", "I am sad"),)),
        ),
        accepted=(
            Try(
                ("user: Tom lives in Paris, says Ann.",),
                (belief("Paris", "Tom lives in Paris", subject="Tom", mode="reported"),),
            ),
            Try(
                ("user: 听说汤姆住在巴黎。",),
                (belief("巴黎", "汤姆住在巴黎", subject="汤姆", mode="reported"),),
            ),
        ),
    ),
    "third_person": Example(
        refused=(
            Try(("other: Chen thanks you.",), (signal("Chen thanks you"),)),
            Try(("other: Lumi will call you.",), (promise("call you", "Lumi will call you"),)),
            Try(("other: 陈谢谢你。",), (signal("谢谢你"),)),
            Try(("other: Chen is worn out.",), (mood("worn out", fatigue=0.8),)),
        ),
        accepted=(
            Try(("other: Chen lives in Paris.",), (belief("Paris", "lives in Paris"),)),
            Try(("other: 陈住在巴黎。",), (belief("巴黎", "住在巴黎"),)),
        ),
    ),
    "not_the_subjects_words": Example(
        refused=(
            Try(
                ("user: Hm.", "agent: You live in Paris."), (belief("Paris", "You live in Paris"),)
            ),
            Try(("user: You like tea.",), (belief("tea", "You like tea", subject="agent"),)),
            Try(("user: 嗯。", "agent: 你住在巴黎。"), (belief("巴黎", "你住在巴黎"),)),
            Try(
                ("user: I live in Paris.", "agent: You love art."),
                (reasoned("Paris", "I live in Paris", "loves art", "You love art"),),
            ),
            Try(
                ("user: I live in Paris.", "agent: You still live there."),
                (belief("Paris", "I live in Paris"), confirmed("@0", "You still live there")),
            ),
            Try(
                ("user: I live in Paris.", "agent: You do not live there."),
                (belief("Paris", "I live in Paris"), retracted("@0", "You do not live there")),
            ),
            Try(("user: Hm.", "agent: You look tired."), (mood("You look tired", fatigue=0.7),)),
            Try(("user: 你很难过。",), (mood("你很难过", party="agent", valence=-0.6),)),
            Try(
                ("user: Hm.", "agent: Chen lives in Paris."),
                (belief("Paris", "Chen lives in Paris", subject="Chen"),),
            ),
            Try(
                ("user: Hm.", "agent: You look tired.", "user: I went home."),
                (mood("You look tired", "I went home", fatigue=0.7),),
            ),
        ),
        accepted=(
            Try(PARIS, (belief("Paris", "I live in Paris"),)),
            Try(
                ("user: Hm.", "agent: I like tea."), (belief("tea", "I like tea", subject="agent"),)
            ),
            Try(BALI, (belief("巴黎", "我住在巴黎"),)),
            Try(PARIS, (belief("Paris", "I live in Paris", subject="Chen"),)),
            Try(
                ("user: Hm.", "agent: You live in Paris?", "user: Yes."),
                (belief("Paris", "You live in Paris?", "Yes"),),
            ),
            Try(("user: I am worn out.",), (mood("worn out", fatigue=0.8),)),
            Try(("user: 嗯。", "agent: 我好开心！"), (mood("好开心", party="agent", valence=0.7),)),
            Try(
                ("user: Hm.", "agent: Are you tired?", "user: Yes."),
                (mood("Are you tired?", "Yes", fatigue=0.7),),
            ),
        ),
    ),
    "said_of_another": Example(
        refused=(
            Try(
                ("user: Greta told me she is vegetarian.",),
                (belief("vegetarian", "she is vegetarian", key="diet"),),
            ),
            Try(
                ("user: My brother is allergic to nuts.",),
                (belief("nuts", "My brother is allergic to nuts", key="allergy"),),
            ),
            Try(("user: 格蕾塔说她吃素。",), (belief("吃素", "她吃素", key="diet"),)),
            Try(("user: 我妈妈是医生。",), (belief("医生", "我妈妈是医生", key="job"),)),
            Try(
                ("user: Hm.", "agent: Does she live in Rome?", "user: Yes."),
                (belief("Rome", "Does she live in Rome?", "Yes", key="home_city"),),
            ),
            Try(
                ("user: Hm.", "agent: They live in Rome."),
                (belief("Rome", "They live in Rome", subject="agent", key="home_city"),),
            ),
            Try(
                ("user: My brother is furious.",),
                (mood("My brother is furious", valence=-0.6, arousal=0.9),),
            ),
            Try(("user: 我弟弟气疯了，我在上班。",), (mood("我弟弟气疯了", valence=-0.6),)),
            Try(("user: You look tired.",), (mood("You look tired", fatigue=0.7),)),
            Try(
                ("user: Hm.", "agent: My sister is so sad."),
                (mood("My sister is so sad", party="agent", valence=-0.6),),
            ),
            Try(("user: 他说“我气死了”",), (mood("我气死了", valence=-0.6),)),
            Try(("user: mum is so tired today",), (mood("mum is so tired today", fatigue=0.7),)),
            Try(("user: 老婆不高兴",), (mood("老婆不高兴", valence=-0.4),)),
            Try(("user: My boss is angry 😠",), (mood("My boss is angry 😠", valence=-0.6),)),
            Try(
                ("user: Hm.", "agent: She is tired."),
                (mood("She is tired", party="agent", fatigue=0.7),),
            ),
            Try(("user: 嗯。", "agent: 她很累。"), (mood("她很累", party="agent", fatigue=0.7),)),
        ),
        accepted=(
            Try(
                ("user: My sister says that I am too thin, but I am vegetarian.",),
                (belief("vegetarian", "I am vegetarian", key="diet"),),
            ),
            Try(
                ("user: My sister and I live in Rome.",),
                (belief("Rome", "My sister and I live in Rome", key="home_city"),),
            ),
            Try(("user: 她知道我吃素。",), (belief("吃素", "我吃素", key="diet"),)),
            Try(
                ("user: My wife is called Ann.",), (belief("Ann", "is called Ann", key="partner"),)
            ),
            Try(
                ("user: Hm.", "agent: Do you live in Rome?", "user: Yes."),
                (belief("Rome", "Do you live in Rome?", "Yes", key="home_city"),),
            ),
            Try(
                ("user: My brother is furious and so am I.",),
                (mood("My brother is furious and so am I", valence=-0.6),),
            ),
            Try(("user: My mum died.",), (mood("My mum died", valence=-0.8),)),
            Try(("user: 妈妈，我好累",), (mood("妈妈，我好累", fatigue=0.7),)),
            Try(("user: My boss is angry 😂",), (mood("My boss is angry 😂", valence=0.5),)),
            Try(
                ("user: Hm.", "agent: Mom is proud of you."),
                (mood("Mom is proud of you", party="agent", valence=0.7),),
            ),
            Try(
                ("user: Hm.", "agent: She puts the cup down. She is tired."),
                (mood("She is tired", party="agent", fatigue=0.7),),
            ),
            Try(("user: 他很生气我也不好受",), (mood("他很生气我也不好受", valence=-0.5),)),
            Try(
                ("user: Hm.", "agent: She smiles, happy to see Chen."),
                (mood("happy", party="agent", valence=0.6),),
            ),
            Try(
                ("user: Hm.", "agent: You look tired.", "user: Yes."),
                (mood("You look tired", "Yes", fatigue=0.7),),
            ),
        ),
    ),
    "not_the_actors_words": Example(
        refused=(
            Try(("user: Hm.", "agent: You thanked me."), (signal("You thanked me"),)),
            Try(("user: 嗯。", "agent: 你谢过我。"), (signal("你谢过我"),)),
        ),
        accepted=(
            Try(THANKS, (signal("Thank you"),)),
            Try(("user: 谢谢你。",), (signal("谢谢你"),)),
            Try(
                ("user: Hm.", "agent: You read my diary."),
                (signal("You read my diary", signal="boundary_violation"),),
            ),
        ),
    ),
    "not_the_promisers_words": Example(
        refused=(
            Try(("user: You promised to call me.",), (promise("call me", "promised to call me"),)),
            Try(("user: 你答应过给我打电话。",), (promise("打电话", "你答应过给我打电话"),)),
            Try(
                ("user: Hm.", "agent: You will call me."),
                (promise("call me", "You will call me", promiser="user"),),
            ),
        ),
        accepted=(
            Try(CALL, (promise("call you", "I will call you"),)),
            Try(DIAN, (promise("打电话", "我明天给你打电话"),)),
            Try(
                ("user: Will you call me?", "agent: Of course!"),
                (promise("call me", "Will you call me?", "Of course"),),
            ),
        ),
    ),
    "not_theirs_to_release": Example(
        refused=(
            Try(
                RELEASED,
                (promise("call you", "I will call you"), ended("@0", "released", "I need not?")),
            ),
            Try(
                RELEASED,
                (
                    promise("call you", "I will call you"),
                    promise("call you", "I will call you"),
                    ended("@0", "replaced", "You need not call", replaced_by="@1"),
                ),
            ),
        ),
        accepted=(
            Try(
                RELEASED,
                (
                    promise("call you", "I will call you"),
                    ended("@0", "released", "You need not call"),
                ),
            ),
        ),
    ),
    "no_reply_cited": Example(
        refused=(
            Try(HURT, (consequence("harm", "user", "That hurt me"),)),
            Try(HURT, (consequence("harm", "user", "You are boring"),)),
        ),
        accepted=(Try(HURT, (consequence("harm", "user", "You are boring", "That hurt me"),)),),
    ),
    "only_asked": Example(
        refused=(
            Try(("user: Do I live in Paris?",), (belief("Paris", "live in Paris"),)),
            Try(("user: 我住在巴黎吗？",), (belief("巴黎", "住在巴黎"),)),
            Try(
                ("user: Who told you that I live in Paris!",), (belief("Paris", "I live in Paris"),)
            ),
            Try(("user: Since when do I live in Paris.",), (belief("Paris", "live in Paris"),)),
            Try(("user: 谁说我住在巴黎了。",), (belief("巴黎", "我住在巴黎"),)),
            Try(("user: 难道我住在巴黎！",), (belief("巴黎", "我住在巴黎"),)),
            Try(
                ("user: Hm.", "agent: Who promised that I will call you!"),
                (promise("call you", "I will call you"),),
            ),
            Try(("user: 嗯。", "agent: 谁答应给你打电话了？"), (promise("打电话", "给你打电话"),)),
            Try(
                (*CALL, "user: Did you call me?"),
                (promise("call you", "I will call you"), ended("@0", "kept", "you call me")),
            ),
            Try(
                ("user: I live in Paris.", "agent: Do you?", "user: Do I still live there?"),
                (belief("Paris", "I live in Paris"), confirmed("@0", "I still live there")),
            ),
            Try(
                ("user: Is the exam on Monday?",), (loop("exam", "the exam", "the exam on Monday"),)
            ),
        ),
        accepted=(
            Try(("user: I live in Paris, don't I?",), (belief("Paris", "live in Paris"),)),
            Try(("user: 我住在巴黎。",), (belief("巴黎", "住在巴黎"),)),
        ),
    ),
    "self_caused": Example(
        refused=(
            Try(
                (
                    "user: Tom lives in Paris.",
                    FIRST,
                    "user: Hm.",
                    "agent (reminded): Tom does live in Paris.",
                ),
                (belief("Paris", "does live in Paris", subject="Tom"),),
                first=(belief("Paris", "Tom lives in Paris", subject="Tom"),),
            ),
            Try(
                ("user: 汤姆住在巴黎。", FIRST, "user: 嗯。", "agent (reminded): 汤姆就住在巴黎。"),
                (belief("巴黎", "就住在巴黎", subject="汤姆"),),
                first=(belief("巴黎", "汤姆住在巴黎", subject="汤姆"),),
            ),
            Try(
                ("user: Thank you.", FIRST, "user: Hm.", "agent (reminded): I remember that."),
                (signal("I remember that", signal="remembrance", actor="agent"),),
                first=(signal("Thank you"),),
            ),
            Try(
                ("user: Hm.", "agent: I am sad.", FIRST, "user: Oh?", "agent (reminded): So sad."),
                (mood("So sad", party="agent", valence=-0.6),),
                first=(mood("I am sad", party="agent", valence=-0.6),),
            ),
        ),
        accepted=(
            Try(
                ("user: Tom lives in Paris.", "agent: Tom does live in Paris."),
                (belief("Paris", "does live in Paris", subject="Tom"),),
            ),
            Try(
                ("user: Thank you.", FIRST, "user: Hm.", "agent (reminded): Tom lives in Paris."),
                (belief("Paris", "Tom lives in Paris", subject="Tom"),),
                first=(signal("Thank you"),),
            ),
            Try(
                ("user: I am sad.", FIRST, "user: Hm.", "agent (reminded): That makes me sad."),
                (mood("makes me sad", party="agent", valence=-0.5),),
                first=(mood("I am sad", valence=-0.6),),
            ),
        ),
    ),
    "not_first_person": Example(
        refused=(
            Try(HURT, (*HARMED, reflection("@0", "The agent hurt them.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "agent伤害了他们。", "You are boring"))),
        ),
        accepted=(
            Try(HURT, (*HARMED, reflection("@0", "I hurt them.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "我伤害了他们。", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "No agent of mine hurts.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "It hurt them.", "You are boring"))),
        ),
    ),
    "not_carried": Example(
        refused=(
            Try(("user: Hello.",), (belief("Paris", "Hello", key="married_in"),)),
            Try(("user: I steam rice.",), (belief("tea", "I steam rice", key="likes"),)),
            Try(("user: I am 35.",), (belief("3", "I am 35", key="age"),)),
            Try(("user: I was away.",), (belief("2026-03-01", "I was away", key="away_on"),)),
            Try(CALL, (promise("call Tom", "I will call you tomorrow"),)),
            Try(CALL, (promise("call you 3 times", "I will call you tomorrow"),)),
            Try(CALL, (promise("marry you", "I will call you tomorrow"),)),
            Try(("user: 你好。",), (belief("巴黎", "你好"),)),
            Try(("user: 嗯。", "agent: 我们去吃饭。"), (promise("我们结婚", "我们去吃饭"),)),
            Try(
                ("user: The exam is on Monday.",),
                (loop("exam", "meet Ann in Rome", "The exam is on Monday"),),
            ),
            Try(PARIS, (belief("   ", "I live in Paris"),)),
            Try(DIAN, (promise("给李雷打电话", "我明天给你打电话"),)),
            Try(DIAN, (promise("和小明打电话", "我明天给你打电话"),)),
            Try(DIAN, (promise("给约翰打电话", "我明天给你打电话"),)),
            Try(DIAN, (promise("给小雨打电话", "我明天给你打电话"),)),
            Try(("user: 我喜欢喝咖啡。",), (belief("tea", "我喜欢喝咖啡", key="likes"),)),
            Try(HURT, (*HARMED, reflection("@0", "I hurt Tom.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "I hurt them 3 times.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "On 2026-03-01 I hurt them.", "You are boring"))),
            Try(HURT, (*HARMED, reflection("@0", "我伤害了李雷。", "You are boring"))),
            Try(PARIS, (summed_up("They moved to Berlin.", "I live in Paris"),)),
            Try(PARIS, (summed_up("They live in Paris since 2019.", "I live in Paris"),)),
            Try(PARIS, (summed_up("They live in Paris, order A-17.", "I live in Paris"),)),
            Try(PARIS, (summed_up("On Monday they lived in Paris.", "I live in Paris"),)),
            Try(PARIS, (summed_up("They live in Paris.", "I live in Paris", cites=(3,)),)),
            Try(BALI, (summed_up("小明说住在巴黎。", "我住在巴黎"),)),
        ),
        accepted=(
            Try(PARIS, (belief("Paris", "I live in Paris"),)),
            Try(BALI, (belief("Paris", "我住在巴黎"),)),
            Try(("user: I am thirty-five.",), (belief("35", "I am thirty-five", key="age"),)),
            Try(("user: 我三十五岁。",), (belief("35", "我三十五岁", key="age"),)),
            Try(("user: Yesterday!",), (belief("2026-03-04", "Yesterday", key="away_on"),)),
            Try(("user: Since last year.",), (belief("2025", "last year", key="here_since"),)),
            Try(CALL, (promise("phone: call you", "I will call you tomorrow"),)),
            Try(DIAN, (promise("call you", "我明天给你打电话"),)),
            Try(CALL, (promise("call Chen", "I will call you tomorrow"),)),
            Try(
                ("user: 嗯。", "agent: 我明天给李雷打电话。"),
                (promise("给李雷打电话", "我明天给李雷打电话"),),
            ),
            Try(
                ("user: Hm.", "agent: 我明天给小明打电话。"),
                (promise("call Xiaoming", "我明天给小明打电话"),),
            ),
            Try(("user: 我喜欢喝咖啡。",), (belief("coffee", "我喜欢喝咖啡", key="likes"),)),
            Try(HURT, (*HARMED, reflection("@0", "I hurt Chen. Maybe I was cruel.", "boring"))),
            Try(
                ("user: Well?", "agent: No.", "user: Tom and I waited 3 hours today!"),
                (
                    consequence("harm", "user", "No.", "I waited 3 hours today"),
                    reflection("@0", "Tom waited three hours on 2026-03-05.", "No."),
                ),
            ),
            Try(
                ("user: The exam is on Monday.",),
                (loop("exam", "ask how it went", "The exam is on Monday"),),
            ),
            Try(PARIS, (summed_up("They live in Paris.", "I live in Paris"),)),
            Try(BALI, (summed_up("他住在巴黎。", "我住在巴黎"),)),
        ),
    ),
    "day_not_said": Example(
        refused=(
            Try(CALL, (promise("call you", "I will call you tomorrow", due="2026-03-07"),)),
            Try(DIAN, (promise("打电话", "我明天给你打电话", due="2026-03-07"),)),
            Try(PARIS, (belief("Paris", "I live in Paris", valid_from="2019"),)),
            Try(
                ("user: The exam is on Monday.",),
                (loop("exam", "ask", "The exam is on Monday", expected_by="2026-03-10"),),
            ),
        ),
        accepted=(
            Try(CALL, (promise("call you", "I will call you tomorrow", due="2026-03-06"),)),
            Try(DIAN, (promise("打电话", "我明天给你打电话", due="2026-03-06"),)),
            Try(
                ("user: I live in Paris since 2019.",),
                (belief("Paris", "I live in Paris since 2019", valid_from="2019"),),
            ),
            Try(
                ("user: The exam is on Monday.",),
                (loop("exam", "ask", "The exam is on Monday", expected_by="2026-03-09"),),
            ),
        ),
    ),
    "negation_disagrees": Example(
        refused=(
            Try(("user: I don't like tea.",), (belief("tea", "like tea", key="likes"),)),
            Try(("user: 我不喜欢茶。",), (belief("茶", "喜欢茶", key="likes"),)),
            Try(PARIS, (belief("Paris", "I live in Paris", polarity=False),)),
            Try(("user: Hm.", "agent: I won't call you."), (promise("call you", "call you"),)),
        ),
        accepted=(
            Try(
                ("user: I don't like tea.",),
                (belief("tea", "like tea", key="likes", polarity=False),),
            ),
            Try(("user: 我不是不喜欢茶。",), (belief("茶", "不是不喜欢茶", key="likes"),)),
            Try(PARIS, (belief("Paris", "I live in Paris"),)),
            Try(
                ("user: Hm.", "agent: I won't call you."),
                (promise("not call you", "I won't call you"),),
            ),
        ),
    ),
    "reason_not_found": Example(
        refused=(
            Try(PARIS, (reasoned("Paris", "I live in Paris", "loves art", "I live in Paris"),)),
            Try(BALI, (reasoned("巴黎", "我住在巴黎", "喜欢艺术", "我住在巴黎"),)),
            Try(
                ("user: I live in Paris because I don't like Rome.",),
                (reasoned("Paris", "I live in Paris", "likes Rome", "I don't like Rome"),),
            ),
        ),
        accepted=(
            Try(
                ("user: I live in Paris because I love art.",),
                (reasoned("Paris", "I live in Paris", "loves art", "because I love art"),),
            ),
            Try(
                ("user: 我住在巴黎，因为喜欢艺术。",),
                (reasoned("巴黎", "我住在巴黎", "喜欢艺术", "因为喜欢艺术"),),
            ),
        ),
    ),
    "no_turn_before": Example(
        refused=(
            Try(LOAN, (boundary("Good morning"),)),
            Try(LOAN, (boundary("Lend me nothing", "It is low"),)),
        ),
        accepted=(Try(LOAN, (boundary("It is low", "Good morning"),)),),
    ),
    "goes_on": Example(
        refused=(
            Try(
                ("user: My loan has a high interest.", "agent: Is it?", "user: My loan, oh."),
                (boundary("high interest", "My loan, oh"),),
            ),
            Try(
                ("user: 我的贷款利率很高。", "agent: 哦。", "user: 这笔贷款利率怎么办。"),
                (boundary("贷款利率很高", "这笔贷款利率怎么办"),),
            ),
        ),
        accepted=(
            Try(LOAN, (boundary("Lend me nothing", "Good morning"),)),
            Try(
                ("user: 我的贷款利率很高。", "agent: 哦。", "user: 早上好，我梦见了鲸鱼。"),
                (boundary("贷款利率很高", "我梦见了鲸鱼"),),
            ),
        ),
    ),
    "confidence_too_low": Example(
        refused=(
            Try(THANKS, (signal("Thank you", confidence=0.49),)),
            Try(THANKS, (signal("Thank you", confidence=0.0),)),
        ),
        accepted=(Try(THANKS, (signal("Thank you", confidence=0.7),)),),
    ),
    "confidence_low": Example(
        refused=(
            Try(THANKS, (signal("Thank you", confidence=0.69),)),
            Try(THANKS, (signal("Thank you", confidence=0.5),)),
        ),
        accepted=(Try(THANKS, (signal("Thank you", confidence=0.7),)),),
    ),
    "reply_overridden": Example(
        refused=(
            Try(
                ("user: Hm.", "agent (overridden): I will call you."),
                (promise("call you", "I will call you"),),
            ),
            Try(
                ("user: Hm.", "agent (overridden): You live in Paris?", "user: Yes."),
                (belief("Paris", "You live in Paris?", "Yes"),),
            ),
        ),
        accepted=(
            Try(("user: Thank you.", "agent (overridden): Hm."), (signal("Thank you"),)),
            Try(CALL, (promise("call you", "I will call you"),)),
        ),
    ),
    "reply_unreviewed": Example(
        refused=(
            Try(
                ("user: Hm.", "agent (unreviewed): I will call you."),
                (promise("call you", "I will call you"),),
            ),
        ),
        accepted=(Try(("user: Thank you.", "agent (unreviewed): Hm."), (signal("Thank you"),)),),
    ),
}
