"""Erase what an entry of the audit log recorded, on record. That it was recorded, when and by whom stays."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from audit import erasing
from audit.erasing import ErasureRefused
from audit.writing import EntryRefused


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what, who and why."""
        parser.add_argument("entry", type=int, help="the entry's id")
        parser.add_argument("--by", required=True, help="who decided it, such as person:ada")
        parser.add_argument("--reason", required=True, help="why; it is recorded, so name nobody in it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Erase; CommandError where that is refused."""
        try:
            made = erasing.erase(options["entry"], by=options["by"], reason=options["reason"])
        except (ErasureRefused, EntryRefused) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(
                f"Nothing was erased: {str(error).strip()}. "
                "Erasing needs DATABASE_OWNER_URL, the role that migrates."
            ) from error
        self.stdout.write(
            f"The payload of entry {options['entry']} is erased; entry {made.id} records it. The bytes leave "
            "the disk with `VACUUM audit_payload` as a superuser; backups keep theirs until they expire."
        )
