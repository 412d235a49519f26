"""`manage.py readerrole`: the strongest reader that a database allows, printed or made."""

import os
from argparse import ArgumentParser
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError

from toolbox.connectors import mysqlreader, readerrole


class Command(BaseCommand):
    """Prints the SQL of a reader for the named tables; with --apply runs it."""

    help = "Print the SQL that makes a reader for the named tables, or run it with --apply"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument(
            "tables", nargs="+", metavar="SCHEMA.TABLE", help="what it may read, and nothing else"
        )
        parser.add_argument("--database", required=True)
        parser.add_argument("--role", default="assay_reader")
        parser.add_argument("--owner", default="", help="PostgreSQL: the role that keeps what PUBLIC loses")
        parser.add_argument("--engine", choices=("postgres", "mysql", "mariadb"), default="postgres")
        parser.add_argument(
            "--managed", action="store_true",
            help="PostgreSQL without a superuser: leave out what only a superuser may do",
        )  # fmt: skip
        parser.add_argument(
            "--apply", metavar="VARIABLE", help="run it: the variable with the owner's connection"
        )
        parser.add_argument(
            "--password", metavar="VARIABLE", help="with --apply: the variable with the password to set"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print or run it; raise CommandError with what to do where that cannot be."""
        if options["password"] and not options["apply"]:
            raise CommandError("--password is set with --apply only: printed SQL holds no secret.")
        try:
            text = _sql(options)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if not options["apply"]:
            self.stdout.write(text)
            return
        if options["engine"] != "postgres":
            raise CommandError("--apply is for PostgreSQL: run the printed SQL with your own client.")
        password = _variable(options["password"]) if options["password"] else ""
        _run(_variable(options["apply"]), text, options, password)
        self.stdout.write(
            f"{options['role']} may read {len(options['tables'])} tables of {options['database']}."
        )
        self.stdout.write("Set the connector's address to it, then: manage.py tools check")


def _sql(options: dict[str, Any]) -> str:
    if options["engine"] != "postgres":
        return mysqlreader.reader_account_sql(
            options["database"],
            options["tables"],
            options["role"],
            is_mariadb=options["engine"] == "mariadb",
        )
    if not options["owner"]:
        raise ValueError("Name the role that owns the tables with --owner: it keeps what PUBLIC loses.")
    return readerrole.reader_sql(
        readerrole.Reader(
            database=options["database"],
            tables=tuple(options["tables"]),
            role=options["role"],
            owner=options["owner"],
            is_managed=options["managed"],
        )
    )


def _variable(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise CommandError(f"The environment variable {name} is not set.")
    return value


def _run(dsn: str, text: str, options: dict[str, Any], password: str) -> None:
    role, wanted = options["role"], options["database"]
    try:
        with psycopg.connect(dsn, connect_timeout=10) as link:
            if link.info.dbname != wanted:
                raise CommandError(
                    f"The owner's connection leads to the database {link.info.dbname}, and --database names "
                    f"{wanted}: nothing was changed. Name one and the same in both."
                )
            link.execute(text.encode())
            if password:
                secret = readerrole.literal(password)
                link.execute(f"ALTER ROLE {readerrole.identifier(role)} PASSWORD {secret}".encode())
    except psycopg.OperationalError:
        raise CommandError("The owner's connection could not be opened: check its address.") from None
    except psycopg.Error as error:
        said = error.diag.message_primary or type(error).__name__
        raise CommandError(f"The database refused it, and nothing was changed: {said}") from None
