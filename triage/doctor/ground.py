"""What everything stands on: packages, key, database, migrations, clock, the log's protection."""

import importlib.metadata
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from audit import protection
from triage import halfway
from triage.doctor.line import Line, failing, warning, well

_OLDEST_POSTGRES = 150000
_CLOCK_WARNS, _CLOCK_FAILS = 2.0, 30.0


def packages() -> Iterator[Line]:
    """Whether the installed packages are the locked ones."""
    lock = (Path(settings.BASE_DIR) / "requirements.txt").read_text(encoding="utf-8")
    pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+) ?(;.*)?", lock, flags=re.MULTILINE)
    wrong = []
    for name, locked, marker in pins:
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            if not marker:
                wrong.append(f"{name} is missing")
            continue
        if found != locked:
            wrong.append(f"{name} is {found}, locked is {locked}")
    if wrong:
        yield failing(
            "packages",
            f"{len(wrong)} differ: {', '.join(wrong[:3])}",
            "pip install --require-hashes -r requirements.txt",
        )
    else:
        yield well("packages", f"the {len(pins)} locked ones")


def secret_key() -> Iterator[Line]:
    """Whether the key that signs sessions is our own."""
    if settings.SECRET_KEY.startswith("development-only"):
        yield warning(
            "secret key",
            "the default one, good for development only",
            "Set SECRET_KEY to 50 random characters; production refuses to start without.",
        )
    else:
        yield well("secret key", f"our own, {len(settings.SECRET_KEY)} characters")


def database() -> Iterator[Line]:
    """Whether the database answers, its version, our role, and its clock against ours."""
    with connection.cursor() as cursor:
        before = time.time()
        cursor.execute("SELECT current_user, current_setting('server_version_num')::int, clock_timestamp()")
        role, version, theirs = cursor.fetchone()
        ours = (before + time.time()) / 2
    seen = f"PostgreSQL {version // 10000}.{version % 100} answers {role}"
    if version < _OLDEST_POSTGRES:
        yield failing("database", seen, "Upgrade PostgreSQL to 15 or later.")
    else:
        yield well("database", seen)
    yield _clock(theirs, datetime.fromtimestamp(ours, UTC))


def _clock(theirs: datetime, ours: datetime) -> Line:
    apart = abs((theirs - ours).total_seconds())
    seen = f"{apart:.1f} s between the database's clock and this machine's"
    cure = "Switch on time synchronisation (timedatectl set-ntp true) on both machines."
    if apart >= _CLOCK_FAILS:
        return failing("clock", seen, cure)
    return warning("clock", seen, cure) if apart >= _CLOCK_WARNS else well("clock", seen)


def owner() -> Iterator[Line]:
    """Whether the role that migrates answers, where one is configured."""
    if "owner" not in settings.DATABASES:
        yield warning(
            "owner role",
            "DATABASE_OWNER_URL is not set: one role both migrates and runs",
            "Give migrations a role of their own: python -m triage.local.roles prints the SQL.",
        )
        return
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT current_user")
        yield well("owner role", f"{cursor.fetchone()[0]} answers; it migrates, and nothing else uses it")


def migrations() -> Iterator[Line]:
    """Whether every migration is applied."""
    if files := halfway.missing("default"):
        yield failing("migrations", "left halfway by an older version", halfway.sentence(files))
        return
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        first = plan[0][0]
        yield failing("migrations", f"{len(plan)} not applied, first {first}", "manage.py migrate")
    else:
        yield well("migrations", "all applied")


def log_protection() -> Iterator[Line]:
    """Whether the audit log is protected as well as it can be, partitions included."""
    found = protection.weaknesses()
    for sentence in found:
        seen, _, cure = sentence.partition(": ")
        yield warning("audit log", seen, cure or sentence)
    if not found:
        yield well("audit log", "append-only for this role, triggers in place, next month has its partition")


def static_files() -> Iterator[Line]:
    """Whether pages will find their style and scripts."""
    if settings.PRODUCTION:
        manifest = Path(str(settings.STATIC_ROOT)) / "staticfiles.json"
        if not manifest.exists():
            yield failing("static files", f"{manifest} is missing", "manage.py collectstatic --noinput")
            return
        yield well("static files", f"collected in {settings.STATIC_ROOT}")
        return
    count = sum(1 for finder in finders.get_finders() for _ in finder.list([]))
    yield well("static files", f"{count} served from their folders")
