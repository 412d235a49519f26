"""What the schedule itself reports: a heartbeat's silence and its end, a rule's drift, a model's swap, a
trial's alarm."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from assay_core.instants import as_text, from_text
from incidents.adapters.reading import Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.adapters.text import TITLE_MAX
from incidents.states import Condition, Event
from investigations.outcomes import Jump
from investigations.sightings import Swap


@dataclass(frozen=True, slots=True)
class Alarm:
    """Trials that run by themselves and have become worse than their limit. Equal keys are one incident."""

    key: str
    schedule: str
    endpoint: str
    summary: str
    description: str


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


def render_drift(jump: Jump) -> bytes:
    """Return the body of the schedule's delivery about a fact that can no longer be answered."""
    return json.dumps(
        {
            "drift": {
                "rule": jump.rule,
                "fact": jump.fact,
                "tool": jump.tool,
                "path": jump.path,
                "kind": jump.kind,
                "count": jump.count,
            },
            "began_at": as_text(jump.began_at),
        }
    ).encode()


def render_swap(swap: Swap) -> bytes:
    """Return the body of the schedule's delivery about a model that was changed behind its name."""
    return json.dumps(
        {
            "swap": {
                "endpoint": swap.endpoint,
                "asked": swap.asked,
                "before": swap.before,
                "after": swap.after,
            },
            "seen_at": as_text(swap.seen_at),
        }
    ).encode()


def render_alarm(alarm: Alarm, raised_at: datetime) -> bytes:
    """Return the body of the schedule's delivery about trials that have become worse."""
    return json.dumps({"alarm": asdict(alarm), "raised_at": as_text(raised_at)}).encode()


def read(body: bytes, received_at: datetime) -> Reading:
    """Read what one of the functions above has written."""
    try:
        whole = read_object(body)
        if "drift" in whole:
            return _drift(whole["drift"], from_text(whole["began_at"]))
        if "swap" in whole:
            return _swap(whole["swap"], from_text(whole["seen_at"]))
        if "alarm" in whole:
            return _alarm(Alarm(**whole["alarm"]), from_text(whole["raised_at"]))
        return _heartbeat(whole)
    except (NotReadable, KeyError, TypeError, ValueError) as reason:
        return Reading(Condition.UNREADABLE, notes=(f"The schedule's own report cannot be read: {reason}",))


_SAYS = {
    "missing": "is missing from the answers",
    "mismatch": "is of another type than the rule reads",
    "unanswered": "can no longer be answered",
}


def _heartbeat(told: Mapping[str, Any]) -> Reading:
    slug, event = str(told["heartbeat"]), Event(told["status"])
    beat_at = from_text(told["beat_at"]) if told["beat_at"] else None
    labels = {"alertname": "HeartbeatMissed", "heartbeat": slug}
    return _alert(
        f"Heartbeat {slug} is silent",
        from_text(told["silent_since_at"]),
        event=event,
        sender_key=f"heartbeat:{slug}",
        severity="critical",
        labels=labels,
        annotations={"last_beat_at": as_text(beat_at) if beat_at else "never"},
        identifiers=labels,
        ends_at=beat_at if event is Event.RESOLVED else None,
    )


def _drift(told: Mapping[str, Any], began_at: datetime) -> Reading:
    rule, fact, tool, path = (str(told[name]) for name in ("rule", "fact", "tool", "path"))
    what = f"{path} of {tool}" if path else f"{fact}, asked of {tool},"
    return _alert(
        f"Rule {rule}: {what} {_SAYS[told['kind']]}",
        began_at,
        sender_key=_key("drift", rule, fact, tool, path, told["kind"]),
        severity="critical",
        labels={"alertname": "RuleDrift", "rule": rule, "fact": fact, "tool": tool, "path": path},
        annotations={
            "description": (
                f"The fact {fact} could be answered in all the days before, and {int(told['count'])} times "
                "within an hour it could not. A field or a tool has changed: until the rule follows it, "
                "nothing earns a pass by it."
            ),
        },
    )


def _swap(told: Mapping[str, Any], seen_at: datetime) -> Reading:
    endpoint, asked, before, after = (str(told[name]) for name in ("endpoint", "asked", "before", "after"))
    return _alert(
        f"The endpoint {endpoint} answers as {after}",
        seen_at,
        sender_key=_key("swap", endpoint, asked, before, after),
        severity="warning",
        labels={"alertname": "ModelChanged", "endpoint": endpoint, "model": asked},
        annotations={
            "description": (
                f"Asked for {asked}, it answered as {before} until now, and its settings are the same: its "
                "provider has changed the model or its system behind the name. Run a drill against the "
                "last run of the old one (docs/howto/run-a-drill.md) before you rely on it."
            ),
        },
    )


def _alarm(alarm: Alarm, raised_at: datetime) -> Reading:
    return _alert(
        alarm.summary,
        raised_at,
        sender_key=alarm.key,
        severity="warning",
        labels={"alertname": "TrialsWorse", "schedule": alarm.schedule, "endpoint": alarm.endpoint},
        annotations={"description": alarm.description},
    )


def _alert(
    summary: str,
    since: datetime,
    *,
    annotations: Mapping[str, str],
    event: Event = Event.FIRING,
    **values: Any,
) -> Reading:
    """Return the reading of one report: a single alert, its summary among the annotations too."""
    signal = SignalValue(
        position=0,
        event=event,
        kind="alert",
        title=summary[:TITLE_MAX],
        annotations={"summary": summary, **annotations},
        starts_at=since,
        **values,
    )
    return Reading(Condition.WHOLE, (signal,))


def _key(prefix: str, *parts: Any) -> str:
    """Return a key of bounded length: what differs in one part is another incident."""
    return f"{prefix}:{sha256(repr(parts).encode()).hexdigest()[:32]}"
