"""Taking a chat file into a relationship: first time, again, grown, edited, cut or branched.

One file is one transaction. What is recorded already is found by position and time, or by its
words; nothing is recorded twice, and what changed in the file becomes a revision, a choice, a
move of the tip or a branch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from enishi.kernel import recording
from enishi.kernel.checks import MAX_ID
from enishi.kernel.deciding.proposals import Proposer
from enishi.kernel.deciding.proposing import propose_unread
from enishi.kernel.events import payload_of
from enishi.kernel.history import ROOT, TEXT_CODES, kind_code
from enishi.kernel.moments import Moment
from enishi.kernel.recording import Message, Origin, Reply, Scene
from enishi.kernel.stream import AHEAD, Draft, Stream
from enishi.packs.chats.alignment import (
    Alignment,
    RecordedLine,
    align,
    same_beginning,
    shared_beginning,
)
from enishi.packs.chats.cast import first_time, fit_id
from enishi.packs.chats.chat import Chat, ChatLine, Note, Wording

_REPLY = kind_code("ReplyGiven")
_STAYS_ERASED = "It was erased, and stays so."
_LINES = frozenset({_REPLY, kind_code("MessageReceived")})

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class ImportReport:
    """What an import did. `branch` is where the file went; `notes` are for the person.

    `label` is what a person calls the chat, where its title is an id.
    """

    title: str
    agent: str
    user: str
    branch: str
    lines: int
    branched: bool = False
    turns: int = 0
    variants: int = 0
    revised: int = 0
    chosen: int = 0
    cut: int = 0
    returned: bool = False
    signals: int = 0
    notes: list[Note] = field(default_factory=list)
    label: str | None = None

    @property
    def changed(self) -> bool:
        """Whether anything was recorded."""
        counts = (self.turns, self.variants, self.revised, self.chosen, self.cut)
        return self.branched or self.returned or any(counts)


def last_import(stream: Stream, title: str) -> tuple[int, dict[str, Any]] | None:
    """The branch that a file of this title went to last, and what was recorded about that.

    Needs `reading` or `writing`.
    """
    found = _imports(stream).get(title)
    return None if found is None else (stream.record(found[0]).header.targets[0], found[1])


def import_chat(
    stream: Stream,
    chat: Chat,
    *,
    zone: str,
    proposers: Iterable[Proposer] = (),
    progress: Progress = lambda done, total: None,
) -> ImportReport:
    """Take in one chat, seen by the stream's agent. All of it is recorded, or nothing is."""
    with stream.writing():
        return _Import(stream, chat, progress).run(zone, proposers)


@dataclass(slots=True)
class _Group:
    """Lines that make one turn: messages, then the agent's reply if there is one."""

    messages: list[ChatLine] = field(default_factory=list)
    reply: ChatLine | None = None

    def __len__(self) -> int:
        return len(self.messages) + (self.reply is not None)


class _Import:
    """One file on its way into one relationship."""

    def __init__(self, stream: Stream, chat: Chat, progress: Progress) -> None:
        self.stream = stream
        self.chat = chat
        self.progress = progress
        self.title = fit_id(chat.title)
        self.conversation = fit_id(chat.conversation) if chat.conversation else None
        self.branch = stream.history.current
        self.shares: str | None = None
        self.fresh = True
        self.names: dict[str, str] = {}
        self.scene = _scene(chat)
        self.lines, ahead = _without_future(chat.lines, stream.now.at + AHEAD)
        self.report = ImportReport(
            self.title, stream.line.agent, stream.line.user, "main", len(self.lines)
        )
        self.report.label = chat.label
        self.report.notes += chat.notes
        if ahead:
            count = len(ahead)
            message = f"Times that lie in the future and count as unknown: {count}, the first here."
            self._note(ahead[0], message)
        if chat.group and all(line.role != "agent" for line in self.lines):
            self._note(
                0, f"{stream.line.agent!r} says nothing in it: all of it was said by others."
            )

    def run(self, zone: str, proposers: Iterable[Proposer]) -> ImportReport:
        start = len(self.stream.history)
        before = last_import(self.stream, self.title)
        if before is None and self.conversation is not None:
            self._first_time_of_a_branch()
        elif before is None:
            self._first_time()
        elif before[0] in self.stream.branch_names():
            self.branch, self.shares, self.fresh = before[0], before[1].get("shares"), False
            self._again()
        else:
            self._note(0, "The branch that it went to was dropped; nothing was taken in.")
        self.report.branch = self.stream.branch_names().get(self.branch, "main")
        if self.report.changed:
            self._record_import(zone)
            for proposer in proposers:
                decided = propose_unread(self.stream, self.branch, proposer, since=start)
                self.report.signals += sum(d.event is not None for d in decided)
        return self.report

    # The ways in

    def _first_time(self) -> None:
        self._leave_out_what_another_file_lost()
        common, best = 0, None
        for branch in self._candidates():
            by_title: dict[str, list[RecordedLine]] = {}
            for line in self._recorded(branch, None):
                if line.title is not None:
                    by_title.setdefault(line.title, []).append(line)
            for title, recorded in by_title.items():
                shared = shared_beginning(self.lines, recorded)
                if shared > common:
                    common, best = shared, (branch, title, recorded)
        if best is None:
            self._append(self.lines)
            return
        self.branch, self.shares, recorded = best
        if common < len(self.lines):
            self._fork(recorded, common, self.lines)
        else:
            self._note(0, f"All of it is recorded already, from {self.shares!r}.")

    def _leave_out_what_another_file_lost(self) -> None:
        """A file under another name may hold lines that were erased.

        They are told by place and time, as their words are gone. Without a time a place says little:
        then the line has to follow one that both files have.
        """
        if not self.stream.history.erased:
            return
        for title in {self.title: None, **_imports(self.stream)}:
            lost = [n for n, line in enumerate(self.lines) if self._was_erased(line, title)]
            if not lost:
                continue
            kept = [line for n, line in enumerate(self.lines) if n not in lost]
            recorded = self._recorded(self.branch, frozenset({title}))
            if shared_beginning(kept, recorded) or _time_of(self.lines[lost[0]]) is not None:
                for place in lost:
                    self._note(self.lines[place].position, _STAYS_ERASED)
                self.lines = kept

    def _first_time_of_a_branch(self) -> None:
        """The source tells which chats are branches of one conversation: only those are compared."""
        self._leave_out_what_another_file_lost()
        family = self._family()
        lines = self._without_erased(family)
        best: tuple[int, int, list[RecordedLine]] | None = None
        for branch in self._candidates() if len(family) > 1 else ():
            recorded = self._recorded(branch, family)
            common = same_beginning(lines, recorded)
            if recorded and (best is None or common > best[0]):
                best = common, branch, recorded
        if best is None:
            self._append(lines)
            return
        common, self.branch, recorded = best
        self.shares = recorded[max(common - 1, 0)].title
        if common == len(lines):
            self._note(0, f"All of it is recorded already, from {self.shares!r}.")
        elif common == len(recorded):
            # It goes on from the last reply, or from another variant of it.
            self._update(lines[:common], recorded)
            self._append(lines[common:])
        else:
            self._fork(recorded, common, lines)

    def _candidates(self) -> list[int]:
        """The branches, that of the chat it was branched from first."""
        parent = last_import(self.stream, fit_id(self.chat.parent)) if self.chat.parent else None
        first = parent[0] if parent else None
        return sorted(self.stream.branch_names(), key=lambda branch: (branch != first, branch))

    def _again(self) -> None:
        if not self.lines:
            self._note(0, "The file holds no message any more; nothing was changed.")
            return
        family = self._family()
        lines = self._without_erased(family)
        recorded = self._recorded(self.branch, family)
        last = self._last_turn(family)
        if not self._left_by_hand(last):
            recorded = self._with_moved_away(lines, recorded)
        elif align(lines, recorded).outcome == "grown":
            self._beside(lines, recorded, self._lines_to(last, family))
            return
        found = align(lines, recorded)
        if found.outcome == "apart":
            elsewhere = self._elsewhere(lines, family)
            if elsewhere is None:
                self._fork(recorded, found.common, lines)
                return
            self.branch, recorded, found = elsewhere
        self._come_back(recorded)
        self._bring_back(recorded[: found.common])
        self._update(lines[: found.common], recorded)
        if found.outcome == "cut":
            self._cut(recorded, found.common)
            return
        self._append(lines[found.common :])

    def _elsewhere(
        self, lines: list[ChatLine], family: frozenset[str]
    ) -> tuple[int, list[RecordedLine], Alignment] | None:
        """Another branch that a file of this title went to, and of which this one is the file."""
        history, names = self.stream.history, self.stream.branch_names()
        imports = self.stream.payloads(history.all("ChatImported"))
        for number in sorted(imports, reverse=True):
            branch = self.stream.record(number).header.targets[0]
            if imports[number]["title"] == self.title and branch in names and branch != self.branch:
                recorded = self._recorded(branch, family)
                found = align(lines, recorded)
                if found.outcome != "apart" and found.common:
                    return branch, recorded, found
        return None

    def _beside(
        self, lines: list[ChatLine], here: list[RecordedLine], then: list[RecordedLine]
    ) -> None:
        """Somebody moved the tip back since, and the branch stays where it is. Of the file `then`
        was recorded, and `here` is what still lies on the path. What else it has goes on from there.
        """
        found = align(lines, then)
        if found.outcome == "same":
            self._update(lines[: len(here)], here)
        else:
            self._fork(then, found.common, lines)

    def _last_turn(self, family: frozenset[str]) -> int:
        """The turn that these files came to on this branch, wherever its tip is now."""
        branch_of, sources = self.stream.history.branch, _sources(self.stream)
        turns = (turn for title in family for turn in sources.get(title, ()))
        return max((turn for turn in turns if branch_of[turn] == self.branch), default=ROOT)

    def _left_by_hand(self, turn: int) -> bool:
        """Whether a person, and no import, moved the tip back from this turn."""
        history = self.stream.history
        if self.stream.standing(self.branch).on_path(turn):
            return False
        moves = (n for n in reversed(history.all("TipMoved")) if history.branch[n] == self.branch)
        return not self._by_imports([next(moves)])

    def _family(self) -> frozenset[str]:
        """The titles whose lines are this file's: its own, and those it shares a beginning with."""
        if self.conversation is not None:
            imports = _imports(self.stream).values()
            told = {p["title"] for _, p in imports if p.get("conversation") == self.conversation}
            return frozenset({self.title, *told})
        family, title = {self.title}, self.shares
        while title is not None and title not in family:
            family.add(title)
            before = last_import(self.stream, title)
            title = before[1].get("shares") if before else None
        return frozenset(family)

    def _fork(self, recorded: list[RecordedLine], common: int, lines: Sequence[ChatLine]) -> None:
        """Go on from the last whole turn in common, on a branch named after the file."""
        while 0 < common < len(recorded) and recorded[common].turn == recorded[common - 1].turn:
            common -= 1
        after = recorded[common - 1].turn if common else ROOT
        if not common and recorded:
            after = self.stream.history.parent_of(recorded[0].turn)
        name = _free_name(fit_id(self.chat.label or self.title), self.stream.names())
        self.branch = recording.fork_branch(self.stream, self.branch, name, after, by="import")
        self.report.branched = True
        self._update(lines[:common], recorded)
        self._append(lines[common:])

    # What is recorded

    def _recorded(self, branch: int, titles: frozenset[str] | None) -> list[RecordedLine]:
        """The lines on a branch's path, of these files only where titles are given."""
        return self._lines_along(self.stream.standing(branch).path[1:], titles)

    def _lines_to(self, turn: int, titles: frozenset[str]) -> list[RecordedLine]:
        """The lines of these files on the path to a turn, wherever that lies."""
        return self._lines_along(self.stream.history.leading_to(turn), titles)

    def _lines_along(
        self, path: Sequence[int], titles: frozenset[str] | None
    ) -> list[RecordedLine]:
        if titles is not None:
            sources = _sources(self.stream)
            own = {turn for title in titles for turn in sources.get(title, ())}
            path = [turn for turn in path if turn in own]
        lines = (
            line
            for start in range(0, len(path), 256)
            for line in self._lines_of(path[start : start + 256])
        )
        return [line for line in lines if titles is None or line.title in titles]

    def _lines_of(self, turns: Sequence[int]) -> Iterator[RecordedLine]:
        history = self.stream.history
        texts = [n for t in turns for n in history.events_of(t) if history.kind[n] in TEXT_CODES]
        payloads = self.stream.payloads(texts)
        for turn in turns:
            own = [number for number in history.events_of(turn) if number in payloads]
            yield from _lines_of_turn(self.stream, turn, own, payloads)

    def _with_moved_away(
        self, lines: list[ChatLine], recorded: list[RecordedLine]
    ) -> list[RecordedLine]:
        """Add turns that were cut off before and that the file has again."""
        history = self.stream.history
        tip = history.branches[self.branch].tip
        while len(recorded) < len(lines):
            further = None
            for turn in history.turns_after(tip):
                if self.stream.standing(self.branch).on_path(turn):
                    continue
                found = list(self._lines_of([turn]))
                alike = shared_beginning(lines[len(recorded) :], found)
                if found and alike and all(line.title == self.title for line in found):
                    further = (turn, found)
            if further is None:
                return recorded
            tip = further[0]
            recorded = recorded + further[1]
        return recorded

    def _without_erased(self, family: frozenset[str]) -> list[ChatLine]:
        """The lines, less those that were taken in before and have been erased since."""
        if not self.stream.history.erased:
            return list(self.lines)
        kept = []
        for line in self.lines:
            if any(self._was_erased(line, title) for title in family):
                self._note(line.position, _STAYS_ERASED)
            else:
                kept.append(line)
        return kept

    def _was_erased(self, line: ChatLine, title: str) -> bool:
        for key in _keys(title, line):
            number = self.stream.log.requested(self.stream.line, key)
            if number is None:
                return False
            if number in self.stream.history.erased:
                return not self._has_living_variant(number)
        return False

    def _has_living_variant(self, number: int) -> bool:
        """Whether another reply to the same messages is still there: then the line is, too."""
        history = self.stream.history
        return history.kind[number] == _REPLY and any(
            root not in history.erased for root in self._replies(history.turn[number])
        )

    def _replies(self, turn: int) -> list[int]:
        """All variants of a turn, in the order in which they came, erased ones too."""
        history = self.stream.history
        return [n for n in history.events_of(turn) if history.kind[n] == _REPLY]

    # Changes

    def _update(self, lines: Sequence[ChatLine], recorded: Sequence[RecordedLine]) -> None:
        for line, known in zip(lines, recorded, strict=False):
            if line.role == "agent":
                self._update_reply(line, known)
            else:
                self._update_message(line, known)

    def _update_message(self, line: ChatLine, known: RecordedLine) -> None:
        (root,) = known.variants
        wanted = line.wordings[line.chosen].text
        if self._lost_wording(root) and self._current(root) != wanted:
            self._note(line.position, _STAYS_ERASED)
        elif not known.holds(wanted):
            self._revise(root, wanted)
        elif self._current(root) != wanted and self._file_said(root) != wanted:
            self._choose_wording(root, wanted)

    def _update_reply(self, line: ChatLine, known: RecordedLine) -> None:
        roots = self._replies(known.turn) or list(known.variants)
        if len(roots) != len(line.wordings):
            roots = self._by_imports(roots) or roots
        placed: list[int] = []
        reworded: set[int] = set()
        fits = len(line.wordings) == len(roots)
        for place, wording in enumerate(line.wordings):
            # Two variants may say the same; each is one of its own.
            free = (r for r in roots if r not in placed)
            root = next((r for r in free if wording.text in known.variants.get(r, ())), None)
            if root is None and place < len(roots) and self._lost_wording(roots[place]):
                # Whether these are the erased words nobody can tell; they stood where those did.
                root = roots[place]
                self._note(line.position, _STAYS_ERASED)
            elif root is None and (fits or len(line.wordings) == 1):
                # As many variants as before: this one was edited where it stands.
                root = roots[place] if fits else self._file_chose(known.turn)
                root = self._chosen(known.turn, roots) if root is None else root
                self._revise(root, wording.text)
                reworded.add(root)
            elif root is None:
                root = self._add_variant(known.turn, line, wording)
                self.report.variants += 1
            elif (
                place == line.chosen
                and self._current(root) != wording.text
                and self._file_said(root) != wording.text
            ):
                self._choose_wording(root, wording.text)
                reworded.add(root)
            placed.append(root)
        wanted = placed[line.chosen]
        chosen = self.stream.standing(self.branch).chosen(known.turn)
        if chosen != wanted and (wanted in reworded or self._file_chose(known.turn) != wanted):
            recording.choose_variant(self.stream, self.branch, wanted, by="import")
            self.report.chosen += 1

    # What a person did here since stays: a file that says what it said then has no say in it.

    def _file_chose(self, key: int) -> int | None:
        """What the file chose when it was last here: of a turn a reply, of a text a wording."""
        history = self.stream.history
        for act in () if self.fresh else history.choices(key):
            ours = history.branch[act] == self.branch or act < self.branch
            if ours and self._by_imports([act]):
                return history.acts[act][0] if act in history.acts else act
        return None

    def _file_said(self, root: int) -> str | None:
        """The words of a text when the file was last here."""
        if self.fresh:
            return None
        wording = self._file_chose(root)
        payload = self.stream.payload(root if wording is None else wording)
        return payload["content"] if payload else None

    def _by_imports(self, numbers: Sequence[int]) -> list[int]:
        """Those that an import recorded, and those of which nobody can tell any more."""
        payloads = self.stream.payloads(numbers)
        return [n for n in numbers if n not in payloads or payloads[n].get("by") == "import"]

    def _lost_wording(self, root: int) -> bool:
        """Whether some wording of a text was erased."""
        history = self.stream.history
        if not history.erased:
            return False
        wordings = [n for n in history.events_of(history.turn[root]) if history.base.get(n) == root]
        return not history.erased.isdisjoint([root, *wordings])

    def _chosen(self, turn: int, roots: list[int]) -> int:
        chosen = self.stream.standing(self.branch).chosen(turn)
        return chosen if chosen in roots else roots[-1]

    def _current(self, root: int) -> str | None:
        standing = self.stream.standing(self.branch)
        payload = self.stream.payload(standing.chosen(root, default=root) or root)
        return payload["content"] if payload else None

    def _revise(self, root: int, content: str) -> None:
        recording.revise_text(self.stream, self.branch, root, content, by="import")
        self.report.revised += 1

    def _choose_wording(self, root: int, content: str) -> None:
        history = self.stream.history
        wordings = [root] + [
            n for n in history.events_of(history.turn[root]) if history.base.get(n) == root
        ]
        payloads = self.stream.payloads(wordings)
        for number in reversed(wordings):
            if number in payloads and payloads[number]["content"] == content:
                recording.choose_revision(self.stream, self.branch, number, by="import")
                self.report.chosen += 1
                return

    def _cut(self, recorded: list[RecordedLine], common: int) -> None:
        """The file ends earlier than its record: later turns are gone from the branch."""
        tip = self.stream.history.branches[self.branch].tip
        last = recorded[common - 1].turn
        gone = sorted({line.turn for line in recorded[common:]} - {last})
        path = self.stream.standing(self.branch).path
        if gone and list(path[-len(gone) :]) == gone and tip == gone[-1]:
            recording.move_tip(self.stream, self.branch, last, by="import")
        elif gone := [n for n in gone if not self.stream.history.withdrawn.get(n, False)]:
            recording.withdraw(self.stream, self.branch, gone, by="import")
        standing = self.stream.standing(self.branch)
        roots = {n for line in recorded[common:] if line.turn == last for n in line.variants}
        partly = [
            number
            for number in self.stream.history.events_of(last)
            if self.stream.history.root_text(number) in roots and number in standing
        ]
        if partly:
            recording.withdraw(self.stream, self.branch, partly, by="import")
        self.report.cut = len(gone) + len(partly)

    def _bring_back(self, recorded: Sequence[RecordedLine]) -> None:
        """What an import withdrew and the file has again counts again; a person's doing stays."""
        history = self.stream.history
        gone = sorted(number for number, state in history.withdrawn.items() if state)
        turns = {line.turn for line in recorded}
        roots = {root for line in recorded for root in line.variants}
        ours = [
            number
            for number in gone
            if (number in turns or history.root_text(number) in roots)
            and self._withdrawn_by_import(number)
        ]
        if ours:
            recording.restore(self.stream, self.branch, ours, by="import")
            self.report.returned = True

    def _withdrawn_by_import(self, number: int) -> bool:
        acts = (n for n in reversed(self.stream.history.all("Withdrawn")))
        last = next(act for act in acts if number in self.stream.history.acts[act])
        payload = self.stream.payload(last)
        return payload is not None and payload.get("by") == "import"

    def _come_back(self, recorded: list[RecordedLine]) -> None:
        """Turns that were cut off before and are in the file again lie on the path again."""
        if recorded and not self.stream.standing(self.branch).on_path(recorded[-1].turn):
            recording.move_tip(self.stream, self.branch, recorded[-1].turn, by="import")
            self.report.returned = True

    # Adding

    def _append(self, lines: Sequence[ChatLine]) -> None:
        groups = _groups(lines)
        done = len(self.lines) - len(lines)
        if groups and self._continues_open_turn():
            self._complete(groups.pop(0))
        for group in groups:
            self._open(group)
            done += len(group)
            if done % 50 < len(group):
                self.progress(done, len(self.lines))

    def _continues_open_turn(self) -> bool:
        """Whether the branch ends with messages of this file that no reply followed yet."""
        tip = self.stream.history.branches[self.branch].tip
        if tip == ROOT or self.stream.standing(self.branch).status(tip) != "open":
            return False
        recorded = list(self._lines_of([tip]))
        return bool(recorded) and all(line.title == self.title for line in recorded)

    def _complete(self, group: _Group) -> None:
        turn = self.stream.history.branches[self.branch].tip
        for line in group.messages:
            self._name_parties(line)
            root = recording.add_message(
                self.stream, self.branch, turn, self._message(line), by="import"
            )
            self._add_wordings(line, root)
        if group.reply is not None:
            self._name_parties(group.reply)
            for wording in group.reply.wordings:
                self._add_variant(turn, group.reply, wording)
            self._choose_reply(turn, group.reply)
        self.report.turns += 1

    def _open(self, group: _Group) -> None:
        for line in (*group.messages, *([group.reply] if group.reply else ())):
            self._name_parties(line)
        first = group.messages[0] if group.messages else group.reply
        assert first is not None
        reply = group.reply
        turn = recording.open_turn(
            self.stream,
            self.branch,
            [self._message(line) for line in group.messages],
            at=_time_of(first),
            reply=None if reply is None else self._reply(reply, reply.wordings[0], own=True),
            scene=self.scene,
            by="import",
        )
        for place, line in enumerate(group.messages):
            self._add_wordings(line, turn + 1 + place)
        if reply is not None:
            for wording in reply.wordings[1:]:
                self._add_variant(turn, reply, wording)
            self._choose_reply(turn, reply)
        self.report.turns += 1

    def _add_wordings(self, line: ChatLine, root: int) -> None:
        """The variants of somebody else's message are wordings of it."""
        if len(line.wordings) == 1:
            return
        numbers = [root] + [
            recording.revise_text(self.stream, self.branch, root, wording.text, by="import")
            for wording in line.wordings[1:]
        ]
        if line.chosen != len(numbers) - 1:
            recording.choose_revision(self.stream, self.branch, numbers[line.chosen], by="import")

    def _add_variant(self, turn: int, line: ChatLine, wording: Wording) -> int:
        own = wording is line.wordings[0]
        reply = self._reply(line, wording, own=own)
        number = recording.give_reply(self.stream, self.branch, turn, reply, by="import")
        return number

    def _choose_reply(self, turn: int, line: ChatLine) -> None:
        if line.chosen == len(line.wordings) - 1:
            return
        history = self.stream.history
        replies = [n for n in history.events_of(turn) if history.kind[n] == _REPLY]
        wanted = replies[len(replies) - len(line.wordings) + line.chosen]
        recording.choose_variant(self.stream, self.branch, wanted, by="import")

    def _message(self, line: ChatLine) -> Message:
        return Message(
            content=line.wordings[0].text,
            role=line.role,
            speaker=self.stream.line.user if line.role == "user" else line.speaker,
            name=line.name,
            hidden=line.hidden,
            happened=_time_of(line),
            origin=Origin(source=self.title, position=line.position),
            request=self._free_key(line),
        )

    def _reply(self, line: ChatLine, wording: Wording, *, own: bool) -> Reply:
        return Reply(
            content=wording.text,
            name=line.name,
            hidden=line.hidden,
            happened=wording.happened or (_time_of(line) if own else None),
            origin=Origin(source=self.title, position=line.position),
            request=self._free_key(line) if own else None,
        )

    def _name_parties(self, line: ChatLine) -> None:
        """Where a party goes by another name from this line on, say so first."""
        if line.role == "other" or line.name is None:
            return
        party = self.stream.line.user if line.role == "user" else self.stream.line.agent
        if party not in self.names:
            self.names[party] = recording.party_name(self.stream, self.branch, party)
        if self.names[party] != line.name:
            recording.name_party(
                self.stream, self.branch, party, line.name, at=_time_of(line), by="import"
            )
            self.names[party] = line.name

    def _record_import(self, zone: str) -> None:
        payload = payload_of(
            "ChatImported",
            by="import",
            format=self.chat.format,
            title=self.title,
            zone=zone,
            lines=len(self.lines),
            shares=self.shares,
            conversation=self.conversation,
            skipped=sum("passed over" in note.message for note in self.report.notes),
        )
        tip = self.stream.history.branches[self.branch].tip
        targets = (self.branch,)
        self.stream.append(Draft("ChatImported", payload, tip, self.branch, targets=targets))

    def _free_key(self, line: ChatLine) -> str:
        """The line's id; where the file once had another line there, the next one."""
        if self.fresh:
            return _key(self.title, line, 0)
        for key in _keys(self.title, line):
            if self.stream.log.requested(self.stream.line, key) is None:
                return key
        raise AssertionError("ids never run out")

    def _note(self, position: int, message: str) -> None:
        self.report.notes.append(Note(position, message))


def _imports(stream: Stream) -> dict[str, tuple[int, dict[str, Any]]]:
    """The last import of each title: its number and what was recorded about it."""
    history = stream.history
    numbers = history.all("ChatImported")
    erased = len(history.erased)
    found: dict[str, tuple[int, dict[str, Any]]]
    known, before, found = stream.kept.get("imports", (0, erased, {}))
    if before != erased:
        known, found = 0, {}
    for number, payload in stream.payloads(numbers[known:]).items():
        found[payload["title"]] = number, payload
    stream.kept["imports"] = len(numbers), erased, found
    return found


def _sources(stream: Stream) -> dict[str, list[int]]:
    """The turns with lines of each title. What was erased since may still be among them."""
    history = stream.history
    found: dict[str, list[int]]
    known, found = stream.kept.get("sources", (0, {}))
    texts = [n for n in range(known, len(history)) if history.kind[n] in _LINES]
    for start in range(0, len(texts), 1024):
        for number, payload in stream.payloads(texts[start : start + 1024]).items():
            if payload.get("origin"):
                turns = found.setdefault(payload["origin"]["source"], [])
                if turns[-1:] != [history.turn[number]]:
                    turns.append(history.turn[number])
    stream.kept["sources"] = len(history), found
    return found


def _keys(title: str, line: ChatLine) -> Iterator[str]:
    """The ids that a line may have."""
    return (_key(title, line, ordinal) for ordinal in count())


def _key(title: str, line: ChatLine, ordinal: int) -> str:
    """One of them: from source, position and time, never from its words."""
    happened = _time_of(line)
    time = "unknown" if happened is None else str(happened.at)
    return f"chat\n{title}\n{line.position}\n{time}\n{ordinal}"


def _scene(chat: Chat) -> Scene | None:
    """A group chat is one scene, whoever's relationship it is recorded into."""
    if not chat.group:
        return None
    seed = f"{chat.format}\n{chat.title}\n{first_time(chat)}".encode()
    present = sorted({line.speaker for line in chat.lines if line.role != "user"})
    return Scene(hashlib.sha256(seed).digest()[:16], tuple(present))


def _without_future(lines: Sequence[ChatLine], latest: int) -> tuple[list[ChatLine], list[int]]:
    """The lines with times after `latest` as unknown, and the positions of those that had such."""
    kept, ahead = [], []
    for line in lines:
        if any(w.happened is not None and w.happened.at > latest for w in line.wordings):
            ahead.append(line.position)
            line = replace(
                line,
                wordings=tuple(
                    replace(w, happened=None) if w.happened and w.happened.at > latest else w
                    for w in line.wordings
                ),
            )
        kept.append(line)
    return kept, ahead


def _groups(lines: Sequence[ChatLine]) -> list[_Group]:
    """Lines as turns: whatever comes before a reply of the agent is what it answers."""
    groups: list[_Group] = []
    current = _Group()
    for line in lines:
        if line.role == "agent":
            current.reply = line
            groups.append(current)
            current = _Group()
        else:
            current.messages.append(line)
    return [*groups, current] if current.messages else groups


def _lines_of_turn(
    stream: Stream,
    turn: int,
    texts: Sequence[int],
    payloads: dict[int, dict[str, Any]],
) -> Iterator[RecordedLine]:
    """The recorded lines of one turn: each message, then all variants of the reply as one."""
    history = stream.history
    wordings: dict[int, list[str]] = {}
    for number in texts:
        root = history.root_text(number)
        if root in payloads:
            wordings.setdefault(root, []).append(str(payloads[number]["content"]))
    replies = [root for root in wordings if history.kind[root] == _REPLY]
    for roots in [[root] for root in wordings if root not in replies] + ([replies] * bool(replies)):
        origin = payloads[roots[0]].get("origin")
        yield RecordedLine(
            turn=turn,
            role="agent" if roots is replies else str(payloads[roots[0]]["role"]),
            title=origin["source"] if origin else None,
            position=origin["position"] if origin else None,
            variants={root: tuple(wordings[root]) for root in roots},
            times=frozenset(m.at for root in roots if (m := history.moment(root))),
        )


def _time_of(line: ChatLine) -> Moment | None:
    """The time of a line: of its first variant, which no later swipe changes, else the chosen's."""
    return line.wordings[0].happened or line.wordings[line.chosen].happened


def _free_name(title: str, taken: Sequence[str]) -> str:
    name, count = title, 2
    while name in taken:
        name, count = f"{title[: MAX_ID - 8]} ({count})", count + 1
    return name
