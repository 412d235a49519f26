"""Erase the content of an entry, on record: what was recorded is gone, that it was recorded stays proven."""

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from audit import writing

KIND = "payload.erased"


class ErasureRefused(Exception):
    """There is nothing to erase, or the reason is missing; the message says which."""


def erase(entry: int, *, by: str, reason: str, using: str | None = None) -> writing.EntryRef:
    """Delete the payload and the salt of one entry, and write `payload.erased` in the same transaction.

    Runs as the role that migrates, where there is one: the application's own may not. Raises ErasureRefused,
    and DatabaseError where this role may not either. The bytes leave the disk with the next VACUUM, while
    backups keep theirs.
    """
    if not reason.strip():
        raise ErasureRefused("Say why: an erasure without a reason can't be told from tampering.")
    alias = using or eraser()
    with transaction.atomic(using=alias):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT kind FROM audit_entry WHERE id = %s", [entry])
            found = cursor.fetchone()
            if found is None:
                raise ErasureRefused(f"There is no entry {entry}.")
            if found[0] == KIND:
                raise ErasureRefused(f"Entry {entry} records an erasure itself: that record has to stay.")
        made = writing.write(KIND, {"entry": entry, "reason": reason.strip()}, actor=by, using=alias)
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT audit_erase(%s)", [entry])
            if not cursor.fetchone()[0]:
                raise ErasureRefused(f"The payload of entry {entry} was erased before.")
    return made


def eraser() -> str:
    """Return the alias of the role that may erase."""
    return "owner" if "owner" in settings.DATABASES else DEFAULT_DB_ALIAS
