"""A headless Chromium, and the application to look at. One of each for all browser tests."""

import os
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django import DjangoDbBlocker

from tests.browser.site import Site, serve
from tests.conftest import require_program
from tests.servers import ROOT, Servers

# As root and in containers; the rest keeps the browser from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = ROOT / "artifacts" / "screenshots"
SIZES = {1440: 900, 390: 844}
# Each width and each look once; every pair of them with FULL=1.
LOOKS = (
    list(product(sorted(SIZES), ("light", "dark")))
    if os.environ.get("FULL") == "1"
    else [(1440, "light"), (390, "dark")]
)

expect.set_options(timeout=60_000)  # what takes longer than that on a busy machine does not come at all


@pytest.fixture(scope="package")
def site(
    servers: Servers,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The example shop's incidents, judged, behind a running web process."""
    require_program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    with django_db_blocker.unblock(), serve(servers, tmp_path_factory.mktemp("shop")) as served:
        yield served
    servers.clone()


@pytest.fixture(scope="package")
def browser(site: Site) -> Iterator[Browser]:
    """One browser; a test has windows of its own. Made after the site: its loop shuts the ORM out."""
    path = require_program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield launched
        launched.close()


class Window:
    """A page with its console, its failures and everywhere it wrote to."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._see(request.url))

    def open(self, path: str) -> Page:
        """Go to a path of the site."""
        self.page.goto(f"{self.address}{path}")
        return self.page

    def sign_in(self, site: Site, name: str = "katarina") -> "Window":
        """Sign in by what the form sends, without showing the form; open the queue."""
        context, address = self.page.context, f"{self.address}/sign-in/"
        context.request.get(address)
        token = next(one["value"] for one in context.cookies() if one["name"] == "csrftoken")
        form: dict[str, Any] = {
            "csrfmiddlewaretoken": token,
            "username": name,
            "password": site.passwords[name],
        }
        answer = context.request.post(address, form=form, headers={"Referer": address}, max_redirects=0)
        assert answer.status == 302, f"{name} may not sign in: {answer.status}"
        self.open("/")
        return self

    def sign_in_by_form(self, site: Site, name: str = "katarina") -> "Window":
        """Sign in as a person does."""
        self.open("/sign-in/")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(site.passwords[name])
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url(f"{self.address}/")
        return self

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _see(self, url: str) -> None:
        if not url.startswith((f"{self.address}/", "data:")):
            self.strangers.append(url)


OpenWindow = Callable[..., Window]


@pytest.fixture
def window(browser: Browser, site: Site) -> Iterator[OpenWindow]:
    """Open windows: `window(width=390, look="dark", script=False)`."""
    contexts = []

    def open_one(*, width: int = 1440, look: Any = "light", script: bool = True) -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": SIZES[width]},
            color_scheme=look,
            java_script_enabled=script,
            timezone_id="Europe/Vienna",
            locale="en-GB",
        )
        context.set_default_timeout(60_000)
        contexts.append(context)
        return Window(context.new_page(), site.address)

    yield open_one
    for context in contexts:
        context.close()
