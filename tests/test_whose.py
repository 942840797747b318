"""Whom words speak of: the one who says them, or somebody else."""

from __future__ import annotations

import time

import pytest

from enishi.kernel.words.carried import Said
from enishi.kernel.words.vocabulary import own_keys, published_keys
from enishi.kernel.words.whose import of_somebody_else


def judged(text: str, value: str) -> bool:
    """Of the words between the square brackets, said by one who is called Chen."""
    start, end = text.index("["), text.index("]") - 1
    said = Said(text.replace("[", "").replace("]", ""), start, end, None)
    return of_somebody_else(said, value, ("Chen", "陈晨"))


OTHERS = [
    ("[Greta told me she is vegetarian].", "vegetarian"),
    ("Greta told me [she is vegetarian].", "vegetarian"),
    ("Greta told me she [is vegetarian].", "vegetarian"),
    ("[My brother is allergic to nuts].", "nuts"),
    ("[My best friend Tom lives in Paris].", "Paris"),
    ("I live in Rome and [she lives in Paris].", "Paris"),
    ("[My son is five].", "5"),
    ("[My dad's name is Bob].", 'Bob'),
    ("I think [my mother is from Rome].", "Rome"),
    ("[Greta is vegetarian].", "vegetarian"),
    ("[Tom works as a nurse].", "nurse"),
    ("[greta is vegetarian].", "vegetarian"),
    ("yes, [my friend said that giulia lives in Rome].", "Rome"),
    ("I heard [he lives in Paris].", "Paris"),
    ("He said [he hates tea].", "tea"),
    ("[My dog loves beef].", "beef"),
    ("[my sister also works at Google].", "Google"),
    ("[They live in Berlin].", "Berlin"),
    ("格蕾塔说[她吃素]，从小就这样。", "吃素"),
    ("[我妈妈对花生过敏]。", "花生"),
    ("[我女儿五岁了]。", "5"),
    ("[我老公是医生]。", "医生"),
    ("听说[他住在北京]。", "北京"),
    ("[小王对花生过敏]。", "花生"),
    ("[我女朋友是上海人]。", "上海"),
    ("他说[他讨厌香菜]。", "香菜"),
    ("[她今年三十岁]。", "30"),
    ("[我的朋友住在杭州]。", "杭州"),
]  # fmt: skip
OWN = [
    ("[I am vegetarian].", "vegetarian"),
    ("She knows [that I live in Paris].", "Paris"),
    ("[She made me love tea].", "tea"),
    ("My mother says she misses Paris, but [I live in Rome].", "Rome"),
    ("[My friends call me Al].", "Al"),
    ("[I love how she sings].", "how she sings"),
    ("[My sister and I live in Paris].", "Paris"),
    ("[I live in Paris, she said].", "Paris"),
    ("[Tea, which she hates, is what I love].", "tea"),
    ("[I love my mother's cooking].", "my mother's cooking"),
    ("[I love the food my mother makes, dumplings].", "dumplings"),
    ("[Paris is home].", "Paris"),
    ("[Chen lives in Paris].", "Paris"),
    ("[chen lives in Paris].", "Paris"),
    ("mark my words, [i live in Paris].", "Paris"),
    ("[Vegetarian, by the way].", "vegetarian"),
    ("[I work at the school where my wife teaches].", "the school where my wife teaches"),
    ("Mom, [I'm allergic to nuts].", 'nuts'),
    ("[My name is Tom].", "Tom"),
    ("[My job is teaching].", "teaching"),
    ("[My favourite food is ramen].", "ramen"),
    ("[My birthday is May 3].", "May 3"),
    ("[我吃素]。", "吃素"),
    ("她知道[我住在巴黎]。", "巴黎"),
    ("[我喜欢我妈妈做的饺子]。", "饺子"),
    ("[我和她住在巴黎]。", "巴黎"),
    ("[我朋友都叫我小陈]。", "小陈"),
    ("[陈晨住在上海]。", "上海"),
    ("[我家住北京]。", "北京"),
    ("妈妈，[我对花生过敏]。", "花生"),
    ("[我的名字叫小明]。", "小明"),
    ("[住在上海]，挺好的。", "上海"),
    ("[我嫁给她以后住在巴黎]。", "巴黎"),
    ("她说得对，[我讨厌香菜]。", "香菜"),
    ("[我最喜欢的歌手是周杰伦]。", "周杰伦"),
    ("[老家在成都]。", "成都"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), OTHERS)
def test_another_subject_is_somebody_else(text: str, value: str) -> None:
    assert judged(text, value)


@pytest.mark.parametrize(("text", "value"), OWN)
def test_who_speaks_of_himself_is_meant_whoever_is_mentioned(text: str, value: str) -> None:
    assert not judged(text, value)


def test_the_keys_of_ones_own_person_are_published() -> None:
    assert own_keys() < published_keys().keys()
    assert not own_keys() & {
        "partner",
        "child",
        "friend",
        "pet",
        "event",
        "believes",
        "feels_about",
    }


@pytest.mark.parametrize(
    "unit", ["she is ", "my sister ", "and he, ", "Tom says ", "她说", "我妈妈，"]
)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    text = unit * (20_000 // len(unit)) + "tea"
    begun = time.process_time()
    of_somebody_else(Said(text, len(text) - 3, len(text), None), "tea")
    assert time.process_time() - begun < 2
