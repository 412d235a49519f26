"""From a delivery to its draft with the playbook, in milliseconds, one at a time on an idle installation.

The example shop's own claims and alerts are posted over HTTP to the running web process; workers fold,
ask the shop's database and its logs, judge and draft. The clock starts before the request is sent and
stops when the draft is committed and can be read.
"""

import itertools
import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import httpx
import psycopg

from benchmarks.figures import figure, median, percentile
from benchmarks.stand import Stand, standing, wait_until
from triage.local import children

Link: TypeAlias = "psycopg.Connection[tuple[object, ...]]"
DELIVERIES = 60
WARM_UP = 6
GOAL_MS = 500
# One row for each stage of a delivery that holds one incident.
_STAGES = """
    SELECT d.received_at, d.folded_at, v.started_at, v.finished_at,
           (SELECT count(*) FROM audit_entry e WHERE e.investigation = v.id AND e.kind = 'tool.called')
    FROM incidents_delivery d
    JOIN incidents_signal s ON s.delivery_id = d.id
    JOIN investigations_investigation v ON v.incident_id = s.incident_id
    JOIN investigations_draft t ON t.investigation_id = v.id
    WHERE d.id = %s
"""


@dataclass(frozen=True, slots=True)
class Timing:
    """One delivery: all of it as its sender sees it, and its stages by the servers' clock, in ms."""

    whole: float
    to_fold: float
    to_start: float
    to_draft: float
    calls: int


def main() -> None:
    """Print the figures."""
    with standing() as stand:
        stand.load_shop()
        measure(stand)


def measure(stand: Stand) -> None:
    """Start everything, post one delivery after the other, print median, p95 and the stages."""
    secrets = {slug: stand.add_source(slug, adapter) for slug, adapter in SOURCES.items()}
    port = stand.serve("web", "triage.asgi:application")
    for queue, wide in (("investigate", 2), ("upkeep", 1)):
        stand.start(queue, *children.worker_arguments(queue, concurrency=wide))
    bodies = itertools.cycle(deliveries(datetime.now(UTC)))
    timings = []
    with (
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
        psycopg.connect(stand.variables["DATABASE_OWNER_URL"], autocommit=True) as link,
    ):
        for number in range(WARM_UP + DELIVERIES):
            slug, body = next(bodies)
            post = httpx.Request(
                "POST",
                client.base_url.join(f"/hooks/{slug}/"),
                content=unique(body, number),
                headers={"Authorization": f"Bearer {secrets[slug]}", "Content-Type": "application/json"},
            )
            timing = one(client, link, post, patience=60 if number < WARM_UP else 20)
            if number >= WARM_UP:
                timings.append(timing)
    say(timings)


SOURCES = {"prometheus": "alertmanager", "support-form": "claim"}


def deliveries(now: datetime) -> list[tuple[str, dict[str, object]]]:
    """Return the example deliveries that hold exactly one incident, as (source, body)."""
    from examples.shop.deliveries import render

    found = []
    for example in render(now):
        if example.source in SOURCES and example.content_type == "application/json":
            body = json.loads(example.body)
            if len(body.get("alerts", [body])) == 1:
                found.append((example.source, body))
    return found


def unique(body: dict[str, object], number: int) -> bytes:
    """Return the body under a key of its own, so that it opens an incident of its own."""
    alerts = body.get("alerts")
    if isinstance(alerts, list):
        return json.dumps({**body, "alerts": [{**alerts[0], "fingerprint": f"{number:016x}"}]}).encode()
    return json.dumps({**body, "reference": f"bench-{number}"}).encode()


def one(client: httpx.Client, link: Link, post: httpx.Request, *, patience: float) -> Timing:
    """Post one delivery and wait for its draft."""
    begin = time.perf_counter()
    answer = client.send(post)
    if answer.status_code != 202:
        raise SystemExit(f"the webhook answered {answer.status_code}: {answer.text[:300]}")
    number = answer.json()["delivery"]
    rows: list[tuple[object, ...]] = []

    def is_drafted() -> bool:
        rows[:] = link.execute(_STAGES, [number]).fetchall()
        return bool(rows)

    wait_until(is_drafted, seconds=patience, what=f"the draft of delivery {number}", every=0.004)
    whole = (time.perf_counter() - begin) * 1000
    received, folded, started, finished, calls = rows[0]
    return Timing(whole, _ms(received, folded), _ms(folded, started), _ms(started, finished), int(str(calls)))


def say(timings: list[Timing]) -> None:
    """Print the figures."""
    middle = median([timing.whole for timing in timings])
    figure("delivery to draft, median", middle, "ms", goal=f"< {GOAL_MS}", is_met=middle < GOAL_MS)
    figure("delivery to draft, 95th percentile", percentile([t.whole for t in timings], 0.95), "ms")
    figure("  received to folded, median", median([t.to_fold for t in timings]), "ms")
    figure("  folded to started, median", median([t.to_start for t in timings]), "ms")
    figure("  started to drafted, median", median([t.to_draft for t in timings]), "ms")
    figure("  tool calls in one run, median", median([float(t.calls) for t in timings]), "")


def _ms(begin: object, end: object) -> float:
    assert isinstance(begin, datetime)
    assert isinstance(end, datetime)
    return (end - begin).total_seconds() * 1000


if __name__ == "__main__":
    main()
