"""The questions in an incident's thread: asked, taken by a worker, ended, each by one conditional UPDATE.

An open question is this code's to end: a worker that dies in the middle leaves it to the next one, and after
a second time the person is told that there is no answer, so that nobody waits for ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from assay_core.canonical import canonical
from audit import writing
from investigations.models import AskTurn, Question
from investigations.states import Asking
from investigations.talk import Spent
from investigations.watching import ENDED, Watching, of_question
from toolbox import redaction
from toolbox.values import Cleaner
from verdicts.case import Subject

LONGEST = 2_000
_TRIES = 2
_AGAIN_AFTER = timedelta(seconds=30)
_OPEN = (Asking.QUEUED, Asking.RUNNING)
_SHOWN = 50


class QuestionRefused(Exception):
    """A question can't be asked or stopped now; the message says why, and what to do."""


class QuestionTaken(Exception):
    """Another worker answers this question now, or a person stopped it: this one writes nothing more."""


@dataclass(frozen=True, slots=True)
class Held:
    """The right to write for one attempt at one question."""

    question: int
    incident: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Answer:
    """How a question ended, and what it cost."""

    state: Asking
    text: str = ""
    citations: Sequence[Mapping[str, Any]] = ()
    reason: str = ""
    calls: int = 0
    spent: Spent = field(default_factory=Spent)


def of_incident(incident_id: int, number: int) -> Question | None:
    """Return one question of the incident's thread, or None."""
    return Question.objects.filter(pk=number, incident_id=incident_id).first()


def thread(incident_id: int) -> Sequence[Question]:
    """Return the last questions about the incident, the oldest of them first."""
    return list(reversed(Question.objects.filter(incident_id=incident_id).order_by("-pk")[:_SHOWN]))


def ask(subject: Subject, text: str, *, by: str, now: datetime) -> Question:
    """Queue a person's question inside the caller's transaction; the caller wakes a worker after commit.

    A secret that somebody pastes into a question is masked before it is kept. Raises QuestionRefused.
    """
    said = redaction.text(Cleaner().clean(text.replace("\0", "")).strip())
    if not said:
        raise QuestionRefused("Nothing was asked: write a question.")
    if len(said) > LONGEST:
        raise QuestionRefused(f"The question has {len(said)} characters; at most {LONGEST} are read.")
    try:
        with transaction.atomic():
            row = Question.objects.create(
                incident_id=subject.incident,
                asked_by=by,
                text=said,
                subject=canonical(subject.to_plain()),
                created_at=now,
                sent_at=now,
            )
    except IntegrityError:
        raise QuestionRefused(
            "Your last question is still being answered. Wait for it, or stop it."
        ) from None
    _note("question.asked", row, by, {"words": said})
    return row


def stop(incident_id: int, number: int, *, by: str, now: datetime) -> None:
    """End an open question without an answer. Raises QuestionRefused when it has ended already."""
    with transaction.atomic():
        stopped = Question.objects.filter(pk=number, incident_id=incident_id, state__in=_OPEN).update(
            state=Asking.STOPPED,
            attempt=F("attempt") + 1,
            lease_until=None,
            finished_at=now,
            reason=f"Stopped by {by.removeprefix('person:')}.",
        )
        row = of_incident(incident_id, number)
        if row is None or not stopped:
            raise QuestionRefused("That question has ended already. Load the page again to see how.")
        _note("question.stopped", row, by, {})
        _tell_ended(row.pk, Asking.STOPPED)


def claim(question_id: int) -> Held | None:
    """Take a queued question, or one whose worker is gone; None when there is nothing to take.

    One that two workers did not survive is ended here, with the reason.
    """
    row = Question.objects.filter(pk=question_id).first()
    if row is None:
        return None
    claimable = Q(state=Asking.QUEUED) | Q(state=Asking.RUNNING, lease_until__lt=Now())
    held = Held(row.pk, row.incident_id, row.attempt + 1)
    rows = Question.objects.filter(claimable, pk=row.pk, attempt=row.attempt)
    if row.attempt >= _TRIES:
        _give_up(rows, row)
        return None
    term = timedelta(seconds=settings.LEASE_SECONDS)
    won = rows.update(state=Asking.RUNNING, attempt=held.attempt, started_at=Now(), lease_until=Now() + term)
    return held if won else None


def hold(held: Held, seconds: float) -> None:
    """Hold on for LEASE_SECONDS beyond the given time. Raises QuestionTaken where somebody stopped it."""
    until = Now() + timedelta(seconds=settings.LEASE_SECONDS + seconds)
    if not Question.objects.filter(_held(held)).update(lease_until=until):
        raise QuestionTaken(f"Question {held.question} was stopped, or another worker has it.")


def add_turn(
    held: Held, kind: str, body: Mapping[str, Any], *, entry: int | None = None, exchange: int | None = None
) -> None:
    """Keep one turn on the way to the answer, secrets masked. Raises QuestionTaken."""
    with transaction.atomic():
        row = Question.objects.select_for_update(no_key=True).filter(_held(held)).first()
        if row is None:
            raise QuestionTaken(f"Question {held.question} was stopped, or another worker has it.")
        AskTurn.objects.create(
            question=row,
            number=row.turns.count() + 1,
            kind=kind,
            body=canonical(redaction.copy_for_readers(dict(body)).value),
            entry=entry or None,
            exchange=exchange or None,
            created_at=Now(),
        )


def finish(held: Held, answer: Answer, *, actor: str) -> None:
    """Store how the question ended, with its audit entry. Raises QuestionTaken."""
    with transaction.atomic():
        ended = Question.objects.filter(_held(held)).update(
            state=answer.state,
            lease_until=None,
            finished_at=Now(),
            answer=answer.text,
            citations=canonical([dict(each) for each in answer.citations]),
            reason=answer.reason,
            calls=answer.calls,
            tokens_in=answer.spent.tokens_in,
            tokens_out=answer.spent.tokens_out,
            micros=answer.spent.micros,
        )
        if not ended:
            raise QuestionTaken(f"Question {held.question} was stopped, or another worker has it.")
        row = Question.objects.get(pk=held.question)
        _note(
            f"question.{answer.state.value}",
            row,
            actor,
            {"reason": answer.reason, "words": answer.text[:500]},
        )


def give_back(held: Held) -> None:
    """Queue the question again after an error of ours; the sweeper sends it after a while."""
    Question.objects.filter(_held(held)).update(state=Asking.QUEUED, lease_until=None)


def due(now: datetime) -> list[int]:
    """Return the open questions that no worker is at, and note that they are sent again."""
    lost = Q(state=Asking.QUEUED, sent_at__lt=now - _AGAIN_AFTER) | Q(
        state=Asking.RUNNING, lease_until__lt=Now(), sent_at__lt=now - _AGAIN_AFTER
    )
    found = list(Question.objects.filter(lost).order_by("pk").values_list("pk", flat=True)[:100])
    if found:
        Question.objects.filter(pk__in=found).update(sent_at=now)
    return found


def _held(held: Held) -> Q:
    return Q(pk=held.question, attempt=held.attempt, state=Asking.RUNNING)


def _give_up(rows: Any, row: Question) -> None:
    reason = f"No answer: {_TRIES} workers did not come to an end with it. Ask again, or in other words."
    with transaction.atomic():
        if rows.update(
            state=Asking.FAILED, attempt=row.attempt + 1, lease_until=None, finished_at=Now(), reason=reason
        ):
            _note("question.failed", row, "worker", {"reason": reason})
            _tell_ended(row.pk, Asking.FAILED)


def _tell_ended(question_id: int, state: Asking) -> None:
    told = Watching(of_question(question_id))
    transaction.on_commit(lambda: told.note(ENDED, {"state": state.value}))


def _note(kind: str, row: Question, actor: str, payload: Mapping[str, Any]) -> None:
    writing.write(
        kind,
        {"question": row.pk, "attempt": row.attempt, **payload},
        actor=actor,
        incident=row.incident_id,
    )
