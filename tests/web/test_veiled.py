"""Whoever audits a pass finds out nowhere what was decided: every address is asked in their name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.test import RequestFactory, override_settings
from django.test.client import ClientHandler
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from accounts.models import User
from accounts.roles import Role
from accounts.tokens import Caller, Scope
from approvals.models import ActionRequest
from audit import reading
from incidents import editing, notes, services
from incidents.figures import upkeep
from incidents.models import Incident, PassAudit
from investigations.models import Investigation, Question
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web.matrix import routes, undone
from tests.web.pages import judged, signed_in, text_of
from tests.web.test_api import Api
from triage.mcp_tools import get_investigation

NAME = "walrus"
RULE = re.compile(r"job[ _]finished[ _]on[ _]retry")
# Each stands in what was decided and nowhere else: the draft, its edited text, what a person closed with.
DECIDED = {
    "draft": f"Job {NAME} finished on its retry",
    "edit": "Edited by heron",
    "answer": "Answered by osprey",
    "reason": "Reasoned by puffin",
    "note": "Noted by gannet",
    "question": "Asked by curlew",
    "proposal": "Proposed by dunlin",
}
VERDICT = re.compile(r'earned (a|its) pass|real and fixed|contradicts|"passed": ?(true|false)', re.I)
# What somebody else is shown of it, so that nothing is missing for want of being there.
KNOWN = ("/?tab=all", "/?tab=all&q=gannet", "/overrides/", "/incidents/{}/", "/mentions/")
# They name rules and verdicts whatever was decided about an incident; what they tell of one is looked at.
_CATALOGUES = re.compile(
    r"/(\?|$)|/(pulse|find|rules|figures|trials|overrides|tools|approvals|audits|agent)\b"
)


@dataclass(slots=True)
class Looked:
    """What the reviewer and somebody else got of each address, and of which incidents."""

    reviewer: User
    closed: Incident
    open: Incident
    third: int
    pages: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def looked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Looked]:
    with (
        django_db_blocker.unblock(), undone(), pytest.MonkeyPatch.context() as patch,
        override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]),
    ):  # fmt: skip
        world(patch)
        found = _furnished()
        addresses = _addresses(found)
        handler, root = ClientHandler(enforce_csrf_checks=False), User.objects.get(username="root")
        for person, pages, asked in ((found.reviewer, found.pages, addresses), (root, found.others, KNOWN)):
            key = str(signed_in(person).session.session_key)
            for address in asked:
                pages[address] = _page(handler, key, address.format(found.closed.pk))
            pages.update(_over_the_api(person, found))
        yield found


def _person(name: str, role: Role) -> User:
    user = User.objects.create_user(name, password="a long test password")
    user.groups.add(Group.objects.get(name=role.value))
    return user


def _furnished() -> Looked:
    """Make an incident that is closed against its pass and one that is open, both audited by bea."""
    source = make_source()
    closed, other = judged(source, name=NAME), judged(source, name=f"{NAME}-two")
    bea, now = _person("bea", Role.MANAGER), timezone.now()
    assert closed.verdict_passed
    assert other.verdict_passed
    ada = _person("ada", Role.SUPPORT)
    notes.write(closed, f"{DECIDED['note']} for @bea", by=ada, once="", now=now)
    editing.keep(closed.pk, DECIDED["edit"], base=0, by=ada, now=now)
    for each in (closed, other):
        Question.objects.create(
            incident_id=each.pk, asked_by="person:ada", text=DECIDED["question"], state="answered",
            answer=DECIDED["question"], created_at=now,
        )  # fmt: skip
        ActionRequest.objects.create(
            action="test.write", target="x", risk="low", reason=DECIDED["proposal"], proposed_by="model",
            incident_id=each.pk, proposed_at=now, decide_by=now + timedelta(hours=1),
        )  # fmt: skip
    closed.refresh_from_db()
    services.close(
        closed.pk, by=ada, outcome="real and fixed", answer=DECIDED["answer"], reason=DECIDED["reason"],
        version=closed.version, now=now,
    )  # fmt: skip
    upkeep.tend(timezone.now())
    audit = PassAudit.objects.get()
    assert (audit.incident_id, audit.reviewer) == (closed.pk, bea)
    last = Investigation.objects.get(incident_id=other.pk).verdicts.latest("pk")
    PassAudit.objects.create(
        incident=other, verdict_id=last.pk, rule=other.hypothesis, rule_version=1, why="trial", reviewer=bea,
        drawn_at=now, due_at=now + timedelta(days=1),
    )  # fmt: skip
    _person("root", Role.ADMINISTRATOR)
    return Looked(bea, closed, other, judged(source, name=f"{NAME}-three").pk)


def _addresses(found: Looked) -> list[str]:
    audit = PassAudit.objects.get(incident=found.closed)
    made = [
        "/?tab=all", "/?tab=closed", "/?tab=earned-a-pass", "/pulse/?tab=all", "/find/?q=walrus",
        "/?tab=all&q=retry", "/?tab=all&q=osprey", "/?tab=all&q=gannet", "/find/?q=osprey", "/find/?q=retry",
        "/entries/?actor=ada", f"/audits/{audit.pk}/",
    ]  # fmt: skip
    for row in (found.closed, found.open):
        run = Investigation.objects.get(incident_id=row.pk)
        question = Question.objects.get(incident_id=row.pk).pk
        made += [f"/entries/?incident={row.pk}", f"/api/v1/investigations/{run.pk}"]
        made += [f"/incidents/{row.pk}/record.{form}" for form in ("json", "md", "csv")]
        made += [f"/incidents/{row.pk}/questions/{question}/live/", f"/incidents/{row.pk}/runs/{run.pk}/"]
        made += [f"/approvals/{each.pk}/" for each in ActionRequest.objects.filter(incident_id=row.pk)]
        for entry in reading.of_incident(row.pk):
            made += [f"/entries/{entry.id}/", f"/entries/{entry.id}/proof"]
        for route in routes():
            if route.startswith("/incidents/<int:number>/") and route.count("<") == 1:
                made.append(route.replace("<int:number>", str(row.pk)))
    made += [f"/incidents/{found.third}/", f"/incidents/{found.third}/around/"]
    made.append("/rules/job_finished_on_retry/")
    return [*dict.fromkeys(made), *(route for route in routes() if "<" not in route and "/api/" not in route)]


def _page(handler: ClientHandler, key: str, address: str) -> str:
    """Without the test client, which keeps a copy of every template's context."""
    environ = RequestFactory().generic("GET", address).environ
    environ["HTTP_COOKIE"] = f"{settings.SESSION_COOKIE_NAME}={key}"
    return _text(handler(environ))


def _text(response: Any) -> str:
    if response.status_code != 200 or response.headers["Content-Type"] == "text/event-stream":
        return ""
    return text_of(response) if response.streaming else str(response.content.decode(errors="replace"))


def _over_the_api(person: User, found: Looked) -> dict[str, str]:
    """What a token of this person reads over the API and by MCP's tools."""
    api, told = Api(person, name=f"script-of-{person.username}"), {}
    asked = ["incidents", "incidents.csv", "incidents?passed=true", "investigations/own"]
    for row in (found.closed, found.open):
        run = Investigation.objects.get(incident_id=row.pk)
        asked += [f"incidents/{row.pk}{rest}" for rest in ("", "/entries", "/verdicts")]
        asked += [f"investigations/{run.pk}", f"investigations/{run.pk}/submission"]
        asked += [f"entries/{entry.id}" for entry in reading.of_incident(row.pk)]
        caller = Caller("script", person.pk, frozenset({Scope.READ}))
        try:
            told[f"mcp {row.pk}"] = json.dumps(get_investigation(caller, {"investigation": run.pk}))
        except Exception as refused:  # noqa: BLE001 any refusal is looked at as an agent reads it
            told[f"mcp {row.pk}"] = str(refused)
    for rest in asked:
        told[f"/api/v1/{rest}"] = _text(api.get(rest))
    return told


def _of_them(found: Looked, address: str, page: str) -> str:
    """What a page tells of the two incidents: all of it, and of a list the rows that name them."""
    if address.startswith("/api/v1/incidents") and page.startswith('{"incidents"'):
        ours = (found.closed.pk, found.open.pk)
        return json.dumps([row for row in json.loads(page)["incidents"] if row["number"] in ours])
    if address.startswith("/api/v1/incidents.csv"):
        return "\n".join(line for line in page.splitlines() if f"{NAME}-three" not in line)
    rows = re.findall(r"<(?:tr|li)\b.*?</(?:tr|li)>", page, re.DOTALL)
    link = re.compile(rf"(/incidents/|#)({found.closed.pk}|{found.open.pk})\b")
    is_of_others = _CATALOGUES.match(address) or address.startswith(f"/incidents/{found.third}/")
    return "\n".join(row for row in rows if link.search(row)) if is_of_others else page


def test_the_reviewer_reads_nowhere_what_was_drafted_answered_or_noted(looked: Looked) -> None:
    told = {
        (address, name) for address, page in looked.pages.items() for name, mark in DECIDED.items()
        if mark in page and not (name == "draft" and f"{NAME}-three" in page and "?tab" not in address)
    }  # fmt: skip
    assert sorted(told) == []


def test_the_reviewer_reads_nowhere_which_rule_passed_it_or_how_it_ended(looked: Looked) -> None:
    told = set()
    for address, page in looked.pages.items():
        of_them = _of_them(looked, address, page)
        found = RULE.search(of_them) or VERDICT.search(of_them)
        if found:
            told.add((address, found.group(0)))
    assert sorted(told) == []


def test_the_reviewer_does_not_find_an_incident_by_the_words_of_what_was_decided(looked: Looked) -> None:
    for address in ("/?tab=all&q=osprey", "/?tab=all&q=gannet", "/?tab=all&q=retry", "/find/?q=osprey"):
        links = re.findall(r"/incidents/(\d+)/", looked.pages[address])
        assert not {str(looked.closed.pk), str(looked.open.pk)} & set(links), address
    assert f"/incidents/{looked.closed.pk}/" in looked.others["/?tab=all&q=gannet"]


def test_closing_does_not_tell_the_reviewer_whether_the_outcome_contradicts_the_verdict(
    looked: Looked,
) -> None:
    with pytest.raises(services.MoveRefused, match="Answer the audit first"):
        services.close(
            looked.open.pk, by=looked.reviewer, outcome="real and fixed", answer="", reason="",
            version=looked.open.version, now=timezone.now(),
        )  # fmt: skip


def test_everybody_else_reads_all_of_it(looked: Looked) -> None:
    """Without this the tests above would hold for pages that are empty."""
    told = {name for name, mark in DECIDED.items() if any(mark in page for page in looked.others.values())}
    assert told == set(DECIDED) - {"proposal"}
    api = f"/api/v1/incidents/{looked.closed.pk}"
    for address in ("/?tab=all", "/overrides/", api, f"mcp {looked.open.pk}"):
        assert RULE.search(looked.others[address]), address
