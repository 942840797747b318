"""Recall: from a query to what should be remembered now, in the order in which time is spent on it.

What is pinned comes first and needs no search; then the running session; then what beliefs, promises
and texts say of the query; then the portrait and the last episodes, as far as there is room. When the
time is over, what was not reached says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Protocol

from enishi.kernel.explaining import Quote
from enishi.kernel.fold import State
from enishi.kernel.history import UNKNOWN_TIME
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Stream
from enishi.kernel.transcript import text_of
from enishi.projections.beliefs import BELIEFS, BeliefView, beliefs_at
from enishi.projections.chapters import linked_chapters
from enishi.projections.episodes import Episode, episodes_of
from enishi.projections.policy import ONE, RecallNumbers
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.reading import beliefs_then, policy_in_force, state_then
from enishi.projections.recall.budget import LABEL, Basket, estimate
from enishi.projections.recall.card import card_items
from enishi.projections.recall.corpus import Corpus, corpus_of
from enishi.projections.recall.evidence import Evidence
from enishi.projections.recall.following import around, behind
from enishi.projections.recall.gate import BEGINS, Gate
from enishi.projections.recall.hearing import Hearing
from enishi.projections.recall.held import held_item, search_held
from enishi.projections.recall.hinting import hint_for
from enishi.projections.recall.holding import (
    Seen,
    authority_of,
    authority_of_text,
    belief_item,
    is_said,
    open_promises,
    pinned_beliefs,
    promise_item,
    rival_of,
    said_of,
    seen_on,
    tension_items,
)
from enishi.projections.recall.index import Enough, Index, index_of
from enishi.projections.recall.items import (
    LAYERS,
    Authority,
    Because,
    Item,
    Kind,
    Layer,
    LeftOut,
    Reason,
    Recall,
    Rival,
    Score,
    Viewers,
)
from enishi.projections.recall.overtaken import Overtaken
from enishi.projections.recall.portrait import portrait_items
from enishi.projections.recall.questions import asks_when
from enishi.projections.recall.ranking import Marks, Sort, marks_of, scored, verdict
from enishi.projections.recall.rendering import (
    LANGUAGES,
    Counter,
    emptiness,
    frame_cost,
    hint_words,
    render,
)
from enishi.projections.recall.running import episode_items, session_items
from enishi.projections.recall.search import Found, Hit, Near, look_up, search_records, search_texts
from enishi.projections.recall.when import Span, asked_time
from enishi.projections.recall.windows import window
from enishi.projections.recall.words import split_query, undated
from enishi.projections.tensions import TENSIONS

TIMELY, DATED = 15_000, 30_000
"""What was said in a time that the query speaks of is so much more relevant, and where that is a date of
the calendar; where a time is asked for, what speaks of one is as the former. In 1/10000."""


class Meaning(Protocol):
    """A query as an embedder sees it: see `meaning.Asked`."""

    def missing(self, branch: int) -> tuple[int, int]:
        """How much on a branch has no vector yet, and how much one of another model."""

    def near(self, corpus: Corpus) -> Near | None:
        """How near everything is; None where that is not known."""


CANDIDATES = 4
"""So many times the items that are wanted are looked at more closely."""

_TIMED = 3
"""So many times the texts are looked at where a time raises some of them."""

_WIDER = 10
"""So many times the texts are looked at where all of the best ones only ask."""


@dataclass(slots=True)
class Query:
    """What is asked for. `until` is set where only what had happened by `at` may be known.

    `but` is the turn that is being answered: what it says is the question, and no evidence. With
    `until`, it was answered long ago, and what stands behind it is not known either.
    `audience` is who will see it; `mood` is the line on the user's mood in each language. `begins` is
    set where a session begins with that turn.
    """

    text: str
    at: Moment
    gate: Gate
    budget: int
    counter_name: str
    counter: Counter
    layers: Collection[Layer] = LAYERS
    items: int | None = None
    until: Moment | None = None
    but: int | None = None
    audience: Viewers = "agent"
    mood: dict[str, str] = field(default_factory=dict)
    begins: bool = False
    meaning: Meaning | None = None


def recall(
    stream: Stream,
    branch: int,
    query: Query,
    enough: Enough = lambda: False,
    indexed: Enough = lambda: False,
) -> Recall:
    """What to remember now. Needs `reading`; `keep_up` before it keeps the index up to date.

    `indexed` says whether no more time is to be spent on what the index still lacks.
    """
    asked = _Asking(stream, branch, query, enough, indexed)
    asked.answer()
    found = Recall(
        query=query.text,
        at=query.at,
        branch=stream.all_names()[branch],
        gate=query.gate,
        budget=query.budget,
        used=asked.basket.used,
        counter=query.counter_name,
        items=tuple(asked.basket.items),
        left_out=tuple(asked.basket.left_out),
        searched=tuple(asked.searched),
        unknown=asked.unknown,
        audience=query.audience,
        mood=asked.mood,
        hint=asked.hint,
    )
    frame = asked.basket.frame
    if not found.used and frame <= query.budget and (found.mood or found.hint or emptiness(found)):
        found = replace(found, used=frame)
    return found if query.counter is estimate else _within(found, query.counter)


def _within(found: Recall, counter: Counter) -> Recall:
    """The same with no more items than a counter allows to which lines count otherwise together."""
    items, left_out = list(found.items), list(found.left_out)
    while True:
        found = replace(found, items=tuple(items), left_out=tuple(left_out))
        tokens = max(counter(render(found, language)) for language in LANGUAGES)
        if tokens <= found.budget:
            return replace(found, used=max(tokens, found.used) if items else found.used)
        if not items:
            return replace(found, used=0, mood={}, hint=None)
        last = items.pop()
        left_out.append(LeftOut("over budget", last.layer, last.kind, last.number))


@dataclass(slots=True)
class _Ranked:
    """A candidate. It is made an item of when it is wanted; None where it does not fit at all."""

    layer: Layer
    kind: Kind
    number: int
    score: Score
    make: Callable[[], Item | None]
    tells: Callable[[], bool] = lambda: True
    alone: bool = False


@dataclass(slots=True)
class _Asking:
    """One recall as it goes on."""

    stream: Stream
    branch: int
    query: Query
    enough: Enough
    indexed: Enough
    numbers: RecallNumbers = field(init=False)
    seen: Seen = field(init=False)
    hearing: Hearing = field(init=False)
    basket: Basket = field(init=False)
    mood: dict[str, str] = field(init=False)
    hint: Item | None = field(init=False)
    marks: Marks = field(init=False)
    overtaken: Overtaken = field(init=False)
    searched: list[Layer] = field(default_factory=list)
    unknown: tuple[str, ...] = ()
    _told: set[int] = field(default_factory=set)
    _known: list[Episode] | None = None
    _before: list[Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.numbers = policy_in_force(self.stream, self.branch).recall
        self.seen = seen_on(self.stream, self.branch)
        self.hearing = Hearing(self.stream, self.query.audience)
        mood, hint = self.query.mood, self._hint()
        for self.mood, self.hint in ((mood, hint), (mood, None), ({}, None)):
            frame = frame_cost(self.mood, hint_words(self.hint), self.query.counter)
            if frame <= self.query.budget:
                break
        self.basket = Basket(self.query.budget, self.query.counter, frame)

    def _hint(self) -> Item | None:
        """What may be brought up where a session begins, if it is open to those who will see it."""
        if self.query.but is None or not self.query.begins:
            return None
        item = hint_for(self.seen, self.query.but, self.query.at)
        return item if item is not None and self.hearing.is_open(item) else None

    def answer(self) -> None:
        """Fill the basket, step by step."""
        self._step(("pinned",), self._pinned)
        searched: tuple[Layer, ...] = ("beliefs", "episodes", "blueprint")
        rest: list[tuple[tuple[Layer, ...], Callable[[], None]]] = [
            (("session",), self._session),
            (("episodes",), self._look_back),
            (searched, self._found),
            (("episodes",), self._following),
            (("portrait",), self._portrait),
        ]
        for layers, step in rest:
            if self.query.gate.open and (layers != searched or self.query.gate != BEGINS):
                self._step(layers, step)
            else:
                self._not_searched(layers)
        for item in self._before:
            self._take(item)
        self._erased()

    def _step(self, layers: tuple[Layer, ...], step: Callable[[], None]) -> None:
        wanted = tuple(layer for layer in layers if layer in self.query.layers)
        if not wanted:
            return
        if self.enough():
            self._not_searched(wanted)
            return
        step()
        self.searched += [layer for layer in wanted if layer not in self.searched]

    def _not_searched(self, layers: Iterable[Layer]) -> None:
        for layer in layers:
            left = LeftOut("not searched", layer)
            if layer in self.query.layers and left not in self.basket.left_out:
                self.basket.left_out.append(left)

    def _all_episodes(self) -> list[Episode]:
        """The episodes of the branch, of what had happened by then; asked for once."""
        if self._known is None:
            self._known = episodes_of(self.stream, self.branch)
            if self.query.until is not None:
                begun = partial(filter, self._is_early)
                cut = (replace(one, turns=list(begun(one.turns))) for one in self._known)
                self._known = [one for one in cut if one.turns]
        return self._known

    def _had_happened(self, number: int) -> bool:
        """Whether a record may be recalled: no later than what is asked about, and no part of the
        turn that is being answered."""
        return self._is_early(number) and self.stream.history.turn[number] != self.query.but

    def _is_early(self, number: int) -> bool:
        history, until, but = self.stream.history, self.query.until, self.query.but
        if until is None:
            return True
        # What happened in the same instant, or nobody knows when, may still stand behind that turn.
        behind = but is not None and history.depth_of(history.turn[number]) > history.depth_of(but)
        return not behind and history.at[number] <= until.at

    def _state(self, projection: Any) -> State:
        return state_then(self.stream, self.branch, projection, self.query.until)

    def _held_true(self, subject: str) -> list[BeliefView]:
        """The beliefs about somebody at the moment that is asked about."""
        if self.query.until is None:
            return beliefs_then(self.stream, self.branch, self.query.at, subject, None)
        return beliefs_at(self._state(BELIEFS), self.query.at, subject=subject)

    # What always holds

    def _pinned(self) -> None:
        at = self.query.at
        for item in pinned_beliefs(self._state(BELIEFS), at, self.seen, self._rivals):
            self._take(item)
        for items in (
            open_promises(self._state(PROMISES), at, self.seen),
            tension_items(self._state(TENSIONS), self.seen),
        ):
            for item in self._open(items)[: self.numbers.promises]:
                self._take(item)

    # What the query finds

    def _found(self) -> None:
        self.marks = marks_of(self.stream, self.branch)
        self.overtaken = Overtaken(self._state(BELIEFS), self._held_true)
        index = index_of(self.stream)
        missing = index.catch_up(self.indexed)
        corpus = corpus_of(self.stream, self.branch, index)
        corpus.catch_up()
        if missing:
            self.basket.left_out.append(LeftOut("not searched", "episodes", "text", count=missing))
            corpus.stale = 0
        near = self._near(corpus)
        split = split_query(self.query.text)
        at = self.stream.history.at
        span, rest = asked_time(
            self.query.text,
            self.query.at,
            lambda: [at[n] for n in corpus.numbers if at[n] != UNKNOWN_TIME],
        )
        if span is not None:
            others = split_query(rest, bare=False).words
            # Where nothing but a time was asked for, its words are not looked for.
            split = undated(split, others) if others else split_query("")
        ranked = self._by_words(look_up(corpus, index, split, near), span) if split.words else []
        if span is not None and not any(one.kind == "text" for one in ranked):
            ranked += self._then(corpus, index, span)
        best = sorted(ranked, key=lambda one: (-one.score.total, one.number))
        self._take_best(list(self._what_holds_first(best)), self._wanted)

    def _what_holds_first(self, best: list[_Ranked]) -> Iterator[_Ranked]:
        """The same order, but before a text that says what does not hold any more comes what holds."""
        beliefs = {one.number: one for one in best if one.kind == "belief"}
        given: set[int] = set()
        for place, one in enumerate(best):
            looked_at = one.kind == "text" and place < 2 * self._wanted
            for view in self.overtaken.since(one.number)[1] if looked_at else ():
                if view.number not in beliefs and self._may_see(view):
                    beliefs[view.number] = self._ranked_belief(view, one.score, "behind")
                if view.number in beliefs and view.number not in given:
                    given.add(view.number)
                    yield beliefs[view.number]
            if one.kind != "belief" or one.number not in given:
                given.add(one.number)
                yield one

    def _may_see(self, view: BeliefView) -> bool:
        return self.query.audience == "agent" or (
            is_said(view) and self.hearing.heard(_texts_of(view))
        )

    def _near(self, corpus: Corpus) -> Near | None:
        """How near everything is to the query in meaning, where there is an embedder; what it has no
        vector of, or no time for, is told."""
        meaning = self.query.meaning
        if meaning is None:
            return None
        missing, of_others = meaning.missing(self.branch)
        counts: dict[Reason, int] = {"not searched": missing, "other model": of_others}
        for reason, count in counts.items():
            if count > 0:
                self.basket.left_out.append(LeftOut(reason, "episodes", "vector", count=count))
        return meaning.near(corpus)

    def _by_words(self, found: Found, span: Span | None) -> list[_Ranked]:
        """What the words of the query find, in no order."""
        if "blueprint" in self.query.layers:
            self._cards(found)
        self.unknown = found.unknown
        alone = found.worth(found.unknown) * ONE >= found.mass * self.numbers.unknown
        if alone and found.near is None:
            return []
        index, corpus = found.corpus.index, found.corpus
        ranked: list[_Ranked] = []
        if "beliefs" in self.query.layers:
            ranked += self._beliefs(found, index)
            ranked += self._promises(found, index)
            ranked += self._held(found, index)
        if "episodes" in self.query.layers and self.enough():
            self._not_searched(("episodes",))
        elif "episodes" in self.query.layers:
            ranked += self._texts(found, corpus, index, max(20, CANDIDATES * self._wanted), span)
        return [one for one in ranked if one.alone] if alone else ranked

    @property
    def _wanted(self) -> int:
        """How many items the query may find."""
        return self.numbers.items if self.query.items is None else self.query.items

    def _then(self, corpus: Corpus, index: Index, span: Span) -> Iterator[_Ranked]:
        """What was said in a time that the query speaks of, what has most names and numbers first."""
        at = self.stream.history.at
        places = [
            place
            for place, number in enumerate(corpus.numbers)
            if span.start <= at[number] < span.end and self._had_happened(number)
        ]
        places.sort(key=lambda place: (-index.specificity(corpus.numbers[place]), place))
        for place in places[: CANDIDATES * max(1, self._wanted)]:
            hit = Hit(corpus.numbers[place], place, ONE, ONE, ())
            yield from self._said(hit, corpus, index, None)

    def _cards(self, found: Found) -> None:
        for item in card_items(self.seen, found, self.numbers):
            if self.basket.take(item):
                self._told.update(item.numbers)

    def _take_best(self, ranked: list[_Ranked], wanted: int) -> None:
        """Take as many as are wanted. What only asks comes along where something tells."""
        best = ranked[:wanted]
        telling = [one for one in best if one.tells()]
        if not telling:
            # What is asked again and again comes first, and hides nothing that was said of it.
            telling = list(islice((one for one in ranked[wanted:] if one.tells()), 1))
            ranked = [*telling, *(one for one in ranked if one not in telling)]
        if not telling:
            for one in ranked:
                self._leave(one, "only asked")
            return
        taken = 0
        for one in ranked:
            item = one.make() if taken < wanted else None
            if taken >= wanted:
                self._leave(one, "over count")
            elif item is None:
                self._leave(one, "over budget")
            elif self._take(item):
                taken += 1

    def _leave(self, one: _Ranked, reason: Reason) -> None:
        self.basket.left_out.append(LeftOut(reason, one.layer, one.kind, one.number))

    def _beliefs(self, found: Found, index: Index) -> Iterator[_Ranked]:
        state = self._state(BELIEFS)
        stated: dict[str, Any] = state["stated"]
        cited = {int(n): [span[0] for span in record["spans"]] for n, record in stated.items()}
        hits = search_records(found, index, cited, cited)[: CANDIDATES * 10]
        seen: set[int] = set()
        for hit in hits:
            record = stated[str(hit.number)]
            views = self.overtaken.beliefs(record["subject"], record["key"])
            first = record.get("same_as", hit.number)
            view = next((one for one in views if one.number in (hit.number, first)), None)
            if view is not None and view.number not in seen:
                seen.add(view.number)
                yield from self._belief(hit, view)

    def _belief(self, hit: Hit, view: BeliefView) -> Iterator[_Ranked]:
        score = scored(
            hit,
            "belief",
            index_of(self.stream).specificity(hit.number),
            authority_of(view),
            view.last_affirmed or view.since,
            self.query.at,
            self.marks,
            self.numbers,
        )
        one = self._ranked_belief(view, score, _why(hit), hit.alone)
        if view.status not in ("current", "future", "conflicting"):
            self._leave(one, "not current")
        elif self._is_hit(one, "belief") and self._is_open(one, _texts_of(view), is_said(view)):
            yield one

    def _ranked_belief(
        self, view: BeliefView, score: Score, because: Because, alone: bool = False
    ) -> _Ranked:
        return _Ranked(
            "beliefs", "belief", view.number, score,
            lambda: belief_item(view, self.seen, because, score, self._rivals(view)),
            alone=alone,
        )  # fmt: skip

    def _promise_views(self) -> list[PromiseView | LoopView]:
        state, at = self._state(PROMISES), self.query.at
        return [*promises_at(state, at), *loops_at(state, at)]

    def _promises(self, found: Found, index: Index) -> Iterator[_Ranked]:
        views = {one.number: one for one in self._promise_views()}
        cited = {number: [span[0] for span in view.spans] for number, view in views.items()}
        for hit in search_records(found, index, cited, cited)[: CANDIDATES * 10]:
            yield from self._promise(hit, views[hit.number], index)

    def _promise(self, hit: Hit, view: PromiseView | LoopView, index: Index) -> Iterator[_Ranked]:
        score = scored(
            hit,
            "promise",
            index.specificity(hit.number),
            "established",
            view.made,
            self.query.at,
            self.marks,
            self.numbers,
        )
        kind: Kind = "promise" if isinstance(view, PromiseView) else "loop"
        one = _Ranked(
            "beliefs", kind, view.number, score,
            lambda: promise_item(view, self.seen, _why(hit), score),
            alone=hit.alone,
        )  # fmt: skip
        if self._is_hit(one, "promise") and self._is_open(one, _texts_of(view)):
            yield one

    def _held(self, found: Found, index: Index) -> Iterator[_Ranked]:
        """What was proposed and is held back; it is for the agent alone."""
        for hit, held in search_held(self.seen, found, index, CANDIDATES * 10):
            if not all(self._had_happened(span[0]) for span in held.spans):
                continue
            happened = self.stream.history.moment(held.spans[-1][0]) if held.spans else None
            score = scored(
                hit, "belief", index.specificity(hit.number), "held", happened, self.query.at,
                self.marks, self.numbers,
            )  # fmt: skip
            one = _Ranked(
                "beliefs", held.kind, held.number, score,
                partial(held_item, held, self.seen, score),
            )  # fmt: skip
            if self._is_hit(one, "belief") and self._is_open(one, [], said=False):
                yield one

    def _texts(
        self, found: Found, corpus: Corpus, index: Index, most: int, span: Span | None
    ) -> Iterator[_Ranked]:
        at = self.stream.history.at
        evidence = Evidence(self.stream, corpus, tuple(found.weights))
        when = asks_when(self.query.text)
        if when or span is not None:
            most *= _TIMED
        hits = search_texts(found, most)
        if len(hits) == most and not any(map(evidence.tells, hits)):
            # Who asks the same again and again does not hide what was said of it.
            hits = search_texts(found, _WIDER * most)
        telling = evidence.telling_when(hits) if when else set()
        for hit in hits:
            if not self._had_happened(hit.number):
                continue
            if span is not None and span.start <= at[hit.number] < span.end:
                timely = DATED if span.dated else TIMELY
                relevance, share = (timely * one // ONE for one in (hit.relevance, hit.share))
                hit = hit._replace(relevance=relevance, share=share)
            if hit.number in telling:
                hit = hit._replace(relevance=TIMELY * hit.relevance // ONE)
            yield from self._said(hit, corpus, index, evidence)

    def _said(
        self, hit: Hit, corpus: Corpus, index: Index, evidence: Evidence | None
    ) -> Iterator[_Ranked]:
        authority: Authority = "established" if corpus.by_agent[hit.place] else "claimed"
        score = scored(
            hit,
            "text",
            index.specificity(hit.number),
            authority,
            self.stream.history.moment(hit.number),
            self.query.at,
            self.marks,
            self.numbers,
        )
        one = _Ranked(
            "episodes", "text", hit.number, score,
            lambda: self._text(hit, score, corpus), lambda: evidence is None or evidence.tells(hit),
            hit.alone,
        )  # fmt: skip
        if self._is_hit(one, "text") and self._is_open(one, [hit.number]):
            yield one

    def _text(self, hit: Hit, score: Score, corpus: Corpus) -> Item | None:
        """A found text as an item: whole, or the sentences of it in which the words stand."""
        text = text_of(self.stream, self.branch, hit.number)
        content = text.content or ""
        room = self.basket.room - LABEL
        span = window(content, hit.own, self.numbers.window, room, self.query.counter)
        if span is None:
            return None
        quote = Quote(hit.number, *span, content[slice(*span)], text.name, text.happened)
        return Item(
            numbers=(hit.number,),
            layer="episodes",
            kind="text",
            text=content[slice(*span)],
            because=_why(hit) if score.words or score.relevance != ONE else "time",
            happened=text.happened,
            speaker=text.name,
            answers=self._question(hit.place, corpus),
            rivals=self._rivals_of_text(hit.number),
            sources=(quote,),
            authority=authority_of_text(text),
            audience="user",
            cut=span != (0, len(content)),
            score=score,
        )

    def _question(self, place: int, corpus: Corpus) -> Quote | None:
        """The question right before a text, which an answer is hardly understood without."""
        before = place - 1
        if before < 0 or corpus.stretch[before] != corpus.stretch[place]:
            return None
        if not corpus.asking[before] or corpus.by_agent[before] == corpus.by_agent[place]:
            return None
        if not self.hearing.heard([corpus.numbers[before]]):
            return None
        text = text_of(self.stream, self.branch, corpus.numbers[before])
        words = text.content or ""
        if self.query.counter(words) > self.numbers.window // 2:
            return None
        return Quote(text.number, 0, len(words), words, text.name, text.happened)

    def _is_hit(self, one: _Ranked, sort: Sort) -> bool:
        found = verdict(one.score, sort, self.numbers)
        if found != "hit":
            self._leave(one, found)
        return found == "hit"

    def _is_open(self, one: _Ranked, texts: Collection[int], said: bool = True) -> bool:
        """Whether those who will see it may know of what was found: it takes no place otherwise."""
        is_open = self.query.audience == "agent" or (said and self.hearing.heard(texts))
        if not is_open:
            self._leave(one, "audience")
        return is_open

    def _open(self, items: Iterable[Item]) -> list[Item]:
        """Those of them that are open to those who will see it."""
        found = []
        for item in items:
            if self.hearing.is_open(item):
                found.append(item)
            else:
                self.basket.leave(item, "audience")
        return found

    def _rivals(self, view: BeliefView) -> tuple[Rival, ...]:
        """What contradicts a belief, or did until it was settled, as far as it is open."""
        numbers = {*view.possible_conflicts, *(view.resolved_from or ())} - {view.number}
        if not numbers:
            return ()
        beside = self._held_true(view.subject)
        return tuple(
            rival_of(view, other, self.seen)
            for other in beside
            if other.number in numbers and self._may_see(other)
        )

    def _rivals_of_text(self, text: int) -> tuple[Rival, ...]:
        """What a text says that does not hold any more, and what holds instead, as far as it is open."""
        gone, instead = self.overtaken.since(text)
        return tuple(said_of(view, self.seen) for view in (*gone, *instead) if self._may_see(view))

    # What is there in any case

    def _session(self) -> None:
        episodes = [] if self.query.begins else self._all_episodes()
        share = self.query.budget * self.numbers.session // ONE
        for item in session_items(self.seen, episodes[-1], self.query.but) if episodes else ():
            if not self._take(item, share):
                break
            share -= self.basket.items[-1].tokens

    def _look_back(self) -> None:
        """The last episodes in short: all of the recent ones, and where a query asked, the last one anyway.

        They are read before there is a search, for which the time may not suffice, and have what
        room it leaves them.
        """
        episodes = self._all_episodes()
        before = episodes if self.query.begins else episodes[:-1]
        always = self.query.gate != BEGINS
        self._before = list(
            episode_items(self.seen, before, self.query.at, self._had_happened, always)
        )

    def _following(self) -> None:
        """What stands behind what was found."""
        hits = [item for item in self.basket.items if item.score is not None]
        if hits:
            for item in behind(self.seen, hits, self._promise_views()):
                self._take(item)
            episodes = [] if self.enough() else self._all_episodes()
            for item in around(self.seen, hits, episodes, self._had_happened, self._told):
                self._take(item)

    def _portrait(self) -> None:
        share = self.query.budget * self.numbers.portrait // ONE
        now = self.query.until is None
        chapters = linked_chapters(self.stream, self.branch, self._all_episodes()) if now else []
        for item in portrait_items(
            self._held_true("user"), self.query.at, self.seen, self._rivals, chapters
        ):
            if self._take(item, share):
                share -= self.basket.items[-1].tokens

    def _erased(self) -> None:
        """What is gone is told by number alone."""
        history = self.stream.history
        gone = sum(
            self.stream.standing(self.branch).on_path(history.turn[n]) for n in history.erased
        )
        if gone:
            self.basket.left_out.append(LeftOut("erased", count=gone))
        withheld = len(self.stream.withheld() - history.erased)
        if withheld:
            self.basket.left_out.append(LeftOut("withheld", count=withheld))

    def _take(self, item: Item, share: int | None = None) -> bool:
        """Take an item, unless what it says is there already."""
        if self._told.issuperset(item.numbers):
            self.basket.leave(item, "repeated")
            return False
        if not self.hearing.is_open(item):
            self.basket.leave(item, "audience")
            return False
        if not self.basket.take(item, share):
            return False
        self._told.update(item.numbers)
        says = item.kind in ("belief", "promise", "loop") and item.authority != "held"
        if says and item.score is not None:
            self._told.update(quote.text for quote in item.sources)
        return True


def _why(hit: Hit) -> Because:
    return "meaning" if hit.alone and not hit.own else "words"


def _texts_of(view: BeliefView | PromiseView | LoopView) -> list[int]:
    return [span[0] for span in view.spans]
