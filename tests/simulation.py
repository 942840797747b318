"""A life is lived against a store, and a simple model in memory says what must be true of it.

The model knows the hash of every record that was acknowledged, the words of every text, and what
was erased. `World.check` compares: nothing acknowledged is lost or changed, every text reads as it
was said, what was erased is nowhere, what stands is what the slow rule says, a lazy fold equals a
fold from zero, explanations quote to the letter, and what happens to one relationship leaves every
other one as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import faults
from doings import DOINGS
from lives import PAIRS, Operation
from reference import Reference

import enishi
from enishi.host import Relationship
from enishi.kernel.errors import Conflict, InvalidInput, NotFound, StoreFull

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = ("MessageReceived", "ReplyGiven", "TextRevised")
TOMBSTONES = ("Erased", "WordsErased")
PRONE_TO_STOP = (
    "read_by_rules",
    "answer_late",
    "fail_to_propose",
    "there_and_back",
    "carry",
    "diverge",
)
"""What is recorded in several transactions, of which the first may be there without the last."""


TOKEN = re.compile(r"zq[0-9]+x[0-9a-f]{10}")


def tokens(words: Iterable[str | None]) -> set[str]:
    """What tells one text of a life from every other."""
    return {token for one in words if one for token in TOKEN.findall(one)}


class Violation(AssertionError):
    """Something that must be true is not."""


@dataclass
class Known:
    """What must be true of one relationship.

    `texts` by number, None where erased; `said`, all words ever; `requests`: turn and operation.
    """

    hashes: list[bytes] = field(default_factory=list)
    texts: dict[int, str | None] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    requests: dict[str, tuple[int, Operation]] = field(default_factory=dict)
    digests: dict[str, Any] | None = None


@dataclass
class World:
    """One store and the model of it. `counts` tells what was done and survived."""

    folder: Path
    seed: int
    keyed: bool = False
    known: dict[int, Known] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    now: datetime = START
    sessions: int = 0

    def __post_init__(self) -> None:
        self.path = self.folder / "life.db"
        self.store = self.open()

    # Time, chance and the store

    def open(self, path: Path | None = None, **options: Any) -> enishi.Store:
        """Open a store; no two openings have the same chance."""
        self.sessions += 1
        key, drawn = f"{self.seed} {self.sessions}", iter(range(10**9))

        def entropy(size: int) -> bytes:
            return sha256(f"{key} {next(drawn)}".encode()).digest()[:size]

        own = {"keyed": True} if self.keyed and path is None else {}
        options = {"synchronous": "NORMAL"} | own | options
        return enishi.open(path or self.path, clock=lambda: self.now, entropy=entropy, **options)

    def bond(self, pair: int) -> Relationship:
        """A relationship of the life, founded when it is first needed."""
        return self.store.relationship(*PAIRS[pair])

    # Doing

    def do(self, one: Operation) -> None:
        """Do one operation, and take into the model what was acknowledged."""
        self.now += timedelta(hours=one.hours)
        self.counts["operations"] += 1
        if one.name in faults.DOINGS:
            faults.DOINGS[one.name](self, one)
            return
        if one.pair not in self.known:
            try:
                self.bond(one.pair)
            except StoreFull:
                self.counts["writes that found the disk full"] += 1
                return
            self.known[one.pair] = Known()
            self.learn(one.pair)
        before = len(self.known[one.pair].hashes)
        said: Sequence[str] = ()
        refused = False
        try:
            said = DOINGS[one.name](self, one) or ()
        except (Conflict, InvalidInput, NotFound):
            refused = True
            self.counts["refused, with nothing written"] += 1
        except StoreFull:
            refused = True
            self.counts["writes that found the disk full"] += 1
        learnt = self.learn(one.pair)
        if refused and one.name not in PRONE_TO_STOP:
            require(len(self.known[one.pair].hashes) == before, "refused, and yet written", one)
        elif not refused and one.name not in ("answer_late", "carry"):
            require(learnt == list(said), "what was said is not what is there", one, learnt, said)

    def learn(self, pair: int) -> list[str]:
        """Take new records into the model. Returns the new words, in order."""
        known, stream = self.known[pair], self.bond(pair)._stream
        with stream.reading():
            log, line = stream.log, stream.line.line
            length = len(known.hashes)
            if length:
                last = log.hash_of(line, length - 1)
                require(last == known.hashes[-1], "an acknowledged record is another one", pair)
            known.hashes += log.hashes(line)[length:]
            words = []
            for record in log.records(line, length):
                header, payload = record.header, record.payload
                if header.type in TEXTS and payload is not None:
                    known.texts[header.number] = payload["content"]
                    known.said.append(payload["content"])
                    words.append(payload["content"])
                if header.type in TOMBSTONES:
                    for number in header.targets:
                        known.texts.update({number: None} if number in known.texts else {})
        return words

    # Checking

    def check(self) -> None:
        """All that must be true, or Violation."""
        self.counts["checks of everything"] += 1
        for pair, known in self.known.items():
            bond = self.bond(pair)
            self.check_log(pair, known, bond)
            self.check_rule(bond)
            digests = self.check_folds(pair, known, bond)
            known.digests = {"length": len(known.hashes), **digests}
            self.check_explanations(bond, known)
        require(self.store.stray() == [], "rows of nobody")
        self.check_erased()

    def check_log(self, pair: int, known: Known, bond: Relationship) -> None:
        """Every acknowledged record is there as it was, every text as it was said."""
        found = bond.verify(tip=known.hashes[-1].hex())
        require(found.ok, "the log is damaged", pair, found.problems)
        stream = bond._stream
        with stream.reading():
            hashes = stream.log.hashes(stream.line.line)
            require(hashes == known.hashes, "what was acknowledged is not what is there", pair)
            contents = {n: p["content"] for n, p in stream.payloads(sorted(known.texts)).items()}
        for number, words in known.texts.items():
            require(contents.get(number) == words, "another wording", pair, number, words)

    def check_rule(self, bond: Relationship) -> None:
        """What stands is what the rule says when it is computed the slow way."""
        stream = bond._stream
        with stream.reading():
            headers = list(stream.log.headers(stream.line.line))
            reference = Reference(headers)
            branches = reference.branches()
            if len(headers) > 200:
                branches = [stream.history.current]
            for branch in branches:
                standing = stream.standing(branch)
                order = [n for d in range(len(standing.path)) for n in standing.at_depth(d)]
                rule = reference.order(branch)
                odd = [(n, headers[n]) for n in sorted(set(order) ^ set(rule))]
                require(order == rule, "what stands", bond.user, branch, odd, order, rule)

    def check_folds(self, pair: int, known: Known, bond: Relationship) -> dict[str, Any]:
        """A lazy fold equals a fold from zero; who was left alone is as before."""
        digests = {}
        for branch in bond.branches():
            side = bond.on(branch.name)
            digests[branch.name] = side.digests()
            require(digests[branch.name] == side.replay(), "lazy fold", pair, branch.name)
            for name, value in asdict(side.rapport()).items():
                require(0 <= value <= 1, "out of bounds", pair, name, value)
        if known.digests is not None and known.digests["length"] == len(known.hashes):
            before = {name: own for name, own in known.digests.items() if name != "length"}
            require(digests == before, "nothing happened to it, and yet it changed", pair)
        return digests

    def check_explanations(self, bond: Relationship, known: Known) -> None:
        """What counts is explained down to the letter, and from words that count as well."""
        for record in bond.records():
            if record.why_not is not None or record.type == "RelationshipFounded":
                continue
            explained = bond.why(record.number)
            for quote in explained.quotes:
                words = known.texts[quote.text]
                cited = None if words is None else words[quote.start : quote.end]
                require(quote.words == cited, "a quote that nobody said", record, quote)
                bare = cited is not None or record.on_erased
                require(bare, "rests on erased words, and does not say so", record)

    def check_erased(self) -> None:
        """Of words that are in no text any more, no byte is left in the files."""
        if self.store.to_scrub() and not self.store.scrub():
            return
        left = {token for known in self.known.values() for token in tokens(known.texts.values())}
        gone = {token for known in self.known.values() for token in tokens(known.said)} - left
        data = b"".join(path.read_bytes() for path in sorted(self.folder.glob("life.db*")))
        for token in sorted(gone):
            require(token.encode() not in data, "erased words are in the files", token)
        self.counts["erased words looked for in every byte"] += len(gone)

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def require(true: bool, what: str, *about: object) -> None:
    """A Violation, unless it is true."""
    if not true:
        raise Violation(f"{what}: {' '.join(map(repr, about))}"[:4000])


# A whole life, and how a failing one is made small


def keyed(seed: int) -> bool:
    """Whether a life is lived in a keyed store: every fourth is. That needs the extra `crypto`."""
    return seed % 4 == 0


def live(seed: int, plan: Sequence[Operation], every: int = 15) -> Counter[str]:
    """Live a plan from beginning to end; all is checked after so many operations and at the end.

    Returns what was counted. Whatever must be true and is not is raised, as is any error that is
    no answer.
    """
    with TemporaryDirectory() as folder:
        world = World(Path(folder), seed, keyed=keyed(seed))
        try:
            for place, one in enumerate(plan, start=1):
                world.do(one)
                if place % every == 0 or place == len(plan):
                    world.check()
        finally:
            world.close()
        records = sum(len(known.hashes) for known in world.known.values())
        kind = "lives in a keyed store" if world.keyed else "lives in a plain store"
        world.counts.update({kind: 1, "records": records})
        return world.counts


def shrunk(seed: int, plan: Sequence[Operation], tries: int = 80) -> tuple[Operation, ...]:
    """A shorter plan that fails in the same way, found by leaving operations out greedily.

    Where it fails without its faults as well, what happened within them is left on its own.
    """
    failing, way = tuple(plan), failure(seed, plan)
    bare = tuple(each for one in plan for each in one.inner or (one,))
    if way is not None and failure(seed, bare) == way:
        failing = bare
    size = len(failing) // 2
    while size and tries:
        place = 0
        while place < len(failing) and tries:
            shorter = failing[:place] + failing[place + size :]
            tries -= 1
            if shorter and way is not None and failure(seed, shorter) == way:
                failing = shorter
            else:
                place += size
        size //= 2
    return failing


def failure(seed: int, plan: Sequence[Operation]) -> str | None:
    """In which way a life fails, without its particulars; None where it does not."""
    try:
        live(seed, plan, every=10**9)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__} {str(error).partition(':')[0]}"
    return None
