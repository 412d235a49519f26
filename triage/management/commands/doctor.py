"""`doctor`: every dependency, credential, worker, queue age and clock; each failing line with its cure."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.management.base import BaseCommand

from triage.doctor import ground, reach, work
from triage.doctor.line import Health, Line, examined

LOOKS: dict[str, Callable[[], Iterable[Line]]] = {
    "packages": ground.packages,
    "secret key": ground.secret_key,
    "address": reach.addresses,
    "database": ground.database,
    "owner role": ground.owner,
    "migrations": ground.migrations,
    "audit log": ground.log_protection,
    "static files": ground.static_files,
    "broker": work.broker,
    "workers": work.workers,
    "beat": work.beat,
    "waiting work": work.waiting_work,
    "connectors": reach.connectors,
    "rules": reach.rules,
    "people": reach.people,
}


class Command(BaseCommand):
    """Exit code 0 when nothing fails, 1 when something does. Warnings do not fail."""

    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each thing."""
        failed = 0
        for name, look in LOOKS.items():
            for line in examined(name, look):
                failed += line.health is Health.FAILING
                self._print(line)
        self.stdout.write("")
        if failed:
            self.stdout.write(self.style.ERROR(f"{failed} failing."))
            raise SystemExit(1)
        self.stdout.write(self.style.SUCCESS("Nothing fails."))

    def _print(self, line: Line) -> None:
        style = {
            Health.WELL: self.style.SUCCESS,
            Health.WARNING: self.style.WARNING,
            Health.FAILING: self.style.ERROR,
        }[line.health]
        self.stdout.write(f"{style(f'{line.health:<8}')} {line.name:<20} {line.seen}")
        if line.cure:
            self.stdout.write(f"{'':<29} → {line.cure}")
        self.stdout.flush()
