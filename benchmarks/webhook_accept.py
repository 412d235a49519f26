"""Webhooks accepted a second, as a ratio to a bare Django view with one INSERT.

Both are served by one uvicorn process on the same database, with a pool of the same size; one is asked
after the other in short rounds. Accepting means: authenticated, the raw body committed with its headers,
a worker woken through the broker.
"""

import json
from datetime import UTC, datetime

import psycopg

from benchmarks.figures import figure, median
from benchmarks.load import Post, rate
from benchmarks.stand import Stand, standing

CONNECTIONS = 8
ROUNDS = 7
SECONDS = 3.0
GOAL = 0.5


def main() -> None:
    """Print the ratio."""
    with standing() as stand:
        measure(stand)


def measure(stand: Stand) -> None:
    """Serve both, ask one after the other, print both rates and the ratio."""
    with psycopg.connect(stand.variables["DATABASE_OWNER_URL"]) as link:
        link.execute(
            "CREATE TABLE bench_received (id bigserial PRIMARY KEY, body bytea, received_at timestamptz)"
        )
    body = alerts()
    bare = Post(stand.serve("bare", "benchmarks.bare:application"), "/hook/", body)
    secret = stand.add_source("bench", "alertmanager")
    whole = Post(
        stand.serve("web", "triage.asgi:application"),
        "/hooks/bench/",
        body,
        (
            ("Authorization", f"Bearer {secret}"),
            ("Content-Type", "application/json"),
        ),
    )
    ratios, bare_rates, whole_rates = [], [], []
    for post in (bare, whole):
        rate(post, connections=CONNECTIONS, seconds=1)
    for _ in range(ROUNDS):
        bare_rates.append(rate(bare, connections=CONNECTIONS, seconds=SECONDS))
        whole_rates.append(rate(whole, connections=CONNECTIONS, seconds=SECONDS))
        ratios.append(whole_rates[-1] / bare_rates[-1])
    figure("bare Django view with one INSERT", median(bare_rates), "/s")
    figure("webhook accepted", median(whole_rates), "/s")
    ratio = median(ratios)
    figure("webhook : bare view", ratio, "", goal=f">= {GOAL}", is_met=ratio >= GOAL)


def alerts() -> bytes:
    """Return an Alertmanager body with one firing alert."""
    now = datetime.now(UTC).isoformat()
    labels = {"alertname": "JobFailed", "job_id": "job-1", "severity": "warning", "service": "billing"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": "A background job failed"},
        "startsAt": now,
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": "0123456789abcdef",
    }
    return json.dumps(
        {
            "version": "4",
            "groupKey": "{}:{}",
            "status": "firing",
            "receiver": "assay",
            "groupLabels": {},
            "commonLabels": labels,
            "commonAnnotations": {},
            "externalURL": "",
            "truncatedAlerts": 0,
            "alerts": [alert],
        }
    ).encode()


if __name__ == "__main__":
    main()
