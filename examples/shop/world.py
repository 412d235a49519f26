"""Loads the example world: the shop's database with its reader, and its log files."""

from datetime import datetime
from pathlib import Path
from random import Random

import psycopg
from psycopg import sql

from examples.shop import (
    crowd,
    logs,
    reader,
    samples,
    stories_alerts,
    stories_customers,
    stories_machines,
    writer,
)
from examples.shop.book import Book

DATABASE = "shop"
SEED = 20_260
SCHEMA = Path(__file__).with_name("schema.sql")


def load(
    admin_dsn: str, *, reader_password: str, now: datetime, logs: Path, writer_password: str = ""
) -> None:
    """Make the database `shop` and the log files anew, told from `now`.

    `admin_dsn` is a superuser's. Safe on a half-made world: what is there is dropped first.
    Raises ValueError for a `now` without a zone.
    """
    if now.tzinfo is None:
        raise ValueError(f"now={now.isoformat()} has no time zone: give an aware time")
    _make_database(admin_dsn)
    book = rows(now)
    with psycopg.connect(admin_dsn, dbname=DATABASE) as connection:
        connection.execute(SCHEMA.read_bytes())
        _copy(connection, book)
        reader.harden(connection, database=DATABASE, password=reader_password)
        if writer_password:
            writer.harden(connection, database=DATABASE, password=writer_password)
    write_logs(logs, now)


def rows(now: datetime) -> Book:
    """Return every row of the world; equal `now` gives equal rows."""
    chance = _chance()
    book = Book(now)
    samples.fill(book, chance)
    crowd.fill(book, chance)
    stories_customers.fill(book)
    stories_machines.fill(book, chance)
    stories_alerts.fill(book)
    return book


def write_logs(folder: Path, now: datetime) -> int:
    """Write the log files and return the number of lines."""
    return logs.write(folder, now, _chance())


def _chance() -> Random:
    return Random(SEED)  # noqa: S311 - a fixed seed is the point: the world is the same each time


def _make_database(admin_dsn: str) -> None:
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        for role in (reader.OWNER, reader.READER):
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
        connection.execute(f"CREATE DATABASE {DATABASE} OWNER {reader.OWNER}")


def _copy(connection: psycopg.Connection, book: Book) -> None:
    for table, columns, table_rows in book.tables():
        statement = sql.SQL("COPY shop.{} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in table_rows:
                copy.write_row(row)
    connection.execute("ANALYZE")
