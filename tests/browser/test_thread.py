"""Asking about an incident, and watching a run, in a real browser: with script and without."""

import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connections, transaction
from django.utils import timezone
from playwright.sync_api import expect

from incidents import sending
from incidents.models import Incident
from incidents.states import State
from incidents.subjects import subject_of
from investigations import services
from tests.browser.conftest import LOOKS, SCREENSHOTS, SIZES, OpenWindow
from tests.browser.furniture import FAILED
from tests.browser.looking import serious
from tests.browser.site import Site
from tests.db.modelled import submission
from tests.scripted import Request, Scripted, calls, halts, says

WATCHED = "Job job-48301 failed with UpstreamTimeout"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ANSWER = f"The job failed since nine and has not run again. See trace {TRACE} for the call that timed out."


class Answering:
    """A model that looks a job up, and is in the middle of its answer until that was read."""

    def __init__(self) -> None:
        self.read = threading.Event()

    def __call__(self, request: Request) -> Scripted:
        """Return the next step."""
        if request.messages[-1]["role"] != "tool":
            return calls(("find_job", '{"job_id": "job-48290"}'))
        cited = re.search(r"\[entry \d+\]", request.last)
        return halts(self.read, 0.0005, says(f"{ANSWER} {cited and cited[0]}"))


def test_an_answer_is_read_as_it_is_written_and_its_doubts_are_shown_at_the_end(
    window: OpenWindow, site: Site
) -> None:
    site.model.script = model = Answering()
    one = window().sign_in(site)
    page = one.open(f"/incidents/{site.incidents[FAILED]}/")
    page.get_by_label("Ask about this incident").fill("Since when does it fail?")
    page.get_by_role("button", name="Ask", exact=True).click()
    last = page.locator(".asked").last
    expect(last.locator("[data-live-lines]")).to_contain_text("Asks “find job”.")
    expect(last.locator("[data-live-text]")).to_contain_text("The job failed since nine")
    assert last.locator(".answered").count() == 0, "it was read before it was finished"
    page.get_by_label("Ask about this incident").fill("I am typing the next question")
    model.read.set()
    expect(last.locator(".answered")).to_contain_text("has not run again")
    expect(last.locator(".doubts")).to_contain_text(TRACE)
    expect(last.locator(".answered a.cite")).to_have_count(1)
    expect(page.get_by_label("Ask about this incident")).to_have_value("I am typing the next question")
    assert one.complaints == []
    assert one.strangers == []
    assert serious(page) == []
    for width, look in LOOKS:
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


def test_a_run_is_watched_told_something_and_read_afterwards(window: OpenWindow, site: Site) -> None:
    number = site.incidents[WATCHED]
    site.model.script = model = Investigating()
    _in_a_thread(lambda: _investigated_by_a_model(number))
    one = window().sign_in(site)
    page = one.open(f"/incidents/{number}/")
    live = page.locator("#run-live")
    expect(live.locator("[data-live-lines]")).to_contain_text("The model is thinking.")
    page.get_by_placeholder("Tell it something").fill("The deploy was at nine.")
    page.get_by_role("button", name="Send the note").click()
    expect(page.locator("#messages")).to_contain_text("The model reads it before its next step.")
    for width in SIZES:
        watching = window(width=width, look="dark").sign_in(site).page
        watching.goto(f"{site.address}/incidents/{number}/")
        watching.screenshot(path=SCREENSHOTS / f"watching-{width}-dark.png")
    assert serious(page) == []
    model.seen.set()
    expect(live.locator("[data-live-lines]")).to_contain_text("Your note has reached the model.")
    model.told.set()
    expect(page.locator("#run")).to_contain_text("Its first submission was valid.", timeout=90_000)
    expect(page.locator("#doubts")).to_contain_text(TRACE)
    assert serious(page) == []
    for width in SIZES:
        shown = window(width=width).sign_in(site).page
        run = page.locator("#run a").first.get_attribute("href")
        for name, path in {"modelled": f"/incidents/{number}/", "run": run, "agent": "/agent/"}.items():
            shown.goto(f"{site.address}{path}")
            shown.evaluate("() => document.fonts.ready")
            assert shown.evaluate("() => document.documentElement.scrollWidth") <= width
            assert serious(shown) == []
            shown.screenshot(path=SCREENSHOTS / f"{name}-{width}-light.png", full_page=True)
    assert (one.complaints, one.strangers) == ([], [])


class Investigating:
    """A model that thinks and asks until it is told something; then it hands in a draft with a made-up id."""

    def __init__(self) -> None:
        self.seen = threading.Event()  # somebody has watched it think, and wrote to it
        self.told = threading.Event()  # and has watched that reach it

    def __call__(self, request: Request) -> Scripted:
        """Return the next step."""
        answers = sum(each["role"] == "tool" for each in request.messages)
        is_told = "The deploy was at nine." in request.text
        # Nothing is handed in before the page showed it, however slow the machine: it rather asks again.
        waits = (self.told if is_told else self.seen).wait(10) if answers else False
        if answers < 30 and not (is_told and waits):
            since = f"2026-01-{answers + 1:02}T00:00:00.000000Z"
            return calls(("count_log_matches", json.dumps({"query": "UpstreamTimeout", "since": since})))
        draft = f"It timed out 47 times, see trace {TRACE}."
        proposed = [{"action": "retry_job", "arguments": {"job": "job-48290"}, "why": "It never ran again."}]
        handed_in = submission(
            proposed_hypothesis="The card processor was away", draft=draft, proposed_actions=proposed
        )
        return says(handed_in)


def _investigated_by_a_model(number: int) -> None:
    with transaction.atomic():
        incident = Incident.objects.select_related("source").get(pk=number)
        queued = services.open_investigation(
            number, subject_of(incident), now=timezone.now(), investigator="model"
        )
        Incident.objects.filter(pk=number).update(state=State.OPEN)
        sending.investigate_after_commit(queued.pk)
    connections.close_all()


def _in_a_thread(act: Callable[[], None]) -> None:
    """Reach the database beside the browser, whose loop shuts the ORM out of this thread."""
    with ThreadPoolExecutor(1) as other:
        other.submit(act).result(60)
