"""The test vectors of the log's format, and a test of the tables of `docs/format.md`.

Scripts with a fixed clock and fixed chance must give the files in `vectors/` byte for byte, and
`second_reader.py`, which knows nothing of this package, must agree with them. To rewrite files
that differ on purpose, after looking at the difference: pytest golden --bless
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from format_page import FORMAT_PAGE, current_page

import enishi
from enishi.kernel.deciding.proposals import Citation, Signal
from enishi.kernel.encoding import (
    FORMAT,
    Header,
    decode_header,
    decode_payload,
    encode_header,
    header_hash,
)
from enishi.kernel.erasing.erasure import erase, of_numbers
from enishi.kernel.fold import fold_of
from enishi.kernel.history import ROOT
from enishi.kernel.log import sealed
from enishi.kernel.recording import open_turn
from enishi.kernel.stream import Stream
from enishi.projections.policy import bundled_policy
from enishi.projections.rapport import RAPPORT

if TYPE_CHECKING:
    from conftest import Expect

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"

SHANGHAI = timezone(timedelta(hours=8))
BERLIN = timezone(timedelta(hours=1))


# Fixed time and chance


class Clock:
    """A clock that stands still until a script moves it, however often it is asked."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def move(self, zone: timezone | None = None, **to_pass: int) -> None:
        """Let time pass, and perhaps go to another zone."""
        self.now = (self.now + timedelta(**to_pass)).astimezone(zone or self.now.tzinfo)


def chance(name: str) -> Callable[[int], bytes]:
    """Bytes that look random and are the same each time."""
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return sha256(f"{name} {count}".encode()).digest()[:size]

    return entropy


class Stage(NamedTuple):
    """What a script plays on."""

    bond: enishi.Relationship
    stream: Stream
    clock: Clock


# The scripts


def signal(kind: Any, text: int, quote: str, **more: Any) -> Signal:
    """A proposal on one quote; by the user and moderate, unless told otherwise."""
    fields = {"actor": "user", "citations": (Citation(text=text, quote=quote),), **more}
    return Signal(signal=kind, **fields)


EVERY_KIND = frozenset(range(256))


def requested(stream: Stream, id: str) -> int | None:
    """The number of the record that carries a caller's request id."""
    return stream.log.requested(stream.line, f"caller\n{id}")


def plain(stage: Stage) -> list[str]:
    """Turns in two languages, request ids, a greeting, a guest, signals, blueprint and policy."""
    bond, stream, clock = stage.bond, stage.stream, stage.clock
    bond.adopt_blueprint(
        {
            "spec": "chara_card_v2",
            "spec_version": "2.0",
            "data": {"name": "Lumi", "extensions": {"enishi": {"bend": {"intimacy": 0.8}}}},
        }
    )
    bond.record([], "晚上好，我是露米。")
    clock.move(seconds=50)
    first = bond.turn("谢谢你昨天陪我聊到那么晚。", request="app-7f3a")
    clock.move(milliseconds=4250)
    reply = first.reply("不客气。😊 I like our talks.", request="app-7f3a/reply")
    thanks = first.view().messages[0].number
    bond.propose(
        first,
        [
            signal("gratitude", thanks, "谢谢你"),
            signal("disclosure", thanks, "聊到那么晚"),
            signal("gratitude", thanks, "never said", confidence=0.9),
            signal("support", reply.number, "I like our talks", actor="agent", confidence=0.6),
        ],
    )
    clock.move(BERLIN, days=1)
    with bond.turn(["My father is ill.", "I have told nobody else."]) as second:
        second.reply("That is a lot to carry alone.", given=[thanks])
    ill, told = (message.number for message in second.view().messages)
    confided = signal("disclosure", ill, "My father is ill")
    bond.propose(second, [confided, signal("disclosure", told, "nobody else", strength="strong")])
    clock.move(minutes=10)
    numbers = bundled_policy().numbers()
    numbers["rapport"]["day"]["gain"] = 250
    bond.adopt_policy({"name": "slower", **numbers})
    bond.rename("chen", "小陈", ["Chen"])
    scene = enishi.Scene(stream.entropy(16), ("lumi", "chen", "mei"))
    guest = enishi.Message("大家好！", role="other", speaker="mei", name="Mei")
    said: list[str | enishi.Message] = ["We finished it, as I promised.", guest]
    third = bond.record(said, "So you did.", scene=scene)
    kept, heard = third.view().messages[0].number, third.number + 3
    bond.propose(
        third,
        [
            signal("reliability", kept, "as I promised", strength="strong"),
            signal("reliability", heard, "So you did"),
            signal("quarrel", kept, "finished it", strength="weak"),
        ],
    )
    return ["app-7f3a", "app-7f3a/reply"]


def branched(stage: Stage) -> list[str]:
    """Everything that changes what stands: variants, wordings, forks, tips, withdrawals."""
    bond, stream, clock = stage.bond, stage.stream, stage.clock
    with stream.writing():
        said = [enishi.Message("从前的事，谢谢你。")]
        old = open_turn(stream, 0, said, reply=enishi.Reply("嗯。"), by="import")
    bond.propose(old, [signal("gratitude", old + 1, "谢谢你")])
    first = bond.record("Thank you for waiting.", "Of course.")
    waiting = first.view().messages[0].number
    bond.propose(first, [signal("gratitude", waiting, "Thank you")])
    clock.move(minutes=2)
    other = bond.regenerate(first, "Always. I promise to wait.", request="again")
    pledge = signal("pledge", other.number, "I promise", actor="agent")
    bond.propose(first, [pledge, signal("support", other.number, "Always", actor="agent")])
    bond.extend(other, " 无论多久。")
    clock.move(hours=3)
    second = bond.record("Let us cook together.", "Yes, dumplings!")
    cook = second.view().messages[0].number
    bond.propose(second, [signal("shared_experience", cook, "cook together")])

    side = bond.fork("side", after=first)
    bond.swipe(first, 1)
    angry = side.edit(waiting, "You made me wait. I am angry.")
    side.propose(first, [signal("quarrel", angry.number, "I am angry")])
    clock.move(BERLIN, hours=20)
    third = side.record("对不起，是我不好。", "没关系。")
    sorry = third.view().messages[0].number
    side.propose(third, [signal("repair", sorry, "对不起", strength="strong")])
    deep = side.fork("deep")
    side.swipe(first, 1)
    deep.edit(sorry, "算了。")
    deep.undo(sorry)
    deep.turn("还在吗？").abandon()
    clock.move(minutes=5)
    deep.rename("chen", "陈")
    deep.record("Hello?", "你好。", at=clock.now - timedelta(hours=2))
    with stream.writing():
        open_turn(stream, stream.branch_named("deep"), [enishi.Message("嗯？")], by="import")

    waits = deep.turn("等等。")
    here, there = deep.fork("here"), deep.fork("there")
    here.get_turn(waits.number).say("I am here.")
    clock.move(minutes=1)
    there.get_turn(waits.number).reply("好。")

    bond.swipe(first, 2)
    bond.undo(other)
    bond.record("Never mind all that.", "As you like.")
    bond.back(second)
    thrown = bond.fork("thrown")
    thrown.record("Thanks for the dumplings.", "Come again.")
    bond.drop("thrown")
    bond.withdraw(second.number)
    bond.withdraw(cook)
    bond.restore(second.number)
    events = [one.event for one in bond.decisions() if one.event is not None]
    bond.withdraw(events[0], events[1])
    bond.restore(events[1])
    bond.switch("side")
    return ["again"]


def retold(stage: Stage) -> list[str]:
    """A happening told again in other words, recorded in another order, and looked back on."""
    bond, clock = stage.bond, stage.clock
    tellings = (
        "We watched the first snow from the roof.",
        "和你一起在山顶看初雪。",
        "The first snow on that roof, watched with you!",
        "还记得山顶的初雪吗？",
        "I keep thinking of the first snow we watched.",
    )
    numbers = []
    for words in tellings:
        numbers.append(bond.record(words, "Mm.").view().messages[0].number)
        clock.move(days=2)
    said = list(zip(numbers, tellings, strict=True))
    for number, words in (said[2], said[0], said[1], said[4], said[3]):
        bond.propose(None, [signal("shared_experience", number, words)])
    lone = bond.fork("lone", after=bond.turns()[-1])
    lone.edit(numbers[0], "We watched the last train.")
    return []


def erased(stage: Stage) -> list[str]:
    """A message destroyed with what rests on it; what this version does not know; then a message
    whose words are destroyed and whose effects stay, and one that loses those as well.
    """
    bond, stream, clock = stage.bond, stage.stream, stage.clock
    numbers = bundled_policy().numbers()
    numbers["rapport"]["start"]["trust"] = 4000
    bond.adopt_policy({"name": "wary", **numbers})
    first = bond.turn("谢谢你，我住在长安街五号。")
    address = first.view().messages[0].number
    pledge = first.reply("我不会说出去的。").number
    bond.propose(first, [signal("pledge", pledge, "我不会说出去", actor="agent")])
    bond.adopt_policy("1")
    bond.propose(first, [signal("gratitude", address, "谢谢你")])
    clock.move(hours=2)
    second = bond.record("Thank you for keeping it.", "Always.")
    keeping = second.view().messages[0].number
    bond.propose(second, [signal("gratitude", keeping, "Thank you")])
    with stream.writing():
        history = stream.history
        rests = [n for n in range(len(history)) if address in history.causes_of(n)]
        stream.destroy([address, *rests])
    stranger = append_foreign(stream, "DreamDreamt", 1, {"dream": "雪"}, second.number)
    newer = {"signal": "gratitude", "shade": "deep"}
    append_foreign(stream, "SignalAccepted", 2, newer, second.number, stranger)
    clock.move(BERLIN, hours=1)
    third = bond.record("谢谢。晚安。", "晚安，好梦。")
    night = third.view().messages[0].number
    bond.propose(third, [signal("gratitude", night, "谢谢")])
    for words in (
        "Thank you, I had dumplings with Anna.",
        "I ate too much. Thank you all the same.",
    ):
        clock.move(hours=1)
        turn = bond.record(words, "Sleep well.")
        said = turn.view().messages[0].number
        bond.propose(turn, [signal("gratitude", said, "Thank you")])
        with stream.writing():
            erase(stream, of_numbers(stream, [turn.number], keep_effects=True))
    with stream.writing():
        erase(stream, of_numbers(stream, [said]))
    return []


def append_foreign(
    stream: Stream, kind: str, version: int, payload: dict[str, Any], turn: int, *causes: int
) -> int:
    """Append what a later version of this program might have written."""
    with stream.writing():
        length, previous, _ = stream.log.tip(stream.line.line)
        salt, data, committed = sealed(payload, stream.entropy)
        header = Header(
            format=FORMAT,
            relationship=stream.line.relationship,
            number=length,
            previous=previous,
            type=kind,
            version=version,
            happened=None,
            recorded=stream.now.at,
            turn=turn,
            parent=None if (parent := stream.history.parent_of(turn)) == ROOT else parent,
            branch=0,
            causes=causes,
            targets=(),
            request=None,
            commitment=committed,
        )
        stream.log.append(stream.line.line, header, salt, data)
    return length


SCRIPTS: dict[str, Callable[[Stage], list[str]]] = {
    "plain": plain,
    "branched": branched,
    "retold": retold,
    "erased": erased,
}


# From a played script to a vector


def play(name: str, folder: Path) -> dict[str, Any]:
    """Play a script into a fresh store and describe what came of it."""
    clock = Clock(datetime(2026, 3, 1, 22, 30, tzinfo=SHANGHAI))
    with enishi.open(folder / f"{name}.db", clock=clock, entropy=chance(name)) as store:
        bond = store.relationship("lumi", "chen")
        stream = bond._stream
        requests = SCRIPTS[name](Stage(bond, stream, clock))
        assert bond.verify().ok
        with stream.reading():
            return {
                "about": inspect.getdoc(SCRIPTS[name]),
                "records": [described(*row[2:]) for row in stream.log.raw(stream.line.line)],
                "requests": {f"caller\n{id}": requested(stream, id) for id in requests},
                "branches": {
                    name: outcome(stream, number) for number, name in stream.branch_names().items()
                },
            }


def described(
    header: bytes, digest: bytes, salt: bytes | None, payload: bytes | None
) -> dict[str, Any]:
    """One record: its bytes in hexadecimal, and what they say."""
    read = decode_header(header)._asdict()
    return {
        "header": header.hex(),
        "hash": digest.hex(),
        "salt": salt and salt.hex(),
        "payload": payload and payload.hex(),
        "decoded": {
            "header": shown(read),
            "payload": None if payload is None else shown(decode_payload(payload)),
        },
    }


def shown(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, bytes):
        return f"hex:{value.hex()}"
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    return value


def outcome(stream: Stream, branch: int) -> dict[str, Any]:
    """What stands on a branch, and the state that it folds to."""
    standing = stream.standing(branch)
    fold = fold_of(stream, branch, RAPPORT)
    return {
        "number": branch,
        "path": list(standing.path[1:]),
        "standing": [
            [number, moment.at, moment.offset, moment.day] if moment else [number, None, None, None]
            for depth in range(len(standing.path))
            for number, moment in standing.times(depth, EVERY_KIND)
        ],
        "rapport": {"state": fold.state(), "digest": fold.digest()},
    }


def as_text(vector: dict[str, Any]) -> str:
    """JSON for people and for `diff`: short lists of plain values stand on one line."""
    text = json.dumps(vector, ensure_ascii=False, indent=1, sort_keys=False)
    short = re.compile(r"\[\n\s+([^][{}]*?)\n\s+\]")
    return short.sub(lambda m: "[" + re.sub(r",\n\s+", ", ", m[1]) + "]", text) + "\n"


# The tests


def second_reader() -> Any:
    """The reader that knows only docs/format.md. This folder is no package, hence the loading."""
    spec = importlib.util.spec_from_file_location("second_reader", HERE / "second_reader.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_current_tables(expect: Expect) -> None:
    expect(FORMAT_PAGE, current_page())


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_gives_the_vector(name: str, tmp_path: Path, expect: Expect) -> None:
    expect(VECTORS / f"{name}.json", as_text(play(name, tmp_path)))


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_second_reader_agrees(name: str) -> None:
    vector = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    assert second_reader().problems(vector) == []


def harm(record: dict[str, Any], field: str) -> None:
    """Change the last half byte of a field."""
    record[field] = record[field][:-1] + ("0" if record[field][-1] != "0" else "1")


def rewrite(record: dict[str, Any], **fields: Any) -> bytes:
    """Give a header other fields, and a hash that fits."""
    header = decode_header(bytes.fromhex(record["header"]))._replace(**fields)
    data = encode_header(header)
    record.update(header=data.hex(), hash=header_hash(data).hex())
    record["decoded"]["header"] = shown(header._asdict())
    return header_hash(data)


def forge(records: list[dict[str, Any]], place: int, **fields: Any) -> None:
    """Give a header other fields, and write the rest of the chain anew."""
    previous = rewrite(records[place], **fields)
    for record in records[place + 1 :]:
        previous = rewrite(record, previous=previous)


HARM: list[tuple[str, Callable[[list[dict[str, Any]]], object]]] = [
    ("hash", lambda records: harm(records[5], "header")),
    ("commitment", lambda records: harm(records[5], "payload")),
    ("commitment", lambda records: harm(records[5], "salt")),
    ("commitment", lambda records: rewrite(records[5], commitment=bytes(32))),
    ("the chain is broken", lambda records: rewrite(records[3], recorded=1)),
    ("number", lambda records: records.pop(5)),
    ("number", lambda records: records.insert(5, records.pop(6))),
    ("salt and payload go together", lambda records: records[5].update(payload=None)),
    (
        "payload and tombstone disagree",
        lambda records: records[5].update(
            salt=None, payload=None, decoded={**records[5]["decoded"], "payload": None}
        ),
    ),
    ("relationship", lambda records: forge(records, 5, relationship=bytes(16))),
    ("references", lambda records: forge(records, 5, targets=(5,))),
    ("no such turn", lambda records: forge(records, 5, turn=3)),
    ("no such branch", lambda records: forge(records, 5, branch=3)),
    ("another parent than its turn", lambda records: forge(records, 5, parent=None)),
    ("it opens another turn", lambda records: forge(records, 4, turn=2, parent=None)),
]
"""What the second reader has to say, and to which harm."""


@pytest.mark.parametrize(("message", "hurt"), HARM)
def test_the_second_reader_sees_harm(message: str, hurt: Callable[[Any], object]) -> None:
    vector = json.loads((VECTORS / "plain.json").read_text("utf-8"))
    hurt(vector["records"])
    found = second_reader().problems(vector)
    assert len(found) == 1 and found[0].endswith(f": {message}"), found


def test_the_second_reader_is_independent() -> None:
    tree = ast.parse((HERE / "second_reader.py").read_text("utf-8"))
    found = {alias.name for node in ast.walk(tree) for alias in getattr(node, "names", ())
             if isinstance(node, ast.Import)}  # fmt: skip
    found |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert found <= {"__future__", "hashlib", "json", "msgpack", "sys", "typing"}
