"""What a person does to a run while it goes on: stop it, or tell it something."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import actor_name
from audit import writing
from investigations.models import Investigation, RunNote
from investigations.outcomes import Failure, OnFailed
from investigations.states import OPEN, State

LONGEST = 2000
_MOST_NOTES = 20


class NotToBeHad(Exception):
    """A run can't be stopped or told something now; the message says why."""


def stop(investigation_id: int, *, by: User, reason: str, on_stopped: OnFailed) -> Failure:
    """End an open investigation at once. What it gathered stays; its worker writes nothing more.

    `on_stopped` runs in the same transaction, so that the incident reaches a person. Raises NotToBeHad.
    """
    words = reason.strip()[:500]
    actor = actor_name(by)
    with transaction.atomic():
        row = Investigation.objects.select_for_update().filter(pk=investigation_id).first()
        if row is None or row.state not in OPEN:
            raise NotToBeHad(_why_not(investigation_id, row))
        now = timezone.now()
        told = f"Stopped by {actor.partition(':')[2] or actor}.{f' {words}' if words else ''}"
        Investigation.objects.filter(pk=row.pk).update(
            state=State.STOPPED,
            attempt=row.attempt + 1,
            lease_until=None,
            finished_at=now,
            due_at=None,
            reason=told,
        )
        failure = Failure(row.pk, row.incident_id, told, now)
        payload = {"attempt": row.attempt + 1, "from": row.state, "reason": words}
        writing.write(
            "investigation.stopped", payload, actor=actor, incident=row.incident_id, investigation=row.pk
        )
        on_stopped(failure)
    return failure


def tell(investigation_id: int, text: str, *, by: User) -> RunNote:
    """Tell a model's run something; it is heard before the next exchange. Raises NotToBeHad."""
    words = text.strip()
    if not words:
        raise NotToBeHad("The note is empty. Write what the run should know.")
    if len(words) > LONGEST:
        raise NotToBeHad(f"The note has {len(words)} characters; at most {LONGEST} are read.")
    actor = actor_name(by)
    with transaction.atomic():
        row = Investigation.objects.select_for_update().filter(pk=investigation_id).first()
        if row is None or row.state not in OPEN:
            raise NotToBeHad(_why_not(investigation_id, row))
        if row.investigator != "model":
            raise NotToBeHad(f"This investigation is run by the {row.investigator}, which reads no notes.")
        if RunNote.objects.filter(investigation=row, step=0).count() >= _MOST_NOTES:
            raise NotToBeHad(f"{_MOST_NOTES} notes wait to be heard already.")
        note = RunNote.objects.create(investigation=row, text=words, made_by=actor, made_at=timezone.now())
        writing.write(
            "run.told", {"note": note.pk, "text": words}, actor=actor,
            incident=row.incident_id, investigation=row.pk,
        )  # fmt: skip
    return note


def _why_not(investigation_id: int, row: Investigation | None) -> str:
    if row is None:
        return f"There is no investigation {investigation_id}."
    return f"Investigation {row.pk} is {row.state}: nothing of it goes on."
