"""What the shop's Prometheus reports through Alertmanager."""

from datetime import datetime, timedelta

from examples.shop.example import ALERTS, JSON, Example
from examples.shop.webhooks import Alert, group


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


def _host(now: datetime, name: str, hours: float) -> Alert:
    host = f"{name}.linden.example"
    labels = {"alertname": "CertificateExpiresSoon", "severity": "warning", "host": host}
    return Alert(labels, f"The certificate of {host} runs out soon", now - timedelta(hours=hours))


def _disk(now: datetime, instance: str, minutes: float) -> Alert:
    labels = {
        "alertname": "DiskAlmostFull",
        "severity": "warning",
        "instance": instance,
        "mountpoint": "/var/lib/postgresql",
    }
    return Alert(labels, f"A disk of {instance} is almost full", now - timedelta(minutes=minutes))


def _down(now: datetime, service: str, minutes: float) -> Alert:
    labels = {"alertname": "TargetDown", "severity": "critical", "service": service}
    return Alert(labels, f"{service} does not answer", now - timedelta(minutes=minutes))


def _warnings(now: datetime, service: str, minutes: float) -> Alert:
    labels = {"alertname": "WarnLogRateHigh", "severity": "warning", "service": service}
    return Alert(labels, f"{service} logs more warnings than usual", now - timedelta(minutes=minutes))


def _instance(now: datetime, alertname: str, instance: str, minutes: float) -> Alert:
    service = instance.partition("-")[0]
    labels = {"alertname": alertname, "severity": "warning", "instance": instance}
    if service != "db":
        labels["service"] = service
    summary = {
        "ErrorRateHigh": f"Many requests to {service} fail",
        "CheckFlapping": f"The check of {service} goes on and off",
        "InstanceDown": f"{instance} does not answer",
    }[alertname]
    return Alert(labels, summary, now - timedelta(minutes=minutes))


def _instances(now: datetime) -> list[tuple[str, list[Alert]]]:
    """Return the groups about one instance each: recovered, flapping, known to somebody."""
    return [
        (
            "many errors: one service is well again, another has them again",
            [_instance(now, "ErrorRateHigh", f"{name}-1", 34) for name in ("checkout", "payments")],
        ),
        (
            "two checks flap: one beside a service that answers, one beside one that does not",
            [_instance(now, "CheckFlapping", f"{name}-edge", 30) for name in ("shipping", "catalog")],
        ),
        (
            "two instances are down: somebody works on one",
            [_instance(now, "InstanceDown", name, 15) for name in ("db-5", "db-6")],
        ),
    ]


def alerts(now: datetime) -> list[Example]:
    """Return the first report of every alert, in the order in which they come in."""
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
        ("a certificate was renewed, another not everywhere", [_host(now, "pay", 73), _host(now, "api", 74)]),
        ("a disk has room again, another has not", [_disk(now, "db-1", 70), _disk(now, "db-2", 65)]),
        (
            "two services do not answer: one during announced work, one during work that was cancelled",
            [_down(now, "shipping", 40), _down(now, "catalog", 19)],
        ),
        (
            "many warnings: retries that succeed, and others that do not",
            [_warnings(now, "shipping", 32), _warnings(now, "payments", 32)],
        ),
        *_instances(now),
        ("a heartbeat of the shop's own fell silent: no rule knows it", [fallen]),
    )
    rendered = [Example(name, ALERTS, group(alerts), JSON) for name, alerts in groups]
    cut = [_replica(now, "db-3", ended=2), _replica(now, "db-4")]
    name = "replicas lag: seven alerts of the group were cut off by the sender"
    return [*rendered, Example(name, ALERTS, group(cut, truncated=7), JSON)]


def recovery(now: datetime) -> Example:
    """A later report of a group that was reported before: one of its alerts is over, one goes on."""
    alerts = [_queue(now, "mail", 45, ended=9), _queue(now, "labels", 60)]
    return Example("one queue has recovered, one is still long", ALERTS, group(alerts), JSON)
