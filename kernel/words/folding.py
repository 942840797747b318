"""Text as words are looked up in it: small letters, straight apostrophes, simplified characters."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import ascii_lowercase, ascii_uppercase

_TABLE = files("enishi.kernel.words").joinpath("folding.toml")


@cache
def folding_table() -> str:
    """The table as it is written; what is read by it is of another version when it changes."""
    return _TABLE.read_text("utf-8")


@cache
def folding() -> Mapping[int, str]:
    """For `str.translate`: what each character is read as. The text stays as long as it is."""
    fold = dict(zip(ascii_uppercase, ascii_lowercase, strict=True))
    fold |= {pair[0]: pair[1] for pair in tomllib.loads(folding_table())["alike"].split()}
    return {ord(written): plain for written, plain in fold.items()}
