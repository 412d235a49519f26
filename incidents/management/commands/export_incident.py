"""`manage.py export_incident NUMBER... --by NAME`: closed incidents as replay files, masked."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from incidents.exporting import AS_JUDGED, Export, ExportRefused, record, replay_of
from incidents.models import Incident
from toolbox import registry
from verdicts.replay.tools import FILE, write_tools


class Command(BaseCommand):
    """Write each incident to FOLDER/incident-NUMBER.json; the tools' shapes to FOLDER/tools.json."""

    help = (
        "Export closed incidents as replays for assay-replay. Secrets and personal data become placeholders; "
        "what would change the verdict is refused, with the field's name."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare whose export it is and what is masked."""
        parser.add_argument("incidents", nargs="+", type=int, metavar="NUMBER")
        parser.add_argument("--by", required=True, help="your name: it stands under the accepted verdict")
        parser.add_argument("--because", default=AS_JUDGED, help="why the verdict is right")
        parser.add_argument("--to", type=Path, default=Path("replays"), metavar="FOLDER")
        parser.add_argument(
            "--mask", action="append", default=[], metavar="FIELD", help="mask every field of this name too"
        )
        parser.add_argument(
            "--spare", action="append", default=[], metavar="VALUE", help="leave this value as it is"
        )
        parser.add_argument(
            "--keep-words",
            action="store_true",
            help="keep the free text of claims but for what patterns find",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write what can be exported; CommandError names what can't."""
        folder: Path = options["to"]
        export = Export(
            by=options["by"],
            now=timezone.now(),
            because=options["because"],
            fields=options["mask"],
            spared=options["spare"],
            keep_words=options["keep_words"],
        )
        folder.mkdir(parents=True, exist_ok=True)
        refused = []
        for number in options["incidents"]:
            try:
                self._write(number, folder, export)
            except ExportRefused as error:
                refused.append(f"Incident {number}: {error}")
        write_tools(folder / FILE, registry.current().shapes())
        if refused:
            raise CommandError("\n".join(refused))

    def _write(self, number: int, folder: Path, export: Export) -> None:
        incident = Incident.objects.select_related("source").filter(pk=number).first()
        if incident is None:
            raise ExportRefused("There is no such incident.")
        replay = replay_of(incident, export)
        path = folder / f"incident-{number}.json"
        with transaction.atomic():
            record(incident, replay, actor="command")
        path.write_text(replay.text(), encoding="ascii")
        masked = ", ".join(f"{count} × {kind}" for kind, count in replay.masked.items()) or "nothing"
        self.stdout.write(f"{path}: {replay.outcome}. Masked: {masked}. Read it before you share it.")
        if replay.accepted is None:
            self.stdout.write("  It is a false pass: red until the rule is mended.")
