"""Calls through the gateway to a real database and real files: how each ends, and what its entry holds."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from assay_core.canonical import canonical
from assay_core.instants import as_text
from assay_core.results import Status
from audit import reading
from tests.db import attempted
from tests.servers import Postgres
from toolbox import gateway, registry
from toolbox.called import Called
from toolbox.connectors.base import Outcome
from toolbox.scope import Budget, CallScope

pytestmark = pytest.mark.django_db

CONNECTORS = """
connectors:
  shop: {kind: postgres, title: The shop, dsn_env: GATEWAY_READER_URL, connections: 2}
  logs: {kind: jsonlines, title: The logs, folder_env: GATEWAY_LOGS}
  nowhere: {kind: postgres, title: Nowhere, dsn_env: GATEWAY_NOWHERE_URL}
"""
TOOL = """
  - name: {name}
    title: {name}
    description: For tests.
    input: {{type: object, additionalProperties: false, required: [{required}], properties: {{{properties}}}}}
    output: {output}
    shape: {shape}
    key: {key}
    limits: {{rows: 5, bytes: 4096, seconds: 2}}
"""
ORDER = "{type: object, required: [id, amount], properties: {id: {type: integer}, amount: {type: string}}}"


def declared(name: str, sql: str, control: str = "", **parts: str) -> str:
    """One tool in YAML, with the parts that a test does not care about filled in."""
    filled = {
        "required": "",
        "properties": "",
        "output": "{type: object}",
        "shape": "rows",
        "key": "found",
        **parts,
    }
    text = TOOL.format(name=name, **filled) + f"    sql: {json.dumps(sql)}\n"
    return text + (f"    control: {json.dumps(control)}\n" if control else "")


SHOP_TOOLS = "connector: shop\ntools:\n" + "".join(
    (
        declared(
            "find_order",
            "SELECT id, amount, note FROM app.orders WHERE id = %(order_id)s::bigint",
            "SELECT count(*) > 0 AS holds, count(*) AS total FROM app.orders",
            required="order_id",
            properties="order_id: {type: integer}",
            shape="one",
            key="order",
            output=f"{{type: object, required: [order], properties: {{order: {ORDER}}}}}",
        ),
        declared(
            "renamed_field",
            "SELECT id, amount AS sum FROM app.orders WHERE id = 1",
            shape="one",
            key="order",
            output=f"{{type: object, required: [order], properties: {{order: {ORDER}}}}}",
        ),
        declared(
            "orders_of",
            "SELECT id FROM app.orders WHERE customer_id = %(customer)s::bigint ORDER BY id",
            "SELECT EXISTS (SELECT FROM app.customers WHERE id = %(customer)s::bigint) AS holds",
            required="customer",
            properties="customer: {type: integer}",
            key="orders",
        ),
        declared("uncontrolled", "SELECT id FROM app.orders WHERE id = -1"),
        declared("broken_control", "SELECT id FROM app.orders WHERE id = -1", "SELECT 'yes' AS holds"),
        declared(
            "count_orders",
            "SELECT count(*) AS n FROM app.orders WHERE customer_id = %(customer)s::bigint",
            "SELECT EXISTS (SELECT FROM app.customers WHERE id = %(customer)s::bigint) AS holds",
            required="customer",
            properties="customer: {type: integer}",
            shape="one",
            key="counted",
        ),
        declared("all_orders", "SELECT id FROM app.orders ORDER BY id"),
        declared("two_for_one", "SELECT id FROM app.orders LIMIT 2", shape="one", key="order"),
        declared("ten_megabytes", "SELECT repeat('x', 10000000) AS text", shape="one", key="value"),
        declared(
            "slow", "SELECT count(*) AS n FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"
        ),
        declared("forbidden", "SELECT * FROM app.mv"),
        declared("missing_column", "SELECT nonesuch FROM app.orders"),
        declared(
            "said",
            "SELECT %(text)s::text AS text, %(flag)s::bool AS flag, %(words)s::text[] AS words",
            required="text",
            properties="text: {type: string}, flag: {type: boolean}, words: {type: array}",
            shape="one",
            key="said",
        ),
        declared(
            "every_type",
            "SELECT 12.50::numeric AS price, 9007199254740993::bigint AS large, 42 AS small, true AS yes,"
            " 'NaN'::float8 AS nan, '-Infinity'::float8 AS low, 'NaN'::numeric AS none, 1.5::float8 AS half,"
            " '2026-03-01 12:00:00+02'::timestamptz AS at, 'infinity'::timestamptz AS never,"
            " '2026-03-01'::date AS day, '1 day 02:00'::interval AS long, NULL::text AS nothing,"
            ' \'{"a": [1, 9007199254740993], "nul": "\\u0000"}\'::json AS document,'
            " ARRAY[1.10, 2.20]::numeric[] AS prices, ARRAY['a', NULL] AS words, '\\xff'::bytea AS raw,"
            " '10.0.0.1'::inet AS address, int4range(1, 5) AS span, '\\uD83D\\uDE00'::text AS face",
            shape="one",
            key="types",
        ),
        declared(
            "since",
            "SELECT id FROM app.orders WHERE %(since)s::timestamptz < now() AND id < 3",
            "SELECT true AS holds, 7 AS total",
            required="since",
            properties="since: {type: string, format: date-time}",
        )
        + "    covers: {since: since}\n    normalise: {since: [strip, instant]}\n",
        declared("twins", "SELECT 1 AS a, 2 AS a"),
    )
)
NOWHERE_TOOLS = "connector: nowhere\ntools:\n" + declared("out_of_reach", "SELECT 1 AS n")


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture
def ask(
    reader_dsn: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Called]]:
    """Ask one tool: `ask("find_order", order_id=1)`."""
    monkeypatch.setenv("GATEWAY_READER_URL", reader_dsn)
    monkeypatch.setenv("GATEWAY_NOWHERE_URL", "postgresql://reader:s3cret-word@/x?host=/nonexistent/folder")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "shop.yaml").write_text(SHOP_TOOLS)
    (tmp_path / "tools" / "nowhere.yaml").write_text(NOWHERE_TOOLS)
    (tmp_path / "connectors.yaml").write_text(CONNECTORS)
    settings.TRIAGE_TOOLS = [tmp_path / "tools"]
    settings.TRIAGE_CONNECTORS = str(tmp_path / "connectors.yaml")
    registry.current.cache_clear()
    scope = CallScope(caller="playbook", investigation=7, incident=3)

    def call(name: str, scope: CallScope = scope, **arguments: Any) -> Called:
        return gateway.call(name, arguments, scope)

    yield call
    registry.current().close()
    registry.current.cache_clear()


Ask = Callable[..., Called]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("nonesuch", {}, "no tool named 'nonesuch'"),
        ("\ud800\x00", {}, "no tool named"),
        ("find_order", {}, "'order_id' is a required property"),
        ("find_order", {"order_id": "1"}, "order_id: '1' is not of type 'integer'"),
        ("find_order", {"order_id": 1.0}, "1.0 is not of type 'integer'"),
        ("find_order", {"order_id": True}, "True is not of type 'integer'"),
        ("find_order", {"order_id": None}, "None is not of type 'integer'"),
        ("find_order", {"order_id": 1, "extra": 1}, "'extra' was unexpected"),
        ("since", {"since": "yesterday"}, "'yesterday' is not a 'date-time'"),
        ("said", {"text": "a\x00b"}, "text holds a NUL character"),
        ("said", {"text": "a", "words": [["nested"]]}, "words holds a list or an object inside a list"),
        ("said", {"text": "\ud800"}, "a lone surrogate"),
        ("said", {"text": float("nan")}, "is not a JSON number"),
        ("said", {"text": datetime(2026, 1, 1, tzinfo=UTC)}, "datetime is not a JSON type"),
        ("said", {"text": "x" * 20_000}, "at most 16384 are read"),
    ],
)
def test_a_call_that_is_not_as_declared_is_refused_and_recorded(
    ask: Ask, name: str, arguments: dict[str, Any], words: str
) -> None:
    called = ask(name, **arguments)
    assert called.status is Status.REFUSED
    assert words in called.reason
    assert called.result is None
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert (stored.kind, stored.payload["status"]) == ("tool.called", "refused")


def test_arguments_that_are_no_object_are_refused(ask: Ask) -> None:
    called = gateway.call("uncontrolled", ["a"], CallScope(caller="x"))  # type: ignore[arg-type]  # on purpose
    assert (called.status, called.reason) == (Status.REFUSED, "the arguments are list, not an object")


def test_a_tool_outside_the_allow_list_is_refused(ask: Ask) -> None:
    called = ask("all_orders", CallScope(caller="model", allow=frozenset({"find_order"})))
    assert called.status is Status.REFUSED
    assert "not among the tools that this run may ask" in called.reason


def test_a_spent_budget_refuses_and_refused_calls_spend_it_too(ask: Ask) -> None:
    scope = CallScope(caller="model", budget=Budget(2))
    ends = [ask(name, scope).reason for name in ("nonesuch", "all_orders", "all_orders")]
    assert ends[2] == "the budget of this run is spent"
    assert "budget" not in ends[0] + ends[1]


def test_an_open_transaction_of_the_caller_is_refused_before_the_tool_runs(ask: Ask) -> None:
    with pytest.raises(gateway.InsideTransaction, match=r"outside transaction\.atomic"), transaction.atomic():
        ask("find_order", order_id=1)
    assert gateway.entries_of_run(7) == ()


@pytest.mark.parametrize(
    ("name", "arguments", "status", "words"),
    [
        ("uncontrolled", {}, Status.UNANSWERABLE, "no control question"),
        ("orders_of", {"customer": 999}, Status.UNANSWERABLE, "the control question finds nothing"),
        ("count_orders", {"customer": 999}, Status.UNANSWERABLE, "the control question finds nothing"),
        ("broken_control", {}, Status.ERROR, "no boolean column `holds`"),
        ("renamed_field", {}, Status.ERROR, "'amount' is a required property"),
        ("two_for_one", {}, Status.ERROR, "more than one answers"),
        ("twins", {}, Status.ERROR, "same name"),
        ("slow", {}, Status.ERROR, "and was cancelled"),
        ("forbidden", {}, Status.ERROR, "may not read this (permission denied"),
        ("missing_column", {}, Status.ERROR, 'column "nonesuch" does not exist'),
        ("out_of_reach", {}, Status.UNAVAILABLE, "nothing answers"),
        ("ten_megabytes", {}, Status.TRUNCATED, "more than 4096 bytes"),
        ("all_orders", {}, Status.TRUNCATED, "more than 5 rows"),
        ("find_order", {"order_id": 12345}, Status.EMPTY, ""),
        ("orders_of", {"customer": 1}, Status.TRUNCATED, "the first 5 are kept"),
        ("find_order", {"order_id": 1}, Status.OBSERVED, ""),
    ],
)
def test_each_end_has_its_type_and_its_reason(
    ask: Ask, name: str, arguments: dict[str, Any], status: Status, words: str
) -> None:
    called = ask(name, **arguments)
    assert called.status is status, called.reason
    assert words in called.reason
    assert "s3cret-word" not in called.reason


def test_a_row_is_the_result_and_its_control_says_how_much_was_searched(ask: Ask) -> None:
    called = ask("find_order", order_id=1)
    assert called.result == {"order": {"id": 1, "amount": "1", "note": "note 1"}}
    assert called.covered == {"total": 200}


def test_nothing_found_by_a_proven_search_is_an_empty_result(ask: Ask) -> None:
    assert ask("find_order", order_id=12345).result == {"order": None}


def test_a_truncated_list_keeps_what_its_limit_allows(ask: Ask) -> None:
    assert ask("all_orders").result == {"found": [{"id": n} for n in range(1, 6)], "row_count": 5}


def test_values_are_plain_and_what_text_cannot_hold_is_marked(ask: Ask) -> None:
    called = ask("every_type")
    assert called.status is Status.OBSERVED, called.reason
    assert called.result["types"] == {
        "price": "12.50",
        "large": "9007199254740993",
        "small": 42,
        "yes": True,
        "nan": "NaN",
        "low": "-Infinity",
        "none": "NaN",
        "half": 1.5,
        "at": "2026-03-01T10:00:00.000000Z",
        "never": "infinity",
        "day": "2026-03-01",
        "long": "P1DT2H",
        "nothing": None,
        "document": {"a": [1, "9007199254740993"], "nul": "\ufffd"},
        "prices": ["1.10", "2.20"],
        "words": ["a", None],
        "raw": "\\xff",
        "address": "10.0.0.1",
        "span": "[1,5)",
        "face": "\\uD83D\\uDE00",
    }
    assert called.reason == "4 characters or numbers that a result cannot hold were put as other text"


def test_arguments_reach_the_database_as_data_whatever_they_spell(ask: Ask) -> None:
    hostile = """'; DROP TABLE app.orders; -- $1 %(x)s \\ "quoted" {a,b} \U0001f600"""
    called = ask("said", text=hostile, flag=False, words=[hostile, 'a"b\\', "NULL", ""])
    assert called.result == {
        "said": {"text": hostile, "flag": False, "words": [hostile, 'a"b\\', "NULL", ""]}
    }


def test_arguments_are_recorded_in_their_one_form_beside_what_was_asked(ask: Ask) -> None:
    called = ask("since", since=" 2026-03-01T12:00:00+02:00")
    assert called.arguments == {"since": "2026-03-01T10:00:00.000000Z"}
    assert called.covered == {
        "since": "2026-03-01T10:00:00.000000Z",
        "until": as_text(called.called_at),
        "total": 7,
    }
    stored = reading.entry(called.entry)
    assert stored is not None
    assert stored.payload is not None
    assert stored.payload["asked"] == {"since": " 2026-03-01T12:00:00+02:00"}


def test_what_is_returned_is_what_the_entry_holds_byte_for_byte(ask: Ask) -> None:
    made = [ask("find_order", order_id=1), ask("every_type"), ask("nonesuch", a="\u00e9"), ask("all_orders")]
    assert gateway.entries_of_run(7) == tuple(made)
    for called in made:
        stored = reading.entry(called.entry)
        assert stored is not None
        assert stored.payload is not None
        assert stored.leaf == called.leaf
        assert (stored.actor, stored.incident, stored.investigation) == ("playbook", 3, 7)
        assert canonical(stored.payload["result"]) == canonical(called.result)
        assert canonical(stored.payload["arguments"]) == canonical(called.arguments)
        assert called.called_at <= called.finished_at


def test_a_password_never_reaches_an_entry(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, postgres_server: Postgres
) -> None:
    monkeypatch.setenv("GATEWAY_NOWHERE_URL", "not a dsn s3cret-word")
    assert ask("out_of_reach").reason == "nowhere: its connection string cannot be read"
    monkeypatch.setenv("GATEWAY_NOWHERE_URL", "")
    assert ask("out_of_reach").reason == "nowhere: the environment variable GATEWAY_NOWHERE_URL is not set"
    monkeypatch.setenv("GATEWAY_NOWHERE_URL", postgres_server.dsn("no_such_database"))
    assert ask("out_of_reach").reason == "nowhere: the database of the connection string does not exist"
    monkeypatch.setenv("GATEWAY_NOWHERE_URL", "postgresql://r:s3cret-word@nonesuch.invalid/x")
    assert ask("out_of_reach").status is Status.UNAVAILABLE
    assert not [called for called in gateway.entries_of_run(7) if "s3cret-word" in called.reason]


def test_a_connector_that_fails_in_an_unexpected_way_is_an_error_without_its_words(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Exploding:
        name = title = kind = "exploding"

        def ask(self, *_: Any) -> Any:
            raise ZeroDivisionError("s3cret-word")

        def close(self) -> None: ...

    loaded = registry.current()
    monkeypatch.setitem(loaded.connectors, "shop", Exploding())
    called = ask("all_orders")
    assert called.status is Status.ERROR
    assert called.reason == "the connector failed in an unexpected way (ZeroDivisionError)"


def test_an_answer_that_cannot_be_recorded_is_an_error_with_an_entry(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Halving:
        name = title = kind = "halving"

        def ask(self, *_: Any) -> Outcome:
            return Outcome(Status.EMPTY, {"orders": ["half of a \ud83d"]}, covered={"tenant": "\udc00"})

        def close(self) -> None: ...

    monkeypatch.setitem(registry.current().connectors, "shop", Halving())
    called = ask("all_orders")
    assert (called.status, called.result) == (Status.ERROR, None)
    assert "cannot be recorded" in called.reason
    assert called.entry


def test_an_hour_ahead_is_not_covered(ask: Ask) -> None:
    called = ask("since", since=as_text(datetime.now(UTC) - timedelta(hours=1)))
    assert called.covered is not None
    assert called.covered["until"] == as_text(called.called_at)
