"""The page of what runs by itself."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from accounts.roles import Role
from incidents import folding, intake
from incidents.adapters.schedule import Alarm
from incidents.models import Delivery, Incident
from tests.web import trialled
from tests.web.pages import MakeUser, signed_in, text_of
from trials.models import ScheduledTrial, TrialAlarm

pytestmark = pytest.mark.django_db
SET = {
    "hour": 3, "day": None, "set": "closed:most=20", "endpoint": "default", "runs": 1,
    "cap": Decimal("1.50"), "wrong": Decimal("0.2"), "false_passes": Decimal("0.05"),
}  # fmt: skip


def test_it_says_what_switches_a_schedule_on(make_user: MakeUser) -> None:
    text = text_of(signed_in(make_user(role=Role.AUDITOR)).get("/trials/scheduled/"))
    assert "TRIAL_NIGHTLY_HOUR" in text
    assert "Nothing has run by itself yet" in text


def test_it_shows_what_is_set_how_it_went_and_the_incident_of_an_alarm(
    make_user: MakeUser, settings: Any
) -> None:
    settings.NIGHTLY_TRIAL = SET
    now, row = datetime(2026, 8, 2, 3, tzinfo=UTC), trialled.evaluated()
    trial = ScheduledTrial.objects.create(
        schedule="nightly", day=date(2026, 8, 2), state="done", note="12 runs of 6 cases: <b>9</b> agree.",
        evaluation=row, created_at=now, moved_at=now, ended_at=now,
    )  # fmt: skip
    key = "trials:nightly:false_passes:default"
    TrialAlarm.objects.create(key=key, trial=trial, hits=4, of=9, limit=0.05, raised_at=now)
    intake.report_alarm(Alarm(key, "nightly", "default", "More false passes", "Look."), timezone.now())
    folding.fold(Delivery.objects.get().pk, timezone.now())
    alarmed = Incident.objects.get(sender_key=key)
    page = signed_in(make_user(role=Role.MANAGER)).get("/trials/scheduled/").content.decode()
    assert "closed:most=20" in page
    assert "12 runs of 6 cases: &lt;b&gt;9&lt;/b&gt; agree." in page
    assert f'href="/trials/evaluations/{row.pk}/"' in page
    assert f'href="/incidents/{alarmed.pk}/"' in page
