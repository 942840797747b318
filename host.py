"""The face for a Python program: open a store, take a relationship, record turns, ask about it.

Everything here delegates; what a word means is said where it is done, in `kernel`,
`projections` and `packs`.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import (
    Callable,
    Collection,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial, wraps
from itertools import takewhile
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, Protocol, Self, TypeVar

from enishi.kernel import erasure_proof, keying, recording
from enishi.kernel.checks import check_id
from enishi.kernel.deciding.bounding import merge_episode, split_episode
from enishi.kernel.deciding.correcting import correct
from enishi.kernel.deciding.proposals import Audience, Party, Proposal, Proposer
from enishi.kernel.deciding.proposing import (
    Decided,
    Host,
    batch_decisions,
    decisions,
    propose,
    propose_unread,
    record_batch,
    release,
    standing_texts,
)
from enishi.kernel.erasure import (
    Asked,
    Part,
    ask,
    erase,
    erase_relationship,
    of_numbers,
    of_party,
    reached,
)
from enishi.kernel.erasure_plan import Plan, check_plan, copies_of, plan
from enishi.kernel.erasure_proof import ReceiptProof, read_json, signed
from enishi.kernel.erasure_receipt import (
    PATIENCE,
    Receipt,
    erase_again,
    read_receipt,
    receipt_of,
)
from enishi.kernel.errors import (
    Conflict,
    InvalidInput,
    MissingExtra,
    NotFound,
    StoreFailure,
    UnreadableFile,
)
from enishi.kernel.events import Delivery, ErasureReason
from enishi.kernel.explaining import Explanation, RecordView, explain, record_views
from enishi.kernel.fold import Projection, State, fold_of, keep_history
from enishi.kernel.history import ROOT
from enishi.kernel.inspection import Inspection, inspect_store
from enishi.kernel.keyring import (
    Signer,
    add_signer,
    own_key,
    read_key,
    remove_signer,
    sign,
    signers,
)
from enishi.kernel.lines import archive, lines_of, note_export, shared_length
from enishi.kernel.log import Entropy, Line, Log
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message, Reply, Scene
from enishi.kernel.stream import Stream, found_stream
from enishi.kernel.transcript import (
    BranchView,
    Summary,
    Text,
    TurnView,
    branch_views,
    summary,
    text_of,
    turn_views,
)
from enishi.kernel.transcript import turn_view as view_of_turn
from enishi.kernel.verification import Problem, Verification, verify_line
from enishi.packs.cards import Card, read_card
from enishi.packs.cast import as_seen_by, chat_agents, chat_user, in_order
from enishi.packs.chat import Chat
from enishi.packs.chat_files import ChatFormat, write_chat_file
from enishi.packs.dates import read_zone
from enishi.packs.erii.comparing import differences
from enishi.packs.erii.importing import import_erii
from enishi.packs.erii.reading import read_erii
from enishi.packs.erii.report import EriiReport
from enishi.packs.exporting import Exported, cut, export_pack, withheld_with
from enishi.packs.frames import Signature
from enishi.packs.importing import ImportReport, import_chat, last_import
from enishi.packs.memoir import memoir, write_memoir
from enishi.packs.mood_line import mood_line
from enishi.packs.pack_files import open_pack
from enishi.packs.readers import proposers_of, read_chats
from enishi.packs.taking_in import PackTaken, Wanted, take_pack
from enishi.projections import PROJECTIONS, reading
from enishi.projections.beliefs import BELIEFS, BeliefView, Staleness, stale, tellings
from enishi.projections.chapters import ChapterView, chapters
from enishi.projections.character import CHARACTER, ReflectionView, reflections
from enishi.projections.episodes import Episode, episodes_of
from enishi.projections.mood import Feeling, MoodView, mood_at
from enishi.projections.policy import bundled_policy, read_policy
from enishi.projections.promises import PROMISES, LoopView, PromiseView, loops_at, promises_at
from enishi.projections.reading import Change, MoodChange, Rapport
from enishi.projections.recall.budget import counter_of
from enishi.projections.recall.gate import Gate, gate
from enishi.projections.recall.hearing import viewers_in, viewers_of
from enishi.projections.recall.holding import known_names, seen_on
from enishi.projections.recall.index import drop_index, keep_up
from enishi.projections.recall.items import ELSEWHERE, LAYERS, Item, Layer, Recall, Viewers
from enishi.projections.recall.portrait import portrait_items
from enishi.projections.recall.recalling import Query, recall
from enishi.projections.recall.rendering import LANGUAGES, Counter
from enishi.projections.recall.tracing import Trace, report_used, trace
from enishi.projections.shortening import ShortTurn
from enishi.projections.telling import EpisodeView, episode_views, shortened_episode
from enishi.projections.tensions import TENSIONS, TensionView, tensions
from enishi.projections.timeline import Timeline, timeline

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Progress = Callable[[str, int, int], None]
"""Told how far a file is: its title, lines done, lines in all."""

BUDGET = 800
"""Tokens that recall may take, unless its caller says otherwise."""

Clock = Callable[[], datetime]
"""Tells the present as an aware datetime."""

Said = str | Message | Sequence[str | Message]
"""What was said to the agent: a text by the user, a Message, or several in a row; may be empty."""


def system_clock() -> datetime:
    """The present, at the machine's own offset."""
    return datetime.now().astimezone()


class Store:
    """One SQLite file with many relationships. Safe to share between threads."""

    def __init__(self, log: Log, clock: Clock, entropy: Entropy) -> None:
        self._log = log
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

    def stray(self) -> list[Problem]:
        """What the store holds of relationships that it does not list. A whole store has none."""
        return [
            Problem(None, f"the table {table!r} has rows of line {line}, which is not listed")
            for table, line in self._log.stray()
        ]

    def import_chats(
        self,
        paths: Iterable[str | os.PathLike[str]],
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
        chats = [chat for path in paths for chat in _read_chats(Path(path), zone)]
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
        wanted = Wanted(as_branch, accept_erasures, read_key(signer), dry_run)
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
            add_signer(self._log, read_key(key) or b"", name)

    def disbelieve(self, key: str) -> None:
        """Believe what is signed with this key no more."""
        with self._log.writing():
            remove_signer(self._log, read_key(key) or b"")

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

        Looks through the whole store. Of an id that is not there nothing is erased: whether it
        ever was cannot be told any more.
        """
        return self._erase_party("user", user, reason)

    def erase_agent(self, agent: str, *, reason: ErasureReason = "request") -> Receipt:
        """Erase every relationship of an agent for good, and what it said in others'."""
        return self._erase_party("agent", agent, reason)

    def _erase_party(
        self, scope: Literal["user", "agent"], party: str, reason: ErasureReason
    ) -> Receipt:
        check_id(party, f"the {scope}")
        parts: list[Part] = []
        with self._log.writing():
            for line in self._log.lines():
                stream = self._stream(line)
                if party == (line.user if scope == "user" else line.agent):
                    # The other lines of a relationship go with its first.
                    parts += [] if line.name else erase_relationship(stream, scope, reason)
                    continue
                with stream.writing():
                    asked = of_party(stream, party, scope)
                    parts += erase(stream, asked, reason) if asked.numbers else []
        return receipt_of(self._log, parts, scope, reason, False)

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

    def _found(self, agent: str, user: str) -> Line:
        return found_stream(self._log, agent, user, self._now, self._entropy).line

    def _stream(self, line: Line) -> Stream:
        found = self._streams.get(line.line)
        if found is None or found.line != line:  # a founding that was undone leaves its place
            found = self._streams[line.line] = Stream(self._log, line, self._now, self._entropy)
        return found

    def _now(self) -> Moment:
        return Moment.of(self._clock())


class Relationship:
    """One agent and one user. Works on the current branch, or on the one it was taken `on`."""

    def __init__(self, store: Store, stream: Stream, branch: str | None = None) -> None:
        self._store = store
        self._stream = stream
        self._named = branch

    @property
    def agent(self) -> str:
        """The agent's stable id."""
        return self._stream.line.agent

    @property
    def user(self) -> str:
        """The user's stable id."""
        return self._stream.line.user

    @property
    def id(self) -> bytes:
        """The relationship's own 16 random bytes."""
        return self._stream.line.relationship

    def on(self, branch: str) -> Relationship:
        """The same relationship, seen and continued on another branch.

        A line that a pack brought in goes by its name, and a branch of it by NAME/BRANCH.
        """
        with self._stream.reading():
            if branch not in self._stream.names() and (line := self._line_named(branch)):
                name = branch.removeprefix(line.name).removeprefix("/")
                other = Relationship(self._store, self._store._stream(line))
                return other.on(name) if name else other
            self._stream.branch_named(branch)
        return Relationship(self._store, self._stream, branch)

    def _line_named(self, branch: str) -> Line | None:
        own = self._stream.line
        others = (line for line in lines_of(self._stream.log, own.relationship) if line.name)
        found = (line for line in others if f"{branch}/".startswith(f"{line.name}/"))
        return max(found, key=lambda line: len(line.name), default=None)

    # What is said

    def turn(
        self,
        said: Said = (),
        *,
        at: datetime | None = None,
        request: str | None = None,
        scene: Scene | None = None,
        expect: Turn | int | None = None,
    ) -> Turn:
        """Open a turn at the tip. As a context manager, it is abandoned if no reply comes.

        `request` makes it safe to send again: the same id with the same content is answered with
        the turn that it opened, with other content it is RequestConflict. `expect` is the turn
        that must be the tip, else ExpectationFailed.
        """
        return self._open(said, None, at, request, scene, expect)

    def record(
        self,
        said: Said,
        reply: str | Reply,
        *,
        at: datetime | None = None,
        request: str | None = None,
        scene: Scene | None = None,
        expect: Turn | int | None = None,
    ) -> Turn:
        """Record an exchange that already happened, in one step."""
        given = Reply(reply) if isinstance(reply, str) else reply
        return self._open(said, given, at, request, scene, expect)

    def regenerate(
        self, turn: Turn | int, reply: str | Reply, *, request: str | None = None
    ) -> Text:
        """Record another reply to the same messages; it is the chosen one from now on."""
        given = Reply(reply) if isinstance(reply, str) else reply
        with self._writing() as branch:
            number = recording.give_reply(
                self._stream, branch, _number(turn), given, request=request
            )
            return text_of(self._stream, branch, number)

    def swipe(self, turn: Turn | int, reply: int) -> None:
        """Choose among the replies of a turn, counted from 1 in the order in which they came."""
        with self._writing() as branch:
            replies = view_of_turn(self._stream, branch, _number(turn)).replies
            if not 1 <= reply <= len(replies):
                raise NotFound(f"turn {_number(turn)} has {len(replies)} replies, not {reply}")
            if not replies[reply - 1].chosen:
                recording.choose_variant(self._stream, branch, replies[reply - 1].root)

    def edit(self, text: Text | int, content: str, *, request: str | None = None) -> Text:
        """Give a message or a reply another wording. What rested on the old one falls."""
        with self._writing() as branch:
            number = recording.revise_text(
                self._stream, branch, _number(text), content, request=request
            )
            return text_of(self._stream, branch, number)

    def extend(self, text: Text | int, more: str, *, request: str | None = None) -> Text:
        """Continue a reply: `more` is added to its wording."""
        with self._writing() as branch:
            before = self._current_wording(branch, _number(text))
            if before.content is None:
                raise Conflict(f"number {before.number} was erased; it cannot be continued")
            number = recording.revise_text(
                self._stream, branch, before.root, before.content + more,
                how="continued", request=request,
            )  # fmt: skip
            return text_of(self._stream, branch, number)

    def undo(self, text: Text | int) -> Text:
        """Go back to the wording before the chosen one."""
        with self._writing() as branch:
            now = self._current_wording(branch, _number(text))
            place = now.wordings.index(now.number)
            if place == 0:
                raise Conflict(f"number {now.number} is the original wording; nothing to undo")
            return self._choose_wording(branch, now.wordings[place - 1])

    def choose_wording(self, wording: int) -> Text:
        """Let this wording of a message or reply count, by its number."""
        with self._writing() as branch:
            return self._choose_wording(branch, wording)

    # The tree

    def branches(self) -> list[BranchView]:
        """All branches that were not dropped, those of lines that packs brought in at the end."""
        with self._stream.reading():
            views = branch_views(self._stream)
            if self._stream.line.name:
                return views
            for line in lines_of(self._stream.log, self._stream.line.relationship)[1:]:
                other = self._store._stream(line)
                with other.reading():
                    views += [_of_line(line, view) for view in branch_views(other)]
            return views

    def compare(self, first: str, second: str) -> Comparison:
        """What two branches share, and how many turns each has of its own."""
        sides = [self.on(first), self.on(second)]
        numbers = [[turn.number for turn in side.turns()] for side in sides]
        lines = [side._stream.line.line for side in sides]
        with self._stream.reading():
            alike = shared_length(self._stream.log, *lines)
        pairs = zip(*numbers, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] < alike, pairs))
        return Comparison(
            shared, {first: len(numbers[0]) - shared, second: len(numbers[1]) - shared}
        )

    def fork(self, name: str, after: Turn | int | None = None) -> Relationship:
        """Begin a branch after a turn (the tip, where none is named). The current one stays."""
        with self._writing() as branch:
            turn = None if after is None else _turn_number(after)
            recording.fork_branch(self._stream, branch, name, turn)
        return self.on(name)

    def switch(self, name: str) -> None:
        """Make a branch the current one."""
        with self._writing():
            recording.switch_branch(self._stream, self._stream.branch_named(name))

    def back(self, turn: Turn | int | None) -> None:
        """End the branch after this turn (None: before the first). Later turns can come back."""
        with self._writing() as branch:
            recording.move_tip(self._stream, branch, ROOT if turn is None else _turn_number(turn))

    def drop(self, name: str) -> int:
        """Drop a branch. Returns its number, with which `restore` brings it back."""
        with self._writing():
            branch = self._stream.branch_named(name)
            recording.drop_branch(self._stream, branch)
            return branch

    def withdraw(self, *numbers: int) -> None:
        """Let events, texts or whole turns count for nothing, on all branches. Can be undone."""
        with self._writing() as branch:
            recording.withdraw(self._stream, branch, numbers)

    def restore(self, *numbers: int) -> None:
        """Let what was withdrawn count again."""
        with self._writing() as branch:
            recording.restore(self._stream, branch, numbers)

    def export_chat(self, path: str | os.PathLike[str], format: ChatFormat = "sillytavern") -> int:
        """Write what stands on the branch as a chat file. Returns the number of lines.

        `sillytavern` is a `.jsonl` with swipes, `jsonl` has every text with what is known of it.
        A file that is there already is not written over.
        """
        with self._reading() as branch:
            return write_chat_file(Path(path), self._stream, branch, format)

    def memoir(self, audience: Audience = "user") -> str:
        """The relationship told for people, as Markdown, in English or Chinese by what is spoken.

        For the agent it has what the agent kept to itself as well.
        """
        with self._reading() as branch:
            return memoir(self._stream, branch, audience)

    def export_memoir(self, path: str | os.PathLike[str], audience: Audience = "user") -> None:
        """Write the memoir to a file. One that is there already is not written over."""
        with self._reading() as branch:
            write_memoir(Path(path), self._stream, branch, audience)

    # Erasing: not to be undone. Withdrawing can be.

    def plan_erasure(
        self,
        *about: _Numbered | int,
        through: _Numbered | int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        belief: _Numbered | int | None = None,
        matching: str | None = None,
        keep_effects: bool = False,
    ) -> Plan:
        """What erasing this would do: what goes, what stays, what returns, what says it again.

        Takes what `erase` takes, and changes nothing. `erase` carries the plan out.
        """
        with self._reading() as branch:
            asked = self._asked(
                branch, about, through, since, until, belief, matching, keep_effects
            )
            made = plan(self._stream, branch, asked, matching)
            returns = reading.beliefs_returning(
                self._stream, branch, made.numbers, keep_effects, self._store._now()
            )
        return replace(made, returns=returns)

    def erase(
        self,
        *about: _Numbered | int | Plan,
        through: _Numbered | int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        belief: _Numbered | int | None = None,
        matching: str | None = None,
        keep_effects: bool = False,
        copies: bool = False,
        reason: ErasureReason = "request",
    ) -> Receipt:
        """Destroy words for good, with everything that rests on them; nothing brings them back.

        `about` are turns, texts, events or their numbers; with `through`, the turns from the one
        to the other. `since` and `until` (exclusive) take what was said in that time, on every
        branch. `belief` takes a belief and what speaks of it, not the texts under it. A text to
        look for (`matching`) is erased through its plan alone, which shows where it was found. A
        plan that is older than the log is ExpectationFailed.

        With `keep_effects` only what carries words goes, and what is content-free stays. With
        `copies`, the same words of the same scene go from other relationships as well.
        """
        planned = about[0] if len(about) == 1 and isinstance(about[0], Plan) else None
        if matching is not None:
            raise InvalidInput(
                "a text is looked for before it is erased: "
                "plan = bond.plan_erasure(matching=...), look at it, then bond.erase(plan)"
            )
        parts: list[Part] = []
        with self._writing() as branch:
            if planned is not None:
                asked = planned.asked
                check_plan(self._stream, planned)
            else:
                named = [one for one in about if not isinstance(one, Plan)]
                if len(named) < len(about):
                    raise InvalidInput("a plan is carried out alone")
                asked = self._asked(
                    branch, named, through, since, until, belief, None, keep_effects
                )
            elsewhere = self._copies_of(asked) if copies else []
            parts += erase(self._stream, asked, reason)
            for stream, numbers in elsewhere:
                with stream.writing():
                    there = of_numbers(stream, numbers, asked.keep_effects)
                    parts += erase(stream, there, reason)
        log = self._stream.log
        return receipt_of(log, parts, asked.scope, reason, asked.keep_effects)

    def erase_relationship(self, *, reason: ErasureReason = "request") -> Receipt:
        """Erase all of it for good, the names of the two included. They can begin a new one."""
        with self._stream.writing():
            parts = erase_relationship(self._stream, reason=reason)
        return receipt_of(self._stream.log, parts, "relationship", reason, False)

    def archive(self) -> None:
        """Take the relationship out of sight: `Store.relationships` leaves it out from now on."""
        with self._stream.writing():
            archive(self._stream.log, self.id, archived=True)

    def unarchive(self) -> None:
        """Bring the relationship back into sight; nothing about it has changed."""
        with self._stream.writing():
            archive(self._stream.log, self.id, archived=False)

    def erased_then(self, *, at: datetime | None = None, as_lived: datetime | None = None) -> int:
        """How many records that an answer about then would rest on have been erased since."""
        with self._reading() as branch:
            return reading.erased_then(self._stream, branch, _moment(at), _moment(as_lived))

    def _asked(
        self,
        branch: int,
        about: Sequence[_Numbered | int],
        through: _Numbered | int | None,
        since: datetime | None,
        until: datetime | None,
        belief: _Numbered | int | None,
        matching: str | None,
        keep_effects: bool,
    ) -> Asked:
        return ask(
            self._stream,
            branch,
            [_number(one) for one in about],
            through=None if through is None else _number(through),
            since=_moment(since),
            until=_moment(until),
            belief=None if belief is None else _number(belief),
            matching=matching,
            keep_effects=keep_effects,
        )

    def _copies_of(self, asked: Asked) -> list[tuple[Stream, tuple[int, ...]]]:
        found = []
        for copy in copies_of(self._stream, reached(self._stream, asked)):
            line = self._stream.log.line_of(copy.agent, copy.user)
            if line is not None:
                found.append((self._store._stream(line), copy.numbers))
        return found

    # Carrying it elsewhere

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        recipient: str | None = None,
        passphrase: str | None = None,
        until: datetime | int | None = None,
        withhold: Iterable[int] = (),
        audience: Audience | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Exported:
        """Write a MemoryPack of the whole relationship, signed where the extra `crypto` is there.

        `recipient` (age1…) or `passphrase` encrypts it. `until` ends it before the first thing
        that came later, or before a number. `withhold` leaves payloads out by number, `audience`
        "user" what the agent thought for itself.
        """
        log, stop = self._stream.log, until if isinstance(until, int) else _moment(until)
        signing = None if log.read_only else self._store._signing()
        with log.reading():
            cuts = []
            for line in lines_of(log, self._stream.line.relationship):
                stream = self._store._stream(line)
                with stream.reading():
                    own = withhold if not line.name else ()
                    left_out = withheld_with(stream, own, audience)
                    cuts.append(cut(stream, stop, left_out))
            exported = export_pack(
                Path(path), cuts, sign=signing, recipient=recipient, passphrase=passphrase,
                progress=progress,
            )  # fmt: skip
        if not log.read_only:
            with log.writing():
                pack = bytes.fromhex(exported.pack)
                note_export(log, self._stream.line.relationship, pack, self._stream.now.at)
        return exported

    def rebind(self, party: Party, new: str) -> None:
        """The agent or the user has another outside id from here on, as an event says.

        Where the two have a history under that id already, it is Conflict.
        """
        with self._writing() as branch:
            recording.rebind_party(self._stream, branch, party, new)

    # Who, and by which numbers

    def rename(self, party: str, name: str, aliases: Sequence[str] = ()) -> None:
        """A party (by its stable id) has another display name from here on."""
        with self._writing() as branch:
            recording.name_party(self._stream, branch, party, name, aliases)

    def name_of(self, party: str) -> str:
        """The display name that a party has now."""
        with self._reading() as branch:
            return recording.party_name(self._stream, branch, party)

    def adopt_blueprint(self, blueprint: Card | Mapping[str, Any]) -> None:
        """From here on the character is played from this card. The one in force is not repeated."""
        card = blueprint if isinstance(blueprint, Card) else _card(blueprint)
        bend = reading.bend_of(card.fields())
        with self._writing() as branch:
            if reading.blueprint_json(self._stream, branch) != card.json:
                recording.adopt_blueprint(
                    self._stream, branch, name=card.name, spec=card.spec, card=card.json, bend=bend
                )

    def adopt_policy(self, policy: str | Mapping[str, Any]) -> None:
        """From here on the folds use these numbers: a bundled policy's name, or a whole policy."""
        wanted = bundled_policy(policy) if isinstance(policy, str) else read_policy(dict(policy))
        with self._writing() as branch:
            if reading.policy_in_force(self._stream, branch) != wanted:
                recording.adopt_policy(self._stream, branch, wanted.name, wanted.numbers())

    def blueprint(self) -> dict[str, Any] | None:
        """The card that the character is played from now, or None."""
        with self._reading() as branch:
            text = reading.blueprint_json(self._stream, branch)
        return None if text is None else json.loads(text)

    # Proposals

    def propose(
        self,
        turn: Turn | int | None,
        proposer: Proposer | Sequence[Proposal],
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Decided]:
        """Let a proposer read a turn (None: every text it has not read) and record the decisions.

        Asked again about the same texts, the same version of a proposer is answered from the log.
        A sequence of proposals is the host's own.
        """
        if not isinstance(proposer, Proposer):
            if not isinstance(proposer, Sequence) or not all(
                isinstance(one, Proposal) for one in proposer
            ):
                raise InvalidInput(
                    "a proposer, or a list of proposals such as Signal(...), is needed"
                )
            with self._writing() as branch:
                batch = record_batch(self._stream, branch, Host(), (), tuple(proposer))
                return batch_decisions(self._stream, batch)
        if turn is None:
            return propose_unread(self._stream, self._branch_now(), proposer, progress)
        with self._reading() as branch:
            texts = standing_texts(self._stream, branch, [_number(turn)])
        return propose(self._stream, branch, proposer, texts)

    def release(self, decision: Decided | int) -> int:
        """Let a held proposal have its effect after all. Returns the number of its event."""
        number = decision if isinstance(decision, int) else decision.number
        with self._writing() as branch:
            return release(self._stream, branch, number)

    def correct(
        self, number: int, word: Literal["right", "wrong"] = "wrong", *, value: str | None = None
    ) -> list[int]:
        """The user's own word on a derived event: right, wrong, or (a belief) another value.

        Returns the numbers of what was recorded.
        """
        with self._writing() as branch:
            return correct(self._stream, branch, number, word, value)

    def decisions(self) -> list[Decided]:
        """All decisions, oldest first."""
        with self._stream.reading():
            return decisions(self._stream)

    # Reading

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

    def get_turn(self, number: int) -> Turn:
        """A turn of the branch by its number."""
        with self._reading() as branch:
            return Turn(self, view_of_turn(self._stream, branch, number).number)

    def text(self, number: int) -> Text:
        """A message or reply, by the number of any of its wordings."""
        with self._reading() as branch:
            return text_of(self._stream, branch, number)

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
        until, lived = _moment(at), _moment(as_lived)
        with self._reading() as branch:
            if until is None and lived is None and policy is None:
                answer = reading.rapport(self._stream, branch)
            else:
                numbers = bundled_policy(policy) if isinstance(policy, str) else (
                    None if policy is None else read_policy(dict(policy))
                )  # fmt: skip
                answer = reading.rapport_then(self._stream, branch, until, lived, numbers)
        self._save_checkpoints(branch)
        return answer

    def mood(self, party: Party = "user", *, at: datetime | None = None) -> MoodView:
        """How a party feels at a moment (now, if left out), of what had been said by then."""
        until = _moment(at)
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
        self,
        *,
        at: datetime | None = None,
        subject: str | None = None,
        key: str | None = None,
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
            return tellings(state, _number(belief))

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
        return tensions(self._as_of(TENSIONS, at)[0])

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

    def split(self, turn: Turn | int) -> int:
        """A new episode begins with this turn. Returns the number that `withdraw` takes back."""
        with self._writing() as branch:
            return split_episode(self._stream, branch, _turn_number(turn))

    def merge(self, turn: Turn | int) -> int:
        """The episode that begins with this turn goes on from the one before it.

        Returns the number that `withdraw` takes back.
        """
        with self._writing() as branch:
            return merge_episode(self._stream, branch, _turn_number(turn))

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
        wanted = len(found) if number is None else number
        if not 1 <= wanted <= len(found):
            raise NotFound(f"there is no episode {wanted}; the branch has {len(found)}")
        return found[wanted - 1]

    def reflections(self, audience: Audience = "agent") -> list[ReflectionView]:
        """The agent's own thoughts; for the user, only those that were meant for the user too."""
        return reflections(self._as_of(CHARACTER, None)[0], audience)

    def _as_of(self, projection: Projection, at: datetime | None) -> tuple[State, Moment]:
        until = _moment(at)
        with self._reading() as branch:
            state = reading.state_then(self._stream, branch, projection, until)
        return state, until or self._store._now()

    def recall(
        self,
        query: str,
        *,
        at: datetime | None = None,
        budget: int | None = None,
        within: float | None = None,
        items: int | None = None,
        layers: Collection[Layer] = ELSEWHERE,
        counter: Counter | str | None = None,
        audience: Audience | Collection[str] = "agent",
    ) -> Recall:
        """What is remembered of this: items with reasons and sources, and what was left out.

        `budget` is in tokens (800, if left out) by `counter`: a function, the name of an encoding of tiktoken, or (left
        out) an estimate on the safe side. After `within` milliseconds the rest is not searched.
        `items` is how many the query may find (five, if left out). `at`: of what had happened by
        then. `audience` is who will see it: the agent alone, `user`, or the ids of a group, of whom
        all must have heard what they are told. It changes nothing; see `Turn.recall` for what a
        reply is given.
        """
        asked = Gate(True, "asked for")
        viewers = viewers_of(audience)
        return self._recall(query, asked, at, budget, within, items, layers, counter, viewers)

    def _recall(
        self,
        query: str,
        answer: Gate,
        at: datetime | None,
        budget: int | None,
        within: float | None,
        items: int | None,
        layers: Collection[Layer],
        counter: Counter | str | None,
        viewers: Viewers,
        but: int | None = None,
    ) -> Recall:
        ends = None if within is None else monotonic() + within / 1000
        for what, given in (("budget", budget), ("items", items), ("within", within)):
            if given is not None and given < 0:
                raise InvalidInput(f"{what} is 0 or more, not {given}")
        name, count = counter_of(counter)
        until = _moment(at)
        asked = Query(
            query,
            until or self._store._now(),
            answer,
            BUDGET if budget is None else budget,
            name,
            count,
            layers,
            items,
            until,
            but,
            viewers,
        )

        def enough() -> bool:
            return ends is not None and monotonic() >= ends

        if answer.open:
            keep_up(self._stream, enough)
        with self._reading() as branch:
            if viewers == "agent":
                asked.mood = self._mood_lines(branch, until)
            return recall(self._stream, branch, asked, enough)

    def _mood_lines(self, branch: int, until: Moment | None) -> dict[str, str]:
        """The line on the user's mood in each language, where it is away from its baseline."""
        state = reading.mood_state(self._stream, branch, until)
        view = mood_at(state, "user", until or self._store._now())
        lines = {language: mood_line(view, language) for language in LANGUAGES}
        return {language: line for language, line in lines.items() if line}

    def portrait(self, *, at: datetime | None = None) -> list[Item]:
        """Who the user is, as of a moment (now, if left out): sentences that each rest on a belief."""
        state, when = self._as_of(BELIEFS, at)
        with self._reading() as branch:
            return portrait_items(state, when, seen_on(self._stream, branch), lambda view: ())

    def recall_trace(self, turn: Turn | int) -> Trace:
        """What the reply of a turn had been offered, and what it made use of."""
        with self._reading() as branch:
            return trace(self._stream, branch, _turn_number(turn))

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
        number = about if isinstance(about, int) else about.number
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
        self,
        *,
        tip: str | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Verification:
        """Check every byte, copy and index. `tip` is a hash that was noted earlier."""
        found = verify_line(self._stream.log, self._stream.line, expect=tip, progress=progress)
        return found if not found.ok else reading.verify_checkpoints(self._stream, found)

    # Inside

    def _open(
        self,
        said: Said,
        reply: Reply | None,
        at: datetime | None,
        request: str | None,
        scene: Scene | None,
        expect: Turn | int | None,
    ) -> Turn:
        with self._writing() as branch:
            number = recording.open_turn(
                self._stream,
                branch,
                _messages(said),
                at=_moment(at),
                request=request,
                scene=scene,
                reply=reply,
                expect=None if expect is None else _number(expect),
            )
        return Turn(self, number)

    @contextmanager
    def _writing(self) -> Iterator[int]:
        with self._stream.writing():
            yield self._branch()

    @contextmanager
    def _reading(self) -> Iterator[int]:
        with self._stream.reading():
            yield self._branch()

    def _branch(self) -> int:
        if self._named is None:
            return self._stream.history.current
        return self._stream.branch_named(self._named)

    def _branch_now(self) -> int:
        with self._reading() as branch:
            return branch

    def _current_wording(self, branch: int, text: int) -> Text:
        found = text_of(self._stream, branch, text)
        chosen = self._stream.standing(branch).chosen(found.root, default=found.root)
        return text_of(self._stream, branch, found.root if chosen is None else chosen)

    def _choose_wording(self, branch: int, wording: int) -> Text:
        recording.choose_revision(self._stream, branch, wording)
        return text_of(self._stream, branch, wording)

    def _save_checkpoints(self, branch: int) -> None:
        """Keep what took long to fold. A cache: where it cannot be written, nothing is lost."""
        folds: list[Projection] = [p for p in PROJECTIONS if self._worth_saving(branch, p)]
        if not folds and not self._stream.is_worth_keeping():
            return
        try:
            with self._stream.writing():
                for projection in folds:
                    fold = fold_of(self._stream, branch, projection)
                    fold.state()
                    if fold.worth_saving():
                        fold.save()
                if self._stream.is_worth_keeping():
                    keep_history(self._stream, branch)
        except StoreFailure:
            pass

    def _worth_saving(self, branch: int, projection: Projection) -> bool:
        fold = self._stream.kept.get((projection.name, projection.version, branch))
        return fold is not None and fold.worth_saving()


class Turn:
    """One turn: give its reply, add to it, or let it go."""

    def __init__(self, bond: Relationship, number: int) -> None:
        self._bond = bond
        self.number = number
        self._offered: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.view().status == "open":
            self.abandon()

    def __repr__(self) -> str:
        return f"<Turn {self.number} of {self._bond.agent!r} and {self._bond.user!r}>"

    def view(self) -> TurnView:
        """The turn with its messages and replies as they are chosen now."""
        with self._bond._reading() as branch:
            return view_of_turn(self._bond._stream, branch, self.number)

    @property
    def text(self) -> str:
        """What was said to the agent, as it is worded now."""
        return "\n".join(m.content or "" for m in self.view().messages)

    def say(self, message: str | Message, *, request: str | None = None) -> Text:
        """Add a message while the turn is open."""
        with self._bond._writing() as branch:
            number = recording.add_message(
                self._bond._stream, branch, self.number, _messages(message)[0], request=request
            )
            return text_of(self._bond._stream, branch, number)

    def recall(
        self,
        query: str | None = None,
        *,
        budget: int | None = None,
        within: float | None = None,
        items: int | None = None,
        layers: Collection[Layer] = LAYERS,
        counter: Counter | str | None = None,
        needed: bool | None = None,
        audience: Audience | Collection[str] | None = None,
    ) -> Recall:
        """What to remember for the reply to this turn; takes what `Relationship.recall` takes.

        Its audience is the agent alone, in a scene all who are there. The query is what was said, unless another is given, and is no evidence itself. A gate
        decides first whether recall is needed: if it is not, only what is pinned is there, and
        `needed` is the caller's own word on it. What was offered is recorded with the reply.
        """
        text = self.text if query is None else query
        with self._bond._reading() as branch:
            names = known_names(self._bond._stream, branch)
            there = viewers_in(self._bond._stream, self.number)
        viewers = there if audience is None else viewers_of(audience)
        answer = gate(text, names, override=needed)
        found = self._bond._recall(
            text, answer, None, budget, within, items, layers, counter, viewers, self.number
        )
        self._offered = found.numbers
        return found

    def used(self, *about: _Numbered | int) -> int:
        """Report which of the offered items the reply made use of; it is recorded, and counts once.

        Returns the number that `withdraw` takes back.
        """
        with self._bond._writing() as branch:
            numbers = [_number(one) for one in about]
            return report_used(self._bond._stream, branch, self.number, numbers)

    def reply(
        self,
        content: str | Reply,
        *,
        delivered: Delivery = "shown",
        given: Iterable[int] | None = None,
        at: datetime | None = None,
        request: str | None = None,
    ) -> Text:
        """Complete the turn. The same reply again is answered with what exists.

        `given` are the numbers of the events that the prompt had offered: those of the last
        `recall`, if left out. Another reply to a
        completed turn is a variant: see `Relationship.regenerate`.
        """
        given_reply = content
        if isinstance(content, str):
            offered = self._offered if given is None else tuple(given)
            given_reply = Reply(content, delivered, offered, happened=_moment(at))
        assert isinstance(given_reply, Reply)
        stream = self._bond._stream
        with self._bond._writing() as branch:
            view = view_of_turn(stream, branch, self.number)
            if view.reply is not None and request is None:
                if view.reply.content == given_reply.content:
                    return view.reply
                raise Conflict(
                    f"turn {self.number} has a reply already; another one is a variant: "
                    "use regenerate()"
                )
            number = recording.give_reply(stream, branch, self.number, given_reply, request=request)
            return text_of(stream, branch, number)

    def abandon(self) -> None:
        """No reply will come. What was said stays said."""
        with self._bond._writing() as branch:
            recording.abandon_turn(self._bond._stream, branch, self.number)


class Comparison(NamedTuple):
    """Two branches beside each other: turns that they share, and turns of each one's own."""

    shared: int
    own: dict[str, int]


def open_store(
    path: str | os.PathLike[str] = "enishi.db",
    *,
    clock: Clock = system_clock,
    entropy: Entropy = os.urandom,
    synchronous: Literal["FULL", "NORMAL"] = "FULL",
    read_only: bool = False,
    create: bool = True,
    keyed: bool = False,
) -> Store:
    """Open a store, made if missing (unless not `create`).

    `clock` and `entropy` are where time and chance come in. `synchronous` NORMAL may lose the
    last turns on a power cut, and is faster.

    `keyed` makes a new store one whose payloads are encrypted, each under a key of its own in a
    second file beside it (`<path>.keys`); it needs the extra `crypto`. A store that is keyed is
    recognised without it; one that is not is Conflict: see `make_keyed`.
    """
    log = Log(Path(path), synchronous=synchronous, read_only=read_only, create=create, keyed=keyed)
    return Store(log, clock, entropy)


def make_keyed(path: str | os.PathLike[str]) -> int:
    """Make a plain store keyed: nothing but the form of its file changes. Returns how many
    payloads were encrypted, 0 where it is keyed already.

    Nobody else may have it open meanwhile, else StoreBusy.
    """
    with closing(Log(Path(path), create=False, alone=True)) as log:
        return keying.make_keyed(log)


def prove(
    receipt: str | Mapping[str, Any],
    store: Store | None = None,
    *,
    signer: str | None = None,
) -> ReceiptProof:
    """Check the receipt of an erasure, given as JSON text or its values; it needs no store.

    Whose signature it has and whether that fits; with a store, whether tombstones, tips and scrub
    are there as it says. `signer` is the public key that it has to be signed with, in hexadecimal.
    """
    plain = read_json(receipt) if isinstance(receipt, str) else receipt
    return erasure_proof.prove(plain, None if store is None else store._log, signer)


def read_file(path: Path) -> bytes:
    """The bytes of a file, or UnreadableFile."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from None


def _read_chats(path: Path, zone: str) -> tuple[Chat, ...]:
    return read_chats(path.name, read_file(path), read_zone(zone))


def _card(fields: Mapping[str, Any]) -> Card:
    return read_card("the blueprint", json.dumps(fields).encode("utf-8"))


def _messages(said: Said) -> list[Message]:
    several = [said] if isinstance(said, str | Message) else said
    return [Message(one) if isinstance(one, str) else one for one in several]


def _moment(when: datetime | None) -> Moment | None:
    return None if when is None else Moment.of(when)


class _Numbered(Protocol):
    """Whatever the face hands out that has a number of its own."""

    @property
    def number(self) -> int:
        """The number of its record."""


def _of_line(line: Line, view: BranchView) -> BranchView:
    """A branch of another line, under the name by which it is reached from the first."""
    name = line.name if view.current else f"{line.name}/{view.name}"
    return replace(view, name=name, current=False)


def _number(about: _Numbered | int) -> int:
    return about if isinstance(about, int) else about.number


def _turn_number(turn: Turn | int) -> int:
    """A turn's number; the kernel's own number for "before the first" is none of them."""
    number = _number(turn)
    if number < 0:
        raise NotFound(f"number {number} is no turn; `enishi log` lists the turns")
    return number


# The same face with awaitable calls


class _Plain(Protocol[T_co]):
    """Something that wraps its plain twin."""

    @property
    def plain(self) -> T_co:
        """The twin with plain calls."""


def _twin(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[_Plain[T], P], Coroutine[Any, Any, R]]:
    """The awaitable twin of a method: the same call, in a thread of its own."""

    @wraps(method)
    async def call(self: _Plain[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.plain, *args, **kwargs)

    return call


class AsyncTurn:
    """`Turn` with awaitable calls."""

    def __init__(self, plain: Turn) -> None:
        self.plain = plain
        self.number = plain.number

    view = _twin(Turn.view)
    say = _twin(Turn.say)
    reply = _twin(Turn.reply)
    abandon = _twin(Turn.abandon)
    recall = _twin(Turn.recall)
    used = _twin(Turn.used)

    async def text(self) -> str:
        """What was said to the agent, as it is worded now."""
        return await asyncio.to_thread(lambda: self.plain.text)


class _Opening:
    """A turn about to be opened: await it, or use it as `async with`."""

    def __init__(self, opening: Coroutine[Any, Any, Turn]) -> None:
        self._opening = opening
        self._turn: AsyncTurn | None = None

    def __await__(self) -> Generator[Any, Any, AsyncTurn]:
        return self._open().__await__()

    async def _open(self) -> AsyncTurn:
        return AsyncTurn(await self._opening)

    async def __aenter__(self) -> AsyncTurn:
        self._turn = await self._open()
        return self._turn

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._turn is not None
        await asyncio.to_thread(self._turn.plain.__exit__, kind, error, trace)


class AsyncRelationship:
    """`Relationship` with awaitable calls."""

    def __init__(self, plain: Relationship) -> None:
        self.plain = plain
        self.agent, self.user, self.id = plain.agent, plain.user, plain.id

    def turn(self, *args: Any, **kwargs: Any) -> _Opening:
        """Open a turn; see `Relationship.turn`. Await it, or use it as `async with`."""
        return _Opening(asyncio.to_thread(self.plain.turn, *args, **kwargs))

    async def on(self, branch: str) -> AsyncRelationship:
        """The same relationship on another branch."""
        return AsyncRelationship(await asyncio.to_thread(self.plain.on, branch))

    async def fork(self, name: str, after: AsyncTurn | int | None = None) -> AsyncRelationship:
        """Begin a branch; see `Relationship.fork`."""
        turn = after.number if isinstance(after, AsyncTurn) else after
        return AsyncRelationship(await asyncio.to_thread(self.plain.fork, name, turn))

    async def record(self, *args: Any, **kwargs: Any) -> AsyncTurn:
        """Record an exchange that already happened; see `Relationship.record`."""
        return AsyncTurn(await asyncio.to_thread(self.plain.record, *args, **kwargs))

    async def propose(
        self, turn: AsyncTurn | int | None, proposer: Proposer | Sequence[Proposal]
    ) -> list[Decided]:
        """Let a proposer read; see `Relationship.propose`."""
        number = turn.number if isinstance(turn, AsyncTurn) else turn
        return await asyncio.to_thread(self.plain.propose, number, proposer)

    regenerate = _twin(Relationship.regenerate)
    swipe = _twin(Relationship.swipe)
    export_chat = _twin(Relationship.export_chat)
    memoir = _twin(Relationship.memoir)
    export_memoir = _twin(Relationship.export_memoir)
    edit = _twin(Relationship.edit)
    extend = _twin(Relationship.extend)
    undo = _twin(Relationship.undo)
    choose_wording = _twin(Relationship.choose_wording)
    branches = _twin(Relationship.branches)
    compare = _twin(Relationship.compare)
    switch = _twin(Relationship.switch)
    back = _twin(Relationship.back)
    drop = _twin(Relationship.drop)
    rebind = _twin(Relationship.rebind)
    export = _twin(Relationship.export)
    withdraw = _twin(Relationship.withdraw)
    restore = _twin(Relationship.restore)
    plan_erasure = _twin(Relationship.plan_erasure)
    erase = _twin(Relationship.erase)
    erase_relationship = _twin(Relationship.erase_relationship)
    erased_then = _twin(Relationship.erased_then)
    archive = _twin(Relationship.archive)
    unarchive = _twin(Relationship.unarchive)
    rename = _twin(Relationship.rename)
    name_of = _twin(Relationship.name_of)
    adopt_blueprint = _twin(Relationship.adopt_blueprint)
    adopt_policy = _twin(Relationship.adopt_policy)
    blueprint = _twin(Relationship.blueprint)
    release = _twin(Relationship.release)
    correct = _twin(Relationship.correct)
    decisions = _twin(Relationship.decisions)
    records = _twin(Relationship.records)
    turns = _twin(Relationship.turns)
    text = _twin(Relationship.text)
    summary = _twin(Relationship.summary)
    rapport = _twin(Relationship.rapport)
    mood = _twin(Relationship.mood)
    moods = _twin(Relationship.moods)
    mood_line = _twin(Relationship.mood_line)
    beliefs = _twin(Relationship.beliefs)
    tellings = _twin(Relationship.tellings)
    stale_beliefs = _twin(Relationship.stale_beliefs)
    promises = _twin(Relationship.promises)
    loops = _twin(Relationship.loops)
    tensions = _twin(Relationship.tensions)
    reflections = _twin(Relationship.reflections)
    episodes = _twin(Relationship.episodes)
    episode = _twin(Relationship.episode)
    chapters = _twin(Relationship.chapters)
    timeline = _twin(Relationship.timeline)
    split = _twin(Relationship.split)
    merge = _twin(Relationship.merge)
    shortened = _twin(Relationship.shortened)
    recall = _twin(Relationship.recall)
    portrait = _twin(Relationship.portrait)
    recall_trace = _twin(Relationship.recall_trace)
    why_rapport = _twin(Relationship.why_rapport)
    why_mood = _twin(Relationship.why_mood)
    why = _twin(Relationship.why)
    digests = _twin(Relationship.digests)
    replay = _twin(Relationship.replay)
    rebuild = _twin(Relationship.rebuild)
    verify = _twin(Relationship.verify)


class AsyncStore:
    """`Store` with awaitable calls; `async with enishi.open_async(...) as store`."""

    def __init__(self, path: str | os.PathLike[str], options: dict[str, Any]) -> None:
        self._path = path
        self._options = options

    async def __aenter__(self) -> Self:
        self.plain = await asyncio.to_thread(open_store, self._path, **self._options)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def relationship(self, agent: str, user: str, **options: Any) -> AsyncRelationship:
        """The relationship of an agent and a user; see `Store.relationship`."""
        plain = await asyncio.to_thread(self.plain.relationship, agent, user, **options)
        return AsyncRelationship(plain)

    async def relationships(self) -> list[AsyncRelationship]:
        """All relationships, in the order in which they came."""
        plain = await asyncio.to_thread(self.plain.relationships)
        return [AsyncRelationship(bond) for bond in plain]

    erase_user = _twin(Store.erase_user)
    erase_agent = _twin(Store.erase_agent)
    erase_again = _twin(Store.erase_again)
    scrub = _twin(Store.scrub)
    sign = _twin(Store.sign)

    async def import_pack(self, path: str | os.PathLike[str], **options: Any) -> PackTaken:
        """Take a MemoryPack in; see `Store.import_pack`."""
        return await asyncio.to_thread(self.plain.import_pack, path, **options)

    async def close(self) -> None:
        """Close the file."""
        await asyncio.to_thread(self.plain.close)


def open_async(path: str | os.PathLike[str] = "enishi.db", **options: Any) -> AsyncStore:
    """Open a store for awaitable calls; takes what `open` takes."""
    return AsyncStore(path, options)
