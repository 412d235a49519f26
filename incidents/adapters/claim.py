"""A support claim: JSON, or a form's fields as either kind of form sends them."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from incidents.adapters import formfields, naming, severities, text
from incidents.adapters.reading import Notes, Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.adapters.times import clock_note, read_time
from incidents.states import Condition, Event

ABOUT = ("delivery", "refund", "charge", "email", "account", "other")
# The sender's field, and what rules know it as.
_NAMED = {"order": "order_id", "customer": "customer_id", "email": "email", "reference": "reference"}
_FURTHER = re.compile(r"[a-z][a-z0-9_]{0,40}_id")
_READ = frozenset({"text", "message", "title", "subject", "about", "occurred_at", "severity", "priority"})


def read(body: bytes, received_at: datetime, headers: Mapping[str, str] = MappingProxyType({})) -> Reading:
    """Read one claim. A claim without text or subject is partial, one without any field is empty."""
    notes = Notes()
    try:
        whole = _fields(body, headers.get("content-type", ""), notes)
    except NotReadable as reason:
        return Reading(Condition.UNREADABLE, notes=(str(reason),))
    if not any(_is_given(value) for value in whole.values()):
        return Reading(Condition.EMPTY, notes=("The claim has no field that says anything.",))
    signal = _signal(whole, received_at, notes)
    condition = Condition.PARTIAL if notes.is_partial else Condition.WHOLE
    return Reading(condition, (signal,), notes.sentences())


def _fields(body: bytes, content_type: str, notes: Notes) -> Mapping[str, Any]:
    if not body.strip():
        return {}
    if content_type.lower().startswith("multipart/form-data"):
        return _once(formfields.parted(body, notes), notes)
    if not formfields.is_form(body):
        return read_object(body)
    return _once(formfields.encoded(body, notes), notes)


def _once(pairs: Iterable[tuple[str, str]], notes: Notes) -> Mapping[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            notes.add(f"{text.quoted(name, 80)} is given twice; the first is kept.", partial=True)
        else:
            whole[name] = value
    whole.pop("csrfmiddlewaretoken", None)
    return whole


def _signal(whole: Mapping[str, Any], received_at: datetime, notes: Notes) -> SignalValue:
    message = _field(whole, ("text", "message"), notes, limit=text.TEXT_MAX)
    subject = text.as_line(_field(whole, ("title", "subject"), notes, limit=text.TEXT_MAX))
    if not message:
        notes.add("The claim has no text.", partial=True)
    if not subject:
        notes.add("The claim has no subject.", partial=True)
    title = subject or text.as_line(message) or "A claim without a subject"
    starts_at = read_time(whole.get("occurred_at"), "occurred_at", notes)
    clock = clock_note(starts_at, None, received_at) if _is_given(whole.get("occurred_at")) else ""
    if clock:
        notes.add(clock)
    about = _about(whole, notes)
    grave = _field(whole, ("severity", "priority"), notes)
    identifiers = _identifiers(whole, notes)
    said = {"severity": grave} if severities.is_told_otherwise(grave) else {}
    if message:
        said["message"] = text.cut(message, text.ANNOTATION_MAX, "text", notes)
    return SignalValue(
        position=0,
        event=Event.FIRING,
        kind="claim",
        sender_key=_key(whole, received_at, notes),
        title=text.cut(title, text.TITLE_MAX, "title", notes),
        severity=severities.severity(grave),
        labels={"about": about},
        annotations={**_further(whole, identifiers, notes), **said},
        identifiers=identifiers,
        text=message,
        starts_at=starts_at,
        clock_note=clock,
    )


def _is_given(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _field(
    whole: Mapping[str, Any], names: tuple[str, ...], notes: Notes, *, limit: int = text.VALUE_MAX
) -> str:
    for name in names:
        if _is_given(whole.get(name)):
            given = text.as_text(whole[name], name, notes).strip()
            if given:
                return text.cut(given, limit, name, notes)
    return ""


def _about(whole: Mapping[str, Any], notes: Notes) -> str:
    about = _field(whole, ("about",), notes).lower()
    if about in ABOUT:
        return about
    said = text.quoted(about) if about else "missing"
    notes.add(f"about is {said}, not one of {', '.join(ABOUT)}; it is taken as other.", partial=True)
    return "other"


def _identifiers(whole: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    found: dict[str, str] = {}
    further = {name: name for name in whole if _FURTHER.fullmatch(name)}
    for field, name in {**further, **_NAMED}.items():
        value = _field(whole, (field,), notes, limit=text.TEXT_MAX)
        if not value or isinstance(whole[field], list | dict | bool):
            continue
        if len(value) > text.IDENTIFIER_MAX:
            notes.add(f"{field}: {len(value)} characters are too many to name a thing.", partial=True)
            continue
        if found.get(name, value) != value:
            notes.add(f"{name} is given twice, with two values: neither counts.", partial=True)
            del found[name]
            continue
        if value := naming.identifier(name, value, field, notes):
            found[name] = value
    return found


def _further(whole: Mapping[str, Any], identifiers: Mapping[str, str], notes: Notes) -> dict[str, str]:
    """Return the fields that became nothing else: whoever answers the claim reads them."""
    given = {
        name: value if isinstance(value, str) else text.as_text(value, name, Notes())
        for name, value in whole.items()
        if name not in _READ and _NAMED.get(name, name) not in identifiers and _is_given(value)
    }
    return text.text_pairs(given, "the claim", notes, limit=text.ANNOTATION_MAX)


def _key(whole: Mapping[str, Any], received_at: datetime, notes: Notes) -> str:
    """The sender's own reference, else all that the claim says within the minute that it came in."""
    reference = _field(whole, ("reference",), notes, limit=text.TEXT_MAX)
    if reference:
        return text.as_key(reference, "reference", notes)
    minute = received_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")
    said = json.dumps({name: value for name, value in whole.items() if _is_given(value)}, sort_keys=True)
    return "content:" + hashlib.sha256(f"{minute}:{said}".encode()).hexdigest()
