"""The demo: a story is lived in real stores, and each thing that it promises is tried on the way.

Nothing here is known beforehand. Every proof compares what the face answers with something else
that was measured: with the file that was read, with the bytes on the disk, with what was there
before. Time is the story's own, so that each run comes to the same digests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

from enishi.host.relationship import Relationship
from enishi.host.store import Store, open_store
from enishi.kernel.deciding.proposals import (
    Citation,
    Consequence,
    Promise,
    PromiseOutcome,
    Proposal,
    ReadText,
    Signal,
    TensionOutcome,
    TensionStep,
)
from enishi.kernel.errors import Conflict, EnishiError, MissingExtra
from enishi.kernel.explaining import Quote
from enishi.kernel.rules import bundled_proposers
from enishi.kernel.transcript import Text, TurnView
from enishi.packs.chats.cards import read_card
from enishi.packs.memorypack.format import LineStart
from enishi.packs.memorypack.pack_files import inspect_pack, open_pack
from enishi.packs.memorypack.sealing import new_identity
from enishi.packs.showing.demo_page import demo_page
from enishi.packs.showing.demo_report import DemoReport, Line, Measured, left_behind, told
from enishi.packs.showing.terminal import plain
from enishi.packs.showing.timeline_svg import timeline_svg
from enishi.projections.recall.items import Recall

AGENT, USER, STRANGER = "Lumi", "Chen", "Mei Lin"
QUERY = "第一场雪"
HOME, ELSEWHERE, PACK = "demo.db", "elsewhere.db", "lumi-chen.erii"
TEXTS = ("recall.md", "memoir.md", "timeline.svg")
REPORTS = ("report.json", "report.html")
SHANGHAI, LOS_ANGELES = timezone(timedelta(hours=8)), timezone(timedelta(hours=-8))
CHAT, CARD = "Lumi by the harbour.jsonl", "Lumi.json"

_PLACES = 12
"""At so many places a byte of the pack is changed, each time one."""


def play_demo(folder: Path, *, keyed: bool = False) -> DemoReport:
    """Live the story in a folder, and leave its stores, pack, texts and reports there.

    A folder that has one of these files is Conflict, and nothing in it is touched. With `keyed`
    the stores are keyed; that needs the extra `crypto`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (HOME, ELSEWHERE, PACK, *TEXTS, *REPORTS):
        if (folder / name).exists():
            raise Conflict(f"{folder / name} is there already; name another folder")
    stage = _Stage(folder, keyed)
    with stage.open(HOME) as store:
        before = _first_snow(stage, store)
    with stage.open(HOME) as store, stage.open(ELSEWHERE) as other:
        bond = store.relationship(AGENT, USER, create=False)
        _opened_again(stage, bond, *before)
        stranger = _somebody_else(stage, store, bond)
        _what_can_be_undone(stage, bond)
        _promise(stage, bond)
        _injury(stage, bond)
        gone = _confession(stage, bond)
        there = _move(stage, bond, stranger, other, gone)
        _all_of_it(stage, (store, other))
        recalled = there.recall(QUERY)
        picture = timeline_svg(there.timeline())
        made = (_recall_page(recalled), there.memoir(), picture)
        for name, text in zip(TEXTS, made, strict=True):
            (folder / name).write_text(text, "utf-8", newline="\n")
        digests = {"Shanghai": bond.digests(), "Los Angeles": there.digests()}
        lines = {chapter: _lines(said) for chapter, said in stage.said.items()}
    sizes = _clean(stage, gone)
    report = DemoReport(
        AGENT, USER, told(lines, stage.proved), QUERY, recalled.render(), digests,
        left_behind({**sizes, **dict.fromkeys(REPORTS)}),
    )  # fmt: skip
    reports = (
        json.dumps({"verdict": report.verdict(), **plain(report)}, ensure_ascii=False, indent=2)
        + "\n",
        demo_page(report, picture),
    )
    for name, text in zip(REPORTS, reports, strict=True):
        (folder / name).write_text(text, "utf-8", newline="\n")
    return report


@dataclass
class _Stage:
    """Where and when the story is, what it has proved, and which texts its chapters quote."""

    folder: Path
    keyed: bool
    now: datetime = datetime(2026, 2, 20, 20, tzinfo=SHANGHAI)
    proved: dict[str, tuple[bool | None, Measured]] = field(default_factory=dict)
    said: dict[str, list[tuple[Relationship, int]]] = field(default_factory=dict)

    def open(self, name: str) -> Store:
        """A store of the story, at the story's time."""
        return open_store(self.folder / name, clock=lambda: self.now, keyed=self.keyed)

    def prove(self, name: str, holds: bool | None, **measured: object) -> None:
        """Note whether something is so, and what was measured."""
        self.proved[name] = holds, measured

    def exchange(self, bond: Relationship, chapter: str, message: str, reply: str) -> TurnView:
        """A day later the two speak, and the bundled rules read it."""
        self.now += timedelta(days=1)
        turn = bond.record(message, reply)
        for proposer in bundled_proposers():
            bond.propose(turn, proposer)
        self.quote(bond, chapter, turn.view())
        return turn.view()

    def quote(self, bond: Relationship, chapter: str, *turns: TurnView) -> None:
        """Let a chapter quote what was said in these turns."""
        said = self.said.setdefault(chapter, [])
        said += [(bond, text.number) for turn in turns for text in _texts(turn)]


# What is compared


def _texts(turn: TurnView) -> list[Text]:
    """What was said in a turn and counts."""
    return [*turn.messages, *([turn.reply] if turn.reply is not None else [])]


def _turn_with(bond: Relationship, words: str) -> TurnView:
    """The turn in which some words were said."""
    return next(
        turn for turn in bond.turns()
        if any(words in (text.content or "") for text in (*turn.messages, *turn.replies))
    )  # fmt: skip


def _cited(text: Text | None, words: str) -> Citation:
    assert text is not None
    return Citation(text=text.number, quote=words)


def _same(first: dict[str, str], second: dict[str, str]) -> int:
    return sum(second.get(name) == digest for name, digest in first.items())


def _right(bond: Relationship, quotes: Iterable[Quote]) -> int:
    """How many quotes are what stands at their place, to the letter."""
    right = 0
    for quote in quotes:
        content = bond.text(quote.text).content
        cited = None if content is None else content[quote.start : quote.end]
        right += quote.words == cited
    return right


def _looked(paths: Iterable[Path], words: Sequence[str]) -> tuple[int, int]:
    """How many bytes files have, and how often words are in them."""
    data = [path.read_bytes() for path in paths]
    hits = sum(each.count(one.encode()) for each in data for one in words)
    return sum(map(len, data)), hits


def _lines(said: Iterable[tuple[Relationship, int]]) -> tuple[Line, ...]:
    found = []
    for bond, number in said:
        text = bond.text(number)
        name = bond.agent if text.role == "agent" else bond.user
        found.append(Line(name, text.role == "agent", text.content))
    return tuple(found)


# The chapters


def _first_snow(stage: _Stage, store: Store) -> tuple[dict[str, str], str]:
    """Take the winter's chat in. Returns the digests, and what is recalled of the snow."""
    data = files("enishi.packs") / "demo_chat"
    card = read_card(CARD, (data / CARD).read_bytes())
    bond = store.relationship(AGENT, USER, blueprint=card)
    with as_file(data / CHAT) as chat:
        store.import_chats([chat], zone="Asia/Shanghai")
    rows = [json.loads(row) for row in (data / CHAT).read_text("utf-8").splitlines()]
    written = Counter(
        wording for row in rows if "mes" in row for wording in row.get("swipes", [row["mes"]])
    )
    turns = bond.turns()
    logged = Counter(text.content for turn in turns for text in (*turn.messages, *turn.replies))
    decided = bond.decisions()
    stage.prove(
        "imported", written == logged, file=written.total(), log=logged.total(),
        same=(written & logged).total(), proposals=len(decided),
        accepted=sum(one.verdict == "accepted" for one in decided),
    )  # fmt: skip
    found = bond.recall(QUERY)
    said = [item.text for item in found.found]
    stage.prove(
        "remembered", found.outcome == "found" and QUERY in said[0], items=len(said),
        used=found.used, budget=found.budget, words=said[0] if said else "",
    )  # fmt: skip
    quotes = [quote for item in found.items for quote in item.sources]
    right = _right(bond, quotes)
    stage.prove(
        "quoted", right == len(quotes) > 0, right=right, quotes=len(quotes),
        characters=sum(len(quote.words or "") for quote in quotes),
    )  # fmt: skip
    stage.quote(
        bond, "snow", *(_turn_with(bond, words) for words in ("今天下雪了", "我们一起看了"))
    )
    return bond.digests(), found.render()


def _opened_again(stage: _Stage, bond: Relationship, before: dict[str, str], block: str) -> None:
    same = _same(before, bond.digests())
    again = bond.recall(QUERY).render()
    stage.said = {
        chapter: [(bond, number) for _, number in said] for chapter, said in stage.said.items()
    }
    stage.prove(
        "reopened", same == len(before) and again == block, same=same, digests=len(before),
        characters=len(again), bytes=(stage.folder / HOME).stat().st_size,
    )  # fmt: skip


def _somebody_else(stage: _Stage, store: Store, bond: Relationship) -> Relationship:
    before, whole = bond.digests(), bond.verify()
    stranger = store.relationship(AGENT, STRANGER, blueprint=bond.blueprint())
    with stranger.turn("你还记得我们一起看的第一场雪吗？") as turn:
        found = turn.recall(needed=True)
        turn.reply("我们还没有一起看过雪呢。第一次见面，请坐。")
    stage.quote(stranger, "other", turn.view())
    block = found.render()
    texts = [text.content or "" for one in bond.turns() for text in _texts(one)]
    hits = sum(text in block for text in texts)
    stage.prove(
        "unknown", not found.found and hits == 0, items=len(found.found), hits=hits,
        theirs=len(bond.recall(QUERY).found), texts=len(texts), characters=len(block),
    )  # fmt: skip
    own, theirs = stranger.rapport(), bond.rapport()
    told_of = stranger.promises(), stranger.beliefs()
    stage.prove(
        "distant",
        own.familiarity == own.intimacy == 0 < min(theirs.familiarity, theirs.intimacy)
        and not any(told_of),
        familiarity=own.familiarity, intimacy=own.intimacy, their_familiarity=theirs.familiarity,
        their_intimacy=theirs.intimacy, promises=len(told_of[0]), beliefs=len(told_of[1]),
    )  # fmt: skip
    same, now = _same(before, bond.digests()), bond.verify()
    stage.prove(
        "undisturbed", same == len(before) and now == whole, same=same, digests=len(before),
        records=now.length, tip=now.tip[:12],
    )  # fmt: skip
    return stranger


def _what_can_be_undone(stage: _Stage, bond: Relationship) -> None:
    sorry, thanks = _turn_with(bond, "I'm sorry I read"), _turn_with(bond, "Thank you so much")
    stage.quote(bond, "undone", thanks, sorry)
    chosen = next(n for n, reply in enumerate(sorry.replies, start=1) if reply.chosen)

    def swiped(there: bool) -> float:
        bond.swipe(sorry.number, 1 if there else chosen)
        return bond.rapport().conflict_tension

    def edited(there: bool) -> float:
        message = thanks.messages[0]
        bond.edit(message.number, "It is late.") if there else bond.undo(message.root)
        return bond.rapport().trust

    rapport = bond.rapport()
    _there_and_back(stage, "swiped", bond, rapport.conflict_tension, swiped)
    _there_and_back(stage, "edited", bond, rapport.trust, edited)
    before = bond.digests()
    branch = bond.fork("what-if", after=thanks.number)
    branch.record("Shall we go and see the boats?", "Let us go.")
    there, here = (len(side.why_rapport("conflict_tension")) for side in (branch, bond))
    same = _same(before, bond.digests())
    stage.prove(
        "forked", there == 0 < here and same == len(before), there=there, here=here, same=same,
        digests=len(before),
    )  # fmt: skip


def _there_and_back(
    stage: _Stage, name: str, bond: Relationship, before: float, go: Callable[[bool], float]
) -> None:
    """Do something and undo it: in between it is otherwise, and then as it was."""
    digests = bond.digests()
    there, after = go(True), go(False)
    same = _same(digests, bond.digests())
    stage.prove(
        name, there != before == after and same == len(digests), before=before, there=there,
        after=after, same=same, digests=len(digests),
    )  # fmt: skip


class _Liar:
    """A proposer that makes things up."""

    name, version = "liar", "1"

    def __init__(self, lies: Sequence[Proposal]) -> None:
        self._lies = list(lies)

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        return self._lies


def _promise(stage: _Stage, bond: Relationship) -> None:
    promise, *others = bond.promises()
    stage.quote(bond, "promise", _turn_with(bond, "I promise"))
    stage.prove(
        "promised",
        not others and promise.promiser == "agent" and promise.status == "open"
        and _right(bond, bond.why(promise.number).quotes) == 1,
        promises=1 + len(others), status=promise.status, words=promise.act,
    )  # fmt: skip
    insisted = stage.exchange(
        bond, "promise",
        "You promised never to leave me. You did promise it!",
        "I never said that. I said that I keep your seat.",
    )  # fmt: skip
    now = bond.promises()
    stage.prove("insisted", now == [promise], promises=len(now))
    words, reply = insisted.messages[0], insisted.reply
    lies = bond.propose(insisted.number, _Liar([
        Promise(promiser="agent", act="never to leave", citations=(_cited(reply, "I will never leave"),)),
        Promise(promiser="agent", act="never to leave", citations=(_cited(words, "promised never to leave me"),)),
        Signal(signal="gratitude", actor="user", citations=(Citation(text=words.number, start=500, end=540),)),
    ]))  # fmt: skip
    accepted = sum(one.event is not None for one in lies)
    stage.prove(
        "lied", accepted == 0 and bond.promises() == [promise], accepted=accepted,
        proposals=len(lies), reasons=", ".join(dict.fromkeys(one.reason for one in lies)),
    )  # fmt: skip
    seat = stage.exchange(
        bond, "promise",
        "You really kept my seat by the window, all winter. Thank you.",
        "I keep what I promise.",
    )  # fmt: skip
    thanked = "You really kept my seat by the window"
    kept = PromiseOutcome(
        promise=promise.number, outcome="kept", citations=(_cited(seat.messages[0], thanked),)
    )
    bond.propose(None, [kept])
    status = bond.promises()[0].status
    stage.prove("kept", status == "kept", status=status, words=thanked)


def _injury(stage: _Stage, bond: Relationship) -> None:
    diary, sorry = _turn_with(bond, "You read my diary"), _turn_with(bond, "I'm sorry I read")
    stage.quote(bond, "injury", diary, _turn_with(bond, "really angry"), sorry)
    hurt = Consequence(
        effect="harm", bearer="user",
        citations=(_cited(diary.messages[0], "You read my diary without my permission"),
                   _cited(diary.reply, "It lay open and I looked")),
    )  # fmt: skip
    (decided,) = bond.propose(None, [hurt])
    assert decided.event is not None
    harm = decided.event
    states: list[object] = [bond.tensions()[0].state]
    quotes = bond.why(harm).quotes
    stage.prove(
        "hurt", states == ["unaddressed"] and _right(bond, quotes) == len(quotes) == 2,
        effect="harm", bearer=USER, state=states[0], quotes=len(quotes),
    )  # fmt: skip

    def step(outcome: TensionOutcome, *citations: Citation) -> None:
        bond.propose(None, [TensionStep(consequence=harm, outcome=outcome, citations=citations)])
        states.append(bond.tensions()[0].state)

    step("reconciled", _cited(sorry.reply, "I'm sorry I read your diary"))
    stage.prove("sorry", states[-1] == "addressed_unresolved", state=states[-1])
    forgiven = stage.exchange(
        bond, "injury", "我原谅你了，日记的事过去了。", "谢谢你。你的日记，我再也不会碰。"
    )
    step("reconciled", _cited(forgiven.messages[0], "我原谅你了，日记的事过去了"),
         _cited(forgiven.reply, "你的日记，我再也不会碰"))  # fmt: skip
    stage.prove("repaired", states[-1] == "mutually_reconciled", states=states)
    changes = bond.why_rapport()
    right = sum(_right(bond, one.quotes) == len(one.quotes) > 0 for one in changes)
    fall = min((one for one in changes if one.dimension == "trust"), key=lambda one: one.change)
    (quote,) = fall.quotes
    stage.prove(
        "explained", right == len(changes) and fall.change < 0, change=fall.change,
        speaker=quote.speaker, words=quote.words, text=quote.text, start=quote.start,
        end=quote.end, right=right, changes=len(changes),
    )  # fmt: skip


def _confession(stage: _Stage, bond: Relationship) -> list[str]:
    """Erase what was told in confidence, first its words alone. Returns the words."""
    told_once = _turn_with(bond, "I have never told anyone")
    stage.quote(bond, "erased", told_once)
    gone = [text.content or "" for text in _texts(told_once)]
    bond.withdraw(told_once.number)
    without = bond.digests()
    bond.restore(told_once.number)
    rapport, digest = bond.rapport(), bond.digests()["rapport"]

    def looked() -> tuple[int, int]:
        return _looked(sorted(stage.folder.glob(f"{HOME}*")), gone)

    _, before = looked()
    receipt = bond.erase(told_once.number, keep_effects=True)
    size, after = looked()
    now = bond.rapport()
    stage.prove(
        "words_gone",
        after == 0 and (before > 0 or stage.keyed) and bond.digests()["rapport"] == digest,
        erased=receipt.erased, before=before, after=after, bytes=size, intimacy=now.intimacy,
    )  # fmt: skip
    receipt = bond.erase(told_once.number)
    same, less = _same(without, bond.digests()), bond.rapport().intimacy
    stage.prove(
        "effects_gone", same == len(without) and less < rapport.intimacy, erased=receipt.erased,
        before=rapport.intimacy, after=less, same=same, digests=len(without),
    )  # fmt: skip
    found = bond.recall("the bar exam")
    erased = any(one.reason == "erased" for one in found.left_out)
    stage.prove("forgotten", not found.found and erased, outcome=found.outcome,
                items=len(found.found))  # fmt: skip
    return gone


def _move(
    stage: _Stage, bond: Relationship, stranger: Relationship, other: Store, gone: Sequence[str]
) -> Relationship:
    """Carry the relationship to another machine. Returns it, as it is there."""
    pack = stage.folder / PACK
    exported = bond.export(pack)
    stage.now = stage.now.astimezone(LOS_ANGELES)
    other.import_pack(pack)
    there = other.relationship(AGENT, USER, create=False)
    branches = [branch.name for branch in bond.branches()]
    same = sum(_same(bond.on(name).digests(), there.on(name).digests()) for name in branches)
    digests = len(branches) * len(bond.digests())
    left, came = bond.verify(), there.verify()
    stage.prove(
        "carried", same == digests and left == came and came.ok, records=came.length,
        branches=len(branches), bytes=exported.bytes, same=same, digests=digests,
        zone=f"{stage.now:%z}", tip=came.tip[:12],
    )  # fmt: skip
    own = [text.content or "" for turn in bond.turns() for text in _texts(turn) if text.content]
    theirs = [STRANGER, *(text.content or "" for turn in stranger.turns() for text in _texts(turn))]
    data = _unpacked(pack)
    stranger_found = _among(theirs, data) + (stranger.id in data)
    stage.prove(
        "apart",
        stranger_found == _among(gone, data) == 0 and _among(own, data) == len(own) > 0,
        bytes=len(data), theirs=stranger_found, strangers=len(theirs) + 1,
        erased=_among(gone, data), gone=len(gone), own=_among(own, data), ours=len(own),
    )  # fmt: skip
    _harmed(stage, pack.read_bytes())
    _sealed(stage, bond, own)
    return there


def _among(words: Iterable[str], data: bytes) -> int:
    return sum(one.encode() in data for one in words)


def _unpacked(pack: Path) -> bytes:
    """All bytes of a pack's manifest and records, uncompressed."""
    with open_pack(pack) as reader:
        parts = [
            part
            for item in reader
            for record in ([] if isinstance(item, LineStart) else item)
            for part in record
            if part is not None
        ]
        return repr(reader.manifest).encode() + b"".join(parts)


def _harmed(stage: _Stage, data: bytes) -> None:
    """A pack with one byte changed is refused, wherever that is."""
    refused = 0
    with TemporaryDirectory() as folder, open_store(Path(folder) / "empty.db") as store:
        harmed = Path(folder) / PACK
        for place in range(_PLACES):
            at = place * len(data) // _PLACES
            harmed.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            try:
                store.import_pack(harmed)
            except EnishiError:
                refused += 1
        written = sum(len(bond.records()) for bond in store.relationships(archived=None))
    stage.prove("harmed", refused == _PLACES and written == 0, places=_PLACES, refused=refused,
                records=written)  # fmt: skip


def _sealed(stage: _Stage, bond: Relationship, own: Sequence[str]) -> None:
    """Where the extra for it is there: a pack for one reader alone."""
    try:
        (key, public), (wrong, _) = new_identity(), new_identity()
    except MissingExtra:
        stage.prove("sealed", None)
        return
    with TemporaryDirectory() as folder, open_store(Path(folder) / "reader.db") as store:
        pack = Path(folder) / PACK
        bond.export(pack, recipient=public)
        data = pack.read_bytes()
        refused = False
        try:
            store.import_pack(pack, identity=wrong)
        except EnishiError:
            refused = not store.relationships(archived=None)
        signature = inspect_pack(pack, identity=key).signature
        store.import_pack(pack, identity=key)
        before, there = bond.digests(), store.relationship(AGENT, USER, create=False).digests()
    same, seen = _same(before, there), _among(own, data)
    stage.prove(
        "sealed", refused and signature == "right" and seen == 0 and same == len(before),
        signature=signature, own=seen, ours=len(own), bytes=len(data), same=same,
        digests=len(before), refused="✓" if refused else "✗",
    )  # fmt: skip


def _all_of_it(stage: _Stage, stores: Sequence[Store]) -> None:
    bonds = [bond for store in stores for bond in store.relationships(archived=None)]
    verified = [bond.verify() for bond in bonds]
    problems = sum(len(one.problems) for one in verified)
    stage.prove(
        "verified", problems == 0 and all(one.ok for one in verified),
        records=sum(one.length for one in verified), relationships=len(bonds), stores=len(stores),
        problems=problems,
    )  # fmt: skip
    sides = [bond.on(branch.name) for bond in bonds for branch in bond.branches()]
    same = sum(_same(side.digests(), side.replay()) for side in sides)
    digests = sum(len(side.digests()) for side in sides)
    stage.prove("replayed", same == digests > 0, same=same, digests=digests)
    right = quotes = events = 0
    for bond in bonds:
        for record in bond.records():
            explained = bond.why(record.number) if record.why_not is None else None
            if explained is not None and explained.quotes:
                events += 1
                quotes += len(explained.quotes)
                right += _right(bond, explained.quotes)
    stage.prove("spans", right == quotes > 0, events=events, right=right, quotes=quotes)


def _clean(stage: _Stage, gone: Sequence[str]) -> dict[str, int]:
    """Look for the erased words in all that is left behind. Returns the size of each file."""
    paths = sorted(stage.folder.iterdir(), key=lambda path: (path.suffix != ".db", path.name))
    size, hits = _looked(paths, gone)
    stage.prove("clean", hits == 0, hits=hits, bytes=size, files=len(paths))
    return {path.name: path.stat().st_size for path in paths}


def _recall_page(found: Recall) -> str:
    """What is recalled as Markdown: the block of a prompt, and why each item is there."""
    lines = [f"# {found.outcome}: {QUERY}", "", "```", found.render().rstrip(), "```", ""]
    for item in found.items:
        for quote in item.sources:
            why = item.because if item.score is None else ", ".join(item.score.words)
            lines.append(f"- {item.kind} ({why}) · **{quote.speaker}**: “{quote.words}”")
    return "\n".join(lines) + "\n"
