"""Porter's stemmer for English words (M. F. Porter, "An algorithm for suffix stripping", 1980).

Written from the paper, with its later departures: "bli" for "abli", "logi", and a y after a vowel
stays; and with the forms that no ending tells ("bought" of "buy"). A stem need be no word; it is the
same for the forms of one word, on every machine.
"""

from __future__ import annotations

import re
from functools import lru_cache

_C = "[^aeiou](?:[^aeiouy])*"  # at the beginning, where y is a consonant
_V = "[aeiouy][aeiou]*"
_MEASURED = re.compile(f"^(?:{_C})?{_V}{_C}")
_TWICE = re.compile(f"^(?:{_C})?{_V}{_C}{_V}{_C}")
_ONCE = re.compile(f"^(?:{_C})?{_V}{_C}(?:{_V})?$")
_VOWEL = re.compile(f"^(?:{_C})?{_V}")
_SHORT = re.compile(f"^{_C}[aeiouy][^aeiouwxyY]$")
_DOUBLED = re.compile(r"([^aeiouylsz])\1$")

_SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_THIRD = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_FOURTH = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


_FORMS = """
arise arose arisen, awake awoke awoken, become became, begin began begun, bend bent, bite bit bitten,
bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt,
buy bought, catch caught, child children, choose chose chosen, come came, creep crept, deal dealt,
dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew flown, foot feet,
forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
get got gotten, give gave given, go went gone, goose geese, grow grew grown, hang hung, hear heard,
hide hid hidden, hold held, keep kept, kneel knelt, knife knives, know knew known, lay laid, lead led,
lean leant, leap leapt, learn learnt, leave left, lend lent, light lit, lose lost, make made, man men,
mean meant, meet met, mouse mice, pay paid, ride rode ridden, ring rang, run ran, say said,
see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shelf shelves,
shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat,
sleep slept, slide slid, smell smelt, speak spoke spoken, spell spelt, spend spent, spill spilt,
spin spun, spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, stick stuck,
sting stung, strike struck, strive strove striven, swear swore sworn, sweep swept, swell swollen,
swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told,
thief thieves, think thought, throw threw thrown, tooth teeth, understand understood,
wake woke woken, wear wore worn, weave wove woven, weep wept, wife wives, win won,
withdraw withdrew withdrawn, wolf wolves, woman women, write wrote written
"""
_PLAIN = {form: word for word, *forms in map(str.split, _FORMS.split(",")) for form in forms}
"""The word that each of these is a form of. What is a word of its own as well ("rose", "lives") is left
out."""


def _longest_first(endings: object) -> re.Pattern[str]:
    ordered = sorted(endings, key=lambda ending: -len(ending))  # type: ignore[call-overload]
    return re.compile(f"^(.+?)({'|'.join(ordered)})$")


_SECOND_ENDS, _THIRD_ENDS = _longest_first(_SECOND), _longest_first(_THIRD)
_FOURTH_ENDS = _longest_first((*_FOURTH, "(?<=[st])ion"))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of an English word in small ASCII letters."""
    word = _PLAIN.get(word, word)
    if len(word) < 3:
        return word
    # A y after a consonant is a vowel; elsewhere it is none, and is written Y.
    word = re.sub("^y|(?<=[aeiou])y", "Y", word)
    return _last(_derived(_inflected(word))).lower()


def _inflected(word: str) -> str:
    """Plurals, -ed and -ing, and y after a vowel."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _MEASURED.match(word[:-3]):
            word = word[:-1]
    elif (found := re.match("^(.+?)(?:ed|ing)$", word)) and _VOWEL.match(found[1]):
        word = found[1]
        if word.endswith(("at", "bl", "iz")) or (_ONCE.match(word) and _SHORT.match(word)):
            word += "e"
        elif _DOUBLED.search(word):
            word = word[:-1]
    if word.endswith("y") and _VOWEL.match(word[:-1]):
        word = f"{word[:-1]}i"
    return word


def _derived(word: str) -> str:
    """What was made of a word by -ation, -ness, -ment and the like."""
    for ends, become in ((_SECOND_ENDS, _SECOND), (_THIRD_ENDS, _THIRD)):
        if (found := ends.match(word)) and _MEASURED.match(found[1]):
            word = found[1] + become[found[2]]
    if (found := _FOURTH_ENDS.match(word)) and _TWICE.match(found[1]):
        word = found[1]
    return word


def _last(word: str) -> str:
    """A final e, and a final double l."""
    if word.endswith("e"):
        root = word[:-1]
        if _TWICE.match(root) or (_ONCE.match(root) and not _SHORT.match(root)):
            word = root
    if word.endswith("ll") and _TWICE.match(word):
        word = word[:-1]
    return word
