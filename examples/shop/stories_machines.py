"""The jobs, deploys and queues that alerts will fire about, each with what really happened to it."""

from datetime import timedelta
from random import Random

from examples.shop.book import Book
from examples.shop.names import TENANTS
from examples.shop.samples import count, roll_out

JOB_KINDS = {
    "mail": "send_mail",
    "exports": "export_orders",
    "payments": "capture_payment",
    "labels": "buy_label",
}
TIMEOUT = "UpstreamTimeout"
TIMEOUT_TEXT = "UpstreamTimeout: card processor did not answer within 10 s"


def fill(book: Book, chance: Random) -> None:
    """Add background jobs, the jobs of the stories and their deploys."""
    _crowd(book, chance)
    _purge(book)
    _failed_jobs(book)
    _dead_job(book)
    _deploys(book)
    _maintenance(book)


def _crowd(book: Book, chance: Random) -> None:
    """Jobs of the last four hours that ended well, most of them at the first try."""
    for number in range(1400):
        queue = chance.choice(("mail", "mail", "mail", "payments", "labels"))
        age = timedelta(hours=4) * (1 - number / 1400)
        enqueued_at = book.now - age
        took = timedelta(seconds=chance.randint(1, 25))
        if queue == "labels" and age < timedelta(minutes=70):
            queue = "mail"
        book.add(
            "jobs",
            id=f"job-{45000 + number}",
            tenant=chance.choice(TENANTS),
            queue=queue,
            kind=JOB_KINDS[queue],
            order_id=f"ORD-{chance.randint(8100, 8700)}",
            state="completed" if enqueued_at + took < book.now else "running",
            attempts=1,
            enqueued_at=enqueued_at,
            started_at=enqueued_at + timedelta(milliseconds=chance.randint(40, 900)),
            finished_at=enqueued_at + took if enqueued_at + took < book.now else None,
        )


def _purge(book: Book) -> None:
    """Forty exports were thrown away by hand: the queue is empty and nothing was done."""
    for number in range(40):
        enqueued_at = book.now - timedelta(minutes=90 - number)
        book.add(
            "jobs",
            id=f"job-{47000 + number}",
            tenant=TENANTS[number % 3],
            queue="exports",
            kind=JOB_KINDS["exports"],
            state="purged" if number > 1 else "completed",
            attempts=0 if number > 1 else 1,
            enqueued_at=enqueued_at,
            finished_at=book.now - timedelta(minutes=24),
        )
    for number in range(30):
        book.add(
            "jobs",
            id=f"job-{47100 + number}",
            tenant=TENANTS[number % 3],
            queue="labels",
            kind=JOB_KINDS["labels"],
            state="queued",
            attempts=0,
            enqueued_at=book.now - timedelta(minutes=70 - number * 2),
        )


def _failed_jobs(book: Book) -> None:
    """Captures that ran into timeouts: ages in minutes are (enqueued, finished)."""
    for job, tenant, ages, attempts in (
        ("job-48213", "linden-de", (22, 14), 3),
        # Its success is older than the alert that names it.
        ("job-48107", "linden-de", (64, 52), 2),
        # The shop calls this tenant linden-eu; the log writer still calls it linden-at.
        ("job-48290", "linden-eu", (19, 11), 2),
        ("job-48301", "linden-nl", (27, 16), 4),
    ):
        enqueued, finished = ages
        book.add(
            "jobs",
            id=job,
            tenant=tenant,
            queue="payments",
            kind=JOB_KINDS["payments"],
            order_id=f"ORD-{8600 + enqueued}",
            state="completed",
            attempts=attempts,
            last_error_class=TIMEOUT,
            last_error=TIMEOUT_TEXT,
            enqueued_at=book.now - timedelta(minutes=enqueued),
            started_at=book.now - timedelta(minutes=finished, seconds=8),
            finished_at=book.now - timedelta(minutes=finished),
        )


def _dead_job(book: Book) -> None:
    """The stock import that gave up: no alert names it, and people can have it run again."""
    book.add(
        "jobs",
        id="job-48999",
        tenant="linden-de",
        queue="imports",
        kind="import_stock",
        state="dead",
        attempts=5,
        last_error_class="SupplierClosed",
        last_error="SupplierClosed: the supplier's file server is down for the night",
        enqueued_at=book.now - timedelta(minutes=125),
        started_at=book.now - timedelta(minutes=101),
        finished_at=book.now - timedelta(minutes=100),
    )


def _deploys(book: Book) -> None:
    """A good rollout; one whose build renamed a counter; one whose pods are ready and unreachable."""
    now = book.now
    for deploy, service, ages in (
        ("dep-2211", "checkout", (34, 26)),
        ("dep-2214", "billing", (41, 36)),
        ("dep-2216", "catalog", (24, 17.5)),
    ):
        started, finished = ages
        window = (now - timedelta(minutes=started), now - timedelta(minutes=finished))
        roll_out(book, deploy, service, version=f"{now:%Y.%m.%d}-{deploy[-2:]}", window=window)
    reported_at = now - timedelta(minutes=1)
    count(book, "dep-2211", at=reported_at, counters={"requests_total": 7412, "error_count": 3})
    # This build calls it errors_total; whoever reads error_count as 0 when it is absent, is wrong.
    count(book, "dep-2214", at=reported_at, counters={"requests_total": 9120, "errors_total": 412})
    count(book, "dep-2216", at=reported_at, counters={"requests_total": 0, "error_count": 0})


def _maintenance(book: Book) -> None:
    """Work that was announced: one window is running, one was cancelled."""
    now = book.now
    for window, service, state in (("mw-31", "shipping", "running"), ("mw-32", "catalog", "cancelled")):
        book.add(
            "maintenance_windows",
            id=window,
            service=service,
            work="the label printer's certificate is replaced",
            announced_at=now - timedelta(days=3),
            starts_at=now - timedelta(minutes=50),
            ends_at=now + timedelta(minutes=70),
            state=state,
        )
