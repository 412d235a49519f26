"""Say which patterns find identifiers in the text of a source: `patterns shop --set 'order_id=SO-\\d+'`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from audit import writing
from incidents.models import Source
from incidents.patterns import PatternRefused, check, find


class Command(BaseCommand):
    """Lists, sets, removes and tries the patterns of one source."""

    help = "List, set, remove and try the patterns that find identifiers in the text of a source."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("slug", help="the source")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=PATTERN", help="may be given again"
        )
        parser.add_argument(
            "--remove", action="append", default=[], metavar="NAME", help="may be given again"
        )
        parser.add_argument("--try", dest="text", default="", help="a text to find identifiers in")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change what is asked for, then print the patterns; raise CommandError in words."""
        with transaction.atomic():
            source = Source.objects.select_for_update().filter(slug=options["slug"]).first()
            if source is None:
                known = ", ".join(Source.objects.values_list("slug", flat=True)) or "none yet"
                raise CommandError(f"There is no source {options['slug']!r}. Known sources: {known}.")
            patterns = _changed(dict(source.patterns), options["set"], options["remove"])
            if patterns != source.patterns:
                source.patterns = patterns
                source.save(update_fields=["patterns"])
                payload = {"source": source.slug, "patterns": patterns}
                writing.write("source.patterns_changed", payload, actor="administrator")
        for name, pattern in sorted(patterns.items()):
            self.stdout.write(f"{name} = {pattern}")
        if not patterns:
            self.stdout.write(f"Source {source.slug} has no patterns. Set one with --set NAME=PATTERN.")
        if options["text"]:
            found = find(patterns, [options["text"]])
            told = ", ".join(f"{name} is {value}" for name, value in sorted(found.items()))
            self.stdout.write(f"In this text: {told or 'nothing'}.")


def _changed(patterns: dict[str, str], to_set: list[str], to_remove: list[str]) -> dict[str, str]:
    for name in to_remove:
        if patterns.pop(name, None) is None:
            raise CommandError(f"There is no pattern for {name!r}. Nothing was changed.")
    for pair in to_set:
        name, equals, pattern = pair.partition("=")
        if not equals:
            raise CommandError(f"{pair!r}: write NAME=PATTERN. Nothing was changed.")
        patterns[name.strip()] = pattern
    try:
        check(patterns)
    except PatternRefused as refusal:
        raise CommandError(f"{refusal} Nothing was changed.") from None
    return patterns
