"""The names that users of other memory libraries know: add, search, get_all, history, delete.

A thin face over relationships; everything is recorded, decided and erased as everywhere else. A
memory is a belief, a promise or an open loop; a search also finds what was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.erasing.receipt import Receipt
from enishi.kernel.errors import InvalidInput, NotFound
from enishi.kernel.moments import Moment
from enishi.kernel.rules import bundled_proposers
from enishi.projections.recall.items import Item

AGENT = "assistant"
"""The agent where none is named."""

_MADE = ("BeliefStated", "PromiseMade", "LoopOpened")


class Memory:
    """Memories of a store (`enishi.open(...)`), by user and agent.

    `proposers` read what is added: the bundled ones if left out, which need no model. Every answer
    is plain data; a memory's `id` names its relationship and its record.
    """

    def __init__(self, store: Any, *, proposers: Iterable[Proposer] | None = None) -> None:
        self._store = store
        self._proposers = bundled_proposers() if proposers is None else tuple(proposers)

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str,
        agent_id: str = AGENT,
    ) -> dict[str, list[dict[str, Any]]]:
        """Record a text of the user's, or messages ({"role", "content"}), and what follows from them.

        The answer has what is remembered of it anew. Messages of the system are passed over.
        """
        bond, made = self._store.relationship(agent_id, user_id), []
        for said, reply in _turns(messages):
            with bond.turn(said) as turn:
                if reply is not None:
                    turn.reply(reply)
            for proposer in self._proposers:
                decided = bond.propose(turn, proposer)
                made += [one.event for one in decided if one.event is not None]
        known = {one["number"]: one for one in _memories(bond)}
        added = [_without_number(known[number]) for number in made if number in known]
        return {"results": [{**one, "event": "ADD"} for one in added]}

    def search(
        self, query: str, *, user_id: str, agent_id: str = AGENT, limit: int = 5
    ) -> dict[str, list[dict[str, Any]]]:
        """What is remembered of this, best first; `score` orders one answer and means nothing else."""
        bond = self._bond(agent_id, user_id)
        if bond is None:
            return {"results": []}
        layers = ("beliefs", "episodes")
        found = bond.recall(query, items=limit, layers=layers, budget=400 + 400 * limit).found
        known = (item for item in found if item.kind == "text" or item.authority != "held")
        return {"results": [_found(bond, item) for item in known]}

    def get_all(
        self, *, user_id: str, agent_id: str = AGENT, limit: int | None = None
    ) -> dict[str, list[dict[str, Any]]]:
        """All that is remembered and holds now, oldest first."""
        bond = self._bond(agent_id, user_id)
        kept = [] if bond is None else [_without_number(one) for one in _memories(bond)]
        return {"results": kept[:limit]}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """How a memory came to be what it is: what was held of the same before it, and after."""
        bond, number = self._named(memory_id)
        views = {one.number: one for one in bond.beliefs()}
        own = views.get(number)
        if own is None:
            explained = bond.why(number)
            words = next(
                iter(one["memory"] for one in _memories(bond) if one["number"] == number), None
            )
            text = explained.text.content if explained.text is not None else words
            return [_change(bond, number, None, text, "ADD", explained.happened)]
        changes, before = [], None
        for view in bond.beliefs(subject=own.subject, key=own.key):
            event = "ADD" if before is None else "UPDATE"
            changes.append(_change(bond, view.number, before, view.value, event, view.since))
            if view.status == "retracted":
                changes.append(_change(bond, view.number, view.value, None, "DELETE", view.until))
            else:
                before = view.value
        return changes

    def delete(self, memory_id: str) -> Receipt:
        """Erase a memory for good, with the words that it rests on and all else that rests on them.

        Whoever deletes expects it gone: the message that said so would be found again. The receipt
        says what was destroyed. To take a memory back undoably, use `Relationship.withdraw`.
        """
        bond, number = self._named(memory_id)
        numbers = set(bond.tellings(number)) | {number}
        for one in sorted(numbers):
            if bond.why(one).type == "BeliefStated":
                numbers.update(bond.plan_erasure(belief=one).numbers)
        texts = {quote.text for one in sorted(numbers) for quote in bond.why(one).quotes}
        receipt: Receipt = bond.erase(*sorted(numbers | texts))
        return receipt

    def _bond(self, agent: str, user: str) -> Any:
        try:
            return self._store.relationship(agent, user, create=False)
        except NotFound:
            return None

    def _named(self, memory_id: str) -> tuple[Any, int]:
        """The relationship and the number that an id means; NotFound where there is none."""
        owner, _, number = memory_id.rpartition(":")
        if not (owner and number.isascii() and number.isdigit() and len(number) < 20):
            raise InvalidInput(f"{memory_id!r} is no id of a memory; search and get_all give them")
        for bond in self._store.relationships(archived=None):
            if bond.id.hex() == owner:
                why = bond.why(int(number))
                if why.type in _MADE or why.text is not None:
                    return bond, int(number)
        raise NotFound(f"there is no memory {memory_id}")


def _turns(
    messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> list[tuple[list[str], str | None]]:
    """Turns of what the user said and what was answered to it."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    turns: list[tuple[list[str], str | None]] = []
    said: list[str] = []
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if not isinstance(content, str) or role not in ("user", "assistant", "system"):
            raise InvalidInput(
                'a message is {"role": "user", "assistant" or "system", "content": text}'
            )
        if role == "user":
            said.append(content)
        elif role == "assistant":
            turns.append((said, content))
            said = []
    return [*turns, (said, None)] if said else turns


def _memories(bond: Any) -> list[dict[str, Any]]:
    """All that holds now, by number."""
    kept = [
        _memory(bond, one.number, one.value, one.since, subject=one.subject, key=one.key)
        for one in bond.beliefs()
        if one.status == "current"
    ]
    kept += [
        _memory(bond, one.number, one.act, one.made, subject=one.promiser, key="promise")
        for one in bond.promises()
        if one.status in ("open", "waiting")
    ]
    kept += [
        _memory(bond, one.number, one.continuation, one.made, subject=one.subject, key="loop")
        for one in bond.loops()
        if one.status == "open"
    ]
    return sorted(kept, key=lambda one: int(one["number"]))


def _memory(bond: Any, number: int, words: str, when: Moment | None, **more: Any) -> dict[str, Any]:
    named = {"id": f"{bond.id.hex()}:{number}", "number": number, "memory": words}
    return {**named, "created_at": _iso(when), "user_id": bond.user, "agent_id": bond.agent, **more}


def _without_number(memory: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in memory.items() if name != "number"}


def _found(bond: Any, item: Item) -> dict[str, Any]:
    score = 0 if item.score is None else item.score.total
    more = {"score": score, "kind": item.kind, "authority": item.authority}
    return _without_number(_memory(bond, item.number, item.text, item.happened, **more))


def _change(
    bond: Any, number: int, old: str | None, new: str | None, event: str, when: Moment | None
) -> dict[str, Any]:
    return {
        "memory_id": f"{bond.id.hex()}:{number}",
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": _iso(when),
    }


def _iso(when: Moment | None) -> str | None:
    return None if when is None else when.to_datetime().isoformat()
