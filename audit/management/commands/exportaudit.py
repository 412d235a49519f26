"""Export proofs that `assay-verify` checks offline: of entries, of a span of the log, or of its growth."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import exporting
from audit.exporting import NotProvable
from audit.keys import KeyUnusable
from audit.tree import TreeIncomplete


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what is exported and where to."""
        parser.add_argument("what", choices=("entries", "span", "growth", "checkpoint"))
        parser.add_argument(
            "numbers",
            nargs="*",
            type=int,
            help="entry ids; or first and last leaf; or two sizes",
        )
        parser.add_argument("--at", type=int, metavar="SIZE", help="under the checkpoint of this size")
        parser.add_argument(
            "--no-payload", action="store_true", help="commitments only, not what was recorded"
        )
        parser.add_argument("--out", type=Path, help="the file to write instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the export; CommandError with the reason where there is none."""
        try:
            if options["out"] is None:
                for text in _texts(options):
                    sys.stdout.write(text)
                return
            _write(options["out"], _texts(options))
        except (NotProvable, KeyUnusable, TreeIncomplete) as error:
            raise CommandError(str(error)) from error
        except FileExistsError as error:
            raise CommandError(f"{options['out']} is there already: name another file.") from error
        except OSError as error:
            raise CommandError(f"{options['out']} can't be written: {error.strerror}.") from error


def _write(out: Path, texts: Iterator[str]) -> None:
    """Write a new file, whole or not at all: half an export would pass for a shorter one."""
    with out.open("x", encoding="utf-8", newline="") as file:
        try:
            file.writelines(texts)
        except BaseException:
            out.unlink()
            raise


def _texts(options: dict[str, Any]) -> Iterator[str]:
    numbers, size = options["numbers"], options["at"]
    at = exporting.checkpoint_of(size) if size is not None else None
    whole = not options["no_payload"]
    match options["what"], len(numbers):
        case "checkpoint", 0:
            yield (at or exporting.newest_checkpoint()).note
        case "entries", count if count:
            yield from (proof.render() for proof in exporting.proofs(numbers, with_payload=whole, at=at))
        case "span", 2:
            yield from (proof.render() for proof in exporting.span(*numbers, with_payload=whole, at=at))
        case "growth", 2:
            yield exporting.growth(*numbers).render()
        case what, _:
            raise CommandError(f"{what}: entries take ids, span the first and last leaf, growth two sizes.")
