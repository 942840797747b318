"""Asking the projections: now, as of a moment, as lived, under other numbers, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, cast

from enishi.kernel.deciding.proposals import Party, Strength
from enishi.kernel.encoding import state_digest
from enishi.kernel.errors import InvalidInput
from enishi.kernel.explaining import Quote, quotes
from enishi.kernel.fold import (
    Event,
    Projection,
    Reason,
    State,
    fold_anew,
    fold_of,
    standing_events,
)
from enishi.kernel.history import History
from enishi.kernel.keeping import NAME, is_true, is_whole
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream
from enishi.kernel.verification import Problem, Verification
from enishi.projections import PROJECTIONS
from enishi.projections.beliefs import BELIEFS, BeliefView, answer_at, beliefs_at
from enishi.projections.mood import FEELINGS, MOOD, Feeling, MoodView, course, seen_last, state_by
from enishi.projections.policy import (
    DIMENSIONS,
    ONE,
    Policy,
    bundled_policy,
    read_bend,
    read_policy,
)
from enishi.projections.rapport import RAPPORT, rapport_under
from enishi.projections.tensions import TENSIONS, TensionView, tensions


@dataclass(frozen=True, slots=True)
class Rapport:
    """The agent's stance towards the user; each dimension runs from 0 to 1 in steps of 0.0001."""

    familiarity: float
    trust: float
    intimacy: float
    safety: float
    conflict_tension: float


@dataclass(frozen=True, slots=True)
class Change:
    """What one event did to a dimension: `change` and the `value` after it, and on what words."""

    number: int
    dimension: str
    change: float
    value: float
    signal: str
    actor: str
    happened: Moment | None
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class MoodChange:
    """What one observation did to one value of a party's mood, and on what words.

    `observed` is what was seen; `change` is against the moment before, `value` is what came of it.
    """

    number: int
    party: Party
    feeling: Feeling
    observed: float
    intensity: Strength
    scorer: str | None
    change: float
    value: float
    happened: Moment | None
    quotes: tuple[Quote, ...]


def rapport(stream: Stream, branch: int) -> Rapport:
    """Rapport now. Needs `stream.reading()`."""
    return _rapport(fold_of(stream, branch, RAPPORT).state()["values"])


def rapport_then(
    stream: Stream,
    branch: int,
    until: Moment | None,
    lived: Moment | None,
    policy: Policy | None,
) -> Rapport:
    """Rapport as of a moment, as lived, or under another policy. Needs `stream.reading()`."""
    standing = stream.standing(branch) if lived is None else _lived(stream, branch, lived)
    projection = RAPPORT if policy is None else rapport_under(policy)
    events = standing_events(stream, standing, projection, until)
    return _rapport(fold_anew(projection, events)["values"])


def rapport_changes(stream: Stream, branch: int, dimension: str | None = None) -> list[Change]:
    """What moved rapport, oldest first. Needs `stream.reading()`."""
    if dimension is not None and dimension not in DIMENSIONS:
        raise InvalidInput(
            f"rapport has no dimension {dimension!r}; there are: {', '.join(DIMENSIONS)}"
        )
    trace: list[Reason] = []
    fold_anew(RAPPORT, standing_events(stream, stream.standing(branch), RAPPORT), trace)
    wanted = [reason for reason in trace if dimension in (None, reason.key)]
    payloads = stream.payloads(sorted({reason.number for reason in wanted}))
    return [
        Change(
            number=reason.number,
            dimension=reason.key,
            change=reason.change / ONE,
            value=reason.value / ONE,
            signal=payloads[reason.number]["signal"],
            actor=payloads[reason.number]["actor"],
            happened=stream.history.moment(reason.number),
            quotes=quotes(stream, branch, payloads[reason.number]),
        )
        for reason in wanted
    ]


def mood_state(stream: Stream, branch: int, until: Moment | None) -> State:
    """Mood as seen by a moment, None: up to now. Needs `stream.reading()`."""
    state = fold_of(stream, branch, MOOD).state()
    if until is None or (seen_last(state) or until.at) <= until.at:
        return state
    return state_by(standing_events(stream, stream.standing(branch), MOOD), until)


def mood_course(
    stream: Stream, branch: int, party: Party, moments: Iterable[Moment]
) -> list[MoodView]:
    """The mood of a party at each of these moments, in their order. Needs `stream.reading()`."""
    return list(course(standing_events(stream, stream.standing(branch), MOOD), party, moments))


def mood_changes(stream: Stream, branch: int, feeling: Feeling | None = None) -> list[MoodChange]:
    """What was seen of the moods of both, by place. Needs `stream.reading()`."""
    if feeling is not None and feeling not in FEELINGS:
        raise InvalidInput(f"a mood has no {feeling!r}; there are: {', '.join(FEELINGS)}")
    trace: list[Reason] = []
    fold_anew(MOOD, standing_events(stream, stream.standing(branch), MOOD), trace)
    wanted = [reason for reason in trace if feeling in (None, reason.key)]
    payloads = stream.payloads(sorted({reason.number for reason in wanted}))
    return [
        MoodChange(
            number=reason.number,
            party=payloads[reason.number]["party"],
            feeling=cast(Feeling, reason.key),
            observed=payloads[reason.number][reason.key] / ONE,
            intensity=payloads[reason.number]["intensity"],
            scorer=payloads[reason.number].get("scorer"),
            change=reason.change / ONE,
            value=reason.value / ONE,
            happened=stream.history.moment(reason.number),
            quotes=quotes(stream, branch, payloads[reason.number]),
        )
        for reason in wanted
    ]


def state_then(stream: Stream, branch: int, projection: Projection, until: Moment | None) -> State:
    """The state of a projection now, or of what had happened by a moment. Needs `reading`."""
    if until is None:
        return fold_of(stream, branch, projection).state()
    return fold_anew(
        projection, standing_events(stream, stream.standing(branch), projection, until)
    )


def beliefs_then(
    stream: Stream, branch: int, at: Moment, subject: str | None, key: str | None
) -> list[BeliefView]:
    """The beliefs as they stand at a moment of the world. Needs `stream.reading()`.

    The last answer about each subject is kept while the same is told and no period begins or ends.
    """
    fold = fold_of(stream, branch, BELIEFS)
    state, place = fold.state(), ("answer", branch, subject)
    asked, answer = stream.kept.get(place, (None, None))
    if asked != (fold.running, subject, key) or not answer.since <= at.at < answer.until:
        answer = answer_at(state, at.at, subject, key)
        stream.kept[place] = (fold.running, subject, key), answer
    return list(answer.views)


def replayed_digest(stream: Stream, branch: int, projection: Projection) -> str:
    """The digest of a fold from zero. Needs `stream.reading()`."""
    return digest_of(projection, standing_events(stream, stream.standing(branch), projection))


def digest_of(projection: Projection, events: Iterator[Event]) -> str:
    """The digest of the state after these events, from zero."""
    state = fold_anew(projection, events)
    return state_digest(projection.name, projection.version, state)


def verify_checkpoints(stream: Stream, found: Verification) -> Verification:
    """Check each checkpoint against its own digest, and what is kept of a state against the log.

    Where nothing is kept of a projection, there is nothing to compare, and nothing is folded.
    """
    problems = list(found.problems)
    kept = set()
    with stream.log.reading():
        for checkpoint in stream.log.all_checkpoints(stream.line.line):
            kept.add(checkpoint[:2])
            place = f"the checkpoint of {checkpoint.projection} at turn {checkpoint.depth}"
            if not is_whole(stream.line, checkpoint):
                problems.append(Problem(None, f"{place} was changed; run: enishi rebuild"))
            elif checkpoint.projection == NAME and not is_true(stream.log, stream.line, checkpoint):
                # All that is folded goes by it: there is nothing that a replay could show.
                problem = Problem(None, f"{place} differs from the log; run: enishi rebuild")
                return replace(found, problems=(*problems, problem))
    with stream.reading():
        for branch, branch_name in stream.branch_names().items():
            for projection in PROJECTIONS:
                key = projection.name, projection.version
                if key not in kept and (*key, branch) not in stream.kept:
                    continue
                folded = fold_of(stream, branch, projection).digest()
                if folded != replayed_digest(stream, branch, projection):
                    place = f"the kept state of {projection.name} on branch {branch_name!r}"
                    problems.append(
                        Problem(None, f"{place} differs from a replay; run: enishi rebuild")
                    )
    return replace(found, problems=tuple(problems))


def policy_in_force(stream: Stream, branch: int) -> Policy:
    """The policy that the end of the branch is folded under. Needs `reading` or `writing`."""
    payload = _newest(stream, branch, "PolicyAdopted")
    if payload is None:
        return bundled_policy()
    return read_policy({"name": payload["name"], **payload["numbers"]})


def blueprint_json(stream: Stream, branch: int) -> str | None:
    """The JSON text of the card in force, or None. Needs `reading` or `writing`."""
    payload = _newest(stream, branch, "BlueprintAdopted")
    return None if payload is None else payload["card"]


def bend_of(fields: Mapping[str, Any]) -> dict[str, int]:
    """How a card bends the policy: `extensions.enishi.bend`, dimensions to factors 0.5 to 1.5."""
    extensions = fields.get("extensions")
    ours = extensions.get("enishi") if isinstance(extensions, Mapping) else None
    bend = ours.get("bend") if isinstance(ours, Mapping) else None
    return {} if bend is None else read_bend(bend)


def _newest(stream: Stream, branch: int, type_name: str) -> dict[str, Any] | None:
    """The payload of the event of a type that comes last on the path."""
    standing, history = stream.standing(branch), stream.history
    found = [n for n in history.all(type_name) if n in standing]
    if not found:
        return None
    return stream.payload(max(found, key=lambda n: (history.depth_of(history.turn[n]), n)))


def _lived(stream: Stream, branch: int, moment: Moment) -> Standing:
    """What stood at a moment of the log, less what has been erased since."""
    history = History()
    for headers in stream.log.placings(stream.line.line):
        lived = list(takewhile(lambda header: header.recorded <= moment.at, headers))
        history.extend(lived)
        if len(lived) < len(headers):
            break
    history.erased |= {number for number in stream.history.erased if number < len(history)}
    history.spared = stream.history.spared & history.erased
    history.tangled |= {history.turn[number] for number in history.erased}
    standing = Standing(history, branch if branch in history.branches else 0)
    if len(history):
        standing.catch_up()
    return standing


def erased_then(
    stream: Stream, branch: int, until: Moment | None = None, lived: Moment | None = None
) -> int:
    """How many records of the branch have been erased since, of those that an answer about then
    would rest on. Needs `reading`.
    """
    standing = stream.standing(branch) if lived is None else _lived(stream, branch, lived)
    history = standing.history
    return sum(
        standing.on_path(history.turn[number])
        and number not in history.acts
        and (until is None or history.at[number] <= until.at)
        for number in history.erased
    )


def tensions_then(stream: Stream, branch: int, until: Moment | None) -> list[TensionView]:
    """Every tension of what had happened by then, marked where its words were erased."""
    found = tensions(state_then(stream, branch, TENSIONS, until))
    erased = frozenset(stream.standing(branch).on_erased())
    numbers = {one.number: (one.number, *(step.number for step in one.steps)) for one in found}
    return [
        replace(one, on_erased=tuple(n for n in numbers[one.number] if n in erased))
        for one in found
    ]


def beliefs_returning(
    stream: Stream, branch: int, numbers: Sequence[int], keep_effects: bool, at: Moment
) -> tuple[int, ...]:
    """The beliefs that would be current if these records were erased, and are not now."""
    history = History()
    for headers in stream.log.placings(stream.line.line):
        history.extend(list(headers))
    history.spared |= set(numbers) - history.erased if keep_effects else set()
    history.erased |= set(numbers)
    history.tangled |= {history.turn[number] for number in numbers}
    standing = Standing(history, branch)
    standing.catch_up()
    now = fold_of(stream, branch, BELIEFS).state()
    then = fold_anew(BELIEFS, standing_events(stream, standing, BELIEFS))
    held = {one.number for one in beliefs_at(now, at) if one.status == "current"}
    hold = {one.number for one in beliefs_at(then, at) if one.status == "current"}
    return tuple(sorted(hold - held))


def _rapport(values: dict[str, int]) -> Rapport:
    return Rapport(**{name: value / ONE for name, value in values.items()})
