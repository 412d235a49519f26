"""What is done with an incident: by people (close, reopen, acknowledge, assign, ask) and by its runs."""

from datetime import datetime
from functools import partial

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.permissions import Permission
from accounts.services import actor_name
from incidents import (
    closing,
    doubts,
    intake,
    knownissues,
    moves,
    opening,
    proposed,
    rubrics,
    selfclosing,
    sending,
)
from incidents import queries as visibility
from incidents.models import Incident
from incidents.moves import Asked, MoveRefused
from incidents.states import Move, State
from incidents.subjects import origins_of, subject_of
from investigations import queries, watching
from investigations import services as investigations
from investigations.models import Investigation
from investigations.outcomes import Ending, Failure, Judgement, NothingToAsk, RunOutcome
from verdicts.case import Subject

__all__ = [
    "MoveRefused",
    "acknowledge",
    "ask_missing",
    "assign",
    "close",
    "investigate",
    "reopen",
    "subject_of",
]


def close(
    incident_id: int,
    *,
    by: User,
    outcome: str,
    answer: str,
    reason: str,
    version: int,
    now: datetime,
    duplicate_of: int | None = None,
    label: str = "",
) -> Incident:
    """Close an incident with its outcome and the answer as it was sent.

    `version` is what the form showed, `label` a person's word on an issue. Raises MoveRefused; the refusal
    stays recorded.
    """
    asked = Asked(Move.CLOSE, incident_id, actor_name(by), now, version)
    words = closing.Words(outcome, answer, reason.strip(), duplicate_of, label)
    with moves.transaction_of(asked):
        closed = closing.close(asked, words, by)
        opening.note(incident_id, now, is_closing=True)
        return closed


def reopen(incident_id: int, *, by: User, reason: str, version: int, now: datetime) -> Incident:
    """Open a closed incident again and queue an investigation. Raises MoveRefused."""
    asked = Asked(Move.REOPEN, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        if not reason.strip():
            raise MoveRefused("Say why it is open again: the next reader will ask.")
        closed = Incident.objects.select_related("source").filter(pk=incident_id).first()
        if closed is None or closed.state != State.CLOSED:
            raise MoveRefused(moves.why_not(asked))
        # The investigation first, as a run's own ending locks it before the incident: no deadlock.
        investigation = investigations.open_investigation(
            closed.pk, subject_of(closed), now=now, origins=origins_of(closed)
        )
        rubrics.give(investigation, closed.source)
        sending.investigate_after_commit(investigation.pk)
        try:
            with transaction.atomic():
                return moves.make_or_refuse(asked, {"reason": reason.strip()}, closed_at=None)
        except IntegrityError:
            raise MoveRefused(_newer(incident_id)) from None


def acknowledge(incident_id: int, *, by: User, version: int, now: datetime) -> Incident:
    """Say that somebody is on it; the first acknowledgement stands. Raises MoveRefused."""
    asked = Asked(Move.ACKNOWLEDGE, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        incident = Incident.objects.filter(pk=incident_id).first()
        if incident is not None and incident.acknowledged_at is not None:
            raise MoveRefused(f"Incident {incident_id} is acknowledged already.")
        return moves.make_or_refuse(asked, {}, acknowledged_at=now)


def assign(incident_id: int, *, by: User, to: User | None, version: int, now: datetime) -> Incident:
    """Give the incident to a person who sees it and may move it, or to nobody. Raises MoveRefused."""
    asked = Asked(Move.ASSIGN, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        if to is not None and not to.is_active:
            raise MoveRefused(f"The account of {to} is switched off. Choose somebody else.")
        if to is not None and to != by and not to.has_perm(Permission.TRIAGE_INCIDENTS):
            raise MoveRefused(f"{to} reads incidents and does not move them. Choose somebody else.")
        if to is not None and to != by and not visibility.can_see(to, incident_id):
            raise MoveRefused(
                f"{to} does not see incident {incident_id}: it is another team's. Nothing was given."
            )
        return moves.make_or_refuse(asked, {"to": to.username if to else None}, assignee=to)


def ask_missing(incident_id: int, *, by: User, fact: str | None, now: datetime) -> Judgement:
    """Ask what the last verdict lacks (one fact; all for None) and judge again. Raises MoveRefused.

    Called outside any transaction: each tool call commits its own entry.
    """
    asked = Asked(Move.ASK, incident_id, actor_name(by), now)
    with moves.transaction_of(asked):
        latest = queries.latest(incident_id)
        if latest is None:
            raise MoveRefused(f"Incident {incident_id} has no investigation to ask for.")
        moves.make_or_refuse(asked, {"fact": fact, "investigation": latest.pk})
    try:
        return investigations.ask_and_judge(
            latest.pk, fact=fact, by=by, on_judged=partial(judged, actor=asked.actor)
        )
    except NothingToAsk as nothing:
        with moves.transaction_of(asked):
            raise MoveRefused(str(nothing)) from nothing


def investigate(investigation_id: int, *, now: datetime) -> RunOutcome | None:
    """Run one queued investigation, and move its incident with it. Safe to call any number of times."""
    found = (
        Investigation.objects.filter(pk=investigation_id).values_list("incident_id", "investigator").first()
    )
    if found is None:
        return None
    incident_id, investigator = found
    _take(incident_id, now)
    outcome = investigations.run(
        investigation_id, on_judged=judged, on_failed=failed, known_to=knownissues.known_to
    )
    if investigator == "model" and outcome.ending in (Ending.JUDGED, Ending.FAILED):
        watching.Watching(watching.of_run(investigation_id)).note(
            watching.ENDED, {"state": outcome.ending.value}
        )
    return outcome


def _take(incident_id: int, now: datetime) -> None:
    with transaction.atomic():
        moves.make(Asked(Move.TAKE, incident_id, "worker", now), {})


def judged(judgement: Judgement, *, actor: str = "worker") -> None:
    """Move the incident as its verdict is stored, in that transaction. A closed one stays closed."""
    _take(judgement.incident, judgement.judged_at)  # it may have been reopened meanwhile
    moves.make(
        Asked(Move.JUDGE, judgement.incident, actor, judgement.judged_at),
        {
            "investigation": judgement.investigation,
            "verdict": judgement.verdict,
            "passed": judgement.passed,
            "hypothesis": judgement.hypothesis,
        },
        verdict_passed=judgement.passed,
        hypothesis=judgement.hypothesis[:120],
        verdict_reason=judgement.reason,
    )
    _doubt(judgement)
    proposed.file(judgement)
    selfclosing.close_if_let(judgement)
    for jump in judgement.jumps:
        intake.report_drift(jump, judgement.judged_at)


def _doubt(judgement: Judgement) -> None:
    """Take a pass away at once when something came in while its run went on."""
    incident = Incident.objects.filter(pk=judgement.incident, verdict_passed=True).first()
    run = Investigation.objects.filter(pk=judgement.investigation).first()
    if incident is None or run is None:
        return
    is_first = not Investigation.objects.filter(incident_id=run.incident_id, pk__lt=run.pk).exists()
    began = Subject.from_text(run.subject).started_at
    reason = doubts.came_meanwhile(incident, began, opened_at=None if is_first else run.created_at)
    if reason:
        doubts.overtake(incident, reason, actor="worker", now=judgement.judged_at)


def failed(failure: Failure) -> None:
    """Move the incident as its run ends without a verdict, in that transaction: a person looks."""
    _take(failure.incident, failure.failed_at)
    moves.make(
        Asked(Move.GIVE_UP, failure.incident, "worker", failure.failed_at),
        {"investigation": failure.investigation, "reason": failure.reason},
        verdict_passed=None,
        hypothesis="",
        verdict_reason=failure.reason,
    )


def _newer(incident_id: int) -> str:
    incident = Incident.objects.get(pk=incident_id)
    newer = (
        Incident.objects.filter(source=incident.source_id, sender_key=incident.sender_key)
        .exclude(state=State.CLOSED)
        .values_list("pk", flat=True)
        .first()
    )
    return f"The same alert has opened incident {newer} since. Work on that one."
