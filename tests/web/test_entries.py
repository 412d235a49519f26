"""Searching entries, and secrets that reach no page."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from audit.models import Entry
from incidents.models import Incident
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of
from toolbox import acknowledgements, gateway, proofs, registry
from toolbox.connectors.base import Outcome
from toolbox.mcp import answers
from toolbox.models import Call
from toolbox.scope import CallScope

pytestmark = pytest.mark.django_db
TOKEN = CallScope(caller="token:agent")
CANARY = "".join(("gh", "p_", "Canary7", "x" * 30))
PASSWORD = "".join(("canary", "-pass", "-word-9"))


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    proofs.forget()
    acknowledgements.forget()
    return world(monkeypatch)


def rows(page: str) -> int:
    return page.count("data-row")


@pytest.fixture
def made(connector: Scripted) -> Incident:
    """One judged incident, and three calls of a token, one of them refused."""
    incident = judged()
    for number in range(2):
        gateway.call("find_job", {"job_id": str(number)}, TOKEN)
    gateway.call("find_job", {}, TOKEN)
    return incident


@pytest.fixture
def everybody(make_user: MakeUser, made: Incident) -> Client:
    return a_person(make_user, "ines", Role.AUDITOR)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?actor=token:agent", 3),
        ("?actor=agent", 3),
        ("?status=refused", 1),
        ("?status=refused&actor=agent&tool=find_job", 1),
        ("?status=refused&tool=count_errors", 0),
        ("?tool=nonesuch", 0),
        ("?tool=find_job", 4),
        ("?tool=count_errors", 1),
        ("?actor=nobody", 0),
        ("?incident=999999", 0),
        ("?kind=incident.opened", 1),
        ("?kind=tool.", 7),
        ("?kind=tool.called&actor=agent", 3),
        ("?kind=tool.called&status=refused", 1),
        ("?kind=incident.opened&tool=find_job", 0),
        ("?kind=%25", 0),
        ("?since=2999-01-01T00:00", 0),
        ("?until=2001-01-01T00:00", 0),
        ("?tool=find_job&since=2001-01-01T00:00&until=2999-01-01T00:00", 4),
    ],
)
def test_it_finds_by_tool_status_actor_incident_and_time(everybody: Client, query: str, count: int) -> None:
    assert rows(text_of(everybody.get(f"/entries/{query}"))) == count


def test_it_finds_the_entries_of_one_incident_moves_among_them(everybody: Client, made: Incident) -> None:
    page = text_of(everybody.get(f"/entries/?incident=%23{made.pk}"))
    assert rows(page) == len(reading.of_incident(made.pk))
    assert "opened the incident" in page.lower()
    assert f"#{made.pk}" in page


@pytest.mark.parametrize(
    "query",
    [
        "incident=x",
        "since=yesterday",
        "until=%00",
        "incident=99999999999999999999",
        "since=0001-01-01T00:00%2B05:00",
    ],
)
def test_what_cannot_be_read_is_said_and_not_searched_by(everybody: Client, query: str) -> None:
    page = text_of(everybody.get(f"/entries/?{query}"))
    assert "could not be read" in page or query == "until=%00"
    assert rows(page) > 3


@pytest.mark.parametrize(
    "query",
    [
        "after=x",
        "before=%00",
        "status=x",
        "tool=%00",
        "actor=" + "x" * 5000,
        "tool=find_job&kind=incident.&actor=ada",
    ],
)
def test_no_address_breaks_the_page(everybody: Client, query: str) -> None:
    assert everybody.get(f"/entries/?{query}").status_code == 200


def test_pages_go_by_key_and_lose_nothing(everybody: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from incidents import entries

    monkeypatch.setattr(entries, "PAGE", 2)
    seen: list[int] = []
    address = "/entries/?tool=find_job"
    while address:
        response = everybody.get(address)
        seen += [line.id for line in response.context["lines"]]
        key = response.context["page"].next_key
        address = f"/entries/?tool=find_job&after={key}" if key else ""
    assert seen == sorted(Call.objects.filter(tool="find_job").values_list("pk", flat=True), reverse=True)
    before = everybody.get("/entries/?tool=find_job&before=" + response.context["page"].previous_key)
    assert [line.id for line in before.context["lines"]] == seen[:2]


def test_a_rare_kind_is_found_piece_by_piece_and_none_is_passed_over(
    everybody: Client, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No index has the kinds: a page looks at so many entries, says that it found none, and goes on."""
    from incidents import entries

    monkeypatch.setattr(entries, "_LOOKED_AT_FOR_A_KIND", 3)
    made = list(Entry.objects.order_by("-pk").values_list("pk", "kind", "incident"))
    of_a_team = a_person(make_user, "ada", Role.SUPPORT)
    for browser, sees_all in ((everybody, True), (of_a_team, False)):
        for kind in ("incident.opened", "tool.called"):
            found: list[int] = []
            address, empty, pages = f"/entries/?kind={kind}", 0, []
            while address:
                answer = browser.get(address)
                shown = [line.id for line in answer.context["lines"]]
                empty += "Nothing so far" in text_of(answer)
                found += shown
                key = answer.context["page"].next_key
                address = f"/entries/?kind={kind}&after={key}" if key else ""
                pages.append(shown)
            assert found == [pk for pk, of, about in made if of == kind and (sees_all or about)], kind
            assert len(pages) >= len(made) // 3
        assert empty, "the last kind has its entries in each piece: take another"


def test_htmx_is_given_the_list_alone(everybody: Client) -> None:
    assert text_of(everybody.get("/entries/", headers=HTMX)).startswith('<div id="entries"')


def test_another_teams_entries_and_those_of_no_incident_are_not_listed(
    connector: Scripted, make_user: MakeUser
) -> None:
    judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    gateway.call("find_job", {"job_id": "1"}, TOKEN)
    client = a_person(make_user)
    for query in ("", "?tool=find_job", "?actor=playbook", "?actor=agent"):
        assert rows(text_of(client.get(f"/entries/{query}"))) == 0
    assert rows(text_of(a_person(make_user, "ines", Role.AUDITOR).get("/entries/"))) > 3


def test_the_list_takes_few_queries(everybody: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(8):
        everybody.get("/entries/")


# --- Secrets ----------------------------------------------------------------------------------


@pytest.fixture
def leaking(connector: Scripted) -> Scripted:
    row = {
        "state": CANARY,
        "note": f"login with password={PASSWORD}",
        "password": PASSWORD,
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    }
    connector.answers["find_job"] = Outcome(Status.OBSERVED, {"job": row}, reason=f"said {CANARY}")
    return connector


@pytest.mark.parametrize("view", ["table", "tree", "raw", ""])
def test_no_secret_of_a_result_reaches_the_entry_page(
    leaking: Scripted, make_user: MakeUser, view: str
) -> None:
    called = gateway.call("find_job", {"job_id": CANARY}, TOKEN)
    page = text_of(a_person(make_user, "ines", Role.AUDITOR).get(f"/entries/{called.entry}/?as={view}"))
    assert CANARY not in page
    assert PASSWORD not in page
    assert "[redacted: GitHub token]" in page
    assert "4bf92f3577b34da6a3ce929d0e0e4736" in page
    assert "Secrets are masked" in page


def test_the_record_stays_whole_for_checks_and_says_what_readers_are_not_shown(leaking: Scripted) -> None:
    called = gateway.call("find_job", {"job_id": "1"}, TOKEN)
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert called.result["job"]["state"] == CANARY == stored.payload["result"]["job"]["state"]
    assert CANARY not in stored.payload["reason"]
    assert stored.payload["redacted"]["counts"] == {"GitHub token": 1, "field": 1, "password": 1}


def test_no_secret_reaches_an_agent(leaking: Scripted) -> None:
    called = gateway.call("find_job", {"job_id": "1"}, TOKEN)
    answer = answers.of_call(called, registry.current().definitions["find_job"])
    told = json.dumps(answer.structured_content) + str(answer.content)
    assert CANARY not in told
    assert PASSWORD not in told
    assert answer.structured_content is not None
    assert answer.structured_content["hidden"] == "1 GitHub token masked, 1 field masked, 1 password masked"
    assert CANARY not in str(answers.of_own({"entries": [called.result]}).structured_content)


@pytest.mark.parametrize("state", [CANARY, "completed"])
def test_no_secret_of_a_result_or_an_alert_reaches_any_page(
    leaking: Scripted, make_user: MakeUser, state: str
) -> None:
    leaking.answers["find_job"].result["job"]["state"] = state
    incident = judged(description=f"worker said {CANARY}", note=f"password={PASSWORD}")
    client = a_person(make_user, "ines", Role.AUDITOR)
    person = a_person(make_user, "ada", Role.SUPPORT)
    delivery = incident.signals.get().delivery_id
    for path in (
        "/",
        "/entries/",
        f"/incidents/{incident.pk}/",
        "/deliveries/",
        f"/deliveries/{delivery}/",
        "/tools/",
    ):
        for who in (client, person):
            page = text_of(who.get(path))
            assert CANARY not in page, path
            assert PASSWORD not in page, path


def test_the_entry_page_says_who_asked_how_long_and_which_step_refused(
    connector: Scripted, make_user: MakeUser
) -> None:
    called = gateway.call("find_job", {}, CallScope(caller="token:agent", via="mcp over http"))
    page = text_of(a_person(make_user, "ines", Role.AUDITOR).get(f"/entries/{called.entry}/"))
    for words in ("token:agent", "mcp over http", "the step “schema”", "took"):
        assert words in page
    assert timezone.now() - called.called_at < timedelta(minutes=1)


def test_who_sees_few_of_very_many_entries_goes_on_where_the_last_look_ended(
    connector: Scripted, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incidents.entries._LOOKED_AT", 3)
    shop = Team.objects.create(name="Shop", slug="shop")
    own = judged(make_source("a", team=shop))
    judged(make_source("b", team=Team.objects.create(name="Bank", slug="bank")), name="job-8")
    client = a_person(make_user, teams=[shop])
    page = client.get("/entries/").context["page"]
    assert list(page.rows) == []
    assert page.next_key
    assert "Nothing of your teams so far" in text_of(client.get("/entries/"))
    seen: list[int] = []
    for _ in range(40):
        page = client.get("/entries/", {"after": page.next_key}).context["page"]
        seen += [row.pk for row in page.rows]
        if not page.next_key:
            break
    assert seen == [entry.id for entry in reversed(reading.of_incident(own.pk))]
