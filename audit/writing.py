"""Write one entry, in the transaction of the thing that it records."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from assay_core.canonical import canonical
from assay_core.envelope import SALT_BYTES, Envelope, commitment, is_same, leaf

_KIND = re.compile(r"[a-z][a-z_]*\.[a-z][a-z_]*")
_ACTOR_MAX = 200


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
    body = canonical(dict(payload))
    salt = secrets.token_bytes(SALT_BYTES)
    with transaction.atomic(using=using, savepoint=False), connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT entry, at, hash FROM audit_append(%s, %s, %s, %s, %s, %s)",
            [kind, canonical(actor), incident, investigation, salt, body],
        )
        number, recorded_at, found = cursor.fetchone()
    envelope = Envelope(
        id=number,
        recorded_at=recorded_at,
        kind=kind,
        actor=actor,
        incident=incident,
        investigation=investigation,
        payload=commitment(salt, body),
    )
    if not is_same(leaf(envelope.canonical()), bytes(found)):
        raise RuntimeError(
            f"entry {number}: the database hashed another text than this one was to be. Do not commit; "
            "look for a proxy or a database setting that changes texts."
        )
    return EntryRef(id=number, leaf=bytes(found).hex(), recorded_at=recorded_at)


def _refuse_malformed(kind: str, actor: str) -> None:
    if not _KIND.fullmatch(kind):
        raise EntryRefused(f"kind {kind!r}: write noun.participle in lower case, such as incident.closed")
    if not actor.strip() or len(actor) > _ACTOR_MAX:
        raise EntryRefused(f"actor {actor!r}: name who acted, in 1 to {_ACTOR_MAX} characters")
    if not actor.isprintable():
        raise EntryRefused(f"actor {actor!r}: leave out control and invisible characters")
