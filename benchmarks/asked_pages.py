"""One side of `queue_pages`: a process over one filled database that asks for a page when it is told to.

It reads names of pages, a line each, and answers each with a line of JSON: milliseconds, milliseconds of the
processor (Python's and PostgreSQL's), queries. Two such processes take turns, so that what else the machine
does weighs on both.
"""

import json
import os
import random
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from asgiref.sync import async_to_sync

from benchmarks.filled_rows import OPEN_SHARE
from benchmarks.stand import use_django

_WORDS = ("timeout", "checkout", "refund", "payments", "disk")
#: What the goal is set for, and lists that people open beside it.
GOALS = ("queue", "filtered queue", "search", "incident page", "status change")
OTHERS = (
    "pulse", "closed, far back", "search of two words", "rare filters", "similar incidents", "palette",
    "deliveries", "entries", "entries of a tool", "audit log", "API list", "API sheet", "figures",
    "figures of a year",
)  # fmt: skip


def main() -> None:
    """Serve the lines of the standard input until it ends."""
    count = int(sys.argv[1])
    use_django(os.environ)
    pages = Pages(count)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(pages.ask(line.strip())), flush=True)


class Pages:
    """The pages, each asked for by the two persons in turn."""

    def __init__(self, count: int) -> None:
        """Make or find the persons and sign them in. Django is set up."""
        self._dice = random.Random(7)
        self._count = count
        self._clients = [_client(name, role) for name, role in (("lee", "support"), ("mo", "manager"))]
        self._bearer = _bearer()
        self._back = self._far_back()
        self._turn = 0

    def ask(self, name: str) -> tuple[float, float, int]:
        """Ask for a page once."""
        from django.db import connection

        self._turn += 1
        client = self._clients[self._turn % 2 if not name.startswith("figures") else 1]
        prepared = self._status_change if name == "status change" else self._page(name)
        send = prepared(client)
        queries: list[str] = []

        def counted(execute: Any, sql: str, *rest: Any) -> Any:
            queries.append(sql)
            return execute(sql, *rest)

        backend = connection.connection.info.backend_pid
        with connection.execute_wrapper(counted):
            busy, began = time.process_time() + _busy(backend), time.perf_counter()
            answer = send()
            if answer.streaming:
                async_to_sync(_read)(answer)
            took = time.perf_counter() - began
            busy = time.process_time() + _busy(backend) - busy
        if answer.status_code not in (200, 302):
            raise SystemExit(f"{name}: {answer.status_code} {answer.content[:400]!r}")
        return took * 1000, busy * 1000, len(queries)

    def _page(self, name: str) -> Callable[[Any], Callable[[], Any]]:
        address = self._addresses()[name]()
        headers = {"Authorization": f"Bearer {self._bearer}"} if name.startswith("API") else {}
        return lambda client: lambda: client.get(address, headers=headers)

    def _addresses(self) -> Mapping[str, Callable[[], str]]:
        choose, opened, one = self._dice.choice, self._opened, self._visible
        tabs = ("needs-a-person", "my-team", "all", "mine", "closed")
        return {
            "queue": lambda: f"/?tab={choose(tabs)}",
            # Filters that leave more than a page on both sides: a page of fifty rows takes longer to write.
            "filtered queue": lambda: (
                f"/?severity={choose(('critical', 'warning'))}"
                f"&sort={choose(('newest', 'oldest', 'severity'))}"
                f"&{choose((f'source=source-{5 * self._dice.randint(0, 3)}&tab=closed', 'kind=alert'))}"
            ),
            "search": lambda: f"/?tab={choose(('all', 'needs-a-person'))}&" + urlencode({
                "q": choose((f"job-{opened()}", choose(_WORDS), f"{choose(_WORDS)} order{opened()}"))
            }),
            "incident page": lambda: f"/incidents/{one()}/",
            "pulse": lambda: f"/pulse/?since={self._count}",
            "closed, far back": lambda: f"/?tab=closed&after={self._back}",
            "search of two words": lambda: f"/?tab=all&q={choose(_WORDS)}+{choose(_WORDS)}",
            "rare filters": lambda: f"/?tab=closed&severity=high&kind=claim&source=source-{choose((4, 7))}",
            "similar incidents": lambda: f"/incidents/{one()}/around/",
            "palette": lambda: f"/find/?q={choose((choose(_WORDS), f'job-{opened()}'))}",
            "deliveries": lambda: f"/deliveries/?state={choose(('', 'parked'))}",
            "entries": lambda: f"/entries/?actor={choose(('', 'person-3', 'playbook', 'nobody'))}",
            "entries of a tool": lambda: f"/entries/?tool=find_job&status={choose(('', 'error', 'refused'))}",
            "audit log": lambda: "/log/",
            "API list": lambda: f"/api/v1/incidents?state={choose(('review', 'closed'))}",
            "API sheet": lambda: "/api/v1/incidents.csv?state=review",
            "figures": lambda: "/figures/",
            "figures of a year": lambda: "/figures/?span=365",
        }  # fmt: skip

    def _status_change(self, client: Any) -> Callable[[], Any]:
        from incidents.models import Incident

        number = self._opened()
        version = Incident.objects.values_list("version", flat=True).get(pk=number)
        severity = self._dice.choice(("high", "critical", "warning"))
        asked = {"do": f"grade:{number}.{version}", "severity": severity, "here": ""}
        return lambda: client.post("/queue/act/", asked)

    def _visible(self) -> int:
        """Every fifth belongs to no team, so that anybody sees it."""
        return self._dice.randint(1, self._count // 5) * 5

    def _opened(self) -> int:
        first = self._count - self._count // OPEN_SHARE + 1
        return self._dice.randint(first // 5 + 1, self._count // 5) * 5

    def _far_back(self) -> str:
        from incidents import keyset, queue
        from incidents.models import Incident
        from incidents.queue_wants import Sort

        return keyset.key_of(Incident.objects.get(pk=self._count // 3), queue.ORDERS[Sort.NEWEST])


async def _read(answer: Any) -> None:
    async for _ in answer.streaming_content:
        pass


def _client(name: str, role: str) -> Any:
    from django.contrib.auth.models import Group
    from django.test import Client

    from accounts.models import Team, User

    user, is_new = User.objects.get_or_create(username=name)
    if is_new:
        user.groups.add(Group.objects.get(name=role))
        user.teams.add(*Team.objects.order_by("pk")[:2])
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    client.get("/")
    return client


def _bearer() -> str:
    from django.conf import settings
    from django.utils import timezone

    from accounts import tokens
    from accounts.models import User

    name, day = f"bench-{secrets.token_hex(4)}", timedelta(days=1)
    wanted = tokens.Wanted(name=name, scopes=["read"], audience=settings.BASE_URL, lasts=day)
    owner = User.objects.get(username="mo")
    return tokens.make(wanted, owner=owner, by="benchmark", now=timezone.now())[1]


def _busy(process: int) -> float:
    """Return how many seconds a process has had of the processor; 0 where that can't be read."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except OSError:
        return 0.0


if __name__ == "__main__":
    main()
