"""Metrics: what a number is worth when the reporter is dead, the answer partial, or the ratio 0/0."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes.server import Asked, FakeServer, Reply, serving
from tests.fakes.toolboxes import ask, load
from toolbox.registry import Toolbox
from toolbox.yamlfile import DefinitionError

CONNECTORS = """\
connectors:
  metrics: {kind: prometheus, title: Metrics, url_env: TEST_PROM, networks: [127.0.0.0/8]}
"""
TOOLS = """\
connector: metrics
tools:
  - name: error_rate
    title: Errors a second
    description: Errors of one service.
    input: &one
      type: object
      additionalProperties: false
      required: [service]
      properties: {service: {type: string}, at: {type: string, format: date-time}}
    output: {type: object}
    promql: sum by (service) (rate(errors_total{service=%(service)s::text}[5m])) or vector(0)
    control: errors_total{service=%(service)s::text}
    at: at
    limits: {rows: 3}
  - name: bare
    title: Bare
    description: Without a control.
    input: *one
    output: {type: object}
    promql: errors_total{service=%(service)s::text}
    at: at
  - name: history
    title: History
    description: Over a window.
    input:
      type: object
      additionalProperties: false
      required: [service, since]
      properties:
        service: {type: string}
        since: {type: string, format: date-time}
        until: {type: string, format: date-time}
    output: {type: object}
    promql: rate(errors_total{service=%(service)s::text}[5m])
    control: errors_total{service=%(service)s::text}
    range: {since: since, until: until, step: 60}
"""


class Metrics:
    """What the fake server answers to a query that contains a key; everything else is empty."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}

    def __call__(self, asked: Asked) -> Reply:
        query = asked.one("query")
        kind = "matrix" if asked.path.endswith("query_range") else "vector"
        for key, answer in self.answers.items():
            if key in query:
                body = answer(asked) if callable(answer) else answer
                return body if isinstance(body, Reply) else Reply(body=body)
        return Reply(body=success(kind, []))


def success(kind: str, result: list[Any], **more: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": kind, "result": result}, **more}


def vector(value: str, **labels: str) -> dict[str, Any]:
    return {"metric": labels, "value": [1796040000, value]}


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def server(metrics: Metrics, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with serving(metrics) as server:
        monkeypatch.setenv("TEST_PROM", server.url)
        yield server


@pytest.fixture
def toolbox(server: FakeServer, tmp_path: Path) -> Iterator[Toolbox]:
    toolbox = load(tmp_path, CONNECTORS, TOOLS)
    yield toolbox
    toolbox.close()


def test_a_zero_that_the_query_made_up_proves_nothing(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["vector(0)"] = success("vector", [vector("0")])
    outcome = ask(toolbox, "error_rate", service="shop")
    assert outcome.status is Status.UNANSWERABLE
    assert "raw series" in outcome.reason


def test_a_zero_over_raw_series_is_a_zero(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["rate("] = success("vector", [vector("0", service="shop")])
    metrics.answers["errors_total"] = success("vector", [vector("7", service="shop")])
    outcome = ask(toolbox, "error_rate", service="shop")
    assert outcome.status is Status.OBSERVED
    assert outcome.result["series"][0]["value"] == 0.0
    assert outcome.covered == {"series": 1, "at": "2026-11-30T12:00:00.000000Z"}


def test_nothing_found_without_a_control_is_no_answer(toolbox: Toolbox) -> None:
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.status is Status.UNANSWERABLE
    assert "no control" in outcome.reason


def test_nothing_found_beside_raw_series_is_empty(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["rate("] = success("vector", [])
    metrics.answers["errors_total"] = success("vector", [vector("7", service="shop")])
    assert ask(toolbox, "error_rate", service="shop").status is Status.EMPTY


@pytest.mark.parametrize("text", ["NaN", "+Inf", "-Inf"])
def test_what_is_no_finite_number_stays_text_and_is_counted(
    toolbox: Toolbox, metrics: Metrics, text: str
) -> None:
    metrics.answers["errors_total"] = success("vector", [vector(text, service="shop")])
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.result["series"][0]["value"] == text
    assert outcome.result["series"][0]["finite"] is False
    assert outcome.result["non_finite_count"] == 1
    assert "no finite numbers" in outcome.reason


@pytest.mark.parametrize("key", ["warnings", "infos"])
def test_a_warned_answer_is_never_plain(toolbox: Toolbox, metrics: Metrics, key: str) -> None:
    metrics.answers["errors_total"] = success(
        "vector", [vector("1", service="shop")], **{key: ["store 2 of 3 did not answer"]}
    )
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.status is Status.TRUNCATED
    assert "store 2 of 3" in outcome.reason


def test_a_warned_control_proves_nothing(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["rate("] = success("vector", [vector("1", service="shop")])
    metrics.answers["errors_total"] = success("vector", [vector("1")], warnings=["partial"])
    assert ask(toolbox, "error_rate", service="shop").status is Status.UNANSWERABLE


@pytest.mark.parametrize("late", [-3600, 3600])
def test_a_server_that_looked_at_another_time_is_found_out(
    toolbox: Toolbox, metrics: Metrics, late: int
) -> None:
    sample = {**vector("0", service="shop"), "value": [1796040000 + late, "0"]}
    metrics.answers["errors_total"] = success("vector", [sample])
    outcome = ask(toolbox, "error_rate", service="shop")
    assert outcome.status is Status.ERROR
    assert "another time" in outcome.reason


def test_a_series_that_comes_twice_is_an_error(toolbox: Toolbox, metrics: Metrics) -> None:
    twice = [vector("1", service="shop", pod="a"), vector("2", pod="a", service="shop")]
    metrics.answers["errors_total"] = success("vector", twice)
    assert ask(toolbox, "bare", service="shop").status is Status.ERROR


def test_a_success_with_an_error_is_an_error(toolbox: Toolbox, metrics: Metrics) -> None:
    body = success("vector", [vector("1", service="shop")], errorType="timeout", error="query timed out")
    metrics.answers["errors_total"] = body
    assert ask(toolbox, "error_rate", service="shop").status is Status.ERROR


def test_a_partial_answer_of_a_cluster_is_truncated(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = success("vector", [vector("1", service="shop")], isPartial=True)
    assert ask(toolbox, "bare", service="shop").status is Status.TRUNCATED


def test_a_series_of_another_service_is_an_error(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = success("vector", [vector("1", service="mail")])
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.status is Status.ERROR
    assert "service='mail'" in outcome.reason


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (success("matrix", []), "a vector was asked for"),
        (success("string", [1, "x"]), "a vector was asked for"),
        (success("vector", [{"metric": {}, "histogram": [1, {}]}]), "native histograms"),
        (success("vector", [vector("12px", service="shop")]), "not a number"),
        (success("vector", [{"metric": {}, "value": [1]}]), "not a pair"),
        (success("vector", [{"metric": {"service": 3}, "value": [1, "1"]}]), "not a text"),
        ({"status": "success"}, "has no data"),
        ({"status": "error", "errorType": "execution", "error": "many-to-many"}, "many-to-many"),
        ([], "not an object"),
        (Reply(400, {"status": "error", "error": "parse error at char 3"}), "parse error at char 3"),
    ],
)
def test_an_answer_of_another_kind_is_an_error(
    toolbox: Toolbox, metrics: Metrics, answer: Any, says: str
) -> None:
    metrics.answers["errors_total"] = answer
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.status is Status.ERROR, outcome
    assert says in outcome.reason


@pytest.mark.parametrize("status", [422, 503])
def test_a_query_that_the_server_gave_up_is_told_from_one_that_it_cannot_take_now(
    toolbox: Toolbox, metrics: Metrics, status: int
) -> None:
    metrics.answers["errors_total"] = Reply(status, {"status": "error", "error": "query timed out"})
    outcome = ask(toolbox, "bare", service="shop")
    assert outcome.status is (Status.UNAVAILABLE if status == 503 else Status.ERROR)


def test_more_series_than_the_limit_are_cut_and_counted(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = success(
        "vector", [vector("1", service="shop", pod=f"p{index}") for index in range(5)]
    )
    outcome = ask(toolbox, "error_rate", service="shop")
    assert outcome.status is Status.TRUNCATED
    assert (len(outcome.result["series"]), outcome.result["series_count"]) == (3, 5)


@pytest.mark.parametrize(
    ("service", "written"),
    [
        ('"} or vector(1) #', r'{service="\"} or vector(1) #"}'),
        ("a\\", r'{service="a\\"}'),
        ("a\nb", r'{service="a\nb"}'),
    ],
)
def test_a_label_value_cannot_end_its_quotes(
    toolbox: Toolbox, server: FakeServer, service: str, written: str
) -> None:
    ask(toolbox, "bare", service=service)
    assert server.asked[-1].one("query") == "errors_total" + written


def test_a_control_character_in_a_value_is_refused_unasked(toolbox: Toolbox, server: FakeServer) -> None:
    assert ask(toolbox, "bare", service="a\x00b").status is Status.REFUSED
    assert server.asked == []


def matrix(points: list[tuple[int, str]], **labels: str) -> dict[str, Any]:
    return success("matrix", [{"metric": labels, "values": [list(point) for point in points]}])


def points(asked: Asked, *, first: int = 0, leave_out: frozenset[int] = frozenset()) -> list[tuple[int, str]]:
    start, end = float(asked.one("start")), float(asked.one("end"))
    count = int((end - start) // 60) + 1
    return [(int(start) + 60 * step, "1") for step in range(first, count) if step not in leave_out]


WINDOW = {"service": "shop", "since": "2026-11-30T11:00:00Z", "until": "2026-11-30T11:30:30Z"}


def test_a_range_reports_the_window_that_its_samples_span(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = lambda asked: matrix(points(asked), service="shop")
    outcome = ask(toolbox, "history", **WINDOW)
    assert outcome.status is Status.OBSERVED
    assert outcome.covered == {
        "series": 1, "step": 60,
        "since": "2026-11-30T11:00:00.000000Z", "until": "2026-11-30T11:30:30.000000Z",
    }  # fmt: skip


def test_what_lies_before_the_first_sample_is_not_covered(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = lambda asked: matrix(points(asked, first=10), service="shop")
    outcome = ask(toolbox, "history", **WINDOW)
    assert outcome.covered is not None
    assert outcome.covered["since"] == "2026-11-30T11:10:00.000000Z"


def test_a_hole_in_the_raw_series_is_a_partial_answer(toolbox: Toolbox, metrics: Metrics) -> None:
    metrics.answers["errors_total"] = lambda asked: matrix(
        points(asked, leave_out=frozenset({5, 6})), service="shop"
    )
    outcome = ask(toolbox, "history", **WINDOW)
    assert outcome.status is Status.TRUNCATED
    assert "2 points" in outcome.reason


def test_nobody_can_have_looked_into_the_future(toolbox: Toolbox, server: FakeServer) -> None:
    ask(toolbox, "history", service="shop", since="2026-11-30T11:00:00Z", until="2027-01-01T00:00:00Z")
    assert server.asked[-1].one("end") == "1796040000.000000"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("control: errors_total{service=%(service)s::text}", "control: time()", "raw series"),
        ("control: errors_total{service=%(service)s::text}", "control: up or vector(1)", "raw series"),
        ("promql: errors_total{service=%(service)s::text}", "promql: up", "service changes nothing"),
        ("=%(service)s::text}\n    at", '="%(service)s::text"}\n    at', "stands in quotes"),
        ("=%(service)s::text}\n    at", "=%(service)s}\n    at", "no placeholder"),
        ("=%(service)s::text}\n    at", "=%(host)s::text}\n    at", "not declared"),
        ("required: [service]", "required: []", "may be left out"),
        ("step: 60", "step: 0", "whole number from 1"),
        ("promql: errors_total{", "sql: select 1\n    promql: errors_total{", "unknown key 'sql'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_metrics_tool_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in TOOLS
    with pytest.raises(DefinitionError, match=says):
        load(tmp_path, CONNECTORS, TOOLS.replace(old, new))
