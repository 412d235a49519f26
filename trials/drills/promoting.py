"""A passed drill's candidate becomes the endpoint in use, and its run the new baseline."""

from collections.abc import Collection, Iterator
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from investigations import endpoints, inuse
from investigations.inuse import FREE, Identity, Passed
from investigations.models import EndpointUse
from investigations.states import Purpose
from trials.drills import deciding
from trials.drills.deciding import ReviewRefused
from trials.drills.policy import Outcome
from trials.models import Drill, DrillRun


def promote(drill: Drill, *, by: User, now: datetime, only: Collection[Purpose] = ()) -> tuple[Purpose, ...]:
    """Put the candidate in the place of the baseline wherever that is in use; return for which purposes.

    `only` leaves the other purposes as they are. Audited. Raises ReviewRefused.
    """
    deciding.demand(by, Permission.MANAGE_TOOLS, "Endpoints are promoted by administrators.")
    found = deciding.found_of(drill)
    if unread := deciding.unread(drill, found):
        raise ReviewRefused(f"{len(unread)} rows of drill {drill.pk} are unread. Read them first.")
    if found.decision.outcome is not Outcome.PROMOTE:
        raise ReviewRefused(
            f"Drill {drill.pk} says {found.decision.outcome}, not promote: {found.decision.because}"
        )
    if not drill.candidate.base_url:
        raise ReviewRefused("The candidate of this drill is a file's: no endpoint can be put in use by it.")
    with transaction.atomic():
        locked = Drill.objects.select_for_update().get(pk=drill.pk)
        if locked.promoted_at is not None:
            raise ReviewRefused(f"Drill {drill.pk} was promoted by {locked.promoted_by} already.")
        purposes = tuple(each for each in _served_by(drill.baseline, now) if not only or each in only)
        if not purposes:
            raise ReviewRefused(
                f"The baseline {drill.baseline.model} is in use for nothing: there is no place to take. "
                "Drill against what is in use (`manage.py endpointinuse list`)."
            )
        locked.promoted_by, locked.promoted_at = by.username, now
        locked.save(update_fields=["promoted_by", "promoted_at"])
        place = Identity(drill.candidate.base_url, drill.candidate.model)
        inuse.replace(purposes, Passed(drill.pk, place, drill.candidate.endpoint), by=by, now=now)
        payload = {
            "drill": drill.pk,
            "candidate": drill.candidate.name,
            "model": drill.candidate.model,
            "purposes": [each.value for each in purposes],
        }
        writing.write("drill.promoted", payload, actor=f"person:{by.username}")
    return purposes


def _served_by(baseline: DrillRun, now: datetime) -> Iterator[Purpose]:
    """Yield the purposes that the baseline's model serves, or would be the first to serve."""
    for purpose in Purpose:
        if purpose in FREE:
            continue
        row = inuse.standing(purpose, now)
        if row is None:
            if endpoints.serving(purpose) == baseline.endpoint:
                yield purpose
        elif _is_of(baseline, row):
            yield purpose


def _is_of(baseline: DrillRun, row: EndpointUse) -> bool:
    """Whether a run is of what is in use; a run that was read from a file does not say at which server."""
    return row.model == baseline.model and (baseline.is_from_file or row.base_url == baseline.base_url)
