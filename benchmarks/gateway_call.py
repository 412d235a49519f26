"""What one tool call costs through the gateway, beside the same question asked bare and by the connector.

All three put the same indexed lookup to the same database, in turns; the entry's commit is told apart.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.figures import figure, median
from benchmarks.stand import Stand, standing, use_django

CALLS = 400
TOOLS = """
connector: bench
tools:
  - name: find_thing
    title: One thing
    description: A thing by its id.
    input: {type: object, additionalProperties: false, required: [id], properties: {id: {type: integer}}}
    output: {type: object, required: [thing], properties: {thing: {type: object}}}
    shape: one
    key: thing
    sql: SELECT id, name FROM bench_things WHERE id = %(id)s::bigint
    control: SELECT EXISTS (SELECT FROM bench_things) AS holds
"""
CONNECTORS = "connectors: {bench: {kind: postgres, title: Bench, dsn_env: BENCH_READER_URL}}\n"


def main() -> None:
    """Print the medians and their ratios."""
    with standing() as stand, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tools.yaml").write_text(TOOLS)
        (Path(folder) / "connectors.yaml").write_text(CONNECTORS)
        stand.variables.update(
            TRIAGE_TOOLS=f"{folder}/tools.yaml",
            TRIAGE_CONNECTORS=f"{folder}/connectors.yaml",
            BENCH_READER_URL=reader(stand),
        )
        use_django(stand.variables)
        measure()


def reader(stand: Stand) -> str:
    """Make a table and its hardened reader; return the reader's address."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    from toolbox.connectors.readerrole import reader_role_sql

    assert stand.servers.postgres is not None
    admin = stand.servers.postgres.dsn("bench")
    with psycopg.connect(stand.servers.postgres.dsn("postgres"), autocommit=True) as link:
        link.execute("CREATE ROLE bench_owner")
        link.execute("CREATE DATABASE bench")
    with psycopg.connect(admin, autocommit=True) as link:
        link.execute("CREATE SCHEMA app")
        link.execute("CREATE TABLE app.bench_things(id bigint PRIMARY KEY, name text)")
        link.execute("INSERT INTO app.bench_things SELECT g, 'thing ' || g FROM generate_series(1, 10000) g")
        link.execute(
            reader_role_sql("bench", "app", ["bench_things"], "bench_reader", "bench_owner").encode()
        )
        link.execute("ALTER ROLE bench_reader PASSWORD 'bench'")
    return make_conninfo(admin, user="bench_reader", password="bench")


def measure() -> None:
    """Ask in turns: bare, by the connector, through the gateway, and write an entry alone."""
    from datetime import UTC, datetime

    import psycopg
    from django.db import transaction

    from audit import writing
    from toolbox import gateway, registry
    from toolbox.scope import CallScope

    tool = registry.current().definitions["find_thing"]
    connector = registry.current().connectors["bench"]
    scope = CallScope(caller="bench")
    entry = {"tool": "find_thing", "result": {"thing": {"id": 1, "name": "thing 1"}}, "arguments": {"id": 1}}

    def write() -> None:
        with transaction.atomic(durable=True):
            writing.write("tool.called", entry, actor="bench")

    with psycopg.connect(os.environ["BENCH_READER_URL"], autocommit=True) as link:
        query = "SELECT id, name FROM bench_things WHERE id = %s"
        ways: dict[str, Callable[[], object]] = {
            "bare": lambda: link.execute(query, [7]).fetchone(),
            "connector": lambda: connector.ask(tool, {"id": 7}, datetime.now(UTC)),
            "gateway": lambda: gateway.call("find_thing", {"id": 7}, scope),
            "entry": write,
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(CALLS):
            for name, once in ways.items():
                begin = time.perf_counter()
                once()
                times[name].append((time.perf_counter() - begin) * 1000)
    registry.current().close()
    report({name: median(taken) for name, taken in times.items()})


def report(ms: dict[str, float]) -> None:
    """Print the figures."""
    own = ms["gateway"] - ms["connector"] - ms["entry"]
    figure("a bare lookup", ms["bare"], "ms")
    figure("the connector, control question included", ms["connector"], "ms")
    figure("connector : bare lookup", ms["connector"] / ms["bare"], "")
    figure("an entry and its commit", ms["entry"], "ms")
    figure("a whole call through the gateway", ms["gateway"], "ms")
    figure("the gateway's own share", own, "ms", goal="under 5 ms", is_met=own < 5)


if __name__ == "__main__":
    main()
