"""What does the work: broker, workers, beat, and how long work has waited."""

import time
import uuid
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.core.cache import cache
from django.db.models import Min
from django.utils import timezone

from incidents.models import Delivery
from incidents.states import DeliveryState
from investigations.models import Investigation
from investigations.states import State
from triage.celery import app
from triage.doctor.line import Line, by_age, failing, spoken, warning, well
from triage.tasks import HEARTBEAT_KEY, answer, round_trip_key

QUEUES = ("investigate", "execute", "upkeep")
_PATIENCE = 5.0
_BEAT_LATE = 150.0
_WORKERS_CURE = "Start it: celery --app triage worker --queues {queue} (make demo starts all of them)."


def broker() -> Iterator[Line]:
    """Whether the broker answers."""
    began = time.monotonic()
    token = uuid.uuid4().hex
    cache.set("triage.doctor", token, timeout=60)
    if cache.get("triage.doctor") == token:
        yield well("broker", f"answers in {(time.monotonic() - began) * 1000:.0f} ms")
    else:
        yield failing("broker", "forgets what it is told", "Check the memory policy: noeviction is needed.")


def workers() -> Iterator[Line]:
    """Whether each queue has a worker that really runs a task sent to it."""
    found = listening()
    token = uuid.uuid4().hex
    for queue in QUEUES:
        if found.get(queue):
            answer.apply_async((token, queue), queue=queue, expires=30)
    deadline = time.monotonic() + _PATIENCE
    for queue in QUEUES:
        names = found.get(queue, [])
        if not names:
            yield failing(f"worker {queue}", "nobody listens", _WORKERS_CURE.format(queue=queue))
        elif _came_back(token, queue, deadline):
            yield well(f"worker {queue}", f"{', '.join(names)} ran a task")
        else:
            yield warning(
                f"worker {queue}",
                f"{', '.join(names)} answers a ping, yet ran nothing within {_PATIENCE:.0f} s",
                "It is busy, or stuck: look at its log, and at the age of the queue below.",
            )


def listening() -> dict[str, list[str]]:
    """Return the names of the workers that answer, by queue."""
    found: dict[str, list[str]] = {}
    for name, queues in (app.control.inspect(timeout=2).active_queues() or {}).items():
        for queue in queues:
            found.setdefault(queue["name"], []).append(name)
    return found


def _came_back(token: str, queue: str, deadline: float) -> bool:
    while cache.get(round_trip_key(token, queue)) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def beat() -> Iterator[Line]:
    """Whether the scheduler and the upkeep worker make their round."""
    noted = cache.get(HEARTBEAT_KEY)
    cure = "Start beat: celery --app triage beat (exactly one), and a worker for the queue upkeep."
    if noted is None:
        yield failing("beat", "has left no sign yet (it leaves one each 30 s)", cure)
        return
    age = (timezone.now() - datetime.fromisoformat(noted)).total_seconds()
    seen = f"its last round was {spoken(age)} ago"
    yield failing("beat", seen, cure) if age > _BEAT_LATE else well("beat", seen)


def waiting_work() -> Iterator[Line]:
    """How long the oldest delivery and the oldest investigation have waited; what was parked."""
    now = timezone.now()
    cure = "Start the workers and beat; the sweeper sends it again within seconds."
    received = Delivery.objects.filter(state=DeliveryState.RECEIVED).aggregate(at=Min("received_at"))["at"]
    yield by_age("deliveries", _age(received, now), what="delivery to be folded", limits=(60, 600), cure=cure)
    queued = Investigation.objects.filter(state=State.QUEUED).aggregate(at=Min("queued_at"))["at"]
    yield by_age("queue", _age(queued, now), what="investigation", limits=(120, 1200), cure=cure)
    lapsed = Investigation.objects.filter(state=State.RUNNING, lease_until__lt=now)
    oldest = lapsed.aggregate(at=Min("lease_until"))["at"]
    limits = (2.0 * settings.LEASE_SECONDS, 20.0 * settings.LEASE_SECONDS)
    yield by_age(
        "leases", _age(oldest, now), what="investigation whose worker died", limits=limits, cure=cure
    )
    parked = Delivery.objects.filter(state=DeliveryState.PARKED, folded_at=None).count()
    if parked:
        yield warning(
            "parked", f"{parked} deliveries could not be folded", "Read them on the page /deliveries/."
        )


def _age(since: datetime | None, now: datetime) -> float | None:
    return None if since is None else max(0.0, (now - since).total_seconds())
