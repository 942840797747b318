"""The flat layout: what ships, what may stand at the root, and which way imports point."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import enishi

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
ORDER = ("kernel", "projections", "packs", "host", "cli")


def modules() -> Iterator[tuple[str, Path]]:
    for layer in ORDER[:4]:
        for path in sorted((ROOT / layer).rglob("*.py")):
            yield layer, path
    yield "cli", ROOT / "cli.py"


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_folder_with_modules_is_a_listed_package() -> None:
    found = {
        ".".join(("enishi", *path.parent.relative_to(ROOT).parts))
        for _, path in modules()
        if path.parent != ROOT
    }
    assert found | {"enishi"} == set(SETUPTOOLS["packages"])


def test_every_data_file_is_listed() -> None:
    listed = {
        ROOT.joinpath(*package.split(".")[1:], pattern)
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
    }
    for layer in ORDER[:4]:
        for path in (ROOT / layer).rglob("*"):
            if path.is_dir() or path.suffix in (".py", ".pyc"):
                continue
            assert any(path.match(str(pattern)) for pattern in listed), path


def test_only_two_modules_stand_at_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "cli.py"}


def test_imports_point_one_way() -> None:
    for layer, path in modules():
        above = ORDER[ORDER.index(layer) + 1 :]
        for name in imported(path):
            assert not any(name.startswith(f"enishi.{upper}") for upper in above), (path, name)


def test_the_kernel_knows_no_projection_by_name() -> None:
    for path in (ROOT / "kernel").rglob("*.py"):
        words = path.read_text("utf-8").lower()
        assert "rapport" not in words, path


def test_sql_stands_in_the_log_and_in_its_inspection_alone() -> None:
    for _, path in modules():
        if path.name not in (
            "log.py",
            "inspection.py",
            "keyring.py",
            "lines.py",
            "index.py",
            "scrubbing.py",
            "transactions.py",
            "vault.py",
        ):
            for name in imported(path):
                assert name.split(".")[0] not in ("sqlite3", "sqlite_utils"), path


def test_nothing_is_imported_under_a_bare_name() -> None:
    for _, path in modules():
        for name in imported(path):
            assert name.split(".")[0] not in ORDER, (path, name)
    assert not {"kernel", "projections", "packs", "cli", "host"} & sys.modules.keys()


def test_the_type_checkers_see_the_same_tree() -> None:
    links = {path.name for path in (ROOT / ".types" / "enishi").iterdir()}
    assert links == {*ORDER[:4], "cli.py", "__init__.py", "py.typed"}
    assert all((ROOT / ".types" / "enishi" / name).exists() for name in links)


def test_the_door_has_at_most_fifteen_names() -> None:
    assert len(enishi.__all__) <= 15
    assert enishi.__version__ == PROJECT["project"]["version"]


def test_the_version_needs_neither_pydantic_nor_sqlite_utils() -> None:
    heavy = "pydantic", "sqlite_utils", "rich.console", "msgpack", "msgspec"
    script = (
        "import sys; from enishi.cli import run; status = run(['--version']);"
        f"print(status, [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"enishi {enishi.__version__}\n0 []\n"


@pytest.mark.parametrize("word", ["def _utils", "class .*Manager", "class .*Helper"])
def test_no_module_is_a_drawer(word: str) -> None:
    import re

    for _, path in modules():
        assert not re.search(word, path.read_text("utf-8")), path
