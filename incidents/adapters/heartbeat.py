"""A heartbeat: that it came is all that it says."""

from datetime import datetime

from incidents.adapters.reading import Reading
from incidents.states import Condition


def read(body: bytes, received_at: datetime) -> Reading:
    """Read a beat: whatever its body holds, it brings no signal. Its silence does, by the schedule."""
    return Reading(Condition.WHOLE)
