"""`doctor`: every dependency, credential, worker, queue age and clock; each failing line with its cure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand

from triage.doctor import ground, handover, model_endpoints, models_in_use, reach, sealed, work, writes
from triage.doctor.line import Health, Line, examined, warning

_DATABASE = "Start PostgreSQL, or correct DATABASE_URL and its password."
_OWNER = "Correct DATABASE_OWNER_URL: the role that migrates does not get in."
_BROKER = "Start Redis or Valkey, or correct REDIS_URL."


@dataclass(frozen=True, slots=True)
class Look:
    """One thing to look at: how, what to do where looking breaks off, and what has to stand before."""

    name: str
    at: Callable[[], Iterable[Line]]
    cure: str
    needs: frozenset[str] = frozenset()


LOOKS = (
    Look("packages", ground.packages, "Restore requirements.txt."),
    Look("secret key", ground.secret_key, "Set SECRET_KEY."),
    Look("address", reach.addresses, "Correct BASE_URL and ALLOWED_HOSTS."),
    Look("database", ground.database, _DATABASE),
    Look("owner role", ground.owner, _OWNER, frozenset({"database"})),
    Look("migrations", ground.migrations, "manage.py migrate", frozenset({"database"})),
    Look("audit log", ground.log_protection, "manage.py migrate", frozenset({"database"})),
    Look("audit seal", sealed.seal, "manage.py migrate", frozenset({"database"})),
    Look("static files", ground.static_files, "Correct STATIC_ROOT."),
    Look("broker", work.broker, _BROKER),
    Look("workers", work.workers, _BROKER, frozenset({"broker"})),
    Look("beat", work.beat, _BROKER, frozenset({"broker"})),
    Look("waiting work", work.waiting_work, "manage.py migrate", frozenset({"database"})),
    Look("connectors", reach.connectors, "Correct the file and line that it names."),
    Look("rules", reach.rules, "Correct TRIAGE_TOOLS, TRIAGE_CONNECTORS and TRIAGE_RULES."),
    Look("models", model_endpoints.tried, _BROKER, frozenset({"broker", "database"})),
    Look("models in use", models_in_use.standing, "manage.py migrate", frozenset({"database"})),
    Look("langfuse", handover.langfuse, "Correct LANGFUSE_HOST."),
    Look(
        "write credentials",
        writes.credentials,
        "Correct the file that TRIAGE_ACTIONS names.",
        frozenset({"database"}),
    ),
    Look("people", reach.people, "manage.py migrate", frozenset({"database"})),
)


class Command(BaseCommand):
    """Exit code 0 when nothing fails, 1 when something does. Warnings do not fail."""

    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each thing."""
        failed: list[str] = []
        for look in LOOKS:
            missing = look.needs & set(failed)
            lines = (
                [
                    warning(
                        look.name,
                        f"not looked at: it needs the {min(missing)}",
                        f"Put right the {min(missing)}.",
                    )
                ]
                if missing
                else examined(look.name, look.at, cure=look.cure)
            )
            for line in lines:
                self._print(line)
            failed += [look.name for line in lines if line.health is Health.FAILING]
        self.stdout.write("")
        if failed:
            self.stdout.write(self.style.ERROR(f"{len(failed)} failing."))
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
