"""`manage.py golden`: golden sets loaded, built of closed issues, confirmed, frozen, shown and exported."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from investigations.classification import CURRENT, contract
from trials.golden import building, keeping, opening, showing
from trials.golden.keeping import Added, GoldenSetRefused, NewRow
from trials.golden.opening import GoldenRefused
from trials.golden.rows import cautions, line_of
from trials.models import GoldenSet

_PER_LABEL = 12


class Command(BaseCommand):
    """One sub-command for each thing that is done to a golden set."""

    help = "Load, build, confirm, freeze, show and export golden sets of labelled issues"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what each sub-command takes."""
        commands = parser.add_subparsers(dest="what", required=True)
        check = commands.add_parser("check", help="say what is wrong with a file, and keep nothing of it")
        load = commands.add_parser("load", help="add a file's rows to the set's open version, as confirmed")
        build = commands.add_parser("build", help="add closed issues and overrides, as candidates")
        show = commands.add_parser("show", help="what a set holds: labels, origins, age, candidates")
        confirm = commands.add_parser("confirm", help="confirm candidates, by id or all of them")
        drop = commands.add_parser("drop", help="take candidates out")
        freeze = commands.add_parser("freeze", help="close the open version for good, under its digest")
        export = commands.add_parser("export", help="write the confirmed rows as JSON lines")
        for each in (check, load):
            each.add_argument("file", type=Path)
        build.add_argument("--closed", action="store_true", required=True, help="of closed issues")
        build.add_argument("--since", required=True, help="from this day on: 2026-01-31")
        build.add_argument("--per-label", type=int, default=_PER_LABEL, help="at most so many of each label")
        for each in (confirm, drop):
            each.add_argument("ids", nargs="*", help="the candidates' ids")
        confirm.add_argument("--all", action="store_true", help="every candidate")
        export.add_argument("--version", dest="number", type=int, help="else the newest")
        export.add_argument("--to", type=Path, help="a file; else the rows are printed")
        for each in (load, build, show, confirm, drop, freeze, export):
            each.add_argument("--name", default="issues", help="the set's name")
        for each in (load, build, confirm, drop, freeze):
            each.add_argument("--by", required=True, help="who does it, as the record names them")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it; raise CommandError with what to do where it cannot be done."""
        try:
            getattr(self, f"_{options['what']}")(options)
        except (GoldenRefused, GoldenSetRefused) as refused:
            raise CommandError(str(refused)) from None

    def _check(self, options: dict[str, Any]) -> None:
        read = opening.read_file(options["file"], contract().labels)
        self._warn(read.cautions)
        self.stdout.write(f"{len(read.rows)} rows, and nothing is wrong with them.")

    def _load(self, options: dict[str, Any]) -> None:
        read, now = opening.read_file(options["file"], contract().labels), timezone.now()
        self._warn(read.cautions)
        with transaction.atomic():
            golden = keeping.opened(options["name"], contract=CURRENT, by=options["by"], now=now)
            new = [NewRow(row, written_at=now) for row in read.rows]
            added = keeping.add(golden, new, confirmed_by=options["by"], now=now)
        self._tell_added(golden, added)

    def _build(self, options: dict[str, Any]) -> None:
        golden, added = building.build(
            options["name"],
            since=_day(options["since"]),
            most=options["per_label"],
            bound=contract(),
            by=options["by"],
            now=timezone.now(),
        )
        self._tell_added(golden, added)
        rows = [*keeping.rows_of(golden), *map(keeping.plain, keeping.candidates_of(golden))]
        self._warn(cautions(rows, contract().labels))

    def _show(self, options: dict[str, Any]) -> None:
        golden = keeping.named(options["name"])
        shown = showing.shown(golden, contract().labels, now=timezone.now())
        self.stdout.write("\n".join(showing.lines(shown)))
        self._warn(shown.cautions)

    def _confirm(self, options: dict[str, Any]) -> None:
        golden = keeping.named(options["name"])
        ids = options["ids"] or (
            [row.row_id for row in keeping.candidates_of(golden)] if options["all"] else []
        )
        if not ids:
            raise CommandError("Name the candidates' ids, or give --all.")
        count = keeping.confirm(golden, ids, by=options["by"], now=timezone.now())
        self.stdout.write(f"{count} rows of {golden} are confirmed.")

    def _drop(self, options: dict[str, Any]) -> None:
        golden = keeping.named(options["name"])
        self.stdout.write(
            f"{keeping.drop(golden, options['ids'], by=options['by'])} rows taken out of {golden}."
        )

    def _freeze(self, options: dict[str, Any]) -> None:
        golden = keeping.named(options["name"])
        self._warn(cautions(keeping.rows_of(golden), contract().labels))
        digest = keeping.freeze(golden, by=options["by"], now=timezone.now())
        self.stdout.write(f"{golden} is frozen: {digest}")

    def _export(self, options: dict[str, Any]) -> None:
        golden = keeping.named(options["name"])
        if options["number"] is not None:
            golden = GoldenSet.objects.filter(name=golden.name, version=options["number"]).first() or golden
            if golden.version != options["number"]:
                raise CommandError(f"{golden.name} has no version {options['number']}.")
        text = "".join(f"{line_of(row)}\n" for row in keeping.rows_of(golden))
        if options["to"] is None:
            self.stdout.write(text, ending="")
            return
        options["to"].write_text(text, encoding="utf-8")
        self.stdout.write(f"{golden}: {options['to']}")

    def _tell_added(self, golden: GoldenSet, added: Added) -> None:
        self.stdout.write(f"{added.count} rows added to {golden}.")
        told = [each for each in added.left_out if each.strip()]
        for sentence in told:
            self.stderr.write(self.style.WARNING(f"Left out: {sentence}"))
        if same := len(added.left_out) - len(told):
            self.stdout.write(f"{same} are there already.")

    def _warn(self, sentences: Any) -> None:
        for sentence in sentences:
            self.stderr.write(self.style.WARNING(sentence))


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise CommandError(f"--since={text!r}: write a day such as 2026-01-31.") from None
