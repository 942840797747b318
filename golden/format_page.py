"""The generated parts of `docs/format.md`: the tables of all event types, and the first policy."""

from __future__ import annotations

import json
import re
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from enishi.kernel.deciding.proposals import Frozen
from enishi.kernel.events import EVENT_TYPES, Payload
from enishi.projections.policy import bundled_policy

FORMAT_PAGE = Path(__file__).parent.parent / "docs" / "format.md"

LINKS: dict[str, tuple[str, str]] = {
    "RelationshipFounded": ("–", "–"),
    "PartyNamed": ("–", "–"),
    "PartyRebound": ("–", "–"),
    "BlueprintAdopted": ("–", "–"),
    "PolicyAdopted": ("–", "–"),
    "TurnOpened": ("–", "–"),
    "MessageReceived": ("its turn", "–"),
    "ReplyGiven": ("its turn", "–"),
    "TextRevised": ("its turn", "the message or reply that it rewords, never another revision"),
    "VariantChosen": ("–", "the reply"),
    "RevisionChosen": ("–", "the revision; or the message or reply itself"),
    "TurnAbandoned": ("–", "–"),
    "BranchForked": ("–", "the last turn that is shared; none: the root"),
    "BranchSwitched": ("–", "the branch"),
    "TipMoved": ("–", "the new tip; none: the root"),
    "Withdrawn": ("–", "what is withdrawn, one or more"),
    "Restored": ("–", "what counts again, one or more"),
    "BatchDecided": ("–", "the texts that were read"),
    "ProposalDecided": (
        "the cited texts; where a citation was not found, also all texts that were read",
        "the `BatchDecided`",
    ),
    **dict.fromkeys(
        (
            "SignalAccepted",
            "BeliefStated",
            "BeliefConfirmed",
            "BeliefRetracted",
            "PromiseMade",
            "PromiseEnded",
            "PromiseConditionMet",
            "LoopOpened",
            "LoopEnded",
            "ConsequenceFollowed",
            "TensionMoved",
            "ReflectionMade",
            "MoodObserved",
        ),
        (
            "the cited texts; none where the user said it by hand",
            "the `ProposalDecided`, or what the user spoke of",
        ),
    ),
    "EpisodeBegan": (
        "the cited texts; none where the host said it",
        "the `ProposalDecided`, or the turn that the host spoke of",
    ),
    "EpisodeContinued": ("–", "the turn"),
    "RecallUsed": ("the reply", "–"),
    "EpisodeSummarised": ("the cited texts", "the `ProposalDecided`"),
    "BatchFailed": ("the texts that were read", "–"),
    "DecisionReleased": ("–", "the held `ProposalDecided`"),
    "ChatImported": ("–", "the branch"),
    "Erased": ("–", "the records whose payloads were destroyed"),
    "WordsErased": ("–", "the records whose payloads were destroyed, and not their effects"),
}
"""What causes and targets of each type name."""


def event_tables() -> str:
    """The tables of all event types and of their payload fields."""
    unsaid = EVENT_TYPES.keys() ^ LINKS.keys()
    assert not unsaid, f"say in LINKS what causes and targets of these types name: {unsaid}"
    lines = ["| type | version | place | content-free | causes | targets |", "|" + "---|" * 6]
    for row in EVENT_TYPES.values():
        free = "yes" if row.content_free else "no"
        causes, targets = LINKS[row.name]
        lines.append(
            f"| `{row.name}` | {row.version} | {row.place} | {free} | {causes} | {targets} |"
        )
    lines += ["", "| type | field | kind | default |", "|" + "---|" * 4]
    for row in EVENT_TYPES.values():
        fields = [name for name in row.model.model_fields if name not in Payload.model_fields]
        lines += [f"| `{row.name}` | {field_cells(row.model, name)} |" for name in fields]
        if not fields:
            lines.append(f"| `{row.name}` | none | | |")
    return "\n".join(lines)


def field_cells(model: type[Frozen], name: str) -> str:
    """Name, kind and default of one field."""
    field = model.model_fields[name]
    kind = kind_of(field.annotation)
    if field.is_required():
        return f"`{name}` | {kind} | must be there"
    default = field.get_default(call_default_factory=True)
    return f"`{name}` | {kind} | {'nil' if default is None else f'`{json.dumps(default)}`'}"


def kind_of(annotation: Any) -> str:
    """A Python annotation in the words of the page."""
    names = {str: "string", int: "integer", bool: "boolean", bytes: "bytes", type(None): "nil"}
    if annotation in names:
        return names[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        fields = annotation.model_fields.items()
        return f"map of {', '.join(f'`{n}` ({kind_of(f.annotation)})' for n, f in fields)}"
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(f"`{value}`" for value in inner)
    if get_origin(annotation) is list:
        return f"array of {plural(kind_of(inner[0]))}"
    if get_origin(annotation) is dict:
        return "map" if inner[1] is Any else f"map of strings to {plural(kind_of(inner[1]))}"
    assert get_origin(annotation) in (types.UnionType, Union), annotation
    return " or ".join(kind_of(one) for one in inner)


def plural(kind: str) -> str:
    """Several of a kind."""
    return f"arrays{kind.removeprefix('array')}" if kind.startswith("array") else f"{kind}s"


def policy_block() -> str:
    """The numbers of the policy that is in force before any is adopted."""
    numbers = json.dumps(bundled_policy("1").numbers()["rapport"], indent=2, sort_keys=True)
    inner = re.compile(r"\{\n\s+([^{}]*?)\n\s+\}")
    return (
        "```json\n"
        + inner.sub(lambda m: "{" + re.sub(r",\n\s+", ", ", m[1]) + "}", numbers)
        + "\n```"
    )


def current_page() -> str:
    """`docs/format.md` with its generated parts made anew."""
    page = FORMAT_PAGE.read_text("utf-8")
    for name, text in (("event types", event_tables()), ("policy 1", policy_block())):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, found, rest = page.partition(begin)
        after = rest.partition(end)[2]
        assert found and after, f"{FORMAT_PAGE.name} has lost its markers of: {name}"
        page = f"{before}{begin}{text}\n{end}{after}"
    return page
