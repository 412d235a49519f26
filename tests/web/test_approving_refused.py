"""Who cannot approve: a token, an agent, a person without a proof or without the role, on every address."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from accounts.roles import Role
from approvals.models import ActionRequest, Breaker, BreakGlass, Decision, Freeze, WriteSwitch
from approvals.urls import urlpatterns
from assay_core.results import Status
from tests.db import investigated, writing
from tests.db.writing import World
from tests.web.pages import signed_in
from tests.web.signing import entries, shown
from toolbox import gateway
from toolbox.scope import CallScope

pytestmark = pytest.mark.django_db
# A new address stands in one of these two, or the test below is red.
READING = {
    "approvals", "approval", "approval_gates", "write_switch", "breakers", "calendar", "glass", "attention",
}  # fmt: skip
CHANGING = {
    "approval_decide": "/approvals/{request}/decide/",
    "approval_edit": "/approvals/{request}/edit/",
    "approval_withdraw": "/approvals/{request}/withdraw/",
    "approval_settle": "/approvals/{request}/settle/",
    "approval_roll_back": "/approvals/{request}/roll-back/",
    "write_switch_flip": "/approvals/switch/flip/",
    "breaker_close": "/approvals/breakers/{breaker}/close/",
    "freeze_make": "/approvals/calendar/make/",
    "freeze_end": "/approvals/calendar/{freeze}/end/",
    "freeze_except": "/approvals/calendar/{freeze}/except/",
    "glass_break": "/approvals/glass/break/",
    "glass_review": "/approvals/glass/{glass}/review/",
}
# These loosen nothing: they take away or stop, and are open without a proof.
WITHOUT_PROOF = {"approval_edit", "approval_withdraw", "freeze_make", "glass_review"}
FORM = {
    "choice": "approve", "reason": "It has to be done now.", "because": "It has to be done now, at once.",
    "scope": "global", "to": "on", "outcome": "succeeded",
}  # fmt: skip


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    opened = writing.opened(make_user, monkeypatch, settings, tmp_path)
    opened.now = timezone.now()
    opened.probe()
    return opened


@pytest.fixture
def places(world: World) -> dict[str, Any]:
    """One thing of each kind that an address can name."""
    window = {"starts_at": world.now - timedelta(hours=1), "ends_at": world.now + timedelta(hours=1)}
    holder = world.person(Role.ADMINISTRATOR)
    freeze = Freeze.objects.create(title="A freeze", made_by="person:x", made_at=world.now, **window)
    breaker = Breaker.objects.create(action="a", target="t", opened_at=world.now, because="it failed")
    glass = BreakGlass.objects.create(
        holder=holder,
        reason="r",
        began_at=world.now - timedelta(hours=3),
        ends_at=world.now - timedelta(hours=2),
    )
    request = world.prepared()
    return {
        "request": request.pk, "digest": request.digest,
        "freeze": freeze.pk, "breaker": breaker.pk, "glass": glass.pk,
    }  # fmt: skip


def form(places: dict[str, Any]) -> dict[str, str]:
    return {**FORM, "digest": places["digest"], "request": str(places["request"])}


def nothing_moved(places: dict[str, Any]) -> bool:
    request = ActionRequest.objects.get(pk=places["request"])
    return (
        request.state == "proposed"
        and not Decision.objects.exists()
        and not Freeze.objects.exclude(ended_at=None).exists()
        and not Breaker.objects.exclude(closed_at=None).exists()
        and not BreakGlass.objects.exclude(reviewed_at=None).exists()
        and not WriteSwitch.objects.exclude(wanted_at=None).exists()
    )


def a_token(owner: User, name: str) -> str:
    every = tuple(scope.value for scope in tokens.Scope)
    wanted = tokens.Wanted(name, every, configured.BASE_URL, timedelta(days=1))
    return tokens.make(wanted, owner=owner, by="a test", now=timezone.now())[1]


def test_each_address_reads_or_changes() -> None:
    assert {pattern.name for pattern in urlpatterns} == READING | set(CHANGING)


@pytest.mark.parametrize("has_session", [False, True])
def test_a_token_is_refused_and_recorded_on_every_address_whatever_comes_with_it(
    world: World, places: dict[str, Any], has_session: bool
) -> None:
    """With a session too: whoever stole both gets no further than with one."""
    boss = world.person(Role.ADMINISTRATOR)
    addresses = [each.format(**places) for each in CHANGING.values()]
    api = [f"/api/v1/approvals/{places['request']}/decide", "/api/v1/approvals"]
    for place, address in enumerate([*addresses, *api]):
        client = Client(enforce_csrf_checks=True)
        if has_session:
            client.force_login(boss)
            shown(client, boss, method="mfa", type="webauthn")
        name = f"agent-{place}-{has_session}"
        headers = {"Authorization": f"Bearer {a_token(boss, name)}"}
        answer = client.post(address, form(places), headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (401, "people-only"), address
        refused = [entry for entry in entries("token.refused") if entry["token"] == name]
        assert [entry["via"] for entry in refused] == [f"POST {address}"]
    assert nothing_moved(places)


def test_a_token_sees_no_page_either(world: World, places: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {a_token(world.person(Role.ADMINISTRATOR), 'reader')}"}
    answer = Client().get(f"/approvals/{places['request']}/", headers=headers)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in/")


def test_nobody_is_sent_to_sign_in(places: dict[str, Any]) -> None:
    answer = Client().post(f"/approvals/{places['request']}/decide/", form(places))
    assert answer.headers["Location"] == f"/sign-in/?next=/approvals/{places['request']}/"
    assert nothing_moved(places)


def test_another_sites_form_is_refused(world: World, places: dict[str, Any]) -> None:
    client = Client(enforce_csrf_checks=True)
    person = world.person(Role.ON_CALL)
    client.force_login(person)
    shown(client, person, method="mfa", type="webauthn")
    assert client.post(f"/approvals/{places['request']}/decide/", form(places)).status_code == 403
    assert nothing_moved(places)


@pytest.mark.parametrize("name", sorted(set(CHANGING) - WITHOUT_PROOF))
def test_a_person_without_a_proof_is_refused_and_recorded(
    world: World, places: dict[str, Any], name: str
) -> None:
    person = world.person(Role.MANAGER)
    person.groups.add(Group.objects.get(name="break-glass"))
    world.person(Role.ON_CALL).groups.add(Group.objects.get(name="break-glass"))
    before = len(entries("write.move_refused"))
    answer = signed_in(person).post(CHANGING[name].format(**places), form(places))
    assert answer.status_code in (302, 422)
    if answer.status_code == 302:
        assert answer.headers["Location"].startswith("/step-up/")
    refused = entries("write.move_refused")[before:]
    assert [entry["actor"] for entry in refused] == [person.actor]
    assert nothing_moved(places)


@pytest.mark.parametrize("name", sorted(CHANGING))
def test_a_person_without_the_role_is_refused_and_recorded(
    world: World, places: dict[str, Any], name: str
) -> None:
    person = world.person(Role.AUDITOR)
    client = signed_in(person)
    shown(client, person, method="mfa", type="webauthn")
    before = len(entries("write.move_refused"))
    assert client.post(CHANGING[name].format(**places), form(places)).status_code == 403
    assert [entry["actor"] for entry in entries("write.move_refused")[before:]] == [person.actor]
    assert nothing_moved(places)


@pytest.mark.parametrize(
    "tool", ["decide", "approve_request", "execute", "test.set_number", "approvals.services"]
)
def test_an_agent_has_no_tool_that_decides_or_executes(
    world: World, places: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    investigated.world(monkeypatch)
    before = len(entries("tool.called"))
    called = gateway.call(
        tool, {"request": places["request"], "choice": "approve"}, CallScope(caller="model")
    )
    assert called.status is Status.REFUSED
    assert [entry["status"] for entry in entries("tool.called")[before:]] == ["refused"]
    assert nothing_moved(places)
