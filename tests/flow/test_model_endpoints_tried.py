"""The doctor has the worker that holds the key try each endpoint, and never holds the key itself."""

import os
from collections.abc import Callable
from typing import Any

from investigations.models import Exchange
from tests import scripted
from tests.conftest import wait_until
from tests.scripted import calls, endpoint_settings, says
from triage.doctor import model_endpoints
from triage.doctor.line import Health
from triage.doctor.work import listening

KEY = "sk-a-key-that-only-the-worker-holds"


def test_the_worker_with_the_key_tries_each_endpoint_for_the_doctor(
    committed_db: None, settings: Any, start_worker: Callable[..., Any]
) -> None:
    asked = calls(("find_job", '{"job_id": "j-17"}'))
    script = [says("ready"), asked, says('{"draft": "green"}'), says('{"color": "green"}')]
    with scripted.endpoint(script) as server:
        settings.MODEL_ENDPOINTS = endpoint_settings(default={"base_url": server.url, "model": "m"})
        untried = list(model_endpoints.tried())
        assert [line.health for line in untried] == [Health.WELL, Health.WARNING]
        assert "nobody listens" in untried[-1].seen
        start_worker("investigate", **server.variables, LLM_API_KEY=KEY)
        wait_until(lambda: bool(listening().get("investigate")), seconds=60)
        found = list(model_endpoints.tried())
    assert [(line.name, line.health) for line in found[1:]] == [("model default", Health.WELL)] * 5
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert "LLM_API_KEY" not in os.environ
    assert KEY not in str(found) + "".join(Exchange.objects.values_list("reason", flat=True))


def test_a_model_that_is_asked_for_and_not_set_fails_with_its_cure(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings()
    settings.INVESTIGATOR = "model"
    (line,) = model_endpoints.tried()
    assert (line.health, "LLM_BASE_URL" in line.cure) == (Health.FAILING, True)
    settings.INVESTIGATOR = "auto"
    (line,) = model_endpoints.tried()
    assert line.health is Health.WELL
