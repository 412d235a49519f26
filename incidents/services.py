"""What a person does with an incident: close, reopen, acknowledge, assign, ask for what is missing."""

from datetime import datetime

from verdicts.case import Subject

from accounts.models import User
from incidents.models import Incident
from investigations.outcomes import Judgement


class MoveRefused(Exception):
    """A move was refused; the message is a sentence for the person, and it is in the audit log."""


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
) -> Incident:
    """Close an incident with its outcome and the answer as it was sent.

    `version` is what the form showed. Raises MoveRefused; the refusal stays recorded.
    """
    raise NotImplementedError


def reopen(incident_id: int, *, by: User, reason: str, version: int, now: datetime) -> Incident:
    """Open a closed incident again and queue an investigation. Raises MoveRefused."""
    raise NotImplementedError


def acknowledge(incident_id: int, *, by: User, version: int, now: datetime) -> Incident:
    """Say that somebody is on it; the first acknowledgement stands. Raises MoveRefused."""
    raise NotImplementedError


def assign(incident_id: int, *, by: User, to: User | None, version: int, now: datetime) -> Incident:
    """Give the incident to a person, or to nobody. Raises MoveRefused."""
    raise NotImplementedError


def ask_missing(incident_id: int, *, by: User, fact: str | None, now: datetime) -> Judgement:
    """Ask what the last verdict lacks (one fact; all for None) and judge again. Raises MoveRefused."""
    raise NotImplementedError


def subject_of(incident: Incident) -> Subject:
    """Return the frozen, plain view of an incident that rules see."""
    raise NotImplementedError
