"""Asking a relationship: what was said, the folds, why, and whether all of it is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from enishi.host.deciding import Deciding
from enishi.host.given import moment_of_given, number_of, policy_of
from enishi.kernel.deciding.proposals import Audience, Party
from enishi.kernel.deciding.proposing import Decided
from enishi.kernel.errors import NotFound
from enishi.kernel.explaining import Explanation, RecordView, explain, record_views
from enishi.kernel.fold import Projection, State, fold_of
from enishi.kernel.moments import Moment
from enishi.kernel.transcript import Summary, Text, TurnView, summary, text_of, turn_views
from enishi.kernel.verification import Verification, verify_line
from enishi.packs.chats.importing import last_import
from enishi.packs.showing.mood_line import mood_line
from enishi.projections import PROJECTIONS, reading
from enishi.projections.beliefs import BELIEFS, BeliefView, Staleness, stale, tellings
from enishi.projections.chapters import ChapterView, chapters
from enishi.projections.character import CHARACTER, ReflectionView, reflections
from enishi.projections.episodes import Episode, episodes_of
from enishi.projections.mood import Feeling, MoodView, mood_at
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.reading import Change, MoodChange, Rapport
from enishi.projections.recall.index import drop_index, verify_index
from enishi.projections.shortening import ShortTurn
from enishi.projections.telling import EpisodeView, episode_views, shortened_episode
from enishi.projections.tensions import TensionView
from enishi.projections.timeline import Timeline, timeline


class Asking(Deciding):
    """What can be asked of a relationship."""

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
            return text_of(self._stream, branch, number_of(number))

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
                numbers = None if policy is None else policy_of(policy)
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
        with self._reading() as branch:
            return reading.tensions_then(self._stream, branch, moment_of_given(at))

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
        wanted = len(found) if number is None else number_of(number)
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
        number = number_of(about)
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
        if not found.ok:
            return found
        found = reading.verify_checkpoints(self._stream, found)
        with self._stream.reading():
            index = verify_index(self._stream)
        return replace(found, problems=(*found.problems, *index)) if index else found
