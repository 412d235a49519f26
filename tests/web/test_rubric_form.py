"""A person gives one run a checklist of its own, by htmx and by a plain browser."""

from typing import Any

import pytest

from incidents.models import Incident
from investigations.models import Investigation
from tests.db.investigated import Scripted, world
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of

pytestmark = pytest.mark.django_db
FIELD = 'name="rubric"'


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def passed(connector: Scripted) -> Incident:
    incident = judged()
    Investigation.objects.update(investigator="model")
    return incident


def give(client: Any, incident: Incident, rubric: str, **more: Any) -> Any:
    incident.refresh_from_db()
    address = f"/incidents/{incident.pk}/investigate/"
    return client.post(address, {"version": incident.version, "rubric": rubric}, **more)


@pytest.mark.parametrize("more", [{}, {"headers": HTMX}], ids=["plain", "htmx"])
def test_a_rubric_that_can_not_be_used_is_refused_and_begins_no_run(
    passed: Incident, make_user: MakeUser, more: Any
) -> None:
    answer = give(a_person(make_user), passed, "x" * 501, **more)
    assert answer.status_code in (409, 422)
    assert "at most 500 characters" in text_of(answer)
    assert Investigation.objects.count() == 1


@pytest.mark.parametrize("more", [{}, {"headers": HTMX}], ids=["plain", "htmx"])
def test_the_next_run_is_graded_by_it(passed: Incident, make_user: MakeUser, more: Any) -> None:
    answer = give(a_person(make_user), passed, "- Says since when\r\n\r\nNames an entry ", **more)
    assert answer.status_code in (200, 302)
    assert Investigation.objects.latest("pk").rubric == "Says since when\nNames an entry"


def test_it_is_offered_where_a_model_writes(passed: Incident, make_user: MakeUser) -> None:
    ada = a_person(make_user)
    assert FIELD in ada.get(f"/incidents/{passed.pk}/").content.decode()
    Investigation.objects.update(investigator="playbook")
    assert FIELD not in ada.get(f"/incidents/{passed.pk}/").content.decode()
