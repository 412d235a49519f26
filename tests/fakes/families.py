"""One connector and one tool of each family that answers over HTTP, with a fake that answers it well."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.fakes.kubernetes import FakeCluster
from tests.fakes.loki import FakeLoki
from tests.fakes.opensearch import FakeOpenSearch
from tests.fakes.server import Answer, Asked, Reply
from tests.fakes.traces import FakeJaeger, FakeSpan, FakeTempo

TRACE = "00000000000000004bf92f3577b34da6"
WINDOW = {"since": "2026-11-30T11:00:00Z", "until": "2026-11-30T11:59:00Z"}
HALF_PAST = datetime.fromisoformat("2026-11-30T11:30:00Z")

_WINDOW_INPUT = """
        since: {type: string, format: date-time}
        until: {type: string, format: date-time}"""


@dataclass(frozen=True)
class Family:
    """A connector's kind, the question of its tool, the arguments of a call, and who answers."""

    kind: str
    question: str
    properties: str
    arguments: Mapping[str, Any]
    answer: Answer
    credential: str = ""

    @property
    def connectors(self) -> str:
        """The connectors file; the address is in TEST_URL, a token in TEST_TOKEN."""
        credential = f", credential: {{{self.credential}: TEST_TOKEN}}" if self.credential else ""
        return (
            f"connectors:\n  it: {{kind: {self.kind}, title: It, url_env: TEST_URL, "
            f"networks: [127.0.0.0/8], connections: 2{credential}}}\n"
        )

    def tools(self, seconds: float = 5) -> str:
        """The tools file."""
        required = ", ".join(self.arguments)
        return f"""\
connector: it
tools:
  - name: look
    title: Look
    description: Looks.
    input:
      type: object
      additionalProperties: false
      required: [{required}]
      properties:{self.properties}
    output: {{type: object}}
    limits: {{rows: 5, seconds: {seconds}}}
{self.question}"""


def _text(*names: str) -> str:
    return "".join(f"\n        {name}: {{type: string}}" for name in names)


def prometheus(asked: Asked) -> Reply:
    """Answer like Prometheus where one series matches: a sample bears the time that was asked for."""
    sample = {"metric": {"service": "shop"}, "value": [float(asked.one("time")), "1.5"]}
    return Reply(body={"status": "success", "data": {"resultType": "vector", "result": [sample]}})


def loki() -> FakeLoki:
    """A Loki that has logged before, in and after the window."""
    lines = [
        (HALF_PAST + timedelta(minutes=minutes), {"app": "shop", "tenant": "t1"}, f"pay {minutes} done")
        for minutes in (-60, -5, 0, 5)
    ]
    return FakeLoki(lines)


def opensearch() -> FakeOpenSearch:
    """An OpenSearch with two documents in the window."""
    documents = [
        {"@timestamp": f"2026-11-30T11:{minute}:00.000000Z", "tenant": "t1", "message": "pay done"}
        for minute in (10, 40)
    ]
    return FakeOpenSearch({"logs-shop": documents})


def spans() -> dict[str, list[FakeSpan]]:
    """One trace of two spans."""
    return {TRACE: [FakeSpan("00f067aa0ba902b7"), FakeSpan("00f067aa0ba902b8", parent="00f067aa0ba902b7")]}


def cluster() -> FakeCluster:
    """A cluster with one pod."""
    found = FakeCluster()
    found.add("namespaces", "", "shop")
    found.add("pods", "shop", "web-1", labels={"app": "web"}, status={"phase": "Running"})
    return found


def api(asked: Asked) -> Reply:
    """Answer like an issue tracker with one issue."""
    if asked.path == "/repos/assay/shop/issues/7":
        return Reply(body={"number": 7, "state": "open", "user": {"login": "ada"}})
    return Reply(404, {"message": "Not Found"})


FAMILIES: Mapping[str, Family] = {
    "prometheus": Family(
        "prometheus",
        "    promql: errors_total{service=%(service)s::text}\n",
        _text("service"),
        {"service": "shop"},
        prometheus,
    ),
    "loki": Family(
        "loki",
        """\
    logql: '{app="shop", tenant=%(tenant)s::text} |= %(query)s::text'
    window: {since: since, until: until}
""",
        _text("tenant", "query") + _WINDOW_INPUT,
        {"tenant": "t1", "query": "done", **WINDOW},
        loki(),
    ),
    "opensearch": Family(
        "opensearch",
        """\
    index: logs-{app}
    search:
      bool:
        filter: [{term: {tenant: {argument: tenant}}}, {match_phrase: {message: {argument: query}}}]
    control: {term: {tenant: {argument: tenant}}}
    window: {since: since, until: until}
    time_field: "@timestamp"
    fields: ["@timestamp", tenant, message]
    same: {tenant: tenant}
""",
        _text("app", "tenant", "query") + _WINDOW_INPUT,
        {"app": "shop", "tenant": "t1", "query": "done", **WINDOW},
        opensearch(),
    ),
    "tempo": Family(
        "tempo",
        "    trace: trace_id\n    window: {since: since, until: until}\n",
        _text("trace_id") + _WINDOW_INPUT,
        {"trace_id": TRACE, **WINDOW},
        FakeTempo(spans()),
    ),
    "jaeger": Family(
        "jaeger",
        "    trace: trace_id\n    window: {since: since, until: until}\n    control: {service: shop}\n",
        _text("trace_id") + _WINDOW_INPUT,
        {"trace_id": TRACE, **WINDOW},
        FakeJaeger(spans()),
    ),
    "kubernetes": Family(
        "kubernetes",
        """\
    objects:
      version: v1
      plural: pods
      namespace: namespace
      name: name
      fields: {name: metadata.name, phase: status.phase}
""",
        _text("namespace", "name"),
        {"namespace": "shop", "name": "web-1"},
        cluster(),
        credential="bearer_env",
    ),
    "http": Family(
        "http",
        """\
    get: /repos/{owner}/{repo}/issues/{number}
    fields: {number: number, state: state, author: user.login}
    same: {number: number}
    control: /repos/{owner}/{repo}
    key: issue
""",
        _text("owner", "repo") + "\n        number: {type: integer}",
        {"owner": "assay", "repo": "shop", "number": 7},
        api,
        credential="bearer_env",
    ),
}
