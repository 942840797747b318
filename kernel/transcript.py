"""Reading turns and texts back: who said what, in which variants and wordings, what is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from enishi.kernel.errors import NotFound
from enishi.kernel.history import MAIN, ROOT, TEXT_CODES, TEXT_TYPES, kind_code
from enishi.kernel.moments import Moment
from enishi.kernel.standing import Standing
from enishi.kernel.stream import Stream

_TURN = kind_code("TurnOpened")
_MESSAGE = kind_code("MessageReceived")
_REPLY = kind_code("ReplyGiven")


@dataclass(frozen=True, slots=True)
class Text:
    """One message or reply in one of its wordings, as seen from a branch.

    `number` is that wording's, `root` the message's or reply's own; `content` is None where the
    wording was erased, or `withheld` by the pack that it came with. `wordings` are the numbers of all wordings, the original first. `chosen`
    is whether a reply is the one that counts among its turn's, `stands` whether this wording
    counts at all.
    """

    number: int
    root: int
    turn: int
    role: str
    speaker: str
    name: str
    content: str | None
    happened: Moment | None
    hidden: bool
    delivered: str
    chosen: bool
    stands: bool
    wordings: tuple[int, ...]
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn on a branch: `place` counts from 1 along the path; `replies` are all its variants.

    A turn that does not stand was withdrawn, or `erased`.
    """

    number: int
    place: int
    status: str
    happened: Moment | None
    stands: bool
    messages: tuple[Text, ...]
    replies: tuple[Text, ...]
    erased: bool = False

    @property
    def reply(self) -> Text | None:
        """The chosen reply, if there is one."""
        return next((text for text in self.replies if text.chosen), None)


@dataclass(frozen=True, slots=True)
class BranchView:
    """A branch: `turns` on its path, and the turn after which it left its parent."""

    number: int
    name: str
    parent: str | None
    forked_after: int | None
    turns: int
    tip: int | None
    current: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """One relationship of a store at a glance.

    `erased` are the records whose payloads are gone, `on_erased` the events that count and rest on
    such.
    """

    agent: str
    user: str
    branch: str
    branches: int
    turns: int
    events: int
    last: Moment | None
    erased: int
    on_erased: int


def summary(stream: Stream, branch: int) -> Summary:
    """The relationship at a glance, on a branch. Needs `reading`."""
    standing = stream.standing(branch)
    return Summary(
        agent=stream.line.agent,
        user=stream.line.user,
        branch=stream.all_names()[branch],
        branches=len(stream.names()),
        turns=len(standing.path) - 1,
        events=len(stream.history),
        last=standing.last_moment(),
        erased=len(stream.history.erased),
        on_erased=len(standing.on_erased()),
    )


def turn_view(stream: Stream, branch: int, turn: int) -> TurnView:
    """One turn of a branch, or NotFound. Needs `reading`."""
    standing = stream.standing(branch)
    known = 0 <= turn < len(stream.history) and stream.history.kind[turn] == _TURN
    if not known or not standing.on_path(turn):
        raise NotFound(f"number {turn} is no turn of this branch; `enishi log` lists them")
    return next(turn_views(stream, branch, [turn]))


def turn_views(
    stream: Stream, branch: int, turns: Iterable[int] | None = None
) -> Iterator[TurnView]:
    """The turns of a branch in the order of the path (or these of them). Needs `reading`."""
    standing = stream.standing(branch)
    history = stream.history
    wanted = standing.path[1:] if turns is None else list(turns)
    for start in range(0, len(wanted), 256):
        chunk = wanted[start : start + 256]
        texts = [n for t in chunk for n in history.events_of(t) if history.kind[n] in TEXT_CODES]
        roots = map(history.root_text, texts)
        payloads = stream.payloads(sorted({*texts, *roots}), TEXT_TYPES)
        for turn in chunk:
            yield _turn_view(stream, standing, turn, payloads)


def text_of(stream: Stream, branch: int, number: int) -> Text:
    """One text by the number of any of its wordings, in that wording. Needs `reading`."""
    if not stream.is_text(number):
        raise NotFound(f"number {number} is no message or reply")
    root = stream.history.root_text(number)
    payloads = stream.payloads(sorted({number, root}))
    return _text(stream, stream.standing(branch), root, number, payloads)


def branch_views(stream: Stream) -> list[BranchView]:
    """All branches that were not dropped. Needs `reading`."""
    names = stream.branch_names()
    views = []
    for number, name in names.items():
        branch = stream.history.branches[number]
        parent = None if branch.parent is None else stream.all_names().get(branch.parent)
        fork = stream.history.acts.get(number, ())
        views.append(
            BranchView(
                number=number,
                name=name,
                parent=parent,
                forked_after=fork[0] if number != MAIN and fork else None,
                turns=stream.history.depth_of(branch.tip),
                tip=None if branch.tip == ROOT else branch.tip,
                current=number == stream.history.current,
            )
        )
    return views


def _turn_view(
    stream: Stream, standing: Standing, turn: int, payloads: dict[int, dict[str, Any]]
) -> TurnView:
    history = stream.history
    messages, replies = [], []
    for number in history.events_of(turn):
        if history.kind[number] == _MESSAGE and standing.says(number):
            messages.append(_chosen_text(stream, standing, number, payloads))
        elif history.kind[number] == _REPLY and standing.says(number):
            replies.append(_chosen_text(stream, standing, number, payloads))
    return TurnView(
        number=turn,
        place=history.depth_of(turn),
        status=standing.status(turn),
        happened=history.moment(turn),
        stands=turn in standing,
        messages=tuple(messages),
        replies=tuple(replies),
        erased=turn in history.erased,
    )


def _chosen_text(
    stream: Stream, standing: Standing, root: int, payloads: dict[int, dict[str, Any]]
) -> Text:
    number = standing.chosen(root, default=root)
    assert number is not None
    return _text(stream, standing, root, number, payloads)


def _text(
    stream: Stream,
    standing: Standing,
    root: int,
    number: int,
    payloads: dict[int, dict[str, Any]],
) -> Text:
    history, about = stream.history, stream.about_text(number, payloads) or {}
    content = payloads[number]["content"] if number in payloads else None
    is_reply = history.kind[root] == _REPLY
    turn = history.turn[root]
    wordings = [root] + [
        n for n in history.events_of(turn) if history.base.get(n) == root and standing.says(n)
    ]
    return Text(
        number=number,
        root=root,
        turn=turn,
        role="agent" if is_reply else about.get("role", "other"),
        speaker=about.get("speaker", "?"),
        name=about.get("name", "?"),
        content=content,
        happened=history.moment(root),
        hidden=about.get("hidden", False),
        delivered=about.get("delivered", "shown"),
        chosen=standing.chosen(turn) == root if is_reply else True,
        stands=number in standing,
        wordings=tuple(wordings),
        withheld=content is None and number not in history.erased,
    )
