"""What counts as one form sent twice, and what does not: the rule behind the forms of every page."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import sentforms
from accounts.models import SentForm, Team, User
from accounts.roles import Role
from tests.web.pages import HTMX, MakeUser, signed_in, text_of
from tests.web.signing import fresh

pytestmark = pytest.mark.django_db
TEAMS = "/people/teams/"


@pytest.fixture
def root(make_user: MakeUser) -> User:
    return make_user("root", role=Role.ADMINISTRATOR)


def send(client: Client, name: str, token: str = "of one page", **more: Any) -> Any:
    return client.post(TEAMS, {"name": name, "csrfmiddlewaretoken": token}, **more)


def test_the_second_is_led_where_the_first_was_and_told_so(root: User) -> None:
    client = signed_in(root)
    assert send(client, "Bank").headers["Location"] == TEAMS
    second = send(client, "Bank", follow=True)
    assert second.redirect_chain == [(TEAMS, 302)]
    assert "It was carried out once" in text_of(second)
    assert Team.objects.count() == 1


def test_a_part_of_a_page_that_is_sent_twice_has_the_page_loaded_again(root: User) -> None:
    client = signed_in(root)
    send(client, "Bank", headers=HTMX)
    assert send(client, "Bank", headers=HTMX).headers["HX-Refresh"] == "true"


@pytest.mark.parametrize("tokens", [("", ""), ("of one page", "of another page")])
def test_a_form_of_another_page_or_of_a_program_is_another_form(root: User, tokens: tuple[str, str]) -> None:
    client = signed_in(root)
    assert [send(client, "Bank", token).status_code for token in tokens] == [302, 422]


def test_a_refused_form_is_sent_again(root: User) -> None:
    client = signed_in(root)
    Team.objects.create(name="Bank", slug="bank")
    assert send(client, "Bank").status_code == 422
    Team.objects.all().delete()
    assert send(client, "Bank").status_code == 302
    assert Team.objects.count() == 1


def test_a_form_that_waits_for_a_step_up_is_sent_again_after_it(root: User) -> None:
    sent = {"email": "new@example.com", "role": "support", "csrfmiddlewaretoken": "of one page"}
    late = signed_in(root)
    assert late.post("/people/invitations/", sent).headers["Location"].startswith("/step-up/?")
    assert "/invitations/" in text_of(fresh(root).post("/people/invitations/", sent))


def test_the_same_form_of_somebody_else_is_theirs(root: User, make_user: MakeUser) -> None:
    other = make_user("other", role=Role.ADMINISTRATOR)
    assert send(signed_in(root), "Bank").status_code == 302
    assert send(signed_in(other), "Bank").status_code == 422, "it was taken for the first person's"


def test_who_died_in_the_middle_leaves_the_form_to_the_next_and_all_is_forgotten_after_a_day() -> None:
    now = timezone.now()
    assert sentforms.take("a" * 64, now=now)
    assert not sentforms.take("a" * 64, now=now + timedelta(seconds=60))
    assert sentforms.take("a" * 64, now=now + timedelta(minutes=3))
    sentforms.note_done("a" * 64, "/")
    assert not sentforms.take("a" * 64, now=now + timedelta(hours=1))
    sentforms.forget(now + timedelta(days=2))
    assert not SentForm.objects.exists()


def on_its_way(root: User) -> Client:
    """Return a browser whose form is taken by a first request that is not through, as the database has it."""
    client = signed_in(root)
    send(client, "Bank")
    SentForm.objects.update(is_done=False, sent_at=timezone.now())
    return client


def test_whoever_has_two_copies_waiting_is_answered_at_once(
    root: User, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, pauses = on_its_way(root), 0

    def pause(_: float) -> None:
        nonlocal pauses
        pauses += 1

    monkeypatch.setattr("accounts.sentforms.time.sleep", pause)
    with sentforms._waits(root), sentforms._waits(root):
        assert "is being carried out" in text_of(send(client, "Bank", follow=True))
        assert pauses == 0, "a third thread was held"
        with sentforms._waits(make_user("other")):
            pass  # what one person sends keeps nobody else from waiting
    assert "is being carried out" in text_of(send(client, "Bank", follow=True))
    assert pauses > 10, "it was not waited for"
    assert Team.objects.count() == 1


def test_who_waits_leaves_the_connection_to_whom_they_wait_for(
    root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_its_way(root)
    done: list[str] = []

    def pause(_: float) -> None:
        done.append("paused")
        SentForm.objects.update(is_done=True)

    # Outside of a test no transaction is open.
    outside = SimpleNamespace(in_atomic_block=False, close=lambda: done.append("given back"))
    monkeypatch.setattr(sentforms, "connection", outside)
    monkeypatch.setattr("accounts.sentforms.time.sleep", pause)
    assert sentforms.outcome(SentForm.objects.get().pk, root)
    assert done == ["given back", "paused"]
