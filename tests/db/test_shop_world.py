"""The example shop: loaded twice without harm, closed to its reader's writes, open to every tool."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import errors

from assay_core.instants import as_text
from assay_core.results import Status
from examples.shop import world
from tests.db import shop
from toolbox import gateway, registry
from toolbox.connectors.proof import findings
from toolbox.scope import CallScope

ARGUMENTS: dict[str, str] = {
    "order_id": "ORD-1042",
    "email": "jonas.berger@example.com",
    "customer_id": "C-2101",
    "job_id": "job-48213",
    "queue": "mail",
    "deploy_id": "dep-2211",
    "service": "payments",
    "tenant": "linden-de",
    "name": "watchdog",
    "alertname": "Watchdog",
    "host": "pay.linden.example",
    "instance": "db-1",
    "mount": "/var/lib/postgresql",
    "query": "UpstreamTimeout",
    "level": "error",
}
# What may rightly be nothing: no refund, no twin, no deploy in the last hour, no planned work, no such alert.
MAY_BE_EMPTY = {
    "list_refunds", "twin_orders", "list_deploys", "maintenance_at", "alert_record", "open_alerts",
}  # fmt: skip


@pytest.fixture(scope="module")
def now() -> datetime:
    """The world's now: of these tests, never of the run, whose age would be the age of every row."""
    return datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(scope="module")
def admin_dsn(postgres_server: Any, now: datetime, tmp_path_factory: pytest.TempPathFactory) -> str:
    dsn: str = postgres_server.dsn("postgres")
    shop.load(dsn, tmp_path_factory.getbasetemp() / "shop-logs", now=now)
    return dsn


@pytest.fixture
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "shop-logs"


@pytest.fixture
def tools(
    admin_dsn: str, logs: Path, db: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> Iterator[registry.Toolbox]:
    with shop.asked(monkeypatch, settings, admin_dsn, logs):
        yield registry.current()


class Sample(NamedTuple):
    """Whether an alert fired in one minute."""

    at: datetime
    is_firing: bool


@dataclass(frozen=True, slots=True)
class Alert:
    """What is asked about one alert, and every sample from then on, those of the next two hours too."""

    asked: dict[str, str]
    samples: list[Sample]


@pytest.fixture
def alert(admin_dsn: str, now: datetime, alertname: str, instance: str, age: int) -> Iterator[Alert]:
    """One alert of a world that was loaded so many minutes ago."""
    since = now - timedelta(minutes=100 + age)
    with psycopg.connect(admin_dsn, dbname="shop", autocommit=True) as connection:
        _shift(connection, timedelta(minutes=-age))
        found = connection.execute(
            "SELECT at, is_firing FROM shop.alert_samples"
            " WHERE alertname = %s AND instance = %s AND at >= %s ORDER BY at",
            [alertname, instance, since],
        )
        yield Alert(
            {"alertname": alertname, "instance": instance, "since": as_text(since)},
            [*map(Sample._make, found)],
        )
        _shift(connection, timedelta(minutes=age))


def _shift(connection: psycopg.Connection[Any], span: timedelta) -> None:
    """Move every sample of an alert in time; by way of another year, where none meets its neighbour's key."""
    for part in (timedelta(days=366), span - timedelta(days=366)):
        connection.execute("UPDATE shop.alert_samples SET at = at + %s", [part])


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM shop.refunds",
        "UPDATE shop.orders SET total_cents = 0",
        "INSERT INTO shop.queues VALUES ('x', 'x', 1, 1)",
        "CREATE TABLE shop.mine (a int)",
        "CREATE TABLE public.mine (a int)",
        "CREATE TEMP TABLE mine (a int)",
        "SELECT pg_sleep(0)",
        "SELECT pg_advisory_lock(1)",
        "SELECT lo_create(0)",
        "SELECT set_config('statement_timeout', '0', false)",
        "SET ROLE shop_owner",
        "COPY shop.orders TO PROGRAM 'cat'",
    ],
)
def test_the_reader_is_refused(admin_dsn: str, statement: str) -> None:
    with psycopg.connect(shop.reader_dsn(admin_dsn), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement)


def test_the_credential_is_proven_to_be_a_reader(admin_dsn: str) -> None:
    with psycopg.connect(shop.reader_dsn(admin_dsn)) as connection:
        assert [each for each in findings(connection) if not each.warning] == []


def test_a_world_without_a_time_zone_is_refused(tmp_path: Path, now: datetime) -> None:
    naive = now.replace(tzinfo=None)
    with pytest.raises(ValueError, match="no time zone"):
        world.load("host=nowhere", reader_password="x" * 20, now=naive, logs=tmp_path)


def test_a_second_loading_makes_the_same_world(admin_dsn: str, logs: Path, now: datetime) -> None:
    before = _everything(admin_dsn), _lines(logs)
    (logs / "left.jsonl").write_text("half a li")
    with psycopg.connect(admin_dsn, dbname="shop", autocommit=True) as connection:
        connection.execute("DROP TABLE shop.refunds, shop.emails")
    shop.load(admin_dsn, logs, now=now)
    assert (_everything(admin_dsn), _lines(logs)) == before


def test_the_rows_of_the_world_follow_from_now_alone(now: datetime) -> None:
    first, second = world.rows(now), world.rows(now)
    assert list(first.tables()) == list(second.tables())
    assert world.rows(now + timedelta(hours=7)).count() == first.count()


def test_the_world_is_as_large_as_a_small_shop(admin_dsn: str, logs: Path) -> None:
    assert sum(count for _, count, _ in _everything(admin_dsn)) > 10_000
    assert sum(len(lines) for lines in _lines(logs).values()) > 5_000


def test_every_tool_answers_through_the_gateway(tools: registry.Toolbox, now: datetime) -> None:
    assert len(tools.definitions) >= 12
    hour_ago, moment = as_text(now - timedelta(minutes=60)), as_text(now)
    arguments = {**ARGUMENTS, "moment": moment, "since": hour_ago, "until": moment}
    for name, tool in tools.definitions.items():
        asked = {argument: arguments[argument] for argument in tool.input["properties"]}
        called = gateway.call(name, asked, CallScope(caller="test", subject=ARGUMENTS))
        accepted = {Status.OBSERVED, Status.EMPTY} if name in MAY_BE_EMPTY else {Status.OBSERVED}
        assert called.status in accepted, f"{name}: {called.status} {called.reason}"


def test_what_lies_nowhere_is_unanswerable_or_empty_but_never_observed(
    tools: registry.Toolbox, now: datetime
) -> None:
    """A rows tool proves that its order or service exists; a log, that its tenant was writing."""
    nowhere = CallScope(caller="test", subject={"order_id": "ORD-NONE"})
    for name in ("list_payments", "list_refunds", "list_shipments", "list_emails", "twin_orders"):
        called = gateway.call(name, {"order_id": "ORD-NONE"}, nowhere)
        assert called.status is Status.UNANSWERABLE, name
    for name in ("find_order", "find_job", "find_deploy"):
        argument = next(iter(tools.definitions[name].input["properties"]))
        called = gateway.call(name, {argument: "NONE"}, CallScope(caller="test", subject={argument: "NONE"}))
        assert called.status is Status.EMPTY, name
    hour_ago = as_text(now - timedelta(minutes=60))
    window = {"query": "UpstreamTimeout", "service": "payments", "since": hour_ago}
    called = gateway.call("count_log_matches", {**window, "tenant": "linden-eu"}, CallScope(caller="test"))
    assert called.status is Status.UNANSWERABLE
    assert "linden-eu" in called.reason


def test_a_list_that_is_too_long_says_so(tools: registry.Toolbox) -> None:
    order = {"order_id": "ORD-9707"}
    called = gateway.call("list_payments", order, CallScope(caller="test", subject=order))
    assert called.status is Status.TRUNCATED
    assert called.result["row_count"] == 20


def test_every_control_question_can_fail_or_counts_rows(tools: registry.Toolbox) -> None:
    for tool in tools.definitions.values():
        if tool.connector == "shop":
            assert re.search(r"\bholds\b", tool.plain["control"]), tool.name


def _everything(admin_dsn: str) -> list[tuple[str, int, str]]:
    """Return each table with its count and the digest of its rows."""
    with psycopg.connect(admin_dsn, dbname="shop") as connection:
        tables = connection.execute(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'shop' ORDER BY 1"
        ).fetchall()
        found = []
        for (table,) in tables:
            row = connection.execute(
                f"SELECT count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM shop.{table} t"
            ).fetchone()
            assert row
            found.append((table, row[0], row[1]))
    return found


def _lines(logs: Path) -> dict[str, list[str]]:
    return {path.name: path.read_text(encoding="utf-8").splitlines() for path in sorted(logs.glob("*.jsonl"))}


@pytest.mark.parametrize("age", [0, 2, 30])
@pytest.mark.parametrize(
    ("alertname", "instance", "episodes", "first_lasts", "is_firing"),
    [
        ("ErrorRateHigh", "checkout-1", 1, {8, 9}, False),
        ("ErrorRateHigh", "payments-1", 2, {8, 9}, True),
        ("CheckFlapping", "shipping-edge", 6, {2}, False),
    ],
)
def test_the_record_of_an_alert_counts_how_often_it_came_and_for_how_long(
    tools: registry.Toolbox, alert: Alert, episodes: int, first_lasts: set[int], is_firing: bool
) -> None:
    """Each minute brings a sample and a lasting episode grows: the samples before the call say how long."""
    before = datetime.now(UTC)
    record = gateway.call("alert_record", alert.asked, CallScope(caller="test")).result["record"]
    after = datetime.now(UTC)
    seen = alert.samples[: record["samples"]]
    assert seen[-1].at <= after
    assert alert.samples[len(seen)].at > before
    lasted = [len(list(run)) for fires, run in groupby(sample.is_firing for sample in seen) if fires]
    assert (record["episodes"], record["longest_episode"]) == (len(lasted), max(lasted))
    assert (len(lasted), seen[-1].is_firing, record["is_firing"]) == (episodes, is_firing, is_firing)
    assert lasted[0] in first_lasts
    assert record["samples"] >= record["samples_due"] - 1


def test_a_ticket_that_is_closed_is_not_open_and_an_instance_without_one_is_unknown(
    tools: registry.Toolbox,
) -> None:
    asked = {"alertname": "InstanceDown", "instance": "db-2"}
    assert gateway.call("open_alerts", asked, CallScope(caller="test")).status is Status.UNANSWERABLE
    asked = {"alertname": "InstanceDown", "instance": "db-1"}
    assert gateway.call("open_alerts", asked, CallScope(caller="test")).status is Status.EMPTY
