"""The shop's log files: one JSON object a line, one file for each service, four hours up to now."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from examples.shop.names import TENANTS
from examples.shop.stories_machines import TIMEOUT, TIMEOUT_TEXT

HOURS = 4
PER_MINUTE = 22
# service, level, message
CHATTER = (
    ("checkout", "info", "cart opened"),
    ("checkout", "info", "order placed"),
    ("checkout", "info", "address checked"),
    ("payments", "info", "authorization accepted"),
    ("payments", "info", "capture sent"),
    ("payments", "info", "capture settled"),
    ("payments", "warning", "card declined by issuer"),
    ("billing", "info", "invoice written"),
    ("catalog", "info", "stock read"),
    ("catalog", "info", "search answered"),
    ("mailer", "info", "mail handed to relay"),
    ("mailer", "warning", "relay busy, tried again"),
    ("jobs", "info", "job started"),
    ("jobs", "info", "job completed"),
    ("shipping", "info", "label bought"),
    ("shipping", "warning", "carrier slow, retry succeeded"),
)


def write(folder: Path, now: datetime, chance: Random) -> int:
    """Write the files anew and return the number of lines. Files that were there before are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jsonl"):
        old.unlink()
    lines = sorted((*_chatter(now, chance), *_timeouts(now)), key=lambda line: line["ts"])
    by_service: dict[str, list[str]] = {}
    for line in lines:
        by_service.setdefault(line["service"], []).append(json.dumps(line, ensure_ascii=False))
    for service, texts in by_service.items():
        (folder / f"{service}.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return len(lines)


def _line(at: datetime, level: str, service: str, tenant: str, message: str, **more: Any) -> dict[str, Any]:
    stamp = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"ts": stamp, "level": level, "service": service, "tenant": tenant, "message": message, **more}


def _chatter(now: datetime, chance: Random) -> Iterator[dict[str, Any]]:
    for step in range(HOURS * 60 * PER_MINUTE):
        at = now - timedelta(seconds=(step + chance.random()) * 60 / PER_MINUTE)
        service, level, message = chance.choice(CHATTER)
        yield _line(
            at,
            level,
            service,
            chance.choice(TENANTS),
            message,
            order_id=f"ORD-{chance.randint(8100, 8719)}",
            duration_ms=chance.randint(4, 380),
        )


def _timeouts(now: datetime) -> Iterator[dict[str, Any]]:
    """The timeouts of the stories' jobs, and what became of them."""
    for job, tenant, failed_ages, done_age in (
        ("job-48213", "linden-de", (21.5, 20.8), 14),
        ("job-48107", "linden-de", (63.0,), 52),
        ("job-48290", "linden-at", (18.5,), 11),
        # Still coming after its own job was through: the processor is not well.
        ("job-48301", "linden-nl", (26.5, 25.6, 21.0, 9.0, 5.5), 16),
        ("job-44120", "linden-at", (171.0, 170.0), 160),
    ):
        for attempt, age in enumerate(failed_ages, start=1):
            text = f"{TIMEOUT_TEXT} (attempt {attempt})"
            at = now - timedelta(minutes=age)
            yield _line(at, "error", "payments", tenant, text, job_id=job, error_class=TIMEOUT)
        at = now - timedelta(minutes=done_age)
        yield _line(at, "info", "payments", tenant, "capture sent after a retry", job_id=job)
