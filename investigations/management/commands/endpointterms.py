"""`manage.py endpointterms`: who hosts the models that are spoken to, and that its data terms were read."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from investigations import endpoints, terms
from investigations.models import EndpointTerms
from investigations.talk import EndpointRefused
from investigations.terms import TermsRefused


class Command(BaseCommand):
    """List what is recorded, record a host, take its word back."""

    help = "List, record or take back who hosts a model endpoint and that its data terms were read"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One sub-command for each thing to do."""
        commands = parser.add_subparsers(dest="what", required=True)
        commands.add_parser("list", help="each endpoint that is set, and what is recorded of its host")
        record = commands.add_parser("record", help="let a host be spoken to")
        record.add_argument("host", help="as it stands in the base URL, with its port where one is named")
        record.add_argument("--hosted-by", required=True, help="the company or team that runs it")
        record.add_argument("--terms", required=True, help="which data terms were read, and where they stand")
        end = commands.add_parser("end", help="from the next request on nothing is sent there")
        end.add_argument("host")
        for each in (record, end):
            each.add_argument("--by", required=True, help="username of the administrator who says so")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and print what came of it."""
        if options["what"] == "list":
            self._list()
            return
        by = User.objects.filter(username=options["by"]).first()
        if by is None:
            raise CommandError(f"There is nobody named {options['by']!r}.")
        host, now = options["host"], timezone.now()
        try:
            if options["what"] == "end":
                terms.end(host, by=by, now=now)
                self.stdout.write(f"Nothing is sent to {host} any more.")
                return
            terms.record(host, hosted_by=options["hosted_by"], terms=options["terms"], by=by, now=now)
        except TermsRefused as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{host} may be spoken to.")

    def _list(self) -> None:
        hosts = set()
        for name in endpoints.names():
            try:
                place = endpoints.endpoint_named(name)
            except EndpointRefused as error:
                self.stdout.write(f"{name:<10} cannot be used: {error}")
                continue
            hosts.add(place.host)
            obstacle = terms.obstacle(place.host, is_local=place.is_local)
            state = obstacle or ("on this machine" if place.is_local else "may be spoken to")
            self.stdout.write(f"{name:<10} {place.host:<32} {place.model:<28} {state}")
        if not hosts:
            self.stdout.write("No endpoint is set (docs/howto/connect-a-model.md).")
        for row in EndpointTerms.objects.filter(ended_at=None):
            self.stdout.write(
                f"{row.host}: hosted by {row.hosted_by}; {row.terms} "
                f"(recorded by {row.recorded_by}, {row.recorded_at:%Y-%m-%d})"
            )
