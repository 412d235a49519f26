"""Signing in and out: refusals first, each one an audit entry."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client

from accounts.models import User
from accounts.permissions import GRANTED
from accounts.roles import Role
from tests.web.pages import HTMX, MakeUser, signed_in, text_of

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"


def entries(kind: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.body FROM audit_entry e JOIN audit_payload p ON p.entry = e.id"
            " WHERE e.kind = %s ORDER BY e.id",
            [kind],
        )
        return [json.loads(row[0]) for row in cursor.fetchall()]


def try_to_sign_in(client: Client, name: str = "ada", password: str = PASSWORD, **values: str) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password, **values})


def test_a_wrong_password_is_refused_and_recorded(client: Client, make_user: MakeUser) -> None:
    make_user("ada")
    response = try_to_sign_in(client, password="wrong")
    assert response.status_code == 422
    assert "do not match" in text_of(response)
    assert entries("session.refused") == [
        {"username": "ada", "address": "127.0.0.1", "reason": "name and password do not match"}
    ]
    assert not entries("session.opened")


def test_a_name_that_no_account_has_is_not_kept(client: Client) -> None:
    assert try_to_sign_in(client, name="my-password-by-mistake").status_code == 422
    assert entries("session.refused")[0]["username"] is None


def test_a_switched_off_account_does_not_sign_in(client: Client, make_user: MakeUser) -> None:
    user = make_user("ada")
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert try_to_sign_in(client).status_code == 422
    assert len(entries("session.refused")) == 1


def test_the_sixth_try_waits_even_with_the_right_password(client: Client, make_user: MakeUser) -> None:
    make_user("ada")
    make_user("ben")
    for _ in range(5):
        assert try_to_sign_in(client, password="wrong").status_code == 422
    late = try_to_sign_in(client)
    assert late.status_code == 429
    assert "Wait 5 minutes" in text_of(late)
    assert entries("session.refused")[-1]["reason"] == "too many attempts"
    assert try_to_sign_in(Client(), name="ben").status_code == 302, "another name is not held up"


def test_a_success_forgets_the_failures_before_it(client: Client, make_user: MakeUser) -> None:
    make_user("ada")
    for _ in range(2):
        for _ in range(4):
            try_to_sign_in(Client(), password="wrong")
        assert try_to_sign_in(Client()).status_code == 302


def test_signing_in_and_out_is_recorded(client: Client, make_user: MakeUser) -> None:
    make_user("ada")
    response = try_to_sign_in(client, next="/deliveries/")
    assert (response.status_code, response.headers["Location"]) == (302, "/deliveries/")
    assert entries("session.opened")[0]["username"] == "ada"
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"
    assert entries("session.closed") == [{"username": "ada"}]
    assert client.get("/").status_code == 302


def test_signing_out_takes_a_post(client: Client) -> None:
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302, "and harms nobody who is not signed in"


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(client: Client, make_user: MakeUser, target: str) -> None:
    make_user("ada")
    assert try_to_sign_in(client, next=target).headers["Location"] == "/"


def test_who_lost_the_session_in_a_move_comes_back_to_the_incident(
    client: Client, make_user: MakeUser
) -> None:
    make_user("ada")
    assert try_to_sign_in(client, next="/incidents/7/close/").headers["Location"] == "/incidents/7/"


def test_a_part_of_a_page_without_a_session_sends_the_whole_page_to_sign_in(client: Client) -> None:
    there = "http://testserver/incidents/7/"
    response = client.get("/sign-in/?next=/pulse/", headers={**HTMX, "HX-Current-URL": there})
    assert response.headers["HX-Redirect"] == "/sign-in/?next=%2Fincidents%2F7%2F"


@pytest.mark.parametrize(
    "path", ["/", "/pulse/", "/incidents/1/", "/entries/1/", "/deliveries/", "/rules/", "/claims/new/"]
)
def test_no_page_opens_without_signing_in(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/")


def test_a_person_without_a_role_is_told_to_ask_for_one(make_user: MakeUser) -> None:
    response = signed_in(make_user("nobody")).get("/")
    assert response.status_code == 403
    assert "no role yet" in text_of(response)


@pytest.mark.parametrize("role", list(Role))
def test_each_role_has_exactly_its_permissions(role: Role) -> None:
    held = set(Group.objects.get(name=role).permissions.values_list("codename", flat=True))
    assert held == {permission.codename for permission in GRANTED[role]}


def test_the_look_is_remembered_and_only_one_of_three(client: Client) -> None:
    response = client.post("/theme/", {"theme": "dark", "next": "/sign-in/"})
    assert (response.status_code, response.cookies["theme"].value) == (302, "dark")
    assert 'data-theme="dark"' in text_of(client.get("/sign-in/"))
    assert "theme" not in Client().post("/theme/", {"theme": "<script>"}).cookies
    client.cookies["theme"] = '"><script>'
    assert 'data-theme="system"' in text_of(client.get("/sign-in/"))


def test_a_form_from_before_the_session_gets_a_page_that_says_what_to_do() -> None:
    response = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "ada"})
    assert response.status_code == 403
    assert "This form is too old" in text_of(response)


def test_the_login_address_of_the_settings_is_the_page() -> None:
    assert settings.LOGIN_URL == "/sign-in/"
