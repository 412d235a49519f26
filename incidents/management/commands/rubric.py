"""Say what drafts about a source's incidents are graded by: `rubric shop-claims --file claims-rubric.txt`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from incidents import rubrics
from incidents.models import Source


class Command(BaseCommand):
    """Shows, sets and clears the rubric of one source."""

    help = "Show, set or clear the rubric by which drafts about a source's incidents are graded."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("slug", help="the source")
        change = parser.add_mutually_exclusive_group()
        change.add_argument("--file", type=Path, help="a text file with a criterion on each line")
        change.add_argument("--clear", action="store_true", help="grade no further drafts of this source")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change what is asked for, then print the rubric; raise CommandError in words."""
        source = Source.objects.filter(slug=options["slug"]).first()
        if source is None:
            known = ", ".join(Source.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no source {options['slug']!r}. Known sources: {known}.")
        if options["file"] or options["clear"]:
            try:
                source = rubrics.say(source.slug, _read(options["file"]), by="administrator")
            except rubrics.RubricRefused as refusal:
                raise CommandError(f"{refusal} Nothing was changed.") from None
        if source.rubric:
            self.stdout.write(source.rubric)
        else:
            self.stdout.write(f"Source {source.slug} has no rubric: its drafts are not graded.")


def _read(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} can't be read ({type(error).__name__}). Nothing was changed.") from None
    if not text.strip():
        raise CommandError(f"{file} is empty. To end grading, use --clear. Nothing was changed.")
    return text
