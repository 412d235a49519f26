"""What is wrong with one stored entry, in sentences. Pure: all is computed anew from what is stored."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay_core.envelope import Envelope, commitment, is_same, leaf
from assay_core.instants import as_text


@dataclass(frozen=True, slots=True)
class Span:
    """The times that a partition holds: from `since` to before `until`, an open end being None."""

    name: str
    since: datetime | None
    until: datetime | None
    is_default: bool = False

    def holds(self, moment: datetime) -> bool:
        """Say whether the partition is the place for this time; the default partition is for any."""
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One entry as it lies in the tables, unchecked. Salt and body are None where the payload is gone."""

    id: int
    recorded_at: datetime
    kind: str
    actor: str
    incident: int | None
    investigation: int | None
    canonical: str
    leaf: bytes
    salt: bytes | None
    body: str | None
    span: Span


def faults(row: StoredRow, erased: Collection[int] = ()) -> list[str]:
    """Return every fault of a row, none if it is whole. `erased` are the ids whose erasure is recorded."""
    found = []
    if not is_same(leaf(row.canonical), row.leaf):
        found.append("the leaf is not the hash of the canonical text")
    envelope = _read(row.canonical)
    if envelope is None:
        found.append("the canonical text is not a JSON object")
    else:
        found += _differences(row, envelope) or _spelling(row, envelope)
        found += _payload(row, envelope, erased)
    if not row.span.holds(row.recorded_at):
        found.append(f"it lies in {row.span.name}, which is not the partition of {as_text(row.recorded_at)}")
    return found


def _read(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _differences(row: StoredRow, envelope: Mapping[str, Any]) -> list[str]:
    columns: dict[str, Any] = {
        "id": row.id,
        "recorded_at": as_text(row.recorded_at),
        "kind": row.kind,
        "actor": row.actor,
        "incident": row.incident,
        "investigation": row.investigation,
    }
    return [
        f"the column {name} says {value!r}, the canonical text {envelope.get(name)!r}"
        for name, value in columns.items()
        if envelope.get(name) != value
    ]


def _spelling(row: StoredRow, envelope: Mapping[str, Any]) -> list[str]:
    """The values agree: then the text must be the very one that they make."""
    expected = Envelope(
        id=row.id,
        recorded_at=row.recorded_at,
        kind=row.kind,
        actor=row.actor,
        incident=row.incident,
        investigation=row.investigation,
        payload=str(envelope.get("payload")),
    ).canonical()
    return [] if expected == row.canonical else ["the canonical text is not in its one form"]


def _payload(row: StoredRow, envelope: Mapping[str, Any], erased: Collection[int]) -> list[str]:
    if row.salt is None or row.body is None:
        if row.id in erased:
            return []
        return ["the payload is gone and no entry records its erasure"]
    if commitment(row.salt, row.body) != envelope.get("payload"):
        return ["the payload is not the one that the entry commits to"]
    return []
