"""One fact or refutation against a run: which entry decides, whether it may be read, and what it says."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from verdicts.answer import Answer, inert
from verdicts.attempt import attempt, attempt_check
from verdicts.case import Entry, Subject
from verdicts.demand import demanded, difference, is_question, same
from verdicts.fact import Check, Fact, Refutation
from verdicts.outcomes import FAILS, HOLDS, UNANSWERABLE, Effect, FactOutcome, Outcome, RefutationOutcome
from verdicts.words import Reason, Told, ended, told

#: What a NamedTuple's own constructor calls, without its detour: some are made for every fact.
made = tuple.__new__
_OBSERVED = Status.OBSERVED
_SEVERITY = {HOLDS: 0, UNANSWERABLE: 1, FAILS: 2}


#: A fact's outcome, and the entries that answered its question last (more than one only in a tie).
Judged = tuple[FactOutcome, tuple[int, ...]]


def judge_fact(
    name: str,
    fact: Fact,
    subject: Subject,
    judged_at: datetime,
    *,
    shape: ToolShape | None,
    asked: Sequence[Entry],
) -> Judged:
    """Decide one fact from the run's entries of its tool. The newest answer to its question decides."""
    if shape is None:
        return _unasked(name, fact, f"No tool named {fact.tool} is loaded here.")
    arguments, problem = attempt(demanded, fact, subject, shape)
    if problem:
        return _unasked(name, fact, f"The question can't be put: {problem}.")
    matching = []
    for entry in asked:  # a comprehension would cost a call, and this runs for every fact
        if is_question(arguments, entry.arguments):
            matching.append(entry)
    if len(matching) == 1:
        entry = matching[0]
        outcome, words = _read(fact, entry, arguments, subject, judged_at)
        return made(FactOutcome, (name, outcome, words, fact.tool, entry.id, arguments)), (entry.id,)
    if not matching:
        return _unasked(name, fact, _nobody_asked(fact, arguments, asked), arguments)
    newest = _newest(matching)
    read = [(*_read(fact, entry, arguments, subject, judged_at), entry.id) for entry in newest]
    outcome, words, number = max(read, key=lambda each: _SEVERITY[each[0]])  # the first of equals
    decided = FactOutcome(name, outcome, words, fact.tool, number, arguments)
    return decided, tuple([entry.id for entry in newest])


def judge_refutation(
    name: str, refutation: Refutation, *, subject: Subject, asked: Sequence[Entry]
) -> RefutationOutcome:
    """Decide one refutation: every entry of its tool is read, whatever it was asked and whenever."""
    doubt: RefutationOutcome | None = None
    for entry in asked:
        if entry.status not in (Status.OBSERVED, Status.EMPTY, Status.TRUNCATED):
            continue
        answer = Answer(entry.result, told_at=entry.finished_at)
        outcome, reason = _check(refutation.when, answer, subject)
        if outcome is HOLDS:
            said = refutation.sentence or _words(name)
            return RefutationOutcome(
                name, Effect.FIRES, f"{ended(said)} Entry {entry.id}: {told(answer.log)}.", entry.id
            )
        if outcome is UNANSWERABLE and entry.status != Status.EMPTY and doubt is None:
            sentence = f"It can't be ruled out: entry {entry.id} can't be read, {reason}."
            doubt = RefutationOutcome(name, Effect.UNANSWERABLE, sentence, entry.id)
    return doubt or RefutationOutcome(name, Effect.SILENT, "No entry of the run satisfies it.", None)


def _unasked(name: str, fact: Fact, reason: str, arguments: Mapping[str, Any] | None = None) -> Judged:
    return FactOutcome(name, UNANSWERABLE, reason, fact.tool, None, arguments), ()


def _nobody_asked(fact: Fact, arguments: Mapping[str, Any], asked: Sequence[Entry]) -> str:
    if not asked:
        return f"Nobody asked {fact.tool}."
    nearest = max(asked, key=lambda entry: (_alike(arguments, entry.arguments), entry.id))
    return (
        f"Nobody asked {fact.tool} the right question: "
        f"entry {nearest.id} asked {difference(arguments, nearest.arguments)}."
    )


def _alike(wanted: Mapping[str, Any], asked: Mapping[str, Any]) -> int:
    return sum(1 for name, value in wanted.items() if name in asked and same(value, asked[name]))


def _newest(matching: Sequence[Entry]) -> list[Entry]:
    """Return the last call by its time and the last by its id: where a clock stepped back, both must do."""
    latest = max(entry.called_at for entry in matching)
    highest = max(entry.id for entry in matching)
    return [entry for entry in matching if entry.called_at == latest or entry.id == highest]


def _read(
    fact: Fact, entry: Entry, arguments: Mapping[str, Any], subject: Subject, judged_at: datetime
) -> tuple[Outcome, Reason]:
    problem = "" if entry.status is _OBSERVED else _status_problem(fact, entry)
    if not problem:
        problem = _time_problem(fact, entry, subject.started_at, judged_at)
        if not problem and fact.covers:
            problem = _window_problem(fact.covers, entry, arguments) or _reach_problem(fact.covers, entry)
    if problem:
        return UNANSWERABLE, problem
    answer = Answer(entry.result, told_at=entry.finished_at)
    value, problem = attempt_check(fact.holds, answer, subject)
    if not problem and answer.log:
        if value is True:
            return HOLDS, made(Told, (entry.id, answer.log, ""))
        if value is False:
            return FAILS, made(Told, (entry.id, answer.log, fact.sentence))
    return UNANSWERABLE, f"Entry {entry.id} can't be read: {problem or _no_answer(value)}."


def _check(check: Check, answer: Answer, subject: Subject) -> tuple[Outcome, str]:
    """Run a check. Exactly True, after reading at least one field, holds; exactly False fails."""
    value, problem = attempt_check(check, answer, subject)
    if problem or not answer.log or (value is not True and value is not False):
        return UNANSWERABLE, problem or _no_answer(value)
    return (HOLDS if value else FAILS), ""


def _no_answer(value: object) -> str:
    if value is not True and value is not False:
        return f"the check returned a {type(value).__name__}, not True or False"
    return "the check read no field of the answer"


def _status_problem(fact: Fact, entry: Entry) -> str:
    status = entry.status
    if status == Status.OBSERVED:
        return ""
    if status == Status.EMPTY:
        return "" if fact.accepts_empty else f"Entry {entry.id} found nothing, and nothing is no answer here."
    if status == Status.TRUNCATED:
        if fact.truncation_harmless_because:
            return ""
        return f"Entry {entry.id} was cut by a limit: what is missing could say otherwise."
    why = f": {ended(inert(entry.reason))}" if entry.reason else "."
    return f"Entry {entry.id} gave no answer ({status}){why}"


def _time_problem(fact: Fact, entry: Entry, started_at: datetime, judged_at: datetime) -> str:
    called_at = entry.called_at
    if called_at <= started_at:
        return (
            f"Entry {entry.id} was asked at {as_text(called_at)}, "
            f"not after the incident began at {as_text(started_at)}."
        )
    if not called_at <= entry.finished_at <= judged_at:
        return f"The times of entry {entry.id} can't be: asked, answered and judged are not in this order."
    if fact.not_before is not None and called_at - started_at < fact.not_before:
        opens_at = as_text(started_at + fact.not_before)
        return f"Entry {entry.id} was asked at {as_text(called_at)}; only from {opens_at} on does it count."
    if judged_at - called_at > fact.max_age:
        return f"Entry {entry.id} is older than {fact.max_age} at the time of judging."
    return ""


def _window_problem(covers: Mapping[str, str], entry: Entry, arguments: Mapping[str, Any]) -> str:
    covered = entry.covered
    if covered is None:
        return f"Entry {entry.id} does not say which window it covered."
    for argument, edge in covers.items():
        try:
            wanted = from_text(arguments[argument])
            had = from_text(covered[edge])
        except (KeyError, TypeError, NotAnInstant):
            return f"Entry {entry.id} does not say {edge} when it covered."
        if (had > wanted) if edge == "since" else (had < wanted):
            return f"Entry {entry.id} covered {edge} {as_text(had)}, and asked was {edge} {as_text(wanted)}."
    return ""


def _reach_problem(covers: Mapping[str, str], entry: Entry) -> str:
    """Say why a window without an asked end does not reach up to the call, or nothing."""
    if "until" in covers.values():
        return ""
    try:
        had = from_text((entry.covered or {})["until"])
    except (KeyError, TypeError, NotAnInstant):
        return f"Entry {entry.id} does not say until when it covered."
    if had < entry.called_at:
        called_at = as_text(entry.called_at)
        return (
            f"Entry {entry.id} covered until {as_text(had)}, and was to reach up to the call at {called_at}."
        )
    return ""


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
