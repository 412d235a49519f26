"""Incidents, entries, verdicts and rules as the API tells them: plain values, secrets masked."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from assay_core.instants import as_text
from audit.reading import StoredEntry
from incidents import entries
from incidents.models import Incident
from investigations import labels
from investigations.models import Verdict
from toolbox.redaction import copy_for_readers

_TIMES = ("started_at", "last_received_at", "recovered_at", "acknowledged_at", "snoozed_until", "closed_at")


def incident(row: Incident, *, veiled: bool) -> dict[str, Any]:
    """Return one incident as lists have it; its verdict only to who may see that."""
    verdict = None
    if row.verdict_passed is not None and not veiled:
        verdict = {
            "passed": row.verdict_passed,
            "hypothesis": row.hypothesis,
            "reason": row.verdict_reason,
        }
    plain = {
        "number": row.pk,
        "url": f"{settings.BASE_URL}/incidents/{row.pk}/",
        "title": row.title,
        "kind": row.kind,
        "severity": row.severity,
        "state": row.state,
        "source": row.source.slug,
        "team": row.team.slug if row.team else None,
        "assignee": row.assignee.username if row.assignee else None,
        **{name: _time(getattr(row, name)) for name in _TIMES},
        "version": row.version,
        "veiled": veiled,
        "verdict": verdict,
    }
    return _masked(plain)


def one_incident(row: Incident, *, veiled: bool) -> dict[str, Any]:
    """Return one incident with what its sender said."""
    said = {"labels": row.labels, "annotations": row.annotations, "identifiers": row.identifiers}
    found = labels.of_incident(row.pk) if row.kind == "issue" and not veiled else None
    classified = {"classification": labels.plain(found.row) if found else None}
    return {**incident(row, veiled=veiled), **_masked(said), **_masked(classified)}


def entry(stored: StoredEntry) -> dict[str, Any]:
    """Return one entry."""
    return {
        "entry": stored.id,
        "recorded_at": as_text(stored.recorded_at),
        "kind": stored.kind,
        "actor": stored.actor,
        "incident": stored.incident,
        "investigation": stored.investigation,
        "leaf": stored.leaf,
        "payload": None if stored.payload is None else entries.copy_of(stored).value,
    }


def verdict(row: Verdict) -> dict[str, Any]:
    """Return one verdict as it was stored."""
    plain = {
        "verdict": row.pk,
        "investigation": row.investigation_id,
        "passed": row.passed,
        "hypothesis": row.hypothesis,
        "reason": row.reason,
        "rulebook": row.rulebook_digest,
        "created_at": as_text(row.created_at),
        "decided": json.loads(row.body),
    }
    return _masked(plain)


def _masked(plain: Mapping[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = copy_for_readers(dict(plain)).value
    return copied


def _time(at: datetime | None) -> str | None:
    return as_text(at) if at else None
