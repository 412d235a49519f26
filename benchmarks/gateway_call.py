"""What one tool call costs through the gateway, beside the same question asked bare.

Both put the same indexed lookup to the same database, in turns; connector and entry are told apart.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


class Watch:
    """Times each call of a function, in milliseconds by a clock, and lets it be."""

    def __init__(self, function: Callable[..., Any], clock: Callable[[], float] = time.perf_counter) -> None:
        self._function, self._clock = function, clock
        self.taken: list[float] = []

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        begin = self._clock()
        try:
            return self._function(*arguments, **named)
        finally:
            self.taken.append((self._clock() - begin) * 1000)


def measure() -> None:
    """Ask bare and through the gateway in turns, and take each call apart: connector, entry, the rest.

    The parts are those of one and the same call: two commits on a busy disk differ by more than the share.
    """
    import psycopg

    from toolbox import gateway, registry
    from toolbox.scope import CallScope

    connector: Any = registry.current().connectors["bench"]
    scope = CallScope(caller="bench")
    parts: dict[str, Watch] = {
        "connector": Watch(connector.ask),
        "record": Watch(gateway._record),
        "gateway": Watch(gateway.call),
    }
    connector.ask, gateway._record = parts["connector"], parts["record"]
    with psycopg.connect(os.environ["BENCH_READER_URL"], autocommit=True) as link:
        query = "SELECT id, name FROM bench_things WHERE id = %s"
        bare = Watch(lambda: link.execute(query, [7]).fetchone())
        for _ in range(CALLS):
            bare()
            parts["gateway"]("find_thing", {"id": 7}, scope)
    registry.current().close()
    report(bare.taken, {name: watch.taken for name, watch in parts.items()})


def report(bare: list[float], ms: dict[str, list[float]]) -> None:
    """Print the medians."""
    rest = zip(ms["gateway"], ms["connector"], ms["record"], strict=True)
    own = median([whole - connector - entry for whole, connector, entry in rest])
    figure("a bare lookup", median(bare), "ms")
    figure("the connector, control question included", median(ms["connector"]), "ms")
    figure("connector : bare lookup", median(ms["connector"]) / median(bare), "")
    figure("an entry with its line for lists, and their commit", median(ms["record"]), "ms")
    figure("a whole call through the gateway", median(ms["gateway"]), "ms")
    figure("the gateway's own share", own, "ms", goal="under 5 ms", is_met=own < 5)


if __name__ == "__main__":
    main()
