"""How many entries a second are appended, as a ratio to a plain insert of the same bytes.

Each of 16 connections, spread over processes, runs transactions that stay open for 5 ms, as a state change
does, and write once. The connections are set up as those of the web process and the workers are. Plain rows
are inserted as Django does it, and beside that by a statement that is planned once for each connection, as
appending is.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.figures import figure, median
from benchmarks.stand import ROOT, Stand, standing, use_django

PROCESSES, THREADS = 4, 4
ROUNDS = 7
SECONDS = 2.0
HELD_OPEN = 0.005
GOAL = 0.85
KINDS = ("plain", "entry", "planned", "found")
PAYLOAD = {"tool": "find_job", "arguments": {"job_id": "job-1"}, "result": {"job": {"state": "completed"}}}


def main() -> None:
    """Print the ratio; with the argument `worker`, be one of the processes that write."""
    if sys.argv[1:] == ["worker"]:
        serve()
        return
    with standing() as stand:
        measure(stand)


def measure(stand: Stand) -> None:
    """Alternate plain inserts and appends, so that whatever else the machine does weighs on both."""
    use_django(stand.variables)
    stand_beside(stand)
    workers = [Worker(stand) for _ in range(PROCESSES)]
    try:
        for kind in KINDS:
            together(workers, kind)  # the first round of each warms up
        rounds = [{kind: together(workers, kind) for kind in KINDS} for _ in range(ROUNDS)]
    finally:
        for one in workers:
            one.end()
    ratio = median([one["entry"] / one["plain"] for one in rounds])
    plain_rate = median([one["plain"] for one in rounds])
    figure("plain inserts, 16 connections, 5 ms transactions", plain_rate, "/s")
    figure("audit entries, the same", median([one["entry"] for one in rounds]), "/s")
    figure("audit entries : plain inserts", ratio, "", goal=f"at least {GOAL}", is_met=ratio >= GOAL)
    planned = median([one["entry"] / one["planned"] for one in rounds])
    figure("audit entries : plain inserts, planned once as well", planned, "")
    beside = median([one["entry"] / one["found"] for one in rounds])
    figure("audit entries : rows found by the same columns", beside, "")
    seal_and_check()


def stand_beside(stand: Stand) -> None:
    """Make the plain tables, as the owner: one bare, one that is found by what entries are found by."""
    import psycopg

    with psycopg.connect(stand.variables["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE bench_plain (id bigserial PRIMARY KEY, kind text, actor text, body text)")
        link.execute(
            "CREATE TABLE bench_found (id bigserial PRIMARY KEY, recorded_at timestamptz, kind text,"
            " actor text, incident bigint, investigation bigint, body text)"
        )
        for columns in ("incident, id", "investigation, id", "recorded_at, id"):
            link.execute(f"CREATE INDEX ON bench_found ({columns})")


class Worker:
    """One process with its share of the connections: told what to write, it answers how often it did."""

    def __init__(self, stand: Stand) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.audit_append", "worker"],
            cwd=ROOT,
            env=stand.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, kind: str) -> None:
        """Have it write for a while."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{kind}\n")
        self._process.stdin.flush()

    def count(self) -> int:
        """Wait until it is done."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def end(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def together(workers: list[Worker], kind: str) -> float:
    """Return how often a second all of them together wrote."""
    for one in workers:
        one.begin(kind)
    return sum(one.count() for one in workers) / SECONDS


def serve() -> None:
    """Write what standard input says until it ends."""
    import django

    django.setup()
    once = {"plain": plain, "planned": planned, "found": found, "entry": entry}
    with ThreadPoolExecutor(THREADS) as pool:
        for line in sys.stdin:
            counts = list(pool.map(work, [once[line.strip()]] * THREADS))
            print(sum(counts), flush=True)


def plain() -> None:
    """Insert one row of the same bytes."""
    from django.db import connection

    from assay_core.canonical import canonical

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_plain (kind, actor, body) VALUES (%s, %s, %s)",
            ["tool.called", "playbook", canonical(PAYLOAD)],
        )


def planned() -> None:
    """Insert the same row by a statement that the connection has planned."""
    from assay_core.canonical import canonical
    from audit import prepared

    insert = "INSERT INTO bench_plain (kind, actor, body) VALUES (%s, %s, %s) RETURNING id"
    prepared.rows(insert, ["tool.called", "playbook", canonical(PAYLOAD)])


def found() -> None:
    """Insert one row of the same bytes that pages could find by incident, investigation and time."""
    from django.db import connection

    from assay_core.canonical import canonical

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_found (recorded_at, kind, actor, incident, investigation, body)"
            " VALUES (clock_timestamp(), %s, %s, %s, %s, %s) RETURNING id",
            ["tool.called", "playbook", 1, 1, canonical(PAYLOAD)],
        )
        cursor.fetchone()


def entry() -> None:
    """Append one entry."""
    from audit.writing import write

    write("tool.called", PAYLOAD, actor="playbook", incident=1, investigation=1)


def work(once: Callable[[], None]) -> int:
    """Run transactions on this thread's connection until the time is over; return their number."""
    from django.db import connection, transaction

    done = 0
    connection.ensure_connection()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with transaction.atomic():
            time.sleep(HELD_OPEN)
            once()
        done += 1
    return done


def seal_and_check() -> None:
    """Say how fast the entries just made are sealed, proven and verified, and that they are whole."""
    from assay_core.notes import SigningKey
    from audit import exporting, sealing
    from audit.sealverify import Against
    from audit.verification import verify

    key = SigningKey.make("bench.example/audit")
    begin = time.perf_counter()
    taken = sealing.seal_all(key)
    figure("entries sealed, one sealer", taken / (time.perf_counter() - begin), "/s")
    begin = time.perf_counter()
    for proof in exporting.span(0, 999, with_payload=True):
        proof.check()
    figure("proofs made and checked", 1000 / (time.perf_counter() - begin), "/s")
    begin = time.perf_counter()
    report = verify(against=Against([key.verifier]))
    figure("entries verified with their seal, one core", report.checked / (time.perf_counter() - begin), "/s")
    if report.exit_code:
        raise SystemExit(report.sentences()[0])


if __name__ == "__main__":
    main()
