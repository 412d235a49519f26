"""The queue, its filters and search, an incident's page and a status change, over 1,000,000 incidents.

Each is asked as a browser asks it, in one process: the server's own time, with all queries. The same is
measured over 10,000 incidents first, since what must not grow is told by a ratio. One incident in ten is
open; each has ten entries. `python -m benchmarks.queue_pages 1000000` takes minutes to fill; without a number
it is scaled down.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.figures import figure, median, percentile
from benchmarks.filled_queue import OPEN_SHARE, WHOLE, fill
from benchmarks.stand import standing, use_django

SMALL, SCALED, ALL = 10_000, 50_000, 1_000_000
ROUNDS = 60
GOAL_MEDIAN, GOAL_P95, GOAL_QUERIES, GOAL_RATIO = 150, 300, 15, 1.5


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds of one kind of request at the median and at p95, and the most queries that one needed."""

    median: float
    p95: float
    queries: int


def main() -> None:
    """Print the figures at 10,000 and at the wanted number of incidents."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("QUEUE_INCIDENTS", SCALED))
    small = at(SMALL)
    large = at(count)
    for name, measured in large.items():
        say(name, measured, small[name], is_whole=count >= ALL)


def at(count: int) -> dict[str, Measured]:
    """Fill a fresh database with so many incidents and measure each kind of request."""
    with standing() as stand:
        began = time.monotonic()
        fill(stand.variables["DATABASE_OWNER_URL"], stand.variables, count)
        figure(f"filling {count:,} incidents and {count * 10:,} entries", time.monotonic() - began, "s")
        return measured_in_a_process(stand.variables, count)


def measured_in_a_process(variables: dict[str, str], count: int) -> dict[str, Measured]:
    """Measure in a child: Django is set up once in a process, for one database."""
    import json
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", f"from benchmarks.queue_pages import child; child({count})"],
        env={**os.environ, **variables, "DATABASE_POOL": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"measuring failed:\n{done.stdout}{done.stderr}"[-4000:])
    return {name: Measured(*each) for name, each in json.loads(done.stdout.splitlines()[-1]).items()}


def child(count: int) -> None:
    """Measure every kind of request, and print the figures as JSON on the last line."""
    import json

    use_django(os.environ)
    print(json.dumps({name: list(each) for name, each in measure(count).items()}))


def measure(count: int) -> dict[str, tuple[float, float, int]]:
    """Return median, p95 and most queries of each kind of request."""
    from django.contrib.auth.models import Group
    from django.test import Client

    from accounts.models import Team, User

    dice = random.Random(7)
    clients = []
    for name, role in (("lee", "support"), ("mo", "manager")):
        user = User.objects.create_user(name, password=None)
        user.groups.add(Group.objects.get(name=role))
        user.teams.add(*Team.objects.order_by("pk")[:2])
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        client.get("/")
        clients.append(client)

    first_open = count - count // OPEN_SHARE + 1
    words = ("timeout", "checkout", "refund", "payments", "disk")

    def opened() -> int:
        return dice.randint(first_open, count)

    def ask(address: Callable[[], str]) -> Callable[[Any], Any]:
        return lambda client: client.get(address())

    def change(client: Any) -> Any:
        from incidents.models import Incident

        number = opened()
        version = Incident.objects.values_list("version", flat=True).get(pk=number)
        timed = time.perf_counter()
        answer = client.post(
            "/queue/act/", {"do": f"grade:{number}.{version}", "severity": "high", "here": ""}
        )
        answer.took = time.perf_counter() - timed
        return answer

    kinds: dict[str, Callable[[Any], Any]] = {
        "queue": ask(lambda: f"/?tab={dice.choice(('needs-a-person', 'my-team', 'all', 'mine', 'closed'))}"),
        "filtered queue": ask(
            lambda: (
                f"/?severity={dice.choice(('critical', 'warning'))}&source=source-{dice.randint(0, 19)}"
                f"&sort={dice.choice(('newest', 'oldest', 'severity'))}"
            )
        ),
        "search": ask(
            lambda: (
                f"/?tab={dice.choice(('all', 'needs-a-person'))}&q="
                + dice.choice(
                    (f"job-{opened()}", dice.choice(words), f"{dice.choice(words)} order{opened()}")
                )
            )
        ),
        "incident page": ask(lambda: f"/incidents/{dice.randint(1, WHOLE)}/"),
        "status change": change,
        "pulse": ask(lambda: f"/pulse/?since={count}"),
    }
    return {name: timed(kind, clients, name) for name, kind in kinds.items()}


def timed(kind: Callable[[Any], Any], clients: list[Any], name: str) -> tuple[float, float, int]:
    """Ask again and again, by each person in turn, and return median, p95 and the most queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    took, most = [], 0
    for number in range(ROUNDS + 6):
        client = clients[number % len(clients)]
        began = time.perf_counter()
        answer = kind(client)
        spent = getattr(answer, "took", time.perf_counter() - began)
        if answer.status_code not in (200, 302):
            print(name, answer.status_code, answer.content[:400], file=sys.stderr)
            raise SystemExit(1)
        if number >= 6:
            took.append(spent * 1000)
    for client in clients:
        with CaptureQueriesContext(connection) as captured:
            kind(client)
        most = max(most, len(captured))
    return median(took), percentile(took, 0.95), most


def say(name: str, large: Measured, small: Measured, *, is_whole: bool) -> None:
    """Print one kind's figures; whether a goal is met is said of the whole number of incidents alone."""

    def met(value: float, most: float) -> bool | None:
        return value <= most if is_whole else None

    goal = f"under {GOAL_MEDIAN} ms"
    figure(f"{name}, median", large.median, "ms", goal=goal, is_met=met(large.median, GOAL_MEDIAN))
    figure(f"{name}, p95", large.p95, "ms", goal=f"under {GOAL_P95} ms", is_met=met(large.p95, GOAL_P95))
    goal = f"at most {GOAL_QUERIES}"
    figure(f"{name}, queries", large.queries, "", goal=goal, is_met=met(large.queries, GOAL_QUERIES))
    ratio = large.median / small.median
    goal = f"at most {GOAL_RATIO}"
    figure(f"{name}, to the time at {SMALL:,}", ratio, "times", goal=goal, is_met=met(ratio, GOAL_RATIO))


if __name__ == "__main__":
    main()
