"""What one step of a model's run costs besides the model's and the tool's own time, with an answer of 200 KB.

A step is one exchange and one tool call, through all that a real run goes through: the reply parsed and kept,
the arguments validated, the gateway's steps, the entry with its whole result, its copy for the model masked,
cut and marked, transcripts, steps and the lease. The model is a scripted server on a real socket.
"""

import itertools
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.figures import figure, median, percentile
from benchmarks.gateway_call import CONNECTORS, Watch, reader
from benchmarks.stand import standing, use_django

STEPS = 60
TOOLS = """
connector: bench
tools:
  - name: list_things
    title: Many things
    description: Things from an id on, each with a long text.
    input: {type: object, additionalProperties: false, required: [id], properties: {id: {type: integer}}}
    output: {type: object, required: [things], properties: {things: {type: array, items: {type: object}}}}
    shape: rows
    key: things
    sql: >-
      SELECT id, name, repeat(md5(id::text) || ' ', 31) AS words FROM bench_things
      WHERE id >= %(id)s::bigint ORDER BY id LIMIT 190
    control: SELECT EXISTS (SELECT FROM bench_things) AS holds
    limits: {rows: 400, bytes: 400000}
"""


def main() -> None:
    """Print the medians."""
    from tests import scripted

    with standing() as stand, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tools.yaml").write_text(TOOLS)
        (Path(folder) / "connectors.yaml").write_text(CONNECTORS)
        with scripted.endpoint(next_step) as server:
            stand.variables.update(
                server.variables,
                TRIAGE_TOOLS=f"{folder}/tools.yaml",
                TRIAGE_CONNECTORS=f"{folder}/connectors.yaml",
                BENCH_READER_URL=reader(stand),
                AGENT_MAX_TURNS="1000",
                AGENT_MAX_CALLS="1000",
                AGENT_MAX_TOKENS="1000000000",
                INVESTIGATION_MAX_CALLS="1000",
                LOG_LEVEL="ERROR",
            )
            use_django(stand.variables, pooled=True)
            measure()


def next_step(request: Any) -> Any:
    """Ask once more, for other things; hand in at last."""
    from tests.scripted import calls, says

    if request.number < STEPS:
        return calls(("list_things", json.dumps({"id": request.number * 100 + 1})))
    return says('{"version": 1, "hypothesis": "none_of_these", "findings": [], "draft": "Looked."}')


def measure() -> None:
    """Run one investigation and take each of its steps apart."""
    from investigations import endpoint, services
    from investigations.loop import Loop
    from toolbox import registry

    connector: Any = registry.current().connectors["bench"]
    model, tool = Watch(endpoint.complete), Watch(connector.ask)
    cpu = [Watch(model, time.thread_time), Watch(tool, time.thread_time)]
    endpoint.complete, connector.ask = cpu
    begun: list[float] = []
    worked: list[float] = []
    once = Loop.once

    def noted(loop: Any, *arguments: Any) -> Any:
        begun.append(time.perf_counter() * 1000)
        worked.append(time.thread_time() * 1000)
        return once(loop, *arguments)

    Loop.once = noted  # type: ignore[method-assign, assignment] # it is watched
    row = opened()
    trips = watched_trips(begun)
    waited = waits_for_disk()
    outcome = services.run(row.pk, on_judged=lambda _: None, on_failed=lambda _: None)
    waited = waits_for_disk() - waited
    registry.current().close()
    row.refresh_from_db()
    if row.outcome != "first_pass" or len(tool.taken) != STEPS:
        raise SystemExit(f"the run went otherwise: {outcome.reason} {row.outcome} {row.reason}")
    report(begun, model.taken, tool.taken)
    others = [sum(each) for each in zip(cpu[0].taken, cpu[1].taken, strict=False)]
    steps = zip(itertools.pairwise(worked), others, strict=False)
    own = [after - before - other for (before, after), other in steps]
    figure("a step's own processor time in this process, median", median(own), "ms")
    figure("a step's round trips to the database, median", median(list(trips.values())), "")
    figure("waits for the database's disk, per step", waited / STEPS, "")


def watched_trips(begun: list[float]) -> dict[int, int]:
    """Count the application's round trips to its database from now on, by the step that they belong to."""
    import psycopg

    from audit import straight

    counted: dict[int, int] = {}

    def counting(function: Any) -> Any:
        def counts(*arguments: Any, **named: Any) -> Any:
            if 0 < len(begun) <= STEPS:
                counted[len(begun)] = counted.get(len(begun), 0) + 1
            return function(*arguments, **named)

        return counts

    # The driver's own way, and the one past its cursors.
    psycopg.Connection.wait = counting(psycopg.Connection.wait)  # type: ignore[method-assign] # it is watched
    straight.rows = counting(straight.rows)
    return counted


def waits_for_disk() -> int:
    """Return how often sessions have waited until their commit was on the disk; older servers don't say."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.pg_version < 18_00_00:  # type: ignore[attr-defined] # PostgreSQL's own
            return 0
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io"
            " WHERE object = 'wal' AND context = 'normal' AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def opened() -> Any:
    """Open an investigation of an alert that no rule is about."""
    from django.utils import timezone

    from investigations import services
    from verdicts.case import Subject

    now = timezone.now()
    about = Subject(1, "alert", "bench", "A thing", "warning", now, now, {}, {}, {})
    return services.open_investigation(1, about, now=now, investigator="model")


def report(begun: list[float], model: list[float], tool: list[float]) -> None:
    """Print what is left of each step without the model's and the tool's time."""
    whole = [after - before for before, after in itertools.pairwise(begun)]
    own = [step - said - asked for step, said, asked in zip(whole, model, tool, strict=False)]
    size = entry_bytes()
    figure("bytes of the smallest answer", size, "", goal="200 KB or more", is_met=size >= 200_000)
    figure("the scripted model's own time, median", median(model), "ms")
    figure("the tool's own time, median", median(tool), "ms")
    figure("a step's own share, median", median(own), "ms", goal="under 25 ms", is_met=median(own) < 25)
    figure("a step's own share, 95th percentile", percentile(own, 0.95), "ms")


def entry_bytes() -> int:
    """Return the size of the smallest recorded answer: there is one a step, and nothing else is as long."""
    from audit.models import Payload

    return sorted(len(body or "") for body in Payload.objects.values_list("body", flat=True))[-STEPS]


if __name__ == "__main__":
    main()
