"""Change one thing in the kernel or a projection, and see whether its tests notice.

    python benchmarks/mutation.py --sample 300 --seed 1 | tee found.txt
    python benchmarks/mutation.py --again found.txt                        the survivors alone
    python benchmarks/mutation.py --only kernel/standing.py --sample 40
    python benchmarks/mutation.py --sample 300 --seed 1 --part 2/10    every tenth of it, from the second

Each mutant of a seeded sample is one changed comparison, number or the like in a copy of the tree.
All tests run once before, to learn which of them enter the functions that are changed. Those run
against the mutant, the quickest first; what is changed outside of a function meets the tests of its
module. A mutant that they let pass is a survivor, and is printed. A survivor may be harmless:
whoever reads the list decides. Needs `tests` and `golden` beside this folder.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import _lru_cache_wrapper
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest

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

Function = ast.FunctionDef | ast.AsyncFunctionDef

PROBE = "probe.py"
"""A module of the copied tree with the set of functions that were entered, by name."""


class Mutant(NamedTuple):
    """One change: in which file and function, at which line, from what to what."""

    path: str
    function: str
    line: int
    before: str
    after: str
    tree: ast.Module


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
    path = site.path.relative_to(ROOT).as_posix()
    function, before = _homes(tree, path)[target], _head(target)
    _change(target, site.way)
    return Mutant(path, function, getattr(target, "lineno", 0), before, _head(target), tree)


def _homes(tree: ast.AST, path: str) -> dict[ast.AST, str]:
    """In which outermost function each node is run; the path stands for what is run on import."""
    found: dict[ast.AST, str] = {}
    waiting: list[tuple[ast.AST, str]] = [(tree, path)]
    while waiting:
        node, home = waiting.pop()
        found[node] = home
        for child in ast.iter_child_nodes(node):
            inside = home == path and isinstance(node, Function) and child in node.body
            waiting.append((child, _named(path, node) if inside else home))
    return found


def _named(path: str, function: ast.AST) -> str:
    return f"{path}:{getattr(function, 'lineno', 0)}"


def probed(tree: ast.Module, path: str) -> str:
    """The source of a tree whose functions say that they were entered."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            place = bool(ast.get_docstring(node))
            node.body[place:place] = ast.parse(f"_entered.add({_named(path, node)!r})").body
    place = sum(isinstance(node, ast.ImportFrom) and node.module == "__future__"
                for node in tree.body) + bool(ast.get_docstring(tree))  # fmt: skip
    tree.body[place:place] = ast.parse("from enishi.probe import entered as _entered").body
    return ast.unparse(ast.fix_missing_locations(tree))


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


class Entered(NamedTuple):
    """A test by its place among all, its processor time, its file, and which functions it entered."""

    test: int
    seconds: float
    path: str
    functions: frozenset[str]


class Trial:
    """A plugin that runs the tests of each mutant in a fork of one process that has read them all."""

    def __init__(self, drawn: Sequence[Mutant], worth: float, verbose: bool) -> None:
        self.drawn, self.worth, self.verbose = drawn, worth, verbose
        self.found: Counter[str] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once, then those of each mutant; print what survives."""
        on_import = set(importlib.import_module("enishi.probe").entered)
        every = entered(session)
        print(f"{len(self.drawn)} mutants, {len(every)} tests", flush=True)
        functions: dict[str, list[FunctionType]] = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                for constant in one.__code__.co_consts:
                    functions[constant if isinstance(constant, str) else ""].append(one)
        for mutant in self.drawn:
            tests = tests_of(mutant, every, self.worth)
            late = [] if mutant.function in on_import else functions[mutant.function]
            outcome = tried(mutant, session, tests, late)
            self.found[outcome] += 1
            if outcome != "noticed":
                print(f"{outcome}: {mutant.path}:{mutant.line}: {_short(mutant.before)} → "
                      f"{_short(mutant.after)}", flush=True)  # fmt: skip
            if self.verbose:
                print(f"  {self.found.total()}: {len(tests)} tests", flush=True)
        return True


def entered(session: pytest.Session) -> list[Entered]:
    """Run all tests, and learn which functions each enters; the quickest first.

    A test that fails without any mutant is left out: it says nothing.
    """
    path = Path("entered.json")

    def learn() -> int:
        seen: set[str] = importlib.import_module("enishi.probe").entered
        rows = []
        for place, item in enumerate(session.items):
            seen.clear()
            begun, failed = sum(os.times()[:4]), session.testsfailed
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed == failed and TIMED not in item.name:
                spent = sum(os.times()[:4]) - begun
                rows.append((place, spent, str(item.path), sorted(seen)))
        path.write_text(json.dumps(rows), "utf-8")
        return 0

    forked(learn, None)
    rows = json.loads(path.read_text("utf-8"))
    found = [Entered(*row, frozenset(seen)) for *row, seen in rows]
    return sorted(found, key=lambda one: one.seconds)


def tests_of(mutant: Mutant, every: list[Entered], worth: float) -> list[int]:
    """The tests that enter its function, or its file if no test does, or else all; those of a file
    that names the module and the quickest first, and no more than are worth so many seconds."""
    inside = f"{mutant.path}:"
    found = (
        [one for one in every if mutant.function in one.functions]
        or [one for one in every if any(name.startswith(inside) for name in one.functions)]
        or list(every)
    )
    module = "enishi." + mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    own = {path for path in {one.path for one in found} if module in Path(path).read_text("utf-8")}
    found.sort(key=lambda one: (one.path not in own, one.seconds))
    sums = accumulate(one.seconds for one in found)
    return [one.test for one, seconds in zip(found, sums, strict=True) if seconds <= worth]


def tried(
    mutant: Mutant, session: pytest.Session, tests: list[int], functions: list[FunctionType]
) -> str:
    """What tests say of a mutant: noticed, endless or survived.

    Its `functions`, if there are any, have another code in a fork; what is done on import is done
    by another process. Processes that a test begins read the file.
    """
    source = probed(mutant.tree, mutant.path)
    code = _code_of(mutant.function, compile(source, str(Path(mutant.path).absolute()), "exec"))
    items = [session.items[test] for test in tests]

    def patched() -> int:
        for function in functions:
            assert code
            function.__code__ = code
        for one in gc.get_objects():
            if isinstance(one, _lru_cache_wrapper):
                one.cache_clear()
        for item in items:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed:
                return 1
        return 0

    def anew() -> int:
        Path("tests.txt").write_text("\n".join(item.nodeid for item in items), "utf-8")
        arguments = "-x", "-q", "-p", "no:cacheprovider", "@tests.txt"
        return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode

    target = Path(mutant.path)
    before = target.read_text("utf-8")
    target.write_text(source, "utf-8")
    try:
        return ("survived", "noticed", "endless")[forked(patched if functions else anew, SECONDS)]
    finally:
        target.write_text(before, "utf-8")


def _code_of(function: str, code: CodeType) -> CodeType | None:
    """The code of a function of a module."""
    if function in code.co_consts:
        return code
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return next(filter(None, (_code_of(function, one) for one in inner)), None)


def forked(work: Callable[[], int], seconds: float | None) -> int:
    """Do something in another process: 0 if it came to 0, 1 if it did not, 2 if it does not end."""
    process = os.fork()
    if not process:
        status = 1
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nowhere, number)
            status = min(1, work())
        finally:
            os._exit(status)
    begun = monotonic()
    while True:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return min(1, status)
        if seconds is not None and monotonic() - begun > seconds:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return 2
        sleep(0.01)


def drawn_again(path: Path) -> list[Mutant]:
    """The survivors that an earlier run has printed, where the code still has them."""
    found: list[Mutant] = []
    for text in path.read_text("utf-8").splitlines():
        said = re.fullmatch(r"survived: ([^:]+):(\d+): (.+) → (.+)", text)
        if not said or not (ROOT / said[1]).exists():
            continue
        tree = ast.parse((ROOT / said[1]).read_text("utf-8"))
        alike = [
            mutant_at(Site(ROOT / said[1], place, way))
            for place, node in enumerate(ast.walk(tree))
            for way in range(_ways(node)) if _short(_head(node)) == said[3]
        ]  # fmt: skip
        alike = [mutant for mutant in alike if _short(mutant.after) == said[4]]
        near = sorted(alike, key=lambda mutant: abs(mutant.line - int(said[2])))
        found += [mutant for mutant in near if mutant not in found][:1]
        if not near:
            print(f"no more there: {text.removeprefix('survived: ')}")
    return found


def _sample(options: argparse.Namespace) -> list[Mutant]:
    files = [
        path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))
        if options.only in path.relative_to(ROOT).as_posix()
    ]  # fmt: skip
    every = [site for path in files for site in sites(path)]
    print(f"a sample of {len(every)} mutants in {len(files)} files")
    chosen = Random(options.seed).sample(every, min(options.sample, len(every)))
    first, parts = map(int, options.part.split("/"))
    return [mutant_at(site) for site in chosen[first - 1 :: parts]]


def main() -> None:
    """Draw the sample, try each mutant, print the survivors and the score."""
    options = _options()
    drawn = drawn_again(options.again) if options.again else _sample(options)
    trial = Trial(drawn, options.worth, options.verbose)
    with TemporaryDirectory() as folder:
        copied = Path(folder) / "enishi"
        shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__"))
        (copied / PROBE).write_text("entered: set[str] = set()\n", "utf-8")
        for path in {mutant.path for mutant in drawn}:
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            (copied / path).write_text(probed(tree, path), "utf-8")
        os.environ |= {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": folder}
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        os.chdir(copied)
        pytest.main(["-qq", "-s", "-p", "no:cacheprovider"], [trial])
    found = trial.found
    killed = found["noticed"] + found["endless"]
    print(
        f"{killed} of {len(drawn)} mutants noticed ({killed / max(1, len(drawn)):.0%}), "
        f"{found['endless']} of them as endless"
    )


def _short(code: str) -> str:
    return code if len(code) < 90 else f"{code[:60]} … {code[-25:]}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", type=Path, help="the survivors that this file has, no others")
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--part", default="1/1", help="a part of the sample, such as 2/10")
    parser.add_argument("--worth", type=float, default=60, help="seconds of tests for a mutant")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
