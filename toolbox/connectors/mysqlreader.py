"""The reader account of a MySQL or MariaDB database, as SQL for its administrator to run."""

from collections.abc import Sequence


def reader_account_sql(database: str, tables: Sequence[str], account: str, *, is_mariadb: bool) -> str:
    """Return the SQL that makes `account` a reader of the named tables; `db.table` reaches another database.

    Raises ValueError for a name that the server cannot hold.
    """
    me = f"{_quoted(account)}@'%'"
    limits = "MAX_USER_CONNECTIONS 8" + (" MAX_STATEMENT_TIME 5" if is_mariadb else "")
    grants = "\n".join(f"GRANT SELECT ON {_table(database, table)} TO {me};" for table in tables)
    everybody = (
        "-- A fresh MariaDB gives these to everybody. Where they are gone, the statements may be left out.\n"
        "REVOKE ALL PRIVILEGES ON `test`.* FROM PUBLIC;\nREVOKE ALL PRIVILEGES ON `test\\_%`.* FROM PUBLIC;\n"
        if is_mariadb
        else ""
    )
    return (
        f"CREATE USER {me} IDENTIFIED BY '...' REQUIRE SSL WITH {limits};\n{grants}\n{everybody}"
        "-- Accounts without a name stand before others that sign in from the same machine.\n"
        "DROP USER IF EXISTS ''@'localhost';\n"
    )


def _table(database: str, name: str) -> str:
    place, _, table = name.rpartition(".")
    return f"{_quoted(place or database)}.{_quoted(table)}"


def _quoted(name: str) -> str:
    if not name or len(name) > 64 or not name.isprintable() or any(sign in name for sign in "`'\"\\%"):
        raise ValueError(
            f"{name!r} is no name for an account, database or table: use at most 64 plain characters"
        )
    return f"`{name}`"
