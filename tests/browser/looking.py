"""Looking at a page as a person and a program would: its status, axe, what stands out of it, its picture."""

import base64
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from playwright.sync_api import Browser, CDPSession, Dialog, Response, Route
from playwright.sync_api import Page as Tab

from tests.browser.pages import Page
from triage.csp import POLICY

SIZES = {1440: 900, 390: 844}
_WITHIN = {"elementRef": False, "iframes": False, "preload": False, "resultTypes": ["violations"]}
# The seventh of many alike says what the first six said; with FULL=1 all are asked.
_ALIKE = (
    []
    if os.environ.get("FULL") == "1"
    else [".rows tbody > tr:nth-child(n+7)", ".data tbody > tr:nth-child(n+7)", "li:nth-child(n+7)"]
)
_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
_RUN = """([exclude, options]) => axe
    .run({include: [["html"]], exclude: exclude.map((one) => [one])}, options)
    .then((found) => found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .flatMap((one) => one.nodes.slice(0, 3)
        .map((node) => `${one.id}: ${node.target} ${node.failureSummary}`)))"""
# Where the page can be pushed aside at all: what stands out of the window to the right.
_STICKING = """() => document.documentElement.scrollWidth <= innerWidth ? []
    : [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 8).map((one) => `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 40)}`)"""
# What a refusal is for, and a static file that somebody changed under the running server.
_NO_FAULT = ("the server responded with a status of", "ERR_CONTENT_LENGTH_MISMATCH")
_ROOM = 6_000  # pixels of a page that its picture shows


@cache
def _axe() -> str:
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def serious(tab: Tab, *, in_colours_alone: bool = False) -> list[str]:
    """Return each serious or critical barrier that axe finds, or those that another look could bring."""
    tab.evaluate(_axe())
    found: list[str] = tab.evaluate(_RUN, [_ALIKE, _WITHIN | (_COLOURS if in_colours_alone else {})])
    return found


def sticking_out(tab: Tab) -> list[str]:
    """Return what stands out of the window to the right."""
    found: list[str] = tab.evaluate(_STICKING)
    return found


@dataclass
class Seat:
    """One signed-in person's tab, with what the page complained of and everywhere it wrote to."""

    tab: Tab
    link: CDPSession
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def look(self, *, width: int, look: Any) -> None:
        """Give the window this width and the system this look, without loading the page again."""
        self.tab.set_viewport_size({"width": width, "height": SIZES[width]})
        self.tab.emulate_media(color_scheme=look, reduced_motion="reduce")

    def picture(self, file: Path) -> None:
        """Keep the whole page as a picture."""
        size = self.link.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "scale": 1, "width": size["width"], "height": min(size["height"], _ROOM)}
        wanted = {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": True, "clip": clip}
        taken = self.link.send("Page.captureScreenshot", wanted)
        file.write_bytes(base64.b64decode(taken["data"]))


# The sessions' keys by person; None while those that it gave before are good.
Keys = Callable[[], Mapping[str, str] | None]


class Gallery:
    """All pages, each opened by whoever may see it. One browser, one tab for each person."""

    def __init__(self, browser: Browser, address: str, keys: Keys, shown: Mapping[str, str]) -> None:
        self._browser, self._address, self._newer, self._shown = browser, address, keys, shown
        self._keys: Mapping[str, str] = {}
        self._seats: dict[str, Seat] = {}

    def open(self, page: Page, words: Mapping[str, str | int]) -> Seat:
        """Load the page in its person's tab. Fails where it answers otherwise than it has to."""
        self._renew()
        seat = self._seat(page.who)
        seat.complaints.clear()
        seat.strangers.clear()
        seat.look(width=1440, look="light")
        path = page.path.format_map(words)
        answer: Response | None = seat.tab.goto(f"{self._address}{path}", wait_until="load")
        assert answer is not None
        found = (answer.status, answer.url.removeprefix(self._address))
        assert found == (page.status, path), f"{page.name} answers {found}"
        return seat

    def source(self, page: Page, words: Mapping[str, str | int]) -> str:
        """Return the page as the server sends it, to the same person, without showing it."""
        self._renew()
        path = page.path.format_map(words)
        answer = self._seat(page.who).tab.context.request.get(f"{self._address}{path}")
        assert answer.status == page.status, f"{page.name} answers {answer.status}"
        return answer.text()

    def _renew(self) -> None:
        if (newer := self._newer()) is not None:
            self.close()
            self._keys = newer

    def close(self) -> None:
        """Close every tab."""
        for seat in self._seats.values():
            seat.tab.context.close()
        self._seats.clear()

    def _seat(self, who: str) -> Seat:
        if who not in self._seats:
            context = self._browser.new_context(timezone_id="Europe/Vienna", locale="en-GB")
            context.set_default_timeout(20_000)
            context.route("**/looks/*/", self._answer)
            if who in self._keys:
                name = settings.SESSION_COOKIE_NAME
                context.add_cookies([{"name": name, "value": self._keys[who], "url": self._address}])
            tab = context.new_page()
            seat = self._seats[who] = Seat(tab, context.new_cdp_session(tab))
            tab.on("console", lambda said: self._hear(seat, said.type, said.text))
            tab.on("pageerror", lambda error: seat.complaints.append(str(error)))
            tab.on("request", lambda asked: self._see(seat, asked.url))
            tab.on("dialog", lambda dialog: self._refuse(seat, dialog))
        return self._seats[who]

    def _answer(self, route: Route) -> None:
        """Pages that no address brings about on demand are shown as the server would have sent them."""
        name = route.request.url.rstrip("/").rpartition("/")[2]
        headers = {"Content-Security-Policy": POLICY, "Content-Type": "text/html; charset=utf-8"}
        route.fulfill(status=int(name[:3]), headers=headers, body=self._shown[name])

    def _hear(self, seat: Seat, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(words in text for words in _NO_FAULT):
            seat.complaints.append(text)

    def _refuse(self, seat: Seat, dialog: Dialog) -> None:
        seat.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _see(self, seat: Seat, url: str) -> None:
        if not url.startswith((f"{self._address}/", "data:")):
            seat.strangers.append(url)


def keys_of(names: Mapping[str, str]) -> dict[str, str]:
    """Sign each of these people in, as somebody who has just shown a passkey; return their sessions' keys."""
    from accounts.models import User
    from tests.web.pages import signed_in
    from tests.web.signing import shown

    keys = {}
    for name in names:
        user = User.objects.get(username=name)
        client = signed_in(user)
        shown(client, user, method="mfa", type="webauthn")
        keys[name] = str(client.session.session_key)
    half_way = Client()
    half_way.post("/sign-in/", {"username": "mats", "password": names["mats"]})
    keys["half-way"] = str(half_way.session.session_key)
    return keys


def refusals() -> dict[str, str]:
    """The pages of errors, as the server would have sent them."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    made = {name: render_to_string(f"{name}.html", {}, request) for name in ("400", "403_csrf", "500", "503")}
    client = Client()
    for _ in range(6):
        answer = client.post("/sign-in/", {"username": "nobody at all", "password": "wrong"})
    return made | {"429": answer.content.decode()}
