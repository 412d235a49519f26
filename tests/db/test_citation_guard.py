"""What a draft cites, looked up in a trace store on a real socket and in the run's own records."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from investigations.citations import declared
from investigations.models import Citation, Draft, Exchange, Figure, Verdict
from investigations.states import CitationState
from tests.db import shop
from tests.db.guarded_runs import INVENTED, KNOWN, looked_up, run, store
from tests.db.investigated import Scripted, queued
from tests.db.modelled import ERRORS, JOB, by_model, speaking, submission
from tests.fakes import faults
from tests.fakes.server import FakeServer, Reply
from tests.scripted import calls, cut_off, says, status
from toolbox import gateway, registry

pytestmark = pytest.mark.django_db
WORDS = f"Two calls timed out: {KNOWN[0]} and {KNOWN[1].upper()}. So did {INVENTED}."


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Scripted, FakeServer]]:
    with store(monkeypatch, tmp_path) as served:
        yield served


@pytest.fixture
def traces(both: tuple[Scripted, FakeServer]) -> FakeServer:
    return both[1]


def revised(draft: str) -> Any:
    return says(json.dumps({"draft": draft}))


def states() -> dict[str, str]:
    return {each.value: each.state for each in Citation.objects.all()}


def test_an_invented_id_that_stays_after_one_revision_is_struck_through(
    settings: Any, traces: FakeServer
) -> None:
    again = f"{WORDS} I am sure."
    with speaking(settings, [says(submission(draft=WORDS)), revised(again)]) as server:
        run(by_model())
    draft = Draft.objects.get()
    assert f"So did ~~{INVENTED}~~ [not found]. I am sure." in draft.text
    assert states() == {KNOWN[0]: "verified", KNOWN[1]: "verified", INVENTED: "missing"}
    assert sorted(looked_up(traces)) == sorted([*KNOWN, INVENTED])
    asked = server.requests[1]
    assert INVENTED in asked.text
    assert "find_trace" in asked.text
    assert Exchange.objects.count() == 2
    assert [each.link for each in Citation.objects.filter(value=INVENTED)] == [""]
    assert Citation.objects.get(value=KNOWN[0]).link == f"https://traces.example/{KNOWN[0]}"


def test_a_revision_that_mends_it_is_the_draft(settings: Any, traces: FakeServer) -> None:
    with speaking(settings, [says(submission(draft=WORDS)), revised(f"One call timed out: {KNOWN[0]}.")]):
        run(by_model())
    assert Draft.objects.get().text == f"One call timed out: {KNOWN[0]}."
    assert states() == {KNOWN[0]: "verified"}


def test_a_revision_may_ask_tools_and_cite_what_it_finds(settings: Any, traces: FakeServer) -> None:
    look = calls(("find_trace", json.dumps({"trace_id": KNOWN[0], "since": "2026-11-30T11:00:00Z"})))
    script = [says(submission(draft=f"See {INVENTED}.")), look, revised(f"See {KNOWN[0]}.")]
    with speaking(settings, script):
        run(by_model())
    assert states() == {KNOWN[0]: "verified"}
    assert looked_up(traces) == [INVENTED, KNOWN[0]]


def test_a_store_that_is_down_leaves_all_unchecked_and_asks_for_no_revision(
    settings: Any, traces: FakeServer
) -> None:
    traces.fault = faults.says(503, b"down")
    with speaking(settings, [says(submission(draft=WORDS))]) as server:
        run(by_model())
    assert states() == dict.fromkeys([*KNOWN, INVENTED], "unchecked")
    assert Draft.objects.get().text == WORDS
    assert len(server.requests) == 1
    assert "unavailable" in Citation.objects.all()[0].reason


@pytest.mark.parametrize(
    "fault",
    [faults.says(401, b"who"), faults.says(429, b"later"), faults.says(200, b"{broken")],
    ids=["401", "429", "broken JSON"],
)
def test_no_answer_is_unchecked_whatever_its_kind(settings: Any, traces: FakeServer, fault: Any) -> None:
    traces.fault = fault
    with speaking(settings, [says(submission(draft=f"See {INVENTED}."))]):
        run(by_model())
    assert states() == {INVENTED: "unchecked"}


def test_a_200_without_spans_is_missing(settings: Any, traces: FakeServer) -> None:
    known = traces.answer
    nothing = Reply(body={"trace": {"resourceSpans": []}})
    traces.answer = lambda asked: nothing if "/traces/" in asked.path else known(asked)
    with speaking(settings, [says(submission(draft=f"See {INVENTED}.")), says("no"), says("no")]):
        run(by_model())
    assert states() == {INVENTED: "missing"}


def test_a_look_up_waits_three_seconds_and_no_longer(settings: Any, traces: FakeServer) -> None:
    settings.CITATION_SECONDS = 1
    traces.fault = lambda connection, asked: traces.sleep(20)
    begun = time.monotonic()
    with speaking(settings, [says(submission(draft=f"See {INVENTED}."))]):
        run(by_model())
    assert time.monotonic() - begun < 18
    assert states() == {INVENTED: "unchecked"}


@pytest.mark.parametrize("script", [[cut_off("{"), cut_off("{")], [status(400)], [says("no"), says("no")]])
def test_a_revision_that_does_not_come_leaves_it_struck_through(
    settings: Any, traces: FakeServer, script: Any
) -> None:
    with speaking(settings, [says(submission(draft=WORDS)), *script]):
        run(by_model())
    assert f"~~{INVENTED}~~ [not found]" in Draft.objects.get().text


def test_a_loop_that_spent_all_its_calls_leaves_the_reserve_for_the_revision(
    settings: Any, traces: FakeServer
) -> None:
    settings.AGENT_MAX_CALLS = 5  # two of them are set aside
    loop = [calls(("find_job", json.dumps({"job_id": f"job-{number}"}))) for number in range(4)]
    look = calls(("find_trace", json.dumps({"trace_id": KNOWN[0], "since": "2026-11-30T11:00:00Z"})))
    script = [*loop, says(submission(draft=f"See {INVENTED}.")), look, revised(f"See {KNOWN[0]}.")]
    with speaking(settings, script) as server:
        run(by_model())
    assert "limit of tool calls" in server.requests[4].text
    assert states() == {KNOWN[0]: "verified"}


def test_ids_of_the_runs_own_records_are_not_looked_up_and_others_are(
    settings: Any, both: tuple[Scripted, FakeServer]
) -> None:
    draft = "job-7 [entry 999999999] and job-8."
    with speaking(settings, [calls(JOB, ERRORS), says(submission(draft=draft)), says("no"), says("no")]):
        row = run(by_model())
    asked = [
        entry.arguments["job_id"] for entry in gateway.entries_of_run(row.pk) if entry.tool == "find_job"
    ]
    assert asked == ["job-7", "job-8"]
    assert states() == {"job-7": "unchecked", "999999999": "missing", "job-8": "unchecked"}
    assert Draft.objects.get().text == "job-7 ~~entry 999999999~~ [not found] and job-8."


def test_a_figure_that_nothing_shows_is_marked(settings: Any, both: tuple[Scripted, FakeServer]) -> None:
    with speaking(settings, [calls(JOB, ERRORS), says(submission(draft="It came back 41 times."))]):
        run(by_model())
    assert Draft.objects.get().text.startswith("It came back 41 [?] times.")
    assert [figure.text for figure in Figure.objects.all()] == ["41"]


def test_the_ids_of_a_playbooks_draft_are_checked_too(both: tuple[Scripted, FakeServer]) -> None:
    connector, traces = both
    row = queued(1, job_id="job-7")
    row.subject = row.subject.replace("A job failed", f"A job failed in {INVENTED}")
    row.save()
    run(row)
    assert looked_up(traces) == [INVENTED]
    assert states()[INVENTED] == "missing"
    assert f"~~{INVENTED}~~ [not found]" in Draft.objects.get().text
    assert connector.asked


def test_no_look_up_can_make_a_fact_hold(settings: Any, both: tuple[Scripted, FakeServer]) -> None:
    """The job that the draft names is the fact's own question: it is answered from the record, once."""
    connector, _ = both
    with speaking(settings, [says(submission("job_finished_on_retry", draft="job-7 is done."))] * 2):
        run(by_model())
    assert [tool for tool, _ in connector.asked] == ["find_job", "count_errors"]
    assert Verdict.objects.get().passed
    assert [each.state for each in Citation.objects.all()] == [CitationState.UNCHECKED]


def test_the_example_shops_ids_can_be_looked_up_by_its_tools() -> None:
    tools = registry.load([shop.SHOP / "tools"], shop.SHOP / "connectors.yaml").definitions
    patterns = declared.load(shop.SHOP / "citations.yaml")
    assert declared.troubles(patterns, tools) == []
    wrong = declared.troubles(patterns[:1], {"find_order": tools["find_job"]})
    assert ["takes no order_id" in wrong[0], "needs job_id" in wrong[1]] == [True, True]
