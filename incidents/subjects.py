"""An incident as rules, plans and prompts see it."""

from collections.abc import Mapping

from incidents import identifiers
from incidents.identifiers import IdentifierLine
from incidents.models import Incident
from incidents.states import Origin
from verdicts.case import Subject


def subject_of(incident: Incident) -> Subject:
    """Return the frozen, plain view of an incident: the sender's fields as they first came.

    Identifiers are those that count: the sender's, what a pattern found, what a person gave or confirmed.
    """
    return _subject(incident, identifiers.counting(incident))


def sent_subject(incident: Incident) -> Subject:
    """Return the view of an incident that has only the sender's fields yet; asks the database nothing."""
    return _subject(incident, {})


def origins_of(incident: Incident) -> dict[str, str]:
    """Return where each identifier comes from that is not the sender's, by name."""
    return {
        name: line.origin.value
        for name, line in identifiers.counting(incident).items()
        if line.origin != Origin.SENDER
    }


def _subject(incident: Incident, counting: Mapping[str, IdentifierLine]) -> Subject:
    return Subject(
        incident=incident.pk,
        kind=incident.kind,
        source=incident.source.slug,
        title=incident.title,
        severity=incident.severity,
        # An alert that fired again is asked about from then on: what lies between says nothing of now.
        started_at=max(incident.started_at, incident.episode_at),
        received_at=incident.first_received_at,
        identifiers={**incident.identifiers, **{name: line.value for name, line in counting.items()}},
        labels=dict(incident.labels),
        annotations=dict(incident.annotations),
    )
