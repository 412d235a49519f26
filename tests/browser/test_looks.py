"""What every page has to be: free of barriers, within its policy, and fit to be shown."""

import re
import shutil
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Dialog, Page

from tests.browser.conftest import SCREENSHOTS, SIZES, OpenWindow
from tests.browser.site import Site

PASSED = "I was charged twice for my order"
FAILED = "Job job-48290 failed with UpstreamTimeout"


def paths_of(site: Site, page: Page) -> list[str]:
    """Every kind of page, found by following what the pages link to."""
    incidents = [f"/incidents/{site.incidents[title]}/" for title in (PASSED, FAILED)]
    page.goto(f"{site.address}{incidents[1]}")
    entry = page.locator("a.cite").first.get_attribute("href") or ""
    delivery = page.locator("#signals a").first.get_attribute("href") or ""
    views = [f"{entry}?as={view}" for view in ("table", "tree", "raw")]
    return [
        "/",
        "/?tab=closed",
        "/?q=nothing+at+all",
        *incidents,
        *views,
        "/deliveries/",
        delivery,
        "/rules/",
        "/log/",
        "/agent/",
        "/claims/new/",
        "/nowhere/",
    ]


def serious(page: Page) -> list[str]:
    found: Any = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", sorted(SIZES))
def test_axe_finds_no_serious_barrier(window: OpenWindow, site: Site, look: str, width: int) -> None:
    one = window(look=look, width=width)
    page = one.open("/sign-in/")
    assert serious(page) == []
    one.sign_in(site)
    for path in paths_of(site, page):
        one.open(path)
        assert serious(page) == [], path
    one.open(f"/incidents/{site.incidents[PASSED]}/")
    page.locator("a.cite").first.click()
    page.locator("#peek #entry").wait_for()
    assert serious(page) == [], "the entry beside the draft"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert serious(page) == [], "the sheet of keys"


def test_no_page_complains_or_asks_another_host(window: OpenWindow, site: Site) -> None:
    one = window().sign_in(site)
    for path in paths_of(site, one.page):
        one.open(path).wait_for_load_state("networkidle")
    assert [line for line in one.complaints if "404" not in line] == []
    assert one.strangers == []


def test_hostile_text_is_laid_out_and_does_nothing(window: OpenWindow, site: Site) -> None:
    one = window(width=390).sign_in(site)
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    one.page.on("dialog", refuse)
    assert len(site.hostile) >= 8, "the hostile alerts made incidents"
    for number in site.hostile:
        page = one.open(f"/incidents/{number}/")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, f"incident {number}"
        assert page.locator("h1").count() == 1
    one.open("/?tab=all&q=").wait_for_load_state("networkidle")
    assert one.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert (dialogs, one.complaints, one.strangers) == ([], [], [])
    one.open("/")
    assert re.search("Sign out", one.page.content()), "nothing signed us out"


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", sorted(SIZES))
def test_screenshots_are_kept(window: OpenWindow, site: Site, look: str, width: int) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = window(look=look, width=width).sign_in(site).page
    shots = {"queue": "/", "passed": f"/incidents/{site.incidents[PASSED]}/"}
    shots |= {"failed": f"/incidents/{site.incidents[FAILED]}/"}
    for name, path in shots.items():
        page.goto(f"{site.address}{path}")
        page.evaluate("() => document.fonts.ready")
        file = SCREENSHOTS / f"{name}-{width}-{look}.png"
        page.screenshot(path=file)
        assert file.stat().st_size > 20_000
    assert shutil.disk_usage(SCREENSHOTS).free > 0
