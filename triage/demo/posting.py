"""Posts the example deliveries to the running webhooks, and waits until each is judged."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx

from incidents.models import Delivery, Incident, Signal
from incidents.states import DeliveryState
from investigations.models import Investigation
from investigations.states import OPEN
from triage.demo.example import Posting
from triage.demo.seeding import secret_of


class DemoFailed(Exception):
    """The demo could not go on; the message says why and what to do."""


def wait_for_web(address: str, *, seconds: float) -> None:
    """Return when the web process says that it is well; raise DemoFailed after `seconds`."""
    deadline = time.monotonic() + seconds
    with httpx.Client(timeout=5, trust_env=False) as client:
        while True:
            try:
                if client.get(f"{address}/healthz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            if time.monotonic() > deadline:
                raise DemoFailed(f"{address} did not answer within {seconds:.0f} s: read .local/web.log.")
            time.sleep(0.05)


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


def incidents(postings: Sequence[Posting], expected: Sequence[Mapping[str, Any]]) -> list[Incident]:
    """Return the first incident of each key that the examples brought or that is expected, oldest first."""
    brought = {(one["source"], one["sender_key"]) for one in expected}
    for one in postings:
        signals = Signal.objects.filter(delivery__source__slug=one.source, delivery__body=one.body)
        brought |= {(one.source, key) for key in signals.values_list("sender_key", flat=True)}
    found: dict[tuple[str, str], Incident] = {}
    for incident in Incident.objects.select_related("source").order_by("pk"):
        key = (incident.source.slug, incident.sender_key)
        if key in brought:
            found.setdefault(key, incident)
    return list(found.values())


def wait_until_judged(
    expected: Sequence[Mapping[str, Any]], *, seconds: float, show: Callable[[int, int], None]
) -> None:
    """Return when every expected incident is judged and no work is open; raise DemoFailed after `seconds`."""
    began, pause = time.monotonic(), 0.2
    deadline = began + seconds
    while True:
        judged = sum(_is_judged(incident) for incident in incidents((), expected))
        show(judged, len(expected))
        if judged >= len(expected) and not _open_work():
            return
        if time.monotonic() > deadline:
            raise DemoFailed(
                f"{len(expected) - judged} of {len(expected)} were not judged within {seconds:.0f} s. "
                "`make manage do=doctor` beside this says what is wrong; the workers' logs are in .local."
            )
        time.sleep(pause)
        # Looking costs what the work needs: a model takes hours, the playbook seconds.
        pause = min(5.0, max(0.2, (time.monotonic() - began) / 60))


def _is_judged(incident: Incident) -> bool:
    runs = Investigation.objects.filter(incident_id=incident.pk)
    return runs.exists() and not runs.filter(state__in=OPEN).exists()


def _open_work() -> bool:
    waiting = Delivery.objects.filter(state=DeliveryState.RECEIVED).exists()
    return waiting or Investigation.objects.filter(state__in=OPEN).exists()
