"""The kernel's answer to one proposal, judged alone and only by what cannot change later.

`RULES` lists every reason for which a proposal is not accepted, in order of precedence; the first
that applies is the answer. `docs/decisions.md` prints them. Duplicates, whether something is open
or closed, replacement and conflict are settled by the folds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from enishi.kernel.deciding.case import Case, Evidence
from enishi.kernel.deciding.copying import cited_blueprint, cited_rendering
from enishi.kernel.deciding.earnestness import played, says_what_is_so, wished
from enishi.kernel.deciding.proposals import (
    Belief,
    BeliefConfirmation,
    BeliefRetraction,
    Consequence,
    EpisodeBoundary,
    EpisodeSummary,
    Mood,
    OpenLoop,
    Promise,
    PromiseOutcome,
    Reflection,
    Signal,
    SummarySentence,
)
from enishi.kernel.events import Verdict
from enishi.kernel.moments import MINUTE
from enishi.kernel.words.carried import (
    Said,
    asserts_a_promise,
    folded,
    negated,
    negations,
    nothing_added,
    said_in_the_first_person,
    said_in_the_third_person,
    value_follows,
    wording_follows,
)
from enishi.kernel.words.earnest import is_rhetorical
from enishi.kernel.words.happenings import looks_back
from enishi.kernel.words.named import unsaid
from enishi.kernel.words.said_days import follows
from enishi.kernel.words.vocabulary import own_keys
from enishi.kernel.words.whose import of_somebody_else
from enishi.kernel.words.whose_feeling import is_anothers

RULES_VERSION = 7

MAX_PER_TURN = 32
"""Proposals of one batch that one turn may carry."""

EXPRESSED = frozenset(
    {"gratitude", "disclosure", "repair", "remembrance", "pledge", "support", "disappointment"}
)
"""Signals that only the actor's own words show. The others either party may witness."""

UNFACTUAL = frozenset({"fiction", "hypothetical", "joke"})

PAUSE = 45 * MINUTE
"""A gap that alone says nothing: a phone call, a meal."""

SAME_TOPIC = 4_000
"""Of what is spoken of, the share in 1/10000 that was spoken of just before, and so goes on."""

ANY_SIGN = frozenset({"dislikes", "allergy", "diet", "fear", "boundary", "instruction", "smokes"})
"""Keys whose values are as often said with a negation as without one."""


class Rule(NamedTuple):
    """One reason for not accepting a proposal. `applies` says whether it holds for a case."""

    reason: str
    verdict: Verdict
    meaning: str
    applies: Callable[[Case], bool]


class Decision(NamedTuple):
    """The answer to one proposal, and the evidence that was found for it."""

    verdict: Verdict
    reason: str
    evidence: Evidence | None = None


ACCEPTED = "supported"


def decide(case: Case, *, released: bool = False) -> Decision:
    """Judge one proposal. A refusal is an answer with a reason code, never an error.

    `released`: the host lets a held proposal have its effect; what would reject it still does.
    """
    for rule in RULES:
        if released and rule.verdict == "held":
            continue
        if rule.applies(case):
            return Decision(rule.verdict, rule.reason, case.evidence)
    return Decision("accepted", ACCEPTED, case.evidence)


# Where the words stand


def _quote_not_found(case: Case) -> bool:
    return case.evidence is None


def _reason_not_found(case: Case) -> bool:
    proposal = case.proposal
    if not isinstance(proposal, Belief) or proposal.because is None:
        return False
    said = case.said(proposal.because.citation)
    wording = proposal.because.wording
    if said is None or not wording_follows(wording, [said], case.known_names):
        return True
    return _disagrees(wording, [said])


# Where an episode begins


def _no_turn_before(case: Case) -> bool:
    return isinstance(case.proposal, EpisodeBoundary) and not case.before


def _goes_on(case: Case) -> bool:
    if not isinstance(case.proposal, EpisodeBoundary) or case.passed is None:
        return False
    return case.passed < PAUSE and case.shared >= SAME_TOPIC


# Who may establish what


def _third_person(case: Case) -> bool:
    """Somebody else's words move neither party's stance; beliefs may rest on them as hearsay."""
    told = Belief | EpisodeBoundary | EpisodeSummary
    return not isinstance(case.proposal, told) and "other" in case.voices


def _not_the_subjects_words(case: Case) -> bool:
    """A user's words establish what is so of the user, the agent's what is so of the agent."""
    proposal = case.proposal
    if isinstance(proposal, BeliefConfirmation | BeliefRetraction):
        subject = case.referenced(proposal.belief).get("subject")
    elif isinstance(proposal, Belief):
        subject = case.subject
    elif isinstance(proposal, Mood):
        subject = proposal.party
    else:
        return False
    if subject not in ("user", "agent"):
        return False
    if case.reason_text is not None and case.reason_text.role not in (subject, *case.voices):
        return True
    if case.voices == {"other"}:
        return any(said_in_the_first_person(one.clause) for one in case.quoted)
    if case.voices == {subject}:
        return False
    # The other's question may be cited beside the answer, never instead of it.
    return not (subject in case.voices and case.answered_yes(subject))


def _said_of_another(case: Case) -> bool:
    """That Greta eats no meat is said by the user, and is not so of the user for it."""
    proposal, subject = case.proposal, case.subject
    if isinstance(proposal, Mood):
        by_agent, names = proposal.party == "agent", case.names[proposal.party]
        anothers = partial(is_anothers, own_names=names, by_agent=by_agent)
        return case.voices == {proposal.party} and _all(case.quoted, anothers)
    if not isinstance(proposal, Belief) or proposal.key not in own_keys():
        return False
    if subject not in ("user", "agent") or subject not in case.voices:
        return False
    given = [one for one in case.quoted if folded(proposal.value) in folded(one.words)]
    names = case.names["user" if subject == "user" else "agent"]
    return _all(given or case.quoted, lambda one: of_somebody_else(one, proposal.value, names))


def _not_the_actors_words(case: Case) -> bool:
    proposal = case.proposal
    return (
        isinstance(proposal, Signal)
        and proposal.signal in EXPRESSED
        and case.voices != {proposal.actor}
    )


def _not_the_promisers_words(case: Case) -> bool:
    proposal = case.proposal
    if not isinstance(proposal, Promise) or case.voices == {proposal.promiser}:
        return False
    # A yes to a request is the promiser's word; a yes to "you promised" asserts what never was.
    asserted = any(asserts_a_promise(one.clause) for one in case.quoted)
    answered = proposal.promiser in case.voices and case.answered_yes(proposal.promiser)
    return asserted or not answered


def _not_theirs_to_release(case: Case) -> bool:
    """Only the one to whom a promise was made releases from it; only the promiser replaces it."""
    proposal = case.proposal
    if not isinstance(proposal, PromiseOutcome) or proposal.outcome in ("kept", "broken"):
        return False
    promiser = case.referenced(proposal.promise).get("promiser")
    other = "agent" if promiser == "user" else "user"
    return (other if proposal.outcome == "released" else promiser) not in case.voices


def _no_reply_cited(case: Case) -> bool:
    """A consequence is one of a reply, and the one who bears it says so."""
    proposal = case.proposal
    if not isinstance(proposal, Consequence):
        return False
    return "agent" not in case.voices or proposal.bearer not in case.voices


# How it was said, and why it is there


def _not_in_earnest(case: Case) -> bool:
    if case.proposal.mode in UNFACTUAL:
        return True
    shows = (partial(wished, case.proposal), partial(played, case.proposal))
    return any(_all(case.quoted, one) for one in shows)


def _only_reported(case: Case) -> bool:
    return case.proposal.mode == "reported" and not isinstance(case.proposal, Belief)


def _self_caused(case: Case) -> bool:
    """Recall put a memory into the prompt; that the agent then speaks of it shows nothing."""
    proposal = case.proposal
    if isinstance(proposal, EpisodeBoundary):
        return False
    if cited_rendering(case) or cited_blueprint(case):
        return True
    given = [text.given for text in case.cited]
    if case.voices != {"agent"} or not all(given):
        return False
    if isinstance(proposal, Signal):
        return proposal.signal == "remembrance" or _looks_back(case)
    if isinstance(proposal, BeliefConfirmation):
        target = case.number_of(proposal.belief)
        return any(target in numbers for numbers in given)
    if isinstance(proposal, Mood):
        moods = [n for numbers in given for n in numbers if case.type_of(n) == "MoodObserved"]
        return any(case.referenced(number).get("party") == "agent" for number in moods)
    if not isinstance(proposal, Belief):
        return False
    told = [case.referenced(number) for numbers in given for number in numbers]
    slot = (case.subject, proposal.key)
    return any((one.get("subject"), one.get("key")) == slot for one in told)


def _looks_back(case: Case) -> bool:
    """Whether a shared experience is told as one that is remembered."""
    start, end = case.evidence.sentence if case.evidence else (0, 0)
    told = isinstance(case.proposal, Signal) and case.proposal.signal == "shared_experience"
    return told and looks_back((case.latest.content or "")[start:end])


def _only_asked(case: Case) -> bool:
    """A question says nothing of what is so, unless the other says yes to it.

    One that is put for effect says the opposite, and with more than words like these.
    """
    if not says_what_is_so(case.proposal):
        return False
    about = getattr(case.proposal, "value", getattr(case.proposal, "act", ""))
    if _all(case.quoted, lambda one: is_rhetorical(one, about)):
        return True
    return len(case.voices) == 1 and _all(case.quoted, lambda one: one.is_asked)


def _all(quoted: list[Said], applies: Callable[[Said], bool]) -> bool:
    return bool(quoted) and all(map(applies, quoted))


# Whether it follows from the words


def _not_first_person(case: Case) -> bool:
    proposal = case.proposal
    if not isinstance(proposal, Reflection):
        return False
    return said_in_the_third_person(proposal.words, {"agent", *case.names["agent"]})


def _not_carried(case: Case) -> bool:
    proposal = case.proposal
    if not isinstance(proposal, Belief | Promise | OpenLoop | Reflection | EpisodeSummary):
        return False
    said, known = case.carrying, case.known_names
    if isinstance(proposal, Belief):
        return not value_follows(proposal.value, said, known)
    if isinstance(proposal, Promise):
        wordings = [proposal.act] + ([proposal.condition] if proposal.condition else [])
        return not all(wording_follows(wording, said, known) for wording in wordings)
    if isinstance(proposal, OpenLoop):
        both = (proposal.subject, proposal.continuation)
        return not (
            all(nothing_added(wording, said, known) for wording in both)
            and any(wording_follows(wording, said, known) for wording in both)
        )
    if isinstance(proposal, Reflection):
        return not nothing_added(proposal.words, case.reflected, known)
    if isinstance(proposal, EpisodeSummary):
        cited = [case.said(citation) for citation in proposal.citations]
        return not all(_rests_on(sentence, cited, known) for sentence in proposal.sentences)
    return False


def _rests_on(sentence: SummarySentence, cited: list[Said | None], known: set[str]) -> bool:
    if any(place >= len(cited) for place in sentence.cites):
        return False
    said = [one for place in sentence.cites if (one := cited[place]) is not None]
    return nothing_added(sentence.words, said, known) and not unsaid(sentence.words, said)


def _day_not_said(case: Case) -> bool:
    proposal = case.proposal
    days: list[str | None] = []
    if isinstance(proposal, Belief):
        days = [proposal.valid_from, proposal.valid_until]
    elif isinstance(proposal, Promise):
        days = [proposal.due]
    elif isinstance(proposal, OpenLoop):
        days = [proposal.expected_by]
    return not all(
        any(follows(day, one.clause, one.moment) or follows(day, one.words, one.moment)
            for one in case.carrying)
        for day in days
        if day is not None
    )  # fmt: skip


def _negation_disagrees(case: Case) -> bool:
    proposal = case.proposal
    if isinstance(proposal, Belief):
        if proposal.key in ANY_SIGN or proposal.category in ("constraint", "instruction"):
            return False
        meant = (not proposal.polarity) ^ (negations(proposal.value) % 2 == 1)
        return meant != negated(case.carrying, proposal.value)
    if isinstance(proposal, Promise):
        # "I will call if you don't": what is promised and when are said in one clause.
        return _disagrees(f"{proposal.act} {proposal.condition or ''}", case.carrying)
    return False


def _disagrees(wording: str, said: list[Said]) -> bool:
    return (negations(wording) % 2 == 1) != negated(said, wording)


# How sure, and how it was delivered


def _reply_was(delivered: str) -> Callable[[Case], bool]:
    return lambda case: (
        not isinstance(case.proposal, EpisodeBoundary)
        and any(text.role == "agent" and text.delivered == delivered for text in case.rested_on)
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "too_many_proposals",
        "rejected",
        f"more than {MAX_PER_TURN} proposals of one batch rest on this turn",
        lambda case: case.earlier >= MAX_PER_TURN,
    ),
    Rule(
        "text_unknown",
        "rejected",
        "a cited number is no text of this relationship",
        lambda case: case.unknown_texts,
    ),
    Rule(
        "text_erased",
        "rejected",
        "a cited text has been erased for good",
        lambda case: any(text.content is None for text in case.rested_on),
    ),
    Rule(
        "quote_not_found",
        "rejected",
        "the quoted words do not stand in the cited text, to the code point",
        _quote_not_found,
    ),
    Rule(
        "citations_apart",
        "rejected",
        "the cited texts lie on no common path: they never happened together",
        lambda case: not case.on_one_path,
    ),
    Rule(
        "text_hidden",
        "rejected",
        "a cited text was kept from the model",
        lambda case: any(text.hidden for text in case.rested_on),
    ),
    Rule(
        "reference_unknown",
        "rejected",
        "it speaks of a number that is no event of the kind that it needs",
        lambda case: case.wrong_references,
    ),
    Rule(
        "reference_not_accepted",
        "rejected",
        "it speaks of a proposal of its batch that was not accepted, or does not come before it",
        lambda case: case.dangling_references,
    ),
    Rule(
        "not_in_earnest",
        "rejected",
        "it was said in a story, as a wish or a supposition, or in jest",
        _not_in_earnest,
    ),
    Rule(
        "only_reported",
        "rejected",
        "hearsay can be a belief and nothing else",
        _only_reported,
    ),
    Rule(
        "third_person",
        "rejected",
        "somebody else's words show neither the user's stance nor the agent's",
        _third_person,
    ),
    Rule(
        "not_the_subjects_words",
        "rejected",
        "what is so of the user only the user's words say, and of the agent only the agent's",
        _not_the_subjects_words,
    ),
    Rule(
        "said_of_another",
        "rejected",
        "the cited words have somebody else as their subject, or say what somebody else feels",
        _said_of_another,
    ),
    Rule(
        "not_the_actors_words",
        "rejected",
        "only the actor's own words can show this",
        _not_the_actors_words,
    ),
    Rule(
        "not_the_promisers_words",
        "rejected",
        "a promise needs the promiser's own words; that one was made can be said by anybody",
        _not_the_promisers_words,
    ),
    Rule(
        "not_theirs_to_release",
        "rejected",
        "only the one to whom it was made releases from a promise; only the promiser replaces it",
        _not_theirs_to_release,
    ),
    Rule(
        "no_reply_cited",
        "rejected",
        "a consequence cites the reply that had it, and the words of the one who bears it",
        _no_reply_cited,
    ),
    Rule(
        "only_asked",
        "rejected",
        "it was asked, perhaps only for effect, and not said",
        _only_asked,
    ),
    Rule(
        "self_caused",
        "rejected",
        "its only evidence is what the kernel itself or the character's card had put there",
        _self_caused,
    ),
    Rule(
        "not_first_person",
        "rejected",
        "a reflection is the agent's own thought, and speaks of the agent as I",
        _not_first_person,
    ),
    Rule(
        "not_carried",
        "rejected",
        "its value or wording does not follow from the cited words",
        _not_carried,
    ),
    Rule(
        "day_not_said",
        "rejected",
        "it names a day that the cited words do not name",
        _day_not_said,
    ),
    Rule(
        "negation_disagrees",
        "rejected",
        "the cited words say the opposite",
        _negation_disagrees,
    ),
    Rule(
        "reason_not_found",
        "rejected",
        "the reason that it gives does not follow from the words cited for it",
        _reason_not_found,
    ),
    Rule(
        "no_turn_before",
        "rejected",
        "an episode begins between two turns, and no words of an earlier one are cited",
        _no_turn_before,
    ),
    Rule(
        "goes_on",
        "rejected",
        "what it speaks of was spoken of just before, and no more than a pause went by",
        _goes_on,
    ),
    Rule(
        "confidence_too_low",
        "rejected",
        "the proposer's own confidence is below 0.5",
        lambda case: case.proposal.confidence < 0.5,
    ),
    Rule(
        "confidence_low",
        "held",
        "the proposer's own confidence is below 0.7",
        lambda case: case.proposal.confidence < 0.7,
    ),
    Rule(
        "reply_overridden",
        "held",
        "it rests on a reply that the host marked as overridden",
        _reply_was("overridden"),
    ),
    Rule(
        "reply_unreviewed",
        "held",
        "it rests on a reply that the host marked as shown without its review",
        _reply_was("shown_unreviewed"),
    ),
)
