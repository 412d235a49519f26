"""The page of model runs, and what /metrics says of them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.roles import Role
from investigations.models import Investigation
from tests.web.pages import MakeUser, a_person, text_of
from tests.web.test_mcp_metrics import read, secret_of, value_of

pytestmark = pytest.mark.django_db


def ended(outcome: str, count: int, *, days: int) -> None:
    at = timezone.now() - timedelta(days=days)
    first = Investigation.objects.count() + 1
    Investigation.objects.bulk_create(
        Investigation(
            incident_id=first + place, investigator="model", state="judged", subject="{}", created_at=at,
            finished_at=at, outcome=outcome, reason=f"{outcome} it was",
        )
        for place in range(count)
    )  # fmt: skip


def test_the_page_is_for_those_who_see_every_team(make_user: MakeUser) -> None:
    assert a_person(make_user).get("/agent/").status_code == 403
    page = a_person(make_user, "mona", Role.MANAGER).get("/agent/")
    assert "No model has run yet" in text_of(page)


def test_a_rising_share_of_unusable_runs_is_said_loudly(make_user: MakeUser) -> None:
    ended("first_pass", 60, days=20)
    ended("first_pass", 10, days=2)
    client = a_person(make_user, "mona", Role.MANAGER)
    assert 'id="rising"' not in text_of(client.get("/agent/"))
    ended("fallback", 8, days=1)
    ended("cut_off", 2, days=1)
    page = text_of(client.get("/agent/"))
    assert "10 of 20 in the last 7 days, 0 of 60 in the 28 days before" in page
    assert "fallback it was" in page
    assert "cut off 2" in page


def test_metrics_count_every_outcome_and_give_the_share_of_the_last_week(redis_url: str) -> None:
    ended("first_pass", 3, days=40)
    ended("fallback", 1, days=1)
    ended("repaired", 3, days=1)
    found = read(secret_of("read"))
    assert value_of(found["assay_model_runs"], "assay_model_runs_total", outcome="first_pass") == 3
    assert value_of(found["assay_model_runs"], "assay_model_runs_total", outcome="cut_off") == 0
    assert value_of(found["assay_model_unusable_share"], "assay_model_unusable_share", span="7d") == 0.25
