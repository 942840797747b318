"""Times said in English and Chinese, as intervals seen from a moment."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enishi.kernel.errors import InvalidInput
from enishi.kernel.moments import HOUR, MINUTE
from enishi.projections.recall.time_words import lunar_days
from enishi.projections.recall.times import Said, said_times

FRIDAY = datetime(2026, 4, 24, 15, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


def wall(said: Said) -> tuple[str, str]:
    """Start and end as local wall-clock times; days alone at midnight."""
    start, end = (str(moment.to_datetime().replace(tzinfo=None)) for moment in said[:2])
    return start.removesuffix(" 00:00:00"), end.removesuffix(" 00:00:00")


SAID = [
    ("today", "2026-04-24", "2026-04-25", "day"), ("yesterday", "2026-04-23", "2026-04-24", "day"),
    ("the day before yesterday", "2026-04-22", "2026-04-23", "day"),
    ("last week", "2026-04-13", "2026-04-20", "week"), ("this past weekend", "2026-04-18", "2026-04-20", "day"),
    ("next month", "2026-05-01", "2026-06-01", "month"), ("last year", "2025-01-01", "2026-01-01", "year"),
    ("the year after next", "2028-01-01", "2029-01-01", "year"),
    ("the last three days", "2026-04-21", "2026-04-24", "day"), ("next 2 weeks", "2026-04-25", "2026-05-09", "week"),
    ("past two quarters", "2025-10-01", "2026-04-01", "quarter"),
    ("three days ago", "2026-04-21", "2026-04-22", "day"), ("in two weeks", "2026-05-08", "2026-05-09", "week"),
    ("two and a half years ago", "2023-10-24", "2023-10-25", "month"), ("a year ago today", "2025-04-24", "2025-04-25", "day"),
    ("two days before yesterday", "2026-04-21", "2026-04-22", "day"),
    ("10 minutes ago", "2026-04-24 15:20:00", "2026-04-24 15:21:00", "minute"),
    ("half an hour from now", "2026-04-24 16:00:00", "2026-04-24 16:01:00", "minute"),
    ("on Tuesday", "2026-04-21", "2026-04-22", "day"), ("last Friday", "2026-04-17", "2026-04-18", "day"),
    ("next Wednesday", "2026-04-29", "2026-04-30", "day"), ("Tuesday of last week", "2026-04-14", "2026-04-15", "day"),
    ("Friday the 13th", "2026-03-13", "2026-03-14", "day"),
    ("May 5", "2026-05-05", "2026-05-06", "day"), ("the 3rd of March 2027", "2027-03-03", "2027-03-04", "day"),
    ("Sept. 9, 1999", "1999-09-09", "1999-09-10", "day"), ("2019-aug-1", "2019-08-01", "2019-08-02", "day"),
    ("on 5/12", "2026-05-12", "2026-05-13", "day"), ("22/04/2020", "2020-04-22", "2020-04-23", "day"),
    ("in March", "2026-03-01", "2026-04-01", "month"), ("June 1992", "1992-06-01", "1992-07-01", "month"),
    ("in 2019", "2019-01-01", "2020-01-01", "year"), ("the 90s", "1990-01-01", "2000-01-01", "decade"),
    ("Q3 2019", "2019-07-01", "2019-10-01", "quarter"), ("20th century", "1900-01-01", "2000-01-01", "century"),
    ("the last week of July", "2026-07-27", "2026-08-03", "week"), ("week 31", "2026-07-27", "2026-08-03", "week"),
    ("last summer", "2025-06-01", "2025-09-01", "season"), ("winter of 2020", "2020-12-01", "2021-03-01", "season"),
    ("mid-November", "2025-11-10", "2025-11-21", "month"), ("first half of 2019", "2019-01-01", "2019-07-01", "half"),
    ("Easter 2024", "2024-03-31", "2024-04-01", "day"), ("Thanksgiving 2025", "2025-11-27", "2025-11-28", "day"),
    ("the day before Christmas", "2025-12-24", "2025-12-25", "day"),
    ("yesterday morning", "2026-04-23 08:00:00", "2026-04-23 12:00:00", "part"),
    ("last night", "2026-04-23 20:00:00", "2026-04-24", "part"),
    ("tomorrow at 7pm", "2026-04-25 19:00:00", "2026-04-25 20:00:00", "hour"),
    ("at 8.30 pm today", "2026-04-24 20:30:00", "2026-04-24 20:31:00", "minute"),
    ("tomorrow at seven twenty-seven", "2026-04-25 07:27:00", "2026-04-25 07:28:00", "minute"),
    ("a quarter to seven tomorrow", "2026-04-25 18:45:00", "2026-04-25 18:46:00", "minute"),
    ("from 5 to 6pm on May 2", "2026-05-02 17:00:00", "2026-05-02 18:00:00", "minute"),
    ("from Monday to Friday", "2026-04-27", "2026-05-02", "day"),
    ("Nov 18 - Dec 19, 2015", "2015-11-18", "2015-12-20", "day"), ("November 18-19", "2025-11-18", "2025-11-20", "day"),
    ("between 2014 and 2018", "2014-01-01", "2019-01-01", "year"), ("from November to March", "2025-11-01", "2026-04-01", "month"),
    ("since last Monday", "2026-04-20", "2026-04-24 15:30:00", "day"), ("before 2015", "0001-01-03", "2015-01-01", "year"),
    ("今天", "2026-04-24", "2026-04-25", "day"), ("大前天", "2026-04-21", "2026-04-22", "day"),
    ("上周", "2026-04-13", "2026-04-20", "week"), ("上上周五", "2026-04-10", "2026-04-11", "day"),
    ("下下个星期", "2026-05-04", "2026-05-11", "week"), ("上周末", "2026-04-18", "2026-04-20", "day"),
    ("下個月", "2026-05-01", "2026-06-01", "month"), ("前年", "2024-01-01", "2025-01-01", "year"),
    ("三天前", "2026-04-21", "2026-04-22", "day"), ("两三天前", "2026-04-21", "2026-04-22", "day"),
    ("三个月前", "2026-01-24", "2026-01-25", "month"), ("3个月前", "2026-01-24", "2026-01-25", "month"),
    ("一年半前", "2024-10-24", "2024-10-25", "month"), ("半小时前", "2026-04-24 15:00:00", "2026-04-24 15:01:00", "minute"),
    ("十年前的今天", "2016-04-24", "2016-04-25", "day"), ("过去半年", "2025-10-24", "2026-04-24", "month"),
    ("未来一周", "2026-04-25", "2026-05-02", "week"), ("礼拜三下午三点", "2026-04-22 15:00:00", "2026-04-22 16:00:00", "hour"),
    ("2026年5月1日", "2026-05-01", "2026-05-02", "day"), ("五月一号", "2026-05-01", "2026-05-02", "day"),
    ("一九九八年七月十二日", "1998-07-12", "1998-07-13", "day"), ("零八年", "2008-01-01", "2009-01-01", "year"),
    ("去年五月", "2025-05-01", "2025-06-01", "month"), ("上个月底", "2026-03-21", "2026-04-01", "month"),
    ("2019年第三季度", "2019-07-01", "2019-10-01", "quarter"), ("下半年", "2026-07-01", "2027-01-01", "half"),
    ("明年春天", "2027-03-01", "2027-06-01", "season"), ("九十年代", "1990-01-01", "2000-01-01", "decade"),
    ("10月1日至10月7日", "2026-10-01", "2026-10-08", "day"), ("从二零一六年至二零一八年", "2016-01-01", "2019-01-01", "year"),
    ("下周一上午9点到11点", "2026-04-27 09:00:00", "2026-04-27 11:00:00", "minute"),
    ("2018年以前", "0001-01-03", "2018-01-01", "year"), ("去年以来", "2025-01-01", "2026-04-24 15:30:00", "year"),
    ("今年春节", "2026-02-17", "2026-02-18", "day"), ("去年中秋节", "2025-10-06", "2025-10-07", "day"),
    ("1月5日之前", "0001-01-03", "2026-01-05", "day"), ("去年今天", "2025-04-24", "2025-04-25", "day"),
    ("五一", "2026-05-01", "2026-05-02", "day"), ("2010年代", "2010-01-01", "2020-01-01", "decade"),
    ("周三前", "0001-01-03", "2026-04-22", "day"), ("这两天", "2026-04-23", "2026-04-26", "day"),
    ("2019-05", "2019-05-01", "2019-06-01", "month"), ("March 3-5, 2021", "2021-03-03", "2021-03-06", "day"),
    ("the weekend of May 5", "2026-05-09", "2026-05-11", "day"),
    ("除夕", "2026-02-16", "2026-02-17", "day"), ("去年圣诞节", "2025-12-25", "2025-12-26", "day"),
    ("from December 28 to 3 January 2026", "2025-12-28", "2026-01-04", "day"),
    ("from 28 to 3 January 2026", "2025-12-28", "2026-01-04", "day"),
    ("from 28 December to 3 January", "2025-12-28", "2026-01-04", "day"),
    ("from 28 to 30 April", "2026-04-28", "2026-05-01", "day"),
    ("from 3 to 5 May 2025", "2025-05-03", "2025-05-06", "day"),
    ("from the 28th to the 3rd of January", "2025-12-28", "2026-01-04", "day"),
    ("from 5 May to 5 May", "2026-05-05", "2026-05-06", "day"),
    ("from June 5 to now", "2025-06-05", "2026-04-24 15:30:00", "day"),
    ("from Friday to Tuesday", "2026-04-24", "2026-04-29", "day"),
    ("from April 20 to yesterday", "2026-04-20", "2026-04-24", "day"),
    ("from December 30 to yesterday", "2025-12-30", "2026-04-24", "day"),
    ("from yesterday to April 26", "2026-04-23", "2026-04-27", "day"),
    ("from yesterday to January 5", "2026-04-23", "2027-01-06", "day"),
    ("from Monday to May 3", "2026-04-27", "2026-05-04", "day"),
    ("between 5 and 6pm tomorrow", "2026-04-25 17:00:00", "2026-04-25 18:00:00", "minute"),
    ("from 11pm to 2am yesterday", "2026-04-23 23:00:00", "2026-04-24 02:00:00", "minute"),
    ("from 10 to 3 tomorrow", "2026-04-25 10:00:00", "2026-04-25 15:00:00", "minute"),
    ("from 9am to 5 tomorrow", "2026-04-25 09:00:00", "2026-04-25 17:00:00", "minute"),
    ("Dec 2015", "2015-12-01", "2016-01-01", "month"), ("31.12.99", "1999-12-31", "2000-01-01", "day"),
    ("since 5 May", "2025-05-05", "2026-04-24 15:30:00", "day"),
    ("since December", "2025-12-01", "2026-04-24 15:30:00", "month"),
    ("since Friday", "2026-04-24", "2026-04-24 15:30:00", "day"),
    ("since 2019", "2019-01-01", "2026-04-24 15:30:00", "year"),
    ("after last week", "2026-04-20", "2026-04-24 15:30:00", "week"),
    ("after 5 May", "2026-05-06", "9999-12-29", "day"),
    ("after yesterday", "2026-04-24", "2026-04-24 15:30:00", "day"),
    ("before 5 May", "0001-01-03", "2026-05-05", "day"), ("last Christmas", "2025-12-25", "2025-12-26", "day"),
    ("next Christmas", "2026-12-25", "2026-12-26", "day"), ("this Christmas", "2026-12-25", "2026-12-26", "day"),
    ("last April 24", "2025-04-24", "2025-04-25", "day"), ("next April 24", "2027-04-24", "2027-04-25", "day"),
    ("last May", "2025-05-01", "2025-06-01", "month"), ("next May", "2026-05-01", "2026-06-01", "month"),
    ("next April", "2027-04-01", "2027-05-01", "month"), ("Easter", "2026-04-05", "2026-04-06", "day"),
    ("Thanksgiving", "2025-11-27", "2025-11-28", "day"), ("last Easter", "2026-04-05", "2026-04-06", "day"),
    ("next Easter", "2027-03-28", "2027-03-29", "day"), ("Monday the 27th", "2026-04-27", "2026-04-28", "day"),
    ("Tuesday the 28th", "2026-04-28", "2026-04-29", "day"), ("last winter", "2025-12-01", "2026-03-01", "season"),
    ("next winter", "2026-12-01", "2027-03-01", "season"), ("this winter", "2025-12-01", "2026-03-01", "season"),
    ("spring 2024", "2024-03-01", "2024-06-01", "season"), ("last spring", "2025-03-01", "2025-06-01", "season"),
    ("next spring", "2027-03-01", "2027-06-01", "season"), ("the last two years", "2024-04-24", "2026-04-24", "year"),
    ("the next two years", "2026-04-25", "2028-04-25", "year"),
    ("the last decade", "2010-01-01", "2020-01-01", "decade"),
    ("the next decade", "2030-01-01", "2040-01-01", "decade"),
    ("the last two decades", "2000-01-01", "2020-01-01", "decade"),
    ("the last 3 hours", "2026-04-24 12:30:00", "2026-04-24 15:30:00", "hour"),
    ("the next 3 hours", "2026-04-24 15:30:00", "2026-04-24 18:30:00", "hour"),
    ("the last quarter", "2026-01-01", "2026-04-01", "quarter"),
    ("this quarter", "2026-04-01", "2026-07-01", "quarter"), ("next quarter", "2026-07-01", "2026-10-01", "quarter"),
    ("first quarter of 2024", "2024-01-01", "2024-04-01", "quarter"),
    ("second quarter", "2026-04-01", "2026-07-01", "quarter"), ("4th quarter", "2026-10-01", "2027-01-01", "quarter"),
    ("first half of 2024", "2024-01-01", "2024-07-01", "half"),
    ("the 19th century", "1800-01-01", "1900-01-01", "century"), ("the 1990s", "1990-01-01", "2000-01-01", "decade"),
    ("the 20s", "2020-01-01", "2030-01-01", "decade"), ("the 30s", "1930-01-01", "1940-01-01", "decade"),
    ("two weeks after Easter 2024", "2024-04-14", "2024-04-15", "day"),
    ("two days after tomorrow", "2026-04-27", "2026-04-28", "day"),
    ("three days from Monday", "2026-04-30", "2026-05-01", "day"),
    ("the week before last", "2026-04-06", "2026-04-13", "week"),
    ("the week after next", "2026-05-04", "2026-05-11", "week"),
    ("the month before last", "2026-02-01", "2026-03-01", "month"),
    ("the day after tomorrow", "2026-04-26", "2026-04-27", "day"),
    ("tomorrow evening", "2026-04-25 16:00:00", "2026-04-25 20:00:00", "part"),
    ("this morning", "2026-04-24 08:00:00", "2026-04-24 12:00:00", "part"),
    ("this evening", "2026-04-24 16:00:00", "2026-04-24 20:00:00", "part"),
    ("tonight", "2026-04-24 20:00:00", "2026-04-25", "part"),
    ("last Monday morning", "2026-04-20 08:00:00", "2026-04-20 12:00:00", "part"),
    ("Monday evening", "2026-04-27 16:00:00", "2026-04-27 20:00:00", "part"),
    ("on May 5 at 3pm", "2026-05-05 15:00:00", "2026-05-05 16:00:00", "hour"),
    ("on May 5 at 25", "2026-05-05", "2026-05-06", "day"),
    ("yesterday at 12", "2026-04-23 12:00:00", "2026-04-23 13:00:00", "hour"),
    ("yesterday at 13", "2026-04-23 13:00:00", "2026-04-23 14:00:00", "hour"),
    ("yesterday at 24", "2026-04-24", "2026-04-24 01:00:00", "hour"),
    ("at noon tomorrow", "2026-04-25 12:00:00", "2026-04-25 12:01:00", "minute"),
    ("at midnight yesterday", "2026-04-23", "2026-04-23 00:01:00", "minute"),
    ("half past three yesterday", "2026-04-23 15:30:00", "2026-04-23 15:31:00", "minute"),
    ("quarter past three yesterday", "2026-04-23 15:15:00", "2026-04-23 15:16:00", "minute"),
    ("yesterday at 12am", "2026-04-23", "2026-04-23 01:00:00", "hour"),
    ("yesterday at 12pm", "2026-04-23 12:00:00", "2026-04-23 13:00:00", "hour"),
    ("within two weeks", "2026-04-24 15:30:00", "2026-05-08 15:30:00", "week"),
    ("year to date", "2026-01-01", "2026-04-24 15:30:00", "day"),
    ("month to date", "2026-04-01", "2026-04-24 15:30:00", "day"),
    ("a week ago today", "2026-04-17", "2026-04-18", "day"),
    ("a week ago yesterday", "2026-04-16", "2026-04-17", "day"), ("May 2", "2026-05-02", "2026-05-03", "day"),
    ("Sep 3", "2026-09-03", "2026-09-04", "day"), ("in Sep", "2026-09-01", "2026-10-01", "month"),
    ("in Oct", "2026-10-01", "2026-11-01", "month"), ("in Jul", "2026-07-01", "2026-08-01", "month"),
    ("in April", "2026-04-01", "2026-05-01", "month"), ("in June", "2026-06-01", "2026-07-01", "month"),
    ("in Feb", "2026-02-01", "2026-03-01", "month"), ("on the 27th", "2026-04-27", "2026-04-28", "day"),
    ("on the 30th", "2026-04-30", "2026-05-01", "day"), ("on the 31st", "2026-03-31", "2026-04-01", "day"),
    ("week 1", "2025-12-29", "2026-01-05", "week"), ("week 53", "2026-12-28", "2027-01-04", "week"),
    ("week 52 of 2024", "2024-12-23", "2024-12-30", "week"),
    ("the first week of May", "2026-05-04", "2026-05-11", "week"),
    ("the second week of May", "2026-05-11", "2026-05-18", "week"),
    ("the last day of May", "2026-05-31", "2026-06-01", "day"),
    ("the first day of next month", "2026-05-01", "2026-05-02", "day"),
    ("the last Friday of May", "2026-05-29", "2026-05-30", "day"),
    ("the first Monday in May", "2026-05-04", "2026-05-05", "day"),
    ("the third Thursday of November 2024", "2024-11-21", "2024-11-22", "day"),
    ("the end of May", "2026-05-21", "2026-06-01", "month"), ("early May", "2026-05-01", "2026-05-11", "month"),
    ("mid May", "2026-05-10", "2026-05-21", "month"), ("late May", "2026-05-21", "2026-06-01", "month"),
    ("end of last year", "2025-09-01", "2026-01-01", "year"),
    ("beginning of the year", "2026-01-01", "2026-05-01", "year"), ("early 2020", "2020-01-01", "2020-05-01", "year"),
    ("the end of the week", "2026-04-24", "2026-04-27", "week"), ("1 Jan 1", "2026-01-01", "2026-01-02", "day"),
    ("Feb 29", "2024-02-29", "2024-03-01", "day"), ("Feb 29 2024", "2024-02-29", "2024-03-01", "day"),
    ("五月最后一个星期五", "2026-05-29", "2026-05-30", "day"), ("五月的第一个星期一", "2026-05-04", "2026-05-05", "day"),
    ("上个月第二个周五", "2026-03-13", "2026-03-14", "day"), ("2024年11月第三个星期四", "2024-11-21", "2024-11-22", "day"),
    ("五月第一周", "2026-05-04", "2026-05-11", "week"), ("五月的最后一天", "2026-05-31", "2026-06-01", "day"),
    ("今年第一天", "2026-01-01", "2026-01-02", "day"), ("第二季度", "2026-04-01", "2026-07-01", "quarter"),
    ("2024年第一季度", "2024-01-01", "2024-04-01", "quarter"), ("去年第四季度", "2025-10-01", "2026-01-01", "quarter"),
    ("上半年", "2026-01-01", "2026-07-01", "half"), ("2024年下半年", "2024-07-01", "2025-01-01", "half"),
    ("今年上半年", "2026-01-01", "2026-07-01", "half"), ("上个世纪", "1900-01-01", "2000-01-01", "century"),
    ("过去两年", "2024-04-24", "2026-04-24", "year"), ("未来两年", "2026-04-25", "2028-04-25", "year"),
    ("最近三天", "2026-04-21", "2026-04-24", "day"), ("最近两周", "2026-04-10", "2026-04-24", "week"),
    ("过去十年", "2016-04-24", "2026-04-24", "year"), ("几天前", "2026-04-21", "2026-04-22", "day"),
    ("几周前", "2026-04-03", "2026-04-04", "week"), ("几个月后", "2026-07-24", "2026-07-25", "month"),
    ("三天后", "2026-04-27", "2026-04-28", "day"), ("两周后", "2026-05-08", "2026-05-09", "week"),
    ("一个半月后", "2026-06-08", "2026-06-09", "day"), ("两年半前", "2023-10-24", "2023-10-25", "month"),
    ("昨天下午三点", "2026-04-23 15:00:00", "2026-04-23 16:00:00", "hour"),
    ("昨天下午三点半", "2026-04-23 15:30:00", "2026-04-23 15:31:00", "minute"),
    ("昨天晚上八点到十点", "2026-04-23 20:00:00", "2026-04-23 22:00:00", "minute"),
    ("今天早上", "2026-04-24 08:00:00", "2026-04-24 12:00:00", "part"),
    ("今晚", "2026-04-24 18:00:00", "2026-04-25", "part"),
    ("明天中午", "2026-04-25 11:00:00", "2026-04-25 13:00:00", "part"),
    ("昨天凌晨", "2026-04-23", "2026-04-23 06:00:00", "part"),
    ("后天上午十点一刻", "2026-04-26 10:15:00", "2026-04-26 10:16:00", "minute"),
    ("周三晚上", "2026-04-22 18:00:00", "2026-04-23", "part"), ("下周三晚上", "2026-04-29 18:00:00", "2026-04-30", "part"),
    ("这周末", "2026-04-25", "2026-04-27", "day"), ("下周末", "2026-05-02", "2026-05-04", "day"),
    ("上个周末", "2026-04-18", "2026-04-20", "day"), 
    ("上上个月", "2026-02-01", "2026-03-01", "month"), ("下下个月", "2026-06-01", "2026-07-01", "month"),
    ("去年冬天", "2025-12-01", "2026-03-01", "season"), ("今年冬天", "2026-12-01", "2027-03-01", "season"),
    ("明年夏天", "2027-06-01", "2027-09-01", "season"), ("去年秋天", "2025-09-01", "2025-12-01", "season"),
    ("2024年春天", "2024-03-01", "2024-06-01", "season"), ("上个季度", "2026-01-01", "2026-04-01", "quarter"),
    ("下个季度", "2026-07-01", "2026-10-01", "quarter"), ("本季度", "2026-04-01", "2026-07-01", "quarter"),
    ("元旦", "2026-01-01", "2026-01-02", "day"), ("去年元旦", "2025-01-01", "2025-01-02", "day"),
    ("国庆节", "2026-10-01", "2026-10-02", "day"), ("明年国庆节", "2027-10-01", "2027-10-02", "day"),
    ("端午节", "2026-06-19", "2026-06-20", "day"), ("中秋", "2026-09-25", "2026-09-26", "day"),
    ("去年除夕", "2025-01-28", "2025-01-29", "day"), ("2024年春节", "2024-02-10", "2024-02-11", "day"),
    ("三号", "2026-05-03", "2026-05-04", "day"), ("27号", "2026-04-27", "2026-04-28", "day"),
    ("31号", "2026-03-31", "2026-04-01", "day"), ("5月3日", "2026-05-03", "2026-05-04", "day"),
    ("5月3号到5号", "2026-05-03", "2026-05-06", "day"), ("12月28日到1月3日", "2025-12-28", "2026-01-04", "day"),
    ("5月到7月", "2026-05-01", "2026-08-01", "month"), ("2019年到2021年", "2019-01-01", "2022-01-01", "year"),
    ("从去年五月到现在", "2025-05-01", "2026-04-24 15:30:00", "month"),
    ("五月以来", "2025-05-01", "2026-04-24 15:30:00", "month"), ("去年五月以来", "2025-05-01", "2026-04-24 15:30:00", "month"),
    ("五月以后", "2026-06-01", "9999-12-29", "month"), ("2019年以后", "2020-01-01", "2026-04-24 15:30:00", "year"),
    ("周三以后", "2026-04-23", "2026-04-24 15:30:00", "day"), ("五月之前", "0001-01-03", "2026-05-01", "month"),
    ("昨天以前", "0001-01-03", "2026-04-23", "day"), ("两天之内", "2026-04-24 15:30:00", "2026-04-26 15:30:00", "day"),
    ("一周内", "2026-04-24 15:30:00", "2026-05-01 15:30:00", "week"),
    ("三个月内", "2026-04-24 15:30:00", "2026-07-24 15:30:00", "month"), ("五月初", "2026-05-01", "2026-05-11", "month"),
    ("五月中旬", "2026-05-10", "2026-05-21", "month"), ("五月底", "2026-05-21", "2026-06-01", "month"),
    ("年初", "2026-01-01", "2026-05-01", "year"), ("年底", "2026-09-01", "2027-01-01", "year"),
    ("去年年底", "2025-09-01", "2026-01-01", "year"), ("2020年初", "2020-01-01", "2020-05-01", "year"),
    ("月初", "2026-04-01", "2026-04-11", "month"), ("月底", "2026-04-21", "2026-05-01", "month"),
    ("本周", "2026-04-20", "2026-04-27", "week"), ("这周", "2026-04-20", "2026-04-27", "week"),
    ("这个月", "2026-04-01", "2026-05-01", "month"), ("今年", "2026-01-01", "2027-01-01", "year"),
    ("本周五", "2026-04-24", "2026-04-25", "day"), ("这周三", "2026-04-22", "2026-04-23", "day"),
    ("上周日", "2026-04-19", "2026-04-20", "day"), ("上星期天", "2026-04-19", "2026-04-20", "day"),
    ("礼拜天", "2026-04-26", "2026-04-27", "day"), ("周日", "2026-04-26", "2026-04-27", "day"),
    ("下周日", "2026-05-03", "2026-05-04", "day"), ("去年的今天", "2025-04-24", "2025-04-25", "day"),
    ("两年前的今天", "2024-04-24", "2024-04-25", "day"), ("一周前的昨天", "2026-04-16", "2026-04-17", "day"),
    ("八十年代", "1980-01-01", "1990-01-01", "decade"), ("90年代初", "1990-01-01", "1993-05-02", "decade"),
    ("1998年", "1998-01-01", "1999-01-01", "year"), ("一九四九年十月", "1949-10-01", "1949-11-01", "month"),
    ("十月", "2026-10-01", "2026-11-01", "month"), ("12月", "2025-12-01", "2026-01-01", "month"),
    ("去年12月", "2025-12-01", "2026-01-01", "month"), ("last Thanksgiving", "2025-11-27", "2025-11-28", "day"),
    ("next Thanksgiving", "2026-11-26", "2026-11-27", "day"),
    ("the last Friday of May 2025", "2025-05-30", "2025-05-31", "day"),
    ("last Friday in May", "2026-05-29", "2026-05-30", "day"),
    ("the last Monday of last month", "2026-03-30", "2026-03-31", "day"),
    ("since Easter", "2026-04-05", "2026-04-24 15:30:00", "day"),
    ("two decades ago", "2006-04-24", "2006-04-25", "decade"),
    ("a century ago", "1926-04-24", "1926-04-25", "century"),
    ("the last three quarters", "2025-07-01", "2026-04-01", "quarter"),
    ("the last 20 minutes", "2026-04-24 15:10:00", "2026-04-24 15:30:00", "minute"),
    ("the next five minutes", "2026-04-24 15:30:00", "2026-04-24 15:35:00", "minute"),
    ("in ten minutes", "2026-04-24 15:40:00", "2026-04-24 15:41:00", "minute"),
    ("3 hours ago", "2026-04-24 12:30:00", "2026-04-24 12:31:00", "hour"),
    ("yesterday at 5:45am", "2026-04-23 05:45:00", "2026-04-23 05:46:00", "minute"),
    ("tomorrow at 12:30", "2026-04-25 12:30:00", "2026-04-25 12:31:00", "minute"),
    ("yesterday from 3pm to 5:30pm", "2026-04-23 15:00:00", "2026-04-23 17:30:00", "minute"),
    ("May 2 at 8am", "2026-05-02 08:00:00", "2026-05-02 09:00:00", "hour"),
    ("the weekend after next", "2026-05-09", "2026-05-11", "day"),
    ("next weekend", "2026-05-02", "2026-05-04", "day"), ("the day before May 5", "2026-05-04", "2026-05-05", "day"),
    ("the Friday before Christmas 2025", "2025-12-19", "2025-12-20", "day"),
    ("the week after Easter 2024", "2024-04-01", "2024-04-08", "week"),
    ("the week of May 5", "2026-05-04", "2026-05-11", "week"), ("5 to 7 May", "2026-05-05", "2026-05-08", "day"),
    ("Q1", "2026-01-01", "2026-04-01", "quarter"), ("Q4 2023", "2023-10-01", "2024-01-01", "quarter"),
    ("week 10 of 2025", "2025-03-03", "2025-03-10", "week"), ("mid-2019", "2019-05-01", "2019-09-01", "year"),
    ("late 2019", "2019-09-01", "2020-01-01", "year"), ("early last month", "2026-03-01", "2026-03-11", "month"),
    ("end of next month", "2026-05-21", "2026-06-01", "month"), ("the 40s", "1940-01-01", "1950-01-01", "decade"),
    ("the 2000s", "2000-01-01", "2010-01-01", "decade"),
    ("in the 21st century", "2000-01-01", "2100-01-01", "century"),
    ("last century", "1900-01-01", "2000-01-01", "century"), ("third quarter", "2026-07-01", "2026-10-01", "quarter"),
    ("Monday to Wednesday of last week", "2026-04-13", "2026-04-16", "day"),
    ("the 15th of last month", "2026-03-15", "2026-03-16", "day"),
    ("the 2nd of next month", "2026-05-02", "2026-05-03", "day"),
    ("March of last year", "2025-03-01", "2025-04-01", "month"),
    ("two and a half hours ago", "2026-04-24 13:00:00", "2026-04-24 13:01:00", "minute"),
    ("a day and a half ago", "2026-04-23 03:30:00", "2026-04-23 03:31:00", "hour"),
    ("half a year ago", "2025-10-24", "2025-10-25", "month"),
    ("a month and two days ago", "2026-03-22", "2026-03-23", "day"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "start", "end", "grain"), SAID)
def test_a_time_is_an_interval_with_its_grain(text: str, start: str, end: str, grain: str) -> None:
    (said,) = said_times(text, FRIDAY)
    assert (*wall(said), said.grain) == (start, end, grain)
    lead = "所以，" if text > "\u2e80" else "Well, "
    (moved,) = said_times(f"{lead}{text}!", FRIDAY)
    assert moved[:4] == said[:4]
    assert (moved.begins, moved.stops) == (said.begins + len(lead), said.stops + len(lead))


SAID += [
    ("tomorrow from 8pm to 12", "2026-04-25 20:00:00", "2026-04-26", "minute"),
    ("tomorrow from 8pm to 12:30", "2026-04-25 20:00:00", "2026-04-26 00:30:00", "minute"),
    ("tomorrow from 9 to 12", "2026-04-25 09:00:00", "2026-04-25 12:00:00", "minute"),
    ("tomorrow from 10pm to 13:00", "2026-04-25 22:00:00", "2026-04-26 13:00:00", "minute"),
    ("明天晚上八点到十二点", "2026-04-25 20:00:00", "2026-04-26", "minute"),
    ("July", "2026-07-01", "2026-08-01", "month"), ("Sept", "2026-09-01", "2026-10-01", "month"),
    ("May/2019", "2019-05-01", "2019-06-01", "month"), ("2019/May", "2019-05-01", "2019-06-01", "month"),
    ("2019, May", "2019-05-01", "2019-06-01", "month"), ("2019-May", "2019-05-01", "2019-06-01", "month"),
    ("last month's second week", "2026-03-09", "2026-03-16", "week"),
    ("last year's second quarter", "2025-04-01", "2025-07-01", "quarter"),
    ("last year's second month", "2025-02-01", "2025-03-01", "month"),
    ("next month's first day", "2026-05-01", "2026-05-02", "day"),
    ("2019 third quarter", "2019-07-01", "2019-10-01", "quarter"),
    ("the quarter after May 5", "2026-05-06", "9999-12-29", "day"),
    ("yesterday at 0", "2026-04-23", "2026-04-24", "day"),
    ("twenty minutes past five yesterday", "2026-04-23 17:20:00", "2026-04-23 17:21:00", "minute"),
    ("twenty minutes to five yesterday", "2026-04-23 16:40:00", "2026-04-23 16:41:00", "minute"),
    ("quarter to three yesterday", "2026-04-23 14:45:00", "2026-04-23 14:46:00", "minute"),
    ("第三个季度", "2026-07-01", "2026-10-01", "quarter"), ("2024年的第三个季度", "2024-07-01", "2024-10-01", "quarter"),
    ("2024年一季度", "2024-01-01", "2024-04-01", "quarter"), ("去年二季度", "2025-04-01", "2025-07-01", "quarter"),
    ("4季度", "2026-10-01", "2027-01-01", "quarter"), ("过去三个季度", "2025-07-01", "2026-04-01", "quarter"),
    ("21世纪", "2000-01-01", "2100-01-01", "century"), ("二十世纪", "1900-01-01", "2000-01-01", "century"),
    ("三个世纪前", "1726-04-24", "1726-04-25", "century"), ("21世纪初", "2000-01-01", "2033-05-02", "century"),
    ("in nineteen ninety-eight", "1998-01-01", "1999-01-01", "year"),
    ("in twenty twelve", "2012-01-01", "2013-01-01", "year"),
    ("in two thousand eighteen", "2018-01-01", "2019-01-01", "year"),
    ("上半周", "2026-04-20", "2026-04-23", "week"), ("这周前半", "2026-04-20", "2026-04-23", "half"),
    ("下周后半", "2026-04-30", "2026-05-04", "half"), ("周初", "2026-04-20", "2026-04-22", "week"),
    ("五月上旬", "2026-05-01", "2026-05-11", "month"), ("五月下旬", "2026-05-21", "2026-06-01", "month"),
    ("first half of the week", "2026-04-20", "2026-04-23", "half"),
    ("the first half of May", "2026-05-01", "2026-05-16", "half"),
    ("the second half of last year", "2025-07-01", "2026-01-01", "half"),
    ("early next week", "2026-04-27", "2026-04-29", "week"), ("late last week", "2026-04-17", "2026-04-20", "week"),
    ("九八年", "1998-01-01", "1999-01-01", "year"), ("零三年五月", "2003-05-01", "2003-06-01", "month"),
    ("1/5/98", "1998-01-05", "1998-01-06", "day"), ("03-04-98", "1998-03-04", "1998-03-05", "day"),
    ("昨天二十五点", "2026-04-23", "2026-04-24", "day"), ("昨天24点", "2026-04-24", "2026-04-24 01:00:00", "hour"),
    ("昨天23点59分", "2026-04-23 23:59:00", "2026-04-24", "minute"),
    ("from April 24 to yesterday", "2025-04-24", "2026-04-24", "day"),
    ("2024-05-01下午", "2024-05-01 12:00:00", "2024-05-01 16:00:00", "part"),
    ("2024/5/1", "2024-05-01", "2024-05-02", "day"), ("2024.5.1以后", "2024-05-02", "2026-04-24 15:30:00", "day"),
    ("从2024-05-01到2024-06-01", "2024-05-01", "2024-06-02", "day"),
    ("2024-05-01 10:30", "2024-05-01 10:30:00", "2024-05-01 10:31:00", "minute"),
]  # fmt: skip

EDGES = [
    ("2026-06-01 00:00", "last spring", "2026-03-01", "2026-06-01"),
    ("2026-05-31 23:59", "last spring", "2025-03-01", "2025-06-01"),
    ("2026-06-01 00:00", "next summer", "2027-06-01", "2027-09-01"),
    ("2026-05-31 23:59", "next summer", "2026-06-01", "2026-09-01"),
    ("2026-12-25 09:00", "last Christmas", "2025-12-25", "2025-12-26"),
    ("2026-12-26 00:00", "last Christmas", "2026-12-25", "2026-12-26"),
    ("2026-12-24 23:59", "next Christmas", "2026-12-25", "2026-12-26"),
    ("2026-12-25 00:00", "next Christmas", "2027-12-25", "2027-12-26"),
    ("2026-04-06 00:00", "last Easter", "2026-04-05", "2026-04-06"),
    ("2026-04-05 23:59", "last Easter", "2025-04-20", "2025-04-21"),
    ("2026-05-01 00:00", "last April", "2026-04-01", "2026-05-01"),
    ("2026-04-30 23:59", "last April", "2025-04-01", "2025-05-01"),
    ("2026-04-20 00:00", "last week", "2026-04-13", "2026-04-20"),
    ("2026-04-19 23:59", "上周", "2026-04-06", "2026-04-13"),
    ("2026-12-30 12:00", "Easter", "2027-03-28", "2027-03-29"),
    ("2026-01-02 12:00", "Thanksgiving", "2025-11-27", "2025-11-28"),
    ("2026-06-30 12:00", "Thanksgiving", "2026-11-26", "2026-11-27"),
    ("2026-01-01 00:00", "last quarter", "2025-10-01", "2026-01-01"),
    ("2026-12-31 23:59", "下个季度", "2027-01-01", "2027-04-01"),
]
"""What has just begun or just ended, at that moment and a minute before."""


@pytest.mark.parametrize(("now", "text", "start", "end"), EDGES)
def test_what_ends_now_is_over_and_what_begins_now_has_begun(
    now: str, text: str, start: str, end: str
) -> None:
    (said,) = said_times(text, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert wall(said) == (start, end)


NOTHING = [
    "", "May I march on? I may.", "We sat in the sun", "he came second", "rated 5/10", "1/2 cup", "24/7",
    "I have 2 dogs and 3 cats", "call 2026 people", "version 1.2.3", "a week", "every weekend", "my weekend",
    "once in a while", "for the first time", "two hours of sleep", "in the day", "Feb 30", "2026-13-01",
    "June said so", "3pm", "the fall of Rome", "上海下周口味很好", "聪明天真", "过去年轻", "五分", "三点建议",
    "我有三个苹果", "上次", "以前", "天天向上", "年轻", "月亮", "一天", "中国", "2019年2月29日", "每个月", "晚安", "week 54", "Jul", "I met Jul",
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_time_says_none(text: str) -> None:
    assert said_times(text, FRIDAY) == []


def test_each_time_of_a_text_is_found_once_and_in_order() -> None:
    text = "昨天 was bad, last week 更糟, but on 2026-05-01 we meet"
    assert [text[one.begins : one.stops] for one in said_times(text, FRIDAY)] == [
        "昨天",
        "last week",
        "2026-05-01",
    ]


@pytest.mark.parametrize(
    "text",
    ["three months ago", "last summer", "昨天晚上", "mid 1989", "前几天", "上半周", "这周前半", "周初",
     "early next week", "late last week", "五月上旬", "first half of the week", "去年年底", "spring 2024",
     "the first half of May", "几周前", "90年代初", "tomorrow evening"],
)  # fmt: skip
def test_rough_words_are_approximate_and_wider(text: str) -> None:
    (said,) = said_times(text, FRIDAY)
    low, high = said.widest()
    assert said.approximate and low < said.start.at < said.end.at < high


@pytest.mark.parametrize(
    "text",
    ["yesterday", "last week", "first half of 2024", "去年下半年", "two days after tomorrow", "5月到7月",
     "a week ago today", "from Monday to May 3", "since Easter", "week 10 of 2025", "Q1", "上个世纪"],
)  # fmt: skip
def test_exact_words_are_no_wider(text: str) -> None:
    (said,) = said_times(text, FRIDAY)
    assert not said.approximate and said.widest() == (said.start.at, said.end.at)


def test_a_naive_now_is_refused() -> None:
    with pytest.raises(InvalidInput, match="zone"):
        said_times("today", datetime(2026, 4, 24))


def test_days_are_as_long_as_the_clocks_of_their_zone_make_them() -> None:
    berlin = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    hours = {}
    for text in ("today", "tomorrow"):
        (said,) = said_times(text, berlin)
        hours[text] = (said.end.at - said.start.at) // HOUR
    assert hours == {"today": 24, "tomorrow": 23}
    (autumn,) = said_times("明天", datetime(2026, 10, 24, 12, tzinfo=ZoneInfo("Europe/Berlin")))
    assert autumn.end.at - autumn.start.at == 25 * HOUR
    assert (autumn.start.offset, autumn.end.offset) == (7200, 3600)


def test_an_hour_that_the_clocks_leave_out_is_still_an_interval() -> None:
    berlin = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    for text in ("tomorrow at 2:30am", "tomorrow from 2:15am to 2:45am", "tomorrow at 2am"):
        (said,) = said_times(text, berlin)
        assert said.end.at - said.start.at >= MINUTE


@pytest.mark.parametrize("hours", [-12, -5, 0, 8, 14])
def test_days_follow_the_zone_of_now(hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    (said,) = said_times("yesterday", datetime(2026, 1, 1, 0, 5, tzinfo=zone))
    assert wall(said) == ("2025-12-31", "2026-01-01") and said.start.offset == hours * 3600


@pytest.mark.parametrize("year", [1, 2, 9998, 9999])
def test_the_ends_of_the_calendar_are_no_fault(year: int) -> None:
    text = "yesterday tomorrow last year next decade 900 years ago since 2015 明年 大前年 下个世纪 春节"
    for month in (1, 12):
        said_times(text, datetime(year, month, 31, tzinfo=timezone(timedelta(hours=14))))


def test_the_chinese_new_year_lies_between_january_and_february() -> None:
    days = lunar_days("1-1")
    assert sorted(days) == list(range(1900, 2101))
    assert all((1, 20) < (day.month, day.day) < (2, 22) for day in days.values())
    years = [days[year + 1] - days[year] for year in range(1900, 2100)]
    assert {gap.days for gap in years} <= {353, 354, 355, 383, 384, 385}


RELATIVE = ["today", "yesterday", "tomorrow night", "three days ago", "in 5 days", "last night at 9",
            "the last 3 days", "10 minutes ago", "今天", "昨天晚上", "三天前", "大后天下午三点", "未来三天"]  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(RELATIVE), st.integers(-20_000, 20_000), st.integers(0, 86_399))
def test_relative_times_move_with_now(text: str, days: int, second: int) -> None:
    now = datetime(2026, 4, 24, tzinfo=UTC) + timedelta(seconds=second)
    (here,), (there,) = said_times(text, now), said_times(text, now + timedelta(days=days))
    step = days * 24 * HOUR
    assert (there.start.at, there.end.at) == (here.start.at + step, here.end.at + step)


WORDS = st.sampled_from(
    ["in", "on", "by", "of", "next", "last", "this", "past", "3", "12", "2026", "may", "march", "29", "ago", "days", "week", "months", "hours", "half", "a", "the", "and", "to", "from", "between", "since", "before", "after", "first", "second", "mid", "early", "end", "weekend", "monday", "fri", "5pm", "7:30", "noon", "morning", "night", "summer", "easter", "now", "5/12", "-", ",", ".", "月", "日", "年", "天", "周", "星期", "下", "上", "后", "前", "大", "三", "十", "半", "个", "明天", "昨", "去年", "点", "晚上", "第", "季度", "到", "从", "春节", "底", "内"]
)  # fmt: skip
ZONES = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("America/St_Johns"), ZoneInfo("Asia/Shanghai")])  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(WORDS, max_size=12).map(" ".join),
        st.lists(WORDS, max_size=12).map("".join),
    ),
    st.datetimes(timezones=ZONES),
)
def test_any_text_is_read_without_a_fault(text: str, now: datetime) -> None:
    found = said_times(text, now)
    assert found == said_times(text, now)
    end = 0
    for said in found:
        assert end <= said.begins < said.stops <= len(text)
        assert said.start.at < said.end.at and said.grain
        end = said.stops


@pytest.mark.parametrize("piece", ["today ", "9", "1-", "5/", "march ", "next ", "last 3 ", "twenty ", "周", "一", "1月", "三点", "前", "7:30 "])  # fmt: skip
def test_a_hostile_text_is_read_in_little_time(piece: str) -> None:
    began = time.process_time()
    said_times(piece * (100_000 // len(piece)), FRIDAY)
    assert time.process_time() - began < 2
