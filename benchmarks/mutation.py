"""Change one thing in the kernel or a projection, and see whether its tests notice.

    python benchmarks/mutation.py --sample 300 --seed 1
    python benchmarks/mutation.py --only kernel/standing.py --sample 40
    python benchmarks/mutation.py --sample 300 --seed 1 --part 2/10    every tenth of it, from the second

Each mutant of a seeded sample is one changed comparison, number or the like in a copy of the tree.
The tests of its module run against it; a mutant that they let pass is a survivor, and is printed.
A survivor may be harmless: whoever reads the list decides. Needs `tests` beside this folder.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("kernel", "projections")
SECONDS = 600
"""What takes longer than this is taken for an endless loop: noticed, and counted apart."""

TIMED = "linear_time"
"""Tests with this in their name measure time: a busy machine fails them without any mutant."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}

ALWAYS = {
    "kernel": ("tests/test_life.py", "golden/test_vectors.py"),
    "projections": ("golden/test_scenarios.py",),
}
"""Tests of everything in a part, which run after those of the module."""

MOST = 4
"""So many files of tests are a module's own, those named after it first."""


class Mutant(NamedTuple):
    """One change: in which file, at which line, from what to what."""

    path: str
    line: int
    before: str
    after: str
    source: str


class Site(NamedTuple):
    """A place in a file where something can be changed, and in which way."""

    path: Path
    node: int
    way: int


def sites(path: Path) -> Iterator[Site]:
    """Every change that can be made to a file."""
    for place, node in enumerate(ast.walk(ast.parse(path.read_text("utf-8")))):
        yield from (Site(path, place, way) for way in range(_ways(node)))


def mutant_at(site: Site) -> Mutant:
    """The mutant that a change makes."""
    tree = ast.parse(site.path.read_text("utf-8"))
    target = next(node for place, node in enumerate(ast.walk(tree)) if place == site.node)
    before = _head(target)
    _change(target, site.way)
    path = site.path.relative_to(ROOT).as_posix()
    return Mutant(path, getattr(target, "lineno", 0), before, _head(target), ast.unparse(tree))


def _head(node: ast.AST) -> str:
    """A node as text; of a statement its first line."""
    return ast.unparse(node).partition("\n")[0]


def _ways(node: ast.AST) -> int:
    """In how many ways a node can be changed."""
    match node:
        case ast.Compare():
            return sum(type(operator) in COMPARISONS for operator in node.ops[:1])
        case ast.BoolOp() | ast.IfExp():
            return 1
        case ast.BinOp():
            return int(type(node.op) in OPERATORS and not _is_text(node))
        case ast.Constant(value=bool()):
            return 1
        case ast.Constant(value=int()):
            return 1
        case ast.UnaryOp(op=ast.Not()):
            return 1
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            return 1
        case ast.If():
            return 2
    return 0


def _is_text(node: ast.BinOp) -> bool:
    """Whether this joins types or texts rather than numbers."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    constants = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return bool(names & {"str", "int", "bytes", "bool"}) or any(
        one is None or isinstance(one, str) for one in constants
    )


def _change(node: ast.AST, way: int) -> None:
    match node:
        case ast.Compare():
            node.ops[0] = COMPARISONS[type(node.ops[0])]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.IfExp():
            node.body, node.orelse = node.orelse, node.body
        case ast.BinOp():
            node.op = OPERATORS[type(node.op)]()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.UnaryOp():
            node.op = ast.UAdd()  # `+x` of a truth value is as true as x
        case ast.Call(func=ast.Name() as name):
            name.id = CALLS[name.id]
        case ast.If():
            node.test = ast.Constant(value=bool(way))


def tests_of(path: str) -> list[str]:
    """The test files of a module: those that name it, or that name what it is imported by."""
    modules = {_dotted(one.relative_to(ROOT).as_posix()): one.read_text("utf-8")
               for part in PARTS for one in (ROOT / part).rglob("*.py")}  # fmt: skip
    tests = {f"tests/{one.name}": one.read_text("utf-8")
             for one in sorted((ROOT / "tests").glob("test_*.py"))}  # fmt: skip
    wanted = seen = {_dotted(path)}
    found: list[str] = []
    while wanted and not found:
        found = [name for name, text in tests.items() if any(_names(text, w) for w in wanted)]
        importers = {m for m, text in modules.items() if any(_names(text, w) for w in wanted)}
        wanted, seen = importers - seen, seen | importers
    stem = Path(path).stem
    found.sort(key=lambda name: (stem not in name, -tests[name].count(stem)))
    return list(dict.fromkeys([*found[:MOST], *ALWAYS[path.partition("/")[0]]]))


def _dotted(path: str) -> str:
    return "enishi." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _names(text: str, module: str) -> bool:
    """Whether a text imports a module, in either way."""
    parent, _, name = module.rpartition(".")
    return f"from {module} import" in text or bool(
        re.search(rf"from {re.escape(parent)} import [^\n]*\b{name}\b", text)
    )


def tried(mutant: Mutant, copied: Path) -> str:
    """What the tests of its module say of a mutant: noticed, endless or survived."""
    target = copied / mutant.path
    before = target.read_text("utf-8")
    target.write_text(mutant.source, "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
             "-k", f"not {TIMED}", *tests_of(mutant.path)],
            check=False, cwd=copied, capture_output=True, timeout=SECONDS,
            env={**os.environ, "PYTHONPATH": str(copied.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        return "noticed" if done.returncode else "survived"
    except subprocess.TimeoutExpired:
        return "endless"
    finally:
        target.write_text(before, "utf-8")


def main() -> None:
    """Draw the sample, try each mutant, print the survivors and the score."""
    options = _options()
    files = [
        path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))
        if options.only in path.relative_to(ROOT).as_posix()
    ]  # fmt: skip
    chance = Random(options.seed)
    every = [site for path in files for site in sites(path)]
    drawn = [mutant_at(site) for site in chance.sample(every, min(options.sample, len(every)))]
    first, parts = map(int, options.part.split("/"))
    drawn = drawn[first - 1 :: parts]
    print(f"{len(drawn)} of {len(every)} mutants in {len(files)} files", flush=True)
    begun = monotonic()
    found: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        copied = Path(folder) / "enishi"
        shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__"))
        for number, mutant in enumerate(drawn, start=1):
            outcome = tried(mutant, copied)
            found[outcome] += 1
            if outcome != "noticed":
                print(f"{outcome}: {mutant.path}:{mutant.line}: {_short(mutant.before)} → "
                      f"{_short(mutant.after)}", flush=True)  # fmt: skip
            if options.verbose:
                print(f"  {number} of {len(drawn)}, {monotonic() - begun:.0f} s", flush=True)
    killed = len(drawn) - found["survived"]
    print(
        f"{killed} of {len(drawn)} mutants noticed ({killed / max(1, len(drawn)):.0%}), "
        f"{found['endless']} of them as endless; seed {options.seed}, part {options.part}"
    )


def _short(code: str) -> str:
    return code if len(code) < 90 else f"{code[:60]} … {code[-25:]}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--part", default="1/1", help="a part of the sample, such as 2/10")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
