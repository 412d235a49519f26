"""What the monitoring recorded of alerts, and the tickets about them."""

from datetime import timedelta

from examples.shop.book import Book
from examples.shop.samples import minutes


def fill(book: Book) -> None:
    """Add an alert that is over and one that is back, two flapping checks, and tickets."""
    _samples(book)
    _tickets(book)


def _samples(book: Book) -> None:
    """Ages are in minutes; the alert of checkout fell into its rollout."""
    for at in minutes(book):
        age = (book.now - at).total_seconds() / 60
        is_flap = 18 < age < 90 and int(age) % 12 < 2
        for alertname, instance, is_firing in (
            ("ErrorRateHigh", "checkout-1", 25 < age < 34),
            ("ErrorRateHigh", "payments-1", 25 < age < 34 or age < 6),
            ("CheckFlapping", "shipping-edge", is_flap),
            ("CheckFlapping", "catalog-edge", is_flap),
        ):
            book.add("alert_samples", alertname=alertname, instance=instance, at=at, is_firing=is_firing)


def _tickets(book: Book) -> None:
    """Somebody has taken the ticket about db-5; nobody has taken the one about db-6."""
    opened_at = book.now - timedelta(hours=3)
    taken = {"taken_by": "Marit Bakker", "taken_at": opened_at + timedelta(minutes=6)}
    for ticket, instance, rest in (("OPS-311", "db-5", taken), ("OPS-312", "db-6", {})):
        book.add(
            "alert_tickets",
            id=ticket,
            alertname="InstanceDown",
            instance=instance,
            state="open",
            opened_at=opened_at,
            **rest,
        )
    book.add(
        "alert_tickets",
        id="OPS-288",
        alertname="InstanceDown",
        instance="db-1",
        state="closed",
        opened_at=opened_at - timedelta(days=9),
        **taken,
    )
