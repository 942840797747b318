"""Where a relationship that was taken in from E.R.I.I. comes out otherwise than that program says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from enishi.kernel.fold import fold_of
from enishi.kernel.stream import Stream
from enishi.packs.erii import proposals as made
from enishi.packs.erii.reading import EriiPack, EventPart, reflections
from enishi.packs.erii.report import EriiReport, Taken
from enishi.projections.beliefs import BELIEFS, beliefs_at
from enishi.projections.policy import ONE
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.rapport import RAPPORT
from enishi.projections.tensions import TENSIONS, tensions


def differences(stream: Stream, pack: EriiPack, report: EriiReport, taken: Taken) -> list[str]:
    """One sentence for each thing that is not as the other program reports it, with the reason.

    It goes by what the pack holds: states, beliefs, promises, loops, tensions and reflections are
    folded from it as that program folds them. Needs `reading`.
    """
    branch = stream.branch_named(report.branch)
    reasons = {(one.what, one.id): one.reason for one in report.refused}
    state = fold_of(stream, branch, PROMISES).state()
    return [
        *_state(fold_of(stream, branch, RAPPORT).state(), pack, reasons),
        *_beliefs(fold_of(stream, branch, BELIEFS).state(), pack, reasons),
        *_told("promise", promises_at(state, None), pack, taken, reasons),
        *_told("loop", loops_at(state, None), pack, taken, reasons),
        *_tensions(fold_of(stream, branch, TENSIONS).state(), pack, taken, reasons),
        *_reflections(pack, taken, reasons),
    ]


Reasons = dict[tuple[str, str], str]


def _state(state: dict[str, Any], pack: EriiPack, reasons: Reasons) -> Iterator[str]:
    for name, theirs in pack.state().items():
        ours = state["values"][name]
        if ours == round(theirs * ONE):
            continue
        missing: dict[str, list[float]] = {}
        for event in pack.contents.relationship_events:
            reason = reasons.get(("signal", event.event_id))
            if reason and name in event.state_delta:
                missing.setdefault(reason, []).append(event.state_delta[name])
        why = [
            f"{len(deltas)} signals of {sum(deltas):+.4f} in all have no effect ({reason})"
            for reason, deltas in missing.items()
        ]
        rest = theirs - ours / ONE - sum(sum(deltas) for deltas in missing.values())
        if round(rest * ONE):
            why.append(f"{rest:+.4f} are due to limits, to policy and to who acted")
        yield f"{name} is {ours / ONE:.4f} here and {theirs:.4f} there: {'; '.join(why)}"


def _beliefs(state: dict[str, Any], pack: EriiPack, reasons: Reasons) -> Iterator[str]:
    relationship = pack.contents.relationship
    current = Counter(
        (view.subject, view.key, view.value)
        for view in beliefs_at(state)
        if view.status == "current"
    )
    for span in pack.beliefs():
        if span.until is not None:
            continue
        about = made.subject_and_key(span.key, relationship.agent_id, relationship.user_id)
        if not current[*about, made.shown_value(span.value)]:
            reason = reasons.get(("belief", f"{span.event}/{span.key}"), "something else holds")
            yield f"the belief {span.key} is held there and not here ({reason})"


def _told(
    what: str,
    views: Iterable[PromiseView | LoopView],
    pack: EriiPack,
    taken: Taken,
    reasons: Reasons,
) -> Iterator[str]:
    """Promises or loops: each as it ended, and as it is due."""
    ours = {number: view for view in views for number in (view.number, *view.retold)}
    payload_type = "promise" if what == "promise" else "open_loop"
    ends = made.PROMISE_ENDS if what == "promise" else made.LOOP_ENDS
    events = [one for one in pack.contents.relationship_events if one.temporal_payload]
    ended = {
        str(payload.get(f"{payload_type}_event_id")): (event, str(payload.get("resolution_kind")))
        for event in events
        if (payload := event.temporal_payload or {}).get("payload_type")
        == f"{payload_type}_resolution"
    }
    for event in events:
        payload = event.temporal_payload or {}
        if payload.get("payload_type") != payload_type:
            continue
        called = f"the {what} {event.event_id} ({event.content})"
        view = ours.get(taken.numbers.get((what, event.event_id), -1))
        if view is None:
            yield f"{called} is not here ({reasons.get((what, event.event_id), 'withdrawn')})"
            continue
        end, kind = ended.get(event.event_id, (None, "open"))
        theirs = ends.get(kind, kind)
        status = "open" if view.status == "waiting" else view.status
        if theirs != status:
            reason = (
                reasons.get(("end", end.event_id), "settled otherwise") if end else "ended here"
            )
            yield f"{called} is {status} here and {kind} there ({reason})"
        yield from _parties_and_days(called, event, view)


def _parties_and_days(called: str, event: EventPart, view: PromiseView | LoopView) -> Iterator[str]:
    if not isinstance(view, PromiseView):
        return
    payload = event.temporal_payload or {}
    parties = payload.get("responsible_parties")
    if isinstance(parties, list) and parties != [view.promiser]:
        yield f"{called} binds {view.promiser} here and {parties} there"
    due = payload.get("due_at")
    if isinstance(due, dict) and (view.due is None or view.due != made.calendar_day(due)):
        yield (
            f"{called} is due {view.due or 'on no day'} here and {due.get('display_value')!s} by the "
            f"clock {due.get('clock_id')!s} there: the words name no such day"
        )
    if payload.get("activation_condition") and view.condition is None:
        yield f"{called} has a condition there, and the words name none"


def _tensions(
    state: dict[str, Any], pack: EriiPack, taken: Taken, reasons: Reasons
) -> Iterator[str]:
    ours = {view.number: view.state for view in tensions(state)}
    theirs = {one.consequence_id: "unaddressed" for one in pack.contents.relationship_consequences}
    for link in pack.contents.narrative_tension_links:
        theirs[link.consequence_id] = link.outcome
    for one in pack.contents.relationship_consequences:
        number = taken.numbers.get(("consequence", one.consequence_id))
        called = f"the tension of {one.consequence_id} ({', '.join(one.effects)})"
        found, there = ours.get(number or -1), theirs[one.consequence_id]
        if number is None:
            yield f"{called} is not here ({reasons.get(('consequence', one.consequence_id))})"
        elif found is None:
            yield f"{called} is {there} there; such an effect opens none here"
        elif found != there:
            yield f"{called} is {found} here and {there} there"


def _reflections(pack: EriiPack, taken: Taken, reasons: Reasons) -> Iterator[str]:
    for one in reflections(pack.contents):
        if ("reflection", one.reflection_id) not in taken.numbers:
            reason = reasons.get(("reflection", one.reflection_id))
            yield f"the reflection {one.reflection_id} is not here ({reason})"
