"""Taking in a pack of E.R.I.I.: its turns as turns, and what it asserts as proposals by `import`.

Our rules judge each proposal on the words that the pack cites; what they refuse, and what cites no
words, is reported and has no effect. Every item is known by its id in the pack, so a pack that is
taken in again adds nothing, and one that has grown adds the rest. One pack is one transaction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from enishi.kernel import recording
from enishi.kernel.deciding.proposals import Proposal, ReadText
from enishi.kernel.deciding.proposing import judge, propose
from enishi.kernel.errors import Conflict
from enishi.kernel.events import payload_of
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Draft, Stream
from enishi.packs.chats.importing import last_import
from enishi.packs.erii import proposals as made
from enishi.packs.erii.reading import Cited, EriiPack, EventPart, reflections
from enishi.packs.erii.report import EriiReport, Refused, Taken
from enishi.packs.erii.turns import Turns
from enishi.projections.policy import DIMENSIONS, ONE, bundled_policy, fits_rapport

FORMAT = "erii"


def import_erii(stream: Stream, pack: EriiPack, zone: ZoneInfo) -> tuple[EriiReport, Taken]:
    """Take a pack into a relationship, whole or not at all."""
    with stream.writing():
        return _Import(stream, pack, zone).run()


class _Item(NamedTuple):
    """One item of the pack as a proposer of its own: its id is the version, so it is asked once."""

    version: str
    make: Callable[[], list[Proposal]]
    name: str = FORMAT
    by: str = "import"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """The pack has read the texts already."""
        return self.make()


class _Import:
    """One pack on its way into one relationship."""

    def __init__(self, stream: Stream, pack: EriiPack, zone: ZoneInfo) -> None:
        self.stream, self.pack, self.zone = stream, pack, zone
        self.title = f"{FORMAT} {pack.id}"
        self.branch = stream.history.current
        self.taken = Taken()
        self.left_out: Counter[str] = Counter()
        self.report = EriiReport(
            self.title,
            stream.line.agent,
            stream.line.user,
            "main",
            pack.contents.metadata.version,
        )

    def run(self) -> tuple[EriiReport, Taken]:
        before = last_import(self.stream, self.title)
        if before is not None:
            if before[0] not in self.stream.branch_names():
                raise Conflict(
                    f"{self.pack.name!r} was taken in to a branch that was dropped; "
                    f"restore {before[0]} first"
                )
            self.branch, self.zone = before[0], ZoneInfo(before[1]["zone"])
        self.turns = Turns(self.stream, self.branch, self.pack, self.zone, self.report)
        self._adopt()
        self.turns.record()
        self._beliefs()
        for event in self.pack.contents.relationship_events:
            self._event(event)
        self._tensions()
        self._reflections()
        self._count()
        self.report.branch = self.stream.branch_names()[self.branch]
        self.report.left_out = {what: count for what, count in self.left_out.items() if count}
        if self.report.changed:
            self._record_import()
        return self.report, self.taken

    # The character

    def _adopt(self) -> None:
        """The blueprint and the policy of the pack, where it did not bring them before."""
        relationship = self.pack.contents.relationship
        blueprint = relationship.blueprint
        at = self.turns.moment(relationship.created_at)
        name = recording.party_name(self.stream, self.branch, self.stream.line.agent)
        card = json.dumps(
            {
                "name": name,
                "description": blueprint.source_text,
                "source": blueprint.source_name,
                "compiled": blueprint.compiled,
            },
            ensure_ascii=False,
            sort_keys=True,
        )
        played = payload_of("BlueprintAdopted", by="import", name=name, spec=FORMAT, card=card)
        self._once("BlueprintAdopted", played, at)
        numbers = self._numbers()
        if numbers is not None:
            policy = payload_of(
                "PolicyAdopted", by="import", name=f"{FORMAT} {self.pack.id}"[:200], numbers=numbers
            )
            self._once("PolicyAdopted", policy, at)

    def _once(self, kind: str, payload: dict[str, Any], at: Moment | None) -> None:
        adopted = self.stream.payloads(self.stream.history.all(kind)).values()
        if payload in [one for one in adopted if one.get("by") == "import"]:
            return
        tip = self.stream.history.branches[self.branch].tip
        self.stream.append(Draft(kind, payload, tip, self.branch, happened=at))
        self.report.events += 1

    def _numbers(self) -> dict[str, Any] | None:
        """The bundled policy with the pack's start and its weights of signals, where they differ."""
        relationship = self.pack.contents.relationship
        own = relationship.blueprint.compiled.get("relationship_policy")
        weights = own.get("signal_modifiers") if isinstance(own, dict) else None
        numbers: dict[str, Any] = json.loads(json.dumps(bundled_policy().numbers()))
        rapport = numbers["rapport"]
        changed = False
        for name, value in relationship.baseline.state.items():
            if name in DIMENSIONS and rapport["start"][name] != round(value * ONE):
                rapport["start"][name], changed = round(value * ONE), True
        for kind, weight in (weights if isinstance(weights, dict) else {}).items():
            signal = made.SIGNALS.get(str(kind))
            usable = isinstance(weight, int | float) and not isinstance(weight, bool)
            if signal is None or not usable or not 0 <= weight <= 10:
                self.left_out["weights of signals"] += 1
                continue
            figures = rapport["signals"][signal]
            rapport["signals"][signal] = {d: round(f * weight) for d, f in figures.items()}
            changed = True
        if not changed or not fits_rapport(rapport):
            self.left_out["policies that do not fit"] += changed
            return None
        return numbers

    # What it means

    def _beliefs(self) -> None:
        relationship = self.pack.contents.relationship
        for span in self.pack.beliefs():
            item = f"{span.event}/{span.key}"
            if (span.event, span.key) not in self.turns.notes:
                self._refuse("belief", item, span.key, "text_erased")
                continue
            number, words = self.turns.notes[span.event, span.key]
            subject, key = made.subject_and_key(
                span.key, relationship.agent_id, relationship.user_id
            )
            days = [day for day in self.turns.days(span) if day]
            shown = made.shown_value(span.value)
            self._decide(
                "belief",
                item,
                f"{span.key} = {shown}",
                [number],
                lambda known=(key, shown, subject, span.confidence, number, words, days): (  # type: ignore[misc]
                    made.belief(*known)
                ),
                reason="too_long",
            )

    def _event(self, event: EventPart) -> None:
        receipt = self.pack.receipts.get(event.event_id)
        cited = self._words(self.pack.cited(receipt.evidence)) if receipt else []
        sure = (
            min(receipt.extraction_confidence, receipt.interpretation_confidence)
            if receipt
            else 1.0
        )
        payload, adjudicated = event.temporal_payload, event.adjudication
        if payload is not None:
            self._temporal(event, payload, sure, cited)
        elif event.state_delta:
            kind, strength = str(adjudicated.get("signal_type")), adjudicated.get("signal_strength")
            self._decide(
                "signal",
                event.event_id,
                event.content,
                self._numbers_of(cited),
                lambda: made.signal(kind, strength, sure, cited),
                held="who_acted_is_not_told" if len({one.role for one in cited}) > 1 else None,
            )
        elif not event.belief_updates:
            self.left_out["events without an effect"] += 1
        retracted = sum(update.operation != "set" for update in event.belief_updates)
        self.left_out["retractions of beliefs, which end their time"] += retracted

    def _temporal(
        self, event: EventPart, payload: dict[str, Any], sure: float, cited: list[made.Words]
    ) -> None:
        kind, item = str(payload.get("payload_type")), event.event_id
        if kind == "open_loop" and not cited:
            cited = self._words(self._of_node(payload.get("origin_memory_node_id")))
        if kind == "promise":
            said = str(payload.get("action"))
            self._decide(
                "promise",
                item,
                said,
                self._numbers_of(cited),
                lambda: made.promises(payload, sure, cited),
            )
            return
        if kind == "open_loop":
            said = str(payload.get("subject"))
            self._decide(
                "loop",
                item,
                said,
                self._numbers_of(cited),
                lambda: made.loops(payload, sure, cited),
            )
            return
        what = "loop" if kind == "open_loop_resolution" else "promise"
        whole = "open_loop" if what == "loop" else "promise"
        ended = self.taken.numbers.get((what, str(payload.get(f"{whole}_event_id"))))
        other = str(payload.get(f"superseding_{whole}_event_id"))
        instead = self.taken.numbers.get((what, other))
        if not cited and (replacing := self.pack.receipts.get(other)):
            # The words of what stands in its place are what replaced it.
            cited = self._words(self.pack.cited(replacing.evidence))
        if ended is None:
            self._refuse("end", item, event.content, "reference_not_accepted")
            return
        self._decide(
            "end",
            item,
            event.content,
            self._numbers_of(cited),
            lambda: made.ending(payload, ended, instead, sure, cited),
        )

    def _tensions(self) -> None:
        for one in self.pack.contents.relationship_consequences:
            cited = self._words_of(one.source_decision_id)
            self._decide(
                "consequence",
                one.consequence_id,
                ", ".join(one.effects),
                self._numbers_of(cited),
                lambda one=one, cited=cited: made.consequence(one.effects, cited),  # type: ignore[misc]
                also=one.source_event_id,
            )
            self.left_out["further effects of consequences"] += max(0, len(one.effects) - 1)
        for link in self.pack.contents.narrative_tension_links:
            moved = self.taken.numbers.get(("consequence", link.consequence_id))
            if moved is None:
                self._refuse("step", link.link_id, link.outcome, "reference_not_accepted")
                continue
            cited = self._words_of(link.source_decision_id)
            self._decide(
                "step",
                link.link_id,
                link.outcome,
                self._numbers_of(cited),
                lambda link=link, moved=moved, cited=cited: made.step(link.outcome, moved, cited),  # type: ignore[misc]
                also=link.source_event_id,
            )

    def _reflections(self) -> None:
        for one in reflections(self.pack.contents):
            event = self.taken.any_of(one.event_id)
            earlier = one.target_reflection_id
            revises = self.taken.numbers.get(("reflection", earlier)) if earlier else None
            if event is None or (earlier and revises is None):
                self._refuse("reflection", one.reflection_id, one.content, "reference_not_accepted")
                continue
            receipt = self.pack.receipts.get(one.event_id)
            cited = self._words(self.pack.cited(receipt.evidence)) if receipt else []
            self._decide(
                "reflection",
                one.reflection_id,
                one.content,
                self._numbers_of(cited),
                lambda known=(one.content, event, revises, cited): made.reflection(*known),  # type: ignore[misc]
            )

    def _decide(
        self,
        what: str,
        item: str,
        words: str,
        texts: Sequence[int],
        options: Callable[[], Sequence[Proposal]],
        *,
        also: str | None = None,
        reason: str = "no_words_here",
        held: str | None = None,
    ) -> None:
        """Let the kernel decide the best of an item's wordings, once for ever."""
        if not texts:
            self._refuse(what, item, words, reason)
            return
        before = len(self.stream.history)
        decided = propose(
            self.stream, self.branch, _Item(item, lambda: self._best(options())), list(texts)
        )
        if not decided:
            self._refuse(what, item, words, reason)
            return
        (one,) = decided
        self.taken.decided[what, item] = one
        if one.event is None:
            why = held if held and one.verdict == "held" else one.reason
            self._refuse(what, item, words, why)
        else:
            self.taken.numbers[what, item] = one.event
            if also is not None:
                self.taken.numbers.setdefault((what, also), one.event)
            own = one.proposal.get("act") or one.proposal.get("subject")
            if what in ("promise", "loop") and own != words:
                self.report.reworded.append(f"{what} {item}: {words!r} is {own!r} in the text")
        self.report.events += len(self.stream.history) > before

    def _best(self, options: Sequence[Proposal]) -> list[Proposal]:
        """The first wording that is accepted, else the first that is held, else the first."""
        ranks = ("accepted", "held", "rejected")
        verdicts: list[int] = []
        for option in options:
            verdicts.append(ranks.index(judge(self.stream, option).verdict))
            if not verdicts[-1]:
                break
        return [options[verdicts.index(min(verdicts))]] if verdicts else []

    def _refuse(self, what: str, item: str, words: str, reason: str) -> None:
        self.report.refused.append(Refused(what, item, words, reason))

    def _words_of(self, decision: str) -> list[made.Words]:
        return self._words(self.pack.cited(self.pack.decisions[decision].evidence))

    def _of_node(self, node: object) -> list[Cited]:
        evidence = (n.evidence_references for n in self.pack.contents.nodes if n.node_id == node)
        return self.pack.cited(next(evidence, ()))

    def _words(self, cited: Iterable[Cited]) -> list[made.Words]:
        """Cited words whose text is here; what rests on any that is not has no evidence left."""
        found = list(cited)
        if any(one.message not in self.turns.texts for one in found):
            return []
        return [
            made.Words(
                self.turns.texts[one.message],
                one.start,
                one.end,
                "user" if self.pack.messages[one.message][0] == "user" else "agent",
                self.pack.messages[one.message][1][one.start : one.end],
            )
            for one in found
        ]

    def _numbers_of(self, cited: Iterable[made.Words]) -> list[int]:
        return sorted({one.text for one in cited})

    # The rest

    def _count(self) -> None:
        contents = self.pack.contents
        approved = sum(one.status == "approved" for one in contents.persona_growth_proposals)
        self.left_out += Counter(
            {
                "reviews of turns": sum(
                    (one.review_record or {}).get("kind") == "reviewed"
                    for one in contents.turn_records
                ),
                "turns with a context of the host's": sum(
                    bool(one.interaction_context) for one in contents.turn_records
                ),
                "thoughts noted on events": sum(
                    bool(one.adjudication.get("persona_reflection"))
                    for one in contents.relationship_events
                ),
                "core memory": bool(contents.core_memory),
                "memory nodes": len(contents.nodes),
                "timeline entries": len(contents.timeline_entries),
                "archival receipts": len(contents.archival_ledger),
                "approved growth of the character": approved,
                "growth that was not approved": len(contents.persona_growth_proposals) - approved,
                "persona manifests": len(contents.persona_manifests),
                "persona compilations": len(contents.persona_compilation_proposals),
                "decisions that accepted nothing": sum(
                    not one.event_ids for one in self.pack.decisions.values()
                ),
            }
        )

    def _record_import(self) -> None:
        payload = payload_of(
            "ChatImported",
            by="import",
            format=FORMAT,
            title=self.title,
            zone=self.zone.key,
            lines=len(self.pack.messages),
            skipped=len(self.report.refused),
        )
        tip = self.stream.history.branches[self.branch].tip
        draft = Draft("ChatImported", payload, tip, self.branch, targets=(self.branch,))
        self.stream.append(draft)
