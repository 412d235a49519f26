"""Evaluations handed to Langfuse through its SDK: datasets, experiments, scores; never twice."""

import logging
import socket
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from investigations import otlp, tracing
from investigations.models import Investigation
from tests.db.evaluated import evaluated, three
from tests.db.investigated import world
from tests.db.modelled import speaking
from tests.fakes.collector import collecting
from tests.fakes.langfuse import Project, langfuse
from tests.scripted.agents import asks_what_is_told
from triage import langfuseenv
from triage.doctor import handover
from trials.handover import afterwards, sdk
from trials.models import Evaluation

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., Any]


@pytest.fixture
def project(settings: Any, request: pytest.FixtureRequest) -> Iterator[Project]:
    with langfuse(f"pk-lf-{request.node.name[:40]}") as made:
        settings.LANGFUSE_KEYS = langfuseenv.Langfuse(made.url, made.public_key, made.secret_key)
        yield made


@pytest.fixture
def evaluation(settings: Any, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    """An evaluation of three cases, two runs of each, made while no keys were set."""
    keys, settings.LANGFUSE_KEYS = settings.LANGFUSE_KEYS, None
    world(monkeypatch)
    three(make_user)
    with speaking(settings, asks_what_is_told):
        evaluated("closed:", runs=2)
    settings.LANGFUSE_KEYS, settings.TRACES_ARE_SENT = keys, True
    return Evaluation.objects.get()


def sent(number: int) -> str:
    said = StringIO()
    call_command("evaluate", send=number, stdout=said)
    return said.getvalue()


def test_an_evaluation_becomes_a_dataset_and_an_experiment_for_each_repetition_and_is_never_doubled(
    settings: Any, project: Project, evaluation: Evaluation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert "3 items of 'assay " in sent(evaluation.pk)
    (dataset,) = project.datasets.values()
    items = list(project.items.values())
    assert {each["datasetName"] for each in items} == {dataset["name"]}
    assert [each["expectedOutput"]["actual"] for each in items] == ["fail", "pass", "pass"]
    investigation = Investigation.objects.get(incident_id=items[0]["metadata"]["incident"])
    assert items[0]["sourceTraceId"] == tracing.trace_of(investigation.pk)
    runs = [each for each in project.spans.values() if each.name == "experiment-item-run"]
    names = {each.attributes["langfuse.experiment.name"] for each in runs}
    assert (len(runs), names) == (6, {f"evaluation {evaluation.pk}, run {number} of 2" for number in (1, 2)})
    assert {each.attributes["langfuse.experiment.item.id"] for each in runs} == set(project.items)
    traces = {each.trace for each in runs}
    scores = list(project.scores.values())
    assert {each["traceId"] for each in scores} == traces
    assert [each["value"] for each in scores if each["name"] == "false_pass"].count(1.0) == 2
    before = (set(project.items), set(project.spans), set(project.scores))
    project.public_key += "-again"  # as in another process: the SDK keeps one client of each key in one
    settings.LANGFUSE_KEYS = langfuseenv.Langfuse(project.url, project.public_key, project.secret_key)
    sent(evaluation.pk)
    assert (set(project.items), set(project.spans), set(project.scores)) == before
    assert project.secret_key not in caplog.text
    assert project.versions >= {"4"}


def test_what_langfuse_refuses_is_told_without_the_key_and_leaves_the_evaluation_as_it_is(
    settings: Any, project: Project, evaluation: Evaluation, caplog: pytest.LogCaptureFixture
) -> None:
    before = Evaluation.objects.values().get()
    for path in ("/api/public/v2/datasets", "/api/public/scores", "/api/public/otel/v1/traces"):
        project.fails = {path: 400}
        with pytest.raises(CommandError, match="did not take it all") as refused:
            sent(evaluation.pk)
        assert project.secret_key not in f"{refused.value}{caplog.text}"
    with pytest.raises(CommandError, match="no evaluation 0"):
        sent(0)
    settings.LANGFUSE_KEYS = None
    with pytest.raises(CommandError, match="set LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY"):
        sent(evaluation.pk)
    assert Evaluation.objects.values().get() == before


def test_a_langfuse_that_does_not_answer_holds_nothing_up_for_longer_than_it_is_given(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        settings.LANGFUSE_KEYS = langfuseenv.Langfuse(url, "pk", "sk")
        said = afterwards.send_apart(7, seconds=0.2)
    assert said.startswith("Langfuse did not take evaluation 7 within 0.2 s. Send it again: manage.py")


def test_the_doctor_says_how_the_missing_sdk_is_installed(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LANGFUSE_KEYS = langfuseenv.Langfuse("https://lf.example", "pk", "sk")
    (line,) = handover.langfuse()
    assert (line.health, "lf.example" in line.seen) == ("ok", True)
    monkeypatch.setattr(sdk, "find_spec", lambda name: None)
    (line,) = handover.langfuse()
    assert (line.health, line.cure) == ("failing", "pip install 'langfuse>=5,<6'")
    assert "is not installed" in afterwards.send_apart(1)


def test_spans_go_to_langfuse_unless_another_receiver_is_named(
    settings: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TRACES_ARE_SENT = True
    otlp.close()
    with tracing.span_of_run(12):
        pass
    otlp.close()
    (span,) = project.spans.values()
    assert (span.name, span.trace) == ("invoke_agent model", tracing.trace_of(12))
    with collecting() as other:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", other.url)
        with tracing.span_of_run(13):
            pass
        otlp.close()
    assert (len(other.spans), len(project.spans)) == (1, 1)
    assert "authorization" not in other.headers[0]


def test_half_of_its_settings_are_refused_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    with pytest.raises(ImproperlyConfigured, match="LANGFUSE_HOST and LANGFUSE_SECRET_KEY"):
        langfuseenv.server()
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-never-shown")
    monkeypatch.setenv("LANGFUSE_HOST", "lf.example")
    with pytest.raises(ImproperlyConfigured, match="langfuse"):
        langfuseenv.server()
    monkeypatch.setenv("LANGFUSE_HOST", "https://lf.example/")
    found = langfuseenv.server()
    assert found is not None
    assert found.traces == "https://lf.example/api/public/otel/v1/traces"
    assert "never-shown" not in repr(found)
