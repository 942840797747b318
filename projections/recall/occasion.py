"""What of the talk itself makes recall needed, where the words of a message alone do not say so.

The gate reads a message by itself. That it is the first one of a session, or that it asks for a thing
which was spoken of before, is known by the log alone: the one costs a look at a clock's record, the
other a look into the index, and neither is asked where the gate's rules have answered for good.
"""

from __future__ import annotations

import re

from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.projections.recall.corpus import NOWHERE, PAUSE, corpus_of
from enishi.projections.recall.index import Enough, index_of, unpacked
from enishi.projections.recall.questions import asks
from enishi.projections.recall.words import WHOLE, split_query

MAY_BEGIN = frozenset({"greeting", "nothing refers back"})
MAY_ASK = frozenset({"general question", "nothing refers back"})
"""The rules of the gate after which a session may begin, or something have been spoken of."""

_FEW, _SHARE = 3, 20
"""A word tells what is meant if it stands in no more than so many texts, or one of so many."""

_NAMED = re.compile(r"(?<=[a-z,;:&] )[A-Z][\w-]+|\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]+|(?<=《)[^《》]+")
"""What a message that asks nothing may name: within a sentence, with figures in it, in brackets."""


_ASKS = re.compile(
    r"^(?:and |so |but |then |well,? )?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"
    r"|谁|誰|什么|什麼|啥|哪|几|幾|多少|多久|多大|多[高长重远]|怎么|怎麼|怎样|如何|为何|是不是|还是|還是|有没有|有沒有|来着|來著",
    re.IGNORECASE,
)


def begins_session(stream: Stream, branch: int, turn: int) -> bool:
    """Whether a turn is the first one after a pause, and not the first of all. Needs `reading`."""
    return _begins(stream.standing(branch), stream.history.depth_of(turn))


def session_before(stream: Stream, branch: int, turn: int) -> Moment | None:
    """When the session before the one that a turn begins had begun; None while no time is known."""
    standing, first = stream.standing(branch), None
    for depth in range(stream.history.depth_of(turn) - 1, 0, -1):
        if standing.path[depth] in standing:
            first = depth
            if _begins(standing, depth):
                break
    return None if first is None else standing.began(first)


def _begins(standing: Standing, here: int) -> bool:
    for depth in range(here - 1, 0, -1):
        if standing.path[depth] in standing:
            last, now = standing.ended(depth), standing.began(here)
            return last is not None and now is not None and now.at - last.at > PAUSE
    return False


def is_spoken_of(
    stream: Stream, branch: int, words: str, but: int | None, enough: Enough = lambda: False
) -> bool:
    """Whether a question asks for something that was spoken of, or a message names it.

    Needs `reading`. `but` is the turn that is being answered. What the index lacks when there is
    `enough` is not looked at.
    """
    asked = words if asks(words) or _ASKS.search(words) else " ".join(_NAMED.findall(words))
    split = split_query(asked, bare=False).words
    wanted = [term for term, weight in split.items() if weight == WHOLE]
    if not wanted:
        return False
    index = index_of(stream)
    missing = index.catch_up(enough)
    corpus = corpus_of(stream, branch, index)
    corpus.catch_up()
    if missing:
        corpus.stale = 0
    turn, most = stream.history.turn, max(_FEW, len(corpus) // _SHARE)
    for postings in index.postings(wanted).values():
        places = 0
        for number, _ in unpacked(postings):
            if corpus.place[number] != NOWHERE and turn[number] != but:
                places += 1
                if places > most:
                    break
        if 0 < places <= most:
            return True
    return False
