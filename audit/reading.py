"""Read entries back, each with its payload."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

_COLUMNS = """
    SELECT e.id, e.recorded_at, e.kind, e.actor, e.incident, e.investigation, e.canonical, e.leaf, p.body
    FROM audit_entry e LEFT JOIN audit_payload p ON p.entry = e.id
"""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One entry as it is stored. `payload` is None after its erasure; `leaf` is in hex."""

    id: int
    recorded_at: datetime
    kind: str
    actor: str
    incident: int | None
    investigation: int | None
    payload: dict[str, Any] | None
    canonical: str
    leaf: str


def entry(number: int) -> StoredEntry | None:
    """Return the entry of this id, or None."""
    found = _read("WHERE e.id = %s", [number])
    return found[0] if found else None


def of_investigation(number: int, *, kind: str | None = None) -> tuple[StoredEntry, ...]:
    """Return an investigation's entries in the order of their ids, those of one kind if it is given."""
    if kind is None:
        return _read("WHERE e.investigation = %s ORDER BY e.id", [number])
    return _read("WHERE e.investigation = %s AND e.kind = %s ORDER BY e.id", [number, kind])


def of_incident(number: int) -> tuple[StoredEntry, ...]:
    """Return the entries that name this incident, in the order of their ids."""
    return _read("WHERE e.incident = %s ORDER BY e.id", [number])


def latest_about(kinds: str, field: str, value: str | int) -> StoredEntry | None:
    """Return the newest entry of kinds that begin so whose payload names this value; None after 50 others."""
    found = _read(
        "WHERE e.kind LIKE %s AND e.id > (SELECT coalesce(max(id), 0) - 10000 FROM audit_entry) "
        "ORDER BY e.id DESC LIMIT 50",
        [f"{kinds}%"],
    )
    return next((one for one in found if one.payload and one.payload.get(field) == value), None)


def _read(condition: str, values: Sequence[int | str]) -> tuple[StoredEntry, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS + condition, values)
        return tuple(_stored(row) for row in cursor.fetchall())


def _stored(row: tuple[Any, ...]) -> StoredEntry:
    number, recorded_at, kind, actor, incident, investigation, canonical, leaf, body = row
    return StoredEntry(
        id=number,
        recorded_at=recorded_at,
        kind=kind,
        actor=actor,
        incident=incident,
        investigation=investigation,
        payload=None if body is None else json.loads(body),
        canonical=canonical,
        leaf=bytes(leaf).hex(),
    )
