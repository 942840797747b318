"""How often a wording is refused for a name, beside the words that it paraphrases and beside others.

    python benchmarks/names_in_wordings.py            labels and paraphrases, per cent
    python benchmarks/names_in_wordings.py --show     each that is refused or missed, but for the held

`labels/names.tsv` has short wordings, half of them with a name that nobody said; `refused` is how
many of each kind are.

LoCoMo's observations cite the turns that they sum up; ProactiveMemBench's memory units, Chinese and
English, were planted in turns, often without what a reader knew by then. `own` counts those with a
name that is not in their own words; not each is refused wrongly, for many name what those words do
not. `others` puts each beside the words of a random other one, where most should be refused that
name anything. `lower-cased` has nothing with a capital: beside their own words, and of those that are
refused beside words of another talk, how many still are. The data stays in ../shared/data; without it nothing is measured.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from enishi.kernel.words.carried import folded
from enishi.kernel.words.names import missing_names

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS = Path(__file__).parent / "labels" / "names.tsv"


class Paraphrase(NamedTuple):
    """A wording, the words that it rests on, and the names of those who talk."""

    talk: str
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
    _labels(options.show)
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
        _lower_cased(all_of_it)
        for one, names in refused if options.show else ():
            print(f"    {one.talk} {one.place}: {', '.join(names)}")


def _labels(show: bool) -> None:
    text = "".join(row for row in LABELS.open(encoding="utf-8") if not row.startswith("#"))
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    for named in ("invented", "honest"):
        for lang, half in product(("en", "zh"), ("seen", "held")):
            of = [r for r in rows if (r["named"], r["lang"], r["half"]) == (named, lang, half)]
            found = [missing_names(row["wording"], folded(row["words"])) for row in of]
            share = 100 * sum(map(bool, found)) / len(of)
            print(f"{named} {lang} {half}: {len(of)} wordings, refused {share:.1f} %")
            for row, names in zip(of, found, strict=True) if show and half == "seen" else ():
                if bool(names) != (named == "invented"):
                    print(f"    {row['kind']}: {row['wording']} {names or ''}")


def _lower_cased(wordings: list[Paraphrase]) -> None:
    random = Random(2)
    pairs = [
        (one, random.choice([other for other in wordings if other.talk != one.talk]))
        for one in wordings
    ]
    named = [(_lowered(one), other) for one, other in pairs if _missing(one, other)]
    found = sum(bool(_missing(one, other)) for one, other in named)
    own = sum(bool(_missing(_lowered(one), one)) for one in wordings)
    shares = (100 * own / len(wordings), 100 * found / len(named))
    print(f"    lower-cased: own {shares[0]:.1f} %, {shares[1]:.1f} % of {len(named)} others")
    told = [(_lowered(one)._replace(known=()), other) for one, other in pairs if one.known]
    if told:
        share = 100 * sum(bool(_missing(one, other)) for one, other in told) / len(told)
        print(f"    lower-cased, with the speakers' names as others' names: {share:.1f} %")


def _lowered(one: Paraphrase) -> Paraphrase:
    return one._replace(wording=one.wording.lower())


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
                speakers = (said["speaker_a"], said["speaker_b"])
                yield Paraphrase(talk["sample_id"], " ".join(cited), wording, words, speakers)


def _planted(folder: Path) -> Iterator[Paraphrase]:
    for persona in sorted(folder.glob("*/")):
        words: dict[str, list[str]] = {}
        for session in _read(persona / "step4_conversations.json") or ():
            for turn in session["turns"]:
                for unit in turn["planted_pairs"]:
                    words.setdefault(unit, []).append(turn["content"])
        for unit in _read(persona / "step1_concept_pairs.json") or ():
            if unit["id"] in words and unit.get("natural_expression"):
                wording, said = unit["natural_expression"], " ".join(words[unit["id"]])
                yield Paraphrase(persona.name, unit["id"], wording, said)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


if __name__ == "__main__":
    main()
