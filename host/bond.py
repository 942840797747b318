"""A relationship as its parts see it: its stream, its branch, and reading and writing there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from enishi.kernel.errors import StoreFailure
from enishi.kernel.fold import Projection, fold_of, keep_history
from enishi.kernel.lines import lines_of
from enishi.kernel.log import Line
from enishi.kernel.stream import Stream, Writing
from enishi.projections import PROJECTIONS

if TYPE_CHECKING:
    from enishi.host.relationship import Relationship
    from enishi.host.store import Store


class Bond:
    """Whose relationship it is, and on which branch. The rest of the face stands on this."""

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
                other = self._store._bond(self._store._stream(line))
                return other.on(name) if name else other
            self._stream.branch_named(branch)
        return self._store._bond(self._stream, branch)

    def _line_named(self, branch: str) -> Line | None:
        own = self._stream.line
        others = (line for line in lines_of(self._stream.log, own.relationship) if line.name)
        found = (line for line in others if f"{branch}/".startswith(f"{line.name}/"))
        return max(found, key=lambda line: len(line.name), default=None)

    def _writing(self) -> Writing[int]:
        return self._stream.writing_on(self._branch)

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

    def _save_checkpoints(self, branch: int) -> None:
        """Keep what took long to fold. A cache: where it cannot be written, nothing is lost."""
        keeps = self._stream.is_worth_keeping()
        folds = [p for p in PROJECTIONS if self._worth_saving(branch, p, keeps)]
        if not folds and not keeps:
            return
        try:
            with self._stream.writing():
                for projection in folds:
                    fold = fold_of(self._stream, branch, projection)
                    fold.state()
                    if fold.worth_saving(keeps):
                        fold.save()
                if keeps:
                    keep_history(self._stream, branch)
        except StoreFailure:
            pass

    def _worth_saving(self, branch: int, projection: Projection, with_history: bool) -> bool:
        fold = self._stream.kept.get((projection.name, projection.version, branch))
        return fold is not None and fold.worth_saving(with_history)
