"""Read the stored rows as they are, a few hundred at a time, for verification and for nothing else."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from audit.examination import Span, StoredRow

_AT_ONCE = 500
_BOUNDS = re.compile(r"FOR VALUES FROM \((.+)\) TO \((.+)\)")
_ALL_IDS = 2**63 - 1


def stream(using: str, first: int, last: int | None) -> Iterator[StoredRow]:
    """Yield the entries with their payloads in the order of their ids, through a server-side cursor.

    Runs inside the caller's transaction. Raises DatabaseError where a row can't be read.
    """
    connection = connections[using]
    spans = _spans(connection)
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT e.id, e.recorded_at, e.kind, e.actor, e.incident, e.investigation, e.canonical, e.leaf,"
            " p.salt, p.body, e.tableoid::bigint"
            " FROM audit_entry e LEFT JOIN audit_payload p ON p.entry = e.id"
            " WHERE e.id BETWEEN %s AND %s ORDER BY e.id",
            [first, _ALL_IDS if last is None else last],
        )
        while batch := cursor.fetchmany(_AT_ONCE):
            for row in batch:
                yield _stored(row, spans)


def recorded_erasures(using: str) -> frozenset[int]:
    """Return the ids of the entries whose payload's erasure a `payload.erased` entry records."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT e.id, p.body FROM audit_entry e JOIN audit_payload p ON p.entry = e.id"
            " WHERE e.kind = 'payload.erased' AND p.body IS NOT NULL"
        )
        return frozenset(
            erased for number, body in cursor.fetchall() for erased in _erased_by(body) if erased < number
        )


def payloads_without_entry(using: str, first: int, last: int | None) -> Iterator[int]:
    """Yield the ids of payloads whose entry is gone. Runs inside the caller's transaction."""
    with connections[using].chunked_cursor() as cursor:
        cursor.execute(
            "SELECT p.entry FROM audit_payload p WHERE p.entry BETWEEN %s AND %s"
            " AND NOT EXISTS (SELECT FROM audit_entry e WHERE e.id = p.entry) ORDER BY p.entry",
            [first, _ALL_IDS if last is None else last],
        )
        while batch := cursor.fetchmany(_AT_ONCE):
            for (number,) in batch:
                yield number


def leaves(using: str, numbers: Sequence[int]) -> dict[int, str]:
    """Return the leaf in hex of each of these entries that is there."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT id, encode(leaf, 'hex') FROM audit_entry WHERE id = ANY(%s)", [sorted(set(numbers))]
        )
        return dict(cursor.fetchall())


def _stored(row: Sequence[Any], spans: dict[int, Span]) -> StoredRow:
    number, recorded_at, kind, actor, incident, investigation, canonical, leaf, salt, body, table = row
    return StoredRow(
        id=number,
        recorded_at=recorded_at,
        kind=kind,
        actor=actor,
        incident=incident,
        investigation=investigation,
        canonical=canonical,
        leaf=bytes(leaf),
        salt=None if salt is None else bytes(salt),
        body=body,
        span=spans.get(table, Span(f"table {table}", None, None)),
    )


def _erased_by(body: str) -> list[int]:
    try:
        named = json.loads(body).get("entry")
    except (ValueError, AttributeError, RecursionError):
        return []
    return [named] if isinstance(named, int) else []


def _spans(connection: BaseDatabaseWrapper) -> dict[int, Span]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.oid::bigint, c.relname, pg_get_expr(c.relpartbound, c.oid)"
            " FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = 'audit_entry'::regclass"
        )
        return {oid: _span(name, bounds) for oid, name, bounds in cursor.fetchall()}


def _span(name: str, bounds: str) -> Span:
    found = _BOUNDS.fullmatch(bounds)
    if found is None:
        return Span(name, None, None, is_default=True)
    return Span(name, _edge(found[1]), _edge(found[2]))


def _edge(text: str) -> datetime | None:
    """Read one bound as PostgreSQL prints it; MINVALUE and MAXVALUE are open ends."""
    try:
        return datetime.fromisoformat(text.strip("'")).astimezone(UTC)
    except ValueError:
        return None
