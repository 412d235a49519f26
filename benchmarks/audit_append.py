"""How many entries a second are appended, as a ratio to a plain insert of the same bytes.

Each of 16 connections runs transactions that stay open for 5 ms, as a state change does, and write once.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.figures import figure, median
from benchmarks.stand import Stand, standing, use_django

CONNECTIONS = 16
ROUNDS = 5
SECONDS = 2.0
HELD_OPEN = 0.005
PAYLOAD = {"tool": "find_job", "arguments": {"job_id": "job-1"}, "result": {"job": {"state": "completed"}}}


def main() -> None:
    """Print the ratio."""
    with standing() as stand:
        measure(stand)


def measure(stand: Stand) -> None:
    """Alternate plain inserts and appends, so that whatever else the machine does weighs on both."""
    use_django(stand.variables)
    stand_beside(stand)
    plain_rates, entry_rates = [], []
    for _ in range(ROUNDS):
        plain_rates.append(rate(plain))
        entry_rates.append(rate(entry))
    ratio = median([one / other for one, other in zip(entry_rates, plain_rates, strict=True)])
    figure("plain inserts, 16 connections, 5 ms transactions", median(plain_rates), "/s")
    figure("audit entries, the same", median(entry_rates), "/s")
    figure("audit entries : plain inserts", ratio, "")
    check()


def stand_beside(stand: Stand) -> None:
    """Make the plain table, as the owner."""
    import psycopg

    with psycopg.connect(stand.variables["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE bench_plain (id bigserial PRIMARY KEY, kind text, actor text, body text)")


def plain() -> None:
    """Insert one row of the same bytes."""
    from django.db import connection

    from assay_core.canonical import canonical

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_plain (kind, actor, body) VALUES (%s, %s, %s)",
            ["tool.called", "playbook", canonical(PAYLOAD)],
        )


def entry() -> None:
    """Append one entry."""
    from audit.writing import write

    write("tool.called", PAYLOAD, actor="playbook", incident=1, investigation=1)


def rate(once: Callable[[], None]) -> float:
    """Return how often a second it is done by all connections together."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        counts = list(pool.map(lambda _: worker(once), range(CONNECTIONS)))
    return sum(counts) / SECONDS


def worker(once: Callable[[], None]) -> int:
    """Run transactions on a connection of its own until the time is over; return their number."""
    from django.db import connection, transaction

    done = 0
    try:
        connection.ensure_connection()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with transaction.atomic():
                time.sleep(HELD_OPEN)
                once()
            done += 1
    finally:
        connection.close()
    return done


def check() -> None:
    """Say how fast the entries just made are verified, and that they are whole."""
    from audit.verification import verify

    begin = time.perf_counter()
    report = verify()
    took = time.perf_counter() - begin
    figure("entries verified, one core", report.checked / took, "/s")
    if report.exit_code:
        raise SystemExit(report.sentences()[0])


if __name__ == "__main__":
    main()
