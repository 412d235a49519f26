"""A support claim: JSON or a form's fields."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from incidents.adapters import text
from incidents.adapters.reading import Notes, Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.adapters.times import clock_note, read_time
from incidents.states import Condition, Event

ABOUT = ("delivery", "refund", "charge", "email", "account", "other")
# The sender's field, and what rules know it as.
_NAMED = {"order": "order_id", "customer": "customer_id", "email": "email", "reference": "reference"}
_FURTHER = re.compile(r"[a-z][a-z0-9_]{0,40}_id")
_FIELDS_MAX = 100


def read(body: bytes, received_at: datetime) -> Reading:
    """Read one claim. A claim without text or subject is partial, one without any field is empty."""
    notes = Notes()
    try:
        whole = _fields(body, notes)
    except NotReadable as reason:
        return Reading(Condition.UNREADABLE, notes=(str(reason),))
    if not any(_is_given(value) for value in whole.values()):
        return Reading(Condition.EMPTY, notes=("The claim has no field that says anything.",))
    signal = _signal(whole, received_at, notes)
    condition = Condition.PARTIAL if notes.is_partial else Condition.WHOLE
    return Reading(condition, (signal,), notes.sentences())


def _fields(body: bytes, notes: Notes) -> Mapping[str, Any]:
    start = body.lstrip()[:1]
    if not start or start in b'{["' or b"=" not in body:
        return read_object(body) if start else {}
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS_MAX, errors="replace"
        )
    except UnicodeDecodeError:
        raise NotReadable("The body is neither JSON nor a form in UTF-8.") from None
    except ValueError:
        raise NotReadable(f"The form has more than {_FIELDS_MAX} fields.") from None
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            notes.add(f"{name[:80]!r} is given twice; the first is kept.", partial=True)
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
    identifiers = _identifiers(whole, notes)
    return SignalValue(
        position=0,
        event=Event.FIRING,
        kind="claim",
        sender_key=_key(whole, identifiers, (title, message, about), received_at, notes),
        title=text.cut(title, text.TITLE_MAX, "title", notes),
        severity=(text.as_line(_field(whole, ("severity", "priority"), notes)).lower()[:20] or "unknown"),
        labels={"about": about},
        annotations={"message": text.cut(message, text.ANNOTATION_MAX, "text", notes)} if message else {},
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
    said = repr(about[:40]) if about else "missing"
    notes.add(f"about is {said}, not one of {', '.join(ABOUT)}; it is taken as other.", partial=True)
    return "other"


def _identifiers(whole: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    found: dict[str, str] = {}
    further = {name: name for name in whole if _FURTHER.fullmatch(name)}
    for field, name in {**further, **_NAMED}.items():
        value = _field(whole, (field,), notes, limit=text.TEXT_MAX)
        if not value:
            continue
        if len(value) > text.IDENTIFIER_MAX:
            notes.add(f"{field}: {len(value)} characters are too many to name a thing.", partial=True)
            continue
        if found.get(name, value) != value:
            notes.add(f"{name} is given twice, with two values: neither counts.", partial=True)
            del found[name]
            continue
        found[name] = value
    return found


def _key(
    whole: Mapping[str, Any],
    identifiers: Mapping[str, str],
    content: tuple[str, str, str],
    received_at: datetime,
    notes: Notes,
) -> str:
    """The sender's own reference, else what the claim says within the minute that it came in."""
    reference = _field(whole, ("reference",), notes, limit=text.TEXT_MAX)
    if reference:
        return text.as_key(reference, "reference", notes)
    minute = received_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")
    parts = (*content, *(f"{name}={identifiers[name]}" for name in sorted(identifiers)), minute)
    joined = "\x1f".join(f"{len(part)}:{part}" for part in parts)
    return "content:" + hashlib.sha256(joined.encode()).hexdigest()
