"""A scenario file is read and played: who says what and when, and everything else that happens.

A scenario is one TOML file in `scenarios/`; `scenarios/README.md` says what a step may be. Each
step does one thing and may have a `name`, by which later steps mean what came of it. What a step
`claims` is checked at once and never blessed; what a `look` finds is text, which is kept in
`expected/` and compared.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from views import View, recall_lines, view

import enishi
from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import ANY_PROPOSAL, Proposal, ReadText
from enishi.kernel.deciding.proposing import Decided
from enishi.kernel.errors import EnishiError
from enishi.kernel.rules import bundled_proposers
from enishi.projections.recall.items import Recall

REFERENCES = ("belief", "promise", "loop", "consequence", "event", "revises", "relapse_of",
              "replaced_by")  # fmt: skip
HOURS = {"minutes": 1 / 60, "hours": 1, "days": 24, "weeks": 7 * 24}
Step = dict[str, Any]


class Scripted:
    """A proposer that answers with what the scenario gives it."""

    def __init__(self, by: str, proposals: Sequence[Proposal]) -> None:
        self.name, _, self.version = by.partition(" ")
        self._proposals = list(proposals)

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        return self._proposals


@dataclass
class Scene:
    """A scenario being played. `names` are numbers by name, `looks` what was seen by then."""

    folder: Path
    files: Path
    said: dict[str, Any]
    opened: ExitStack
    now: datetime
    names: dict[str, int] = field(default_factory=dict)
    looks: dict[str, View] = field(default_factory=dict)
    decided: list[Decided] = field(default_factory=list)
    recalled: Recall | None = None
    sections: list[str] = field(default_factory=list)
    machines: dict[str, Store] = field(default_factory=dict)
    machine: str = "home"
    user: str = ""

    def play(self) -> str:
        """Play every step. Returns what was seen at each look, and at the end."""
        self.user = self.said["user"]
        for place, step in enumerate(self.said["step"], start=1):
            self.now += _duration(step.get("after", "1 minutes"))
            self.user = step.get("as_user", self.said["user"])
            try:
                self.do(step)
            except (AssertionError, KeyError) as error:
                error.add_note(f"step {place}: {step}")
                raise
        self.user = self.said["user"]
        self.look({"look": "the end"})
        return "\n".join(self.sections)

    # Stores and time

    def store(self, machine: str) -> Store:
        """The store of a machine."""
        if machine not in self.machines:
            drawn = iter(range(10**9))

            def entropy(size: int) -> bytes:
                return sha256(f"{self.said['title']} {machine} {next(drawn)}".encode()).digest()[
                    :size
                ]

            self.machines[machine] = self.opened.enter_context(
                enishi.open(
                    self.folder / f"{machine}.db",
                    clock=lambda: self.now,
                    entropy=entropy,
                    synchronous="NORMAL",
                )
            )
        return self.machines[machine]

    @property
    def bond(self) -> Relationship:
        """The relationship that the step is about, on the machine where it happens."""
        return self.store(self.machine).relationship(self.said["agent"], self.user)

    # Steps

    def do(self, step: Step) -> None:
        """Do one step; where it must be refused, see that it is."""
        name = next((name for name in DOINGS if name in step), None)
        assert name is not None, "this step does nothing that is known"
        unread = step.keys() - {name, *BESIDE.get(name, ()), *ANYWHERE}
        assert not unread, f"nothing reads this: {sorted(unread)}"
        doing, refused = DOINGS[name], step.get("refused")
        if refused is None:
            doing(self, step)
        else:
            before = self.bond.verify().tip
            try:
                doing(self, step)
            except EnishiError as error:
                assert type(error).__name__ == refused, error
                assert self.bond.verify().tip == before, "refused, and yet written"
            else:
                raise AssertionError(f"not refused with {refused}")
        self.claim(step.get("claims", {}))

    def number(self, of: str | int) -> int:
        """The number that a name stands for."""
        return of if isinstance(of, int) else self.names[of]

    def keep(self, name: str | None, turn: enishi.Turn | None) -> None:
        """Let a name stand for a turn, and for its texts."""
        if name is None or turn is None:
            return
        seen = turn.view()
        self.names[name] = turn.number
        for place, message in enumerate(seen.messages, start=1):
            self.names[f"{name}.said{place}"] = message.number
        for place, reply in enumerate(seen.replies, start=1):
            self.names[f"{name}.reply{place}"] = reply.root

    def say(self, step: Step) -> None:
        """An exchange; without a reply, a turn that stays open."""
        words = step["say"]
        messages = [_message(one) for one in ([words] if isinstance(words, str) else words)]
        at = step.get("at")
        if "reply" not in step:
            self.keep(step.get("name"), self.bond.turn(messages, at=at))
            return
        given = [self.number(one) for one in step.get("reminded_of", ())]
        reply = enishi.Reply(step["reply"], step.get("delivered", "shown"), tuple(given))
        self.keep(step.get("name"), self.bond.record(messages, reply, at=at))

    def talk(self, step: Step) -> None:
        """Ordinary talk: these exchanges in turn, so many times, so far apart."""
        for place in range(step["times"]):
            said, reply = step["talk"][place % len(step["talk"])]
            self.bond.record(said, reply)
            self.now += _duration(step["every"])

    def regenerate(self, step: Step) -> None:
        turn = self.number(step["regenerate"])
        self.bond.regenerate(turn, step["reply"])
        self.keep(step["regenerate"], self.bond.get_turn(turn))

    def edit(self, step: Step) -> None:
        text = self.bond.edit(self.number(step["edit"]), step["words"])
        if "name" in step:
            self.names[step["name"]] = text.number

    def propose(self, step: Step) -> None:
        """Proposals by the host, or by whoever the step names."""
        proposals = [self.proposal(one) for one in step["propose"]]
        if "by" in step:
            turn = self.number(step["reading"])
            self.decided = self.bond.propose(turn, Scripted(step["by"], proposals))
        else:
            self.decided = self.bond.propose(None, proposals)
        for one, decided in zip(step["propose"], self.decided, strict=False):
            if "name" in one and decided.event is not None:
                self.names[one["name"]] = decided.event

    def proposal(self, given: dict[str, Any]) -> Proposal:
        """A proposal as a file gives it: quotes of named texts, events by their names."""
        fields = {name: one for name, one in given.items() if name not in ("of", "quote", "name")}
        quotes = given["quote"] if isinstance(given["quote"], list) else [given["quote"]]
        texts = given["of"] if isinstance(given["of"], list) else [given["of"]]
        fields["citations"] = tuple(
            {"text": self.number(text), "quote": quote}
            for text, quote in zip(texts, quotes, strict=True)
        )
        for name in REFERENCES:
            if isinstance(fields.get(name), str) and not fields[name].startswith("@"):
                fields[name] = self.number(fields[name])
        return ANY_PROPOSAL.validate_python(fields)

    def read(self, step: Step) -> None:
        """The bundled rules read what they have not read yet."""
        self.decided = []
        for proposer in bundled_proposers():
            self.decided += self.bond.propose(None, proposer)

    def numbered(self, step: Step) -> None:
        """What is done to one thing by its name."""
        name = next(name for name in NUMBERED if name in step)
        number = self.number(step[name])
        options = {"keep_effects": True} if step.get("keep_effects") else {}
        if name == "swipe":
            self.bond.swipe(number, step["to"])
        elif name == "correct":
            self.bond.correct(number, step.get("word", "wrong"), value=step.get("value"))
        else:
            getattr(self.bond, name)(number, **options)

    def fork(self, step: Step) -> None:
        self.bond.fork(step["fork"], self.number(step["from"]))
        self.bond.switch(step["fork"])

    def card(self, step: Step) -> None:
        data = {"spec": "chara_card_v2", "spec_version": "2.0", "data": step["card"]}
        self.bond.adopt_blueprint(data)

    def chat(self, step: Step) -> None:
        """A chat file is taken in."""
        (report,) = self.store(self.machine).import_chats(
            [self.files / step["import"]],
            agent=self.said["agent"],
            user=self.user,
            zone=step["zone"],
        )
        assert report.changed != step.get("nothing_new", False), report

    def carry(self, step: Step) -> None:
        """Everything goes to another machine, and on there."""
        self._bring(self.machine, step["carry"], None)
        self.machine = step["carry"]

    def bring(self, step: Step) -> None:
        """What another machine has comes here."""
        self._bring(step["bring"], self.machine, step.get("as_branch"))

    def _bring(self, source: str, target: str, as_branch: str | None) -> None:
        path = self.folder / f"{source}.erii"
        self.store(source).relationship(self.said["agent"], self.user).export(path)
        self.store(target).import_pack(path, as_branch=as_branch, accept_erasures=True)

    def look(self, step: Step) -> None:
        """What a person can see now, under a name."""
        assert step["look"] not in self.looks, "this was looked at before"
        seen = self.looks[step["look"]] = view(self.bond, self.now)
        self.sections.append(f"## {step['look']}\n\n{seen.text}")

    def recall(self, step: Step) -> None:
        """What is remembered of some words, in the order in which a prompt would read it."""
        self.recalled = self.bond.recall(step["recall"], at=self.now)
        text = recall_lines(self.recalled)
        self.sections.append(f"## recall for {self.user}: {step['recall']}\n\n{text}")

    # Claims

    def claim(self, claims: dict[str, Any]) -> None:
        """What the step says must be so now."""
        if not claims:
            return
        seen = view(self.bond, self.now)
        for what, wanted in claims.items():
            found = self.found(what, wanted, seen)
            assert found == wanted, f"{what}: {found}"

    def found(self, what: str, wanted: Any, seen: View) -> Any:
        """What there is, in the shape of what is claimed."""
        if what == "decided":
            return [
                f"{one.verdict}" if one.reason == "supported" else f"{one.verdict}: {one.reason}"
                for one in self.decided
            ]
        if what in ("recalled", "outcome", "ends_of_block"):
            assert self.recalled is not None, "nothing was recalled before"
            if what == "ends_of_block":
                return self.recalled.render().count("⟧")
            texts = [item.text for item in self.recalled.found]
            return texts if what == "recalled" else self.recalled.outcome
        if what == "same_as":
            return wanted if self.looks[wanted].digests == seen.digests else "it is not"
        if what == "other_than":
            return wanted if self.looks[wanted].digests != seen.digests else "it is the same"
        if what == "rapport_as":
            return wanted if self.looks[wanted].rapport == seen.rapport else seen.rapport
        if what in ("more", "less"):
            return {
                name: look
                for name, look in wanted.items()
                if (seen.rapport[name] > self.looks[look].rapport[name]) == (what == "more")
                and seen.rapport[name] != self.looks[look].rapport[name]
            }
        if what == "mood":
            return {name: seen.mood_against(name) for name in wanted}
        if what == "says":
            return [word for word in wanted if word in seen.text]
        if what == "says_nothing_of":
            return [word for word in wanted if word not in seen.text]
        return seen.kinds[what]


NUMBERED = ("swipe", "undo", "choose_wording", "withdraw", "restore", "erase", "correct", "back",
            "split", "merge", "switch_to")  # fmt: skip


def _switch(scene: Scene, step: Step) -> None:
    scene.bond.switch(step["switch"])


def _go(scene: Scene, step: Step) -> None:
    scene.machine = step["machine"]


DOINGS: dict[str, Callable[[Scene, Step], None]] = {
    "talk": Scene.talk,
    "regenerate": Scene.regenerate,
    "edit": Scene.edit,
    "propose": Scene.propose,
    "read": Scene.read,
    "fork": Scene.fork,
    "switch": _switch,
    "card": Scene.card,
    "import": Scene.chat,
    "carry": Scene.carry,
    "bring": Scene.bring,
    "machine": _go,
    "look": Scene.look,
    "recall": Scene.recall,
    **dict.fromkeys(NUMBERED, Scene.numbered),
    "say": Scene.say,
    "claims": lambda scene, step: None,
}
"""What a step may do: the one of these names that it has."""

BESIDE: dict[str, tuple[str, ...]] = {
    "say": ("reply", "name", "at", "reminded_of", "delivered"),
    "talk": ("times", "every"),
    "regenerate": ("reply",),
    "edit": ("words", "name"),
    "propose": ("by", "reading"),
    "fork": ("from",),
    "import": ("zone", "nothing_new"),
    "bring": ("as_branch",),
    "swipe": ("to",),
    "erase": ("keep_effects",),
    "correct": ("word", "value"),
}
ANYWHERE = ("after", "as_user", "refused", "claims")
"""What else a step may have, by what it does and in any case."""


def scenarios(folder: Path) -> Iterator[Path]:
    """All scenario files, by name."""
    yield from sorted(folder.glob("*.toml"))


def played(path: Path, folder: Path) -> str:
    """Play a scenario in an empty folder. Returns what was seen, as the expected file has it."""
    said = tomllib.loads(path.read_text("utf-8"))
    with ExitStack() as opened:
        scene = Scene(folder, path.parent / "files", said, opened, said["start"])
        seen = scene.play()
        for machine, store in scene.machines.items():
            for bond in store.relationships(archived=None):
                assert bond.digests() == bond.replay(), machine
                assert bond.verify().ok, machine
    return f"# {said['title']}\n\n{said['about'].strip()}\n\n{seen}"


def _duration(words: str) -> timedelta:
    number, unit = words.split()
    return timedelta(hours=float(number) * HOURS[unit])


def _message(given: str | dict[str, str]) -> enishi.Message:
    if isinstance(given, str):
        return enishi.Message(given)
    return enishi.Message(given["words"], role="other", speaker=given["who"], name=given["who"])
