"""The API for somebody's own agent: who may submit, what is refused in which words, what is judged once."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Team, Token, User
from accounts.roles import Role
from audit import reading
from investigations.models import Investigation
from tests.web.agent_api import Api, held, refused
from tests.web.mcp_world import (
    BASE,
    World,
    a_token,
    committed_module,
    expire,
    mcp,
    person,
)
from tests.web.test_mcp_agents import an_incident, submission

__all__ = ["committed_module", "mcp"]


@pytest.fixture(autouse=True)
def _at_home(mcp: World, settings: Any) -> Any:
    settings.BASE_URL = BASE
    usual = dict(mcp.connector.answers)
    yield
    mcp.connector.answers = usual


def _nested(depth: int) -> Any:
    return [] if depth == 0 else [_nested(depth - 1)]


@pytest.fixture(scope="module")
def open_one(mcp: World) -> tuple[Api, int]:
    """An investigation that no refused submission may end."""
    return held(mcp, "api-refusals")


@pytest.mark.parametrize(
    ("body", "status", "reason", "words"),
    [
        (" ", 400, "unreadable", "not JSON"),
        ("{", 400, "unreadable", "not JSON"),
        ("[]", 400, "unreadable", "not an object"),
        ('{"version": 1} {}', 400, "unreadable", "Extra data"),
        ('{"version": 1, "version": 1}', 400, "unreadable", "twice"),
        ('{"version": NaN}', 400, "unreadable", "NaN"),
        (b"\xff\xfe\x00", 400, "unreadable", "not"),
        ({**submission(), "verdict": "pass"}, 422, "contract", "'verdict' was unexpected"),
        ({**submission(), "confidence": 1}, 422, "contract", "'confidence' was unexpected"),
        ({**submission(), "version": 2}, 422, "contract", "1 was expected"),
        (submission("it_is_fine"), 422, "contract", "is not one of"),
        ({"version": 1}, 422, "contract", "required property"),
        (submission(draft="x" * 20_001), 422, "contract", "too long"),
        (submission(draft="\ud800"), 422, "contract", "lone surrogate"),
        ({**submission(), "proposed_actions": _nested(400)}, 422, "contract", "not of type"),
        ("[" * 100_000, 400, "unreadable", "nested too deeply"),
        (" " * 300_000, 413, "size", "MCP_MAX_BYTES"),
    ],
)
def test_a_body_that_is_no_submission_ends_nothing(
    open_one: tuple[Api, int], body: Any, status: int, reason: str, words: str
) -> None:
    api, number = open_one
    refused(api.submit(number, body), status, reason, words)
    assert Investigation.objects.get(pk=number).state == "running"


def test_everything_that_is_wrong_is_said_at_once(open_one: tuple[Api, int]) -> None:
    api, number = open_one
    wrong = {**submission("it_is_fine"), "verdict": "pass", "findings": "none"}
    told = refused(api.submit(number, wrong), 422, "contract", "")
    for words in ("'verdict' was unexpected", "is not one of", "is not of type 'array'"):
        assert any(words in each for each in told["complaints"]), told


def test_what_is_refused_by_the_contract_names_where_the_schema_is(open_one: tuple[Api, int]) -> None:
    api, number = open_one
    told = refused(api.submit(number, {}), 422, "contract", "required")
    schema = Api(api.headers["Authorization"].removeprefix("Bearer ")).get(
        told["schema"].removeprefix("/api/v1/")
    )
    assert "job_finished_on_retry" in schema.json()["properties"]["hypothesis"]["enum"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_is_no_submission(open_one: tuple[Api, int], kind: str) -> None:
    api, number = open_one
    refused(api.submit(number, "version=1", kind), 415, "not-json", "application/json")


@pytest.mark.parametrize("sent", ["", "Basic YWRhOmFkYQ==", "Bearer", "Bearer x"])
def test_without_a_token_of_ours_nothing_is_answered(open_one: tuple[Api, int], sent: str) -> None:
    _, number = open_one
    api = Api("")
    api.headers = {"Authorization": sent} if sent else {}
    answer = api.submit(number, submission())
    refused(answer, 401, "token" if sent == "Bearer x" else "no-token", "bring-your-own-agent.md")
    assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="assay"')


@pytest.mark.parametrize("how", ["expired", "revoked", "elsewhere", "owner off"])
def test_a_token_that_is_over_opens_nothing_and_leaves_an_entry(open_one: tuple[Api, int], how: str) -> None:
    _, number = open_one
    name = f"api-{how.replace(' ', '-')}"
    owner = person(f"owner-{name}", Role.ON_CALL)
    more = {"audience": "https://another.example"} if how == "elsewhere" else {}
    secret = a_token(name, owner=owner, investigation=number, **more)
    if how == "expired":
        expire(name)
    elif how == "revoked":
        Token.objects.filter(name=name).update(revoked_at=timezone.now())
    elif how == "owner off":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    refused(Api(secret).submit(number, submission()), 401, "token", "How to get a token")
    assert _refusals_of(name) == [401]


def _refusals_of(name: str) -> list[int]:

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM audit_entry WHERE kind = 'token.refused' AND actor = %s", [f"token:{name}"]
        )
        found = [reading.entry(number) for (number,) in cursor.fetchall()]
    return [each.payload["status"] for each in found if each and each.payload]


def test_a_session_is_no_token(open_one: tuple[Api, int]) -> None:
    _, number = open_one
    client = Client()
    client.force_login(person())
    answer = client.post(
        f"/api/v1/investigations/{number}/submission", submission(), content_type="application/json"
    )
    refused(answer, 401, "no-token", "No token")


def test_reading_is_no_right_to_submit(open_one: tuple[Api, int]) -> None:
    _, number = open_one
    api = Api(a_token("api-reader", "read", investigation=number))
    answer = api.submit(number, submission())
    refused(answer, 403, "scope", "the scope submit")
    assert 'error="insufficient_scope", scope="submit"' in answer.headers["WWW-Authenticate"]
    assert api.get(f"investigations/{number}").status_code == 200


def test_submitting_is_no_right_to_read(open_one: tuple[Api, int]) -> None:
    _, number = open_one
    api = Api(a_token("api-writer", "submit", investigation=number))
    refused(api.get(f"investigations/{number}"), 403, "scope", "the scope read")


def test_a_token_of_no_investigation_submits_to_none(open_one: tuple[Api, int]) -> None:
    _, number = open_one
    refused(Api(a_token("api-homeless")).submit(number, submission()), 403, "no-investigation", "addtoken")


def test_a_token_submits_to_its_own_investigation_and_knows_of_no_other(mcp: World) -> None:
    _, other = held(mcp, "api-foreign")
    api, _ = held(mcp, "api-own")
    refused(api.submit(other, submission()), 403, "not-its-own", "sees no other")
    refused(api.get(f"investigations/{other}"), 403, "not-its-own", "sees no other")
    refused(api.get(f"investigations/{other}/submission"), 403, "not-its-own", "sees no other")
    assert Investigation.objects.get(pk=other).state == "running"


def test_another_teams_investigation_is_not_there(mcp: World) -> None:
    team = Team.objects.create(name="Api team", slug="api-team")
    number = Investigation.objects.get(incident_id=an_incident("api-closed", team=team).pk).pk
    stranger = Api(a_token("api-stranger", owner=person("api-stranger", Role.ON_CALL)))
    refused(stranger.get(f"investigations/{number}"), 404, "not-found", "owner sees")
    refused(stranger.get(f"investigations/{number}/submission"), 404, "not-found", "owner sees")


@pytest.mark.parametrize("number", [0, 10**9, 2**63 + 5, 10**40])
def test_an_investigation_that_is_not_there_is_a_problem(mcp: World, number: int) -> None:
    secret = mcp.secrets.setdefault("api-anybody", a_token(f"api-anybody-{number % 97}"))
    refused(Api(secret).get(f"investigations/{number}"), 404, "not-found", "no investigation")


@pytest.mark.parametrize("rest", ["", "investigations", "investigations/x", "investigations/-1/submission"])
def test_an_address_that_is_not_there_is_a_problem_too(mcp: World, rest: str) -> None:
    if rest:
        refused(Api("").get(rest), 404, "no-address", "no such address")


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_methods_are_refused_with_those_that_are_taken(open_one: tuple[Api, int], method: str) -> None:
    api, number = open_one
    answer = getattr(Client(), method)(f"/api/v1/investigations/{number}/submission", headers=api.headers)
    refused(answer, 405, "method", "GET, HEAD, OPTIONS, POST")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"


def test_before_a_submission_there_is_none_to_read(open_one: tuple[Api, int]) -> None:
    api, number = open_one
    refused(api.get(f"investigations/{number}/submission"), 404, "not-submitted", "running")
    state = api.get(f"investigations/{number}").json()
    assert (state["draft"], state["verdict"], state["submission"]) == (None, None, None)


def test_after_its_term_an_agent_submits_nothing(mcp: World) -> None:
    api, number = held(mcp, "api-silent")
    Investigation.objects.filter(pk=number).update(lease_until=timezone.now() - timedelta(seconds=1))
    refused(api.submit(number, submission()), 409, "late", "the playbook takes it")
    assert [each.kind for each in reading.of_investigation(number)].count("submission.refused") == 1


def test_a_token_of_no_investigation_has_none_of_its_own(open_one: tuple[Api, int]) -> None:
    api = Api(a_token("api-nobodys"))
    refused(api.get("investigations/own"), 404, "not-found", "Say which investigation")


def test_nothing_of_the_token_stands_in_an_answer(open_one: tuple[Api, int]) -> None:
    api, number = open_one
    secret = api.headers["Authorization"].removeprefix("Bearer ")
    for answer in (api.submit(number, {}), api.get(f"investigations/{number}")):
        assert secret not in answer.content.decode()
