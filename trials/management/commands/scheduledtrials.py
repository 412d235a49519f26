"""`manage.py scheduledtrials`: how the nightly evaluations and the weekly drills went, the newest first."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from trials.models import ScheduledTrial


class Command(BaseCommand):
    """Print a line for each, with why it was skipped or stopped."""

    help = "List the nightly evaluations and weekly drills, with how each went"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("--most", type=int, default=20, metavar="N", help="so many at the most")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them; say so where there are none."""
        rows = ScheduledTrial.objects.select_related("evaluation", "drill")[: max(1, options["most"])]
        if not rows:
            self.stdout.write(
                "None has run yet. TRIAL_NIGHTLY_HOUR and DRILL_WEEKLY_HOUR switch them on "
                "(docs/howto/schedule-trials.md)."
            )
        for row in rows:
            numbers = " ".join(str(each) for each in (row.evaluation, row.drill) if each is not None)
            self.stdout.write(f"{row.day} {row.schedule:<8}{row.state:<9}{numbers}".rstrip())
            if row.note:
                self.stdout.write(f"    {row.note}")
