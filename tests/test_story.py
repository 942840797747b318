"""The demo from end to end: what it proves is measured, what it leaves behind is whole, and what is
not so is not proved."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers import Shell

import enishi
from enishi.host.demo import ELSEWHERE, HOME, PACK, REPORTS, TEXTS, play_demo
from enishi.host.forgetting import Forgetting
from enishi.packs.showing import demo_report
from enishi.packs.showing.demo_page import demo_page
from enishi.packs.showing.demo_report import LANGUAGES, DemoReport

MADE = {HOME, ELSEWHERE, PACK, *TEXTS, *REPORTS}
ERASED = "failed the bar exam"
VOID = ("meta", "img", "br", "link")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("story")


@pytest.fixture(scope="module")
def report(folder: Path) -> DemoReport:
    return play_demo(folder)


def test_everything_that_is_promised_holds(report: DemoReport) -> None:
    assert report.failed == [] and len(report.proofs) >= 25
    assert all(proof.holds is not None for proof in report.proofs)
    assert report.verdict()["en"] == f"{len(report.proofs)} of {len(report.proofs)} held"
    assert report.digests["Shanghai"] == report.digests["Los Angeles"]


def test_its_words_say_what_was_measured_in_both_languages(report: DemoReport) -> None:
    for proof in report.proofs:
        for language in LANGUAGES:
            assert proof.claim[language] and "{" not in proof.found[language]
        numbers = [re.findall(r"\d[\d,.]*\d|\d", proof.found[language]) for language in LANGUAGES]
        assert sorted(numbers[0]) == sorted(numbers[1]), proof


def test_what_it_leaves_behind_is_whole(report: DemoReport, folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == MADE == {one.name for one in report.files}
    for name in (HOME, ELSEWHERE):
        with enishi.open(folder / name) as store:
            for bond in store.relationships():
                assert bond.verify().ok and bond.digests() == bond.replay()
    assert all(ERASED.encode() not in path.read_bytes() for path in folder.iterdir())
    assert "第一场雪" in (folder / "recall.md").read_text("utf-8")
    assert "# Lumi · Chen" in (folder / "memoir.md").read_text("utf-8")


def test_the_report_for_machines_has_all_of_it(report: DemoReport, folder: Path) -> None:
    found = json.loads((folder / "report.json").read_text("utf-8"))
    proofs = [proof for chapter in found["chapters"] for proof in chapter["proofs"]]
    assert [one["name"] for one in proofs] == [one.name for one in report.proofs]
    assert all(one["holds"] is True and one["measured"] for one in proofs)
    assert found["digests"] == report.digests and found["verdict"] == report.verdict()


class _Page(HTMLParser):
    """Which elements a page has, whether each is closed, and what it would ask the network for."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.asked: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.open += [] if tag in VOID else [tag]
        self.asked += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_is_whole_bilingual_and_asks_for_nothing(report: DemoReport, folder: Path) -> None:
    text = (folder / "report.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert page.open == [] and "script" not in page.seen
    assert all(one.startswith("data:image/svg+xml") or one in MADE for one in page.asked)
    assert not re.search(r"url\(|@import|https?://", text)
    assert "prefers-color-scheme: dark" in text
    for proof in report.proofs:
        for language in LANGUAGES:
            assert proof.claim[language] in page.words and proof.found[language] in page.words


def test_what_was_said_cannot_become_part_of_the_page(report: DemoReport) -> None:
    evil = "<script>alert(1)</script>&\"'"
    page = demo_page(replace(report, agent=evil, query=evil, recalled=evil), f"<svg>{evil}</svg>")
    assert "<script" not in page


def test_the_command_tells_it_and_leaves_nothing_half(shell: Shell, tmp_path: Path) -> None:
    found = shell.ok("demo", tmp_path / "one")
    last = found.splitlines()[-4:]
    assert last[0].endswith(" held") and last[-1].endswith("enishi import CHAT")
    assert {path.name for path in (tmp_path / "one").iterdir()} == MADE
    assert shell.json("list", "--store", tmp_path / "one" / HOME)
    before = {path: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert "is there already" in shell.refused("demo", tmp_path / "one")
    assert {path: path.read_bytes() for path in (tmp_path / "one").iterdir()} == before


def test_each_run_comes_to_the_same(report: DemoReport, shell: Shell, tmp_path: Path) -> None:
    found = shell.json("demo", tmp_path / "again", "--keyed")
    assert found["digests"] == report.digests
    assert found["store"] == str(tmp_path / "again" / HOME)
    with enishi.open(found["store"]) as store:
        assert store.keyed


def test_without_extras_it_says_what_it_could_not_try(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyrage", "cryptography"):
        monkeypatch.setitem(sys.modules, name, None)
    told = shell.ok("demo", tmp_path / "bare")
    assert "1 not tried here: pip install 'enishi[crypto]'" in told


def test_what_is_not_so_is_not_proved(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where erasing destroys nothing, all that it promises is told as false, and nothing else is."""

    class Nothing:
        erased = 0

    monkeypatch.setattr(Forgetting, "erase", lambda *about, **how: Nothing())
    ran = shell.run("demo", tmp_path / "broken")
    names = "words_gone, effects_gone, forgotten, apart, clean"
    assert (ran.status, ran.err) == (1, f"enishi: not everything held: {names}\n")
    assert "✗ The words are gone from every byte" in ran.out
    page = (tmp_path / "broken" / "report.html").read_text("utf-8")
    assert page.count('<li class="failed">') == 5 and names in page


def test_words_for_a_proof_that_was_not_made_are_a_fault() -> None:
    with pytest.raises(KeyError):
        demo_report.told({}, {})
