"""What the documentation says of tests is so: those that it names exist, and those that name a
reported fault are named by it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REPORTED = ROOT / "docs" / "reported.md"
INVARIANTS = ROOT / "docs" / "invariants.md"
CASES = ROOT.parent / "shared" / "cases" / "reported.jsonl"
NAMED = re.compile(r"`(test_\w+)\.(test_\w+|Test\w+)`")


@cache
def all_tests() -> dict[str, str]:
    """Every test and class of tests, with the text that says what it is about."""
    found: dict[str, str] = {}
    for path in [*(ROOT / "tests").glob("test_*.py"), *(ROOT / "golden").glob("test_*.py")]:
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[f"{path.stem}.{node.name}"] = ast.get_docstring(node) or ""
        found |= {
            f"{path.stem}.{name}": "" for name in re.findall(r"^(Test\w+) =", source, re.MULTILINE)
        }
    return found


def cases() -> Iterator[tuple[str, str]]:
    """Each case of the page with its state."""
    for line in REPORTED.read_text("utf-8").splitlines():
        if line.startswith("| PB-"):
            case, *_, state = [cell.strip() for cell in line.strip("|").split("|")]
            yield case, state


@pytest.mark.parametrize("page", [REPORTED, INVARIANTS], ids=lambda page: page.name)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    named = {".".join(one) for one in NAMED.findall(page.read_text("utf-8"))}
    assert named and named <= all_tests().keys(), named - all_tests().keys()


def test_a_case_has_a_test_or_says_what_is_missing() -> None:
    states = dict(cases())
    for case, state in states.items():
        assert bool(NAMED.search(state)) != state.startswith("not yet: "), case
    tested = sum(not state.startswith("not yet") for state in states.values())
    assert f"{tested} of the {len(states)} have a test" in REPORTED.read_text("utf-8")


def test_a_fault_that_a_test_names_is_no_open_one() -> None:
    """Whoever tests a fault says so on the page: `test_47_...`, `test_pb47_...` or PB-47."""
    named = set()
    for name, about in all_tests().items():
        stem, _, own = name.partition(".")
        if stem.startswith("test_reported"):
            named |= {f"PB-{number}" for number in re.findall(r"^test_(?:pb)?(\d\d)_", own)}
        named |= set(re.findall(r"PB-\d\d", about))
    states = dict(cases())
    assert named <= states.keys(), named - states.keys()
    assert [case for case in sorted(named) if states[case].startswith("not yet")] == []


@pytest.mark.skipif(not CASES.exists(), reason="the reports are not beside this clone")
def test_the_page_lists_every_case_of_its_kind_in_words_of_its_own() -> None:
    lines = REPORTED.read_text("utf-8").splitlines()
    listed = {line.split("|")[1].strip(): line for line in lines if line.startswith("| PB-")}
    reports = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    assert listed.keys() == {report["id"] for report in reports}
    for report in reports:
        _, _, kind, words, *_ = listed[report["id"]].split("|")
        assert kind.strip() == report["cat"]
        assert words.strip() not in report["wrong"] and report["wrong"] not in words
