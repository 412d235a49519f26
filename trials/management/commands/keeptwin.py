"""`manage.py keeptwin NUMBER --began-at TIME --by NAME`: keep a healthy window beside an incident's case."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from assay_core.instants import NotAnInstant, typed
from incidents.exporting import Export, ExportRefused
from incidents.models import Incident
from trials import files
from trials.evaluating.cases import TWIN
from trials.evaluating.twins import twin_of


class Command(BaseCommand):
    """Ask what an incident's rules ask, about another time, and write the answers as a case of its own."""

    help = (
        "Ask the live tools what the rules about an incident need, for a window in which the same services "
        "were well, and keep it as a file beside the incident's case. Nothing of it may pass an evaluation."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the incident and the window."""
        parser.add_argument("incident", type=int, metavar="NUMBER")
        parser.add_argument("--began-at", type=_moment, required=True, metavar="TIME")
        parser.add_argument("--by", required=True, help="your name: it stands under the accepted verdict")
        parser.add_argument("--to", type=Path, default=Path("replays"), metavar="FOLDER")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file; CommandError says why there is none."""
        number, folder = options["incident"], options["to"]
        incident = Incident.objects.select_related("source").filter(pk=number).first()
        if incident is None:
            raise CommandError(f"There is no incident {number}.")
        export = Export(by=options["by"], now=timezone.now(), because="A healthy window: nothing may pass.")
        try:
            twin = twin_of(incident, options["began_at"], export)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"incident-{number}{TWIN}"
            files.written(path, twin.text())
        except (ExportRefused, OSError) as error:
            raise CommandError(str(error)) from None
        answers = len(twin.frozen.entries)
        self.stdout.write(f"{path}: {answers} answers. Read it before you share it.")


def _moment(text: str) -> datetime:
    try:
        return typed(text)
    except NotAnInstant:
        raise ArgumentTypeError(f"{text!r} is no time: write 2026-07-01T12:00:00Z") from None
