"""How often a wording is refused for a name, beside the words that it paraphrases and beside others.

    python benchmarks/names_in_wordings.py            paraphrases of three kinds, per cent
    python benchmarks/names_in_wordings.py --show     each refused one: its names, and where it stands

LoCoMo's observations cite the turns that they sum up; ProactiveMemBench's memory units, Chinese and
English, were planted in turns, often without what a reader knew by then. `own` counts those with a
name that is not in their own words; not each is refused wrongly, for many name what those words do
not. `others` puts each beside the words of a random other one, where most should be refused that
name anything. The data stays in ../shared/data; without it nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from enishi.kernel.words.carried import folded
from enishi.kernel.words.names import missing_names

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class Paraphrase(NamedTuple):
    """A wording, the words that it rests on, and the names of those who talk."""

    place: str
    wording: str
    words: str
    known: tuple[str, ...] = ()


def main() -> None:
    """Measure, and print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    kinds = {
        "locomo": _locomo(options.data / "locomo" / "locomo6.json"),
        "proactivemembench zh": _planted(options.data / "proactivemembench" / "zh"),
        "proactivemembench en": _planted(options.data / "proactivemembench" / "en"),
    }
    for kind, found in kinds.items():
        all_of_it = list(found)
        if not all_of_it:
            print(f"{kind}: skipped, no data in {options.data}")
            continue
        random = Random(1)
        own = [(one, _missing(one, one)) for one in all_of_it]
        refused = [(one, names) for one, names in own if names]
        others = sum(bool(_missing(one, random.choice(all_of_it))) for one in all_of_it)
        shares = (100 * len(refused) / len(own), 100 * others / len(own))
        print(f"{kind}: {len(own)} wordings, own {shares[0]:.1f} %, others {shares[1]:.1f} %")
        for one, names in refused if options.show else ():
            print(f"    {one.place}: {', '.join(names)}")


def _missing(one: Paraphrase, other: Paraphrase) -> list[str]:
    known = (*one.known, *other.known)
    return missing_names(one.wording, " ".join(map(folded, (other.words, *known))))


def _locomo(path: Path) -> Iterator[Paraphrase]:
    for talk in _read(path) or ():
        said = talk["conversation"]
        sessions = [turns for turns in said.values() if isinstance(turns, list)]
        turns = {
            turn["dia_id"]: f"{turn['text']} {turn.get('blip_caption', '')}"
            for session in sessions
            for turn in session
        }
        rows = [
            row
            for by_speaker in talk["observation"].values()
            for of_one in by_speaker.values()
            for row in of_one
        ]
        for wording, evidence in rows:
            cited = re.findall(r"D\d+:\d+", json.dumps(evidence))
            words = " ".join(turns[one] for one in cited if one in turns)
            if words:
                place = f"{talk['sample_id']} {' '.join(cited)}"
                yield Paraphrase(place, wording, words, (said["speaker_a"], said["speaker_b"]))


def _planted(folder: Path) -> Iterator[Paraphrase]:
    for persona in sorted(folder.glob("*/")):
        words: dict[str, list[str]] = {}
        for session in _read(persona / "step4_conversations.json") or ():
            for turn in session["turns"]:
                for unit in turn["planted_pairs"]:
                    words.setdefault(unit, []).append(turn["content"])
        for unit in _read(persona / "step1_concept_pairs.json") or ():
            if unit["id"] in words and unit.get("natural_expression"):
                place, said = f"{persona.name} {unit['id']}", " ".join(words[unit["id"]])
                yield Paraphrase(place, unit["natural_expression"], said)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


if __name__ == "__main__":
    main()
