"""Makes the shop's reader: a role that can select from the shop's tables and do nothing else.

The statements are those of the how-to about connecting a database; here they run on a
database that has no other users, so that nothing has to be granted back.
"""

import psycopg
from psycopg import sql

OWNER = "shop_owner"
READER = "shop_reader"

_ROLE = """
ALTER ROLE {reader} LOGIN PASSWORD {password} NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION
    NOBYPASSRLS CONNECTION LIMIT 8;
ALTER ROLE {reader} SET default_transaction_read_only = on;
ALTER ROLE {reader} SET statement_timeout = '5s';
ALTER ROLE {reader} SET lock_timeout = '500ms';
ALTER ROLE {reader} SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE {reader} SET temp_file_limit = '256MB';
ALTER ROLE {reader} SET work_mem = '16MB';
ALTER ROLE {reader} SET max_parallel_workers_per_gather = 0;
ALTER ROLE {reader} SET search_path = shop, pg_catalog;
REVOKE ALL ON DATABASE {database} FROM PUBLIC;
GRANT CONNECT ON DATABASE {database} TO {reader};
REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA shop, public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} REVOKE EXECUTE ON ROUTINES FROM PUBLIC;
GRANT USAGE ON SCHEMA shop TO {reader};
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {reader};
"""

# Built-in functions that change something, wait, or hold a lock, though a role may only select.
_FUNCTIONS = """
DO $$ DECLARE r record; BEGIN FOR r IN
  SELECT p.oid::regprocedure AS f FROM pg_proc p
  WHERE p.pronamespace = 'pg_catalog'::regnamespace AND (
    p.proname ~ '^(pg_sleep|pg_(try_)?advisory_|(query|cursor|table|schema|database)_to_xml)'
    OR p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lo_open', 'lowrite',
      'lo_truncate', 'lo_truncate64', 'lo_unlink', 'lo_import', 'lo_export', 'pg_notify',
      'pg_terminate_backend', 'pg_cancel_backend', 'set_config', 'pg_logical_emit_message',
      'pg_current_xact_id', 'txid_current', 'pg_export_snapshot', 'ts_stat', 'ts_rewrite'))
LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', r.f); END LOOP; END $$
"""


def harden(connection: psycopg.Connection, *, database: str, password: str) -> None:
    """Give the reader its password, limits and SELECT; take the rest from everybody. Needs a superuser."""
    connection.execute(
        sql.SQL(_ROLE).format(
            reader=sql.Identifier(READER),
            owner=sql.Identifier(OWNER),
            database=sql.Identifier(database),
            password=sql.Literal(password),
        )
    )
    connection.execute(_FUNCTIONS)
