"""Recording what was said and done: turns, texts, variants, revisions, branches, withdrawals.

Each function appends to a stream within `stream.writing()` and returns the number of what it
recorded. A refusal is a typed error, and then nothing was appended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from enishi.kernel.checks import check_id, check_text
from enishi.kernel.deciding.proposals import Party, Role
from enishi.kernel.errors import Conflict, ExpectationFailed, InvalidInput, NotFound
from enishi.kernel.events import Delivery, payload_of
from enishi.kernel.history import MAIN, ROOT, kind_code
from enishi.kernel.lines import rename_parties
from enishi.kernel.moments import Moment
from enishi.kernel.stream import Draft, Stream, moment_of, own_request

_TURN = kind_code("TurnOpened")
_REPLY = kind_code("ReplyGiven")
_ROLES = get_args(Role)
_DELIVERIES = get_args(Delivery)
_SAID = ("role", "speaker", "name", "hidden", "delivered", "given")


class Origin(NamedTuple):
    """Where an imported line stood: the file's title and the line's position in it."""

    source: str
    position: int


class Message(NamedTuple):
    """Something said to the agent, or within its hearing.

    `speaker` is a stable id (the relationship's user where it is left out), `name` the display
    name of the day. `happened` None means: now, for something live; unknown, in an import.
    `origin` and `request` are set by importers alone.
    """

    content: str
    role: Role = "user"
    speaker: str | None = None
    name: str | None = None
    hidden: bool = False
    happened: Moment | None = None
    origin: Origin | None = None
    request: str | None = None


class Reply(NamedTuple):
    """What the agent said. `given` are the numbers that its prompt had offered."""

    content: str
    delivered: Delivery = "shown"
    given: tuple[int, ...] = ()
    speaker: str | None = None
    name: str | None = None
    hidden: bool = False
    happened: Moment | None = None
    origin: Origin | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A group scene: its random id, and the ids of the parties who were there."""

    id: bytes
    present: tuple[str, ...] = ()


def open_turn(
    stream: Stream,
    branch: int,
    messages: Sequence[Message],
    *,
    at: Moment | None = None,
    request: str | None = None,
    scene: Scene | None = None,
    reply: Reply | None = None,
    expect: int | None = None,
    by: str = "host",
) -> int:
    """Open a turn at the branch's tip; with a `reply`, record a whole exchange that happened.

    `expect` is the turn that the caller believes to be the tip (ROOT for an empty branch).
    The same `request` again is answered with the turn that it opened.
    """
    request, turn = own_request(request), len(stream.history)
    drafts = _turn_drafts(stream, branch, turn, messages, at, request, scene, reply, by)
    if request is not None:
        known = stream.recorded(request, [draft._replace(turn=ROOT) for draft in drafts])
        if known is not None:
            return known
    tip = stream.history.branches[branch].tip
    if expect is not None and expect != tip:
        raise ExpectationFailed(
            f"the branch ends with turn {_shown(tip)}, not with {_shown(expect)}; "
            "read what was added and decide again"
        )
    if by != "import":
        drafts = [Draft(*draft[:6], moment_of(draft.happened, stream), draft.request)
                  for draft in drafts]  # fmt: skip
    return stream.append(*drafts)


def _turn_drafts(
    stream: Stream,
    branch: int,
    turn: int,
    messages: Sequence[Message],
    at: Moment | None,
    request: str | None,
    scene: Scene | None,
    reply: Reply | None,
    by: str,
) -> list[Draft]:
    """What a turn consists of, with the times as they were given."""
    opened = _by(by, {"messages": len(messages)})
    if scene is not None:
        present = [check_id(party, "a party") for party in scene.present]
        opened = payload_of("TurnOpened", **opened, scene=scene.id, present=present)
    drafts = [Draft("TurnOpened", opened, turn, branch, (), (), at, request)]
    texts: list[tuple[str, dict[str, Any], Message | Reply]] = [
        ("MessageReceived", _message(stream, branch, message, by), message) for message in messages
    ]
    if reply is not None:
        texts.append(("ReplyGiven", _reply(stream, branch, reply, by), reply))
    lived = None if by == "import" else at  # in an import, what is unknown stays so
    for kind, payload, text in texts:
        happened = text.happened or lived
        drafts.append(Draft(kind, payload, turn, branch, (turn,), (), happened, text.request))
    return drafts


def add_message(
    stream: Stream,
    branch: int,
    turn: int,
    message: Message,
    *,
    request: str | None = None,
    by: str = "host",
) -> int:
    """Add a message to a turn that is still open."""
    draft = Draft(
        "MessageReceived",
        _message(stream, branch, message, by),
        turn,
        branch,
        (turn,),
        (),
        _when(message.happened, stream, by),
    )
    request = own_request(request) or message.request
    known = stream.recorded(request, [_timeless(draft, message.happened)])
    if known is not None:
        return known
    _require_status(stream, branch, turn, "open")
    _require_kept(stream, turn, by)
    return stream.append(draft._replace(request=request))


def give_reply(
    stream: Stream,
    branch: int,
    turn: int,
    reply: Reply,
    *,
    request: str | None = None,
    by: str = "host",
) -> int:
    """Record a reply: the first completes the turn, another is a variant and is chosen.

    A variant of an older turn happened when that turn did, so that time does not jump.
    """
    standing = stream.standing(branch)
    _require_turn(stream, branch, turn)
    draft = Draft("ReplyGiven", _reply(stream, branch, reply, by), turn, branch, (turn,))
    request = own_request(request) or reply.request
    known = stream.recorded(request, [_timeless(draft, reply.happened)])
    if known is not None:
        return known
    if standing.status(turn) == "abandoned":
        raise Conflict(f"turn {turn} was abandoned; open a new turn for this reply")
    _require_kept(stream, turn, by)
    happened = reply.happened
    if happened is None and by != "import" and turn != stream.history.branches[branch].tip:
        happened = _last_moment(stream, turn)
    elif happened is None or by != "import":
        happened = _when(happened, stream, by)
    return stream.append(draft._replace(happened=happened, request=request))


def abandon_turn(stream: Stream, branch: int, turn: int) -> int:
    """No reply will come. What was said to the agent stays said."""
    _require_status(stream, branch, turn, "open")
    payload = payload_of("TurnAbandoned")
    return stream.append(Draft("TurnAbandoned", payload, turn, branch, happened=stream.now))


def revise_text(
    stream: Stream,
    branch: int,
    text: int,
    content: str,
    *,
    how: Literal["edited", "continued"] = "edited",
    request: str | None = None,
    by: str = "host",
) -> int:
    """Give a message or reply another wording, chosen from now on. It happened when it did."""
    root = _require_text(stream, branch, text)
    turn = stream.history.turn[root]
    said = _said(stream, root)
    payload = payload_of("TextRevised", by=by, content=check_text(content), how=how, **said)
    draft = Draft("TextRevised", payload, turn, branch, (turn,), (root,))
    request = own_request(request)
    known = stream.recorded(request, [draft])
    if known is not None:
        return known
    if "speaker" not in said and by != "import":
        raise Conflict(f"of number {text} it is not known any more who said it; open a new turn")
    happened = stream.record(root).header.moment
    return stream.append(draft._replace(happened=happened, request=request))


def continue_text(
    stream: Stream, branch: int, text: int, more: str, *, request: str | None = None
) -> int:
    """Add to the wording of a message or reply that counts now."""
    root = _require_text(stream, branch, text)
    check_text(more)
    before = stream.standing(branch).chosen(root, default=root)
    sent = own_request(request)
    known = None if sent is None else stream.log.requested(stream.line, sent)
    wordings = stream.payloads(_wordings(stream, root))
    if known in wordings:
        # Sent again: what counts now may be what it made, or what was said since.
        whole = wordings[known]["content"]
        earlier = (n for n in wordings if n < known and wordings[n]["content"] + more == whole)
        before = next(earlier, before)
    if before not in wordings and known is None:
        raise Conflict(f"number {before} was erased; it cannot be continued")
    content = wordings[before]["content"] + more if before in wordings else more
    return revise_text(stream, branch, root, content, how="continued", request=request)


def _wordings(stream: Stream, root: int) -> list[int]:
    """The numbers of all wordings of a text, the first one first."""
    return [root, *(number for number, first in stream.history.base.items() if first == root)]


def _said(stream: Stream, root: int) -> dict[str, Any]:
    """Who said a text and how, by its first wording or another one that is left."""
    wordings = _wordings(stream, root)
    payloads = stream.payloads(wordings)
    about: dict[str, Any] = {}
    for number in reversed(wordings):
        about = stream.about_text(number, payloads) or about
    said = {key: about[key] for key in _SAID if key in about}
    return said | {"role": "agent"} if stream.history.kind[root] == _REPLY else said


def choose_variant(stream: Stream, branch: int, reply: int, *, by: str = "host") -> int:
    """Let this reply count among the replies of its turn (a swipe)."""
    root = _require_text(stream, branch, reply)
    if stream.history.kind[root] != _REPLY:
        raise InvalidInput(f"number {reply} is a message; only replies have variants")
    draft = Draft("VariantChosen", payload_of("VariantChosen", by=by), branch=branch)
    return stream.append(_act(stream, draft, stream.history.turn[root], (root,)))


def choose_revision(stream: Stream, branch: int, text: int, *, by: str = "host") -> int:
    """Let this wording count: a revision, or (undo) the original number."""
    _require_text(stream, branch, text)
    draft = Draft("RevisionChosen", payload_of("RevisionChosen", by=by), branch=branch)
    return stream.append(_act(stream, draft, stream.history.turn[text], (text,)))


def fork_branch(
    stream: Stream, branch: int, name: str, turn: int | None = None, *, by: str = "host"
) -> int:
    """Begin a branch after a turn of this one (its tip, where none is named).

    A turn that the tip was moved back from is still one of the branch's own.
    """
    check_id(name, "a branch name")
    if name in stream.names():
        raise Conflict(f"there is a branch {name!r} already; choose another name")
    target = stream.history.branches[branch].tip if turn is None else turn
    if target != ROOT:
        _require_own_turn(stream, branch, target)
    draft = Draft("BranchForked", payload_of("BranchForked", by=by, name=name), branch=branch)
    return stream.append(_act(stream, draft, target, () if target == ROOT else (target,)))


def switch_branch(stream: Stream, branch: int) -> int:
    """Make a branch the current one."""
    draft = Draft("BranchSwitched", payload_of("BranchSwitched"), branch=branch)
    return stream.append(_act(stream, draft, stream.history.branches[branch].tip, (branch,)))


def drop_branch(stream: Stream, branch: int) -> int:
    """Withdraw a branch; `restore` with its number brings it back."""
    if branch == MAIN:
        raise InvalidInput("the branch main cannot be dropped")
    return withdraw(stream, MAIN, [branch])


def _check_branch(stream: Stream, branch: int, type_name: str) -> None:
    """Whether a branch may be dropped, or come back."""
    if type_name == "Withdrawn" and branch == stream.history.current:
        raise Conflict("the current branch cannot be dropped; switch to another one first")
    name = stream.all_names()[branch]
    if type_name == "Restored" and name in stream.names():
        raise Conflict(f"there is another branch {name!r} now; drop it before this one comes back")


def move_tip(stream: Stream, branch: int, turn: int, *, by: str = "host") -> int:
    """End the branch after this turn (ROOT: before the first). Later turns can be brought back."""
    if turn != ROOT:
        _require_own_turn(stream, branch, turn)
    draft = Draft("TipMoved", payload_of("TipMoved", by=by), branch=branch)
    return stream.append(_act(stream, draft, turn, () if turn == ROOT else (turn,)))


def withdraw(stream: Stream, branch: int, numbers: Sequence[int], *, by: str = "host") -> int:
    """Let events, texts or whole turns count for nothing, on all branches. Can be undone."""
    return _retract(stream, branch, numbers, "Withdrawn", by)


def restore(stream: Stream, branch: int, numbers: Sequence[int], *, by: str = "host") -> int:
    """Let what was withdrawn count again."""
    for number in numbers:
        if not stream.history.withdrawn.get(number, False):
            raise Conflict(f"number {number} is not withdrawn")
    return _retract(stream, branch, numbers, "Restored", by)


def _retract(stream: Stream, branch: int, numbers: Sequence[int], type_name: str, by: str) -> int:
    if not numbers:
        raise InvalidInput("name at least one number")
    for number in numbers:
        if not 0 < number < len(stream.history):
            raise NotFound(f"there is no number {number} that could be withdrawn or restored")
        if number in stream.history.acts and number not in stream.history.branches:
            raise InvalidInput(
                f"number {number} is an act itself ({stream.record(number).header.type}); "
                "it is undone by another one"
            )
        if number in stream.history.branches:
            _check_branch(stream, number, type_name)
    draft = Draft(type_name, payload_of(type_name, by=by), branch=branch)
    tip = stream.history.branches[branch].tip
    return stream.append(_act(stream, draft, tip, tuple(numbers)))


def name_party(
    stream: Stream,
    branch: int,
    party: str,
    name: str,
    aliases: Sequence[str] = (),
    *,
    at: Moment | None = None,
    by: str = "host",
) -> int:
    """A party has this display name from here on; what it said before keeps the name it had."""
    payload = payload_of(
        "PartyNamed",
        by=by,
        party=check_id(party, "a party"),
        name=check_id(name, "a name"),
        aliases=[check_id(alias, "an alias") for alias in aliases],
    )
    happened = at if at or by == "import" else stream.now
    return _at_tip(stream, branch, "PartyNamed", payload, happened)


def rebind_party(stream: Stream, branch: int, party: Party, new: str, *, by: str = "host") -> int:
    """The agent or the user has another outside id from here on, and is found under it.

    Where the two have a history under that id already, it is Conflict. This is for one line: the
    others of the relationship need an event of their own.
    """
    check_id(new, f"the {party}")
    line = stream.line
    agent, user = (new, line.user) if party == "agent" else (line.agent, new)
    other = stream.log.line_of(agent, user)
    if (agent, user) == (line.agent, line.user) or (
        other is not None and other.relationship != line.relationship
    ):
        raise Conflict(f"{agent!r} and {user!r} have a history of their own; it stays theirs")
    before = line.agent if party == "agent" else line.user
    payload = payload_of("PartyRebound", by=by, party=party, id=new, before=before)
    number = _at_tip(stream, branch, "PartyRebound", payload, stream.now)
    rename_parties(stream.log, line, agent, user)
    stream.line = stream.log.line_now(line)
    return number


def adopt_blueprint(
    stream: Stream,
    branch: int,
    *,
    name: str,
    spec: str,
    card: str,
    bend: dict[str, int] | None = None,
    by: str = "host",
) -> int:
    """From here on the character is played from this card (its JSON text, as received)."""
    payload = payload_of(
        "BlueprintAdopted", by=by, name=name, spec=spec, card=card, bend=dict(bend or {})
    )
    return _at_tip(stream, branch, "BlueprintAdopted", payload, stream.now)


def adopt_policy(
    stream: Stream, branch: int, name: str, numbers: dict[str, Any], *, by: str = "host"
) -> int:
    """From here on the folds use these numbers."""
    payload = payload_of("PolicyAdopted", by=by, name=check_id(name, "a policy"), numbers=numbers)
    return _at_tip(stream, branch, "PolicyAdopted", payload, stream.now)


def party_name(stream: Stream, branch: int, party: str) -> str:
    """The display name that a party has now on a branch: its id, where none was given."""
    number = stream.history.last("PartyNamed")
    ids = stream.ids_of(party) if number != -1 else frozenset()
    while number != -1:
        if number in stream.standing(branch):
            payload = stream.payload(number)
            if payload is not None and payload["party"] in ids:
                return str(payload["name"])
        number = stream.history.last("PartyNamed", number)
    return party


def _at_tip(
    stream: Stream, branch: int, type_name: str, payload: dict[str, Any], at: Moment | None
) -> int:
    tip = stream.history.branches[branch].tip
    return stream.append(Draft(type_name, payload, tip, branch, happened=at))


def _act(stream: Stream, draft: Draft, turn: int, targets: tuple[int, ...]) -> Draft:
    return draft._replace(turn=turn, targets=targets, happened=stream.now)


def _message(stream: Stream, branch: int, message: Message, by: str) -> dict[str, Any]:
    speaker = message.speaker
    if speaker is not None:
        check_id(speaker, "a speaker")
    elif message.role == "other":
        raise InvalidInput("a message of somebody else needs a `speaker`")
    else:
        speaker = stream.line.user if message.role == "user" else stream.line.agent
    said = {
        "role": message.role,
        "speaker": speaker,
        "name": _name(stream, branch, speaker, message.name),
        "content": check_text(message.content, "a message"),
    }
    return _spoken("MessageReceived", said, message, by, message.role in _ROLES)


def _reply(stream: Stream, branch: int, reply: Reply, by: str) -> dict[str, Any]:
    numbers = [number for number in reply.given if type(number) is int]
    for number in numbers:
        if not 0 <= number < len(stream.history):
            raise NotFound(f"the reply was given number {number}, and there is no such event")
    speaker = check_id(reply.speaker, "a speaker") if reply.speaker else stream.line.agent
    said: dict[str, Any] = {
        "speaker": speaker,
        "name": _name(stream, branch, speaker, reply.name),
        "content": check_text(reply.content, "a reply"),
    }
    if reply.delivered != "shown":
        said["delivered"] = reply.delivered
    if reply.given:
        said["given"] = list(reply.given)
    fits = reply.delivered in _DELIVERIES and len(numbers) == len(reply.given)
    return _spoken("ReplyGiven", said, reply, by, fits)


def _spoken(
    type_name: str, said: dict[str, Any], text: Message | Reply, by: str, fits: bool
) -> dict[str, Any]:
    """What `payload_of` gives for something said, all of which was checked: every text comes this
    way. Where something does not fit, `payload_of` says what.
    """
    if text.hidden is not False:
        said["hidden"] = text.hidden
    if text.origin is not None:
        said["origin"] = {"source": text.origin.source, "position": text.origin.position}
    _by(by, said)
    return said if fits and type(text.hidden) is bool else payload_of(type_name, **said)


def _by(by: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, with who acted, unless that is the host, whom no payload names."""
    if by != "host":
        fields["by"] = by
    return fields


def _name(stream: Stream, branch: int, speaker: str, given: str | None) -> str:
    return check_id(given, "a name") if given else party_name(stream, branch, speaker)


def _when(given: Moment | None, stream: Stream, by: str) -> Moment | None:
    """In an import what is unknown stays unknown; what is live happened now."""
    return given if by == "import" else moment_of(given, stream)


def _timeless(draft: Draft, given: Moment | None) -> Draft:
    """The draft as the request knew it: with a time only if the caller gave one."""
    return draft._replace(happened=given)


def _last_moment(stream: Stream, turn: int) -> Moment | None:
    history = stream.history
    texts = [n for n in history.events_of(turn) if history.kind[n] == _REPLY]
    return stream.record(texts[-1] if texts else turn).header.moment


def _require_turn(stream: Stream, branch: int, turn: int) -> None:
    if not 0 <= turn < len(stream.history) or stream.history.kind[turn] != _TURN:
        raise NotFound(f"number {turn} is no turn; `enishi log` lists the turns")
    if not stream.standing(branch).on_path(turn):
        raise NotFound(f"turn {turn} does not lie on this branch")


def _require_own_turn(stream: Stream, branch: int, turn: int) -> None:
    history = stream.history
    if not 0 <= turn < len(history) or history.kind[turn] != _TURN:
        raise NotFound(f"number {turn} is no turn; `enishi log` lists the turns")
    if not stream.standing(branch).says(turn):
        raise NotFound(f"turn {turn} belongs to another branch")


def _require_status(stream: Stream, branch: int, turn: int, wanted: str) -> None:
    _require_turn(stream, branch, turn)
    status = stream.standing(branch).status(turn)
    if status != wanted:
        raise Conflict(f"turn {turn} is {status}, not {wanted}")


def _require_kept(stream: Stream, turn: int, by: str) -> None:
    """What is said in an erased turn would never count. Importers tell of it themselves."""
    if turn in stream.history.erased and by != "import":
        raise Conflict(f"turn {turn} was erased; open a new turn")


def _require_text(stream: Stream, branch: int, text: int) -> int:
    """The root of a text that lies on the branch's path."""
    if not stream.is_text(text):
        raise NotFound(f"number {text} is no message or reply")
    root = stream.history.root_text(text)
    _require_turn(stream, branch, stream.history.turn[root])
    return root


def _shown(turn: int) -> str:
    return "none" if turn == ROOT else str(turn)
