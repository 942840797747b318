"""Mood: how each party feels, at a moment, from -1 or 0 to 1 in four values.

What was seen pulls a value towards it, and with time it goes back to its baseline:

    new = λ·observed + (1 - λ)·(baseline + Σ left·2^(-Δt/h))

λ and the half-life h follow the intensity of what was seen. What is left of each intensity fades by
its own half-life, so that a passing word shortens no grief. The numbers are those of the policy.

- A turn is one moment, that of the latest words in it, whatever was read of them first: it weighs
  as its most intense observation, and what it shows is the weighted mean of all.
- Pleasure and displeasure are kept apart, and valence is their difference. A turn that shows both
  leaves both, and `mixed` tells how much of each there is; one that shows one of them takes the
  other back.
- A sentence that was read again by another scorer, or a model, counts as it was read last.

A state holds what was left when it was last felt, never what is left now: asking changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, get_args

from enishi.kernel.deciding.proposals import Party, Strength
from enishi.kernel.errors import InvalidInput
from enishi.kernel.fold import Event, Projection, Reason, State, fold_anew
from enishi.kernel.history import UNKNOWN_TIME
from enishi.kernel.moments import MINUTE, Moment, moment_of_plain, plain_moment
from enishi.projections.halving import WHOLE, halved
from enishi.projections.policy import ONE, bundled_policy, fits_mood

Feeling = Literal["valence", "arousal", "fatigue", "confidence"]
FEELINGS: tuple[Feeling, ...] = get_args(Feeling)
PARTIES: tuple[Party, ...] = get_args(Party)

READS = frozenset({"MoodObserved", "PolicyAdopted"})

_POLES = {"pleasure": 1, "displeasure": -1}
_KEPT = (*_POLES, "arousal", "fatigue", "confidence")
_INTENSITIES: tuple[Strength, ...] = get_args(Strength)


@dataclass(frozen=True, slots=True)
class Feelings:
    """Valence from -1 to 1, the others from 0 to 1, in steps of 0.0001."""

    valence: float
    arousal: float
    fatigue: float
    confidence: float


@dataclass(frozen=True, slots=True)
class MoodView:
    """How a party feels at a moment.

    `mixed`, from 0 to 1, is how much pleasure and displeasure there are at once; `baseline` is
    where everything goes back to. `observed` is when it was last seen, None where it never was.
    """

    party: Party
    at: Moment | None
    valence: float
    arousal: float
    fatigue: float
    confidence: float
    mixed: float
    baseline: Feelings
    observed: Moment | None


def _initial() -> State:
    numbers = bundled_policy().mood.model_dump()
    return {"policy": numbers, **{party: _rested() for party in PARTIES}}


def _rested() -> dict[str, Any]:
    kept: dict[str, Any] = {name: {"moment": [], "left": {}} for name in _KEPT}
    return {"kept": kept, "turn": None, "moment": [], "seen": {}}


def _apply(state: State, event: Event, trace: list[Reason] | None) -> None:
    if event.type == "MoodObserved":
        _observe(state, event, trace)
    elif event.type == "PolicyAdopted" and fits_mood(event.payload["numbers"].get("mood")):
        state["policy"] = event.payload["numbers"]["mood"]


MOOD = Projection("mood", 2, READS, _initial, _apply)
"""For each party, `kept` has what was left of each value before the turn in which something was
last seen: by intensity, as deviations from the baseline. `seen` is what that turn showed, by
sentence, and `moment` is when."""


def _observe(state: State, event: Event, trace: list[Reason] | None) -> None:
    party, payload, policy = state[event.payload["party"]], event.payload, state["policy"]
    if event.turn != party["turn"]:
        party["kept"] = _after(party, policy)
        party["turn"], party["seen"] = event.turn, {}
    moment = event.said or event.moment
    if moment and (not party["moment"] or party["moment"][0] < moment.at):
        party["moment"] = plain_moment(moment)
    before = None if trace is None else _values(party, policy, party["moment"])
    _see(party["seen"], payload)
    if trace is None or before is None:
        return
    after = _values(party, policy, party["moment"])
    for name in FEELINGS:
        if name in payload:
            change = after[name] - before[name]
            trace.append(Reason(event.number, name, change, after[name]))


def _see(seen: dict[str, Any], payload: dict[str, Any]) -> None:
    sentence = f"{payload['spans'][-1][0]}:{payload['sentence'][0]}"
    source = f"{payload.get('by', 'host')} {payload.get('scorer') or ''}"
    read = seen.get(sentence)
    if read is None or read["source"] != source:
        read = seen[sentence] = {"source": source, "felt": []}
    felt = {name: payload[name] for name in FEELINGS if payload.get(name) is not None}
    read["felt"].append([payload["intensity"], felt])


def _after(party: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """What is left of each value once the latest turn was felt."""
    kept = dict(party["kept"])
    for name, shown in _shown(party["seen"], policy["weight"]).items():
        left = _felt(kept[name], shown, _baseline(policy, name), party["moment"], policy)
        kept[name] = {"moment": party["moment"], "left": left}
    return kept


def _shown(seen: dict[str, Any], weights: dict[str, int]) -> dict[str, tuple[Strength, int]]:
    """What a turn showed of each value that it spoke of, and how intensely."""
    shown: dict[str, list[tuple[Strength, int]]] = {}
    for read in seen.values():
        for intensity, felt in read["felt"]:
            for name, value in felt.items():
                if name == "valence":
                    shown.setdefault("pleasure", []).append((intensity, max(0, value)))
                    shown.setdefault("displeasure", []).append((intensity, max(0, -value)))
                else:
                    shown.setdefault(name, []).append((intensity, value))
    return {name: _together(name, each, weights) for name, each in shown.items()}


def _felt(
    before: dict[str, Any],
    shown: tuple[Strength, int],
    baseline: int,
    moment: list[int],
    policy: dict[str, Any],
) -> dict[Strength, int]:
    """What is left of one value once this was shown, by intensity."""
    most, observed = shown
    weight = policy["weight"][most]
    left = _faded(before, moment, policy, ONE - weight)
    left[most] = left.get(most, 0) + _divide(weight * (observed - baseline), ONE)
    return left


def _together(
    name: str, shown: list[tuple[Strength, int]], weights: dict[str, int]
) -> tuple[Strength, int]:
    """The greatest intensity of what was shown in one turn, and the weighted mean of all of it.

    Joy and sorrow in one breath weigh and last alike, so that what is mixed stays mixed, and
    neither makes the other smaller.
    """
    if len(shown) == 1:
        return shown[0]
    most = max((intensity for intensity, _ in shown), key=_INTENSITIES.index)
    if name in _POLES:
        shown = [one for one in shown if one[1]] or shown
    weighed = sum(weights[intensity] * value for intensity, value in shown)
    return most, weighed // sum(weights[intensity] for intensity, _ in shown)


def _values(party: dict[str, Any], policy: dict[str, Any], moment: list[int]) -> dict[str, int]:
    """All values at a moment, in 1/10000."""
    now = {}
    for name, one in _after(party, policy).items():
        deviation = sum(_faded(one, moment, policy).values())
        now[name] = min(ONE, max(0, _baseline(policy, name) + deviation))
    pleasure, displeasure = now.pop("pleasure"), now.pop("displeasure")
    return {**now, "valence": pleasure - displeasure, "mixed": min(pleasure, displeasure)}


def _faded(
    kept: dict[str, Any], moment: list[int], policy: dict[str, Any], share: int = ONE
) -> dict[Strength, int]:
    """What is left at a moment of each intensity, or of a share of it."""
    since, half_lives = kept["moment"], policy["half_life"]
    elapsed = max(0, moment[0] - since[0]) if since and moment else 0
    faded = {}
    for intensity, size in kept["left"].items():
        power = halved(elapsed, half_lives[intensity] * MINUTE)
        if left := _divide(size * share * power, ONE * WHOLE):
            faded[intensity] = left
    return faded


def _baseline(policy: dict[str, Any], name: str) -> int:
    sign = _POLES.get(name)
    baseline: int = policy["baseline"]["valence" if sign else name]
    return max(0, sign * baseline) if sign else baseline


def _divide(number: int, by: int) -> int:
    """Integer division towards zero: what fades ends at its baseline, from either side."""
    return number // by if number >= 0 else -(-number // by)


def mood_at(state: State, party: Party, at: Moment | None) -> MoodView:
    """The mood of a party at a moment that is not before what was folded.

    None: at the last time that it was seen. Anybody else than the two is InvalidInput.
    """
    if party not in PARTIES:
        raise InvalidInput(f"{party!r} is no party; there are: {', '.join(PARTIES)}")
    about, policy = state[party], state["policy"]
    moment = plain_moment(at) if at else about["moment"]
    values = {name: value / ONE for name, value in _values(about, policy, moment).items()}
    baseline = Feelings(**{name: policy["baseline"][name] / ONE for name in FEELINGS})
    return MoodView(
        party=party,
        at=moment_of_plain(moment),
        baseline=baseline,
        observed=moment_of_plain(about["moment"]),
        **values,
    )


def seen_last(state: State) -> int | None:
    """When anything was last seen, in microseconds since 1970-01-01 UTC; None: at no known time."""
    known = [state[party]["moment"][0] for party in PARTIES if state[party]["moment"]]
    return max(known, default=None)


def state_by(events: Iterable[Event], until: Moment) -> State:
    """The state of what had been said by a moment."""
    return fold_anew(MOOD, (event for at, event in _timed(events) if at <= until.at))


def course(events: Iterable[Event], party: Party, moments: Iterable[Moment]) -> Iterator[MoodView]:
    """The mood of a party at each of these moments, which come in their order."""
    state, ahead = _initial(), deque(_timed(events))
    for moment in moments:
        while ahead and ahead[0][0] <= moment.at:
            _apply(state, ahead.popleft()[1], None)
        yield mood_at(state, party, moment)


def _timed(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """The events with when they were said, or the latest before; it never runs backwards."""
    latest = UNKNOWN_TIME
    for _, turn in groupby(events, key=lambda event: event.turn):
        timed = [(_said(event, latest), event) for event in turn]
        timed.sort(key=itemgetter(0))
        yield from timed
        latest = timed[-1][0]


def _said(event: Event, latest: int) -> int:
    moment = event.said or event.moment
    return latest if moment is None else max(moment.at, latest)
