"""A hint to ask how something went that was ahead when it was spoken of.

It follows from the log alone, so that asking again gives the same answer, and nothing is remembered
of having asked. A matter is brought up once: in the first session after the day by which it was
expected. It is not brought up where it has ended, nor where it was spoken of since, by whomever: that
may have closed it, whether or not a proposer has seen so.
"""

from __future__ import annotations

from enishi.kernel.moments import Moment
from enishi.kernel.transcript import turn_view
from enishi.projections.mood import mood_at
from enishi.projections.promises import PROMISES, LoopView, last_day, loops_at
from enishi.projections.reading import mood_state, state_then
from enishi.projections.recall.holding import Seen, promise_item
from enishi.projections.recall.index import index_of, unpacked
from enishi.projections.recall.items import Item
from enishi.projections.recall.occasion import session_before
from enishi.projections.recall.words import WHOLE, split_query

LATEST = 60
"""So many days after it was expected, a matter is past asking."""

LOW = -0.4
"""Who feels worse than this is asked nothing."""


BEHIND = 2_000
"""So many records that are not indexed yet are read for a hint, and no more."""


def hint_for(seen: Seen, turn: int, at: Moment) -> Item | None:
    """What the agent may bring up in the session that a turn begins, or None.

    That is the open loop whose day has passed since the session before began, the latest of several;
    and only where the user opens the session and does not feel too low. Needs `reading`.
    """
    stream, branch = seen.stream, seen.branch
    due = [
        (last, -loop.number, loop)
        for loop in loops_at(state_then(stream, branch, PROMISES, None), at)
        if loop.timing == "overdue" and (last := last_day(loop.expected_by)) is not None
        if at.day - last < LATEST
    ]
    before = session_before(stream, branch, turn) if due else None
    if before is None:
        return None
    due = [one for one in due if before.day <= one[0] and not _spoken_of_since(seen, one[-1])]
    if not due or all(one.role != "user" for one in turn_view(stream, branch, turn).messages):
        return None
    if mood_at(mood_state(stream, branch, None), "user", at).valence < LOW:
        return None
    return promise_item(max(due)[-1], seen, "loop")


def _spoken_of_since(seen: Seen, loop: LoopView) -> bool:
    """Whether a later turn than the one in which a loop was last told has words of its subject.

    Where the index is far behind, that is not known, and looking is not worth the time: yes, then.
    """
    stream, standing = seen.stream, seen.stream.standing(seen.branch)
    history, index = stream.history, index_of(stream)
    if index.catch_up(lambda: True) > BEHIND:
        return True
    index.catch_up()
    told = max(history.depth_of(history.turn[one]) for one in (loop.number, *loop.retold))
    subject = split_query(loop.subject).words
    for postings in index.postings(w for w, weight in subject.items() if weight == WHOLE).values():
        for number, _ in unpacked(postings):
            turn = history.turn[number]
            if number in standing and standing.on_path(turn) and history.depth_of(turn) > told:
                return True
    return False
