"""The index: which terms stand in which records. A cache, made from the log and dropped at any time.

A row holds, for one term and one block of 4,096 record numbers, the places of the term in that
block, two bytes each: 12 bits for the record, 4 for how often (15 stands for more). So a text goes
into the rows of the last block, all close together; and what is erased goes with the rows of its
block, which are made anew when they are next needed. The row of the empty term says how far its
block was indexed, of which chain, and how long each text is.

What came last is held in memory and written when it is worth it; in a store that cannot be written
to, and in a keyed one, all of it is.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgpack

from enishi.kernel.erasing.erasure import CLEANERS, REBUILT
from enishi.kernel.history import KINDS, TEXT_CODES, kind_code
from enishi.kernel.log import INDEXES, translated
from enishi.kernel.stream import Stream
from enishi.kernel.verification import Problem
from enishi.kernel.words.vocabulary import published_keys
from enishi.projections.recall.questions import asks
from enishi.projections.recall.words import FORM, terms

BLOCK_BITS = 12
COUNT_BITS = 4
MOST = (1 << COUNT_BITS) - 1
"""How often a term stands in a record is told in so many bits of a place, and no more than this."""

_INSIDE = (1 << BLOCK_BITS) - 1
_TABLE = "posting"

UNSAVED = 128
"""Records with words that are held in memory before they are written."""

_FORM = 2
"""Of the rows; those of another one are made anew."""

_STEP = 64
"""Records that are read and split between two looks at the clock."""

ASKS, HIDDEN, SPECIFIC = 1, 2, 4
"""Flags of a record: it ends with a question; it is kept from the model; and from SPECIFIC on, how
many names and numbers are in it, four at most."""

_SPECIFIC = re.compile(
    "[0-9]+|(?<=[a-z,;:&] )[A-Z][A-Za-z]*|《[^《》]{1,40}》|[一二三四五六七八九十两百]+(?=[年月日号點点岁天个次])"
)

Enough = Callable[[], bool]
"""Whether no more time is to be spent."""

Postings = list[tuple[int, "array[int]"]]
"""Of one term: the first number of a block, and the packed places in it."""

CREATE = (
    f"CREATE TABLE IF NOT EXISTS {_TABLE}(line INTEGER NOT NULL, block INTEGER NOT NULL,"
    " term TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(line, block, term)) STRICT, WITHOUT ROWID"
)
# The places of a term are in the order of their numbers, so new ones are put behind.
_ADD = (
    f"INSERT INTO {_TABLE} VALUES(?,?,?,?) ON CONFLICT(line, block, term)"
    " DO UPDATE SET data = CAST(data || excluded.data AS BLOB)"
)


def _worded(payload: dict[str, Any], *keys: str) -> str:
    return " ".join(str(payload.get(key, "")) for key in keys)


def _stated(payload: dict[str, Any]) -> str:
    """A belief in words: whom it is about, the sentence of its key in both languages, its value."""
    key = published_keys().get(payload["key"])
    said = [payload["key"].replace("_", " ")]
    if key is not None:
        said = [key.sentence(" ", " ", language) for language in ("en", "zh")]
    about = "" if payload["subject"] in ("user", "agent") else payload["subject"]
    return " ".join([about, *said, payload["value"]])


def _proposed(payload: dict[str, Any]) -> str:
    """A held proposal in words, as the event would be that it is held back from; no other decision."""
    proposal = payload["proposal"]
    said = _PROPOSED.get(proposal["kind"]) if payload["verdict"] == "held" else None
    return "" if said is None else said(proposal)


_PROPOSED: dict[str, Callable[[dict[str, Any]], str]] = {
    "belief": _stated,
    "promise": lambda proposal: _worded(proposal, "act", "condition"),
    "open_loop": lambda proposal: _worded(proposal, "subject", "continuation"),
}
_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "MessageReceived": lambda payload: str(payload["content"]),
    "ReplyGiven": lambda payload: str(payload["content"]),
    "TextRevised": lambda payload: str(payload["content"]),
    "BeliefStated": lambda payload: _stated(payload),
    "PromiseMade": lambda payload: _worded(payload, "act", "condition"),
    "LoopOpened": lambda payload: _worded(payload, "subject", "continuation"),
    "ReflectionMade": lambda payload: str(payload["words"]),
    "ProposalDecided": _proposed,
    "EpisodeSummarised": lambda payload: " ".join(one["words"] for one in payload["sentences"]),
}
_CODES = frozenset(map(kind_code, _WORDS))


def words_of(type_name: str, payload: dict[str, Any]) -> str | None:
    """The words of a record that are indexed; None where it has none."""
    words = _WORDS.get(type_name)
    return None if words is None else words(payload)


@dataclass(slots=True)
class _Block:
    """How far a block is indexed: in the file, and in memory."""

    stored: int
    upto: int
    fresh: dict[str, array[int]] = field(default_factory=dict)
    count: int = 0


@dataclass(slots=True)
class Index:
    """The index of one relationship, as this process sees it. By number: `length` in terms, `flags`,
    and under which of the `names` it was said, counted from 1; 0 is no name, or one too many.
    """

    stream: Stream
    length: array[int] = field(default_factory=lambda: array("H"))
    flags: bytearray = field(default_factory=bytearray)
    voice: bytearray = field(default_factory=bytearray)
    names: list[str] = field(default_factory=list)
    _blocks: dict[int, _Block] = field(default_factory=dict)
    _erased: int = 0
    _stored: bool = False

    def catch_up(self, enough: Enough = lambda: False) -> int:
        """Take in what is new, the newest block first. Needs `reading`.

        Returns how many records are not indexed yet, because there was no more time.
        """
        history = self.stream.history
        self._make_room()
        self._stored = self._has_table()
        missing = 0
        for number in range(len(history) - 1 >> BLOCK_BITS, -1, -1):
            end = min((number + 1) << BLOCK_BITS, len(history))
            block = self._blocks.get(number)
            if block is None or block.upto < end or block.fresh:
                # Another process may have written it, or dropped it.
                there = self._load(number)
                if block is None or block.stored != there.stored:
                    block = self._blocks[number] = there
            if block.upto < end:
                self._read(block, end, enough)
            missing += end - block.upto
        return missing

    def _make_room(self) -> None:
        """Room for what is told of each record there is."""
        there = len(self.stream.history)
        self.length.extend([0] * (there - len(self.length)))
        self.flags.extend(bytes(there - len(self.flags)))
        self.voice.extend(bytes(there - len(self.voice)))

    def worth_saving(self) -> bool:
        """Whether so much is held in memory only that it should be written."""
        if self.stream.log.read_only or not self.stream.log.keeps_plain_words:
            return False
        return sum(block.count for block in self._blocks.values()) >= UNSAVED

    def save(self) -> None:
        """Write what is held in memory only. Needs `writing`, in which it was caught up."""
        connection, line = self.stream.log.connection, self.stream.line.line
        self.stream.log.flush()
        self.stream.log.note_written()
        with translated(self.stream.log.path):
            if not self._has_table():
                with self.stream.log.altering():
                    connection.execute(CREATE)
            for number, block in self._blocks.items():
                if block.upto == block.stored:
                    continue
                if block.stored == number << BLOCK_BITS:
                    self._drop([number])
                rows = sorted((line, number, term, _bytes(p)) for term, p in block.fresh.items())
                connection.executemany(_ADD, rows)
                about = (line, number, "", self._about(number, block.upto))
                connection.execute(f"INSERT OR REPLACE INTO {_TABLE} VALUES(?,?,?,?)", about)
                block.stored, block.fresh, block.count = block.upto, {}, 0
        self._stored = True

    def postings(self, wanted: Iterable[str]) -> dict[str, Postings]:
        """Where each of these terms stands, block by block. Needs `reading`, caught up."""
        asked = list(dict.fromkeys(wanted))
        found: dict[str, Postings] = {term: [] for term in asked}
        connection, line = self.stream.log.connection, self.stream.line.line
        for start in range(0, len(asked), 500):
            some = asked[start : start + 500]
            marks = ",".join("?" * len(some))
            sql = f"SELECT term, data FROM {_TABLE} WHERE line=? AND block=? AND term IN ({marks})"
            for number, block in sorted(self._blocks.items()):
                base = number << BLOCK_BITS
                if block.stored > base:
                    for term, data in connection.execute(sql, (line, number, *some)):
                        found[term].append((base, _places(data)))
                for term in some if block.fresh else ():
                    if term in block.fresh:
                        found[term].append((base, block.fresh[term]))
        return found

    def specificity(self, number: int) -> int:
        """How many names and numbers are in a record, 4 at most."""
        return self.flags[number] // SPECIFIC

    def _has_table(self) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE type='table' AND name=?"
        there = self.stream.log.connection.execute(sql, (_TABLE,)).fetchone() is not None
        if self._stored and not there:
            self._blocks.clear()
        return there

    def _load(self, number: int) -> _Block:
        """A block as it is in the file, or an empty one."""
        base = number << BLOCK_BITS
        log, line = self.stream.log, self.stream.line.line
        sql = f"SELECT data FROM {_TABLE} WHERE line=? AND block=? AND term=''"
        found = log.connection.execute(sql, (line, number)).fetchone() if self._stored else None
        if found is None:
            return _Block(base, base)
        try:
            about, digest, upto, lengths, flags, voices, names = msgpack.unpackb(found[0])
            fits = about == self._made() and base < upto <= len(self.stream.history)
            if fits and digest == log.hash_of(line, upto - 1):
                self.length[base:upto] = _places(lengths)
                self.flags[base:upto] = flags
                here = [0, *map(self._voice_of, names)]
                self.voice[base:upto] = bytes(here[one] for one in voices)
                return _Block(upto, upto)
        except (ValueError, TypeError, IndexError):
            pass  # somebody changed it
        return _Block(base, base)

    def _about(self, number: int, upto: int) -> bytes:
        base = number << BLOCK_BITS
        digest = self.stream.log.hash_of(self.stream.line.line, upto - 1)
        lengths, flags = _bytes(self.length[base:upto]), bytes(self.flags[base:upto])
        # The names of this block alone: with what is erased in it they go, too.
        voices = self.voice[base:upto]
        heard = sorted(set(voices) - {0})
        here = {0: 0} | {voice: place for place, voice in enumerate(heard, start=1)}
        names = [self.names[voice - 1] for voice in heard]
        numbered = bytes(here[voice] for voice in voices)
        return msgpack.packb([self._made(), digest, upto, lengths, flags, numbered, names])

    def _made(self) -> list[Any]:
        """What the rows depend on besides the chain: how text is split, what was put into it."""
        return [FORM, _FORM, self.stream.log.tip(self.stream.line.line)[2]]

    def _read(self, block: _Block, end: int, enough: Enough) -> None:
        """Split the records of a block from where it was left up to `end`."""
        history, kinds = self.stream.history, self.stream.history.kind
        while block.upto < end and not enough():
            stop = min(block.upto + _STEP, end)
            numbers = [n for n in range(block.upto, stop) if kinds[n] in _CODES]
            roots = {history.root_text(n) for n in numbers if kinds[n] in TEXT_CODES}
            payloads = self.stream.payloads(sorted({*numbers, *roots}), checked=False)
            for number in numbers:
                if number in payloads:
                    about = payloads[number]
                    if history.kind[number] in TEXT_CODES:
                        # Of whom nothing is known any more, it is not known that it may be shown.
                        about = self.stream.about_text(number, payloads) or {"hidden": True}
                    self._split(block, number, payloads[number], about)
            block.upto = stop

    def _split(
        self, block: _Block, number: int, payload: dict[str, Any], root: dict[str, Any]
    ) -> None:
        try:
            words = _WORDS[KINDS[self.stream.history.kind[number]]](payload)
        except (KeyError, TypeError):
            return  # not what it should be, which `verify` says
        found = Counter(terms(words))
        self.length[number] = min(sum(found.values()), 0xFFFF)
        specific = min(4, len(_SPECIFIC.findall(words)))
        hidden = bool(root.get("hidden", False))
        self.flags[number] = asks(words) * ASKS | hidden * HIDDEN | specific * SPECIFIC
        if "name" in root:
            self.voice[number] = self._voice_of(str(root["name"]))
        inside = (number & _INSIDE) << COUNT_BITS
        for term, count in found.items():
            block.fresh.setdefault(term, array("H")).append(inside | min(count, MOST))
        block.count += 1

    def _voice_of(self, name: str) -> int:
        if name not in self.names and len(self.names) < 0xFF:
            self.names.append(name)
        return self.names.index(name) + 1 if name in self.names else 0

    def _drop(self, blocks: Iterable[int]) -> int:
        line = self.stream.line.line
        sql = f"DELETE FROM {_TABLE} WHERE line=? AND block=?"
        run = self.stream.log.connection.execute
        return sum(run(sql, (line, block)).rowcount for block in blocks)

    def clean(self, numbers: Sequence[int]) -> int:
        """Remove what was made of these records. Needs `writing`. Returns how many rows went."""
        self._blocks.clear()
        if not self._has_table():
            return 0
        with translated(self.stream.log.path):
            return self._drop({number >> BLOCK_BITS for number in numbers})

    def differing(self) -> list[tuple[int, int]]:
        """The stretches of numbers of which the file says something else than the words do. Needs
        `reading`. What this program would not believe anyway is passed over.
        """
        connection, line = self.stream.log.connection, self.stream.line.line
        sql = f"SELECT term, data FROM {_TABLE} WHERE line=? AND block=?"
        self._stored, anew = self._has_table(), Index(self.stream)
        self._make_room()
        anew._make_room()
        found = []
        for number in range((len(self.stream.history) >> BLOCK_BITS) + 1):
            base, upto = number << BLOCK_BITS, self._load(number).upto
            if base == upto:
                continue
            block = _Block(base, base)
            anew._read(block, upto, lambda: False)
            rows = dict(connection.execute(sql, (line, number)))
            del rows[""]
            same = rows == {term: _bytes(places) for term, places in block.fresh.items()}
            if not same or self._told(base, upto) != anew._told(base, upto):
                found.append((base, upto - 1))
        return found

    def _told(self, base: int, upto: int) -> tuple[object, ...]:
        """What is told of records themselves, whatever the numbers of the names are."""
        numbered = self.voice[base:upto] if len(self.names) < 0xFF else b""  # else not all have one
        voices = [self.names[one - 1] if one else None for one in numbered]
        return self.length[base:upto], self.flags[base:upto], voices


def verify_index(stream: Stream) -> list[Problem]:
    """Whether what is kept of the index is what the words of the log give. Needs `reading`."""
    return [
        Problem(
            None,
            f"the index of words of numbers {first} to {last} was changed; run: enishi rebuild",
        )
        for first, last in Index(stream).differing()
    ]


def index_of(stream: Stream) -> Index:
    """The index of a relationship that this process keeps; a new one, where something was erased
    since: what it held of that is not there any more.
    """
    found, erased = stream.kept.get(_TABLE), len(stream.history.erased)
    if found is None or found._erased != erased:
        found = stream.kept[_TABLE] = Index(stream, _erased=erased)
    return cast(Index, found)


def keep_up(stream: Stream, enough: Enough = lambda: False) -> None:
    """Bring the index up to date, and write it where that is worth it. Not within `reading`.

    The file is written to in small steps, so that nobody has to wait for long.
    """
    with stream.reading():
        index = index_of(stream)
        index.catch_up(enough)
    if index.worth_saving():
        with stream.writing():
            index = index_of(stream)
            index.catch_up(enough)
            index.save()


def drop_index(stream: Stream) -> None:
    """Forget the index; it is made anew when it is needed. Needs `writing`."""
    index_of(stream).clean(range(0, len(stream.history), 1 << BLOCK_BITS))
    stream.kept.pop(_TABLE, None)


def unpacked(postings: Postings) -> Iterator[tuple[int, int]]:
    """The numbers and the counts of a term, in the order of the numbers."""
    for base, places in postings:
        for place in places:
            yield base + (place >> COUNT_BITS), place & MOST


def _bytes(places: array[int]) -> bytes:
    return _swapped(places).tobytes()


def _places(data: bytes) -> array[int]:
    places = array("H")
    places.frombytes(data)
    return _swapped(places)


def _swapped(places: array[int]) -> array[int]:
    """Numbers in the order of bytes in which they are written: the lowest first."""
    if sys.byteorder == "big":
        places = places[:]
        places.byteswap()
    return places


CLEANERS[_TABLE] = lambda stream, numbers: index_of(stream).clean(numbers)
INDEXES.add(_TABLE)
REBUILT.add(_TABLE)
