"""What the sweeper finds: rows whose task was lost, whose worker died, or whose time has come."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from investigations import leases, services
from investigations.models import Investigation
from investigations.states import State
from tests.db.investigated import subject

pytestmark = pytest.mark.django_db
LONG = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _limits(settings: Any) -> None:
    settings.LEASE_SECONDS = 60


def opened(now: datetime, incident: int = 1) -> int:
    return services.open_investigation(incident, subject(incident), now=now).pk


def test_a_fresh_investigation_is_left_to_its_own_task() -> None:
    now = timezone.now()
    opened(now)
    assert services.due(now + timedelta(seconds=5)) == []


def test_an_investigation_whose_task_got_lost_is_sent_once_in_a_while() -> None:
    now = timezone.now()
    row = opened(now)
    assert services.due(now + timedelta(seconds=61)) == [row]
    assert services.due(now + timedelta(seconds=62)) == []
    assert services.due(now + timedelta(seconds=130)) == [row]


def test_a_running_investigation_is_left_alone_until_its_lease_is_over() -> None:
    now = timezone.now()
    row = opened(now)
    leases.claim(row)
    assert services.due(now + timedelta(seconds=30)) == []
    assert services.due(now + timedelta(seconds=90)) == [row]
    assert services.due(now + timedelta(seconds=91)) == []


def test_an_investigation_given_back_is_sent_again_after_a_pause() -> None:
    now = timezone.now()
    lease = leases.claim(opened(now))
    assert lease is not None
    leases.give_back(lease, "the database was away")
    assert services.due(timezone.now() + timedelta(seconds=5)) == []
    assert services.due(timezone.now() + timedelta(seconds=65)) == [lease.investigation]


def test_a_waiting_investigation_is_woken_when_its_time_has_come() -> None:
    now = timezone.now()
    lease = leases.claim(opened(now))
    assert lease is not None
    leases.put_off(lease, now + LONG, "waits for arrived")
    assert services.due(now + timedelta(minutes=59)) == []
    assert services.due(now + LONG) == [lease.investigation]
    row = Investigation.objects.get(pk=lease.investigation)
    assert (row.state, row.due_at, row.tries) == (State.QUEUED, None, 0)
    assert services.due(now + LONG + timedelta(seconds=1)) == []


@pytest.mark.parametrize("state", [State.JUDGED, State.FAILED, State.EXHAUSTED, State.STOPPED])
def test_what_has_ended_is_never_due(state: State) -> None:
    row = opened(timezone.now())
    Investigation.objects.filter(pk=row).update(state=state)
    assert services.due(timezone.now() + timedelta(days=7)) == []
