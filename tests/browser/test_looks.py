"""What every page has to be: free of barriers, within its policy, inside its window, and fit to be shown."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Browser, expect
from pytest_django import DjangoDbBlocker

from tests.browser import furniture, furniture_writes, looking, poison
from tests.browser.conftest import LOOKS, SCREENSHOTS, OpenWindow
from tests.browser.looking import Gallery, serious, sticking_out
from tests.browser.markup import brought_in
from tests.browser.pages import ADMINISTRATOR, MANAGER, PAGES, SUPPORT, VARIANTS, Page
from tests.browser.site import Site
from tests.web.hostile import HIDDEN, TEXTS

FAILED, PASSED = furniture.FAILED, furniture.PASSED
# What data from outside could have brought into a page, had any of it been read as markup.
_BROUGHT_IN = """() => [...document.querySelectorAll("*")].flatMap((one) => {
    const is_ours = (place) => /^(\\/(?!\\/)|#|\\?|data:image\\/svg)/.test(place);
    const found = [...one.attributes].filter((each) =>
        /^(on|style$|data-hx|hx-(on|vals|vars|headers|ext|include))/.test(each.name)
        || (/^(href|src|action|formaction|poster|data|hx-(get|post|put|patch|delete))$/.test(each.name)
            && !is_ours(each.value))
        || (each.name.startsWith("hx-") && /evil|alert|sign-out|\\/x\\//.test(each.value)));
    const is_strange = ["STYLE", "IFRAME", "OBJECT", "EMBED", "BASE", "VIDEO"].includes(one.tagName)
        || (one.tagName === "H1" && one.textContent.trim() === "owned");
    return [...found.map((each) => `${one.tagName} ${each.name}=${each.value.slice(0, 60)}`),
            ...(is_strange ? [one.tagName] : [])];
})"""
# Pages of one thing, once more with the thing that does harm.
HARMED = (
    *(Page(f"harm-{n}", f"/incidents/{{harm_{n}}}/", MANAGER) for n in range(len(TEXTS))),
    *(Page(f"harm-{view}", f"/entries/{{entry}}/?as={view}", MANAGER) for view in ("table", "tree", "raw")),
    Page("harm-edits", "/incidents/{incident}/edits/", MANAGER),
    Page("harm-around", "/incidents/{incident}/around/", MANAGER),
    Page("harm-stamps", "/incidents/{incident}/stamps/", MANAGER),
    Page("harm-run", "/incidents/{incident}/runs/{run}/", MANAGER),
    Page("harm-transcript", "/incidents/{incident}/exchanges/{exchange}/", MANAGER),
    Page("harm-delivery", "/deliveries/{delivery}/", MANAGER),
    Page("harm-write", "/approvals/{writes}/", MANAGER),
    Page("harm-team", "/people/teams/{team}/", ADMINISTRATOR),
    Page("harm-person", "/people/{person}/", ADMINISTRATOR),
)
# Lists and forms into which what others wrote finds its way.
HARMED_TOO = (
    "queue-all", "queue-needs-a-person", "find", "mentions", "deliveries", "entries", "asks",
    "rules", "overrides", "tools", "connector", "approvals", "approvals-all", "breakers",
    "calendar", "break-glass", "write-switch", "figures", "audits", "notices", "routes", "sessions",
    "tokens", "passkey-rename", "passkey-remove", "people", "person", "teams", "invitations",
    "model-runs", "claim", "account",
)  # fmt: skip
HARMFUL = (*HARMED, *(page for page in PAGES if page.name in HARMED_TOO))
# One of each layout is laid out in the browser, all with FULL=1; the source of all is read each time.
_LAID_OUT = {
    "harm-0", f"harm-{len(TEXTS) - 1}", "harm-tree", "harm-edits", "harm-transcript", "harm-delivery",
    "harm-write", "harm-team", "harm-person", "queue-all", "find", "entries", "tools", "asks", "approvals",
    "calendar", "notices", "sessions", "people",
}  # fmt: skip
LAID_OUT = [page for page in HARMFUL if os.environ.get("FULL") == "1" or page.name in _LAID_OUT]
_PROOF_LASTS = 200  # seconds; of five minutes


@pytest.fixture(scope="module")
def beside(django_db_blocker: DjangoDbBlocker) -> Callable[[Callable[[], Any]], Any]:
    """Use the database from a thread of its own: the browser's loop shuts it out of this one."""

    def ask(what: Callable[[], Any]) -> Any:
        def asked() -> Any:
            try:
                return what()
            finally:
                connections.close_all()

        with django_db_blocker.unblock(), ThreadPoolExecutor(1) as threads:
            return threads.submit(asked).result()

    return ask


@pytest.fixture(scope="module")
def words(site: Site, beside: Callable[..., Any]) -> furniture.Words:
    """The furniture; returns what addresses are filled with."""

    def furnish() -> furniture.Words:
        made = furniture.furnish(site)
        return made | furniture_writes.furnish(site.folder, int(made["failed"]))

    found: furniture.Words = beside(furnish)
    return found


@pytest.fixture(scope="module")
def gallery(
    browser: Browser, site: Site, beside: Callable[..., Any], words: furniture.Words
) -> Iterator[Gallery]:
    """The browser at the furnished pages; proofs of who somebody is are made anew before they are too old."""
    at = 0.0

    def keys() -> dict[str, str] | None:
        nonlocal at
        if time.monotonic() - at < _PROOF_LASTS:
            return None
        at = time.monotonic()
        found: dict[str, str] = beside(lambda: looking.keys_of(site.passwords))
        return found

    made = Gallery(browser, site.address, keys, beside(looking.refusals))
    yield made
    made.close()


@pytest.fixture(scope="module")
def harmed(site: Site, beside: Callable[..., Any], words: furniture.Words) -> furniture.Words:
    """The same data, and harmful text beside it."""
    found: furniture.Words = beside(lambda: poison.poison(site))
    return words | found | {f"harm_{place}": number for place, number in enumerate(site.hostile)}


@pytest.mark.parametrize("page", PAGES, ids=attrgetter("name"))
def test_a_page_has_no_barrier_and_nothing_sticks_out(
    gallery: Gallery, words: furniture.Words, page: Page
) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    seat = gallery.open(page, words)
    for place, (width, look) in enumerate(LOOKS):
        seat.look(width=width, look=look)
        assert sticking_out(seat.tab) == [], f"at {width}"
        seat.picture(SCREENSHOTS / f"{page.name}-{width}-{look}.png")
        is_like_another = place > 0 and len(LOOKS) == 2 and page.name in VARIANTS
        assert serious(seat.tab, in_colours_alone=is_like_another) == [], f"at {width}, {look}"
    assert (seat.complaints, seat.strangers) == ([], [])


def test_what_opens_over_a_page_has_no_barrier(gallery: Gallery, words: furniture.Words) -> None:
    tab = gallery.open(Page("peek", "/incidents/{passed}/", SUPPORT), words).tab
    tab.locator("a.cite").first.click()
    tab.locator("#peek #entry").wait_for()
    assert serious(tab) == [], "the entry beside the draft"
    tab.keyboard.press("Escape")
    tab.keyboard.press("?")
    assert serious(tab) == [], "the sheet of keys"


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_what_the_bar_has_no_room_for_is_behind_more(
    window: OpenWindow, site: Site, script: bool
) -> None:
    page = window(width=390, look="dark", script=script).sign_in(site, ADMINISTRATOR).page
    expect(page.get_by_role("navigation", name="Main, for a phone").get_by_role("link")).to_have_count(4)
    page.get_by_text("More", exact=True).click()
    page.screenshot(path=SCREENSHOTS / "more-390-dark.png")
    assert sticking_out(page) == [] and serious(page) == [] if script else True
    page.get_by_role("link", name="Audit log").click()
    expect(page.locator("h1")).to_have_text("Audit log")


@pytest.mark.parametrize("page", HARMFUL, ids=attrgetter("name"))
def test_harmful_text_stays_text_in_the_source(gallery: Gallery, harmed: furniture.Words, page: Page) -> None:
    assert brought_in(gallery.source(page, harmed)) == []


@pytest.mark.parametrize("page", LAID_OUT, ids=attrgetter("name"))
def test_harmful_text_is_laid_out_and_does_nothing(
    gallery: Gallery, harmed: furniture.Words, page: Page
) -> None:
    seat = gallery.open(page, harmed)
    for width in (1440, 390):
        seat.look(width=width, look="light")
        assert sticking_out(seat.tab) == [], f"at {width}"
    assert seat.tab.evaluate(_BROUGHT_IN) == []
    assert seat.tab.locator("h1").count() == 1
    read = seat.tab.inner_text("body")
    assert [f"U+{ord(char):04X}" for char in HIDDEN if char in read] == []
    assert (seat.complaints, seat.strangers) == ([], [])


def test_no_page_is_left_out_by_a_slip_of_the_pen() -> None:
    assert set(HARMED_TOO) <= {page.name for page in PAGES}
    assert {page.name for page in HARMFUL} >= _LAID_OUT
