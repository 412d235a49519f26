"""Spans over OTLP, at a real receiver: what stands in them, what does not, and what it costs without one."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from investigations import otlp, tracing
from investigations.models import Exchange, Investigation
from investigations.outcomes import BudgetSpent
from investigations.talk import EndpointDown, Finish, Message, Reply, Role, Spent, ToolCall
from tests import scripted
from tests.conftest import wait_until
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.fakes.collector import Collector, collecting
from tests.flow.modelfaults import DONE, FIND
from tests.scripted import calls
from tests.servers import ROOT
from toolbox.models import Call

ASKED = (
    Message(Role.SYSTEM, "You look into incidents."),
    Message(Role.USER, "Look at job 7. The key is sk-proj-abcdefghijklmnopqrstuvwxyz."),
    Message(Role.ASSISTANT, "", calls=(ToolCall("call_1", "find_job", '{"job_id": "7"}'),)),
    Message(Role.TOOL, "The job is completed.", answers="call_1"),
)
REPLY = Reply(
    text="It finished on its retry.", calls=(), finish=Finish.STOP, model="scripted-1-2026",
    fingerprint="fp_1", spent=Spent(tokens_in=900, tokens_out=20, micros=1234, seconds=0.5), exchange=17,
)  # fmt: skip


@pytest.fixture
def collector(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A receiver that the settings name."""
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.url)
        settings.TRACES_ARE_SENT, settings.TRACES_HOLD_CONTENT = True, False
        otlp.close()
        yield made
        otlp.close()


def a_run() -> None:
    """Trace one attempt with a chat and a tool call."""
    with tracing.span_of_run(12, incident=3, by="model") as run:
        with tracing.span_of_chat(
            "default", "small-1", address="https://models.example/v1", investigation=12, tokens=512
        ) as chat:
            chat.asked(ASKED)
            chat.replied(REPLY)
        with tracing.span_of_tool("find_job", call="call_1") as outer:
            with tracing.span_of_tool("find_job") as span:
                span.note(assay__entry=4711)
                span.answered({"job_id": "7"}, {"job": "completed"})
            outer.ended("observed")
        run.ended("first_pass")


def test_without_an_address_nothing_is_traced_and_nothing_of_it_is_imported() -> None:
    program = (
        "import sys, django; django.setup()\n"
        "from investigations import tracing\n"
        "with tracing.span_of_run(1) as run, tracing.span_of_chat('default', 'm') as chat:\n"
        "    with tracing.span_of_tool('find_job') as tool: tool.ended('error', is_error=True)\n"
        "    chat.asked(()); run.ended('first_pass'); tracing.close()\n"
        "from trials.handover import afterwards\n"
        "from triage.doctor import handover\n"
        "assert afterwards.send_apart(1) == ''; assert not list(handover.langfuse())\n"
        "ours = ('langfuse', 'opentelemetry.sdk.trace', 'opentelemetry.exporter', 'google.protobuf')\n"
        "print([name for name in sys.modules if name.startswith(ours)])"
    )
    clean = {"DJANGO_SETTINGS_MODULE": "triage.settings", "PATH": "", "LANGFUSE_HOST": "https://lf.example"}
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=clean, capture_output=True, text=True, timeout=60
    )
    assert (ended.stdout.strip(), ended.returncode) == ("[]", 0), ended.stderr


def test_an_error_makes_its_spans_errors_by_name_and_leaves_its_words_out(collector: Collector) -> None:
    with pytest.raises(EndpointDown), tracing.span_of_run(1), tracing.span_of_chat("default", "small-1"):
        raise EndpointDown("the answer was: the customer's name is Ada")
    otlp.close()
    for name in ("chat small-1", "invoke_agent model"):
        span = collector.one(name)
        assert (span.is_error, span.message, span.events) == (True, "", 0)
        assert span.attributes["error.type"] == "EndpointDown"
    assert b"Ada" not in collector.raw


def test_what_ends_a_run_early_is_named(collector: Collector) -> None:
    with pytest.raises(BudgetSpent), tracing.span_of_run(1):
        raise BudgetSpent("enough")
    otlp.close()
    assert collector.one("invoke_agent model").attributes["error.type"] == "BudgetSpent"


def test_a_tool_that_failed_is_an_error_and_the_run_is_none(collector: Collector) -> None:
    with tracing.span_of_run(1) as run:
        with tracing.span_of_tool("find_job") as span:
            span.ended("unavailable", is_error=True)
        run.ended("first_pass")
    otlp.close()
    assert collector.one("execute_tool find_job").attributes["error.type"] == "unavailable"
    assert collector.one("invoke_agent model").is_error is False


def test_a_run_is_one_trace_with_the_names_of_the_conventions(collector: Collector) -> None:
    a_run()
    otlp.close()
    run, chat, tool = map(collector.one, ("invoke_agent model", "chat small-1", "execute_tool find_job"))
    assert (run.parent, chat.parent, tool.parent) == ("", run.span, run.span)
    assert len({run.trace, chat.trace, tool.trace}) == 1
    assert (run.kind, chat.kind, tool.kind) == (1, 3, 1)
    assert run.resource["service.name"] == "assay"
    assert run.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.agent.name": "model",
        "gen_ai.conversation.id": "investigation-12",
        "assay.incident": "3",
        "assay.outcome": "first_pass",
    }
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.conversation.id": "investigation-12",
        "gen_ai.request.model": "small-1",
        "gen_ai.request.max_tokens": 512,
        "gen_ai.response.model": "scripted-1-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 20,
        "openai.response.system_fingerprint": "fp_1",
        "server.address": "models.example",
        "server.port": 443,
        "assay.endpoint": "default",
        "assay.cost_micros": 1234,
        "assay.exchange": 17,
    }
    assert tool.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_job",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1",
        "assay.entry": 4711,
        "assay.outcome": "observed",
    }


def test_content_is_left_out_unless_it_is_asked_for(collector: Collector) -> None:
    a_run()
    otlp.close()
    for words in (b"You look into", b"job 7", b"finished on its retry", b"completed", b"sk-proj"):
        assert words not in collector.raw


def test_content_that_is_asked_for_comes_without_its_secrets(collector: Collector, settings: Any) -> None:
    settings.TRACES_HOLD_CONTENT = True
    a_run()
    otlp.close()
    chat = collector.one("chat small-1").attributes
    assert json.loads(chat["gen_ai.system_instructions"]) == [
        {"type": "text", "content": "You look into incidents."}
    ]
    told = json.loads(chat["gen_ai.input.messages"])
    assert [each["role"] for each in told] == ["user", "assistant", "tool"]
    assert told[1]["parts"][0]["name"] == "find_job"
    assert told[2]["parts"][0] == {
        "type": "tool_call_response", "id": "call_1", "response": "The job is completed.",
    }  # fmt: skip
    (answer,) = json.loads(chat["gen_ai.output.messages"])
    assert (answer["finish_reason"], answer["parts"][0]["content"]) == ("stop", "It finished on its retry.")
    tool = collector.one("execute_tool find_job").attributes
    assert json.loads(tool["gen_ai.tool.call.result"]) == {"job": "completed"}
    assert b"sk-proj-abcdef" not in collector.raw


def test_the_standard_variables_name_the_service_and_its_headers(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "triage-at-night")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=for the collector")
    a_run()
    otlp.close()
    assert collector.one("chat small-1").resource["service.name"] == "triage-at-night"
    assert collector.headers[0]["x-key"] == "for the collector"


def test_a_receiver_that_is_away_holds_nobody_up(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    began = time.monotonic()
    for _ in range(200):
        a_run()
    assert time.monotonic() - began < 15
    otlp.close()
    assert time.monotonic() - began < 25


def test_a_models_run_by_a_real_worker_is_one_trace_that_is_sent_before_the_worker_ends(
    committed_db: None, quick: dict[str, str], start_worker: Callable[..., Any], settings: Any
) -> None:
    settings.INVESTIGATOR = "model"
    deliver(make_source(), body_of(an_alert("a1")), timezone.now())
    with collecting() as receiver, scripted.endpoint([calls(FIND), DONE]) as server:
        # So long that only its end can send them.
        sending = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_BSP_SCHEDULE_DELAY": "600000"}
        worker = start_worker("investigate", **quick, **server.variables, **sending)
        wait_until(lambda: Investigation.objects.filter(state="judged").exists(), seconds=60)
        worker.terminate()
        worker.wait(20)
    row = Investigation.objects.get()
    run, tool = receiver.one("invoke_agent model"), receiver.one("execute_tool find_job")
    chats = [span for span in receiver.spans if span.name == "chat scripted-1"]
    assert {span.trace for span in (*chats, tool)} == {run.trace}
    assert {span.parent for span in (*chats, tool)} == {run.span}
    assert run.attributes["gen_ai.conversation.id"] == f"investigation-{row.pk}"
    exchanges = {span.attributes["assay.exchange"] for span in chats}
    assert exchanges == set(Exchange.objects.values_list("pk", flat=True))
    assert {span.attributes["server.address"] for span in chats} == {"127.0.0.1"}
    assert tool.attributes["assay.entry"] == Call.objects.get(tool="find_job", caller="model").entry
    for words in (b"job-1", b"Looked, and found nothing"):
        assert words not in receiver.raw
