"""Add a source that senders may post to, and print its secret once."""

import os
import secrets
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Team
from audit import writing
from incidents import signing
from incidents.adapters import POSTED, SIGNED
from incidents.intake import secret_digest
from incidents.models import Source

_SECRET_MIN = 16


class Command(BaseCommand):
    """Makes one source: `addsource SLUG --adapter alertmanager --team platform`."""

    help = "Add a source that senders may post to. Its secret is printed once and kept as a hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("slug", help="its name in the address: /hooks/SLUG/")
        parser.add_argument("--adapter", required=True, choices=sorted(POSTED), help="what reads its bodies")
        parser.add_argument("--title", default="", help="its name on pages (the slug, if left out)")
        parser.add_argument("--team", default="", help="slug of the team whose incidents they are")
        parser.add_argument("--every", type=int, help="heartbeat: seconds between two beats")
        parser.add_argument("--grace", type=int, default=30, help="heartbeat: seconds it may be late")
        parser.add_argument(
            "--secret-env",
            default="",
            help="take the secret from this environment variable",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the source; raise CommandError with what to do where that cannot be."""
        slug, secret = options["slug"], self._secret(options["secret_env"])
        self._check(slug, options)
        try:
            with transaction.atomic():
                source = Source.objects.create(
                    slug=slug,
                    title=options["title"] or slug,
                    adapter=options["adapter"],
                    team=self._team(options["team"]),
                    secret_digest=secret_digest(secret),
                    every_seconds=options["every"],
                    grace_seconds=options["grace"],
                    created_at=timezone.now(),
                )
                writing.write(
                    "source.added",
                    {"source": source.slug, "adapter": source.adapter, "team": options["team"]},
                    actor="administrator",
                )
        except IntegrityError:
            raise CommandError(f"There is a source {slug!r} already. Choose another slug.") from None
        self.stdout.write(f"Source {slug} is there. Post to {settings.BASE_URL}/hooks/{slug}/")
        if source.adapter in SIGNED:
            self._tell_signing(source)
        elif options["secret_env"]:
            self.stdout.write(f"Its secret is the value of {options['secret_env']}.")
        else:
            self.stdout.write(f"Its secret, shown this once:\n{secret}")
        if source.adapter not in SIGNED:
            self.stdout.write("Send it as a bearer token, or as the password of basic authentication.")

    def _tell_signing(self, source: Source) -> None:
        secret = signing.secret_of(source.secret_digest)
        self.stdout.write(f"The secret of its webhook, shown this once:\n{secret}")
        self.stdout.write(
            "Put it into the webhook's field Secret: the sender signs with it and never sends it."
        )

    def _check(self, slug: str, options: dict[str, Any]) -> None:
        try:
            validate_slug(slug)
        except ValidationError:
            raise CommandError(f"{slug!r} is no slug. Use letters, digits, - and _.") from None
        if len(slug) > 60 or slug == "schedule":
            raise CommandError(f"{slug!r}: a slug has at most 60 characters and is not 'schedule'.")
        beats = options["adapter"] == "heartbeat"
        if beats and not (options["every"] and options["every"] > 0):
            raise CommandError("A heartbeat needs --every: the seconds between two beats, more than 0.")
        if options["every"] and not beats:
            raise CommandError("--every is for heartbeats. Leave it out.")
        if options["grace"] < 0:
            raise CommandError("--grace is a number of seconds, 0 or more.")
        self._check_signing(options)

    def _check_signing(self, options: dict[str, Any]) -> None:
        if options["adapter"] not in SIGNED:
            return
        if options["secret_env"]:
            raise CommandError(
                f"The secret of a source for {options['adapter']} is made here, of HOOK_KEY. "
                "Leave out --secret-env, and put the secret that is printed into the webhook."
            )
        try:
            signing.secret_of("")
        except signing.NoKey as error:
            raise CommandError(str(error)) from None

    def _team(self, slug: str) -> Team | None:
        if not slug:
            return None
        team = Team.objects.filter(slug=slug).first()
        if team is None:
            known = ", ".join(Team.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no team {slug!r}. Known teams: {known}.")
        return team

    def _secret(self, variable: str) -> str:
        if not variable:
            return secrets.token_urlsafe(32)
        value = os.environ.get(variable, "").strip()
        if len(value) < _SECRET_MIN:
            raise CommandError(
                f"{variable} is unset or shorter than {_SECRET_MIN} characters. "
                "Set it, or leave out --secret-env."
            )
        return value
