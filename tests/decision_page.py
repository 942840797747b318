"""The generated part of `docs/decisions.md`: reason codes, kinds of proposals, keys of beliefs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, get_args

from decision_examples import BRANCH, EXAMPLES, FIRST, Try, all_worlds, world

from enishi.host import Store
from enishi.kernel.deciding.accepting import EVENT_OF
from enishi.kernel.deciding.decisions import RULES
from enishi.kernel.deciding.proposals import CONTENT_FREE, Proposal
from enishi.kernel.words.vocabulary import published_keys

BEGIN = "<!-- generated from the rules: begin -->"
END = "<!-- generated from the rules: end -->"
MOST_SHOWN = 3
"""Proposals of one batch that are written out."""

_PLAIN = frozenset(
    {
        "signal", "actor", "subject", "key", "value", "promiser", "act", "promise", "outcome",
        "effect", "bearer",
    }
)  # fmt: skip
"""Fields that are understood without their names."""


def generated() -> str:
    """What stands between the two markers."""
    return f"{_reasons()}\n\n{_kinds()}\n\n{_keys()}"


def with_generated(page: str) -> str:
    """The page with its generated part as it has to be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{generated()}\n\n{END}{after}"


def _reasons() -> str:
    rows = [
        "## Every reason code, in order of precedence",
        "",
        "| reason | verdict | meaning | not accepted for it | accepted |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder, all_worlds(Path(folder) / "s.db") as store:
        for rule in RULES:
            shown = [_shown(store, cases[0]) for cases in EXAMPLES[rule.reason]]
            cells = [f"`{rule.reason}`", rule.verdict, rule.meaning, *shown]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _shown(store: Store, case: Try) -> str:
    """What was said, then what is proposed: the words that are cited stand in quotes."""
    here = world(store, case)
    contents = dict(zip(here.texts, here.contents, strict=True))
    earlier = [_proposed(make(here), contents) for make in case.first]
    proposals = [_proposed(make(here), contents) for make in case.proposals]
    said = "<br>".join(_line(line, earlier) for line in case.lines)
    if len(proposals) > MOST_SHOWN:
        return f"{said}<br>→ the last of {len(proposals)} × {proposals[-1]}"
    numbered = len(proposals) > 1
    arrows = [f"→ {f'@{n} ' if numbered else ''}{one}" for n, one in enumerate(proposals)]
    return "<br>".join([said, *arrows])


def _line(line: str, earlier: list[str]) -> str:
    if line == BRANCH:
        return f"*{line}*"
    if line == FIRST:
        return "<br>".join(f"→ (earlier) {one}" for one in earlier)
    who, _, words = line.partition(": ")
    return f"{who}: *{words.replace('*', '')}*"


def _proposed(proposal: Proposal, contents: dict[int, str]) -> str:
    fields = proposal.model_dump(exclude={"citations", "because", "kind"}, exclude_defaults=True)
    confidence = fields.pop("confidence", None)
    told = [_value(value) for name, value in fields.items() if name in _PLAIN]
    told += [f"{name} {_value(value)}" for name, value in fields.items() if name not in _PLAIN]
    told += [] if confidence is None else [f"confidence {confidence}"]
    because = getattr(proposal, "because", None)
    if because is not None:
        told.append(f"because “{because.wording}” (citing “{because.citation.quote}”)")
    quotes = " and ".join(
        f"“{c.quote}”" if c.text in contents else f"number {c.text}" for c in proposal.citations
    )
    return f"`{proposal.kind}` {', '.join(told)}, citing {quotes}"


def _value(value: Any) -> str:
    if isinstance(value, str) and (value.isidentifier() or value[0] in "@0123456789"):
        return value
    if isinstance(value, tuple):
        return " and ".join(map(_value, value))
    return f"“{value}”" if isinstance(value, str) else str(value).lower()


def _kinds() -> str:
    rows = [
        "## Every kind of proposal, and the event that it becomes",
        "",
        "| kind | event | content-free | what it says |",
        "|---|---|---|---|",
    ]
    models = {model.model_fields["kind"].default: model for model in get_args(Proposal)}
    for kind, event in EVENT_OF.items():
        free = "yes" if kind in CONTENT_FREE else "no"
        meaning = " ".join((models[kind].__doc__ or "").split("\n\n")[0].split())
        rows.append(f"| `{kind}` | `{event}` | {free} | {meaning} |")
    return "\n".join(rows)


def _keys() -> str:
    rows = [
        "## Every published key of a belief",
        "",
        "S is whom the belief is about, V its value. Any other key in snake_case may be used as well,",
        "and holds many values.",
        "",
        "| key | values | category | what it says |",
        "|---|---|---|---|",
    ]
    for key in published_keys().values():
        rows.append(f"| `{key.name}` | {key.values} | {key.category} | {key.meaning} |")
    return "\n".join(rows)
