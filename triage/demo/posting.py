"""Posts the example deliveries to the running webhooks, and waits until each is judged."""

import time
from collections.abc import Callable, Sequence

import httpx

from incidents.models import Delivery, Incident
from incidents.states import DeliveryState
from investigations.models import Investigation
from investigations.states import State
from triage.demo.example import Expectation, Posting
from triage.demo.seeding import secret_of

_OPEN = (State.WAITING, State.QUEUED, State.RUNNING)


class DemoFailed(Exception):
    """The demo could not go on; the message says why and what to do."""


def post_missing(postings: Sequence[Posting], *, address: str, key: str) -> int:
    """Post each example that has no delivery yet; return how many. Raises DemoFailed."""
    missing = [
        one
        for one in postings
        if not Delivery.objects.filter(source__slug=one.source, body=one.body).exists()
    ]
    with httpx.Client(timeout=20, trust_env=False) as client:
        for one in missing:
            _post(client, one, address=address, key=key)
    return len(missing)


def _post(client: httpx.Client, one: Posting, *, address: str, key: str) -> None:
    answer = client.post(
        f"{address}/hooks/{one.source}/",
        content=one.body,
        headers={
            "Content-Type": one.content_type,
            "Authorization": f"Bearer {secret_of(one.source, key)}",
        },
    )
    if answer.status_code == 401:
        raise DemoFailed(
            f"The source {one.source} refuses its secret: it is from another start. "
            "`make demo-reset` starts over."
        )
    if answer.status_code != 202:
        raise DemoFailed(f"{one.name}: the webhook answered {answer.status_code}: {answer.text[:300]}")


def find(expected: Expectation) -> Incident | None:
    """Return the newest incident that an expectation speaks of."""
    found = Incident.objects.order_by("-pk")
    if expected.sender_key:
        return found.filter(sender_key=expected.sender_key).first()
    return found.filter(title=expected.title).first()


def wait_until_judged(
    expected: Sequence[Expectation], *, seconds: float, show: Callable[[int, int], None]
) -> None:
    """Return when every expected incident is judged and no work is open; raise DemoFailed after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        judged = sum((incident := find(one)) is not None and _is_judged(incident) for one in expected)
        show(judged, len(expected))
        if judged == len(expected) and not _open_work():
            return
        if time.monotonic() > deadline:
            raise DemoFailed(
                f"{len(expected) - judged} of {len(expected)} were not judged within {seconds:.0f} s. "
                "`make manage do=doctor` beside this says what is wrong; the workers' logs are in .local."
            )
        time.sleep(0.2)


def _is_judged(incident: Incident) -> bool:
    runs = Investigation.objects.filter(incident_id=incident.pk)
    return runs.exists() and not runs.filter(state__in=_OPEN).exists()


def _open_work() -> bool:
    waiting = Delivery.objects.filter(state=DeliveryState.RECEIVED).exists()
    return waiting or Investigation.objects.filter(state__in=_OPEN).exists()
