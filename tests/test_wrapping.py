"""A client with a memory: what is recorded and when, whatever comes back; and the host of the docs."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import NOW, fixed_entropy, fixed_store
from test_model_proposer import Handler, Server, completion

import enishi
from enishi.host import Relationship
from enishi.kernel.deciding.copying import RENDERING
from enishi.kernel.errors import Conflict, ProposerFailed

ROOT = Path(__file__).parent.parent


@pytest.fixture
def bond(tmp_path: Path) -> Iterator[Relationship]:
    with fixed_store(tmp_path / "s.db") as store:
        yield store.relationship("lumi", "chen")


def plain(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


def answer(*texts: str | None, calls: object = None) -> Any:
    messages = [plain(content=text, tool_calls=calls) for text in texts]
    return plain(choices=[plain(message=one) for one in messages])


def chunks(*texts: str, fails: bool = False) -> Iterator[Any]:
    for text in texts:
        yield plain(choices=[plain(index=0, delta=plain(content=text, tool_calls=None))])
    if fails:
        raise ConnectionError("gone")


class Client:
    """Answers in turn with what it was given, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), []  # type: ignore[var-annotated]
        self.chat = plain(completions=plain(create=self.create, parse="its own"))
        self.models = "its own"

    def create(self, *, messages: Any, **options: Any) -> Any:
        self.asked.append(messages)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class AwaitableClient(Client):
    async def create(self, *, messages: Any, **options: Any) -> Any:
        found = super().create(messages=messages, **options)
        return self.later(found) if isinstance(found, Iterator) else found

    @staticmethod
    async def later(found: Iterator[Any]) -> AsyncIterator[Any]:
        for one in found:
            yield one


def user(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def told(bond: Relationship) -> list[tuple[str, list[str | None], str | None]]:
    """Every turn: its status, what was said, and the chosen reply."""
    return [
        (one.status, [m.content for m in one.messages], one.reply.content if one.reply else None)
        for one in bond.turns()
    ]


def test_a_wrapped_client_recalls_before_and_records_after(bond: Relationship) -> None:
    own = Client(answer("Nice."), answer("Porto."))
    client = enishi.wrap(own, bond)
    rules = {"role": "system", "content": "Be brief."}
    client.chat.completions.create(model="m", messages=[rules, *user("I live in Porto.")])
    assert own.asked[0] == [rules, *user("I live in Porto.")]
    assert [one.value for one in bond.beliefs()] == ["Porto"]
    talk = [rules, *user("I live in Porto."), {"role": "assistant", "content": "Nice."}]
    talk += user("Do you remember where I live?")
    got = client.chat.completions.create(model="m", messages=talk)
    assert got.choices[0].message.content == "Porto."
    first, block, *rest = own.asked[1]
    assert [first, *rest] == talk and block["role"] == "system"
    assert block["content"].startswith(RENDERING[0]) and "chen lives in Porto" in block["content"]
    assert told(bond)[1] == ("completed", ["Do you remember where I live?"], "Porto.")
    offered = [one.number for one in bond.recall_trace(bond.turns()[1].number).offered]
    assert bond.beliefs()[0].number in offered
    assert (client.models, client.chat.completions.parse) == ("its own", "its own")


def test_what_fails_or_says_nothing_is_abandoned(bond: Relationship) -> None:
    own = Client(ConnectionError("down"), answer(""), answer("Here."))
    client = enishi.wrap(own, bond)
    with pytest.raises(ConnectionError):
        client.chat.completions.create(messages=user("Hello?"))
    with pytest.raises(Conflict):
        client.chat.completions.create(messages=user("Hello?"), again=True)
    client.chat.completions.create(messages=user("Hello?"))
    client.chat.completions.create(messages=user("Hello?"))
    assert [status for status, *_ in told(bond)] == ["abandoned", "abandoned", "completed"]


def test_variants_are_variants(bond: Relationship) -> None:
    client = enishi.wrap(Client(answer("One.", "Two."), answer("Three.")), bond)
    client.chat.completions.create(messages=user("Count."), n=2)
    assert told(bond) == [("completed", ["Count."], "One.")]
    client.chat.completions.create(messages=user("Count."), again=True)
    assert told(bond) == [("completed", ["Count."], "Three.")]
    assert [one.content for one in bond.turns()[0].replies] == ["One.", "Two.", "Three."]


def test_a_turn_waits_for_its_tools(bond: Relationship) -> None:
    own = Client(answer(None, calls=["weather"]), answer("It rains."), answer(None, calls=["x"]))
    client = enishi.wrap(own, bond)
    talk: list[dict[str, Any]] = user("Do I need my umbrella?")
    client.chat.completions.create(messages=talk)
    assert told(bond) == [("open", ["Do I need my umbrella?"], None)]
    talk += [{"role": "assistant", "content": None}, {"role": "tool", "content": "rain"}]
    client.chat.completions.create(messages=talk)
    assert told(bond) == [("completed", ["Do I need my umbrella?"], "It rains.")]
    client.chat.completions.create(messages=user("And now?"))
    own.answers.append(answer("Fine."))
    client.chat.completions.create(messages=user("Never mind."))
    assert [status for status, *_ in told(bond)] == ["completed", "abandoned", "completed"]


@pytest.mark.parametrize("ends", ["read", "closed", "failed", "empty"])
def test_a_stream_is_recorded_when_it_ends(bond: Relationship, ends: str) -> None:
    parts = () if ends == "empty" else ("Por", "to.")
    client = enishi.wrap(Client(chunks(*parts, fails=ends == "failed")), bond)
    stream = client.chat.completions.create(messages=user("Where?"), stream=True)
    assert told(bond)[0][0] == "open"
    if ends == "closed":
        with stream:
            next(stream)
    elif ends == "failed":
        with pytest.raises(ConnectionError), stream:
            list(stream)
    else:
        list(stream)
        stream.close()
    expected = {"read": ("completed", "Porto."), "closed": ("completed", "Por")}
    status, _, reply = told(bond)[0]
    assert (status, reply) == expected.get(ends, ("abandoned", None))


def test_awaitable_clients_and_relationships_do_as_well(tmp_path: Path) -> None:
    async def talk() -> list[Any]:
        options = {"clock": lambda: NOW, "entropy": fixed_entropy()}
        async with enishi.open_async(tmp_path / "a.db", **options) as store:
            bond = await store.relationship("lumi", "chen")
            own = AwaitableClient(answer("Nice."), chunks("Por", "to."), OSError("down"))
            create = enishi.wrap(own, bond).chat.completions.create
            await create(messages=user("I live in Porto."))
            stream = await create(messages=user("Where do I live?"), stream=True)
            async with stream:
                assert [one.choices[0].delta.content async for one in stream] == ["Por", "to."]
            with pytest.raises(OSError):
                await create(messages=user("Still there?"))
            return told(bond.plain)

    assert asyncio.run(talk()) == [
        ("completed", ["I live in Porto."], "Nice."),
        ("completed", ["Where do I live?"], "Porto."),
        ("abandoned", ["Still there?"], None),
    ]


def test_pictures_are_no_words_and_a_proposer_that_fails_takes_nothing_away(
    bond: Relationship,
) -> None:
    class Failing:
        name, version, by = "failing", "1", "model"

        def propose(self, texts: Any) -> Any:
            raise ProposerFailed("the model failed")

    client = enishi.wrap(Client(answer("A cat."), answer("Yes.")), bond, proposers=[Failing()])
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    parts = [{"type": "text", "text": "Who is this?"}, picture]
    client.chat.completions.create(messages=[{"role": "user", "content": parts}])
    client.chat.completions.create(messages=[{"role": "user", "content": [picture]}])
    assert told(bond) == [("completed", ["Who is this?"], "A cat."), ("completed", [], "Yes.")]


# The host of the docs


def host(folder: Path) -> dict[str, Any]:
    """The host as it stands in docs/host.md."""
    page = (ROOT / "docs" / "host.md").read_text("utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 40
    (folder / "chatting.py").write_text(code, "utf-8")
    return runpy.run_path(str(folder / "chatting.py"))


def test_the_host_of_the_docs_chats_with_memory_and_swipes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="needs the extra: pip install 'enishi[openai]'")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server, count = Server(), 0

    def behave(handler: Handler) -> None:
        nonlocal count
        count += 1
        system = handler.server.asked[-1].body["messages"][0]["content"]
        knows = "You live in Porto." if "lives in Porto" in system else f"Answer {count}."
        handler.begin(500 if count == 5 else 200, content_type="application/json")
        handler.wfile.write(completion(knows).encode())

    server.behaviour = behave
    path = tmp_path / "lumi.db"
    chat = host(tmp_path)["chat"]
    try:
        lines = ["I live in Porto.", "/swipe", "/choose 1"]
        assert list(chat(server.url, "tiny", path, lines)) == [
            "Answer 1.",
            "Answer 2.",
            "Answer 1.",
        ]
        asked = ["Do you remember where I live?", "Thanks!"]
        replies = chat(server.url, "tiny", path, asked)
        assert next(replies) == "You live in Porto."
        messages = server.asked[-1].body["messages"]
        assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
        assert messages[2]["content"] == "Answer 1."
        assert messages[0]["content"].count(RENDERING[1]) == 1
        assert json.dumps(messages, ensure_ascii=False).count("I live in Porto.") <= 2
    finally:
        server.close()
    with enishi.open(path) as store:
        (bond,) = store.relationships()
        assert [len(one.replies) for one in bond.turns()] == [2, 1]
        assert [one.value for one in bond.beliefs()] == ["Porto"]
        assert bond.recall_trace(bond.turns()[1].number).offered
