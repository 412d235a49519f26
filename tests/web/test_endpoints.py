"""The page of the model endpoints: who may look, who may say whose a host is, and what it tells."""

import json
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.utils import timezone

from accounts.roles import Role
from investigations import probing, spending, tasks
from investigations.models import EndpointTerms, Exchange
from tests import scripted
from tests.scripted import calls, cut_off, drops_after, endpoint_settings, says, status
from tests.web.pages import HTMX, MakeUser, a_person, text_of
from toolbox import counting
from triage import metrics

pytestmark = pytest.mark.django_db
FAR = {"base_url": "https://models.example.org/v1", "model": "big-<b>1</b>"}
WORDS = {"host": "models.example.org", "hosted_by": "Example <i>Ltd</i>", "terms": "DPA of May, no training"}
MOVES = ("record", "take-back", "try")


@pytest.fixture(autouse=True)
def _endpoints(settings: Any, redis_url: str) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default={**FAR, "key": "never-on-a-page"})
    cache.delete("investigations.probe.default")


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.ON_CALL])
def test_whoever_sees_one_team_only_does_not_see_the_page(make_user: MakeUser, role: Role) -> None:
    browser = a_person(make_user, role=role)
    assert browser.get("/endpoints/").status_code == 403
    assert "/endpoints/" not in text_of(browser.get("/"))


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("role", [Role.MANAGER, Role.AUDITOR, Role.SUPPORT])
def test_only_an_administrator_moves_anything(make_user: MakeUser, role: Role, move: str) -> None:
    browser = a_person(make_user, role=role)
    assert browser.post(f"/endpoints/default/{move}/", WORDS).status_code == 403
    assert EndpointTerms.objects.count() == 0


@pytest.mark.parametrize("move", MOVES)
def test_a_stranger_is_sent_to_sign_in_and_a_move_takes_a_post(
    make_user: MakeUser, client: Any, move: str
) -> None:
    assert client.post(f"/endpoints/default/{move}/", WORDS).status_code == 302
    assert a_person(make_user, role=Role.ADMINISTRATOR).get(f"/endpoints/default/{move}/").status_code == 405


@pytest.mark.parametrize("name", ["critic", "nobody"])
@pytest.mark.parametrize("move", MOVES)
def test_an_endpoint_that_is_not_set_cannot_be_moved(make_user: MakeUser, name: str, move: str) -> None:
    browser = a_person(make_user, role=Role.ADMINISTRATOR)
    assert browser.post(f"/endpoints/{name}/{move}/", WORDS).status_code == 404


def test_a_manager_reads_what_is_set_and_is_offered_no_form(make_user: MakeUser) -> None:
    page = text_of(a_person(make_user, role=Role.MANAGER).get("/endpoints/"))
    assert "nothing is sent there" in page
    assert "big-&lt;b&gt;1&lt;/b&gt;" in page
    assert "never-on-a-page" not in page
    assert "Who hosts it" not in page
    assert "CRITIC_MODEL_ID" in page


def test_with_nothing_set_the_page_says_what_to_set(make_user: MakeUser, settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings()
    page = text_of(a_person(make_user, role=Role.ADMINISTRATOR).get("/endpoints/"))
    assert "LLM_BASE_URL is not set" in page
    assert "The playbook gathers: no model is asked" in page


def test_a_host_is_opened_and_closed_by_an_administrator(make_user: MakeUser) -> None:
    browser = a_person(make_user, role=Role.ADMINISTRATOR)
    opened = browser.post("/endpoints/default/record/", WORDS, follow=True)
    page = text_of(opened)
    assert "data terms recorded" in page
    assert "Example &lt;i&gt;Ltd&lt;/i&gt;" in page
    assert "nothing is sent there" in text_of(browser.post("/endpoints/default/take-back/", follow=True))
    assert browser.post("/endpoints/default/take-back/").status_code == 422


def test_a_word_for_a_host_that_is_no_longer_the_endpoints_is_refused(make_user: MakeUser) -> None:
    browser = a_person(make_user, role=Role.ADMINISTRATOR)
    answer = browser.post("/endpoints/default/record/", {**WORDS, "host": "other.example.org"})
    assert answer.status_code == 422
    assert "is at models.example.org now: nothing was recorded" in text_of(answer)


def test_a_word_that_says_too_little_is_refused_and_what_was_written_stays(make_user: MakeUser) -> None:
    browser = a_person(make_user, role=Role.ADMINISTRATOR)
    answer = browser.post("/endpoints/default/record/", {**WORDS, "terms": " \0 "}, headers=HTMX)
    assert answer.status_code == 422
    assert "Say both who hosts it" in text_of(answer)
    assert 'value="Example &lt;i&gt;Ltd&lt;/i&gt;"' in text_of(answer)


def test_the_page_tells_what_was_spent(make_user: MakeUser) -> None:
    for outcome in ("stop", "down"):
        Exchange.objects.create(
            purpose="ask", endpoint="default", model="m", step=1, outcome=outcome, tokens_in=1_000,
            tokens_out=20, micros=1_234_567, created_at=timezone.now(),
        )  # fmt: skip
    page = text_of(a_person(make_user, role=Role.AUDITOR).get("/endpoints/"))
    assert "2 exchanges, 1 without a reply; 2000 tokens in, 40 out; cost 2.47" in page


def test_money_is_shown_to_the_cent_or_as_small_as_it_is() -> None:
    assert [str(spending.money(micros)) for micros in (0, 1, 1_000_000, 12_345_678)] == [
        "0.00",
        "0.000001",
        "1.00",
        "12.35",
    ]


def test_the_last_try_is_shown_and_one_that_is_awaited_is_asked_for_again(
    make_user: MakeUser, settings: Any
) -> None:
    browser = a_person(make_user, role=Role.ADMINISTRATOR)
    script = [says("ready"), says("no tool"), says("{}"), says('{"color": "green"}')]
    with scripted.endpoint(script) as server:
        settings.MODEL_ENDPOINTS = endpoint_settings(default={"base_url": server.url, "model": "m"})
        awaited = text_of(browser.get("/endpoints/default/probed/?token=abc"))
        assert 'hx-trigger="every 2s"' in awaited
        tasks.probe("default", "abc")
        found = text_of(browser.get("/endpoints/default/probed/?token=abc"))
    assert "hx-trigger" not in found
    assert "it called no tool (stop)" in found
    assert "it answers in the shape that it is asked for" in found
    assert browser.get("/endpoints/default/probed/?token=" + "\0" * 90).status_code == 200


def levels(script: scripted.Script, settings: Any, **more: Any) -> dict[str, str]:
    with scripted.endpoint(script) as server:
        settings.MODEL_ENDPOINTS = endpoint_settings(default={"base_url": server.url, "model": "m", **more})
        return {each.what: each.level for each in probing.probe("default")}


def test_a_probe_tells_what_an_endpoint_cannot_do(settings: Any) -> None:
    assert levels(lambda _: status(401), settings) == {"terms": "well", "reachable": "failing"}
    said = says("I am a teapot.")
    assert levels(lambda _: said, settings) == {
        "terms": "well",
        "reachable": "well",
        "latency": "well",
        "tools": "warning",
        "schema": "warning",
    }
    refusing = lambda request: status(400) if request.number else said  # noqa: E731 a script is a value
    assert levels(refusing, settings)["tools"] == levels(refusing, settings)["schema"] == "failing"
    settings.MODEL_ENDPOINTS = endpoint_settings(default=FAR)
    assert [(each.what, each.level) for each in probing.probe("default")] == [("terms", "failing")]
    assert [each.what for each in probing.probe("critic")] == ["settings"]


def test_a_probe_of_what_works_is_well(settings: Any) -> None:
    shapes = [cut_off('{"draft": "Gra'), says('{"color": "green"}')]
    script = [says("ready"), calls(("find_job", '{"job_id": "j-17"}')), *shapes]
    assert set(levels(script, settings).values()) == {"well"}
    step = '{"next": "find_job", "arguments": {"job_id": "j-17"}}'
    by_schema = [says("ready"), says(step), *shapes]
    assert set(levels(by_schema, settings, quirks="llama-cpp-python").values()) == {"well"}
    assert set(Exchange.objects.values_list("purpose", flat=True)) == {"probe"}


def test_a_probe_finds_a_server_that_ends_at_shapes_as_long_as_a_runs(settings: Any) -> None:
    def ends_at_long_shapes(request: scripted.Request) -> scripted.Scripted:
        if "20000" in json.dumps(request.body.get("response_format")):
            return drops_after(0)
        if "find_job" in request.last:
            return says('{"next": "find_job", "arguments": {"job_id": "j-17"}}')
        return says('{"color": "green"}')

    more = {"tries": 1, "quirks": "plain-text"}
    told = levels(ends_at_long_shapes, settings, **more)
    assert set(told.values()) == {"well"}
    del more["quirks"]
    assert levels(ends_at_long_shapes, settings, **more)["schema"] == "failing"


def test_metrics_tell_exchanges_tokens_and_cost_by_endpoint(settings: Any, redis_url: str) -> None:
    counting.flush()
    with redis.from_url(redis_url) as broker:
        for key in broker.scan_iter("assay:counts:*"):
            broker.delete(key)
    levels(lambda request: status(400) if request.number else says("ready"), settings)
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in metrics.exchanges()
        for sample in family.samples
    }
    assert found == {
        ("assay_model_exchanges_total", "default", "probe", "stop"): 1,
        ("assay_model_exchanges_total", "default", "probe", "down"): 2,
        ("assay_model_tokens_total", "default", "in"): 100,
        ("assay_model_tokens_total", "default", "out"): 10,
        ("assay_model_cost_total", "default"): 0.00035,
    }


def test_where_no_model_is_set_nothing_is_reckoned(make_user: MakeUser, settings: Any) -> None:
    unset = {**settings.MODEL_ENDPOINTS["default"], "base_url": "", "model": ""}
    settings.MODEL_ENDPOINTS = {name: {**given, **unset} for name, given in settings.MODEL_ENDPOINTS.items()}
    page = text_of(a_person(make_user, "root", Role.ADMINISTRATOR).get("/endpoints/"))
    assert "no model is set" in page
    assert "in the currency of the prices" not in page
