"""Whole lives as plain data: from a seed, what happens to some relationships over some years.

An operation is a name, how many hours pass before it, which relationship it is about, places that
are taken modulo whatever is there by then, and words of its own. So any operations can be left out
of a plan and the others keep their meaning, which is how a failing plan is made small.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

SAID = (
    "Thank you, truly.",
    "You broke your promise.",
    "I am sorry, I was wrong.",
    "My sister Anna lives in Lisbon.",
    "I have an interview on Friday, remind me.",
    "今天很累，不想说话。",
    "我搬到了杭州。",
    "谢谢你一直在。",
    "你答应过我的，别忘了。",
    "Let us bake bread on Sunday.",
    "I am allergic to peanuts.",
    "早。",
    "我们一起看了第一场雪。",
    "Remember how we saw the first snow together, by the harbour?",
    "还记得吗，我们一起看过第一场雪。",
)
REPLIED = (
    "I promise to call you tomorrow.",
    "I am here.",
    "Leave me alone for a while.",
    "我会记得的。",
    "对不起，我不该那样说。",
    "I never want to hear that again.",
)

PAIRS = (("lumi", "chen"), ("lumi", "mei"), ("nova", "chen"))
"""The relationships of a life: two users of one agent, two agents of one user."""


class Operation(NamedTuple):
    """One thing that happens. `inner` is what happens within it: before a kill, on a full disk."""

    name: str
    pair: int
    hours: float
    places: tuple[int, ...]
    words: tuple[str, ...] = ()
    inner: tuple[Operation, ...] = ()


WEIGHTS = {
    "exchange": 20,
    "open_turn": 4,
    "say": 2,
    "reply": 3,
    "abandon": 1,
    "regenerate": 4,
    "swipe": 4,
    "edit": 4,
    "extend": 2,
    "choose_wording": 2,
    "undo": 1,
    "fork": 2,
    "switch": 3,
    "back": 2,
    "drop": 1,
    "withdraw": 3,
    "restore": 3,
    "propose": 14,
    "lie": 3,
    "answer_late": 3,
    "fail_to_propose": 1,
    "read_by_rules": 4,
    "release": 1,
    "correct": 2,
    "erase": 3,
    "erase_words": 2,
    "archive": 1,
    "adopt_policy": 1,
    "adopt_card": 1,
    "rename": 1,
    "bound": 2,
    "look": 3,
    "rebuild": 1,
    "there_and_back": 2,
    "again": 3,
    "carry": 2,
    "diverge": 1,
    "jump": 2,
    "reopen": 2,
}
FAULTS = {"kill": 5, "kill_at": 5, "cut": 6, "fill": 3, "read_only": 2}


def plan_of(seed: int, length: int) -> list[Operation]:
    """The operations of the life with this seed."""
    chance = Random(seed)
    return [_operation(chance, place, faults=True) for place in range(length)]


def _operation(chance: Random, place: int, faults: bool) -> Operation:
    names = WEIGHTS | (FAULTS if faults else {})
    (name,) = chance.choices(list(names), list(names.values()))
    hours = chance.choice([0.01, 0.05, 0.5, 3, 9, 20, 60, 24 * 30])
    words = tuple(
        f"{chance.choice(SAID if place % 2 else REPLIED)} zq{place}x{chance.getrandbits(40):010x}"
        for place in (1, 2)
    )
    inner: tuple[Operation, ...] = ()
    if name in ("kill", "kill_at", "fill"):
        count = chance.randrange(1, 7)
        inner = tuple(_operation(chance, place, faults=False) for _ in range(count))
    elif name == "answer_late":
        late = _operation(chance, place, faults=False)
        while late.name in ("answer_late", "reopen", "read_by_rules", "carry", "diverge"):
            late = _operation(chance, place, faults=False)
        inner = (late,)
    places = tuple(chance.getrandbits(16) for _ in range(4))
    pair = chance.choices(range(len(PAIRS)), [6, 3, 1])[0]
    return Operation(name, pair, hours, places, words, inner)


# A life that failed once, as a file


def written(seed: int, failed: str, plan: Sequence[Operation]) -> str:
    """A life as JSON, an operation a line: its seed, in which way it failed, its plan."""
    rows = ",\n".join(f"    {json.dumps(one, ensure_ascii=False)}" for one in plan)
    head = json.dumps({"seed": seed, "failed": failed}, ensure_ascii=False)[:-1]
    return f'{head}, "plan": [\n{rows}\n]}}\n'


def read(text: str) -> tuple[int, list[Operation]]:
    """The seed and the plan of a written life."""
    found = json.loads(text)
    return found["seed"], [_read(one) for one in found["plan"]]


def _read(row: list[Any]) -> Operation:
    name, pair, hours, places, words, inner = row
    return Operation(name, pair, hours, tuple(places), tuple(words), tuple(map(_read, inner)))
