"""No page holds anything that the policy would have to forbid, whatever is written into its fields."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from incidents.models import Delivery, Incident, Signal
from investigations.models import Draft
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.hostile import HIDDEN, TEXTS
from tests.web.pages import MakeUser, a_person, judged, text_of
from toolbox.connectors.base import Outcome
from triage.csp import POLICY

pytestmark = pytest.mark.django_db
_OURS = re.compile(r"^(hx-(get|post|target|swap|swap-oob|trigger|push-url|disabled-elt|sync))$")


class Tags(HTMLParser):
    """Every start tag of a page with its attributes, and the text outside text areas."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._in_area = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._in_area = tag == "textarea"

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._in_area = False

    def handle_data(self, data: str) -> None:
        if not self._in_area:
            self.text.append(data)


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def pages_of(incident: Incident) -> Iterator[str]:
    yield from ("/", "/?tab=all", "/deliveries/", "/rules/", "/log/", "/claims/new/")
    yield f"/incidents/{incident.pk}/"
    for delivery in Delivery.objects.all():
        yield f"/deliveries/{delivery.pk}/"
    for entry in reading.of_incident(incident.pk):
        for view in ("table", "tree", "raw"):
            yield f"/entries/{entry.id}/?as={view}"


def poisoned(connector: Scripted, text: str) -> Incident:
    """An incident with the text in every field that a sender, a tool or a person fills."""
    connector.answers["find_job"] = Outcome(
        Status.OBSERVED, {"job": {"state": text, text[:500]: text}, "rows": [{text[:500]: text}]}, reason=text
    )
    source = make_source(title=text[:120], oversized_count=1, oversized_last_sender=text[:64])
    make_source("claims", adapter="claim", title=text[:120])
    incident = judged(source, description=text)
    words = {text[:60]: text}
    Incident.objects.filter(pk=incident.pk).update(
        title=text[:300], severity=text[:20], labels=words, annotations=words, identifiers=words,
        verdict_reason=text, hypothesis=text[:120], sender_key=text[:200], sender_clock_note=text[:200],
    )  # fmt: skip
    Signal.objects.update(title=text[:300], effect=text[:20], event="comment", text=text, link=text)
    Delivery.objects.update(notes=[text], headers={text[:60]: text}, sender=text[:64], body=text.encode())
    return incident


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_text_is_only_text_on_every_page(connector: Scripted, make_user: MakeUser, text: str) -> None:
    incident = poisoned(connector, text)
    Draft.objects.update(text=f"{text}\n\n- {text}\n\n`{text}`")
    user = make_user("ada", role=Role.MANAGER, teams=[])
    user.first_name = text[:150]
    user.save()
    client = Client()
    client.force_login(user)
    for path in pages_of(incident):
        response = client.get(path)
        assert response.status_code == 200, path
        assert_clean(text_of(response), path)


def assert_clean(page: str, path: str) -> None:
    read = Tags(page)
    for tag, attributes in read.tags:
        assert tag not in ("style", "iframe", "object", "embed", "base", "form[action^=http]"), path
        if tag == "script":
            assert attributes["src"].startswith("/static/"), path
        if tag == "img":
            assert attributes["src"] == "/static/logo.svg", path
        for name, value in attributes.items():
            assert name != "style", path
            assert not name.startswith(("on", "data-hx", "hx-on", "hx-vals", "hx-vars")), path
            if name.startswith("hx-"):
                assert _OURS.match(name), f"{path}: {name}"
            if name in ("href", "src", "action", "hx-get", "hx-post"):
                assert value.startswith(("/", "#", "?")), f"{path}: {value}"
                assert not value.startswith("//"), path
    seen = "".join(read.text)
    for char in HIDDEN:
        assert char not in seen, f"{path}: U+{ord(char):04X} is hidden"
    assert "owned" not in [attributes.get("id") for _, attributes in read.tags]
    assert page.count("<h1>owned") == 0


def test_every_answer_carries_the_policy(make_user: MakeUser, client: Client) -> None:
    member = a_person(make_user)
    answers: list[Any] = [
        client.get("/sign-in/"),
        client.get("/healthz"),
        member.get("/"),
        member.get("/nowhere/"),
    ]
    answers += [member.get("/incidents/1/"), member.post("/incidents/1/close/")]
    for answer in answers:
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_an_unknown_address_has_a_page_that_leads_on(make_user: MakeUser, client: Client) -> None:
    for browser in (client, a_person(make_user)):
        response = browser.get("/nowhere/")
        assert response.status_code == 404
        assert "There is nothing here" in text_of(response)


def test_our_own_fault_has_a_page_without_a_database(client: Client) -> None:
    from django.test import RequestFactory
    from django.views.defaults import server_error

    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert "Something broke on our side" in text_of(response)


def test_a_database_that_is_away_has_a_page_that_says_to_try_again(
    client: Client, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("the server closed the connection unexpectedly")

    member = a_person(make_user)
    member.raise_request_exception = False
    monkeypatch.setattr("incidents.views.deliveries.render", away)
    response = member.get("/deliveries/")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert "The database does not answer" in text_of(response)
    monkeypatch.setattr("incidents.views.deliveries.render", lambda *_, **__: 1 / 0)
    assert member.get("/deliveries/").status_code == 500


def test_health_answers_without_a_session(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert client.post("/healthz").status_code == 405


def test_times_are_utc_text_for_who_runs_no_script(connector: Scripted, make_user: MakeUser) -> None:
    page = text_of(a_person(make_user).get(f"/incidents/{judged().pk}/"))
    assert re.search(r'<time datetime="[^"]+Z" title="[^"]+ UTC" data-time="moment">[^<]+ UTC<', page)
