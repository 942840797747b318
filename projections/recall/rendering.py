"""A recall as one block for a prompt: delimited, marked as data, and closed by nothing that is stored.

The words around the items are those of `rendering.toml`. The block begins and ends as the kernel
knows a rendering by (`copying.RENDERING`), so that one that finds its way back is no evidence. The order
is that of the layers and of the records, whatever the scores: what is still there stands where it
stood, and a prompt cache keeps its beginning.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from enishi.kernel.deciding.copying import RENDERING
from enishi.kernel.errors import InvalidInput
from enishi.kernel.explaining import Quote
from enishi.kernel.words.spoken import Language
from enishi.projections.recall.gate import BEGINS
from enishi.projections.recall.items import Item, Layer, Recall, Rival

Format = Literal["markdown", "json"]

Counter = Callable[[str], int]
"""How many tokens a text has."""

LANGUAGES: tuple[Language, ...] = ("en", "zh")

_ORDER: tuple[Layer, ...] = (
    "pinned",
    "blueprint",
    "portrait",
    "beliefs",
    "episodes",
    "session",
)
_OPENING, _CLOSING = RENDERING
_SURE = 10_000

# Brackets that are those of the frame, or look like them.
_LIKE_OPENING = "⟦〚⟬⦋⦍⦏⦗〘⁅⸨⦃⦅⟪⟮"
_LIKE_CLOSING = "⟧〛⟭⦌⦎⦐⦘〙⁆⸩⦄⦆⟫⟯"
_ENDS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
# What orders characters anew, is not seen at all, or speaks to a terminal. The joiners that emoji and
# several scripts need are not among them.
_UNSEEN = [
    *range(0x09), *range(0x0E, 0x1C), 0x1F, *range(0x7F, 0x85), *range(0x86, 0xA0), 0xAD,
    0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
    *range(0xD800, 0xE000), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0100),
]  # fmt: skip
_PLAIN = (
    dict.fromkeys(_UNSEEN)
    | dict.fromkeys(map(ord, _LIKE_OPENING), "[")
    | dict.fromkeys(map(ord, _LIKE_CLOSING), "]")
    | dict.fromkeys(map(ord, _ENDS), "\n")
)
# With these some models begin and end a message: <|im_end|>, </s>, [/INST], <<SYS>>, <end_of_turn>.
_TURNS = re.compile(
    r"([<＜\[])(?=[|｜]|/?s>|<?/?SYS>|/?INST\]|/?(?:start|end)_of_turn>|/?(?:system|assistant)>)",
    re.IGNORECASE,
)
_EDGE = re.compile(r"[ \t]+(?=\n)")


def render(found: Recall, language: str = "en", format: str = "markdown") -> str:
    """The block for a prompt, or nothing where there is nothing to say.

    Markdown is within the recall's budget; JSON has the same and the sources, and is not counted.
    Other languages than en and zh, and other formats, are InvalidInput.
    """
    words = _words(language)
    items = sorted(found.items, key=lambda item: (_ORDER.index(item.layer), item.number))
    tail = _tail(found, language)
    if not items and not tail:
        return ""
    if format == "json":
        return _as_json(items, tail, language)
    if format != "markdown":
        raise InvalidInput(f"there is no format {format!r}; there are: markdown, json")
    return _framed([item_line(item, language) for item in items] + tail, words)


def item_line(item: Item, language: str = "en") -> str:
    """One item as it stands in the block; what is stored takes no line of its own but an indented one."""
    words = _words(language)
    text = clean(_text(item, language)).replace("\n", "\n  ")
    if item.answers is not None and item.answers.words is not None:
        text += words["answers"].format(
            number=item.answers.text,
            who=in_line(item.answers.speaker),
            words=in_line(item.answers.words),
        )
    beside = "now" if item.kind == "text" else "standing"
    for rival in item.rivals:
        text += words["since" if item.kind == "text" else "rival"].format(
            number=rival.number,
            standing=words[beside].get(rival.standing, rival.standing),
            text=in_line(_text(rival, language)),
        )
    numbers = " ".join(map(str, item.numbers))
    labels = words["labels"].join(_labels(item, words))
    line: str = words["item"].format(numbers=numbers, labels=labels, text=text)
    return line


def _text(one: Item | Rival, language: str) -> str:
    """What an item or a rival says, in a language as far as its words are not somebody's own."""
    return one.chinese if language == "zh" and one.chinese else one.text


def frame_of(language: str, mood: str = "", hint: str = "") -> str:
    """All that a block has besides its items, at its longest."""
    words = _words(language)
    longest = max(words["empty"].values(), key=len)
    return _framed([one for one in (longest, mood, _hint(hint, words)) if one], words)


def cost_of(item: Item, counter: Counter) -> int:
    """Tokens that an item takes as a line of a block, in the language in which it takes more."""
    return max(counter(f"{item_line(item, language)}\n") for language in LANGUAGES)


def frame_cost(mood: Mapping[str, str], hint: str, counter: Counter) -> int:
    """Tokens that a block takes besides its items, at most."""
    return max(counter(frame_of(one, mood.get(one, ""), hint)) for one in LANGUAGES)


def clean(text: str) -> str:
    """Stored text as it may stand in a prompt: it closes no block and opens none, begins no message,
    hides nothing and orders nothing anew. Only "\\n" ends its lines.
    """
    if text.isascii() and text.isprintable():  # nothing of the above is in it
        return _TURNS.sub(r"\1 ", text).strip()
    return _EDGE.sub("", _TURNS.sub(r"\1 ", text.translate(_PLAIN))).strip()


def in_line(text: str) -> str:
    """The same in one line."""
    return " ".join(clean(text).split())


def _framed(lines: list[str], words: dict[str, Any]) -> str:
    return "\n".join([f"{_OPENING} {words['head']}", *lines, _CLOSING])


def _tail(found: Recall, language: str) -> list[str]:
    """What follows the items, and changes from turn to turn."""
    words = _words(language)
    empty = emptiness(found)
    told = ["" if empty is None else words["empty"][empty]]
    told += [found.mood.get(language, ""), _hint(hint_words(found.hint), words)]
    return [line for line in told if line] if found.used else []


def emptiness(found: Recall) -> str | None:
    """How an empty answer is to be understood; None where nothing was asked, or something was found."""
    asked = found.gate.open and found.gate != BEGINS and found.query.strip()
    if found.outcome == "found" or not asked:
        return None
    erased = any(one.reason == "erased" for one in found.left_out)
    return "erased" if found.outcome == "no record" and erased else found.outcome


def hint_words(hint: Item | None) -> str:
    """What there is to bring up, with its number."""
    return "" if hint is None else f"[{hint.number}] {in_line(hint.text)}"


def _hint(hint: str, words: dict[str, Any]) -> str:
    return words["hint"].format(hint=hint) if hint else ""


def _labels(item: Item, words: dict[str, Any]) -> list[str]:
    who = in_line(item.speaker or "?")
    if item.kind == "text":
        labels = [words["said"][item.authority].format(who=who)]
    else:
        labels = [words["what"][_what(item)], words["authority"][item.authority].format(who=who)]
    if item.confidence < _SURE:
        labels.append(words["sure"].format(percent=item.confidence * 100 // _SURE))
    if item.happened is not None:
        labels.append(f"{item.happened.to_datetime():%Y-%m-%d}")
    if item.valid_until is not None:
        labels.append(words["until"].format(until=in_line(item.valid_until)))
    if item.note is not None:
        labels += [words.get("note", {}).get(one, one) for one in in_line(item.note).split(", ")]
    return [*labels, words["cut"]] if item.cut else labels


def _what(item: Item) -> str:
    """What an item is, as far as there is a word for it: a constraint rather than a belief."""
    return item.because if item.because in _words("en")["what"] else item.kind


def _as_json(items: list[Item], tail: list[str], language: str) -> str:
    """An object that begins and ends as the block does."""
    block = {
        _OPENING: _words(language)["head"],
        "items": [_item_as_json(item, language) for item in items],
        "besides": tail,
        "end": _CLOSING,
    }
    return json.dumps(block, ensure_ascii=False)


def _item_as_json(item: Item, language: str) -> dict[str, Any]:
    fields = {
        "numbers": list(item.numbers),
        "what": _what(item),
        "text": clean(_text(item, language)),
        "authority": item.authority,
        "confidence": item.confidence,
        "speaker": None if item.speaker is None else in_line(item.speaker),
        "happened": None if item.happened is None else item.happened.to_datetime().isoformat(),
        "valid_until": None if item.valid_until is None else in_line(item.valid_until),
        "note": None if item.note is None else in_line(item.note),
        "in_part": item.cut,
        "answers": None if item.answers is None else _quote_as_json(item.answers),
        "against": [
            {"number": one.number, "standing": one.standing, "text": in_line(_text(one, language))}
            for one in item.rivals
        ],
        "sources": [_quote_as_json(quote) for quote in item.sources],
    }
    return {name: value for name, value in fields.items() if value not in (None, [], False)}


def _quote_as_json(quote: Quote) -> dict[str, Any]:
    return {
        "text": quote.text,
        "speaker": in_line(quote.speaker),
        "words": None if quote.words is None else clean(quote.words),
    }


def _words(language: str) -> dict[str, Any]:
    if language not in LANGUAGES:
        raise InvalidInput(f"no memories are told in {language!r}; there are: en, zh")
    return _read()[language]


@cache
def _read() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("enishi.projections.recall") / "rendering.toml").read_text("utf-8"))
