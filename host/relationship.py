"""One agent and one user: what is said, the tree of what was said, and who they are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from enishi.host.forgetting import Forgetting
from enishi.host.given import (
    Numbered,
    Said,
    card_of,
    messages_of,
    moment_of_given,
    number_of,
    policy_of,
    reply_of,
    scene_of,
    turn_number,
)
from enishi.host.turn import Turn
from enishi.kernel import recording
from enishi.kernel.deciding.proposals import Audience
from enishi.kernel.errors import Conflict, NotFound
from enishi.kernel.history import ROOT
from enishi.kernel.lines import lines_of, shared_length
from enishi.kernel.log import Line
from enishi.kernel.recording import Reply, Scene
from enishi.kernel.transcript import BranchView, Text, branch_views, text_of
from enishi.kernel.transcript import turn_view as view_of_turn
from enishi.packs.chats.cards import Card
from enishi.packs.chats.chat_files import ChatFormat, write_chat_file
from enishi.packs.showing.memoir import memoir, write_memoir
from enishi.projections import reading


class Comparison(NamedTuple):
    """Two branches beside each other: turns that they share, and turns of each one's own."""

    shared: int
    own: dict[str, int]


class Relationship(Forgetting):
    """One agent and one user. Works on the current branch, or on the one it was taken `on`."""

    # What is said

    def turn(
        self,
        said: Said = (),
        *,
        at: datetime | None = None,
        request: str | None = None,
        scene: Scene | None = None,
        expect: Numbered | int | None = None,
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
        expect: Numbered | int | None = None,
    ) -> Turn:
        """Record an exchange that already happened, in one step."""
        return self._open(said, reply_of(reply), at, request, scene, expect)

    def regenerate(
        self, turn: Numbered | int, reply: str | Reply, *, request: str | None = None
    ) -> Text:
        """Record another reply to the same messages; it is the chosen one from now on."""
        given = reply_of(reply)
        with self._writing() as branch:
            number = recording.give_reply(
                self._stream, branch, number_of(turn), given, request=request
            )
            return text_of(self._stream, branch, number)

    def swipe(self, turn: Numbered | int, reply: int) -> None:
        """Choose among the replies of a turn, counted from 1 in the order in which they came."""
        number, place = number_of(turn), number_of(reply)
        with self._writing() as branch:
            replies = view_of_turn(self._stream, branch, number).replies
            if not 1 <= place <= len(replies):
                raise NotFound(f"turn {number} has {len(replies)} replies, not {place}")
            if not replies[place - 1].chosen:
                recording.choose_variant(self._stream, branch, replies[place - 1].root)

    def edit(self, text: Numbered | int, content: str, *, request: str | None = None) -> Text:
        """Give a message or a reply another wording. What rested on the old one falls.

        The wording that counts already is no other one: then nothing is recorded.
        """
        with self._writing() as branch:
            now = self._current_wording(branch, number_of(text))
            if request is None and now.content == content:
                return now
            number = recording.revise_text(
                self._stream, branch, number_of(text), content, request=request
            )
            return text_of(self._stream, branch, number)

    def extend(self, text: Numbered | int, more: str, *, request: str | None = None) -> Text:
        """Continue a reply: `more` is added to its wording."""
        with self._writing() as branch:
            number = recording.continue_text(
                self._stream, branch, number_of(text), more, request=request
            )
            return text_of(self._stream, branch, number)

    def undo(self, text: Numbered | int) -> Text:
        """Go back to the wording before the chosen one."""
        with self._writing() as branch:
            now = self._current_wording(branch, number_of(text))
            place = now.wordings.index(now.number)
            if place == 0:
                raise Conflict(f"number {now.number} is the original wording; nothing to undo")
            return self._choose_wording(branch, now.wordings[place - 1])

    def choose_wording(self, wording: int) -> Text:
        """Let this wording of a message or reply count, by its number."""
        with self._writing() as branch:
            return self._choose_wording(branch, number_of(wording))

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

    def fork(self, name: str, after: Numbered | int | None = None) -> Relationship:
        """Begin a branch after a turn (the tip, where none is named). The current one stays."""
        with self._writing() as branch:
            turn = None if after is None else turn_number(after)
            recording.fork_branch(self._stream, branch, name, turn)
        return self.on(name)

    def switch(self, name: str) -> None:
        """Make a branch the current one."""
        with self._writing():
            recording.switch_branch(self._stream, self._stream.branch_named(name))

    def back(self, turn: Numbered | int | None) -> None:
        """End the branch after this turn (None: before the first). Later turns can come back."""
        with self._writing() as branch:
            recording.move_tip(self._stream, branch, ROOT if turn is None else turn_number(turn))

    def drop(self, name: str) -> int:
        """Drop a branch. Returns its number, with which `restore` brings it back."""
        with self._writing():
            branch = self._stream.branch_named(name)
            recording.drop_branch(self._stream, branch)
            return branch

    def withdraw(self, *numbers: Numbered | int) -> None:
        """Let events, texts or whole turns count for nothing, on all branches. Can be undone."""
        with self._writing() as branch:
            recording.withdraw(self._stream, branch, [number_of(one) for one in numbers])

    def restore(self, *numbers: Numbered | int) -> None:
        """Let what was withdrawn count again; without numbers, bring back what was archived."""
        if not numbers:
            self._bring_back()
            return
        with self._writing() as branch:
            recording.restore(self._stream, branch, [number_of(one) for one in numbers])

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

    # Who, and by which numbers

    def rename(self, party: str, name: str, aliases: Sequence[str] = ()) -> None:
        """A party (by its stable id) has another display name from here on."""
        aliases = [aliases] if isinstance(aliases, str) else aliases
        with self._writing() as branch:
            recording.name_party(self._stream, branch, party, name, aliases)

    def name_of(self, party: str) -> str:
        """The display name that a party has now."""
        with self._reading() as branch:
            return recording.party_name(self._stream, branch, party)

    def adopt_blueprint(self, blueprint: Card | Mapping[str, Any]) -> None:
        """From here on the character is played from this card. The one in force is not repeated."""
        card = blueprint if isinstance(blueprint, Card) else card_of(blueprint)
        bend = reading.bend_of(card.fields())
        with self._writing() as branch:
            if reading.blueprint_json(self._stream, branch) != card.json:
                recording.adopt_blueprint(
                    self._stream, branch, name=card.name, spec=card.spec, card=card.json, bend=bend
                )

    def adopt_policy(self, policy: str | Mapping[str, Any]) -> None:
        """From here on the folds use these numbers: a bundled policy's name, or a whole policy."""
        wanted = policy_of(policy)
        with self._writing() as branch:
            if reading.policy_in_force(self._stream, branch) != wanted:
                recording.adopt_policy(self._stream, branch, wanted.name, wanted.numbers())

    def blueprint(self) -> dict[str, Any] | None:
        """The card that the character is played from now, or None."""
        with self._reading() as branch:
            text = reading.blueprint_json(self._stream, branch)
        return None if text is None else json.loads(text)

    def get_turn(self, number: int) -> Turn:
        """A turn of the branch by its number."""
        with self._reading() as branch:
            return Turn(self, view_of_turn(self._stream, branch, number_of(number)).number)

    def _open(
        self,
        said: Said,
        reply: Reply | None,
        at: datetime | None,
        request: str | None,
        scene: Scene | None,
        expect: Numbered | int | None,
    ) -> Turn:
        with self._writing() as branch:
            number = recording.open_turn(
                self._stream,
                branch,
                messages_of(said),
                at=moment_of_given(at),
                request=request,
                scene=scene_of(scene),
                reply=reply,
                expect=None if expect is None else number_of(expect),
            )
        return Turn(self, number)

    def _current_wording(self, branch: int, text: int) -> Text:
        found = text_of(self._stream, branch, text)
        chosen = self._stream.standing(branch).chosen(found.root, default=found.root)
        return text_of(self._stream, branch, found.root if chosen is None else chosen)

    def _choose_wording(self, branch: int, wording: int) -> Text:
        recording.choose_revision(self._stream, branch, wording)
        return text_of(self._stream, branch, wording)


def _of_line(line: Line, view: BranchView) -> BranchView:
    """A branch of another line, under the name by which it is reached from the first."""
    name = line.name if view.current else f"{line.name}/{view.name}"
    return replace(view, name=name, current=False)
