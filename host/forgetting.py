"""Erasing, which cannot be undone; withdrawing can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from enishi.host.carrying import Carrying
from enishi.host.given import Numbered, moment_of_given, number_of
from enishi.kernel.erasing.erasure import (
    Asked,
    Part,
    ask,
    erase,
    erase_relationship,
    of_numbers,
    reached,
)
from enishi.kernel.erasing.plan import Plan, check_plan, copies_of, plan
from enishi.kernel.erasing.receipt import Receipt, receipt_of
from enishi.kernel.errors import InvalidInput
from enishi.kernel.events import ErasureReason
from enishi.kernel.lines import archive
from enishi.kernel.stream import Stream
from enishi.projections import reading


class Forgetting(Carrying):
    """How words of a relationship are destroyed for good."""

    def plan_erasure(
        self,
        *about: Numbered | int,
        through: Numbered | int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        belief: Numbered | int | None = None,
        matching: str | None = None,
        keep_effects: bool = False,
    ) -> Plan:
        """What erasing this would do: what goes, what stays, what returns, what says it again.

        Takes what `erase` takes, and changes nothing. `erase` carries the plan out.
        """
        with self._reading() as branch:
            asked = self._asked(
                branch, about, through, since, until, belief, matching, keep_effects
            )
            made = plan(self._stream, branch, asked, matching)
            returns = reading.beliefs_returning(
                self._stream, branch, made.numbers, keep_effects, self._store._now()
            )
        return replace(made, returns=returns)

    def erase(
        self,
        *about: Numbered | int | Plan,
        through: Numbered | int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        belief: Numbered | int | None = None,
        matching: str | None = None,
        keep_effects: bool = False,
        copies: bool = False,
        reason: ErasureReason = "request",
    ) -> Receipt:
        """Destroy words for good, with everything that rests on them; nothing brings them back.

        `about` are turns, texts, events or their numbers; with `through`, the turns from the one
        to the other. `since` and `until` (exclusive) take what was said in that time, on every
        branch. `belief` takes a belief and what speaks of it, not the texts under it. A text to
        look for (`matching`) is erased through its plan alone, which shows where it was found. A
        plan that is older than the log is ExpectationFailed.

        With `keep_effects` only what carries words goes, and what is content-free stays. With
        `copies`, the same words of the same scene go from other relationships as well.
        """
        planned = about[0] if len(about) == 1 and isinstance(about[0], Plan) else None
        if matching is not None:
            raise InvalidInput(
                "a text is looked for before it is erased: "
                "plan = bond.plan_erasure(matching=...), look at it, then bond.erase(plan)"
            )
        parts: list[Part] = []
        with self._writing() as branch:
            if planned is not None:
                asked = planned.asked
                check_plan(self._stream, planned)
            else:
                named = [one for one in about if not isinstance(one, Plan)]
                if len(named) < len(about):
                    raise InvalidInput("a plan is carried out alone")
                asked = self._asked(
                    branch, named, through, since, until, belief, None, keep_effects
                )
            elsewhere = self._copies_of(asked) if copies else []
            parts += erase(self._stream, asked, reason)
            for stream, numbers in elsewhere:
                with stream.writing():
                    there = of_numbers(stream, numbers, asked.keep_effects)
                    parts += erase(stream, there, reason)
        log = self._stream.log
        return receipt_of(log, parts, asked.scope, reason, asked.keep_effects)

    def erase_relationship(self, *, reason: ErasureReason = "request") -> Receipt:
        """Erase all of it for good, the names of the two included. They can begin a new one."""
        with self._stream.writing():
            parts = erase_relationship(self._stream, reason=reason)
        return receipt_of(self._stream.log, parts, "relationship", reason, False)

    def archive(self) -> None:
        """Take the relationship out of sight: `Store.relationships` leaves it out from now on.

        `restore()` brings it back.
        """
        with self._stream.writing():
            archive(self._stream.log, self.id, archived=True)

    def _bring_back(self) -> None:
        with self._stream.writing():
            line = self._stream.line.line
            if line not in {one.line for one in self._stream.log.lines(archived=True)}:
                raise InvalidInput(
                    "it is not archived; name at least one number that was withdrawn"
                )
            archive(self._stream.log, self.id, archived=False)

    def erased_then(self, *, at: datetime | None = None, as_lived: datetime | None = None) -> int:
        """How many records that an answer about then would rest on have been erased since."""
        with self._reading() as branch:
            return reading.erased_then(
                self._stream, branch, moment_of_given(at), moment_of_given(as_lived)
            )

    def _asked(
        self,
        branch: int,
        about: Sequence[Numbered | int],
        through: Numbered | int | None,
        since: datetime | None,
        until: datetime | None,
        belief: Numbered | int | None,
        matching: str | None,
        keep_effects: bool,
    ) -> Asked:
        return ask(
            self._stream,
            branch,
            [number_of(one) for one in about],
            through=None if through is None else number_of(through),
            since=moment_of_given(since),
            until=moment_of_given(until),
            belief=None if belief is None else number_of(belief),
            matching=matching,
            keep_effects=keep_effects,
        )

    def _copies_of(self, asked: Asked) -> list[tuple[Stream, tuple[int, ...]]]:
        found = []
        for copy in copies_of(self._stream, reached(self._stream, asked)):
            line = self._stream.log.line_of(copy.agent, copy.user)
            if line is not None:
                found.append((self._store._stream(line), copy.numbers))
        return found
