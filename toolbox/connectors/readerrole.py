"""The hardened reader role of a PostgreSQL database, as SQL for its superuser to run."""

from collections.abc import Sequence
from dataclasses import dataclass

# Built-in functions that PUBLIC may call and that no READ ONLY transaction makes harmless: they wait, lock,
# write outside the transaction, change the session, or run SQL that is given to them as text.
RISKY_PATTERN = (
    "^(pg_sleep|pg_(try_)?advisory_|(query|cursor|table|schema|database)_to_xml|(lo_(creat|create|from_bytea|put|open"
    "|truncate|truncate64|unlink|import|export)|lowrite|pg_notify|pg_terminate_backend|pg_cancel_backend|set_config"
    "|setseed|pg_logical_emit_message|pg_current_xact_id|txid_current|pg_export_snapshot|ts_stat|ts_rewrite)$)"
)
# Refused to PUBLIC by PostgreSQL itself; a grant of one is a finding all the same.
RISKY_GRANTS = (
    "pg_read_file",
    "pg_read_binary_file",
    "pg_ls_dir",
    "pg_reload_conf",
    "pg_switch_wal",
    "pg_promote",
    "pg_create_restore_point",
    "pg_stat_reset",
)
_ATTRIBUTES = (
    "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 8"
)
# Only a superuser may name the rest, even to say no.
_MANAGED_ATTRIBUTES = "LOGIN NOCREATEDB NOCREATEROLE NOINHERIT CONNECTION LIMIT 8"
_OF_SUPERUSERS = frozenset({"temp_file_limit"})
_MANAGED_REST = """\
-- Left as they are: the built-in functions that PUBLIC may call and only a superuser can take away, and
-- temp_file_limit. `manage.py tools check` lists them by name for an administrator to acknowledge."""
_SETTINGS = (
    ("default_transaction_read_only", "on"),
    ("statement_timeout", "'5s'"),
    ("lock_timeout", "'500ms'"),
    ("idle_in_transaction_session_timeout", "'10s'"),
    ("temp_file_limit", "'256MB'"),  # the only one that the role itself cannot undo
    ("work_mem", "'16MB'"),
    ("max_parallel_workers_per_gather", "0"),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader to be made. A table is `schema.table`; `is_managed` where nobody is a superuser."""

    database: str
    tables: Sequence[str]
    role: str
    owner: str
    is_managed: bool = False


def reader_role_sql(database: str, schema: str, tables: Sequence[str], role: str, owner: str) -> str:
    """Return the SQL that makes `role` a reader of the named tables of one schema, and of nothing else."""
    return reader_sql(Reader(database, [f"{schema}.{table}" for table in tables], role, owner))


def reader_sql(wanted: Reader) -> str:
    """Return the SQL that makes a reader of the named tables, and of nothing else.

    Run it as the superuser, connected to the database; it may be run again. It takes from PUBLIC what would
    give the reader a way to write, and gives it back to the owner. `ALTER ROLE ... PASSWORD` sets a password.
    Raises ValueError for a name that PostgreSQL cannot hold.
    """
    reader, keeper, database = map(identifier, (wanted.role, wanted.owner, wanted.database))
    named = [_table(table) for table in wanted.tables]
    places = ", ".join(dict.fromkeys(place for place, _ in named))
    tables = ", ".join(f"{place}.{table}" for place, table in named)
    settings = "\n".join(
        f"ALTER ROLE {reader} SET {name} = {value};"
        for name, value in _SETTINGS
        if not (wanted.is_managed and name in _OF_SUPERUSERS)
    )
    return f"""\
DO $make$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = {literal(wanted.role)}) THEN
    CREATE ROLE {reader}; END IF;
END $make$;
ALTER ROLE {reader} {_MANAGED_ATTRIBUTES if wanted.is_managed else _ATTRIBUTES};
REVOKE ALL ON DATABASE {database} FROM PUBLIC, {reader};
GRANT CONNECT ON DATABASE {database} TO {reader};
GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {keeper};
{_revoke_everywhere(reader, keeper)}
ALTER DEFAULT PRIVILEGES FOR ROLE {keeper} REVOKE EXECUTE ON ROUTINES FROM PUBLIC;
{_MANAGED_REST if wanted.is_managed else _revoke_builtins(keeper)}
GRANT USAGE ON SCHEMA {places} TO {reader};
GRANT SELECT ON {tables} TO {reader};
{settings}
ALTER ROLE {reader} SET search_path = pg_catalog, {places};
"""  # noqa: S608 every name is quoted by identifier() or literal()


def _table(name: str) -> tuple[str, str]:
    place, _, table = name.partition(".")
    if not table:
        raise ValueError(f"{name!r} names no schema: write it as schema.table")
    return identifier(place), identifier(table)


def _revoke_everywhere(reader: str, keeper: str) -> str:
    """Outside the catalogue, PUBLIC and the reader lose all schemas, tables, sequences and routines."""
    return f"""\
DO $schemas$ DECLARE place name; BEGIN
  FOR place IN SELECT nspname FROM pg_namespace
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO {keeper}', place);
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC, {reader}', place);
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM PUBLIC, {reader}', place);
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM PUBLIC, {reader}', place);
    EXECUTE format('GRANT EXECUTE ON ALL ROUTINES IN SCHEMA %I TO {keeper}', place);
    EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA %I FROM PUBLIC, {reader}', place);
  END LOOP;
END $schemas$;"""  # noqa: S608 quoted by its caller


def _revoke_builtins(keeper: str) -> str:
    return f"""\
DO $builtins$ DECLARE routine regprocedure; BEGIN
  FOR routine IN SELECT oid::regprocedure FROM pg_proc
      WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ {literal(RISKY_PATTERN)} LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO {keeper}', routine);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', routine);
  END LOOP;
END $builtins$;"""  # noqa: S608 quoted by its caller


def identifier(name: str) -> str:
    """Return a quoted SQL identifier; raise ValueError for a name that PostgreSQL cannot hold."""
    if not name or "\x00" in name or len(name.encode()) > 63 or "%" in name or "'" in name:
        raise ValueError(f"{name!r} is no name for a role, schema or table: use at most 63 plain characters")
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a quoted SQL text."""
    return "'" + text.replace("'", "''") + "'"
