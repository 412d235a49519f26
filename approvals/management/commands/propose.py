"""Propose a write by hand: `propose job.retry '{"job_id": "job-48107"}' --by sofie --because "…"`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from approvals import services
from approvals.actions.base import Proposal
from approvals.outcomes import MoveRefused, Proposer


class Command(BaseCommand):
    """Files a proposal for people to decide. It has no effect by itself, and its author cannot decide it."""

    help = "Propose a declared write; people then approve or deny it on its page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("action", help="as the file of TRIAGE_ACTIONS declares it")
        parser.add_argument("arguments", help="one JSON object")
        parser.add_argument("--by", required=True, help="whose proposal it is, by user name")
        parser.add_argument("--because", required=True, help="why, for whoever decides")

    def handle(self, *args: Any, **options: Any) -> None:
        """File it and say where it is decided; raise CommandError in words."""
        author = User.objects.filter(username=options["by"], is_active=True).first()
        if author is None:
            raise CommandError(
                f"Nobody who may sign in is called {options['by'][:80]!r}. Nothing was proposed."
            )
        try:
            request = services.propose(
                Proposal(options["action"], _arguments(options["arguments"]), options["because"]),
                by=Proposer(author.actor, person=author.pk),
                incident=None,
                investigation=None,
                cites=(),
                now=timezone.now(),
            )
        except MoveRefused as refusal:
            raise CommandError(f"{refusal} Nothing was proposed.") from None
        self.stdout.write(f"Request {request.pk} is proposed: /approvals/{request.pk}/")


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"The arguments are no JSON: {error}. Nothing was proposed.") from None
    if not isinstance(found, dict):
        raise CommandError("Write the arguments as one JSON object. Nothing was proposed.")
    return found
