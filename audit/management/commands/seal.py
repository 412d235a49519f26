"""Seal what has been committed, now, and publish what is due: what the upkeep worker does by itself."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import keys, lag, publishing, sealing
from audit.keys import KeyUnusable
from audit.places import PlaceUnknown
from audit.sealing import SealRefused


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the size of a batch."""
        parser.add_argument(
            "--batch", type=int, default=sealing.MOST_AT_ONCE, help="entries for each checkpoint"
        )
        parser.add_argument("--no-publish", action="store_true", help="leave the places alone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was done; CommandError where the log must not be signed."""
        try:
            key = keys.signing_key()
            if key is None:
                raise CommandError("AUDIT_SIGNING_KEY is not set: `manage.py auditkey` makes a key.")
            taken = sealing.seal_all(key, verifiers=keys.verifiers(), most=max(1, options["batch"]))
            done = [] if options["no_publish"] else publishing.publish_due()
        except (KeyUnusable, PlaceUnknown, SealRefused) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{taken} entries sealed; {lag.lag()}.")
        for one in done:
            self.stdout.write(f"{one.place}: {one.outcome} at {one.size} entries ({one.said})")
        if any(one.outcome == publishing.DIVERGED for one in done):
            raise CommandError("A copy and the log are two logs. Keep both as they are and run verify_audit.")
