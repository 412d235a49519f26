"""Tokens: how they are made, used and ended, each with its audit entry, and what they never open."""

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import Token, User
from accounts.roles import Role
from audit import reading

pytestmark = pytest.mark.django_db
BASE = "https://assay.example"


def person(username: str = "ada", role: Role | None = Role.ON_CALL) -> User:
    from django.contrib.auth.models import Group

    made = User.objects.create_user(username)
    if role:
        made.groups.add(Group.objects.get(name=role.value))
    return made


def wanted(**more: Any) -> tokens.Wanted:
    usual: dict[str, Any] = {
        "name": "agent", "scopes": ("read", "tools"), "audience": BASE, "lasts": timedelta(days=1),
    }  # fmt: skip
    return tokens.Wanted(**{**usual, **more})


def make(owner: User, **more: Any) -> tuple[Token, str]:
    return tokens.make(wanted(**more), owner=owner, by="administrator", now=timezone.now())


def kinds() -> list[str]:
    return [entry["kind"] for entry in entries()]


def entries() -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM audit_entry WHERE kind LIKE 'token.%' ORDER BY id")
        numbers = [number for (number,) in cursor.fetchall()]
    found = [reading.entry(number) for number in numbers]
    return [
        {"kind": each.kind, "actor": each.actor, **each.payload}
        for each in found
        if each is not None and each.payload is not None
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "an agent"}, "is no name"),
        ({"name": "agent\n"}, "is no name"),
        ({"name": ""}, "is no name"),
        ({"name": "a" * 61}, "at most 60"),
        ({"scopes": ()}, "scopes=none"),
        ({"scopes": ("approve",)}, "scopes=approve: use some of ingest, read, tools, submit"),
        ({"scopes": ("read", "offline_access")}, "scopes=offline_access"),
        ({"lasts": timedelta(0)}, "more than 0 and at most 366 days"),
        ({"lasts": timedelta(days=-1)}, "more than 0"),
        ({"lasts": timedelta(days=367)}, "at most 366 days"),
    ],
)
def test_a_token_that_cannot_be_is_not_made_and_leaves_nothing(change: dict[str, Any], words: str) -> None:
    owner = person()
    with pytest.raises(tokens.TokenNotMade, match=re.escape(words)):
        make(owner, **change)
    assert (Token.objects.count(), kinds()) == (0, [])


@pytest.mark.parametrize(
    ("role", "scope"),
    [(None, "read"), (Role.AUDITOR, "tools"), (Role.AUDITOR, "submit"), (Role.AUDITOR, "ingest")],
)
def test_a_token_can_do_no_more_than_its_owner(role: Role | None, scope: str) -> None:
    with pytest.raises(tokens.TokenNotMade, match=f"does not allow {scope}"):
        make(person(role=role), scopes=(scope,))


def test_nobody_who_is_switched_off_owns_a_new_token() -> None:
    owner = person()
    owner.is_active = False
    with pytest.raises(tokens.TokenNotMade, match="switched off"):
        make(owner)


def test_a_name_is_given_once_even_when_its_token_is_over() -> None:
    owner = person()
    make(owner)
    tokens.revoke("agent", by="administrator", because="over", now=timezone.now())
    with pytest.raises(tokens.TokenNotMade, match="choose another"):
        make(owner)


def test_only_a_hash_of_the_secret_is_kept_anywhere() -> None:
    token, secret = make(person())
    assert re.fullmatch(r"assay_[A-Za-z0-9_-]{43}", secret)
    assert token.secret_digest == hashlib.sha256(secret.encode()).hexdigest()
    tokens.verify(secret, audience=BASE, now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(body, ' ') FROM audit_payload")
        (whole,) = cursor.fetchone()
    assert secret not in whole
    assert token.secret_digest not in whole
    assert secret[6:] not in json.dumps(list(Token.objects.values()), default=str)


def test_making_the_first_use_and_revoking_are_entries_and_further_uses_are_not() -> None:
    _, secret = make(person())
    now = timezone.now()
    for minute in range(3):
        tokens.verify(secret, audience=BASE, now=now + timedelta(minutes=minute))
    tokens.revoke("agent", by="person:ada", because="its host was replaced", now=now)
    assert kinds() == ["token.made", "token.first_used", "token.revoked"]
    made, used, revoked = entries()
    assert (made["actor"], made["owner"], made["scopes"]) == ("administrator", "ada", ["read", "tools"])
    assert used["actor"] == "token:agent"
    assert (revoked["actor"], revoked["because"]) == ("person:ada", "its host was replaced")
    last = Token.objects.get().last_used_at
    assert last is not None
    assert last >= now + timedelta(minutes=1)


def test_a_verified_token_says_who_is_behind_it_and_holds_no_secret() -> None:
    owner = person()
    _, secret = make(owner, tools=["find_job"], investigation=7)
    caller = tokens.verify(secret, audience=BASE, now=timezone.now())
    assert (caller.actor, caller.owner, caller.investigation) == ("token:agent", owner.pk, 7)
    assert caller.tools == frozenset({"find_job"})
    assert caller.scopes == {tokens.Scope.READ, tokens.Scope.TOOLS}
    assert secret not in repr(caller)


@pytest.mark.parametrize(
    "secret", ["", "x", "assay_", "assay_" + "A" * 43, "assay_" + "A" * 42 + "\n", "é" * 49]
)
def test_what_is_no_token_of_ours_is_refused_without_a_name(secret: str) -> None:
    with pytest.raises(tokens.TokenRefused) as refused:
        tokens.verify(secret, audience=BASE, now=timezone.now())
    assert refused.value.name == ""


@pytest.mark.parametrize(
    "audience", ["https://assay.example.evil.example", "http://assay.example", BASE + "/", ""]
)
def test_a_token_opens_only_the_address_that_it_was_made_for(audience: str) -> None:
    _, secret = make(person())
    with pytest.raises(tokens.TokenRefused, match=r"was made for https://assay\.example") as refused:
        tokens.verify(secret, audience=audience, now=timezone.now())
    assert refused.value.name == "agent"
    assert Token.objects.get().first_used_at is None


def test_a_token_ends_at_the_moment_it_says() -> None:
    token, secret = make(person())
    tokens.verify(secret, audience=BASE, now=token.expires_at - timedelta(microseconds=1))
    with pytest.raises(tokens.TokenRefused, match="has expired"):
        tokens.verify(secret, audience=BASE, now=token.expires_at)


def test_scopes_shrink_with_the_owners_role_and_come_back_with_it() -> None:
    from django.contrib.auth.models import Group

    owner = person()
    _, secret = make(owner)
    owner.groups.set([Group.objects.get(name="auditor")])
    assert tokens.verify(secret, audience=BASE, now=timezone.now()).scopes == {tokens.Scope.READ}
    owner.groups.set([Group.objects.get(name="on-call")])
    assert len(tokens.verify(secret, audience=BASE, now=timezone.now()).scopes) == 2


def test_a_superusers_token_has_what_was_asked_for() -> None:
    owner = User.objects.create_user("root", is_superuser=True)
    _, secret = make(owner, scopes=("ingest", "read", "tools", "submit"))
    assert len(tokens.verify(secret, audience=BASE, now=timezone.now()).scopes) == 4


def test_revoking_twice_and_revoking_nothing_are_refused() -> None:
    make(person())
    tokens.revoke("agent", by="administrator", because="over", now=timezone.now())
    with pytest.raises(tokens.TokenRefused, match="revoked already"):
        tokens.revoke("agent", by="administrator", because="over", now=timezone.now())
    with pytest.raises(tokens.TokenRefused, match="no token 'other'"):
        tokens.revoke("other", by="administrator", because="over", now=timezone.now())


def test_an_end_before_the_beginning_is_refused_by_the_database_too() -> None:
    token, _ = make(person())
    with pytest.raises(IntegrityError, match="token_ends_after_it_begins"), transaction.atomic():
        Token.objects.filter(pk=token.pk).update(expires_at=token.created_at)


def test_an_owner_cannot_be_deleted_from_under_a_token() -> None:
    from django.db.models import ProtectedError

    owner = person()
    make(owner)
    with pytest.raises(ProtectedError):
        owner.delete()


def test_a_token_opens_no_page_and_moves_no_incident() -> None:
    _, secret = make(person(), scopes=("ingest", "read", "tools", "submit"))
    browser = Client(headers={"Authorization": f"Bearer {secret}"})
    for address in ("/", "/incidents/1/", "/incidents/1/close/", "/entries/1/", "/rules/"):
        answer = browser.post(address) if address.endswith("close/") else browser.get(address)
        assert answer.status_code in (302, 403), address
        assert "/sign-in/" in answer.headers.get("Location", "/sign-in/")


def test_addtoken_shows_the_secret_once_and_it_opens(
    capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    settings.BASE_URL = BASE
    person()
    call_command("addtoken", "agent", "--owner", "ada", "--scope", "read", "--scope", "tools", "--days", "2")
    told = capsys.readouterr().out
    (secret,) = re.findall(r"^assay_\S{43}$", told, re.MULTILINE)
    caller = tokens.verify(secret, audience=BASE, now=timezone.now())
    assert caller.scopes == {tokens.Scope.READ, tokens.Scope.TOOLS}
    left = Token.objects.get().expires_at - datetime.now(UTC)
    assert timedelta(days=1, hours=23) < left <= timedelta(days=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("agent", "--owner", "nobody", "--scope", "read"), "nobody with the username 'nobody'"),
        (("agent", "--owner", "ada", "--scope", "read", "--days", "9" * 12), "at most 366 days"),
        (("agent", "--owner", "ada", "--scope", "read", "--days", "-" + "9" * 12), "at most 366 days"),
        (("agent", "--owner", "ada", "--scope", "everything"), "invalid choice"),
        (("agent", "--owner", "ada"), "--scope"),
        (("agent", "--owner", "ada", "--scope", "read", "--days", "0"), "more than 0"),
        (("agent", "--owner", "ada", "--scope", "read", "--days", "9999"), "at most 366"),
        (("agent", "--owner", "ada", "--scope", "submit", "--incident", "99"), "no incident 99"),
    ],
)
def test_addtoken_says_what_is_wrong_and_makes_nothing(arguments: tuple[str, ...], words: str) -> None:
    person()
    with pytest.raises(CommandError, match=re.escape(words)):
        call_command("addtoken", *arguments)
    assert Token.objects.count() == 0


def test_addtoken_says_when_a_tool_is_not_loaded(capsys: pytest.CaptureFixture[str], settings: Any) -> None:
    settings.BASE_URL = BASE
    person()
    call_command("addtoken", "agent", "--owner", "ada", "--scope", "tools", "--tool", "find_jbo")
    assert "No tool that is loaded here is named find_jbo: it waits for one." in capsys.readouterr().err
    assert Token.objects.get().tools == ["find_jbo"]


def test_revoketoken_ends_a_token_and_says_when_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    _, secret = make(person())
    call_command("revoketoken", "agent", "--because", "tests")
    assert "opens nothing from now on" in capsys.readouterr().out
    with pytest.raises(tokens.TokenRefused, match="revoked"):
        tokens.verify(secret, audience=BASE, now=timezone.now())
    with pytest.raises(CommandError, match="revoked already"):
        call_command("revoketoken", "agent", "--because", "tests")
