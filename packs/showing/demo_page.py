"""What the demo proved as a page to be read: one HTML file, light and dark, that asks for nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files

from enishi.kernel.words.spoken import Language
from enishi.packs.showing.demo_report import LANGUAGES, Chapter, DemoReport, Line, Proof, Told, say

_MARKS = {True: ("held", "✓"), False: ("failed", "✗"), None: ("untried", "–")}
_TAGS: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}


def demo_page(report: DemoReport, picture: str) -> str:
    """The page of a run, with the picture of its timeline (the text of an SVG file) in it."""
    title = f"{report.agent} · {report.user}"
    body = [
        f"<header><h1>{escape(title)}</h1>{_both('p', _words('page'))}",
        _both("p", report.verdict(), "verdict failed" if report.failed else "verdict"),
        f"</header>\n{_picture(picture)}",
        *(_chapter(number, one) for number, one in enumerate(report.chapters, start=1)),
        f"<section>{_both('h2', _words('recalled'))}",
        _both("p", _words("recalled_about", query=report.query), "about"),
        f"<pre>{escape(report.recalled.rstrip())}</pre></section>",
        f"<section>{_both('h2', _words('machines'))}{_both('p', _words('machines_about'), 'about')}",
        f"{_digests(report.digests)}</section>",
        f"<section>{_both('h2', _words('files'))}<table>",
        *(
            f'<tr><th scope="row"><a href="{escape(one.name)}">{escape(one.name)}</a></th>'
            f"<td>{'' if one.bytes is None else f'{one.bytes:,}'}</td>"
            f"<td>{_both('span', one.about)}</td></tr>"
            for one in report.files
        ),
        f"</table></section>\n<footer>{_both('p', _words('made'))}</footer>",
    ]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>\n<style>\n{_style()}\n</style>\n</head>\n<body>",
            *body,
            "</body>\n</html>\n",
        ]
    )


def _chapter(number: int, chapter: Chapter) -> str:
    return "\n".join(
        [
            f'<section id="{chapter.name}"><div class="number">{number}</div>',
            _both("h2", chapter.title),
            _both("p", chapter.about, "about"),
            *([f'<div class="talk">{_talk(chapter.lines)}</div>'] if chapter.lines else []),
            f'<ul class="proofs">{"".join(map(_proof, chapter.proofs))}</ul></section>',
        ]
    )


def _talk(lines: Iterable[Line]) -> str:
    found = []
    for line in lines:
        words = escape(line.words) if line.words is not None else _both("i", _words("erased"))
        side = "agent" if line.ours else "user"
        found.append(f'<p class="{side}"><b>{escape(line.speaker)}</b>{words}</p>')
    return "\n".join(found)


def _proof(proof: Proof) -> str:
    kind, mark = _MARKS[proof.holds]
    found = "".join(
        f'<p class="claim" lang="{_TAGS[language]}">{escape(proof.claim[language])}</p>'
        f'<p class="found" lang="{_TAGS[language]}">{escape(proof.found[language])}</p>'
        for language in LANGUAGES
    )
    return f'<li class="{kind}"><span class="mark">{mark}</span><div>{found}</div></li>\n'


def _digests(digests: dict[str, dict[str, str]]) -> str:
    places = list(digests)
    heads = "".join(f'<th scope="col">{escape(place)}</th>' for place in places)
    rows = []
    for name in digests[places[0]]:
        cells = "".join(f"<td><code>{digests[place][name][:16]}…</code></td>" for place in places)
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return f"<table><tr><th></th>{heads}</tr>\n{''.join(rows)}</table>"


def _picture(picture: str) -> str:
    """The picture as an image of its own, so that its style stays in it."""
    data = b64encode(picture.encode("utf-8")).decode("ascii")
    about = escape(" · ".join(say(language, "picture") for language in LANGUAGES))
    return f'<figure><img alt="{about}" src="data:image/svg+xml;base64,{data}"></figure>'


def _both(tag: str, told: Told, kind: str = "") -> str:
    """Something in each language, one after the other."""
    name = f' class="{kind}"' if kind else ""
    return "".join(
        f'<{tag}{name} lang="{_TAGS[language]}">{escape(told[language])}</{tag}>'
        for language in LANGUAGES
    )


def _words(what: str, **values: object) -> Told:
    return {language: say(language, what, **values) for language in LANGUAGES}


@cache
def _style() -> str:
    return files("enishi.packs.showing").joinpath("demo.css").read_text("utf-8").rstrip()
