"""The stream of one relationship: its log, its history, what stands on each branch, and writing.

Everything that is read goes through `reading`, everything that is added through `writing`; both
first take in what other threads and processes have added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

from enishi.kernel import keeping
from enishi.kernel.checks import check_id
from enishi.kernel.encoding import FORMAT, Header, decode_payload, request_mac
from enishi.kernel.errors import (
    InvalidInput,
    LogDamaged,
    NotFound,
    RequestConflict,
    RequestErased,
)
from enishi.kernel.events import EVENT_TYPES, misfit, payload_of, upcast
from enishi.kernel.history import KINDS, MAIN, ROOT, TEXT_CODES, History
from enishi.kernel.log import Entropy, Line, Log, Record, sealed
from enishi.kernel.moments import MINUTE, Moment
from enishi.kernel.standing import Marks, Standing
from enishi.kernel.transactions import Transaction

AHEAD = 5 * MINUTE
"""How far a live time may be ahead of the clock."""

_CALLER = "caller\n"
_VOLATILE = frozenset({"by", "by_name", "name"})


T = TypeVar("T")


class Writing(Generic[T]):
    """A stream's transaction: a context manager, made by `Stream.writing`.

    A class, because every record comes through one, and a generator costs three times as much.
    """

    __slots__ = ("_asked", "_outermost", "_stream", "_transaction")

    def __init__(self, stream: Stream, transaction: Transaction, asked: Callable[[], T]) -> None:
        self._stream = stream
        self._transaction = transaction
        self._asked = asked

    def __enter__(self) -> T:
        stream = self._stream
        self._transaction.__enter__()
        self._outermost = stream._now is None
        try:
            if self._outermost:
                stream._now = stream.clock()
            stream._catch_up()
            return self._asked()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._outermost:
            self._stream._now = None
        self._transaction.__exit__(kind, error, trace)


def _nothing() -> None:
    """What is asked where nothing is."""


class Draft(NamedTuple):
    """An event that is about to be recorded. `turn` ROOT is the place before the first turn.

    `request` is the id of the request that it answers, kept as an HMAC only.
    """

    type: str
    payload: dict[str, Any]
    turn: int = ROOT
    branch: int = MAIN
    causes: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    happened: Moment | None = None
    request: str | None = None


@dataclass(slots=True)
class Stream:
    """One relationship, as this process sees it.

    `kept` is for what others derive from the history; it is dropped together with it.
    """

    log: Log
    line: Line
    clock: Callable[[], Moment]
    entropy: Entropy
    history: History = field(default_factory=History)
    kept: dict[Any, Any] = field(default_factory=dict)
    _standing: dict[int, Standing] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _previous: bytes | None = None
    _now: Moment | None = None
    _in_store: int = 0
    _undone: int = 0
    _changed: int = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A consistent view of everything recorded so far."""
        with self.log.reading():
            self._catch_up()
            yield

    def writing(self, *, together: bool = False) -> Writing[None]:
        """A transaction: all that is appended within is recorded together, or nothing is.

        With `together` it may share its commit with what other threads write: see `Log.writing`.
        """
        return Writing(self, self.log.writing(together=together), _nothing)

    def writing_on(self, branch: Callable[[], T]) -> Writing[T]:
        """The same, together with others, for what is asked when all is taken in: a branch."""
        return Writing(self, self.log.writing(together=True), branch)

    @property
    def now(self) -> Moment:
        """The moment of this transaction, or the clock's where there is none."""
        return self._now or self.clock()

    def standing(self, branch: int) -> Standing:
        """What stands on a branch, caught up. Needs `reading` or `writing`."""
        found = self._standing.get(branch)
        if found is None:
            parent = self._standing.get(self.history.branches[branch].parent or MAIN)
            found = Standing.of_fork(branch, parent) if parent else Standing(self.history, branch)
            self._standing[branch] = found
        found.catch_up()
        return found

    # Writing

    def append(self, *drafts: Draft) -> int:
        """Record events of one turn, which the first may open. Returns its number.

        If the payload of one cannot be encoded, none is recorded. Needs `writing`.
        """
        history, line, first = self.history, self.line, drafts[0]
        number, branch = len(history), first.branch
        opens = first.type == "TurnOpened"
        turn = number if opens else first.turn
        parent = history.branches[branch].tip if opens else history.parent_of(turn)
        place = None if turn == ROOT else turn, None if parent == ROOT else parent, branch
        recorded = self.now.at
        contents = [sealed(draft.payload, self.entropy) for draft in drafts]
        headers: list[Header] = []
        for draft, (salt, payload, committed) in zip(drafts, contents, strict=True):
            header = Header(
                FORMAT,
                line.relationship,
                number + len(headers),
                self._previous,
                draft.type,
                EVENT_TYPES[draft.type].version,
                _triple(draft.happened),
                recorded,
                *place,
                draft.causes,
                draft.targets,
                None if draft.request is None else self.mac(draft.request),
                committed,
            )
            self._previous = self.log.append(line.line, header, salt, payload)
            headers.append(header)
        history.extend(headers)
        if first.type == "BranchForked":
            self._names[number] = first.payload["name"]
        return number

    def recorded(self, request: str | None, drafts: Sequence[Draft]) -> int | None:
        """The number of what this request recorded before, if it did.

        The same id with other content is RequestConflict; where what it recorded is gone, it is
        RequestErased.
        """
        if request is None:
            return None
        first = self.log.requested(self.line, request)
        if first is None:
            return None
        for number, draft in enumerate(drafts, start=first):
            record = self.log.record(self.line.line, number)
            if record is not None and record.payload is None:
                raise RequestErased(
                    f"request {_shown(request)} was recorded as number {number} and has been erased"
                )
            if record is None or not _same(record, draft):
                raise RequestConflict(
                    f"request {_shown(request)} was recorded as number {first} with other content; "
                    "a new request needs an id of its own"
                )
        return first

    def mac(self, request: str) -> bytes:
        """The form in which a request id is kept."""
        return request_mac(self.line.secret, request)

    def destroy(self, numbers: Sequence[int], type_name: str = "Erased", **said: Any) -> int:
        """Destroy payloads and record the tombstone that says so. Needs `writing`.

        What rests on them, and what else holds their words, is not looked for: see `erasure`.
        """
        self.log.destroy(self.line.line, numbers)
        number = self.append(
            Draft(type_name, payload_of(type_name, **said), targets=tuple(sorted(numbers)))
        )
        self.log.must_scrub(self.line.line, number)
        self._forget_names()
        return number

    # Reading

    def record(self, number: int) -> Record:
        """One record, or NotFound."""
        record = self.log.record(self.line.line, number) if number >= 0 else None
        if record is None:
            raise NotFound(f"there is no number {number}; the last is {len(self.history) - 1}")
        return record

    def payload(self, number: int) -> dict[str, Any] | None:
        """A payload in its newest version; None where it is erased or of an unknown type."""
        record = self.record(number)
        if record.payload is None:
            return None
        found = upcast(record.header.type, record.header.version, record.payload)
        return found if found is None else _fitting(number, record.header.type, found)

    def payloads(
        self, numbers: Sequence[int], types: Iterable[str] = EVENT_TYPES, *, checked: bool = True
    ) -> dict[int, dict[str, Any]]:
        """Payloads by number, in their newest version; erased and unknown ones are absent.

        `types` are all that may occur among them: fewer are read faster. Where the caller can
        bear payloads that are not what they should be, they need not be `checked`.
        """
        kinds = self.history.kind
        current: dict[int, dict[str, Any]] = {}
        for number, payload in zip(numbers, self.each_payload(numbers, types), strict=True):
            if payload is not None:
                current[number] = (
                    _fitting(number, KINDS[kinds[number]], payload) if checked else payload
                )
        return current

    def each_payload(
        self, numbers: Sequence[int], types: Iterable[str]
    ) -> Iterator[dict[str, Any] | None]:
        """Unchecked payloads, in the order of these numbers; None for one that is erased or unknown.

        Each is decoded when its turn comes. Many that are alive together cost the collector of
        garbage more than decoding them.
        """
        encoded = self.log.encoded_payloads(self.line.line, numbers, types).get
        kinds, version = self.history.kind, self.history.version
        for number in numbers:
            data, kind = encoded(number), kinds[number]
            if data is None or kind >= len(KINDS):
                yield None
                continue
            payload, written = decode_payload(data), version.get(number, 1)
            if written == EVENT_TYPES[KINDS[kind]].version:
                yield payload
            else:
                yield upcast(KINDS[kind], written, payload)

    def withheld(self) -> frozenset[int]:
        """The numbers whose payloads exist elsewhere and were not given with the records."""
        found = self.kept.get("withheld")
        if found is None:
            found = self.kept["withheld"] = self.log.withheld(self.line.line)
        return cast(frozenset[int], found)

    def is_partial(self, number: int) -> bool:
        """Whether an event rests, directly or not, on something that was withheld."""
        withheld = self.withheld()
        return bool(withheld) and any(
            cause in withheld or self.is_partial(cause) for cause in self.history.causes_of(number)
        )

    def about_text(
        self, number: int, payloads: Mapping[int, dict[str, Any]]
    ) -> dict[str, Any] | None:
        """Who said a text and how, by payloads of it and its first wording; None if nobody knows."""
        root, own = payloads.get(self.history.root_text(number)), payloads.get(number, {})
        return root if root is not None else own if "speaker" in own else None

    def is_text(self, number: int) -> bool:
        """Whether this is the number of a message, a reply or a revision."""
        return 0 <= number < len(self.history) and self.history.kind[number] in TEXT_CODES

    def ids_of(self, party: str) -> frozenset[str]:
        """All outside ids that the agent or the user ever had; of somebody else, that one."""
        both = (self.all_ids("agent"), self.all_ids("user"))
        return next((ids for ids in both if party in ids), frozenset({party}))

    def all_ids(self, role: Literal["agent", "user"]) -> frozenset[str]:
        """All outside ids that the agent or the user ever had. Needs `reading`."""
        known, last = self.kept.get("ids"), self.history.last("PartyRebound")
        if known is None or known[0] != last:
            rebound = self.payloads(self.history.all("PartyRebound"))
            ids = {"agent": {self.line.agent}, "user": {self.line.user}}
            for payload in rebound.values():
                ids[payload["party"]] |= {payload["id"], payload["before"]}
            known = self.kept["ids"] = (last, {one: frozenset(all_) for one, all_ in ids.items()})
        found: frozenset[str] = known[1][role]
        return found

    # Branches by name

    def branch_named(self, name: str) -> int:
        """The number of a branch, or NotFound. A dropped branch has no name any more."""
        for number, known in self.branch_names().items():
            if known == name:
                return number
        raise NotFound(f"there is no branch {name!r}; there are: {', '.join(self.names())}")

    def branch_names(self) -> dict[int, str]:
        """The names of all branches that were not dropped, by number."""
        dropped = self.history.withdrawn
        return {n: name for n, name in self._names.items() if not dropped.get(n, False)}

    def all_names(self) -> dict[int, str]:
        """The names of all branches, by number, dropped ones included."""
        return self._names

    def names(self) -> list[str]:
        """The names of all branches that were not dropped."""
        return list(self.branch_names().values())

    def _catch_up(self) -> None:
        if self._undone != self.log.undone:
            if self.log.line_of(self.line.agent, self.line.user, self.line.name) != self.line:
                raise NotFound(
                    f"the founding of {self.line.agent!r} and {self.line.user!r} was undone; "
                    "ask the store for the relationship again"
                )
            self.forget()
        length, tip, changed = self.log.tip(self.line.line)
        if changed != self._changed or length < len(self.history):
            # A pack put something in, or another line in this one's place.
            self.forget()
            self.line = self.log.line_now(self.line)
            length, tip, self._changed = self.log.tip(self.line.line)
        start = len(self.history)
        if length == start and self._previous == tip:
            self._must_be_there()
            return
        if not start:
            start = self._take_kept(length)
        try:
            for headers in self.log.placings(self.line.line, start):
                self.history.extend(headers)
        except LogDamaged:
            self.forget()
            raise
        self._previous = tip
        self._must_be_there()
        self._forget_names()
        for number in self.history.branches:
            if number not in self._names:
                payload = self.payload(number) if number != MAIN else {"name": "main"}
                self._names[number] = payload["name"] if payload else f"branch-{number}"

    def _take_kept(self, length: int) -> int:
        """Begin with what is kept in the store. Returns how many records that is."""
        found = keeping.kept(self.log, self.line) if length >= keeping.LEAST else None
        if found is not None:
            self.history = found.history
            self._standing = {found.branch: found}
            self._in_store = len(found.history)
        return self._in_store

    def is_worth_keeping(self) -> bool:
        """Whether opening would be quicker by much if the history were kept now."""
        return keeping.is_worth_keeping(len(self.history), self._in_store)

    def keep(self, standing: Standing, marks: Marks) -> None:
        """Keep the history in the store, and what stands on one branch. Needs `writing`."""
        assert self._previous is not None, "a line has at least one record"
        keeping.keep(self.log, self.line, self._previous, standing, marks)
        self._in_store = len(self.history)

    def _must_be_there(self) -> None:
        if 0 in self.history.erased:
            raise NotFound(
                "this relationship was erased; the same two can begin a new one: "
                "ask the store for the relationship again"
            )

    def _forget_names(self) -> None:
        for number in self.history.erased & self._names.keys() - {MAIN}:
            self._names[number] = f"branch-{number}"

    def forget(self) -> None:
        """Drop what is in memory, as after a rollback; it is read again when it is needed."""
        self.history = History()
        self.kept.clear()
        self._standing.clear()
        self._names.clear()
        self._previous = None
        self._in_store = 0
        self._undone = self.log.undone


def _fitting(number: int, type_name: str, payload: dict[str, Any]) -> dict[str, Any]:
    if problem := misfit(type_name, payload):
        raise LogDamaged(
            f"number {number} is no {type_name} as it should be ({problem}); run: enishi verify"
        )
    return payload


def own_request(request: str | None) -> str | None:
    """The form of a request id that a caller gave; batches and imports have ids of other forms."""
    return None if request is None else f"{_CALLER}{check_id(request, 'a request id')}"


def _shown(request: str) -> str:
    return repr(request.removeprefix(_CALLER))


def _triple(moment: Moment | None) -> tuple[int, int, int] | None:
    return None if moment is None else (moment.at, moment.offset, int(moment.assumed))


def _same(record: Record, draft: Draft) -> bool:
    if record.header.type != draft.type:
        return False
    payload = upcast(draft.type, record.header.version, record.payload or {}) or {}
    if draft.happened is not None and record.header.moment != draft.happened:
        return False
    if draft.turn != ROOT and record.header.turn != draft.turn:
        return False
    if record.header.targets != draft.targets:
        return False
    keys = (payload.keys() | draft.payload.keys()) - _VOLATILE
    return all(payload.get(key) == draft.payload.get(key) for key in keys)


def found_stream(
    log: Log, agent: str, user: str, clock: Callable[[], Moment], entropy: Entropy
) -> Stream:
    """The stream of a new relationship, with its founding record. Needs `log.writing`."""
    line = log.add_line(entropy(16), entropy(16), agent, user)
    stream = Stream(log, line, clock, entropy)
    with stream.writing():
        payload = payload_of("RelationshipFounded", agent=agent, user=user, secret=line.secret)
        stream.append(Draft("RelationshipFounded", payload))
    return stream


def moment_of(given: Moment | None, stream: Stream) -> Moment:
    """The moment of something live: as given, else now. Too far ahead is InvalidInput."""
    if given is None:
        return stream.now
    if given.at > stream.now.at + AHEAD:
        raise InvalidInput(f"the time {given} is more than five minutes ahead of the clock")
    return given
