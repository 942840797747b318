"""What is recorded of something said is a payload of its type, and nothing else is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import fixed_store

import enishi
from enishi.kernel import recording
from enishi.kernel.errors import InvalidInput
from enishi.kernel.events import EVENT_TYPES, payload_of
from enishi.kernel.recording import Message, Origin, Reply, Scene

ORIGIN = Origin("a file", 3)

MESSAGES = (
    Message("Hi."),
    Message("Hi.", role="agent"),
    Message("Hi.", role="other", speaker="mei", name="Mei"),
    Message("Hi.", speaker="another", hidden=True),
    Message("Hi.", name="Chen", origin=ORIGIN),
)
REPLIES = (
    Reply("Ho."),
    Reply("Ho.", "overridden", (0, 1)),
    Reply("Ho.", given=(0,), hidden=True, origin=ORIGIN),
    Reply("Ho.", speaker="nova", name="Nova"),
)


@pytest.mark.parametrize("by", ["host", "user", "import"])
def test_what_is_said_is_a_payload_of_its_type_with_nothing_at_its_default(
    tmp_path: Path, by: str
) -> None:
    with fixed_store(tmp_path / "store.db") as store:
        stream = store.relationship("lumi", "chen")._stream
        with stream.writing():
            for reply in REPLIES:
                scene = Scene(bytes(16), ("lumi", "mei")) if reply.given else None
                recording.open_turn(stream, 0, MESSAGES, reply=reply, scene=scene, by=by)
            for number in range(1, len(stream.history)):
                found = stream.record(number)
                assert found.payload is not None
                type_name = found.header.type
                again = payload_of(type_name, **found.payload)
                assert found.payload == again
                whole = EVENT_TYPES[type_name].model.model_validate(found.payload)
                assert whole.by == by


UNFIT: tuple[dict[str, Any], ...] = (
    {"role": "nobody"}, {"role": None}, {"role": ["user"]}, {"hidden": 1}, {"hidden": None},
    {"hidden": "yes"}, {"delivered": "lost"}, {"delivered": 1}, {"given": (False,)},
    {"given": (0.0,)}, {"speaker": 7}, {"speaker": "a\nb"}, {"name": 7}, {"content": 7},
    {"content": "\ud800"}, {"content": "\0"},
)  # fmt: skip


@pytest.mark.parametrize("change", UNFIT, ids=repr)
def test_what_does_not_fit_is_refused_and_nothing_is_recorded(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    with enishi.open(tmp_path / "store.db", synchronous="NORMAL") as store:
        bond = store.relationship("lumi", "chen")
        asked = 0
        for said in (Message("Hi."), Reply("Ho.")):
            if not change.keys() <= set(said._fields):
                continue
            asked += 1
            unfit = said._replace(**change)
            with pytest.raises(InvalidInput):
                if isinstance(unfit, Message):
                    bond.turn(unfit)
                else:
                    bond.record("Hi.", unfit)
        assert asked and len(bond.records()) == 1 and bond.verify().ok
