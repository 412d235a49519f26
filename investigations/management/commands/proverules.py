"""`proverules`: prove rules by their cases and mutants, against the tools that are loaded here."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from toolbox import registry
from toolbox.yamlfile import DefinitionError
from verdicts.plain import CaseUnreadable
from verdicts.prove.command import HOW_IT_ENDS, SHIPPED, known_tools, told
from verdicts.replay.tools import write_tools


class Command(BaseCommand):
    """Prove the shipped rules and all packs, or those of the places named."""

    help = (
        "Prove rules: their cases, drift, monotony, purity, and that each condition is tested. " + HOW_IT_ENDS
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument(
            "places", nargs="*", metavar="PATH",
            help="folders, import paths or rule files; else the shipped rules and those of TRIAGE_RULES",
        )  # fmt: skip
        parser.add_argument(
            "--write-tools", type=Path, metavar="FILE",
            help="write the shapes of the loaded tools for assay-prove and assay-replay, and prove nothing",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what the proofs say, and end with their exit code."""
        places = options["places"] or [SHIPPED, *settings.TRIAGE_RULES]
        try:
            loaded = registry.current().shapes()
            if options["write_tools"]:
                write_tools(options["write_tools"], loaded)
                self.stdout.write(f"{len(loaded)} tools stand in {options['write_tools']}.")
                return
            tools = {**known_tools(places), **loaded}
        except (CaseUnreadable, DefinitionError, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        code = told(places, tools, self.stdout.write)
        if code:
            raise SystemExit(code)
