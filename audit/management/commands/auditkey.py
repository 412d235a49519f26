"""Make the key that signs the audit log's checkpoints, and print the public half."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assay_core.notes import NoteUnreadable, SigningKey


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the name and the file."""
        parser.add_argument("file", type=Path, help="where the key goes; it must not be there yet")
        parser.add_argument(
            "--name", required=True, help="the log's name for ever, such as assay.example.com/audit"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file (0600) and print the verifier; CommandError where that fails."""
        try:
            key = SigningKey.make(options["name"])
            descriptor = os.open(options["file"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except NoteUnreadable as error:
            raise CommandError(str(error)) from error
        except FileExistsError as error:
            raise CommandError(
                f"{options['file']} is already there, and a key is never overwritten: name another file."
            ) from error
        except OSError as error:
            raise CommandError(f"{options['file']} can't be made: {error.strerror}.") from error
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{key.text}\n")
        self.stdout.write(f"AUDIT_SIGNING_KEY={options['file'].resolve()}   # for the upkeep worker alone")
        self.stdout.write(f"AUDIT_VERIFIER={key.verifier.text}   # for everybody: note it outside too")
