"""What the shop measures of itself: heartbeats, queues, services, certificates, disks.

Beats and samples run on for two hours after `now`, as a living shop's would; tools read
only what lies before the moment they ask.
"""

import json
from datetime import datetime, timedelta
from random import Random

from examples.shop.book import Book

AHEAD = timedelta(hours=2)
BACK = timedelta(hours=4)

SERVICES = (
    ("checkout", "payments", "takes orders and starts payments"),
    ("payments", "payments", "talks to the card processor"),
    ("billing", "payments", "writes invoices and refunds"),
    ("catalog", "platform", "shows goods and their stock"),
    ("mailer", "platform", "sends e-mails to customers"),
    ("jobs", "platform", "runs background jobs"),
    ("shipping", "platform", "buys labels and follows parcels"),
)
# name, service, warn_depth, normal_depth
QUEUES = (
    ("mail", "mailer", 200, 25),
    ("exports", "jobs", 50, 5),
    ("payments", "payments", 100, 10),
    ("labels", "shipping", 80, 10),
)
ALERT_RULES = (
    ("Watchdog", "vector(1)", "none", "watchdog", "Always firing: proves that alerts reach somebody."),
    ("JobFailed", 'increase(shop_jobs_failed_total[5m]) > 0', "warning", "", "A background job failed."),
    ("QueueBacklog", "shop_queue_depth > shop_queue_warn_depth", "warning", "", "A queue is long."),
    ("PodNotReady", "kube_pod_status_ready == 0", "warning", "", "A pod was not ready."),
    ("TargetDown", "up == 0", "critical", "", "A service does not answer."),
    ("ReplicaLagHigh", "pg_replica_lag_seconds > 300", "warning", "", "A replica is behind."),
    ("CertificateExpiresSoon", "cert_not_after - time() < 86400 * 7", "warning", "", "Runs out."),
    ("DiskAlmostFull", "disk_used / disk_size > 0.9", "warning", "", "A volume is almost full."),
    ("WarnLogRateHigh", "rate(log_warnings[5m]) > 2", "warning", "", "More warnings than usual."),
    ("HighLatency", "p95_ms > 900", "warning", "", "A service is slow."),
    ("ErrorRateHigh", "errors / requests > 0.02", "warning", "", "Many requests fail."),
    ("CheckFlapping", "changes(probe_success[1h]) > 5", "warning", "", "A check goes on and off."),
    ("InstanceDown", "up == 0", "critical", "", "An instance does not answer."),
)  # fmt: skip


def fill(book: Book, chance: Random) -> None:
    """Add services, queues, alert rules and what was measured of them around now."""
    for name, team, does in SERVICES:
        book.add("services", name=name, team=team, does=does)
    for name, service, warn_depth, normal_depth in QUEUES:
        book.add("queues", name=name, service=service, warn_depth=warn_depth, normal_depth=normal_depth)
    for name, expression, severity, heartbeat, summary in ALERT_RULES:
        book.add(
            "alert_rules",
            name=name,
            expression=expression,
            severity=severity,
            heartbeat=heartbeat,
            summary=summary,
        )
    _beats(book)
    _queues(book, chance)
    _services(book, chance)
    _deploys(book, chance)
    _certificates(book)
    _disks(book, chance)


def minute_of(moment: datetime) -> datetime:
    """Return the moment cut to its minute."""
    return moment.replace(second=0, microsecond=0)


def minutes(book: Book, *, back: timedelta = BACK, ahead: timedelta = AHEAD) -> list[datetime]:
    """Return each full minute around now, from four hours back to two ahead."""
    first = minute_of(book.now - back)
    return [first + timedelta(minutes=step) for step in range(int((back + ahead).total_seconds() // 60) + 1)]


def _beats(book: Book) -> None:
    """The watchdog beats each minute; the stock import has been silent for two hours."""
    book.add("heartbeats", name="watchdog", every_seconds=60, watches="the way from Prometheus to people")
    book.add("heartbeats", name="stock-import", every_seconds=600, watches="the import of stock counts")
    day = timedelta(hours=25)
    for at in minutes(book, back=day):
        book.add("heartbeat_beats", heartbeat="watchdog", at=at + timedelta(seconds=7))
    for at in minutes(book, back=day, ahead=-timedelta(hours=2))[::10]:
        book.add("heartbeat_beats", heartbeat="stock-import", at=at)


def _queues(book: Book, chance: Random) -> None:
    """Mail had a hill and was worked off; exports emptied at one stroke, when its jobs were purged."""
    for at in minutes(book):
        age = (book.now - at).total_seconds() / 60
        for name, _, _, normal_depth in QUEUES:
            depth, oldest, consumers = chance.randint(0, max(1, normal_depth // 3)), chance.randint(1, 20), 4
            if name == "mail" and 12 < age < 60:
                depth = int(620 * (1 - abs(age - 38) / 28)) if abs(age - 38) < 28 else depth
                oldest = max(20, depth)
            if name == "exports" and 24 < age < 90:
                depth, oldest, consumers = 64 + int((90 - age) * 1.5), int((90 - age) * 60), 1
            if name == "labels" and age < 70:
                depth, oldest, consumers = 95 + int(70 - age) * 2, int(70 - age) * 55 + 60, 0
            book.add(
                "queue_samples", queue=name, at=at, depth=depth, oldest_seconds=oldest, consumers=consumers
            )


def _services(book: Book, chance: Random) -> None:
    """Every service answers, but catalog: its pods are ready and nobody reaches them."""
    for at in minutes(book):
        age = (book.now - at).total_seconds() / 60
        for name, _, _ in SERVICES:
            requests = chance.randint(180, 420)
            errors, probes_ok, p95_ms = chance.choice((0, 0, 0, 1)), 4, chance.randint(90, 240)
            if name == "checkout" and 26 < age < 34:
                errors, probes_ok, p95_ms = chance.randint(8, 20), 3, 1400
            if name == "catalog" and age < 18:
                requests, errors, probes_ok, p95_ms = 0, 0, 0, 0
            book.add(
                "service_samples",
                service=name,
                at=at,
                requests=requests,
                errors=errors,
                probes=4,
                probes_ok=probes_ok,
                p95_ms=p95_ms,
            )


def _deploys(book: Book, chance: Random) -> None:
    """Two deploys a day for ten days, all of them good; the stories add their own."""
    for number in range(20):
        started_at = book.now - timedelta(days=10) + timedelta(hours=11.5 * number)
        service = chance.choice(SERVICES)[0]
        finished_at = started_at + timedelta(minutes=chance.randint(3, 9))
        version = f"{started_at:%Y.%m.%d}-{number}"
        roll_out(book, f"dep-{2180 + number}", service, version=version, window=(started_at, finished_at))


def roll_out(
    book: Book, deploy: str, service: str, *, version: str, window: tuple[datetime, datetime]
) -> None:
    """Add one deploy that succeeded with all pods ready, and its counters."""
    started_at, finished_at = window
    book.add(
        "deploys",
        id=deploy,
        service=service,
        version=version,
        state="succeeded",
        started_at=started_at,
        finished_at=finished_at,
        pods_total=3,
        pods_ready=3,
        started_by="ci",
    )


def count(book: Book, deploy: str, *, at: datetime, counters: dict[str, int]) -> None:
    """Add what a deploy's build reports of itself."""
    book.add("deploy_counters", deploy_id=deploy, reported_at=at, counters=json.dumps(counters))


def _certificates(book: Book) -> None:
    for host, days, is_served in (
        ("shop.linden.example", 88, True),
        ("pay.linden.example", 89, True),
        ("api.linden.example", 89, False),
    ):
        not_before = book.now - timedelta(days=90 - days)
        book.add(
            "certificates",
            host=host,
            issued_serial=f"04:{days:02x}:7e",
            served_serial=f"04:{days:02x}:7e" if is_served else "03:11:9a",
            not_before=not_before,
            not_after=not_before + timedelta(days=90),
            endpoints=4,
            endpoints_serving=4 if is_served else 3,
            checked_at=book.now - timedelta(minutes=2),
        )


def _disks(book: Book, chance: Random) -> None:
    """db-1 was cleaned up half an hour ago; db-2 still fills."""
    size = 500 * 2**30
    for at in minutes(book)[::2]:
        age = (book.now - at).total_seconds() / 60
        for instance in ("db-1", "db-2"):
            share = 0.62 + chance.random() / 100
            if instance == "db-1" and age > 30:
                share = 0.93
            if instance == "db-2":
                share = min(0.97, 0.95 - age / 5000)
            book.add(
                "disk_samples",
                instance=instance,
                mount="/var/lib/postgresql",
                at=at,
                used_bytes=int(size * share),
                size_bytes=size,
                is_writable=True,
            )
