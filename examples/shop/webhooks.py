"""Alertmanager webhook bodies (version 4), as the shop's Prometheus would send them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert of a group. `ends_at` is set when it is resolved."""

    labels: Mapping[str, str]
    summary: str
    starts_at: datetime
    ends_at: datetime | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits that follow from the labels alone, as the sender's do."""
        return hashlib.sha256(json.dumps(self.labels, sort_keys=True).encode()).hexdigest()[:16]

    def body(self) -> dict[str, Any]:
        """Return the alert as it stands in a webhook."""
        never = "0001-01-01T00:00:00Z"
        return {
            "status": "resolved" if self.ends_at else "firing",
            "labels": dict(self.labels),
            "annotations": {"summary": self.summary, **self.annotations},
            "startsAt": _stamp(self.starts_at),
            "endsAt": _stamp(self.ends_at) if self.ends_at else never,
            "generatorURL": f"https://prometheus.linden.example/graph?g0.expr={self.labels['alertname']}",
            "fingerprint": self.fingerprint,
        }


def group(alerts: Sequence[Alert], *, truncated: int = 0) -> bytes:
    """Return one webhook. As at the sender, the envelope's status is computed after alerts were cut off."""
    name = alerts[0].labels["alertname"]
    is_firing = any(alert.ends_at is None for alert in alerts)
    whole = {
        "version": "4",
        "groupKey": f'{{}}:{{alertname="{name}"}}',
        "truncatedAlerts": truncated,
        "status": "firing" if is_firing else "resolved",
        "receiver": "assay",
        "groupLabels": {"alertname": name},
        "commonLabels": _common([alert.labels for alert in alerts]),
        "commonAnnotations": {},
        "externalURL": "https://alertmanager.linden.example",
        "alerts": [alert.body() for alert in alerts],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode()


def _common(labels: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {
        name: value for name, value in labels[0].items() if all(each.get(name) == value for each in labels)
    }


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
