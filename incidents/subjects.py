"""An incident as rules, plans and prompts see it."""

from incidents.models import Incident
from verdicts.case import Subject


def subject_of(incident: Incident) -> Subject:
    """Return the frozen, plain view of an incident: the sender's fields as they first came."""
    return Subject(
        incident=incident.pk,
        kind=incident.kind,
        source=incident.source.slug,
        title=incident.title,
        severity=incident.severity,
        started_at=incident.started_at,
        received_at=incident.first_received_at,
        identifiers=dict(incident.identifiers),
        labels=dict(incident.labels),
        annotations=dict(incident.annotations),
    )
