"""Whoever audits a pass sees its evidence and neither verdict nor draft, until they have answered."""

from collections.abc import Sequence

from django.db.models import QuerySet

from accounts.models import User
from incidents.models import PassAudit


def is_veiled(user: User, incident_id: int) -> bool:
    """Say whether this person has yet to answer an audit of this incident."""
    return PassAudit.objects.filter(incident=incident_id, reviewer=user, answered_at=None).exists()


def veiled(user: User) -> Sequence[int]:
    """Return the numbers of all incidents of which this person has yet to answer an audit."""
    return tuple(kept_from(user))


def kept_from(user: User | int) -> QuerySet[PassAudit, int]:
    """Return the same as a part of another question."""
    waiting = PassAudit.objects.filter(reviewer=user, answered_at=None).order_by()
    return waiting.values_list("incident_id", flat=True)
