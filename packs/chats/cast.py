"""Who is who in a chat file: whose relationships it belongs to, and how each agent sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from enishi.kernel.checks import MAX_ID
from enishi.packs.chats.chat import Chat, ChatLine


def chat_agents(chat: Chat, agent: str | None) -> list[tuple[str, frozenset[str]]]:
    """Whose relationships a chat belongs to: ids of agents, each with the speakers that it is.

    Without `agent`, a group chat belongs to each of its characters.
    """
    names: dict[str, Counter[str]] = {}
    for line in chat.lines:
        if line.role == "agent" and line.name is not None:
            names.setdefault(line.speaker, Counter())[line.name] += 1
    if not chat.group:
        name = agent or chat.agent or _most_common(names) or chat.title
        speakers = {line.speaker for line in chat.lines if line.role == "agent"}
        return [(agent or fit_id(name), frozenset(speakers))]
    called = {speaker: counter.most_common(1)[0][0] for speaker, counter in names.items()}
    if agent is not None:
        wanted = {speaker for speaker, name in called.items() if agent in (speaker, name)}
        return [(agent, frozenset(wanted))]
    return [(fit_id(called[speaker]), frozenset({speaker})) for speaker in called]


def chat_user(chat: Chat) -> str:
    """Who the user of a chat is: as its header says, else as most of the user's lines do."""
    names = Counter(line.name for line in chat.lines if line.role == "user" and line.name)
    return fit_id(chat.user or (names.most_common(1)[0][0] if names else "user"))


def first_time(chat: Chat) -> int:
    """The first known time of a chat, for putting several in order; none known comes last."""
    times = [w.happened.at for line in chat.lines for w in line.wordings if w.happened]
    return min(times, default=1 << 62)


def in_order(chats: Iterable[Chat]) -> list[Chat]:
    """Chats by their first known times; the branches of one conversation stay together."""
    several = [(chat.conversation or place, chat) for place, chat in enumerate(chats)]
    begun: dict[str | int, int] = {}
    for key, chat in several:
        begun[key] = min(first_time(chat), begun.get(key, 1 << 62))
    return [chat for _, chat in sorted(several, key=lambda one: begun[one[0]])]


def as_seen_by(chat: Chat, speakers: frozenset[str], personas: frozenset[str]) -> Chat:
    """The chat from one agent's side: other characters and personas are third parties."""

    def seen(line: ChatLine) -> ChatLine:
        if line.role == "agent":
            own = line.speaker in speakers
            return replace(line, role="agent" if own else "other", speaker=fit_id(line.speaker))
        if line.role == "user":
            other = line.name in personas
            speaker = fit_id(line.name or line.speaker)
            return replace(line, role="other" if other else "user", speaker=speaker)
        return replace(line, speaker=fit_id(line.speaker))

    def named(line: ChatLine) -> ChatLine:
        return line if line.name is None else replace(line, name=fit_id(line.name))

    return replace(chat, lines=tuple(named(seen(line)) for line in chat.lines))


def _most_common(names: dict[str, Counter[str]]) -> str | None:
    total: Counter[str] = Counter()
    for counter in names.values():
        total += counter
    return total.most_common(1)[0][0] if total else None


def fit_id(name: str) -> str:
    """A name from a file, made fit to be an id."""
    kept = "".join("\ufffd" if c < " " or "\x7f" <= c <= "\x9f" else c for c in name)
    return kept.replace("\u2028", "\ufffd").replace("\u2029", "\ufffd")[:MAX_ID].strip() or "?"
