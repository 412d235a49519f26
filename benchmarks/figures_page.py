"""The figures page over 1,000,000 incidents, and how fast changes are counted.

A year of incidents, closed but for one in ten, is counted from scratch as after an upgrade; then the page is
asked as a manager's browser asks it, in one process: the server's own time, and its processor's.
`python -m benchmarks.figures_page 1000000` takes many minutes to count; without a number it is scaled down.
"""

import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.figures import figure, median, percentile
from benchmarks.stand import standing, use_django

SCALED, ALL, ROUNDS, GOAL = 30_000, 1_000_000, 30, 300
PAGES = {
    "28 days": "", "91 days": "span=91", "a year": "span=365", "28 days of one source": "source=1",
    "28 days of a source and a kind": "source=1&kind=alert",
}  # fmt: skip
_COLUMNS = (
    "id", "source_id", "team_id", "kind", "sender_key", "title", "severity", "labels", "annotations",
    "identifiers", "state", "started_at", "sender_clock_note", "first_received_at", "last_received_at",
    "signal_count", "flap_count", "not_shown_count", "episode_at", "acknowledged_at", "closed_at",
    "version", "hypothesis", "verdict_reason",
)  # fmt: skip
_RESOLUTION = (
    "incident_id",
    "outcome",
    "answer",
    "reason",
    "contradicts_verdict",
    "by_id",
    "by_rule",
    "created_at",
)


def main() -> None:
    """Fill, count, measure, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SCALED
    with standing() as stand:
        environment = {**os.environ, **stand.variables, "DATABASE_POOL": ""}
        code = f"from benchmarks.figures_page import child; child({count})"
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def child(count: int) -> None:
    """Fill the database of this process's environment, count it, and ask for the page."""
    use_django(os.environ)
    from django.contrib.auth.models import Group

    from accounts.models import User

    user = User.objects.create_user("mo", password=None)
    user.groups.add(Group.objects.get(name="manager"))
    _fill(os.environ["DATABASE_OWNER_URL"], count, user.pk)
    _count(count)
    _ask(user, is_whole=count >= ALL)


def _fill(owner: str, count: int, person: int) -> None:
    dice, now, empty = random.Random(3), datetime.now(UTC), Jsonb({})
    with psycopg.connect(owner, autocommit=True) as link:
        for number in range(1, 21):
            link.execute(
                "INSERT INTO incidents_source (id, slug, title, adapter, secret_digest, next_secret_digest, "
                "is_active, grace_seconds, oversized_count, oversized_last_sender, patterns, rubric, "
                "created_at) "
                "VALUES (%s, %s, %s, 'alertmanager', '', '', true, 30, 0, '', '{}', '', now())",
                (number, f"source-{number}", f"Source {number}"),
            )
        closed = []
        copying = f"COPY incidents_incident ({', '.join(_COLUMNS)}) FROM STDIN".encode()
        with link.cursor().copy(copying) as copy:
            for number in range(1, count + 1):
                at = now - timedelta(days=365 * (count - number) / count)
                end = None if number % 10 == 0 else at + timedelta(seconds=dice.lognormvariate(8, 1.5))
                if end:
                    closed.append((number, end))
                copy.write_row((
                    number, 1 + number % 20, None, ("alert", "alert", "claim")[number % 3], f"key-{number}",
                    "x", "high", Jsonb({"service": f"service-{number % 7}"}), empty, empty,
                    "closed" if end else "review",
                    at - timedelta(seconds=dice.lognormvariate(4, 1)), "", at, at, 1, 0, 0, at,
                    at + timedelta(seconds=dice.lognormvariate(6, 1)), end, 0, "", "",
                ))  # fmt: skip
        copying = f"COPY incidents_resolution ({', '.join(_RESOLUTION)}) FROM STDIN".encode()
        with link.cursor().copy(copying) as copy:
            for number, end in closed:
                copy.write_row((number, "harmless", "", "", False, person, "", end))
        link.execute("ANALYZE")


def _count(count: int) -> None:
    from incidents.figures import recount

    began = time.monotonic()
    done = recount.recount(datetime.now(UTC), batches=count)
    took = time.monotonic() - began
    figure(f"counting {done:,} incidents from scratch", done / took, "a second")


def _ask(user: object, *, is_whole: bool) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "localhost"})
    client.force_login(user)  # type: ignore[arg-type]  # the model is known once Django is set up
    for name, query in PAGES.items():
        times = []
        busy = time.process_time()
        for _ in range(ROUNDS):
            began = time.perf_counter()
            answer = client.get(f"/figures/?{query}")
            times.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200
        busy = (time.process_time() - busy) * 1000 / ROUNDS
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/figures/?{query}")
        is_goal = is_whole and not query
        figure(f"figures of {name}, median", median(times), "ms", goal=f"< {GOAL} ms",
               is_met=median(times) < GOAL if is_goal else None)  # fmt: skip
        figure(f"figures of {name}, of that Python's own", busy, "ms")
        figure(f"figures of {name}, p95 ({len(queries)} queries)", percentile(times, 0.95), "ms")


if __name__ == "__main__":
    main()
