"""A real Prometheus, from Debian's package, scraping an exporter of ours: what its answers are typed as."""

import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay_core.instants import as_text
from assay_core.results import Status
from tests.conftest import free_port, require_program, wait_until
from tests.fakes.server import Asked, Reply, serving
from tests.fakes.toolboxes import ask
from toolbox import registry, schemas
from toolbox.connectors.base import Outcome
from toolbox.registry import Toolbox

SHIPPED = Path(registry.__file__).parent / "definitions_shipped"
EXPORTED = b"""\
# TYPE errors_total counter
errors_total{service="shop"} 7
errors_total{service="idle"} 0
errors_total{service="quo\\"te\\\\d"} 3
# TYPE requests_total counter
requests_total{service="shop"} 100
requests_total{service="idle"} 0
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1
# TYPE temperature gauge
temperature{place="sun"} +Inf
temperature{place="void"} NaN
"""
CONNECTORS = """\
connectors:
  metrics: {kind: prometheus, title: Metrics, url_env: TEST_PROMETHEUS, networks: [127.0.0.1/32]}
  prometheus: {kind: prometheus, title: Metrics, url_env: TEST_PROMETHEUS, networks: [127.0.0.1/32]}
"""
_INPUT = """\
    input:
      type: object
      additionalProperties: false
      required: [service]
      properties: {service: {type: string}}
    output: {type: object}
"""
ERRORS, REQUESTS = "errors_total{service=%(service)s::text}", "requests_total{service=%(service)s::text}"
QUERIES = {  # name: (query, control)
    "errors": (ERRORS, ""),
    "errors_or_none": (f"sum({ERRORS}) or vector(0)", ERRORS),
    "error_ratio": (f"{ERRORS} / on(service) requests_total", REQUESTS),
    "above": (f"{ERRORS} > 100", ERRORS),
    "heat": ("temperature{place=%(service)s::text}", ""),
    "broken": (f"sum({ERRORS}))", ""),
    "clash": (f"{ERRORS} + on() requests_total", ""),
    "starts_with": ("errors_total{service=~%(service)s::prefix}", ""),
}
HISTORY = """\
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
    promql: errors_total{service=%(service)s::text}
    control: errors_total{service=%(service)s::text}
    range: {since: since, until: until, step: 1}
    limits: {bytes: 1048576}
"""


def _tools() -> str:
    text = "connector: metrics\ntools:\n"
    for name, (query, control) in QUERIES.items():
        text += f"  - name: {name}\n    title: T\n    description: D\n{_INPUT}    promql: '{query}'\n"
        text += f"    control: '{control}'\n" if control else ""
    return text + HISTORY


def _exporter(asked: Asked) -> Reply:
    return Reply(body=EXPORTED, kind="text/plain; version=0.0.4")


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    program = require_program("prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    port = free_port()
    patch = pytest.MonkeyPatch()
    with serving(_exporter) as exporter:
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s}\nscrape_configs:\n"
            f"  - {{job_name: shop, static_configs: [{{targets: ['127.0.0.1:{exporter.port}']}}]}}\n"
        )
        process = subprocess.Popen(
            [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        patch.setenv("TEST_PROMETHEUS", f"http://127.0.0.1:{port}")
        (folder / "connectors.yaml").write_text(CONNECTORS)
        (folder / "tools.yaml").write_text(_tools())
        made = registry.load([folder / "tools.yaml", SHIPPED / "prometheus.yaml"], folder / "connectors.yaml")
        try:
            wait_until(lambda: now(made, "errors").status is Status.OBSERVED, seconds=60)
            yield made
        finally:
            made.close()
            process.terminate()
            process.wait(20)
            patch.undo()


def now(toolbox: Toolbox, tool: str, service: str = "shop") -> Outcome:
    return ask(toolbox, tool, datetime.now(UTC), service=service)


def test_a_counter_is_read_with_its_labels_and_what_was_scanned(toolbox: Toolbox) -> None:
    outcome = now(toolbox, "errors")
    (series,) = outcome.result["series"]
    assert (series["value"], series["labels"]["service"]) == (7.0, "shop")
    assert outcome.covered is not None
    assert outcome.covered["scanned"] == 1


def test_the_zero_of_a_dead_reporter_is_no_answer_and_that_of_an_idle_one_is(toolbox: Toolbox) -> None:
    assert now(toolbox, "errors_or_none", "dead").status is Status.UNANSWERABLE
    idle = now(toolbox, "errors_or_none", "idle")
    assert idle.status is Status.OBSERVED
    assert idle.result["series"][0]["value"] == 0.0


def test_a_ratio_without_requests_is_no_number(toolbox: Toolbox) -> None:
    outcome = now(toolbox, "error_ratio", "idle")
    assert outcome.result["series"][0]["value"] == "NaN"
    assert outcome.result["non_finite_count"] == 1
    assert now(toolbox, "error_ratio").result["series"][0]["value"] == 0.07


@pytest.mark.parametrize(("place", "text"), [("sun", "+Inf"), ("void", "NaN")])
def test_what_is_exported_as_no_number_stays_text(toolbox: Toolbox, place: str, text: str) -> None:
    assert now(toolbox, "heat", place).result["series"][0]["value"] == text


def test_nothing_above_a_bound_is_empty_beside_raw_series(toolbox: Toolbox) -> None:
    assert now(toolbox, "above").status is Status.EMPTY
    assert now(toolbox, "above", "dead").status is Status.UNANSWERABLE
    assert now(toolbox, "errors", "dead").status is Status.UNANSWERABLE


@pytest.mark.parametrize("service", ['quo"te\\d', 'shop"} or vector(1) or x{a="', "shop`", "sh\nop"])
def test_a_hostile_label_value_is_only_ever_a_value(toolbox: Toolbox, service: str) -> None:
    outcome = now(toolbox, "errors", service)
    expected = Status.OBSERVED if service.startswith("quo") else Status.UNANSWERABLE
    assert outcome.status is expected, outcome


def test_a_prefix_is_no_pattern(toolbox: Toolbox) -> None:
    assert now(toolbox, "starts_with", "sh").result["series_count"] == 1
    assert now(toolbox, "starts_with", ".*").status is Status.UNANSWERABLE


@pytest.mark.parametrize(("tool", "says"), [("broken", "parse error"), ("clash", "on the right|many")])
def test_a_query_that_cannot_be_run_is_an_error_in_the_servers_words(
    toolbox: Toolbox, tool: str, says: str
) -> None:
    outcome = now(toolbox, tool)
    assert outcome.status is Status.ERROR
    assert re.search(says, outcome.reason), outcome.reason


def test_a_range_covers_only_what_was_scraped(toolbox: Toolbox) -> None:
    called_at = datetime.now(UTC)
    since = as_text(called_at - timedelta(hours=1))
    outcome = ask(toolbox, "history", called_at, service="shop", since=since)
    assert outcome.status is Status.OBSERVED, outcome
    assert outcome.covered is not None
    assert outcome.covered["since"] > since
    assert outcome.covered["until"] == as_text(called_at)


def test_a_range_of_too_many_points_is_an_error(toolbox: Toolbox) -> None:
    called_at = datetime.now(UTC)
    since = as_text(called_at - timedelta(days=2))
    outcome = ask(toolbox, "history", called_at, service="shop", since=since)
    assert outcome.status is Status.ERROR
    assert "maximum resolution" in outcome.reason


def test_the_shipped_tools_run_against_it(toolbox: Toolbox) -> None:
    outcome = ask(toolbox, "prometheus_targets_up", datetime.now(UTC), job="shop")
    assert outcome.status is Status.OBSERVED
    assert outcome.result["series"][0]["value"] == 1.0
    assert schemas.complaint(outcome.result, toolbox.definitions["prometheus_targets_up"].output) == ""
    silent = ask(toolbox, "prometheus_alert_firing", datetime.now(UTC), alert="X", rule_group="none")
    assert silent.status is Status.UNANSWERABLE
