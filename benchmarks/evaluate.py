"""`manage.py evaluate` over 200 recorded incidents, 5 runs of each, with an endpoint that answers at once.

The incidents are the example shop's, taken in again and again under keys of their own, looked into by the
playbook and closed. The agent does what its prompt tells it: it asks for the first rule's facts and hands in.
Its endpoint is a scripted server on a real socket, in a process of its own, and its work is part of the time.
"""

import itertools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.delivery_to_draft import SOURCES, deliveries, unique
from benchmarks.figures import figure
from benchmarks.stand import ROOT, Stand, standing, use_django

INCIDENTS, RUNS, PROCESSES = 200, 5, 2
GOAL_SECONDS, GOAL_OWN_MS = 180, 100
_SERVER = """
import time
from tests import scripted
from tests.scripted.agents import asks_what_is_told
with scripted.endpoint(asks_what_is_told) as server:
    print(server.url, flush=True)
    while True:
        time.sleep(1)
        server.requests.clear(), server._server.asked.clear(), server._server.settle(0)
"""


def main() -> None:
    """Print the figures; the number of incidents may be given."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INCIDENTS
    with standing() as stand:
        stand.load_shop()
        stand.variables.update(LOG_LEVEL="ERROR")
        use_django(stand.variables)
        record(count)
        measure(stand, count)


def record(count: int) -> None:
    """Take the incidents in, let the playbook look into them, and close them."""
    from django.db import connections
    from django.utils import timezone

    from toolbox import registry

    now, began = timezone.now(), time.monotonic()
    with connections["default"].cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")  # what is measured comes later
    sources = dict(_sources())
    told = itertools.cycle(deliveries(now))
    for number in range(count):
        slug, body = next(told)
        _closed(sources[slug], unique(body, number))
    figure(f"recording {count} incidents", time.monotonic() - began, "s")
    registry.current().close()
    connections.close_all()


def _sources() -> Any:
    from django.utils import timezone

    from incidents.models import Source

    for slug, adapter in SOURCES.items():
        yield (
            slug,
            Source.objects.create(
                slug=slug, title=slug, adapter=adapter, secret_digest=slug, created_at=timezone.now()
            ),
        )


def _closed(source: Any, body: bytes) -> None:
    from django.utils import timezone

    from accounts.models import User
    from incidents import folding, intake, services
    from incidents.models import Delivery, Incident
    from investigations.models import Investigation

    now = timezone.now()
    intake.receive(source, body, {"content-type": "application/json"}, "bench", now)
    folding.fold(Delivery.objects.latest("pk").pk, now)
    services.investigate(Investigation.objects.latest("pk").pk, now=timezone.now())
    incident = Incident.objects.latest("pk")
    by, _ = User.objects.get_or_create(username="bench")
    services.close(
        incident.pk,
        by=by,
        outcome="harmless" if incident.verdict_passed else "real and fixed",
        answer="",
        reason="As the benchmark has it.",
        version=incident.version,
        now=timezone.now(),
    )


def measure(stand: Stand, count: int) -> None:
    """Run the command and print its time and what a run costs besides the model."""
    out = Path(stand.folder) / "evaluation.json"
    server = subprocess.Popen([sys.executable, "-c", _SERVER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        stand.variables.update(LLM_BASE_URL=url, MODEL_ID="scripted-1", DATABASE_POOL="")
        began, worked, beside = time.monotonic(), _worked(), _worked_beside()
        told = ("evaluate", "closed:", "-n", str(RUNS), "--here", "-j", str(PROCESSES), "--json", str(out))
        said = stand.run("manage.py", *told)
        seconds, worked = time.monotonic() - began, _worked() - worked
        beside = _worked_beside() - beside
    finally:
        server.kill()
        server.wait(10)
    print(said)
    found = json.loads(out.read_text(encoding="utf-8"))["measures"]
    runs = count * RUNS
    if found["states"]["done"] != runs:
        raise SystemExit(f"only {found['states']} of {runs} runs are done")
    report(seconds, found, is_whole=count >= INCIDENTS)
    figure("processor time of the command, a run", worked / runs * 1000, "ms")
    figure("processor time of database and model, a run", beside / runs * 1000, "ms")
    figure(f"all of it on {PROCESSES} cores that do nothing else", (worked + beside) / PROCESSES, "s")


def _worked() -> float:
    """Return the processor time of the processes that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _worked_beside() -> float:
    """Return the processor time so far of what this process started and what that did: servers, the model."""
    return _worked_by(os.getpid()) - time.process_time()


def _worked_by(pid: int) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0.0
    own = sum(map(int, stat[11:13] if pid == os.getpid() else stat[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_worked_by(int(child)) for child in children)


def report(seconds: float, found: Any, *, is_whole: bool) -> None:
    """Print the figures."""
    runs, own = found["states"]["done"], found["totals"]["median_overhead"] * 1000
    met = seconds < GOAL_SECONDS if is_whole else None
    figure(f"{runs:,} runs, from start to end", seconds, "s", goal=f"under {GOAL_SECONDS} s", is_met=met)
    figure("runs a second", runs / seconds, "/s")
    figure("exchanges in one run, median", found["totals"]["median_exchanges"], "")
    figure("calls in one run, median", found["totals"]["median_calls"], "")
    figure("a run with its model, median", found["totals"]["median_seconds"] * 1000, "ms")
    figure("a run's own share, median", own, "ms", goal=f"under {GOAL_OWN_MS} ms", is_met=own < GOAL_OWN_MS)


if __name__ == "__main__":
    main()
