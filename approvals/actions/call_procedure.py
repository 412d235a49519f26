"""sql.call_procedure: one named stored procedure with typed arguments, by a role that can do nothing else."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from approvals.actions import reads
from approvals.actions.base import ActionFailed, CouldNotCheck, Footprint, Hands, Observed, OutcomeUnknown
from approvals.actions.declared import DeclaredAction
from approvals.actions.reads import Common
from toolbox.yamlfile import Place

KEY = "$key"  # as a parameter: the idempotency token
_MORE = frozenset({"procedure", "parameters"})
_NAME = re.compile(r"[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*")
_TYPES = frozenset({"text", "integer", "bigint", "boolean", "uuid", "date", "timestamptz", "numeric"})
_FOUND = """
    SELECT p.oid::bigint, p.prosrc, has_function_privilege(p.oid, 'EXECUTE'), p.prosecdef
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = %s AND p.proname = %s AND p.prokind = 'p'
"""
# What a role for one procedure has no use for, each with the words for people.
_FORBIDDEN = """
    SELECT 'it is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
    UNION ALL SELECT 'it can make roles' FROM pg_roles WHERE rolname = current_user AND rolcreaterole
    UNION ALL SELECT 'it can make databases' FROM pg_roles WHERE rolname = current_user AND rolcreatedb
    UNION ALL SELECT 'it can replicate' FROM pg_roles WHERE rolname = current_user AND rolreplication
    UNION ALL SELECT 'it passes row security' FROM pg_roles WHERE rolname = current_user AND rolbypassrls
    UNION ALL SELECT 'it is a member of ' || r.rolname FROM pg_roles r
        WHERE r.rolname <> current_user AND pg_has_role(current_user, r.oid, 'MEMBER')
    UNION ALL SELECT 'it can write to ' || n.nspname || '.' || c.relname
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg_t%%'
        AND (has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE')
             OR has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE'))
    UNION ALL SELECT 'it can make things in ' || n.nspname FROM pg_namespace n
        WHERE n.nspname NOT LIKE 'pg_%%' AND has_schema_privilege(n.oid, 'CREATE')
    UNION ALL SELECT 'it can call ' || n.nspname || '.' || p.proname
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND has_schema_privilege(n.oid, 'USAGE')
        AND (p.prokind = 'p' OR p.prosecdef) AND has_function_privilege(p.oid, 'EXECUTE')
        AND n.nspname || '.' || p.proname <> ALL(%s)
    LIMIT 1
"""


class CallProcedure(DeclaredAction):
    """One declared procedure. `allowed` are all procedures that its credential is meant for."""

    def __init__(self, common: Common, procedure: str, parameters: Sequence[tuple[str, str]]) -> None:
        super().__init__(common)
        self.procedure = procedure
        self._parameters = tuple(parameters)
        self.allowed: tuple[str, ...] = (procedure,)

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Look the procedure up and read the target; its text is part of what is approved. CouldNotCheck."""
        with self._session(hands) as session:
            source = self._source(session)
        observed = self.observe(arguments)
        after = {"procedure": self.procedure, "source": hashlib.sha256(source.encode()).hexdigest()}
        return Footprint((self.target(arguments),), (), observed.state, after)

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Call it in a transaction of its own. Raises ActionFailed, OutcomeUnknown."""
        try:
            with self._session(hands) as session:
                return self._called(session, arguments, key)
        except CouldNotCheck as error:
            raise ActionFailed(str(error)) from None

    def probe(self, hands: Hands) -> str:
        """Return what the role lacks, or what it can do besides. Raises CouldNotCheck."""
        with self._session(hands) as session:
            try:
                self._source(session)
            except CouldNotCheck as error:
                return str(error)
            found = session.execute(_FORBIDDEN, [list(self.allowed)]).fetchone()
        return str(found[0]) if found else ""

    def _called(
        self, session: psycopg.Connection[Any], arguments: Mapping[str, Any], key: str
    ) -> Mapping[str, Any]:
        values = [key if name == KEY else arguments[name.removeprefix("$")] for name, _ in self._parameters]
        holes = sql.SQL(", ").join(sql.SQL("%s::" + kind) for _, kind in self._parameters)
        schema, name = self.procedure.split(".")
        statement = sql.SQL("CALL {}({})").format(sql.Identifier(schema, name), holes)
        try:
            session.execute(statement, values)
        except psycopg.Error as error:
            if error.sqlstate and not error.sqlstate.startswith(("08", "57P")):
                # The server answered: the call's own transaction is rolled back.
                raise ActionFailed(f"the database said no ({error.sqlstate})") from None
            raise OutcomeUnknown("the connection broke while the procedure ran") from None
        return {"called": self.procedure}

    def _source(self, session: psycopg.Connection[Any]) -> str:
        schema, name = self.procedure.split(".")
        rows = session.execute(_FOUND, [schema, name]).fetchall()
        if len(rows) != 1:
            raise CouldNotCheck(f"there are {len(rows)} procedures {self.procedure}, and it has to be one")
        if not rows[0][2]:
            raise CouldNotCheck(f"the write credential may not call {self.procedure}")
        return str(rows[0][1])

    @contextmanager
    def _session(self, hands: Hands) -> Iterator[psycopg.Connection[Any]]:
        """Open one session with the write credential; the address is never quoted."""
        milliseconds = int(self._common.seconds * 1000)
        options = f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds // 2} -c search_path="
        try:
            session = psycopg.connect(
                hands.field("dsn"),
                autocommit=True,
                connect_timeout=5,
                options=options,
                application_name="assay write",
            )
        except (psycopg.Error, ValueError) as error:
            raise CouldNotCheck(f"the database cannot be reached ({type(error).__name__})") from None
        try:
            yield session
        except psycopg.Error as error:
            raise CouldNotCheck(f"the database did not answer ({type(error).__name__})") from None
        finally:
            session.close()


def declared(place: Place) -> tuple[CallProcedure, ...]:
    """Read the `procedures` of the actions' file. Raises DefinitionError."""
    made = tuple(of(each, reads.common(each, "sql.call_procedure", _MORE)) for each in place.items())
    for each in made:
        each.allowed = tuple(other.procedure for other in made if other.credential == each.credential)
    return made


def of(place: Place, common: Common) -> CallProcedure:
    """Return one declared procedure. Raises DefinitionError."""
    procedure = place.at("procedure").text()
    if not _NAME.fullmatch(procedure):
        raise place.at("procedure").error(f"{procedure!r} is not schema.name", "Write both, in lower case.")
    parameters = []
    for each in place.at("parameters").items():
        name, _, kind = each.text().partition(" ")
        known = name == KEY or name.removeprefix("$") in (common.arguments.get("properties") or {})
        if not name.startswith("$") or not known or kind not in _TYPES:
            accepted = ", ".join(sorted(_TYPES))
            raise each.error(
                f"{each.data!r} is no parameter", f"Write `$argument type`, with one of {accepted}."
            )
        parameters.append((name, kind))
    return CallProcedure(common, procedure, parameters)
