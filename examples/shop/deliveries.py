"""What the shop reports about itself and what its customers claim: the example deliveries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from examples.shop.webhooks import Alert, group

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ALERTS, CLAIMS, BACKUP = "prometheus", "support-form", "nightly-backup"


@dataclass(frozen=True, slots=True)
class Example:
    """One delivery: what it shows, to which source it goes, and its bytes."""

    name: str
    source: str
    body: bytes
    content_type: str


def render(now: datetime) -> tuple[Example, ...]:
    """Return every delivery as told from `now`, in the order in which they come in."""
    return (*_alerts(now), *_claims(now), _recovery(now), _beat(now))


def _job(now: datetime, job: str, tenant: str, minutes: float, *, ended: float | None = None) -> Alert:
    labels = {
        "alertname": "JobFailed",
        "severity": "warning",
        "service": "payments",
        "tenant": tenant,
        "job_id": job,
        "error_class": "UpstreamTimeout",
    }
    text = "The card processor did not answer within 10 s."
    ends_at = now - timedelta(minutes=ended) if ended is not None else None
    starts_at = now - timedelta(minutes=minutes)
    return Alert(labels, f"Job {job} failed with UpstreamTimeout", starts_at, ends_at, {"description": text})


def _service(now: datetime, alertname: str, service: str, deploy: str, minutes: float) -> Alert:
    labels = {"alertname": alertname, "severity": "warning", "service": service}
    summary = {
        "PodNotReady": f"A pod of {service} is not ready",
        "TargetDown": f"{service} does not answer",
    }[alertname]
    return Alert(labels, summary, now - timedelta(minutes=minutes), annotations={"deploy_id": deploy})


def _queue(now: datetime, queue: str, minutes: float, *, ended: float | None = None) -> Alert:
    labels = {"alertname": "QueueBacklog", "severity": "warning", "queue": queue}
    ends_at = now - timedelta(minutes=ended) if ended is not None else None
    return Alert(labels, f"The queue {queue} is longer than usual", now - timedelta(minutes=minutes), ends_at)


def _replica(now: datetime, instance: str, *, ended: float | None = None) -> Alert:
    labels = {"alertname": "ReplicaLagHigh", "severity": "warning", "instance": instance}
    ends_at = now - timedelta(minutes=ended) if ended is not None else None
    return Alert(labels, f"{instance} lags behind its primary", now - timedelta(minutes=33), ends_at)


def _alerts(now: datetime) -> list[Example]:
    watchdog = Alert(
        {"alertname": "Watchdog", "severity": "none", "heartbeat": "watchdog"},
        "Watchdog",
        now - timedelta(days=181),
        annotations={"description": "Always firing. Proves that the way from Prometheus to people works."},
    )
    fallen = Alert(
        {"alertname": "StockImportSilent", "severity": "warning", "heartbeat": "stock-import"},
        "The stock import has not run for two hours",
        now - timedelta(minutes=95),
    )
    groups = (
        (
            "jobs failed: one retried, one whose success is older than the alert, one resolved",
            [
                _job(now, "job-48213", "linden-de", 20),
                _job(now, "job-48107", "linden-de", 20),
                _job(now, "job-44120", "linden-at", 165, ended=150),
            ],
        ),
        ("a job failed: its log is kept under another tenant", [_job(now, "job-48290", "linden-eu", 18)]),
        ("a job failed: the timeout comes back", [_job(now, "job-48301", "linden-nl", 24)]),
        ("the watchdog fires, as it should", [watchdog]),
        (
            "pods were not ready during two deploys; one build renamed a counter",
            [
                _service(now, "PodNotReady", "checkout", "dep-2211", 31),
                _service(now, "PodNotReady", "billing", "dep-2214", 38),
            ],
        ),
        ("ready pods, dead service", [_service(now, "TargetDown", "catalog", "dep-2216", 20)]),
        (
            "three queues are long",
            [_queue(now, "mail", 45), _queue(now, "exports", 80), _queue(now, "labels", 60)],
        ),
        ("a heartbeat of the shop's own fell silent: no rule knows it", [fallen]),
    )
    rendered = [Example(name, ALERTS, group(alerts), JSON) for name, alerts in groups]
    cut = [_replica(now, "db-3", ended=2), _replica(now, "db-4")]
    name = "replicas lag: seven alerts of the group were cut off by the sender"
    return [*rendered, Example(name, ALERTS, group(cut, truncated=7), JSON)]


def _recovery(now: datetime) -> Example:
    """A later report of a group that was reported before: one of its alerts is over, one goes on."""
    alerts = [_queue(now, "mail", 45, ended=9), _queue(now, "labels", 60)]
    return Example("one queue has recovered, one is still long", ALERTS, group(alerts), JSON)


def _claims(now: datetime) -> list[Example]:
    return [
        _claim(
            now, "a refund that was paid", "T-5101", "refund", "Where is my refund?",
            "I sent both cushions back and still have no money.",
            order="ORD-9701", customer="C-2001", email="marit.lindqvist@example.com",
        ),
        _claim(
            now, "a refund that was paid in part", "T-5102", "refund", "Refund is not complete",
            "You refunded the sheet but not the throw. Please check.",
            order="ORD-9702", customer="C-2002", email="t.nowak@example.com",
        ),
        _claim(
            now, "a refund that was paid for another order", "T-5103", "refund", "Refund for ORD-9703?",
            "The throw went back last week.",
            order="ORD-9703", customer="C-2003", email="greta.vogel@example.com",
        ),
        _claim(
            now, "a refund that the bank sent back", "T-5104", "refund", "Still waiting for my money",
            "You say it is paid. It is not here.",
            order="ORD-9712", customer="C-2012", email="frieda.koehler@example.com",
        ),
        _claim(
            now, "one charge that shows twice", "T-5105", "charge", "I was charged twice for my order",
            "My bank shows 49.90 EUR two times. I want one of them back.",
            order="ORD-1042", customer="C-2004", email="jonas.berger@example.com",
        ),
        _claim(
            now, "two charges", "T-5106", "charge", "Double charge",
            "89.90 was taken twice on the same day.",
            order="ORD-9706", customer="C-2005", email="sanne.devries@example.com",
        ),
        _claim(
            now, "more payments than one answer holds", "T-5107", "charge", "Bathrobes charged twice?",
            "Our accounting sees two bookings for the same order.",
            order="ORD-9707", customer="C-2006", email="einkauf@hotel-seeblick.example",
        ),
        _claim(
            now, "two parcels that were handed over", "T-5108", "delivery", "Only one parcel came",
            "I ordered a sheet and a throw, the throw is missing.",
            order="ORD-9708", customer="C-2007", email="clara.hofmann@example.com",
        ),
        _claim(
            now, "a parcel that went back", "T-5109", "delivery", "Parcel never arrived",
            "Tracking has not moved for days.",
            order="ORD-9709", customer="C-2008", email="yusuf.yilmaz@example.com",
        ),
        _claim(
            now, "a parcel at a neighbour's", "T-5110", "delivery", "Says delivered, is not here",
            "Nobody rang. The neighbour on the left has nothing.",
            order="ORD-9713", customer="C-2011", email="bram.visser@example.com",
        ),
        _claim(
            now, "mails that arrived", "T-5111", "email", "No confirmation received",
            "I never got a confirmation, did my order go through?",
            order="ORD-9710", customer="C-2009", email="emil.brandt@example.com",
        ),
        _claim(
            now, "a mail that bounced", "T-5112", "email", "No shipping mail",
            "You promised a tracking link by mail.",
            order="ORD-9711", customer="C-2010", email="ola.weiss@example.com",
        ),
        _claim(
            now, "somebody asks about another's order", "T-5113", "delivery", "Where is the parcel?",
            "Please tell me who signed for it.",
            order="ORD-9708", customer="C-2001", email="marit.lindqvist@example.com",
        ),
        _claim(
            now, "a wish that no rule is for", "T-5114", "other", "Can you engrave napkin rings?",
            "For a wedding in June, forty of them.", form=True,
            email="ines@example.com",
        ),
    ]  # fmt: skip


def _claim(
    now: datetime,
    name: str,
    reference: str,
    about: str,
    title: str,
    text: str,
    *,
    form: bool = False,
    **who: str,
) -> Example:
    fields: Mapping[str, Any] = {
        "reference": reference,
        "about": about,
        "title": title,
        "text": text,
        **who,
        "occurred_at": (now - timedelta(minutes=15)).astimezone(UTC).isoformat(timespec="seconds"),
    }
    if form:
        return Example(name, CLAIMS, urlencode(fields).encode(), FORM)
    return Example(name, CLAIMS, json.dumps(fields, ensure_ascii=False, indent=1).encode(), JSON)


def _beat(now: datetime) -> Example:
    """The backup beats once and then never again: the schedule opens the incident."""
    body = json.dumps({"host": "db-1", "at": now.astimezone(UTC).isoformat(timespec="seconds")}).encode()
    return Example("the nightly backup beats for the last time", BACKUP, body, JSON)
