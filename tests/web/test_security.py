"""One's own security page: apps, recovery codes, passwords, sessions, each change an entry."""

import re
import time
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from tests.web.pages import MakeUser, signed_in, text_of
from tests.web.signing import PASSWORD, SECRET, code, entries, fresh, with_app

pytestmark = pytest.mark.django_db


def sign_in(browser: str = "") -> Client:
    client = Client(headers={"User-Agent": browser})
    assert client.post("/sign-in/", {"username": "ada", "password": PASSWORD}).status_code == 302
    return client


@pytest.mark.parametrize(
    "path",
    [
        "app/",
        "app/remove/",
        "passkeys/add/",
        "codes/",
        "codes/new/",
        "passkeys/1/remove/",
        "passkeys/1/rename/",
    ],
)
def test_nothing_that_opens_the_account_changes_without_a_proof(make_user: MakeUser, path: str) -> None:
    client = signed_in(make_user("ada"))
    for answer in (client.get(f"/account/security/{path}"), client.post(f"/account/security/{path}")):
        assert answer.headers["Location"].startswith("/step-up/")


def test_an_app_is_set_up_with_a_right_code_and_brings_recovery_codes_shown_once(make_user: MakeUser) -> None:
    user = make_user("ada", role=Role.SUPPORT)
    client = fresh(user)
    page = text_of(client.get("/account/security/app/"))
    (secret,) = re.findall(r'value="([A-Z2-7]{32})"', page)
    assert "data:image/svg+xml" in page
    assert client.post("/account/security/app/", {"code": "000000"}).status_code == 422
    assert not Authenticator.objects.exists()
    session = client.session
    session["mfa.totp.secret"] = SECRET
    session.save()
    assert secret != SECRET
    response = client.post("/account/security/app/", {"code": code()})
    assert response.headers["Location"] == "/account/security/codes/"
    assert [entry["method"] for entry in entries("second_factor.added")] == ["totp", "recovery_codes"]
    first = re.findall(r"<li>(\d{8})</li>", text_of(client.get("/account/security/codes/")))
    assert len(first) == 10
    again = text_of(client.get("/account/security/codes/"))
    assert "not shown again" in again
    assert not any(one in again for one in first)


def test_removing_the_app_is_an_entry(make_user: MakeUser) -> None:
    user = with_app(make_user("ada"))
    client = fresh(user, method="mfa", type="totp")
    assert client.get("/account/security/app/remove/").status_code == 200
    assert client.post("/account/security/app/remove/").status_code == 302
    assert not Authenticator.objects.exists()
    assert entries("second_factor.removed")[0]["username"] == "ada"


def test_a_passkey_of_somebody_else_is_not_there(make_user: MakeUser) -> None:
    other = Authenticator.objects.create(user=make_user("ben"), type="webauthn", data={"name": "key"})
    client = fresh(make_user("ada"))
    for act in ("rename", "remove"):
        assert client.post(f"/account/security/passkeys/{other.pk}/{act}/", {"name": "x"}).status_code == 404
    assert Authenticator.objects.get().data == {"name": "key"}


def test_an_invented_passkey_is_not_added(make_user: MakeUser) -> None:
    client = fresh(make_user("ada"))
    client.get("/account/security/passkeys/add/")
    for credential in ("", "{}", '{"response": {}}', "[]", "[" * 5_000, "9" * 5_000):
        answer = client.post("/account/security/passkeys/add/", {"name": "x", "credential": credential})
        assert answer.status_code == 422
    assert not Authenticator.objects.exists()


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(make_user: MakeUser) -> None:
    make_user("ada", role=Role.SUPPORT)
    here, there = sign_in(), sign_in()
    wanted = {"current": PASSWORD, "password": "quite another password", "again": "quite another password"}
    assert here.post("/account/security/password/", {**wanted, "current": "guess"}).status_code == 422
    assert here.post("/account/security/password/", {**wanted, "again": "else"}).status_code == 422
    assert (
        here.post(
            "/account/security/password/", {**wanted, "password": "short", "again": "short"}
        ).status_code
        == 422
    )
    assert there.get("/").status_code == 200
    assert here.post("/account/security/password/", wanted).status_code == 302
    assert (here.get("/").status_code, there.get("/").status_code) == (200, 302)
    assert [entry["kind"] for entry in entries("password")] == ["password.changed"]
    assert [row.session_key for row in UserSession.objects.all()] == [here.session.session_key]


def test_sessions_are_listed_and_ended_one_by_one(make_user: MakeUser) -> None:
    make_user("ada", role=Role.SUPPORT)
    here, there = sign_in(), sign_in("A phone <b>")
    page = text_of(here.get("/account/sessions/"))
    assert "A phone &lt;b&gt;" in page
    assert "this one" in page
    other = UserSession.objects.get(session_key=there.session.session_key)
    assert here.post(f"/account/sessions/{other.pk}/end/").status_code == 302
    assert (here.get("/").status_code, there.get("/").status_code) == (200, 302)
    assert entries("session.ended")[0]["sessions"] == 1
    assert here.post(f"/account/sessions/{other.pk}/end/").status_code == 404


def test_a_session_is_seen_again_after_five_minutes_and_not_before(make_user: MakeUser) -> None:
    make_user("ada", role=Role.SUPPORT)
    client = sign_in()
    client.get("/account/sessions/")
    long_ago = timezone.now() - timedelta(hours=1)
    for seconds, is_moved in ((200, False), (301, True)):
        UserSession.objects.update(last_seen_at=long_ago)
        session = client.session
        session["seen_at"] = time.time() - seconds
        session.save()
        client.get("/account/sessions/")
        assert (UserSession.objects.get().last_seen_at > long_ago) is is_moved


def test_nobody_ends_anybody_elses_session(make_user: MakeUser) -> None:
    make_user("ada", role=Role.SUPPORT)
    theirs = sign_in()
    mine = signed_in(make_user("ben", role=Role.SUPPORT))
    row = UserSession.objects.get()
    assert mine.post(f"/account/sessions/{row.pk}/end/").status_code == 404
    assert theirs.get("/").status_code == 200


def test_all_other_sessions_end_at_once(make_user: MakeUser) -> None:
    make_user("ada", role=Role.SUPPORT)
    browsers = [sign_in() for _ in range(3)]
    assert browsers[0].post("/account/sessions/end-others/").status_code == 302
    assert [browser.get("/").status_code for browser in browsers] == [200, 302, 302]


def test_the_profile_keeps_a_time_zone_and_a_look_and_no_address(make_user: MakeUser) -> None:
    user = make_user("ada", role=Role.SUPPORT)
    client = signed_in(user)
    form = {"first_name": "Ada", "last_name": "L", "time_zone": "Europe/Vienna", "theme": "dark"}
    assert client.post("/account/", {**form, "time_zone": "Mars/Base"}).status_code == 422
    response = client.post("/account/", {**form, "email": "root@example.com", "is_superuser": "on"})
    assert (response.status_code, response.cookies["theme"].value) == (302, "dark")
    user = User.objects.get()
    assert (user.time_zone, user.theme, user.email, user.is_superuser) == ("Europe/Vienna", "dark", "", False)
    assert 'data-zone="Europe/Vienna"' in text_of(client.get("/"))


def test_the_security_page_says_what_is_missing(make_user: MakeUser) -> None:
    user = make_user("ada", role=Role.SUPPORT)
    client = signed_in(user)
    assert "Your password alone opens this account" in text_of(client.get("/account/security/"))
    with_app(user)
    assert "Your password alone opens this account" not in text_of(client.get("/account/security/"))
