"""A passed drill's candidate becomes the endpoint in use, and its run the new baseline."""

from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from trials.drills import deciding
from trials.drills.deciding import ReviewRefused
from trials.drills.policy import Outcome
from trials.models import Drill


def promote(drill: Drill, *, by: User, now: datetime) -> None:
    """Let the candidate take the place of the endpoint in use. Audited. Raises ReviewRefused."""
    deciding.demand(by, Permission.MANAGE_TOOLS, "Endpoints are promoted by administrators.")
    found = deciding.found_of(drill)
    if unread := deciding.unread(drill, found):
        raise ReviewRefused(f"{len(unread)} rows of drill {drill.pk} are unread. Read them first.")
    if found.decision.outcome is not Outcome.PROMOTE:
        raise ReviewRefused(
            f"Drill {drill.pk} says {found.decision.outcome}, not promote: {found.decision.because}."
        )
    with transaction.atomic():
        locked = Drill.objects.select_for_update().get(pk=drill.pk)
        if locked.promoted_at is not None:
            raise ReviewRefused(f"Drill {drill.pk} was promoted by {locked.promoted_by} already.")
        locked.promoted_by, locked.promoted_at = by.username, now
        locked.save(update_fields=["promoted_by", "promoted_at"])
        payload = {"drill": drill.pk, "candidate": drill.candidate.name, "model": drill.candidate.model}
        writing.write("drill.promoted", payload, actor=f"person:{by.username}")
