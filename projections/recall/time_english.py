"""Said times in English: the words of `times.toml`, and the rules that put them together."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any

from enishi.kernel.words.numerals import number_of
from enishi.kernel.words.said_days import MONTH, WEEKDAY
from enishi.projections.recall.time_grammar import Rule, Token, before, rule, since
from enishi.projections.recall.time_makers import (
    STEP,
    as_date,
    bare_weekend,
    date,
    day_ago,
    day_word,
    decade_named,
    earlier_or_later,
    from_day,
    from_now,
    holiday,
    lasting,
    next_but_one,
    next_date,
    next_holiday,
    numeric_month,
    on_weekday,
    part_of_now,
    same,
    several,
    short_year,
    some_units,
    stepped,
    to_date,
    weekday_which,
    within,
)
from enishi.projections.recall.time_numbers import (
    and_half,
    clock_beside,
    clock_of_part,
    early_or_late,
    half,
    joined,
    length,
    o_clock,
    spelled,
    spelled_clock,
    spelled_long_year,
    spelled_ordinal,
    spelled_year,
)
from enishi.projections.recall.time_spans import Clock, Day, day_span, unit_span
from enishi.projections.recall.time_within import (
    day_in_month,
    days_in_month,
    days_of_month,
    hours,
    month_in_year,
    nth_week,
    nth_weekday_in,
    numbered_week,
    ordinal_unit,
    part,
    portion,
    portion_of_unit,
    quarter,
    said_range,
    said_season,
    timed,
    unit_beside,
    until_clock,
    week_with,
    weekday_before,
    weekday_in,
    weekdays_in,
)
from enishi.projections.recall.time_words import LEAF, hours_of_parts, leaf_token, words_of

_ORDINALS = {word: n for n, word in enumerate(
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"], start=1
)} | {"thirtieth": 30}  # fmt: skip
_DECADES = [
    "twenties",
    "thirties",
    "forties",
    "fifties",
    "sixties",
    "seventies",
    "eighties",
    "nineties",
]
_NUMBERS = {"couple": 2, "few": 3, "several": 4, "dozen": 12}
_SHORT = {name[:3]: n for name, n in WEEKDAY.items()} | {
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}


@cache
def _words() -> tuple[dict[str, tuple[str, Any]], re.Pattern[str]]:
    """All words, and a pattern of those that are phrases."""
    words = dict(words_of("english"))
    words |= {word: ("m", number) for word, number in MONTH.items()}
    words |= {word: ("w", number) for word, number in WEEKDAY.items()}
    words |= {word: ("v", number) for word, number in _SHORT.items()}
    words |= {word: ("o", number) for word, number in _ORDINALS.items()}
    words |= {word: ("n", number) for word, number in _NUMBERS.items()}
    words["o'clock"] = ("C", None)
    words |= {
        word: ("T", Clock(12 * 3600, "minute", True)) for word in ("noon", "midday", "12 noon")
    }
    words["midnight"] = ("T", Clock(0, "minute", True))
    words |= {word: ("G", tens) for tens, word in zip(range(20, 100, 10), _DECADES, strict=True)}
    words |= {word: ("e", parts) for word, parts in (("am", (8, 12)), ("pm", (12, 16)))}
    phrases = (word for word in sorted(words, key=len, reverse=True) if not word.isalpha())
    pattern = "|".join(re.escape(word).replace(r"\ ", " +") for word in phrases)
    return words, re.compile(f"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])", re.ASCII)


def numbered_day(tokens: list[Token], now: datetime) -> Day | None:
    """On the 27th; "for the first" needs more to be a day."""
    return as_date(tokens[0]).value if tokens[0].end - tokens[0].start <= 4 else None


def clear_month(tokens: list[Token], now: datetime) -> Day | None:
    """A month by itself whose name is no other word, nor that of a person."""
    month, length = tokens[0].value, tokens[0].end - tokens[0].start
    return Day(None, month) if length > 3 and month not in (3, 4, 5, 6, 8) else None


def english_tokens(text: str) -> list[Token]:
    """The tokens of a text; words that say no time are of kind x."""
    words, phrases = _words()
    lowered = "".join(c.lower() if c.isascii() else c for c in text).replace("’", "'")
    tokens: list[Token] = []
    at = 0
    while (leaf := LEAF.search(lowered, at)) is not None:
        start, at = leaf.span()
        if leaf["word"] or lowered[start] == "'":
            phrase = phrases.match(lowered, start)
            if phrase is not None:
                at = phrase.end()
            tokens.append(_word(lowered[start:at], text, start, at, words))
            if tokens[-1].kind in "mv" and lowered[at : at + 1] == ".":
                at += 1
        elif tokens and lowered[tokens[-1].end : start].count("\n"):
            tokens.append(Token("x", start, start))
            tokens.append(leaf_token(leaf))
        else:
            tokens.append(leaf_token(leaf))
    return tokens


def _word(word: str, text: str, start: int, end: int, words: dict[str, tuple[str, Any]]) -> Token:
    word = " ".join(word.split())
    known = words.get(word)
    if known is None and word.endswith("'s"):
        word, end = word[:-2], end - 2
        known = words.get(word)
    if known is None:
        return Token("x" if number_of(word) is None else "g", start, end, word)
    kind, value = known
    if kind == "v" and not text[start].isupper():
        return Token("x", start, end)
    return Token(kind, start, end, value)


X = "[RDwM]"
ENGLISH: tuple[Rule, ...] = (
    rule("r", "R", day_word(hours_of_parts())),
    rule("g-?o", "o", spelled_ordinal),
    rule("g(?:&?-?g)+", "Y", spelled_long_year),
    rule("g-?g(?:-?g)?", "Y", spelled_year),
    rule("(?<=[@RwDP])g-?g(?:-?g)?", "T", spelled_clock),
    rule("g(?:&?-?g)*", "n", spelled),
    rule("nC", "T", o_clock),
    rule("E-?P", "P", early_or_late),
    rule("h<n|c?u[<t]n|nu?[<t](?=n)n", "T", clock_beside),
    rule("nO?u|nc?hu", "L", length),
    rule("[nc]u&ch|n&chu", "L", and_half),
    rule("chu|hc?u|h(?=u)u", "L", half),
    rule("cu(?!O[dDo])|(?<=[ib<>])d?u(?=F)", "L", length),
    rule("L(?:&?,?L)+", "L", joined),
    rule("Hd?O?Y|H,Y", "D", holiday),
    rule("[<>]H", "R", next_holiday),
    rule("H", "D", holiday),
    rule("d?E?d?G(?<=dG)", "R", lambda tokens, now: decade_named(tokens[-1:], now)),
    # dates
    rule("M,?Y", "D", lambda tokens, now: tokens[0].value._replace(year=tokens[1].value)),
    rule("[wv],?D", "D", lambda tokens, now: tokens[1].value if isinstance(tokens[1].value, Day) else None),
    rule("m,?d?[no],?(?:O|i)?Y", "D", date("mdy")),
    rule("d?[no]O?m(?:,|O|i)*Y", "D", date("dmy")),
    rule("[no]O?mOn", "D", short_year),
    rule("d?[no]Od?m", "D", date("dm")),
    rule("m,?d?[no](?![0-9u])(?!-[no]m)", "D", date("md")),
    rule("[no]m", "D", date("dm")),
    rule("Y,m|Y/m|m/Y", "D", lambda tokens, now: Day(*sorted((token.value for token in tokens), reverse=True))),
    rule("n[/-]Y|Y/n", "D", numeric_month),
    rule("m,?[Oi]?d?Y|Y-?m", "D", lambda tokens, now: Day(*sorted((token.value for token in tokens), reverse=True)) if max(token.value for token in tokens) > 31 else None),
    rule("D,?[wv](?!O)", "D", lambda tokens, now: tokens[0].value),
    rule("[wv],?@?D", "D", lambda tokens, now: tokens[1].value),
    rule("[wv],?d?o", "R", on_weekday),
    rule("do(?=[=<>]u)[=<>]u", "R", lambda tokens, now: day_span(unit_span(tokens[2].value, now, STEP[tokens[1].kind]).start.replace(day=tokens[0].value)) if tokens[2].value == "month" else None),
    rule("[wv],?M", "D", lambda tokens, now: tokens[1].value),
    rule("[wv],?K", "D", lambda tokens, now: tokens[1].value[0]),
    rule("(?<![RDwv]@)(?<=@)K(?!d?[RDwvP])|(?<=s)K", "D", lambda tokens, now: tokens[0].value[0]),
    rule("[<>=][wv],?(?=[DM])[DM]", "D", lambda tokens, now: tokens[2].value),
    rule("[<>=]d?[DMm](?![no-])", "R", next_date),
    rule("uB<|uA>", "R", next_but_one),
    rule("=<u", "R", lambda tokens, now: stepped(tokens[1:], now)),
    rule("d?o(?=uO?d?Y)u(?=O?d?Y)O?d?Y", "R", lambda tokens, now: nth_week([*tokens[:-1], as_date(tokens[-1])], now)),
    rule("[<>=]u(?=w|o-?u)|(?<=b)[<>=]u", "R", stepped),
    # quarters, seasons, numbered weeks, centuries
    rule("Y-?Q|Q,?-?Y|Q", "R", quarter),
    rule("d?ouO?d?(?=[RY])[RY]", "R", lambda tokens, now: nth_week([*tokens[:-1], as_date(tokens[-1])], now)),
    rule("[RY]O?o-?u", "R", lambda tokens, now: nth_week([tokens[1], tokens[2], as_date(tokens[0])], now)),
    rule("d?o-?u(?!O)", "R", ordinal_unit),
    # seen from now
    rule("d?[<>]d?L|d?L[<>](?![uwvPmDyMH])", "R", some_units),
    rule("d?n[<>]u", "R", lambda tokens, now: several(tokens[1].kind, ((tokens[0].value, tokens[2].value),), now)),
    rule("d?[<>=]u(?!O)", "R", stepped),
    rule("d?<[wv](?:O|i)d?(?:m,?Y|[mRDM])", "R", nth_weekday_in),
    rule("[<>=][wv]", "R", weekday_which),
    rule("[<>=]P", "R", part_of_now),
    rule("d?uU", "R", to_date),
    rule("f?d?[mYRD]U", "R", lambda tokens, now: since(as_date(tokens[0]), now)),
    rule("(?<![cVnRu])d?u(?![nYUO])", "R", bare_weekend),
    rule("[fb]?N[&t]T", "R", until_clock),
    rule("@Lf[RD]", "R", lambda tokens, now: lasting([tokens[0], as_date(tokens[1])], now)),
    rule("[<>=]y|yO?d?Y|y,?R|y(?=O[<>=])", "R", said_season),
    rule("(?<=[id])y(?!O)", "R", lambda tokens, now: said_season([Token("=", 0, 0), *tokens], now)),
    rule("LaR", "R", day_ago),
    rule("La", "R", from_now(-1)),
    rule("LF", "R", from_now(1)),
    rule("LE", "R", earlier_or_later),
    rule("(?:i|@i)L(?![saf<>])", "R", from_now(1)),
    rule("L[B]d?[RDw]", "R", from_day(-1)),
    rule("JL(?:FN|fN|f?R)?", "R", within),
    rule("@?Lj[RDm]|@Lf[RD]", "R", lambda tokens, now: lasting([tokens[0], as_date(tokens[1])], now)),
    rule("L(?:A|f|s)d?(?!N)[RDwm]", "R", from_day(1)),
    # within another
    rule("d?o[wv](?:O|i)?d?[RDm]", "R", lambda tokens, now: nth_weekday_in([*tokens[:-1], as_date(tokens[-1])], now)),
    rule("d?uB(?:[DR]|$|x)(?<!x)|d?uB(?=x|$)", "R", unit_beside(-1)),
    rule("d?[wv]Bd?D", "R", weekday_before),
    rule("d?uA[DR]", "R", unit_beside(1)),
    rule("[fb]?d?[no][t&-]d?[no](?:O|i)?R", "R", days_in_month),
    rule("d?[no]O?R", "R", day_in_month),
    rule("mO?R", "D", month_in_year),
    rule("Rb?f?[wv][t&-][wv]", "R", weekdays_in),
    rule("[fb]?[wv][t&-][wv](?:O|i)?R", "R", weekdays_in),
    rule("d?uj@?d?D", "R", week_with),
    rule("@d[o](?!u)", "D", numbered_day),
    rule("T@d?[no](?![0-9u])", "R", lambda tokens, now: timed([tokens[0], as_date(tokens[1])], now) if tokens[1].kind == "o" else timed([tokens[0], Token("D", 0, 0, Day(None, None, tokens[1].value))], now)),
    rule("d?o@T", "R", lambda tokens, now: timed([as_date(tokens[0]), tokens[1]], now)),
    rule("D,?e", "R", lambda tokens, now: part([tokens[0], tokens[1]._replace(kind="P")], now)),
    rule("mb[no]&[no]", "R", days_of_month),
    rule("[wv]O?R", "R", weekday_in),
    rule("R[wv]", "R", weekday_in),
    rule("d?[o<]u(?:O|i)?d?[RDm]", "R", lambda tokens, now: nth_week([*tokens[:-1], as_date(tokens[-1])], now)),
    rule("d?[o<]uOd?Y", "R", lambda tokens, now: nth_week([*tokens[:-1], as_date(tokens[-1])], now)),
    rule("d?uOd?[oDR]", "R", week_with),
    rule("unO?d?[YR]|un", "R", numbered_week),
    rule("d?E-?O?d?[RDmY]", "R", lambda tokens, now: portion([tokens[0], as_date(tokens[1])], now)),
    rule("d?E(?:i|O)?d?u", "R", portion_of_unit),
    # of a day
    rule("[Tn](?:i|@|O|id|@d)+P", "T", clock_of_part),
    rule(f"{X}(?:@|i|d|,|f)*P|[v](?:@|i|d|,)*P", "R", part),
    rule(f"P(?:O|@|d|,)*{X}", "R", part),
    rule(f"(?:{X}|v)(?:@|,|f|b|-|i)*[TnK][t&-][TnK]", "R", hours),
    rule(f"[fb]?@?[TnK][t&-][TnK](?:O|@|,|d)*{X}", "R", hours),
    rule(f"@?[TK](?:O|@|,|d|i)*{X}", "R", timed),
    rule(f"(?:{X}|v)(?:@|,|-|i|A)*[T]", "R", timed),
    rule(f"(?:{X}|v)@+[nK](?![u/])", "R", timed),
    rule("(?<=[@sfBAi&tbO-])M|M(?=[t&-])|^M$", "D", same),
    # from one to another
    rule("f?m?d?(?<=m)[no][t-]d?[no],?Y?|[fb]?d?[no][t&-]d?[no]O?m,?Y?", "R", days_of_month),
    rule("[fb]?d?D(?:t|-)d?o", "R", days_of_month),
    rule("D-[no](?!u),?Y?", "R", days_of_month),
    rule("[fb]?@?d?[no][t-]d?D", "R", days_of_month),
    rule("(?:f|b)d?[mYRDwo](?:t|-|&)f?d?[mYRDwoN]", "R", said_range),
    rule("[YRDw](?:t|-)d?[YRDwN]|m(?:t|-)d?[mRDN]|[RDw](?:t|-)m", "R", said_range),
    # months and years by themselves
    rule("(?<=[isfOBA])m(?![no])", "D", same),
    rule("(?<=u)Y|(?<=uO)Y", "D", same),
    rule("(?<=[isfOBA])Y(?!-Y|tY)", "D", same),
    rule("(?<=@)v(?![u])", "w", same),
    rule("d?uO[m]", "D", lambda tokens, now: Day(None, tokens[1].value) if tokens[0].value == "month" else None),
    rule("d?uO?Y", "D", lambda tokens, now: Day(tokens[1].value) if tokens[0].value == "year" else None),
    rule("m", "D", clear_month),
    # open at one side
    rule("sd?[RDw](?!t)", "R", lambda tokens, now: since(tokens[0], now)),
    rule("[RDw]&A", "R", lambda tokens, now: since(tokens[0], now)),
    rule("Ad?[RDw]", "R", lambda tokens, now: since(tokens[0], now, after=True)),
    rule("Bd?[RDw]", "R", lambda tokens, now: before(tokens[0], now)),
)  # fmt: skip
