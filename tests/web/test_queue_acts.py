"""What is done on the rows of the queue, by one and by many; and what is taken back within ten seconds."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from audit import reading
from incidents import queue_acts, queue_undo, services
from incidents.models import Incident, QueueAct, Resolution, Source
from incidents.states import State
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, text_of
from tests.web.test_queue import counts_of, incident, titles

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


@pytest.fixture
def ada(make_user: MakeUser) -> Client:
    return a_person(make_user)


def row(one: Incident) -> str:
    one.refresh_from_db()
    return f"{one.pk}.{one.version}"


def act(client: Client, do: str, *rows: Incident, here: str = "", **more: str) -> str:
    """Act on rows and return the queue that follows, as text."""
    form = {"do": do, "rows": [row(one) for one in rows], "here": here, **more}
    return text_of(client.post("/queue/act/", form, follow=True))


def kinds(one: Incident) -> list[str]:
    return [entry.kind for entry in reading.of_incident(one.pk)]


@pytest.mark.parametrize(
    "form",
    [
        {}, {"do": "close"}, {"do": "explode", "rows": "1.0"}, {"do": "acknowledge", "rows": "x"},
        {"do": "acknowledge:999.0"}, {"do": "acknowledge", "rows": "9" * 30 + ".0"},
        {"do": "snooze:1.0", "hours": "9999999"}, {"do": "close:1.0", "outcome": "blown up"},
        {"do": "give:1.0", "to": "no such person"}, {"do": "give:1.0", "to": "\0"},
        {"do": "grade:1.0", "severity": "dreadful"},
        {"do": "close", "outcome": "duplicate of", "rows": "1.0"},
        {"do": "acknowledge:1.99999999999"},
        {"do": "acknowledge", "here": "after=%00&tab=%ff", "rows": "1"},
    ],
)  # fmt: skip
def test_a_form_that_makes_no_sense_changes_nothing_and_says_so(
    source: Source, ada: Client, form: dict[str, str]
) -> None:
    one = incident(source)
    form = {
        name: text.replace("1.", f"{one.pk}.", 1) if text[-4:-1] != "x" else text
        for name, text in form.items()
    }
    text = text_of(ada.post("/queue/act/", form, follow=True))
    assert 'class="note' in text
    one.refresh_from_db()
    assert (one.version, one.severity, one.state) == (0, "unknown", State.REVIEW)


def test_rows_of_another_team_are_not_touched_and_not_told_of(make_user: MakeUser) -> None:
    bank = Team.objects.create(name="Bank", slug="bank")
    hidden, own = incident(make_source("b", team=bank)), incident(make_source("c"))
    ada = a_person(make_user)
    text = act(ada, "acknowledge", hidden, own)
    assert "Acknowledged 1." in text
    assert f"#{hidden.pk}" not in text
    hidden.refresh_from_db()
    assert hidden.acknowledged_at is None


def test_nobody_is_given_what_they_do_not_see_or_may_not_move(make_user: MakeUser) -> None:
    bank, shop = (Team.objects.create(name=name, slug=name) for name in ("bank", "shop"))
    one = incident(make_source("b", team=bank))
    boss = a_person(make_user, "mia", Role.MANAGER)
    make_user("otto", role=Role.AUDITOR, teams=[bank])
    make_user("sam", role=Role.SUPPORT, teams=[shop])
    make_user("bea", role=Role.SUPPORT, teams=[bank])
    assert "Nobody here has that name" in act(boss, f"give:{row(one)}", to="otto")
    assert f"does not see incident {one.pk}" in act(boss, f"give:{row(one)}", to="sam")
    assert "Given: 1." in act(boss, f"give:{row(one)}", to="bea")
    names = text_of(a_person(make_user, "ben", Role.SUPPORT, teams=[bank]).get("/queue/people/"))
    assert [name for name in ("otto", "sam", "bea", "mia") if f'value="{name}"' in names] == ["bea", "mia"]


def test_who_only_reads_sees_no_buttons_and_is_refused(source: Source, make_user: MakeUser) -> None:
    one = incident(source)
    auditor = a_person(make_user, "otto", Role.AUDITOR)
    assert 'name="do"' not in text_of(auditor.get("/"))
    assert auditor.post("/queue/act/", {"do": f"acknowledge:{row(one)}"}).status_code == 403


def test_a_row_that_changed_since_is_left_and_the_others_are_moved(source: Source, ada: Client) -> None:
    one, two = incident(source, 1), incident(source, 2)
    stale = row(one)
    Incident.objects.filter(pk=one.pk).update(version=5)
    text = text_of(ada.post("/queue/act/", {"do": "acknowledge", "rows": [stale, row(two)]}, follow=True))
    assert "Acknowledged 1." in text
    assert f"Incident {one.pk} has changed since" in text
    assert "move.refused" in kinds(one)


def test_each_act_moves_its_rows_and_is_in_the_audit_log(
    source: Source, ada: Client, make_user: MakeUser
) -> None:
    make_user("bea", role=Role.SUPPORT)
    one = incident(source)
    act(ada, f"acknowledge:{row(one)}")
    act(ada, f"take:{row(one)}")
    assert titles(ada, "/?tab=mine") == [one.title]
    act(ada, f"give:{row(one)}", to="bea")
    act(ada, f"grade:{row(one)}", severity="critical")
    act(ada, f"snooze:{row(one)}", hours="4")
    one.refresh_from_db()
    assert (one.assignee, one.severity) == (User.objects.get(username="bea"), "critical")
    assert counts_of(ada)["snoozed"] == 1
    assert titles(ada) == []
    act(ada, f"wake:{row(one)}")
    assert titles(ada) == [one.title]
    assert kinds(one) == [
        "incident.acknowledged", "incident.assigned", "incident.assigned", "incident.graded",
        "incident.snoozed", "incident.woken",
    ]  # fmt: skip


def test_many_are_closed_with_one_outcome_and_note(source: Source, ada: Client) -> None:
    rows = [incident(source, number, verdict_passed=number == 2) for number in range(3)]
    text = act(ada, "close", *rows, outcome="real and fixed", here="tab=all&q=Incident")
    assert "Closed 2." in text
    assert "Give the reason" in text, "one contradicts its verdict, and there was no note"
    text = act(ada, "close", rows[2], outcome="real and fixed", note="Deploy 7 broke it.")
    assert "Closed 1." in text
    resolution = Resolution.objects.get(incident=rows[2])
    assert (resolution.outcome, resolution.reason) == ("real and fixed", "Deploy 7 broke it.")


def test_the_list_is_the_same_after_an_act(source: Source, ada: Client) -> None:
    one = incident(source, severity="critical")
    response = ada.post(
        "/queue/act/", {"do": f"acknowledge:{row(one)}", "here": "tab=all&severity=critical&edit=4&x=1"}
    )
    assert response["Location"].startswith("/?tab=all&severity=critical&did=")


def test_what_was_done_is_offered_to_be_taken_back_and_taken_back(source: Source, ada: Client) -> None:
    rows = [incident(source, number, severity="low") for number in range(2)]
    text = act(ada, "close", *rows, outcome="harmless", note="A test.")
    made = QueueAct.objects.get()
    assert f"/queue/undo/{made.pk}/" in text
    back = text_of(ada.post(f"/queue/undo/{made.pk}/", {}, follow=True))
    assert "Taken back: 2." in back, back[back.find('id="messages"') :][:600]
    assert not Resolution.objects.exists()
    assert len(titles(ada)) == 2
    assert kinds(rows[0]) == ["incident.closed", "incident.undone"]


def test_nothing_is_taken_back_twice_or_too_late_or_by_another(
    source: Source, ada: Client, make_user: MakeUser
) -> None:
    one = incident(source)
    act(ada, f"acknowledge:{row(one)}")
    made = QueueAct.objects.get()
    bea = a_person(make_user, "bea")
    assert "too late" in text_of(bea.post(f"/queue/undo/{made.pk}/", {}, follow=True))
    QueueAct.objects.update(at=timezone.now() - timedelta(seconds=12))
    assert "too late" in text_of(ada.post(f"/queue/undo/{made.pk}/", {}, follow=True))
    QueueAct.objects.update(at=timezone.now())
    assert "Taken back: 1." in text_of(ada.post(f"/queue/undo/{made.pk}/", {}, follow=True))
    assert "too late" in text_of(ada.post(f"/queue/undo/{made.pk}/", {}, follow=True))
    one.refresh_from_db()
    assert one.acknowledged_at is None


def test_what_somebody_else_did_meanwhile_stays(source: Source, ada: Client, make_user: MakeUser) -> None:
    one = incident(source)
    act(ada, f"grade:{row(one)}", severity="info")
    one.refresh_from_db()
    bea = make_user("bea", role=Role.SUPPORT)
    services.assign(one.pk, by=bea, to=bea, version=one.version, now=timezone.now())
    text = text_of(ada.post(f"/queue/undo/{QueueAct.objects.get().pk}/", {}, follow=True))
    assert "has changed since" in text
    one.refresh_from_db()
    assert (one.severity, one.assignee) == ("info", bea)


def test_a_close_is_not_taken_back_over_a_newer_incident_of_the_same_key(source: Source, ada: Client) -> None:
    one = incident(source, sender_key="same")
    act(ada, "close", one, outcome="harmless", note="x")
    incident(source, 5, sender_key="same", title="newer")
    text = text_of(ada.post(f"/queue/undo/{QueueAct.objects.get().pk}/", {}, follow=True))
    assert "something new builds on that" in text
    one.refresh_from_db()
    assert one.state == State.CLOSED


def test_a_run_that_ended_while_its_incident_was_closed_leaves_it_to_a_person(
    source: Source, ada: Client
) -> None:
    one = incident(source, state=State.INVESTIGATING, verdict_passed=None)
    act(ada, "close", one, outcome="harmless")
    ada.post(f"/queue/undo/{QueueAct.objects.get().pk}/", {})
    one.refresh_from_db()
    assert one.state == State.REVIEW


def test_what_was_snoozed_comes_back_by_itself(source: Source) -> None:
    now = timezone.now()
    due = incident(source, 1, snoozed_until=now - timedelta(seconds=1))
    later = incident(source, 2, snoozed_until=now + timedelta(hours=1))
    assert queue_acts.wake_all(now) == 1
    assert list(Incident.objects.filter(shelf="snoozed")) == [later]
    assert kinds(due) == ["incident.woken"]


def test_what_cannot_be_taken_back_any_more_is_forgotten(source: Source, ada: Client) -> None:
    act(ada, f"acknowledge:{row(incident(source))}")
    queue_undo.forget(timezone.now())
    assert QueueAct.objects.count() == 1
    queue_undo.forget(timezone.now() + timedelta(days=2))
    assert QueueAct.objects.count() == 0


def test_a_row_is_changed_in_its_place_without_script(source: Source, ada: Client) -> None:
    one = incident(source)
    assert "q-edit" not in text_of(ada.get("/"))
    text = text_of(ada.get(f"/?edit={one.pk}"))
    assert f'value="grade:{one.pk}.0"' in text
    part = text_of(ada.get(f"/?edit={one.pk}", headers=HTMX))
    assert part.startswith('<div id="queue"')
    assert "ada" in text_of(ada.get("/queue/people/"))
