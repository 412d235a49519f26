"""Working through a list: from one incident to the one beside it, and on after a closing."""

from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from accounts.models import Team
from incidents.models import Incident, Source
from incidents.states import State
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, text_of
from tests.web.test_queue import incident

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def step(client: Client, one: Incident, list_: str, way: str = "next") -> str:
    """Where a step leads, with the list that it still belongs to."""
    answer = client.get(f"/incidents/{one.pk}/{way}/?{urlencode({'in': list_})}")
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def place(one: Incident, list_: str) -> str:
    return f"/incidents/{one.pk}/?{urlencode({'in': list_})}"


def close(client: Client, one: Incident, list_: str, *, outcome: str = "harmless", **more: Any) -> Any:
    values = {"version": one.version, "outcome": outcome, "answer": "", "reason": "seen", "in": list_}
    return client.post(f"/incidents/{one.pk}/close/", {**values, "then": "next"}, **more)


@pytest.mark.parametrize(
    ("list_", "order"),
    [
        ("tab=needs-a-person", (0, 1, 2)),
        ("sort=oldest", (2, 1, 0)),
        ("sort=severity", (2, 0, 1)),
        ("q=Incident", (0, 1, 2)),
        ("severity=warning", (0, 1)),
        ("no list at all%00&sort=nonsense&after=x&before=y", (0, 1, 2)),
    ],
)
def test_a_step_follows_the_order_of_the_list(
    list_: str, order: tuple[int, ...], make_user: MakeUser, source: Source
) -> None:
    rows = [incident(source, n, severity=s) for n, s in enumerate(("warning", "warning", "critical"))]
    incident(source, 1, state=State.CLOSED, title="closed")
    ada = a_person(make_user)
    walked = [rows[number] for number in order]
    for one, other in pairwise(walked):
        assert step(ada, one, list_).startswith(f"/incidents/{other.pk}/?in=")
        assert step(ada, other, list_, "previous").startswith(f"/incidents/{one.pk}/?in=")
    assert step(ada, walked[-1], list_).startswith("/?")
    assert "That was the last one" in text_of(ada.get("/"))


def test_a_step_leads_to_no_other_teams_incident(make_user: MakeUser) -> None:
    shop, bank = Team.objects.create(name="Shop", slug="shop"), Team.objects.create(name="Bank", slug="bank")
    own, theirs = make_source("a", team=shop), make_source("b", team=bank)
    first, foreign, last = incident(own, 0), incident(theirs, 1), incident(own, 2)
    ada = a_person(make_user, teams=[shop])
    assert step(ada, first, "tab=all") == place(last, "tab=all")
    assert ada.get(f"/incidents/{foreign.pk}/next/?in=tab%3Dall").status_code == 404


def test_a_row_opens_in_its_list_and_leads_back_to_it(make_user: MakeUser, source: Source) -> None:
    one = incident(source)
    ada = a_person(make_user)
    assert f'href="{place(one, "sort=oldest")}"' in text_of(ada.get("/?sort=oldest"))
    page = text_of(ada.get(place(one, "sort=oldest")))
    assert f'href="/?sort=oldest#row-{one.pk}"' in page
    assert f'href="/incidents/{one.pk}/next/?in=sort%3Doldest"' in page
    alone = text_of(ada.get(f"/incidents/{one.pk}/"))
    assert "data-next" not in alone
    assert 'name="then"' not in alone


def test_what_was_closed_leads_on_from_where_it_stood(make_user: MakeUser, source: Source) -> None:
    first, second, third = (incident(source, number) for number in range(3))
    ada = a_person(make_user)
    with_script = close(ada, first, "tab=needs-a-person", headers=HTMX)
    assert with_script.headers["HX-Redirect"] == place(second, "tab=needs-a-person")
    without = close(ada, second, "tab=needs-a-person")
    assert (without.status_code, without.headers["Location"]) == (302, place(third, "tab=needs-a-person"))
    assert f"#{second.pk}: Closed: harmless." in text_of(ada.get(place(third, "tab=needs-a-person")))
    assert close(ada, third, "tab=needs-a-person").headers["Location"] == "/?tab=needs-a-person"
    assert set(Incident.objects.values_list("state", flat=True)) == {State.CLOSED}


def test_what_was_refused_stays_where_it_is_and_in_its_list(make_user: MakeUser, source: Source) -> None:
    one, _ = incident(source), incident(source, 1)
    refused = close(a_person(make_user), one, "tab=all", outcome="", headers=HTMX)
    assert (refused.status_code, refused.headers.get("HX-Redirect")) == (422, None)
    assert 'name="in" value="tab=all"' in text_of(refused)
    one.refresh_from_db()
    assert one.state == State.REVIEW


def test_htmx_tells_the_list_by_the_page_it_stands_on(make_user: MakeUser, source: Source) -> None:
    one = incident(source)
    here = {**HTMX, "HX-Current-URL": f"http://testserver{place(one, 'tab=all')}"}
    sent = a_person(make_user).post(
        f"/incidents/{one.pk}/acknowledge/", {"version": one.version}, headers=here
    )
    assert f'href="/?tab=all#row-{one.pk}"' in text_of(sent)
