"""A second, small reader of the log, written from `docs/format.md` alone.

It imports nothing of Enishi: where both agree on the vectors, the page says enough.

    python golden/second_reader.py golden/vectors/*.json
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import msgpack

FIELDS = (
    "format",
    "relationship",
    "number",
    "previous",
    "type",
    "version",
    "happened",
    "recorded",
    "turn",
    "parent",
    "branch",
    "causes",
    "targets",
    "request",
    "commitment",
)

TEXTS = {"MessageReceived", "ReplyGiven", "TextRevised"}
ACTS = {
    "VariantChosen",
    "RevisionChosen",
    "BranchForked",
    "BranchSwitched",
    "TipMoved",
    "Withdrawn",
    "Restored",
    "Erased",
    "WordsErased",
}
FREE = {
    *("SignalAccepted", "BeliefConfirmed", "BeliefRetracted", "PromiseEnded", "LoopEnded"),
    *("PromiseConditionMet", "ConsequenceFollowed", "TensionMoved", "TurnAbandoned"),
    *("DecisionReleased", "MoodObserved"),
}

ROOT = -1
UNKNOWN = -(2**63)
NEVER = [None, None, None]
ENDLESS = 2**62

POLICY: dict[str, Any] = {
    "start": {"familiarity": 0, "trust": 5000, "intimacy": 0, "safety": 5000, "conflict_tension": 0},
    "signals": {
        "gratitude": {"familiarity": 100, "trust": 100},
        "disclosure": {"familiarity": 200, "intimacy": 200},
        "reliability": {"trust": 300, "safety": 100},
        "boundary_respected": {"trust": 200, "safety": 300},
        "boundary_violation": {"trust": -400, "safety": -400, "conflict_tension": 400},
        "quarrel": {"trust": -200, "safety": -200, "conflict_tension": 500},
        "repair": {"trust": 300, "safety": 300, "conflict_tension": -500},
        "shared_experience": {"familiarity": 300, "intimacy": 200},
        "remembrance": {"familiarity": 100, "intimacy": 100},
        "pledge": {"trust": 200, "safety": 100},
        "disappointment": {"safety": -100, "conflict_tension": 200},
        "support": {"trust": 200, "safety": 200},
    },
    "strength": {"weak": 5000, "moderate": 10000, "strong": 15000},
    "day": {"gain": 500, "loss": 800},
}  # fmt: skip

Map = dict[str, Any]


# Section 1 and 2: bytes, hashes, records


def domain_hash(domain: str, *parts: bytes) -> bytes:
    """SHA-256 under a domain."""
    return hashlib.sha256(f"enishi/{domain}/1\0".encode() + b"".join(parts)).digest()


def request_hash(secret: bytes, request: str) -> bytes:
    """HMAC-SHA-256, written out, cut to 16 bytes."""
    key = secret.ljust(64, b"\0")
    inner, outer = bytes(b ^ 0x36 for b in key), bytes(b ^ 0x5C for b in key)
    message = b"enishi/request/1\0" + request.encode()
    return hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()[:16]


def canonical(value: Any) -> bytes:
    """The bytes of a value."""
    return msgpack.packb(in_order(value))


def in_order(value: Any) -> Any:
    """The value with all maps sorted; nothing but what section 1 allows."""
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value), "a key is no string"
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    assert value is None or isinstance(value, bool | int | str | bytes), f"no value: {value!r}"
    return value


def shown(value: Any) -> Any:
    """A value as the vectors show it."""
    if isinstance(value, bytes):
        return f"hex:{value.hex()}"
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, list) else value


class Damaged(Exception):
    """A record is not what it claims to be."""


def check(holds: bool, number: int, message: str) -> None:
    """The first thing that is wrong ends the reading."""
    if not holds:
        raise Damaged(f"record {number}: {message}")


class Log:
    """The records of one relationship: `headers` as maps, `payloads` None where erased."""

    def __init__(self, records: list[Map]) -> None:
        self.headers: list[Map] = []
        self.payloads: list[Map | None] = []
        previous = None
        for row in records:
            previous = self._read(row, previous)
        self._build()

    def _read(self, row: Map, previous: bytes | None) -> bytes:
        data, number = bytes.fromhex(row["header"]), len(self.headers)
        digest = domain_hash("header", data)
        check(digest.hex() == row["hash"], number, "hash")
        header = dict(zip(FIELDS, msgpack.unpackb(data), strict=True))
        self.headers.append(header)
        check(canonical(list(header.values())) == data, number, "header not canonical")
        check(header["format"] == 1, number, "format")
        check(header["number"] == number, number, "number")
        check(header["previous"] == previous, number, "the chain is broken")
        check(header["relationship"] == self.headers[0]["relationship"], number, "relationship")
        references = header["causes"] + header["targets"]
        check(all(0 <= other < number for other in references), number, "references")
        check(shown(header) == row["decoded"]["header"], number, "decoded header")
        self.payloads.append(self._payload(number, row, header))
        return digest

    def _payload(self, number: int, row: Map, header: Map) -> Map | None:
        if row["payload"] is None or row["salt"] is None:
            check(row["payload"] == row["salt"], number, "salt and payload go together")
            check(row["decoded"]["payload"] is None, number, "decoded payload")
            return None
        salt, data = bytes.fromhex(row["salt"]), bytes.fromhex(row["payload"])
        check(domain_hash("payload", salt, data) == header["commitment"], number, "commitment")
        payload: Map = msgpack.unpackb(data)
        check(canonical(payload) == data, number, "payload not canonical")
        check(shown(payload) == row["decoded"]["payload"], number, "decoded payload")
        return payload

    # Section 4 and 5: the tree, the acts

    def _build(self) -> None:
        self.parent: dict[int, int] = {}
        self.depth = {ROOT: 0}
        self.branches: dict[int, Map] = {}
        self.choices: list[tuple[int, int, int]] = []
        self.withdrawn: dict[int, bool] = {}
        self.erased: set[int] = set()
        self.deeply: set[int] = set()
        for number, header in enumerate(self.headers):
            self._place(number, header, header["targets"])
        for number, payload in enumerate(self.payloads):
            gone = payload is None
            check(gone == (number in self.erased), number, "payload and tombstone disagree")

    def _place(self, number: int, header: Map, targets: list[int]) -> None:
        branch, kind, turn = header["branch"], header["type"], self.turn_of(number)
        target = targets[0] if targets else ROOT
        if kind == "RelationshipFounded":
            self.branches[0] = {"name": "main", "parent": None, "tip": ROOT}
        elif kind == "TurnOpened":
            self.parent[number] = ROOT if header["parent"] is None else header["parent"]
            self.depth[number] = self.depth[self.parent[number]] + 1
            self.branches[branch]["tip"] = number
        elif kind == "BranchForked":
            payload = self.payloads[number]
            name = payload["name"] if payload else f"branch-{number}"
            self.branches[number] = {"name": name, "parent": branch, "tip": target}
        elif kind == "TipMoved":
            self.branches[branch]["tip"] = target
        elif kind == "ReplyGiven":
            self.choices.append((number, turn, number))
        elif kind == "VariantChosen":
            self.choices.append((number, self.turn_of(target), target))
        elif kind == "TextRevised":
            self.choices.append((number, target, number))
        elif kind == "RevisionChosen":
            self.choices.append((number, self.root_text(target), target))
        elif kind in ("Withdrawn", "Restored"):
            self.withdrawn.update((n, kind == "Withdrawn") for n in targets)
        elif kind in ("Erased", "WordsErased"):
            self.erased.update(targets)
            self.deeply |= set(targets) if kind == "Erased" else set()
        check(branch in self.branches, number, "no such branch")
        check(turn in self.depth, number, "no such turn")
        check(kind != "TurnOpened" or turn == number, number, "it opens another turn")
        depths = [self.depth[self.turn_of(cause)] for cause in header["causes"]]
        check(max(depths, default=0) <= self.depth[turn], number, "a cause comes later")
        parent = self.parent.get(turn, ROOT)
        own = ROOT if header["parent"] is None else header["parent"]
        check(own == parent, number, "another parent than its turn")

    def turn_of(self, number: int) -> int:
        """The turn of a record."""
        turn: int | None = self.headers[number]["turn"]
        return ROOT if turn is None else turn

    def root_text(self, number: int) -> int:
        """The message or reply of a wording."""
        header = self.headers[number]
        return int(header["targets"][0]) if header["type"] == "TextRevised" else number

    def names(self) -> dict[str, int]:
        """The branches that were not dropped."""
        return {b["name"]: n for n, b in self.branches.items() if not self.withdrawn.get(n)}

    def path(self, branch: int) -> list[int]:
        """The turns of a branch, the root first."""
        path = [self.branches[branch]["tip"]]
        while path[-1] != ROOT:
            path.append(self.parent[path[-1]])
        return path[::-1]


class Standing:
    """Sections 5 and 6: what stands on one branch, in order, with its time, offset and day."""

    def __init__(self, log: Log, branch: int) -> None:
        self.log = log
        self.path = log.path(branch)
        self.limits = {branch: ENDLESS}
        while (parent := log.branches[branch]["parent"]) is not None:
            self.limits[parent] = min(branch, self.limits[branch])
            branch = parent
        self.chosen = {key: text for number, key, text in log.choices if self.said(number)}
        self.numbers: list[int] = []
        self.wordless: list[int] = []
        self.events: list[list[Any]] = []
        self._judge()

    def said(self, number: int) -> bool:
        """Whether a record is said on this branch."""
        return number < self.limits.get(self.log.headers[number]["branch"], 0)

    def _judge(self) -> None:
        now, offset = UNKNOWN, 0
        for turn in self.path:
            opened = None if turn == ROOT else self.log.headers[turn]["happened"]
            offset = opened[1] if opened else offset
            for number, header in enumerate(self.log.headers):
                if self.log.turn_of(number) == turn and self._counts(number, header):
                    own = max(now, header["happened"][0] if header["happened"] else UNKNOWN)
                    now = own if header["type"] in TEXTS | {"TurnOpened"} else now
                    if number in self.log.erased:
                        self.wordless.append(number)
                        continue
                    day = (own + offset * 1_000_000) // 86_400_000_000
                    known = own != UNKNOWN
                    self.numbers.append(number)
                    self.events.append([number, own, offset, day] if known else [number] + NEVER)

    def _counts(self, number: int, header: Map) -> bool:
        """Whether it stands, or would if its words alone were not erased."""
        bearing = set(self.numbers)
        if header["type"] in FREE or number in self.log.erased:
            bearing |= set(self.wordless)
        return (
            header["type"] not in ACTS
            and number not in self.log.deeply
            and not self.log.withdrawn.get(number, False)
            and (header["type"] not in TEXTS or self._is_chosen(number))
            and bearing.issuperset(header["causes"])
            and (bool(header["causes"]) or self.said(number))
        )

    def _is_chosen(self, number: int) -> bool:
        root = self.log.root_text(number)
        if self.log.headers[root]["type"] == "ReplyGiven":
            heard = self.chosen.get(self.log.turn_of(root)) == root
        else:
            heard = self.said(root)
        return heard and self.chosen.get(root, root) == number


# Section 8 and 9: rapport


def rapport(standing: Standing) -> Map:
    """The state of rapport."""
    state = {"values": dict(POLICY["start"]), "policy": POLICY, "bend": {}, "today": fresh(None)}
    state["shared"] = {}
    log = standing.log
    for number, _, _, day in standing.events:
        kind, version = log.headers[number]["type"], log.headers[number]["version"]
        payload = log.payloads[number]
        if payload is None or version != 1:
            continue
        if kind == "PolicyAdopted":
            adopt(state, payload["numbers"].get("rapport"))
        elif kind == "BlueprintAdopted":
            state["bend"] = payload.get("bend", {})
        elif kind == "SignalAccepted":
            signal(state, number, payload, day)
    return state


def fresh(day: int | None) -> Map:
    """A day on which nothing was shown."""
    return {"day": day, "shown": {}, "gain": {}, "loss": {}, "sentences": {}}


def adopt(state: Map, numbers: Map | None) -> None:
    """Another policy."""
    if numbers is None:
        return
    if state["today"] == fresh(None) and state["values"] == state["policy"]["start"]:
        state["values"] = dict(numbers["start"])
    state["policy"] = numbers


def signal(state: Map, number: int, payload: Map, day: int | None) -> None:
    """A signal."""
    before = state["today"]["day"]
    if day is not None and (before is None or day > before):
        state["today"] = fresh(day)
    today, policy = state["today"], state["policy"]
    shown = payload["signal"]
    if shown == "shared_experience" and remembered(state["shared"], number, payload):
        shown = "remembrance"
    kind = f"{shown} {payload['actor']}"
    key = f"{payload['spans'][-1][0]}:{payload['sentence'][0]}"
    entry = today["sentences"].setdefault(key, {"ranks": {}, "peaks": {}})
    if kind not in entry["ranks"]:
        today["shown"][kind] = entry["ranks"][kind] = today["shown"].get(kind, 0) + 1
    for name, figure in policy["signals"].get(shown, {}).items():
        product = figure * policy["strength"][payload["strength"]] * state["bend"].get(name, 10000)
        size = abs(product) // (entry["ranks"][kind] * 10000 * 10000)
        wanted = size if product >= 0 else -size
        earned = payload["actor"] == "user" and (wanted < 0 or payload["voices"] == ["user"])
        if earned or name not in ("trust", "safety"):
            move(state, entry["peaks"], name, wanted)


def remembered(shared: Map, number: int, payload: Map) -> bool:
    """A shared experience that was told before, or that looks back."""
    retells = payload.get("retells", [])
    named = shared.get(str(number), number) != number
    if payload.get("looks_back") or named or any(shared.get(str(n)) == n for n in retells):
        return True
    shared.update({str(n): number for n in retells if str(n) not in shared})
    shared[str(number)] = number
    return False


def move(state: Map, peaks: Map, name: str, wanted: int) -> None:
    """What is left of a figure, after the sentence and within the day and the range."""
    peak, given = peaks.get(name, (0, 0))
    if abs(wanted) <= abs(peak):
        return
    change, value = wanted - given, state["values"][name]
    side, space = ("gain", 10000 - value) if change > 0 else ("loss", value)
    moved = state["today"][side]
    room = state["policy"]["day"][side] - moved.get(name, 0)
    size = max(0, min(abs(change), room, space))
    moved[name] = moved.get(name, 0) + size
    moved_by = size if change > 0 else -size
    state["values"][name] += moved_by
    peaks[name] = [wanted, given + moved_by]


# The vectors


def problems(vector: Map) -> list[str]:
    """Where a vector and this reader differ; empty if they agree."""
    try:
        log = Log(vector["records"])
    except Damaged as error:
        return [str(error)]
    found = []
    founding = log.payloads[0]
    for request, number in vector["requests"].items():
        mine = None if founding is None else request_hash(founding["secret"], request)
        if log.headers[number]["request"] != mine:
            found.append(f"the request {request!r} is not that of record {number}")
    if log.names() != {name: branch["number"] for name, branch in vector["branches"].items()}:
        return [*found, f"other branches: {log.names()}"]
    for name, wanted in vector["branches"].items():
        found += [f"branch {name}: {difference}" for difference in differences(log, wanted)]
    return found


def differences(log: Log, wanted: Map) -> list[str]:
    """Where one branch comes out otherwise than the vector says."""
    standing = Standing(log, wanted["number"])
    state = rapport(standing)
    digest = domain_hash("state", canonical(["rapport", 2, state])).hex()
    pairs = (
        ("path", standing.path[1:], wanted["path"]),
        ("standing", standing.events, wanted["standing"]),
        ("state", state, wanted["rapport"]["state"]),
        ("digest", digest, wanted["rapport"]["digest"]),
    )
    return [f"{what} is {mine}, not {theirs}" for what, mine, theirs in pairs if mine != theirs]


def main(paths: list[str]) -> int:
    """Check files of vectors. Returns how many differ."""
    wrong = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = problems(json.load(file))
        print(f"{path}: {'; '.join(found) or 'agrees'}")
        wrong += bool(found)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
