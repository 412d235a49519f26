"""What a PostgreSQL credential could do beyond reading: how it is given, and which finding names it."""

from dataclasses import dataclass

from tests.db import attempted

ME, OWNER, DATABASE = attempted.READER, attempted.OWNER, attempted.DATABASE


@dataclass(frozen=True, slots=True)
class Plant:
    """A privilege: how it is given, by which finding it is known, and what else has to go afterwards."""

    sql: str
    check: str
    object: str
    privilege: str
    uproot: str = ""
    is_cured: bool = True


def table(privilege: str, name: str = "app.orders", to: str = ME) -> Plant:
    return Plant(f"GRANT {privilege} ON {name} TO {to}", "relation", name, privilege)


def builtin(function: str, to: str = ME) -> Plant:
    return Plant(f"GRANT EXECUTE ON FUNCTION {function} TO {to}", "catalog_function", function, "EXECUTE")


def member(role: str, options: str = "") -> Plant:
    return Plant(f"GRANT {role} TO {ME} {options}", "membership", role, "MEMBER")


def owned(named: str, described: str, again: str = "") -> Plant:
    """Ownership. Giving it away takes the role's own grants along, which have to be given again."""
    uproot = again.replace("DATABASE {}", f"DATABASE {DATABASE}").format(ME)
    return Plant(f"ALTER {named} OWNER TO {ME}", "owns", described, "OWNER", uproot=uproot)


FAR = (
    "CREATE FOREIGN DATA WRAPPER wrapping; CREATE SERVER far FOREIGN DATA WRAPPER wrapping;"
    "CREATE FOREIGN TABLE app.away(i int) SERVER far;"
)


def behind(relation: str, sql: str, uproot: str = "") -> Plant:
    """A relation whose reading asks a foreign table, which may run a program on the server."""
    return Plant(
        FAR + sql, "foreign", relation, "SELECT",
        uproot=f"DROP FOREIGN DATA WRAPPER wrapping CASCADE; {uproot}",
    )  # fmt: skip


def called(function: str, by: str, check: str, object_: str, privilege: str, uproot: str) -> Plant:
    """A function that nobody may call by its name, and something else that calls it for everybody."""
    name = function.partition("(")[0]
    sql = f"CREATE FUNCTION {function}; REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC; {by}"
    return Plant(sql, check, object_, privilege, uproot=f"{uproot}; DROP FUNCTION {name}")


PLANTS = [
    *(
        Plant(f"ALTER ROLE {ME} {attribute}", "role_attribute", ME, attribute)
        for attribute in ("SUPERUSER", "CREATEROLE", "CREATEDB", "REPLICATION", "BYPASSRLS")
    ),
    member(OWNER),
    member(OWNER, "WITH INHERIT FALSE, SET TRUE"),
    member(OWNER, "WITH INHERIT FALSE, SET FALSE, ADMIN TRUE"),
    Plant(
        f"CREATE ROLE between; GRANT {OWNER} TO between; GRANT between TO {ME}",
        "membership", OWNER, "MEMBER", uproot="DROP ROLE between",
    ),
    *(
        member(role)
        for role in (
            "pg_write_all_data", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program",
            "pg_signal_backend", "pg_checkpoint", "pg_use_reserved_connections", "pg_create_subscription",
            "pg_maintain", "pg_signal_autovacuum_worker",
        )
    ),
    owned("TABLE app.customers", "table app.customers", "GRANT SELECT ON app.customers TO {}"),
    owned("FUNCTION app.plain_write", "function app.plain_write(bigint)"),
    owned("SCHEMA app", "schema app", "GRANT USAGE ON SCHEMA app TO {}"),
    owned(f"DATABASE {DATABASE}", f"database {DATABASE}", "GRANT CONNECT ON DATABASE {} TO {}"),
    Plant(
        f"ALTER DATABASE {DATABASE} OWNER TO {ME}", "membership", "pg_database_owner", "MEMBER",
        uproot=f"ALTER DATABASE {DATABASE} OWNER TO postgres; GRANT CONNECT ON DATABASE {DATABASE} TO {ME}",
        is_cured=False,
    ),
    owned("LARGE OBJECT 424242", "large object 424242"),
    *(table(p) for p in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES", "MAINTAIN")),
    table("INSERT", to="PUBLIC"),
    table("UPDATE", "app.sneaky"),
    table("DELETE", "app.mv"),
    table("INSERT", "pg_settings"),
    Plant(
        "CREATE TABLE app.parts(i int) PARTITION BY LIST (i);"

               f"CREATE TABLE app.part_1 PARTITION OF app.parts FOR VALUES IN (1);"
        f"GRANT INSERT ON app.part_1 TO {ME}",
        "relation", "app.part_1", "INSERT", uproot="DROP TABLE app.parts",
    ),
    *(
        Plant(f"GRANT {privilege} ON app.orders TO {to}", "column", "app.orders", privilege)
        for privilege, to in (

                       ("UPDATE (note)", ME), ("INSERT (amount)", ME), ("REFERENCES (id)", ME),
                       ("UPDATE (note)", "PUBLIC"),
        )
    ),
    *(
        Plant(f"GRANT {right} ON SEQUENCE app.orders_id_seq TO {ME}", "sequence", "app.orders_id_seq", right)
        for right in ("USAGE", "UPDATE")
    ),
    Plant(f"GRANT CREATE ON SCHEMA app TO {ME}", "schema_create", "app", "CREATE"),
    Plant("GRANT CREATE ON SCHEMA public TO PUBLIC", "schema_create", "public", "CREATE"),
    Plant(f"GRANT CREATE ON DATABASE {DATABASE} TO {ME}", "database", DATABASE, "CREATE"),
    Plant(f"GRANT TEMPORARY ON DATABASE {DATABASE} TO PUBLIC", "database", DATABASE, "TEMPORARY"),
    Plant(
        f"GRANT EXECUTE ON FUNCTION app.bump_total TO {ME}",
        "security_definer", "app.bump_total(bigint)", f"EXECUTE as {OWNER}",
    ),
    Plant(
        f"GRANT EXECUTE ON PROCEDURE app.purge_orders TO {ME}",
        "security_definer", "app.purge_orders()", f"EXECUTE as {OWNER}",
    ),
    Plant(
        "CREATE FUNCTION app.later() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "security_definer", "app.later()", "EXECUTE as postgres", uproot="DROP FUNCTION app.later",
    ),
    Plant(
        "CREATE FUNCTION app.nap(float8) RETURNS void LANGUAGE internal AS 'pg_sleep'",
        "native_function", "app.nap(double precision)", "EXECUTE in internal", uproot="DROP FUNCTION app.nap",
    ),
    Plant(
        "CREATE FUNCTION app.calm(bigint) RETURNS void LANGUAGE internal STABLE AS 'pg_advisory_lock_int8'",
        "native_function", "app.calm(bigint)", "EXECUTE in internal", uproot="DROP FUNCTION app.calm",
    ),
    *(
        builtin(function)
        for function in (
            "pg_read_file(text)", "pg_reload_conf()", "pg_stat_reset()", "pg_sleep(double precision)",
            "pg_advisory_lock(bigint)", "set_config(text,text,boolean)", "pg_notify(text,text)",
            "lo_creat(integer)",
            "pg_terminate_backend(integer,bigint)", "lo_import(text)",
            "query_to_xml(text,boolean,boolean,text)",
            # Kept from PUBLIC by PostgreSQL itself, and on no list of ours.
            "pg_rotate_logfile()", "pg_ls_waldir()",
            "pg_stat_reset_slru(text)", "pg_log_backend_memory_contexts(integer)",
        )
    ),
    builtin("pg_current_xact_id()", "PUBLIC"),
    Plant(
        "CREATE LANGUAGE plbad HANDLER plpgsql_call_handler",
        "untrusted_language", "plbad", "USAGE",
    ),
    Plant(
        f"CREATE FOREIGN DATA WRAPPER wrapping; GRANT USAGE ON FOREIGN DATA WRAPPER wrapping TO {ME}",
        "foreign", "FOREIGN DATA WRAPPER wrapping", "USAGE", uproot="DROP FOREIGN DATA WRAPPER wrapping",
    ),
    Plant(
        "CREATE FOREIGN DATA WRAPPER wrapping; CREATE SERVER far FOREIGN DATA WRAPPER wrapping;"
        f"GRANT USAGE ON FOREIGN SERVER far TO {ME}",
        "foreign", "FOREIGN SERVER far", "USAGE", uproot="DROP FOREIGN DATA WRAPPER wrapping CASCADE",
    ),
    Plant(
        "CREATE FOREIGN DATA WRAPPER wrapping; CREATE SERVER far FOREIGN DATA WRAPPER wrapping;"
        f"CREATE FOREIGN TABLE app.away(i int) SERVER far; GRANT SELECT ON app.away TO {ME}",
        "foreign", "app.away", "SELECT", uproot="DROP FOREIGN DATA WRAPPER wrapping CASCADE",
    ),
    behind("app.away", f"GRANT SELECT (i) ON app.away TO {ME}"),
    behind("app.seen", f"CREATE VIEW app.v AS TABLE app.away; CREATE VIEW app.seen AS TABLE app.v;"
           f"GRANT SELECT ON app.seen TO {ME}"),
    behind("app.whole", "CREATE TABLE app.whole(i int) PARTITION BY LIST (i); CREATE FOREIGN TABLE app.part"
           f" PARTITION OF app.whole DEFAULT SERVER far; GRANT SELECT (i) ON app.whole TO {ME}",
           "DROP TABLE app.whole"),
    behind("app.elder", "CREATE TABLE app.elder(i int); ALTER FOREIGN TABLE app.away INHERIT app.elder;"
           f"GRANT SELECT ON app.elder TO {ME}", "DROP TABLE app.elder"),
    called("app.step(int, int) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
           "CREATE AGGREGATE app.total(int) (SFUNC = app.step, STYPE = int)",
           "security_definer", "app.total(integer)", "EXECUTE as postgres", "DROP AGGREGATE app.total(int)"),
    called("app.step(int8, int8) RETURNS int8 LANGUAGE internal AS 'int8pl'",
           "CREATE AGGREGATE app.total(int8) (SFUNC = app.step, STYPE = int8)",
           "native_function", "app.total(bigint)", "EXECUTE in internal", "DROP AGGREGATE app.total(int8)"),
    Plant("CREATE AGGREGATE app.total(text, bool) (SFUNC = set_config, STYPE = text)",
          "catalog_function", "app.total(text,boolean)", "EXECUTE",
          uproot="DROP AGGREGATE app.total(text, bool)"),
    called("app.order_of(text, text) RETURNS int LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT 0'",
           "CREATE OPERATOR CLASS app.by_us FOR TYPE text USING btree AS FUNCTION 1 app.order_of(text, text)",
           "support_function", "app.order_of(text,text)", "CALLED as postgres",
           "DROP OPERATOR FAMILY app.by_us USING btree CASCADE"),
    Plant("CREATE SCHEMA hidden; CREATE FUNCTION hidden.draw() RETURNS float8 LANGUAGE internal AS 'drandom';"
          f"CREATE VIEW app.drawn AS SELECT hidden.draw(); GRANT SELECT ON app.drawn TO {ME}",
          "native_function", "hidden.draw()", "EXECUTE in internal", uproot="DROP SCHEMA hidden CASCADE"),
    Plant("CREATE FUNCTION pg_catalog.doze(float8) RETURNS void LANGUAGE internal AS 'pg_sleep'",
          "native_function", "doze(double precision)", "EXECUTE in internal",
          uproot="DROP FUNCTION pg_catalog.doze"),
    Plant(f"GRANT SELECT ON pg_authid TO {ME}", "secrets", "pg_authid", "SELECT"),
    Plant("GRANT SELECT (passwd) ON pg_shadow TO PUBLIC", "secrets", "pg_shadow", "SELECT (passwd)"),
    *(
        Plant(f"CREATE {made}; GRANT SELECT ON app.peep TO {ME}", "secrets", "app.peep", "SELECT",
              uproot=f"DROP {made.split(' AS ')[0].partition(';')[0]} CASCADE")
        for made in (
            "VIEW app.peep AS SELECT rolname, rolpassword FROM pg_authid",
            "VIEW app.peep AS SELECT a FROM pg_authid a",
            "MATERIALIZED VIEW app.peep AS SELECT passwd FROM pg_shadow",
            "VIEW app.peep_first AS TABLE pg_user_mapping; CREATE VIEW app.peep AS TABLE app.peep_first",
        )
    ),
    Plant(f"GRANT CREATE ON TABLESPACE pg_default TO {ME}", "tablespace", "pg_default", "CREATE"),
    Plant(f"GRANT UPDATE ON LARGE OBJECT 424242 TO {ME}", "largeobject", "424242", "UPDATE"),
    Plant("GRANT UPDATE ON LARGE OBJECT 424242 TO PUBLIC", "largeobject", "424242", "UPDATE"),
    Plant(
        f"ALTER DATABASE {DATABASE} SET lo_compat_privileges = on",
        "largeobject", "lo_compat_privileges", "SETTING on",
        uproot=f"ALTER DATABASE {DATABASE} RESET lo_compat_privileges", is_cured=False,
    ),
    Plant(f"GRANT SET ON PARAMETER log_statement TO {ME}", "parameter", "log_statement", "SET"),
    Plant(f"GRANT ALTER SYSTEM ON PARAMETER work_mem TO {ME}", "parameter", "work_mem", "ALTER SYSTEM"),
    Plant("GRANT SET ON PARAMETER log_statement TO PUBLIC", "parameter", "log_statement", "SET"),
    Plant(f"GRANT SELECT ON app.orders TO {ME} WITH GRANT OPTION", "grant_option", "app.orders", "SELECT"),
    Plant(f"GRANT SELECT (note) ON app.orders TO {ME} WITH GRANT OPTION", "grant_option",
          "app.orders", "SELECT (note)"),
    Plant(f"GRANT USAGE ON SCHEMA app TO {ME} WITH GRANT OPTION", "grant_option", "SCHEMA app", "USAGE"),
    Plant(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT INSERT ON TABLES TO {ME}",
        "default_acl", f"FOR ROLE {OWNER}", "INSERT ON TABLES",
    ),
    Plant(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA app GRANT UPDATE ON SEQUENCES TO PUBLIC",
        "default_acl", f"FOR ROLE {OWNER} IN SCHEMA app", "UPDATE ON SEQUENCES",
    ),
    Plant(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT SELECT ON TABLES TO {ME} WITH GRANT OPTION",
        "default_acl", f"FOR ROLE {OWNER}", "SELECT ON TABLES",
    ),
    Plant(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT CREATE ON SCHEMAS TO {ME}",
        "default_acl", f"FOR ROLE {OWNER}", "CREATE ON SCHEMAS",
    ),
    Plant(
        f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT EXECUTE ON ROUTINES TO {ME}",
        "default_acl", f"FOR ROLE {OWNER}", "EXECUTE ON ROUTINES",
    ),
    *(
        Plant(f"ALTER ROLE {ME} RESET {name}", "setting", name, f"SETTING {value}")
        for name, value in (
            ("default_transaction_read_only", "off"), ("statement_timeout", "0"), ("lock_timeout", "0"),
            ("idle_in_transaction_session_timeout", "0"), ("temp_file_limit", "-1"),
        )
    ),
]  # fmt: skip
