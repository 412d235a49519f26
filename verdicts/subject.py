"""The frozen view of an incident that rules, plans and prompts see."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from assay_core.instants import NotAnInstant, as_text
from verdicts import plain


class IdentifierMissing(LookupError):
    """The subject does not carry an identifier that a rule asks for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The frozen view of an incident. `subject["job_id"]` reads an identifier or raises IdentifierMissing."""

    incident: int
    kind: str
    source: str
    title: str
    severity: str
    started_at: datetime
    received_at: datetime
    identifiers: Mapping[str, str]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __post_init__(self) -> None:
        """Refuse a naive time: it names no point in time."""
        aware(self.started_at, "started_at")
        aware(self.received_at, "received_at")

    def __getitem__(self, name: str) -> str:
        """Return an identifier; one that is absent or blank raises IdentifierMissing."""
        value = self.identifiers.get(name)
        if type(value) is not str or not value.strip():
            raise IdentifierMissing(f"the incident carries no {name}")
        return value

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "incident": self.incident,
            "kind": self.kind,
            "source": self.source,
            "title": self.title,
            "severity": self.severity,
            "started_at": as_text(self.started_at),
            "received_at": as_text(self.received_at),
            "identifiers": dict(self.identifiers),
            "labels": dict(self.labels),
            "annotations": dict(self.annotations),
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "subject") -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _SUBJECT_KEYS)
        return cls(
            incident=plain.whole(raw["incident"], path, "incident"),
            kind=plain.text(raw["kind"], path, "kind"),
            source=plain.text(raw["source"], path, "source"),
            title=plain.text(raw["title"], path, "title"),
            severity=plain.text(raw["severity"], path, "severity"),
            started_at=plain.instant(raw["started_at"], path, "started_at"),
            received_at=plain.instant(raw["received_at"], path, "received_at"),
            identifiers=plain.texts(raw["identifiers"], path, "identifiers"),
            labels=plain.texts(raw["labels"], path, "labels"),
            annotations=plain.texts(raw["annotations"], path, "annotations"),
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the JSON text that a row keeps; raise CaseUnreadable, or ValueError for what is no JSON."""
        return cls.from_plain(json.loads(text))


def aware(moment: datetime, name: str) -> None:
    """Raise NotAnInstant for a naive time."""
    if moment.tzinfo is None:
        raise NotAnInstant(f"{name}: {moment.isoformat()} has no time zone")


_SUBJECT_KEYS = frozenset(Subject.__dataclass_fields__)
