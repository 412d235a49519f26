"""Makes the shop's reader: a role that can select from the shop's tables and do nothing else."""

import psycopg
from psycopg import sql

from examples.shop.book import COLUMNS
from toolbox.connectors.readerrole import reader_role_sql

OWNER = "shop_owner"
READER = "shop_reader"
SCHEMA = "shop"


def harden(connection: psycopg.Connection, *, database: str, password: str) -> None:
    """Give the reader its password, limits and SELECT; take the rest from everybody. Needs a superuser."""
    connection.execute(reader_role_sql(database, SCHEMA, tuple(COLUMNS), READER, OWNER).encode())
    connection.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(READER), sql.Literal(password))
    )
