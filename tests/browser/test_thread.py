"""Asking about an incident in a real browser: the answer comes in word by word, with and without script."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import SCREENSHOTS, SIZES, OpenWindow
from tests.browser.site import Site
from tests.browser.test_looks import FAILED, serious
from tests.scripted import Request, Scripted, calls, dribbles, says

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ANSWER = f"The job failed since nine and has not run again. See trace {TRACE} for the call that timed out."


def looks_up_then_says(request: Request) -> Scripted:
    if request.messages[-1]["role"] != "tool":
        return calls(("find_job", '{"job_id": "job-48290"}'))
    cited = re.search(r"\[entry \d+\]", request.last)
    return dribbles(0.002, says(f"{ANSWER} {cited and cited[0]}"))


def test_an_answer_is_read_as_it_is_written_and_its_doubts_are_shown_at_the_end(
    window: OpenWindow, site: Site
) -> None:
    site.model.script = looks_up_then_says
    one = window().sign_in(site)
    page = one.open(f"/incidents/{site.incidents[FAILED]}/")
    page.get_by_label("Ask about this incident").fill("Since when does it fail?")
    page.get_by_role("button", name="Ask", exact=True).click()
    last = page.locator(".asked").last
    expect(last.locator("[data-live-lines]")).to_contain_text("Asks “find job”.")
    expect(last.locator("[data-live-text]")).to_contain_text("The job failed since nine", timeout=30_000)
    assert last.locator(".answered").count() == 0, "it was read before it was finished"
    page.get_by_label("Ask about this incident").fill("I am typing the next question")
    expect(last.locator(".answered")).to_contain_text("has not run again", timeout=60_000)
    expect(last.locator(".doubts")).to_contain_text(TRACE)
    expect(last.locator(".answered a.cite")).to_have_count(1)
    expect(page.get_by_label("Ask about this incident")).to_have_value("I am typing the next question")
    assert one.complaints == []
    assert one.strangers == []
    assert serious(page) == []
    for look in ("light", "dark"):
        for width in SIZES:
            shown = window(look=look, width=width).sign_in(site).page
            shown.goto(f"{site.address}/incidents/{site.incidents[FAILED]}/#thread")
            shown.evaluate("() => document.fonts.ready")
            assert shown.evaluate("() => document.documentElement.scrollWidth") <= width
            shown.screenshot(path=SCREENSHOTS / f"thread-{width}-{look}.png")


def test_without_script_a_question_is_asked_and_its_answer_is_there_after_a_look(
    window: OpenWindow, site: Site
) -> None:
    site.model.script = lambda request: says("Nobody knows yet.")
    page = window(script=False).sign_in(site).page
    page.goto(f"{site.address}/incidents/{site.incidents[FAILED]}/")
    page.get_by_label("Ask about this incident").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    last = page.locator(".asked").last
    for _ in range(20):
        if "Nobody knows yet." in last.inner_text():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(last).to_contain_text("Nobody knows yet.")
