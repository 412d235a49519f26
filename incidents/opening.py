"""Whether anybody opened an incident before it was closed: a draft that nobody opens is read by nobody."""

from datetime import datetime

from incidents.models import Opening


def note(incident: int, now: datetime, *, is_closing: bool = False) -> None:
    """Note that its page is opened, or closed by a person; the first of the two stays."""
    Opening.objects.bulk_create(
        [Opening(incident_id=incident, at=now, is_closing=is_closing)], ignore_conflicts=True
    )
