"""`manage.py endpointinuse`: which model serves each purpose, and letting one in without a drill."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from investigations import endpoints, inuse
from investigations.inuse import FREE, MOST_HOURS, UseRefused
from investigations.states import Purpose
from investigations.talk import EndpointRefused

_PURPOSES = [each.value for each in Purpose if each not in FREE]


class Command(BaseCommand):
    """List what is in use, override it, end an override."""

    help = "List which model serves each purpose, or let the one that is set in without a drill, for a time"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One sub-command for each thing to do."""
        commands = parser.add_subparsers(dest="what", required=True)
        commands.add_parser("list", help="each purpose, what serves it, and by which drill")
        override = commands.add_parser("override", help="let in what the settings name, without a drill")
        override.add_argument("purpose", choices=_PURPOSES)
        override.add_argument("--hours", type=int, default=24, help=f"for so long, {MOST_HOURS} at most")
        override.add_argument("--because", required=True, help="why it cannot wait for a drill")
        end = commands.add_parser("end", help="end an override before its time")
        end.add_argument("purpose", choices=_PURPOSES)
        for each in (override, end):
            each.add_argument("--by", required=True, help="username of the administrator who says so")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and print what came of it."""
        if options["what"] == "list":
            self._list()
            return
        by = User.objects.filter(username=options["by"]).first()
        if by is None:
            raise CommandError(f"There is nobody named {options['by']!r}.")
        try:
            if options["what"] == "end":
                inuse.end_override(Purpose(options["purpose"]), by=by, now=timezone.now())
                self.stdout.write("The override is over.")
                return
            self._override(Purpose(options["purpose"]), by, options)
        except (UseRefused, EndpointRefused) as error:
            raise CommandError(str(error)) from None

    def _override(self, purpose: Purpose, by: User, options: dict[str, Any]) -> None:
        place = endpoints.endpoint_for(purpose)
        row = inuse.override(
            purpose, place, hours=options["hours"], because=options["because"], by=by, now=timezone.now()
        )
        self.stdout.write(
            self.style.WARNING(
                f"{row.model} at {row.base_url} serves the purpose {purpose} WITHOUT A PASSED DRILL until "
                f"{row.until:%Y-%m-%d %H:%M} UTC, by {by.username}."
            )
        )

    def _list(self) -> None:
        now = timezone.now()
        for word in _PURPOSES:
            row = inuse.standing(Purpose(word), now)
            self.stdout.write(f"{word:<14}{'nothing yet' if row is None else inuse.in_words(row)}")
