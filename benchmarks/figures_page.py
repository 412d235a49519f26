"""The figures page over 1,000,000 incidents, and how fast changes are counted.

A year of incidents, closed but for one in ten, is counted from scratch as after an upgrade; then the page is
asked as a manager's browser asks it, in one process: the server's own time, and its processor's.
`python -m benchmarks.figures_page 1000000` takes many minutes to count, once where `BENCH_KEEP` names a
folder; without a number it is scaled down.
"""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime

from benchmarks.figures import figure, median, percentile
from benchmarks.kept import filled
from benchmarks.stand import use_django

SCALED, ALL, ROUNDS, GOAL = 30_000, 1_000_000, 30, 300
PAGES = {
    "28 days": "", "91 days": "span=91", "a year": "span=365", "a year by source": "span=365&by=source",
    "28 days of one source": "source=1", "28 days of a source and a kind": "source=1&kind=alert",
    "a year of one source": "span=365&source=1", "a year of one rule": "span=365&rule=alert_recovered",
    "a year of one team": "span=365&team=2", "a year of a source and a kind": "span=365&source=1&kind=alert",
}  # fmt: skip


def main() -> None:
    """Fill, count, measure, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SCALED
    with filled(count) as stand:
        environment = {**os.environ, **stand.variables, "DATABASE_POOL": ""}
        code = f"from benchmarks.figures_page import child; child({count})"
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def child(count: int) -> None:
    """Count what is not counted yet in the database of this process's environment, and ask for the page."""
    use_django(os.environ)
    from django.contrib.auth.models import Group

    from accounts.models import User

    user, is_new = User.objects.get_or_create(username="mo")
    if is_new:
        user.groups.add(Group.objects.get(name="manager"))
    _count(count)
    _ask(user, is_whole=count >= ALL)


def _count(count: int) -> None:
    from incidents.figures import agentdays, recount

    began = time.monotonic()
    done = recount.recount(datetime.now(UTC), batches=count)
    filled = recount.fill(batches=count)
    while agentdays.count(datetime.now(UTC)) > 2:  # today and yesterday are counted each time
        pass
    took = time.monotonic() - began
    if filled:
        figure(f"putting {filled:,} records into the sums after an upgrade", filled / took, "a second")
    if done >= count:
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
        is_goal = is_whole
        figure(f"figures of {name}, median", median(times), "ms", goal=f"< {GOAL} ms",
               is_met=median(times) < GOAL if is_goal else None)  # fmt: skip
        figure(f"figures of {name}, of that Python's own", busy, "ms")
        figure(f"figures of {name}, p95 ({len(queries)} queries)", percentile(times, 0.95), "ms")


if __name__ == "__main__":
    main()
