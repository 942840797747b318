"""Whether words ask, or say that nothing is known: neither is evidence of what they speak of. And
whether they ask for a time, or speak of one.

In English, Chinese, Japanese and Korean, by how a sentence ends; without a mark, in English also by how
it begins. Who asks in other words is taken to tell. Patterns are written as `folded` has the words: in
simplified characters, Japanese ones too.
"""

from __future__ import annotations

import re

from enishi.kernel.words.sentences import sentences
from enishi.projections.recall.words import folded

_MARKED = ("?", "吗", "呢")
_AROUND = " \t\n*_~\"'”’」』)）】"

_ENDS = re.compile(
    # "没什么" and "不怎么样" are answers, "去了几次" tells.
    r"(?:(?<![没无])(?:什么|啥|多[少大久])|(?<!不)怎么样|谁|哪[里儿个位天年些家种]?|几[点岁号]|[期周]几|怎么办|怎样"
    r"|为什么|干嘛)(?:名字|时候|钱|来着|意思|人|事|了|的|呀|啊|呐)*$"
    r"|(?:です|ます|でした|ました|ません|でしょう|だろう|の|ない|た|る|だ)(?:か|っけ|かな|かしら)$"
    r"|(?:何|なに|なん|だれ|谁|どこ|いつ|いくつ|いくら|どう)(?:だ|の|って|だった)?$"
    r"|(?:[습입합됩갑옵]니까|나요|[은는인]가요|까요|을까)$"
    r"|(?:뭐|뭘|무엇|무슨|누구|어디|언제|몇|왜|어떻게|어떤)[^.!]{0,10}(?:야|예요|에요|지|죠|요|니|냐|나|까|더라)$"
)
_BEGINS = re.compile(
    r"(?:(?:so|and|but|well|hey|oh|ok|okay|btw|hm+),? )*(?:"
    r"(?:what|who|whose|where|when|which|why|how)(?:(?:'s|'re) |(?: (?:is|are|am|was|were|do|does|did|can|could"
    r"|should|would|will|has|have|had|many|much|old|long|far|often)(?![a-z'])))"
    r"|(?:do|does|did|have|has|had) (?:you|i|we|he|she|they)(?![a-z'])|(?:does|did) (?:it|my|your|the|this|that)(?![a-z'])"
    r"|(?:is|are|was|were|can|could|should|would|will) (?:you|i|we|he|she|they|it|my|your|the|there|this|that)(?![a-z'])"
    r")|(?:什么时候|谁|哪[里儿个位]|为什么|怎么|是不是|有没有|[你您]还?记得|还记得|记不记得|[你您](?:还)?知道|知不知道)"
)
_KNOWS_NOTHING = re.compile(
    r"(?<![a-z])(?:(?:do not|don't|dont|cannot|can't) (?:remember|recall|know (?:of|about|if|whether))"
    r"|(?:do not|don't|dont|wouldn't|would not) know(?: (?:that|it|yet|either|sorry|really))*(?=[ .,!]*$)"
    r"|no idea(?=[ .,!]*$)"
    r"|no (?:record|memory|recollection)|(?:have not|haven't|never|not sure|don't think|don't believe)(?: (?:that )?you(?:'ve| have)?)? (?:ever )?(?:told|mentioned|said)(?! any(?:one|body)))(?![a-z])"
)
_KNOWS_NOTHING_WIDE = re.compile(
    r"不记得|记不得|想不起|没(?:有)?(?:记录|印象)|没(?:有)?(?:跟我|和我|对我)?(?:提|说|告诉我|讲)过"
    r"|没(?:有)?(?:告诉过?我|跟我说)|没听(?:你)?(?:说|提|讲)(?:过|起)|(?:^|我|也|真|还|并|,|，)(?:不知道|不清楚|不晓得)(?:了|啊|呀|呢|哦|欸|耶)?[。.!~，, ]*$"
    r"|(?:分かり|わかり|知り|覚えてい|闻いてい)ません(?:でした)?(?:ね|よ)?[。.!、 ]*$|(?:分から|わから|知ら|覚えてい?|闻いてい?)ない(?:です|な|よ|ね)*[。.!、 ]*$"
    r"|闻いたことが?(?:ない|ありません)"
    r"|(?:몰라|모르겠|모릅니다|모르네|기억(?:이|은)? ?(?:안 ?나|나지 않|없)|들은 적(?:이|은)? ?없)[^.!]{0,6}[.! ]*$"
)
_MUTTERED = re.compile(
    r"(?:hm+|mm+|oh|ah|uh|um|er+|wow|i see|let me think|哦+|噢+|呃+|唔+|咦|诶|へえ?|ふうん|ふーん|ええと|うーん|음+|아+|글쎄요?)?"
    r"[.…!~。、,， ]*"
)
_WHEN = re.compile(
    r"(?<![a-z])when (?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?![a-z])"
    r"|(?<![a-z])(?:how (?:long|soon)|since when|(?:what|which) (?:day|date|week|weekend|month|season|year|time))(?![a-z])"
    r"|什么时候|何时|几时|多久|多长时间|哪一?[年月周天日]|几[月号点]|(?:周|星期|礼拜)几|いつ|何[年月日曜时]|언제|며칠|몇 ?[년월일시]"
)
_TIMES = frozenset(
    [
        "yesterday",
        "today",
        "tonight",
        "tomorrow",
        "ago",
        "last",
        "next",
        "since",
        "recently",
        "lately",
        "soon",
        "day",
        "days",
        "week",
        "weeks",
        "weekend",
        "month",
        "months",
        "year",
        "years",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_TIMES_ELSE = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|[昨今明前后]天|昨晚|今晚|[去今明前]年|[上下本这]个?(?:周|月|星期|礼拜)|刚|最近|近来|以来|自从"
    r"|[\d一二两三四五六七八九十几多](?:天|周|个月|月|年|号|日|点)|昨日|今日|明日|先[周月]|去年|어제|오늘|내일|지난|다음 ?[주달]"
)
_WORD = re.compile("[a-z]+")


def asks_when(words: str) -> bool:
    """Whether a text asks for a time."""
    return bool(_WHEN.search(folded(words)))


def tells_when(words: str) -> bool:
    """Whether a text speaks of a time, however loosely."""
    plain = folded(words)
    return not _TIMES.isdisjoint(_WORD.findall(plain)) or bool(_TIMES_ELSE.search(plain))


def asks(words: str) -> bool:
    """Whether a text ends with a question."""
    plain = folded(words[-400:].rstrip(_AROUND))
    if plain.endswith(_MARKED):
        return True
    *_, (start, end) = (0, 0), *sentences(plain)
    last = plain[start:end].strip()
    open_end = last[-1:] not in (".", "!", "。", "…", "~", ")")
    ending = last.rstrip(" .。!~…")
    wide = not ending.isascii()  # the others need not be looked through
    return bool((wide and _ENDS.search(ending)) or (open_end and _BEGINS.match(last)))


def knows_nothing(words: str) -> bool:
    """Whether a sentence says that its speaker knows nothing of it, or says nothing at all."""
    plain = folded(words).strip()
    if _KNOWS_NOTHING.search(plain) or _MUTTERED.fullmatch(plain):
        return True
    return not plain.isascii() and _KNOWS_NOTHING_WIDE.search(plain) is not None
