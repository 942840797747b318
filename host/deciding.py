"""Who proposes, what the kernel answers, and the last word of host and user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from enishi.host.bond import Bond
from enishi.host.given import Numbered, number_of, turn_number
from enishi.kernel.deciding.bounding import merge_episode, split_episode
from enishi.kernel.deciding.correcting import correct
from enishi.kernel.deciding.failing import Failed, failures
from enishi.kernel.deciding.proposals import Proposal, Proposer
from enishi.kernel.deciding.proposing import (
    Decided,
    Host,
    batch_decisions,
    decisions,
    erased_decisions,
    propose,
    propose_unread,
    record_batch,
    release,
    standing_texts,
)
from enishi.kernel.errors import InvalidInput
from enishi.kernel.rules import bundled_proposers


class Deciding(Bond):
    """How derived events come about in a relationship."""

    def propose(
        self,
        turn: Numbered | int | None,
        proposer: Proposer | Sequence[Proposal] | None = None,
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Decided]:
        """Let a proposer read a turn (None: every text it has not read) and record the decisions.

        Without one, all bundled rules read it: what moves the rapport, promises and statements, moods,
        where an episode begins. Asked again about the same texts, the same version of a proposer is answered from the log; of
        a turn of which nothing is left, with what was erased.
        A sequence of proposals is the host's own.
        """
        if proposer is None:
            each = [self.propose(turn, one, progress=progress) for one in bundled_proposers()]
            return [decided for decisions_of in each for decided in decisions_of]
        if not isinstance(proposer, Proposer):
            if not isinstance(proposer, Sequence) or not all(
                isinstance(one, Proposal) for one in proposer
            ):
                raise InvalidInput(
                    "a proposer, or a list of proposals such as Signal(...), is needed"
                )
            with self._writing() as branch:
                batch = record_batch(self._stream, branch, Host(), (), tuple(proposer))
                return batch_decisions(self._stream, batch)
        if turn is None:
            return propose_unread(self._stream, self._branch_now(), proposer, progress)
        with self._reading() as branch:
            texts = standing_texts(self._stream, branch, [number_of(turn)])
            if not texts:
                return erased_decisions(self._stream, proposer, number_of(turn))
        return propose(self._stream, branch, proposer, texts)

    def release(self, decision: Decided | int) -> int:
        """Let a held proposal have its effect after all. Returns the number of its event."""
        with self._writing() as branch:
            return release(self._stream, branch, number_of(decision))

    def correct(
        self, number: int, word: Literal["right", "wrong"] = "wrong", *, value: str | None = None
    ) -> list[int]:
        """The user's own word on a derived event: right, wrong, or (a belief) another value.

        Returns the numbers of what was recorded.
        """
        with self._writing() as branch:
            return correct(self._stream, branch, number_of(number), word, value)

    def decisions(self) -> list[Decided]:
        """All decisions, oldest first."""
        with self._stream.reading():
            return decisions(self._stream)

    def failures(self) -> list[Failed]:
        """Batches that failed and were not read since, oldest first; `propose` tries them again."""
        with self._stream.reading():
            return failures(self._stream)

    def split(self, turn: Numbered | int) -> int:
        """A new episode begins with this turn. Returns the number that `withdraw` takes back."""
        with self._writing() as branch:
            return split_episode(self._stream, branch, turn_number(turn))

    def merge(self, turn: Numbered | int) -> int:
        """The episode that begins with this turn goes on from the one before it.

        Returns the number that `withdraw` takes back.
        """
        with self._writing() as branch:
            return merge_episode(self._stream, branch, turn_number(turn))
