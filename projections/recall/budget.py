"""Counting tokens, and choosing what fits: whole items, and nothing over the budget."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from enishi.kernel.errors import InvalidInput
from enishi.projections.recall.items import Item, LeftOut, Reason
from enishi.projections.recall.rendering import Counter, cost_of

ESTIMATE = "estimate"

LABEL = 40
"""Tokens that are kept for what an item says besides its words, where these are chosen to fit."""

_WIDE = re.compile("[\u2e80-\ud7af]")
_TOKENS = re.compile("[A-Za-z0-9]{1,4}|[\u0080-\u02ff\u0370-\u1fff]{1,2}|[\u2e80-\ud7af]|[^ \\t]")


def estimate(text: str) -> int:
    """Tokens of a text, more rather than fewer.

    A word takes one for each four letters begun (Latin ones beyond ASCII and other alphabets: for
    each two), a Chinese, Japanese or Korean character one and a half, any other mark one, and what
    lies outside of the basic plane, emoji above all, three.
    """
    tokens = len(_TOKENS.findall(text))
    if text.isascii():
        return tokens
    high = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return tokens + 2 * high + (len(_WIDE.findall(text)) + 1) // 2


def counter_of(given: Counter | str | None) -> tuple[str, Counter]:
    """A counter and its name: a host's function, the name of an encoding of tiktoken, or None."""
    if given is None:
        return ESTIMATE, estimate
    if not isinstance(given, str):
        return getattr(given, "__qualname__", "the host's own"), given
    try:
        import tiktoken
    except ImportError:
        raise InvalidInput(
            f"to count by {given!r}, tiktoken is needed; give a function, or install tiktoken"
        ) from None
    try:
        encoding = tiktoken.get_encoding(given)
    except ValueError:
        known = ", ".join(tiktoken.list_encoding_names())
        raise InvalidInput(f"tiktoken has no encoding {given!r}; there are: {known}") from None
    except OSError as error:
        raise InvalidInput(
            f"tiktoken could not fetch its encoding {given!r}, which it does once, over the network"
            f" ({type(error).__name__}); give a function that counts instead"
        ) from error
    return f"tiktoken {given}", lambda text: len(encoding.encode(text, disallowed_special=()))


@dataclass(slots=True)
class Basket:
    """What is taken, within a budget of tokens; `frame` are those of a block without items."""

    budget: int
    counter: Counter
    frame: int
    used: int = 0
    items: list[Item] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def room(self) -> int:
        """Tokens that are left for items."""
        return self.budget - (self.used or self.frame)

    def take(self, item: Item, share: int | None = None) -> bool:
        """Take an item if it fits, also into the `share` of tokens that its kind may take."""
        tokens = cost_of(item, self.counter)
        if tokens > self.room or (share is not None and tokens > share):
            self.leave(replace(item, tokens=tokens), "over budget")
            return False
        self.used = (self.used or self.frame) + tokens
        self.items.append(replace(item, tokens=tokens))
        return True

    def leave(self, item: Item, reason: Reason) -> None:
        """Say that an item is not taken."""
        left = LeftOut(reason, item.layer, item.kind, item.number, tokens=item.tokens)
        self.left_out.append(left)
