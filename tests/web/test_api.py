"""Reading and moving incidents over the API: what a token's owner may, and no more, in the same words."""

import csv
import io
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import tokens
from accounts.models import Team, User
from accounts.roles import Role
from audit import reading
from incidents.models import Incident, Note, PassAudit
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged, pieces_of, text_of
from triage.api import examples, urls
from triage.api import reading as reading_api
from triage.api.describing import description

pytestmark = pytest.mark.django_db
OPENAPI = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
SCOPES = ("read", "submit")


class Api:
    """A client with a bearer token."""

    def __init__(self, owner: User, *scopes: str, name: str = "script", of: int | None = None) -> None:
        lasts = timedelta(days=1)
        wanted = tokens.Wanted(name, scopes or SCOPES, configured.BASE_URL, lasts, investigation=of)
        _, secret = tokens.make(wanted, owner=owner, by="a test", now=timezone.now())
        self.headers = {"Authorization": f"Bearer {secret}"}

    def get(self, rest: str) -> Any:
        return Client().get(f"/api/v1/{rest}", headers=self.headers)

    def post(self, rest: str, value: Any, **headers: str) -> Any:
        return Client(enforce_csrf_checks=True).post(
            f"/api/v1/{rest}", json.dumps(value), content_type="application/json",
            headers={**self.headers, **headers},
        )  # fmt: skip


@pytest.fixture(autouse=True)
def _a_world(monkeypatch: pytest.MonkeyPatch) -> None:
    world(monkeypatch)


@pytest.fixture
def ada(make_user: MakeUser) -> User:
    return make_user("ada", role=Role.SUPPORT)


@pytest.fixture
def api(ada: User) -> Api:
    return Api(ada)


def refused(answer: Any, status: int, reason: str, words: str = "") -> dict[str, Any]:
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert (told["status"], told["reason"]) == (status, reason)
    assert words in told["detail"]
    return told


def test_another_team_s_incident_is_not_there(make_user: MakeUser, api: Api) -> None:
    team = Team.objects.create(name="Payments", slug="payments")
    incident = judged(make_source(team=team))
    entry = reading.of_incident(incident.pk)[0]
    for rest in ("", "/entries", "/verdicts"):
        refused(api.get(f"incidents/{incident.pk}{rest}"), 404, "not-found", "no incident")
    for rest in ("close", "reopen", "acknowledge", "assign", "notes"):
        refused(api.post(f"incidents/{incident.pk}/{rest}", {}), 404, "not-found", "no incident")
    refused(api.get(f"entries/{entry.id}"), 404, "not-found", "no entry")
    assert api.get("incidents").json() == {"incidents": [], "next": None}
    assert incident.title not in text_of(api.get("incidents.csv"))
    refused(api.get(f"incidents/{10**30}"), 404, "not-found")


def test_reading_needs_the_scope_and_moving_another(ada: User) -> None:
    incident = judged()
    reader = Api(ada, "read", name="reader")
    assert reader.get(f"incidents/{incident.pk}").status_code == 200
    refused(reader.post(f"incidents/{incident.pk}/acknowledge", {"version": 1}), 403, "scope", "submit")
    refused(Api(ada, "submit", name="writer").get("incidents"), 403, "scope", "read")
    refused(Client().get("/api/v1/incidents"), 401, "no-token")


def test_an_auditor_s_token_moves_nothing(make_user: MakeUser) -> None:
    auditor = make_user("max", role=Role.AUDITOR)
    with pytest.raises(tokens.TokenNotMade):
        Api(auditor, "submit")
    assert Api(auditor, "read").get("rules").status_code == 200


def test_a_session_opens_nothing_here(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    refused(browser.get("/api/v1/incidents"), 401, "no-token")


def test_an_agent_s_token_sees_its_investigation_and_no_list(ada: User) -> None:
    incident = judged()
    agent = Api(ada, name="agent", of=1)
    refused(agent.get("incidents"), 403, "not-its-own")
    refused(agent.post(f"incidents/{incident.pk}/notes", {"text": "x"}), 403, "not-its-own")


def test_pages_join_without_a_gap_or_a_double(api: Api) -> None:
    source = make_source()
    made = [judged(source, name=f"job-{number}").pk for number in range(5)]
    seen, place = [], "incidents?limit=2&state=review"
    while place:
        page = api.get(place).json()
        seen += [each["number"] for each in page["incidents"]]
        place = (page["next"] or "").removeprefix("/api/v1/")
    assert seen == made[::-1]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("stat=open", "no parameter 'stat'"),
        ("state=done", "state is one of"),
        ("limit=0", "limit is a whole number from 1 to 100"),
        ("limit=101", "limit is a whole number"),
        ("after=x", "after is a whole number"),
        ("after=99999999999999999999", "after is a whole number"),
        ("passed=yes", "passed is true or false"),
        ("kind=alarm", "kind is one of alert, claim, issue"),
        ("state=open&state=closed", "state is given more than once"),
    ],
)
def test_a_query_that_cannot_be_read_is_not_ignored(api: Api, query: str, words: str) -> None:
    refused(api.get(f"incidents?{query}"), 400, "query", words)
    if query.partition("=")[0] not in ("after", "limit"):
        refused(api.get(f"incidents.csv?{query}"), 400, "query", words)


def test_a_sheet_has_no_pages(api: Api) -> None:
    refused(api.get("incidents.csv?limit=5"), 400, "query", "no parameter 'limit'")


def test_every_address_takes_head_where_it_takes_get_and_names_what_it_takes(api: Api) -> None:
    incident = judged()
    entry = reading.of_incident(incident.pk)[0].id
    for pattern in urls.urlpatterns:
        rest = str(pattern.pattern).replace("<int:number>", str(entry if "entries/" in str(pattern) else 1))
        if "<" in rest or not rest:
            continue
        path = f"/api/v1/{rest.replace('/1', f'/{incident.pk}') if 'incidents' in rest else rest}"
        options = Client().options(path)
        allowed = options.headers["Allow"].split(", ")
        assert (options.status_code, options.content) == (204, b""), path
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"):
            answer = Client().generic(method, path, headers=api.headers)
            if method in allowed:
                assert answer.status_code != 405, (method, path)
            else:
                assert (answer.status_code, answer.headers["Allow"]) == (405, options.headers["Allow"]), path
                assert answer.headers["Content-Type"] == "application/problem+json"
        assert ("HEAD" in allowed) is ("GET" in allowed), path
        if "GET" in allowed:
            got, head = api.get(path.removeprefix("/api/v1/")), Client().head(path, headers=api.headers)
            assert (head.status_code, head.headers["Content-Type"], text_of(head)) == (
                got.status_code, got.headers["Content-Type"], "",
            ), path  # fmt: skip
            assert Client().head(path).status_code == 401, path


@pytest.mark.parametrize(
    "rest", ["", "v2/incidents", "v1", "v1/", "v1/incidents/", "v1/incidents/x", "v1/none"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_what_is_no_address_is_a_problem_whatever_is_asked(method: str, rest: str) -> None:
    answer = Client(enforce_csrf_checks=True).generic(method, f"/api/{rest}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_an_incident_is_told_with_its_verdict_and_its_secrets_masked(api: Api) -> None:
    incident = judged(note="token=ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    told = api.get(f"incidents/{incident.pk}").json()
    assert told["verdict"]["passed"] is True
    assert told["labels"]["job_id"] == "job-7"
    assert "ghp_0123456789" not in json.dumps(told)
    assert api.get("incidents?passed=true").json()["incidents"][0]["number"] == incident.pk
    assert api.get("incidents?passed=false").json()["incidents"] == []


def test_entries_and_verdicts_are_read_in_pages_and_alone(api: Api) -> None:
    incident = judged()
    first = api.get(f"incidents/{incident.pk}/entries?limit=3").json()
    rest = api.get(first["next"].removeprefix("/api/v1/").replace("limit=3", "limit=100")).json()
    numbers = [each["entry"] for each in first["entries"] + rest["entries"]]
    assert numbers == [each.id for each in reading.of_incident(incident.pk)]
    of_kind = api.get(f"incidents/{incident.pk}/entries?kind=tool.called&limit=1").json()
    assert [each["kind"] for each in of_kind["entries"]] == ["tool.called"]
    assert "kind=tool.called" in of_kind["next"]
    refused(api.get(f"incidents/{incident.pk}/entries?knid=x"), 400, "query", "no parameter 'knid'")
    assert api.get(f"entries/{numbers[0]}").json() == first["entries"][0]
    (verdict,) = api.get(f"incidents/{incident.pk}/verdicts").json()["verdicts"]
    assert verdict["hypothesis"] == "job_finished_on_retry"
    assert verdict["decided"]["facts"]


def test_whoever_audits_a_pass_reads_no_verdict_by_their_token_either(ada: User, api: Api) -> None:
    incident = judged()
    now = timezone.now()
    PassAudit.objects.create(
        incident=incident, verdict_id=1, rule="x", rule_version=1, why="new", reviewer=ada,
        drawn_at=now, due_at=now + timedelta(days=1),
    )  # fmt: skip
    told = api.get(f"incidents/{incident.pk}").json()
    assert (told["veiled"], told["verdict"]) == (True, None)
    for rest in ("/verdicts", "/entries"):
        refused(api.get(f"incidents/{incident.pk}{rest}"), 403, "veiled", "once you have answered")
    assert api.get("incidents?passed=true").json()["incidents"] == []


def test_a_close_is_the_owner_s_under_the_token_s_name(api: Api, ada: User) -> None:
    incident = judged()
    sent = {"version": incident.version, "outcome": "harmless", "answer": "It finished."}
    told = api.post(f"incidents/{incident.pk}/close", sent).json()
    assert told["state"] == "closed"
    (resolution,) = Incident.objects.get(pk=incident.pk).resolutions.all()
    assert resolution.by == ada
    closed = [each for each in reading.of_incident(incident.pk) if each.kind == "incident.closed"]
    assert [each.actor for each in closed] == ["token:script"]
    refused(api.post(f"incidents/{incident.pk}/close", sent), 409, "refused", "is closed")


def test_a_move_on_what_has_changed_is_refused(api: Api) -> None:
    incident = judged()
    sent = {"version": incident.version}
    assert api.post(f"incidents/{incident.pk}/acknowledge", sent).json()["acknowledged_at"]
    to_ada = {**sent, "to": "ada"}
    refused(api.post(f"incidents/{incident.pk}/assign", to_ada), 409, "refused", "has changed since")
    now = api.get(f"incidents/{incident.pk}").json()["version"]
    assert (
        api.post(f"incidents/{incident.pk}/assign", {"version": now, "to": "ada"}).json()["assignee"] == "ada"
    )


def test_nobody_is_given_what_they_may_not_see(api: Api, ada: User, make_user: MakeUser) -> None:
    team = Team.objects.create(name="Payments", slug="payments")
    ada.teams.add(team)
    make_user("eve", role=Role.SUPPORT)
    incident = judged(make_source(team=team))
    for name in ("eve", "nobody", "a b"):
        sent = {"version": incident.version, "to": name}
        refused(api.post(f"incidents/{incident.pk}/assign", sent), 422, "fields", "nobody who sees")


def test_everything_wrong_with_the_fields_is_said_at_once(api: Api) -> None:
    incident = judged()
    told = refused(
        api.post(f"incidents/{incident.pk}/close", {"outcome": "fine", "verdict": "pass"}), 422, "fields"
    )
    assert [each.partition(":")[0] for each in told["complaints"]] == ["verdict", "version", "outcome"]
    refused(api.post(f"incidents/{incident.pk}/close", []), 400, "unreadable")


def test_a_close_against_the_verdict_needs_its_reason(api: Api) -> None:
    incident = judged()
    sent = {"version": incident.version, "outcome": "real and fixed"}
    refused(api.post(f"incidents/{incident.pk}/close", sent), 409, "refused", "Give the reason")


def test_a_note_sent_twice_with_one_key_is_kept_once(api: Api) -> None:
    incident = judged()
    for _ in range(2):
        sent = api.post(f"incidents/{incident.pk}/notes", {"text": "Seen."}, **{"Idempotency-Key": "k1"})
        assert sent.status_code == 201
    assert Note.objects.count() == 1
    refused(api.post(f"incidents/{incident.pk}/notes", {"text": " "}), 422, "fields")


def test_no_cell_of_the_sheet_is_a_formula(api: Api) -> None:
    incident = judged()
    link = '=HYPERLINK("http://evil.example","x")'
    Incident.objects.filter(pk=incident.pk).update(title=link, hypothesis="@x")
    (row,) = csv.DictReader(io.StringIO(text_of(api.get("incidents.csv"))))
    assert row["title"].startswith("'=")
    assert row["hypothesis"].startswith("'@")


def test_the_sheet_comes_in_pieces_that_make_up_a_whole_and_ends_at_its_most(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_api, "_CSV_PIECE", 2)
    monkeypatch.setattr(reading_api, "_CSV_ROWS", 6)
    first = judged()
    every = [first.pk, *(_like(first, number).pk for number in range(3))]
    for count, pieces in ((4, 3), (5, 3), (7, 3)):
        every += [_like(first, number).pk for number in range(len(every), count)]
        with CaptureQueriesContext(connection) as queries:
            found = pieces_of(api.get("incidents.csv"))
        numbers = [int(row["number"]) for row in csv.DictReader(io.StringIO("".join(found)))]
        assert numbers == sorted(every, reverse=True)[:6]
        assert len(found) == pieces
        assert len(queries) <= 15


def _like(incident: Incident, number: int) -> Incident:
    now = timezone.now()
    return Incident.objects.create(
        source=incident.source, kind="alert", sender_key=f"like {number}", title="+1", started_at=now,
        first_received_at=now, last_received_at=now, episode_at=now,
    )  # fmt: skip


def test_no_address_of_the_api_decides_a_write_or_changes_a_role() -> None:
    words = ("approv", "decide", "decision", "switch", "role", "people", "token")
    paths = [path for path in description()["paths"] if any(word in path for word in words)]
    assert paths == []


def test_the_description_is_served_and_stands_in_the_docs(api: Api) -> None:
    now = json.dumps(description(), indent=1, sort_keys=True) + "\n"
    assert api.get("openapi.json").json() == json.loads(now)
    if os.environ.get("WRITE_DOCS") == "1":
        OPENAPI.write_text(now, encoding="utf-8")
    assert OPENAPI.read_text(encoding="utf-8") == now, (
        "The API has changed. Look at how, then: WRITE_DOCS=1 python -m pytest tests/web/test_api.py"
    )


def test_every_operation_is_described_with_its_problems() -> None:
    for path, operations in description()["paths"].items():
        for method, operation in operations.items():
            assert operation["description"], (method, path)
            assert "default" in operation["responses"], (method, path)
            answers = [each for status, each in operation["responses"].items() if status != "default"]
            for part in (operation.get("requestBody", {}), *answers):
                for content in part.get("content", {}).values():
                    assert "example" in content or "examples" in content, (method, path)
                    assert _unlike(content.get("example"), content["schema"]) == [], (method, path)


def _unlike(example: Any, schema: Any) -> list[str]:
    """Return the fields that an example lacks of its form, or has beyond it."""
    schemas = description()["components"]["schemas"]
    form = schema.get("allOf", [schema])[0]
    form = schemas.get(str(form.get("$ref", "")).rpartition("/")[2], form)
    if isinstance(example, list):
        return [name for each in example for name in _unlike(each, form["items"])]
    if not isinstance(example, dict) or "properties" not in form:
        return []
    within = [_unlike(each, form["properties"].get(name, {})) for name, each in example.items()]
    return [*(set(form["properties"]) ^ set(example)), *(name for each in within for name in each)]


def test_the_examples_have_the_fields_of_real_answers(api: Api) -> None:
    row = judged()
    assert set(examples.FORMS["OneIncident"]) == set(api.get(f"incidents/{row.pk}").json())
    listed = api.get("incidents").json()
    assert set(examples.FORMS["Incidents"]["incidents"][0]) == set(listed["incidents"][0])
    entry = api.get(f"incidents/{row.pk}/entries?limit=1").json()["entries"][0]
    assert set(examples.FORMS["Entry"]) == set(entry)
    (verdict,) = api.get(f"incidents/{row.pk}/verdicts").json()["verdicts"]
    assert set(examples.FORMS["Verdicts"]["verdicts"][0]) == set(verdict)
    state = examples.FREE["/investigations/{number}", "get", "200"]
    assert set(state) == set(api.get(f"investigations/{verdict['investigation']}").json())


@pytest.mark.parametrize("path", ["/api/", "/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v2/incidents"])
def test_what_is_no_address_of_it_is_refused_in_its_own_form(path: str) -> None:
    answer = Client(enforce_csrf_checks=True).post(path, "{", content_type="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["reason"] == "no-address"
