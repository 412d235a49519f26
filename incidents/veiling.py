"""Whoever audits a pass sees its evidence and neither verdict nor draft, until they have answered."""

from accounts.models import User
from incidents.models import PassAudit


def is_veiled(user: User, incident_id: int) -> bool:
    """Say whether this person has yet to answer an audit of this incident."""
    return PassAudit.objects.filter(incident=incident_id, reviewer=user, answered_at=None).exists()
