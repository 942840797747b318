"""Recall: what to remember now, and what was made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from math import inf
from time import monotonic
from typing import NamedTuple

from enishi.host.asking import Asking
from enishi.host.given import BUDGET, Numbered, moment_of_given, turn_number
from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import Moment
from enishi.kernel.transcript import turn_view
from enishi.packs.showing.mood_line import mood_line
from enishi.projections import reading
from enishi.projections.beliefs import BELIEFS, beliefs_at
from enishi.projections.chapters import chapters
from enishi.projections.mood import mood_at
from enishi.projections.recall.budget import counter_of
from enishi.projections.recall.gate import BEGINS, SPOKEN_OF, Gate, gate
from enishi.projections.recall.hearing import viewers_in, viewers_of
from enishi.projections.recall.holding import known_names, seen_on
from enishi.projections.recall.index import keep_up
from enishi.projections.recall.items import ELSEWHERE, LAYERS, Item, Layer, Recall, Viewers
from enishi.projections.recall.occasion import (
    MAY_ASK,
    MAY_BEGIN,
    begins_session,
    is_spoken_of,
)
from enishi.projections.recall.portrait import portrait_items
from enishi.projections.recall.recalling import Query, recall
from enishi.projections.recall.rendering import LANGUAGES, Counter
from enishi.projections.recall.tracing import Trace, trace
from enishi.projections.recall.vectors import drop_vectors, kept

AT_ONCE = 256
"""So many texts without a vector a recall embeds at most; the others wait, or for `embed`."""


class Embedded(NamedTuple):
    """What vectors there are: the embedder's `model`, how many records are kept of which `models`, and
    how many on the branch are `missing`.
    """

    model: str
    models: dict[str, int]
    missing: int


class Remembering(Asking):
    """What a relationship remembers of something, for whom."""

    def recall(
        self,
        query: str,
        *,
        at: datetime | None = None,
        budget: int | None = None,
        within: float | None = None,
        items: int | None = None,
        layers: Collection[Layer] = ELSEWHERE,
        counter: Counter | str | None = None,
        audience: Audience | Collection[str] = "agent",
    ) -> Recall:
        """What is remembered of this: items with reasons and sources, and what was left out.

        `budget` is in tokens (800, if left out) by `counter`: a function, the name of an encoding of tiktoken, or (left
        out) an estimate on the safe side. After `within` milliseconds the rest is not searched.
        `items` is how many the query may find (five, if left out). `at`: of what had happened by
        then. `audience` is who will see it: the agent alone, `user`, or the ids of a group, of whom
        all must have heard what they are told. It changes nothing; see `Turn.recall` for what a
        reply is given.
        """
        asked = Gate(True, "asked for")
        viewers = viewers_of(audience)
        return self._recall(query, asked, at, budget, within, items, layers, counter, viewers)

    def _recall(
        self,
        query: str,
        answer: Gate,
        at: datetime | None,
        budget: int | None,
        within: float | None,
        items: int | None,
        layers: Collection[Layer],
        counter: Counter | str | None,
        viewers: Viewers,
        but: int | None = None,
    ) -> Recall:
        ends = None if within is None else monotonic() + within / 1000
        for what, given in (("budget", budget), ("items", items), ("within", within)):
            if given is not None and given < 0:
                raise InvalidInput(f"{what} is 0 or more, not {given}")
        name, count = counter_of(counter)
        until = moment_of_given(at)
        asked = Query(
            query,
            until or self._store._now(),
            answer,
            BUDGET if budget is None else budget,
            name,
            count,
            layers,
            items,
            until,
            but,
            viewers,
        )

        def enough() -> bool:
            return left() <= 0

        def half() -> bool:
            # The index takes as long as it takes: what is pinned does not wait for it.
            return within is not None and left() <= within / 2000

        def left() -> float:
            return inf if ends is None else ends - monotonic()

        may_ask = answer.rule in MAY_ASK and not enough()
        if answer.open or may_ask:
            keep_up(self._stream, half)
            embedder = self._store.embedder
            if embedder is not None:
                from enishi.projections.recall import meaning

                asked.meaning = meaning.asked(
                    self._stream, self._branch_now(), embedder, query, AT_ONCE, left
                )
        with self._reading() as branch:
            asked.begins = but is not None and begins_session(self._stream, branch, but)
            if may_ask and is_spoken_of(self._stream, branch, query, but, half):
                asked.gate = SPOKEN_OF
            elif asked.begins and answer.rule in MAY_BEGIN:
                asked.gate = BEGINS
            if viewers == "agent":
                asked.mood = self._mood_lines(branch, until)
            return recall(self._stream, branch, asked, enough, half)

    def embed(
        self, *, anew: bool = False, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Embedded:
        """Make and keep the vectors that this branch lacks.

        With `anew`, all that are there are dropped first, those of other models too, which recall
        does not compare. InvalidInput where the store was opened without an embedder; after
        EmbedderFailed what was made until then is kept.
        """
        embedder = self._store.embedder
        if embedder is None:
            raise InvalidInput(
                "this store was opened without an embedder: enishi.open(path, embedder=...)"
            )
        from enishi.projections.recall import meaning

        if anew:
            with self._stream.writing():
                drop_vectors(self._stream)
        branch = self._branch_now()
        missing = meaning.take_in(self._stream, branch, embedder, keep=True, progress=progress)
        with self._reading():
            return Embedded(embedder.model, kept(self._stream, embedder.model).models, missing)

    def _branch_now(self) -> int:
        with self._reading() as branch:
            return branch

    def _mood_lines(self, branch: int, until: Moment | None) -> dict[str, str]:
        """The line on the user's mood in each language, where it is away from its baseline."""
        state = reading.mood_state(self._stream, branch, until)
        view = mood_at(state, "user", until or self._store._now())
        lines = {language: mood_line(view, language) for language in LANGUAGES}
        return {language: line for language, line in lines.items() if line}

    def portrait(self, *, at: datetime | None = None) -> list[Item]:
        """Who the user is, as of a moment (now, if left out), in sentences that each have their sources.

        They rest on beliefs and, for now, on chapters: see `chapters`.
        """
        state, when = self._as_of(BELIEFS, at)
        with self._reading() as branch:
            threads = chapters(self._stream, branch) if at is None else []
            seen = seen_on(self._stream, branch)
            about = beliefs_at(state, when, subject="user")
            return portrait_items(about, when, seen, lambda view: (), threads)

    def recall_trace(self, turn: Numbered | int) -> Trace:
        """What is recalled for a turn, what its reply had been offered, and what it made use of."""
        number = turn_number(turn)
        with self._reading() as branch:
            traced = trace(self._stream, branch, number)
            names = known_names(self._stream, branch)
            viewers = viewers_in(self._stream, number)
            when = turn_view(self._stream, branch, number).happened
        found = self._recall(
            traced.query, gate(traced.query, names), when and when.to_datetime(),
            None, None, None, LAYERS, None, viewers, number,
        )  # fmt: skip
        return replace(traced, recalled=found.items)
