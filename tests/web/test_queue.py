"""The queue: what a person sees of it, and that its address says everything."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from approvals.models import ActionRequest
from incidents import queue
from incidents.models import Incident, Source
from incidents.states import State
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def incident(source: Source, number: int = 0, **values: object) -> Incident:
    at = timezone.now() - timedelta(minutes=number)
    fields = {
        "kind": "alert",
        "sender_key": f"key-{number}-{Incident.objects.count()}",
        "title": f"Incident {number}",
        "started_at": at,
        "episode_at": at,
        "first_received_at": at,
        "last_received_at": at,
        "state": State.REVIEW,
        "verdict_passed": False,
        "team": source.team,
        **values,
    }
    return Incident.objects.create(source=source, **fields)


def titles(client: Client, address: str = "/") -> list[str]:
    page = client.get(address).context["page"]
    return [row.title for row in page.rows]


def counts_of(client: Client, address: str = "/") -> dict[str, int]:
    return {shelf.tab.value: shelf.count for shelf in client.get(address).context["shelves"]}


def test_another_teams_incident_is_not_on_it(make_user: MakeUser) -> None:
    shop, bank = Team.objects.create(name="Shop", slug="shop"), Team.objects.create(name="Bank", slug="bank")
    incident(make_source("a", team=shop), title="of the shop")
    incident(make_source("b", team=bank), title="of the bank")
    incident(make_source("c"), title="of nobody")
    ada = a_person(make_user, teams=[shop])
    assert sorted(titles(ada)) == ["of nobody", "of the shop"]
    assert counts_of(ada)["needs-a-person"] == 2
    for role in (Role.MANAGER, Role.ADMINISTRATOR, Role.AUDITOR):
        assert len(titles(a_person(make_user, role, role))) == 3


@pytest.mark.parametrize(
    "query",
    [
        "tab=x", "sort=x", "after=%00", "after=!!", "before=bnVsbA", "after=W10", "after=WzEsMl0", "q=%00",
        "severity=%00", "kind=x", "source=%00", "mine=9", "q=" + "x" * 5000, "after=" + "A" * 5000,
        "q=%F0%9F%92%A5",
        "after=WyIyMDI2IiwgMV0", "after=W3RydWUsIHRydWVd", "q=9999999999999999999999", "source=%FF",
    ],
)  # fmt: skip
def test_an_address_that_makes_no_sense_still_shows_a_queue(
    source: Source, make_user: MakeUser, query: str
) -> None:
    incident(source)
    client = a_person(make_user)
    assert client.get(f"/?{query}").status_code == 200
    assert client.get(f"/pulse/?{query}&since=x").status_code == 200


def test_what_did_not_earn_a_pass_needs_a_person_whatever_the_reason(
    source: Source, make_user: MakeUser
) -> None:
    incident(source, title="failed")
    incident(source, title="never judged", state=State.OPEN, verdict_passed=None)
    incident(source, title="gave up", state=State.OPEN, verdict_passed=False)
    incident(source, title="passed", verdict_passed=True)
    incident(source, title="running", state=State.INVESTIGATING, verdict_passed=None)
    incident(source, title="done", state=State.CLOSED, verdict_passed=True)
    client = a_person(make_user)
    assert set(titles(client)) == {"failed", "never judged", "gave up"}
    assert titles(client, "/?tab=earned-a-pass") == ["passed"]
    assert titles(client, "/?tab=investigating") == ["running"]
    assert titles(client, "/?tab=closed") == ["done"]
    assert len(titles(client, "/?tab=all")) == 6
    counts = counts_of(client)
    assert (counts["needs-a-person"], counts["earned-a-pass"], counts["investigating"]) == (3, 1, 1)
    assert (counts["closed"], counts["all"]) == (1, 6)


def test_pages_by_key_hold_every_row_once_both_ways(
    source: Source, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE", 4)
    for number in range(11):
        incident(source, number // 2, severity=("critical", "info", "odd")[number % 3])
    client = a_person(make_user)
    for sort in ("newest", "oldest", "severity"):
        seen: list[int] = []
        address = f"/?sort={sort}"
        keys = []
        while True:
            page = client.get(address).context["page"]
            seen += [row.pk for row in page.rows]
            keys.append([row.pk for row in page.rows])
            if not page.next_key:
                break
            address = f"/?sort={sort}&after={page.next_key}"
        assert len(seen) == len(set(seen)) == 11
        back = page
        for expected in reversed(keys[:-1]):
            back = client.get(f"/?sort={sort}&before={back.previous_key}").context["page"]
            assert [row.pk for row in back.rows] == expected
        assert not back.previous_key


def test_a_row_that_arrives_does_not_shift_the_next_page(
    source: Source, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE", 2)
    rows = [incident(source, number) for number in range(4)]
    client = a_person(make_user)
    first = client.get("/").context["page"]
    incident(source, -5, title="newer")
    assert titles(client, f"/?after={first.next_key}") == [rows[2].title, rows[3].title]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=needle", {"a needle"}),
        ("q=job-48", {"by identifier"}),
        ("q=queue drained", {"by hypothesis"}),
        ("severity=critical", {"by severity"}),
        ("kind=claim", {"by kind"}),
        ("source=other", {"by source"}),
        ("mine=1", {"mine"}),
        ("q=%25", set()),
    ],
)
def test_filters_narrow_the_list_and_the_counts(
    source: Source, make_user: MakeUser, query: str, expected: set[str]
) -> None:
    client = a_person(make_user)
    incident(source, title="a needle")
    incident(source, title="by identifier", identifiers={"job_id": "job-4811"})
    incident(source, title="by hypothesis", hypothesis="queue_drained")
    incident(source, title="by severity", severity="critical")
    incident(source, title="by kind", kind="claim")
    incident(source, title="mine", assignee=User.objects.get(username="ada"))
    incident(make_source("other"), title="by source")
    response = client.get(f"/?{query}")
    assert {row.title for row in response.context["page"].rows} == expected
    counted = {shelf.tab: shelf.count for shelf in response.context["shelves"]}
    assert counted["needs-a-person"] == len(expected)


def test_a_number_finds_its_incident(source: Source, make_user: MakeUser) -> None:
    one = incident(source)
    other, ada = incident(source, 1, title=f"Like {one.pk}"), a_person(make_user)
    assert [row.pk for row in ada.get(f"/?q=%23{one.pk}").context["page"].rows] == [one.pk]
    found = {row.pk for row in ada.get(f"/?q={one.pk}").context["page"].rows}
    assert found == {one.pk, other.pk}


def test_htmx_gets_the_part_and_a_browser_the_page(source: Source, make_user: MakeUser) -> None:
    incident(source, 90)  # its age in hours is the same in both answers
    client = a_person(make_user)
    part, page = text_of(client.get("/", headers=HTMX)), text_of(client.get("/"))
    assert part.startswith('<div id="queue"')
    assert "<html" in page
    assert part.split("<tbody>")[1].split("</tbody>")[0] == page.split("<tbody>")[1].split("</tbody>")[0]


def test_the_approvals_tab_counts_what_waits_for_this_person(source: Source, make_user: MakeUser) -> None:
    now, teams = timezone.now(), [Team.objects.create(name=name, slug=name) for name in ("ours", "theirs")]
    client = a_person(make_user, teams=teams[:1])
    for team, proposer, hours in (
        (0, "model", 1), (None, "rule:x", 1), (1, "model", 1), (0, "person:ada", 1), (0, "model", -1),
    ):  # fmt: skip
        ActionRequest.objects.create(
            action="test.write", target="x", risk="low", reason="x", proposed_by=proposer,
            proposed_at=now - timedelta(hours=2), team_id=None if team is None else teams[team].pk,
            decide_by=now + timedelta(hours=hours),
        )  # fmt: skip
    counted = 'Approvals <span class="count">2</span>'
    for path in ("/", "/pulse/"):
        assert text_of(client.get(path)).count(counted) == 2, path  # the tab, and at the thumb


def test_the_pulse_announces_arrivals_and_moves_no_row(source: Source, make_user: MakeUser) -> None:
    old = incident(source)
    client = a_person(make_user)
    assert "new incident" not in text_of(client.get(f"/pulse/?since={old.pk}", headers=HTMX))
    incident(source, 1)
    text = text_of(client.get(f"/pulse/?since={old.pk}&q=Incident", headers=HTMX))
    assert "1 new incident. Show it" in text
    assert 'href="/?q=Incident"' in text
    assert "data-row" not in text


def test_the_queue_asks_few_questions_of_the_database(
    source: Source, make_user: MakeUser, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        incident(source, number)
    client = a_person(make_user)
    client.get("/")  # the session notes when it was last seen, about once a minute
    with django_assert_max_num_queries(15):
        client.get("/")


def test_an_empty_queue_says_what_to_do_next(make_user: MakeUser) -> None:
    client = a_person(make_user)
    assert "manage.py addsource" in text_of(client.get("/"))
    incident(make_source(), state=State.CLOSED)
    assert "Nothing needs a person" in text_of(client.get("/"))
    assert "Clear the filters" in text_of(client.get("/?q=nothing"))


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_the_queue_is_only_read(make_user: MakeUser, method: str) -> None:
    client = a_person(make_user)
    for path in ("/", "/pulse/", "/deliveries/", "/rules/"):
        assert getattr(client, method)(path).status_code == 405
