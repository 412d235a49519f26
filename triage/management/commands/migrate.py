"""`migrate`, which takes the owner's role by itself where DATABASE_OWNER_URL is set."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate

from triage import halfway


class Command(migrate.Command):
    """The application's role may not change tables, so that only the owner's connection migrates."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what Django's migrate takes, with the owner's connection as the default."""
        super().add_arguments(parser)
        if "owner" in settings.DATABASES:
            parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; raises CommandError as Django's own does, and for a database that was left halfway."""
        if files := halfway.missing(str(options["database"])):
            raise CommandError(halfway.sentence(files))
        super().handle(*args, **options)
