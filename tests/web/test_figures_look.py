"""The figures, audits and stamps as a browser shows them, with enough behind them to fill every chart."""

import mimetypes
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, sync_playwright

from accounts.models import User
from accounts.roles import Role
from incidents.figures import audits, recount
from incidents.models import Incident, PassAudit
from tests.browser.conftest import ARGUMENTS, SCREENSHOTS
from tests.browser.looking import serious
from tests.conftest import require_program
from tests.db import generated_figures
from tests.web.pages import MakeUser, signed_in

pytestmark = pytest.mark.django_db
LOOKS: tuple[tuple[Any, int], ...] = (("light", 1440), ("dark", 390))
PAGES = (
    "/figures/?span=91",
    "/figures/?span=91&print=1",
    "/figures/?from=2001-01-01&to=2001-01-02",
    "/audits/",
)


def answered_from(pages: dict[str, bytes], route: Route) -> None:
    """Answer a browser's request: pages were asked for before, as a browser's loop shuts the ORM out."""
    address = route.request.url.removeprefix("http://localhost")
    if address in pages:
        route.fulfill(body=pages[address], content_type="text/html; charset=utf-8")
    elif address.startswith("/static/"):
        found = Path(str(finders.find(address.removeprefix("/static/").partition("?")[0])))
        kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
        route.fulfill(body=found.read_bytes(), content_type=kind)
    else:
        route.fulfill(status=204)


@pytest.fixture
def mia(make_user: MakeUser) -> User:
    """A manager of ten weeks of incidents, with audits to do."""
    now, ada, mia = timezone.now(), make_user("ada", role=Role.SUPPORT), make_user("mia", role=Role.MANAGER)
    generated_figures.write(generated_figures.make_up(150, now=now), ada)
    recount.recount(now)
    audits.draw(now)
    PassAudit.objects.filter(closer=ada).update(reviewer=mia)
    return mia


@pytest.fixture
def pages(mia: User) -> dict[str, bytes]:
    """Every page of the figures, as the manager gets it."""
    incident = Incident.objects.earliest("pk")
    audit = PassAudit.objects.filter(reviewer=mia).first()
    assert audit is not None
    client = signed_in(mia)
    found = {}
    for path in (*PAGES, f"/audits/{audit.pk}/", f"/incidents/{incident.pk}/stamps/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        found[path] = answer.content
    return found


@pytest.fixture
def browser(pages: dict[str, bytes]) -> Iterator[Browser]:
    """A browser that is gone before the database is."""
    path = require_program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield launched
        launched.close()


def test_each_page_is_free_of_barriers_and_fits_its_screen(browser: Browser, pages: dict[str, bytes]) -> None:
    for look, width in LOOKS:
        context = browser.new_context(color_scheme=look, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.route("**/*", partial(answered_from, pages))
        for place, path in enumerate(pages):
            page.goto(f"http://localhost{path}")
            page.screenshot(path=SCREENSHOTS / f"figures-{place}-{look}-{width}.png", full_page=True)
            assert serious(page) == [], path
            assert not overflows(page), path
        context.close()


def overflows(page: Page) -> bool:
    """Whether the page has to be moved sideways to be read."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
