"""Carrying a relationship elsewhere: packs, chats, a memoir, another id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from enishi.host.given import moment_of_given
from enishi.host.remembering import Remembering
from enishi.kernel import recording
from enishi.kernel.deciding.proposals import Audience, Party
from enishi.kernel.lines import lines_of, note_export, shared_length
from enishi.packs.memorypack.exporting import Exported, cut, export_pack, withheld_with


class Carrying(Remembering):
    """How a relationship goes elsewhere."""

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
        log, stop = self._stream.log, until if isinstance(until, int) else moment_of_given(until)
        numbers = list(withhold)
        signing = None if log.read_only else self._store._signing()
        with log.passing(), self._stream.reading():
            cuts = []
            for line in lines_of(log, self._stream.line.relationship):
                stream = self._store._stream(line)
                with stream.reading():
                    # Numbers are those of this line, and of what others have in common with it.
                    common = shared_length(log, self._stream.line.line, line.line)
                    same = line.line == self._stream.line.line
                    own = [number for number in numbers if same or number < common]
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
            own = self._stream.line
            others = [
                line
                for line in lines_of(self._stream.log, own.relationship)
                if line.line != own.line and getattr(line, party) != new
            ]
            if getattr(own, party) != new or not others:
                recording.rebind_party(self._stream, branch, party, new)
            for line in others:
                stream = self._store._stream(line)
                with stream.writing():
                    recording.rebind_party(stream, stream.history.current, party, new)
