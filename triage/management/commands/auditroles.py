"""Print the SQL that makes the roles and the database on a server of your own, for a superuser to run."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from triage.local import roles


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the database's name."""
        parser.add_argument(
            "--database-name",
            default=str(settings.DATABASES["default"].get("NAME") or "assay"),
            help="the application's database (that of DATABASE_URL)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(roles.printed(options["database_name"]))
