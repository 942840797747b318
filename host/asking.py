"""Asking a relationship: proposals and decisions, the folds, recall, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from enishi.host.bond import Bond
from enishi.host.given import BUDGET, moment_of_given, number_of, turn_number
from enishi.kernel.deciding.bounding import merge_episode, split_episode
from enishi.kernel.deciding.correcting import correct
from enishi.kernel.deciding.proposals import Audience, Party, Proposal, Proposer
from enishi.kernel.deciding.proposing import (
    Decided,
    Host,
    batch_decisions,
    decisions,
    propose,
    propose_unread,
    record_batch,
    release,
    standing_texts,
)
from enishi.kernel.errors import InvalidInput, NotFound
from enishi.kernel.explaining import Explanation, RecordView, explain, record_views
from enishi.kernel.fold import Projection, State, fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.transcript import Summary, Text, TurnView, summary, text_of, turn_views
from enishi.kernel.verification import Verification, verify_line
from enishi.packs.importing import last_import
from enishi.packs.mood_line import mood_line
from enishi.projections import PROJECTIONS, reading
from enishi.projections.beliefs import BELIEFS, BeliefView, Staleness, stale, tellings
from enishi.projections.chapters import ChapterView, chapters
from enishi.projections.character import CHARACTER, ReflectionView, reflections
from enishi.projections.episodes import Episode, episodes_of
from enishi.projections.mood import Feeling, MoodView, mood_at
from enishi.projections.policy import bundled_policy, read_policy
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.reading import Change, MoodChange, Rapport
from enishi.projections.recall.budget import counter_of
from enishi.projections.recall.gate import Gate
from enishi.projections.recall.hearing import viewers_of
from enishi.projections.recall.holding import seen_on
from enishi.projections.recall.index import drop_index, keep_up
from enishi.projections.recall.items import ELSEWHERE, Item, Layer, Recall, Viewers
from enishi.projections.recall.portrait import portrait_items
from enishi.projections.recall.recalling import Query, recall
from enishi.projections.recall.rendering import LANGUAGES, Counter
from enishi.projections.recall.tracing import Trace, trace
from enishi.projections.shortening import ShortTurn
from enishi.projections.telling import EpisodeView, episode_views, shortened_episode
from enishi.projections.tensions import TENSIONS, TensionView, tensions
from enishi.projections.timeline import Timeline, timeline

if TYPE_CHECKING:
    from enishi.host.turn import Turn


class Asking(Bond):
    """What can be asked of a relationship, and who may propose."""

    # Proposals

    def propose(
        self,
        turn: Turn | int | None,
        proposer: Proposer | Sequence[Proposal],
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Decided]:
        """Let a proposer read a turn (None: every text it has not read) and record the decisions.

        Asked again about the same texts, the same version of a proposer is answered from the log.
        A sequence of proposals is the host's own.
        """
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
        return propose(self._stream, branch, proposer, texts)

    def release(self, decision: Decided | int) -> int:
        """Let a held proposal have its effect after all. Returns the number of its event."""
        number = decision if isinstance(decision, int) else decision.number
        with self._writing() as branch:
            return release(self._stream, branch, number)

    def correct(
        self, number: int, word: Literal["right", "wrong"] = "wrong", *, value: str | None = None
    ) -> list[int]:
        """The user's own word on a derived event: right, wrong, or (a belief) another value.

        Returns the numbers of what was recorded.
        """
        with self._writing() as branch:
            return correct(self._stream, branch, number, word, value)

    def decisions(self) -> list[Decided]:
        """All decisions, oldest first."""
        with self._stream.reading():
            return decisions(self._stream)

    # Reading

    def has_imported(self, title: str) -> bool:
        """Whether a chat file of this title was taken in."""
        with self._stream.reading():
            return last_import(self._stream, title) is not None

    def turns(self) -> list[TurnView]:
        """The turns of the branch, in order."""
        with self._reading() as branch:
            return list(turn_views(self._stream, branch))

    def records(self) -> list[RecordView]:
        """Every record of the relationship, oldest first, as seen from the branch."""
        with self._reading() as branch:
            return record_views(self._stream, branch)

    def text(self, number: int) -> Text:
        """A message or reply, by the number of any of its wordings."""
        with self._reading() as branch:
            return text_of(self._stream, branch, number)

    def summary(self) -> Summary:
        """The relationship at a glance."""
        with self._reading() as branch:
            return summary(self._stream, branch)

    def rapport(
        self,
        *,
        at: datetime | None = None,
        as_lived: datetime | None = None,
        policy: str | Mapping[str, Any] | None = None,
    ) -> Rapport:
        """The agent's stance towards the user, each dimension from 0 to 1.

        `at`: what stands now of what had happened by then. `as_lived`: as recorded by then, with
        the choices of then. `policy`: as it would be under other numbers, without keeping it.
        """
        until, lived = moment_of_given(at), moment_of_given(as_lived)
        with self._reading() as branch:
            if until is None and lived is None and policy is None:
                answer = reading.rapport(self._stream, branch)
            else:
                numbers = bundled_policy(policy) if isinstance(policy, str) else (
                    None if policy is None else read_policy(dict(policy))
                )  # fmt: skip
                answer = reading.rapport_then(self._stream, branch, until, lived, numbers)
        self._save_checkpoints(branch)
        return answer

    def mood(self, party: Party = "user", *, at: datetime | None = None) -> MoodView:
        """How a party feels at a moment (now, if left out), of what had been said by then."""
        until = moment_of_given(at)
        with self._reading() as branch:
            state = reading.mood_state(self._stream, branch, until)
            return mood_at(state, party, until or self._store._now())

    def moods(self, moments: Iterable[datetime], party: Party = "user") -> list[MoodView]:
        """How a party felt at each of these moments, earliest first: a curve to be drawn."""
        ordered = sorted(map(Moment.of, moments), key=lambda moment: moment.at)
        with self._reading() as branch:
            return reading.mood_course(self._stream, branch, party, ordered)

    def mood_line(
        self, language: str = "en", party: Party = "user", *, at: datetime | None = None
    ) -> str:
        """What a prompt says of a party's mood, in English or Chinese (en, zh).

        Empty where the mood is at its baseline: then nothing is to be said.
        """
        return mood_line(self.mood(party, at=at), language)

    def beliefs(
        self, *, at: datetime | None = None, subject: str | None = None, key: str | None = None
    ) -> list[BeliefView]:
        """What is held true about whom: all that was stated, each with its status at a moment.

        `at` is a moment of the world (valid time), now if left out. Those with the status
        `current` hold then.
        """
        when = self._store._now() if at is None else Moment.of(at)
        with self._reading() as branch:
            return reading.beliefs_then(self._stream, branch, when, subject, key)

    def tellings(self, belief: BeliefView | int) -> list[int]:
        """The numbers of all statements of a belief, each with words of its own."""
        with self._reading() as branch:
            state = fold_of(self._stream, branch, BELIEFS).state()
            return tellings(state, number_of(belief))

    def stale_beliefs(self, *, days: int = 30) -> Staleness:
        """Current beliefs that were neither told nor confirmed within so many days."""
        return stale(self.beliefs(), self._store._now(), days)

    def promises(self, *, at: datetime | None = None) -> list[PromiseView]:
        """Promises as of a moment (now, if left out): due and overdue are told for that moment."""
        return promises_at(*self._as_of(PROMISES, at))

    def loops(self, *, at: datetime | None = None) -> list[LoopView]:
        """Open loops as of a moment (now, if left out)."""
        return loops_at(*self._as_of(PROMISES, at))

    def tensions(self, *, at: datetime | None = None) -> list[TensionView]:
        """What replies have left between the two, and where each of it stands."""
        return tensions(self._as_of(TENSIONS, at)[0])

    def episodes(self, *, last: int | None = None) -> list[EpisodeView]:
        """The episodes of the branch, oldest first (the last so many, if given).

        Each has its original words, what was born in it, its closing mood and a short summary.
        """
        with self._reading() as branch:
            found = episodes_of(self._stream, branch)
            return episode_views(self._stream, branch, found if last is None else found[-last:])

    def episode(self, number: int) -> EpisodeView:
        """One episode by its number, counted from 1 along the path; or NotFound."""
        with self._reading() as branch:
            return episode_views(self._stream, branch, [self._episode(branch, number)])[0]

    def chapters(self) -> list[ChapterView]:
        """What runs through several episodes: promises, loops, tensions, named things."""
        with self._reading() as branch:
            return chapters(self._stream, branch)

    def timeline(self) -> Timeline:
        """Rapport, moods, episodes, tensions and promises of the branch on one axis, to be drawn."""
        with self._reading() as branch:
            return timeline(self._stream, branch)

    def split(self, turn: Turn | int) -> int:
        """A new episode begins with this turn. Returns the number that `withdraw` takes back."""
        with self._writing() as branch:
            return split_episode(self._stream, branch, turn_number(turn))

    def merge(self, turn: Turn | int) -> int:
        """The episode that begins with this turn goes on from the one before it.

        Returns the number that `withdraw` takes back.
        """
        with self._writing() as branch:
            return merge_episode(self._stream, branch, turn_number(turn))

    def shortened(self, number: int | None = None) -> list[ShortTurn]:
        """The turns of an episode (the running one, if left out) in their short form, for prompts.

        A sentence for each text; peaks, names and words referred to later stay word for word.
        """
        with self._reading() as branch:
            if number is None and not episodes_of(self._stream, branch):
                return []
            return shortened_episode(self._stream, branch, self._episode(branch, number))

    def _episode(self, branch: int, number: int | None) -> Episode:
        """An episode by its number; None: the running one."""
        found = episodes_of(self._stream, branch)
        wanted = len(found) if number is None else number
        if not 1 <= wanted <= len(found):
            raise NotFound(f"there is no episode {wanted}; the branch has {len(found)}")
        return found[wanted - 1]

    def reflections(self, audience: Audience = "agent") -> list[ReflectionView]:
        """The agent's own thoughts; for the user, only those that were meant for the user too."""
        return reflections(self._as_of(CHARACTER, None)[0], audience)

    def _as_of(self, projection: Projection, at: datetime | None) -> tuple[State, Moment]:
        until = moment_of_given(at)
        with self._reading() as branch:
            state = reading.state_then(self._stream, branch, projection, until)
        return state, until or self._store._now()

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
            return ends is not None and monotonic() >= ends

        if answer.open:
            keep_up(self._stream, enough)
        with self._reading() as branch:
            if viewers == "agent":
                asked.mood = self._mood_lines(branch, until)
            return recall(self._stream, branch, asked, enough)

    def _mood_lines(self, branch: int, until: Moment | None) -> dict[str, str]:
        """The line on the user's mood in each language, where it is away from its baseline."""
        state = reading.mood_state(self._stream, branch, until)
        view = mood_at(state, "user", until or self._store._now())
        lines = {language: mood_line(view, language) for language in LANGUAGES}
        return {language: line for language, line in lines.items() if line}

    def portrait(self, *, at: datetime | None = None) -> list[Item]:
        """Who the user is, as of a moment (now, if left out): sentences that each rest on a belief."""
        state, when = self._as_of(BELIEFS, at)
        with self._reading() as branch:
            return portrait_items(state, when, seen_on(self._stream, branch), lambda view: ())

    def recall_trace(self, turn: Turn | int) -> Trace:
        """What the reply of a turn had been offered, and what it made use of."""
        with self._reading() as branch:
            return trace(self._stream, branch, turn_number(turn))

    def why_rapport(self, dimension: str | None = None) -> list[Change]:
        """What moved a dimension of rapport (None: any), oldest first, with the quoted words."""
        with self._reading() as branch:
            return reading.rapport_changes(self._stream, branch, dimension)

    def why_mood(self, feeling: Feeling | None = None) -> list[MoodChange]:
        """What was seen of the moods of both, by place, with the quoted words."""
        with self._reading() as branch:
            return reading.mood_changes(self._stream, branch, feeling)

    def why(self, about: int | Decided | Text) -> Explanation:
        """Why an event, a decision or a text is there, and whether it counts on this branch."""
        number = about if isinstance(about, int) else about.number
        if isinstance(about, Decided) and about.event is not None:
            number = about.event
        with self._reading() as branch:
            return explain(self._stream, branch, number)

    def digests(self) -> dict[str, str]:
        """The digest of each projection on the branch: equal digests, equal state."""
        with self._reading() as branch:
            found = {p.name: fold_of(self._stream, branch, p).digest() for p in PROJECTIONS}
        self._save_checkpoints(branch)
        return found

    def replay(self) -> dict[str, str]:
        """The digests of a fold from zero that uses no cache."""
        with self._reading() as branch:
            return {p.name: reading.replayed_digest(self._stream, branch, p) for p in PROJECTIONS}

    def rebuild(self) -> dict[str, str]:
        """Drop checkpoints and indexes and make them anew from the log. Returns the digests."""
        with self._stream.log.writing():
            self._stream.log.drop_checkpoints(self._stream.line.line)
            self._stream.log.rebuild_requests(self._stream.line.line)
            drop_index(self._stream)
            self._stream.forget()
        return self.digests()

    def verify(
        self, *, tip: str | None = None, progress: Callable[[int], None] = lambda done: None
    ) -> Verification:
        """Check every byte, copy and index. `tip` is a hash that was noted earlier."""
        found = verify_line(self._stream.log, self._stream.line, expect=tip, progress=progress)
        return found if not found.ok else reading.verify_checkpoints(self._stream, found)
