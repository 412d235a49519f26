"""The investigator without a model: ask what the applicable rules need, submit what holds best.

Pure but for `ask`: no clock, no database.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from investigations.demands import Ask, demands_of, is_early, question
from investigations.outcomes import BudgetSpent
from verdicts.case import NONE_OF_THESE, Case, Entry, Finding, Subject, Submission
from verdicts.demand import Demand
from verdicts.outcomes import Effect, Outcome, Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

# A start further ahead than this is a sender's wrong clock: waiting for it would hide the incident for years.
_AHEAD = timedelta(hours=1)
NOTHING = Submission(hypothesis=NONE_OF_THESE, findings=(), draft="")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the playbook came to: a submission, and perhaps a time that it is worth waiting for."""

    submission: Submission
    wait_until: datetime | None = None
    waits_for: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Trial:
    """One applicable rule, judged on trial with all that was gathered."""

    rule: str
    verdict: Verdict
    pending: tuple[Demand, ...]

    @property
    def rank(self) -> tuple[int, int]:
        outcomes = [fact.outcome for fact in self.verdict.facts]
        return outcomes.count(Outcome.HOLDS), -outcomes.count(Outcome.FAILS)

    @property
    def only_waits(self) -> bool:
        """Say whether nothing but answers that can't be earned yet is missing."""
        pending = {demand.fact for demand in self.pending}
        return (
            bool(pending)
            and all(fact.outcome is Outcome.HOLDS or fact.name in pending for fact in self.verdict.facts)
            and all(each.outcome is Effect.SILENT for each in self.verdict.refutations)
        )


def investigate(
    subject: Subject, rulebook: Rulebook, ask: Ask, *, now: datetime, earlier: Mapping[int, Entry]
) -> Gathered:
    """Ask each distinct question once, then choose the hypothesis by `verdict()` itself.

    `earlier` holds the entries that former attempts of this run left; they count like the new
    ones. The first rule that passes wins; else one that only has to wait; else the best supported.
    """
    demands = {rule.name: rulebook.demands(rule, subject) for rule in rulebook.applicable(subject)}
    entries, note = _gather(demands.values(), ask, now=now, earlier=earlier)
    trials = [
        _Trial(rule, _on_trial(rule, subject, entries, rulebook, now=now), _pending(demands[rule], now))
        for rule in demands
    ]
    chosen = _choose(trials)
    if chosen is None:
        return Gathered(NOTHING, note=note)
    gathered = Gathered(_submission(chosen), note=note)
    first = _worth_waiting(chosen, subject, now)
    return replace(gathered, wait_until=first.not_before, waits_for=first.fact) if first else gathered


def worth_waiting(
    hypothesis: str, subject: Subject, rulebook: Rulebook, entries: Mapping[int, Entry], *, now: datetime
) -> Demand | None:
    """Return the fact that a hypothesis has to wait for first, where all else that it needs holds."""
    pending = _pending(demands_of(hypothesis, subject, rulebook), now)
    if not pending:
        return None
    judged = _on_trial(hypothesis, subject, entries, rulebook, now=now)
    return _worth_waiting(_Trial(hypothesis, judged, pending), subject, now)


def _worth_waiting(trial: _Trial, subject: Subject, now: datetime) -> Demand | None:
    if trial.verdict.passed or not trial.only_waits or subject.started_at > now + _AHEAD:
        return None
    return min(trial.pending, key=_opens_at)


def _opens_at(demand: Demand) -> datetime:
    assert demand.not_before is not None  # pending demands have one
    return demand.not_before


def _pending(demands: Sequence[Demand], now: datetime) -> tuple[Demand, ...]:
    return tuple(each for each in demands if is_early(each, now))


def _gather(
    plans: Iterable[Sequence[Demand]], ask: Ask, *, now: datetime, earlier: Mapping[int, Entry]
) -> tuple[dict[int, Entry], str]:
    """Ask what may be asked now, identical questions once; stop where the budget ends."""
    entries = dict(earlier)
    asked: set[str] = set()
    for demands in plans:
        for demand in demands:
            key = question(demand.tool, demand.arguments)
            if is_early(demand, now) or key in asked:
                continue
            try:
                entry = ask(demand.tool, demand.arguments)
            except BudgetSpent as spent:
                return entries, str(spent)
            asked.add(key)
            entries[entry.id] = entry
    return entries, ""


def _on_trial(
    rule: str, subject: Subject, entries: Mapping[int, Entry], rulebook: Rulebook, *, now: datetime
) -> Verdict:
    case = Case(
        investigation=next((entry.investigation for entry in entries.values()), 0),
        submission=Submission(hypothesis=rule, findings=(), draft=""),
        added=(),
        refutations=(),
        judged_at=max([now, *(entry.finished_at for entry in entries.values())]),
        entries=tuple((entry.id, entry.leaf) for entry in sorted(entries.values(), key=lambda each: each.id)),
    )
    return verdict(case, subject, entries, rulebook)


def _choose(trials: Sequence[_Trial]) -> _Trial | None:
    passing = (trial for trial in trials if trial.verdict.passed)
    waiting = (trial for trial in trials if trial.only_waits)
    return (
        next(passing, None) or next(waiting, None) or max(trials, key=lambda trial: trial.rank, default=None)
    )


def _submission(trial: _Trial) -> Submission:
    findings = tuple(
        Finding(fact=fact.name, entry=fact.entry, note=fact.reason, author="playbook")
        for fact in trial.verdict.facts
        if fact.entry is not None
    )
    return Submission(hypothesis=trial.rule, findings=findings, draft="")
