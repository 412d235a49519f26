"""`manage.py evaluate SET --endpoint NAME -n 5`: run the agent again on past incidents and measure it."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from investigations import endpoints, rulebook
from investigations.talk import EndpointRefused
from trials import queries
from trials.evaluating import cases, planning, running, telling
from trials.evaluating.planning import Wanted
from trials.evaluating.sets import SetUnknown, chosen
from trials.models import EvaluationRun
from trials.states import UNFINISHED


class Command(BaseCommand):
    """Evaluate an endpoint."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be asked for."""
        parser.add_argument("set", nargs="+")
        parser.add_argument("--endpoint", default=endpoints.DEFAULT)
        parser.add_argument("-n", "--runs", type=int, default=5)

    def handle(self, *args: Any, **options: Any) -> None:
        """Plan or go on, run, measure."""
        book = rulebook.current_rulebook()
        try:
            text = " ".join(options["set"])
            found = cases.find(chosen(text), book)
            wanted = Wanted(
                text, options["endpoint"], options["runs"], asked_by=f"command:{getpass.getuser()}"
            )
            evaluation, is_old = planning.planned(wanted, found, book)
        except (SetUnknown, EndpointRefused) as error:
            raise CommandError(str(error)) from None
        for number in EvaluationRun.objects.filter(evaluation=evaluation, state__in=UNFINISHED).values_list(
            "pk", flat=True
        ):
            running.run(number)
        self.stdout.write(telling.report(queries.measured(evaluation.pk)))
