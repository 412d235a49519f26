"""End a bearer token for good."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts import tokens


class Command(BaseCommand):
    """Ends one token: `revoketoken triage-agent --because "its host was replaced"`."""

    help = "End a bearer token for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("name", help="its name, as addtoken was given it")
        parser.add_argument("--because", required=True, help="why; it stands in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        """End the token; raise CommandError where there is none to end."""
        try:
            tokens.revoke(options["name"], by="administrator", because=options["because"], now=timezone.now())
        except tokens.TokenRefused as refusal:
            raise CommandError(f"Nothing was revoked: {refusal.reason}.") from None
        self.stdout.write(f"Token {options['name']} opens nothing from now on.")
