"""What the schedule itself reports: a heartbeat fell silent, or beats again."""

import json
from datetime import datetime

from assay_core.instants import as_text, from_text
from incidents.adapters.reading import Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.states import Condition, Event


def render(slug: str, *, event: Event, silent_since_at: datetime, beat_at: datetime | None) -> bytes:
    """Return the body of the schedule's delivery about one heartbeat."""
    return json.dumps(
        {
            "heartbeat": slug,
            "status": event.value,
            "silent_since_at": as_text(silent_since_at),
            "beat_at": as_text(beat_at) if beat_at else None,
        }
    ).encode()


def read(body: bytes, received_at: datetime) -> Reading:
    """Read what `render` wrote."""
    try:
        whole = read_object(body)
        slug, event = str(whole["heartbeat"]), Event(whole["status"])
        silent_since_at = from_text(whole["silent_since_at"])
        beat_at = from_text(whole["beat_at"]) if whole["beat_at"] else None
    except (NotReadable, KeyError, TypeError, ValueError) as reason:
        return Reading(Condition.UNREADABLE, notes=(f"The schedule's own report cannot be read: {reason}",))
    last = as_text(beat_at) if beat_at else "never"
    labels = {"alertname": "HeartbeatMissed", "heartbeat": slug}
    signal = SignalValue(
        position=0,
        event=event,
        kind="alert",
        sender_key=f"heartbeat:{slug}",
        title=f"Heartbeat {slug} is silent",
        severity="critical",
        labels=labels,
        annotations={"summary": f"Heartbeat {slug} is silent", "last_beat_at": last},
        identifiers=labels,
        starts_at=silent_since_at,
        ends_at=beat_at if event is Event.RESOLVED else None,
    )
    return Reading(Condition.WHOLE, (signal,))
