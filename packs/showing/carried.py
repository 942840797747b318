"""What came in and went out, on a terminal: chats, packs, and the demo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from enishi.packs.chats.importing import ImportReport
from enishi.packs.erii.report import EriiReport, Refused
from enishi.packs.memorypack.exporting import Exported
from enishi.packs.memorypack.pack_files import PackInspection
from enishi.packs.memorypack.taking_in import PackTaken
from enishi.packs.showing.demo_report import DemoReport
from enishi.packs.showing.terminal import say, several

MANY_CHATS = 20


def print_demo(console: Console, report: DemoReport) -> None:
    """What the demo told and proved, a line for each thing, and how many of them held."""
    styles = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}
    for chapter in report.chapters:
        say(console, f"{chapter.title['en']} · {chapter.title['zh']}", "bold")
        say(console, f"  {chapter.about['en']}", "dim")
        for proof in chapter.proofs:
            mark, style = styles[proof.holds]
            say(console, f"  {mark} {proof.claim['en']}", style)
            say(console, f"      {proof.found['en']}")
        say(console, "")
    say(console, report.verdict()["en"], "bold red" if report.failed else "bold green")


def print_erii(console: Console, reports: Sequence[EriiReport]) -> None:
    """What came of packs of E.R.I.I.: what is here now, what is not and why, what is otherwise."""
    for report in reports:
        done = (
            f"{several(report.turns, 'turn')}, {several(report.notes, 'belief')} as notes, "
            f"{several(report.events, 'item')} decided"
            if report.changed
            else "nothing new"
        )
        head = f"E.R.I.I. {report.version}: {report.agent} and {report.user}"
        say(console, f"{head}, branch {report.branch!r}: {done}")
        for reason, group in _by_reason(report.refused).items():
            kinds = ", ".join(f"{count} × {what}" for what, count in group.items())
            say(console, f"  without effect ({reason}): {kinds}", "yellow")
        for one in report.differences:
            say(console, f"  {one}", "yellow")
        counts = ", ".join(f"{what}: {count}" for what, count in report.left_out.items())
        if counts:
            say(console, f"  Left out: {counts}.", "yellow")


def _by_reason(refused: Sequence[Refused]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for one in refused:
        found.setdefault(one.reason, Counter())[one.what] += 1
    return found


def print_imports(
    console: Console, reports: Sequence[ImportReport], adopted: Sequence[dict[str, Any]]
) -> None:
    """What became of files that were taken in; of many chats, the sum for each relationship."""
    if len(reports) > MANY_CHATS:
        _print_sums(console, reports)
    for report in reports if len(reports) <= MANY_CHATS else ():
        where = f"new branch {report.branch!r}" if report.branched else f"branch {report.branch!r}"
        done = ", ".join(_counts([report])) if report.changed else "nothing new"
        called = report.label or report.title
        say(console, f"{called}: {report.agent} and {report.user}, {where}: {done}")
        for note in report.notes:
            place = f"line {note.position}: " if note.position else ""
            say(console, f"  {place}{note.message}", "yellow")
    for one in adopted:
        card = f"{one['file']}: {one['agent']} is played from this card ({one['spec']})"
        say(console, f"{card} towards {one['user']}")
        for note in one["notes"]:
            say(console, f"  {note}", "yellow")


def _print_sums(console: Console, reports: Sequence[ImportReport]) -> None:
    parties = dict.fromkeys((report.agent, report.user) for report in reports)
    for agent, user in parties:
        own = [one for one in reports if (one.agent, one.user) == (agent, user)]
        done = ", ".join(_counts(own)) or "nothing new"
        say(console, f"{agent} and {user}: {several(len(own), 'chat')}: {done}")
    notes = sum(len(report.notes) for report in reports)
    if notes:
        say(console, f"  Notes on them: {notes}; --json prints each.", "yellow")


def _counts(reports: Sequence[ImportReport]) -> list[str]:
    counted = (
        ("turns", "turn", "turns"),
        ("branched", "new branch", "new branches"),
        ("variants", "new variant", "new variants"),
        ("revised", "edited text", "edited texts"),
        ("chosen", "changed choice", "changed choices"),
        ("cut", "turn or text that left it", "turns or texts that left it"),
        ("signals", "event by the rules", "events by the rules"),
    )
    done = []
    for key, one, more in counted:
        n = sum(int(getattr(report, key)) for report in reports)
        if n and (len(reports) > 1 or key != "branched"):
            done.append(several(n, one, more))
    return [*done, "turns that came back"] if any(one.returned for one in reports) else done


"""More chats than these are summed up."""


_OUTCOMES = {
    "new": "new here, {records} records",
    "nothing new": "nothing new",
    "went on": "went on by {records} records",
    "branch": "taken in as branch {name!r}, {records} records of its own",
    "tombstones": "only its tombstones were new",
}


def print_carried(
    console: Console, names: Sequence[str], packs: Sequence[PackTaken], dry_run: bool
) -> None:
    """What became of MemoryPacks, or would become of them."""
    for name, taken in zip(names, packs, strict=True):
        for line in taken.lines:
            done = _OUTCOMES[line.outcome].format(records=line.records, name=line.name)
            more = f", {line.filled} withheld payloads filled in" if line.filled else ""
            would = "would be: " if dry_run else ""
            say(console, f"{name}: {taken.agent} and {taken.user}: {would}{done}{more}")
            if line.kept_out:
                say(
                    console,
                    f"  {line.kept_out} texts and events of it were erased here, and stay erased",
                )
            judged = line.rejudged
            if judged.unjudged:
                rest = f"{judged.judged} decisions judged again, {judged.unjudged} could not be"
                say(console, f"  {rest}: other rules, or evidence that is not there", "yellow")
            for branch, projection in line.differing:
                say(console, f"  {projection} on {branch!r} differs from what the pack says", "red")
        if taken.erased:
            say(console, f"  {taken.erased} texts and events here were erased, as the pack says")
        if taken.signature == "unchecked":
            say(console, f"  {_UNCHECKED.format(taken.signer)}", "yellow")
        else:
            say(console, f"  {_sealed(taken.signer, taken.known)}", "dim")


_UNCHECKED = "signature not checked, it names {}; to check it: pip install 'enishi[crypto]'"


def _sealed(signer: str | None, known: bool) -> str:
    if signer is None:
        return "not signed"
    return f"sealed by {signer}" + ("" if known else ", whom this store does not know")


def print_exported(console: Console, exported: Exported) -> None:
    """Where a pack went, and what is in it."""
    left = [f"{exported.erased} erased"] if exported.erased else []
    left += [f"{exported.withheld} withheld"] if exported.withheld else []
    gone = f" ({', '.join(left)})" if left else ""
    say(console, f"{exported.path}: {exported.records} records{gone}, {exported.bytes:,} bytes")
    say(console, f"  pack {exported.pack}", "dim")
    if exported.encrypted:
        say(console, "  encrypted", "dim")
    say(console, f"  {_sealed(exported.signer, True)}", "dim")


def print_inspected(console: Console, name: str, found: PackInspection) -> None:
    """What a pack says of itself; everything of it was checked."""
    manifest = found.manifest
    say(console, f"{name}: {manifest.agent} and {manifest.user}", "bold")
    counts = [f"{manifest.records} records", f"{manifest.payloads} with their payload"]
    counts += [f"{manifest.erased} erased"] if manifest.erased else []
    counts += [f"{manifest.withheld} withheld"] if manifest.withheld else []
    say(console, f"  {', '.join(counts)}; chain, commitments and types are as they should be")
    for line in manifest.lines:
        branches = ", ".join(branch.name for branch in line.branches)
        say(console, f"  {line.length} records to {line.tip.hex()}: {branches}")
    for what, names in (("policies", manifest.policies), ("cards", manifest.blueprints)):
        if names:
            say(console, f"  {what}: {', '.join(names)}")
    say(console, f"  pack {found.pack}", "dim")
    signed = {
        "none": "not signed",
        "right": f"sealed by {found.signer}",
        "wrong": f"sealed by {found.signer}: the signature does not fit",
        "unchecked": _UNCHECKED.format(found.signer),
    }
    say(console, f"  {signed[found.signature]}{', encrypted' if found.encrypted else ''}", "dim")
