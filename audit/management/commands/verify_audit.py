"""Verify the audit log: exit 0 intact, 1 tampered, 2 partly checked, 3 could not be verified."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from audit.protection import weaknesses
from audit.report import CANNOT_VERIFY
from audit.verification import verify


class Command(BaseCommand):
    help = (
        "Recompute every audit entry and look for every entry that a case cites. "
        "Exit codes: 0 intact, 1 tampered (the first entry is named), 2 intact as far as checked, "
        "3 cannot verify."
    )
    # A log that is suspected is read even where the rest of the installation is broken.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the range and the database."""
        parser.add_argument("--first", type=int, default=1, metavar="ID", help="check from this entry on")
        parser.add_argument("--last", type=int, default=None, metavar="ID", help="check up to this entry")
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, help="the alias to read through")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the result; exit with its code when it is not 0."""
        try:
            report = verify(using=options["database"], first=options["first"], last=options["last"])
            notes = weaknesses(using=options["database"])
        except DatabaseError as error:
            self.stderr.write(f"CANNOT VERIFY: the log could not be read to its end. {str(error).strip()}")
            self.stderr.write("Look at DATABASE_URL and at the server's own log, then run this again.")
            raise SystemExit(CANNOT_VERIFY) from error
        for line in [*report.sentences(), *notes]:
            self.stdout.write(line)
        if report.exit_code:
            raise SystemExit(report.exit_code)
