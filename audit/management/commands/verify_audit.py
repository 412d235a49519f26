"""Verify the audit log: exit 0 intact, 1 tampered, 2 partly checked, 3 could not be verified."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from assay_core.notes import NoteUnreadable, split_notes
from audit import keys, recording
from audit.keys import KeyUnusable
from audit.places import PlaceUnknown
from audit.protection import weaknesses
from audit.report import CANNOT_VERIFY
from audit.sealverify import Against
from audit.verification import configured, verify


class Command(BaseCommand):
    help = (
        "Recompute every audit entry and its seal, compare the copies of its checkpoints, and look for every "
        "entry that a case cites. Exit codes: 0 intact, 1 tampered (the first place is named), 2 intact as "
        "far as checked, 3 cannot verify."
    )
    # A log that is suspected is read even where the rest of the installation is broken.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the range, the database, and what the seal is held against."""
        parser.add_argument("--first", type=int, default=1, metavar="ID", help="check from this entry on")
        parser.add_argument("--last", type=int, default=None, metavar="ID", help="check up to this entry")
        parser.add_argument("--database", default=DEFAULT_DB_ALIAS, help="the alias to read through")
        parser.add_argument(
            "--key", action="append", metavar="NAME+ID+KEY", help="trust this key alone, not AUDIT_VERIFIER"
        )
        parser.add_argument(
            "--copy",
            action="append",
            default=[],
            metavar="FILE",
            help="compare checkpoints kept in this file",
        )
        parser.add_argument("--record", action="store_true", help="write the result into the log")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the result; exit with its code when it is not 0."""
        try:
            against = _against(options)
            report = verify(
                using=options["database"], first=options["first"], last=options["last"], against=against
            )
            notes = weaknesses(using=options["database"])
        except DatabaseError as error:
            self._give_up(f"the log could not be read to its end. {str(error).strip()}")
            self.stderr.write("Look at DATABASE_URL and at the server's own log, then run this again.")
            raise SystemExit(CANNOT_VERIFY) from error
        except (KeyUnusable, PlaceUnknown, NoteUnreadable, OSError, UnicodeDecodeError) as error:
            self._give_up(str(error))
            raise SystemExit(CANNOT_VERIFY) from error
        for line in [*report.sentences(), *notes]:
            self.stdout.write(line)
        if options["record"]:
            recording.record(report)
        if report.exit_code:
            raise SystemExit(report.exit_code)

    def _give_up(self, sentence: str) -> None:
        self.stderr.write(f"CANNOT VERIFY: {sentence}")


def _against(options: dict[str, Any]) -> Against:
    """Return what the command line names, else the settings. Raises KeyUnusable, NoteUnreadable, OSError."""
    found = configured()
    copies = tuple((name, note) for name in options["copy"] for note in _notes(name))
    trusted = keys.verifiers(options["key"]) if options["key"] else found.verifiers
    return Against(trusted, found.places, copies)


def _notes(name: str) -> Sequence[str]:
    """Return the checkpoints of a file. Raises NoteUnreadable where there is none, and OSError."""
    try:
        found = split_notes(Path(name).read_text(encoding="utf-8"))
    except NoteUnreadable as error:
        raise NoteUnreadable(f"--copy {name}: {error}") from None
    if not found:
        raise NoteUnreadable(f"--copy {name}: the file holds no checkpoint")
    return found
