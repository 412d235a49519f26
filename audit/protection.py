"""How well the log is protected as this connection finds it."""

from django.db import connections

_HELD = """
    SELECT pg_has_role(current_user, c.relowner, 'USAGE'),
           has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    FROM pg_class c WHERE c.oid = 'audit_entry'::regclass
"""
# Each table with the triggers that it should have, always firing, and has not.
_UNGUARDED = """
    SELECT c.relname, wanted.name
    FROM pg_class c CROSS JOIN (VALUES ('audit_no_change'), ('audit_no_truncate')) AS wanted (name)
    WHERE (c.oid IN ('audit_entry'::regclass, 'audit_payload'::regclass)
           OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'audit_entry'::regclass))
      AND NOT EXISTS (SELECT FROM pg_trigger t
                      WHERE t.tgrelid = c.oid AND t.tgname = wanted.name AND t.tgenabled = 'A')
    ORDER BY 1, 2
"""
_NEXT_MONTH = """
    SELECT to_regclass('audit_entry_' || to_char((now() AT TIME ZONE 'UTC') + interval '1 month', 'YYYY_MM'))
           IS NOT NULL
"""


def weaknesses(*, using: str = "default") -> list[str]:
    """Return a sentence with its cure for each thing that protects the log less than it could.

    Raises DatabaseError when the tables are missing or can't be reached.
    """
    found = []
    with connections[using].cursor() as cursor:
        cursor.execute(_HELD)
        owns, may_write = cursor.fetchone()
        if owns:
            found.append(
                "Entries are protected by a trigger only: this role owns them and could remove it. Set "
                "DATABASE_OWNER_URL for migrations and run as a role of its own "
                "(docs/howto/run-in-production-with-systemd.md)."
            )
        elif may_write:
            found.append(
                "This role may write to audit_entry directly. "
                "Revoke INSERT, UPDATE, DELETE and TRUNCATE on it as assay_audit."
            )
        cursor.execute(_UNGUARDED)
        found += [
            f"The trigger {trigger} on {table} is missing or not set to ALWAYS: somebody who owns the table "
            f"took it away. Run verify_audit, then ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger}."
            for table, trigger in cursor.fetchall()
        ]
        cursor.execute(_NEXT_MONTH)
        if not cursor.fetchone()[0]:
            found.append(
                "Next month has no partition yet: start beat and the upkeep worker, "
                "or run SELECT audit_prepare_partitions()."
            )
    return found
