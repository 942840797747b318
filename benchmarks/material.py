"""What is recorded: chat-like texts in English and Chinese, the same in every run.

The words mean nothing. Their lengths follow what people write: short lines by the user, replies
four times as long, and now and then a very long one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import log
from random import Random
from typing import Literal, NamedTuple

from enishi.kernel.deciding.proposals import (
    Belief,
    Citation,
    Consequence,
    EpisodeBoundary,
    Felt,
    Mood,
    OpenLoop,
    Promise,
    Proposal,
    ReadText,
    Role,
    Signal,
    SignalKind,
    Strength,
)
from enishi.kernel.moments import Moment
from enishi.packs.chats.chat import Chat, ChatLine, Wording

_ENGLISH = (
    "the rain kept falling and nobody had brought an umbrella so we waited under a small roof "
    "until lights came back in every window across that narrow street where your brother once "
    "lived with two old cats who never liked me much but still came to say hello when I was sad "
    "today work felt endless again because she asked for another report before Friday evening"
)
_CHINESE = (
    "今天 下班 以后 我 一直 在想 你说的 那句话 其实 没有 那么 难过 只是 有点 累 雨 下得 很大 "
    "我们 在 屋檐下 等了 好久 你 记得 吗 那条 小路 旁边 的 猫 又 来了 明天 早上 要 开会 "
    "谢谢 你 愿意 听 我 说完 窗外 的 灯 一盏 一盏 亮起来 心里 慢慢 安静 了"
)

_BEGINNING = datetime(2020, 1, 6, 8, tzinfo=UTC)
_APART = timedelta(minutes=11)

_SHOWN_BY_USER: tuple[SignalKind, ...] = (
    "gratitude",
    "disclosure",
    "reliability",
    "disappointment",
    "repair",
)


class Exchange(NamedTuple):
    """What the user said, what the agent replied, and when."""

    said: str
    reply: str
    at: datetime


def exchanges(count: int, seed: int = 1) -> Iterator[Exchange]:
    """A chat of so many exchanges, English and Chinese in turns, over months."""
    random = Random(seed)
    for number in range(count):
        write, usual = (_english, 70) if number % 2 == 0 else (_chinese, 24)
        yield Exchange(
            write(random, _length(random, usual)),
            write(random, _length(random, 4 * usual)),
            _BEGINNING + number * _APART,
        )


def chat(count: int) -> Chat:
    """The same chat as a file that was read already."""
    lines: list[ChatLine] = []
    for said, reply, at in exchanges(count):
        lines.append(_line(len(lines) + 1, "user", "Chen", said, at))
        lines.append(_line(len(lines) + 1, "agent", "Lumi", reply, at))
    return Chat("benchmark", "benchmark", None, "Lumi", "Chen", False, tuple(lines), ())


class EverySecond:
    """A proposer that finds a signal in every second thing the user says, and one in replies."""

    name = "every-second"
    version = "1"

    def __init__(self) -> None:
        self._asked = 0

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """One signal, about the user's words or (every eighth time) about the agent's."""
        self._asked += 1
        if self._asked % 2:
            return []
        if self._asked % 8 == 0:
            return [_signal(texts[-1], "support", "agent")]
        kind = _SHOWN_BY_USER[self._asked // 2 % len(_SHOWN_BY_USER)]
        return [_signal(texts[0], kind, "user")]


class EverySecondMood:
    """A proposer that finds how the user feels in every second thing it says."""

    name = "every-second-mood"
    version = "1"

    def __init__(self) -> None:
        self._asked = 0

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """All four values, now up and now down, of each intensity in turn."""
        self._asked += 1
        if self._asked % 2:
            return []
        return [_mood(texts[0], self._asked // 2)]


class EveryKind:
    """A proposer that finds something in every second turn, of one kind after the other, so that
    every projection has something to fold; and an episode in every fiftieth.
    """

    name = "every-kind"
    version = "1"

    def __init__(self) -> None:
        self._asked = 0
        self._before: list[ReadText] = []

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """Signals and moods more often than beliefs, loops, promises and consequences."""
        self._asked += 1
        said, reply, before = texts[0], texts[-1], self._before
        self._before = texts
        if self._asked % 50 == 0:
            cited = (_cited(before[-1]), _cited(said))
            return [EpisodeBoundary(signs=("gap",), citations=cited)]
        if self._asked % 2:
            return []
        step = self._asked // 2
        match step % 10:
            case 1 | 5:
                return [_mood(said, step)]
            case 3:
                key, value = f"topic_{step % 40}", _opening(said)
                return [Belief(subject="user", key=key, value=value, citations=(_cited(said),))]
            case 7:
                words = _opening(said)
                return [OpenLoop(subject=words, continuation=words, citations=(_cited(said),))]
            case 9 if step % 3 == 0:
                return [Promise(promiser="agent", act=_opening(reply), citations=(_cited(reply),))]
            case 9 if step % 3 == 1:
                cited = (_cited(before[-1]), _cited(said))
                return [Consequence(effect="comfort", bearer="user", citations=cited)]
            case _:
                kind = _SHOWN_BY_USER[step % len(_SHOWN_BY_USER)]
                return [_signal(said, kind, "user")]


def _line(position: int, role: Role, name: str, text: str, at: datetime) -> ChatLine:
    return ChatLine(position, role, name, name, (Wording(text, Moment.of(at)),), 0, False)


def _opening(text: ReadText) -> str:
    return text.content[:12]


def _cited(text: ReadText) -> Citation:
    quote = _opening(text)
    return Citation(text=text.number, start=0, end=len(quote), quote=quote)


def _signal(text: ReadText, kind: SignalKind, actor: Literal["user", "agent"]) -> Signal:
    return Signal(signal=kind, actor=actor, citations=(_cited(text),))


def _mood(text: ReadText, step: int) -> Mood:
    felt = Felt(
        valence=(step % 21 - 10) / 10,
        arousal=step % 11 / 10,
        fatigue=step % 7 / 7,
        confidence=step % 5 / 5,
    )
    intensity: Strength = ("weak", "moderate", "strong")[step % 3]
    citation = Citation(text=text.number, start=0, end=2)
    return Mood(party="user", felt=felt, intensity=intensity, citations=(citation,))


def _length(random: Random, usual: int) -> int:
    """Lognormal, as lengths of messages are: half below `usual`, a few far above."""
    return min(int(random.lognormvariate(log(usual), 0.7)), 8000)


def _english(random: Random, length: int) -> str:
    words, text = _ENGLISH.split(), ""
    while len(text) < length:
        sentence = " ".join(random.choices(words, k=random.randint(4, 14)))
        text += sentence.capitalize() + random.choice("...?!") + " "
    return text.strip()


def _chinese(random: Random, length: int) -> str:
    words, text = _CHINESE.split(), ""
    while len(text) < length:
        text += "".join(random.choices(words, k=random.randint(3, 9))) + random.choice("。。,?!")
    return text
