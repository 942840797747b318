"""One file with many relationships: opening it, finding them, taking files in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self

from enishi.host.given import Clock, Progress, read_chats_at, read_file, system_clock
from enishi.host.relationship import Relationship
from enishi.kernel.checks import check_id, read_hash
from enishi.kernel.erasing import parties
from enishi.kernel.erasing import proof as erasure_proof
from enishi.kernel.erasing.erasure import Part
from enishi.kernel.erasing.parties import PartyPlan
from enishi.kernel.erasing.proof import ReceiptProof, read_json, signed
from enishi.kernel.erasing.receipt import (
    PATIENCE,
    Receipt,
    erase_again,
    out_of_reach,
    read_receipt,
    receipt_of,
)
from enishi.kernel.errors import InvalidInput, LogDamaged, MissingExtra, NotFound
from enishi.kernel.events import ErasureReason
from enishi.kernel.inspection import Inspection, check_file, inspect_store
from enishi.kernel.keys import keying
from enishi.kernel.keys.keyring import Signer, add_signer, own_key, remove_signer, sign, signers
from enishi.kernel.lines import erased_lines, lines_of
from enishi.kernel.log import Entropy, Line, Log
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Stream, found_stream
from enishi.kernel.verification import Problem, Verification, verify_line
from enishi.packs.chats.cards import Card
from enishi.packs.chats.cast import as_seen_by, chat_agents, chat_user, in_order
from enishi.packs.chats.chat import Chat
from enishi.packs.chats.dates import read_zone
from enishi.packs.chats.importing import ImportReport, import_chat
from enishi.packs.chats.readers import proposers_of
from enishi.packs.erii.comparing import differences
from enishi.packs.erii.importing import import_erii
from enishi.packs.erii.reading import read_erii
from enishi.packs.erii.report import EriiReport
from enishi.packs.memorypack.frames import Signature
from enishi.packs.memorypack.pack_files import open_pack
from enishi.packs.memorypack.taking_in import PackTaken, Wanted, take_pack
from enishi.packs.models.embedders import embedder_named, need_numpy
from enishi.projections.recall.vectors import Embedder


class Store:
    """One SQLite file with many relationships. Safe to share between threads."""

    def __init__(
        self, log: Log, clock: Clock, entropy: Entropy, embedder: Embedder | None = None
    ) -> None:
        self._log = log
        self._embedder = embedder
        self._clock = clock
        self._entropy = entropy
        self._streams: dict[int, Stream] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._log.path

    @property
    def embedder(self) -> Embedder | None:
        """What searches by meaning here, if anything does."""
        return self._embedder

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        self._log.close()

    def relationship(
        self,
        agent: str,
        user: str,
        *,
        blueprint: Card | Mapping[str, Any] | None = None,
        policy: str | Mapping[str, Any] | None = None,
        create: bool = True,
    ) -> Relationship:
        """The relationship of an agent and a user, founded if it is new (unless not `create`).

        Ids are opaque texts of 1 to 200 characters. A blueprint or policy other than the one in
        force is adopted from here on.
        """
        check_id(agent, "the agent")
        check_id(user, "the user")
        line = self._log.line_of(agent, user)
        if line is None:
            if not create:
                raise NotFound(f"there is no relationship of {agent!r} and {user!r} in {self.path}")
            with self._log.writing():
                line = self._log.line_of(agent, user) or self._found(agent, user)
        bond = Relationship(self, self._stream(line))
        if blueprint is not None:
            bond.adopt_blueprint(blueprint)
        if policy is not None:
            bond.adopt_policy(policy)
        return bond

    def relationships(self, *, archived: bool | None = False) -> list[Relationship]:
        """All relationships in sight, in the order in which they came.

        With `archived`, those out of sight alone; None is all.
        """
        lines = [line for line in self._log.lines(archived=archived) if not line.name]
        return [Relationship(self, self._stream(line)) for line in lines]

    def check_file(self) -> list[Problem]:
        """What SQLite's own check of the file finds: pages and indexes, whatever stands in them."""
        return [Problem(None, f"SQLite's own check: {found}") for found in check_file(self.path)]

    def stray(self) -> list[Problem]:
        """What the store holds of relationships that it does not list. A whole store has none."""
        try:
            found = self._log.stray()
        except LogDamaged as error:
            return [Problem(None, str(error))]
        return [
            Problem(None, f"the table {table!r} has rows of line {line}, which is not listed")
            for table, line in found
        ]

    def verify_erased(self) -> list[tuple[str, Verification]]:
        """What is left of erased relationships, checked: the random id of each, in hexadecimal, and
        what was found. Only headers and tombstones may be there.
        """
        return [
            (line.relationship.hex(), verify_line(self._log, line))
            for line in erased_lines(self._log)
        ]

    def import_chats(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        agent: str | None = None,
        user: str | None = None,
        zone: str = "UTC",
        personas: Iterable[str] = (),
        propose: bool = True,
        progress: Progress = lambda title, done, total: None,
    ) -> list[ImportReport]:
        """Take chat files in, ordered by their first known times. Every file is read before any
        is recorded, and each is recorded whole.

        `agent` and `user` are ids; left out, they are the names in the file. `zone` is for dates
        that name none. Lines of the user under one of the names in `personas` are somebody
        else's. With `propose`, the bundled rules read the chosen texts. A group chat goes to each
        of its characters, or to `agent` alone.
        """
        several = [paths] if isinstance(paths, str | os.PathLike) else paths
        chats = [chat for path in several for chat in read_chats_at(Path(path), zone)]
        reports = []
        for chat in in_order(chats):
            # Nothing of a file that fails stays, nor a relationship that was founded for it.
            with self._log.writing():
                for name, speakers in chat_agents(chat, agent):
                    bond = self.relationship(name, user or self._user_of(chat, name))
                    reports.append(
                        import_chat(
                            bond._stream,
                            as_seen_by(chat, speakers, frozenset(personas)),
                            zone=zone,
                            proposers=proposers_of(chat) if propose else (),
                            progress=partial(progress, chat.title),
                        )
                    )
        return reports

    def import_erii(
        self,
        path: str | os.PathLike[str],
        *,
        agent: str | None = None,
        user: str | None = None,
        zone: str = "UTC",
    ) -> EriiReport:
        """Take in a pack of the E.R.I.I. project (0.4.0a7 to 0.5.0a3), whole or not at all.

        `agent` and `user` are ids; left out, they are the pack's. `zone` is where its instants
        were lived. What the pack asserts is judged by our rules on the words that it cites; the
        report has what was refused, what has no counterpart, and what comes out otherwise.
        """
        pack = read_erii(Path(path).name, read_file(Path(path)))
        relationship = pack.contents.relationship
        with self._log.writing():
            bond = self.relationship(agent or relationship.agent_id, user or relationship.user_id)
            report, taken = import_erii(bond._stream, pack, read_zone(zone))
            report.differences = differences(bond._stream, pack, report, taken)
        return report

    def import_pack(
        self,
        path: str | os.PathLike[str],
        *,
        identity: str | None = None,
        passphrase: str | None = None,
        as_branch: str | None = None,
        accept_erasures: bool = False,
        signer: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> PackTaken:
        """Take a MemoryPack in: all of it, checked, or nothing.

        `identity` (age) or `passphrase` opens an encrypted pack. `as_branch` names the line of a
        pack that went on otherwise than what is here; without it that is PackConflict. Tombstones
        that would destroy something here need a known signer, or `accept_erasures`. `signer`, in
        hexadecimal, is the only one whose pack is taken. With `dry_run` nothing is kept.
        """
        key = None if signer is None else read_hash(signer, "a signer's key")
        wanted = Wanted(as_branch, accept_erasures, key, dry_run)
        with open_pack(Path(path), identity, passphrase) as reader:
            taken = take_pack(self._log, reader, self._fresh, wanted, progress)
        self._log.scrub()
        return taken

    def signers(self) -> list[Signer]:
        """The keys that this store believes. Its own is among them once it was needed."""
        return signers(self._log)

    def own_key(self) -> str:
        """The public key with which this store signs, in hexadecimal; made where there is none."""
        with self._log.writing():
            return own_key(self._log, self._entropy)[0].hex()

    def believe(self, key: str, name: str) -> None:
        """Believe what is signed with this key (hexadecimal) from now on."""
        with self._log.writing():
            add_signer(self._log, read_hash(key, "a signer's key"), name)

    def disbelieve(self, key: str) -> None:
        """Believe what is signed with this key no more."""
        with self._log.writing():
            remove_signer(self._log, read_hash(key, "a signer's key"))

    def _signing(self) -> Callable[[bytes], Signature] | None:
        """What signs in this store's name; None where the extra for it is not installed."""
        try:
            with self._log.writing():
                key, seed = own_key(self._log, self._entropy)
        except MissingExtra:
            return None
        return lambda data: Signature(key, sign(seed, data))

    def _fresh(self, line: Line) -> Stream:
        """A stream that nobody else has, for a line that is still about to change."""
        return Stream(self._log, line, self._now, self._entropy)

    def _user_of(self, chat: Chat, agent: str) -> str:
        """The user whose relationship took this file in before, else the one it names."""
        for bond in self.relationships(archived=None):
            if bond.agent == agent and bond.has_imported(chat.title):
                return bond.user
        return chat_user(chat)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is recorded within is recorded together, or nothing is."""
        with self._log.writing():
            yield

    # Erasing

    def erase_user(self, user: str, *, reason: ErasureReason = "request") -> Receipt:
        """Erase every relationship of a user for good, and what that user said in others'.

        The id may also be an earlier one: see `rebind`. Looks through the whole store. Of an id that
        is not there nothing is erased: whether it ever was cannot be told any more. Turns of others
        that say, by an id, that the user was there stay, since they are what others said; the plan
        lists them and the receipt counts them (`scenes`).
        """
        return self._erase_party("user", user, reason)

    def erase_agent(self, agent: str, *, reason: ErasureReason = "request") -> Receipt:
        """Erase every relationship of an agent for good, and what it said in others'."""
        return self._erase_party("agent", agent, reason)

    def plan_erasure(self, *, user: str | None = None, agent: str | None = None) -> PartyPlan:
        """What would go with a user, with an agent, or with the relationship of both, before it
        does: of each relationship how much, by kind, and what is out of reach. Changes nothing.
        """
        log = self._log
        if (user is None) == (agent is None):
            bond = self.relationship(agent or "", user or "", create=False)
            streams = map(self._stream, lines_of(log, bond._stream.line.relationship))
            shares = tuple(map(parties.whole_share, streams))
            return PartyPlan((), shares, out_of_reach(log))
        scope: parties.PartyScope = "agent" if user is None else "user"
        with log.reading():
            found = self._find(scope, user or agent or "")
            shares = tuple(parties.shares(found, scope))
        return PartyPlan(tuple(sorted(found.ids)), shares, out_of_reach(log))

    def _erase_party(self, scope: parties.PartyScope, party: str, reason: ErasureReason) -> Receipt:
        with self._log.writing():
            found = self._find(scope, party)
            parts, scenes = parties.erase_party(found, scope, reason)
        return receipt_of(self._log, parts, scope, reason, False, scenes)

    def _find(self, scope: parties.PartyScope, party: str) -> parties.Found:
        check_id(party, f"the {scope}")
        return parties.find([self._stream(line) for line in self._log.lines()], scope, party)

    def erase_again(self, receipt: Receipt | Mapping[str, Any]) -> Receipt:
        """Erase in this store what a receipt says was erased, as after restoring an older copy.

        Records that are not those of the receipt are NotFound, and nothing is erased. Relationships
        that this store does not have are passed over.
        """
        given = receipt if isinstance(receipt, Receipt) else read_receipt(receipt)
        parts: list[Part] = []
        with self._log.writing():
            for line in self._log.lines():
                if line.relationship.hex() in {part.relationship for part in given.parts}:
                    stream = self._stream(line)
                    with stream.writing():
                        parts += erase_again(stream, given)
        return receipt_of(self._log, parts, given.scope, given.reason, given.keep_effects)

    def sign(self, receipt: Receipt) -> Receipt:
        """The receipt with a signature (Ed25519) of this store's key; needs the extra `crypto`.

        Whoever has the store's public key (`own_key`) can check it without the store: see `prove`.
        """
        with self._log.writing():
            return signed(self._log, receipt, self._entropy)

    @property
    def keyed(self) -> bool:
        """Whether each payload is kept encrypted under a key of its own."""
        return self._log.vault is not None

    def scrub(self) -> bool:
        """Try again to scrub what was erased; False where a reader is still in the way."""
        return self._log.scrub(PATIENCE)

    def to_scrub(self) -> list[tuple[int, int]]:
        """The tombstones, by line and number, whose bytes still have to go from the files."""
        with self._log.reading():
            return self._log.to_scrub()

    def inspect(self) -> Inspection:
        """What the file consists of, and what SQLite's own check of it finds."""
        return inspect_store(self.path)

    def _bond(self, stream: Stream, branch: str | None = None) -> Relationship:
        return Relationship(self, stream, branch)

    def _found(self, agent: str, user: str) -> Line:
        return found_stream(self._log, agent, user, self._now, self._entropy).line

    def _stream(self, line: Line) -> Stream:
        found = self._streams.get(line.line)
        if found is None or found.line != line:  # a founding that was undone leaves its place
            found = self._streams[line.line] = Stream(self._log, line, self._now, self._entropy)
        return found

    def _now(self) -> Moment:
        return Moment.of(self._clock())


def open_store(
    path: str | os.PathLike[str] = "enishi.db",
    *,
    clock: Clock = system_clock,
    entropy: Entropy = os.urandom,
    synchronous: Literal["FULL", "NORMAL"] = "FULL",
    read_only: bool = False,
    create: bool = True,
    keyed: bool = False,
    embedder: Embedder | str | None = None,
) -> Store:
    """Open a store, made if missing (unless not `create`).

    `clock` and `entropy` are where time and chance come in. `synchronous` NORMAL may lose the
    last turns on a power cut, and is faster.

    `keyed` makes a new store one whose payloads are encrypted, each under a key of its own in a
    second file beside it (`<path>.keys`); it needs the extra `crypto`. A store that is keyed is
    recognised without it; one that is not is Conflict: see `make_keyed`.

    With an `embedder`, recall searches by meaning as well: an Embedder, `bundled` (in the extra
    `semantic`), or the address of a server with OpenAI's embeddings and a model's name, with a space
    between them. MissingExtra names what is not installed.
    """
    if synchronous not in ("FULL", "NORMAL"):
        raise InvalidInput(f"`synchronous` is FULL or NORMAL, not {synchronous!r}")
    if isinstance(embedder, str):
        embedder = embedder_named(embedder)
    if embedder is not None:
        need_numpy()
        import_module("enishi.projections.recall.meaning")  # now, and in nobody's deadline
    log = Log(Path(path), synchronous=synchronous, read_only=read_only, create=create, keyed=keyed)
    return Store(log, clock, entropy, embedder)


def make_keyed(path: str | os.PathLike[str]) -> int:
    """Make a plain store keyed: nothing but the form of its file changes. Returns how many
    payloads were encrypted, 0 where it is keyed already.

    Nobody else may have it open meanwhile, else StoreBusy.
    """
    with closing(Log(Path(path), create=False, alone=True)) as log:
        return keying.make_keyed(log)


def prove(
    receipt: str | Mapping[str, Any], store: Store | None = None, *, signer: str | None = None
) -> ReceiptProof:
    """Check the receipt of an erasure, given as JSON text or its values; it needs no store.

    Whose signature it has and whether that fits; with a store, whether tombstones, tips and scrub
    are there as it says. `signer` is the public key that it has to be signed with, in hexadecimal.
    """
    plain = read_json(receipt) if isinstance(receipt, str) else receipt
    if signer is not None:
        signer = read_hash(signer, "a signer's key").hex()
    return erasure_proof.prove(plain, None if store is None else store._log, signer)
