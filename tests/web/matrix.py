"""Walks every address by every kind of visitor, in a world whose incident belongs to one team."""

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.test import RequestFactory, override_settings
from django.test.client import ClientHandler
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from accounts import tokens
from accounts.models import Team, User
from accounts.roles import Role
from approvals.models import ActionRequest
from audit import reading
from incidents.models import Delivery, Incident
from investigations.models import Investigation
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web import trialled
from tests.web.pages import judged, signed_in
from tests.web.signing import shown
from toolbox.models import Ask
from trials.models import Evaluation

MARK = "Mark of the payments team"
VISITORS = ("nobody", "no role", *(role.value for role in Role), "another team", "token")
METHODS = ("GET", "POST")
OTHER_METHODS = ("PUT",)
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
_FAST = {"PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"]}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one visitor got: the word of the table, the status, and the page where there was one."""

    word: str
    status: int
    text: str = ""
    kept: str = ""  # what the answer says of caches


@dataclass(slots=True)
class Walked:
    """The whole walk: cells by address, method and visitor, and the numbers that the marked things have."""

    cells: dict[tuple[str, str, str], Cell] = field(default_factory=dict)
    # An administrator once more: by a method that no page has, and from another site's page, without a token.
    others: dict[tuple[str, str], Cell] = field(default_factory=dict)
    unasked: dict[str, Cell] = field(default_factory=dict)
    incident: int = 0

    def routes(self) -> list[str]:
        """The addresses, in the order of the URL table."""
        return list(dict.fromkeys(route for route, _, _ in self.cells))


def routes() -> list[str]:
    """Return every address as Django's resolver has it, each once."""
    return list(dict.fromkeys(_routes(get_resolver(), "")))


def _routes(resolver: URLResolver, prefix: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield "/" + address.replace("^hooks/(?P<slug>[^/]+)/?$", "hooks/<slug:slug>/")
        else:
            yield from _routes(pattern, address)


@contextmanager
def undone() -> Iterator[None]:
    """Take back whatever is written inside, as a test of its own would."""
    atomic: Any = transaction.atomic()
    atomic._from_testcase = True  # so that durable blocks may begin inside, as they may in a test
    atomic.__enter__()
    try:
        yield
    finally:
        transaction.set_rollback(True)
        atomic.__exit__(None, None, None)


def walk() -> Walked:
    """Ask every address by every visitor, each time in the same world."""
    walked = Walked()
    with pytest.MonkeyPatch.context() as patch, override_settings(**_FAST):
        patch.setattr(logging.root.manager, "disable", logging.CRITICAL)
        world(patch)
        numbers = _furnish(walked)
        keys = _visitors()
        for route in routes():
            path = _filled(route, numbers)
            for method in METHODS:
                walked.cells.update(_row(route, path, method, keys))
            for method in OTHER_METHODS:
                walked.others[route, method] = _asked(path, method, keys["administrator"])
            if walked.cells[route, "POST", "administrator"].word != "–":
                walked.unasked[route] = _asked(path, "POST", keys["administrator"], is_ours=False)
    return walked


def _row(
    route: str, path: str, method: str, keys: dict[str, dict[str, str]]
) -> dict[tuple[str, str, str], Cell]:
    """What an address does not take from an administrator, it takes from nobody: they are not asked."""
    first = _asked(path, method, keys["administrator"])
    if first.word == "–":
        return {(route, method, visitor): first for visitor in VISITORS}
    return {
        (route, method, visitor): first if visitor == "administrator" else _asked(path, method, keys[visitor])
        for visitor in VISITORS
    }


def _furnish(walked: Walked) -> dict[str, str]:
    """Make one thing of each kind that an address can name; return what stands for which piece of one."""
    team = Team.objects.create(name="Payments", slug="payments")
    Team.objects.create(name="Platform", slug="platform")
    incident = judged(make_source(title=MARK, team=team))
    Incident.objects.filter(pk=incident.pk).update(title=f"{MARK}: a job failed")
    walked.incident = incident.pk
    now = timezone.now()
    ask = Ask.objects.create(
        rule=1, tool="find_job", caller="playbook", arguments_digest="0" * 64, incident=incident.pk,
        opened_at=now, expires_at=now + timedelta(hours=1),
    )  # fmt: skip
    write = ActionRequest.objects.create(
        action="test.write", target=MARK, risk="low", reason=MARK, proposed_by="model", team_id=team.pk,
        incident_id=incident.pk, proposed_at=now, decide_by=now + timedelta(hours=1),
    )  # fmt: skip
    drill, evaluation = trialled.drilled({1: "spam"}), trialled.evaluated()
    entry = next(entry.id for entry in reading.of_incident(incident.pk))
    return {
        "/incidents/<int:number>/": f"/incidents/{incident.pk}/",
        "/entries/<int:number>": f"/entries/{entry}",
        "/approvals/<int:number>/": f"/approvals/{write.pk}/",
        "/asks/<int:number>/": f"/asks/{ask.pk}/",
        "/deliveries/<int:number>/": f"/deliveries/{Delivery.objects.get().pk}/",
        "/api/v1/incidents/<int:number>": f"/api/v1/incidents/{incident.pk}",
        "/api/v1/entries/<int:number>": f"/api/v1/entries/{entry}",
        "/api/v1/investigations/<int:number>": f"/api/v1/investigations/{Investigation.objects.get().pk}",
        "/people/teams/<slug:slug>/": "/people/teams/payments/",
        "/tools/<slug:name>/": "/tools/find_job/",
        "/connectors/<slug:name>/": "/connectors/scripted/",
        "/rules/<slug:name>/": "/rules/job_finished_on_retry/",
        "/hooks/<slug:slug>/": "/hooks/prometheus/",
        "/trials/drills/<int:number>/review/<int:place>/": f"/trials/drills/{drill.pk}/review/1/",
        "/trials/drills/<int:number>/": f"/trials/drills/{drill.pk}/",
        "/trials/drill-runs/<int:number>": f"/trials/drill-runs/{drill.candidate_id}",
        "/trials/evaluations/<int:number>": f"/trials/evaluations/{evaluation.pk}",
        "/trials/evaluation-runs/<int:number>/": f"/trials/evaluation-runs/{_run_of(evaluation)}/",
        "/trials/golden/<int:number>/": f"/trials/golden/{trialled.golden().pk}/",
    }


def _run_of(evaluation: Evaluation) -> int:
    return evaluation.all_runs.values_list("pk", flat=True)[0]


def _visitors() -> dict[str, dict[str, str]]:
    """Return, for each visitor, the key of a session in which they have just shown a passkey, or a token."""
    payments, platform = Team.objects.order_by("name")
    keys: dict[str, dict[str, str]] = {"nobody": {}}
    roles = {"no role": None, **{role.value: role for role in Role}, "another team": Role.SUPPORT}
    for name, role in roles.items():
        user = User.objects.create_user(name.replace(" ", "-"), password="a long test password")
        user.teams.add(platform if name == "another team" else payments)
        if role:
            user.groups.add(Group.objects.get(name=role.value))
        client = signed_in(user)
        shown(client, user, method="mfa", type="webauthn")
        session = client.session
        session["seen_at"] = time.time()
        session.save()
        keys[name] = {"session": str(session.session_key)}
    every = tuple(scope.value for scope in tokens.Scope)
    wanted = tokens.Wanted("every-scope", every, settings.BASE_URL, timedelta(days=1))
    owner = User.objects.get(username="administrator")
    _, secret = tokens.make(wanted, owner=owner, by="a test", now=timezone.now())
    keys["token"] = {"bearer": secret}
    return keys


def _filled(route: str, numbers: dict[str, str]) -> str:
    """Put what there is for the pieces of an address; what is never there for a piece that nothing fills."""
    for piece, with_it in numbers.items():
        if route.startswith(piece):
            route = with_it + route.removeprefix(piece)
            break
    return _PARAMETER.sub(lambda found: "999999" if "int:" in found.group(0) else "none", route)


def _asked(path: str, method: str, key: dict[str, str], *, is_ours: bool = True) -> Cell:
    """Without the test client, which keeps a copy of every template's context: here that is half the time."""
    headers = {"Authorization": f"Bearer {key['bearer']}"} if "bearer" in key else {}
    environ = RequestFactory().generic(method, path, headers=headers).environ
    if "session" in key:
        environ["HTTP_COOKIE"] = f"{settings.SESSION_COOKIE_NAME}={key['session']}"
    before = transaction.savepoint()
    try:
        response: Any = _handler(enforce_csrf_checks=not is_ours)(environ)
        text = "" if response.streaming else response.content.decode(errors="replace")
        shown = text if response.status_code == 200 else ""
        return Cell(_word(response), response.status_code, shown, response.headers.get("Cache-Control", ""))
    finally:
        transaction.savepoint_rollback(before)


@cache
def _handler(*, enforce_csrf_checks: bool) -> ClientHandler:
    """One for all requests: each new one would look all static files up again."""
    return ClientHandler(enforce_csrf_checks=enforce_csrf_checks)


def _word(response: Any) -> str:
    status, place = response.status_code, response.headers.get("Location", "")
    if status == 302 and place.startswith("/sign-in/"):
        return "sign in"
    if status == 302 and place.startswith("/step-up/"):
        return "show again"
    return {401: "token", 403: "no", 404: "404", 405: "–"}.get(status, "yes")
