"""The rows of the example world while they are being gathered: one list for each table."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

# Parents before children, so that the rows can be copied in this order.
COLUMNS: dict[str, tuple[str, ...]] = {
    "customers": (
        "id", "tenant", "name", "email", "street", "postcode", "city", "country", "created_at",
        "locked_at", "unlocked_at", "failed_logins", "last_login_at",
    ),
    "orders": (
        "id", "tenant", "customer_id", "state", "total_cents", "currency", "placed_at", "shipped_at",
        "ship_to_name", "ship_to_street", "ship_to_postcode", "ship_to_city",
    ),
    "order_items": ("order_id", "position", "sku", "title", "quantity", "unit_cents"),
    "payments": (
        "id", "order_id", "kind", "state", "amount_cents", "currency", "card_last4", "created_at",
        "settled_at",
    ),
    "invoices": ("id", "order_id", "total_cents", "currency", "issued_at"),
    "refunds": (
        "id", "order_id", "payment_id", "state", "requested_cents", "paid_cents", "currency", "method",
        "requested_at", "paid_at",
    ),
    "shipments": (
        "id", "order_id", "parcel", "parcels", "carrier", "tracking_number", "state", "shipped_at",
    ),
    "shipment_events": ("shipment_id", "at", "kind", "postcode", "handed_to", "signed_by"),
    "emails": (
        "id", "order_id", "template", "to_address", "state", "queued_at", "delivered_at", "bounced_at",
        "bounce_reason",
    ),
    "jobs": (
        "id", "tenant", "queue", "kind", "order_id", "state", "attempts", "last_error_class", "last_error",
        "enqueued_at", "started_at", "finished_at", "rerun_of",
    ),
    "queues": ("name", "service", "warn_depth", "normal_depth"),
    "queue_samples": ("queue", "at", "depth", "oldest_seconds", "consumers"),
    "services": ("name", "team", "does"),
    "service_samples": ("service", "at", "requests", "errors", "probes", "probes_ok", "p95_ms"),
    "deploys": (
        "id", "service", "version", "state", "started_at", "finished_at", "pods_total", "pods_ready",
        "started_by",
    ),
    "deploy_counters": ("deploy_id", "reported_at", "counters"),
    "alert_rules": ("name", "expression", "severity", "heartbeat", "summary"),
    "heartbeats": ("name", "every_seconds", "watches"),
    "heartbeat_beats": ("heartbeat", "at"),
    "certificates": (
        "host", "served_serial", "issued_serial", "not_before", "not_after", "endpoints", "endpoints_serving",
        "checked_at",
    ),
    "disk_samples": ("instance", "mount", "at", "used_bytes", "size_bytes", "is_writable"),
    "maintenance_windows": ("id", "service", "work", "announced_at", "starts_at", "ends_at", "state"),
    "alert_samples": ("alertname", "instance", "at", "is_firing"),
    "alert_tickets": ("id", "alertname", "instance", "state", "opened_at", "taken_by", "taken_at"),
}  # fmt: skip

# What stands in a column that a row leaves out; any other column is NULL then.
BLANKS: dict[tuple[str, str], Any] = {
    ("customers", "failed_logins"): 0,
    ("shipment_events", "handed_to"): "",
    ("shipment_events", "signed_by"): "",
    ("emails", "bounce_reason"): "",
    ("jobs", "last_error_class"): "",
    ("jobs", "last_error"): "",
    ("alert_rules", "heartbeat"): "",
    ("alert_tickets", "taken_by"): "",
}


class Book:
    """Rows by table, in the order of COLUMNS."""

    def __init__(self, now: datetime) -> None:
        """`now` is the moment that every time in the world is told from."""
        self.now = now
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in COLUMNS}

    def add(self, table: str, **values: Any) -> None:
        """Add one row. Raises ValueError for a column that the table has not."""
        strangers = sorted(set(values) - set(COLUMNS[table]))
        if strangers:
            raise ValueError(f"{table} has no column {', '.join(strangers)}")
        self._rows[table].append(
            tuple(values.get(column, BLANKS.get((table, column))) for column in COLUMNS[table])
        )

    def tables(self) -> Iterator[tuple[str, tuple[str, ...], list[tuple[Any, ...]]]]:
        """Yield (table, its columns, its rows), parents before children."""
        for table, columns in COLUMNS.items():
            yield table, columns, self._rows[table]

    def count(self) -> int:
        """Return how many rows there are in all."""
        return sum(len(rows) for rows in self._rows.values())
