"""What a PostgreSQL credential is seen to be refused: each thing is tried and rolled back."""

from toolbox.connectors.credential import Finding, ProofImpossible
from toolbox.connectors.pgfailures import SqlFailure, status_and_reason
from toolbox.connectors.pgsession import ReadSession
from toolbox.connectors.readerrole import identifier
from toolbox.deadline import Deadline
from toolbox.definitions import Statement

# Refused for want of a right; by a standby, which cannot write; or because the server does not know it.
_REFUSALS = frozenset({"42501", "25006", "0A000", "42883"})
_MOST_SCHEMAS = 50
_SCHEMAS = (
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname<>'information_schema' "
    "AND has_schema_privilege(oid,'USAGE') ORDER BY nspname<>'public', nspname LIMIT 50"
)
_NAME = "assay_probe_of_privileges"
_PROBES = (
    ("create a temporary table", f"CREATE TEMPORARY TABLE {_NAME} (n integer)", "TEMPORARY on the database"),
    ("create a schema", f"CREATE SCHEMA {_NAME}", "CREATE on the database"),
    ("create a role", f"CREATE ROLE {_NAME}", "the attribute CREATEROLE"),
    ("lo_create", "SELECT lo_create(0)", "EXECUTE on lo_create(oid)"),
    (
        "pg_try_advisory_xact_lock",
        "SELECT pg_try_advisory_xact_lock(1634955641, 1885564518)",
        "EXECUTE on pg_try_advisory_xact_lock",
    ),
    # The program does nothing. It runs only where the credential may run any.
    ("run a program", "COPY (SELECT 1) TO PROGRAM 'true'", "membership in pg_execute_server_program"),
)
_FAMILIES = {"lo_create": "large_objects", "pg_try_advisory_xact_lock": "advisory_locks"}


def tried(session: ReadSession, deadline: Deadline) -> list[Finding]:
    """Return a finding for each thing that the server let the credential do, before it was rolled back.

    Raises SqlFailure, SessionLost, DeadlinePassed, and ProofImpossible where a refusal means something else.
    """
    probes = [*_PROBES]
    for schema in _schemas(session, deadline):
        try:
            table = f"{identifier(schema)}.{_NAME}"
        except ValueError:
            continue  # a name that only the catalogue query can speak of
        probes.append(
            (f"create a table in {schema}", f"CREATE TABLE {table} (n integer)", "CREATE on the schema")
        )
    return [
        Finding(
            check="probe",
            object=what,
            privilege="ALLOWED",
            cure=f"revoke {right}: the finding beside this says from whom",
            residual=_FAMILIES.get(what, ""),
        )
        for what, statement, right in probes
        if _was_allowed(session, statement, deadline)
    ]


def _schemas(session: ReadSession, deadline: Deadline) -> list[str]:
    session.begin(deadline)
    session.declare("assay_proof", Statement(_SCHEMAS), {}, deadline)
    rows = session.fetch("assay_proof", _MOST_SCHEMAS, 65_536, deadline).rows
    return [str(name) for (name,) in rows]


def _was_allowed(session: ReadSession, statement: str, deadline: Deadline) -> bool:
    try:
        session.attempt(statement, deadline)
    except SqlFailure as failure:
        if failure.sqlstate in _REFUSALS:
            return False
        raise ProofImpossible(f"a probe ended unclearly: {status_and_reason(failure)[1]}") from None
    return True
