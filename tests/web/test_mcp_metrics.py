"""/metrics: who may read it, and that its figures are those of what happened."""

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts import tokens
from accounts.models import Token, User
from toolbox import counting
from triage import metrics

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_counts(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_rest", counting._Rest())
    counting.flush()  # what tests before this one left behind
    with redis.from_url(redis_url) as broker:
        for key in broker.scan_iter("assay:counts:*"):
            broker.delete(key)


def secret_of(*scopes: str, **more: Any) -> str:
    owner = User.objects.filter(username="root").first() or User.objects.create_user(
        "root", is_superuser=True
    )
    wanted = tokens.Wanted(
        name=f"scraper-{Token.objects.count()}", scopes=scopes, audience="http://localhost:8000",
        lasts=timedelta(days=1), **more,
    )  # fmt: skip
    return tokens.make(wanted, owner=owner, by="administrator", now=timezone.now())[1]


def read(secret: str) -> dict[str, list[Any]]:
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {family.name: list(family.samples) for family in families}


def value_of(samples: list[Any], name: str, **labels: str) -> float:
    return next(
        float(each.value) for each in samples if each.name == name and labels.items() <= each.labels.items()
    )


@pytest.mark.parametrize("authorization", ["", "Bearer nonsense", "Basic YTpi"])
def test_without_a_token_it_says_nothing(authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = Client().get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert 'scope="read"' in answer.headers["WWW-Authenticate"]
    assert b"assay_" not in answer.content


def test_a_token_without_read_or_for_one_investigation_is_refused() -> None:
    for secret in (secret_of("tools"), secret_of("read", investigation=7)):
        answer = Client().get("/metrics", headers={"Authorization": f"Bearer {secret}"})
        assert (answer.status_code, b"assay_tool" in answer.content) == (403, False)


def test_a_signed_in_person_is_not_a_token() -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("ada", is_superuser=True))
    assert browser.get("/metrics").status_code == 401


def test_calls_refusals_errors_and_times_stand_by_tool_and_caller() -> None:
    counting.note_call("find_job", "token:a", "observed", 0.004)
    counting.note_call("find_job", "token:a", "observed", 0.2)
    counting.note_call("find_job", "token:a", "refused", 0.001)
    counting.note_call("find_job", "playbook", "error", 99.0)
    counting.note_refusal(401, "token")
    told = read(secret_of("read"))
    calls = told["assay_tool_calls"]
    found = {
        (each.labels["caller"], each.labels["status"]): each.value
        for each in calls
        if each.labels["tool"] == "find_job"
    }
    assert found == {
        ("token:a", "observed"): 2, ("token:a", "refused"): 1, ("playbook", "error"): 1,
    }  # fmt: skip
    times = told["assay_tool_call_seconds"]
    of_a = {"tool": "find_job", "caller": "token:a"}
    assert value_of(times, "assay_tool_call_seconds_bucket", le="0.005", **of_a) == 2
    assert value_of(times, "assay_tool_call_seconds_bucket", le="0.25", **of_a) == 3
    assert value_of(times, "assay_tool_call_seconds_count", **of_a) == 3
    assert value_of(times, "assay_tool_call_seconds_sum", **of_a) == pytest.approx(0.205)
    assert (
        value_of(times, "assay_tool_call_seconds_bucket", tool="find_job", caller="playbook", le="10.0") == 0
    )
    refused = told["assay_mcp_refused_requests"]
    assert value_of(refused, "assay_mcp_refused_requests_total", status="401", reason="token") == 1


def test_the_age_of_the_oldest_work_is_told() -> None:
    from incidents.models import Delivery
    from tests.db.sources import make_source

    now = timezone.now()
    Delivery.objects.create(source=make_source(), body=b"{}", received_at=now - timedelta(minutes=5))
    ages = read(secret_of("read"))["assay_queue_oldest_seconds"]
    assert 290 < value_of(ages, "assay_queue_oldest_seconds", queue="deliveries") < 400
    assert value_of(ages, "assay_queue_oldest_seconds", queue="investigations") == 0


def test_names_that_try_to_break_the_format_stay_labels() -> None:
    counting.note_call('a"} 1\nevil{x="', "token:a", "observed", 0.1)
    told = read(secret_of("read"))
    assert [each.labels["tool"] for each in told["assay_tool_calls"]] == ['a"} 1\nevil{x="']
    assert "evil" not in told


def test_without_redis_calls_go_on_uncounted_and_metrics_say_which_source_failed(settings: Any) -> None:
    secret = secret_of("read")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    for _ in range(100):
        counting.note_call("find_job", "token:a", "observed", 0.1)
    told = read(secret)
    failed = told["assay_metrics_source_failed"]
    assert value_of(failed, "assay_metrics_source_failed", source="calls") == 1
    assert value_of(failed, "assay_metrics_source_failed", source="queues") == 0
    assert "assay_tool_calls" not in told


def test_a_source_of_somebody_elses_stands_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    from prometheus_client.core import GaugeMetricFamily

    monkeypatch.setattr(metrics, "_sources", list(metrics._sources))

    @metrics.register
    def disk() -> Any:
        yield GaugeMetricFamily("assay_disk_free", "Bytes", value=3)

    assert value_of(read(secret_of("read"))["assay_disk_free"], "assay_disk_free") == 3


def test_the_seal_and_the_proofs_are_told() -> None:
    from toolbox.proofrows import ConnectorProof, Standing

    now = timezone.now()
    for name, standing in (("shop", Standing.PROVEN), ("old", Standing.REFUSED)):
        ConnectorProof.objects.create(connector=name, standing=standing, proven_at=now, since=now)
    told = read(secret_of("read"))  # which makes entries that nobody seals here
    assert value_of(told["assay_seal_waiting_entries"], "assay_seal_waiting_entries") >= 1
    assert value_of(told["assay_seal_lag_seconds"], "assay_seal_lag_seconds") >= 0
    proven = told["assay_connector_proven"]
    assert value_of(proven, "assay_connector_proven", connector="shop") == 1
    assert value_of(proven, "assay_connector_proven", connector="old") == 0
