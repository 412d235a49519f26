"""Make a bearer token for an agent or a script, and print it once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from incidents import handing_over
from toolbox import registry


class Command(BaseCommand):
    """Makes one token: `addtoken triage-agent --owner ada --scope tools --scope read --days 30`."""

    help = "Make a bearer token. It is printed once and kept as a hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("name", help="what the audit log knows it by; never used again")
        parser.add_argument("--owner", required=True, help="username of the person who answers for it")
        parser.add_argument(
            "--scope", action="append", required=True, choices=[each.value for each in tokens.Scope],
            help="what it opens; may be given several times",
        )  # fmt: skip
        parser.add_argument("--tool", action="append", default=[], help="only these tools (default: all)")
        parser.add_argument("--days", type=int, default=30, help="how long it lasts (default: 30)")
        parser.add_argument(
            "--incident", type=int,
            help="hand this incident to the token's agent: it opens one investigation and may submit to it",
        )  # fmt: skip
        parser.add_argument(
            "--hours", type=int, default=4,
            help="with --incident: the hours after which the playbook takes over (default: 4)",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the token; raise CommandError with what to do where that cannot be."""
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is nobody with the username {options['owner']!r}.")
        now = timezone.now()
        wanted = tokens.Wanted(
            name=options["name"],
            scopes=options["scope"],
            audience=settings.BASE_URL,
            lasts=_lasting(options["days"], "days"),
            tools=options["tool"],
        )
        try:
            if options["incident"] is None:
                token, secret = tokens.make(wanted, owner=owner, by="administrator", now=now)
            else:
                token, secret = handing_over.hand_over(
                    options["incident"], wanted, owner=owner, by="administrator",
                    lasts=_lasting(options["hours"], "hours"), now=now,
                )  # fmt: skip
        except (tokens.TokenNotMade, handing_over.NotHandedOver) as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"Token {token.name} of {owner} is there until {token.expires_at:%Y-%m-%d %H:%M} UTC, "
            f"for {token.audience}: {', '.join(token.scopes)}."
        )
        unknown = sorted(set(options["tool"]) - set(registry.current().definitions))
        if unknown:
            self.stderr.write(f"No tool that is loaded here is named {', '.join(unknown)}: it waits for one.")
        if token.investigation is not None:
            self.stdout.write(f"It may see and submit to investigation {token.investigation}, and no other.")
        self.stdout.write(f"Shown this once:\n{secret}")
        self.stdout.write("Send it as `Authorization: Bearer ...`. End it with `manage.py revoketoken`.")


def _lasting(count: int, unit: str) -> timedelta:
    """Return a span of time, and one that no token can last where no calendar has it."""
    try:
        return timedelta(**{unit: count})
    except OverflowError:
        return timedelta.max if count > 0 else timedelta.min
