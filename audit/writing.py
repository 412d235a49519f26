"""Write one entry, in the transaction of the thing that it records."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from assay_core.canonical import canonical
from assay_core.envelope import SALT_BYTES, leaf
from assay_core.instants import from_text
from audit import prepared
from audit.straight import Meanwhile

_KIND = re.compile(r"[a-z][a-z_]*\.[a-z][a-z_]*")
_ACTOR_MAX = 200
_APPEND = "SELECT audit_append(%(kind)s, %(actor)s, %(incident)s, %(investigation)s, %(salt)s, %(body)s)"
_ARRAYS = ("kind", "actor", "incident", "investigation", "salt", "body")
# Row by row and in order: each row's entry draws its number when its row comes.
_APPEND_MANY = """
SELECT count(audit_append(kind, actor, incident, investigation, salt, body))
FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[], %s::text[])
    WITH ORDINALITY AS came (kind, actor, incident, investigation, salt, body, place)
"""
# One statement, so that entry and row need one round trip and stand or fall together.
_APPEND_BESIDE = """
WITH made AS MATERIALIZED ({append} AS text),
entry AS (
    SELECT (text::json ->> 'id')::bigint AS id, (text::json ->> 'recorded_at')::timestamptz AS recorded_at,
           encode(sha256('\\x00'::bytea || convert_to(text, 'UTF8')), 'hex') AS leaf
    FROM made
),
beside AS ({insert})
SELECT text FROM made
"""


class EntryRefused(ValueError):
    """An entry has no proper kind or actor; the message says which and what to write instead."""


@dataclass(frozen=True, slots=True)
class EntryRef:
    """What a row keeps of an entry that it cites: its id and its leaf hash in hex."""

    id: int
    leaf: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Draft:
    """One entry that is to be written together with others."""

    kind: str
    payload: Mapping[str, Any]
    incident: int | None = None
    investigation: int | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """A payload's one text, made once where it is needed twice."""

    text: str

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Body":
        """Raises NotCanonical for a payload that is not JSON."""
        return cls(canonical(dict(payload)))

    def plain(self) -> dict[str, Any]:
        """Return the payload as it will be read."""
        plain: dict[str, Any] = json.loads(self.text)
        return plain


@dataclass(frozen=True, slots=True)
class Row:
    """A row that is found by its entry: `insert` reads id, leaf and recorded_at from the relation `entry`."""

    insert: str
    values: Mapping[str, Any]


def write(
    kind: str,
    payload: Mapping[str, Any],
    *,
    actor: str,
    incident: int | None = None,
    investigation: int | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> EntryRef:
    """Append one entry and return its reference. It stands or falls with the caller's transaction.

    `kind` is `noun.participle` (`incident.closed`); `actor` names who did it. Raises EntryRefused for a
    malformed kind or actor, NotCanonical for a payload that is not JSON, and a DatabaseError when the
    database refuses: the caller's transaction can then only be rolled back, even if the error is swallowed.
    """
    values = _values(kind, actor, incident, investigation)
    return _appended(_APPEND, {**values, "body": canonical(dict(payload))}, using)


def write_many(drafts: Sequence[Draft], *, actor: str) -> None:
    """Append entries in this order by one statement, each as `write` would; all stand or fall together."""
    rows = [
        _values(draft.kind, actor, draft.incident, draft.investigation)
        | {"body": canonical(dict(draft.payload))}
        for draft in drafts
    ]
    if not rows:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with connection.cursor() as cursor:
            cursor.execute(_APPEND_MANY, [[row[name] for row in rows] for name in _ARRAYS])
    except DatabaseError:
        if connection.in_atomic_block:
            connection.needs_rollback = True
        raise


def write_beside(
    row: Row,
    kind: str,
    body: Body,
    *,
    actor: str,
    incident: int | None = None,
    investigation: int | None = None,
    meanwhile: Meanwhile | None = None,
) -> EntryRef:
    """Append one entry as `write` does, and insert the row that cites it by the same statement.

    `meanwhile` runs while the database is at that, as a rule.
    """
    values = {**row.values, **_values(kind, actor, incident, investigation), "body": body.text}
    return _appended(_beside(row.insert), values, DEFAULT_DB_ALIAS, meanwhile=meanwhile)


@lru_cache(maxsize=16)
def _beside(insert: str) -> str:
    return _APPEND_BESIDE.format(append=_APPEND, insert=insert)


def _values(kind: str, actor: str, incident: int | None, investigation: int | None) -> dict[str, Any]:
    return {
        "kind": kind,
        "actor": _named(kind, actor),
        "incident": incident,
        "investigation": investigation,
        "salt": secrets.token_bytes(SALT_BYTES),
    }


def _appended(
    statement: str, values: Mapping[str, Any], using: str, *, meanwhile: Meanwhile | None = None
) -> EntryRef:
    try:
        ((text,),) = prepared.rows(statement, values, using=using, meanwhile=meanwhile)
    except DatabaseError:
        connection = connections[using]
        if connection.in_atomic_block:
            connection.needs_rollback = True
        raise
    made = json.loads(text)
    return EntryRef(made["id"], leaf(text).hex(), from_text(made["recorded_at"]))


@lru_cache(maxsize=1024)
def _named(kind: str, actor: str) -> str:
    """Return who acted as the entry has it; refuse a malformed kind or actor."""
    if not _KIND.fullmatch(kind):
        raise EntryRefused(f"kind {kind!r}: write noun.participle in lower case, such as incident.closed")
    if not actor.strip() or len(actor) > _ACTOR_MAX:
        raise EntryRefused(f"actor {actor!r}: name who acted, in 1 to {_ACTOR_MAX} characters")
    if not actor.isprintable():
        raise EntryRefused(f"actor {actor!r}: leave out control and invisible characters")
    return canonical(actor)
