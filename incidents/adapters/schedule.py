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
    """Read what `render` wrote."""
    try:
        whole = read_object(body)
        if "drift" in whole:
            return _drift(whole["drift"], from_text(whole["began_at"]))
        if "swap" in whole:
            return _swap(whole["swap"], from_text(whole["seen_at"]))
        if "alarm" in whole:
            return _alarm(Alarm(**whole["alarm"]), from_text(whole["raised_at"]))
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


_SAYS = {
    "missing": "is missing from the answers",
    "mismatch": "is of another type than the rule reads",
    "unanswered": "can no longer be answered",
}


def _drift(told: Mapping[str, Any], began_at: datetime) -> Reading:
    rule, fact, tool, path = (str(told[name]) for name in ("rule", "fact", "tool", "path"))
    what = f"{path} of {tool}" if path else f"{fact}, asked of {tool},"
    labels = {"alertname": "RuleDrift", "rule": rule, "fact": fact, "tool": tool, "path": path}
    summary = f"Rule {rule}: {what} {_SAYS[told['kind']]}"
    signal = SignalValue(
        position=0,
        event=Event.FIRING,
        kind="alert",
        sender_key=f"drift:{sha256(repr((rule, fact, tool, path, told['kind'])).encode()).hexdigest()[:32]}",
        title=summary[:300],
        severity="critical",
        labels=labels,
        annotations={
            "summary": summary,
            "description": (
                f"The fact {fact} could be answered in all the days before, and {int(told['count'])} times "
                "within an hour it could not. A field or a tool has changed: until the rule follows it, "
                "nothing earns a pass by it."
            ),
        },
        identifiers={},
        starts_at=began_at,
    )
    return Reading(Condition.WHOLE, (signal,))


def _swap(told: Mapping[str, Any], seen_at: datetime) -> Reading:
    endpoint, asked, before, after = (str(told[name]) for name in ("endpoint", "asked", "before", "after"))
    labels = {"alertname": "ModelChanged", "endpoint": endpoint, "model": asked}
    summary = f"The endpoint {endpoint} answers as {after}"
    signal = SignalValue(
        position=0,
        event=Event.FIRING,
        kind="alert",
        sender_key=f"swap:{sha256(repr((endpoint, asked, before, after)).encode()).hexdigest()[:32]}",
        title=summary[:300],
        severity="warning",
        labels=labels,
        annotations={
            "summary": summary,
            "description": (
                f"Asked for {asked}, it answered as {before} until now, and its settings are the same: its "
                "provider has changed the model or its system behind the name. Run a drill against the "
                "last run of the old one (docs/howto/run-a-drill.md) before you rely on it."
            ),
        },
        identifiers={},
        starts_at=seen_at,
    )
    return Reading(Condition.WHOLE, (signal,))


def _alarm(alarm: Alarm, raised_at: datetime) -> Reading:
    signal = SignalValue(
        position=0,
        event=Event.FIRING,
        kind="alert",
        sender_key=alarm.key,
        title=alarm.summary[:300],
        severity="warning",
        labels={"alertname": "TrialsWorse", "schedule": alarm.schedule, "endpoint": alarm.endpoint},
        annotations={"summary": alarm.summary, "description": alarm.description},
        identifiers={},
        starts_at=raised_at,
    )
    return Reading(Condition.WHOLE, (signal,))
