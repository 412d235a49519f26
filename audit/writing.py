"""Write one entry, in the transaction of the thing that it records."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from assay_core.canonical import canonical
from assay_core.envelope import SALT_BYTES, leaf
from assay_core.instants import from_text

_KIND = re.compile(r"[a-z][a-z_]*\.[a-z][a-z_]*")
_ACTOR_MAX = 200
_APPEND = "SELECT audit_append(%s, %s, %s, %s, %s, %s)"


class EntryRefused(ValueError):
    """An entry has no proper kind or actor; the message says which and what to write instead."""


@dataclass(frozen=True, slots=True)
class EntryRef:
    """What a row keeps of an entry that it cites: its id and its leaf hash in hex."""

    id: int
    leaf: str
    recorded_at: datetime


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
    _refuse_malformed(kind, actor)
    values = [kind, canonical(actor), incident, investigation, secrets.token_bytes(SALT_BYTES)]
    connection = connections[using]
    try:
        with connection.cursor() as cursor:
            cursor.execute(_APPEND, [*values, canonical(dict(payload))])
            (text,) = cursor.fetchone()
    except DatabaseError:
        if connection.in_atomic_block:
            connection.needs_rollback = True
        raise
    made = json.loads(text)
    return EntryRef(made["id"], leaf(text).hex(), from_text(made["recorded_at"]))


def _refuse_malformed(kind: str, actor: str) -> None:
    if not _KIND.fullmatch(kind):
        raise EntryRefused(f"kind {kind!r}: write noun.participle in lower case, such as incident.closed")
    if not actor.strip() or len(actor) > _ACTOR_MAX:
        raise EntryRefused(f"actor {actor!r}: name who acted, in 1 to {_ACTOR_MAX} characters")
    if not actor.isprintable():
        raise EntryRefused(f"actor {actor!r}: leave out control and invisible characters")
