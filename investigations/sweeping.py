"""Which investigations need their task sent (again): the broker may forget, the rows don't."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from investigations.leases import Lease, note
from investigations.models import Investigation
from investigations.states import State

_AT_ONCE = 200  # a sweep sends this many; the next one takes the rest


def wake(now: datetime) -> int:
    """Queue the waiting investigations whose time has come; return how many."""
    woken = 0
    for row in Investigation.objects.filter(state=State.WAITING, due_at__lte=now).order_by("due_at")[
        :_AT_ONCE
    ]:
        with transaction.atomic():
            moved = Investigation.objects.filter(pk=row.pk, state=State.WAITING, attempt=row.attempt).update(
                state=State.QUEUED, queued_at=now, sent_at=None, due_at=None, reason=""
            )
            if moved:
                note(Lease(row.pk, row.incident_id, row.attempt, "schedule"), "investigation.resumed")
                woken += 1
    return woken


def unsent(now: datetime) -> list[int]:
    """Return the ids whose task has to be sent, oldest first, noting the sending on each row.

    A fresh row gets LEASE_SECONDS for the task sent when it was queued; a woken one goes at once.
    """
    patience = now - timedelta(seconds=settings.LEASE_SECONDS)
    lost = Q(state=State.QUEUED) & (
        Q(sent_at__lte=patience) | Q(sent_at=None, attempt__gt=0) | Q(sent_at=None, queued_at__lte=patience)
    )
    abandoned = Q(state=State.RUNNING, lease_until__lt=now) & (
        Q(sent_at=None) | Q(sent_at__lt=F("lease_until")) | Q(sent_at__lte=patience)
    )
    sent: list[int] = []
    for pk in (
        Investigation.objects.filter(lost | abandoned).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
    ):
        if Investigation.objects.filter(lost | abandoned, pk=pk).update(sent_at=now):
            sent.append(pk)
    return sent
