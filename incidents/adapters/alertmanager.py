"""Prometheus Alertmanager's webhook, version 4, and what resembles it: Grafana's, of either alerting."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from incidents.adapters import grafana, naming, severities, text
from incidents.adapters.reading import Notes, Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.adapters.times import clock_note, read_time
from incidents.states import Condition, Event

_EVENTS = {"firing": Event.FIRING, "resolved": Event.RESOLVED}


@dataclass(frozen=True, slots=True)
class _Envelope:
    common_labels: Mapping[str, str]
    common_annotations: Mapping[str, str]
    external_url: str
    title: str
    received_at: datetime


def read(body: bytes, received_at: datetime) -> Reading:
    """Read a webhook's bytes. Each alert's own status counts; the envelope's is computed after a cut."""
    notes = Notes()
    try:
        whole = grafana.as_unified(read_object(body), notes)
    except NotReadable as reason:
        return Reading(Condition.UNREADABLE, notes=(str(reason),))
    not_shown = _not_shown(whole, notes)
    alerts = _alerts(whole, notes)
    envelope = _Envelope(
        text.text_pairs(whole.get("commonLabels"), "commonLabels", notes)
        or text.text_pairs(whole.get("groupLabels"), "groupLabels", notes),
        text.text_pairs(whole.get("commonAnnotations"), "commonAnnotations", notes),
        text.storable(_text_or_nothing(whole.get("externalURL")), "externalURL", notes),
        text.storable(_text_or_nothing(whole.get("title")), "title", notes),
        received_at,
    )
    signals = tuple(
        _signal(position, alert, envelope, notes)
        for position, alert in enumerate(alerts)
        if _is_object(position, alert, notes)
    )
    return Reading(_condition(alerts, notes), signals, notes.sentences(), not_shown)


def _condition(alerts: list[Any], notes: Notes) -> Condition:
    if notes.is_partial:
        return Condition.PARTIAL
    return Condition.WHOLE if alerts else Condition.EMPTY


def _not_shown(whole: Mapping[str, Any], notes: Notes) -> int:
    count = whole.get("truncatedAlerts", 0)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**31:
        notes.add(f"truncatedAlerts is {text.quoted(count)}, not a count.", partial=True)
        return 0
    if count:
        notes.add(f"{count} alerts were cut off by the sender and are not shown.", partial=True)
    return count


def _alerts(whole: Mapping[str, Any], notes: Notes) -> list[Any]:
    alerts = whole.get("alerts")
    if isinstance(alerts, list):
        return alerts
    notes.add("alerts is missing." if alerts is None else "alerts is not a list.", partial=True)
    return []


def _is_object(position: int, alert: Any, notes: Notes) -> bool:
    if isinstance(alert, dict):
        return True
    notes.add(f"alerts[{position}] is not an object and is left out.", partial=True)
    return False


def _signal(position: int, alert: Mapping[str, Any], envelope: _Envelope, notes: Notes) -> SignalValue:
    place = f"alerts[{position}]"
    if alert.get("labels") is None:
        notes.add(f"{place}: labels are missing.", partial=True)
    labels = text.text_pairs(alert.get("labels"), f"{place}.labels", notes, first=naming.comes_first)
    annotations = text.text_pairs(
        alert.get("annotations"),
        f"{place}.annotations",
        notes,
        limit=text.ANNOTATION_MAX,
        first=naming.comes_first,
    )
    starts_at = read_time(alert.get("startsAt"), f"{place}.startsAt", notes)
    event = _event(alert, place, notes)
    # While an alert fires, endsAt is when Alertmanager would give it up: not an end.
    ends_at = read_time(alert.get("endsAt"), f"{place}.endsAt", notes) if event is Event.RESOLVED else None
    clock = clock_note(starts_at, ends_at, envelope.received_at)
    if clock:
        notes.add(f"{place}: {clock}")
    return SignalValue(
        position=position,
        event=event,
        kind="alert",
        sender_key=_key(alert, place, notes),
        title=_title(labels, annotations, envelope, place, notes),
        severity=severities.severity(labels.get("severity") or envelope.common_labels.get("severity", "")),
        labels=labels,
        annotations=annotations,
        identifiers=_identifiers(labels, annotations, place, notes),
        text=annotations.get("description", ""),
        link=_link(alert, envelope, place, notes),
        starts_at=starts_at,
        ends_at=ends_at,
        clock_note=clock,
    )


def _event(alert: Mapping[str, Any], place: str, notes: Notes) -> Event:
    status = alert.get("status")
    event = _EVENTS.get(status) if isinstance(status, str) else None
    if event is None:
        said = "missing" if status is None else text.quoted(status)
        notes.add(f"{place}: the status is {said}; it is taken as firing.", partial=True)
        return Event.FIRING
    return event


def _key(alert: Mapping[str, Any], place: str, notes: Notes) -> str:
    given = alert.get("fingerprint")
    if given is not None:
        key = text.as_text(given, f"{place}.fingerprint", notes).strip()
        if key.strip("0"):  # nothing but zeros is a sender's way to say that it made none
            return text.as_key(key, f"{place}.fingerprint", notes)
    labels = text.whole_pairs(alert.get("labels"), f"{place}.labels")
    if labels:
        notes.add(f"{place}: the fingerprint is missing and was made from the labels.", partial=True)
        return fingerprint(labels)  # of all of them: what is kept of two long ones may be the same
    notes.add(f"{place}: no fingerprint and no labels: it stands alone.", partial=True)
    return ""


def fingerprint(labels: Mapping[str, str]) -> str:
    """Return what Alertmanager would send for these labels: FNV-1a, 64 bits, over the sorted pairs."""
    total = 0xCBF29CE484222325
    for name in sorted(labels):
        for byte in b"%s\xff%s\xff" % (name.encode(), labels[name].encode()):
            total = ((total ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{total:016x}"


def _title(
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    envelope: _Envelope,
    place: str,
    notes: Notes,
) -> str:
    candidates = (
        annotations.get("summary"),
        labels.get("alertname"),
        annotations.get("title"),
        annotations.get("description"),
        envelope.common_annotations.get("summary"),
        envelope.common_labels.get("alertname"),
    )
    for candidate in candidates:
        title = text.as_line(candidate or "")
        if title:
            return text.cut(title, text.TITLE_MAX, f"{place}: the title", notes)
    notes.add(f"{place}: neither a summary nor an alertname.", partial=True)
    title = text.as_line(envelope.title)  # Grafana's, which is about the whole group
    return text.cut(title, text.TITLE_MAX, f"{place}: the title", notes) or "An alert without a name"


def _identifiers(
    labels: Mapping[str, str], annotations: Mapping[str, str], place: str, notes: Notes
) -> dict[str, str]:
    named = {name: value for name, value in annotations.items() if naming.names_a_thing(name)}
    found = {
        name: naming.identifier(name, value, f"{place}.{name}", notes)
        for name, value in {**named, **labels}.items()
    }
    return {name: value for name, value in found.items() if value}


def _link(alert: Mapping[str, Any], envelope: _Envelope, place: str, notes: Notes) -> str:
    """Return where the alert comes from, else where Grafana shows it."""
    for field in ("generatorURL", "panelURL", "dashboardURL"):
        given = text.storable(_text_or_nothing(alert.get(field)), f"{place}.{field}", notes).strip()
        try:
            address = urljoin(envelope.external_url, given)
            is_web = urlsplit(address).scheme in ("http", "https")
        except ValueError:
            continue
        if is_web and given:
            return text.cut(address, text.VALUE_MAX, f"{place}.{field}", notes)
    return ""


def _text_or_nothing(value: Any) -> str:
    return value if isinstance(value, str) else ""
