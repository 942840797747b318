"""How well times said in English and Chinese are read, beside dateparser and jionlp.

    python benchmarks/time_expressions.py            one table: exact intervals by language and type
    python benchmarks/time_expressions.py --misses   what the half that was looked at gets wrong
    python benchmarks/time_expressions.py --json

The cases are the DateTimeModel specs of Microsoft's Recognizers-Text (MIT), those with a moment of
reference and one result that is a date, a date range, a time on a date or a range of them. They are
read from ../shared/data or --data; without them nothing is measured, and the command succeeds. The
grammar was made with one half of them in view, by the hash of the text; the other is `held`.

We and dateparser are given the whole text, and the first answer counts; jionlp, which reads an
expression and does not find it, is given the expression itself. `exact` wants the day, the minute,
or start and end as the case has them. In the cases "Monday to Friday" ends where Friday begins, in
our answers where it ends: `counted in` also takes an end that is later by the last unit named, from
whoever gives it, and an open side. What the cases call "not resolved" is a miss for everybody.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from enishi.projections.recall.times import said_times

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_TYPES = ("date", "daterange", "datetime", "datetimerange")
_UNITS = [timedelta(minutes=1), timedelta(hours=1), *(timedelta(days=n) for n in (1, 7, 28, 29, 30, 31, 365, 366))]  # fmt: skip

Json = dict[str, Any]
Answer = tuple[datetime, datetime | None] | None


class Case(NamedTuple):
    """A text said at a moment, the expression in it, its type and its readings."""

    text: str
    said: datetime
    expression: str
    type: str
    readings: list[Json]

    @property
    def half(self) -> str:
        return "held" if sha256(self.text.encode()).digest()[0] % 2 else "seen"


def cases(data: Path, language: str) -> Iterator[Case]:
    path = data / "recognizers_text" / language / "DateTimeModel.json"
    for one in json.loads(path.read_text("utf-8-sig")) if path.exists() else []:
        said = (one.get("Context") or {}).get("ReferenceDateTime")
        results = one.get("Results") or []
        if not said or len(results) != 1:
            continue
        kind = results[0]["TypeName"].split(".")[1]
        readings = (results[0].get("Resolution") or {}).get("values", [])
        readings = [each for each in readings if each.get("value") or each.get("start")]
        if kind in _TYPES and readings:
            moment = datetime.fromisoformat(said.rstrip("Z")[:19])
            yield Case(one["Input"], moment, results[0]["Text"], kind, readings)


def ours(case: Case) -> Answer:
    found = said_times(case.text, case.said.replace(tzinfo=UTC))
    if not found:
        return None
    start, end = found[0].start.to_datetime(), found[0].end.to_datetime()
    return start.replace(tzinfo=None), end.replace(tzinfo=None)


def dateparser_answers() -> Callable[[Case], Answer]:
    warnings.filterwarnings("ignore")
    from dateparser.search import search_dates

    def answer(case: Case) -> Answer:
        found = search_dates(case.text, languages=["en"], settings={"RELATIVE_BASE": case.said})
        return (found[0][1].replace(tzinfo=None), None) if found else None

    return answer


def jionlp_answers() -> Callable[[Case], Answer]:
    with contextlib.redirect_stdout(io.StringIO()):
        import jionlp

    def answer(case: Case) -> Answer:
        with contextlib.redirect_stdout(io.StringIO()):
            found = jionlp.parse_time(case.expression, time_base=case.said.timestamp())
        if not isinstance(found.get("time"), list):
            return None
        start, end = (datetime.strptime(one, "%Y-%m-%d %H:%M:%S") for one in found["time"])
        return start, _whole(end)

    return answer


def _whole(moment: datetime) -> datetime:
    """The end of an interval that was given by its last second."""
    return moment + timedelta(seconds=1) if moment.second == 59 else moment


def _moment(text: str | None) -> datetime | None:
    try:
        return _whole(datetime.fromisoformat(text)) if text else None
    except ValueError:
        return None


def verdict(case: Case, answer: Answer) -> str:
    """`exact`, `counted in` or `wrong`."""
    if answer is None:
        return "wrong"
    start, end = answer
    counted = False
    for reading in case.readings:
        if case.type == "date" and reading.get("value") == start.strftime("%Y-%m-%d"):
            return "exact"
        if case.type == "datetime":
            if (reading.get("value") or "")[:16] == start.strftime("%Y-%m-%d %H:%M"):
                return "exact"
        elif case.type != "date" and end is not None:
            first, last = _moment(reading.get("start")), _moment(reading.get("end"))
            if first == start and last == end and first is not None:
                return "exact"
            later = first == start and last is not None and end - last in _UNITS
            opens = first == start and first is not None and not reading.get("end")
            closes = last == end and last is not None and not reading.get("start")
            counted = counted or later or opens or closes
    return "counted in" if counted else "wrong"


def measured(name: str, answer: Callable[[Case], Answer], chosen: list[Case]) -> list[Json]:
    verdicts: dict[tuple[str, str], list[str]] = {}
    began = time.process_time()
    for case in chosen:
        try:
            said = answer(case)
        except Exception:  # noqa: BLE001  a peer that fails on a text has not read it
            said = None
        for kind in (case.type, "all"):
            verdicts.setdefault((case.half, kind), []).append(verdict(case, said))
    each = (time.process_time() - began) / max(1, len(chosen)) * 1000
    return [
        {
            "reader": name,
            "half": half,
            "type": kind,
            "cases": len(some),
            "exact": round(100 * some.count("exact") / len(some), 1),
            "counted in": round(100 * (len(some) - some.count("wrong")) / len(some), 1),
            "ms": round(each, 2),
        }
        for half in ("seen", "held")
        for kind in (*_TYPES, "all")
        if (some := verdicts.get((half, kind)))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    english, chinese = (list(cases(options.data, one)) for one in ("English", "Chinese"))
    if not english and not chinese:
        print(f"no cases in {options.data}/recognizers_text; nothing was measured")
        return
    if options.misses:
        for case in english + chinese:
            if case.half == "seen" and verdict(case, answer := ours(case)) == "wrong":
                said = " – ".join(str(one) for one in answer or ("nothing",))
                print(f"{case.type:13} {case.text!r} at {case.said}: {said}")
        return
    rows = measured("en enishi", ours, english) + measured("zh enishi", ours, chinese)
    peers = (("en dateparser", dateparser_answers, english), ("zh jionlp", jionlp_answers, chinese))
    for name, made, chosen in peers:
        try:
            rows += measured(name, made(), chosen)
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    table = Table("reader", "half", "type", "cases", "exact %", "counted in %", "ms a text")
    for column in table.columns[:3]:
        column.no_wrap = True
    for row in sorted(rows, key=lambda row: (row["reader"][:2], row["half"], row["reader"])):
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
