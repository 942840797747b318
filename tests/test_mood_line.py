"""The line on a mood: it colours the tone, never tells what was seen, and is silent at rest."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.packs.showing.mood_line import LANGUAGES, mood_line
from enishi.projections.mood import FEELINGS, Feelings, MoodView

WORDS = tomllib.loads((files("enishi.packs.showing") / "mood_line.toml").read_text("utf-8"))
REST = Feelings(valence=0.0, arousal=0.3, fatigue=0.2, confidence=0.5)
SOME, MUCH = WORDS["some"] / 10_000, WORDS["much"] / 10_000


def view(party: Any = "user", rest: Feelings = REST, mixed: float = 0, **felt: float) -> MoodView:
    values = {name: felt.get(name, getattr(rest, name)) for name in FEELINGS}
    return MoodView(party=party, at=None, mixed=mixed, baseline=rest, observed=None, **values)


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_rest_nothing_is_said(language: str) -> None:
    assert mood_line(view(), language) == ""
    cheerful = Feelings(valence=0.5, arousal=0.6, fatigue=0.0, confidence=0.9)
    assert mood_line(view(rest=cheerful), language) == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", FEELINGS)
@pytest.mark.parametrize("side", ["above", "below"])
def test_every_word_is_said_where_it_fits(language: str, name: str, side: str) -> None:
    words = WORDS[language][side][name]
    sign = 1 if side == "above" else -1
    rest = Feelings(**dict.fromkeys(FEELINGS, 0.5))
    for away, word in ((SOME, words[0]), (MUCH, words[-1])):
        line = mood_line(view(rest=rest, **{name: 0.5 + sign * away}), language)
        assert word in line
    assert mood_line(view(rest=rest, **{name: 0.5 + sign * (SOME - 0.001)}), language) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_mixed_feelings_are_said_instead_of_good_or_bad_ones(language: str) -> None:
    line = mood_line(view(mixed=0.45, valence=-0.3), language)
    assert WORDS[language]["above"]["mixed"][1] in line
    assert all(word not in line for word in WORDS[language]["below"]["valence"])


def test_the_line_in_both_languages() -> None:
    tired = {"valence": -0.6, "fatigue": 0.8}
    assert mood_line(view(**tired)) == (
        "For your tone only: the user is very low, worn out. Let it colour how you speak and never "
        "what you speak of. Never mention it, and never let on that you noticed."
    )
    assert mood_line(view("agent", **tired), "zh") == (
        "仅供语气参考：你自己现在情绪很低落、疲惫不堪。只让它影响你怎么说，不影响你说什么；"
        "不要提起它，也不要让对方察觉你注意到了。"
    )


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LANGUAGES), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_line_has_no_figures_and_always_its_rule(
    language: str, valence: float, arousal: float, mixed: float
) -> None:
    line = mood_line(view(valence=valence, arousal=arousal, mixed=mixed), language)
    assert not any(mark.isdigit() for mark in line) and "\n" not in line
    rule = {"en": "Never mention it", "zh": "不要提起它"}[language]
    assert line == "" or rule in line
