"""A peer that is measured where a checkout of it is given: E.R.I.I. with its own SQLite storage.

What is used of it: `record_turn`, which takes an exchange that was seen already and commits it at
once, and `get_relationship_snapshot`, which folds all that ever moved the relationship. Neither asks
a model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from enishi.kernel.fold import Event, Reason
from enishi.projections.policy import ONE
from enishi.projections.rapport import RAPPORT

_PAIR = ("lumi", "chen")

_SEEN_ALREADY = {
    "exception_record_version": "delivery-exception-record/v1",
    "disposition": "shown_unreviewed",
    "actor_kind": "host_policy",
    "actor_id": "benchmark",
    "reason_code": "preexisting_visible_exchange",
    "decided_at": "2020-01-06T08:00:00+00:00",
    "reply_attempt_number": None,
}
"""It wants to be told why an exchange comes in whose reply it did not see being made."""


class Unusable(Exception):
    """The folder holds no package `erii`, or none that can be used; the message says which."""


@dataclass(frozen=True, slots=True)
class Erii:
    """The package, loaded from its folder."""

    package: Any

    @property
    def name(self) -> str:
        """What its side of a job is called."""
        return f"E.R.I.I. {self.package.__version__}"

    @contextmanager
    def opened(self, path: Path) -> Iterator[Any]:
        """Its engine on a file, with the one relationship. WAL is its own choice, FULL is SQLite's."""
        engine = self.package.ERIIEngine(storage_driver=self.package.SQLiteStorage(str(path)))
        with closing(engine):
            engine.initialize_relationship(*_PAIR, "Lumi is kind.")
            yield engine

    def seen_already(self) -> Any:
        """What `record` needs beside the texts. Made once, so that its turns need not."""
        return self.package.DeliveryExceptionRecord.from_dict(_SEEN_ALREADY)

    def record(self, engine: Any, said: str, reply: str, seen_already: Any) -> None:
        """One exchange, in one durable commit."""
        engine.record_turn(*_PAIR, said, reply, delivery_exception=seen_already)

    def fill(self, path: Path, events: Sequence[Event]) -> None:
        """Let it record an event for each signal among ours, with what that did to the five
        numbers. Their turns, which it would not read for a snapshot, are left out.
        """
        with self.opened(path) as engine:
            for changes in _changes(events):
                engine.record_relationship_event(
                    *_PAIR, "observation", "what was said", state_delta=changes
                )

    def snapshot(self, path: Path) -> Mapping[str, float]:
        """Open it and fold the relationship. Returns the five numbers."""
        with self.opened(path) as engine:
            state = engine.get_relationship_snapshot(*_PAIR).state
        return {name: getattr(state, name) for name in RAPPORT.initial()["values"]}


def load(folder: Path) -> Erii:
    """The package `erii` that lies in a folder, and nothing else that lies there."""
    init = folder.resolve() / "erii" / "__init__.py"
    if not init.is_file():
        raise Unusable(
            f"no package erii in {folder}: give a checkout of E.R.I.I., or a folder that "
            "`pip install --target` filled with it"
        )
    spec = spec_from_file_location("erii", init)
    assert spec is not None and spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["erii"] = package
    try:
        spec.loader.exec_module(package)
        _ = package.__version__, package.ERIIEngine, package.SQLiteStorage
        _ = package.DeliveryExceptionRecord
    except Exception as error:
        del sys.modules["erii"]
        raise Unusable(f"the package erii in {folder} cannot be used: {error}") from error
    return Erii(package)


def _changes(events: Sequence[Event]) -> Iterator[dict[str, float]]:
    """What each signal did to the five numbers: often nothing, where a day's limit was reached."""
    state = RAPPORT.initial()
    for event in events:
        if event.type in RAPPORT.reads:
            trace: list[Reason] = []
            RAPPORT.apply(state, event, trace)
            yield {reason.key: reason.change / ONE for reason in trace}
