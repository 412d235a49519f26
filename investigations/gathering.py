"""Who gathers for a run, and what it came to: the playbook, or a model with the playbook behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils import timezone

from investigations import (
    contract,
    guarding,
    leases,
    modelrun,
    models,
    playbook,
    rulebook,
    submissions,
    watching,
)
from investigations.demands import ask_all
from investigations.evidence import Asker, entries_of
from investigations.happenings import Happening
from investigations.leases import Lease
from investigations.modelrun import Run
from investigations.playbook import NOTHING, Gathered
from investigations.safewords import safe
from investigations.states import RunResult
from investigations.surroundings import InProduction
from investigations.talk import EndpointDown, EndpointRefused
from investigations.topping import top_up
from investigations.watching import Watching
from toolbox import redaction
from toolbox.scope import CallScope
from verdicts.case import Finding, Subject, Submission

MODEL = "model"


@dataclass(frozen=True, slots=True)
class Came:
    """What a run came to. `handed` is a model's submission as it was handed in, whole; `columns` are those
    of the investigation's row that say how it came about."""

    gathered: Gathered
    added: tuple[Finding, ...] = ()
    handed: Mapping[str, Any] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


def gathered(row: models.Investigation, lease: Lease, *, without_model: bool = False) -> Came:
    """Gather for one attempt, by the playbook where no model is to gather. Raises LeaseLost."""
    if row.investigator == MODEL and not without_model:
        return _by_model(row, lease)
    submission = submissions.waiting(row)
    return _by_playbook(row, lease) if submission is None else _by_agent(row, lease, submission)


def _by_playbook(row: models.Investigation, lease: Lease) -> Came:
    subject = Subject.from_text(row.subject)
    ask = _asker(row, lease, leases.worker_of(row) if row.investigator != MODEL else "playbook")
    came = playbook.investigate(
        subject, rulebook.current_rulebook(), ask, now=timezone.now(), earlier=entries_of(row.pk)
    )
    if came.wait_until is not None:
        return Came(came)
    added = top_up(row, subject, came.submission.hypothesis, ask)
    guarding.look_up_what_is_cited(row, lease, came.submission, added)
    return Came(came, added=added)


def _by_model(row: models.Investigation, lease: Lease) -> Came:
    watcher = Watching(watching.of_run(row.pk))
    run = Run(InProduction(row, lease), Subject.from_text(row.subject), watcher, attempt=lease.attempt)
    try:
        return by_model(run)
    except (EndpointDown, EndpointRefused) as trouble:
        watcher.note(Happening.PLAYBOOK_TOOK_OVER, {"reason": str(trouble)})
        return _without_endpoint(row, lease, run, str(trouble))


def by_model(run: Run) -> Came:
    """Let a model gather, ask what its hypothesis lacks, and let the guards look at what it handed in.

    Raises LeaseLost; EndpointDown and EndpointRefused as long as nothing valid was handed in.
    """
    around, subject, limits = run.around, run.subject, modelrun.limits()
    budget = around.budget(limits)
    purses = guarding.purses_of(around.rubric, subject, budget, limits)
    handed, loop = modelrun.gather(run, budget)
    columns = {**run.digests(), "outcome": handed.result.value, "model": _named(loop.talk.steps)}
    if handed.value is None:
        return Came(Gathered(NOTHING, note=handed.note), columns=columns)
    # What a model was never shown it can't repeat, but it may have learnt a secret elsewhere.
    value = redaction.copy_for_readers(handed.value).value
    submission = contract.submission_of(value, MODEL)
    added = _topped_up(run, submission.hypothesis)
    came = Gathered(submission, note=handed.note)
    first = playbook.worth_waiting(
        submission.hypothesis, subject, run.book, around.entries(), now=around.now()
    )
    if first is not None:
        came = replace(came, wait_until=first.not_before, waits_for=first.fact)
        return Came(came, added, value, columns)
    guards = guarding.Guarded(around, subject, run.book, run.watcher, purses)
    guarded = guards.after(replace(submission, draft=safe(submission.draft)), added)
    came = replace(came, submission=replace(guarded, draft=safe(guarded.draft)))
    return Came(came, added, value, columns)


def _topped_up(run: Run, hypothesis: str) -> tuple[Finding, ...]:
    ask = run.around.asker(CallScope(caller="rule", is_derived=True), limit=settings.INVESTIGATION_MAX_CALLS)
    return ask_all(modelrun.lacking(run, hypothesis), ask, author="rule")


def _by_agent(row: models.Investigation, lease: Lease, submission: Submission) -> Came:
    """Judge what an agent handed in before, once a critic has looked at it."""
    around, limits = InProduction(row, lease), modelrun.limits()
    run = Run(
        around, Subject.from_text(row.subject), Watching(watching.of_run(row.pk)), attempt=lease.attempt
    )
    purses = guarding.purses_of(row.rubric, run.subject, around.budget(limits), limits)
    added = top_up(row, run.subject, submission.hypothesis, _asker(row, lease, "rule"))
    guarding.Guarded(around, run.subject, run.book, run.watcher, purses).criticise(submission, added)
    guarding.look_up_what_is_cited(row, lease, submission, added)
    return Came(Gathered(submission), added)


def _without_endpoint(row: models.Investigation, lease: Lease, run: Run, trouble: str) -> Came:
    came = _by_playbook(row, lease)
    note = f"{trouble} The playbook gathered instead. {came.gathered.note}".strip()
    columns = {**run.digests(), "outcome": RunResult.ENDPOINT_DOWN.value}
    return replace(came, gathered=replace(came.gathered, note=note), columns=columns)


def _named(kept: Any) -> str:
    return next((step.reply.model for step in reversed(kept) if step.reply and step.reply.model), "")


def _asker(row: models.Investigation, lease: Lease, caller: str) -> Asker:
    """Return an asker for code, which asks what a rule demands."""
    return Asker(
        CallScope(caller=caller, investigation=row.pk, incident=row.incident_id, is_derived=True),
        lease=lease,
        limit=settings.INVESTIGATION_MAX_CALLS,
    )
