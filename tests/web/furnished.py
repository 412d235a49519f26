"""The example shop in this process, one of each thing that a page can show, and a browser of each person."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import redis
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django.test import RequestFactory, override_settings
from django.test.client import ClientHandler
from django.utils import timezone

from accounts.models import Team
from approvals.models import BreakGlass, WriteSwitch
from incidents import folding, intake, services
from incidents.models import Identifier, Incident, PassAudit, Source
from investigations.models import Investigation
from tests.browser import furniture, furniture_writes, looking
from tests.browser.site import READER_PASSWORD, Site, shop_actions
from tests.db import shop
from tests.fakes import writes
from tests.flow.play import KEY
from tests.scripted import Endpoint, says
from tests.scripted.settings import endpoint_settings
from tests.servers import ROOT, Servers
from tests.web import trialled
from tests.web.forms import Form, Pairs, forms_of
from tests.web.pages import signed_in
from tests.web.signing import with_app
from toolbox import registry
from toolbox.models import Ask
from triage.demo import example, seeding
from triage.local.world import World

ADDRESS = "http://testserver"
_PROOF_LASTS = 120  # seconds; of five minutes


@dataclass(frozen=True, slots=True)
class Furnished:
    """What addresses are filled with, and the session's key of each person."""

    words: dict[str, str | int]
    keys: Mapping[str, str]
    proved: list[float]

    def path(self, path: str) -> str:
        """Fill an address."""
        return path.format_map(self.words)

    def get(self, who: str, path: str, **headers: str) -> Any:
        """Ask for a page."""
        return self._asked(RequestFactory().get(path, headers=headers).environ, who)

    def post(self, who: str, path: str, pairs: Pairs, **headers: str) -> Any:
        """Send a form as a browser does."""
        made = RequestFactory().post(
            path, urlencode(pairs, errors="surrogatepass"),
            content_type="application/x-www-form-urlencoded", headers={"Origin": ADDRESS, **headers},
        )  # fmt: skip
        return self._asked(made.environ, who)

    def forms(self, who: str, path: str) -> list[Form]:
        """The forms of a page that post."""
        return forms_of(self.get(who, path).content.decode(), path)

    def _asked(self, environ: dict[str, Any], who: str) -> Any:
        if time.monotonic() - self.proved[0] > _PROOF_LASTS:
            self._prove_again()
        if who:
            environ["HTTP_COOKIE"] = f"{settings.SESSION_COOKIE_NAME}={self.keys[who]}"
        return _handler()(environ)

    def _prove_again(self) -> None:
        """Whoever has just shown who they are has just done so again."""
        self.proved[0] = time.monotonic()
        for key in self.keys.values():
            session = SessionStore(key)
            for each in session.get("account_authentication_methods", ()):
                each["at"] = time.time()
            if session.exists(key):
                session.modified = True
                session.save()


@cache
def _handler() -> ClientHandler:
    """One for all requests: each new one would look all static files up again."""
    return ClientHandler(enforce_csrf_checks=False)


@contextmanager
def committed(servers: Servers) -> Iterator[None]:
    """A database in which commits are real, cloned anew afterwards, and the broker emptied."""
    yield
    connections.close_all()
    servers.clone()
    with closing(redis.from_url(servers.redis_url)) as broker:
        broker.flushall()


@contextmanager
def furnished(servers: Servers, folder: Path) -> Iterator[Furnished]:
    """Furnish the database that is at hand; commits are real."""
    world = World(folder)
    world.load(servers.postgres.dsn("postgres"), READER_PASSWORD)
    named = world.variables(ROOT, servers.postgres.dsn("shop", "shop_reader"))
    told = {
        "TRIAGE_TOOLS": [Path(named["TRIAGE_TOOLS"])],
        "TRIAGE_CONNECTORS": named["TRIAGE_CONNECTORS"],
        "TRIAGE_ACTIONS": str(shop_actions(folder)),
        "MODEL_ENDPOINTS": endpoint_settings(
            default={"base_url": "https://models.example.com/v1", "model": "old-1"},
            candidate={"base_url": "http://localhost:8080/candidate", "model": "new-1"},
        ),
    }
    model = Endpoint(lambda request: says("The script of this test says nothing."))
    with pytest.MonkeyPatch.context() as patch, override_settings(**told):
        for name in ("SHOP_READER_URL", "SHOP_LOGS"):
            patch.setenv(name, named[name])
        patch.setenv(writes.FOLDER, str(folder))
        shop.forget()
        try:
            yield _furnished(world, folder, model)
        finally:
            model.close()
            registry.current().close()
            shop.forget()


def _furnished(world: World, folder: Path, model: Endpoint) -> Furnished:
    seeding.seed_people(example.people())
    seeding.seed_sources(example.sources(), KEY)
    seeding.acknowledge_tools()
    for one in _enough(example.postings(world.now)):
        source = Source.objects.get(slug=one.source)
        taken = intake.receive(
            source, one.body, {"content-type": one.content_type}, "192.0.2.1", timezone.now()
        )
        folding.fold(taken.pk, timezone.now())
    for run in Investigation.objects.filter(state="queued"):
        services.investigate(run.pk, now=timezone.now())
    rows = Incident.objects.order_by("-pk").values_list("title", "pk")
    passwords = {one["username"]: one["password"] for one in example.people()}
    site = Site(ADDRESS, passwords, dict(rows), (), model, folder)
    words = furniture.furnish(site)
    words |= furniture_writes.furnish(folder, int(words["worked"]))
    words |= _for_each_form(folder, int(words["worked"]))
    return Furnished({**words, **passwords}, looking.keys_of(passwords), [time.monotonic()])


def _enough(postings: list[example.Posting]) -> list[example.Posting]:
    """The first alerts and every claim: as many incidents as the furniture stands on."""
    alerts = [one for one in postings if one.source == "prometheus"]
    return [*alerts[:2], *(one for one in postings if one.source == "support-form")]


def _for_each_form(folder: Path, incident: int) -> furniture.Words:
    """What only forms need: nothing here is shown in the docs."""
    now = timezone.now()
    for scope in ("global", "action:stock.set_count", *(f"team:{team.pk}" for team in Team.objects.all())):
        WriteSwitch.objects.update_or_create(
            scope=scope, defaults={"writes_enabled": True, "changed_at": now, "changed_by": "person:oskar"}
        )
    waiting = Ask.objects.filter(answer="")[0]
    waiting.pk, waiting.arguments_digest = None, "5" * 64
    waiting.save(force_insert=True)
    PassAudit.objects.filter(answered_at=None).update(reviewer=None)
    for name in ("katarina", "katarina", "katarina", "elif"):
        UserSession.objects.create(
            user=furniture.someone(name), session_key=_open_session(name), ip="192.0.2.9", user_agent="x"
        )
    Identifier.objects.create(
        incident_id=incident, name="order", value="ORD-1042", origin="model", named_by="model", named_at=now
    )
    with_app(furniture.someone("sofie"))
    RecoveryCodes.activate(furniture.someone("sofie"))
    BreakGlass.objects.filter(holder=furniture.someone("katarina")).delete()
    edited, withdrawn, contested = furniture_writes.proposed(
        folder, incident, "article-edited", "article-withdrawn", "article-contested"
    )
    spare = Incident.objects.filter(state="review", assignee=None, source__slug="support-form").order_by("pk")
    return {
        **{f"spare_{place}": one.pk for place, one in enumerate(spare[:4], start=1)}, "contested": contested,
        "edited": edited, "withdrawn": withdrawn, "promotable": trialled.drilled({}, lenient=True).pk,
        "last": "", "mats_id": furniture.someone("mats").pk,
    }  # fmt: skip


def _open_session(name: str) -> str:
    return str(signed_in(furniture.someone(name)).session.session_key)
