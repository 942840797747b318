"""Fuzzing of packs: whatever bytes come in, the answer is a typed error or a whole relationship.

    python benchmarks/fuzz_packs.py [--reads 1000000] [--imports 20000] [--seed 1] [--minutes N]

Starts from real packs (signed, with several lines, with erased and withheld payloads) and mangles
them: bytes flipped, cut, doubled and swapped in the file, and, with a seal that fits, frames
dropped, doubled, swapped and changed within. Prints how each kind was answered, and the peak of
memory. Any other error ends the run with the seed and number that made it.
"""

from __future__ import annotations

import argparse
import io
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from enishi.host import Relationship, open_store
from enishi.kernel.errors import PackConflict, UnreadableFile
from enishi.kernel.rules.proposer import RuleProposer
from enishi.packs.memorypack.format import PackReader
from enishi.packs.memorypack.frames import FrameReader, write_frames
from enishi.packs.memorypack.pack_files import inspect_pack

Frames = list[Any]


def corpus(folder: Path) -> list[bytes]:
    """Real packs to start from."""
    packs = []
    with open_store(folder / "a.db") as store:
        bond = store.relationship("lumi", "chen")
        for place, words in enumerate(
            ("I love snow.", "谢谢你", "I promise I will call on Sunday.")
        ):
            turn = bond.record(words, f"Reply {place}.")
            bond.regenerate(turn, "Another.")
        bond.propose(None, RuleProposer())
        bond.fork("other", bond.turns()[0].number)
        bond.export(folder / "a.erii")
        packs.append((folder / "a.erii").read_bytes())
        bond.export(folder / "b.erii", withhold=[bond.turns()[1].number])
        packs.append((folder / "b.erii").read_bytes())
        _part(folder, bond)
        bond.export(folder / "d.erii")
        packs.append((folder / "d.erii").read_bytes())
        bond.erase(bond.turns()[0].messages[0].number)
        bond.export(folder / "c.erii")
        packs.append((folder / "c.erii").read_bytes())
    return packs


def _part(folder: Path, bond: Relationship) -> None:
    """Let the relationship go on in two places, under two ids, and take the other line in."""
    with open_store(folder / "elsewhere.db") as store:
        store.import_pack(folder / "a.erii")
        store.relationships()[0].record("On the way.", "Careful!")
        store.relationships()[0].rebind("user", "chen-2")
        store.relationships()[0].export(folder / "other.erii")
    bond.record("At home.", "Good.")
    bond._store.import_pack(folder / "other.erii", as_branch="travel")


def mangled_bytes(random: Random, data: bytes) -> bytes:
    """The file with some of its bytes changed."""
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        place = random.randrange(len(found)) if found else 0
        match random.randrange(5):
            case 0:
                del found[place:]
            case 1:
                del found[place : place + random.randrange(1, 40)]
            case 2:
                found[place:place] = random.randbytes(random.randrange(1, 40))
            case 3:
                found[place:place] = found[place : place + random.randrange(1, 400)]
            case _:
                if found:
                    found[place] ^= 1 << random.randrange(8)
    return bytes(found)


def mangled_frames(random: Random, frames: Frames) -> bytes:
    """The pack with some of its frames changed, under a seal that fits."""
    found = [list(one) if isinstance(one, list) else one for one in frames]
    for _ in range(random.choice((1, 1, 2, 4))):
        if not found:
            break
        place = random.randrange(len(found))
        match random.randrange(5):
            case 0:
                del found[place]
            case 1:
                found.insert(place, found[random.randrange(len(found))])
            case 2:
                other = random.randrange(len(found))
                found[place], found[other] = found[other], found[place]
            case 3:
                found[place] = junk(random)
            case _:
                one = found[place]
                if isinstance(one, dict):
                    found[place] = _mangled_map(random, one)
                elif isinstance(one, list) and one:
                    inner = random.randrange(len(one))
                    old = one[inner]
                    one[inner] = (
                        mangled_bytes(random, old)
                        if isinstance(old, bytes) and random.random() < 0.8
                        else junk(random)
                    )
    out = io.BytesIO()
    write_frames(out, found)
    return out.getvalue()


def _mangled_map(random: Random, one: Any) -> Any:
    """A manifest with one of its values changed, however deep it lies."""
    if not one or not isinstance(one, dict | list) or random.random() < 0.2:
        return junk(random)
    if isinstance(one, list):
        place = random.randrange(len(one))
        return [*one[:place], _mangled_map(random, one[place]), *one[place + 1 :]]
    key = random.choice([*one, "new"])
    return {**one, key: _mangled_map(random, one.get(key))}


def junk(random: Random, depth: int = 0) -> Any:
    """Any plain value."""
    match random.randrange(9 if depth < 3 else 6):
        case 0:
            return None
        case 1:
            return random.choice((0, 1, -1, 2**31, 2**63, -(2**63), 2**64 - 1))
        case 2:
            return random.randbytes(random.choice((0, 1, 16, 32, 33, 500)))
        case 3:
            return random.choice(("", "main", "\0", "ｅ", "x" * 300))
        case 4:
            return random.random()
        case 5:
            return random.random() < 0.5
        case 6:
            return {random.choice("abc"): junk(random, depth + 1) for _ in range(3)}
        case _:
            return [junk(random, depth + 1) for _ in range(random.randrange(4))]


def run(title: str, count: int, until: float, seed: int, attempt: Callable[[Random], None]) -> None:
    """Try so many times, and print how it was answered."""
    answers: Counter[str] = Counter()
    for number in range(count):
        random = Random(f"{seed}:{title}:{number}")
        try:
            attempt(random)
            answers["whole"] += 1
        except (UnreadableFile, PackConflict) as error:
            answers[type(error).__name__] += 1
        except BaseException:
            print(f"{title}: seed {seed}, number {number}", file=sys.stderr)
            raise
        if time.monotonic() > until:
            break
    told = ", ".join(f"{name} {times:,}" for name, times in answers.most_common())
    print(f"{title}: {sum(answers.values()):,} tried: {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reads", type=int, default=1_000_000)
    parser.add_argument("--imports", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10_000)
    wanted = parser.parse_args()
    until = time.monotonic() + wanted.minutes * 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packs = corpus(folder)
        frames = [list(FrameReader(io.BytesIO(data), "a.erii")) for data in packs]
        path = folder / "fuzzed.erii"

        def read(random: Random) -> None:
            data = mangled_bytes(random, random.choice(packs))
            for _ in PackReader(io.BytesIO(data), "fuzzed.erii"):
                pass

        def some(random: Random) -> bytes:
            if random.random() < 0.8:
                return mangled_frames(random, random.choice(frames))
            return mangled_bytes(random, random.choice(packs))

        def inspect(random: Random) -> None:
            path.write_bytes(some(random))
            inspect_pack(path)

        run("read", wanted.reads, until, wanted.seed, read)
        run("inspect", wanted.imports, until, wanted.seed, inspect)
        with open_store(folder / "b.db", synchronous="NORMAL") as store:
            store.import_pack(folder / "a.erii")
            before = store.relationships()[0].verify()

            def take(random: Random) -> None:
                path.write_bytes(some(random))
                store.import_pack(
                    path, as_branch="other", accept_erasures=random.random() < 0.5, dry_run=True
                )

            run("import", wanted.imports, until, wanted.seed, take)
            (bond,) = store.relationships()
            assert bond.verify() == before, "a pack that was refused changed something"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")


if __name__ == "__main__":
    main()
