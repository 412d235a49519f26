"""`manage.py drillreview`: read the rows in which two runs differ, then see what the drill comes to."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from investigations.inuse import FREE
from investigations.states import Purpose
from trials.drills import deciding, promoting, telling
from trials.drills.deciding import ReviewRefused
from trials.drills.queries import Difference, difference
from trials.models import Drill


class Command(BaseCommand):
    """Shows row by row what people said and what both endpoints answered; Enter goes on, q stops."""

    help = "Read the rows in which the two runs of a drill differ, then see its table and decision"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("drill", type=int, help="the drill's number")
        parser.add_argument("--by", required=True, help="username of who reads")
        parser.add_argument(
            "--all", action="store_true", help="print every row at once, and count them as read by you"
        )
        parser.add_argument(
            "--promote",
            action="store_true",
            help="then put the candidate in the place of the endpoint in use",
        )

        parser.add_argument(
            "--for",
            dest="purposes",
            action="append",
            default=[],
            choices=[each.value for each in Purpose if each not in FREE],
            help="with --promote: for this purpose alone (may be given again)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, then show what there is to be shown."""
        drill = Drill.objects.filter(pk=options["drill"]).first()
        if drill is None:
            raise CommandError(f"There is no drill {options['drill']}.")
        by = User.objects.filter(username=options["by"]).first()
        if by is None:
            raise CommandError(f"There is nobody named {options['by']!r}.")
        try:
            if self._read(drill, by, at_once=options["all"]):
                self._conclude(drill)
                if options["promote"]:
                    self._promote(drill, by, [Purpose(each) for each in options["purposes"]])
        except ReviewRefused as refused:
            raise CommandError(str(refused)) from None

    def _read(self, drill: Drill, by: User, *, at_once: bool) -> bool:
        """Show what is unread; return whether all is read then."""
        unread = deciding.unread(drill)
        if unread and not at_once and not sys.stdin.isatty():
            raise CommandError("Rows are read in a terminal. With --all they are printed at once.")
        for number, row_id in enumerate(unread, start=1):
            self._show(difference(drill, row_id), f"{number} of {len(unread)}")
            if not at_once and input("Enter: read, q: stop > ").strip().lower() == "q":
                self.stdout.write(f"{len(unread) - number + 1} rows are unread.")
                return False
            deciding.note_read(drill, row_id, by=by, now=timezone.now())
        return True

    def _show(self, row: Difference, place: str) -> None:
        self.stdout.write("\n".join(["", *telling.difference(row, place)]))

    def _conclude(self, drill: Drill) -> None:
        found = deciding.found_of(drill)
        lines = telling.whole(found.comparison, found.decision, found.policy, found.patterns)
        self.stdout.write("\n".join(["", f"Drill {drill.pk}", *lines]))

    def _promote(self, drill: Drill, by: User, only: Sequence[Purpose]) -> None:
        purposes = promoting.promote(drill, by=by, now=timezone.now(), only=only)
        self.stdout.write(f"{drill.candidate.model} is in use now for {', '.join(purposes)}.")
