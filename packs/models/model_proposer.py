"""A proposer behind any server that speaks OpenAI's chat protocol: one question, one answer.

This is a border. The texts leave this machine here if the server is another one, and nothing that
comes back is trusted: an answer that does not fit to the last field is none.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import AsyncIterable, Coroutine
from concurrent.futures import Future
from hashlib import sha256
from importlib.resources import files
from threading import Thread
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import FailFast, Field, ValidationError
from pydantic_core import from_json

from enishi.kernel.checks import check_id
from enishi.kernel.deciding.proposals import Frozen, Proposal, ReadText, proposal_schema
from enishi.kernel.errors import InvalidInput, MissingExtra, ProposerFailed
from enishi.kernel.misfits import words_of
from enishi.kernel.words.vocabulary import published_keys

EDITION = 1
"""Counted up by hand when the reading changes; prompt and schema show in the version anyway."""

ANSWER_LIMIT = 4 << 20
"""Bytes of an answer that are read; a longer one is refused."""

# As escapes these still mean themselves, but no longer look like the end of a line, nor like the
# marks <|im_end|> or [/INST] with which models end a message.
_MARKS = re.compile("[<\\[\x7f-\x9f\u2028\u2029]")

_HINTS = {
    400: ": it may refuse a response_format of json_schema, or the texts are too long for it",
    401: ": the key is missing or not accepted",
    404: ": it has no such address or no such model",
    429: ": too many requests, or no credit is left",
}


class ModelProposer:
    """Asks a model what texts show: Ollama, llama.cpp, vLLM or a hosted service.

    `url` is the server's base address, such as http://127.0.0.1:11434/v1. `timeout` is in seconds
    and holds for a whole answer, `most` is the number of proposals that one answer may have.
    MissingExtra without the client, InvalidInput for arguments that cannot work.

    `name` is the word model and the model's own name; `version` names the edition, the exact
    prompt and the exact schema.
    """

    by = "model"

    def __init__(
        self, url: str, model: str, *, key: str | None = None, timeout: float = 60.0, most: int = 64
    ) -> None:
        try:
            import openai  # noqa: F401
        except ImportError:
            raise MissingExtra(
                "a model is asked through openai, which is missing: pip install 'enishi[openai]'"
            ) from None
        if not (0 < timeout < math.inf and most > 0):
            raise InvalidInput("timeout is a number of seconds above 0, and most is above 0")
        if key is not None and not (key.isascii() and key.isprintable()):
            raise InvalidInput("the key holds a line end or another character that no header has")
        self._server = _server(url)
        self._url, self._key, self._timeout, self._most = url, key, timeout, most
        self._model = check_id(model, "a model's name")
        self.name = check_id(f"model {model}", "a proposer's name")
        self._schema = proposal_schema()
        prompt = files("enishi.packs.models").joinpath("prompts", "propose.md").read_text("utf-8")
        self._prompt = _filled(prompt, most)
        asked = self._prompt + json.dumps(self._schema, sort_keys=True)
        self.version = f"{EDITION}.{sha256(asked.encode()).hexdigest()[:8]}"

    def __repr__(self) -> str:
        return f"ModelProposer({self._server!r}, {self._model!r})"

    def propose(self, texts: list[ReadText]) -> list[Proposal]:
        """What the model sees in these texts, in the order of its answer.

        One attempt. ProposerFailed for whatever is no whole and valid answer in time, in one line
        that repeats nothing of the texts, the answer or the key. Without texts nothing is asked.
        """
        if not texts:
            return []
        try:
            body = _within(self._timeout, self._ask(texts))
            return _proposals(_content(body), self._most)
        except _Unusable as error:
            reason = str(error)
        except TimeoutError:
            reason = f"gave no whole answer within {self._timeout:g} s"
        # It is recorded for good, so it does not even say where the model was asked.
        raise ProposerFailed(f"the {self.name} {reason}; it can be tried again")

    async def _ask(self, texts: list[ReadText]) -> bytes:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        try:
            client = AsyncOpenAI(
                base_url=self._url,
                api_key=self._key or "none",  # without one it would take one from the environment
                max_retries=0,
                timeout=None,  # one clock is enough
                http_client=DefaultAsyncHttpxClient(
                    follow_redirects=False,  # the texts go to nobody who was not named
                    event_hooks={"response": [_leave_faults_unread]},
                ),
            )
            question = client.chat.completions.with_streaming_response.create(
                model=self._model,
                temperature=0,
                messages=[
                    {"role": "system", "content": self._prompt},
                    {"role": "user", "content": "\n".join(map(_line, texts))},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "proposals", "schema": self._schema},
                },
                # Little that is packed can be very much when it is unpacked.
                extra_headers={"Accept-Encoding": "identity"},
            )
            async with asyncio.timeout(self._timeout), client, question as response:
                return await _read(response.http_response.aiter_raw())
        except (TimeoutError, _Unusable):
            raise
        except Exception as error:  # the client lets the faults of several libraries through
            raise _Unusable(_wire_fault(error)) from error


class _Unusable(Exception):
    """There is no answer, or none that can be used. The words go on after "the model"."""


class _Answer(Frozen):
    proposals: Annotated[list[Annotated[Proposal, Field(discriminator="kind")]], FailFast()]


def _filled(prompt: str, most: int) -> str:
    """The prompt with its figure and the published keys in it."""
    keys = published_keys().values()
    one, many = (
        ", ".join(key.name for key in keys if key.values == values) for values in ("one", "many")
    )
    return prompt.replace("{most}", str(most)).replace("{one}", one).replace("{many}", many)


def _server(url: str) -> str:
    """Scheme, host and port: what may be shown of an address, which can hold a password."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or not url.isprintable():
        raise InvalidInput("the url is no web address; write it like http://127.0.0.1:11434/v1")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _line(text: ReadText) -> str:
    """One text as one line of JSON that nothing in it can end."""
    time = text.happened and text.happened.to_datetime().isoformat(timespec="seconds")
    shown = {"number": text.number, "role": text.role, "name": text.name, "time": time}
    line = json.dumps(shown | {"content": text.content}, ensure_ascii=False)
    return _MARKS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", line)


def _within(seconds: float, answer: Coroutine[Any, Any, bytes]) -> bytes:
    """The answer, or TimeoutError.

    In a thread of its own: the caller may run a loop, and nothing breaks off the look-up of a host.
    """
    outcome: Future[bytes] = Future()

    def run() -> None:
        try:
            outcome.set_result(asyncio.run(answer))
        except BaseException as error:  # noqa: BLE001 - raised again where the answer is awaited
            outcome.set_exception(error)

    Thread(target=run, name="enishi model", daemon=True).start()
    return outcome.result(seconds)


async def _leave_faults_unread(response: Any) -> None:
    """What comes with a fault may be of any size, and may repeat what was sent."""
    if not response.is_success:
        await response.aclose()


async def _read(chunks: AsyncIterable[bytes]) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > ANSWER_LIMIT:
            raise _Unusable(f"gave an answer of more than {ANSWER_LIMIT >> 20} MiB")
    return bytes(body)


def _wire_fault(error: Exception) -> str:
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return f"answered HTTP {error.status_code}{_HINTS.get(error.status_code, '')}"
    if isinstance(error, APIConnectionError):
        return f"cannot be reached ({type(error.__cause__ or error).__name__})"
    return f"broke off ({type(error).__name__})"


def _content(body: bytes) -> str:
    """The words of the model, out of an answer of the protocol."""
    try:
        answer = from_json(body)
    except ValueError:
        answer = None
    match answer:
        case {"choices": [{"message": {"refusal": str(said)}}, *_]} if said:
            raise _Unusable("refused to answer")
        case {"choices": [{"finish_reason": "length" | "content_filter" as why}, *_]}:
            raise _Unusable(f"broke its answer off ({why})")
        case {"choices": [{"message": {"content": str(content)}}, *_]} if content.strip():
            return content
        case {"choices": [{"message": {}}, *_]}:
            raise _Unusable("gave an empty answer")
    raise _Unusable("gave no chat completion; its address may lack a /v1")


def _proposals(content: str, most: int) -> list[Proposal]:
    """All of them or none: a batch is frozen, so nothing half-understood may get into it."""
    try:
        proposals = _Answer.model_validate_json(content).proposals
    except ValidationError as error:
        raise _Unusable(f"gave an unfit answer: {_first_problem(error)}") from None
    if len(proposals) > most:
        raise _Unusable(f"gave {len(proposals)} proposals; at most {most} are taken")
    return proposals


def _first_problem(error: ValidationError) -> str:
    """Where and what, in words of the schema alone: those of the answer may repeat the texts."""
    problem = error.errors(include_url=False, include_input=False)[0]
    place = [str(part) for part in problem["loc"]]
    if problem["type"] == "extra_forbidden":
        return f"{'.'.join(place[:-1]) or 'it'} has a field that is not known here"
    return f"{'.'.join(place) or 'it'} {words_of(problem)}"
