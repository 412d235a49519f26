"""What is down, or let in past its gate: found by the upkeep worker, read by every page's banner."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db.models import Min
from django.http import HttpRequest
from django.utils import timezone
from redis.exceptions import RedisError

from accounts.permissions import Permission
from audit.lag import lag
from incidents.models import Delivery
from incidents.states import DeliveryState
from investigations.models import EndpointUse, Investigation
from investigations.states import State, Taken
from toolbox.proofrows import ConnectorProof, Standing

HEARTBEAT_KEY = "triage.heartbeat"
OUTAGES_KEY = "triage.outages"
EXCEPTIONS_KEY = "triage.exceptions"
_ROUND_LATE = timedelta(seconds=150)
_FOLD_LATE = timedelta(seconds=60)
_RUN_LATE = timedelta(minutes=5)
_KEPT = 300
_ANSWERS = Permission.MANAGE_TOOLS  # who lets a model in, and who is told for as long as one is


def note(now: datetime) -> None:
    """Leave the time, and what is down now, where pages find both without asking the database."""
    cache.set(HEARTBEAT_KEY, now.isoformat(), timeout=None)
    cache.set(OUTAGES_KEY, list(found(now)), timeout=_KEPT)
    cache.set(EXCEPTIONS_KEY, list(exceptions(now)), timeout=_KEPT)


def found(now: datetime) -> Sequence[str]:
    """Return a sentence for each part that does not do its work. Asks the database."""
    said = []
    received = Delivery.objects.filter(state=DeliveryState.RECEIVED).aggregate(at=Min("received_at"))["at"]
    if received and now - received > _FOLD_LATE:
        said.append(f"Deliveries wait to be read for {_span(now - received)}: no worker takes them.")
    queued = Investigation.objects.filter(state=State.QUEUED).aggregate(at=Min("queued_at"))["at"]
    if queued and now - queued > _RUN_LATE:
        said.append(f"Investigations wait for {_span(now - queued)}: no worker takes them, or all are busy.")
    silent = ConnectorProof.objects.exclude(standing=Standing.PROVEN).values_list("connector", flat=True)
    if names := ", ".join(silent):
        said.append(f"Nothing is asked of {names}: the credential is not proven. See the page of tools.")
    if (behind := lag()).is_late:
        said.append(f"The audit log is sealed late: {behind}.")
    return said


def exceptions(now: datetime) -> Sequence[str]:
    """Return a sentence for each model that serves without a passed drill, by an administrator's word."""
    rows = EndpointUse.objects.filter(how=Taken.OVERRIDE, ended_at=None, until__gt=now).order_by(
        "until", "pk"
    )
    return [
        f"{row.model} serves {row.purpose} WITHOUT A DRILL until {row.until:%Y-%m-%d %H:%M} UTC, by the word "
        f"of {row.began_by}: {row.because}"
        for row in rows
    ]


def standing(now: datetime) -> Sequence[str]:
    """Return what was found last, and what the finding itself lacks. Asks the cache alone; never raises."""
    try:
        kept: Mapping[str, Any] = cache.get_many([HEARTBEAT_KEY, OUTAGES_KEY])
    except (OSError, RedisError):
        return ["The broker does not answer. What comes in is kept, and is investigated once it is back."]
    said = [str(one) for one in kept.get(OUTAGES_KEY, ())]
    noted = kept.get(HEARTBEAT_KEY)
    if noted is not None and now - datetime.fromisoformat(noted) > _ROUND_LATE:
        age = _span(now - datetime.fromisoformat(noted))
        said.insert(0, f"The scheduler or the upkeep worker is down: its last round was {age} ago.")
    return said


def banner(request: HttpRequest) -> dict[str, Any]:
    """Context of every page: what is down, and to administrators what was let in; looked up where shown."""

    def outages() -> Sequence[str]:
        if not request.user.is_authenticated:
            return ()
        return [*standing(timezone.now()), *(_excepted() if request.user.has_perm(_ANSWERS) else ())]

    return {"outages": outages}


def _excepted() -> Sequence[str]:
    try:
        return [str(one) for one in cache.get(EXCEPTIONS_KEY, ())]
    except (OSError, RedisError):
        return ()


def _span(length: timedelta) -> str:
    minutes = int(length.total_seconds() // 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{max(1, minutes)} min"
