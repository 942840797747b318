"""`pytest golden --bless` writes what golden files and generated pages are expected to hold.

Without it a file that comes out otherwise fails its test with the difference. With it the
difference is shown, and then the file is written.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ.setdefault("ENISHI_EMBEDDER", "none")  # whatever is installed

Expect = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless",
        action="store_true",
        help="write the golden files and generated pages, after showing what is different",
    )


@pytest.fixture
def blessing(pytestconfig: pytest.Config) -> bool:
    """Whether files are to be written."""
    return bool(pytestconfig.getoption("--bless"))


@pytest.fixture
def expect(blessing: bool, pytestconfig: pytest.Config) -> Expect:
    """Expects a file to have this text; or shows the difference and writes it, when blessing."""

    def check(path: Path, wanted: str) -> None:
        found = path.read_text("utf-8") if path.exists() else ""
        if found == wanted:
            return
        difference = "\n".join(
            difflib.unified_diff(
                found.splitlines(), wanted.splitlines(), str(path), "as it is now", lineterm=""
            )
        )
        if not blessing:
            pytest.fail(f"{difference}\nif this is meant: pytest golden --bless")
        capture = pytestconfig.pluginmanager.getplugin("capturemanager")
        assert capture is not None
        with capture.global_and_fixture_disabled():
            print(f"\n{difference}")
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted, "utf-8", newline="\n")

    return check
